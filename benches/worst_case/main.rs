//! Searches for the scene on which swath takes longest for each box and pair.
//!
//! A scene is made from the numbers of a `Recipe`. The search draws random recipes, climbs from the best of a
//! few by changing one or two numbers at a time while that increases the ratio, and starts again when nothing
//! does. The ratio is the time per box and pair relative to that of the scene `uniform` with as many boxes.
//! Both are measured alternately on the calling thread, in CPU time of that thread, after one call that
//! allocates.
//!
//! ```text
//! cargo run --release --example worst_case -- --target union --boxes 20000 --minutes 3
//! ```
//!
//! Prints the worst scene as code that rebuilds it, and as its last line `worst RATIO x uniform`. Exit code:
//! 0, or 2 for a bad argument.

mod args;
mod measure;
mod search;

use args::Args;
use clap::Parser;
use search::Search;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("worst_case", &error),
    };
    let mut search = Search::new(&args);
    search.run(|line| {
        // If stderr is closed too, nothing can be reported.
        let _ = writeln!(io::stderr(), "{line}");
    });
    let worst = search.worst();
    let text = format!(
        "// {} boxes, target {}: {:.1} ns for each {} of {}; uniform: {:.1} ns.\n\
         // Measured with {} boxes.\n{:#?}.build({})\n\
         {} worlds looked at with seed {}\nworst {:.2} x uniform\n",
        args.boxes,
        args.target,
        worst.nanoseconds,
        args.target.unit(),
        worst.units,
        worst.uniform,
        worst.boxes,
        worst.recipe,
        args.boxes,
        search.looked_at(),
        args.seed,
        worst.ratio,
    );
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => examples::usage::end("worst_case", examples::usage::REFUSED, &error),
    }
}
