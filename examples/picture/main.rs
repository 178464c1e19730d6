//! Draws the pictures of the documentation as SVG, from what swath computes.
//!
//! ```text
//! cargo run --example picture -- --out docs/picture.svg
//! cargo run --example picture -- --drawing toi --out docs/guide/toi.svg
//! cargo run --example picture -- --links docs/guide/drawings.md
//! ```
//!
//! `--links` writes all drawings once more, as link definitions with data URIs: the pages of the guide contain their drawings
//! when they are rendered with the documentation of the crate, where no file is beside them.
//!
//! An error is printed as one line on stderr. Exit code: 0, or 2 if no picture was written.

mod long_path;
mod pairs;
mod strips;
mod svg;
mod toi;

use std::error::Error;
use std::fmt::Write;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Parser, ValueEnum};
use examples::usage::whole;

/// Draws what swath computes in one tick, as SVG.
#[derive(Debug, Parser)]
#[command(name = "picture")]
struct Args {
    /// What to draw.
    #[arg(long, value_enum, default_value_t = Drawing::Pairs)]
    drawing: Drawing,
    /// Write the picture to this file; without it, the picture is printed.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Seed of the random scene of `pairs`.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole::<u64>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    seed: u64,
    /// Number of crates in the scene of `pairs`.
    #[arg(long, value_name = "N", default_value_t = 28, allow_negative_numbers = true)]
    #[arg(value_parser = whole::<u16>(0..=2000))]
    crates: u16,
    /// Number of bullets in the scene of `pairs`.
    #[arg(long, value_name = "N", default_value_t = 7, allow_negative_numbers = true)]
    #[arg(value_parser = whole::<u16>(0..=2000))]
    bullets: u16,
    /// Write the link definitions of all drawings to this file, and no picture.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["drawing", "out", "seed", "crates", "bullets"])]
    links: Option<PathBuf>,
}

/// The drawings of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Drawing {
    /// A small flat scene, and its pairs where they first touch.
    Pairs,
    /// The strips of the pair finder, seen along them, and the copies of boxes in them.
    Strips,
    /// The strips to which a fast box is copied.
    LongPath,
    /// The search for one time of impact: gaps and times of its rounds.
    Toi,
}

impl Drawing {
    fn draw(self, args: &Args) -> Result<String, Box<dyn Error>> {
        match self {
            Self::Pairs => pairs::draw(args.seed, args.crates, args.bullets),
            Self::Strips => strips::draw(),
            Self::LongPath => long_path::draw(),
            Self::Toi => toi::draw(),
        }
    }

    /// The label of the drawing in the pages.
    fn label(self) -> &'static str {
        match self {
            Self::Pairs => "drawing of pairs",
            Self::Strips => "drawing of strips",
            Self::LongPath => "drawing of a long path",
            Self::Toi => "drawing of a search",
        }
    }
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("picture", &error),
    };
    let refused = |why: &dyn Error| examples::usage::end("picture", examples::usage::REFUSED, &why);
    let text = if args.links.is_some() { links(&args) } else { args.drawing.draw(&args) };
    let text = match text {
        Ok(text) => text,
        Err(error) => return refused(&*error),
    };
    let file: Option<&Path> = args.links.as_deref().or(args.out.as_deref());
    let written = match file {
        Some(path) => std::fs::write(path, text),
        None => io::stdout().write_all(text.as_bytes()),
    };
    match (written, file) {
        (Ok(()), _) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        (Err(error), None) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        (Err(error), None) => refused(&error),
        (Err(error), Some(path)) => {
            refused(&io::Error::other(format!("{}: {error}", path.display())))
        }
    }
}

/// Returns a link definition for each drawing.
fn links(args: &Args) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for &drawing in Drawing::value_variants() {
        let svg = STANDARD.encode(drawing.draw(args)?);
        writeln!(text, "[{}]: data:image/svg+xml;base64,{svg}", drawing.label())?;
    }
    Ok(text)
}
