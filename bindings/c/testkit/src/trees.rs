//! Queries of a tree and of fixed boxes.

use crate::agree::{
    NO_REJECTED, agree, bits, fails, filter, same_rejected, segment, vector, works,
};
use crate::boxes::{Boxes, Extra};
use crate::exec::Settings;
use std::ptr::null;
use swath::batch::Hit;
use swath::{Bvh, FixedBoxes, Level, Sphere};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

const BOXES_MAX: usize = 80;
const QUERIES: usize = 3;

pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let settings = Settings::new(bytes);
    let Some(c) = settings.create(swath_bvh_create, swath_bvh_destroy) else { return };
    let boxes = Boxes::new(bytes, BOXES_MAX, Extra::Filters, true);
    let mut tree = Bvh::with_exec(settings.rust());
    let status = unsafe { swath_bvh_build(c.pointer, &boxes.c()) };
    if boxes.is_wrong() {
        fails(status, SWATH_ERROR_ARGUMENT);
    } else {
        let built = boxes.fixed_input(|input| tree.build(input).map(<[_]>::to_vec));
        let rejected = agree(built, status);
        let mut rows = NO_REJECTED;
        works(unsafe { swath_bvh_rejected(c.pointer, &mut rows) });
        same_rejected(rows, &rejected.unwrap_or_default());
    }
    let (mut len, mut memory) = (0, 0);
    works(unsafe { swath_bvh_len(c.pointer, &mut len) });
    assert_eq!(len, tree.len());
    works(unsafe { swath_bvh_memory(c.pointer, &mut memory) });
    for _ in 0..QUERIES {
        query(bytes, c.pointer, &tree, &boxes);
    }
}

fn query(bytes: &mut Bytes<'_>, c: *const swath_bvh, tree: &Bvh, boxes: &Boxes) {
    let filter = bytes.byte().is_multiple_of(2).then(|| filter(bytes));
    let c_filter = filter.map(swath_filter::from);
    let only = c_filter.as_ref().map_or(null(), std::ptr::from_ref);
    let queries = tree.queries();
    let queries = filter.map_or(queries, |filter| queries.filtered(filter));
    let (segment, moving) = (segment(bytes), bytes.row(&boxes.rows));
    let (center, radius, max_distance) = (vector(bytes), bytes.number(), bytes.number());
    let capacity = usize::from(bytes.byte() % 16);
    let mut count = usize::MAX;
    let mut hit = swath_hit::from(Hit::MISS);
    let same_hit = |hit: swath_hit, rust: Option<Hit>| {
        assert_eq!(bits(&[hit]), bits(&[rust.unwrap_or(Hit::MISS)]));
    };

    let status = unsafe { swath_bvh_cast(c, &segment.into(), only, &mut hit) };
    let closest = agree(queries.cast(&segment), status).map(|query| query.closest());
    if let Some(closest) = closest {
        same_hit(hit, closest);
    }
    let segments = [segment; 3].map(swath_segment::from);
    let mut hits = vec![hit; 3.max(capacity)];
    let status = unsafe { swath_bvh_casts(c, segments.as_ptr(), 3, only, hits.as_mut_ptr()) };
    if agree(segment.validate(), status).is_some() {
        hits[..3].iter().for_each(|&hit| same_hit(hit, closest.flatten()));
    }
    let status = unsafe {
        let to = hits.as_mut_ptr();
        swath_bvh_cast_all(c, &segment.into(), only, to, capacity, &mut count)
    };
    let mut all = Vec::new();
    let rust = queries.cast(&segment).map(|query| query.sorted(&mut all));
    if all.len() > capacity {
        fails(status, SWATH_ERROR_TOO_SHORT);
        assert_eq!(count, all.len());
    } else if agree(rust, status).is_some() {
        assert_eq!(bits(&hits[..count]), bits(&all));
        assert_finite(&&hits[..count]);
    }
    let status = unsafe { swath_bvh_sweep(c, &moving.into(), only, &mut hit) };
    if let Some(query) = agree(queries.sweep(&moving), status) {
        same_hit(hit, query.closest());
    }

    let aabb = swath_aabb::from(moving.aabb);
    let mut rows = vec![0; capacity];
    let status =
        unsafe { swath_bvh_overlap(c, &aabb, only, rows.as_mut_ptr(), capacity, &mut count) };
    let mut found = Vec::new();
    let rust = queries.overlap(&moving.aabb).map(|query| query.all(&mut found));
    same_rows(rust, status, &rows, count, &found);
    let status = unsafe {
        let to = rows.as_mut_ptr();
        swath_bvh_overlap_sphere(c, center.as_ptr(), radius, only, to, capacity, &mut count)
    };
    found.clear();
    let sphere = Sphere::new(center, radius);
    let query = sphere.and_then(|sphere| queries.overlap_sphere(&sphere));
    let rust = query.map(|query| query.all(&mut found));
    same_rows(rust, status, &rows, count, &found);

    let status = unsafe {
        let to = hits.as_mut_ptr();
        swath_bvh_nearest(c, &aabb, max_distance, only, to, capacity, &mut count)
    };
    let mut near = vec![Hit::MISS; capacity];
    if let Some(query) = agree(queries.proximity(&moving.aabb, max_distance), status) {
        assert_eq!(query.k_nearest(&mut near).len(), count);
        assert_eq!(bits(&hits[..count]), bits(&near[..count]));
        assert_finite(&&hits[..count]);
    }

    let each = Boxes::new(bytes, 8, Extra::None, true);
    let mut hits = vec![hit; each.len()];
    let status =
        unsafe { swath_bvh_nearest_each(c, &each.c(), max_distance, only, hits.as_mut_ptr()) };
    if each.is_wrong() || each.len() > 0 && !each.are_columns() {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    }
    each.at_rest(|columns| {
        let mut rejected = Vec::new();
        let checked = columns.check(Level::detect(), &mut rejected);
        if let Some(first) = checked.rejected().first() {
            agree(Err::<(), _>(first.reason), status);
            return;
        }
        let mut near = vec![Hit::MISS; each.len()];
        if let Some(query) = agree(queries.proximities(&checked, max_distance), status) {
            query.nearest(&mut near).expect("there is a hit for each row");
            assert_eq!(bits(&hits), bits(&near));
        }
    });
}

/// Queries of fixed boxes.
pub(crate) fn fixed_queries(bytes: &mut Bytes<'_>, c: *const swath_fixed_boxes, rust: &FixedBoxes) {
    let filter = bytes.byte().is_multiple_of(2).then(|| filter(bytes));
    let c_filter = filter.map(swath_filter::from);
    let only = c_filter.as_ref().map_or(null(), std::ptr::from_ref);
    let queries = rust.queries();
    let queries = filter.map_or(queries, |filter| queries.filtered(filter));
    let (segment, moving) = (segment(bytes), bytes.row(&[]));
    let (aabb, max_distance) = (swath_aabb::from(moving.aabb), bytes.number());
    let capacity = usize::from(bytes.byte() % 16);
    let mut count = usize::MAX;
    let mut hit = swath_hit::from(Hit::MISS);
    let same_hit = |hit: swath_hit, rust: Option<Hit>| {
        assert_eq!(bits(&[hit]), bits(&[rust.unwrap_or(Hit::MISS)]));
    };

    let status = unsafe { swath_fixed_boxes_cast(c, &segment.into(), only, &mut hit) };
    let closest = agree(queries.cast(&segment), status).map(|query| query.closest());
    if let Some(closest) = closest {
        same_hit(hit, closest);
    }
    let segments = [segment; 3].map(swath_segment::from);
    let mut hits = vec![hit; 3.max(capacity)];
    let status =
        unsafe { swath_fixed_boxes_casts(c, segments.as_ptr(), 3, only, hits.as_mut_ptr()) };
    if agree(segment.validate(), status).is_some() {
        hits[..3].iter().for_each(|&hit| same_hit(hit, closest.flatten()));
    }
    let status = unsafe { swath_fixed_boxes_sweep(c, &moving.into(), only, &mut hit) };
    if let Some(query) = agree(queries.sweep(&moving), status) {
        same_hit(hit, query.closest());
    }
    let mut rows = vec![0; capacity];
    let status = unsafe {
        swath_fixed_boxes_overlap(c, &aabb, only, rows.as_mut_ptr(), capacity, &mut count)
    };
    let mut found = Vec::new();
    let rust = queries.overlap(&moving.aabb).map(|query| query.all(&mut found));
    same_rows(rust, status, &rows, count, &found);
    let status = unsafe {
        let to = hits.as_mut_ptr();
        swath_fixed_boxes_nearest(c, &aabb, max_distance, only, to, capacity, &mut count)
    };
    let mut near = vec![Hit::MISS; capacity];
    if let Some(query) = agree(queries.proximity(&moving.aabb, max_distance), status) {
        assert_eq!(query.k_nearest(&mut near).len(), count);
        assert_eq!(bits(&hits[..count]), bits(&near[..count]));
    }
}

/// Compares rows that were found, and whether they fit.
#[track_caller]
fn same_rows(
    rust: Result<(), swath::Invalid>,
    status: swath_status,
    rows: &[u32],
    count: usize,
    found: &[u32],
) {
    if found.len() > rows.len() {
        fails(status, SWATH_ERROR_TOO_SHORT);
        assert_eq!(count, found.len());
    } else if agree(rust, status).is_some() {
        assert_eq!(&rows[..count], found);
    }
}
