//! Tests of numbers, counts, pointers and orders of calls that are wrong, and of the messages that name them.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and its mistakes are the subject"
)]

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use swath_c::*;

#[track_caller]
fn works(status: swath_status) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) };
    assert_eq!(status, SWATH_OK, "{message:?}");
}

/// Checks that a call failed with this status and message.
#[track_caller]
fn fails(status: swath_status, expected: swath_status, text: &str) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) }.to_str().expect("text");
    assert_eq!(status, expected, "{message}");
    assert!(message.starts_with(text), "{message}");
}

const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };
const NO_ID: swath_proxy_id = swath_proxy_id { index: SWATH_NO_INDEX, generation: SWATH_NO_INDEX };
const MISS: swath_proxy_hit = swath_proxy_hit { id: NO_ID, value: f32::INFINITY };
const PROXY: swath_proxy = swath_proxy {
    kind: SWATH_KIND_DYNAMIC,
    filter: swath_filter { category: u32::MAX, mask: u32::MAX },
    owner: 0,
    margin: 0.0,
    data: 0,
    enabled: 1,
};

fn unit_box(x: f32) -> swath_moving_box {
    let aabb = swath_aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
    swath_moving_box { aabb, delta: [0.0; 3] }
}

fn boxes_of(boxes: &[swath_moving_box]) -> swath_boxes {
    let vectors = |offset| {
        let stride = size_of::<swath_moving_box>();
        swath_vectors { x: boxes.as_ptr().cast(), stride, offset, ..NO_VECTORS }
    };
    swath_boxes {
        count: boxes.len(),
        min: vectors(0),
        max: vectors(12),
        delta: vectors(24),
        tick_seconds: 0.0,
        centered: 0,
        moves: null(),
        filters: null(),
        labels: null(),
    }
}

/// A broadphase that is destroyed at the end.
struct World(*mut swath_broadphase);

impl World {
    fn new() -> Self {
        let mut world = null_mut();
        works(unsafe { swath_broadphase_create(null(), &mut world) });
        Self(world)
    }

    fn insert(&self, moving: swath_moving_box, kind: swath_kind) -> swath_proxy_id {
        let mut id = NO_ID;
        let proxy = swath_proxy { kind, ..PROXY };
        works(unsafe { swath_broadphase_insert(self.0, &moving, &proxy, &mut id) });
        id
    }

    fn moving_box(&self, id: swath_proxy_id) -> swath_moving_box {
        let mut moving = unit_box(7.0);
        works(unsafe { swath_broadphase_moving_box(self.0, id, &mut moving) });
        moving
    }

    fn cast(&self, hit: &mut swath_proxy_hit) -> swath_status {
        unsafe { swath_broadphase_cast(self.0, &ALONG_X, null(), hit) }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        unsafe { swath_broadphase_destroy(self.0) };
    }
}

/// Whether a fraction or distance is at most the exact one, and earlier only by rounding.
fn is_just_before(fraction: f32, exact: f32) -> bool {
    fraction <= exact && fraction > exact - 1e-5
}

const ALONG_X: swath_segment =
    swath_segment { start: [-1.0, 0.5, 0.5], delta: [1.0, 0.0, 0.0], max_fraction: f32::INFINITY };

#[test]
fn tick_seconds_that_is_negative_or_not_finite_is_an_error() {
    let array = [unit_box(0.0), unit_box(0.5)];
    let mut boxes = boxes_of(&array);
    let mut finder = null_mut();
    works(unsafe { swath_pair_finder_create(null(), &mut finder) });
    let (world, mut ids) = (World::new(), [NO_ID; 2]);
    let mut pairs = swath_swept_pairs { data: null(), count: 0 };
    let mut search = |boxes: &swath_boxes| unsafe {
        swath_pair_finder_swept_pairs(finder, boxes, null(), SWATH_SORTED, &mut pairs)
    };
    for (seconds, text) in [
        (-1.0, "-1"),
        (f32::NAN, "NaN"),
        (f32::INFINITY, "inf"),
        (f32::NEG_INFINITY, "-inf"),
        (-f32::from_bits(1), "-0.0"),
    ] {
        boxes.tick_seconds = seconds;
        fails(search(&boxes), SWATH_ERROR_INVALID, &format!("a: tick_seconds: {text}"));
        let status =
            unsafe { swath_broadphase_insert_many(world.0, &boxes, &PROXY, 1, ids.as_mut_ptr()) };
        fails(status, SWATH_ERROR_INVALID, "tick_seconds: ");
        boxes.delta = NO_VECTORS;
        fails(search(&boxes), SWATH_ERROR_INVALID, "a: tick_seconds: ");
        boxes = boxes_of(&array);
    }
    for seconds in [0.0, -0.0, f32::from_bits(1), 1.0 / 60.0, 1000.0] {
        boxes.tick_seconds = seconds;
        works(search(&boxes));
    }
    unsafe { swath_pair_finder_destroy(finder) };
    assert_eq!(ids, [NO_ID; 2]);
}

/// Goal: a message about vectors names what is missing. Method: each pointer of rows and columns is left out.
#[test]
fn vectors_that_are_missing_are_named() {
    let array = [unit_box(0.0), unit_box(0.5)];
    let right = boxes_of(&array);
    let column = [0.0_f32; 2];
    let columns = swath_vectors {
        x: column.as_ptr().cast(),
        y: column.as_ptr(),
        z: column.as_ptr(),
        ..NO_VECTORS
    };
    let without_y = swath_vectors { y: null(), ..columns };
    let without_z = swath_vectors { z: null(), ..columns };
    let in_columns = swath_boxes { min: columns, max: columns, delta: columns, ..right };
    let world = World::new();
    let mut ids = [NO_ID; 2];
    let cases = [
        (swath_boxes { min: NO_VECTORS, ..right }, SWATH_ERROR_ARGUMENT, "min: no vectors"),
        (swath_boxes { max: NO_VECTORS, ..right }, SWATH_ERROR_ARGUMENT, "max: no vectors"),
        (swath_boxes { max: NO_VECTORS, ..in_columns }, SWATH_ERROR_ARGUMENT, "max: no vectors"),
        (swath_boxes { min: without_z, ..right }, SWATH_ERROR_ARGUMENT, "min: z is NULL"),
        (swath_boxes { min: without_y, ..in_columns }, SWATH_ERROR_ARGUMENT, "min: y is NULL"),
        (swath_boxes { max: without_z, ..in_columns }, SWATH_ERROR_ARGUMENT, "max: z is NULL"),
        (swath_boxes { delta: without_y, ..in_columns }, SWATH_ERROR_ARGUMENT, "delta: y is NULL"),
        (
            swath_boxes { max: right.max, ..in_columns },
            SWATH_ERROR_ARGUMENT,
            "max: expected columns",
        ),
        (swath_boxes { max: columns, ..right }, SWATH_ERROR_ARGUMENT, "max: expected rows"),
        (
            swath_boxes { min: swath_vectors { x: null(), ..columns }, ..in_columns },
            SWATH_ERROR_NULL,
            "min: NULL",
        ),
    ];
    for (boxes, status, text) in cases {
        let found =
            unsafe { swath_broadphase_insert_many(world.0, &boxes, &PROXY, 1, ids.as_mut_ptr()) };
        fails(found, status, text);
    }
    let mut shape = null_mut();
    let status = unsafe { swath_shape_hull(NO_VECTORS, 2, &mut shape) };
    fails(status, SWATH_ERROR_ARGUMENT, "points: no vectors");
}

/// Goal: a wrong number of descriptions is noticed before one is read. Method: counts that are far larger than the array.
#[test]
fn count_of_descriptions_is_compared_before_they_are_read() {
    let array = [unit_box(0.0), unit_box(0.5)];
    let boxes = boxes_of(&array);
    let (world, mut ids) = (World::new(), [NO_ID; 2]);
    for count in [0, 3, 1 << 40, usize::MAX] {
        let status = unsafe {
            swath_broadphase_insert_many(world.0, &boxes, &PROXY, count, ids.as_mut_ptr())
        };
        fails(status, SWATH_ERROR_ARGUMENT, "the list `proxies`");
    }
    assert_eq!(ids, [NO_ID; 2]);
    let proxies = [PROXY, swath_proxy { kind: SWATH_KIND_FIXED, ..PROXY }];
    works(unsafe {
        swath_broadphase_insert_many(world.0, &boxes, proxies.as_ptr(), 2, ids.as_mut_ptr())
    });
    assert!(ids[0] != NO_ID && ids[1] != NO_ID);
}

#[test]
fn settings_name_the_field_that_is_wrong() {
    unsafe extern "C" fn run(_: *mut c_void, _: usize, _: swath_task, _: *mut c_void) {}
    let right = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let mut bvh = null_mut();
    let unknown = swath_exec { level: c"all-levels".as_ptr(), ..right };
    let text = "level: \"all-levels\" is not a level of this CPU";
    fails(unsafe { swath_bvh_create(&unknown, &mut bvh) }, SWATH_ERROR_ARGUMENT, text);
    let mut entry = [0.0; 1];
    let status = unsafe {
        let (boxes, to) = (&boxes_of(&[unit_box(0.0)]), entry.as_mut_ptr());
        swath_cast_one_to_many(c"sse9".as_ptr(), &ALONG_X, boxes, to, null_mut())
    };
    fails(status, SWATH_ERROR_ARGUMENT, "level: \"sse9\" is not a level");
    let executor = swath_executor { user: null_mut(), threads: 0, run: Some(run) };
    let idle = swath_exec { executor: &executor, ..right };
    let status = unsafe { swath_bvh_create(&idle, &mut bvh) };
    fails(status, SWATH_ERROR_ARGUMENT, "executor: threads is 0");
    let odd = (&raw const right).cast::<u8>().wrapping_add(1).cast();
    fails(unsafe { swath_bvh_create(odd, &mut bvh) }, SWATH_ERROR_MISALIGNED, "exec_of: ");
    assert!(bvh.is_null());
}

#[test]
fn flag_of_a_mesh_that_is_not_0_or_1_is_an_error() {
    let mut shape = null_mut();
    let status = unsafe { swath_shape_mesh(NO_VECTORS, 0, null(), 0, 2, null(), &mut shape) };
    fails(status, SWATH_ERROR_ARGUMENT, "one_sided: 2; expected 0 or 1");
    let heights = [0.0; 4].as_ptr();
    let status = unsafe { swath_shape_height_field(heights, 2, 2, 1.0, 1.0, 2, &mut shape) };
    fails(status, SWATH_ERROR_ARGUMENT, "one_sided: 2; expected 0 or 1");
}

#[test]
fn columns_of_points_are_an_error_that_asks_for_rows() {
    let (mut shape, x) = (null_mut(), [0.0_f32; 3]);
    let columns =
        swath_vectors { x: x.as_ptr().cast(), y: x.as_ptr(), z: x.as_ptr(), ..NO_VECTORS };
    let status = unsafe { swath_shape_hull(columns, 3, &mut shape) };
    fails(status, SWATH_ERROR_ARGUMENT, "points: expected rows, as of `swath_rows`; columns are");
    let status = unsafe { swath_shape_mesh(columns, 3, null(), 0, 0, null(), &mut shape) };
    fails(status, SWATH_ERROR_ARGUMENT, "vertices: expected rows");
}

const POSE: swath_pose = swath_pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
const MOTION: swath_motion =
    swath_motion { pose: POSE, delta: [0.0; 3], accel: [0.0; 3], spin: [0.0; 3] };

#[test]
fn invalid_motion_or_pose_is_named() {
    let (mut ball, mut found) = (null_mut(), swath_toi_result::default());
    works(unsafe { swath_shape_sphere(1.0, &mut ball) });
    let zero = swath_pose { rotation: [0.0; 4], ..POSE };
    let (wrong, right) = (swath_motion { pose: zero, ..MOTION }, MOTION);
    let mut distance = unsafe { std::mem::zeroed::<swath_distance_result>() };
    let (mut overlaps, mut pose) = (0, POSE);
    unsafe {
        let status = swath_toi(ball, &wrong, ball, &right, null(), &mut found);
        fails(status, SWATH_ERROR_INVALID, "motion_a: the motion of the first body");
        let status = swath_toi(ball, &right, ball, &wrong, null(), &mut found);
        fails(status, SWATH_ERROR_INVALID, "motion_b: the motion of the second body");
        let status = swath_distance(ball, &POSE, ball, &zero, &mut distance);
        fails(status, SWATH_ERROR_INVALID, "pose_b: a rotation is zero");
        let status = swath_overlaps(ball, &zero, ball, &POSE, &mut overlaps);
        fails(status, SWATH_ERROR_INVALID, "pose_a: a rotation is zero");
        let status = swath_motion_pose_at(&wrong, 0.5, &mut pose);
        fails(status, SWATH_ERROR_INVALID, "motion: a rotation is zero");
        swath_shape_destroy(ball);
    }
    assert_eq!(pose, POSE);
}

/// Goal: the pose at a time is that of the library, also for times outside of the tick. Method: a motion with all its parts.
#[test]
fn pose_at_a_time_is_that_of_the_library() {
    let (delta, accel, spin) = ([1.0, 2.0, 3.0], [0.0, -2.0, 0.5], [0.25, 1.5, -2.0]);
    let motion = swath_motion { pose: POSE, delta, accel, spin };
    let in_rust: swath::Motion = bytemuck::cast(motion);
    for t in [-1.0, 0.0, 0.375, 1.0, 2.0, f32::NAN] {
        let mut pose = POSE;
        works(unsafe { swath_motion_pose_at(&motion, t, &mut pose) });
        assert_eq!(pose, bytemuck::cast(in_rust.at(t)), "{t}");
    }
}

/// Goal: zeros are the id of the first proxy, and `SWATH_NO_ID` of none. Method: the ids of proxies whose slots are used again.
#[test]
fn zero_is_the_id_of_the_first_proxy() {
    let world = World::new();
    let zero = swath_proxy_id { index: 0, generation: 0 };
    assert_eq!(world.insert(unit_box(0.0), SWATH_KIND_DYNAMIC), zero);
    assert_eq!(swath::ProxyId::from(NO_ID), swath::ProxyId::NONE);
    let header = include_str!("../include/swath.h");
    assert!(header.contains("SWATH_NO_ID = {SWATH_NO_INDEX, SWATH_NO_INDEX}"));
    let mut contains = 7;
    for _ in 0..3 {
        let id = world.insert(unit_box(2.0), SWATH_KIND_DYNAMIC);
        works(unsafe { swath_broadphase_remove(world.0, id) });
        works(unsafe { swath_broadphase_contains(world.0, NO_ID, &mut contains) });
        assert!(id != NO_ID && contains == 0);
        fails(unsafe { swath_broadphase_remove(world.0, NO_ID) }, SWATH_ERROR_STALE, "the id");
    }
}

#[test]
fn many_proxies_are_disabled_and_enabled() {
    let world = World::new();
    let ids = [0.0, 0.5, 9.0].map(|x| world.insert(unit_box(x), SWATH_KIND_DYNAMIC));
    let enabled = || {
        ids.map(|id| {
            let mut proxy = PROXY;
            works(unsafe { swath_broadphase_proxy(world.0, id, &mut proxy) });
            proxy.enabled
        })
    };
    let twice = [ids[0], ids[1], ids[0]];
    let set = |to| unsafe { swath_broadphase_set_enabled_many(world.0, twice.as_ptr(), 3, to) };
    works(set(0));
    assert_eq!(enabled(), [0, 0, 1]);
    fails(set(2), SWATH_ERROR_ARGUMENT, "enabled: 2; expected 0 or 1");
    assert_eq!(enabled(), [0, 0, 1]);
    works(set(1));
    assert_eq!(enabled(), [1, 1, 1]);
}

/// Goal: the displacement follows the kind as the header states. Method: both orders of a box and a kind.
#[test]
fn displacement_needs_a_kind_that_moves() {
    let world = World::new();
    let moving = swath_moving_box { delta: [2.0, 0.0, 0.0], ..unit_box(0.0) };
    let ids = [moving; 2].map(|moving| world.insert(moving, SWATH_KIND_DYNAMIC));
    let all = |kind| {
        works(unsafe { swath_broadphase_set_kind_many(world.0, ids.as_ptr(), 2, kind) });
        ids.map(|id| world.moving_box(id).delta[0])
    };
    assert_eq!(ids.map(|id| world.moving_box(id).delta[0]), [2.0; 2]);
    assert_eq!(all(SWATH_KIND_SLEEPING), [0.0; 2]);
    works(unsafe { swath_broadphase_set(world.0, ids[0], &moving) });
    assert_eq!(all(SWATH_KIND_KINEMATIC), [0.0; 2]);
    works(unsafe { swath_broadphase_set(world.0, ids[0], &moving) });
    assert_eq!(ids.map(|id| world.moving_box(id).delta[0]), [2.0, 0.0]);

    let twice = [ids[1], ids[1]];
    works(unsafe { swath_broadphase_set_kind_many(world.0, twice.as_ptr(), 2, SWATH_KIND_FIXED) });
    works(unsafe { swath_broadphase_set_kind_many(world.0, null(), 0, SWATH_KIND_DYNAMIC) });
    let kinds = ids.map(|id| {
        let mut proxy = PROXY;
        works(unsafe { swath_broadphase_proxy(world.0, id, &mut proxy) });
        proxy.kind
    });
    assert_eq!(kinds, [SWATH_KIND_KINEMATIC, SWATH_KIND_FIXED]);
}

#[test]
fn origin_beyond_all_coordinates_changes_nothing() {
    let world = World::new();
    let id = world.insert(unit_box(0.0), SWATH_KIND_DYNAMIC);
    let far = world.insert(unit_box(2.0_f32.powi(119)), SWATH_KIND_DYNAMIC);
    let before = [id, far].map(|id| world.moving_box(id));
    for offset in [[-2.0_f32.powi(120), 0.0, 0.0], [0.0, f32::NAN, 0.0], [0.0, 0.0, f32::INFINITY]]
    {
        let status = unsafe { swath_broadphase_shift_origin(world.0, offset.as_ptr()) };
        assert_eq!(status, SWATH_ERROR_INVALID);
        assert_eq!([id, far].map(|id| world.moving_box(id)), before);
    }
}

/// Goal: queries answer after they were prepared, and only for what was then. Method: a query before and after each call that changes
/// the broadphase.
#[test]
fn queries_need_to_be_prepared_after_each_change() {
    let world = World::new();
    let mut hit = MISS;
    let text = "a proxy has changed since the queries";
    let first = world.insert(unit_box(0.0), SWATH_KIND_DYNAMIC);
    let wall = world.insert(unit_box(4.0), SWATH_KIND_FIXED);
    let (mut snapshot, offset) = (null_mut(), [0.25, 0.0, 0.0]);
    works(unsafe { swath_snapshot_create(&mut snapshot) });
    works(unsafe { swath_broadphase_save(world.0, snapshot) });
    let changes: [&dyn Fn() -> swath_status; 11] = [
        &|| SWATH_OK,
        &|| unsafe { swath_broadphase_set(world.0, first, &unit_box(1.0)) },
        &|| unsafe { swath_broadphase_set(world.0, wall, &unit_box(5.0)) },
        &|| unsafe { swath_broadphase_set_enabled(world.0, first, 0) },
        &|| unsafe { swath_broadphase_set_enabled(world.0, first, 1) },
        &|| unsafe { swath_broadphase_set_kind_many(world.0, &first, 1, SWATH_KIND_FIXED) },
        &|| unsafe { swath_broadphase_set_kind(world.0, first, SWATH_KIND_KINEMATIC) },
        &|| unsafe { swath_broadphase_shift_origin(world.0, offset.as_ptr()) },
        &|| unsafe { swath_broadphase_remove(world.0, wall) },
        &|| unsafe { swath_broadphase_restore(world.0, snapshot) },
        &|| unsafe { swath_broadphase_clear(world.0) },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        works(change());
        hit = MISS;
        let status = world.cast(&mut hit);
        assert_eq!(status, SWATH_ERROR_NOT_PREPARED, "change {index}");
        fails(status, status, text);
        assert_eq!(hit, MISS, "change {index}");
        let (mut count, place) = (7, unit_box(0.0).aabb);
        let mut segments_hit = [hit; 2];
        let statuses = unsafe {
            let (center, to) = (place.min.as_ptr(), segments_hit.as_mut_ptr());
            let (segments, id) = ([ALONG_X; 2], &mut hit.id.clone());
            [
                swath_broadphase_cast_any(world.0, &ALONG_X, null(), &mut hit),
                swath_broadphase_cast_all(world.0, &ALONG_X, null(), to, 2, &mut count),
                swath_broadphase_casts(world.0, segments.as_ptr(), 2, null(), to),
                swath_broadphase_sweep(world.0, &unit_box(0.0), null(), &mut hit),
                swath_broadphase_overlap(world.0, &place, null(), id, 1, &mut count),
                swath_broadphase_overlap_sphere(world.0, center, 1.0, null(), id, 1, &mut count),
                swath_broadphase_nearest(world.0, &place, 1.0, null(), to, 1, &mut count),
            ]
        };
        assert_eq!((statuses, count), ([SWATH_ERROR_NOT_PREPARED; 7], 7), "change {index}");
        works(unsafe { swath_broadphase_prepare_queries(world.0) });
        works(world.cast(&mut hit));
        works(unsafe { swath_broadphase_update(world.0, null(), null_mut()) });
        let mut again = MISS;
        works(world.cast(&mut again));
        assert_eq!(again, hit, "change {index}");
    }
    assert_eq!(hit, MISS);
    unsafe { swath_snapshot_destroy(snapshot) };
}

/// Goal: hostile numbers of queries are errors, and lists that do not fit are not written. Method: one mistake in each argument.
#[test]
fn wrong_arguments_of_queries_are_errors() {
    let world = World::new();
    let ids = [0.0, 0.5].map(|x| world.insert(unit_box(x), SWATH_KIND_DYNAMIC));
    works(unsafe { swath_broadphase_prepare_queries(world.0) });
    let (mut hits, mut found, mut count) = ([MISS; 2], [NO_ID; 2], 7);
    let nan = swath_segment { max_fraction: f32::NAN, ..ALONG_X };
    let (center, bad_center) = ([0.75_f32, 0.5, 0.5], [f32::NAN, 0.0, 0.0]);
    unsafe {
        let (w, to, ids_to) = (world.0, hits.as_mut_ptr(), found.as_mut_ptr());
        let invalid = [
            swath_broadphase_cast_any(w, &nan, null(), to),
            swath_broadphase_cast_all(w, &nan, null(), to, 2, &mut count),
            swath_broadphase_casts(w, [ALONG_X, nan].as_ptr(), 2, null(), to),
            swath_broadphase_overlap_sphere(
                w,
                center.as_ptr(),
                -1.0,
                null(),
                ids_to,
                2,
                &mut count,
            ),
            swath_broadphase_overlap_sphere(
                w,
                bad_center.as_ptr(),
                1.0,
                null(),
                ids_to,
                2,
                &mut count,
            ),
            swath_broadphase_nearest(w, &unit_box(0.0).aabb, f32::NAN, null(), to, 2, &mut count),
        ];
        assert_eq!(invalid, [SWATH_ERROR_INVALID; 6]);
        assert_eq!(hits, [MISS; 2]);
        let (w, to, ids_to) = (world.0, hits.as_mut_ptr(), found.as_mut_ptr());
        let status = swath_broadphase_cast_all(w, &ALONG_X, null(), to, 1, &mut count);
        assert_eq!((status, count), (SWATH_ERROR_TOO_SHORT, 2));
        count = 7;
        let sphere = center.as_ptr();
        let status = swath_broadphase_overlap_sphere(w, sphere, 0.5, null(), ids_to, 1, &mut count);
        assert_eq!((status, count), (SWATH_ERROR_TOO_SHORT, 2));
        assert_eq!((hits, found), ([MISS; 2], [NO_ID; 2]));
        let (to, ids_to) = (hits.as_mut_ptr(), found.as_mut_ptr());
        works(swath_broadphase_cast_all(w, &ALONG_X, null(), to, 2, &mut count));
        works(swath_broadphase_overlap_sphere(w, sphere, 0.5, null(), ids_to, 2, &mut count));
    }
    assert_eq!((found, count), (ids, 2));
    assert_eq!(hits.map(|hit| hit.id), ids);
    assert!(is_just_before(hits[0].value, 1.0) && is_just_before(hits[1].value, 1.5));
}

/// Goal: queries of fixed boxes with hostile rows and numbers. Method: an object that is empty, one box, and mistakes.
#[test]
fn queries_of_fixed_boxes_find_what_was_put() {
    let mut fixed = null_mut();
    works(unsafe { swath_fixed_boxes_create(null(), &mut fixed) });
    let mut hit = swath_hit { row: 5, value: 0.0 };
    works(unsafe { swath_fixed_boxes_cast(fixed, &ALONG_X, null(), &mut hit) });
    assert_eq!((hit.row, hit.value), (SWATH_NO_INDEX, f32::INFINITY));
    let array = [unit_box(3.0)];
    let boxes = swath_boxes { delta: NO_VECTORS, ..boxes_of(&array) };
    works(unsafe { swath_fixed_boxes_put(fixed, [1000_u32].as_ptr(), &boxes) });
    let nan = swath_segment { start: [f32::NAN; 3], ..ALONG_X };
    let (mut hits, mut rows, mut count) = ([hit; 2], [0_u32; 1], 7);
    let none = swath_filter { category: 0, mask: 0 };
    unsafe {
        works(swath_fixed_boxes_cast(fixed, &ALONG_X, null(), &mut hit));
        assert!(hit.row == 1000 && is_just_before(hit.value, 4.0));
        works(swath_fixed_boxes_cast(fixed, &ALONG_X, &none, &mut hit));
        assert_eq!(hit.row, SWATH_NO_INDEX);
        let to = hits.as_mut_ptr();
        works(swath_fixed_boxes_casts(fixed, [ALONG_X; 2].as_ptr(), 2, null(), to));
        works(swath_fixed_boxes_casts(fixed, null(), 0, null(), null_mut()));
        assert_eq!(hits[1].row, 1000);
        let moving = swath_moving_box { delta: [4.0, 0.0, 0.0], ..unit_box(0.0) };
        works(swath_fixed_boxes_sweep(fixed, &moving, null(), &mut hit));
        assert!(hit.row == 1000 && is_just_before(hit.value, 0.5));
        let place = unit_box(3.5).aabb;
        works(swath_fixed_boxes_overlap(fixed, &place, null(), rows.as_mut_ptr(), 1, &mut count));
        assert_eq!((rows[0], count), (1000, 1));
        let status = swath_fixed_boxes_overlap(fixed, &place, null(), null_mut(), 0, &mut count);
        assert_eq!((status, count), (SWATH_ERROR_TOO_SHORT, 1));
        let to = hits.as_mut_ptr();
        let far = unit_box(0.0).aabb;
        works(swath_fixed_boxes_nearest(fixed, &far, f32::INFINITY, null(), to, 2, &mut count));
        assert!(hits[0].row == 1000 && is_just_before(hits[0].value, 2.0) && count == 1);

        let to = hits.as_mut_ptr();
        let invalid = [
            swath_fixed_boxes_cast(fixed, &nan, null(), &mut hit),
            swath_fixed_boxes_casts(fixed, [ALONG_X, nan].as_ptr(), 2, null(), to),
            swath_fixed_boxes_sweep(fixed, &unit_box(f32::NAN), null(), &mut hit),
            swath_fixed_boxes_overlap(
                fixed,
                &unit_box(f32::NAN).aabb,
                null(),
                null_mut(),
                0,
                &mut count,
            ),
            swath_fixed_boxes_nearest(fixed, &far, -1.0, null(), to, 2, &mut count),
        ];
        assert_eq!(invalid, [SWATH_ERROR_INVALID; 5]);
        works(swath_fixed_boxes_remove(fixed, [1000_u32].as_ptr(), 1));
        works(swath_fixed_boxes_cast(fixed, &ALONG_X, null(), &mut hit));
        assert_eq!(hit.row, SWATH_NO_INDEX);
        swath_fixed_boxes_destroy(fixed);
    }
}

#[test]
fn version_is_that_of_the_package() {
    let version = unsafe { CStr::from_ptr(swath_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

/// Goal: the table of names has no function that C lacks. Method: each name in it that begins as those of the header do.
#[test]
fn names_of_the_table_are_in_the_header() {
    let (table, header) = (include_str!("../../NAMES.md"), include_str!("../include/swath.h"));
    let names = table.split('`').filter(|name| name.to_lowercase().starts_with("swath_"));
    let names: Vec<_> = names.collect();
    assert!(names.len() > 50);
    for name in names {
        assert!(
            header.contains(&format!("{name}(")) || header.contains(&format!("{name} ")),
            "{name}"
        );
    }
}
