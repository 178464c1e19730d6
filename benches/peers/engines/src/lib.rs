//! Distances, shape casts and times of impact of Box3D, Jolt and PhysX, and of FCL if its Debian package is installed, for
//! the programs of `swath-peers`. [`embree`] has segments among boxes.
//!
//! [`Work`] copies shapes and poses into the types of an engine, and then calls the engine for each row in a loop of C or C++, so a
//! call costs what it costs a user of the engine. The head of each file in `glue` lists the functions that are called.

pub mod embree;

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Box3d,
    Jolt,
    PhysX,
    /// The library of Debian.
    #[cfg(fcl)]
    Fcl,
}

/// All engines that this crate was built with.
pub const ENGINES: &[Engine] = &[
    Engine::Box3d,
    Engine::Jolt,
    Engine::PhysX,
    #[cfg(fcl)]
    Engine::Fcl,
];

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Box3d => "Box3D",
            Self::Jolt => "Jolt",
            Self::PhysX => "PhysX",
            #[cfg(fcl)]
            Self::Fcl => "FCL",
        }
    }

    /// The package that contains its sources.
    pub fn package(self) -> &'static str {
        match self {
            Self::Box3d => "boxddd-sys",
            Self::Jolt => "joltc-sys",
            Self::PhysX => "physx-sys",
            #[cfg(fcl)]
            Self::Fcl => "libfcl-dev",
        }
    }

    /// Whether it computes this for pairs.
    pub fn answers(self, question: Question) -> bool {
        question != Question::Rotation || self == Self::Box3d
    }

    /// Whether it sweeps shapes against meshes here.
    pub fn sweeps_meshes(self) -> bool {
        matches!(self, Self::Box3d | Self::Jolt | Self::PhysX)
    }
}

/// The version of a Debian package that this crate was built with.
pub fn debian_version(package: &str) -> Option<&'static str> {
    match package {
        "libembree-dev" => option_env!("PEER_EMBREE_VERSION"),
        "libfcl-dev" => option_env!("PEER_FCL_VERSION"),
        _ => None,
    }
}

/// What is computed for a pair. Only Box3D has [`Question::Rotation`] here.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The distance of the shapes at the start.
    Distance,
    /// The first time of the first shape, moved without rotation.
    Linear,
    /// The first time of shapes whose poses are interpolated.
    Rotation,
}

#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `size` is half of its lengths.
    Box,
    /// `size[0]` is its radius.
    Sphere,
    /// Along y; `size` is half of its height, without the ends, and its radius.
    Capsule,
    /// The row `hull` of the hulls.
    Hull,
}

/// A shape with its motion.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MovingShape {
    pub kind: Kind,
    pub hull: u32,
    pub size: [f32; 3],
    pub position: [f32; 3],
    pub rotation: [f32; 4],
    pub delta: [f32; 3],
    pub rotation_at_end: [f32; 4],
}

#[repr(C)]
struct PointSet {
    points: *const f32,
    count: usize,
}

#[repr(C)]
struct Input {
    hulls: *const PointSet,
    hull_count: usize,
    shapes: *const MovingShape,
    shape_count: usize,
    vertices: *const f32,
    vertex_count: usize,
    triangles: *const u32,
    triangle_count: usize,
}

macro_rules! declare {
    ($($new:ident $run:ident $free:ident)*) => {
        unsafe extern "C" {
            $(
                fn $new(input: *const Input) -> *mut c_void;
                fn $run(work: *const c_void, question: u32, from: usize, to: usize, out: *mut f32);
                fn $free(work: *mut c_void);
            )*
        }
    };
}

declare! {
    engine_box3d_new engine_box3d_run engine_box3d_free
    engine_jolt_new engine_jolt_run engine_jolt_free
    engine_physx_new engine_physx_run engine_physx_free
}

#[cfg(fcl)]
declare! { engine_fcl_new engine_fcl_run engine_fcl_free }

/// Held while an engine creates its shapes, because the first call of each initialises the engine.
static CREATING: Mutex<()> = Mutex::new(());

/// Shapes in the types of an engine.
#[derive(Debug)]
pub struct Work {
    engine: Engine,
    pointer: *mut c_void,
    rows: usize,
    against_mesh: bool,
    /// Engines may keep pointers to the thread that created them, so this is neither sent nor shared.
    not_send: PhantomData<*const ()>,
}

impl Work {
    /// Pairs: shapes `2·i` and `2·i + 1`. The second is at the origin and has no displacement.
    pub fn pairs(engine: Engine, hulls: &[Vec<[f32; 3]>], shapes: &[MovingShape]) -> Self {
        assert!(shapes.len().is_multiple_of(2), "a pair is two shapes");
        Self::new(engine, hulls, shapes, (&[], &[]))
    }

    /// Each shape and the triangles of a mesh that does not move.
    pub fn mesh(
        engine: Engine,
        hulls: &[Vec<[f32; 3]>],
        shapes: &[MovingShape],
        mesh: (&[[f32; 3]], &[[u32; 3]]),
    ) -> Self {
        assert!(!mesh.1.is_empty(), "a mesh has triangles");
        assert!(engine.sweeps_meshes(), "it sweeps no meshes");
        Self::new(engine, hulls, shapes, mesh)
    }

    fn new(
        engine: Engine,
        hulls: &[Vec<[f32; 3]>],
        shapes: &[MovingShape],
        (vertices, triangles): (&[[f32; 3]], &[[u32; 3]]),
    ) -> Self {
        let most = i32::MAX as usize;
        assert!(vertices.len() < most && triangles.len() < most / 3, "engines count with i32");
        assert!(triangles.iter().flatten().all(|&v| (v as usize) < vertices.len()), "a corner");
        assert!(hulls.iter().all(|hull| (4..=128).contains(&hull.len())), "points of a hull");
        let known =
            |shape: &MovingShape| shape.kind != Kind::Hull || (shape.hull as usize) < hulls.len();
        assert!(shapes.iter().all(known), "a row of the hulls");
        let sets: Vec<_> = hulls
            .iter()
            .map(|hull| PointSet { points: hull.as_flattened().as_ptr(), count: hull.len() })
            .collect();
        let input = Input {
            hulls: sets.as_ptr(),
            hull_count: sets.len(),
            shapes: shapes.as_ptr(),
            shape_count: shapes.len(),
            vertices: vertices.as_flattened().as_ptr(),
            vertex_count: vertices.len(),
            triangles: triangles.as_flattened().as_ptr(),
            triangle_count: triangles.len(),
        };
        let new = match engine {
            Engine::Box3d => engine_box3d_new,
            Engine::Jolt => engine_jolt_new,
            Engine::PhysX => engine_physx_new,
            #[cfg(fcl)]
            Engine::Fcl => engine_fcl_new,
        };
        let _one_at_a_time = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `input` has the layout of `Input` in `engines.h`. Its pointers are those of slices that live until the
        // end of this function, with their lengths, and the engine copies what it keeps. Rows of hulls and of vertices
        // exist, as asserted above, and `Kind` has the values of the header. No other thread runs an initialisation.
        let pointer = unsafe { new(&raw const input) };
        assert!(!pointer.is_null(), "{} cannot create a shape", engine.name());
        let against_mesh = !triangles.is_empty();
        let rows = if against_mesh { shapes.len() } else { shapes.len() / 2 };
        Self { engine, pointer, rows, against_mesh, not_send: PhantomData }
    }

    /// Writes a distance or a time for each of `rows`, infinity without a hit.
    pub fn run(&self, question: Question, rows: Range<usize>, out: &mut [f32]) {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows of this work");
        assert_eq!(rows.len(), out.len());
        assert!(question == Question::Linear || !self.against_mesh, "a mesh has linear casts only");
        assert!(self.engine.answers(question), "it does not answer this");
        let run = match self.engine {
            Engine::Box3d => engine_box3d_run,
            Engine::Jolt => engine_jolt_run,
            Engine::PhysX => engine_physx_run,
            #[cfg(fcl)]
            Engine::Fcl => engine_fcl_run,
        };
        // SAFETY: `pointer` is from `new` of the same engine and not freed before `drop`. The rows exist, and `out` has
        // room for one number for each. The values of `Question` are those of `engines.h`.
        unsafe { run(self.pointer, question as u32, rows.start, rows.end, out.as_mut_ptr()) };
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let free = match self.engine {
            Engine::Box3d => engine_box3d_free,
            Engine::Jolt => engine_jolt_free,
            Engine::PhysX => engine_physx_free,
            #[cfg(fcl)]
            Engine::Fcl => engine_fcl_free,
        };
        // SAFETY: `pointer` is from `new` of the same engine, and this is the only call that frees it.
        unsafe { free(self.pointer) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kind: Kind, position: [f32; 3], delta: [f32; 3]) -> MovingShape {
        let rotation = [0.0, 0.0, 0.0, 1.0];
        let size = [0.5; 3];
        MovingShape { kind, hull: 0, size, position, rotation, delta, rotation_at_end: rotation }
    }

    fn cube() -> Vec<[f32; 3]> {
        (0..8_u8)
            .map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.5 } else { -0.5 }))
            .collect()
    }

    /// The rotation of (1, 1, 1) to an axis along y.
    fn corner_along_y() -> [f32; 4] {
        let cos = 3.0_f32.sqrt().recip();
        let [half_sin, half_cos] = [1.0 - cos, 1.0 + cos].map(|double| (0.5 * double).sqrt());
        let x = half_sin * 0.5_f32.sqrt();
        [-x, 0.0, x, half_cos]
    }

    /// Goal: each engine gets the shapes, poses and motions that it is given. Method: shapes three apart that approach
    /// by four along y. The gap of two spheres is two, that of two capsules along y about one. A cube, and a hull that is
    /// one, has a corner in front, half a diagonal from its centre. All but the spheres are a little off the axis, because
    /// FCL's results are wrong for some pairs on an axis of symmetry.
    #[test]
    fn shapes_along_an_axis_touch_when_their_gap_closes() {
        let kinds = [Kind::Box, Kind::Sphere, Kind::Capsule, Kind::Hull];
        let shapes: Vec<_> = kinds
            .iter()
            .flat_map(|&kind| {
                let mut a = shape(kind, [0.0, -3.0, 0.0], [0.0, 4.0, 0.0]);
                if kind != Kind::Sphere {
                    a.position = [0.1, -3.0, 0.05];
                }
                if matches!(kind, Kind::Box | Kind::Hull) {
                    a.rotation = corner_along_y();
                    a.rotation_at_end = a.rotation;
                }
                [a, shape(kind, [0.0; 3], [0.0; 3])]
            })
            .collect();
        for &engine in ENGINES {
            let work = Work::pairs(engine, &[cube()], &shapes);
            let mut out = [0.0; 4];
            work.run(Question::Distance, 0..4, &mut out);
            let corner = 2.5 - 0.75_f32.sqrt();
            let off = 0.0125_f32;
            let expected = [corner, 2.0, (4.0 + off).sqrt() - 1.0, corner];
            assert!(
                out.iter().zip(expected).all(|(is, to_be)| (is - to_be).abs() < 1e-3),
                "{engine:?} {out:?}"
            );
            work.run(Question::Linear, 0..4, &mut out);
            let expected = [corner, 2.0, 2.0 - (1.0 - off).sqrt(), corner].map(|way| way / 4.0);
            assert!(
                out.iter().zip(expected).all(|(is, to_be)| (is - to_be).abs() < 5e-3),
                "{engine:?} {out:?}"
            );
            if engine.answers(Question::Rotation) {
                work.run(Question::Rotation, 0..4, &mut out);
                assert!(
                    out.iter().zip(expected).all(|(is, to_be)| (is - to_be).abs() < 1e-2),
                    "{out:?}"
                );
            }
        }
    }

    /// Goal: the same for a mesh. Method: a square of two triangles, hit after three quarters, and missed.
    #[test]
    fn shapes_above_a_square_hit_it() {
        let vertices = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [9.0, 0.0, 9.0], [-9.0, 0.0, 9.0]];
        let triangles = [[0, 2, 1], [0, 3, 2]];
        let fall = [0.0, -2.0, 0.0];
        let shapes =
            [Kind::Box, Kind::Sphere, Kind::Hull].map(|kind| shape(kind, [1.0, 2.0, 2.0], fall));
        let beside = shape(Kind::Box, [20.0, 2.0, 2.0], fall);
        let shapes: Vec<_> = shapes.into_iter().chain([beside]).collect();
        for &engine in ENGINES.iter().filter(|engine| engine.sweeps_meshes()) {
            let work = Work::mesh(engine, &[cube()], &shapes, (&vertices, &triangles));
            let mut out = [0.0; 4];
            work.run(Question::Linear, 0..4, &mut out);
            assert!(out[..3].iter().all(|is| (is - 0.75).abs() < 5e-3), "{engine:?} {out:?}");
            assert_eq!(out[3], f32::INFINITY, "{engine:?}");
        }
    }
}
