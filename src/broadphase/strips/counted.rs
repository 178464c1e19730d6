//! Counts the comparisons of a grid pair by pair in a sample of the boxes.
//!
//! Two boxes are compared in each strip that both overlap, if they overlap on the axis along the strips. The pairs of the sample that
//! overlap on that axis do not depend on the cells, so they are listed once, and each grid is tested with this list. Unlike
//! counters of slabs and a mean length, such a count is right for boxes of very different lengths and for crowds much shorter than a slab.
//!
//! Pairs are tested distance by distance: the distance is that of their positions in the sample, so each box is in as many tested
//! pairs as any other, however many are tested. All is a function of the sample alone.

use super::extent::AxisCells;
use crate::broadphase::pairs::candidates::overlap;
use crate::broadphase::pairs::input::allow;
use crate::columns::impl_memory;
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use alloc::vec::Vec;
use core::ops::Range;

/// Number of listed pairs from which no more are tested.
const LISTED_MAX: usize = 512;
/// A prime that is greater than the number of distances. Its multiples are the order in which these are tested.
const STRIDE: usize = 1_000_003;

/// The pairs of boxes of a sample that overlap on one axis.
#[derive(Debug, Default)]
pub(super) struct AxisPairs {
    /// Both boxes of each pair.
    a: Vec<u32>,
    b: Vec<u32>,
    /// Number of listed pairs, and number of pairs that were tested to find them.
    len: usize,
    tested: usize,
    /// Starts and ends of the boxes, followed by padding that overlaps nothing; the same columns with all boxes
    /// repeated once, and the numbers of the boxes in these.
    once: [Vec<f32>; 2],
    twice: [Vec<f32>; 2],
    numbers: Vec<u32>,
}

impl_memory!(AxisPairs { a, b, once, twice, numbers; without len, tested });

impl AxisPairs {
    /// Lists the pairs of these boxes, of about `tested_max` pairs at most.
    pub(super) fn find(&mut self, level: Level, [lows, highs]: [&[f32]; 2], tested_max: usize) {
        let rows = lows.len();
        let columns = self.once.iter_mut().zip(&mut self.twice);
        let padding = [f32::INFINITY, f32::NEG_INFINITY];
        for (((once, twice), ends), padding) in columns.zip([lows, highs]).zip(padding) {
            once.clear();
            once.extend_from_slice(ends);
            once.resize(rows + LANES_MAX, padding);
            twice.clear();
            twice.extend_from_slice(ends);
            twice.extend_from_slice(ends);
            twice.resize(2 * rows + LANES_MAX, padding);
        }
        self.numbers.clear();
        self.numbers.extend((0..rows as u32).chain(0..rows as u32));
        self.numbers.resize(2 * rows + LANES_MAX, 0);
        for list in [&mut self.a, &mut self.b] {
            list.resize(LISTED_MAX + rows + LANES_MAX, 0);
        }
        (self.len, self.tested) = (0, 0);
        level.run(FindAxisPairs { rows, tested_max, pairs: self });
    }

    /// Returns the share that one pair is of all tested pairs.
    pub(super) fn one(&self) -> f64 {
        1.0 / self.tested.max(1) as f64
    }

    /// Returns the share of tested pairs that overlap and have a property.
    pub(super) fn share(&self, has: impl Fn(usize, usize) -> bool) -> f64 {
        let listed = self.a[..self.len].iter().zip(&self.b);
        let count = listed.filter(|&(&a, &b)| has(a as usize, b as usize)).count();
        count as f64 * self.one()
    }

    /// Returns in how many strips two boxes are compared, on average of all tested pairs. `cells` are the first and last cells
    /// of the boxes on both axes across, and `weights`, if there are any, factors of the boxes.
    pub(super) fn compared(&self, cells: &[Vec<u32>; 4], weights: &[f32]) -> f64 {
        let [u_first, u_last, v_first, v_last] = cells;
        let common = |first: &[u32], last: &[u32], a: usize, b: usize| {
            (Ord::min(last[a], last[b]) + 1).saturating_sub(Ord::max(first[a], first[b]))
        };
        let mut sum = 0.0;
        for (&a, &b) in self.a[..self.len].iter().zip(&self.b) {
            let (a, b) = (a as usize, b as usize);
            let strips = common(u_first, u_last, a, b) * common(v_first, v_last, a, b);
            let weight = if weights.is_empty() { 1.0 } else { weights[a] * weights[b] };
            sum += f64::from(strips) * f64::from(weight);
        }
        sum * self.one()
    }
}

/// Tests the pairs of boxes at one distance after the other.
struct FindAxisPairs<'a> {
    rows: usize,
    tested_max: usize,
    pairs: &'a mut AxisPairs,
}

impl Kernel for FindAxisPairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { rows, tested_max, pairs: AxisPairs { a, b, len, tested, once, twice, numbers } } =
            self;
        let distances = rows.saturating_sub(1) / 2;
        for k in 0..distances {
            if *len >= LISTED_MAX || *tested >= tested_max {
                break;
            }
            let distance = 1 + k * STRIDE % distances;
            let mut count = *len;
            for row in (0..rows).step_by(I::LANES) {
                let (low, high) = (isa.load(&once[0][row..]), isa.load(&once[1][row..]));
                let other = row + distance;
                let (lows, highs) = (isa.load(&twice[0][other..]), isa.load(&twice[1][other..]));
                let meets = low.le(highs) & lows.le(high);
                if meets.bits() == 0 {
                    continue;
                }
                isa.load_u32(&numbers[row..]).compress(meets).store(&mut a[count..]);
                isa.load_u32(&numbers[other..]).compress(meets).store(&mut b[count..]);
                count += meets.count();
            }
            *len = count;
            *tested += rows;
        }
    }
}

/// Returns how many boxes in a range of a sample overlap the box of a row and may pair with it. The columns are padded with bounds that overlap nothing.
///
/// Two boxes with a common flag are not a pair. Neither are two that the words of their filters exclude, or two with equal owners. Either of these
/// columns is empty if it excludes nothing.
#[inline(always)]
pub(super) fn count_overlapping<I: Isa>(
    isa: I,
    row: usize,
    others: Range<usize>,
    (bounds, flags): (&[Vec<f32>; 6], &[u32]),
    [filters, owners]: [&[u32]; 2],
) -> usize {
    let own_flags = isa.splat_u32(flags[row]);
    let own_filter = filters.get(row).map(|filter| isa.splat_u32(filter.rotate_left(16)));
    let own_owner = owners.get(row).map(|&owner| isa.splat_u32(owner));
    let own = bounds.each_ref().map_each(|column| isa.splat(column[row]));
    let mut count = 0;
    for group in others.step_by(I::LANES) {
        let theirs = bounds.each_ref().map_each(|column| isa.load(&column[group..]));
        let other_flags = isa.load_u32(&flags[group..]);
        let mut meets = overlap::<I>(own, theirs) & other_flags.disjoint(own_flags);
        if let Some(filter) = own_filter {
            meets = meets & allow(filter, isa.load_u32(&filters[group..]));
        }
        if let Some(owner) = own_owner {
            meets = meets & !owner.eq(isa.load_u32(&owners[group..]));
        }
        count += meets.count();
    }
    count
}

/// Computes the first and the last cells of boxes on both axes across.
pub(super) struct LocateCells<'a> {
    pub(super) across: [AxisCells; 2],
    /// Bounds with padding.
    pub(super) columns: &'a [Vec<f32>; 6],
    pub(super) cells: &'a mut [Vec<u32>; 4],
}

impl Kernel for LocateCells<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { across, columns, cells } = self;
        let padded = columns[0].len();
        cells.iter_mut().for_each(|column| column.resize(padded, 0));
        for (k, column) in cells.iter_mut().enumerate() {
            let cut = &across[k / 2];
            let ends = &columns[cut.axis + 3 * (k % 2)];
            for row in (0..padded - LANES_MAX).step_by(I::LANES) {
                cut.cells_of(isa, isa.load(&ends[row..])).store(&mut column[row..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AxisPairs;
    use crate::lanes::Level;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: the pairs of a sample are those of a loop over all of them, each once, on every level; and the number of common cells is that of
    /// a loop over cells. Method: an odd number of intervals, so that each distance has as many pairs.
    #[test]
    fn listed_pairs_are_those_of_a_loop() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for rows in [3_usize, 17, 31] {
            let lows: Vec<f32> = (0..rows).map(|_| rng.random_range(0.0..1.0)).collect();
            let highs: Vec<f32> = lows.iter().map(|low| low + rng.random_range(0.0..0.3)).collect();
            let firsts: Vec<u32> = (0..rows).map(|_| rng.random_range(0..5)).collect();
            let lasts: Vec<u32> =
                firsts.iter().map(|first| first + rng.random_range(0..4)).collect();
            let (mut overlaps, mut cells, mut all) = (0.0, 0.0, 0.0);
            for a in 0..rows {
                for b in 0..a {
                    all += 1.0;
                    if lows[a] <= highs[b] && lows[b] <= highs[a] {
                        overlaps += 1.0;
                        let both = |cell: &u32| {
                            let mut each = [a, b].into_iter();
                            each.all(|row| (firsts[row]..=lasts[row]).contains(cell))
                        };
                        cells += (0..9).filter(both).count() as f64;
                    }
                }
            }
            let columns =
                [firsts.clone(), lasts.clone(), alloc::vec![2; rows], alloc::vec![3; rows]];
            for level in Level::all() {
                let mut pairs = AxisPairs::default();
                pairs.find(level, [&lows, &highs], usize::MAX);
                assert!((pairs.share(|_, _| true) * all - overlaps).abs() < 1e-9);
                assert!((pairs.compared(&columns, &[]) * all - 2.0 * cells).abs() < 1e-9);
                let halves = alloc::vec![0.5; rows];
                assert!((pairs.compared(&columns, &halves) * all - 0.5 * cells).abs() < 1e-9);
            }
        }
    }
}
