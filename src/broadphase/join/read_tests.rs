//! Tests how often a divided join reads boxes.

use super::divided::DividedJoin;
use super::excluded::Exclusion;
use super::tests::{columns, divided_pairs, input, random_boxes};
use crate::broadphase::pairs::flags::STILL;
use crate::lanes::Level;
use crate::par::Threads;

/// Goal: boxes that are swept are read as places and copied once, in the order of the sweep. Method: the number of boxes that a divided join
/// reads, for sticks that cross the world on any of three axes.
#[test]
fn boxes_of_a_sweep_are_copied_once() {
    let count = 60_000;
    let rows = random_boxes(count, |row| {
        let mut sides = [1e-6; 3];
        sides[row % 3] = 1.0;
        sides
    });
    let (bounds, ids) = columns(&rows);
    let mut join = DividedJoin::default();
    assert!(join.begin(Level::detect(), input(&bounds, &ids)), "no plane");
    divided_pairs(&mut join, &Threads::one(), (count, Exclusion::NONE));
    let (read, _) = join.work();
    let each = read as f64 / count as f64;
    assert!(each < 8.5, "each box is read {each} times");
}

/// Goal: boxes of which few move are divided by that, and each is read once for it. Method: the number of boxes that a divided join reads before its
/// parts are joined, of boxes that overlap many others; one of a hundred moves. The divisions that follow read each box 3.35 times.
#[test]
fn boxes_of_which_few_move_are_read_once_to_divide_them() {
    let count = 60_000_u64;
    let mut rows = random_boxes(count as usize, |_| [0.05; 3]);
    for (row, (_, id)) in rows.iter_mut().enumerate() {
        *id = if row % 100 == 0 { 0 } else { STILL };
    }
    let (bounds, ids) = columns(&rows);
    let mut join = DividedJoin::default();
    assert!(join.begin(Level::detect(), input(&bounds, &ids)), "no plane");
    join.divide(Level::detect(), &Threads::one());
    let (read, _) = join.work();
    assert!(read < 5 * count, "{read} boxes were read");
}
