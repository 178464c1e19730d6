//! First times of many pairs of bodies.

use pyo3::prelude::*;
use swath::convex::toi::{self, Toi, ToiInput};
use swath::mesh::toi as mesh_toi;
use swath::mesh::toi::{GeometryInput, PartToi};
use swath::{Pair, Shape};

use super::bounds::{MotionColumns, Movers};
use super::{Body, FirstTimeColumns, FirstTimes, SearchArguments, reason};
use crate::arguments::wrong;
use crate::arrays::{Rows, filled};
use crate::threads::exec_of_call;

/// First times of many pairs of bodies.
///
/// ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the quaternions
/// ``rotation``, ``(n, 4)`` of any length, have a row for each. Without ``rotation``, no body is rotated at the start.
/// ``pairs`` has two bodies in each row, ``(k, 2)``. The other arguments are as in ``first_time``. An invalid body
/// touches nothing, and is in the list ``rejected`` of the result.
///
/// ``window`` is one for all pairs, or, if all shapes are ``Convex``, an array of float32 with one for each pair,
/// ``(k, 2)``: for example from the first time of a pair of ``swept_pairs`` to 1.
///
/// Each call reads all bodies, whatever the pairs: 100,000 take about 20 ms. For few pairs, pass only their bodies.
#[pyfunction]
#[pyo3(
    signature = (
        shapes, position, delta, pairs, *, rotation=None, accel=None, spin=None, target_distance=None, tolerance=None,
        touch=None, window=None, rounds_max=None, threads=None
    ),
    text_signature = "(shapes, position, delta, pairs, *, rotation=None, accel=None, spin=None, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing', window=(0.0, 1.0), rounds_max=2048, threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn first_times<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyAny>,
    position: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    rotation: Option<&Bound<'py, PyAny>>,
    accel: Option<&Bound<'py, PyAny>>,
    spin: Option<&Bound<'py, PyAny>>,
    target_distance: Option<&Bound<'py, PyAny>>,
    tolerance: Option<&Bound<'py, PyAny>>,
    touch: Option<&Bound<'py, PyAny>>,
    window: Option<&Bound<'py, PyAny>>,
    rounds_max: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<FirstTimes> {
    let threads = exec_of_call(threads)?.threads;
    let columns = MotionColumns { position, delta, rotation, accel, spin };
    let Movers { shapes, motions } = Movers::new(shapes, &columns)?;
    let search = SearchArguments { target_distance, tolerance, touch, window, rounds_max };
    let pairs_of = Rows::<u32, 2>::new("pairs", pairs)?.rows().len();
    let (settings, windows) = search.settings_of_pairs(pairs_of)?;
    let convex: Option<Vec<Shape<'_>>> = shapes.iter().map(Body::convex).collect();
    if windows.is_some() && convex.is_none() {
        return Err(wrong("window", "one for each pair needs shapes that are all Convex"));
    }
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let (columns, rejected) = py.detach(|| {
        let (motions, rejected) = (&motions, &mut Vec::new());
        let columns = if let Some(shapes) = &convex {
            let windows = windows.as_deref().unwrap_or_default();
            let input = ToiInput { shapes, motions, pairs, windows };
            let mut out = filled(Toi::default(), pairs.len())?;
            toi::pairs(&input, &settings, &threads, rejected, &mut out)
                .map_err(|error| wrong("pairs", error))?;
            let window = |row: usize| windows.get(row).copied().unwrap_or(settings.window);
            let found = out.into_iter().enumerate();
            FirstTimeColumns::of(found.map(|(row, toi)| (PartToi::from(toi), window(row))))
        } else {
            let geometries: Vec<_> = shapes.iter().map(Body::geometry).collect();
            let input = GeometryInput { geometries: &geometries, motions, pairs };
            let mut out = filled(PartToi::default(), pairs.len())?;
            mesh_toi::pairs(&input, &settings, &threads, rejected, &mut out)
                .map_err(|error| wrong("pairs", error))?;
            FirstTimeColumns::of(out.into_iter().map(|found| (found, settings.window)))
        };
        let rejected = rejected.iter().map(|r| (r.row, reason(&r.reason))).collect();
        Ok::<_, PyErr>((columns, rejected))
    })?;
    columns.arrays(py, rejected)
}
