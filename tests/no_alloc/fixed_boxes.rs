//! Tests that warm `FixedBoxes` do not allocate.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::Ordering;
use swath::broadphase::PairInput;
use swath::{AabbColumns, Filter, FixedBoxes, MovingBoxColumns};
use testkit::counting::ALLOCATIONS;
use testkit::layouts::Layouts;

/// Goal: a warm tick against stored boxes allocates nothing, for union and swept pairs, sorted or not, also
/// if the number of pairs changes by a few per cent.
///
/// Method: count allocations, with several trees in the set, and ticks inside the pool, as those of an engine
/// are. Movers grow and shrink by a hundredth, with changing filters and without filters.
pub(crate) fn a_warm_tick_against_fixed_boxes_allocates_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut column = |rows: usize, from: f32, to: f32| -> Vec<f32> {
        (0..rows).map(|_| rng.random_range(from..to)).collect()
    };
    let fixed: [_; 3] = core::array::from_fn(|_| column(9_000, 0.0, 20.0));
    let fixed_max = fixed.each_ref().map(|low| low.iter().map(|x| x + 1.0).collect::<Vec<f32>>());
    let [low, high] = [&fixed, &fixed_max].map(|of| of.each_ref().map(Vec::as_slice));
    let fixed = AabbColumns::new(low, high).unwrap();
    let min: [_; 3] = core::array::from_fn(|_| column(3_000, 0.0, 20.0));
    let delta: [_; 3] = core::array::from_fn(|_| column(3_000, -3.0, 3.0));
    let max = [1.0, 1.01, 0.99, 1.005]
        .map(|size| min.each_ref().map(|low| low.iter().map(|x| x + size).collect::<Vec<f32>>()));
    let [min, delta] = [&min, &delta].map(|of| of.each_ref().map(Vec::as_slice));
    let movers = max
        .each_ref()
        .map(|max| MovingBoxColumns::new(min, max.each_ref().map(Vec::as_slice), delta).unwrap());
    let shy = Filter::new(1, 2);
    let filters: Vec<Filter> = (0..3_000).map(|k| Filter::new(1 << (k % 32), u32::MAX)).collect();
    let moves: Vec<bool> = (0..3_000).map(|k| k % 3 > 0).collect();
    let layouts = movers.map(|movers| Layouts::new((0..3_000).map(|row| movers.get(row))));
    let labels: Vec<u32> = (0..3_000).rev().collect();
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut set = FixedBoxes::new();
        set.extend(fixed).unwrap();
        set.extend(fixed.slice(0..500)).unwrap();
        let counts = pool.install(|| {
            let mut tick = |k: usize| {
                let movers = movers[k];
                for filter in [shy, Filter::ALL] {
                    set.set_filters(&[3, 70, 9_100], &[filter; 3]).unwrap();
                    let told = PairInput::new(movers).filtered(&filters).moving(&moves);
                    let _ = set.union_pairs(told).unwrap().sorted();
                    let _ = set.swept_pairs(told).unwrap().sorted();
                }
                let rows = PairInput::new(layouts[k].of_bodies()).labelled(&labels);
                let of_rows = set.swept_pairs(rows).unwrap().len();
                let union = set.union_pairs(movers).unwrap().sorted().len();
                let swept = set.swept_pairs(movers).unwrap().sorted().len();
                assert_eq!(of_rows, swept);
                union + swept
            };
            let warm_up = [(); 2].map(|()| tick(0));
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let counted: [usize; 20] = core::array::from_fn(|k| tick(k % 4));
            let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert_eq!(warm_up, [counted[0], counted[4]]);
            let [low, high] = [counted[2], counted[1]];
            assert!(high - low > low / 100, "the pairs drift by too little: {low}, {high}");
            during
        });
        assert_eq!(counts, 0, "with {threads} threads");
    }
}

/// Goal: a warm tick allocates nothing in which movers are joined with the fixed boxes. Method: count allocations. A plate
/// across the scene reaches many nodes of a tree of points, and few points.
pub(crate) fn a_warm_tick_of_joined_movers_allocates_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let rows = 80_000;
    let low: [Vec<f32>; 3] =
        core::array::from_fn(|_| (0..rows).map(|_| rng.random_range(0.0..1.0)).collect());
    let still = vec![0.0; rows];
    let sizes = [1e-5, 1.01e-5].map(|size: f32| {
        core::array::from_fn::<Vec<f32>, 3, _>(|axis| {
            let long = |row: usize| axis < 2 && row.is_multiple_of(2);
            let high = low[axis].iter().zip(0..);
            high.map(|(x, row)| x + if long(row) { 1.0 } else { size }).collect()
        })
    });
    let low = low.each_ref().map(Vec::as_slice);
    let boxes = sizes.each_ref().map(|high| {
        MovingBoxColumns::new(low, high.each_ref().map(Vec::as_slice), [&still; 3]).unwrap()
    });
    let high = sizes[0].each_ref().map(Vec::as_slice);
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut set = FixedBoxes::new();
        set.extend(AabbColumns::new(low, high).unwrap().slice(0..60_000)).unwrap();
        let during = pool.install(|| {
            let mut pairs = |rows, k: usize| {
                let movers = boxes[k].slice(rows);
                let swept = set.swept_pairs(movers).unwrap().len();
                let union = set.union_pairs(movers).unwrap().len();
                assert_eq!(union, swept);
                (union, set.memory_usage())
            };
            let (_, before) = pairs(60_000..60_100, 0);
            let (warm, after) = pairs(60_000..rows, 0);
            assert!(warm > 1000, "{warm} pairs");
            assert!(after > before + 32 * rows, "no mover is joined: {before}, {after} bytes");
            pairs(60_000..rows, 0);
            let start = ALLOCATIONS.load(Ordering::Relaxed);
            let counted: [_; 10] = core::array::from_fn(|k| pairs(60_000..rows, k % 2).0);
            assert!(counted[0] == warm && counted[1] > warm, "{counted:?} pairs");
            ALLOCATIONS.load(Ordering::Relaxed) - start
        });
        assert_eq!(during, 0, "with {threads} threads");
    }
}
