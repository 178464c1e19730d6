//! What happens to bodies whose next impact may not be searched for?
//!
//! They are held: each stands where it is until the end of the tick. Whatever could come to it there would
//! have to be searched as well, so it is held too, and so on. A box around the rest of a way says who could come. All
//! others go on, and their impacts that were found before stay as they are.

use super::crowd::Crowd;
use super::{SubSteps, gives_way_or_moves};

impl SubSteps {
    /// Whether so many more searches may be made; if so they are counted.
    pub(super) fn spend(&mut self, searches: usize) -> bool {
        let after = self.told.searches.saturating_add(searches);
        let may = after <= self.config.searches_max as usize;
        self.told.searches = if may { after } else { self.told.searches };
        may
    }

    /// Holds rows that may not be searched from `now` on, and all that could come to where they stand.
    pub(super) fn stall<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, rows: [usize; 2], now: f32) {
        let mut stalling = core::mem::take(&mut self.stalling);
        let mut others = core::mem::take(&mut self.stalled_near);
        stalling.clear();
        stalling.extend(rows);
        while let Some(row) = stalling.pop() {
            let at = self.at(crowd, row, now);
            // What does not move stands already.
            if self.states[row].is_held || !gives_way_or_moves(&at.motion(), crowd.mass(row)) {
                continue;
            }
            self.change(crowd, row, at, now);
            self.hold(crowd, row, now);
            self.told.over_budget += 1;
            self.near.of(row, &mut others);
            // They are listed in any order, and the answer is in one.
            others.sort_unstable();
            stalling.extend(others.iter().filter(|&&other| crowd.may_meet(row, other)));
        }
        self.stalling = stalling;
        self.stalled_near = others;
    }
}
