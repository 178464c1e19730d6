//! Times first times of convex shapes and a mesh of a million triangles with swath and parry, and compares the results.
//!
//! See `README.md` of this crate. Both compute the same searches in the same run, in blocks, alternating. A time is the sum
//! over the blocks of the median of the repetitions: CPU time of the thread.
//!
//! | question | swath | parry |
//! |---|---|---|
//! | linear | `mesh::toi::one_to_one` | `query::cast_shapes` |
//! | spinning | `mesh::toi::one_to_one` | `query::cast_shapes_nonlinear`, constant rates as ours |
//!
//! A result of parry is *late* if it is after that of swath by more than the time in which the two approach by 1e-3 of a
//! unit, and *missed* if swath has an impact and parry has none. Times of swath are never late (`tests/meshes`), and the
//! distance at the time of each is checked here.

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use cpu_time::ThreadTime;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d::shape::{SharedShape, TriMesh};
use scenes::convex::{Form, Hulls, Moves};
use scenes::mesh::Terrain;
use swath::convex::gjk;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Geometry, Mesh, toi};
use swath::{Motion, Shape};

/// Searches that one system computes before the other one does.
const BLOCK: usize = 250;
const REPEATS: usize = 5;

/// Times swath and parry on the same convex shapes and mesh, and writes `mesh.csv`.
#[derive(Debug, Parser)]
struct Args {
    /// Folder for `mesh.csv`; without it the table is only printed.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Number of shapes.
    #[arg(long, default_value_t = 5_000)]
    shapes: usize,
    /// Number of cells along a side of the terrain; a cell is two triangles.
    #[arg(long, default_value_t = 708)]
    cells: u32,
}

/// A shape in the form that each system needs.
struct Thrown<'h> {
    shape: Shape<'h>,
    motion: Motion,
    theirs: SharedShape,
    moving: NonlinearRigidMotion,
}

fn thrown(form: Form, motion: Motion, hulls: &Hulls) -> Thrown<'_> {
    let theirs = match form {
        Form::Cuboid([x, y, z]) => SharedShape::cuboid(x, y, z),
        Form::Sphere(radius) => SharedShape::ball(radius),
        Form::Capsule { half_height, radius } => SharedShape::capsule_y(half_height, radius),
        Form::Cylinder { half_height, radius } => SharedShape::cylinder(half_height, radius),
        Form::Hull(row) => {
            let points: Vec<_> = hulls.0[row].vertices().map(Vector::from_array).collect();
            SharedShape::convex_hull(&points).expect("a hull has an inside")
        }
    };
    let rotation = Rotation::from_array(motion.pose.rotation).normalize();
    let pose = Pose::from_parts(Vector::from_array(motion.pose.position), rotation);
    let [along, spin] = [motion.delta, motion.spin].map(Vector::from_array);
    let moving = NonlinearRigidMotion::new(pose, Vector::ZERO, along, spin);
    Thrown { shape: form.shape(hulls), motion, theirs, moving }
}

fn ours(of: &Thrown<'_>, mesh: &Mesh<'_>) -> toi::PartToi {
    let settings = Settings { touch: Touch::Hit, ..Settings::default() };
    let (shape, still) = (Geometry::from(of.shape), Motion::default());
    toi::one_to_one(&shape, &of.motion, &mesh.into(), &still, &settings).expect("valid")
}

fn theirs(of: &Thrown<'_>, mesh: &TriMesh, moves: Moves) -> Option<f32> {
    if moves == Moves::Linear {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let (at, by) = (&of.moving.start, of.moving.linvel);
        let still = (Pose::IDENTITY, Vector::ZERO);
        let hit = query::cast_shapes(at, by, &*of.theirs, &still.0, still.1, mesh, options);
        return hit.expect("it is supported").map(|hit| hit.time_of_impact);
    }
    let still = NonlinearRigidMotion::new(Pose::IDENTITY, Vector::ZERO, Vector::ZERO, Vector::ZERO);
    let hit = query::cast_shapes_nonlinear(&of.moving, &*of.theirs, &still, mesh, 0.0, 1.0, true);
    hit.expect("it is supported").map(|hit| hit.time_of_impact)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let hulls = Hulls::new(1);
    let terrain = Terrain::new(args.cells);
    let mesh = Mesh::new(&terrain.vertices[..], &terrain.triangles[..])?;
    let points = terrain.vertices.iter().copied().map(Vector::from_array).collect();
    let their_mesh = TriMesh::new(points, terrain.triangles.clone())?;
    let mut lines = vec!["motion,system,ns,shapes,triangles,hits,late,missed".to_owned()];
    for moves in [Moves::Linear, Moves::Spinning] {
        let all = terrain.thrown(&hulls, moves, args.shapes, 2);
        let all: Vec<_> =
            all.into_iter().map(|(form, motion)| thrown(form, motion, &hulls)).collect();
        let mut total = [Duration::ZERO; 2];
        let (mut hits, mut late, mut missed) = ([0; 2], 0, 0);
        for block in all.chunks(BLOCK) {
            let mut times = [Vec::new(), Vec::new()];
            for _ in 0..REPEATS {
                let start = ThreadTime::now();
                for of in block {
                    black_box(ours(of, &mesh));
                }
                times[0].push(start.elapsed());
                let start = ThreadTime::now();
                for of in block {
                    black_box(theirs(of, &their_mesh, moves));
                }
                times[1].push(start.elapsed());
            }
            for (total, times) in total.iter_mut().zip(&mut times) {
                times.sort_unstable();
                *total += times[REPEATS / 2];
            }
            for of in block {
                let found = ours(of, &mesh);
                let their_time = theirs(of, &their_mesh, moves);
                hits[1] += usize::from(their_time.is_some());
                let ToiResult::Impact { t, closing, .. } = found.toi.result else { continue };
                hits[0] += 1;
                let corners = mesh.corners(found.parts[1]).expect("it was hit");
                let triangle = Shape::triangle(corners)?;
                let far =
                    gjk::distance(&of.shape, &of.motion.at(t), &triangle, &Default::default());
                assert!(far?.distance < 1e-3, "{found:?}");
                match their_time {
                    None => missed += 1,
                    Some(theirs) => late += usize::from((theirs - t) * closing > 1e-3),
                }
            }
        }
        let wrong = [(0, 0), (late, missed)];
        for (k, system) in ["swath", "parry"].into_iter().enumerate() {
            let nanoseconds = total[k].as_secs_f64() / all.len() as f64 * 1e9;
            let (late, missed) = wrong[k];
            lines.push(format!(
                "{},{system},{nanoseconds:.0},{},{},{},{late},{missed}",
                format!("{moves:?}").to_lowercase(),
                all.len(),
                terrain.triangles.len(),
                hits[k],
            ));
        }
    }
    let text = lines.join("\n") + "\n";
    print!("{text}");
    if let Some(folder) = args.out {
        File::create(folder.join("mesh.csv"))?.write_all(text.as_bytes())?;
    }
    Ok(())
}
