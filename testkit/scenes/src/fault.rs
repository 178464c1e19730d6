//! Errors of reading a recorded file. Each is shown as one line that contains the file.

use std::path::PathBuf;
use std::{fmt, io};

/// A file that could not be read.
#[derive(Debug)]
pub struct TraceError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug)]
pub enum Fault {
    /// The system could not read it.
    Io(io::Error),
    /// It does not begin with the expected magic.
    Foreign {
        /// The expected magic.
        magic: &'static str,
    },
    /// Its version is not supported.
    Version {
        /// The supported version.
        expected: u32,
        /// The version of the file.
        found: u32,
    },
    /// It is shorter than its header, or than the counts in its header require.
    Truncated {
        /// The required length.
        expected_bytes: u64,
        /// The actual length.
        found_bytes: u64,
    },
    /// It is longer than the counts in its header require.
    Trailing {
        /// The required length.
        expected_bytes: u64,
        /// The actual length.
        found_bytes: u64,
    },
    /// A list of pairs is not sorted, or contains a pair that is not `i < j < n`.
    Pairs {
        /// The list.
        list: &'static str,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Foreign { magic } => {
                write!(f, "not a recorded tick or its pairs: it does not begin with {magic:?}")
            }
            Self::Version { expected, found } => {
                write!(f, "version {found}, only version {expected} is known")
            }
            Self::Truncated { expected_bytes, found_bytes } => {
                write!(f, "truncated: {found_bytes} bytes, the header counts {expected_bytes}")
            }
            Self::Trailing { expected_bytes, found_bytes } => {
                write!(f, "trailing bytes: {found_bytes}, the header counts {expected_bytes}")
            }
            Self::Pairs { list } => write!(f, "the {list} pairs are not sorted pairs of i < j < n"),
        }
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            Fault::Io(error) => Some(error),
            _ => None,
        }
    }
}
