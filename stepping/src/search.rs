//! The next impact of two bodies of a step.
//!
//! Two bodies touch at a distance, the *skin* of the pair: the target distance, plus 2⁻²⁰ of the greatest position
//! and path of the two. A search may find two bodies within the skin that separate, or that close so slowly that it
//! is negligible in the rest of the tick. It then continues with the next time at which a response may be needed.

use crate::config::StepperConfig;
use crate::paths;
use crate::response::{SOON, along, finite, length};
use crate::state::round_down;
use alloc::vec::Vec;
use swath::convex::toi::{self, Settings, Touch};
use swath::mesh::toi::{ContactPlane, PartToi};
use swath::mesh::{self, Geometry};
use swath::pipeline::ImpactKind;
use swath::{Aabb, Impact, Motion, Pair, Pose};

/// Greatest tolerance relative to the skin. Also the greatest part of the skin by which two touching bodies may come nearer in the rest of
/// the tick without a response.
const PART: f64 = 0.125;
/// Relative amount by which times that need not be exact are made later: 2⁻²².
const LATER: f64 = 1.0 / (1 << 22) as f64;
/// Part of the tick after which two bodies that spin and are too near to be searched are tested again.
const RECHECK: f64 = 0.0625;
/// Depth, in skins, from which on two bodies count as overlapping. Bodies that are less deep stop rotating if they could get that deep
/// before they are tested again.
const DEEP: f64 = 1.5;
/// Greatest angle by which a body that overlaps another one may turn until the two are tested again.
const ANGLE_MAX: f64 = 0.25;
/// Least part of the skin at which a pair with a spinning body is searched. The searched distance decreases with each end that comes nearer.
const LEFT_MIN: f32 = 0.0625;

/// Greatest number of pairs of parts that are tested for an overlap that does not close.
const NEAR_PARTS_MAX: u64 = 256;

/// Number of tests of pairs of parts that count as a round. A test takes 25 to 80 ns, so sixteen take as long as a round. But a body that lies on
/// thousands of triangles takes 13,000 tests in a tick, and would be stalled if so few counted.
const TESTS_PER_ROUND: u64 = 256;

/// The work of searches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchWork {
    pub(crate) rounds: u64,
    /// Number of pairs of parts that were tested.
    tests: u64,
    /// The work of the searches of bodies with parts that is not in their rounds, in rounds.
    of_parts: u64,
}

impl SearchWork {
    fn add(&mut self, found: &PartToi) {
        self.rounds += u64::from(found.toi.rounds);
        self.tests += u64::from(found.tests);
    }

    /// Adds a search of two bodies of which one has parts. It looks for the parts near the path and tests them, but takes no round if the tests show
    /// that none is touched. So each search counts as one round, and its tests as one for each [`TESTS_PER_ROUND`].
    pub(crate) fn add_parts(&mut self, found: &PartToi) {
        self.add(found);
        self.of_parts += 1 + u64::from(found.tests) / TESTS_PER_ROUND;
    }

    /// Returns the number of rounds that count for the limit of a step.
    pub(crate) fn budget_rounds(&self) -> u64 {
        self.rounds + self.of_parts
    }
}

/// What happens to two bodies at the time of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EventKind {
    /// They touch.
    Impact {
        /// Length by which their distance is less than the skin.
        missing: f32,
    },
    /// They are searched again.
    Recheck,
    /// They are too near to be searched while one of them rotates.
    StopRotation,
}

impl EventKind {
    /// Returns the kind of an impact whose distance was searched at the whole skin.
    fn of(impact: &Impact) -> Self {
        Self::Impact { missing: impact.depth }
    }
}

/// Two bodies whose next impact is searched.
pub(crate) struct BodyPair<'b, 's> {
    pub(crate) pair: Pair,
    pub(crate) geometries: [&'b Geometry<'s>; 2],
    /// Their motions from the start of the search on.
    pub(crate) motions: [Motion; 2],
    /// Distance at which they touch.
    pub(crate) skin: f32,
}

/// Closing speed, in length per tick, up to which a pair of this skin needs no response.
pub(crate) fn slow(skin: f32) -> f64 {
    f64::from(skin) * PART
}

impl BodyPair<'_, '_> {
    /// Returns the tolerance: relative to the smaller size, but no more than a part of the skin.
    fn tolerance(&self, tolerance: f32) -> f32 {
        let size = smaller_size(self.geometries);
        let most = slow(self.skin);
        if f64::from(tolerance) * size > most { (most / size) as f32 } else { tolerance }
    }

    /// Returns the settings of a search for the distance at which the two touch.
    fn settings(&self, config: &StepperConfig, window: [f32; 2], touch: Touch) -> Settings {
        Settings {
            target_distance: self.skin,
            tolerance: self.tolerance(config.tolerance),
            window,
            touch,
            rounds_max: config.rounds_max,
        }
    }

    /// Returns the next impact within a window of the motions, or the time at which something else happens to the two. Adds the
    /// work of the search to `work`.
    pub(crate) fn next(
        &self,
        config: &StepperConfig,
        window: [f32; 2],
        work: &mut SearchWork,
    ) -> Option<(Impact, EventKind)> {
        let touch = match config.touch {
            // In a window that starts later, nothing touched before.
            _ if window[0] > 0.0 => Touch::Hit,
            Touch::Ignore => Touch::Ignore,
            _ => Touch::IfClosing,
        };
        let settings = self.settings(config, window, touch);
        let impact = self.search(&settings, work)?;
        if impact.toi > 0.0
            || impact.kind == ImpactKind::Unresolved
            || !self.is_slow(&impact, window[1])
        {
            return Some((impact, EventKind::of(&impact)));
        }
        // They are within the skin and separate, or close so slowly that it is negligible. An impact may follow:
        // when the skin is smaller by a part, if any is left; otherwise the acceleration towards each other gives
        // the time of the next search, and if one spins, a fixed part of the tick.
        let part = 1.0 - 2.0 * PART as f32;
        let mut less = self.skin * part - impact.depth;
        if less <= 0.0 && self.spins() {
            // The next end of a body that spins may come nearer than the last one, so each takes a part of the rest.
            let rest = (self.skin - impact.depth) * part;
            less = if rest > LEFT_MIN * self.skin { rest } else { 0.0 };
        }
        if less > 0.0 {
            let nearer = self.search(&Settings { target_distance: less, ..settings }, work)?;
            if nearer.kind != ImpactKind::Overlapping {
                // Bodies that spin use up the skin end by end, so all of it is restored.
                let used = if self.spins() { self.skin - less } else { 0.0 };
                return Some((nearer, EventKind::Impact { missing: nearer.depth + used }));
            }
        }
        let mut next = self.after_touch(impact);
        let until = next.map_or(window[1], |(next, _)| next.toi.min(window[1]));
        if self.is_convex() || until <= window[0] {
            return next;
        }
        // Another part may be hit before that.
        let settings = Settings { window: [window[0], until], ..settings };
        for found in self.search_parts(&settings, &impact, work) {
            let Some(impact) = Impact::from_part_toi(self.pair, window, &found) else { continue };
            let is_sure = impact.toi > 0.0
                || impact.kind == ImpactKind::Unresolved
                || !self.is_slow(&impact, window[1]);
            let of_part = if is_sure {
                Some((impact, EventKind::of(&impact)))
            } else {
                self.after_touch(impact)
            };
            let Some(of_part) = of_part else { continue };
            if next.is_none_or(|(first, _)| of_part.0.toi < first.toi) {
                next = Some(of_part);
            }
        }
        next
    }

    /// Returns the overlap of two bodies at the start of their motions if it is deeper than their slop, also if they do not close. One
    /// that is less deep is corrected by the impact when they close. An overlap of the same parts as an impact at the start is left out,
    /// because that impact restores the skin. Nothing is searched if the search for their next impact has tested more than [`NEAR_PARTS_MAX`]
    /// parts, because each of them would take a round.
    pub(crate) fn overlap(
        &self,
        config: &StepperConfig,
        next: Option<&Impact>,
        work: &mut SearchWork,
    ) -> Option<(Impact, EventKind)> {
        let [of_a, of_b] = &self.motions;
        let two = [(self.geometries[0], &of_a.pose), (self.geometries[1], &of_b.pose)];
        let at_start = next.filter(|next| next.toi <= 0.0);
        let is_ignored = config.touch == Touch::Ignore
            || work.tests > NEAR_PARTS_MAX
            || at_start.is_some() && self.is_convex();
        if is_ignored || !are_boxes_near(two, 0.0) {
            return None;
        }
        let settings = self.settings(config, [0.0; 2], Touch::Hit);
        let settings = Settings { target_distance: 0.0, ..settings };
        let impact = self.search(&settings, work)?;
        let kind = EventKind::Impact { missing: impact.depth + self.skin };
        let is_next = at_start.is_some_and(|next| next.parts == impact.parts);
        let is_deep = impact.depth > self.skin - config.target_distance;
        (is_deep && !is_next).then_some((impact, kind))
    }

    /// Returns what happens next to two bodies or parts that are too near to be searched, and separate or close slowly.
    fn after_touch(&self, mut impact: Impact) -> Option<(Impact, EventKind)> {
        if impact.closing > 0.0 {
            return Some((impact, EventKind::of(&impact)));
        }
        let pulled_back = self.returns_after(&impact);
        let is_recheck = self.spins() && pulled_back.is_none_or(|after| f64::from(after) > RECHECK);
        let after = if is_recheck { RECHECK as f32 } else { pulled_back? };
        // Also before they are pulled back: that time is exact for bodies that do not spin.
        if self.spins() && self.gets_deep(&impact, f64::from(after)) {
            return Some((impact, EventKind::StopRotation));
        }
        impact.toi = after;
        let gained = self.pulled(&impact) * f64::from(impact.toi);
        impact.closing = finite(f64::from(impact.closing) + gained);
        let kind = if is_recheck { EventKind::Recheck } else { EventKind::of(&impact) };
        Some((impact, kind))
    }

    /// Returns whether one of the two spins.
    fn spins(&self) -> bool {
        self.motions.iter().any(|motion| motion.spin != [0.0; 3])
    }

    /// Returns whether two bodies have to stop rotating, because within this part of the tick they could get [`DEEP`] skins deep, or, if they
    /// are that deep already, because one turns by more than [`ANGLE_MAX`].
    fn gets_deep(&self, impact: &Impact, within: f64) -> bool {
        let left = DEEP * f64::from(self.skin) - f64::from(impact.depth);
        let [a, b] = self.motions;
        let relative = |of: fn(&Motion) -> [f32; 3]| {
            let [a, b] = [of(&a), of(&b)].map(|of| of.map(f64::from));
            length(core::array::from_fn(|k| a[k] - b[k]))
        };
        let angles = self.motions.map(|motion| length(motion.spin.map(f64::from)) * within);
        if left <= 0.0 {
            return angles.iter().any(|&angle| angle > ANGLE_MAX);
        }
        let turned = [0, 1].map(|k| angles[k] * radius(self.geometries[k]));
        (relative(|of| of.delta) + relative(|of| of.accel)) * within + turned[0] + turned[1] > left
    }

    /// Returns the impact that a search with these settings finds.
    fn search(&self, settings: &Settings, work: &mut SearchWork) -> Option<Impact> {
        let [of_a, of_b] = &self.motions;
        let found = match self.geometries {
            [Geometry::Convex(a), Geometry::Convex(b)] => {
                let found = toi::one_to_one(a, of_a, b, of_b, settings).map(PartToi::from);
                found.inspect(|found| work.add(found))
            }
            [a, b] => mesh::toi::one_to_one(a, of_a, b, of_b, settings)
                .inspect(|found| work.add_parts(found)),
        };
        match found {
            Ok(found) => Impact::from_part_toi(self.pair, settings.window, &found),
            // A motion or a skin has grown past the greatest coordinate, so nothing is proved.
            Err(_) => {
                let kind = ImpactKind::Unresolved;
                Some(Impact { toi: settings.window[0], pair: self.pair, kind, ..Impact::default() })
            }
        }
    }

    fn is_convex(&self) -> bool {
        self.geometries.iter().all(|of| matches!(of, Geometry::Convex(_)))
    }

    /// Returns the first contact of each part with each part, in the order of time. Triangles that get no nearer than an impact at the start
    /// are left out.
    fn search_parts(
        &self,
        settings: &Settings,
        touch: &Impact,
        work: &mut SearchWork,
    ) -> Vec<PartToi> {
        let ([a, b], [of_a, of_b]) = (self.geometries, &self.motions);
        let plane = ContactPlane { normal: touch.normal, depth: touch.depth };
        let mut all = Vec::new();
        // The same input was searched before, so there is no error.
        let found = mesh::toi::each_part_beyond(a, of_a, b, of_b, settings, &plane, &mut all);
        if let Ok(first) = found {
            work.add_parts(&first);
        }
        all
    }

    /// Returns whether two touching bodies separate, or use up less than a part of the skin in the rest of the
    /// tick.
    fn is_slow(&self, impact: &Impact, left: f32) -> bool {
        let (closing, left) = (f64::from(impact.closing), f64::from(left));
        let by_pull = 0.5 * self.pulled(impact) * left * left;
        let by_pull = if by_pull > 0.0 { by_pull } else { 0.0 };
        closing <= 0.0 || closing * left + by_pull <= slow(self.skin)
    }

    /// Returns how fast the accelerations of the two pull them together along the normal.
    fn pulled(&self, impact: &Impact) -> f64 {
        let [a, b] = self.motions.map(|motion| motion.accel.map(f64::from));
        along(a, b, impact.normal.map(f64::from))
    }

    /// Returns the part of the tick after which two separating bodies are as deep in each other as before, because
    /// of the accelerations towards each other along the normal.
    fn returns_after(&self, impact: &Impact) -> Option<f32> {
        let pulled = self.pulled(impact);
        let after = -2.0 * f64::from(impact.closing) / pulled;
        // A little later, so that they are closing then; the added depth is far less than the skin.
        let after = if after <= SOON { 0.0 } else { after * (1.0 + LATER) + LATER };
        // NaN is outside of every range.
        (pulled > 0.0 && (0.0..=1.0).contains(&after)).then(|| round_down(after))
    }
}

/// Returns the size of the smaller one of two bodies. The size of a point is zero, so the other's counts.
pub(crate) fn smaller_size(geometries: [&Geometry<'_>; 2]) -> f64 {
    let sizes = geometries.map(Geometry::size);
    let lesser = if sizes[0] < sizes[1] { sizes[0] } else { sizes[1] };
    if lesser > 0.0 { lesser } else { sizes[0] + sizes[1] }
}

/// Returns whether the boxes around two bodies are at most `apart` apart.
pub(crate) fn are_boxes_near(two: [(&Geometry<'_>, &Pose); 2], apart: f32) -> bool {
    let [a, b] = two.map(|(geometry, pose)| match geometry {
        Geometry::Convex(shape) => shape.bounds(pose),
        geometry => geometry.bounds_over(&(*pose).into(), 0.0).map(|moving| moving.aabb),
    });
    matches!((a, b), (Ok(a), Ok(b)) if paths::enlarged(&a, apart).overlaps(&b))
}

/// Returns an upper bound of the distance of the points of a body from its origin.
fn radius(geometry: &Geometry<'_>) -> f64 {
    // Bodies that have been searched have valid boxes.
    let Ok(bounds) = geometry.bounds_over(&Motion::default(), 0.0) else { return f64::INFINITY };
    let Aabb { min, max } = bounds.aabb;
    length(core::array::from_fn(|k| f64::from(min[k].abs().max(max[k].abs()))))
}

#[cfg(test)]
mod tests {
    use super::SearchWork;
    use swath::convex::toi::Toi;
    use swath::mesh::toi::PartToi;

    /// Goal: a search of bodies with parts counts for the budget, and so do its tests. Method: two searches with and without rounds and tests.
    #[test]
    fn searches_and_tests_of_parts_count_for_the_budget() {
        let mut work = SearchWork::default();
        let found = |rounds, tests| {
            let toi = Toi { rounds, ..Toi::default() };
            PartToi { toi, tests, ..PartToi::default() }
        };
        work.add(&found(2, 0));
        assert_eq!((work.rounds, work.budget_rounds()), (2, 2));
        work.add_parts(&found(0, 255));
        assert_eq!((work.rounds, work.budget_rounds()), (2, 3));
        work.add_parts(&found(5, 513));
        assert_eq!((work.rounds, work.tests, work.budget_rounds()), (7, 768, 11));
    }
}
