//! Tests that a panic in a function or shape of the caller reaches the caller, and that the object whose method was called
//! gives the right results afterwards.

use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use swath::batch::Hit;
use swath::convex::SupportMap;
use swath::pipeline::Config;
use swath::{
    Aabb, Broadphase, Bvh, ConvexBody, Executor, FixedBoxes, Motion, MovingBox, MovingBoxStore,
    Pipeline, Pose, Proxy, ProxyId, Scene, Segment, Shape, Threads,
};

/// Many boxes in a row that overlap their neighbours.
const BOXES: usize = 6_000;

fn row_of_boxes() -> Vec<MovingBox> {
    let at = |k: usize| Aabb::new([k as f32, 0.0, 0.0], [k as f32 + 1.5, 1.0, 1.0]).expect("a box");
    (0..BOXES).map(|k| MovingBox::from(at(k))).collect()
}

/// Calls a function that must panic with a text of the tests.
fn assert_panics(work: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("nothing panicked");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"as the test wants"));
}

/// Panics in one of this many calls.
struct Fuse {
    calls: AtomicUsize,
    of: usize,
}

impl Fuse {
    fn new(of: usize) -> Self {
        Self { calls: AtomicUsize::new(0), of }
    }

    fn burn(&self) {
        if self.calls.fetch_add(1, Relaxed) + 1 == self.of {
            panic!("as the test wants");
        }
    }
}

/// One thread, the threads of the current pool, of a pool of the caller, and of an executor.
fn all_threads() -> Vec<Threads> {
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    vec![
        Threads::one(),
        Threads::current(),
        Threads::of_pool(Arc::new(pool)),
        Threads::of_executor(Arc::new(InOrder)),
    ]
}

/// Runs the tasks on the thread of the caller.
struct InOrder;

impl Executor for InOrder {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(task);
    }
}

/// Goal: a panic in the function of an update reaches the caller and leaves the broadphase as it was, whichever call
/// panics, on any threads, and also inside a task of another pool. Method: the snapshot before and after; the next update
/// against a broadphase that never panicked.
#[test]
fn function_of_update_that_panics_leaves_the_broadphase_as_it_was() {
    let boxes = row_of_boxes();
    for threads in all_threads() {
        for of_new in [false, true] {
            let [mut broadphase, mut other] = [(); 2].map(|()| {
                let mut broadphase = Broadphase::with_exec(threads.clone());
                let mut ids: Vec<ProxyId> = Vec::new();
                let proxy = Proxy::dynamic().with_margin(0.125);
                broadphase.insert_many(boxes.as_slice(), proxy, &mut ids).expect("they fit");
                broadphase.update().expect("there is no limit");
                // A quarter is found anew, a proxy is new, and one is renewed.
                for &id in ids.iter().step_by(4) {
                    broadphase.set(id, boxes[0].aabb, [0.0; 3]).expect("the box is valid");
                }
                broadphase.insert(boxes[1].aabb, proxy).expect("the box is valid");
                broadphase.renew(ids[1]).expect("the proxy exists");
                broadphase
            });
            let before = broadphase.snapshot();
            for of in [1, 700] {
                let fuse = Fuse::new(of);
                let accept = |_| {
                    fuse.burn();
                    true
                };
                assert_panics(|| {
                    let mut update = || {
                        let _ = match of_new {
                            true => broadphase.update_with_new(accept),
                            false => broadphase.update_with(accept),
                        };
                    };
                    let outer = ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
                    // Inside a task of a pool, beside another task.
                    outer.install(|| rayon::join(&mut update, || std::hint::black_box(1)));
                });
                broadphase.validate().expect("the broadphase is consistent");
                // Where the function is called for new pairs only, the renewed proxy counts as changed now, which changes no result.
                assert!(of_new || broadphase.snapshot() == before);
            }
            let [changes, expected] =
                [&mut broadphase, &mut other].map(|each| each.update().expect("there is no limit"));
            assert!(changes.begun().len() > 100);
            assert_eq!(changes.begun(), expected.begun());
            assert_eq!(changes.ended(), expected.ended());
            assert!(changes.touching().iter().eq(expected.touching().iter()));
        }
    }
}

/// Goal: functions of queries may panic in any call, and the next query gives the right answer.
#[test]
fn function_of_query_that_panics_leaves_the_queries_intact() {
    let boxes = row_of_boxes();
    let mut broadphase = Broadphase::new();
    let mut ids = Vec::new();
    broadphase.insert_many(boxes.as_slice(), Proxy::dynamic(), &mut ids).expect("they fit");
    let still: Vec<Aabb> = boxes.iter().map(|moving| moving.aabb).collect();
    let mut fixed = FixedBoxes::new();
    fixed.extend(still.as_slice()).expect("they fit");
    let mut tree = Bvh::new();
    tree.build(still.as_slice()).expect("they fit");
    let along = Segment::new([-1.0, 0.5, 0.5], [BOXES as f32, 0.0, 0.0]).expect("a segment");
    let all = Aabb::new([0.0; 3], [BOXES as f32, 1.0, 1.0]).expect("a box");
    for of in [1, 40] {
        let fuse = Fuse::new(of);
        assert_panics(|| {
            let queries = broadphase.queries();
            let accept = |_| {
                fuse.burn();
                false
            };
            let _ = queries.cast(&along).expect("a segment").accepting(accept).closest();
        });
        let fuse = Fuse::new(of);
        assert_panics(|| {
            broadphase.queries().overlap(&all).expect("a box").visit(|_| {
                fuse.burn();
                ControlFlow::Continue(())
            });
        });
        let first = broadphase.queries().cast(&along).expect("a segment").closest();
        assert_eq!(first.map(|hit| hit.id), Some(ids[0]));
        for queries in [fixed.queries(), tree.queries()] {
            let fuse = Fuse::new(of);
            assert_panics(|| {
                queries.cast(&along).expect("a segment").visit(|hit: Hit| {
                    fuse.burn();
                    hit.value + f32::MAX
                });
            });
            let mut rows = Vec::new();
            queries.overlap(&all).expect("a box").all(&mut rows);
            assert_eq!(rows.len(), BOXES);
        }
    }
}

/// A ball that panics in one of the calls of its function.
#[derive(Debug)]
struct Ball {
    calls: AtomicUsize,
    of: usize,
}

impl SupportMap for Ball {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        assert!(self.calls.fetch_add(1, Relaxed) + 1 != self.of, "as the test wants");
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction.map(|x| 0.5 * x / length)
    }

    fn bounding_radius(&self) -> f64 {
        0.5
    }
}

/// Goal: a shape of the caller that panics in a tick leaves the pipeline usable: it gives the results of a new one.
#[test]
fn shape_that_panics_leaves_the_pipeline_usable() {
    let count = 400;
    let boxes: Vec<MovingBox> = (0..count)
        .map(|k| {
            let x = 1.25 * k as f32;
            let aabb = Aabb::new([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]).expect("a box");
            MovingBox::new(aabb, [if k % 2 == 0 { 0.5 } else { 0.0 }, 0.0, 0.0]).expect("a box")
        })
        .collect();
    let store: MovingBoxStore = boxes.iter().copied().collect();
    for threads in all_threads() {
        let mut used = Pipeline::with_exec(Config::default(), threads.clone());
        for of in [100, 2_000, usize::MAX] {
            let ball = Ball { calls: AtomicUsize::new(0), of };
            let shape = Shape::custom(&ball).expect("a ball");
            let convex: Vec<ConvexBody<'_>> = (0..count as u32)
                .zip(&boxes)
                .map(|(row, moving)| {
                    let center = [0, 1, 2].map(|k| 0.5 * (moving.aabb.min[k] + moving.aabb.max[k]));
                    let pose = Pose::at(center).expect("a place");
                    let motion = Motion::new(pose, moving.delta).expect("a motion");
                    ConvexBody { row, shape, motion }
                })
                .collect();
            let scene = Scene::new(store.columns()).convex(&convex);
            if of < usize::MAX {
                assert_panics(|| _ = used.tick(&scene));
            } else {
                let mut new = Pipeline::with_exec(Config::default(), threads.clone());
                let expected = new.tick(&scene).expect("the scene is valid");
                let found = used.tick(&scene).expect("the scene is valid");
                assert!(expected.impacts().len() > 100);
                assert_eq!(found.impacts(), expected.impacts());
                assert_eq!(found.hash(), expected.hash());
            }
        }
    }
}

/// Goal: a function or a shape of the caller that panics in a tick of proxies leaves the pipeline usable, and the broadphase updated: the next tick
/// gives the results of new objects. Method: balls in a row on any threads, inside a task of another pool.
#[test]
fn tick_of_proxies_that_panics_leaves_both_objects_usable() {
    let boxes: Vec<MovingBox> = row_of_boxes().into_iter().take(1_000).collect();
    let motions: Vec<Motion> = boxes
        .iter()
        .map(|moving| Motion::from(Pose::at(moving.aabb.center()).expect("a place")))
        .collect();
    for threads in all_threads() {
        let mut used = Pipeline::with_exec(Config::default(), threads.clone());
        let mut broadphase = Broadphase::with_exec(threads.clone());
        let mut ids = Vec::new();
        broadphase.insert_many(boxes.as_slice(), Proxy::dynamic(), &mut ids).expect("they fit");
        for (of_function, of_shape) in [(1, 0), (700, 0), (0, 1), (0, 5_000)] {
            broadphase.set(ids[of_function + 1], boxes[0].aabb, [0.0; 3]).expect("it is valid");
            let mut alone = Broadphase::with_exec(Threads::one());
            alone.restore(&broadphase.snapshot());
            let ball = Ball { calls: AtomicUsize::new(0), of: usize::MAX };
            let shape = Shape::custom(&ball).expect("a ball");
            // The first six calls are those of `Shape::custom`.
            let of = if of_shape > 0 { of_shape + 6 } else { usize::MAX };
            let failing = Ball { calls: AtomicUsize::new(0), of };
            let failing_shape = Shape::custom(&failing).expect("a ball");
            let fuse = Fuse::new(of_function);
            assert_panics(|| {
                let mut tick = || {
                    let body = |id: ProxyId| {
                        fuse.burn();
                        let shape = if of_shape > 0 { failing_shape } else { shape };
                        Some((shape, motions[id.index() as usize]))
                    };
                    let _ = used.tick_proxies(&mut broadphase, body);
                };
                let outer = ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
                outer.install(|| rayon::join(&mut tick, || std::hint::black_box(1)));
            });
            broadphase.validate().expect("the broadphase is consistent");
            let events = alone.update().expect("there is no limit").hash();
            assert_eq!(broadphase.changes().hash(), events);
            let mut new = Pipeline::with_exec(Config::default(), Threads::one());
            let body = |id: ProxyId| Some((shape, motions[id.index() as usize]));
            let expected = new.tick_proxies(&mut alone, body).expect("there is no limit");
            let found = used.tick_proxies(&mut broadphase, body).expect("there is no limit");
            assert!(expected.stats().convex > 900);
            assert_eq!(found.impacts(), expected.impacts());
            assert_eq!(found.hash(), expected.hash());
        }
    }
}
