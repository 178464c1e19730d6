//! Valid inverse masses and restitutions.
//!
//! Inverse masses are limited so that no impulse between bodies of ordinary speeds exceeds the greatest `f32`:
//! with a mass of 2⁶⁴ that takes a speed of 2⁶³.

use swath::Invalid;

/// Least inverse mass that is not 0: 2⁻⁶⁴. It keeps impulses finite in `f32` for all but extreme speeds.
const INVERSE_MASS_MIN: f32 = f32::from_bits((127 - 64) << 23);
/// Greatest inverse mass: 2⁶⁴.
const INVERSE_MASS_MAX: f32 = f32::from_bits((127 + 64) << 23);

/// Inverse mass and restitution of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mass {
    /// One divided by the mass, in `[2⁻⁶⁴, 2⁶⁴]`; or 0 for a body that cannot be pushed. Such a body may move.
    pub inverse_mass: f32,
    /// Part of the closing speed with which two bodies separate, in `[0, 1]`. Of two bodies the greater value
    /// counts.
    pub restitution: f32,
}

impl Mass {
    /// A body that cannot be pushed and has no restitution.
    pub const FIXED: Self = Self { inverse_mass: 0.0, restitution: 0.0 };

    /// Checks that both numbers are in their ranges.
    ///
    /// # Errors
    ///
    /// [`Invalid::InverseMass`], else [`Invalid::Restitution`].
    ///
    /// ```
    /// use swath::Invalid;
    /// use swath_stepping::Mass;
    ///
    /// let ball = Mass { inverse_mass: 4.0, restitution: 0.5 };
    /// assert_eq!(ball.validate(), Ok(()));
    /// assert_eq!(Mass { inverse_mass: -1.0, ..ball }.validate(), Err(Invalid::InverseMass));
    /// assert_eq!(Mass { restitution: f32::NAN, ..ball }.validate(), Err(Invalid::Restitution));
    /// ```
    pub fn validate(&self) -> Result<(), Invalid> {
        // NaN is outside of every range.
        let is_moved = (INVERSE_MASS_MIN..=INVERSE_MASS_MAX).contains(&self.inverse_mass);
        if !is_moved && self.inverse_mass != 0.0 {
            return Err(Invalid::InverseMass);
        }
        if (0.0..=1.0).contains(&self.restitution) { Ok(()) } else { Err(Invalid::Restitution) }
    }
}
