//! Which boxes share a point with a box, a point, a sphere or a region of planes?
//!
//! The arithmetic is that of [`overlap`](crate::overlap). Comparing a box, and the distance from a
//! sphere, with bounds in place of a box is monotonic, rounding included, so bounds are met where
//! something in them is. The arithmetic of planes is not, and bounds are looked at by one that is
//! and lets more through (`near_planes`).

use super::{Accept, Allowed, Asked, Queries, Query, ask};
use crate::broadphase::tree::{Bounds, Nearing, Visits};
use crate::geom::{Aabb, Invalid, Plane, Sphere};
use crate::kernels::overlap::room;
use crate::lanes::{F32Lanes, Isa};
use crate::store::Row;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A shape that boxes may meet: [`Aabb`], [`Sphere`] or [`Planes`].
pub trait Shape: Copy + Region {}

/// Sees rows; where it breaks off it says how many it has seen.
type See<'a> = dyn FnMut(&[u32]) -> ControlFlow<u64> + 'a;

/// How a shape is asked about: the same text for all who ask, whatever their functions are.
pub trait Region {
    /// Shows the rows of boxes that are met to `see`, some at a time, until it breaks off; returns
    /// how much was looked at.
    fn each(&self, queries: &Queries<'_>, see: &mut See<'_>) -> Visits;
}

impl Shape for Aabb {}
impl Shape for Sphere {}
impl Shape for Planes<'_> {}

impl Region for Aabb {
    fn each(&self, queries: &Queries<'_>, see: &mut See<'_>) -> Visits {
        ask(queries, Meeting { shape: *self, allowed: queries.allowed(), see, most: 0.0 }).1
    }
}

impl Region for Sphere {
    fn each(&self, queries: &Queries<'_>, see: &mut See<'_>) -> Visits {
        ask(queries, Meeting { shape: *self, allowed: queries.allowed(), see, most: 0.0 }).1
    }
}

impl Region for Planes<'_> {
    fn each(&self, queries: &Queries<'_>, see: &mut See<'_>) -> Visits {
        ask(queries, Meeting { shape: *self, allowed: queries.allowed(), see, most: 0.0 }).1
    }
}

/// Which boxes a shape meets.
trait Meets: Copy {
    /// Which of these bounds may hold a box that the shape meets. True wherever it meets one.
    fn reaches<I: Isa>(&self, isa: I, bounds: &[I::F32; 6]) -> I::Mask;

    /// Which of these boxes it meets.
    fn meets<I: Isa>(&self, isa: I, boxes: &[I::F32; 6]) -> I::Mask;
}

/// The question which boxes a shape meets.
#[derive(Clone, Copy, Debug)]
pub struct Overlap<S>(S);

/// The region that is inside of all of some planes.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'p>(&'p [Plane]);

/// A number for all lanes, of each.
#[inline(always)]
fn splat<I: Isa, const K: usize>(isa: I, numbers: [f32; K]) -> [I::F32; K] {
    let mut lanes = [isa.splat(0.0); K];
    for (lane, number) in lanes.iter_mut().zip(numbers) {
        *lane = isa.splat(number);
    }
    lanes
}

impl Meets for Aabb {
    #[inline(always)]
    fn reaches<I: Isa>(&self, isa: I, bounds: &[I::F32; 6]) -> I::Mask {
        self.meets(isa, bounds)
    }

    #[inline(always)]
    fn meets<I: Isa>(&self, isa: I, boxes: &[I::F32; 6]) -> I::Mask {
        room::boxes(isa, &splat(isa, self.to_row()), boxes).hit
    }
}

impl Meets for Sphere {
    #[inline(always)]
    fn reaches<I: Isa>(&self, isa: I, bounds: &[I::F32; 6]) -> I::Mask {
        self.meets(isa, bounds)
    }

    #[inline(always)]
    fn meets<I: Isa>(&self, isa: I, boxes: &[I::F32; 6]) -> I::Mask {
        let [x, y, z] = self.center;
        room::sphere(isa, &splat(isa, [x, y, z, self.radius]), boxes).hit
    }
}

impl Meets for Planes<'_> {
    #[inline(always)]
    fn reaches<I: Isa>(&self, isa: I, bounds: &[I::F32; 6]) -> I::Mask {
        filled::<I>(bounds) & room::near_planes(isa, self.0, bounds)
    }

    #[inline(always)]
    fn meets<I: Isa>(&self, isa: I, boxes: &[I::F32; 6]) -> I::Mask {
        filled::<I>(boxes) & room::planes(isa, self.0, boxes).hit
    }
}

/// Where there is a box: no planes at all would let everything in.
#[inline(always)]
fn filled<I: Isa>(boxes: &[I::F32; 6]) -> I::Mask {
    boxes[0].le(boxes[3])
}

impl<'a> Queries<'a> {
    /// Asks which boxes share a point with `aabb`, as [`overlap::one_to_one`] answers it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no box.
    ///
    /// ```
    /// use swath::store::FixedColumns;
    /// use swath::{Aabb, BoxTree};
    ///
    /// let (low, high) = ([0.0, 1.0, 2.0, 3.0], [0.5, 1.5, 2.5, 3.5]);
    /// let mut tree = BoxTree::new();
    /// tree.build(FixedColumns::new([&low; 3], [&high; 3])?)?;
    /// let queries = tree.queries();
    ///
    /// let mut rows = Vec::new();
    /// queries.overlap(&Aabb::new([1.5; 3], [3.0; 3])?)?.all(&mut rows);
    /// assert_eq!(rows, [1, 2, 3]);
    /// assert_eq!(queries.overlap(&Aabb::point([0.75; 3])?)?.any(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`overlap::one_to_one`]: crate::overlap::one_to_one
    pub fn overlap(&self, aabb: &Aabb) -> Result<Query<'a, Overlap<Aabb>>, Invalid> {
        aabb.validate()?;
        Ok(Query::new(*self, Overlap(*aabb)))
    }

    /// Asks in which boxes `point` lies; surfaces count.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no point.
    pub fn overlap_point(
        &self,
        point: impl Into<[f32; 3]>,
    ) -> Result<Query<'a, Overlap<Aabb>>, Invalid> {
        Ok(Query::new(*self, Overlap(Aabb::point(point)?)))
    }

    /// Asks which boxes share a point with `sphere`, as [`overlap::sphere::one_to_one`] answers it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no sphere.
    ///
    /// [`overlap::sphere::one_to_one`]: crate::overlap::sphere::one_to_one
    pub fn overlap_sphere(&self, sphere: &Sphere) -> Result<Query<'a, Overlap<Sphere>>, Invalid> {
        sphere.validate()?;
        Ok(Query::new(*self, Overlap(*sphere)))
    }

    /// Asks which boxes are not outside of the region inside of all `planes`, such as what a camera
    /// sees, as [`overlap::planes::one_to_one`] answers it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when one of them is no half-space.
    ///
    /// [`overlap::planes::one_to_one`]: crate::overlap::planes::one_to_one
    pub fn overlap_planes<'p>(
        &self,
        planes: &'p [Plane],
    ) -> Result<Query<'a, Overlap<Planes<'p>>>, Invalid> {
        planes.iter().try_for_each(Plane::validate)?;
        Ok(Query::new(*self, Overlap(Planes(planes))))
    }
}

impl<S: Shape, A: Accept> Query<'_, Overlap<S>, A> {
    /// Calls `see` with the row of each box that is met, in an order that depends on how the boxes
    /// were put in, until it breaks off.
    pub fn visit(self, mut see: impl FnMut(u32) -> ControlFlow<()>) {
        let Self { queries, of: Overlap(shape), mut accept, visits } = self;
        let mut see = |rows: &[u32]| {
            for (seen, &row) in (1..).zip(rows) {
                if accept.accept(row) && see(row).is_break() {
                    return ControlFlow::Break(seen);
                }
            }
            ControlFlow::Continue(())
        };
        shape.each(&queries, &mut see).add_to(visits);
    }

    /// A box that is met, if any is. Which of several depends on how the boxes were put in.
    #[must_use]
    pub fn any(self) -> Option<u32> {
        let mut any = None;
        self.visit(|row| {
            any = Some(row);
            ControlFlow::Break(())
        });
        any
    }

    /// Writes the rows of all boxes that are met to `rows`, in order, in place of what it holds.
    pub fn all(self, rows: &mut Vec<u32>) {
        rows.clear();
        let Self { queries, of: Overlap(shape), mut accept, visits } = self;
        let every = accept.caller().is_none();
        let mut see = |met: &[u32]| {
            if every {
                rows.extend_from_slice(met);
            } else {
                rows.extend(met.iter().copied().filter(|&row| accept.accept(row)));
            }
            ControlFlow::Continue(())
        };
        shape.each(&queries, &mut see).add_to(visits);
        rows.sort_unstable();
    }
}

/// A shape on its way through a tree.
struct Meeting<'a, 's, S> {
    shape: S,
    allowed: Allowed<'a>,
    see: &'a mut See<'s>,
    /// Zero, and less when no more is wanted: all that is met is as near.
    most: f32,
}

impl<S: Meets> Nearing for Meeting<'_, '_, S> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn most(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn near<I: Isa>(&self, isa: I, bounds: Bounds<'_>) -> (I::F32, I::Mask) {
        (isa.splat(0.0), self.shape.reaches(isa, &bounds.columns(isa)))
    }

    #[inline(always)]
    fn see<I: Isa>(&mut self, isa: I, boxes: Bounds<'_>, filters: &[u32]) -> u64 {
        let meets = self.shape.meets(isa, &boxes.columns(isa));
        let (met, count) = self.allowed.rows_of(isa, meets, boxes, filters);
        if count == 0 || self.most < 0.0 {
            return 0;
        }
        match (self.see)(&met[..count]) {
            ControlFlow::Continue(()) => count as u64,
            ControlFlow::Break(seen) => {
                self.most = -1.0;
                seen
            }
        }
    }
}

impl<S: Meets> Asked for Meeting<'_, '_, S> {
    fn look_at_grown(&mut self, grown: bool) {
        self.allowed.grown = grown;
    }
}
