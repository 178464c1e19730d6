//! Tests updates in which owners exclude movers from crowds of resting proxies.

use super::kinds::KindTable;
use super::{Broadphase, Proxy, ProxyKind};
use crate::geom::Aabb;
use crate::par::Threads;
use alloc::vec::Vec;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// A cube of side 1 in a place on the first axis.
fn cube(random: &mut Xoshiro256PlusPlus, place: usize) -> Aabb {
    let start = [3.0 * place as f32, 0.0, 0.0];
    let min = start.map(|start| start + random.random_range(0.0..0.5));
    Aabb { min, max: min.map(|min| min + 1.0) }
}

/// Goal: movers in a crowd of resting proxies of one owner, or of an owner in each place, cost a time in proportion to the proxies. Method: count visited
/// nodes, boxes that are read, comparisons, and pairs in a full update, and in one that searches for a tenth of the movers among the others.
#[test]
fn resting_proxies_of_one_owner_are_not_compared_with_movers() {
    let count = 20_000;
    for (places, kind) in [
        (1, ProxyKind::Fixed),
        (1, ProxyKind::Sleeping),
        (6, ProxyKind::Sleeping),
        (1, ProxyKind::Dynamic),
    ] {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
        let mut broadphase = Broadphase::new();
        broadphase.exec.threads = Threads::one();
        broadphase.set_kind_table(KindTable::default().with(ProxyKind::Kinematic, kind));
        let is_incremental = kind == ProxyKind::Dynamic;
        let mut moving = Vec::new();
        for k in 0..count {
            let (place, turn) = (k / 2 % places, if is_incremental { 10 } else { 2 });
            let proxy = match kind {
                _ if k % turn == 0 => Proxy::kinematic(),
                ProxyKind::Fixed => Proxy::fixed(),
                ProxyKind::Sleeping => Proxy::sleeping(),
                _ => Proxy::dynamic(),
            };
            let aabb = cube(random, place);
            let id = broadphase.insert(aabb, proxy.owned_by(1 + place as u32)).expect("valid");
            if k % turn == 0 {
                moving.push((id, aabb));
            }
        }
        for tick in 0..4 {
            for &(id, aabb) in &moving {
                broadphase.set(id, aabb, [0.01 * (tick + 1) as f32, 0.0, 0.0]).expect("valid");
            }
            assert_eq!(broadphase.update().expect("no limit").touching().len(), 0);
        }
        let forest = match kind {
            ProxyKind::Fixed => &broadphase.trees.fixed,
            ProxyKind::Sleeping => &broadphase.trees.sleeping,
            _ => &broadphase.trees.settled[0],
        };
        let (visited, joined) = forest.search.work;
        let (read, compared) = forest.search.join_work();
        // There were four joins, or two after the dynamic proxies had settled.
        let each = (visited + (read + compared / 16) / 2) / count as u64;
        assert!(joined > moving.len() / 2, "{kind:?}: {joined} joined");
        assert!(each < 64, "{kind:?}: {visited} nodes, {read} boxes, {compared} comparisons");
    }
}
