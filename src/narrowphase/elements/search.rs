//! Searches a block of pairs, in groups of lanes.
//!
//! Most candidates of a broadphase are decided by one round. Therefore every pair of the block gets one round, and then the
//! pairs that are not decided are gathered into groups and get as many rounds as they have had before, until all
//! are decided. The only state of a pair between rounds is its time, and how far planes are computed ahead, so the result does not depend on the
//! grouping.

use super::rounds::{Limits, Moving};
use super::simd::{ElementPair, Vectors};
use crate::lanes::{F64Lanes, Isa, Kernel, MaskLanes, Scalar};
use core::marker::PhantomData;

/// Number of pairs in a block. Its vectors fit into the first cache.
pub(super) const BLOCK: usize = 64;
/// After this many rounds a search also computes planes of later times, which takes twice as long for each round.
const AHEAD_FROM: u32 = 8;
/// The greatest number of lanes of `f64` of any level.
const LANES_F64_MAX: usize = 8;

/// How a search ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    #[default]
    Unresolved,
    Hit,
    Miss,
}

impl End {
    /// Returns the end of a lane from the bits of the hits and of the misses.
    #[inline(always)]
    fn of((hits, misses): (u32, u32), lane: usize) -> Self {
        match (hits >> lane & 1, misses >> lane & 1) {
            (1, _) => Self::Hit,
            (_, 1) => Self::Miss,
            _ => Self::Unresolved,
        }
    }
}

/// The vectors of a block of pairs, a column for each number: nine at the start of the tick, then nine at the end.
pub(super) struct ElementBlock {
    columns: [[f64; BLOCK]; 18],
    /// How each search ended, and the time until which the pair is free.
    pub(super) ends: [(End, f64); BLOCK],
    /// How far planes are computed ahead; zero at first.
    ahead: [f64; BLOCK],
}

impl ElementBlock {
    pub(super) fn new() -> Self {
        let ends = [(End::Unresolved, 0.0); BLOCK];
        Self { columns: [[0.0; BLOCK]; 18], ends, ahead: [0.0; BLOCK] }
    }

    /// Stores the vectors of a pair.
    #[inline]
    pub(super) fn set(&mut self, row: usize, [start, end]: [[[f64; 3]; 3]; 2]) {
        for k in 0..3 {
            for axis in 0..3 {
                self.columns[3 * k + axis][row] = start[k][axis];
                self.columns[9 + 3 * k + axis][row] = end[k][axis];
            }
        }
    }

    /// Returns the vectors of a pair.
    #[inline]
    pub(super) fn get(&self, row: usize) -> [[[f64; 3]; 3]; 2] {
        let mut vectors = [[[0.0; 3]; 3]; 2];
        for (k, column) in self.columns.iter().enumerate() {
            vectors[k / 9][k % 9 / 3][k % 3] = column[row];
        }
        vectors
    }
}

/// Searches the first `rows` pairs of a block.
pub(super) struct SearchBlock<'a, E> {
    pub(super) block: &'a mut ElementBlock,
    pub(super) rows: usize,
    pub(super) limits: Limits,
    pub(super) rounds_max: u32,
    pub(super) kind: PhantomData<E>,
}

impl<E: ElementPair> Kernel for SearchBlock<'_, E> {
    type Output = ();

    // The loops branch on the number of pairs that are left, and a group ends when all its lanes are decided: a
    // group of candidates of a cloth needs 1.3 rounds a pair, so this saves most of the work.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { block, rows, limits, rounds_max, .. } = self;
        let mut left = [0; BLOCK];
        let mut k = 0;
        while k < rows {
            left[k] = k as u8;
            block.ends[k] = (End::Unresolved, 0.0);
            block.ahead[k] = 0.0;
            k += 1;
        }
        let (mut count, mut rounds, mut done) = (rows, 1, 0);
        while count > 0 && done < rounds_max {
            let (mut kept, mut first) = (0, 0);
            while first < count {
                let lanes = I::LANES_F64.min(count - first);
                let mut which = [left[first] as usize; LANES_F64_MAX];
                let mut lane = 1;
                while lane < lanes {
                    which[lane] = left[first + lane] as usize;
                    lane += 1;
                }
                let which = &which[..I::LANES_F64];
                let group = gather(isa, &block.columns, limits, which);
                let mut state = [[0.0; LANES_F64_MAX]; 2];
                let mut lane = 0;
                while lane < which.len() {
                    state[0][lane] = block.ends[which[lane]].1;
                    state[1][lane] = block.ahead[which[lane]];
                    lane += 1;
                }
                let decided = advance::<I, E>(isa, &group, [done, done + rounds], &mut state);
                let mut lane = 0;
                while lane < lanes {
                    let end = End::of(decided, lane);
                    block.ends[which[lane]] = (end, state[0][lane]);
                    block.ahead[which[lane]] = state[1][lane];
                    // At most `first + lane` pairs were kept before, so no pair that is to come is overwritten.
                    left[kept.min(BLOCK - 1)] = which[lane] as u8;
                    kept += usize::from(end == End::Unresolved);
                    lane += 1;
                }
                first += I::LANES_F64;
            }
            done += rounds;
            rounds = done.min(rounds_max - done);
            count = kept;
        }
    }
}

/// Runs the rounds of a group from one number to another, and returns in which lanes there is a hit or a miss. The state is the time of each
/// lane, and how far its planes are computed ahead.
#[inline(always)]
fn advance<I: Isa, E: ElementPair>(
    isa: I,
    group: &Moving<I>,
    [from, to]: [u32; 2],
    [times, ahead]: &mut [[f64; LANES_F64_MAX]; 2],
) -> (u32, u32) {
    let all = (1 << I::LANES_F64) - 1;
    let (mut t, mut step) = (isa.load_f64(times), isa.load_f64(ahead));
    let (mut hits, mut misses) = (0, 0);
    let mut round = from;
    while round < to && (hits | misses) != all {
        // A decided lane is decided again in the same way, because its state does not change.
        let outcome = if round < AHEAD_FROM {
            group.round::<E>(isa, t)
        } else {
            group.round_ahead::<E>(isa, t, &mut step)
        };
        (hits, misses, t) = (outcome.hit.bits(), outcome.miss.bits(), outcome.t);
        round += 1;
    }
    t.store(times);
    step.store(ahead);
    (hits, misses)
}

/// Loads the vectors of some rows.
#[inline(always)]
fn gather<I: Isa>(
    isa: I,
    columns: &[[f64; BLOCK]; 18],
    limits: Limits,
    which: &[usize],
) -> Moving<I> {
    let zero = isa.splat_f64(0.0);
    let mut vectors: [Vectors<I>; 2] = [[[zero; 3]; 3]; 2];
    let consecutive = which[0] + which.len() <= BLOCK && {
        let mut same = true;
        let mut lane = 0;
        while lane < which.len() {
            same &= which[lane] == which[0] + lane;
            lane += 1;
        }
        same
    };
    let mut k = 0;
    while k < 18 {
        let column = &columns[k];
        let mut lanes = [0.0; LANES_F64_MAX];
        vectors[k / 9][k % 9 / 3][k % 3] = if consecutive {
            isa.load_f64(&column[which[0]..])
        } else {
            let mut lane = 0;
            while lane < which.len() {
                lanes[lane] = column[which[lane] % BLOCK];
                lane += 1;
            }
            isa.load_f64(&lanes)
        };
        k += 1;
    }
    Moving::new(isa, limits, vectors[0], vectors[1])
}

/// Searches a single pair.
pub(super) fn search_one<E: ElementPair>(
    [start, end]: [[[f64; 3]; 3]; 2],
    limits: Limits,
    rounds_max: u32,
) -> (End, f64) {
    let pair = Moving::new(Scalar, limits, start, end);
    let mut state = [[0.0; LANES_F64_MAX]; 2];
    let decided = advance::<Scalar, E>(Scalar, &pair, [0, rounds_max], &mut state);
    (End::of(decided, 0), state[0][0])
}
