//! Tests that few boxes are processed by the calling thread: to wake another thread takes longer than their work.
#![cfg(feature = "rayon")]

use rayon::ThreadPoolBuilder;
use scenes::{Scene, World};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use swath::{Aabb, Broadphase, FixedBoxes, MovingBox, MovingBoxStore, PairFinder, Proxy, Threads};

/// How long the calls may wait for a thread of the pool. They take less than a millisecond.
const PATIENCE: Duration = Duration::from_secs(30);

/// Goal: a search for few boxes needs no thread of the pool. Method: all threads of the pool are blocked until the results
/// have arrived.
#[test]
fn few_boxes_wake_no_thread() {
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(2).build().expect("threads"));
    let mut releases = Vec::new();
    for _ in 0..2 {
        let (release, released) = mpsc::channel::<()>();
        pool.spawn(move || _ = released.recv());
        releases.push(release);
    }
    let (results, arrived) = mpsc::channel();
    let threads = Threads::of_pool(pool);
    let caller = thread::spawn(move || {
        let world = World::new(Scene::Dense, 1000, 1);
        let boxes: Vec<MovingBox> = (0..1000).map(|row| world.columns().get(row)).collect();
        let still: Vec<Aabb> = boxes.iter().map(|of| of.aabb).collect();
        let send = |name, count| results.send((name, count)).expect("the test waits");

        let mut store = MovingBoxStore::new();
        store.fill(300, &threads, |row| boxes[row]);
        send("MovingBoxStore", store.len());

        let mut finder = PairFinder::with_exec(threads.clone());
        send("PairFinder", finder.swept_pairs(&boxes).expect("no limit").len());

        let mut fixed = FixedBoxes::with_exec(threads.clone());
        fixed.extend(&still).expect("rows fit");
        send("FixedBoxes", fixed.swept_pairs(&boxes[..100]).expect("no limit").len());

        let mut broadphase = Broadphase::with_exec(threads);
        broadphase.insert_many(&boxes[..100], Proxy::dynamic(), &mut Vec::new()).expect("they fit");
        broadphase.insert_many(&still[100..], Proxy::fixed(), &mut Vec::new()).expect("they fit");
        send("Broadphase", broadphase.update().expect("no limit").begun().len());
    });
    for expected in ["MovingBoxStore", "PairFinder", "FixedBoxes", "Broadphase"] {
        let result = arrived.recv_timeout(PATIENCE);
        assert!(result.is_ok_and(|(name, count)| name == expected && count > 100), "{expected}");
    }
    releases.clear();
    caller.join().expect("the caller does not panic");
}
