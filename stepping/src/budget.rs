//! New searches within the budget, and bodies whose next impact is not searched because the budget ran out.
//!
//! These are stalled: each keeps its position until the end of the tick. Whatever could reach it there would have to
//! be searched as well, so it is stalled too, and so on. Boxes around the remaining paths decide who could reach it.
//! All other bodies continue, and their impacts that were found before stay valid.

use crate::bodies::Bodies;
use crate::state::{BodyState, is_pushable_or_moves, moves};
use crate::step::Step;
use alloc::vec::Vec;
use swath::pipeline::ImpactKind;

/// Greatest number of entries on the stack of bodies to be stalled, as a multiple of all bodies, before it is made shorter. A body is there once for
/// each stalled one that it could reach.
const STACK_MAX: usize = 4;

/// Part of the skin by which a search may find two bodies touching too early: an eighth is its tolerance, and positions and displacements are rounded by an
/// eighth of the slop of each body. Where both have a slop, the sum of their margins exceeds the skin by the smaller one.
const INEXACT: f32 = 0.25;
/// Number of pairs of paths that are compared in the time of a round.
const PATHS_PER_ROUND: u64 = 16;

impl Step {
    /// Returns whether this many more searches may be started, and counts them if so.
    fn spend(&mut self, searches: usize) -> bool {
        // A body with nothing near it needs no budget.
        if searches == 0 {
            return true;
        }
        let after = self.stats.searches.saturating_add(searches);
        let may = after <= self.config.searches_max as usize && !self.is_out_of_rounds();
        self.stats.searches = if may { after } else { self.stats.searches };
        may
    }

    /// Searches the impacts of a row from `now` on, with all others that have not been searched in this event.
    pub(crate) fn search_neighbours(&mut self, bodies: &mut dyn Bodies<'_>, row: usize, now: f32) {
        let mut neighbours = core::mem::take(&mut self.neighbours);
        self.paths.neighbours(row, &mut neighbours);
        let path = self.paths.box_of(row);
        if let Some(path) = path {
            bodies.add_resting(row, &path, &mut neighbours);
            // New rows are resting proxies.
            self.states.resize(bodies.bodies().len(), BodyState::default());
            self.paths.add_resting(bodies.bodies(), self.config.half_target());
        }
        let event = self.stats.events as u32;
        let is_new = |other: &usize| self.states[*other].searched_in != event;
        neighbours.retain(|other| is_new(other) && bodies.may_meet(row, *other));
        self.keep_touching(row, &mut neighbours, now);
        // They are found in any order, and the rounds may run out before all of them are searched.
        neighbours.sort_unstable_by_key(|&other| bodies.label(other));
        // A path past the greatest coordinate has no box, and cannot be searched.
        if path.is_some() && self.spend(neighbours.len()) {
            self.stats.repeated_searches += neighbours.len();
            for (searched, &other) in neighbours.iter().enumerate() {
                if self.is_out_of_rounds() {
                    let left = neighbours.len() - searched;
                    self.stats.searches -= left;
                    self.stats.repeated_searches -= left;
                    self.stall_unsearched(bodies, row, &neighbours[searched..], now);
                    break;
                }
                let is_first = bodies.label(row) < bodies.label(other);
                let rows = if is_first { [row, other] } else { [other, row] };
                let next = self.next_event(bodies, rows, now);
                self.queue.extend(next);
            }
            self.states[row].searched_in = event;
        } else {
            self.stall_unsearched(bodies, row, &neighbours, now);
        }
        self.neighbours = neighbours;
    }

    /// Removes the neighbours that a row does not touch from `now` on by their relative motion, and counts them for the limit of rounds. A search would return
    /// no event for them.
    fn keep_touching(&mut self, row: usize, neighbours: &mut Vec<usize>, now: f32) {
        let before = neighbours.len();
        let apart = |other: usize| INEXACT * self.skin([row, other]);
        self.paths.retain_touching(row, now, neighbours, &apart);
        self.stats.budget_rounds += (before - neighbours.len()) as u64 / PATHS_PER_ROUND;
    }

    /// Stalls a changed row that may not be searched with these neighbours, and all bodies that could reach it. If it is stalled already,
    /// because it has had too many impacts, the neighbours that move are stalled instead, because they could still reach it.
    fn stall_unsearched(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        row: usize,
        neighbours: &[usize],
        now: f32,
    ) {
        if !self.states[row].is_stalled {
            return self.stall_reachable(bodies, &[row], now);
        }
        let all = bodies.bodies();
        let moving = neighbours.iter().copied().filter(|&row| moves(&all[row].motion));
        let moving: Vec<_> = moving.collect();
        self.stall_reachable(bodies, &moving, now);
    }

    /// Searches the next impact of two bodies from `now` on, and adds it to the queue.
    pub(crate) fn search_again(&mut self, bodies: &mut dyn Bodies<'_>, rows: [usize; 2], now: f32) {
        if self.spend(1) {
            let next = self.next_event(bodies, rows, now);
            self.queue.extend(next);
        } else {
            self.stall_reachable(bodies, &rows, now);
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
            self.stall_reachable(bodies, &rows, now);
            return;
        }
        // Without an event, the two do not meet in the rest of the tick.
        let Some(event) = self.next_event(bodies, rows, now) else { return };
        if event.impact.kind == ImpactKind::Unresolved && event.impact.toi <= now {
            self.stall_reachable(bodies, &rows, now);
        } else {
            self.queue.push(event);
        }
    }

    /// Stalls rows that may not be searched from `now` on, and all bodies that could reach them.
    pub(crate) fn stall_reachable(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        rows: &[usize],
        now: f32,
    ) {
        let mut to_stall = core::mem::take(&mut self.to_stall);
        let mut others = core::mem::take(&mut self.near_stalled);
        to_stall.clear();
        to_stall.extend(rows);
        while let Some(row) = to_stall.pop() {
            if self.states[row].is_stalled {
                continue;
            }
            let at = self.at(bodies, row, now);
            // A body that does not move keeps its position anyway.
            if !is_pushable_or_moves(&at.motion(), bodies.mass(row)) {
                continue;
            }
            self.change(bodies, row, at, now);
            self.stall(bodies, row, now);
            self.stats.over_budget += 1;
            self.paths.neighbours(row, &mut others);
            others.retain(|&other| !self.states[other].is_stalled && bodies.may_meet(row, other));
            // They are found in any order; sorting makes the result deterministic.
            others.sort_unstable();
            to_stall.extend(&others);
            if to_stall.len() > STACK_MAX * self.states.len() {
                keep_topmost(&mut to_stall, &mut self.is_listed, self.states.len());
            }
        }
        self.to_stall = to_stall;
        self.near_stalled = others;
    }
}

/// Removes every entry of a row from a stack but the topmost one.
fn keep_topmost(stack: &mut Vec<usize>, is_listed: &mut Vec<bool>, rows: usize) {
    is_listed.clear();
    is_listed.resize(rows, false);
    stack.reverse();
    stack.retain(|&row| !core::mem::replace(&mut is_listed[row], true));
    stack.reverse();
}

#[cfg(test)]
mod tests {
    use super::keep_topmost;
    use crate::bodies::BodyRows;
    use crate::start::Start;
    use crate::step::Step;
    use crate::{Mass, Stepper, StepperConfig};
    use alloc::vec;
    use alloc::vec::Vec;
    use swath::pipeline::GeometryBody;
    use swath::{ConvexBody, Motion, Pose, Shape};

    /// Goal: a body with nothing left to search continues after the rounds of a step have run out; one with a neighbour is stalled. Method:
    /// two balls far from each other, and two side by side, which are searched again with no round left.
    #[test]
    fn body_without_neighbours_needs_no_rounds() {
        for (x, stalled) in [(9.0, 0), (1.2, 2)] {
            let ball = Shape::sphere(0.5).expect("a ball");
            let mut bodies = [0.0, x].map(|x| {
                let pose = Pose::at([x, 0.0, 0.0]).expect("a pose");
                let motion = Motion::new(pose, [0.0, 1.0, 0.0]).expect("a motion");
                GeometryBody { row: 0, geometry: ball.into(), motion }
            });
            bodies[1].motion.delta[0] = -0.25;
            let masses = [Mass { inverse_mass: 1.0, restitution: 0.0 }; 2];
            let mut rows = BodyRows { bodies: &mut bodies, masses: &masses, filters: None };
            let mut step = Step { config: StepperConfig::default(), ..Step::default() };
            Start::default().fill(&mut step, &mut rows).expect("bodies");
            (step.rounds_max, step.stats.events) = (step.stats.budget_rounds, 1);
            step.search_neighbours(&mut rows, 0, 0.5);
            let stats = step.stats;
            assert_eq!((stats.stalled, stats.over_budget), (stalled, stalled), "{stats:?}");
        }
    }

    /// Goal: searches that are left out because the rounds of a step have run out are not counted. Method: a ball between two others, which is searched
    /// again with rounds for one search left.
    #[test]
    fn searches_that_are_left_out_are_not_counted() {
        let ball = Shape::sphere(0.5).expect("a ball");
        let mut bodies = [0.0_f32, 1.2, -1.2].map(|x| {
            let pose = Pose::at([x, 0.0, 0.0]).expect("a pose");
            let motion = Motion::new(pose, [-0.25 * x, 0.0, 0.0]).expect("a motion");
            GeometryBody { row: 0, geometry: ball.into(), motion }
        });
        let masses = [Mass { inverse_mass: 1.0, restitution: 0.0 }; 3];
        let mut rows = BodyRows { bodies: &mut bodies, masses: &masses, filters: None };
        let mut step = Step { config: StepperConfig::default(), ..Step::default() };
        Start::default().fill(&mut step, &mut rows).expect("bodies");
        let before = step.stats.searches;
        (step.rounds_max, step.stats.events) = (step.stats.budget_rounds + 1, 1);
        step.search_neighbours(&mut rows, 0, 0.0);
        let stats = step.stats;
        assert_eq!([stats.searches - before, stats.repeated_searches], [1, 1], "{stats:?}");
        assert_eq!(stats.stalled, 3, "{stats:?}");
    }

    /// Goal: nothing passes through a body that is stalled because it had too many impacts, also if its neighbours may not be searched any more. Method: a
    /// ball between two walls has two impacts, and another one falls on it; with few searches both are stalled.
    #[test]
    fn body_with_too_many_impacts_is_not_passed_through_without_searches() {
        for (searches_max, over_budget) in [(4, 1), (5, 0), (6, 0)] {
            let wall = Shape::cuboid([0.0, 0.5, 0.5]).expect("a wall");
            let ball = Shape::sphere(0.1).expect("a ball");
            let body = |shape, at, delta| {
                let motion = Motion::new(Pose::at(at).expect("a pose"), delta);
                ConvexBody { row: 0, shape, motion: motion.expect("a motion") }
            };
            let mut bodies = [
                body(wall, [1.0, 0.0, 0.0], [0.0; 3]),
                body(wall, [-1.0, 0.0, 0.0], [0.0; 3]),
                body(ball, [0.0; 3], [-4.0, 0.0, 0.0]),
                body(ball, [0.85, 2.0, 0.0], [0.0, -2.5, 0.0]),
            ];
            let elastic = Mass { inverse_mass: 1.0, restitution: 1.0 };
            let masses = [Mass::FIXED, Mass::FIXED, elastic, elastic];
            let config = StepperConfig { impacts_max: 2, searches_max, ..StepperConfig::default() };
            let mut stepper = Stepper::new(config);
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert_eq!(stepper.stalled().first().map(|first| first.row), Some(2));
            assert_eq!(stats.over_budget, over_budget, "{searches_max}: {stats:?}");
            let y = bodies[3].motion.pose.position[1];
            assert!(y > 0.19, "{searches_max}: {y}");
        }
    }

    /// Goal: bodies that can all reach each other are stalled in memory for each body, not for each pair. Method: balls in one place, none of which may be
    /// searched.
    #[test]
    fn stalling_a_crowd_takes_memory_for_each_body_only() {
        const COUNT: usize = 400;
        let ball = Shape::sphere(0.5).expect("a ball");
        let motion = Motion { delta: [1.0, 0.0, 0.0], ..Motion::default() };
        let mut bodies = [GeometryBody { row: 0, geometry: ball.into(), motion }; COUNT];
        let masses = [Mass { inverse_mass: 1.0, restitution: 0.0 }; COUNT];
        let mut rows = BodyRows { bodies: &mut bodies, masses: &masses, filters: None };
        let config = StepperConfig { searches_max: 0, ..StepperConfig::default() };
        let mut step = Step { config, ..Step::default() };
        Start::default().fill(&mut step, &mut rows).expect("bodies");
        assert_eq!(step.stats.over_budget, COUNT);
        assert!(step.to_stall.capacity() < 16 * COUNT, "{}", step.to_stall.capacity());
    }

    /// Goal: a stack that is made shorter has the same order of first entries from the top. Method: a stack with numbers that occur several times.
    #[test]
    fn stack_keeps_the_topmost_entry_of_each_row() {
        let (mut stack, mut is_listed) = (vec![1, 4, 2, 4, 0, 2, 1, 2], Vec::new());
        for _ in 0..2 {
            keep_topmost(&mut stack, &mut is_listed, 5);
            assert_eq!(stack, [4, 0, 1, 2]);
        }
    }
}
