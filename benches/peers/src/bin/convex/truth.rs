//! Which answers hold?
//!
//! The truth is `swath::spec`, in `f64`, which shares no code with what is compared. It is asked
//! about each pair thrice: as the pair is, with both shapes shrunk by [`TOLERANCE`] of themselves,
//! and at a distance of [`TOLERANCE`]. An answer between the last two is within the tolerance.

use rayon::prelude::*;
use swath::Motion;
use swath::spec::{self, Core, FirstTime, MovingSolid, Solid};

use crate::convex::{Form, Hulls};
use crate::systems::{Answer, Question, Work};

/// In lengths, where shapes are of size one; twice what swath's default tolerance allows.
const TOLERANCE: f64 = 1.0 / 4096.0;

/// What a pair is truly like: from, to. Either may be infinite.
pub(crate) struct Truth {
    /// Above that it is late, or too long, at all.
    exact: f64,
    /// Above that by more than the tolerance.
    clear: f64,
    /// Below that it is early, or too short, by more than the tolerance.
    early: f64,
}

/// How many answers are wrong, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Judged {
    pub(crate) checked: usize,
    /// No hit is told though there is one; of these so many beyond the tolerance.
    pub(crate) missed: usize,
    pub(crate) missed_clear: usize,
    /// A time after the first contact, a distance above the true one; and beyond the tolerance.
    pub(crate) late: usize,
    pub(crate) late_clear: usize,
    /// The greatest of these: ticks or lengths.
    pub(crate) late_most: f64,
    /// Further apart than the tolerance when a hit is told, or than is told.
    pub(crate) early: usize,
    /// A hit is told of two that never come as near as the tolerance.
    pub(crate) false_hits: usize,
}

impl Judged {
    /// What swath promises: none missed, none late, none early.
    pub(crate) fn holds(&self) -> bool {
        self.missed + self.late + self.early + self.false_hits == 0
    }
}

fn solid(form: Form, motion: &Motion, hulls: &Hulls, scale: f64) -> MovingSolid {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let length = |length: f32| f64::from(length) * scale;
    let hull = |points: Vec<[f64; 3]>| Core::Hull(points);
    let (core, radius) = match form {
        Form::Cuboid(half) => (Core::cuboid(half.map(length)), 0.0),
        Form::Sphere(radius) => (hull(vec![[0.0; 3]]), length(radius)),
        Form::Capsule { half_height, radius } => {
            let half = length(half_height);
            (hull(vec![[0.0, -half, 0.0], [0.0, half, 0.0]]), length(radius))
        }
        Form::Cylinder { half_height, radius } => {
            (Core::Cylinder { half_height: length(half_height), radius: length(radius) }, 0.0)
        }
        Form::Hull(row) => (hull(hulls.0[row].vertices().map(|v| v.map(length)).collect()), 0.0),
    };
    MovingSolid {
        delta: wide(motion.delta),
        accel: wide(motion.accel),
        orientation: motion.pose.rotation.map(f64::from),
        spin: wide(motion.spin),
        ..MovingSolid::resting(Solid { core, radius }, wide(motion.pose.position))
    }
}

/// The first `count` pairs.
pub(crate) fn truths(work: &Work<'_>, hulls: &Hulls, count: usize) -> Vec<Truth> {
    let two = |pair: usize, scale: f64| {
        let of = |side: usize| {
            solid(work.forms[pair][side], &work.motions[2 * pair + side], hulls, scale)
        };
        [of(0), of(1)]
    };
    let first =
        |[a, b]: &[MovingSolid; 2], target: f64| match spec::first_time(a, b, target, [0.0, 1.0]) {
            FirstTime::Hit { free_until, hit_at } => [free_until, hit_at],
            FirstTime::Free => [f64::INFINITY; 2],
            FirstTime::Graze { t, .. } => [t, f64::INFINITY],
            FirstTime::Open { free_until } => [free_until, f64::INFINITY],
        };
    let truth = |pair: usize| {
        let plain = two(pair, 1.0);
        if work.question == Question::Distance {
            let near = spec::distance(&plain[0], &plain[1], 0.0);
            let exact = near.upper + near.noise;
            return Truth { exact, clear: exact + TOLERANCE, early: near.lower - TOLERANCE };
        }
        let [_, exact] = first(&plain, 0.0);
        let [_, clear] = first(&two(pair, 1.0 - TOLERANCE), 0.0);
        let [early, _] = first(&plain, TOLERANCE);
        Truth { exact, clear, early }
    };
    (0..count.min(work.len())).into_par_iter().map(truth).collect()
}

/// Compares answers with the truth, as far as that is known.
pub(crate) fn judge(truths: &[Truth], answers: &[Answer]) -> Judged {
    let mut judged = Judged { checked: truths.len(), ..Judged::default() };
    for (truth, answer) in truths.iter().zip(answers) {
        let Some(value) = answer.value.map(f64::from) else {
            judged.missed += usize::from(truth.exact.is_finite());
            judged.missed_clear += usize::from(truth.clear.is_finite());
            continue;
        };
        // NaN is late.
        let over = |most: f64| usize::from(value.is_nan() || value > most);
        judged.late += over(truth.exact);
        judged.late_clear += over(truth.clear);
        if value > truth.exact {
            judged.late_most = judged.late_most.max(value - truth.exact);
        }
        if truth.early == f64::INFINITY {
            judged.false_hits += 1;
        } else {
            judged.early += usize::from(value < truth.early);
        }
    }
    judged
}
