//! Finds the overlapping pairs of a crowded strip by splitting its boxes at medians.
//!
//! One grid cannot fit boxes at several scales: a crowd in a large sparse scene is a single cell, and the sweep of
//! that cell compares every box with every other. The number of comparisons of a sweep is known before it starts, so
//! such a strip is divided instead, in time that grows with its boxes and pairs whatever their scales:
//!
//! ```text
//! join(A, B):                             A and B are sets of boxes, or the same set
//!   few comparisons                       compare each of A with each of B, a lane group at a time
//!   a plane that saves comparisons        join(A left, B left); join(A right, B right)
//!   many boxes cross the best plane       join the crossing ones and the others: four joins
//!   else                                  compare each with each: most of them overlap
//! ```
//!
//! A box that crosses a plane is in both sets. As in the strips of the grid, a flag in its right copy says that the
//! box starts further left, and two boxes with a flag in common are not a pair. So each pair is found once, where at
//! least one of the two starts on every axis. Boxes that are long on one axis would cross every plane there and be
//! copied again and again; they are therefore separated from the others and divided on the axes on which they are
//! short. Two sets are first cut to each other's bounds.
//!
//! The choice of planes depends on a sample of the boxes alone, and copies keep their order. So the pairs and their order
//! are the same for every level. The method is that of a streamed k-d tree; copies instead of a third child follow from
//! the flags of the strips (compare Zomorodian and Edelsbrunner, *Fast software for box intersections*, 2000).

use super::candidates::{CANDIDATES, Candidates};
use super::grid::Grid;
use super::scatter::{FLAGS, NOT_FIRST_U, NOT_FIRST_V, OF_FIRST, STILL};
use crate::broadphase::pairs::input::ROW;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, MaskLanes, U32Lanes};
use crate::par::sort_floats;
use alloc::vec::Vec;

/// Flag of the right copies on the axis that the grid does not divide. The bit is free here: the position of a box in
/// its strip is below it, and whether its path is long has been evaluated already.
const NOT_FIRST_UNCUT: u32 = 1 << 26;
const JOIN_FLAGS: u32 = FLAGS | NOT_FIRST_UNCUT;
/// Comparisons per box up to which a set is compared without a division. Fuzz inputs are small and must be divided
/// too.
const LEAF_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 64.0 };
/// Number of comparisons that cost as much as copying a box once.
const COPY_WORK: f64 = if cfg!(fuzzing) { 0.5 } else { 24.0 };
/// Comparisons per box from which boxes that cross a plane may be joined separately from the others.
const APART_WORK: f64 = if cfg!(fuzzing) { 3.0 } else { 512.0 };
/// The share of boxes that must cross the best plane for that.
const APART_SHARE: f64 = 0.125;
/// Greatest number of boxes in a sample, and how many boxes each of them represents.
const SAMPLE_MAX: usize = 64;
const SAMPLE_MIN: usize = 16;
const ROWS_PER_SAMPLE: usize = 16;
/// Greatest depth of divisions. A sample that was wrong that often is not used any longer.
const DEPTH_MAX: u8 = 64;
/// Greatest number of postponed joins: each division postpones at most three.
const TASKS_MAX: usize = 4 * DEPTH_MAX as usize;

/// Consecutive rows of [`Join::bounds`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KdRows {
    start: usize,
    len: usize,
}

impl KdRows {
    /// Returns the first row past these rows and their padding.
    fn end(self) -> usize {
        self.start + self.len + LANES_MAX
    }
}

/// Selects boxes of a set for a join.
#[derive(Clone, Copy, Debug)]
enum KdPart {
    All,
    /// Boxes that start below the plane.
    Left {
        axis: usize,
        at: f32,
    },
    /// Boxes that end at the plane or above it.
    Right {
        axis: usize,
        at: f32,
    },
    /// Boxes that do both.
    Crossing {
        axis: usize,
        at: f32,
    },
    /// Boxes that do not do both.
    Beside {
        axis: usize,
        at: f32,
    },
    /// Boxes with this flag.
    With(u32),
    /// Boxes without this flag.
    Without(u32),
}

/// A join that has not been done yet.
#[derive(Clone, Copy, Debug)]
struct KdTask {
    a: KdRows,
    b: KdRows,
    /// Whether both sets are the same.
    same: bool,
    of_a: KdPart,
    of_b: KdPart,
    /// Bounds of `b`. Boxes of `a` that do not overlap them are dropped.
    around_b: [f32; 6],
    /// Axes on which the boxes that cross a plane have been separated since the last plane there, one bit each.
    apart: u8,
    depth: u8,
}

/// A pair of sets whose comparison has begun.
#[derive(Clone, Copy, Debug, Default)]
struct Leaf {
    a: KdRows,
    b: KdRows,
    same: bool,
    next: usize,
}

/// How to process a join.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SplitChoice {
    Compare,
    Split { axis: usize, at: f32 },
    Apart { axis: usize, at: f32 },
    ByFlag(u32),
}

/// Memory of one worker for a join.
#[derive(Debug, Default)]
pub(crate) struct Join {
    /// The boxes of a join follow those of its parent, each set with padding.
    bounds: [Vec<f32>; 6],
    /// Position in the strip, and the flags of the id.
    words: Vec<u32>,
    /// Flags of the right copies on each axis, see [`not_first`].
    not_first: [u32; 3],
    tasks: Vec<KdTask>,
    leaf: Leaf,
    /// Greatest number of rows in use at once since memory was last reserved.
    peak: usize,
}

/// Returns the flag of right copies on each axis, in the order of [`Grid::axes`].
///
/// On the axes that the grid divides it is the flag of the grid: a box that starts in another strip starts outside of
/// every part of this one.
pub(crate) fn not_first(grid: &Grid) -> [u32; 3] {
    let mut flags = [NOT_FIRST_UNCUT; 3];
    flags[grid.column(&grid.u)] = NOT_FIRST_U;
    flags[grid.column(&grid.v)] = NOT_FIRST_V;
    flags
}

impl Join {
    /// Returns the number of bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        let floats: usize = self.bounds.iter().map(Vec::capacity).sum();
        floats * size_of::<f32>()
            + self.words.capacity() * size_of::<u32>()
            + self.tasks.capacity() * size_of::<KdTask>()
    }

    /// Returns the greatest number of rows in use at once since the last call.
    pub(crate) fn take_peak(&mut self) -> usize {
        core::mem::take(&mut self.peak)
    }

    /// Reserves memory for a join that needs a few more rows than `peak`.
    pub(crate) fn reserve_spare(&mut self, peak: usize) {
        if peak > 0 {
            if self.words.len() < peak + peak / 16 {
                self.grow(peak + peak / 4);
            }
            self.tasks.reserve_exact(TASKS_MAX.saturating_sub(self.tasks.len()));
        }
    }

    fn grow(&mut self, rows: usize) {
        for column in &mut self.bounds {
            column.reserve_exact(rows.saturating_sub(column.len()));
            column.resize(rows.max(column.len()), 0.0);
        }
        self.words.reserve_exact(rows.saturating_sub(self.words.len()));
        self.words.resize(rows.max(self.words.len()), 0);
    }

    /// Ensures that `rows` rows can be written.
    #[inline(always)]
    fn need(&mut self, rows: usize) {
        self.peak = self.peak.max(rows);
        if self.words.len() < rows {
            self.grow(rows + rows / 2);
        }
    }

    /// Chooses how to process a join, from a sample of its boxes.
    #[inline(never)]
    fn choose(
        &self,
        (a, b, same): (KdRows, KdRows, bool),
        (apart, depth): (u8, u8),
    ) -> SplitChoice {
        let rows = (if same { a.len } else { a.len + b.len }) as f64;
        let work = a.len as f64 * b.len as f64 * if same { 0.5 } else { 1.0 };
        if work <= LEAF_WORK * rows || depth >= DEPTH_MAX {
            return SplitChoice::Compare;
        }
        if depth == 0
            && let Some(flag) = [STILL, OF_FIRST].into_iter().find(|&flag| {
                let words = &self.words[a.start..a.start + a.len];
                let set = words.iter().filter(|&word| word & flag != 0).count();
                set > 0 && set < a.len
            })
        {
            return SplitChoice::ByFlag(flag);
        }
        let mut best = (0.0, SplitChoice::Compare);
        let mut crossing = (APART_SHARE, SplitChoice::Compare);
        let mut copied = 1.0;
        for axis in 0..3 {
            let of_a = Sampled::new(self, a, axis);
            let of_b = if same { of_a } else { Sampled::new(self, b, axis) };
            let Some(planes) = of_a.planes(&of_b, same) else {
                continue;
            };
            for at in planes {
                let ([a_left, a_right], [b_left, b_right]) = (of_a.sides(at), of_b.sides(at));
                let kept = a_left * b_left + a_right * b_right;
                let copies = ((a_left + a_right) * a.len as f64
                    + if same { 0.0 } else { (b_left + b_right) * b.len as f64 })
                    / rows;
                let saved = (1.0 - kept) * work - COPY_WORK * copies * rows;
                if saved > best.0 {
                    best = (saved, SplitChoice::Split { axis, at });
                    copied = copies;
                }
                // For either set: if all boxes or none cross the plane, separating them changes nothing.
                for share in [a_left + a_right - 1.0, b_left + b_right - 1.0] {
                    if apart & 1 << axis == 0 && share > crossing.0 && share < 1.0 - APART_SHARE {
                        crossing = (share, SplitChoice::Apart { axis, at });
                    }
                }
            }
        }
        let crowded = best.1 == SplitChoice::Compare || copied > 1.0 + APART_SHARE;
        if crowded && work > APART_WORK * rows && crossing.1 != SplitChoice::Compare {
            return crossing.1;
        }
        best.1
    }
}

/// Ends of some boxes on one axis.
#[derive(Clone, Copy)]
struct Sampled {
    low: [f32; SAMPLE_MAX],
    high: [f32; SAMPLE_MAX],
    len: usize,
}

impl Sampled {
    fn new(join: &Join, rows: KdRows, axis: usize) -> Self {
        let len = (rows.len / ROWS_PER_SAMPLE).clamp(SAMPLE_MIN, SAMPLE_MAX).min(rows.len);
        let mut sampled = Self { low: [0.0; SAMPLE_MAX], high: [0.0; SAMPLE_MAX], len };
        for k in 0..len {
            let row = rows.start + (k as u64 * rows.len as u64 / len as u64) as usize;
            sampled.low[k] = join.bounds[axis][row];
            sampled.high[k] = join.bounds[3 + axis][row];
        }
        sampled
    }

    /// Returns planes that may divide both sets, each at the start of a box; `None` if all boxes start at one
    /// coordinate.
    fn planes(&self, other: &Self, same: bool) -> Option<[f32; 4]> {
        let mut starts = [0.0; 2 * SAMPLE_MAX];
        starts[..self.len].copy_from_slice(&self.low[..self.len]);
        let mut len = self.len;
        if !same {
            starts[len..len + other.len].copy_from_slice(&other.low[..other.len]);
            len += other.len;
        }
        let starts = &mut starts[..len];
        sort_floats(starts);
        // A box that starts at a plane is right of it, so a plane at the least start divides nothing.
        let least = starts[0];
        let after = |at: usize| starts[at..].iter().copied().find(|&start| start > least);
        let median = after(len / 2)?;
        let next = starts[len / 2..].iter().copied().find(|&start| start > median);
        let next = next.unwrap_or(median);
        Some([median, next, after(len / 4)?, after(len * 3 / 4).unwrap_or(median)])
    }

    /// Returns the shares of boxes left and right of a plane. A box that crosses it counts on both sides.
    fn sides(&self, at: f32) -> [f64; 2] {
        let (mut left, mut right) = (0, 0);
        for (&low, &high) in self.low[..self.len].iter().zip(&self.high[..self.len]) {
            left += u32::from(low < at);
            right += u32::from(high >= at);
        }
        [left, right].map(|count| f64::from(count) / self.len.max(1) as f64)
    }
}

/// Properties of the boxes of a set.
#[derive(Clone, Copy)]
struct Summary {
    around: [f32; 6],
    /// Flags that all of them have.
    flags: u32,
}

/// Copies the selected boxes to the end of the rows in use.
#[inline(always)]
fn copy<I: Isa>(
    isa: I,
    join: &mut Join,
    from: KdRows,
    part: KdPart,
    within: &[f32; 6],
    start: usize,
) -> (KdRows, Summary) {
    join.need(start + from.len + 2 * LANES_MAX);
    let infinite = isa.splat(f32::INFINITY);
    let (least, greatest) = (isa.splat(f32::MAX), isa.splat(f32::MIN));
    let mut around = [least, least, least, greatest, greatest, greatest];
    let mut flags = isa.splat_u32(JOIN_FLAGS);
    let within = [
        isa.splat(within[0]),
        isa.splat(within[1]),
        isa.splat(within[2]),
        isa.splat(within[3]),
        isa.splat(within[4]),
        isa.splat(within[5]),
    ];
    let [x, u, v, high_x, high_u, high_v] = &mut join.bounds;
    let columns = [x, u, v, high_x, high_u, high_v];
    let mut sides: [_; 6] = core::array::from_fn(|_| (&[][..], &mut [][..]));
    for (side, column) in sides.iter_mut().zip(columns) {
        let (below, above) = column.split_at_mut(start);
        *side = (&*below, above);
    }
    let (words, to_words) = join.words.split_at_mut(start);
    let mut to = 0;
    for row in (from.start..from.start + from.len).step_by(I::LANES) {
        let mut ends = [infinite; 6];
        for (end, (column, _)) in ends.iter_mut().zip(&sides) {
            *end = isa.load(&column[row..]);
        }
        let mut word = isa.load_u32(&words[row..]);
        // The padding is at infinity.
        let mut keep = ends[0].lt(infinite)
            & ends[0].le(within[3])
            & ends[1].le(within[4])
            & ends[2].le(within[5])
            & within[0].le(ends[3])
            & within[1].le(ends[4])
            & within[2].le(ends[5]);
        match part {
            KdPart::All => (),
            KdPart::Left { axis, at } => keep = keep & ends[axis].lt(isa.splat(at)),
            KdPart::Right { axis, at } => {
                let at = isa.splat(at);
                keep = keep & at.le(ends[3 + axis]);
                let flagged = word | isa.splat_u32(join.not_first[axis]);
                word = I::U32::select(ends[axis].lt(at), flagged, word);
            }
            KdPart::Crossing { axis, at } => {
                let at = isa.splat(at);
                keep = keep & ends[axis].lt(at) & at.le(ends[3 + axis]);
            }
            KdPart::Beside { axis, at } => {
                let at = isa.splat(at);
                keep = keep & !(ends[axis].lt(at) & at.le(ends[3 + axis]));
            }
            KdPart::With(flag) => keep = keep & !word.disjoint(isa.splat_u32(flag)),
            KdPart::Without(flag) => keep = keep & word.disjoint(isa.splat_u32(flag)),
        }
        for (k, (end, (_, column))) in ends.iter().zip(&mut sides).enumerate() {
            I::F32::from_bits(end.to_bits().compress(keep)).store(&mut column[to..]);
            let extreme = if k < 3 { end.min(around[k]) } else { end.max(around[k]) };
            around[k] = I::F32::select(keep, extreme, around[k]);
        }
        word.compress(keep).store(&mut to_words[to..]);
        flags = I::U32::select(keep, word & flags, flags);
        to += keep.count();
    }
    // Rows past the end overlap nothing.
    sides[0].1[to..to + LANES_MAX].fill(f32::INFINITY);
    let mut summary = Summary { around: [0.0; 6], flags: u32::MAX };
    let mut lanes = [0.0; LANES_MAX];
    for (k, (end, column)) in summary.around.iter_mut().zip(around).enumerate() {
        column.store(&mut lanes);
        *end = lanes[0];
        for &lane in &lanes[..I::LANES] {
            let beyond = if k < 3 { lane < *end } else { lane > *end };
            *end = if beyond { lane } else { *end };
        }
    }
    let mut words = [0; LANES_MAX];
    flags.store(&mut words);
    words[..I::LANES].iter().for_each(|word| summary.flags &= word);
    (KdRows { start, len: to }, summary)
}

/// Compares each box of `a` with each of `b`, until there are [`CANDIDATES`]. Returns whether all were compared.
#[inline(always)]
fn compare<I: Isa>(isa: I, join: &mut Join, candidates: &mut Candidates) -> bool {
    let Leaf { a, b, same, next } = join.leaf;
    let [xs, us, vs, high_xs, high_us, high_vs] = join.bounds.each_ref().map(|of| &of[..b.end()]);
    let words = &join.words[..b.end().max(a.end())];
    for i in next..a.len {
        if candidates.len >= CANDIDATES {
            join.leaf.next = i;
            return false;
        }
        let row = a.start + i;
        let (low_x, high_x) = (isa.splat(join.bounds[0][row]), isa.splat(join.bounds[3][row]));
        let (low_u, high_u) = (isa.splat(join.bounds[1][row]), isa.splat(join.bounds[4][row]));
        let (low_v, high_v) = (isa.splat(join.bounds[2][row]), isa.splat(join.bounds[5][row]));
        let flags = isa.splat_u32(words[row] & JOIN_FLAGS);
        let place = isa.splat_u32(words[row] & ROW);
        let places = isa.splat_u32(ROW);
        let mut j = if same { row + 1 } else { b.start };
        let mut count = candidates.len;
        while j < b.start + b.len {
            let word = isa.load_u32(&words[j..]);
            let meets = isa.load(&xs[j..]).le(high_x)
                & low_x.le(isa.load(&high_xs[j..]))
                & isa.load(&us[j..]).le(high_u)
                & low_u.le(isa.load(&high_us[j..]))
                & isa.load(&vs[j..]).le(high_v)
                & low_v.le(isa.load(&high_vs[j..]))
                & word.disjoint(flags);
            place.store(&mut candidates.a[count..]);
            (word & places).compress(meets).store(&mut candidates.b[count..]);
            count += meets.count();
            j += I::LANES;
        }
        candidates.len = count;
    }
    join.leaf.next = a.len;
    true
}

/// Begins the join of a strip. The result is whether it is cheaper than a sweep.
pub(crate) struct Begin<'a> {
    pub(crate) join: &'a mut Join,
    /// Bounds of the boxes of the strip, and their ids.
    pub(crate) bounds: &'a [Vec<f32>; 6],
    pub(crate) ids: &'a [u32],
    pub(crate) rows: usize,
    /// See [`not_first`].
    pub(crate) not_first: [u32; 3],
}

impl Begin<'_> {
    /// Copies the strip, and tests whether a good plane exists.
    pub(crate) fn run(self) -> bool {
        let Self { join, bounds, ids, rows, not_first } = self;
        join.not_first = not_first;
        join.need(rows + 2 * LANES_MAX);
        join.reserve_spare(1);
        for (column, from) in join.bounds.iter_mut().zip(bounds) {
            column[..rows].copy_from_slice(&from[..rows]);
        }
        join.bounds[0][rows..rows + LANES_MAX].fill(f32::INFINITY);
        for (place, (word, id)) in (0..).zip(join.words.iter_mut().zip(&ids[..rows])) {
            *word = id & FLAGS | place;
        }
        let all = KdRows { start: 0, len: rows };
        join.leaf = Leaf::default();
        join.tasks.clear();
        if join.choose((all, all, true), (0, 0)) == SplitChoice::Compare {
            return false;
        }
        let around_b = [f32::MIN, f32::MIN, f32::MIN, f32::MAX, f32::MAX, f32::MAX];
        let (of_a, of_b) = (KdPart::All, KdPart::All);
        let root = KdTask { a: all, b: all, same: true, of_a, of_b, around_b, apart: 0, depth: 0 };
        join.tasks.push(root);
        true
    }
}

/// Continues a join until there are [`CANDIDATES`]. The result is whether it is done.
pub(crate) struct Proceed<'a> {
    pub(crate) join: &'a mut Join,
    pub(crate) candidates: &'a mut Candidates,
}

impl Kernel for Proceed<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> bool {
        let Self { join, candidates } = self;
        loop {
            if !compare(isa, join, candidates) {
                return false;
            }
            let Some(task) = join.tasks.pop() else {
                return true;
            };
            divide(isa, join, &task);
        }
    }
}

/// Selects the boxes of a join from those of its parent, then begins to compare them or postpones the joins of its
/// parts.
#[inline(always)]
fn divide<I: Isa>(isa: I, join: &mut Join, task: &KdTask) {
    let start = if task.same { task.a.end() } else { task.a.end().max(task.b.end()) };
    let (a, of_a) = copy(isa, join, task.a, task.of_a, &task.around_b, start);
    if a.len == 0 || task.same && of_a.flags != 0 {
        return;
    }
    let (b, of_b) = if task.same {
        (a, of_a)
    } else {
        copy(isa, join, task.b, task.of_b, &of_a.around, a.end())
    };
    if b.len == 0 || of_a.flags & of_b.flags != 0 {
        return;
    }
    let same = task.same;
    match join.choose((a, b, same), (task.apart, task.depth)) {
        SplitChoice::Compare => {
            // The lanes are filled from the larger set.
            let (a, b) = if a.len > b.len { (b, a) } else { (a, b) };
            join.leaf = Leaf { a, b, same, next: 0 };
        }
        SplitChoice::Split { axis, at } => {
            let apart = task.apart & !(1 << axis);
            let next =
                KdTask { a, b, around_b: of_b.around, apart, depth: task.depth + 1, ..*task };
            let (left, right) = (KdPart::Left { axis, at }, KdPart::Right { axis, at });
            join.tasks.push(KdTask { of_a: right, of_b: right, ..next });
            join.tasks.push(KdTask { of_a: left, of_b: left, ..next });
        }
        SplitChoice::Apart { axis, at } => {
            let parts = [KdPart::Crossing { axis, at }, KdPart::Beside { axis, at }];
            let apart = task.apart | 1 << axis;
            let next =
                KdTask { a, b, around_b: of_b.around, apart, depth: task.depth + 1, ..*task };
            join.push_apart(&next, parts);
        }
        SplitChoice::ByFlag(flag) => {
            let depth = task.depth + u8::from(flag == OF_FIRST);
            let next = KdTask { a, b, around_b: of_b.around, depth, ..*task };
            join.push_apart(&next, [KdPart::With(flag), KdPart::Without(flag)]);
        }
    }
}

impl Join {
    /// Postpones the joins of each part with each part.
    fn push_apart(&mut self, next: &KdTask, [one, other]: [KdPart; 2]) {
        let join = |of_a, of_b, same| KdTask { of_a, of_b, same, ..*next };
        self.tasks.push(join(other, other, next.same));
        self.tasks.push(join(one, other, false));
        if !next.same {
            self.tasks.push(join(other, one, false));
        }
        self.tasks.push(join(one, one, next.same));
    }
}

#[cfg(test)]
mod tests;
