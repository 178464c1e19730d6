//! Tests that a warm tick of a pipeline does not allocate. They are the only test of their program, which counts requests for memory.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header"
)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;
use swath_c::*;
use testkit::counting::{ALLOCATIONS, Counting};
use testkit::draw::Draw;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };
const POSE: swath_pose = swath_pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
const FILTER: swath_filter = swath_filter { category: u32::MAX, mask: u32::MAX };

unsafe extern "C" fn describe(user: *mut c_void, id: swath_proxy_id, body: *mut swath_proxy_body) {
    let bodies: &Vec<swath_proxy_body> = unsafe { &*user.cast() };
    unsafe { *body = bodies[id.index as usize] };
}

/// Goal: a warm tick allocates nothing. Method: count requests over ticks of boxes in rows with accelerations, balls, sensors, slow pairs and an
/// invalid row, and of the same bodies in a broadphase; the least count of several ticks.
#[test]
fn warm_tick_allocates_nothing() {
    let mut draw = Draw::new(5);
    let (mut ball, mut pipeline, mut of_world) = (null_mut(), null_mut(), null_mut());
    let mut world = null_mut();
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let mut settings = swath_pipeline_defaults();
    (settings.impacts_per_body, settings.fast) = (3, 1.0);
    unsafe {
        assert_eq!(swath_shape_sphere(0.2, &mut ball), SWATH_OK);
        assert_eq!(swath_pipeline_create(&settings, &exec, &mut pipeline), SWATH_OK);
        assert_eq!(swath_pipeline_create(&settings, &exec, &mut of_world), SWATH_OK);
        assert_eq!(swath_broadphase_create(&exec, &mut world), SWATH_OK);
    }
    let (mut rows, mut flags) = (Vec::new(), Vec::new());
    let (mut bodies, mut described) = (Vec::new(), Vec::new());
    for row in 0..1500_u32 {
        let at = [(); 3].map(|()| draw.between(-8.0, 8.0));
        let delta = [(); 3].map(|()| draw.between(-1.0, 1.0));
        rows.push([at, [if row == 7 { -1.0 } else { 0.2 }; 3], delta, [0.0, -0.25, 0.0]]);
        flags.push(if row % 50 == 0 { 5_u8 } else { 1 });
        let pose = swath_pose { position: at, ..POSE };
        let motion = swath_motion { pose, delta, accel: [0.0; 3], spin: [0.25, 0.0, 0.5] };
        let mut around = unsafe { std::mem::zeroed::<swath_moving_box>() };
        let shape = if row % 3 == 0 { ball.cast_const() } else { null() };
        unsafe {
            assert_eq!(swath_shape_bounds_over(ball, &motion, 0.0, &mut around), SWATH_OK);
            let (mut id, filter) = (std::mem::zeroed::<swath_proxy_id>(), FILTER);
            let proxy = swath_proxy { kind: 0, filter, owner: 0, margin: 0.0, data: 0, enabled: 1 };
            assert_eq!(swath_broadphase_insert(world, &around, &proxy, &mut id), SWATH_OK);
        }
        if row % 3 == 0 {
            bodies.push(swath_scene_body { shape, motion, row });
        }
        described.push(swath_proxy_body { shape, motion, flags: flags[row as usize] });
    }
    let vectors = |which: usize| swath_vectors {
        x: rows.as_ptr().cast(),
        stride: 48,
        offset: 12 * which,
        ..NO_VECTORS
    };
    let boxes = swath_boxes {
        count: rows.len(),
        min: vectors(0),
        max: vectors(1),
        delta: vectors(2),
        tick_seconds: 0.0,
        centered: 1,
        moves: null(),
        filters: null(),
        labels: null(),
    };
    let scene = swath_scene {
        boxes,
        accel: vectors(3),
        flags: flags.as_ptr(),
        bodies: bodies.as_ptr(),
        body_count: bodies.len(),
    };
    let user = (&raw mut described).cast();
    let of_proxies = swath_proxy_bodies { user, body: Some(describe) };
    let mut least = [usize::MAX; 2];
    for round in 0..12 {
        let mut tick = unsafe { std::mem::zeroed::<swath_tick>() };
        let mut proxy_tick = unsafe { std::mem::zeroed::<swath_proxy_tick>() };
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(unsafe { swath_pipeline_tick(pipeline, &scene, &mut tick) }, SWATH_OK);
        let between = ALLOCATIONS.load(Ordering::Relaxed);
        let status =
            unsafe { swath_pipeline_tick_proxies(of_world, world, &of_proxies, &mut proxy_tick) };
        let after = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(status, SWATH_OK);
        assert!(tick.impacts.count > 50 && tick.sensed.count > 5 && tick.slow.count > 0);
        assert_eq!(tick.rejected.count, 1);
        assert!(proxy_tick.impacts.count > 50);
        if round >= 4 {
            least = [least[0].min(between - before), least[1].min(after - between)];
        }
    }
    assert_eq!(least, [0; 2]);
    unsafe {
        swath_pipeline_destroy(pipeline);
        swath_pipeline_destroy(of_world);
        swath_broadphase_destroy(world);
        swath_shape_destroy(ball);
    }
}
