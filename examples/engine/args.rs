//! The command line of `engine`.

use clap::{Error, Parser};
use examples::usage::whole;

/// The most bullets: a body whose motion changes may be compared with all others, so the time can grow with
/// the square.
const BULLETS_MAX: i64 = 20_000;
const TICKS_MAX: i64 = 100_000;
/// More threads than any machine has, and few enough to start.
const THREADS_MAX: i64 = 1024;

/// Shoots bullets at a wall of bricks in a room of thin sheets, 60 ticks a second, with CCD and without.
///
/// With CCD no body may leave the room, otherwise the exit code is 1. The totals of energy and momentum are
/// of the bricks and bullets. `hash` is 64-bit FNV-1a over all positions and displacements after every tick;
/// it is the same for any number of threads.
#[derive(Debug, Parser)]
#[command(name = "engine")]
pub(crate) struct Args {
    /// Number of bullets, at 500 m/s.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = whole::<u32>(0..=BULLETS_MAX), allow_negative_numbers = true)]
    pub(crate) bullets: u32,
    /// Number of ticks of 1/60 s. With CCD and the other defaults, all bodies sleep after about 500 ticks.
    #[arg(long, value_name = "K", default_value_t = 600)]
    #[arg(value_parser = whole::<u32>(1..=TICKS_MAX), allow_negative_numbers = true)]
    pub(crate) ticks: u32,
    /// Seed of the random bullets.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Number of threads. The default is one for each logical core.
    #[arg(long, value_name = "T", value_parser = whole::<u16>(1..=THREADS_MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
    /// Run without CCD only.
    #[arg(long)]
    pub(crate) no_ccd: bool,
    /// Leave out the room and gravity, so that momentum is conserved. Only with CCD.
    #[arg(long, conflicts_with = "no_ccd")]
    pub(crate) space: bool,
    /// Print one JSON object for each run, on one line.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Args {
    pub(crate) fn of_command_line() -> Result<Self, Error> {
        Self::try_parse()
    }
}
