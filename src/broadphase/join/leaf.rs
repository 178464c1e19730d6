//! Compares the boxes of two sets: each with each, or those that overlap on one axis.

use super::boxes::{JOIN_FLAGS, KdBoxes, KdRows, SortedSets};
use crate::broadphase::pairs::candidates::{CANDIDATES, Candidates, overlap};
use crate::broadphase::pairs::input::ROW;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, LoadColumns, MaskLanes, Table, U32Lanes};

/// Number of boxes after a box of a sorted set with which it is compared together with the other boxes of its lane groups.
const NEIGHBOURS: usize = LANES_MAX;
/// A sweep may make one of this many parts of its comparisons early, in addition to the share of the boxes that are done.
const EARLY_PART: u64 = 8;

/// A pair of sets whose comparison has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaf {
    /// The boxes of either set that have not been compared with all others.
    pub(super) a: KdRows,
    pub(super) b: KdRows,
    pub(super) same: bool,
    /// Whether the sets are sorted along an axis, and whether two sets are in one list, which is then that of `a` and `b`.
    sorted: bool,
    pub(super) merged: bool,
    /// Number of comparisons so far, and from which a sweep is too slow.
    pub(super) compared: u64,
    most: u64,
    /// Limit of comparisons for each box of a sweep, and the number of boxes.
    most_each: u64,
    rows: usize,
    /// Boxes of a sorted set that may overlap boxes after their [`NEIGHBOURS`] and have not been compared with these: the first row of
    /// their group, and a bit for each.
    reaching: (usize, u32),
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
        Self { a, b, same, most: u64::MAX, ..Self::default() }
    }

    /// Compares boxes that overlap in the order in which both sets are sorted, until there were this many comparisons.
    pub(super) fn sweep([a, b]: [KdRows; 2], of: &SortedSets, most: u64) -> Self {
        let &SortedSets { same, merged, .. } = of;
        let [first, second] = of.lens();
        let rows = first + second;
        let most_each = most / Ord::max(rows, 1) as u64;
        let same = same || merged;
        Self { a, b, same, sorted: true, merged, most, most_each, rows, ..Self::default() }
    }

    /// Whether a sweep is too slow: it has made its comparisons, or far more than its share of them for the boxes that are
    /// done. A few boxes that start first and are long on the axis show early that the sample was wrong.
    #[inline(always)]
    fn is_too_slow(&self) -> bool {
        if !self.sorted {
            return false;
        }
        let left = self.a.len + if self.same { 0 } else { self.b.len };
        let done = (self.rows - left) as u64;
        let share = self.most / EARLY_PART + self.most_each * done;
        self.compared >= if share < self.most { share } else { self.most }
    }

    /// Whether all boxes have been compared.
    #[inline(always)]
    fn is_done(&self) -> bool {
        self.reaching.1 == 0 && (self.a.len == 0 || self.b.len == 0)
    }

    /// Continues the comparison until there are [`CANDIDATES`].
    #[inline(always)]
    fn proceed<I: Isa>(
        &mut self,
        isa: I,
        boxes: &KdBoxes,
        candidates: &mut Candidates,
    ) -> LeafState {
        // There may be no columns if there is nothing to compare.
        if self.is_done() {
            return LeafState::Done;
        }
        // The neighbours of the last boxes are in the padding or behind it.
        let rows =
            self.a.padded_end().max(self.b.padded_end()) + if self.sorted { LANES_MAX } else { 0 };
        let words = [&boxes.words[..rows], &boxes.sides[..rows]];
        let columns = ComparedColumns {
            table: Table::new(boxes.columns(), rows),
            words: Table::new(words, rows),
            words_of: words,
            // Rows that are not sorted have no sides.
            sided: self.merged,
            order: Table::new(boxes.order.each_ref().map(|column| &column[..]), rows),
        };
        let [ordered_lows, ordered_highs] = &boxes.order;
        let lows = if self.sorted { ordered_lows } else { &boxes.bounds[0] };
        let (lows, highs) = (&lows[..rows], &ordered_highs[..rows]);
        loop {
            if candidates.len >= CANDIDATES {
                return LeafState::Full;
            }
            let (first, reaching) = self.reaching;
            if reaching != 0 {
                self.reaching.1 &= reaching - 1;
                let row = first + reaching.trailing_zeros() as usize;
                let (others, last) = (row + NEIGHBOURS + 1, highs[row]);
                self.compared += columns.compare(isa, row, (lows, others, last), candidates);
            } else if self.is_done() {
                return LeafState::Done;
            } else if self.sorted && self.same {
                self.compare_neighbours(isa, &columns, candidates);
            } else {
                // In a sweep, the box that starts first is compared with those of the other set that start before it ends.
                let of_b = self.sorted && lows[self.b.start] < lows[self.a.start];
                // Which one that is cannot be predicted, so there is no branch.
                let row = if of_b { self.b.start } else { self.a.start };
                self.a.drop_first(usize::from(!of_b));
                self.b.drop_first(usize::from(of_b));
                self.b = if self.same { self.a } else { self.b };
                let others = if of_b { self.a.start } else { self.b.start };
                let last = if self.sorted { highs[row] } else { f32::MAX };
                if lows[others] > last {
                    continue;
                }
                self.compared += columns.compare(isa, row, (lows, others, last), candidates);
            }
            if self.reaching.1 == 0 && self.is_too_slow() {
                return LeafState::Dense;
            }
        }
    }

    /// Compares the next lane groups of boxes of a sorted set with their neighbours: each box in a lane with the box behind it, then each with
    /// the next but one, as long as one of them may overlap. There is no branch for a single box.
    #[inline(always)]
    fn compare_neighbours<I: Isa>(
        &mut self,
        isa: I,
        columns: &ComparedColumns<'_>,
        candidates: &mut Candidates,
    ) {
        let (first, len) = (self.a.start, self.a.len.min(LANES_MAX));
        self.a.drop_first(len);
        self.b = self.a;
        let row_bits = isa.splat_u32(ROW);
        let flag_bits = isa.splat_u32(JOIN_FLAGS);
        let mut count = candidates.len;
        let mut reaching = u32::MAX >> (32 - len);
        for distance in 1..=NEIGHBOURS {
            let mut near = 0;
            // The step is that of the widest level, so that the order of the pairs is the same for all.
            for lane in (0..LANES_MAX).step_by(I::LANES) {
                let at = first + lane;
                let ([_, last], [start, _]) =
                    (columns.order.load(isa, at), columns.order.load(isa, at + distance));
                let is_near = start.le(last);
                let bits = is_near.bits() << lane;
                near |= bits;
                if bits & reaching == 0 {
                    continue;
                }
                let (these, others) =
                    (columns.table.load(isa, at), columns.table.load(isa, at + distance));
                // Lanes past the end of the set are not near.
                let overlaps = is_near & overlap::<I>(these, others);
                if overlaps.bits() == 0 {
                    continue;
                }
                let [word, side] = columns.words.load_u32(isa, at);
                let [other, other_side] = columns.words.load_u32(isa, at + distance);
                let meets =
                    overlaps & (word & flag_bits).disjoint(other) & side.disjoint(other_side);
                (word & row_bits).compress(meets).store(&mut candidates.a[count..]);
                (other & row_bits).compress(meets).store(&mut candidates.b[count..]);
                count += meets.count();
            }
            self.compared += LANES_MAX as u64;
            reaching &= near;
            if reaching == 0 {
                break;
            }
        }
        candidates.len = count;
        self.reaching = (first, reaching);
    }
}

/// The columns of the boxes that are compared.
struct ComparedColumns<'a> {
    table: Table<'a, f32, 6>,
    /// Words and sides.
    words: Table<'a, u32, 2>,
    words_of: [&'a [u32]; 2],
    sided: bool,
    order: Table<'a, f32, 2>,
}

impl ComparedColumns<'_> {
    /// Compares a box with those from `others` on that start at `last` or before it. Returns the number of comparisons.
    #[inline(always)]
    fn compare<I: Isa>(
        &self,
        isa: I,
        row: usize,
        (lows, others, last): (&[f32], usize, f32),
        candidates: &mut Candidates,
    ) -> u64 {
        let word = self.words_of[0][row];
        let side = isa.splat_u32(if self.sided { self.words_of[1][row] } else { 0 });
        let (flags, place) = (isa.splat_u32(word & JOIN_FLAGS), isa.splat_u32(word & ROW));
        let row_bits = isa.splat_u32(ROW);
        let this = self.table.splat(isa, row);
        let mut count = candidates.len;
        let mut at = others;
        // The padding starts at infinity, so the loop ends there at the latest. The step is that of the widest level,
        // so that the number of comparisons is the same for all.
        while lows[at] <= last {
            for at in (at..at + LANES_MAX).step_by(I::LANES) {
                let overlaps = overlap::<I>(this, self.table.load(isa, at));
                // Few groups contain a pair, so the branch is predictable. To compress each group takes longer than to compare it.
                if overlaps.bits() == 0 {
                    continue;
                }
                let [word, other_side] = self.words.load_u32(isa, at);
                let meets = overlaps & word.disjoint(flags) & side.disjoint(other_side);
                place.store(&mut candidates.a[count..]);
                (word & row_bits).compress(meets).store(&mut candidates.b[count..]);
                count += meets.count();
            }
            at += LANES_MAX;
        }
        candidates.len = count;
        (at - others) as u64
    }
}
