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
