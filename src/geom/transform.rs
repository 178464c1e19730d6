//! Points and directions in the axes of a pose, and poses relative to others.
//!
//! With the quaternion `q = (u, w)`, a vector `v` is rotated to `v + 2·(w·(u × v) + u × (u × v)) / |q|²`, so that the length of the
//! quaternion has no effect. All sums are computed in `f64` and rounded to `f32` once.
//!
//! Error of each coordinate: half a unit in the last place, and 2⁻⁴⁶ of the sum of the lengths of the vector and of the position, which
//! counts where the two cancel each other.

use super::pose::{Pose, product, square_of, to_unit};
use super::{MapEach, each_axis};

impl Pose {
    /// Converts a point from the axes of the pose to the world: `rotation · point + position`.
    ///
    /// It is computed in `f64` and rounded to nearest: a coordinate differs from the exact one by at most half a unit in the last place and 2⁻⁴⁶ of
    /// the sum of the lengths of the point and of the position. The lengths of rotated vectors are kept, whatever the length of the quaternion. The
    /// result is not checked: a point that reaches past [`COORD_MAX`](crate::COORD_MAX) is invalid where it is used, and an invalid pose or a
    /// coordinate that is NaN or infinite has any result.
    ///
    /// ```
    /// use swath::Pose;
    ///
    /// // The muzzle of a gun that has made a quarter turn about y.
    /// let half = 0.5_f32.sqrt();
    /// let gun = Pose::normalized([10.0, 2.0, 0.0], [0.0, half, 0.0, half])?;
    /// assert_eq!(gun.transform_point([0.0, 0.5, 3.0]), [13.0, 2.5, 0.0]);
    /// assert_eq!(gun.transform_vector([0.0, 0.5, 3.0]), [3.0, 0.5, 0.0]);
    /// assert_eq!(gun.inverse_transform_point([13.0, 2.5, 0.0]), [0.0, 0.5, 3.0]);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    #[must_use]
    pub fn transform_point(&self, point: impl Into<[f32; 3]>) -> [f32; 3] {
        self.point_to_world(point.into())
    }

    /// Converts a direction, a displacement or a normal from the axes of the pose to the world: `rotation · vector`, without the position.
    ///
    /// The rounding is that of [`Pose::transform_point`].
    #[must_use]
    pub fn transform_vector(&self, vector: impl Into<[f32; 3]>) -> [f32; 3] {
        rotated(self.rotation, vector.into().map_each(f64::from)).map_each(|x| x as f32)
    }

    /// Converts a point of the world to the axes of the pose: `rotation⁻¹ · (point − position)`.
    ///
    /// The rounding is that of [`Pose::transform_point`]. The point is not rounded between the two steps, so this is more exact than
    /// [`Pose::inverse`] and `transform_point`.
    #[must_use]
    pub fn inverse_transform_point(&self, point: impl Into<[f32; 3]>) -> [f32; 3] {
        self.point_from_world(point.into())
    }

    /// Converts a direction, a displacement or a normal of the world to the axes of the pose: `rotation⁻¹ · vector`.
    ///
    /// The rounding is that of [`Pose::transform_point`].
    #[must_use]
    pub fn inverse_transform_vector(&self, vector: impl Into<[f32; 3]>) -> [f32; 3] {
        rotated(conjugate(self.rotation), vector.into().map_each(f64::from)).map_each(|x| x as f32)
    }

    /// Returns the world pose of a part whose pose in the axes of this one is `local`: a point of the part is converted by `local` first and then by this pose.
    ///
    /// The position is [`transform_point`](Pose::transform_point) of that of `local`. The rotation is the product of the two quaternions, computed
    /// in `f64` and rounded to nearest; if its squared length differs from one by more than 2⁻²⁰, it is normalised, so that a chain of valid poses
    /// stays valid. The result is not checked: its position may be past [`COORD_MAX`](crate::COORD_MAX).
    ///
    /// ```
    /// use swath::Pose;
    ///
    /// // A hand at the end of an arm, which is at the shoulder of a body that has turned by half a turn about y.
    /// let body = Pose::new([5.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0])?;
    /// let shoulder = Pose::at([0.25, 1.5, 0.0])?;
    /// let hand = Pose::at([0.75, 0.0, 0.0])?;
    /// let held = body.compose(&shoulder).compose(&hand);
    /// assert_eq!(held, Pose::new([4.0, 1.5, 0.0], [0.0, 1.0, 0.0, 0.0])?);
    /// // And the pose of the hand as the body sees it.
    /// assert_eq!(body.inverse().compose(&held).position, [1.0, 1.5, 0.0]);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    #[must_use]
    pub fn compose(&self, local: &Self) -> Self {
        let [outer, inner] = [self.rotation, local.rotation].map_each(|q| q.map_each(f64::from));
        let rotation = to_unit(product(outer, inner));
        Self { position: self.point_to_world(local.position), rotation }
    }

    /// Returns the pose that undoes this one: the pose of the world in the axes of this pose.
    ///
    /// The rotation is exact. The position is rounded as by [`Pose::transform_point`], so a pose composed with its inverse is at the origin but for
    /// this rounding.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { position: self.point_from_world([0.0; 3]), rotation: conjugate(self.rotation) }
    }

    /// Does what [`Pose::transform_point`] does. It is not generic, so that it is compiled once.
    fn point_to_world(&self, point: [f32; 3]) -> [f32; 3] {
        let turned = rotated(self.rotation, point.map_each(f64::from));
        each_axis(|axis| (turned[axis] + f64::from(self.position[axis])) as f32)
    }

    /// Does what [`Pose::inverse_transform_point`] does. It is not generic, so that it is compiled once.
    fn point_from_world(&self, point: [f32; 3]) -> [f32; 3] {
        let from = each_axis(|axis| f64::from(point[axis]) - f64::from(self.position[axis]));
        rotated(conjugate(self.rotation), from).map_each(|x| x as f32)
    }
}

/// Returns the quaternion of the inverse rotation.
fn conjugate([x, y, z, w]: [f32; 4]) -> [f32; 4] {
    [-x, -y, -z, w]
}

/// Returns a vector, rotated by a quaternion of any length.
fn rotated(rotation: [f32; 4], vector: [f64; 3]) -> [f64; 3] {
    let quaternion = rotation.map_each(f64::from);
    let [x, y, z, w] = quaternion;
    let across = cross([x, y, z], vector);
    let twice = cross([x, y, z], across);
    let by = 2.0 / square_of(quaternion);
    each_axis(|axis| vector[axis] + by * (w * across[axis] + twice[axis]))
}

fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}
