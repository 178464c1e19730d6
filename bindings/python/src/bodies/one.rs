//! First times, distances and overlaps of two bodies.

use pyo3::prelude::*;
use swath::Motion;
use swath::convex::gjk::{self, Distance};
use swath::convex::toi::{self, ToiError, ToiResult};
use swath::mesh::toi as mesh_toi;
use swath::mesh::toi::PartToi;

use super::motion::BodyMotion;
use super::{Body, FirstTimeColumns, FirstTimes, SearchArguments, state};
use crate::arguments::instance;
use crate::arrays::invalid;

/// A vector as a tuple.
type Vector = (f32, f32, f32);

/// When two shapes first touch.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct FirstTime {
    /// "impact", "overlapping" (at the start, or after a touch that ``"ignore"`` ignores), "separated" or "unresolved".
    state: &'static str,
    /// First time of contact, a fraction of the tick, that of the start if they overlap there, None without a known contact.
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
    /// Depth beyond the target distance along the normal if they overlap at the start, else None. Of shapes with parts, such as two
    /// meshes, it is that of the one pair ``part_a`` and ``part_b``.
    depth: Option<f32>,
    /// The number of the part of ``a`` that touches, such as a triangle; 0 for a ``Convex``; None without a known contact.
    part_a: Option<u32>,
    /// The number of the part of ``b`` that touches, such as a triangle; 0 for a ``Convex``; None without a known contact.
    part_b: Option<u32>,
}

#[pymethods]
impl FirstTime {
    fn __repr__(&self) -> String {
        format!("FirstTime(state='{}', t={:?}, t_safe={})", self.state, self.t, self.t_safe)
            .replace("Some(", "")
            .replace("),", ",")
    }
}

/// Reads the shapes of two bodies by `read`, and their motions.
fn bodies<'a, 'py, S>(
    [a, motion_a]: [&'a Bound<'py, PyAny>; 2],
    [b, motion_b]: [&'a Bound<'py, PyAny>; 2],
    read: impl Fn(&str, &'a Bound<'py, PyAny>) -> PyResult<S>,
) -> PyResult<[(S, &'a Motion); 2]> {
    let motion = |name, object| Ok::<_, PyErr>(&instance::<BodyMotion>(name, object)?.get().motion);
    Ok([
        (read("a", a)?, motion("motion_a", motion_a)?),
        (read("b", b)?, motion("motion_b", motion_b)?),
    ])
}

/// When two shapes first come within ``target_distance`` of each other. Never late, never missed.
///
/// The shapes are of any class. If several parts of them touch, it is the first one, or that with the deepest overlap at
/// the start. The lock of the interpreter is released if one of them is not a ``Convex``.
///
/// ``tolerance`` limits the distance at an impact above the target, relative to the size of the smaller shape, from 0
/// to 1; by default it is 1/16384. ``touch`` states which touches at the start of the tick are impacts: every one
/// (``"hit"``), one whose nearest points close (``"if_closing"``), or none (``"ignore"``; those that then move into
/// each other have the state of an overlap).
///
/// ``window`` is the part of the tick that is searched, from one time to another in ``[0, 1]``, both included; the start is then
/// that of the window. ``rounds_max`` is the greatest number of rounds of the search, of shapes with parts for each pair of
/// parts; a search that needs more is unresolved.
#[pyfunction]
#[pyo3(
    signature = (a, motion_a, b, motion_b, *, target_distance=None, tolerance=None, touch=None, window=None, rounds_max=None),
    text_signature = "(a, motion_a, b, motion_b, *, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing', window=(0.0, 1.0), rounds_max=2048)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn first_time(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
    target_distance: Option<&Bound<'_, PyAny>>,
    tolerance: Option<&Bound<'_, PyAny>>,
    touch: Option<&Bound<'_, PyAny>>,
    window: Option<&Bound<'_, PyAny>>,
    rounds_max: Option<&Bound<'_, PyAny>>,
) -> PyResult<FirstTime> {
    let search = SearchArguments { target_distance, tolerance, touch, window, rounds_max };
    let settings = search.settings()?;
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b], Body::read)?;
    let found = if let (Some(a), Some(b)) = (a.convex(), b.convex()) {
        toi::one_to_one(&a, motion_a, &b, motion_b, &settings).map(PartToi::from)
    } else {
        py.detach(|| {
            mesh_toi::one_to_one(&a.geometry(), motion_a, &b.geometry(), motion_b, &settings)
        })
    };
    let PartToi { toi, parts: [part_a, part_b], .. } = found.map_err(invalid)?;
    let (state, t_safe) = state(&toi.result, settings.window);
    let (part_a, part_b) = (Some(part_a), Some(part_b));
    let free = FirstTime {
        state,
        t: None,
        t_safe,
        normal: None,
        on_a: None,
        on_b: None,
        closing: None,
        depth: None,
        part_a: None,
        part_b: None,
    };
    Ok(match toi.result {
        ToiResult::Impact { t, normal, on_a, on_b, closing } => FirstTime {
            t: Some(t),
            normal: Some(normal.into()),
            on_a: Some(on_a.into()),
            on_b: Some(on_b.into()),
            closing: Some(closing),
            part_a,
            part_b,
            ..free
        },
        ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => FirstTime {
            t: Some(settings.window[0]),
            normal: Some(normal.into()),
            on_a: Some(on_a.into()),
            on_b: Some(on_b.into()),
            closing: Some(closing),
            depth: Some(depth),
            part_a,
            part_b,
            ..free
        },
        _ => free,
    })
}

/// When each part of one shape first touches each part of another, as if no other parts were there.
///
/// The arguments are those of ``first_time``. The result has a row for each two parts that touch, overlap at the start or are
/// unresolved, in the order of time, then of the parts; an overlap counts as the start. ``rejected`` is empty. Each contact on an
/// edge between two triangles has the normal of the face of its own triangle, also where the shapes do not close along it and
/// ``first_time`` returns no impact.
#[pyfunction]
#[pyo3(
    signature = (a, motion_a, b, motion_b, *, target_distance=None, tolerance=None, touch=None, window=None, rounds_max=None),
    text_signature = "(a, motion_a, b, motion_b, *, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing', window=(0.0, 1.0), rounds_max=2048)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn each_part(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
    target_distance: Option<&Bound<'_, PyAny>>,
    tolerance: Option<&Bound<'_, PyAny>>,
    touch: Option<&Bound<'_, PyAny>>,
    window: Option<&Bound<'_, PyAny>>,
    rounds_max: Option<&Bound<'_, PyAny>>,
) -> PyResult<FirstTimes> {
    let search = SearchArguments { target_distance, tolerance, touch, window, rounds_max };
    let settings = search.settings()?;
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b], Body::read)?;
    let columns = py.detach(|| {
        let (a, b, mut contacts) = (a.geometry(), b.geometry(), Vec::new());
        mesh_toi::each_part(&a, motion_a, &b, motion_b, &settings, &mut contacts)?;
        let contacts = contacts.into_iter().map(|contact| (contact, settings.window));
        Ok(FirstTimeColumns::of(contacts))
    });
    columns.map_err(|error: ToiError| invalid(error))?.arrays(py, Vec::new())
}

/// Distance of two shapes of any class at the start of the tick, negative if they overlap; its normal from ``a`` to ``b``; the nearest
/// points of both. It is the least distance of all their parts, and triangles count from both sides.
///
/// If shapes with parts overlap, it is the distance of the first parts that were found to overlap, and not the depth of the shapes.
/// A shape without parts is infinitely far from all others.
#[pyfunction]
pub(crate) fn distance(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
) -> PyResult<(f32, Vector, Vector, Vector)> {
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b], Body::read)?;
    let (pose_a, pose_b) = (&motion_a.pose, &motion_b.pose);
    let find = || a.geometry().distance(pose_a, &b.geometry(), pose_b, f32::INFINITY);
    let found = py.detach(find).map_err(invalid)?;
    let found = found.map_or(Distance::INFINITE, |found| found.distance);
    Ok((found.distance, found.normal.into(), found.on_a.into(), found.on_b.into()))
}

/// Whether two shapes of any class overlap or touch at the start of the tick: less work than the distance.
///
/// A triangle of a one-sided mesh or height field counts if the position of the other body is in front of it, or is on
/// the surface of that body and touches the triangle; against another mesh or height field it counts from both sides.
#[pyfunction]
pub(crate) fn overlaps(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    motion_a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_b: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let [(a, motion_a), (b, motion_b)] = bodies([a, motion_a], [b, motion_b], Body::read)?;
    let (pose_a, pose_b) = (&motion_a.pose, &motion_b.pose);
    if let (Some(a), Some(b)) = (a.convex(), b.convex()) {
        return gjk::overlaps(&a, pose_a, &b, pose_b).map_err(invalid);
    }
    py.detach(|| a.geometry().overlaps(pose_a, &b.geometry(), pose_b)).map_err(invalid)
}
