//! In which order is a tick worked through: bodies in, impacts out?
//!
//! ```text
//! Scene   ──► bounds.rs    a moving box that holds each body; of plain boxes the box itself      chunks of rows in parallel
//!         ──► PairFinder   the pairs of those boxes that touch in the tick                       strips in parallel
//!         ──► windows.rs   drop what is slow; first and last time of the boxes: the answer of    runs in parallel
//!                          plain boxes, the window of convex shapes (rows.rs: where their rows are read)
//!         ──► convex.rs    the first time of convex shapes within their window                   chunks of pairs in parallel
//!         ──► impacts.rs   sorted by time, then pair; so many for each body at most
//! ```
//!
//! [`Pipeline::tick`] does all of it for columns, [`Pipeline::tick_world`] for the proxies of a
//! [`Broadphase`](crate::Broadphase), which finds the pairs then; either tells what each stage took and dropped ([`Stages`]). Each
//! stage can be asked alone: [`Pipeline::bounds`], [`PairFinder`](crate::PairFinder),
//! [`sweep`](crate::sweep), [`advance::pairs`](crate::advance::pairs).
//!
//! **Curved paths.** A body that is accelerated or turns is held by a box that moves straight: around
//! the chord of its path, larger by how far the path bends away from it (`|accel|/8` on the side
//! from which it is pulled away), and large enough for the shape however it is turned in the tick
//! ([`Shape::bounds_over`](crate::Shape::bounds_over)). Two bodies touch only while these boxes do, so no impact is outside
//! the window `[first, last]` of the boxes: `first` is never late and `last` never early.
//!
//! **What is promised.** The impacts of a tick are the same, to the bit and in order, for any level,
//! number of threads and pool. A time is never late, and no impact is missed but of pairs that were
//! to be dropped. Rows that are no bodies are listed and disturb nobody. A warm tick of like size
//! allocates nothing.

mod bounds;
mod capture;
mod convex;
mod explain;
mod impacts;
mod near;
pub mod response;
mod rows;
mod scene;
mod sub_steps;
mod tick;
mod windows;
mod world;

pub use capture::{Capture, CaptureError, VERSION};
pub use explain::Explanation;
pub use impacts::{Impact, Kind};
pub use scene::{Config, Convex, Flags, PipelineError, Scene};
pub use sub_steps::{Held, Mass, Responded, SteppedWorld, SubStepped, SubSteps, SubStepsConfig};
pub use tick::{Pipeline, Stages, Ticked};
pub use world::{About, TickedWorld};
