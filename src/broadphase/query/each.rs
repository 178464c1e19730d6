//! What is the answer to each of many questions?
//!
//! Questions are rows of columns; they are answered in chunks by all threads of the view, each answer
//! the one that the question alone would get.

use super::Queries;
use crate::geom::Aabb;
use crate::kernels::proximity::check_max;
use crate::kernels::{BatchError, Hit};
use crate::par;
use crate::store::{Checked, FixedColumns, LengthMismatch};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// How many questions a thread takes at a time.
const CHUNK: usize = 64;

impl<'a> Queries<'a> {
    /// Writes the `k` boxes nearest to row `i` of `many`, of those at most `max_distance` away, to
    /// `to[i * k..][..k]`: by distance, and by row where that is equal, [`Hit::MISS`] where there are
    /// fewer.
    ///
    /// A row may be a point: then its columns are lent twice. Rows that are no boxes are near
    /// nothing. As [`Query::k_nearest`](super::Query::k_nearest), on all threads of what is asked.
    ///
    /// # Errors
    ///
    /// [`BatchError`] when `to` has not `k` hits for each row, or `max_distance` is negative or not a
    /// number.
    ///
    /// ```
    /// use swath::store::FixedColumns;
    /// use swath::{BoxTree, Hit, Level};
    ///
    /// let (x, zeros) = ([7.0, 3.0, 5.0, 3.5], [0.0; 4]);
    /// let row = FixedColumns::new([&x, &zeros, &zeros], [&x, &zeros, &zeros])?;
    /// let mut tree = BoxTree::new();
    /// tree.build(row)?;
    ///
    /// // Of each the nearest two: itself, and one at most a unit away.
    /// let mut rejected = Vec::new();
    /// let points = row.check(Level::detect(), &mut rejected);
    /// let mut hits = [Hit::MISS; 8];
    /// tree.queries().nearest_to_each(&points, 1.0, 2, &mut hits)?;
    /// assert_eq!((hits[0].row, hits[1]), (0, Hit::MISS));
    /// assert_eq!((hits[2].row, hits[3].row), (1, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_to_each(
        &self,
        many: &Checked<'_, FixedColumns<'_>>,
        max_distance: f32,
        k: usize,
        to: &mut [Hit],
    ) -> Result<(), BatchError> {
        LengthMismatch::check("the output `to`", many.len() * k, to.len())?;
        check_max(max_distance)?;
        par::fill_chunks(self.threads, to, (CHUNK * k).max(1), |start, chunk| {
            for (row, hits) in (start / k..).zip(chunk.chunks_exact_mut(k)) {
                let near = row_of(many, row).and_then(|of| self.proximity(&of, max_distance).ok());
                let found = near.map_or(0, |near| near.k_nearest(hits).len());
                hits[found..].fill(Hit::MISS);
            }
        });
        Ok(())
    }

    /// Finds the boxes that share a point with each row of `many`: for row `i` those in
    /// `rows[starts[i]..starts[i + 1]]`, in order; what `rows` held is gone.
    ///
    /// Rows that are no boxes meet none. As [`Query::all`](super::Query::all) of [`Queries::overlap`], on all threads of
    /// what is asked; each question is asked twice, first for how many there are. For pairs in one
    /// list see [`FixedBoxes::union_pairs`](crate::FixedBoxes::union_pairs).
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `starts` has not one place more than `many` has rows; then nothing is
    /// written.
    ///
    /// ```
    /// use swath::store::FixedColumns;
    /// use swath::{BoxTree, Level};
    ///
    /// let (low, high) = ([0.0, 1.0, 2.0, 9.0], [1.0, 2.0, 3.0, 9.5]);
    /// let boxes = FixedColumns::new([&low; 3], [&high; 3])?;
    /// let mut tree = BoxTree::new();
    /// tree.build(boxes)?;
    ///
    /// let mut rejected = Vec::new();
    /// let boxes = boxes.check(Level::detect(), &mut rejected);
    /// let (mut starts, mut rows) = ([0; 5], Vec::new());
    /// tree.queries().overlap_each(&boxes, &mut starts, &mut rows)?;
    /// assert_eq!(starts, [0, 2, 5, 7, 8]);
    /// assert_eq!(rows[2..5], [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_each(
        &self,
        many: &Checked<'_, FixedColumns<'_>>,
        starts: &mut [usize],
        rows: &mut Vec<u32>,
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `starts`", many.len() + 1, starts.len())?;
        starts[0] = 0;
        par::fill_chunks(self.threads, &mut starts[1..], CHUNK, |start, chunk| {
            for (row, count) in (start..).zip(chunk) {
                *count = 0;
                self.visit_row(many, row, |_| *count += 1);
            }
        });
        let mut needed = 0;
        for start in &mut *starts {
            needed += *start;
            *start = needed;
        }
        rows.resize(needed, 0);
        par::fill_parts(self.threads, starts, rows, CHUNK, |row, part| {
            let mut places = part.iter_mut();
            self.visit_row(many, row, |of| {
                if let Some(place) = places.next() {
                    *place = of;
                }
            });
            part.sort_unstable();
        });
        Ok(())
    }

    /// Calls `see` with each box that meets a row.
    fn visit_row(
        &self,
        many: &Checked<'_, FixedColumns<'_>>,
        row: usize,
        mut see: impl FnMut(u32),
    ) {
        let meeting = row_of(many, row).and_then(|of| self.overlap(&of).ok());
        if let Some(meeting) = meeting {
            meeting.visit(|row| {
                see(row);
                ControlFlow::Continue(())
            });
        }
    }
}

/// A row, if it is valid.
fn row_of(many: &Checked<'_, FixedColumns<'_>>, row: usize) -> Option<Aabb> {
    (!many.is_rejected(row as u32)).then(|| many.columns().get(row))
}
