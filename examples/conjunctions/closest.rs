//! Closest approach of two objects within a tick, by branch and bound.
//!
//! Let `r(t)` be the difference of the two positions and `A` a bound of its second derivative. On an interval of length
//! `h` the curve `r` is nowhere farther than `A h² / 8` from its chord. So the distance is at least that of
//! the chord from the origin, less `A h² / 8`. Intervals whose bound is above the least distance found so far, or above the
//! screening distance, are dropped; others are halved until the bound is within [`TOLERANCE_KM`]. Newton's
//! method then improves the time.

use crate::orbit::Orbit;

/// How much below the computed distance the true one may be before Newton's method improves it, in km.
pub const TOLERANCE_KM: f64 = 1e-4;

/// Steps of Newton's method for the time.
const NEWTON_STEPS: usize = 4;

/// Closest approach of two objects within a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Seconds after the start of the tick.
    pub seconds: f64,
    /// Distance in km.
    pub distance_km: f64,
    /// Relative speed in km/s.
    pub speed_km_s: f64,
    /// Whether the objects are within the screening distance at the start of the tick.
    pub at_start: bool,
}

/// Position and velocity of `b` relative to `a`.
fn relative(a: &Orbit, b: &Orbit, seconds: f64) -> ([f64; 3], [f64; 3]) {
    let (a, b) = (a.after(seconds).state(), b.after(seconds).state());
    (
        std::array::from_fn(|k| b.position[k] - a.position[k]),
        std::array::from_fn(|k| b.velocity[k] - a.velocity[k]),
    )
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Distance of a line segment from the origin.
fn segment_distance(from: [f64; 3], to: [f64; 3]) -> f64 {
    let along: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
    let length2 = dot(along, along);
    let t = if length2 > 0.0 { (-dot(from, along) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let nearest: [f64; 3] = std::array::from_fn(|k| from[k] + t * along[k]);
    dot(nearest, nearest).sqrt()
}

/// Returns the closest approach of two objects in the next `tick` seconds, or `None` if they stay farther apart than
/// `within` km. The distance is at most [`TOLERANCE_KM`] above the least one.
#[must_use]
pub fn closest(a: &Orbit, b: &Orbit, tick: f64, within: f64) -> Option<Approach> {
    let bend = (a.acceleration_max + b.acceleration_max) / 8.0;
    let at = |t: f64| relative(a, b, t).0;
    let (start, end) = (at(0.0), at(tick));
    let distance = |r: [f64; 3]| dot(r, r).sqrt();
    let at_start = distance(start) <= within;
    let (mut best, mut best_at) = (distance(start), 0.0);
    if distance(end) < best {
        (best, best_at) = (distance(end), tick);
    }
    // A leaf is reached after a bounded number of halvings, because each divides the deviation by four.
    let mut stack = vec![(0.0, start, tick, end)];
    while let Some((t0, r0, t1, r1)) = stack.pop() {
        let slack = bend * (t1 - t0) * (t1 - t0);
        let lower = segment_distance(r0, r1) - slack;
        if lower > within || (best <= within && lower > best - TOLERANCE_KM) {
            continue;
        }
        let middle = f64::midpoint(t0, t1);
        let r = at(middle);
        if distance(r) < best {
            (best, best_at) = (distance(r), middle);
        }
        if slack > TOLERANCE_KM / 2.0 {
            // The half that is nearer is searched first.
            let halves = [(t0, r0, middle, r), (middle, r, t1, r1)];
            let swap = dot(r0, r0) < dot(r1, r1);
            stack.extend(if swap { [halves[1], halves[0]] } else { halves });
        }
    }
    let mut t = best_at;
    for _ in 0..NEWTON_STEPS {
        let (r, v) = relative(a, b, t);
        let speed2 = dot(v, v);
        if speed2 <= 0.0 {
            break;
        }
        t = (t - dot(r, v) / speed2).clamp(0.0, tick);
        if distance(at(t)) < best {
            (best, best_at) = (distance(at(t)), t);
        }
    }
    let (_, v) = relative(a, b, best_at);
    (best <= within).then(|| Approach {
        seconds: best_at,
        distance_km: best,
        speed_km_s: dot(v, v).sqrt(),
        at_start,
    })
}
