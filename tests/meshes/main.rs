//! Tests of meshes, height fields and compounds.

mod batches;
mod bodies;
mod casts;
mod convex_edges;
mod copies;
mod distances;
mod far_parts;
mod faults;
mod fine;
mod first_times;
mod inner_edges;
mod limits;
mod nearest_geometries;
mod needles;
mod overlaps;
mod part_searches;
mod platforms;
mod queries;
mod seams;
mod sides;
mod support_maps;
mod walks;
mod whole_turns;
