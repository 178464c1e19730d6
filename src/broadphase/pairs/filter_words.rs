//! The words by which filters are compared in one search for pairs.
//!
//! A word has 16 bits for the categories and 16 for the mask. [`Filter::word`] folds all categories from 15 on to one bit,
//! so it may allow a pair that the filters exclude. The words of a single search are compared with each other only, so they
//! may fold other categories: two categories that no mask of the search distinguishes can share a bit without any
//! loss. Such categories form a group. With at most 16 groups the words decide exactly. With more, the most frequent categories are a group each.
//!
//! Two categories `i` and `i + s` are in one group if bit `i` of `mask ^ rotate_right(mask, s)` is zero in all masks.

use crate::geom::{Filter, uneven_index};
use crate::lanes::{Isa, Kernel, Level};
use crate::par::{self, Threads};

/// Number of bits of a word for categories.
const GROUPS_MAX: usize = 16;
/// Number of filters that are tested at once whether they have the mask of the one before.
const CHUNK: usize = 64;
/// Number of parts of a set that the threads share.
const PARTS: usize = 16;
/// Number of filters of a set from which the most frequent categories are chosen.
const SAMPLES_MAX: usize = 1024;
/// Number of filters below which one thread reads them: to wake another takes as long.
const PARALLEL_FILTERS_MIN: usize = 1 << 15;

/// How filters are folded to words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterWords {
    /// The categories of each of the `count` groups. Without a group, words are those of [`Filter::word`], which then decide exactly.
    groups: [u32; GROUPS_MAX],
    count: usize,
    /// Whether words decide exactly.
    pub(crate) exact: bool,
}

impl FilterWords {
    /// Chooses the words for the filters of these sets; `None` stands for [`Filter::ALL`] in each row.
    pub(crate) fn choose<'a>(
        level: Level,
        threads: &Threads,
        sets: impl Iterator<Item = Option<&'a [Filter]>> + Clone,
    ) -> Self {
        let has_inexact = |filters| {
            let parts = read_parts(threads, filters, &|filters| level.run(HasInexact { filters }));
            parts.contains(&true)
        };
        if !sets.clone().flatten().any(has_inexact) {
            return Self { groups: [0; GROUPS_MAX], count: 0, exact: true };
        }
        let mut masks = Masks::default();
        for filters in sets.clone() {
            match filters {
                Some(filters) => {
                    let parts =
                        read_parts(threads, filters, &|filters| level.run(ReadMasks { filters }));
                    parts.iter().for_each(|part| masks.add(part));
                }
                None => masks.used = u32::MAX,
            }
        }
        masks.groups().unwrap_or_else(|| Self::of_most_used(masks.used, sets))
    }

    /// Returns words that do not decide exactly: the categories that most of the filters of a sample have are a group each, and all others share the
    /// last one.
    fn of_most_used<'a>(used: u32, sets: impl Iterator<Item = Option<&'a [Filter]>>) -> Self {
        let mut counts = [0; 32];
        for filters in sets.flatten() {
            let samples = filters.len().min(SAMPLES_MAX);
            for k in 0..samples {
                let Filter { category, .. } = filters[uneven_index(k, samples, filters.len())];
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += category >> bit & 1;
                }
            }
        }
        let (mut groups, mut left) = ([0; GROUPS_MAX], used);
        for group in &mut groups[..GROUPS_MAX - 1] {
            let categories = (0..32_u32).filter(|bit| left >> bit & 1 == 1);
            let Some(most) = categories.max_by_key(|&bit| counts[bit as usize]) else { break };
            (*group, left) = (1 << most, left & !(1 << most));
        }
        groups[GROUPS_MAX - 1] = left;
        Self { groups, count: GROUPS_MAX, exact: false }
    }

    /// Writes the word of each filter.
    pub(crate) fn write(&self, level: Level, filters: &[Filter], words: &mut [u32]) {
        if self.count == 0 {
            for (word, filter) in words.iter_mut().zip(filters) {
                *word = filter.word();
            }
            return;
        }
        let words = &mut words[..filters.len()];
        level.run(WriteWords { groups: &self.groups[..self.count], filters, words });
    }
}

/// Calls `read` for each part of the filters, on these threads.
fn read_parts<T: Copy + Default + Send>(
    threads: &Threads,
    filters: &[Filter],
    read: &(impl Fn(&[Filter]) -> T + Sync),
) -> [T; PARTS] {
    let size = filters.len().div_ceil(PARTS).next_multiple_of(CHUNK);
    let threads = threads.for_items(filters.len(), PARALLEL_FILTERS_MIN);
    let mut parts = [T::default(); PARTS];
    par::fill_chunks(threads, &mut parts, 1, &|part, to: &mut [T]| {
        let limit = |part: usize| filters.len().min(part * size);
        to.fill(read(&filters[limit(part)..limit(part + 1)]));
    });
    parts
}

/// Returns whether the words of [`Filter::word`] do not decide exactly about all of the filters.
struct HasInexact<'a> {
    filters: &'a [Filter],
}

impl Kernel for HasInexact<'_> {
    type Output = bool;
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> bool {
        for filters in self.filters.chunks(CHUNK) {
            let mut inexact = false;
            for filter in filters {
                inexact |= !filter.is_exact();
            }
            if inexact {
                return true;
            }
        }
        false
    }
}

/// What the filters of a search have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    /// The categories of any box.
    used: u32,
    /// Bit `i` of element `s - 1` is set if any mask distinguishes the categories `i` and `i + s` (modulo 32).
    apart: [u32; 16],
}

impl Masks {
    /// Adds those of another part.
    fn add(&mut self, other: &Self) {
        self.used |= other.used;
        for (apart, other) in self.apart.iter_mut().zip(other.apart) {
            *apart |= other;
        }
    }

    /// Whether no mask distinguishes two categories, of which `i` is the lesser.
    fn are_same(&self, i: u32, j: u32) -> bool {
        let shift = j - i;
        let (from, shift) = if shift <= 16 { (i, shift) } else { (j, 32 - shift) };
        self.apart[shift as usize - 1] >> from & 1 == 0
    }

    /// Divides the used categories into groups. `None` if there are too many.
    fn groups(&self) -> Option<FilterWords> {
        let mut words = FilterWords { groups: [0; GROUPS_MAX], count: 0, exact: true };
        for category in (0..32).filter(|category| self.used >> category & 1 == 1) {
            let groups = &mut words.groups[..words.count];
            let is_same = |group: &&mut u32| self.are_same(group.trailing_zeros(), category);
            if let Some(group) = groups.iter_mut().find(is_same) {
                *group |= 1 << category;
            } else {
                *words.groups.get_mut(words.count)? = 1 << category;
                words.count += 1;
            }
        }
        Some(words)
    }
}

/// Returns what these filters have in common.
struct ReadMasks<'a> {
    filters: &'a [Filter],
}

impl Kernel for ReadMasks<'_> {
    type Output = Masks;
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> Masks {
        let Masks { mut used, mut apart } = Masks::default();
        let mut last = 0;
        for filters in self.filters.chunks(CHUNK) {
            let (mut any, mut differ) = (0, 0);
            for filter in filters {
                any |= filter.category;
                differ |= filter.mask ^ last;
            }
            used |= any;
            // Many scenes have one mask. The first one differs from zero, or distinguishes nothing.
            if differ == 0 {
                continue;
            }
            for (shift, apart) in (1..).zip(&mut apart) {
                let mut any = 0;
                for filter in filters {
                    any |= filter.mask ^ filter.mask.rotate_right(shift);
                }
                *apart |= any;
            }
            last = filters[filters.len() - 1].mask;
        }
        Masks { used, apart }
    }
}

/// Writes the words of filters for given groups.
struct WriteWords<'a> {
    groups: &'a [u32],
    filters: &'a [Filter],
    words: &'a mut [u32],
}

impl Kernel for WriteWords<'_> {
    type Output = ();
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let Self { groups, filters, words } = self;
        words.fill(0);
        for (bit, &group) in groups.iter().enumerate() {
            for (word, filter) in words.iter_mut().zip(filters) {
                let category = u32::from(filter.category & group != 0);
                let mask = u32::from(filter.mask & group != 0);
                *word |= (category | mask << 16) << bit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FilterWords;
    use crate::geom::Filter;
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: the words decide as the filters do if they are exact, and never exclude an allowed pair otherwise; up to 16
    /// categories that masks distinguish are exact. Method: random masks of few and of many groups of categories, in one
    /// set and in two, of which one may have no filters; every pair of filters, on every level.
    #[test]
    fn words_of_a_search_allow_what_filters_allow() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut folded, mut inexact) = (0, 0);
        for round in 0..300 {
            let groups: u32 = random.random_range(1..if round % 3 == 0 { 33 } else { 17 });
            let group: Vec<u32> = (0..32).map(|_| random.random_range(0..groups)).collect();
            let mut filters = Vec::new();
            for _ in 0..random.random_range(1..200) {
                let chosen: u32 = random.random();
                let in_mask = |category: &usize| chosen >> group[*category] & 1 == 1;
                let mask = (0..32).filter(in_mask).fold(0, |mask, category| mask | 1 << category);
                filters.push(Filter::new(1 << random.random_range(0..32), mask));
            }
            let (first, second) = filters.split_at(random.random_range(0..filters.len()));
            let without = round % 5 == 0;
            let second = if without { &[] } else { second };
            for level in Level::all() {
                let sets = [Some(first), (!without).then_some(second)];
                let words = FilterWords::choose(level, &Threads::one(), sets.into_iter());
                assert!(words.exact || groups > 16);
                folded += usize::from(words.count > 0);
                inexact += usize::from(!words.exact);
                let all: Vec<Filter> = first.iter().chain(second).copied().collect();
                let mut of_all = vec![0; all.len()];
                words.write(level, &all, &mut of_all);
                let (mut all, mut of_all) = (all, of_all);
                if without {
                    all.push(Filter::ALL);
                    of_all.push(Filter::ALL.word());
                }
                for (a, &word_a) in all.iter().zip(&of_all) {
                    for (b, &word_b) in all.iter().zip(&of_all) {
                        if without && *a == Filter::ALL && *b == Filter::ALL {
                            continue;
                        }
                        let by_words = Filter::words_allow(word_a, word_b);
                        assert!(by_words || !a.allows(*b), "{a:?} {b:?}");
                        assert!(!words.exact || by_words == a.allows(*b), "{a:?} {b:?}");
                    }
                }
            }
        }
        assert!(folded > 100 && inexact > 10, "{folded} {inexact}");
    }

    /// Goal: words that do not decide exactly distinguish the categories that most boxes have. Method: many boxes of the upper sixteen categories that pair with
    /// the lower ones only, and few whose masks distinguish all categories.
    #[test]
    fn inexact_words_distinguish_frequent_categories() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
        let few = |random: &mut Xoshiro256PlusPlus| {
            Filter::new(1 << random.random_range(0..16), u32::from(random.random::<u16>()) << 16)
        };
        let frequent =
            |random: &mut Xoshiro256PlusPlus| Filter::new(1 << random.random_range(16..32), 0xffff);
        let filters: Vec<Filter> =
            (0..4096).map(|k| if k % 256 == 0 { few(random) } else { frequent(random) }).collect();
        let words = FilterWords::choose(
            Level::detect(),
            &Threads::one(),
            core::iter::once(Some(&filters[..])),
        );
        assert!(!words.exact && words.count == super::GROUPS_MAX);
        let mut of_all = vec![0; filters.len()];
        words.write(Level::detect(), &filters, &mut of_all);
        let (mut allowed, mut pairs) = (0, 0);
        for (row, a) in of_all.iter().enumerate().filter(|(row, _)| row % 256 != 0) {
            for (other, b) in of_all[..row].iter().enumerate().filter(|(row, _)| row % 256 != 0) {
                assert!(!filters[row].allows(filters[other]));
                allowed += usize::from(Filter::words_allow(*a, *b));
                pairs += 1;
            }
        }
        assert!(64 * allowed < pairs, "{allowed} of {pairs}");
    }

    /// Goal: each filter counts, whichever thread reads its part, and the words are those that one thread chooses. Method: sets
    /// around the number from which threads share them, in which a single filter is not exact and distinguishes
    /// two categories; it is the first, the last, or next to a limit of parts.
    #[test]
    fn one_filter_of_many_counts() {
        let usual = Filter::new(1 << 20, !0);
        let other = Filter::new(1 << 21, !(1 << 20));
        for count in [1, 63, 1000, super::PARALLEL_FILTERS_MIN + 17] {
            let size = count.div_ceil(super::PARTS).next_multiple_of(super::CHUNK);
            for row in [0, size - 1, size, 2 * size, count - 1] {
                let row = row.min(count - 1);
                let mut filters = vec![usual; count];
                filters[row] = other;
                for threads in [Threads::one(), Threads::current()] {
                    let sets = [Some(&filters[..])];
                    let words = FilterWords::choose(Level::detect(), &threads, sets.into_iter());
                    assert!(words.exact, "{count} {row}");
                    let mut of_all = vec![0; count];
                    words.write(Level::detect(), &filters, &mut of_all);
                    let neighbour = if row == 0 { count - 1 } else { 0 };
                    assert_eq!(
                        Filter::words_allow(of_all[row], of_all[neighbour]),
                        other.allows(filters[neighbour]),
                        "{count} {row}"
                    );
                }
            }
        }
    }
}
