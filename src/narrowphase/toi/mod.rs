//! When do two convex shapes first touch, while they move, are accelerated and turn?
//!
//! Conservative advancement (Mirtich 1996): from a time that is safe, a plane between the shapes
//! shows another; where the shapes are near enough, that is the answer. The distance and its plane
//! are those of [`gjk`](super::gjk); how long a plane lasts is in `step.rs`: exactly, by a
//! quadratic, where nothing turns, and else by bounds that are exact at both ends of an interval.
//!
//! **What is promised**, for shapes and motions as their `f32` say, `t` a fraction of the tick:
//!
//! * **never late, never missed**: before the `t` of an [`Advance::Impact`], before `t_safe`, and
//!   in the whole window for [`Advance::Separated`], the distance is above
//!   [`Settings::target_distance`]; only a touch at the start that [`Touch`] passes over is excepted;
//! * the distance at `t` is at most the target and the tolerance, and what the bodies move in the
//!   part of the tick, at most `2⁻²³·t`, by which `t` was rounded down to `f32`;
//! * the tolerance is [`Settings::tolerance`] of the size of the lesser shape (half the diagonal of
//!   the box around it; a point has none and the other's counts), but at least 2⁻⁴⁰ of the numbers
//!   that make the distance: how far apart the bodies are, how far they move, and their sizes;
//! * the same bits for the same input, whatever the level, the platform and the threads.
//!
//! A contact at the start of the window is no first time. Deeper than the tolerance it is
//! [`Advance::Overlapping`]. Within the tolerance it is a touch, and [`Touch`] says whether that is
//! an impact.
//!
//! **What the default leaves out.** With [`Touch::IfClosing`] a touch at the start is an impact only
//! where the two nearest points close. A body that lies on another, slides along it or leaves it is
//! passed over, also where another of its points goes down, as when it tips over an edge. What comes
//! after is found: where there was a gap above the target at the start, however small, the first time
//! at which the target is reached is an impact. Where there was none, the bodies may get deeper by the
//! tolerance; that depth is an impact, or for [`Touch::Ignore`] an overlap. A touch that is passed over
//! ends where the shapes are seen apart by twice the tolerance. One that for 256 rounds neither ends
//! nor becomes a contact is, with [`Touch::IfClosing`], an impact where the search has got to: the
//! distance there is within the tolerance, and no contact came before.
//!
//! **What spin costs.** Where nothing turns, a search takes two to six rounds. A body that turns adds
//! some ten rounds for each turn that it makes near the other one, up to the contact. Bodies that
//! make whole turns are near each other only where the bodies of revolution of their paths meet;
//! up to there a search takes a few rounds, whatever the spin is. [`Settings::rounds_max`] bounds the
//! rest. `docs/math/advance.md` has figures.
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
    /// All.
    Hit,
    /// Those whose nearest points close, or are about to. Left out are bodies that lie on each other,
    /// slide along each other or part, also where another of their points goes down.
    #[default]
    IfClosing,
    /// None.
    Ignore,
}

/// What counts as a contact, when, and how near is near enough.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// The distance at which shapes count as touching, not negative: a skin.
    pub target_distance: f32,
    /// How far above the target the distance at an impact may be, of the lesser shape's size.
    ///
    /// Shapes with a sharp rim, cylinders and cones without a radius around them, reach a tolerance of
    /// 2⁻³⁴. Below that, five of 1,000 searches end [`Advance::Unresolved`] just before the contact,
    /// since points on a rim that are so close to each other have no sharp direction between them.
    pub tolerance: f32,
    /// The part of the tick that is looked at, in `[0, 1]`, both ends included: such as the first
    /// and the last time at which the boxes around the shapes touch.
    pub window: [f32; 2],
    /// What a touch at the start of the window means.
    pub touch: Touch,
    /// The greatest number of rounds of the search, at least 1. A search that needs more stops with
    /// [`Advance::Unresolved`], which holds the time that is proved free so far.
    pub rounds_max: u32,
}

impl Settings {
    /// The default [`Settings::tolerance`]: 2⁻¹⁴.
    pub const TOLERANCE: f32 = 1.0 / 16384.0;

    /// Whether a search can be made of this.
    ///
    /// # Errors
    ///
    /// [`AdvanceError`]: what is wrong with the target, the tolerance, the window or the number of
    /// rounds.
    pub fn validate(&self) -> Result<(), AdvanceError> {
        // NaN is in no range.
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

/// Why a search cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdvanceError {
    /// A motion is none.
    #[error("a motion is invalid: {0}")]
    Motion(#[from] Invalid),
    /// The target distance is not in `[0, COORD_MAX]`.
    #[error("a target distance is negative, not a number or larger than 2^120")]
    Target,
    /// The tolerance is not in `[0, 1]`.
    #[error("a tolerance is not in [0, 1]")]
    Tolerance,
    /// The window is no interval in `[0, 1]`.
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
    /// They come to touch.
    Impact {
        /// When: a fraction of the tick, never late.
        t: f32,
        /// The unit normal then, from `a` to `b`.
        normal: [f32; 3],
        /// The point of `a` nearest to `b` then, in the world.
        on_a: [f32; 3],
        /// The point of `b` nearest to `a` then, in the world.
        on_b: [f32; 3],
        /// How fast those points close along the normal, length a tick; negative where they part.
        closing: f32,
    },
    /// They are in each other from the start of the window on.
    Overlapping {
        /// How deep, as in [`Distance::distance`](super::gjk::Distance::distance), beyond the
        /// target distance.
        depth: f32,
        /// The unit normal, from `a` to `b`: moving `b` along it by the depth parts them.
        normal: [f32; 3],
        /// The deepest point of `a`, in the world.
        on_a: [f32; 3],
        /// The deepest point of `b`, in the world.
        on_b: [f32; 3],
        /// How fast they get deeper, length a tick; negative where they part.
        closing: f32,
    },
    /// They do not touch in the window.
    #[default]
    Separated,
    /// The search gave up: they do not touch before `t_safe`, and what comes after is open.
    Unresolved {
        /// A fraction of the tick.
        t_safe: f32,
    },
}

/// An answer and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Toi {
    /// The answer.
    pub advance: Advance,
    /// How many distances were asked for.
    pub rounds: u32,
    /// How many supports of either shape.
    pub supports: u32,
}

impl Toi {
    /// When they come to touch, if they do.
    #[must_use]
    pub fn impact(&self) -> Option<f32> {
        if let Advance::Impact { t, .. } = self.advance { Some(t) } else { None }
    }
}

/// When `a` and `b` first touch.
///
/// # Errors
///
/// [`AdvanceError`] when a motion is none or the settings are not.
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

/// One round of a search: what it was sure of, and by which plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// A fraction of the tick, rounded down: the plane of the round before lasted to here.
    pub t: f32,
    /// Not more than the distance then: how far the plane shows the shapes to be apart, less what
    /// rounding may do. Negative infinity where this round saw none, as do the rounds about the bodies
    /// of revolution of what makes whole turns.
    pub gap: f32,
    /// The unit normal of the plane, from `a` to `b`.
    pub normal: [f32; 3],
}

/// As [`one_to_one`], the same bits, and appends each round of the search to `steps`: to draw it, or
/// to see why it is long. Of use to people; engines need none of it and pay nothing for it.
///
/// # Errors
///
/// As [`one_to_one`]; then nothing is appended.
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

/// [`one_to_one`] of what is known to be valid.
pub(crate) fn of_valid(
    a: (&Shape<'_>, &Motion),
    b: (&Shape<'_>, &Motion),
    settings: &Settings,
) -> Toi {
    search::Search::answer(a, b, settings, settings.window.map_each(f64::from), None)
}
