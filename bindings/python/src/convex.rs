//! First times and distances of convex shapes.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::convex::toi::{self, Settings, Toi, ToiInput, ToiResult, Touch};
use swath::convex::{Hull, OwnedShape, gjk};
use swath::{Motion, Pair, Pose, Shape};

use crate::arrays::{Rows, Vectors, array, invalid, table};
use crate::threads::exec_of_call;

/// A convex shape.
#[pyclass(frozen)]
pub(crate) struct Convex {
    shape: OwnedShape,
}

#[pymethods]
impl Convex {
    /// The convex hull of points.
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let points = Vectors::new("points", points)?;
        let hull = Hull::new(points.rows().iter().copied()).map_err(invalid)?;
        Ok(Self { shape: OwnedShape::hull(Arc::new(hull)) })
    }

    /// A ball.
    #[staticmethod]
    fn sphere(radius: f32) -> PyResult<Self> {
        Ok(Self { shape: Shape::sphere(radius).map_err(invalid)?.into() })
    }

    /// A box.
    #[staticmethod]
    fn cuboid(half_extents: [f32; 3]) -> PyResult<Self> {
        let shape = Shape::cuboid(half_extents).map_err(invalid)?;
        Ok(Self { shape: shape.into() })
    }

    /// A capsule along the y axis.
    #[staticmethod]
    fn capsule(half_height: f32, radius: f32) -> PyResult<Self> {
        let shape = Shape::capsule(half_height, radius).map_err(invalid)?;
        Ok(Self { shape: shape.into() })
    }

    /// The same shape with all points within `radius` of it.
    fn rounded(&self, radius: f32) -> PyResult<Self> {
        Ok(Self { shape: self.shape.rounded(radius).map_err(invalid)? })
    }
}

/// Position, rotation, displacement, acceleration and spin of a body over a tick.
#[pyclass(frozen, name = "Motion")]
pub(crate) struct BodyMotion {
    motion: Motion,
}

#[pymethods]
impl BodyMotion {
    #[new]
    #[pyo3(signature = (
        position=[0.0; 3], *, rotation=[0.0, 0.0, 0.0, 1.0], delta=[0.0; 3], accel=[0.0; 3], spin=[0.0; 3]
    ))]
    fn new(
        position: [f32; 3],
        rotation: [f32; 4],
        delta: [f32; 3],
        accel: [f32; 3],
        spin: [f32; 3],
    ) -> PyResult<Self> {
        let pose = Pose::normalized(position, rotation).map_err(invalid)?;
        let motion = Motion::new(pose, delta).map_err(invalid)?;
        let motion = motion.accelerating(accel).map_err(invalid)?;
        Ok(Self { motion: motion.spinning(spin).map_err(invalid)? })
    }
}

/// A vector as a tuple.
type Vector = (f32, f32, f32);

/// The first time of contact of two shapes.
#[pyclass(frozen, get_all)]
pub(crate) struct FirstTime {
    /// "impact", "overlapping", "separated" or "unresolved".
    state: &'static str,
    /// First time of contact, 0 if they overlap; None if there is no contact or it is unresolved.
    t: Option<f32>,
    /// Time that is proved to be free of contact.
    t_safe: f32,
    normal: Option<Vector>,
    on_a: Option<Vector>,
    on_b: Option<Vector>,
    closing: Option<f32>,
    depth: Option<f32>,
}

#[pymethods]
impl FirstTime {
    fn __repr__(&self) -> String {
        format!("FirstTime(state='{}', t={:?}, t_safe={})", self.state, self.t, self.t_safe)
            .replace("Some(", "")
            .replace("),", ",")
    }
}

fn state(result: &ToiResult) -> (&'static str, f32) {
    match *result {
        ToiResult::Impact { t, .. } => ("impact", t),
        ToiResult::Overlapping { .. } => ("overlapping", 0.0),
        ToiResult::Unresolved { t_safe } => ("unresolved", t_safe),
        _ => ("separated", 1.0),
    }
}

fn settings(target_distance: f32, tolerance: f32, touch: &str) -> PyResult<Settings> {
    let touch = match touch {
        "hit" => Touch::Hit,
        "if_closing" => Touch::IfClosing,
        "ignore" => Touch::Ignore,
        other => {
            let wanted = "touch: expected 'hit', 'if_closing' or 'ignore'";
            return Err(invalid(format!("{wanted}, got '{other}'")));
        }
    };
    let settings = Settings { target_distance, tolerance, touch, ..Settings::default() };
    settings.validate().map_err(invalid)?;
    Ok(settings)
}

/// When two convex shapes first touch.
#[pyfunction]
#[pyo3(signature = (
    a, motion_a, b, motion_b, *, target_distance=0.0, tolerance=Settings::TOLERANCE, touch="if_closing"
))]
pub(crate) fn first_time(
    a: &Convex,
    motion_a: &BodyMotion,
    b: &Convex,
    motion_b: &BodyMotion,
    target_distance: f32,
    tolerance: f32,
    touch: &str,
) -> PyResult<FirstTime> {
    let settings = settings(target_distance, tolerance, touch)?;
    let (a, b) = (a.shape.shape(), b.shape.shape());
    let toi =
        toi::one_to_one(&a, &motion_a.motion, &b, &motion_b.motion, &settings).map_err(invalid)?;
    let (state, t_safe) = state(&toi.result);
    let free = FirstTime {
        state,
        t: None,
        t_safe,
        normal: None,
        on_a: None,
        on_b: None,
        closing: None,
        depth: None,
    };
    Ok(match toi.result {
        ToiResult::Impact { t, normal, on_a, on_b, closing } => FirstTime {
            t: Some(t),
            normal: Some(normal.into()),
            on_a: Some(on_a.into()),
            on_b: Some(on_b.into()),
            closing: Some(closing),
            ..free
        },
        ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => FirstTime {
            t: Some(0.0),
            normal: Some(normal.into()),
            on_a: Some(on_a.into()),
            on_b: Some(on_b.into()),
            closing: Some(closing),
            depth: Some(depth),
            ..free
        },
        _ => free,
    })
}

type Times<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>);

/// First times of many pairs of bodies.
#[pyfunction]
#[pyo3(signature = (
    shapes, position, delta, pairs, *, accel=None, spin=None, target_distance=0.0,
    tolerance=Settings::TOLERANCE, touch="if_closing", threads=None
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn first_times<'py>(
    py: Python<'py>,
    shapes: Vec<Bound<'py, Convex>>,
    position: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    accel: Option<&Bound<'py, PyAny>>,
    spin: Option<&Bound<'py, PyAny>>,
    target_distance: f32,
    tolerance: f32,
    touch: &str,
    threads: Option<usize>,
) -> PyResult<Times<'py>> {
    let settings = settings(target_distance, tolerance, touch)?;
    let zeros = vec![[0.0; 3]; shapes.len()];
    let column = |name: &str, object: Option<&Bound<'py, PyAny>>| -> PyResult<Vec<[f32; 3]>> {
        let Some(object) = object else { return Ok(zeros.clone()) };
        let vectors = Vectors::new(name, object)?.rows().to_vec();
        if vectors.len() == shapes.len() {
            return Ok(vectors);
        }
        let (got, wanted) = (vectors.len(), shapes.len());
        Err(invalid(format!("{name}: expected one row for each of {wanted} shapes, got {got}")))
    };
    let (position, delta) = (column("position", Some(position))?, column("delta", Some(delta))?);
    let (accel, spin) = (column("accel", accel)?, column("spin", spin)?);
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let motion = |row: usize| -> Result<Motion, swath::Invalid> {
        let motion = Motion::new(Pose::at(position[row])?, delta[row])?;
        motion.accelerating(accel[row])?.spinning(spin[row])
    };
    let motions = (0..shapes.len())
        .map(|row| motion(row).map_err(|error| invalid(format!("body {row}: {error}"))))
        .collect::<PyResult<Vec<Motion>>>()?;
    let threads = exec_of_call(threads)?.threads;
    let owned: Vec<OwnedShape> = shapes.iter().map(|shape| shape.get().shape.clone()).collect();
    let found = py.detach(|| {
        let shapes: Vec<Shape<'_>> = owned.iter().map(OwnedShape::shape).collect();
        let input = ToiInput { shapes: &shapes, motions: &motions, pairs, windows: &[] };
        let (mut rejected, mut out) = (Vec::new(), vec![Toi::default(); pairs.len()]);
        toi::pairs(&input, &settings, &threads, &mut rejected, &mut out)
            .map_err(|error| error.to_string())?;
        Ok(out)
    });
    let out = found.map_err(|error: String| invalid(error))?;
    let mut states = Vec::with_capacity(out.len());
    let mut times = Vec::with_capacity(out.len());
    let mut normals = Vec::with_capacity(out.len());
    for toi in &out {
        let code = match toi.result {
            ToiResult::Impact { .. } => 1,
            ToiResult::Overlapping { .. } => 2,
            ToiResult::Unresolved { .. } => 3,
            _ => 0,
        };
        states.push(code);
        times.push(state(&toi.result).1);
        normals.push(match toi.result {
            ToiResult::Impact { normal, .. } | ToiResult::Overlapping { normal, .. } => normal,
            _ => [0.0; 3],
        });
    }
    Ok((array(py, states), array(py, times), table(py, normals)?))
}

/// Distance of two convex shapes, its normal from `a` to `b`, and the nearest points.
#[pyfunction]
pub(crate) fn distance(
    a: &Convex,
    motion_a: &BodyMotion,
    b: &Convex,
    motion_b: &BodyMotion,
) -> PyResult<(f32, Vector, Vector, Vector)> {
    let (a, b) = (a.shape.shape(), b.shape.shape());
    let (pose_a, pose_b) = (&motion_a.motion.pose, &motion_b.motion.pose);
    let found = gjk::distance(&a, pose_a, &b, pose_b).map_err(invalid)?;
    Ok((found.distance, found.normal.into(), found.on_a.into(), found.on_b.into()))
}
