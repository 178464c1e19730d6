//! What is a box, and when is one no box?

use super::AXES;
use bytemuck::{Pod, Zeroable};

/// The greatest magnitude of a coordinate or displacement: 2¹²⁰, about 1.3e36.
///
/// A power of two, so that scaling by it is exact, and small enough that neither the end of a
/// path nor the difference of two such ends overflows `f32`.
pub const COORD_MAX: f32 = f32::from_bits((127 + 120) << 23);

/// A closed axis-aligned box: every point `p` with `min ≤ p ≤ max` on each axis.
///
/// Flat boxes and points (`min == max`) are boxes. The fields are public and plain, so that
/// engines can fill arrays of boxes; whatever takes a box checks it with [`Aabb::validate`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Aabb {
    /// The least corner.
    pub min: [f32; 3],
    /// The greatest corner.
    pub max: [f32; 3],
}

/// Why some numbers are no box, sphere, segment or displacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// A coordinate is NaN or infinite.
    #[error("a number on axis {} is not finite", AXES[*axis as usize])]
    NotFinite {
        /// 0, 1 or 2.
        axis: u8,
    },
    /// A coordinate is past [`COORD_MAX`].
    #[error("a number on axis {} is larger than 2^120", AXES[*axis as usize])]
    TooLarge {
        /// 0, 1 or 2.
        axis: u8,
    },
    /// The least corner is past the greatest.
    #[error("min > max on axis {}", AXES[*axis as usize])]
    Inverted {
        /// 0, 1 or 2.
        axis: u8,
    },
    /// A radius is not in `[0, COORD_MAX]`.
    #[error("a radius is negative, not a number or larger than 2^120")]
    Radius,
    /// The greatest fraction of a segment is not in `[0, ∞]`.
    #[error("the greatest fraction of a segment is negative or not a number")]
    MaxFraction,
    /// The greatest distance at which to look is not in `[0, ∞]`.
    #[error("the greatest distance at which to look is negative or not a number")]
    MaxDistance,
    /// An inverse mass is not in `[0, COORD_MAX]`.
    #[error("an inverse mass is negative, not a number or larger than 2^120")]
    InverseMass,
    /// A restitution is not in `[0, 1]`.
    #[error("a restitution is not in [0, 1]")]
    Restitution,
    /// The length of a quaternion is not one.
    #[error("a rotation is not a unit quaternion")]
    Rotation,
    /// A spin is longer than [`SPIN_MAX`](super::SPIN_MAX).
    #[error("a spin is not a number or longer than 1024 radians a tick")]
    Spin,
}

/// Checks a point or displacement.
#[inline]
pub(super) fn check_vector(vector: [f32; 3]) -> Result<(), Invalid> {
    // One branch where nothing is wrong; NaN is not below anything.
    let [x, y, z] = vector.map(f32::abs);
    if (x <= COORD_MAX) & (y <= COORD_MAX) & (z <= COORD_MAX) {
        return Ok(());
    }
    check_axes(vector, vector)
}

/// Says what is wrong, apart from where nothing is.
#[cold]
fn check_axes(min: [f32; 3], max: [f32; 3]) -> Result<(), Invalid> {
    (0..3).try_for_each(|axis| check_axis(axis, min[axis], max[axis]))
}

/// Checks one axis of a box or of a displacement, each given as an interval.
pub(super) fn check_axis(axis: usize, min: f32, max: f32) -> Result<(), Invalid> {
    let axis = axis as u8;
    if !min.is_finite() || !max.is_finite() {
        Err(Invalid::NotFinite { axis })
    } else if min.abs() > COORD_MAX || max.abs() > COORD_MAX {
        Err(Invalid::TooLarge { axis })
    } else if min > max {
        Err(Invalid::Inverted { axis })
    } else {
        Ok(())
    }
}

/// As [`check_axis`], before anything is rounded.
pub(super) fn check_axis_f64(axis: usize, min: f64, max: f64) -> Result<(), Invalid> {
    let axis = axis as u8;
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

impl Aabb {
    /// The box between two corners.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the numbers are no box; the lowest such axis is named.
    pub fn new(min: impl Into<[f32; 3]>, max: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let aabb = Self { min: min.into(), max: max.into() };
        aabb.validate()?;
        Ok(aabb)
    }

    /// The cube around `center` with half side `half`, rounded outwards.
    ///
    /// # Errors
    ///
    /// As [`Aabb::from_center`].
    pub fn cube(center: impl Into<[f32; 3]>, half: f32) -> Result<Self, Invalid> {
        Self::from_center(center, [half; 3])
    }

    /// The least box that holds `center ± half_extents`.
    ///
    /// The corners are rounded outwards where `f32` cannot hold them, so the box never loses a
    /// point of the one that was meant.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the corners are no box; a negative half extent is
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
            aabb.min[axis] = add_down(center[axis], -half[axis]);
            aabb.max[axis] = add_up(center[axis], half[axis]);
            check_axis(axis, aabb.min[axis], aabb.max[axis])?;
        }
        Ok(aabb)
    }

    /// The least box that holds one given in `f64`: corners are rounded outwards.
    ///
    /// For worlds too large for `f32`: subtract the origin of a sector, or where the camera is,
    /// in `f64`, and round here. One origin serves all boxes of a batch; the nearer it is to them
    /// the less is rounded.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the numbers are no box; the lowest such axis is named.
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

    /// The least box that holds the one between two corners, grown on each axis by `[below,
    /// above]`.
    pub(super) fn around(
        min: [f64; 3],
        max: [f64; 3],
        growth: [[f64; 2]; 3],
    ) -> Result<Self, Invalid> {
        let mut aabb = Self::default();
        for axis in 0..3 {
            check_axis_f64(axis, min[axis], max[axis])?;
            let [below, above] = growth[axis];
            aabb.min[axis] = round_down(sum_down(min[axis], -below));
            aabb.max[axis] = -round_down(sum_down(-max[axis], -above));
            check_axis(axis, aabb.min[axis], aabb.max[axis])?;
        }
        Ok(aabb)
    }

    /// A point as a box.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when a coordinate is not finite or past [`COORD_MAX`].
    pub fn point(point: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let point = point.into();
        Self::new(point, point)
    }

    /// Whether this is a box.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for the lowest axis on which it is not.
    #[inline]
    pub fn validate(&self) -> Result<(), Invalid> {
        // One branch where nothing is wrong; NaN is not below anything.
        let Self { min: [x0, y0, z0], max: [x1, y1, z1] } = *self;
        let within = |min: f32, max: f32| (-COORD_MAX <= min) & (min <= max) & (max <= COORD_MAX);
        if within(x0, x1) & within(y0, y1) & within(z0, z1) {
            return Ok(());
        }
        check_axes(self.min, self.max)
    }

    /// The middle, rounded to nearest.
    #[must_use]
    pub fn center(&self) -> [f32; 3] {
        core::array::from_fn(|axis| {
            ((f64::from(self.min[axis]) + f64::from(self.max[axis])) * 0.5) as f32
        })
    }

    /// Half the sides, rounded up so that [`Aabb::center`] ± these holds the box.
    #[must_use]
    pub fn half_extents(&self) -> [f32; 3] {
        let center = self.center();
        core::array::from_fn(|axis| {
            let below = add_up(center[axis], -self.min[axis]);
            let above = add_up(self.max[axis], -center[axis]);
            greater(below, above)
        })
    }

    /// The sides, rounded to nearest.
    #[must_use]
    pub fn size(&self) -> [f32; 3] {
        core::array::from_fn(|axis| self.max[axis] - self.min[axis])
    }

    /// The product of the sides; zero for a flat box. In `f64`, where it cannot overflow.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let [x, y, z] = self.size().map(f64::from);
        x * y * z
    }

    /// The area of the six faces. In `f64`, where it cannot overflow.
    #[must_use]
    pub fn surface_area(&self) -> f64 {
        let [x, y, z] = self.size().map(f64::from);
        2.0 * (x * y + y * z + z * x)
    }

    /// The least box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: core::array::from_fn(|axis| lesser(self.min[axis], other.min[axis])),
            max: core::array::from_fn(|axis| greater(self.max[axis], other.max[axis])),
        }
    }

    /// The least box that holds this one and all that is at most `margin` away from it on each
    /// axis.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when that is no box: where it would reach past [`COORD_MAX`], or the margin is
    /// NaN or so negative that nothing is left.
    pub fn grown(&self, margin: f32) -> Result<Self, Invalid> {
        Self::new(
            self.min.map(|end| add_down(end, -margin)),
            self.max.map(|end| add_up(end, margin)),
        )
    }

    /// The least box that holds this one moved by `by`: corners are rounded outwards where `f32`
    /// cannot hold them.
    ///
    /// Boxes that share a point still do when both are moved alike.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when that is no box: where it would reach past [`COORD_MAX`].
    pub fn translated(&self, by: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let by = by.into();
        Self::new(
            core::array::from_fn::<_, 3, _>(|axis| add_down(self.min[axis], by[axis])),
            core::array::from_fn::<_, 3, _>(|axis| add_up(self.max[axis], by[axis])),
        )
    }

    /// The points of both, or nothing. Boxes that touch share a flat box.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.overlaps(other).then(|| Self {
            min: core::array::from_fn(|axis| greater(self.min[axis], other.min[axis])),
            max: core::array::from_fn(|axis| lesser(self.max[axis], other.max[axis])),
        })
    }

    /// Whether the two share a point; touching counts.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Whether every point of `other` is in this box.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
    }

    /// Whether `point` is in this box; its surface counts.
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[f32; 3]>) -> bool {
        let point = point.into();
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }
}

/// The lesser. The standard `min` leaves open which of two zeros it returns; this is the second.
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greater; of two zeros the second.
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `a + b` rounded to nearest, and the exact rounding error of that.
///
/// The error of a sum is itself a float (Knuth 1998, §4.2.2, theorem B), so its sign tells
/// whether the rounded sum is too high or too low.
fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// The greatest `f32` that is not above `a + b`.
pub(super) fn add_down(a: f32, b: f32) -> f32 {
    let (sum, error) = two_sum(a, b);
    if error < 0.0 { sum.next_down() } else { sum }
}

/// The least `f32` that is not below `a + b`.
pub(super) fn add_up(a: f32, b: f32) -> f32 {
    let (sum, error) = two_sum(a, b);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// The greatest `f32` that is not above `x`; `x` is far from the greatest of all.
pub(super) fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// The greatest `f64` that is not above `a + b`: as [`add_down`].
pub(super) fn sum_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error < 0.0 { sum.next_down() } else { sum }
}
