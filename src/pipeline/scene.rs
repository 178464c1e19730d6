//! What is looked at in a tick, and how?

use crate::broadphase::FindError;
use crate::geom::{Filter, Motion, Pair};
use crate::narrowphase::Shape;
use crate::narrowphase::advance::{self, AdvanceError, Touch};
use crate::store::{Boxes, LengthMismatch};
use bytemuck::{Pod, Zeroable};
use core::ops::BitOr;

/// What a body is for the pipeline, some bits.
///
/// ```
/// use swath::Flags;
///
/// let gate = Flags::SENSOR | Flags::MOVES;
/// assert!(gate.has(Flags::SENSOR) && !gate.has(Flags::CCD));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Flags(u8);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Flags {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::geom::deserialize::checked(deserializer, "bits of flags", |bits: u8| {
            (Self::from_bits(bits).0 == bits).then_some(Self(bits))
        })
    }
}

impl Flags {
    /// Does not move: two such bodies make no pair.
    pub const STILL: Self = Self(0);
    /// Moves, even if it rests for the tick.
    pub const MOVES: Self = Self(1);
    /// Its pairs are looked at however slow it is: see [`Config::fast`].
    pub const CCD: Self = Self(2);
    /// Stops nothing: its impacts are all told, apart from the others, and count for no limit.
    pub const SENSOR: Self = Self(4);

    /// As one byte.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From a byte; bits that mean nothing are dropped.
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

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A row that has a convex shape of its own and a motion.
#[derive(Clone, Copy, Debug)]
pub struct Convex<'s> {
    /// Which row.
    pub row: u32,
    /// Its shape.
    pub shape: Shape<'s>,
    /// Where it is, how it moves, is accelerated and turns.
    pub motion: Motion,
}

/// The bodies of a tick, in columns of the caller.
///
/// Each row is a box that moves, and is answered as such, unless it is among the [`Convex`]: then
/// its box is not read. Boxes alone convert into a scene.
///
/// ```
/// use swath::{Boxes, Convex, Flags, Motion, Pose, Scene, Shape};
///
/// // A wall, and a ball that flies at it. The box of the ball is not read.
/// let (min, max, still) = ([-1.0, 0.0], [1.0, 0.0], [0.0; 2]);
/// let boxes = Boxes::new([&min; 3], [&max; 3], [&still; 3])?;
/// let motion = Motion::new(Pose::at([-9.0, 0.0, 0.0])?, [10.0, 0.0, 0.0])?;
/// let convex = [Convex { row: 1, shape: Shape::sphere(0.5)?, motion }];
/// let flags = [Flags::STILL, Flags::MOVES];
/// let scene = Scene::new(boxes).convex(&convex).flagged(&flags);
/// assert_eq!(scene.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a, 's> {
    pub(super) boxes: Boxes<'a>,
    /// Empty columns where nothing is accelerated.
    pub(super) accel: [&'a [f32]; 3],
    pub(super) convex: &'a [Convex<'s>],
    pub(super) flags: Option<&'a [Flags]>,
    pub(super) filters: Option<&'a [Filter]>,
}

impl<'a> From<Boxes<'a>> for Scene<'a, 'a> {
    fn from(boxes: Boxes<'a>) -> Self {
        Self::new(boxes)
    }
}

impl<'a, 's> Scene<'a, 's> {
    /// These boxes: all move, and each may meet each.
    #[must_use]
    pub fn new(boxes: Boxes<'a>) -> Self {
        Self { boxes, accel: [&[]; 3], convex: &[], flags: None, filters: None }
    }

    /// The accelerations of the boxes, columns x, y, z.
    #[must_use]
    pub fn accelerating(self, accel: [&'a [f32]; 3]) -> Self {
        Self { accel, ..self }
    }

    /// Rows with a shape, by row, each once.
    #[must_use]
    pub fn convex(self, convex: &'a [Convex<'s>]) -> Self {
        Self { convex, ..self }
    }

    /// What each row is.
    #[must_use]
    pub fn flagged(self, flags: &'a [Flags]) -> Self {
        Self { flags: Some(flags), ..self }
    }

    /// With what each row may meet.
    #[must_use]
    pub fn filtered(self, filters: &'a [Filter]) -> Self {
        Self { filters: Some(filters), ..self }
    }

    /// How many bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boxes, also of rows that have a shape.
    #[must_use]
    pub fn boxes(&self) -> Boxes<'a> {
        self.boxes
    }

    /// The accelerations of the boxes, columns x, y, z: empty where none is accelerated.
    #[must_use]
    pub fn accelerations(&self) -> [&'a [f32]; 3] {
        self.accel
    }

    /// What each row is, where that was told.
    #[must_use]
    pub fn flags(&self) -> Option<&'a [Flags]> {
        self.flags
    }

    /// With what each row may meet, where that was told.
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
        LengthMismatch::check("the flags", rows, self.flags.map_or(rows, <[Flags]>::len))?;
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

/// What counts as an impact, and which are told.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Config {
    /// The distance at which bodies count as touching, not negative: a skin. Of convex shapes it is
    /// the distance; of two boxes without shape the greatest of the gaps on the three axes.
    pub target_distance: f32,
    /// How far above the target the distance of convex shapes at an impact may be, of the lesser
    /// one's size: [`advance::Settings::tolerance`].
    pub tolerance: f32,
    /// Which touches at the start of the tick are impacts.
    pub touch: Touch,
    /// A body that goes at least so far in the tick on some axis, however it turns, is fast. A
    /// pair of which neither is fast nor marked [`Flags::CCD`], and none a sensor, is dropped. 0: none is.
    pub fast: f32,
    /// An impact is told if it is among the first so many of one of the two bodies: with 1 each
    /// body's earliest. 0: all are told.
    pub impacts_per_body: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            target_distance: 0.0,
            tolerance: advance::Settings::TOLERANCE,
            touch: Touch::default(),
            fast: 0.0,
            impacts_per_body: 0,
        }
    }
}

impl Config {
    pub(super) fn settings(&self) -> advance::Settings {
        advance::Settings {
            target_distance: self.target_distance,
            tolerance: self.tolerance,
            touch: self.touch,
            ..advance::Settings::default()
        }
    }

    /// Whether a tick can be looked at like this.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the target, the tolerance or the threshold.
    pub fn validate(&self) -> Result<(), PipelineError> {
        self.settings().validate()?;
        // NaN is not at least anything.
        if self.fast >= 0.0 { Ok(()) } else { Err(PipelineError::Fast) }
    }
}

/// Why a tick cannot be looked at. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The target distance or the tolerance is none.
    #[error(transparent)]
    Settings(#[from] AdvanceError),
    /// [`Config::fast`] is negative or not a number.
    #[error("the speed from which bodies are fast is negative or not a number")]
    Fast,
    /// A column has not one row for each body.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// The rows of the convex bodies do not ascend, or one is not there.
    #[error("convex body {index} is of row {row}, not above the one before or not below {rows}")]
    ConvexRow {
        /// Which of the convex bodies.
        index: usize,
        /// The row it names.
        row: u32,
        /// How many rows there are.
        rows: usize,
    },
    /// The pairs could not be found.
    #[error(transparent)]
    Find(#[from] FindError),
    /// There is no such pair to explain.
    #[error("there is no pair ({}, {}) of different rows among {rows}", pair.a, pair.b)]
    NoSuchPair {
        /// What was asked for.
        pair: Pair,
        /// How many rows there are.
        rows: usize,
    },
}
