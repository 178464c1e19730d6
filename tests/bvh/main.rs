//! Do fixed boxes and their trees find every pair and stay good?

mod fixed_boxes;
mod fixed_boxes_that_drift;
mod fixed_boxes_that_go_far;
mod tree_quality;
