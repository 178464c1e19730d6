//! First time of two geometries, by their hierarchies.
//!
//! ```text
//! both are convex:         the search of the narrowphase
//! one of them is convex:   each_part of the other                        (against_parts)
//! both have parts:         the parts of the first that meet the other's box;
//!                          for each of them, each_part of the other      (between)
//! each_part:               if the body rotates, divide the window into intervals in which it turns little;
//!                          in each, traverse the hierarchy with the box around the path
//! Queue::run, for the parts that were met, sixteen at a time:
//!     delay those that a separating direction proves to be later     (narrowphase/toi/triangle_bounds.rs)
//!     plan them in that order; a plan may find the contact           (narrowphase/toi/triangle_plane.rs)
//!     follow planes, then search, those that may be earlier than the best
//! ```
//!
//! If a body makes whole turns, a search may take thousands of rounds. Then searches pause after a few, and the earliest one
//! continues first, so that the rounds are about those up to the first contact.
//!
//! Which parts are visited, and in which order, depends on the input alone.

use super::geometry::Geometry;
use super::inner_edges;
use super::paused::{Paused, PausedPart};
use super::result::PartToi;
use crate::geom::{MapEach, Motion, MovingBox};
use crate::lanes::Level;
use crate::narrowphase::Shape;
use crate::narrowphase::toi::part_search::{BestPlane, PartSearch, PartsExtent, Plan, Planned};
use crate::narrowphase::toi::pause::Progress;
use crate::narrowphase::toi::triangle_bounds::{TRIANGLES, TriangleBounds, TriangleColumns};
use crate::narrowphase::toi::{Settings, Toi, ToiResult, of_valid};
use alloc::collections::binary_heap::PeekMut;
use alloc::vec::Vec;

/// The contacts found so far.
pub(super) struct Contacts<'o> {
    /// All of them, if they are wanted.
    all: Option<&'o mut Vec<PartToi>>,
    best: PartToi,
    /// Later contacts do not count.
    until: f64,
    from: f64,
}

impl<'o> Contacts<'o> {
    pub(super) fn new(settings: &Settings, all: Option<&'o mut Vec<PartToi>>) -> Self {
        let [from, to] = settings.window.map_each(f64::from);
        Self { all, best: PartToi::default(), until: to, from }
    }

    pub(super) fn best(&self) -> PartToi {
        self.best
    }

    /// Counts parts that were tested, with or without a search.
    fn count_tests(&mut self, tests: usize) {
        self.best.tests += tests as u32;
    }

    /// Counts the work of a search that has paused.
    fn count_work(&mut self, toi: &Toi) {
        self.best.toi.rounds += toi.rounds;
        self.best.toi.supports += toi.supports;
    }

    /// Adds the result for two parts. Returns whether it is the earliest.
    fn add(&mut self, toi: Toi, parts: [u32; 2]) -> bool {
        self.count_work(&toi);
        if toi.result == ToiResult::Separated {
            return false;
        }
        if let Some(all) = &mut self.all {
            all.push(PartToi { toi, parts, tests: 1 });
            return false;
        }
        let Some(t) = is_earlier(&toi.result, &self.best.toi.result, self.from) else {
            return false;
        };
        (self.best.toi.result, self.best.parts, self.until) = (toi.result, parts, t);
        true
    }
}

/// Returns the time of a result if it is earlier than another, or at the same time and more certain. Of two overlaps,
/// the deeper counts.
pub(super) fn is_earlier(result: &ToiResult, than: &ToiResult, from: f64) -> Option<f64> {
    let order = |result: &ToiResult| match *result {
        ToiResult::Overlapping { depth, .. } => (from, 0, -depth),
        ToiResult::Impact { t, .. } => (f64::from(t), 1, 0.0),
        ToiResult::Unresolved { t_safe } => (f64::from(t_safe), 2, 0.0),
        ToiResult::Separated => (f64::INFINITY, 3, 0.0),
    };
    let (new, old) = (order(result), order(than));
    (new < old).then_some(new.0)
}

/// The intervals into which a window is divided, so that the body rotates little in each.
#[derive(Clone, Copy)]
pub(super) struct Intervals {
    count: u32,
    window: [f64; 2],
    /// The box around the path in the first interval.
    path_box: MovingBox,
}

impl Intervals {
    pub(super) fn new(search: &PartSearch<'_>, window: [f64; 2]) -> Self {
        let count = search.intervals(window);
        let intervals = Self { count, window, path_box: MovingBox::default() };
        Self { path_box: search.path_box([window[0], intervals.start(1)]), ..intervals }
    }

    /// Returns the start of interval `k`, or the end of the last one.
    fn start(&self, k: u32) -> f64 {
        let [from, to] = self.window;
        let share = f64::from(k) / f64::from(self.count);
        if k == self.count { to } else { from + (to - from) * share }
    }
}

/// Calls `visitor` with each part whose box the shape of `search` meets in the window, and a time before which they are
/// apart; `visitor` returns the time until which contacts count.
pub(super) fn each_part(
    search: &PartSearch<'_>,
    geometry: &Geometry<'_>,
    intervals: &Intervals,
    visitor: &mut dyn FnMut(u32, f64) -> f64,
) {
    let &Intervals { count, window: [_, to], path_box } = intervals;
    let mut until = to;
    // Parts that were searched in an earlier interval, which was a search to the end.
    let mut seen: Vec<u32> = Vec::new();
    for k in 0..count {
        let (start, end) = (intervals.start(k), intervals.start(k + 1));
        if start > until {
            break;
        }
        let length = end - start;
        let path_box = if k == 0 { path_box } else { search.path_box([start, end]) };
        geometry.sweep(&path_box, &mut |part, met| {
            if count > 1 {
                match seen.binary_search(&part) {
                    Ok(_) => return limit(until, start, length),
                    Err(place) => seen.insert(place, part),
                }
            }
            // Rounding may make a product greater by less than this factor makes it less.
            let met = start + f64::from(met) * length * (1.0 - 1e-15);
            if met <= until {
                until = visitor(part, met);
            }
            limit(until, start, length)
        });
    }
}

/// Returns a time as a fraction of an interval, rounded up.
fn limit(until: f64, start: f64, length: f64) -> f32 {
    let fraction = (until - start) / length;
    // A comparison with NaN is false.
    if fraction < 1.0 { (fraction * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE } else { 1.0 }
}

/// Searches for the contacts of a convex shape with the parts of a geometry. `part` is the number of the shape as a part
/// of its own body.
fn against_parts(
    shape: &Shape<'_>,
    motion: &Motion,
    (geometry, body): (&Geometry<'_>, &Motion),
    settings: &Settings,
    (part, window): (u32, [f64; 2]),
    contacts: &mut Contacts<'_>,
) {
    let search = PartSearch::new(shape, motion, (body, &geometry.extent()), settings, 1.0);
    let window = [window[0], contacts.until];
    if window[0] > window[1] {
        return;
    }
    let Some(window) =
        near_whole_body(&search, (shape, motion), (geometry, body), settings, (window, contacts))
    else {
        return;
    };
    let mut queue = Queue {
        met: [(0, 0.0); QUEUE],
        len: 0,
        bounds: None,
        best: None,
        // If all contacts are searched, each search runs to its end.
        pauses: contacts.all.is_none() && search.makes_whole_turn(window),
        paused: Paused::new(),
    };
    let intervals = Intervals::new(&search, window);
    // If the body rotates, the result for a part may make the later intervals needless.
    let fixed = search.is_fixed_frame();
    let most = if fixed { QUEUE } else { 1 };
    if let (true, Some(level)) = (fixed, geometry.level_of_triangles()) {
        let bounds = search.triangle_bounds(&intervals.path_box, window);
        queue.bounds = Some((bounds, level, window));
    }
    each_part(&search, geometry, &intervals, &mut |other, from| {
        queue.met[queue.len] = (other, from);
        queue.len += 1;
        if queue.len == most {
            queue.run(&search, geometry, part, contacts);
        }
        contacts.until
    });
    queue.run(&search, geometry, part, contacts);
    while queue.resume(f64::INFINITY, &search, geometry, part, contacts) {}
}

/// Greatest number of rounds of a search against the box around a whole body.
const WHOLE_ROUNDS_MAX: u32 = 32;

/// Returns the part of the window in which a shape may be near the box around a geometry, if there is one. The box is searched
/// if the body makes whole turns: then the paths relative to it meet all of its parts.
fn near_whole_body(
    search: &PartSearch<'_>,
    (shape, motion): (&Shape<'_>, &Motion),
    (geometry, body): (&Geometry<'_>, &Motion),
    settings: &Settings,
    ([from, to], contacts): ([f64; 2], &mut Contacts<'_>),
) -> Option<[f64; 2]> {
    if !search.body_makes_whole_turn([from, to]) {
        return Some([from, to]);
    }
    let rounds_max = settings.rounds_max.min(WHOLE_ROUNDS_MAX);
    let settings = Settings { rounds_max, ..*settings };
    let mut whole = Toi::default();
    geometry.with_bounds(&mut |around| {
        let extent = PartsExtent { bounding_radius: around.reach(), ..geometry.extent() };
        let search = PartSearch::new(shape, motion, (body, &extent), &settings, 1.0);
        whole = search.whole_body(around, [from, to]);
    });
    contacts.count_work(&whole);
    match whole.result {
        ToiResult::Separated => None,
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => {
            Some([from.max(f64::from(t)), to])
        }
        ToiResult::Overlapping { .. } => Some([from, to]),
    }
}

/// Number of parts that are searched together.
const QUEUE: usize = TRIANGLES;

/// Parts that were met and are not searched yet, so that their memory can be prefetched, and the earliest is searched first.
struct Queue {
    /// Each with the time before which it is apart.
    met: [(u32, f64); QUEUE],
    len: usize,
    /// For triangles that do not rotate, lower bounds of their times in the window.
    bounds: Option<(TriangleBounds, Level, [f64; 2])>,
    best: Option<BestPlane>,
    /// Whether searches pause: those of bodies that make whole turns may be long, and most of them end early once the first
    /// contact is known.
    pauses: bool,
    paused: Paused,
}

impl Queue {
    /// Searches for the contacts with all parts of the queue, and empties it.
    fn run(
        &mut self,
        search: &PartSearch<'_>,
        geometry: &Geometry<'_>,
        own: u32,
        contacts: &mut Contacts<'_>,
    ) {
        let mut met = self.met;
        let met = &mut met[..core::mem::take(&mut self.len)];
        contacts.count_tests(met.len());
        let met = match &self.bounds {
            Some(bounds) => delay(met, geometry, bounds, contacts.until),
            None => met,
        };
        // In the order of the times before which they are apart; of equal ones the first met stays the first.
        for k in 1..met.len() {
            let mut at = k;
            while at > 0 && met[at].1 < met[at - 1].1 {
                met.swap(at, at - 1);
                at -= 1;
            }
        }
        if let (true, Some(&(_, first))) = (self.pauses, met.first()) {
            while self.resume(first, search, geometry, own, contacts) {}
        }
        let before = contacts.best.toi.rounds;
        let (mut plans, mut count) = ([Plan::default(); QUEUE], 0);
        for &(part, from) in &*met {
            if from > contacts.until {
                break;
            }
            match search.plan(part, &geometry.part(part), [from, contacts.until]) {
                Planned::Separated => {}
                Planned::Found(toi) => self.add(search, toi, [own, part], contacts),
                Planned::Search(plan) => insert(&mut plans, &mut count, plan),
            }
        }
        while count > 0 && plans[count - 1].start <= contacts.until {
            // Those that are cheap are first: an impact of one of them may make a search needless.
            let is_cheap = |plan: &Plan| plan.may_follow() && plan.start <= contacts.until;
            let at = plans[..count].iter().rposition(is_cheap).unwrap_or(count - 1);
            let plan = plans[at];
            plans.copy_within(at + 1..count, at);
            count -= 1;
            let shape = geometry.part(plan.part);
            let toi = if plan.may_follow() {
                match search.follow_part(&plan, &shape, contacts.until) {
                    Planned::Separated => continue,
                    Planned::Found(toi) => toi,
                    Planned::Search(later) => {
                        insert(&mut plans, &mut count, later);
                        continue;
                    }
                }
            } else {
                let (best, mut progress) = (self.best.as_ref(), self.pauses.then(Progress::new));
                let toi = search.find(&plan, &shape, contacts.until, best, progress.as_mut());
                if self.pause(&toi, plan.part, progress, contacts) {
                    continue;
                }
                toi
            };
            self.add(search, toi, [own, plan.part], contacts);
        }
        if self.pauses {
            // As many rounds for the earliest as for the new ones, so that a first contact is found before most parts are
            // searched, and they end early.
            let limit = contacts.best.toi.rounds + (contacts.best.toi.rounds - before);
            while contacts.best.toi.rounds < limit
                && self.resume(f64::INFINITY, search, geometry, own, contacts)
            {}
        }
    }

    /// Continues the earliest search that has paused, unless it has reached a time. Returns whether it did.
    fn resume(
        &mut self,
        time: f64,
        search: &PartSearch<'_>,
        geometry: &Geometry<'_>,
        own: u32,
        contacts: &mut Contacts<'_>,
    ) -> bool {
        let Some(first) = self.paused.peek_mut() else { return false };
        if first.start >= time || first.start > contacts.until {
            return false;
        }
        let PausedPart { part, mut progress, .. } = PeekMut::pop(first);
        let toi = search.resume(&geometry.part(part), contacts.until, &mut progress);
        if !self.pause(&toi, part, Some(progress), contacts) {
            self.add(search, toi, [own, part], contacts);
        }
        true
    }

    /// Keeps a search for later if it has paused, and counts its work. Returns whether it has.
    fn pause(
        &mut self,
        toi: &Toi,
        part: u32,
        progress: Option<Progress>,
        contacts: &mut Contacts<'_>,
    ) -> bool {
        let Some(paused) = progress.and_then(|progress| PausedPart::new(part, progress)) else {
            return false;
        };
        contacts.count_work(toi);
        self.paused.push(paused);
        true
    }

    /// Adds the result for a part, and keeps its plane if it is the earliest.
    fn add(
        &mut self,
        search: &PartSearch<'_>,
        toi: Toi,
        parts: [u32; 2],
        contacts: &mut Contacts<'_>,
    ) {
        if contacts.add(toi, parts) {
            self.best = search.plane_of(&toi.result);
        }
    }
}

/// Inserts a plan into a list whose last one starts first; of equal ones, the one that was inserted first.
fn insert(plans: &mut [Plan; QUEUE], count: &mut usize, plan: Plan) {
    let mut at = *count;
    while at > 0 && plans[at - 1].start <= plan.start {
        plans[at] = plans[at - 1];
        at -= 1;
    }
    plans[at] = plan;
    *count += 1;
}

/// Replaces the times before which triangles are apart by lower bounds that are later. Returns those triangles that are not
/// apart until the time `until`.
fn delay<'m>(
    met: &'m mut [(u32, f64)],
    geometry: &Geometry<'_>,
    (bounds, level, [from, to]): &(TriangleBounds, Level, [f64; 2]),
    until: f64,
) -> &'m mut [(u32, f64)] {
    let mut columns = TriangleColumns::default();
    for (lane, &(part, _)) in met.iter().enumerate() {
        geometry.write_corners(part, &mut columns, lane);
    }
    let bounds = bounds.of(*level, &columns, met.len());
    let mut count = 0;
    for (lane, bound) in bounds.into_iter().enumerate().take(met.len()) {
        let (part, apart) = met[lane];
        // Rounding may make a product greater by less than this factor makes it less.
        let bound = from + f64::from(bound) * (to - from) * (1.0 - 1e-15);
        let apart = if bound > apart { bound } else { apart };
        // Written in any case, so that no step is a branch on the outcome, which is unpredictable.
        met[count] = (part, apart);
        count += usize::from(apart <= until);
    }
    &mut met[..count]
}

/// Searches for the contacts of two geometries whose motions and settings are valid.
pub(super) fn between(
    (a, a_motion): (&Geometry<'_>, &Motion),
    (b, b_motion): (&Geometry<'_>, &Motion),
    settings: &Settings,
    contacts: &mut Contacts<'_>,
) {
    if let (Geometry::Convex(of_a), Geometry::Convex(of_b)) = (a, b) {
        // So that the results have the same bits, including signs of zeros, whichever function is called.
        contacts.add(of_valid((of_a, a_motion), (of_b, b_motion), settings), [0, 0]);
        contacts.count_tests(1);
        return;
    }
    let window = settings.window.map_each(f64::from);
    if let Geometry::Convex(shape) = a {
        let of = (0, window);
        return against_parts(shape, a_motion, (b, b_motion), settings, of, contacts);
    }
    let size = a.extent().size;
    b.with_bounds(&mut |around| {
        let of_a = (a_motion, &a.extent());
        let search = PartSearch::new(around, b_motion, of_a, settings, 1.0);
        let intervals = Intervals::new(&search, window);
        each_part(&search, a, &intervals, &mut |part, from| {
            // Where the boxes are apart until then, so are the shapes: but a touch that is ignored has to be followed
            // from the start.
            let window = [if from > window[0] { from } else { window[0] }, window[1]];
            a.part(part).with_shape(size, &mut |shape| {
                let of = (part, window);
                against_parts(shape, a_motion, (b, b_motion), settings, of, contacts);
            });
            contacts.until
        });
    });
}

/// Computes the first contact of two geometries, or all.
pub(super) fn find(
    a: (&Geometry<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    settings: &Settings,
    mut all: Option<&mut Vec<PartToi>>,
) -> PartToi {
    let start = all.as_ref().map_or(0, |all| all.len());
    // The first is divided into shapes: a convex body, else a compound, else the body with fewer parts. So the rules
    // for sides and inner edges hold for triangles against these.
    let swapped = a.0.order() > b.0.order();
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    let mut contacts = Contacts::new(settings, all.as_deref_mut());
    between(first, second, settings, &mut contacts);
    let mut best = contacts.best();
    let finish = |found: &mut PartToi| {
        inner_edges::correct(first, second, found);
        if found.toi.result != ToiResult::Separated {
            found.parts = [first.0.number(found.parts[0]), second.0.number(found.parts[1])];
        }
        if swapped {
            found.flip();
        }
    };
    finish(&mut best);
    if let Some(all) = all {
        all[start..].iter_mut().for_each(finish);
        let time = |found: &PartToi| match found.toi.result {
            ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t.to_bits(),
            _ => 0,
        };
        crate::par::sort_rare(&mut all[start..], |found| (time(found), found.parts));
        if let Some(first) = all.get(start) {
            (best.toi.result, best.parts) = (first.toi.result, first.parts);
        }
    }
    best
}
