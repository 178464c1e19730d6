//! What the last updates needed, so that `unused.rs` can free the rest.

use crate::broadphase::pairs::runs::RecentMax;

/// How an update has found the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateKind {
    /// All anew.
    Full,
    /// Those of few proxies.
    Incremental,
    /// None: nothing has changed since the last update.
    Unchanged,
}

/// What the last updates needed.
#[derive(Debug, Default)]
pub(crate) struct Needed {
    /// Pairs, in any of the lists.
    pub(super) pairs: RecentMax,
    /// Whether movers were searched for by the pair finder.
    pub(super) searches: RecentMax,
    /// The number of pairs for which the caller has reserved memory.
    pub(super) reserved: usize,
}

impl Needed {
    /// Keeps the memory for this many pairs from now on.
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.reserved = self.reserved.max(pairs);
    }
}
