//! Candidate pairs: those whose bounds touch in the tick; and the test which of them are not slow.

use super::bounds::SceneBounds;
use super::context::TickContext;
use crate::broadphase::{PairFinder, PairInput, Pairs};
use crate::geom::{Pair, SweptPair};
use crate::pipeline::config::PipelineError;
use crate::pipeline::scene::{BodyFlags, Scene};

/// The pairs whose bounds touch in the tick.
pub(crate) fn find<'f>(
    scene: &Scene<'_, '_>,
    bounds: &SceneBounds,
    finder: &'f mut PairFinder,
) -> Result<Pairs<'f, SweptPair>, PipelineError> {
    let mut set = PairInput::new(bounds.boxes(scene));
    if let Some(moves) = bounds.moves(scene) {
        set = set.moving(moves);
    }
    if let Some(filters) = scene.filters {
        set = set.filtered(filters);
    }
    Ok(finder.swept_pairs(set)?)
}

impl TickContext<'_, '_> {
    /// Whether one of the two bodies is fast, marked or a sensor.
    pub(crate) fn is_tested(&self, pair: Pair) -> bool {
        let flags = self.flags(pair.a) | self.flags(pair.b);
        flags.has(BodyFlags::CCD)
            || flags.has(BodyFlags::SENSOR)
            || [pair.a, pair.b]
                .into_iter()
                .any(|row| self.bounds.speed(self.scene, row) >= self.config.fast)
    }
}
