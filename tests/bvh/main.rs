//! Tests of `FixedBoxes`, of the contents and memory of `Bvh`, and of the quality of trees.

mod clones;
mod fixed_boxes;
mod fixed_boxes_that_drift;
mod fixed_boxes_that_go_far;
mod static_bvh;
mod tree_quality;
