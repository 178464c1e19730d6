//! Compares the boxes of two sets: each with each, or those that overlap on one axis.

use super::boxes::{JOIN_FLAGS, KdBoxes, KdRows};
use crate::broadphase::pairs::candidates::{CANDIDATES, Candidates};
use crate::broadphase::pairs::input::ROW;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, LoadColumns, MaskLanes, Table, U32Lanes};

/// The part of the comparisons of a sweep that its first boxes may make.
const EARLY_PART: u64 = 8;

/// A pair of sets whose comparison has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaf {
    /// The boxes of either set that have not been compared with all others.
    pub(super) a: KdRows,
    pub(super) b: KdRows,
    pub(super) same: bool,
    /// The axis along which the sets are sorted, if they are.
    sorted: Option<usize>,
    /// Number of comparisons so far, and from which a sweep is too slow.
    pub(super) compared: u64,
    most: u64,
    /// The same for one box of a sweep, and the number of boxes.
    most_each: u64,
    rows: usize,
}

/// How far the comparison of two sets is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafState {
    /// The candidates must be processed first.
    Full,
    /// The remaining boxes of a sweep have not been compared, because it is too slow.
    Dense,
    Done,
}

/// Continues a comparison.
pub(super) struct CompareLeaf<'a> {
    pub(super) leaf: &'a mut Leaf,
    pub(super) boxes: &'a KdBoxes,
    pub(super) candidates: &'a mut Candidates,
}

impl Kernel for CompareLeaf<'_> {
    type Output = LeafState;

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> LeafState {
        self.leaf.proceed(isa, self.boxes, self.candidates)
    }
}

impl Leaf {
    /// Compares each box with each.
    pub(super) fn each_with_each(a: KdRows, b: KdRows, same: bool) -> Self {
        // The lanes are filled from the larger set.
        let (a, b) = if a.len > b.len { (b, a) } else { (a, b) };
        Self { a, b, same, sorted: None, compared: 0, most: u64::MAX, most_each: 0, rows: 0 }
    }

    /// Compares boxes that overlap on the axis along which both sets are sorted, until there were so many comparisons.
    pub(super) fn sweep([a, b]: [KdRows; 2], same: bool, axis: usize, most: u64) -> Self {
        let rows = a.len + if same { 0 } else { b.len };
        let most_each = most / Ord::max(rows, 1) as u64;
        Self { a, b, same, sorted: Some(axis), compared: 0, most, most_each, rows }
    }

    /// Whether a sweep is too slow: it has made its comparisons, or far more than its share of them for the boxes that are
    /// done. A few boxes that start first and are long on the axis show early that the sample was wrong.
    #[inline(always)]
    fn is_too_slow(&self) -> bool {
        if self.sorted.is_none() {
            return false;
        }
        let left = self.a.len + if self.same { 0 } else { self.b.len };
        let done = (self.rows - left) as u64;
        let share = self.most / EARLY_PART + self.most_each * done;
        self.compared >= if share < self.most { share } else { self.most }
    }

    /// Continues the comparison until there are [`CANDIDATES`].
    #[inline(always)]
    fn proceed<I: Isa>(
        &mut self,
        isa: I,
        boxes: &KdBoxes,
        candidates: &mut Candidates,
    ) -> LeafState {
        let rows = self.a.end().max(self.b.end());
        let table: Table<'_, f32, 6> = Table::new(boxes.columns(), rows);
        let words: Table<'_, u32, 1> = Table::new([&boxes.words[..]], rows);
        let axis = self.sorted.unwrap_or(0);
        let (lows, highs) = (&boxes.bounds[axis][..rows], &boxes.bounds[3 + axis][..rows]);
        while self.a.len > 0 && self.b.len > 0 {
            if candidates.len >= CANDIDATES {
                return LeafState::Full;
            }
            // In a sweep, the box that starts first is compared with those of the other set that start before it ends.
            let of_b =
                self.sorted.is_some() && !self.same && lows[self.b.start] < lows[self.a.start];
            // Which one that is cannot be predicted, so there is no branch.
            let row = if of_b { self.b.start } else { self.a.start };
            self.a.drop_first(usize::from(!of_b));
            self.b.drop_first(usize::from(of_b));
            self.b = if self.same { self.a } else { self.b };
            let others = if of_b { self.a.start } else { self.b.start };
            let last = if self.sorted.is_some() { highs[row] } else { f32::MAX };
            if lows[others] > last {
                continue;
            }

            let word = boxes.words[row];
            let (flags, place) = (isa.splat_u32(word & JOIN_FLAGS), isa.splat_u32(word & ROW));
            let row_bits = isa.splat_u32(ROW);
            let [low_x, low_u, low_v, high_x, high_u, high_v] = table.splat(isa, row);
            let mut count = candidates.len;
            let mut at = others;
            // The padding starts at infinity, so the loop ends there at the latest. The step is that of the widest level,
            // so that the number of comparisons is the same for all.
            while lows[at] <= last {
                for at in (at..at + LANES_MAX).step_by(I::LANES) {
                    let [lows_x, lows_u, lows_v, highs_x, highs_u, highs_v] = table.load(isa, at);
                    let overlaps = lows_x.le(high_x)
                        & low_x.le(highs_x)
                        & lows_u.le(high_u)
                        & low_u.le(highs_u)
                        & lows_v.le(high_v)
                        & low_v.le(highs_v);
                    // Few groups contain a pair, so the branch is predictable. To compress each group takes longer than to compare it.
                    if overlaps.bits() == 0 {
                        continue;
                    }
                    let [word] = words.load_u32(isa, at);
                    let meets = overlaps & word.disjoint(flags);
                    place.store(&mut candidates.a[count..]);
                    (word & row_bits).compress(meets).store(&mut candidates.b[count..]);
                    count += meets.count();
                }
                at += LANES_MAX;
            }
            candidates.len = count;
            self.compared += (at - others) as u64;
            if self.is_too_slow() {
                return LeafState::Dense;
            }
        }
        LeafState::Done
    }
}
