//! Which of many placed geometries is nearest to another one, at rest, by the distance of the geometries and not of their boxes.
//!
//! The boxes are those of a [`Bvh`](crate::Bvh), of [`FixedBoxes`](crate::FixedBoxes) or of the proxies of a
//! [`Broadphase`](crate::Broadphase), as in casts against geometries (`queries.rs`).
//!
//! ```text
//! traverse the boxes in range of the box around the geometry, the nearest first     (broadphase/query/nearest.rs)
//!     for each box that is not farther than the nearest geometry so far:
//!         compute the distance of the geometry        (distance.rs)
//! ```
//!
//! The distance of two boxes is never greater than that of what they contain. Geometries are ordered by their distance, or that of their box
//! if rounding makes it greater: so a box that is skipped has no geometry that would be chosen, and the answer is that of a loop over all of
//! them, bit by bit. For the same reason each distance is computed up to the limit of the caller, and not up to the best so far: how exact it
//! is could depend on the limit, and so on the order of the visits.

use super::geometry::Geometry;
use super::overlap_queries::RestingGeometry;
use super::queries::GeometryHit;
use super::result::PartDistance;
use crate::broadphase::proxies::id::ProxyId;
use crate::broadphase::proxies::queries::{ProxyQueries, ProxyQuery};
use crate::broadphase::query::{Accept, Proximity, Queries, Query};
use crate::geom::{Invalid, Pose};
use crate::kernels::Hit;
use crate::kernels::proximity::check_max;
use crate::par;
use alloc::vec::Vec;

/// What a [`Query`] or a [`ProxyQuery`] computes the distances of geometries from: a geometry at rest, and the greatest distance.
#[derive(Clone, Copy, Debug)]
pub struct GeometryProximity<'g> {
    of: RestingGeometry<'g>,
    max_distance: f32,
}

/// A geometry in range, with the distance by which it is ordered.
type Ranked = (f32, GeometryHit<PartDistance>);

impl<'a> Queries<'a> {
    /// Finds the geometries that are at most `max_distance` from another one, all at rest, by their distances and not by those of their
    /// boxes: [`Geometry::distance`] is called for each whose box is not farther than what is searched for. The limit may be infinite. The methods of
    /// the result take a function that returns the geometry of a row, and its pose. The box of a row must contain its geometry.
    ///
    /// Geometries that overlap the other one have the distance 0 in the order of results; [`Distance::distance`](crate::convex::gjk::Distance::distance)
    /// of them is minus a depth, as [`Geometry::distance`] states. Rounding may order two distances either way that differ by a few units in the last place of
    /// the distance of their boxes.
    ///
    /// ```
    /// use swath::mesh::Geometry;
    /// use swath::{Aabb, Bvh, Motion, Pose, Shape};
    ///
    /// // A long rod that lies across, and a ball. The box of the rod contains the point, but the ball is nearer.
    /// let half = (std::f32::consts::FRAC_PI_8).sin_cos();
    /// let bodies: [(Geometry, Pose); 2] = [
    ///     (Shape::capsule(5.0, 0.1)?.into(), Pose::new([0.0; 3], [0.0, 0.0, half.0, half.1])?),
    ///     (Shape::sphere(0.5)?.into(), Pose::at([3.0, 5.0, 0.0])?),
    /// ];
    /// let mut boxes = Vec::new();
    /// for (geometry, pose) in &bodies {
    ///     boxes.push(geometry.bounds_over(&Motion::from(*pose), 0.0)?.aabb);
    /// }
    /// let mut tree = Bvh::new();
    /// tree.build(&boxes)?;
    ///
    /// let (point, at) = (Shape::point().into(), Pose::at([3.0, 3.0, 0.0])?);
    /// let query = || tree.queries().proximity_geometries(&point, &at, 10.0);
    /// let near = query()?.nearest_geometry(|row| bodies[row as usize]).expect("two are in range");
    /// assert!(near.row == 1 && (near.found.distance.distance - 1.5).abs() < 1e-6);
    /// let mut hits = Vec::new();
    /// query()?.all_geometries(|row| bodies[row as usize], &mut hits);
    /// assert_eq!(hits.iter().map(|hit| hit.row).collect::<Vec<_>>(), [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the pose or the box around the geometry is invalid, or `max_distance` is negative or NaN.
    pub fn proximity_geometries<'g>(
        &self,
        geometry: &Geometry<'g>,
        pose: &Pose,
        max_distance: f32,
    ) -> Result<Query<'a, GeometryProximity<'g>>, Invalid> {
        let of = RestingGeometry::new(geometry, pose)?;
        check_max(max_distance)?;
        Ok(Query::new(*self, GeometryProximity { of, max_distance }))
    }
}

impl<'a> ProxyQueries<'a> {
    /// Finds the geometries of the proxies that are at most `max_distance` from another one, all at rest, like [`Queries::proximity_geometries`]. The function of
    /// the caller returns the poses at the start of the tick, which the boxes of the proxies contain; displacements are not used.
    ///
    /// ```
    /// use swath::mesh::{Geometry, Mesh};
    /// use swath::{Broadphase, Pose, Proxy, Shape};
    ///
    /// let wall = Mesh::new(vec![[4.0, -9.0, -9.0], [4.0, 9.0, -9.0], [4.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let mut world = Broadphase::new();
    /// let id = world.insert(wall.bounds().expect("it has a triangle"), Proxy::fixed())?;
    ///
    /// let walker = Shape::capsule(0.5, 0.5)?.into();
    /// let near = world.queries().proximity_geometries(&walker, &Pose::IDENTITY, 5.0)?;
    /// let near = near.nearest_geometry(|_| ((&wall).into(), Pose::IDENTITY)).expect("it is 3.5 away");
    /// assert!(near.row == id && (near.found.distance.distance - 3.5).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Queries::proximity_geometries`].
    pub fn proximity_geometries<'g>(
        &self,
        geometry: &Geometry<'g>,
        pose: &Pose,
        max_distance: f32,
    ) -> Result<ProxyQuery<'a, Query<'a, GeometryProximity<'g>>>, Invalid> {
        Ok(self.with_ids(self.rows().proximity_geometries(geometry, pose, max_distance)?))
    }
}

impl GeometryProximity<'_> {
    /// Returns the distance of a geometry in the box at distance `value`, and its rank, if it is in range.
    fn rank(
        &self,
        Hit { row, value }: Hit,
        (geometry, pose): (Geometry<'_>, Pose),
    ) -> Option<Ranked> {
        let RestingGeometry { geometry: own, pose: own_pose, .. } = &self.of;
        // A geometry whose pose is invalid is nowhere.
        let found = own.distance(own_pose, &geometry, &pose, self.max_distance).ok()??;
        let distance = found.distance.distance;
        Some((if distance > value { distance } else { value }, GeometryHit { row, found }))
    }
}

impl<A: Accept> Query<'_, GeometryProximity<'_>, A> {
    /// Does what [`Query::nearest_geometry`] does. It is compiled once for all functions `place`.
    fn nearest<'p>(
        self,
        place: &mut dyn FnMut(u32) -> (Geometry<'p>, Pose),
    ) -> Option<GeometryHit<PartDistance>> {
        let (of, query) = self.split(|of| Proximity::new(of.of.around, of.max_distance));
        let mut best: Option<Ranked> = None;
        query.visit_near(|hit| {
            let reach = best.map_or(f32::INFINITY, |(at, _)| at);
            // What it contains is not nearer than the box.
            if best.is_some_and(|(at, best)| (at, best.row) < (hit.value, hit.row)) {
                return reach;
            }
            let Some((at, found)) = of.rank(hit, place(hit.row)) else { return reach };
            if best.is_some_and(|(than, best)| (than, best.row) < (at, found.row)) {
                return reach;
            }
            best = Some((at, found));
            at
        });
        best.map(|(_, hit)| hit)
    }

    /// Returns the nearest geometry, among equal distances that in the lowest row. All that overlap are equally near. `place` returns the geometry of a
    /// row and its pose; a geometry whose pose is invalid is not found.
    #[must_use]
    pub fn nearest_geometry<'p>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'p>, Pose),
    ) -> Option<GeometryHit<PartDistance>> {
        self.nearest(&mut place)
    }

    /// Replaces the contents of `hits` by all geometries in range, ordered by distance, then by row. `place` returns the geometry of a row and its pose.
    pub fn all_geometries<'p>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'p>, Pose),
        hits: &mut Vec<GeometryHit<PartDistance>>,
    ) {
        let (of, query) = self.split(|of| Proximity::new(of.of.around, of.max_distance));
        let mut found = Vec::new();
        query.visit_near(|hit| {
            found.extend(of.rank(hit, place(hit.row)));
            f32::INFINITY
        });
        // Distances are not negative, so that their bits have the same order.
        par::sort_rare(&mut found, |(at, hit)| (at.to_bits(), hit.row));
        hits.clear();
        hits.extend(found.into_iter().map(|(_, hit)| hit));
    }
}

impl<'a, A: Accept> ProxyQuery<'a, Query<'a, GeometryProximity<'_>, A>> {
    /// Returns the nearest geometry, among equal distances that with the lowest id. All that overlap are equally near. `place` returns the geometry of a
    /// proxy and its pose; a geometry whose pose is invalid is not found.
    #[must_use]
    pub fn nearest_geometry<'p>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'p>, Pose),
    ) -> Option<GeometryHit<PartDistance, ProxyId>> {
        let (of, id_of) = self.by_row();
        of.nearest(&mut |row| place(id_of(row))).map(|hit| hit.with_row(id_of(hit.row)))
    }

    /// Replaces the contents of `hits` by all geometries in range, ordered by distance, then by id. `place` returns the geometry of a proxy and its pose.
    pub fn all_geometries<'p>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'p>, Pose),
        hits: &mut Vec<GeometryHit<PartDistance, ProxyId>>,
    ) {
        let (of, id_of) = self.by_row();
        let mut rows = Vec::new();
        of.all_geometries(|row| place(id_of(row)), &mut rows);
        hits.clear();
        hits.extend(rows.iter().map(|hit| hit.with_row(id_of(hit.row))));
    }
}
