//! Orders boxes by where they start on an axis.
//!
//! The range of the starts is divided into bins of equal length, with some boxes in each, and the boxes are ordered by bin; within a bin they keep
//! their order. A sweep compares bins instead of coordinates: a bin is a monotonic function of the coordinate, so boxes that overlap on the
//! axis are never apart by their bins. If too many boxes are in few bins, they are sorted by their starts instead, whatever the
//! distribution. Two sets that are swept together have the same order.

use super::occupied::cells_per_length;
use crate::broadphase::pairs::buffer::lengthen_sparsely;
use crate::columns::impl_memory;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, U32Lanes};
use crate::par::ordered_bits;
use alloc::vec::Vec;
use core::ops::Range;

/// Greatest number of boxes of a set that is sorted. It limits the memory.
pub(super) const SORTED_MAX: usize = 1 << 16;
/// Number of boxes for each bin of an even distribution.
const ROWS_PER_BIN: usize = 4;
/// Greatest number of bins.
const BINS_MAX: usize = SORTED_MAX / ROWS_PER_BIN;
/// Greatest sum of the squares of the numbers of boxes in the bins, for each box. It is about as many comparisons, and an even
/// distribution has a sum of five.
const TOGETHER_MAX: u64 = 16;
/// The bin is in the low bits of a float between this and twice this.
const BIN_FLOAT: f32 = (1 << 23) as f32;
/// Number of bits of a digit of a key.
const DIGIT_BITS: usize = 11;
/// Number of digits of a key.
const DIGITS: usize = 3;
/// The bits of the lowest digit.
const DIGIT_MASK: usize = (1 << DIGIT_BITS) - 1;

/// How coordinates of an axis are ordered: as they are, or by bins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum StartOrder {
    #[default]
    Exact,
    Bins {
        origin: f32,
        scale: f32,
        last: f32,
    },
}

impl StartOrder {
    /// Returns numbers in the order of coordinates; those of bins are whole, from [`BIN_FLOAT`] on.
    #[inline(always)]
    pub(super) fn of<I: Isa>(self, isa: I, at: I::F32) -> I::F32 {
        match self {
            Self::Exact => at,
            Self::Bins { origin, scale, last } => {
                let bin = (at - isa.splat(origin)) * isa.splat(scale);
                bin.max(isa.splat(0.0)).min(isa.splat(last)) + isa.splat(BIN_FLOAT)
            }
        }
    }
}

/// Memory to order the boxes of one or two sets.
#[derive(Debug, Default)]
pub(super) struct SortKeys {
    /// Where the boxes start, those of the second set after those of the first; and in which bins that is.
    starts: Vec<f32>,
    bins: Vec<u32>,
    /// Of each set and bin: the number of boxes, then the place of the next one.
    counts: [Vec<u32>; 2],
    sorted: Vec<u32>,
    /// Starts above numbers of boxes, and space for as many, to sort by starts.
    keys: [Vec<u64>; 2],
}

impl_memory!(SortKeys { starts, bins, counts, sorted, keys });

impl SortKeys {
    /// Reserves memory for this many boxes.
    pub(super) fn grow(&mut self, rows: usize) {
        let (each, both) = (rows.min(SORTED_MAX), rows.min(2 * SORTED_MAX) + LANES_MAX);
        lengthen_sparsely(&mut self.starts, both);
        lengthen_sparsely(&mut self.bins, both);
        lengthen_sparsely(&mut self.sorted, each);
        self.keys.iter_mut().for_each(|keys| lengthen_sparsely(keys, each));
        self.counts.iter_mut().for_each(|counts| lengthen_sparsely(counts, bins_of(each)));
    }

    /// Returns where the starts of this many boxes are to be written.
    pub(super) fn starts_mut(&mut self, rows: usize) -> &mut [f32] {
        &mut self.starts[..rows]
    }

    /// Chooses an order for two sets of this many boxes, of which the starts have been written.
    pub(super) fn order(&mut self, level: Level, [first, second]: [usize; 2]) -> StartOrder {
        let Self { starts, bins, counts, .. } = self;
        let rows = first + second;
        let (low, high) = level.run(FindExtremes(&mut starts[..rows + LANES_MAX]));
        let count = bins_of(first.max(second));
        let scale = cells_per_length(count, high - low);
        if scale == 0.0 {
            return StartOrder::Exact;
        }
        let order = StartOrder::Bins { origin: low, scale, last: (count - 1) as f32 };
        level.run(BinStarts { starts, rows, order, bins });
        for (set, counts) in [0..first, first..rows].into_iter().zip(counts) {
            let counts = &mut counts[..count];
            if !count_bins(&bins[set], counts) {
                return StartOrder::Exact;
            }
        }
        order
    }

    /// Returns numbers of the boxes of the first or second set in this order; `set` are their places among the starts. Boxes of one
    /// place keep their order.
    #[inline(always)]
    pub(super) fn sort(
        &mut self,
        order: StartOrder,
        (which, set): (usize, Range<usize>),
        number: impl Fn(usize) -> u32,
    ) -> &[u32] {
        let Self { starts, bins, counts, sorted, keys } = self;
        let sorted = &mut sorted[..set.len()];
        let counts = &mut counts[which];
        if let StartOrder::Bins { last, .. } = order {
            let counts = &mut counts[..last as usize + 1];
            let mask = counts.len() - 1;
            for (row, &bin) in bins[set].iter().enumerate() {
                let to = &mut counts[bin as usize & mask];
                sorted[*to as usize] = number(row);
                *to += 1;
            }
        } else {
            let [keys, spare] = keys.each_mut().map(|keys| &mut keys[..set.len()]);
            for (row, (key, start)) in keys.iter_mut().zip(&starts[set]).enumerate() {
                *key = u64::from(ordered_bits(start.to_bits())) << 32 | u64::from(number(row));
            }
            let keys = sort_by_digits(keys, spare);
            sorted.iter_mut().zip(keys).for_each(|(number, &key)| *number = key as u32);
        }
        sorted
    }
}

/// Returns the number of bins for this many boxes.
fn bins_of(rows: usize) -> usize {
    (rows / ROWS_PER_BIN).next_power_of_two().min(BINS_MAX)
}

/// Counts the boxes of each bin and returns where those of each bin begin; false if many of them are in few bins.
#[inline(never)]
fn count_bins(bins: &[u32], counts: &mut [u32]) -> bool {
    let mask = counts.len() - 1;
    counts.fill(0);
    for &bin in bins {
        counts[bin as usize & mask] += 1;
    }
    let (mut start, mut together) = (0, 0);
    for count in counts {
        let here = core::mem::replace(count, start);
        start += here;
        together += u64::from(here) * u64::from(here);
    }
    together <= TOGETHER_MAX * bins.len() as u64
}

/// Runs [`extremes`].
struct FindExtremes<'a>(&'a mut [f32]);

impl Kernel for FindExtremes<'_> {
    type Output = (f32, f32);

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (f32, f32) {
        extremes(isa, self.0)
    }
}

/// Returns the least and the greatest number, of which the last [`LANES_MAX`] are padding that is overwritten.
#[inline(always)]
pub(crate) fn extremes<I: Isa>(isa: I, numbers: &mut [f32]) -> (f32, f32) {
    let any = numbers[0];
    let rows = numbers.len() - LANES_MAX;
    numbers[rows..].fill(any);
    let (mut least, mut greatest) = (isa.splat(any), isa.splat(any));
    for group in (0..rows).step_by(I::LANES) {
        let number = isa.load(&numbers[group..]);
        (least, greatest) = (number.min(least), number.max(greatest));
    }
    let (mut lows, mut highs) = ([any; LANES_MAX], [any; LANES_MAX]);
    least.store(&mut lows);
    greatest.store(&mut highs);
    (lows.into_iter().fold(any, f32::min), highs.into_iter().fold(any, f32::max))
}

/// Writes the bits of the order of each start: the low bits are its bin, and the bits above are the same for all starts.
struct BinStarts<'a> {
    starts: &'a [f32],
    rows: usize,
    order: StartOrder,
    bins: &'a mut [u32],
}

impl Kernel for BinStarts<'_> {
    type Output = ();

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { starts, rows, order, bins } = self;
        for row in (0..rows).step_by(I::LANES) {
            order.of(isa, isa.load(&starts[row..])).to_bits().store(&mut bins[row..]);
        }
    }
}

/// Sorts keys by a radix sort.
#[inline(never)]
fn sort_by_digits<'a>(mut keys: &'a mut [u64], mut spare: &'a mut [u64]) -> &'a [u64] {
    let mut counts = [[0_u32; 1 << DIGIT_BITS]; DIGITS];
    let digit = |key: u64, place: usize| (key >> (32 + DIGIT_BITS * place)) as usize & DIGIT_MASK;
    for &key in keys.iter() {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(key, place)] += 1;
        }
    }
    for (place, counts) in counts.iter_mut().enumerate() {
        if keys.first().is_none_or(|&key| counts[digit(key, place)] == keys.len() as u32) {
            continue;
        }
        let mut at = 0;
        for count in counts.iter_mut() {
            at += core::mem::replace(count, at);
        }
        for &key in keys.iter() {
            let to = &mut counts[digit(key, place)];
            spare[*to as usize] = key;
            *to += 1;
        }
        core::mem::swap(&mut keys, &mut spare);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::{SortKeys, StartOrder};
    use crate::lanes::{Kernel, Level};
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Returns the number in the order of one coordinate.
    struct OrderOf(StartOrder, f32);

    impl Kernel for OrderOf {
        type Output = f32;

        fn run<I: crate::lanes::Isa>(self, isa: I) -> f32 {
            use crate::lanes::{F32Lanes, LANES_MAX};
            let mut lanes = [0.0; LANES_MAX];
            self.0.of(isa, isa.splat(self.1)).store(&mut lanes);
            lanes[0]
        }
    }

    /// Goal: two sets have one order, in which each set is sorted; it is that of the coordinates, and places that are equal keep their
    /// order. Method: a stable sort of the standard library; even numbers, many equal ones, all scales, a few far from the others, of
    /// either sign.
    #[test]
    fn boxes_are_in_order_as_by_a_stable_sort() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut keys, mut binned) = (SortKeys::default(), 0);
        keys.grow(8000);
        let level = Level::detect();
        for (first, second) in [(1, 0), (2, 0), (3, 1), (40, 9), (777, 1300), (5000, 2900)] {
            for kind in 0..6 {
                let numbers: Vec<f32> = (0..first + second)
                    .map(|row| {
                        let even: f32 = rng.random_range(-1.0..1.0);
                        match kind {
                            0 => even,
                            1 => (even * 7.0) as i32 as f32,
                            2 => (0..20).fold(even, |power, _| power * even),
                            3 if row % 97 == 5 => even * 1e30,
                            3 => even * 1e-3,
                            4 => [0.0, -0.0][row % 2],
                            _ => -2.5,
                        }
                    })
                    .collect();
                keys.starts_mut(first + second).copy_from_slice(&numbers);
                let order = keys.order(level, [first, second]);
                binned += usize::from(order != StartOrder::Exact);
                let place = |row: u32| level.run(OrderOf(order, numbers[row as usize]));
                for (which, set) in [0..first, first..first + second].into_iter().enumerate() {
                    let mut expected: Vec<u32> = (set.start as u32..set.end as u32).collect();
                    expected.sort_by(|&a, &b| place(a).total_cmp(&place(b)));
                    let start = set.start;
                    let sorted = keys.sort(order, (which, set), |row| (start + row) as u32);
                    assert_eq!(sorted, expected, "{first} and {second} of kind {kind}");
                }
                let mut all: Vec<u32> = (0..numbers.len() as u32).collect();
                all.sort_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
                assert!(all.is_sorted_by(|&a, &b| place(a) <= place(b)), "kind {kind}");
            }
        }
        assert!((6..30).contains(&binned), "{binned} orders by bins");
    }
}
