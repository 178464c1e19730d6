//! Random calls of a broadphase, compared with a model of its rules.
//!
//! Bytes are calls of a broadphase and of the model. After each call the broadphase is consistent and has the
//! state of the model for every proxy, each update returns the same pairs, times and events, and each query
//! finds the same as testing one box after the other (`world_asked`). A restored broadphase may continue on
//! another level.

use super::bytes::Bytes;
use super::world_asked;
use crate::filters::high_filter;
use crate::finite::assert_finite;
use crate::layouts::Layouts;
use crate::world_model::{BodyInfo, Events, Model, is_margin};
use std::collections::BTreeSet;
use swath::batch::{Rejected, Row};
use swath::broadphase::{
    BroadphaseError, Changes, FindError, Layers, ProxyPair, Snapshot, SweptProxyPair,
};
use swath::{Aabb, Broadphase, Filter, Level, MovingBox, Proxy, ProxyId, ProxyKind, Threads};

/// Greatest number of proxies, because each is compared with each.
const PROXIES_MAX: usize = 48;
const CALLS_MAX: usize = 400;
const SETS: [ProxyKind; 4] =
    [ProxyKind::Fixed, ProxyKind::Kinematic, ProxyKind::Dynamic, ProxyKind::Sleeping];

/// A broadphase, its model, and the history.
struct Trial<'a> {
    bytes: Bytes<'a>,
    world: Broadphase,
    model: Model,
    /// Current ids, and all ids that were ever returned on this branch of the history.
    ids: Vec<ProxyId>,
    given: BTreeSet<ProxyId>,
    boxes: Vec<MovingBox>,
    saved: Option<(Snapshot, Model, BTreeSet<ProxyId>)>,
    /// The pairs of the last update, unless that was undone.
    said: Vec<SweptProxyPair>,
}

/// Makes the calls that the bytes encode.
pub fn run(data: &[u8]) {
    calls(data);
}

/// The same; returns the number of calls.
pub fn calls(data: &[u8]) -> usize {
    let mut bytes = Bytes::new(data);
    let level = Level::all().nth(usize::from(bytes.byte()) % Level::all().count());
    let mut world = Broadphase::with_exec(level.expect("there is one"));
    world.exec.threads = Threads::one();
    let mut trial = Trial {
        bytes,
        world,
        model: Model::default(),
        ids: Vec::new(),
        given: BTreeSet::new(),
        boxes: Vec::new(),
        saved: None,
        said: Vec::new(),
    };
    let mut made = 0;
    while made < CALLS_MAX && !trial.bytes.is_empty() {
        trial.call();
        trial.check();
        made += 1;
    }
    trial.ask();
    trial.update(0);
    trial.ask();
    trial.check();
    made
}

impl Trial<'_> {
    fn call(&mut self) {
        match self.bytes.byte() % 32 {
            0..=5 => {
                let (moving, proxy) = (self.moving(), self.description());
                self.insert(moving, proxy);
            }
            6 => {
                let id = self.id();
                let expected = self.stale(id);
                self.model.remove(id);
                assert_eq!(self.world.remove(id), expected);
            }
            7..=11 => {
                let (id, moving) = (self.id(), self.moving());
                let expected = self.model.set(id, moving);
                assert_eq!(self.world.set(id, moving.aabb, moving.delta), expected);
            }
            12 | 13 => {
                let (id, set) = (self.id(), SETS[usize::from(self.bytes.byte()) % 4]);
                let expected = self.model.edit(id, |proxy| proxy.kind = set);
                assert_eq!(self.world.set_kind(id, set), expected);
            }
            14 => {
                let (id, filter) = (self.id(), self.filter());
                let expected = self.model.edit(id, |proxy| proxy.filter = filter);
                assert_eq!(self.world.set_filter(id, filter), expected);
            }
            15 => {
                let (id, owner) = (self.id(), u32::from(self.bytes.byte() % 3));
                let expected = self.model.edit(id, |proxy| proxy.owner = owner);
                assert_eq!(self.world.set_owner(id, owner), expected);
            }
            16 => {
                let (id, margin) = (self.id(), self.margin());
                let expected = self.model.set_margin(id, margin);
                assert_eq!(self.world.set_margin(id, margin), expected);
            }
            17 => {
                let (id, enabled) = (self.id(), self.bytes.byte().is_multiple_of(2));
                let expected = self.model.edit(id, |proxy| proxy.enabled = enabled);
                assert_eq!(self.world.set_enabled(id, enabled), expected);
            }
            18 => {
                let (id, how) = (self.id(), self.bytes.byte());
                match how {
                    0..128 => {
                        let data = u64::from(how) << 40;
                        let expected = self.model.edit(id, |proxy| proxy.data = data);
                        assert_eq!(self.world.set_data(id, data), expected);
                    }
                    128..=191 => {
                        let expected = self.model.renew(id);
                        assert_eq!(self.world.renew(id), expected);
                    }
                    192..=195 => {
                        let (id, delta) = (self.id(), self.moving().delta);
                        let expected = self.model.set_delta(id, delta);
                        assert_eq!(self.world.set_delta(id, delta), expected);
                    }
                    196..=199 => self.set_delta_many(),
                    200..=203 => {
                        self.world = self.world.clone();
                        self.said.clear();
                    }
                    _ => self.update_with_new(u32::from(how)),
                }
            }
            19..=21 => self.update(0),
            22 | 23 => self.ask(),
            24 | 25 => {
                let salt = u32::from(self.bytes.byte());
                self.update(salt);
            }
            26 => self.insert_many(),
            27 => self.set_many(),
            28 => {
                let ids: Vec<ProxyId> = (0..self.bytes.byte() % 4).map(|_| self.id()).collect();
                let expected = self.all_exist(&ids);
                assert_eq!(self.world.remove_many(&ids), expected);
                if expected.is_ok() {
                    ids.iter().for_each(|&id| _ = self.model.remove(id));
                }
            }
            29 => {
                let offset = [(); 3].map(|()| match self.bytes.byte() % 8 {
                    0 => self.bytes.number(),
                    1 => 1.0 / 3.0,
                    _ => self.bytes.signed() * 0.5,
                });
                let expected = self.model.shift(offset);
                assert_eq!(self.world.shift_origin(offset), expected);
            }
            30 => self.save(),
            _ => match self.bytes.byte() % 8 {
                0 => self.clear(),
                1 => {
                    self.world.shrink_to_fit();
                    self.said.clear();
                }
                2 => self.world.reserve(100, 50, 50),
                3 => {
                    let (one, other) = (self.bytes.byte(), self.bytes.byte());
                    let kinds = [one, other].map(|byte| SETS[usize::from(byte) % 4]);
                    let table = self.world.kind_table();
                    let table = match one & 4 {
                        0 => table.with(kinds[0], kinds[1]),
                        _ => table.without(kinds[0], kinds[1]),
                    };
                    self.world.set_kind_table(table);
                    self.model.kinds = table;
                }
                _ => self.restore(),
            },
        }
    }

    /// The id of a proxy, usually of an existing one.
    fn id(&mut self) -> ProxyId {
        let at = usize::from(self.bytes.byte());
        match at % 16 {
            0 => ProxyId::from_bits((u64::from(self.bytes.byte()) << 32) | (at as u64 / 16)),
            1 => self.ids.get(at / 16).copied().unwrap_or_default(),
            _ => self.ids.iter().rev().nth(at % 24).copied().unwrap_or_default(),
        }
    }

    /// What a call with a list of ids returns.
    fn all_exist(&self, ids: &[ProxyId]) -> Result<(), BroadphaseError> {
        match ids.iter().position(|id| !self.model.things.contains_key(id)) {
            None => Ok(()),
            Some(row) => Err(BroadphaseError::StaleOfRow { row, id: ids[row] }),
        }
    }

    fn stale(&self, id: ProxyId) -> Result<(), BroadphaseError> {
        match self.model.things.contains_key(&id) {
            true => Ok(()),
            false => Err(BroadphaseError::Stale { id }),
        }
    }

    /// A box, usually one of a crowd with corners at integers.
    fn moving(&mut self) -> MovingBox {
        let how = self.bytes.byte();
        let moving = if how.is_multiple_of(4) {
            self.bytes.row(&self.boxes)
        } else {
            let mut aabb = Aabb::default();
            let mut delta = [0.0; 3];
            for (axis, delta) in delta.iter_mut().enumerate() {
                let byte = self.bytes.byte();
                aabb.min[axis] = f32::from(byte % 8);
                aabb.max[axis] = aabb.min[axis] + f32::from(byte >> 3 & 3);
                *delta = if how & 64 == 0 { 0.0 } else { f32::from(byte >> 5) - 3.0 };
            }
            MovingBox { aabb, delta }
        };
        self.boxes.push(moving);
        moving
    }

    fn margin(&mut self) -> f32 {
        match self.bytes.byte() % 8 {
            0 => self.bytes.number(),
            1 => -0.0,
            2 | 3 => 0.0,
            4 => 0.25,
            5 => 1.0,
            6 => 2.0,
            _ => 1.0 / 3.0,
        }
    }

    fn filter(&mut self) -> Filter {
        const LAYERS: Layers = Layers::all()
            .without(0, 0)
            .without(1, 2)
            .without(3, 3)
            .without(15, 16)
            .without(17, 17)
            .without(2, 18);
        let byte = self.bytes.byte();
        match byte % 8 {
            0 => Filter::NONE,
            1 => Filter::new(1 << 3, 1 << 1),
            // Layers 15 to 18 share a bit of the words that the finders compare.
            layer @ 2..=5 if byte >= 128 => LAYERS.filter(usize::from(layer + 13)),
            layer @ 2..=5 => LAYERS.filter(usize::from(layer - 2)),
            6 if byte >= 192 => high_filter(byte.into()),
            _ => Filter::ALL,
        }
    }

    fn description(&mut self) -> Proxy {
        let how = self.bytes.byte();
        let proxy = match how % 8 {
            0 | 1 => Proxy::fixed(),
            2 => Proxy::kinematic(),
            3 | 4 => Proxy::sleeping(),
            _ => Proxy::dynamic(),
        };
        let proxy = proxy.with_data(u64::from(how) << 33);
        let proxy = if how & 8 == 0 { proxy } else { proxy.filtered(self.filter()) };
        let proxy = if how & 48 != 16 { proxy } else { proxy.owned_by(u32::from(how >> 6)) };
        let proxy = if how & 32 == 0 { proxy } else { proxy.with_margin(self.margin()) };
        if how == 255 { proxy.disabled() } else { proxy }
    }

    /// Records the proxy that was inserted under a new id.
    fn inserted(&mut self, id: ProxyId, moving: MovingBox, proxy: Proxy) {
        assert!(self.given.insert(id), "{id:?} is given twice");
        assert_ne!(id, ProxyId::NONE);
        let thing = Model::thing(moving, proxy).expect("the box was accepted");
        self.model.things.insert(id, thing);
        self.ids.push(id);
    }

    fn insert(&mut self, moving: MovingBox, proxy: Proxy) {
        if self.model.things.len() >= PROXIES_MAX {
            return;
        }
        let expected = Model::thing(moving, proxy).map(|_| ());
        let still = moving.delta == [0.0; 3];
        let given = match still {
            true => self.world.insert(moving.aabb, proxy),
            false => self.world.insert_moving(moving, proxy),
        };
        assert_eq!(given.map(|_| ()), expected);
        if let Ok(id) = given {
            let moving = if still { moving.aabb.into() } else { moving };
            self.inserted(id, moving, proxy);
        }
    }

    fn insert_many(&mut self) {
        if self.model.things.len() >= PROXIES_MAX {
            return;
        }
        let count = self.bytes.byte() % 6;
        let boxes: Vec<MovingBox> = (0..count).map(|_| self.moving()).collect();
        let mut proxies: Vec<Proxy> = (0..count).map(|_| self.description()).collect();
        let layouts = Layouts::new(boxes.iter().copied());
        let input = layouts.any(count / 2);
        let mut ids = vec![ProxyId::NONE];
        let rejected = if count % 2 == 1 {
            proxies = vec![proxies[0]; proxies.len()];
            self.world.insert_many(input, proxies[0], &mut ids)
        } else {
            self.world.insert_many(input, &proxies, &mut ids)
        };
        if let Some(row) = proxies.iter().position(|proxy| !is_margin(proxy.margin)) {
            let of_each = BroadphaseError::MarginOfRow { row };
            let error = if count % 2 == 1 { BroadphaseError::Margin } else { of_each };
            assert_eq!(rejected, Err(error));
            assert_eq!(ids.len(), 1);
            return;
        }
        let rejected = rejected.expect("margins are valid").to_vec();
        let expected = |(row, (&moving, &proxy))| reject(row, Model::thing(moving, proxy).err());
        let expected: Vec<_> = (0..).zip(boxes.iter().zip(&proxies)).filter_map(expected).collect();
        assert_eq!(rejected, expected);
        assert_eq!(ids.len(), 1 + boxes.len());
        for (row, (&id, (&moving, &proxy))) in
            (0..).zip(ids[1..].iter().zip(boxes.iter().zip(&proxies)))
        {
            if rejected.iter().any(|rejected| rejected.row == row) {
                assert_eq!(id, ProxyId::NONE);
            } else {
                self.inserted(id, moving, proxy);
            }
        }
    }

    fn set_many(&mut self) {
        let count = self.bytes.byte();
        // The current proxies, in the order of their rows, in reverse, or in any order.
        let mut ids: Vec<ProxyId> = match count % 4 {
            0 => (0..count / 32).map(|_| self.id()).collect(),
            1 => self.world.movers().ids.to_vec(),
            2 => self.world.movers().ids.iter().rev().copied().collect(),
            _ => self.model.things.keys().copied().collect(),
        };
        ids.truncate(8 + usize::from(count / 16));
        let boxes: Vec<MovingBox> = ids.iter().map(|_| self.moving()).collect();
        let layouts = Layouts::new(boxes.iter().copied());
        let exist = self.all_exist(&ids);
        let answer = self.world.set_many(&ids, layouts.any(count / 4));
        if let Err(error) = exist {
            assert_eq!(answer, Err(error));
            return;
        }
        let rejected = answer.expect("all proxies exist").to_vec();
        let mut expected = Vec::new();
        for ((row, &id), &moving) in (0..).zip(&ids).zip(&boxes) {
            expected.extend(reject(row, self.model.set(id, moving).err()));
        }
        assert_eq!(rejected, expected);
    }

    fn set_delta_many(&mut self) {
        let ids: Vec<ProxyId> = (0..self.bytes.byte() % 6).map(|_| self.id()).collect();
        let deltas: Vec<[f32; 3]> = ids.iter().map(|_| self.moving().delta).collect();
        let exist = self.all_exist(&ids);
        let answer = self.world.set_delta_many(&ids, &deltas);
        if let Err(error) = exist {
            assert_eq!(answer, Err(error));
            return;
        }
        let rejected = answer.expect("all proxies exist").to_vec();
        let mut expected = Vec::new();
        for ((row, &id), &delta) in (0..).zip(&ids).zip(&deltas) {
            expected.extend(reject(row, self.model.set_delta(id, delta).err()));
        }
        assert_eq!(rejected, expected);
    }

    fn clear(&mut self) {
        self.world.clear();
        let all: Vec<ProxyId> = self.model.things.keys().copied().collect();
        all.into_iter().for_each(|id| _ = self.model.remove(id));
        assert!(self.world.is_empty());
        self.said.clear();
    }

    fn save(&mut self) {
        let model = (self.model.clone(), self.given.clone());
        match &mut self.saved {
            Some(saved) => {
                self.world.snapshot_into(&mut saved.0);
                (saved.1, saved.2) = model;
            }
            None => self.saved = Some((self.world.snapshot(), model.0, model.1)),
        }
        let saved = self.saved.as_ref().expect("it was just made");
        assert_eq!(saved.0, self.world.snapshot());
        assert_eq!(saved.0.len(), self.world.len());
    }

    /// Restores a snapshot, also into a broadphase that did not exist then.
    fn restore(&mut self) {
        let Some((snapshot, model, given)) = &self.saved else { return };
        if self.bytes.byte().is_multiple_of(2) {
            self.world = Broadphase::with_exec(Level::PORTABLE4);
            self.world.exec.threads = Threads::one();
        }
        self.world.restore(snapshot);
        (self.model, self.given) = (model.clone(), given.clone());
        assert_eq!(self.world.snapshot(), *snapshot);
        self.said.clear();
        let nothing = events(self.world.changes());
        assert_eq!(nothing, Events::default());
    }

    /// An update that accepts all pairs, or those that a number selects.
    fn update(&mut self, salt: u32) {
        let accept = |pair: ProxyPair| {
            assert!(pair.a.index() < pair.b.index());
            salt == 0 || (pair.a.index() * 3 + pair.b.index() * 5 + salt) % 7 > 1
        };
        let expected = self.model.update(accept);
        if salt % 5 == 3 {
            self.limit_pairs(|world| world.update_with(accept).err());
        }
        let changes = match salt {
            0 => self.world.update(),
            _ => self.world.update_with(accept),
        };
        let changes = events(changes.expect("as many pairs as the limit allows"));
        self.world.exec.pairs_max = usize::MAX;
        self.compare(&changes, &expected);
    }

    /// Checks that an update fails with a limit of one pair less than the model found, and sets the limit to as many, if it found any.
    fn limit_pairs(&mut self, update: impl Fn(&mut Broadphase) -> Option<FindError>) {
        let found = self.model.found;
        if let Some(most) = found.checked_sub(1) {
            self.world.exec.pairs_max = most;
            assert_eq!(update(&mut self.world), Some(FindError::TooManyPairs { found, most }));
            self.world.exec.pairs_max = found;
        }
    }

    /// An update with a function that is called for new pairs only.
    fn update_with_new(&mut self, salt: u32) {
        let accept = |pair: ProxyPair| {
            assert!(pair.a.index() < pair.b.index());
            !(pair.a.index() * 3 + pair.b.index() * 5 + salt).is_multiple_of(3)
        };
        let expected = self.model.update_with_new(accept);
        if salt % 4 == 1 {
            // Pairs that were rejected earlier count too, however the update searches.
            self.limit_pairs(|world| world.update_with_new(accept).err());
        }
        let changes = self.world.update_with_new(accept);
        let changes = events(changes.expect("as many pairs as the limit allows"));
        self.world.exec.pairs_max = usize::MAX;
        self.compare(&changes, &expected);
    }

    /// Compares the results of an update, and everything that reads the pairs, with those of the model.
    fn compare(&mut self, results: &Events, expected: &Events) {
        let changes = self.world.changes();
        let rests = |id: ProxyId| self.model.things[&id].proxy.kind.is_resting();
        let touches = |pair: &SweptProxyPair| !(rests(pair.a) && rests(pair.b));
        let mut touching: Vec<_> = changes.begun().iter().copied().filter(touches).collect();
        let begun = touching.len();
        touching.extend(changes.persisted());
        assert_eq!(changes.persisted().len(), touching.len() - begun);
        touching.sort_by_key(|&pair| ProxyPair::from(pair));
        assert!(changes.touching().iter().eq(touching.iter().copied()));
        self.said = touching;
        assert_eq!(results, expected, "{:?}", self.model);
        let in_data = |id: ProxyId| self.ids.contains(&id) == changes.data(id).is_some();
        assert!(expected.ended.iter().all(|pair| in_data(pair.a) && in_data(pair.b)));
        for (&id, thing) in &self.model.things {
            assert_eq!(changes.data(id), Some(thing.proxy.data));
        }
        let aabb = |id: ProxyId| self.model.things[&id].moving.aabb;
        let overlap = |pair: &&SweptProxyPair| aabb(pair.a).overlaps(&aabb(pair.b));
        assert!(self.world.overlapping().eq(self.said.iter().filter(overlap).copied()));
        assert!(self.world.pairs().iter().eq(&self.model.kept));
        let columns = self.world.touching_columns();
        assert!(self.said.iter().map(|pair| pair.a.index()).eq(columns.a.iter().copied()));
        assert!(self.said.iter().map(|pair| pair.b.index()).eq(columns.b.iter().copied()));
        let ids: Vec<ProxyId> = self.ids.iter().rev().take(6).copied().collect();
        for &a in &ids {
            let has = |pair: &&ProxyPair| pair.a == a || pair.b == a;
            let kept: Vec<ProxyPair> = self.model.kept.iter().filter(has).copied().collect();
            for &b in &ids {
                let pair = ProxyPair::new(a, b);
                assert_eq!(self.world.contains_pair(a, b), self.model.kept.contains(&pair));
            }
            // The layout of the cached pairs depends on this call, and no answer does.
            if a.index() % 2 == 0 {
                assert_eq!(self.world.pairs_of(a), kept);
            }
        }
    }

    /// Queries some of the proxies.
    fn ask(&mut self) {
        let how = self.bytes.byte();
        let about = BodyInfo {
            filter: (how & 1 == 1).then(|| self.filter()),
            owner: if how & 6 == 0 { u32::from(how >> 3) % 4 } else { 0 },
            without: (0..4)
                .filter(|k| how & 128 != 0 && how >> k & 8 != 0)
                .map(|k| SETS[k])
                .collect(),
        };
        let asked = [(); 3].map(|()| self.moving());
        let reach = self.bytes.number();
        world_asked::ask(&mut self.world, &self.model, &about, &asked, reach);
    }

    /// The broadphase is consistent, and has the state of the model for every proxy.
    fn check(&self) {
        let Self { world, model, .. } = self;
        world.validate().expect("the broadphase is consistent");
        assert_eq!((world.len(), world.is_empty()), (model.things.len(), model.things.is_empty()));
        assert!(world.ids().eq(model.things.keys().copied()));
        // Changes since the update do not matter.
        let (said, touching) = (&self.said, world.changes().touching());
        assert_finite(said);
        assert!(touching.into_iter().eq(said.iter().copied()));
        assert_eq!((touching.len(), touching.is_empty()), (said.len(), said.is_empty()));
        let (start, end) = (said.len() / 3, said.len() / 2 + 1);
        let some = said.iter().take(end).skip(start).copied();
        assert!(touching.range(start..end).iter().eq(some));
        assert_eq!(touching.get(start), said.get(start).copied());
        assert_eq!((touching.get(said.len()), touching.range(end..start).len()), (None, 0));
        let bits = |moving: MovingBox| moving.to_row().map(f32::to_bits);
        let mut movers = 0;
        for (&id, thing) in &model.things {
            assert_eq!(world.proxy(id), Some(thing.proxy));
            assert_eq!(world.data(id), Some(thing.proxy.data));
            assert_eq!(world.moving_box(id).map(bits), Some(bits(thing.moving)));
            assert_eq!(world.compared_box(id).map(bits), Some(bits(thing.held())));
            let moves = thing.proxy.enabled && !thing.proxy.kind.is_resting();
            let row = world.row_of(id);
            assert_eq!(row.is_some(), moves);
            let Some(row) = row.map(|row| row as usize) else { continue };
            movers += 1;
            let of = world.movers();
            assert_eq!(bits(of.boxes.get(row)), bits(thing.moving));
            assert_eq!((of.ids[row], of.filters[row]), (id, thing.proxy.filter));
            assert_eq!(of.dynamic[row], thing.proxy.kind == ProxyKind::Dynamic);
        }
        assert_eq!(world.movers().ids.len(), movers);
        for &id in self.ids.iter().rev().take(8) {
            assert_eq!(world.contains(id), model.things.contains_key(&id));
            assert_eq!(world.proxy(id).is_some(), world.contains(id));
            assert_eq!(ProxyId::from_bits(id.to_bits()), id);
        }
    }
}

/// A row of a list, if it is rejected.
fn reject(row: u32, error: Option<BroadphaseError>) -> Option<Rejected> {
    match error? {
        BroadphaseError::Invalid(reason) => Some(Rejected { row, reason }),
        other => panic!("{other} is not of a row"),
    }
}

/// The results of an update, for comparison.
pub fn events(changes: Changes<'_>) -> Events {
    let timed = |pair: SweptProxyPair| (pair.into(), pair.first.to_bits());
    Events {
        begun: changes.begun().iter().copied().map(timed).collect(),
        persisted: changes.persisted().map(timed).collect(),
        ended: changes.ended().to_vec(),
    }
}
