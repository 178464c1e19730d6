//! Tests of convex shapes: time of impact, distance and casts.

mod bounds;
mod cast;
mod depth_of_boxes;
mod depth_of_convex;
mod distance;
mod distance_closed_forms;
mod distance_of_rounded;
mod elements;
mod elements_batches;
mod hostile_support_maps;
mod overlaps;
mod owned_shapes;
mod scales;
mod spec_distance;
mod spec_first_time;
mod surface_points;
mod toi;
mod toi_at_any_scale;
mod toi_batches;
mod toi_closed_forms;
mod toi_known_failures;
mod toi_of_boxes;
mod toi_of_resting_contacts;
mod toi_of_rolling_bodies;
mod toi_of_touches;
mod toi_search_steps;
