//! Queries of a broadphase: what segments and moving boxes hit, what boxes overlap, what is nearest.
//!
//! `swath_broadphase_prepare_queries` applies what was changed to the trees. From then on queries only read the broadphase, so several
//! threads may call them at the same time.

use crate::border::{array, array_mut, borrow, check_row_count, optional, out};
use crate::broadphase::{World, change, read, swath_broadphase};
use crate::error::{Failure, Outcome, SWATH_ERROR_NOT_PREPARED, swath_status};
use crate::proxy::{kind, swath_kind};
use crate::queries::{columns_of, list, sphere, write_hit};
use crate::values::{
    swath_aabb, swath_filter, swath_moving_box, swath_proxy_hit, swath_proxy_id, swath_segment,
};
use crate::workers::Workers;
use swath::Segment;
use swath::broadphase::{ProxyHit, ProxyQueries};

/// Applies what was changed to the trees of a broadphase, so that it can be queried until the next call that changes a proxy, restores a
/// snapshot, shifts the origin or clears the broadphase.
///
/// All queries need it; without it they return `SWATH_ERROR_NOT_PREPARED`. They take a pointer to const, so several threads may query
/// the broadphase at the same time. If nothing has changed, the call does nothing. If a proxy that moves has changed, the tree of these
/// proxies is built anew, which takes about 40 ns for each on one thread: set all boxes of a tick first. An update does not change proxies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_prepare_queries(
    broadphase: *mut swath_broadphase,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            world.broadphase.prepare_queries();
            Ok(())
        })
    }
}

/// Which proxies a query of a broadphase considers. A structure of zeros is valid: all enabled proxies.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_query {
    /// NULL, or only proxies count that may form pairs with it.
    pub filter: *const swath_filter,
    /// Proxies of this owner do not count; 0: none are excluded.
    pub without_owner: u32,
    /// Bit `k` excludes the proxies of kind `k`, for example `1u << SWATH_KIND_FIXED`.
    pub without_kinds: u32,
}

/// Returns a view of a broadphase for queries, of the proxies that count.
///
/// # Safety
///
/// As the header states for the pointer of the filter.
pub(crate) unsafe fn restricted<'a>(
    world: &'a World,
    restriction: Option<&swath_query>,
) -> Outcome<ProxyQueries<'a>> {
    let Some(mut queries) = world.broadphase.prepared_queries() else {
        let message = "a proxy has changed since the queries of the broadphase were prepared; call swath_broadphase_prepare_queries first";
        return Err(Failure::new(SWATH_ERROR_NOT_PREPARED, message));
    };
    let Some(only) = restriction else { return Ok(queries) };
    // SAFETY: the caller promises it.
    if let Some(filter) = unsafe { optional(only.filter, "filter") }? {
        queries = queries.filtered((*filter).into());
    }
    queries = queries.without_owner(only.without_owner);
    for index in (0..swath_kind::BITS).filter(|index| only.without_kinds >> index & 1 == 1) {
        queries = queries.without(kind(index).map_err(|error| error.of("without_kinds"))?);
    }
    Ok(queries)
}

/// Calls `query` with a view of a broadphase for queries.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn query_proxies(
    broadphase: *const swath_broadphase,
    restriction: *const swath_query,
    query: impl FnOnce(ProxyQueries<'_>, &Workers) -> Outcome,
) -> swath_status {
    // SAFETY: the caller promises it.
    unsafe {
        read(broadphase, |world| {
            query(restricted(world, optional(restriction, "query")?)?, &world.workers)
        })
    }
}

/// Finds the first proxy that a segment enters, by the boxes at the start of the tick. Of proxies at the same fraction, the one
/// with the lowest id.
///
/// `query`: NULL, or which proxies count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_cast(
    broadphase: *const swath_broadphase,
    segment: *const swath_segment,
    query: *const swath_query,
    hit: *mut swath_proxy_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let (segment, to) = (Segment::from(*borrow(segment, "segment")?), out(hit, "hit")?);
            write_hit(queries.cast(&segment)?.closest(), ProxyHit::MISS, to);
            Ok(())
        })
    }
}

/// Finds any proxy that a segment enters, which is faster than the first one: for example whether anything is in a line of sight. Which
/// one it is depends on what was called before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_cast_any(
    broadphase: *const swath_broadphase,
    segment: *const swath_segment,
    query: *const swath_query,
    hit: *mut swath_proxy_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let (segment, to) = (Segment::from(*borrow(segment, "segment")?), out(hit, "hit")?);
            write_hit(queries.cast(&segment)?.any(), ProxyHit::MISS, to);
            Ok(())
        })
    }
}

/// Finds all proxies that a segment enters, ordered by fraction, then by id. `hits`, `capacity` and `count` are as for
/// `swath_bvh_cast_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_cast_all(
    broadphase: *const swath_broadphase,
    segment: *const swath_segment,
    query: *const swath_query,
    hits: *mut swath_proxy_hit,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let segment = Segment::from(*borrow(segment, "segment")?);
            let mut found = Vec::new();
            queries.cast(&segment)?.sorted(&mut found);
            list(bytemuck::cast_slice(&found), hits, capacity, count)
        })
    }
}

/// Finds the first proxy that each of many segments enters, on all threads of the broadphase. An invalid segment is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_casts(
    broadphase: *const swath_broadphase,
    segments: *const swath_segment,
    count: usize,
    query: *const swath_query,
    hits: *mut swath_proxy_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, workers| {
            workers.check()?;
            check_row_count(count, "segments")?;
            let (segments, to) =
                (array(segments, count, "segments")?, array_mut(hits, count, "hits")?);
            let segments = columns_of(segments)?;
            Ok(queries.casts(&segments.checked()).closest(bytemuck::cast_slice_mut(to))?)
        })
    }
}

/// Finds the first proxy that a moving box touches on its path, while all proxies stay where they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_sweep(
    broadphase: *const swath_broadphase,
    moving: *const swath_moving_box,
    query: *const swath_query,
    hit: *mut swath_proxy_hit,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let (moving, to) = ((*borrow(moving, "moving")?).into(), out(hit, "hit")?);
            write_hit(queries.sweep(&moving)?.closest(), ProxyHit::MISS, to);
            Ok(())
        })
    }
}

/// Finds the proxies whose boxes share a point with a box, ordered by id. `ids`, `capacity` and `count` are as for
/// `swath_bvh_overlap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_overlap(
    broadphase: *const swath_broadphase,
    aabb: *const swath_aabb,
    query: *const swath_query,
    ids: *mut swath_proxy_id,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let aabb = (*borrow(aabb, "aabb")?).into();
            let mut found = Vec::new();
            queries.overlap(&aabb)?.all(&mut found);
            list(bytemuck::cast_slice(&found), ids, capacity, count)
        })
    }
}

/// Finds the proxies whose boxes share a point with a ball, ordered by id. `ids`, `capacity` and `count` are as for
/// `swath_bvh_overlap`.
///
/// `center`: three floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_overlap_sphere(
    broadphase: *const swath_broadphase,
    center: *const f32,
    radius: f32,
    query: *const swath_query,
    ids: *mut swath_proxy_id,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let sphere = sphere(center, radius)?;
            let mut found = Vec::new();
            queries.overlap_sphere(&sphere)?.all(&mut found);
            list(bytemuck::cast_slice(&found), ids, capacity, count)
        })
    }
}

/// Finds the proxies nearest to a box, ordered by distance, then by id. `max_distance`, `hits`, `capacity` and `count` are as for
/// `swath_bvh_nearest`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_nearest(
    broadphase: *const swath_broadphase,
    aabb: *const swath_aabb,
    max_distance: f32,
    query: *const swath_query,
    hits: *mut swath_proxy_hit,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        query_proxies(broadphase, query, |queries, _| {
            let aabb = (*borrow(aabb, "aabb")?).into();
            let (to, count) = (array_mut(hits, capacity, "hits")?, out(count, "count")?);
            let nearest = queries.proximity(&aabb, max_distance)?;
            count.write(nearest.k_nearest(bytemuck::cast_slice_mut(to)).len());
            Ok(())
        })
    }
}
