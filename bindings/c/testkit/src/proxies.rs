//! Calls of a broadphase.

use crate::agree::{
    NO_REJECTED, Object, agree, bits, fails, filter, index, list, same_rejected, vector, word,
    works,
};
use crate::boxes::{Boxes, Extra};
use crate::exec::Settings;
use std::ffi::c_void;
use std::ptr::null;
use swath::broadphase::{Proxies, ProxyPair, Snapshot};
use swath::{Broadphase, Filter, MovingBox, Proxy, ProxyId, ProxyKind};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

/// The kinds, in the order of their numbers in C.
pub(crate) const KINDS: [ProxyKind; 4] =
    [ProxyKind::Dynamic, ProxyKind::Kinematic, ProxyKind::Sleeping, ProxyKind::Fixed];

/// The calls of an input at most.
const CALLS_MAX: usize = 400;
const PROXIES_MAX: usize = 60;

pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let settings = Settings::new(bytes);
    let Some(c) = settings.create(swath_broadphase_create, swath_broadphase_destroy) else {
        return;
    };
    let snapshot = Object::new(|to| unsafe { swath_snapshot_create(to) }, swath_snapshot_destroy);
    let Ok(snapshot) = snapshot else { panic!("a snapshot needs no settings") };
    let mut both = Both {
        rust: Broadphase::with_exec(settings.rust()),
        c,
        ids: vec![ProxyId::NONE],
        rows: Vec::new(),
        saved: (Snapshot::default(), snapshot),
    };
    for _ in 0..CALLS_MAX {
        if bytes.is_empty() {
            break;
        }
        both.call(bytes);
    }
    both.update(None);
    both.read(ProxyId::NONE, ProxyId::NONE);
}

/// A broadphase in Rust and one in C, on which the same calls are made.
pub(crate) struct Both {
    pub(crate) rust: Broadphase,
    pub(crate) c: Object<swath_broadphase>,
    ids: Vec<ProxyId>,
    /// The boxes that were decoded, which later ones may resemble.
    rows: Vec<MovingBox>,
    saved: (Snapshot, Object<swath_snapshot>),
}

/// A number of a kind, which is sometimes unknown, and the kind.
fn kind(bytes: &mut Bytes<'_>) -> (swath_kind, Option<ProxyKind>) {
    let number = index(bytes, 4);
    (number, KINDS.get(number as usize).copied())
}

/// A description for C, and the same for Rust unless it is invalid.
fn proxy(bytes: &mut Bytes<'_>) -> (swath_proxy, Option<Proxy>) {
    let (kind_number, kind) = kind(bytes);
    let how = bytes.byte();
    let mut proxy = Proxy::dynamic().filtered(filter(bytes)).with_data(u64::from(how) << 50);
    proxy.owner = u32::from(how % 8).saturating_sub(5);
    proxy.margin = match how / 8 % 8 {
        0 => bytes.number(),
        1 | 2 => f32::from(bytes.byte()) / 64.0,
        _ => 0.0,
    };
    let enabled = if how & 0x40 == 0 { 1 } else { bytes.byte() % 3 };
    proxy.enabled = enabled == 1;
    let c = swath_proxy {
        kind: kind_number,
        filter: proxy.filter.into(),
        owner: proxy.owner,
        margin: proxy.margin,
        data: proxy.data,
        enabled,
    };
    let proxy = kind.filter(|_| enabled < 2).map(|kind| {
        proxy.kind = kind;
        proxy
    });
    (c, proxy)
}

/// What a function of the caller decides, in C and in Rust.
fn accepts(pair: [u32; 2], user: u8) -> bool {
    !(pair[0] ^ pair[1]).is_multiple_of(2 + u32::from(user % 4))
}

unsafe extern "C" fn accept(user: *mut c_void, pair: swath_proxy_pair) -> i32 {
    accepts([pair.a.index, pair.b.index], unsafe { *user.cast::<u8>() }).into()
}

impl Both {
    fn id(&self, bytes: &mut Bytes<'_>) -> ProxyId {
        match bytes.byte() {
            255 => bytemuck::cast([word(bytes), word(bytes)]),
            other => self.ids[usize::from(other) % self.ids.len()],
        }
    }

    fn row(&mut self, bytes: &mut Bytes<'_>) -> MovingBox {
        let row = bytes.row(&self.rows);
        self.rows.push(row);
        row
    }

    /// Checks a call whose argument cannot be expressed in Rust if it is `None`.
    fn agree_if<A, T, E: crate::agree::Code>(
        argument: Option<A>,
        status: swath_status,
        call: impl FnOnce(A) -> Result<T, E>,
    ) -> Option<T> {
        match argument {
            Some(argument) => agree(call(argument), status),
            None => {
                fails(status, SWATH_ERROR_ARGUMENT);
                None
            }
        }
    }

    fn call(&mut self, bytes: &mut Bytes<'_>) {
        let how = bytes.byte();
        let id = self.id(bytes);
        let (c, c_id) = (self.c.pointer, swath_proxy_id::from(id));
        let moving = if matches!(how % 24, 0..=2 | 4..=6 | 19) {
            self.row(bytes)
        } else {
            MovingBox::default()
        };
        let rust = &mut self.rust;
        match how % 24 {
            0..3 if rust.len() < PROXIES_MAX => {
                let (c_proxy, proxy) = proxy(bytes);
                let mut new = swath_proxy_id::from(ProxyId::NONE);
                let status =
                    unsafe { swath_broadphase_insert(c, &moving.into(), &c_proxy, &mut new) };
                let inserted =
                    Self::agree_if(proxy, status, |proxy| rust.insert_moving(moving, proxy));
                if let Some(id) = inserted {
                    assert_eq!(new, swath_proxy_id::from(id));
                    self.ids.push(id);
                }
            }
            3 if rust.len() < PROXIES_MAX => self.insert_many(bytes),
            4..7 => {
                let status = unsafe { swath_broadphase_set(c, c_id, &moving.into()) };
                agree(rust.set(id, moving.aabb, moving.delta), status);
            }
            7 => {
                let boxes = Boxes::new(bytes, 12, Extra::None, false);
                let ids: Vec<ProxyId> = (0..boxes.len()).map(|_| self.id(bytes)).collect();
                let c_ids: &[swath_proxy_id] = bytemuck::cast_slice(&ids);
                let status = unsafe { swath_broadphase_set_many(c, c_ids.as_ptr(), &boxes.c()) };
                let input = (!boxes.is_wrong()).then_some(&boxes);
                let rejected = Self::agree_if(input, status, |boxes| {
                    boxes.rust(|boxes| self.rust.set_many(&ids, boxes).map(<[_]>::to_vec))
                });
                self.rejected(rejected);
            }
            8 => _ = agree(rust.remove(id), unsafe { swath_broadphase_remove(c, c_id) }),
            9 => {
                let ids: Vec<ProxyId> = (0..bytes.byte() % 4).map(|_| self.id(bytes)).collect();
                let c_ids: &[swath_proxy_id] = bytemuck::cast_slice(&ids);
                let status =
                    unsafe { swath_broadphase_remove_many(c, c_ids.as_ptr(), c_ids.len()) };
                agree(self.rust.remove_many(&ids), status);
            }
            10 => {
                let (number, kind) = kind(bytes);
                if how < 128 {
                    let status = unsafe { swath_broadphase_set_kind(c, c_id, number) };
                    Self::agree_if(kind, status, |kind| rust.set_kind(id, kind));
                } else {
                    let ids = [id, self.id(bytes), id];
                    let c_ids = ids.map(swath_proxy_id::from);
                    let count = usize::from(bytes.byte() % 4);
                    let status =
                        unsafe { swath_broadphase_set_kind_many(c, c_ids.as_ptr(), count, number) };
                    Self::agree_if(kind, status, |kind| {
                        self.rust.set_kind_many(&ids[..count], kind)
                    });
                }
            }
            11 => {
                let filter = filter(bytes);
                let status = unsafe { swath_broadphase_set_filter(c, c_id, filter.into()) };
                agree(rust.set_filter(id, filter), status);
                let owner = u32::from(bytes.byte() % 4);
                let status = unsafe { swath_broadphase_set_owner(c, c_id, owner) };
                agree(rust.set_owner(id, owner), status);
            }
            12 => {
                let margin = bytes.number();
                let status = unsafe { swath_broadphase_set_margin(c, c_id, margin) };
                agree(rust.set_margin(id, margin), status);
            }
            13 => {
                let (enabled, data) = (bytes.byte() % 2, u64::from(word(bytes)) << 20);
                let status = unsafe { swath_broadphase_set_enabled(c, c_id, enabled.into()) };
                agree(rust.set_enabled(id, enabled == 1), status);
                let status = unsafe { swath_broadphase_set_data(c, c_id, data) };
                agree(rust.set_data(id, data), status);
            }
            14 => {
                let ((a, kind_a), (b, kind_b)) = (kind(bytes), kind(bytes));
                let pairs = bytes.byte() % 2;
                let status = unsafe { swath_broadphase_set_kind_pairs(c, a, b, pairs.into()) };
                if let (Some(a), Some(b)) = (kind_a, kind_b) {
                    works(status);
                    let table = rust.kind_table();
                    rust.set_kind_table(if pairs == 0 {
                        table.without(a, b)
                    } else {
                        table.with(a, b)
                    });
                } else {
                    fails(status, SWATH_ERROR_ARGUMENT);
                }
            }
            15 => _ = agree(rust.renew(id), unsafe { swath_broadphase_renew(c, c_id) }),
            16 => {
                let offset = vector(bytes);
                let status = unsafe { swath_broadphase_shift_origin(c, offset.as_ptr()) };
                agree(rust.shift_origin(offset), status);
            }
            17 => self.save_or_restore(bytes),
            18 => {
                let counts = [(); 3].map(|()| match bytes.byte() {
                    255 => usize::MAX,
                    254 => (1 << 28) + 1,
                    other => usize::from(other),
                });
                let [proxies, movers, pairs] = counts;
                let status = unsafe { swath_broadphase_reserve(c, proxies, movers, pairs) };
                if counts.iter().any(|&count| count > 1 << 28) {
                    fails(status, SWATH_ERROR_ARGUMENT);
                } else {
                    works(status);
                }
            }
            19 => self.query(bytes, moving),
            20 => {
                let other = self.id(bytes);
                self.read(id, other);
            }
            21 => self.update(Some((bytes.byte(), bytes.byte() % 2))),
            22 => self.set_delta(bytes, id),
            _ => self.update(None),
        }
    }

    /// Sets the displacement of a proxy, or of a few, also of the same one twice.
    fn set_delta(&mut self, bytes: &mut Bytes<'_>, id: ProxyId) {
        let (c, delta) = (self.c.pointer, vector(bytes));
        let status = unsafe { swath_broadphase_set_delta(c, id.into(), delta.as_ptr()) };
        agree(self.rust.set_delta(id, delta), status);
        let ids = [self.id(bytes), id, self.id(bytes), id];
        let deltas = [(); 4].map(|()| vector(bytes));
        let (ids, deltas) = (&ids[usize::from(bytes.byte() % 5)..], &deltas[..]);
        let deltas = &deltas[4 - ids.len()..];
        let status = unsafe {
            let c_ids: &[swath_proxy_id] = bytemuck::cast_slice(ids);
            swath_broadphase_set_delta_many(c, c_ids.as_ptr(), deltas.as_ptr().cast(), ids.len())
        };
        let rejected = agree(self.rust.set_delta_many(ids, deltas).map(<[_]>::to_vec), status);
        self.rejected(rejected);
    }

    fn insert_many(&mut self, bytes: &mut Bytes<'_>) {
        let boxes = Boxes::new(bytes, 12, Extra::None, false);
        let count = match bytes.byte() % 4 {
            0 => 1,
            1 => usize::from(bytes.byte() % 12),
            _ => boxes.len(),
        };
        let (of_c, of_rust): (Vec<_>, Vec<_>) = (0..count).map(|_| proxy(bytes)).unzip();
        let mut new = vec![swath_proxy_id::from(ProxyId::NONE); boxes.len()];
        let status = unsafe {
            let (boxes, proxies) = (&boxes.c(), of_c.as_ptr());
            swath_broadphase_insert_many(self.c.pointer, boxes, proxies, count, new.as_mut_ptr())
        };
        let proxies: Option<Vec<Proxy>> = of_rust.into_iter().collect();
        let mut ids = Vec::new();
        let rejected = Self::agree_if(proxies.filter(|_| !boxes.is_wrong()), status, |proxies| {
            let proxies = match proxies.as_slice() {
                [one] if boxes.len() != 1 => Proxies::All(*one),
                each => Proxies::Each(each),
            };
            boxes.rust(|boxes| self.rust.insert_many(boxes, proxies, &mut ids).map(<[_]>::to_vec))
        });
        if rejected.is_some() {
            assert_eq!(bits(&new), bits(&ids));
            self.ids.extend(ids);
        }
        self.rejected(rejected);
    }

    /// Checks the rows that the last call rejected, if it succeeded.
    fn rejected(&self, rejected: Option<Vec<swath::batch::Rejected>>) {
        if let Some(rejected) = rejected {
            let mut rows = NO_REJECTED;
            works(unsafe { swath_broadphase_rejected(self.c.pointer, &mut rows) });
            same_rejected(rows, &rejected);
        }
    }

    fn save_or_restore(&mut self, bytes: &mut Bytes<'_>) {
        let (c, snapshot) = (self.c.pointer, self.saved.1.pointer);
        match bytes.byte() % 8 {
            0 => {
                self.rust.clear();
                works(unsafe { swath_broadphase_clear(c) });
            }
            1 | 2 => {
                self.rust.restore(&self.saved.0);
                works(unsafe { swath_broadphase_restore(c, snapshot) });
            }
            _ => {
                self.rust.snapshot_into(&mut self.saved.0);
                works(unsafe { swath_broadphase_save(c, snapshot) });
            }
        }
    }

    /// Updates both. `accept`: the data of the function that decides about pairs, and whether it does so only for new ones.
    fn update(&mut self, accept_of: Option<(u8, u8)>) {
        let c = self.c.pointer;
        let mut changes: swath_changes = unsafe { std::mem::zeroed() };
        let mut user = accept_of.map_or(0, |(user, _)| user);
        let only_new = accept_of.map_or(0, |(_, only_new)| only_new);
        let function =
            swath_accept { user: (&raw mut user).cast(), accept: Some(accept), only_new };
        let pointer = if accept_of.is_some() { &raw const function } else { null() };
        let status = unsafe { swath_broadphase_update(c, pointer, &mut changes) };
        let decide = |pair: ProxyPair| accepts([pair.a.index(), pair.b.index()], user);
        let rust = match (accept_of.is_some(), only_new) {
            (false, _) => self.rust.update(),
            (true, 0) => self.rust.update_with(decide),
            (true, _) => self.rust.update_with_new(decide),
        };
        let Some(rust) = agree(rust, status) else { return };
        assert_eq!(bits(list(changes.begun.data, changes.begun.count)), bits(rust.begun()));
        assert_eq!(bits(list(changes.ended.data, changes.ended.count)), bits(rust.ended()));
        assert_eq!(changes.touching_count, rust.touching().len());
        let touching: Vec<_> = rust.touching().into_iter().collect();
        let persisted: Vec<_> = rust.persisted().collect();
        let mut pairs = swath_swept_proxy_pairs { data: null(), count: 0 };
        works(unsafe { swath_broadphase_persisted(c, &mut pairs) });
        assert_eq!(bits(list(pairs.data, pairs.count)), bits(&persisted));
        works(unsafe { swath_broadphase_touching(c, &mut pairs) });
        let pairs = list(pairs.data, pairs.count);
        assert_eq!(bits(pairs), bits(&touching));
        assert_finite(&pairs);
        let mut columns = swath_pair_columns { a: null(), b: null(), first: null(), count: 0 };
        works(unsafe { swath_broadphase_touching_columns(c, &mut columns) });
        let rust = self.rust.touching_columns();
        assert_eq!(list(columns.a, columns.count), rust.a);
        assert_eq!(list(columns.b, columns.count), rust.b);
        assert_eq!(bits(list(columns.first, columns.count)), bits(rust.first));
        let mut pairs = swath_proxy_pairs { data: null(), count: 0 };
        works(unsafe { swath_broadphase_pairs(c, &mut pairs) });
        assert_eq!(bits(list(pairs.data, pairs.count)), bits(self.rust.pairs()));
    }

    /// Reads everything about two proxies.
    fn read(&mut self, a: ProxyId, b: ProxyId) {
        let (c, rust) = (self.c.pointer, &mut self.rust);
        let [c_a, c_b] = [a, b].map(swath_proxy_id::from);
        let (mut len, mut flag, mut memory) = (0, -1, 0);
        works(unsafe { swath_broadphase_len(c, &mut len) });
        assert_eq!(len, rust.len());
        works(unsafe { swath_broadphase_memory(c, &mut memory) });
        works(unsafe { swath_broadphase_contains(c, c_a, &mut flag) });
        assert_eq!(flag, i32::from(rust.contains(a)));
        works(unsafe { swath_broadphase_contains_pair(c, c_a, c_b, &mut flag) });
        assert_eq!(flag, i32::from(rust.contains_pair(a, b)));
        let mut pairs = swath_proxy_pairs { data: null(), count: 0 };
        works(unsafe { swath_broadphase_pairs_of(c, c_a, &mut pairs) });
        assert_eq!(bits(list(pairs.data, pairs.count)), bits(rust.pairs_of(a)));

        let stale = |status| fails(status, SWATH_ERROR_STALE);
        let mut data = 0;
        let status = unsafe { swath_broadphase_data(c, c_a, &mut data) };
        rust.changes()
            .data(a)
            .map_or_else(|| stale(status), |rust| assert_eq!((status, data), (0, rust)));
        let mut found: swath_proxy = unsafe { std::mem::zeroed() };
        let status = unsafe { swath_broadphase_proxy(c, c_a, &mut found) };
        match rust.proxy(a) {
            None => stale(status),
            Some(proxy) => {
                works(status);
                let kind = KINDS[found.kind as usize];
                let filter: Filter = found.filter.into();
                assert_eq!((kind, filter, found.owner), (proxy.kind, proxy.filter, proxy.owner));
                assert_eq!((found.margin, found.data), (proxy.margin, proxy.data));
                assert_eq!(found.enabled, u8::from(proxy.enabled));
            }
        }
        let mut moving: swath_moving_box = bytemuck::Zeroable::zeroed();
        let status = unsafe { swath_broadphase_moving_box(c, c_a, &mut moving) };
        rust.moving_box(a)
            .map_or_else(|| stale(status), |rust| assert_eq!(bits(&[moving]), bits(&[rust])));
        let status = unsafe { swath_broadphase_compared_box(c, c_a, &mut moving) };
        rust.compared_box(a)
            .map_or_else(|| stale(status), |rust| assert_eq!(bits(&[moving]), bits(&[rust])));
        assert_finite(&moving);

        let mut contact: swath_contact = unsafe { std::mem::zeroed() };
        let status = unsafe { swath_broadphase_contact(c, c_a, c_b, &mut contact) };
        if let Some(rust) = agree(rust.contact(a, b), status) {
            let times = [contact.first, contact.last];
            assert_eq!(bits(&times), bits(&[rust.sweep.first, rust.sweep.last]));
            assert_eq!(contact.normal, rust.sweep.contact.normal());
            let separation =
                rust.separation.map_or([0.0; 3], |separation| separation.translation());
            assert_eq!(contact.separation, separation);
            assert!(times[0].is_infinite() || (0.0..=1.0).contains(&times[0]));
            assert_finite(&(contact.normal, contact.separation));
        }
    }
}
