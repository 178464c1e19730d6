//! Queries of the shapes in the boxes of a broadphase.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::ProxyId;
use swath::mesh::PartCast;
use swath::mesh::toi::PartToi;

use super::queries::{Considered, Lists};
use super::{Broadphase, CLASS};
use crate::arguments::instance;
use crate::arrays::{array, filled, invalid};
use crate::bodies::{
    CastColumns, FirstTimeColumns, FirstTimes, MotionColumns, Movers, PlacedBodies, SearchArguments,
};
use crate::queries::{Rays, starts};

/// Ids, states, fractions, normals and parts.
type GeometryCasts<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<u32>>,
);
/// Ids, and first times.
type GeometrySweeps<'py> = (Bound<'py, PyArray1<u64>>, FirstTimes);

#[pymethods]
impl Broadphase {
    /// The first body that each ray enters, of those in the boxes.
    ///
    /// ``bodies`` are ``Bodies`` with ids. ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction ``max_fraction`` of its
    /// direction; None is no end. Of bodies that are entered at the same fraction, it is the one with the lowest id. The other arguments are as in ``cast``.
    ///
    /// Returns its id or ``2**64 - 1``, ``(n,)``, and what the function ``cast`` returns for this body: the state, the
    /// fraction, the normal and the part. An unresolved cast counts as a hit at the fraction that is proved to be free.
    #[pyo3(
        signature = (bodies, origin, direction, max_fraction=None, *, categories=None, mask=None, without_owner=None, without_kind=None),
        text_signature = "($self, bodies, origin, direction, max_fraction=None, *, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn cast_geometries<'py>(
        &self,
        py: Python<'py>,
        bodies: &Bound<'py, PyAny>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_fraction: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<GeometryCasts<'py>> {
        let bodies = instance::<PlacedBodies>("bodies", bodies)?.get();
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let rays = Rays::new(origin, direction, max_fraction)?;
        let rays = rays.rows();
        let place = bodies.of_ids()?;
        self.workers.check()?;
        let mut out = filled(None, rays.len())?;
        let inner = &mut self.state.lock(CLASS)?.inner;
        let failed = py.detach(|| {
            let queries = considered.of(inner.queries());
            rays.with_columns(|segments| {
                queries.casts_of_geometries(segments).closest(place, &mut out)
            })
        });
        failed.map_err(invalid)?;
        let ids = out.iter().map(|hit| hit.map_or(u64::MAX, |hit| hit.row.to_bits())).collect();
        let columns = CastColumns::of(
            out.iter().map(|hit| hit.map_or_else(PartCast::default, |hit| hit.found)),
        );
        let (states, fractions, normals, parts) = columns.arrays(py)?;
        Ok((array(py, ids), states, fractions, normals, parts))
    }

    /// The first body that each moving shape touches, of those in the boxes. All bodies stay where they are at the start of the tick.
    ///
    /// ``bodies`` are ``Bodies`` with ids. ``shapes``, ``position``, ``delta``, ``rotation``, ``accel`` and ``spin`` are the moving shapes, as in
    /// ``first_times``; they do not touch each other. The other arguments are as in ``first_time`` and ``cast``, with one window for all. Of bodies that are
    /// touched at the same time, it is the one with the lowest id.
    ///
    /// Returns its id or ``2**64 - 1``, ``(n,)``, and ``FirstTimes`` with a row for each moving shape, of which ``a`` is
    /// the moving shape and ``b`` the body. Its state is 0 if none is touched. A body that overlaps the shape at the start is a hit, and so is an
    /// unresolved search, at the time that is proved to be free. ``rejected`` lists the moving shapes that are invalid, or whose path is too long
    /// for a box; they touch nothing.
    #[pyo3(
        signature = (
            bodies, shapes, position, delta, *, rotation=None, accel=None, spin=None, target_distance=None, tolerance=None,
            touch=None, window=None, rounds_max=None, categories=None, mask=None, without_owner=None, without_kind=None
        ),
        text_signature = "($self, bodies, shapes, position, delta, *, rotation=None, accel=None, spin=None, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing', window=(0.0, 1.0), rounds_max=2048, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn sweep_geometries<'py>(
        &self,
        py: Python<'py>,
        bodies: &Bound<'py, PyAny>,
        shapes: &Bound<'py, PyAny>,
        position: &Bound<'py, PyAny>,
        delta: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        accel: Option<&Bound<'py, PyAny>>,
        spin: Option<&Bound<'py, PyAny>>,
        target_distance: Option<&Bound<'py, PyAny>>,
        tolerance: Option<&Bound<'py, PyAny>>,
        touch: Option<&Bound<'py, PyAny>>,
        window: Option<&Bound<'py, PyAny>>,
        rounds_max: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<GeometrySweeps<'py>> {
        let bodies = instance::<PlacedBodies>("bodies", bodies)?.get();
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let search = SearchArguments { target_distance, tolerance, touch, window, rounds_max };
        let settings = search.settings()?;
        let moving =
            Movers::new(shapes, &MotionColumns { position, delta, rotation, accel, spin })?;
        let place = bodies.of_ids()?;
        self.workers.check()?;
        let mut out = filled(None, moving.len())?;
        let inner = &mut self.state.lock(CLASS)?.inner;
        let columns = py.detach(|| {
            let queries = considered.of(inner.queries());
            let (geometries, motions) = (moving.geometries(), moving.motions());
            let sweeps = queries.sweeps_of_geometries(&geometries, motions, &settings);
            sweeps.map_err(invalid)?.closest(place, &mut out).map_err(invalid)?;
            let found = out.iter().map(|hit| hit.map_or_else(PartToi::default, |hit| hit.found));
            let columns = FirstTimeColumns::of(found.map(|found| (found, settings.window)));
            Ok::<_, PyErr>((columns, moving.rejected(settings.target_distance)))
        });
        let (columns, rejected) = columns?;
        let ids = out.iter().map(|hit| hit.map_or(u64::MAX, |hit| hit.row.to_bits())).collect();
        Ok((array(py, ids), columns.arrays(py, rejected)?))
    }

    /// The bodies that each shape overlaps or touches at rest, of those in the boxes: those of shape ``i`` are
    /// ``ids[starts[i]:starts[i + 1]]``, in order.
    ///
    /// ``bodies`` are ``Bodies`` with ids. ``shapes``, ``position`` and ``rotation`` are the shapes, as in ``distances``, but of any class. The other arguments are as in ``cast``. Returns
    /// ``starts`` with ``n + 1`` elements, and ``ids``. Overlaps are those of the function ``overlaps``: a place inside of a closed mesh
    /// overlaps none if it touches no triangle. A shape with an invalid position or rotation, or too far away for a box, overlaps nothing.
    #[pyo3(
        signature = (bodies, shapes, position, *, rotation=None, categories=None, mask=None, without_owner=None, without_kind=None),
        text_signature = "($self, bodies, shapes, position, *, rotation=None, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn overlap_geometries<'py>(
        &self,
        py: Python<'py>,
        bodies: &Bound<'py, PyAny>,
        shapes: &Bound<'py, PyAny>,
        position: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Lists<'py>> {
        let bodies = instance::<PlacedBodies>("bodies", bodies)?.get();
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let resting = PlacedBodies::read(shapes, position, rotation)?;
        let place = bodies.of_ids()?;
        self.workers.check()?;
        let (geometries, poses) = (resting.geometries(), resting.poses());
        let (mut ends, mut found) = (vec![0; poses.len() + 1], Vec::new());
        let inner = &mut self.state.lock(CLASS)?.inner;
        let failed = py.detach(|| {
            let queries = considered.of(inner.queries());
            let overlaps = queries.overlaps_of_geometries(&geometries, poses)?;
            overlaps.all(place, &mut ends, &mut found)
        });
        failed.map_err(invalid)?;
        Ok((starts(py, ends), array(py, found.into_iter().map(ProxyId::to_bits).collect())))
    }
}
