//! New searches within the budget, and bodies whose next impact is not searched because the budget ran out.
//!
//! These are stalled: each keeps its position until the end of the tick. Whatever could reach it there would have to
//! be searched as well, so it is stalled too, and so on. Boxes around the remaining paths decide who could reach it.
//! All other bodies continue, and their impacts that were found before stay valid.

use crate::bodies::Bodies;
use crate::state::{BodyState, is_pushable_or_moves};
use crate::step::Step;
use swath::pipeline::ImpactKind;

impl Step {
    /// Returns whether so many more searches may be started, and counts them if so.
    fn spend(&mut self, searches: usize) -> bool {
        let after = self.stats.searches.saturating_add(searches);
        let may = after <= self.config.searches_max as usize && !self.is_out_of_rounds();
        self.stats.searches = if may { after } else { self.stats.searches };
        may
    }

    /// Searches the impacts of a row from `now` on, with all others that have not been searched in this event.
    pub(crate) fn search_neighbours(&mut self, bodies: &mut dyn Bodies<'_>, row: usize, now: f32) {
        let mut neighbours = core::mem::take(&mut self.neighbours);
        self.paths.neighbours(row, &mut neighbours);
        if let Some(path) = self.paths.box_of(row) {
            bodies.add_resting(row, &path, &mut neighbours);
            // New rows are resting proxies.
            self.states.resize(bodies.bodies().len(), BodyState::default());
        }
        let event = self.stats.events as u32;
        let is_new = |other: &usize| self.states[*other].searched_in != event;
        neighbours.retain(|other| is_new(other) && bodies.may_meet(row, *other));
        // They are found in any order, and the rounds may run out before all of them are searched.
        neighbours.sort_unstable_by_key(|&other| bodies.label(other));
        if self.spend(neighbours.len()) {
            self.stats.repeated_searches += neighbours.len();
            for &other in &neighbours {
                if self.is_out_of_rounds() {
                    self.stall_reachable(bodies, [row; 2], now);
                    break;
                }
                let is_first = bodies.label(row) < bodies.label(other);
                let rows = if is_first { [row, other] } else { [other, row] };
                let next = self.next_event(bodies, rows, now);
                self.queue.extend(next);
            }
            self.states[row].searched_in = event;
        } else {
            self.stall_reachable(bodies, [row; 2], now);
        }
        self.neighbours = neighbours;
    }

    /// Searches the next impact of two bodies from `now` on, and adds it to the queue.
    pub(crate) fn search_again(&mut self, bodies: &mut dyn Bodies<'_>, rows: [usize; 2], now: f32) {
        if self.spend(1) {
            let next = self.next_event(bodies, rows, now);
            self.queue.extend(next);
        } else {
            self.stall_reachable(bodies, rows, now);
        }
    }

    /// Continues a search that ran out of rounds, from the time that it has proved to be free.
    pub(crate) fn continue_search(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        rows: [usize; 2],
        now: f32,
    ) {
        for row in rows {
            let is_pushed = bodies.mass(row).inverse_mass > 0.0;
            self.states[row].impacts += u32::from(is_pushed);
        }
        let spent = rows.iter().any(|&row| self.states[row].impacts >= self.config.impacts_max);
        if spent || !self.spend(1) {
            self.stall_reachable(bodies, rows, now);
            return;
        }
        // Without an event, the two do not meet in the rest of the tick.
        let Some(event) = self.next_event(bodies, rows, now) else { return };
        if event.impact.kind == ImpactKind::Unresolved && event.impact.toi <= now {
            self.stall_reachable(bodies, rows, now);
        } else {
            self.queue.push(event);
        }
    }

    /// Stalls rows that may not be searched from `now` on, and all bodies that could reach them.
    pub(crate) fn stall_reachable(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        rows: [usize; 2],
        now: f32,
    ) {
        let mut to_stall = core::mem::take(&mut self.to_stall);
        let mut others = core::mem::take(&mut self.near_stalled);
        to_stall.clear();
        to_stall.extend(rows);
        while let Some(row) = to_stall.pop() {
            let at = self.at(bodies, row, now);
            // A body that does not move keeps its position anyway.
            let is_stalled = self.states[row].is_stalled;
            if is_stalled || !is_pushable_or_moves(&at.motion(), bodies.mass(row)) {
                continue;
            }
            self.change(bodies, row, at, now);
            self.stall(bodies, row, now);
            self.stats.over_budget += 1;
            self.paths.neighbours(row, &mut others);
            // They are found in any order; sorting makes the result deterministic.
            others.sort_unstable();
            to_stall.extend(others.iter().filter(|&&other| bodies.may_meet(row, other)));
        }
        self.to_stall = to_stall;
        self.near_stalled = others;
    }
}
