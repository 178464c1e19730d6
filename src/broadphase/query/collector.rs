//! Collects the hits on a path: a single one, or all up to a position that the caller chooses.

use super::{Accept, AcceptFn};
use crate::kernels::Hit;

/// Collects the hits of a query. A value and not a type, so that each query is compiled once.
pub(crate) enum HitCollector<'a> {
    /// Keeps a single hit.
    First(CollectFirst<'a>),
    /// Passes each hit to a function, up to the position that it returns.
    Each(&'a mut dyn FnMut(Hit) -> f32),
}

impl HitCollector<'_> {
    /// Takes a hit that is not farther than `most`, and reduces `most` to the position up to which
    /// hits still count; returns whether the hit could have changed the result. Each box is passed
    /// at most once, the boxes of a leaf in the order of lanes.
    #[inline(always)]
    pub(crate) fn collect(&mut self, hit: Hit, most: &mut f32) -> bool {
        match self {
            Self::First(first) => first.collect(hit, most),
            Self::Each(visitor) => {
                let limit = visitor(hit);
                *most = if limit < *most { limit } else { *most };
                true
            }
        }
    }
}

/// Which hit on a path is returned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HitChoice {
    /// The first one; among equal positions the one with the lowest row.
    Closest,
    /// The one that the traversal finds first.
    Any,
}

/// Collects a single hit.
pub(crate) struct CollectFirst<'a> {
    best: Hit,
    /// Upper limit of `most` once a hit was found.
    then: f32,
    /// The function that accepts boxes, if not all are accepted.
    accept: Option<AcceptFn<'a>>,
}

impl<'a> CollectFirst<'a> {
    /// Starts without a hit, with `reach` as the farthest position.
    pub(crate) fn new(reach: f32, choice: HitChoice, accept: Option<AcceptFn<'a>>) -> Self {
        let then = match choice {
            HitChoice::Closest => f32::INFINITY,
            HitChoice::Any => -1.0,
        };
        // The placeholder is not nearer than any hit on the path.
        Self { best: Hit { row: Hit::MISS.row, value: reach }, then, accept }
    }

    /// The hit, if there is one.
    pub(crate) fn found(&self) -> Option<Hit> {
        (self.best.row != Hit::MISS.row).then_some(self.best)
    }

    /// Does what [`HitCollector::collect`] states.
    #[inline(always)]
    fn collect(&mut self, hit: Hit, most: &mut f32) -> bool {
        let better = hit.value < *most || hit.row < self.best.row;
        if better && self.accept.accept(hit.row) {
            self.best = hit;
            *most = if hit.value < self.then { hit.value } else { self.then };
        }
        better
    }
}
