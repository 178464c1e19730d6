//! Positions of the vertices of a mesh at both ends of the tick.
//!
//! Simulation codes store `f64` and games `f32`; both are accepted, in rows or in columns. All arithmetic is in `f64`, into which
//! every `f32` converts without rounding, so nothing is copied or converted up front.

use crate::columns::{LengthMismatch, Rejected};
use crate::geom::{COORD_MAX, Invalid};
use alloc::vec::Vec;

/// Positions of vertices, in one of four layouts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum VertexPositions<'a> {
    /// A row of three numbers for each vertex.
    RowsF32(&'a [[f32; 3]]),
    /// A row of three numbers for each vertex.
    RowsF64(&'a [[f64; 3]]),
    /// A column for each axis. The columns are of equal length.
    ColumnsF32([&'a [f32]; 3]),
    /// A column for each axis. The columns are of equal length.
    ColumnsF64([&'a [f64]; 3]),
}

impl VertexPositions<'_> {
    /// Returns the length of each column, or the number of rows three times.
    fn lengths(&self) -> [usize; 3] {
        match self {
            Self::RowsF32(rows) => [rows.len(); 3],
            Self::RowsF64(rows) => [rows.len(); 3],
            Self::ColumnsF32(columns) => [columns[0].len(), columns[1].len(), columns[2].len()],
            Self::ColumnsF64(columns) => [columns[0].len(), columns[1].len(), columns[2].len()],
        }
    }

    /// Returns a position. Panics when there is no such vertex.
    #[inline(always)]
    pub(super) fn get(&self, row: usize) -> [f64; 3] {
        match self {
            Self::RowsF32(rows) => {
                let [x, y, z] = rows[row];
                [x.into(), y.into(), z.into()]
            }
            Self::RowsF64(rows) => rows[row],
            Self::ColumnsF32([x, y, z]) => [x[row].into(), y[row].into(), z[row].into()],
            Self::ColumnsF64([x, y, z]) => [x[row], y[row], z[row]],
        }
    }
}

impl<'a> From<&'a [[f32; 3]]> for VertexPositions<'a> {
    fn from(rows: &'a [[f32; 3]]) -> Self {
        Self::RowsF32(rows)
    }
}

impl<'a> From<&'a [[f64; 3]]> for VertexPositions<'a> {
    fn from(rows: &'a [[f64; 3]]) -> Self {
        Self::RowsF64(rows)
    }
}

impl<'a> From<[&'a [f32]; 3]> for VertexPositions<'a> {
    fn from(columns: [&'a [f32]; 3]) -> Self {
        Self::ColumnsF32(columns)
    }
}

impl<'a> From<[&'a [f64]; 3]> for VertexPositions<'a> {
    fn from(columns: [&'a [f64]; 3]) -> Self {
        Self::ColumnsF64(columns)
    }
}

/// Positions of vertices at the start and at the end of the tick, with the sorted list of invalid vertices.
///
/// Each vertex moves on the straight line between its two positions, at constant speed.
#[derive(Clone, Copy, Debug)]
pub struct MovingPoints<'a> {
    start: VertexPositions<'a>,
    end: VertexPositions<'a>,
    count: usize,
    rejected: &'a [Rejected],
}

impl<'a> MovingPoints<'a> {
    /// Validates all vertices and writes the invalid ones to `rejected`, in order.
    ///
    /// A vertex is valid if its coordinates in both positions are finite and at most [`COORD_MAX`] in magnitude. The layouts
    /// of `start` and `end` may differ.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if the two have different numbers of vertices, or columns of different lengths.
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` vertices.
    pub fn check(
        start: impl Into<VertexPositions<'a>>,
        end: impl Into<VertexPositions<'a>>,
        rejected: &'a mut Vec<Rejected>,
    ) -> Result<Self, LengthMismatch> {
        Self::check_points(start.into(), end.into(), rejected)
    }

    fn check_points(
        start: VertexPositions<'a>,
        end: VertexPositions<'a>,
        rejected: &'a mut Vec<Rejected>,
    ) -> Result<Self, LengthMismatch> {
        let count = start.lengths()[0];
        for &(names, points) in &[
            (["the positions `start`", "the column `start[1]`", "the column `start[2]`"], &start),
            (["the positions `end`", "the column `end[1]`", "the column `end[2]`"], &end),
        ] {
            for (name, length) in names.into_iter().zip(points.lengths()) {
                LengthMismatch::check(name, count, length)?;
            }
        }
        assert!(u32::try_from(count).is_ok(), "more vertices than a u32 can count");
        rejected.clear();
        for row in 0..count {
            if let Err(reason) = validate(start.get(row), end.get(row)) {
                rejected.push(Rejected { row: row as u32, reason });
            }
        }
        Ok(Self { start, end, count, rejected })
    }

    /// Returns the number of vertices, including the invalid ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the invalid vertices in order.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }

    /// Returns whether one of the vertices is invalid.
    #[inline]
    pub(super) fn is_any_rejected(&self, vertices: [u32; 4]) -> bool {
        let listed = |vertex: &u32| {
            self.rejected.binary_search_by_key(vertex, |rejected| rejected.row).is_ok()
        };
        !self.rejected.is_empty() && vertices.iter().any(listed)
    }

    /// Returns the positions of four vertices at the start and at the end.
    #[inline]
    pub(super) fn get(&self, vertices: [u32; 4]) -> [[[f64; 3]; 4]; 2] {
        let mut out = [[[0.0; 3]; 4]; 2];
        for (k, vertex) in vertices.into_iter().enumerate() {
            out[0][k] = self.start.get(vertex as usize);
            out[1][k] = self.end.get(vertex as usize);
        }
        out
    }
}

/// Checks the two positions of a vertex.
pub(super) fn validate(start: [f64; 3], end: [f64; 3]) -> Result<(), Invalid> {
    let limit = f64::from(COORD_MAX);
    // A single branch in the valid case. NaN compares false, so it is rejected too.
    let mut valid = true;
    for axis in 0..3 {
        valid &= (start[axis].abs() <= limit) & (end[axis].abs() <= limit);
    }
    if valid { Ok(()) } else { Err(reason(start, end)) }
}

/// Returns the error for the lowest invalid axis.
#[cold]
fn reason(start: [f64; 3], end: [f64; 3]) -> Invalid {
    let finite = |axis: usize| start[axis].is_finite() && end[axis].is_finite();
    let large = |x: f64| x.abs() > f64::from(COORD_MAX);
    let bad = |&axis: &usize| !finite(axis) || large(start[axis]) || large(end[axis]);
    let axis = (0..3).find(bad).unwrap_or(0);
    if finite(axis) {
        Invalid::TooLarge { axis: axis as u8 }
    } else {
        Invalid::NotFinite { axis: axis as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the error of a vertex contains the lowest axis that is invalid, and the greatest coordinate is valid. Method: each axis of each
    /// position is at the limit, beyond it or not a number, with the greatest coordinate on all other axes.
    #[test]
    fn vertex_beyond_the_limit_is_rejected_with_its_axis() {
        let limit = f64::from(COORD_MAX);
        assert_eq!(validate([limit; 3], [-limit; 3]), Ok(()));
        for axis in 0..3_u8 {
            for (number, reason) in [
                (limit * 1.5, Invalid::TooLarge { axis }),
                (-limit * 1.5, Invalid::TooLarge { axis }),
                (f64::NAN, Invalid::NotFinite { axis }),
                (f64::NEG_INFINITY, Invalid::NotFinite { axis }),
            ] {
                let (valid, mut invalid) = ([limit, -limit, limit], [-limit; 3]);
                invalid[usize::from(axis)] = number;
                assert_eq!(validate(valid, invalid), Err(reason), "{number}");
                assert_eq!(validate(invalid, valid), Err(reason), "{number}");
            }
        }
    }

    /// Goal: vertices are counted, also invalid ones and if there are no vertices. Method: rows and columns of both types.
    #[test]
    fn moving_points_are_empty_without_vertices() {
        let mut rejected = Vec::new();
        let none: &[[f32; 3]] = &[];
        let points = MovingPoints::check(none, none, &mut rejected).expect("no vertices");
        assert_eq!((points.is_empty(), points.len()), (true, 0));
        let columns: [&[f64]; 3] = [&[0.0, f64::NAN]; 3];
        let points = MovingPoints::check(columns, columns, &mut rejected).expect("two vertices");
        assert_eq!((points.is_empty(), points.len(), points.rejected().len()), (false, 2, 1));
    }
}
