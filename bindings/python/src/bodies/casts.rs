//! Casts of rays against a shape.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::convex::ConvexCast;
use swath::mesh::PartCast;

use super::Body;
use super::motion::BodyMotion;
use crate::arguments::instance;
use crate::arrays::{array, filled, invalid, table};
use crate::queries::Rays;
use crate::threads::exec_of_call;

/// States, fractions, normals and parts.
pub(crate) type Casts<'py> = (
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<u32>>,
);

/// Results of casts as columns.
#[derive(Default)]
pub(crate) struct CastColumns {
    states: Vec<u8>,
    fractions: Vec<f32>,
    normals: Vec<[f32; 3]>,
    parts: Vec<u32>,
}

impl CastColumns {
    /// Copies results.
    pub(crate) fn of(found: impl Iterator<Item = PartCast>) -> Self {
        let mut columns = Self::default();
        for PartCast { cast, part } in found {
            let zero = [0.0; 3];
            let (state, fraction, normal) = match cast {
                ConvexCast::Hit { fraction, normal, .. } => (1, fraction, normal),
                ConvexCast::Inside => (2, 0.0, zero),
                ConvexCast::Unresolved { fraction } => (3, fraction, zero),
                _ => (0, f32::INFINITY, zero),
            };
            columns.states.push(state);
            columns.fractions.push(fraction);
            columns.normals.push(normal);
            columns.parts.push(part);
        }
        columns
    }

    /// Copies the columns to arrays.
    pub(crate) fn arrays(self, py: Python<'_>) -> PyResult<Casts<'_>> {
        let Self { states, fractions, normals, parts } = self;
        Ok((array(py, states), array(py, fractions), table(py, normals)?, array(py, parts)))
    }
}

/// Where rays first enter a shape at the start of the tick.
///
/// ``origin`` and ``direction`` are ``(k, 3)``. A ray ends at the fraction ``max_fraction`` of its direction; None is no
/// end. An invalid ray misses. A triangle is entered from both sides, or from its front only if its mesh or height field
/// is one-sided.
///
/// Returns for each ray:
///
/// * the state, ``(k,)`` uint8: 0 it misses, 1 it enters the shape or starts on its surface, 2 it starts inside, 3
///   unresolved;
/// * the fraction of ``direction`` at which it enters, ``(k,)``, never late: infinite for a miss, 0 inside, and the
///   fraction that is proved to be free if unresolved;
/// * the unit normal of the surface there, ``(k, 3)``, out of a convex part or to that side of a triangle from which the
///   ray enters; zeros without an entry;
/// * the part that it enters or is inside of, ``(k,)`` uint32; 0 for a miss and for a ``Convex``.
#[pyfunction]
#[pyo3(signature = (shape, motion, origin, direction, max_fraction=None, *, threads=None))]
pub(crate) fn cast<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    motion: &Bound<'py, PyAny>,
    origin: &Bound<'py, PyAny>,
    direction: &Bound<'py, PyAny>,
    max_fraction: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Casts<'py>> {
    let shape = Body::read("shape", shape)?;
    let pose = instance::<BodyMotion>("motion", motion)?.get().motion.pose;
    let threads = exec_of_call(threads)?.threads;
    let rays = Rays::new(origin, direction, max_fraction)?;
    let rays = rays.rows();
    let mut out = filled(PartCast::default(), rays.len())?;
    let columns = py.detach(|| {
        rays.with_columns(|segments| shape.geometry().casts(&pose, segments, &threads, &mut out))?;
        Ok::<_, swath::mesh::CastsError>(CastColumns::of(out.into_iter()))
    });
    columns.map_err(invalid)?.arrays(py)
}
