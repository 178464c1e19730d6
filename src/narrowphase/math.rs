//! Vectors and matrices of the narrowphase.
//!
//! They are `f64` and computed one number at a time, so the bits are the same everywhere. The order
//! of operations is fixed, and each one is rounded separately.

use crate::geom::MapEach;
use core::ops::{Add, Mul, Neg, Sub};

/// A vector of three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct V3 {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
}

impl V3 {
    pub(crate) const ZERO: Self = Self::new(0.0, 0.0, 0.0);
    pub(crate) const ONE: Self = Self::new(1.0, 1.0, 1.0);
    pub(crate) const X: Self = Self::new(1.0, 0.0, 0.0);
    pub(crate) const NAN: Self = Self::new(f64::NAN, f64::NAN, f64::NAN);

    #[inline(always)]
    pub(crate) const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub(crate) fn of(vector: [f32; 3]) -> Self {
        Self::new(vector[0].into(), vector[1].into(), vector[2].into())
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }

    /// Rounds each component to the nearest `f32`.
    #[inline(always)]
    pub(crate) fn to_f32(self) -> [f32; 3] {
        self.to_array().map_each(|x| x as f32)
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Multiplies each component by that of `other`.
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        Self::new(self.x * other.x, self.y * other.y, self.z * other.z)
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self::new(self.x.abs(), self.y.abs(), self.z.abs())
    }

    /// Returns each component with the sign of that of `other`.
    #[inline(always)]
    pub(crate) fn copysign(self, other: Self) -> Self {
        Self::new(self.x.copysign(other.x), self.y.copysign(other.y), self.z.copysign(other.z))
    }

    /// Returns the lesser of each component and that of `most`.
    #[inline(always)]
    pub(crate) fn at_most(self, most: Self) -> Self {
        Self::new(lesser(self.x, most.x), lesser(self.y, most.y), lesser(self.z, most.z))
    }

    /// Returns the greater of each component and that of `least`.
    #[inline(always)]
    pub(crate) fn at_least(self, least: Self) -> Self {
        Self::new(greater(self.x, least.x), greater(self.y, least.y), greater(self.z, least.z))
    }

    /// Returns the greatest component.
    #[inline(always)]
    pub(crate) fn greatest(self) -> f64 {
        greater(greater(self.x, self.y), self.z)
    }

    /// Returns the sum of the magnitudes of the components, which is at least the length, and does not need a square root.
    #[inline(always)]
    pub(crate) fn manhattan_length(self) -> f64 {
        self.x.abs() + self.y.abs() + self.z.abs()
    }

    #[inline(always)]
    pub(crate) fn square(self) -> f64 {
        self.dot(self)
    }

    #[inline(always)]
    pub(crate) fn length(self) -> f64 {
        sqrt(self.square())
    }

    /// Returns the unit vector, or `None` if the length is too small or not a number. The result of a
    /// length of 2⁵¹² or more is zero or NaN.
    #[inline(always)]
    pub(crate) fn unit(self) -> Option<Self> {
        let square = self.square();
        (square > f64::MIN_POSITIVE).then(|| self * (1.0 / sqrt(square)))
    }
}

impl Add for V3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for V3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Neg for V3 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl Mul<f64> for V3 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, by: f64) -> Self {
        Self::new(self.x * by, self.y * by, self.z * by)
    }
}

/// Rotation matrix from the axes of a body to those of the world, as three rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct M3 {
    pub(crate) rows: [V3; 3],
}

impl M3 {
    pub(crate) const IDENTITY: Self =
        Self { rows: [V3::X, V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)] };

    /// Returns the rotation of a quaternion, which is normalised first.
    #[inline]
    pub(crate) fn of_quaternion(quaternion: [f32; 4]) -> Self {
        let [x, y, z, w] = quaternion.map_each(f64::from);
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        let (xs, ys, zs) = (x * s, y * s, z * s);
        let (wx, wy, wz) = (w * xs, w * ys, w * zs);
        let (xx, xy, xz) = (x * xs, x * ys, x * zs);
        let (yy, yz, zz) = (y * ys, y * zs, z * zs);
        Self {
            rows: [
                V3::new(1.0 - (yy + zz), xy - wz, xz + wy),
                V3::new(xy + wz, 1.0 - (xx + zz), yz - wx),
                V3::new(xz - wy, yz + wx, 1.0 - (xx + yy)),
            ],
        }
    }

    /// Returns the second axis of the rotation of a quaternion: that of [`M3::of_quaternion`], with fewer operations.
    #[inline(always)]
    pub(crate) fn second_axis(quaternion: [f32; 4]) -> V3 {
        let [x, y, z, w] = quaternion.map_each(f64::from);
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        let (xs, ys, zs) = (x * s, y * s, z * s);
        V3::new(x * ys - w * zs, 1.0 - (x * xs + z * zs), y * zs + w * xs)
    }

    /// Transforms a direction from body axes to world axes.
    #[inline(always)]
    pub(crate) fn rotate(&self, local: V3) -> V3 {
        let [x, y, z] = &self.rows;
        V3::new(x.dot(local), y.dot(local), z.dot(local))
    }

    /// Transforms a direction from world axes to body axes.
    #[inline(always)]
    pub(crate) fn rotate_back(&self, world: V3) -> V3 {
        let [x, y, z] = &self.rows;
        *x * world.x + *y * world.y + *z * world.z
    }

    /// Returns the rotation `other`, seen from these axes.
    #[inline]
    pub(crate) fn back(&self, other: &Self) -> Self {
        let [x, y, z] = &self.rows;
        let row =
            |x: f64, y: f64, z: f64| other.rows[0] * x + other.rows[1] * y + other.rows[2] * z;
        Self { rows: [row(x.x, y.x, z.x), row(x.y, y.y, z.y), row(x.z, y.z, z.z)] }
    }

    /// Returns axis `axis` of the body in world axes.
    #[inline(always)]
    pub(crate) fn axis(&self, axis: usize) -> V3 {
        let of = |row: V3| row.to_array()[axis];
        V3::new(of(self.rows[0]), of(self.rows[1]), of(self.rows[2]))
    }
}

/// Returns the square root, rounded to nearest. Both implementations give the same bits, because
/// IEEE 754 defines the operation; the first is one instruction, but is not available in `core`.
#[inline(always)]
pub(crate) fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrt(x);
}

/// Returns the lesser number, or the second if they are equal.
#[inline(always)]
pub(crate) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Returns the greater number, or the second if they are equal.
#[inline(always)]
pub(crate) fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Returns the greater number, or the second if they are equal; NaN if one of them is NaN.
#[inline(always)]
pub(crate) fn greater_or_nan(a: f64, b: f64) -> f64 {
    if a > b {
        a
    } else if b >= a {
        b
    } else {
        f64::NAN
    }
}

/// Returns the greatest `f32` that is not above `x`. `x` is in the range of `f32`.
#[inline(always)]
pub(crate) fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// Returns the least `f32` that is not below `x`, which is in the range of `f32`.
#[inline(always)]
pub(crate) fn round_up(x: f64) -> f32 {
    -round_down(-x)
}

/// Scales a direction so that its greatest component, which is less than 2¹⁰²³, is in `[1, 2)`. The factor is a power of two,
/// which is exact. With a greater one the result is zero.
#[inline(always)]
pub(crate) fn scaled(direction: V3) -> V3 {
    let most = direction.abs().greatest();
    // A direction is zero if the scale of the shape is zero along it. Then all points are farthest, and
    // any direction will do. NaN is outside of every range, and a sum is NaN if a component is.
    if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&most) || direction.manhattan_length().is_nan()
    {
        return V3::X;
    }
    // The reciprocal of the power of two below it: the exponents add up to twice the bias.
    let power = most.to_bits() & f64::INFINITY.to_bits();
    direction * f64::from_bits((2046 << 52) - power)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the second axis alone has the bits of that of the whole matrix. Method: random quaternions of any length.
    #[test]
    fn second_axis_has_the_bits_of_the_matrix() {
        let mut draw = random::numbers_f32(13);
        for _ in 0..1000 {
            let quaternion = [draw(), draw(), draw(), draw()];
            let axis = M3::of_quaternion(quaternion).axis(1);
            assert_eq!(M3::second_axis(quaternion), axis, "{quaternion:?}");
        }
    }

    /// Goal: a time is rounded down, by up to 2⁻²³ of it and never more. Method: numbers between two
    /// floats, close to the upper one.
    #[test]
    fn a_time_is_rounded_down_by_a_part_of_it() {
        let mut most = 0.0;
        for step in 1..=4096_u32 {
            let low = f64::from(step) / 4096.0;
            let high = f64::from((low as f32).next_up());
            for part in [0.0, 0.25, 0.5, 0.75, 1.0 - 1e-9] {
                let x = low + part * (high - low);
                let off = (x - f64::from(round_down(x))) / x;
                assert!((0.0..=1.0 / f64::from(1 << 23)).contains(&off), "{x}: {off}");
                most = greater(most, off);
            }
        }
        assert!(most > 0.99 / f64::from(1 << 23), "{most}");
    }
}

/// Random numbers in `[-1, 1)` for tests.
#[cfg(test)]
pub(crate) mod random {
    /// Steps of a linear congruential generator (Knuth 1998, §3.3.4, line 26), of which the upper bits are used.
    fn states(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state
        }
    }

    pub(crate) fn numbers_f32(seed: u64) -> impl FnMut() -> f32 {
        let mut next = states(seed);
        move || (next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn numbers_f64(seed: u64) -> impl FnMut() -> f64 {
        let mut next = states(seed);
        move || (next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
