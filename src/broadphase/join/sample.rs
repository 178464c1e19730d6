//! Samples of the boxes of a join.

use super::boxes::{KdBoxes, KdRows};
use super::occupied::OccupiedCells;
use super::records::JoinRecords;
use crate::geom::{count_of, uneven_index};
use crate::par::sort_floats;

/// Greatest number of boxes in a sample.
pub(super) const SAMPLE_MAX: usize = 64;
/// Least number of boxes in a sample.
const SAMPLE_MIN: usize = 16;
/// Number of boxes of the set for each box of a sample.
const ROWS_PER_SAMPLE: usize = 32;
/// Greatest number of boxes in the sample of which each is compared with each.
const OVERLAPPING_MAX: usize = 256;
/// Number of boxes of the set for each box of that sample.
const ROWS_PER_OVERLAPPING: usize = 128;
/// Number of boxes of a list of places whose length is tested.
const LENGTHS_MAX: usize = 4096;

/// If at least one of this many boxes of a sample has no near box in the other set, all boxes of the set are tested for one.
const ALONE_ONE_OF: usize = 10;
/// Most of the boxes are within some bounds if fewer than one of this many are outside.
const WITHIN_OF: usize = 4;

/// The sets of a join, for samples of them.
pub(super) trait JoinSets {
    /// Returns the ends of some boxes on each axis.
    fn sample(&self, rows: KdRows) -> [Sampled; 3];

    /// Marks the cells of boxes.
    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells);

    /// Returns the share of boxes that are longer than the first limit on an axis, and the sum of their lengths, each at most
    /// the second limit, for each box of the set.
    fn longer(&self, rows: KdRows, axis: usize, limits: [f32; 2]) -> [f64; 2];

    /// Returns the words of boxes.
    fn words(&self, rows: KdRows) -> &[u32];

    /// Returns the least plane of a division on an axis.
    fn plane_min(&self, axis: usize) -> f32;

    /// Estimates the number of overlapping pairs of boxes whose words meet a condition, divided by the square of the number of rows of
    /// the set. It uses a larger sample than [`JoinSets::sample`].
    fn overlapping(&self, rows: KdRows, condition: &dyn Fn(u32) -> bool) -> f64;

    /// Returns how many boxes have a flag.
    fn flagged(&self, rows: KdRows, flag: u32) -> usize {
        count_of(self.words(rows), |&word| word & flag != 0)
    }
}

impl JoinSets for KdBoxes {
    fn sample(&self, rows: KdRows) -> [Sampled; 3] {
        sample(rows, |row| core::array::from_fn(|k| self.bounds[k][row]))
    }

    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells) {
        for row in rows.start..rows.start + rows.len {
            occupied.mark(&core::array::from_fn(|k| self.bounds[k][row]));
        }
    }

    fn longer(&self, rows: KdRows, axis: usize, limits: [f32; 2]) -> [f64; 2] {
        let range = rows.start..rows.start + rows.len;
        let (lows, highs) = (&self.bounds[axis][range.clone()], &self.bounds[3 + axis][range]);
        longer(lows.iter().zip(highs).map(|(low, high)| high - low), limits)
    }

    fn overlapping(&self, rows: KdRows, condition: &dyn Fn(u32) -> bool) -> f64 {
        let bounds = |row| core::array::from_fn(|k| self.bounds[k][row]);
        overlapping(rows, |row| condition(self.words[row]).then(|| bounds(row)))
    }

    fn words(&self, rows: KdRows) -> &[u32] {
        &self.words[rows.start..rows.start + rows.len]
    }

    fn plane_min(&self, axis: usize) -> f32 {
        self.rules.planes_min[axis]
    }
}

/// Sets of places.
impl JoinSets for (&JoinRecords, &[u32]) {
    fn sample(&self, rows: KdRows) -> [Sampled; 3] {
        sample(rows, |row| self.0.bounds(self.1[row]))
    }

    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells) {
        self.words(rows).iter().for_each(|&word| occupied.mark(&self.0.bounds(word)));
    }

    fn longer(&self, rows: KdRows, axis: usize, limits: [f32; 2]) -> [f64; 2] {
        // These boxes are not stored one after the other, and smaller sets of them are tested again.
        let step = rows.len.div_ceil(LENGTHS_MAX).max(1) | 1;
        let lengths = self.words(rows).iter().step_by(step).map(|&word| {
            let bounds = self.0.bounds(word);
            bounds[3 + axis] - bounds[axis]
        });
        longer(lengths, limits)
    }

    fn overlapping(&self, rows: KdRows, condition: &dyn Fn(u32) -> bool) -> f64 {
        let (records, words) = self;
        overlapping(rows, |row| condition(words[row]).then(|| records.bounds(words[row])))
    }

    fn words(&self, rows: KdRows) -> &[u32] {
        &self.1[rows.start..rows.start + rows.len]
    }

    fn plane_min(&self, axis: usize) -> f32 {
        self.0.rules.planes_min[axis]
    }
}

/// Estimates the number of overlapping pairs of the boxes with bounds, divided by the square of the number of rows, from a sample.
#[inline]
fn overlapping(rows: KdRows, bounds: impl Fn(usize) -> Option<[f32; 6]>) -> f64 {
    let samples = (rows.len / ROWS_PER_OVERLAPPING).clamp(SAMPLE_MIN, OVERLAPPING_MAX);
    let (mut ends, mut len) = ([[0.0; OVERLAPPING_MAX]; 6], 0);
    for k in 0..samples {
        if let Some(bounds) = bounds(sampled_row(rows, k, samples)) {
            ends.iter_mut().zip(bounds).for_each(|(ends, end)| ends[len] = end);
            len += 1;
        }
    }
    f64::from(count_overlapping(&ends, len)) / (samples * samples) as f64
}

/// Returns the number of pairs of these boxes that overlap.
#[inline(never)]
fn count_overlapping(ends: &[[f32; OVERLAPPING_MAX]; 6], len: usize) -> u32 {
    let mut count = 0;
    for k in 1..len {
        let [x, y, z, high_x, high_y, high_z] = ends.each_ref().map(|ends| ends[k]);
        let [lows_x, lows_y, lows_z, highs_x, highs_y, highs_z] =
            ends.each_ref().map(|ends| &ends[..k]);
        for other in 0..k {
            count += u32::from(lows_x[other] <= high_x)
                & u32::from(lows_y[other] <= high_y)
                & u32::from(lows_z[other] <= high_z)
                & u32::from(x <= highs_x[other])
                & u32::from(y <= highs_y[other])
                & u32::from(z <= highs_z[other]);
        }
    }
    count
}

/// Returns the share of lengths above the first limit, and their sum, each clipped to the second limit, divided by the number of all.
#[inline(always)]
fn longer(lengths: impl Iterator<Item = f32>, [than, most]: [f32; 2]) -> [f64; 2] {
    let (mut all, mut count, mut sum) = (0, 0, 0.0);
    for length in lengths {
        all += 1;
        let clipped = if length < most { length } else { most };
        // Long boxes are rare, so the branch is predictable.
        if length > than {
            (count, sum) = (count + 1, sum + f64::from(clipped));
        }
    }
    [f64::from(count), sum].map(|number| number / f64::from(Ord::max(all, 1)))
}

/// Returns row `k` of a sample of so many of these rows.
pub(super) fn sampled_row(rows: KdRows, k: usize, count: usize) -> usize {
    rows.start + uneven_index(k, count, rows.len)
}

/// Returns the ends of some of these boxes on each axis.
#[inline]
fn sample(rows: KdRows, bounds: impl Fn(usize) -> [f32; 6]) -> [Sampled; 3] {
    let len = (rows.len / ROWS_PER_SAMPLE).clamp(SAMPLE_MIN, SAMPLE_MAX).min(rows.len);
    let none = Sampled { low: [0.0; SAMPLE_MAX], high: [0.0; SAMPLE_MAX], len };
    let mut sampled = [none; 3];
    for k in 0..len {
        let bounds = bounds(sampled_row(rows, k, len));
        for (axis, sampled) in sampled.iter_mut().enumerate() {
            (sampled.low[k], sampled.high[k]) = (bounds[axis], bounds[3 + axis]);
        }
    }
    sampled
}

/// Returns whether many boxes of the second set may have no box of the first one near on one of the axes, by samples of both.
pub(super) fn many_are_alone(of_a: &[Sampled; 3], of_b: &[Sampled; 3]) -> bool {
    let all = of_b[0].len;
    let mut alone = 0;
    for k in 0..all {
        let mut meets = true;
        for (a, b) in of_a.iter().zip(of_b) {
            meets &= a.meets([b.low[k], b.high[k]]);
        }
        alone += usize::from(!meets);
    }
    alone * ALONE_ONE_OF >= all
}

/// Returns whether most of the boxes of the second set are within the bounds of the first one, by samples of both.
pub(super) fn is_within(of_a: &[Sampled; 3], of_b: &[Sampled; 3]) -> bool {
    let bounds = of_a.each_ref().map(Sampled::bounds);
    let is_near = |k: &usize| {
        let mut axes = of_b.iter().zip(&bounds);
        axes.all(|(of, &[low, high])| of.low[*k] <= high && low <= of.high[*k])
    };
    (0..of_b[0].len).filter(is_near).count() * WITHIN_OF >= of_b[0].len * (WITHIN_OF - 1)
}

/// Ends of some boxes on one axis.
#[derive(Clone, Copy)]
pub(super) struct Sampled {
    low: [f32; SAMPLE_MAX],
    high: [f32; SAMPLE_MAX],
    pub(super) len: usize,
}

impl Sampled {
    /// Returns planes that may divide both sets, each at the start of a box; `None` if all boxes start at one
    /// coordinate.
    pub(super) fn planes(&self, other: &Self, same: bool) -> Option<[f32; 4]> {
        let mut starts = [0.0; 2 * SAMPLE_MAX];
        starts[..self.len].copy_from_slice(&self.low[..self.len]);
        let mut len = self.len;
        if !same {
            starts[len..len + other.len].copy_from_slice(&other.low[..other.len]);
            len += other.len;
        }
        let starts = &mut starts[..len];
        sort_floats(starts);
        // A box that starts at a plane is right of it, so a plane at the least start divides nothing.
        let least = starts[0];
        let after = |at: usize| starts[at..].iter().copied().find(|&start| start > least);
        let median = after(len / 2)?;
        let next = starts[len / 2..].iter().copied().find(|&start| start > median);
        let next = next.unwrap_or(median);
        Some([median, next, after(len / 4)?, after(len * 3 / 4).unwrap_or(median)])
    }

    /// Returns the share of pairs that overlap on the axis. If both samples are the same, a box is no pair with itself.
    pub(super) fn meeting(&self, other: &Self, same: bool) -> f64 {
        let mut count = 0;
        for (&low, &high) in self.low[..self.len].iter().zip(&self.high[..self.len]) {
            for (&their_low, &their_high) in other.low[..other.len].iter().zip(&other.high) {
                count += u32::from(their_low <= high) & u32::from(low <= their_high);
            }
        }
        let itself = if same { self.len as f64 } else { 0.0 };
        let all = self.len as f64 * other.len as f64 - itself;
        (f64::from(count) - itself) / all.max(1.0)
    }

    /// Returns the bounds of the boxes.
    fn bounds(&self) -> [f32; 2] {
        let [mut low, mut high] = [f32::INFINITY, f32::NEG_INFINITY];
        for (&start, &end) in self.low[..self.len].iter().zip(&self.high) {
            low = if start < low { start } else { low };
            high = if end > high { end } else { high };
        }
        [low, high]
    }

    /// Returns the boxes that are not longer than this.
    pub(super) fn shorter(&self, than: f32) -> Self {
        let mut shorter = Self { low: [0.0; SAMPLE_MAX], high: [0.0; SAMPLE_MAX], len: 0 };
        for (&low, &high) in self.low[..self.len].iter().zip(&self.high) {
            (shorter.low[shorter.len], shorter.high[shorter.len]) = (low, high);
            shorter.len += usize::from(high - low <= than);
        }
        shorter
    }

    /// Returns the share of boxes that are longer than this.
    pub(super) fn longer(&self, than: f32) -> f64 {
        let ends = self.low[..self.len].iter().zip(&self.high);
        let count = ends.filter(|&(low, high)| high - low > than).count();
        count as f64 / self.len.max(1) as f64
    }

    /// Returns whether a box of the sample overlaps these ends on the axis.
    fn meets(&self, [low, high]: [f32; 2]) -> bool {
        let mut count = 0;
        for (&start, &end) in self.low[..self.len].iter().zip(&self.high[..self.len]) {
            count += u32::from(start <= high) & u32::from(low <= end);
        }
        count > 0
    }

    /// Copies the starts, or if `ends` the ends, of boxes at even distances, at most as many as there is space for. Returns their number.
    pub(super) fn copy_few(&self, ends: bool, to: &mut [f32]) -> usize {
        let from = if ends { &self.high } else { &self.low };
        let step = self.len.div_ceil(to.len()).max(1);
        let few = from[..self.len].iter().step_by(step);
        to.iter_mut().zip(few).map(|(to, &from)| *to = from).count()
    }

    /// Returns the shares of boxes left and right of a plane. A box that crosses it counts on both sides.
    pub(super) fn sides(&self, at: f32) -> [f64; 2] {
        let (mut left, mut right) = (0, 0);
        for (&low, &high) in self.low[..self.len].iter().zip(&self.high[..self.len]) {
            left += u32::from(low < at);
            right += u32::from(high >= at);
        }
        [left, right].map(|count| f64::from(count) / self.len.max(1) as f64)
    }
}
