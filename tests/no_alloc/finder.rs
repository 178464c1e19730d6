//! Tests that a warm finder does not allocate.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::Ordering;
use swath::broadphase::PairInput;
use swath::{MovingBoxColumns, PairFinder};
use testkit::counting::ALLOCATIONS;
use testkit::layouts::Layouts;

/// Goal: after a few ticks no tick allocates, for union and swept pairs, sorted or not, also if the number of
/// pairs changes by a few per cent.
///
/// Method: count allocations. Boxes grow and shrink by somewhat more than a hundredth, and the number of pairs by about three.
/// The ticks run inside the pool, as those of an engine do: when a job is passed to a pool from outside,
/// rayon allocates a little about once in sixty jobs.
pub(crate) fn a_warm_tick_allocates_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut min: [_; 3] = core::array::from_fn(|_| column(&mut rng, BOXES, 20.0));
    // Crowds, so that the memory of workers differs: by much, and by little.
    for column in &mut min {
        column[..200].fill(10.0);
        column[200..370].fill(3.0);
        column[370..530].fill(17.0);
    }
    allocates_nothing_when_warm(&min, 0.8, 0.5);
    // Most boxes are in a crowd far smaller than a cell, so its strip is divided: by one thread, and by all.
    for (boxes, side) in [(BOXES, 0.05), (5 * BOXES, 0.03)] {
        let mut min: [_; 3] = core::array::from_fn(|_| column(&mut rng, boxes, 2e4));
        for column in &mut min {
            column[boxes / 5..].iter_mut().for_each(|x| *x *= 5e-5);
        }
        allocates_nothing_when_warm(&min, side, 0.01);
    }
    // The paths are so long that the tick is searched in slices.
    let min: [_; 3] = core::array::from_fn(|_| column(&mut rng, BOXES, 20.0));
    allocates_nothing_when_warm(&min, 0.2, 7.0);
}

/// Goal: the slices of a tick do not count as ticks, after which unused memory is freed. Method: union pairs of long paths, and more than 32 slices of
/// swept pairs, which have far fewer pairs of bounds, in each tick.
pub(crate) fn slices_of_a_tick_free_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut columns = |low: f32, high: f32| -> [Vec<f32>; 3] {
        core::array::from_fn(|_| (0..3_000).map(|_| rng.random_range(low..high)).collect())
    };
    let (min, delta) = (columns(0.0, 20.0), columns(-9.0, 9.0));
    let max = min.each_ref().map(|min| min.iter().map(|x| x + 0.2).collect::<Vec<f32>>());
    let boxes = [&min, &max, &delta].map(|of| of.each_ref().map(Vec::as_slice));
    let boxes = MovingBoxColumns::new(boxes[0], boxes[1], boxes[2]).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut finder = PairFinder::new();
    let during = pool.install(|| {
        let mut tick = || {
            let union = finder.union_pairs(boxes).unwrap().len();
            let swept = [(); 12].map(|()| finder.swept_pairs(boxes).unwrap().len());
            assert!(union > 20 * swept[0] && swept[0] > 0, "{union} and {swept:?} pairs");
        };
        tick();
        tick();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        (0..6).for_each(|_| tick());
        ALLOCATIONS.load(Ordering::Relaxed) - before
    });
    assert_eq!(during, 0);
}

const BOXES: usize = 8_000;

fn column(rng: &mut Xoshiro256PlusPlus, rows: usize, to: f32) -> Vec<f32> {
    (0..rows).map(|_| rng.random_range(0.0..to)).collect()
}

/// Boxes with these lower corners, sides of about `side` and displacements of up to `path` on each axis.
fn allocates_nothing_when_warm(min: &[Vec<f32>; 3], side: f32, path: f32) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let sizes = [1.0, 1.012, 0.988, 1.006].map(|size| size * side);
    let max = sizes
        .map(|size| min.each_ref().map(|min| min.iter().map(|x| x + size).collect::<Vec<f32>>()));
    let rows = min[0].len();
    let delta: [_; 3] = core::array::from_fn(|_| {
        (0..rows).map(|_| rng.random_range(-path..path)).collect::<Vec<f32>>()
    });
    let moves: Vec<bool> = (0..rows).map(|row| row % 5 != 0).collect();
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let [min, delta] = [min, &delta].map(|of| of.each_ref().map(Vec::as_slice));
        let boxes = max.each_ref().map(|max| {
            MovingBoxColumns::new(min, max.each_ref().map(Vec::as_slice), delta).unwrap()
        });
        let layouts = boxes.map(|boxes| Layouts::new((0..rows).map(|row| boxes.get(row))));
        let labels: Vec<u32> = (0..rows as u32).map(|row| row.wrapping_mul(0x9e37_79b9)).collect();
        let mut finder = PairFinder::new();
        let counts = pool.install(|| {
            let mut pairs = Vec::new();
            let mut tick = |k: usize| {
                let set = PairInput::new(boxes[k]).moving(&moves);
                let union = finder.union_pairs(set).unwrap().sorted().len();
                let swept = finder.swept_pairs(set).unwrap().sorted().len();
                // The same from structures, labelled and collected into the caller's list.
                let set = PairInput::new(layouts[k].of_bodies()).moving(&moves).labelled(&labels);
                let found = finder.swept_pairs(set).unwrap();
                found.collect_into(&mut pairs);
                assert_eq!(pairs.len(), swept);
                finder.union_pairs(&layouts[k].still).unwrap();
                [union, swept]
            };
            // Any worker may take any strips, so each needs the memory of the others.
            let warm_up = [(); 2].map(|()| tick(0));
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let counted: [[usize; 2]; 20] = core::array::from_fn(|k| tick(k % 4));
            let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert_eq!(warm_up, [counted[0], counted[4]]);
            // Of long paths, the sides hardly change the number of union pairs.
            let drifting =
                |[union, swept]: [usize; 2]| if path < side { union + swept } else { swept };
            let [low, high] = [counted[2], counted[1]].map(drifting);
            assert!(high - low > low / 50, "the pairs drift by too little: {low}, {high}");
            during
        });
        assert_eq!(counts, 0, "with {threads} threads");
    }
}
