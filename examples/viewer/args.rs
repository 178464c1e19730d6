//! The command line of `viewer`.

use std::path::PathBuf;

use clap::{Error, Parser};
use examples::usage::whole;

use scenes::Scene;

/// More boxes make a page slow.
const BOXES_MAX: i64 = 100_000;
const TICKS_MAX: i64 = 10_000;

/// Shows recorded ticks and the search for the first time of one convex pair, in a browser.
///
/// Without a scene, the ticks are those of three bullets, a thin plate and a pile of crates.
///
/// The address is printed. Only this machine can open it.
#[derive(Debug, Parser)]
#[command(name = "viewer")]
pub(crate) struct Args {
    /// Port on 127.0.0.1; 0 chooses a free port.
    #[arg(long, value_name = "PORT", default_value_t = 8117, allow_negative_numbers = true)]
    pub(crate) port: u16,
    /// Write the page of recorded ticks to this file instead of serving it.
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, help = Scene::help(), group = "subject")]
    pub(crate) scene: Option<Scene>,
    /// Show the example `engine` instead of a scene: bullets at a wall of bricks. `--boxes` is the number of
    /// bullets.
    #[arg(long, group = "subject")]
    pub(crate) engine: bool,
    /// Run the engine without CCD.
    // Clap does not demand an option that another one excludes, so `requires` alone would let these through.
    #[arg(long, requires = "engine", conflicts_with_all = ["scene", "trace", "replay"])]
    pub(crate) no_ccd: bool,
    /// Number of boxes in the scene.
    #[arg(long, value_name = "N", default_value_t = 200, requires = "subject")]
    #[arg(value_parser = whole::<u32>(0..=BOXES_MAX), allow_negative_numbers = true)]
    pub(crate) boxes: u32,
    /// Number of recorded ticks.
    #[arg(long, value_name = "K", default_value_t = 40)]
    #[arg(value_parser = whole::<u32>(1..=TICKS_MAX), allow_negative_numbers = true)]
    pub(crate) ticks: u32,
    /// Seed of the random scene.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Show recorded ticks (`.swt`) instead of a scene, in this order.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["boxes", "engine", "scene", "seed", "ticks"])]
    pub(crate) trace: Vec<PathBuf>,
    /// Show ticks that a pipeline has written (`tick --capture`) instead of a scene, in this order.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["boxes", "engine", "scene", "seed", "ticks", "trace"])]
    pub(crate) replay: Vec<PathBuf>,
}

impl Args {
    pub(crate) fn of_command_line() -> Result<Self, Error> {
        Self::try_parse()
    }
}
