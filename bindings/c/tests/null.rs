//! Tests of NULL for every pointer of every function.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and its mistakes are the subject"
)]

use std::ptr::{null, null_mut};
use swath_c::*;

const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };
const NO_ID: swath_proxy_id = swath_proxy_id { index: SWATH_NO_INDEX, generation: SWATH_NO_INDEX };

/// Goal: no function reads a NULL object. Method: each is called with NULL for all its pointers.
#[test]
fn null_for_every_pointer_is_an_error() {
    let no_filter = swath_filter { category: 0, mask: 0 };
    let statuses = unsafe {
        [
            swath_pair_finder_create(null(), null_mut()),
            swath_pair_finder_union_pairs(null_mut(), null(), null(), 0, null_mut()),
            swath_pair_finder_swept_pairs(null_mut(), null(), null(), 0, null_mut()),
            swath_pair_finder_rejected(null(), null_mut(), null_mut()),
            swath_pair_finder_memory(null(), null_mut()),
            swath_fixed_boxes_create(null(), null_mut()),
            swath_fixed_boxes_put(null_mut(), null(), null()),
            swath_fixed_boxes_remove(null_mut(), null(), 1),
            swath_fixed_boxes_len(null(), null_mut()),
            swath_fixed_boxes_union_pairs(null_mut(), null(), 0, null_mut()),
            swath_fixed_boxes_swept_pairs(null_mut(), null(), 0, null_mut()),
            swath_fixed_boxes_rejected(null(), null_mut()),
            swath_broadphase_create(null(), null_mut()),
            swath_broadphase_len(null(), null_mut()),
            swath_broadphase_contains(null(), NO_ID, null_mut()),
            swath_broadphase_insert(null_mut(), null(), null(), null_mut()),
            swath_broadphase_insert_many(null_mut(), null(), null(), 1, null_mut()),
            swath_broadphase_set(null_mut(), NO_ID, null()),
            swath_broadphase_set_many(null_mut(), null(), null()),
            swath_broadphase_set_delta(null_mut(), NO_ID, null()),
            swath_broadphase_set_delta_many(null_mut(), null(), null(), 1),
            swath_broadphase_rejected(null(), null_mut()),
            swath_broadphase_remove(null_mut(), NO_ID),
            swath_broadphase_remove_many(null_mut(), null(), 1),
            swath_broadphase_clear(null_mut()),
            swath_broadphase_set_kind(null_mut(), NO_ID, 0),
            swath_broadphase_set_kind_many(null_mut(), null(), 1, 0),
            swath_broadphase_set_filter(null_mut(), NO_ID, no_filter),
            swath_broadphase_set_owner(null_mut(), NO_ID, 0),
            swath_broadphase_set_margin(null_mut(), NO_ID, 0.0),
            swath_broadphase_set_data(null_mut(), NO_ID, 0),
            swath_broadphase_set_enabled(null_mut(), NO_ID, 0),
            swath_broadphase_set_enabled_many(null_mut(), null(), 1, 0),
            swath_broadphase_set_kind_pairs(null_mut(), 0, 0, 0),
            swath_broadphase_renew(null_mut(), NO_ID),
            swath_broadphase_proxy(null(), NO_ID, null_mut()),
            swath_broadphase_moving_box(null(), NO_ID, null_mut()),
            swath_broadphase_compared_box(null(), NO_ID, null_mut()),
            swath_broadphase_reserve(null_mut(), 0, 0, 0),
            swath_broadphase_shift_origin(null_mut(), null()),
            swath_broadphase_memory(null(), null_mut()),
            swath_broadphase_update(null_mut(), null(), null_mut()),
            swath_broadphase_changes(null(), null_mut()),
            swath_broadphase_touching(null_mut(), null_mut()),
            swath_broadphase_persisted(null_mut(), null_mut()),
            swath_broadphase_touching_columns(null_mut(), null_mut()),
            swath_broadphase_pairs(null_mut(), null_mut()),
            swath_broadphase_pairs_of(null_mut(), NO_ID, null_mut()),
            swath_broadphase_contains_pair(null(), NO_ID, NO_ID, null_mut()),
            swath_broadphase_data(null(), NO_ID, null_mut()),
            swath_broadphase_contact(null(), NO_ID, NO_ID, null_mut()),
            swath_snapshot_create(null_mut()),
            swath_broadphase_save(null(), null_mut()),
            swath_broadphase_restore(null_mut(), null()),
            swath_bvh_create(null(), null_mut()),
            swath_bvh_build(null_mut(), null()),
            swath_bvh_rejected(null(), null_mut()),
            swath_bvh_len(null(), null_mut()),
            swath_bvh_memory(null(), null_mut()),
            swath_bvh_cast(null(), null(), null(), null_mut()),
            swath_bvh_casts(null(), null(), 1, null(), null_mut()),
            swath_bvh_cast_all(null(), null(), null(), null_mut(), 1, null_mut()),
            swath_bvh_sweep(null(), null(), null(), null_mut()),
            swath_bvh_overlap(null(), null(), null(), null_mut(), 1, null_mut()),
            swath_bvh_overlap_sphere(null(), null(), 1.0, null(), null_mut(), 1, null_mut()),
            swath_bvh_nearest(null(), null(), 1.0, null(), null_mut(), 1, null_mut()),
            swath_bvh_nearest_each(null(), null(), 1.0, null(), null_mut()),
            swath_fixed_boxes_cast(null(), null(), null(), null_mut()),
            swath_fixed_boxes_casts(null(), null(), 1, null(), null_mut()),
            swath_fixed_boxes_sweep(null(), null(), null(), null_mut()),
            swath_fixed_boxes_overlap(null(), null(), null(), null_mut(), 1, null_mut()),
            swath_fixed_boxes_nearest(null(), null(), 1.0, null(), null_mut(), 1, null_mut()),
            swath_broadphase_prepare_queries(null_mut()),
            swath_broadphase_cast(null(), null(), null(), null_mut()),
            swath_broadphase_cast_any(null(), null(), null(), null_mut()),
            swath_broadphase_cast_all(null(), null(), null(), null_mut(), 1, null_mut()),
            swath_broadphase_casts(null(), null(), 1, null(), null_mut()),
            swath_broadphase_sweep(null(), null(), null(), null_mut()),
            swath_broadphase_overlap(null(), null(), null(), null_mut(), 1, null_mut()),
            swath_broadphase_overlap_sphere(null(), null(), 1.0, null(), null_mut(), 1, null_mut()),
            swath_broadphase_nearest(null(), null(), 1.0, null(), null_mut(), 1, null_mut()),
            swath_shape_point(null_mut()),
            swath_shape_sphere(1.0, null_mut()),
            swath_shape_cuboid(null(), null_mut()),
            swath_shape_capsule(1.0, 1.0, null_mut()),
            swath_shape_cylinder(1.0, 1.0, null_mut()),
            swath_shape_cone(1.0, 1.0, null_mut()),
            swath_shape_segment(null(), null(), null_mut()),
            swath_shape_triangle(null(), null(), null(), null_mut()),
            swath_shape_hull(NO_VECTORS, 1, null_mut()),
            swath_shape_rounded(null(), 1.0, null_mut()),
            swath_shape_scaled(null(), null(), null_mut()),
            swath_shape_compound(null(), null(), 1, null_mut()),
            swath_shape_mesh(NO_VECTORS, 0, null(), 1, 0, null(), null_mut()),
            swath_shape_rejected(null(), null_mut()),
            swath_shape_height_field(null(), 2, 2, 1.0, 1.0, 0, null_mut()),
            swath_motion_pose_at(null(), 0.0, null_mut()),
            swath_shape_bounds(null(), null(), null_mut()),
            swath_shape_bounds_over(null(), null(), 0.0, null_mut()),
            swath_shape_cast(null(), null(), null(), null_mut()),
            swath_toi(null(), null(), null(), null(), null(), null_mut()),
            swath_toi_pairs(null(), null(), 1, null(), 1, null(), null(), null_mut()),
            swath_vertex_face_pairs(
                null(),
                null(),
                1,
                null(),
                1,
                null(),
                1,
                null(),
                null(),
                null_mut(),
            ),
            swath_edge_edge_pairs(
                null(),
                null(),
                1,
                null(),
                1,
                null(),
                1,
                null(),
                null(),
                null_mut(),
            ),
            swath_distance(null(), null(), null(), null(), null_mut()),
            swath_overlaps(null(), null(), null(), null(), null_mut()),
            swath_overlaps_pairs(null(), null(), 1, null(), 1, null(), null_mut()),
            swath_distance_pairs(null(), null(), 1, null(), 1, null(), null_mut()),
            swath_pipeline_create(null(), null(), null_mut()),
            swath_pipeline_configure(null_mut(), null()),
            swath_pipeline_tick(null_mut(), null(), null_mut()),
            swath_pipeline_tick_proxies(null_mut(), null_mut(), null(), null_mut()),
            swath_pipeline_stats(null(), null_mut()),
            swath_pipeline_memory(null(), null_mut()),
            swath_bodies_cast(null(), null(), null_mut()),
            swath_bodies_cast_any(null(), null(), null_mut()),
            swath_bodies_cast_all(null(), null(), null_mut(), 1, null_mut()),
            swath_bodies_casts(null(), null(), 1, null_mut()),
            swath_bodies_sweep(null(), null(), null(), null(), null_mut()),
            swath_bodies_sweep_any(null(), null(), null(), null(), null_mut()),
            swath_bodies_sweep_all(null(), null(), null(), null(), null_mut(), 1, null_mut()),
            swath_bodies_sweeps(null(), null(), null(), 1, null(), null_mut()),
            swath_bodies_overlap(null(), null(), null(), null_mut(), 1, null_mut()),
            swath_bodies_overlap_any(null(), null(), null(), null_mut()),
            swath_bodies_overlaps_any(null(), null(), null(), 1, null_mut()),
            swath_toi_each_part(null(), null(), null(), null(), null(), null_mut(), 1, null_mut()),
            swath_distance_within(null(), null(), null(), null(), 1.0, null_mut()),
            swath_distance_within_pairs(null(), null(), 1, null(), 1, 1.0, null(), null_mut()),
            swath_sweep_one_to_many(null(), null(), null(), null_mut(), null_mut(), null_mut()),
            swath_sweep_pairs(null(), null(), null(), 1, null_mut(), null_mut(), null_mut()),
            swath_cast_one_to_many(null(), null(), null(), null_mut(), null_mut()),
        ]
    };
    for (index, status) in statuses.into_iter().enumerate() {
        assert_eq!(status, SWATH_ERROR_NULL, "call {index}");
    }
    // These ignore NULL.
    unsafe {
        swath_pair_finder_destroy(null_mut());
        swath_fixed_boxes_destroy(null_mut());
        swath_broadphase_destroy(null_mut());
        swath_snapshot_destroy(null_mut());
        swath_bvh_destroy(null_mut());
        swath_shape_destroy(null_mut());
        swath_pipeline_destroy(null_mut());
    }
}

/// Goal: the list of the test above is complete. Method: each function of the header that returns a status occurs in it.
#[test]
fn null_is_tested_for_every_function() {
    let (_, tested) =
        include_str!("null.rs").split_once("fn null_for_every_pointer").expect("a test");
    let (tested, _) = tested.split_once("These ignore NULL").expect("the end of the list");
    let header = include_str!("../include/swath.h").lines();
    let names = header.filter_map(|line| line.strip_prefix("swath_status ")?.split_once('('));
    let names: Vec<&str> = names.map(|(name, _)| name).collect();
    assert!(names.len() > 110);
    for name in names {
        assert!(tested.contains(&format!(" {name}(")), "{name}");
    }
}
