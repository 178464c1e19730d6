//! Times distances and first times of convex pairs with swath and parry, and checks the results.
//!
//! See `README.md` of this crate. Both compute the same pairs in the same run, in blocks, alternating in an
//! order that rotates, so other load of the machine affects both alike. A time is the sum over the blocks of
//! the median of the repetitions: CPU time of the thread for single calls, wall clock if all pairs are
//! distributed over threads.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use cpu_time::ThreadTime;
use rayon::ThreadPoolBuilder;

mod counted;
mod systems;

use peers::time::{Call, alternately};
use peers::truth::{Truth, WRONG, judge, truths};
use scenes::convex::{Hulls, Moves};
use systems::{Answer, System, Work};

type Stop = Box<dyn Error + Send + Sync>;

/// Number of pairs that one system computes before the next one does.
const BLOCK: usize = 256;
/// Number of pairs that are compared with the specification.
const CHECKED: usize = 2_000;
/// Seed of the random pairs.
const SEED: u64 = 1;
/// Number of repetitions of each pair, alone and with all others: a batch ends before threads that woke up on
/// one core have been separated.
const REPEATS: usize = 9;
const BATCH_REPEATS: usize = 65;
/// Their motion, if first times are computed, and whether there are cylinders among them.
const MOTIONS: [(&str, (Option<Moves>, bool)); 6] = [
    ("distance", (None, true)),
    ("linear", (Some(Moves::Linear), true)),
    ("linear-no-cylinders", (Some(Moves::Linear), false)),
    ("spinning", (Some(Moves::Spinning), true)),
    ("spinning-no-cylinders", (Some(Moves::Spinning), false)),
    ("accelerated", (Some(Moves::Accelerated), true)),
];
/// Columns of the record, before and after those of wrong results.
#[rustfmt::skip]
const HEAD: [&str; 10] = [
    "machine", "version", "motion", "system", "threads", "ns_per_pair", "ratio_to_swath",
    "pairs", "hits", "checked",
];
#[rustfmt::skip]
const TAIL: [&str; 8] = [
    "late_most", "rounds", "rounds_p99", "rounds_max", "supports", "supports_p99", "supports_max",
    "at_once",
];

/// The times of a system for all pairs, and its last results.
type Timed = (Duration, Vec<Answer>);

/// Times swath and parry on the same pairs of convex shapes, and writes `convex.csv`.
#[derive(Debug, Parser)]
struct Args {
    /// Folder for `convex.csv`; without it the table is only printed.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Name of this machine in the record; the default is the name of its CPU.
    #[arg(long)]
    machine: Option<String>,
    /// Number of pairs.
    #[arg(long, default_value_t = 10_000)]
    pairs: usize,
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
    let machine = args.machine.clone().unwrap_or_else(peers::machine::this_machine);
    let hulls = Hulls::new(SEED);
    let head = HEAD.iter().chain(&WRONG).chain(&TAIL).map(|&name| name.to_owned());
    let mut rows: Vec<Vec<String>> = vec![head.collect()];
    for (motion, bodies) in MOTIONS {
        let work = Work::new(&hulls, bodies, args.pairs, SEED + 1);
        let truths = truths(&work.bodies_of_first(CHECKED), work.moves.is_none(), &hulls);
        let mut base = Duration::ZERO;
        let mut record = |systems: &[System<'_>], threads: usize, timed: Vec<Timed>| {
            for ((system, package, _), (time, mut answers)) in systems.iter().zip(timed) {
                // Outside of the clock.
                let warm = *system == "swath-warm";
                if motion == "distance" && *package == "swath" {
                    for (pair, answer) in answers.iter_mut().enumerate() {
                        answer.supports = work.supports(pair, warm);
                    }
                }
                // The following measurements use the same pairs.
                if ["swath", "swath-warm"].contains(system) {
                    base = time;
                }
                let head = [
                    machine.clone(),
                    peers::machine::version(package),
                    motion.to_owned(),
                    (*system).to_owned(),
                    threads.to_string(),
                    format!("{:.1}", time.as_secs_f64() * 1e9 / work.len() as f64),
                    format!("{:.2}", time.as_secs_f64() / base.as_secs_f64()),
                ];
                let (row, wrong) = judged(&truths, &answers);
                rows.push(head.into_iter().chain(row).collect());
                if *package == "swath" && wrong {
                    return Err(format!("wrong: {}", rows[rows.len() - 1].join(" ")));
                }
            }
            Ok(())
        };
        let alone = work.one_by_one();
        record(
            &alone,
            1,
            alternately(
                &calls(&alone),
                work.len(),
                (BLOCK, REPEATS),
                (ThreadTime::now, ThreadTime::elapsed),
            ),
        )?;
        for threads in if work.moves.is_some() { &[1, 2][..] } else { &[] } {
            let (batch, wall) = ([work.batch()], (Instant::now, Instant::elapsed));
            let pool = ThreadPoolBuilder::new().num_threads(*threads).build()?;
            record(
                &batch,
                *threads,
                pool.install(|| {
                    alternately(&calls(&batch), work.len(), (work.len(), BATCH_REPEATS), wall)
                }),
            )?;
        }
    }
    peers::table::put(&rows, args.out.as_deref(), "convex.csv")
}

fn calls<'s>(systems: &'s [System<'_>]) -> Vec<Call<'s, Answer>> {
    systems.iter().map(|system| &*system.2 as Call<'s, Answer>).collect()
}

/// The columns from `pairs` on, and whether a result is wrong.
fn judged(truths: &[Truth], answers: &[Answer]) -> (Vec<String>, bool) {
    let (mut counts, mut late_most) = ([0; WRONG.len()], 0.0_f64);
    for (truth, answer) in truths.iter().zip(answers) {
        let (wrong, late) = judge(truth, answer.value);
        counts.iter_mut().zip(wrong).for_each(|(count, wrong)| *count += usize::from(wrong));
        late_most = late_most.max(late);
    }
    let hits = answers.iter().filter(|answer| answer.value.is_some()).count();
    let row = [answers.len(), hits, truths.len()].into_iter().chain(counts).map(|n| n.to_string());
    let rounds = spread(answers.iter().map(|answer| answer.rounds).collect());
    let supports = spread(answers.iter().map(|answer| answer.supports).collect());
    let once = answers.iter().filter(|answer| answer.supports == 1).count();
    let once = format!("{:.3}", once as f64 / answers.len() as f64);
    let known = answers.iter().any(|answer| answer.supports > 0);
    let once = if known { once } else { String::new() };
    let tail = [format!("{late_most:.1e}")].into_iter().chain(rounds).chain(supports).chain([once]);
    (row.chain(tail).collect(), counts.iter().sum::<usize>() > 0)
}

/// Mean, 99th percentile and maximum; empty if there are no values.
fn spread(mut counts: Vec<u32>) -> [String; 3] {
    counts.sort_unstable();
    let Some(&most) = counts.last().filter(|&&most| most > 0) else { return Default::default() };
    let sum: u64 = counts.iter().copied().map(u64::from).sum();
    let mean = format!("{:.2}", sum as f64 / counts.len() as f64);
    [mean, counts[counts.len() * 99 / 100].to_string(), most.to_string()]
}
