//! Tests that fast boxes are found in a crowd that is divided into slices.

use core::array::from_fn;
use swath::batch::sweep;
use swath::{Aabb, MovingBox, PairFinder, Threads};
use testkit::draw::Draw;
use testkit::every_pair::Rows;

/// Number of boxes of the sparse surroundings, of which each set has half.
const AROUND: usize = 100_000;
/// Numbers of boxes of each set in the crowd.
const CROWD: [usize; 2] = [10_000, 40_000];
/// Where the crowd begins. On the second axis it is at most 0.02 above a border of cells, wherever their number is even.
const CROWD_LOW: [f32; 3] = [15.1, 15.02, 15.1];
/// Extent of the crowd on each axis.
const EXTENT: f32 = 0.5;

/// Appends a box of the crowd that begins at so much of its extent, with sides that are so much of it.
fn push(boxes: &mut Vec<MovingBox>, at: [f32; 3], sides: [f32; 3], delta_y: f32) {
    let min: [f32; 3] = from_fn(|k| CROWD_LOW[k] + EXTENT * at[k]);
    let max = from_fn(|k| min[k] + EXTENT * sides[k]);
    // It begins a third of its path before.
    let shift = |end: [f32; 3]| [end[0], end[1] - delta_y / 3.0, end[2]];
    let aabb = Aabb { min: shift(min), max: shift(max) };
    boxes.push(MovingBox { aabb, delta: [0.0, delta_y, 0.0] });
}

/// Returns two sets of boxes in a crowd, which begins at a border of cells, and around it. Of the first set, a third of the crowd stands across the border,
/// and every twentieth box is fast; of the second one, a fiftieth stands across it.
fn sets(draw: &mut Draw) -> [Vec<MovingBox>; 2] {
    let mut sets: [Vec<MovingBox>; 2] = Default::default();
    for row in 0..AROUND {
        let min = from_fn(|_| match draw.one_of(&[0, 1, 2, 2, 2, 2, 2, 2, 2, 2]) {
            0 => 0.0,
            1 => 30.0,
            _ => draw.between(0.0, 30.0),
        });
        let max = from_fn(|k| min[k] + [0.01, 0.05, 0.05][k]);
        sets[row % 2].push(MovingBox { aabb: Aabb { min, max }, delta: [0.0; 3] });
    }
    for (set, (count, across)) in sets.iter_mut().zip(CROWD.into_iter().zip([3, 50])) {
        for row in 0..count {
            let is_fast = count == CROWD[0] && row.is_multiple_of(20);
            let stands_across = draw.one_in(across) || is_fast;
            let y = if stands_across { draw.between(-0.03, 0.0) } else { draw.between(0.0, 1.0) };
            let [x, z] = [draw.between(0.0, 1.0), draw.between(0.0, 1.0)];
            if is_fast {
                push(set, [x, 0.0, z], [0.1, 0.04, 0.1], -30.0);
            } else {
                push(set, [x, y, z], [0.1, y.max(0.0) - y + 0.005, 0.1], 0.0);
            }
        }
    }
    sets
}

/// Goal: no pair of a fast box is lost where many boxes stand across the border of a crowded strip, so that a plane between its slices would be
/// before the strip. Method: the pairs of the fast boxes by brute force.
#[test]
fn fast_boxes_at_the_border_of_a_crowd_have_all_pairs() {
    let sets = sets(&mut Draw::new(1));
    let [a, b] = sets.each_ref().map(|set| Rows::new(set));
    let mut finder = PairFinder::with_exec(Threads::one());
    let found = finder.swept_pairs_between(a.set(), b.set()).expect("columns").sorted();
    let is_fast = |row: u32| sets[0][row as usize].delta[1] != 0.0;
    let found: Vec<_> =
        found.iter().filter(|pair| is_fast(pair.a)).map(|pair| [pair.a, pair.b]).collect();

    let mut expected = Vec::new();
    for (row, fast) in (0..).zip(&sets[0]).filter(|&(row, _)| is_fast(row)) {
        let Aabb { min, max } = fast.bounds();
        for (other, moving) in (0..).zip(&sets[1]) {
            let Aabb { min: low, max: high } = moving.aabb;
            if (0..3).all(|k| min[k] <= high[k] && low[k] <= max[k])
                && sweep::one_to_one(fast, moving).expect("valid").contact.is_hit()
            {
                expected.push([row, other]);
            }
        }
    }
    assert!(expected.len() > 100_000, "{} pairs", expected.len());
    assert_eq!(found.len(), expected.len(), "of {} fast boxes", CROWD[0] / 20);
    assert!(found == expected, "other pairs");
}
