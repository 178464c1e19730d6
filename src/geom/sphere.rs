//! Spheres, and spheres that move with constant velocity over one tick.

use super::MapEach;
use super::aabb::{
    Aabb, Invalid, add_down, add_up, check_vector, greater, is_magnitude, lesser, round_to_nearest,
};
use super::each_axis;
use bytemuck::{Pod, Zeroable};

/// A closed ball: every point at most `radius` from `center`. A radius of zero is a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Sphere {
    /// The centre.
    pub center: [f32; 3],
    /// The radius.
    pub radius: f32,
}

impl Sphere {
    /// Creates the ball around `center`.
    ///
    /// # Errors
    ///
    /// The same as for [`Sphere::validate`].
    pub fn new(center: impl Into<[f32; 3]>, radius: f32) -> Result<Self, Invalid> {
        let sphere = Self { center: center.into(), radius };
        sphere.validate()?;
        Ok(sphere)
    }

    /// Creates a sphere that contains the ball of `radius` around `center`.
    ///
    /// The centre is rounded to nearest. The radius grows by the distance by which that moved the
    /// centre, and is rounded up. Values that `f32` can represent do not change.
    ///
    /// # Errors
    ///
    /// The same as for [`Sphere::validate`].
    ///
    /// ```
    /// use swath::Sphere;
    ///
    /// let sphere = Sphere::from_f64([0.5, 0.1, -3.0], 2.0)?;
    /// assert_eq!(sphere.center, [0.5, 0.1, -3.0]);
    /// assert!(sphere.radius > 2.0 && sphere.radius < 2.000001);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn from_f64(center: impl Into<[f64; 3]>, radius: f64) -> Result<Self, Invalid> {
        let (center, lost) = round_to_nearest(center.into())?;
        let sphere = Self { center, radius: round_radius(radius, length_up(lost)) };
        sphere.validate()?;
        Ok(sphere)
    }

    /// Returns the box around the sphere, rounded outwards.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb {
            min: self.center.map_each(|center| add_down(center, -self.radius)),
            max: self.center.map_each(|center| add_up(center, self.radius)),
        }
    }

    /// Checks the centre and the radius.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for a coordinate that is not finite or whose magnitude is greater than
    /// [`COORD_MAX`](super::COORD_MAX), else for a radius that is not in `[0, COORD_MAX]`.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_vector(self.center)?;
        if is_magnitude(self.radius) { Ok(()) } else { Err(Invalid::Radius) }
    }
}

/// A sphere that moves with constant velocity: at `t` in `[0, 1]` it is displaced by `delta · t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct MovingSphere {
    /// The sphere at the start of the tick.
    pub sphere: Sphere,
    /// The displacement over the tick.
    pub delta: [f32; 3],
}

impl MovingSphere {
    /// Creates a sphere that moves by `delta`.
    ///
    /// # Errors
    ///
    /// The same as for [`MovingSphere::validate`].
    pub fn new(sphere: Sphere, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let moving = Self { sphere, delta: delta.into() };
        moving.validate()?;
        Ok(moving)
    }

    /// Creates a moving sphere that contains, at every time of the tick, the ball of `radius`
    /// around `center + delta · t`.
    ///
    /// Centre and displacement are rounded to nearest. The radius grows by the greater of the
    /// distances by which that moves the centre at the start and at the end, and is rounded up.
    ///
    /// # Errors
    ///
    /// The same as for [`MovingSphere::validate`].
    pub fn from_f64(
        center: impl Into<[f64; 3]>,
        radius: f64,
        delta: impl Into<[f64; 3]>,
    ) -> Result<Self, Invalid> {
        let (center, at_start) = round_to_nearest(center.into())?;
        let (delta, moved) = round_to_nearest(delta.into())?;
        // The offset between the two centres is linear in time, so its length is greatest at an
        // end.
        let at_end = each_axis(|axis| at_start[axis] + moved[axis]);
        let lost = length_up(at_start).max(length_up(at_end));
        let moving = Self { sphere: Sphere { center, radius: round_radius(radius, lost) }, delta };
        moving.validate()?;
        Ok(moving)
    }

    /// Returns the box around the whole path, rounded outwards.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.sphere.bounds();
        Aabb {
            min: each_axis(|axis| lesser(add_down(min[axis], self.delta[axis]), min[axis])),
            max: each_axis(|axis| greater(add_up(max[axis], self.delta[axis]), max[axis])),
        }
    }

    /// Checks the sphere and the displacement.
    ///
    /// # Errors
    ///
    /// The error of the sphere, else that of the displacement.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.sphere.validate()?;
        check_vector(self.delta)
    }
}

impl From<Sphere> for MovingSphere {
    /// Creates a sphere that does not move.
    fn from(sphere: Sphere) -> Self {
        Self { sphere, delta: [0.0; 3] }
    }
}

/// Returns an upper bound of the length of `vector`. Each component may have a relative error of
/// 2⁻⁵³.
fn length_up(vector: [f64; 3]) -> f64 {
    let most = vector.into_iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    if most == 0.0 {
        return 0.0;
    }
    // Divide by the greatest component, so that the squares neither overflow nor lose digits that
    // matter. Eight roundings, each of at most 2⁻⁵³, are less than 2⁻⁴⁹. The last product may be
    // below the normal range, which `next_up` covers.
    let [x, y, z] = vector.map_each(|number| number / most);
    let length = most * (libm::sqrt(x * x + y * y + z * z) * (1.0 + f64::EPSILON * 8.0));
    length.next_up()
}

/// Returns an `f32` that is not below `radius + lost` and at most one float above the least such
/// number, or NaN for a negative or NaN radius.
fn round_radius(radius: f64, lost: f64) -> f32 {
    if radius.is_nan() || radius < 0.0 {
        return f32::NAN;
    }
    let sum = if lost == 0.0 { radius } else { (radius + lost).next_up() };
    let rounded = sum as f32;
    if f64::from(rounded) < sum { rounded.next_up() } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::length_up;
    use num_rational::BigRational;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: the length is never below the exact one, and exceeds it by little. Method: squares as fractions, of components of similar
    /// size, for which all roundings of the length may have the same direction.
    #[test]
    fn length_is_an_upper_bound() {
        let exact = |x: f64| BigRational::from_float(x).expect("it is finite");
        let square = |x: BigRational| &x * &x;
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..8_000 {
            let vector = [(); 3].map(|()| random.random_range(0.5..1.0));
            let expected: BigRational = vector.into_iter().map(|x| square(exact(x))).sum();
            let length = length_up(vector);
            assert!(square(exact(length)) >= expected, "{vector:?}");
            assert!(square(exact(length * (1.0 - 16.0 * f64::EPSILON))) < expected, "{vector:?}");
        }
        assert_eq!(length_up([0.0, -0.0, 0.0]), 0.0);
    }
}
