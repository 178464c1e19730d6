//! Tests of swept pairs where most boxes have long paths, so that the tick is searched in slices.
//!
//! Whether it is depends on a cost that the caller does not see. So there are worlds of many lengths of paths, and of thousands of boxes, because
//! smaller worlds have no slices.

use core::array::from_fn;

use rand::RngExt;
use swath::broadphase::PairInput;
use swath::{Aabb, Invalid, Level, MovingBox, PairFinder, SweptPair, Threads};
use testkit::draw::{Draw, how_many};
use testkit::every_pair::Rows;

use crate::long_paths::{Family, around, check_families, inside, translated};
use crate::threads::pool;

const FAMILIES: [(&str, Family); 11] = [
    ("a swarm", swarm),
    ("a swarm far away", far_away),
    ("a burst", burst),
    ("a meeting", meeting),
    ("all together", together),
    ("unlike a sample", unlike_a_sample),
    ("on a lattice", lattice),
    ("slow and fast ones", slow_and_fast),
    ("to the ends of the range", ends_of_the_range),
    ("past the end of the range", past_the_range),
    ("denormal on one axis", denormal_axis),
];

/// Boxes that fly across a part of the scene.
fn swarm(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let path = draw.one_of(&[0.3, 0.7, 2.0, 10.0]);
    let half = draw.one_of(&[0.0, 1e-4, 0.01, 0.03]);
    (0..boxes).map(|_| around(inside(draw, 1.0), [half; 3], inside(draw, path))).collect()
}

/// The same where a float has a distance of a hundredth of the sides, or of several sides.
fn far_away(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let reach = draw.one_of(&[1e3, 1e5, 1e7]);
    let off = inside(draw, reach);
    translated(swarm(draw, boxes), off)
}

/// Boxes that fly away from one place, or towards one.
fn burst(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    near_each_other(draw, boxes, [&[0.0, 0.02, 0.2], &[1e-4, 5e-3], &[0.0, 1.0]])
}

/// Boxes that meet within a small part of the tick.
fn meeting(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    near_each_other(draw, boxes, [&[1e-3, 0.01], &[1e-5, 1e-3], &[0.0, 0.3, 0.5, 0.9, 1.0]])
}

/// Boxes that are near each other at one time, with one of some distances, half sides and times.
fn near_each_other(draw: &mut Draw, boxes: usize, choices: [&[f32]; 3]) -> Vec<MovingBox> {
    let [reach, half, time] = choices.map(|of| draw.one_of(of));
    let make = |_| {
        let (middle, delta) = (inside(draw, reach), inside(draw, 2.0));
        around(from_fn(|axis| middle[axis] - time * delta[axis]), [half; 3], delta)
    };
    (0..boxes).map(make).collect()
}

/// Boxes that have almost the same displacement, and some that do not.
fn together(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let reach = draw.one_of(&[3.0, 300.0, 1e5]);
    let (common, own) = (inside(draw, reach), draw.one_of(&[0.0, 0.01, 0.3]));
    let half = draw.one_of(&[0.0, 0.01, 0.03]);
    let make = |_| {
        let delta = if draw.one_in(20) {
            inside(draw, 1.0)
        } else {
            let own = inside(draw, own);
            from_fn(|axis| common[axis] + own[axis])
        };
        around(inside(draw, 1.0), [half; 3], delta)
    };
    (0..boxes).map(make).collect()
}

/// A swarm of which the rows that are sampled for its slices have nothing in their way, while most others meet.
fn unlike_a_sample(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = meeting(draw, boxes);
    for k in 0..128 {
        // The row of the finder's sample in this one of 128 equal parts.
        let [first, next] = [k, k + 1].map(|part| part * boxes / 128);
        let row = first + ((k * 0x9E37) >> 4) % (next - first).max(1);
        world[row] = around(inside(draw, 100.0), [1e-4; 3], inside(draw, 100.0));
    }
    world
}

/// Middles are whole numbers and displacements powers of two, so that many boxes first touch exactly at an end of a slice or of the tick.
fn lattice(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let reach = (boxes as f32).cbrt() as i32;
    let path = draw.one_of(&[4.0, 8.0, 16.0]);
    let make = |_| {
        let middle = from_fn(|_| draw.whole(-reach, reach));
        let delta = from_fn(|_| draw.sign() * path * draw.one_of(&[0.0, 0.5, 1.0, 2.0]));
        around(middle, [draw.one_of(&[0.0, 0.5, 0.5, 1.0]); 3], delta)
    };
    (0..boxes).map(make).collect()
}

/// Half of the boxes hardly move, are at rest, or are far larger.
fn slow_and_fast(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = swarm(draw, boxes);
    for moving in world.iter_mut().step_by(2) {
        let factor = draw.one_of(&[0.0, -0.0, 1e-30, 1e-3]);
        moving.delta = moving.delta.map(|part| part * factor);
        if draw.one_in(50) {
            moving.aabb.max = moving.aabb.max.map(|max| max + 0.2);
        }
    }
    world
}

/// Paths that end at the greatest coordinates, so that bounds that are widened would exceed them.
fn ends_of_the_range(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let most = swath::COORD_MAX;
    let make = |_| {
        let at: [f32; 3] = from_fn(|_| most * draw.one_of(&[-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]));
        let end: [f32; 3] = from_fn(|_| most * draw.one_of(&[-1.0, -0.25, 0.0, 0.5, 1.0]));
        let delta = from_fn(|axis| (end[axis] - at[axis]).clamp(-most, most));
        MovingBox { aabb: Aabb { min: at, max: at }, delta }
    };
    (0..boxes).map(make).collect()
}

/// Paths that extend up to twice as far as the greatest coordinate, so that boxes meet where no box may start.
fn past_the_range(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let most = swath::COORD_MAX;
    let make = |_| {
        let at = inside(draw, 0.25 * most).map(|at| 0.74 * most + at);
        around(at, [0.01 * most; 3], inside(draw, most))
    };
    (0..boxes).map(make).collect()
}

/// Flat boxes that are some denormal numbers apart on one axis, and fly across a part of the scene on the others.
fn denormal_axis(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let axis = draw.0.random_range(0..3);
    let make = |_| {
        let mut moving = around(inside(draw, 1.0), [0.03; 3], inside(draw, 1.0));
        let [at, delta] = [8, 3].map(|most| draw.whole(-most, most) * f32::from_bits(1));
        (moving.aabb.min[axis], moving.aabb.max[axis], moving.delta[axis]) = (at, at, delta);
        moving
    };
    (0..boxes).map(make).collect()
}

/// Goal: no pair is lost, found twice or invented, and each has the time of its sweep, in one order on every level. Method: scenes of many
/// long paths; every pair whose bounds overlap is swept alone. Sometimes rows do not move, have filters, are invalid, or are divided
/// into two sets.
#[test]
fn pairs_of_many_long_paths_are_exact() {
    let size = |draw: &mut Draw| draw.0.random_range(1024..2000);
    check_families(&mut Draw::new(1), &FAMILIES, how_many(30_000), size);
}

/// A swarm with paths of a third of its length.
fn boxes(count: usize) -> Vec<MovingBox> {
    let draw = &mut Draw::new(2);
    (0..count).map(|_| around(inside(draw, 0.5), [4e-3; 3], inside(draw, 0.3))).collect()
}

/// Goal: pairs, their order and the invalid rows with their reasons are the same for any number of threads, and in any layout. The limit on
/// pairs holds, with the exact number in the error, and labels replace rows. Method: a swarm of several chunks; the pairs of every two boxes that are tried.
#[test]
fn threads_layouts_and_limits_are_as_without_slices() {
    let mut all = boxes(9000);
    all[70].delta[1] = f32::NAN;
    all[71].aabb.min[2] = 9.0;
    all[8999].delta[0] = f32::INFINITY;
    let reasons = [70_usize, 71, 8999].map(|row| (row as u32, all[row].validate().unwrap_err()));
    assert!(matches!(reasons[1].1, Invalid::Inverted { .. }), "{:?}", reasons[1]);
    let rows = Rows::new(&all);
    let tried = rows.touching(&rows.tried());
    let mut expected: Option<Vec<SweptPair>> = None;
    for threads in [1, 2, 3, 8] {
        let mut finder = PairFinder::new();
        finder.exec.threads = pool(threads);
        for set in [rows.set(), PairInput::new(&all[..])] {
            let found = finder.swept_pairs(set).unwrap();
            let rejected: Vec<_> = found.rejected().iter().map(|it| (it.row, it.reason)).collect();
            assert_eq!(format!("{rejected:?}"), format!("{reasons:?}"));
            let found: Vec<SweptPair> = found.iter().collect();
            assert!(found.len() > 500, "{} pairs", found.len());
            assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{threads} threads");
            let mut sorted: Vec<_> =
                found.iter().map(|of| (of.a, of.b, of.first.to_bits())).collect();
            sorted.sort_unstable();
            assert!(sorted == tried, "{} pairs, not {}", sorted.len(), tried.len());
        }
        let count = expected.as_ref().unwrap().len();
        finder.exec.pairs_max = count - 1;
        let error = finder.swept_pairs(rows.set()).unwrap_err().to_string();
        assert!(error.contains(&format!("is {count},")), "{error}");
    }
    let labels: Vec<u32> = (0..9000_u32).map(|row| row.wrapping_mul(0x9E37_79B9)).collect();
    let mut finder = PairFinder::with_exec(Level::detect());
    finder.exec.threads = Threads::one();
    let found: Vec<SweptPair> =
        finder.swept_pairs(rows.set().labelled(&labels)).unwrap().iter().collect();
    let labelled = expected.unwrap().into_iter().map(|pair| {
        let [a, b] = [pair.a, pair.b].map(|row| labels[row as usize]);
        SweptPair { a: a.min(b), b: a.max(b), ..pair }
    });
    assert!(labelled.eq(found));
}
