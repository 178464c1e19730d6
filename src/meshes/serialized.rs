//! Serialised meshes, height fields and compounds.
//!
//! What a body was built of is written, and it is built again when it is read, through its constructor and with the default
//! [`Exec`](crate::Exec). The build gives the same hierarchy again, and so the same results to the bit.

use super::compound::{Compound, PARTS_MAX};
use super::height_field::HeightField;
use super::mesh::Mesh;
use crate::geom::Pose;
use crate::narrowphase::OwnedShape;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Mesh")]
struct SerializedMesh<'a> {
    vertices: Cow<'a, [[f32; 3]]>,
    triangles: Cow<'a, [[u32; 3]]>,
    one_sided: bool,
}

impl Serialize for Mesh<'_> {
    /// Serialises the vertices, the triangles, also those that were [rejected](Mesh::rejected), and whether the mesh is one-sided. Vertices that are not
    /// finite cannot be read again from a text format without NaN.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mesh = SerializedMesh {
            vertices: Cow::Borrowed(self.vertices()),
            triangles: Cow::Borrowed(self.triangles()),
            one_sided: self.is_one_sided(),
        };
        mesh.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Mesh<'_> {
    /// Builds a mesh that owns its vertices and triangles, as [`Mesh::new`]: triangles with an invalid index or corner are left out and
    /// [listed](Mesh::rejected).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = SerializedMesh::deserialize(deserializer)?;
        let (vertices, triangles) = (read.vertices.into_owned(), read.triangles.into_owned());
        let mesh = Self::new(vertices, triangles).map_err(D::Error::custom)?;
        Ok(if read.one_sided { mesh.one_sided() } else { mesh })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "HeightField")]
struct SerializedField<H> {
    heights: H,
    samples: [u32; 2],
    spacing: [f32; 2],
    one_sided: bool,
}

impl<H> SerializedField<H> {
    fn of(field: &HeightField<'_>, heights: H) -> Self {
        let (samples, spacing) = (field.samples(), field.spacing());
        Self { heights, samples, spacing, one_sided: field.is_one_sided() }
    }

    /// Builds the field with the heights that `convert` returns.
    fn build<'a, E: serde::de::Error>(
        self,
        convert: impl FnOnce(H) -> Vec<f32>,
    ) -> Result<HeightField<'a>, E> {
        let Self { heights, samples, spacing, one_sided } = self;
        let field = HeightField::new(convert(heights), samples, spacing).map_err(E::custom)?;
        Ok(if one_sided { field.one_sided() } else { field })
    }
}

impl Serialize for HeightField<'_> {
    /// Serialises the heights, the grid, and whether the field is one-sided. In text formats, of which some have no NaN, a height that is not
    /// finite is written as an empty value (`null`).
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let finite = |&height: &f32| height.is_finite().then_some(height);
            let heights: Vec<_> = self.heights().iter().map(finite).collect();
            return SerializedField::of(self, heights).serialize(serializer);
        }
        SerializedField::of(self, self.heights()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HeightField<'_> {
    /// Builds a height field that owns its heights, as [`HeightField::new`]. In text formats an empty value (`null`) is a hole.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let read = SerializedField::<Vec<Option<f32>>>::deserialize(deserializer)?;
            let height = |height: Option<f32>| height.unwrap_or(f32::NAN);
            return read.build(|heights| heights.into_iter().map(height).collect());
        }
        SerializedField::<Vec<f32>>::deserialize(deserializer)?.build(|heights| heights)
    }
}

impl Serialize for Compound {
    /// Serialises the shapes and their poses, as a list. A shape from a [`SupportMap`](crate::convex::SupportMap) is an error.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Compound {
    /// Builds a compound of a list of shapes and poses, as [`Compound::new`]. Each shape owns a hull of its own.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Vec::<(OwnedShape, Pose)>::deserialize(deserializer)?;
        if parts.len() > PARTS_MAX {
            return Err(D::Error::custom("a compound has at most 2^27 parts"));
        }
        Self::new(parts).map_err(D::Error::custom)
    }
}
