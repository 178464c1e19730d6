//! Who might touch whom?
//!
//! [`PairFinder`] takes borrowed columns and finds every pair of boxes that meet in the tick, in
//! time that grows with the boxes and the pairs. Nothing is kept between ticks but memory.
//! [`FixedBoxes`] keeps boxes that do not move and finds which of them movers meet, in time that
//! grows with the movers and the pairs. [`BoxSet`] and [`FixedSet`] say which boxes may pair.
//! [`Broadphase`] keeps boxes of both kinds under ids and says what begins, persists and ends.
//!
//! How: *strips*. The two axes along which the world is least long for its boxes are cut into
//! cells, which makes strips along the third. A box is copied to every strip it meets
//! (`scatter`), the boxes of a strip are ordered along it by bins (`strip`), and each is compared
//! with those that follow while their bins overlap, a lane group at a time (`overlap`). A pair
//! that meets in several strips counts in one: where at least one of the two starts on either
//! axis. What the cells are is chosen for each tick from a sample (`grid`). Bins are each strip's
//! own, by where its boxes lie, so that crowds and empty space do no harm; boxes in a line, which
//! have no extent to cut across, get strips that follow each other. For swept pairs a box on a long
//! path is only in the strips that the path passes (`path`).
//!
//! Fixed boxes are found in *trees* of nodes as wide as the widest lanes (`tree`), walked by many
//! movers at a time (`probe`): some large and seldom built, some small and often (`fixed`).
//!
//! [`Queries`] asks about boxes in trees, those of [`FixedBoxes`] or of a [`BoxTree`] that is built
//! in one go: which of them a segment enters first, which a shape meets, which are nearest
//! (`query`).

mod admit;
mod buffer;
mod finder;
mod fixed;
mod found;
mod grid;
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
pub use found::Found;
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
