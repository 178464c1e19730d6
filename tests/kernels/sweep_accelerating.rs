//! Tests of the sweep under acceleration: its result is that of `spec` on every level, and it is never late.
//!
//! The first inputs are exact in `f32`. Then follow hostile inputs, compared with exact times: roots of
//! quadratics in integers. Comparisons bit by bit are marked as such.

use swath::Aabb;
use swath::batch::sweep::{Sweep, accelerating};
use swath::batch::{AcceleratingBox, ContactState, sweep};
use testkit::accelerating::cases::cases;
use testkit::accelerating::exact;
use testkit::accelerating::promises::{GROWN, gap, holds};
use testkit::cases::cases as plain_cases;
use testkit::columns::bits;
use testkit::draw::how_many;

fn one_to_one(a: &AcceleratingBox, b: &AcceleratingBox) -> Sweep {
    accelerating::one_to_one(a, b).expect("both are boxes")
}

/// A box on one axis; all boxes have the other two axes in common.
fn on_axis(axis: usize, [min, max]: [f32; 2], delta: f32, accel: f32) -> AcceleratingBox {
    let aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let mut moving = AcceleratingBox { aabb, ..AcceleratingBox::default() };
    (moving.aabb.min[axis], moving.aabb.max[axis]) = (min, max);
    (moving.delta[axis], moving.accel[axis]) = (delta, accel);
    moving
}

/// Checks that `got` is the result of `spec`, except for rounding of a time.
#[track_caller]
fn equals_spec(a: &AcceleratingBox, b: &AcceleratingBox, tolerance: f64) {
    let spec = spec::accelerating(a, b).expect("both are boxes");
    let got = one_to_one(a, b);
    let text = format!("{got:?} for {spec:?}: {a:?}, {b:?}");
    assert_eq!(got.contact, spec.contact, "{text}");
    if spec.contact.is_hit() {
        let (first, last) = (f64::from(got.first), f64::from(got.last));
        assert!(first <= spec.first && first >= spec.first - tolerance, "{text}");
        assert!(last >= spec.last && last <= spec.last + tolerance, "{text}");
    } else {
        assert_eq!(bits(got), bits(Sweep::SEPARATED), "{text}");
    }
}

/// Goal: every order of two faces, a start, a turning point and an end gives the right result. Method: all of
/// them.
///
/// Roots are a quarter apart and quadratics are made from them, so every discriminant is an exact square, in
/// `f64` too; the results must be those of `spec`, masks and normals included. No pair has a double root:
/// grazes have a test of their own.
#[test]
fn every_order_of_roots_equals_the_spec() {
    let quarters: Vec<f32> = (-2..=6).map(|k| k as f32 * 0.25).collect();
    let mut hits = 0;
    for (i, &near) in quarters.iter().enumerate() {
        for &far in &quarters[i + 1..] {
            for g in [32.0, -32.0, 128.0_f32] {
                // ½g(t - near)(t - far) = ½gt² + dt - n.
                let (d, n) = (-0.5 * g * (near + far), -0.5 * g * near * far);
                // Another face at a height where the roots are quarters too.
                for other in 1..=4 {
                    let by = other as f32 * 0.25;
                    let m = -0.5 * g * (near - by) * (far + by);
                    for [low, high] in [[n.min(m), n.max(m)]] {
                        for axis in 0..3 {
                            let a = on_axis(axis, [low + 1.0, high], 0.0, 0.0);
                            let b = on_axis(axis, [0.0, 1.0], d, g);
                            if low + 1.0 <= high {
                                equals_spec(&a, &b, 4e-6);
                                equals_spec(&b, &a, 4e-6);
                                hits += u32::from(one_to_one(&a, &b).contact.is_hit());
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(hits > 500, "{hits}");
}

/// Goal: the axes are combined as in the specification: separations, contacts and second contacts. Method:
/// every choice of three kinds of motion on an axis, with roots that are quarters.
#[test]
fn every_combination_of_three_axes_equals_the_spec() {
    // below, above, d, g.
    let ways: [[f32; 4]; 12] = [
        [-9.0, 9.0, 0.0, 0.0],
        [-9.0, 9.0, 1.0, -1.0],
        // From below or above, and through.
        [1.0, 2.0, 4.0, 0.0],
        [-3.0, -1.0, -4.0, 0.0],
        [1.0, 4.0, 0.0, 32.0],
        [-9.0, -1.0, 0.0, -32.0],
        // Up to a quarter and back: inside from 1/4 to 3/4, or at the start and at the end.
        [3.0, 9.0, 16.0, -32.0],
        [-3.0, 3.0, 16.0, -32.0],
        [-3.0, 3.0, -16.0, 32.0],
        // In, through, and in again.
        [1.75, 3.0, 16.0, -32.0],
        [-3.75, -1.75, -16.0, 32.0],
        // Never inside.
        [5.0, 6.0, 16.0, -32.0],
    ];
    let pair = |of: [[f32; 4]; 3]| {
        let mut a = on_axis(0, [0.0; 2], 0.0, 0.0);
        let mut b = a;
        for (axis, [below, above, d, g]) in of.into_iter().enumerate() {
            // b from 0 to 1/8.
            (b.aabb.min[axis], b.aabb.max[axis]) = (0.0, 0.125);
            (a.aabb.min[axis], a.aabb.max[axis]) = (below + 0.125, above);
            (b.delta[axis], b.accel[axis]) = (d, g);
        }
        (a, b)
    };
    for x in ways {
        for y in ways {
            for z in ways {
                let (a, b) = pair([x, y, z]);
                equals_spec(&a, &b, 4e-6);
            }
        }
    }
}

/// Goal: a box that turns exactly where it touches is a hit, and one that turns before by more than rounding
/// is not. Method: turning points at quarters, thrown up and falling.
#[test]
fn turning_point_at_the_face_is_a_touch() {
    for quarter in 0..=4 {
        let t = quarter as f32 * 0.25;
        for g in [1.0, 8.0, 1024.0_f32, 1e-20, 1e25] {
            for up in [1.0, -1.0] {
                let (d, height) = (g * t, 0.5 * g * t * t);
                let b = on_axis(1, [0.0, 0.0], up * d, up * -g);
                for steps in -64_i32..=64 {
                    let off = height * (1.0 + steps as f32 * f32::EPSILON);
                    let mut at = [up * off, up * (height + g)];
                    at.sort_by(f32::total_cmp);
                    let a = on_axis(1, at, 0.0, 0.0);
                    let answer = one_to_one(&a, &b);
                    let exact = exact::sweep(&a, &b);
                    assert_eq!(holds(answer, &exact), Ok(()), "{answer:?}, {a:?}, {b:?}");
                    if steps == 0 {
                        assert!(answer.contact.is_hit() && answer.contact.axis() == Some(1));
                        assert_eq!(answer.contact.normal()[1], -up);
                        assert!(answer.last - answer.first < 2e-3, "{answer:?}");
                    }
                    // Enlarged by 48·2⁻²⁴ of at most 2.5·g the face is reached, by 64 it is not.
                    if quarter > 0 && (off - height) > 64.0 * 2.5 * g / (1 << 24) as f32 {
                        assert!(!answer.contact.is_hit(), "{answer:?}, {a:?}, {b:?}");
                    }
                }
            }
        }
    }
}

/// Goal: never missed, never late, hardly early; masks, normals and states. Method: hostile pairs, compared
/// with times as roots of quadratics in integers, which have no rounding error.
#[test]
fn contacts_under_acceleration_keep_their_promises() {
    let mut widest = 0.0_f64;
    let (mut hits, mut narrow) = (0, 0);
    let count = how_many(100_000);
    for case in cases(1, count) {
        let exact = exact::sweep(&case.a, &case.b);
        let answer = one_to_one(&case.a, &case.b);
        if let Err(promise) = holds(answer, &exact) {
            panic!("{promise}: {answer:?} for {:?}, {case:?}", exact.contact);
        }
        hits += usize::from(exact.contact.is_some());
        if answer.contact.is_hit() {
            narrow += usize::from(exact.contact.is_none());
            let [first, last] = [answer.first, answer.last].map(|t| gap(&exact, t.into()));
            widest = widest.max(first).max(last);
        }
    }
    println!("{count} pairs, {hits} hits, {narrow} narrow misses called hits");
    println!("the widest gap is {:.2} of {:.0} units", widest / UNIT, GROWN / UNIT);
    assert!(hits > count / 3 && narrow < count / 10);
}

/// 2⁻²⁴.
const UNIT: f64 = 1.0 / (1 << 24) as f64;

/// Goal: `spec` is accurate. Method: the same pairs, exact times, if rounding cannot change which contact is
/// the first.
#[test]
fn spec_is_exact_to_its_last_digits() {
    let mut compared = 0;
    for case in cases(2, 30_000) {
        let exact = exact::sweep(&case.a, &case.b);
        let spec = spec::accelerating(&case.a, &case.b).expect("both are boxes");
        let Some(times) = exact.contact else {
            // A false hit of `spec` is a narrow one.
            let near = || gap(&exact, spec.first) <= 1e-12;
            assert!(!spec.contact.is_hit() || near(), "{spec:?}, {case:?}");
            continue;
        };
        // It may lose a graze, whose time has an error of the square root of its last digits.
        if !spec.contact.is_hit() {
            let [first, _] = times.map(|time| time.near().0);
            let slow = exact.axes.iter().any(|axis| axis.turns_near(first, 1e-5));
            let tie = spec.margin >= -1e-7;
            assert!(slow || tie, "{spec:?}, {case:?}");
            continue;
        }
        let [first, last] = times.map(|time| time.near().0);
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-7;
        let turns = |t: f64| exact.axes.iter().any(|axis| axis.turns_near(t, 1e-5));
        let graze = || turns(spec.first) || turns(last);
        let same = close(spec.first, first) && close(spec.last, last);
        assert!(same || graze() || spec.margin <= 1e-7, "{spec:?} {times:?}, {case:?}");
        if same {
            assert_eq!(spec.contact.state(), exact.state, "{case:?}");
            assert_eq!(spec.contact.is_closing(), exact.closing, "{case:?}");
            compared += 1;
        }
        if exact.state == ContactState::Overlapping {
            assert_eq!(spec.contact.axis_mask(), exact.mask, "{case:?}");
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Goal: without relative acceleration the result is that of the plain sweep. Method: hostile pairs with the
/// same acceleration for both, compared bit by bit.
#[test]
fn result_without_relative_acceleration_is_the_plain_sweep() {
    let shared = [[0.0; 3], [1.0, -3.5, 1e20], [-0.0, 0.0, 9.8]];
    for (accel, case) in shared.into_iter().cycle().zip(plain_cases(3, 100_000)) {
        let with = |moving: swath::MovingBox| AcceleratingBox { accel, ..moving.into() };
        let plain = sweep::one_to_one(&case.a, &case.b).expect("both are boxes");
        let answer = one_to_one(&with(case.a), &with(case.b));
        // The plain sweep reports a hit for a pair that separated before the start by less than a float can
        // represent.
        if plain.first == 0.0 && plain.contact.state() == ContactState::Touching {
            continue;
        }
        let times = |of: Sweep| [of.first.to_bits(), of.last.to_bits()];
        assert_eq!(times(answer), times(plain), "{answer:?} {plain:?} {case:?}");
        assert_eq!(answer.contact.state(), plain.contact.state(), "{case:?}");
        assert_eq!(answer.contact.is_closing(), plain.contact.is_closing(), "{case:?}");
        assert_eq!(answer.contact.is_surface(), plain.contact.is_surface(), "{case:?}");
        let both = answer.contact.axis_mask() & plain.contact.axis_mask();
        let some = plain.contact.axis_mask() == 0 || both != 0;
        assert!(some, "{answer:?} {plain:?} {case:?}");
    }
}

/// Goal: touching surfaces at rest close if they accelerate inwards. Method: every sign of velocity and
/// acceleration, on either side.
#[test]
fn surfaces_at_rest_close_if_they_accelerate_inwards() {
    for d in [-1.0, -0.0, 0.0, 1.0_f32] {
        for g in [-2.0, -0.0, 0.0, 2.0_f32] {
            let (a, above) = (on_axis(1, [0.0, 1.0], 0.0, 0.0), on_axis(1, [1.0, 2.0], d, g));
            let below = on_axis(1, [-1.0, 0.0], -d, -g);
            for (b, up) in [(above, 1.0), (below, -1.0)] {
                let Sweep { first, contact, .. } = one_to_one(&a, &b);
                assert_eq!((first, contact.state()), (0.0, ContactState::Overlapping));
                assert!(contact.is_surface() && contact.normal() == [0.0, up, 0.0]);
                let inwards = d < 0.0 || d == 0.0 && g < 0.0;
                assert_eq!(contact.is_closing(), inwards, "{d} {g} {up}");
                equals_spec(&a, &b, 1e-4);
            }
        }
    }
}

/// Goal: axes without acceleration that are entered at exactly the same time are both reported, for the worst
/// rounding errors. Method: `gap = p·v` and `d = q·v` for numbers `v` of 27 digits, both of which are
/// rounded; of many, the two whose quotients differ most. The exact time of both is `p / q`.
#[test]
fn exact_tie_with_the_worst_rounding_is_reported() {
    // x = high + low, exactly.
    let parts = |x: f64| {
        let high = x as f32;
        [high, (x - f64::from(high)) as f32]
    };
    let mut worst = (0.0, [0.0; 2], [0.0; 2]);
    for q in 2..24 {
        for p in 1..q {
            let (p, q) = (f64::from(p), f64::from(q));
            let quotient = |v: f64| f64::from((p * v) as f32 / (q * v) as f32);
            let numbers = (0..1 << 12).map(|k| 1.0 + f64::from(k * 32_423 + 1) * 0.5_f64.powi(27));
            let [mut least, mut greatest] = [1.0; 2];
            for v in numbers {
                least = if quotient(v) < quotient(least) { v } else { least };
                greatest = if quotient(v) > quotient(greatest) { v } else { greatest };
            }
            let apart = quotient(greatest) / quotient(least) - 1.0;
            if apart > worst.0 {
                worst = (apart, [p, q], [least, greatest]);
            }
        }
    }
    let (apart, [p, q], numbers) = worst;
    // Farther than the correction of the time.
    assert!(apart > 5.0 * UNIT, "{} units", apart / UNIT);
    let mut a = on_axis(0, [0.0, 0.0], 0.0, 0.0);
    let mut b = a;
    for (axis, v) in numbers.into_iter().enumerate() {
        let ([gap, gap_rest], [d, d_rest]) = (parts(p * v), parts(q * v));
        // `b` comes from below.
        (a.aabb.min[axis], a.aabb.max[axis]) = (gap, 99.0);
        (b.aabb.min[axis], b.aabb.max[axis]) = (-99.0, -gap_rest);
        (b.delta[axis], a.delta[axis]) = (d, -d_rest);
    }
    // The third axis falls a little, and decides nothing.
    (a.aabb.min[2], a.aabb.max[2], b.accel[2]) = (-9.0, 9.0, -1.0);
    for (a, b) in [(a, b), (b, a)] {
        let (answer, exact) = (one_to_one(&a, &b), exact::sweep(&a, &b));
        assert_eq!((exact.mask, answer.contact.axis_mask()), (3, 3), "{answer:?}");
        assert_eq!(holds(answer, &exact), Ok(()), "{answer:?}");
    }
}
