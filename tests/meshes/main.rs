//! Tests of meshes, height fields and compounds.

mod batches;
mod casts;
mod faults;
mod first_times;
mod limits;
mod queries;
mod seams;
mod sides;
mod whole_turns;
