//! A bounding volume hierarchy that is built once, for queries.

use super::forest::FixedError;
use super::load::{TargetRows, load};
use super::{Builder, BvhItem, Tree};
use crate::broadphase::pairs::input::FixedInput;
use crate::columns::{ColumnScratch, Rejected};
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;

/// Rows are less than this.
const ROWS_MAX: usize = 1 << 27;

/// A bounding volume hierarchy of boxes that do not change.
///
/// Box `k` of the columns is called row `k`. A rebuild takes about 40 ns for each box on one thread
/// and reuses the memory of the tree. If boxes change from tick to tick, use
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
/// assert_eq!((hit.row, hit.at <= 4.5), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bvh {
    pub(crate) level: Level,
    pub(crate) threads: Threads,
    pub(crate) tree: Tree,
    builder: Builder,
    boxes: Vec<BvhItem>,
    /// Boxes as columns, if the input has them in another layout.
    columns: ColumnScratch,
    rejected: Vec<Rejected>,
}

impl Default for Bvh {
    fn default() -> Self {
        Self::with_level(Level::detect())
    }
}

impl Bvh {
    /// Creates an empty tree that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty tree that uses `level`. The tree and the answers are the same for every
    /// level.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level,
            threads: Threads::default(),
            tree: Tree::default(),
            builder: Builder::default(),
            boxes: Vec::new(),
            columns: ColumnScratch::default(),
            rejected: Vec::new(),
        }
    }

    /// Sets the threads for later builds and batch queries. The answers are the same for every
    /// choice.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
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
        if set.boxes.len() > ROWS_MAX {
            return Err(FixedError::RowTooLarge { index: ROWS_MAX, row: ROWS_MAX as u64 });
        }
        let Self { level, threads, tree, builder, boxes, columns, rejected } = self;
        boxes.clear();
        boxes.reserve_exact(set.boxes.len());
        load(*level, set, TargetRows::From(0), columns, boxes, rejected);
        tree.build(boxes, builder, (*level, threads));
        if set.is_filtered() {
            tree.set_filters(|row| set.filter(row as usize).word());
        }
        Ok(rejected)
    }

    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.tree.clear();
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
        self.tree.shrink_to_fit();
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.tree.bytes()
            + self.builder.bytes()
            + self.columns.bytes()
            + self.boxes.capacity() * size_of::<BvhItem>()
            + self.rejected.capacity() * size_of::<Rejected>()
    }
}
