//! Until when are bodies apart that make whole turns?
//!
//! A body that turns about an axis through its position stays in the body of revolution that it goes
//! through in a whole turn. That one does not turn, so two of them, or one and a body that turns little,
//! are apart until a time that a search finds in a few rounds, however fast the spin is. The search
//! about the bodies themselves goes on from there.
//!
//! The body of revolution of a part of a core is in a frustum of a cone about the axis: each vertex of
//! the part goes along a circle, and the frustum holds all of these circles. A box is cut in two across
//! its longest side, since a rod that is askew to its axis goes through two cones, tip to tip, and what
//! is beside their tips is in no frustum of the whole. Other cores have a cylinder.

use super::Advance;
use super::relative_motion::{Course, MovingShape};
use super::search::{Search, Watch, told};
use crate::geom::MapEach;
use crate::narrowphase::math::{M3, V3, greater, lesser, sqrt};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::support::Core;

/// The angle in the rest of the window, in radians, from which on a body of revolution is looked at: a
/// turn.
const WHOLE: f64 = 6.3;

/// How many parts a core has at most.
const PARTS_MAX: usize = 2;

/// More than what rounding does to a coordinate of a frustum, of the reach of the body.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Search<'_> {
    /// Whether one of the bodies makes a whole turn between `from` and the end of the window.
    #[inline(always)]
    pub(super) fn whirls(&self, from: f64) -> bool {
        let length = self.window[1] - from;
        self.course.a.whirls(length) || self.course.b.whirls(length)
    }

    /// Until when the bodies of revolution are apart from `from` on; `None` for all of the window.
    #[cold]
    #[inline(never)]
    pub(super) fn skip(&mut self, from: f64, watch: &mut Watch<'_>) -> Option<f64> {
        let length = self.window[1] - from;
        let Course { a, b, path, slack } = self.course;
        let mut until = None;
        let (of_a, of_b) = (a.parts(length), b.parts(length));
        for (shape_a, start_a) in of_a.iter().flatten() {
            for (shape_b, start_b) in of_b.iter().flatten() {
                let to = until.unwrap_or(self.window[1]);
                let reach = shape_a.reach + shape_b.reach;
                let slack = 2.0 * slack + crate::narrowphase::gjk::ROUNDING * reach;
                let movers = [(&a, shape_a, start_a), (&b, shape_b, start_b)];
                let [a, b] =
                    movers.map_each(|(mover, shape, start)| mover.as_part(shape, start, length));
                let mut search = Search {
                    course: Course { a, b, path, slack },
                    window: [from, to],
                    tolerance: greater(self.tolerance, 16.0 * slack),
                    guess: path.guess(self.level + 0.5 * reach, [from, to]),
                    ..*self
                };
                // What a part shows is not shown of the whole: none of it is told.
                let advance = search.advance(&mut None);
                if let Some(watch) = watch {
                    for _ in self.rounds..search.rounds {
                        watch(told(from, f64::NEG_INFINITY, self.guess));
                    }
                }
                (self.rounds, self.supports) = (search.rounds, search.supports);
                let next = match advance {
                    Advance::Separated => continue,
                    Advance::Impact { t, .. } | Advance::Unresolved { t_safe: t } => f64::from(t),
                    Advance::Overlapping { .. } => from,
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
    fn whirls(&self, length: f64) -> bool {
        self.turn.rate * length > WHOLE
    }

    /// The shape at rest that holds a part of it, with its rotation, where it whirls; else itself.
    fn as_part<'p>(&self, shape: &'p Shape<'s>, start: &M3, length: f64) -> MovingShape<'p>
    where
        's: 'p,
    {
        if self.whirls(length) {
            MovingShape::at_rest(shape, *start)
        } else {
            MovingShape { shape, ..*self }
        }
    }

    /// Shapes that hold its core together, and how they are turned.
    fn parts(&self, length: f64) -> [Option<(Shape<'s>, M3)>; PARTS_MAX] {
        let start = self.start;
        let itself = [Some((*self.shape, start)), None];
        let Some(axis) = self.turn.spin.unit().filter(|_| self.whirls(length)) else {
            return itself;
        };
        let own = start.turn_back(axis);
        let boxes = match self.shape.core {
            Core::Box { half } => {
                halves(half).map_each(|(center, half)| Some(frustum(own, center, half)))
            }
            _ => [Some(self.cylinder(own)), None],
        };
        let rounding = ROUNDING * self.shape.reach;
        let mut parts = [None; PARTS_MAX];
        for (part, frustum) in parts.iter_mut().zip(boxes) {
            *part = frustum.map(|frustum| {
                let axis = if frustum.flipped() { -axis } else { axis };
                (frustum.shape(rounding, self.shape.margin), along(axis))
            });
        }
        parts
    }

    /// The cylinder that holds all of the core.
    fn cylinder(&self, own: V3) -> Frustum {
        // Where a shape of the caller's own tells nothing, it is the second.
        let far = |way: V3| lesser(self.shape.core.support(way).dot(way), self.shape.reach);
        Frustum { ends: [-far(-own), far(own)], radii: [self.swing; 2] }
    }
}

/// A box, cut in two across its longest side: the centre and the half sides of each.
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

/// What is between two circles about an axis, `ends` along it.
#[derive(Clone, Copy, Debug)]
struct Frustum {
    ends: [f64; 2],
    radii: [f64; 2],
}

/// The frustum about `axis`, through the origin, that holds the circles of the corners of a box.
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
    // A flat one has no slope that numbers can tell.
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
    /// Whether its axis is turned round, so that the wider end is the first.
    fn flipped(&self) -> bool {
        self.radii[1] > self.radii[0]
    }

    /// The shape about `y`, larger by more than what rounding may have taken.
    fn shape(&self, rounding: f64, margin: f64) -> Shape<'static> {
        let Self { ends: [low, high], radii: [radius, other] } = *self;
        let ends = if self.flipped() { [-high, -low] } else { [low, high] };
        // What is off a slope is at most `STEEP` times what is off a length.
        let more = rounding * (1.0 + STEEP);
        let (wide, narrow) = (greater(radius, other) + more, lesser(radius, other) + more);
        let top = if wide > 0.0 { narrow / wide } else { 1.0 };
        let [low, high] = [ends[0] - rounding, ends[1] + rounding];
        let extent = V3::new(wide, greater(-low, high), wide);
        let reach = V3::new(extent.x, extent.y, 0.0).length() * (1.0 + ROUNDING);
        let core = Core::Discs { radius: wide, top, low, high, scale: V3::ONE };
        Shape { core, margin, reach, extent, size: extent.length() + margin }
    }
}

/// The rotation that turns `y` to the unit vector `axis`.
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

    /// Goal: the bodies of revolution hold a body at all times of its turn, and those of a rod hold little
    /// more. Method: shapes of every core that turn about any axis, among them their own; how far each
    /// reaches along many directions at many times.
    #[test]
    fn a_body_of_revolution_holds_the_body_at_all_times() {
        let mut state = 11_u64;
        let mut draw = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
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
            if !body.whirls(1.0) {
                // It turns about its own axis.
                continue;
            }
            let parts = body.parts(1.0);
            for step in 0..40 {
                let (t, way) = (f64::from(step) / 7e4, vector());
                let reach =
                    parts.iter().flatten().fold(f64::NEG_INFINITY, |most, (shape, start)| {
                        greater(MovingShape::at_rest(shape, *start).reach(way, 0.0), most)
                    });
                let of_body = body.reach(way, t);
                assert!(of_body <= reach + 1e-13, "{case}: {of_body} {reach} {parts:?}");
                held += 1;
            }
        }
        assert!(held > 10_000, "{held}");

        // Askew by half a right angle: two cones, tip to tip.
        let motion = Motion::from(Pose::IDENTITY).spinning([500.0, 500.0, 0.0]).expect("a spin");
        let rod = MovingShape::new(&shapes[0], &motion);
        let waist = V3::new(1.0, -1.0, 0.0);
        for (shape, start) in rod.parts(1.0).iter().flatten() {
            let tip = MovingShape::at_rest(shape, *start);
            let up = tip.start.axis(1);
            let (end, other) = (tip.reach(up, 0.0), tip.reach(-up, 0.0));
            assert!(end.max(other) < 3.56 && end.min(other) < 0.03, "{end} {other}");
            assert!(tip.reach(waist, 0.0) < 5.03, "{shape:?}");
        }
    }
}
