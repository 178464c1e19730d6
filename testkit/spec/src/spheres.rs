//! Reference sweeps of a moving sphere against another or against a box.
//!
//! In the frame of the first, the other shape moves by `d = b.delta - a.delta`. Two spheres touch
//! while the distance of their centres is at most the sum of the radii; a sphere and a box touch
//! while the distance of the centre from the box is at most the radius. The square of either
//! distance is a quadratic in `t`; for a box this holds between any two times at which the centre
//! passes the plane of a face.
//!
//! Source: M. Gomez, "Simple Intersection Tests for Games", 1999, for two spheres. Unlike there, a
//! root outside of the tick is no hit, so a pair that has passed, or is not there yet, is
//! separated.

use crate::bits::contact;
use swath::batch::{Contact, MovingSphere};
use swath::{Invalid, MovingBox};

/// First and last time of contact of two shapes of which at least one is a sphere, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundSweep {
    /// The first time of contact, in `[0, 1]`. Infinite if there is none.
    pub first: f64,
    /// The last time of contact, in `[0, 1]`. Infinite if there is none.
    pub last: f64,
    /// The state. There are no axes of contact.
    pub contact: Contact,
    /// The least distance of the surfaces in the tick, negative if they overlap.
    ///
    /// A positive value near zero is a narrow miss.
    pub gap: f64,
}

/// Sweeps the spheres `a` and `b`. Distances are exact to about 2⁻⁵⁰ of the lengths.
///
/// # Errors
///
/// [`Invalid`] when one of the moving spheres is invalid.
pub fn sweep_spheres(a: &MovingSphere, b: &MovingSphere) -> Result<RoundSweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let of = |b: [f32; 3], a: [f32; 3]| [0, 1, 2].map(|k| f64::from(b[k]) - f64::from(a[k]));
    let piece = Piece {
        place: of(b.sphere.center, a.sphere.center),
        motion: of(b.delta, a.delta),
        time: [0.0, 1.0],
    };
    let shrinking = dot(piece.place, piece.motion) < 0.0;
    let radius = f64::from(a.sphere.radius) + f64::from(b.sphere.radius);
    Ok(sweep(&[piece], radius, true, shrinking))
}

/// Sweeps the sphere `a` against the box `b`. Distances are exact to about 2⁻⁵⁰ of the lengths.
///
/// # Errors
///
/// [`Invalid`] when the moving sphere or the moving box is invalid.
pub fn sweep_sphere_box(a: &MovingSphere, b: &MovingBox) -> Result<RoundSweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let center = a.sphere.center.map(f64::from);
    let low: [f64; 3] = core::array::from_fn(|k| f64::from(b.aabb.min[k]) - center[k]);
    let high: [f64; 3] = core::array::from_fn(|k| f64::from(b.aabb.max[k]) - center[k]);
    let d: [f64; 3] = core::array::from_fn(|k| f64::from(b.delta[k]) - f64::from(a.delta[k]));

    // The times at which the centre, which is at rest in the origin, is in the plane of a face.
    let passes = (0..3).flat_map(|k| [-low[k] / d[k], -high[k] / d[k]]);
    let mut times: Vec<f64> = passes.filter(|t| 0.0 < *t && *t < 1.0).collect();
    times.extend([0.0, 1.0]);
    times.sort_by(f64::total_cmp);

    let mut pieces = Vec::new();
    for time in times.windows(2) {
        let middle = (time[0] + time[1]) / 2.0;
        let (mut place, mut motion) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            if low[k] + d[k] * middle > 0.0 {
                (place[k], motion[k]) = (low[k], d[k]);
            } else if high[k] + d[k] * middle < 0.0 {
                (place[k], motion[k]) = (high[k], d[k]);
            }
        }
        pieces.push(Piece { place, motion, time: [time[0], time[1]] });
    }

    // The vector from the centre to the nearest point of the box, at the start.
    let way: [f64; 3] = core::array::from_fn(|k| low[k].max(0.0) + high[k].min(0.0));
    let inside = (0..3).all(|k| low[k] < 0.0 && 0.0 < high[k]);
    // A centre on the surface moves in if it moves inwards through every face on which it is.
    let mut enters = (0..3).any(|k| low[k] == 0.0 || high[k] == 0.0);
    for k in 0..3 {
        enters &= low[k] != 0.0 || d[k] < 0.0 && high[k] != 0.0;
        enters &= high[k] != 0.0 || d[k] > 0.0 && low[k] != 0.0;
    }
    let shrinking = if dot(way, way) > 0.0 { dot(way, d) < 0.0 } else { enters };
    Ok(sweep(&pieces, f64::from(a.sphere.radius), !inside, shrinking))
}

/// The vector from one shape to the other from `time[0]` to `time[1]`: `place + motion · t`.
struct Piece {
    place: [f64; 3],
    motion: [f64; 3],
    time: [f64; 2],
}

impl Piece {
    fn way(&self, t: f64) -> [f64; 3] {
        core::array::from_fn(|k| self.place[k] + self.motion[k] * t)
    }

    /// Returns the time at which the vector would be shortest without the limits of the piece.
    fn nearest(&self) -> f64 {
        let square = dot(self.motion, self.motion);
        if square > 0.0 { -dot(self.place, self.motion) / square } else { self.time[0] }
    }

    /// Returns the time within the piece at which the vector is shortest.
    fn nearest_within(&self) -> f64 {
        self.nearest().clamp(self.time[0], self.time[1])
    }

    /// Returns how long before and after `nearest` the vector is at most `radius` long.
    fn half(&self, radius: f64) -> f64 {
        let at = self.way(self.nearest());
        let room = (radius * radius - dot(at, at)).max(0.0);
        let square = dot(self.motion, self.motion);
        if square > 0.0 { libm::sqrt(room / square) } else { f64::INFINITY }
    }
}

/// Computes the result from the pieces in order of time.
///
/// `outside` states that the shapes at most touch at the start, `shrinking` that their distance
/// decreases at first.
fn sweep(pieces: &[Piece], radius: f64, outside: bool, shrinking: bool) -> RoundSweep {
    let length = |way: [f64; 3]| libm::sqrt(dot(way, way));
    let shortest = |piece: &Piece| length(piece.way(piece.nearest_within()));
    let gap = pieces.iter().map(shortest).fold(f64::INFINITY, f64::min) - radius;
    let touches = |piece: &&Piece| {
        let way = piece.way(piece.nearest_within());
        dot(way, way) <= radius * radius
    };
    let (Some(begin), Some(end)) = (pieces.iter().find(touches), pieces.iter().rev().find(touches))
    else {
        let never = f64::INFINITY;
        return RoundSweep { first: never, last: never, contact: Contact::SEPARATED, gap };
    };
    let (nearest, half) = (begin.nearest(), begin.half(radius));
    let first = (nearest - half).clamp(begin.time[0], begin.nearest_within());
    let (nearest, half) = (end.nearest(), end.half(radius));
    let last = (nearest + half).clamp(end.nearest_within(), end.time[1]);

    let way = pieces[0].place;
    let (distance, reach) = (dot(way, way), radius * radius);
    let bits = if distance > reach {
        contact::TOUCHING | contact::CLOSING
    } else if distance == reach && outside {
        let closing = if shrinking { contact::CLOSING } else { 0 };
        contact::OVERLAPPING | contact::SURFACE | closing
    } else {
        contact::OVERLAPPING | contact::CLOSING
    };
    let first = if distance > reach { first } else { 0.0 };
    RoundSweep { first, last, contact: contact::from_bits(bits), gap }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
