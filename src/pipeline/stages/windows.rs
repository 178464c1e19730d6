//! Contact windows: first and last time of contact of the bounds of each pair.
//!
//! Works on one run of candidate pairs at a time. Pairs of slow bodies are dropped; the bounds of
//! the others are swept in lanes for their first and last time of contact. For two plain boxes this
//! is the answer. If one of them is accelerated, the answer is the sweep of accelerating boxes, or the next
//! contact if they touch at the start in a way that does not count. If either body has a convex shape, the two times are
//! the window in which the shapes are tested.

use super::bounds::{self, PLAIN, accelerating};
use super::context::{ShapeTest, TickContext};
use super::row_cache::{BLOCK, PairBlock, RowCache};
use super::sort::ImpactBuffer;
use super::unused::PlacesNeeded;
use crate::columns::{Checked, impl_memory};
use crate::geom::{Aabb, AcceleratingBox, Contact, ContactState, MapEach, Pair, SweptPair};
use crate::kernels::bounds::enclosing_box;
use crate::kernels::separate::Separation;
use crate::kernels::sweep::{Sweep, SweepColumns};
use crate::kernels::{separate, sweep};
use crate::lanes::Level;
use crate::narrowphase::toi::Touch;
use crate::pipeline::impact::{Impact, ImpactKind};
use crate::pipeline::stats::TickStats;
use alloc::vec::Vec;

/// The result of the bounds of a pair.
pub(crate) enum BoundsResult {
    /// The two are apart, or touch in a way that does not count.
    Apart,
    /// Two plain boxes have this impact.
    Impact(Impact),
    /// Their shapes must be tested.
    Test(ShapeTest),
}

/// One run of candidate pairs, and the results.
#[derive(Debug, Default)]
pub(crate) struct WindowRun {
    pairs: Vec<Pair>,
    pub(crate) impacts: ImpactBuffer,
    pub(crate) sensed: ImpactBuffer,
    pub(crate) tests: Vec<ShapeTest>,
    pub(crate) slow: Vec<Pair>,
    pub(crate) stats: TickStats,
}

impl_memory!(WindowRun { pairs, impacts, sensed, tests, slow; without stats });

/// The number of lists of a run whose memory is limited: pairs, tests, impacts, and impacts with sensors.
const LISTS: usize = 4;

/// How many places of each of the lists all runs of the last ticks needed together.
pub(crate) type RunsNeeded = [PlacesNeeded; LISTS];

/// Frees memory of the lists of runs that neither this tick nor those before need. The first `filled` runs belong to this tick.
pub(crate) fn free_unused(runs: &mut [WindowRun], filled: usize, needed: &mut RunsNeeded) {
    let (mut lengths, mut places) = ([0; LISTS], [0; LISTS]);
    for (at, run) in runs.iter().enumerate() {
        let length = if at < filled { run.lengths() } else { [0; LISTS] };
        let capacity = run.capacities();
        for list in 0..LISTS {
            lengths[list] += length[list];
            places[list] += capacity[list];
        }
    }
    for (list, needed) in needed.iter_mut().enumerate() {
        if places[list] > needed.record_lists(runs.len(), lengths[list]) {
            runs[filled..].iter_mut().for_each(WindowRun::clear);
            runs.iter_mut().for_each(|run| run.shrink_to_fit(list));
        }
    }
}

impl WindowRun {
    fn clear(&mut self) {
        self.pairs.clear();
        self.impacts.clear();
        self.sensed.clear();
        self.tests.clear();
        self.slow.clear();
    }

    /// How long each of the lists is.
    fn lengths(&self) -> [usize; LISTS] {
        let pairs = self.pairs.len() + self.slow.len();
        [pairs, self.tests.len(), self.impacts.impacts.len(), self.sensed.impacts.len()]
    }

    /// How many places each of the lists has.
    fn capacities(&self) -> [usize; LISTS] {
        let pairs = self.pairs.capacity() + self.slow.capacity();
        [pairs, self.tests.capacity(), self.impacts.capacity(), self.sensed.capacity()]
    }

    /// Frees spare memory of one of the lists.
    fn shrink_to_fit(&mut self, list: usize) {
        match list {
            0 => {
                self.pairs.shrink_to_fit();
                self.slow.shrink_to_fit();
            }
            1 => self.tests.shrink_to_fit(),
            2 => self.impacts.shrink_to_fit(),
            _ => self.sensed.shrink_to_fit(),
        }
    }

    /// Processes a run of pairs.
    pub(crate) fn fill(
        &mut self,
        context: &TickContext<'_, '_>,
        row_cache: &RowCache,
        level: Level,
        run: &[SweptPair],
    ) {
        self.clear();
        self.stats = TickStats { candidates: run.len(), ..TickStats::default() };
        if context.config.fast > 0.0 {
            for &pair in run {
                let to =
                    if context.is_tested(pair.into()) { &mut self.pairs } else { &mut self.slow };
                to.push(pair.into());
            }
        } else {
            self.pairs.extend(run.iter().map(|&pair| Pair::from(pair)));
        }
        self.stats.slow = self.slow.len();
        let pairs = core::mem::take(&mut self.pairs);
        let mut block = PairBlock::default();
        for start in (0..pairs.len()).step_by(BLOCK) {
            let (now, later) = pairs[start..].split_at(BLOCK.min(pairs.len() - start));
            row_cache.prefetch(context, &later[..BLOCK.min(later.len())]);
            self.block(context, level, now, row_cache.load(context, now, &mut block));
        }
        self.pairs = pairs;
        self.stats.convex = self.tests.len();
    }

    /// Sweeps a block of pairs and classifies them.
    fn block(
        &mut self,
        context: &TickContext<'_, '_>,
        level: Level,
        pairs: &[Pair],
        rows: &PairBlock,
    ) {
        let (mut first, mut last) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut contact = [Contact::SEPARATED; BLOCK];
        let (mut depth, mut pushed) = ([0.0; BLOCK], [Contact::SEPARATED; BLOCK]);
        let count = pairs.len();
        let output = SweepColumns {
            first: &mut first[..count],
            last: &mut last[..count],
            contact: &mut contact[..count],
        };
        let [a, b] = rows.moving(count);
        // Invalid rows have no pairs.
        sweep::zip(level, &Checked::all_valid(a), &Checked::all_valid(b), output)
            .expect("the columns are equally long");
        let plain = !context.scene.is_accelerated();
        if plain && contact.iter().any(|&contact| is_inside(contact)) {
            let output = separate::SeparationColumns {
                depth: &mut depth[..count],
                contact: &mut pushed[..count],
            };
            separate::zip(level, &Checked::all_valid(a), &Checked::all_valid(b), output)
                .expect("the columns are equally long");
        }
        // Without target distance and acceleration, the bounds of a row are the row itself.
        let borrowed = plain && context.config.target_distance == 0.0;
        for (at, &pair) in pairs.iter().enumerate() {
            let swept = Sweep { first: first[at], last: last[at], contact: contact[at] };
            let sensor = rows.is_sensed(at);
            let to = if sensor { &mut self.sensed } else { &mut self.impacts };
            if plain && swept.contact.is_hit() && !rows.is_shaped(at) {
                if let Some(kind) = context.impact_kind(swept.contact, sensor) {
                    let of = if borrowed { rows.rows(at) } else { context.rows(pair) };
                    let push = Separation { depth: depth[at], contact: pushed[at] };
                    // Written in place, so that the numbers are stored only once.
                    write_impact(kind, &of, swept, push, to.add(swept.first, pair));
                    self.stats.boxes += 1;
                } else {
                    self.stats.apart += 1;
                }
                continue;
            }
            let result = if swept.contact.is_hit() && rows.is_shaped(at) {
                BoundsResult::Test(ShapeTest { pair, window: [swept.first, swept.last], sensor })
            } else {
                context.bounds_result(pair, swept, sensor)
            };
            match result {
                BoundsResult::Apart => self.stats.apart += 1,
                BoundsResult::Test(test) => self.tests.push(test),
                BoundsResult::Impact(impact) => {
                    self.stats.boxes += 1;
                    to.push(impact);
                }
            }
        }
    }
}

impl TickContext<'_, '_> {
    /// Decides about a pair whose bounds were swept.
    pub(crate) fn bounds_result(&self, pair: Pair, sweep: Sweep, sensor: bool) -> BoundsResult {
        if !sweep.contact.is_hit() {
            return BoundsResult::Apart;
        }
        let test = ShapeTest { pair, window: [sweep.first, sweep.last], sensor };
        let rows = [pair.a, pair.b];
        if rows.iter().any(|&row| self.bounds.convex_of(row) != PLAIN) {
            return BoundsResult::Test(test);
        }
        if !self.scene.is_accelerated() {
            return self
                .box_impact(pair, sweep, sensor)
                .map_or(BoundsResult::Apart, BoundsResult::Impact);
        }
        let of = rows.map_each(|row| accelerating(self.scene, row));
        if of.iter().all(|of| of.accel == [0.0; 3]) {
            return self
                .box_impact(pair, sweep, sensor)
                .map_or(BoundsResult::Apart, BoundsResult::Impact);
        }
        let [a, b] = of.map_each(|of| AcceleratingBox { aabb: self.enlarged(&of), ..of });
        let exact = sweep::accelerating::one_to_one(&a, &b).expect("a rejected row is in no pair");
        if !exact.contact.is_hit() {
            return BoundsResult::Apart;
        }
        self.box_impact(pair, exact, sensor)
            // Boxes that touch and separate may meet again within the tick.
            .or_else(|| self.box_impact(pair, sweep::accelerating::next_contact(&a, &b), sensor))
            .map_or(BoundsResult::Apart, BoundsResult::Impact)
    }

    /// The box of a row without a shape, grown by half the target distance.
    fn enlarged(&self, of: &AcceleratingBox) -> Aabb {
        if self.config.target_distance == 0.0 {
            return of.aabb;
        }
        let margin = bounds::half(self.config.target_distance);
        enclosing_box(&AcceleratingBox { accel: [0.0; 3], ..*of }, margin).aabb
    }

    /// The two rows of a pair, which have no shapes.
    fn rows(&self, pair: Pair) -> [AcceleratingBox; 2] {
        [pair.a, pair.b].map_each(|row| accelerating(self.scene, row))
    }

    /// The impact of two boxes without shapes, or `None` if they have no contact or one that does not count.
    fn box_impact(&self, pair: Pair, sweep: Sweep, sensor: bool) -> Option<Impact> {
        let of = self.rows(pair);
        let mut push = Separation { depth: 0.0, contact: Contact::SEPARATED };
        if is_inside(sweep.contact) {
            let [a, b] = [&of[0], &of[1]].map_each(|of| self.enlarged(of));
            if let Ok(Some(of)) = separate::one_to_one(&a, &b) {
                push = of;
            }
        }
        self.impact_kind(sweep.contact, sensor).map(|kind| {
            let mut impact = Impact { toi: sweep.first, pair, ..Impact::default() };
            write_impact(kind, &of, sweep, push, &mut impact);
            impact
        })
    }

    /// The kind of the impact of two boxes with this contact, or `None` if it is not an impact.
    fn impact_kind(&self, contact: Contact, sensor: bool) -> Option<ImpactKind> {
        match contact.state() {
            ContactState::Separated => None,
            ContactState::Touching => Some(ImpactKind::Touching),
            ContactState::Overlapping if is_inside(contact) => Some(ImpactKind::Overlapping),
            ContactState::Overlapping => match self.touch(sensor) {
                Touch::Hit => Some(ImpactKind::Touching),
                Touch::IfClosing => contact.is_closing().then_some(ImpactKind::Touching),
                // The touch at the start is ignored, and the boxes close, so they overlap just after it.
                Touch::Ignore => contact.is_closing().then_some(ImpactKind::Overlapping),
            },
        }
    }
}

/// Whether two boxes overlap at the start by more than their surfaces.
fn is_inside(contact: Contact) -> bool {
    contact.state() == ContactState::Overlapping && !contact.is_surface()
}

/// Writes the impact of two boxes without shapes. `push` is the separation of boxes that overlap.
fn write_impact(
    kind: ImpactKind,
    of: &[AcceleratingBox; 2],
    sweep: Sweep,
    push: Separation,
    impact: &mut Impact,
) {
    let Sweep { first, last, contact } = sweep;
    let mut axis_of = contact;
    if is_inside(contact) && push.contact.is_hit() {
        (impact.depth, axis_of) = (push.depth, push.contact);
    }
    (impact.kind, impact.last) = (kind, last);
    let t = f64::from(first);
    let (normal, mut closing) = (axis_of.normal(), 0.0);
    let (mut on_a, mut on_b) = ([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        let number = |x: &[f32; 3]| f64::from(x[axis]);
        let [a, b] = [&of[0], &of[1]].map_each(|of| {
            let (delta, accel) = (number(&of.delta), number(&of.accel));
            let by = (delta + 0.5 * accel * t) * t;
            [number(&of.aabb.min) + by, number(&of.aabb.max) + by, delta + accel * t]
        });
        let normal = number(&normal);
        closing += (a[2] - b[2]) * normal;
        let low = if a[0] > b[0] { a[0] } else { b[0] };
        let high = if a[1] < b[1] { a[1] } else { b[1] };
        // The middle of what they share, or of the gap that rounding or the target distance leaves.
        let middle = 0.5 * (low + high);
        let side = |[low, high, _]: [f64; 3], outward: f64| {
            let inside = if middle < high { middle } else { high };
            let inside = if inside > low { inside } else { low };
            let face = if outward > 0.0 { high } else { low };
            if outward != 0.0 { face } else { inside }
        };
        on_a[axis] = side(a, normal) as f32;
        on_b[axis] = side(b, -normal) as f32;
    }
    (impact.normal, impact.on_a, impact.on_b, impact.closing) =
        (normal, on_a, on_b, closing as f32);
}

#[cfg(test)]
mod tests {
    use super::{LISTS, RunsNeeded, WindowRun, free_unused};
    use crate::geom::{Pair, sum_of};
    use crate::pipeline::impact::Impact;
    use alloc::vec::Vec;

    const RUNS: usize = 64;
    const CROWD: usize = 5000;

    /// Appends a value to one of the lists, or to the slow pairs.
    fn push(run: &mut WindowRun, list: usize) {
        match list {
            0 => run.pairs.push(Pair::default()),
            1 => run.tests.push(Default::default()),
            2 => run.impacts.push(Impact::default()),
            3 => run.sensed.push(Impact::default()),
            _ => run.slow.push(Pair::default()),
        }
    }

    /// Goal: the lists of runs have memory for what the last ticks needed together, not for what each has ever needed, and lists that are alike in all
    /// ticks are not shrunk. Method: many values in one list of one run in each tick, then in no run, also in ticks with fewer runs; and
    /// afterwards some in each.
    #[test]
    fn lists_of_runs_have_memory_for_the_last_ticks() {
        for list in 0..=LISTS {
            let counted = list % LISTS;
            let mut needed = RunsNeeded::default();
            let mut runs: Vec<WindowRun> = Vec::new();
            runs.resize_with(RUNS, WindowRun::default);
            let mut tick = |filled: usize, crowd: &dyn Fn(usize) -> usize| {
                for (at, run) in runs[..filled].iter_mut().enumerate() {
                    run.clear();
                    (0..crowd(at)).for_each(|_| push(run, list));
                }
                free_unused(&mut runs, filled, &mut needed);
                let lengths = sum_of(&runs[..filled], |run| run.lengths()[counted]);
                assert_eq!(lengths, (0..filled).map(crowd).sum::<usize>());
                sum_of(&runs, |run| run.capacities()[counted])
            };
            for k in 0..RUNS {
                let places = tick(RUNS, &|at| if at == k { CROWD } else { 0 });
                assert!((CROWD..16 * CROWD).contains(&places), "list {list}: {places}");
            }
            // A few ticks do not free what may be needed soon.
            assert!((0..8).all(|_| tick(2, &|_| 0) >= CROWD));
            let few = (0..40).map(|_| tick(2, &|_| 0)).last();
            assert!(few.is_some_and(|few| few <= 4096 + 16 * RUNS), "list {list}: {few:?}");
            let alike = (0..40).map(|_| tick(RUNS, &|at| at)).collect::<Vec<_>>();
            assert!(alike[1..].iter().all(|&places| places == alike[1]), "list {list}: {alike:?}");
        }
    }
}
