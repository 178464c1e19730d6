//! The settings of a tick, and why a tick is rejected.

use crate::broadphase::FindError;
use crate::columns::LengthMismatch;
use crate::geom::Pair;
use crate::narrowphase::toi::{self, ToiError, Touch};

/// The settings of a pipeline: what counts as an impact, and which impacts are reported. Fields may be added, so change those of
/// [`Config::default`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Config {
    /// The distance at which bodies count as touching, at least 0. For convex shapes it is the
    /// distance between them; for two plain boxes it is the largest of the gaps on the three axes. The default is 0.
    pub target_distance: f32,
    /// How far above the target the distance of convex shapes at an impact may be, relative to the
    /// size of the smaller one: [`toi::Settings::tolerance`]. The boxes around the shapes are not
    /// grown by it: a pair that comes within the tolerance, but whose boxes never touch, is not
    /// reported, although [`toi::one_to_one`] reports an impact for it. No contact is missed, because such a distance is above the target. The default is
    /// [`toi::Settings::TOLERANCE`], 2⁻¹⁴.
    pub tolerance: f32,
    /// Which contacts at the start of the tick are impacts. The default leaves out bodies that rest on
    /// each other: see [`Touch::IfClosing`]. If one of the two is a [sensor](super::BodyFlags::SENSOR), this setting has no effect, and each
    /// contact counts as with [`Touch::Hit`].
    pub touch: Touch,
    /// A body is fast if its speed is at least this value, in length per tick. The speed is the greatest over the axes of `|displacement| +
    /// |acceleration| / 2`, plus the angular sweep of the body; except for rounding, its path in the tick is no longer on any axis. A pair is dropped
    /// if neither body is fast, marked [`BodyFlags::CCD`](super::BodyFlags::CCD) or a sensor. With 0, the default, no pair is dropped.
    pub fast: f32,
    /// With a limit of `k`, an impact is reported if it is among the first `k` impacts of at least
    /// one of its two bodies; 1 reports each body's earliest impact. With 0, the default, all are reported.
    pub impacts_per_body: u32,
    /// Which impacts of a pair with a mesh, a height field or a compound are reported: by default, the first.
    pub part_impacts: PartImpacts,
    /// Greatest number of rounds of the search for a pair of shapes, at least 1; for bodies with parts, of each pair of parts, and 1,024 times as
    /// many for all of them. A search that needs more is an [`ImpactKind::Unresolved`](super::ImpactKind::Unresolved) at the time until which the
    /// two are proved to be apart. The default is that of [`toi::Settings::rounds_max`], which ordinary shapes do not need: with a lower one, a shape
    /// of the caller that contradicts itself takes less time.
    pub rounds_max: u32,
}

/// Which impacts of two bodies are reported if one of them has parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PartImpacts {
    /// The first impact of the two bodies.
    #[default]
    First,
    /// The first impact of each part of one body and each part of the other, as if no other parts were there:
    /// [`mesh::toi::each_part`](crate::mesh::toi::each_part). Each of them counts for
    /// [`Config::impacts_per_body`].
    Each,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            target_distance: 0.0,
            tolerance: toi::Settings::TOLERANCE,
            touch: Touch::default(),
            fast: 0.0,
            impacts_per_body: 0,
            part_impacts: PartImpacts::First,
            rounds_max: toi::TOI_ROUNDS_MAX,
        }
    }
}

impl Config {
    pub(super) fn settings(&self) -> toi::Settings {
        toi::Settings {
            target_distance: self.target_distance,
            tolerance: self.tolerance,
            touch: self.touch,
            rounds_max: self.rounds_max,
            ..toi::Settings::default()
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the target, the tolerance, the number of rounds or the threshold.
    pub fn validate(&self) -> Result<(), PipelineError> {
        self.settings().validate()?;
        // A NaN fails this comparison.
        if self.fast >= 0.0 { Ok(()) } else { Err(PipelineError::Fast) }
    }
}

/// Why a tick was rejected. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The target distance, the tolerance or the number of rounds is invalid.
    #[error(transparent)]
    Settings(#[from] ToiError),
    /// [`Config::fast`] is negative or NaN.
    #[error(
        "`Config::fast`, the speed from which bodies are fast, is negative or NaN; it must be 0 or more"
    )]
    Fast,
    /// A column does not have one row for each body.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// The rows of the convex bodies are not in ascending order, or one is out of range.
    #[error("convex body {index} is of row {row}; these rows must ascend, and be below {rows}")]
    ConvexRow {
        /// The index of the convex body.
        index: usize,
        /// The row.
        row: u32,
        /// The number of rows.
        rows: usize,
    },
    /// The rows of the bodies with parts are not in ascending order, one is out of range, or is a convex body.
    #[error(
        "body {index} with parts is of row {row}; its row must be above the one before, below {rows}, and no convex body"
    )]
    GeometryRow {
        /// The index of the body.
        index: usize,
        /// The row.
        row: u32,
        /// The number of rows.
        rows: usize,
    },
    /// Finding the pairs failed.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The pair to explain does not exist.
    #[error("there is no pair ({}, {}); its rows must be different and below {rows}", pair.a, pair.b)]
    NoSuchPair {
        /// The pair.
        pair: Pair,
        /// The number of rows.
        rows: usize,
    },
}
