//! Tests that the example `viewer` shows ticks that a pipeline wrote to a file.

use std::fs;
use std::path::Path;

use crate::command::{fails, folder};
use crate::page::{boxes, bytes, enclosed, floats, page, pairs, recording, viewer, words};
use serde_json::{Value, json};
use swath::convex::Hull;
use swath::mesh::{Compound, HeightField, Mesh};
use swath::pipeline::{BodyFlags, Config, GeometryBody};
use swath::{ConvexBody, Filter, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};

/// Writes a captured tick: a wall, a ball and a rotating hull that fly towards it, a box that falls on a
/// slab, a sensor in the path of the ball, a body without contacts, and, with `bad`, an invalid row.
fn write_capture(path: &Path, bad: bool) {
    let none = if bad { f32::NAN } else { 90.0 };
    let columns: [[f32; 8]; 12] = [
        [3.0, 0.0, none, 0.0, 20.0, 19.0, 1.0, 2.0],
        [-9.0, 0.0, 0.0, 0.0, 2.0, -1.0, -0.5, -0.5],
        [-9.0, 0.0, 0.0, 0.0, 0.0, -1.0, -0.5, -0.5],
        [3.5, 0.0, 90.0, 0.0, 21.0, 22.0, 1.5, 2.5],
        [9.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.5, 0.5],
        [9.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.5, 0.5],
        [0.0; 8],
        [0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
        [0.0; 8],
        [0.0; 8],
        [0.0, 0.0, 0.0, 0.0, -4.0, 0.0, 0.0, 0.0],
        [0.0; 8],
    ];
    let [boxes @ .., x, y, z] = columns.each_ref().map(<[f32; 8]>::as_slice);
    let hull = Hull::new([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let hull = hull.expect("a hull");
    let ball = Shape::sphere(0.25).expect("a ball");
    let motion = |position, delta| {
        Motion::new(Pose::at(position).expect("a place"), delta).expect("a motion")
    };
    let thrown = motion([-4.75, 0.0, 0.0], [10.0, 0.0, 0.0]);
    let turning = Motion { spin: [0.0, 0.0, 2.0], ..motion([0.0, 5.0, 0.0], [4.0, 0.0, 0.0]) };
    let convex = [
        ConvexBody { row: 1, shape: ball, motion: thrown },
        ConvexBody { row: 3, shape: Shape::hull(&hull), motion: turning },
    ];
    let mut flags = [BodyFlags::MOVES; 8];
    (flags[0], flags[5], flags[6]) = (BodyFlags::STILL, BodyFlags::STILL, BodyFlags::SENSOR);
    let mut filters = [Filter::ALL; 8];
    filters[7] = Filter::NONE;
    let boxes = MovingBoxColumns::from_columns(boxes).expect("columns");
    let scene = Scene::new(boxes)
        .accelerating([x, y, z])
        .convex(&convex)
        .flagged(&flags)
        .filtered(&filters);
    let bytes = Pipeline::new(Config::default()).capture(&scene).expect("a capture");
    fs::write(path, bytes).expect("a file can be written");
}

/// Goal: captured ticks are shown unchanged: bodies with their motions and shapes, candidates, impacts with
/// their points, and a note about invalid rows. Method: bodies whose results have closed forms; the mesh of
/// the ball is nearly a ball.
#[test]
fn captured_ticks_are_shown() {
    let folder = folder("viewer_captures");
    let files = ["good.bin", "b&lt.bin"].map(|name| folder.join(name));
    write_capture(&files[0], false);
    write_capture(&files[1], true);
    let page = page(viewer("--replay").args(&files), &folder);
    let recording = recording(&page);
    assert_eq!(recording["name"], "captured ticks");
    let ticks = recording["ticks"].as_array().expect("ticks");
    assert_eq!((ticks.len(), &ticks[1]["name"]), (2, &json!("b&lt")));
    for (tick, bad) in ticks.iter().zip([false, true]) {
        let ids = words(&tick["ids"]);
        let row = |at: u32| if bad { ids[at as usize] } else { at };
        assert_eq!(ids, if bad { vec![0, 1, 3, 4, 5, 6, 7] } else { Vec::new() });
        let rows = boxes(tick);
        assert_eq!((rows.len(), &tick["boxes"]), (8 - usize::from(bad), &json!(rows.len())));
        let moves = bytes(&tick["moves"]);
        let still: Vec<_> =
            (0..).zip(moves).filter(|(_, moves)| *moves == 0).map(|(at, _)| row(at)).collect();
        assert_eq!(still, [0, 5, 6]);
        // The straight box contains the body: for a ball it is exact.
        let of_ball = &rows[1];
        assert_eq!((of_ball.delta, of_ball.aabb.min[1]), ([10.0, 0.0, 0.0], -0.25));

        let named = |column: &Value| -> Vec<_> {
            pairs(column).into_iter().map(|pair| (row(pair.a), row(pair.b))).collect()
        };
        let candidates = named(&tick["union"]);
        let all = [(0, 1), (0, 3), (1, 6), (4, 5)];
        assert!(all.iter().all(|pair| candidates.contains(pair)), "{candidates:?}");
        assert!(!candidates.iter().any(|&(_, b)| b == 7), "{candidates:?}");
        let (impacts, first) = (named(&tick["swept"]), floats(&tick["first"]));
        // Sorted by time, then those with sensors.
        let [hull, ball, falls, sensor] = impacts[..] else { panic!("{impacts:?}") };
        let mut found = [hull, ball, falls];
        found.sort_unstable();
        assert_eq!((found, sensor), ([(0, 1), (0, 3), (4, 5)], (1, 6)));
        let kinds = bytes(&tick["kinds"]);
        assert_eq!(kinds, [0, 0, 0, 4]);
        let contacts = floats(&tick["contacts"]);
        for (k, pair) in impacts.iter().enumerate() {
            let t = f64::from(first[k]);
            let [x, y, _, nx, ny, nz] = contacts.as_chunks().0[k];
            let near = |a: f32, b: f32| (a - b).abs() < 1e-3;
            match pair {
                (0, 1) => {
                    assert!((t - 0.75).abs() < 1e-5 && near(x, 3.0) && near(y, 0.0), "{t} {x} {y}");
                    assert_eq!([nx, ny, nz], [-1.0, 0.0, 0.0]);
                }
                (1, 6) => assert!((t - 0.55).abs() < 1e-5 && near(nx, 1.0), "{t} {nx}"),
                // The root of 2 - t - 2 t t.
                (4, 5) => assert!((t - (17_f64.sqrt() - 1.0) / 4.0).abs() < 1e-5, "{t}"),
                _ => assert!(near(x, 3.0) && t < 0.75, "{t} {x}"),
            }
        }

        let bodies = tick["bodies"].as_array().expect("bodies");
        let at = |which: u32| {
            let is = |body: &&Value| row(body["at"].as_u64().expect("a place") as u32) == which;
            bodies.iter().find(is).expect("it is drawn")
        };
        assert_eq!(bodies.len(), 3);
        assert_eq!(at(1)["delta"], json!([10.0, 0.0, 0.0]));
        assert_eq!(at(3)["spin"], json!([0.0, 0.0, 2.0]));
        assert_eq!(at(4)["accel"], json!([0.0, -4.0, 0.0]));
        assert_eq!(at(4)["position"], json!([20.5, 2.5, 0.5]));
        let mesh = |which: u32| {
            let mesh = &recording["meshes"][at(which)["mesh"].as_u64().expect("a mesh") as usize];
            let size = at(which)["size"].as_f64().expect("a size");
            let (volume, open) = enclosed(mesh);
            assert!(open < 1e-3, "open by {open}");
            volume * size.powi(3)
        };
        let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.25_f64.powi(3);
        assert!((0.93 * ball..=ball * 1.001).contains(&mesh(1)), "{}", mesh(1) / ball);
        assert!((mesh(3) - 1.0 / 3.0).abs() < 0.01, "{}", mesh(3));
        assert!((mesh(4) - 1.0).abs() < 0.01, "{}", mesh(4));
        let notes = tick["notes"].to_string();
        assert_eq!(notes.contains("1 invalid rows are not drawn"), bad, "{notes}");
        assert!(notes.contains("impacts with sensors: 1"), "{notes}");
    }
    // One ball, one hull and one box are drawn for both.
    assert_eq!(recording["meshes"].as_array().map(Vec::len), Some(3));
}

/// Goal: an invalid capture is rejected in one line with the reason. Method: a file that is cut, changed,
/// older, newer, of another kind, empty or missing.
#[test]
fn invalid_captures_are_rejected() {
    let folder = folder("viewer_no_captures");
    let capture = folder.join("tick.bin");
    fails(viewer("--replay").arg(&capture), 2, "tick.bin");
    write_capture(&capture, false);
    let bytes = fs::read(&capture).expect("it was written");
    let [mut damaged, mut older, mut newer] = [0; 3].map(|_| bytes.clone());
    damaged[bytes.len() / 2] ^= 16;
    (older[8], newer[8]) = (0, 3);
    for (bytes, why) in [
        (&bytes[..bytes.len() - 1], "bytes are there"),
        (&bytes[..5], "bytes are there"),
        (&damaged, "damaged"),
        (&older, "too old"),
        (&newer, "too new"),
        (b"SWTRACE1 is another kind of file", "not a captured tick"),
        (b"", "not a captured tick"),
    ] {
        fs::write(&capture, bytes).expect("a file can be written");
        fails(viewer("--replay").arg(&capture), 2, why);
    }
}

/// Goal: bodies with parts are drawn as their triangles, and a replay has the impacts of the tick. Method: a floor of two
/// triangles, a height field of eight and a compound of two boxes, on which balls fall.
#[test]
fn bodies_with_parts_are_drawn_and_replayed() {
    let folder = folder("viewer_captured_parts");
    let path = folder.join("parts.bin");
    let corners = vec![[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 5.0]];
    let floor = Mesh::new(corners, vec![[0, 2, 1], [0, 3, 2]]).expect("a floor");
    let field = HeightField::new(vec![0.5; 9], [3, 3], [1.0; 2]).expect("a field");
    let part = |x| {
        let cuboid = Shape::cuboid([0.5; 3]).expect("a box");
        (cuboid.into(), Pose::at([x, 0.0, 0.0]).expect("a pose"))
    };
    let compound = Compound::new([part(-1.0), part(1.0)]).expect("two boxes");
    let at = |x| Motion::from(Pose::at([x, 0.0, 0.0]).expect("a pose"));
    let body = |row, geometry, motion| GeometryBody { row, geometry, motion };
    let geometries = [
        body(0, (&floor).into(), at(0.0)),
        body(1, (&field).into(), at(20.0)),
        body(2, (&compound).into(), at(40.0)),
    ];
    let ball = Shape::sphere(0.25).expect("a ball");
    let falling = |x: f32| {
        Motion::new(Pose::at([x, 3.0, 0.3]).expect("a pose"), [0.0, -5.0, 0.0]).expect("a motion")
    };
    let convex = [(3, 1.0), (4, 20.5), (5, 41.0)].map(|(row, x)| ConvexBody {
        row,
        shape: ball,
        motion: falling(x),
    });
    let boxes = MovingBoxColumns::from_columns([&[0.0; 6]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&convex).geometries(&geometries);
    let mut pipeline = Pipeline::new(Config::default());
    let wanted = pipeline.tick(&scene).expect("a tick").impacts().to_vec();
    let met: Vec<_> = wanted.iter().map(|impact| (impact.pair.a, impact.pair.b)).collect();
    assert!([(0, 3), (1, 4), (2, 5)].iter().all(|pair| met.contains(pair)), "{met:?}");
    fs::write(&path, pipeline.capture(&scene).expect("a capture")).expect("a file can be written");

    let recording = recording(&page(viewer("--replay").arg(&path), &folder));
    let tick = &recording["ticks"][0];
    let shown: Vec<_> = pairs(&tick["swept"]).into_iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(shown, met);
    let bodies = tick["bodies"].as_array().expect("bodies");
    assert_eq!(bodies.len(), 6);
    // A face of a box may be several triangles.
    for (row, triangles, lowest) in [(0, 2..=2, 0.0), (1, 8..=8, 0.5), (2, 24..=200, -0.5)] {
        let of = bodies.iter().find(|body| body["at"] == json!(row)).expect("it is drawn");
        let mesh = &recording["meshes"][of["mesh"].as_u64().expect("a mesh") as usize];
        let count = mesh["triangles"].as_u64().expect("a number");
        assert!(triangles.contains(&count) && of["size"].as_f64() == Some(1.0), "{count}");
        let positions = floats(&mesh["positions"]);
        let least =
            positions.as_chunks::<3>().0.iter().map(|at| at[1]).fold(f32::INFINITY, f32::min);
        assert!((least - lowest).abs() < 1e-5, "{least}");
    }
}

/// Goal: a body with parts is drawn once, also if the scene has accelerations for all rows, whose box is then not read. Method: a
/// height field and a box that falls, both with gravity in their rows.
#[test]
fn accelerated_row_with_parts_is_drawn_once() {
    let folder = folder("viewer_captured_accelerated_parts");
    let path = folder.join("parts.bin");
    let field = HeightField::new(vec![0.5; 9], [3, 3], [1.0; 2]).expect("a field");
    let motion = Motion::from(Pose::at([0.0; 3]).expect("a pose"));
    let geometries = [GeometryBody { row: 0, geometry: (&field).into(), motion }];
    let (low, high, zero) = ([0.0, 9.0], [1.0, 10.0], [0.0; 2]);
    let boxes = MovingBoxColumns::new([&low; 3], [&high; 3], [&zero; 3]).expect("columns");
    let gravity = [-10.0; 2];
    let scene = Scene::new(boxes).accelerating([&zero, &gravity, &zero]).geometries(&geometries);
    let capture = Pipeline::new(Config::default()).capture(&scene).expect("a capture");
    fs::write(&path, capture).expect("a file can be written");

    let recording = recording(&page(viewer("--replay").arg(&path), &folder));
    let tick = &recording["ticks"][0];
    let bodies = tick["bodies"].as_array().expect("bodies");
    let mut rows: Vec<_> = bodies.iter().map(|body| body["at"].as_u64()).collect();
    rows.sort_unstable();
    assert_eq!(rows, [Some(0), Some(1)]);
    assert_eq!(recording["meshes"].as_array().map(Vec::len), Some(2));
    assert!(!tick["notes"].to_string().contains("shapes are drawn"), "{}", tick["notes"]);
}
