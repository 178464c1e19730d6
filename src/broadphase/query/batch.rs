//! How are many paths asked about at once?
//!
//! Chunks of rows are spread over threads; in a chunk several paths are on their way at a time, so
//! that the memory that one waits for comes while others are looked at. Answers are those of asking
//! one by one.

use super::hits::{Closest, nothing};
use super::path::{Path, SOME, Told};
use super::{EveryBox, Queries};
use crate::geom::{MovingBox, Segment};
use crate::kernels::Hit;
use crate::par;
use crate::store::{Checked, Columns, LengthMismatch, Row};

/// Rows that one thread answers at a time.
const CHUNK: usize = 16 * SOME;

impl<'a> Queries<'a> {
    /// Asks about many segments at once: as [`Queries::cast`] of each, but faster, and on many
    /// threads.
    ///
    /// ```
    /// use swath::store::FixedColumns;
    /// use swath::{BoxTree, Hit, Segment, SegmentStore};
    ///
    /// let (low, high) = ([2.0, 3.0], [2.5, 3.5]);
    /// let mut tree = BoxTree::new();
    /// tree.build(FixedColumns::new([&low; 3], [&high; 3])?)?;
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

    /// Asks about many moving boxes at once: as [`Queries::sweep`] of each, but faster, and on many
    /// threads.
    pub fn sweeps<'s>(
        &self,
        moving: &Checked<'s, Columns<'s, MovingBox, 9>>,
    ) -> Batch<'a, 's, MovingBox, 9> {
        Batch { queries: *self, paths: *moving }
    }
}

/// A question about many segments or moving boxes. Rows that are invalid meet nothing.
#[derive(Clone, Copy, Debug)]
#[must_use = "a question is answered when one of its methods is called"]
pub struct Batch<'a, 's, P, const K: usize> {
    queries: Queries<'a>,
    paths: Checked<'s, Columns<'s, P, K>>,
}

impl<P: Path + Row<K>, const K: usize> Batch<'_, '_, P, K> {
    /// Writes to `out[i]` the box that row `i` meets first, of several at once the one with the
    /// lowest row, or [`Hit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` has not as many rows; then nothing is written.
    pub fn closest(&self, out: &mut [Hit]) -> Result<(), LengthMismatch> {
        self.answer(out, |path| Closest { best: nothing(path), accept: EveryBox }, |told| told.best)
    }

    /// Writes to `out[i]` a box that row `i` meets, the one found first, or [`Hit::MISS`]. Which it
    /// is depends on how the boxes were put in, not on levels or threads.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` has not as many rows; then nothing is written.
    pub fn any(&self, out: &mut [Hit]) -> Result<(), LengthMismatch> {
        self.answer(out, |path| Any { most: path.reach(), found: Hit::MISS }, |told| told.found)
    }

    fn answer<T: Told + Copy>(
        &self,
        out: &mut [Hit],
        told: impl Fn(&P) -> T + Sync + Send,
        hit: impl Fn(&T) -> Hit + Sync + Send,
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the hits", self.paths.len(), out.len())?;
        let (queries, paths) = (&self.queries, &self.paths);
        par::fill_chunks(queries.threads, out, CHUNK, |start, out| {
            for (k, out) in out.chunks_mut(SOME).enumerate() {
                let start = start + k * SOME;
                answer_some(queries, paths, start, out, &told, &hit);
            }
        });
        Ok(())
    }
}

/// Answers the rows from `start` on, at least one and at most [`SOME`].
fn answer_some<P: Path + Row<K>, T: Told + Copy, const K: usize>(
    queries: &Queries<'_>,
    paths: &Checked<'_, Columns<'_, P, K>>,
    start: usize,
    out: &mut [Hit],
    told: impl Fn(&P) -> T,
    hit: impl Fn(&T) -> Hit,
) {
    let columns = paths.columns();
    // Where a row is invalid the first valid one stands, and its answer is not read.
    let is_valid = |k: &usize| !paths.is_rejected((start + k) as u32);
    let valid = (0..out.len()).find(is_valid);
    out.fill(Hit::MISS);
    let Some(valid) = valid else { return };
    let mut some: [P; SOME] = core::array::from_fn(|k| {
        let k = if k < out.len() && is_valid(&k) { k } else { valid };
        columns.get(start + k)
    });
    let some = &mut some[..out.len()];
    let mut all_told: [T; SOME] = core::array::from_fn(|k| told(&some[k.min(some.len() - 1)]));
    P::meet_some(queries, some, &mut all_told[..out.len()]);
    for (k, out) in out.iter_mut().enumerate() {
        if is_valid(&k) {
            let hit = hit(&all_told[k]);
            *out = if hit.is_hit() { hit } else { Hit::MISS };
        }
    }
}

/// The box that is found first.
#[derive(Clone, Copy)]
struct Any {
    most: f32,
    found: Hit,
}

impl Told for Any {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn tell(&mut self, hit: Hit) -> bool {
        *self = Self { most: -1.0, found: hit };
        true
    }
}
