//! What is a moving box that contacts can push?

use super::aabb::{COORD_MAX, Invalid};
use super::moving::MovingBox;
use bytemuck::{Pod, Zeroable};

/// A moving box and how easily it is pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Body {
    /// Where the box is when the tick starts, and its displacement over the tick.
    pub moving: MovingBox,
    /// One by its mass, in `[0, COORD_MAX]`; 0 is a body that nothing pushes. It may move.
    pub inverse_mass: f32,
}

impl Body {
    /// A body.
    ///
    /// # Errors
    ///
    /// As [`Body::validate`].
    pub fn new(moving: impl Into<MovingBox>, inverse_mass: f32) -> Result<Self, Invalid> {
        let body = Self { moving: moving.into(), inverse_mass };
        body.validate()?;
        Ok(body)
    }

    /// A body that nothing pushes: a wall, a floor, a platform on its rails.
    ///
    /// # Errors
    ///
    /// As [`Body::validate`].
    pub fn fixed(moving: impl Into<MovingBox>) -> Result<Self, Invalid> {
        Self::new(moving, 0.0)
    }

    /// Whether this is a body.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: what is wrong with the moving box, else [`Invalid::InverseMass`].
    pub fn validate(&self) -> Result<(), Invalid> {
        self.moving.validate()?;
        check_inverse_mass(self.inverse_mass)
    }
}

/// Checks that an inverse mass is in `[0, COORD_MAX]`.
pub(crate) fn check_inverse_mass(inverse_mass: f32) -> Result<(), Invalid> {
    // NaN is in no range.
    if (0.0..=COORD_MAX).contains(&inverse_mass) { Ok(()) } else { Err(Invalid::InverseMass) }
}
