//! Judges results for the first time of two convex shapes.
//!
//! Results are plain values, into which each tested function translates its own. Every comparison with the
//! specification favours the result by no more than the distance of the bounds of the specification.

use super::convex_cases::ConvexCase;
use spec::{Core, FirstTime, MovingSolid, Solid};

/// The reported result. Points are in the world frame at the time of the impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Impact { t: f32, on_a: [f32; 3], on_b: [f32; 3], normal: [f32; 3] },
    Overlapping,
    Separated,
    Unresolved { t_safe: f32 },
}

/// Allowed errors of a result.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Of the distance at the reported time, relative to the sum of the sizes.
    pub distance: f64,
    /// Of witness points, in the same unit, in addition to the rounding of their own numbers.
    pub points: f64,
    /// Of the length of a normal.
    pub unit: f64,
}

/// The facts of a case, computed once for several results.
pub struct Truth {
    pub a: MovingSolid,
    pub b: MovingSolid,
    pub first: FirstTime,
    target: f64,
    window: [f64; 2],
    /// The radii of balls around the two, each about its own origin.
    pub size: f64,
    /// The greatest relative speed of two points of the bodies.
    pub speed_max: f64,
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn reach(solid: &Solid) -> f64 {
    let core = match &solid.core {
        Core::Hull(points) => points.iter().copied().map(length).fold(0.0, f64::max),
        Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => {
            half_height.hypot(*radius)
        }
    };
    core + solid.radius
}

impl Truth {
    pub fn of(case: &ConvexCase) -> Self {
        let [a, b] = case.solids();
        let (target, window) = (f64::from(case.target), case.window.map(f64::from));
        let between = |b: [f64; 3], a: [f64; 3]| length([0, 1, 2].map(|k| b[k] - a[k]));
        let turning = |body: &MovingSolid| length(body.spin) * reach(&body.solid);
        let speed_max =
            between(b.delta, a.delta) + between(b.accel, a.accel) + turning(&a) + turning(&b);
        let size = reach(&a.solid) + reach(&b.solid);
        let first = spec::first_time(&a, &b, target, window);
        Self { a, b, first, target, window, size, speed_max }
    }

    /// How far above the target the distance at `t` may be: a time that is rounded down is early by up to
    /// half a step of its float.
    fn allowed(&self, t: f64, tolerance: &Tolerance) -> f64 {
        let step = f64::from((t as f32).next_up()) - f64::from(t as f32);
        tolerance.distance * self.size + self.speed_max * step
    }
}

fn must(holds: bool, promise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(promise.to_owned()) }
}

/// Whether `answer` satisfies all guarantees; otherwise which one it violates.
pub fn judged(truth: &Truth, answer: &Answer, tolerance: &Tolerance) -> Result<(), String> {
    let [from, to] = truth.window;
    let hit_at = match truth.first {
        FirstTime::Hit { hit_at, .. } => Some(hit_at),
        _ => None,
    };
    match *answer {
        Answer::Separated => must(hit_at.is_none(), "a contact is never missed"),
        Answer::Unresolved { t_safe } => {
            let t_safe = f64::from(t_safe);
            must((from..=to).contains(&t_safe), "what is safe is in the window")?;
            must(hit_at.is_none_or(|hit_at| t_safe <= hit_at), "what is called safe is free")
        }
        Answer::Overlapping => {
            let start = spec::distance(&truth.a, &truth.b, from);
            let over = start.lower - truth.target - start.noise;
            must(over <= truth.allowed(from, tolerance), "an overlap overlaps at the start")
        }
        Answer::Impact { t, on_a, on_b, normal } => {
            let t = f64::from(t);
            must((from..=to).contains(&t), "an impact is in the window")?;
            must(hit_at.is_none_or(|hit_at| t <= hit_at), "an impact is never late")?;
            let there = spec::distance(&truth.a, &truth.b, t);
            let allowed = truth.allowed(t, tolerance) + there.noise;
            let over = there.lower - truth.target;
            if over > allowed {
                return Err(format!("at an impact the distance is that of the target: {over:e}"));
            }
            witnesses(truth, t, [on_a, on_b, normal], allowed, tolerance)
        }
    }
}

fn witnesses(
    truth: &Truth,
    t: f64,
    [on_a, on_b, normal]: [[f32; 3]; 3],
    allowed: f64,
    tolerance: &Tolerance,
) -> Result<(), String> {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let (on_a, on_b, normal) = (wide(on_a), wide(on_b), wide(normal));
    let off = (length(normal) - 1.0).abs();
    must(off <= tolerance.unit, "a normal is unit")?;
    for (body, point) in [(&truth.a, on_a), (&truth.b, on_b)] {
        let own = tolerance.points * truth.size + length(point) * f64::from(f32::EPSILON);
        let dot = Solid { core: Core::Hull(vec![[0.0; 3]]), radius: 0.0 };
        let away = spec::distance(body, &MovingSolid::resting(dot, point), t);
        if away.lower.is_nan() || away.lower > own + away.noise {
            return Err(format!("a witness is on its shape: {:e} away", away.lower));
        }
    }
    let rounding = (length(on_a) + length(on_b)) * f64::from(f32::EPSILON);
    let between = length([0, 1, 2].map(|k| on_b[k] - on_a[k]));
    let most = truth.target + allowed + 2.0 * tolerance.points * truth.size + rounding;
    if between.is_nan() || between > most {
        return Err(format!("witnesses are as far apart as the target: {between:e}"));
    }
    // A normal with rounded numbers is tilted by as much, over the whole size of both.
    let tilt = (tolerance.unit + 4.0 * f64::from(f32::EPSILON)) * (truth.size + truth.target);
    let there = spec::distance(&truth.a, &truth.b, t);
    let gap = spec::gap(&truth.a, &truth.b, t, normal);
    let least = there.lower.min(there.upper) - allowed - tilt - tolerance.points * truth.size;
    if gap.is_nan() || gap < least {
        return Err(format!("a normal separates: {gap:e} along it, not {:e}", there.lower));
    }
    Ok(())
}

/// Panics unless `answer` satisfies all guarantees.
#[track_caller]
pub fn keeps_its_promises(case: &ConvexCase, answer: &Answer, tolerance: &Tolerance) {
    let truth = Truth::of(case);
    if let Err(promise) = judged(&truth, answer, tolerance) {
        panic!("{promise}: {answer:?}, but {:?}, for {case:?}", truth.first);
    }
}
