//! Finds the overlapping pairs of a crowded strip by splitting its boxes at medians.
//!
//! One grid cannot fit boxes at several scales: a crowd in a large sparse scene is a single cell, and the sweep of
//! that cell compares every box with every other. The number of comparisons of a sweep is known before it starts, so
//! such a strip is divided instead, in time that grows with its boxes and pairs whatever their scales:
//!
//! ```text
//! join(A, B):                             A and B are sets of boxes, or the same set
//!   few comparisons                       compare each of A with each of B, a lane group at a time
//!   an axis on which few overlap          sort by the starts there, and compare those that overlap
//!   many boxes are long                   join the long ones and the others: four joins
//!   a plane that saves comparisons        join(A left, B left); join(A right, B right)
//!   many boxes do not move                join those that do and the others
//!   else                                  compare each with each: most of them overlap
//! ```
//!
//! A box that crosses a plane is in both sets. As in the strips of the grid, a flag in its right copy says that the
//! box starts further left, and two boxes with a flag in common are not a pair. So each pair is found once, where at
//! least one of the two starts on every axis. Boxes that are long on one axis would cross every plane there and be
//! copied again and again; they are therefore separated from the others and divided or swept on the axes on which they
//! are short. Two sets are first cut to each other's bounds.
//!
//! `choose.rs` chooses one of these, `boxes.rs` copies and sorts sets of boxes, `leaf.rs` compares them.
//!
//! The choice depends on a sample of the boxes alone, and copies keep their order. So the pairs and their order
//! are the same for every level. The method is that of a streamed k-d tree; copies instead of a third child follow from
//! the flags of the strips (compare Zomorodian and Edelsbrunner, *Fast software for box intersections*, 2000).

mod boxes;
mod choose;
mod leaf;

use super::candidates::Candidates;
use super::grid::Grid;
use crate::broadphase::pairs::buffer::reserve_total;
use crate::broadphase::pairs::flags::{FLAGS, NOT_FIRST_U, NOT_FIRST_V, OF_FIRST};
use crate::columns::impl_memory;
use crate::lanes::{Isa, Kernel, LANES_MAX};
use alloc::vec::Vec;
use boxes::{KdBoxes, KdPart, KdRows, NOT_FIRST_UNCUT, copy};
use choose::{DEPTH_MAX, KdHistory, SplitChoice, choose};
use leaf::{Leaf, LeafState};

/// Greatest number of postponed joins: each division postpones at most four.
const TASKS_MAX: usize = 4 * (DEPTH_MAX as usize + 2);

/// Bounds of everything.
const EVERYWHERE: [f32; 6] = [f32::MIN, f32::MIN, f32::MIN, f32::MAX, f32::MAX, f32::MAX];

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
    history: KdHistory,
}

/// Memory of one worker for a join.
#[derive(Debug, Default)]
pub(crate) struct Join {
    boxes: KdBoxes,
    tasks: Vec<KdTask>,
    leaf: Leaf,
    /// History of the join whose sets are swept.
    swept: KdHistory,
}

impl_memory!(Join { boxes, tasks; without leaf, swept });

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
    /// Returns the greatest number of rows in use at once since the last call.
    pub(crate) fn take_peak(&mut self) -> usize {
        core::mem::take(&mut self.boxes.peak)
    }

    /// Reserves memory for a join that needs a few more rows than `peak`.
    pub(crate) fn reserve_spare(&mut self, peak: usize) {
        if peak > 0 {
            if self.boxes.words.len() < peak + peak / 16 {
                self.boxes.grow(peak + peak / 4);
            }
            reserve_total(&mut self.tasks, TASKS_MAX);
        }
    }
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
        join.boxes.not_first = not_first;
        join.boxes.need(rows + 2 * LANES_MAX);
        join.reserve_spare(1);
        for (column, from) in join.boxes.bounds.iter_mut().zip(bounds) {
            column[..rows].copy_from_slice(&from[..rows]);
        }
        join.boxes.bounds[0][rows..rows + LANES_MAX].fill(f32::INFINITY);
        for (place, (word, id)) in (0..).zip(join.boxes.words.iter_mut().zip(&ids[..rows])) {
            *word = id & FLAGS | place;
        }
        let all = KdRows { start: 0, len: rows };
        join.leaf = Leaf::default();
        join.tasks.clear();
        if ids[..rows].iter().fold(FLAGS, |common, id| common & id) != 0 {
            return true;
        }
        let (of_a, of_b, around_b) = (KdPart::All, KdPart::All, EVERYWHERE);
        let history = KdHistory::default();
        let root = KdTask { a: all, b: all, same: true, of_a, of_b, around_b, history };
        let choice = choose(&join.boxes, (all, all, true), history);
        join.plan(&root, choice);
        choice != SplitChoice::Compare
    }
}

/// Continues a join until there are [`CANDIDATES`](super::candidates::CANDIDATES). The result is whether it is done.
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
            match join.leaf.proceed(isa, &join.boxes, candidates) {
                LeafState::Full => return false,
                LeafState::Dense => join.resume(),
                LeafState::Done => (),
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
    let boxes = &mut join.boxes;
    let start = if task.same { task.a.end() } else { task.a.end().max(task.b.end()) };
    let (a, of_a) = copy(isa, boxes, task.a, task.of_a, &task.around_b, start);
    if a.len == 0 || task.same && of_a.flags != 0 {
        return;
    }
    let (b, of_b) = if task.same {
        (a, of_a)
    } else {
        copy(isa, boxes, task.b, task.of_b, &of_a.around, a.end())
    };
    if b.len == 0 || of_a.flags & of_b.flags != 0 {
        return;
    }
    let choice = choose(boxes, (a, b, task.same), task.history);
    join.plan(&KdTask { a, b, around_b: of_b.around, ..*task }, choice);
}

impl Join {
    /// Begins to compare the sets `a` and `b` of a join, or postpones the joins of their parts.
    fn plan(&mut self, join: &KdTask, choice: SplitChoice) {
        let KdTask { a, b, same, mut history, .. } = *join;
        match choice {
            SplitChoice::Compare => self.leaf = Leaf::each_with_each(a, b, same),
            SplitChoice::Sweep { axis } => {
                let end = a.end().max(b.end());
                let a = self.boxes.sort(a, axis, end);
                let b = if same { a } else { self.boxes.sort(b, axis, a.end()) };
                self.leaf = Leaf::sweep(a, b, same, axis);
                self.swept = history;
            }
            SplitChoice::Split { axis, at } => {
                history.apart &= !(1 << axis);
                history.depth += 1;
                let (left, right) = (KdPart::Left { axis, at }, KdPart::Right { axis, at });
                self.tasks.push(KdTask { of_a: right, of_b: right, history, ..*join });
                self.tasks.push(KdTask { of_a: left, of_b: left, history, ..*join });
            }
            SplitChoice::Apart { axis, than } => {
                let parts = [KdPart::Longer { axis, than }, KdPart::Shorter { axis, than }];
                history.apart |= 1 << axis;
                history.depth += 1;
                self.push_apart(&KdTask { history, ..*join }, parts);
            }
            SplitChoice::ByFlag(flag) => {
                history.depth += u8::from(flag == OF_FIRST);
                let parts = [KdPart::With(flag), KdPart::Without(flag)];
                self.push_apart(&KdTask { history, ..*join }, parts);
            }
        }
    }

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

    /// Postpones the join of the boxes that a slow sweep has not compared.
    fn resume(&mut self) {
        let Leaf { a, b, same, .. } = core::mem::take(&mut self.leaf);
        let (of_a, of_b, around_b) = (KdPart::All, KdPart::All, EVERYWHERE);
        let history = KdHistory { dense: true, ..self.swept };
        self.tasks.push(KdTask { a, b, same, of_a, of_b, around_b, history });
    }
}

#[cfg(test)]
mod tests;
