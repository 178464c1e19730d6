//! The impacts of one tick.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::pipeline::Config;
use swath::{MovingBoxColumns, Pipeline, Scene};

use crate::arguments::{integer, pairs_max, same_rows};
use crate::arrays::{Vectors, array, columns, invalid, table};
use crate::boxes::Boxes;
use crate::pipeline::state;
use crate::threads::exec_of_call;

/// Pairs, times, normals and states.
type Impacts<'py> = (
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<u8>>,
);

/// Impacts of moving boxes in a tick, in the order of time.
///
/// ``min`` and ``max`` are the corners at the start of the tick, ``delta`` the displacement, ``accel`` the acceleration
/// in length per tick squared, ``(n, 3)`` each. Returns pairs ``(k, 2)``, times ``(k,)``, unit normals from the first
/// box to the second ``(k, 3)``, and states ``(k,)``: 1 the boxes touch from that time on, 2 they overlap at the start
/// of the tick, so that the time is 0, or move into each other after a touch that ``"ignore"`` ignores; 3 unresolved:
/// they do not touch before that time, and the normal is zero.
///
/// ``touch`` states which boxes whose surfaces touch at the start of the tick have an impact: those that move into each
/// other (``"if_closing"``), so that boxes that slide along each other or rest on each other have none, although
/// ``PairFinder.swept_pairs`` reports them; all (``"hit"``); or none (``"ignore"``; those that then move into each
/// other have the state of an overlap).
///
/// ``impacts_per_body`` limits the impacts: one is returned if it is among the first ``impacts_per_body`` of at least
/// one of its bodies; 0 is no limit. ``pairs_max`` limits the number of pairs that touch; a tick with more is a
/// ``ValueError``. By default there is no limit, and a tick that needs more memory than there is ends the process.
#[pyfunction]
#[pyo3(
    signature = (min, max, delta, *, accel=None, touch=None, impacts_per_body=None, pairs_max=None, threads=None),
    text_signature = "(min, max, delta, *, accel=None, touch='if_closing', impacts_per_body=0, pairs_max=None, threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn tick<'py>(
    py: Python<'py>,
    min: &Bound<'py, PyAny>,
    max: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
    accel: Option<&Bound<'py, PyAny>>,
    touch: Option<&Bound<'py, PyAny>>,
    impacts_per_body: Option<&Bound<'py, PyAny>>,
    pairs_max: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Impacts<'py>> {
    let mut config = Config::default();
    config.touch = crate::bodies::touch(touch)?;
    let most = u64::from(u32::MAX);
    let limit = |limit: &Bound<'py, PyAny>| integer("impacts_per_body", limit, 0..=most);
    config.impacts_per_body = impacts_per_body.map_or(Ok(0), limit)? as u32;
    let mut exec = exec_of_call(threads)?;
    exec.pairs_max = self::pairs_max(pairs_max)?.unwrap_or(exec.pairs_max);
    let boxes = Boxes::new(min, max, Some(delta))?;
    let delta = Vectors::new("delta", delta)?;
    let accel = accel.map(|accel| Vectors::new("accel", accel)).transpose()?;
    let (min, max, delta) = (boxes.min.rows(), boxes.max.rows(), delta.rows());
    let accel = accel.as_ref().map(Vectors::rows);
    if let Some(accel) = accel {
        same_rows("accel", accel.len(), "min", min.len())?;
    }
    let found = py.detach(|| {
        let (min, max, delta) = (columns(min), columns(max), columns(delta));
        let accel = accel.map(columns);
        let boxes = MovingBoxColumns::from_vecs(&min, &max, &delta).map_err(|e| e.to_string())?;
        let mut scene = Scene::new(boxes);
        if let Some(accel) = &accel {
            scene = scene.accelerating(accel.each_ref().map(Vec::as_slice));
        }
        let mut pipeline = Pipeline::with_exec(config, exec);
        let output = pipeline.tick(&scene).map_err(|error| error.to_string())?;
        let mut result = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for impact in output.impacts() {
            result.0.push([impact.pair.a, impact.pair.b]);
            result.1.push(impact.toi);
            result.2.push(impact.normal);
            result.3.push(state(impact.kind));
        }
        Ok(result)
    });
    let (pairs, times, normals, states) = found.map_err(|error: String| invalid(error))?;
    Ok((table(py, pairs)?, array(py, times), table(py, normals)?, array(py, states)))
}
