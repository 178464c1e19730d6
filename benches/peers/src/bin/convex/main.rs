//! How fast are distances and first times of convex pairs, by swath and by parry, and which hold?
//!
//! See `README.md` beside this crate. Both are asked about the same pairs in the same run, in
//! blocks of [`BLOCK`] by turns in an order that rotates: what else the machine does meets both
//! alike. A time is the sum over the blocks of the median of the repetitions: thread CPU time where
//! pairs are asked one by one, wall clock where they are spread over threads.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use cpu_time::ThreadTime;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

#[path = "../../../../worlds/convex.rs"]
mod convex;
#[path = "../../machine.rs"]
mod machine;
mod systems;
mod truth;

use convex::Hulls;
use systems::{Answer, Question, System, Work};
use truth::{Judged, judge, truths};

type Stop = Box<dyn Error + Send + Sync>;

/// Pairs that one system answers before the next one does.
const BLOCK: usize = 256;
const THREADS: [usize; 2] = [1, 2];

/// Times swath and parry on the same pairs of convex shapes, and writes `convex.csv`.
#[derive(Debug, Parser)]
struct Args {
    /// The folder to write `convex.csv` to.
    #[arg(long, value_name = "FOLDER", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// What the record calls this machine; by default what its CPU says it is.
    #[arg(long)]
    machine: Option<String>,
    /// How many pairs.
    #[arg(long, default_value_t = 10_000)]
    pairs: usize,
    /// How many of them are compared with the truth.
    #[arg(long, default_value_t = 2_000)]
    checked: usize,
    /// How often each pair is asked about.
    #[arg(long, default_value_t = 9)]
    repeats: usize,
    /// What the pairs are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare 1,000 pairs of each kind with the truth, and write nothing.
    #[arg(long, conflicts_with = "out")]
    check: bool,
}

/// A line of `convex.csv`.
#[derive(Debug, Serialize)]
struct Row {
    machine: String,
    motion: &'static str,
    system: &'static str,
    version: String,
    threads: usize,
    ns_per_pair: f64,
    pairs: usize,
    hits: usize,
    checked: usize,
    missed: usize,
    missed_clear: usize,
    late: usize,
    late_clear: usize,
    late_most: f64,
    early: usize,
    false_hits: usize,
    /// Mean number of distances for a first time; of parry it is not known.
    rounds: Option<f64>,
}

fn main() -> ExitCode {
    let mut args = Args::parse();
    if args.check {
        (args.pairs, args.checked, args.repeats) = (1_000, 1_000, 1);
    }
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Stop> {
    let machine = args.machine.clone().unwrap_or_else(machine::this_machine);
    let hulls = Hulls::new(args.seed);
    let mut rows = Vec::new();
    for question in Question::ALL {
        let work = Work::new(&hulls, question, args.pairs, args.seed + 1);
        let truths = truths(&work, &hulls, args.checked);
        let mut add = |system: &System<'_>, threads, time, answers: &[Answer]| {
            let judged = judge(&truths, answers);
            rows.push(row(&machine, question, system, threads, time, answers, &judged));
            if system.package == "swath" && !judged.holds() {
                return Err(format!("{} of {}: {judged:?}", system.name, question.name()));
            }
            Ok(())
        };
        let systems = work.one_by_one();
        let alone = || ThreadTime::now();
        for (system, (time, answers)) in systems.iter().zip(time(
            &systems,
            &work,
            BLOCK,
            args.repeats,
            alone,
            ThreadTime::elapsed,
        )) {
            add(system, 1, time, &answers)?;
        }
        for threads in THREADS {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
            let systems = work.batches();
            let timed = pool.install(|| {
                time(&systems, &work, usize::MAX, args.repeats, Instant::now, Instant::elapsed)
            });
            for (system, (time, answers)) in systems.iter().zip(timed) {
                add(system, threads, time, &answers)?;
            }
        }
    }
    print(&rows);
    args.out.as_deref().map_or(Ok(()), |out| write(out, &rows))
}

/// The time for all pairs of each system, and its last answers.
fn time<C>(
    systems: &[System<'_>],
    work: &Work<'_>,
    block: usize,
    repeats: usize,
    now: impl Fn() -> C,
    elapsed: impl Fn(&C) -> Duration,
) -> Vec<(Duration, Vec<Answer>)> {
    let block = block.min(work.len()).max(1);
    let mut answers = vec![vec![Answer::default(); work.len()]; systems.len()];
    let mut times = vec![vec![Vec::new(); work.len().div_ceil(block)]; systems.len()];
    for repeat in 0..repeats.max(1) {
        for (number, start) in (0..work.len()).step_by(block).enumerate() {
            let rows = start..work.len().min(start + block);
            for turn in 0..systems.len() {
                let which = (turn + number + repeat) % systems.len();
                let out = &mut answers[which][rows.clone()];
                let clock = now();
                (systems[which].ask)(rows.clone(), out);
                times[which][number].push(elapsed(&clock));
            }
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    let total = |mut blocks: Vec<Vec<Duration>>| blocks.iter_mut().map(median).sum();
    times.into_iter().map(total).zip(answers).collect()
}

fn row(
    machine: &str,
    question: Question,
    system: &System<'_>,
    threads: usize,
    time: Duration,
    answers: &[Answer],
    judged: &Judged,
) -> Row {
    let count = answers.len().max(1) as f64;
    let rounds: u64 = answers.iter().map(|answer| u64::from(answer.rounds)).sum();
    let short = |value: f64, digits: f64| (value * digits).round() / digits;
    Row {
        machine: machine.to_owned(),
        motion: question.name(),
        system: system.name,
        version: machine::version(system.package),
        threads,
        ns_per_pair: short(time.as_secs_f64() * 1e9 / count, 10.0),
        pairs: answers.len(),
        hits: answers.iter().filter(|answer| answer.value.is_some()).count(),
        checked: judged.checked,
        missed: judged.missed,
        missed_clear: judged.missed_clear,
        late: judged.late,
        late_clear: judged.late_clear,
        late_most: short(judged.late_most, 1e9),
        early: judged.early,
        false_hits: judged.false_hits,
        rounds: (rounds > 0).then(|| short(rounds as f64 / count, 100.0)),
    }
}

fn print(rows: &[Row]) {
    println!(
        "{:<12}{:<12}{:>4}{:>10}{:>8}{:>8}{:>14}{:>14}{:>11}{:>7}{:>7}{:>8}",
        "motion",
        "system",
        "thr",
        "ns a pair",
        "ratio",
        "hits",
        "missed/clear",
        "late/clear",
        "most",
        "early",
        "false",
        "rounds"
    );
    for row in rows {
        let ours = |other: &&Row| {
            (other.motion, other.threads) == (row.motion, row.threads)
                && other.system == row.system.replace("parry", "swath").replace("rayon", "batch")
        };
        let ratio = rows.iter().find(ours).map_or(1.0, |ours| row.ns_per_pair / ours.ns_per_pair);
        println!(
            "{:<12}{:<12}{:>4}{:>10.1}{ratio:>7.2}x{:>8}{:>14}{:>14}{:>11.1e}{:>7}{:>7}{:>8}",
            row.motion,
            row.system,
            row.threads,
            row.ns_per_pair,
            row.hits,
            format!("{}/{}", row.missed, row.missed_clear),
            format!("{}/{}", row.late, row.late_clear),
            row.late_most,
            row.early,
            row.false_hits,
            row.rounds.map_or("-".to_owned(), |rounds| format!("{rounds:.2}")),
        );
    }
    let checked = rows.first().map_or(0, |row| row.checked);
    println!("missed, late, early and false: of the {checked} pairs compared with the truth");
}

fn write(out: &Path, rows: &[Row]) -> Result<(), Stop> {
    std::fs::create_dir_all(out)?;
    let mut writer = csv::Writer::from_path(out.join("convex.csv"))?;
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(writer.flush()?)
}
