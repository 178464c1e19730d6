//! Tests which bodies a separation moves.
//!
//! How far each body moves is tested in `separate.rs`. The tests here use invalid masses, depths, axes and
//! bodies.

use swath::batch::separate::{Moves, Separation};
use swath::batch::{Body, Contact, separate};
use swath::{Aabb, Invalid, Level};
use testkit::bodies::no_bodies;
use testkit::body_columns::BodyArrays;

/// Goal: invalid inverse masses and depths are rejected or move nothing. Method: each kind.
#[test]
fn invalid_masses_and_depths_move_nothing() {
    let cube = Aabb::cube([0.0; 3], 1.0).expect("a box");
    let push = separate::one_to_one(&cube, &cube).expect("a box").expect("they overlap");
    for bad in [f32::NAN, -1.0, -f32::from_bits(1), f32::INFINITY, swath::COORD_MAX.next_up()] {
        assert_eq!(push.shares([bad, 1.0]), Err(Invalid::InverseMass));
        assert_eq!(push.shares([1.0, bad]), Err(Invalid::InverseMass));
        assert_eq!(Body::new(cube, bad), Err(Invalid::InverseMass));
    }
    assert_eq!(push.shares([-0.0, 0.0]), Ok(None));
    for depth in [f32::NAN, -1.0, f32::INFINITY, f32::MAX] {
        assert_eq!(Separation { depth, ..push }.shares([1.0, 2.0]), Ok(Some([[0.0; 3]; 2])));
    }
    let nowhere = Separation { depth: 1.0, contact: Contact::SEPARATED };
    assert_eq!(nowhere.shares([1.0, 2.0]), Ok(Some([[0.0; 3]; 2])));
    assert_eq!(nowhere.translation(), [0.0; 3]);
}

/// Goal: an invalid row is never moved, whatever its contact. Method: one contact for all rows, and every
/// kind of invalid row, on either side.
#[test]
fn invalid_row_has_no_share() {
    let cube = Aabb::cube([0.0; 3], 1.0).expect("a box");
    let good = Body::new(cube, 1.0).expect("a body");
    let push = separate::one_to_one(&cube, &cube).expect("a box").expect("they overlap");
    for (at, bad) in no_bodies().into_iter().enumerate() {
        let mut rows = [good; 21];
        rows[at % 21] = bad;
        let (columns, others) = (BodyArrays::new(&rows), BodyArrays::new(&[good; 21]));
        let (depth, contact) = ([push.depth; 21], [push.contact; 21]);
        for level in Level::all() {
            let (mut list, mut other) = (Vec::new(), Vec::new());
            let some = columns.bodies().check(level, &mut list);
            let all = others.bodies().check(level, &mut other);
            for (a, b) in [(&some, &all), (&all, &some)] {
                let (mut x, mut y) = ([-7.0; 21], [-7.0; 21]);
                let to = Moves { a: &mut x, b: &mut y };
                separate::shares(level, &depth, &contact, a, b, to).expect("right lengths");
                for row in 0..21 {
                    let moved = if row == at % 21 { (0.0, 0.0) } else { (-1.0, 1.0) };
                    assert_eq!((x[row], y[row]), moved, "{level}, row {row}, {bad:?}");
                }
            }
        }
    }
}
