//! Measures ticks of settled worlds: few proxies leave their fat AABBs.
//!
//! `cargo run --release --example settled` prints the medians of thread CPU time, on one thread, of `set_many` and of
//! `update`, for boxes with margins that move a little in every tick. A line for each number of boxes, scene, and
//! per cent of the boxes that leave their fat AABBs. `full` is the same tick with a function of the caller, which finds
//! all pairs anew; its results are compared in one round. Arguments choose: numbers of boxes, `uniform`, `pile`, and
//! `alone`, which leaves out `full`.

use cpu_time::ThreadTime;
use scenes::{Scene, World};
use std::hint::black_box;
use std::process::ExitCode;
use swath::{Broadphase, Proxy, ProxyId, Threads};

/// What an argument may be.
const ARGUMENTS: [&str; 6] = ["2000", "10000", "100000", "uniform", "pile", "alone"];
const TICKS: usize = 12;
const ROUNDS: usize = 10;

/// Ticks in which boxes move a little inside their fat AABBs, and `leave` of a thousand leave their own.
fn jittering(scene: Scene, count: usize, margin: f32, leave: usize) -> Vec<World> {
    let still = World::new(scene, count, 1);
    let mut offsets = vec![0.0; still.len()];
    let ticks = (0..TICKS).map(|tick| {
        let mut world = still.clone();
        for (row, offset) in offsets.iter_mut().enumerate() {
            if (row * 7919 + tick * 331) % 1000 < leave {
                *offset = if *offset > 0.0 { 0.0 } else { 2.0 * margin };
            }
            let jitter = ((row * 7 + tick * 3) % 16) as f32 / 16.0 - 0.5;
            for x in [&mut world.min[0][row], &mut world.max[0][row]] {
                *x += *offset + 0.5 * margin * jitter;
            }
            world.delta.iter_mut().for_each(|delta| delta[row] = 0.0);
        }
        world
    });
    ticks.collect()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(other) = arguments.iter().find(|argument| !ARGUMENTS.contains(&argument.as_str())) {
        eprintln!("settled: {other:?} is not one of {ARGUMENTS:?}");
        return ExitCode::from(2);
    }
    let allows = |value: String, of: &[&str]| {
        let mut chosen = arguments.iter().filter(|arg| of.contains(&arg.as_str())).peekable();
        chosen.peek().is_none() || chosen.any(|arg| *arg == value)
    };
    let with_full = !arguments.iter().any(|arg| arg == "alone");
    println!("boxes scene leave_percent pairs left set_ns_per_box update_us full_us");
    for count in [2_000, 10_000, 100_000] {
        if !allows(count.to_string(), &["2000", "10000", "100000"]) {
            continue;
        }
        for scene in [Scene::Uniform, Scene::Pile] {
            if !allows(scene.to_string(), &["uniform", "pile"]) {
                continue;
            }
            let world = World::new(scene, count, 1);
            let mut lengths: Vec<f32> =
                world.min[0].iter().zip(&world.max[0]).map(|(a, b)| b - a).collect();
            let middle = lengths.len() / 2;
            let margin = 0.1 * *lengths.select_nth_unstable_by(middle, f32::total_cmp).1;
            for leave in [0, 10, 30, 100, 200, 300, 500] {
                let ticks = jittering(scene, count, margin, leave);
                let filled = || {
                    let (mut broadphase, mut ids) =
                        (Broadphase::with_exec(Threads::one()), Vec::new());
                    let proxy = Proxy::dynamic().with_margin(margin);
                    broadphase.insert_many(ticks[0].columns(), proxy, &mut ids).expect("they fit");
                    (broadphase, ids)
                };
                let ((mut world, ids), (mut full, _)) = (filled(), filled());
                let (mut set, mut update, mut all) = (Vec::new(), Vec::new(), Vec::new());
                let (mut left, mut pairs) = (0, 0);
                for round in 0..ROUNDS {
                    for tick in &ticks {
                        let before: Vec<_> = ids.iter().map(|&id| world.compared_box(id)).collect();
                        let start = ThreadTime::now();
                        set_boxes(&mut world, &ids, tick);
                        set.push(start.elapsed().as_nanos() as f64);
                        let start = ThreadTime::now();
                        black_box(world.update().expect("no limit").begun().len());
                        update.push(start.elapsed().as_nanos() as f64);
                        if !with_full {
                            all.push(0.0);
                            continue;
                        }
                        set_boxes(&mut full, &ids, tick);
                        let start = ThreadTime::now();
                        black_box(full.update_with(|_| true).expect("no limit").begun().len());
                        all.push(start.elapsed().as_nanos() as f64);
                        if round == 1 {
                            left += ids
                                .iter()
                                .zip(before)
                                .filter(|(id, b)| world.compared_box(**id) != *b)
                                .count();
                            let (changes, expected) = (world.changes(), full.changes());
                            assert!(changes.touching().iter().eq(expected.touching().iter()));
                            assert_eq!(changes.begun(), expected.begun());
                            assert_eq!(changes.ended(), expected.ended());
                            pairs = changes.touching().len();
                        }
                    }
                }
                println!(
                    "{count:6} {scene} {:4.1} {pairs:8} {:6} {:6.2} {:9.1} {:9.1}",
                    leave as f64 / 10.0,
                    left / TICKS,
                    median(&mut set[2 * TICKS..]) / count as f64,
                    median(&mut update[2 * TICKS..]) / 1e3,
                    median(&mut all[2 * TICKS..]) / 1e3,
                );
            }
        }
    }
    ExitCode::SUCCESS
}

fn set_boxes(broadphase: &mut Broadphase, ids: &[ProxyId], world: &World) {
    broadphase.set_many(ids, world.columns()).expect("all proxies exist");
}
