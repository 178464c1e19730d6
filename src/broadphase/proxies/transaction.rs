//! Undoes what an update has changed, if it fails or the caller's function panics.

use super::Broadphase;
use super::state::BroadphaseState;

/// An update. If it is dropped before it is committed, because of an error or a panic of the caller's function, it is
/// rolled back.
pub(super) struct Transaction<'a> {
    pub(super) broadphase: &'a mut Broadphase,
    /// The number of changed slots before the update.
    changed: usize,
    pub(super) is_committed: bool,
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            self.broadphase.roll_back(self.changed);
        }
    }
}

impl Broadphase {
    /// Discards the result of the last update, and forgets the cached pairs of the renewed proxies. `marks_renewed` states whether these proxies have
    /// changed.
    pub(super) fn begin_update(&mut self, marks_renewed: bool) -> Transaction<'_> {
        self.discard_changes();
        let Self { state, renewed_status, .. } = self;
        let changed = state.changed.len();
        renewed_status.clear();
        if marks_renewed {
            state.mark_renewed_changed(renewed_status);
        }
        let BroadphaseState { slots, renewed, .. } = state;
        renewed.iter().for_each(|&id| slots.forget_pairs_of(id));
        Transaction { broadphase: self, changed, is_committed: false }
    }

    /// Undoes what an update has changed in the state, and discards its events. `changed` slots had changed before.
    fn roll_back(&mut self, changed: usize) {
        self.discard_changes();
        let Self { state, trees, incremental, renewed_status, .. } = self;
        incremental.active.cancel(&mut state.movers);
        // Their forest may have been updated while they were not settled.
        state.unmark_renewed(renewed_status, changed, |index| trees.mark_settled(index));
        let BroadphaseState { slots, renewed, .. } = state;
        slots.restore_pairs_of(renewed);
    }
}
