//! Tests that shape queries and nearest queries of stored boxes give the result of brute force, bit by bit,
//! for any boxes, trees, filters and level.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
#[cfg(feature = "rayon")]
use std::sync::Arc;

use rand::RngExt;
use swath::batch::overlap::{planes, sphere};
use swath::batch::{Hit, PlaneSide, Row, overlap, proximity};
use swath::broadphase::{FixedInput, Overlap, Query, QueryShape, Visits};
use swath::{
    Aabb, AabbColumns, Bvh, Filter, FixedBoxes, Invalid, Level, Plane, Queries, Sphere, Threads,
};
use testkit::draw::{Draw, how_many};
use testkit::least_time::least_time;
use testkit::places::{boxes, cuts, frustum, moving, near};

/// The stored boxes: by row, with filters, and the boxes of which trees were built.
type Kept = BTreeMap<u32, (Aabb, Filter)>;

/// Calls `ask` with boxes as columns.
fn with<R>(boxes: &[Aabb], filters: Option<&[Filter]>, ask: impl FnOnce(FixedInput<'_>) -> R) -> R {
    let columns: [Vec<f32>; 6] =
        std::array::from_fn(|k| boxes.iter().map(|of| of.to_row()[k]).collect());
    let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    let set = FixedInput::new(columns);
    ask(filters.map_or(set, |filters| set.filtered(filters)))
}

fn valid(aabb: &Aabb) -> bool {
    aabb.validate().is_ok()
}

/// Boxes of every hostile kind, some equal, some invalid.
fn hostile(seed: u64, count: usize) -> Vec<Aabb> {
    let mut draw = Draw::new(seed);
    let mut of: Vec<_> = moving(seed, count / 3).into_iter().map(|row| row.aabb).collect();
    of.extend(near(seed, count / 3).map(|near| near.aabb));
    of.extend(boxes(seed, count - of.len()).map(|pair| pair.0));
    for k in 0..count {
        match draw.0.random_range(0..12) {
            0 => of[k] = of[draw.0.random_range(0..count)],
            1 => of[k].max = of[k].min,
            2 => of[k].min[draw.0.random_range(0..3)] = f32::NAN,
            3 => of[k].max[draw.0.random_range(0..3)] = f32::INFINITY,
            4 => of.swap(k, draw.0.random_range(0..count)),
            _ => {}
        }
    }
    of
}

/// Boxes on integers close together: many equal, many that touch.
fn crowded(seed: u64, count: usize) -> Vec<Aabb> {
    let mut draw = Draw::new(seed);
    let side = 2 + (count as f32).cbrt() as i32;
    let make = |_| {
        let min: [f32; 3] = std::array::from_fn(|_| draw.whole(0, side));
        let max = min.map(|low| low + draw.one_of(&[0.0, 0.0, 1.0, 1.0, 2.0]));
        Aabb { min, max }
    };
    (0..count).map(make).collect()
}

fn filters(seed: u64, count: usize) -> Vec<Filter> {
    let mut draw = Draw::new(seed);
    let word = |draw: &mut Draw| draw.one_of(&[0, 1, 2, 3, 0x8000, 0xffff]);
    (0..count).map(|_| Filter::new(word(&mut draw), word(&mut draw))).collect()
}

/// Shapes to query.
#[derive(Debug)]
struct Asked {
    aabb: Aabb,
    sphere: Sphere,
    planes: Vec<Plane>,
    max_distance: f32,
}

fn asked(seed: u64, count: usize) -> Vec<Asked> {
    let mut draw = Draw::new(seed);
    let regions = cuts(seed, 4, count).map(|cut| cut.planes);
    let spheres = near(seed, count).map(|near| near.sphere);
    let all = boxes(seed, count).zip(spheres).zip(regions).enumerate();
    all.map(|(k, (((a, b), mut sphere), mut planes))| {
        let mut aabb = if draw.one_in(3) { a.union(&b) } else { a };
        match k % 6 {
            // Among the integers.
            0 | 1 => {
                let min: [f32; 3] = std::array::from_fn(|_| draw.whole(-2, 12));
                aabb = Aabb { min, max: min.map(|low| low + draw.whole(0, 3)) };
                sphere = Sphere { center: min, radius: draw.whole(0, 12) / 2.0 };
                planes = frustum([-3.0, 1.0, 2.0], [0.1, 0.2], [0.5, 20.0]).to_vec();
            }
            2 => aabb.max = aabb.min,
            3 => planes.truncate(k / 6 % 2),
            _ => {}
        }
        let far = [0.0, -0.0, 0.5, 1.0, 3.0, 1e-40, 1e6, 1e30, f32::INFINITY, f32::INFINITY];
        Asked { aabb, sphere, planes, max_distance: draw.one_of(&far) }
    })
    .collect()
}

/// The rows for which `is_met` is true and that the filter and `accept` admit.
fn rows_of(
    kept: &Kept,
    filter: Option<Filter>,
    accept: fn(u32) -> bool,
    is_met: impl Fn(&Aabb) -> bool,
) -> Vec<u32> {
    let wanted = |(&row, (aabb, of)): (&u32, &(Aabb, Filter))| {
        let allowed = filter.is_none_or(|filter| filter.allows(*of)) && accept(row);
        (allowed && is_met(aabb)).then_some(row)
    };
    kept.iter().filter_map(wanted).collect()
}

/// One shape: all rows in order, any row, a complete visit and one that is stopped.
fn meets<'a, S: QueryShape>(
    meant: &[u32],
    accept: fn(u32) -> bool,
    ask: impl Fn() -> Query<'a, Overlap<S>>,
    what: &str,
) {
    let mut rows = vec![77];
    ask().accepting(accept).all(&mut rows);
    assert_eq!(rows, meant, "{what}");
    let any = ask().accepting(accept).any();
    assert_eq!(any.is_some(), !meant.is_empty(), "{what}");
    assert!(any.is_none_or(|row| meant.contains(&row)), "{what}");
    let mut seen = Vec::new();
    ask().accepting(accept).visit(|row| {
        seen.push(row);
        ControlFlow::Continue(())
    });
    let (first, all) = (seen.clone(), seen.len());
    seen.sort_unstable();
    assert_eq!(seen, meant, "{what}");
    let enough = all / 2;
    seen.clear();
    ask().accepting(accept).visit(|row| {
        seen.push(row);
        if seen.len() > enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, first[..all.min(enough + 1)], "{what}");
}

/// Every query of one shape, compared with one box after the other.
fn check(kept: &Kept, of: &Asked, filter: Option<Filter>, queries: &[(Level, Queries<'_>)]) {
    let Asked { aabb, sphere, planes, max_distance } = of;
    let accept: fn(u32) -> bool = if filter.is_none() { |_| true } else { |row| row % 5 != 2 };
    let of_box = rows_of(kept, filter, accept, |b| overlap::one_to_one(aabb, b).unwrap());
    let of_point = rows_of(kept, filter, accept, |b| b.contains_point(aabb.min));
    let of_sphere = rows_of(kept, filter, accept, |b| sphere::one_to_one(sphere, b).unwrap());
    let of_planes = rows_of(kept, filter, accept, |b| {
        planes::one_to_one(planes, b).unwrap() != PlaneSide::Outside
    });
    let distance = |row: &u32| proximity::one_to_one(aabb, &kept[row].0).unwrap();
    let hits = rows_of(kept, filter, accept, |_| true);
    let hits = hits.iter().map(|row| Hit { row: *row, value: distance(row) });
    let mut hits: Vec<Hit> = hits.filter(|hit| hit.value <= *max_distance).collect();
    hits.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.row.cmp(&b.row)));
    for (level, queries) in queries {
        let queries = filter.map_or(*queries, |filter| queries.filtered(filter));
        let what = |name: &str| format!("{name} on {level}, {filter:?}: {of:?}");
        meets(&of_box, accept, || queries.overlap(aabb).unwrap(), &what("a box"));
        let point = || queries.overlap_point(aabb.min).unwrap();
        meets(&of_point, accept, point, &what("a point"));
        meets(&of_sphere, accept, || queries.overlap_sphere(sphere).unwrap(), &what("a sphere"));
        meets(&of_planes, accept, || queries.overlap_planes(planes).unwrap(), &what("planes"));
        let near = || queries.proximity(aabb, *max_distance).unwrap().accepting(accept);
        assert_eq!(near().nearest(), hits.first().copied(), "{}", what("nearest"));
        for room in [0, 1, 2, 7, 40, kept.len() + 1] {
            let mut buffer = vec![Hit { row: 77, value: -7.0 }; room];
            let found = near().k_nearest(&mut buffer);
            assert_eq!(found, &hits[..room.min(hits.len())], "{} {room}", what("k nearest"));
        }
    }
}

/// Memory of the queries.
const FILTERS: [Option<Filter>; 4] =
    [None, Some(Filter::ALL), Some(Filter::new(1, 2)), Some(Filter::new(3, 0xffff))];

/// Goal: a tree gives the result of testing one box after the other. Method: hostile boxes and integers,
/// every number of boxes near the width of a node and its square, with filters and without, on every level.
#[test]
fn tree_gives_the_result_of_one_box_after_the_other() {
    for (round, count) in [0, 1, 2, 15, 16, 17, 40, 255, 256, 257, 900].into_iter().enumerate() {
        for of in [hostile(round as u64, count), crowded(round as u64, count)] {
            let of_boxes = filters(round as u64, count);
            let given = (round % 3 != 0).then_some(&of_boxes[..]);
            let filter = |row: usize| given.map_or(Filter::ALL, |filters| filters[row]);
            let rows = of.iter().enumerate().filter(|(_, aabb)| valid(aabb));
            let kept: Kept = rows.map(|(row, aabb)| (row as u32, (*aabb, filter(row)))).collect();
            let trees: Vec<_> = Level::all()
                .map(|level| {
                    let mut tree = Bvh::with_exec(level);
                    let rejected = with(&of, given, |set| tree.build(set).unwrap().len());
                    assert_eq!(kept.len() + rejected, count);
                    (level, tree)
                })
                .collect();
            let queries: Vec<_> =
                trees.iter().map(|(level, tree)| (*level, tree.queries())).collect();
            let many = how_many(if count < 100 { 20 } else { 36 }).min(3000);
            for (k, asked) in asked(100 + round as u64, many).iter().enumerate() {
                check(&kept, asked, FILTERS[k / 2 % 4], &queries);
            }
        }
    }
}

/// Goal: insertions, replacements and removals affect only which boxes are stored. Method: two trees of fixed
/// boxes, removed rows in both, random rows, filters that are set late.
#[test]
fn fixed_boxes_give_the_result_of_one_box_after_the_other() {
    let mut draw = Draw::new(9);
    let mut kept = Kept::new();
    let mut sets: Vec<_> =
        Level::all().map(|level| (level, FixedBoxes::with_exec(level))).collect();
    let questions = asked(7, 60);
    for (round, count) in [2300, 200, 90, 300].into_iter().enumerate() {
        let mut of = hostile(50 + round as u64, count / 2);
        of.extend(crowded(60 + round as u64, count - count / 2));
        let rows: Vec<u32> = (0..count).map(|_| draw.0.random_range(0..4000)).collect();
        let of_boxes = filters(round as u64, count);
        let given = (round > 1).then_some(&of_boxes[..]);
        for (_, fixed) in &mut sets {
            with(&of, given, |set| fixed.put(&rows, set).map(|_| ())).unwrap();
        }
        for (k, row) in rows.iter().enumerate().filter(|(k, _)| valid(&of[*k])) {
            kept.insert(*row, (of[k], given.map_or(Filter::ALL, |given| given[k])));
        }
        let gone: Vec<u32> = kept.keys().copied().filter(|_| draw.one_in(4)).collect();
        gone.iter().for_each(|row| assert!(kept.remove(row).is_some()));
        for (_, fixed) in &mut sets {
            fixed.remove(&gone).unwrap();
            assert_eq!(fixed.len(), kept.len());
        }
        let queries: Vec<_> = sets.iter().map(|(level, set)| (*level, set.queries())).collect();
        for (k, asked) in questions.iter().skip(round * 15).take(15).enumerate() {
            check(&kept, asked, FILTERS[k / 2 % 4], &queries);
        }
    }
}

/// Goal: a visit reports how many nodes and boxes it tested, the same on every level, and few if few overlap.
/// Method: a small box among many, all of them and twenty; the nearest of many.
#[test]
fn visits_are_few_and_the_same_on_every_level() {
    let of = crowded(3, 5000);
    let mut told = Vec::new();
    for level in Level::all() {
        let mut tree = Bvh::with_exec(level);
        with(&of, None, |set| tree.build(set).map(|_| ())).unwrap();
        let queries = tree.queries();
        let [mut few, mut all, mut nearest] = [Visits::default(); 3];
        let corner = Aabb { min: [0.0; 3], max: [0.5; 3] };
        let met = of.iter().filter(|aabb| aabb.overlaps(&corner)).count() as u64;
        queries.overlap(&corner).unwrap().counting(&mut few).visit(|_| ControlFlow::Continue(()));
        assert_eq!(few.boxes, met);
        assert!(few.leaves > 0 && few.leaves < 40 && few.nodes < 20, "{few:?}");
        let every = Aabb { min: [-1.0; 3], max: [100.0; 3] };
        queries.overlap(&every).unwrap().counting(&mut all).visit(|_| ControlFlow::Continue(()));
        assert!(all.boxes == 5000 && all.leaves >= 5000 / 16, "{all:?}");
        // A query that is stopped has tested the boxes that it visited, and no more.
        let (mut some, mut asked, mut seen) = (Visits::default(), 0, 0);
        let odd = |row: u32| {
            asked += 1;
            row % 7 == 3
        };
        queries.overlap(&every).unwrap().counting(&mut some).accepting(odd).visit(|_| {
            seen += 1;
            if seen < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!((some.boxes, seen), (asked, 20));
        // Nor does it test the nodes that are left.
        assert!(some.leaves < all.leaves / 4 && some.nodes < 20, "{some:?}");
        let apart = Aabb { min: [3.25; 3], max: [3.5; 3] };
        let found = queries.proximity(&apart, f32::INFINITY).unwrap().counting(&mut nearest);
        assert!(found.nearest().is_some());
        assert!(nearest.boxes > 0 && nearest.leaves < 20 && nearest.nodes < 20, "{nearest:?}");
        told.push([few, all, some, nearest]);
    }
    assert!(told.iter().all(|of| *of == told[0]), "{told:?}");
}

/// Goal: nodes outside a plane are not visited. Method: a plane that cuts off a face, an edge or a corner of a
/// cube of boxes on integers, in each direction. Few nodes and leaves are visited, and as many boxes are found
/// as in integer arithmetic.
#[test]
fn nodes_outside_a_plane_are_not_visited() {
    const SIDE: i32 = 21;
    let of = crowded(3, 5000);
    assert!(of.iter().all(|aabb| aabb.min.iter().all(|&x| x >= 0.0)));
    assert!(of.iter().all(|aabb| aabb.max.iter().all(|&x| x <= SIDE as f32)));
    let mut tree = Bvh::new();
    with(&of, None, |set| tree.build(set).map(|_| ())).unwrap();
    for direction in (0..27).map(|code| [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1]) {
        let axes = direction.iter().filter(|&&n| n != 0).count();
        // Distance of the plane from the extreme point of the cube, times the length of the normal.
        let Some(&cut) = [1, 6, 12].get(axes.wrapping_sub(1)) else { continue };
        let least: i32 = direction.iter().map(|&n| n.min(0) * SIDE).sum();
        let offset = least + cut;
        let extreme = |aabb: &Aabb| -> i32 {
            let corner = |axis: usize| if direction[axis] < 0 { aabb.max } else { aabb.min };
            (0..3).map(|axis| direction[axis] * corner(axis)[axis] as i32).sum()
        };
        let expected = of.iter().filter(|aabb| extreme(aabb) <= offset).count();
        let plane = Plane { normal: direction.map(|n| n as f32), offset: offset as f32 };
        let mut visits = Visits::default();
        let mut found = 0;
        tree.queries().overlap_planes(&[plane]).unwrap().counting(&mut visits).visit(|_| {
            found += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(found, expected, "{plane:?}");
        assert!(expected > 50 && expected < 1000, "{expected}: {plane:?}");
        // A leaf has 16 boxes, so there are more than 300.
        assert!(visits.leaves < 100 && visits.nodes < 40, "{visits:?} for {expected}: {plane:?}");
    }
}

/// Goal: invalid input is rejected with the reason, and an empty tree has no results.
#[test]
fn invalid_shapes_are_rejected() {
    let tree = Bvh::new();
    let queries = tree.queries();
    let good = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let bad = Aabb { min: [0.0, 2.0, 0.0], max: [1.0; 3] };
    assert_eq!(queries.overlap(&bad).err(), Some(bad.validate().unwrap_err()));
    assert!(queries.overlap_point([0.0, f32::NAN, 0.0]).is_err());
    let negative = Sphere { center: [0.0; 3], radius: -1.0 };
    assert!(queries.overlap_sphere(&negative).is_err());
    let steep = [Plane { normal: [17.0, 0.0, 0.0], offset: 0.0 }];
    assert!(queries.overlap_planes(&steep).is_err());
    for max in [-1.0, f32::NAN, f32::NEG_INFINITY] {
        assert!(queries.proximity(&good, max).is_err());
    }
    assert!(queries.proximity(&bad, 1.0).is_err());
    assert_eq!(queries.overlap_planes(&[]).unwrap().any(), None);
    assert_eq!(queries.proximity(&good, f32::INFINITY).unwrap().nearest(), None);
}

/// Boxes that nearly contain one another, around a difficult one: the bounds of the nodes above them are
/// difficult too.
fn about(draw: &mut Draw, hard: &Aabb) -> Vec<Aabb> {
    let make = |k: usize| {
        let mut aabb = *hard;
        for axis in 0..3 {
            match draw.0.random_range(0..6) {
                0 => aabb.min[axis] = aabb.min[axis].next_down(),
                1 => aabb.max[axis] = aabb.max[axis].next_up(),
                2 => aabb.min[axis] = aabb.max[axis],
                3 => aabb.max[axis] = aabb.min[axis],
                4 if k.is_multiple_of(3) => aabb.max[axis] = (aabb.max[axis] + 1.0) * 1.5,
                _ => {}
            }
        }
        aabb
    };
    (0..40).map(make).filter(valid).collect()
}

/// Goal: rounding in the inner nodes loses nothing. Method: for each of many difficult cases a tree of its
/// own, of boxes that differ by one step from a box that planes, a sphere or a point nearly touch.
#[test]
fn rounding_in_inner_nodes_loses_nothing() {
    let mut draw = Draw::new(12);
    let count = how_many(4000);
    let level = Level::detect();
    let mut tree = Bvh::with_exec(level);
    for (cut, case) in cuts(31, 3, count).zip(near(32, count)) {
        let of = about(&mut draw, &cut.aabb);
        with(&of, None, |set| tree.build(set).map(|_| ())).unwrap();
        let kept: Kept = (0..).zip(&of).map(|(row, aabb)| (row, (*aabb, Filter::ALL))).collect();
        let meant = rows_of(
            &kept,
            None,
            |_| true,
            |aabb| planes::one_to_one(&cut.planes, aabb).unwrap() != PlaneSide::Outside,
        );
        let mut rows = Vec::new();
        tree.queries().overlap_planes(&cut.planes).unwrap().all(&mut rows);
        assert_eq!(rows, meant, "{cut:?}");

        let of = about(&mut draw, &case.aabb);
        with(&of, None, |set| tree.build(set).map(|_| ())).unwrap();
        let kept: Kept = (0..).zip(&of).map(|(row, aabb)| (row, (*aabb, Filter::ALL))).collect();
        let point = Aabb::point(case.sphere.center).unwrap();
        for max_distance in [f32::INFINITY, case.sphere.radius] {
            let sphere = case.sphere;
            let asked = Asked { aabb: point, sphere, planes: Vec::new(), max_distance };
            check(&kept, &asked, None, &[(level, tree.queries())]);
        }
    }
}

/// Goal: a batch gives the result of each query alone. Method: every number of queries near that of a chunk,
/// invalid query boxes, too little capacity; on one thread and on several.
#[test]
fn batch_gives_the_results_of_single_queries() {
    let mut of = crowded(5, 700);
    of.extend(hostile(6, 300));
    for (count, k) in
        [(0, 2), (1, 3), (63, 1), (64, 2), (65, 0), (200, 5), (1000, 3), (9, 40), (3, 1100)]
    {
        let asked: Vec<Aabb> = hostile(8, count)
            .into_iter()
            .zip(crowded(9, count))
            .enumerate()
            .map(|(k, (hostile, crowded))| if k % 3 == 0 { hostile } else { crowded })
            .collect();
        for threads in pools() {
            let mut tree = Bvh::new();
            tree.exec.threads = threads;
            with(&of, None, |set| tree.build(set).map(|_| ())).unwrap();
            let queries = tree.queries().filtered(Filter::new(1, 1));
            let columns: [Vec<f32>; 6] =
                std::array::from_fn(|k| asked.iter().map(|of| of.to_row()[k]).collect());
            let columns = columns.each_ref().map(Vec::as_slice);
            let mut rejected = Vec::new();
            let many = AabbColumns::from_columns(columns).unwrap();
            let many = many.check(Level::detect(), &mut rejected);

            for max in [2.0, f32::INFINITY] {
                let mut hits = vec![Hit { row: 77, value: -7.0 }; count * k];
                queries.proximities(&many, max).unwrap().k_nearest(k, &mut hits).unwrap();
                if k == 1 {
                    hits.fill(Hit { row: 77, value: -7.0 });
                    queries.proximities(&many, max).unwrap().nearest(&mut hits).unwrap();
                }
                for (row, one) in asked.iter().enumerate() {
                    let mut meant = vec![Hit::MISS; k];
                    if valid(one) {
                        queries.proximity(one, max).unwrap().k_nearest(&mut meant);
                    }
                    assert_eq!(hits[row * k..][..k], meant, "{row} of {count}");
                }
            }
            let mut starts = vec![77; count + 1];
            let mut rows = vec![77; 1 + count % 3 * 500];
            queries.overlaps(&many).all(&mut starts, &mut rows).unwrap();
            assert_eq!((starts[0], starts[count]), (0, rows.len()));
            for (row, one) in asked.iter().enumerate() {
                let mut meant = Vec::new();
                if valid(one) {
                    queries.overlap(one).unwrap().all(&mut meant);
                }
                assert_eq!(rows[starts[row]..starts[row + 1]], meant, "{row} of {count}");
            }
            let mut hits = vec![Hit { row: 77, value: -7.0 }; 2 * count + 1];
            let near = queries.proximities(&many, 1.0).unwrap();
            assert!(near.k_nearest(2, &mut hits).is_err() && hits.iter().all(|hit| hit.row == 77));
            let mut starts = vec![77; count + 2];
            let error = queries.overlaps(&many).all(&mut starts, &mut Vec::new()).unwrap_err();
            let name = "the list `starts`, with one element more than there are rows";
            assert_eq!((error.what, error.expected, error.found), (name, count + 1, count + 2));
            assert!(starts.iter().all(|&start| start == 77));
            for max in [-1.0, f32::NAN] {
                assert_eq!(queries.proximities(&many, max).err(), Some(Invalid::MaxDistance));
            }
        }
    }
}

/// Goal: the time to find many nearest boxes is not proportional to the product of the boxes and the places. Method: as many places as
/// boxes; the least of twelve times for 16 times as many boxes, which would be 256 times as long.
#[test]
fn many_nearest_boxes_take_no_quadratic_time() {
    let time = |count: usize| {
        let mut draw = Draw::new(1);
        let points: Vec<Aabb> = (0..count)
            .map(|_| Aabb::point([(); 3].map(|()| draw.between(0.0, 1.0))).unwrap())
            .collect();
        let mut tree = Bvh::new();
        with(&points, None, |set| tree.build(set).map(|_| ())).unwrap();
        let queries = tree.queries();
        let mut hits = vec![Hit::MISS; count];
        least_time(|| {
            let near = queries.proximity(&points[0], f32::INFINITY).unwrap();
            let found = near.k_nearest(&mut hits);
            assert!(found.len() == count && found.is_sorted_by(|a, b| a.value <= b.value));
            assert_eq!(found[0].row, 0);
        })
    };
    let (few, many) = (time(10_000), time(160_000));
    assert!(many < few * 80, "{many:?}, where a sixteenth takes {few:?}");
}

/// Goal: numbers of hits whose product with the number of rows does not fit in a word are errors. Method: the greatest number, and one
/// whose product with two is 0 in such a word; without rows, every number is right.
#[test]
fn huge_numbers_of_hits_are_errors() {
    let (mut tree, mut rejected) = (Bvh::new(), Vec::new());
    with(&[Aabb::default(); 2], None, |set| tree.build(set).map(|_| ())).unwrap();
    let zeros = [0.0; 2];
    let many = AabbColumns::from_columns([&zeros[..]; 6]).unwrap();
    let many = many.check(Level::detect(), &mut rejected);
    let near = tree.queries().proximities(&many, 1.0).unwrap();
    for k in [usize::MAX, 1 << (usize::BITS - 1)] {
        assert_eq!(near.k_nearest(k, &mut []).unwrap_err().expected, usize::MAX);
        let none = AabbColumns::from_columns([&[][..]; 6]).unwrap();
        let mut rejected = Vec::new();
        let none = none.check(Level::detect(), &mut rejected);
        tree.queries().proximities(&none, 1.0).unwrap().k_nearest(k, &mut []).unwrap();
    }
}

/// One thread, and several.
#[cfg(feature = "rayon")]
fn pools() -> Vec<Threads> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    vec![Threads::one(), Threads::of_pool(Arc::new(pool(2))), Threads::of_pool(Arc::new(pool(5)))]
}

#[cfg(not(feature = "rayon"))]
fn pools() -> Vec<Threads> {
    vec![Threads::one()]
}
