//! Does the pair finder find every pair once, and nothing else?

mod exact;
mod filters;
mod hostile_worlds;
mod long_paths;
mod order;
mod other_finders;
mod pair_limit;
