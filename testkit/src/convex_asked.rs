//! Passes hard pairs of convex shapes to `swath::convex::toi`, and the results to the judge.
//!
//! The two sides share no code; here plain numbers become shapes and motions, and results become input of the
//! judge. Their conventions are the same: the axis of discs is `y` and the apex of a cone at `+half_height`,
//! quaternions count by their direction, and bodies rotate about their positions.

use super::convex_cases::ConvexCase;
use super::convex_promises::{Answer, Tolerance, Truth};
use super::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use swath::convex::toi::{Settings, Toi, ToiResult, Touch};
use swath::convex::{Hull, toi};
use swath::{Motion, Pose, Shape};

/// The hulls of both shapes, if they are hulls: a [`Shape`] borrows them.
pub type Hulls = [Option<Hull>; 2];

pub fn hulls(case: &ConvexCase) -> Hulls {
    [0, 1].map(|k| match &case.shapes[k].core {
        PlainCore::Hull(points) => Some(Hull::new(points.iter().copied()).expect("a hull")),
        _ => None,
    })
}

pub fn shape<'a>(plain: &PlainShape, hull: Option<&'a Hull>) -> Shape<'a> {
    let sharp = match &plain.core {
        PlainCore::Point => Ok(Shape::point()),
        &PlainCore::Segment([a, b]) => Shape::segment(a, b),
        &PlainCore::Cuboid(half) => Shape::cuboid(half),
        &PlainCore::Triangle(corners) => Shape::triangle(corners),
        PlainCore::Hull(_) => Ok(Shape::hull(hull.expect("it was made"))),
        &PlainCore::Cylinder { half_height, radius } => Shape::cylinder(half_height, radius),
        &PlainCore::Cone { half_height, radius } => Shape::cone(half_height, radius),
    };
    sharp.and_then(|shape| shape.rounded(plain.radius)).expect("a shape")
}

pub fn motion(plain: &PlainMotion) -> Motion {
    let &PlainMotion { position, delta, accel, orientation, spin } = plain;
    Motion { pose: Pose { position, rotation: orientation }, delta, accel, spin }
}

/// All touches count, as for the judge.
pub fn settings(case: &ConvexCase) -> Settings {
    let mut settings = Settings::default();
    (settings.target_distance, settings.window) = (case.target, case.window);
    settings.touch = Touch::Hit;
    settings
}

pub fn asked(case: &ConvexCase, settings: &Settings) -> Toi {
    let hulls = hulls(case);
    let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
    let [of_a, of_b] = case.motions.each_ref().map(motion);
    toi::one_to_one(&a, &of_a, &b, &of_b, settings).expect("valid")
}

pub fn answer(toi: &Toi) -> Answer {
    match toi.result {
        ToiResult::Impact { t, normal, on_a, on_b, .. } => Answer::Impact { t, on_a, on_b, normal },
        ToiResult::Overlapping { .. } => Answer::Overlapping,
        ToiResult::Separated => Answer::Separated,
        ToiResult::Unresolved { t_safe } => Answer::Unresolved { t_safe },
        other => panic!("what is {other:?}"),
    }
}

/// Half the diagonal of the box around a shape, its radius included; zero for a point.
fn size(shape: &PlainShape) -> f64 {
    let half = match &shape.core {
        &PlainCore::Cylinder { half_height, radius } | &PlainCore::Cone { half_height, radius } => {
            [radius, half_height, radius].map(f64::from)
        }
        _ => {
            let corners = shape.corners().expect("it has corners");
            let ends = |k: usize, sign: f64| {
                corners.iter().map(|p| p[k] * sign).fold(f64::NEG_INFINITY, f64::max)
            };
            [0, 1, 2].map(|k| (ends(k, 1.0) + ends(k, -1.0)) / 2.0)
        }
    };
    half.iter().map(|x| x * x).sum::<f64>().sqrt() + f64::from(shape.radius)
}

/// How far above the target the distance at an impact may be, by [`Settings::tolerance`].
pub fn tolerance_length(case: &ConvexCase, truth: &Truth) -> f64 {
    let least = match case.shapes.each_ref().map(size) {
        [0.0, size] | [size, 0.0] => size,
        [of_a, of_b] => of_a.min(of_b),
    };
    let [a, b] = &case.motions;
    let lengths = [a.position, a.delta, a.accel].into_iter().zip([b.position, b.delta, b.accel]);
    let between = lengths.map(|(a, b)| {
        (0..3).map(|k| (f64::from(b[k]) - f64::from(a[k])).powi(2)).sum::<f64>().sqrt()
    });
    let numbers =
        between.sum::<f64>() + truth.size + truth.speed_max + 2.0 * f64::from(case.target);
    (f64::from(Settings::TOLERANCE) * least).max(2.0 * numbers / (1_u64 << 40) as f64)
}

/// The same in the units of the judge.
pub fn tolerance(case: &ConvexCase, truth: &Truth) -> Tolerance {
    let length = tolerance_length(case, truth);
    // In addition, points are rounded to `f32`.
    let points = length / truth.size + f64::from(f32::EPSILON);
    Tolerance { distance: length / truth.size, points, unit: 4.0 * f64::from(f32::EPSILON) }
}
