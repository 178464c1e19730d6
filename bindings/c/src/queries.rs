//! Queries of a tree: what segments and moving boxes hit, what boxes overlap, what is nearest.
//!
//! A call about many rows is answered on all threads of the object. Results go to arrays of the caller, so several threads
//! may query a tree at the same time. The queries of fixed boxes (`fixed_queries.rs`) and of a broadphase (`proxy_queries.rs`) are the
//! same; what they share is here.

use crate::border::{
    Handle, Opaque as _, array, array_mut, borrow, check_row_count, destroy, opaque, optional, out,
    write_boxed,
};
use crate::boxes::swath_boxes;
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::exec::{exec, swath_exec};
use crate::values::{
    allocated, copy_rejected, swath_aabb, swath_filter, swath_hit, swath_moving_box,
    swath_rejected, swath_rejected_rows, swath_segment,
};
use crate::workers::Workers;
use bytemuck::Pod;
use std::mem::MaybeUninit;
use swath::batch::{Columns, Hit, SegmentStore};
use swath::{Queries, Segment, Sphere};

/// A tree and the memory of its builds.
pub(crate) struct Tree {
    pub(crate) bvh: swath::Bvh,
    rejected: Vec<swath_rejected>,
    pub(crate) workers: Workers,
}

/// A bounding volume hierarchy of boxes that do not change, for queries. Box `k` is called row `k`.
pub struct swath_bvh(Handle<Tree>);

opaque!(swath_bvh(Tree));

/// Creates an empty tree.
///
/// `exec_of`: how it runs, or NULL for the default.
/// `bvh`: its address is written here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_create(
    exec_of: *const swath_exec,
    bvh: *mut *mut swath_bvh,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ((exec, workers), to) = unsafe { (exec(exec_of)?, out(bvh, "bvh")?) };
        let bvh = swath::Bvh::with_exec(exec);
        write_boxed(swath_bvh::new(Tree { bvh, rejected: Vec::new(), workers }), to);
        Ok(())
    })
}

/// Destroys a tree; NULL is ignored. While another call uses it, it is not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_destroy(bvh: *mut swath_bvh) {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        unsafe { destroy(bvh) };
        Ok(())
    });
}

/// Replaces the contents of a tree by boxes at rest, which may have filters.
///
/// Invalid boxes are left out; `swath_bvh_rejected` lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_build(
    bvh: *mut swath_bvh,
    boxes: *const swath_boxes,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (mut tree, boxes) =
            unsafe { (borrow(bvh, "bvh")?.handle().change()?, borrow(boxes, "boxes")?) };
        tree.workers.check()?;
        let Tree { bvh, rejected, .. } = &mut *tree;
        // SAFETY: as above.
        let input = unsafe { boxes.fixed_input() }?;
        copy_rejected(bvh.build(input)?, rejected);
        Ok(())
    })
}

/// Returns the invalid rows of the last build that succeeded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_rejected(
    bvh: *const swath_bvh,
    rows: *mut swath_rejected_rows,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(bvh, |tree| {
            out(rows, "rows")?.write(tree.rejected.as_slice().into());
            Ok(())
        })
    }
}

/// Writes the number of boxes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_len(bvh: *const swath_bvh, len: *mut usize) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(bvh, |tree| {
            out(len, "len")?.write(tree.bvh.len());
            Ok(())
        })
    }
}

/// Writes how many bytes of memory the tree has allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_memory(
    bvh: *const swath_bvh,
    bytes: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(bvh, |tree| {
            out(bytes, "bytes")?.write(tree.bvh.memory_usage() + allocated(&tree.rejected));
            Ok(())
        })
    }
}

/// Calls `read` with a tree.
///
/// # Safety
///
/// As the header states for the pointer.
unsafe fn read(bvh: *const swath_bvh, read: impl FnOnce(&Tree) -> Outcome) -> swath_status {
    guard(|| {
        // SAFETY: the caller promises it.
        let bvh = unsafe { borrow(bvh, "bvh") }?;
        read(&*bvh.handle().read()?)
    })
}

/// Calls `read` with a view of a tree for queries.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn query(
    bvh: *const swath_bvh,
    filter: *const swath_filter,
    query: impl FnOnce(Queries<'_>, &Tree) -> Outcome,
) -> swath_status {
    // SAFETY: the caller promises it.
    unsafe { read(bvh, |tree| query(filtered(tree.bvh.queries(), filter)?, tree)) }
}

/// Restricts queries to boxes that may form pairs with `filter`, unless it is NULL.
///
/// # Safety
///
/// As the header states for the pointer.
pub(crate) unsafe fn filtered<'a>(
    queries: Queries<'a>,
    filter: *const swath_filter,
) -> Outcome<Queries<'a>> {
    // SAFETY: the caller promises it.
    let filter = unsafe { optional(filter, "filter") }?;
    Ok(filter.map_or(queries, |&filter| queries.filtered(filter.into())))
}

/// Reads a ball.
///
/// # Safety
///
/// As the header states for the pointer.
pub(crate) unsafe fn sphere(center: *const f32, radius: f32) -> Outcome<Sphere> {
    // SAFETY: the caller promises it.
    let center: &[f32] = unsafe { array(center, 3, "center") }?;
    Ok(Sphere::new([center[0], center[1], center[2]], radius)?)
}

/// Writes what was found to an array of the caller, and how many were found.
///
/// # Safety
///
/// As the header states for the pointers.
pub(crate) unsafe fn list<T: Pod>(
    found: &[T],
    to: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Outcome {
    // SAFETY: the caller promises it.
    let (to, count) = unsafe { (array_mut(to, capacity, "results")?, out(count, "count")?) };
    count.write(found.len());
    if found.len() > capacity {
        return Err(Failure::too_short(found.len(), capacity));
    }
    to[..found.len()].copy_from_slice(found);
    Ok(())
}

/// Writes the hit of a query, or the value for no hit.
pub(crate) fn write_hit<H, C: From<H>>(hit: Option<H>, miss: H, to: &mut MaybeUninit<C>) {
    to.write(hit.unwrap_or(miss).into());
}

/// Copies segments to columns.
pub(crate) fn columns_of(segments: &[swath_segment]) -> Outcome<SegmentStore> {
    let mut store = SegmentStore::with_capacity(segments.len());
    for (row, &segment) in segments.iter().enumerate() {
        let segment: Segment = segment.into();
        store.push(segment).map_err(|error| Failure::from(error).of(&format!("segment {row}")))?;
    }
    Ok(store)
}

/// Does what `swath_bvh_cast` does, with any boxes.
///
/// # Safety
///
/// As the header states for the pointers; so it is for the functions below.
pub(crate) unsafe fn cast(
    queries: &Queries<'_>,
    segment: *const swath_segment,
    hit: *mut swath_hit,
) -> Outcome {
    // SAFETY: the caller promises it.
    let (segment, to) = unsafe { (borrow(segment, "segment")?, out(hit, "hit")?) };
    write_hit(queries.cast(&Segment::from(*segment))?.closest(), Hit::MISS, to);
    Ok(())
}

/// Does what `swath_bvh_casts` does, with any boxes.
pub(crate) unsafe fn casts(
    queries: &Queries<'_>,
    (segments, count): (*const swath_segment, usize),
    hits: *mut swath_hit,
) -> Outcome {
    check_row_count(count, "segments")?;
    // SAFETY: the caller promises it.
    let (segments, to) =
        unsafe { (array(segments, count, "segments")?, array_mut(hits, count, "hits")?) };
    let segments = columns_of(segments)?;
    Ok(queries.casts(&segments.checked()).closest(bytemuck::cast_slice_mut(to))?)
}

/// Does what `swath_bvh_sweep` does, with any boxes.
pub(crate) unsafe fn sweep(
    queries: &Queries<'_>,
    moving: *const swath_moving_box,
    hit: *mut swath_hit,
) -> Outcome {
    // SAFETY: the caller promises it.
    let (moving, to) = unsafe { (borrow(moving, "moving")?, out(hit, "hit")?) };
    write_hit(queries.sweep(&(*moving).into())?.closest(), Hit::MISS, to);
    Ok(())
}

/// Does what `swath_bvh_overlap` does, with any boxes.
pub(crate) unsafe fn overlap(
    queries: &Queries<'_>,
    aabb: *const swath_aabb,
    rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> Outcome {
    // SAFETY: the caller promises it.
    unsafe {
        let aabb = (*borrow(aabb, "aabb")?).into();
        let mut found = Vec::new();
        queries.overlap(&aabb)?.all(&mut found);
        list(&found, rows, capacity, count)
    }
}

/// Does what `swath_bvh_nearest` does, with any boxes.
pub(crate) unsafe fn nearest(
    queries: &Queries<'_>,
    (aabb, max_distance): (*const swath_aabb, f32),
    hits: *mut swath_hit,
    capacity: usize,
    count: *mut usize,
) -> Outcome {
    // SAFETY: the caller promises it.
    let (aabb, to, count) = unsafe {
        (borrow(aabb, "aabb")?, array_mut(hits, capacity, "hits")?, out(count, "count")?)
    };
    let nearest = queries.proximity(&(*aabb).into(), max_distance)?;
    count.write(nearest.k_nearest(bytemuck::cast_slice_mut(to)).len());
    Ok(())
}

/// Finds the first box that a segment enters.
///
/// `filter`: NULL, or only boxes count that may form pairs with it.
/// `hit`: the box and the fraction at which it is entered; of boxes at the same fraction the lowest row. Without a hit, the row is
/// 4294967295.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_cast(
    bvh: *const swath_bvh,
    segment: *const swath_segment,
    filter: *const swath_filter,
    hit: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { query(bvh, filter, |queries, _| cast(&queries, segment, hit)) }
}

/// Finds the first box that each of many segments enters, on all threads of the tree: `hits[k]` is that of `segments[k]`, as
/// `swath_bvh_cast` returns it. An invalid segment is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_casts(
    bvh: *const swath_bvh,
    segments: *const swath_segment,
    count: usize,
    filter: *const swath_filter,
    hits: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(bvh, filter, |queries, tree| {
            tree.workers.check()?;
            casts(&queries, (segments, count), hits)
        })
    }
}

/// Finds all boxes that a segment enters, ordered by fraction, then by row.
///
/// `hits`: memory for `capacity` hits. `count`: how many there are. If there are more than `capacity`, the result is
/// `SWATH_ERROR_TOO_SHORT`, and `count` is written but `hits` is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_cast_all(
    bvh: *const swath_bvh,
    segment: *const swath_segment,
    filter: *const swath_filter,
    hits: *mut swath_hit,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(bvh, filter, |queries, _| {
            let segment = Segment::from(*borrow(segment, "segment")?);
            let mut found = Vec::new();
            queries.cast(&segment)?.sorted(&mut found);
            list(bytemuck::cast_slice(&found), hits, capacity, count)
        })
    }
}

/// Finds the first box that a moving box touches on its path. `filter` and `hit` are as for `swath_bvh_cast`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_sweep(
    bvh: *const swath_bvh,
    moving: *const swath_moving_box,
    filter: *const swath_filter,
    hit: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { query(bvh, filter, |queries, _| sweep(&queries, moving, hit)) }
}

/// Finds the boxes that share a point with a box, in order.
///
/// `rows`: memory for `capacity` rows. `count`: how many there are. If there are more than `capacity`, the result is
/// `SWATH_ERROR_TOO_SHORT`, and `count` is written but `rows` is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_overlap(
    bvh: *const swath_bvh,
    aabb: *const swath_aabb,
    filter: *const swath_filter,
    rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { query(bvh, filter, |queries, _| overlap(&queries, aabb, rows, capacity, count)) }
}

/// Finds the boxes that share a point with a ball, in order. `rows`, `capacity` and `count` are as for `swath_bvh_overlap`.
///
/// `center`: three floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_overlap_sphere(
    bvh: *const swath_bvh,
    center: *const f32,
    radius: f32,
    filter: *const swath_filter,
    rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(bvh, filter, |queries, _| {
            let sphere = sphere(center, radius)?;
            let mut found = Vec::new();
            queries.overlap_sphere(&sphere)?.all(&mut found);
            list(&found, rows, capacity, count)
        })
    }
}

/// Finds the boxes nearest to a box, ordered by distance, then by row.
///
/// `max_distance`: only boxes that are not farther count; it may be infinite.
/// `hits`: memory for `capacity` hits, of which the value is the distance. `count`: how many were written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_nearest(
    bvh: *const swath_bvh,
    aabb: *const swath_aabb,
    max_distance: f32,
    filter: *const swath_filter,
    hits: *mut swath_hit,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(bvh, filter, |queries, _| {
            nearest(&queries, (aabb, max_distance), hits, capacity, count)
        })
    }
}

/// Finds the box nearest to each of many boxes at rest, on all threads of the tree: `hits[k]` is that of row `k`, or has the row
/// 4294967295. For points, pass the same vectors as minimum and maximum. An invalid box is an error. Only columns are possible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_bvh_nearest_each(
    bvh: *const swath_bvh,
    boxes: *const swath_boxes,
    max_distance: f32,
    filter: *const swath_filter,
    hits: *mut swath_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query(bvh, filter, |queries, tree| {
            tree.workers.check()?;
            let boxes = borrow(boxes, "boxes")?;
            check_row_count(boxes.count, "boxes")?;
            let to = array_mut(hits, boxes.count, "hits")?;
            let columns = boxes.columns_at_rest()?;
            let mut rejected = Vec::new();
            let checked = Columns::check(columns, tree.bvh.exec.level, &mut rejected);
            if let Some(first) = checked.rejected().first() {
                return Err(Failure::from(first.reason).of(&format!("box {}", first.row)));
            }
            queries.proximities(&checked, max_distance)?.nearest(bytemuck::cast_slice_mut(to))?;
            Ok(())
        })
    }
}
