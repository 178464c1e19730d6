//! The command line of `tick`.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Error, Parser};
use examples::usage::whole;
use swath::Level;

use scenes::Scene;

/// The most boxes that the finder can number.
const BOXES_MAX: i64 = (1 << 26) - 1;
/// More threads than any machine has, and few enough to start.
const THREADS_MAX: i64 = 1024;
/// The most boxes for `--check`, because `spec` compares every pair of boxes.
const CHECKED_BOXES_MAX: u32 = 20_000;

/// Finds the pairs of moving boxes that touch in each tick, and prints the times.
///
/// Two kinds of pairs are found in each tick: union pairs, whose boxes around the whole paths overlap, and
/// swept pairs, whose boxes touch, with the first time. Both are timed; one tick before that warms up and is
/// not timed. Times are medians over the ticks, numbers of pairs are of the last tick.
///
/// The JSON keys `ms_median`, `ns_per_box`, `cpu_ns_per_box` and `floor_ratio` are of the union pairs; those
/// of the swept pairs begin with `swept_`. `floor_ms` is the time, in the same run and on as many threads, to
/// copy 24 bytes a box and write 8 bytes a union pair. `hash` is 64-bit FNV-1a over the swept pairs of all
/// ticks, sorted, 12 little-endian bytes each: the lower row, the higher row, the bits of the first time. It
/// is the same for every level and number of threads.
///
/// With `--shapes` or `--replay` the keys are those of whole ticks: `ms_median` and `ns_per_body` of the whole tick, `stages` of its
/// parts, `finder_ms` of the pair finder alone on the same boxes, and numbers of pairs and impacts of the last tick. `hash` is then
/// FNV-1a over the hashes of the impacts of all ticks; with --replay, over that of one of them, because all are equal.
#[derive(Debug, Parser)]
#[command(name = "tick")]
pub(crate) struct Args {
    /// Number of boxes in the scene.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    #[arg(value_parser = whole::<u32>(0..=BOXES_MAX), allow_negative_numbers = true)]
    pub(crate) boxes: u32,
    /// Number of timed ticks. A recorded tick is repeated.
    #[arg(long, value_name = "K", default_value_t = 30)]
    #[arg(value_parser = whole::<u32>(1..=u32::MAX.into()), allow_negative_numbers = true)]
    pub(crate) ticks: u32,
    #[arg(long, default_value_t = Scene::Uniform, help = Scene::help())]
    pub(crate) scene: Scene,
    /// Seed of the random scene.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Number of threads. The default is one for each logical core.
    #[arg(long, value_name = "T", value_parser = whole::<u16>(1..=THREADS_MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
    /// Instruction set: portable4, avx2 or avx512, if the CPU has it; with the feature `all-levels` also
    /// scalar and portable8.
    #[arg(long, default_value_t = Level::detect(), value_parser = level)]
    pub(crate) level: Level,
    /// Read recorded ticks (`.swt`) instead of making a scene; one run for each file.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["boxes", "scene", "seed"])]
    pub(crate) trace: Vec<PathBuf>,
    /// Check the results: those of a scene by comparing every pair of boxes in `f64` (at most 20,000 boxes),
    /// those of a trace with the pairs in the `.prs` file beside it.
    #[arg(long)]
    pub(crate) check: bool,
    /// Turn this percentage of the boxes into rotating convex shapes, and time whole ticks, from bodies to
    /// impacts, stage by stage.
    #[arg(long, value_name = "PERCENT", value_parser = whole::<u8>(0..=100))]
    #[arg(allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["trace", "check"])]
    pub(crate) shapes: Option<u8>,
    /// Write the last tick of a run with `--shapes` to this file.
    // Clap does not demand an option that another one excludes, so `requires` alone would let these through.
    #[arg(long, value_name = "FILE", requires = "shapes")]
    #[arg(conflicts_with_all = ["trace", "check", "replay"])]
    pub(crate) capture: Option<PathBuf>,
    /// Run a tick that `--capture` or an engine has written.
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["boxes", "scene", "seed", "trace", "check", "shapes"])]
    pub(crate) replay: Option<PathBuf>,
    /// Print one JSON object for each run, on one line.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Args {
    pub(crate) fn of_command_line() -> Result<Self, Error> {
        let args = Self::try_parse()?;
        let conflict = |message| Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        if args.check && args.trace.is_empty() && args.boxes > CHECKED_BOXES_MAX {
            return conflict(format!(
                "'--check' tries every pair of a scene, so it takes at most {CHECKED_BOXES_MAX} \
                 boxes; '--boxes' is {}",
                args.boxes
            ));
        }
        Ok(args)
    }
}

fn level(name: &str) -> Result<Level, String> {
    name.parse().map_err(|_| {
        let names: Vec<_> = Level::all().map(Level::name).collect();
        format!("the levels of this CPU are {}", names.join(", "))
    })
}
