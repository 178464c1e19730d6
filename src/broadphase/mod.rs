//! The broadphase: which boxes may touch in the tick.
//!
//! * [`PairFinder`] takes borrowed columns and finds every pair of boxes that meet in the tick. Its
//!   time is roughly linear in boxes and pairs, whatever the world. It keeps only memory between ticks.
//! * [`FixedBoxes`] stores boxes that do not move, and finds which of them a tick's movers meet.
//!   Its time depends on the movers and pairs.
//! * [`Broadphase`] stores boxes of both kinds under ids, and reports which pairs begin, persist
//!   and end.
//! * [`Queries`] finds the stored boxes on a path, in a shape or nearest to a point, for
//!   [`FixedBoxes`] or for a [`BoxTree`] that is built once (`query`).
//! * [`BoxSet`] and [`FixedSet`] are the inputs; they also define which boxes may pair.
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

mod admit;
mod buffer;
mod candidates;
mod finder;
mod fixed;
mod found;
mod grid;
mod kd_join;
mod path;
mod place;
mod probe;
mod query;
mod scatter;
mod set;
mod stage;
mod strip;
mod tree;
pub mod world;

pub use finder::{FindError, PairFinder};
pub use fixed::{FixedBoxes, FixedError};
pub use found::{Found, FoundPair};
pub use query::{
    Accept, Batch, BoxTree, EveryBox, Overlap, Overlaps, Path, Planes, Proximities, Proximity,
    Queries, Query, Shape, Visits,
};
pub use set::{BoxSet, FixedSet};
pub(crate) use stage::Clock;
pub use stage::Timings;
pub use world::{
    Broadphase, Broken, Changes, Layers, Movers, Persisted, Proxies, Proxy, ProxyHit, ProxyId,
    ProxyPair, Set, Snapshot, SweptProxyPair, Touching, TouchingIter, WorldAccept, WorldError,
    WorldQueries, WorldQuery,
};
