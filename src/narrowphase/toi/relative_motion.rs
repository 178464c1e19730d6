//! Position and rotation of two bodies at a time, in the frame of the first.
//!
//! `x(t) = x₀ + d·t + ½·g·t²` is the vector from the position of `A` to that of `B`. The differences
//! are computed in `f64`: for inputs of similar magnitude they are exact, however far both are from
//! the origin.

use crate::geom::{MapEach, Motion};
use crate::narrowphase::gjk::{Gap, ROUNDING, RotatedPair, RotatedShape};
use crate::narrowphase::math::{M3, V3, greater, lesser, sqrt};
use crate::narrowphase::rotation::Rotation;
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::Simplex;
use crate::narrowphase::support::Core;

/// A shape with its rotation during the tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingShape<'s> {
    pub(super) shape: &'s Shape<'s>,
    /// Rotation at the start of the tick.
    pub(super) start: M3,
    pub(super) rotation: Rotation,
    /// Upper bound of the distance of the core from the axis of rotation.
    pub(super) axis_distance: f64,
    /// Upper bound of the rate at which its axis of revolution changes: zero for a shape that does not rotate, else infinite if it has none.
    pub(super) axis_rate: f64,
}

impl<'s> MovingShape<'s> {
    #[inline(always)]
    pub(super) fn new(shape: &'s Shape<'s>, motion: &Motion) -> Self {
        Self::rotating(shape, M3::of_quaternion(motion.pose.rotation), V3::of(motion.spin))
    }

    /// Returns a shape that rotates by `spin` during the tick.
    #[inline(always)]
    pub(super) fn rotating(shape: &'s Shape<'s>, start: M3, spin: V3) -> Self {
        let body = Self::at_rest(shape, start);
        let rotation = Rotation::new(spin);
        // A ball about its position is the same in every rotation.
        if rotation.rate == 0.0 || shape.bounding_radius == 0.0 {
            return body;
        }
        let axis_rate = axis_rate(shape, &start, &rotation);
        // The same holds for a body that rolls about its own axis, except for rounding far below the
        // slack.
        if axis_rate <= AXIS_SINE_MAX * rotation.rate {
            return body;
        }
        Self { rotation, axis_distance: axis_distance(shape, &start, &rotation), axis_rate, ..body }
    }

    /// Returns a shape with the constant rotation `start`.
    pub(super) fn at_rest(shape: &'s Shape<'s>, start: M3) -> Self {
        Self { shape, start, rotation: Rotation::new(V3::ZERO), axis_distance: 0.0, axis_rate: 0.0 }
    }

    /// Returns its angular velocity when it is rotated by `rotation`. For a body of revolution it is
    /// seen from axes that do not roll about its own axis, because its farthest and nearest points do
    /// not roll either.
    #[inline(always)]
    pub(super) fn spin(&self, rotation: &M3) -> V3 {
        let spin = self.rotation.spin;
        match self.shape.core.axis() {
            Some(own) if self.rotation.rate > 0.0 => {
                let own = rotation.axis(own);
                spin - own * own.dot(spin)
            }
            _ => spin,
        }
    }

    /// Returns the acceleration of a point at `on` whose angular velocity is `spin`, that of [`MovingShape::spin`], which turns with the axis of
    /// revolution.
    #[inline(always)]
    fn accel_of(&self, rotation: &M3, spin: V3, on: V3) -> V3 {
        let accel = spin.cross(spin.cross(on));
        match self.shape.core.axis() {
            Some(own) if self.rotation.rate > 0.0 => {
                let own = rotation.axis(own);
                let turning = own.cross(self.rotation.spin) * own.dot(self.rotation.spin);
                accel + turning.cross(on)
            }
            _ => accel,
        }
    }

    /// Returns the rotation at `t`.
    #[inline(always)]
    pub(super) fn rotation_at(&self, t: f64) -> M3 {
        self.rotation.after(&self.start, t)
    }

    /// Returns how far the core extends at `t` along `direction`: the product of `direction` with the farthest point.
    #[inline(always)]
    pub(super) fn support_value(&self, direction: V3, t: f64) -> f64 {
        let own = self.start.rotate_back(self.rotation.direction(direction, -t));
        self.shape.core.support_value(own)
    }
}

/// Greatest sine of the angle between two axes that rounding can make of parallel ones. A body deviates by
/// twice that part of its reach.
const AXIS_SINE_MAX: f64 = 32.0 * f64::EPSILON;

/// Returns an upper bound of the rate at which the axis of revolution changes, or infinity if the shape has none. The rate is constant, because the
/// axis keeps its angle to the axis of rotation.
fn axis_rate(shape: &Shape<'_>, start: &M3, rotation: &Rotation) -> f64 {
    let Some(axis) = shape.core.axis() else { return f64::INFINITY };
    // Bound of the rounding error of a product of two parallel vectors.
    let rounding = 16.0 * f64::EPSILON * rotation.rate;
    rotation.spin.cross(start.axis(axis)).length() * (1.0 + 16.0 * f64::EPSILON) + rounding
}

/// Returns an upper bound of the distance of the core from the axis of rotation `k`, which is `|k × r|` for a point `r`. The axis is fixed in the
/// body too, so the extents bound that.
fn axis_distance(shape: &Shape<'_>, start: &M3, rotation: &Rotation) -> f64 {
    let (k, e) = (start.rotate_back(rotation.axis).abs(), shape.extent);
    let across = V3::new(k.y * e.z + k.z * e.y, k.z * e.x + k.x * e.z, k.x * e.y + k.y * e.x);
    let across = across.length() * (1.0 + 16.0 * f64::EPSILON);
    if across < shape.bounding_radius { across } else { shape.bounding_radius }
}

/// Path of one body relative to another: `start + delta·t + ½·accel·t²`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativePath {
    start: V3,
    pub(super) delta: V3,
    pub(super) accel: V3,
}

impl RelativePath {
    #[inline(always)]
    pub(super) fn new(a: &Motion, b: &Motion) -> Self {
        let between = |of: fn(&Motion) -> [f32; 3]| V3::of(of(b)) - V3::of(of(a));
        Self {
            start: between(|motion| motion.pose.position),
            delta: between(|motion| motion.delta),
            accel: between(|motion| motion.accel),
        }
    }

    /// Returns the path between two cores that are at `a` and `b` from the positions of their bodies, between which this one is.
    #[inline(always)]
    pub(super) fn between_cores(self, a: V3, b: V3) -> Self {
        Self { start: self.start + (b - a), ..self }
    }

    /// Returns the path in the axes of `frame`.
    #[inline]
    pub(super) fn seen_from(&self, frame: &M3) -> Self {
        self.transformed(|v| frame.rotate_back(v))
    }

    /// Returns the path whose vectors are those of this one, transformed by `own`.
    #[inline(always)]
    pub(super) fn transformed(&self, own: impl Fn(V3) -> V3 + Copy) -> Self {
        let Self { start, delta, accel } = *self;
        let [start, delta, accel] = [start, delta, accel].map_each(own);
        Self { start, delta, accel }
    }

    /// Returns the path of a point that is `offset` from `b`.
    #[inline(always)]
    pub(super) fn shifted(&self, offset: V3) -> Self {
        Self { start: self.start + offset, ..*self }
    }

    /// Returns the vector from `a` to `b`.
    #[inline(always)]
    pub(super) fn between(&self, t: f64) -> V3 {
        self.start + (self.delta + self.accel * (0.5 * t)) * t
    }

    /// Returns the relative velocity.
    #[inline(always)]
    pub(super) fn velocity(&self, t: f64) -> V3 {
        self.delta + self.accel * t
    }

    /// Upper bound of the rounding error of a gap of two shapes at any time of the tick.
    #[inline(always)]
    pub(super) fn slack(&self, a: &Shape<'_>, b: &Shape<'_>, last: f64) -> f64 {
        let lengths = self.lengths(last);
        ROUNDING * (lengths + a.bounding_radius + a.radius + b.bounding_radius + b.radius)
    }

    /// Upper bound of the lengths from which a position is computed at any time of the tick and up to `last`. A `last` above 1
    /// is for paths without acceleration.
    #[inline(always)]
    pub(super) fn lengths(&self, last: f64) -> f64 {
        self.start.manhattan_length()
            + self.delta.manhattan_length() * greater(last, 1.0)
            + self.accel.manhattan_length()
    }

    /// Returns the unit vector of [`RelativePath::toward`].
    pub(super) fn guess(&self, radius: f64, window: [f64; 2]) -> V3 {
        self.toward(radius, window).unit().unwrap_or(V3::X)
    }

    /// Returns the direction in which two balls at these positions meet or pass, of any length. `radius` is the sum
    /// of both radii.
    #[inline(always)]
    pub(super) fn toward(&self, radius: f64, [from, to]: [f64; 2]) -> V3 {
        let x = self.between(from);
        let d = self.between(to) - x;
        let (along, square) = (-x.dot(d), d.square());
        let mut s = 0.0;
        if along > 0.0 {
            let discriminant = along * along - square * (x.square() - radius * radius);
            let root = if discriminant > 0.0 { sqrt(discriminant) } else { 0.0 };
            // A comparison with NaN is false.
            let first = (along - root) / square;
            s = if first > 0.0 { lesser(first, 1.0) } else { 0.0 };
        }
        x + d * s
    }
}

/// A path whose positions and velocities are computed.
pub(super) trait BodyPath: Copy {
    /// Returns the path with all vectors transformed by `own`.
    fn transformed(&self, own: impl Fn(V3) -> V3 + Copy) -> Self;

    /// Returns the vector from `a` to `b`.
    fn between(&self, t: f64) -> V3;

    /// Returns the relative velocity.
    fn velocity(&self, t: f64) -> V3;

    /// Returns half of the product of the relative acceleration and `normal`.
    fn half_accel(&self, normal: V3) -> f64;
}

impl BodyPath for RelativePath {
    #[inline(always)]
    fn transformed(&self, own: impl Fn(V3) -> V3 + Copy) -> Self {
        Self::transformed(self, own)
    }

    #[inline(always)]
    fn between(&self, t: f64) -> V3 {
        Self::between(self, t)
    }

    #[inline(always)]
    fn velocity(&self, t: f64) -> V3 {
        Self::velocity(self, t)
    }

    #[inline(always)]
    fn half_accel(&self, normal: V3) -> f64 {
        0.5 * normal.dot(self.accel)
    }
}

/// A path without acceleration, which takes fewer operations: `start + delta·t`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StraightPath {
    start: V3,
    delta: V3,
}

impl StraightPath {
    /// Returns the path without its acceleration.
    #[inline(always)]
    pub(super) fn of(path: &RelativePath) -> Self {
        Self { start: path.start, delta: path.delta }
    }
}

impl BodyPath for StraightPath {
    #[inline(always)]
    fn transformed(&self, own: impl Fn(V3) -> V3 + Copy) -> Self {
        Self { start: own(self.start), delta: own(self.delta) }
    }

    #[inline(always)]
    fn between(&self, t: f64) -> V3 {
        self.start + self.delta * t
    }

    #[inline(always)]
    fn velocity(&self, _: f64) -> V3 {
        self.delta
    }

    #[inline(always)]
    fn half_accel(&self, _: V3) -> f64 {
        0.0
    }
}

/// Returns whether a body does not rotate, or is a ball about its position, which is the same in every rotation.
pub(super) fn stays((shape, motion): (&Shape<'_>, &Motion)) -> bool {
    let [x, y, z] = motion.spin.map_each(f32::to_bits);
    // All bits but the signs are zero, which takes fewer instructions than comparisons.
    (x | y | z) << 1 == 0 || shape.bounding_radius == 0.0
}

/// Returns the position of the core of a body at `t`.
pub(super) fn position_at(core: &Core<'_>, motion: &Motion, t: f64) -> V3 {
    let [start, delta, accel] = [motion.pose.position, motion.delta, motion.accel].map_each(V3::of);
    start + core.center() + (delta + accel * (0.5 * t)) * t
}

/// Axes of a search, and the position in them of the second shape relative to its body.
#[derive(Clone, Copy)]
pub(super) struct Frame<'s> {
    pub(super) rotation: &'s M3,
    pub(super) offset: V3,
}

/// Relative motion of two bodies: the path and both rotations.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativeMotion<'s> {
    pub(super) a: MovingShape<'s>,
    pub(super) b: MovingShape<'s>,
    pub(super) path: RelativePath,
    /// Upper bound of the rounding error of a gap at any time of the tick.
    pub(super) slack: f64,
}

impl<'s> RelativeMotion<'s> {
    /// Creates the motion along `path`, whose own slack is `slack`.
    #[inline(always)]
    pub(super) fn new(
        (a, a_motion): (&'s Shape<'s>, &Motion),
        (b, b_motion): (&'s Shape<'s>, &Motion),
        path: RelativePath,
        slack: f64,
    ) -> Self {
        let (a, b) = (MovingShape::new(a, a_motion), MovingShape::new(b, b_motion));
        // An angle is off by some roundings of itself, and a rotated point by as much of its distance.
        let arcs =
            a.rotation.rate * a.shape.bounding_radius + b.rotation.rate * b.shape.bounding_radius;
        Self { a, b, path, slack: slack + 16.0 * f64::EPSILON * arcs }
    }

    /// Returns whether neither body rotates.
    pub(super) fn is_straight(&self) -> bool {
        self.a.rotation.rate == 0.0 && self.b.rotation.rate == 0.0
    }

    /// Returns the vector from `a` to `b`.
    #[inline(always)]
    pub(super) fn between(&self, t: f64) -> V3 {
        self.path.between(t)
    }

    /// Returns the relative velocity.
    #[inline(always)]
    pub(super) fn velocity(&self, t: f64) -> V3 {
        self.path.velocity(t)
    }

    /// Returns both shapes, rotated as they are at `t`.
    #[inline(always)]
    pub(super) fn at(&self, t: f64) -> RotatedPair<'s> {
        let rotated = |mover: &MovingShape<'s>| RotatedShape {
            shape: mover.shape,
            rotation: mover.rotation_at(t),
        };
        RotatedPair { a: rotated(&self.a), b: rotated(&self.b) }
    }

    /// Returns the closing speed along the normal of two points of the bodies, rotated as in `pair`, in
    /// length per tick; and its rate of change.
    pub(super) fn closing(&self, t: f64, pair: &RotatedPair<'_>, gap: &Gap) -> [f64; 2] {
        self.apart(t, pair, gap).map_each(|change| -change.dot(gap.normal))
    }

    /// Returns the velocity of the point of `b` relative to that of `a`, of two points of the bodies, rotated as in `pair`; and its rate
    /// of change.
    #[inline(always)]
    pub(super) fn apart(&self, t: f64, pair: &RotatedPair<'_>, gap: &Gap) -> [V3; 2] {
        if self.is_straight() {
            return [self.velocity(t), self.path.accel];
        }
        let on_a = pair.a.rotation.rotate(gap.on_a) + gap.out * self.a.shape.radius;
        let on_b = pair.b.rotation.rotate(gap.on_b) - gap.out * self.b.shape.radius;
        let spin_a = self.a.spin(&pair.a.rotation);
        let spin_b = self.b.spin(&pair.b.rotation);
        let apart = self.velocity(t) + spin_b.cross(on_b) - spin_a.cross(on_a);
        let accel = self.path.accel + self.b.accel_of(&pair.b.rotation, spin_b, on_b)
            - self.a.accel_of(&pair.a.rotation, spin_a, on_a);
        [apart, accel]
    }
}

impl Simplex {
    /// Recomputes the vertices for the given rotations.
    #[inline(always)]
    pub(super) fn rotate_to(&mut self, pair: &RotatedPair<'_>) {
        for vertex in &mut self.vertices[..self.len] {
            *vertex = pair.vertex(vertex.on_a, vertex.on_b);
        }
    }
}
