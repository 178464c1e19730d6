//! Which boxes does a segment or ray enter?
//!
//! The arithmetic is that of [`cast`](crate::cast) against the bounds of nodes as against boxes: the
//! bounds of a node are not entered after what is inside them, nor missed when that is hit.

use super::{Accept, Allowed, Queries, Query, ask};
use crate::broadphase::tree::{Bounds, Nearing};
use crate::geom::{Invalid, Segment};
use crate::kernels::Hit;
use crate::kernels::cast::{Entry, is_tiny};
use crate::lanes::{F32Lanes, Isa, LANES_MAX, MaskLanes};

/// The row of no box.
const NO_ROW: u32 = u32::MAX;

impl<'a> Queries<'a> {
    /// Asks which boxes `segment` enters.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no segment.
    pub fn cast(&self, segment: &Segment) -> Result<Query<'a, Segment>, Invalid> {
        segment.validate()?;
        Ok(Query::new(*self, *segment))
    }
}

impl<A: Accept> Query<'_, Segment, A> {
    /// The box that is entered first: the least entry fraction as [`Cast::entry`] tells it, of equal
    /// ones the lowest row.
    ///
    /// [`Cast::entry`]: crate::Cast::entry
    #[must_use]
    pub fn closest(self) -> Option<Hit> {
        if is_tiny(&self.of) { self.closest_by::<true>() } else { self.closest_by::<false>() }
    }

    fn closest_by<const TINY: bool>(self) -> Option<Hit> {
        let Self { queries, of, accept, visits } = self;
        let best = Hit { row: NO_ROW, at: reach(&of) };
        let (entry, allowed) = (Entry::<TINY>::new(&of), queries.allowed());
        let (closest, looked) = ask(&queries, Closest { entry, allowed, accept, best });
        if let Some(visits) = visits {
            visits.add(looked);
        }
        (closest.best.row != NO_ROW).then_some(closest.best)
    }
}

/// How far a segment goes: a box that it enters at infinity is missed.
fn reach(segment: &Segment) -> f32 {
    if segment.max_fraction < f32::MAX { segment.max_fraction + 0.0 } else { f32::MAX }
}

/// Where the segment enters lanes of a node, at `most` or before.
#[inline(always)]
fn entries<I: Isa, const TINY: bool>(
    isa: I,
    entry: &Entry<TINY>,
    bounds: Bounds<'_>,
    most: f32,
) -> (I::F32, I::Mask) {
    let (mut first, mut last) = ([isa.splat(0.0); 3], [isa.splat(0.0); 3]);
    for axis in 0..3 {
        let [near, far] = entry.faces(axis);
        (first[axis], last[axis]) = (bounds.column(isa, near), bounds.column(isa, far));
    }
    entry.entries(isa, (&first, &last), most)
}

/// The box that is entered first. The one found last has no row as long as there is none.
struct Closest<A, const TINY: bool> {
    entry: Entry<TINY>,
    allowed: Allowed,
    accept: A,
    best: Hit,
}

impl<A: Accept, const TINY: bool> Nearing for Closest<A, TINY> {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.best.at
    }

    #[inline(always)]
    fn near<I: Isa>(&self, isa: I, bounds: Bounds<'_>) -> (I::F32, I::Mask) {
        entries(isa, &self.entry, bounds, self.best.at)
    }

    #[inline(always)]
    fn see<I: Isa>(&mut self, isa: I, boxes: Bounds<'_>, filters: &[u32]) -> u64 {
        let (at, entered) = entries(isa, &self.entry, boxes, self.best.at);
        let mut entered = self.allowed.of(isa, entered, filters).bits();
        if entered == 0 {
            return 0;
        }
        let mut ats = [0.0; LANES_MAX];
        at.store(&mut ats);
        let (rows, mut met) = (boxes.rows::<I>(), 0);
        while entered != 0 {
            let lane = entered.trailing_zeros() as usize;
            entered &= entered - 1;
            let hit = Hit { row: rows[lane], at: ats[lane] };
            let (best, same) = (self.best, hit.at == self.best.at);
            if hit.at < best.at || (same && hit.row < best.row) {
                met += 1;
                if self.accept.accept(hit.row) {
                    self.best = hit;
                }
            }
        }
        met
    }
}
