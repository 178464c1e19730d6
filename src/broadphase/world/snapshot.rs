//! How does a world go back to an earlier tick, and how is its origin moved?

use super::Broadphase;
use super::error::WorldError;
use super::slots::Slot;
use super::state::State;
use super::validate::Broken;
use crate::geom::{Aabb, Filter, Invalid, MovingBox};

/// All that decides what a world answers from some tick on: plain columns, copied.
///
/// With the feature `serde` it can be written and read; what is read is checked. What is not in it
/// are settings that change no answer, the limit of pairs and what the last update said.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "State", into = "State"))]
pub struct Snapshot(State);

impl TryFrom<State> for Snapshot {
    type Error = Broken;

    fn try_from(state: State) -> Result<Self, Broken> {
        state.validate()?;
        Ok(Self(state))
    }
}

impl From<Snapshot> for State {
    fn from(snapshot: Snapshot) -> Self {
        snapshot.0
    }
}

impl Snapshot {
    /// How many proxies are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.slots.live as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that are held.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.0.bytes()
    }
}

impl Broadphase {
    /// A copy of all that decides what the next updates answer.
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
        Snapshot(self.state.clone())
    }

    /// As [`Broadphase::snapshot`], in the memory of an old one.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        snapshot.0.copy_from(&self.state);
    }

    /// Becomes the world of which `snapshot` was taken: from now on every update answers as it did
    /// then, ids, pairs, events and their order included. Ids given out since are stale, or those of
    /// others.
    ///
    /// Trees are not copied: with the next update they take in what differs at rest.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let (state, then) = (&self.state, &snapshot.0);
        for index in 0..state.slots.all.len().max(then.slots.all.len()) {
            if at_rest(state, index) != at_rest(then, index) {
                self.trees.note(index);
            }
        }
        self.state.copy_from(then);
        self.mover_tree.note();
        let slots = &self.state.slots.all;
        self.filtered = slots.iter().any(|slot| slot.filter != Filter::ALL);
        self.owned = slots.iter().any(|slot| slot.owner != 0);
        self.work.clear();
    }

    /// Moves the origin to `offset`: all boxes are moved by its negative, outwards rounded
    /// ([`Aabb::translated`]), so that none gets smaller. Ids and kept pairs stay.
    ///
    /// Boxes at rest that touch still do. By rounding a few more may touch, and pairs that move may
    /// touch or not by a few units in the last place: then the next update says so. Each shift
    /// by what is no multiple of the spacing of floats at a box may grow it by one such unit on a
    /// side; what moves as a rule gets a new box in each tick anyway.
    ///
    /// # Errors
    ///
    /// [`WorldError`] when the offset is none, or a box would be none then. Nothing is changed.
    pub fn shift_origin(&mut self, offset: impl Into<[f32; 3]>) -> Result<(), WorldError> {
        let by = offset.into().map(|of_axis: f32| -of_axis);
        MovingBox::new(Aabb::default(), by)?;
        let live = || (0..self.state.slots.all.len()).filter(|&k| self.state.slot(k).live);
        for index in live() {
            self.state.shifted(index, by).map_err(|reason| {
                let id = self.state.slots.id(index);
                WorldError::ShiftTooFar { id, reason }
            })?;
        }
        for index in 0..self.state.slots.all.len() {
            let Slot { live: true, .. } = self.state.slot(index) else { continue };
            let (moving, held) = self.state.shifted(index, by)?;
            self.state.place(index, moving, held);
            self.mover_tree.note();
            if self.state.slot(index).home().is_tree() {
                self.trees.note(index);
            }
        }
        Ok(())
    }
}

/// What the trees must know of a slot.
fn at_rest(state: &State, index: usize) -> Option<([[u32; 6]; 2], Filter, bool, bool)> {
    let slot = state.slots.all.get(index)?;
    let home = slot.home();
    home.is_tree().then(|| {
        let boxes = [state.held(index).aabb, state.boxes[index].aabb].map(bytemuck::cast);
        (boxes, slot.filter, home == super::slots::Home::Fixed, slot.margin > 0.0)
    })
}

impl State {
    /// A proxy's box and held box after all is moved by `by`.
    fn shifted(&self, index: usize, by: [f32; 3]) -> Result<(MovingBox, Aabb), Invalid> {
        let MovingBox { aabb, delta } = self.moving_box(index);
        let moving = MovingBox { aabb: aabb.translated(by)?, delta };
        let margin = self.slot(index).margin;
        if margin > 0.0 {
            // What is held may be past the border where the path is not, once it is made anew.
            let held = self.held[index].translated(by).ok();
            Ok((moving, Self::hold(&moving, margin, held)?))
        } else {
            Ok((moving, Aabb::default()))
        }
    }

    /// Stores a box and what is held for it.
    fn place(&mut self, index: usize, moving: MovingBox, held: Aabb) {
        let slot = self.slots.all[index];
        match slot.home() {
            super::slots::Home::Movers => self.movers.set(slot.place as usize, moving),
            _ => self.boxes[index] = moving,
        }
        self.held[index] = held;
    }
}
