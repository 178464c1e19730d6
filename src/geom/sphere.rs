//! What is a sphere, and one that moves?

use super::aabb::{COORD_MAX, Invalid, check_vector};
use bytemuck::{Pod, Zeroable};

/// A closed ball: every point at most `radius` from `center`. A radius of zero is a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Sphere {
    /// The middle.
    pub center: [f32; 3],
    /// How far its surface is from the middle.
    pub radius: f32,
}

impl Sphere {
    /// The ball around `center`.
    ///
    /// # Errors
    ///
    /// As [`Sphere::validate`].
    pub fn new(center: impl Into<[f32; 3]>, radius: f32) -> Result<Self, Invalid> {
        let sphere = Self { center: center.into(), radius };
        sphere.validate()?;
        Ok(sphere)
    }

    /// Whether this is a sphere.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: a coordinate that is not finite or past [`COORD_MAX`], else a radius that is
    /// not in `[0, COORD_MAX]`.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_vector(self.center)?;
        if (0.0..=COORD_MAX).contains(&self.radius) { Ok(()) } else { Err(Invalid::Radius) }
    }
}

/// A sphere and how far it goes in one tick: at `t` in `[0, 1]` it is moved by `delta · t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct MovingSphere {
    /// Where the sphere is when the tick starts.
    pub sphere: Sphere,
    /// Its displacement over the tick.
    pub delta: [f32; 3],
}

impl MovingSphere {
    /// A sphere that moves by `delta`.
    ///
    /// # Errors
    ///
    /// As [`MovingSphere::validate`].
    pub fn new(sphere: Sphere, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let moving = Self { sphere, delta: delta.into() };
        moving.validate()?;
        Ok(moving)
    }

    /// Whether this is a sphere and a displacement.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: what is wrong with the sphere, else with the displacement.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.sphere.validate()?;
        check_vector(self.delta)
    }
}

impl From<Sphere> for MovingSphere {
    /// A sphere that stays where it is.
    fn from(sphere: Sphere) -> Self {
        Self { sphere, delta: [0.0; 3] }
    }
}
