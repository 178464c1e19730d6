//! Bodies that are hard to separate.

use super::cases::{Case, cases};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::batch::{Body, Contact, ContactState, separate, sweep};
use swath::{Aabb, COORD_MAX, Pair};

/// Two bodies and a restitution.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub family: &'static str,
    pub a: Body,
    pub b: Body,
    pub restitution: f32,
}

/// Inverse masses: fixed, of ordinary ratios, and at the limits of validity.
const INVERSE_MASSES: [f32; 20] = [
    0.0,
    -0.0,
    0.0,
    1.0,
    1.0,
    1.0,
    2.0,
    3.0,
    7.0,
    0.1,
    1.0 / 3.0,
    1.0 + f32::EPSILON,
    1e-3,
    1e6,
    16_777_216.0,
    f32::from_bits(1),
    f32::from_bits(3),
    f32::MIN_POSITIVE,
    COORD_MAX / 2.0,
    COORD_MAX,
];

const RESTITUTIONS: [f32; 8] =
    [0.0, 0.0, 0.5, 1.0, 1.0, 0.3, f32::EPSILON / 4.0, f32::from_bits(1)];

/// This many contacts: pairs of every hostile family, most of them moved into each other.
pub fn meetings(seed: u64, count: usize) -> impl Iterator<Item = Meeting> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5e9a_7a7e);
    // Only pairs that are valid after the change are used.
    cases(seed, usize::MAX).filter_map(move |case| meeting(case, &mut rng)).take(count)
}

fn meeting(Case { family, a, mut b }: Case, rng: &mut Xoshiro256PlusPlus) -> Option<Meeting> {
    let mut a = a;
    let how = rng.random_range(0..8);
    if how > 0 {
        for axis in 0..3 {
            let [min, max] = interval(&a.aabb, &b.aabb, axis, rng);
            (b.aabb.min[axis], b.aabb.max[axis]) = (min, max);
        }
    }
    // Axes that tie with each other, unchanged or mirrored.
    if how < 4 {
        for axis in 1..3 {
            let turned = rng.random_range(0..3) == 0;
            for aabb in [&mut a.aabb, &mut b.aabb] {
                let (min, max) = (aabb.min[0], aabb.max[0]);
                (aabb.min[axis], aabb.max[axis]) = if turned { (-max, -min) } else { (min, max) };
            }
        }
        if rng.random_range(0..2) == 0 {
            let axis = rng.random_range(0..3);
            b.aabb.max[axis] = b.aabb.max[axis].next_up();
        }
    }
    let mut number = |of: &[f32]| of[rng.random_range(0..of.len())];
    let bodies = [
        Body { moving: a, inverse_mass: number(&INVERSE_MASSES) },
        Body { moving: b, inverse_mass: number(&INVERSE_MASSES) },
    ];
    let restitution = number(&RESTITUTIONS);
    let [a, b] = bodies;
    let valid = a.validate().is_ok() && b.validate().is_ok();
    valid.then_some(Meeting { family, a, b, restitution })
}

/// An interval near those of both boxes.
fn interval(a: &Aabb, b: &Aabb, axis: usize, rng: &mut Xoshiro256PlusPlus) -> [f32; 2] {
    let (a, b) = ([a.min[axis], a.max[axis]], [b.min[axis], b.max[axis]]);
    let middle = a[0] * 0.5 + a[1] * 0.5;
    let size = (b[1] - b[0]).min(COORD_MAX);
    let mut end = || {
        let at = match rng.random_range(0..8) {
            0 | 1 => a[0],
            2 | 3 => a[1],
            4 => middle,
            5 => a[0] + (middle - a[0]) * (2.0 / 3.0),
            6 => b[0],
            _ => b[1],
        };
        match rng.random_range(0..8) {
            0 => at.next_up(),
            1 => at.next_down(),
            2 => at + size,
            3 => at - size,
            _ => at,
        }
    };
    let (x, y) = match (end(), end()) {
        // Around the middle: rise and fall are equal.
        (x, _) if size > 0.0 && x == middle => (middle - size, middle + size),
        ends => ends,
    };
    if x <= y { [x, y] } else { [y, x] }
}

/// Every kind of invalid row; in the last four only the inverse mass is invalid.
pub fn no_bodies() -> Vec<Body> {
    let good = Body {
        moving: swath::MovingBox {
            aabb: Aabb { min: [0.0; 3], max: [1.0; 3] },
            delta: [0.5, -0.5, 0.25],
        },
        inverse_mass: 1.0,
    };
    let huge = COORD_MAX.next_up();
    let mut bad = Vec::new();
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, huge, -huge] {
        for axis in 0..3 {
            let mut rows = [good; 3];
            rows[0].moving.aabb.min[axis] = number;
            rows[1].moving.aabb.max[axis] = number;
            rows[2].moving.delta[axis] = number;
            bad.extend(rows);
        }
    }
    for axis in 0..3 {
        let mut row = good;
        row.moving.aabb.max[axis] = -f32::from_bits(1);
        bad.push(row);
    }
    bad.extend(
        [f32::NAN, f32::INFINITY, huge, -f32::from_bits(1)]
            .map(|inverse_mass| Body { inverse_mass, ..good }),
    );
    bad
}

/// The contact for the response. `None` for boxes that do not touch, and for those that a sweep reports as a
/// hit only because their times are below the least float.
pub fn contact_of(case: &Meeting) -> Contact {
    let (a, b) = (&case.a.moving, &case.b.moving);
    let contact = sweep::one_to_one(a, b).expect("both are boxes").contact;
    let mut bits = contact.bits();
    match contact.state() {
        ContactState::Touching => {
            for axis in 0..3 {
                let apart =
                    [a.aabb.max[axis] <= b.aabb.min[axis], b.aabb.max[axis] <= a.aabb.min[axis]];
                let falls = bits >> axis & 8 != 0;
                if !apart[usize::from(falls)] {
                    bits &= !(9 << axis);
                }
            }
            if bits & 7 == 0 { Contact::SEPARATED } else { bytemuck::cast(bits) }
        }
        ContactState::Overlapping if !contact.is_surface() => {
            let push = separate::one_to_one(&a.aabb, &b.aabb).expect("both are boxes");
            push.expect("they overlap").contact
        }
        _ => contact,
    }
}

/// The two sides of this many contacts.
pub fn bodies(seed: u64, count: usize) -> [Vec<Body>; 2] {
    let cases: Vec<Meeting> = meetings(seed, count).collect();
    [cases.iter().map(|case| case.a).collect(), cases.iter().map(|case| case.b).collect()]
}

/// Each row with others, itself included.
pub fn neighbours(rows: usize) -> Vec<Pair> {
    let row = |row: usize| (row % rows) as u32;
    (0..rows).map(|k| Pair { a: row(k), b: row(k * k + k / 3) }).collect()
}
