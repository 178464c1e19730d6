//! Safe times for bodies that make whole turns, from their bodies of revolution.
//!
//! A body that rotates about an axis through its position stays inside of the body of revolution that it
//! sweeps in a whole turn. That body does not rotate, so a search for two of them, or for one and a body
//! that turns little, finds a safe time in a few rounds, however fast the spin is. The search for the
//! bodies themselves continues from there.
//!
//! The body of revolution of a part of a core is inside of a frustum of a cone about the axis: each vertex
//! of the part moves on a circle, and the frustum contains all of these circles. A box is divided in two
//! across its longest side, because a rod at an angle to its axis sweeps two cones, tip to tip, and a
//! frustum of the whole would also contain the space beside their tips. Other cores get a cylinder.

use super::pause::Pause;
use super::relative_motion::{MovingShape, RelativeMotion};
use super::result::{Observer, ToiResult, round};
use super::search::Search;
use crate::geom::MapEach;
use crate::narrowphase::math::{M3, V3, greater, lesser, sqrt};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::support::Core;

/// Angle of rotation in the rest of the window, in radians, from which a body of revolution is used: a
/// turn.
pub(super) const WHOLE: f64 = 6.3;

/// Greatest number of parts of a core.
const PARTS_MAX: usize = 2;

/// Upper bound of the rounding error of a coordinate of a frustum, relative to the reach of the body.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Search<'_> {
    /// Returns whether one of the bodies makes a whole turn between `from` and the end of the window.
    #[inline(always)]
    pub(super) fn makes_whole_turn(&self, from: f64) -> bool {
        let length = self.window[1] - from;
        self.motion.a.makes_whole_turn(length) || self.motion.b.makes_whole_turn(length)
    }

    /// Returns until when the bodies of revolution are separated from `from` on; `None` for the whole
    /// window.
    #[cold]
    #[inline(never)]
    pub(super) fn skip_whole_turns(
        &mut self,
        from: f64,
        observer: &mut Observer<'_>,
    ) -> Option<f64> {
        let length = self.window[1] - from;
        let RelativeMotion { a, b, path, slack } = self.motion;
        let mut until = None;
        let (of_a, of_b) = (a.parts(length), b.parts(length));
        for (shape_a, start_a) in of_a.iter().flatten() {
            for (shape_b, start_b) in of_b.iter().flatten() {
                let to = until.unwrap_or(self.window[1]);
                let radii = shape_a.bounding_radius + shape_b.bounding_radius;
                let slack = 2.0 * slack + crate::narrowphase::gjk::ROUNDING * radii;
                let movers = [(&a, shape_a, start_a), (&b, shape_b, start_b)];
                let [a, b] =
                    movers.map_each(|(mover, shape, start)| mover.as_part(shape, start, length));
                let mut search = Search {
                    motion: RelativeMotion { a, b, path, slack },
                    window: [from, to],
                    tolerance: greater(self.tolerance, 16.0 * slack),
                    guess: path.guess(self.contact_distance + 0.5 * radii, [from, to]),
                    pause: Pause::NEVER,
                    ..*self
                };
                // What is proved of a part is not proved of the whole, so it is not reported to the
                // observer.
                let result = search.run(None, &mut None);
                if let Some(observer) = observer {
                    for _ in self.rounds..search.rounds {
                        observer(round(from, f64::NEG_INFINITY, self.guess));
                    }
                }
                (self.rounds, self.supports) = (search.rounds, search.supports);
                let next = match result {
                    ToiResult::Separated => continue,
                    ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => {
                        f64::from(t)
                    }
                    ToiResult::Overlapping { .. } => from,
                };
                // A time that was rounded down may be before the start.
                let next = greater(next, from);
                until = Some(next);
                if next == from {
                    return until;
                }
            }
        }
        until
    }
}

impl<'s> MovingShape<'s> {
    fn makes_whole_turn(&self, length: f64) -> bool {
        self.rotation.rate * length > WHOLE
    }

    /// Returns a shape at rest that contains a part of the body, with its rotation, if the body makes
    /// whole turns; otherwise the body.
    fn as_part<'p>(&self, shape: &'p Shape<'s>, start: &M3, length: f64) -> MovingShape<'p>
    where
        's: 'p,
    {
        if self.makes_whole_turn(length) {
            MovingShape::at_rest(shape, *start)
        } else {
            MovingShape { shape, ..*self }
        }
    }

    /// Returns shapes that together contain its core, and their rotations.
    fn parts(&self, length: f64) -> [Option<(Shape<'s>, M3)>; PARTS_MAX] {
        let start = self.start;
        let itself = [Some((*self.shape, start)), None];
        let Some(axis) = self.rotation.spin.unit().filter(|_| self.makes_whole_turn(length)) else {
            return itself;
        };
        let own = start.rotate_back(axis);
        let boxes = match self.shape.core {
            Core::Box { half, .. } => {
                halves(half).map_each(|(center, half)| Some(frustum(own, center, half)))
            }
            _ => [Some(self.cylinder(own)), None],
        };
        let rounding = ROUNDING * self.shape.bounding_radius;
        let mut parts = [None; PARTS_MAX];
        for (part, frustum) in parts.iter_mut().zip(boxes) {
            *part = frustum.map(|frustum| {
                let axis = if frustum.flipped() { -axis } else { axis };
                (frustum.shape(rounding, self.shape.radius), along(axis))
            });
        }
        parts
    }

    /// Returns the cylinder that contains the whole core.
    fn cylinder(&self, own: V3) -> Frustum {
        // The second value is used if the support map of the caller returns NaN.
        let far = |direction: V3| {
            lesser(self.shape.core.support(direction).dot(direction), self.shape.bounding_radius)
        };
        Frustum { ends: [-far(-own), far(own)], radii: [self.axis_distance; 2] }
    }
}

/// Divides a box in two across its longest side. Returns the centre and the half extents of each half.
fn halves(half: V3) -> [(V3, V3); PARTS_MAX] {
    let V3 { x, y, z } = half;
    let cut = if x >= y && x >= z {
        V3::new(0.5, 1.0, 1.0)
    } else if y >= z {
        V3::new(1.0, 0.5, 1.0)
    } else {
        V3::new(1.0, 1.0, 0.5)
    };
    let center = half.times(V3::ONE - cut);
    [center, -center].map_each(|center| (center, half.times(cut)))
}

/// The convex hull of two circles about an axis, which are `ends` along it.
#[derive(Clone, Copy, Debug)]
struct Frustum {
    ends: [f64; 2],
    radii: [f64; 2],
}

/// Returns the frustum about `axis`, through the origin, that contains the circles of the corners of a
/// box.
fn frustum(axis: V3, center: V3, half: V3) -> Frustum {
    let corners = [0, 1, 2, 3, 4, 5, 6, 7_usize].map(|corner| {
        let side = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let at = center + half.times(V3::new(side(0), side(1), side(2)));
        (at.dot(axis), at.cross(axis).length())
    });
    let (mut first, mut last) = (corners[0], corners[0]);
    for corner in corners {
        first = if corner.0 < first.0 { corner } else { first };
        last = if corner.0 > last.0 { corner } else { last };
    }
    let length = last.0 - first.0;
    let slope = if length > 0.0 { (last.1 - first.1) / length } else { 0.0 };
    // The slope of an almost flat frustum has a large rounding error, so a cylinder is used.
    let slope = if slope.abs() < STEEP { slope } else { 0.0 };
    let radius = corners
        .iter()
        .fold(0.0, |radius, &(along, across)| greater(across - slope * (along - first.0), radius));
    let other = greater(radius + slope * length, 0.0);
    Frustum { ends: [first.0, last.0], radii: [radius, other] }
}

/// The greatest slope of a frustum that is not a cylinder.
const STEEP: f64 = 1024.0;

impl Frustum {
    /// Returns whether its axis is reversed, so that the wider end is the first.
    fn flipped(&self) -> bool {
        self.radii[1] > self.radii[0]
    }

    /// Returns the shape about `y`, enlarged by more than the rounding errors.
    fn shape(&self, rounding: f64, radius: f64) -> Shape<'static> {
        let Self { ends: [low, high], radii: [first, last] } = *self;
        let ends = if self.flipped() { [-high, -low] } else { [low, high] };
        // The error of a slope is at most `STEEP` times that of a length.
        let more = rounding * (1.0 + STEEP);
        let (wide, narrow) = (greater(first, last) + more, lesser(first, last) + more);
        let top = if wide > 0.0 { narrow / wide } else { 1.0 };
        let [low, high] = [ends[0] - rounding, ends[1] + rounding];
        let extent = V3::new(wide, greater(-low, high), wide);
        let bounding_radius = V3::new(extent.x, extent.y, 0.0).length() * (1.0 + ROUNDING);
        let core = Core::Discs { radius: wide, top, low, high, scale: V3::ONE };
        Shape { core, radius, bounding_radius, extent, size: extent.length() + radius }
    }
}

/// Returns the rotation that maps `y` to the unit vector `axis`.
fn along(axis: V3) -> M3 {
    // Across the axis and the coordinate axis that is least along it.
    let V3 { x, y, z } = axis.abs();
    let least = if x <= y && x <= z {
        V3::X
    } else if y <= z {
        V3::new(0.0, 1.0, 0.0)
    } else {
        V3::new(0.0, 0.0, 1.0)
    };
    let side = axis.cross(least);
    let side = side * (1.0 / sqrt(side.square()));
    let third = side.cross(axis);
    M3 {
        rows: [
            V3::new(side.x, axis.x, third.x),
            V3::new(side.y, axis.y, third.y),
            V3::new(side.z, axis.z, third.z),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::SupportMap;
    use crate::narrowphase::math::random::numbers_f64;

    /// Half axes.
    #[derive(Debug)]
    struct Ellipsoid([f64; 3]);

    impl SupportMap for Ellipsoid {
        fn support(&self, direction: [f64; 3]) -> [f64; 3] {
            let Self(half) = self;
            let scaled: [f64; 3] = core::array::from_fn(|axis| half[axis] * direction[axis]);
            let length = libm::sqrt(scaled.iter().map(|x| x * x).sum());
            core::array::from_fn(|axis| half[axis] * scaled[axis] / length)
        }

        fn bounding_radius(&self) -> f64 {
            self.0.iter().copied().fold(0.0, f64::max)
        }
    }

    /// Goal: the bodies of revolution contain a body at all times of its rotation, and those of a rod are
    /// not much larger. Method: shapes of every core that rotate about any axis, their own among them; how
    /// far each extends along many directions at many times.
    #[test]
    fn a_body_of_revolution_holds_the_body_at_all_times() {
        let mut draw = numbers_f64(11);
        let egg = Ellipsoid([1.0, 2.0, 0.5]);
        let shapes = [
            Shape::cuboid([5.0, 0.01, 0.01]).expect("a rod"),
            Shape::cuboid([1.0, 2.0, 0.5]).expect("a box"),
            Shape::cuboid([0.0, 0.0, 2.0]).expect("a bar"),
            Shape::cuboid([1.0, 0.0, 2.0]).expect("a sheet"),
            Shape::cylinder(0.5, 1.0).expect("a cylinder"),
            Shape::cone(2.0, 1.0).expect("a cone"),
            Shape::triangle([[1.0, 0.0, 0.0], [0.0, 3.0, 0.5], [-1.0, 0.2, 0.1]]).expect("one"),
            Shape::custom(&egg).expect("an egg"),
        ];
        let mut held = 0;
        for case in 0..400_usize {
            let mut vector = || V3::new(draw(), draw(), draw());
            let axis = match case % 4 {
                0 => V3::X,
                1 => V3::new(0.0, 1e-9, 1.0),
                _ => vector(),
            };
            let spin = (axis * (900.0 / axis.length())).to_f32();
            let motion = Motion::from(Pose::IDENTITY).spinning(spin).expect("a spin");
            let body = MovingShape::new(&shapes[case / 4 % shapes.len()], &motion);
            if !body.makes_whole_turn(1.0) {
                // It rotates about its own axis.
                continue;
            }
            let parts = body.parts(1.0);
            for step in 0..40 {
                let (t, direction) = (f64::from(step) / 7e4, vector());
                let reach =
                    parts.iter().flatten().fold(f64::NEG_INFINITY, |most, (shape, start)| {
                        greater(
                            MovingShape::at_rest(shape, *start).support_value(direction, 0.0),
                            most,
                        )
                    });
                let of_body = body.support_value(direction, t);
                assert!(of_body <= reach + 1e-13, "{case}: {of_body} {reach} {parts:?}");
                held += 1;
            }
        }
        assert!(held > 10_000, "{held}");

        // At 45 degrees: two cones, tip to tip.
        let motion = Motion::from(Pose::IDENTITY).spinning([500.0, 500.0, 0.0]).expect("a spin");
        let rod = MovingShape::new(&shapes[0], &motion);
        let waist = V3::new(1.0, -1.0, 0.0);
        for (shape, start) in rod.parts(1.0).iter().flatten() {
            let tip = MovingShape::at_rest(shape, *start);
            let up = tip.start.axis(1);
            let (end, other) = (tip.support_value(up, 0.0), tip.support_value(-up, 0.0));
            assert!(end.max(other) < 3.56 && end.min(other) < 0.03, "{end} {other}");
            assert!(tip.support_value(waist, 0.0) < 5.03, "{shape:?}");
        }
    }
}
