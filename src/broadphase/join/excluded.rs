//! Separates boxes that filters or owners exclude from each other, where most boxes of a join overlap.
//!
//! Such boxes are compared each with each, because most of them are a pair. Filters and owners may exclude most of these pairs: ten
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
//! pairs, and a second one confirms it. The parts that are left are joined like other sets, so they may be separated again by other categories. Where
//! filters exclude few pairs, the boxes of the most frequent owner of a sample are separated.
//!
//! Before a join of one set is divided by planes, the boxes are also separated where only some of them overlap, if each box
//! overlaps many others that are excluded, by a sample of the boxes.

use super::boxes::{KdBoxes, KdRows};
use super::choose::LEAF_WORK;
use super::sample::{JoinSets, sampled_row};
use crate::broadphase::pairs::input::ROW;
use crate::broadphase::pairs::limit::OwnerOf;
use crate::geom::count_of;

/// Number of boxes of a set in a sample.
pub(super) const SAMPLE: usize = 32;
/// Fewest comparisons of a join of which boxes are separated. To read the sample takes as long as some ten thousand.
const COMPARED_MIN: f64 = if cfg!(fuzzing) { 8.0 } else { 65536.0 };
/// Fewest pairs of a sample that are excluded: a third.
const EXCLUDED_MIN: usize = SAMPLE * SAMPLE / 3;
/// Fewest of them in a second sample: a quarter.
const CONFIRMED_MIN: usize = SAMPLE * SAMPLE / 4;
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

/// What excludes pairs of a join. It only decides how boxes are separated: excluded pairs may be reported.
#[derive(Clone, Copy)]
pub(crate) struct Exclusion<'a> {
    /// The filters of the boxes as words, by place; empty if all pairs are allowed.
    pub(crate) filters: &'a [u32],
    /// Returns the owner of the box at a place, or 0. Two boxes of one owner are not a pair.
    pub(crate) owner: Option<OwnerOf<'a>>,
}

impl Exclusion<'_> {
    /// Allows all pairs.
    pub(crate) const NONE: Self = Self { filters: &[], owner: None };

    pub(super) fn is_none(&self) -> bool {
        self.filters.is_empty() && self.owner.is_none()
    }
}

/// Parts of the two sets of a join between which all pairs are excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ExcludedParts {
    Filters(FilterParts),
    /// The boxes of an owner in either set.
    Owner(u32),
}

/// Parts of two sets by their filters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FilterParts {
    categories: u32,
    /// The kinds of the part of either set.
    kinds: [FilterKind; 2],
}

impl ExcludedParts {
    /// Chooses the parts of two sets of which each box would be compared with each, from a sample; the sets may be the same. `words` are those of the
    /// boxes. `None` if few pairs are excluded.
    pub(super) fn choose(
        excluded: Exclusion<'_>,
        words: &[u32],
        (a, b, same): (KdRows, KdRows, bool),
    ) -> Option<Self> {
        let compared = a.len as f64 * b.len as f64 * if same { 0.5 } else { 1.0 };
        let rows = if same { a.len } else { a.len + b.len };
        if excluded.is_none() || compared < COMPARED_MIN.max(LEAF_WORK * rows as f64) {
            return None;
        }
        Self::of_sets(excluded, words, [a, b], same)
    }

    /// Chooses the parts of a set before it is divided. `None` if few of the boxes that are excluded from each other overlap.
    pub(super) fn of_crowd(excluded: Exclusion<'_>, boxes: &KdBoxes, set: KdRows) -> Option<Self> {
        if excluded.is_none() || set.len < ROWS_MIN {
            return None;
        }
        let parts = Self::of_sets(excluded, &boxes.words, [set, set], true)?;
        let is_of_part = |word: u32| parts.has(excluded, 0, word);
        let overlaps = set.len as f64 * boxes.overlapping(set, &is_of_part);
        (overlaps >= OVERLAPS_MIN).then_some(parts)
    }

    /// Chooses the parts of two sets from a sample.
    fn of_sets(
        excluded: Exclusion<'_>,
        words: &[u32],
        sets: [KdRows; 2],
        same: bool,
    ) -> Option<Self> {
        let Exclusion { filters, owner } = excluded;
        // Every second box of the sample decides; the others confirm it, because the best categories of a few boxes with many kinds of filters
        // are good for these alone.
        let word = |rows, k, turn| words[sampled_row(rows, 2 * k + turn, 2 * SAMPLE)];
        let sampled = |of: &dyn Fn(u32) -> u32| {
            sets.map(|rows| core::array::from_fn(|k| of(word(rows, k, 0) & ROW)))
        };
        let of_filters = || {
            let [a, b] = sampled(&|place| filters[place as usize]);
            FilterParts::of_sample([&a, &b], same).map(Self::Filters)
        };
        let of_filters = if filters.is_empty() { None } else { of_filters() };
        let parts = of_filters.or_else(|| Self::of_owners(sampled(owner?)))?;
        let count = |set: usize| {
            (0..SAMPLE).filter(|&k| parts.has(excluded, set, word(sets[set], k, 1))).count()
        };
        (count(0) * count(1) >= CONFIRMED_MIN).then_some(parts)
    }

    /// Chooses the owner of which most pairs are excluded, from samples of both sets.
    fn of_owners([a, b]: [[u32; SAMPLE]; 2]) -> Option<Self> {
        let pairs = |owner: u32| {
            let [a, b] = [&a, &b].map(|sample| count_of(sample, |&of| of == owner));
            a * b
        };
        let owner = a.into_iter().filter(|&owner| owner != 0).max_by_key(|&owner| pairs(owner))?;
        (pairs(owner) >= EXCLUDED_MIN).then_some(Self::Owner(owner))
    }

    /// Returns whether the box of a word is in the part of the first or second set.
    fn has(&self, excluded: Exclusion<'_>, set: usize, word: u32) -> bool {
        let place = word & ROW;
        match self {
            Self::Filters(parts) => parts.has(set, excluded.filters[place as usize]),
            Self::Owner(owner) => excluded.owner.is_some_and(|of| of(place) == *owner),
        }
    }
}

impl FilterParts {
    /// Chooses the parts from filter words of both sets.
    pub(super) fn of_sample(samples: [&[u32; SAMPLE]; 2], same: bool) -> Option<Self> {
        use FilterKind::{Blind, Both, Within};
        let kinds: &[_] = if same { &[[Both; 2]] } else { &[[Within, Blind], [Blind, Within]] };
        let mut best = (EXCLUDED_MIN, None);
        let (mut tried, mut count) = ([0; 2 * SAMPLE], 0);
        for of in samples.into_iter().flatten().map(|word| word & CATEGORIES) {
            if !tried[..count].contains(&of) {
                tried[count] = of;
                count += 1;
            }
        }
        for &kinds in kinds {
            let mut categories = 0;
            let mut most = 0;
            loop {
                // The categories of one more filter, if more pairs are excluded then.
                let mut next = None;
                for of in &tried[..count] {
                    let parts = Self { categories: categories | of, kinds };
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
    /// Returns whether a quarter of the pairs of samples of two sets overlap.
    pub(super) fn many_overlap(&self, sets: [KdRows; 2]) -> bool {
        let [a, b] = sets.map(|set| {
            core::array::from_fn::<[f32; 6], SAMPLE, _>(|k| {
                let row = sampled_row(set, k, SAMPLE);
                self.bounds.each_ref().map(|column| column[row])
            })
        });
        let overlap = |p: &[f32; 6], q: &[f32; 6]| {
            (0..3).fold(true, |all, axis| all & (p[axis] <= q[3 + axis]) & (q[axis] <= p[3 + axis]))
        };
        let overlapping: usize = a.iter().map(|p| count_of(&b, |q| overlap(p, q))).sum();
        overlapping >= SAMPLE * SAMPLE / 4
    }

    /// Copies the boxes of the first or second set that are in its part, or all others, to the rows from `start` on. Returns these
    /// rows, and the flags that all of the boxes have.
    pub(super) fn copy_part(
        &mut self,
        excluded: Exclusion<'_>,
        (parts, set): (&ExcludedParts, usize),
        (rows, is_in_part): (KdRows, bool),
        start: usize,
    ) -> (KdRows, u32) {
        let is_copied =
            |boxes: &Self, row: usize| parts.has(excluded, set, boxes.words[row]) == is_in_part;
        self.copy_where(rows, start, &is_copied)
    }
}
