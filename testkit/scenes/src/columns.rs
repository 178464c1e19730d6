//! Reads numbers and columns from the bytes of a recorded file.
//!
//! The magic and the version are read first, then the rest of the header. Then [`Rest::must_be`] compares the
//! length of the file with the counts in the header, and only then are columns allocated.

use std::cmp::Ordering;
use std::path::Path;
use std::{fs, io};

use super::fault::{Fault, TraceError};

const VERSION: u32 = 1;

/// Returns the bytes of a file.
///
/// # Errors
///
/// The error of the system, or that it is not a regular file: a device or a pipe may never end.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    fs::read(path)
}

/// Reads a whole file and parses it.
pub(super) fn read<T>(path: &Path, parse: fn(&[u8]) -> Result<T, Fault>) -> Result<T, TraceError> {
    let parsed = read_file(path).map_err(Fault::Io).and_then(|bytes| parse(&bytes));
    parsed.map_err(|fault| TraceError { path: path.to_owned(), fault })
}

/// The bytes of a file that are still to be read.
pub(super) struct Rest<'a> {
    bytes: &'a [u8],
    read_bytes: usize,
}

impl<'a> Rest<'a> {
    /// The bytes after the magic and the version, which contain at least the rest of the header.
    pub(super) fn new(bytes: &'a [u8], magic: &'static str, header: usize) -> Result<Self, Fault> {
        if !bytes.starts_with(magic.as_bytes()) {
            return Err(Fault::Foreign { magic });
        }
        if bytes.len() < header {
            let (expected_bytes, found_bytes) = (header as u64, bytes.len() as u64);
            return Err(Fault::Truncated { expected_bytes, found_bytes });
        }
        let mut rest = Self { bytes, read_bytes: 0 };
        rest.take(magic.len());
        match rest.u32() {
            VERSION => Ok(rest),
            found => Err(Fault::Version { expected: VERSION, found }),
        }
    }

    /// Checks the number of bytes that are left, before any of them is read.
    pub(super) fn must_be(&self, left_bytes: u64) -> Result<(), Fault> {
        let expected_bytes = self.read_bytes as u64 + left_bytes;
        let found_bytes = (self.read_bytes + self.bytes.len()) as u64;
        match found_bytes.cmp(&expected_bytes) {
            Ordering::Less => Err(Fault::Truncated { expected_bytes, found_bytes }),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(Fault::Trailing { expected_bytes, found_bytes }),
        }
    }

    /// The next bytes; their number has been checked.
    pub(super) fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(bytes);
        self.bytes = rest;
        self.read_bytes += bytes;
        taken
    }

    /// The next integer.
    pub(super) fn u32(&mut self) -> u32 {
        self.column(1, u32::from_le_bytes)[0]
    }

    /// The next column of `rows` rows.
    pub(super) fn column<T>(&mut self, rows: usize, from: fn([u8; 4]) -> T) -> Vec<T> {
        self.take(rows * 4).as_chunks().0.iter().map(|&bytes| from(bytes)).collect()
    }
}
