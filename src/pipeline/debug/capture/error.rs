//! Why a tick cannot be written or read, and the numbers that begin a file.

use crate::pipeline::config::PipelineError;

pub(super) const MAGIC: [u8; 8] = *b"SWATHTIC";
/// The newest version of the format. Older ones are read too.
pub const VERSION: u32 = 2;
/// The oldest version that is read.
pub(super) const VERSION_MIN: u32 = 1;
/// Bytes of magic, version and length.
pub(super) const HEAD: usize = 20;
/// Bytes of the checksum at the end.
pub(super) const CHECKSUM: usize = 8;

/// Why a tick cannot be written, or a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The scene is invalid.
    #[error(transparent)]
    Scene(#[from] PipelineError),
    /// A shape is implemented by the caller; code cannot be written.
    #[error(
        "the shape of row {row} is a support map of the caller and cannot be written; use a hull for it"
    )]
    OwnShape {
        /// The row of the shape.
        row: u32,
    },
    /// The bytes do not start like a captured tick.
    #[error("not a captured tick; `Pipeline::capture` writes one")]
    NoCapture,
    /// The file was written by an older version of the format.
    #[error(
        "a captured tick of version {version}, which is too old: versions {VERSION_MIN} to {VERSION} are read; write it again with this version of swath"
    )]
    TooOld {
        /// The version of the file.
        version: u32,
    },
    /// The file was written by a newer version of the format.
    #[error(
        "a captured tick of version {version}, which is too new: versions {VERSION_MIN} to {VERSION} are read; read it with the version of swath that wrote it"
    )]
    TooNew {
        /// The version of the file.
        version: u32,
    },
    /// The file is incomplete.
    #[error(
        "a captured tick of which only {found} of {expected} bytes are there; copy or write it again"
    )]
    Truncated {
        /// The length that the file should have.
        expected: u64,
        /// The length that it has.
        found: u64,
    },
    /// The checksum is wrong.
    #[error(
        "a captured tick that is damaged: its checksum is not that of its bytes; copy or write it again"
    )]
    Damaged,
    /// The file has more rows than allowed. The limit keeps a short file from requesting much
    /// memory.
    #[error(
        "a captured tick of {rows} rows, of which at most {most} may be read; without a limit of the caller \
         that is one for each byte of the file"
    )]
    TooManyRows {
        /// The number of rows of the file.
        rows: u32,
        /// The number of rows that is allowed.
        most: usize,
    },
    /// The checksum is right, but the contents are not a valid tick.
    #[error("a captured tick that is invalid at byte {at}; {expected} was expected")]
    Malformed {
        /// The position of the error, in bytes.
        at: usize,
        /// What the format requires there.
        expected: &'static str,
    },
}

pub(super) fn malformed(at: usize, expected: &'static str) -> CaptureError {
    CaptureError::Malformed { at, expected }
}
