//! Tests that the faults of the sources are absent here.
//!
//! swath's sweep is based on *Time of Impact between two moving AABBs*, a blog post after Ericson (*Real-Time
//! Collision Detection*, 2005, §5.5.8), and on Gomez, *Simple Intersection Tests for Games* (1999). Each test
//! is named after a fault of one of them and asserts the right result, on every level and in every arity.

use swath::batch::sweep::{MISS, Sweep};
use swath::batch::{ContactState, sweep};
use swath::{Aabb, Invalid, Level, MovingBox, Pair};
use testkit::columns::{Columns, Outputs, bits};

/// A cube with sides of two around `center`, moving.
fn cube(center: [f32; 3], delta: [f32; 3]) -> MovingBox {
    let aabb = Aabb::cube(center, 1.0).expect("a small number");
    MovingBox::new(aabb, delta).expect("small numbers")
}

/// The one result of all levels and arities.
fn answer(a: &MovingBox, b: &MovingBox) -> Sweep {
    let answer = sweep::one_to_one(a, b).expect("both are boxes");
    let spec = spec::sweep(a, b).expect("both are boxes");
    assert_eq!(answer.contact, spec.contact);

    let rows = Columns::new(&[[*a; 16], [*b; 16]].concat());
    for level in Level::all() {
        let mut rejected = Vec::new();
        let checked = rows.boxes().check(level, &mut rejected);
        let mut many = Outputs::new(32);
        sweep::one_to_many(level, a, &checked, many.answers()).expect("equal lengths");
        let mut pairs = Outputs::new(16);
        let of: Vec<_> = (0..16).map(|row| Pair { a: row, b: 16 + row }).collect();
        sweep::pairs(level, &checked, &of, pairs.answers()).expect("equal lengths");
        let answers = [&many.bits()[16..], &pairs.bits()].concat();
        assert!(answers.iter().all(|&row| row == bits(answer)), "{level}");
    }
    answer
}

/// Whether `time` is early by at most 2⁻²¹ of itself.
fn is_just_before(first: f32, time: f32) -> bool {
    first <= time && first >= time * (1.0 - 1.0 / (1 << 21) as f32)
}

/// Whether `time` is late by at most 2⁻²¹ of itself.
fn is_just_after(last: f32, time: f32) -> bool {
    last >= time && last <= time * (1.0 + 1.0 / (1 << 21) as f32)
}

/// The post's tick is open at its end: a touch needs `t < 1`.
#[test]
fn post_a_touch_at_the_end_of_the_tick_is_separated() {
    let rest = cube([0.0; 3], [0.0; 3]);
    for (distance, delta) in [(5.0, -3.0), (2.5, -0.5), (3.0, -1.0)] {
        let reaches = cube([distance, 0.0, 0.0], [delta, 0.0, 0.0]);
        let sweep = answer(&rest, &reaches);
        assert_eq!(sweep.contact.state(), ContactState::Touching);
        assert!(is_just_before(sweep.first, 1.0) && sweep.last == 1.0, "{sweep:?}");
        // The longest displacement that is too short for rounding is a miss.
        let short = cube([distance, 0.0, 0.0], [delta * (1.0 - 1e-6), 0.0, 0.0]);
        assert_eq!(answer(&rest, &short), Sweep::SEPARATED);
    }
}

/// The post's `t` of a separated pair is zero if an axis has no motion, otherwise one.
#[test]
fn post_a_separated_pair_has_a_time() {
    let rest = cube([0.0; 3], [0.0; 3]);
    let no_motion = cube([5.0, 0.0, 0.0], [0.0; 3]);
    let too_slow = cube([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    let passes = cube([5.0, 5.0, 0.0], [-10.0, 0.0, 0.0]);
    let too_late = cube([5.0, 5.0, 0.0], [-3.0, -1e4, 0.0]);
    for b in [no_motion, too_slow, passes, too_late] {
        let sweep = answer(&rest, &b);
        assert_eq!(sweep, Sweep::SEPARATED);
        assert!(sweep.first == MISS && sweep.last == MISS);
    }
}

/// In the post a touch at the start is an overlap like any other, for which it gives no result; so a resting
/// contact has no sweep when it starts to close.
#[test]
fn post_a_touch_at_the_start_is_given_up() {
    let rest = cube([0.0; 3], [0.0; 3]);
    let on_top = |delta| answer(&rest, &cube([0.0, 2.0, 0.0], delta));

    let presses = on_top([0.5, -0.5, 0.0]);
    assert_eq!(presses.contact.state(), ContactState::Overlapping);
    assert!(presses.contact.is_surface() && presses.contact.is_closing());
    assert_eq!((presses.first, presses.contact.normal()), (0.0, [0.0, 1.0, 0.0]));
    assert_eq!(presses.last, 1.0);

    let parts = on_top([0.5, 0.5, 0.0]);
    assert!(parts.contact.is_surface() && !parts.contact.is_closing());
    assert!(parts.first == 0.0 && parts.last < 1e-37, "they part at once: {parts:?}");

    let slides = on_top([4.0, 0.0, 0.0]);
    assert!(slides.contact.is_surface() && !slides.contact.is_closing());
    assert!(slides.first == 0.0 && is_just_after(slides.last, 0.5), "{slides:?}");

    let stays = on_top([0.0; 3]);
    assert!(stays.contact.is_surface() && !stays.contact.is_closing());
    assert_eq!((stays.first, stays.last), (0.0, 1.0));

    // Overlapping interiors always count as closing, and have no axis of contact.
    let inside = answer(&rest, &cube([0.0, 1.0, 0.0], [0.0, 0.5, 0.0]));
    assert!(!inside.contact.is_surface() && inside.contact.is_closing());
    assert_eq!(inside.contact.axis(), None);
}

/// On an edge or a corner the contact closes only if the boxes close on each of its axes.
#[test]
fn post_a_corner_that_touches_at_the_start_is_given_up() {
    let rest = cube([0.0; 3], [0.0; 3]);
    let corner = |delta| answer(&rest, &cube([2.0, -2.0, 2.0], delta)).contact;
    let presses = corner([-1.0, 1.0, -1.0]);
    assert_eq!((presses.axis_mask(), presses.normal()), (0b111, [1.0, 0.0, 0.0]));
    assert!(presses.is_surface() && presses.is_closing());
    for delta in [[-1.0, 1.0, 0.0], [-1.0, -1.0, -1.0], [1.0, 1.0, -1.0]] {
        let passes = corner(delta);
        assert!(passes.is_surface() && !passes.is_closing(), "{delta:?}");
    }
}

/// The post compares NaN and gets an ordinary result; it does not check `min > max` either.
#[test]
fn post_nan_and_inverted_boxes_are_boxes() {
    let good = cube([0.0; 3], [0.0; 3]);
    let mut nan = good;
    nan.aabb.min[1] = f32::NAN;
    let mut drifts = good;
    drifts.delta[2] = f32::INFINITY;
    let mut inverted = good;
    (inverted.aabb.min[0], inverted.aabb.max[0]) = (1.0, -1.0);
    let wrong = [
        (nan, Invalid::NotFinite { axis: 1 }),
        (drifts, Invalid::NotFinite { axis: 2 }),
        (inverted, Invalid::Inverted { axis: 0 }),
    ];
    for (bad, reason) in wrong {
        assert_eq!(sweep::one_to_one(&bad, &good), Err(reason));
        assert_eq!(sweep::one_to_one(&good, &bad), Err(reason));
        assert_eq!(spec::sweep(&good, &bad), Err(reason));
        let rows = Columns::new(&[good, bad, good]);
        for level in Level::all() {
            let mut rejected = Vec::new();
            let checked = rows.boxes().check(level, &mut rejected);
            assert_eq!(checked.rejected()[0].reason, reason);
            let mut answers = Outputs::new(3);
            sweep::one_to_many(level, &good, &checked, answers.answers()).expect("equal lengths");
            assert_eq!(answers.answers().get(1), Sweep::SEPARATED);
            assert_eq!(answers.answers().get(2), answer(&good, &good));
        }
    }
}

/// The post only returns the time.
#[test]
fn post_no_axis_no_normal_and_no_exit_time() {
    let rest = cube([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        for side in [1.0, -1.0] {
            let (mut center, mut delta) = ([0.0; 3], [0.0; 3]);
            (center[axis], delta[axis]) = (4.0 * side, -16.0 * side);
            let sweep = answer(&rest, &cube(center, delta));
            assert!(is_just_before(sweep.first, 0.125), "{sweep:?}");
            assert!(is_just_after(sweep.last, 0.375), "{sweep:?}");
            assert_eq!((sweep.contact.axis(), sweep.contact.axis_mask()), (Some(axis), 1 << axis));
            let mut normal = [0.0; 3];
            normal[axis] = side;
            assert_eq!(sweep.contact.normal(), normal);
        }
    }
    let edge = answer(&rest, &cube([4.0, 4.0, 0.0], [-4.0, -4.0, 0.0])).contact;
    assert_eq!((edge.axis_mask(), edge.normal()), (0b011, [1.0, 0.0, 0.0]));
}

/// Gomez starts with `u0 = 0` and `u1 = 1` on each axis and rejects neither, so pairs that never touch are
/// hits.
#[test]
fn gomez_boxes_apart_hit() {
    let rest = cube([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        for side in [1.0, -1.0] {
            let mut center = [0.0; 3];
            center[axis] = 7.0 * side;
            // At rest five apart, separating, already past, and beside the path.
            for speed in [0.0, 3.0, 100.0] {
                let mut delta = [0.0; 3];
                delta[axis] = speed * side;
                let b = cube(center, delta);
                assert_eq!(answer(&rest, &b), Sweep::SEPARATED, "{b:?}");
                assert_eq!(answer(&b, &rest), Sweep::SEPARATED, "{b:?}");
                delta[(axis + 1) % 3] = 50.0;
                assert_eq!(answer(&rest, &cube(center, delta)), Sweep::SEPARATED);
            }
        }
    }
}

/// Gomez returns at once if the boxes overlap at the start, without the last time.
#[test]
fn gomez_an_overlap_at_the_start_has_no_exit_time() {
    let rest = cube([0.0; 3], [0.0; 3]);
    let leaves = answer(&rest, &cube([1.0, 0.0, 0.0], [8.0, 0.0, 0.0]));
    assert_eq!(leaves.contact.state(), ContactState::Overlapping);
    assert_eq!(leaves.first, 0.0);
    assert!(is_just_after(leaves.last, 0.125), "{leaves:?}");
    let crosses = answer(&rest, &cube([1.0, 0.5, 0.0], [-12.0, 1.0, 0.0]));
    assert!(crosses.first == 0.0 && is_just_after(crosses.last, 0.25), "{crosses:?}");
    let stays = answer(&rest, &cube([1.0, 0.5, 0.0], [0.5, 0.0, 0.0]));
    assert_eq!((stays.first, stays.last), (0.0, 1.0));
}

/// The centre form is rounded, and a box that has lost a point loses a contact.
#[test]
fn gomez_the_centre_form_loses_points() {
    // Neither corner is a float: ten million and a third, on both sides.
    let (center, half) = (1e7, 1.0 / 3.0);
    let aabb = Aabb::cube([center; 3], half).expect("not too large");
    let exact = [f64::from(center) - f64::from(half), f64::from(center) + f64::from(half)];
    for axis in 0..3 {
        assert!(f64::from(aabb.min[axis]) <= exact[0] && f64::from(aabb.max[axis]) >= exact[1]);
    }
    // After conversion in both directions the result contains the input.
    for aabb in [
        aabb,
        Aabb { min: [0.1, 1e-30, -1e30], max: [0.7, 1.0, 1.0] },
        Aabb { min: [-1.0 / 3.0, 16_777_215.0, f32::from_bits(1)], max: [1e6, 16_777_216.0, 3.0] },
    ] {
        let back = Aabb::from_center(aabb.center(), aabb.half_extents()).expect("it was a box");
        assert!(back.contains(&aabb), "{back:?} does not hold {aabb:?}");
    }
}
