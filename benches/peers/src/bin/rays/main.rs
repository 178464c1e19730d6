//! Times finding the first box that a segment enters, and building a tree for it, with swath and its peers.
//!
//! See `README.md` of this crate. All compute the same segments and boxes in the same run, in blocks,
//! alternating in an order that rotates. A time is the sum over the blocks of the median of the repetitions:
//! CPU time of the thread on one thread, wall clock on more. Before times are used, results are compared:
//! those of swath with those of one box after the other, bit by bit, those of a peer with those of swath.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use cpu_time::ThreadTime;
use rayon::ThreadPoolBuilder;

mod scene;
mod systems;

use scene::Scene;
use systems::{Answer, Build, System, Trees};

type Stop = Box<dyn Error + Send + Sync>;

/// Number of segments that one system computes before the next one does.
const BLOCK: usize = 4096;
/// Number of segments that are tested against one box after the other.
const CHECKED: usize = 500;
/// Number of repetitions of each segment, and of each build.
const REPEATS: usize = 7;
const BUILDS: usize = 5;
#[rustfmt::skip]
const HEAD: [&str; 12] = [
    "machine", "version", "question", "boxes", "system", "threads", "ns_each", "ratio_to_swath",
    "each", "hits", "checked", "differ",
];

/// Times swath and its peers on the same segments and boxes, and writes `rays.csv`.
#[derive(Debug, Parser)]
struct Args {
    /// Folder for `rays.csv`; without it the table is only printed.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Name of this machine in the record; the default is the name of its CPU.
    #[arg(long)]
    machine: Option<String>,
    /// Numbers of boxes.
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000])]
    boxes: Vec<usize>,
    /// Number of segments.
    #[arg(long, default_value_t = 32_768)]
    segments: usize,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Only systems with this text in their name, and swath.
    #[arg(long)]
    only: Option<String>,
    /// Skip the times of building.
    #[arg(long)]
    no_builds: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all systems; fails if a result of swath is wrong.
fn run(args: &Args) -> Result<(), Stop> {
    let mut rows: Vec<Vec<String>> = vec![HEAD.map(str::to_owned).to_vec()];
    for &boxes in &args.boxes {
        let scene = Scene::new(boxes, args.segments);
        for &threads in &args.threads {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
            pool.install(|| cell(args, &scene, threads, &mut rows))?;
        }
    }
    peers::table::put(&rows, args.out.as_deref(), "rays.csv")
}

/// Runs all systems on this many threads.
fn cell(
    args: &Args,
    scene: &Scene,
    threads: usize,
    rows: &mut Vec<Vec<String>>,
) -> Result<(), Stop> {
    let machine = args.machine.clone().unwrap_or_else(peers::machine::this_machine);
    let wanted = |name: &str| {
        name.starts_with("swath") || args.only.as_ref().is_none_or(|only| name.contains(only))
    };
    let head = |question: &str,
                (name, package): (&str, &str),
                time: Duration,
                each: usize,
                base: Duration| {
        vec![
            machine.clone(),
            peers::machine::version(package),
            question.to_owned(),
            scene.boxes.len().to_string(),
            name.to_owned(),
            threads.to_string(),
            format!("{:.1}", time.as_secs_f64() * 1e9 / each as f64),
            format!("{:.2}", time.as_secs_f64() / base.as_secs_f64()),
            each.to_string(),
        ]
    };
    let mut trees = Trees::new(scene);
    let mut builds = trees.builds();
    builds.retain(|build| wanted(build.name));
    let times = time_builds(&mut builds, threads, if args.no_builds { 1 } else { BUILDS });
    if !args.no_builds {
        for (build, &time) in builds.iter().zip(&times) {
            let mut row =
                head("build", (build.name, build.package), time, scene.boxes.len(), times[0]);
            row.extend(["", "", ""].map(str::to_owned));
            rows.push(row);
        }
    }
    drop(builds);
    let mut systems = trees.systems();
    systems.retain(|system| wanted(system.name));
    println!("nodes and leaves a segment: {:.2?}", trees.visits());
    let timed = time(&mut systems, args.segments, threads);
    let truth = scene.one_by_one(CHECKED);
    let base = timed[0].0;
    for (system, (time, answers)) in systems.iter().zip(&timed) {
        let hits = answers.iter().filter(|answer| answer.is_some()).count();
        let ours = system.package == "swath";
        let (checked, differ) = if ours {
            (CHECKED, truth.iter().zip(answers).filter(|(a, b)| !same(a, b)).count())
        } else {
            let near = timed[0].1.iter().zip(answers).filter(|(a, b)| !nearly(a, b));
            (answers.len(), near.count())
        };
        if ours && (differ > 0 || timed[0].1 != *answers) {
            return Err(format!("{} is wrong", system.name).into());
        }
        let name = (system.name, system.package);
        let mut row = head("closest", name, *time, args.segments, base);
        row.extend([hits, checked, differ].map(|count| count.to_string()));
        rows.push(row);
    }
    Ok(())
}

/// Compares bit by bit.
fn same(a: &Answer, b: &Answer) -> bool {
    let bits = |answer: &Answer| answer.map(|(row, at)| (row, at.to_bits()));
    bits(a) == bits(b)
}

/// The same fraction except for rounding, which may also decide whether a grazed box is hit.
fn nearly(a: &Answer, b: &Answer) -> bool {
    match (a, b) {
        (Some((_, a)), Some((_, b))) => (a - b).abs() <= 1e-5,
        (a, b) => a.is_none() == b.is_none(),
    }
}

/// The medians.
fn time_builds(builds: &mut [Build<'_>], threads: usize, repeats: usize) -> Vec<Duration> {
    let mut times = vec![Vec::new(); builds.len()];
    for _ in 0..repeats {
        for (build, times) in builds.iter_mut().zip(&mut times) {
            times.push(clock(threads, || (build.run)()));
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn clock(threads: usize, mut run: impl FnMut()) -> Duration {
    if threads == 1 {
        let clock = ThreadTime::now();
        run();
        clock.elapsed()
    } else {
        let clock = Instant::now();
        run();
        clock.elapsed()
    }
}

/// Runs the systems alternately; for those that compute all at once, everything is one block.
fn time(
    systems: &mut [System<'_>],
    segments: usize,
    threads: usize,
) -> Vec<(Duration, Vec<Answer>)> {
    let mut answers = vec![vec![None; segments]; systems.len()];
    let mut times = vec![vec![Vec::new(); segments.div_ceil(BLOCK)]; systems.len()];
    for repeat in 0..REPEATS {
        for (number, start) in (0..segments).step_by(BLOCK).enumerate() {
            for turn in 0..systems.len() {
                let which = (turn + number + repeat) % systems.len();
                let system = &mut systems[which];
                let rows = match (system.at_once, number) {
                    (true, 0) => 0..segments,
                    (true, _) => continue,
                    _ => start..segments.min(start + BLOCK),
                };
                let out = &mut answers[which][rows.clone()];
                times[which][number].push(clock(threads, || (system.run)(rows.clone(), out)));
            }
        }
    }
    let total = |blocks: &mut Vec<Vec<Duration>>| {
        blocks.iter_mut().filter(|times| !times.is_empty()).map(|times| median(times)).sum()
    };
    times.iter_mut().map(total).zip(answers).collect()
}
