//! The motion of a body over a tick.

use pyo3::prelude::*;
use swath::{Motion, Pose};

use super::reason;
use crate::arguments::{number, vector, vector_or, wrong};

/// A vector as a tuple.
type Vector = (f32, f32, f32);

/// A quaternion as a tuple.
type Quaternion = (f32, f32, f32, f32);

/// Position, rotation, displacement, acceleration and spin of a body over a tick.
///
/// A point of the body is at ``position + delta * t + accel * t * t / 2`` plus its rotated arm. ``rotation`` is a
/// quaternion ``[x, y, z, w]`` of any length. ``spin`` is a vector of radians per tick in the axes of the world: the
/// rotation by ``spin * t`` is applied after ``rotation``. The arguments are attributes too, as tuples; that of
/// ``rotation`` has unit length.
///
/// A link that rotates about a joint moves on an arc, but a motion is a straight line with a constant spin: put the
/// origin on the axis of the joint, or add the deviation to ``target_distance``.
#[pyclass(frozen, name = "Motion", module = "swath")]
pub(crate) struct BodyMotion {
    pub(crate) motion: Motion,
}

/// Reads a position.
fn position(name: &str, object: &Bound<'_, PyAny>) -> PyResult<[f32; 3]> {
    let position = vector(name, object)?;
    Pose::at(position).map_err(|error| wrong(name, error))?;
    Ok(position)
}

/// Reads a quaternion of any length, and returns the pose with it.
fn pose(position: [f32; 3], name: &str, object: Option<&Bound<'_, PyAny>>) -> PyResult<Pose> {
    let rotation = vector_or(name, object, Pose::IDENTITY.rotation)?;
    Pose::normalized(position, rotation).map_err(|error| wrong(name, reason(&error)))
}

/// Returns the rotation vector, of at most half a turn, that takes the unit quaternion `from` to `to`.
///
/// The angle is computed by operations that IEEE 754 rounds, so it has the same bits on every computer.
fn rotation_between(from: [f32; 4], to: [f32; 4]) -> [f32; 3] {
    let ([a, b, c, d], [x, y, z, w]) = (from.map(f64::from), to.map(f64::from));
    // The product of `to` and the conjugate of `from`. It and its negative are the same rotation.
    let cos = w * d + x * a + y * b + z * c;
    let sign = if cos < 0.0 { -1.0 } else { 1.0 };
    let cos = sign * cos;
    let axis = [
        sign * (x * d - w * a + z * b - y * c),
        sign * (y * d - w * b + x * c - z * a),
        sign * (z * d - w * c + y * a - x * b),
    ];
    let sin = (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
    if sin == 0.0 {
        return [0.0; 3];
    }
    // The tangent of half of the angle between the quaternions, from 0 to 1, is halved twice more, so that the series converges fast.
    let half = |tangent: f64| tangent / (1.0 + (1.0 + tangent * tangent).sqrt());
    let tangent = half(half(sin / (cos + (sin * sin + cos * cos).sqrt())));
    let square = tangent * tangent;
    let series = (0..14).rev().fold(0.0, |sum, k| 1.0 / f64::from(2 * k + 1) - square * sum);
    let angle = 16.0 * tangent * series;
    axis.map(|along| (along / sin * angle) as f32)
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
        let position =
            position.map_or(Ok([0.0; 3]), |object| self::position("position", object))?;
        let pose = self::pose(position, "rotation", rotation)?;
        let motion = Motion::new(pose, vector_or("delta", delta, [0.0; 3])?);
        let motion = motion.map_err(|error| wrong("delta", error))?;
        let motion = motion.accelerating(vector_or("accel", accel, [0.0; 3])?);
        let motion = motion.map_err(|error| wrong("accel", error))?;
        let motion = motion.spinning(vector_or("spin", spin, [0.0; 3])?);
        Ok(Self { motion: motion.map_err(|error| wrong("spin", error))? })
    }

    /// The motion from one pose to another, on a straight line, with a constant spin.
    ///
    /// The body rotates by the smaller angle, of at most half a turn, so a tick with a longer rotation needs a ``spin`` of
    /// the caller. At the end of the tick the body is at the second pose, except for rounding. The rotations are quaternions
    /// ``[x, y, z, w]`` of any length.
    #[staticmethod]
    fn between(
        position0: &Bound<'_, PyAny>,
        rotation0: &Bound<'_, PyAny>,
        position1: &Bound<'_, PyAny>,
        rotation1: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let start = pose(position("position0", position0)?, "rotation0", Some(rotation0))?;
        let end = pose(position("position1", position1)?, "rotation1", Some(rotation1))?;
        let delta = [0, 1, 2]
            .map(|axis| (f64::from(end.position[axis]) - f64::from(start.position[axis])) as f32);
        let motion = Motion::new(start, delta).map_err(|error| wrong("position1", error))?;
        let motion = motion.spinning(rotation_between(start.rotation, end.rotation));
        Ok(Self { motion: motion.map_err(|error| wrong("rotation1", error))? })
    }

    /// The position and the rotation at ``t``, a fraction of the tick, which is clamped to ``[0, 1]``.
    fn at(&self, t: &Bound<'_, PyAny>) -> PyResult<(Vector, Quaternion)> {
        let pose = self.motion.at(number("t", t)? as f32);
        Ok((pose.position.into(), pose.rotation.into()))
    }

    /// The position at the start of the tick.
    #[getter]
    fn position(&self) -> Vector {
        self.motion.pose.position.into()
    }

    /// The rotation at the start of the tick, a quaternion ``(x, y, z, w)`` of unit length.
    #[getter]
    fn rotation(&self) -> Quaternion {
        self.motion.pose.rotation.into()
    }

    /// The displacement over the tick without the acceleration.
    #[getter]
    fn delta(&self) -> Vector {
        self.motion.delta.into()
    }

    /// The acceleration, in length per tick squared.
    #[getter]
    fn accel(&self) -> Vector {
        self.motion.accel.into()
    }

    /// The rotation over the tick, a vector of radians in the axes of the world.
    #[getter]
    fn spin(&self) -> Vector {
        self.motion.spin.into()
    }

    fn __repr__(&self) -> String {
        format!(
            "Motion({:?}, rotation={:?}, delta={:?}, accel={:?}, spin={:?})",
            self.position(),
            self.rotation(),
            self.delta(),
            self.accel(),
            self.spin()
        )
    }
}
