//! Tests of meshes, height fields and compounds.

mod first_times;
