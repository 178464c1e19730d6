//! Finds the swept pairs of boxes of which most have long paths, one slice of the tick after the other.
//!
//! ```text
//! for each slice of the tick                                                 (slice_ends.rs)
//!     compute the bounds of each path between both ends of the slice, widened by a margin
//!     find the pairs of these bounds, as union pairs                         (passes.rs)
//!     sweep the boxes of these pairs over the whole tick, and keep those that first touch in the slice
//! ```
//!
//! So each pair is found once, with the same time as without slices, because the sweep is the same. The proof that it is among the pairs of
//! the bounds of its slice follows. On one axis, let `d` and `e` be the displacements, `c` the coordinates of a box and `u = 2⁻²⁴`. At the first time
//! `t` the two are at most `8ut(|d| + |e|)` apart, because `t` is at most that much too early and a false hit misses by less. A position
//! at either end of the slice is off by `2u(c + |d|)`, and by `2⁻¹⁵⁰` more if the product of displacement and time is denormal. The same
//! bound holds at a time in between, because that position is between the two. The [`margin`](super::long_path::margin) of both boxes together is greater.
//!
//! A frame with a displacement `s` changes no distance between two boxes. But `d - s` and `e - s` are rounded too, so a position is off by
//! `2uc + 4u|d - s|`, which can be more than the margin. Nevertheless the margin needs no part of `s`. Let `m` be the lesser of `|d - s|` and `|e - s|`.
//! The sum of both is `|d - e|` if `d - s` and `e - s` have opposite signs, otherwise `2m + |d - e|`. In the latter case both boxes move at least `2⁻¹⁶m`
//! in one direction even in the shortest slice. So their bounds overlap by that much more than the boxes at `t`, and `2⁻¹⁶m` is more than `4u · 2m`. The rest,
//! `4u|d - e|`, is within the margin.
//!
//! The number of pairs of bounds is estimated from a sample of the boxes. A slice in which there are far more is halved and searched again.

use super::grid::{Choice, Sample};
use super::passes::{FinderInput, FinderPasses, RUNS, TakeRun, keep_run};
use super::record::{SweptRecord, UnionRecord};
use super::scatter::ScatterScratch;
use super::slice_ends::{SliceEnds, bounds_between};
use crate::broadphase::error::FindError;
use crate::broadphase::pairs::buffer::{Buffer, lengthen, reserve_for};
use crate::broadphase::pairs::candidates::overlap;
use crate::broadphase::pairs::input::PairInput;
use crate::broadphase::pairs::limit::{OwnerOf, PairLimit, PairTest, PairTests};
use crate::broadphase::pairs::runs::Pairs;
use crate::broadphase::pairs::timings::Timings;
use crate::columns::{Rejected, impl_memory};
use crate::geom::{Aabb, Pair, SweptPair};
use crate::kernels::bounds::bounds;
use crate::kernels::sweep;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, MaskLanes, U32Lanes};
use crate::par::{self, Clock, Threads};
use alloc::vec::Vec;

/// Number of rows that a thread takes at once.
const CHUNK: usize = 1024;
/// If the bounds of a slice have more pairs than `PAIRS_EACH_MAX` for each box plus `PAIRS_MORE`, the sample was wrong and the slice is halved. If it is too
/// short for that, or `WRONG_MAX` slices were halved before, the tick is searched without slices, which needs no memory for such pairs.
const PAIRS_EACH_MAX: usize = 32;
const PAIRS_MORE: usize = 4096;
const WRONG_MAX: usize = 16;

/// The slices of a tick, and the memory of their search.
#[derive(Debug, Default)]
pub(crate) struct TimeSlices {
    slices: SliceEnds,
    /// The boxes of all sets, one set after the other.
    records: Vec<SweptRecord>,
    /// The bounds of their paths in the current slice.
    bounds: Vec<Aabb>,
}

impl_memory!(TimeSlices { slices, records, bounds });

impl FinderPasses<SweptRecord> {
    /// Finds the pairs on these threads, as [`FinderPasses::find`] does, by slices of the tick if that is cheaper.
    pub(crate) fn find_swept<'a>(
        &'a mut self,
        input: &FinderInput<'_>,
        threads: &'a Threads,
        (sample, scatterers): (&mut Sample, &mut Vec<ScatterScratch>),
        (union, slices): (&mut FinderPasses<UnionRecord>, &mut TimeSlices),
        take: &TakeRun<'_, SweptPair>,
    ) -> Result<Pairs<'a, SweptPair>, FindError> {
        let fill_threads = input.check(threads)?;
        let timings = fill_threads.enter(|| {
            let clock = Clock::start();
            let accept =
                &mut |strips: &Choice, words: &_| !slices.slices.choose(input, words, strips);
            let filled = self.fill(input, fill_threads, (sample, scatterers), take, accept);
            filled
                .or_else(|| {
                    let memory = (&mut *sample, &mut *scatterers);
                    self.fill_by_slices(input, (fill_threads, clock), memory, (union, slices), take)
                })
                .or_else(|| {
                    self.fill(input, fill_threads, (sample, scatterers), take, &mut |_, _| true)
                })
        });
        self.found(input, threads, timings.unwrap_or_default())
    }

    /// Fills the runs slice by slice and returns the times of the passes, of which the first began when the clock was started; `None` if there are
    /// too many pairs of bounds in slices.
    fn fill_by_slices(
        &mut self,
        input: &FinderInput<'_>,
        (threads, mut clock): (&Threads, Clock),
        (sample, scatterers): (&mut Sample, &mut Vec<ScatterScratch>),
        (union, slices): (&mut FinderPasses<UnionRecord>, &mut TimeSlices),
        take: &TakeRun<'_, SweptPair>,
    ) -> Option<Timings> {
        let mut timings = Timings { choose: clock.lap(), ..Timings::default() };
        slices.store_records(input, threads);
        self.pairs.start(0);
        // The pairs of bounds are tested, as rows, so those that are swept need no other test.
        let PairInput { tests, .. } = input.first;
        let of_exact = |rows| {
            let test = tests.and_then(|tests| tests.of_exact);
            test.is_none_or(|test| test(input.first.slots_of(rows)))
        };
        let of_inexact =
            |rows| tests.is_none_or(|tests| (tests.of_inexact)(input.first.slots_of(rows)));
        let owner = |row| input.owner_of_row(row);
        let tests = tests.map(|tests| PairTests {
            of_exact: tests.of_exact.map(|_| &of_exact as PairTest<'_>),
            of_inexact: &of_inexact,
            owner: input.owner().map(|_| &owner as OwnerOf<'_>),
            forest_owner: None,
        });
        let (level, limit) = (input.level, &PairLimit::new(input.pairs_max, None));
        let second_row = input.second.map_or(0, |_| input.first.len() as u32);
        let mut from = 0.0;
        let (mut slice, mut wrong) = (0, 0);
        while slice < slices.slices.ends.len() {
            let to = slices.slices.ends[slice];
            slices.store_bounds(threads, [from, to]);
            timings.scatter += clock.lap();
            union.pairs.part_of_tick = to < 1.0;
            let found =
                union.find(&slices.input(input, tests), threads, sample, scatterers, &keep_run);
            let Ok(found) = found else {
                wrong += 1;
                if wrong > WRONG_MAX || !slices.slices.halve(slice) {
                    return None;
                }
                timings.sweep += clock.lap();
                continue;
            };
            let Timings { choose, scatter, sweep } = found.timings();
            timings.choose += choose;
            timings.scatter += scatter;
            timings.sweep += sweep;
            clock.lap();
            if from == 0.0 {
                self.list_rejected(input, &found);
            }
            let pairs = found.runs();
            let records = &slices.records[..];
            let sweepers = &mut self.sweepers[..threads.workers()];
            let runs = &mut self.pairs.at_least(pairs.len())[..pairs.len()];
            par::for_each(threads, sweepers, runs, &|_, index, run| {
                let (pairs, found) = (pairs[index].pairs.as_slice(), &mut run.pairs);
                level.run(SweepSlice {
                    records,
                    second_row,
                    times: [from, to],
                    pairs,
                    found,
                    limit,
                });
            });
            timings.sweep += clock.lap();
            (from, slice) = (to, slice + 1);
        }
        let sweepers = &mut self.sweepers[..threads.workers()];
        par::for_each(threads, sweepers, self.pairs.at_least(0), &|sweeper, _, run| {
            run.left = None;
            if input.first.has_slots() {
                replace_by_slots(&input.first, run.pairs.as_mut_slice());
            }
            input.finish(run, None);
            take(run, &mut sweeper.pairs);
        });
        self.pairs.reserve_spare(RUNS);
        timings.sweep += clock.lap();
        Some(timings)
    }

    /// Lists the invalid rows, which have no valid bounds either.
    fn list_rejected(&mut self, input: &FinderInput<'_>, found: &Pairs<'_, Pair>) {
        self.rejected.clear();
        let rejected = [found.rejected(), found.rejected_of_second()];
        for (set, rejected) in input.sets().zip(rejected) {
            for &Rejected { row, .. } in rejected {
                if let Err(reason) = set.boxes.get(row as usize).validate() {
                    self.rejected.push(Rejected { row, reason });
                }
            }
        }
        self.rejected_of_first = rejected[0].len();
    }
}

/// Replaces rows by slots.
fn replace_by_slots(set: &PairInput<'_>, pairs: &mut [SweptPair]) {
    for pair in pairs {
        [pair.a, pair.b] = set.slots_of([pair.a, pair.b]);
    }
}

impl TimeSlices {
    /// Copies the boxes to records.
    fn store_records(&mut self, input: &FinderInput<'_>, threads: &Threads) {
        let rows = input.len();
        reserve_for(&mut self.records, rows);
        reserve_for(&mut self.bounds, rows);
        lengthen(&mut self.records, rows);
        self.bounds.resize(rows, Aabb::default());
        let (first, second) = self.records.split_at_mut(input.first.len());
        for (set, records) in input.sets().zip([first, second]) {
            par::fill_chunks(threads, &mut records[..set.len()], CHUNK, &|start, part| {
                for (row, record) in (start..).zip(part) {
                    *record = SweptRecord::of(&set.boxes.get(row));
                }
            });
        }
    }

    /// Computes the bounds of all paths between two times.
    fn store_bounds(&mut self, threads: &Threads, times: [f32; 2]) {
        let (records, frame) = (&self.records[..], &self.slices.frame);
        par::fill_chunks(threads, &mut self.bounds, CHUNK, &|start, part| {
            for (bounds, record) in part.iter_mut().zip(&records[start..]) {
                *bounds = bounds_between(&record.path(), times, frame);
            }
        });
    }

    /// Returns the bounds as input of a search with these tests.
    fn input<'a>(&'a self, of: &FinderInput<'a>, tests: Option<PairTests<'a>>) -> FinderInput<'a> {
        let (first, second) = self.bounds.split_at(of.first.len());
        let mut first = of.first.with_bounds(first);
        first.tests = tests;
        FinderInput {
            level: of.level,
            pairs_max: PAIRS_EACH_MAX * of.len() + PAIRS_MORE,
            first,
            second: of.second.map(|set| set.with_bounds(second)),
        }
    }
}

/// Sweeps the boxes of pairs, and appends those that first touch between two times.
struct SweepSlice<'a> {
    records: &'a [SweptRecord],
    /// The first record of the second set.
    second_row: u32,
    times: [f32; 2],
    pairs: &'a [Pair],
    found: &'a mut Buffer<SweptPair>,
    limit: &'a PairLimit<'a>,
}

impl Kernel for SweepSlice<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { records, second_row, times: [from, to], pairs, found, limit } = self;
        // A pair that touches at the end of the tick belongs to the last slice.
        let end = if to < 1.0 { to } else { f32::INFINITY };
        let (from, end, second_row) = (isa.splat(from), isa.splat(end), isa.splat_u32(second_row));
        for group in pairs.chunks(I::LANES) {
            let (mut a, mut b) = ([0; LANES_MAX], [0; LANES_MAX]);
            for ((a, b), pair) in a.iter_mut().zip(&mut b).zip(group) {
                (*a, *b) = (pair.a, pair.b);
            }
            let (a_rows, b_rows) = (isa.load_u32(&a), isa.load_u32(&b));
            b_rows.wrapping_add(second_row).store(&mut b);
            let (a_box, _, _) = SweptRecord::paths(isa, records, &a);
            let (b_box, _, _) = SweptRecord::paths(isa, records, &b);
            let (first, hit) = sweep::times(isa, &a_box, &b_box);
            let meets = overlap::<I>(bounds(isa, &a_box), bounds(isa, &b_box));
            let hit = hit & meets & from.le(first) & first.lt(end);
            let in_range = (1_u32 << group.len()) - 1;
            let kept = (hit.bits() & in_range).count_ones() as usize;
            let spare: &mut [[u32; 3]] =
                bytemuck::cast_slice_mut(found.spare_pairs(LANES_MAX, limit));
            let columns =
                [a_rows.compress(hit), b_rows.compress(hit), first.to_bits().compress(hit)];
            isa.store_triples(columns, kept, spare);
            found.keep(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SweepSlice, bounds_between};
    use crate::broadphase::pairs::buffer::Buffer;
    use crate::broadphase::pairs::limit::PairLimit;
    use crate::broadphase::strips::record::SweptRecord;
    use crate::broadphase::strips::slice_ends::SLICE_MIN;
    use crate::geom::{Aabb, COORD_MAX, MovingBox, Pair, SweptPair};
    use crate::lanes::Level;
    use alloc::vec::Vec;
    use core::array::from_fn;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Returns two boxes of which a corner of one meets a corner of the other at about a time.
    fn meeting_at(time: f32, rng: &mut Xoshiro256PlusPlus) -> [MovingBox; 2] {
        let off = [0.0, 0.1, -7.3, 1e4, -3e5, 1e7][rng.random_range(0..6)];
        let at: [f32; 3] = from_fn(|_| off + rng.random_range(-1.0..1.0));
        let mut corner = |upper: bool| {
            let length = [1e-3, 0.1, 1.0, 100.0, 1e6][rng.random_range(0..5)];
            let delta: [f32; 3] = from_fn(|_| length * rng.random_range(-1.0..1.0));
            let side: [f32; 3] = from_fn(|_| [0.0, 1e-3, 1.0][rng.random_range(0..3)]);
            let start: [f32; 3] = from_fn(|axis| at[axis] - delta[axis] * time);
            let ends = from_fn(|axis| start[axis] + if upper { -side[axis] } else { side[axis] });
            let (min, max) = if upper { (ends, start) } else { (start, ends) };
            MovingBox { aabb: Aabb { min, max }, delta }
        };
        [corner(true), corner(false)]
    }

    /// Returns the pairs of the first box with the second of each two, of those that first touch between two times.
    fn swept(level: Level, boxes: &[[MovingBox; 2]], times: [f32; 2]) -> Vec<SweptPair> {
        let records: Vec<SweptRecord> = boxes.iter().flatten().map(SweptRecord::of).collect();
        let pairs: Vec<Pair> =
            (0..boxes.len() as u32).map(|k| Pair { a: 2 * k, b: 2 * k + 1 }).collect();
        let (mut found, limit) = (Buffer::default(), &PairLimit::unlimited());
        let (records, pairs, second_row) = (&records[..], &pairs[..], 0);
        level.run(SweepSlice { records, second_row, times, pairs, found: &mut found, limit });
        found.as_slice().to_vec()
    }

    /// Goal: the proof at the head of this file: the bounds of both boxes overlap in the slice in which they first touch, whatever the rounding, and those of the whole paths do. Method: boxes that meet at an end
    /// of a slice or elsewhere, near the origin and far from it, with displacements of many scales; without the margin, many of these bounds are disjoint. In frames that move by far more than the boxes, slices are the shortest ones; in slices of `2⁻²⁴`, some bounds would be disjoint.
    #[test]
    fn bounds_overlap_in_the_slice_of_the_first_time() {
        let rng = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let boxes: Vec<[MovingBox; 2]> = (0..100_000)
            .map(|_| {
                let sixty_fourths = rng.random_range(0..=64) as f32;
                meeting_at(sixty_fourths / 64.0 + [0.0, 0.0, 0.003][rng.random_range(0..3)], rng)
            })
            .collect();
        let found = swept(Level::detect(), &boxes, [0.0, 1.0]);
        assert!(found.len() > 20_000, "{} pairs", found.len());
        for SweptPair { a, first, .. } in found {
            let two = boxes[a as usize / 2];
            // A sweep alone may report a contact of boxes whose bounds are disjoint.
            let [p, q] = two.map(|of| of.bounds());
            assert!(p.overlaps(&q), "{two:?} at {first}");
            for (slices, frame) in [
                (1.0, [0.0; 3]),
                (2.0, two[0].delta),
                (8.0, [1.0, -300.0, 1e5]),
                (64.0, [0.0; 3]),
                (4096.0, two[1].delta),
                (1.0 / SLICE_MIN, [1e5, -3e4, 7e6]),
                (1.0 / SLICE_MIN, two[0].delta.map(|part| 4097.0 * part)),
            ] {
                let from = f32::min((first * slices).floor(), slices - 1.0);
                let times = [from, from + 1.0].map(|end| end / slices);
                let [p, q] =
                    two.map(|of| bounds_between(&SweptRecord::of(&of).path(), times, &frame));
                assert!(p.overlaps(&q), "{two:?} at {first} in {times:?}");
            }
        }
    }

    /// Goal: a pair belongs to one of two slices, also if it first touches exactly where one ends and the other begins, on every level. Method: the first time of each pair is made
    /// the end of a slice.
    #[test]
    fn pair_at_the_end_of_a_slice_is_in_the_next_one() {
        let rng = &mut Xoshiro256PlusPlus::seed_from_u64(2);
        for level in Level::all() {
            let mut hits = 0;
            for _ in 0..2000 {
                let boxes = [meeting_at(0.5, rng)];
                for pair in swept(level, &boxes, [0.0, 1.0]) {
                    hits += 1;
                    let first = pair.first;
                    assert!(first == 0.0 || swept(level, &boxes, [0.0, first]).is_empty());
                    assert_eq!(swept(level, &boxes, [first, 1.0]), [pair]);
                }
            }
            assert!(hits > 300, "{hits} pairs");
        }
    }

    /// Goal: bounds stay valid where the margin would exceed the greatest coordinate, and those of an invalid box are invalid.
    #[test]
    fn bounds_are_valid_as_the_box() {
        let (most, zero) = (COORD_MAX, [0.0; 3]);
        let ends = Aabb { min: [-most; 3], max: [most; 3] };
        let mut boxes = MovingBox { aabb: ends, delta: zero };
        let bounds =
            |of: &MovingBox| bounds_between(&SweptRecord::of(of).path(), [0.25, 0.5], &zero);
        assert_eq!(bounds(&boxes), ends);
        boxes.aabb.min[1] = f32::NAN;
        assert!(bounds(&boxes).validate().is_err());
        let inverted = MovingBox { aabb: Aabb { min: [1.0; 3], max: zero }, delta: zero };
        assert!(bounds(&inverted).validate().is_err());
    }
}
