//! Tests of meshes, height fields and compounds.

mod batches;
mod casts;
mod faults;
mod first_times;
mod seams;
mod sides;
