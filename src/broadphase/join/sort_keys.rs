//! Sorts boxes by where they start on an axis.
//!
//! A key is the start above the number of its box. The range of the starts is divided into about as many bins as there are keys. The keys are
//! ordered by bin, and then by insertion, because each is close to its place. If too many of them are in few bins, they are sorted by their
//! digits instead, which does not depend on the distribution. Both are stable, so the order is the same.

use super::occupied::cells_per_length;
use crate::broadphase::pairs::buffer::lengthen_sparsely;
use crate::columns::impl_memory;
use crate::par::ordered_bits;
use alloc::vec::Vec;

/// Greatest number of boxes of a set that is sorted. It limits the memory for the keys.
pub(super) const SORTED_MAX: usize = 1 << 16;
/// Greatest number of bins. And the greatest sum of the squares of the numbers of keys in them, for each key: the keys of a bin
/// are sorted by insertion, and an even distribution has a sum of two.
const BINS_MAX: usize = 1 << 15;
const TOGETHER_MAX: u64 = 6;
/// Bits and number of the digits of a key.
const DIGIT_BITS: usize = 11;
const DIGITS: usize = 3;
const DIGIT_MASK: usize = (1 << DIGIT_BITS) - 1;

/// Memory to sort boxes.
#[derive(Debug, Default)]
pub(super) struct SortKeys {
    /// Sort keys above the numbers of their boxes, and space for as many.
    keys: [Vec<u64>; 2],
    /// Number of boxes in each bin.
    bins: Vec<u32>,
}

impl_memory!(SortKeys { keys, bins });

/// Returns the number with these ordered bits.
#[inline(always)]
fn number_of(ordered: u32) -> f32 {
    f32::from_bits(!ordered_bits(!ordered))
}

impl SortKeys {
    /// Reserves memory for so many boxes.
    pub(super) fn grow(&mut self, rows: usize) {
        let rows = rows.min(SORTED_MAX);
        self.keys.iter_mut().for_each(|keys| lengthen_sparsely(keys, rows));
        lengthen_sparsely(&mut self.bins, rows.next_power_of_two().min(BINS_MAX) + 1);
    }

    /// Sorts so many numbers, each with the number of a box. Returns the boxes in the lower halves of the keys; those with equal
    /// numbers keep their order.
    #[inline(always)]
    pub(super) fn sort(
        &mut self,
        count: usize,
        numbers: impl Iterator<Item = (f32, u32)>,
    ) -> &[u64] {
        let [keys, spare] = &mut self.keys;
        let (keys, spare) = (&mut keys[..count], &mut spare[..count]);
        let (mut least, mut most) = (u32::MAX, 0);
        for (key, (number, of)) in keys.iter_mut().zip(numbers) {
            let bits = ordered_bits(number.to_bits());
            *key = u64::from(bits) << 32 | u64::from(of);
            least = if bits < least { bits } else { least };
            most = if bits > most { bits } else { most };
        }
        if least >= most {
            return keys;
        }
        if sort_by_bins(keys, spare, &mut self.bins, [least, most].map(number_of)) {
            spare
        } else {
            sort_by_digits(keys, spare)
        }
    }
}

/// Sorts keys by bins of equal length, and then by insertion. Returns false, and changes no key, if many of them are in few bins.
#[inline(never)]
fn sort_by_bins(keys: &[u64], spare: &mut [u64], bins: &mut [u32], [low, high]: [f32; 2]) -> bool {
    let count = keys.len().next_power_of_two().min(BINS_MAX);
    let (scale, last) = (cells_per_length(count, high - low), (count - 1) as f32);
    let bin = |key: u64| {
        let at = (number_of((key >> 32) as u32) - low) * scale;
        (if at < last { at } else { last }) as i32 as usize
    };
    let bins = &mut bins[..count];
    bins.fill(0);
    for &key in keys {
        bins[bin(key)] += 1;
    }
    let (mut start, mut together) = (0, 0);
    for bin in bins.iter_mut() {
        let here = core::mem::replace(bin, start);
        start += here;
        together += u64::from(here) * u64::from(here);
    }
    if together > TOGETHER_MAX * keys.len() as u64 {
        return false;
    }
    for &key in keys {
        let to = &mut bins[bin(key)];
        spare[*to as usize] = key;
        *to += 1;
    }
    for at in 1..spare.len() {
        let key = spare[at];
        let mut to = at;
        while to > 0 && spare[to - 1] >> 32 > key >> 32 {
            spare[to] = spare[to - 1];
            to -= 1;
        }
        spare[to] = key;
    }
    true
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
        if counts[digit(keys[0], place)] == keys.len() as u32 {
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
    use super::SortKeys;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: keys are sorted by their numbers, and equal numbers keep their order. Method: a stable sort of the standard library;
    /// even numbers, many equal ones, all scales, and a few far from the others, of either sign.
    #[test]
    fn keys_are_sorted_as_by_a_stable_sort() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut keys = SortKeys::default();
        keys.grow(5000);
        for count in [0, 1, 2, 3, 40, 777, 5000] {
            for kind in 0..5 {
                let numbers: Vec<f32> = (0..count)
                    .map(|row| {
                        let even: f32 = rng.random_range(-1.0..1.0);
                        match kind {
                            0 => even,
                            1 => (even * 7.0) as i32 as f32,
                            2 => (0..20).fold(even, |power, _| power * even),
                            3 if row % 97 == 5 => even * 1e30,
                            3 => even * 1e-3,
                            _ => -2.5,
                        }
                    })
                    .collect();
                let mut expected: Vec<u32> = (0..count as u32).collect();
                expected.sort_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
                let sorted = keys.sort(count, numbers.iter().copied().zip(0..));
                let sorted: Vec<u32> = sorted.iter().map(|&key| key as u32).collect();
                assert_eq!(sorted, expected, "{count} of kind {kind}");
            }
        }
    }
}
