//! Segments and rays, the input of a cast.

use super::aabb::{Invalid, check_vector};
use super::each_axis;
use bytemuck::{Pod, Zeroable};

/// A segment or ray: the points `start + f · delta` for `f` in `[0, max_fraction]`.
///
/// `max_fraction` is 1 for a segment and infinite for a ray. If `delta` is zero, the segment is the
/// point `start`. `delta` need not be of unit length; fractions are in units of its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Segment {
    /// The start point.
    pub start: [f32; 3],
    /// The vector from the start to the point at fraction 1.
    pub delta: [f32; 3],
    /// The greatest fraction, in units of `delta`. It may be infinite, which formats like JSON cannot represent.
    pub max_fraction: f32,
}

impl Segment {
    /// Creates the segment from `start` to `start + delta`.
    ///
    /// # Errors
    ///
    /// The same as for [`Segment::validate`].
    pub fn new(start: impl Into<[f32; 3]>, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let segment = Self { start: start.into(), delta: delta.into(), max_fraction: 1.0 };
        segment.validate()?;
        Ok(segment)
    }

    /// Creates the ray from `start` in `direction`, without an end. For a ray of limited length set [`Segment::max_fraction`].
    ///
    /// # Errors
    ///
    /// The same as for [`Segment::validate`].
    pub fn ray(
        start: impl Into<[f32; 3]>,
        direction: impl Into<[f32; 3]>,
    ) -> Result<Self, Invalid> {
        let ray =
            Self { start: start.into(), delta: direction.into(), max_fraction: f32::INFINITY };
        ray.validate()?;
        Ok(ray)
    }

    /// Creates the segment from `start` to `end`.
    ///
    /// The difference is rounded to nearest, so the last point may differ from `end` by half a unit
    /// in the last place of the difference.
    ///
    /// # Errors
    ///
    /// The same as for [`Segment::validate`].
    pub fn between(start: impl Into<[f32; 3]>, end: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let (start, end) = (start.into(), end.into());
        Self::new(start, each_axis(|axis| end[axis] - start[axis]))
    }

    /// Checks the start, the direction and `max_fraction`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for a coordinate that is not finite or whose magnitude is greater than
    /// [`COORD_MAX`](super::COORD_MAX), else for a `max_fraction` that is negative or NaN.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_vector(self.start)?;
        check_vector(self.delta)?;
        if self.max_fraction >= 0.0 { Ok(()) } else { Err(Invalid::MaxFraction) }
    }

    /// Returns the point at `fraction`. The product and the sum are each rounded to nearest.
    ///
    /// On an axis on which `delta` is zero, the point is at the start, whatever the fraction is. On the others, an infinite
    /// fraction gives an infinite coordinate, and NaN gives NaN.
    #[must_use]
    pub fn at(&self, fraction: f32) -> [f32; 3] {
        each_axis(|axis| {
            let delta = self.delta[axis];
            // Zero times infinity would be NaN.
            let stays = delta == 0.0 && !fraction.is_finite();
            self.start[axis] + if stays { delta } else { delta * fraction }
        })
    }
}
