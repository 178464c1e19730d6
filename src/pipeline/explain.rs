//! Explains the result of a single pair.
//!
//! The pair is taken through the stages again, one by one, and the result of each is described in
//! words: the rows, their flags and filters, the times of each axis of the bounds, the window, the
//! policy for contacts at the start, and the iterations of the search.

use super::bounds::{PLAIN, SceneBounds};
use super::impacts::{Impact, ImpactKind};
use super::scene::{PipelineError, Scene};
use super::tick::Pipeline;
use super::windows::{TickContext, Verdict};
use crate::geom::{AXES, ContactState, MapEach, MovingBox, Pair};
use crate::kernels::sweep;
use crate::narrowphase::toi::{Toi, ToiResult};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A description of what the stages of a tick did with a pair; displayed as lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    lines: Vec<String>,
    impact: Option<Impact>,
}

impl Explanation {
    /// The results of the stages, one or two sentences for each.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The impact of the pair, if there is one. The limit of impacts for each body is not applied,
    /// because it depends on other pairs.
    #[must_use]
    pub fn impact(&self) -> Option<&Impact> {
        self.impact.as_ref()
    }

    fn say(&mut self, line: impl Into<String>) -> &mut Self {
        self.lines.push(line.into());
        self
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl Pipeline {
    /// Explains why [`Pipeline::tick`] reports an impact of a pair, or why it does not.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns, or
    /// [`PipelineError::NoSuchPair`].
    ///
    /// ```
    /// use swath::pipeline::Config;
    /// use swath::{MovingBoxColumns, Pair, Pipeline, Scene};
    ///
    /// let (min, max, delta) = ([0.0, 4.0], [1.0, 5.0], [2.0, 0.0]);
    /// let (low, high, still) = ([0.0; 2], [1.0; 2], [0.0; 2]);
    /// let boxes = MovingBoxColumns::new([&min, &low, &low], [&max, &high, &high], [&delta, &still, &still])?;
    /// let pipeline = Pipeline::new(Config::default());
    /// let why = pipeline.explain(&Scene::new(boxes), Pair { a: 0, b: 1 })?;
    /// assert!(why.impact().is_none());
    /// assert!(why.to_string().contains("on axis x they would touch from 1.5"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, scene: &Scene<'_, '_>, pair: Pair) -> Result<Explanation, PipelineError> {
        self.config().validate()?;
        scene.check()?;
        let rows = scene.len();
        let Pair { a, b } = pair;
        if a as usize >= rows || b as usize >= rows || a == b {
            return Err(PipelineError::NoSuchPair { pair, rows });
        }
        let pair = Pair { a: a.min(b), b: a.max(b) };
        let mut bounds = SceneBounds::default();
        bounds.fill(scene, self.config(), self.level(), self.threads());
        let boxes = bounds.boxes(scene);
        let known = TickContext { scene, config: self.config(), bounds: &bounds, boxes };
        let mut told = Explanation { lines: Vec::new(), impact: None };
        let impact = known.explain(pair, &mut told);
        told.impact = impact;
        let limit = self.config().impacts_per_body;
        if limit > 0 && impact.is_some() {
            told.say(format!("Told if it is among the first {limit} impacts of one of the two."));
        }
        Ok(told)
    }
}

impl TickContext<'_, '_> {
    fn explain(&self, pair: Pair, told: &mut Explanation) -> Option<Impact> {
        let rows = [pair.a, pair.b];
        for row in rows {
            let held = self.boxes.get(row as usize);
            let invalid = self.bounds.invalid(self.scene, row).or(held.validate().err());
            if let Some(invalid) = invalid {
                told.say(format!("Row {row} is no body and meets nobody: {invalid}."));
                return None;
            }
            let what = if self.bounds.convex_of(row) == PLAIN { "a box" } else { "a convex shape" };
            let MovingBox { aabb, delta } = held;
            told.say(format!(
                "Row {row} is {what}, held by the box {:?} to {:?} that moves by {delta:?}.",
                aabb.min, aabb.max
            ));
        }
        if self.scene.flags.is_some() && rows.iter().all(|&row| !self.moves(row)) {
            told.say("Neither is said to move: such bodies make no pair.");
            return None;
        }
        if let Some(filters) = self.scene.filters {
            let [a, b] = rows.map_each(|row| filters[row as usize]);
            if !a.allows(b) {
                told.say(format!("Their filters do not allow it: {a:?} and {b:?}."));
                return None;
            }
            told.say("Their filters allow it.");
        }
        let [a, b] = rows.map_each(|row| self.boxes.get(row as usize));
        let swept = sweep::one_to_one(&a, &b).ok()?;
        if !swept.contact.is_hit() {
            told.say("Their boxes do not touch in the tick:");
            (0..3).for_each(|axis| {
                told.say(format!("  {}", axis_times(&a, &b, axis)));
            });
            return None;
        }
        let how = match swept.contact.state() {
            ContactState::Overlapping if swept.contact.is_surface() => "touch at the start",
            ContactState::Overlapping => "overlap at the start",
            _ => "touch",
        };
        let on = swept
            .contact
            .axis()
            .map_or(String::new(), |axis| format!(", axis {} last", AXES[axis]));
        told.say(format!(
            "Their boxes {how}, from {} to {} of the tick{on}.",
            swept.first, swept.last
        ));
        if self.config.fast > 0.0 && !self.is_wanted(pair) {
            let [a, b] = rows.map_each(|row| self.bounds.speed(self.scene, row));
            let fast = self.config.fast;
            told.say(format!("Dropped: they go {a} and {b}, below {fast}, and none is marked."));
            return None;
        }
        let sensor = self.is_sensed(pair);
        if sensor {
            told.say("One is a sensor: the pair is told apart from the others.");
        }
        let ask = match self.verdict(pair, swept, sensor) {
            Verdict::Meet(impact) => {
                told.say(format!("Answered by the boxes: {}.", words(&impact)));
                return Some(impact);
            }
            Verdict::Apart => {
                let touch = self.touch(sensor);
                told.say(format!(
                    "Answered by the boxes: no impact. They are apart as they truly move, or what \
                     touches at the start does not count ({touch:?})."
                ));
                return None;
            }
            Verdict::Test(ask) => ask,
        };
        let toi = self.advance(&ask);
        let Toi { rounds, supports, .. } = toi;
        let impact = Impact::from_toi(ask.pair, ask.window, &toi);
        let says = match (toi.result, &impact) {
            (ToiResult::Separated, _) => format!(
                "no impact, the shapes stay apart, or touch at the start in a way that does not \
                 count ({:?})",
                self.touch(sensor)
            ),
            (_, Some(impact)) => words(impact),
            (_, None) => "no impact".into(),
        };
        told.say(format!(
            "Asked of the shapes between {} and {}: {says}; {rounds} rounds, {supports} supports.",
            ask.window[0], ask.window[1]
        ));
        impact
    }

    fn moves(&self, row: u32) -> bool {
        use super::scene::BodyFlags;
        self.scene.flags.is_none_or(|flags| flags[row as usize].has(BodyFlags::MOVES))
    }
}

fn words(impact: &Impact) -> String {
    let Impact { toi, kind, normal, closing, depth, .. } = impact;
    match kind {
        ImpactKind::Touching => format!("impact at {toi}, normal {normal:?}, closing by {closing}"),
        ImpactKind::Overlapping => format!("in each other by {depth} along {normal:?}"),
        ImpactKind::Unresolved => format!("given up, free up to {toi}"),
    }
}

/// Describes when two boxes touch on one axis, computed in `f64`.
fn axis_times(a: &MovingBox, b: &MovingBox, axis: usize) -> String {
    let of = |x: [f32; 3]| f64::from(x[axis]);
    let d = of(b.delta) - of(a.delta);
    let below = of(a.aabb.min) - of(b.aabb.max);
    let above = of(a.aabb.max) - of(b.aabb.min);
    let name = AXES[axis];
    if d == 0.0 {
        let gap = if below > 0.0 { below } else { -above };
        return match gap > 0.0 {
            true => format!("on axis {name} they are {gap} apart and stay so"),
            false => format!("on axis {name} they overlap all the time"),
        };
    }
    let (p, q) = (below / d, above / d);
    let (from, to) = if p < q { (p, q) } else { (q, p) };
    format!("on axis {name} they would touch from {from} to {to} of the tick")
}
