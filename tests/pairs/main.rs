//! Tests of `PairFinder`.

mod decomposition;
mod exact;
mod filters;
mod hostile_worlds;
mod labels;
mod layouts;
mod long_paths;
mod long_paths_in_crowds;
mod order;
mod other_finders;
mod pair_limit;
mod reach;
mod stored_hashes;
mod threads;
mod time_slices;
