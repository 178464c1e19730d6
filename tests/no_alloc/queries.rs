//! Tests that queries of stored boxes do not allocate.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::Ordering;
use swath::batch::{Hit, SegmentStore};
use swath::broadphase::FixedError;
use swath::{Aabb, AabbColumns, Bvh, FixedBoxes, Level, MovingBox, Plane, Segment, Sphere};
use testkit::counting::ALLOCATIONS;

/// Goal: a query allocates nothing; a list of hits only grows beyond its greatest length so far; rebuilding a
/// tree allocates only what threads share.
///
/// Method: count allocations, with segments, boxes, shapes and points, in a tree and in a set of several.
pub(crate) fn questions_allocate_nothing() -> Result<(), FixedError> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut column = |rows: usize, from: f32, to: f32| -> Vec<f32> {
        (0..rows).map(|_| rng.random_range(from..to)).collect()
    };
    let min: [_; 3] = core::array::from_fn(|_| column(90_000, 0.0, 50.0));
    let max = min.each_ref().map(|low| low.iter().map(|x| x + 0.5).collect::<Vec<f32>>());
    let [low, high] = [&min, &max].map(|of| of.each_ref().map(Vec::as_slice));
    let boxes = AabbColumns::new(low, high).unwrap();
    let mut tree = Bvh::new();
    tree.build(boxes)?;
    let mut set = FixedBoxes::new();
    set.extend(boxes)?;
    set.extend(boxes.slice(0..500))?;
    let mut store = SegmentStore::new();
    let mut segments = Vec::new();
    for _ in 0..300 {
        let start: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..50.0));
        let delta: [f32; 3] = core::array::from_fn(|_| rng.random_range(-50.0..50.0));
        segments.push(Segment::new(start, delta).unwrap());
        store.push(segments[segments.len() - 1]).unwrap();
    }
    let (mut list, mut rows) = (Vec::new(), Vec::new());
    let mut starts = vec![0; 1001];
    let mut rejected = Vec::new();
    let asked = boxes.slice(0..1000).check(Level::detect(), &mut rejected);
    let mut near = vec![Hit::MISS; 3000];
    let mut hits = vec![Hit::MISS; segments.len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut ask = || {
        for queries in [tree.queries(), set.queries()] {
            let mut found = 0;
            for segment in &segments {
                let query = || queries.cast(segment).unwrap();
                found += usize::from(query().closest().is_some());
                let _ = query().accepting(|row| row % 2 == 0).any();
                query().all(&mut list);
                query().sorted(&mut list);
                let aabb = Aabb { min: segment.start, max: segment.start };
                let moving = MovingBox { aabb, delta: segment.delta };
                found += usize::from(queries.sweep(&moving).unwrap().closest().is_some());
            }
            assert!(found > 100);
            for at in 0..100 {
                let aabb = asked.columns().get(at);
                let ball = Sphere { center: aabb.min, radius: 2.0 };
                let region = [Plane { normal: [1.0, 2.0, 0.0], offset: aabb.min[0] }];
                queries.overlap(&aabb).unwrap().all(&mut rows);
                queries.overlap_sphere(&ball).unwrap().all(&mut rows);
                queries.overlap_planes(&region).unwrap().all(&mut rows);
                let nearest = queries.proximity(&aabb, 5.0).unwrap().k_nearest(&mut near[..9]);
                assert!(rows.len() < 90_000 && nearest[0].value == 0.0);
            }
            queries.overlaps(&asked).all(&mut starts, &mut rows).unwrap();
            queries.proximities(&asked, 5.0).unwrap().k_nearest(3, &mut near).unwrap();
            queries.casts(&store.checked()).closest(&mut hits).unwrap();
        }
    };
    let during = pool.install(|| {
        ask();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        ask();
        ALLOCATIONS.load(Ordering::Relaxed) - before
    });
    assert_eq!(during, 0);
    Ok(())
}
