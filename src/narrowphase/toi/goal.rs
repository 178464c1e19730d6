//! What a search for a time of impact looks for.

use super::separating_plane::GapRange;

/// Greatest difference of the distance and the gap along a plane at a contact, relative to the tolerance.
pub(super) const ACCURACY: f64 = 1.0 / 16.0;

/// Goal of a round: a gap in `range`, and the distance at which the search is done.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) range: GapRange,
    pub(super) accept: f64,
    pub(super) tolerance: f64,
    /// Whether the contact distance is (almost) that of the cores themselves.
    pub(super) touches_cores: bool,
}

impl Goal {
    /// Creates the goal of a search without a touch at the start.
    pub(super) fn new(contact_distance: f64, slack: f64, tolerance: f64) -> Self {
        Self {
            range: GapRange { min: contact_distance + slack, max: f64::INFINITY },
            accept: contact_distance + tolerance,
            tolerance,
            touches_cores: contact_distance <= 4.0 * tolerance,
        }
    }
}
