//! Judges the results of all systems.
//!
//! The reference is `spec`, in `f64`, which shares no code with the compared systems. It computes each pair
//! unchanged, with both shapes smaller by [`TOLERANCE`] of themselves, and at a distance of [`TOLERANCE`]. A
//! result between the last two is within the tolerance.

use rayon::prelude::*;
use spec::{self, Core, FirstTime, MovingSolid, Solid};
use swath::Motion;

use scenes::convex::{Form, Hulls};

/// In lengths, for shapes of size one: four times the default tolerance of swath, which is a 16384th of the size.
const TOLERANCE: f64 = 1.0 / 4096.0;

/// Bounds for the result of a pair: a time or a distance. Infinite for a miss.
pub struct Truth {
    /// A greater value is late, or too far.
    exact: f64,
    /// A greater value is so by more than the tolerance.
    clear: f64,
    /// A lesser value is early, or too near, by more than the tolerance.
    early: f64,
}

/// How a result may be wrong; `clear` is beyond the tolerance, as `early` and `false_hits` are: no hit is
/// reported although there is one; a time is after the first touch, or a distance too long; the shapes are
/// farther apart than reported; they never touch and are reported to.
pub const WRONG: [&str; 6] =
    ["missed", "missed_clear", "late", "late_clear", "early", "false_hits"];

fn solid(form: Form, motion: &Motion, hulls: &Hulls, scale: f64) -> MovingSolid {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let long = |length: f32| f64::from(length) * scale;
    let (core, radius) = match form {
        Form::Cuboid(half) => (Core::cuboid(half.map(long)), 0.0),
        Form::Sphere(radius) => (Core::Hull(vec![[0.0; 3]]), long(radius)),
        Form::Capsule { half_height, radius } => {
            let ends = [-half_height, half_height].map(|end| [0.0, long(end), 0.0]);
            (Core::Hull(ends.to_vec()), long(radius))
        }
        Form::Cylinder { half_height, radius } => {
            (Core::Cylinder { half_height: long(half_height), radius: long(radius) }, 0.0)
        }
        Form::Hull(row) => (Core::Hull(scaled(hulls.0[row].vertices(), scale)), 0.0),
    };
    MovingSolid {
        delta: wide(motion.delta),
        accel: wide(motion.accel),
        orientation: motion.pose.rotation.map(f64::from),
        spin: wide(motion.spin),
        ..MovingSolid::resting(Solid { core, radius }, wide(motion.pose.position))
    }
}

/// Points that are scaled about their mean. The origin may lie outside of a hull, which would then move as it is scaled.
fn scaled(points: impl Iterator<Item = [f32; 3]>, scale: f64) -> Vec<[f64; 3]> {
    let mut points: Vec<[f64; 3]> = points.map(|point| point.map(f64::from)).collect();
    let count = points.len() as f64;
    for axis in 0..3 {
        let mean = points.iter().map(|point| point[axis]).sum::<f64>() / count;
        for point in &mut points {
            point[axis] =
                if scale == 1.0 { point[axis] } else { mean + (point[axis] - mean) * scale };
        }
    }
    points
}

/// The time until which they are certainly apart, and at which they certainly touch.
fn first([a, b]: &[MovingSolid; 2], target: f64) -> [f64; 2] {
    match spec::first_time(a, b, target, [0.0, 1.0]) {
        FirstTime::Hit { free_until, hit_at } => [free_until, hit_at],
        FirstTime::Free => [f64::INFINITY; 2],
        FirstTime::Graze { t, .. } => [t, f64::INFINITY],
        FirstTime::Open { free_until } => [free_until, f64::INFINITY],
    }
}

/// The bounds for pairs: for their distances at the start, or for their first times.
pub fn truths(pairs: &[([Form; 2], [Motion; 2])], distances: bool, hulls: &Hulls) -> Vec<Truth> {
    let truth = |(forms, motions): &([Form; 2], [Motion; 2])| {
        let two = |scale| [0, 1].map(|side| solid(forms[side], &motions[side], hulls, scale));
        let plain = two(1.0);
        if distances {
            let near = spec::distance(&plain[0], &plain[1], 0.0);
            let (exact, early) = (near.upper + near.noise, near.lower - TOLERANCE);
            return Truth { exact, clear: exact + TOLERANCE, early };
        }
        let [[_, exact], [_, clear]] = [first(&plain, 0.0), first(&two(1.0 - TOLERANCE), 0.0)];
        Truth { exact, clear, early: first(&plain, TOLERANCE)[0] }
    };
    pairs.par_iter().map(truth).collect()
}

/// Which of [`WRONG`] a result is, and by how much it is late.
pub fn judge(truth: &Truth, answer: Option<f32>) -> ([bool; 6], f64) {
    let Some(value) = answer.map(f64::from) else {
        return (
            [truth.exact.is_finite(), truth.clear.is_finite(), false, false, false, false],
            0.0,
        );
    };
    // NaN is late.
    let over = |most: f64| value.is_nan() || value > most;
    let never = truth.early == f64::INFINITY;
    let early = !never && value < truth.early;
    let late = (value - truth.exact).max(0.0);
    ([false, false, over(truth.exact), over(truth.clear), early, never], late)
}

/// Goal: wrong results are counted by their kind. Method: one result of each kind.
#[test]
fn wrong_answers_count() {
    let judged = |exact, value| {
        let truth = Truth { exact, clear: exact + 0.1, early: exact - 0.1 };
        let (wrong, late) = judge(&truth, value);
        (wrong.map(u8::from), late)
    };
    assert_eq!(judged(0.5, Some(0.5)), ([0; 6], 0.0));
    assert_eq!(judged(f64::INFINITY, None), ([0; 6], 0.0));
    assert_eq!(judged(0.5, None), ([1, 1, 0, 0, 0, 0], 0.0));
    assert_eq!(judged(0.5, Some(0.5625)), ([0, 0, 1, 0, 0, 0], 0.0625));
    assert_eq!(judged(0.5, Some(0.75)), ([0, 0, 1, 1, 0, 0], 0.25));
    assert_eq!(judged(0.5, Some(f32::NAN)).0, [0, 0, 1, 1, 0, 0]);
    assert_eq!(judged(0.5, Some(0.25)), ([0, 0, 0, 0, 1, 0], 0.0));
    assert_eq!(judged(f64::INFINITY, Some(0.5)), ([0, 0, 0, 0, 0, 1], 0.0));
}
