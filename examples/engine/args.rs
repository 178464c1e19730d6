//! What was asked for?

use clap::{Error, Parser, value_parser};

/// Who changes its way is compared with all, so time grows with the square.
const BULLETS_MAX: i64 = 20_000;
const TICKS_MAX: i64 = 100_000;
/// More than any machine has, and few enough to start.
const THREADS_MAX: i64 = 1024;

/// Shoots bullets at a wall of bricks in a room of thin sheets, 60 ticks a second, with CCD and without.
///
/// With CCD none gets out, else the exit code is 1. The totals of energy and momentum are of the bricks
/// and bullets. `hash` is 64-bit FNV-1a over all positions and displacements after every tick: the
/// same for any number of threads.
#[derive(Debug, Parser)]
#[command(name = "engine")]
pub(crate) struct Args {
    /// How many bullets, at 500 m/s.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = value_parser!(u32).range(..=BULLETS_MAX), allow_negative_numbers = true)]
    pub(crate) bullets: u32,
    /// How many ticks of 1/60 s. With CCD, and by default otherwise, all bodies sleep after some 500 ticks.
    #[arg(long, value_name = "K", default_value_t = 600)]
    #[arg(value_parser = value_parser!(u32).range(1..=TICKS_MAX), allow_negative_numbers = true)]
    pub(crate) ticks: u32,
    /// What the bullets are drawn from.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// How many threads; by default as many as the CPU has.
    #[arg(long, value_name = "T", value_parser = value_parser!(u16).range(1..=THREADS_MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
    /// The run without CCD alone.
    #[arg(long)]
    pub(crate) no_ccd: bool,
    /// No room and no gravity: nothing takes momentum away. With CCD alone.
    #[arg(long, conflicts_with = "no_ccd")]
    pub(crate) space: bool,
    /// Print one JSON object for each run, in a line.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Args {
    pub(crate) fn of_command_line() -> Result<Self, Error> {
        Self::try_parse()
    }
}
