//! A convex shape that owns its hull.

use super::error::InvalidShape;
use super::hull::Hull;
use super::math::V3;
use super::shape::Shape;
use super::support::{Core, SupportMap};
use crate::par::Arc;

/// A convex shape that shares the ownership of its [`Hull`] or [`SupportMap`].
///
/// A [`Shape`] borrows its hull, which is cheap to copy but cannot be stored beside the hull. An engine stores an
/// `OwnedShape` for each body, and passes [`OwnedShape::shape`] in each tick.
///
/// ```
/// use std::sync::Arc;
/// use swath::convex::{Hull, OwnedShape, toi};
/// use swath::{Motion, Pose, Shape};
///
/// struct Body {
///     shape: OwnedShape,
///     motion: Motion,
/// }
///
/// let rock = Arc::new(Hull::new([[-1.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?);
/// let bodies = [
///     Body { shape: OwnedShape::hull(rock.clone()), motion: Motion::from(Pose::IDENTITY) },
///     Body { shape: OwnedShape::hull(rock).scaled([2.0; 3])?, motion: Motion::new(Pose::at([9.0, 0.0, 0.0])?, [-9.0, 0.0, 0.0])? },
///     Body { shape: Shape::sphere(1.0)?.into(), motion: Motion::from(Pose::IDENTITY) },
/// ];
/// let [a, b, _] = &bodies;
/// let toi = toi::one_to_one(&a.shape.shape(), &a.motion, &b.shape.shape(), &b.motion, &Default::default())?;
/// assert!((toi.impact().expect("they meet") - 6.0 / 9.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnedShape {
    /// The shape. If there is an owner, it has the same numbers and a core that is not used.
    shape: Shape<'static>,
    owner: Option<Owner>,
}

/// What a core borrows, and its scale.
#[derive(Clone, Debug)]
enum Owner {
    Hull(Arc<Hull>, V3),
    Map(Arc<dyn SupportMap>, V3, f64),
}

impl OwnedShape {
    /// Creates the shape of a hull.
    #[must_use]
    pub fn hull(hull: impl Into<Arc<Hull>>) -> Self {
        let hull = hull.into();
        let (shape, scale, _) = detach(Shape::hull(&hull));
        Self { shape, owner: Some(Owner::Hull(hull, scale)) }
    }

    /// Creates a shape from a support map of the caller.
    ///
    /// # Errors
    ///
    /// As for [`Shape::custom`].
    pub fn custom(map: Arc<dyn SupportMap>) -> Result<Self, InvalidShape> {
        let (shape, scale, radius) = detach(Shape::custom(&*map)?);
        Ok(Self { shape, owner: Some(Owner::Map(map, scale, radius)) })
    }

    /// Creates a shape from one that borrows nothing but this hull.
    pub(crate) fn with_hull(shape: Shape<'_>, hull: Option<&Arc<Hull>>) -> Self {
        let is_hull = matches!(shape.core, Core::Hull { .. });
        let (shape, scale, _) = detach(shape);
        let hull = hull.filter(|_| is_hull);
        Self { shape, owner: hull.map(|hull| Owner::Hull(hull.clone(), scale)) }
    }

    /// Returns the shape, which borrows the hull. It copies some numbers and computes nothing.
    #[must_use]
    pub fn shape(&self) -> Shape<'_> {
        let core = match &self.owner {
            None => self.shape.core,
            Some(Owner::Hull(hull, scale)) => Core::Hull { hull, scale: *scale },
            Some(Owner::Map(map, scale, radius)) => {
                Core::Map { map: &**map, scale: *scale, radius: *radius }
            }
        };
        Shape { core, ..self.shape }
    }

    /// Returns the shape of all points that are at most `radius` from this shape.
    ///
    /// # Errors
    ///
    /// As for [`Shape::rounded`].
    pub fn rounded(&self, radius: f32) -> Result<Self, InvalidShape> {
        match self.owner {
            None => self.shape.rounded(radius).map(Self::from),
            Some(_) => Ok(self.with(self.shape().rounded(radius)?)),
        }
    }

    /// Returns this shape, scaled on each of its own axes.
    ///
    /// # Errors
    ///
    /// As for [`Shape::scaled`].
    pub fn scaled(&self, factors: impl Into<[f32; 3]>) -> Result<Self, InvalidShape> {
        match self.owner {
            None => self.shape.scaled(factors).map(Self::from),
            Some(_) => Ok(self.with(self.shape().scaled(factors)?)),
        }
    }

    /// Returns `shape`, which was made of this one, with the same owner. A shape without an owner may borrow something that
    /// is never freed, so it is not made like this.
    fn with(&self, shape: Shape<'_>) -> Self {
        let (shape, scale, radius) = detach(shape);
        let owner = self.owner.as_ref().map(|owner| match owner {
            Owner::Hull(hull, _) => Owner::Hull(hull.clone(), scale),
            Owner::Map(map, ..) => Owner::Map(map.clone(), scale, radius),
        });
        Self { shape, owner }
    }
}

/// Returns the numbers of a shape without what it borrows, and the scale and the bounding radius of what it borrows.
fn detach(shape: Shape<'_>) -> (Shape<'static>, V3, f64) {
    let unused = Core::of_box(V3::ZERO);
    let (core, scale, map_radius) = match shape.core {
        Core::Box { half, center } => (Core::Box { half, center }, V3::ONE, 0.0),
        Core::Triangle { points } => (Core::Triangle { points }, V3::ONE, 0.0),
        Core::Discs { radius, top, low, high, scale } => {
            (Core::Discs { radius, top, low, high, scale }, V3::ONE, 0.0)
        }
        Core::Hull { scale, .. } => (unused, scale, 0.0),
        Core::Map { scale, radius, .. } => (unused, scale, radius),
        Core::Placed(_) => (unused, V3::ONE, 0.0),
    };
    let Shape { radius, bounding_radius, extent, size, .. } = shape;
    (Shape { core, radius, bounding_radius, extent, size }, scale, map_radius)
}

impl From<Shape<'static>> for OwnedShape {
    fn from(shape: Shape<'static>) -> Self {
        Self { shape, owner: None }
    }
}
