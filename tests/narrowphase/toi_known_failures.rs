//! Do first times of convex shapes hold where those of others are known to fail?
//!
//! Each test is a kind of failure that users of conservative advancement and of nonlinear casts
//! have met: a named one each, with the answer worked out by hand and judged by the specification.

use spec::FirstTime;
use swath::convex::toi;
use swath::convex::toi::{Meetings, Settings, Toi, ToiResult, Touch};
use swath::{Pair, Threads};
use testkit::convex_asked::{
    answer, asked, hulls, motion, settings, shape, tolerance, tolerance_length,
};
use testkit::convex_cases::{ConvexCase, FAMILIES, convex_cases};
use testkit::convex_promises::{Truth, keeps_its_promises};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::how_many;

fn cuboid(half: [f32; 3]) -> PlainShape {
    PlainShape { core: PlainCore::Cuboid(half), radius: 0.0 }
}

fn ball(radius: f32) -> PlainShape {
    PlainShape { core: PlainCore::Point, radius }
}

fn at(position: [f32; 3]) -> PlainMotion {
    PlainMotion { position, ..PlainMotion::REST }
}

/// The answer to both, which the specification has to agree with, either way round.
#[track_caller]
fn holds(shapes: [PlainShape; 2], motions: [PlainMotion; 2]) -> Toi {
    let case = ConvexCase { family: "named", shapes, motions, target: 0.0, window: [0.0, 1.0] };
    let truth = Truth::of(&case);
    let mut swapped = case.clone();
    swapped.shapes.reverse();
    swapped.motions.reverse();
    for case in [&swapped, &case] {
        let toi = asked(case, &settings(case));
        let unresolved = matches!(toi.result, ToiResult::Unresolved { .. });
        assert!(!unresolved && toi.rounds < 200, "{toi:?}");
        keeps_its_promises(case, &answer(&toi), &tolerance(case, &truth));
    }
    asked(&case, &settings(&case))
}

/// Goal: what touches and does not move touches, by all three meanings of a touch. Method: two boxes
/// face to face, then the same at a common speed.
#[test]
fn touching_at_no_speed() {
    for delta in [[0.0; 3], [1e3, -7.0, 0.1]] {
        let shapes = [cuboid([1.0; 3]), cuboid([0.5, 2.0, 1.0])];
        let motions = [[0.0; 3], [1.5, 0.25, 0.0]].map(|p| PlainMotion { delta, ..at(p) });
        let toi = holds(shapes.clone(), motions);
        assert_eq!(toi.impact(), Some(0.0));
        let window = [0.0, 1.0];
        let case = ConvexCase { family: "named", shapes, motions, target: 0.0, window };
        for touch in [Touch::IfClosing, Touch::Ignore] {
            let mut settings = settings(&case);
            settings.touch = touch;
            assert_eq!(asked(&case, &settings).result, ToiResult::Separated, "{touch:?}");
        }
    }
}

/// Goal: a grain against a mountain. Method: sizes a factor of 10⁴ apart, the grain slow and fast, the
/// mountain still and turning; the time of a straight fall is known.
#[test]
fn sizes_ten_thousand_times_apart() {
    for (height, fall) in [(1e-3, 2e-3), (1.0, 4.0), (1e4, 4e4)] {
        let grain = PlainMotion { delta: [0.0, -fall, 0.0], ..at([313.0, 100.0 + height, 77.0]) };
        let mountain = at([0.0; 3]);
        let toi = holds([ball(0.01), cuboid([400.0, 100.0, 400.0])], [grain, mountain]);
        let expected = (f64::from(grain.position[1]) - 100.0 - 0.01) / f64::from(fall);
        if expected > 0.0 {
            let t = f64::from(toi.impact().expect("it falls on it"));
            assert!(t <= expected && expected - t < 1e-3, "{t} {expected}");
        } else {
            assert!(
                toi.impact() == Some(0.0) || matches!(toi.result, ToiResult::Overlapping { .. })
            );
        }
        let turning = PlainMotion { spin: [0.0, 0.01, 0.0], ..mountain };
        let turned = holds([ball(0.01), cuboid([400.0, 100.0, 400.0])], [grain, turning]);
        assert_eq!(turned.impact().is_some(), toi.impact().is_some());
    }
}

/// Goal: far from the origin as near it. Method: a box that turns and flies into another, both moved
/// by what `f32` holds, to 10⁴, 10⁵ and 10⁶.
#[test]
fn far_from_the_origin() {
    let meet = |far: f32| {
        let one = PlainMotion {
            delta: [3.0, 0.5, 0.0],
            spin: [0.5, 2.0, 1.0],
            ..at([far - 3.0, -far, 2.0 * far])
        };
        holds([cuboid([0.5, 1.0, 0.25]), cuboid([0.75; 3])], [one, at([far, 0.5 - far, 2.0 * far])])
    };
    let near = meet(0.0).impact().expect("they meet");
    for far in [1e4, 1e5, 1e6] {
        assert_eq!(meet(far).impact(), Some(near));
    }
}

/// Goal: the tip of a rod that barely reaches a wall, or barely does not. Method: half lengths a hair
/// to either side of the distance, the rod turning past the wall, at several speeds.
#[test]
fn a_tip_that_barely_reaches() {
    let rod = |long: f32| PlainShape {
        core: PlainCore::Segment([[0.0, -long, 0.0], [0.0, long, 0.0]]),
        radius: 0.0,
    };
    for rate in [0.5, 3.0, 12.0] {
        // At the middle of the tick it points at the wall.
        let half = -rate / 4.0 - std::f32::consts::FRAC_PI_4;
        let orientation = [0.0, 0.0, half.sin(), half.cos()];
        let turning = PlainMotion { spin: [0.0, 0.0, rate], orientation, ..at([0.0; 3]) };
        let wall = at([2.5, 0.0, 0.0]);
        for (hair, hits) in [(1e-3, true), (1e-4, true), (1e-6, true), (-1e-3, false)] {
            let toi = holds([rod(2.0 + hair), cuboid([0.5, 9.0, 9.0])], [turning, wall]);
            assert_eq!(toi.impact().is_some(), hits, "{rate} {hair} {toi:?}");
        }
    }
}

/// Goal: no direction between the centres. Method: balls, boxes and both with one centre, at rest,
/// moving and turning; a box around a thin one's place that is far from its own centre.
#[test]
fn coincident_centres() {
    let spinning = PlainMotion { spin: [1.0, 2.0, 3.0], delta: [0.5, 0.0, 0.0], ..at([0.0; 3]) };
    for shapes in [
        [ball(1.0), ball(0.5)],
        [ball(1.0), cuboid([0.5; 3])],
        [cuboid([1.0, 0.5, 0.25]), cuboid([0.25, 0.5, 1.0])],
        [cuboid([1.0, 0.0, 1.0]), cuboid([0.0, 1.0, 1.0])],
    ] {
        for other in [at([0.0; 3]), spinning] {
            let toi = holds(shapes.clone(), [at([0.0; 3]), other]);
            let flat = shapes[1] == cuboid([0.0, 1.0, 1.0]);
            let overlaps = matches!(toi.result, ToiResult::Overlapping { .. });
            assert!(overlaps || flat && toi.impact() == Some(0.0), "{toi:?} {shapes:?}");
        }
    }
    let far = PlainCore::Hull(vec![[3.0, 0.0, 0.0], [3.0, 1.0, 0.0], [4.0, 0.0, 1.0]]);
    let far = PlainShape { core: far, radius: 0.0 };
    let turning = PlainMotion { spin: [0.0, 0.0, 1.0], ..at([0.0; 3]) };
    assert_eq!(holds([far, ball(1.0)], [turning, at([0.0; 3])]).result, ToiResult::Separated);
}

/// Goal: what is thrown up and turns round just before or just after it arrives. Method: balls and
/// boxes; the top of the path a hair short of the contact, and a hair past it.
#[test]
fn turning_round_just_before() {
    for shape in [ball(0.5), cuboid([0.5; 3])] {
        for (hair, hits) in [(1e-3, false), (-1e-3, true), (-1e-5, true)] {
            // Up by 3²/(2·8) = 0.5625 at 3/8 of the tick.
            let thrown = PlainMotion {
                delta: [0.0, 3.0, 0.0],
                accel: [0.0, -8.0, 0.0],
                ..at([0.1, -1.0 - 0.5625 - hair, 0.2])
            };
            let toi = holds([shape.clone(), cuboid([2.0, 0.5, 2.0])], [thrown, at([0.0; 3])]);
            assert_eq!(toi.impact().is_some(), hits, "{hair} {toi:?}");
            assert!(toi.impact().is_none_or(|t| t <= 0.375));
        }
    }
}

/// Goal: several turns a tick. Method: a propeller of four turns and a ball that comes into its
/// circle; a ball that flies by before it; a bar that turns and hits nothing.
#[test]
fn several_turns_a_tick() {
    let propeller = PlainMotion { spin: [0.0, 0.0, 25.0], ..at([0.0; 3]) };
    let blade = cuboid([2.0, 0.05, 0.05]);
    let coming = PlainMotion { delta: [-2.0, 0.0, 0.0], ..at([3.0, 0.3, 0.0]) };
    let t = holds([blade.clone(), ball(0.1)], [propeller, coming]).impact().expect("it is hit");
    assert!(t > 0.4 && t < 0.65, "{t}");
    let passing = PlainMotion { delta: [0.0, 6.0, 0.0], ..at([2.2, -3.0, 0.0]) };
    let toi = holds([blade.clone(), ball(0.1)], [propeller, passing]);
    assert_eq!(toi.result, ToiResult::Separated);
    let beside = at([0.0, 0.0, 0.2]);
    assert_eq!(holds([blade, ball(0.1)], [propeller, beside]).result, ToiResult::Separated);
}

/// Goal: a touch that is passed over does not let the shapes into each other, and one that closes is
/// told. Method: rounded shapes that touch at the start; with radii less by twice the tolerance they do not
/// meet before the answer. Half of the touches stand for each meaning.
#[test]
fn a_touch_that_is_passed_over_gets_no_deeper() {
    let (mut passed, mut told) = (0, 0);
    let touching = FAMILIES.iter().position(|(name, _)| *name == "touching at the start");
    let step = FAMILIES.len();
    let cases = convex_cases(63, how_many(600).max(600) * step);
    for case in cases.skip(touching.expect("a family")).step_by(step) {
        let truth = Truth::of(&case);
        let tolerance = tolerance_length(&case, &truth);
        let start = spec::distance(&truth.a, &truth.b, 0.0);
        let touches = (start.lower - f64::from(case.target)).abs() < 0.5 * tolerance;
        let [mut a, mut b] = case.solids();
        let less = 2.2 * tolerance;
        let thick = if a.solid.radius > less { &mut a } else { &mut b };
        if !touches || thick.solid.radius <= less {
            continue;
        }
        thick.solid.radius -= less;
        let deep = spec::first_time(&a, &b, case.target.into(), [0.0, 1.0]);
        let deep = if let FirstTime::Hit { hit_at, .. } = deep { hit_at } else { f64::INFINITY };
        for touch in [Touch::IfClosing, Touch::Ignore] {
            let mut settings = settings(&case);
            settings.touch = touch;
            let toi = asked(&case, &settings);
            let text = format!("{toi:?} {touch:?} {deep} {case:?}");
            match toi.result {
                ToiResult::Impact { t, closing, .. } => {
                    assert!(f64::from(t) <= deep, "{text}");
                    let at_once = t == 0.0;
                    assert!(!at_once || touch == Touch::IfClosing && closing >= 0.0, "{text}");
                    told += 1;
                }
                ToiResult::Separated => {
                    assert!(deep == f64::INFINITY, "{text}");
                    passed += 1;
                }
                ToiResult::Overlapping { .. } => assert_eq!(touch, Touch::Ignore, "{text}"),
                ToiResult::Unresolved { t_safe } => assert!(f64::from(t_safe) <= deep, "{text}"),
                _ => unreachable!(),
            }
        }
    }
    assert!(passed > 100 && told > 100, "{passed} {told}");
}

/// Goal: batches say what single questions say. Method: pairs of every family, by their targets and
/// with windows of their own, on one thread and on all; equal to the bit.
#[test]
fn batches_of_hard_pairs_are_their_pairs() {
    let cases: Vec<ConvexCase> = convex_cases(64, how_many(2_000).min(100_000)).collect();
    let mut targets: Vec<f32> = cases.iter().map(|case| case.target).collect();
    targets.sort_by(f32::total_cmp);
    targets.dedup();
    let kept: Vec<_> = cases.iter().map(hulls).collect();
    for target in targets {
        let (mut shapes, mut motions, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut windows, mut singles) = (Vec::new(), Vec::new());
        let mut settings = Settings::default();
        (settings.target_distance, settings.touch) = (target, Touch::Hit);
        for (case, hulls) in cases.iter().zip(&kept).filter(|(case, _)| case.target == target) {
            let row = shapes.len() as u32;
            pairs.push(Pair { a: row, b: row + 1 });
            windows.push(case.window);
            singles.push(asked(case, &testkit::convex_asked::settings(case)));
            for (k, hull) in hulls.iter().enumerate() {
                shapes.push(shape(&case.shapes[k], hull.as_ref()));
                motions.push(motion(&case.motions[k]));
            }
        }
        let meetings =
            Meetings { shapes: &shapes, motions: &motions, pairs: &pairs, windows: &windows };
        for threads in [Threads::one(), Threads::current()] {
            let mut out = vec![Toi::default(); pairs.len()];
            let mut rejected = Vec::new();
            toi::pairs(&meetings, &settings, &threads, &mut rejected, &mut out).expect("rows");
            assert_eq!(format!("{out:?}"), format!("{singles:?}"));
        }
    }
}
