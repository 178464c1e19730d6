//! Half-spaces, whose intersection is a convex polyhedron or a frustum.

use super::aabb::{COORD_MAX, Invalid};
use bytemuck::{Pod, Zeroable};

/// The closed half-space of all points `p` with `normal · p ≤ offset`.
///
/// The intersection of several half-spaces is a convex polyhedron or a frustum. The normal points
/// outwards and need not be of unit length. With a zero normal the half-space contains all points
/// or none, depending on the sign of `offset`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Plane {
    /// The outward normal.
    pub normal: [f32; 3],
    /// The signed distance of the plane from the origin along `normal`, in units of the length of
    /// `normal`.
    pub offset: f32,
}

impl Plane {
    /// The greatest magnitude of a component of `normal`: 16.
    ///
    /// The bound keeps products with coordinates from overflowing. Scale plane equations with
    /// greater normals down by a power of two.
    pub const NORMAL_MAX: f32 = 16.0;

    /// Creates the half-space `normal · p ≤ offset`.
    ///
    /// # Errors
    ///
    /// The same as for [`Plane::validate`].
    pub fn new(normal: impl Into<[f32; 3]>, offset: f32) -> Result<Self, Invalid> {
        let plane = Self { normal: normal.into(), offset };
        plane.validate()?;
        Ok(plane)
    }

    /// Checks the normal and the offset.
    ///
    /// # Errors
    ///
    /// [`Invalid::NotFinite`] for a component of `normal` that is not finite, else [`Invalid::Normal`] for one that exceeds
    /// [`Plane::NORMAL_MAX`] in magnitude, else [`Invalid::Offset`] when `offset` is not finite or exceeds [`COORD_MAX`] in magnitude.
    pub fn validate(&self) -> Result<(), Invalid> {
        if let Some(axis) = (0..3).find(|&axis| !self.normal[axis].is_finite()) {
            return Err(Invalid::NotFinite { axis: axis as u8 });
        }
        if self.normal.iter().any(|component| component.abs() > Self::NORMAL_MAX) {
            return Err(Invalid::Normal);
        }
        if self.offset.abs() <= COORD_MAX { Ok(()) } else { Err(Invalid::Offset) }
    }
}
