//! Conjunction screening: the example `conjunctions`.

use std::ops::ControlFlow;

use conjunctions::orbit::Elements;
use conjunctions::screen::{Settings, TICK_SECONDS, screen};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arguments::{integer, number};
use crate::arrays::{Rows, array, invalid, mistyped, table};
use crate::threads::{Workers, count, pool};

/// Draws Kepler elements of objects around the Earth, ``(objects, 6)``.
///
/// Columns: semi-major axis in km, eccentricity, inclination, right ascension of the node, argument of the perigee and
/// mean anomaly, in radians. ``objects`` is at most 2,000,000.
#[pyfunction]
#[pyo3(signature = (objects, seed=None), text_signature = "(objects, seed=1)")]
pub(crate) fn catalogue<'py>(
    py: Python<'py>,
    objects: &Bound<'py, PyAny>,
    seed: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let objects = integer("objects", objects, 0..=2_000_000)? as usize;
    let seed = seed.map_or(Ok(1), |seed| integer("seed", seed, 0..=u64::MAX))?;
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

/// All approaches of objects in orbit within ``within_km``, sorted by time.
///
/// ``elements`` are those of ``catalogue``, ``(n, 6)`` float64. ``seconds`` is rounded up to whole ticks of
/// ``tick_seconds``, which is between 0.001 and 600. Of each pair, the closest approach in a tick is found; approaches
/// that continue from one tick to the next are one. ``within_km`` is at most 1000.
///
/// Returns pairs ``(k, 2)``, the seconds since the start, the distances in km and the relative speeds in km/s, ``(k,)``
/// each.
///
/// ``progress`` is called with the number of ticks done and of all ticks, at most about a hundred times. An exception
/// that it raises ends the screening. With ``threads``, it is called on one of these threads. Ctrl+C ends the screening
/// when ``progress``, a Python function, is called next; with ``threads``, or without ``progress``, it is a
/// ``KeyboardInterrupt`` only after the screening.
#[pyfunction]
#[pyo3(
    signature = (elements, seconds, *, within_km=None, tick_seconds=None, progress=None, threads=None),
    text_signature = "(elements, seconds, *, within_km=5.0, tick_seconds=60.0, progress=None, threads=None)"
)]
pub(crate) fn screen_conjunctions<'py>(
    py: Python<'py>,
    elements: &Bound<'py, PyAny>,
    seconds: &Bound<'py, PyAny>,
    within_km: Option<&Bound<'py, PyAny>>,
    tick_seconds: Option<&Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Approaches<'py>> {
    let seconds = number("seconds", seconds)?;
    let within_km = within_km.map_or(Ok(5.0), |km| number("within_km", km))?;
    let tick_seconds = tick_seconds.map_or(Ok(60.0), |ticks| number("tick_seconds", ticks))?;
    if let Some(progress) = &progress
        && !progress.bind(py).is_callable()
    {
        return Err(mistyped("progress", "a function", progress.bind(py)));
    }
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
    let pool = match count(threads)? {
        Some(count) => Some(pool(count)?),
        None => {
            Workers::check_shared_of_rayon()?;
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
