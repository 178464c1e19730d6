//! Shapes: convex ones, compounds of them, meshes of triangles, and height fields.

use crate::border::{array, borrow, out, shared, write_boxed};
use crate::boxes::{flag, swath_vectors};
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::exec::{build, swath_exec};
use crate::values::{swath_aabb, swath_moving_box, swath_segment};
use crate::workers::Workers;
use bytemuck::{Pod, Zeroable};
use std::mem::MaybeUninit;
use swath::convex::{ConvexCast, Hull, OwnedShape};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, PartCast};
use swath::{Motion, Pose, Segment, Shape};

/// Position and rotation of a body. `swath_pose_at` creates one without rotation. A structure of zeros is not valid: its quaternion is zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_pose {
    /// The position of the origin of the shape, about which it rotates.
    pub position: [f32; 3],
    /// A unit quaternion: x, y, z, w. The sum of its squares is 1, or differs from it by at most 2 to the power of -10.
    pub rotation: [f32; 4],
}

/// A pose and how it changes over the tick: at `t` the position is `position + delta * t + accel * t * t / 2`, and the rotation
/// is that by `spin * t`, applied after `rotation`. `swath_motion_at` creates one at rest, and `swath_motion_pose_at` returns the pose at a time. A
/// structure of zeros is not valid: its quaternion is zero.
///
/// A link that rotates about a joint moves on an arc, but a motion is a straight line with a constant spin: put the origin on the axis of the
/// joint, or add the deviation to the target distance.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_motion {
    /// The pose at the start of the tick.
    pub pose: swath_pose,
    /// The displacement over the tick without the acceleration.
    pub delta: [f32; 3],
    /// The acceleration, in length per tick squared.
    pub accel: [f32; 3],
    /// The rotation over the tick, in the axes of the world: its direction is the axis (right-handed), and its length is the angle in radians, at
    /// most 1024.
    pub spin: [f32; 3],
}

const _: () = assert!(size_of::<swath_pose>() == size_of::<Pose>());
const _: () = assert!(size_of::<swath_motion>() == size_of::<Motion>());

/// Writes the pose of a motion at `t`, a fraction of the tick, which is clamped to 0 to 1. An invalid motion is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_motion_pose_at(
    motion: *const swath_motion,
    t: f32,
    pose: *mut swath_pose,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (motion, to) = unsafe { (borrow(motion, "motion")?, out(pose, "pose")?) };
        let motion: Motion = bytemuck::cast(*motion);
        motion.validate().map_err(|error| Failure::from(error).of("motion"))?;
        to.write(bytemuck::cast(motion.at(t)));
        Ok(())
    })
}

/// What a shape is.
pub(crate) enum Kind {
    Convex(OwnedShape),
    Compound(Compound),
    Mesh(Mesh<'static>),
    HeightField(HeightField<'static>),
}

/// A shape, which does not change: a convex one, a compound of convex ones, a mesh, or a height field. Several threads may use it at
/// the same time.
pub struct swath_shape(Kind);

shared!(swath_shape);

impl swath_shape {
    pub(crate) fn convex(&self, name: &str) -> Outcome<Shape<'_>> {
        match &self.0 {
            Kind::Convex(shape) => Ok(shape.shape()),
            _ => {
                Err(Failure::argument(format!("{name}: expected a convex shape, which it is not")))
            }
        }
    }

    pub(crate) fn is_convex(&self) -> bool {
        matches!(self.0, Kind::Convex(_))
    }

    pub(crate) fn geometry(&self) -> Geometry<'_> {
        match &self.0 {
            Kind::Convex(shape) => shape.shape().into(),
            Kind::Compound(compound) => compound.into(),
            Kind::Mesh(mesh) => mesh.into(),
            Kind::HeightField(field) => field.into(),
        }
    }

    fn owned(&self, name: &str) -> Outcome<&OwnedShape> {
        match &self.0 {
            Kind::Convex(shape) => Ok(shape),
            _ => {
                Err(Failure::argument(format!("{name}: expected a convex shape, which it is not")))
            }
        }
    }
}

/// Moves a shape to the heap.
fn write_shape(kind: Kind, to: &mut MaybeUninit<*mut swath_shape>) -> Outcome {
    write_boxed(swath_shape(kind), to);
    Ok(())
}

fn write_convex(shape: impl Into<OwnedShape>, to: &mut MaybeUninit<*mut swath_shape>) -> Outcome {
    write_shape(Kind::Convex(shape.into()), to)
}

/// Reads three floats.
///
/// # Safety
///
/// As the header states for the pointer.
unsafe fn vector(pointer: *const f32, name: &str) -> Outcome<[f32; 3]> {
    // SAFETY: the caller promises it.
    let numbers: &[f32] = unsafe { array(pointer, 3, name) }?;
    Ok([numbers[0], numbers[1], numbers[2]])
}

/// Destroys a shape; NULL is ignored. Compounds keep copies of their parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_destroy(shape: *mut swath_shape) {
    guard(|| {
        if !shape.is_null() && shape.is_aligned() {
            // SAFETY: `write_boxed` moved the shape to the heap, and the caller has no further use for the pointer.
            drop(unsafe { Box::from_raw(shape) });
        }
        Ok(())
    });
}

/// Creates a point at the origin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_point(shape: *mut *mut swath_shape) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| write_convex(Shape::point(), unsafe { out(shape, "shape") }?))
}

/// Creates a ball.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_sphere(
    radius: f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| write_convex(Shape::sphere(radius)?, unsafe { out(shape, "shape") }?))
}

/// Creates a box with these half extents: three floats, of which any may be zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_cuboid(
    half_extents: *const f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (half, to) = unsafe { (vector(half_extents, "half_extents")?, out(shape, "shape")?) };
        write_convex(Shape::cuboid(half)?, to)
    })
}

/// Creates a segment along y from `-half_height` to `half_height`, rounded by `radius`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_capsule(
    half_height: f32,
    radius: f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| write_convex(Shape::capsule(half_height, radius)?, unsafe { out(shape, "shape") }?))
}

/// Creates a cylinder along y from `-half_height` to `half_height`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_cylinder(
    half_height: f32,
    radius: f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| write_convex(Shape::cylinder(half_height, radius)?, unsafe { out(shape, "shape") }?))
}

/// Creates a cone along y, with its disc at `-half_height` and its tip at `half_height`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_cone(
    half_height: f32,
    radius: f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| write_convex(Shape::cone(half_height, radius)?, unsafe { out(shape, "shape") }?))
}

/// Creates the segment between two points, of three floats each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_segment(
    a: *const f32,
    b: *const f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (a, b, to) = unsafe { (vector(a, "a")?, vector(b, "b")?, out(shape, "shape")?) };
        write_convex(Shape::segment(a, b)?, to)
    })
}

/// Creates a triangle, of which the corners are three floats each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_triangle(
    a: *const f32,
    b: *const f32,
    c: *const f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (corners, to) =
            unsafe { ([vector(a, "a")?, vector(b, "b")?, vector(c, "c")?], out(shape, "shape")?) };
        write_convex(Shape::triangle(corners)?, to)
    })
}

/// Creates the convex hull of points, which are copied.
///
/// `points`: rows of `count` points; columns are not possible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_hull(
    points: swath_vectors,
    count: usize,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let to = unsafe { out(shape, "shape") }?;
        // SAFETY: as above.
        let points = unsafe { copied(&points, count, "points") }?;
        write_convex(OwnedShape::hull(Hull::new(points)?), to)
    })
}

/// Copies vectors.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn copied(vectors: &swath_vectors, count: usize, name: &str) -> Outcome<Vec<[f32; 3]>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if vectors.are_columns() {
        let message = "expected rows, as of `swath_rows`; columns are not possible in this call";
        return Err(Failure::argument(format!("{name}: {message}")));
    }
    // SAFETY: the caller promises it.
    let rows = unsafe { vectors.rows(count, name) }?;
    Ok((0..count).map(|row| rows.get(row)).collect())
}

/// Creates the shape of all points that are at most `radius` from a convex shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_rounded(
    of: *const swath_shape,
    radius: f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (of, to) = unsafe { (borrow(of, "of")?, out(shape, "shape")?) };
        write_convex(of.owned("of")?.rounded(radius)?, to)
    })
}

/// Creates a convex shape scaled on each of its axes by `factors`: three floats, which are equal if the shape is rounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_scaled(
    of: *const swath_shape,
    factors: *const f32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (of, factors, to) =
            unsafe { (borrow(of, "of")?, vector(factors, "factors")?, out(shape, "shape")?) };
        write_convex(of.owned("of")?.scaled(factors)?, to)
    })
}

/// Creates a compound of convex shapes, each at a pose in the axes of the body.
///
/// `parts`, `poses`: `count` shapes, and as many poses. With none, the shape touches nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_compound(
    parts: *const *const swath_shape,
    poses: *const swath_pose,
    count: usize,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (parts, poses, to) = unsafe {
            (shapes(parts, count, "parts")?, array(poses, count, "poses")?, out(shape, "shape")?)
        };
        Workers::shared().check()?;
        let mut placed = Vec::with_capacity(count);
        for (part, &pose) in parts.iter().zip(poses) {
            placed.push((part.owned("parts")?.clone(), bytemuck::cast::<_, Pose>(pose)));
        }
        write_shape(Kind::Compound(Compound::new(placed)?), to)
    })
}

/// Borrows an array of pointers to shapes.
///
/// # Safety
///
/// As the header states for the pointers.
pub(crate) unsafe fn shapes<'a>(
    pointers: *const *const swath_shape,
    count: usize,
    name: &str,
) -> Outcome<Vec<&'a swath_shape>> {
    // SAFETY: the caller promises it.
    let pointers: &[*const swath_shape] = unsafe { array(pointers, count, name) }?;
    // SAFETY: as above.
    pointers.iter().map(|&pointer| unsafe { borrow(pointer, name) }).collect()
}

/// Creates a mesh of triangles. The arrays are copied. A mesh has no inside: a body within a closed mesh does not touch it.
///
/// `vertices`: rows of `vertex_count` points; columns are not possible.
/// `triangles`: three indices of vertices for each of `triangle_count` triangles, counter-clockwise if seen from the front.
/// `one_sided`: 1 if only the front of a triangle counts, else 0.
/// `exec_of`: the threads of the build, or NULL. If `threads` is more than one, new threads are started, and end with the build.
///
/// Triangles with an invalid index or number are left out; `swath_shape_rejected` counts them. A mesh without triangles touches nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_mesh(
    vertices: swath_vectors,
    vertex_count: usize,
    triangles: *const u32,
    triangle_count: usize,
    one_sided: i32,
    exec_of: *const swath_exec,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        let one_sided = flag(one_sided, "one_sided")?;
        let Some(indices) = triangle_count.checked_mul(3) else {
            return Err(Failure::argument("triangles: more than memory has"));
        };
        // SAFETY: the caller keeps the rules of the header.
        let (triangles, to) =
            unsafe { (array::<u32>(triangles, indices, "triangles")?, out(shape, "shape")?) };
        // SAFETY: as above.
        let vertices = unsafe { copied(&vertices, vertex_count, "vertices") }?;
        let (triangles, _) = triangles.as_chunks();
        let triangles = triangles.to_vec();
        // SAFETY: as above.
        let mesh = unsafe { build(exec_of, |exec| Mesh::with_exec(vertices, triangles, exec)) }??;
        write_shape(Kind::Mesh(if one_sided { mesh.one_sided() } else { mesh }), to)
    })
}

/// Writes the number of triangles of a mesh that were left out because they are invalid; zero for other shapes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_rejected(
    shape: *const swath_shape,
    count: *mut usize,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (shape, count) = unsafe { (borrow(shape, "shape")?, out(count, "count")?) };
        count.write(if let Kind::Mesh(mesh) = &shape.0 { mesh.rejected().len() } else { 0 });
        Ok(())
    })
}

/// Creates a terrain: heights along y over a regular grid in x and z. The heights are copied.
///
/// `heights`: `samples_x * samples_z` floats; sample `i + j * samples_x` is at x = `i * spacing_x`, z = `j * spacing_z`. A height
/// that is not finite, or of which the magnitude is greater than 2 to the power of 120, is a hole: triangles with this corner are left out.
/// `one_sided`: 1 if only the front of a triangle counts, which is above, else 0.
///
/// A cell is two triangles, divided by the line from its least corner to its greatest. Cell `c = i + j * (samples_x - 1)`, which is between the
/// samples `i + j * samples_x` and `i + 1 + (j + 1) * samples_x`, has the triangles `2 * c`, on the side of greater x, and `2 * c + 1`. These are
/// the numbers of its parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_height_field(
    heights: *const f32,
    samples_x: u32,
    samples_z: u32,
    spacing_x: f32,
    spacing_z: f32,
    one_sided: i32,
    shape: *mut *mut swath_shape,
) -> swath_status {
    guard(|| {
        let one_sided = flag(one_sided, "one_sided")?;
        let count = usize::try_from(u64::from(samples_x) * u64::from(samples_z));
        let count = count.map_err(|_| Failure::argument("heights: more than memory has"))?;
        // SAFETY: the caller keeps the rules of the header.
        let (heights, to) =
            unsafe { (array::<f32>(heights, count, "heights")?, out(shape, "shape")?) };
        Workers::shared().check()?;
        let field =
            HeightField::new(heights.to_vec(), [samples_x, samples_z], [spacing_x, spacing_z])?;
        write_shape(Kind::HeightField(if one_sided { field.one_sided() } else { field }), to)
    })
}

/// Writes the box around a shape at a pose. A shape without a part has the box of its position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_bounds(
    shape: *const swath_shape,
    pose: *const swath_pose,
    aabb: *mut swath_aabb,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (shape, pose, to) =
            unsafe { (borrow(shape, "shape")?, borrow(pose, "pose")?, out(aabb, "aabb")?) };
        let motion = Motion::from(bytemuck::cast::<_, Pose>(*pose));
        to.write(shape.geometry().bounds_over(&motion, 0.0)?.aabb.into());
        Ok(())
    })
}

/// Writes a moving box that contains a shape during the whole tick, for a pair finder or a proxy.
///
/// `margin`: by how much the box is enlarged on each side.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_bounds_over(
    shape: *const swath_shape,
    motion: *const swath_motion,
    margin: f32,
    moving: *mut swath_moving_box,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (shape, motion, to) =
            unsafe { (borrow(shape, "shape")?, borrow(motion, "motion")?, out(moving, "moving")?) };
        to.write(shape.geometry().bounds_over(&bytemuck::cast(*motion), margin)?.into());
        Ok(())
    })
}

/// How a segment meets a shape.
pub type swath_cast_state = u32;
/// The segment misses the shape.
pub const SWATH_CAST_MISSED: u32 = 0;
/// The segment enters the shape, or starts on its surface.
pub const SWATH_CAST_HIT: u32 = 1;
/// The segment starts inside the shape.
pub const SWATH_CAST_INSIDE: u32 = 2;
/// The search reached its limit: up to `fraction` the segment does not enter; the rest is unknown.
pub const SWATH_CAST_UNRESOLVED: u32 = 3;

/// Where a segment enters a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct swath_shape_cast_result {
    /// How the segment meets the shape.
    pub state: swath_cast_state,
    /// The fraction of the segment at which it enters, never late; zero inside, infinite for a miss.
    pub fraction: f32,
    /// The point where it enters, in world coordinates; zero without a hit.
    pub point: [f32; 3],
    /// The unit normal of the surface there, out of the shape; zero without a hit.
    pub normal: [f32; 3],
    /// The part that it enters: the triangle of a mesh or height field, or the shape of a compound.
    pub part: u32,
}

impl From<PartCast> for swath_shape_cast_result {
    fn from(PartCast { cast, part }: PartCast) -> Self {
        let none = Self { part, ..Default::default() };
        match cast {
            ConvexCast::Hit { fraction, point, normal, .. } => {
                Self { state: SWATH_CAST_HIT, fraction, point, normal, ..none }
            }
            ConvexCast::Inside => Self { state: SWATH_CAST_INSIDE, ..none },
            ConvexCast::Unresolved { fraction } => {
                Self { state: SWATH_CAST_UNRESOLVED, fraction, ..none }
            }
            _ => Self { fraction: f32::INFINITY, ..none },
        }
    }
}

/// Computes where a segment first enters a shape at a pose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_shape_cast(
    shape: *const swath_shape,
    pose: *const swath_pose,
    segment: *const swath_segment,
    result: *mut swath_shape_cast_result,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (shape, pose, segment, to) = unsafe {
            (
                borrow(shape, "shape")?,
                borrow(pose, "pose")?,
                borrow(segment, "segment")?,
                out(result, "result")?,
            )
        };
        let (pose, segment): (Pose, Segment) = (bytemuck::cast(*pose), (*segment).into());
        to.write(shape.geometry().cast(&pose, &segment)?.into());
        Ok(())
    })
}
