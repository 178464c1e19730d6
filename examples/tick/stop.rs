//! Why a run ended early. Each reason is shown as one line.

use std::io;
use std::path::PathBuf;

use rayon::ThreadPoolBuildError;
use swath::Invalid;
use swath::batch::LengthMismatch;
use swath::broadphase::FindError;
use swath::pipeline::{CaptureError, PipelineError};

use scenes::fault::TraceError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}")]
    Pipeline(#[from] PipelineError),
    #[error("{0}")]
    Written(#[from] CaptureError),
    #[error("{}: {reason}", path.display())]
    Capture { path: PathBuf, reason: CaptureError },
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{0}")]
    Trace(#[from] TraceError),
    #[error("{}: pairs of {pairs_of} boxes, but the trace has {boxes}", lists.display())]
    OtherTrace { lists: PathBuf, pairs_of: u32, boxes: usize },
    /// `rejected` rows are invalid in all; this is the first.
    #[error("{name}: row {row} is invalid: {reason} (invalid rows: {rejected} of {boxes})")]
    NoBox { name: String, row: u32, reason: Invalid, rejected: usize, boxes: usize },
    #[error("{name}, tick {tick}: {disagreement}")]
    Wrong { name: String, tick: u32, disagreement: String },
    #[error(transparent)]
    Columns(#[from] LengthMismatch),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(
        "{name}: {found} pairs, and at most {most} are allowed: too many boxes are in one place"
    )]
    Crowd { name: String, found: usize, most: usize },
    #[error("cannot start the threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    #[error("cannot write the result: {0}")]
    Output(io::Error),
}

impl Stop {
    /// Adds the name of the run to a reason that contains none.
    pub(crate) fn of_run(self, name: &str) -> Self {
        match self {
            Self::Find(FindError::TooManyPairs { found, most })
            | Self::Pipeline(PipelineError::Find(FindError::TooManyPairs { found, most })) => {
                Self::Crowd { name: name.to_owned(), found, most }
            }
            other => other,
        }
    }
}
