//! Batches of casts and of moving geometries against many placed geometries, on several threads.
//!
//! Each row is answered as a single query is (`queries.rs`), by one thread, so the answers do not depend on the number of
//! threads.

use super::cast::PartCast;
use super::geometry::Geometry;
use super::queries::{GeometryHit, MovingGeometry, OfGeometries};
use super::toi::PartToi;
use crate::broadphase::proxies::id::ProxyId;
use crate::broadphase::proxies::queries::ProxyQueries;
use crate::broadphase::query::{Queries, Query, STARTS};
use crate::columns::{Checked, Columns, LengthMismatch};
use crate::geom::{Motion, Pose, Segment};
use crate::narrowphase::batch::PairsError;
use crate::narrowphase::toi::Settings;
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Rows that one thread takes at a time.
const CHUNK: usize = 64;

/// What a batch searches: [`Queries`] or [`ProxyQueries`].
pub trait GeometryQueries: Sync {
    /// What a geometry is found by: a row, or the id of a proxy.
    type Id: Copy + Send;

    /// Returns the queries over rows.
    #[doc(hidden)]
    fn of_rows(&self) -> Queries<'_>;

    /// Returns the id of a row.
    #[doc(hidden)]
    fn id(&self, row: u32) -> Self::Id;

    /// Replaces the row of a hit by its id.
    #[doc(hidden)]
    fn with_id<F: Copy>(&self, hit: &GeometryHit<F>) -> GeometryHit<F, Self::Id> {
        hit.with_row(self.id(hit.row))
    }
}

impl GeometryQueries for Queries<'_> {
    type Id = u32;

    fn of_rows(&self) -> Queries<'_> {
        *self
    }

    fn id(&self, row: u32) -> u32 {
        row
    }
}

impl GeometryQueries for ProxyQueries<'_> {
    type Id = ProxyId;

    fn of_rows(&self) -> Queries<'_> {
        self.rows()
    }

    fn id(&self, row: u32) -> ProxyId {
        self.slots.id(row as usize)
    }
}

/// A cast of many segments against geometries: `Q` is [`Queries`] or [`ProxyQueries`]. Invalid segments meet nothing.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct GeometryCasts<'s, Q> {
    queries: Q,
    segments: Checked<'s, Columns<'s, Segment, 7>>,
}

/// Many geometries that move among others: `Q` is [`Queries`] or [`ProxyQueries`]. Those with an invalid motion, or whose
/// path is too long for a box, touch nothing.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct GeometrySweeps<'s, 'g, Q> {
    queries: Q,
    geometries: &'s [Geometry<'g>],
    motions: &'s [Motion],
    settings: Settings,
}

/// Writes the answer of each row.
pub(super) fn answer<H: Copy + Send>(
    threads: &Threads,
    rows: usize,
    one: &(dyn Fn(usize) -> Option<H> + Sync),
    out: &mut [Option<H>],
) -> Result<(), LengthMismatch> {
    LengthMismatch::check("the output `out`", rows, out.len())?;
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        for (row, out) in (start..).zip(out) {
            *out = one(row);
        }
    });
    Ok(())
}

/// Replaces the contents of `hits` by all answers: those of row `i` are `hits[starts[i]..starts[i + 1]]`. `one` replaces the contents of an
/// empty list by those of a row, and `with_id` replaces the row of an answer by its id.
pub(super) fn answer_all<R: Copy, H: Copy + Send>(
    threads: &Threads,
    rows: usize,
    one: &(dyn Fn(usize, &mut Vec<R>) + Sync),
    with_id: &(dyn Fn(&R) -> H + Sync),
    starts: &mut [usize],
    hits: &mut Vec<H>,
) -> Result<(), LengthMismatch> {
    LengthMismatch::check(STARTS, rows + 1, starts.len())?;
    let mut chunks: Vec<(&mut [usize], Vec<H>)> =
        starts[1..].chunks_mut(CHUNK).map(|ends| (ends, Vec::new())).collect();
    par::fill_chunks(threads, &mut chunks, 1, &|chunk, some| {
        let mut of_row = Vec::new();
        for (ends, found) in some {
            for (row, end) in (chunk * CHUNK..).zip(ends.iter_mut()) {
                of_row.clear();
                one(row, &mut of_row);
                found.extend(of_row.iter().map(with_id));
                *end = found.len();
            }
        }
    });
    hits.clear();
    for (ends, found) in chunks {
        for end in ends {
            *end += hits.len();
        }
        hits.extend_from_slice(&found);
    }
    starts[0] = 0;
    Ok(())
}

impl<'s, 'g, Q> GeometrySweeps<'s, 'g, Q> {
    fn new(
        queries: Q,
        geometries: &'s [Geometry<'g>],
        motions: &'s [Motion],
        settings: &Settings,
    ) -> Result<Self, PairsError> {
        settings.validate()?;
        LengthMismatch::check("the column `motions`", geometries.len(), motions.len())?;
        Ok(Self { queries, geometries, motions, settings: *settings })
    }
}

impl Queries<'_> {
    /// Casts many segments against geometries: the answers are those of [`Queries::cast_geometries`] for each, found on
    /// several threads.
    pub fn casts_of_geometries<'s>(
        &self,
        segments: &Checked<'s, Columns<'s, Segment, 7>>,
    ) -> GeometryCasts<'s, Self> {
        GeometryCasts { queries: *self, segments: *segments }
    }

    /// Moves many geometries among others: the answers are those of [`Queries::sweep_geometries`] for each, found on several
    /// threads.
    ///
    /// ```
    /// use swath::convex::toi::Settings;
    /// use swath::mesh::{Geometry, Mesh};
    /// use swath::{AabbColumns, Bvh, Motion, Pose, Shape};
    ///
    /// let wall = Mesh::new(vec![[4.0, -9.0, -9.0], [4.0, 9.0, -9.0], [4.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&[4.0], &[-9.0], &[-9.0]], [&[4.0], &[9.0], &[9.0]])?)?;
    ///
    /// let balls = [Geometry::from(Shape::sphere(1.0)?); 2];
    /// let motions = [Motion::new(Pose::IDENTITY, [10.0, 0.0, 0.0])?, Motion::new(Pose::IDENTITY, [-10.0, 0.0, 0.0])?];
    /// let sweeps = tree.queries().sweeps_of_geometries(&balls, &motions, &Settings::default())?;
    /// let mut hits = [None; 2];
    /// sweeps.closest(|_| ((&wall).into(), Pose::IDENTITY), &mut hits)?;
    /// assert!(hits[0].is_some_and(|hit| hit.row == 0) && hits[1].is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PairsError`] if the settings are invalid, or there is not one motion for each geometry.
    pub fn sweeps_of_geometries<'s, 'g>(
        &self,
        geometries: &'s [Geometry<'g>],
        motions: &'s [Motion],
        settings: &Settings,
    ) -> Result<GeometrySweeps<'s, 'g, Self>, PairsError> {
        GeometrySweeps::new(*self, geometries, motions, settings)
    }
}

impl ProxyQueries<'_> {
    /// Casts many segments against geometries: the answers are those of [`ProxyQueries::cast_geometries`] for each, found on
    /// several threads.
    pub fn casts_of_geometries<'s>(
        &self,
        segments: &Checked<'s, Columns<'s, Segment, 7>>,
    ) -> GeometryCasts<'s, Self> {
        GeometryCasts { queries: *self, segments: *segments }
    }

    /// Moves many geometries among others: the answers are those of [`ProxyQueries::sweep_geometries`] for each, found on several
    /// threads.
    ///
    /// # Errors
    ///
    /// [`PairsError`] if the settings are invalid, or there is not one motion for each geometry.
    pub fn sweeps_of_geometries<'s, 'g>(
        &self,
        geometries: &'s [Geometry<'g>],
        motions: &'s [Motion],
        settings: &Settings,
    ) -> Result<GeometrySweeps<'s, 'g, Self>, PairsError> {
        GeometrySweeps::new(*self, geometries, motions, settings)
    }
}

impl<Q: GeometryQueries> GeometryCasts<'_, Q> {
    /// Returns the query for a segment, if it is valid.
    fn query(&self, row: usize) -> Option<Query<'_, OfGeometries<Segment>>> {
        self.queries.of_rows().cast_geometries(&self.segments.columns().get(row)).ok()
    }

    /// Writes to `out[i]` the geometry that segment `i` enters first, among equal positions that with the lowest row or id.
    /// `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if `out` does not have the same number of rows; then nothing is written.
    pub fn closest<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        out: &mut [Option<GeometryHit<PartCast, Q::Id>>],
    ) -> Result<(), LengthMismatch> {
        let place = |row| place(self.queries.id(row));
        let one = |row| Some(self.queries.with_id(&self.query(row)?.closest_geometry(place)?));
        answer(self.queries.of_rows().threads(), self.segments.len(), &one, out)
    }

    /// Writes to `out[i]` any geometry that segment `i` enters. Which one depends on the shape of the tree, or the history of the
    /// broadphase, not on levels or threads. `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if `out` does not have the same number of rows; then nothing is written.
    pub fn any<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        out: &mut [Option<GeometryHit<PartCast, Q::Id>>],
    ) -> Result<(), LengthMismatch> {
        let place = |row| place(self.queries.id(row));
        let one = |row| Some(self.queries.with_id(&self.query(row)?.any_geometry(place)?));
        answer(self.queries.of_rows().threads(), self.segments.len(), &one, out)
    }

    /// Replaces the contents of `hits` by all geometries that the segments enter: those of segment `i` are `hits[starts[i]..starts[i + 1]]`, in the order
    /// of `all_geometries` of a single query. `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if the length of `starts` is not the number of segments plus one; then nothing is written.
    pub fn all<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        starts: &mut [usize],
        hits: &mut Vec<GeometryHit<PartCast, Q::Id>>,
    ) -> Result<(), LengthMismatch> {
        let place = |row| place(self.queries.id(row));
        let one = |row, hits: &mut Vec<_>| {
            if let Some(query) = self.query(row) {
                query.all_geometries(place, hits);
            }
        };
        let with_id = |hit: &GeometryHit<_>| self.queries.with_id(hit);
        let threads = self.queries.of_rows().threads();
        answer_all(threads, self.segments.len(), &one, &with_id, starts, hits)
    }
}

impl<'g, Q: GeometryQueries> GeometrySweeps<'_, 'g, Q> {
    /// Returns the query for a moving geometry, if its motion and its box are valid.
    fn query(&self, row: usize) -> Option<Query<'_, OfGeometries<MovingGeometry<'g>>>> {
        let Self { queries, geometries, motions, settings } = self;
        queries.of_rows().sweep_geometries(&geometries[row], &motions[row], settings).ok()
    }

    /// Writes to `out[i]` the geometry that moving geometry `i` touches first, among equal positions that with the lowest row or id.
    /// `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if `out` does not have the same number of rows; then nothing is written.
    pub fn closest<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        out: &mut [Option<GeometryHit<PartToi, Q::Id>>],
    ) -> Result<(), LengthMismatch> {
        let place = |row| place(self.queries.id(row));
        let one = |row| Some(self.queries.with_id(&self.query(row)?.closest_geometry(place)?));
        answer(self.queries.of_rows().threads(), self.geometries.len(), &one, out)
    }

    /// Writes to `out[i]` any geometry that moving geometry `i` touches. Which one depends on the shape of the tree, or the history of the
    /// broadphase, not on levels or threads. `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if `out` does not have the same number of rows; then nothing is written.
    pub fn any<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        out: &mut [Option<GeometryHit<PartToi, Q::Id>>],
    ) -> Result<(), LengthMismatch> {
        let place = |row| place(self.queries.id(row));
        let one = |row| Some(self.queries.with_id(&self.query(row)?.any_geometry(place)?));
        answer(self.queries.of_rows().threads(), self.geometries.len(), &one, out)
    }

    /// Replaces the contents of `hits` by all geometries that the moving ones touch: those of moving geometry `i` are `hits[starts[i]..starts[i + 1]]`, in the order
    /// of `all_geometries` of a single query. `place` returns the geometry of a row or proxy, and its pose.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if the length of `starts` is not the number of moving geometries plus one; then nothing is written.
    pub fn all<'p>(
        &self,
        place: impl Fn(Q::Id) -> (Geometry<'p>, Pose) + Sync,
        starts: &mut [usize],
        hits: &mut Vec<GeometryHit<PartToi, Q::Id>>,
    ) -> Result<(), LengthMismatch> {
        let place = |row| place(self.queries.id(row));
        let one = |row, hits: &mut Vec<_>| {
            if let Some(query) = self.query(row) {
                query.all_geometries(place, hits);
            }
        };
        let with_id = |hit: &GeometryHit<_>| self.queries.with_id(hit);
        let threads = self.queries.of_rows().threads();
        answer_all(threads, self.geometries.len(), &one, &with_id, starts, hits)
    }
}
