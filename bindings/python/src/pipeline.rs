//! The impacts of a tick of bodies.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::convex::toi::TOI_ROUNDS_MAX;
use swath::pipeline::{BodyFlags, Config, GeometryBody, ImpactKind, PartImpacts};
use swath::{ConvexBody, Impact, MovingBoxColumns, Scene};

use crate::arguments::{Each, Filters, Words, integer, number_or, pairs_max, word, wrong};
use crate::arrays::{array, filled, invalid, table};
use crate::bodies::{MotionColumns, Movers, reason, rounds_max, touch};
use crate::exclusive::Exclusive;
use crate::threads::Workers;

const CLASS: &str = "Pipeline";

/// Which impacts of two bodies with parts are returned.
const PART_IMPACTS: Words<PartImpacts, 2> =
    [("first", PartImpacts::First), ("each", PartImpacts::Each)];

/// The number that stands for a kind of impact, as in `first_times`.
pub(crate) fn state(kind: ImpactKind) -> u8 {
    match kind {
        ImpactKind::Touching => 1,
        ImpactKind::Overlapping => 2,
        _ => 3,
    }
}

/// Finds the impacts of bodies of all shapes in a tick, in the order of time. Keep it between ticks: its memory is used again.
///
/// * ``target_distance``, ``tolerance`` and ``rounds_max`` are as in ``first_time``; a shape that comes within the tolerance, but whose
///   bounds do not come within the target distance, has no impact.
/// * ``touch`` states which touches at the start of the tick are impacts, as in ``first_time``; each touch of a sensor is one.
/// * ``fast``, a length per tick: a pair is dropped if both bodies are slower and neither has ``ccd`` or is a sensor. With 0, no pair
///   is dropped.
/// * ``impacts_per_body``: an impact is returned if it is among the first ``impacts_per_body`` of at least one of its bodies; 0 is no
///   limit.
/// * ``part_impacts``: of two bodies with parts, the first impact (``"first"``), or the first one of each two parts, as
///   ``each_part`` (``"each"``).
/// * ``pairs_max`` limits the number of pairs whose bounds touch; a tick with more is a ``ValueError``. By default there is no limit, and a
///   tick that needs more memory than there is ends the process.
/// * ``threads`` is the number of threads, by default one for each logical core.
///
/// An object takes one call at a time; a second one from another thread is a ``RuntimeError``.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Pipeline {
    pipeline: Exclusive<swath::Pipeline>,
    workers: Workers,
}

/// Impacts of pairs of bodies, in the order of time: arrays with a row for each impact.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct Impacts {
    /// ``(k, 2)`` uint32: the rows of the two bodies, the lower one first.
    pairs: Py<PyArray2<u32>>,
    /// ``(k,)`` uint8: 1 the bodies touch from ``t`` on; 2 they overlap at the start, or move into each other after a touch that
    /// ``"ignore"`` ignores; 3 unresolved: they do not touch before ``t``.
    state: Py<PyArray1<u8>>,
    /// ``(k,)``: the time as a fraction of the tick, never late; 0 for an overlap.
    t: Py<PyArray1<f32>>,
    /// ``(k,)``: the last time at which the bounds of the two bodies touch.
    last: Py<PyArray1<f32>>,
    /// ``(k, 3)``: the unit normal at that time from the first body to the second; zeros if unresolved.
    normal: Py<PyArray2<f32>>,
    /// ``(k, 3)``: the point of the first body nearest to the second at that time, or deepest inside it, in world
    /// coordinates; zeros if unresolved.
    on_a: Py<PyArray2<f32>>,
    /// ``(k, 3)``: the point of the second body nearest to the first at that time, or deepest inside it, in world
    /// coordinates; zeros if unresolved.
    on_b: Py<PyArray2<f32>>,
    /// ``(k,)``: the closing speed of these points along the normal, in length per tick, negative if they separate.
    closing: Py<PyArray1<f32>>,
    /// ``(k,)``: the depth beyond the target distance along the normal of bodies that overlap at the start, else 0.
    depth: Py<PyArray1<f32>>,
    /// ``(k, 2)`` uint32: the number of the part of each body that touches, such as a triangle; 0 for a ``Convex``.
    parts: Py<PyArray2<u32>>,
}

#[pymethods]
impl Impacts {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.state.bind(py).as_any().len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<swath.Impacts, {} of them>", self.__len__(py)?))
    }
}

impl Impacts {
    fn new(py: Python<'_>, of: &[Impact]) -> PyResult<Self> {
        let rows = of.iter();
        Ok(Self {
            pairs: table(py, rows.clone().map(|of| [of.pair.a, of.pair.b]).collect())?.unbind(),
            state: array(py, rows.clone().map(|of| state(of.kind)).collect()).unbind(),
            t: array(py, rows.clone().map(|of| of.toi).collect()).unbind(),
            last: array(py, rows.clone().map(|of| of.last).collect()).unbind(),
            normal: table(py, rows.clone().map(|of| of.normal).collect())?.unbind(),
            on_a: table(py, rows.clone().map(|of| of.on_a).collect())?.unbind(),
            on_b: table(py, rows.clone().map(|of| of.on_b).collect())?.unbind(),
            closing: array(py, rows.clone().map(|of| of.closing).collect()).unbind(),
            depth: array(py, rows.clone().map(|of| of.depth).collect()).unbind(),
            parts: table(py, rows.map(|of| of.parts).collect())?.unbind(),
        })
    }
}

/// What a tick of a ``Pipeline`` found.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct TickOutput {
    /// The impacts of bodies that are no sensors.
    impacts: Py<Impacts>,
    /// All impacts with a sensor. They do not count for ``impacts_per_body``.
    sensed: Py<Impacts>,
    /// ``(k, 2)`` uint32: the pairs that were dropped because both bodies are slow. Their bounds touch in the tick.
    slow: Py<PyArray2<u32>>,
    /// The invalid bodies, as a list of their rows, each with the reason. They have no impacts.
    rejected: Vec<(u32, String)>,
}

/// Reads whether each body has a property.
fn property(
    name: &str,
    object: Option<&Bound<'_, PyAny>>,
    default: bool,
    rows: usize,
) -> PyResult<Each<bool>> {
    let each = Each::new(name, object, default)?;
    each.check(name, rows)?;
    Ok(each)
}

#[pymethods]
impl Pipeline {
    #[new]
    #[pyo3(
        signature = (
            *, target_distance=None, tolerance=None, touch=None, fast=None, impacts_per_body=None, part_impacts=None,
            rounds_max=None, pairs_max=None, threads=None
        ),
        text_signature = "(*, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing', fast=0.0, impacts_per_body=0, part_impacts='first', rounds_max=2048, pairs_max=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        target_distance: Option<&Bound<'_, PyAny>>,
        tolerance: Option<&Bound<'_, PyAny>>,
        touch: Option<&Bound<'_, PyAny>>,
        fast: Option<&Bound<'_, PyAny>>,
        impacts_per_body: Option<&Bound<'_, PyAny>>,
        part_impacts: Option<&Bound<'_, PyAny>>,
        rounds_max: Option<&Bound<'_, PyAny>>,
        pairs_max: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut config = Config::default();
        config.touch = self::touch(touch)?;
        config.rounds_max = self::rounds_max(rounds_max, TOI_ROUNDS_MAX)?;
        if let Some(object) = part_impacts {
            config.part_impacts = word("part_impacts", object, &PART_IMPACTS)?;
        }
        let most = u64::from(u32::MAX);
        let limit = |limit: &Bound<'_, PyAny>| integer("impacts_per_body", limit, 0..=most);
        config.impacts_per_body = impacts_per_body.map_or(Ok(0), limit)? as u32;
        config.target_distance = number_or("target_distance", target_distance, 0.0)?;
        config.validate().map_err(|error| wrong("target_distance", error))?;
        config.tolerance = number_or("tolerance", tolerance, config.tolerance)?;
        config.validate().map_err(|error| wrong("tolerance", error))?;
        config.fast = number_or("fast", fast, 0.0)?;
        if config.validate().is_err() {
            return Err(wrong("fast", format!("expected 0 or more, got {}", config.fast)));
        }
        let pairs_max = self::pairs_max(pairs_max)?;
        let workers = Workers::new(threads)?;
        let mut exec = workers.exec();
        exec.pairs_max = pairs_max.unwrap_or(exec.pairs_max);
        let pipeline = Exclusive::new(swath::Pipeline::with_exec(config, exec));
        Ok(Self { pipeline, workers })
    }

    /// Finds the impacts of a tick.
    ///
    /// ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the quaternions
    /// ``rotation``, ``(n, 4)`` of any length, have a row for each. Each of the other arguments is one value for all bodies, or has
    /// one for each, ``(n,)``:
    ///
    /// * ``moves``: bool; two bodies that do not move never form a pair, but each of the two has its motion.
    /// * ``ccd``: bool; pairs of this body are never dropped for being slow.
    /// * ``sensor``: bool; the body stops nothing. Its impacts are all returned, in a list of their own, and each touch at the start
    ///   counts.
    /// * ``categories`` and ``masks``: uint32; two bodies may form a pair if each has a category that is in the mask of the other.
    #[pyo3(
        signature = (
            shapes, position, delta, *, rotation=None, accel=None, spin=None, moves=None, ccd=None, sensor=None,
            categories=None, masks=None
        ),
        text_signature = "($self, shapes, position, delta, *, rotation=None, accel=None, spin=None, moves=True, ccd=False, sensor=False, categories=4294967295, masks=4294967295)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn tick<'py>(
        &self,
        py: Python<'py>,
        shapes: &Bound<'py, PyAny>,
        position: &Bound<'py, PyAny>,
        delta: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        accel: Option<&Bound<'py, PyAny>>,
        spin: Option<&Bound<'py, PyAny>>,
        moves: Option<&Bound<'py, PyAny>>,
        ccd: Option<&Bound<'py, PyAny>>,
        sensor: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        masks: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<TickOutput> {
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        let bodies =
            Movers::new(shapes, &MotionColumns { position, delta, rotation, accel, spin })?;
        let rows = bodies.len();
        let properties = [
            (property("moves", moves, true, rows)?, BodyFlags::MOVES),
            (property("ccd", ccd, false, rows)?, BodyFlags::CCD),
            (property("sensor", sensor, false, rows)?, BodyFlags::SENSOR),
        ];
        filters.check(rows)?;
        let filters = filters.rows(rows);
        let flags: Vec<BodyFlags> = (0..rows)
            .map(|row| {
                let set = properties.iter().filter(|(each, _)| each.get(row));
                set.fold(BodyFlags::STILL, |flags, &(_, flag)| flags | flag)
            })
            .collect();
        let zeros = filled(0.0_f32, rows)?;
        self.workers.check()?;
        let pipeline = &mut *self.pipeline.lock(CLASS)?;
        let (impacts, sensed, slow, rejected) = py.detach(|| {
            let (mut convex, mut geometries) = (Vec::new(), Vec::new());
            for ((row, body), &motion) in (0..).zip(&bodies.shapes).zip(&bodies.motions) {
                match body.convex() {
                    Some(shape) => convex.push(ConvexBody { row, shape, motion }),
                    None => {
                        geometries.push(GeometryBody { row, geometry: body.geometry(), motion })
                    }
                }
            }
            let boxes = MovingBoxColumns::from_columns([zeros.as_slice(); 9]).map_err(invalid)?;
            let scene = Scene::new(boxes).convex(&convex).geometries(&geometries).flagged(&flags);
            let scene = filters.as_deref().map_or(scene, |filters| scene.filtered(filters));
            let output = pipeline.tick(&scene).map_err(invalid)?;
            let slow: Vec<_> = output.slow().map(|pair| [pair.a, pair.b]).collect();
            let rejected = output.rejected().iter().map(|r| (r.row, reason(&r.reason))).collect();
            Ok::<_, PyErr>((output.impacts().to_vec(), output.sensed().to_vec(), slow, rejected))
        })?;
        Ok(TickOutput {
            impacts: Py::new(py, Impacts::new(py, &impacts)?)?,
            sensed: Py::new(py, Impacts::new(py, &sensed)?)?,
            slow: table(py, slow)?.unbind(),
            rejected,
        })
    }
}
