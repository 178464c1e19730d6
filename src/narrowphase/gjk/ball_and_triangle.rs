//! The distance of a ball and a triangle, by the point of the triangle that is nearest to the centre of the ball.

use super::nearest::{Accuracy, ROUNDING};
use super::result::{Distance, lower_bound};
use crate::geom::{Pose, each_axis};
use crate::narrowphase::math::{M3, V3, lesser};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::nearest_of_triangle;
use crate::narrowphase::support::Core;

/// Returns the distance if one of the shapes at valid poses is a ball and the other a triangle, and if the plane across the shortest line proves it.
#[inline(always)]
pub(super) fn of_ball_and_triangle(
    a: (&Shape<'_>, &Pose),
    b: (&Shape<'_>, &Pose),
) -> Option<Distance> {
    match (&a.0.core, &b.0.core) {
        (Core::Box { half, .. }, Core::Triangle { points }) if *half == V3::ZERO => {
            from_ball(a, b, points)
        }
        (Core::Triangle { points }, Core::Box { half, .. }) if *half == V3::ZERO => {
            from_ball(b, a, points).map(|found| Distance {
                normal: each_axis(|axis| -found.normal[axis]),
                on_a: found.on_b,
                on_b: found.on_a,
                ..found
            })
        }
        _ => None,
    }
}

/// Does that for the ball first.
#[inline(never)]
fn from_ball(
    (ball, ball_pose): (&Shape<'_>, &Pose),
    (triangle, pose): (&Shape<'_>, &Pose),
    points: &[V3; 3],
) -> Option<Distance> {
    let center = V3::of(ball_pose.position);
    let x = V3::of(pose.position) - center;
    let rotation = M3::of_quaternion(pose.rotation);
    let corners = points.map(|point| x + rotation.rotate(point));
    let nearest = nearest_of_triangle(corners);
    let upper = nearest.length();
    let normal = nearest * (1.0 / upper);
    let [first, second, third] = corners.map(|corner| normal.dot(corner));
    let lower = lesser(lesser(first, second), third);
    let tiny = ROUNDING * (x.length() + triangle.bounding_radius);
    // A comparison with NaN is false.
    let proved = upper > tiny && Accuracy::of_distance(ball, triangle).is_reached(lower, upper);
    proved.then(|| Distance {
        distance: lower_bound(lower, ball.radius + triangle.radius, tiny),
        normal: normal.to_f32(),
        on_a: (center + normal * ball.radius).to_f32(),
        on_b: (center + (nearest - normal * triangle.radius)).to_f32(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::gjk;
    use crate::narrowphase::math::random::numbers_f64;
    use crate::narrowphase::support::SupportMap;

    /// A point whose distances are searched.
    #[derive(Debug)]
    struct PointMap;

    impl SupportMap for PointMap {
        fn support(&self, _: [f64; 3]) -> [f64; 3] {
            [0.0; 3]
        }

        fn bounding_radius(&self) -> f64 {
            0.0
        }
    }

    /// Goal: the distance of a ball and a triangle is that of the general search, and the reverse in the other order. Method: random triangles, needles and
    /// triangles without area of sizes from 10⁻¹² to 10¹², and balls and points near and far; a support map that is a point has no other function.
    #[test]
    fn distance_is_that_of_the_search() {
        let mut draw = numbers_f64(83);
        let mut vector = |size: f64| [0; 3].map(|_| (size * draw()) as f32);
        let (mut proved, mut overlaps) = (0, 0);
        for case in 0..6000_u32 {
            let scale = [1e-12, 1e-6, 1.0, 1e6, 1e12][case as usize % 5];
            let flat = [1.0, 1e-3, 1e-9, 0.0][case as usize % 4];
            let radius = [0.0, 0.1, 2.0][case as usize % 3] * scale as f32;
            let (a, along) = (V3::of(vector(scale)), V3::of(vector(scale)));
            let c = a + along * 0.3 + V3::of(vector(scale * flat));
            let [x, y, z] = vector(1.0);
            let pose = Pose::normalized(vector(3.0 * scale), [x, y, z, 1.1]).expect("valid");
            let at = Pose::at(vector(3.0 * scale)).expect("valid");
            let triangle = Shape::triangle([a, a + along, c].map(V3::to_f32)).expect("valid");
            let ball = Shape::sphere(radius).expect("valid");
            let point = Shape::custom(&PointMap).expect("valid").rounded(radius).expect("valid");
            let expected = gjk::distance(&point, &at, &triangle, &pose).expect("valid");
            let found = gjk::distance(&ball, &at, &triangle, &pose).expect("valid");
            let back = gjk::distance(&triangle, &pose, &ball, &at).expect("valid");
            let [d, e] = [found.distance, expected.distance].map(f64::from);
            let near = 2e-6 * (d.abs() + scale * 1e-2);
            assert!((d - e).abs() <= near, "{d} {e} {triangle:?} {ball:?} {at:?} {pose:?}");
            let reverse = Distance {
                distance: back.distance,
                normal: back.normal.map(|x| -x),
                on_a: back.on_b,
                on_b: back.on_a,
            };
            assert_eq!(found, reverse);
            let own = of_ball_and_triangle((&ball, &at), (&triangle, &pose));
            proved += usize::from(own == Some(found));
            overlaps += usize::from(d < 0.0);
        }
        assert!(proved > 5900 && overlaps > 100, "{proved} {overlaps}");
    }
}
