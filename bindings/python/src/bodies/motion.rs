//! The motion of a body over a tick.

use pyo3::prelude::*;
use swath::{Motion, Pose};

use crate::arguments::{vector_or, wrong};

/// Position, rotation, displacement, acceleration and spin of a body over a tick.
///
/// A point of the body is at ``position + delta * t + accel * t * t / 2`` plus its rotated arm. ``rotation`` is a
/// quaternion ``[x, y, z, w]`` of any length. ``spin`` is an axis times radians per tick.
#[pyclass(frozen, name = "Motion", module = "swath")]
pub(crate) struct BodyMotion {
    pub(super) motion: Motion,
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
