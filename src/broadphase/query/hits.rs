//! Which of the boxes on a path are wanted: the first, any, all?

use super::path::Path;
use super::{Accept, Caller, Query};
use crate::kernels::Hit;
use alloc::vec::Vec;

/// Where on the way a box is met is [`Cast::entry`](crate::Cast::entry) of a segment and
/// [`Sweep::first`](crate::Sweep::first) of a moving box, with the same bits.
impl<P: Path, A: Accept> Query<'_, P, A> {
    /// The box that is met first; of several at once the one with the lowest row.
    #[must_use]
    pub fn closest(self) -> Option<Hit> {
        self.first(Wanted::Closest)
    }

    /// A box that is met, if there is one: the one found first. Which it is depends on how the boxes
    /// were put in, not on levels or threads.
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

    /// Writes all boxes that are met to `hits`, by row, in place of what it holds.
    pub fn all(self, hits: &mut Vec<Hit>) {
        self.collect(hits);
        hits.sort_unstable_by_key(|hit| hit.row);
    }

    /// Writes all boxes that are met to `hits`, in place of what it holds: the first one met first,
    /// of several at once the one with the lowest row.
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

    /// Shows boxes that are met to `see`, which returns up to where on the way it wants to see more:
    /// `hit.at` for nothing later, infinity for all, a number below zero for no more at all. What was
    /// returned before is not taken back, and a NaN changes nothing.
    ///
    /// Boxes come roughly in the order in which they are met: nodes of the tree do. The order
    /// depends on how the boxes were put in, not on levels or threads.
    ///
    /// ```
    /// use swath::store::FixedColumns;
    /// use swath::{BoxTree, Segment};
    ///
    /// let low: Vec<f32> = (0..100).map(|k| k as f32).collect();
    /// let high: Vec<f32> = low.iter().map(|low| low + 0.5).collect();
    /// let mut tree = BoxTree::new();
    /// tree.build(FixedColumns::new([&low; 3], [&high; 3])?)?;
    ///
    /// // The last box before anything that is not even.
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

/// What is done with the boxes that are met.
pub(super) trait Told {
    /// How far on the way boxes still count. Never grows.
    fn most(&self) -> f32;

    /// Sees a box that is met no later; returns whether it was of any interest. A box may be shown
    /// once, those of a leaf in the order of lanes.
    fn tell(&mut self, hit: Hit) -> bool;
}

/// Which box on a way is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// The one that is met first; of several at once that with the lowest row.
    Closest,
    /// The one that is found first.
    Any,
}

/// The box that is wanted.
pub(super) struct First<'a> {
    best: Hit,
    most: f32,
    /// How far boxes count at most once there is one.
    then: f32,
    /// Who is to be asked, if not every box counts.
    accept: Option<Caller<'a>>,
}

impl<'a> First<'a> {
    /// No box as far as `reach`.
    pub(super) fn new(reach: f32, wanted: Wanted, accept: Option<Caller<'a>>) -> Self {
        let then = match wanted {
            Wanted::Closest => f32::INFINITY,
            Wanted::Any => -1.0,
        };
        // What stands for the best is not met before anything on the way.
        Self { best: Hit { row: Hit::MISS.row, at: reach }, most: reach, then, accept }
    }

    /// The box, if there is one.
    pub(super) fn found(&self) -> Option<Hit> {
        (self.best.row != Hit::MISS.row).then_some(self.best)
    }
}

impl Told for First<'_> {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn tell(&mut self, hit: Hit) -> bool {
        let better = hit.at < self.most || hit.row < self.best.row;
        if better && self.accept.accept(hit.row) {
            self.best = hit;
            self.most = if hit.at < self.then { hit.at } else { self.then };
        }
        better
    }
}

/// Each box, up to where it is asked for.
pub(super) struct Each<'a> {
    pub(super) most: f32,
    pub(super) see: &'a mut dyn FnMut(Hit) -> f32,
}

impl Told for Each<'_> {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn tell(&mut self, hit: Hit) -> bool {
        let most = (self.see)(hit);
        self.most = if most < self.most { most } else { self.most };
        true
    }
}
