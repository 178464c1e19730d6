//! Which boxes does something on its way meet, and where?
//!
//! A segment is asked with the arithmetic of [`cast`](crate::cast), a moving box with that of
//! [`sweep`](crate::sweep), against the bounds of nodes as against boxes: both are monotonic in the
//! ends of a box, after rounding too, so bounds are not met later than what is inside them, nor
//! missed when that is met.

use super::{Allowed, Asked, Queries, Query, ask, ask_many};
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

/// How a path is asked about.
pub trait Way {
    /// How far it goes.
    fn reach(&self) -> f32;

    /// Goes through all trees; returns what was told, and how much was looked at.
    fn meet<T: Told>(&self, queries: &Queries<'_>, told: T) -> (T, Visits);

    /// The same for some paths, at most [`SOME`], each of which goes as far as `told` says.
    fn meet_some<T: Told + Copy>(queries: &Queries<'_>, paths: &[Self], told: &mut [T])
    where
        Self: Sized;
}

/// What is done with the boxes that are met.
pub trait Told {
    /// How far on the way boxes still count. Never grows.
    fn most(&self) -> f32;

    /// Sees a box that is met no later; returns whether it was of any interest. A box may be shown
    /// once, those of a leaf in the order of lanes.
    fn tell(&mut self, hit: Hit) -> bool;
}

/// Where a path meets the boxes or bounds in some lanes.
trait Meets: Copy {
    /// Where they are met, at least zero, and which are no later than `most`.
    fn meets<I: Isa>(&self, isa: I, bounds: Bounds<'_>, most: f32) -> (I::F32, I::Mask);
}

/// How many paths are asked about at a time.
pub(super) const SOME: usize = 64;

/// Asks about some paths, at least one.
fn ask_some<P, M: Meets, T: Told + Copy>(
    queries: &Queries<'_>,
    paths: &[P],
    told: &mut [T],
    path: impl Fn(&P) -> M,
) {
    let count = told.len();
    let meeting = |k: usize| {
        let k = k.min(count - 1);
        Meeting { path: path(&paths[k]), allowed: queries.allowed(), told: told[k] }
    };
    let mut meetings: [_; SOME] = from_fn(meeting);
    ask_many(queries, &mut meetings[..count]);
    for (told, meeting) in told.iter_mut().zip(&meetings) {
        *told = meeting.told;
    }
}

/// A path with what is told of it.
#[derive(Clone, Copy)]
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

    #[inline]
    fn meet<T: Told>(&self, queries: &Queries<'_>, told: T) -> (T, Visits) {
        let allowed = queries.allowed();
        if cast::is_tiny(self) {
            let path = cast::Entry::<true>::new(self);
            let (meeting, visits) = ask(queries, Meeting { path, allowed, told });
            (meeting.told, visits)
        } else {
            let path = cast::Entry::<false>::new(self);
            let (meeting, visits) = ask(queries, Meeting { path, allowed, told });
            (meeting.told, visits)
        }
    }

    fn meet_some<T: Told + Copy>(queries: &Queries<'_>, paths: &[Self], told: &mut [T]) {
        if paths.iter().any(cast::is_tiny) {
            ask_some(queries, paths, told, cast::Entry::<true>::new);
        } else {
            ask_some(queries, paths, told, cast::Entry::<false>::new);
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

    #[inline]
    fn meet<T: Told>(&self, queries: &Queries<'_>, told: T) -> (T, Visits) {
        let meeting = Meeting { path: Swept(self.to_row()), allowed: queries.allowed(), told };
        let (meeting, visits) = ask(queries, meeting);
        (meeting.told, visits)
    }

    fn meet_some<T: Told + Copy>(queries: &Queries<'_>, paths: &[Self], told: &mut [T]) {
        ask_some(queries, paths, told, |path| Swept(path.to_row()));
    }
}
