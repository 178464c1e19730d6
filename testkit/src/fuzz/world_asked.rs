//! Compares queries of a broadphase with brute force over the true boxes.

use super::overlap::{plane, sphere_of};
use crate::columns::Columns as Moving;
use crate::finite::assert_finite;
use crate::segments::SegmentArrays;
use crate::world_model::{BodyInfo, Model};
use std::ops::ControlFlow;
use swath::batch::sweep::MISS;
use swath::batch::{PlaneSide, cast, overlap, proximity, sweep};
use swath::broadphase::{Path, ProxyHit, ProxyQueries, ProxyQuery, Query, Visits};
use swath::{Aabb, AabbColumns, Broadphase, Level, MovingBox, Plane, ProxyId, Segment};

/// Runs every query, with paths and shapes made of `asked`.
pub fn ask(
    world: &mut Broadphase,
    model: &Model,
    about: &BodyInfo,
    asked: &[MovingBox],
    reach: f32,
) {
    let seen = model.seen(about);
    let view = |queries: ProxyQueries<'_>| of(queries, about).overlap_planes(&[]).map(ids);
    // Resting proxies are found without moving ones, whether or not those are up to date.
    let at_rest: Vec<ProxyId> = seen
        .iter()
        .filter(|(id, _)| model.things[id].proxy.kind.is_resting())
        .map(|&(id, _)| id)
        .collect();
    assert_eq!(view(world.queries_of_resting()), Ok(at_rest));
    let queries = of(world.queries(), about);
    assert_eq!(queries.overlap_planes(&[]).map(ids), Ok(seen.iter().map(|&(id, _)| id).collect()));

    let segments: Vec<Segment> = asked
        .iter()
        .zip([f32::INFINITY, 1.0, reach])
        .map(|(of, max_fraction)| Segment { start: of.aabb.min, delta: of.delta, max_fraction })
        .collect();
    let mut closest = Vec::new();
    for segment in &segments {
        let expected = hits(&seen, |aabb| {
            let cast = cast::one_to_one(segment, aabb).ok()?;
            cast.faces.is_hit().then_some(cast.entry)
        });
        assert_eq!(queries.cast(segment).err(), segment.validate().err());
        closest.push(way(|| queries.cast(segment).ok(), &expected));
    }
    let columns = SegmentArrays::new(&segments);
    let (level, mut rejected) = (Level::detect(), Vec::new());
    let rows = columns.segments().check(level, &mut rejected);
    let mut out = vec![ProxyHit { value: -9.0, ..ProxyHit::MISS }; segments.len()];
    queries.casts(&rows).closest(&mut out).expect("equally long");
    assert_eq!(out, closest);
    queries.casts(&rows).any(&mut out).expect("equally long");
    assert!(out.iter().zip(&closest).all(|(any, first)| any.is_hit() == first.is_hit()));
    assert!(queries.casts(&rows).any(&mut out[1..]).is_err());

    closest.clear();
    for of in asked {
        let expected = hits(&seen, |aabb| {
            let sweep = sweep::one_to_one(of, &(*aabb).into()).ok()?;
            (sweep.first < MISS).then_some(sweep.first)
        });
        assert_eq!(queries.sweep(of).err(), of.validate().err());
        closest.push(way(|| queries.sweep(of).ok(), &expected));
    }
    let columns = Moving::new(asked);
    let rows = columns.boxes().check(level, &mut rejected);
    queries.sweeps(&rows).closest(&mut out).expect("equally long");
    assert_eq!(out, closest);

    shapes(&queries, &seen, asked);
    near(&queries, &seen, asked, reach);
}

/// The proxies that a query refers to.
fn of<'a>(queries: ProxyQueries<'a>, about: &BodyInfo) -> ProxyQueries<'a> {
    let queries = about.without.iter().fold(queries, |queries, &set| queries.without(set));
    let queries = queries.without_owner(about.owner);
    about.filter.map_or(queries, |filter| queries.filtered(filter))
}

fn hits(seen: &[(ProxyId, Aabb)], at: impl Fn(&Aabb) -> Option<f32>) -> Vec<ProxyHit> {
    let hit = |(id, aabb): &(ProxyId, Aabb)| at(aabb).map(|at| ProxyHit { id: *id, value: at });
    seen.iter().filter_map(hit).collect()
}

/// Runs every query of a path; returns the closest hit.
fn way<'q, P: Path + 'q>(
    query: impl Fn() -> Option<ProxyQuery<'q, Query<'q, P>>>,
    expected: &[ProxyHit],
) -> ProxyHit {
    if query().is_none() {
        return ProxyHit::MISS;
    }
    let query = || query().expect("it was valid before");
    let mut hits = vec![ProxyHit::MISS];
    query().all(&mut hits);
    assert_eq!(bits(&hits), bits(expected));
    assert_finite(&hits);
    let mut sorted = expected.to_vec();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.id.cmp(&b.id)));
    query().sorted(&mut hits);
    assert_eq!(bits(&hits), bits(&sorted));
    let first = sorted.first().copied();
    assert_eq!(query().closest(), first);
    let any = query().any();
    assert!(any.is_none() == expected.is_empty() && any.iter().all(|hit| expected.contains(hit)));
    // The first accepted hit is found too, whatever the condition rejects before.
    let odd = |id: ProxyId| id.index() % 2 == 1;
    let accepted = sorted.iter().copied().find(|hit| odd(hit.id));
    assert_eq!(query().accepting(odd).closest(), accepted);
    // If each visited hit becomes the limit, the last one visited is the first on the path.
    let mut nearest = None;
    query().visit(|hit| {
        let before = nearest.unwrap_or(ProxyHit { value: f32::INFINITY, ..hit });
        assert!(hit.value <= before.value && expected.contains(&hit));
        let is_first = hit.value < before.value || hit.id < before.id;
        nearest = Some(if is_first { hit } else { before });
        hit.value
    });
    assert_eq!(nearest, first);
    first.unwrap_or(ProxyHit::MISS)
}

fn bits(hits: &[ProxyHit]) -> Vec<(ProxyId, u32)> {
    hits.iter().map(|hit| (hit.id, hit.value.to_bits())).collect()
}

/// All hits of a shape.
fn ids<'a, S: swath::broadphase::QueryShape>(
    query: ProxyQuery<'a, Query<'a, swath::broadphase::Overlap<S>>>,
) -> Vec<ProxyId> {
    let mut ids = vec![ProxyId::NONE];
    let mut visits = Visits::default();
    query.counting(&mut visits).all(&mut ids);
    assert!(visits.boxes >= ids.len() as u64);
    ids
}

/// Boxes, points, spheres and regions.
fn shapes(queries: &ProxyQueries<'_>, seen: &[(ProxyId, Aabb)], asked: &[MovingBox]) {
    let met = |is_met: &dyn Fn(&Aabb) -> bool| -> Vec<ProxyId> {
        seen.iter().filter(|(_, aabb)| is_met(aabb)).map(|&(id, _)| id).collect()
    };
    let (mut starts, mut all) = (vec![0], Vec::new());
    for MovingBox { aabb, .. } in asked {
        let by_box = met(&|b| overlap::one_to_one(aabb, b) == Ok(true));
        match queries.overlap(aabb) {
            Ok(query) => {
                assert_eq!(ids(query), by_box);
                let mut left = 2;
                let mut some = Vec::new();
                queries.overlap(aabb).expect("it was one before").visit(|id| {
                    some.push(id);
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert!(some.len() == by_box.len().min(2));
                assert!(some.iter().all(|id| by_box.contains(id)));
            }
            Err(reason) => assert_eq!(aabb.validate(), Err(reason)),
        }
        all.extend_from_slice(&by_box);
        starts.push(all.len());
        if let Ok(query) = queries.overlap_point(aabb.min) {
            let point = Aabb { min: aabb.min, max: aabb.min };
            assert_eq!(ids(query), met(&|b| overlap::one_to_one(&point, b) == Ok(true)));
            let any = queries.overlap_point(aabb.min).expect("it was one before").any();
            assert_eq!(any.is_some(), seen.iter().any(|(_, b)| b.overlaps(&point)));
        }
    }
    let ball = sphere_of(&asked[0]);
    if let Ok(query) = queries.overlap_sphere(&ball) {
        assert_eq!(ids(query), met(&|b| overlap::sphere::one_to_one(&ball, b) == Ok(true)));
    }
    let region: Vec<Plane> = asked.iter().map(plane).collect();
    if let Ok(query) = queries.overlap_planes(&region) {
        let inside = |side: Result<PlaneSide, _>| side.is_ok_and(|side| side != PlaneSide::Outside);
        assert_eq!(ids(query), met(&|b| inside(overlap::planes::one_to_one(&region, b))));
    }
    with_rows(asked, |rows| {
        let (mut of_rows, mut found) = (vec![9; starts.len()], vec![ProxyId::NONE]);
        queries.overlaps(rows).all(&mut of_rows, &mut found).expect("a place more");
        assert_eq!((of_rows, found), (starts, all));
    });
}

/// The nearest boxes: a few or all.
fn near(
    queries: &ProxyQueries<'_>,
    seen: &[(ProxyId, Aabb)],
    asked: &[MovingBox],
    max_distance: f32,
) {
    let max_distance = if max_distance >= 0.0 { max_distance } else { f32::INFINITY };
    let mut of_rows = Vec::new();
    for MovingBox { aabb, .. } in asked {
        let mut expected = hits(seen, |b| {
            proximity::one_to_one(aabb, b).ok().filter(|&distance| distance <= max_distance)
        });
        expected.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.id.cmp(&b.id)));
        for room in [0, 1, 3, expected.len() + 1] {
            let Ok(query) = queries.proximity(aabb, max_distance) else {
                assert!(aabb.validate().is_err());
                break;
            };
            let mut to = vec![ProxyHit { value: -9.0, ..ProxyHit::MISS }; room];
            assert_eq!(query.k_nearest(&mut to), &expected[..room.min(expected.len())]);
            let query = queries.proximity(aabb, max_distance).expect("it was one before");
            let far = query.accepting(|id| Some(id) != expected.first().map(|hit| hit.id));
            assert_eq!(far.nearest(), expected.get(1).copied());
        }
        expected.resize(2, ProxyHit::MISS);
        of_rows.extend(expected);
    }
    with_rows(asked, |rows| {
        let mut out = vec![ProxyHit::default(); 2 * asked.len()];
        let query = queries.proximities(rows, max_distance).expect("it is a distance");
        query.k_nearest(2, &mut out).expect("two for each");
        assert_eq!(out, of_rows);
        query.nearest(&mut out[..asked.len()]).expect("one for each");
        assert!(out[..asked.len()].iter().eq(of_rows.iter().step_by(2)));
    });
}

/// Calls the function with the boxes as columns.
fn with_rows(asked: &[MovingBox], ask: impl FnOnce(&swath::batch::Checked<'_, AabbColumns<'_>>)) {
    let columns = Moving::new(asked);
    let [x0, y0, z0, x1, y1, z1, ..] = columns.boxes().columns();
    let rows = AabbColumns::new([x0, y0, z0], [x1, y1, z1]).expect("equally long");
    ask(&rows.check(Level::detect(), &mut Vec::new()));
}
