//! Closest approach of two objects within a tick, by branch and bound.
//!
//! Let `r(t)` be the difference of the two positions and `A` a bound of its second derivative. On an interval of length
//! `h` the curve `r` is nowhere farther than `A h² / 8` from its chord. So the distance is at least that of
//! the chord from the origin, less `A h² / 8`. Intervals whose bound is above the least distance found so far, or above the
//! screening distance, are dropped; others are halved until the bound is within [`TOLERANCE_KM`]. Newton's
//! method then improves the time. It starts from the best middle of an interval; but of several minima that are nearly
//! equally deep, that middle may be near another one than the least. So the distance is also computed where the chord of
//! each of the shortest intervals is nearest to the origin, which is within the tolerance of the least distance.

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

/// Distance of a line segment from the origin, and the fraction of the segment at which it is reached.
fn segment_distance(from: [f64; 3], to: [f64; 3]) -> (f64, f64) {
    let along: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
    let length2 = dot(along, along);
    let t = if length2 > 0.0 { (-dot(from, along) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let nearest: [f64; 3] = std::array::from_fn(|k| from[k] + t * along[k]);
    (dot(nearest, nearest).sqrt(), t)
}

/// Returns the closest approach of two objects in the next `tick` seconds, or `None` if they stay farther apart than
/// `within` km. The distance is at most [`TOLERANCE_KM`] above the least one.
#[must_use]
pub fn closest(a: &Orbit, b: &Orbit, tick: f64, within: f64) -> Option<Approach> {
    let deviation = (a.acceleration_max + b.acceleration_max) / 8.0;
    let at = |t: f64| relative(a, b, t).0;
    let (start, end) = (at(0.0), at(tick));
    let distance = |r: [f64; 3]| dot(r, r).sqrt();
    let at_start = distance(start) <= within;
    let (mut best, mut best_at) = (distance(start), 0.0);
    if distance(end) < best {
        (best, best_at) = (distance(end), tick);
    }
    let (mut least, mut least_at) = (best, best_at);
    // A leaf is reached after a bounded number of halvings, because each divides the deviation by four.
    let mut stack = vec![(0.0, start, tick, end)];
    while let Some((t0, r0, t1, r1)) = stack.pop() {
        let slack = deviation * (t1 - t0) * (t1 - t0);
        let (chord, fraction) = segment_distance(r0, r1);
        let lower = chord - slack;
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
        } else {
            let t = t0 + fraction * (t1 - t0);
            let d = distance(at(t));
            if d < least {
                (least, least_at) = (d, t);
            }
        }
    }
    let newton = |mut best: f64, mut best_at: f64| {
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
        (best, best_at)
    };
    (best, best_at) = newton(best, best_at);
    if least < best {
        (best, best_at) = newton(least, least_at);
    }
    let (_, v) = relative(a, b, best_at);
    (best <= within).then(|| Approach {
        seconds: best_at,
        distance_km: best,
        speed_km_s: dot(v, v).sqrt(),
        at_start,
    })
}

#[cfg(test)]
mod tests {
    use super::{TOLERANCE_KM, closest};
    use crate::orbit::{Elements, Orbit};

    /// Returns the least distance of samples half a second apart, each improved by ternary search.
    fn least_of_samples(at: impl Fn(f64) -> f64, tick: f64) -> f64 {
        let samples = (2.0 * tick) as u32;
        let mut least = f64::INFINITY;
        for sample in 0..samples {
            let middle = f64::from(sample) / 2.0;
            let (mut low, mut high) = ((middle - 0.5).max(0.0), (middle + 0.5).min(tick));
            for _ in 0..45 {
                let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(p) <= at(q) { high = q } else { low = p }
            }
            least = least.min(at(f64::midpoint(low, high)));
        }
        least
    }

    /// Goal: the distance is at most the tolerance above the least one if several minima in a tick are nearly equally deep,
    /// and no approach is lost. Method: small orbits that are nearly circles and cross four times in a tick, at distances that
    /// differ by meters; samples that are improved by ternary search; a screening distance just above the least one.
    #[test]
    fn distance_of_nearly_equal_minima_is_the_least() {
        let tick = 600.0;
        for k in 0..25 {
            let number = f64::from(k);
            let of = |inclination, perigee, mean_anomaly| {
                Orbit::new(&Elements {
                    semi_major_axis: 1000.0,
                    eccentricity: 2e-6 * (1.0 + number),
                    inclination,
                    node: 0.5,
                    perigee,
                    mean_anomaly,
                })
            };
            // Both are at the same angle from the node, but their perigees are not.
            let a = of(0.3, 0.7 * number, 0.11 * number);
            let b = of(1.4, 0.7 * number + 0.9, 0.11 * number - 0.9 + 1e-5);
            let apart = |t: f64| {
                let (p, q) = (a.after(t).position(), b.after(t).position());
                p.iter().zip(q).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
            };
            let least = least_of_samples(apart, tick);
            assert!(least < 1.0, "{least}");
            for within in [5.0, least + 2.0 * TOLERANCE_KM] {
                let found = closest(&a, &b, tick, within).map(|approach| approach.distance_km);
                assert!(found.is_some_and(|d| d <= least + TOLERANCE_KM), "{k}: {found:?} {least}");
            }
        }
    }
}
