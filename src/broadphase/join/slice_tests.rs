//! Tests the planes of a join of boxes that start before the strip.

use super::divided::DividedJoin;
use super::excluded::Exclusion;
use super::tests::{Row, divided_pairs, input, pairs, pairs_by_brute_force};
use super::{Join, NOT_FIRST_UNCUT};
use crate::broadphase::pairs::flags::{NOT_FIRST_U, NOT_FIRST_V, OF_FIRST, OF_SECOND};
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Numbers of the boards, and of all boxes.
const BOARDS: usize = 10_000;
const ALL: usize = 50_000;

/// Goal: no pair of the part of a long path is lost where many boxes start before the strip. Method: 10,000 boards, of which 30 % stand across the border
/// of the strip at 0, and 40,000 short boxes, of which one in a hundred does. All that start before the strip have the flag of the grid, except that every
/// twentieth board is the part of a long path. Its pairs are found by brute force.
#[test]
fn long_paths_that_begin_before_many_boxes_have_all_pairs() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut bounds: [Vec<f32>; 6] = Default::default();
    let mut ids = Vec::new();
    let is_part = |row: usize| row < BOARDS && row.is_multiple_of(20);
    for row in 0..ALL {
        let is_board = row < BOARDS;
        let share = if is_board { 0.3 } else { 0.01 };
        let before = is_part(row) || rng.random_bool(share);
        let low =
            if before { rng.random_range(-0.03..0.0) } else { rng.random_range(0.0..1.0_f32) };
        bounds[0].push(low);
        bounds[3].push(low.max(0.0) + 0.005);
        for axis in 1..3 {
            let low = rng.random_range(0.0..1.0_f32);
            bounds[axis].push(low);
            bounds[3 + axis].push(low + 0.05);
        }
        let flag = if before && !is_part(row) { NOT_FIRST_U } else { 0 };
        ids.push(flag | if is_board { OF_FIRST } else { OF_SECOND });
    }
    // The memory of the columns has padding.
    bounds.iter_mut().for_each(|column| column.resize(ALL + 16, f32::INFINITY));

    let overlap = |a: usize, b: usize| {
        (0..3).all(|k| bounds[k][a] <= bounds[3 + k][b] && bounds[k][b] <= bounds[3 + k][a])
    };
    let mut expected: Vec<[u32; 2]> = Vec::new();
    for a in (0..BOARDS).filter(|&row| is_part(row)) {
        let others = (BOARDS..ALL).filter(|&b| overlap(a, b));
        expected.extend(others.map(|b| [a as u32, b as u32]));
    }
    let with_flag = expected.iter().filter(|pair| ids[pair[1] as usize] & NOT_FIRST_U != 0).count();
    assert!(with_flag > 1000, "{with_flag} pairs with a box that starts before the strip");

    let mut join = DividedJoin::default();
    assert!(join.begin(Level::detect(), input(&bounds, &ids)));
    let (_, pairs) = divided_pairs(&mut join, &Threads::one(), (ALL, Exclusion::NONE));
    let pairs = pairs.iter().map(|pair| [pair.a, pair.b]);
    let mut found: Vec<_> = pairs.filter(|pair| is_part(pair[0] as usize)).collect();
    found.sort_unstable();
    assert_eq!(found.len(), expected.len());
    assert_eq!(found, expected);
}

/// Goal: no pair of the part of a long path is lost where other parts end just before the boxes that start in another strip. Method: 260 parts that
/// end before the border, 90 that cross it, and 390 boxes that start at the border and have the flag of the grid; they are spread on another axis, so
/// that they are divided. The pairs are found by brute force.
#[test]
fn long_paths_meet_boxes_behind_paths_that_end_at_the_border() {
    const COUNTS: [usize; 3] = [260, 90, 390];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let border = 0.391_908_23_f32;
    let ranges = [[0.0, border.next_down()], [0.0, 1.0], [border, 1.0]];
    let mut rows: Vec<Row> = Vec::new();
    for (kind, count) in COUNTS.into_iter().enumerate() {
        for _ in 0..count {
            let (spread, [low, high]) = (rng.random_range(0.0..3.0_f32), ranges[kind]);
            let ends = [0.0, low, spread, 1.0, high, spread + 1.0];
            rows.push((ends, if kind == 2 { NOT_FIRST_U } else { 0 }));
        }
    }
    let is_of_two_kinds = |[a, b]: [u32; 2]| rows[a as usize].1 != rows[b as usize].1;
    let expected = pairs_by_brute_force(&rows).filter(|&pair| is_of_two_kinds(pair)).count();
    assert!(expected > 10_000, "{expected} pairs");
    // The grid divides the second and the third axis.
    let not_first = [NOT_FIRST_UNCUT, NOT_FIRST_U, NOT_FIRST_V];
    let found = pairs(Level::detect(), &rows, &mut Join::default(), not_first);
    assert_eq!(found.into_iter().filter(|&pair| is_of_two_kinds(pair)).count(), expected);
}
