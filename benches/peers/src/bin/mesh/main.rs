//! Times first times of convex shapes and bodies with parts with swath and others, and compares the results. The bodies are
//! a mesh and a height field of a million triangles, and a compound (`bodies.rs`).
//!
//! See `README.md` of this crate. All compute the same searches in the same run and thread, in blocks, alternating. A time
//! is the sum over the blocks of the median of the repetitions: CPU time of the thread. Without the feature `engines`
//! there are only swath and parry.
//!
//! | question | swath | parry | Box3D, Jolt, PhysX |
//! |---|---|---|---|
//! | linear | `mesh::toi::one_to_one` | `query::cast_shapes` | see the files in `engines/glue` |
//! | spinning | `mesh::toi::one_to_one` | `query::cast_shapes_nonlinear`, constant rates as ours; not for a height field | no such function |
//!
//! The three engines have meshes only here.
//!
//! The distances of these shapes at rest are compared too (`distances.rs`): `Geometry::distance` and `query::distance`.
//!
//! The builds of the bodies are timed one after the other: a time is the median of the wall time.
//!
//! A result of another system is *late* if it is after that of swath by more than the time in which the two approach by
//! 1e-3 of a unit, and *missed* if swath has an impact and it has none. Times of swath are never late (`tests/meshes`), and
//! the distance at the time of each is checked here. There are no cylinders, which Box3D and PhysX do not have.

use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use clap::Parser;
use cpu_time::ThreadTime;
use parry3d::math::Vector;
use parry3d::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d::shape::SharedShape;
use peers::time::{Call, alternately};
use scenes::convex::{Form, Hulls, Moves};
use scenes::mesh::Terrain;
use swath::convex::gjk;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Geometry, toi};
use swath::{Motion, Shape};

mod bodies;
mod distances;

use bodies::{Bodies, Body, Rocks};

type Stop = Box<dyn Error + Send + Sync>;

/// Searches that one system computes before the next one does.
const BLOCK: usize = 250;
const REPEATS: usize = 5;

/// Times swath and others on the same convex shapes and bodies, and writes `peers_mesh.csv`, `peers_mesh_build.csv` and `peers_mesh_distance.csv`.
#[derive(Debug, Parser)]
struct Args {
    /// Folder for the files; without it the tables are only printed.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Page whose table is replaced by that of this run.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Number of shapes.
    #[arg(long, default_value_t = 5_000)]
    shapes: usize,
    /// Number of cells along a side of the terrain; a cell is two triangles.
    #[arg(long, default_value_t = 708)]
    cells: u32,
    /// Number of cells along a side of the compound; a cell is a hull.
    #[arg(long, default_value_t = 32)]
    rocks: u32,
}

/// A shape in the form that swath and parry need.
struct Thrown<'h> {
    shape: Shape<'h>,
    motion: Motion,
    theirs: SharedShape,
    moving: NonlinearRigidMotion,
}

fn ours(of: &Thrown<'_>, body: &Body<'_>) -> toi::PartToi {
    let settings = Settings { touch: Touch::Hit, ..Settings::default() };
    let (shape, still) = (Geometry::from(of.shape), Motion::default());
    black_box(toi::one_to_one(&shape, &of.motion, &body.ours, &still, &settings)).expect("valid")
}

/// The time of an impact; infinity without one.
fn first(of: &Thrown<'_>, body: &Body<'_>) -> f32 {
    match ours(of, body).toi.result {
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
        ToiResult::Overlapping { .. } => 0.0,
        _ => f32::INFINITY,
    }
}

/// The same by parry, or `None` if it has no function for these shapes.
fn theirs(of: &Thrown<'_>, body: &Body<'_>, moves: Moves) -> Option<f32> {
    let (shape, at) = (body.theirs, &body.their_pose);
    let hit = if moves == Moves::Linear {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let (from, by) = (&of.moving.start, of.moving.linvel);
        query::cast_shapes(from, by, &*of.theirs, at, Vector::ZERO, shape, options)
    } else {
        let still = NonlinearRigidMotion::new(*at, Vector::ZERO, Vector::ZERO, Vector::ZERO);
        query::cast_shapes_nonlinear(&of.moving, &*of.theirs, &still, shape, 0.0, 1.0, true)
    };
    black_box(hit).ok().map(|hit| hit.map_or(f32::INFINITY, |hit| hit.time_of_impact))
}

/// The numbers of hits, late and missed results, by comparison with swath.
fn judged(all: &[Thrown<'_>], body: &Body<'_>, times: &[f32]) -> Result<[usize; 3], Stop> {
    let (mut late, mut missed) = (0, 0);
    for (of, &theirs) in all.iter().zip(times) {
        let found = ours(of, body);
        let ToiResult::Impact { t, closing, .. } = found.toi.result else { continue };
        let (part, pose) = bodies::part(&body.ours, found.parts[1])?;
        let far = gjk::distance(&of.shape, &of.motion.at(t), &part, &pose);
        assert!(far?.distance < 1e-3, "{found:?}");
        missed += usize::from(theirs == f32::INFINITY);
        late += usize::from(theirs != f32::INFINITY && (theirs - t) * closing > 1e-3);
    }
    let hits = times.iter().filter(|&&time| time != f32::INFINITY).count();
    Ok([hits, late, missed])
}

/// Appends the lines of a body to a table. The shapes are thrown at `terrain`.
fn compare(
    body: &Body<'_>,
    (terrain, count): (&Terrain, usize),
    (hulls, their_hulls): (&Hulls, &[SharedShape]),
    lines: &mut Vec<String>,
) -> Result<(), Stop> {
    for moves in [Moves::Linear, Moves::Spinning] {
        let mut bodies = terrain.thrown(hulls, moves, count, 2);
        bodies.retain(|(form, _)| !matches!(form, Form::Cylinder { .. }));
        let thrown = |&(form, motion): &(Form, Motion)| Thrown {
            shape: form.shape(hulls),
            motion,
            theirs: peers::parry::shape(form, their_hulls),
            moving: peers::parry::motion(&motion),
        };
        let all: Vec<_> = bodies.iter().map(thrown).collect();
        let swath = |rows: Range<usize>, out: &mut [f32]| {
            all[rows].iter().zip(out).for_each(|(of, out)| *out = first(of, body));
        };
        let parry = |rows: Range<usize>, out: &mut [f32]| {
            for (of, out) in all[rows].iter().zip(out) {
                *out = theirs(of, body, moves).expect("it is supported");
            }
        };
        let engines = match (body.ours, moves) {
            (Geometry::Mesh(mesh), Moves::Linear) => {
                peers::engines::of_mesh(hulls, &bodies, (mesh.vertices(), mesh.triangles()))
            }
            _ => Vec::new(),
        };
        let mut systems: Vec<(&str, Call<'_, f32>)> = vec![("swath", &swath)];
        if all.first().is_some_and(|of| theirs(of, body, moves).is_some()) {
            systems.push(("parry", &parry));
        }
        systems.extend(engines.iter().map(|of| (of.name, of.call())));
        let calls: Vec<_> = systems.iter().map(|system| system.1).collect();
        let clock = (ThreadTime::now, ThreadTime::elapsed);
        let timed = alternately(&calls, all.len(), (BLOCK, REPEATS), clock);
        for ((system, _), (total, times)) in systems.iter().zip(timed) {
            let nanoseconds = total.as_secs_f64() / all.len() as f64 * 1e9;
            let [hits, late, missed] = judged(&all, body, &times)?;
            let (name, motion) = (body.name, format!("{moves:?}").to_lowercase());
            let (shapes, parts) = (all.len(), body.parts);
            lines.push(format!(
                "{name},{motion},{system},{nanoseconds:.0},{shapes},{parts},{hits},{late},{missed}"
            ));
        }
    }
    Ok(())
}

fn main() -> Result<(), Stop> {
    let args = Args::parse();
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder)?;
    }
    let hulls = Hulls::new(1);
    let their_hulls = peers::parry::hulls(&hulls);
    let forms = (&hulls, &their_hulls[..]);
    let [terrain, small] = [args.cells, args.rocks].map(Terrain::new);
    let rocks = Rocks::new(&small, &hulls, &their_hulls)?;
    let builds = bodies::builds(&terrain, &rocks)?;
    let mut lines = vec!["body,motion,system,ns,shapes,parts,hits,late,missed".to_owned()];
    let mut distances = vec!["body,shapes,where,system,ns,count,parts,different".to_owned()];
    let bodies = Bodies::new(&terrain)?;
    for body in [bodies.mesh(), bodies.field()] {
        compare(&body, (&terrain, args.shapes), forms, &mut lines)?;
        distances::compare(&body, (&terrain, args.shapes), forms, &mut distances);
    }
    let (ours, theirs) = (rocks.ours()?, rocks.theirs());
    let compound = bodies::compound(&ours, &theirs);
    compare(&compound, (&small, args.shapes), forms, &mut lines)?;
    distances::compare(&compound, (&small, args.shapes), forms, &mut distances);
    let tables = [
        ("peers_mesh", &lines),
        ("peers_mesh_build", &builds),
        ("peers_mesh_distance", &distances),
    ];
    for (name, lines) in tables {
        let text = lines.join("\n") + "\n";
        print!("{text}");
        if let Some(folder) = &args.out {
            File::create(folder.join(name).with_extension("csv"))?.write_all(text.as_bytes())?;
        }
    }
    if let Some(page) = args.page {
        let cells = |line: &String| format!("| {} |\n", line.replace(',', " | "));
        let mut table: Vec<_> = lines.iter().map(cells).collect();
        table.insert(1, format!("{}|\n", "|---".repeat(lines[0].split(',').count())));
        peers::page::fill(&page, "mesh", &table.concat())?;
    }
    Ok(())
}
