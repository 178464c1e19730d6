//! Tests that queries of a broadphase find proxies by their true boxes, on any threads and level.
//!
//! Random calls with queries among them are made by the body of the fuzz target
//! (`tests/broadphase/rules.rs`). The tests here use crowds that are too large for that, and margins.

use swath::batch::SegmentStore;
use swath::broadphase::{Layers, ProxyHit, ProxyQueries, Visits};
use swath::{
    Aabb, Broadphase, Filter, Level, MovingBox, Plane, Proxy, ProxyId, ProxyKind, Segment, Threads,
};
use testkit::draw::Draw;
use testkit::fuzz::world_asked;
use testkit::world_model::{BodyInfo, Model};

/// A crowd on integer coordinates, of all kinds, some with filters and owners, a third with a margin.
fn crowd(draw: &mut Draw, count: usize, side: i32) -> Vec<(MovingBox, Proxy)> {
    let layers = Layers::all().without(1, 1).without(2, 3);
    let sets = [Proxy::dynamic(), Proxy::sleeping(), Proxy::fixed(), Proxy::kinematic()];
    (0..count)
        .map(|k| {
            let min = [(); 3].map(|()| draw.whole(0, side));
            let max = min.map(|x| x + draw.whole(0, 3));
            let delta = [(); 3].map(|()| draw.whole(-8, 8));
            let proxy = sets[k % 4].owned_by(if k % 7 == 0 { 1 + k as u32 % 3 } else { 0 });
            let proxy = if k % 5 == 0 { proxy.filtered(layers.filter(k / 5 % 4)) } else { proxy };
            let proxy = if k % 3 == 1 { proxy.with_margin(1.5) } else { proxy };
            (MovingBox { aabb: Aabb { min, max }, delta }, proxy)
        })
        .collect()
}

/// A broadphase with the crowd in it, and its model.
fn filled(mut world: Broadphase, things: &[(MovingBox, Proxy)]) -> (Broadphase, Model) {
    let mut model = Model::default();
    for &(moving, proxy) in things {
        let id = world.insert_moving(moving, proxy).expect("it is a box");
        model.things.insert(id, Model::thing(moving, proxy).expect("it is a box"));
    }
    (world, model)
}

/// Changes some proxies: positions, kinds, margins, whether they are enabled; inserts and removes some.
fn stir(world: &mut Broadphase, model: &mut Model, things: &[(MovingBox, Proxy)]) {
    let ids: Vec<ProxyId> = world.ids().collect();
    for (k, &id) in ids.iter().enumerate().filter(|(k, _)| k % 4 != 1) {
        let (moving, proxy) = things[(k * 31 + 5) % things.len()];
        match k % 5 {
            0 => {
                world.set(id, moving.aabb, moving.delta).expect("it is a box");
                model.set(id, moving).expect("it is a box");
            }
            1 => {
                world.set_kind(id, proxy.kind).expect("the proxy exists");
                model.edit(id, |of| of.kind = proxy.kind).expect("the proxy exists");
            }
            2 => {
                world.set_margin(id, proxy.margin).expect("it is a margin");
                model.set_margin(id, proxy.margin).expect("it is a margin");
            }
            3 => {
                world.set_enabled(id, k % 2 == 0).expect("the proxy exists");
                model.edit(id, |of| of.enabled = k % 2 == 0).expect("the proxy exists");
            }
            _ => {
                world.remove(id).expect("the proxy exists");
                assert!(model.remove(id));
            }
        }
    }
}

/// Results of many segments and points in a crowd: the first, the nearest, any, and all of a few in order.
fn said_of_many(world: &mut Broadphase, segments: &SegmentStore) -> Vec<ProxyHit> {
    let queries = world.queries().filtered(Filter::new(1 << 1, u32::MAX)).without_owner(2);
    let count = segments.len();
    let mut hits = vec![ProxyHit::MISS; 3 * count];
    let (first, rest) = hits.split_at_mut(count);
    let (any, near) = rest.split_at_mut(count);
    queries.casts(&segments.checked()).closest(first).expect("as many");
    queries.casts(&segments.checked()).any(any).expect("as many");
    let starts = segments.checked();
    let [x, y, z, ..] = starts.columns().columns();
    let places = swath::AabbColumns::new([x, y, z], [x, y, z]).expect("equally long");
    let mut rejected = Vec::new();
    let places = places.check(Level::detect(), &mut rejected);
    queries.proximities(&places, 2.0).expect("a distance").nearest(near).expect("as many");
    for (row, hit) in first.iter().enumerate().take(100) {
        let segment = segments.columns().get(row);
        let one = queries.cast(&segment).expect("it is a segment").closest();
        assert_eq!(one.unwrap_or(ProxyHit::MISS), *hit);
    }
    let mut in_order = Vec::new();
    for row in 0..20 {
        let segment = segments.columns().get(row);
        queries.cast(&segment).expect("it is a segment").visit(|hit| {
            in_order.push(hit);
            f32::INFINITY
        });
    }
    hits.extend(in_order);
    hits
}

/// Goal: queries of a crowd find the right proxies, the same on every level and number of threads.
///
/// Method: more proxies than two levels of a tree contain, as they were inserted and after some changes; the
/// results are compared with the model, and batches are longer than the share of a thread.
#[test]
fn queries_of_a_crowd_are_the_same_on_any_threads_and_level() {
    let mut draw = Draw::new(21);
    let things = crowd(&mut draw, 900, 24);
    let mut segments = SegmentStore::new();
    for _ in 0..3000 {
        let start = [(); 3].map(|()| draw.whole(-2, 26) + draw.whole(0, 3) * 0.25);
        let delta = [(); 3].map(|()| draw.whole(-9, 9) * 0.5);
        segments.push(Segment::new(start, delta).expect("it is one")).expect("there is room");
    }
    let said = |world: Broadphase, with_model: bool| {
        let (mut world, mut model) = filled(world, &things);
        let mut said = said_of_many(&mut world, &segments);
        stir(&mut world, &mut model, &things);
        world.update().expect("there is no limit");
        said.extend(said_of_many(&mut world, &segments));
        for round in (0..30).filter(|_| with_model) {
            let asked: Vec<MovingBox> =
                crowd(&mut Draw::new(round), 3, 24).iter().map(|&(moving, _)| moving).collect();
            let kind = round as usize % 3;
            let about = BodyInfo {
                filter: (kind == 1).then_some(Filter::new(1 << 2, u32::MAX)),
                owner: round as u32 % 4,
                without: [ProxyKind::Fixed, ProxyKind::Sleeping, ProxyKind::Dynamic][..kind].into(),
            };
            world_asked::ask(&mut world, &model, &about, &asked, [0.5, 3.0, 0.0][kind]);
        }
        world.validate().expect("the broadphase is consistent");
        said
    };
    let mut alone = Broadphase::new();
    alone.exec.threads = Threads::one();
    let expected = said(alone, true);
    assert!(expected.iter().filter(|hit| hit.is_hit()).count() > 6000);
    for level in Level::all() {
        assert!(said(Broadphase::with_exec(level), true) == expected, "{level}");
    }
    #[cfg(feature = "rayon")]
    for threads in 1..=4 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut world = Broadphase::new();
        world.exec.threads = Threads::of_pool(pool.into());
        assert!(said(world, false) == expected, "{threads} threads");
    }
}

/// Goal: queries ignore the margin of a resting proxy, and the margin hides nothing.
#[test]
fn margins_do_not_affect_queries() {
    let mut world = Broadphase::new();
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 0.5).expect("it is a box");
    // Its margin begins before the others, and its box is behind them; a third segment passes beside it.
    let far = world.insert(cube(9.0), Proxy::sleeping().with_margin(8.0)).expect("it is a box");
    let near = world.insert(cube(4.0), Proxy::fixed()).expect("it is a box");
    let moves = world.insert(cube(6.0), Proxy::dynamic().with_margin(5.0)).expect("it is a box");
    let beside = Aabb::cube([3.0, 5.0, 0.0], 0.5).expect("it is a box");
    let beside = world.insert(beside, Proxy::fixed().with_margin(6.0)).expect("it is a box");
    let sight = Segment::new([0.0; 3], [16.0, 0.0, 0.0]).expect("it is one");
    let sorted = |world: &mut Broadphase| {
        let mut hits = Vec::new();
        world.queries().cast(&sight).expect("it is one").sorted(&mut hits);
        // Never late, so a little early: rounded to tenths.
        hits.iter().map(|hit| (hit.id, (hit.value * 160.0).round())).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&mut world), [(near, 35.0), (moves, 55.0), (far, 85.0)]);
    let mut to = [ProxyHit::MISS; 5];
    let place = cube(0.0);
    let queries = world.queries();
    let near_by = queries.proximity(&place, 5.5).expect("it is a box").k_nearest(&mut to);
    let near_by: Vec<ProxyId> = near_by.iter().map(|hit| hit.id).collect();
    assert_eq!(near_by, [near, beside, moves]);
    // Inside its fat AABB it is found at its new position; without a margin it is found as before.
    world.set(far, cube(10.0), [0.0; 3]).expect("it is a box");
    world.set(moves, cube(7.0), [3.0; 3]).expect("it is a box");
    assert_eq!(sorted(&mut world), [(near, 35.0), (moves, 65.0), (far, 95.0)]);
    world.set_margin(far, 0.0).expect("it is a margin");
    world.set_enabled(near, false).expect("the proxy exists");
    assert_eq!(sorted(&mut world), [(moves, 65.0), (far, 95.0)]);
    world.set_kind(far, ProxyKind::Dynamic).expect("the proxy exists");
    world.set_kind(moves, ProxyKind::Fixed).expect("the proxy exists");
    assert_eq!(sorted(&mut world), [(moves, 65.0), (far, 95.0)]);
    world.validate().expect("the broadphase is consistent");
}

/// Goal: after restoring a snapshot queries find the old state, also if only a margin hides the change.
#[test]
fn restored_proxies_are_found_at_their_old_position() {
    let mut world = Broadphase::new();
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 0.5).expect("it is a box");
    let asleep = world.insert(cube(0.0), Proxy::sleeping().with_margin(4.0)).expect("it is a box");
    let moves = world.insert(cube(2.0), Proxy::dynamic()).expect("it is a box");
    let at = |world: &mut Broadphase, x: f32| {
        let mut ids = Vec::new();
        world.queries().overlap_point([x, 0.0, 0.0]).expect("it is a point").all(&mut ids);
        ids
    };
    assert_eq!((at(&mut world, 0.0), at(&mut world, 2.0)), (vec![asleep], vec![moves]));
    let snapshot = world.snapshot();
    let held = world.compared_box(asleep);
    world.set(asleep, cube(2.0), [0.0; 3]).expect("it is a box");
    world.set(moves, cube(3.5), [0.0; 3]).expect("it is a box");
    assert_eq!(world.compared_box(asleep), held);
    assert_eq!((at(&mut world, 0.0), at(&mut world, 2.0)), (vec![], vec![asleep]));
    world.restore(&snapshot);
    assert_eq!((at(&mut world, 0.0), at(&mut world, 2.0)), (vec![asleep], vec![moves]));
    // A new origin takes effect at once.
    world.shift_origin([2.0, 0.0, 0.0]).expect("it is near");
    assert_eq!((at(&mut world, -2.0), at(&mut world, 0.0)), (vec![asleep], vec![moves]));
    // A reused slot is reported with its new id, and a proxy that was just inserted is found.
    world.remove(moves).expect("the proxy exists");
    let new = world.insert(cube(0.0), Proxy::kinematic()).expect("it is a box");
    assert!(new.index() == moves.index() && new != moves);
    assert_eq!(at(&mut world, 0.0), [new]);
    world.clear();
    assert_eq!(at(&mut world, 0.0), []);
    world.validate().expect("the broadphase is consistent");
}

/// Goal: a query of proxies that all have margins visits few leaves of their trees. Method: a row of many boxes; the nearest
/// one, and the first one on a segment.
#[test]
fn resting_proxies_with_margins_are_found_in_few_leaves() {
    const COUNT: usize = 4096;
    let mut world = Broadphase::new();
    let cube = |k: usize| Aabb::cube([k as f32, 0.0, 0.0], 0.25).expect("it is a box");
    let insert =
        |k| world.insert(cube(k), Proxy::sleeping().with_margin(0.5)).expect("it is a box");
    let ids: Vec<ProxyId> = (0..COUNT).map(insert).collect();
    let queries = world.queries();
    let (mut nearest, mut cast) = (Visits::default(), Visits::default());
    let point = Aabb::cube([1000.125, 2.0, 0.0], 0.0).expect("it is a point");
    let hit = queries.proximity(&point, f32::INFINITY).expect("it is a box").counting(&mut nearest);
    assert_eq!(hit.nearest().map(|hit| hit.id), Some(ids[1000]));
    let segment = Segment::new([2000.5, 0.0, 0.0], [16.0, 0.0, 0.0]).expect("it is one");
    let hit = queries.cast(&segment).expect("it is one").counting(&mut cast).closest();
    assert_eq!(hit.map(|hit| hit.id), Some(ids[2001]));
    let few = COUNT as u64 / 16 / 16;
    assert!(nearest.leaves < few && cast.leaves < few, "{nearest:?} {cast:?}");
}

/// Goal: prepared queries are available until a proxy changes, whichever trees the change concerns. Method: one proxy of each kind is
/// moved.
#[test]
fn prepared_queries_end_with_a_change() {
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 1.0).expect("valid");
    let mut world = Broadphase::new();
    let kinds = [Proxy::dynamic(), Proxy::kinematic(), Proxy::sleeping(), Proxy::fixed()];
    let ids = kinds.map(|kind| world.insert(cube(0.0), kind).expect("valid"));
    for (k, id) in ids.into_iter().enumerate() {
        world.update().expect("no limit");
        world.prepare_queries();
        assert!(world.prepared_queries().is_some(), "{k}");
        world.set(id, cube(9.0), [0.0; 3]).expect("valid");
        assert!(world.prepared_queries().is_none(), "{k}");
        world.prepare_queries();
        let queries = world.prepared_queries().expect("nothing has changed");
        let mut moved = Vec::new();
        queries.overlap_point([9.0, 0.0, 0.0]).expect("valid").all(&mut moved);
        assert_eq!(moved.len(), k + 1);
    }
    world.shrink_to_fit();
    assert!(world.prepared_queries().is_none());
}

/// Goal: queries are prepared again by the update after a change of fixed and sleeping proxies alone, whichever call changed them. Method: one
/// proxy of each kind is set by a batch, and a world without movers is translated.
#[test]
fn update_prepares_queries_after_resting_proxies_have_changed() {
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 1.0).expect("valid");
    for kind in [Proxy::fixed(), Proxy::sleeping(), Proxy::dynamic(), Proxy::kinematic()] {
        let is_resting = [ProxyKind::Fixed, ProxyKind::Sleeping].contains(&kind.kind);
        let mut world = Broadphase::new();
        let id = world.insert(cube(0.0), kind).expect("valid");
        let other = world.insert(cube(20.0), Proxy::dynamic()).expect("valid");
        world.update().expect("no limit");
        world.prepare_queries();
        let boxes = [MovingBox::new(cube(9.0), [0.0; 3]).expect("valid")];
        assert!(world.set_many(&[id], &boxes).expect("it exists").is_empty());
        assert!(world.prepared_queries().is_none(), "{kind:?}");
        world.update().expect("no limit");
        let find = |queries: ProxyQueries<'_>, x: f32| {
            queries.overlap_point([x, 0.0, 0.0]).expect("valid").any()
        };
        let found = world.prepared_queries().map(|queries| find(queries, 9.0));
        assert_eq!(found, is_resting.then_some(Some(id)), "{kind:?}");
        world.remove(other).expect("it exists");
        world.update().expect("no limit");
        world.prepare_queries();
        world.shift_origin([4.0, 0.0, 0.0]).expect("near");
        assert!(world.prepared_queries().is_none(), "{kind:?}");
        world.update().expect("no limit");
        let found = world.prepared_queries().map(|queries| find(queries, 5.0));
        assert_eq!(found, is_resting.then_some(Some(id)), "{kind:?}");
    }
}

/// Goal: an update after which movers are at rest changes no query, and neither does a call that sets no box. Method: updates until the
/// movers are settled.
#[test]
fn prepared_queries_remain_when_movers_settle() {
    let mut world = Broadphase::new();
    let cube = |k: i16| Aabb::cube([f32::from(k), 0.0, 0.0], 0.75).expect("valid");
    let ids: Vec<_> =
        (0..10).map(|k| world.insert(cube(k), Proxy::dynamic()).expect("valid")).collect();
    world.update().expect("no limit");
    world.prepare_queries();
    for tick in 0..4 {
        assert!(world.prepared_queries().is_some(), "{tick}");
        world.update().expect("no limit");
        assert!(world.set_many(&[], &[] as &[MovingBox]).expect("no row").is_empty());
    }
    // A settled mover that no longer moves by itself is in another tree.
    world.set_kind(ids[3], ProxyKind::Fixed).expect("it exists");
    assert!(world.prepared_queries().is_none());
    world.prepare_queries();
    world.update().expect("no limit");
    let mut found = Vec::new();
    let queries = world.prepared_queries().expect("nothing has changed");
    queries.overlap_point([3.0, 0.0, 0.0]).expect("valid").all(&mut found);
    assert_eq!(found, [ids[3]]);
}

/// Goal: planes find the true box of a proxy with a margin also where rounding decides. Method: a box and a plane outside of it by less
/// than the rounding errors, so that the test reports the box as crossing the plane, and its fat AABB as outside.
#[test]
fn planes_find_true_boxes_within_rounding_errors() {
    let interval = |min: f32, max: f32| Aabb { min: [min, 0.0, 0.0], max: [max, 0.0, 0.0] };
    let aabb = interval(3.797_999_9, 4.783);
    let planes = [Plane { normal: [1.0, 0.0, 0.0], offset: 3.797_997_2 }];
    for level in Level::all() {
        for margin in [0.0, 0.25] {
            let mut world = Broadphase::with_exec(level);
            let proxy = Proxy::fixed().with_margin(margin);
            let id = world.insert(interval(4.048, 4.548), proxy).expect("valid");
            world.set(id, aabb, [0.0; 3]).expect("valid");
            let fat = world.compared_box(id).expect("it exists").aabb;
            assert_eq!((fat.min[0], fat != aabb), (aabb.min[0], margin > 0.0));
            let query = world.queries().overlap_planes(&planes).expect("valid");
            assert_eq!(query.any(), Some(id), "{level} {margin}");
        }
    }
}

/// Goal: queries find exactly the proxies that a filter allows, whether the filter of the query, filters of proxies, both or none have categories
/// that their words do not tell apart. Method: cubes in one place, each with another filter; `Filter::allows`.
#[test]
fn filters_of_all_categories_are_exact() {
    let (low, high) = ([1, 1 << 3, 1 << 15, 0xffff], [1 << 16, 1 << 19, 1 << 31, 1 | 1 << 16]);
    let all: Vec<u32> = low.into_iter().chain(high).chain([0, u32::MAX]).collect();
    let filters = |words: &[u32]| -> Vec<Filter> {
        words.iter().flat_map(|&a| words.iter().map(move |&b| Filter::new(a, b))).collect()
    };
    let cube = Aabb::cube([0.0; 3], 0.5).expect("a cube");
    for of_proxies in [filters(&low), filters(&all)] {
        let mut world = Broadphase::new();
        let of: Vec<(ProxyId, Filter)> = of_proxies
            .iter()
            .map(|&filter| {
                let id = world.insert(cube, Proxy::fixed().filtered(filter)).expect("a cube");
                (id, filter)
            })
            .collect();
        let queries = world.queries();
        for filter in filters(&all) {
            let mut found = Vec::new();
            queries.filtered(filter).overlap(&cube).expect("a cube").all(&mut found);
            found.sort_unstable();
            let mut wanted: Vec<_> =
                of.iter().filter(|(_, other)| filter.allows(*other)).map(|(id, _)| *id).collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{filter:?}");
        }
    }
}
