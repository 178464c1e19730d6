//! The shapes that a request can contain.
//!
//! All kinds of [`Shape`]: a form, then its scale along its own axes, then the radius by which it is rounded.
//! A hull consists of random points inside an ellipsoid, each at a random depth.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use serde::Deserialize;
use swath::Shape;
use swath::convex::{Hull, SupportMap};

/// The most points of a hull.
const POINTS_MAX: u32 = 256;
/// The least radius of the random points, relative to the greatest.
const DEPTH: f32 = 0.7;

/// A shape in a request. Lengths are those of [`Shape`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Solid {
    pub(crate) form: Form,
    #[serde(default = "one")]
    pub(crate) scale: [f32; 3],
    #[serde(default)]
    pub(crate) rounded: f32,
}

fn one() -> [f32; 3] {
    [1.0; 3]
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Form {
    Point,
    Sphere { radius: f32 },
    Segment { a: [f32; 3], b: [f32; 3] },
    Cuboid { half: [f32; 3] },
    Capsule { half_height: f32, radius: f32 },
    Cylinder { half_height: f32, radius: f32 },
    Cone { half_height: f32, radius: f32 },
    Triangle { a: [f32; 3], b: [f32; 3], c: [f32; 3] },
    Hull { points: u32, seed: u64, half: [f32; 3] },
    Ellipsoid { half: [f32; 3] },
}

/// The data that a [`Shape`] borrows.
#[derive(Debug)]
pub(crate) enum Lent {
    Nothing,
    Hull(Hull),
    Ellipsoid(Ellipsoid),
}

/// The half axes of an ellipsoid, which is a support map of the caller.
#[derive(Debug)]
pub(crate) struct Ellipsoid([f64; 3]);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let Self(half) = self;
        let scaled: [f64; 3] = std::array::from_fn(|axis| half[axis] * direction[axis]);
        let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
        // The shape is flat across the direction, so every point is a support point.
        let length = if length > 0.0 { length } else { 1.0 };
        std::array::from_fn(|axis| half[axis] * scaled[axis] / length)
    }

    fn bounding_radius(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

impl Solid {
    /// Creates the data that the shape borrows.
    pub(crate) fn lend(&self) -> Result<Lent, String> {
        match self.form {
            Form::Hull { points, .. } if points > POINTS_MAX => {
                Err(format!("a hull has at most {POINTS_MAX} points here, not {points}"))
            }
            Form::Hull { points, seed, half } => Hull::new(drawn(points, seed, half))
                .map(Lent::Hull)
                .map_err(|error| format!("invalid hull: {error}")),
            Form::Ellipsoid { half } => {
                // The half axes are validated like those of a box.
                Shape::cuboid(half).map_err(|error| format!("invalid ellipsoid: {error}"))?;
                Ok(Lent::Ellipsoid(Ellipsoid(half.map(f64::from))))
            }
            _ => Ok(Lent::Nothing),
        }
    }

    pub(crate) fn shape<'a>(&self, lent: &'a Lent) -> Result<Shape<'a>, String> {
        let form = match (&self.form, lent) {
            (_, Lent::Hull(hull)) => Ok(Shape::hull(hull)),
            (_, Lent::Ellipsoid(ellipsoid)) => Shape::custom(ellipsoid),
            (&Form::Sphere { radius }, _) => Shape::sphere(radius),
            (&Form::Segment { a, b }, _) => Shape::segment(a, b),
            (&Form::Cuboid { half }, _) => Shape::cuboid(half),
            (&Form::Capsule { half_height, radius }, _) => Shape::capsule(half_height, radius),
            (&Form::Cylinder { half_height, radius }, _) => Shape::cylinder(half_height, radius),
            (&Form::Cone { half_height, radius }, _) => Shape::cone(half_height, radius),
            (&Form::Triangle { a, b, c }, _) => Shape::triangle([a, b, c]),
            (Form::Point | Form::Hull { .. } | Form::Ellipsoid { .. }, _) => Ok(Shape::point()),
        };
        form.and_then(|shape| shape.scaled(self.scale))
            .and_then(|shape| shape.rounded(self.rounded))
            .map_err(|error| format!("invalid shape: {error}"))
    }
}

/// Random points inside an ellipsoid, near its surface.
fn drawn(points: u32, seed: u64, half: [f32; 3]) -> Vec<[f32; 3]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut point = || {
        loop {
            let way: [f32; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            let square: f32 = way.iter().map(|x| x * x).sum();
            if (0.01..1.0).contains(&square) {
                let far = rng.random_range(DEPTH..1.0) / square.sqrt();
                return std::array::from_fn(|axis| way[axis] * far * half[axis]);
            }
        }
    };
    (0..points).map(|_| point()).collect()
}
