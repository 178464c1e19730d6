//! Contact windows: first and last time of contact of the bounds of each pair.
//!
//! Works on one run of candidate pairs at a time. Pairs of slow bodies are dropped; the bounds of
//! the others are swept in lanes for their first and last time of contact. For two plain boxes this
//! is the answer; if one of them is accelerated, the sweep of accelerating boxes is. If either body
//! has a convex shape, the two times are the window in which the shapes are tested.

use super::bounds::{self, PLAIN, SceneBounds, accelerating};
use super::impacts::{Bunch, Impact, ImpactKind};
use super::rows::{BLOCK, Few, Gathered};
use super::scene::{BodyFlags, Config, Scene};
use super::tick::TickStats;
use crate::columns::{Checked, MovingBoxColumns};
use crate::geom::{Aabb, AcceleratingBox, Contact, ContactState, MapEach, Pair, SweptPair};
use crate::kernels::separate::Separation as Push;
use crate::kernels::sweep::{Sweep, SweepColumns};
use crate::kernels::{chord, separate, sweep};
use crate::lanes::{Level, prefetch};
use crate::narrowphase::toi::Touch;
use alloc::vec::Vec;

/// A pair whose shapes must be tested.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShapeTest {
    pub(super) pair: Pair,
    /// First and last time of contact of the bounds.
    pub(super) window: [f32; 2],
    pub(super) sensor: bool,
}

/// The result of the bounds of a pair.
pub(super) enum Verdict {
    Apart,
    Meet(Impact),
    Test(ShapeTest),
}

/// The context of a tick: what all stages read.
#[derive(Clone, Copy)]
pub(super) struct TickContext<'a, 's> {
    pub(super) scene: &'a Scene<'a, 's>,
    pub(super) config: &'a Config,
    pub(super) bounds: &'a SceneBounds,
    pub(super) boxes: MovingBoxColumns<'a>,
}

/// One run of candidate pairs, and the results.
#[derive(Debug, Default)]
pub(super) struct WindowRun {
    pairs: Vec<Pair>,
    pub(super) impacts: Bunch,
    pub(super) sensed: Bunch,
    pub(super) asks: Vec<ShapeTest>,
    pub(super) slow: Vec<Pair>,
    pub(super) counts: TickStats,
}

impl WindowRun {
    /// Processes a run of pairs.
    pub(super) fn fill(
        &mut self,
        known: &TickContext<'_, '_>,
        gathered: &Gathered,
        level: Level,
        run: &[SweptPair],
    ) {
        self.pairs.clear();
        self.impacts.clear();
        self.sensed.clear();
        self.asks.clear();
        self.slow.clear();
        self.counts = TickStats { candidates: run.len(), ..TickStats::default() };
        if known.config.fast > 0.0 {
            for &pair in run {
                let to =
                    if known.is_wanted(pair.into()) { &mut self.pairs } else { &mut self.slow };
                to.push(pair.into());
            }
        } else {
            self.pairs.extend(run.iter().map(|&pair| Pair::from(pair)));
        }
        self.counts.slow = self.slow.len();
        let pairs = core::mem::take(&mut self.pairs);
        let mut few = Few::default();
        for start in (0..pairs.len()).step_by(BLOCK) {
            let (now, later) = pairs[start..].split_at(BLOCK.min(pairs.len() - start));
            gathered.foresee(known, &later[..BLOCK.min(later.len())]);
            self.block(known, level, now, gathered.load(known, now, &mut few));
        }
        self.pairs = pairs;
        self.counts.convex = self.asks.len();
    }

    /// Sweeps a block of pairs and classifies them.
    fn block(&mut self, known: &TickContext<'_, '_>, level: Level, pairs: &[Pair], few: &Few) {
        let (mut first, mut last) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut contact = [Contact::SEPARATED; BLOCK];
        let (mut depth, mut pushed) = ([0.0; BLOCK], [Contact::SEPARATED; BLOCK]);
        let count = pairs.len();
        let answers = SweepColumns {
            first: &mut first[..count],
            last: &mut last[..count],
            contact: &mut contact[..count],
        };
        let [a, b] = few.moving(count);
        // Invalid rows have no pairs.
        sweep::zip(level, &Checked::all_valid(a), &Checked::all_valid(b), answers)
            .expect("as many of each");
        let plain = !known.scene.is_accelerated();
        if plain && contact.iter().any(|&contact| is_inside(contact)) {
            let answers = separate::SeparationColumns {
                depth: &mut depth[..count],
                contact: &mut pushed[..count],
            };
            separate::zip(level, &Checked::all_valid(a), &Checked::all_valid(b), answers)
                .expect("as many of each");
        }
        // Without target distance and acceleration, the bounds of a row are the row itself.
        let lent = plain && known.config.target_distance == 0.0;
        for (at, &pair) in pairs.iter().enumerate() {
            let swept = Sweep { first: first[at], last: last[at], contact: contact[at] };
            let sensor = few.is_sensed(at);
            let to = if sensor { &mut self.sensed } else { &mut self.impacts };
            if plain && swept.contact.is_hit() && !few.is_shaped(at) {
                if known.counts(swept.contact, sensor) {
                    let of = if lent { few.rows(at) } else { known.rows(pair) };
                    let push = Push { depth: depth[at], contact: pushed[at] };
                    // Written in place, so that the numbers are stored only once.
                    meet(&of, swept, push, to.add(swept.first, pair));
                    self.counts.boxes += 1;
                } else {
                    self.counts.apart += 1;
                }
                continue;
            }
            let verdict = if swept.contact.is_hit() && few.is_shaped(at) {
                Verdict::Test(ShapeTest { pair, window: [swept.first, swept.last], sensor })
            } else {
                known.verdict(pair, swept, sensor)
            };
            match verdict {
                Verdict::Apart => self.counts.apart += 1,
                Verdict::Test(ask) => self.asks.push(ask),
                Verdict::Meet(impact) => {
                    self.counts.boxes += 1;
                    to.push(impact);
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.pairs.capacity() + self.slow.capacity()) * size_of::<Pair>()
            + self.impacts.bytes()
            + self.sensed.bytes()
            + self.asks.capacity() * size_of::<ShapeTest>()
    }
}

impl TickContext<'_, '_> {
    pub(super) fn flags(&self, row: u32) -> BodyFlags {
        self.scene.flags.map_or(BodyFlags::MOVES, |flags| flags[row as usize])
    }

    /// Prefetches the bounds of a row, and the index of its shape.
    #[inline(always)]
    pub(super) fn foresee(&self, row: u32) {
        let at = row as usize;
        for column in &self.boxes.columns() {
            prefetch(&column[at..=at]);
        }
        self.bounds.foresee(row);
    }

    pub(super) fn is_sensed(&self, pair: Pair) -> bool {
        self.scene.flags.is_some()
            && (self.flags(pair.a) | self.flags(pair.b)).has(BodyFlags::SENSOR)
    }

    /// Whether one of the two bodies is fast, marked or a sensor.
    pub(super) fn is_wanted(&self, pair: Pair) -> bool {
        let flags = self.flags(pair.a) | self.flags(pair.b);
        flags.has(BodyFlags::CCD)
            || flags.has(BodyFlags::SENSOR)
            || [pair.a, pair.b]
                .into_iter()
                .any(|row| self.bounds.speed(self.scene, row) >= self.config.fast)
    }

    /// The policy for contacts at the start of the tick.
    pub(super) fn touch(&self, sensor: bool) -> Touch {
        if sensor { Touch::Hit } else { self.config.touch }
    }

    /// Decides about a pair whose bounds were swept.
    pub(super) fn verdict(&self, pair: Pair, sweep: Sweep, sensor: bool) -> Verdict {
        if !sweep.contact.is_hit() {
            return Verdict::Apart;
        }
        let ask = ShapeTest { pair, window: [sweep.first, sweep.last], sensor };
        let rows = [pair.a, pair.b];
        if rows.iter().any(|&row| self.bounds.convex_of(row) != PLAIN) {
            return Verdict::Test(ask);
        }
        if !self.scene.is_accelerated() {
            return self.boxes(pair, sweep, sensor).map_or(Verdict::Apart, Verdict::Meet);
        }
        let of = rows.map_each(|row| accelerating(self.scene, row));
        if of.iter().all(|of| of.accel == [0.0; 3]) {
            return self.boxes(pair, sweep, sensor).map_or(Verdict::Apart, Verdict::Meet);
        }
        let [a, b] = of.map_each(|of| AcceleratingBox { aabb: self.skinned(&of), ..of });
        let exact = sweep::accelerating::one_to_one(&a, &b).expect("a rejected row is in no pair");
        if exact.contact.is_hit() {
            match self.boxes(pair, exact, sensor) {
                Some(impact) => return Verdict::Meet(impact),
                // Boxes that touch and separate may meet again within the tick.
                None => return Verdict::Test(ask),
            }
        }
        Verdict::Apart
    }

    /// The box of a row without a shape, grown by half the target distance.
    fn skinned(&self, of: &AcceleratingBox) -> Aabb {
        if self.config.target_distance == 0.0 {
            return of.aabb;
        }
        let skin = bounds::half(self.config.target_distance);
        chord::one(&AcceleratingBox { accel: [0.0; 3], ..*of }, skin).aabb
    }

    /// The two rows of a pair, which have no shapes.
    fn rows(&self, pair: Pair) -> [AcceleratingBox; 2] {
        [pair.a, pair.b].map_each(|row| accelerating(self.scene, row))
    }

    /// The impact of two boxes without shapes, or `None` if they only touch at the start and that
    /// does not count.
    fn boxes(&self, pair: Pair, sweep: Sweep, sensor: bool) -> Option<Impact> {
        let of = self.rows(pair);
        let mut push = Push { depth: 0.0, contact: Contact::SEPARATED };
        if is_inside(sweep.contact) {
            let [a, b] = [&of[0], &of[1]].map_each(|of| self.skinned(of));
            if let Ok(Some(of)) = separate::one_to_one(&a, &b) {
                push = of;
            }
        }
        self.counts(sweep.contact, sensor).then(|| {
            let mut impact = Impact { toi: sweep.first, pair, ..Impact::default() };
            meet(&of, sweep, push, &mut impact);
            impact
        })
    }

    /// Whether a contact of two boxes is an impact.
    fn counts(&self, contact: Contact, sensor: bool) -> bool {
        contact.state() != ContactState::Overlapping
            || is_inside(contact)
            || match self.touch(sensor) {
                Touch::Hit => true,
                Touch::IfClosing => contact.is_closing(),
                Touch::Ignore => false,
            }
    }
}

/// Whether two boxes overlap at the start by more than their surfaces.
fn is_inside(contact: Contact) -> bool {
    contact.state() == ContactState::Overlapping && !contact.is_surface()
}

/// Writes the impact of two boxes without shapes. `push` is the separation of boxes that overlap.
fn meet(of: &[AcceleratingBox; 2], sweep: Sweep, push: Push, impact: &mut Impact) {
    let Sweep { first, last, contact } = sweep;
    let mut axis_of = contact;
    if is_inside(contact) {
        impact.kind = ImpactKind::Overlapping;
        if push.contact.is_hit() {
            (impact.depth, axis_of) = (push.depth, push.contact);
        }
    }
    impact.last = last;
    impact.normal = axis_of.normal();
    let t = f64::from(first);
    let mut closing = 0.0;
    for axis in 0..3 {
        let number = |x: &[f32; 3]| f64::from(x[axis]);
        let [a, b] = [&of[0], &of[1]].map_each(|of| {
            let (delta, accel) = (number(&of.delta), number(&of.accel));
            let by = (delta + 0.5 * accel * t) * t;
            [number(&of.aabb.min) + by, number(&of.aabb.max) + by, delta + accel * t]
        });
        let normal = number(&impact.normal);
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
        impact.on_a[axis] = side(a, normal) as f32;
        impact.on_b[axis] = side(b, -normal) as f32;
    }
    impact.closing = closing as f32;
}
