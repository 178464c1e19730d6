//! Casts against many placed geometries: which of them a segment or a moving geometry hits first, and where.
//!
//! The boxes are those of a [`Bvh`](crate::Bvh), of [`FixedBoxes`](crate::FixedBoxes) or of the proxies of a
//! [`Broadphase`](crate::Broadphase). A function of the caller returns the geometry of a box, and its pose.
//!
//! ```text
//! traverse the boxes with the segment, or with the box around the path, the nearest first (broadphase/query/path.rs)
//!     for each box that is hit not after the best hit so far:
//!         cast against the geometry        (cast.rs, search.rs)
//! ```
//!
//! A box is never hit later than the geometry inside it. Geometries are ordered by where they are hit, or where their
//! box is, whichever is later: so a box that is skipped has no geometry that would come before the best, and the
//! answer is that of a loop over all of them, bit by bit.

use super::cast::PartCast;
use super::geometry::Geometry;
use super::memory::SearchMemory;
use super::toi::{PartToi, of_valid};
use crate::broadphase::proxies::id::ProxyId;
use crate::broadphase::proxies::queries::{ProxyQueries, ProxyQuery};
use crate::broadphase::query::{Accept, Path, Queries, Query};
use crate::geom::{Invalid, Motion, MovingBox, Pose, Segment};
use crate::kernels::Hit;
use crate::narrowphase::ConvexCast;
use crate::narrowphase::toi::{Settings, ToiError, ToiResult};
use crate::par;
use alloc::vec::Vec;

/// A geometry that a query found: `F` is where or when it is hit, and `R` its row or its id.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeometryHit<F = PartCast, R = u32> {
    /// The row of the geometry, or the id of the proxy.
    pub row: R,
    /// Where the segment enters it, or when the moving geometry touches it, and with which part.
    pub found: F,
}

/// What is cast: a [`Segment`] or a [`MovingGeometry`].
pub trait GeometryPath: Copy + Sync {
    /// What is found: a [`PartCast`] or a [`PartToi`].
    type Found: Copy + Send;

    /// The path that the boxes are tested with.
    #[doc(hidden)]
    type Around: Path;

    /// Returns the path that the boxes are tested with.
    #[doc(hidden)]
    fn around(&self) -> Self::Around;

    /// Returns the position on the path at which a geometry at a valid pose is hit, and what was found there; `None` if it is not hit.
    #[doc(hidden)]
    fn meet(&self, geometry: &Geometry<'_>, pose: &Pose) -> Option<(f32, Self::Found)>;
}

/// A geometry that moves, whose parts are cast.
#[derive(Clone, Copy, Debug)]
pub struct MovingGeometry<'g> {
    geometry: Geometry<'g>,
    motion: Motion,
    settings: Settings,
    around: MovingBox,
}

impl GeometryPath for Segment {
    type Found = PartCast;
    type Around = Self;

    fn around(&self) -> Self {
        *self
    }

    fn meet(&self, geometry: &Geometry<'_>, pose: &Pose) -> Option<(f32, PartCast)> {
        let found = geometry.cast_valid(pose, self);
        let at = match found.cast {
            ConvexCast::Hit { fraction, .. } | ConvexCast::Unresolved { fraction } => fraction,
            ConvexCast::Inside => 0.0,
            ConvexCast::Missed => return None,
        };
        Some((at, found))
    }
}

impl GeometryPath for MovingGeometry<'_> {
    type Found = PartToi;
    type Around = MovingBox;

    fn around(&self) -> MovingBox {
        self.around
    }

    fn meet(&self, geometry: &Geometry<'_>, pose: &Pose) -> Option<(f32, PartToi)> {
        let Self { geometry: mover, motion, settings, .. } = self;
        let memory = &mut SearchMemory::default();
        let found = of_valid((mover, motion), (geometry, &Motion::from(*pose)), settings, memory);
        let at = match found.toi.result {
            ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
            ToiResult::Overlapping { .. } => settings.window[0],
            ToiResult::Separated => return None,
        };
        Some((at, found))
    }
}

/// What a [`Query`] or a [`ProxyQuery`] over geometries tests them with.
#[derive(Clone, Copy, Debug)]
pub struct OfGeometries<P>(P);

impl<'a> Queries<'a> {
    /// Finds the geometries that `segment` enters, and where: [`Geometry::cast`] for each whose box it enters. Each is listed once, with its first entry. A convex
    /// shape in which the segment starts is hit at 0 ([`ConvexCast::Inside`]); a mesh is hit where the segment first meets a triangle that counts. A
    /// search that is not resolved ([`ConvexCast::Unresolved`]) is a hit at the fraction until which the segment is free, also for `closest_geometry` and
    /// `any_geometry`. The methods of the result take a function that returns the geometry of a row, and its pose.
    ///
    /// ```
    /// use swath::mesh::{Geometry, Mesh};
    /// use swath::{AabbColumns, Bvh, Pose, Segment, Shape};
    ///
    /// // A wall of one triangle, and a ball in front of it.
    /// let wall = Mesh::new(vec![[4.0, -9.0, -9.0], [4.0, 9.0, -9.0], [4.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let ball = Shape::sphere(1.0)?;
    /// let bodies: [(Geometry, Pose); 2] = [((&wall).into(), Pose::IDENTITY), (ball.into(), Pose::at([2.0, 1.5, 0.0])?)];
    /// let mut tree = Bvh::new();
    /// let (min, max) = ([[4.0, 1.0], [-9.0, 0.5], [-9.0, -1.0]], [[4.0, 3.0], [9.0, 2.5], [9.0, 1.0]]);
    /// tree.build(AabbColumns::new([&min[0], &min[1], &min[2]], [&max[0], &max[1], &max[2]])?)?;
    ///
    /// // It enters the box of the ball and passes the ball itself.
    /// let sight = Segment::ray([0.0, 0.6, 0.0], [1.0, 0.0, 0.9])?;
    /// let hit = tree.queries().cast_geometries(&sight)?.closest_geometry(|row| bodies[row as usize]).expect("the wall");
    /// assert!(hit.row == 0 && hit.found.cast.fraction().is_some_and(|f| f <= 4.0 && f > 3.99999));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the segment is invalid.
    pub fn cast_geometries(
        &self,
        segment: &Segment,
    ) -> Result<Query<'a, OfGeometries<Segment>>, Invalid> {
        segment.validate()?;
        Ok(Query::new(*self, OfGeometries(*segment)))
    }

    /// Finds the geometries that another one touches on its path, and when: [`toi::one_to_one`](super::toi::one_to_one)
    /// for each whose box it meets, with that one at rest. It may accelerate and rotate. The box of a row must contain its geometry; what is outside of it
    /// is not found. By the default settings a touch at the start is a hit only if the two close ([`Touch::IfClosing`](crate::convex::toi::Touch::IfClosing)).
    /// A geometry that overlaps the other one at the start is a hit that is [`Overlapping`](crate::convex::toi::ToiResult::Overlapping), without a time.
    /// A search that is not resolved is a hit at its safe time ([`Unresolved`](crate::convex::toi::ToiResult::Unresolved)), also for `closest_geometry`
    /// and `any_geometry`.
    ///
    /// ```
    /// use swath::convex::toi::Settings;
    /// use swath::mesh::{Geometry, Mesh};
    /// use swath::{Aabb, AabbColumns, Bvh, Motion, Pose, Shape};
    ///
    /// let wall = Mesh::new(vec![[4.0, -9.0, -9.0], [4.0, 9.0, -9.0], [4.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&[4.0], &[-9.0], &[-9.0]], [&[4.0], &[9.0], &[9.0]])?)?;
    ///
    /// let ball = Shape::sphere(1.0)?.into();
    /// let thrown = Motion::new(Pose::IDENTITY, [10.0, 0.0, 0.0])?;
    /// let query = tree.queries().sweep_geometries(&ball, &thrown, &Settings::default())?;
    /// let hit = query.closest_geometry(|_| ((&wall).into(), Pose::IDENTITY)).expect("it flies towards the wall");
    /// assert!(hit.found.toi.impact().is_some_and(|t| t <= 0.3 && t > 0.2999));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ToiError`] if the motion, the settings or the box around the path are invalid.
    pub fn sweep_geometries<'g>(
        &self,
        geometry: &Geometry<'g>,
        motion: &Motion,
        settings: &Settings,
    ) -> Result<Query<'a, OfGeometries<MovingGeometry<'g>>>, ToiError> {
        let moving = MovingGeometry::new(geometry, motion, settings)?;
        Ok(Query::new(*self, OfGeometries(moving)))
    }
}

impl<'a> ProxyQueries<'a> {
    /// Finds the geometries of the proxies whose boxes `segment` enters, like [`Queries::cast_geometries`].
    ///
    /// ```
    /// use swath::mesh::{Geometry, Mesh};
    /// use swath::{Aabb, Broadphase, Pose, Proxy, Segment, Shape};
    ///
    /// let wall = Mesh::new(vec![[4.0, -9.0, -9.0], [4.0, 9.0, -9.0], [4.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let mut world = Broadphase::new();
    /// let id = world.insert(wall.bounds().expect("it has a triangle"), Proxy::fixed())?;
    /// let sight = Segment::ray([0.0; 3], [1.0, 0.0, 0.0])?;
    /// let hit = world.queries().cast_geometries(&sight)?.closest_geometry(|_| ((&wall).into(), Pose::IDENTITY));
    /// assert_eq!(hit.map(|hit| (hit.row, hit.found.part)), Some((id, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the segment is invalid.
    pub fn cast_geometries(
        &self,
        segment: &Segment,
    ) -> Result<ProxyQuery<'a, Query<'a, OfGeometries<Segment>>>, Invalid> {
        Ok(self.with_ids(self.rows().cast_geometries(segment)?))
    }

    /// Finds the geometries of the proxies whose boxes another geometry meets on its path, like
    /// [`Queries::sweep_geometries`]. All proxies stay where they are at the start of the tick.
    ///
    /// # Errors
    ///
    /// As for [`Queries::sweep_geometries`].
    pub fn sweep_geometries<'g>(
        &self,
        geometry: &Geometry<'g>,
        motion: &Motion,
        settings: &Settings,
    ) -> Result<ProxyQuery<'a, Query<'a, OfGeometries<MovingGeometry<'g>>>>, ToiError> {
        Ok(self.with_ids(self.rows().sweep_geometries(geometry, motion, settings)?))
    }
}

impl<'g> MovingGeometry<'g> {
    fn new(
        geometry: &Geometry<'g>,
        motion: &Motion,
        settings: &Settings,
    ) -> Result<Self, ToiError> {
        settings.validate()?;
        let around = geometry.bounds_over(motion, settings.target_distance)?;
        Ok(Self { geometry: *geometry, motion: *motion, settings: *settings, around })
    }
}

/// Which hits are returned.
enum Selected<'o, F> {
    Closest,
    Any,
    All(&'o mut Vec<(f32, GeometryHit<F>)>),
}

impl<P: GeometryPath, A: Accept> Query<'_, OfGeometries<P>, A> {
    /// Calls `place` with the rows whose boxes are hit, and tests the geometries that it returns, at their poses.
    fn meet<'g>(
        self,
        place: &mut dyn FnMut(u32) -> (Geometry<'g>, Pose),
        mut selected: Selected<'_, P::Found>,
    ) -> Option<GeometryHit<P::Found>> {
        let (OfGeometries(path), query) = self.split(|OfGeometries(path)| path.around());
        let mut best: Option<(f32, GeometryHit<P::Found>)> = None;
        query.visit(|Hit { row, value }| {
            let (geometry, pose) = place(row);
            // A geometry whose pose is invalid is nowhere.
            let met = pose.validate().ok().and_then(|()| path.meet(&geometry, &pose));
            let Some((at, found)) = met else { return f32::INFINITY };
            let (at, hit) = (if at > value { at } else { value }, GeometryHit { row, found });
            match &mut selected {
                Selected::All(hits) => {
                    hits.push((at, hit));
                    return f32::INFINITY;
                }
                Selected::Any => {
                    best = Some((at, hit));
                    return -1.0;
                }
                Selected::Closest => {}
            }
            if best.is_none_or(|(than, other)| (at, row) < (than, other.row)) {
                best = Some((at, hit));
            }
            at
        });
        best.map(|(_, hit)| hit)
    }

    /// Returns the geometry that is hit first, among equal positions that in the lowest row. `place` returns the
    /// geometry of a row and its pose; a geometry whose pose is invalid is not hit.
    #[must_use]
    pub fn closest_geometry<'g>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'g>, Pose),
    ) -> Option<GeometryHit<P::Found>> {
        self.meet(&mut place, Selected::Closest)
    }

    /// Returns any geometry that is hit. Which one depends on the shape of the tree, not on levels or threads.
    #[must_use]
    pub fn any_geometry<'g>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'g>, Pose),
    ) -> Option<GeometryHit<P::Found>> {
        self.meet(&mut place, Selected::Any)
    }

    /// Replaces the contents of `hits` by all geometries that are hit, ordered by where they are hit, or where their box
    /// is if that is later, then by row.
    pub fn all_geometries<'g>(
        self,
        mut place: impl FnMut(u32) -> (Geometry<'g>, Pose),
        hits: &mut Vec<GeometryHit<P::Found>>,
    ) {
        let mut found = Vec::new();
        self.meet(&mut place, Selected::All(&mut found));
        // Positions are not negative, so that their bits have the same order.
        par::sort_rare(&mut found, |(at, hit)| (at.to_bits(), hit.row));
        hits.clear();
        hits.extend(found.into_iter().map(|(_, hit)| hit));
    }
}

impl<'a, P: GeometryPath, A: Accept> ProxyQuery<'a, Query<'a, OfGeometries<P>, A>> {
    /// Returns the geometry that is hit first, among equal positions that with the lowest id. `place` returns the
    /// geometry of a proxy and its pose; a geometry whose pose is invalid is not hit.
    #[must_use]
    pub fn closest_geometry<'g>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'g>, Pose),
    ) -> Option<GeometryHit<P::Found, ProxyId>> {
        let (of, id_of) = self.by_row();
        of.closest_geometry(|row| place(id_of(row))).map(|hit| hit.with_row(id_of(hit.row)))
    }

    /// Returns any geometry that is hit. Which one depends on the history of the broadphase.
    #[must_use]
    pub fn any_geometry<'g>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'g>, Pose),
    ) -> Option<GeometryHit<P::Found, ProxyId>> {
        let (of, id_of) = self.by_row();
        of.any_geometry(|row| place(id_of(row))).map(|hit| hit.with_row(id_of(hit.row)))
    }

    /// Replaces the contents of `hits` by all geometries that are hit, ordered by where they are hit, or where their box
    /// is if that is later, then by id.
    pub fn all_geometries<'g>(
        self,
        mut place: impl FnMut(ProxyId) -> (Geometry<'g>, Pose),
        hits: &mut Vec<GeometryHit<P::Found, ProxyId>>,
    ) {
        let (of, id_of) = self.by_row();
        let mut rows = Vec::new();
        of.all_geometries(|row| place(id_of(row)), &mut rows);
        hits.clear();
        hits.extend(rows.iter().map(|hit| hit.with_row(id_of(hit.row))));
    }
}

impl<F: Copy, R> GeometryHit<F, R> {
    /// Replaces the row by an id.
    pub(super) fn with_row<S>(&self, row: S) -> GeometryHit<F, S> {
        GeometryHit { row, found: self.found }
    }
}
