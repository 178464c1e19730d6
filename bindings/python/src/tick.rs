//! The impacts of one tick.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::pipeline::{Config, ImpactKind};
use swath::{MovingBoxColumns, Pipeline, Scene};

use crate::arrays::{Vectors, array, columns, invalid, table};
use crate::threads::exec_of_call;

/// Pairs, times, normals and states.
type Impacts<'py> = (
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<u8>>,
);

/// The number that stands for a kind of impact, as in `first_times`.
fn state(kind: ImpactKind) -> u8 {
    match kind {
        ImpactKind::Touching => 1,
        ImpactKind::Overlapping => 2,
        _ => 3,
    }
}

/// Impacts of moving boxes in a tick, in the order of time.
#[pyfunction]
#[pyo3(signature = (min, max, delta, *, accel=None, impacts_per_body=0, threads=None))]
pub(crate) fn tick<'py>(
    py: Python<'py>,
    min: &Bound<'py, PyAny>,
    max: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
    accel: Option<&Bound<'py, PyAny>>,
    impacts_per_body: u32,
    threads: Option<usize>,
) -> PyResult<Impacts<'py>> {
    let (min, max) = (Vectors::new("min", min)?, Vectors::new("max", max)?);
    let delta = Vectors::new("delta", delta)?;
    let accel = accel.map(|accel| Vectors::new("accel", accel)).transpose()?;
    let (min, max, delta) = (min.rows(), max.rows(), delta.rows());
    let accel = accel.as_ref().map(Vectors::rows);
    let mut config = Config::default();
    config.impacts_per_body = impacts_per_body;
    let exec = exec_of_call(threads)?;
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
