//! Which boxes does something on its way meet, and where?
//!
//! A segment is asked with the arithmetic of [`cast`](crate::cast), a moving box with that of
//! [`sweep`](crate::sweep), against the bounds of nodes as against boxes: both are monotonic in the
//! ends of a box, after rounding too, so bounds are not met later than what is inside them, nor
//! missed when that is met.

use super::hits::{Each, First, Told, Wanted};
use super::{Allowed, Asked, Caller, Queries, Query, ask, ask_many};
use crate::broadphase::tree::{Bounds, Nearing, Visits};
use crate::geom::{Invalid, MovingBox, Segment};
use crate::kernels::{Hit, cast, sweep};
use crate::lanes::{F32Lanes, Isa, LANES_MAX};
use crate::store::Row;
use core::array::from_fn;

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

    /// Asks which boxes `moving` touches on its way. They rest, whatever else is known of them.
    ///
    /// ```
    /// use swath::store::FixedColumns;
    /// use swath::{Aabb, BoxTree, MovingBox};
    ///
    /// let (low, high) = ([2.0, 3.0], [2.5, 3.5]);
    /// let mut tree = BoxTree::new();
    /// tree.build(FixedColumns::new([&low; 3], [&high; 3])?)?;
    ///
    /// let bullet = MovingBox::new(Aabb::cube([0.0; 3], 1.0)?, [4.0; 3])?;
    /// let hit = tree.queries().sweep(&bullet)?.closest().expect("it flies through both");
    /// assert!(hit.row == 0 && hit.at <= 0.25 && hit.at > 0.249_999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no moving box.
    pub fn sweep(&self, moving: &MovingBox) -> Result<Query<'a, MovingBox>, Invalid> {
        moving.validate()?;
        Ok(Query::new(*self, *moving))
    }
}

/// Something on its way: a [`Segment`], or a [`MovingBox`].
pub trait Path: Copy + Send + Sync + Way {}

impl Path for Segment {}
impl Path for MovingBox {}

/// How a path is asked about: the same text for all who ask, whatever their functions are.
pub trait Way {
    /// How far it goes.
    fn reach(&self) -> f32;

    /// Looks for the box that is wanted; returns it, and how much was looked at.
    fn first(
        &self,
        queries: &Queries<'_>,
        wanted: Wanted,
        caller: Option<Caller<'_>>,
    ) -> (Option<Hit>, Visits);

    /// Shows boxes to `see` up to where it wants to see more; returns how much was looked at.
    fn each(&self, queries: &Queries<'_>, see: &mut dyn FnMut(Hit) -> f32) -> Visits;

    /// Writes to `hits` what is wanted on each of some paths, at least one and at most [`SOME`].
    fn first_of_some(queries: &Queries<'_>, paths: &[Self], wanted: Wanted, hits: &mut [Hit])
    where
        Self: Sized;
}

/// Where a path meets the boxes or bounds in some lanes.
trait Meets: Copy {
    /// Where they are met, at least zero, and which are no later than `most`.
    fn meets<I: Isa>(&self, isa: I, bounds: Bounds<'_>, most: f32) -> (I::F32, I::Mask);
}

/// How many paths are asked about at a time.
pub(super) const SOME: usize = 64;

/// Looks for the box that is wanted on a path as far as `reach`.
fn first<M: Meets>(
    queries: &Queries<'_>,
    (path, reach): (M, f32),
    wanted: Wanted,
    caller: Option<Caller<'_>>,
) -> (Option<Hit>, Visits) {
    let told = First::new(reach, wanted, caller);
    let (meeting, visits) = ask(queries, Meeting { path, allowed: queries.allowed(), told });
    (meeting.told.found(), visits)
}

/// Shows boxes on a path as far as `reach` to `see`.
fn each<M: Meets>(
    queries: &Queries<'_>,
    (path, reach): (M, f32),
    see: &mut dyn FnMut(Hit) -> f32,
) -> Visits {
    let told = Each { most: reach, see };
    ask(queries, Meeting { path, allowed: queries.allowed(), told }).1
}

/// Looks for the boxes that are wanted on some paths, at least one.
fn first_of_some<P: Way, M: Meets>(
    queries: &Queries<'_>,
    paths: &[P],
    wanted: Wanted,
    hits: &mut [Hit],
    path: impl Fn(&P) -> M,
) {
    let mut meetings: [_; SOME] = from_fn(|k| {
        let of = &paths[k.min(paths.len() - 1)];
        let told = First::new(of.reach(), wanted, None);
        Meeting { path: path(of), allowed: queries.allowed(), told }
    });
    ask_many(queries, &mut meetings[..paths.len()]);
    for (hit, meeting) in hits.iter_mut().zip(&meetings) {
        *hit = meeting.told.found().unwrap_or(Hit::MISS);
    }
}

/// A path with what is told of it.
struct Meeting<'a, M, T> {
    path: M,
    allowed: Allowed<'a>,
    told: T,
}

impl<M: Meets, T: Told> Nearing for Meeting<'_, M, T> {
    #[inline(always)]
    fn most(&self) -> f32 {
        self.told.most()
    }

    #[inline(always)]
    fn near<I: Isa>(&self, isa: I, bounds: Bounds<'_>) -> (I::F32, I::Mask) {
        self.path.meets(isa, bounds, self.told.most())
    }

    #[inline(always)]
    fn see<I: Isa>(&mut self, isa: I, boxes: Bounds<'_>, filters: &[u32]) -> u64 {
        let (at, met) = self.path.meets(isa, boxes, self.told.most());
        let mut met = self.allowed.of(isa, met, boxes, filters);
        if met == 0 {
            return 0;
        }
        let mut ats = [0.0; LANES_MAX];
        at.store(&mut ats);
        let (rows, mut count) = (boxes.rows::<I>(), 0);
        while met != 0 {
            let lane = met.trailing_zeros() as usize;
            met &= met - 1;
            // What was told of the lanes before may have shortened the way.
            let hit = Hit { row: rows[lane], at: ats[lane] };
            count += u64::from(hit.at <= self.told.most() && self.told.tell(hit));
        }
        count
    }
}

impl<M: Meets, T: Told> Asked for Meeting<'_, M, T> {
    fn look_at_grown(&mut self, grown: bool) {
        self.allowed.grown = grown;
    }
}

impl<const TINY: bool> Meets for cast::Entry<TINY> {
    #[inline(always)]
    fn meets<I: Isa>(&self, isa: I, bounds: Bounds<'_>, most: f32) -> (I::F32, I::Mask) {
        let (mut first, mut last) = ([isa.splat(0.0); 3], [isa.splat(0.0); 3]);
        for axis in 0..3 {
            let [near, far] = self.faces(axis);
            (first[axis], last[axis]) = (bounds.column(isa, near), bounds.column(isa, far));
        }
        self.entries(isa, (&first, &last), most)
    }
}

impl Way for Segment {
    fn reach(&self) -> f32 {
        // A box that is entered at infinity is missed.
        if self.max_fraction < f32::MAX { self.max_fraction } else { f32::MAX }
    }

    fn first(
        &self,
        queries: &Queries<'_>,
        wanted: Wanted,
        caller: Option<Caller<'_>>,
    ) -> (Option<Hit>, Visits) {
        if cast::is_tiny(self) {
            first(queries, (cast::Entry::<true>::new(self), self.reach()), wanted, caller)
        } else {
            first(queries, (cast::Entry::<false>::new(self), self.reach()), wanted, caller)
        }
    }

    fn each(&self, queries: &Queries<'_>, see: &mut dyn FnMut(Hit) -> f32) -> Visits {
        if cast::is_tiny(self) {
            each(queries, (cast::Entry::<true>::new(self), self.reach()), see)
        } else {
            each(queries, (cast::Entry::<false>::new(self), self.reach()), see)
        }
    }

    fn first_of_some(queries: &Queries<'_>, paths: &[Self], wanted: Wanted, hits: &mut [Hit]) {
        if paths.iter().any(cast::is_tiny) {
            // They are rare: one after the other.
            for (hit, path) in hits.iter_mut().zip(paths) {
                *hit = path.first(queries, wanted, None).0.unwrap_or(Hit::MISS);
            }
        } else {
            first_of_some(queries, paths, wanted, hits, cast::Entry::<false>::new);
        }
    }
}

/// A moving box, by columns.
#[derive(Clone, Copy)]
struct Swept([f32; 9]);

impl Meets for Swept {
    #[inline(always)]
    fn meets<I: Isa>(&self, isa: I, bounds: Bounds<'_>, most: f32) -> (I::F32, I::Mask) {
        let (still, mut a) = (isa.splat(0.0), [isa.splat(0.0); 9]);
        for (number, &of) in a.iter_mut().zip(&self.0) {
            *number = isa.splat(of);
        }
        let [x0, y0, z0, x1, y1, z1] = bounds.columns(isa);
        let (first, met) = sweep::times(isa, &a, &[x0, y0, z0, x1, y1, z1, still, still, still]);
        // Where there is nothing the faces are the wrong way round, and are met from both sides.
        (first, met & first.le(isa.splat(most)) & bounds.filled(isa))
    }
}

impl Way for MovingBox {
    fn reach(&self) -> f32 {
        1.0
    }

    fn first(
        &self,
        queries: &Queries<'_>,
        wanted: Wanted,
        caller: Option<Caller<'_>>,
    ) -> (Option<Hit>, Visits) {
        first(queries, (Swept(self.to_row()), self.reach()), wanted, caller)
    }

    fn each(&self, queries: &Queries<'_>, see: &mut dyn FnMut(Hit) -> f32) -> Visits {
        each(queries, (Swept(self.to_row()), self.reach()), see)
    }

    fn first_of_some(queries: &Queries<'_>, paths: &[Self], wanted: Wanted, hits: &mut [Hit]) {
        first_of_some(queries, paths, wanted, hits, |path| Swept(path.to_row()));
    }
}
