//! The continuous collision pipeline: from the bodies of a tick to their impacts.
//!
//! ```text
//! scene
//!  └► bounds      a moving box that contains each body; chunks of rows in parallel
//!      └► candidates    the pairs of these boxes that touch in the tick; strips in parallel
//!          └► windows     drop slow pairs; sweep the boxes for their first and last time: the
//!             (row_cache) answer for plain boxes, the window for convex shapes; runs in parallel
//!              └► convex    the first time of contact of convex shapes, within their window;
//!                           chunks of pairs in parallel
//!                  └► sort    sort by time, then by pair; limit the impacts of each body
//! ```
//!
//! [`Pipeline::tick`](crate::Pipeline::tick) runs all stages for columns. [`Pipeline::tick_proxies`](crate::Pipeline::tick_proxies) runs them for the
//! proxies of a [`Broadphase`](crate::Broadphase), which then finds the pairs. Both report the time
//! of each stage and what it did with the pairs ([`TickStats`]). Each stage can also be used alone:
//! [`Pipeline::bounds`](crate::Pipeline::bounds), [`PairFinder`](crate::PairFinder), [`sweep`](crate::batch::sweep),
//! [`toi::pairs`](crate::convex::toi::pairs).
//!
//! **Curved paths.** The bounds of an accelerated or rotating body are a box that moves on a
//! straight line. It contains the linearised path, grown by the deviation of the true path from it
//! (`|accel|/8` on one side), and the shape in every orientation that it takes in the tick
//! ([`Shape::bounds_over`](crate::Shape::bounds_over)). Two bodies can touch only while these boxes
//! touch, so every impact is inside the window `[first, last]` of the boxes: `first` is never late,
//! and `last` is never early.
//!
//! **Guarantees.** The impacts of a tick are the same, bit by bit and in order, for every level,
//! number of threads and pool. A time of impact is never late, and no impact is missed, except in
//! pairs that the settings drop. Invalid rows are listed and affect no other row. After a few ticks
//! of similar size a tick does not allocate.

mod config;
mod debug;
pub(crate) mod impact;
mod proxies;
mod proxy_rows;
pub(crate) mod scene;
mod stages;
mod stats;
pub(crate) mod tick;

pub use config::{Config, PartImpacts, PipelineError};
pub use debug::capture::{Capture, CaptureError, VERSION};
pub use debug::explain::Explanation;
pub use impact::ImpactKind;
pub use proxies::{BodyInfo, ProxyTickOutput};
pub use scene::{BodyFlags, GeometryBody};
pub use stats::TickStats;
pub use tick::TickOutput;
