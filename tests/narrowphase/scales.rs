//! Tests of shapes that are scaled several times: a length of zero may not be scaled without end; and of lengths of very different
//! scales.

use swath::convex::{Hull, InvalidShape, OwnedShape, gjk};
use swath::{Pose, Shape};
use testkit::ball_map::BallMap;

fn power(exponent: i32) -> f32 {
    2.0_f32.powi(exponent)
}

/// Goal: a shape whose coordinates on an axis are all zero cannot be scaled on it by more than 2²⁷², because the product of an infinite
/// scale and zero is not a number; the same limit holds for support maps. Method: flat hulls of few and of many vertices, and a ball of
/// radius 2⁻¹⁶⁰ as a support map, scaled up repeatedly, as a shape and as one that owns its hull.
#[test]
fn length_of_zero_scaled_repeatedly_is_an_error() {
    let flat = |count: u16| {
        let point = |k: u16| [0.0, f32::from(k), f32::from(k * k % 7)];
        Hull::new((0..count).map(point)).expect("a hull")
    };
    let (few, many, ball) = (flat(4), flat(50), BallMap(f64::from(power(-80)).powi(2)));
    let shapes = [
        (Shape::hull(&few), [power(92), 1.0, 1.0]),
        (Shape::hull(&many), [-power(92), 1.0, 1.0]),
        (Shape::custom(&ball).expect("a ball"), [power(92); 3]),
    ];
    for (mut shape, by) in shapes {
        for _ in 0..2 {
            shape = shape.scaled(by).expect("a scale of up to 2^184");
            assert!(shape.bounds(&Pose::IDENTITY).is_ok());
        }
        assert_eq!(shape.scaled(by).err(), Some(InvalidShape::Number), "{shape:?}");
        let most = by.map(|factor| if factor.abs() > 1.0 { power(88) } else { 1.0 });
        let shape = shape.scaled(most).expect("a scale of 2^272");
        assert!(shape.bounds(&Pose::IDENTITY).is_ok(), "{shape:?}");
    }
    let mut owned = OwnedShape::hull(flat(4));
    for _ in 0..2 {
        owned = owned.scaled([power(92), 1.0, 1.0]).expect("a scale of up to 2^184");
    }
    assert!(owned.scaled([power(92), 1.0, 1.0]).is_err());
}

/// Goal: the greatest scale excludes no hull that has a length on each axis. Method: hulls of the least float, which may be scaled by 2²⁷⁰,
/// and not by 2²⁷¹, because then they are too large for their coordinates.
#[test]
fn least_hull_may_be_scaled_up_to_the_greatest_reach() {
    let tiny = f32::from_bits(1);
    for point in [[tiny, 0.0, 0.0], [0.0, -tiny, 0.0], [tiny, tiny, -tiny]] {
        let hull = Hull::new([point]).expect("a hull");
        let large = [100, 100, 70]
            .into_iter()
            .try_fold(Shape::hull(&hull), |shape, exponent| shape.scaled([power(exponent); 3]));
        let large = large.expect("a reach of 2^121 or little more");
        assert!(large.scaled([4.0; 3]).is_err(), "{large:?}");
    }
}

/// Goal: a distance is less than the exact one by a bound of its rounding error, which is that of the larger shape although the shapes are close to
/// its position. Method: needles and plates through the origin that are a million times as large as what is beside them, of every kind, in both
/// orders; numbers without rounding errors, so that the rest is that bound.
#[test]
fn distance_beside_the_middle_of_a_large_shape_leaves_room_for_its_rounding_error() {
    let (large, small, gap) = (power(10), power(-10), power(-24));
    let plate = |[x, y, z]: [f32; 3]| {
        let sign = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
        let corner = |k: usize| [x * sign(k, 0), y * sign(k, 1), z * sign(k, 2)];
        Hull::new((0..8).map(corner)).expect("a hull")
    };
    let hulls = [plate([small, large, large]), plate([small; 3])];
    let larger = [
        Shape::capsule(large, small),
        Shape::cuboid([small, large, large]),
        Shape::cylinder(large, small),
        Ok(Shape::hull(&hulls[0])),
    ];
    let smaller = [
        Shape::sphere(small),
        Shape::capsule(0.5 * small, small),
        Shape::cuboid([small; 3]),
        Shape::cylinder(small, small),
        Ok(Shape::hull(&hulls[1])),
    ];
    let poses = [0.0, 2.0 * small + gap].map(|x| Pose::at([x, 0.0, 0.0]).expect("a pose"));
    for a in larger.map(|shape| shape.expect("lengths")) {
        for b in smaller.map(|shape| shape.expect("lengths")) {
            for (a, b) in [(&a, &b), (&b, &a)] {
                let found = gjk::distance(a, &poses[0], b, &poses[1]).expect("poses");
                let less = f64::from(gap) - f64::from(found.distance);
                let text = format!("{less:e} {found:?} {a:?} {b:?}");
                assert!(less >= f64::from(power(-45) * large), "{text}");
                let most = power(-43) * 1.5 * large + power(-20) * gap + power(-26) * small;
                assert!(less <= f64::from(most), "{text}");
            }
        }
    }
}
