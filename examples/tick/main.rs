//! Finds the pairs of a million moving boxes in each tick, and prints the times.
//!
//! It makes a scene or reads recorded ticks, finds the union pairs and the swept pairs of every tick, and
//! prints a table or JSON. With `--check` the results are compared with `spec`, or with the pairs recorded
//! beside a tick. With `--shapes` it also computes the impacts of convex shapes, and it can write such a tick
//! to a file and run it again.
//!
//! ```text
//! cargo run --release --example tick
//! cargo run --release --example tick -- --boxes 10000 --scene bullets --check
//! cargo run --release --example tick -- --trace pile.swt --check --json
//! cargo run --release --example tick -- --shapes 5 --capture tick.bin
//! cargo run --release --example tick -- --replay tick.bin
//! ```
//!
//! An error is printed as one line on stderr. Exit code: 0, or 1 if `--check` finds a wrong result, or 2 if
//! there is no run, for example because of a bad argument or a file that cannot be read.

mod args;
mod check;
mod impacts;
mod lists;
mod report;
mod run;
mod stop;

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use args::Args;
use check::Reference;
use rayon::{ThreadPool, ThreadPoolBuilder};
use run::Input;
use scenes::World;
use scenes::trace::{PairLists, Trace};
use stop::Stop;

fn main() -> ExitCode {
    let args = match Args::of_command_line() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("tick", &error),
    };
    match runs(&args) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            let status = if matches!(stop, Stop::Wrong { .. }) {
                examples::usage::WRONG
            } else {
                examples::usage::REFUSED
            };
            examples::usage::end("tick", status, &stop)
        }
    }
}

/// One run for the scene, or one for each trace.
fn runs(args: &Args) -> Result<(), Stop> {
    let pool = pool(args)?;
    if let Some(path) = &args.replay {
        return impacts::replay(args, &pool, path);
    }
    if let Some(percent) = args.shapes {
        return impacts::scene(args, &pool, percent);
    }
    if args.trace.is_empty() {
        return one_run(args, &pool, scene(args), "");
    }
    let mut printed = Ok(());
    for (index, path) in args.trace.iter().enumerate() {
        let input = recorded(path, args.check)?;
        let before = if index > 0 && !args.json { "\n" } else { "" };
        match one_run(args, &pool, input, before) {
            // The other ticks are checked also if the reader closed the pipe.
            Err(Stop::Output(error)) if args.check => printed = Err(Stop::Output(error)),
            outcome => outcome?,
        }
    }
    printed
}

/// Runs a tick and prints `before` and the report.
fn one_run(args: &Args, pool: &ThreadPool, mut input: Input, before: &str) -> Result<(), Stop> {
    let bar = examples::progress::bar(&input.name, args.ticks, args.json);
    let outcome = pool.install(|| run::run(&mut input, args.ticks, args.level, &bar));
    let outcome = outcome.map_err(|stop| stop.of_run(&input.name))?;
    bar.finish_and_clear();
    let threads = pool.current_num_threads();
    let text = if args.json {
        report::json(args, threads, &input, &outcome)
    } else {
        report::table(args, threads, &input, &outcome)
    };
    write!(io::stdout(), "{before}{text}").map_err(Stop::Output)
}

/// The threads that the whole run uses.
fn pool(args: &Args) -> Result<ThreadPool, Stop> {
    let threads = args.threads.map_or(0, usize::from);
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}

fn scene(args: &Args) -> Input {
    Input {
        name: format!("scene {}", args.scene),
        seed: Some(args.seed),
        world: World::new(args.scene, args.boxes as usize, args.seed),
        all_move: false,
        reference: args.check.then_some(Reference::Spec),
    }
}

fn recorded(path: &Path, check: bool) -> Result<Input, Stop> {
    let trace = Trace::read(path)?;
    let lists_path = path.with_extension("prs");
    let lists = check.then(|| PairLists::read(&lists_path)).transpose()?;
    if let Some(lists) = lists.as_ref().filter(|lists| lists.boxes as usize != trace.len()) {
        let (pairs_of, boxes) = (lists.boxes, trace.len());
        return Err(Stop::OtherTrace { lists: lists_path, pairs_of, boxes });
    }
    Ok(Input {
        name: format!("trace {}", path.display()),
        seed: None,
        world: trace.into_world(),
        all_move: true,
        reference: lists.map(Reference::Lists),
    })
}
