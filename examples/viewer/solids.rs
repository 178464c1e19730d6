//! The shapes that a request can contain.
//!
//! All kinds of [`Shape`]: a form, then its scale along its own axes, then the radius by which it is rounded.
//! A hull consists of random points inside an ellipsoid, each at a random depth. A terrain is not convex: it is a
//! [`Mesh`] of triangles over a square grid.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use serde::Deserialize;
use swath::Shape;
use swath::convex::{Hull, SupportMap};
use swath::mesh::{Geometry, Mesh};

/// The most points of a hull.
const POINTS_MAX: u32 = 256;
/// The most cells of a terrain along a side.
const CELLS_MAX: u32 = 16;
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
    Sphere {
        radius: f32,
    },
    Segment {
        a: [f32; 3],
        b: [f32; 3],
    },
    Cuboid {
        half: [f32; 3],
    },
    Capsule {
        half_height: f32,
        radius: f32,
    },
    Cylinder {
        half_height: f32,
        radius: f32,
    },
    Cone {
        half_height: f32,
        radius: f32,
    },
    Triangle {
        a: [f32; 3],
        b: [f32; 3],
        c: [f32; 3],
    },
    Hull {
        points: u32,
        seed: u64,
        half: [f32; 3],
    },
    Ellipsoid {
        half: [f32; 3],
    },
    /// Hills: half the sides along x and z, and the greatest height along y.
    Terrain {
        cells: u32,
        seed: u64,
        half: [f32; 3],
    },
}

/// The data that a [`Shape`] borrows.
#[derive(Debug)]
pub(crate) enum ShapeData {
    Nothing,
    Hull(Hull),
    Ellipsoid(Ellipsoid),
    Terrain(Box<Mesh<'static>>),
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
    pub(crate) fn shape_data(&self) -> Result<ShapeData, String> {
        match self.form {
            Form::Hull { points, .. } if points > POINTS_MAX => {
                Err(format!("a hull has at most {POINTS_MAX} points here, not {points}"))
            }
            Form::Hull { points, seed, half } => Hull::new(drawn(points, seed, half))
                .map(ShapeData::Hull)
                .map_err(|error| format!("invalid hull: {error}")),
            Form::Ellipsoid { half } => {
                // The half axes are validated like those of a box.
                Shape::cuboid(half).map_err(|error| format!("invalid ellipsoid: {error}"))?;
                Ok(ShapeData::Ellipsoid(Ellipsoid(half.map(f64::from))))
            }
            Form::Terrain { cells, .. } if !(1..=CELLS_MAX).contains(&cells) => {
                Err(format!("a terrain has 1 to {CELLS_MAX} cells along a side here, not {cells}"))
            }
            Form::Terrain { .. } if self.scale != [1.0; 3] || self.rounded != 0.0 => {
                Err("a terrain is neither scaled nor rounded: change its half sides".to_owned())
            }
            Form::Terrain { cells, seed, half } => {
                // The half sides are validated like those of a box.
                Shape::cuboid(half).map_err(|error| format!("invalid terrain: {error}"))?;
                let (vertices, triangles) = hills(cells, seed, half);
                let mesh = Mesh::new(vertices, triangles);
                mesh.map(|mesh| ShapeData::Terrain(Box::new(mesh)))
                    .map_err(|error| format!("invalid terrain: {error}"))
            }
            _ => Ok(ShapeData::Nothing),
        }
    }

    /// The shape, or the mesh of a terrain.
    pub(crate) fn geometry<'a>(&self, data: &'a ShapeData) -> Result<Geometry<'a>, String> {
        match data {
            ShapeData::Terrain(mesh) => Ok((&**mesh).into()),
            _ => self.shape(data).map(Geometry::Convex),
        }
    }

    fn shape<'a>(&self, data: &'a ShapeData) -> Result<Shape<'a>, String> {
        let form = match (&self.form, data) {
            (_, ShapeData::Hull(hull)) => Ok(Shape::hull(hull)),
            (_, ShapeData::Ellipsoid(ellipsoid)) => Shape::custom(ellipsoid),
            (&Form::Sphere { radius }, _) => Shape::sphere(radius),
            (&Form::Segment { a, b }, _) => Shape::segment(a, b),
            (&Form::Cuboid { half }, _) => Shape::cuboid(half),
            (&Form::Capsule { half_height, radius }, _) => Shape::capsule(half_height, radius),
            (&Form::Cylinder { half_height, radius }, _) => Shape::cylinder(half_height, radius),
            (&Form::Cone { half_height, radius }, _) => Shape::cone(half_height, radius),
            (&Form::Triangle { a, b, c }, _) => Shape::triangle([a, b, c]),
            (
                Form::Point | Form::Hull { .. } | Form::Ellipsoid { .. } | Form::Terrain { .. },
                _,
            ) => Ok(Shape::point()),
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

/// Vertices and triangles of a terrain: waves, and a random height at each vertex.
fn hills(cells: u32, seed: u64, half: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let phase = rng.random_range(0.0..std::f32::consts::TAU);
    let side = cells + 1;
    let along = |k: u32| 2.0 * k as f32 / cells as f32 - 1.0;
    let mut vertices = Vec::new();
    for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
        let (x, z) = (along(i), along(j));
        let wave = (3.1 * x + phase).sin() * (2.3 * z + 2.0 * phase).cos();
        let height = 0.8 * wave + 0.2 * rng.random_range(-1.0..1.0_f32);
        vertices.push([half[0] * x, half[1] * height, half[2] * z]);
    }
    let mut triangles = Vec::new();
    for (i, j) in (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))) {
        let a = i * side + j;
        // Counter-clockwise as seen from above.
        triangles.extend([[a, a + 1, a + side], [a + 1, a + side + 1, a + side]]);
    }
    (vertices, triangles)
}
