//! Which boxes are looked at, and which of them may pair?

use super::finder::FindError;
use super::world::ProxyId;
use crate::geom::Filter;
use crate::lanes::{Isa, U32Lanes};
use crate::store::{Boxes, FixedColumns, LengthMismatch};
use core::ops::Range;

/// The boxes of a tick and, where not every pair of them is wanted, what each may pair with.
///
/// Boxes alone convert into it: then all move and each may pair with each. Asked against
/// [`FixedBoxes`](super::FixedBoxes), what does not move makes no pair.
///
/// ```
/// use swath::{Boxes, BoxSet, Filter, PairFinder};
///
/// // Three boxes at one place; the first does not move, the last wants no pairs.
/// let (low, high, still) = ([0.0; 3], [1.0; 3], [0.0; 3]);
/// let boxes = Boxes::new([&low; 3], [&high; 3], [&still; 3])?;
/// let moves = [false, true, true];
/// let filters = [Filter::ALL, Filter::ALL, Filter::NONE];
///
/// let mut finder = PairFinder::new();
/// assert_eq!(finder.union_pairs(boxes)?.len(), 3);
/// assert_eq!(finder.union_pairs(BoxSet::new(boxes).filtered(&filters))?.len(), 1);
/// let none_moves = [false; 3];
/// assert_eq!(finder.union_pairs(BoxSet::new(boxes).moving(&none_moves))?.len(), 0);
/// assert_eq!(finder.union_pairs(BoxSet::new(boxes).moving(&moves))?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoxSet<'a> {
    pub(super) boxes: Boxes<'a>,
    pub(super) moves: Option<&'a [bool]>,
    pub(super) filters: Option<&'a [Filter]>,
    names: Option<&'a [ProxyId]>,
}

impl<'a> From<Boxes<'a>> for BoxSet<'a> {
    fn from(boxes: Boxes<'a>) -> Self {
        Self::new(boxes)
    }
}

impl<'a> BoxSet<'a> {
    /// All of `boxes`; each may pair with each.
    #[must_use]
    pub fn new(boxes: Boxes<'a>) -> Self {
        Self { boxes, moves: None, filters: None, names: None }
    }

    /// Says of each row whether it moves: two that do not make no pair.
    ///
    /// A flag says so, not the displacement: a box may rest for the tick and want its pairs.
    #[must_use]
    pub fn moving(self, moves: &'a [bool]) -> Self {
        Self { moves: Some(moves), ..self }
    }

    /// Says of each row with what it may pair.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// Says how pairs name each row: by the index of its id, not by the row. Of one set alone, and
    /// for the finder alone.
    pub(super) fn named(self, ids: &'a [ProxyId]) -> Self {
        Self { names: Some(ids), ..self }
    }

    /// How pairs name a row.
    #[inline(always)]
    pub(super) fn name(&self, row: usize) -> Option<u32> {
        self.names.map(|ids| ids[row].index())
    }

    /// How many boxes.
    pub(super) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there is a flag and a filter for each box, where there are any.
    pub(super) fn check(&self) -> Result<(), FindError> {
        let rows = self.len();
        LengthMismatch::check("the flags `moves`", rows, self.moves.map_or(rows, <[bool]>::len))?;
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))?;
        Ok(())
    }

    /// Some of the rows.
    pub(super) fn slice(&self, rows: Range<usize>) -> Self {
        Self {
            boxes: self.boxes.slice(rows.clone()),
            moves: self.moves.map(|moves| &moves[rows.clone()]),
            filters: self.filters.map(|filters| &filters[rows.clone()]),
            names: self.names.map(|ids| &ids[rows.clone()]),
        }
    }
}

/// Boxes that do not move and, where not every pair with them is wanted, what each may pair with.
///
/// Boxes alone convert into it: then each may pair with each mover. For
/// [`FixedBoxes`](super::FixedBoxes).
#[derive(Clone, Copy, Debug)]
pub struct FixedSet<'a> {
    pub(super) boxes: FixedColumns<'a>,
    filters: Option<&'a [Filter]>,
}

impl<'a> From<FixedColumns<'a>> for FixedSet<'a> {
    fn from(boxes: FixedColumns<'a>) -> Self {
        Self::new(boxes)
    }
}

impl<'a> FixedSet<'a> {
    /// All of `boxes`; each may pair with each mover.
    #[must_use]
    pub fn new(boxes: FixedColumns<'a>) -> Self {
        Self { boxes, filters: None }
    }

    /// Says of each box with what it may pair.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// Whether some pairs may be unwanted.
    pub(super) fn is_filtered(&self) -> bool {
        self.filters.is_some()
    }

    /// With what box `k` may pair.
    pub(super) fn filter(&self, k: usize) -> Filter {
        self.filters.map_or(Filter::ALL, |filters| filters[k])
    }

    /// Whether there is a filter for each box, where there are any.
    pub(super) fn check(&self) -> Result<(), LengthMismatch> {
        let rows = self.boxes.len();
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))
    }
}

/// Where two filters as words allow a pair; one of the two is turned by 16 bits, so that the masks
/// of each are beside the categories of the other.
#[inline(always)]
pub(super) fn allow<I: Isa>(isa: I, turned: I::U32, other: I::U32) -> I::Mask {
    let common = turned & other;
    let (low, high) = (isa.splat_u32(0xffff), isa.splat_u32(0xffff_0000));
    !(common.disjoint(low) | common.disjoint(high))
}
