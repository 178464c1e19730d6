//! Runs a small engine on swath, and counts the bodies that tunnel.
//!
//! `engine.rs` is the engine, to be read and copied. The other files build a shooting range and print
//! statistics: 1,000 bullets at 500 m/s, which is 8 m per tick, hit a wall of bricks in a room whose walls
//! are 5 mm thick, first with CCD, then without.
//!
//! ```text
//! cargo run --release --example engine
//! cargo run --release --example engine -- --bullets 5000 --ticks 1200
//! cargo run --release --example engine -- --space --ticks 60
//! ```
//!
//! An error is printed as one line on stderr. Exit code: 0, or 1 if a body left the room with CCD, or 2 if
//! there is no run, for example because of a bad argument.

mod args;
mod report;
mod run;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use args::Args;
use engine::range::Plan;
use examples::progress::count;
use rayon::ThreadPoolBuilder;

#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("{} and {} got out of the room, with CCD", count(out[0], "bullet"), count(out[1], "brick"))]
    Tunnelled { out: [usize; 2] },
    #[error("{0}")]
    Body(engine::Failure),
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    let args = match Args::of_command_line() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("engine", &error),
    };
    match runs(&args) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            let status = if matches!(stop, Stop::Tunnelled { .. }) {
                examples::usage::WRONG
            } else {
                examples::usage::REFUSED
            };
            examples::usage::end("engine", status, &stop)
        }
    }
}

/// One run with CCD, one without.
fn runs(args: &Args) -> Result<(), Stop> {
    let threads = args.threads.map_or(0, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let Args { bullets, ticks, seed, space, .. } = *args;
    for ccd in [true, false] {
        if (ccd && args.no_ccd) || (!ccd && space) {
            continue;
        }
        let plan = Plan { bullets, seed, space, ccd };
        let samples = if ccd { report::SAMPLES } else { 3 };
        let outcome =
            pool.install(|| run::run(&plan, ticks, samples, args.json).map_err(|e| e.to_string()));
        let outcome = outcome.map_err(|message| Stop::Body(message.into()))?;
        let threads = pool.current_num_threads();
        let text = if args.json {
            report::json(&plan, ticks, threads, &outcome)
        } else {
            report::table(&plan, ticks, threads, &outcome)
        };
        let printed = io::stdout().write_all(text.as_bytes());
        // A body that left is reported also if the reader closed the pipe.
        if ccd && outcome.out != [0; 2] {
            return Err(Stop::Tunnelled { out: outcome.out });
        }
        printed?;
    }
    Ok(())
}
