//! Tests that boxes made of `f64` contain the exact ones at every time, and that bounds contain paths.
//!
//! Everything is compared as fractions of integers. A path is quadratic in `t`, so a box contains another at
//! all times if the least difference over the tick is not negative: at the start, at the end, and at the
//! turning point of the difference.

use num_rational::BigRational;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::batch::AcceleratingBox;
use swath::{Aabb, COORD_MAX, Invalid, MovingBox};
use testkit::accelerating::cases::cases;

/// A number of any size without rounding.
fn exact(x: impl Into<f64>) -> BigRational {
    BigRational::from_float(x.into()).expect("it is finite")
}

fn whole(x: i64) -> BigRational {
    BigRational::from_integer(x.into())
}

/// The least of `p + d·t + ½·g·t²` in the tick.
fn least(p: &BigRational, d: &BigRational, g: &BigRational) -> BigRational {
    let at = |t: &BigRational| p + d * t + g * t * t / whole(2);
    let mut least = at(&whole(0)).min(at(&whole(1)));
    if *g != whole(0) {
        let turn = -d / g;
        if turn > whole(0) && turn < whole(1) {
            least = least.min(at(&turn));
        }
    }
    least
}

/// `[min, max, delta, accel]` on one axis.
type Axis = [f64; 4];

/// Numbers of every size, near floats and half-way between two, and below the least float.
fn number(rng: &mut Xoshiro256PlusPlus) -> f64 {
    let size = match rng.random_range(0..8) {
        0 => rng.random_range(0.0..16.0),
        1 => f64::from(rng.random_range(0.0_f32..16.0)),
        2 => f64::from(rng.random_range(0.0_f32..16.0)).next_up(),
        3 => f64::from(rng.random_range(1.0_f32..2.0)) + 0.5_f64.powi(24),
        4 => f64::from_bits(rng.random_range(0..f64::from(COORD_MAX).to_bits())),
        5 => rng.random_range(0.0..1e-44),
        6 => f64::from(COORD_MAX) * rng.random_range(0.25..1.0),
        _ => [0.0, 5e-324, 1e-45, 1e-38, 0.1, f64::from(COORD_MAX)][rng.random_range(0..6)],
    };
    if rng.random_range(0..2) == 0 { size } else { -size }
}

fn axes(rng: &mut Xoshiro256PlusPlus) -> [Axis; 3] {
    std::array::from_fn(|_| {
        let (p, q) = (number(rng), number(rng));
        let p = if rng.random_range(0..4) == 0 { q } else { p };
        [p.min(q), p.max(q), number(rng), number(rng)]
    })
}

/// Whether `found` contains `meant` at all times, and exceeds it on each side by no more than it must.
fn check(meant: Axis, found: [f32; 4], tight: bool) {
    let [min, max, delta, accel] = meant.map(exact);
    let [low, high, d, g] = found.map(exact);
    let (d, g) = (delta - d, accel - g);
    let zero = whole(0);
    // The excess on either side, with the sides at the origin.
    let below = least(&zero, &d, &g);
    let above = least(&zero, &-&d, &-&g);
    assert!(low <= &min + &below, "{meant:?} {found:?}");
    assert!(-&high <= above.clone() - &max, "{meant:?} {found:?}");
    if tight {
        assert!(exact(found[0].next_up()) > &min + &below, "{meant:?} {found:?}");
        assert!(-exact(found[1].next_down()) > above - &max, "{meant:?} {found:?}");
        return;
    }
    // Otherwise it may exceed both sides: the two need not be shifted in the same direction.
    let less = |x: &BigRational| if *x < zero { x.clone() } else { zero.clone() };
    let half = &g / whole(2);
    let below = less(&d) + less(&half);
    let above = less(&-&d) + less(&-&half);
    let down = |x: f32| exact(x.next_up().next_up());
    assert!(down(found[0]) > &min + below, "{meant:?} {found:?}");
    assert!(down(-found[1]) > above - &max, "{meant:?} {found:?}");
}

/// Goal: a box in `f32` contains the one in `f64` at every time, and exceeds it by little. Method: numbers of
/// every size; the least distance over the tick as a fraction.
#[test]
fn boxes_of_f64_are_held_at_every_time() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut made = 0;
    for _ in 0..6_000 {
        let axes = axes(&mut rng);
        let [min, max, delta, accel] = std::array::from_fn(|k| axes.map(|axis| axis[k]));
        let still = Aabb::from_f64(min, max).expect("the corners are in order and not too large");
        for (k, [min, max, ..]) in axes.into_iter().enumerate() {
            check([min, max, 0.0, 0.0], [still.min[k], still.max[k], 0.0, 0.0], true);
        }
        // A box at the limit may not grow.
        let too_large = |error| assert!(matches!(error, Invalid::TooLarge { .. }), "{error:?}");
        match MovingBox::from_f64(min, max, delta) {
            Ok(MovingBox { aabb, delta }) => {
                for (k, [min, max, d, _]) in axes.into_iter().enumerate() {
                    let found = [aabb.min[k], aabb.max[k], delta[k], 0.0];
                    check([min, max, d, 0.0], found, true);
                    assert_eq!(delta[k], d as f32);
                }
            }
            Err(error) => too_large(error),
        }
        match AcceleratingBox::from_f64(min, max, delta, accel) {
            Ok(AcceleratingBox { aabb, delta, accel }) => {
                for (k, meant) in axes.into_iter().enumerate() {
                    check(meant, [aabb.min[k], aabb.max[k], delta[k], accel[k]], false);
                    assert_eq!((delta[k], accel[k]), (meant[2] as f32, meant[3] as f32));
                }
                made += 1;
            }
            Err(error) => too_large(error),
        }
    }
    assert!(made > 5_000, "{made}");
}

/// Goal: values that `f32` can represent are not changed. Method: boxes of `f32` as `f64`.
#[test]
fn boxes_that_need_no_rounding_are_not_changed() {
    for case in cases(11, 20_000) {
        let AcceleratingBox { aabb, delta, accel } = case.a;
        let of = |v: [f32; 3]| v.map(f64::from);
        let (min, max) = (of(aabb.min), of(aabb.max));
        assert_eq!(Aabb::from_f64(min, max), Ok(aabb));
        let moving = MovingBox::from_f64(min, max, of(delta));
        assert_eq!(moving, Ok(MovingBox { aabb, delta }));
        let all = AcceleratingBox::from_f64(min, max, of(delta), of(accel));
        assert_eq!(all, Ok(case.a));
    }
}

/// Goal: the box grows by half of the rounding error of the acceleration, and not by more. Method: an error of which the half takes the
/// corners exactly to floats.
#[test]
fn growth_by_half_of_an_error_is_exact() {
    let (lost, half) = (0.5_f64.powi(30), 0.5_f64.powi(31));
    let corners = ([half - 1.0; 3], [1.0 - half; 3]);
    for accel in [1.0 + lost, -1.0 - lost] {
        let grown = AcceleratingBox::from_f64(corners.0, corners.1, [0.0; 3], [accel; 3]);
        let AcceleratingBox { aabb, accel: rounded, .. } = grown.unwrap();
        assert_eq!(rounded, [accel.signum() as f32; 3]);
        let side = if accel > 0.0 { aabb.max[0] } else { -aabb.min[0] };
        assert_eq!(side, 1.0);
    }
}

/// Goal: an error contains the reason and the axis. Method: each number in turn.
#[test]
fn invalid_numbers_are_reported_with_their_axis() {
    let huge = f64::from(COORD_MAX).next_up();
    for axis in 0..3_usize {
        let name = axis as u8;
        let wrong = [
            (f64::NAN, Invalid::NotFinite { axis: name }),
            (f64::INFINITY, Invalid::NotFinite { axis: name }),
            (f64::NEG_INFINITY, Invalid::NotFinite { axis: name }),
            (huge, Invalid::TooLarge { axis: name }),
            (-huge, Invalid::TooLarge { axis: name }),
            (1e300, Invalid::TooLarge { axis: name }),
        ];
        for (number, error) in wrong {
            for column in 0..4 {
                let mut numbers = [[0.0; 3], [1.0; 3], [0.0; 3], [0.0; 3]];
                numbers[column][axis] = number;
                let [min, max, delta, accel] = numbers;
                let found = AcceleratingBox::from_f64(min, max, delta, accel);
                assert_eq!(found, Err(error), "{column}");
                if column < 3 {
                    assert_eq!(MovingBox::from_f64(min, max, delta), Err(error), "{column}");
                }
                if column < 2 {
                    assert_eq!(Aabb::from_f64(min, max), Err(error), "{column}");
                }
            }
        }
        // The corners are inverted by less than `f32` can represent: rounding outwards must not hide that.
        let mut min = [1.0; 3];
        min[axis] = 1.0_f64.next_up();
        let inverted = Err(Invalid::Inverted { axis: name });
        assert_eq!(Aabb::from_f64(min, [1.0; 3]), inverted);
        assert_eq!(MovingBox::from_f64(min, [1.0; 3], [0.1; 3]).map(|of| of.aabb), inverted);
    }
    // The limit itself is valid; enlarged it is too large.
    let limit = f64::from(COORD_MAX);
    assert!(Aabb::from_f64([-limit; 3], [limit; 3]).is_ok());
    for delta in [-0.1, 0.1, 1.0 - 0.5_f64.powi(30)] {
        let grown = MovingBox::from_f64([-limit; 3], [limit; 3], [0.0, delta, 0.0]);
        assert_eq!(grown.err(), Some(Invalid::TooLarge { axis: 1 }), "{delta}");
    }
}

/// Goal: no path leaves its bounds, and the bounds are tight. Method: hostile boxes, including turning points
/// inside the tick, as fractions. The bounds shrunk by two floats, plus the rounding of `f64`, do not contain
/// the path.
#[test]
fn bounds_contain_the_whole_path() {
    let mut turned = 0;
    for case in cases(12, 6_000) {
        for moving in [case.a, case.b] {
            let bounds = moving.bounds();
            for axis in 0..3 {
                let d = exact(moving.delta[axis]);
                let g = exact(moving.accel[axis]);
                let low = least(&exact(moving.aabb.min[axis]), &d, &g);
                let high = -least(&exact(-moving.aabb.max[axis]), &-&d, &-&g);
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                assert!(exact(min) <= low && exact(max) >= high, "{moving:?} {bounds:?}");
                let (inner, outer) = (min.next_up().next_up(), max.next_down().next_down());
                let more = (d.clone().max(-&d) + g.clone().max(-&g)) / whole(1 << 51);
                assert!(exact(inner) + &more > low, "{moving:?} {bounds:?}");
                assert!(exact(outer) - &more < high, "{moving:?} {bounds:?}");
                turned += usize::from(g != whole(0) && d != whole(0) && -&d / &g < whole(1));
            }
        }
    }
    assert!(turned > 2_500, "{turned}");
}

/// Goal: without acceleration the bounds are those of a moving box. Method: hostile boxes, and boxes that start or end at either zero, compared bit
/// by bit; and turning points that `f32` can represent.
#[test]
fn bounds_are_those_of_moving_boxes_and_exact_at_exact_turns() {
    let bits = |aabb: Aabb| [aabb.min, aabb.max].map(|corner| corner.map(f32::to_bits));
    let ends = [-1.5, -0.0, 0.0, 1.5];
    let boxes = ends.into_iter().flat_map(|low| ends.map(|high| [low, high]));
    let boxes = boxes.flat_map(|[low, high]| ends.map(|delta| [low, high, delta]));
    let at_zero = boxes.filter(|[low, high, _]| low <= high).map(|[low, high, delta]| MovingBox {
        aabb: Aabb { min: [low; 3], max: [high; 3] },
        delta: [delta; 3],
    });
    for moving in testkit::cases::cases(13, 40_000).map(|case| case.a).chain(at_zero) {
        for accel in [0.0, -0.0] {
            let moved = AcceleratingBox { accel: [accel; 3], ..moving.into() };
            assert_eq!(bits(moved.bounds()), bits(moving.bounds()), "{moved:?}");
        }
    }
    let aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let thrown = AcceleratingBox { aabb, delta: [4.0, -4.0, 3.0], accel: [-8.0, 8.0, -2.0] };
    let bounds = Aabb { min: [0.0, -1.0, 0.0], max: [2.0, 1.0, 3.0] };
    assert_eq!(thrown.bounds(), bounds);
}

/// Goal: a turning point that is rounded upwards in `f64` is not taken for an exact one. Method: displacements and accelerations, found
/// by a search, whose quotient times the divisor is rounded to the dividend, and boxes of which the rounded turning point is a float.
#[test]
fn bounds_contain_turning_points_that_only_look_exact() {
    for (min, delta, accel, rounded) in [
        (2_478_407.0, -9_447_364.0, 18_006_060.0, 0.103_974_55_f32),
        (1_790_329.5, -8_864_199.0, 21_944_012.0, 0.003_470_354_5),
        (3_314_629.5, -10_199_394.0, 15_692_197.0, 0.007_162_381_4),
    ] {
        let aabb = Aabb { min: [min; 3], max: [min; 3] };
        let bounds = AcceleratingBox { aabb, delta: [delta; 3], accel: [accel; 3] }.bounds();
        let low = least(&exact(min), &exact(delta), &exact(accel));
        assert!(exact(rounded) > low && exact(rounded.next_down()) < low, "{min}");
        assert_eq!(bounds.min, [rounded.next_down(); 3], "{min}");
        // The same path upwards.
        let aabb = Aabb { min: [-min; 3], max: [-min; 3] };
        let bounds = AcceleratingBox { aabb, delta: [-delta; 3], accel: [-accel; 3] }.bounds();
        assert_eq!(bounds.max, [-rounded.next_down(); 3], "{min}");
    }
}
