//! Explains the result of a single pair.
//!
//! The pair is taken through the stages again, one by one, and the result of each is described in
//! words: the rows, their flags and filters, the times of each axis of the bounds, the window, the
//! policy for contacts at the start, and the iterations of the search.

use crate::geom::{AXES, ContactState, MapEach, MovingBox, Pair};
use crate::kernels::sweep;
use crate::meshes::{Geometry, SearchMemory};
use crate::narrowphase::toi::{Toi, ToiResult};
use crate::pipeline::config::PipelineError;
use crate::pipeline::impact::{Impact, ImpactKind};
use crate::pipeline::scene::{BodyFlags, Scene};
use crate::pipeline::stages::bounds::{PLAIN, SceneBounds};
use crate::pipeline::stages::context::TickContext;
use crate::pipeline::stages::windows::BoundsResult;
use crate::pipeline::tick::Pipeline;
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

    fn add_line(&mut self, line: impl Into<String>) -> &mut Self {
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
        bounds.fill(scene, self.config(), self.exec.level, &self.exec.threads);
        let boxes = bounds.boxes(scene);
        let context = TickContext { scene, config: self.config(), bounds: &bounds, boxes };
        let mut explanation = Explanation { lines: Vec::new(), impact: None };
        let impact = context.explain(pair, &mut explanation);
        explanation.impact = impact;
        let limit = self.config().impacts_per_body;
        // Impacts with sensors do not count, and are all reported.
        if limit > 0 && impact.is_some() && !context.is_sensed(pair) {
            explanation.add_line(format!(
                "It is reported only if it is among the first {limit} impacts of one of the two bodies."
            ));
        }
        Ok(explanation)
    }
}

impl TickContext<'_, '_> {
    fn explain(&self, pair: Pair, explanation: &mut Explanation) -> Option<Impact> {
        let rows = [pair.a, pair.b];
        for row in rows {
            let bounds = self.boxes.get(row as usize);
            let invalid = self.bounds.invalid(self.scene, row).or(bounds.validate().err());
            if let Some(invalid) = invalid {
                explanation.add_line(format!("Row {row} is invalid and has no pairs: {invalid}."));
                return None;
            }
            let what = match self.geometry(row).map(|body| body.geometry) {
                Some(Geometry::Mesh(_)) => "a mesh",
                Some(Geometry::HeightField(_)) => "a height field",
                Some(Geometry::Compound(_)) => "a compound",
                None if self.bounds.convex_of(row) == PLAIN => "a box",
                _ => "a convex shape",
            };
            let MovingBox { aabb, delta } = bounds;
            explanation.add_line(format!(
                "Row {row} is {what}. Its bounds are the box {:?} to {:?}, which moves by {delta:?}.",
                aabb.min, aabb.max
            ));
        }
        if self.scene.flags.is_some() && rows.iter().all(|&row| !self.moves(row)) {
            explanation
                .add_line("Neither is flagged as a body that moves, so they are not a pair.");
            return None;
        }
        if let Some(filters) = self.scene.filters {
            let [a, b] = rows.map_each(|row| filters[row as usize]);
            if !a.allows(b) {
                explanation
                    .add_line(format!("Their filters do not allow the pair: {a:?} and {b:?}."));
                return None;
            }
            explanation.add_line("Their filters allow the pair.");
        }
        let [a, b] = rows.map_each(|row| self.boxes.get(row as usize));
        let swept = sweep::one_to_one(&a, &b).ok()?;
        // The times of a sweep are rounded outwards, so it may report a contact of two boxes that are never in reach of each
        // other. The pair finder tests the bounds of the paths first.
        if !swept.contact.is_hit() || !a.bounds().overlaps(&b.bounds()) {
            explanation.add_line("Their boxes do not touch in the tick:");
            (0..3).for_each(|axis| {
                explanation.add_line(format!("  {}", axis_times(&a, &b, axis)));
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
        explanation.add_line(format!(
            "Their boxes {how}, from {} to {} of the tick{on}.",
            swept.first, swept.last
        ));
        if self.config.fast > 0.0 && !self.is_tested(pair) {
            let [a, b] = rows.map_each(|row| self.bounds.speed(self.scene, row));
            let fast = self.config.fast;
            explanation.add_line(format!(
                "Dropped: their speeds {a} and {b} are below {fast}, and neither is marked."
            ));
            return None;
        }
        let sensor = self.is_sensed(pair);
        if sensor {
            explanation.add_line("One is a sensor, so an impact is listed separately.");
        }
        let test = match self.bounds_result(pair, swept, sensor) {
            BoundsResult::Impact(impact) => {
                explanation.add_line(format!("Decided by the boxes: {}.", words(&impact)));
                return Some(impact);
            }
            BoundsResult::Apart => {
                let touch = self.touch(sensor);
                explanation.add_line(format!(
                    "Decided by the boxes: no impact. They stay apart on their exact paths, or touch at \
                     the start in a way that does not count ({touch:?})."
                ));
                return None;
            }
            BoundsResult::Test(test) => test,
        };
        let found = self.toi(&test, &mut SearchMemory::default());
        let Toi { result, rounds, supports } = found.toi;
        let impact = Impact::from_part_toi(test.pair, test.window, &found);
        let result = match (result, &impact) {
            (ToiResult::Separated, _) => format!(
                "no impact, the shapes stay apart, or touch at the start in a way that does not \
                 count ({:?})",
                self.touch(sensor)
            ),
            (_, Some(impact)) => words(impact),
            (_, None) => "no impact".into(),
        };
        explanation.add_line(format!(
            "Shapes tested between {} and {}: {result}; {rounds} rounds, {supports} supports.",
            test.window[0], test.window[1]
        ));
        impact
    }

    fn moves(&self, row: u32) -> bool {
        self.scene.flags.is_none_or(|flags| flags[row as usize].has(BodyFlags::MOVES))
    }
}

fn words(impact: &Impact) -> String {
    let Impact { toi, kind, normal, closing, depth, .. } = impact;
    match kind {
        ImpactKind::Touching => format!("impact at {toi}, normal {normal:?}, closing by {closing}"),
        ImpactKind::Overlapping => format!("an overlap by {depth} along {normal:?}"),
        ImpactKind::Unresolved => {
            format!("the search was given up; there is no contact before {toi}")
        }
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
