//! A moving box with an inverse mass: the input of [`respond`](crate::batch::respond).

use super::aabb::{Invalid, is_magnitude};
use super::moving::MovingBox;
use bytemuck::{Pod, Zeroable};

/// A moving box and its inverse mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Body {
    /// The box at the start of the tick, and its displacement over the tick.
    pub moving: MovingBox,
    /// Inverse mass, in `[0, COORD_MAX]`.
    ///
    /// A body with inverse mass 0 is not moved by any impulse. It may still have a displacement (a
    /// kinematic body).
    pub inverse_mass: f32,
}

impl Body {
    /// Creates a body.
    ///
    /// # Errors
    ///
    /// The same as for [`Body::validate`].
    pub fn new(moving: impl Into<MovingBox>, inverse_mass: f32) -> Result<Self, Invalid> {
        let body = Self { moving: moving.into(), inverse_mass };
        body.validate()?;
        Ok(body)
    }

    /// Creates a body of infinite mass, such as a wall, a floor or a platform on rails.
    ///
    /// # Errors
    ///
    /// The same as for [`Body::validate`].
    pub fn fixed(moving: impl Into<MovingBox>) -> Result<Self, Invalid> {
        Self::new(moving, 0.0)
    }

    /// Checks the moving box and the inverse mass.
    ///
    /// # Errors
    ///
    /// The error of the moving box, else [`Invalid::InverseMass`].
    pub fn validate(&self) -> Result<(), Invalid> {
        self.moving.validate()?;
        check_inverse_mass(self.inverse_mass)
    }
}

/// Checks that an inverse mass is in `[0, COORD_MAX]`.
pub(crate) fn check_inverse_mass(inverse_mass: f32) -> Result<(), Invalid> {
    // NaN is in no range, so it is rejected too.
    if is_magnitude(inverse_mass) { Ok(()) } else { Err(Invalid::InverseMass) }
}

/// One of the two bodies of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Member {
    /// The first body, from which the normal points away.
    A,
    /// The second body, towards which the normal points.
    B,
}
