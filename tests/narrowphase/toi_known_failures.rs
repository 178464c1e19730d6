//! Tests of times of impact in cases in which other libraries are known to fail.
//!
//! Each test is a kind of failure that users of conservative advancement and of nonlinear casts have met,
//! with a result worked out by hand and compared with the specification.

use spec::FirstTime;
use swath::convex::toi;
use swath::convex::toi::{Settings, Toi, ToiInput, ToiResult, Touch};
use swath::{Motion, Pair, Pose, Shape, Threads};
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

/// The result for both orders of the bodies, which must agree with the specification.
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

/// Goal: bodies that touch and do not move are treated according to the three settings. Method: two boxes
/// face to face, then the same with a common speed.
#[test]
fn touch_at_rest_follows_the_setting() {
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

/// Goal: sizes may differ by a large factor. Method: sizes a factor of 10⁴ apart, the small body slow and
/// fast, the large one at rest and rotating; the time of a straight fall is known.
#[test]
fn sizes_may_differ_by_ten_thousand() {
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

/// Goal: results far from the origin are those near it. Method: a box that rotates and flies into another
/// one, both moved without rounding to 10⁴, 10⁵ and 10⁶.
#[test]
fn results_far_from_the_origin_are_those_near_it() {
    let meet = |far: f32| {
        let one = PlainMotion {
            delta: [3.0, 0.5, 0.0],
            spin: [0.5, 2.0, 1.0],
            ..at([far - 3.0, -far, 2.0 * far])
        };
        holds([cuboid([0.5, 1.0, 0.25]), cuboid([0.75; 3])], [one, at([far, 0.5 - far, 2.0 * far])])
    };
    let near = meet(0.0).impact().expect("they touch");
    for far in [1e4, 1e5, 1e6] {
        assert_eq!(meet(far).impact(), Some(near));
    }
}

/// Goal: the tip of a rod just reaches a wall, or just misses it. Method: half lengths slightly to either
/// side of the distance, the rod rotating past the wall, at several speeds.
#[test]
fn tip_that_just_reaches_a_wall_is_a_hit() {
    let rod = |long: f32| PlainShape {
        core: PlainCore::Segment([[0.0, -long, 0.0], [0.0, long, 0.0]]),
        radius: 0.0,
    };
    for rate in [0.5, 3.0, 12.0] {
        // In the middle of the tick it points at the wall.
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

/// Goal: coincident centres, which define no direction, give a result. Method: balls, boxes and both with one
/// centre, at rest, moving and rotating; a box around the position of a thin one that is far from its own
/// centre.
#[test]
fn coincident_centres_give_a_result() {
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

/// Goal: a body that is thrown up may turn round just before or just after the contact. Method: balls and
/// boxes; the top of the path slightly below the contact, and slightly above it.
#[test]
fn turning_round_just_before_the_contact_is_a_miss() {
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

/// Goal: several turns per tick give the right result. Method: a propeller of four turns and a ball that
/// enters its circle; a ball that flies by in front of it; a bar that rotates and hits nothing.
#[test]
fn several_turns_per_tick_give_the_right_result() {
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

/// Goal: after a touch that is ignored, the shapes get no deeper, and a touch that closes is reported.
/// Method: rounded shapes that touch at the start; with radii smaller by twice the tolerance they do not
/// touch before the reported time. One half of the touches is tested with each setting.
#[test]
fn ignored_touch_gets_no_deeper() {
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

/// Goal: batches give the results of single calls. Method: pairs of every family, with their targets and with
/// windows of their own, on one thread and on all; compared bit by bit.
#[test]
fn batches_of_hard_pairs_give_the_results_of_single_pairs() {
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
            ToiInput { shapes: &shapes, motions: &motions, pairs: &pairs, windows: &windows };
        for threads in [Threads::one(), Threads::current()] {
            let mut out = vec![Toi::default(); pairs.len()];
            let mut rejected = Vec::new();
            toi::pairs(&meetings, &settings, &threads, &mut rejected, &mut out).expect("rows");
            assert_eq!(format!("{out:?}"), format!("{singles:?}"));
        }
    }
}

/// Goal: an overlap that follows an ignored touch is not of negative depth. Method: a point just above a thin triangle, both of which
/// make many turns.
#[test]
fn ignored_touch_has_no_negative_depth() -> Result<(), Box<dyn std::error::Error>> {
    let corners = [[0.0; 3], [1.0, 0.0, 1.748_455_5e-7], [0.999_995_05, 0.05, -0.003_141_223_2]];
    let triangle = Shape::triangle(corners)?;
    let turning = Motion::default().spinning([500.0, 100.0, 0.0])?;
    let moving = Motion::new(Pose::at([0.01, 0.0, 0.0])?, [0.1; 3])?;
    let moving = moving.accelerating([0.0, -1.0, 0.0])?.spinning([580.0; 3])?;
    let settings = Settings { touch: Touch::Ignore, ..Settings::default() };
    let toi = toi::one_to_one(&Shape::point(), &moving, &triangle, &turning, &settings)?;
    let ToiResult::Overlapping { depth, .. } = toi.result else { panic!("{toi:?}") };
    assert!(depth >= 0.0, "{toi:?}");
    Ok(())
}
