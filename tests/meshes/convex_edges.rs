//! Bodies that slide over convex edges, over triangles without an area, and while they spin.

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Compound, Geometry, Mesh, toi};
use swath::{Motion, Pose, Shape};

fn first(shape: &Shape<'_>, motion: &Motion, ground: &Mesh<'_>, skin: f32) -> toi::PartToi {
    let settings = Settings { target_distance: skin, ..Settings::default() };
    let still = Motion::default();
    toi::one_to_one(&(*shape).into(), motion, &ground.into(), &still, &settings).expect("valid")
}

/// Upright bodies with sharp edges: their shapes, and how far they extend along `x`.
fn sharp() -> [(Shape<'static>, f32); 3] {
    [
        (Shape::cuboid([0.4; 3]).expect("a box"), 0.4),
        (Shape::cylinder(0.4, 0.3).expect("a cylinder"), 0.3),
        (Shape::cone(0.4, 0.3).expect("a cone"), 0.3),
    ]
}

/// Goal: a body with sharp edges that slides along a floor is not stopped at an edge from which a slope of any steepness, or a cliff, falls away.
/// Method: boxes, cylinders and cones on and a little above the floor, with and without a skin; meshes with one and two sides.
#[test]
fn body_with_sharp_edges_slides_over_convex_edges() {
    let mut count = 0;
    for (shape, half) in &sharp() {
        for [x, y] in [[2.0, -0.4], [2.0, -1.0], [2.0, -2.0], [0.4, -2.0], [0.0, -2.0_f32]] {
            let corners =
                [[-2.0, 0.0], [0.0, 0.0], [x, y]].map(|[x, y]| [[x, y, -2.0], [x, y, 2.0]]);
            let triangles = vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
            let new = || Mesh::new(corners.concat(), triangles.clone()).expect("a floor");
            for ground in [new(), new().one_sided()] {
                for (skin, gap) in [0.0, 0.01]
                    .iter()
                    .flat_map(|&skin| [0.0, 1e-6, 1e-5, 4e-5].map(|gap| (skin, gap)))
                {
                    let pose = Pose::at([-half - 0.03, 0.4 + gap + skin, 0.013]).expect("finite");
                    let motion = Motion::new(pose, [0.1, 0.0, 0.01]).expect("finite");
                    let found = first(shape, &motion, &ground, skin);
                    let text = format!("{shape:?} {x} {y} {} {skin} {gap}", ground.is_one_sided());
                    assert_eq!(found.toi.result, ToiResult::Separated, "{text} {found:?}");
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 240);
}

/// Goal: contacts at the tip of a pyramid have normals on the side of the body, however steep it is. Method: a box that touches the tip, pyramids with
/// one and two sides, all contacts; a box under a pyramid that stands on its tip as control.
#[test]
fn contacts_at_a_convex_vertex_have_normals_on_the_side_of_the_body() {
    let shape = Shape::cuboid([0.4; 3]).expect("a box");
    let settings = Settings { touch: Touch::Hit, ..Settings::default() };
    let mut count = 0;
    // The box is more above the plane of each face than below it.
    for slope in [0.1, 0.12, 0.13, 0.2, 0.5, 0.8_f32] {
        for up in [1.0, -1.0_f32] {
            let base = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0_f32]];
            let mut corners = vec![[0.0_f32; 3]];
            corners.extend(base.map(|[x, z]| [x, -slope * up, z]));
            let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4]];
            if up < 0.0 {
                triangles = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
            }
            let new = || Mesh::new(corners.clone(), triangles.clone()).expect("a pyramid");
            for ground in [new(), new().one_sided()] {
                let pose = Pose::at([-0.45, up * 0.399_999, 0.1]).expect("finite");
                let motion = Motion::new(pose, [0.1, 0.0, 0.0]).expect("finite");
                let (body, ground, still) = (shape.into(), (&ground).into(), Motion::default());
                let mut all = Vec::new();
                toi::each_part(&body, &motion, &ground, &still, &settings, &mut all)
                    .expect("valid");
                for found in &all {
                    let ToiResult::Impact { normal, .. } = found.toi.result else {
                        panic!("{found:?}")
                    };
                    assert!(normal[1] * up < 0.0, "{slope} {up} {found:?}");
                }
                assert!(!all.is_empty(), "{slope} {up}");
                count += all.len();
            }
        }
    }
    assert!(count >= 24, "{count}");
}

/// A flat floor with a slope whose two triangles have a common edge, and triangles without an area, and one of almost none, on that.
fn thin_floor(slope: f32, thin: bool) -> Mesh<'static> {
    let at = |x: f32, z: f32| [x, slope * x, z];
    let mut triangles = vec![[0, 2, 1], [0, 3, 2]];
    if thin {
        triangles.extend([[0, 2, 0], [2, 0, 4]]);
    }
    // The last one is beside the edge by a unit in the last place.
    let almost = [0.5, slope * 0.5, 0.5_f32.next_up()];
    let corners = vec![at(-4.0, -4.0), at(4.0, -4.0), at(4.0, 4.0), at(-4.0, 4.0), almost];
    Mesh::new(corners, triangles).expect("a floor")
}

/// Goal: a triangle without an area, or a sliver whose normal is a rounding error, is no wall in a flat floor. Method: cylinders, cones and boxes
/// that slide along a floor over such triangles on its edge, from many places; the first contact, and the normals of all contacts.
#[test]
fn thin_triangle_in_a_floor_is_no_wall() {
    let mut contacts = 0;
    for (shape, half) in &sharp() {
        for slope in [0.0, 0.05_f32] {
            let (floor, still) = (thin_floor(slope, true), Motion::default());
            let along = slope.hypot(1.0);
            // An upright cone, cylinder or box on the slope touches it at its lower rim.
            let height = 0.4 + slope * half;
            for (step, gap) in (0..100).flat_map(|step| [0.0, 1e-6, 1e-5].map(|gap| (step, gap))) {
                let x = -0.5 + 0.01 * step as f32;
                let pose = Pose::at([x, slope * x + height + gap, 0.1]).expect("finite");
                let motion = Motion::new(pose, [0.15, 0.15 * slope, 0.013]).expect("finite");
                let found = first(shape, &motion, &floor, 0.0);
                let text = format!("{shape:?} {slope} {x} {gap}");
                assert_eq!(found.toi.result, ToiResult::Separated, "{text} {found:?}");
                let (body, settings) = ((*shape).into(), Settings::default());
                let mut all = Vec::new();
                toi::each_part(&body, &motion, &(&floor).into(), &still, &settings, &mut all)
                    .expect("valid");
                for found in &all {
                    let ToiResult::Impact { normal, .. } = found.toi.result else {
                        panic!("{text} {found:?}")
                    };
                    assert!(normal[1] < -0.999 / along, "{text} {found:?}");
                }
                contacts += all.len();
            }
        }
    }
    assert!(contacts > 100, "{contacts}");
}

/// Goal: the spin of a body about its own axis changes no contact with a mesh, because the surface stays where it is. Method: balls, capsules, cylinders
/// and cones that slide over convex and into concave edges, also as parts of a compound; the same motions without spin.
#[test]
fn spin_about_the_own_axis_changes_no_contact_at_an_edge() {
    let shapes = [
        (Shape::sphere(0.5).expect("a ball"), 0.5),
        (Shape::capsule(0.2, 0.3).expect("a capsule"), 0.5),
        (Shape::cylinder(0.5, 0.3).expect("a cylinder"), 0.5),
        (Shape::cone(0.5, 0.3).expect("a cone"), 0.5),
    ];
    let (still, settings) = (Motion::default(), Settings::default());
    let mut counts = [0; 2];
    for slope in [-0.5, -0.1, -0.02, 0.02, 0.1, 0.5_f32] {
        let corners =
            vec![[-4.0, 0.0, 0.0], [0.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 4.0 * slope, 0.0]];
        let ridge = Mesh::new(corners, vec![[0, 2, 1], [1, 2, 3]]).expect("a ridge");
        for (kind, (shape, height)) in shapes.iter().enumerate() {
            let one = Compound::new([((*shape).into(), Pose::IDENTITY)]).expect("a compound");
            for body in [Geometry::from(*shape), (&one).into()] {
                let pose = Pose::at([-0.4, *height, 0.1]).expect("finite");
                let motion = Motion::new(pose, [0.8, 0.0, 0.05]).expect("finite");
                let find = |motion: &Motion| {
                    let found = toi::one_to_one(&body, motion, &(&ridge).into(), &still, &settings);
                    found.expect("valid").toi.result
                };
                let expected = find(&motion);
                // A part that rotates may be found at another distance within the tolerance.
                let tolerance = Settings::TOLERANCE * shape.size() as f32;
                for rate in [-6.0, -1.2, 0.3, 2.0_f32] {
                    // A ball has all axes.
                    let spin = if kind == 0 { [0.1, 0.2 * rate, rate] } else { [0.0, rate, 0.0] };
                    let spinning = motion.spinning(spin).expect("finite");
                    let found = find(&spinning);
                    let text = format!("{slope} {kind} {rate} {expected:?} {found:?}");
                    match (expected, found) {
                        (ToiResult::Separated, ToiResult::Separated) => counts[0] += 1,
                        (
                            ToiResult::Impact { t, normal, closing, .. },
                            ToiResult::Impact { t: at, normal: n, closing: speed, .. },
                        ) => {
                            assert!((t - at).abs() * closing.max(0.01) < tolerance, "{text}");
                            assert!((0..3).all(|k| (normal[k] - n[k]).abs() < 1e-4), "{text}");
                            assert!((closing - speed).abs() < 1e-5, "{text}");
                            counts[1] += 1;
                        }
                        _ => panic!("{text}"),
                    }
                }
            }
        }
    }
    assert!(counts[0] > 60 && counts[1] > 60, "{counts:?}");
}
