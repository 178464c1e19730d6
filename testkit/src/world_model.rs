//! Model of a `Broadphase`: the documented rules, and nothing else.
//!
//! Every proxy is compared with every other, in maps. The model shares with the library the boxes and their
//! functions, and the ids, which the broadphase returns.

use std::collections::{BTreeMap, BTreeSet};
use swath::batch::sweep::MISS;
use swath::batch::{Row, sweep};
use swath::broadphase::{BroadphaseError, KindTable, ProxyPair};
use swath::{Aabb, COORD_MAX, Filter, Invalid, MovingBox, Proxy, ProxyId, ProxyKind};

/// A proxy.
#[derive(Clone, Copy, Debug)]
pub struct Thing {
    pub moving: MovingBox,
    /// The fat AABB, if there is a margin.
    pub fat: Option<Aabb>,
    pub proxy: Proxy,
}

impl Thing {
    /// The box that is compared with others.
    pub fn held(&self) -> MovingBox {
        self.fat.map_or(self.moving, MovingBox::from)
    }

    /// Sets the box; the fat AABB remains if the path is inside it.
    fn put(&mut self, moving: MovingBox) -> Result<(), Invalid> {
        moving.validate()?;
        let at_rest = self.proxy.kind.is_resting();
        let moving = if at_rest { MovingBox::from(moving.aabb) } else { moving };
        let path = moving.bounds();
        if self.proxy.margin == 0.0 {
            self.fat = None;
        } else if !self.fat.is_some_and(|held| held.contains(&path)) {
            self.fat = Some(path.grown(self.proxy.margin)?);
        }
        self.moving = moving;
        Ok(())
    }
}

/// The results of an update: pairs with the bits of their times, and pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    pub begun: Vec<(ProxyPair, u32)>,
    pub persisted: Vec<(ProxyPair, u32)>,
    pub ended: Vec<ProxyPair>,
}

/// The proxies that a query refers to.
#[derive(Clone, Debug, Default)]
pub struct BodyInfo {
    pub filter: Option<Filter>,
    pub owner: u32,
    pub without: Vec<ProxyKind>,
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub things: BTreeMap<ProxyId, Thing>,
    /// Which kinds pair.
    pub kinds: KindTable,
    /// The number of pairs that the last update found, also those that the function rejected.
    pub found: usize,
    /// The pairs of the last update.
    pub kept: BTreeSet<ProxyPair>,
    changed: BTreeSet<ProxyId>,
    /// Proxies that have changed for a function that is called for new pairs only.
    moved: BTreeSet<ProxyId>,
    /// The proxies of the last update.
    known: BTreeSet<ProxyId>,
    /// The table of the last update.
    known_kinds: KindTable,
}

pub fn is_margin(margin: f32) -> bool {
    (0.0..=COORD_MAX).contains(&margin)
}

impl Model {
    /// The proxy that an insertion would add.
    pub fn thing(moving: MovingBox, proxy: Proxy) -> Result<Thing, BroadphaseError> {
        if !is_margin(proxy.margin) {
            return Err(BroadphaseError::Margin);
        }
        let mut thing = Thing { moving, fat: None, proxy };
        thing.put(moving)?;
        Ok(thing)
    }

    pub fn remove(&mut self, id: ProxyId) -> bool {
        self.changed.insert(id);
        self.things.remove(&id).is_some()
    }

    /// Changes a proxy; an error changes nothing, and an equal value is not a change.
    fn change(
        &mut self,
        id: ProxyId,
        edit: impl FnOnce(&mut Thing) -> Result<(), BroadphaseError>,
    ) -> Result<(), BroadphaseError> {
        let thing = self.things.get_mut(&id).ok_or(BroadphaseError::Stale { id })?;
        let mut edited = *thing;
        edit(&mut edited)?;
        if bits(&edited) != bits(thing) {
            self.changed.insert(id);
            self.moved.insert(id);
        }
        *thing = edited;
        Ok(())
    }

    pub fn set(&mut self, id: ProxyId, moving: MovingBox) -> Result<(), BroadphaseError> {
        let had_moved = self.moved.contains(&id);
        let fat = self.things.get(&id).and_then(|thing| thing.fat);
        self.change(id, |thing| Ok(thing.put(moving)?))?;
        let thing = &self.things[&id];
        if thing.proxy.enabled && !thing.proxy.kind.is_resting() && !had_moved {
            // The compared box decides: without a margin each call is a change.
            if thing.fat.is_none() || thing.fat != fat {
                self.moved.insert(id);
            } else {
                self.moved.remove(&id);
            }
        }
        Ok(())
    }

    /// Sets the displacement alone: the box remains.
    pub fn set_delta(&mut self, id: ProxyId, delta: [f32; 3]) -> Result<(), BroadphaseError> {
        let thing = self.things.get(&id).ok_or(BroadphaseError::Stale { id })?;
        self.set(id, MovingBox { delta, ..thing.moving })
    }

    /// Forgets the pairs of a proxy.
    pub fn renew(&mut self, id: ProxyId) -> Result<(), BroadphaseError> {
        if !self.things.contains_key(&id) {
            return Err(BroadphaseError::Stale { id });
        }
        self.kept.retain(|pair| pair.a != id && pair.b != id);
        self.changed.insert(id);
        self.moved.insert(id);
        Ok(())
    }

    /// Changes a setting of a proxy other than its margin.
    pub fn edit(
        &mut self,
        id: ProxyId,
        edit: impl FnOnce(&mut Proxy),
    ) -> Result<(), BroadphaseError> {
        self.change(id, |thing| {
            edit(&mut thing.proxy);
            if thing.proxy.kind.is_resting() {
                thing.moving.delta = [0.0; 3];
            }
            Ok(())
        })
    }

    pub fn set_margin(&mut self, id: ProxyId, margin: f32) -> Result<(), BroadphaseError> {
        self.change(id, |thing| {
            if margin.to_bits() == thing.proxy.margin.to_bits() {
                return Ok(());
            }
            if !is_margin(margin) {
                return Err(BroadphaseError::Margin);
            }
            (thing.proxy.margin, thing.fat) = (margin, None);
            Ok(thing.put(thing.moving)?)
        })
    }

    /// Moves all proxies.
    pub fn shift(&mut self, offset: [f32; 3]) -> Result<(), BroadphaseError> {
        let by = offset.map(|x| -x);
        MovingBox::new(Aabb::default(), by)?;
        let mut shifted = self.things.clone();
        for (&id, thing) in &mut shifted {
            let too_far = |reason| BroadphaseError::ShiftTooFar { id, reason };
            let aabb = thing.moving.aabb.translated(by).map_err(too_far)?;
            let moving = MovingBox { aabb, ..thing.moving };
            let fat = thing.fat.and_then(|fat| fat.translated(by).ok());
            let fat = fat.map(|fat| fat.union(&moving.bounds()));
            thing.fat = fat.filter(|fat| fat.validate().is_ok());
            thing.put(moving).map_err(too_far)?;
        }
        self.things = shifted;
        let moves = |thing: &Thing| thing.proxy.enabled && !thing.proxy.kind.is_resting();
        let movers = self.things.iter().filter(|(_, thing)| moves(thing));
        self.moved.extend(movers.map(|(&id, _)| id));
        Ok(())
    }

    /// The proxies that a query refers to, at the start of the tick.
    pub fn seen(&self, about: &BodyInfo) -> Vec<(ProxyId, Aabb)> {
        let is_seen = |proxy: &Proxy| {
            proxy.enabled
                && about.filter.is_none_or(|filter| filter.allows(proxy.filter))
                && (about.owner == 0 || proxy.owner != about.owner)
                && !about.without.contains(&proxy.kind)
        };
        let things = self.things.iter().filter(|(_, thing)| is_seen(&thing.proxy));
        things.map(|(&id, thing)| (id, thing.moving.aabb)).collect()
    }

    /// The rules for a function that is called for new pairs only.
    pub fn update_with_new(&mut self, accept: impl Fn(ProxyPair) -> bool) -> Events {
        let (kept, moved, known) = (self.kept.clone(), self.moved.clone(), self.known.clone());
        let other_kinds = self.kinds != self.known_kinds;
        let changed = |id: ProxyId| other_kinds || moved.contains(&id) || !known.contains(&id);
        self.update(|pair| {
            kept.contains(&pair) || (changed(pair.a) || changed(pair.b)) && accept(pair)
        })
    }

    /// The rules.
    pub fn update(&mut self, accept: impl Fn(ProxyPair) -> bool) -> Events {
        let mut events = Events::default();
        let mut keep = BTreeSet::new();
        self.found = 0;
        for (&a, x) in &self.things {
            for (&b, y) in self.things.range(a..).skip(1) {
                let pair = ProxyPair { a, b };
                let was = self.kept.contains(&pair);
                let enabled = x.proxy.enabled && y.proxy.enabled;
                let rest = x.proxy.kind.is_resting() && y.proxy.kind.is_resting();
                let strange = x.proxy.owner == 0 || x.proxy.owner != y.proxy.owner;
                let may = enabled && strange && x.proxy.filter.allows(y.proxy.filter);
                let meet = || meet(&x.held(), &y.held());
                if rest {
                    let is_new = |id: &ProxyId| !self.known.contains(id);
                    let changed = [a, b].iter().any(|id| self.changed.contains(id) || is_new(id));
                    let new = self.kinds.pairs(x.proxy.kind, y.proxy.kind);
                    if was && !changed {
                        keep.insert(pair);
                    } else if changed && (was || new) && may && meet().is_some() && accept(pair) {
                        keep.insert(pair);
                        if !was {
                            events.begun.push((pair, 0));
                        }
                    }
                } else if may && self.kinds.pairs(x.proxy.kind, y.proxy.kind) {
                    let Some(first) = meet() else { continue };
                    self.found += 1;
                    if !accept(pair) {
                        continue;
                    }
                    keep.insert(pair);
                    let list = if was { &mut events.persisted } else { &mut events.begun };
                    list.push((pair, first.to_bits()));
                }
            }
        }
        events.ended = self.kept.difference(&keep).copied().collect();
        self.kept = keep;
        self.changed.clear();
        self.moved.clear();
        self.known = self.things.keys().copied().collect();
        self.known_kinds = self.kinds;
        events
    }
}

/// First time of contact of two fat AABBs, by the library's bounds of paths and its sweep of one pair, which `tests/geom` and
/// `tests/kernels` check.
fn meet(a: &MovingBox, b: &MovingBox) -> Option<f32> {
    let first = sweep::one_to_one(a, b).expect("both are boxes").first;
    (a.bounds().overlaps(&b.bounds()) && first < MISS).then_some(first)
}

/// All fields that count as a change; user data do not.
fn bits(thing: &Thing) -> impl PartialEq + use<> {
    let Proxy { kind, filter, owner, margin, enabled, .. } = thing.proxy;
    let moving = thing.moving.to_row().map(f32::to_bits);
    let held = thing.fat.map(|held| held.to_row().map(f32::to_bits));
    (moving, held, kind, filter, owner, margin.to_bits(), enabled)
}
