//! Tests that objects which are used at the same time give the results that each gives alone.

use rayon::ThreadPoolBuilder;
use std::sync::Arc;
use swath::pipeline::{BodyInfo, Config};
use swath::{Aabb, Broadphase, Exec, Pipeline, Proxy, ProxyId, Threads};
use testkit::draw::Draw;

const WORLDS: u64 = 6;
const BOXES: usize = 1_500;

/// A broadphase and a pipeline, and the hashes of some ticks.
struct World {
    seed: u64,
    broadphase: Broadphase,
    pipeline: Pipeline,
    hashes: Vec<[u64; 2]>,
}

impl World {
    fn new(seed: u64, threads: &Threads) -> Self {
        let exec = Exec::from(threads.clone());
        let pipeline = Pipeline::with_exec(Config::default(), exec.clone());
        let broadphase = Broadphase::with_exec(exec);
        Self { seed, broadphase, pipeline, hashes: Vec::new() }
    }

    fn run(&mut self) {
        let draw = &mut Draw::new(self.seed);
        let cube =
            |draw: &mut Draw| Aabb::cube([(); 3].map(|()| draw.whole(0, 20)), 1.0).expect("a box");
        let ids: Vec<ProxyId> = (0..BOXES)
            .map(|_| self.broadphase.insert(cube(draw), Proxy::dynamic()).expect("it fits"))
            .collect();
        for _ in 0..4 {
            for _ in 0..BOXES / 2 {
                let delta = [(); 3].map(|()| draw.whole(-2, 2));
                self.broadphase.set(draw.one_of(&ids), cube(draw), delta).expect("it is valid");
            }
            let output = self.pipeline.tick_proxies(&mut self.broadphase, |_| BodyInfo::default());
            let output = output.expect("there is no limit");
            assert!(output.impacts().len() > BOXES / 4);
            self.hashes.push([output.hash(), self.broadphase.changes().hash()]);
        }
    }
}

/// Goal: several broadphases and pipelines that tick at the same time give the results of each alone. Method: threads, tasks of the global pool, and
/// tasks of a pool whose threads the objects use too, some from inside and some from outside.
#[test]
fn objects_used_at_the_same_time_give_the_results_of_each_alone() {
    let worlds = |threads: &Threads| -> Vec<World> {
        (0..WORLDS).map(|seed| World::new(seed, threads)).collect()
    };
    let hashes =
        |worlds: &[World]| -> Vec<_> { worlds.iter().map(|world| world.hashes.clone()).collect() };
    let mut alone = worlds(&Threads::one());
    alone.iter_mut().for_each(World::run);
    let expected = hashes(&alone);
    assert!(expected.iter().all(|of| of.len() == 4));
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(3).build().expect("a pool"));
    for threads in [Threads::current(), Threads::of_pool(pool.clone())] {
        let mut by_threads = worlds(&threads);
        std::thread::scope(|scope| {
            by_threads.iter_mut().for_each(|world| drop(scope.spawn(|| world.run())));
        });
        assert_eq!(hashes(&by_threads), expected);
        let mut by_tasks = worlds(&threads);
        rayon::scope(|scope| {
            by_tasks.iter_mut().for_each(|world| scope.spawn(|_| world.run()));
        });
        assert_eq!(hashes(&by_tasks), expected);
        let mut both = worlds(&threads);
        let (inside, outside) = both.split_at_mut(3);
        std::thread::scope(|scope| {
            outside.iter_mut().for_each(|world| drop(scope.spawn(|| world.run())));
            pool.scope(|tasks| {
                inside.iter_mut().for_each(|world| tasks.spawn(|_| world.run()));
            });
        });
        assert_eq!(hashes(&both), expected);
    }
}
