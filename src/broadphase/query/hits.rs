//! Which of the boxes on a path are wanted: the first, any, all?

use super::path::{Path, Told};
use super::{Accept, Query};
use crate::kernels::Hit;
use alloc::vec::Vec;

/// Where on the way a box is met is [`Cast::entry`](crate::Cast::entry) of a segment and
/// [`Sweep::first`](crate::Sweep::first) of a moving box, with the same bits.
impl<P: Path, A: Accept> Query<'_, P, A> {
    /// The box that is met first; of several at once the one with the lowest row.
    #[must_use]
    pub fn closest(self) -> Option<Hit> {
        let Self { queries, of, accept, visits } = self;
        let (closest, looked) = of.meet(&queries, Closest { best: nothing(&of), accept });
        looked.add_to(visits);
        found(closest.best)
    }

    /// A box that is met, if there is one: the one found first. Which it is depends on how the boxes
    /// were put in, not on levels or threads.
    #[must_use]
    pub fn any(self) -> Option<Hit> {
        let mut any = None;
        self.visit(|hit| {
            any = Some(hit);
            -1.0
        });
        any
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
    pub fn visit(self, see: impl FnMut(Hit) -> f32) {
        let Self { queries, of, accept, visits } = self;
        let (_, looked) = of.meet(&queries, Each { most: of.reach(), accept, see });
        looked.add_to(visits);
    }
}

/// What stands for the best as long as there is none: it is not met before anything on the way.
pub(super) fn nothing(path: &impl Path) -> Hit {
    Hit { row: Hit::MISS.row, at: path.reach() }
}

/// The best, if there is one.
pub(super) fn found(best: Hit) -> Option<Hit> {
    (best.row != Hit::MISS.row).then_some(best)
}

/// The box that is met first.
#[derive(Clone, Copy)]
pub(super) struct Closest<A> {
    pub(super) best: Hit,
    pub(super) accept: A,
}

impl<A: Accept> Told for Closest<A> {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.best.at
    }

    #[inline(always)]
    fn tell(&mut self, hit: Hit) -> bool {
        let better = hit.at < self.best.at || hit.row < self.best.row;
        if better && self.accept.accept(hit.row) {
            self.best = hit;
        }
        better
    }
}

/// Each box, up to where it is asked for.
struct Each<A, F> {
    most: f32,
    accept: A,
    see: F,
}

impl<A: Accept, F: FnMut(Hit) -> f32> Told for Each<A, F> {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn tell(&mut self, hit: Hit) -> bool {
        if self.accept.accept(hit.row) {
            let most = (self.see)(hit);
            self.most = if most < self.most { most } else { self.most };
        }
        true
    }
}
