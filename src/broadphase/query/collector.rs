//! Which hits on a path a query returns: the first one, any one, all, or as many as the caller
//! wants.

use super::path::Path;
use super::{Accept, Caller, Query};
use crate::kernels::Hit;
use alloc::vec::Vec;

/// The position of a hit on the path is [`Cast::entry`](crate::batch::cast::Cast::entry) of a segment and
/// [`Sweep::first`](crate::batch::sweep::Sweep::first) of a moving box, with the same bits.
impl<P: Path, A: Accept> Query<'_, P, A> {
    /// The box that is hit first; among equal positions the one with the lowest row.
    #[must_use]
    pub fn closest(self) -> Option<Hit> {
        self.first(Wanted::Closest)
    }

    /// Any box that is hit, or `None`. Which one depends on the shape of the tree, not on levels or
    /// threads.
    #[must_use]
    pub fn any(self) -> Option<Hit> {
        self.first(Wanted::Any)
    }

    fn first(self, wanted: Wanted) -> Option<Hit> {
        let Self { queries, of, mut accept, visits } = self;
        let (found, looked) = of.first(&queries, wanted, accept.caller());
        looked.add_to(visits);
        found
    }

    /// Replaces the contents of `hits` by all boxes that are hit, ordered by row.
    pub fn all(self, hits: &mut Vec<Hit>) {
        self.collect(hits);
        hits.sort_unstable_by_key(|hit| hit.row);
    }

    /// Replaces the contents of `hits` by all boxes that are hit, ordered by position on the path,
    /// then by row.
    pub fn sorted(self, hits: &mut Vec<Hit>) {
        self.collect(hits);
        hits.sort_unstable_by_key(|hit| (hit.at.to_bits(), hit.row));
    }

    fn collect(self, hits: &mut Vec<Hit>) {
        hits.clear();
        self.visit(|hit| {
            hits.push(hit);
            f32::INFINITY
        });
    }

    /// Calls `see` with boxes that are hit. It returns the position on the path up to which it
    /// wants to see more: `hit.at` for nothing farther, infinity for all, a negative number to
    /// stop. The limit never grows again, and a NaN leaves it unchanged.
    ///
    /// The order is roughly that of positions, because nodes of the tree are visited in that order.
    /// It depends on the shape of the tree, not on levels or threads.
    ///
    /// ```
    /// use swath::{AabbColumns, Bvh, Segment};
    ///
    /// let low: Vec<f32> = (0..100).map(|k| k as f32).collect();
    /// let high: Vec<f32> = low.iter().map(|low| low + 0.5).collect();
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&low; 3], [&high; 3])?)?;
    ///
    /// // The boxes in even rows, up to the first box in an odd row.
    /// let ray = Segment::ray([9.75; 3], [1.0; 3])?;
    /// let (mut odd, mut even) = (f32::INFINITY, Vec::new());
    /// tree.queries().cast(&ray)?.visit(|hit| {
    ///     match hit.row % 2 {
    ///         0 => even.push(hit),
    ///         _ => odd = odd.min(hit.at),
    ///     }
    ///     odd
    /// });
    /// even.retain(|hit| hit.at <= odd);
    /// assert!(even.len() == 1 && even[0].row == 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn visit(self, mut see: impl FnMut(Hit) -> f32) {
        let Self { queries, of, mut accept, visits } = self;
        let mut see = |hit: Hit| if accept.accept(hit.row) { see(hit) } else { f32::INFINITY };
        of.each(&queries, &mut see).add_to(visits);
    }
}

/// Collects the hits of a query. A value and not a type, so that each query is compiled once.
pub(crate) enum Told<'a> {
    /// Keeps a single hit.
    First(CollectFirst<'a>),
    /// Passes each hit to a function, up to the position that it returns.
    Each(&'a mut dyn FnMut(Hit) -> f32),
}

impl Told<'_> {
    /// Takes a hit that is not farther than `most`, and reduces `most` to the position up to which
    /// hits still count; returns whether the hit could have changed the result. Each box is passed
    /// at most once, the boxes of a leaf in the order of lanes.
    #[inline(always)]
    pub(crate) fn tell(&mut self, hit: Hit, most: &mut f32) -> bool {
        match self {
            Self::First(first) => first.tell(hit, most),
            Self::Each(see) => {
                let wanted = see(hit);
                *most = if wanted < *most { wanted } else { *most };
                true
            }
        }
    }
}

/// Which hit on a path is returned.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
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
    accept: Option<Caller<'a>>,
}

impl<'a> CollectFirst<'a> {
    /// Starts without a hit, with `reach` as the farthest position.
    pub(crate) fn new(reach: f32, wanted: Wanted, accept: Option<Caller<'a>>) -> Self {
        let then = match wanted {
            Wanted::Closest => f32::INFINITY,
            Wanted::Any => -1.0,
        };
        // The placeholder is not nearer than any hit on the path.
        Self { best: Hit { row: Hit::MISS.row, at: reach }, then, accept }
    }

    /// The hit, if there is one.
    pub(crate) fn found(&self) -> Option<Hit> {
        (self.best.row != Hit::MISS.row).then_some(self.best)
    }

    /// Does what [`Told::tell`] states.
    #[inline(always)]
    fn tell(&mut self, hit: Hit, most: &mut f32) -> bool {
        let better = hit.at < *most || hit.row < self.best.row;
        if better && self.accept.accept(hit.row) {
            self.best = hit;
            *most = if hit.at < self.then { hit.at } else { self.then };
        }
        better
    }
}
