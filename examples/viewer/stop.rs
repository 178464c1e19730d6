//! Why the viewer ended. Each reason is shown as one line.

use std::io;
use std::path::PathBuf;

use swath::Invalid;
use swath::batch::LengthMismatch;
use swath::broadphase::FindError;
use swath::pipeline::{CaptureError, PipelineError};

use scenes::fault::TraceError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}")]
    Trace(#[from] TraceError),
    #[error("{}: {reason}", path.display())]
    Capture { path: PathBuf, reason: CaptureError },
    #[error("{}: {error}", path.display())]
    Tick { path: PathBuf, error: PipelineError },
    /// `rejected` rows are invalid in all; this is the first.
    #[error("{name}: row {row} is invalid: {reason} (invalid rows: {rejected})")]
    NoBox { name: String, row: u32, reason: Invalid, rejected: usize },
    #[error(
        "a page would contain {megabytes} MB of boxes and pairs, and at most {most} are allowed: use fewer boxes or ticks"
    )]
    TooLarge { megabytes: usize, most: usize },
    #[error(transparent)]
    Columns(#[from] LengthMismatch),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error("engine: {0}")]
    Engine(#[from] engine::Failure),
    #[error("engine: {0}")]
    Body(#[from] Invalid),
    #[error("engine: {0}")]
    Shape(#[from] swath::convex::InvalidShape),
    #[error("cannot make the page: {0}")]
    Page(#[from] serde_json::Error),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("cannot listen on 127.0.0.1:{port}: {reason}")]
    Listen { port: u16, reason: String },
    #[error("cannot print the address: {0}")]
    Print(io::Error),
}
