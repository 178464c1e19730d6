//! Time of impact of two convex shapes that move, accelerate and rotate.
//!
//! The method is conservative advancement (Mirtich 1996): from a time that is safe, a plane between the
//! shapes proves a later one; where the shapes are near enough, that is the result. The distance and
//! its plane are those of [`gjk`](super::gjk). How long a plane separates is computed in
//! `separating_plane.rs`: exactly, by a quadratic, if nothing rotates, and otherwise by bounds that are
//! exact at both ends of an interval.
//!
//! ```text
//! search.rs            the rounds: distance, plane, next safe time
//! separating_plane.rs  until when a plane separates
//! portal.rs            the same along a straight or curved path, without distances
//! revolved.rs          safe times for bodies that make whole turns
//! relative_motion.rs   position and rotation at a time
//! ```
//!
//! **What is promised**, for shapes and motions as given by their `f32`, with `t` as a fraction of the
//! tick:
//!
//! * **never late, never missed**: before the `t` of an [`Advance::Impact`], before `t_safe`, and in
//!   the whole window for [`Advance::Separated`], the distance is above
//!   [`Settings::target_distance`]; only a touch at the start that [`Touch`] passes over is excepted;
//! * the distance at `t` is at most the target and the tolerance, and what the bodies move in the
//!   part of the tick, at most `2⁻²³·t`, by which `t` was rounded down to `f32`;
//! * the tolerance is [`Settings::tolerance`] of the size of the smaller shape (half the diagonal of
//!   its box; a point has none, then the other's counts), but at least 2⁻⁴⁰ of the numbers that the
//!   distance is computed from: how far apart the bodies are, how far they move, and their sizes;
//! * the same bits for the same input, whatever the level, the platform and the threads.
//!
//! A contact at the start of the window is not a first time. If it is deeper than the tolerance it is
//! [`Advance::Overlapping`]. Within the tolerance it is a touch, and [`Touch`] decides whether that is
//! an impact.
//!
//! **What the default excludes.** With [`Touch::IfClosing`] a touch at the start is an impact only if
//! the two nearest points close. A body that lies on another, slides along it or leaves it is ignored,
//! also if another of its points moves down, as when it tips over an edge. Later contacts are found: if
//! the gap at the start was above the target, however small, the first time at which the target is
//! reached is an impact. If there was no gap, the bodies may get deeper by the tolerance; that depth is
//! an impact, or for [`Touch::Ignore`] an overlap. A touch that is ignored ends when the shapes are
//! apart by twice the tolerance. If for 256 rounds it neither ends nor becomes a contact, it is, with
//! [`Touch::IfClosing`], an impact at the time that the search has reached: the distance there is
//! within the tolerance, and there was no earlier contact.
//!
//! **Cost of spin.** Without rotation, a search takes two to six rounds. A rotating body adds some ten
//! rounds for each turn that it makes near the other one, up to the contact. Bodies that make whole
//! turns are near each other only if the bodies of revolution of their paths overlap; until then a
//! search takes a few rounds, whatever the spin is. [`Settings::rounds_max`] limits the rest.
//! `docs/math/advance.md` has figures.
//!
//! The arithmetic and its proof are in `docs/math/advance.md`.
//!
//! ```
//! use swath::convex::toi;
//! use swath::convex::toi::{Advance, Settings};
//! use swath::{Motion, Pose, Shape};
//!
//! // A plank of half length 3 turns a quarter, and hits a ball on its way.
//! let plank = Shape::cuboid([3.0, 0.1, 0.5])?;
//! let turning = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 1.5])?;
//! let ball = Shape::sphere(0.5)?;
//! let still = Motion::from(Pose::at([0.0, 2.0, 0.0])?);
//! let toi = toi::one_to_one(&plank, &turning, &ball, &still, &Settings::default())?;
//! let Advance::Impact { t, normal, .. } = toi.advance else { panic!("{toi:?}") };
//! assert!((t - 0.844).abs() < 1e-3 && normal[0] < -0.9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod portal;
mod relative_motion;
mod revolved;
pub(super) mod search;
mod separating_plane;

pub use super::batch::{Meetings, PairsError, pairs};
use super::shape::Shape;
use crate::geom::{Invalid, MapEach, Motion};
use alloc::vec::Vec;

/// The default of [`Settings::rounds_max`].
pub const ADVANCE_ROUNDS_MAX: u32 = 2048;

/// Which touches at the start of the window count as impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Touch {
    /// Every touch.
    Hit,
    /// A touch whose nearest points close, or are about to. Excluded are bodies that lie on each other,
    /// slide along each other or separate, also if another of their points moves down.
    #[default]
    IfClosing,
    /// No touch.
    Ignore,
}

/// What counts as a contact, in which part of the tick, and with which tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Distance at which the shapes count as touching, such as a skin. It is not negative.
    pub target_distance: f32,
    /// Limit of the distance at an impact above the target, relative to the smaller shape's size.
    ///
    /// Shapes with a sharp rim, which are cylinders and cones without a radius, reach a tolerance of
    /// 2⁻³⁴. Below that, five of 1,000 searches end as [`Advance::Unresolved`] just before the contact,
    /// because points on a rim that are so close to each other have no well-defined direction between
    /// them.
    pub tolerance: f32,
    /// The part of the tick that is searched, in `[0, 1]`, both ends included: for example the first
    /// and last time at which the boxes of the shapes touch.
    pub window: [f32; 2],
    /// Whether a touch at the start of the window is an impact.
    pub touch: Touch,
    /// Greatest number of rounds of the search, at least 1. A search that needs more ends as
    /// [`Advance::Unresolved`], which contains the time that is proved to be free.
    pub rounds_max: u32,
}

impl Settings {
    /// The default [`Settings::tolerance`]: 2⁻¹⁴.
    pub const TOLERANCE: f32 = 1.0 / 16384.0;

    /// Checks that the settings are valid.
    ///
    /// # Errors
    ///
    /// [`AdvanceError`]: what is wrong with the target, the tolerance, the window or the number of
    /// rounds.
    pub fn validate(&self) -> Result<(), AdvanceError> {
        // NaN is outside of every range.
        if !(0.0..=crate::geom::COORD_MAX).contains(&self.target_distance) {
            return Err(AdvanceError::Target);
        }
        if !(0.0..=1.0).contains(&self.tolerance) {
            return Err(AdvanceError::Tolerance);
        }
        let [from, to] = self.window;
        if !(0.0 <= from && from <= to && to <= 1.0) {
            return Err(AdvanceError::Window);
        }
        if self.rounds_max > 0 { Ok(()) } else { Err(AdvanceError::Rounds) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target_distance: 0.0,
            tolerance: Self::TOLERANCE,
            window: [0.0, 1.0],
            touch: Touch::default(),
            rounds_max: ADVANCE_ROUNDS_MAX,
        }
    }
}

/// Why a search is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdvanceError {
    /// A motion is invalid.
    #[error("a motion is invalid: {0}")]
    Motion(#[from] Invalid),
    /// The target distance is not in `[0, COORD_MAX]`.
    #[error("a target distance is negative, not a number or larger than 2^120")]
    Target,
    /// The tolerance is not in `[0, 1]`.
    #[error("a tolerance is not in [0, 1]")]
    Tolerance,
    /// The window is not an interval in `[0, 1]`.
    #[error("a window is not in [0, 1], or ends before it begins")]
    Window,
    /// The number of rounds is zero.
    #[error("a search has no rounds")]
    Rounds,
}

/// When two shapes first touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Advance {
    /// They touch in the window.
    Impact {
        /// First time of contact, as a fraction of the tick; never late.
        t: f32,
        /// Unit normal at that time, from `a` to `b`.
        normal: [f32; 3],
        /// The point of `a` nearest to `b` at that time, in world coordinates.
        on_a: [f32; 3],
        /// The point of `b` nearest to `a` at that time, in world coordinates.
        on_b: [f32; 3],
        /// Closing speed of those points along the normal, in length per tick; negative if they
        /// separate.
        closing: f32,
    },
    /// They overlap at the start of the window.
    Overlapping {
        /// Depth beyond the target distance, as in
        /// [`Distance::distance`](super::gjk::Distance::distance).
        depth: f32,
        /// Unit normal, from `a` to `b`. Moving `b` along it by the depth separates them.
        normal: [f32; 3],
        /// The deepest point of `a`, in world coordinates.
        on_a: [f32; 3],
        /// The deepest point of `b`, in world coordinates.
        on_b: [f32; 3],
        /// Rate at which they get deeper, in length per tick; negative if they separate.
        closing: f32,
    },
    /// They do not touch in the window.
    #[default]
    Separated,
    /// The search reached its limit: they do not touch before `t_safe`, and the rest is unknown.
    Unresolved {
        /// The time that is proved to be free, as a fraction of the tick.
        t_safe: f32,
    },
}

/// A result and the work that it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Toi {
    /// The result.
    pub advance: Advance,
    /// Number of rounds, that is, of distances computed.
    pub rounds: u32,
    /// Number of supports computed for either shape.
    pub supports: u32,
}

impl Toi {
    /// Returns the time of impact, if there is one.
    #[must_use]
    pub fn impact(&self) -> Option<f32> {
        if let Advance::Impact { t, .. } = self.advance { Some(t) } else { None }
    }
}

/// Computes when `a` and `b` first touch.
///
/// # Errors
///
/// [`AdvanceError`] if a motion or the settings are invalid.
pub fn one_to_one(
    a: &Shape<'_>,
    a_motion: &Motion,
    b: &Shape<'_>,
    b_motion: &Motion,
    settings: &Settings,
) -> Result<Toi, AdvanceError> {
    validate(a_motion, b_motion, settings)?;
    Ok(of_valid((a, a_motion), (b, b_motion), settings))
}

/// One round of a search: the time that it has proved, and the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// Fraction of the tick, rounded down, until which the plane of the previous round separates.
    pub t: f32,
    /// Lower bound of the distance at that time: the gap along the plane, less the bound of the
    /// rounding errors. Negative infinity if this round computed no gap, as in the rounds about the
    /// bodies of revolution of bodies that make whole turns.
    pub gap: f32,
    /// Unit normal of the plane, from `a` to `b`.
    pub normal: [f32; 3],
}

/// Does what [`one_to_one`] does, with the same bits, and appends each round of the search to `steps`.
/// It serves to draw a search, or to see why it is long.
///
/// # Errors
///
/// As for [`one_to_one`]; then nothing is appended.
///
/// ```
/// use swath::convex::toi;
/// use swath::convex::toi::Settings;
/// use swath::{Motion, Pose, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let thrown = Motion::new(Pose::at([-6.0, 1.0, 0.0])?, [8.0, 0.0, 0.0])?;
/// let still = Motion::from(Pose::IDENTITY);
/// let mut steps = Vec::new();
/// let toi = toi::traced(&ball, &thrown, &ball, &still, &Settings::default(), &mut steps)?;
/// assert_eq!(steps.len(), toi.rounds as usize);
/// assert!(steps[0].t == 0.0 && steps.is_sorted_by(|one, next| one.t <= next.t));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn traced(
    a: &Shape<'_>,
    a_motion: &Motion,
    b: &Shape<'_>,
    b_motion: &Motion,
    settings: &Settings,
    steps: &mut Vec<Step>,
) -> Result<Toi, AdvanceError> {
    validate(a_motion, b_motion, settings)?;
    let window = settings.window.map_each(f64::from);
    let (a, b) = ((a, a_motion), (b, b_motion));
    Ok(search::Search::answer(a, b, settings, window, Some(&mut |step| steps.push(step))))
}

fn validate(a: &Motion, b: &Motion, settings: &Settings) -> Result<(), AdvanceError> {
    settings.validate()?;
    a.validate()?;
    b.validate()?;
    Ok(())
}

/// Does what [`one_to_one`] does, for motions and settings that are known to be valid.
pub(crate) fn of_valid(
    a: (&Shape<'_>, &Motion),
    b: (&Shape<'_>, &Motion),
    settings: &Settings,
) -> Toi {
    search::Search::answer(a, b, settings, settings.window.map_each(f64::from), None)
}
