//! Inserting, setting and removing many proxies in one call.

use super::Broadphase;
use super::error::BroadphaseError;
use super::id::ProxyId;
use super::proxy::Proxies;
use super::slots::Container;
use crate::columns::{LengthMismatch, MovingBoxInput, Rejected};
use crate::geom::is_magnitude;
use alloc::vec::Vec;

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
        match proxies {
            Proxies::All(proxy) if !is_magnitude(proxy.margin) => {
                return Err(BroadphaseError::Margin);
            }
            Proxies::All(_) => (),
            Proxies::Each(proxies) => {
                LengthMismatch::check("the list `proxies`", boxes.len(), proxies.len())?;
                if let Some(row) = proxies.iter().position(|proxy| !is_magnitude(proxy.margin)) {
                    return Err(BroadphaseError::MarginOfRow { row });
                }
            }
        }
        if boxes.len() > self.state.slots.free_capacity() {
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
    /// [`Broadphase::set`]. If an id occurs several times, its rows are set one after the other, so the last valid one counts.
    ///
    /// Invalid boxes are returned with their row and the reason, and change nothing, also if another row with the same id is valid. Threads share the work if `ids` are
    /// those of consecutive rows of [`Broadphase::movers`].
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the number of ids is wrong or an id is stale; then nothing is changed.
    pub fn set_many<'b>(
        &mut self,
        ids: &[ProxyId],
        boxes: impl Into<MovingBoxInput<'b>>,
    ) -> Result<&[Rejected], BroadphaseError> {
        self.set_rows(ids, &boxes.into())
    }

    /// Does what [`Broadphase::set_many`] states. It is not generic, so that it is compiled once.
    fn set_rows(
        &mut self,
        ids: &[ProxyId],
        boxes: &MovingBoxInput<'_>,
    ) -> Result<&[Rejected], BroadphaseError> {
        let Self { state, trees, mover_tree, exec, rejected, set, .. } = self;
        set.set(exec, (state, trees), (ids, boxes), rejected)?;
        let moves = |id: &ProxyId| state.slot(id.index() as usize).container() == Container::Movers;
        if ids.iter().any(moves) {
            mover_tree.mark_dirty();
        }
        Ok(rejected)
    }

    /// Sets the displacement of proxy `ids[k]` to `deltas[k]`, like [`Broadphase::set_delta`]. If an id occurs several times, the last valid
    /// displacement counts.
    ///
    /// Invalid displacements are returned with their row and the reason, and change nothing. One thread does the work; where boxes change too, use
    /// [`Broadphase::set_many`].
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the number of displacements is wrong or an id is stale; then nothing is changed.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Invalid, Proxy};
    ///
    /// let (mut world, mut ids) = (Broadphase::new(), Vec::new());
    /// world.insert_many(&[Aabb::cube([0.0; 3], 0.5)?; 3], Proxy::dynamic(), &mut ids)?;
    /// let rejected = world.set_delta_many(&ids, &[[1.0, 0.0, 0.0], [f32::NAN; 3], [2.0, 0.0, 0.0]])?;
    /// assert_eq!((rejected.len(), rejected[0].row), (1, 1));
    /// let deltas: Vec<_> = ids.iter().map(|&id| world.moving_box(id).map(|moving| moving.delta)).collect();
    /// assert_eq!(deltas, [Some([1.0, 0.0, 0.0]), Some([0.0; 3]), Some([2.0, 0.0, 0.0])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_delta_many(
        &mut self,
        ids: &[ProxyId],
        deltas: &[[f32; 3]],
    ) -> Result<&[Rejected], BroadphaseError> {
        LengthMismatch::check("the list `ids`", deltas.len(), ids.len())?;
        self.state.check_all(ids)?;
        self.rejected.clear();
        for ((row, &id), &delta) in (0..).zip(ids).zip(deltas) {
            match self.set_delta(id, delta) {
                Ok(()) => (),
                Err(BroadphaseError::Invalid(reason)) => {
                    self.rejected.push(Rejected { row, reason });
                }
                Err(other) => return Err(other),
            }
        }
        Ok(&self.rejected)
    }

    /// Removes these proxies, like [`Broadphase::remove`]. An id may occur several times, and is removed once.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::StaleOfRow`] when an id is stale; then none is removed.
    pub fn remove_many(&mut self, ids: &[ProxyId]) -> Result<(), BroadphaseError> {
        self.state.check_all(ids)?;
        for &id in ids {
            if self.contains(id) {
                self.remove(id)?;
            }
        }
        Ok(())
    }

    /// Changes the kind of these proxies, like [`Broadphase::set_kind`]. An id that occurs several times is changed once.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::StaleOfRow`] when an id is stale; then nothing is changed.
    pub fn set_kind_many(
        &mut self,
        ids: &[ProxyId],
        kind: super::ProxyKind,
    ) -> Result<(), BroadphaseError> {
        self.state.check_all(ids)?;
        ids.iter().try_for_each(|&id| self.set_kind(id, kind))
    }

    /// Enables or disables these proxies, like [`Broadphase::set_enabled`]. An id may occur several times.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::StaleOfRow`] when an id is stale; then nothing is changed.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// // A pool of shots, of which none is used yet, in front of a wall.
    /// let mut world = Broadphase::new();
    /// let (place, mut shots) = (Aabb::cube([0.0; 3], 0.1)?, Vec::new());
    /// world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::fixed())?;
    /// world.insert_many(&[place; 100], Proxy::dynamic().owned_by(1).disabled(), &mut shots)?;
    /// assert!(world.update()?.begun().is_empty());
    ///
    /// world.set_enabled_many(&shots[..3], true)?;
    /// assert_eq!(world.update()?.begun().len(), 3); // each with the wall
    /// world.set_enabled_many(&shots[..3], false)?;
    /// assert_eq!(world.update()?.ended().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_enabled_many(
        &mut self,
        ids: &[ProxyId],
        enabled: bool,
    ) -> Result<(), BroadphaseError> {
        self.state.check_all(ids)?;
        ids.iter().try_for_each(|&id| self.set_enabled(id, enabled))
    }
}
