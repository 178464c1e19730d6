//! Queries of fixed boxes: what segments and moving boxes hit, what boxes overlap, what is nearest. A call that puts or removes boxes
//! updates the trees, so queries only read them, and several threads may call them at the same time.

use crate::border::{Opaque as _, borrow};
use crate::error::{Outcome, guard, swath_status};
use crate::fixed_boxes::swath_fixed_boxes;
use crate::queries::{cast, casts, filtered, nearest, overlap, sweep};
use crate::values::{swath_aabb, swath_filter, swath_hit, swath_moving_box, swath_segment};
use crate::workers::Workers;
use swath::Queries;

/// Calls `query` with a view of fixed boxes for queries.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn query(
    fixed: *const swath_fixed_boxes,
    filter: *const swath_filter,
    query: impl FnOnce(Queries<'_>, &Workers) -> Outcome,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller promises it.
        let fixed = unsafe { borrow(fixed, "fixed") }?.handle().read()?;
        // SAFETY: as above.
        query(unsafe { filtered(fixed.boxes.queries(), filter) }?, &fixed.workers)
    })
}

/// Finds the first fixed box that a segment enters. `filter` and `hit` are as for `swath_bvh_cast`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_cast(
    fixed: *const swath_fixed_boxes,
    segment: *const swath_segment,
    filter: *const swath_filter,
    hit: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { query(fixed, filter, |queries, _| cast(&queries, segment, hit)) }
}

/// Finds the first fixed box that each of many segments enters, on all threads of the object: `hits[k]` is that of `segments[k]`. An
/// invalid segment is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_casts(
    fixed: *const swath_fixed_boxes,
    segments: *const swath_segment,
    count: usize,
    filter: *const swath_filter,
    hits: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(fixed, filter, |queries, workers| {
            workers.check()?;
            casts(&queries, (segments, count), hits)
        })
    }
}

/// Finds the first fixed box that a moving box touches on its path. `filter` and `hit` are as for `swath_bvh_cast`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_sweep(
    fixed: *const swath_fixed_boxes,
    moving: *const swath_moving_box,
    filter: *const swath_filter,
    hit: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { query(fixed, filter, |queries, _| sweep(&queries, moving, hit)) }
}

/// Finds the fixed boxes that share a point with a box, ordered by row. `rows`, `capacity` and `count` are as for
/// `swath_bvh_overlap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_overlap(
    fixed: *const swath_fixed_boxes,
    aabb: *const swath_aabb,
    filter: *const swath_filter,
    rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { query(fixed, filter, |queries, _| overlap(&queries, aabb, rows, capacity, count)) }
}

/// Finds the fixed boxes nearest to a box, ordered by distance, then by row. `max_distance`, `hits`, `capacity` and `count` are as for
/// `swath_bvh_nearest`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_nearest(
    fixed: *const swath_fixed_boxes,
    aabb: *const swath_aabb,
    max_distance: f32,
    filter: *const swath_filter,
    hits: *mut swath_hit,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(fixed, filter, |queries, _| {
            nearest(&queries, (aabb, max_distance), hits, capacity, count)
        })
    }
}
