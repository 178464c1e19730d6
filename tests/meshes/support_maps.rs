//! Invalid support maps of the caller against meshes.

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{SupportMap, toi as convex_toi};
use swath::mesh::{Mesh, toi};
use swath::{Motion, Pose, Shape};

/// An octahedron with a further corner that is outside of its bounding radius.
#[derive(Debug)]
struct Outside;

impl SupportMap for Outside {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let along = |point: &[f64; 3]| (0..3).map(|k| point[k] * direction[k]).sum::<f64>();
        let mut best = [0.9; 3];
        for axis in 0..3 {
            for end in [-1.0, 1.0] {
                let mut point = [0.0; 3];
                point[axis] = end;
                if along(&point) > along(&best) {
                    best = point;
                }
            }
        }
        best
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// The corners of a triangle across the diagonal, whose front is on the side of negative coordinates.
const CORNERS: [[f32; 3]; 3] = [[-3.0, 6.0, -3.0], [6.0, -3.0, -3.0], [-3.0, -3.0, 6.0]];

/// Goal: an invalid point of a support map ends a search against a triangle as unresolved, as against the shape of that triangle. Method: a
/// map with a corner outside of its bounding radius, which flies to the triangle with that corner ahead.
#[test]
fn invalid_point_towards_a_triangle_is_unresolved() {
    let shape = Shape::custom(&Outside).expect("the points along the axes are valid");
    let alone = Shape::triangle(CORNERS).expect("a triangle");
    let still = Motion::default();
    let start = Pose::at([-2.0; 3]).expect("valid");
    for one_sided in [false, true] {
        let mesh = Mesh::new(&CORNERS[..], &[[0, 1, 2]][..]).expect("a triangle");
        let mesh = if one_sided { mesh.one_sided() } else { mesh };
        for spin in [0.0, 0.25] {
            let motion = Motion::new(start, [4.0; 3])
                .and_then(|motion| motion.spinning([spin; 3]))
                .expect("valid");
            for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
                let settings = Settings { touch, ..Settings::default() };
                let text = format!("{one_sided} {spin} {touch:?}");
                let found = convex_toi::one_to_one(&shape, &motion, &alone, &still, &settings);
                let found = found.expect("valid").result;
                assert!(matches!(found, ToiResult::Unresolved { .. }), "{text}: {found:?}");
                let found =
                    toi::one_to_one(&shape.into(), &motion, &(&mesh).into(), &still, &settings);
                let found = found.expect("valid").toi.result;
                assert!(matches!(found, ToiResult::Unresolved { .. }), "{text}: {found:?}");
            }
        }
    }
}

/// Goal: the same for a shape that comes through a one-sided triangle from behind and falls back. Method: the map above with its
/// invalid corner behind.
#[test]
fn invalid_point_behind_a_one_sided_triangle_is_unresolved() {
    let shape = Shape::custom(&Outside).expect("the points along the axes are valid");
    let mesh = Mesh::new(&CORNERS[..], &[[0, 1, 2]][..]).expect("a triangle").one_sided();
    // The coordinates are 2 − 12·t + 10·t².
    let motion = Motion::new(Pose::at([2.0; 3]).expect("valid"), [-12.0; 3])
        .and_then(|motion| motion.accelerating([20.0; 3]))
        .expect("valid");
    let settings = Settings::default();
    let found =
        toi::one_to_one(&shape.into(), &motion, &(&mesh).into(), &Motion::default(), &settings);
    let found = found.expect("valid").toi.result;
    assert!(matches!(found, ToiResult::Unresolved { .. }), "{found:?}");
}

/// Goal: an invalid point that only the rotation at the start shows is not overlooked. Method: the map above, whose invalid corner points at
/// a triangle and then turns away from it.
#[test]
fn invalid_point_that_turns_away_from_a_triangle_is_unresolved() {
    let shape = Shape::custom(&Outside).expect("the points along the axes are valid");
    let corners = [[0.95, -9.0, -9.0], [0.95, 9.0, -9.0], [0.95, 0.0, 9.0]];
    let alone = Shape::triangle(corners).expect("a triangle");
    let mesh = Mesh::new(&corners[..], &[[0, 1, 2]][..]).expect("a triangle");
    let (still, settings) = (Motion::default(), Settings::default());
    // The diagonal is turned to x.
    let angle = (1.0_f32 / 3.0).sqrt().acos();
    let (sin, cos) = (angle / 2.0).sin_cos();
    let across = sin / 2.0_f32.sqrt();
    let pose = Pose::normalized([0.0; 3], [0.0, across, -across, cos]).expect("a pose");
    for spin in [[0.0, 0.0, 1.23], [0.0, -1.23, 0.0]] {
        let motion = Motion::from(pose).spinning(spin).expect("a spin");
        let found = convex_toi::one_to_one(&shape, &motion, &alone, &still, &settings);
        let found = found.expect("valid").result;
        assert!(matches!(found, ToiResult::Unresolved { t_safe: 0.0 }), "{spin:?}: {found:?}");
        let found = toi::one_to_one(&shape.into(), &motion, &(&mesh).into(), &still, &settings);
        let found = found.expect("valid").toi.result;
        assert!(matches!(found, ToiResult::Unresolved { t_safe: 0.0 }), "{spin:?}: {found:?}");
    }
}
