//! How an object runs.

use crate::lanes::Level;
use crate::par::Threads;

/// How an object runs: its SIMD level, its threads, and how many pairs it may find.
///
/// Every engine object has one in its field `exec`, which may be changed between calls. Answers are the same for every level and any number of
/// threads. A [`Level`] or [`Threads`] converts into it, with the defaults for the rest.
///
/// ```
/// use swath::{Aabb, Exec, Level, PairFinder, Threads};
///
/// let mut finder = PairFinder::with_exec(Exec { pairs_max: 1_000_000, ..Exec::default() });
/// assert_eq!(finder.exec.level, Level::detect());
/// finder.exec.threads = Threads::one();
/// finder.exec.pairs_max = 2;
/// assert!(finder.union_pairs(&[Aabb::default(); 3]).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Exec {
    /// The SIMD level. The default is the widest one of this CPU.
    pub level: Level,
    /// The threads. The default is the `rayon` pool in which a call is made.
    pub threads: Threads,
    /// The greatest number of pairs of a tick. A search that finds more fails, with the exact number; memory for the pairs of the result
    /// is then limited to about twice what that number of pairs needs. A swept search in slices of time also stores pairs of boxes that may touch,
    /// about 32 for each box at most. Pairs that filters exclude do not count. There is no limit by default.
    pub pairs_max: usize,
}

impl Default for Exec {
    fn default() -> Self {
        Self { level: Level::detect(), threads: Threads::default(), pairs_max: usize::MAX }
    }
}

impl From<Level> for Exec {
    fn from(level: Level) -> Self {
        Self { level, ..Self::default() }
    }
}

impl From<Threads> for Exec {
    fn from(threads: Threads) -> Self {
        Self { threads, ..Self::default() }
    }
}
