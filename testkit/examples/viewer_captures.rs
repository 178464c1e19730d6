//! Writes the captured ticks that the tests of the viewer's pages replay.
//!
//! `cargo run --release --example viewer_captures -- DIR` writes one file for each tick to the folder `DIR`, which must exist:
//!
//! | File | Contents |
//! |---|---|
//! | `unresolved.bin` | A ball that flies to a rotating box, with one round of the search: the pair is unresolved. |
//! | `parts.bin` | A ball that falls on the common corner of four triangles; the impact of each triangle is reported. |
//! | `boxes.bin` | A box of which a face is in the plane x = 0, and a large moving box that overlaps a small one. |
//! | `points.bin` | Two boxes without extent that meet at the end of the tick. |
//!
//! Each tick is run before it is written. The program panics if the impacts are not those that the tests expect.

use std::path::Path;

use swath::convex::toi::Touch;
use swath::mesh::Mesh;
use swath::pipeline::{Config, GeometryBody, ImpactKind, PartImpacts};
use swath::{ConvexBody, Impact, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};

fn main() {
    let folder = std::env::args_os().nth(1).expect("usage: viewer_captures DIR");
    let folder = Path::new(&folder);
    unresolved(&folder.join("unresolved.bin"));
    parts(&folder.join("parts.bin"));
    boxes(&folder.join("boxes.bin"));
    points(&folder.join("points.bin"));
}

/// Writes a tick, and returns its impacts.
fn write(path: &Path, config: Config, scene: &Scene<'_, '_>) -> Vec<Impact> {
    let mut pipeline = Pipeline::new(config);
    let bytes = pipeline.capture(scene).expect("the scene can be captured");
    std::fs::write(path, bytes).expect("the file can be written");
    let ticked = pipeline.tick(scene).expect("the scene is valid");
    assert!(ticked.rejected().is_empty(), "{}: a row is invalid", path.display());
    ticked.impacts().to_vec()
}

fn motion(position: [f32; 3], delta: [f32; 3], spin: [f32; 3]) -> Motion {
    let pose = Pose::at(position).expect("the position is finite");
    Motion { spin, ..Motion::new(pose, delta).expect("the displacement is finite") }
}

/// Boxes with these corners and displacements, as columns.
fn columns<const N: usize>(boxes: [[[f32; 3]; 3]; N]) -> [[f32; N]; 9] {
    std::array::from_fn(|column| boxes.map(|of| of[column / 3][column % 3]))
}

fn scene_of<'c, const N: usize>(columns: &'c [[f32; N]; 9]) -> Scene<'c, 'c> {
    let columns = columns.each_ref().map(<[f32; N]>::as_slice);
    Scene::new(MovingBoxColumns::from_columns(columns).expect("the columns have equal lengths"))
}

fn unresolved(path: &Path) {
    let ball = Shape::sphere(0.5).expect("a ball");
    let cuboid = Shape::cuboid([0.5; 3]).expect("a box");
    let moving = motion([-3.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0; 3]);
    let rotating = motion([0.0; 3], [0.0; 3], [0.0, 0.0, 2.0]);
    let convex = [
        ConvexBody { row: 0, shape: ball, motion: moving },
        ConvexBody { row: 1, shape: cuboid, motion: rotating },
    ];
    let columns = columns([[[0.0; 3]; 3]; 2]);
    let mut config = Config::default();
    config.rounds_max = 1;
    let impacts = write(path, config, &scene_of(&columns).convex(&convex));
    let [impact] = impacts[..] else { panic!("{impacts:?}") };
    assert!(impact.kind == ImpactKind::Unresolved && impact.toi > 0.1, "{impact:?}");
}

fn parts(path: &Path) {
    let corners =
        vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 0.0, -2.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 2.0]];
    let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    let floor = Mesh::new(corners, triangles).expect("a floor");
    let geometries =
        [GeometryBody { row: 0, geometry: (&floor).into(), motion: Motion::default() }];
    let shape = Shape::sphere(0.5).expect("a ball");
    let convex =
        [ConvexBody { row: 1, shape, motion: motion([0.0, 2.0, 0.0], [0.0, -3.0, 0.0], [0.0; 3]) }];
    let columns = columns([[[0.0; 3]; 3]; 2]);
    let mut config = Config::default();
    config.part_impacts = PartImpacts::Each;
    let scene = scene_of(&columns).convex(&convex).geometries(&geometries);
    let impacts = write(path, config, &scene);
    assert_eq!(impacts.len(), 4, "{impacts:?}");
    assert!(impacts.iter().all(|impact| impact.kind == ImpactKind::Touching && impact.toi > 0.4));
}

fn boxes(path: &Path) {
    let columns = columns([
        [[0.0, -1.0, -1.0], [1.0; 3], [0.0; 3]],
        [[10.0, -6.0, -6.0], [22.0, 6.0, 6.0], [1.0, 0.0, 0.0]],
        [[15.0, 5.0, 0.0], [16.0, 7.0, 1.0], [0.0; 3]],
    ]);
    let mut config = Config::default();
    config.touch = Touch::Hit;
    let impacts = write(path, config, &scene_of(&columns));
    let pairs: Vec<_> = impacts.iter().map(|impact| (impact.pair.a, impact.pair.b)).collect();
    assert_eq!((pairs, impacts[0].toi), (vec![(1, 2)], 0.0));
}

fn points(path: &Path) {
    let columns = columns([
        [[0.0; 3], [0.0; 3], [2.0, 0.0, 0.0]],
        [[4.0, 0.0, 0.0], [4.0, 0.0, 0.0], [-2.0, 0.0, 0.0]],
    ]);
    let impacts = write(path, Config::default(), &scene_of(&columns));
    assert!(impacts.len() == 1 && impacts[0].toi > 0.99, "{impacts:?}");
}
