//! Undoes what an update has changed, if it fails or the caller's function panics.

use super::Broadphase;
use super::state::BroadphaseState;

/// An update that is not committed yet. Its renewed proxies have no cached pairs. If it is dropped before it is committed,
/// the state is again what it was before, and the events are discarded.
pub(super) struct Transaction<'a> {
    pub(super) broadphase: &'a mut Broadphase,
    /// The number of changed slots before the update.
    changed: usize,
    is_committed: bool,
}

impl<'a> Transaction<'a> {
    /// Discards the result of the last update, and forgets the cached pairs of the renewed proxies. `marks_renewed` says
    /// whether these proxies have changed.
    pub(super) fn begin(broadphase: &'a mut Broadphase, marks_renewed: bool) -> Self {
        broadphase.discard_changes();
        let Broadphase { state, renewed_status, .. } = &mut *broadphase;
        let changed = state.changed.len();
        renewed_status.clear();
        if marks_renewed {
            state.mark_renewed_changed(renewed_status);
        }
        let BroadphaseState { slots, renewed, .. } = state;
        renewed.iter().for_each(|&id| slots.forget_pairs_of(id));
        Self { broadphase, changed, is_committed: false }
    }

    pub(super) fn commit(mut self) {
        self.is_committed = true;
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_committed {
            return;
        }
        self.broadphase.discard_changes();
        let Broadphase { state, trees, incremental, renewed_status, .. } = &mut *self.broadphase;
        incremental.active.cancel(&mut state.movers);
        // Their forest may have been updated while they were not settled.
        state.unmark_renewed(renewed_status, self.changed, |index| trees.mark_settled(index));
        let BroadphaseState { slots, renewed, .. } = state;
        slots.restore_pairs_of(renewed);
    }
}
