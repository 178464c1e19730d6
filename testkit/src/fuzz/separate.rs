//! Separations agree with `spec`, separate the boxes, and agree with each other on every level.

use super::bytes::Bytes;
use crate::body_columns::BodyArrays;
use crate::finite::assert_finite;
use swath::batch::separate::{Moves, Separation, SeparationColumns};
use swath::batch::{BatchError, Body, Contact, Rejected, separate};
use swath::{Aabb, Level, Pair};

/// One byte is the number of rows: up to three groups of the widest lanes.
const ROWS_MAX: u8 = 48;

/// The inverse masses that one byte selects; some are invalid.
pub(super) const INVERSE_MASSES: [f32; 16] = [
    1.0,
    0.0,
    -0.0,
    2.0,
    3.0,
    1.0 / 3.0,
    0.1,
    1e6,
    f32::from_bits(1),
    f32::MIN_POSITIVE,
    swath::COORD_MAX,
    f32::from_bits(swath::COORD_MAX.to_bits() + 1),
    -1.0,
    f32::NAN,
    f32::INFINITY,
    1.0 + f32::EPSILON,
];

/// Rows, of which some are invalid, and a pair for each.
pub(super) fn rows(bytes: &mut Bytes<'_>) -> (Vec<Body>, Vec<Pair>) {
    let count = 1 + bytes.byte() % ROWS_MAX;
    let (mut rows, mut moving, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..u32::from(count) {
        moving.push(bytes.row(&moving));
        let mass = bytes.byte();
        let inverse_mass = INVERSE_MASSES[usize::from(mass) % INVERSE_MASSES.len()];
        rows.push(Body { moving: moving[row as usize], inverse_mass });
        pairs.push(Pair { a: row, b: u32::from(bytes.byte() % count) });
    }
    (rows, pairs)
}

/// The rows that a check must reject.
pub(super) fn no_bodies(rows: &[Body]) -> Vec<Rejected> {
    let reason = |(row, body): (u32, &Body)| {
        let reason = body.validate().err()?;
        Some(Rejected { row, reason })
    };
    (0..).zip(rows).filter_map(reason).collect()
}

/// Separates all rows from the first, and rows from each other.
pub fn run(data: &[u8]) {
    let (rows, pairs) = rows(&mut Bytes::new(data));
    let a = rows[0].moving.aabb;
    let valid = |body: &Body| body.validate().is_ok();
    let many = rows.iter().map(|b| bits(one_to_one(&a, &b.moving.aabb).filter(|_| valid(b))));
    let many: Vec<_> = many.collect();
    let named = |pair: &Pair| (rows[pair.a as usize], rows[pair.b as usize]);
    let of = |pair: &Pair| {
        let (a, b) = named(pair);
        one_to_one(&a.moving.aabb, &b.moving.aabb).filter(|_| valid(&a) && valid(&b))
    };
    let of_pairs: Vec<_> = pairs.iter().map(|pair| bits(of(pair))).collect();
    let shared = |pair: &Pair| {
        let (a, b) = named(pair);
        of(pair).map_or([0; 2], |push| shares(&a, &b, &push))
    };
    let shared: Vec<_> = pairs.iter().map(shared).collect();

    let columns = BodyArrays::new(&rows);
    for level in Level::all() {
        let mut rejected = Vec::new();
        let checked = columns.bodies().check(level, &mut rejected);
        assert_eq!(checked.rejected(), no_bodies(&rows), "{level}");
        let (mut depth, mut contact) =
            (vec![-7.0; rows.len()], vec![Contact::SEPARATED; rows.len()]);
        let answers = SeparationColumns { depth: &mut depth, contact: &mut contact };
        match separate::one_to_many(level, &a, &checked.boxes(), answers) {
            Ok(()) => assert_eq!(packed(&depth, &contact), many, "{level}"),
            Err(error) => assert_eq!(Err(error), a.validate().map_err(BatchError::from), "{level}"),
        }
        let answers = SeparationColumns { depth: &mut depth, contact: &mut contact };
        assert_eq!(separate::pairs(level, &checked.boxes(), &pairs, answers), Ok(()), "{level}");
        assert_eq!(packed(&depth, &contact), of_pairs, "{level}");
        let (mut x, mut y) = (vec![-7.0; rows.len()], vec![-7.0; rows.len()]);
        let moves = Moves { a: &mut x, b: &mut y };
        let result = separate::shares_of_pairs(level, &depth, &contact, &checked, &pairs, moves);
        assert_eq!(result, Ok(()), "{level}");
        let got: Vec<_> = x.iter().zip(&y).map(|(x, y)| [x.to_bits(), y.to_bits()]).collect();
        assert_eq!(got, shared, "{level}");
    }
}

fn bits(push: Option<Separation>) -> [u32; 2] {
    push.map_or([0; 2], |push| [push.depth.to_bits(), push.contact.bits()])
}

fn packed(depth: &[f32], contact: &[Contact]) -> Vec<[u32; 2]> {
    depth.iter().zip(contact).map(|(depth, contact)| [depth.to_bits(), contact.bits()]).collect()
}

/// Error of a difference in `f64`.
const SPEC: f64 = 1.0 / (1_u64 << 50) as f64;

/// The result for one pair, which must be that of `spec` except for rounding and must separate the boxes;
/// `None` if one is invalid.
fn one_to_one(a: &Aabb, b: &Aabb) -> Option<Separation> {
    let answer = separate::one_to_one(a, b);
    let meant = match spec::separate(a, b) {
        Ok(meant) => meant,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return None;
        }
    };
    let answer = answer.expect("`spec` says that both are boxes");
    assert_eq!(answer.is_some(), meant.is_some(), "{a:?}, {b:?}");
    let (push, meant) = (answer?, meant?);
    assert_finite(&(push, push.translation()));
    let (depth, more) = (f64::from(push.depth), meant.depth * f64::from(f32::EPSILON));
    let low = meant.depth * (1.0 - SPEC);
    assert!(depth >= low && depth <= meant.depth + more * 1.01, "{push:?}, {meant:?}");
    assert_eq!(push.depth > 0.0, !push.contact.is_surface(), "{a:?}, {b:?}");
    let b = add(b, push.translation());
    assert!(parted(a, &b, push.contact), "{push:?}, {a:?}, {b:?}");
    answer
}

/// The bits of the moves of both along the axis; they must separate the boxes.
fn shares(a: &Body, b: &Body, push: &Separation) -> [u32; 2] {
    let masses = [a.inverse_mass, b.inverse_mass];
    let moves = push.shares(masses).expect("both are bodies");
    assert_eq!(moves.is_none(), masses == [0.0; 2]);
    let Some([of_a, of_b]) = moves else { return [0; 2] };
    assert_finite(&[of_a, of_b]);
    let (a, b) = (add(&a.moving.aabb, of_a), add(&b.moving.aabb, of_b));
    assert!(parted(&a, &b, push.contact), "{push:?}, {masses:?}, {a:?}, {b:?}");
    let axis = push.contact.axis().expect("a separation has an axis");
    for (mass, moved) in masses.into_iter().zip([of_a, of_b]) {
        assert!(mass > 0.0 || moved == [0.0; 3], "{push:?}, {masses:?}");
    }
    [of_a[axis].to_bits(), of_b[axis].to_bits()]
}

fn add(aabb: &Aabb, by: [f32; 3]) -> Aabb {
    let add = |corner: [f32; 3]| std::array::from_fn(|axis| corner[axis] + by[axis]);
    Aabb { min: add(aabb.min), max: add(aabb.max) }
}

/// Whether the boxes at most touch along the axis of the contact, on its side.
fn parted(a: &Aabb, b: &Aabb, contact: Contact) -> bool {
    let axis = contact.axis().expect("a separation has an axis");
    let rises = contact.normal()[axis] > 0.0;
    if rises { a.max[axis] <= b.min[axis] } else { b.max[axis] <= a.min[axis] }
}
