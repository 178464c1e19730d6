//! Measures each stage of the library on one thread, on two, and so on, and predicts more.
//!
//! ```text
//! cargo run --release --example scaling
//! cargo run --release --example scaling -- --out docs/bench/xeon-2core --page docs/bench/scaling.md
//! cargo run --release --example scaling -- --boxes 1000000 --threads 16 --json
//! ```
//!
//! The boxes are the scene `uniform`, all of them moving, in two ticks that alternate. Each stage runs on all numbers of threads in turn,
//! and the time is the least of the rounds: wall clock, because stages run on several threads. The results of all rounds and numbers
//! of threads are hashed, and the program fails if two hashes differ.
//!
//! `stages.rs` lists the stages and how many bytes each moves between memory and the caches for a box. `machine.rs` measures how
//! many bytes a second the memory reads and copies, and how many cores the threads have. `report.rs` writes the CSV file and the tables of `docs/bench/scaling.md`, with
//! what both predict for 8 and 16 threads.

#![allow(missing_docs, reason = "an example has no documentation of its own")]

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

mod machine;
mod report;
mod stages;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Measures each stage of the library on 1 to N threads.
#[derive(Debug, Parser)]
struct Args {
    /// Numbers of boxes.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 10_000_000])]
    boxes: Vec<usize>,
    /// Greatest number of threads; the default is the number of CPUs.
    #[arg(long)]
    threads: Option<usize>,
    /// Number of times that each stage runs on each number of threads.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Folder for `scaling.csv`.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Page whose tables are replaced by those of this run.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Print JSON, a line for each measurement.
    #[arg(long)]
    json: bool,
}

/// The numbers of threads that are measured: 1, 2, 4 and so on, and the greatest.
fn thread_counts(most: usize) -> Vec<usize> {
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |&n| Some(2 * n)).take_while(|&n| n < most).collect();
    counts.push(most);
    counts
}

fn run(args: &Args) -> Result<(), Failure> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let counts = thread_counts(args.threads.unwrap_or(cpus).max(1));
    let machine = machine::measure(&counts)?;
    let mut rows = Vec::new();
    for &boxes in &args.boxes {
        rows.extend(stages::measure(boxes, &counts, args.rounds)?);
    }
    report::print(&machine, &rows, args.json);
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("scaling.csv"), report::csv(&machine, &rows))?;
    }
    if let Some(page) = &args.page {
        let text = std::fs::read_to_string(page)?;
        std::fs::write(page, report::fill(&text, &machine, &rows)?)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scaling: {error}");
            ExitCode::from(2)
        }
    }
}

#[test]
fn thread_counts_are_powers_of_two_and_the_greatest() {
    assert_eq!(thread_counts(1), [1]);
    assert_eq!(thread_counts(2), [1, 2]);
    assert_eq!(thread_counts(12), [1, 2, 4, 8, 12]);
}
