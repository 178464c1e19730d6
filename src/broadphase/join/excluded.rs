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
//! boxes of both kinds have no pair with each other; or it is divided into the boxes within the categories and the others, so that those of the
//! others that are blind are separated from the first next. A sample of the filters shows which categories exclude most
//! pairs, and a second one confirms it. The parts that are left are joined like other sets, so they may be separated again by other categories. Where
//! filters exclude few pairs, the boxes of the most frequent owner of a sample are separated.
//!
//! Before a join is divided by planes, the boxes are also separated where only some of them overlap, if each box
//! overlaps many others that are excluded, by a sample of the boxes.

use super::boxes::{KdBoxes, KdRows};
use super::choose::LEAF_WORK;
use super::sample::{JoinSets, sampled_row};
use crate::broadphase::pairs::candidates::overlap;
use crate::broadphase::pairs::input::ROW;
use crate::broadphase::pairs::limit::OwnerOf;
use crate::geom::count_of;
use crate::lanes::Scalar;

/// Number of boxes of a set in a sample.
pub(super) const SAMPLE: usize = 64;
/// Fewest comparisons of a join of which boxes are separated. To read the sample takes as long as some ten thousand.
const COMPARED_MIN: f64 = if cfg!(fuzzing) { 8.0 } else { 65536.0 };
/// Fewest pairs of a sample that are excluded: a sixteenth.
const EXCLUDED_MIN: usize = SAMPLE * SAMPLE / 16;
/// Fewest pairs of a second sample that are excluded: a twenty-fourth.
const CONFIRMED_MIN: usize = SAMPLE * SAMPLE / 24;
/// For two parts of one set, which are three joins afterwards, both numbers are this many times as great.
const OF_ONE_SET: usize = 3;
/// Number of overlapping excluded pairs, for each box, from which boxes are separated before any division.
pub(crate) const OVERLAPS_MIN: f64 = if cfg!(fuzzing) { 1.0 } else { 16.0 };
/// Fewest boxes of a join that are separated before any division.
const ROWS_MIN: usize = if cfg!(fuzzing) { 8 } else { 512 };
/// Number of boxes of each of two sets in the sample from which overlaps are estimated.
const OVERLAPS_SAMPLE: usize = 128;
/// Greatest number of separations, one after the other, of samples of which the comparisons are estimated.
const SEPARATIONS_MAX: usize = 16;
/// The bounds of a box that overlaps nothing.
const NOWHERE: [f32; 6] = [f32::INFINITY, 0.0, 0.0, f32::NEG_INFINITY, 0.0, 0.0];
/// The bits of a filter word for categories.
const CATEGORIES: u32 = 0xffff;

/// How the filter of a box is related to a set of categories.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FilterKind {
    /// The box has no other category.
    Within,
    /// The mask of the box has none of the categories.
    Blind,
    /// Within the categories and blind to them.
    Both,
    /// Blind to the categories and not within them.
    Beside,
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
            Self::Beside => is_blind && !is_within,
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
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { filters: &[], owner: None };

    pub(crate) fn is_none(&self) -> bool {
        self.filters.is_empty() && self.owner.is_none()
    }

    /// Estimates how many pairs of two samples a join compares: those that are not in parts that it separates. The samples are lists of
    /// places of boxes that overlap; they are reordered. `each` is the number of pairs of boxes that a pair of the samples represents.
    pub(crate) fn count_compared(self, sets: [&mut [u32]; 2], each: f64) -> usize {
        self.count_left(sets, each, SEPARATIONS_MAX)
    }

    fn count_left(self, [a, b]: [&mut [u32]; 2], each: f64, separations: usize) -> usize {
        let pairs = a.len() * b.len();
        if self.is_none() || separations == 0 || pairs as f64 * each < COMPARED_MIN {
            return pairs;
        }
        let Some(parts) = ExcludedParts::of_sets(self, [a, b], false) else { return pairs };
        // The others are first in either set.
        let mut others = [0; 2];
        for (set, words) in [&mut *a, &mut *b].into_iter().enumerate() {
            for k in 0..words.len() {
                if !parts.has(self, set, words[k]) {
                    words.swap(k, others[set]);
                    others[set] += 1;
                }
            }
        }
        let (others_of_a, part) = a.split_at_mut(others[0]);
        // The join of the part is first, because that of the others reorders the second set.
        self.count_left([part, &mut b[..others[1]]], each, separations - 1)
            + self.count_left([others_of_a, b], each, separations - 1)
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
        Self::of_sets(excluded, [a, b].map(|set| &words[set.start..][..set.len]), same)
    }

    /// Chooses the parts of two sets before they are divided; the sets may be the same. `None` if few of the boxes that are excluded from each other
    /// overlap.
    pub(super) fn of_crowd(
        excluded: Exclusion<'_>,
        boxes: &KdBoxes,
        (a, b, same): (KdRows, KdRows, bool),
    ) -> Option<Self> {
        let rows = if same { a.len } else { a.len + b.len };
        if excluded.is_none() || rows < ROWS_MIN {
            return None;
        }
        let parts = Self::of_sets(excluded, [boxes.words(a), boxes.words(b)], same)?;
        let overlaps = if same && !parts.are_of_one_set() {
            let is_of_part = |word: u32| parts.has(excluded, 0, word);
            a.len as f64 * boxes.overlapping(a, &is_of_part)
        } else {
            let is_of_part = |set: usize, word: u32| parts.has(excluded, set, word);
            let share = boxes.share_overlapping::<OVERLAPS_SAMPLE>([a, b], &is_of_part);
            a.len as f64 * b.len as f64 / rows as f64 * share
        };
        (overlaps >= OVERLAPS_MIN).then_some(parts)
    }

    /// Chooses the parts of two sets from samples of their words.
    fn of_sets(excluded: Exclusion<'_>, sets: [&[u32]; 2], same: bool) -> Option<Self> {
        let Exclusion { filters, owner } = excluded;
        // Every second box of the sample decides; the others confirm it, because the best categories of a few boxes with many kinds of filters
        // are good for these alone.
        let word = |words: &[u32], k, turn| {
            let rows = KdRows { start: 0, len: words.len() };
            words[sampled_row(rows, 2 * k + turn, 2 * SAMPLE)]
        };
        let sampled = |of: &dyn Fn(u32) -> u32| {
            sets.map(|words| core::array::from_fn(|k| of(word(words, k, 0) & ROW)))
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
        let times = if parts.are_of_one_set() { OF_ONE_SET } else { 1 };
        (count(0) * count(1) >= times * CONFIRMED_MIN).then_some(parts)
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

    /// Whether these are two parts of a single set. The boxes of the first one may have pairs with each other.
    pub(super) fn are_of_one_set(&self) -> bool {
        matches!(self, Self::Filters(parts) if parts.kinds[1] == FilterKind::Beside)
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
        use FilterKind::{Beside, Blind, Both, Within};
        let kinds: &[_] =
            if same { &[[Both; 2], [Within, Beside]] } else { &[[Within, Blind], [Blind, Within]] };
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
                let times = if kinds[1] == Beside { OF_ONE_SET } else { 1 };
                if most >= best.0.max(times * EXCLUDED_MIN) {
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
        self.share_overlapping::<SAMPLE>(sets, &|_, _| true) >= 0.25
    }

    /// Returns the share of the pairs of two sets that overlap, by a sample of this many boxes of each. Only those with words of a condition count, by the
    /// set and the word.
    fn share_overlapping<const COUNT: usize>(
        &self,
        sets: [KdRows; 2],
        is_counted: &dyn Fn(usize, u32) -> bool,
    ) -> f64 {
        let [a, b] = [0, 1].map(|set| {
            core::array::from_fn::<[f32; 6], COUNT, _>(|k| {
                let row = sampled_row(sets[set], k, COUNT);
                if is_counted(set, self.words[row]) {
                    self.bounds.each_ref().map(|column| column[row])
                } else {
                    NOWHERE
                }
            })
        });
        let overlapping: usize =
            a.iter().map(|&p| count_of(&b, |&q| overlap::<Scalar>(p, q))).sum();
        overlapping as f64 / (COUNT * COUNT) as f64
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
