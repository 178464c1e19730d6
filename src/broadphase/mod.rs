//! The broadphase: which boxes may touch in the tick.
//!
//! * [`PairFinder`] takes borrowed columns and finds every pair of boxes that meet in the tick. Its
//!   time is roughly linear in boxes and pairs, whatever the world. It keeps only memory between ticks.
//! * [`FixedBoxes`] stores boxes that do not move, and finds which of them a tick's movers meet.
//!   Its time depends on the movers and pairs.
//! * [`Broadphase`] stores boxes of both kinds under ids, and reports which pairs begin, persist
//!   and end.
//! * [`Queries`] finds the stored boxes on a path, in a shape or nearest to a point, for
//!   [`FixedBoxes`] or for a [`Bvh`] that is built once (`query`).
//! * [`PairInput`] and [`FixedInput`] are the inputs; they also define which boxes may pair.
//!
//! The pair finder uses *strips*:
//!
//! ```text
//! choose two axes and cells along them from a sample; strips run along the third axis  (grid)
//! copy each box to every strip it meets (swept pairs: that its path crosses)   (scatter, path)
//! for each strip, in parallel:                                                         (strip)
//!     sort its boxes by bins along the strip (counting sort; bins by where its boxes are)
//!     compare each box with the following ones while bins overlap, one lane group at a time
//!     a pair that meets in several strips is reported by one only: where at least one
//!         of the two boxes starts, on either axis
//! ```
//!
//! A strip in which this would compare far more boxes than it has, because they are at several scales or overlap along
//! the strip, is divided at medians instead (`kd_join`).
//!
//! The bins are chosen for each strip, so that crowds and empty space cost little. Boxes in a line,
//! which have no extent across it, are divided into strips one after the other.
//!
//! Fixed boxes are stored in a *forest* of bounding volume hierarchies with nodes as wide as the
//! widest lanes (`tree`): large trees are rarely rebuilt, small ones often (`fixed`). Many movers
//! traverse them together (`probe`).

mod bvh;
pub(crate) mod pairs;
pub mod proxies;
mod query;
mod strips;

pub use bvh::forest::{FixedBoxes, FixedError};
pub use pairs::input::{FixedInput, PairInput};
pub use pairs::runs::{FoundPair, Pairs};
pub use proxies::{
    Broadphase, BroadphaseError, Changes, InvariantError, Layers, Movers, Persisted, Proxies,
    Proxy, ProxyAccept, ProxyHit, ProxyId, ProxyKind, ProxyPair, ProxyQueries, ProxyQuery,
    Snapshot, SweptProxyPair, Touching, TouchingIter,
};
pub use query::{
    Accept, Batch, Bvh, EveryBox, Overlap, Overlaps, Path, Planes, Proximities, Proximity, Queries,
    Query, QueryShape, Visits,
};
pub(crate) use strips::passes::Clock;
pub use strips::passes::Timings;
pub use strips::{FindError, PairFinder};
