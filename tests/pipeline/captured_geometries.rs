//! Meshes, height fields and compounds in captured ticks.

use swath::convex::{Hull, OwnedShape};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::pipeline::{Capture, CaptureError, Config, GeometryBody, PartImpacts};
use swath::{ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
use testkit::checksum::with_checksum;
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Bodies of all kinds.
struct Bodies {
    mesh: Mesh<'static>,
    field: HeightField<'static>,
    compound: Compound,
    hull: Hull,
}

fn motion(at: [f32; 3], delta: [f32; 3]) -> Motion {
    Motion::new(Pose::at(at).expect("valid"), delta).expect("valid")
}

impl Bodies {
    fn new() -> Self {
        let mut draw = Draw::new(3);
        let (mut vertices, mut triangles) = terrain(&mut draw, 6, 0.3);
        // A triangle that is left out.
        vertices.push([f32::NAN; 3]);
        triangles.push([0, 1, vertices.len() as u32 - 1]);
        let height = |k| if k == 7 { f32::NAN } else { draw.between(-0.3, 0.3) };
        let heights: Vec<f32> = (0..30).map(height).collect();
        let hull = || {
            let points = [[0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
            Hull::new(points).expect("a hull")
        };
        let shared = OwnedShape::hull(hull());
        let part = |shape: OwnedShape, x: f32| (shape, Pose::at([x, 0.2, 0.0]).expect("valid"));
        let ball = OwnedShape::from(Shape::sphere(0.4).expect("a ball"));
        let small = shared.scaled([0.5; 3]).expect("valid");
        let parts = [part(shared, -0.8), part(small, 0.0), part(ball, 0.8)];
        Self {
            mesh: Mesh::new(vertices, triangles).expect("a terrain").one_sided(),
            field: HeightField::new(heights, [6, 5], [1.0, 0.5]).expect("a field"),
            compound: Compound::new(parts).expect("valid"),
            hull: hull(),
        }
    }

    /// A tick in which all of them meet each other and convex bodies.
    fn with_scene<T>(&self, visit: impl FnOnce(&Scene<'_, '_>) -> T) -> T {
        let body = |row, geometry, motion| GeometryBody { row, geometry, motion };
        let geometries = [
            body(0, Geometry::Mesh(&self.mesh), Motion::default()),
            body(2, (&self.compound).into(), motion([0.0, 3.0, 0.0], [1.0, -6.0, 0.0])),
            body(3, (&self.field).into(), motion([-2.0, 4.0, -1.0], [0.0, -8.0, 0.0])),
            body(5, (&self.compound).into(), motion([1.0, 2.0, 1.0], [-2.0, -4.0, 0.5])),
            body(6, Shape::hull(&self.hull).into(), motion([-1.0, 1.5, 0.5], [0.0, -3.0, 0.0])),
        ];
        let convex = [
            ConvexBody {
                row: 1,
                shape: Shape::hull(&self.hull),
                motion: motion([1.0, 5.0, 1.0], [0.0, -9.0, 0.0]),
            },
            ConvexBody {
                row: 4,
                shape: Shape::sphere(0.3).expect("a ball"),
                motion: motion([-1.5, 1.0, -1.0], [3.0, -3.0, 1.0]),
            },
        ];
        let boxes = MovingBoxColumns::from_columns([&[0.0; 7]; 9]).expect("columns");
        visit(&Scene::new(boxes).convex(&convex).geometries(&geometries))
    }
}

fn pipeline(part_impacts: PartImpacts) -> Pipeline {
    let mut config = Config::default();
    config.part_impacts = part_impacts;
    Pipeline::new(config)
}

/// Goal: a captured tick with bodies with parts has the same impacts with the same parts, for both choices of impacts of
/// parts, and is written again with the same bytes. Method: bodies of all kinds, a compound that two of them have, hulls
/// inside compounds, triangles and heights that are left out.
#[test]
fn bodies_with_parts_are_read_as_they_were_written() {
    let bodies = Bodies::new();
    for part_impacts in [PartImpacts::First, PartImpacts::Each] {
        let mut pipeline = pipeline(part_impacts);
        bodies.with_scene(|scene| {
            let bytes = pipeline.capture(scene).expect("a capture");
            assert_eq!(bytes[8..12], 2_u32.to_le_bytes());
            let ticked = pipeline.tick(scene).expect("a tick");
            let (hash, impacts) = (ticked.hash(), ticked.impacts().to_vec());
            assert!(impacts.len() > 8 && impacts.iter().any(|impact| impact.parts != [0; 2]));
            let capture = Capture::read(&bytes).expect("it was written");
            assert_eq!(capture.config(), pipeline.config());
            let (convex, geometries) = (capture.convex(), capture.geometries());
            let again = capture.scene(&convex, &geometries);
            assert_eq!(pipeline.tick(&again).expect("a tick").impacts(), impacts);
            assert_eq!(pipeline.tick(&again).expect("a tick").hash(), hash);
            assert_eq!(pipeline.capture(&again).expect("a capture"), bytes);
            let Geometry::Mesh(mesh) = geometries[0].geometry else { panic!("{geometries:?}") };
            assert!(mesh.is_one_sided() && mesh.rejected().len() == 1);
            let [Geometry::Compound(one), Geometry::Compound(other)] =
                [1, 3].map(|k| geometries[k].geometry)
            else {
                panic!("{geometries:?}")
            };
            assert!(core::ptr::eq(one, other));
        });
    }
}

/// Goal: a tick that needs nothing of version 2 has the bytes of version 1, and such a file is read. Method: the same scene
/// without bodies with parts; a choice that version 1 cannot contain.
#[test]
fn ticks_without_parts_are_of_the_first_version() {
    let ball = [ConvexBody { row: 0, shape: Shape::point(), motion: Motion::default() }];
    let boxes = MovingBoxColumns::from_columns([&[0.0; 2]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&ball);
    let first = pipeline(PartImpacts::First).capture(&scene).expect("a capture");
    let each = pipeline(PartImpacts::Each).capture(&scene).expect("a capture");
    assert_eq!((first[8], each[8], each.len()), (1, 2, first.len() + 12));
    assert_eq!(Capture::read(&first).expect("valid").config().part_impacts, PartImpacts::First);
    assert_eq!(Capture::read(&each).expect("valid").config().part_impacts, PartImpacts::Each);
    // The contents of version 1 under the number of version 2 lack what it added, and the other way round.
    let mut wrong = [first, each];
    (wrong[0][8], wrong[1][8]) = (2, 1);
    for bytes in wrong {
        assert!(matches!(
            Capture::read(&with_checksum(bytes)),
            Err(CaptureError::Malformed { .. })
        ));
    }
}

/// Goal: no file with a correct checksum causes a panic, and each that is read can be run and written. Method: each byte is
/// changed in several ways; each is also set to 255, which makes counts as large as they can be.
#[test]
fn any_file_with_bodies_with_parts_is_a_tick_or_an_error() {
    let bodies = Bodies::new();
    let bytes = bodies.with_scene(|scene| pipeline(PartImpacts::Each).capture(scene));
    let bytes = bytes.expect("a capture");
    let (mut read, mut refused) = (0, 0);
    for at in 8..bytes.len() - 8 {
        for change in [1, 0x40, !bytes[at]] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let Ok(capture) = Capture::read(&with_checksum(changed)) else {
                refused += 1;
                continue;
            };
            read += 1;
            let (convex, geometries) = (capture.convex(), capture.geometries());
            let scene = capture.scene(&convex, &geometries);
            let mut pipeline = Pipeline::new(*capture.config());
            if at % 16 == 0 {
                pipeline.tick(&scene).expect("a tick");
            }
            let again = pipeline.capture(&scene).expect("it can be written");
            assert!(Capture::read(&again).is_ok(), "byte {at}");
        }
    }
    assert!(read > bytes.len() && refused > 300, "{read} {refused} of {}", bytes.len());
}
