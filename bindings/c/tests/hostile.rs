//! Tests of calls that a program should not make: each is an error with a code and a message, and no crash.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and its mistakes are the subject"
)]

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use swath_c::*;

fn last_error() -> String {
    unsafe { CStr::from_ptr(swath_last_error()) }.to_str().expect("a message is text").to_owned()
}

/// Checks that a call failed with this status, and that its message has this text.
#[track_caller]
fn fails(status: swath_status, expected: swath_status, text: &str) {
    assert_eq!(status, expected, "{}", last_error());
    assert!(last_error().contains(text), "{}", last_error());
}

#[track_caller]
fn works(status: swath_status) {
    assert_eq!(status, SWATH_OK, "{}", last_error());
}

const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };

fn rows<T>(array: &[T], offset: usize) -> swath_vectors {
    let stride = size_of::<T>();
    swath_vectors { x: array.as_ptr().cast(), stride, offset, ..NO_VECTORS }
}

fn boxes_of(boxes: &[swath_moving_box]) -> swath_boxes {
    swath_boxes {
        count: boxes.len(),
        min: rows(boxes, 0),
        max: rows(boxes, 12),
        delta: rows(boxes, 24),
        tick_seconds: 0.0,
        centered: 0,
        moves: null(),
        filters: null(),
        labels: null(),
    }
}

fn unit_box(x: f32) -> swath_moving_box {
    let aabb = swath_aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
    swath_moving_box { aabb, delta: [0.0; 3] }
}

struct Finder(*mut swath_pair_finder);

impl Finder {
    fn new() -> Self {
        let mut finder = null_mut();
        works(unsafe { swath_pair_finder_create(null(), &mut finder) });
        Self(finder)
    }

    fn union(&self, boxes: &swath_boxes) -> swath_status {
        let mut pairs = swath_pairs { data: null(), count: 0 };
        unsafe { swath_pair_finder_union_pairs(self.0, boxes, null(), SWATH_SORTED, &mut pairs) }
    }
}

impl Drop for Finder {
    fn drop(&mut self) {
        unsafe { swath_pair_finder_destroy(self.0) };
    }
}

struct World(*mut swath_broadphase);

impl World {
    fn new() -> Self {
        let mut world = null_mut();
        works(unsafe { swath_broadphase_create(null(), &mut world) });
        Self(world)
    }

    fn insert(&self, x: f32) -> swath_proxy_id {
        let mut id = swath_proxy_id { index: 0, generation: 0 };
        works(unsafe { swath_broadphase_insert(self.0, &unit_box(x), &PROXY, &mut id) });
        id
    }
}

impl Drop for World {
    fn drop(&mut self) {
        unsafe { swath_broadphase_destroy(self.0) };
    }
}

const PROXY: swath_proxy = swath_proxy {
    kind: SWATH_KIND_DYNAMIC,
    filter: swath_filter { category: u32::MAX, mask: u32::MAX },
    owner: 0,
    margin: 0.0,
    data: 0,
    enabled: 1,
};

const NO_ID: swath_proxy_id = swath_proxy_id { index: SWATH_NO_INDEX, generation: SWATH_NO_INDEX };

#[test]
fn misaligned_pointers_are_errors() {
    let finder = Finder::new();
    let boxes = boxes_of(&[]);
    let words = [0_u64; 16];
    let odd: *const swath_boxes = words.as_ptr().cast::<u8>().wrapping_add(1).cast();
    let mut pairs = swath_pairs { data: null(), count: 0 };
    let status = unsafe { swath_pair_finder_union_pairs(finder.0, odd, null(), 0, &mut pairs) };
    fails(status, SWATH_ERROR_MISALIGNED, "a: misaligned");
    let odd_finder = finder.0.cast::<u8>().wrapping_add(4).cast();
    let status =
        unsafe { swath_pair_finder_union_pairs(odd_finder, &boxes, null(), 0, &mut pairs) };
    fails(status, SWATH_ERROR_MISALIGNED, "finder");
    let odd_pairs: *mut swath_pairs = words.as_ptr().cast_mut().cast::<u8>().wrapping_add(2).cast();
    let status = unsafe { swath_pair_finder_union_pairs(finder.0, &boxes, null(), 0, odd_pairs) };
    fails(status, SWATH_ERROR_MISALIGNED, "pairs");
    unsafe { swath_pair_finder_destroy(odd_finder) };
}

/// Goal: a call that fails writes no results. Method: a second list of rejected rows that is not aligned, and a pair of a body that does
/// not exist behind a valid pair; what was in the memory before is still there.
#[test]
fn failed_calls_write_no_results() {
    let finder = Finder::new();
    works(finder.union(&boxes_of(&[unit_box(0.0), unit_box(f32::NAN)])));
    let mut of_a = swath_rejected_rows { data: null(), count: 77 };
    let words = [0_u64; 4];
    let odd: *mut swath_rejected_rows =
        words.as_ptr().cast_mut().cast::<u8>().wrapping_add(1).cast();
    let status = unsafe { swath_pair_finder_rejected(finder.0, &mut of_a, odd) };
    fails(status, SWATH_ERROR_MISALIGNED, "of_b");
    assert_eq!(of_a.count, 77);

    let mut ball = null_mut();
    works(unsafe { swath_shape_sphere(1.0, &mut ball) });
    let bodies = [ball.cast_const(); 2];
    let pose = swath_pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    let pairs = [swath_pair { a: 0, b: 1 }, swath_pair { a: 0, b: 5 }];
    let before =
        swath_distance_result { distance: 7.0, normal: [1.0; 3], on_a: [2.0; 3], on_b: [3.0; 3] };
    let (mut results, poses) = ([before; 2], [pose; 2]);
    let distances = |pairs: &[swath_pair], results: &mut [swath_distance_result]| unsafe {
        let (count, to) = (pairs.len(), results.as_mut_ptr());
        swath_distance_pairs(bodies.as_ptr(), poses.as_ptr(), 2, pairs.as_ptr(), count, null(), to)
    };
    fails(distances(&pairs, &mut results), SWATH_ERROR_ARGUMENT, "5");
    assert_eq!(results, [before; 2]);
    works(distances(&pairs[..1], &mut results));
    assert!(results[0].distance < 0.0 && results[1] == before);
    let overlaps = |pairs: &[swath_pair], results: &mut [i32]| unsafe {
        let (count, to) = (pairs.len(), results.as_mut_ptr());
        swath_overlaps_pairs(bodies.as_ptr(), poses.as_ptr(), 2, pairs.as_ptr(), count, null(), to)
    };
    let mut results = [7; 2];
    fails(overlaps(&pairs, &mut results), SWATH_ERROR_ARGUMENT, "5");
    assert_eq!(results, [7; 2]);
    works(overlaps(&pairs[..1], &mut results));
    assert_eq!(results, [1, 7]);
    unsafe { swath_shape_destroy(ball) };
}

#[test]
fn no_boxes_have_no_pairs() {
    let finder = Finder::new();
    let mut boxes = boxes_of(&[]);
    works(finder.union(&boxes));
    boxes.delta.x = null();
    works(finder.union(&boxes));
    works(unsafe { swath_broadphase_set_many(World::new().0, null(), &boxes) });
    (boxes.min, boxes.max, boxes.delta) = (NO_VECTORS, NO_VECTORS, NO_VECTORS);
    works(finder.union(&boxes));
    let world = World::new();
    works(unsafe { swath_broadphase_insert_many(world.0, &boxes, null(), 0, null_mut()) });
    works(unsafe { swath_broadphase_set_many(world.0, null(), &boxes) });
    works(unsafe { swath_broadphase_remove_many(world.0, null(), 0) });
    works(unsafe { swath_broadphase_update(world.0, null(), null_mut()) });
    works(unsafe {
        swath_sweep_one_to_many(null(), &unit_box(0.0), &boxes, null_mut(), null_mut(), null_mut())
    });
}

#[test]
fn wrong_layouts_are_errors() {
    let (finder, array) = (Finder::new(), [unit_box(0.0), unit_box(0.5)]);
    let column = [0.0_f32; 2];
    let columns = swath_vectors {
        x: column.as_ptr().cast(),
        y: column.as_ptr(),
        z: column.as_ptr(),
        ..NO_VECTORS
    };
    let right = boxes_of(&array);
    works(finder.union(&right));
    let with = |edit: &dyn Fn(&mut swath_boxes)| {
        let mut boxes = right;
        edit(&mut boxes);
        finder.union(&boxes)
    };
    let cases = [
        (with(&|boxes| boxes.min.stride = 0), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.min.stride = 11), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.max.offset = 25), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.max.offset = usize::MAX), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.delta.stride = usize::MAX), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.count = usize::MAX), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.count = usize::MAX / 36), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.max.y = column.as_ptr()), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.max = NO_VECTORS), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.max.x = null()), SWATH_ERROR_NULL),
        (with(&|boxes| boxes.delta.x = null()), SWATH_ERROR_NULL),
        (with(&|boxes| boxes.max = columns), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.min = columns), SWATH_ERROR_ARGUMENT),
        (with(&|boxes| boxes.centered = 2), SWATH_ERROR_ARGUMENT),
        (
            with(&|boxes| {
                (boxes.min, boxes.max, boxes.delta, boxes.centered) =
                    (columns, columns, columns, 1);
            }),
            SWATH_ERROR_ARGUMENT,
        ),
        (
            with(&|boxes| {
                (boxes.min, boxes.max, boxes.delta) = (columns, columns, columns);
                boxes.min.stride = 4;
            }),
            SWATH_ERROR_ARGUMENT,
        ),
        (with(&|boxes| boxes.moves = [0, 2].as_ptr()), SWATH_ERROR_ARGUMENT),
    ];
    for (index, (status, expected)) in cases.into_iter().enumerate() {
        assert_eq!(status, expected, "case {index}");
    }
}

#[test]
fn arrays_that_a_call_does_not_use_are_errors() {
    let (world, array) = (World::new(), [unit_box(0.0)]);
    let mut boxes = boxes_of(&array);
    let mut ids = [NO_ID];
    boxes.labels = [7_u32].as_ptr();
    let status =
        unsafe { swath_broadphase_insert_many(world.0, &boxes, &PROXY, 1, ids.as_mut_ptr()) };
    fails(status, SWATH_ERROR_ARGUMENT, "labels");
    boxes.labels = null();
    let mut bvh = null_mut();
    works(unsafe { swath_bvh_create(null(), &mut bvh) });
    fails(unsafe { swath_bvh_build(bvh, &boxes) }, SWATH_ERROR_ARGUMENT, "delta");
    unsafe { swath_bvh_destroy(bvh) };
}

#[test]
fn invalid_boxes_are_rejected_and_the_others_pair() {
    let finder = Finder::new();
    let mut array = [unit_box(0.0), unit_box(0.5), unit_box(0.25), unit_box(0.125)];
    array[1].aabb.max[2] = f32::NAN;
    array[2].delta[0] = f32::INFINITY;
    let boxes = boxes_of(&array);
    works(finder.union(&boxes));
    let mut rejected = swath_rejected_rows { data: null(), count: 0 };
    works(unsafe { swath_pair_finder_rejected(finder.0, &mut rejected, null_mut()) });
    let rejected = unsafe { std::slice::from_raw_parts(rejected.data, rejected.count) };
    let reason = SWATH_REASON_NOT_FINITE;
    assert_eq!(
        rejected,
        [swath_rejected { row: 1, reason, axis: 2 }, swath_rejected { row: 2, reason, axis: 0 }]
    );

    let world = World::new();
    let mut ids = [NO_ID; 4];
    works(unsafe { swath_broadphase_insert_many(world.0, &boxes, &PROXY, 1, ids.as_mut_ptr()) });
    assert_eq!([ids[1], ids[2]], [NO_ID; 2]);
    assert_ne!(ids[0], NO_ID);
    let status = unsafe { swath_broadphase_set(world.0, ids[0], &array[1]) };
    fails(status, SWATH_ERROR_INVALID, "axis z");
    let mut changes = unsafe { std::mem::zeroed::<swath_changes>() };
    works(unsafe { swath_broadphase_update(world.0, null(), &mut changes) });
    assert_eq!(changes.begun.count, 1);
}

/// Goal: an id of a removed proxy, of another broadphase or of none is an error. Method: call everything that takes an id.
#[test]
fn stale_ids_are_errors() {
    let (world, other) = (World::new(), World::new());
    let removed = world.insert(0.0);
    let kept = world.insert(0.5);
    works(unsafe { swath_broadphase_remove(world.0, removed) });
    (0..5).for_each(|k| _ = other.insert(k as f32));
    let of_other = other.insert(9.0);
    let any = swath_proxy_id { index: 1 << 30, generation: 3 };
    let mut proxy = PROXY;
    let mut moving = unit_box(0.0);
    let mut contact = unsafe { std::mem::zeroed::<swath_contact>() };
    let mut data = 0;
    for id in [removed, of_other, any, NO_ID] {
        let statuses = unsafe {
            [
                swath_broadphase_set(world.0, id, &unit_box(1.0)),
                swath_broadphase_remove(world.0, id),
                swath_broadphase_remove_many(world.0, [kept, id].as_ptr(), 2),
                swath_broadphase_set_many(world.0, &id, &boxes_of(&[moving])),
                swath_broadphase_set_delta(world.0, id, [1.0; 3].as_ptr()),
                swath_broadphase_set_delta_many(world.0, [kept, id].as_ptr(), [1.0; 6].as_ptr(), 2),
                swath_broadphase_set_kind(world.0, id, SWATH_KIND_FIXED),
                swath_broadphase_set_kind_many(world.0, [kept, id].as_ptr(), 2, SWATH_KIND_FIXED),
                swath_broadphase_set_filter(world.0, id, PROXY.filter),
                swath_broadphase_set_owner(world.0, id, 1),
                swath_broadphase_set_margin(world.0, id, 1.0),
                swath_broadphase_set_data(world.0, id, 1),
                swath_broadphase_set_enabled(world.0, id, 0),
                swath_broadphase_set_enabled_many(world.0, [kept, id].as_ptr(), 2, 0),
                swath_broadphase_renew(world.0, id),
                swath_broadphase_proxy(world.0, id, &mut proxy),
                swath_broadphase_moving_box(world.0, id, &mut moving),
                swath_broadphase_compared_box(world.0, id, &mut moving),
                swath_broadphase_contact(world.0, id, kept, &mut contact),
                swath_broadphase_data(world.0, id, &mut data),
            ]
        };
        for (index, status) in statuses.into_iter().enumerate() {
            assert_eq!(status, SWATH_ERROR_STALE, "call {index} with {id:?}");
        }
        let (mut yes, mut pairs) = (7, swath_proxy_pairs { data: null(), count: 7 });
        works(unsafe { swath_broadphase_contains(world.0, id, &mut yes) });
        assert_eq!(yes, 0);
        works(unsafe { swath_broadphase_contains_pair(world.0, id, kept, &mut yes) });
        works(unsafe { swath_broadphase_pairs_of(world.0, id, &mut pairs) });
        assert_eq!((yes, pairs.count), (0, 0));
    }
    let mut len = 0;
    works(unsafe { swath_broadphase_len(world.0, &mut len) });
    assert_eq!(len, 1);
    works(unsafe { swath_broadphase_proxy(world.0, kept, &mut proxy) });
    assert_eq!(proxy, PROXY);
}

/// Goal: more rows than a call takes are an error with a code of its own, before memory is read. Method: counts that are one too large,
/// with arrays that are far too short.
#[test]
#[cfg(target_pointer_width = "64")]
fn more_rows_than_numbers_of_32_bits_are_too_many() {
    let too_many = 1_usize << 32;
    let column = [0.0_f32];
    let columns = swath_vectors {
        x: column.as_ptr().cast(),
        y: column.as_ptr(),
        z: column.as_ptr(),
        ..NO_VECTORS
    };
    let mut boxes = boxes_of(&[]);
    (boxes.min, boxes.max, boxes.delta) = (columns, columns, NO_VECTORS);
    let none = boxes;
    boxes.count = too_many;
    let (mut floats, mut words) = ([0.0_f32], [0_u32]);
    let (to, contact) = (floats.as_mut_ptr(), words.as_mut_ptr());
    let segment = swath_segment { start: [0.0; 3], delta: [1.0; 3], max_fraction: 1.0 };
    let pair = swath_pair { a: 0, b: 0 };
    let (mut hit, mut of_proxy) =
        (swath_hit { row: 0, value: 0.0 }, swath_proxy_hit { id: NO_ID, value: 0.0 });
    let (mut bvh, world) = (null_mut(), World::new());
    works(unsafe { swath_bvh_create(null(), &mut bvh) });
    let mut fixed = null_mut();
    works(unsafe { swath_fixed_boxes_create(null(), &mut fixed) });
    works(unsafe { swath_broadphase_prepare_queries(world.0) });
    let statuses = unsafe {
        [
            swath_sweep_one_to_many(null(), &unit_box(0.0), &boxes, to, null_mut(), contact),
            swath_sweep_pairs(null(), &boxes, &pair, 1, to, null_mut(), contact),
            swath_sweep_pairs(null(), &none, &pair, too_many, to, null_mut(), contact),
            swath_cast_one_to_many(null(), &segment, &boxes, to, null_mut()),
            swath_bvh_nearest_each(bvh, &boxes, 1.0, null(), &mut hit),
            swath_bvh_casts(bvh, &segment, too_many, null(), &mut hit),
            swath_fixed_boxes_casts(fixed, &segment, too_many, null(), &mut hit),
            swath_broadphase_casts(world.0, &segment, too_many, null(), &mut of_proxy),
        ]
    };
    for (index, status) in statuses.into_iter().enumerate() {
        assert_eq!(status, SWATH_ERROR_TOO_MANY, "call {index}");
    }
    assert!(last_error().contains("4294967296 rows"), "{}", last_error());
    unsafe { swath_bvh_destroy(bvh) };
    unsafe { swath_fixed_boxes_destroy(fixed) };
}

#[test]
fn unknown_values_of_enumerations_are_errors() {
    let world = World::new();
    let (mut id, moving) = (world.insert(0.0), unit_box(0.0));
    let mut proxy = PROXY;
    proxy.kind = 4;
    let status = unsafe { swath_broadphase_insert(world.0, &moving, &proxy, &mut id) };
    fails(status, SWATH_ERROR_ARGUMENT, "kind: 4");
    (proxy.kind, proxy.enabled) = (0, 2);
    let status = unsafe { swath_broadphase_insert(world.0, &moving, &proxy, &mut id) };
    fails(status, SWATH_ERROR_ARGUMENT, "enabled: 2");
    (proxy.enabled, proxy.margin) = (1, -1.0);
    let status = unsafe { swath_broadphase_insert(world.0, &moving, &proxy, &mut id) };
    fails(status, SWATH_ERROR_INVALID, "margin");
    fails(
        unsafe { swath_broadphase_set_kind(world.0, id, u32::MAX) },
        SWATH_ERROR_ARGUMENT,
        "kind",
    );
    let status = unsafe { swath_broadphase_set_kind_many(world.0, &id, 1, 5) };
    fails(status, SWATH_ERROR_ARGUMENT, "kind: 5");
    let status = unsafe { swath_broadphase_set_kind_pairs(world.0, 0, 9, 1) };
    fails(status, SWATH_ERROR_ARGUMENT, "kind: 9");
    let status = unsafe { swath_broadphase_set_kind_pairs(world.0, 0, 3, 5) };
    fails(status, SWATH_ERROR_ARGUMENT, "pairs: 5; expected 0 or 1");
    let status = unsafe { swath_broadphase_set_enabled(world.0, id, -1) };
    fails(status, SWATH_ERROR_ARGUMENT, "enabled: -1; expected 0 or 1");
    let query = swath_query { filter: null(), without_owner: 0, without_kinds: 1 << 20 };
    let segment = swath_segment { start: [0.0; 3], delta: [1.0; 3], max_fraction: 1.0 };
    let mut hit = unsafe { std::mem::zeroed::<swath_proxy_hit>() };
    works(unsafe { swath_broadphase_prepare_queries(world.0) });
    let status = unsafe { swath_broadphase_cast(world.0, &segment, &query, &mut hit) };
    fails(status, SWATH_ERROR_ARGUMENT, "without_kinds");
    let status = unsafe { swath_broadphase_reserve(world.0, usize::MAX, 0, 0) };
    fails(status, SWATH_ERROR_ARGUMENT, "at most");
}

#[test]
fn invalid_shapes_motions_and_settings_are_errors() {
    let (mut ball, mut shape) = (null_mut(), null_mut());
    works(unsafe { swath_shape_sphere(1.0, &mut ball) });
    let nan = [0.0, f32::NAN, 0.0];
    let corners = [[0.0_f32, 1.0, 2.0]; 2];
    let mut field = swath_pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    unsafe {
        fails(swath_shape_cuboid(nan.as_ptr(), &mut shape), SWATH_ERROR_INVALID, "NaN");
        fails(swath_shape_hull(NO_VECTORS, 0, &mut shape), SWATH_ERROR_INVALID, "no points");
        fails(swath_shape_hull(rows(&corners, 4), 2, &mut shape), SWATH_ERROR_ARGUMENT, "points");
        fails(swath_shape_rounded(ball, -1.0, &mut shape), SWATH_ERROR_INVALID, "negative");
        let factors = [1.0, 2.0, 3.0];
        fails(
            swath_shape_scaled(ball, factors.as_ptr(), &mut shape),
            SWATH_ERROR_INVALID,
            "unevenly",
        );
        let heights = [0.0_f32; 4];
        let (heights, short) = (heights.as_ptr(), [1_u32, 4]);
        let status = swath_shape_height_field(heights, short[0], short[1], 1.0, 1.0, 0, &mut shape);
        fails(status, SWATH_ERROR_ARGUMENT, "grid");
        fails(
            swath_shape_height_field(heights, 2, 2, -1.0, 1.0, 0, &mut shape),
            SWATH_ERROR_INVALID,
            "spacing",
        );
        let triangles = [0_u32, 1, 7];
        let status = swath_shape_mesh(
            rows(&corners, 0),
            2,
            triangles.as_ptr(),
            usize::MAX,
            0,
            null(),
            &mut shape,
        );
        fails(status, SWATH_ERROR_ARGUMENT, "triangles");
        assert!(shape.is_null());

        let still = swath_motion { pose: field, delta: [0.0; 3], accel: [0.0; 3], spin: [0.0; 3] };
        let spinning = swath_motion { spin: [2000.0, 0.0, 0.0], ..still };
        let mut result = swath_toi_result::default();
        let status = swath_toi(ball, &still, ball, &spinning, null(), &mut result);
        fails(status, SWATH_ERROR_INVALID, "spin");
        let wrong = [
            swath_toi_settings { touch: 3, ..swath_toi_defaults() },
            swath_toi_settings { tolerance: -1.0, ..swath_toi_defaults() },
            swath_toi_settings { window: [0.5, 0.25], ..swath_toi_defaults() },
            swath_toi_settings { rounds_max: 0, ..swath_toi_defaults() },
            swath_toi_settings { target_distance: f32::NAN, ..swath_toi_defaults() },
        ];
        for (settings, text) in
            wrong.iter().zip(["touch: 3", "tolerance", "window", "rounds", "target"])
        {
            let status = swath_toi(ball, &still, ball, &still, settings, &mut result);
            let expected =
                if text == "touch: 3" { SWATH_ERROR_ARGUMENT } else { SWATH_ERROR_INVALID };
            fails(status, expected, text);
        }
        let (bodies, motions) = ([ball.cast_const(); 2], [still, spinning]);
        let pairs = [swath_pair { a: 0, b: 2 }];
        let mut results = [result];
        let (bodies, results) = (bodies.as_ptr(), results.as_mut_ptr());
        let status = swath_toi_pairs(
            bodies,
            motions.as_ptr(),
            2,
            pairs.as_ptr(),
            1,
            null(),
            null(),
            results,
        );
        fails(status, SWATH_ERROR_INVALID, "motion 1");
        let motions = [still; 2];
        let status = swath_toi_pairs(
            bodies,
            motions.as_ptr(),
            2,
            pairs.as_ptr(),
            1,
            null(),
            null(),
            results,
        );
        fails(status, SWATH_ERROR_ARGUMENT, "row 2");
        let nobody = [ball.cast_const(), null()];
        let status = swath_toi_pairs(
            nobody.as_ptr(),
            motions.as_ptr(),
            2,
            pairs.as_ptr(),
            1,
            null(),
            null(),
            results,
        );
        fails(status, SWATH_ERROR_NULL, "bodies");
        field.rotation = [0.0; 4];
        let mut distance = std::mem::zeroed::<swath_distance_result>();
        fails(
            swath_distance(ball, &field, ball, &field, &mut distance),
            SWATH_ERROR_INVALID,
            "quaternion",
        );
        swath_shape_destroy(ball);
    }
}

/// Goal: what an executor does wrong changes no result. Method: executors that run each task twice, or none.
#[test]
fn executors_may_run_tasks_twice_or_not_at_all() {
    unsafe extern "C" fn twice(
        _: *mut c_void,
        tasks: usize,
        task: swath_task,
        context: *mut c_void,
    ) {
        let task = task.expect("the library passes a task");
        (0..tasks).chain(0..tasks).for_each(|index| unsafe { task(context, index) });
    }
    unsafe extern "C" fn never(_: *mut c_void, _: usize, _: swath_task, _: *mut c_void) {}
    let array: Vec<swath_moving_box> = (0..20_000).map(|k| unit_box(k as f32 * 0.75)).collect();
    let boxes = boxes_of(&array);
    let runs: [unsafe extern "C" fn(*mut c_void, usize, swath_task, *mut c_void); 2] =
        [twice, never];
    for run in runs {
        let executor = swath_executor { user: null_mut(), threads: 4, run: Some(run) };
        let exec = swath_exec { level: null(), threads: 0, pairs_max: 0, executor: &executor };
        let mut finder = null_mut();
        works(unsafe { swath_pair_finder_create(&exec, &mut finder) });
        let finder = Finder(finder);
        let mut pairs = swath_pairs { data: null(), count: 0 };
        works(unsafe { swath_pair_finder_union_pairs(finder.0, &boxes, null(), 0, &mut pairs) });
        assert_eq!(pairs.count, 19_999);
    }
    let executor = swath_executor { user: null_mut(), threads: 4, run: None };
    let exec = swath_exec { level: null(), threads: 0, pairs_max: 0, executor: &executor };
    let mut finder = null_mut();
    let status = unsafe { swath_pair_finder_create(&exec, &mut finder) };
    fails(status, SWATH_ERROR_ARGUMENT, "run");
}
