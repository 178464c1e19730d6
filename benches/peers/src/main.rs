//! Times finding all pairs of moving boxes with swath and other libraries.
//!
//! See `README.md` of this crate: which systems are compared, how each is used and why.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPoolBuilder;

mod agree;
mod cell;
mod chart;
mod record;
mod systems;

use cell::Cell;
use peers::machine::this_machine;
use scenes::Scene;
use systems::Kind;

/// Why a run ended early.
type Stop = Box<dyn Error + Send + Sync>;

/// Settings of a quick run.
const QUICK_SCENES: [Scene; 3] = [Scene::Uniform, Scene::Dense, Scene::Bullets];
const QUICK_BOXES: [usize; 2] = [10_000, 100_000];
const QUICK_TICKS: u32 = 24;
/// Settings of a check.
const CHECK_BOXES: [usize; 2] = [3_000, 20_000];
const CHECK_TICKS: u32 = 12;
/// Settings of a whole run.
const BOXES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const TICKS: u32 = 80;
const THREADS: [usize; 2] = [1, 2];

/// Times swath and other pair finders on the same boxes, and writes `pairs.csv` and `pairs.svg`.
///
/// Times are nanoseconds per box, from boxes to all pairs, medians over the ticks of a state: cold (the first),
/// warm (2 to 10), steady (the last 11). On one thread they are CPU time of the process, on more wall clock. All systems find pairs of the same boxes one after
/// another, and their pairs are compared before times are used.
#[derive(Debug, Parser)]
#[command(name = "swath-peers")]
struct Args {
    /// Folder for `pairs.csv` and `pairs.svg`.
    #[arg(long, value_name = "FOLDER", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Name of this machine in the record; the default is the name of its CPU.
    #[arg(long)]
    machine: Option<String>,
    /// Scenes; the default is all.
    #[arg(long, value_delimiter = ',')]
    scenes: Vec<Scene>,
    /// Numbers of boxes; the default is 1000,10000,100000,1000000.
    #[arg(long, value_delimiter = ',')]
    boxes: Vec<usize>,
    /// Numbers of threads; the default is 1,2.
    #[arg(long, value_delimiter = ',')]
    threads: Vec<usize>,
    /// Systems: swath, swath-rows, swath-swept, parry-refit, parry-tuned, parry-rebuild, obvhs, rstar, and embree if it is built.
    #[arg(long, value_delimiter = ',')]
    systems: Vec<Kind>,
    /// Number of ticks; the default is 80. With fewer than 11 there is no steady state.
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    ticks: Option<u32>,
    /// Seed of the scenes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Limit of seconds of one system for all ticks of one scene, size and number of threads.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    budget: u64,
    /// Run three scenes, two sizes and 24 ticks; other options still apply.
    #[arg(long)]
    quick: bool,
    /// Compare the pairs of all systems in each tick without timing: all scenes with 3,000 and 20,000 boxes.
    #[arg(long, conflicts_with_all = ["out", "quick", "redraw"])]
    check: bool,
    /// Draw the chart and print the table of the record in the folder.
    #[arg(long, conflicts_with = "quick")]
    redraw: bool,
}

/// The arguments, or the defaults.
fn or<T: Clone>(asked: &[T], usual: &[T]) -> Vec<T> {
    if asked.is_empty() { usual.to_vec() } else { asked.to_vec() }
}

impl Args {
    fn scenes(&self) -> Vec<Scene> {
        or(&self.scenes, if self.quick { &QUICK_SCENES } else { &Scene::ALL })
    }

    fn boxes(&self) -> Vec<usize> {
        let usual = match (self.check, self.quick) {
            (true, _) => &CHECK_BOXES[..],
            (_, true) => &QUICK_BOXES,
            _ => &BOXES,
        };
        or(&self.boxes, usual)
    }

    fn ticks(&self) -> u32 {
        self.ticks.unwrap_or(match (self.check, self.quick) {
            (true, _) => CHECK_TICKS,
            (_, true) => QUICK_TICKS,
            _ => TICKS,
        })
    }

    /// Calls `run` inside a pool with each cell: small before large, so that a record grows evenly.
    fn each_cell(
        &self,
        mut run: impl FnMut(&Cell<'_>) -> Result<(), Stop> + Send,
    ) -> Result<(), Stop> {
        let built: Vec<_> = Kind::ALL.into_iter().filter(Kind::is_built).collect();
        let systems = &or(&self.systems, &built);
        let (seed, ticks, budget) = (self.seed, self.ticks(), Duration::from_secs(self.budget));
        for boxes in self.boxes() {
            for scene in self.scenes() {
                for threads in or(&self.threads, &THREADS) {
                    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
                    let cell = Cell { scene, boxes, threads, seed, ticks, systems, budget };
                    pool.install(|| run(&cell))?;
                }
            }
        }
        Ok(())
    }

    fn cells(&self) -> usize {
        self.scenes().len() * self.boxes().len() * or(&self.threads, &THREADS).len()
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let result = match &args.out {
        Some(out) if args.redraw => finish(out),
        Some(out) => time(&args, out),
        None => check(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Times all cells. The record is written after each, so an interrupted run leaves a partial one.
fn time(args: &Args, out: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(out)?;
    let machine = args.machine.clone().unwrap_or_else(this_machine);
    let bar = ProgressBar::new(args.cells() as u64 * u64::from(args.ticks()));
    let style = ProgressStyle::with_template("{wide_bar} {msg} {elapsed} of about {duration}")?;
    bar.set_style(style);
    let mut rows = Vec::new();
    args.each_cell(|cell| {
        let Cell { scene, boxes, threads, .. } = cell;
        let outcomes = cell
            .time(|tick| {
                bar.set_message(format!("{scene} {boxes} boxes {threads} threads tick {tick}"));
                bar.inc(1);
            })
            .map_err(|error| format!("{scene}, {boxes} boxes, {threads} threads: {error}"))?;
        rows.extend(record::rows(&machine, cell, &outcomes));
        Ok(record::write(&out.join("pairs.csv"), &rows)?)
    })?;
    bar.finish_and_clear();
    finish(out)
}

/// Draws the chart and prints the table of the record in this folder.
fn finish(out: &Path) -> Result<(), Stop> {
    let rows = record::read(&out.join("pairs.csv"))?;
    std::fs::write(out.join("pairs.svg"), chart::draw(&rows))?;
    print!("{}", record::table(&rows));
    Ok(())
}

/// Compares the pairs of all systems; continues after a mismatch, so that all are reported.
fn check(args: &Args) -> Result<(), Stop> {
    let mut wrong = 0;
    args.each_cell(|cell| {
        let Cell { scene, boxes, threads, ticks, systems, .. } = cell;
        let result = cell.check();
        let said = match &result {
            Ok(pairs) => format!("{} systems agree, {pairs} pairs in the last", systems.len()),
            Err(error) => format!("WRONG: {error}"),
        };
        wrong += usize::from(result.is_err());
        println!("{scene:<10}{boxes:>8} boxes {threads} threads {ticks} ticks: {said}");
        Ok(())
    })?;
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} of {} comparisons differ", args.cells()).into()),
    }
}
