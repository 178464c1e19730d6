//! Screens objects in orbit for close approaches.
//!
//! It draws a catalogue of objects on Kepler orbits around the Earth, and finds all pairs that come within a distance of
//! each other: a moving box around each object's arc in each tick, the exact pairs of these boxes, and the closest
//! approach of each pair in `f64`.
//!
//! ```text
//! cargo run --release --example conjunctions
//! cargo run --release --example conjunctions -- --objects 5000 --hours 6 --list 10 --picture orbits.svg
//! ```
//!
//! An error is printed as one line on stderr. Exit code: 0, or 2 if there is no run, for example because of a bad
//! argument.

mod picture;
mod report;

use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use conjunctions::catalogue::catalogue;
use conjunctions::screen::{ScreenError, Settings, TICK_SECONDS, screen};
use cpu_time::ProcessTime;
use examples::usage::whole;
use rayon::ThreadPoolBuilder;
use report::Report;

/// More threads than any machine has, and few enough to start.
const THREADS_MAX: i64 = 1024;
/// More objects than are tracked today, and few enough for the memory of a small computer.
const OBJECTS_MAX: i64 = 2_000_000;

/// Finds all pairs of objects in orbit that come within a distance of each other.
///
/// Orbits are those of two bodies. The catalogue is drawn at random; altitudes and eccentricities resemble those of the
/// objects that are tracked today.
#[derive(Debug, Parser)]
#[command(name = "conjunctions")]
pub(crate) struct Args {
    /// Number of objects.
    #[arg(long, value_name = "N", default_value_t = 30_000)]
    #[arg(value_parser = whole::<u32>(0..=OBJECTS_MAX), allow_negative_numbers = true)]
    pub(crate) objects: u32,
    /// Time to screen, in hours. It is rounded up to whole ticks.
    #[arg(long, value_name = "H", default_value_t = 24.0, allow_negative_numbers = true)]
    pub(crate) hours: f64,
    /// Length of a tick in seconds.
    #[arg(long, value_name = "S", default_value_t = 60.0, allow_negative_numbers = true)]
    pub(crate) tick_seconds: f64,
    /// Distance in km.
    #[arg(long, value_name = "KM", default_value_t = 5.0, allow_negative_numbers = true)]
    pub(crate) within_km: f64,
    /// Seed of the catalogue.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Number of threads. The default is one for each logical core.
    #[arg(long, value_name = "T", value_parser = whole::<u16>(1..=THREADS_MAX))]
    #[arg(allow_negative_numbers = true)]
    threads: Option<u16>,
    /// Print so many of the closest approaches; with --json, all of them are printed if this is not given.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) list: Option<usize>,
    /// Draw the objects and their approaches to this file (SVG).
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Why a run ended early. Each reason is shown as one line.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("expected between 0 and 8784 hours, got {0}")]
    Hours(f64),
    #[error("so short a tick makes more than {} ticks", u32::MAX)]
    Ticks,
    #[error(transparent)]
    Screen(#[from] ScreenError),
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("{}: {error}", path.display())]
    Picture { path: PathBuf, error: io::Error },
    #[error("cannot write the result: {0}")]
    Output(io::Error),
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("conjunctions", &error),
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => examples::usage::end("conjunctions", examples::usage::REFUSED, &stop),
    }
}

fn run(args: &Args) -> Result<(), Stop> {
    if !(0.0..=8784.0).contains(&args.hours) {
        return Err(Stop::Hours(args.hours));
    }
    // Less the rounding errors of the decimal and of two operations, so that 0.55 hours are 33 ticks of 60 s.
    let ticks = args.hours * 3600.0 / args.tick_seconds * (1.0 - 4.0 * f64::EPSILON);
    let ticks = ticks.ceil();
    // The screening rejects other lengths of a tick.
    if TICK_SECONDS.contains(&args.tick_seconds) && ticks > f64::from(u32::MAX) {
        return Err(Stop::Ticks);
    }
    let settings = Settings {
        tick_seconds: args.tick_seconds,
        ticks: ticks.max(0.0) as usize,
        within_km: args.within_km,
    };
    let pool = ThreadPoolBuilder::new().num_threads(args.threads.map_or(0, usize::from)).build()?;
    let objects = catalogue(args.objects as usize, args.seed);
    let bar = examples::progress::bar("screening", settings.ticks as u32, args.json);
    let cpu = ProcessTime::now();
    let show = |done| {
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    };
    let screened = pool.install(|| screen(&objects, &settings, show));
    let cpu = cpu.elapsed();
    bar.finish_and_clear();
    let screening = screened?;
    if let Some(path) = &args.picture {
        let svg = picture::draw(&objects, &screening.conjunctions);
        std::fs::write(path, svg).map_err(|error| Stop::Picture { path: path.clone(), error })?;
    }
    let report =
        Report { args, settings, threads: pool.current_num_threads(), cpu, screening: &screening };
    let text = if args.json { report.json() } else { report.table() };
    io::stdout().write_all(text.as_bytes()).map_err(Stop::Output)
}
