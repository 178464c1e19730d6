//! A broadphase in which proxies are inserted, moved, put to sleep and removed all the time.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use swath::batch::sweep;
use swath::broadphase::{ProxyPair, Snapshot};
use swath::{Aabb, Broadphase, Filter, MovingBox, Proxy, ProxyId, ProxyKind};
use testkit::draw::Draw;
use testkit::fuzz::world::events;
use testkit::world_model::Model;

pub(crate) const EXPECTED_PANIC: &str = "a function of the caller that panics";
/// A tick in this many compares the pairs of a large broadphase with a test of each box against each.
const TICKS_BETWEEN_COMPARISONS: u64 = 512;

/// A box of the caller, who stores positions in `f64` relative to a place that never changes.
#[derive(Clone, Copy)]
struct Body {
    id: ProxyId,
    center: [f64; 3],
    half: f32,
    velocity: [f32; 3],
}

/// What a snapshot restores.
struct Saved {
    snapshot: Snapshot,
    bodies: Vec<Body>,
    origin: [f64; 3],
    model: Option<Model>,
}

/// How often something was done.
#[derive(Default)]
struct Counts {
    inserted: u64,
    removed: u64,
    kinds: u64,
    described: u64,
    teleported: u64,
    shifted: u64,
    restored: u64,
    panicked: u64,
    compared: u64,
    pairs: u64,
}

pub(crate) struct Churn {
    draw: Draw,
    proxies_max: usize,
    /// Bodies are in a cube of twice this length around the origin, most of the time.
    reach: f32,
    broadphase: Broadphase,
    /// The model compares every two proxies in each tick, so only a small broadphase has one.
    model: Option<Model>,
    bodies: Vec<Body>,
    origin: [f64; 3],
    saved: Option<Saved>,
    counts: Counts,
    ids: Vec<ProxyId>,
    boxes: Vec<MovingBox>,
}

impl Churn {
    pub(crate) fn new(seed: u64, proxies_max: usize, has_model: bool) -> Self {
        Self {
            draw: Draw::new(seed),
            proxies_max,
            // About two pairs for each proxy that moves.
            reach: 0.6 * (proxies_max as f32).cbrt(),
            broadphase: Broadphase::new(),
            model: has_model.then(Model::default),
            bodies: Vec::new(),
            origin: [0.0; 3],
            saved: None,
            counts: Counts::default(),
            ids: Vec::new(),
            boxes: Vec::new(),
        }
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.broadphase.memory_usage()
    }

    /// Changes proxies and updates. Returns the time of the update.
    pub(crate) fn tick(&mut self, tick: u64) -> Duration {
        self.insert_and_remove();
        for _ in 0..1 + self.bodies.len() / 200 {
            self.change_one();
        }
        self.move_all();
        match tick % 1024 {
            100 | 700 => self.shift_origin(),
            200 => self.save(),
            // Less than, more than, and exactly a whole round later than the snapshot.
            230 | 199 => self.restore(),
            300 | 301 => self.panic_in_update(),
            400 => self.broadphase.prepare_queries(),
            500 if tick % 8192 < 1024 => self.broadphase.shrink_to_fit(),
            _ => {}
        }
        self.update(tick)
    }

    fn random_center(&mut self) -> [f64; 3] {
        let reach = self.reach;
        self.origin.map(|origin| origin + f64::from(self.draw.between(-reach, reach)))
    }

    fn moving_box(&self, body: &Body) -> MovingBox {
        let center: [f32; 3] =
            std::array::from_fn(|axis| (body.center[axis] - self.origin[axis]) as f32);
        let aabb = Aabb { min: center.map(|x| x - body.half), max: center.map(|x| x + body.half) };
        MovingBox { aabb, delta: body.velocity }
    }

    fn insert_and_remove(&mut self) {
        let removes = self.bodies.len() >= self.proxies_max;
        // The number of proxies goes up and down between a half and all of the greatest.
        let few = self.bodies.len() < self.proxies_max / 2;
        for _ in 0..1 + self.proxies_max / 300 {
            if few || !removes && self.draw.one_in(2) {
                self.insert();
            } else if !self.bodies.is_empty() {
                self.remove();
            }
        }
    }

    fn insert(&mut self) {
        let center = self.random_center();
        let large = self.draw.one_in(50);
        let half = if large { self.reach * 0.3 } else { self.draw.between(0.1, 0.5) };
        let body = Body { id: ProxyId::NONE, center, half, velocity: [0.0; 3] };
        let kind =
            [ProxyKind::Fixed, ProxyKind::Kinematic, ProxyKind::Sleeping, ProxyKind::Dynamic];
        let mut proxy = Proxy::dynamic().with_data(self.counts.inserted);
        proxy.kind = if large { ProxyKind::Fixed } else { self.draw.one_of(&kind) };
        proxy.margin = self.draw.one_of(&[0.0, 0.1, 0.25]);
        proxy.filter = self.filter();
        proxy.owner = self.draw.one_of(&[0, 0, 0, 1, 2]);
        let moving = self.moving_box(&body);
        let id = self.broadphase.insert_moving(moving, proxy).expect("the box is valid");
        if let Some(model) = &mut self.model {
            model.things.insert(id, Model::thing(moving, proxy).expect("the box is valid"));
        }
        self.bodies.push(Body { id, ..body });
        self.counts.inserted += 1;
    }

    fn remove(&mut self) {
        let index = self.random_index();
        let id = self.bodies.swap_remove(index).id;
        self.broadphase.remove(id).expect("the proxy exists");
        self.model.as_mut().map(|model| model.remove(id));
        self.counts.removed += 1;
    }

    fn random_index(&mut self) -> usize {
        self.draw.between(0.0, self.bodies.len() as f32) as usize % self.bodies.len()
    }

    fn filter(&mut self) -> Filter {
        self.draw.one_of(&[Filter::ALL, Filter::ALL, Filter::new(2, 1 | 4), Filter::new(4, 1 | 2)])
    }

    fn change_one(&mut self) {
        if self.bodies.is_empty() {
            return;
        }
        let index = self.random_index();
        let id = self.bodies[index].id;
        let choice = self.draw.whole(0, 7) as u32;
        let filter = self.filter();
        let (broadphase, model) = (&mut self.broadphase, self.model.as_mut());
        match choice {
            0..=3 => {
                let kind = self.draw.one_of(&[ProxyKind::Sleeping, ProxyKind::Dynamic]);
                broadphase.set_kind(id, kind).expect("the proxy exists");
                model.map(|model| model.edit(id, |proxy| proxy.kind = kind));
                self.counts.kinds += 1;
            }
            4 => {
                broadphase.set_filter(id, filter).expect("the proxy exists");
                model.map(|model| model.edit(id, |proxy| proxy.filter = filter));
                self.counts.described += 1;
            }
            5 => {
                let margin = self.draw.one_of(&[0.0, 0.1, 0.25]);
                broadphase.set_margin(id, margin).expect("the margin is valid");
                model.map(|model| model.set_margin(id, margin));
                self.counts.described += 1;
            }
            6 => {
                broadphase.renew(id).expect("the proxy exists");
                model.map(|model| model.renew(id));
                self.counts.described += 1;
            }
            _ => {
                self.bodies[index].center = self.random_center();
                self.counts.teleported += 1;
                let moving = self.moving_box(&self.bodies[index]);
                self.broadphase.set(id, moving.aabb, moving.delta).expect("the box is valid");
                self.model.as_mut().map(|model| model.set(id, moving));
            }
        }
    }

    /// Moves all bodies that do not rest; three of four move little, so they stay in their fat AABBs.
    fn move_all(&mut self) {
        self.ids.clear();
        self.boxes.clear();
        let mut bodies = std::mem::take(&mut self.bodies);
        for body in &mut bodies {
            let kind = self.broadphase.proxy(body.id).expect("the proxy exists").kind;
            if kind.is_resting() {
                body.velocity = [0.0; 3];
                continue;
            }
            let fast = body.id.index() % 4 == 0;
            for axis in 0..3 {
                body.center[axis] += f64::from(body.velocity[axis]);
                let speed = if fast { 0.2 } else { 0.01 };
                let outside = body.center[axis] - self.origin[axis];
                let back = if outside.abs() > f64::from(self.reach) {
                    -outside.signum() as f32
                } else {
                    0.0
                };
                body.velocity[axis] = self.draw.between(-speed, speed) + back * speed;
            }
            self.ids.push(body.id);
            self.boxes.push(self.moving_box(body));
        }
        self.bodies = bodies;
        let rejected = self.broadphase.set_many(&self.ids, self.boxes.as_slice());
        assert!(rejected.expect("all proxies exist").is_empty());
        if let Some(model) = &mut self.model {
            for (&id, &moving) in self.ids.iter().zip(&self.boxes) {
                model.set(id, moving).expect("the box is valid");
            }
        }
    }

    fn shift_origin(&mut self) {
        let offset: [f32; 3] = std::array::from_fn(|_| self.draw.whole(-8, 8));
        for (origin, offset) in self.origin.iter_mut().zip(offset) {
            *origin += f64::from(offset);
        }
        self.broadphase.shift_origin(offset).expect("the boxes are near the origin");
        self.model.as_mut().map(|model| model.shift(offset));
        self.counts.shifted += 1;
    }

    fn save(&mut self) {
        self.saved = Some(Saved {
            snapshot: self.broadphase.snapshot(),
            bodies: self.bodies.clone(),
            origin: self.origin,
            model: self.model.clone(),
        });
    }

    fn restore(&mut self) {
        let Some(saved) = &self.saved else { return };
        self.broadphase.restore(&saved.snapshot);
        self.bodies.clone_from(&saved.bodies);
        (self.origin, self.model) = (saved.origin, saved.model.clone());
        self.counts.restored += 1;
    }

    /// Updates with a function that panics, after which the broadphase is as before.
    fn panic_in_update(&mut self) {
        let before = self.broadphase.snapshot();
        let broadphase = &mut self.broadphase;
        let update = AssertUnwindSafe(|| {
            let _ = broadphase.update_with(|_| std::panic::panic_any(EXPECTED_PANIC));
        });
        assert!(catch_unwind(update).is_err(), "the function was not called");
        self.broadphase.validate().expect("the broadphase is consistent");
        assert_eq!(self.broadphase.snapshot(), before);
        self.counts.panicked += 1;
    }

    fn update(&mut self, tick: u64) -> Duration {
        let start = Instant::now();
        let changes = self.broadphase.update().expect("there is no limit");
        let time = start.elapsed();
        self.counts.pairs += changes.touching().len() as u64;
        if let Some(model) = &mut self.model {
            assert_eq!(events(changes), model.update(|_| true), "tick {tick}");
            self.counts.compared += 1;
        } else if tick.is_multiple_of(TICKS_BETWEEN_COMPARISONS) {
            self.compare_pairs(tick);
            self.counts.compared += 1;
        }
        time
    }

    /// Compares the pairs with a test of each box against each.
    fn compare_pairs(&self, tick: u64) {
        let broadphase = &self.broadphase;
        broadphase.validate().expect("the broadphase is consistent");
        let mut all = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let proxy = broadphase.proxy(body.id).expect("the proxy exists");
            let compared = broadphase.compared_box(body.id).expect("the proxy exists");
            let moving = broadphase.moving_box(body.id).expect("the proxy exists");
            if proxy.margin > 0.0 {
                assert!(
                    compared.aabb.contains(&moving.bounds()),
                    "tick {tick}: the fat AABB is too small"
                );
            } else {
                assert_eq!(compared, moving);
            }
            all.push((body.id, proxy, compared, compared.bounds()));
        }
        let mut expected = Vec::new();
        for (index, (a, one, box_a, bounds_a)) in all.iter().enumerate() {
            for (b, other, box_b, bounds_b) in &all[index + 1..] {
                let meet = bounds_a.overlaps(bounds_b)
                    && sweep::one_to_one(box_a, box_b).expect("both are boxes").first < sweep::MISS;
                let owners_allow = one.owner == 0 || one.owner != other.owner;
                let allowed = one.kind.pairs_with(other.kind)
                    && one.filter.allows(other.filter)
                    && owners_allow;
                if meet && allowed && !(one.kind.is_resting() && other.kind.is_resting()) {
                    expected.push(ProxyPair::new(*a, *b));
                }
            }
        }
        expected.sort_unstable();
        let found = broadphase.changes().touching().iter().map(ProxyPair::from);
        assert!(found.eq(expected), "tick {tick}: the pairs differ");
    }
}

impl fmt::Display for Churn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { inserted, removed, kinds, described, teleported, shifted, .. } = self.counts;
        let Counts { restored, panicked, compared, pairs, .. } = self.counts;
        write!(
            f,
            "{inserted} inserted, {removed} removed, {kinds} put to sleep or woken, {described} described anew, \
             {teleported} teleported, {shifted} shifts of the origin, {restored} snapshots restored, {panicked} panics; \
             {pairs} pairs, compared in {compared} ticks"
        )
    }
}
