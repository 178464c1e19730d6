//! Sets the boxes of many proxies in one call: `Broadphase::set_many`.
//!
//! ```text
//! look up the mover row of each id
//! if the rows are consecutive, as those of a caller that lists its movers in order:
//!     divide the boxes into parts; for each part, in parallel:
//!         validate the boxes, and list the invalid ones
//!         copy the others to the mover rows; list those that leave their fat AABBs
//! otherwise do the same on one thread, for each range of consecutive rows
//! set the listed boxes, and those of resting proxies, one by one
//! ```
//!
//! The parts depend on the number of boxes alone, and each row has one writer, so the result does not depend on the
//! threads.

use super::error::BroadphaseError;
use super::id::ProxyId;
use super::movers::{CHANGED, MoverRowsMut};
use super::resting::RestingTrees;
use super::slots::{Container, NONE};
use super::state::BroadphaseState;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::input::CHUNK_ROWS;
use crate::columns::{
    ColumnScratch, LengthMismatch, MovingBoxColumns, MovingBoxInput, Rejected, impl_memory,
};
use crate::geom::{Invalid, lengthen_by_default};
use crate::kernels::containment;
use crate::lanes::Level;
use crate::par::{self, Threads};
use alloc::vec::Vec;
use core::ops::Range;

/// Marks an element that is rejected, in place of its mover row.
const REJECTED: u32 = NONE - 1;
/// The greatest number of parts that threads share.
const PARTS_MAX: usize = 64;
/// Number of boxes below which one thread copies them: to wake another takes as long as its share of the work.
const PARALLEL_ROWS_MIN: usize = 4 * CHUNK_ROWS;

/// Scratch memory of `Broadphase::set_many`.
#[derive(Debug, Default)]
pub(crate) struct SetScratch {
    /// The mover row of each element, if the rows are not consecutive.
    rows: Vec<u32>,
    /// Boxes that are not passed as columns, one for each worker.
    columns: Vec<ColumnScratch>,
    /// The lists of each part.
    parts: Vec<SetLists>,
}

impl_memory!(SetScratch { rows; lists of columns, parts });

/// The elements of a part that are not copied, in order.
#[derive(Debug, Default)]
struct SetLists {
    rejected: Vec<Rejected>,
    /// Elements that leave their fat AABB.
    outside: Vec<u32>,
}

impl_memory!(SetLists { rejected, outside });

/// A part of the boxes, and the mover rows to which they are copied.
struct SetPart<'a> {
    /// The first element.
    start: usize,
    boxes: MovingBoxInput<'a>,
    to: MoverRowsMut<'a>,
    lists: &'a mut SetLists,
}

impl SetScratch {
    /// Sets the boxes, and lists the invalid ones in order. On an error nothing has changed.
    pub(crate) fn set(
        &mut self,
        exec: &Exec,
        (state, trees): (&mut BroadphaseState, &mut RestingTrees),
        (ids, boxes): (&[ProxyId], &MovingBoxInput<'_>),
        rejected: &mut Vec<Rejected>,
    ) -> Result<(), BroadphaseError> {
        LengthMismatch::check("the list `ids`", boxes.len(), ids.len())?;
        rejected.clear();
        if ids.is_empty() {
            return Ok(());
        }
        let first = state.slot(state.find_row(ids, 0)?);
        let row = first.row_or_next as usize;
        let rows = match first.container() {
            Container::Movers => state.movers.ids.get(row..row.saturating_add(ids.len())),
            _ => None,
        };
        // Compared as plain numbers, which is done in lanes. Numbers of 64 bits would need a greater alignment than ids have.
        let consecutive = rows.is_some_and(|rows| {
            bytemuck::cast_slice::<_, u32>(rows) == bytemuck::cast_slice::<_, u32>(ids)
        });
        let sorted = if consecutive {
            let one = Threads::one();
            let threads = if ids.len() < PARALLEL_ROWS_MIN { &one } else { &exec.threads };
            let to = state.movers.rows_mut(row..row + ids.len(), state.fat_movers > 0);
            self.copy_consecutive((exec.level, threads), to, boxes);
            rejected.extend(self.parts.iter().flat_map(|part| &part.rejected));
            let listed = rejected.len();
            for &k in self.parts.iter().flat_map(|part| &part.outside) {
                set_one(state, trees, (ids, boxes), k as usize, rejected);
            }
            rejected.len() == listed
        } else {
            self.look_up(state, ids)?;
            self.set_scattered(exec.level, (state, trees), (ids, boxes), rejected)
        };
        if !sorted {
            par::sort_rare(rejected, |rejected| rejected.row);
        }
        Ok(())
    }

    /// Looks up the mover row of each element; [`NONE`] for proxies that do not move.
    fn look_up(&mut self, state: &BroadphaseState, ids: &[ProxyId]) -> Result<(), BroadphaseError> {
        let rows = &mut self.rows;
        rows.clear();
        rows.reserve(ids.len());
        while rows.len() < ids.len() {
            let slot = state.slot(state.find_row(ids, rows.len())?);
            if slot.container() != Container::Movers {
                rows.push(NONE);
                continue;
            }
            rows.push(slot.row_or_next);
            // Usually the following ids are those of the following rows.
            let following = state.movers.ids[slot.row_or_next as usize + 1..].iter();
            let same = following.zip(&ids[rows.len()..]).take_while(|(a, b)| a == b).count() as u32;
            rows.extend(slot.row_or_next + 1..=slot.row_or_next + same);
        }
        Ok(())
    }

    /// Copies all boxes to consecutive rows of the movers. The lists of the parts then have the elements that are not
    /// copied.
    fn copy_consecutive(
        &mut self,
        (level, threads): (Level, &Threads),
        mut to: MoverRowsMut<'_>,
        boxes: &MovingBoxInput<'_>,
    ) {
        let size = boxes.len().div_ceil(PARTS_MAX).next_multiple_of(CHUNK_ROWS);
        let count = boxes.len().div_ceil(size);
        let Self { columns, parts, .. } = self;
        let workers = threads.workers();
        lengthen_by_default(columns, workers);
        columns.iter_mut().for_each(|scratch| boxes.reserve(scratch, CHUNK_ROWS.min(boxes.len())));
        lengthen_by_default(parts, count);
        for part in &mut *parts {
            part.rejected.clear();
            part.outside.clear();
        }
        let mut lists = parts.iter_mut();
        let mut next = |part: usize| {
            let rows = part * size..boxes.len().min((part + 1) * size);
            let to = to.split_off(rows.len());
            let lists = lists.next()?;
            Some(SetPart { start: rows.start, boxes: boxes.slice(rows), to, lists })
        };
        let mut items: [_; PARTS_MAX] =
            core::array::from_fn(|part| if part < count { next(part) } else { None });
        par::for_each(
            threads,
            &mut columns[..workers],
            &mut items[..count],
            &|scratch, _, item| {
                if let Some(part) = item {
                    part.copy(level, scratch);
                }
            },
        );
    }

    /// Sets boxes of which the mover rows are not consecutive, or which do not move. Returns whether `rejected` is
    /// sorted.
    fn set_scattered(
        &mut self,
        level: Level,
        (state, trees): (&mut BroadphaseState, &mut RestingTrees),
        (ids, boxes): (&[ProxyId], &MovingBoxInput<'_>),
        rejected: &mut Vec<Rejected>,
    ) -> bool {
        let Self { rows, columns, parts, .. } = self;
        lengthen_by_default(columns, 1);
        lengthen_by_default(parts, 1);
        let (columns, outside) = (&mut columns[0], &mut parts[0].outside);
        let mut sorted = true;
        for start in (0..ids.len()).step_by(CHUNK_ROWS) {
            let end = ids.len().min(start + CHUNK_ROWS);
            let chunk = boxes.slice(start..end).columns(columns);
            let listed = rejected.len();
            chunk.list_invalid(level, rejected);
            for bad in &mut rejected[listed..] {
                bad.row += start as u32;
                rows[bad.row as usize] = REJECTED;
            }
            let mut next = start;
            while next < end {
                let (from, row) = (next, rows[next]);
                next += 1;
                if row == REJECTED {
                    continue;
                }
                let before = rejected.len();
                if row == NONE {
                    set_one(state, trees, (ids, boxes), from, rejected);
                } else {
                    // Usually the rows are consecutive like the elements, so that whole ranges are
                    // copied.
                    while next < end && rows[next] == row + (next - from) as u32 {
                        next += 1;
                    }
                    let row = row as usize;
                    outside.clear();
                    let (rows, with_fat) = (row..row + (next - from), state.fat_movers > 0);
                    let mut to = state.movers.rows_mut(rows, with_fat);
                    let of_range = chunk.slice(from - start..next - start);
                    copy_rows(level, of_range, &mut to, (from, &mut *outside));
                    for &k in &*outside {
                        set_one(state, trees, (ids, boxes), k as usize, rejected);
                    }
                }
                sorted &= rejected.len() == before;
            }
        }
        sorted
    }
}

impl SetPart<'_> {
    /// Copies the boxes, and lists the elements that are not copied.
    fn copy(&mut self, level: Level, scratch: &mut ColumnScratch) {
        let Self { start, boxes, to, lists } = self;
        let SetLists { rejected, outside } = &mut **lists;
        for from in (0..boxes.len()).step_by(CHUNK_ROWS) {
            let rows = from..boxes.len().min(from + CHUNK_ROWS);
            let (first, len) = (*start + from, rows.len());
            let chunk = boxes.slice(rows).columns(scratch);
            let listed = rejected.len();
            chunk.list_invalid(level, rejected);
            let mut copy = |rows: Range<usize>, to: &mut MoverRowsMut<'_>| {
                let mut to = to.split_off(rows.len());
                copy_rows(
                    level,
                    chunk.slice(rows.clone()),
                    &mut to,
                    (first + rows.start, &mut *outside),
                );
            };
            let mut next = 0;
            for bad in &mut rejected[listed..] {
                let row = bad.row as usize;
                copy(next..row, to);
                to.split_off(1);
                next = row + 1;
                bad.row += first as u32;
            }
            copy(next..len, to);
        }
    }
}

/// Copies boxes to the rows of movers, where there is no margin or the path is inside the fat AABB. Appends the other
/// elements to the list; `first` is the first element.
fn copy_rows(
    level: Level,
    boxes: MovingBoxColumns<'_>,
    to: &mut MoverRowsMut<'_>,
    (first, outside): (usize, &mut Vec<u32>),
) {
    let MoverRowsMut { columns, fat, status } = to;
    if boxes.is_empty() {
        return;
    }
    if fat[0].is_empty() {
        status.fill(CHANGED);
        for (column, from) in columns.iter_mut().zip(boxes.columns()) {
            column.copy_from_slice(from);
        }
        return;
    }
    // A mover with a margin has changed only if its fat AABB has.
    for (status, &low) in status.iter_mut().zip(fat[0]) {
        *status = if low > -f32::MAX { *status } else { CHANGED };
    }
    let listed = outside.len();
    let columns = columns.each_mut().map(|column| &mut **column);
    containment::copy_contained(level, boxes, *fat, columns, outside);
    outside[listed..].iter_mut().for_each(|k| *k += first as u32);
}

/// Sets the moving box of proxy `ids[k]`, and marks the forest that stores it as dirty. Lists an invalid box.
fn set_one(
    state: &mut BroadphaseState,
    trees: &mut RestingTrees,
    (ids, boxes): (&[ProxyId], &MovingBoxInput<'_>),
    k: usize,
    rejected: &mut Vec<Rejected>,
) {
    let index = ids[k].index() as usize;
    let set: Result<bool, Invalid> = state.set(index, boxes.get(k));
    match set {
        Ok(changed) if changed && state.slot(index).container().is_resting() => {
            trees.mark_dirty(index);
        }
        Ok(_) => (),
        Err(reason) => rejected.push(Rejected { row: k as u32, reason }),
    }
}
