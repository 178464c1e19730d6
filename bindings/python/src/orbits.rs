//! Conjunction screening: the example `conjunctions`.

use std::ops::ControlFlow;

use conjunctions::orbit::Elements;
use conjunctions::screen::{Settings, TICK_SECONDS, screen};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::{Rows, array, invalid, table};
use crate::threads::{Workers, pool};

/// Draws Kepler elements of objects around the Earth.
#[pyfunction]
#[pyo3(signature = (objects, seed=1))]
pub(crate) fn catalogue(
    py: Python<'_>,
    objects: usize,
    seed: u64,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    if objects > 2_000_000 {
        return Err(invalid(format!("objects: expected at most 2000000, got {objects}")));
    }
    let drawn = conjunctions::catalogue::catalogue(objects, seed);
    let rows = drawn.iter().map(|e| {
        [e.semi_major_axis, e.eccentricity, e.inclination, e.node, e.perigee, e.mean_anomaly]
    });
    table(py, rows.collect())
}

type Approaches<'py> = (
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// All approaches of objects in orbit within a distance.
#[pyfunction]
#[pyo3(signature = (elements, seconds, *, within_km=5.0, tick_seconds=60.0, progress=None, threads=None))]
pub(crate) fn screen_conjunctions<'py>(
    py: Python<'py>,
    elements: &Bound<'py, PyAny>,
    seconds: f64,
    within_km: f64,
    tick_seconds: f64,
    progress: Option<Py<PyAny>>,
    threads: Option<usize>,
) -> PyResult<Approaches<'py>> {
    let rows = Rows::<f64, 6>::new("elements", elements)?;
    let element = |&[a, e, i, node, perigee, mean]: &[f64; 6]| Elements {
        semi_major_axis: a,
        eccentricity: e,
        inclination: i,
        node,
        perigee,
        mean_anomaly: mean,
    };
    let objects: Vec<Elements> = rows.rows().iter().map(element).collect();
    if !TICK_SECONDS.contains(&tick_seconds) {
        let (least, most) = (TICK_SECONDS.start(), TICK_SECONDS.end());
        let wanted = format!("expected {least} to {most}, got {tick_seconds}");
        return Err(invalid(format!("tick_seconds: {wanted}")));
    }
    let ticks = (seconds / tick_seconds).ceil();
    // A time of less than a tick is rounded to -0, which is in the range.
    if seconds < 0.0 || !(0.0..=1e9).contains(&ticks) {
        return Err(invalid("seconds: expected a time of at most 10^9 ticks that is not negative"));
    }
    if !(0.0..=1000.0).contains(&within_km) {
        return Err(invalid(format!("within_km: expected 0 to 1000, got {within_km}")));
    }
    let pool = match threads {
        Some(count) => Some(pool(count)?),
        None => {
            Workers::Shared.check()?;
            None
        }
    };
    let settings = Settings { tick_seconds, ticks: ticks as usize, within_km };
    let mut failed = None;
    let mut screening = || {
        screen(&objects, &settings, |done| {
            // The lock of the interpreter is taken a hundred times at most.
            let due = settings.ticks.div_ceil(100).max(1);
            if let Some(progress) = &progress
                && (done % due == 0 || done == settings.ticks)
            {
                failed = Python::attach(|py| progress.call1(py, (done, settings.ticks)).err());
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(|error| error.to_string())
    };
    let found = py.detach(|| match pool {
        Some(pool) => pool.install(screening),
        None => screening(),
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let found = found.map_err(invalid)?.conjunctions;
    let pairs = found.iter().map(|c| [c.a, c.b]).collect();
    let number = |of: fn(&conjunctions::screen::Conjunction) -> f64| found.iter().map(of).collect();
    Ok((
        table(py, pairs)?,
        array(py, number(|c| c.seconds)),
        array(py, number(|c| c.distance_km)),
        array(py, number(|c| c.speed_km_s)),
    ))
}
