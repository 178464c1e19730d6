//! The systems that find pairs.
//!
//! All have the same task: of boxes around whole paths, every pair that shares a point, except for pairs of
//! two boxes that do not move. Each writes all pairs of the tick to memory, once.
//!
//! | | inside the clock | outside |
//! |---|---|---|
//! | swath | from the columns of boxes and displacements to the pairs, bounds included | |
//! | swath-rows | from an array of bounds to all pairs in one list | making the bounds |
//! | peers | from the bounds, in the peer's own type of box, to the pairs | making the bounds, turning them into that type, naming the lower row of a pair first |
//!
//! So conversions that a peer needs are done for it. The data that are kept between ticks differ; each file
//! describes them. Boxes that never move are in a tree of their own, built in the first tick and only queried
//! afterwards.

#[cfg(feature = "engines")]
mod embree;
mod obvhs;
mod parry;
mod parry_rebuild;
mod parry_refit;
mod rstar;
mod swath;

use std::fmt;
use std::str::FromStr;

use ::swath::{Aabb, MovingBox, MovingBoxColumns};
use rayon::prelude::*;

use self::parry::Parry;
use self::parry_rebuild::Rebuild;
use self::parry_refit::{PASSES_RAPIER, PASSES_TUNED, Refit};
use scenes::World;

/// The two rows may be in either order.
pub(crate) type RowPair = [u32; 2];

/// Least number of queries of a thread.
const QUERIES_MIN: usize = 256;
/// Approximate number of lists per thread, so that no thread waits for long.
const LISTS_PER_THREAD: usize = 32;

/// One tick, in the form that each system needs.
pub(crate) struct Tick<'a> {
    pub(crate) boxes: MovingBoxColumns<'a>,
    pub(crate) moves: &'a [bool],
    /// [`MovingBox::bounds`] of each row.
    pub(crate) bounds: &'a [Aabb],
}

impl<'a> Tick<'a> {
    /// Writes the bounds of the boxes to `bounds`.
    pub(crate) fn new(world: &'a World, bounds: &'a mut Vec<Aabb>) -> Self {
        let [min, max, delta] =
            [&world.min, &world.max, &world.delta].map(|of| of.each_ref().map(Vec::as_slice));
        let boxes = MovingBoxColumns::new(min, max, delta).expect("columns are of one length");
        bounds.clear();
        bounds.extend((0..boxes.len()).map(|row| MovingBox::bounds(&boxes.get(row))));
        Self { boxes, moves: &world.moves, bounds }
    }

    /// The rows that move, or those that do not, with their bounds.
    fn rows(&self, that_move: bool) -> impl Iterator<Item = (u32, Aabb)> {
        let rows = (0..).zip(self.bounds).zip(self.moves);
        rows.filter(move |&(_, &moves)| moves == that_move).map(|((row, &aabb), _)| (row, aabb))
    }
}

/// A system that finds all pairs of a tick on the threads of the current pool.
pub(crate) trait System: Send {
    /// Converts the bounds to its own type. Not timed.
    fn take(&mut self, tick: &Tick<'_>);

    /// Finds the pairs and returns their number. This is timed.
    fn find(&mut self, tick: &Tick<'_>) -> usize;

    /// Calls `visit` with the pairs found last. Not timed.
    fn show(&mut self, tick: &Tick<'_>, visit: &mut dyn FnMut(RowPair));
}

/// A row of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// [`::swath::PairFinder::union_pairs`].
    Swath,
    /// The same from rows of bounds, which the peers read too, to all pairs in one list.
    SwathRows,
    /// [`::swath::PairFinder::swept_pairs`]: fewer pairs, each with its first time.
    SwathSwept,
    /// As rapier uses it.
    ParryRefit,
    /// With more passes of the optimizer than rapier.
    ParryTuned,
    ParryRebuild,
    Obvhs,
    Rstar,
    /// See [`Self::is_built`].
    Embree,
}

impl Kind {
    pub(crate) const ALL: [Self; 9] = [
        Self::Swath,
        Self::SwathRows,
        Self::SwathSwept,
        Self::ParryRefit,
        Self::ParryTuned,
        Self::ParryRebuild,
        Self::Obvhs,
        Self::Rstar,
        Self::Embree,
    ];

    /// Whether this crate was built with it: Embree needs the feature `engines`, and a Debian package.
    pub(crate) fn is_built(&self) -> bool {
        #[cfg(feature = "engines")]
        let embree = embree::is_linked();
        #[cfg(not(feature = "engines"))]
        let embree = false;
        *self != Self::Embree || embree
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Swath => "swath",
            Self::SwathRows => "swath-rows",
            Self::SwathSwept => "swath-swept",
            Self::ParryRefit => "parry-refit",
            Self::ParryTuned => "parry-tuned",
            Self::ParryRebuild => "parry-rebuild",
            Self::Obvhs => "obvhs",
            Self::Rstar => "rstar",
            Self::Embree => "embree",
        }
    }

    /// The crate or the Debian package that is used.
    pub(crate) const fn package(self) -> &'static str {
        match self {
            Self::Swath | Self::SwathRows | Self::SwathSwept => "swath",
            Self::ParryRefit | Self::ParryTuned | Self::ParryRebuild => "parry3d",
            Self::Obvhs => "obvhs",
            Self::Rstar => "rstar",
            Self::Embree => "libembree-dev",
        }
    }

    /// Whether the time of a tick depends on the ticks before: then none may be skipped.
    pub(crate) const fn remembers(self) -> bool {
        matches!(self, Self::ParryRefit | Self::ParryTuned)
    }

    /// Whether it finds the pairs of bounds, as all but one do.
    pub(crate) fn finds_union(self) -> bool {
        self != Self::SwathSwept
    }

    /// A new system.
    pub(crate) fn start(self) -> Box<dyn System> {
        match self {
            Self::Swath => Box::new(swath::Union::default()),
            Self::SwathRows => Box::new(swath::Rows::default()),
            Self::SwathSwept => Box::new(swath::Swept::default()),
            Self::ParryRefit => Box::new(Parry::<Refit<PASSES_RAPIER>>::default()),
            Self::ParryTuned => Box::new(Parry::<Refit<PASSES_TUNED>>::default()),
            Self::ParryRebuild => Box::new(Parry::<Rebuild>::default()),
            Self::Obvhs => Box::new(obvhs::Obvhs::default()),
            Self::Rstar => Box::new(rstar::Rstar::default()),
            #[cfg(feature = "engines")]
            Self::Embree => Box::new(embree::Embree::new()),
            #[cfg(not(feature = "engines"))]
            Self::Embree => unreachable!("it is not built"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let built = Self::ALL.into_iter().filter(Self::is_built);
        let names = || built.map(Self::name).collect::<Vec<_>>().join(", ");
        let kind = Self::ALL.into_iter().find(|kind| kind.name() == name && kind.is_built());
        kind.ok_or_else(|| format!("no system is named {name:?}; the systems are {}", names()))
    }
}

/// Pairs found by queries: one list for each chunk of queries, kept for the next tick.
#[derive(Default)]
struct Lists {
    lists: Vec<Vec<RowPair>>,
    used: usize,
}

impl Lists {
    /// Runs each query on the threads of the current pool. `ask` adds its pairs to the list.
    fn fill<Q: Sync>(&mut self, queries: &[Q], ask: impl Fn(&Q, &mut Vec<RowPair>) + Sync) {
        let threads = rayon::current_num_threads();
        let chunk = match threads {
            1 => queries.len().max(1),
            _ => (queries.len() / (threads * LISTS_PER_THREAD)).max(QUERIES_MIN),
        };
        self.used = queries.len().div_ceil(chunk);
        self.lists.resize_with(self.used.max(self.lists.len()), Vec::new);
        let work = |(queries, list): (&[Q], &mut Vec<RowPair>)| {
            list.clear();
            queries.iter().for_each(|query| ask(query, list));
        };
        match threads {
            1 => queries.chunks(chunk).zip(&mut self.lists).for_each(work),
            _ => queries.par_chunks(chunk).zip(&mut self.lists).for_each(work),
        }
    }

    /// Stores the pairs in any order, and returns their number.
    fn fill_with(&mut self, pairs: impl Iterator<Item = RowPair>) -> usize {
        self.used = 1;
        self.lists.resize_with(self.lists.len().max(1), Vec::new);
        self.lists[0].clear();
        self.lists[0].extend(pairs);
        self.lists[0].len()
    }

    fn len(&self) -> usize {
        self.lists[..self.used].iter().map(Vec::len).sum()
    }

    fn show(&self, visit: &mut dyn FnMut(RowPair)) {
        self.lists[..self.used].iter().flatten().for_each(|&pair| visit(pair));
    }
}
