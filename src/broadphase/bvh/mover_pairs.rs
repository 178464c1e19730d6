//! Finds the pairs of movers and the fixed boxes of a forest.
//!
//! ```text
//! few movers:                                     traverse the trees
//! for each run of movers, in parallel: traverse the trees, until more nodes than the round allows were visited without a
//!                                      pair, or more pairs were excluded           (movers.rs, mover_progress.rs)
//! no mover is left:                               done
//! the others would need more work than a join:          join them with all fixed boxes, in parallel  (../join)
//! else:                                           another round, which allows twice as many nodes
//! ```
//!
//! A stick across n sticks on other axes visits as many nodes as the square root of n, and a plate across n points n to
//! the power of 2/3, also if they have no pair. A join reads each fixed box, so it is done only after a round whose
//! allowance is in proportion to the boxes and movers. Movers in a crowd of boxes that filters or owners exclude also visit many nodes
//! without a pair, or have many pairs excluded; they are joined if the join separates these boxes. All decisions are made from counts that are the same for every level
//! and any number of threads.

use super::joined_movers::{JoinedMovers, write_words};
use super::mover_progress::MoverProgress;
use super::movers::{MoverPairs, MoverRecord, TouchMovers, TraverseMovers};
use super::{BvhItem, Stack, Tree};
use crate::broadphase::join::divided::DividedJoin;
use crate::broadphase::pairs::buffer::{Buffer, reserve_for};
use crate::broadphase::pairs::candidates::Candidates;
use crate::broadphase::pairs::input::{PairInput, ROW as ROWS_OF_JOIN, label_rows};
use crate::broadphase::pairs::limit::PairLimit;
use crate::broadphase::pairs::runs::{FoundPair, PairRun, PairRuns};
use crate::columns::impl_memory;
use crate::geom::{Pair, SweptPair, lengthen_by_default, most_of, sum_of};
use crate::lanes::Level;
use crate::par::{self, Clock, Threads};
use alloc::vec::Vec;
use core::time::Duration;

/// Greatest number of runs into which the movers are divided for the threads.
const RUNS: usize = 64;
/// Fewest movers of a run.
const RUN_MIN: usize = 128;
/// How many nodes more than expected the first round may visit, for each fixed box and each mover.
const ROUND_NODES: u64 = if cfg!(fuzzing) { 0 } else { 1 };
/// Number of node visits that take as long as the join of one box.
const JOIN_NODES: u64 = if cfg!(fuzzing) { 0 } else { 12 };
/// Number of node visits that take as long as one candidate of a join.
const CANDIDATES_NODES: f64 = if cfg!(fuzzing) { 0.0 } else { 0.5 };
/// Fewest boxes and movers that are joined.
const JOIN_ROWS_MIN: usize = if cfg!(fuzzing) { 8 } else { 512 };

/// Number of node visits that take as long as the test of a pair, which excludes it.
const TEST_NODES: f64 = if cfg!(fuzzing) { 0.0 } else { 1.0 };
/// Up to this many movers are searched for in a single run without rounds. A join separates so few from no crowd
/// ([`OVERLAPS_MIN`](crate::broadphase::join::excluded::OVERLAPS_MIN)), and costs hardly less.
const FEW: usize = if cfg!(fuzzing) { 8 } else { 18 };

/// How many movers a run has.
fn run_of(movers: usize) -> usize {
    movers.div_ceil(RUNS).max(RUN_MIN)
}

/// Into how many runs the movers are divided.
pub(crate) fn runs_of(movers: usize) -> usize {
    movers.div_ceil(run_of(movers))
}

/// Memory for a search, besides its movers and pairs.
#[derive(Debug, Default)]
pub(crate) struct MoverScratch {
    /// One for each thread.
    stacks: Vec<Stack>,
    /// The movers that are joined.
    left: Vec<u32>,
    /// The words of the filters of these, and of the boxes.
    words: Vec<u32>,
    join: DividedJoin,
    /// Numbers of visited nodes and of joined movers of the last search.
    #[cfg(test)]
    pub(crate) work: (u64, usize),
    /// Number of pairs that tests excluded in the last search.
    #[cfg(test)]
    pub(crate) excluded: usize,
}

#[cfg(test)]
impl MoverScratch {
    /// Returns how many boxes were read, and how many comparisons were made, by all joins so far.
    pub(crate) fn join_work(&self) -> (u64, u64) {
        self.join.work()
    }
}

impl_memory!(MoverScratch { left, words, join; lists of stacks; without #[cfg(test)] work, #[cfg(test)] excluded });

impl MoverScratch {
    /// Reserves memory for traversals of the trees by this many threads.
    pub(crate) fn reserve(&mut self, threads: usize, trees: &[Tree]) {
        lengthen_by_default(&mut self.stacks, threads);
        let depth = most_of(trees, |tree| tree.depth);
        self.stacks.iter_mut().for_each(|stack| stack.reserve(depth));
    }
}

/// The input of a search.
#[derive(Clone, Copy)]
pub(crate) struct MoverSearch<'a> {
    pub(crate) level: Level,
    pub(crate) threads: &'a Threads,
    pub(crate) trees: &'a [Tree],
    pub(crate) movers: &'a [MoverRecord],
    /// Filters and labels of the movers, by row. If only movers have filters, they were applied when the movers were
    /// loaded.
    pub(crate) set: PairInput<'a>,
    /// Which pairs of the tick are stored.
    pub(crate) limit: &'a PairLimit<'a>,
}

/// Traverses the trees for some movers.
type Traverse<'a, P> = dyn Fn(&mut MoverProgress, &mut Stack, &mut Buffer<P>) + Sync + 'a;

/// Appends the pairs among candidates of a join: movers and fixed boxes by their indices.
type TakeJoined<'a, P> = dyn Fn(&JoinedMovers<'_>, &mut Candidates, &mut Buffer<P>) + Sync + 'a;

impl MoverSearch<'_> {
    /// Finds the pairs whose bounds overlap. Returns how long it took.
    pub(crate) fn union(
        self,
        scratch: &mut MoverScratch,
        boxes: &mut Vec<BvhItem>,
        pairs: &mut PairRuns<Pair>,
    ) -> Duration {
        let Self { level, trees, movers, set, limit, .. } = self;
        let filters = set.filters;
        let traverse = |progress: &mut _, stack: &mut _, found: &mut _| {
            let pairs = MoverPairs { movers, filters, found, limit };
            level.run(TraverseMovers { trees, pairs, progress, stack });
        };
        if movers.len() <= FEW {
            return find_few(self, scratch, pairs, &traverse);
        }
        find(self, scratch, boxes, pairs, &traverse, &|joined, candidates, found| {
            joined.append(candidates, found);
        })
    }

    /// Finds the pairs that touch, with their first times. Returns how long it took.
    pub(crate) fn swept(
        self,
        scratch: &mut MoverScratch,
        boxes: &mut Vec<BvhItem>,
        pairs: &mut PairRuns<SweptPair>,
    ) -> Duration {
        let Self { level, trees, movers, set, limit, .. } = self;
        let filters = set.filters;
        let traverse = |progress: &mut _, stack: &mut _, found: &mut _| {
            let pairs = MoverPairs { movers, filters, found, limit };
            level.run(TraverseMovers { trees, pairs, progress, stack });
        };
        if movers.len() <= FEW {
            return find_few(self, scratch, pairs, &traverse);
        }
        find(self, scratch, boxes, pairs, &traverse, &|joined, candidates, found| {
            let boxes = joined.boxes;
            level.run(TouchMovers { movers, boxes, candidates, found, limit });
        })
    }

    /// The join of some movers with these boxes, and the words of their filters.
    fn joined<'j>(
        &'j self,
        left: &'j [u32],
        boxes: &'j [BvhItem],
        words: &'j [u32],
    ) -> JoinedMovers<'j> {
        let Self { movers, set, limit, .. } = *self;
        JoinedMovers { movers, set, limit, left, boxes, words }
    }

    /// Removes the pairs that the test excludes, and replaces rows of movers by labels.
    fn finish<P: FoundPair>(&self, run: &mut PairRun<P>) {
        if let Some(test) = self.limit.test() {
            run.pairs.retain_allowed(test);
        }
        label_rows(run.pairs.as_mut_slice(), [self.set.labels, None], false);
    }
}

/// Finds the pairs of at most [`FEW`] movers; returns how long it took.
///
/// In the step of an engine, the code and the data of a search are in no cache, so the time of a small one is proportional to
/// the number of cache lines that it executes and reads. This function needs fewer of them than [`find`].
fn find_few<P: FoundPair>(
    search: MoverSearch<'_>,
    scratch: &mut MoverScratch,
    pairs: &mut PairRuns<P>,
    traverse: &Traverse<'_, P>,
) -> Duration {
    let mut clock = Clock::start();
    let count = runs_of(search.movers.len());
    for run in pairs.start(count) {
        let mut progress = MoverProgress::new(0..search.movers.len() as u32, false);
        progress.start_round(u64::MAX, [0; 2]);
        traverse(&mut progress, &mut scratch.stacks[0], &mut run.pairs);
        search.finish(run);
        #[cfg(test)]
        {
            scratch.work = (progress.visited(), 0);
            scratch.excluded = run.pairs.counts()[1];
        }
    }
    pairs.reserve_spare(count);
    clock.lap()
}

/// Finds the pairs run by run; returns how long it took.
fn find<P: FoundPair>(
    search: MoverSearch<'_>,
    scratch: &mut MoverScratch,
    boxes: &mut Vec<BvhItem>,
    pairs: &mut PairRuns<P>,
    traverse: &Traverse<'_, P>,
    take: &TakeJoined<'_, P>,
) -> Duration {
    let mut clock = Clock::start();
    let MoverSearch { level, threads, trees, movers, .. } = search;
    let MoverScratch { stacks, left, words, join, .. } = scratch;
    let (size, count) = (run_of(movers.len()), runs_of(movers.len()));
    let fixed = sum_of(trees, Tree::len);
    let tested = search.limit.test().is_some();
    // A single run needs no other thread.
    let runners = threads.for_items(count, 2);
    let mut runs = pairs.start(count).iter_mut().enumerate().map(|(index, run)| {
        let end = movers.len().min((index + 1) * size);
        (MoverProgress::new((index * size) as u32..end as u32, tested), run)
    });
    let mut items: [_; RUNS] = core::array::from_fn(|_| runs.next());
    let items = &mut items[..count];
    boxes.clear();
    runners.enter(|| {
        let mut allowed = ROUND_NODES * (fixed + movers.len()) as u64 / count.max(1) as u64;
        loop {
            par::for_each(runners, &mut stacks[..runners.workers()], items, &|stack, _, item| {
                let Some((progress, run)) = item else { return };
                if !progress.left.is_empty() {
                    progress.start_round(allowed, run.pairs.counts());
                    traverse(progress, stack, &mut run.pairs);
                    if progress.left.is_empty() {
                        search.finish(run);
                    }
                }
            });
            left.clear();
            let of = |item: &Option<(MoverProgress, _)>| {
                item.as_ref().map_or(0, |(progress, _)| progress.left.len())
            };
            reserve_for(left, sum_of(items, of));
            let mut work = 0;
            for (progress, _) in items.iter().flatten() {
                left.extend(progress.left.clone());
                work += progress.work_left();
            }
            if left.is_empty() || is_join_cheaper(search, left, fixed, (boxes, words), work) {
                break;
            }
            allowed *= 2;
        }
        for (progress, run) in items.iter_mut().flatten() {
            if !progress.left.is_empty() {
                search.finish(run);
            }
        }
    });
    #[cfg(test)]
    {
        let visited = items.iter().flatten().map(|(progress, _)| progress.visited()).sum();
        scratch.work = (visited, left.len());
        let excluded = items.iter().flatten().map(|(_, run)| run.pairs.counts()[1]);
        scratch.excluded = excluded.sum();
    }
    if !left.is_empty() {
        let joined = search.joined(left, boxes, words);
        threads.enter(|| {
            join.begin_between([left.len(), boxes.len()], &|place| joined.bounds(place));
            let parts = join.divide(level, threads);
            let runs = pairs.add(parts);
            joined.exclude(|excluded| {
                join.run((level, false), threads, runs, excluded, &|candidates, _, found| {
                    joined.look_up(candidates);
                    take(&joined, candidates, found);
                });
            });
            runs.iter_mut().for_each(|run| search.finish(run));
            #[cfg(test)]
            {
                scratch.excluded += sum_of(runs, |run| run.pairs.counts()[1]);
            }
        });
    }
    pairs.reserve_spare(count);
    clock.lap()
}

/// Whether to join the movers that are left with all fixed boxes costs less than this work, in visits of nodes. Collects the boxes if
/// they are needed and not collected yet, and the words of the filters.
fn is_join_cheaper(
    search: MoverSearch<'_>,
    left: &[u32],
    fixed: usize,
    (boxes, words): (&mut Vec<BvhItem>, &mut Vec<u32>),
    work: u64,
) -> bool {
    let rows = fixed + left.len();
    let join = JOIN_NODES * rows as u64;
    if !(JOIN_ROWS_MIN..=ROWS_OF_JOIN as usize).contains(&rows) || work < join {
        return false;
    }
    if boxes.is_empty() {
        reserve_for(boxes, fixed);
        for tree in search.trees {
            tree.for_each(|slot, _| boxes.push(tree.get(slot)));
        }
    }
    let is_filtered = search.set.filters.is_some() || search.trees.iter().any(Tree::is_filtered);
    write_words(is_filtered, &search.joined(left, boxes, &[]), words);
    let candidates = search.joined(left, boxes, words).estimate();
    let tests = if search.limit.test().is_some() { TEST_NODES } else { 0.0 };
    work as f64 >= join as f64 + (CANDIDATES_NODES + tests) * candidates
}

#[cfg(test)]
mod tests {
    use crate::broadphase::bvh::forest::FixedBoxes;
    use crate::broadphase::pairs::input::{FixedInput, PairInput};
    use crate::columns::{AabbColumns, MovingBoxColumns};
    use crate::geom::{Filter, Pair, SweptPair};
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec::Vec;
    use core::ops::Range;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    type Columns = [Vec<f32>; 9];

    /// Boxes with corners in a unit cube, of which `sides` returns the lengths. Every fourth moves.
    struct World {
        movers: Columns,
        fixed: Columns,
    }

    impl World {
        fn new(count: usize, sides: impl Fn(usize) -> [f32; 3]) -> Self {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            let mut world = Self { movers: Columns::default(), fixed: Columns::default() };
            for row in 0..count {
                let sides = sides(row / 4);
                let of = if row % 4 == 0 { &mut world.movers } else { &mut world.fixed };
                for axis in 0..3 {
                    // A side as long as the world spans it.
                    let low = rng.random_range(0.0..1.0) * f32::from(sides[axis] < 1.0);
                    of[axis].push(low);
                    of[3 + axis].push(low + sides[axis]);
                    of[6 + axis].push(rng.random_range(-3e-6..3e-6));
                }
            }
            world
        }

        fn movers(&self, rows: Range<usize>) -> MovingBoxColumns<'_> {
            let columns = self.movers.each_ref().map(|column| &column[rows.clone()]);
            MovingBoxColumns::from_columns(columns).unwrap()
        }

        fn fixed(&self) -> AabbColumns<'_> {
            let [a, b, c, d, e, f, ..] = self.fixed.each_ref().map(Vec::as_slice);
            AabbColumns::from_columns([a, b, c, d, e, f]).unwrap()
        }
    }

    /// Sticks across the world on any of three axes.
    fn sticks(count: usize) -> World {
        World::new(count, |row| {
            let mut sides = [1e-6; 3];
            sides[row % 3] = 1.0;
            sides
        })
    }

    /// Plates across the world that are thin on one axis, and as many points.
    fn plates(count: usize) -> World {
        World::new(count, |row| if row % 2 == 0 { [1.0, 1.0, 1e-6] } else { [1e-6; 3] })
    }

    fn boxes(world: &World) -> FixedBoxes {
        let mut all = FixedBoxes::new();
        all.exec.threads = Threads::one();
        all.extend(world.fixed()).unwrap();
        all
    }

    /// Goal: movers that reach many nodes without a pair do not cost more than boxes and pairs justify. Method: count the
    /// visited nodes and the joined movers, in worlds of sticks and of plates; without the join, the nodes grow with
    /// a power of the number of boxes.
    #[test]
    fn movers_that_visit_many_nodes_are_joined() {
        let count = 100_000;
        for (name, world) in [("sticks", sticks(count)), ("plates", plates(count))] {
            let mut all = boxes(&world);
            let pairs = all.union_pairs(world.movers(0..count / 4)).unwrap().len();
            let (visited, joined) = all.search.work;
            assert!(pairs < count / 4, "{pairs} pairs");
            assert!(joined > count / 8, "{name}: {joined} of {count} joined");
            let each = visited / count as u64;
            assert!(each < 8, "{name}: {each} nodes for each of {count}");
        }
    }

    /// Goal: in a world of boxes of one size nothing is joined.
    #[test]
    fn movers_among_even_boxes_are_not_joined() {
        for side in [0.01, 0.05] {
            let world = World::new(20_000, |_| [side; 3]);
            let mut all = boxes(&world);
            let pairs = all.union_pairs(world.movers(0..5000)).unwrap().len();
            assert!(pairs > 500, "{pairs} pairs");
            assert_eq!(all.search.work.1, 0);
        }
    }

    /// The pairs of all movers, found for few movers at a time, so that none is joined.
    fn traversed(
        world: &World,
        all: &mut FixedBoxes,
        filters: &[Filter],
    ) -> (Vec<Pair>, Vec<SweptPair>) {
        let (mut union, mut swept) = (Vec::new(), Vec::new());
        for start in (0..filters.len()).step_by(100) {
            let rows = start..filters.len().min(start + 100);
            let set = PairInput::new(world.movers(rows.clone())).filtered(&filters[rows]);
            let first = |a: u32| a + start as u32;
            let found = all.union_pairs(set).unwrap();
            union.extend(found.iter().map(|pair| Pair { a: first(pair.a), ..pair }));
            assert_eq!(all.search.work.1, 0);
            let found = all.swept_pairs(set).unwrap();
            swept.extend(found.iter().map(|pair| SweptPair { a: first(pair.a), ..pair }));
            assert_eq!(all.search.work.1, 0);
        }
        union.sort_by_key(|pair| (pair.a, pair.b));
        swept.sort_by_key(|pair| (pair.a, pair.b));
        (union, swept)
    }

    /// Goal: joined movers have the same pairs with the same times as others, in an order that is the same for every level
    /// and any number of threads; filters and labels count. Method: comparison with searches for few movers at a time.
    #[test]
    fn joined_movers_have_the_same_pairs() {
        let filter =
            |k: usize| Filter::new(1 << (k % 3), if k.is_multiple_of(5) { 5 } else { u32::MAX });
        let count = 80_000;
        for world in [sticks(count), plates(count)] {
            let filters: Vec<Filter> = (0..count).map(filter).collect();
            let (movers, fixed) = filters.split_at(count / 4);
            let mut all = FixedBoxes::new();
            all.extend(FixedInput::new(world.fixed()).filtered(fixed)).unwrap();
            let (union, swept) = traversed(&world, &mut all, movers);
            assert!(swept.len() > 20 && union.len() > swept.len(), "{} pairs", swept.len());
            let labels: Vec<u32> = (0..movers.len() as u32).map(|row| 2 * row).collect();
            let set = PairInput::new(world.movers(0..movers.len())).filtered(movers);
            let mut order: Option<(Vec<Pair>, Vec<SweptPair>)> = None;
            let threads = [Threads::one(), Threads::current()].into_iter();
            let settings = threads.map(|threads| (threads, Level::detect()));
            let settings = settings.chain(Level::all().map(|level| (Threads::one(), level)));
            for (threads, level) in settings {
                (all.exec.threads, all.exec.level) = (threads, level);
                let found = all.union_pairs(set).unwrap();
                let found_union: Vec<Pair> = found.iter().collect();
                assert_eq!(found.sorted(), union);
                assert!(all.search.work.1 > count / 16);
                let found_swept: Vec<SweptPair> = all.swept_pairs(set).unwrap().iter().collect();
                assert!(all.search.work.1 > count / 16);
                let labelled = all.swept_pairs(set.labelled(&labels)).unwrap();
                let labelled: Vec<_> = labelled.sorted().iter().map(|p| (p.a / 2, p.b)).collect();
                let mut sorted = found_swept.clone();
                sorted.sort_by_key(|pair| (pair.a, pair.b));
                assert_eq!(sorted, swept);
                assert!(labelled.into_iter().eq(sorted.iter().map(|pair| (pair.a, pair.b))));
                let found = (found_union, found_swept);
                assert_eq!(order.get_or_insert_with(|| found.clone()), &found, "{level}");
            }
        }
    }

    /// Goal: more movers than fixed boxes are joined with the same result. Method: sticks of which three quarters move; comparison with
    /// searches for few movers at a time.
    #[test]
    fn more_movers_than_boxes_are_joined() {
        let World { movers, fixed } = sticks(40_000);
        let world = World { movers: fixed, fixed: movers };
        let filters = [Filter::ALL; 30_000];
        let mut all = boxes(&world);
        let (union, swept) = traversed(&world, &mut all, &filters);
        assert!(swept.len() > 20 && union.len() > swept.len(), "{} pairs", swept.len());
        let movers = world.movers(0..filters.len());
        assert_eq!(all.union_pairs(movers).unwrap().sorted(), union);
        assert!(all.search.work.1 > filters.len() / 2, "{} joined", all.search.work.1);
        assert_eq!(all.swept_pairs(movers).unwrap().sorted(), swept);
        assert!(all.search.work.1 > filters.len() / 2, "{} joined", all.search.work.1);
    }

    /// Goal: movers with long diagonal paths are not joined, because the bounds of their paths overlap most of the boxes, so a join would
    /// compare nearly all pairs of a mover and a box. Method: cubes, and three times as many that fly along the diagonal; a search visits
    /// more nodes than a join costs without its candidates, but not a tenth of these.
    #[test]
    fn movers_with_long_diagonal_paths_are_not_joined() {
        let World { movers, fixed } = World::new(40_000, |_| [1e-3; 3]);
        let mut world = World { movers: fixed, fixed: movers };
        for axis in 0..3 {
            for row in 0..30_000 {
                let low = 0.2 * world.movers[axis][row];
                (world.movers[axis][row], world.movers[3 + axis][row]) = (low, low + 1e-3);
                world.movers[6 + axis][row] = 0.8;
            }
        }
        let mut all = boxes(&world);
        let found = all.swept_pairs(world.movers(0..30_000)).unwrap().len();
        let (visited, joined) = all.search.work;
        assert_eq!(joined, 0, "{visited} nodes, {found} pairs");
        assert!(visited > super::JOIN_NODES * 40_000, "{visited} nodes");
        assert!(found > 300 && visited < 30_000 * 10_000 / 10, "{visited} nodes, {found} pairs");
    }
}
