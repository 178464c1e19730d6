//! Hard spheres, planes and boxes for overlap tests.
//!
//! In each family of cases shapes touch, or miss each other by about a rounding error: integers, thirds,
//! distant positions, the least and the greatest floats. A seed determines a sequence.

use super::draw::Draw;
use rand::RngExt;
use swath::batch::SphereColumns;
use swath::{Aabb, COORD_MAX, MovingBox, Plane, Sphere};

use super::cases::{HOSTILE, cases};

/// A sphere and a box.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    pub sphere: Sphere,
    pub aabb: Aabb,
}

/// Planes and a box.
#[derive(Clone, Debug)]
pub struct Cut {
    pub planes: Vec<Plane>,
    pub aabb: Aabb,
}

/// Integers; the squares of three add up to that of the fourth.
const SQUARES: [[f32; 4]; 9] = [
    [1.0, 2.0, 2.0, 3.0],
    [2.0, 3.0, 6.0, 7.0],
    [1.0, 4.0, 8.0, 9.0],
    [4.0, 4.0, 7.0, 9.0],
    [2.0, 6.0, 9.0, 11.0],
    [3.0, 4.0, 12.0, 13.0],
    [0.0, 3.0, 4.0, 5.0],
    [8.0, 0.0, 15.0, 17.0],
    [0.0, 0.0, 1.0, 1.0],
];

/// Units of length: exact ones, ones that are rounded, and the limits of `f32`.
const UNITS: [f32; 12] = [
    1.0,
    0.25,
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    0.1,
    1e-30,
    1e30,
    f32::MIN_POSITIVE,
    f32::from_bits(1),
    f32::from_bits(8),
    COORD_MAX / 32.0,
];

impl Draw {
    /// A number at most two steps away.
    fn nudged(&mut self, x: f32) -> f32 {
        let step = if self.one_in(2) { f32::next_up } else { f32::next_down };
        (0..self.0.random_range(0..=2)).fold(x, |x, _| step(x))
    }

    /// A number just above a power of two, half-way between two to which `1` can be added.
    fn rounds_badly(&mut self) -> f32 {
        let half_steps = self.one_of(&[1.0, 3.0, 5.0, 4097.0]) * f32::EPSILON / 2.0;
        let size = if self.one_in(2) { half_steps } else { 1.0 };
        self.sign() * size * (1.0 + f32::EPSILON * self.whole(0, 5))
    }

    fn coordinate(&mut self, how: u32) -> f32 {
        match how {
            0 => self.whole(-8, 8) * 0.25,
            1 => self.0.random_range(-2.0_f32..2.0),
            2 => 1e6 * self.sign() + self.0.random_range(-2.0_f32..2.0),
            3 => self.rounds_badly(),
            4 => self.sign() * self.one_of(&HOSTILE),
            5 => self.sign() * f32::from_bits(self.0.random_range(0..64)),
            6 => self.0.random_range(-COORD_MAX..=COORD_MAX),
            _ => {
                let shift = self.0.random_range(0..8);
                self.sign() * f32::from_bits(self.0.random_range(0..=COORD_MAX.to_bits()) >> shift)
            }
        }
    }

    /// A box, sometimes flat or a point.
    fn aabb(&mut self, how: u32) -> Aabb {
        let flat = self.0.random_range(0..16_u32);
        let mut aabb = Aabb::default();
        for axis in 0..3 {
            let p = self.coordinate(how);
            let q = if flat == 7 || flat == 1 << axis { p } else { self.coordinate(how) };
            (aabb.min[axis], aabb.max[axis]) = if p < q { (p, q) } else { (q, p) };
        }
        aabb
    }

    fn near(&mut self) -> Near {
        let how = self.0.random_range(0..11);
        match how {
            8 | 9 => return self.whole_distance(how == 9),
            10 => return self.worst_roundings(),
            _ => {}
        }
        let aabb = self.aabb(how);
        let how = if self.one_in(4) { self.0.random_range(0..8) } else { how };
        let mut center = [(); 3].map(|()| self.coordinate(how));
        for (axis, center) in center.iter_mut().enumerate() {
            // Level with the box, or in the plane of a face, or one step off it.
            match self.0.random_range(0..8) {
                0 => *center = center.clamp(aabb.min[axis], aabb.max[axis]),
                1 => *center = aabb.max[axis],
                2 => *center = self.nudged(aabb.min[axis]),
                _ => {}
            }
        }
        let radius = match self.0.random_range(0..8) {
            0 => 0.0,
            1 => self.coordinate(how).abs(),
            _ => {
                let radius = distance(center, &aabb) as f32;
                self.nudged(radius).clamp(0.0, COORD_MAX)
            }
        };
        Near { sphere: Sphere { center, radius }, aabb }
    }

    /// A sphere that touches a corner, an edge or a face, in units that may be rounded.
    fn whole_distance(&mut self, nudged: bool) -> Near {
        let unit = self.one_of(&UNITS);
        let [x, y, z, radius] = self.one_of(&SQUARES);
        let mut away = [x, y, z];
        away.rotate_left(self.0.random_range(0..3));
        let (mut center, mut aabb) = ([0.0; 3], Aabb::default());
        for axis in 0..3 {
            let (low, size) = (self.whole(-4, 4), self.whole(0, 4));
            aabb.min[axis] = low * unit;
            aabb.max[axis] = (low + size) * unit;
            let beyond = if self.one_in(2) { low - away[axis] } else { low + size + away[axis] };
            center[axis] = beyond * unit;
        }
        let mut sphere = Sphere { center, radius: radius * unit };
        if nudged {
            sphere.radius = self.nudged(sphere.radius).max(0.0);
            let axis = self.0.random_range(0..3);
            sphere.center[axis] = self.nudged(sphere.center[axis]);
        }
        Near { sphere, aabb }
    }

    /// Gaps just above a power of two, half-way between two floats, where the relative rounding error is
    /// greatest; the radius is close to the distance.
    fn worst_roundings(&mut self) -> Near {
        let (mut center, mut aabb) = ([0.0; 3], Aabb::default());
        for (axis, center) in center.iter_mut().enumerate() {
            let size = if axis == 0 { 1.0 } else { self.one_of(&[0.0, 0.125, 0.015_625, 0.000_1]) };
            aabb.min[axis] = size * (1.0 + f32::EPSILON * self.whole(0, 4096));
            aabb.max[axis] = 2.0;
            *center = size * f32::EPSILON * self.one_of(&[0.5, -0.5, 1.5]);
        }
        let radius = distance(center, &aabb) as f32;
        Near { sphere: Sphere { center, radius: self.nudged(radius) }, aabb }
    }

    fn normal(&mut self) -> [f32; 3] {
        let mut normal = match self.0.random_range(0..5) {
            0 => [0.0, 0.0, self.sign()],
            1 => [(); 3].map(|()| self.whole(-3, 3)),
            2 => [(); 3].map(|()| self.whole(-3, 3) / 3.0),
            3 => [(); 3].map(|()| self.rounds_badly()),
            _ => [(); 3].map(|()| self.0.random_range(-1.0_f32..1.0)),
        };
        normal.rotate_left(self.0.random_range(0..3));
        let scale = self.one_of(&[1.0, 1.0, 1.0, 1.0, 4.0, 1.0 / 3.0, 1e-30, 1e-40]);
        normal.map(|x| x * scale)
    }

    /// A plane through a corner of the box, or one step off it, or anywhere.
    fn plane(&mut self, aabb: &Aabb) -> Plane {
        let normal = self.normal();
        let upper = self.one_in(2);
        let mut offset = 0.0;
        for axis in 0..3 {
            let corner = if upper == (normal[axis] < 0.0) { aabb.min } else { aabb.max };
            offset += f64::from(normal[axis]) * f64::from(corner[axis]);
        }
        let offset = match self.0.random_range(0..8) {
            0 => 0.0,
            1 => self.coordinate(1),
            // About the least distance that rounding errors do not hide.
            2 => (offset * (1.0 + self.0.random_range(-4.0..4.0) / f64::from(1 << 20))) as f32,
            _ => self.nudged(offset as f32),
        };
        Plane { normal, offset: offset.clamp(-COORD_MAX, COORD_MAX) }
    }
}

/// Approximate distance of `center` from a box.
fn distance(center: [f32; 3], aabb: &Aabb) -> f64 {
    let gap = |axis: usize| {
        let center = f64::from(center[axis]);
        let (min, max) = (f64::from(aabb.min[axis]), f64::from(aabb.max[axis]));
        (min - center).max(center - max).max(0.0)
    };
    (0..3).map(|axis| gap(axis).powi(2)).sum::<f64>().sqrt()
}

/// This many spheres with boxes.
pub fn near(seed: u64, count: usize) -> impl Iterator<Item = Near> {
    let mut draw = Draw::new(seed);
    let valid = |near: &Near| near.sphere.validate().is_ok() && near.aabb.validate().is_ok();
    std::iter::repeat_with(move || draw.near()).filter(valid).take(count)
}

/// This many boxes with one to `planes_max` planes each.
pub fn cuts(seed: u64, planes_max: usize, count: usize) -> impl Iterator<Item = Cut> {
    let mut draw = Draw::new(seed);
    let make = move || {
        let how = draw.0.random_range(0..8);
        let aabb = draw.aabb(how);
        let planes = draw.0.random_range(1..=planes_max);
        Cut { planes: (0..planes).map(|_| draw.plane(&aabb)).collect(), aabb }
    };
    let valid = |cut: &Cut| cut.planes.iter().all(|plane| plane.validate().is_ok());
    std::iter::repeat_with(make).filter(valid).take(count)
}

/// This many pairs of boxes, from the families of moving ones and from these.
pub fn boxes(seed: u64, count: usize) -> impl Iterator<Item = (Aabb, Aabb)> {
    let mut draw = Draw::new(seed);
    cases(seed, count).map(move |case| {
        let (mut a, b) = (case.a.aabb, case.b.aabb);
        let axis = draw.0.random_range(0..3);
        match draw.0.random_range(0..6) {
            // Face to face, or one step off it.
            0 => a.min[axis] = b.max[axis],
            1 => a.max[axis] = draw.nudged(b.min[axis]),
            2 => a = draw.aabb(4),
            _ => {}
        }
        for axis in 0..3 {
            let (p, q) = (a.min[axis], a.max[axis]);
            (a.min[axis], a.max[axis]) = if p < q { (p, q) } else { (q, p) };
        }
        (if a.validate().is_ok() { a } else { b }, b)
    })
}

/// Planes of a camera's view from `eye`, rotated by two angles: left, right, bottom, top, near, far. Computed
/// in `f64` and rounded once.
pub fn frustum(eye: [f64; 3], [turn, tilt]: [f64; 2], [near, far]: [f64; 2]) -> [Plane; 6] {
    let ((sin, cos), (up, level)) = (turn.sin_cos(), tilt.sin_cos());
    let forward = [cos * level, sin * level, up];
    let right = [sin, -cos, 0.0];
    let above = [-cos * up, -sin * up, level];
    let half: f64 = 0.6;
    let (side, front) = (half.cos(), half.sin());
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let plane = |of: [f64; 3], ahead: f64, sideways: f64, beyond: f64| {
        let normal: [f64; 3] = std::array::from_fn(|k| forward[k] * ahead + of[k] * sideways);
        let offset = dot(normal, eye) + beyond;
        Plane { normal: normal.map(|x| x as f32), offset: offset as f32 }
    };
    [
        plane(right, -front, -side, 0.0),
        plane(right, -front, side, 0.0),
        plane(above, -front, -side, 0.0),
        plane(above, -front, side, 0.0),
        plane(right, -1.0, 0.0, -near),
        plane(right, 1.0, 0.0, far),
    ]
}

/// Seven columns: centres, radii, displacements.
pub struct SphereArrays([Vec<f32>; 7]);

impl SphereArrays {
    /// Spheres with the displacement of each.
    pub fn new(rows: &[(Sphere, [f32; 3])]) -> Self {
        let numbers = |(sphere, delta): &(Sphere, [f32; 3])| {
            let ([x, y, z], [dx, dy, dz]) = (sphere.center, *delta);
            [x, y, z, sphere.radius, dx, dy, dz]
        };
        Self(std::array::from_fn(|k| rows.iter().map(|row| numbers(row)[k]).collect()))
    }

    pub fn spheres(&self) -> SphereColumns<'_> {
        let [x, y, z, radius, dx, dy, dz] = &self.0;
        SphereColumns::new([x, y, z], radius, [dx, dy, dz]).expect("the columns are equally long")
    }
}

/// This many moving boxes of every kind, for columns.
pub fn moving(seed: u64, count: usize) -> Vec<MovingBox> {
    cases(seed, count).map(|case| case.b).collect()
}
