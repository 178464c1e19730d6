//! Separates boxes that filters exclude from each other, where most boxes of a join overlap.
//!
//! Such boxes are compared each with each, because most of them are a pair. Filters may exclude most of these pairs: ten
//! thousand shots that start in one place and do not hit each other are fifty million comparisons without a pair.
//!
//! A set of categories tells which pairs of boxes are excluded without a test of each:
//!
//! ```text
//! within the categories   a box has no other category
//! blind to them           the mask of a box has none of them
//! ```
//!
//! A box within the categories and a box that is blind to them are never a pair. In a join of one set with itself, the
//! boxes of both kinds have no pair with each other. A sample of the filters shows which categories exclude most
//! pairs. The parts that are left are joined like other sets, so they may be separated again by other categories.
//!
//! Before a join of one set is divided by planes, the boxes are also separated where only some of them overlap, if each box
//! overlaps many others that are excluded, by a sample of the boxes.

use super::boxes::{KdBoxes, KdRows};
use super::choose::LEAF_WORK;
use super::sample::{JoinSets, sampled_row};
use crate::broadphase::pairs::input::ROW;
use crate::geom::count_of;

/// Number of filters of a set in the sample.
pub(super) const SAMPLE: usize = 32;
/// Fewest comparisons of a join of which boxes are separated. To read the sample takes as long as some ten thousand.
const COMPARED_MIN: f64 = if cfg!(fuzzing) { 8.0 } else { 65536.0 };
/// Least share of pairs of the sample that are excluded.
const EXCLUDED_SHARE: f64 = 0.25;
/// Number of excluded pairs of overlapping boxes, for each box, from which boxes are separated before any division, and fewest boxes
/// for it.
const OVERLAPS_MIN: f64 = if cfg!(fuzzing) { 1.0 } else { 16.0 };
const ROWS_MIN: usize = if cfg!(fuzzing) { 8 } else { 512 };
/// The bits of a filter word for categories.
const CATEGORIES: u32 = 0xffff;

/// A kind of boxes, for some categories.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FilterKind {
    Within,
    Blind,
    /// Within the categories and blind to them.
    Both,
}

impl FilterKind {
    /// Whether a box with this filter word is of the kind.
    fn has(self, categories: u32, word: u32) -> bool {
        let is_within = word & CATEGORIES & !categories == 0;
        let is_blind = word >> 16 & categories == 0;
        match self {
            Self::Within => is_within,
            Self::Blind => is_blind,
            Self::Both => is_within && is_blind,
        }
    }
}

/// Parts of the two sets of a join between which filters exclude all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExcludedParts {
    categories: u32,
    /// The kinds of the part of either set.
    kinds: [FilterKind; 2],
}

impl ExcludedParts {
    /// Chooses the parts of two sets of which each box would be compared with each, from a sample; the sets may be the same. `words` are those of the
    /// boxes, and `filters` the filter words by place, none of which means that all pairs are allowed. `None` if filters
    /// exclude few pairs.
    pub(super) fn choose(
        filters: &[u32],
        words: &[u32],
        (a, b, same): (KdRows, KdRows, bool),
    ) -> Option<Self> {
        let compared = a.len as f64 * b.len as f64 * if same { 0.5 } else { 1.0 };
        let rows = if same { a.len } else { a.len + b.len };
        if filters.is_empty() || compared < COMPARED_MIN.max(LEAF_WORK * rows as f64) {
            return None;
        }
        Self::of_sets(filters, words, [a, b], same)
    }

    /// Chooses the parts of a set before it is divided. `None` if few of the boxes that filters exclude from each other overlap.
    pub(super) fn of_crowd(filters: &[u32], boxes: &KdBoxes, set: KdRows) -> Option<Self> {
        if filters.is_empty() || set.len < ROWS_MIN {
            return None;
        }
        let parts = Self::of_sets(filters, &boxes.words, [set, set], true)?;
        let is_of_part = |word: u32| parts.has(0, filters[(word & ROW) as usize]);
        let overlaps = set.len as f64 * boxes.overlapping(set, &is_of_part);
        (overlaps >= OVERLAPS_MIN).then_some(parts)
    }

    /// Chooses the parts of two sets from a sample.
    fn of_sets(filters: &[u32], words: &[u32], sets: [KdRows; 2], same: bool) -> Option<Self> {
        let filter = |rows, k| filters[(words[sampled_row(rows, k, SAMPLE)] & ROW) as usize];
        let [a, b] = sets.map(|rows| core::array::from_fn(|k| filter(rows, k)));
        Self::of_sample([&a, &b], same)
    }

    /// Chooses the parts from filter words of both sets.
    pub(super) fn of_sample(samples: [&[u32; SAMPLE]; 2], same: bool) -> Option<Self> {
        use FilterKind::{Blind, Both, Within};
        let kinds: &[_] = if same { &[[Both; 2]] } else { &[[Within, Blind], [Blind, Within]] };
        let mut best = ((EXCLUDED_SHARE * (SAMPLE * SAMPLE) as f64) as usize, None);
        for &kinds in kinds {
            let mut categories = 0;
            let mut most = 0;
            loop {
                // The categories of one more filter, if more pairs are excluded then.
                let mut next = None;
                for word in samples.into_iter().flatten() {
                    let parts = Self { categories: categories | word & CATEGORIES, kinds };
                    let excluded = parts.excluded(samples);
                    if excluded > most {
                        (most, next) = (excluded, Some(parts));
                    }
                }
                let Some(parts) = next else { break };
                categories = parts.categories;
                if most >= best.0 {
                    best = (most + 1, Some(parts));
                }
            }
        }
        best.1
    }

    /// Returns how many pairs of filters of two sets are excluded.
    fn excluded(&self, samples: [&[u32; SAMPLE]; 2]) -> usize {
        let count = |k: usize| count_of(samples[k], |&word| self.has(k, word));
        count(0) * count(1)
    }

    /// Returns whether a box of the first or second set with this filter word is in the part of this set.
    pub(super) fn has(&self, set: usize, word: u32) -> bool {
        self.kinds[set].has(self.categories, word)
    }
}

impl KdBoxes {
    /// Copies the boxes of the first or second set that are in its part, or all others, to the rows from `start` on. Returns these
    /// rows, and the flags that all of the boxes have.
    pub(super) fn copy_part(
        &mut self,
        filters: &[u32],
        (parts, set): (&ExcludedParts, usize),
        (rows, is_in_part): (KdRows, bool),
        start: usize,
    ) -> (KdRows, u32) {
        self.copy_where(rows, start, &|boxes, row| {
            parts.has(set, filters[(boxes.words[row] & ROW) as usize]) == is_in_part
        })
    }
}
