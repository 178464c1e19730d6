//! Settings of a search for a time of impact.

use crate::geom::COORD_MAX;
use crate::narrowphase::error::ToiError;

/// The default of [`Settings::rounds_max`].
pub const TOI_ROUNDS_MAX: u32 = 2048;

/// Which touches at the start of the window count as impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Touch {
    /// Every touch.
    Hit,
    /// A touch whose nearest points close, or are about to. Bodies that lie on each other, slide along each other or separate have
    /// no impact, also if another point of a body moves towards the other body. Nor have bodies of which the search finds a plane between them, to
    /// within the tolerance, that does not close, as at an edge or a corner; of bodies that overlap by most of the tolerance, it finds about 99 of
    /// 100 such planes.
    #[default]
    IfClosing,
    /// No touch. Bodies that touch at the start and then overlap are [`Overlapping`](super::ToiResult::Overlapping).
    Ignore,
}

/// What counts as a contact, in which part of the tick, and with which tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Distance at which the shapes count as touching, a length in `[0, COORD_MAX]`.
    pub target_distance: f32,
    /// Limit of the distance at an impact above the target, from 0 to 1, relative to the smaller shape's size; of bodies with parts, to the
    /// size of the smaller body.
    ///
    /// Shapes with a sharp rim, which are cylinders and cones without a radius, reach a tolerance of
    /// 2⁻²⁰. Below that a search may end as [`ToiResult::Unresolved`](super::ToiResult::Unresolved) just before the contact,
    /// because points on a rim that are so close to each other have no well-defined direction between
    /// them. At 2⁻³⁴ these are three of 1,000 searches, and of bodies whose rims touch at the start 15 of 1,000.
    pub tolerance: f32,
    /// The part of the tick that is searched, in `[0, 1]`, both ends included: for example the first
    /// and last time at which the boxes of the shapes touch.
    pub window: [f32; 2],
    /// Whether a touch at the start of the window is an impact. The default, [`Touch::IfClosing`], excludes bodies that lie
    /// on each other, slide along each other or separate.
    pub touch: Touch,
    /// Greatest number of rounds of the search, at least 1; of bodies with parts, for each pair of parts. A search that needs more ends as
    /// [`ToiResult::Unresolved`](super::ToiResult::Unresolved), which contains the time that is proved to be free.
    ///
    /// With [`Touch::IfClosing`], a touch that neither closes nor opens for 256 rounds is an impact. With fewer rounds it
    /// ends as unresolved.
    pub rounds_max: u32,
}

impl Settings {
    /// The default [`Settings::tolerance`]: 2⁻¹⁴.
    pub const TOLERANCE: f32 = 1.0 / 16384.0;

    /// Checks that the settings are valid.
    ///
    /// # Errors
    ///
    /// [`ToiError`]: what is wrong with the target, the tolerance, the window or the number of
    /// rounds.
    pub fn validate(&self) -> Result<(), ToiError> {
        // NaN is outside of every range.
        if !(0.0..=COORD_MAX).contains(&self.target_distance) {
            return Err(ToiError::Target);
        }
        if !(0.0..=1.0).contains(&self.tolerance) {
            return Err(ToiError::Tolerance);
        }
        let [from, to] = self.window;
        if !(0.0 <= from && from <= to && to <= 1.0) {
            return Err(ToiError::Window);
        }
        if self.rounds_max > 0 { Ok(()) } else { Err(ToiError::Rounds) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target_distance: 0.0,
            tolerance: Self::TOLERANCE,
            window: [0.0, 1.0],
            touch: Touch::default(),
            rounds_max: TOI_ROUNDS_MAX,
        }
    }
}
