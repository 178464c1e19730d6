//! Which of many placed geometries overlap another one, at rest.
//!
//! The boxes are those of a [`Bvh`](crate::Bvh), of [`FixedBoxes`](crate::FixedBoxes) or of the proxies of a
//! [`Broadphase`](crate::Broadphase), as in casts against geometries (`queries.rs`). Those whose boxes overlap that of the other
//! geometry are tested by [`Geometry::overlaps`].

use super::batches::{GeometryQueries, answer, answer_all};
use super::geometry::Geometry;
use crate::broadphase::proxies::id::ProxyId;
use crate::broadphase::proxies::queries::{ProxyQueries, ProxyQuery, sort_ids};
use crate::broadphase::query::{Accept, Overlap, Queries, Query};
use crate::columns::LengthMismatch;
use crate::geom::{Aabb, Invalid, Motion, Pose};
use crate::par;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// What a [`Query`] or a [`ProxyQuery`] tests for overlaps with geometries: a geometry at rest.
#[derive(Clone, Copy, Debug)]
pub struct RestingGeometry<'g> {
    pub(super) geometry: Geometry<'g>,
    pub(super) pose: Pose,
    pub(super) around: Aabb,
}

impl<'g> RestingGeometry<'g> {
    pub(super) fn new(geometry: &Geometry<'g>, pose: &Pose) -> Result<Self, Invalid> {
        let around = geometry.bounds_over(&Motion::from(*pose), 0.0)?.aabb;
        Ok(Self { geometry: *geometry, pose: *pose, around })
    }

    /// Returns whether another geometry overlaps this one. If its pose is invalid, it is nowhere.
    fn overlaps(&self, (other, pose): (Geometry<'_>, Pose)) -> bool {
        self.geometry.overlaps(&self.pose, &other, &pose).unwrap_or(false)
    }
}

impl<'a> Queries<'a> {
    /// Finds the geometries that overlap another one or touch it, all at rest: what a sensor contains, or whether a place is free.
    /// [`Geometry::overlaps`] is called for each whose box overlaps that of the other one. The methods of the result take a function that returns the geometry of
    /// a row, and its pose. The box of a row must contain its geometry; what is outside of it is not found.
    ///
    /// Meshes and height fields are surfaces: a place inside of a closed mesh or below a terrain is free if it touches no triangle. Triangles of one-sided
    /// meshes count as in [`Geometry::overlaps`].
    ///
    /// ```
    /// use swath::mesh::Geometry;
    /// use swath::{AabbColumns, Bvh, Pose, Shape};
    ///
    /// // Three balls; the sensor is a cone that opens downwards.
    /// let ball = Geometry::from(Shape::sphere(1.0)?);
    /// let poses = [Pose::at([0.0, -2.0, 0.0])?, Pose::at([3.0, 1.0, 0.0])?, Pose::at([1.0, -3.0, 0.0])?];
    /// let mut tree = Bvh::new();
    /// let (min, max) = ([[-1.0, 2.0, 0.0], [-3.0, 0.0, -4.0], [-1.0; 3]], [[1.0, 4.0, 2.0], [-1.0, 2.0, -2.0], [1.0; 3]]);
    /// tree.build(AabbColumns::new([&min[0], &min[1], &min[2]], [&max[0], &max[1], &max[2]])?)?;
    ///
    /// let sensor = Geometry::from(Shape::cone(4.0, 3.0)?);
    /// let mut rows = Vec::new();
    /// let query = tree.queries().overlap_geometries(&sensor, &Pose::IDENTITY)?;
    /// query.all_geometries(|row| (ball, poses[row as usize]), &mut rows);
    /// assert_eq!(rows, [0, 2]); // the box of ball 1 overlaps that of the cone, but the ball does not
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the pose or the box around the geometry is invalid.
    pub fn overlap_geometries<'g>(
        &self,
        geometry: &Geometry<'g>,
        pose: &Pose,
    ) -> Result<Query<'a, RestingGeometry<'g>>, Invalid> {
        Ok(Query::new(*self, RestingGeometry::new(geometry, pose)?))
    }

    /// Finds what overlaps each of many geometries at rest: the answers are those of [`Queries::overlap_geometries`], found on the
    /// threads of the object that is searched.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if there is not one pose for each geometry.
    pub fn overlaps_of_geometries<'s, 'g>(
        &self,
        geometries: &'s [Geometry<'g>],
        poses: &'s [Pose],
    ) -> Result<GeometryOverlaps<'s, 'g, Self>, LengthMismatch> {
        GeometryOverlaps::new(*self, geometries, poses)
    }
}

impl<'a> ProxyQueries<'a> {
    /// Finds the geometries of the proxies that overlap another one or touch it, all at rest, like [`Queries::overlap_geometries`]. The function of the
    /// caller returns the poses at the start of the tick, which the boxes of the proxies contain; displacements are not used.
    ///
    /// ```
    /// use swath::mesh::{Geometry, Mesh};
    /// use swath::{Broadphase, Pose, Proxy, Shape};
    ///
    /// let wall = Mesh::new(vec![[4.0, -9.0, -9.0], [4.0, 9.0, -9.0], [4.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let mut world = Broadphase::new();
    /// let id = world.insert(wall.bounds().expect("it has a triangle"), Proxy::fixed())?;
    ///
    /// let crate_ = Geometry::from(Shape::cuboid([1.0; 3])?);
    /// let mut met = |x| Ok::<_, swath::Invalid>(
    ///     world.queries().overlap_geometries(&crate_, &Pose::at([x, 0.0, 0.0])?)?.any_geometry(|_| ((&wall).into(), Pose::IDENTITY)),
    /// );
    /// assert_eq!((met(2.5)?, met(3.5)?), (None, Some(id)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the pose or the box around the geometry is invalid.
    pub fn overlap_geometries<'g>(
        &self,
        geometry: &Geometry<'g>,
        pose: &Pose,
    ) -> Result<ProxyQuery<'a, Query<'a, RestingGeometry<'g>>>, Invalid> {
        Ok(self.with_ids(self.rows().overlap_geometries(geometry, pose)?))
    }

    /// Finds what overlaps each of many geometries at rest: the answers are those of [`ProxyQueries::overlap_geometries`], found on the
    /// threads of the object that is searched.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if there is not one pose for each geometry.
    pub fn overlaps_of_geometries<'s, 'g>(
        &self,
        geometries: &'s [Geometry<'g>],
        poses: &'s [Pose],
    ) -> Result<GeometryOverlaps<'s, 'g, Self>, LengthMismatch> {
        GeometryOverlaps::new(*self, geometries, poses)
    }
}

impl<A: Accept> Query<'_, RestingGeometry<'_>, A> {
    /// Calls `place` with the rows whose boxes overlap, and `visitor` with those whose geometries do.
    fn visit<'p>(
        self,
        place: &mut dyn FnMut(u32) -> (Geometry<'p>, Pose),
        visitor: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let (of, query) = self.split(|of| Overlap(of.around));
        query.visit(
            |row| {
                if of.overlaps(place(row)) { visitor(row) } else { ControlFlow::Continue(()) }
            },
        );
    }

    /// Calls `visitor` with the row of each geometry that overlaps, until it returns [`ControlFlow::Break`]. `place` returns the
    /// geometry of a row and its pose; a geometry whose pose is invalid overlaps nothing. The order depends on the shape of the tree.
    pub fn visit_geometries<'p>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'p>, Pose),
        mut visitor: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        self.visit(&mut place, &mut visitor);
    }

    /// Returns the row of any geometry that overlaps, or `None`. Which one depends on the shape of the tree, not on levels or threads.
    #[must_use]
    pub fn any_geometry<'p>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'p>, Pose),
    ) -> Option<u32> {
        let mut any = None;
        self.visit(&mut place, &mut |row| {
            any = Some(row);
            ControlFlow::Break(())
        });
        any
    }

    /// Replaces the contents of `rows` by the rows of all geometries that overlap, ordered by row.
    pub fn all_geometries<'p>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'p>, Pose),
        rows: &mut Vec<u32>,
    ) {
        rows.clear();
        self.visit(&mut place, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        });
        par::sort_rows(rows);
    }
}

impl<'a, A: Accept> ProxyQuery<'a, Query<'a, RestingGeometry<'_>, A>> {
    /// Calls `visitor` with each proxy whose geometry overlaps, until it returns [`ControlFlow::Break`]. `place` returns the
    /// geometry of a proxy and its pose; a geometry whose pose is invalid overlaps nothing. The order depends on the history of the broadphase.
    pub fn visit_geometries<'p>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'p>, Pose),
        mut visitor: impl FnMut(ProxyId) -> ControlFlow<()>,
    ) {
        let (of, id_of) = self.by_row();
        of.visit(&mut |row| place(id_of(row)), &mut |row| visitor(id_of(row)));
    }

    /// Returns any proxy whose geometry overlaps, or `None`. Which one depends on the history of the broadphase.
    #[must_use]
    pub fn any_geometry<'p>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'p>, Pose),
    ) -> Option<ProxyId> {
        let (of, id_of) = self.by_row();
        of.any_geometry(|row| place(id_of(row))).map(id_of)
    }

    /// Replaces the contents of `ids` by all proxies whose geometries overlap, ordered by id.
    pub fn all_geometries<'p>(
        self,
        place: impl FnMut(ProxyId) -> (Geometry<'p>, Pose),
        ids: &mut Vec<ProxyId>,
    ) {
        ids.clear();
        self.visit_geometries(place, |id| {
            ids.push(id);
            ControlFlow::Continue(())
        });
        sort_ids(ids);
    }
}

/// Many geometries at rest that are tested for overlaps with others: `Q` is [`Queries`] or [`ProxyQueries`]. Those with an invalid
/// pose, or that are too far away for a box, overlap nothing. They are not listed: check the poses where an empty result means that a place is free.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct GeometryOverlaps<'s, 'g, Q> {
    queries: Q,
    geometries: &'s [Geometry<'g>],
    poses: &'s [Pose],
}

impl<'s, 'g, Q> GeometryOverlaps<'s, 'g, Q> {
    fn new(
        queries: Q,
        geometries: &'s [Geometry<'g>],
        poses: &'s [Pose],
    ) -> Result<Self, LengthMismatch> {
        LengthMismatch::check("the column `poses`", geometries.len(), poses.len())?;
        Ok(Self { queries, geometries, poses })
    }
}

impl<'g, Q: GeometryQueries> GeometryOverlaps<'_, 'g, Q> {
    /// Returns the query for a geometry, if its pose and its box are valid.
    fn query(&self, row: usize) -> Option<Query<'_, RestingGeometry<'g>>> {
        self.queries.of_rows().overlap_geometries(&self.geometries[row], &self.poses[row]).ok()
    }

    /// Writes to `out[i]` the row or id of any geometry that overlaps geometry `i`. Which one depends on the shape of the tree, or the history of
    /// the broadphase, not on levels or threads. `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if `out` does not have the same number of rows; then nothing is written.
    pub fn any<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        out: &mut [Option<Q::Id>],
    ) -> Result<(), LengthMismatch> {
        let Self { queries, geometries, .. } = self;
        let place = |row| place(queries.id(row));
        let one = |row| self.query(row)?.any_geometry(place).map(|row| queries.id(row));
        answer(queries.of_rows().threads(), geometries.len(), &one, out)
    }

    /// Replaces the contents of `found` by the rows or ids of all geometries that overlap: those of geometry `i` are
    /// `found[starts[i]..starts[i + 1]]`, in order. `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if the length of `starts` is not the number of geometries plus one; then nothing is written.
    pub fn all<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        starts: &mut [usize],
        found: &mut Vec<Q::Id>,
    ) -> Result<(), LengthMismatch> {
        let Self { queries, geometries, .. } = self;
        let place = |row| place(queries.id(row));
        let one = |row, rows: &mut Vec<u32>| {
            if let Some(query) = self.query(row) {
                query.all_geometries(place, rows);
            }
        };
        let id = |&row: &u32| queries.id(row);
        answer_all(queries.of_rows().threads(), geometries.len(), &one, &id, starts, found)
    }
}
