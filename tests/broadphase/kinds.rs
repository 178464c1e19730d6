//! Tests of the table of kinds that pair.

use swath::broadphase::{KindTable, ProxyPair};
use swath::{Aabb, Broadphase, Proxy, ProxyKind};

const KINDS: [ProxyKind; 4] =
    [ProxyKind::Fixed, ProxyKind::Kinematic, ProxyKind::Dynamic, ProxyKind::Sleeping];

/// Goal: two proxies begin a pair exactly if the table has their kinds, and a changed table takes effect in the next
/// update, also if all movers are settled. Method: every pair of kinds, in the default table, without the two kinds, and
/// with them.
#[test]
fn kinds_pair_as_the_table_says() {
    let aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
    for (a, b) in KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b))) {
        let default = KindTable::default();
        assert_eq!(default.pairs(a, b), a.pairs_with(b), "{a:?} {b:?}");
        let (with, without) = (default.with(a, b), default.without(b, a));
        assert!(with.pairs(b, a) && !without.pairs(a, b));
        let resting = a.is_resting() && b.is_resting();
        for margin in [0.0, 0.25] {
            let mut world = Broadphase::new();
            world.set_kind_table(without);
            for kind in [a, b] {
                let id = world.insert(aabb, Proxy::dynamic().with_margin(margin)).expect("valid");
                world.set_kind(id, kind).expect("the id is valid");
            }
            for _ in 0..3 {
                assert!(world.update().expect("no limit").begun().is_empty(), "{a:?} {b:?}");
            }
            world.set_kind_table(with);
            assert_eq!(world.kind_table(), with);
            // Two resting proxies that have not changed begin no pair.
            let begun = usize::from(!resting);
            let changes = world.update().expect("no limit");
            assert_eq!((changes.begun().len(), changes.touching().len()), (begun, begun));
            world.set_kind_table(without);
            assert_eq!(world.update().expect("no limit").ended().len(), begun, "{a:?} {b:?}");
        }
    }
}

/// Goal: a pair of two resting proxies begins once, when one of them is inserted or changes, is not among the touching
/// pairs, stays cached without an event, and ends when they part. Method: a sleeping proxy on a fixed one.
#[test]
fn pair_of_resting_proxies_begins_once() {
    let cube = |y: f32| Aabb { min: [0.0, y, 0.0], max: [1.0, y + 1.0, 1.0] };
    let mut world = Broadphase::new();
    world.set_kind_table(KindTable::default().with(ProxyKind::Fixed, ProxyKind::Sleeping));
    let ground = world.insert(cube(0.0), Proxy::fixed()).expect("valid");
    let crate_box = world.insert(cube(1.0), Proxy::sleeping()).expect("valid");
    // A mover with a pair of its own, between the two in the lists.
    let mover = world.insert(cube(0.5), Proxy::dynamic()).expect("valid");
    let pair = ProxyPair::new(ground, crate_box);
    let changes = world.update().expect("no limit");
    let begun: Vec<ProxyPair> = changes.begun().iter().map(|&pair| pair.into()).collect();
    let others = [ProxyPair::new(ground, mover), ProxyPair::new(crate_box, mover)];
    assert_eq!(begun, [pair, others[0], others[1]]);
    assert_eq!((changes.touching().len(), changes.persisted().count()), (2, 0));
    assert_eq!(world.pairs(), begun);
    let changes = world.update().expect("no limit");
    assert!(changes.begun().is_empty() && changes.ended().is_empty());
    assert_eq!((changes.persisted().len(), changes.persisted().count()), (2, 2));
    // A change after which both still touch keeps the pair.
    world.set(crate_box, cube(0.75), [0.0; 3]).expect("valid");
    let changes = world.update().expect("no limit");
    assert!(changes.begun().is_empty() && changes.ended().is_empty());
    world.set(crate_box, cube(9.0), [0.0; 3]).expect("valid");
    assert_eq!(world.update().expect("no limit").ended(), [pair, others[1]]);
    world.set(crate_box, cube(1.0), [0.0; 3]).expect("valid");
    assert!(world.update_with(|_| false).expect("no limit").begun().is_empty());
    world.renew(crate_box).expect("the id is valid");
    assert_eq!(world.update_with_new(|_| true).expect("no limit").begun().len(), 2);
    world.renew(ground).expect("the id is valid");
    assert_eq!(world.update().expect("no limit").begun().len(), 2);
}
