//! Counts the support points of a distance.
//!
//! The result of a distance does not contain the number of support points. So the same pair is computed once
//! more, without timing, with shapes of the caller that count: the same cores with the same radii.

use std::sync::atomic::{AtomicU32, Ordering};

use swath::Shape;
use swath::convex::SupportMap;

use scenes::convex::{Form, Hulls};

/// A shape without its radius.
#[derive(Debug)]
enum Core {
    /// `±half`; also points and segments.
    Box([f64; 3]),
    Cylinder {
        half_height: f64,
        radius: f64,
    },
    Points(Vec<[f64; 3]>),
}

/// A shape that counts.
#[derive(Debug)]
pub(crate) struct Counted {
    core: Core,
    margin: f32,
    asked: AtomicU32,
}

impl Counted {
    pub(crate) fn new(form: Form, hulls: &Hulls) -> Self {
        let (core, margin) = match form {
            Form::Cuboid(half) => (Core::Box(half.map(f64::from)), 0.0),
            Form::Sphere(radius) => (Core::Box([0.0; 3]), radius),
            Form::Capsule { half_height, radius } => {
                (Core::Box([0.0, half_height.into(), 0.0]), radius)
            }
            Form::Cylinder { half_height, radius } => {
                let (half_height, radius) = (half_height.into(), radius.into());
                (Core::Cylinder { half_height, radius }, 0.0)
            }
            Form::Hull(row) => {
                let points = hulls.0[row].vertices().map(|point| point.map(f64::from));
                (Core::Points(points.collect()), 0.0)
            }
        };
        Self { core, margin, asked: AtomicU32::new(0) }
    }

    pub(crate) fn shape(&self) -> Shape<'_> {
        Shape::custom(self).and_then(|shape| shape.rounded(self.margin)).expect("lengths are valid")
    }

    /// Number of calls so far.
    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl SupportMap for Counted {
    fn support(&self, d: [f64; 3]) -> [f64; 3] {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match &self.core {
            Core::Box(half) => std::array::from_fn(|axis| half[axis].copysign(d[axis])),
            Core::Cylinder { half_height, radius } => {
                let across = d[0].hypot(d[2]);
                let part = if across > 0.0 { radius / across } else { 0.0 };
                [d[0] * part, half_height.copysign(d[1]), d[2] * part]
            }
            Core::Points(points) => points
                .iter()
                .copied()
                .max_by(|a, b| dot(*a, d).total_cmp(&dot(*b, d)))
                .expect("points"),
        }
    }

    fn bounding_radius(&self) -> f64 {
        match &self.core {
            Core::Box(half) => dot(*half, *half).sqrt(),
            Core::Cylinder { half_height, radius } => half_height.hypot(*radius),
            Core::Points(points) => points.iter().map(|p| dot(*p, *p).sqrt()).fold(0.0, f64::max),
        }
    }
}
