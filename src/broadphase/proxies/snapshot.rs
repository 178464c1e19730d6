//! Snapshots for rollback, and shifting the origin.

use super::Broadphase;
use super::error::BroadphaseError;
use super::movers::CHANGED;
use super::packed::PackedState;
use super::resting::trees_of;
use super::slots::{Container, Slot};
use super::state::BroadphaseState;
use super::validate::InvariantError;
use crate::columns::Memory;
use crate::geom::{Aabb, Filter, Invalid, MapEach, MovingBox};

/// A copy of everything that decides the answers of a broadphase from some tick on.
///
/// It has 24 bytes for the box of each proxy, 24 for the fat AABB of a proxy with a margin, 12 for the displacement of a
/// proxy that moves, 12 for each touching pair, 8 for each resting pair, 4 for each free slot, and 4 for each mover if the rows of the movers are not in
/// the order of their slots ([`Snapshot::memory_usage`]). Data, owners, filters, margins, kinds and
/// generations are stored once if all proxies have the same value; if all of these differ, they add 29 bytes for each proxy.
///
/// Broadphases to which the same calls were made have equal snapshots, also after rollbacks: compare them to find where two machines diverge. With
/// the feature `serde` it can be serialised and deserialised; a deserialised snapshot is validated. It does not contain settings that change no
/// answer, the limit on pairs, or the result of the last update.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "PackedState", into = "PackedState"))]
pub struct Snapshot(PackedState);

impl TryFrom<PackedState> for Snapshot {
    type Error = InvariantError;

    fn try_from(packed: PackedState) -> Result<Self, InvariantError> {
        packed.check()?;
        let mut state = BroadphaseState::default();
        packed.unpack_into(&mut state);
        state.validate()?;
        Ok(Self(packed))
    }
}

impl From<Snapshot> for PackedState {
    fn from(snapshot: Snapshot) -> Self {
        snapshot.0
    }
}

impl Snapshot {
    /// The number of proxies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no proxies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.0.bytes()
    }
}

impl Broadphase {
    /// Copies everything that decides the answers of the next updates.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let a = world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::dynamic())?;
    /// let snapshot = world.snapshot();
    /// world.remove(a)?;
    /// world.restore(&snapshot);
    /// assert!(world.contains(a));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.snapshot_into(&mut snapshot);
        snapshot
    }

    /// Like [`Broadphase::snapshot`], but reuses the memory of an old snapshot.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        snapshot.0.pack(&self.state);
    }

    /// Restores the state of which `snapshot` was taken. From now on every update gives the results that it would have
    /// given then, including ids, pairs, events and their order. Ids that were given out since then are
    /// stale, or belong to other proxies.
    ///
    /// Trees are not copied: the next update changes in them what differs in the resting proxies and in the settled movers.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        snapshot.0.unpack_into(&mut self.spare);
        let (state, then) = (&self.state, &self.spare);
        for index in 0..state.slots.all.len().max(then.slots.all.len()) {
            if stored(state, index) != stored(then, index) {
                self.trees.mark_dirty(index);
            }
        }
        core::mem::swap(&mut self.state, &mut self.spare);
        self.mover_tree.mark_dirty();
        let slots = &self.state.slots.all;
        self.filtered = slots.iter().any(|slot| slot.filter != Filter::ALL);
        self.inexact_filters = slots.iter().any(|slot| !slot.filter.is_exact());
        self.owned = slots.iter().any(|slot| slot.owner != 0);
        self.discard_changes();
    }

    /// Moves the origin to `offset`: all boxes are translated by its negative and rounded outwards
    /// ([`Aabb::translated`]), so that no box shrinks. Ids and cached pairs stay valid.
    ///
    /// Resting boxes that touch still touch. Rounding may make a few more boxes touch. Pairs of
    /// movers may begin or stop to touch by a few units in the last place, which the next update
    /// then reports. Each shift by an offset that is not a multiple of the spacing of floats at a
    /// box may grow that box by one such unit on each side; movers usually get a new box in each
    /// tick anyway. Only a fat AABB that would extend past [`COORD_MAX`](crate::COORD_MAX) is computed anew, and is smaller.
    ///
    /// The shift takes time for each proxy, and all movers count as changed: the next two updates find all pairs anew, and movers at rest settle again in
    /// the second one.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the offset is invalid, or a box would become invalid. Nothing is
    /// changed.
    pub fn shift_origin(&mut self, offset: impl Into<[f32; 3]>) -> Result<(), BroadphaseError> {
        let by = offset.into().map_each(|of_axis: f32| -of_axis);
        MovingBox::new(Aabb::default(), by)?;
        let live = || (0..self.state.slots.all.len()).filter(|&k| self.state.slot(k).live);
        for index in live() {
            self.state.shifted(index, by).map_err(|reason| {
                let id = self.state.slots.id(index);
                BroadphaseError::ShiftTooFar { id, reason }
            })?;
        }
        for index in 0..self.state.slots.all.len() {
            let Slot { live: true, .. } = self.state.slot(index) else { continue };
            let (moving, fat_aabb) = self.state.shifted(index, by)?;
            self.state.store_boxes(index, moving, fat_aabb);
            match self.state.slot(index).container() {
                Container::Movers => self.mover_tree.mark_dirty(),
                container if container.is_resting() => self.trees.mark_dirty(index),
                _ => (),
            }
        }
        Ok(())
    }
}

/// Everything that the forests store of a slot: which ones, the box, and the filter. `None` if it is in no forest.
fn stored(state: &BroadphaseState, index: usize) -> Option<(u8, [u32; 6], Filter)> {
    let forests = trees_of(state, index);
    (forests != 0).then(|| {
        let compared = bytemuck::cast(state.compared_box(index).aabb);
        (forests, compared, state.slot(index).filter)
    })
}

impl BroadphaseState {
    /// The moving box and the fat AABB of a proxy after a translation by `by`.
    fn shifted(&self, index: usize, by: [f32; 3]) -> Result<(MovingBox, Option<Aabb>), Invalid> {
        let MovingBox { aabb, delta } = self.moving_box(index);
        let moving = MovingBox { aabb: aabb.translated(by)?, delta };
        let Some(fat_aabb) = self.fat_aabb_of(index) else { return Ok((moving, None)) };
        // The path is rounded once more than the fat AABB, so it may leave that by a unit in the last place. The translated fat AABB may
        // extend past `COORD_MAX` although the path does not; a recreated one is smaller.
        let fat_aabb = fat_aabb.translated(by).map(|fat_aabb| fat_aabb.union(&moving.bounds()));
        let fat_aabb = fat_aabb.ok().filter(|fat_aabb| fat_aabb.validate().is_ok());
        let fat_aabb = Self::fat_aabb(&moving, self.slot(index).margin, fat_aabb)?;
        Ok((moving, Some(fat_aabb)))
    }

    /// Stores a moving box and a fat AABB.
    fn store_boxes(&mut self, index: usize, moving: MovingBox, fat_aabb: Option<Aabb>) {
        let slot = self.slots.all[index];
        match slot.container() {
            Container::Movers => {
                self.movers.set(slot.row_or_next as usize, moving);
                self.movers.status[slot.row_or_next as usize] = CHANGED;
            }
            _ => self.boxes[index] = moving,
        }
        self.set_fat_aabb(index, fat_aabb);
    }
}
