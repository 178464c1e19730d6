//! Tests of queries that several threads make of one object.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header"
)]

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use swath_c::*;

#[track_caller]
fn works(status: swath_status) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) };
    assert_eq!(status, SWATH_OK, "{message:?}");
}

const NO_ID: swath_proxy_id = swath_proxy_id { index: SWATH_NO_INDEX, generation: SWATH_NO_INDEX };
const MISS: swath_proxy_hit = swath_proxy_hit { id: NO_ID, value: f32::INFINITY };

/// A broadphase with 2000 unit boxes in a row, of all kinds, whose queries are prepared.
fn row_of_proxies(exec: &swath_exec) -> *mut swath_broadphase {
    let mut world = null_mut();
    works(unsafe { swath_broadphase_create(exec, &mut world) });
    for k in 0..2000_u32 {
        let x = 2.0 * k as f32;
        let aabb = swath_aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
        let moving = swath_moving_box { aabb, delta: [0.25, 0.0, 0.0] };
        let filter = swath_filter { category: u32::MAX, mask: u32::MAX };
        let margin = if k % 3 == 0 { 0.25 } else { 0.0 };
        let proxy = swath_proxy { kind: k % 4, filter, owner: 0, margin, data: 0, enabled: 1 };
        let mut id = NO_ID;
        works(unsafe { swath_broadphase_insert(world, &moving, &proxy, &mut id) });
    }
    works(unsafe { swath_broadphase_prepare_queries(world) });
    world
}

/// A segment from above through box `k`.
fn down(k: usize) -> swath_segment {
    let start = [2.0 * k as f32 + 0.5, 4.0, 0.5];
    swath_segment { start, delta: [0.0, -8.0, 0.0], max_fraction: 1.0 }
}

/// The results of all queries about box `k`, as numbers.
fn results(world: *const swath_broadphase, k: usize) -> Vec<u32> {
    let (segment, x) = (down(k), 2.0 * k as f32);
    let aabb = swath_aabb { min: [x - 2.5, 0.0, 0.0], max: [x + 0.5, 1.0, 1.0] };
    let moving = swath_moving_box { aabb, delta: [0.0, 1.0, 0.0] };
    let (mut first, mut swept, mut all) = (MISS, MISS, [MISS; 4]);
    let (mut near, mut each) = ([MISS; 4], [MISS; 3]);
    let (mut ids, mut in_ball, mut counts) = ([NO_ID; 4], [NO_ID; 4], [0; 4]);
    let [c0, c1, c2, c3] = &mut counts;
    unsafe {
        works(swath_broadphase_cast(world, &segment, null(), &mut first));
        works(swath_broadphase_cast_all(world, &segment, null(), all.as_mut_ptr(), 4, c0));
        works(swath_broadphase_casts(world, [segment; 3].as_ptr(), 3, null(), each.as_mut_ptr()));
        works(swath_broadphase_sweep(world, &moving, null(), &mut swept));
        works(swath_broadphase_overlap(world, &aabb, null(), ids.as_mut_ptr(), 4, c1));
        let (center, to) = (segment.start.as_ptr(), in_ball.as_mut_ptr());
        works(swath_broadphase_overlap_sphere(world, center, 4.0, null(), to, 4, c2));
        works(swath_broadphase_nearest(world, &aabb, 1.0, null(), near.as_mut_ptr(), 4, c3));
    }
    assert_eq!(first.id.index as usize, k);
    assert_eq!((each, counts[0]), ([first; 3], 1));
    let hits = [&[first, swept][..], &all, &near].concat();
    let counts = counts.map(|count| count as u32);
    [bytemuck::cast_slice(&hits), bytemuck::cast_slice(&[ids, in_ball]), &counts].concat()
}

/// Goal: several threads may query a broadphase at the same time, and get the results of one thread. Method: four threads that make all
/// queries, each beginning at another box, of objects with one thread and with two.
#[test]
fn prepared_queries_from_several_threads_are_those_of_one() {
    struct Shared(*const swath_broadphase);
    // SAFETY: the header allows calls with a pointer to const from several threads.
    unsafe impl Sync for Shared {}
    for threads in [1, 2] {
        let exec = swath_exec { level: null(), threads, pairs_max: 0, executor: null() };
        let world = row_of_proxies(&exec);
        let expected: Vec<Vec<u32>> = (0..2000).step_by(10).map(|k| results(world, k)).collect();
        let shared = Shared(world);
        std::thread::scope(|scope| {
            for first in 0..4 {
                let (shared, expected) = (&shared, &expected);
                scope.spawn(move || {
                    for k in 0..expected.len() {
                        let k = (k + 50 * first) % expected.len();
                        assert_eq!(results(shared.0, 10 * k), expected[k], "box {}", 10 * k);
                    }
                });
            }
        });
        unsafe { swath_broadphase_destroy(world) };
    }
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Goal: during a query others may query, and none may change the broadphase. Method: an executor that does both while it runs a batch.
#[test]
fn changes_during_a_query_are_busy_and_queries_are_not() {
    unsafe extern "C" fn run(
        user: *mut c_void,
        tasks: usize,
        task: swath_task,
        context: *mut c_void,
    ) {
        let world: *mut swath_broadphase = unsafe { *user.cast() };
        let task = task.expect("the library passes a task");
        let mut hit = MISS;
        // It runs when the trees are built too, before the address is written.
        if !world.is_null() {
            RUNS.fetch_add(1, Ordering::Relaxed);
            works(unsafe { swath_broadphase_cast(world, &down(7), null(), &mut hit) });
            assert_eq!(hit.id.index, 7);
            let statuses = unsafe {
                [
                    swath_broadphase_prepare_queries(world),
                    swath_broadphase_remove(world, hit.id),
                    swath_broadphase_clear(world),
                ]
            };
            assert_eq!(statuses, [SWATH_ERROR_BUSY; 3]);
            unsafe { swath_broadphase_destroy(world) };
        }
        (0..tasks).for_each(|index| unsafe { task(context, index) });
    }
    let mut of_callback: *mut swath_broadphase = null_mut();
    let user = &raw mut of_callback;
    let executor = swath_executor { user: user.cast(), threads: 4, run: Some(run) };
    let exec = swath_exec { level: null(), threads: 0, pairs_max: 0, executor: &executor };
    let world = row_of_proxies(&exec);
    let segments: Vec<swath_segment> = (0..20_000).map(|k| down(k % 2000)).collect();
    let mut hits = vec![MISS; segments.len()];
    unsafe { *user = world };
    works(unsafe {
        let (segments, count) = (segments.as_ptr(), segments.len());
        swath_broadphase_casts(world, segments, count, null(), hits.as_mut_ptr())
    });
    unsafe { *user = null_mut() };
    assert!(RUNS.load(Ordering::Relaxed) > 0);
    assert!(hits.iter().enumerate().all(|(k, hit)| hit.id.index as usize == k % 2000));
    unsafe { swath_broadphase_destroy(world) };
}
