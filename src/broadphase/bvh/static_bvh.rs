//! A bounding volume hierarchy that is built once, for queries.

use super::forest::FixedError;
use super::load::{TargetRows, load};
use super::{Builder, BvhItem, NOTHING, Tree, TriangleRows};
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::input::FixedInput;
use crate::columns::{ColumnScratch, Memory, Rejected, Zeroed, impl_memory};
use crate::geom::{Aabb, Filter, sum_of};
use crate::par;
use alloc::vec::Vec;

/// Rows are less than this, so there are at most this many.
const ROWS_MAX: usize = 1 << 27;

/// Rows whose boxes are computed at a time.
const ITEMS: usize = 4096;

/// Checks that a tree may have this many rows.
fn check_rows(count: usize) -> Result<(), FixedError> {
    if count > ROWS_MAX {
        return Err(FixedError::RowTooLarge { index: ROWS_MAX, row: ROWS_MAX as u64 });
    }
    Ok(())
}

/// A bounding volume hierarchy of boxes that do not change.
///
/// Box `k` of the columns is called row `k`. A rebuild takes about 40 ns for each box on one thread, and reuses the memory of the tree. If the boxes
/// have several scales or are long on different axes, it usually takes up to twice as long, and at most five times as long.
///
/// A query visits the nodes whose bounds it reaches, in about 7 ns each. Among boxes of about one size these are 5 to 10
/// nodes. A query that is long compared with the boxes visits all nodes along it, also if it hits nothing. So a box across the whole scene,
/// between n boxes that cross the scene on another axis, visits about as many nodes as the square root of n/16.
/// Every box that contains the point is visited to find the nearest box of a point, because the one in the lowest row is
/// returned; so is every box that contains the start of a ray or of a moving box to find the one that is hit first. If boxes change from tick to tick, use
/// [`FixedBoxes`](crate::FixedBoxes) instead.
///
/// ```
/// use swath::{AabbColumns, Bvh, Segment};
///
/// let (low, high) = ([2.0, f32::NAN, 4.0], [2.5, 0.0, 4.5]);
/// let mut tree = Bvh::new();
/// let rejected = tree.build(AabbColumns::new([&low; 3], [&high; 3])?)?;
/// assert_eq!(rejected[0].row, 1);
/// assert_eq!(tree.len(), 2);
///
/// let ray = Segment::ray([9.0; 3], [-1.0; 3])?;
/// let hit = tree.queries().cast(&ray)?.closest().expect("the ray meets both");
/// assert_eq!((hit.row, hit.value <= 4.5), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bvh {
    /// The level and the threads of builds and of batches of queries. A tree finds no pairs, so it has no use for the
    /// greatest number of pairs.
    pub exec: Exec,
    pub(crate) tree: Tree,
    builder: Builder,
    boxes: Vec<BvhItem>,
    /// Boxes as columns, if the input has them in another layout.
    columns: ColumnScratch,
    rejected: Vec<Rejected>,
    /// The filters by row, or empty if all are [`Filter::ALL`]. The tree has their words.
    pub(crate) filters: Vec<Filter>,
    /// Whether the word of any of them is not exact.
    pub(crate) inexact_filters: bool,
}

impl_memory!(Bvh { tree, builder, boxes, columns, rejected, filters; without exec, inexact_filters });

impl Default for Bvh {
    fn default() -> Self {
        Self::with_exec(Exec::default())
    }
}

impl Bvh {
    /// Creates an empty tree that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty tree with other settings: a [`Level`](crate::Level), [`Threads`](crate::Threads), or an [`Exec`].
    #[must_use]
    pub fn with_exec(exec: impl Into<Exec>) -> Self {
        Self {
            exec: exec.into(),
            tree: Tree::default(),
            builder: Builder::default(),
            boxes: Vec::new(),
            columns: ColumnScratch::default(),
            rejected: Vec::new(),
            filters: Vec::new(),
            inexact_filters: false,
        }
    }

    /// Replaces the contents of the tree by the boxes of `set`.
    ///
    /// Invalid boxes are left out and returned, with the reason.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when the number of filters is wrong, or there are more than 2²⁷ boxes. The
    /// tree is unchanged then.
    pub fn build<'a>(&mut self, set: impl Into<FixedInput<'a>>) -> Result<&[Rejected], FixedError> {
        self.build_of(set.into())
    }

    fn build_of(&mut self, set: FixedInput<'_>) -> Result<&[Rejected], FixedError> {
        set.check()?;
        check_rows(set.boxes.len())?;
        let Self { exec, tree, builder, boxes, columns, rejected, filters, inexact_filters } = self;
        filters.clear();
        *inexact_filters = false;
        boxes.clear();
        boxes.reserve_exact(set.boxes.len());
        load(exec.level, set, TargetRows::From(0), columns, boxes, rejected);
        tree.build(boxes, builder, (exec.level, &exec.threads));
        if set.is_filtered() {
            tree.set_filters(|row| set.filter(row as usize).word());
            filters.extend((0..set.boxes.len()).map(|k| set.filter(k)));
            *inexact_filters = !filters.iter().all(|filter| filter.is_exact());
        }
        Ok(rejected)
    }

    /// Replaces the contents of the tree by the boxes of `count` rows. `fill(first, items)` writes those of the rows from
    /// `first` on, several threads at a time, or [`BvhItem::NOTHING`] to leave out a row. If the boxes are those of
    /// triangles, `triangles` reads them by row. Returns the box around all.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when there are too many rows. The tree is unchanged then.
    pub(crate) fn build_items(
        &mut self,
        count: usize,
        fill: &(dyn Fn(usize, &mut [BvhItem]) + Sync),
        triangles: Option<&dyn TriangleRows>,
    ) -> Result<Option<Aabb>, FixedError> {
        check_rows(count)?;
        let Self { exec, tree, builder, rejected, filters, inexact_filters, .. } = self;
        rejected.clear();
        filters.clear();
        *inexact_filters = false;
        let mut boxes = Zeroed::new(count);
        let mut pieces: Vec<_> = boxes.as_mut_slice().chunks_mut(ITEMS).map(|of| (of, 0)).collect();
        let mut workers = alloc::vec![(); exec.threads.workers()];
        par::for_each(&exec.threads, &mut workers, &mut pieces, &|_, index, (items, invalid)| {
            fill(index * ITEMS, items);
            *invalid = items.iter().filter(|item| item.id == NOTHING).count();
        });
        if sum_of(&pieces, |&(_, invalid)| invalid) > 0 {
            let (items, mut len) = (boxes.as_mut_slice(), 0);
            for k in 0..count {
                items[len] = items[k];
                len += usize::from(items[k].id != NOTHING);
            }
            boxes.truncate(len);
        }
        let boxes = boxes.as_slice();
        let on = (exec.level, &exec.threads);
        if let Some(triangles) = triangles {
            return Ok(tree.build_triangles(boxes, triangles, builder, on));
        }
        tree.build(boxes, builder, on);
        Ok(tree.bounds())
    }

    /// A box around all boxes, or `None` without boxes.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        self.tree.bounds()
    }

    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.filters.clear();
        self.rejected.clear();
    }

    /// The number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether the number of boxes is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boxes that were invalid in the last build.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Frees the memory that only a build needs.
    pub fn shrink_to_fit(&mut self) {
        (self.builder, self.boxes) = (Builder::default(), Vec::new());
        self.columns = ColumnScratch::default();
        self.rejected.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.tree.shrink_to_fit();
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::{Bvh, BvhItem, FixedError, ITEMS, ROWS_MAX, check_rows};
    use crate::geom::Aabb;
    use alloc::vec::Vec;

    /// The point of a row, on a line.
    fn point(row: usize) -> Aabb {
        Aabb { min: [row as f32, 0.0, 0.0], max: [row as f32, 0.0, 0.0] }
    }

    /// Goal: the boxes are those that the function writes, by their rows, without the rows that it leaves out. Method: points on a line
    /// in more rows than are computed at a time, all of them, without each seventh, and without any; a query for all and one for the
    /// point of each row.
    #[test]
    fn rows_are_those_that_the_function_writes() {
        let count = 2 * ITEMS + 100;
        let left_out: [fn(usize) -> bool; 3] = [|_| false, |row| row % 7 == 0, |_| true];
        for is_left_out in left_out {
            let fill = |first: usize, items: &mut [BvhItem]| {
                for (row, item) in (first..).zip(items) {
                    *item = BvhItem { aabb: point(row), id: row as u32, filter: 0 };
                    if is_left_out(row) {
                        *item = BvhItem::NOTHING;
                    }
                }
            };
            let mut tree = Bvh::new();
            let bounds = tree.build_items(count, &fill, None).expect("few rows");
            let expected: Vec<u32> =
                (0..count as u32).filter(|&row| !is_left_out(row as usize)).collect();
            assert_eq!(tree.len(), expected.len());
            let ends = expected.first().zip(expected.last());
            let around = ends.map(|(&a, &b)| point(a as usize).union(&point(b as usize)));
            assert_eq!((bounds, tree.bounds()), (around, around));
            let line = point(0).union(&point(count));
            let mut rows = Vec::new();
            tree.queries().overlap(&line).expect("a box").all(&mut rows);
            assert_eq!(rows, expected);
            for row in (0..count).step_by(13) {
                tree.queries().overlap(&point(row)).expect("a point").all(&mut rows);
                let here = (!is_left_out(row)).then_some(row as u32);
                assert!(rows.iter().copied().eq(here), "{row}: {rows:?}");
            }
        }
    }

    /// Goal: a tree may have as many rows as its rows have numbers, and not one more.
    #[test]
    fn rows_past_the_greatest_are_an_error() {
        let error = Err(FixedError::RowTooLarge { index: ROWS_MAX, row: ROWS_MAX as u64 });
        assert_eq!((check_rows(0), check_rows(ROWS_MAX)), (Ok(()), Ok(())));
        assert_eq!((check_rows(ROWS_MAX + 1), check_rows(usize::MAX)), (error, error));
        let fill = |_: usize, _: &mut [BvhItem]| panic!("no row is computed");
        assert_eq!(Bvh::new().build_items(ROWS_MAX + 1, &fill, None), error.map(|()| None));
    }
}
