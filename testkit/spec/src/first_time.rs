//! Reference time of impact of two moving convex solids, as a proved bracket.
//!
//! **Free.** Let `n` be a direction that separates `b` from `a` at `t`. A point at `r` from the
//! origin of a body that rotates by `w` is at `r + s·(w × r)` after `s`, with an error of at most
//! `½·s²·|w|²·ρ`, where `ρ` is its distance from the axis. So the gap along `n` at `t + s` is at
//! least
//!
//! ```text
//! n·(x + s·v) - h_B(-(n + s·(n × w_B))) - h_A(n + s·(n × w_A)) + ½·s²·min(n·g - |w_A|²ρ_A - |w_B|²ρ_B, 0)
//! ```
//!
//! where `x`, `v`, `g` are position, velocity and acceleration of the origin of `b` relative to
//! that of `a`, and `h` is the support function of a core. This lower bound is concave in `s`: if
//! it is above the target distance at both ends of an interval, the distance is above the target in
//! the whole interval. So time is covered by intervals that are proved to be free. Near a contact
//! they shrink as in Newton's method; there is no step size.
//!
//! **Hit.** At one time, two points prove that the distance is below the target; if the target is
//! zero, a penetration depth does. Solids without depth, such as a point and a triangle, have
//! passed through each other if the signed distance of two features changes its sign while the
//! point stays over the feature, because the motion is continuous.
//!
//! A time at which neither can be proved because of rounding is a graze. The mathematics is in
//! `docs/math/toi-spec.md`.

use super::features::{line_line, point_triangle};
use super::nearest::{Nearest, nearest};
use super::solid::{Encounter, MovingSolid, Placed, Vertex};
use super::vector::{Vector, cross, dot, length, minus, plus, times};

/// The first time at which two solids are within a distance. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstTime {
    /// They come within the distance. The first time is in `[free_until, hit_at]`.
    Hit {
        /// The distance is above the target from the start of the window until this time, which is
        /// excluded.
        free_until: f64,
        /// The distance is at most the target at some time from `free_until` to `hit_at`.
        ///
        /// The two times are at most [`RESOLUTION`] apart, unless the solids graze before they hit.
        hit_at: f64,
    },
    /// They do not come within the distance in the window.
    Free,
    /// The distance comes within rounding of the target or within [`GRAZE`] of it, and no hit is
    /// certain. Both a hit and a miss are correct results.
    Graze {
        /// The first such time. Before it the solids are free.
        t: f64,
        /// The least distance since then, minus the target.
        gap: f64,
    },
    /// The search ran out of rounds. This happens for about one in ten thousand grazing pairs of
    /// needle-like solids.
    Open {
        /// The distance is above the target until this time.
        free_until: f64,
    },
}

/// The greatest width of a bracket in ticks, to which the time is added that the solids need to
/// approach by more than rounding.
pub const RESOLUTION: f64 = 1.0 / (1_u64 << 34) as f64;
/// Upper bound of how far below the target the distance may have been in a [`FirstTime::Graze`],
/// relative to the sum of the sizes of the solids.
pub const GRAZE: f64 = 1e-9;

/// Relative error of a depth that is computed from points close to each other on a rim, because the
/// facets between them have inaccurate normals.
const SLIVER: f64 = 1e-11;

const ROUNDS_MAX: usize = 50_000;
/// Limit of steps of at most [`RESOLUTION`].
const STALLED_MAX: usize = 400;
const STRETCH_ROUNDS_MAX: usize = 12;
/// A distance is certain if it differs from the target by more than this many times the rounding
/// error.
const SURELY: f64 = 2.0;

/// Returns the first time in `window` at which the distance of `a` and `b` is at most `target`.
///
/// ```
/// use spec::{Core, FirstTime, MovingSolid, Solid, first_time};
///
/// // A rod of length four makes half a revolution; its tip passes through a point.
/// let rod = Solid { core: Core::Hull(vec![[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), radius: 0.1 };
/// let point = Solid { core: Core::Hull(vec![[0.0; 3]]), radius: 0.0 };
/// let pi = core::f64::consts::PI;
/// let turning = MovingSolid { spin: [0.0, 0.0, pi], ..MovingSolid::resting(rod, [0.0; 3]) };
/// let fixed = MovingSolid::resting(point, [0.0, 1.5, 0.0]);
/// let FirstTime::Hit { hit_at, .. } = first_time(&turning, &fixed, 0.0, [0.0, 1.0]) else {
///     panic!("it hits");
/// };
/// assert!((hit_at - (0.5 - (0.1_f64 / 1.5).asin() / pi)).abs() < 1e-9);
/// ```
#[must_use]
pub fn first_time(a: &MovingSolid, b: &MovingSolid, target: f64, window: [f64; 2]) -> FirstTime {
    first_time_in_rounds(a, b, target, window, ROUNDS_MAX)
}

/// Does what [`first_time`] does, in at most `rounds` rounds. After these the result is
/// [`FirstTime::Open`]. A round takes milliseconds where solids touch without depth.
#[must_use]
pub fn first_time_in_rounds(
    a: &MovingSolid,
    b: &MovingSolid,
    target: f64,
    window: [f64; 2],
    rounds: usize,
) -> FirstTime {
    let encounter = Encounter::new(a, b);
    let noise = encounter.noise + target.abs() * f64::EPSILON;
    let reach = target + a.solid.radius + b.solid.radius;
    let search = Search { encounter, reach, noise, window };
    search.first_time(rounds)
}

struct Search<'a> {
    encounter: Encounter<'a>,
    /// The target distance of the cores: `target` plus both radii.
    reach: f64,
    noise: f64,
    window: [f64; 2],
}

impl Search<'_> {
    fn first_time(&self, rounds: usize) -> FirstTime {
        let [mut t, to] = self.window;
        let graze = (GRAZE * self.encounter.size).max(64.0 * self.noise);
        // The first time that is not proved to be free, and the least gap since.
        let mut doubt: Option<(f64, f64)> = None;
        let mut stalled = 0;
        let verdict = |doubt: Option<(f64, f64)>| {
            doubt.map_or(FirstTime::Free, |(t, gap)| FirstTime::Graze { t, gap })
        };
        for _ in 0..rounds {
            let near = self.nearest(t);
            let free = self.reach + SURELY * self.noise;
            if near.lower > free {
                let stretch = self.stretch(&near, t, self.reach + self.noise);
                if t + stretch >= to {
                    return verdict(doubt);
                }
                if stretch >= RESOLUTION {
                    t += stretch;
                    continue;
                }
            }
            let gap = near.upper - self.reach;
            let (free_until, least) = doubt.unwrap_or((t, gap));
            doubt = Some((free_until, least.min(gap)));
            if self.is_hit(t) {
                return FirstTime::Hit { free_until, hit_at: t };
            }
            // Up to here the distance may fall below the target, but by no more than a graze.
            let stretch = self.stretch(&near, t, self.reach - graze);
            stalled += usize::from(stretch < RESOLUTION);
            if stalled > STALLED_MAX {
                break;
            }
            let end = (t + stretch.max(RESOLUTION)).min(to);
            let hits = |at: f64| self.is_hit(at) || self.crosses(&near, t, at);
            if hits(end) {
                return FirstTime::Hit { free_until, hit_at: self.earliest(t, end, hits) };
            }
            if end >= to {
                return verdict(doubt);
            }
            t = end;
        }
        FirstTime::Open { free_until: doubt.map_or(t, |(t, _)| t) }
    }

    /// Bounds the distance of the two cores, as accurately as needed to continue.
    fn nearest(&self, t: f64) -> Nearest {
        // Far from a contact, one hundredth of the gap is accurate enough.
        let free = self.reach + SURELY * self.noise;
        let enough = |lower: f64, upper: f64| lower > free && upper - lower < (lower - free) * 0.01;
        nearest(&self.encounter, t, enough)
    }

    /// Returns whether the distance at `t` is certainly at most the target.
    fn is_hit(&self, t: f64) -> bool {
        let surely = SURELY * self.noise;
        if self.reach <= 2.0 * surely {
            let round =
                [self.encounter.a, self.encounter.b].iter().any(|a| a.solid.core.is_round());
            let sliver = if round { SLIVER * self.encounter.size } else { 0.0 };
            return self.nearest(t).depth > surely.max(sliver);
        }
        let below = |upper: f64| upper < self.reach - surely;
        let enough = |lower: f64, upper: f64| below(upper) || lower > self.reach;
        below(nearest(&self.encounter, t, enough).upper)
    }

    /// Returns a time in `(from, to]` that `hits`, by bisection. `to` must hit. It is the first
    /// such time if all later ones hit too.
    fn earliest(&self, mut from: f64, mut to: f64, hits: impl Fn(f64) -> bool) -> f64 {
        while to - from > RESOLUTION {
            let middle = from + (to - from) / 2.0;
            if hits(middle) { to = middle } else { from = middle }
        }
        to
    }

    /// Returns how long after `t` the gap along the normal of `near` is certainly at least `floor`,
    /// at most until the end of the window.
    fn stretch(&self, near: &Nearest, t: f64, floor: f64) -> f64 {
        let normal = near.normal;
        let [a, b] = self.encounter.at(t);
        let speed = dot(normal, self.encounter.velocity(t));
        let place = dot(normal, b.origin);
        let bend = (dot(normal, self.encounter.accel) - self.encounter.bend).min(0.0);
        let tilts = [&self.encounter.a.spin, &self.encounter.b.spin].map(|w| cross(normal, *w));
        let far = |placed: &Placed<'_>, tilt: Vector, s: f64, sign: f64| {
            let along = times(plus(normal, times(tilt, s)), sign);
            let still = Placed { origin: [0.0; 3], ..*placed };
            still.farthest(along).1
        };
        let over = |s: f64| {
            place + s * speed - far(&a, tilts[0], s, 1.0) - far(&b, tilts[1], s, -1.0)
                + 0.5 * s * s * bend
                - floor
        };
        let (mut low, mut at_low) = (0.0, over(0.0));
        let mut high = self.window[1] - t;
        let mut at_high = over(high);
        if at_low < 0.0 {
            return 0.0;
        }
        if at_high >= 0.0 {
            return high;
        }
        // A chord of a concave function lies below it, and the continuation of a chord above it.
        for _ in 0..STRETCH_ROUNDS_MAX {
            let chord = low + (high - low) * (at_low / (at_low - at_high));
            let at_chord = over(chord); // at least zero, but for rounding
            if chord <= low {
                break;
            }
            let slope = (at_chord - at_low) / (chord - low);
            (low, at_low) = (chord, at_chord);
            let beyond = low - at_low / slope;
            if slope < 0.0 && beyond < high {
                let at_beyond = over(beyond);
                if at_beyond >= 0.0 {
                    (low, at_low) = (beyond, at_beyond);
                } else {
                    (high, at_high) = (beyond, at_beyond);
                }
            }
            if high - low <= 1e-3 * low {
                break;
            }
        }
        low
    }

    /// Returns whether the features that are nearest at `from` have certainly passed through each
    /// other at `to`.
    fn crosses(&self, near: &Nearest, from: f64, to: f64) -> bool {
        let [a, b] = &near.corners;
        if a.len() + b.len() != 4 {
            return false;
        }
        let sides = [from, to].map(|t| {
            let placed = self.encounter.at(t);
            let again = |of: usize, corners: &[Vertex]| {
                let mut places = [[0.0; 3]; 3];
                for (place, corner) in places.iter_mut().zip(corners) {
                    *place = placed[of].vertex(corner.body).at;
                }
                places
            };
            let (p, q) = (again(0, a), again(1, b));
            match a.len() {
                1 => over_triangle(p[0], q),
                2 => over_edges([p[0], p[1]], [q[0], q[1]]),
                _ => over_triangle(q[0], p),
            }
        });
        let [Some(before), Some(after)] = sides else {
            return false;
        };
        // Upper bound of the change of a weight during the interval.
        let moved = 8.0 * self.encounter.speed_max * (to - from) / before.narrow.min(after.narrow);
        let inside = before.least.min(after.least) > 2.0 * moved;
        let apart = before.side.abs().min(after.side.abs()) > self.noise / 2.0;
        inside && apart && (before.side > 0.0) != (after.side > 0.0)
    }
}

/// The position of two features relative to each other.
struct Passage {
    /// The signed distance.
    side: f64,
    /// The least weight of a corner.
    least: f64,
    /// The least height of the triangle, or of the parallelogram of the edges.
    narrow: f64,
}

fn over_triangle(p: Vector, corners: [Vector; 3]) -> Option<Passage> {
    let (weights, side, _) = point_triangle(p, corners)?;
    let least = weights.into_iter().fold(f64::INFINITY, f64::min);
    let edges = [minus(corners[1], corners[0]), minus(corners[2], corners[0])];
    let narrow = area_over_longest(edges, minus(corners[2], corners[1]));
    Some(Passage { side, least, narrow })
}

fn over_edges(a: [Vector; 2], b: [Vector; 2]) -> Option<Passage> {
    let (parts, side, _) = line_line(a, b)?;
    let least =
        parts.into_iter().fold(f64::INFINITY, |least, part| least.min(part.min(1.0 - part)));
    let edges = [minus(a[1], a[0]), minus(b[1], b[0])];
    Some(Passage { side, least, narrow: area_over_longest(edges, edges[0]) })
}

fn area_over_longest([first, second]: [Vector; 2], third: Vector) -> f64 {
    let longest = length(first).max(length(second)).max(length(third));
    length(cross(first, second)) / longest
}
