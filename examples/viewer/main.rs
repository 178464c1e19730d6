//! Shows recorded ticks and the search for one time of impact, in a browser.
//!
//! The program serves three pages to this machine only. The first plays recorded ticks: boxes, the bounds of
//! their paths, candidate pairs, and where and when pairs touch; for ticks that a pipeline wrote to a file,
//! also the shapes. On the second, two convex shapes, or one and a terrain of triangles, can be edited and dragged; swath
//! computes when they touch, and the page draws the search. The third does the same for a vertex and a face, and for two edges,
//! whose vertices move on straight lines. Each page is one file that loads nothing from elsewhere.
//!
//! ```text
//! cargo run --release --example viewer
//! cargo run --release --example viewer -- --scene pile --boxes 2000
//! cargo run --release --example viewer -- --engine
//! cargo run --release --example viewer -- --trace pile.swt --out pile.html
//! cargo run --release --example viewer -- --replay tick.bin
//! ```
//!
//! `cargo run --release --example tick -- --shapes 20 --boxes 500 --scene dense --ticks 1 --capture tick.bin`
//! writes such a tick.
//!
//! An error is printed as one line on stderr. Exit code: 0, or 2 if there is nothing to show, for example
//! because of a bad argument, a file that cannot be read or a port that is in use.

mod args;
mod captured;
mod elements;
mod facets;
mod http;
mod mesh;
mod pages;
mod pair;
mod recording;
mod server;
mod solids;
mod stop;
mod story;

use std::process::ExitCode;

use args::Args;
use recording::Recording;
use stop::Stop;

fn main() -> ExitCode {
    let args = match Args::of_command_line() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("viewer", &error),
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => examples::usage::end("viewer", examples::usage::REFUSED, &stop),
    }
}

/// Writes the page of recorded ticks, or serves all pages until the process ends.
fn run(args: &Args) -> Result<(), Stop> {
    let recording = if args.engine {
        Recording::of_engine(args)?
    } else if !args.trace.is_empty() {
        Recording::of_traces(&args.trace)?
    } else if !args.replay.is_empty() {
        Recording::of_captures(&args.replay)?
    } else if let Some(scene) = args.scene {
        Recording::of_scene(args, scene)?
    } else {
        Recording::of_story(args)?
    };
    let ticks = pages::ticks(&recording)?;
    if let Some(path) = &args.out {
        return std::fs::write(path, ticks)
            .map_err(|error| Stop::File { path: path.clone(), error });
    }
    server::serve(args.port, &[&ticks, &pages::pair(), &pages::elements()])
}
