//! Tests that a finder keeps its limit of pairs and reports when the limit is too low, and tests of its
//! memory.

use crate::threads::pool;
use scenes::{Scene, World};
use swath::broadphase::{FindError, PairInput};
use swath::{AabbColumns, Bvh, MovingBoxColumns, PairFinder, Threads};

fn boxes(world: &World) -> MovingBoxColumns<'_> {
    let [min, max, delta] =
        [&world.min, &world.max, &world.delta].map(|of| of.each_ref().map(Vec::as_slice));
    MovingBoxColumns::new(min, max, delta).expect("one length")
}

/// Goal: if there are more pairs than allowed, they are counted and not stored. Method: boxes that all
/// overlap, whose pairs can be counted by hand, and ordinary scenes with a limit that is one pair too low.
#[test]
fn too_many_pairs_are_counted_exactly() {
    const BOXES: usize = 12_000;
    const MOST: usize = 100_000;
    let identical = World::new(Scene::Identical, BOXES, 1);
    for threads in [1, 2] {
        let mut finder = PairFinder::new();
        finder.exec.threads = pool(threads);
        finder.exec.pairs_max = MOST;
        let too_many = FindError::TooManyPairs { found: BOXES * (BOXES - 1) / 2, most: MOST };
        assert_eq!(finder.union_pairs(boxes(&identical)).unwrap_err(), too_many);
        let bytes = finder.memory_usage();
        assert!(bytes < 40 * MOST + 400 * BOXES, "{bytes} bytes");
        assert_eq!(finder.swept_pairs(boxes(&identical)).unwrap_err(), too_many);

        // The error does not affect the next tick.
        for scene in [Scene::Dense, Scene::Pile, Scene::Bullets] {
            let world = World::new(scene, 3000, 2);
            let mut free = PairFinder::new();
            let union = free.union_pairs(boxes(&world)).expect("no limit").sorted().to_vec();
            let swept = free.swept_pairs(boxes(&world)).expect("no limit").sorted().to_vec();
            finder.exec.pairs_max = union.len();
            let found = finder.union_pairs(boxes(&world)).expect("just enough");
            assert_eq!(found.sorted(), union, "{scene}");
            finder.exec.pairs_max = swept.len();
            let found = finder.swept_pairs(boxes(&world)).expect("just enough");
            assert_eq!(found.sorted(), swept, "{scene}");

            finder.exec.pairs_max = union.len() - 1;
            let error = finder.union_pairs(boxes(&world)).unwrap_err();
            let (found, most) = (union.len(), union.len() - 1);
            assert_eq!(error, FindError::TooManyPairs { found, most }, "{scene}");
            finder.exec.pairs_max = 0;
            let error = finder.swept_pairs(boxes(&world)).unwrap_err();
            assert_eq!(error, FindError::TooManyPairs { found: swept.len(), most: 0 }, "{scene}");
        }
    }
}

/// Goal: memory can be freed, and reserved before it is needed.
#[test]
fn memory_can_be_freed_and_reserved() {
    let world = World::new(Scene::Dense, 20_000, 1);
    let mut finder = PairFinder::new();
    finder.exec.threads = Threads::one();
    let pairs = finder.swept_pairs(boxes(&world)).expect("no limit").len();
    let used = finder.memory_usage();
    assert!(used > 12 * pairs, "{used} bytes for {pairs} pairs");
    finder.shrink_to(0, 0);
    assert!(finder.memory_usage() < used / 10, "{} of {used}", finder.memory_usage());

    finder.reserve(20_000, 0, pairs);
    let reserved = finder.memory_usage();
    assert!(reserved > 12 * pairs, "{reserved} bytes for {pairs} pairs");
    finder.shrink_to(20_000, pairs);
    assert!(finder.memory_usage() > reserved / 2);
    assert_eq!(finder.swept_pairs(boxes(&world)).expect("no limit").len(), pairs);
}

/// Goal: a finder that is shrunk to nothing has no memory. Method: many invalid rows, and pairs of both kinds, sorted.
#[test]
fn a_finder_that_is_shrunk_to_nothing_has_no_memory() {
    let mut world = World::new(Scene::Dense, 20_000, 1);
    world.min[0][5000..15_000].fill(f32::NAN);
    let mut finder = PairFinder::new();
    let found = finder.union_pairs(boxes(&world)).expect("no limit");
    assert_eq!(found.rejected().len(), 10_000);
    assert!(found.sorted().len() > 1000);
    assert!(finder.swept_pairs(boxes(&world)).expect("no limit").sorted().len() > 1000);
    finder.shrink_to(0, 0);
    assert_eq!(finder.memory_usage(), 0);
    assert!(finder.union_pairs(boxes(&world)).expect("no limit").len() > 1000);
}

/// Goal: a finder that is shrunk to any numbers finds the same pairs in the next ticks. Method: numbers of which a multiple overflows.
#[test]
fn a_finder_that_is_shrunk_to_any_number_of_pairs_finds_the_same() {
    let world = World::new(Scene::Dense, 3000, 1);
    let mut finder = PairFinder::new();
    let pairs = finder.union_pairs(boxes(&world)).expect("no limit").sorted().to_vec();
    assert!(pairs.len() > 1000);
    for most in [usize::MAX, usize::MAX / 8 + 1, usize::MAX / 4 + 1] {
        finder.shrink_to(most, most);
        for _ in 0..2 {
            let before = finder.memory_usage();
            assert_eq!(finder.union_pairs(boxes(&world)).expect("no limit").sorted(), pairs);
            assert!(finder.memory_usage() >= before, "memory was freed for {most} pairs");
        }
    }
}

/// Goal: pairs are collected into a list with just enough places without an allocation.
#[test]
fn a_list_with_the_capacity_is_kept() {
    let world = World::new(Scene::Dense, 3000, 1);
    let mut finder = PairFinder::new();
    let found = finder.union_pairs(boxes(&world)).expect("no limit");
    let mut pairs = Vec::new();
    pairs.reserve_exact(found.len());
    let capacity = pairs.capacity();
    assert!(capacity < found.len() + found.len() / 16, "{capacity} places");
    found.collect_into(&mut pairs);
    assert_eq!((pairs.len(), pairs.capacity()), (found.len(), capacity));
}

/// Goal: a number of boxes that rows have too few bits for is an error, whose message has the greatest number. Method: one column of 2²⁶ zeros for
/// all components. It is never read.
#[test]
fn boxes_that_cannot_be_numbered_are_rejected() {
    let column = vec![0.0; 1 << 26];
    let input = MovingBoxColumns::from_columns([&column[..]; 9]).expect("one length");
    let error = PairFinder::new().union_pairs(input).unwrap_err();
    assert_eq!(error, FindError::TooManyBoxes { rows: 1 << 26 });
    assert!(error.to_string().contains("at most 2^26 - 1"), "{error}");
}

/// Goal: the threads change neither the pairs nor their order.
#[test]
fn threads_change_nothing() {
    for scene in [Scene::Uniform, Scene::LineY, Scene::Clusters] {
        let world = World::new(scene, 5000, 3);
        let mut orders = Vec::new();
        for threads in [Threads::one(), Threads::current(), pool(1), pool(2), pool(8)] {
            let mut finder = PairFinder::new();
            finder.exec.threads = threads;
            let found = finder
                .swept_pairs(PairInput::new(boxes(&world)).moving(&world.moves))
                .expect("no limit");
            let order: Vec<_> = found.iter().collect();
            let sorted = found.sorted();
            assert!(sorted.is_sorted_by_key(|pair| (pair.a, pair.b)));
            orders.push(order);
        }
        assert!(orders.windows(2).all(|two| two[0] == two[1]), "{scene}");
    }
}

/// Goal: the tree of a flat scene, or of one on a line, takes no more memory than any other. Method: boxes in
/// a square grid whose centres are equal on one axis, on two, and on all.
#[test]
fn trees_of_flat_scenes_are_small() {
    let side = 400_usize;
    let along = |of: fn(usize, usize) -> usize| -> Vec<f32> {
        (0..side * side).map(|k| of(k, side) as f32).collect()
    };
    let (u, v) = (along(|k, side| k % side), along(|k, side| k / side));
    let line = along(|k, _| k);
    let still = vec![0.0; side * side];
    let used = |min: [&[f32]; 3]| {
        let max = min.map(|min| min.iter().map(|x| x + 0.5).collect::<Vec<_>>());
        let max = max.each_ref().map(Vec::as_slice);
        let mut tree = Bvh::new();
        tree.exec.threads = Threads::one();
        tree.build(AabbColumns::new(min, max).expect("one length")).expect("few");
        assert_eq!(tree.len(), side * side);
        tree.memory_usage()
    };
    let filled = used([&u, &v, &line]);
    for axis in 0..3 {
        let mut flat: [&[f32]; 3] = [&still; 3];
        flat[axis] = &line;
        let on_a_line = used(flat);
        assert!(on_a_line < 2 * filled, "{axis}: {on_a_line} bytes for {filled}");
        flat = [&still; 3];
        flat[(axis + 1) % 3] = &u;
        flat[(axis + 2) % 3] = &v;
        let in_a_plane = used(flat);
        assert!(in_a_plane < 2 * filled, "{axis}: {in_a_plane} bytes for {filled}");
    }
    assert!(used([&still; 3]) < 2 * filled);
}
