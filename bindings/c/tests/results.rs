//! Tests of results that a caller may leave out, of the memory that objects report, and of the contacts of proxies.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header"
)]

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use swath::broadphase::{AabbRows, Proxies};
use swath::{Exec, Proxy, Threads};
use swath_c::*;

#[track_caller]
fn works(status: swath_status) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) };
    assert_eq!(status, SWATH_OK, "{message:?}");
}

const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };

/// The calling thread alone, so that memory does not depend on the computer.
const ONE_THREAD: swath_exec =
    swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };

const PROXY: swath_proxy = swath_proxy {
    kind: SWATH_KIND_DYNAMIC,
    filter: swath_filter { category: u32::MAX, mask: u32::MAX },
    owner: 0,
    margin: 0.0,
    data: 0,
    enabled: 1,
};

fn one_thread() -> Exec {
    Exec { threads: Threads::one(), ..Exec::default() }
}

/// Corners of unit boxes in a row, each of which touches the next one. Every third one is invalid if `with_invalid`.
fn corners(count: usize, with_invalid: bool) -> [Vec<[f32; 3]>; 2] {
    let min = (0..count).map(|k| {
        let x = if with_invalid && k % 3 == 0 { f32::NAN } else { k as f32 };
        [x, 0.0, 0.0]
    });
    let min: Vec<[f32; 3]> = min.collect();
    let max = min.iter().map(|&[x, ..]| [x + 1.0, 1.0, 1.0]).collect();
    [min, max]
}

fn boxes_of([min, max]: &[Vec<[f32; 3]>; 2]) -> swath_boxes {
    let rows = |array: &[[f32; 3]]| {
        let stride = size_of::<[f32; 3]>();
        swath_vectors { x: array.as_ptr().cast(), stride, ..NO_VECTORS }
    };
    swath_boxes {
        count: min.len(),
        min: rows(min),
        max: rows(max),
        delta: NO_VECTORS,
        tick_seconds: 0.0,
        centered: 0,
        moves: null(),
        filters: null(),
        labels: null(),
    }
}

/// Goal: results that are not needed are left out, and the others are the same. Method: all subsets of the second outputs are NULL.
#[test]
fn outputs_that_are_null_are_left_out() {
    const COUNT: usize = 100;
    let corners = corners(COUNT, true);
    let boxes = boxes_of(&corners);
    let aabb = swath_aabb { min: [10.5, 0.25, 0.25], max: [11.5, 0.75, 0.75] };
    let one = swath_moving_box { aabb, delta: [20.0, 0.0, 0.0] };
    let pairs: Vec<swath_pair> =
        (0..COUNT as u32).map(|k| swath_pair { a: k, b: (k + 1) % COUNT as u32 }).collect();
    let sweep = |with_last: bool, with_contact: bool, of_pairs: bool| {
        let (mut first, mut last) = (vec![-1.0_f32; COUNT], vec![-1.0_f32; COUNT]);
        let mut contact = vec![7_u32; COUNT];
        let first_to = first.as_mut_ptr();
        let last_to = if with_last { last.as_mut_ptr() } else { null_mut() };
        let contact_to = if with_contact { contact.as_mut_ptr() } else { null_mut() };
        works(unsafe {
            if of_pairs {
                let (pairs, count) = (pairs.as_ptr(), pairs.len());
                swath_sweep_pairs(null(), &boxes, pairs, count, first_to, last_to, contact_to)
            } else {
                swath_sweep_one_to_many(null(), &one, &boxes, first_to, last_to, contact_to)
            }
        });
        (first, last, contact)
    };
    for of_pairs in [false, true] {
        let (first, last, contact) = sweep(true, true, of_pairs);
        assert!(first.iter().filter(|first| first.is_finite()).count() > 10);
        assert!(last.iter().all(|&last| last >= 0.0) && contact.iter().any(|&word| word > 7));
        for (with_last, with_contact) in [(true, false), (false, true), (false, false)] {
            let found = sweep(with_last, with_contact, of_pairs);
            assert_eq!(found.0, first);
            assert_eq!(found.1, if with_last { last.clone() } else { vec![-1.0; COUNT] });
            assert_eq!(found.2, if with_contact { contact.clone() } else { vec![7; COUNT] });
        }
    }

    let segment =
        swath_segment { start: [-1.0, 0.5, 0.5], delta: [1.0, 0.0, 0.0], max_fraction: 50.0 };
    let (mut both, mut alone, mut exit) = (vec![0.0; COUNT], vec![1.0; COUNT], vec![0.0; COUNT]);
    works(unsafe {
        let (entry, exit) = (both.as_mut_ptr(), exit.as_mut_ptr());
        swath_cast_one_to_many(null(), &segment, &boxes, entry, exit)
    });
    works(unsafe {
        swath_cast_one_to_many(null(), &segment, &boxes, alone.as_mut_ptr(), null_mut())
    });
    assert!(both.iter().filter(|entry| entry.is_finite()).count() > 20);
    assert_eq!(alone, both);
}

/// Goal: the memory of an object includes the lists that only the C interface has. Method: the same calls in Rust; the difference is at
/// least the size of the lists.
#[test]
fn memory_includes_the_lists_of_results() {
    const COUNT: usize = 3000;
    let corners = corners(COUNT, true);
    let boxes = boxes_of(&corners);
    let rows = AabbRows::new(&corners[0], &corners[1]).expect("equal lengths");
    let rejected = COUNT / 3 * size_of::<swath_rejected>();
    let mut bytes = 0;

    let mut bvh = null_mut();
    works(unsafe { swath_bvh_create(&ONE_THREAD, &mut bvh) });
    works(unsafe { swath_bvh_build(bvh, &boxes) });
    works(unsafe { swath_bvh_memory(bvh, &mut bytes) });
    let mut in_rust = swath::Bvh::with_exec(one_thread());
    assert_eq!(in_rust.build(rows).expect("a tree").len(), COUNT / 3);
    assert!(bytes >= in_rust.memory_usage() + rejected, "{bytes}");
    unsafe { swath_bvh_destroy(bvh) };

    let mut finder = null_mut();
    let mut pairs = swath_pairs { data: null(), count: 0 };
    works(unsafe { swath_pair_finder_create(&ONE_THREAD, &mut finder) });
    works(unsafe {
        swath_pair_finder_union_pairs(finder, &boxes, null(), SWATH_SORTED, &mut pairs)
    });
    works(unsafe { swath_pair_finder_memory(finder, &mut bytes) });
    let mut in_rust = swath::PairFinder::with_exec(one_thread());
    assert_eq!(in_rust.union_pairs(rows).expect("pairs").sorted().len(), pairs.count);
    assert!(bytes >= in_rust.memory_usage() + rejected, "{bytes}");
    unsafe { swath_pair_finder_destroy(finder) };

    let mut world = null_mut();
    let proxies = vec![PROXY; COUNT];
    let mut ids = vec![swath_proxy_id { index: 0, generation: 0 }; COUNT];
    let mut touching = swath_swept_proxy_pairs { data: null(), count: 0 };
    works(unsafe { swath_broadphase_create(&ONE_THREAD, &mut world) });
    works(unsafe {
        let (proxies, ids) = (proxies.as_ptr(), ids.as_mut_ptr());
        swath_broadphase_insert_many(world, &boxes, proxies, COUNT, ids)
    });
    works(unsafe { swath_broadphase_update(world, null(), null_mut()) });
    works(unsafe { swath_broadphase_touching(world, &mut touching) });
    works(unsafe { swath_broadphase_memory(world, &mut bytes) });
    let mut in_rust = swath::Broadphase::with_exec(one_thread());
    let described = vec![Proxy::dynamic(); COUNT];
    in_rust.insert_many(rows, Proxies::Each(&described), &mut Vec::new()).expect("ids");
    assert_eq!(in_rust.update().expect("pairs").touching().len(), touching.count);
    assert!(touching.count > COUNT / 4);
    let lists = rejected
        + COUNT * (size_of::<Proxy>() + size_of::<swath_proxy_id>())
        + touching.count * size_of::<swath_swept_proxy_pair>();
    assert!(bytes >= in_rust.memory_usage() + lists, "{bytes}");
    unsafe { swath_broadphase_destroy(world) };
}

/// Goal: the normal of boxes that touch at the start is what the header states. Method: boxes that share a face, an edge along z, and
/// inner points.
#[test]
fn normal_of_surfaces_that_touch_at_the_start_is_their_lowest_axis() {
    let mut world = null_mut();
    works(unsafe { swath_broadphase_create(&ONE_THREAD, &mut world) });
    let insert = |min: [f32; 3]| {
        let aabb = swath_aabb { min, max: min.map(|x| x + 1.0) };
        let mut id = swath_proxy_id { index: 0, generation: 0 };
        let moving = swath_moving_box { aabb, delta: [0.0; 3] };
        works(unsafe { swath_broadphase_insert(world, &moving, &PROXY, &mut id) });
        id
    };
    let first = insert([0.0; 3]);
    let cases = [
        ([0.0, 0.0, -1.0], 1, [0.0, 0.0, -1.0]),
        ([0.5, 1.0, 0.0], 1, [0.0, 1.0, 0.0]),
        ([-1.0, 1.0, 0.0], 1, [-1.0, 0.0, 0.0]),
        ([0.5, 0.5, 0.5], 1, [0.0; 3]),
        ([3.0, 0.0, 0.0], 0, [0.0; 3]),
    ];
    for (min, overlapping, normal) in cases {
        let second = insert(min);
        let mut contact = unsafe { std::mem::zeroed::<swath_contact>() };
        works(unsafe { swath_broadphase_contact(world, first, second, &mut contact) });
        assert_eq!((contact.overlapping, contact.normal), (overlapping, normal), "{min:?}");
    }
    unsafe { swath_broadphase_destroy(world) };
}
