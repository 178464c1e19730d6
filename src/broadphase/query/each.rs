//! Overlaps and nearest boxes of many rows in one call.
//!
//! Chunks of rows are divided among threads. Several proximity queries run alternately, so that the
//! prefetch of one overlaps with the computation of the others. The answers are those of single
//! queries.

use super::nearest::NearestTo;
use super::{Queries, run_queries};
use crate::columns::{AabbColumns, Checked, LengthMismatch};
use crate::geom::{Aabb, Invalid, MapEach};
use crate::kernels::Hit;
use crate::kernels::proximity::check_max;
use crate::par;
use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::ControlFlow;

/// Name of the list of where the results of each row start, and where the last end.
pub(crate) const STARTS: &str = "the list `starts`, with one element more than there are rows";

/// Rows that are queried together.
const BATCH: usize = 64;
/// Rows that one thread takes at a time.
const CHUNK: usize = 4 * BATCH;

impl<'a> Queries<'a> {
    /// Finds the overlaps of many boxes, on several threads if there are more than 256: the answers are those of
    /// [`Queries::overlap`] for each.
    ///
    /// ```
    /// use swath::{AabbColumns, Bvh, Level};
    ///
    /// let (low, high) = ([0.0, 1.0, 2.0, 9.0], [1.0, 2.0, 3.0, 9.5]);
    /// let boxes = AabbColumns::new([&low; 3], [&high; 3])?;
    /// let mut tree = Bvh::new();
    /// tree.build(boxes)?;
    ///
    /// let mut rejected = Vec::new();
    /// let boxes = boxes.check(Level::detect(), &mut rejected);
    /// let (mut starts, mut rows) = ([0; 5], Vec::new());
    /// tree.queries().overlaps(&boxes).all(&mut starts, &mut rows)?;
    /// assert_eq!(starts, [0, 2, 5, 7, 8]);
    /// assert_eq!(rows[2..5], [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlaps<'s>(&self, many: &Checked<'s, AabbColumns<'s>>) -> Overlaps<'a, 's> {
        Overlaps { queries: *self, many: *many }
    }

    /// Finds the boxes nearest to many boxes, on several threads if there are more than 256: the answers are those of
    /// [`Queries::proximity`] for each. For points, pass the same columns as minimum and as maximum
    /// corners.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `max_distance` is negative or NaN.
    ///
    /// ```
    /// use swath::{AabbColumns, Bvh, Level};
    /// use swath::batch::Hit;
    ///
    /// let (x, zeros) = ([7.0, 3.0, 5.0, 3.5], [0.0; 4]);
    /// let points = AabbColumns::new([&x, &zeros, &zeros], [&x, &zeros, &zeros])?;
    /// let mut tree = Bvh::new();
    /// tree.build(points)?;
    ///
    /// // The nearest two of each: itself, and another one at a distance of at most 1.
    /// let mut rejected = Vec::new();
    /// let points = points.check(Level::detect(), &mut rejected);
    /// let mut hits = [Hit::MISS; 8];
    /// tree.queries().proximities(&points, 1.0)?.k_nearest(2, &mut hits)?;
    /// assert_eq!((hits[0].row, hits[1]), (0, Hit::MISS));
    /// assert_eq!((hits[2].row, hits[3].row), (1, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn proximities<'s>(
        &self,
        many: &Checked<'s, AabbColumns<'s>>,
        max_distance: f32,
    ) -> Result<Proximities<'a, 's>, Invalid> {
        check_max(max_distance)?;
        Ok(Proximities { queries: *self, many: *many, max_distance })
    }
}

/// A query for the overlaps of many boxes. Invalid rows overlap nothing.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct Overlaps<'a, 's> {
    queries: Queries<'a>,
    many: Checked<'s, AabbColumns<'s>>,
}

/// A query for the boxes nearest to many boxes. Invalid rows are near nothing.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct Proximities<'a, 's> {
    queries: Queries<'a>,
    many: Checked<'s, AabbColumns<'s>>,
    max_distance: f32,
}

impl Overlaps<'_, '_> {
    /// Replaces the contents of `rows` by the boxes that are found: those of row `i` are
    /// `rows[starts[i]..starts[i + 1]]`, in order.
    ///
    /// Each query runs twice, first to count its results. For pairs in a single list see
    /// [`FixedBoxes::union_pairs`](crate::FixedBoxes::union_pairs).
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when the length of `starts` is not the number of rows plus one; then
    /// nothing is written.
    pub fn all(&self, starts: &mut [usize], rows: &mut Vec<u32>) -> Result<(), LengthMismatch> {
        self.all_with_ids(starts, rows, |row| row, par::sort_rows)
    }

    /// Writes what [`Overlaps::all`] does, with ids instead of rows: `id_of` returns the id of a row, and `sort` sorts ids, whose order must be
    /// that of the rows.
    pub(crate) fn all_with_ids<T: Copy + Default + Send>(
        &self,
        starts: &mut [usize],
        rows: &mut Vec<T>,
        id_of: impl Fn(u32) -> T + Sync,
        sort: fn(&mut [T]),
    ) -> Result<(), LengthMismatch> {
        let threads = self.queries.threads;
        LengthMismatch::check(STARTS, self.many.len() + 1, starts.len())?;
        starts[0] = 0;
        par::fill_chunks(threads, &mut starts[1..], CHUNK, &|start, chunk| {
            for (row, count) in (start..).zip(chunk) {
                *count = 0;
                self.visit(row, |_| *count += 1);
            }
        });
        let mut needed = 0;
        for start in &mut *starts {
            needed += *start;
            *start = needed;
        }
        rows.resize(needed, T::default());
        par::fill_parts(threads, starts, rows, CHUNK, &|row, part| {
            let mut places = part.iter_mut();
            self.visit(row, |met| {
                if let Some(place) = places.next() {
                    *place = id_of(met);
                }
            });
            sort(part);
        });
        Ok(())
    }

    /// Calls `visitor` with each box that overlaps a row.
    fn visit(&self, row: usize, mut visitor: impl FnMut(u32)) {
        if let Some(traversal) =
            of_row(&self.many, row).and_then(|of| self.queries.overlap(&of).ok())
        {
            traversal.visit(|row| {
                visitor(row);
                ControlFlow::Continue(())
            });
        }
    }
}

impl Proximities<'_, '_> {
    /// Writes to `out[i]` the box nearest to row `i`, among equal distances the one in the lowest
    /// row, or [`Hit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` does not have the same number of rows; then nothing is
    /// written.
    pub fn nearest(&self, out: &mut [Hit]) -> Result<(), LengthMismatch> {
        self.k_nearest(1, out)
    }

    /// Writes to `out[i * k..][..k]` the `k` boxes nearest to row `i`, ordered by distance, then by
    /// row, followed by [`Hit::MISS`] if there are fewer.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when the length of `out` is not `k` times the number of rows; then
    /// nothing is written.
    pub fn k_nearest(&self, k: usize, out: &mut [Hit]) -> Result<(), LengthMismatch> {
        let rows = self.many.len();
        LengthMismatch::check(
            "the output `out`, with `k` elements for each row",
            rows.saturating_mul(k),
            out.len(),
        )?;
        // The products are at most the length of `out`.
        let [chunk, batch] = [CHUNK, BATCH].map_each(|most| (most.min(rows) * k).max(1));
        par::fill_chunks(self.queries.threads, out, chunk, &|start, chunk| {
            for (at, some) in chunk.chunks_mut(batch).enumerate() {
                self.answer_batch(start / k + at * BATCH, some.chunks_mut(k));
            }
        });
        Ok(())
    }

    /// Answers the rows from `start` on, at most [`BATCH`].
    fn answer_batch<'r>(&self, start: usize, out: impl Iterator<Item = &'r mut [Hit]>) {
        let Self { queries, many, max_distance } = self;
        let mut parts = out.enumerate();
        // Unused and invalid rows get an empty output slice.
        let mut some: [_; BATCH] = from_fn(|_| {
            let (of, to) = parts.next().map_or((None, Default::default()), |(k, to)| {
                to.fill(Hit::MISS);
                (of_row(many, start + k), to)
            });
            let to = if of.is_some() { to } else { Default::default() };
            NearestTo::new(queries, &of.unwrap_or_default(), *max_distance, None, to)
        });
        run_queries(queries, &mut some);
        some.into_iter().for_each(|of| _ = of.into_hits());
    }
}

/// A row, or `None` if it is invalid.
fn of_row(many: &Checked<'_, AabbColumns<'_>>, row: usize) -> Option<Aabb> {
    (!many.is_rejected(row as u32)).then(|| many.columns().get(row))
}
