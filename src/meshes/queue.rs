//! Parts that a traversal has met, and the searches for the earliest contact with them.
//!
//! ```text
//! run, for the parts that were met, sixteen at a time:
//!     delay those that a separating direction proves to be later     (narrowphase/toi/triangle_bounds.rs, turning.rs)
//!     plan them in that order; a plan may find the contact           (narrowphase/toi/triangle_plane.rs)
//!     follow planes, then search, those that may be earlier than the best
//! ```
//!
//! On a fine mesh, a traversal meets thousands of triangles, most plans of which start at about the same time, and the plan of one of
//! them may find the contact. So only a few rounds are spent on searches for each triangle that the traversal meets; the other searches are
//! deferred, the earliest first, and most of them turn out to be needless (`deferred.rs`).
//!
//! If a body makes whole turns, a search may take thousands of rounds. Then searches pause after a few, and the earliest one
//! continues first, so that the rounds are about those up to the first contact (`pausing.rs`). Few bodies do, so the functions
//! for these are cold: inlined, they cost the others 1 % of their instructions.

use super::contacts::Contacts;
use super::geometry::{Geometry, TriangleSource};
use super::turning::is_turning;
use super::window_parts::time_at;
use crate::lanes::Level;
use crate::narrowphase::math::V3;
use crate::narrowphase::toi::Toi;
use crate::narrowphase::toi::part_search::{BestPlanes, Part, PartSearch, Plan, Planned};
use crate::narrowphase::toi::triangle_bounds::{TRIANGLES, TriangleBounds, TriangleColumns};

/// Number of parts that are searched together.
const QUEUE: usize = TRIANGLES;

/// Number of rounds after which the window is divided for a shape that rotates.
const DIVIDED_AFTER: u64 = if cfg!(fuzzing) { 0 } else { 32 };

/// Number of parts after which it is divided if searches pause.
const PAUSING_AFTER: u32 = if cfg!(fuzzing) { 0 } else { 64 };

/// Lower bounds of the times of triangles in a window, and the level on which they are computed.
pub(super) type WindowBounds = (TriangleBounds, Level, [f64; 2]);

/// In which order the parts that were met are searched.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    /// Each is searched to its end when it was met.
    Met,
    /// As [`Order::Met`], until the searches have taken many rounds. Those that remain are searched later, the earliest first.
    Deferred,
    /// Searches pause after a few rounds, and the earliest continues first.
    Paused,
}

/// A part that was met.
#[derive(Clone, Copy, Default)]
struct Met {
    part: u32,
    /// The lane of its corners, if it is a triangle.
    lane: u32,
    /// The time before which it is apart.
    from: f64,
}

/// Parts that were met and are not searched yet, so that their memory can be prefetched, and the earliest is searched first.
pub(super) struct Queue<'q> {
    pub(super) search: &'q PartSearch<'q>,
    pub(super) geometry: &'q Geometry<'q>,
    /// The number of the shape as a part of its own body.
    pub(super) own: u32,
    /// Number of parts after which they are searched.
    most: usize,
    met: [Met; QUEUE],
    len: usize,
    /// For triangles that do not rotate.
    bounds: Option<WindowBounds>,
    triangles: TriangleSource<'q>,
    /// The corners of the triangles that were met.
    corners: TriangleColumns,
    /// The planes at the best contact, or at the one beyond which parts are searched.
    best: Option<BestPlanes>,
    /// Sliding directions, from the shape to the geometry.
    slides: &'q [V3],
    /// Whether the window has been divided.
    is_divided: bool,
    /// Whether there is an earlier contact than that of `best`.
    is_improved: bool,
    /// Whether searches pause.
    pauses: bool,
    /// Whether searches may be deferred: those of triangles, of which only the first contact is needed.
    defers: bool,
    /// Number of rounds of all searches here.
    pub(super) rounds: u64,
    /// Number of parts that were met.
    pub(super) tested: u32,
}

impl<'q> Queue<'q> {
    pub(super) fn new(
        search: &'q PartSearch<'q>,
        geometry: &'q Geometry<'q>,
        own: u32,
        bounds: Option<WindowBounds>,
        order: Order,
        (best, slides): (Option<BestPlanes>, &'q [V3]),
    ) -> Self {
        Self {
            search,
            geometry,
            own,
            // If the body rotates, the result for a part may make the later intervals needless.
            most: if search.is_fixed_frame() { QUEUE } else { 1 },
            met: [Met::default(); QUEUE],
            len: 0,
            bounds,
            triangles: geometry.triangle_source(),
            corners: TriangleColumns::default(),
            best,
            slides,
            is_divided: false,
            is_improved: false,
            defers: order == Order::Deferred,
            pauses: order == Order::Paused,
            rounds: 0,
            tested: 0,
        }
    }

    /// Adds a part that is apart before a time, and searches when there are enough parts.
    #[inline]
    pub(super) fn push(&mut self, part: u32, from: f64, contacts: &mut Contacts<'_>) {
        let lane = self.len % QUEUE;
        self.met[lane] = Met { part, lane: lane as u32, from };
        if self.bounds.is_some() {
            // The corners are in the cache now, because the box of the triangle was computed from them.
            self.triangles.write_corners(part, &mut self.corners, lane);
        }
        self.len = lane + 1;
        if self.len == self.most {
            self.run(contacts);
        }
    }

    /// Searches for the contacts with all parts that are left.
    pub(super) fn finish(&mut self, contacts: &mut Contacts<'_>) {
        self.run(contacts);
        if self.pauses {
            self.resume_all(contacts);
        }
        if !contacts.memory.deferred.is_empty() {
            self.search_deferred(u64::MAX, contacts);
        }
    }

    /// Searches for the contacts with all parts of the queue, and empties it.
    #[inline(never)]
    fn run(&mut self, contacts: &mut Contacts<'_>) {
        let count = self.delay(contacts);
        // In the order of the times before which they are apart; of equal ones the first met stays the first.
        let met = &mut self.met[..count];
        for k in 1..met.len() {
            let mut at = k;
            while at > 0 && met[at].from < met[at - 1].from {
                met.swap(at, at - 1);
                at -= 1;
            }
        }
        if self.pauses && count > 0 {
            self.resume_until(self.met[0].from, contacts);
        }
        let before = contacts.best().toi.rounds;
        let (rounds_now, defers_all) = (self.rounds_now(), !contacts.memory.deferred.is_empty());
        let mut plans = Plans::new();
        // Overwritten for each part. As results of a function, parts would be copied once more.
        let mut shape = Part::Triangle([[0.0; 3]; 3]);
        for k in 0..count {
            let Met { part, lane, from } = self.met[k];
            if from > contacts.until() {
                break;
            }
            self.write_part(part, lane, &mut shape);
            self.update_best(contacts);
            let window = [from, contacts.until()];
            let planes = (self.best.as_ref(), self.slides);
            match self.search.plan((part, lane), &shape, window, planes) {
                Planned::Separated => {}
                Planned::Found(toi) => self.add(&toi, part, true, contacts),
                Planned::Search(plan) => plans.insert(plan),
            }
        }
        while let Some(slot) = plans.next(contacts.until()) {
            let plan = &mut plans.all[slot];
            if plan.may_follow() {
                self.write_part(plan.part, plan.lane, &mut shape);
                self.update_best(contacts);
                let best = self.best.as_ref();
                match self.search.follow_part(plan, &shape, contacts.until(), best) {
                    Planned::Separated => {}
                    Planned::Found(toi) => self.add(&toi, plan.part, true, contacts),
                    Planned::Search(later) => {
                        *plan = later;
                        plans.insert_slot(slot);
                    }
                }
            } else if self.defers && (defers_all || self.rounds >= rounds_now) {
                contacts.defer(plan);
            } else {
                self.write_part(plan.part, plan.lane, &mut shape);
                self.search_plan(plan, &shape, contacts);
            }
        }
        if !contacts.memory.deferred.is_empty() {
            self.search_deferred(rounds_now, contacts);
        }
        if self.pauses {
            self.resume_for(contacts.best().toi.rounds - before, contacts);
        }
    }

    /// Searches for a contact with a part, unless it is proved not to be earlier than the best one, or the rounds have run out.
    pub(super) fn search_plan(
        &mut self,
        plan: &Plan,
        shape: &Part<'_>,
        contacts: &mut Contacts<'_>,
    ) {
        if contacts.is_exhausted() {
            contacts.add_unresolved(plan.start, [self.own, plan.part]);
            return;
        }
        self.update_best(contacts);
        if self.pauses {
            return self.find_or_pause(plan, shape, contacts);
        }
        let mut plan = *plan;
        plan.known_depth = contacts.known_depth();
        let toi = self.search.find(&plan, shape, contacts.until(), self.best.as_ref(), None);
        self.rounds += u64::from(toi.rounds);
        self.add(&toi, plan.part, false, contacts);
    }

    /// Updates the planes of the earliest contact.
    #[inline(always)]
    fn update_best(&mut self, contacts: &Contacts<'_>) {
        if self.is_improved {
            let planes = self.search.planes_of(&contacts.best().toi.result);
            (self.best, self.is_improved) = (planes, false);
        }
    }

    /// Writes a part that was met.
    #[inline(always)]
    fn write_part(&self, part: u32, lane: u32, to: &mut Part<'q>) {
        if self.bounds.is_none() {
            *to = self.geometry.part(part);
            return;
        }
        let lane = lane as usize % QUEUE;
        let [a, b, c] = &self.corners;
        let corner = |of: &[[f32; QUEUE]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        *to = Part::Triangle([corner(a), corner(b), corner(c)]);
    }

    /// Replaces the times before which triangles are apart by lower bounds that are later, and keeps the triangles that may
    /// touch before contacts stop to count. Returns their number.
    fn delay(&mut self, contacts: &mut Contacts<'_>) -> usize {
        let len = core::mem::take(&mut self.len);
        contacts.count_tests(len);
        self.tested = self.tested.saturating_add(len as u32);
        let Some((bounds, level, window)) = &self.bounds else { return len };
        let fractions = bounds.of(*level, &self.corners, len);
        let mut times = [0.0; QUEUE];
        for (time, &fraction) in times.iter_mut().zip(&fractions) {
            *time = time_at(fraction, *window);
        }
        // The rounds of searches that pause are not counted here. If all contacts are listed, that of a part must not depend on the searches before.
        let is_long = self.rounds >= DIVIDED_AFTER || self.pauses && self.tested > PAUSING_AFTER;
        if is_long && contacts.is_first_wanted() && is_turning(self.search, *window) {
            let (level, window) = (*level, *window);
            self.delay_turning(level, window, &mut times[..len], contacts);
        }
        let mut count = 0;
        for (lane, &time) in times.iter().enumerate().take(len) {
            let met = self.met[lane];
            let apart = if time > met.from { time } else { met.from };
            // Written in any case, so that no step is a branch on the outcome, which is unpredictable.
            self.met[count] = Met { from: apart, ..met };
            count += usize::from(apart <= contacts.until());
        }
        count
    }

    /// Replaces the times before which triangles are apart by later ones, which are proved for parts of the window.
    #[cold]
    #[inline(never)]
    fn delay_turning(
        &mut self,
        level: Level,
        window: [f64; 2],
        times: &mut [f64],
        contacts: &mut Contacts<'_>,
    ) {
        let until = contacts.until();
        let turning = &mut contacts.memory.turning;
        if !self.is_divided {
            turning.divide(self.search, window);
            self.is_divided = true;
        }
        turning.delay(self.search, (level, &self.corners), times, until);
    }

    /// Adds the result for a part, which is a contact with the inside of a triangle or not.
    pub(super) fn add(
        &mut self,
        toi: &Toi,
        part: u32,
        is_inside: bool,
        contacts: &mut Contacts<'_>,
    ) {
        self.is_improved |= contacts.add(toi, [self.own, part], is_inside);
    }

    /// Returns the planes of the earliest contact, if there is one.
    pub(super) fn best(&self) -> Option<&BestPlanes> {
        self.best.as_ref()
    }
}

/// Plans of the parts that are searched.
struct Plans {
    all: [Plan; QUEUE],
    len: usize,
    /// Those that are not searched yet, in the order of their starts: the last one starts first.
    order: [u8; QUEUE],
    count: usize,
}

impl Plans {
    #[inline(always)]
    fn new() -> Self {
        Self { all: [Plan::default(); QUEUE], len: 0, order: [0; QUEUE], count: 0 }
    }

    #[inline(always)]
    fn insert(&mut self, plan: Plan) {
        let slot = self.len % QUEUE;
        self.all[slot] = plan;
        self.len = slot + 1;
        self.insert_slot(slot);
    }

    /// Inserts a plan behind all that start later. Of equal ones, the one that was inserted first is searched first.
    #[inline(always)]
    fn insert_slot(&mut self, slot: usize) {
        let start = self.all[slot].start;
        let mut at = self.count;
        while at > 0 && self.all[usize::from(self.order[at - 1]) % QUEUE].start <= start {
            self.order[at % QUEUE] = self.order[at - 1];
            at -= 1;
        }
        self.order[at % QUEUE] = slot as u8;
        self.count += 1;
    }

    /// Removes the next plan, if one may start before a time, and returns its slot. Those that are cheap are first: an impact of one of
    /// them may make a search needless.
    #[inline(always)]
    fn next(&mut self, until: f64) -> Option<usize> {
        let order = &mut self.order[..self.count];
        let last = order.len().checked_sub(1)?;
        let plan = |at: usize| &self.all[usize::from(order[at]) % QUEUE];
        if plan(last).start > until {
            return None;
        }
        let is_cheap = |&at: &usize| plan(at).may_follow() && plan(at).start <= until;
        let at = (0..=last).rev().find(is_cheap).unwrap_or(last);
        let slot = usize::from(order[at]) % QUEUE;
        order.copy_within(at + 1.., at);
        self.count -= 1;
        Some(slot)
    }
}
