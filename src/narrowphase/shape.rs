//! Convex shapes.
//!
//! A shape is a core (a point, segment, box, triangle, cylinder, cone, hull or the caller's own)
//! and all points that are at most a radius away from it. It is defined about the origin of its own
//! axes. A [`Pose`](crate::Pose) places that origin in the world, and the shape rotates about it:
//! choose the centre of mass as origin. Lengths are in world units.

use super::error::InvalidShape;
use super::hull::Hull;
use super::math::{M3, V3, greater, greater_or_nan, lesser, round_up};
use super::support::{Core, SupportMap};
use crate::geom::{Aabb, AcceleratingBox, COORD_MAX, Invalid, MapEach, Motion, Pose};

/// A convex shape. It is cheap to copy: a [`Hull`] or a [`SupportMap`] is borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    pub(super) core: Core<'a>,
    /// Radius that is added to the core.
    pub(super) radius: f64,
    /// Greatest distance of a point of the core from the origin; `extent` is that on each axis.
    pub(super) bounding_radius: f64,
    pub(super) extent: V3,
    /// Half the diagonal of the shape's box, including the radius.
    pub(super) size: f64,
}

impl<'a> Shape<'a> {
    pub(super) fn of(core: Core<'a>, radius: f64) -> Result<Self, InvalidShape> {
        // A computed rim point may be off by some roundings.
        let rounded = 1.0 + 16.0 * f64::EPSILON;
        let bounding_radius = core.bounding_radius() * rounded;
        let extent = match core {
            Core::Map { .. } => V3::new(bounding_radius, bounding_radius, bounding_radius),
            _ => core.extent() * rounded,
        };
        if let Core::Discs { scale, .. } | Core::Hull { scale, .. } | Core::Map { scale, .. } = core
            && !scale.to_array().iter().all(|factor| factor.abs() <= SCALE_MAX)
        {
            return Err(InvalidShape::Number);
        }
        validate_reach(bounding_radius + radius)?;
        let size = core.half_diagonal() + radius;
        // The support map of the caller has returned an invalid point.
        if size.is_nan() {
            return Err(InvalidShape::Number);
        }
        Ok(Self { core, radius, bounding_radius, extent, size })
    }

    /// Creates a point at the origin.
    #[must_use]
    pub fn point() -> Self {
        let core = Core::of_box(V3::ZERO);
        Self { core, radius: 0.0, bounding_radius: 0.0, extent: V3::ZERO, size: 0.0 }
    }

    /// Creates a ball.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with the radius.
    pub fn sphere(radius: f32) -> Result<Self, InvalidShape> {
        Self::point().rounded(radius)
    }

    /// Creates the segment between two points.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::Number`].
    pub fn segment(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        let (a, b) = (point(a.into())?, point(b.into())?);
        Self::of(Core::Triangle { points: [a, b, b] }, 0.0)
    }

    /// Creates a box with these half extents.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a half extent. Zero is valid and makes the box flat.
    pub fn cuboid(half_extents: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        let [x, y, z] = half_extents.into();
        let half = V3::new(length(x)?, length(y)?, length(z)?);
        Self::of(Core::of_box(half), 0.0)
    }

    /// Returns a box that does not rotate as a shape, and the position of its body. The shape is the box, but for rounding outwards in
    /// `f64`, although the centre has more digits than the position.
    pub(crate) fn of_aabb(aabb: &Aabb) -> Result<(Self, [f32; 3]), InvalidShape> {
        let position = aabb.center();
        let (mut half, mut center) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let (low, high) = (f64::from(aabb.min[axis]), f64::from(aabb.max[axis]));
            let at = f64::from(position[axis]);
            center[axis] = (0.5 * (low + high) - at) as f32;
            let middle = at + f64::from(center[axis]);
            half[axis] = greater(up_sum(middle, -low), up_sum(high, -middle));
        }
        let half = V3::new(half[0], half[1], half[2]);
        Ok((Self::of(Core::Box { half, center }, 0.0)?, position))
    }

    /// Creates a segment along `y` from `-half_height` to `half_height`, rounded by `radius`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a length.
    pub fn capsule(half_height: f32, radius: f32) -> Result<Self, InvalidShape> {
        let half = V3::new(0.0, length(half_height)?, 0.0);
        Self::of(Core::of_box(half), length(radius)?)
    }

    /// Creates a cylinder along `y` from `-half_height` to `half_height`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a length.
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, InvalidShape> {
        Self::discs(half_height, radius, 1.0)
    }

    /// Creates a cone along `y`, with its disc at `-half_height` and its tip at `half_height`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a length.
    pub fn cone(half_height: f32, radius: f32) -> Result<Self, InvalidShape> {
        Self::discs(half_height, radius, 0.0)
    }

    fn discs(half_height: f32, radius: f32, top: f64) -> Result<Self, InvalidShape> {
        let (high, radius) = (length(half_height)?, length(radius)?);
        Self::of(Core::Discs { radius, top, low: -high, high, scale: V3::ONE }, 0.0)
    }

    /// Creates a triangle. Its corners may be collinear or equal.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::Number`].
    pub fn triangle(corners: [impl Into<[f32; 3]>; 3]) -> Result<Self, InvalidShape> {
        let [a, b, c] = corners;
        let points = [point(a.into())?, point(b.into())?, point(c.into())?];
        Self::of(Core::Triangle { points }, 0.0)
    }

    /// Creates the shape of a hull.
    #[must_use]
    pub fn hull(hull: &'a Hull) -> Self {
        let core = Core::Hull { hull, scale: V3::ONE };
        Self::of(core, 0.0).expect("the coordinates of a hull are valid")
    }

    /// Creates a shape from a support map of the caller.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::Number`] if its bounding radius is negative, not a number or too large, or
    /// its farthest point along an axis is not finite or outside of that radius.
    pub fn custom(map: &'a dyn SupportMap) -> Result<Self, InvalidShape> {
        Self::of(Core::Map { map, scale: V3::ONE, radius: map.bounding_radius() }, 0.0)
    }

    /// Returns the shape of all points that are at most `radius` from this shape.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with the radius.
    ///
    /// ```
    /// use swath::Shape;
    ///
    /// let dice = Shape::cuboid([0.4; 3])?.rounded(0.1)?;
    /// assert!(dice.bounds(&swath::Pose::IDENTITY)?.max[0] >= 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rounded(self, radius: f32) -> Result<Self, InvalidShape> {
        let radius = self.radius + length(radius)?;
        if radius > f64::from(COORD_MAX) {
            return Err(InvalidShape::Number);
        }
        validate_reach(self.bounding_radius + radius)?;
        // Without the rounding errors of an earlier radius: so a shape that is read from its record has the same bits.
        let size_of_core = if self.radius == 0.0 { self.size } else { self.core.half_diagonal() };
        Ok(Self { radius, size: size_of_core + radius, ..self })
    }

    /// Returns this shape, scaled on each of its own axes. A negative factor mirrors it, zero makes
    /// it flat. A shape whose points would all be nearer than 2⁻²⁰⁰ to its position becomes a point there.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::UnevenScale`] for a rounded shape and factors of different magnitudes,
    /// because the result would be an ellipsoid, which is possible as a [`SupportMap`]; otherwise
    /// [`InvalidShape::Number`], also if a hull, a cylinder, a cone or a support map is scaled by more than
    /// 2²⁷² on an axis in all. That is possible only if its lengths on the axis are zero or below the least `f32`.
    pub fn scaled(self, factors: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        let by = point(factors.into())?;
        let V3 { x, y, z } = by.abs();
        if self.radius > 0.0 && (x != y || y != z) {
            return Err(InvalidShape::UnevenScale);
        }
        let core = match self.core {
            Core::Box { half, .. } => Core::of_box(half.times(by.abs())),
            Core::Triangle { points } => {
                Core::Triangle { points: points.map_each(|p| p.times(by)) }
            }
            Core::Discs { radius, top, low, high, scale } => {
                Core::Discs { radius, top, low, high, scale: scale.times(by) }
            }
            Core::Hull { hull, scale } => Core::Hull { hull, scale: scale.times(by) },
            Core::Map { map, scale, radius } => Core::Map { map, scale: scale.times(by), radius },
            // No function returns the shape of a part in the axes of its body.
            Core::Placed(_) => return Err(InvalidShape::Number),
        };
        let shape = Self::of(core, self.radius * x)?;
        if by != V3::ZERO && shape.vanishes() { self.scaled([0.0; 3]) } else { Ok(shape) }
    }

    /// Returns whether the shape is so small that it must become a point: in a search the squares of its areas would underflow.
    pub(super) fn vanishes(&self) -> bool {
        self.reach() < REACH_MIN
    }

    /// Returns the box around the shape at `pose`, rounded outwards. It is too large by less than
    /// an ulp and 2⁻⁴⁵ of the greatest number involved.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if `pose` is invalid, or the box exceeds [`COORD_MAX`].
    ///
    /// ```
    /// use swath::{Aabb, Pose, Shape};
    ///
    /// let shape = Shape::capsule(1.0, 0.5)?;
    /// let half = 0.5_f32.sqrt();
    /// let lying = Pose::new([0.0, 4.0, 0.0], [0.0, 0.0, half, half])?;
    /// let bounds = shape.bounds(&lying)?;
    /// assert!(bounds.contains(&Aabb::new([-1.5, 3.5, -0.5], [1.5, 4.5, 0.5])?));
    /// assert!(bounds.max[0] < 1.500001 && bounds.max[1] < 4.500001);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(&self, pose: &Pose) -> Result<Aabb, Invalid> {
        pose.validate()?;
        if pose.rotation == Pose::IDENTITY.rotation
            && let Some([low, high]) = self.core.hull_corners()
        {
            let (low, high) = (low.to_array(), high.to_array());
            return self.around(pose.position, |axis| [-low[axis], high[axis]]);
        }
        let reaches = self.core.reaches(&M3::of_quaternion(pose.rotation).rows);
        self.around(pose.position, |axis| reaches[axis])
    }

    /// Returns a moving box that contains the shape during the whole of `motion`. It moves as the
    /// position does, and contains the shape in every rotation of the tick. Use it with the sweep
    /// of [accelerating boxes](crate::batch::sweep::accelerating), or its
    /// [`bounds`](AcceleratingBox::bounds) with a pair finder. For the box of a proxy use
    /// [`Pipeline::bounds_of`](crate::Pipeline::bounds_of), which returns a [`MovingBox`](crate::MovingBox).
    ///
    /// On each world axis `e`, the extent of a rotating body is at most that of the chord between
    /// its extents at both ends, plus the deviation `⅛·|ω|·|ω × e|` times the distance of its
    /// farthest point; and it never exceeds that distance.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if `motion` is invalid, or the box exceeds [`COORD_MAX`].
    pub fn bounds_over(&self, motion: &Motion) -> Result<AcceleratingBox, Invalid> {
        motion.validate()?;
        // A ball about its position does not change when it rotates.
        let spin = if self.bounding_radius == 0.0 { V3::ZERO } else { V3::of(motion.spin) };
        let rotation = super::rotation::Rotation::new(spin);
        let start = M3::of_quaternion(motion.pose.rotation);
        let from = self.core.reaches(&start.rows);
        if rotation.rate == 0.0 {
            let aabb = self.around(motion.pose.position, |axis| from[axis])?;
            return AcceleratingBox::new(aabb, motion.delta, motion.accel);
        }
        let to = self.core.reaches(&rotation.after(&start, 1.0).rows);
        let aabb = self.around(motion.pose.position, |axis| {
            let world = M3::IDENTITY.rows[axis];
            let deviation =
                0.125 * rotation.rate * rotation.spin.cross(world).length() * self.bounding_radius;
            [0, 1].map_each(|side: usize| {
                let most = greater_or_nan(from[axis][side], to[axis][side]) + deviation;
                if most > self.bounding_radius { self.bounding_radius } else { most }
            })
        })?;
        AcceleratingBox::new(aabb, motion.delta, motion.accel)
    }

    /// Returns half the diagonal of the box around the core in the axes of the shape, plus the radius by which the core is rounded: the radius for a
    /// ball, and zero for a point. The tolerance of a search is relative to it: [`Settings::tolerance`](super::toi::Settings::tolerance).
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The middle of the products of a direction with all points of the shape.
    pub(crate) fn middle_along(&self, direction: V3) -> f64 {
        let ends = [direction, -direction].map_each(|to| self.core.support_value(to));
        direction.dot(self.core.center()) + 0.5 * (ends[0] - ends[1])
    }

    /// Upper bound of the distance of a point of the shape from its origin.
    pub(crate) fn reach(&self) -> f64 {
        self.bounding_radius + self.radius
    }

    /// Upper bound of how far its farthest point moves about its position during `motion`.
    pub(crate) fn angular_sweep(&self, motion: &Motion) -> f32 {
        let rate = super::rotation::Rotation::new(V3::of(motion.spin)).rate;
        round_up(rate * self.reach() * (1.0 + ROUNDING))
    }

    /// Returns the box that extends from `position` by both ends of `reach` on each axis, and by
    /// the radius.
    fn around(
        &self,
        position: [f32; 3],
        reach: impl Fn(usize) -> [f64; 2],
    ) -> Result<Aabb, Invalid> {
        let mut aabb = Aabb::default();
        let position = V3::of(position) + self.core.center();
        // A support map may return points that are not quite the farthest.
        let rounding = if let Core::Map { .. } = self.core { ROUNDING_OF_MAP } else { ROUNDING };
        for (axis, at) in position.to_array().into_iter().enumerate() {
            let [low, high] = reach(axis);
            // Bound of the rounding errors of the rotation and the sums; zero if all is exact.
            let exact = self.bounding_radius == 0.0;
            let slack = if exact { 0.0 } else { rounding * (self.reach() + at.abs()) };
            aabb.min[axis] = -round_up(up_sum(-at, low + self.radius) + slack);
            aabb.max[axis] = round_up(up_sum(at, high + self.radius) + slack);
        }
        aabb.validate()?;
        Ok(aabb)
    }
}

/// Returns the smaller of the sizes of two shapes, to which a tolerance is relative. Both count, but for a point, whose size is zero.
#[inline(always)]
pub(super) fn smaller_size(a: f64, b: f64) -> f64 {
    match (a, b) {
        (0.0, size) | (size, 0.0) => size,
        (a, b) => lesser(a, b),
    }
}

/// Greatest factor by which discs, hulls and support maps may be scaled: 2²⁷². The least `f32` is 2⁻¹⁴⁹, so only lengths of zero,
/// and of a support map also lengths below that, stay within the coordinates if they are scaled by more. The product of zero and an
/// infinite factor is not a number.
const SCALE_MAX: f64 = f64::from_bits((1023 + 272) << 52);

/// Least reach of a scaled shape that is no point: 2⁻²⁰⁰, far below the least distance of two positions.
const REACH_MIN: f64 = f64::from_bits((1023 - 200) << 52);

/// Bound of the rounding error of bounds, relative to the numbers they are computed from: 2⁻⁴⁹.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The same for a support map, whose points may be less far by 2⁻⁴⁸ of its bounding radius: 2⁻⁴⁷.
const ROUNDING_OF_MAP: f64 = 32.0 * f64::EPSILON;

/// Returns `a + b`, rounded up.
fn up_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error > 0.0 { sum.next_up() } else { sum }
}

fn point(point: [f32; 3]) -> Result<V3, InvalidShape> {
    let valid = point.iter().all(|x| x.abs() <= COORD_MAX);
    if valid { Ok(V3::of(point)) } else { Err(InvalidShape::Number) }
}

/// Checks the distance of the farthest point of a shape from its origin.
fn validate_reach(reach: f64) -> Result<(), InvalidShape> {
    // NaN is outside of every range.
    let valid = (0.0..=4.0 * f64::from(COORD_MAX)).contains(&reach);
    if valid { Ok(()) } else { Err(InvalidShape::Number) }
}

fn length(length: f32) -> Result<f64, InvalidShape> {
    if length < 0.0 {
        return Err(InvalidShape::Negative);
    }
    // A comparison with NaN is false.
    if length <= COORD_MAX { Ok(length.into()) } else { Err(InvalidShape::Number) }
}
