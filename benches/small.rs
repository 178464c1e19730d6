//! CPU time of a call for few boxes: what a call costs besides the work for each box.
//!
//! ```text
//! cargo run --release --example small
//! cargo run --release --example small -- finder_union 100 > small.csv
//! ```
//!
//! A row of the output is a call: an update of a [`Broadphase`], a search of a [`PairFinder`], or the pairs of movers with
//! [`FixedBoxes`]. `boxes` counts the proxies, the boxes or the movers, `stored` the fixed boxes.
//!
//! * `ns_per_call`, `ns_per_box`: median of batches of calls on the same object, whose memory and code are in the cache.
//!   CPU time of the process: of all threads, waiting excluded, waking included.
//! * `wall_ns_per_call`: the same by the wall clock.
//! * `cold_ns_per_call`: median of single calls by the wall clock. Before each, memory that is larger than the caches of a
//!   core is written, and other code of the library runs, as the rest of an engine's step does.
//!
//! `pool` states where the calls are made: inside a `rayon` pool of one or of two threads, or outside of any pool, where the library uses the global
//! one, which has a thread for each core. The arguments choose rows by a part of their name, and by the number of boxes.

#![allow(missing_docs, reason = "an example has no documentation of its own")]

use cpu_time::ProcessTime;
use rayon::ThreadPoolBuilder;
use scenes::{Scene, World};
use std::hint::black_box;
use std::time::{Duration, Instant};
use swath::broadphase::PairInput;
use swath::{Aabb, Broadphase, FixedBoxes, MovingBox, PairFinder, Proxy, ProxyId};

/// How long the calls of a batch last together, and how many batches are timed.
const BATCH: Duration = Duration::from_micros(500);
const BATCHES: usize = 41;
/// How many cold calls are timed.
const COLD: usize = 101;
/// Bytes that are written before a cold call: more than the first two levels of cache of a core.
const EVICTED: usize = 8 << 20;

fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// What makes the caches cold.
struct Eviction {
    memory: Vec<u64>,
    finder: PairFinder,
    boxes: Vec<MovingBox>,
}

impl Eviction {
    fn new() -> Self {
        let world = World::new(Scene::Dense, 5000, 3);
        let boxes = (0..world.len()).map(|row| world.columns().get(row)).collect();
        Self { memory: vec![0; EVICTED / 8], finder: PairFinder::new(), boxes }
    }

    fn run(&mut self) {
        black_box(self.finder.swept_pairs(&self.boxes).expect("no limit").len());
        self.memory.iter_mut().for_each(|word| *word = word.wrapping_add(1));
        black_box(&self.memory);
    }
}

/// Times a call and prints its row. `call` is passed the number of the call, and returns the number of pairs.
fn row(
    name: &str,
    (boxes, stored, pool): (usize, usize, &str),
    eviction: &mut Eviction,
    mut call: impl FnMut(usize) -> usize,
) {
    let mut number = 0;
    let mut next = || {
        number += 1;
        black_box(call(number))
    };
    let mut pairs = 0;
    (0..20).for_each(|_| pairs = next());
    let start = Instant::now();
    (0..20).for_each(|_| pairs = next());
    let calls = (20 * BATCH.as_nanos() / start.elapsed().as_nanos().max(1)).clamp(1, 100_000);
    let (mut cpu, mut wall, mut cold) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        let (process, start) = (ProcessTime::now(), Instant::now());
        (0..calls).for_each(|_| _ = next());
        wall.push(start.elapsed().as_nanos() as f64 / calls as f64);
        cpu.push(process.elapsed().as_nanos() as f64 / calls as f64);
    }
    for _ in 0..COLD {
        eviction.run();
        let start = Instant::now();
        next();
        cold.push(start.elapsed().as_nanos() as f64);
    }
    let [cpu, wall, cold] = [cpu, wall, cold].map(|mut times| median(&mut times));
    let each = cpu / boxes as f64;
    println!("{name},{boxes},{stored},{pool},{pairs},{cpu:.0},{each:.1},{wall:.0},{cold:.0}");
}

/// The boxes of a scene in two successive ticks.
fn ticks(scene: Scene, boxes: usize) -> [Vec<MovingBox>; 2] {
    let first = World::new(scene, boxes, 1);
    let mut second = first.clone();
    second.step();
    [first, second].map(|world| (0..world.len()).map(|row| world.columns().get(row)).collect())
}

fn filled(boxes: &[MovingBox], proxy: Proxy) -> (Broadphase, Vec<ProxyId>) {
    let (mut broadphase, mut ids) = (Broadphase::new(), Vec::new());
    broadphase.insert_many(boxes, proxy, &mut ids).expect("they fit");
    (broadphase, ids)
}

fn rows(pool: &str, arguments: &[String]) {
    let eviction = &mut Eviction::new();
    let [name, count] = [0, 1].map(|at| arguments.get(at).map_or("", |argument| &argument[..]));
    let wanted = |of: &str| of.contains(name);
    let chosen = |boxes: &usize| count.is_empty() || boxes.to_string() == count;
    for boxes in [10, 100, 1000].into_iter().filter(chosen) {
        let size = (boxes, 0, pool);
        let ticks = ticks(Scene::Uniform, boxes);
        if wanted("finder_union") {
            let mut finder = PairFinder::new();
            row("finder_union", size, eviction, |call| {
                finder.union_pairs(&ticks[call % 2]).expect("no limit").len()
            });
        }
        if wanted("finder_swept") {
            let mut finder = PairFinder::new();
            row("finder_swept", size, eviction, |call| {
                finder.swept_pairs(&ticks[call % 2]).expect("no limit").len()
            });
        }
        if wanted("update_all") {
            let (mut broadphase, ids) = filled(&ticks[0], Proxy::dynamic());
            row("update_all", size, eviction, |call| {
                broadphase.set_many(&ids, &ticks[call % 2]).expect("all exist");
                broadphase.update().expect("no limit").touching().len()
            });
        }
        let still: Vec<MovingBox> =
            ticks[0].iter().map(|of| MovingBox { delta: [0.0; 3], ..*of }).collect();
        if wanted("update_one") {
            let (mut broadphase, ids) = filled(&still, Proxy::dynamic());
            row("update_one", size, eviction, |call| {
                broadphase.set(ids[0], ticks[call % 2][0].aabb, [0.0; 3]).expect("it exists");
                broadphase.update().expect("no limit").touching().len()
            });
        }
        if wanted("update_none") {
            let (mut broadphase, _) = filled(&still, Proxy::dynamic());
            row("update_none", size, eviction, |_| {
                broadphase.update().expect("no limit").touching().len()
            });
        }
    }
    for stored in [2000, 100_000] {
        let world = World::new(Scene::Uniform, stored, 1);
        let all: Vec<Aabb> = (0..stored).map(|row| world.columns().get(row).aabb).collect();
        for movers in [1, 10, 100].into_iter().filter(chosen) {
            let of_world = |row: usize| world.columns().get(row * (stored / movers) + 7);
            let movers: Vec<MovingBox> = (0..movers).map(of_world).collect();
            let size = (movers.len(), stored, pool);
            let mut fixed = FixedBoxes::new();
            fixed.extend(&all).expect("rows fit");
            if wanted("fixed_union") {
                row("fixed_union", size, eviction, |_| {
                    fixed.union_pairs(PairInput::new(&movers)).expect("no limit").len()
                });
            }
            if wanted("fixed_swept") {
                row("fixed_swept", size, eviction, |_| {
                    fixed.swept_pairs(PairInput::new(&movers)).expect("no limit").len()
                });
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "call,boxes,stored,pool,pairs,ns_per_call,ns_per_box,wall_ns_per_call,cold_ns_per_call"
    );
    for (threads, name) in [(1, "one"), (2, "two")] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| rows(name, &arguments));
    }
    rows("outside", &arguments);
}
