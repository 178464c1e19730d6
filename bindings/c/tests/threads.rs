//! Tests of the threads that objects start.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header"
)]
#![cfg(target_os = "linux")]

use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use swath_c::*;

fn threads_of_this_process() -> usize {
    std::fs::read_dir("/proc/self/task").expect("the threads of this process").count()
}

/// Goal: a mesh has no threads when it is built. Method: the threads of the process after several builds, which end shortly after.
#[test]
fn threads_of_the_build_of_a_mesh_end_with_it() {
    let vertices = [[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
    let triangles = [[0_u32, 2, 1], [1, 2, 3]];
    let points = swath_vectors {
        x: vertices.as_ptr().cast(),
        y: null(),
        z: null(),
        stride: size_of::<[f32; 3]>(),
        offset: 0,
    };
    let exec = swath_exec { level: null(), threads: 4, pairs_max: 0, executor: null() };
    let before = threads_of_this_process();
    let meshes = [(); 8].map(|()| {
        let mut mesh = null_mut();
        let triangles = triangles.as_ptr().cast();
        let status = unsafe { swath_shape_mesh(points, 4, triangles, 2, 0, &exec, &mut mesh) };
        assert_eq!(status, SWATH_OK);
        mesh
    });
    let clock = Instant::now();
    while threads_of_this_process() > before && clock.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(threads_of_this_process(), before);

    // The meshes are complete.
    let segment =
        swath_segment { start: [0.75, 1.0, 0.75], delta: [0.0, -2.0, 0.0], max_fraction: 1.0 };
    let pose = swath_pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    for mesh in meshes {
        let mut result = swath_shape_cast_result::default();
        let status = unsafe { swath_shape_cast(mesh, &pose, &segment, &mut result) };
        assert_eq!((status, result.state, result.part), (SWATH_OK, SWATH_CAST_HIT, 1));
        unsafe { swath_shape_destroy(mesh) };
    }
}
