//! Tests of sweeps of spheres: never late, never missed and hardly early.
//!
//! On the first inputs the specification is exact, and results must be equal. Then follow hostile inputs,
//! which are judged by the distance of the surfaces at the reported times: in fractions if `f64` is not
//! accurate enough.

use spec::RoundSweep;
use swath::batch::sweep::{Sweep, sphere_box, spheres};
use swath::batch::{Contact, ContactState, MovingSphere, sweep};
use swath::{Aabb, MovingBox, Sphere};
use testkit::balls::{Round, rounds};
use testkit::columns::bits;
use testkit::draw::how_many;
use testkit::exact_distance::MovingDistance;

/// Greatest gap at a reported time, relative to the distance at the start, the motion and the radii.
const GAP: f64 = 1.0 / (1 << 19) as f64;
/// The state at the start is exact unless the gap is within this part of the radii, or within the part
/// [`BAND_TINY`] of the greatest length.
const BAND: f64 = 1.0 / (1 << 20) as f64;
/// The same limit, relative to the greatest length instead.
const BAND_TINY: f64 = 1.0 / (1_u128 << 69) as f64;
/// Error of `spec` and of the judge: about 2⁻⁵⁰ of the lengths.
const SPEC: f64 = 1.0 / (1_u64 << 47) as f64;

fn two(a: &MovingSphere, b: &MovingSphere) -> Sweep {
    spheres::one_to_one(a, b).expect("both are spheres")
}

fn boxed(a: &MovingSphere, b: &MovingBox) -> Sweep {
    sphere_box::one_to_one(a, b).expect("a sphere and a box")
}

/// Both functions of a case: the input, the result and its meaning.
fn asked(case: &Round) -> [(MovingDistance, Sweep, RoundSweep); 2] {
    let Round { a, b, ball, boxed: walls, .. } = case;
    let two_spec = spec::sweep_spheres(a, b).expect("both are spheres");
    let box_spec = spec::sweep_sphere_box(ball, walls).expect("a sphere and a box");
    [
        (MovingDistance::spheres(a, b), two(a, b), two_spec),
        (MovingDistance::sphere_box(ball, walls), boxed(ball, walls), box_spec),
    ]
}

fn must(holds: bool, promise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(promise) }
}

/// All guarantees for one result.
fn holds(asked: &MovingDistance, answer: Sweep) -> Result<(), &'static str> {
    let Sweep { first, last, contact } = answer;
    if !contact.is_hit() {
        must(bits(answer) == bits(Sweep::SEPARATED), "a miss is `SEPARATED`")?;
        return must(asked.misses(), "a contact is never missed");
    }
    must(first.is_sign_positive() && first <= last && last <= 1.0, "0 ≤ first ≤ last ≤ 1")?;
    must(asked.is_not_late(first), "first is never late")?;
    must(asked.is_not_early(last), "last is never early")?;
    let lengths = asked.lengths();
    let gap = GAP * lengths.iter().sum::<f64>();
    must(asked.gap(f64::from(first)) <= gap, "the gap at first is small")?;
    must(asked.gap(f64::from(last)) <= gap, "the gap at last is small")?;

    must(contact.axis().is_none() && contact.normal() == [0.0; 3], "there is no axis")?;
    let overlapping = contact.state() == ContactState::Overlapping;
    must(overlapping || contact.state() == ContactState::Touching, "a hit has a state")?;
    must(overlapping || !contact.is_surface() && contact.is_closing(), "to touch is to close")?;
    must(overlapping || !asked.overlaps(), "an overlap is always said")?;
    let [_, motion, radius] = lengths;
    let greatest = lengths.into_iter().fold(0.0, f64::max);
    let band = radius * BAND + greatest * BAND_TINY;
    if overlapping {
        must(first == 0.0, "an overlap starts at once")?;
        must(asked.gap(0.0) <= band, "an overlap overlaps, but for rounding")?;
        must(contact.is_surface() || !asked.is_surface(), "surfaces that touch are told")?;
        must(contact.is_surface() || contact.is_closing(), "an overlap closes")?;
    }
    if contact.is_surface() {
        must(asked.gap(0.0).abs() <= band, "a surface is one, but for rounding")?;
        let sinks = asked.gap(0.0) - asked.least_gap();
        must(contact.is_closing() || sinks <= GAP * (motion + radius), "what parts does not sink")?;
    }
    Ok(())
}

/// Goal: never missed, never late, hardly early, and the right state except for rounding. Method: hostile
/// pairs of spheres, and of a sphere and a box; the exact distance at the reported times.
#[test]
fn rounds_are_never_late_and_never_missed() {
    for case in rounds(1, how_many(100_000)) {
        for (asked, answer, _) in asked(&case) {
            if let Err(promise) = holds(&asked, answer) {
                panic!("{promise}: {answer:?} for {asked:?}, {case:?}");
            }
        }
    }
}

/// Goal: the judge is right if it uses `f64`. Method: fractions for all.
#[test]
fn judge_agrees_with_fractions() {
    let mut misses = 0;
    for case in rounds(2, 1_500) {
        for (asked, ..) in asked(&case) {
            assert_eq!(asked.misses(), asked.misses_exactly(), "{case:?}");
            misses += usize::from(asked.misses());
        }
    }
    assert!((300..2_700).contains(&misses), "{misses} of 3000 miss");
}

/// Goal: `spec` is accurate. Method: the same judge, and the digits of `spec`.
#[test]
fn spec_is_exact_to_its_last_digits() {
    for case in rounds(3, 30_000) {
        for (asked, _, spec) in asked(&case) {
            let small = SPEC * asked.lengths().iter().sum::<f64>();
            let about = format!("{spec:?} for {asked:?}");
            assert!((spec.gap - asked.least_gap()).abs() <= small, "{about}");
            assert!(spec.contact.is_hit() != asked.misses() || spec.gap.abs() <= small, "{about}");
            if !spec.contact.is_hit() {
                assert!(spec.first.is_infinite() && spec.last.is_infinite(), "{about}");
                continue;
            }
            assert!(0.0 <= spec.first && spec.first <= spec.last && spec.last <= 1.0, "{about}");
            // On the surface, unless the tick ends before or the two only graze.
            let graze = asked.least_gap().abs() <= small;
            for (time, end) in [(spec.first, 0.0), (spec.last, 1.0)] {
                let gap = asked.gap(time);
                assert!(gap <= small && (time == end || gap >= -small || graze), "{about}");
            }
            let starts = spec.contact.state() == ContactState::Overlapping;
            assert!(starts == asked.overlaps() || asked.gap(0.0).abs() <= small, "{about}");
            let surface = spec.contact.is_surface();
            assert!(surface == asked.is_surface() || asked.gap(0.0).abs() <= small, "{about}");
        }
    }
}

/// Compares with `spec` if both are exact except for the times.
#[track_caller]
fn equals_spec(answer: Sweep, spec: &RoundSweep, asked: &MovingDistance) {
    assert_eq!(answer.contact, spec.contact, "{answer:?} for {spec:?}, {asked:?}");
    if let Err(promise) = holds(asked, answer) {
        panic!("{promise}: {answer:?} for {spec:?}, {asked:?}");
    }
    if answer.contact.is_hit() {
        let (first, last) = (f64::from(answer.first), f64::from(answer.last));
        assert!(first <= spec.first + SPEC && last >= spec.last - SPEC, "{answer:?}, {spec:?}");
        // For a graze, a small error of the gap is its square root in time.
        assert!(first >= spec.first - 0.01 && last <= spec.last + 0.01, "{answer:?}, {spec:?}");
    }
}

/// Goal: every kind of contact gives the right result. Method: all integer positions, motions, radii and
/// sides in a small range, for which squares are exact and a miss is never narrow.
///
/// They include hits, misses, touches at either end of the tick, grazes, and pairs that rest, separate or do
/// not move; state, surface and closing must be those of the specification.
#[test]
fn every_contact_on_a_lattice_equals_the_spec() {
    let steps = |reach: i8| -reach..=reach;
    for (x, y, z) in steps(3).flat_map(|x| steps(3).flat_map(move |y| [(x, y, 0), (x, y, -1)])) {
        let place = [x, y, z].map(f32::from);
        for (dx, dy) in steps(4).flat_map(|dx| steps(4).map(move |dy| (dx, dy))) {
            let delta = [f32::from(dx), f32::from(dy), 0.0];
            for radius in 0..3_u8 {
                let radius = f32::from(radius);
                let a = MovingSphere::from(Sphere { center: [0.0; 3], radius });
                let b = MovingSphere { sphere: Sphere { center: place, radius: 0.0 }, delta };
                let spec = spec::sweep_spheres(&a, &b).expect("both are spheres");
                equals_spec(two(&a, &b), &spec, &MovingDistance::spheres(&a, &b));
                let turned = MovingSphere { sphere: a.sphere, delta: delta.map(|d| -d) };
                let [sides, size] = [[[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], [[0.0, 2.0]; 3]];
                for [low, high] in sides.into_iter().chain(size.into_iter().take(1)) {
                    let aabb = Aabb { min: place.map(|x| x + low), max: place.map(|x| x + high) };
                    let walls = MovingBox { aabb, delta: [0.0; 3] };
                    let spec = spec::sweep_sphere_box(&turned, &walls).expect("both are valid");
                    let asked = MovingDistance::sphere_box(&turned, &walls);
                    equals_spec(boxed(&turned, &walls), &spec, &asked);
                }
            }
        }
    }
}

/// Goal: the faults of the source are absent. Method: Gomez's test reports a root outside of the tick, and a
/// pair that has passed, as a hit.
#[test]
fn passed_distant_and_separating_spheres_are_misses() {
    let at = |x: f32, radius: f32, dx: f32| MovingSphere {
        sphere: Sphere { center: [x, 0.0, 0.0], radius },
        delta: [dx, 0.0, 0.0],
    };
    let a = at(0.0, 1.0, 0.0);
    let wall = MovingBox::from(Aabb { min: [-0.5; 3], max: [0.5; 3] });
    for (x, dx) in [(5.0, 2.0), (5.0, 1.0e6), (5.0, -1.0), (-5.0, -8.0), (5.0, 0.0), (5.0, -0.0)] {
        assert_eq!(two(&a, &at(x, 1.0, dx)), Sweep::SEPARATED, "{x}, {dx}");
        assert_eq!(boxed(&at(x, 1.0, dx), &wall), Sweep::SEPARATED, "{x}, {dx}");
    }
    // The tick is closed: contact at exactly its end counts.
    for answer in [two(&a, &at(5.0, 1.0, -3.0)), boxed(&at(5.0, 1.0, -3.5), &wall)] {
        assert!(answer.first > 0.999_99 && answer.last == 1.0, "{answer:?}");
    }
}

/// Goal: a box that is a point is a sphere without a radius. Method: both functions.
#[test]
fn a_point_is_a_box_and_a_sphere() {
    for case in rounds(4, 20_000) {
        let aabb = Aabb { min: case.b.sphere.center, max: case.b.sphere.center };
        let (point, mut b) = (MovingBox { aabb, delta: case.b.delta }, case.b);
        b.sphere.radius = 0.0;
        let (of_box, of_sphere) = (boxed(&case.a, &point), two(&case.a, &b));
        let asked = MovingDistance::spheres(&case.a, &b);
        for answer in [of_box, of_sphere] {
            assert_eq!(holds(&asked, answer), Ok(()), "{answer:?}, {case:?}");
        }
        let states = [of_box, of_sphere].map(|answer| answer.contact.is_surface());
        let exact = case.family == "grid";
        assert!(!exact || states[0] == states[1], "{of_box:?}, {of_sphere:?}, {case:?}");
    }
}

/// Goal: a sphere without a radius is a box that is a point. Method: the sweep of boxes.
#[test]
fn a_point_against_a_box_agrees_with_the_sweep_of_boxes() {
    let mut hits = 0;
    for case in rounds(5, 40_000) {
        let mut a = case.ball;
        a.sphere.radius = 0.0;
        let aabb = Aabb { min: a.sphere.center, max: a.sphere.center };
        let of_sphere = boxed(&a, &case.boxed);
        let of_box = sweep::one_to_one(&MovingBox { aabb, delta: a.delta }, &case.boxed);
        let of_box = of_box.expect("both are boxes");
        let asked = MovingDistance::sphere_box(&a, &case.boxed);
        assert_eq!(holds(&asked, of_sphere), Ok(()), "{of_sphere:?}, {case:?}");
        let gap = GAP * asked.lengths().iter().sum::<f64>();
        if !(of_box.contact.is_hit() && of_sphere.contact.is_hit()) {
            assert!(asked.misses() || of_box.contact.is_hit() == of_sphere.contact.is_hit());
            continue;
        }
        hits += 1;
        // At a time of one function the point is hardly off the box, by the distance of the other.
        for time in [of_box.first, of_box.last] {
            assert!(asked.gap(f64::from(time)) <= gap, "{of_box:?}, {case:?}");
        }
        if !asked.misses() {
            let (late, early) = (of_box.first * (1.0 + 1e-6) + 1e-37, of_box.last * (1.0 - 1e-6));
            assert!(of_sphere.first <= late && of_sphere.last >= early, "{of_box:?}, {case:?}");
        }
        if asked.overlaps() && case.family == "grid" {
            let said =
                |contact: Contact| (contact.state(), contact.is_surface(), contact.is_closing());
            assert_eq!(said(of_sphere.contact), said(of_box.contact), "{case:?}");
        }
    }
    assert!(hits > 1_500, "only {hits} pairs hit");
}

/// Goal: a ball is inside its cube. Method: a body that never touches the cube never touches the ball, and
/// the cube is touched first and left last.
#[test]
fn cube_around_a_ball_is_touched_first_and_left_last() {
    for case in rounds(6, 30_000) {
        let cube = MovingBox { aabb: case.ball.sphere.bounds(), delta: case.ball.delta };
        let Ok(of_cube) = sweep::one_to_one(&cube, &case.boxed) else { continue };
        let asked = MovingDistance::sphere_box(&case.ball, &case.boxed);
        if !of_cube.contact.is_hit() {
            assert!(asked.misses(), "{case:?}");
        } else if !asked.misses() {
            assert!(asked.is_not_late(of_cube.first), "{of_cube:?}, {case:?}");
            assert!(asked.is_not_early(of_cube.last), "{of_cube:?}, {case:?}");
        }
    }
}

/// Goal: a larger radius touches no later. Method: exact judges of both, each with the result of the other.
#[test]
fn larger_ball_is_not_touched_later() {
    for case in rounds(7, 20_000) {
        let mut greater = case.ball;
        greater.sphere.radius *= 1.5;
        if greater.validate().is_err() || greater.sphere.radius <= case.ball.sphere.radius {
            continue;
        }
        let asked = MovingDistance::sphere_box(&case.ball, &case.boxed);
        let answer = boxed(&greater, &case.boxed);
        assert!(answer.contact.is_hit() || asked.misses(), "{case:?}");
        if answer.contact.is_hit() && !asked.misses() {
            assert!(asked.is_not_late(answer.first), "{answer:?}, {case:?}");
            assert!(asked.is_not_early(answer.last), "{answer:?}, {case:?}");
        }
    }
}

/// Goal: the normal is the direction from one centre to the other at the time. Method: two moving balls whose centres are whole numbers, one
/// of them in the place of the other at the end.
#[test]
fn normal_is_that_of_the_centres_at_the_time() {
    let ball = |center, delta| MovingSphere { sphere: Sphere { center, radius: 1.0 }, delta };
    let a = ball([1.0, 2.0, 0.0], [4.0, 0.0, 2.0]);
    let b = ball([9.0, 2.0, 0.0], [-4.0, 8.0, 2.0]);
    let at = |time| spheres::normal(&a, &b, time);
    assert_eq!(at(0.0), [1.0, 0.0, 0.0]);
    // From (3, 2, 1) to (7, 6, 1).
    let half = 0.5_f32.sqrt();
    assert_eq!(at(0.5), [half, half, 0.0]);
    // From (5, 2, 2) to (5, 10, 2).
    assert_eq!(at(1.0), [0.0, 1.0, 0.0]);
    assert_eq!(spheres::normal(&b, &a, 1.0), [0.0, -1.0, 0.0]);
    assert_eq!(spheres::normal(&a, &a, 0.5), [1.0, 0.0, 0.0]);
}
