//! Tests of planes that separate two bodies.

use super::*;
use crate::geom::{Motion, Pose};
use crate::narrowphase::math::random::numbers_f64;
use crate::narrowphase::shape::Shape;

/// Goal: the quadratic is nowhere above the gap, whatever rotates, the plane too, and equals it
/// at both ends. Method: points, bars and boxes in turn, each of plane and bodies still or
/// rotating up to a turn in the interval, accelerated or not, near and far, half of them almost
/// about their own axis; the gap at many times.
#[test]
fn bound_of_rotating_bodies_is_nowhere_above_the_gap() {
    let mut next = numbers_f64(9);
    let mut draw = move |most: f64| most * next();
    let shapes = [
        Shape::point(),
        Shape::cuboid([1.0, 0.5, 0.25]).expect("a box"),
        Shape::cuboid([2.0, 0.0, 0.0]).expect("a bar"),
        Shape::cylinder(0.5, 1.0).expect("a cylinder"),
    ];
    let mut tight = 0.0;
    for case in 0..4000_usize {
        let mut vector = |most: f64| V3::new(draw(most), draw(most), draw(most));
        let on = |bit: usize, vector: V3| if case >> bit & 1 == 1 { vector } else { V3::ZERO };
        let mut motion = |far: f64, bit: usize| {
            let pose = Pose::at(vector(far).to_f32()).expect("a pose");
            Motion {
                delta: vector(3.0).to_f32(),
                accel: on(2, vector(3.0)).to_f32(),
                spin: on(bit, vector(3.0)).to_f32(),
                ..Motion::from(pose)
            }
        };
        let (mut of_a, mut of_b) =
            (motion(0.1, 0), motion(if case & 8 == 0 { 1.0 } else { 20.0 }, 1));
        if case / 512 % 2 == 1 {
            for motion in [&mut of_a, &mut of_b] {
                let [x, y, z] = motion.spin;
                motion.spin = [1e-3 * x, y, 1e-2 * z];
            }
        }
        let rotation = Rotation::new(on(4, vector(3.0)));
        let normal = vector(1.0).unit().unwrap_or(V3::X);
        let (a, b) = (&shapes[case / 32 % 4], &shapes[case / 128 % 4]);
        let path = RelativePath::new(&of_a, &of_b);
        let motion = RelativeMotion::new((a, &of_a), (b, &of_b), path, path.slack(a, b, 1.0));
        let gap = |t: f64| {
            let normal = rotation.direction(normal, t);
            let reach = motion.a.support_value(normal, t) + motion.b.support_value(-normal, t);
            normal.dot(motion.between(t)) - reach
        };
        let from = SeparatingPlane { t: 0.0, normal, gap: gap(0.0) };
        let curved = GapCurvature::new(&motion, &rotation, from.normal, from.t);
        let interval = TimeInterval::new(
            &motion,
            &curved,
            &rotation,
            &from,
            0.05 + draw(0.04) + (case % 2) as f64 * 0.5,
        );
        let to = interval.end(&motion, &rotation, &from);
        let [linear, square] = interval.quadratic(&motion, &rotation, &from, &to);
        for step in 0..=40 {
            let s = f64::from(step) / 40.0;
            let bound = from.gap + linear * s + square * (s * s);
            let true_gap = gap(s * interval.length);
            assert!(bound <= true_gap + 1e-12, "{case} at {s}: {bound} {true_gap} {motion:?}");
            assert!(step % 40 > 0 || bound >= true_gap - 1e-12, "{case}: exact at both ends");
            if interval.deviation > 1e-3 {
                let used = 1.0 - (true_gap - bound) / (interval.deviation * s * (1.0 - s));
                tight = greater(tight, if step % 40 > 0 { used } else { 0.0 });
            }
        }
    }
    assert!(tight > 0.9, "it is no larger than need be: {tight}");
}

/// Goal: a body that rolls about its own axis has no deviation, and one that rotates about another axis has
/// one. Method: a cylinder and a box that rotate three radians about `y`; a cylinder that
/// rotates about `x`.
#[test]
fn body_that_rolls_about_its_own_axis_has_no_deviation() {
    let still = Motion::from(Pose::IDENTITY);
    let deviation = |shape: &Shape<'_>, spin: [f32; 3]| {
        let motion = still.spinning(spin).expect("a spin");
        let (point, path) = (Shape::point(), RelativePath::new(&motion, &still));
        let motion = RelativeMotion::new((shape, &motion), (&point, &still), path, 0.0);
        let plane = SeparatingPlane { t: 0.0, normal: V3::X, gap: 0.0 };
        let still = Rotation::new(V3::ZERO);
        let curved = GapCurvature::new(&motion, &still, plane.normal, plane.t);
        TimeInterval::new(&motion, &curved, &still, &plane, 1.0).deviation
    };
    let cylinder = Shape::cylinder(0.5, 1.0).expect("a cylinder");
    assert!(deviation(&cylinder, [0.0, 3.0, 0.0]) < 1e-12);
    assert!(deviation(&cylinder, [0.0, 3.0, 3.0]) > 1.0);
    assert!(deviation(&Shape::cuboid([1.0, 0.5, 1.0]).expect("a box"), [0.0, 3.0, 0.0]) > 1.0);
}

/// Goal: a quadratic leaves the range where it first reaches one of its limits, and which one is right. Method: `τ − τ²/4`, whose greatest
/// value is 1 at 2, and which is −1 at `2 + √8`; limits above and below that, and ends before and after.
#[test]
fn quadratic_leaves_the_range_at_its_first_limit() {
    let down = 2.0 + sqrt(8.0);
    let cases = [
        (0.75, 9.0, Some((1.0, true))),
        (0.75, 0.5, None),
        (1.5, 9.0, Some((down, false))),
        (f64::INFINITY, 9.0, Some((down, false))),
        (1.5, 4.0, None),
    ];
    for (max, end, expected) in cases {
        let found = leaves(&GapRange { min: -1.0, max }, 0.0, 1.0, -0.25, end);
        assert_eq!(found.map(|(_, up)| up), expected.map(|(_, up)| up), "{max} {end}");
        let (Some((at, _)), Some((expected, _))) = (found, expected) else { continue };
        assert!((at - expected).abs() < 1e-12, "{max} {end} {at}");
    }
}

/// Goal: the slope is the rate at which the gap along a rotating plane changes for points that stay the farthest. Method: the difference of
/// that gap just after and just before, for random boxes, rotations and paths.
#[test]
fn slope_is_the_rate_of_the_gap_of_fixed_points() {
    let mut next = numbers_f64(21);
    let mut vector = move |most: f64| V3::new(most * next(), most * next(), most * next());
    let cuboid = Shape::cuboid([1.0, 0.5, 0.25]).expect("a box");
    for case in 0..200 {
        let [of_a, of_b] = [0, 1].map(|_| {
            let pose = Pose::at(vector(2.0).to_f32()).expect("a pose");
            Motion {
                delta: vector(3.0).to_f32(),
                accel: vector(3.0).to_f32(),
                spin: vector(2.0).to_f32(),
                ..Motion::from(pose)
            }
        });
        let path = RelativePath::new(&of_a, &of_b);
        let motion = RelativeMotion::new((&cuboid, &of_a), (&cuboid, &of_b), path, 0.0);
        let rotation = Rotation::new(vector(2.0));
        let (t, normal) = (0.375, vector(1.0).unit().unwrap_or(V3::X));
        let pair = motion.at(t);
        let vertex = pair.support(normal);
        let plane = SeparatingPlane { t, normal, gap: 0.0 };
        let slope = Slope::new(&motion, spins(&motion, &pair), &rotation, &plane);
        let rate = slope.at(&in_world(&pair, &vertex));
        let gap = |after: f64| {
            let at = motion.at(t + after).vertex(vertex.on_a, vertex.on_b).at;
            rotation.direction(normal, after).dot(motion.between(t + after) - at)
        };
        let step = 1e-5;
        let expected = (gap(step) - gap(-step)) / (2.0 * step);
        assert!((rate - expected).abs() < 1e-6, "{case}: {rate} {expected}");
    }
}

/// Goal: bounding spheres lead to the time at which they meet if most of the gap is left between them, and nowhere if little is left, if a
/// touch is ignored, or if the time does not move forward. A body that does not rotate keeps its own support. Method: bars of
/// length 2 that approach at speed 8, so that all values but the rounding of the radius are multiples of powers of two.
#[test]
fn spheres_lead_to_the_time_at_which_they_meet() {
    let [along, across] =
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|half| Shape::cuboid(half).expect("a bar"));
    let still = Motion::from(Pose::IDENTITY);
    let spinning = still.spinning([0.0, 0.0, 1.0]).expect("a spin");
    let approaching = |x: f32, motion: &Motion| Motion {
        delta: [-8.0, 0.0, 0.0],
        ..Motion { pose: Pose::at([x, 0.0, 0.0]).expect("a pose"), ..*motion }
    };
    let until = |(a, of_a): (&Shape<'_>, &Motion),
                 (b, of_b): (&Shape<'_>, &Motion),
                 (t, gap): (f64, f64),
                 [min, max]: [f64; 2]| {
        let path = RelativePath::new(of_a, of_b);
        let motion = RelativeMotion::new((a, of_a), (b, of_b), path, 0.0);
        let plane = SeparatingPlane { t, normal: V3::X, gap };
        match between_spheres(&motion, &plane, &GapRange { min, max }, 1.0) {
            Some(SafeTime::Until { t, normal, separated }) => {
                assert!(normal == V3::X && !separated);
                Some(t)
            }
            Some(SafeTime::End) => Some(f64::INFINITY),
            None => None,
        }
    };
    let is = |found: Option<f64>, expected: f64| {
        assert!(found.is_some_and(|t| (t - expected).abs() < 1e-12), "{found:?} {expected}");
    };
    let (turning, far) = ((&along, &spinning), approaching(7.0, &spinning));
    let unlimited = [1.0, f64::INFINITY];
    // The spheres are 5 apart, which is 4 above the least gap: more than a quarter of the excess of the plane, or less.
    is(until(turning, (&along, &far), (0.0, 16.0), unlimited), 0.5);
    assert_eq!(until(turning, (&along, &far), (0.0, 18.0), unlimited), None);
    assert_eq!(until(turning, (&along, &far), (0.0, 16.0), [1.0, 100.0]), None);
    // The spheres overlap, but a bar across the direction that does not rotate extends by nothing along it.
    let near = approaching(2.5, &still);
    is(until(turning, (&across, &near), (0.0, 2.0), unlimited), 0.0625);
    let near = approaching(2.5, &spinning);
    is(until((&across, &still), (&along, &near), (0.0, 2.0), unlimited), 0.0625);
    assert_eq!(until(turning, (&along, &near), (0.0, 2.0), unlimited), None);
    // The gap is above the least one by so little that the time at which it is reached is the same number, and by more.
    let late = approaching(3.0 + 7.5, &spinning);
    let gap = 3.0 - along.bounding_radius - along.bounding_radius;
    let above = |excess: f64| {
        let range = [gap - excess, f64::INFINITY];
        until(turning, (&along, &late), (0.9375, gap), range)
    };
    assert_eq!(above(0.5 * f64::EPSILON), None);
    is(above(0.125), 0.953125);
}

/// Goal: a plane is followed to the end over more than one interval if the first is too short, and for a touch that is ignored also if little
/// of the gap is left. Method: a bar that rotates towards a point beside it, whose gap is `y` less the sine of the angle; for the first point
/// Newton's step from the initial rate ends at 0.884 of the tick, where a quarter of the gap is left, and for the second one at 0.714,
/// where a sixth is left.
#[test]
fn plane_is_followed_over_several_intervals() {
    let (bar, point) = (Shape::cuboid([1.0, 0.0, 0.0]).expect("a bar"), Shape::point());
    let turning = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 1.5]).expect("a spin");
    let normal = V3::new(0.0, 1.0, 0.0);
    for (y, max, most) in [(1.3, f64::INFINITY, 2), (1.3, 9.0, 2), (1.05, 9.0, INTERVALS_MAX)] {
        let beside = Motion::from(Pose::at([0.0, y, 0.0]).expect("a pose"));
        let path = RelativePath::new(&turning, &beside);
        let motion = RelativeMotion::new((&bar, &turning), (&point, &beside), path, 0.0);
        let (range, still) = (GapRange { min: 0.0, max }, Rotation::new(V3::ZERO));
        let plane = SeparatingPlane { t: 0.0, normal, gap: f64::from(y) };
        let first = FirstCrossing::new(&motion, &still, &plane, &range, -1.5, 1.0);
        let (safe, supports) = follow(&motion, &still, &plane, first, &range, 1.0);
        assert_eq!(safe, SafeTime::End, "{y} {max} {supports}");
        assert!(supports > 1 && supports <= most, "{y} {max} {supports}");
    }
}
