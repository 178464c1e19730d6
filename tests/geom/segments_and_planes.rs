//! Tests of segments, half-spaces and bodies: they accept the documented values, and nothing else.

use swath::batch::{Body, MovingSphere};
use swath::{Aabb, COORD_MAX, Invalid, MovingBox, Plane, Segment, Sphere};

/// Numbers that no coordinate may be, and the error on an axis.
fn wrong_numbers(axis: u8) -> [(f32, Invalid); 5] {
    let [not_finite, too_large] = [Invalid::NotFinite { axis }, Invalid::TooLarge { axis }];
    let past = COORD_MAX.next_up();
    [
        (f32::NAN, not_finite),
        (f32::INFINITY, not_finite),
        (f32::NEG_INFINITY, not_finite),
        (past, too_large),
        (-past, too_large),
    ]
}

/// Goal: the constructors make the documented points, and reject invalid numbers. Method: exact numbers; each number in turn.
#[test]
fn segments_contain_their_points_and_reject_invalid_numbers() {
    let (start, delta) = ([1.0, -2.0, 3.0], [4.0, 8.0, -16.0]);
    let segment = Segment::new(start, delta).unwrap();
    assert_eq!(segment, Segment { start, delta, max_fraction: 1.0 });
    assert_eq!(Segment::between(start, [5.0, 6.0, -13.0]), Ok(segment));
    let ray = Segment::ray(start, delta).unwrap();
    assert_eq!(ray, Segment { max_fraction: f32::INFINITY, ..segment });
    for of in [segment, ray] {
        assert_eq!(
            [0.0, 0.25, 3.0].map(|f| of.at(f)),
            [start, [2.0, 0.0, -1.0], [13.0, 22.0, -45.0]]
        );
    }
    for axis in 0..3_u8 {
        for (number, error) in wrong_numbers(axis) {
            let mut wrong = [0.0; 3];
            wrong[usize::from(axis)] = number;
            assert_eq!(Segment::new(wrong, delta), Err(error));
            assert_eq!(Segment::new(start, wrong), Err(error));
            assert_eq!(Segment::ray(wrong, delta), Err(error));
            assert_eq!(Segment::ray(start, wrong), Err(error));
            assert_eq!(Segment::between(wrong, start), Err(error));
            // The start is checked before the direction.
            assert_eq!(
                Segment { start: wrong, delta: [f32::NAN; 3], ..ray }.validate(),
                Err(error)
            );
        }
    }
    for (max_fraction, valid) in [
        (0.0, true),
        (-0.0, true),
        (f32::from_bits(1), true),
        (f32::MAX, true),
        (-f32::from_bits(1), false),
        (f32::NEG_INFINITY, false),
        (f32::NAN, false),
    ] {
        let expected = if valid { Ok(()) } else { Err(Invalid::MaxFraction) };
        assert_eq!(Segment { max_fraction, ..segment }.validate(), expected, "{max_fraction}");
    }
}

/// Goal: a point at an infinite fraction is infinite on the axes along which the segment goes, and the start on the others; NaN gives NaN there. Method: each kind
/// of axis, with either sign of zero.
#[test]
fn point_at_an_infinite_fraction_is_the_start_on_axes_without_direction() {
    let ray = Segment::ray([1.0, -2.0, 3.0], [0.0, 4.0, -0.0]).unwrap();
    assert_eq!(ray.at(f32::INFINITY), [1.0, f32::INFINITY, 3.0]);
    assert_eq!(ray.at(f32::NEG_INFINITY), [1.0, f32::NEG_INFINITY, 3.0]);
    let [x, y, z] = ray.at(f32::NAN);
    assert!(y.is_nan() && (x, z) == (1.0, 3.0));
    let back = Segment::ray([1.0, -2.0, 3.0], [-0.5; 3]).unwrap();
    assert_eq!(back.at(f32::INFINITY), [f32::NEG_INFINITY; 3]);
    let point = Segment { delta: [0.0; 3], ..ray };
    assert_eq!(point.at(f32::INFINITY), point.start);
    // Exactly what the sum of the start and the product is for other fractions, also in the signs of zeros.
    let zeros = Segment { start: [-0.0, -0.0, 0.0], delta: [0.0, -0.0, -0.0], ..ray };
    for fraction in [0.0, 0.25, 3.0] {
        let expected = [0.0_f32, -0.0, 0.0].map(f32::to_bits);
        assert_eq!(zeros.at(fraction).map(f32::to_bits), expected);
    }
}

/// Goal: a half-space has a normal of at most the documented magnitude and a valid offset. Method: the limit and the next float, on
/// each axis and with each sign.
#[test]
fn planes_reject_invalid_numbers() {
    let plane = Plane::new([0.0, 2.0, -1.0], 3.0).unwrap();
    assert_eq!(plane, Plane { normal: [0.0, 2.0, -1.0], offset: 3.0 });
    assert_eq!(Plane::NORMAL_MAX, 16.0);
    assert!(Plane::new([0.0; 3], -1.0).is_ok());
    for axis in 0..3_u8 {
        let with = |number: f32| {
            let mut normal = [0.0; 3];
            normal[usize::from(axis)] = number;
            Plane::new(normal, 0.0).err()
        };
        for sign in [1.0, -1.0] {
            assert_eq!(with(sign * 16.0), None);
            assert_eq!(with(sign * 16.0_f32.next_up()), Some(Invalid::Normal));
        }
        for (number, error) in wrong_numbers(axis) {
            let expected = if number.is_finite() { Invalid::Normal } else { error };
            assert_eq!(with(number), Some(expected));
        }
        let not_finite = Invalid::NotFinite { axis };
        let mut normal = [17.0; 3];
        normal[usize::from(axis)] = f32::NAN;
        assert_eq!(Plane::new(normal, 0.0), Err(not_finite));
    }
    for (offset, _) in wrong_numbers(0) {
        assert_eq!(Plane::new([1.0; 3], offset), Err(Invalid::Offset));
        assert_eq!(Plane::new([17.0, 0.0, 0.0], offset), Err(Invalid::Normal));
    }
    let text = |normal: [f32; 3], offset: f32| Plane::new(normal, offset).unwrap_err().to_string();
    assert!(text([20.0, 0.0, 0.0], 1.0).contains("normal of a plane is beyond 16"));
    assert!(text([1.0; 3], 1e37).contains("offset of a plane"));
    assert!(Plane::new([1.0; 3], COORD_MAX).is_ok() && Plane::new([1.0; 3], -COORD_MAX).is_ok());
}

/// Goal: the inverse mass of a body is in its range, and its box is checked first. Method: the limits and the next floats.
#[test]
fn bodies_reject_invalid_inverse_masses() {
    let aabb = Aabb::cube([0.0; 3], 1.0).unwrap();
    let moving = MovingBox::new(aabb, [1.0, 2.0, 3.0]).unwrap();
    for inverse_mass in [0.0, -0.0, f32::from_bits(1), 0.5, COORD_MAX] {
        assert_eq!(Body::new(moving, inverse_mass), Ok(Body { moving, inverse_mass }));
    }
    for inverse_mass in [-f32::from_bits(1), COORD_MAX.next_up(), f32::INFINITY, f32::NAN, -1.0] {
        assert_eq!(Body::new(moving, inverse_mass), Err(Invalid::InverseMass), "{inverse_mass}");
        let wrong = MovingBox { delta: [0.0, f32::NAN, 0.0], ..moving };
        assert_eq!(Body::new(wrong, inverse_mass), Err(Invalid::NotFinite { axis: 1 }));
    }
    assert_eq!(Body::fixed(moving), Ok(Body { moving, inverse_mass: 0.0 }));
    assert_eq!(Body::fixed(aabb), Ok(Body { moving: aabb.into(), inverse_mass: 0.0 }));
}

/// Goal: spheres made of `f32` are stored as they are, or rejected. Method: each number in turn, and the limits of the radius.
#[test]
fn spheres_reject_invalid_numbers() {
    let (center, delta) = ([1.0, -2.0, 0.1], [0.0, 5.0, -1e30]);
    let sphere = Sphere::new(center, 0.5).unwrap();
    assert_eq!(sphere, Sphere { center, radius: 0.5 });
    assert_eq!(MovingSphere::new(sphere, delta), Ok(MovingSphere { sphere, delta }));
    assert_eq!(MovingSphere::from(sphere), MovingSphere { sphere, delta: [0.0; 3] });
    for axis in 0..3_u8 {
        for (number, error) in wrong_numbers(axis) {
            let mut wrong = [0.0; 3];
            wrong[usize::from(axis)] = number;
            // The centre is checked before the radius and the displacement.
            assert_eq!(Sphere::new(wrong, -1.0), Err(error));
            assert_eq!(MovingSphere::new(sphere, wrong), Err(error));
            let moving = MovingSphere { sphere: Sphere { center: wrong, radius: 1.0 }, delta };
            assert_eq!(moving.validate(), Err(error));
        }
    }
    for radius in [0.0, -0.0, f32::from_bits(1), COORD_MAX] {
        assert_eq!(Sphere::new(center, radius), Ok(Sphere { center, radius }));
    }
    for radius in [-f32::from_bits(1), COORD_MAX.next_up(), f32::INFINITY, f32::NAN] {
        assert_eq!(Sphere::new(center, radius), Err(Invalid::Radius), "{radius}");
        let moving = MovingSphere::new(Sphere { center, radius }, [f32::NAN; 3]);
        assert_eq!(moving, Err(Invalid::Radius), "{radius}");
    }
}

/// Goal: the box at a time of the tick is the one that the displacement leads to, also at times outside of the tick. Method: exact
/// numbers.
#[test]
fn box_at_a_time_is_displaced_by_that_part_of_the_tick() {
    let moving =
        MovingBox::new(Aabb::new([0.0, 1.0, -2.0], [1.0, 1.5, 2.0]).unwrap(), [8.0, -2.0, 0.0])
            .unwrap();
    let at = |x: f32, y: f32| Aabb::new([x, 1.0 + y, -2.0], [1.0 + x, 1.5 + y, 2.0]).unwrap();
    for (t, expected) in [
        (0.0, at(0.0, 0.0)),
        (0.25, at(2.0, -0.5)),
        (0.75, at(6.0, -1.5)),
        (1.0, at(8.0, -2.0)),
        (1.5, at(8.0, -2.0)),
        (f32::INFINITY, at(8.0, -2.0)),
        (f32::NAN, at(8.0, -2.0)),
        (-0.5, at(0.0, 0.0)),
        (f32::NEG_INFINITY, at(0.0, 0.0)),
    ] {
        assert_eq!(moving.at(t), expected, "{t}");
    }
    // A negative zero is the start of the tick too, bit by bit.
    let zero = MovingBox { aabb: Aabb { min: [-0.0; 3], max: [-0.0; 3] }, delta: [1.0; 3] };
    let bits = |t: f32| [zero.at(t).min, zero.at(t).max].map(|corner| corner.map(f32::to_bits));
    assert_eq!(bits(-0.0), bits(0.0));
}
