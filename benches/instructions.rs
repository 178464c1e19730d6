//! Work whose instructions `.ci/instructions` counts: kernels, pair finders, updates, queries, convex searches, and searches and a build of a mesh.
//!
//! `cargo run --release --example instructions -- --list` prints the names, and with a name the example runs this work: some times to
//! warm up, and once inside [`measured`], whose instructions valgrind counts. All runs on one thread, with the level AVX2 at
//! most, because valgrind knows no wider one; so the counts are the same on every CPU that has AVX2. Each prints a number that
//! depends on its results.

#![allow(missing_docs, reason = "an example has no documentation of its own")]

use scenes::convex::{CLASSES, Hulls, Moves, meetings_of};
use scenes::mesh::Terrain;
use scenes::{Scene, World};
use std::hint::black_box;
use std::process::ExitCode;
use swath::batch::separate::SeparationColumns;
use swath::batch::sweep::SweepColumns;
use swath::batch::{Contact, Hit, Hits, Rows, overlap, proximity, separate, sweep};
use swath::broadphase::PairInput;
use swath::convex::toi::Settings;
use swath::convex::{gjk, toi};
use swath::mesh::{Mesh, toi as mesh_toi};
use swath::{
    Aabb, Broadphase, Bvh, Exec, Level, Motion, MovingBoxStore, PairFinder, Pose, Proxy, Segment,
    Shape, Threads,
};

const SCENES: [Scene; 5] =
    [Scene::Uniform, Scene::Dense, Scene::Bullets, Scene::Mixed, Scene::Pile];
/// Numbers of boxes of the pair finders.
const SIZES: [usize; 2] = [1_000, 10_000];
const ROWS: usize = 4096;
/// After these runs no memory is allocated, and what does not move is in trees.
const WARM_RUNS: usize = 3;
const KERNELS: [&str; 4] = ["sweep", "overlap", "separate", "proximity"];
const QUERIES: [&str; 3] = ["build", "closest", "overlap"];
/// Shapes that fly over a terrain, or fall on a mesh of small triangles; and the build of the terrain.
const MESHES: [&str; 4] = ["build", "linear", "spinning", "fine"];
/// Cells along a side of the mesh, each of two triangles.
const CELLS: u32 = 64;

/// Runs the work that is counted. It is the only function of this name.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}

fn run(mut work: impl FnMut() -> u64) -> u64 {
    for _ in 0..WARM_RUNS {
        black_box(work());
    }
    measured(&mut work)
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = KERNELS.iter().map(|name| format!("kernel-{name}")).collect();
    for scene in SCENES {
        for size in SIZES {
            for what in ["union", "swept", "update"] {
                names.push(format!("{what}-{scene}-{size}"));
            }
        }
    }
    names.push("settled-pile-10000".into());
    names.extend(QUERIES.iter().map(|name| format!("bvh-{name}")));
    names.extend(MESHES.iter().map(|name| format!("mesh-{name}")));
    for (class, _) in CLASSES {
        names.extend(["distance", "linear", "spinning"].map(|what| format!("{what}-{class}")));
    }
    names
}

fn level() -> Level {
    Level::all().find(|level| level.name() == "avx2").unwrap_or(Level::PORTABLE4)
}

fn exec() -> Exec {
    let mut exec = Exec::from(Threads::one());
    exec.level = level();
    exec
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name == "--list" {
        names().iter().for_each(|name| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    if !names().contains(&name) {
        eprintln!("instructions: there is no work named {name:?}; --list prints the names");
        return ExitCode::from(2);
    }
    let (what, of) = name.split_once('-').expect("every name has two parts");
    let result = match what {
        "kernel" => kernel(of),
        "bvh" => query(of),
        "mesh" if of == "build" => build(),
        "mesh" => mesh(of),
        "distance" | "linear" | "spinning" => convex(what, of),
        _ => {
            let (scene, size) = of.split_once('-').expect("a scene and a number");
            let scene = SCENES.into_iter().find(|each| each.to_string() == scene);
            let scene = scene.expect("the name is in the list");
            pairs(what, scene, size.parse().expect("a number"))
        }
    };
    println!("{name} {result}");
    ExitCode::SUCCESS
}

fn kernel(name: &str) -> u64 {
    let world = World::new(Scene::Uniform, ROWS, 1);
    let columns = world.columns();
    let store: MovingBoxStore = (0..world.len()).map(|row| columns.get(row)).collect();
    let (many, one) = (store.checked(), columns.get(7));
    let level = level();
    match name {
        "sweep" => {
            let (mut first, mut last, mut contact) =
                (vec![0.0; ROWS], vec![0.0; ROWS], vec![Contact::default(); ROWS]);
            run(|| {
                let output =
                    SweepColumns { first: &mut first, last: &mut last, contact: &mut contact };
                sweep::one_to_many(level, &one, &many, output)
                    .expect("the columns are equally long");
                first.iter().map(|first| u64::from(first.to_bits())).sum()
            })
        }
        "overlap" => {
            let mut room = vec![0; ROWS];
            run(|| {
                let mut rows = Rows::new(&mut room);
                overlap::one_to_many(level, &one.aabb, &many, &mut rows).expect("there is room");
                rows.len() as u64
            })
        }
        "separate" => {
            let (mut depth, mut contact) = (vec![0.0; ROWS], vec![Contact::default(); ROWS]);
            run(|| {
                let output = SeparationColumns { depth: &mut depth, contact: &mut contact };
                separate::one_to_many(level, &one.aabb, &many, output).expect("equally long");
                depth.iter().map(|depth: &f32| u64::from(depth.to_bits())).sum()
            })
        }
        _ => {
            let mut room = vec![Hit::default(); ROWS];
            run(|| {
                let mut hits = Hits::new(&mut room);
                proximity::one_to_many(level, &one.aabb, 10.0, &many, &mut hits)
                    .expect("there is room");
                hits.iter().map(|hit| u64::from(hit.row)).sum()
            })
        }
    }
}

fn pairs(what: &str, scene: Scene, size: usize) -> u64 {
    let world = World::new(scene, size, 1);
    let columns = world.columns();
    match what {
        "union" | "swept" => {
            let mut finder = PairFinder::with_exec(exec());
            run(|| match what {
                "union" => {
                    finder.union_pairs(PairInput::new(columns)).expect("no limit").len() as u64
                }
                _ => finder.swept_pairs(PairInput::new(columns)).expect("no limit").len() as u64,
            })
        }
        _ => {
            let mut broadphase = Broadphase::with_exec(exec());
            let mut ids = Vec::new();
            let is_settled = what == "settled";
            let margin = if is_settled { 0.1 } else { 0.0 };
            let proxy = Proxy::dynamic().with_margin(margin);
            broadphase.insert_many(columns, proxy, &mut ids).expect("they fit");
            let moved = if is_settled { 100 } else { ids.len() };
            run(|| {
                let boxes: Vec<_> = (0..moved).map(|row| columns.get(row)).collect();
                broadphase.set_many(&ids[..moved], boxes.as_slice()).expect("all exist");
                broadphase.update().expect("no limit").touching().len() as u64
            })
        }
    }
}

fn query(name: &str) -> u64 {
    let world = World::new(Scene::Uniform, 10_000, 1);
    let columns = world.columns();
    let boxes: Vec<Aabb> = (0..world.len()).map(|row| columns.get(row).aabb).collect();
    let mut tree = Bvh::with_exec(exec());
    tree.build(boxes.as_slice()).expect("they fit");
    let segment = |aabb: &Aabb| Segment::new(aabb.min, [20.0, 10.0, -15.0]).expect("a segment");
    let segments: Vec<Segment> = boxes.iter().step_by(40).map(segment).collect();
    run(|| match name {
        "build" => {
            tree.build(boxes.as_slice()).expect("they fit");
            tree.len() as u64
        }
        "closest" => {
            let closest = |segment| tree.queries().cast(segment).expect("a segment").closest();
            segments.iter().filter_map(closest).map(|hit| u64::from(hit.row)).sum()
        }
        _ => {
            let mut rows = Vec::new();
            for aabb in boxes.iter().step_by(40) {
                tree.queries()
                    .overlap(&aabb.grown(2.0).expect("a box"))
                    .expect("a box")
                    .all(&mut rows);
            }
            rows.len() as u64
        }
    })
}

/// Searches first times of shapes and a mesh.
fn mesh(name: &str) -> u64 {
    let (mut terrain, hulls) = (Terrain::new(CELLS), Hulls::new(1));
    let thrown: Vec<_> = if name == "fine" {
        // Two units wide, so that thousands of triangles are below each shape.
        for vertex in &mut terrain.vertices {
            *vertex = vertex.map(|x| x / CELLS as f32);
        }
        fallen().collect()
    } else {
        let moves = if name == "spinning" { Moves::Spinning } else { Moves::Linear };
        let thrown = terrain.thrown(&hulls, moves, 200, 2).into_iter();
        thrown.map(|(form, motion)| (form.shape(&hulls), motion)).collect()
    };
    let mesh = Mesh::with_exec(&terrain.vertices[..], &terrain.triangles[..], exec());
    let mesh = mesh.expect("they fit");
    run(|| {
        let search = |(shape, motion): &(Shape<'_>, Motion)| {
            let (still, settings) = (Motion::default(), Settings::default());
            let found =
                mesh_toi::one_to_one(&(*shape).into(), motion, &(&mesh).into(), &still, &settings);
            u64::from(found.expect("valid").toi.rounds)
        };
        thrown.iter().map(search).sum()
    })
}

/// Shapes that fall on the middle of a mesh of two units, flat, tilted, and slowly rotating.
fn fallen() -> impl Iterator<Item = (Shape<'static>, Motion)> {
    let shapes = [Shape::cuboid([0.5; 3]), Shape::sphere(0.5), Shape::capsule(0.2, 0.3)];
    let tilts = [[0.0, 0.0], [0.02, -0.01], [1e-4, 0.0]];
    shapes.into_iter().flat_map(move |shape| {
        let shape = shape.expect("valid sizes");
        (0..6).map(move |k| {
            let [x, z] = tilts[k % 3];
            let pose = Pose::normalized([1.0, 1.0, 1.0 + 0.01 * k as f32], [x, 0.0, z, 1.0]);
            let falls = Motion::new(pose.expect("a pose"), [0.02, -1.0, 0.01]).expect("a motion");
            let spin = if k < 3 { [0.0; 3] } else { [0.01, 0.1, -0.02] };
            (shape, falls.spinning(spin).expect("a spin"))
        })
    })
}

/// Builds a mesh on a grid, where many triangles have equal coordinates.
fn build() -> u64 {
    let terrain = Terrain::new(CELLS);
    run(|| {
        let mesh = Mesh::with_exec(&terrain.vertices[..], &terrain.triangles[..], exec());
        mesh.expect("they fit").triangles().len() as u64
    })
}

fn convex(what: &str, class: &str) -> u64 {
    let hulls = Hulls::new(1);
    let moves = if what == "spinning" { Moves::Spinning } else { Moves::Linear };
    let (_, kind) =
        CLASSES.into_iter().find(|(name, _)| *name == class).expect("it is in the list");
    let meetings = meetings_of(kind, &hulls, moves, 200, 2);
    run(|| {
        let result = |meeting: &scenes::convex::Meeting<'_>| {
            let ([a, b], [of_a, of_b]) = (&meeting.shapes, &meeting.motions);
            if what == "distance" {
                let distance = gjk::distance(a, &of_a.pose, b, &of_b.pose).expect("valid");
                return u64::from(distance.distance.to_bits());
            }
            let toi = toi::one_to_one(a, of_a, b, of_b, &Settings::default()).expect("valid");
            u64::from(toi.rounds)
        };
        meetings.iter().map(result).sum()
    })
}
