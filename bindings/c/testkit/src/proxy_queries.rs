//! Queries of a broadphase.

use crate::agree::{agree, bits, fails, filter, segment, word, works};
use crate::proxies::{Both, KINDS};
use std::ptr::null;
use swath::broadphase::{ProxyHit, ProxyQueries};
use swath::{Filter, Invalid, MovingBox, ProxyId, Sphere};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

/// Restricts queries in Rust.
fn restrict<'a>(
    mut queries: ProxyQueries<'a>,
    filter: Option<Filter>,
    only: Option<&swath_query>,
) -> ProxyQueries<'a> {
    if let Some(only) = only {
        queries = filter.into_iter().fold(queries, ProxyQueries::filtered);
        queries = queries.without_owner(only.without_owner);
        let excluded = |at: &usize| only.without_kinds >> at & 1 == 1;
        queries = (0..4).filter(excluded).fold(queries, |queries, at| queries.without(KINDS[at]));
    }
    queries
}

/// Compares a list of results of `words` words each, and whether they fit.
#[track_caller]
fn same_list(
    rust: Result<(), Invalid>,
    status: swath_status,
    list: &[u32],
    count: usize,
    found: &[u32],
    words: usize,
) {
    if found.len() > list.len() {
        fails(status, SWATH_ERROR_TOO_SHORT);
        assert_eq!(count * words, found.len());
    } else if agree(rust, status).is_some() {
        assert_eq!(&list[..count * words], found);
    }
}

impl Both {
    /// Runs queries of all sorts with the same restrictions.
    pub(crate) fn query(&mut self, bytes: &mut Bytes<'_>, moving: MovingBox) {
        let c = self.c.pointer;
        let how = bytes.byte();
        let filter = (how & 1 == 1).then(|| filter(bytes));
        let c_filter = filter.map(swath_filter::from);
        let restriction = swath_query {
            filter: c_filter.as_ref().map_or(null(), std::ptr::from_ref),
            without_owner: u32::from(how / 2 % 4),
            without_kinds: if how < 32 {
                word(bytes)
            } else {
                u32::from(how / 8 % 16) & u32::from(how)
            },
        };
        let only = if how & 0x80 == 0 { &raw const restriction } else { null() };
        let (segment, max_distance) = (segment(bytes), bytes.number());
        let capacity = usize::from(bytes.byte() % 8);

        let mut hit = swath_proxy_hit::from(ProxyHit::MISS);
        if self.rust.prepared_queries().is_none() {
            let status = unsafe { swath_broadphase_cast(c, &segment.into(), only, &mut hit) };
            fails(status, SWATH_ERROR_NOT_PREPARED);
        }
        works(unsafe { swath_broadphase_prepare_queries(c) });
        self.rust.prepare_queries();
        let status = unsafe { swath_broadphase_cast(c, &segment.into(), only, &mut hit) };
        if !only.is_null() && restriction.without_kinds >= 16 {
            fails(status, SWATH_ERROR_ARGUMENT);
            return;
        }
        let restricted = (!only.is_null()).then_some(&restriction);
        let prepared = self.rust.prepared_queries().expect("they were prepared");
        let queries = restrict(prepared, filter, restricted);
        let same_hit = |hit: swath_proxy_hit, rust: Option<ProxyHit>| {
            assert_eq!(bits(&[hit]), bits(&[rust.unwrap_or(ProxyHit::MISS)]));
        };
        if let Some(query) = agree(queries.cast(&segment), status) {
            same_hit(hit, query.closest());
        }
        let status = unsafe { swath_broadphase_cast_any(c, &segment.into(), only, &mut hit) };
        if let Some(query) = agree(queries.cast(&segment), status) {
            same_hit(hit, query.any());
        }
        let mut count = usize::MAX;
        let mut hits = vec![hit; capacity];
        let status = unsafe {
            let to = hits.as_mut_ptr();
            swath_broadphase_cast_all(c, &segment.into(), only, to, capacity, &mut count)
        };
        let mut all = Vec::new();
        let rust = queries.cast(&segment).map(|query| query.sorted(&mut all));
        same_list(rust, status, bits(&hits), count, bits(&all), 3);
        let segments = [segment; 2].map(swath_segment::from);
        let mut hits = [hit; 2];
        let status =
            unsafe { swath_broadphase_casts(c, segments.as_ptr(), 2, only, hits.as_mut_ptr()) };
        let rust = queries.cast(&segment).map(|query| query.closest());
        if let Some(rust) = agree(rust, status) {
            hits.iter().for_each(|&hit| same_hit(hit, rust));
        }
        let status = unsafe { swath_broadphase_sweep(c, &moving.into(), only, &mut hit) };
        if let Some(query) = agree(queries.sweep(&moving), status) {
            same_hit(hit, query.closest());
        }
        let aabb = swath_aabb::from(moving.aabb);
        let mut ids = vec![swath_proxy_id::from(ProxyId::NONE); capacity];
        let status = unsafe {
            swath_broadphase_overlap(c, &aabb, only, ids.as_mut_ptr(), capacity, &mut count)
        };
        let mut found = Vec::new();
        let rust = queries.overlap(&moving.aabb).map(|query| query.all(&mut found));
        same_list(rust, status, bits(&ids), count, bits(&found), 2);
        let status = unsafe {
            let (center, to) = (segment.start.as_ptr(), ids.as_mut_ptr());
            swath_broadphase_overlap_sphere(c, center, max_distance, only, to, capacity, &mut count)
        };
        found.clear();
        let sphere = Sphere::new(segment.start, max_distance);
        let query = sphere.and_then(|sphere| queries.overlap_sphere(&sphere));
        let rust = query.map(|query| query.all(&mut found));
        same_list(rust, status, bits(&ids), count, bits(&found), 2);
        let mut near = vec![swath_proxy_hit::from(ProxyHit::MISS); capacity];
        let status = unsafe {
            let (to, count) = (near.as_mut_ptr(), &mut count);
            swath_broadphase_nearest(c, &aabb, max_distance, only, to, capacity, count)
        };
        let mut expected = vec![ProxyHit::MISS; capacity];
        if let Some(query) = agree(queries.proximity(&moving.aabb, max_distance), status) {
            assert_eq!(query.k_nearest(&mut expected).len(), count);
            assert_eq!(bits(&near[..count]), bits(&expected[..count]));
            assert_finite(&&near[..count]);
        }
    }
}
