//! Tests searches of movers among fixed boxes that filters exclude from them.

use super::forest::FixedBoxes;
use crate::broadphase::pairs::input::{FixedInput, PairInput};
use crate::broadphase::pairs::limit::PairTests;
use crate::geom::{Aabb, Filter, MovingBox, Pair};
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// A cube of side 1 in a place on the first axis, or in a crowd.
fn cube(random: &mut Xoshiro256PlusPlus, place: usize, crowd: f32) -> Aabb {
    let start = [3.0 * place as f32, 0.0, 0.0];
    let min = start.map(|start| start + random.random_range(0.0..crowd));
    Aabb { min, max: min.map(|min| min + 1.0) }
}

/// The boxes and filters of a world: those of movers and of fixed boxes by turns. Filters exclude nearly all pairs that overlap, but the union of all filters of fixed
/// boxes allows each mover.
fn world(style: usize, count: usize) -> [(Vec<Aabb>, Vec<Filter>); 2] {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let mut sets = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
    for k in 0..count {
        let (of, turn) = (k % 2, k / 2);
        let (place, crowd, filter) = match style {
            0 => (0, 0.5, Filter::new(2, !2)),
            // Movers see one kind of the fixed boxes and are seen by the other one.
            1 if of == 0 => (0, 0.5, Filter::new(1, 2)),
            1 => (0, 0.5, [Filter::new(2, !1), Filter::new(4, 1)][turn % 2]),
            2 => (turn % 6, 0.5, Filter::new(1 << (turn % 6), !(1 << (turn % 6)))),
            3 => (0, 4.0, Filter::new(2, !2)),
            // A quarter of the boxes is spread.
            _ if turn % 4 == 0 => (10 + turn % 500, 3.0, Filter::new(1, !0)),
            _ => (0, 0.5, Filter::new(2, !2)),
        };
        let filter = if turn % 500 == 250 { Filter::ALL } else { filter };
        sets[of].0.push(cube(random, place, crowd));
        sets[of].1.push(filter);
    }
    sets
}

/// Returns the allowed pairs of boxes of two sets that overlap, in order.
fn pairs_by_brute_force(sets: &[(Vec<Aabb>, Vec<Filter>); 2]) -> Vec<Pair> {
    let [(movers, of_movers), (fixed, of_fixed)] = sets;
    let mut pairs = Vec::new();
    for (a, (mover, filter)) in (0..).zip(movers.iter().zip(of_movers)) {
        for (b, (other, of_other)) in (0..).zip(fixed.iter().zip(of_fixed)) {
            if filter.allows(*of_other) && mover.overlaps(other) {
                pairs.push(Pair { a, b });
            }
        }
    }
    pairs
}

/// Goal: movers in a crowd of fixed boxes that filters exclude cost a time in proportion to boxes and pairs, and have exactly their pairs, in an order that is
/// the same for every level and any number of threads. Method: count visited nodes, boxes that are read, and comparisons; brute force; in one place,
/// of two kinds that each exclude by their own mask, of six kinds in a place each, in a crowd that is larger than its boxes, and beside others that
/// pair.
#[test]
fn excluded_fixed_boxes_are_not_compared_with_movers() {
    let count = 20_000;
    for style in 0..5 {
        let sets = world(style, count);
        let [(movers, of_movers), (fixed, of_fixed)] = &sets;
        let expected = pairs_by_brute_force(&sets);
        assert!(expected.len() > 100, "{} pairs", expected.len());
        let boxes: Vec<MovingBox> = movers.iter().map(|&aabb| MovingBox::from(aabb)).collect();
        let set = PairInput::new(&boxes[..]).filtered(of_movers);
        let mut order: Option<[Vec<Pair>; 2]> = None;
        let settings = Level::all().map(|level| (Threads::one(), level));
        for (threads, level) in settings.chain([(Threads::current(), Level::detect())]) {
            let mut all = FixedBoxes::new();
            (all.exec.threads, all.exec.level) = (threads, level);
            all.extend(FixedInput::new(&fixed[..]).filtered(of_fixed)).expect("few boxes");
            let union: Vec<Pair> = all.union_pairs(set).expect("few boxes").iter().collect();
            let (visited, joined) = all.search.work;
            let (read, compared) = all.search.join_work();
            assert!(joined > count / 4, "{style}: {joined} joined");
            let each = (visited + read + compared / 16) / (count + union.len()) as u64;
            assert!(each < 64, "{style}: {visited} nodes, {read} boxes, {compared} comparisons");
            let swept = all.swept_pairs(set).expect("few boxes");
            let swept: Vec<Pair> = swept.iter().map(|p| Pair { a: p.a, b: p.b }).collect();
            for found in [&union, &swept] {
                let mut sorted = found.clone();
                sorted.sort_unstable_by_key(|pair| (pair.a, pair.b));
                assert_eq!(sorted, expected, "{style} {level}");
            }
            let found = [union, swept];
            assert_eq!(*order.get_or_insert_with(|| found.clone()), found, "{style} {level}");
        }
    }
}

/// Goal: few movers in a crowd of fixed boxes of their owner are not tested with each of these, and have exactly their pairs, with one test of each pair
/// otherwise. Method: count the pairs that tests exclude; brute force; boxes of another owner in the crowd and beside it.
#[test]
fn few_movers_in_a_crowd_of_their_owner_are_joined() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
    let count = 12_000;
    let owner_of_box = |row: u32| if row.is_multiple_of(400) { 1 + row } else { 0 };
    let fixed: Vec<Aabb> =
        (0..count).map(|row| cube(random, if row % 400 == 200 { row } else { 0 }, 0.9)).collect();
    let test = |[_, b]: [u32; 2]| owner_of_box(b) != 0;
    let owner_of_mover = |_| u32::MAX;
    let owner = |row| if owner_of_box(row) == 0 { u32::MAX } else { owner_of_box(row) };
    let tests = PairTests {
        of_exact: Some(&test),
        of_inexact: &test,
        owner: Some(&owner_of_mover),
        forest_owner: Some(&owner),
    };
    let mut all = FixedBoxes::new();
    all.extend(&fixed[..]).expect("few boxes");
    for movers in [12, 19, 60, 70] {
        let boxes: Vec<Aabb> = (0..movers).map(|_| cube(random, 0, 0.9)).collect();
        let mut expected = Vec::new();
        for (a, mover) in (0..).zip(&boxes) {
            let is_pair = |b: &u32| test([a, *b]) && mover.overlaps(&fixed[*b as usize]);
            expected.extend((0..count as u32).filter(is_pair).map(|b| Pair { a, b }));
        }
        let moving: Vec<MovingBox> = boxes.iter().map(|&aabb| MovingBox::from(aabb)).collect();
        let set = PairInput::new(&moving[..]).tested(tests);
        for level in Level::all() {
            (all.exec.threads, all.exec.level) = (Threads::one(), level);
            assert_eq!(all.union_pairs(set).expect("few boxes").sorted(), expected, "{level}");
            let (excluded, joined) = (all.search.excluded, all.search.work.1);
            assert!(movers <= 18 || joined > movers / 2, "{joined} of {movers} joined");
            let tested = if movers <= 18 { movers } else { 4 };
            assert!(excluded <= tested * count, "{movers}: {excluded} excluded pairs");
            let swept = all.swept_pairs(set).expect("few boxes").sorted();
            assert!(swept.iter().map(|of| Pair { a: of.a, b: of.b }).eq(expected.iter().copied()));
        }
    }
}
