//! Inserting, updating and removing many proxies in one call.

use super::Broadphase;
use super::error::BroadphaseError;
use super::id::ProxyId;
use super::movers::{CHANGED, MoverStore};
use super::proxy::{Proxies, is_margin};
use super::resting::RestingTrees;
use super::slots::{Container, NONE};
use super::state::BroadphaseState;
use crate::broadphase::pairs::input::CHUNK_ROWS;
use crate::columns::{LengthMismatch, MovingBoxColumns, MovingBoxInput, Rejected};
use crate::geom::{Invalid, MapEach, MovingBox};
use crate::kernels::containment;
use crate::lanes::Level;
use crate::par;
use alloc::vec::Vec;

/// Marks an element that is rejected, in place of its mover row.
const REJECTED: u32 = NONE - 1;

impl Broadphase {
    /// Inserts a proxy for each row of `boxes`, with one description for each or the same for all.
    /// The ids are appended to `ids`, in the same order.
    ///
    /// Invalid boxes are returned with their row and the reason, and get the id [`ProxyId::NONE`];
    /// the other rows are inserted.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the number of descriptions is wrong, a margin is invalid, or there would
    /// be too many proxies; then nothing is inserted.
    pub fn insert_many<'b, 'p>(
        &mut self,
        boxes: impl Into<MovingBoxInput<'b>>,
        proxies: impl Into<Proxies<'p>>,
        ids: &mut Vec<ProxyId>,
    ) -> Result<&[Rejected], BroadphaseError> {
        self.insert_rows(boxes.into(), proxies.into(), ids)
    }

    /// Does what [`Broadphase::insert_many`] states. It is not generic, so that it is compiled once.
    fn insert_rows(
        &mut self,
        boxes: MovingBoxInput<'_>,
        proxies: Proxies<'_>,
        ids: &mut Vec<ProxyId>,
    ) -> Result<&[Rejected], BroadphaseError> {
        let proxy = |row: usize| match proxies {
            Proxies::All(proxy) => proxy,
            Proxies::Each(proxies) => proxies[row],
        };
        let margins_hold = match proxies {
            Proxies::All(proxy) => is_margin(proxy.margin),
            Proxies::Each(proxies) => {
                LengthMismatch::check("the list `proxies`", boxes.len(), proxies.len())?;
                proxies.iter().all(|proxy| is_margin(proxy.margin))
            }
        };
        if !margins_hold {
            return Err(BroadphaseError::Margin);
        }
        if boxes.len() > self.state.slots.room() {
            return Err(BroadphaseError::TooManyProxies);
        }
        self.rejected.clear();
        ids.reserve(boxes.len());
        for row in 0..boxes.len() {
            match self.insert_moving(boxes.get(row), proxy(row)) {
                Ok(id) => ids.push(id),
                Err(BroadphaseError::Invalid(reason)) => {
                    self.rejected.push(Rejected { row: row as u32, reason });
                    ids.push(ProxyId::NONE);
                }
                Err(other) => return Err(other),
            }
        }
        Ok(&self.rejected)
    }

    /// Sets the box and displacement of proxy `ids[k]` to row `k` of `boxes`, like
    /// [`Broadphase::set`]. If an id occurs several times, its last row counts.
    ///
    /// Invalid boxes are returned with their row and the reason, and change nothing.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the number of ids is wrong or an id is stale; then nothing is changed.
    pub fn set_many<'b>(
        &mut self,
        ids: &[ProxyId],
        boxes: impl Into<MovingBoxInput<'b>>,
    ) -> Result<&[Rejected], BroadphaseError> {
        self.set_rows(ids, boxes.into())
    }

    /// Does what [`Broadphase::set_many`] states. It is not generic, so that it is compiled once.
    fn set_rows(
        &mut self,
        ids: &[ProxyId],
        boxes: MovingBoxInput<'_>,
    ) -> Result<&[Rejected], BroadphaseError> {
        LengthMismatch::check("the list `ids`", boxes.len(), ids.len())?;
        let Self { state, trees, mover_tree, exec, rejected, rows, outside, columns, .. } = self;
        // The mover row of each element; `NONE` for proxies that do not move.
        rows.clear();
        rows.reserve(ids.len());
        while let Some(&id) = ids.get(rows.len()) {
            let slot = state.slot(state.find(id)?);
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
        mover_tree.mark_dirty();
        rejected.clear();
        let mut sorted = true;
        for start in (0..ids.len()).step_by(CHUNK_ROWS) {
            let end = ids.len().min(start + CHUNK_ROWS);
            let boxes = boxes.slice(start..end).columns(columns);
            let listed = rejected.len();
            boxes.list_invalid(exec.level, rejected);
            for bad in &mut rejected[listed..] {
                bad.row += start as u32;
                rows[bad.row as usize] = REJECTED;
            }
            let mut next = start;
            while next < end {
                let (from, row) = (next, rows[next]);
                next += 1;
                match row {
                    REJECTED => (),
                    NONE => {
                        let set = set_one(state, trees, ids[from], boxes.get(from - start));
                        if let Err(reason) = set {
                            rejected.push(Rejected { row: from as u32, reason });
                            sorted = false;
                        }
                    }
                    // Usually the rows are consecutive like the elements, so that whole ranges are
                    // copied.
                    _ => {
                        while next < end && rows[next] == row + (next - from) as u32 {
                            next += 1;
                        }
                        let boxes = boxes.slice(from - start..next - start);
                        let row = row as usize;
                        if state.fat_movers == 0 {
                            copy_rows(&mut state.movers, row, boxes);
                            continue;
                        }
                        copy_contained_rows(exec.level, &mut state.movers, row, boxes, outside);
                        for &k in &*outside {
                            let at = from + k as usize;
                            let set = set_one(state, trees, ids[at], boxes.get(k as usize));
                            if let Err(reason) = set {
                                rejected.push(Rejected { row: at as u32, reason });
                                sorted = false;
                            }
                        }
                    }
                }
            }
        }
        if !sorted {
            par::sort_rare(rejected, |rejected| rejected.row);
        }
        Ok(rejected)
    }

    /// Removes these proxies, like [`Broadphase::remove`]. An id may occur several times.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`] when an id is stale; then none is removed.
    pub fn remove_many(&mut self, ids: &[ProxyId]) -> Result<(), BroadphaseError> {
        ids.iter().try_for_each(|&id| self.state.find(id).map(|_| ()))?;
        for &id in ids {
            if self.contains(id) {
                self.remove(id)?;
            }
        }
        Ok(())
    }

    /// Changes the kind of these proxies, like [`Broadphase::set_kind`].
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`] when an id is stale; then nothing is changed.
    pub fn set_kind_many(
        &mut self,
        ids: &[ProxyId],
        kind: super::ProxyKind,
    ) -> Result<(), BroadphaseError> {
        ids.iter().try_for_each(|&id| self.state.find(id).map(|_| ()))?;
        ids.iter().try_for_each(|&id| self.set_kind(id, kind))
    }
}

/// Copies boxes to consecutive rows of the movers, all without margins.
fn copy_rows(movers: &mut MoverStore, row: usize, boxes: MovingBoxColumns<'_>) {
    let to = row..row + boxes.len();
    movers.status[to.clone()].fill(CHANGED);
    for (column, from) in movers.columns.iter_mut().zip(boxes.columns()) {
        column[to.clone()].copy_from_slice(from);
    }
}

/// Copies boxes to consecutive rows of the movers, where there is no margin or the path is inside the fat AABB. Writes
/// the positions of the other boxes to `outside`.
fn copy_contained_rows(
    level: Level,
    movers: &mut MoverStore,
    row: usize,
    boxes: MovingBoxColumns<'_>,
    outside: &mut Vec<u32>,
) {
    let to = row..row + boxes.len();
    let MoverStore { columns, fat, status, .. } = movers;
    outside.clear();
    let low = &fat[0][to.clone()];
    for (status, &low) in status[to.clone()].iter_mut().zip(low) {
        *status = if low > -f32::MAX { *status } else { CHANGED };
    }
    let fat = fat.each_ref().map_each(|column| &column[to.clone()]);
    let columns = columns.each_mut().map(|column| &mut column[to.clone()]);
    containment::copy_contained(level, boxes, fat, columns, outside);
}

/// Sets the moving box of a proxy, and marks the forest that stores it as dirty.
fn set_one(
    state: &mut BroadphaseState,
    trees: &mut RestingTrees,
    id: ProxyId,
    moving: MovingBox,
) -> Result<(), Invalid> {
    let index = id.index() as usize;
    let changed = state.set(index, moving)?;
    if changed && state.slot(index).container().is_tree() {
        trees.mark_dirty(index);
    }
    Ok(())
}
