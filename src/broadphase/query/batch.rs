//! Casts and sweeps of many rows in one call.
//!
//! Chunks of rows are divided among threads. Within a chunk several queries run alternately, so
//! that the prefetch of one overlaps with the computation of the others. The answers are those of
//! single queries.

use super::Queries;
use super::collector::HitChoice;
use super::path::{BATCH, Path, first_of_many};
use crate::columns::{Checked, Columns, LengthMismatch, Row};
use crate::geom::{MovingBox, Segment};
use crate::kernels::Hit;
use crate::par::{self, Threads};

/// Rows that one thread takes at a time.
const CHUNK: usize = 16 * BATCH;

impl<'a> Queries<'a> {
    /// Casts many segments: the answers are those of [`Queries::cast`] for each, but found faster,
    /// and on several threads if there are more than 1,024.
    ///
    /// ```
    /// use swath::{AabbColumns, Bvh, Segment};
    /// use swath::batch::{Hit, SegmentStore};
    ///
    /// let (low, high) = ([2.0, 3.0], [2.5, 3.5]);
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&low; 3], [&high; 3])?)?;
    ///
    /// let mut rays = SegmentStore::new();
    /// rays.push(Segment::ray([0.0; 3], [1.0; 3])?)?;
    /// rays.push(Segment::ray([0.0; 3], [-1.0; 3])?)?;
    /// let mut hits = [Hit::MISS; 2];
    /// tree.queries().casts(&rays.checked()).closest(&mut hits)?;
    /// assert_eq!((hits[0].row, hits[1]), (0, Hit::MISS));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn casts<'s>(
        &self,
        segments: &Checked<'s, Columns<'s, Segment, 7>>,
    ) -> Batch<'a, 's, Segment, 7> {
        Batch { queries: *self, paths: *segments }
    }

    /// Sweeps many moving boxes: the answers are those of [`Queries::sweep`] for each, but found
    /// faster, and on several threads if there are more than 1,024.
    pub fn sweeps<'s>(
        &self,
        moving: &Checked<'s, Columns<'s, MovingBox, 9>>,
    ) -> Batch<'a, 's, MovingBox, 9> {
        Batch { queries: *self, paths: *moving }
    }
}

/// A query for many segments or moving boxes. Invalid rows hit nothing.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct Batch<'a, 's, P, const K: usize> {
    queries: Queries<'a>,
    paths: Checked<'s, Columns<'s, P, K>>,
}

impl<P: Path + Row<K>, const K: usize> Batch<'_, '_, P, K> {
    /// Writes to `out[i]` the box that row `i` hits first, among equal positions the one with the
    /// lowest row, or [`Hit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` does not have the same number of rows; then nothing is
    /// written.
    pub fn closest(&self, out: &mut [Hit]) -> Result<(), LengthMismatch> {
        self.answer(out, HitChoice::Closest)
    }

    /// Writes to `out[i]` any box that row `i` hits, or [`Hit::MISS`]. Which one depends on the
    /// shape of the tree, not on levels or threads.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` does not have the same number of rows; then nothing is
    /// written.
    pub fn any(&self, out: &mut [Hit]) -> Result<(), LengthMismatch> {
        self.answer(out, HitChoice::Any)
    }

    fn answer(&self, out: &mut [Hit], choice: HitChoice) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `out`", self.paths.len(), out.len())?;
        fill(self.queries.threads, out, &|start, out| self.answer_batch(start, choice, out));
        Ok(())
    }

    /// Answers the rows from `start` on, at least one and at most [`BATCH`].
    fn answer_batch(&self, start: usize, choice: HitChoice, out: &mut [Hit]) {
        let Self { queries, paths } = self;
        let columns = paths.columns();
        // The first valid row replaces invalid rows; their answers are overwritten by misses below.
        let is_valid = |k: &usize| !paths.is_rejected((start + k) as u32);
        let Some(valid) = (0..out.len()).find(is_valid) else { return out.fill(Hit::MISS) };
        let path = |k| {
            let path = columns.get(start + if is_valid(&k) { k } else { valid });
            (path.test(), path.reach())
        };
        first_of_many(queries, &path, choice, out);
        for (k, out) in out.iter_mut().enumerate() {
            if !is_valid(&k) {
                *out = Hit::MISS;
            }
        }
    }
}

/// Answers all rows, [`BATCH`] at a time. Compiled once for all kinds of paths.
fn fill(threads: &Threads, out: &mut [Hit], answer: &(dyn Fn(usize, &mut [Hit]) + Sync)) {
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        for (k, out) in out.chunks_mut(BATCH).enumerate() {
            answer(start + k * BATCH, out);
        }
    });
}
