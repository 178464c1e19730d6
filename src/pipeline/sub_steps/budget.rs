//! Bodies whose next impact is not searched because the budget ran out.
//!
//! They are stalled: each keeps its position until the end of the tick. Whatever could reach it there would have to
//! be searched as well, so it is stalled too, and so on. Boxes around the remaining paths decide who could reach it.
//! All other bodies continue, and their impacts that were found before stay valid.

use super::crowd::Crowd;
use super::{SubSteps, gives_way_or_moves};

impl SubSteps {
    /// Returns whether so many more searches are allowed, and counts them if so.
    pub(super) fn spend(&mut self, searches: usize) -> bool {
        let after = self.told.searches.saturating_add(searches);
        let may = after <= self.config.searches_max as usize;
        self.told.searches = if may { after } else { self.told.searches };
        may
    }

    /// Stalls rows that may not be searched from `now` on, and all bodies that could reach them.
    pub(super) fn stall<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, rows: [usize; 2], now: f32) {
        let mut stalling = core::mem::take(&mut self.stalling);
        let mut others = core::mem::take(&mut self.stalled_near);
        stalling.clear();
        stalling.extend(rows);
        while let Some(row) = stalling.pop() {
            let at = self.at(crowd, row, now);
            // A body that does not move keeps its position anyway.
            if self.states[row].is_held || !gives_way_or_moves(&at.motion(), crowd.mass(row)) {
                continue;
            }
            self.change(crowd, row, at, now);
            self.hold(crowd, row, now);
            self.told.over_budget += 1;
            self.near.of(row, &mut others);
            // They are found in any order; sorting makes the result deterministic.
            others.sort_unstable();
            stalling.extend(others.iter().filter(|&&other| crowd.may_meet(row, other)));
        }
        self.stalling = stalling;
        self.stalled_near = others;
    }
}
