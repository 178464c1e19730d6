//! What was asked for?

use std::path::PathBuf;

use clap::{Error, Parser, value_parser};

use scenes::Scene;

/// More than a page can show with grace.
const BOXES_MAX: i64 = 100_000;
const TICKS_MAX: i64 = 10_000;

/// Shows recorded ticks and the search for the first time of one convex pair, in a browser.
///
/// The address is printed; nobody but this machine can reach it.
#[derive(Debug, Parser)]
#[command(name = "viewer")]
pub(crate) struct Args {
    /// Where to listen on 127.0.0.1; 0 takes a free port.
    #[arg(long, value_name = "PORT", default_value_t = 8117, allow_negative_numbers = true)]
    pub(crate) port: u16,
    /// Write the page of recorded ticks to this file instead of serving it.
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, default_value_t = Scene::Bullets, help = Scene::help())]
    pub(crate) scene: Scene,
    /// The example `engine` instead of a scene: bullets at a wall of bricks; `--boxes` are bullets.
    #[arg(long, conflicts_with = "scene")]
    pub(crate) engine: bool,
    /// The engine without CCD.
    #[arg(long, requires = "engine")]
    pub(crate) no_ccd: bool,
    /// How many boxes the scene has.
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = value_parser!(u32).range(..=BOXES_MAX), allow_negative_numbers = true)]
    pub(crate) boxes: u32,
    /// How many ticks of the scene are recorded.
    #[arg(long, value_name = "K", default_value_t = 40)]
    #[arg(value_parser = value_parser!(u32).range(1..=TICKS_MAX), allow_negative_numbers = true)]
    pub(crate) ticks: u32,
    /// What the scene is drawn from.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Recorded ticks (`.swt`) instead of a scene, in this order.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["boxes", "engine", "scene", "seed", "ticks"])]
    pub(crate) trace: Vec<PathBuf>,
    /// Ticks that a pipeline wrote down (`tick --capture`) instead of a scene, in this order.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["boxes", "engine", "scene", "seed", "ticks", "trace"])]
    pub(crate) replay: Vec<PathBuf>,
}

impl Args {
    pub(crate) fn of_command_line() -> Result<Self, Error> {
        Self::try_parse()
    }
}
