//! Convex shapes, their motions, and what is between two of them.

mod bounds;
mod pairs;

pub(crate) use bounds::bounds_over;
pub(crate) use pairs::{FirstTimes, first_times};

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use swath::convex::toi::{self, Settings, ToiResult, Touch};
use swath::convex::{Hull, InvalidShape, OwnedShape, gjk};
use swath::{Motion, Pose, Shape};

use crate::arguments::{Words, instance, length, number_or, vector, vector_or, word, wrong};
use crate::arrays::{Vectors, invalid};

/// A convex shape, in coordinates of its body. Its origin is the position of a ``Motion``, about which the body
/// rotates.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Convex {
    shape: OwnedShape,
}

impl Convex {
    fn of(shape: Result<Shape<'static>, InvalidShape>) -> PyResult<Self> {
        Ok(Self { shape: shape.map_err(invalid)?.into() })
    }
}

#[pymethods]
impl Convex {
    /// The convex hull of points, ``(n, 3)``.
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let points = Vectors::new("points", points)?;
        let hull = Hull::new(points.rows().iter().copied());
        let hull = hull.map_err(|error| wrong("points", error))?;
        Ok(Self { shape: OwnedShape::hull(Arc::new(hull)) })
    }

    /// A ball about the origin. With the radius 0 it is a point.
    #[staticmethod]
    fn sphere(radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(Shape::sphere(length("radius", radius)?))
    }

    /// A box about the origin. ``half_extents`` are three lengths; zero makes it flat.
    #[staticmethod]
    fn cuboid(half_extents: &Bound<'_, PyAny>) -> PyResult<Self> {
        let half_extents = vector::<3>("half_extents", half_extents)?;
        let shape = Shape::cuboid(half_extents).map_err(|error| wrong("half_extents", error))?;
        Self::of(Ok(shape))
    }

    /// A capsule along the y axis: a segment from ``-half_height`` to ``half_height``, rounded by ``radius``.
    #[staticmethod]
    fn capsule(half_height: &Bound<'_, PyAny>, radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(Shape::capsule(length("half_height", half_height)?, length("radius", radius)?))
    }

    /// A cylinder along the y axis, from ``-half_height`` to ``half_height``.
    #[staticmethod]
    fn cylinder(half_height: &Bound<'_, PyAny>, radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(Shape::cylinder(length("half_height", half_height)?, length("radius", radius)?))
    }

    /// A cone along the y axis, with its disc at ``-half_height`` and its tip at ``half_height``.
    #[staticmethod]
    fn cone(half_height: &Bound<'_, PyAny>, radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(Shape::cone(length("half_height", half_height)?, length("radius", radius)?))
    }

    /// The segment between two points, three numbers each.
    #[staticmethod]
    fn segment(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(Shape::segment(point("a", a)?, point("b", b)?))
    }

    /// A triangle of three corners, three numbers each, which may be collinear or equal.
    #[staticmethod]
    fn triangle(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        c: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Self::of(Shape::triangle([point("a", a)?, point("b", b)?, point("c", c)?]))
    }

    /// The same shape with all points within ``radius`` of it.
    fn rounded(&self, radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rounded = self.shape.rounded(length("radius", radius)?);
        Ok(Self { shape: rounded.map_err(|error| wrong("radius", error))? })
    }

    /// The same shape, scaled on each of its own axes by one of three ``factors``.
    ///
    /// A negative factor mirrors it, zero makes it flat. The factors of a rounded shape must have the same magnitude.
    fn scaled(&self, factors: &Bound<'_, PyAny>) -> PyResult<Self> {
        let scaled = self.shape.scaled(vector::<3>("factors", factors)?);
        Ok(Self { shape: scaled.map_err(|error| wrong("factors", error))? })
    }
}

/// Reads a point.
fn point(name: &str, object: &Bound<'_, PyAny>) -> PyResult<[f32; 3]> {
    let point = vector::<3>(name, object)?;
    Pose::at(point).map_err(|error| wrong(name, error))?;
    Ok(point)
}

/// Position, rotation, displacement, acceleration and spin of a body over a tick.
///
/// A point of the body is at ``position + delta * t + accel * t * t / 2`` plus its rotated arm. ``rotation`` is a
/// quaternion ``[x, y, z, w]`` of any length. ``spin`` is an axis times radians per tick.
#[pyclass(frozen, name = "Motion", module = "swath")]
pub(crate) struct BodyMotion {
    motion: Motion,
}

#[pymethods]
impl BodyMotion {
    #[new]
    #[pyo3(
        signature = (position=None, *, rotation=None, delta=None, accel=None, spin=None),
        text_signature = "(position=(0.0, 0.0, 0.0), *, rotation=(0.0, 0.0, 0.0, 1.0), delta=(0.0, 0.0, 0.0), accel=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0))"
    )]
    fn new(
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        delta: Option<&Bound<'_, PyAny>>,
        accel: Option<&Bound<'_, PyAny>>,
        spin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let position = vector_or("position", position, [0.0; 3])?;
        Pose::at(position).map_err(|error| wrong("position", error))?;
        let rotation = vector_or("rotation", rotation, Pose::IDENTITY.rotation)?;
        let pose = Pose::normalized(position, rotation);
        let pose = pose.map_err(|error| wrong("rotation", error))?;
        let motion = Motion::new(pose, vector_or("delta", delta, [0.0; 3])?);
        let motion = motion.map_err(|error| wrong("delta", error))?;
        let motion = motion.accelerating(vector_or("accel", accel, [0.0; 3])?);
        let motion = motion.map_err(|error| wrong("accel", error))?;
        let motion = motion.spinning(vector_or("spin", spin, [0.0; 3])?);
        Ok(Self { motion: motion.map_err(|error| wrong("spin", error))? })
    }
}

/// A vector as a tuple.
type Vector = (f32, f32, f32);

/// When two shapes first touch.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct FirstTime {
    /// "impact", "overlapping" (at the start, or after a touch that ``"ignore"`` ignores), "separated" or "unresolved".
    state: &'static str,
    /// First time of contact, a fraction of the tick, 0 if they overlap at the start, None without a known contact.
    t: Option<f32>,
    /// Time that is proved to be free of contact.
    t_safe: f32,
    /// Unit normal at that time, from ``a`` to ``b``; None without a known contact.
    normal: Option<Vector>,
    /// The point of ``a`` nearest to ``b`` at that time, or deepest inside it, in world coordinates.
    on_a: Option<Vector>,
    /// The point of ``b`` nearest to ``a`` at that time, or deepest inside it, in world coordinates.
    on_b: Option<Vector>,
    /// Closing speed of these points along the normal, in length per tick; negative if they separate.
    closing: Option<f32>,
    /// Depth beyond the target distance along the normal if they overlap at the start, else None.
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

/// Which touches at the start count.
pub(crate) const TOUCHES: Words<Touch, 3> =
    [("hit", Touch::Hit), ("if_closing", Touch::IfClosing), ("ignore", Touch::Ignore)];

/// Reads the argument `touch`.
pub(crate) fn touch(object: Option<&Bound<'_, PyAny>>) -> PyResult<Touch> {
    object.map_or(Ok(Touch::IfClosing), |object| word("touch", object, &TOUCHES))
}

/// Reads the settings of a search.
fn settings(
    target_distance: Option<&Bound<'_, PyAny>>,
    tolerance: Option<&Bound<'_, PyAny>>,
    touch: Option<&Bound<'_, PyAny>>,
) -> PyResult<Settings> {
    let target_distance = number_or("target_distance", target_distance, 0.0)?;
    let settings = Settings { target_distance, touch: self::touch(touch)?, ..Settings::default() };
    settings.validate().map_err(|error| wrong("target_distance", error))?;
    let tolerance = number_or("tolerance", tolerance, Settings::TOLERANCE)?;
    let settings = Settings { tolerance, ..settings };
    settings.validate().map_err(|error| wrong("tolerance", error))?;
    Ok(settings)
}

/// A shape and its motion.
type Body<'a> = (Shape<'a>, &'a Motion);

/// Reads the shapes and the motions of two bodies.
fn bodies<'a>(
    [a, motion_a]: [&'a Bound<'_, PyAny>; 2],
    [b, motion_b]: [&'a Bound<'_, PyAny>; 2],
) -> PyResult<[Body<'a>; 2]> {
    let shape =
        |name, object| Ok::<_, PyErr>(instance::<Convex>(name, object)?.get().shape.shape());
    let motion = |name, object| Ok::<_, PyErr>(&instance::<BodyMotion>(name, object)?.get().motion);
    Ok([
        (shape("a", a)?, motion("motion_a", motion_a)?),
        (shape("b", b)?, motion("motion_b", motion_b)?),
    ])
}

/// When two convex shapes first come within ``target_distance`` of each other. Never late, never missed.
///
/// ``tolerance`` limits the distance at an impact above the target, relative to the size of the smaller shape, from 0
/// to 1; by default it is 1/16384. ``touch`` states which touches at the start of the tick are impacts: every one
/// (``"hit"``), one whose nearest points close (``"if_closing"``), or none (``"ignore"``; those that then move into
/// each other have the state of an overlap).
#[pyfunction]
#[pyo3(
    signature = (a, motion_a, b, motion_b, *, target_distance=None, tolerance=None, touch=None),
    text_signature = "(a, motion_a, b, motion_b, *, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing')"
)]
pub(crate) fn first_time(
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
    target_distance: Option<&Bound<'_, PyAny>>,
    tolerance: Option<&Bound<'_, PyAny>>,
    touch: Option<&Bound<'_, PyAny>>,
) -> PyResult<FirstTime> {
    let settings = settings(target_distance, tolerance, touch)?;
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b])?;
    let toi = toi::one_to_one(&a, motion_a, &b, motion_b, &settings).map_err(invalid)?;
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

/// Distance at the start of the tick, negative if the shapes overlap; its normal from ``a`` to ``b``; the nearest
/// points of both.
#[pyfunction]
pub(crate) fn distance(
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
) -> PyResult<(f32, Vector, Vector, Vector)> {
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b])?;
    let found = gjk::distance(&a, &motion_a.pose, &b, &motion_b.pose).map_err(invalid)?;
    Ok((found.distance, found.normal.into(), found.on_a.into(), found.on_b.into()))
}

/// Whether the shapes overlap or touch at the start of the tick: less work than the distance.
#[pyfunction]
pub(crate) fn overlaps(
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b])?;
    gjk::overlaps(&a, &motion_a.pose, &b, &motion_b.pose).map_err(invalid)
}

/// Reads a sequence of shapes.
fn shapes(object: &Bound<'_, PyAny>) -> PyResult<Vec<OwnedShape>> {
    let wanted = |got: String| {
        PyTypeError::new_err(format!("shapes: expected a sequence of Convex, got {got}"))
    };
    let name = |object: &Bound<'_, PyAny>| object.get_type().name().map(|name| name.to_string());
    let items = object.try_iter().or_else(|error| {
        if !error.is_instance_of::<PyTypeError>(object.py()) {
            return Err(error);
        }
        name(object).and_then(|got| Err(wanted(got)))
    })?;
    let mut shapes = Vec::new();
    for item in items {
        let item = item?;
        let Ok(shape) = item.cast::<Convex>() else {
            return Err(wanted(format!("one with {} in row {}", name(&item)?, shapes.len())));
        };
        shapes.push(shape.get().shape.clone());
    }
    Ok(shapes)
}
