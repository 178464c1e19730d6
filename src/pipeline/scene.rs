//! The input of a tick: the bodies.

use super::config::PipelineError;
use crate::columns::{LengthMismatch, MovingBoxColumns};
use crate::geom::{Filter, Motion};
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
    /// the limit.
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

/// The bodies of a tick, in columns of the caller.
///
/// Each row is a moving box, unless it is in the list of [`ConvexBody`] bodies; then its box is not
/// read. Columns of boxes convert into a scene.
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
        Self { boxes, accel: [&[]; 3], convex: &[], flags: None, filters: None }
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
        Ok(())
    }
}
