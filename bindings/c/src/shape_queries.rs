//! Queries of bodies: what segments enter, what moving shapes touch, and what overlaps.

use crate::border::{array, array_mut, borrow, check_row_count, out};
use crate::error::{Outcome, swath_status};
use crate::queries::{columns_of, list};
use crate::shape_bodies::{BodyId, NO_BODY, Place, search, swath_bodies, with_queries};
use crate::shapes::{
    SWATH_CAST_MISSED, shapes, swath_motion, swath_pose, swath_shape, swath_shape_cast_result,
};
use crate::times::{check_rows, settings, swath_toi_result, swath_toi_settings};
use crate::values::{swath_proxy_id, swath_segment};
use bytemuck::{Pod, Zeroable};
use std::mem::MaybeUninit;
use swath::convex::toi::Settings;
use swath::mesh::toi::PartToi;
use swath::mesh::{Geometry, GeometryHit, PartCast};
use swath::{Motion, Pose, Segment};

/// A body that a segment enters. For none, the index of the id is `SWATH_NO_INDEX`, and the state is `SWATH_CAST_MISSED`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_body_cast {
    /// The id of the proxy; in a tree or fixed boxes its index is the row, and its generation is 0.
    pub id: swath_proxy_id,
    /// Where the segment enters it.
    pub cast: swath_shape_cast_result,
}

/// A body that a moving shape touches. For none, the index of the id is `SWATH_NO_INDEX`, and the state is `SWATH_TOI_SEPARATED`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_body_sweep {
    /// The id of the proxy; in a tree or fixed boxes its index is the row, and its generation is 0.
    pub id: swath_proxy_id,
    /// When and how they meet: the moving shape is `a`, the body is `b`.
    pub toi: swath_toi_result,
}

impl<I: BodyId> From<GeometryHit<PartCast, I>> for swath_body_cast {
    fn from(hit: GeometryHit<PartCast, I>) -> Self {
        Self { id: hit.row.id(), cast: hit.found.into() }
    }
}

impl<I: BodyId> From<GeometryHit<PartToi, I>> for swath_body_sweep {
    fn from(hit: GeometryHit<PartToi, I>) -> Self {
        Self { id: hit.row.id(), toi: hit.found.into() }
    }
}

/// A result for no body.
trait Miss: Pod {
    /// Returns it.
    fn miss() -> Self;
}

impl Miss for swath_body_cast {
    fn miss() -> Self {
        let (state, fraction) = (SWATH_CAST_MISSED, f32::INFINITY);
        let cast = swath_shape_cast_result { state, fraction, ..Default::default() };
        Self { id: NO_BODY, cast }
    }
}

impl Miss for swath_body_sweep {
    fn miss() -> Self {
        Self { id: NO_BODY, toi: PartToi::default().into() }
    }
}

impl Miss for swath_proxy_id {
    fn miss() -> Self {
        NO_BODY
    }
}

/// Writes what was found, or the result for no body, unless a body was wrong.
fn write<C: Miss>(found: Option<impl Into<C>>, place: &Place, to: &mut MaybeUninit<C>) -> Outcome {
    place.check()?;
    to.write(found.map_or_else(C::miss, Into::into));
    Ok(())
}

/// Writes what was found for each row, as [`write`] does.
fn write_each<C: Miss>(found: Vec<Option<impl Into<C>>>, place: &Place, to: &mut [C]) -> Outcome {
    place.check()?;
    to.iter_mut().zip(found).for_each(|(to, found)| *to = found.map_or_else(C::miss, Into::into));
    Ok(())
}

/// Writes a list of what was found, unless a body was wrong.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn write_list<C: Pod>(
    found: Vec<impl Into<C>>,
    place: &Place,
    (to, capacity): (*mut C, usize),
    count: *mut usize,
) -> Outcome {
    place.check()?;
    let found: Vec<C> = found.into_iter().map(Into::into).collect();
    // SAFETY: the caller promises it.
    unsafe { list(&found, to, capacity, count) }
}

/// Finds the first body that a segment enters. Of bodies that are entered at the same fraction, the one with the lowest row or id. A
/// search that reaches its limit is a hit at the fraction until which the segment is free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_cast(
    bodies: *const swath_bodies,
    segment: *const swath_segment,
    hit: *mut swath_body_cast,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let (segment, to) = (Segment::from(*borrow(segment, "segment")?), out(hit, "hit")?);
            with_queries!(searched, |queries| {
                let query = queries.cast_geometries(&segment)?;
                write(query.closest_geometry(|id| place.of(id)), place, to)
            })
        })
    }
}

/// Finds any body that a segment enters, which is faster than the first one: for example whether anything is in a line of sight.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_cast_any(
    bodies: *const swath_bodies,
    segment: *const swath_segment,
    hit: *mut swath_body_cast,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let (segment, to) = (Segment::from(*borrow(segment, "segment")?), out(hit, "hit")?);
            with_queries!(searched, |queries| {
                let query = queries.cast_geometries(&segment)?;
                write(query.any_geometry(|id| place.of(id)), place, to)
            })
        })
    }
}

/// Finds all bodies that a segment enters, each once, ordered by where it enters them, or their box if that is later, then by row or
/// id. `hits`, `capacity` and `count` are as for `swath_bvh_cast_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_cast_all(
    bodies: *const swath_bodies,
    segment: *const swath_segment,
    hits: *mut swath_body_cast,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let segment = Segment::from(*borrow(segment, "segment")?);
            with_queries!(searched, |queries| {
                let mut found = Vec::new();
                let query = queries.cast_geometries(&segment)?;
                query.all_geometries(|id| place.of(id), &mut found);
                write_list(found, place, (hits, capacity), count)
            })
        })
    }
}

/// Finds the first body that each of many segments enters, on all threads of the object: `hits[k]` is that of `segments[k]`, as
/// `swath_bodies_cast` returns it. An invalid segment is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_casts(
    bodies: *const swath_bodies,
    segments: *const swath_segment,
    count: usize,
    hits: *mut swath_body_cast,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, workers| {
            workers.check()?;
            check_row_count(count, "segments")?;
            let (segments, to) =
                (array(segments, count, "segments")?, array_mut(hits, count, "hits")?);
            let segments = columns_of(segments)?;
            with_queries!(searched, |queries| {
                let mut found = vec![None; count];
                let casts = queries.casts_of_geometries(&segments.checked());
                casts.closest(|id| place.of(id), &mut found)?;
                write_each(found, place, to)
            })
        })
    }
}

/// A moving shape, and the settings of its sweep.
struct Moving<'a> {
    geometry: Geometry<'a>,
    motion: Motion,
    settings: Settings,
}

impl Moving<'_> {
    /// Reads a moving shape.
    ///
    /// # Safety
    ///
    /// As the header states for the pointers.
    unsafe fn new(
        shape: *const swath_shape,
        motion: *const swath_motion,
        settings_of: *const swath_toi_settings,
    ) -> Outcome<Self> {
        // SAFETY: the caller promises it.
        let (shape, motion, settings) =
            unsafe { (borrow(shape, "shape")?, borrow(motion, "motion")?, settings(settings_of)?) };
        Ok(Self { geometry: shape.geometry(), motion: bytemuck::cast(*motion), settings })
    }
}

/// Finds the first body that a shape touches on its path, while all bodies stay where they are: the result is that of `swath_toi`. Of bodies that are
/// touched at the same time, the one with the lowest row or id. A body that overlaps the shape at the start is a hit, and so is a search that
/// reaches its limit, at the time until which the two are apart.
///
/// `shape`: a shape of any kind. `motion`: how it moves; it may accelerate and rotate.
/// `settings_of`: what counts as a contact, or NULL for the default, with which a touch at the start is a hit only if the two close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_sweep(
    bodies: *const swath_bodies,
    shape: *const swath_shape,
    motion: *const swath_motion,
    settings_of: *const swath_toi_settings,
    hit: *mut swath_body_sweep,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let Moving { geometry, motion, settings } = Moving::new(shape, motion, settings_of)?;
            let to = out(hit, "hit")?;
            with_queries!(searched, |queries| {
                let query = queries.sweep_geometries(&geometry, &motion, &settings)?;
                write(query.closest_geometry(|id| place.of(id)), place, to)
            })
        })
    }
}

/// Finds any body that a shape touches on its path, which is faster than the first one: for example whether a path is free. The arguments are
/// those of `swath_bodies_sweep`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_sweep_any(
    bodies: *const swath_bodies,
    shape: *const swath_shape,
    motion: *const swath_motion,
    settings_of: *const swath_toi_settings,
    hit: *mut swath_body_sweep,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let Moving { geometry, motion, settings } = Moving::new(shape, motion, settings_of)?;
            let to = out(hit, "hit")?;
            with_queries!(searched, |queries| {
                let query = queries.sweep_geometries(&geometry, &motion, &settings)?;
                write(query.any_geometry(|id| place.of(id)), place, to)
            })
        })
    }
}

/// Finds all bodies that a shape touches on its path, each once as if the others were not there, ordered by time, or that of their box if it
/// is later, then by row or id. The arguments are those of `swath_bodies_sweep` and `swath_bodies_cast_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_sweep_all(
    bodies: *const swath_bodies,
    shape: *const swath_shape,
    motion: *const swath_motion,
    settings_of: *const swath_toi_settings,
    hits: *mut swath_body_sweep,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let Moving { geometry, motion, settings } = Moving::new(shape, motion, settings_of)?;
            with_queries!(searched, |queries| {
                let mut found = Vec::new();
                let query = queries.sweep_geometries(&geometry, &motion, &settings)?;
                query.all_geometries(|id| place.of(id), &mut found);
                write_list(found, place, (hits, capacity), count)
            })
        })
    }
}

/// Finds the first body that each of many shapes touches on its path, on all threads of the object: `hits[k]` is that of `shapes_of[k]` with
/// `motions[k]`, as `swath_bodies_sweep` returns it. A motion that is invalid, or too long for a box, is an error.
///
/// `shapes_of`, `motions`: `count` shapes, and as many motions. They move by themselves: none touches another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_sweeps(
    bodies: *const swath_bodies,
    shapes_of: *const *const swath_shape,
    motions: *const swath_motion,
    count: usize,
    settings_of: *const swath_toi_settings,
    hits: *mut swath_body_sweep,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, workers| {
            workers.check()?;
            let geometries = geometries(shapes_of, count)?;
            let motions: &[Motion] =
                bytemuck::cast_slice(array::<swath_motion>(motions, count, "motions")?);
            let (settings, to) = (settings(settings_of)?, array_mut(hits, count, "hits")?);
            settings.validate()?;
            check_bounds(&geometries, motions.iter().copied(), settings.target_distance, "motion")?;
            with_queries!(searched, |queries| {
                let mut found = vec![None; count];
                let sweeps = queries.sweeps_of_geometries(&geometries, motions, &settings)?;
                sweeps.closest(|id| place.of(id), &mut found)?;
                write_each(found, place, to)
            })
        })
    }
}

/// Borrows shapes of any kind.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn geometries<'a>(
    shapes_of: *const *const swath_shape,
    count: usize,
) -> Outcome<Vec<Geometry<'a>>> {
    // SAFETY: the caller promises it.
    let shapes = unsafe { shapes(shapes_of, count, "shapes_of") }?;
    Ok(shapes.into_iter().map(swath_shape::geometry).collect())
}

/// Returns the error of the first geometry that has no box around its path.
fn check_bounds(
    geometries: &[Geometry<'_>],
    motions: impl Iterator<Item = Motion>,
    margin: f32,
    name: &str,
) -> Outcome {
    let bounds = geometries.iter().zip(motions);
    check_rows(
        bounds.map(|(geometry, motion)| geometry.bounds_over(&motion, margin).map(drop)),
        name,
    )
}

/// Finds the bodies that overlap or touch a shape, all at rest, ordered by row or id: what a sensor contains. Overlaps are those of
/// `swath_overlaps`. In a broadphase the bodies are those at the start of the tick. `ids`, `capacity` and `count` are as for `swath_bvh_overlap`.
///
/// Meshes and height fields are surfaces: a place inside of a closed mesh or below a terrain overlaps none if it touches no triangle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_overlap(
    bodies: *const swath_bodies,
    shape: *const swath_shape,
    pose: *const swath_pose,
    ids: *mut swath_proxy_id,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let (geometry, pose) = resting(shape, pose)?;
            with_queries!(searched, |queries| {
                let mut found = Vec::new();
                let query = queries.overlap_geometries(&geometry, &pose)?;
                query.all_geometries(|id| place.of(id), &mut found);
                let found = found.into_iter().map(BodyId::id).collect();
                write_list::<swath_proxy_id>(found, place, (ids, capacity), count)
            })
        })
    }
}

/// Finds any body that overlaps or touches a shape, all at rest: whether a place is free. Without one, the index of the id is `SWATH_NO_INDEX`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_overlap_any(
    bodies: *const swath_bodies,
    shape: *const swath_shape,
    pose: *const swath_pose,
    id: *mut swath_proxy_id,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, _| {
            let ((geometry, pose), to) = (resting(shape, pose)?, out(id, "id")?);
            with_queries!(searched, |queries| {
                let query = queries.overlap_geometries(&geometry, &pose)?;
                let found = query.any_geometry(|id| place.of(id));
                write(found.map(BodyId::id), place, to)
            })
        })
    }
}

/// Finds any body that overlaps or touches each of many shapes at rest, on all threads of the object: `ids[k]` is that of `shapes_of[k]` at
/// `poses[k]`. A pose that is invalid, or too far away for a box, is an error.
///
/// `shapes_of`, `poses`: `count` shapes, and as many poses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bodies_overlaps_any(
    bodies: *const swath_bodies,
    shapes_of: *const *const swath_shape,
    poses: *const swath_pose,
    count: usize,
    ids: *mut swath_proxy_id,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        search(bodies, |searched, place, workers| {
            workers.check()?;
            let geometries = geometries(shapes_of, count)?;
            let poses: &[Pose] = bytemuck::cast_slice(array::<swath_pose>(poses, count, "poses")?);
            let to = array_mut(ids, count, "ids")?;
            check_bounds(&geometries, poses.iter().copied().map(Motion::from), 0.0, "pose")?;
            with_queries!(searched, |queries| {
                let mut found = vec![None; count];
                let overlaps = queries.overlaps_of_geometries(&geometries, poses)?;
                overlaps.any(|id| place.of(id), &mut found)?;
                let found = found.into_iter().map(|id| id.map(BodyId::id)).collect();
                write_each(found, place, to)
            })
        })
    }
}

/// Reads a shape at rest.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn resting<'a>(
    shape: *const swath_shape,
    pose: *const swath_pose,
) -> Outcome<(Geometry<'a>, Pose)> {
    // SAFETY: the caller promises it.
    let (shape, pose) = unsafe { (borrow(shape, "shape")?, borrow(pose, "pose")?) };
    Ok((shape.geometry(), bytemuck::cast(*pose)))
}
