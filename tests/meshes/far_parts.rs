//! Bodies of which some parts are far away, or of which some samples are no part.

use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, toi};
use swath::{Motion, Pose, Segment, Shape};

/// The impact of a ball of radius 0.5 that falls from a height of 2 at `x = z = 3.3`, with or without a motion along the ground.
fn landing(ground: &Geometry<'_>, along: f32) -> ToiResult {
    let ball = Shape::sphere(0.5).expect("a ball");
    let start = Pose::at([3.3, 2.0, 3.3]).expect("finite");
    let motion = Motion::new(start, [along, -3.0, 0.0]).expect("finite");
    let (still, settings) = (Motion::default(), Settings::default());
    let found = toi::one_to_one(&ball.into(), &motion, ground, &still, &settings);
    found.expect("valid").toi.result
}

/// Checks that the ball lands on a flat ground at height 0 in time, and is not stopped before.
fn check_landing(ground: &Geometry<'_>, text: &str) {
    for along in [0.0, 0.4] {
        let found = landing(ground, along);
        let ToiResult::Impact { t, normal, .. } = found else { panic!("{text} {found:?}") };
        assert!(t <= 0.5 && t > 0.5 - 3e-5, "{text} {found:?}");
        assert!(normal[1] < -0.999, "{text} {found:?}");
    }
}

/// Goal: one part that is far away or large makes contacts with other parts neither early nor missed. Method: a ball that falls on flat ground, with a
/// sample without data, a far triangle, a triangle with a far corner, and a far ball of a compound; distances from 1e6 to 1e20.
#[test]
fn far_part_leaves_contacts_with_other_parts_as_they_are() {
    for far in [1e6_f32, 1e11, 1e14, 1e17, 1e20] {
        let mut heights = vec![0.0; 400];
        heights[19 + 19 * 20] = far;
        let field = HeightField::new(heights, [20, 20], [1.0, 1.0]).expect("a field");
        check_landing(&(&field).into(), &format!("field {far}"));

        let mut corners =
            vec![[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [9.0, 0.0, 20.0_f32], [-9.0, 0.0, 20.0]];
        let floor = [[0, 2, 1], [0, 3, 2]];
        corners.extend([[far, far, far], [far, 1.25 * far, far], [1.25 * far, far, far]]);
        let mesh = Mesh::new(&corners[..], vec![floor[0], floor[1], [4, 5, 6]]).expect("a mesh");
        check_landing(&(&mesh).into(), &format!("mesh {far}"));
        let mesh = Mesh::new(&corners[..], vec![floor[0], floor[1], [1, 2, 4]]).expect("a mesh");
        check_landing(&(&mesh).into(), &format!("needle {far}"));

        let slab = Shape::cuboid([9.0, 1.0, 9.0]).expect("a box");
        let ball = Shape::sphere(1.0).expect("a ball");
        let at = |place: [f32; 3]| Pose::at(place).expect("finite");
        let parts = [(slab.into(), at([0.0, -1.0, 0.0])), (ball.into(), at([-far, 0.0, 0.0]))];
        let compound = Compound::new(parts).expect("two parts");
        check_landing(&(&compound).into(), &format!("compound {far}"));
    }
}

/// Goal: samples of a height field that belong to no triangle count for nothing. Method: fields of which no triangle is left have no bounds and are
/// touched by nothing; a high sample among holes changes neither the bounds nor the size.
#[test]
fn samples_without_triangles_do_not_count() {
    let mut heights = vec![f32::NAN; 81];
    for j in 0..9 {
        for i in 0..9 {
            if i % 2 == 0 && j % 2 == 0 {
                heights[i + 9 * j] = 1e20;
            }
        }
    }
    let field = HeightField::new(heights, [9, 9], [1.0, 1.0]).expect("a field");
    assert_eq!(field.bounds(), None);
    let ground = Geometry::from(&field);
    assert!(ground.size() == 0.0, "{}", ground.size());
    assert_eq!(landing(&ground, 0.1), ToiResult::Separated);
    let down = Segment::ray([4.0, 9.0, 4.0], [0.0, -1.0, 0.0]).expect("valid");
    assert_eq!(ground.cast(&Pose::IDENTITY, &down).expect("valid").cast.fraction(), None);

    let mut heights = vec![0.0; 81];
    for (i, j) in [(7, 7), (8, 7), (7, 8)] {
        heights[i + 9 * j] = f32::NAN;
    }
    heights[8 + 9 * 8] = 1e20;
    let field = HeightField::new(heights, [9, 9], [1.0, 1.0]).expect("a field");
    let bounds = field.bounds().expect("it has triangles");
    assert_eq!((bounds.min, bounds.max), ([0.0; 3], [8.0, 0.0, 8.0]));
    check_landing(&(&field).into(), "a sample among holes");
}
