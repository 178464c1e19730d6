//! Tests movers in crowds of resting proxies of which filters, owners and kinds exclude most pairs.

use core::array::from_fn;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::broadphase::{KindTable, ProxyPair};
use swath::{Aabb, Broadphase, Filter, Level, MovingBox, Proxy, ProxyId, ProxyKind, Threads};

const KINDS: [ProxyKind; 4] =
    [ProxyKind::Dynamic, ProxyKind::Kinematic, ProxyKind::Fixed, ProxyKind::Sleeping];

/// What the proxies of a world are drawn from.
struct Style {
    /// How many places there are, and how far a box is from the start of its place.
    places: usize,
    crowd: f32,
    /// How many of sixteen proxies are of each of [`KINDS`].
    kinds: [usize; 4],
    /// How filters and owners are drawn.
    rules: usize,
    table: KindTable,
}

impl Style {
    fn draw(random: &mut Xoshiro256PlusPlus, round: usize) -> Self {
        let kinds = [[1, 7, 0, 8], [8, 0, 8, 0], [2, 6, 4, 4], [4, 4, 8, 0]];
        let mut table = KindTable::default();
        for a in KINDS {
            for b in &KINDS[..2] {
                // Two kinds of the default table pair in most worlds.
                table = match random.random_range(0..8) {
                    0 => table.without(a, *b),
                    1 => table.with(a, *b),
                    _ => table,
                };
            }
        }
        Self {
            places: [1, 2, 5][random.random_range(0..3)],
            crowd: [0.5, 2.0][random.random_range(0..2)],
            kinds: kinds[random.random_range(0..4)],
            rules: round % 7,
            table,
        }
    }

    /// A box in a place.
    fn aabb(&self, random: &mut Xoshiro256PlusPlus, place: usize) -> Aabb {
        let start = [6.0 * place as f32, 0.0, 0.0];
        let min = start.map(|start| start + random.random_range(0.0..self.crowd));
        Aabb { min, max: from_fn(|axis| min[axis] + random.random_range(0.5..1.0)) }
    }

    fn proxy(&self, random: &mut Xoshiro256PlusPlus, place: usize) -> Proxy {
        let mut turn = random.random_range(0..16);
        let kind = (0..4).find(|&kind| {
            let is_kind = turn < self.kinds[kind];
            turn = turn.saturating_sub(self.kinds[kind]);
            is_kind
        });
        let proxy = match KINDS[kind.expect("sixteen proxies have a kind")] {
            ProxyKind::Dynamic => Proxy::dynamic(),
            ProxyKind::Kinematic => Proxy::kinematic(),
            ProxyKind::Fixed => Proxy::fixed(),
            _ => Proxy::sleeping(),
        };
        // A few have no filter and no owner.
        if random.random_ratio(1, 150) {
            return proxy;
        }
        let moves = matches!(proxy.kind, ProxyKind::Dynamic | ProxyKind::Kinematic);
        let of = random.random_range(0..6_u32);
        let (filter, owner) = match self.rules {
            0 => (Filter::new(2, !2), 0),
            1 if moves => (Filter::new(1, 2), 0),
            1 => ([Filter::new(2, !1), Filter::new(4, 1)][of as usize % 2], 0),
            2 => (Filter::new(1 << of, !0x3f), 0),
            3 => (Filter::ALL, 1 + place as u32),
            4 => (Filter::new(1 << of, 1 << (of + 1)), of % 3),
            // Categories that share a bit of words.
            5 if moves => (Filter::new(1 << 20, !(1 << 21)), 0),
            5 => (Filter::new(1 << 21, !0), 0),
            _ => ([Filter::new(2, !2), Filter::ALL][of as usize % 2], 1 + of / 4),
        };
        proxy.filtered(filter).owned_by(owner)
    }
}

/// Returns the pairs of overlapping boxes that kinds, filters and owners allow and of which a proxy moves, in order.
fn allowed_pairs(boxes: &[Aabb], proxies: &[Proxy], table: KindTable) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (a, p) in proxies.iter().enumerate() {
        for (b, q) in proxies.iter().enumerate().skip(a + 1) {
            let owners = p.owner == 0 || p.owner != q.owner;
            let allowed = owners && table.pairs(p.kind, q.kind) && p.filter.allows(q.filter);
            if allowed && boxes[a].overlaps(&boxes[b]) {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    pairs
}

/// Goal: of proxies in a few places, most of which are excluded from the resting ones, exactly the allowed pairs touch, in full updates and in
/// those that search for few, with the same hash for every level and any threads. Method: brute force over all boxes; random kinds and tables of kinds, filters of
/// one kind up to many, also such that words do not decide, and owners; the boxes that are compared do not move.
#[test]
fn movers_have_exactly_the_allowed_pairs_with_resting_crowds() {
    const COUNT: usize = 2_400;
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let mut pairs = 0;
    for round in 0..28 {
        let style = Style::draw(random, round);
        let places: Vec<usize> = (0..COUNT).map(|_| random.random_range(0..style.places)).collect();
        let mut boxes: Vec<Aabb> = places.iter().map(|&place| style.aabb(random, place)).collect();
        let proxies: Vec<Proxy> = places.iter().map(|&place| style.proxy(random, place)).collect();
        let moves = |k: usize| !matches!(proxies[k].kind, ProxyKind::Fixed | ProxyKind::Sleeping);
        let one = Threads::one;
        let settings = [
            (Level::detect(), one()),
            (Level::all().next().expect("a level"), one()),
            (Level::detect(), Threads::current()),
        ];
        let mut broadphases: Vec<(Broadphase, Vec<ProxyId>)> = settings
            .into_iter()
            .map(|(level, threads)| {
                let mut broadphase = Broadphase::with_exec(level);
                broadphase.exec.threads = threads;
                broadphase.set_kind_table(style.table);
                let insert = |(&aabb, &proxy): (&Aabb, &Proxy)| {
                    broadphase.insert(aabb, proxy).expect("the box is valid")
                };
                let ids = boxes.iter().zip(&proxies).map(insert).collect();
                (broadphase, ids)
            })
            .collect();
        for tick in 0..4 {
            // All movers, none, a few, all.
            let step = [1, 0, 7, 1][tick];
            let changed: Vec<(usize, MovingBox)> = (0..COUNT)
                .filter(|&k| step > 0 && k % step == 0 && moves(k))
                .map(|k| {
                    boxes[k] = style.aabb(random, places[k]);
                    (k, MovingBox::from(boxes[k]))
                })
                .collect();
            let expected = allowed_pairs(&boxes, &proxies, style.table);
            pairs += expected.len();
            let mut hash = None;
            for (broadphase, ids) in &mut broadphases {
                for &(k, moving) in &changed {
                    broadphase.set(ids[k], moving.aabb, moving.delta).expect("the box is valid");
                }
                let found_hash = broadphase.update().expect("no limit").hash();
                assert_eq!(*hash.get_or_insert(found_hash), found_hash, "{round} {tick}");
                let row = |id: ProxyId| id.index();
                let found = broadphase.pairs();
                let found = found.iter().map(|&ProxyPair { a, b }| [a, b].map(row));
                assert!(found.eq(expected.iter().copied()), "{round} {tick}");
            }
        }
    }
    assert!(pairs > 100_000, "{pairs} pairs");
}
