//! Tests crowds of proxies of which owners and filters exclude most pairs.

use core::array::from_fn;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use swath::batch::sweep;
use swath::broadphase::{KindTable, ProxyPair};
use swath::{Aabb, Broadphase, Filter, Level, MovingBox, Proxy, ProxyId, ProxyKind, Threads};

/// How many proxies a crowd has: so many that its boxes are separated by owners and filters before they are compared.
const COUNT: usize = 1_600;
/// A box that overlaps no box of a crowd.
const FAR: Aabb = Aabb { min: [1.0e6; 3], max: [1.1e6; 3] };

/// A proxy of the crowd `style`, and its box.
fn proxy(random: &mut Xoshiro256PlusPlus, style: usize, k: usize) -> (Aabb, Proxy) {
    let place = [0.0, 4.0][if style == 2 { k % 2 } else { 0 }];
    let low: [f32; 3] =
        from_fn(|axis| random.random_range(0.0..1.0) + if axis == 0 { place } else { 0.0 });
    let aabb = Aabb { min: low, max: low.map(|low| low + random.random_range(0.5..1.0)) };
    let owner = match style {
        0 => 1,
        1 => 1 + u32::from(k.is_multiple_of(8)),
        2 => 1 + (k % 2) as u32,
        _ => 1 + k as u32 % 3,
    };
    let filter = if style == 3 && k % 3 == 1 { Filter::new(2, !2) } else { Filter::ALL };
    let kind =
        if style == 1 && k.is_multiple_of(2) { Proxy::kinematic() } else { Proxy::dynamic() };
    // Few have no owner.
    let owner = if k.is_multiple_of(101) { 0 } else { owner };
    (aabb, kind.owned_by(owner).filtered(filter))
}

/// Goal: of proxies in one place, most of which have the same owner, exactly the allowed pairs are found, in full updates and in those that
/// search for few. Method: brute force; one owner, two, in a place each or not, and three with filters; two tables of kinds; every level,
/// one thread and all.
#[test]
fn crowds_of_one_owner_have_exactly_the_allowed_pairs() {
    for style in 0..4 {
        for kinematic in [false, true] {
            let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
            let mut crowd: Vec<(Aabb, Proxy)> =
                (0..COUNT).map(|k| proxy(random, style, k)).collect();
            let moved: Vec<(usize, Aabb)> =
                (0..COUNT).step_by(9).map(|k| (k, proxy(random, style, k + 1).0)).collect();
            let levels = Level::all().map(|level| (level, Threads::one()));
            let all_threads = [(Level::detect(), Threads::current())];
            let mut broadphases: Vec<(Broadphase, Vec<ProxyId>)> = levels
                .chain(all_threads)
                .map(|(level, threads)| {
                    let mut broadphase = Broadphase::with_exec(level);
                    broadphase.exec.threads = threads;
                    if kinematic {
                        let table = KindTable::default();
                        let kind = ProxyKind::Kinematic;
                        broadphase.set_kind_table(table.with(kind, kind));
                    }
                    // Fixed proxies in between are no movers, so the slot of a proxy is not its row in a search of movers.
                    let ids = crowd
                        .iter()
                        .enumerate()
                        .map(|(k, &(aabb, proxy))| {
                            if k.is_multiple_of(5) {
                                broadphase.insert(FAR, Proxy::fixed()).expect("valid");
                            }
                            broadphase.insert(aabb, proxy.with_margin(0.01)).expect("valid")
                        })
                        .collect();
                    (broadphase, ids)
                })
                .collect();
            for tick in 0..4 {
                if tick == 3 {
                    moved.iter().for_each(|&(k, aabb)| crowd[k].0 = aabb);
                }
                let mut expected: Option<Vec<[u32; 2]>> = None;
                for (broadphase, ids) in &mut broadphases {
                    if tick == 3 {
                        for &(k, aabb) in &moved {
                            broadphase.set(ids[k], aabb, [0.0; 3]).expect("valid");
                        }
                    }
                    broadphase.update().expect("no limit");
                    let compared: Vec<_> = ids
                        .iter()
                        .map(|&id| broadphase.compared_box(id).expect("valid").bounds())
                        .collect();
                    let expected =
                        expected.get_or_insert_with(|| allowed_pairs(&compared, &crowd, kinematic));
                    let row = |id: ProxyId| ids.partition_point(|other| other.index() < id.index());
                    let pairs = broadphase.pairs();
                    let found =
                        pairs.iter().map(|&ProxyPair { a, b }| [a, b].map(|id| row(id) as u32));
                    assert_eq!(&found.collect::<Vec<_>>(), expected, "{style} {tick}");
                }
            }
        }
    }
}

/// Goal: of proxies that fly apart from one place, exactly the allowed pairs are found, although the tick is searched in slices. Method: small boxes with
/// the owners and filters of the crowds above, some of which have categories that words of filters do not distinguish; every pair is swept.
#[test]
fn bursts_of_few_owners_have_exactly_the_allowed_pairs() {
    for (style, kinematic) in (0..4).flat_map(|style| [(style, false), (style, true)]) {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
        let mut burst = Vec::new();
        for k in 0..COUNT {
            let (_, mut proxy) = proxy(random, style, k);
            if style == 1 {
                proxy.filter = Filter::new(1 << (k % 32), !(2 << (k % 31)));
            }
            let low = from_fn(|_| random.random_range(0.0..0.05));
            let delta = from_fn(|_| random.random_range(-1.0..1.0));
            let aabb = Aabb { min: low, max: low.map(|low| low + 2e-3) };
            burst.push((MovingBox { aabb, delta }, proxy));
        }
        let mut broadphase = Broadphase::with_exec(Threads::one());
        if kinematic {
            let table = KindTable::default();
            broadphase.set_kind_table(table.with(ProxyKind::Kinematic, ProxyKind::Kinematic));
        }
        let mut rows = HashMap::new();
        for (row, &(moving, proxy)) in (0_u32..).zip(&burst) {
            if row.is_multiple_of(5) {
                broadphase.insert(FAR, Proxy::fixed()).expect("valid");
            }
            rows.insert(broadphase.insert_moving(moving, proxy).expect("valid"), row);
        }
        let crowd: Vec<(Aabb, Proxy)> =
            burst.iter().map(|(moving, proxy)| (moving.bounds(), *proxy)).collect();
        let bounds: Vec<Aabb> = crowd.iter().map(|(bounds, _)| *bounds).collect();
        let mut expected = allowed_pairs(&bounds, &crowd, kinematic);
        expected.retain(|pair| {
            let [a, b] = pair.map(|row| burst[row as usize].0);
            sweep::one_to_one(&a, &b).expect("valid").contact.is_hit()
        });
        assert!(expected.len() > 50, "{style}: {} pairs", expected.len());
        for _ in 0..2 {
            broadphase.update().expect("no limit");
            let found = broadphase.pairs().iter().map(|pair| [pair.a, pair.b].map(|id| rows[&id]));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{style} {kinematic}");
        }
    }
}

/// Returns the pairs of overlapping boxes that owners, filters and kinds allow, in order.
fn allowed_pairs(boxes: &[Aabb], crowd: &[(Aabb, Proxy)], kinematic: bool) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (a, (_, p)) in crowd.iter().enumerate() {
        for (b, (_, q)) in crowd.iter().enumerate().skip(a + 1) {
            let owners = p.owner == 0 || p.owner != q.owner;
            let kinds = kinematic || p.kind == ProxyKind::Dynamic || q.kind == ProxyKind::Dynamic;
            if owners && kinds && p.filter.allows(q.filter) && boxes[a].overlaps(&boxes[b]) {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    pairs
}
