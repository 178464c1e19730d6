//! The broadphase: which boxes may touch in the tick.
//!
//! * [`PairFinder`] takes borrowed columns and finds every pair of boxes that meet in the tick. Its
//!   time is roughly linear in boxes and pairs, wherever the boxes are; swept pairs of long paths take more. Only its
//!   memory is kept between ticks.
//! * [`FixedBoxes`] stores boxes that do not move, and finds which of them a tick's movers meet.
//!   Its time depends on the movers and pairs.
//! * [`Broadphase`] stores fixed and moving boxes under ids ([`ProxyKind`](crate::ProxyKind)), and reports which pairs begin, persist
//!   and end.
//! * [`Queries`](crate::Queries) finds the stored boxes on a path, in a shape or nearest to a box or a point, for
//!   [`FixedBoxes`] or for a [`Bvh`](crate::Bvh) that is built once (`query`); [`ProxyQueries`] does so for a [`Broadphase`].
//! * [`Decomposition`] divides space into parts for a tick that runs on several machines.
//! * [`PairInput`] and [`FixedInput`] are the inputs; they also define which boxes may pair.
//! * [`MovingBoxInput`] and [`AabbInput`] are the layouts in which boxes are passed: columns, slices, or the caller's own
//!   structures ([`MovingBoxRows`], [`AabbRows`]).
//!
//! The pair finder uses *strips*:
//!
//! ```text
//! choose two axes and cells along them from a sample; strips run along the third axis  (strips/grid)
//! copy each box to every strip it meets (swept pairs: that its path crosses)   (scatter, long_path)
//! for each strip, in parallel:                                                         (sweep)
//!     sort its boxes by bins along the strip (counting sort; bins by where its boxes are)
//!     compare each box with the following ones while bins overlap, one lane group at a time
//!     a pair that meets in several strips is reported by one only: where on each of the two
//!         axes at least one of the boxes starts
//! ```
//!
//! A strip in which this would compare far more boxes than it has, because they are at several scales or overlap along
//! the strip, is divided at medians instead (`join`).
//!
//! The bins are chosen for each strip, so that crowds and empty space cost little. Boxes in a line,
//! which have no extent across it, are divided into strips one after the other.
//!
//! Fixed boxes are stored in a *forest* of bounding volume hierarchies with nodes as wide as the
//! widest lanes (`bvh`): large trees are rarely rebuilt, small ones often (`forest`). Many movers
//! traverse them together (`movers`), or are joined with all fixed boxes if they would visit too many nodes (`mover_pairs`).

pub(crate) mod bvh;
pub(crate) mod decomposition;
pub(crate) mod error;
pub(crate) mod exec;
pub(crate) mod join;
pub(crate) mod pairs;
pub(crate) mod proxies;
pub(crate) mod query;
pub(crate) mod strips;

pub use crate::columns::{
    AabbInput, AabbRows, MovingBoxInput, MovingBoxRows, PlanarBoxColumns, RowsError, VectorRows,
};
pub use bvh::Visits;
pub(crate) use bvh::forest::FixedBoxes;
pub use bvh::forest::FixedError;
pub use decomposition::{Decomposition, DecompositionError, DividingPlane};
pub use error::FindError;
pub use pairs::input::{FixedInput, PairInput};
pub(crate) use pairs::runs::Pairs;
pub use pairs::runs::{FoundPair, PairsIter};
pub use pairs::timings::Timings;
pub(crate) use proxies::Broadphase;
pub use proxies::Movers;
pub use proxies::contact::ProxyContact;
pub use proxies::error::BroadphaseError;
pub(crate) use proxies::id::ProxyId;
pub use proxies::id::{ProxyPair, SweptProxyPair};
pub use proxies::kinds::KindTable;
pub use proxies::layers::Layers;
pub use proxies::pair_cache::PairColumns;
pub use proxies::pair_cache::touching::{Touching, TouchingIter};
pub use proxies::proxy::Proxies;
pub use proxies::queries::{ProxyAccept, ProxyHit, ProxyQueries, ProxyQuery};
pub use proxies::snapshot::Snapshot;
pub use proxies::update::{Changes, Persisted};
pub use proxies::validate::InvariantError;
pub use query::batch::Batch;
pub use query::each::{Overlaps, Proximities};
pub use query::nearest::Proximity;
pub use query::overlap::{Overlap, Planes, QueryShape};
pub use query::path::Path;
pub use query::{Accept, EveryBox, Query};
pub(crate) use strips::PairFinder;
