//! First times of contact, distances and overlaps of shapes.

use crate::border::{array, array_mut, borrow, optional, out};
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::exec::{exec_of_call, swath_exec};
use crate::shapes::{shapes, swath_motion, swath_pose, swath_shape};
use crate::values::swath_pair;
use bytemuck::{Pod, Zeroable};
use core::mem::MaybeUninit;
use swath::convex::gjk::{self, Distance};
use swath::convex::toi::{
    self, Settings, TOI_ROUNDS_MAX, Toi, ToiError, ToiInput, ToiResult, Touch,
};
use swath::mesh;
use swath::mesh::toi::{self as mesh_toi, GeometryInput, PartToi};
use swath::{Invalid, Motion, Pair, Pose, Shape, Threads};

/// Which touches at the start of the tick are impacts.
pub type swath_touch = u32;
/// A touch whose nearest points close. Bodies that lie on each other, slide or separate are excluded.
pub const SWATH_TOUCH_IF_CLOSING: u32 = 0;
/// Every touch.
pub const SWATH_TOUCH_HIT: u32 = 1;
/// No touch.
pub const SWATH_TOUCH_IGNORE: u32 = 2;

/// What counts as a contact. `swath_toi_defaults` returns the default. A structure of zeros is not valid.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct swath_toi_settings {
    /// The distance at which shapes count as touching: a length from 0 to 2 to the power of 120. Default: 0.
    pub target_distance: f32,
    /// Limit of the distance at an impact above the target, relative to the size of the smaller shape. Default: 1 / 16384.
    pub tolerance: f32,
    /// The part of the tick that is searched, from the first fraction to the second. Times of results are fractions of the whole tick. Default: 0
    /// and 1.
    pub window: [f32; 2],
    /// Whether a touch at the start is an impact. Default: `SWATH_TOUCH_IF_CLOSING`.
    pub touch: swath_touch,
    /// The greatest number of rounds of a search. Default: 2048.
    pub rounds_max: u32,
}

/// Returns the default settings.
#[unsafe(no_mangle)]
pub extern "C" fn swath_toi_defaults() -> swath_toi_settings {
    swath_toi_settings {
        target_distance: 0.0,
        tolerance: Settings::TOLERANCE,
        window: [0.0, 1.0],
        touch: SWATH_TOUCH_IF_CLOSING,
        rounds_max: TOI_ROUNDS_MAX,
    }
}

/// Reads which touches at the start are impacts.
pub(crate) fn touch(number: swath_touch) -> Outcome<Touch> {
    match number {
        SWATH_TOUCH_IF_CLOSING => Ok(Touch::IfClosing),
        SWATH_TOUCH_HIT => Ok(Touch::Hit),
        SWATH_TOUCH_IGNORE => Ok(Touch::Ignore),
        other => Err(Failure::argument(format!("touch: {other}; expected 0 to 2"))),
    }
}

impl swath_toi_settings {
    fn get(&self) -> Outcome<Settings> {
        let Self { target_distance, tolerance, window, rounds_max, .. } = *self;
        Ok(Settings { target_distance, tolerance, window, touch: touch(self.touch)?, rounds_max })
    }
}

/// Reads settings, or the default.
///
/// # Safety
///
/// As the header states for the pointer.
pub(crate) unsafe fn settings(settings: *const swath_toi_settings) -> Outcome<Settings> {
    // SAFETY: the caller promises it.
    unsafe { optional(settings, "settings") }?
        .map_or_else(|| Ok(Settings::default()), swath_toi_settings::get)
}

/// How two bodies meet in the tick.
pub type swath_toi_state = u32;
/// They do not touch in the window.
pub const SWATH_TOI_SEPARATED: u32 = 0;
/// They touch first at `t`.
pub const SWATH_TOI_IMPACT: u32 = 1;
/// They overlap at the start of the window, or get into each other after a touch that `SWATH_TOUCH_IGNORE` ignores.
pub const SWATH_TOI_OVERLAPPING: u32 = 2;
/// The search reached its limit: they do not touch before `t`, and the rest is unknown.
pub const SWATH_TOI_UNRESOLVED: u32 = 3;

/// When two bodies first touch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct swath_toi_result {
    /// How they meet.
    pub state: swath_toi_state,
    /// The first time of contact, never late. 0 if they overlap, 1 if they are separated, the time that is proved to be free if it
    /// is unresolved. With a `window`, 1 states that they do not touch in the window, and nothing about the time after it. Of bodies that overlap
    /// at the start of the window, 0 stands for that start: `normal`, `on_a`, `on_b`, `closing` and `depth` are those of this time.
    pub t: f32,
    /// The unit normal from `a` to `b`; zero without a contact.
    pub normal: [f32; 3],
    /// The point of `a` that is nearest to `b` then, in world coordinates; the deepest one if they overlap.
    pub on_a: [f32; 3],
    /// The point of `b` that is nearest to `a` then.
    pub on_b: [f32; 3],
    /// Speed at which these points close along the normal, in length per tick; negative if they separate.
    pub closing: f32,
    /// If they overlap: the depth beyond the target distance. Else 0. Of bodies with parts, such as two meshes, it is that of the one pair of parts
    /// that is reported, the deepest one: other parts may still overlap after a translation by it.
    pub depth: f32,
    /// The part of `a` that touches: the triangle of a mesh or height field, or the shape of a compound, else 0.
    pub part_a: u32,
    /// The part of `b` that touches.
    pub part_b: u32,
    /// The number of rounds of the search: planes that were followed, tests that proved a result, and distances that were computed.
    pub rounds: u32,
}

impl From<PartToi> for swath_toi_result {
    fn from(PartToi { toi, parts: [part_a, part_b], .. }: PartToi) -> Self {
        let none = Self { part_a, part_b, rounds: toi.rounds, ..Self::default() };
        match toi.result {
            ToiResult::Impact { t, normal, on_a, on_b, closing } => {
                Self { state: SWATH_TOI_IMPACT, t, normal, on_a, on_b, closing, ..none }
            }
            ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => Self {
                state: SWATH_TOI_OVERLAPPING,
                t: 0.0,
                normal,
                on_a,
                on_b,
                closing,
                depth,
                ..none
            },
            ToiResult::Unresolved { t_safe } => {
                Self { state: SWATH_TOI_UNRESOLVED, t: t_safe, ..none }
            }
            _ => Self { state: SWATH_TOI_SEPARATED, t: 1.0, ..none },
        }
    }
}

impl From<Toi> for swath_toi_result {
    fn from(toi: Toi) -> Self {
        PartToi::from(toi).into()
    }
}

/// Computes when two bodies first touch.
///
/// `settings_of`: what counts as a contact, or NULL for the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_toi(
    a: *const swath_shape,
    motion_a: *const swath_motion,
    b: *const swath_shape,
    motion_b: *const swath_motion,
    settings_of: *const swath_toi_settings,
    result: *mut swath_toi_result,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (([a, b], [motion_a, motion_b]), settings, to) = unsafe {
            (
                moving_bodies([a, b], [motion_a, motion_b])?,
                settings(settings_of)?,
                out(result, "result")?,
            )
        };
        let found = if a.is_convex() && b.is_convex() {
            toi::one_to_one(&a.convex("a")?, &motion_a, &b.convex("b")?, &motion_b, &settings)
                .map(swath_toi_result::from)
        } else {
            mesh_toi::one_to_one(&a.geometry(), &motion_a, &b.geometry(), &motion_b, &settings)
                .map(swath_toi_result::from)
        };
        to.write(found.map_err(of_motion)?);
        Ok(())
    })
}

/// Borrows two bodies, and copies their motions.
///
/// # Safety
///
/// As for [`borrow`].
pub(crate) unsafe fn moving_bodies<'a>(
    [a, b]: [*const swath_shape; 2],
    [motion_a, motion_b]: [*const swath_motion; 2],
) -> Outcome<([&'a swath_shape; 2], [Motion; 2])> {
    // SAFETY: the caller promises it.
    let (a, motion_a, b, motion_b) = unsafe {
        (
            borrow(a, "a")?,
            borrow(motion_a, "motion_a")?,
            borrow(b, "b")?,
            borrow(motion_b, "motion_b")?,
        )
    };
    Ok(([a, b], [*motion_a, *motion_b].map(bytemuck::cast)))
}

/// The error of a search of two bodies, with the name of the motion that is invalid.
pub(crate) fn of_motion(error: ToiError) -> Failure {
    match error {
        ToiError::Motion(_) => Failure::from(error).of("motion_a"),
        ToiError::SecondMotion(_) => Failure::from(error).of("motion_b"),
        _ => error.into(),
    }
}

/// Computes when the two bodies of each pair first touch: `results[k]` is that of `pairs[k]`.
///
/// `bodies`, `motions`: `count` shapes, and as many motions. An invalid motion is an error.
/// `pairs`: rows of two bodies each.
/// `settings_of`: what counts as a contact, or NULL for the default.
/// `exec_of`: the threads, or NULL. If `threads` is more than one, each call starts new threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_toi_pairs(
    bodies: *const *const swath_shape,
    motions: *const swath_motion,
    count: usize,
    pairs: *const swath_pair,
    pair_count: usize,
    settings_of: *const swath_toi_settings,
    exec_of: *const swath_exec,
    results: *mut swath_toi_result,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (bodies, motions, pairs, settings, exec, to) = unsafe {
            (
                shapes(bodies, count, "bodies")?,
                array(motions, count, "motions")?,
                array(pairs, pair_count, "pairs")?,
                settings(settings_of)?,
                exec_of_call(exec_of)?,
                array_mut(results, pair_count, "results")?,
            )
        };
        let motions: &[Motion] = bytemuck::cast_slice(motions);
        check_rows(motions.iter().map(Motion::validate), "motion")?;
        let pairs: &[Pair] = bytemuck::cast_slice(pairs);
        let threads = &exec.threads;
        let mut rejected = Vec::new();
        if bodies.iter().all(|body| body.is_convex()) {
            let shapes: Vec<Shape<'_>> =
                bodies.iter().map(|body| body.convex("bodies")).collect::<Outcome<_>>()?;
            let input = ToiInput { shapes: &shapes, motions, pairs, windows: &[] };
            let mut found = vec![Toi::default(); pairs.len()];
            toi::pairs(&input, &settings, threads, &mut rejected, &mut found)?;
            to.iter_mut().zip(found).for_each(|(to, found)| *to = found.into());
        } else {
            let geometries: Vec<_> = bodies.iter().map(|body| body.geometry()).collect();
            let input = GeometryInput { geometries: &geometries, motions, pairs };
            let mut found = vec![PartToi::default(); pairs.len()];
            mesh_toi::pairs(&input, &settings, threads, &mut rejected, &mut found)?;
            to.iter_mut().zip(found).for_each(|(to, found)| *to = found.into());
        }
        Ok(())
    })
}

/// Returns the error of the first invalid row.
pub(crate) fn check_rows(checks: impl Iterator<Item = Result<(), Invalid>>, name: &str) -> Outcome {
    for (row, check) in checks.enumerate() {
        check.map_err(|error| Failure::from(error).of(&format!("{name} {row}")))?;
    }
    Ok(())
}

/// The distance of two convex shapes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_distance_result {
    /// A lower bound of the distance. It is too small by at most 2 to the power of -20 of the distance, plus 2 to the power of -26 of the sizes, plus
    /// 2 to the power of -43 of the sum of the bounding radii. For shapes that overlap it is minus the depth.
    pub distance: f32,
    /// The unit normal, from `a` to `b`.
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b`, in world coordinates.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a`, in world coordinates.
    pub on_b: [f32; 3],
}

const _: () = assert!(size_of::<swath_distance_result>() == size_of::<Distance>());

/// Two bodies, their poses, and memory for a result.
pub(crate) type Bodies<'a, T> = ([&'a swath_shape; 2], [Pose; 2], &'a mut MaybeUninit<T>);

/// Borrows two bodies, their poses, and memory for a result. An invalid pose is an error.
///
/// # Safety
///
/// As for [`borrow`] and [`out`].
pub(crate) unsafe fn bodies<'a, T>(
    [a, b]: [*const swath_shape; 2],
    [pose_a, pose_b]: [*const swath_pose; 2],
    result: *mut T,
) -> Outcome<Bodies<'a, T>> {
    // SAFETY: the caller promises it.
    let (a, pose_a, b, pose_b, to) = unsafe {
        (
            borrow(a, "a")?,
            borrow(pose_a, "pose_a")?,
            borrow(b, "b")?,
            borrow(pose_b, "pose_b")?,
            out(result, "result")?,
        )
    };
    let poses = [*pose_a, *pose_b].map(bytemuck::cast::<_, Pose>);
    for (pose, name) in poses.iter().zip(["pose_a", "pose_b"]) {
        pose.validate().map_err(|error| Failure::from(error).of(name))?;
    }
    Ok(([a, b], poses, to))
}

/// Bodies, their poses, pairs of them, the threads, and memory for a result of each pair.
pub(crate) struct PlacedPairs<'a, T> {
    pub(crate) bodies: Vec<&'a swath_shape>,
    pub(crate) poses: &'a [Pose],
    pub(crate) pairs: &'a [Pair],
    pub(crate) threads: Threads,
    pub(crate) to: &'a mut [T],
}

/// Borrows bodies, their poses, pairs of them, and memory for a result of each pair. An invalid pose is an error.
///
/// # Safety
///
/// As for [`shapes`], [`array`], [`exec_of_call`] and [`array_mut`].
pub(crate) unsafe fn placed_pairs<'a, T: Pod>(
    (bodies, poses, count): (*const *const swath_shape, *const swath_pose, usize),
    (pairs, pair_count): (*const swath_pair, usize),
    exec_of: *const swath_exec,
    results: *mut T,
) -> Outcome<PlacedPairs<'a, T>> {
    // SAFETY: the caller promises it.
    let (bodies, poses, pairs, exec, to) = unsafe {
        (
            shapes(bodies, count, "bodies")?,
            array(poses, count, "poses")?,
            array(pairs, pair_count, "pairs")?,
            exec_of_call(exec_of)?,
            array_mut(results, pair_count, "results")?,
        )
    };
    let (poses, pairs): (&[Pose], _) = (bytemuck::cast_slice(poses), bytemuck::cast_slice(pairs));
    check_rows(poses.iter().map(Pose::validate), "pose")?;
    Ok(PlacedPairs { bodies, poses, pairs, threads: exec.threads, to })
}

/// Computes the distance of two bodies of any kind, each at a pose, with the nearest points: the least of all their parts. Triangles are surfaces, and count
/// from both sides. Bodies with parts that overlap have a distance below zero, which is that of the first parts that were found to overlap, and not the depth
/// of the bodies. A body without parts is infinitely far from all others. An invalid pose is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_distance(
    a: *const swath_shape,
    pose_a: *const swath_pose,
    b: *const swath_shape,
    pose_b: *const swath_pose,
    result: *mut swath_distance_result,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ([a, b], [pose_a, pose_b], to) = unsafe { bodies([a, b], [pose_a, pose_b], result)? };
        let found = a.geometry().distance(&pose_a, &b.geometry(), &pose_b, f32::INFINITY)?;
        to.write(bytemuck::cast(found.map_or(Distance::INFINITE, |found| found.distance)));
        Ok(())
    })
}

/// Tests whether two bodies at rest overlap or touch: `result` becomes 1, or 0. It computes no distance and no depth.
///
/// The bodies are of any kind. Triangles are surfaces: a body inside of a closed mesh that touches none of its triangles does not overlap it. A
/// triangle of a one-sided mesh or height field counts if the position of the other body is in front of it, or is on the surface of that body and so
/// behind it by no more than the depth of a touch; against another mesh or height field it counts from both sides.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_overlaps(
    a: *const swath_shape,
    pose_a: *const swath_pose,
    b: *const swath_shape,
    pose_b: *const swath_pose,
    result: *mut i32,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ([a, b], [pose_a, pose_b], to) = unsafe { bodies([a, b], [pose_a, pose_b], result)? };
        to.write(a.geometry().overlaps(&pose_a, &b.geometry(), &pose_b)?.into());
        Ok(())
    })
}

/// Tests whether the two bodies of each pair overlap or touch, as `swath_overlaps` does: `results[k]` becomes 1 or 0 for `pairs[k]`. The
/// arguments are those of `swath_toi_pairs`, with a pose for each body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_overlaps_pairs(
    bodies: *const *const swath_shape,
    poses: *const swath_pose,
    count: usize,
    pairs: *const swath_pair,
    pair_count: usize,
    exec_of: *const swath_exec,
    results: *mut i32,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let PlacedPairs { bodies, poses, pairs, threads, to } =
            unsafe { placed_pairs((bodies, poses, count), (pairs, pair_count), exec_of, results)? };
        let geometries: Vec<_> = bodies.iter().map(|body| body.geometry()).collect();
        let (mut found, rejected) = (vec![false; to.len()], &mut Vec::new());
        mesh::overlaps_of_pairs(&geometries, poses, pairs, &threads, rejected, &mut found)?;
        to.iter_mut().zip(found).for_each(|(to, found)| *to = found.into());
        Ok(())
    })
}

/// Computes the distance of the two convex shapes of each pair: `results[k]` is that of `pairs[k]`. The arguments are those of
/// `swath_toi_pairs`, with a pose for each body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_distance_pairs(
    bodies: *const *const swath_shape,
    poses: *const swath_pose,
    count: usize,
    pairs: *const swath_pair,
    pair_count: usize,
    exec_of: *const swath_exec,
    results: *mut swath_distance_result,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let PlacedPairs { bodies, poses, pairs, threads, to } =
            unsafe { placed_pairs((bodies, poses, count), (pairs, pair_count), exec_of, results)? };
        let shapes: Vec<Shape<'_>> =
            bodies.iter().map(|body| body.convex("bodies")).collect::<Outcome<_>>()?;
        // The search would start with the normals in `results`, and then depend on what is in this memory. And `results` are
        // only written if there is no error.
        let mut found = vec![swath_distance_result::zeroed(); pairs.len()];
        let distances = bytemuck::cast_slice_mut(&mut found);
        gjk::pairs(&shapes, poses, pairs, &threads, &mut Vec::new(), distances)?;
        to.copy_from_slice(&found);
        Ok(())
    })
}
