//! Boxes that are built into a tree in one go, to be asked about.

use super::Queries;
use crate::broadphase::admit::{Admit, Rows};
use crate::broadphase::fixed::FixedError;
use crate::broadphase::set::FixedSet;
use crate::broadphase::tree::{Builder, Named, Tree};
use crate::lanes::Level;
use crate::par::Threads;
use crate::store::Rejected;
use alloc::vec::Vec;
use core::slice;

/// Rows are below this.
const ROWS_MAX: usize = 1 << 27;

/// A tree of boxes that do not change.
///
/// Box `k` of the columns is called row `k`. To build anew costs some 40 ns a box on one thread and
/// takes the memory of the tree before. For boxes of which some change from tick to tick see
/// [`FixedBoxes`](crate::FixedBoxes).
///
/// ```
/// use swath::store::FixedColumns;
/// use swath::{BoxTree, Segment};
///
/// let (low, high) = ([2.0, f32::NAN, 4.0], [2.5, 0.0, 4.5]);
/// let mut tree = BoxTree::new();
/// let rejected = tree.build(FixedColumns::new([&low; 3], [&high; 3])?)?;
/// assert_eq!(rejected[0].row, 1);
/// assert_eq!(tree.len(), 2);
///
/// let ray = Segment::ray([9.0; 3], [-1.0; 3])?;
/// let hit = tree.queries().cast(&ray)?.closest().expect("the ray meets both");
/// assert_eq!((hit.row, hit.at <= 4.5), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BoxTree {
    level: Level,
    threads: Threads,
    tree: Tree,
    builder: Builder,
    boxes: Vec<Named>,
    rejected: Vec<Rejected>,
}

impl Default for BoxTree {
    fn default() -> Self {
        Self::with_level(Level::detect())
    }
}

impl BoxTree {
    /// An empty tree that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty tree that uses `level`. Tree and answers are the same for each.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level,
            threads: Threads::default(),
            tree: Tree::default(),
            builder: Builder::default(),
            boxes: Vec::new(),
            rejected: Vec::new(),
        }
    }

    /// From now on builds, and answers batches, on these threads. Answers are the same for any.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// Builds the tree anew of the boxes of `set`.
    ///
    /// Elements that are no boxes are left out and returned, with the reason.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when there is not one filter for each box, or there are more than 2²⁷. Then
    /// the tree is as it was.
    pub fn build<'a>(&mut self, set: impl Into<FixedSet<'a>>) -> Result<&[Rejected], FixedError> {
        self.build_of(set.into())
    }

    fn build_of(&mut self, set: FixedSet<'_>) -> Result<&[Rejected], FixedError> {
        set.check()?;
        if set.boxes.len() > ROWS_MAX {
            return Err(FixedError::RowTooLarge { index: ROWS_MAX, row: ROWS_MAX as u64 });
        }
        let Self { level, threads, tree, builder, boxes, rejected } = self;
        boxes.clear();
        boxes.reserve_exact(set.boxes.len());
        let admit = Admit { set, rows: Rows::From(0), boxes, rejected };
        level.run_rows(set.boxes.len(), admit);
        tree.build(boxes, builder, (*level, threads));
        if set.is_filtered() {
            tree.set_filters(|row| set.filter(row as usize).word());
        }
        Ok(rejected)
    }

    /// Takes out all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.rejected.clear();
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that were no boxes when the tree was built.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// A view to ask about the boxes.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        Queries::new([slice::from_ref(&self.tree), &[]], self.level, &self.threads)
    }

    /// Gives back the memory that only building needs.
    pub fn shrink_to_fit(&mut self) {
        (self.builder, self.boxes) = (Builder::default(), Vec::new());
        self.rejected.shrink_to_fit();
        self.tree.shrink_to_fit();
    }

    /// Bytes of memory that are held.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.tree.bytes()
            + self.builder.bytes()
            + self.boxes.capacity() * size_of::<Named>()
            + self.rejected.capacity() * size_of::<Rejected>()
    }
}
