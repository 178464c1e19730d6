//! Bodies: shapes of all kinds, their motions, and what is between two of them.

mod at_rest;
mod bounds;
mod casts;
mod convex;
mod motion;
mod one;
mod pairs;
mod parts;
mod placed;
mod results;
mod settings;

pub(crate) use at_rest::{distances, overlaps_pairs};
pub(crate) use bounds::{MotionColumns, Movers, bounds_over};
pub(crate) use casts::{CastColumns, cast};
pub(crate) use convex::Convex;
pub(crate) use motion::BodyMotion;
pub(crate) use one::{FirstTime, distance, each_part, first_time, overlaps};
pub(crate) use pairs::first_times;
pub(crate) use parts::{PyCompound, PyHeightField, PyMesh};
pub(crate) use placed::PlacedBodies;
pub(crate) use results::{FirstTimeColumns, FirstTimes};
pub(crate) use settings::{SearchArguments, rounds_max, touch};

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use swath::convex::OwnedShape;
use swath::convex::toi::ToiResult;
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{Invalid, Shape};

use crate::arrays::mistyped;

/// The classes of shapes, for errors.
const CLASSES: &str = "Convex, Compound, Mesh or HeightField";

/// A shape of any kind. It is cheap to clone.
#[derive(Clone)]
pub(crate) enum Body {
    Convex(OwnedShape),
    Compound(Arc<Compound>),
    Mesh(Arc<Mesh<'static>>),
    HeightField(Arc<HeightField<'static>>),
}

impl Body {
    /// Returns the shape of an object, if it is one.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> Option<Self> {
        if let Some(shape) = Self::convex_of(object) {
            return Some(Self::Convex(shape));
        }
        if let Ok(shape) = object.cast::<PyCompound>() {
            return Some(Self::Compound(shape.get().compound.clone()));
        }
        if let Ok(shape) = object.cast::<PyMesh>() {
            return Some(Self::Mesh(shape.get().mesh.clone()));
        }
        let shape = object.cast::<PyHeightField>().ok()?;
        Some(Self::HeightField(shape.get().field.clone()))
    }

    /// Returns the convex shape of an object, if it is one.
    fn convex_of(object: &Bound<'_, PyAny>) -> Option<OwnedShape> {
        Some(object.cast::<Convex>().ok()?.get().shape.clone())
    }

    /// Reads a shape of any kind.
    fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(object).ok_or_else(|| mistyped(name, &format!("a {CLASSES}"), object))
    }

    /// Returns the shape as an argument of the functions for all kinds.
    pub(crate) fn geometry(&self) -> Geometry<'_> {
        match self {
            Self::Convex(shape) => shape.shape().into(),
            Self::Compound(compound) => Geometry::from(&**compound),
            Self::Mesh(mesh) => Geometry::from(&**mesh),
            Self::HeightField(field) => Geometry::from(&**field),
        }
    }

    /// Returns the shape if it is convex.
    pub(crate) fn convex(&self) -> Option<Shape<'_>> {
        if let Self::Convex(shape) = self { Some(shape.shape()) } else { None }
    }
}

/// Why a body is invalid. Rotations of any length are normalised here, so the text of the library about unit quaternions does not fit.
pub(crate) fn reason(error: &Invalid) -> String {
    match error {
        Invalid::Rotation => {
            "a rotation is zero, NaN or infinite; pass a quaternion of any other length".to_owned()
        }
        other => other.to_string(),
    }
}

/// Returns the name of a result in a window, and the time until which the window is free of contact.
fn state(result: &ToiResult, [from, to]: [f32; 2]) -> (&'static str, f32) {
    match *result {
        ToiResult::Impact { t, .. } => ("impact", t),
        ToiResult::Overlapping { .. } => ("overlapping", from),
        ToiResult::Unresolved { t_safe } => ("unresolved", t_safe),
        _ => ("separated", to),
    }
}

/// Reads the sequence `shapes`. `read` returns the shape of an object, if it has one of `classes`.
fn sequence<T>(
    object: &Bound<'_, PyAny>,
    classes: &str,
    read: impl Fn(&Bound<'_, PyAny>) -> Option<T>,
) -> PyResult<Vec<T>> {
    let wanted = |got: String| {
        PyTypeError::new_err(format!("shapes: expected a sequence of {classes}, got {got}"))
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
        let Some(shape) = read(&item) else {
            return Err(wanted(format!("one with {} in row {}", name(&item)?, shapes.len())));
        };
        shapes.push(shape);
    }
    Ok(shapes)
}
