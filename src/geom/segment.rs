//! What is a segment, and what a ray?

use super::aabb::{Invalid, check_vector};
use bytemuck::{Pod, Zeroable};

/// The points `start + f · delta` for `f` in `[0, max_fraction]`.
///
/// A segment has `max_fraction` 1, a ray infinity. Where `delta` is zero it is the point `start`.
/// `delta` need not be unit: fractions are of its length, whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Segment {
    /// Where it starts.
    pub start: [f32; 3],
    /// Where it goes: to `start + delta` at fraction 1.
    pub delta: [f32; 3],
    /// How far it goes, as a fraction of `delta`; may be infinite.
    pub max_fraction: f32,
}

impl Segment {
    /// The segment from `start` to `start + delta`.
    ///
    /// # Errors
    ///
    /// As [`Segment::validate`].
    pub fn new(start: impl Into<[f32; 3]>, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let segment = Self { start: start.into(), delta: delta.into(), max_fraction: 1.0 };
        segment.validate()?;
        Ok(segment)
    }

    /// The ray from `start` in `direction`, without an end.
    ///
    /// # Errors
    ///
    /// As [`Segment::validate`].
    pub fn ray(
        start: impl Into<[f32; 3]>,
        direction: impl Into<[f32; 3]>,
    ) -> Result<Self, Invalid> {
        let ray =
            Self { start: start.into(), delta: direction.into(), max_fraction: f32::INFINITY };
        ray.validate()?;
        Ok(ray)
    }

    /// The segment from `start` to `end`. The difference is rounded to nearest, so the last point
    /// may be off `end` by half a unit in its last place.
    ///
    /// # Errors
    ///
    /// As [`Segment::validate`].
    pub fn between(start: impl Into<[f32; 3]>, end: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let (start, end) = (start.into(), end.into());
        Self::new(start, core::array::from_fn(|axis| end[axis] - start[axis]))
    }

    /// Whether this is a segment.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: a coordinate that is not finite or past [`COORD_MAX`](super::COORD_MAX), else
    /// a `max_fraction` that is negative or NaN.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_vector(self.start)?;
        check_vector(self.delta)?;
        if self.max_fraction >= 0.0 { Ok(()) } else { Err(Invalid::MaxFraction) }
    }

    /// The point at `fraction`, each coordinate rounded to nearest twice.
    #[must_use]
    pub fn at(&self, fraction: f32) -> [f32; 3] {
        core::array::from_fn(|axis| self.start[axis] + self.delta[axis] * fraction)
    }
}
