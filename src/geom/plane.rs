//! What is a half-space?

use super::aabb::{Invalid, check_vector};
use bytemuck::{Pod, Zeroable};

/// The closed half-space of all points `p` with `normal · p ≤ offset`.
///
/// A convex polyhedron or a frustum is what several of them share. The normal points outwards
/// and need not be unit; a zero normal holds all points or none, by the sign of `offset`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Plane {
    /// Where outside is.
    pub normal: [f32; 3],
    /// How far the plane lies from the origin along `normal`, in lengths of `normal`.
    pub offset: f32,
}

impl Plane {
    /// The greatest magnitude of `normal` on an axis: 16, so that its products with coordinates
    /// do not overflow. Scale plane equations with greater normals down by a power of two.
    pub const NORMAL_MAX: f32 = 16.0;

    /// The half-space `normal · p ≤ offset`.
    ///
    /// # Errors
    ///
    /// As [`Plane::validate`].
    pub fn new(normal: impl Into<[f32; 3]>, offset: f32) -> Result<Self, Invalid> {
        let plane = Self { normal: normal.into(), offset };
        plane.validate()?;
        Ok(plane)
    }

    /// Whether this is a half-space.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when a number is not finite, `normal` is past [`Plane::NORMAL_MAX`] or `offset`
    /// past [`COORD_MAX`](super::COORD_MAX); `offset` counts as axis 0.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_vector(self.normal)?;
        if let Some(axis) = (0..3).find(|&axis| self.normal[axis].abs() > Self::NORMAL_MAX) {
            return Err(Invalid::TooLarge { axis: axis as u8 });
        }
        check_vector([self.offset, 0.0, 0.0])
    }
}
