//! Tests that `FixedBoxes` find every pair of a mover and a fixed box once, and nothing else, after any
//! insertions and removals, on every level and any threads.

use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use swath::broadphase::{FindError, FixedError, FixedInput, PairInput};
use swath::{
    Aabb, AabbColumns, COORD_MAX, Filter, FixedBoxes, Level, MovingBox, MovingBoxColumns, Pair,
    SweptPair, Threads,
};
use testkit::filters::some_filter;
use testkit::fixed_model::{Model, Rng, bits, columns, random_box, with};

/// The boxes of a scene: one of every few is a mover, the others are fixed at their start.
fn part(scene: Scene, boxes: usize, mover_one_of: usize) -> (Vec<MovingBox>, Vec<Aabb>) {
    let mut world = World::new(scene, boxes, 3);
    world.step();
    let (mut movers, mut fixed) = (Vec::new(), Vec::new());
    for row in 0..world.len() {
        let vector = |of: &[Vec<f32>; 3]| of.each_ref().map(|column| column[row]);
        let aabb = Aabb { min: vector(&world.min), max: vector(&world.max) };
        if row % mover_one_of == 1 {
            movers.push(MovingBox { aabb, delta: vector(&world.delta) });
        } else {
            fixed.push(aabb);
        }
    }
    (movers, fixed)
}

/// Goal: every scene is found exactly. Method: numbers of boxes for one node, for one cell, and for many
/// cells.
#[test]
fn scenes_are_found_exactly() {
    for scene in Scene::ALL {
        for (boxes, movers) in [(0, 2), (1, 2), (17, 2), (40, 2), (700, 9), (9_000, 120)] {
            let (movers, fixed) = part(scene, boxes, movers);
            Model::of(&fixed).check(&format!("{scene} of {boxes}"), &movers);
        }
    }
    let (movers, fixed) = part(Scene::Identical, 5000, 700);
    Model::of(&fixed).check("identical", &movers);
}

/// Goal: no distribution of boxes loses a pair. Method: distributions that are difficult for cells and
/// medians, one at a time, with boxes enough for many cells.
#[test]
fn awkward_distributions() {
    let mut rng = Rng::seed_from_u64(7);
    let mut try_world = |what: &str, boxes: &mut dyn FnMut(&mut Rng) -> MovingBox| {
        let fixed: Vec<Aabb> = (0..4500).map(|_| boxes(&mut rng).aabb).collect();
        let movers: Vec<MovingBox> = (0..40).map(|_| boxes(&mut rng)).collect();
        Model::of(&fixed).check(what, &movers);
    };
    try_world("whole numbers that touch", &mut |rng| {
        let corner: [f32; 3] = core::array::from_fn(|_| rng.random_range(-6..6) as f32);
        let delta = core::array::from_fn(|_| rng.random_range(-3..=3) as f32);
        MovingBox { aabb: Aabb { min: corner, max: corner.map(|x| x + 1.0) }, delta }
    });
    try_world("random and special", &mut |rng| random_box(rng, 30.0, 1.0, 9.0));
    try_world("all one point", &mut |_| MovingBox::default());
    try_world("flat and long", &mut |rng| {
        let mut moving = random_box(rng, 20.0, 8.0, 20.0);
        let axis = rng.random_range(0..3);
        moving.aabb.max[axis] = moving.aabb.min[axis];
        moving
    });
    try_world("planets among dust", &mut |rng| {
        let half = if rng.random_range(0..300) == 0 { 80.0 } else { 0.5 };
        random_box(rng, 100.0, half, 40.0)
    });
    try_world("some a million units off", &mut |rng| {
        let reach = if rng.random_range(0..100) == 0 { 1e6 } else { 8.0 };
        random_box(rng, reach, 0.5, 5.0)
    });
    try_world("sizes of many decades", &mut |rng| {
        let half = 10.0f32.powi(rng.random_range(-4..3));
        random_box(rng, 100.0, half, 30.0)
    });
    try_world("at the ends of the range", &mut |rng| {
        random_box(rng, COORD_MAX / 2.0, COORD_MAX / 2.0, COORD_MAX)
    });
    try_world("denormal", &mut |rng| random_box(rng, 1e-38, 1e-39, 1e-38));
    try_world("two denormal heaps", &mut |rng| {
        let mut moving = random_box(rng, 1e-42, 1e-43, 1e-42);
        moving.aabb.max[0] += rng.random_range(0..2) as f32;
        moving
    });
}

/// Goal: earlier insertions and removals affect only which boxes are stored. Method: a plain list as the
/// model; changes of any size, of new and existing rows, of rows that occur twice, of invalid boxes, and
/// often enough that every tree is filled, merged and thinned out.
#[test]
fn changed_sets_are_found_exactly() {
    let mut rng = Rng::seed_from_u64(11);
    for rows in [60, 9_000] {
        let mut model = Model::default();
        for step in 0..60 {
            let size = rows / [1, 3, 20, 500][rng.random_range(0..4)];
            if rng.random_range(0..6) == 0 {
                let held = model.held();
                let most = held.len().min(size);
                let at: Vec<u32> =
                    (0..most).map(|_| held[rng.random_range(0..held.len())]).collect();
                let filters: Vec<Filter> =
                    (0..most).map(|_| some_filter(rng.random_range(0..9_999))).collect();
                model.set_filters(&at, &filters);
            } else if rng.random_range(0..3) == 0 {
                let held = model.held();
                let most = held.len().min(2 * size);
                let gone: Vec<u32> =
                    (0..most).map(|_| held[rng.random_range(0..held.len())]).collect();
                model.remove(&gone);
            } else {
                let at: Vec<u32> = (0..size).map(|_| rng.random_range(0..rows as u32)).collect();
                let boxes: Vec<Aabb> = (0..size)
                    .map(|_| match rng.random_range(0..30) {
                        0 => Aabb { min: [f32::NAN; 3], max: [0.0; 3] },
                        1 => Aabb { min: [1.0, 0.0, 0.0], max: [0.0; 3] },
                        2 => random_box(&mut rng, 60.0, 30.0, 0.0).aabb,
                        _ => random_box(&mut rng, 60.0, 1.0, 0.0).aabb,
                    })
                    .collect();
                let filters: Vec<Filter> =
                    (0..size).map(|_| some_filter(rng.random_range(0..9_999))).collect();
                let filtered = rng.random_ratio(1, 2);
                model.put_filtered(&at, &boxes, filtered.then_some(&filters));
            }
            if step % 37 == 36 {
                model.set.clear();
                model.rows.clear();
            }
            if step % 23 == 22 {
                model.set.shrink_to_fit();
            }
            let movers: Vec<_> = (0..8).map(|_| random_box(&mut rng, 60.0, 2.0, 40.0)).collect();
            model.check(&format!("{rows} rows, step {step}"), &movers);
        }
    }
}

/// Goal: pairs and their order are the same on every level and any threads, for the same history.
#[test]
fn every_level_and_any_threads() {
    let mut rng = Rng::seed_from_u64(12);
    let (mut movers, fixed) = part(Scene::Bullets, 8_000, 5);
    movers.extend((0..30).map(|_| random_box(&mut rng, 20.0, 8.0, 40.0)));
    movers[77].delta[1] = f32::INFINITY;
    let first: [Vec<f32>; 6] = columns(&fixed);
    let second: [Vec<f32>; 6] = columns(&fixed[..900]);
    let order = |level: Level, threads: Threads| {
        let mut set = FixedBoxes::with_exec(level);
        set.exec.threads = threads;
        let filters: Vec<Filter> = (0..fixed.len()).map(some_filter).collect();
        let lend = |of| AabbColumns::from_columns(of).unwrap();
        assert_eq!(
            set.extend(lend(first.each_ref().map(Vec::as_slice))),
            Ok(0..fixed.len() as u32)
        );
        set.remove(&(0..2500).map(|row| 2 * row).collect::<Vec<u32>>()).unwrap();
        set.extend(lend(second.each_ref().map(Vec::as_slice))).unwrap();
        with(&movers, |movers| {
            let union: Vec<Pair> = set.union_pairs(movers).unwrap().iter().collect();
            let swept: Vec<SweptPair> = set.swept_pairs(movers).unwrap().iter().collect();
            assert_eq!(set.swept_pairs(movers).unwrap().rejected().len(), 1);
            // Once more with filters.
            let rows: Vec<u32> = (5000..fixed.len() as u32).collect();
            set.set_filters(&rows, &filters[rows[0] as usize..]).unwrap();
            let told = PairInput::new(movers).filtered(&filters[..movers.len()]);
            let filtered: Vec<Pair> = set.union_pairs(told).unwrap().iter().collect();
            let filtered_swept: Vec<SweptPair> = set.swept_pairs(told).unwrap().iter().collect();
            assert!(filtered_swept.len() > 300 && filtered.len() < union.len());
            (union, bits(&swept), filtered, bits(&filtered_swept))
        })
    };
    let expected = order(Level::PORTABLE4, Threads::one());
    assert!(expected.0.len() > expected.1.len() && expected.1.len() > 1000);
    for level in Level::all() {
        assert!(order(level, Threads::one()) == expected, "{level} on one thread");
        #[cfg(feature = "rayon")]
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let inside = pool.install(|| order(level, Threads::current()));
            assert!(inside == expected, "{level} in a pool of {threads}");
            let threads_of = Threads::of_pool(std::sync::Arc::new(pool));
            assert!(order(level, threads_of) == expected, "{level} with a pool of {threads}");
        }
    }
}

/// Goal: sorted pairs do not depend on the history. Method: the same boxes inserted at once, one by one from
/// the last to the first, and after others.
#[test]
fn sorted_pairs_do_not_depend_on_the_history() {
    let (movers, fixed) = part(Scene::Dense, 3_000, 10);
    let sorted = |set: &mut FixedBoxes| {
        with(&movers, |movers| bits(set.swept_pairs(movers).unwrap().sorted()))
    };
    let expected = sorted(&mut Model::of(&fixed).set);
    assert!(expected.len() > 500);
    let mut slowly = Model::default();
    for (row, aabb) in fixed.iter().enumerate().rev() {
        slowly.put(&[row as u32], &[*aabb]);
    }
    assert_eq!(sorted(&mut slowly.set), expected);
    let mut other = Model::of(&part(Scene::Mixed, 7_000, 2).1);
    other.remove(&other.held());
    other.put(&(0..fixed.len() as u32).collect::<Vec<_>>(), &fixed);
    assert_eq!(sorted(&mut other.set), expected);
}

/// Goal: a row that does not exist or is too large, or a list that is too short, is an error that contains it
/// and changes nothing.
#[test]
fn missing_rows_are_errors() {
    let (movers, fixed) = part(Scene::Uniform, 300, 5);
    let mut model = Model::of(&fixed);
    model.remove(&[3]);
    let last = fixed.len() as u32;
    for (rows, index) in [(vec![0, 1, 3], 2), (vec![last], 0), (vec![7, u32::MAX, 3], 1)] {
        let error = model.set.remove(&rows).unwrap_err();
        assert_eq!(error, FixedError::UnknownRow { index, row: rows[index] });
    }
    // Of a row that occurs twice, the second is accepted like the first.
    model.remove(&[5, 5, 6]);
    let columns: [Vec<f32>; 6] = columns(&fixed[..2]);
    let lent = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    let error = model.set.put(&[0, 1 << 27], lent).unwrap_err();
    assert_eq!(error, FixedError::RowTooLarge { index: 1, row: 1 << 27 });
    assert_eq!(
        error.to_string(),
        "element 1 of the list is for row 134217728; rows must be below 2^27"
    );
    let error = model.set.put(&[0], lent).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("the list `rows`: the length is 1 and must be 2; "), "{error}");
    model.check("after errors", &movers);
}

/// Goal: filters and flags whose number is not that of the boxes are an error that contains the numbers and
/// changes nothing; so is the filter of a row that does not exist.
#[test]
fn filters_of_another_number_are_errors() {
    let (movers, fixed) = part(Scene::Uniform, 300, 5);
    let mut model = Model::of(&fixed);
    model.remove(&[3]);
    let filters = vec![Filter::NONE; fixed.len()];
    let columns: [Vec<f32>; 6] = columns(&fixed[..3]);
    let lent = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    let few = FixedInput::new(lent).filtered(&filters[..2]);
    let message = "the filters: the length is 2 and must be 3; \
        the length of each list follows from the number of rows of the call";
    assert_eq!(model.set.put(&[0, 1, 2], few).unwrap_err().to_string(), message);
    assert_eq!(model.set.extend(few).unwrap_err().to_string(), message);
    assert_eq!(model.set.set_filters(&[0, 1, 2], &filters[..2]).unwrap_err().to_string(), message);
    let error = model.set.set_filters(&[0, 1, 3], &filters[..3]).unwrap_err();
    assert_eq!(error, FixedError::UnknownRow { index: 2, row: 3 });
    with(&movers, |movers| {
        let (flags, filters) = (vec![true; movers.len() - 1], &filters[..movers.len() + 1]);
        for set in [PairInput::new(movers).moving(&flags), PairInput::new(movers).filtered(filters)]
        {
            assert!(matches!(model.set.union_pairs(set), Err(FindError::Length(_))));
            assert!(matches!(model.set.swept_pairs(set), Err(FindError::Length(_))));
        }
    });
    model.check("after errors", &movers);
}

/// Goal: a filter remains until its row gets a new box or a new filter. Method: one box among thousands whose
/// tree is rebuilt many times.
#[test]
fn filters_remain_when_trees_are_rebuilt() {
    let (movers, fixed) = part(Scene::Dense, 9_000, 9);
    let rows: Vec<u32> = (0..fixed.len() as u32).collect();
    let filters: Vec<Filter> = (0..fixed.len()).map(some_filter).collect();
    let mut model = Model::default();
    model.put_filtered(&rows[..100], &fixed[..100], Some(&filters[..100]));
    model.check("few", &movers[..60]);
    model.put(&rows[100..], &fixed[100..]);
    model.check("merged", &movers[..60]);
    model.remove(&rows[2000..7500]);
    model.check("thinned out", &movers[..60]);
    model.set_filters(&rows[..2000], &filters[5000..7000]);
    model.check("in place", &movers[..60]);
    model.put(&rows[..50], &fixed[..50]);
    model.check("put anew without", &movers[..60]);
    model.set_filters(&[60, 61, 60], &[Filter::NONE, Filter::ALL, Filter::ALL]);
    model.check("named twice", &movers[..60]);
    // The filters of the previous set do not affect the next one.
    model.set.clear();
    model.rows.clear();
    model.put_filtered(&rows[..2000], &fixed[..2000], Some(&[Filter::NONE; 2000]));
    model.check("none allowed", &movers[..60]);
    model.set_filters(&rows[..1000], &[Filter::ALL; 1000]);
    model.check("half allowed", &movers[..60]);
    assert!(!with(&movers[..60], |movers| model.set.swept_pairs(movers).unwrap().is_empty()));
    model.set.clear();
    model.rows.clear();
    model.put(&rows[..40], &fixed[..40]);
    model.check("all allowed", &movers[..60]);
}

/// Goal: consecutive rows are assigned in order; those of invalid boxes are empty.
#[test]
fn consecutive_rows_are_assigned_in_order() {
    let mut set = FixedBoxes::new();
    let unit = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let none = Aabb { min: [2.0; 3], max: [1.0; 3] };
    let columns: [Vec<f32>; 6] = columns(&[unit, none, unit]);
    let lent = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    assert_eq!(set.extend(lent), Ok(0..3));
    assert_eq!(set.rejected().iter().map(|r| r.row).collect::<Vec<_>>(), [1]);
    assert_eq!(set.extend(lent), Ok(3..6));
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6].map(|row| set.get(row).is_some()),
        [true, false, true, true, false, true, false]
    );
    set.clear();
    assert_eq!(set.extend(lent), Ok(0..3));
    set.put(&[9], lent.slice(0..1)).unwrap();
    assert_eq!(set.extend(lent), Ok(10..13));
}

/// Goal: pairs are exact also where the words of filters do not decide, whichever side has such filters. Method: categories that are the
/// same bit of a word, for movers, for fixed boxes, for both and for none of them, set on insertion and later; all pairs of boxes in one
/// place.
#[test]
fn filters_that_words_do_not_decide_are_compared_for_either_side() {
    let aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let (last, high) = (1 << 15, 1 << 20);
    let exact = [Filter::new(last, last), Filter::new(1, last | 1), Filter::ALL];
    let inexact =
        [Filter::new(high, u32::MAX), Filter::new(high | 1, 1 << 16), Filter::new(1, high)];
    for (of_movers, of_fixed) in
        [(exact, exact), (exact, inexact), (inexact, exact), (inexact, inexact)]
    {
        let mut expected = Vec::new();
        for (a, filter) in (0..).zip(of_movers) {
            let allowed = (0..).zip(of_fixed).filter(|(_, other)| filter.allows(*other));
            expected.extend(allowed.map(|(b, _)| (a, b)));
        }
        assert!((2..9).contains(&expected.len()), "{expected:?}");
        for is_set_later in [false, true] {
            let (mut set, boxes) = (FixedBoxes::new(), [aabb; 3]);
            let columns: [Vec<f32>; 6] = columns(&boxes);
            let columns = columns.each_ref().map(Vec::as_slice);
            let input = FixedInput::new(AabbColumns::from_columns(columns).unwrap());
            if is_set_later {
                set.extend(input).unwrap();
                set.set_filters(&[0, 1, 2], &of_fixed).unwrap();
            } else {
                set.extend(input.filtered(&of_fixed)).unwrap();
            }
            with(&[aabb.into(); 3], |movers| {
                let movers = PairInput::new(movers).filtered(&of_movers);
                let union = set.union_pairs(movers).unwrap().sorted().iter();
                assert!(union.map(|p| (p.a, p.b)).eq(expected.iter().copied()), "{expected:?}");
                let swept = set.swept_pairs(movers).unwrap().sorted().iter();
                assert!(swept.map(|p| (p.a, p.b)).eq(expected.iter().copied()), "{expected:?}");
            });
        }
    }
}

/// Goal: invalid movers are listed by their rows in a list of any length, and the others have pairs. Method: rows at the ends of the
/// parts that are read at a time, and between; all boxes are in one place.
#[test]
fn invalid_movers_of_long_lists_are_listed_by_their_rows() {
    let mut movers = vec![MovingBox::default(); 10_000];
    let invalid = [0, 17, 4094, 4095, 4096, 4097, 6000, 8191, 8192, 9999];
    for row in invalid {
        movers[row as usize].delta[row as usize % 3] = f32::NAN;
    }
    let mut model = Model::of(&[Aabb::default()]);
    with(&movers, |movers| {
        let found = model.set.union_pairs(movers).unwrap();
        assert!(found.rejected().iter().map(|rejected| rejected.row).eq(invalid));
        let valid = (0..10_000).filter(|row| !invalid.contains(row));
        assert!(found.sorted().iter().map(|pair| pair.a).eq(valid));
    });
}

/// Goal: a number of movers that is too large is an error. Method: one column of 2²⁶ zeros for all components. It is never read.
#[test]
fn movers_that_cannot_be_numbered_are_rejected() {
    let column = vec![0.0; 1 << 26];
    let movers = MovingBoxColumns::from_columns([&column[..]; 9]).expect("one length");
    let error = FindError::TooManyBoxes { rows: 1 << 26 };
    assert_eq!(FixedBoxes::new().union_pairs(movers).map(|found| found.len()), Err(error));
    assert_eq!(FixedBoxes::new().swept_pairs(movers).map(|found| found.len()), Err(error));
}

/// Goal: the times of a tick are those of its two passes. Method: many movers, so that each pass takes longer than the resolution of a
/// clock.
#[cfg(feature = "std")]
#[test]
fn times_of_both_passes_are_measured() {
    let (movers, fixed) = part(Scene::Uniform, 20_000, 2);
    let mut model = Model::of(&fixed);
    with(&movers, |movers| {
        for _ in 0..2 {
            let timings = model.set.union_pairs(movers).unwrap().timings();
            assert!(timings.choose.is_zero() && !timings.scatter.is_zero(), "{timings:?}");
            assert!(!timings.sweep.is_zero(), "{timings:?}");
        }
    });
}

/// Goal: too many pairs are counted exactly and dropped; the greatest allowed number is returned.
#[test]
fn too_many_pairs_are_counted_and_dropped() {
    let boxes = vec![MovingBox::from(Aabb::cube([1.0; 3], 0.5).unwrap()); 1500];
    let fixed: Vec<Aabb> = boxes.iter().map(|moving| moving.aabb).collect();
    let mut model = Model::of(&fixed);
    let found = fixed.len() * boxes.len();
    with(&boxes, |movers| {
        for most in [0, 100_000, found - 1] {
            model.set.exec.pairs_max = most;
            let error = Err(FindError::TooManyPairs { found, most });
            assert_eq!(model.set.union_pairs(movers).map(|found| found.len()), error);
            assert_eq!(model.set.swept_pairs(movers).map(|found| found.len()), error);
            let held = model.set.memory_usage();
            assert!(held < 60 * most + 4_000_000, "{held} for {most}");
        }
        model.set.exec.pairs_max = found;
        assert_eq!(model.set.union_pairs(movers).unwrap().len(), found);
        assert_eq!(model.set.swept_pairs(movers).unwrap().len(), found);
    });
    let full = model.set.memory_usage();
    model.set.shrink_to_fit();
    assert!(model.set.memory_usage() < full / 50, "{} of {full}", model.set.memory_usage());
    model.set.exec.pairs_max = usize::MAX;
    model.check("after all was given back", &boxes[..3]);
}

/// Goal: reserved memory is used, and a set that is cleared and shrunk has none.
#[test]
fn memory_can_be_reserved_and_freed() {
    let (movers, fixed) = part(Scene::Uniform, 6_000, 3);
    let mut model = Model::default();
    assert_eq!(model.set.memory_usage(), 0);
    model.set.reserve(5_000, movers.len(), 9_000, 9_000);
    let least = 5_000 * 4 + movers.len() * 64 + 9_000 * (8 + 12 + 8 + 12);
    assert!(model.set.memory_usage() >= least);
    model.put(&(0..fixed.len() as u32).collect::<Vec<_>>(), &fixed);
    model.check("reserved", &movers[..50]);
    model.set.clear();
    model.set.shrink_to_fit();
    assert_eq!(model.set.memory_usage(), 0);
    model.rows.clear();
    model.check("empty", &movers[..50]);
}

/// Goal: the nodes of an earlier, larger tree are freed. Method: nearly all boxes are removed, with filters and without; the memory is
/// compared with that of a set that has had only the others, whose last row is the same.
#[test]
fn shrinking_frees_the_nodes_of_removed_boxes() {
    let (movers, mut fixed) = part(Scene::Uniform, 30_000, 3);
    fixed.truncate(19_908);
    for filtered in [false, true] {
        let sizes = [true, false].map(|all| {
            let mut model = Model::default();
            let rows = (0..fixed.len() as u32).filter(|row| all || row % 100 == 7);
            let rows: Vec<u32> = rows.collect();
            let boxes: Vec<Aabb> = rows.iter().map(|&row| fixed[row as usize]).collect();
            model.put(&rows, &boxes);
            if filtered {
                model.set_filters(&rows[rows.len() - 1..], &[Filter::ALL]);
            }
            let gone: Vec<u32> = rows.into_iter().filter(|row| row % 100 != 7).collect();
            model.remove(&gone);
            model.set.shrink_to_fit();
            model.check("shrunk", &movers[..50]);
            model.set.memory_usage()
        });
        assert!(sizes[0] < sizes[1] + 10_000, "{sizes:?}");
    }
}

/// Goal: an invalid box changes nothing, also in a row that has never been used. Method: the rows that the next boxes are put into.
#[test]
fn invalid_boxes_of_new_rows_change_nothing() {
    let mut set = FixedBoxes::new();
    let put = |set: &mut FixedBoxes, rows: &[u32], boxes: &[Aabb]| {
        let columns: [Vec<f32>; 6] = columns(boxes);
        let boxes = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
        match rows {
            [] => set.extend(boxes).unwrap(),
            _ => {
                set.put(rows, boxes).unwrap();
                0..set.rejected().len() as u32
            }
        }
    };
    let invalid = Aabb { min: [0.0; 3], max: [f32::NAN; 3] };
    assert_eq!(put(&mut set, &[(1 << 27) - 1], &[invalid]), 0..1);
    assert!(set.memory_usage() < 1 << 20, "{}", set.memory_usage());
    assert_eq!(put(&mut set, &[2, 100], &[Aabb::default(), invalid]), 0..1);
    assert_eq!(put(&mut set, &[], &[invalid, Aabb::default(), invalid]), 3..6);
    assert_eq!(put(&mut set, &[], &[Aabb::default()]), 6..7);
    assert_eq!(set.len(), 3);
}

/// Goal: memory that is reserved for few movers is not reserved again in each list of an earlier tick with many. Method: the memory of a new set.
#[test]
fn reserved_memory_does_not_depend_on_earlier_movers() {
    let cell = |k: u16| Aabb { min: [f32::from(k), 0.0, 0.0], max: [f32::from(k) + 0.5, 1.0, 1.0] };
    let boxes: Vec<Aabb> = (0..8192).map(cell).collect();
    for movers in [0, 10] {
        let (mut set, mut fresh) = (FixedBoxes::new(), FixedBoxes::new());
        set.extend(&boxes[..100]).unwrap();
        set.union_pairs(&boxes[..]).unwrap();
        let before = set.memory_usage();
        set.reserve(0, movers, 1_000_000, 0);
        fresh.reserve(0, movers, 1_000_000, 0);
        assert!(set.memory_usage() <= before + fresh.memory_usage(), "{movers}");
    }
}
