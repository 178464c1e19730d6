//! Tests of queries of shapes: from several threads, from their own function, and with wrong arguments. That they have the bits of the
//! same queries in Rust is tested by the fuzz body.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header, or its mistakes are the subject"
)]

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use swath_c::*;
use testkit::draw::Draw;

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

const NO_ID: swath_proxy_id = swath_proxy_id { index: SWATH_NO_INDEX, generation: SWATH_NO_INDEX };
const POSE: swath_pose = swath_pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
const MOTION: swath_motion =
    swath_motion { pose: POSE, delta: [0.0; 3], accel: [0.0; 3], spin: [0.0; 3] };
const ALONG_X: swath_segment =
    swath_segment { start: [-9.0, 0.0, 0.0], delta: [1.0, 0.0, 0.0], max_fraction: 99.0 };
const NO_HIT: swath_body_cast = swath_body_cast {
    id: NO_ID,
    cast: swath_shape_cast_result {
        state: SWATH_CAST_MISSED,
        fraction: f32::INFINITY,
        point: [0.0; 3],
        normal: [0.0; 3],
        part: 0,
    },
};

/// A broadphase of balls in a row, with a shape for each.
struct World {
    broadphase: *mut swath_broadphase,
    ball: *mut swath_shape,
    /// What the function writes.
    bodies: Vec<swath_body>,
    calls: AtomicUsize,
    /// Whether the function makes queries itself.
    queries: bool,
}

// SAFETY: the header allows calls with pointers to const from several threads.
unsafe impl Sync for World {}

impl World {
    fn new(count: usize, threads: u32) -> Self {
        let (mut broadphase, mut ball) = (null_mut(), null_mut());
        let exec = swath_exec { level: null(), threads, pairs_max: 0, executor: null() };
        works(unsafe { swath_broadphase_create(&exec, &mut broadphase) });
        works(unsafe { swath_shape_sphere(0.5, &mut ball) });
        let mut bodies = Vec::new();
        for k in 0..count {
            let pose = swath_pose { position: [2.0 * k as f32, 0.0, 0.0], ..POSE };
            let mut aabb = unsafe { std::mem::zeroed::<swath_aabb>() };
            works(unsafe { swath_shape_bounds(ball, &pose, &mut aabb) });
            let filter = swath_filter { category: u32::MAX, mask: u32::MAX };
            let proxy = swath_proxy { kind: 0, filter, owner: 0, margin: 0.0, data: 0, enabled: 1 };
            let (moving, mut id) = (swath_moving_box { aabb, delta: [0.0; 3] }, NO_ID);
            works(unsafe { swath_broadphase_insert(broadphase, &moving, &proxy, &mut id) });
            bodies.push(swath_body { shape: ball, pose });
        }
        works(unsafe { swath_broadphase_prepare_queries(broadphase) });
        Self { broadphase, ball, bodies, calls: AtomicUsize::new(0), queries: false }
    }

    fn bodies(&self) -> swath_bodies {
        swath_bodies {
            bvh: null(),
            fixed: null(),
            broadphase: self.broadphase,
            query: swath_query { filter: null(), without_owner: 0, without_kinds: 0 },
            user: std::ptr::from_ref(self).cast_mut().cast(),
            body: Some(body),
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        unsafe { swath_broadphase_destroy(self.broadphase) };
        unsafe { swath_shape_destroy(self.ball) };
    }
}

unsafe extern "C" fn body(user: *mut c_void, id: swath_proxy_id, to: *mut swath_body) {
    let world: &World = unsafe { &*user.cast_const().cast() };
    world.calls.fetch_add(1, Ordering::Relaxed);
    // What the function does not write is a body that is not there.
    assert!(unsafe { (*to).shape }.is_null() && unsafe { (*to).pose } == POSE);
    unsafe { *to = world.bodies[id.index as usize] };
    if world.queries {
        let mut hit = swath_proxy_hit { id: NO_ID, value: 0.0 };
        works(unsafe { swath_broadphase_cast(world.broadphase, &ALONG_X, null(), &mut hit) });
        assert_eq!(hit.id.index, 0);
        let statuses = unsafe {
            [
                swath_broadphase_prepare_queries(world.broadphase),
                swath_broadphase_remove(world.broadphase, id),
            ]
        };
        assert_eq!(statuses, [SWATH_ERROR_BUSY; 2]);
        unsafe { swath_broadphase_destroy(world.broadphase) };
    }
}

/// Goal: calls for many rows have the results of single ones, for any number of threads. Method: casts, sweeps and overlaps at random places
/// of worlds with one, two and four threads.
#[test]
fn many_rows_have_the_results_of_each() {
    const COUNT: usize = 1000;
    for threads in [1, 2, 4] {
        let world = World::new(200, threads);
        let bodies = world.bodies();
        let mut draw = Draw::new(9);
        let mut at = |height: f32| [draw.between(0.0, 400.0), height, draw.between(-1.0, 1.0)];
        let segments: Vec<swath_segment> = (0..COUNT)
            .map(|_| swath_segment { start: at(3.0), delta: [0.5, -6.0, 0.0], max_fraction: 1.0 })
            .collect();
        let motion = |segment: &swath_segment| {
            let pose = swath_pose { position: segment.start, ..POSE };
            swath_motion { pose, delta: segment.delta, spin: [0.0, 0.5, 0.0], ..MOTION }
        };
        let motions: Vec<swath_motion> = segments.iter().map(motion).collect();
        let poses: Vec<swath_pose> =
            (0..COUNT).map(|_| swath_pose { position: at(0.75), ..POSE }).collect();
        let shapes = vec![world.ball.cast_const(); COUNT];
        let mut casts = vec![NO_HIT; COUNT];
        let mut sweeps =
            vec![swath_body_sweep { id: NO_ID, toi: swath_toi_result::default() }; COUNT];
        let mut ids = vec![NO_ID; COUNT];
        unsafe {
            works(swath_bodies_casts(&bodies, segments.as_ptr(), COUNT, casts.as_mut_ptr()));
            let (shapes, motions, poses) = (shapes.as_ptr(), motions.as_ptr(), poses.as_ptr());
            let to = sweeps.as_mut_ptr();
            works(swath_bodies_sweeps(&bodies, shapes, motions, COUNT, null(), to));
            works(swath_bodies_overlaps_any(&bodies, shapes, poses, COUNT, ids.as_mut_ptr()));
        }
        let mut found = [0; 3];
        for k in 0..COUNT {
            let (mut cast, mut sweep, mut id) = (NO_HIT, sweeps[k], NO_ID);
            works(unsafe { swath_bodies_cast(&bodies, &segments[k], &mut cast) });
            works(unsafe {
                swath_bodies_sweep(&bodies, world.ball, &motions[k], null(), &mut sweep)
            });
            works(unsafe { swath_bodies_overlap_any(&bodies, world.ball, &poses[k], &mut id) });
            assert_eq!((cast, sweep, id), (casts[k], sweeps[k], ids[k]), "{k}");
            found[0] += usize::from(cast.id != NO_ID);
            found[1] += usize::from(sweep.id != NO_ID);
            found[2] += usize::from(id != NO_ID);
        }
        assert!(found.iter().all(|&count| count > 100 && count < 950), "{found:?}");
        assert!(world.calls.load(Ordering::Relaxed) > COUNT);
    }
}

/// Goal: the function may query the object, and not change it. Method: it does both.
#[test]
fn function_may_query_its_object_and_not_change_it() {
    let mut world = World::new(20, 1);
    world.queries = true;
    let (bodies, mut hit) = (world.bodies(), NO_HIT);
    works(unsafe { swath_bodies_cast(&bodies, &ALONG_X, &mut hit) });
    assert_eq!((hit.id.index, hit.cast.state), (0, SWATH_CAST_HIT));
    assert!(hit.cast.fraction <= 8.5 && hit.cast.fraction > 8.499);
}

/// Goal: a body without a shape, or whose pose is invalid, is not found. Method: the first ones of a row are such, one after the other.
#[test]
fn bodies_that_are_not_there_are_not_found() {
    let mut world = World::new(4, 1);
    world.bodies[0].shape = null();
    world.bodies[1].pose.rotation = [0.0; 4];
    world.bodies[2].pose.position[1] = f32::NAN;
    let (bodies, mut hit) = (world.bodies(), NO_HIT);
    works(unsafe { swath_bodies_cast(&bodies, &ALONG_X, &mut hit) });
    assert_eq!(hit.id.index, 3);
    let wide = swath_pose { position: [3.0, 0.0, 0.0], ..POSE };
    let mut large = null_mut();
    works(unsafe { swath_shape_sphere(20.0, &mut large) });
    let (mut ids, mut count) = ([NO_ID; 4], 0);
    let to = ids.as_mut_ptr();
    works(unsafe { swath_bodies_overlap(&bodies, large, &wide, to, 4, &mut count) });
    assert_eq!((count, ids[0].index), (1, 3));
    world.bodies[3].shape = null();
    let bodies = world.bodies();
    works(unsafe { swath_bodies_cast(&bodies, &ALONG_X, &mut hit) });
    assert_eq!(hit, NO_HIT);
    let mut sweep = swath_body_sweep { id: ids[0], toi: swath_toi_result::default() };
    let motion = swath_motion { delta: [8.0, 0.0, 0.0], ..MOTION };
    works(unsafe { swath_bodies_sweep(&bodies, large, &motion, null(), &mut sweep) });
    assert_eq!((sweep.id, sweep.toi.state, sweep.toi.t), (NO_ID, SWATH_TOI_SEPARATED, 1.0));
    unsafe { swath_shape_destroy(large) };
}

/// Goal: a wrong argument is an error that names it, and nothing is written. Method: one mistake each.
#[test]
fn wrong_arguments_are_errors() {
    let mut world = World::new(4, 1);
    let words = [0_u64; 2];
    let odd: *const swath_shape = (&raw const words).cast::<u8>().wrapping_add(1).cast();
    let (argument, invalid) = (SWATH_ERROR_ARGUMENT, SWATH_ERROR_INVALID);
    let mut tree = null_mut();
    works(unsafe { swath_bvh_create(null(), &mut tree) });
    let right = world.bodies();
    let of_tree = swath_bodies { bvh: tree, broadphase: null(), ..right };
    let query =
        |without_owner, without_kinds| swath_query { filter: null(), without_owner, without_kinds };
    let mut hit = swath_body_cast { id: swath_proxy_id { index: 77, generation: 7 }, ..NO_HIT };
    let before = hit;
    let cases = [
        (swath_bodies { body: None, ..right }, argument, "bodies: the function `body` is NULL"),
        (swath_bodies { broadphase: null(), ..right }, SWATH_ERROR_NULL, "bodies: bvh, fixed and"),
        (swath_bodies { bvh: tree, ..right }, argument, "bodies: more than one of"),
        (swath_bodies { query: query(0, 16), ..right }, argument, "without_kinds: kind: 4"),
        (swath_bodies { query: query(1, 0), ..of_tree }, argument, "query: without_owner"),
        (swath_bodies { query: query(0, 1), ..of_tree }, argument, "query: without_owner"),
        (swath_bodies { bvh: odd.cast(), ..of_tree }, SWATH_ERROR_MISALIGNED, "bvh: misaligned"),
    ];
    for (bodies, status, text) in cases {
        fails(unsafe { swath_bodies_cast(&bodies, &ALONG_X, &mut hit) }, status, text);
    }
    let wrong = swath_segment { max_fraction: f32::NAN, ..ALONG_X };
    fails(unsafe { swath_bodies_cast(&right, &wrong, &mut hit) }, invalid, "");
    let segments = [ALONG_X, wrong];
    let mut hits = [before; 2];
    let status = unsafe { swath_bodies_casts(&right, segments.as_ptr(), 2, hits.as_mut_ptr()) };
    fails(status, invalid, "segment 1: ");
    assert_eq!((hit, hits), (before, [before; 2]));

    // Motions and poses that are invalid, or too large for a box.
    let (shapes, mut sweeps) = ([world.ball.cast_const(); 2], [unsafe { std::mem::zeroed() }; 2]);
    let far = swath_motion { delta: [1e36, 0.0, 0.0], ..MOTION };
    let zero = swath_motion { pose: swath_pose { rotation: [0.0; 4], ..POSE }, ..MOTION };
    let spinning = swath_motion { spin: [2000.0, 0.0, 0.0], ..MOTION };
    for wrong in [far, zero, spinning] {
        let motions = [MOTION, wrong];
        let status = unsafe {
            let (shapes, motions, to) = (shapes.as_ptr(), motions.as_ptr(), sweeps.as_mut_ptr());
            swath_bodies_sweeps(&right, shapes, motions, 2, null(), to)
        };
        if wrong == far {
            works(status);
        } else {
            fails(status, invalid, "motion 1: ");
        }
        let status =
            unsafe { swath_bodies_sweep(&right, world.ball, &wrong, null(), &mut sweeps[0]) };
        assert_eq!(status == SWATH_OK, wrong == far);
    }
    let mut settings = swath_toi_defaults();
    settings.tolerance = f32::NAN;
    let status = unsafe { swath_bodies_sweeps(&right, null(), null(), 0, &settings, null_mut()) };
    fails(status, invalid, "");
    let poses = [POSE, zero.pose];
    let mut ids = [NO_ID; 2];
    let status = unsafe {
        let (shapes, poses, to) = (shapes.as_ptr(), poses.as_ptr(), ids.as_mut_ptr());
        swath_bodies_overlaps_any(&right, shapes, poses, 2, to)
    };
    fails(status, invalid, "pose 1: ");

    // A shape that is not aligned, which the function writes.
    world.bodies[0].shape = odd;
    let right = world.bodies();
    let text = "the body 0: shape: misaligned";
    let misaligned = SWATH_ERROR_MISALIGNED;
    fails(unsafe { swath_bodies_cast(&right, &ALONG_X, &mut hit) }, misaligned, text);
    let segments = [ALONG_X; 2];
    let status = unsafe { swath_bodies_casts(&right, segments.as_ptr(), 2, hits.as_mut_ptr()) };
    fails(status, misaligned, text);
    let (mut count, to) = (7, hits.as_mut_ptr());
    let status = unsafe { swath_bodies_cast_all(&right, &ALONG_X, to, 2, &mut count) };
    fails(status, misaligned, text);
    assert_eq!((hit, hits, count), (before, [before; 2], 7));

    // A change after the queries were prepared.
    let id = swath_proxy_id { index: 3, generation: 0 };
    works(unsafe { swath_broadphase_remove(world.broadphase, id) });
    let status = unsafe { swath_bodies_cast(&right, &ALONG_X, &mut hit) };
    fails(status, SWATH_ERROR_NOT_PREPARED, "a proxy has changed");
    unsafe { swath_bvh_destroy(tree) };
}

/// Goal: parts and distances of bodies are those that are known. Method: a ball that flies along two balls of a compound, and hostile limits.
#[test]
fn parts_and_distances_are_those_that_are_known() {
    let world = World::new(0, 1);
    let (mut pair, ball) = (null_mut(), world.ball.cast_const());
    let poses = [0.0, 3.0].map(|x| swath_pose { position: [x, 0.0, 0.0], ..POSE });
    works(unsafe { swath_shape_compound([ball; 2].as_ptr(), poses.as_ptr(), 2, &mut pair) });
    let from = swath_pose { position: [6.0, 0.0, 0.0], ..POSE };
    let flying = swath_motion { pose: from, delta: [-8.0, 0.0, 0.0], ..MOTION };
    let (mut parts, mut count) = ([swath_toi_result::default(); 2], 0);
    let each = |capacity: usize, motion: &swath_motion, parts: &mut [_], count: &mut usize| unsafe {
        let to = parts.as_mut_ptr();
        swath_toi_each_part(ball, motion, pair, &MOTION, null(), to, capacity, count)
    };
    works(each(2, &flying, &mut parts, &mut count));
    assert_eq!((count, parts[0].part_b, parts[1].part_b), (2, 1, 0));
    assert!(parts[0].t <= 0.25 && parts[1].t <= 0.625 && parts[1].t > 0.624);
    fails(each(1, &flying, &mut parts, &mut count), SWATH_ERROR_TOO_SHORT, "there are 2 results");
    let wrong = swath_motion { accel: [f32::INFINITY; 3], ..flying };
    fails(each(2, &wrong, &mut parts, &mut count), SWATH_ERROR_INVALID, "motion_a: ");

    let mut near = swath_part_distance::default();
    let within = |most: f32, near: &mut _| unsafe {
        swath_distance_within(ball, &from, pair, &POSE, most, near)
    };
    works(within(f32::INFINITY, &mut near));
    assert!((near.distance - 2.0).abs() < 1e-5 && (near.part_a, near.part_b) == (0, 1));
    works(within(1.0, &mut near));
    assert!(near.distance.is_infinite() && near.normal == [0.0; 3]);
    fails(within(-1.0, &mut near), SWATH_ERROR_INVALID, "");
    fails(within(f32::NAN, &mut near), SWATH_ERROR_INVALID, "");
    let exec = swath_exec { level: null(), threads: 2, pairs_max: 0, executor: null() };
    let (bodies, poses) = ([ball, pair], [from, POSE]);
    let pairs = [swath_pair { a: 0, b: 1 }, swath_pair { a: 1, b: 1 }, swath_pair { a: 0, b: 2 }];
    let mut results = [swath_part_distance { part_a: 7, ..Default::default() }; 3];
    let mut of_pairs = |count: usize, most: f32| unsafe {
        let (bodies, poses, to) = (bodies.as_ptr(), poses.as_ptr(), results.as_mut_ptr());
        swath_distance_within_pairs(bodies, poses, 2, pairs.as_ptr(), count, most, &exec, to)
    };
    fails(of_pairs(3, 9.0), SWATH_ERROR_ARGUMENT, "pair 2");
    fails(of_pairs(2, -1.0), SWATH_ERROR_INVALID, "");
    works(of_pairs(2, 9.0));
    assert!((results[0].distance - 2.0).abs() < 1e-5 && results[1].distance < 0.0);
    assert_eq!(results[2].part_a, 7);
    unsafe { swath_shape_destroy(pair) };
}
