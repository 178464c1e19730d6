//! Which pairs of many moving boxes meet in this tick?

pub(crate) mod candidates;
pub(crate) mod grid;
pub(crate) mod kd_join;
pub(crate) mod long_path;
pub(crate) mod passes;
pub(crate) mod scatter;
pub(crate) mod sweep;

use super::pairs::runs::{PairRun, Pairs};
use grid::Sample;

use super::error::FindError;
use super::pairs::input::PairInput;
use crate::geom::{Pair, SweptPair};
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;
use passes::{Stage, Tick};
use scatter::{SWEPT_WORDS, UNION_WORDS};

/// Finds all pairs of boxes that meet in a tick.
///
/// It keeps nothing between ticks but memory: after a tick or two of like size, finding allocates
/// nothing, also when the pairs become a few per cent more. It works on the [`Threads`] it is
/// given, by default those of the `rayon` pool it is called in.
///
/// ```
/// use swath::{MovingBoxColumns, PairFinder};
///
/// // A bullet that flies through a thin wall, and a bird above.
/// let min = [[-9.0, 0.0, -9.0], [0.0, -5.0, 8.0], [0.0, -5.0, 0.0]];
/// let max = [[-8.9, 0.1, -8.0], [0.1, 5.0, 9.0], [0.1, 5.0, 1.0]];
/// let delta = [[20.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
/// let boxes = MovingBoxColumns::new(
///     [&min[0], &min[1], &min[2]],
///     [&max[0], &max[1], &max[2]],
///     [&delta[0], &delta[1], &delta[2]],
/// )?;
///
/// let mut finder = PairFinder::new();
/// let found = finder.swept_pairs(boxes)?;
/// for pair in found.sorted() {
///     assert_eq!((pair.a, pair.b), (0, 1));
///     assert!((pair.first - 0.445).abs() < 1e-6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PairFinder {
    level: Level,
    threads: Threads,
    pairs_max: usize,
    sample: Sample,
    scatterers: Vec<scatter::Scratch>,
    union: Stage<Pair, UNION_WORDS>,
    swept: Stage<SweptPair, SWEPT_WORDS>,
}

/// Leaves the pairs of a run where they are. A function, as a closure would be another one for each
/// type that a public function is called with.
fn leave_there<P>(_: &mut PairRun<P>, _: &mut Vec<P>) {}

impl Default for PairFinder {
    fn default() -> Self {
        Self::with_level(Level::detect())
    }
}

impl PairFinder {
    /// A finder that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A finder that uses `level`. The pairs are the same for each.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level,
            threads: Threads::default(),
            pairs_max: usize::MAX,
            sample: Sample::default(),
            scatterers: Vec::new(),
            union: Stage::default(),
            swept: Stage::default(),
        }
    }

    /// From now on works on these threads. The pairs are the same for any.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// From now on a tick with more pairs than `most` is an error, which says how many there are;
    /// no more memory is used for pairs than about twice what so many need. At first there is no
    /// limit.
    pub fn set_pairs_max(&mut self, most: usize) {
        self.pairs_max = most;
    }

    /// Bytes of memory that the finder holds.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        let scratch: usize = self.scatterers.iter().map(scatter::Scratch::bytes).sum();
        scratch + self.sample.bytes() + self.union.bytes() + self.swept.bytes()
    }

    /// Gives back the memory that ticks of `boxes` boxes with `pairs` pairs need not have; with
    /// zeros all of it. The next ticks allocate what they need anew.
    pub fn shrink_to(&mut self, boxes: usize, pairs: usize) {
        self.union.shrink_to(boxes, pairs);
        self.swept.shrink_to(boxes, pairs);
        // These grow with the threads, not with the boxes.
        (self.scatterers, self.sample) = (Vec::new(), Sample::default());
    }

    /// Makes room for ticks of `boxes` boxes with `pairs` pairs: union pairs, and swept pairs.
    ///
    /// What a tick needs besides depends on where the boxes lie, so that the first one may still
    /// allocate.
    pub fn reserve(&mut self, boxes: usize, union_pairs: usize, swept_pairs: usize) {
        self.union.reserve(boxes, union_pairs);
        self.swept.reserve(boxes, swept_pairs);
    }

    /// The pairs of a set whose boxes around the whole path ([`MovingBox::bounds`]) share a point.
    ///
    /// Two rows that do not move make no pair, nor do two of which a [`Filter`] forbids it: see
    /// [`PairInput`]. Rows that are no boxes are listed in [`Pairs::rejected`].
    ///
    /// [`MovingBox::bounds`]: crate::MovingBox::bounds
    /// [`Filter`]: crate::Filter
    ///
    /// # Errors
    ///
    /// [`FindError`] when there is not one flag or filter for each box, or there are more than 2²⁶
    /// boxes, or more pairs than are allowed.
    pub fn union_pairs<'a>(
        &mut self,
        set: impl Into<PairInput<'a>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        self.find_union(set.into(), None)
    }

    /// The pairs of a set that touch in the tick, with the first time.
    ///
    /// These are the pairs of [`PairFinder::union_pairs`] of which [`sweep`](crate::batch::sweep) answers that they touch, with
    /// the time of that answer. A sweep alone may report a touch, by rounding, of two boxes whose bounds miss each
    /// other; such a pair never touches, and is not found. Flags, filters and rejected rows are as there.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn swept_pairs<'a>(
        &mut self,
        set: impl Into<PairInput<'a>>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(set.into(), None, &leave_there)
    }

    /// As [`PairFinder::swept_pairs`]; `take` is called with each run of pairs, on the thread that
    /// found them, and with memory of that thread.
    pub(crate) fn swept_pairs_taken(
        &mut self,
        set: PairInput<'_>,
        take: &(dyn Fn(&mut PairRun<SweptPair>, &mut Vec<SweptPair>) + Sync),
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(set, None, take)
    }

    /// The pairs of one box of `a` and one of `b` whose boxes around the whole path share a point.
    ///
    /// [`Pair::a`] is a row of `a` and [`Pair::b`] one of `b`, whichever is the lower. Flags and
    /// filters as in [`PairFinder::union_pairs`], and it costs as much as that does for the boxes
    /// of both; for few boxes against many that stay see [`PairFinder::union_pairs`] with flags.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn union_pairs_between<'a, 'b>(
        &mut self,
        a: impl Into<PairInput<'a>>,
        b: impl Into<PairInput<'b>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        self.find_union(a.into(), Some(b.into()))
    }

    /// The pairs of one box of `a` and one of `b` that touch in the tick, with the first time.
    ///
    /// A subset of [`PairFinder::union_pairs_between`]; rows, flags and filters as there.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn swept_pairs_between<'a, 'b>(
        &mut self,
        a: impl Into<PairInput<'a>>,
        b: impl Into<PairInput<'b>>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(a.into(), Some(b.into()), &leave_there)
    }

    fn find_union(
        &mut self,
        first: PairInput<'_>,
        second: Option<PairInput<'_>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        let Self { level, threads, pairs_max, sample, scatterers, union, swept: _ } = self;
        let tick = Tick { level: *level, pairs_max: *pairs_max, first, second };
        union.find(&tick, threads, sample, scatterers, &leave_there)
    }

    fn find_swept(
        &mut self,
        first: PairInput<'_>,
        second: Option<PairInput<'_>>,
        take: &(dyn Fn(&mut PairRun<SweptPair>, &mut Vec<SweptPair>) + Sync),
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        let Self { level, threads, pairs_max, sample, scatterers, union: _, swept } = self;
        let tick = Tick { level: *level, pairs_max: *pairs_max, first, second };
        swept.find(&tick, threads, sample, scatterers, take)
    }
}
