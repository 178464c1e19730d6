//! Measures what an update costs in addition to the search for pairs, where all boxes move.
//!
//! `cargo run --release --example moving` prints a line for each number of boxes, scene and number of threads: the time
//! of `update` with filters and events, of which all pairs are read; the time of the pair finder on the same boxes with
//! the same filters, whose pairs are read too; and the quotient. Both alternate in one process, and their results are
//! compared in the first round. On one thread the clock is the CPU time of the thread and the result is the median, on
//! several threads it is the wall time, and the result is the least, because other processes disturb it. Each is taken
//! tick by tick over the rounds and summed over the ticks.
//!
//! Arguments choose: numbers of boxes, names of scenes, `threads=1`, `ticks=6`, `rounds=9`, `only=update` or
//! `only=finder` for a profile, and `csv`. With `reused` every third proxy is removed and inserted again before the
//! measurement, as in a broadphase that has been used for a long time: their ids then have other generations.

use cpu_time::ThreadTime;
use rayon::ThreadPoolBuilder;
use scenes::{Scene, World};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use swath::broadphase::{Changes, Layers, PairInput};
use swath::{Broadphase, Filter, PairFinder, Proxy, ProxyId, Threads};

const SCENES: [Scene; 5] =
    [Scene::Uniform, Scene::Dense, Scene::Pile, Scene::Mixed, Scene::Clusters];

/// What is measured, and how often.
struct Settings {
    ticks: usize,
    rounds: usize,
    update: bool,
    finder: bool,
    reused: bool,
    csv: bool,
}

/// The time of each round, for each tick.
type Times = Vec<Vec<f64>>;

/// Nanoseconds that `run` takes.
fn time(threads: usize, run: impl FnOnce() -> u64) -> f64 {
    if threads == 1 {
        let start = ThreadTime::now();
        black_box(run());
        return start.elapsed().as_nanos() as f64;
    }
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_nanos() as f64
}

/// The median of the rounds, or on several threads the least, summed over the ticks; microseconds of a tick.
fn typical(times: &mut Times, threads: usize) -> f64 {
    let ticks = times.len() as f64;
    let sum: f64 = times
        .iter_mut()
        .map(|rounds| {
            rounds.sort_unstable_by(f64::total_cmp);
            rounds[if threads == 1 { rounds.len() / 2 } else { 0 }]
        })
        .sum();
    sum / ticks / 1e3
}

/// Reads all pairs of an update.
fn read(changes: Changes<'_>) -> u64 {
    let add = |sum: u64, a: ProxyId, b: ProxyId, first: f32| {
        sum.wrapping_add(a.to_bits() ^ b.to_bits().rotate_left(32) ^ u64::from(first.to_bits()))
    };
    let mut sum = 0;
    for pair in changes.touching() {
        sum = add(sum, pair.a, pair.b, pair.first);
    }
    for pair in changes.begun() {
        sum = add(sum, pair.a, pair.b, pair.first);
    }
    for pair in changes.ended() {
        sum = add(sum, pair.a, pair.b, 0.0);
    }
    sum
}

fn measure(count: usize, scene: Scene, threads: usize, settings: &Settings) {
    let ticks = World::there_and_back(scene, count, 1, settings.ticks);
    let count = ticks[0].len();
    let filters: Vec<Filter> =
        (0..count).map(|row| Layers::all().filter(row % Layers::COUNT)).collect();
    let exec = || if threads == 1 { Threads::one() } else { Threads::default() };
    let (mut broadphase, mut ids) = (Broadphase::with_exec(exec()), Vec::new());
    let proxies: Vec<Proxy> =
        filters.iter().map(|&filter| Proxy::dynamic().filtered(filter)).collect();
    broadphase.insert_many(ticks[0].columns(), &proxies, &mut ids).expect("they fit");
    if settings.reused {
        for row in (0..count).step_by(3) {
            let aabb = ticks[0].columns().get(row).aabb;
            broadphase.remove(ids[row]).expect("the proxy exists");
            ids[row] = broadphase.insert(aabb, proxies[row]).expect("it fits");
        }
    }
    let mut finder = PairFinder::with_exec(exec());
    let (mut update, mut bare) = (vec![Vec::new(); ticks.len()], vec![Vec::new(); ticks.len()]);
    let (mut pairs, mut begun) = (0, 0);
    for round in 0..=settings.rounds {
        for (k, tick) in ticks.iter().enumerate() {
            if settings.update || round == 0 {
                broadphase.set_many(&ids, tick.columns()).expect("all proxies exist");
                let elapsed =
                    time(threads, || read(broadphase.update().expect("there is no limit")));
                if round > 0 {
                    update[k].push(elapsed);
                }
            }
            let input = PairInput::new(tick.columns()).filtered(&filters);
            if round == 0 {
                let changes = broadphase.changes();
                let found = finder.swept_pairs(input).expect("there is no limit").sorted();
                let found = found.iter().map(|pair| (ids[pair.a as usize], ids[pair.b as usize]));
                assert!(found.eq(changes.touching().iter().map(|pair| (pair.a, pair.b))));
            } else if settings.finder {
                bare[k].push(time(threads, || {
                    let found = finder.swept_pairs(input).expect("there is no limit");
                    found.iter().fold(0_u64, |sum, pair| {
                        let [a, b] = [pair.a, pair.b].map(u64::from);
                        sum.wrapping_add(a ^ b.rotate_left(32) ^ u64::from(pair.first.to_bits()))
                    })
                }));
            }
            if round == settings.rounds {
                let changes = broadphase.changes();
                (pairs, begun) = (pairs + changes.touching().len(), begun + changes.begun().len());
            }
        }
    }
    let (pairs, begun) = (pairs / ticks.len(), begun / ticks.len());
    if !(settings.update && settings.finder) {
        return;
    }
    let (update, bare) = (typical(&mut update, threads), typical(&mut bare, threads));
    let ratio = update / bare;
    if settings.csv {
        println!("{count},{scene},{threads},{pairs},{begun},{update:.1},{bare:.1},{ratio:.2}");
    } else {
        println!(
            "{count:8} {:8} {threads:7} {pairs:9} {begun:8} {update:10.1} {bare:10.1} {ratio:5.2}",
            scene.to_string()
        );
    }
}

/// The values of the arguments `NAME=VALUE`.
fn values(arguments: &[String], name: &str) -> Vec<String> {
    let of = |argument: &String| argument.strip_prefix(name)?.strip_prefix('=').map(str::to_owned);
    arguments.iter().filter_map(of).collect()
}

/// Whether an argument is one of those that the head of this file lists.
fn is_known(argument: &str) -> bool {
    let is_number = |text: &str| text.parse::<usize>().is_ok();
    match argument.split_once('=') {
        Some(("threads" | "ticks" | "rounds", number)) => is_number(number),
        Some(("only", what)) => ["update", "finder"].contains(&what),
        Some(_) => false,
        None => {
            ["csv", "reused"].contains(&argument)
                || is_number(argument)
                || argument.parse::<Scene>().is_ok()
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(other) = arguments.iter().find(|argument| !is_known(argument)) {
        eprintln!("moving: {other:?} is not an argument; the head of benches/moving.rs lists them");
        return ExitCode::from(2);
    }
    let number = |name| values(&arguments, name).first().map(|of| of.parse().expect("a number"));
    let only = values(&arguments, "only");
    let settings = Settings {
        ticks: number("ticks").unwrap_or(6),
        rounds: number("rounds").unwrap_or(9),
        update: only.iter().all(|of| of == "update"),
        finder: only.iter().all(|of| of == "finder"),
        reused: arguments.iter().any(|argument| argument == "reused"),
        csv: arguments.iter().any(|argument| argument == "csv"),
    };
    let mut counts: Vec<usize> = arguments.iter().filter_map(|of| of.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![10_000, 100_000, 1_000_000];
    }
    let mut scenes: Vec<Scene> = arguments.iter().filter_map(|of| of.parse().ok()).collect();
    if scenes.is_empty() {
        scenes = SCENES.to_vec();
    }
    let threads: Vec<usize> = number("threads").map_or(vec![1, 2], |threads| vec![threads]);
    let head = "boxes scene threads pairs begun update_us finder_us ratio";
    println!("{}", if settings.csv { head.replace(' ', ",") } else { head.to_owned() });
    for &threads in &threads {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for &count in &counts {
            for &scene in &scenes {
                pool.install(|| measure(count, scene, threads, &settings));
            }
        }
    }
    ExitCode::SUCCESS
}
