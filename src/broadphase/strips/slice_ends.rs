//! Chooses the time slices of a tick for boxes with long paths.
//!
//! The number of paths whose bounds overlap grows with the cube of the displacements, but hardly any of these boxes are near each other at the
//! same time. In half the tick the bounds have an eighth of the volume. So the tick is halved again and again, where that is cheaper:
//!
//! ```text
//! cost of a slice = cost of a search for each box + cost of a sweep for each pair of bounds that overlap in the slice
//! ```
//!
//! The slices are the cheapest leaves of the tree of all halves. Both halves of a slice can cost more than the slice while their halves cost less: if all boxes
//! meet at one time, only slices that are as short as this meeting have few pairs. A slice is not halved if the pairs that overlap in its middle, which both halves contain, cost too much already.
//!
//! If most boxes have similar displacements, as in a crowd that falls, the bounds are computed in a frame that moves with them. Its
//! displacement is the median of all.
//!
//! The pairs that filters and owners allow are counted in a sample of the boxes. All is a function of the boxes alone, so the order of the pairs is too.

use super::counted::count_overlapping;
use super::grid::Choice;
use super::long_path::{is_long, margin};
use super::passes::FinderInput;
use super::scatter::path_of;
use crate::broadphase::pairs::filter_words::FilterWords;
use crate::columns::impl_memory;
use crate::geom::{Aabb, COORD_MAX, Filter, MovingBox, uneven_index};
use crate::lanes::{Isa, Kernel, LANES_MAX, Level, Scalar};
use alloc::vec::Vec;

/// Least number of boxes of a sample.
const SAMPLES_MIN: usize = 128;
/// Greatest number of boxes of a sample.
const SAMPLES_MAX: usize = 2048;
/// Between these limits, a sample has this many boxes times the root of the number of all boxes. Then a pair of the sample stands for a quarter of a
/// pair for each box, whatever the number of boxes.
const SAMPLES_PER_ROOT: f64 = 2.0;
/// Number of boxes from which slices are considered. Fewer boxes cost little in any case.
const SLICED_ROWS_MIN: usize = if cfg!(fuzzing) { 4 } else { 1024 };
/// Least length of a slice. In shorter ones, bounds in a frame that moves would need a greater margin: see the head of `time_slices.rs`.
pub(super) const SLICE_MIN: f32 = if cfg!(fuzzing) { 1.0 / 16.0 } else { 1.0 / (1 << 16) as f32 };
/// Greatest number of slices in the tree of all halves.
const TREE_MAX: usize = 512;

/// Nanoseconds of a search of one slice for each box; a cost as those of [`cost`](super::grid::cost).
const SEARCH: f64 = 35.0;
/// Nanoseconds of a pair of bounds that overlap in a slice.
const PAIR: f64 = 20.0;
/// A pair of bounds of two parts of paths that overlap in a strip.
const STRIP_PAIR: f64 = 8.0;
/// Number of such parts for each box of the sample, and the least number of boxes whose parts are counted.
const PARTS_PER_SAMPLE: usize = 2;
const PARTS_SAMPLES_MIN: usize = 32;
/// What a copy of a box with a long path costs without slices, in addition to its price: to compute its bounds in the strip, and to sort it by them.
const LONG_COPY: f64 = 130.0;
/// Number of boxes of a small sample. Slices are considered if [`FAST_MIN`] of them move by more than their own length.
const FAST_SAMPLES: usize = 64;
/// See [`FAST_SAMPLES`].
const FAST_MIN: usize = if cfg!(fuzzing) { 0 } else { 12 };
/// Slices are used if they cost at most this part.
const BETTER: f64 = 0.8;

/// The ends of the slices of a tick, and the memory for their choice.
#[derive(Debug, Default)]
pub(crate) struct SliceEnds {
    /// The time at which each slice ends, in order. The first begins at 0, the last one ends at 1.
    pub(super) ends: Vec<f32>,
    /// The displacement of the frame in which the bounds are computed.
    pub(super) frame: [f32; 3],
    /// The tree of all halves: the halves of a slice come after it, one after the other.
    tree: Vec<Slice>,
    /// The level at which pairs are counted.
    level: Level,
    /// Number of all boxes.
    rows: usize,
    /// The paths of the boxes of a sample, and their flags. Two boxes with a common flag are not a pair.
    sample: Vec<([f32; 9], u32)>,
    /// The filters of these boxes as words, and their owners, where a box without an owner has a number of its own. Either list is empty if it excludes
    /// no pair.
    excluded: [Vec<u32>; 2],
    /// Bounds of these paths in a slice, or of parts of them, with padding that overlaps nothing, and the flags, filters and owners of their boxes.
    bounds: [Vec<f32>; 6],
    flags: Vec<u32>,
    excluded_of: [Vec<u32>; 2],
    /// For each of these bounds, the row of the first bounds of the next box.
    next: Vec<usize>,
}

impl_memory!(SliceEnds {
    ends, tree, sample, excluded, bounds, flags, excluded_of, next;
    without frame, level, rows
});

/// A slice of the tick.
#[derive(Debug)]
struct Slice {
    times: [f32; 2],
    /// The cost for each box; after the choice, that of the cheapest slices between these times.
    cost: f64,
    /// The index of the first half, if the slice is to be halved.
    halves: Option<usize>,
}

impl SliceEnds {
    /// Chooses the slices. Returns whether they cost less than strips that are chosen for the whole tick.
    pub(super) fn choose(
        &mut self,
        input: &FinderInput<'_>,
        words: &FilterWords,
        strips: &Choice,
    ) -> bool {
        if input.len() < SLICED_ROWS_MIN || !has_fast_boxes(input) {
            return false;
        }
        self.fill(input, words);
        let at_rest = self.cost([0.0, 1.0]);
        let [long, copies] = strips.long;
        let more = long * f64::max(copies - 1.0, 0.0);
        let copied = strips.cost / self.rows as f64 + LONG_COPY * more;
        // Slices cost at least as much as a search.
        if BETTER * (copied + at_rest) < SEARCH {
            return false;
        }
        let unsliced = copied + self.cost_of_parts(strips);
        let whole = self.choose_frame(at_rest);
        let sliced = self.divide(whole);
        // Strips are priced without regard to filters and owners, so a single slice may be far better if these exclude pairs.
        let differs = self.ends.len() > 1
            || self.frame != [0.0; 3]
            || self.excluded.iter().any(|of| !of.is_empty());
        differs && sliced < BETTER * unsliced
    }

    /// Halves the slice that ends with this index, if it is not too short. Returns whether it did.
    pub(super) fn halve(&mut self, slice: usize) -> bool {
        let from = if slice > 0 { self.ends[slice - 1] } else { 0.0 };
        let to = self.ends[slice];
        let halves = to - from > SLICE_MIN;
        if halves {
            self.ends.insert(slice, 0.5 * (from + to));
        }
        halves
    }

    /// Copies a sample of the paths, in a frame at rest, with what excludes pairs.
    fn fill(&mut self, input: &FinderInput<'_>, words: &FilterWords) {
        (self.level, self.rows, self.frame) = (input.level, input.len(), [0.0; 3]);
        let count = (SAMPLES_PER_ROOT * libm::sqrt(self.rows as f64)) as usize;
        let count = count.clamp(SAMPLES_MIN, SAMPLES_MAX).min(self.rows);
        self.sample.clear();
        let [filters, owners] = &mut self.excluded;
        filters.clear();
        owners.clear();
        let (is_filtered, has_owners) = (input.is_filtered(), input.owner().is_some());
        for row in sampled(input, count) {
            let (moving, flags) = input.get(row);
            if moving.validate().is_err() {
                continue;
            }
            self.sample.push((path_of(&moving, [0, 1, 2]), flags));
            if is_filtered {
                let ((set, at, _), mut word) = (input.set_of(row), [0]);
                let filter = set.filters.map_or(Filter::ALL, |filters| filters[at]);
                words.write(input.level, &[filter], &mut word);
                filters.extend(word);
            }
            if has_owners {
                let owner = input.owner_of_row(row as u32);
                owners.push(if owner == 0 { u32::MAX - row as u32 } else { owner });
            }
        }
    }

    /// Chooses a frame that moves with most boxes, or one at rest if the former is not much better. Returns the cost of
    /// the whole tick as one slice, which is that much in a frame at rest.
    fn choose_frame(&mut self, at_rest: f64) -> f64 {
        self.frame = self.median();
        if self.frame != [0.0; 3] {
            let whole = self.cost([0.0, 1.0]);
            if whole <= BETTER * at_rest {
                return whole;
            }
            self.frame = [0.0; 3];
        }
        at_rest
    }

    /// Returns the median of the displacements.
    fn median(&mut self) -> [f32; 3] {
        let Self { sample, bounds: [column, ..], .. } = self;
        let middle = sample.len() / 2;
        core::array::from_fn(|axis| {
            column.clear();
            column.extend(sample.iter().map(|(path, _)| path[6 + axis]));
            if column.is_empty() {
                return 0.0;
            }
            *column.select_nth_unstable_by(middle, f32::total_cmp).1
        })
    }

    /// Lists the ends of the cheapest slices. Returns their cost for each box, if one slice costs `whole`.
    fn divide(&mut self, whole: f64) -> f64 {
        self.tree.clear();
        self.tree.push(Slice { times: [0.0, 1.0], cost: whole, halves: None });
        let mut next = 0;
        while next < self.tree.len() && self.tree.len() < TREE_MAX {
            let Slice { times: [from, to], cost, .. } = self.tree[next];
            let middle = 0.5 * (from + to);
            if to - from > SLICE_MIN && cost > 2.0 * self.cost([middle; 2]) {
                self.tree[next].halves = Some(self.tree.len());
                for times in [[from, middle], [middle, to]] {
                    let cost = self.cost(times);
                    self.tree.push(Slice { times, cost, halves: None });
                }
            }
            next += 1;
        }
        for index in (0..self.tree.len()).rev() {
            if let Some(first) = self.tree[index].halves {
                let both = self.tree[first].cost + self.tree[first + 1].cost;
                let slice = &mut self.tree[index];
                if both < slice.cost {
                    slice.cost = both;
                } else {
                    slice.halves = None;
                }
            }
        }
        self.ends.clear();
        self.list_ends(0);
        self.tree[0].cost
    }

    /// Appends the ends of the cheapest slices within one.
    fn list_ends(&mut self, index: usize) {
        let Slice { times: [_, to], halves, .. } = self.tree[index];
        if let Some(first) = halves {
            self.list_ends(first);
            self.list_ends(first + 1);
        } else {
            self.ends.push(to);
        }
    }

    /// Returns the cost of a slice for each box.
    fn cost(&mut self, times: [f32; 2]) -> f64 {
        SEARCH + PAIR * self.pairs_each(1, times, |_| 1)
    }

    /// Returns the cost of the pairs of parts of paths that overlap in strips, for each box.
    ///
    /// Each long path is divided into as many parts of equal length as the number of strips that a long path crosses on average.
    fn cost_of_parts(&mut self, strips: &Choice) -> f64 {
        let parts = Ord::max((strips.long[1] + 0.5) as usize, 1);
        let count = Ord::max(PARTS_PER_SAMPLE * self.sample.len() / parts, PARTS_SAMPLES_MIN);
        let step = Ord::max(self.sample.len() / count, 1);
        let parts = |path: &_| if is_long(Scalar, &strips.grid, path) { parts } else { 1 };
        STRIP_PAIR * self.pairs_each(step, [0.0, 1.0], parts)
    }

    /// Estimates how many pairs of bounds overlap for each box, from every `step`th box of the sample. The path of such a box between two times is
    /// divided into `parts(path)` equal parts, each with bounds of its own.
    fn pairs_each(
        &mut self,
        step: usize,
        [from, to]: [f32; 2],
        parts: impl Fn(&[f32; 9]) -> usize,
    ) -> f64 {
        let Self { level, rows, frame, sample, excluded, bounds, flags, excluded_of, next, .. } =
            self;
        let boxes = || {
            let boxes = sample.iter().enumerate().step_by(step);
            boxes.map(|(k, (path, flags))| (k, path, *flags, parts(path)))
        };
        let len = boxes().map(|(.., parts)| parts).sum::<usize>();
        for (k, column) in bounds.iter_mut().enumerate() {
            column.clear();
            column.resize(len + LANES_MAX, [f32::INFINITY, f32::NEG_INFINITY][k / 3]);
        }
        flags.resize(len + LANES_MAX, 0);
        next.resize(len, 0);
        for (column, of) in excluded_of.iter_mut().zip(&*excluded) {
            column.clear();
            if !of.is_empty() {
                for (k, .., parts) in boxes() {
                    column.resize(column.len() + parts, of[k]);
                }
                column.resize(len + LANES_MAX, 0);
            }
        }
        // One length for all, so that it is compared with a row only once.
        let (flags_of, next_of) = (&mut flags[..len], &mut next[..len]);
        let [a, b, c, d, e, f] = bounds.each_mut().map(|column| &mut column[..len]);
        let mut row = 0;
        for (_, path, flags, parts) in boxes() {
            let after = row + parts;
            for part in 0..parts {
                let times =
                    [part, part + 1].map(|end| from + (to - from) * end as f32 / parts as f32);
                let Aabb { min, max } = bounds_between(path, times, frame);
                [a[row], b[row], c[row]] = min;
                [d[row], e[row], f[row]] = max;
                (flags_of[row], next_of[row]) = (flags, after);
                row += 1;
            }
        }
        let overlaps = level.run(CountSlicePairs { flags, excluded: excluded_of, bounds, next });
        let samples = boxes().len();
        let tested = Ord::max(samples * samples.saturating_sub(1), 1);
        *rows as f64 * overlaps as f64 / tested as f64
    }
}

/// Returns this many rows, distributed over all.
fn sampled(input: &FinderInput<'_>, count: usize) -> impl Iterator<Item = usize> {
    let rows = input.len();
    (0..count).map(move |k| uneven_index(k, count, rows))
}

/// Whether many boxes move by more than their own length on an axis.
fn has_fast_boxes(input: &FinderInput<'_>) -> bool {
    let is_fast = |&row: &usize| {
        let (MovingBox { aabb, delta }, _) = input.get(row);
        (0..3).any(|axis| delta[axis].abs() > aabb.max[axis] - aabb.min[axis])
    };
    sampled(input, FAST_SAMPLES).filter(is_fast).count() >= FAST_MIN
}

/// Returns the bounds of a path between two times in a frame with this displacement, widened by its margin: see the head of `time_slices.rs`.
#[inline]
pub(super) fn bounds_between(path: &[f32; 9], times: [f32; 2], frame: &[f32; 3]) -> Aabb {
    let mut around = Aabb::default();
    for axis in 0..3 {
        let (low, high, delta) = (path[axis], path[3 + axis], path[6 + axis] - frame[axis]);
        let margin = margin(Scalar, path, axis, 0.0);
        let [p, q] = times.map(|time| delta * time);
        let (least, greatest) = if p < q { (p, q) } else { (q, p) };
        // A path may extend past the limit of bounds. Two that overlap there do so at the limit too. The bounds of an invalid box stay NaN.
        around.min[axis] = (low + least - margin).clamp(-COORD_MAX, COORD_MAX);
        around.max[axis] = (high + greatest + margin).clamp(-COORD_MAX, COORD_MAX);
    }
    around
}

/// Counts the pairs of a sample whose bounds overlap and that nothing excludes.
struct CountSlicePairs<'a> {
    flags: &'a [u32],
    excluded: &'a [Vec<u32>; 2],
    bounds: &'a [Vec<f32>; 6],
    /// For each row, the first row that is compared with it. All rows after that one are compared with it, too.
    next: &'a [usize],
}

impl Kernel for CountSlicePairs<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { flags, excluded, bounds, next } = self;
        let excluded = excluded.each_ref().map(|column| &column[..]);
        let mut count = 0;
        for (row, &first) in next.iter().enumerate() {
            count += count_overlapping(isa, row, first..next.len(), (bounds, flags), excluded);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::{SLICE_MIN, SliceEnds, bounds_between, path_of};
    use crate::broadphase::pairs::input::PairInput;
    use crate::broadphase::pairs::limit::{OwnerOf, PairTests};
    use crate::broadphase::strips::choose::choose;
    use crate::broadphase::strips::grid::Sample;
    use crate::broadphase::strips::passes::FinderInput;
    use crate::geom::{Aabb, Filter, MovingBox};
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec::Vec;
    use core::array::from_fn;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Returns the slices for 20,000 small boxes with these places and displacements; `None` if strips are cheaper.
    fn slices(
        make: impl Fn([f32; 3], [f32; 3], &mut Xoshiro256PlusPlus) -> [[f32; 3]; 2],
    ) -> Option<SliceEnds> {
        slices_with(make, &|set| set)
    }

    /// Returns the slices for such boxes, of which `exclude` excludes pairs.
    fn slices_with(
        make: impl Fn([f32; 3], [f32; 3], &mut Xoshiro256PlusPlus) -> [[f32; 3]; 2],
        exclude: &dyn for<'a> Fn(PairInput<'a>) -> PairInput<'a>,
    ) -> Option<SliceEnds> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let boxes: Vec<MovingBox> = (0..20_000)
            .map(|_| {
                let place = from_fn(|_| rng.random_range(0.0..1.0));
                let delta = from_fn(|_| rng.random_range(-1.0..=1.0));
                let [min, delta] = make(place, delta, &mut rng);
                MovingBox { aabb: Aabb { min, max: min.map(|low| low + 1e-4) }, delta }
            })
            .collect();
        let (first, level) = (exclude(PairInput::new(&boxes[..])), Level::detect());
        let input = FinderInput { level, pairs_max: usize::MAX, first, second: None };
        let get = |row: usize| (boxes[row], 0);
        let size = (boxes.len(), boxes.len());
        let strips = choose(size, &get, true, 0, &mut Sample::default());
        let mut slices = SliceEnds::default();
        let words = input.filter_words(&Threads::one());
        slices.choose(&input, &words, &strips).then_some(slices)
    }

    /// Returns the number of slices if a share of the boxes has displacements up to a length on each axis; 1 if strips are cheaper.
    fn of_share(share: f64, length: f32) -> usize {
        let some = |place, delta: [f32; 3], rng: &mut Xoshiro256PlusPlus| {
            let flies = rng.random_bool(share);
            [place, delta.map(|part| if flies { part * length } else { 0.0 })]
        };
        slices(some).map_or(1, |slices| slices.ends.len())
    }

    /// Goal: a tick is divided where most boxes have long paths, and the more the longer these are; not where paths are short or few boxes have long ones.
    #[test]
    fn slices_are_for_long_paths_of_many_boxes() {
        assert_eq!(of_share(1.0, 0.01), 1);
        assert_eq!(of_share(0.02, 0.3), 1);
        let counts = [0.3, 1.0].map(|length| of_share(1.0, length));
        assert!(4 <= counts[0] && counts[0] < counts[1] && counts[1] <= 64, "{counts:?}");
    }

    /// Goal: a tick in which all boxes meet is divided around that time, although neither of the first halves has fewer pairs than the whole.
    #[test]
    fn slices_are_short_where_all_boxes_meet() {
        for time in [0.0_f32, 0.37, 0.5] {
            let meets = |place: [f32; 3], delta: [f32; 3], _: &mut _| {
                [from_fn(|axis| 0.01 * place[axis] - time * delta[axis]), delta]
            };
            let ends = slices(meets).expect("slices").ends;
            assert!((20..300).contains(&ends.len()), "{} slices", ends.len());
            let lengths =
                || ends.iter().scan(0.0, |from, &to| Some(to - core::mem::replace(from, to)));
            let shortest = lengths().fold(1.0, f32::min);
            assert!(shortest < 1e-3, "{shortest}");
            for (&to, length) in ends.iter().zip(lengths()) {
                assert!(length < 0.05 || (to - time).abs() > 0.1, "{to} at {time}, {length}");
            }
        }
    }

    /// Goal: a tick in which all boxes meet is not divided if filters or owners exclude all pairs, and is a single slice, because strips are not priced by
    /// what they exclude; it is divided if each excludes few. Method: a burst whose boxes have one category or owner each; one of a thousand of them, or two.
    #[test]
    fn slices_are_chosen_for_the_pairs_that_filters_and_owners_allow() {
        let burst = |place: [f32; 3], delta: [f32; 3], _: &mut _| [place.map(|x| 0.01 * x), delta];
        let ends = |exclude: &dyn for<'a> Fn(PairInput<'a>) -> PairInput<'a>| {
            slices_with(burst, exclude).expect("slices").ends.len()
        };
        let all = ends(&|set| set);
        assert!(all > 20, "{all} slices");
        static SHOTS: [Filter; 20_000] = [Filter::new(1, 2); 20_000];
        static OTHERS: [Filter; 20_000] = [Filter::new(1, 3); 20_000];
        assert_eq!(ends(&|set| set.filtered(&SHOTS)), 1);
        assert_eq!(ends(&|set| set.filtered(&OTHERS)), all);
        let of_owners = |owner: OwnerOf<'static>| {
            let (of_exact, forest_owner) = (None, None);
            let tests =
                PairTests { of_exact, of_inexact: &|_| true, owner: Some(owner), forest_owner };
            ends(&move |set| set.tested(tests))
        };
        assert_eq!(of_owners(&|_| 7), 1);
        assert_eq!(of_owners(&|_| 0), all);
        assert!(of_owners(&|row| 1 + row % 1000) > 20);
    }

    /// Goal: a crowd that moves as a whole needs no slices, but bounds in a frame that moves with it; two that exchange places do.
    #[test]
    fn frame_moves_with_most_boxes() {
        let common = [3.0_f32, -2.0, 1.0];
        let together = |place, delta: [f32; 3], rng: &mut Xoshiro256PlusPlus| {
            let own = if rng.random_bool(0.2) { 0.3 } else { 1e-3 };
            [place, from_fn(|axis| common[axis] + own * delta[axis])]
        };
        let found = slices(together).expect("slices");
        assert!((0..3).all(|axis| (found.frame[axis] - common[axis]).abs() < 0.01));
        assert!(found.ends.len() < 4, "{} slices", found.ends.len());
        let against = |place, _, rng: &mut Xoshiro256PlusPlus| {
            [place, if rng.random_bool(0.5) { common } else { common.map(|part: f32| -part) }]
        };
        assert!(slices(against).expect("slices").ends.len() > 50);
        let at_rest = |place, delta: [f32; 3], rng: &mut Xoshiro256PlusPlus| {
            [place, delta.map(|part| if rng.random_bool(0.4) { part } else { 0.0 })]
        };
        assert_eq!(slices(at_rest).map_or([0.0; 3], |found| found.frame), [0.0; 3]);
    }

    /// Goal: a slice is halved in its middle until it is as short as any may be.
    #[test]
    fn halves_are_equal() {
        let mut slices = SliceEnds { ends: [0.25, 1.0].into(), ..SliceEnds::default() };
        assert!(slices.halve(1) && slices.halve(0));
        assert_eq!(slices.ends, [0.125, 0.25, 0.625, 1.0]);
        slices.ends[0] = SLICE_MIN;
        assert!(!slices.halve(0) && slices.halve(1));
    }

    /// Goal: the count of pairs is that of a loop over all of them on every level, with flags, filters and owners. Method: bounds in a slice and a moving frame; some
    /// paths are divided into parts.
    #[test]
    fn counted_pairs_are_those_of_a_loop() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let frame = [0.5, 0.0, -0.2];
        let parts = |path: &[f32; 9]| if path[8] < -0.3 { 3 } else { 1 };
        for (rows, exclude) in
            [1_usize, 17, 70].into_iter().flat_map(|rows| [(rows, false), (rows, true)])
        {
            let (mut sample, mut excluded) = (Vec::new(), <[Vec<u32>; 2]>::default());
            for _ in 0..rows {
                let [min, delta]: [[f32; 3]; 2] =
                    from_fn(|_| from_fn(|_| rng.random_range(0.0..1.0)));
                let moving = MovingBox {
                    aabb: Aabb { min, max: min.map(|low| low + 0.3) },
                    delta: delta.map(|part| part - 0.5),
                };
                sample.push((path_of(&moving, [0, 1, 2]), rng.random_range(0..4) << 29));
                if exclude {
                    excluded[0].push(rng.random_range(0..4) | rng.random_range(1..4) << 16);
                    excluded[1].push(rng.random_range(0..3));
                }
            }
            let [filters, owners] = &excluded;
            let may_pair = |a: usize, b: usize| {
                !exclude || Filter::words_allow(filters[a], filters[b]) && owners[a] != owners[b]
            };
            let bounds = |(path, _): &([f32; 9], u32)| -> Vec<Aabb> {
                let ends: &[f32] =
                    if parts(path) == 3 { &[0.25, 0.5, 0.75, 1.0] } else { &[0.25, 1.0] };
                ends.windows(2)
                    .map(|times| bounds_between(path, [times[0], times[1]], &frame))
                    .collect()
            };
            let mut expected = 0;
            for (row, a) in sample.iter().enumerate() {
                let others = sample[..row].iter().enumerate();
                let others = others.filter(|&(other, b)| a.1 & b.1 == 0 && may_pair(row, other));
                for (_, b) in others {
                    let overlaps = |p: &Aabb| bounds(b).iter().filter(|q| p.overlaps(q)).count();
                    expected += bounds(a).iter().map(overlaps).sum::<usize>();
                }
            }
            for level in Level::all() {
                let (sample, excluded) = (sample.clone(), excluded.clone());
                let mut slices =
                    SliceEnds { level, rows, frame, sample, excluded, ..SliceEnds::default() };
                let counted = slices.pairs_each(1, [0.25, 1.0], parts) * (rows - 1) as f64;
                assert!(
                    (counted - expected as f64).abs() < 1e-9,
                    "{counted}, {expected} on {level}"
                );
            }
        }
    }
}
