//! Pairs of moving convex shapes.
//!
//! They are boxes, round shapes and hulls of 8 to 128 points, of sizes from a half to two, that fly towards
//! each other from a distance of a few sizes: about half of them touch within the tick.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::convex::{Hull, gjk};
use swath::{Motion, Pose, Shape};

/// The kind of motion of the bodies of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    Linear,
    Accelerated,
    Spinning,
}

/// The hulls of the shapes: some of each size.
pub struct Hulls(pub Vec<Hull>);

/// The data of a shape, from which shapes of other libraries can be made. Lengths are those of [`Shape`].
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Cuboid([f32; 3]),
    Sphere(f32),
    Capsule { half_height: f32, radius: f32 },
    Cylinder { half_height: f32, radius: f32 },
    Hull(usize),
}

impl Form {
    pub fn shape(self, hulls: &Hulls) -> Shape<'_> {
        match self {
            Self::Cuboid(half) => Shape::cuboid(half),
            Self::Sphere(radius) => Shape::sphere(radius),
            Self::Capsule { half_height, radius } => Shape::capsule(half_height, radius),
            Self::Cylinder { half_height, radius } => Shape::cylinder(half_height, radius),
            Self::Hull(row) => Ok(Shape::hull(&hulls.0[row])),
        }
        .expect("lengths are valid")
    }
}

impl Hulls {
    pub fn new(seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sizes = [8, 16, 32, 64, 128].into_iter().cycle().take(80);
        Self(
            sizes
                .map(|points| {
                    let half: [f32; 3] = std::array::from_fn(|_| rng.random_range(0.5..1.0));
                    Hull::new((0..points).map(|_| {
                        let way = unit(&mut rng);
                        std::array::from_fn::<f32, 3, _>(|axis| way[axis] * half[axis])
                    }))
                    .expect("a cloud")
                })
                .collect(),
        )
    }
}

/// A random direction, evenly distributed.
pub fn unit(rng: &mut Xoshiro256PlusPlus) -> [f32; 3] {
    loop {
        let v: [f32; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let square: f32 = v.iter().map(|x| x * x).sum();
        if (0.01..1.0).contains(&square) {
            return v.map(|x| x / square.sqrt());
        }
    }
}

/// A random rotation.
pub fn rotation(rng: &mut Xoshiro256PlusPlus) -> [f32; 4] {
    loop {
        let q: [f32; 4] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let square: f32 = q.iter().map(|x| x * x).sum();
        if (0.01..1.0).contains(&square) {
            return q.map(|x| x / square.sqrt());
        }
    }
}

/// A shape of about unit size.
pub fn shape<'a>(rng: &mut Xoshiro256PlusPlus, hulls: &'a Hulls) -> Shape<'a> {
    form(rng, hulls).shape(hulls)
}

/// The data of a shape of about unit size.
pub fn form(rng: &mut Xoshiro256PlusPlus, hulls: &Hulls) -> Form {
    let mut length = || rng.random_range(0.3..1.0_f32);
    let lengths = [length(), length(), length()];
    let [half_height, radius, _] = lengths;
    match rng.random_range(0..10) {
        0..3 => Form::Cuboid(lengths),
        3 => Form::Sphere(half_height),
        4 => Form::Capsule { half_height, radius: 0.5 * radius },
        5 => Form::Cylinder { half_height, radius },
        _ => Form::Hull(rng.random_range(0..hulls.0.len())),
    }
}

/// A class of pairs, in which the cost of a search is that of one kind of shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Two boxes.
    Boxes,
    /// A ball, a capsule or a cylinder, and one of these or a box.
    Round,
    /// Two hulls of this many points: 8, 16, 32, 64 or 128.
    Hulls(usize),
}

/// All classes, with their names.
pub const CLASSES: [(&str, Class); 7] = [
    ("boxes", Class::Boxes),
    ("round", Class::Round),
    ("hulls-8", Class::Hulls(8)),
    ("hulls-16", Class::Hulls(16)),
    ("hulls-32", Class::Hulls(32)),
    ("hulls-64", Class::Hulls(64)),
    ("hulls-128", Class::Hulls(128)),
];

impl Class {
    fn forms(self, rng: &mut Xoshiro256PlusPlus, hulls: &Hulls) -> [Form; 2] {
        std::array::from_fn(|row| {
            loop {
                let form = form(rng, hulls);
                let belongs = match (self, form) {
                    (Self::Boxes, Form::Cuboid(_)) => true,
                    (Self::Hulls(points), Form::Hull(row)) => hulls.0[row].len() == points,
                    (Self::Round, Form::Cuboid(_)) => row == 1,
                    (Self::Round, Form::Hull(_)) | (Self::Boxes | Self::Hulls(_), _) => false,
                    (Self::Round, _) => true,
                };
                if belongs {
                    return form;
                }
            }
        })
    }
}

/// Two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'a> {
    pub shapes: [Shape<'a>; 2],
    pub motions: [Motion; 2],
}

/// The pairs of a workload.
pub fn meetings(hulls: &Hulls, moves: Moves, count: usize, seed: u64) -> Vec<Meeting<'_>> {
    let shaped = |(forms, motions): ([Form; 2], _)| Meeting {
        shapes: forms.map(|form| form.shape(hulls)),
        motions,
    };
    formed(hulls, moves, count, seed).into_iter().map(shaped).collect()
}

/// The pairs of a workload of one class, without those that overlap at the start.
pub fn meetings_of(
    class: Class,
    hulls: &Hulls,
    moves: Moves,
    count: usize,
    seed: u64,
) -> Vec<Meeting<'_>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut many = meetings(hulls, moves, 2 * count, seed);
    for meeting in &mut many {
        meeting.shapes = class.forms(&mut rng, hulls).map(|form| form.shape(hulls));
    }
    many.retain(|Meeting { shapes: [a, b], motions: [of_a, of_b] }| {
        gjk::distance(a, &of_a.pose, b, &of_b.pose).expect("valid").distance > 0.0
    });
    many.truncate(count);
    assert_eq!(many.len(), count);
    many
}

/// The seed and the settings of [`meetings`].
pub fn formed(
    hulls: &Hulls,
    moves: Moves,
    count: usize,
    seed: u64,
) -> Vec<([Form; 2], [Motion; 2])> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let meeting = |_| {
        let way = unit(&mut rng);
        let apart = rng.random_range(2.2..5.0_f32);
        let at: [f32; 3] = std::array::from_fn(|_| rng.random_range(-50.0..50.0));
        let other = std::array::from_fn(|axis| at[axis] + way[axis] * apart);
        // They pass each other within two sizes, and the path is at most twice as long as their distance.
        let aside = unit(&mut rng);
        let (miss, far) = (rng.random_range(0.0..4.2_f32), rng.random_range(0.7..2.0_f32));
        let shared: [f32; 3] = std::array::from_fn(|_| rng.random_range(-2.0..2.0));
        let toward: [f32; 3] =
            std::array::from_fn(|axis| far * (way[axis] * apart + aside[axis] * miss));
        let motion = |position, delta: [f32; 3], rng: &mut Xoshiro256PlusPlus| {
            let pose = Pose::new(position, rotation(rng)).expect("a pose");
            let mut motion = Motion::new(pose, delta).expect("a motion");
            if moves == Moves::Accelerated {
                motion.accel = std::array::from_fn(|_| rng.random_range(-3.0..3.0));
            }
            if moves == Moves::Spinning {
                let rate = rng.random_range(0.0..4.0_f32);
                motion.spin = unit(rng).map(|along| along * rate);
            }
            motion
        };
        let a = motion(at, std::array::from_fn(|axis| shared[axis] + toward[axis]), &mut rng);
        let b = motion(other, shared, &mut rng);
        ([form(&mut rng, hulls), form(&mut rng, hulls)], [a, b])
    };
    (0..count).map(meeting).collect()
}
