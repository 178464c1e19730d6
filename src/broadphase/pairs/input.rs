//! The input of the finders: which boxes to test, and which of them may pair.

use crate::broadphase::error::FindError;
use crate::columns::{AabbColumns, LengthMismatch, MovingBoxColumns};
use crate::geom::Filter;
use crate::lanes::{Isa, U32Lanes};
use core::ops::Range;

/// The bits of a record's id that hold the row, with rows of a second set after those of the first, or the label of
/// the row.
pub(crate) const ROW: u32 = (1 << 26) - 1;

/// The boxes of a tick, and optionally what restricts their pairs.
///
/// Columns of boxes convert into it; then all boxes move and each may pair with each. As input for
/// [`FixedBoxes`](crate::FixedBoxes), boxes that do not move have no pairs.
///
/// ```
/// use swath::{Filter, MovingBoxColumns, PairFinder};
/// use swath::broadphase::PairInput;
///
/// // Three boxes in one place; the first does not move, the last may not pair.
/// let (low, high, still) = ([0.0; 3], [1.0; 3], [0.0; 3]);
/// let boxes = MovingBoxColumns::new([&low; 3], [&high; 3], [&still; 3])?;
/// let moves = [false, true, true];
/// let filters = [Filter::ALL, Filter::ALL, Filter::NONE];
///
/// let mut finder = PairFinder::new();
/// assert_eq!(finder.union_pairs(boxes)?.len(), 3);
/// assert_eq!(finder.union_pairs(PairInput::new(boxes).filtered(&filters))?.len(), 1);
/// let none_moves = [false; 3];
/// assert_eq!(finder.union_pairs(PairInput::new(boxes).moving(&none_moves))?.len(), 0);
/// assert_eq!(finder.union_pairs(PairInput::new(boxes).moving(&moves))?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PairInput<'a> {
    pub(crate) boxes: MovingBoxColumns<'a>,
    pub(crate) moves: Option<&'a [bool]>,
    pub(crate) filters: Option<&'a [Filter]>,
    labels: Option<&'a [[u32; 2]]>,
}

impl<'a> From<MovingBoxColumns<'a>> for PairInput<'a> {
    fn from(boxes: MovingBoxColumns<'a>) -> Self {
        Self::new(boxes)
    }
}

impl<'a> PairInput<'a> {
    /// All rows of `boxes`; each may pair with each.
    #[must_use]
    pub fn new(boxes: MovingBoxColumns<'a>) -> Self {
        Self { boxes, moves: None, filters: None, labels: None }
    }

    /// Sets for each row whether it moves. Two boxes that do not move never pair.
    ///
    /// This is a flag, not a property of the displacement: a box may stay still in a tick and still
    /// have pairs.
    #[must_use]
    pub fn moving(self, moves: &'a [bool]) -> Self {
        Self { moves: Some(moves), ..self }
    }

    /// Sets the filter of each row.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// Replaces rows in pairs by the first number of the label of each row. For the pair finder with
    /// a single set.
    pub(crate) fn labelled(self, labels: &'a [[u32; 2]]) -> Self {
        Self { labels: Some(labels), ..self }
    }

    /// The number that stands for a row in pairs, if it is not the row itself.
    #[inline(always)]
    pub(crate) fn label(&self, row: usize) -> Option<u32> {
        self.labels.map(|labels| labels[row][0])
    }

    /// The number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Checks that the numbers of flags and of filters are right.
    pub(crate) fn check(&self) -> Result<(), FindError> {
        let rows = self.len();
        LengthMismatch::check("the flags `moves`", rows, self.moves.map_or(rows, <[bool]>::len))?;
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))?;
        Ok(())
    }

    /// A range of the rows.
    pub(crate) fn slice(&self, rows: Range<usize>) -> Self {
        Self {
            boxes: self.boxes.slice(rows.clone()),
            moves: self.moves.map(|moves| &moves[rows.clone()]),
            filters: self.filters.map(|filters| &filters[rows.clone()]),
            labels: self.labels.map(|labels| &labels[rows.clone()]),
        }
    }
}

/// Boxes that do not move, and optionally what restricts their pairs. Input of
/// [`FixedBoxes`](crate::FixedBoxes).
///
/// Columns of boxes convert into it; then each box may pair with each mover.
#[derive(Clone, Copy, Debug)]
pub struct FixedInput<'a> {
    pub(crate) boxes: AabbColumns<'a>,
    filters: Option<&'a [Filter]>,
}

impl<'a> From<AabbColumns<'a>> for FixedInput<'a> {
    fn from(boxes: AabbColumns<'a>) -> Self {
        Self::new(boxes)
    }
}

impl<'a> FixedInput<'a> {
    /// All rows of `boxes`; each may pair with each mover.
    #[must_use]
    pub fn new(boxes: AabbColumns<'a>) -> Self {
        Self { boxes, filters: None }
    }

    /// Sets the filter of each box.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// Whether filters are set.
    pub(crate) fn is_filtered(&self) -> bool {
        self.filters.is_some()
    }

    /// The filter of box `k`.
    pub(crate) fn filter(&self, k: usize) -> Filter {
        self.filters.map_or(Filter::ALL, |filters| filters[k])
    }

    /// Checks that the number of filters is right.
    pub(crate) fn check(&self) -> Result<(), LengthMismatch> {
        let rows = self.boxes.len();
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))
    }
}

/// The lanes in which two filters, given as words, allow a pair. One of them is rotated by 16 bits,
/// so that the masks of each are at the bits of the categories of the other.
#[inline(always)]
pub(crate) fn allow<I: Isa>(isa: I, turned: I::U32, other: I::U32) -> I::Mask {
    let common = turned & other;
    let (low, high) = (isa.splat_u32(0xffff), isa.splat_u32(0xffff_0000));
    !(common.disjoint(low) | common.disjoint(high))
}
