//! Tests that the steps of a search are correct and complete.
//!
//! `swath::convex::toi::traced` is compared with the search without steps, and each step with the
//! specification.

use swath::convex::toi;
use swath::convex::toi::{Round, ToiError, ToiResult, Touch};
use swath::{Motion, Shape};
use testkit::convex_asked::{asked, hulls, motion, settings, shape};
use testkit::convex_cases::convex_cases;
use testkit::convex_promises::Truth;
use testkit::draw::how_many;

/// Goal: the result has the same bits, each round is a step, times only grow and stay before the result, and
/// no step reports more than the distance, nor another gap than that along its normal. Method: pairs of every
/// family; the gap along the normal and the distance are those of the specification, at a time that differs
/// by the rounding of `t`. Most steps report the whole gap.
#[test]
fn steps_are_correct_and_complete() {
    let (mut seen, mut tight, mut long) = (0, 0, 0);
    for case in convex_cases(83, how_many(3_000)) {
        let truth = Truth::of(&case);
        for touch in [Touch::Hit, Touch::Ignore] {
            let mut settings = settings(&case);
            settings.touch = touch;
            let hulls = hulls(&case);
            let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
            let [of_a, of_b] = case.motions.each_ref().map(motion);
            let mark = Round { t: -1.0, gap: 7.0, normal: [0.0; 3] };
            let mut steps = vec![mark];
            let toi = toi::traced(&a, &of_a, &b, &of_b, &settings, &mut steps).expect("valid");
            assert_eq!(toi, asked(&case, &settings), "{case:?}");
            assert_eq!(steps.remove(0), mark);
            assert_eq!(steps.len(), toi.rounds as usize, "{case:?}");

            let last = match toi.result {
                ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
                _ => case.window[1],
            };
            assert_eq!(steps[0].t, case.window[0], "{case:?}");
            assert!(steps.is_sorted_by(|one, next| one.t <= next.t), "{steps:?} {case:?}");
            assert!(steps.iter().all(|step| step.t <= last), "{steps:?} {toi:?} {case:?}");

            // Some steps of a long search are enough.
            for step in steps.iter().take(12) {
                let t = f64::from(step.t);
                let there = spec::distance(&truth.a, &truth.b, t);
                let length: f64 = step.normal.iter().map(|&x| f64::from(x).powi(2)).sum();
                assert!((length - 1.0).abs() < 1e-6, "{step:?} {case:?}");
                let along = spec::gap(&truth.a, &truth.b, t, step.normal.map(f64::from));
                // The time was rounded to `f32`, and so was the normal.
                let moved = truth.speed_max * t * f64::from(f32::EPSILON);
                let apart = truth.size + there.upper.abs();
                let off = moved + 4.0 * f64::from(f32::EPSILON) * apart + there.noise;
                let gap = f64::from(step.gap);
                assert!(gap <= there.upper + moved + there.noise, "{step:?} {there:?} {case:?}");
                assert!(gap <= along + off, "{step:?}, along it {along} {case:?}");
                // The bounds of bounding balls, and of a plane at its end, are lower than those of the
                // shapes.
                tight += usize::from(along <= gap + 2.0 * off);
                seen += 1;
            }
            long += usize::from(steps.len() > 3);
        }
    }
    let told = format!("{seen} steps, {tight} tight, {long} searches of more than 3");
    assert!(seen > 3_000 && 2 * tight > seen && long > 300, "{told}");
}

/// Goal: a rejected search has no steps. Method: an invalid motion, then invalid settings.
#[test]
fn rejected_search_has_no_steps() {
    let (ball, rest) = (Shape::sphere(1.0).expect("a ball"), Motion::default());
    let mut steps = Vec::new();
    let mut settings = toi::Settings::default();
    let bad = Motion { delta: [f32::NAN, 0.0, 0.0], ..rest };
    let invalid = bad.validate().expect_err("a NaN");
    for (of_a, of_b, error) in [
        (&bad, &rest, ToiError::Motion(invalid)),
        (&rest, &bad, ToiError::SecondMotion(invalid)),
        (&bad, &bad, ToiError::Motion(invalid)),
    ] {
        let refused = toi::traced(&ball, of_a, &ball, of_b, &settings, &mut steps);
        assert_eq!(refused, Err(error));
    }
    settings.window = [0.5, 0.25];
    let refused = toi::traced(&ball, &rest, &ball, &rest, &settings, &mut steps);
    assert_eq!(refused, Err(ToiError::Window));
    assert!(steps.is_empty());
}
