//! Axis-aligned boxes: construction with outward rounding, validation, and set operations.
//!
//! Where a corner cannot be represented in `f32`, it is rounded outwards, so that a box never loses
//! a point of the exact one. The directed rounding is done without changing the rounding mode: the
//! exact error of a sum (`TwoSum`, Knuth 1998, §4.2.2, theorem B) shows on which side of the exact
//! sum the rounded one is.

use super::each_axis;
use super::{AXES, MapEach};
use bytemuck::{Pod, Zeroable};

/// The greatest magnitude of a coordinate or displacement: 2¹²⁰, about 1.3e36.
///
/// It is a power of two, so that scaling by it is exact. It is small enough that neither the end of
/// a path nor the difference of two such ends overflows `f32`.
pub const COORD_MAX: f32 = f32::from_bits((127 + 120) << 23);

/// A closed axis-aligned box: every point `p` with `min ≤ p ≤ max` on each axis.
///
/// Flat boxes and points (`min == max`) are valid. The fields are public and plain, so that engines
/// can fill arrays of boxes. Functions that return an [`Invalid`] check a box with [`Aabb::validate`];
/// the others, such as [`Aabb::overlaps`], compute with its numbers as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Aabb {
    /// The least corner.
    pub min: [f32; 3],
    /// The greatest corner.
    pub max: [f32; 3],
}

/// Why a value is invalid: a box, sphere, segment, plane, displacement, body, pose or motion, a margin or a greatest distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// A coordinate is NaN or infinite.
    #[error("a number on axis {} is NaN or infinite; it must be finite", AXES[*axis as usize])]
    NotFinite {
        /// Axis: 0, 1 or 2.
        axis: u8,
    },
    /// The magnitude of a coordinate is greater than [`COORD_MAX`].
    #[error("a number on axis {} is beyond 2^120; use a larger unit or a nearer origin", AXES[*axis as usize])]
    TooLarge {
        /// Axis: 0, 1 or 2.
        axis: u8,
    },
    /// `min` is greater than `max` on an axis.
    #[error("min > max on axis {}; swap them, or check for a negative size", AXES[*axis as usize])]
    Inverted {
        /// Axis: 0, 1 or 2.
        axis: u8,
    },
    /// A radius is not in `[0, COORD_MAX]`.
    #[error("a radius is negative, NaN or beyond 2^120; it must be in [0, 2^120]")]
    Radius,
    /// The `max_fraction` of a segment is not in `[0, ∞]`.
    #[error(
        "the greatest fraction of a segment is negative or NaN; it must be 0 or more, or infinite"
    )]
    MaxFraction,
    /// The greatest distance of a search is not in `[0, ∞]`.
    #[error("the search distance is negative or NaN; it must be 0 or more, or infinite")]
    MaxDistance,
    /// A component of the normal of a [`Plane`](crate::Plane) is greater than [`Plane::NORMAL_MAX`](crate::Plane::NORMAL_MAX) in magnitude.
    #[error(
        "a component of the normal of a plane is beyond 16; divide the equation by a power of two"
    )]
    Normal,
    /// The offset of a [`Plane`](crate::Plane) is not in `[-COORD_MAX, COORD_MAX]`.
    #[error(
        "the offset of a plane is NaN, infinite or beyond 2^120; use a larger unit or a nearer origin"
    )]
    Offset,
    /// A margin is not in `[0, COORD_MAX]`.
    #[error("a margin is negative, NaN or beyond 2^120; it must be in [0, 2^120]")]
    Margin,
    /// An inverse mass is not in the range that is allowed, which is `[0, COORD_MAX]` for a
    /// [`Body`](crate::batch::Body).
    #[error(
        "an inverse mass is negative, NaN or out of range; it must be 1 / mass, or 0 for a body that cannot be pushed"
    )]
    InverseMass,
    /// A restitution is not in `[0, 1]`.
    #[error("a restitution is not in [0, 1]; 0 keeps no speed, and 1 keeps all of it")]
    Restitution,
    /// A quaternion is not of unit length.
    #[error(
        "a rotation is zero, NaN or infinite, or not a unit quaternion where one is required; normalise it"
    )]
    Rotation,
    /// A spin is NaN or longer than [`SPIN_MAX`](super::SPIN_MAX).
    #[error("a spin is NaN or beyond 1024 radians per tick; reduce it, or use shorter ticks")]
    Spin,
}

/// Checks a point or displacement.
#[inline]
pub(super) fn check_vector(vector: [f32; 3]) -> Result<(), Invalid> {
    // A single branch in the valid case. NaN compares false, so it is rejected too.
    let [x, y, z] = vector.map_each(f32::abs);
    if (x <= COORD_MAX) & (y <= COORD_MAX) & (z <= COORD_MAX) {
        return Ok(());
    }
    check_axes(vector, vector)
}

/// Returns the error for the lowest invalid axis. Kept out of line, because valid input never calls
/// it.
#[cold]
fn check_axes(min: [f32; 3], max: [f32; 3]) -> Result<(), Invalid> {
    (0..3).try_for_each(|axis| check_axis(axis, min[axis], max[axis]))
}

/// Whether a number that must not be negative is valid, such as a margin, a radius or an inverse mass: it is in `[0, COORD_MAX]`.
pub(crate) fn is_magnitude(number: f32) -> bool {
    (0.0..=COORD_MAX).contains(&number)
}

/// Checks the margin of a box.
pub(crate) fn check_margin(margin: f32) -> Result<(), Invalid> {
    if is_magnitude(margin) { Ok(()) } else { Err(Invalid::Margin) }
}

/// Checks one axis of a box or of a displacement, given as an interval of `f32`, or of `f64` that are not rounded yet.
#[inline]
pub(super) fn check_axis(
    axis: usize,
    min: impl Into<f64>,
    max: impl Into<f64>,
) -> Result<(), Invalid> {
    let (axis, min, max) = (axis as u8, min.into(), max.into());
    let limit = f64::from(COORD_MAX);
    if !min.is_finite() || !max.is_finite() {
        Err(Invalid::NotFinite { axis })
    } else if min.abs() > limit || max.abs() > limit {
        Err(Invalid::TooLarge { axis })
    } else if min > max {
        Err(Invalid::Inverted { axis })
    } else {
        Ok(())
    }
}

/// Returns a vector rounded to nearest, and the rounding error, which is exact in `f64`, because that of an `f32` has few digits.
pub(super) fn round_to_nearest(vector: [f64; 3]) -> Result<([f32; 3], [f64; 3]), Invalid> {
    (0..3).try_for_each(|axis| check_axis(axis, vector[axis], vector[axis]))?;
    let rounded = vector.map_each(|x| x as f32);
    Ok((rounded, each_axis(|axis| vector[axis] - f64::from(rounded[axis]))))
}

impl Aabb {
    /// Creates the box between two corners.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for the lowest axis on which the corners are not a valid box.
    pub fn new(min: impl Into<[f32; 3]>, max: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let aabb = Self { min: min.into(), max: max.into() };
        aabb.validate()?;
        Ok(aabb)
    }

    /// Creates the cube with the given centre and half side, rounded outwards.
    ///
    /// # Errors
    ///
    /// The same as for [`Aabb::from_center`].
    pub fn cube(center: impl Into<[f32; 3]>, half: f32) -> Result<Self, Invalid> {
        Self::from_center(center, [half; 3])
    }

    /// Creates the smallest box that contains `center ± half_extents`.
    ///
    /// The corners are rounded outwards where `f32` cannot represent them, so no point of the exact
    /// box is lost.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the corners are not a valid box. A negative half extent is
    /// [`Invalid::Inverted`].
    pub fn from_center(
        center: impl Into<[f32; 3]>,
        half_extents: impl Into<[f32; 3]>,
    ) -> Result<Self, Invalid> {
        let (center, half) = (center.into(), half_extents.into());
        let mut aabb = Self::default();
        for axis in 0..3 {
            check_axis(axis, center[axis], center[axis])?;
            check_axis(axis, -half[axis], half[axis])?;
            [aabb.min[axis], aabb.max[axis]] = Self::ends_around_center(center[axis], half[axis]);
            check_axis(axis, aabb.min[axis], aabb.max[axis])?;
        }
        Ok(aabb)
    }

    /// Returns `center ± half` on one axis, rounded outwards. The ends are invalid if one of the two numbers is.
    #[inline]
    pub(crate) fn ends_around_center(center: f32, half: f32) -> [f32; 2] {
        // Rounding could hide a small negative extent, so the ends of one are swapped.
        if (-COORD_MAX..0.0).contains(&half) && center.abs() <= COORD_MAX {
            return [1.0, -1.0];
        }
        [add_down(center, -half), add_up(center, half)]
    }

    /// Creates the smallest box that contains a box given in `f64`. Corners are rounded outwards.
    ///
    /// Use it for scenes that are too large for `f32`: subtract a common origin in `f64`, for
    /// example that of a sector or of the camera, and convert the difference here. All boxes of a
    /// batch need the same origin; the nearer it is to them, the smaller the rounding.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for the lowest axis on which the numbers are not a valid box.
    ///
    /// ```
    /// use swath::Aabb;
    ///
    /// let origin = 4.0e9; // far out, in metres
    /// let (min, max) = (4.0e9 + 0.1, 4.0e9 + 0.2);
    /// let near = Aabb::from_f64([min - origin; 3], [max - origin; 3])?;
    /// assert!(f64::from(near.min[0]) <= min - origin && f64::from(near.max[0]) >= max - origin);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn from_f64(min: impl Into<[f64; 3]>, max: impl Into<[f64; 3]>) -> Result<Self, Invalid> {
        Self::around(min.into(), max.into(), [[0.0; 2]; 3])
    }

    /// Creates the smallest box that contains the box between two corners after it has grown on
    /// each axis by `[below, above]`.
    pub(super) fn around(
        min: [f64; 3],
        max: [f64; 3],
        growth: [[f64; 2]; 3],
    ) -> Result<Self, Invalid> {
        let mut aabb = Self::default();
        for axis in 0..3 {
            check_axis(axis, min[axis], max[axis])?;
            let [below, above] = growth[axis];
            aabb.min[axis] = round_down(sum_down(min[axis], -below));
            aabb.max[axis] = -round_down(sum_down(-max[axis], -above));
            check_axis(axis, aabb.min[axis], aabb.max[axis])?;
        }
        Ok(aabb)
    }

    /// Creates a box that is a single point.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when a coordinate is not finite or its magnitude is greater than [`COORD_MAX`].
    pub fn point(point: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let point = point.into();
        Self::new(point, point)
    }

    /// Checks that every number is finite, within [`COORD_MAX`], and that `min ≤ max` on each axis.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for the lowest axis on which the box is invalid.
    #[inline]
    pub fn validate(&self) -> Result<(), Invalid> {
        // A single branch in the valid case. NaN compares false, so it is rejected too.
        let Self { min: [x0, y0, z0], max: [x1, y1, z1] } = *self;
        let within = |min: f32, max: f32| (-COORD_MAX <= min) & (min <= max) & (max <= COORD_MAX);
        if within(x0, x1) & within(y0, y1) & within(z0, z1) {
            return Ok(());
        }
        check_axes(self.min, self.max)
    }

    /// Returns the centre, rounded to nearest.
    #[must_use]
    pub fn center(&self) -> [f32; 3] {
        each_axis(|axis| ((f64::from(self.min[axis]) + f64::from(self.max[axis])) * 0.5) as f32)
    }

    /// Returns half the sides, rounded up so that [`Aabb::center`] ± the result contains the box.
    #[must_use]
    pub fn half_extents(&self) -> [f32; 3] {
        let center = self.center();
        each_axis(|axis| {
            let below = add_up(center[axis], -self.min[axis]);
            let above = add_up(self.max[axis], -center[axis]);
            greater(below, above)
        })
    }

    /// Returns the lengths of the sides, rounded to nearest.
    #[must_use]
    pub fn size(&self) -> [f32; 3] {
        each_axis(|axis| self.max[axis] - self.min[axis])
    }

    /// Returns the product of the sides: zero for a flat box.
    ///
    /// The type is `f64`, in which it cannot overflow.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let [x, y, z] = self.size().map_each(f64::from);
        x * y * z
    }

    /// Returns the area of the six faces.
    ///
    /// The type is `f64`, in which it cannot overflow.
    #[must_use]
    pub fn surface_area(&self) -> f64 {
        let [x, y, z] = self.size().map_each(f64::from);
        2.0 * (x * y + y * z + z * x)
    }

    /// Returns the smallest box that contains all points, of which there is at least one.
    pub(crate) fn around_points(points: &[[f32; 3]]) -> Self {
        let mut aabb = Self { min: points[0], max: points[0] };
        for point in &points[1..] {
            let ends = aabb.min.iter_mut().zip(&mut aabb.max);
            for (&x, (low, high)) in point.iter().zip(ends) {
                *low = if x < *low { x } else { *low };
                *high = if x > *high { x } else { *high };
            }
        }
        aabb
    }

    /// Returns the smallest box that contains both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: each_axis(|axis| lesser(self.min[axis], other.min[axis])),
            max: each_axis(|axis| greater(self.max[axis], other.max[axis])),
        }
    }

    /// Returns the smallest box that contains this one and every point at most `margin` away from
    /// it on each axis. A negative margin moves each side inwards by its magnitude, rounded outwards.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when this box or the result is not a valid box: it would reach past [`COORD_MAX`],
    /// or the margin is NaN or so negative that nothing is left.
    pub fn grown(&self, margin: f32) -> Result<Self, Invalid> {
        let grown = Self::new(
            self.min.map_each(|end| add_down(end, -margin)),
            self.max.map_each(|end| add_up(end, margin)),
        )?;
        self.validate()?;
        if margin < 0.0 {
            for axis in 0..3 {
                // Rounding outwards could hide that nothing is left, so the exact ends are compared:
                // rounded to nearest, and by their errors if these are equal.
                let (min, max) =
                    (two_sum(self.min[axis], -margin), two_sum(self.max[axis], margin));
                if min > max {
                    return Err(Invalid::Inverted { axis: axis as u8 });
                }
            }
        }
        Ok(grown)
    }

    /// Returns the smallest box that contains this one moved by `by`.
    ///
    /// Corners are rounded outwards where `f32` cannot represent them. Two boxes that share a point
    /// still share one after both are moved by the same vector.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when this box is not valid, or the result would reach past [`COORD_MAX`].
    pub fn translated(&self, by: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let by = by.into();
        let translated = Self::new(
            each_axis(|axis| add_down(self.min[axis], by[axis])),
            each_axis(|axis| add_up(self.max[axis], by[axis])),
        )?;
        // Rounding outwards could hide that this box is inverted.
        self.validate()?;
        Ok(translated)
    }

    /// Returns the intersection, or `None` when the boxes are disjoint.
    ///
    /// Two boxes that only touch intersect in a flat box.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.overlaps(other).then(|| Self {
            min: each_axis(|axis| greater(self.min[axis], other.min[axis])),
            max: each_axis(|axis| lesser(self.max[axis], other.max[axis])),
        })
    }

    /// Returns whether the two share a point. Touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Returns whether every point of `other` is in this box.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
    }

    /// Returns whether `point` is in this box. The surface counts as inside.
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[f32; 3]>) -> bool {
        let point = point.into();
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }
}

/// Returns the lesser of two numbers, and the second of two equal ones.
///
/// The standard `min` does not specify which of two zeros of different sign it returns.
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the greater of two numbers, and the second of two equal ones.
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns `a + b` rounded to nearest, and the exact rounding error of it.
///
/// The error of a sum is itself a float (Knuth 1998, §4.2.2, theorem B). Its sign shows whether the
/// rounded sum is too high or too low.
fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Returns the greatest `f32` that is not above `a + b`.
pub(super) fn add_down(a: f32, b: f32) -> f32 {
    let (sum, error) = two_sum(a, b);
    if error < 0.0 { sum.next_down() } else { sum }
}

/// Returns the least `f32` that is not below `a + b`.
pub(crate) fn add_up(a: f32, b: f32) -> f32 {
    let (sum, error) = two_sum(a, b);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// Returns the greatest `f32` that is not above `x`. The magnitude of `x` must be well below
/// `f32::MAX`.
pub(super) fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// Returns the greatest `f64` that is not above `a + b`, by the method of [`add_down`].
pub(super) fn sum_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error < 0.0 { sum.next_down() } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a negative extent makes the ends invalid, also if rounding outwards would hide it, and a valid one does not. Method:
    /// extents down to the smallest number, around centres up to the limit.
    #[test]
    fn ends_of_a_negative_extent_are_inverted() {
        for center in [0.0, 1.0, -1e10, COORD_MAX, -COORD_MAX] {
            for half in [f32::from_bits(1), 1e-10, 1.0, COORD_MAX] {
                let [low, high] = Aabb::ends_around_center(center, -half);
                assert!(low > high, "{center} {half}");
                let [low, high] = Aabb::ends_around_center(center, half);
                assert!(low <= center && center <= high, "{center} {half}");
            }
        }
    }
}
