//! The input of the finders: which boxes to test, and which of them may pair.

use super::limit::{OwnerOf, PairTest, PairTests};
use super::runs::FoundPair;
use crate::broadphase::error::FindError;
use crate::columns::{AabbInput, LengthMismatch, MovingBoxInput};
use crate::geom::{Aabb, Filter};
use crate::lanes::U32Lanes;
use core::ops::Range;

/// The bits of a record's id for its row, where rows of a second set follow those of the first, or for the slot that replaces the
/// row.
pub(crate) const ROW: u32 = (1 << 26) - 1;

/// Checks that this many rows can be numbered.
pub(crate) fn check_rows(rows: usize) -> Result<(), FindError> {
    if rows > ROW as usize { Err(FindError::TooManyBoxes { rows }) } else { Ok(()) }
}

/// Number of rows that are converted at once where boxes are read by one thread. As columns they fit into the cache of
/// a core.
pub(crate) const CHUNK_ROWS: usize = 4096;

/// The boxes of a tick, and optionally what restricts their pairs.
///
/// Boxes in any layout of [`MovingBoxInput`] convert into it: columns, arrays of structures, boxes without
/// displacements. Then all boxes move and each may pair with each. As input for
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
    pub(crate) boxes: MovingBoxInput<'a>,
    pub(crate) moves: Option<&'a [bool]>,
    pub(crate) filters: Option<&'a [Filter]>,
    /// What replaces the rows in pairs.
    pub(crate) labels: Option<&'a [u32]>,
    /// What replaces the rows already while pairs are found: numbers below 2²⁶ that are all different.
    slots: Option<&'a [[u32; 2]]>,
    /// Tests of the pairs. They replace the test of filters that is made where words of filters are not exact.
    pub(crate) tests: Option<PairTests<'a>>,
}

impl<'a, B: Into<MovingBoxInput<'a>>> From<B> for PairInput<'a> {
    fn from(boxes: B) -> Self {
        Self {
            boxes: boxes.into(),
            moves: None,
            filters: None,
            labels: None,
            slots: None,
            tests: None,
        }
    }
}

impl<'a> PairInput<'a> {
    /// Returns the input of all rows of `boxes`; each may pair with each.
    #[must_use]
    pub fn new(boxes: impl Into<MovingBoxInput<'a>>) -> Self {
        boxes.into().into()
    }

    /// Sets for each row whether it moves. Two rows that are marked as not moving never pair; rows are moving by default.
    ///
    /// This is a flag, not a property of the displacement: a box may stay still in a tick and still
    /// have pairs, and a row that is marked as not moving is swept by its displacement if it has one.
    #[must_use]
    pub fn moving(self, moves: &'a [bool]) -> Self {
        Self { moves: Some(moves), ..self }
    }

    /// Sets the filter of each row.
    ///
    /// Boxes in one place that exclude each other are not compared with each other, as far as 16 groups of categories tell them apart: categories
    /// that no mask distinguishes share a group, and others do if there are too many. With 32 categories of which each pairs with the next one only,
    /// 10,000 boxes in one place take 36 ms, and the time grows with their square.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// Replaces each row in pairs by a number of the caller, such as the index of a body: row `k` by `labels[k]`.
    ///
    /// Of the pairs of one set, [`Pair::a`](crate::Pair::a) is the lesser label; several rows may have the same one, and they pair with each
    /// other too.
    /// Rejected rows are still listed as rows.
    ///
    /// ```
    /// use swath::broadphase::PairInput;
    /// use swath::{Aabb, Pair, PairFinder};
    ///
    /// let boxes = [Aabb::cube([0.0; 3], 1.0)?; 2];
    /// let mut finder = PairFinder::new();
    /// let pairs = finder.union_pairs(PairInput::new(&boxes).labelled(&[4_000_000_000, 17]))?.sorted();
    /// assert_eq!(pairs, [Pair { a: 17, b: 4_000_000_000 }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn labelled(self, labels: &'a [u32]) -> Self {
        Self { labels: Some(labels), ..self }
    }

    /// Replaces rows in pairs by the first number of the slot of each row. For the pair finder with a single set.
    pub(crate) fn with_slots(self, slots: &'a [[u32; 2]]) -> Self {
        Self { slots: Some(slots), ..self }
    }

    /// Sets the tests of the pairs. If slots are set, the tests get slots instead of rows. Of two sets, the tests of the first are used.
    pub(crate) fn tested(self, tests: PairTests<'a>) -> Self {
        Self { tests: Some(tests), ..self }
    }

    /// Returns the test of the pairs, if any is needed. `of_filters` is the one for filters whose words are not exact, unless other tests are set.
    pub(crate) fn test<'t>(&self, exact: bool, of_filters: PairTest<'t>) -> Option<PairTest<'t>>
    where
        'a: 't,
    {
        match self.tests {
            Some(tests) if exact => tests.of_exact,
            Some(tests) => Some(tests.of_inexact),
            None => (!exact).then_some(of_filters),
        }
    }

    /// Returns the owners of the boxes, if any are known.
    pub(crate) fn owner(&self) -> Option<OwnerOf<'a>> {
        self.tests.and_then(|tests| tests.owner)
    }

    /// Returns the owners of the movers and of the boxes of the forest that they are searched in, if any are known.
    pub(crate) fn owners_in_forest(&self) -> Option<[OwnerOf<'a>; 2]> {
        let tests = self.tests?;
        Some([tests.owner?, tests.forest_owner?])
    }

    /// Returns the input of these bounds with the same flags and filters. It has no labels, slots and tests, so its pairs contain rows.
    pub(crate) fn with_bounds(&self, bounds: &'a [Aabb]) -> Self {
        Self { moves: self.moves, filters: self.filters, ..Self::new(bounds) }
    }

    /// Returns the number that stands for a row while pairs are found, if it is not the row itself.
    #[inline(always)]
    pub(crate) fn slot(&self, row: usize) -> Option<u32> {
        self.slots.map(|slots| slots[row][0])
    }

    /// Returns the numbers that stand for two rows of one set, the lesser first; the rows themselves, which may be of two sets, if no numbers do.
    pub(crate) fn slots_of(&self, rows: [u32; 2]) -> [u32; 2] {
        let Some(slots) = self.slots else { return rows };
        let [a, b] = rows.map(|row| slots[row as usize][0]);
        if a < b { [a, b] } else { [b, a] }
    }

    /// Returns whether slots replace the rows while pairs are found.
    pub(crate) fn has_slots(&self) -> bool {
        self.slots.is_some()
    }

    /// Returns the number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Checks that the numbers of flags, of filters and of labels are right.
    pub(crate) fn check(&self) -> Result<(), FindError> {
        let rows = self.len();
        LengthMismatch::check("the flags `moves`", rows, self.moves.map_or(rows, <[bool]>::len))?;
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))?;
        LengthMismatch::check("the labels", rows, self.labels.map_or(rows, <[u32]>::len))?;
        Ok(())
    }

    /// Returns a range of the rows.
    pub(crate) fn slice(&self, rows: Range<usize>) -> Self {
        Self {
            boxes: self.boxes.slice(rows.clone()),
            moves: self.moves.map(|moves| &moves[rows.clone()]),
            filters: self.filters.map(|filters| &filters[rows.clone()]),
            labels: self.labels.map(|labels| &labels[rows.clone()]),
            slots: self.slots.map(|slots| &slots[rows.clone()]),
            tests: self.tests,
        }
    }
}

/// Boxes that do not move, and optionally what restricts their pairs. Input of
/// [`FixedBoxes`](crate::FixedBoxes).
///
/// Boxes in any layout of [`AabbInput`] convert into it; then each box may pair with each mover.
#[derive(Clone, Copy, Debug)]
pub struct FixedInput<'a> {
    pub(crate) boxes: AabbInput<'a>,
    filters: Option<&'a [Filter]>,
}

impl<'a, B: Into<AabbInput<'a>>> From<B> for FixedInput<'a> {
    fn from(boxes: B) -> Self {
        Self { boxes: boxes.into(), filters: None }
    }
}

impl<'a> FixedInput<'a> {
    /// Returns the input of all rows of `boxes`; each may pair with each mover.
    #[must_use]
    pub fn new(boxes: impl Into<AabbInput<'a>>) -> Self {
        boxes.into().into()
    }

    /// Sets the filter of each box.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// Returns whether filters are set.
    pub(crate) fn is_filtered(&self) -> bool {
        self.filters.is_some()
    }

    /// Returns the filter of box `k`.
    pub(crate) fn filter(&self, k: usize) -> Filter {
        self.filters.map_or(Filter::ALL, |filters| filters[k])
    }

    /// Returns a range of the rows.
    pub(crate) fn slice(&self, rows: Range<usize>) -> Self {
        let filters = self.filters.map(|filters| &filters[rows.clone()]);
        Self { boxes: self.boxes.slice(rows), filters }
    }

    /// Checks that the number of filters is right.
    pub(crate) fn check(&self) -> Result<(), LengthMismatch> {
        let rows = self.boxes.len();
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))
    }
}

/// Replaces rows by labels, where there are labels. If `ordered`, the lesser label becomes the first of a pair.
pub(crate) fn label_rows<P: FoundPair>(
    pairs: &mut [P],
    labels: [Option<&[u32]>; 2],
    ordered: bool,
) {
    if labels.iter().all(Option::is_none) {
        return;
    }
    for pair in pairs {
        let [a, b] = pair.rows_mut();
        for (row, labels) in [&mut *a, &mut *b].into_iter().zip(labels) {
            *row = labels.map_or(*row, |labels| labels[*row as usize]);
        }
        if ordered && *a > *b {
            core::mem::swap(a, b);
        }
    }
}

/// Returns the lanes in which two filters, given as words, allow a pair. One of them is rotated by 16 bits,
/// so that the masks of each are at the bits of the categories of the other.
#[inline(always)]
pub(crate) fn allow<U: U32Lanes>(swapped: U, other: U) -> U::Mask {
    swapped.halves_meet(other)
}

#[cfg(test)]
mod tests {
    use super::{ROW, check_rows};
    use crate::broadphase::error::FindError;

    /// Goal: as many rows are accepted as can be numbered with the bits for them, and not one more.
    #[test]
    fn rows_that_cannot_be_numbered_are_an_error() {
        let most = ROW as usize;
        assert_eq!([0, most - 1, most].map(check_rows), [Ok(()); 3]);
        for rows in [most + 1, most + 2, usize::MAX] {
            assert_eq!(check_rows(rows), Err(FindError::TooManyBoxes { rows }));
        }
    }
}
