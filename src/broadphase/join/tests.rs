//! Compares joins with brute force.

use super::boxes::{KdBoxes, KdPart, KdRows, SortedSets};
use super::choose::{KdHistory, SplitChoice};
use super::divided::{DividedJoin, PartWorker};
use super::excluded::Exclusion;
use super::records::JoinRecords;
use super::sample::{SAMPLE_MAX, sampled_row};
use super::{Join, JoinInput, KdTask, NOT_FIRST_UNCUT};
use crate::broadphase::pairs::candidates::{Candidates, candidates_max};
use crate::broadphase::pairs::flags::{NOT_FIRST_U, NOT_FIRST_V, OF_FIRST, OF_SECOND, STILL};
use crate::broadphase::pairs::limit::PairLimit;
use crate::broadphase::pairs::runs::PairRuns;
use crate::columns::Memory;
use crate::geom::Pair;
use crate::lanes::{LANES_MAX, Level};
use crate::par::Threads;
use alloc::vec::Vec;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};

/// A box of a strip: bounds and id.
pub(super) type Row = ([f32; 6], u32);

pub(super) const NOT_FIRST: [u32; 3] = [NOT_FIRST_U, NOT_FIRST_V, NOT_FIRST_UNCUT];

pub(super) fn columns(rows: &[Row]) -> ([Vec<f32>; 6], Vec<u32>) {
    let bounds = core::array::from_fn(|k| rows.iter().map(|(ends, _)| ends[k]).collect());
    (bounds, rows.iter().map(|&(_, id)| id).collect())
}

pub(super) fn pairs(
    level: Level,
    rows: &[Row],
    join: &mut Join,
    not_first: [u32; 3],
) -> Vec<[u32; 2]> {
    pairs_of(level, (rows, Exclusion::NONE), join, not_first).expect("no plane")
}

/// Returns the pairs of boxes, or `None` if a sweep is cheaper. Excluded pairs may be among them.
pub(super) fn pairs_of(
    level: Level,
    (rows, excluded): (&[Row], Exclusion<'_>),
    join: &mut Join,
    not_first: [u32; 3],
) -> Option<Vec<[u32; 2]>> {
    let (bounds, ids) = columns(rows);
    let (bounds, ids, rows) = (&bounds, &ids[..], rows.len());
    if !join.begin(level, JoinInput { bounds, ids, excluded, rows, not_first }) {
        return None;
    }
    let mut candidates = Candidates::default();
    candidates.reserve(candidates_max(rows));
    Some(proceed(level, excluded, join, &mut candidates))
}

/// Returns the pairs of a join that has begun.
fn proceed(
    level: Level,
    excluded: Exclusion<'_>,
    join: &mut Join,
    candidates: &mut Candidates,
) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    loop {
        let done = join.proceed(level, excluded, candidates);
        let (a, b) = (&candidates.a[..candidates.len], &candidates.b[..candidates.len]);
        pairs.extend(a.iter().zip(b).map(|(&a, &b)| [Ord::min(a, b), Ord::max(a, b)]));
        candidates.len = 0;
        if done {
            return pairs;
        }
    }
}

/// Divides a join of this many boxes that has begun, and returns the number of its parts and its pairs.
pub(super) fn divided_pairs(
    join: &mut DividedJoin,
    threads: &Threads,
    (boxes, excluded): (usize, Exclusion<'_>),
) -> (usize, Vec<Pair>) {
    let parts = join.divide(Level::detect(), threads);
    let (mut runs, places) = (PairRuns::default(), (0..boxes as u32).collect::<Vec<_>>());
    let level = (Level::detect(), false);
    join.run(level, threads, runs.add(parts), excluded, &|candidates, _, found| {
        candidates.append_rows(&places, 0, (found, &PairLimit::unlimited()));
    });
    let pairs = (0..parts).flat_map(|run| runs.run(run).pairs.as_slice());
    (parts, pairs.copied().collect())
}

/// Returns boxes as the input of a join without exclusions.
pub(super) fn input<'a>(bounds: &'a [Vec<f32>; 6], ids: &'a [u32]) -> JoinInput<'a> {
    let excluded = Exclusion::NONE;
    JoinInput { bounds, ids, excluded, rows: ids.len(), not_first: NOT_FIRST }
}

/// Returns the pairs of boxes that overlap and have no flag in common, in order.
pub(super) fn pairs_by_brute_force(rows: &[Row]) -> impl Iterator<Item = [u32; 2]> {
    let others = |a: u32| (a..).zip(&rows[a as usize..]).skip(1);
    (0..).zip(rows).flat_map(move |(a, (p, p_id))| {
        let meet = move |(_, (q, q_id)): &(u32, &Row)| {
            (0..3).all(|k| p[k] <= q[3 + k] && q[k] <= p[3 + k]) && p_id & q_id == 0
        };
        others(a).filter(meet).map(move |(b, _)| [a, b])
    })
}

/// Goal: a join finds each pair once, whatever flags the boxes have from the grid. Method: brute force, on boxes of
/// all sizes and with many equal ends, some of them long on an axis; flags of either divided axis on boxes that start
/// left of the strip, as the grid sets them. The flags of the grid are on any two of the axes.
#[test]
fn a_join_finds_each_pair_once() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut join, mut all) = (Join::default(), 0);
    // An interpreter is given a few boxes of each kind.
    let (rounds, count) = if cfg!(miri) { (4, 100) } else { (24, 1500) };
    for round in 0..rounds {
        let mut not_first = [NOT_FIRST_U, NOT_FIRST_V, NOT_FIRST_UNCUT];
        not_first.rotate_left(round % 3);
        let mut rows: Vec<Row> = Vec::new();
        for _ in 0..count {
            let whole = rng.random_ratio(1, 3);
            let mut ends = [0.0; 6];
            let mut id = 0;
            for axis in 0..3 {
                let low: f32 = rng.random_range(-0.2..1.0);
                let low = if whole { (low * 20.0) as i32 as f32 / 20.0 } else { low };
                let long = rng.random_ratio(1, 20);
                let side = if long { 0.7 } else { [0.0, 0.01, 0.05][round / 3 % 3] };
                (ends[axis], ends[3 + axis]) = (low, low + side);
                if low < 0.0 && not_first[axis] != NOT_FIRST_UNCUT {
                    id |= not_first[axis];
                }
            }
            id |= if round % 2 == 1 && rng.random() { STILL } else { 0 };
            let sets = [OF_FIRST, OF_SECOND][usize::from(rng.random_ratio(1, 4))];
            id |= if round % 4 > 1 { sets } else { 0 };
            rows.push((ends, id));
        }
        let expected: Vec<_> = pairs_by_brute_force(&rows).collect();
        all += expected.len();
        let mut order: Option<Vec<[u32; 2]>> = None;
        for level in Level::all() {
            let found = pairs(level, &rows, &mut join, not_first);
            let order = order.get_or_insert_with(|| found.clone());
            assert!(*order == found, "another order on {level}");
            let mut sorted = found;
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "round {round} on {level}");
        }
    }
    assert!(all > 375 * rounds || cfg!(miri) && all > 20, "{all} pairs");
}

/// Goal: the work of a join is proportional to its boxes where boxes cross the whole world on each of three axes and do
/// not meet. Method: count how often a box is copied or sorted, and its comparisons, in worlds of several sizes.
#[test]
fn boxes_that_cross_the_world_are_copied_a_few_times() {
    for count in [4_000, 32_000] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let rows: Vec<Row> = (0..count)
            .map(|row| {
                let mut ends = [0.0; 6];
                for axis in 0..3 {
                    let low = rng.random_range(0.0..1.0);
                    (ends[axis], ends[3 + axis]) = (low, low + 1e-6);
                }
                (ends[row % 3], ends[3 + row % 3]) = (0.0, 1.0);
                (ends, 0)
            })
            .collect();
        let mut join = Join::default();
        let found = pairs(Level::detect(), &rows, &mut join, NOT_FIRST);
        assert!(found.len() < count * 2, "{} pairs", found.len());
        let (copied, compared) = (join.boxes.copied / count, join.compared as usize / count);
        assert!((1..16).contains(&copied), "{copied} copies a box of {count}");
        assert!(compared < 128, "{compared} comparisons a box of {count}");
    }
}

/// Goal: sticks of all lengths, mixed with points, cost a time and memory in proportion to boxes and pairs. Method: count the
/// boxes that a join of two sets reads and its comparisons in groups of 16, and the allocated bytes.
#[test]
fn sticks_of_all_lengths_are_read_a_few_times() {
    let count = 100_000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let boxes: Vec<[f32; 6]> = (0..count)
        .map(|_| {
            let mut ends = [0.0; 6];
            let (long, first) = (rng.random_ratio(2, 3), rng.random_range(0..3));
            for k in 0..3 {
                let side = if long && k == 0 { rng.random_range(0.01..0.5) } else { 1e-5 };
                let (axis, low) = ((first + k) % 3, rng.random_range(0.0..1.0));
                (ends[axis], ends[3 + axis]) = (low, low + side);
            }
            ends
        })
        .collect();
    let mut join = DividedJoin::default();
    join.begin_between([count / 4, count - count / 4], &|place| boxes[place]);
    let (_, pairs) = divided_pairs(&mut join, &Threads::one(), (count, Exclusion::NONE));
    let pairs = pairs.len();
    let (read, compared) = join.work();
    assert!((10..count * 10).contains(&pairs), "{pairs} pairs");
    let (units, bytes) = ((count + pairs) as u64, join.bytes() / count);
    let each = (read + compared / 16) / units;
    assert!(each < 32, "{read} boxes, {compared} comparisons for {units} units");
    assert!(bytes < 300, "{bytes} bytes for each box");
}

/// Goal: a sweep that the sample made look cheap ends, and the boxes that are left are divided. Method: boxes that all
/// overlap on one axis, in rows that the sample of all boxes does not contain; count the sweeps that end and the comparisons.
#[test]
fn a_sweep_that_is_too_slow_ends() {
    let count = 60_000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let all = KdRows { start: 0, len: count };
    let sampled: Vec<usize> = (0..SAMPLE_MAX).map(|k| sampled_row(all, k, SAMPLE_MAX)).collect();
    let rows: Vec<Row> = (0..count)
        .map(|row| {
            let mut ends = [0.0; 6];
            for axis in 0..3 {
                let low: f32 = rng.random_range(0.0..1.0);
                (ends[axis], ends[3 + axis]) = (low, low + 2e-5);
            }
            if row % 7 < 3 && !sampled.contains(&row) {
                (ends[0], ends[3]) = (0.5 + ends[0] * 1e-3, 0.501);
            }
            (ends, 0)
        })
        .collect();
    let mut join = Join::default();
    let found = pairs(Level::detect(), &rows, &mut join, NOT_FIRST);
    assert!(found.len() < count, "{} pairs", found.len());
    assert!(join.stopped > 0, "no sweep was stopped");
    let compared = join.compared as usize / count;
    assert!(compared < 1_500, "{compared} comparisons a box");
}

/// Goal: a join that threads share finds the pairs that one worker finds, in an order that depends on the boxes alone.
/// Method: boxes of several sizes in a crowd, some of them long; one set, and two sets; one thread, and several.
#[test]
fn a_divided_join_finds_the_same_pairs() {
    let count = 40_000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut rows: Vec<Row> = (0..count)
        .map(|_| {
            let mut ends = [0.0; 6];
            for axis in 0..3 {
                let low: f32 = rng.random_range(0.0..1.0);
                let side = if rng.random_ratio(1, 50) { 0.6 } else { 0.01 };
                (ends[axis], ends[3 + axis]) = (low, low + side);
            }
            (ends, 0)
        })
        .collect();
    let first = 11_000;
    // Few boxes that do not move, many of them, and two sets.
    for (between, still) in [(false, 1), (false, 7), (true, 0)] {
        for (row, (_, id)) in rows.iter_mut().enumerate() {
            *id = match between {
                true => [OF_SECOND, OF_FIRST][usize::from(row < first)],
                false => [0, STILL][usize::from(row * 7 % 9 < still)],
            };
        }
        let mut expected = pairs(Level::detect(), &rows, &mut Join::default(), NOT_FIRST);
        expected.sort_unstable();
        assert!(expected.len() > count / 4, "{} pairs", expected.len());
        let (bounds, ids) = columns(&rows);
        let (bounds, ids) = (&bounds, &ids[..]);
        let mut order: Option<Vec<Pair>> = None;
        let mut join = DividedJoin::default();
        for threads in [Threads::one(), Threads::current()] {
            if between {
                join.begin_between([first, count - first], &|row| rows[row].0);
            } else {
                assert!(join.begin(Level::detect(), input(bounds, ids)), "no plane");
            }
            let (parts, found) = divided_pairs(&mut join, &threads, (count, Exclusion::NONE));
            assert!((4..=128).contains(&parts), "{parts} parts");
            assert_eq!(order.get_or_insert_with(|| found.clone()), &found, "another order");
            let mut sorted: Vec<_> = found.iter().map(|pair| [pair.a, pair.b]).collect();
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "between: {between}, {threads:?}");
        }
    }
}

/// Returns boxes of the unit cube whose starts are random and whose sides `sides` returns.
pub(super) fn random_boxes(count: usize, sides: impl Fn(usize) -> [f32; 3]) -> Vec<Row> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    (0..count)
        .map(|row| {
            let (mut ends, sides) = ([0.0; 6], sides(row));
            for axis in 0..3 {
                let low = rng.random_range(0.0..1.0_f32);
                (ends[axis], ends[3 + axis]) = (low, low + sides[axis]);
            }
            (ends, 0)
        })
        .collect()
}

/// Goal: a few long boxes, which the sample of a sweep hardly contains, are joined separately before a sweep is begun, also if
/// they are at equal distances in the input. Method: points, and each 64th box a stick on one of the axes across most of the
/// scene; the number of comparisons and of boxes that are read.
#[test]
fn long_boxes_that_a_sample_misses_are_joined_separately() {
    let count = 8192;
    let rows = random_boxes(count, |row| {
        let mut sides = [1e-4; 3];
        if row % 64 == 0 {
            sides[row / 64 % 3] = 0.8;
        }
        sides
    });
    let mut join = Join::default();
    let found = pairs(Level::detect(), &rows, &mut join, NOT_FIRST);
    let mut expected = 0;
    for (k, (a, _)) in rows.iter().enumerate() {
        let meets = |b: &[f32; 6]| (0..3).all(|k| a[k] <= b[3 + k] && b[k] <= a[3 + k]);
        expected += rows[k + 1..].iter().filter(|(b, _)| meets(b)).count();
    }
    assert_eq!(found.len(), expected);
    let compared = join.compared as f64 / count as f64;
    let read = join.boxes.copied as f64 / count as f64;
    assert!(compared < 40.0, "{compared} comparisons for each box");
    assert!(read < 9.0, "each box is read {read} times");
}

/// Goal: boxes of a large set are dropped where no box of a small set is near, and no pair is lost. Method: small boxes of both
/// sets in the whole scene, and in a crowd of it, also if those of the small set are flat and end at -0; the number of boxes that
/// are read, and brute force.
#[test]
fn boxes_of_a_large_set_without_neighbours_are_dropped() {
    let (first, count) = (300, 30_000);
    for (crowd, flat) in [(1.0, false), (1e-3, false), (1e-3, true)] {
        let mut rows = random_boxes(count, |_| [1e-3; 3]);
        for (row, (ends, _)) in rows.iter_mut().enumerate().filter(|_| flat) {
            (ends[1], ends[4]) = if row < first { (0.0, -0.0) } else { (-ends[1], ends[4]) };
        }
        for row in 0..first / 2 {
            rows[first + 7 * row] = rows[row];
        }
        for (ends, _) in rows.iter_mut().skip(1) {
            *ends = ends.map(|end| end * crowd);
        }
        let mut expected = Vec::new();
        for (a, row) in rows[..first].iter().zip(0..) {
            for (b, other) in rows[first..].iter().zip(first as u32..) {
                if (0..3).all(|k| a.0[k] <= b.0[3 + k] && b.0[k] <= a.0[3 + k]) {
                    expected.push([row, other]);
                }
            }
        }
        let mut join = DividedJoin::default();
        join.begin_between([first, count - first], &|row| rows[row].0);
        let (_, pairs) = divided_pairs(&mut join, &Threads::one(), (count, Exclusion::NONE));
        let mut pairs: Vec<_> = pairs.iter().map(|pair| [pair.a, pair.b]).collect();
        pairs.sort_unstable();
        // The first box is outside of the crowd.
        assert!(pairs.len() >= first / 2 - 1, "{} pairs", pairs.len());
        assert_eq!(pairs, expected);
        let (read, _) = join.work();
        assert!(read < 4 * count as u64, "crowd of {crowd}: {read} boxes were read");
    }
}

/// Returns the pairs that overlap and of which a box moves, in order, by brute force.
fn pairs_of_movers(rows: &[Row]) -> Vec<[u32; 2]> {
    let mut expected = Vec::new();
    for (a, (p, _)) in (0..).zip(rows).filter(|(_, (_, id))| *id == 0) {
        for (b, (q, id)) in (0..).zip(rows) {
            let meet = (0..3).all(|k| p[k] <= q[3 + k] && q[k] <= p[3 + k]);
            if meet && (a < b || *id == STILL) && a != b {
                expected.push([Ord::min(a, b), Ord::max(a, b)]);
            }
        }
    }
    expected.sort_unstable();
    expected
}

/// Goal: sticks on all axes, each of which overlaps most others on two axes, need few comparisons, and fewer where hardly any of them
/// move. So do boxes that overlap many others on each axis. Method: count the comparisons, and brute force on every level.
#[test]
fn boxes_that_overlap_many_others_on_an_axis_need_few_comparisons() {
    type Sides = fn(usize) -> [f32; 3];
    let stick = |row: usize| {
        let mut sides = [1e-3; 3];
        sides[row % 3] = 0.4 + 0.6 * (row % 7) as f32 / 7.0;
        sides
    };
    let cases: [(usize, Sides, usize, usize); 4] = [
        (1_000, stick, 1, 128),
        (12_000, stick, 100, 40),
        (12_000, stick, 20, 128),
        (6_000, |_| [0.02; 3], 12, 40),
    ];
    for (count, sides, moves, limit) in cases {
        let mut rows = random_boxes(count, sides);
        for (row, (_, id)) in rows.iter_mut().enumerate() {
            *id = if row % moves == 0 { 0 } else { STILL };
        }
        let expected = pairs_of_movers(&rows);
        assert!(expected.len() > 5, "{} pairs", expected.len());
        let mut order: Option<Vec<[u32; 2]>> = None;
        for level in Level::all() {
            let mut join = Join::default();
            let mut found = pairs(level, &rows, &mut join, NOT_FIRST);
            assert_eq!(order.get_or_insert_with(|| found.clone()), &found, "order on {level}");
            found.sort_unstable();
            assert_eq!(found, expected, "{count} boxes on {level}");
            let compared = join.compared as usize / count;
            assert!(compared < limit, "{compared} comparisons for each of {count} boxes");
        }
    }
}

/// Goal: few boxes that move are compared with all others by bitmaps, where many boxes overlap that do not move. Method: count the comparisons, and brute force.
#[test]
fn few_boxes_that_move_are_compared_by_bitmaps() {
    let world = World::new(Scene::Haystack, 20_000, 1);
    let rows: Vec<Row> = (0..world.len())
        .map(|row| {
            let bounds = core::array::from_fn(|k| [&world.min, &world.max][k / 3][k % 3][row]);
            (bounds, if world.moves[row] { 0 } else { STILL })
        })
        .collect();
    let expected = pairs_of_movers(&rows);
    assert!(expected.len() > 1000, "{} pairs", expected.len());
    let mut join = Join::default();
    let mut found = pairs(Level::detect(), &rows, &mut join, NOT_FIRST);
    found.sort_unstable();
    assert_eq!(found, expected);
    let compared = join.compared as usize / rows.len();
    assert!(compared < 40, "{compared} comparisons for each box");
}

/// Goal: boxes are sorted by their starts in the order of a sweep, boxes of one place in it keep their order, each box keeps its bounds and
/// its word, and no two boxes that overlap on the axis are apart in this order. Method: starts in the whole range, a crowd in a small part of it,
/// neighbouring numbers, and two numbers alone.
#[test]
fn boxes_are_sorted_by_any_starts() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for round in 0..4 {
        let count = if cfg!(miri) { 300 } else { 3_000 };
        let starts = (0..count).map(|row| {
            let low: f32 = rng.random_range(-1.0..1.0);
            match round {
                0 => low,
                1 if row % 50 > 0 => low * 1e-9,
                1 => low * 1e9,
                2 => f32::from_bits(1.0_f32.to_bits() + row % 100),
                _ => [-2.5, 7.0][usize::from(low < 0.0)],
            }
        });
        let starts: Vec<f32> = starts.collect();
        let mut boxes = KdBoxes::default();
        boxes.need(2 * count as usize + 64);
        for (row, &start) in starts.iter().enumerate() {
            for k in 0..6 {
                boxes.bounds[k][row] = if k % 3 == 1 { start } else { row as f32 };
            }
            boxes.bounds[4][row] = start + [0.0, 1e-3][row % 2];
            boxes.words[row] = row as u32;
        }
        let rows = KdRows { start: 0, len: count as usize };
        let sets = SortedSets { sets: [rows, rows], same: true, merged: false };
        let [sorted, _] = boxes.sort(Level::detect(), sets, 1, rows.padded_end());
        let range = sorted.start..sorted.start + sorted.len;
        let [lows, highs] = boxes.order.each_ref().map(|column| &column[range.clone()]);
        let words = &boxes.words[range.clone()];
        let mut all: Vec<usize> = (0..words.len()).collect();
        assert!(all.is_sorted_by_key(|&at| (lows[at], words[at])), "round {round}");
        for (at, &row) in range.clone().zip(words) {
            let of_row = [row as f32, starts[row as usize], row as f32];
            assert_eq!([0, 1, 5].map(|k| boxes.bounds[k][at]), of_row);
        }
        let ends = |k: usize, at: usize| boxes.bounds[k][range.start + at];
        all.sort_by(|&a, &b| ends(1, a).total_cmp(&ends(1, b)));
        assert!(all.is_sorted_by_key(|&at| lows[at]), "round {round}");
        for (at, &high) in highs.iter().enumerate() {
            // The last box that starts before this one ends.
            let before = all.partition_point(|&other| ends(1, other) <= ends(4, at));
            assert!(lows[all[before - 1]] <= high, "round {round}");
        }
    }
}

/// Goal: a part in which no two boxes overlap is joined without pairs, also if it is the first one of a worker, which has no columns yet. Method: a
/// slice in which one of the two sets has no boxes.
#[test]
fn a_first_part_without_pairs_is_done() {
    let at = |x: usize| [x as f32, 0.0, 0.0, x as f32 + 0.5, 1.0, 1.0];
    for level in Level::all() {
        let mut records = JoinRecords::default();
        records.load(NOT_FIRST, 40, &|place| at(place));
        let words: Vec<u32> = (0..40 + 2 * LANES_MAX as u32).map(|word| word.min(40)).collect();
        let first = KdRows { start: 0, len: 20 };
        let history = KdHistory { sliced: true, ..KdHistory::default() };
        let part = KdPart::Right { axis: 0, at: 30.0 };
        let task = KdTask::new([first, KdRows { start: 4, len: 36 }], false, history);
        let mut worker = PartWorker::default();
        let task = KdTask { of_a: part, of_b: part, ..task };
        worker.begin(level, (&records, &words), &task, Exclusion::NONE);
        let mut candidates = Candidates::default();
        candidates.reserve(candidates_max(40));
        assert!(
            proceed(level, Exclusion::NONE, &mut worker.join, &mut candidates).is_empty(),
            "{level}"
        );
    }
}

/// Goal: two sets that are swept as one list have the pairs of a box of one and a box of the other, also if the sweep is stopped because it is too
/// slow. Method: brute force; boxes of several lengths in a line, flags, and limits of the comparisons from one to enough.
#[test]
fn merged_sets_have_the_pairs_of_two_sets() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let (mut found, mut stopped) = (0, 0);
    for round in 0..40_u64 {
        let lens = [[1, 1], [5, 40], [33, 17], [150, 90]][round as usize % 4];
        let mut join = Join::default();
        join.boxes.need(4 * (lens[0] + lens[1]) + 256);
        join.boxes.rules.not_first = NOT_FIRST;
        let first = KdRows { start: 0, len: lens[0] };
        let second = KdRows { start: first.padded_end(), len: lens[1] };
        let (mut sets, mut number) = (Vec::new(), 0);
        for set in [first, second] {
            let mut of_set = Vec::new();
            for row in set.start..set.start + set.len {
                let length = if rng.random_ratio(1, 9) { 3.0 } else { 0.02 };
                let low: [f32; 3] = [(); 3].map(|()| rng.random_range(-1.0..1.0));
                let ends: [f32; 6] = core::array::from_fn(|k| match k {
                    0..3 => low[k],
                    3 => low[0] + length * rng.random_range(0.0_f32..1.0),
                    _ => low[k - 3] + 1.0,
                });
                let word = number | if rng.random_ratio(1, 5) { STILL } else { 0 };
                (0..6).for_each(|k| join.boxes.bounds[k][row] = ends[k]);
                join.boxes.words[row] = word;
                of_set.push((ends, word));
                number += 1;
            }
            join.boxes.write_padding(set.start + set.len);
            sets.push(of_set);
        }
        let mut expected = Vec::new();
        for (p, a) in &sets[0] {
            for (q, b) in &sets[1] {
                let overlap = (0..3).all(|k| p[k] <= q[3 + k] && q[k] <= p[3 + k]);
                if overlap && a & b & STILL == 0 {
                    expected.push([a & !STILL, b & !STILL]);
                }
            }
        }
        expected.sort_unstable();
        for level in Level::all() {
            let task = KdTask::new([first, second], false, KdHistory::default());
            let work_max = [1, 100, 1 << 40][round as usize % 3];
            let before = join.compared;
            join.carry_out(level, &task, SplitChoice::Sweep { axis: 0, work_max, merged: true });
            let mut candidates = Candidates::default();
            candidates.reserve(candidates_max(number as usize));
            let mut pairs = proceed(level, Exclusion::NONE, &mut join, &mut candidates);
            pairs.sort_unstable();
            assert_eq!(pairs, expected, "{lens:?} in round {round} on {level}");
            stopped += usize::from(join.compared - before > work_max);
        }
        found += expected.len();
    }
    assert!(found > 1000 && stopped > 20, "{found} pairs, {stopped} sweeps stopped");
}
