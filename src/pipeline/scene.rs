//! The input of a tick: the bodies.

use super::config::PipelineError;
use crate::columns::{LengthMismatch, MovingBoxColumns};
use crate::geom::{Filter, Motion};
use crate::meshes::Geometry;
use crate::narrowphase::Shape;
use bytemuck::{Pod, Zeroable};
use core::ops::BitOr;

/// Properties of a body, as bits.
///
/// ```
/// use swath::pipeline::BodyFlags;
///
/// let gate = BodyFlags::SENSOR | BodyFlags::MOVES;
/// assert!(gate.has(BodyFlags::SENSOR) && !gate.has(BodyFlags::CCD));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct BodyFlags(u8);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for BodyFlags {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::geom::deserialize::checked(deserializer, "bits of flags", |bits: u8| {
            (Self::from_bits(bits).0 == bits).then_some(Self(bits))
        })
    }
}

impl BodyFlags {
    /// Does not move. Two such bodies never pair.
    pub const STILL: Self = Self(0);
    /// Moves, even if its displacement in this tick is zero.
    pub const MOVES: Self = Self(1);
    /// Its pairs are never dropped for being slow; see [`Config::fast`](super::Config::fast).
    pub const CCD: Self = Self(2);
    /// Stops nothing. Its impacts are all reported, in a list of their own, and do not count for
    /// the limit. Its pairs are never dropped for being slow, and contacts at the start count as with `Touch::Hit`.
    pub const SENSOR: Self = Self(4);

    /// The bits as one byte.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Properties from one byte; unused bits are ignored.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 7)
    }

    /// Whether all bits of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for BodyFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A row that has a convex shape and a motion.
#[derive(Clone, Copy, Debug)]
pub struct ConvexBody<'s> {
    /// The row.
    pub row: u32,
    /// The shape.
    pub shape: Shape<'s>,
    /// Pose, displacement, acceleration and rotation.
    pub motion: Motion,
}

/// A row that is a mesh, a height field or a compound, and its motion.
#[derive(Clone, Copy, Debug)]
pub struct GeometryBody<'s> {
    /// The row.
    pub row: u32,
    /// The mesh, height field or compound; a convex shape is possible too.
    pub geometry: Geometry<'s>,
    /// Pose, displacement, acceleration and rotation.
    pub motion: Motion,
}

/// The bodies of a tick, in columns of the caller.
///
/// Each row is a moving box, unless it is in the list of [`ConvexBody`] bodies, or in that of [`GeometryBody`] bodies;
/// then its box is not read. Columns of boxes convert into a scene.
///
/// ```
/// use swath::{ConvexBody, Motion, MovingBoxColumns, Pose, Scene, Shape};
/// use swath::pipeline::BodyFlags;
///
/// // A wall, and a ball that flies towards it. The box of the ball is not read.
/// let (min, max, still) = ([-1.0, 0.0], [1.0, 0.0], [0.0; 2]);
/// let boxes = MovingBoxColumns::new([&min; 3], [&max; 3], [&still; 3])?;
/// let motion = Motion::new(Pose::at([-9.0, 0.0, 0.0])?, [10.0, 0.0, 0.0])?;
/// let convex = [ConvexBody { row: 1, shape: Shape::sphere(0.5)?, motion }];
/// let flags = [BodyFlags::STILL, BodyFlags::MOVES];
/// let scene = Scene::new(boxes).convex(&convex).flagged(&flags);
/// assert_eq!(scene.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a, 's> {
    pub(super) boxes: MovingBoxColumns<'a>,
    /// Empty columns if nothing is accelerated.
    pub(super) accel: [&'a [f32]; 3],
    pub(super) convex: &'a [ConvexBody<'s>],
    pub(super) geometries: &'a [GeometryBody<'s>],
    pub(super) flags: Option<&'a [BodyFlags]>,
    pub(super) filters: Option<&'a [Filter]>,
}

impl<'a> From<MovingBoxColumns<'a>> for Scene<'a, 'a> {
    fn from(boxes: MovingBoxColumns<'a>) -> Self {
        Self::new(boxes)
    }
}

impl<'a, 's> Scene<'a, 's> {
    /// A scene of these boxes: all move, and each may meet each.
    #[must_use]
    pub fn new(boxes: MovingBoxColumns<'a>) -> Self {
        Self { boxes, accel: [&[]; 3], convex: &[], geometries: &[], flags: None, filters: None }
    }

    /// Sets the accelerations of the boxes; columns x, y, z.
    #[must_use]
    pub fn accelerating(self, accel: [&'a [f32]; 3]) -> Self {
        Self { accel, ..self }
    }

    /// Sets the convex bodies, in order of their rows, each row at most once.
    #[must_use]
    pub fn convex(self, convex: &'a [ConvexBody<'s>]) -> Self {
        Self { convex, ..self }
    }

    /// Sets the bodies with parts, in order of their rows, each row at most once and none that is a convex body.
    ///
    /// ```
    /// use swath::mesh::Mesh;
    /// use swath::pipeline::{Config, GeometryBody};
    /// use swath::{ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
    ///
    /// // A floor of two triangles in row 0, and a ball that falls on it in row 1.
    /// let vertices = [[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 5.0]];
    /// let floor = Mesh::new(&vertices[..], &[[0, 2, 1], [0, 3, 2]][..])?;
    /// let floor = [GeometryBody { row: 0, geometry: (&floor).into(), motion: Motion::default() }];
    /// let motion = Motion::new(Pose::at([1.0, 4.5, 2.0])?, [0.0, -8.0, 0.0])?;
    /// let ball = [ConvexBody { row: 1, shape: Shape::sphere(0.5)?, motion }];
    /// let boxes = MovingBoxColumns::from_columns([&[0.0; 2]; 9])?;
    ///
    /// let mut pipeline = Pipeline::new(Config::default());
    /// let output = pipeline.tick(&Scene::new(boxes).convex(&ball).geometries(&floor))?;
    /// let [impact] = output.impacts() else { panic!("one impact") };
    /// assert!(impact.toi <= 0.5 && impact.toi > 0.4999);
    /// assert_eq!(impact.parts, [1, 0]); // the triangle of the floor
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn geometries(self, geometries: &'a [GeometryBody<'s>]) -> Self {
        Self { geometries, ..self }
    }

    /// Sets the properties of each row.
    #[must_use]
    pub fn flagged(self, flags: &'a [BodyFlags]) -> Self {
        Self { flags: Some(flags), ..self }
    }

    /// Sets the filter of each row.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether the number of bodies is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boxes, including those of rows with a shape.
    #[must_use]
    pub fn boxes(&self) -> MovingBoxColumns<'a> {
        self.boxes
    }

    /// The accelerations of the boxes, columns x, y, z; empty if none is accelerated.
    #[must_use]
    pub fn accelerations(&self) -> [&'a [f32]; 3] {
        self.accel
    }

    /// The properties of each row, if they were set.
    #[must_use]
    pub fn flags(&self) -> Option<&'a [BodyFlags]> {
        self.flags
    }

    /// The filter of each row, if filters were set.
    #[must_use]
    pub fn filters(&self) -> Option<&'a [Filter]> {
        self.filters
    }

    /// Whether a row has a shape or parts.
    pub(super) fn has_bodies(&self) -> bool {
        !(self.convex.is_empty() && self.geometries.is_empty())
    }

    /// The motion of a body, which is numbered through the convex bodies and then those with parts.
    pub(super) fn motion_of(&self, index: usize) -> &Motion {
        match self.convex.get(index) {
            Some(convex) => &convex.motion,
            None => &self.geometries[index - self.convex.len()].motion,
        }
    }

    /// Whether boxes are accelerated.
    pub(super) fn is_accelerated(&self) -> bool {
        !self.accel[0].is_empty()
    }

    pub(super) fn check(&self) -> Result<(), PipelineError> {
        let rows = self.len();
        if self.accel.iter().any(|column| !column.is_empty()) {
            for (column, name) in self.accel.iter().zip(["accel.x", "accel.y", "accel.z"]) {
                LengthMismatch::check(name, rows, column.len())?;
            }
        }
        LengthMismatch::check("the flags", rows, self.flags.map_or(rows, <[BodyFlags]>::len))?;
        LengthMismatch::check("the filters", rows, self.filters.map_or(rows, <[Filter]>::len))?;
        let mut next = 0;
        for (index, convex) in self.convex.iter().enumerate() {
            if convex.row < next || convex.row as usize >= rows {
                return Err(PipelineError::ConvexRow { index, row: convex.row, rows });
            }
            next = convex.row + 1;
        }
        next = 0;
        for (index, &GeometryBody { row, .. }) in self.geometries.iter().enumerate() {
            let is_convex = self.convex.binary_search_by_key(&row, |convex| convex.row).is_ok();
            if row < next || row as usize >= rows || is_convex {
                return Err(PipelineError::GeometryRow { index, row, rows });
            }
            next = row + 1;
        }
        Ok(())
    }
}
