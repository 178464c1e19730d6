//! Validation of columns: one SIMD pass that lists the invalid rows.

use super::row::Row;
use super::view::{BodyColumns, Columns, MovingBoxColumns};
use crate::geom::{COORD_MAX, Invalid};
use crate::lanes::{
    F32Lanes, GroupKernel, Isa, LANES_MAX, Level, LoadColumns as _, MaskLanes, U32Lanes,
};
use alloc::vec::Vec;
use core::fmt;

/// An invalid row, and why it is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The row.
    pub row: u32,
    /// Why it is invalid.
    pub reason: Invalid,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {}", self.row, self.reason)
    }
}

/// Columns, by default [`MovingBoxColumns`], together with the sorted list of their invalid rows.
///
/// Functions that take checked columns ignore the invalid rows.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, C = MovingBoxColumns<'a>> {
    columns: C,
    /// Sorted by row, each row once.
    rejected: &'a [Rejected],
    /// The number that the first row of `columns` had when the rows were checked. Not zero for a
    /// slice.
    first: u32,
}

impl<'a, T: Row<K>, const K: usize> Columns<'a, T, K> {
    /// Validates all rows and writes the invalid ones to `rejected`, in order.
    ///
    /// Reads 4 bytes per column and row. A row is valid when the `validate` function of its value
    /// accepts it, such as [`MovingBox::validate`](crate::MovingBox::validate).
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` rows.
    pub fn check(self, level: Level, rejected: &'a mut Vec<Rejected>) -> Checked<'a, Self> {
        assert!(u32::try_from(self.len()).is_ok(), "more rows than a u32 can count");
        rejected.clear();
        self.list_invalid(level, rejected);
        Checked { columns: self, rejected, first: 0 }
    }

    /// Appends the invalid rows to `rejected`, in order.
    pub(crate) fn list_invalid(self, level: Level, rejected: &mut Vec<Rejected>) {
        level.run_groups(self.len(), Check { columns: self, rejected });
    }
}

impl<'a, C: Copy> Checked<'a, C> {
    /// Wraps columns without validation.
    ///
    /// For callers that use valid rows only.
    pub(crate) fn all_valid(columns: C) -> Self {
        Self { columns, rejected: &[], first: 0 }
    }

    /// Wraps columns with the list of their invalid rows.
    pub(super) fn with_rejected(columns: C, rejected: &'a [Rejected]) -> Self {
        Self { columns, rejected, first: 0 }
    }

    /// Returns all rows, including the invalid ones.
    #[must_use]
    pub fn columns(&self) -> C {
        self.columns
    }

    /// Returns the invalid rows in order.
    ///
    /// The rows of a [`slice`](Checked::slice) are numbered as in the columns that were checked.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }

    /// Returns whether row `row` is invalid.
    #[must_use]
    pub fn is_rejected(&self, row: u32) -> bool {
        // There are no rows beyond `u32::MAX`.
        self.first.checked_add(row).is_some_and(|row| {
            self.rejected.binary_search_by_key(&row, |rejected| rejected.row).is_ok()
        })
    }

    /// Returns the list of invalid rows without the columns.
    pub(crate) fn without_columns(&self) -> Checked<'a, ()> {
        Checked { columns: (), rejected: self.rejected, first: self.first }
    }

    /// Returns a mask in which bit `k` is set if row `start + k` is invalid, for `lanes` rows.
    #[inline(always)]
    pub(crate) fn invalid(&self, start: usize, lanes: usize) -> u32 {
        if self.rejected.is_empty() { 0 } else { self.listed(start, lanes) }
    }

    #[cold]
    fn listed(&self, start: usize, lanes: usize) -> u32 {
        let start = self.first + start as u32;
        let from = self.rejected.partition_point(|rejected| rejected.row < start);
        let near = self.rejected[from..].iter().map(|rejected| rejected.row - start);
        near.take_while(|&lane| (lane as usize) < lanes).fold(0, |bits, lane| bits | 1 << lane)
    }
}

impl<'a> Checked<'a, BodyColumns<'a>> {
    /// Returns the boxes of the bodies, for functions that need no mass.
    ///
    /// A row of which only the inverse mass is invalid remains rejected.
    #[must_use]
    pub fn boxes(&self) -> Checked<'a, MovingBoxColumns<'a>> {
        Checked { columns: self.columns.boxes(), rejected: self.rejected, first: self.first }
    }
}

impl<'a, T, const K: usize> Checked<'a, Columns<'a, T, K>> {
    /// Returns the number of rows, including the invalid ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Returns a view of the rows `range`, for example one chunk for each thread.
    ///
    /// # Panics
    ///
    /// If the range is not within the rows.
    #[must_use]
    pub fn slice(&self, range: core::ops::Range<usize>) -> Self {
        let columns = self.columns.slice(range.clone());
        let first = self.first + range.start as u32;
        let from = self.rejected.partition_point(|rejected| rejected.row < first);
        let inside = &self.rejected[from..];
        let count =
            inside.partition_point(|rejected| ((rejected.row - first) as usize) < range.len());
        Self { columns, rejected: &inside[..count], first }
    }
}

struct Check<'a, 'r, T, const K: usize> {
    columns: Columns<'a, T, K>,
    rejected: &'r mut Vec<Rejected>,
}

impl<T: Row<K>, const K: usize> GroupKernel for Check<'_, '_, T, K> {
    #[inline(always)]
    fn group<I: Isa>(&mut self, isa: I, start: usize, seen: usize) -> bool {
        let numbers = self.columns.table().load(isa, start);
        check_group(isa, self.columns, &numbers, start, seen, self.rejected);
        true
    }
}

/// Validates the group of rows `numbers`, which starts at row `start`, and returns the mask of
/// valid rows.
///
/// Invalid rows are appended to `rejected`, except the first `seen`, which an earlier group
/// reported.
#[inline(always)]
pub(crate) fn check_group<I: Isa, T: Row<K>, const K: usize>(
    isa: I,
    columns: Columns<'_, T, K>,
    numbers: &[I::F32; K],
    start: usize,
    seen: usize,
    rejected: &mut Vec<Rejected>,
) -> I::Mask {
    const { assert!(LANES_MAX < 32, "lanes are counted in the bits of a u32") };
    let valid = is_valid::<I, T, K>(isa, numbers);
    let bad = !valid.bits() & ((1 << I::LANES) - 1) & (u32::MAX << seen);
    if bad != 0 {
        list(columns, start, bad, rejected);
    }
    valid
}

/// Returns the mask of valid rows. Comparisons with NaN are false, so a NaN makes a row invalid.
#[inline(always)]
fn is_valid<I: Isa, T: Row<K>, const K: usize>(isa: I, numbers: &[I::F32; K]) -> I::Mask {
    // The greatest magnitude of the numbers that may have either sign. The bits of floats are ordered as they are, and
    // those of a NaN are greater.
    let mut magnitude = isa.splat_u32(0);
    let mut valid = isa.splat(0.0).le(isa.splat(0.0));
    for (column, &number) in numbers.iter().enumerate() {
        let (least, greatest) = (T::LEAST[column], T::GREATEST[column]);
        if least == -COORD_MAX && greatest == COORD_MAX {
            magnitude = magnitude.max(number.abs().to_bits());
        } else {
            valid = valid & isa.splat(least).le(number) & number.le(isa.splat(greatest));
        }
    }
    valid = valid & I::F32::from_bits(magnitude).le(isa.splat(COORD_MAX));
    for &(low, high) in T::ORDERED {
        valid = valid & numbers[low].le(numbers[high]);
    }
    valid
}

/// Appends the row `start + k` with its error for each set bit `k` of `bad`.
#[cold]
#[inline(never)]
fn list<T: Row<K>, const K: usize>(
    columns: Columns<'_, T, K>,
    start: usize,
    mut bad: u32,
    rejected: &mut Vec<Rejected>,
) {
    while bad != 0 {
        let row = start + bad.trailing_zeros() as usize;
        bad &= bad - 1;
        if let Err(reason) = columns.get(row).check() {
            rejected.push(Rejected { row: row as u32, reason });
        }
    }
}
