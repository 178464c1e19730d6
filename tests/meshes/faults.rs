//! Invalid and suspicious triangles.

use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::{FaultReason, Geometry, HeightField, HeightFieldError, Mesh, TriangleFault, toi};
use swath::{COORD_MAX, Level, Motion, Pose, Segment, Shape};
use testkit::draw::Draw;
use testkit::finite::assert_finite;
use testkit::mesh_cases::terrain;

fn fault(triangle: u32, reason: FaultReason) -> TriangleFault {
    TriangleFault { triangle, reason }
}

/// Goal: every kind of fault is listed with the triangle and the reason, and a clean mesh has none. Method: a terrain
/// with one of each.
#[test]
fn each_fault_is_listed_with_its_reason() {
    let (mut vertices, mut triangles) = terrain(&mut Draw::new(4), 3, 0.5);
    let clean = Mesh::new(&vertices[..], &triangles[..]).expect("a terrain");
    assert!(clean.faults().is_empty() && clean.rejected().is_empty());
    let count = triangles.len() as u32;
    vertices.extend([[f32::NAN, 0.0, 0.0], [0.0, 0.0, 2.0 * COORD_MAX], [0.0, 9.0, 0.0]]);
    let [nan, large, above] = [16, 17, 18];
    let again = triangles[5];
    triangles.extend([
        [0, 1, nan],
        [large, 0, 1],
        [0, 1, 99],
        [again[2], again[0], again[1]],
        [3, 3, 2],
        // A third triangle at an inner edge.
        [5, 10, above],
        // At an outer edge, with its front on the other side.
        [1, 0, above],
    ]);
    let mesh = Mesh::new(vertices, triangles).expect("a mesh");
    assert_eq!(
        mesh.rejected(),
        [
            fault(count, FaultReason::NotFinite),
            fault(count + 1, FaultReason::NotFinite),
            fault(count + 2, FaultReason::NoSuchVertex),
        ]
    );
    let faults = mesh.faults();
    for of in [
        fault(count + 3, FaultReason::Duplicate),
        fault(count + 4, FaultReason::Degenerate),
        fault(count + 5, FaultReason::NonManifold),
    ] {
        assert!(faults.contains(&of), "{of:?} {faults:?}");
    }
    let flipped = |of: u32| faults.contains(&fault(of, FaultReason::Flipped));
    assert!(flipped(count + 6) || flipped(0), "{faults:?}");
    assert!(faults.is_sorted());
    let text = fault(7, FaultReason::Degenerate).to_string();
    assert_eq!(text, "triangle 7: it has no area; it counts from all sides");
}

/// Goal: meshes and fields of hostile numbers cause no panic, and every number of a result is finite. Method: vertices
/// from a list of such numbers, all shapes and motions of it.
#[test]
fn hostile_numbers_cause_no_panic() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        1e30,
        -1e30,
        COORD_MAX,
        -COORD_MAX,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        1e-30,
        3.5,
    ];
    let mut draw = Draw::new(5);
    let mut contacts = 0;
    for _ in 0..3_000 {
        let mut vector = || [0; 3].map(|_| draw.one_of(&numbers));
        let vertices: Vec<_> = (0..12).map(|_| vector()).collect();
        let (half, at, delta, accel, spin) = (vector(), vector(), vector(), vector(), vector());
        let (start, along) = (vector(), vector());
        let triangles: Vec<_> = (0..8).map(|_| [0; 3].map(|_| draw.whole(0, 12) as u32)).collect();
        let mesh = Mesh::new(&vertices[..], &triangles[..]).expect("a mesh");
        assert!(mesh.faults().len() >= mesh.rejected().len());
        let heights: Vec<_> = vertices.iter().map(|vertex| vertex[0]).collect();
        let field = HeightField::new(heights, [4, 3], [half[0].abs(), 1.0]);
        let mut bodies = vec![Geometry::from(&mesh)];
        if let Ok(field) = &field {
            bodies.push(field.into());
        }
        let shape = Shape::cuboid(half.map(f32::abs)).unwrap_or(Shape::point());
        let motion = Motion { pose: Pose { position: at, ..Pose::IDENTITY }, delta, accel, spin };
        for body in bodies {
            for (a, b) in [(motion, Motion::default()), (Motion::default(), motion)] {
                let settings = Settings::default();
                if let Ok(found) = toi::one_to_one(&shape.into(), &a, &body, &b, &settings) {
                    assert_finite(&found);
                    contacts += usize::from(found.toi.result != ToiResult::Separated);
                }
                if let Ok(bounds) = body.bounds_over(&b, 0.0) {
                    assert_finite(&bounds);
                }
            }
            let segment = Segment { start, delta: along, max_fraction: f32::INFINITY };
            if let Ok(cast) = body.cast(&motion.pose, &segment) {
                assert_finite(&cast);
            }
        }
    }
    assert!(contacts > 20, "{contacts}");
}

/// Goal: an empty body touches nothing, and an invalid grid is an error. Method: each case.
#[test]
fn empty_and_wrong_input_is_handled() {
    let mesh = Mesh::new(Vec::new(), Vec::new()).expect("an empty mesh");
    assert!(mesh.bounds().is_none() && mesh.faults().is_empty());
    let (ball, still) = (Shape::sphere(1.0).expect("a ball"), Motion::default());
    for (a, b) in [
        (ball.into(), (&mesh).into()),
        ((&mesh).into(), ball.into()),
        ((&mesh).into(), Geometry::from(&mesh)),
    ] {
        let found = toi::one_to_one(&a, &still, &b, &still, &Settings::default()).expect("valid");
        assert_eq!(found.toi.result, ToiResult::Separated);
    }
    let holes = HeightField::new(vec![f32::NAN; 4], [2, 2], [1.0, 1.0]).expect("holes");
    assert!(holes.bounds().is_none());
    let samples = |samples| HeightField::new(vec![0.0; 4], samples, [1.0, 1.0]).err();
    for wrong in [[2, 3], [1, 4], [0, 0], [4, 1], [u32::MAX, u32::MAX]] {
        assert!(matches!(samples(wrong), Some(HeightFieldError::Samples { .. })), "{wrong:?}");
    }
    for wrong in [0.0, -1.0, f32::NAN, f32::INFINITY, 2.0 * COORD_MAX] {
        let field = HeightField::new(vec![0.0; 4], [2, 2], [1.0, wrong]).err();
        assert_eq!(field, Some(HeightFieldError::Spacing), "{wrong}");
    }
    // The whole grid counts.
    let most = |samples| HeightField::new(vec![0.0; 6], samples, [COORD_MAX, COORD_MAX]).err();
    assert_eq!([most([3, 2]), most([2, 3])], [Some(HeightFieldError::Spacing); 2]);
    let greatest = HeightField::new(vec![0.0; 4], [2, 2], [COORD_MAX, COORD_MAX]);
    assert!(greatest.is_ok(), "{greatest:?}");
}

/// Goal: a height field is the same on every level, and has two parts for each cell. Method: a grid of 3 by 2 cells with a hole.
#[test]
fn height_fields_of_every_level_are_the_same() {
    let mut heights: Vec<f32> = (0..12).map(|k| (k % 5) as f32).collect();
    heights[3] = f32::INFINITY;
    let expected = HeightField::new(&heights[..], [4, 3], [1.0, 2.0]).expect("a grid");
    for level in Level::all() {
        let field =
            HeightField::with_exec(&heights[..], [4, 3], [1.0, 2.0], level).expect("a grid");
        assert_eq!(field.bounds(), expected.bounds(), "{level}");
        assert_eq!((field.triangle_count(), Geometry::from(&field).part_count()), (12, 12));
        for triangle in 0..13 {
            assert_eq!(field.corners(triangle), expected.corners(triangle), "{level}: {triangle}");
        }
    }
}

/// Goal: neither copies nor triangles with two equal corners make others flipped or an edge one of more than two triangles. Method:
/// small lists, and all their faults.
#[test]
fn copies_and_segments_are_no_further_triangles_at_an_edge() {
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let faults = |triangles: &[[u32; 3]]| {
        Mesh::new(&vertices[..], triangles)
            .expect("a mesh")
            .faults()
            .into_iter()
            .map(|fault| (fault.triangle, fault.reason))
            .collect::<Vec<_>>()
    };
    use FaultReason::{Degenerate, Duplicate, Flipped};
    let (lower, upper, wrong) = ([0, 1, 2], [1, 3, 2], [1, 2, 3]);
    assert_eq!(faults(&[lower, upper]), []);
    assert_eq!(faults(&[lower, wrong]), [(0, Flipped), (1, Flipped)]);
    assert_eq!(faults(&[lower, lower]), [(1, Duplicate)]);
    assert_eq!(faults(&[lower, [2, 1, 0]]), [(1, Duplicate)]);
    assert_eq!(faults(&[lower, upper, lower, wrong]), [(2, Duplicate), (3, Duplicate)]);
    assert_eq!(faults(&[lower, [1, 2, 1]]), [(1, Degenerate)]);
    assert_eq!(faults(&[[1, 2, 2], lower, upper]), [(0, Degenerate)]);
    let copied = [(0, Flipped), (1, Duplicate), (2, Flipped), (3, Degenerate)];
    assert_eq!(faults(&[lower, lower, wrong, [2, 2, 1]]), copied);
}

/// Goal: the memory of owned lists is their capacity, borrowed ones have none, and the list of invalid triangles counts. Method: the difference of
/// both; a thousand invalid triangles.
#[test]
fn memory_of_owned_lists_is_their_capacity() {
    let (vertices, triangles) = terrain(&mut Draw::new(4), 3, 0.5);
    let borrowed = Mesh::new(&vertices[..], &triangles[..]).expect("a terrain").memory_usage();
    let mut large = Vec::with_capacity(1_000);
    large.extend_from_slice(&vertices);
    let expected = borrowed + 12 * large.capacity() + 12 * triangles.capacity();
    assert_eq!(Mesh::new(large, triangles).expect("a terrain").memory_usage(), expected);
    let (one, mut many) = (vec![[0, 1, 2]], vec![[0, 1, 2]]);
    many.extend([[0, 1, 9999]; 1_000]);
    let usage =
        |triangles: &Vec<_>| Mesh::new(&vertices[..], &triangles[..]).map(|m| m.memory_usage());
    let [of_one, of_many] = [usage(&one), usage(&many)].map(|usage| usage.expect("triangles"));
    assert!(of_many >= of_one + 4_000, "{of_one} {of_many}");
}

/// Goal: a mesh and a height field return what they were created with. Method: numbers that differ from each other and from defaults.
#[test]
fn meshes_and_height_fields_return_what_they_were_created_with() {
    let heights: Vec<f32> = (0..12_u8).map(f32::from).collect();
    let field = || HeightField::new(&heights[..], [4, 3], [0.5, 2.0]).expect("a grid");
    assert_eq!((field().heights(), field().samples()), (&heights[..], [4, 3]));
    assert_eq!((field().spacing(), field().triangle_count()), ([0.5, 2.0], 12));
    assert_eq!([field().is_one_sided(), field().one_sided().is_one_sided()], [false, true]);
    let (vertices, triangles) = terrain(&mut Draw::new(3), 3, 1.0);
    let mesh = || Mesh::new(&vertices[..], &triangles[..]).expect("a terrain");
    assert_eq!((mesh().vertices(), mesh().triangles()), (&vertices[..], &triangles[..]));
    assert_eq!([mesh().is_one_sided(), mesh().one_sided().is_one_sided()], [false, true]);
}
