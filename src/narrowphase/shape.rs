//! What convex shapes are there?
//!
//! A shape is a core with a margin: a point, segment, box, triangle, cylinder, cone, hull or the
//! caller's own, and all that is at most a radius away from it. It lies about the origin of its
//! own axes, where a [`Pose`](crate::Pose) puts it and about which it turns: put the origin where
//! the centre of mass is. Lengths are those of the world.

use super::hull::Hull;
use super::math::{M3, V3, greater};
use super::support::Core;
use crate::geom::{Aabb, AcceleratingBox, COORD_MAX, Invalid, MapEach, Motion, Pose};
use core::fmt;

/// Why some numbers are no shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidShape {
    /// A coordinate, radius or length is not finite or past [`COORD_MAX`].
    #[error("a number is not finite or larger than 2^120")]
    Number,
    /// A radius, half extent or half height is negative.
    #[error("a length is negative")]
    Negative,
    /// A hull of no points.
    #[error("a hull has no points")]
    NoPoints,
    /// What has a margin keeps its form only where it is scaled alike on all axes.
    #[error("a rounded shape is scaled unevenly")]
    UnevenScale,
}

/// A convex shape of the caller's own.
///
/// ```
/// use swath::Shape;
/// use swath::convex::SupportMap;
///
/// /// Half axes along x, y and z.
/// #[derive(Debug)]
/// struct Ellipsoid([f64; 3]);
///
/// impl SupportMap for Ellipsoid {
///     fn support(&self, direction: [f64; 3]) -> [f64; 3] {
///         let Self(half) = self;
///         let scaled: [f64; 3] = std::array::from_fn(|axis| half[axis] * direction[axis]);
///         let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
///         std::array::from_fn(|axis| half[axis] * scaled[axis] / length)
///     }
///     fn bounding_radius(&self) -> f64 {
///         self.0.iter().copied().fold(0.0, f64::max)
///     }
/// }
///
/// let egg = Ellipsoid([1.0, 2.0, 1.0]);
/// let bounds = Shape::custom(&egg)?.bounds(&swath::Pose::IDENTITY)?;
/// assert!(bounds.max[1] >= 2.0 && bounds.max[1] < 2.000001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SupportMap: fmt::Debug + Send + Sync {
    /// A point of the shape that is furthest in `direction`, which is finite and not zero: no point
    /// of the shape may be further by more than 2⁻⁴⁸ of [`SupportMap::bounding_radius`], or times
    /// may be late. The same for the same direction, finite, and not past the bounding radius. A
    /// point that is not finite or past it tells nothing: a first time is then
    /// [`Unresolved`](super::toi::Advance::Unresolved), a distance that of the bounding balls, and
    /// bounds an error.
    fn support(&self, direction: [f64; 3]) -> [f64; 3];

    /// A length that no point of the shape is further from the origin than.
    fn bounding_radius(&self) -> f64;
}

/// A convex shape. Cheap to copy: a [`Hull`] or a [`SupportMap`] is borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    pub(super) core: Core<'a>,
    /// The radius that is added to the core.
    pub(super) margin: f64,
    /// No point of the core is further from the origin, nor further than `extent` by axis.
    pub(super) reach: f64,
    pub(super) extent: V3,
    /// Half the diagonal of the box around it, the margin included.
    pub(super) size: f64,
}

impl<'a> Shape<'a> {
    pub(super) fn of(core: Core<'a>, margin: f64) -> Result<Self, InvalidShape> {
        // A computed rim may be off by some roundings.
        let rounded = 1.0 + 16.0 * f64::EPSILON;
        let reach = core.reach() * rounded;
        let extent = match core {
            Core::Map { .. } => V3::new(reach, reach, reach),
            _ => core.extent() * rounded,
        };
        // NaN is in no range.
        if !(0.0..=4.0 * f64::from(COORD_MAX)).contains(&(reach + margin)) {
            return Err(InvalidShape::Number);
        }
        let size = core.half_diagonal() + margin;
        // The caller's own has a point that is none.
        if size.is_nan() {
            return Err(InvalidShape::Number);
        }
        Ok(Self { core, margin, reach, extent, size })
    }

    /// The origin alone.
    #[must_use]
    pub fn point() -> Self {
        let core = Core::Box { half: V3::ZERO };
        Self { core, margin: 0.0, reach: 0.0, extent: V3::ZERO, size: 0.0 }
    }

    /// A ball.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with the radius.
    pub fn sphere(radius: f32) -> Result<Self, InvalidShape> {
        Self::point().rounded(radius)
    }

    /// The points between two.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::Number`].
    pub fn segment(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        let (a, b) = (point(a.into())?, point(b.into())?);
        Self::of(Core::Triangle { points: [a, b, b] }, 0.0)
    }

    /// A box with these half sides.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a half extent. Zero is flat.
    pub fn cuboid(half_extents: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        let [x, y, z] = half_extents.into();
        let half = V3::new(length(x)?, length(y)?, length(z)?);
        Self::of(Core::Box { half }, 0.0)
    }

    /// A segment along `y` from `-half_height` to `half_height`, rounded by `radius`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a length.
    pub fn capsule(half_height: f32, radius: f32) -> Result<Self, InvalidShape> {
        let half = V3::new(0.0, length(half_height)?, 0.0);
        Self::of(Core::Box { half }, length(radius)?)
    }

    /// A cylinder along `y` from `-half_height` to `half_height`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`]: what is wrong with a length.
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, InvalidShape> {
        Self::discs(half_height, radius, 1.0)
    }

    /// A cone along `y`, its disc at `-half_height`, its tip at `half_height`.
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

    /// A triangle; its corners may be in line or the same.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::Number`].
    pub fn triangle(corners: [impl Into<[f32; 3]>; 3]) -> Result<Self, InvalidShape> {
        let [a, b, c] = corners;
        let points = [point(a.into())?, point(b.into())?, point(c.into())?];
        Self::of(Core::Triangle { points }, 0.0)
    }

    /// A hull.
    #[must_use]
    pub fn hull(hull: &'a Hull) -> Self {
        let core = Core::Hull { hull, scale: V3::ONE };
        Self::of(core, 0.0).expect("a hull holds coordinates")
    }

    /// A shape of the caller's own.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::Number`] when its bounding radius is negative, not a number or too large, or
    /// its furthest point along an axis is not finite or past that radius.
    pub fn custom(map: &'a dyn SupportMap) -> Result<Self, InvalidShape> {
        Self::of(Core::Map { map, scale: V3::ONE, radius: map.bounding_radius() }, 0.0)
    }

    /// All that is at most `radius` from this shape.
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
        let margin = self.margin + length(radius)?;
        if margin > f64::from(COORD_MAX) {
            return Err(InvalidShape::Number);
        }
        Ok(Self { margin, size: self.size - self.margin + margin, ..self })
    }

    /// This shape, each axis of its own times a factor. A negative one mirrors, zero makes flat.
    ///
    /// # Errors
    ///
    /// [`InvalidShape::UnevenScale`] for a shape with a margin and factors of more than one
    /// magnitude: an ellipsoid is a [`SupportMap`]; else [`InvalidShape::Number`].
    pub fn scaled(self, factors: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        let by = point(factors.into())?;
        let V3 { x, y, z } = by.abs();
        if self.margin > 0.0 && (x != y || y != z) {
            return Err(InvalidShape::UnevenScale);
        }
        let core = match self.core {
            Core::Box { half } => Core::Box { half: half.times(by.abs()) },
            Core::Triangle { points } => {
                Core::Triangle { points: points.map_each(|p| p.times(by)) }
            }
            Core::Discs { radius, top, low, high, scale } => {
                Core::Discs { radius, top, low, high, scale: scale.times(by) }
            }
            Core::Hull { hull, scale } => Core::Hull { hull, scale: scale.times(by) },
            Core::Map { map, scale, radius } => Core::Map { map, scale: scale.times(by), radius },
        };
        Self::of(core, self.margin * x)
    }

    /// The box around the shape at `pose`, rounded outwards: less than an ulp and 2⁻⁴⁸ of the
    /// greatest number above the least one.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `pose` is none, or the box is past [`COORD_MAX`].
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
        let rotation = M3::of_quaternion(pose.rotation);
        self.around(pose.position, |axis| {
            let up = rotation.rows[axis];
            [-up, up].map_each(|way| self.core.support(way).dot(way))
        })
    }

    /// The box around the shape over the whole of `motion`: it moves as the position does, and
    /// holds the shape at every time of the tick however it is turned then. Give it to the sweep of
    /// [accelerating boxes](crate::batch::sweep::accelerating), or its
    /// [`bounds`](AcceleratingBox::bounds) to a pair finder.
    ///
    /// Along each axis of the world the reach of a body that turns is below the chord between its
    /// reaches at both ends and, by what the direction seen from the body bends, `⅛·|ω|·|ω × e|` of
    /// the distance to its furthest point; and never above that distance.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `motion` is none, or the box is past [`COORD_MAX`].
    pub fn bounds_over(&self, motion: &Motion) -> Result<AcceleratingBox, Invalid> {
        motion.validate()?;
        let turn = super::rotation::Rotation::new(V3::of(motion.spin));
        let start = M3::of_quaternion(motion.pose.rotation);
        let end = turn.after(&start, 1.0);
        let aabb = self.around(motion.pose.position, |axis| {
            let reach = |way: V3| self.core.support(way).dot(way);
            let from = start.rows[axis];
            if turn.rate == 0.0 {
                return [reach(-from), reach(from)];
            }
            let world = M3::of_quaternion(Pose::IDENTITY.rotation).rows[axis];
            let bend = 0.125 * turn.rate * turn.spin.cross(world).length() * self.reach;
            let to = end.rows[axis];
            [[-from, -to], [from, to]].map_each(|[from, to]| {
                let most = greater(reach(from), reach(to)) + bend;
                if most > self.reach { self.reach } else { most }
            })
        })?;
        AcceleratingBox::new(aabb, motion.delta, motion.accel)
    }

    /// What a tolerance is of: half the diagonal of the box around it in its own axes.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// How far its furthest point goes about its position over `motion`; not less.
    pub(crate) fn swing(&self, motion: &Motion) -> f32 {
        let rate = super::rotation::Rotation::new(V3::of(motion.spin)).rate;
        up(rate * (self.reach + self.margin) * (1.0 + ROUNDING))
    }

    /// The box that reaches from `position` by the two ends of `reach` on each axis and the margin.
    fn around(
        &self,
        position: [f32; 3],
        reach: impl Fn(usize) -> [f64; 2],
    ) -> Result<Aabb, Invalid> {
        let mut aabb = Aabb::default();
        for (axis, at) in position.into_iter().map(f64::from).enumerate() {
            let [low, high] = reach(axis);
            // What the rotation and the sums may have rounded away; nothing where all is exact.
            let exact = self.reach == 0.0;
            let slack = if exact { 0.0 } else { ROUNDING * (self.reach + at.abs()) };
            aabb.min[axis] = -up(up_sum(-at, low + self.margin) + slack);
            aabb.max[axis] = up(up_sum(at, high + self.margin) + slack);
        }
        aabb.validate()?;
        Ok(aabb)
    }
}

/// What bounds may lose to rounding, of the numbers they are made of: 2⁻⁴⁹.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Not less than `a + b`.
fn up_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// The least `f32` that is not below `x`.
fn up(x: f64) -> f32 {
    -super::math::round_down(-x)
}

fn point(point: [f32; 3]) -> Result<V3, InvalidShape> {
    let valid = point.iter().all(|x| x.abs() <= COORD_MAX);
    if valid { Ok(V3::of(point)) } else { Err(InvalidShape::Number) }
}

fn length(length: f32) -> Result<f64, InvalidShape> {
    if length < 0.0 {
        return Err(InvalidShape::Negative);
    }
    // NaN is not below anything.
    if length <= COORD_MAX { Ok(length.into()) } else { Err(InvalidShape::Number) }
}
