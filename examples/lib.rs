//! Code that the examples share: exit codes and error lines, progress, measurements, limits of memory, and a hash
//! of the results.

pub mod fnv;
pub mod limits;
pub mod measure;
pub mod progress;
pub mod usage;
