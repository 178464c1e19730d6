//! Random calls of a broadphase through C and through Rust: the same ids, errors, pairs and hits.
//!
//! Numbers are often hostile: NaN, infinite, huge, inverted boxes, stale ids. `SWATH_CASES` sets the number of worlds.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the pointers are to local values and to objects that live until the end"
)]

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use swath::broadphase::{ProxyHit, Snapshot};
use swath::{Aabb, Broadphase, Filter, MovingBox, Proxy, ProxyId, ProxyKind, Segment, Threads};
use swath_c::*;

const CALLS: usize = 300;

/// A linear congruential generator (Knuth 1998, §3.3.4, line 16).
struct Draw(u32);

impl Draw {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % end
    }

    /// A coordinate, which is hostile once in 200 times.
    fn number(&mut self) -> f32 {
        const HOSTILE: [f32; 8] =
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -f32::MAX, 2e36, 1e-42, -0.0];
        if self.below(200) == 0 {
            HOSTILE[self.below(8) as usize]
        } else {
            self.below(256) as f32 / 16.0 - 8.0
        }
    }

    fn vector(&mut self) -> [f32; 3] {
        [self.number(), self.number(), self.number()]
    }

    fn moving(&mut self) -> MovingBox {
        let (min, delta) = (self.vector(), self.vector());
        let max = [0, 1, 2].map(|axis: usize| min[axis] + self.below(48) as f32 / 16.0);
        let delta = if self.below(2) == 0 { [0.0; 3] } else { delta };
        let inverted = self.below(100) == 0;
        let (min, max) = if inverted { (max, min) } else { (min, max) };
        MovingBox { aabb: Aabb { min, max }, delta }
    }

    fn filter(&mut self) -> Filter {
        if self.below(2) == 0 {
            return Filter::ALL;
        }
        let category = 1 << self.below(32);
        let mask = if self.below(2) == 0 { u32::MAX } else { self.below(1 << 24) << 8 };
        Filter::new(category, mask)
    }

    fn proxy(&mut self) -> Proxy {
        let mut proxy = Proxy::dynamic().filtered(self.filter()).with_data(u64::from(self.0) << 17);
        proxy.kind = KINDS[self.below(4) as usize];
        proxy.owner = self.below(6).saturating_sub(3);
        proxy.margin = [0.0, 0.0, 0.25, -1.0, f32::NAN][self.below(5).min(self.below(50)) as usize];
        proxy.enabled = self.below(10) != 0;
        proxy
    }
}

/// The kinds, in the order of their numbers in C.
const KINDS: [ProxyKind; 4] =
    [ProxyKind::Dynamic, ProxyKind::Kinematic, ProxyKind::Sleeping, ProxyKind::Fixed];

fn c_kind(kind: ProxyKind) -> swath_kind {
    KINDS.iter().position(|&one| one == kind).expect("there are four kinds") as swath_kind
}

fn c_proxy(proxy: &Proxy) -> swath_proxy {
    swath_proxy {
        kind: c_kind(proxy.kind),
        filter: proxy.filter.into(),
        owner: proxy.owner,
        margin: proxy.margin,
        data: proxy.data,
        enabled: proxy.enabled.into(),
    }
}

/// Checks that C reports the error of Rust, with its message.
#[track_caller]
fn same<T, E: ToString>(rust: Result<T, E>, status: swath_status) -> Option<T> {
    match rust {
        Ok(value) => {
            assert_eq!(status, SWATH_OK);
            Some(value)
        }
        Err(error) => {
            assert_ne!(status, SWATH_OK);
            let message = unsafe { CStr::from_ptr(swath_last_error()) };
            assert_eq!(message.to_str(), Ok(error.to_string().as_str()));
            None
        }
    }
}

/// A list that C returned.
unsafe fn list<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, count) } }
}

struct Both {
    rust: Broadphase,
    c: *mut swath_broadphase,
    ids: Vec<ProxyId>,
    snapshots: (Snapshot, *mut swath_snapshot),
}

impl Both {
    fn new() -> Self {
        let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
        let (mut c, mut snapshot) = (null_mut(), null_mut());
        assert_eq!(unsafe { swath_broadphase_create(&exec, &mut c) }, SWATH_OK);
        assert_eq!(unsafe { swath_snapshot_create(&mut snapshot) }, SWATH_OK);
        let rust = Broadphase::with_exec(Threads::one());
        Self { rust, c, ids: vec![ProxyId::NONE], snapshots: (Snapshot::default(), snapshot) }
    }

    fn update(&mut self) {
        let mut changes = unsafe { std::mem::zeroed::<swath_changes>() };
        let status = unsafe { swath_broadphase_update(self.c, null(), &mut changes) };
        let rust = same(self.rust.update(), status).expect("there is no limit");
        let (begun, ended) = (changes.begun, changes.ended);
        let (begun, ended) =
            unsafe { (list(begun.data, begun.count), list(ended.data, ended.count)) };
        assert_eq!(
            bytemuck::cast_slice::<_, u32>(begun),
            bytemuck::cast_slice::<_, u32>(rust.begun())
        );
        assert_eq!(
            bytemuck::cast_slice::<_, u32>(ended),
            bytemuck::cast_slice::<_, u32>(rust.ended())
        );
        let touching: Vec<_> = rust.touching().into_iter().collect();
        let mut pairs = swath_swept_proxy_pairs { data: null(), count: 0 };
        assert_eq!(unsafe { swath_broadphase_touching(self.c, &mut pairs) }, SWATH_OK);
        let pairs = unsafe { list(pairs.data, pairs.count) };
        assert_eq!(
            bytemuck::cast_slice::<_, u32>(pairs),
            bytemuck::cast_slice::<_, u32>(&touching)
        );
    }

    /// Makes one random call on both sides.
    fn call(&mut self, draw: &mut Draw) {
        let at = draw.below(self.ids.len() as u32) as usize;
        let id = self.ids[at];
        let (c, c_id) = (self.c, swath_proxy_id::from(id));
        match draw.below(16) {
            0..3 => {
                let (moving, proxy) = (draw.moving(), draw.proxy());
                let mut new = swath_proxy_id::from(ProxyId::NONE);
                let status = unsafe {
                    swath_broadphase_insert(c, &moving.into(), &c_proxy(&proxy), &mut new)
                };
                if let Some(id) = same(self.rust.insert_moving(moving, proxy), status) {
                    assert_eq!(new, id.into());
                    self.ids.push(id);
                }
            }
            3..6 => {
                let moving = draw.moving();
                let status = unsafe { swath_broadphase_set(c, c_id, &moving.into()) };
                same(self.rust.set(id, moving.aabb, moving.delta), status);
            }
            6 => _ = same(self.rust.remove(id), unsafe { swath_broadphase_remove(c, c_id) }),
            7 => {
                let kind = KINDS[draw.below(4) as usize];
                let status = unsafe { swath_broadphase_set_kind(c, c_id, c_kind(kind)) };
                same(self.rust.set_kind(id, kind), status);
            }
            8 => {
                let filter = draw.filter();
                let status = unsafe { swath_broadphase_set_filter(c, c_id, filter.into()) };
                same(self.rust.set_filter(id, filter), status);
            }
            9 => {
                let (margin, enabled) = (draw.proxy().margin, draw.below(2));
                let status = unsafe { swath_broadphase_set_margin(c, c_id, margin) };
                same(self.rust.set_margin(id, margin), status);
                let status = unsafe { swath_broadphase_set_enabled(c, c_id, enabled as i32) };
                same(self.rust.set_enabled(id, enabled == 1), status);
            }
            10 => _ = same(self.rust.renew(id), unsafe { swath_broadphase_renew(c, c_id) }),
            11 => {
                let (start, delta) = (draw.vector(), draw.vector());
                let segment = Segment { start, delta, max_fraction: 1.0 };
                let mut hit = swath_proxy_hit::from(ProxyHit::MISS);
                let status = unsafe { swath_broadphase_cast(c, &segment.into(), null(), &mut hit) };
                let queries = self.rust.queries();
                if let Some(query) = same(queries.cast(&segment), status) {
                    assert_eq!(hit, query.closest().unwrap_or(ProxyHit::MISS).into());
                }
            }
            12 => {
                let offset = draw.vector();
                let status = unsafe { swath_broadphase_shift_origin(c, offset.as_ptr()) };
                same(self.rust.shift_origin(offset), status);
            }
            13 if draw.below(3) == 0 => {
                self.rust.snapshot_into(&mut self.snapshots.0);
                assert_eq!(unsafe { swath_broadphase_save(c, self.snapshots.1) }, SWATH_OK);
            }
            14 if draw.below(6) == 0 => {
                self.rust.restore(&self.snapshots.0);
                assert_eq!(unsafe { swath_broadphase_restore(c, self.snapshots.1) }, SWATH_OK);
            }
            _ => self.update(),
        }
    }
}

impl Drop for Both {
    fn drop(&mut self) {
        unsafe {
            swath_broadphase_destroy(self.c);
            swath_snapshot_destroy(self.snapshots.1);
        }
    }
}

#[test]
fn random_calls_have_the_results_of_rust() {
    let cases =
        std::env::var("SWATH_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60);
    let mut pairs = 0;
    for case in 0..cases {
        let (mut both, mut draw) = (Both::new(), Draw(case));
        (0..CALLS).for_each(|_| both.call(&mut draw));
        pairs += both.rust.pairs().len();
    }
    assert!(pairs > 0);
}
