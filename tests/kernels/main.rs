//! Tests of the batch kernels and of columns.

mod cast;
mod cast_batches;
mod cast_polyhedra;
mod columns;
mod overlap;
mod overlap_batches;
mod positions;
mod proximity;
mod published_faults;
mod respond;
mod respond_batches;
mod separate;
mod separate_shares;
mod sweep;
mod sweep_accelerating;
mod sweep_accelerating_batches;
mod sweep_spheres;
mod sweep_spheres_batches;
