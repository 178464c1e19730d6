//! Segments against bodies with parts.

use swath::convex::ConvexCast;
use swath::mesh::Geometry;
use swath::{Pose, Segment, Shape};
use testkit::draw::Draw;
use testkit::mesh_cases::mesh_case;

/// Goal: a segment enters a mesh where it enters the first of its triangles. Method: random meshes and segments, among
/// them infinite rays; each triangle alone.
#[test]
fn a_segment_enters_the_first_triangle() {
    let mut draw = Draw::new(6);
    let mut hits = 0;
    for _ in 0..1_500 {
        let case = mesh_case(&mut draw);
        let mesh = case.mesh();
        let [of_shape, of_mesh] = case.motions();
        let pose: Pose = of_mesh.pose;
        let max_fraction = draw.one_of(&[1.0, 0.5, f32::INFINITY]);
        let segment =
            Segment { start: of_shape.pose.position, delta: of_shape.delta, max_fraction };
        let found = Geometry::from(&mesh).cast(&pose, &segment).expect("valid");
        let fraction = |cast: ConvexCast| match cast {
            ConvexCast::Hit { fraction, .. } => fraction,
            ConvexCast::Missed => f32::INFINITY,
            other => panic!("{other:?}"),
        };
        let alone = (0..case.triangles.len() as u32)
            .map(|triangle| {
                let triangle = Shape::triangle(mesh.corners(triangle).expect("it is there"));
                fraction(triangle.expect("valid").cast(&pose, &segment).expect("valid"))
            })
            .fold(f32::INFINITY, f32::min);
        let first = fraction(found.cast);
        let length = segment.delta.iter().map(|x| x * x).sum::<f32>().sqrt();
        // Where a segment passes an edge within the tolerance, both a hit and a miss are right.
        if first.is_finite() && alone.is_finite() {
            let numbers = segment.start.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            let off = (first - alone).abs() * length;
            assert!(off < 2e-4 * (length + numbers), "{first} {alone} {case:?}");
            hits += 1;
        } else {
            assert!(first == alone || max_fraction == f32::INFINITY, "{first} {alone} {case:?}");
        }
        if let ConvexCast::Hit { normal, .. } = found.cast {
            assert!((normal.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
    assert!(hits > 200, "{hits}");
}
