//! Tests that a sphere made of `f64` contains the exact one, and that the box around a path contains it.

use num_rational::BigRational;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::batch::MovingSphere;
use swath::{COORD_MAX, Invalid, Sphere};

fn exact(x: impl Into<f64>) -> BigRational {
    BigRational::from_float(x.into()).expect("it is finite")
}

/// A centre, a radius and a displacement of hostile sizes.
fn meant(rng: &mut Xoshiro256PlusPlus) -> ([f64; 3], f64, [f64; 3]) {
    let scale = [1.0, 1e-3, 1e6, 1e30, 1e-30, 1e-44, 1e-300][rng.random_range(0..7)];
    let mut number = || {
        let number: f64 = rng.random_range(-1.0..=1.0);
        match rng.random_range(0..8) {
            0 => 0.0,
            1 => f64::from(number as f32) * scale,
            // Half-way between two floats, and a little past it.
            2 => f64::from(number as f32) * (1.0 + f64::EPSILON * 2_f64.powi(28)),
            3 => f64::from(number as f32) * (1.0 + f64::EPSILON * (2_f64.powi(28) + 1.0)),
            4 => f64::from(number as f32),
            5 => f64::from_bits(rng.random_range(0..1 << 40)),
            _ => number * scale,
        }
    };
    let center = [number(), number(), number()];
    let radius = number().abs();
    (center, radius, [number(), number(), number()])
}

/// Goal: the sphere contains the exact one at every time, and exceeds it by little. Method: fractions; the
/// distance of the two centres and the difference of the radii at both ends and between.
#[test]
fn rounded_sphere_contains_the_exact_one_at_every_time() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..3_000 {
        let (center, radius, delta) = meant(&mut rng);
        let moving = MovingSphere::from_f64(center, radius, delta).expect("it is a sphere");
        let still = Sphere::from_f64(center, radius).expect("it is a sphere");
        let room = |sphere: &Sphere| exact(sphere.radius) - exact(radius);
        let mut longest = 0.0_f64;
        for t in [0.0, 1.0 / 3.0, 1.0] {
            let (mut way, mut about) = (exact(0.0), 0.0);
            for k in 0..3 {
                let place = exact(center[k]) - exact(moving.sphere.center[k]);
                let off = place + (exact(delta[k]) - exact(moving.delta[k])) * exact(t);
                let rounded = center[k] - f64::from(moving.sphere.center[k])
                    + (delta[k] - f64::from(moving.delta[k])) * t;
                way += &off * &off;
                about += rounded * rounded;
            }
            for sphere in [Some(&moving.sphere), (t == 0.0).then_some(&still)].into_iter().flatten()
            {
                let room = room(sphere);
                assert!(room >= exact(0.0), "{center:?}, {radius:e}, {delta:?}");
                assert!(&room * &room >= way, "{center:?}, {radius:e}, {delta:?}");
            }
            longest = longest.max(about.sqrt());
        }
        let least = (radius + longest) as f32;
        assert!(moving.sphere.radius <= least.next_up().next_up(), "{moving:?}, {radius:e}");
        assert!(still.radius <= moving.sphere.radius && still.center == moving.sphere.center);
    }
}

/// Goal: values that `f32` can represent are not changed. Method: such numbers, the greatest and least among
/// them.
#[test]
fn representable_spheres_are_not_rounded() {
    for number in [0.0, 1.0, 0.1, f32::from_bits(1), COORD_MAX] {
        let (center, delta) = ([number, -number, 0.0], [-number, 0.0, number]);
        let made =
            MovingSphere::from_f64(center.map(f64::from), f64::from(number), delta.map(f64::from));
        let expected = MovingSphere { sphere: Sphere { center, radius: number }, delta };
        assert_eq!(made, Ok(expected));
        assert_eq!(Sphere::from_f64(center.map(f64::from), f64::from(number)), Ok(expected.sphere));
    }
}

/// Goal: an invalid sphere is rejected. Method: each invalid number at each position.
#[test]
fn invalid_spheres_are_rejected() {
    let large = f64::from(COORD_MAX) * (1.0 + f64::EPSILON);
    let of = |axis, number| {
        if f64::is_finite(number) {
            Invalid::TooLarge { axis }
        } else {
            Invalid::NotFinite { axis }
        }
    };
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, large, -large, 1e300] {
        for axis in 0..3_u8 {
            let mut vector = [0.0; 3];
            vector[usize::from(axis)] = number;
            let error = Err(of(axis, number));
            assert_eq!(Sphere::from_f64(vector, 1.0).map(|_| ()), error);
            assert_eq!(MovingSphere::from_f64(vector, 1.0, [0.0; 3]).map(|_| ()), error);
            assert_eq!(MovingSphere::from_f64([0.0; 3], 1.0, vector).map(|_| ()), error);
        }
    }
    for radius in [f64::NAN, -1.0, -5e-324, f64::INFINITY, f64::NEG_INFINITY, large, 1e300] {
        assert_eq!(Sphere::from_f64([0.0; 3], radius), Err(Invalid::Radius), "{radius:e}");
        let moving = MovingSphere::from_f64([0.0; 3], radius, [0.0; 3]);
        assert_eq!(moving, Err(Invalid::Radius), "{radius:e}");
    }
    assert_eq!(Sphere::from_f64([0.1; 3], f64::from(COORD_MAX)), Err(Invalid::Radius));
}

/// Goal: the path does not leave its box, and the box exceeds it by little. Method: both ends of the path in
/// fractions; numbers that `f32` can represent give exact ends.
#[test]
fn box_around_a_path_contains_it() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..4_000 {
        let (center, radius, delta) = meant(&mut rng);
        let moving = MovingSphere::from_f64(center, radius, delta).expect("it is a sphere");
        let (around, still) = (moving.bounds(), moving.sphere.bounds());
        for k in 0..3 {
            let (center, radius) = (exact(moving.sphere.center[k]), exact(moving.sphere.radius));
            let end = &center + exact(moving.delta[k]);
            let low = center.clone().min(end.clone()) - &radius;
            let high = center.clone().max(end) + &radius;
            assert!(exact(around.min[k]) <= low && exact(around.max[k]) >= high, "{moving:?}");
            assert!(exact(still.min[k]) <= &center - &radius, "{moving:?}");
            assert!(exact(still.max[k]) >= center + radius, "{moving:?}");
            // Two rounding errors, each to the next float outwards.
            let most = [around.min[k], around.max[k], still.min[k], still.max[k]];
            let most = most.into_iter().fold(0.0, |most: f32, x| most.max(x.abs()));
            let room = exact(most) * exact(f32::EPSILON * 2.0) + exact(f32::from_bits(2));
            assert!(low - exact(around.min[k]) <= room, "{moving:?}, {around:?}");
            assert!(exact(around.max[k]) - high <= room, "{moving:?}, {around:?}");
        }
    }
    let moving =
        MovingSphere::new(Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 }, [4.0, -8.0, 0.0]);
    let around = moving.expect("it is a sphere").bounds();
    assert_eq!((around.min, around.max), ([0.5, -6.5, 2.5], [5.5, 2.5, 3.5]));
}
