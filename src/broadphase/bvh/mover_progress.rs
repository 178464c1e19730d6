//! How far the traversals for a run of movers are, and when they are interrupted.
//!
//! The work is counted in nodes, and in pairs that a test excludes: such a test takes about as long as a visit of a node. All numbers are counts of nodes,
//! movers and pairs, which are the same for every level and any number of threads.

use super::traverse_batch::BLOCK;
use core::ops::Range;

/// Nodes per mover that are expected: among boxes of about one size a mover visits 8 to 15. One more is expected for each
/// pair. Fuzz inputs are small and must be interrupted too.
const NODES_EXPECTED: u64 = if cfg!(fuzzing) { 1 } else { 16 };
/// Number of movers of the first block of a round. It is small, because all nodes of a block are visited, however many.
const BLOCK_FIRST: u32 = 8;
/// The same where pairs are tested. It is smaller, because each box of these nodes may be tested.
const BLOCK_FIRST_TESTED: u32 = 2;
/// Fewest movers of a block.
const BLOCK_MIN: u64 = 4;

/// The movers of a run that are left, and what the others have cost in this round.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoverProgress {
    /// The movers that are left.
    pub(crate) left: Range<u32>,
    /// Number of nodes visited in this round.
    pub(crate) nodes: u64,
    /// Number of movers of this round.
    movers: u64,
    /// Number of pairs before this round, and that of excluded ones.
    pairs: [usize; 2],
    /// Number of pairs that were excluded in this round.
    excluded: u64,
    /// How much more work than expected a round may do.
    allowed: u64,
    /// Number of nodes visited in earlier rounds.
    before: u64,
    /// Whether pairs are tested.
    tested: bool,
}

impl MoverProgress {
    pub(crate) fn new(movers: Range<u32>, tested: bool) -> Self {
        Self { left: movers, tested, ..Self::default() }
    }

    /// Starts a round, which may do `allowed` more work than expected. `pairs` is the number of pairs so far, and that of excluded ones.
    pub(crate) fn start_round(&mut self, allowed: u64, pairs: [usize; 2]) {
        let (left, before, tested) = (self.left.clone(), self.visited(), self.tested);
        *self = Self { left, pairs, allowed, before, tested, ..Self::default() };
    }

    /// Takes the next movers to search for; `None` if none is left or the round is over. `pairs` is the number of pairs so
    /// far, and that of excluded ones.
    pub(crate) fn next_block(&mut self, pairs: [usize; 2]) -> Option<Range<u32>> {
        let found = pairs[0].saturating_sub(self.pairs[0]) as u64;
        self.excluded = (pairs[1] - self.pairs[1]) as u64;
        let more = self.work().saturating_sub(NODES_EXPECTED * self.movers + found);
        if more > self.allowed || self.left.is_empty() {
            return None;
        }
        // As many as the rest of the allowance is enough for, if each needs as much of it as those before.
        let rest = |more_each: u64| (self.allowed - more) / more_each.max(1);
        let first = if self.tested { BLOCK_FIRST_TESTED } else { BLOCK_FIRST };
        let size = more
            .checked_div(self.movers)
            .map_or(first, |more_each| rest(more_each).clamp(BLOCK_MIN, BLOCK as u64) as u32);
        let end = self.left.start.saturating_add(size).min(self.left.end);
        let block = self.left.start..end;
        self.movers += u64::from(end - block.start);
        self.left.start = end;
        Some(block)
    }

    /// The work of this round, in visits of nodes.
    fn work(&self) -> u64 {
        self.nodes + self.excluded
    }

    /// Estimates the work for the movers that are left, in visits of nodes, from that of this round.
    pub(crate) fn work_left(&self) -> u64 {
        self.work() * self.left.len() as u64 / self.movers.max(1)
    }

    /// Number of nodes visited so far.
    pub(crate) fn visited(&self) -> u64 {
        self.before + self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, MoverProgress, NODES_EXPECTED};

    /// Visits `each` nodes for each mover, of which each makes `pairs` pairs. Returns the number of blocks.
    fn run(progress: &mut MoverProgress, each: u64, pairs: u64) -> u64 {
        let (mut blocks, mut found) = (0, [0; 2]);
        while let Some(block) = progress.next_block(found) {
            assert!((1..=BLOCK).contains(&block.len()));
            progress.nodes += each * block.len() as u64;
            found[0] += block.len() * pairs as usize;
            blocks += 1;
        }
        blocks
    }

    /// Goal: movers that visit as many nodes as expected, or have as many pairs, are never interrupted; others are, soon
    /// after the allowance is used up, and their rest is estimated.
    #[test]
    fn a_round_ends_where_nodes_are_visited_without_pairs() {
        for (each, pairs) in [(NODES_EXPECTED, 0), (500, 500)] {
            let mut progress = MoverProgress::new(0..1000, false);
            progress.start_round(BLOCK as u64, [0; 2]);
            assert_eq!(run(&mut progress, each, pairs), 17);
            assert!(progress.left.is_empty());
        }
        let mut progress = MoverProgress::new(1000..2000, false);
        progress.start_round(100_000, [0; 2]);
        run(&mut progress, 1016, 0);
        assert_eq!(progress.left, 1104..2000);
        assert_eq!(progress.work_left(), 1016 * 896);
        progress.start_round(100_000, [0; 2]);
        run(&mut progress, NODES_EXPECTED, 0);
        assert!(progress.left.is_empty());
        assert_eq!(progress.visited(), 104 * 1016 + 896 * NODES_EXPECTED);
    }

    /// Goal: pairs of earlier rounds do not pay for nodes of a later one. Method: a round that starts with more pairs than it visits
    /// nodes, and finds none; it is interrupted as early as one that starts without pairs.
    #[test]
    fn pairs_of_earlier_rounds_do_not_count() {
        for earlier in [[0, 0], [1_000_000, 0], [1_000_000; 2]] {
            let mut progress = MoverProgress::new(0..1000, false);
            progress.start_round(100_000, earlier);
            while let Some(block) = progress.next_block(earlier) {
                progress.nodes += 1016 * block.len() as u64;
            }
            assert_eq!(progress.left, 104..1000, "{earlier:?}");
        }
    }
}
