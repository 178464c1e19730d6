//! The command line of the search.

use clap::{Parser, ValueEnum, value_parser};
use std::fmt;

/// Searches for the scene on which swath takes longest for each box and pair.
///
/// The ratio that is maximised is the time per unit relative to that of the scene `uniform` with as many
/// boxes, both in CPU time of one thread. A unit is a box or a pair of boxes whose bounds of the whole path
/// overlap (`union`, `swept`); a box or such a pair, where every fourth box moves and the others are fixed
/// (`fixed`, building included); a box, a query or a hit (`bvh`: one build, and for every eighth box an
/// overlap query with it, the nearest box to its centre, and a cast from there). The last line printed is
/// `worst RATIO x uniform`.
#[derive(Clone, Debug, Parser)]
#[command(name = "worst_case")]
pub(crate) struct Args {
    /// Duration of the search in minutes.
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = minutes)]
    pub(crate) minutes: f64,
    /// Number of boxes of a scene.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    #[arg(value_parser = value_parser!(u32).range(1_000..=10_000_000))]
    pub(crate) boxes: u32,
    /// The measured code.
    #[arg(long, value_enum, default_value_t = Target::Union)]
    pub(crate) target: Target,
    /// Seed of the search.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Longest time for one measurement. A scene that would take longer is measured with fewer boxes.
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) evaluation_seconds: f64,
}

/// The measured code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// `PairFinder::union_pairs`.
    Union,
    /// `PairFinder::swept_pairs`.
    Swept,
    /// `FixedBoxes`: building, and `union_pairs` of the movers.
    Fixed,
    /// `Bvh`: building, and queries.
    Bvh,
}

impl Target {
    /// The divisor of the time.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Bvh => "box, query and hit",
            _ => "box and pair",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Union => "union",
            Self::Swept => "swept",
            Self::Fixed => "fixed",
            Self::Bvh => "bvh",
        })
    }
}

fn minutes(text: &str) -> Result<f64, String> {
    positive(text, 10_000.0)
}

fn seconds(text: &str) -> Result<f64, String> {
    positive(text, 1_000.0)
}

fn positive(text: &str, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= most => Ok(number),
        _ => Err(format!("a number above 0 and up to {most} is needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, Target};
    use clap::Parser;

    /// Goal: arguments out of range are errors, and the defaults are as documented.
    #[test]
    fn arguments_out_of_range_are_errors() {
        let args = Args::try_parse_from(["worst_case"]).unwrap();
        assert_eq!((args.boxes, args.target, args.seed), (20_000, Target::Union, 1));
        for wrong in [
            ["--boxes", "0"],
            ["--boxes", "-5"],
            ["--minutes", "0"],
            ["--minutes", "nan"],
            ["--target", "everything"],
            ["--evaluation-seconds", "inf"],
        ] {
            assert!(
                Args::try_parse_from(["worst_case"].iter().chain(&wrong)).is_err(),
                "{wrong:?}"
            );
        }
    }
}
