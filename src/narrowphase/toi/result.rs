//! Result of a search for a time of impact, and its rounds.

use crate::narrowphase::math::{V3, round_down};

/// When two shapes first touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ToiResult {
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
        /// separate. The rotation of a ball, capsule, cylinder or cone about its own axis has no part in it: it moves
        /// points of the surface along the surface only.
        closing: f32,
    },
    /// They overlap at the start of the window, or get into each other after a touch that [`Touch::Ignore`](super::Touch::Ignore) ignores;
    /// the depth may then be 0.
    Overlapping {
        /// Depth beyond the target distance along `normal`, rounded up by the bound of the rounding errors and 2⁻²² of it. Which depth that
        /// is, [`Distance::distance`](crate::convex::gjk::Distance::distance) describes; of shapes that overlap by no more than their radii and
        /// the target distance, it may be too great by a sixteenth of the tolerance.
        depth: f32,
        /// Unit normal, from `a` to `b`. Moving `b` along it by the depth separates them to the target distance, but for the rounding
        /// of the moved position. Of bodies with parts it separates the two parts that are reported; others may overlap then.
        normal: [f32; 3],
        /// The deepest point of `a`, in world coordinates.
        on_a: [f32; 3],
        /// The deepest point of `b`, in world coordinates.
        on_b: [f32; 3],
        /// Rate at which those points get deeper, in length per tick; negative if they separate. The rotation of a body of revolution
        /// about its own axis has no part in it.
        closing: f32,
    },
    /// They do not touch in the window.
    #[default]
    Separated,
    /// The search reached its limit, or no plane proves anything because the shapes are within the rounding errors, as shapes of sizes that differ
    /// by a factor of 10⁵ or more may be: they do not touch before `t_safe`, and the rest is unknown.
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
    pub result: ToiResult,
    /// Number of rounds. A round computes a distance, or until when a plane separates, or is a test that proves the result.
    pub rounds: u32,
    /// Number of supports computed for either shape.
    pub supports: u32,
}

impl Toi {
    /// Returns the time of [`ToiResult::Impact`]. It is `None` also for shapes that overlap from the start, and for a search without a result.
    #[must_use]
    pub fn impact(&self) -> Option<f32> {
        if let ToiResult::Impact { t, .. } = self.result { Some(t) } else { None }
    }
}

/// One round of a search: the time that it has proved, and the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Round {
    /// Fraction of the tick, rounded down, until which the plane of the previous round separates.
    pub t: f32,
    /// Lower bound of the distance at that time: the gap along the plane, less the bound of the
    /// rounding errors. Negative infinity if this round computed no gap, as in the rounds about the
    /// bodies of revolution of bodies that make whole turns.
    pub gap: f32,
    /// Unit normal of the plane, from `a` to `b`.
    pub normal: [f32; 3],
}

/// The function that is called with each round of a search, if there is one. It is called through a
/// pointer, so that the search is compiled once.
pub(in crate::narrowphase) type Observer<'w> = Option<&'w mut dyn FnMut(Round)>;

/// Returns the nearest finite `f32`.
pub(super) fn saturated(x: f64) -> f32 {
    (x as f32).clamp(f32::MIN, f32::MAX)
}

/// Creates a round, whose gap is rounded down.
pub(super) fn round(t: f64, gap: f64, normal: V3) -> Round {
    Round { t: round_down(t), gap: round_down(gap), normal: normal.to_f32() }
}
