//! Hard convex shapes, as plain numbers.
//!
//! They are floats only: the solids of `spec` are made from them here, and other shapes by the callers.

use super::draw::Draw;
use rand::RngExt;
use spec::{Core, MovingSolid, Solid};

/// The core of a shape; conventions are those of [`spec::Core`].
#[derive(Clone, Debug, PartialEq)]
pub enum PlainCore {
    Point,
    Segment([[f32; 3]; 2]),
    /// Half extents.
    Cuboid([f32; 3]),
    Triangle([[f32; 3]; 3]),
    /// The hull of at least one point.
    Hull(Vec<[f32; 3]>),
    Cylinder {
        half_height: f32,
        radius: f32,
    },
    Cone {
        half_height: f32,
        radius: f32,
    },
}

/// A core with a ball of `radius` around each of its points.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainShape {
    pub core: PlainCore,
    pub radius: f32,
}

/// Position and motion of a body; see [`spec::MovingSolid`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainMotion {
    pub position: [f32; 3],
    pub delta: [f32; 3],
    pub accel: [f32; 3],
    /// `[x, y, z, w]`, of length one except for rounding.
    pub orientation: [f32; 4],
    pub spin: [f32; 3],
}

impl PlainMotion {
    pub const REST: Self = Self {
        position: [0.0; 3],
        delta: [0.0; 3],
        accel: [0.0; 3],
        orientation: [0.0, 0.0, 0.0, 1.0],
        spin: [0.0; 3],
    };
}

impl PlainShape {
    /// Scales by a power of two; other factors give another shape.
    pub fn scaled(&self, by: f32) -> Self {
        let point = |p: [f32; 3]| p.map(|x| x * by);
        let core = match &self.core {
            PlainCore::Point => PlainCore::Point,
            PlainCore::Segment(ends) => PlainCore::Segment(ends.map(point)),
            PlainCore::Cuboid(half) => PlainCore::Cuboid(point(*half)),
            PlainCore::Triangle(corners) => PlainCore::Triangle(corners.map(point)),
            PlainCore::Hull(points) => PlainCore::Hull(points.iter().copied().map(point).collect()),
            &PlainCore::Cylinder { half_height, radius } => {
                PlainCore::Cylinder { half_height: half_height * by, radius: radius * by }
            }
            &PlainCore::Cone { half_height, radius } => {
                PlainCore::Cone { half_height: half_height * by, radius: radius * by }
            }
        };
        Self { core, radius: self.radius * by }
    }

    pub fn solid(&self) -> Solid {
        let wide = |p: &[f32; 3]| p.map(f64::from);
        let core = match &self.core {
            PlainCore::Point => Core::Hull(vec![[0.0; 3]]),
            PlainCore::Segment(points) => Core::Hull(points.iter().map(wide).collect()),
            PlainCore::Cuboid(half) => Core::cuboid(wide(half)),
            PlainCore::Triangle(points) => Core::Hull(points.iter().map(wide).collect()),
            PlainCore::Hull(points) => Core::Hull(points.iter().map(wide).collect()),
            &PlainCore::Cylinder { half_height, radius } => {
                Core::Cylinder { half_height: half_height.into(), radius: radius.into() }
            }
            &PlainCore::Cone { half_height, radius } => {
                Core::Cone { half_height: half_height.into(), radius: radius.into() }
            }
        };
        Solid { core, radius: self.radius.into() }
    }

    /// The solid with its motion.
    pub fn moving(&self, motion: &PlainMotion) -> MovingSolid {
        MovingSolid {
            solid: self.solid(),
            position: motion.position.map(f64::from),
            delta: motion.delta.map(f64::from),
            accel: motion.accel.map(f64::from),
            orientation: motion.orientation.map(f64::from),
            spin: motion.spin.map(f64::from),
        }
    }

    /// The corners of a core, if it has any.
    pub fn corners(&self) -> Option<Vec<[f64; 3]>> {
        match self.solid().core {
            Core::Hull(points) => Some(points),
            _ => None,
        }
    }
}

/// A shape of about the given size: of every kind, a third of them with edges only.
pub fn shape(draw: &mut Draw, size: f32) -> PlainShape {
    let round = draw.one_of(&[0.0, 0.0, 0.1, 0.5]) * size;
    let mut length = || size * draw.between(0.2, 1.0);
    let (x, y, z) = (length(), length(), length());
    let (core, radius) = match draw.0.random_range(0..11) {
        0 => (PlainCore::Point, size * draw.between(0.2, 1.0)),
        1 => (PlainCore::Segment([[0.0, -y, 0.0], [0.0, y, 0.0]]), round.max(0.05 * size)),
        2 | 3 => (PlainCore::Cuboid([x, y, z]), round),
        4 => (PlainCore::Cylinder { half_height: y, radius: x }, round),
        5 => (PlainCore::Cone { half_height: y, radius: x }, round),
        6 => (PlainCore::Triangle([0; 3].map(|_| point_in(draw, size))), round),
        7 => (PlainCore::Hull(lattice(draw, size)), round),
        _ => (PlainCore::Hull(cloud(draw, size)), round),
    };
    PlainShape { core, radius }
}

fn point_in(draw: &mut Draw, size: f32) -> [f32; 3] {
    [0; 3].map(|_| draw.between(-size, size))
}

/// On a ball, in a box, in a plane, on a line, in one place; some of them twice.
fn cloud(draw: &mut Draw, size: f32) -> Vec<[f32; 3]> {
    let count = draw.one_of(&[1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64, 128]);
    let kind = draw.0.random_range(0..6);
    let (along, across) = (point_in(draw, size), point_in(draw, size));
    let mut points: Vec<[f32; 3]> = (0..count)
        .map(|_| match kind {
            0 | 1 => {
                let p = point_in(draw, 1.0);
                let far = p.iter().map(|x| x * x).sum::<f32>().sqrt().max(0.1);
                p.map(|x| x / far * size)
            }
            2 => {
                let (s, t) = (draw.between(-1.0, 1.0), draw.between(-1.0, 1.0));
                [0, 1, 2].map(|k| along[k] * s + across[k] * t)
            }
            3 => {
                let s = draw.between(-1.0, 1.0);
                along.map(|x| x * s)
            }
            _ => point_in(draw, size),
        })
        .collect();
    if draw.one_in(4) {
        let again = points[draw.0.random_range(0..points.len())];
        points.push(again);
    }
    points
}

/// Corners on a grid of quarters of a size that is a power of two.
pub fn lattice(draw: &mut Draw, size: f32) -> Vec<[f32; 3]> {
    let unit = size.log2().floor().exp2() / 4.0;
    let count = draw.one_of(&[1, 2, 3, 4, 6, 8, 14, 30]);
    let flat = [0; 3].map(|_| draw.one_in(6));
    let mut point = || flat.map(|flat| if flat { 0.0 } else { draw.whole(-4, 4) * unit });
    (0..count).map(|_| point()).collect()
}
