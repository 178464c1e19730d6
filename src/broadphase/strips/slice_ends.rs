//! Chooses the time slices of a tick for boxes with long paths.
//!
//! The number of paths whose bounds overlap grows with the cube of the displacements, but hardly any of these boxes are near each other at the
//! same time. In half the tick the bounds have an eighth of the volume. So the tick is halved again and again, while both halves
//! together cost less than the whole:
//!
//! ```text
//! cost of a slice = cost of a search for each box + cost of a sweep for each pair of bounds that overlap in the slice
//! ```
//!
//! The pairs are counted in a sample of the boxes. All is a function of the boxes alone, so the order of the pairs is too.

use super::counted::count_overlapping;
use super::grid::Choice;
use super::passes::FinderInput;
use crate::columns::impl_memory;
use crate::geom::MovingBox;
use crate::lanes::{Isa, Kernel, LANES_MAX, Level};
use alloc::vec::Vec;

/// Number of boxes of a sample, between these limits: so many times the root of the number of all boxes. Then a pair of the sample stands for
/// half a pair of each box, whatever the number of boxes.
const SAMPLES_MIN: usize = 128;
const SAMPLES_MAX: usize = 2048;
const SAMPLES_PER_ROOT: f64 = 2.0;
/// Number of boxes from which slices are considered. Fewer boxes cost little in any case.
const SLICED_ROWS_MIN: usize = if cfg!(fuzzing) { 4 } else { 1024 };
/// Least length of a slice.
const SLICE_MIN: f32 = if cfg!(fuzzing) { 0.25 } else { 1.0 / 64.0 };

/// Costs in nanoseconds, as those of [`cost`](super::grid::cost): a search of one slice for each box, and a pair of bounds that overlap
/// in a slice.
const SEARCH: f64 = 35.0;
const PAIR: f64 = 20.0;
/// What a copy of a box with a long path costs without slices, in addition to its price: to compute its bounds in the strip, and to sort it by them.
const LONG_COPY: f64 = 100.0;
/// Number of copies for the sake of long paths, for each box, from which slices are considered instead of strips.
const LONG_COPIES_MIN: f64 = if cfg!(fuzzing) { 0.0 } else { 0.25 };
/// Slices are used if they cost at most this part.
const BETTER: f64 = 0.8;

/// The ends of the slices of a tick, and the memory for their choice.
#[derive(Debug, Default)]
pub(crate) struct SliceEnds {
    /// The time at which each slice ends, in order. The first begins at 0, the last one ends at 1.
    pub(super) ends: Vec<f32>,
    boxes: Vec<MovingBox>,
    /// Flags of the boxes, with padding. Two boxes with a common flag are not a pair.
    flags: Vec<u32>,
    /// Bounds of the boxes in a slice, with padding that overlaps nothing.
    bounds: [Vec<f32>; 6],
}

impl_memory!(SliceEnds { ends, boxes, flags, bounds });

impl SliceEnds {
    /// Chooses the slices. Returns whether they cost less than strips that are chosen for the whole tick.
    pub(super) fn choose(&mut self, input: &FinderInput<'_>, strips: &Choice) -> bool {
        let rows = input.len();
        let [long, copies] = strips.long;
        let cut = strips.strips > 1.0;
        let more = long * (copies - 1.0);
        if rows < SLICED_ROWS_MIN || cut && more < LONG_COPIES_MIN {
            return false;
        }
        self.fill(input);
        if !cut && !self.has_long_paths() {
            return false;
        }
        let whole = self.cost(input.level, rows, [0.0, 1.0]);
        // A join compares the bounds of whole paths.
        let unsliced = if cut {
            let pairs = (whole - SEARCH) * pairs_of_parts(long, copies);
            strips.cost / rows as f64 + LONG_COPY * more + pairs
        } else {
            whole
        };
        self.ends.clear();
        let sliced = self.divide((input.level, rows), [0.0, 1.0], whole);
        self.ends.len() > 1 && sliced < BETTER * unsliced
    }

    /// Copies a sample of the boxes.
    fn fill(&mut self, input: &FinderInput<'_>) {
        let rows = input.len();
        let wanted = (SAMPLES_PER_ROOT * libm::sqrt(rows as f64)) as usize;
        let wanted = wanted.clamp(SAMPLES_MIN, SAMPLES_MAX).min(rows);
        self.boxes.clear();
        self.flags.clear();
        for k in 0..wanted {
            let (moving, flags) = input.get((k as u64 * rows as u64 / wanted as u64) as usize);
            if moving.validate().is_ok() {
                self.boxes.push(moving);
                self.flags.push(flags);
            }
        }
        self.flags.resize(self.boxes.len() + LANES_MAX, 0);
    }

    /// Whether displacements are longer than boxes on an axis, on average.
    fn has_long_paths(&self) -> bool {
        (0..3).any(|axis| {
            let longer = self.boxes.iter().map(|MovingBox { aabb, delta }| {
                f64::from(delta[axis].abs()) - f64::from(aabb.max[axis] - aabb.min[axis])
            });
            longer.sum::<f64>() > 0.0
        })
    }

    /// Appends the ends of the slices between two times. Returns their cost for each box, if one slice costs `whole`.
    fn divide(&mut self, of: (Level, usize), [from, to]: [f32; 2], whole: f64) -> f64 {
        let middle = 0.5 * (from + to);
        if to - from > SLICE_MIN {
            let halves = [[from, middle], [middle, to]];
            let costs = halves.map(|half| self.cost(of.0, of.1, half));
            if costs[0] + costs[1] < whole {
                return self.divide(of, halves[0], costs[0]) + self.divide(of, halves[1], costs[1]);
            }
        }
        self.ends.push(to);
        whole
    }

    /// Returns the cost of a slice for each of so many boxes.
    fn cost(&mut self, level: Level, rows: usize, [from, to]: [f32; 2]) -> f64 {
        let samples = self.boxes.len();
        let padding = [f32::INFINITY, f32::NEG_INFINITY];
        for (k, column) in self.bounds.iter_mut().enumerate() {
            let axis = k % 3;
            column.clear();
            column.extend(self.boxes.iter().map(|MovingBox { aabb, delta }| {
                let [p, q] = [from, to].map(|time| delta[axis] * time);
                if k < 3 { aabb.min[axis] + p.min(q) } else { aabb.max[axis] + p.max(q) }
            }));
            column.resize(samples + LANES_MAX, padding[k / 3]);
        }
        let Self { flags, bounds, .. } = self;
        let overlaps = level.run(CountSlicePairs { samples, flags, bounds });
        let tested = Ord::max(samples * samples.saturating_sub(1), 1) as f64;
        SEARCH + PAIR * rows as f64 * overlaps as f64 / tested
    }
}

/// Estimates how many pairs of bounds overlap in strips, for each pair of the bounds of whole paths, from the share of boxes with long
/// paths and the number of parts into which strips cut each of these.
///
/// The bounds of a part have a volume of `1/n³`. A long path has `n` parts, so there are `1/n²` as many pairs with boxes that have short
/// paths, and `1/n` as many pairs of two long paths. Bounds of two long paths are twice as long together as those of one, so they overlap
/// eight times as often. And only half of the parts are in strips where both are whole.
fn pairs_of_parts(long: f64, parts: f64) -> f64 {
    let both = 4.0 * long / (1.0 + 3.0 * long);
    0.5 * (both / parts + (1.0 - both) / (parts * parts))
}

/// Counts the pairs of a sample whose bounds overlap.
struct CountSlicePairs<'a> {
    samples: usize,
    flags: &'a [u32],
    bounds: &'a [Vec<f32>; 6],
}

impl Kernel for CountSlicePairs<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { samples, flags, bounds } = self;
        let mut count = 0;
        for row in 0..samples {
            count += count_overlapping(isa, row, row + 1..samples, (bounds, flags));
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::{CountSlicePairs, SliceEnds};
    use crate::broadphase::pairs::input::PairInput;
    use crate::broadphase::strips::choose::choose;
    use crate::broadphase::strips::grid::Sample;
    use crate::broadphase::strips::passes::FinderInput;
    use crate::geom::{Aabb, MovingBox};
    use crate::lanes::{LANES_MAX, Level};
    use alloc::vec::Vec;
    use core::array::from_fn;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Returns the number of slices for 20,000 small boxes in a unit cube of which a share has displacements up to a length on each axis; 1 if strips are cheaper.
    fn slices(share: f64, length: f32) -> usize {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let boxes: Vec<MovingBox> = (0..20_000)
            .map(|_| {
                let min: [f32; 3] = from_fn(|_| rng.random_range(0.0..1.0));
                let flies = rng.random_bool(share);
                let delta = from_fn(|_| {
                    let path = rng.random_range(-length..=length);
                    if flies { path } else { 0.0 }
                });
                MovingBox { aabb: Aabb { min, max: min.map(|low| low + 1e-4) }, delta }
            })
            .collect();
        let (first, level) = (PairInput::new(&boxes[..]), Level::detect());
        let input = FinderInput { level, pairs_max: usize::MAX, first, second: None };
        let get = |row: usize| (boxes[row], 0);
        let size = (boxes.len(), boxes.len());
        let strips = choose(size, &get, true, 0, &mut Sample::default());
        let mut slices = SliceEnds::default();
        if slices.choose(&input, &strips) { slices.ends.len() } else { 1 }
    }

    /// Goal: a tick is divided where most boxes have long paths, and the more the longer these are; not where paths are short or few boxes have long ones.
    #[test]
    fn slices_are_for_long_paths_of_many_boxes() {
        assert_eq!(slices(1.0, 0.01), 1);
        assert_eq!(slices(0.02, 0.3), 1);
        let counts = [0.3, 1.0].map(|length| slices(1.0, length));
        assert!(4 <= counts[0] && counts[0] < counts[1] && counts[1] <= 64, "{counts:?}");
    }

    /// Goal: the count of pairs is that of a loop over all of them on every level, with flags.
    #[test]
    fn counted_pairs_are_those_of_a_loop() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for samples in [1_usize, 17, 70] {
            let lows: [Vec<f32>; 3] =
                from_fn(|_| (0..samples).map(|_| rng.random_range(0.0..1.0)).collect());
            let mut flags: Vec<u32> = (0..samples).map(|_| rng.random_range(0..4) << 29).collect();
            let mut bounds: [Vec<f32>; 6] = from_fn(|k| {
                let side = if k < 3 { 0.0 } else { 0.4 };
                lows[k % 3].iter().map(|low| low + side).collect()
            });
            let mut expected = 0;
            for a in 0..samples {
                for b in 0..a {
                    let meets = (0..3).all(|axis| {
                        bounds[axis][a] <= bounds[3 + axis][b]
                            && bounds[axis][b] <= bounds[3 + axis][a]
                    });
                    expected += usize::from(meets && flags[a] & flags[b] == 0);
                }
            }
            flags.resize(samples + LANES_MAX, 0);
            for (k, column) in bounds.iter_mut().enumerate() {
                let padding = if k < 3 { f32::INFINITY } else { f32::NEG_INFINITY };
                column.resize(samples + LANES_MAX, padding);
            }
            for level in Level::all() {
                let pairs = CountSlicePairs { samples, flags: &flags, bounds: &bounds };
                assert_eq!(level.run(pairs), expected);
            }
        }
    }
}
