//! Overlaps: which boxes share a point with a box, a point, a sphere or a region bounded by planes.
//!
//! The arithmetic is that of [`overlap`](crate::batch::overlap). For boxes and spheres it is monotonic,
//! rounding included, so bounds that contain an overlapping box overlap too. For planes it is not;
//! there the bounds of nodes, and boxes that are larger than the true ones, are tested with `near_planes`, which is
//! monotonic and lets a few more bounds through.

use super::{Accept, Allowed, Queries, Query, TreeQuery, run_query};
use crate::broadphase::bvh::{BoundsOf, NodeBounds, PrunedQuery, Visits};
use crate::columns::Row;
use crate::geom::{Aabb, Invalid, MovingBox, Plane, Sphere};
use crate::kernels::overlap::simd;
use crate::lanes::vectors::splat_each;
use crate::lanes::{F32Lanes, Isa};
use crate::par::sort_rows;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A shape for overlap queries: [`Aabb`], [`Sphere`] or [`Planes`].
pub trait QueryShape: Copy + Region {}

/// Takes rows that overlap. To stop, it returns how many of them it has used.
type Visitor<'a> = dyn FnMut(&[u32]) -> ControlFlow<u64> + 'a;

/// The arithmetic of a shape. It is a value and not a type, so that queries are compiled once for all shapes.
pub trait Region {
    /// The test of the shape against boxes.
    fn test(&self) -> RegionTest<'_>;
}

impl QueryShape for Aabb {}
impl QueryShape for Sphere {}
impl QueryShape for Planes<'_> {}

impl Region for Aabb {
    fn test(&self) -> RegionTest<'_> {
        RegionTest(RegionKind::Aabb(self.to_row()))
    }
}

impl Region for Sphere {
    fn test(&self) -> RegionTest<'_> {
        let [x, y, z] = self.center;
        RegionTest(RegionKind::Sphere([x, y, z, self.radius]))
    }
}

impl Region for Planes<'_> {
    fn test(&self) -> RegionTest<'_> {
        RegionTest(RegionKind::Planes(self.0))
    }
}

/// Passes the rows of overlapping boxes to `visitor`, several at a time, until it stops. Returns what was visited.
fn each(queries: &Queries<'_>, shape: RegionTest<'_>, visitor: &mut Visitor<'_>) -> Visits {
    let allowed = queries.allowed();
    run_query(queries, ShapeTraversal { shape, allowed, visitor, most: 0.0 }).1
}

/// A query for the boxes that overlap a shape.
#[derive(Clone, Copy, Debug)]
pub struct Overlap<S>(pub(crate) S);

/// The intersection of the half-spaces of several planes.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'p>(&'p [Plane]);

/// Tests a shape against the boxes or bounds in the lanes of a node.
#[derive(Clone, Copy, Debug)]
pub struct RegionTest<'p>(RegionKind<'p>);

#[derive(Clone, Copy, Debug)]
enum RegionKind<'p> {
    Aabb([f32; 6]),
    Sphere([f32; 4]),
    Planes(&'p [Plane]),
}

impl RegionTest<'_> {
    /// Which of these boxes overlap the shape. If `are_bounds`, which of these bounds may contain such a box: never
    /// false if they do.
    #[inline(always)]
    fn test<I: Isa>(
        &self,
        isa: I,
        boxes: &[I::F32; 6],
        are_bounds: impl FnOnce() -> bool,
    ) -> I::Mask {
        match &self.0 {
            RegionKind::Aabb(row) => simd::boxes(isa, &splat_each(isa, row), boxes).hit,
            RegionKind::Sphere(row) => simd::sphere(isa, &splat_each(isa, row), boxes).hit,
            RegionKind::Planes(planes) if are_bounds() => {
                filled::<I>(boxes) & simd::near_planes(isa, planes, boxes)
            }
            RegionKind::Planes(planes) => filled::<I>(boxes) & simd::planes(isa, planes, boxes).hit,
        }
    }
}

/// Which lanes are not empty. Without this test, an empty list of planes would accept empty lanes.
#[inline(always)]
fn filled<I: Isa>(boxes: &[I::F32; 6]) -> I::Mask {
    boxes[0].le(boxes[3])
}

impl<'a> Queries<'a> {
    /// Finds the boxes that share a point with `aabb`, as [`overlap::one_to_one`] defines it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the box is invalid.
    ///
    /// ```
    /// use swath::{Aabb, AabbColumns, Bvh};
    ///
    /// let (low, high) = ([0.0, 1.0, 2.0, 3.0], [0.5, 1.5, 2.5, 3.5]);
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&low; 3], [&high; 3])?)?;
    /// let queries = tree.queries();
    ///
    /// let mut rows = Vec::new();
    /// queries.overlap(&Aabb::new([1.5; 3], [3.0; 3])?)?.all(&mut rows);
    /// assert_eq!(rows, [1, 2, 3]);
    /// assert_eq!(queries.overlap(&Aabb::point([0.75; 3])?)?.any(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`overlap::one_to_one`]: crate::batch::overlap::one_to_one
    pub fn overlap(&self, aabb: &Aabb) -> Result<Query<'a, Overlap<Aabb>>, Invalid> {
        aabb.validate()?;
        Ok(Query::new(*self, Overlap(*aabb)))
    }

    /// Finds the boxes that contain `point`; surfaces count.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the point is invalid.
    pub fn overlap_point(
        &self,
        point: impl Into<[f32; 3]>,
    ) -> Result<Query<'a, Overlap<Aabb>>, Invalid> {
        Ok(Query::new(*self, Overlap(Aabb::point(point)?)))
    }

    /// Finds the boxes that share a point with `sphere`, as [`overlap::sphere::one_to_one`] defines
    /// it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the sphere is invalid.
    ///
    /// [`overlap::sphere::one_to_one`]: crate::batch::overlap::sphere::one_to_one
    pub fn overlap_sphere(&self, sphere: &Sphere) -> Result<Query<'a, Overlap<Sphere>>, Invalid> {
        sphere.validate()?;
        Ok(Query::new(*self, Overlap(*sphere)))
    }

    /// Finds the boxes that are not entirely outside of one of the half-spaces `planes`, for
    /// example those in a camera frustum, as [`overlap::planes::one_to_one`] defines it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when one of the planes is invalid.
    ///
    /// ```
    /// use swath::{Aabb, Bvh, Plane};
    ///
    /// let mut tree = Bvh::new();
    /// tree.build(&[Aabb::cube([0.0, 0.0, -5.0], 0.5)?, Aabb::cube([9.0, 0.0, -5.0], 0.5)?])?;
    ///
    /// // A camera at the origin that looks along -z and sees 45° to each side, from 0.1 to 100. All normals point outwards.
    /// let frustum = [
    ///     Plane::new([1.0, 0.0, 1.0], 0.0)?, // right: x ≤ -z
    ///     Plane::new([-1.0, 0.0, 1.0], 0.0)?, // left
    ///     Plane::new([0.0, 1.0, 1.0], 0.0)?, // top
    ///     Plane::new([0.0, -1.0, 1.0], 0.0)?, // bottom
    ///     Plane::new([0.0, 0.0, 1.0], -0.1)?, // near: z ≤ -0.1
    ///     Plane::new([0.0, 0.0, -1.0], 100.0)?, // far
    /// ];
    /// let mut rows = Vec::new();
    /// tree.queries().overlap_planes(&frustum)?.all(&mut rows);
    /// assert_eq!(rows, [0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`overlap::planes::one_to_one`]: crate::batch::overlap::planes::one_to_one
    pub fn overlap_planes<'p>(
        &self,
        planes: &'p [Plane],
    ) -> Result<Query<'a, Overlap<Planes<'p>>>, Invalid> {
        planes.iter().try_for_each(Plane::validate)?;
        Ok(Query::new(*self, Overlap(Planes(planes))))
    }
}

impl<S: QueryShape, A: Accept> Query<'_, Overlap<S>, A> {
    /// Calls `visitor` with the row of each overlapping box, until it returns [`ControlFlow::Break`].
    /// The order depends on the shape of the tree.
    pub fn visit(self, mut visitor: impl FnMut(u32) -> ControlFlow<()>) {
        let Self { queries, of: Overlap(shape), mut accept, visits } = self;
        let mut visitor = |rows: &[u32]| {
            for (seen, &row) in (1..).zip(rows) {
                if accept.accept(row) && visitor(row).is_break() {
                    return ControlFlow::Break(seen);
                }
            }
            ControlFlow::Continue(())
        };
        each(&queries, shape.test(), &mut visitor).add_to(visits);
    }

    /// Any overlapping box, or `None`. Which one depends on the shape of the tree.
    #[must_use]
    pub fn any(self) -> Option<u32> {
        let mut any = None;
        self.visit(|row| {
            any = Some(row);
            ControlFlow::Break(())
        });
        any
    }

    /// Replaces the contents of `rows` by the rows of all overlapping boxes, in order.
    pub fn all(self, rows: &mut Vec<u32>) {
        rows.clear();
        let Self { queries, of: Overlap(shape), mut accept, visits } = self;
        let every = accept.accept_fn().is_none();
        let mut visitor = |met: &[u32]| {
            if every {
                rows.extend_from_slice(met);
            } else {
                rows.extend(met.iter().copied().filter(|&row| accept.accept(row)));
            }
            ControlFlow::Continue(())
        };
        each(&queries, shape.test(), &mut visitor).add_to(visits);
        sort_rows(rows);
    }
}

/// A running query.
struct ShapeTraversal<'a, 's, 'p> {
    shape: RegionTest<'p>,
    allowed: Allowed<'a>,
    visitor: &'a mut Visitor<'s>,
    /// 0 while the query runs, negative after it was stopped. All overlapping boxes have distance
    /// 0.
    most: f32,
}

impl PrunedQuery for ShapeTraversal<'_, '_, '_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn distance_max(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn distances<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, of: BoundsOf) -> (I::F32, I::Mask) {
        // A stored box that may be larger than the true box is tested as bounds of the true box.
        let are_bounds = || match of {
            BoundsOf::Nodes => true,
            BoundsOf::Boxes => self.true_boxes().is_some(),
            BoundsOf::TrueBoxes => false,
        };
        (isa.splat(0.0), self.shape.test(isa, &bounds.columns(isa), are_bounds))
    }

    #[inline(always)]
    fn true_boxes(&self) -> Option<&[MovingBox]> {
        self.allowed.true_boxes()
    }

    #[inline(always)]
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        boxes: NodeBounds<'_>,
        (_, met): (I::F32, I::Mask),
        filters: &[u32],
    ) -> u64 {
        let (met, count) = self.allowed.rows_of(isa, met, boxes, filters);
        if count == 0 || self.most < 0.0 {
            return 0;
        }
        match (self.visitor)(&met[..count]) {
            ControlFlow::Continue(()) => count as u64,
            ControlFlow::Break(seen) => {
                self.most = -1.0;
                seen
            }
        }
    }
}

impl TreeQuery for ShapeTraversal<'_, '_, '_> {
    fn set_grown(&mut self, grown: bool) {
        self.allowed.grown = grown;
    }
}
