//! Convex shapes.

use std::sync::Arc;

use pyo3::prelude::*;
use swath::convex::{Hull, InvalidShape, OwnedShape};
use swath::{Pose, Shape};

use crate::arguments::{length, vector, wrong};
use crate::arrays::{Vectors, invalid};

/// A convex shape, in coordinates of its body. Its origin is the position of a ``Motion``, about which the body
/// rotates.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Convex {
    pub(super) shape: OwnedShape,
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
