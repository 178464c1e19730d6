//! Tests of `FixedBoxes` and of the quality of trees.

mod fixed_boxes;
mod fixed_boxes_that_drift;
mod fixed_boxes_that_go_far;
mod tree_quality;
