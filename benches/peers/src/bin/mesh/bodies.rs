//! The bodies that shapes are thrown at, for swath and for parry, and the times of their builds.
//!
//! | body | parts | swath | parry |
//! |---|---|---|---|
//! | mesh | the triangles of a terrain | `Mesh` | `TriMesh` |
//! | field | the same triangles, of which only the heights are stored | `HeightField` | `HeightField`, with the same diagonals |
//! | compound | hulls on a grid, one for each cell of a smaller terrain | `Compound` | `Compound` |

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use parry3d::math::{Pose as TheirPose, Vector};
use parry3d::shape::{Compound as TheirCompound, HeightField as TheirField, HeightFieldCellStatus};
use parry3d::shape::{SharedShape, TriMesh};
use parry3d::utils::Array2;
use scenes::convex::Hulls;
use scenes::mesh::{CELL, Terrain};
use swath::convex::{Hull, OwnedShape};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{Exec, Level, Pose, Shape, Threads};

use crate::Stop;

/// Repetitions of a build.
const BUILDS: usize = 9;

/// A terrain, and the same bodies for both libraries.
pub(crate) struct Bodies<'t> {
    pub(crate) terrain: &'t Terrain,
    mesh: Mesh<'t>,
    field: HeightField<'t>,
    their_mesh: TriMesh,
    their_field: TheirField,
}

/// A body for both libraries.
#[derive(Clone, Copy)]
pub(crate) struct Body<'b> {
    pub(crate) name: &'static str,
    pub(crate) parts: usize,
    pub(crate) ours: Geometry<'b>,
    pub(crate) theirs: &'b dyn parry3d::shape::Shape,
    pub(crate) their_pose: TheirPose,
}

impl<'t> Bodies<'t> {
    pub(crate) fn new(terrain: &'t Terrain) -> Result<Self, Stop> {
        let side = terrain.cells as usize + 1;
        let heights = heights(terrain);
        let mut their_field = their_field(terrain, &heights);
        for row in 0..side - 1 {
            for column in 0..side - 1 {
                let status = HeightFieldCellStatus::ZIGZAG_SUBDIVISION;
                their_field.set_cell_status(row, column, status);
            }
        }
        Ok(Self {
            terrain,
            mesh: our_mesh(terrain, Threads::current())?,
            field: HeightField::new(heights, [side as u32; 2], [CELL; 2])?,
            their_mesh: their_mesh(terrain)?,
            their_field,
        })
    }

    pub(crate) fn mesh(&self) -> Body<'_> {
        let parts = self.terrain.triangles.len();
        let (ours, theirs) = ((&self.mesh).into(), &self.their_mesh);
        Body { name: "mesh", parts, ours, theirs, their_pose: TheirPose::IDENTITY }
    }

    pub(crate) fn field(&self) -> Body<'_> {
        let parts = self.terrain.triangles.len();
        let (ours, theirs) = ((&self.field).into(), &self.their_field);
        // A field of theirs is around the origin.
        let half = 0.5 * CELL * self.terrain.cells as f32;
        let their_pose = TheirPose::from_translation(Vector::new(half, 0.0, half));
        Body { name: "field", parts, ours, theirs, their_pose }
    }
}

pub(crate) fn compound<'b>(ours: &'b Compound, theirs: &'b TheirCompound) -> Body<'b> {
    let parts = ours.parts().len();
    Body { name: "compound", parts, ours: ours.into(), theirs, their_pose: TheirPose::IDENTITY }
}

/// Returns a part as a shape, and its pose.
pub(crate) fn part<'b>(body: &Geometry<'b>, number: u32) -> Result<(Shape<'b>, Pose), Stop> {
    let triangle = |corners: Option<[[f32; 3]; 3]>| {
        Ok((Shape::triangle(corners.ok_or("no such triangle")?)?, Pose::IDENTITY))
    };
    match body {
        Geometry::Mesh(mesh) => triangle(mesh.corners(number)),
        Geometry::HeightField(field) => triangle(field.corners(number)),
        Geometry::Compound(compound) => {
            let (shape, pose) = &compound.parts()[number as usize];
            Ok((shape.shape(), *pose))
        }
        _ => Err("a body without parts".into()),
    }
}

/// The parts of a compound: a hull below each vertex of a terrain, except for its last row and column.
pub(crate) struct Rocks {
    /// The number of the hull and the pose of each part.
    parts: Vec<(usize, Pose)>,
    ours: Vec<Arc<Hull>>,
    theirs: Vec<SharedShape>,
}

impl Rocks {
    pub(crate) fn new(
        terrain: &Terrain,
        hulls: &Hulls,
        theirs: &[SharedShape],
    ) -> Result<Self, Stop> {
        let row = terrain.cells + 1;
        let inside = |k: &u32| k % row < terrain.cells && k / row < terrain.cells;
        let rock = |k: u32| {
            let [x, y, z] = terrain.vertices[k as usize];
            Ok((k as usize % hulls.0.len(), Pose::at([x, y - 1.0, z])?))
        };
        let parts: Result<_, Stop> = (0..row * row).filter(inside).map(rock).collect();
        let ours = hulls.0.iter().cloned().map(Arc::new).collect();
        Ok(Self { parts: parts?, ours, theirs: theirs.to_vec() })
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn ours(&self) -> Result<Compound, Stop> {
        let part =
            |&(hull, pose): &(usize, Pose)| (OwnedShape::hull(self.ours[hull].clone()), pose);
        Ok(Compound::new(self.parts.iter().map(part))?)
    }

    pub(crate) fn theirs(&self) -> TheirCompound {
        let part = |&(hull, pose): &(usize, Pose)| {
            let [x, y, z] = pose.position;
            (TheirPose::from_translation(Vector::new(x, y, z)), self.theirs[hull].clone())
        };
        TheirCompound::new(self.parts.iter().map(part).collect())
    }
}

fn heights(terrain: &Terrain) -> Vec<f32> {
    terrain.vertices.iter().map(|vertex| vertex[1]).collect()
}

fn our_mesh(terrain: &Terrain, threads: Threads) -> Result<Mesh<'_>, Stop> {
    let exec = Exec { threads, ..Level::detect().into() };
    Ok(Mesh::with_exec(&terrain.vertices[..], &terrain.triangles[..], exec)?)
}

fn their_mesh(terrain: &Terrain) -> Result<TriMesh, Stop> {
    let points = terrain.vertices.iter().copied().map(Vector::from_array).collect();
    Ok(TriMesh::new(points, terrain.triangles.clone())?)
}

fn their_field(terrain: &Terrain, heights: &[f32]) -> TheirField {
    let side = terrain.cells as usize + 1;
    let length = CELL * terrain.cells as f32;
    // Columns of the matrix are along x, and its rows, which are consecutive in memory, along z.
    let turned = (0..side * side).map(|k| heights[k / side + k % side * side]).collect();
    TheirField::new(Array2::new(side, side, turned), Vector::new(length, 1.0, length))
}

/// Returns the lines of the table of builds: the median of the wall time for a part.
pub(crate) fn builds(terrain: &Terrain, rocks: &Rocks) -> Result<Vec<String>, Stop> {
    let mut lines = vec!["body,system,threads,parts,wall_ns".to_owned()];
    let (triangles, parts) = (terrain.triangles.len(), rocks.len());
    let heights = heights(terrain);
    let samples = [terrain.cells + 1; 2];
    type Build<'b> = Box<dyn Fn() -> Result<(), Stop> + 'b>;
    let builds: [(&str, &str, usize, usize, Build<'_>); 6] = [
        ("mesh", "swath", 1, triangles, {
            Box::new(|| Ok(drop(black_box(our_mesh(terrain, Threads::one())?))))
        }),
        ("mesh", "swath", rayon::current_num_threads(), triangles, {
            Box::new(|| Ok(drop(black_box(our_mesh(terrain, Threads::current())?))))
        }),
        ("mesh", "parry", 1, triangles, Box::new(|| Ok(drop(black_box(their_mesh(terrain)?))))),
        ("field", "swath", rayon::current_num_threads(), triangles, {
            Box::new(|| Ok(drop(black_box(HeightField::new(&heights[..], samples, [CELL; 2])?))))
        }),
        ("compound", "swath", 1, parts, Box::new(|| Ok(drop(black_box(rocks.ours()?))))),
        ("compound", "parry", 1, parts, Box::new(|| Ok(drop(black_box(rocks.theirs()))))),
    ];
    for (body, system, threads, parts, build) in builds {
        let mut times = Vec::new();
        for _ in 0..BUILDS {
            let clock = Instant::now();
            build()?;
            times.push(clock.elapsed());
        }
        times.sort_unstable();
        let nanoseconds = times[BUILDS / 2].as_secs_f64() / parts as f64 * 1e9;
        lines.push(format!("{body},{system},{threads},{parts},{nanoseconds:.1}"));
    }
    Ok(lines)
}
