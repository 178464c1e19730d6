//! Tests searches of movers among fixed boxes that filters exclude from them.

use super::forest::FixedBoxes;
use crate::broadphase::pairs::input::{FixedInput, PairInput};
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
