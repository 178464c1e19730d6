//! Tests of the table of kinds that pair.

use swath::broadphase::{KindTable, ProxyPair};
use swath::{Aabb, Broadphase, MovingBox, Proxy, ProxyKind};
use testkit::draw::Draw;

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

/// Goal: the pairs that a new table allows begin also in an update whose function is called for new pairs only, and a pair that this
/// function has rejected is offered once more. Method: every pair of kinds of which one moves, with another table after some updates,
/// with and without a margin.
#[test]
fn new_table_offers_pairs_to_the_function_for_new_pairs() {
    let aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let default = KindTable::default();
    let kinds = KINDS.into_iter().flat_map(|a| [1, 2].map(|b| (a, KINDS[b])));
    for ((a, b), margin) in kinds.flat_map(|kinds| [0.0, 0.25].map(|margin| (kinds, margin))) {
        let mut world = Broadphase::new();
        world.set_kind_table(default.without(a, b));
        for kind in [a, b] {
            let id = world.insert(aabb, Proxy::dynamic().with_margin(margin)).expect("valid");
            world.set_kind(id, kind).expect("the id is valid");
        }
        let mut update = |table: Option<KindTable>, accepts: bool| {
            if let Some(table) = table {
                world.set_kind_table(table);
            }
            let changes = world.update_with_new(|_| accepts).expect("no limit");
            [changes.begun().len(), changes.ended().len(), changes.touching().len()]
        };
        for _ in 0..2 {
            assert_eq!(update(None, true), [0, 0, 0], "{a:?} {b:?}");
        }
        assert_eq!(update(Some(default.with(a, b)), false), [0, 0, 0], "{a:?} {b:?}");
        assert_eq!(update(None, true), [0, 0, 0], "rejected: {a:?} {b:?}");
        let other = default.with(a, b).with(ProxyKind::Fixed, ProxyKind::Sleeping);
        assert_eq!(update(Some(other), true), [1, 0, 1], "{a:?} {b:?} {margin}");
        assert_eq!(update(None, false), [0, 0, 1], "{a:?} {b:?}");
        assert_eq!(update(Some(default.without(a, b)), true), [0, 1, 0], "{a:?} {b:?}");
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

/// Goal: many resting pairs of a proxy are cached once, if many of the others change at the same time. Method: sleeping boxes on a fixed
/// one; half of them change a little, some move away, and some are renewed.
#[test]
fn many_resting_pairs_of_a_proxy_are_cached_once() {
    const COUNT: usize = 3000;
    let cube = |k: usize, y: f32| {
        let min = [2.0 * k as f32, y, 0.0];
        Aabb { min, max: min.map(|x| x + 1.0) }
    };
    let mut world = Broadphase::new();
    world.set_kind_table(KindTable::default().with(ProxyKind::Fixed, ProxyKind::Sleeping));
    let ground = Aabb { min: [0.0, -1.0, 0.0], max: [2.0 * COUNT as f32, 0.0, 1.0] };
    let ground = world.insert(ground, Proxy::fixed()).expect("valid");
    let boxes = (0..COUNT).map(|k| world.insert(cube(k, 0.0), Proxy::sleeping()).expect("valid"));
    let ids: Vec<_> = boxes.collect();
    let pair = |k: usize| ProxyPair::new(ground, ids[k]);
    let changes = world.update().expect("no limit");
    assert!(changes.begun().iter().map(|&new| ProxyPair::from(new)).eq((0..COUNT).map(pair)));
    assert!(world.update().expect("no limit").begun().is_empty());
    for k in (0..COUNT).step_by(2) {
        let y = if k % 10 == 0 { 5.0 } else { -0.25 };
        world.set(ids[k], cube(k, y), [0.0; 3]).expect("valid");
    }
    (1..COUNT).step_by(100).for_each(|k| world.renew(ids[k]).expect("it exists"));
    let changes = world.update().expect("no limit");
    let begun: Vec<ProxyPair> = changes.begun().iter().map(|&pair| pair.into()).collect();
    assert_eq!(begun, (1..COUNT).step_by(100).map(pair).collect::<Vec<_>>());
    assert_eq!(changes.ended(), (0..COUNT).step_by(10).map(pair).collect::<Vec<_>>());
    assert_eq!(world.pairs().len(), COUNT - COUNT / 10);
    assert!(world.contains_pair(ids[1], ground) && !world.contains_pair(ids[10], ground));
    world.validate().expect("no invariant is violated");
}

/// Goal: a resting proxy that is set to its own box has not changed, and one that is set to another box has. Method: a pair that was
/// rejected is decided anew only after a change.
#[test]
fn resting_proxy_that_is_set_to_its_box_has_not_changed() {
    let cube = |x: f32| Aabb { min: [x, 1.0, 1.0], max: [x + 1.0, 2.0, 2.0] };
    for kind in [ProxyKind::Sleeping, ProxyKind::Fixed] {
        let mut world = Broadphase::new();
        let resting = world.insert(cube(1.0), Proxy::dynamic()).expect("valid");
        world.set_kind(resting, kind).expect("the id is valid");
        world.insert(cube(1.5), Proxy::dynamic()).expect("valid");
        assert!(world.update_with_new(|_| false).expect("no limit").begun().is_empty());
        world.set(resting, cube(1.0), [0.0; 3]).expect("valid");
        assert!(world.update_with_new(|_| true).expect("no limit").begun().is_empty(), "{kind:?}");
        world.set(resting, cube(1.25), [0.0; 3]).expect("valid");
        assert_eq!(world.update_with_new(|_| true).expect("no limit").begun().len(), 1, "{kind:?}");
    }
}

/// Goal: only a symmetric table of four kinds is deserialised. Method: the default table, one that is not symmetric, and one with a
/// fifth kind.
#[cfg(feature = "serde")]
#[test]
fn table_of_kinds_is_validated_by_serde() {
    let text = serde_json::to_string(&KindTable::default()).expect("it is serialised");
    assert_eq!(serde_json::from_str::<KindTable>(&text).ok(), Some(KindTable::default()));
    let masks = |masks: [u8; 4]| {
        serde_json::from_value::<KindTable>(serde_json::json!({ "masks": masks })).is_ok()
    };
    assert!(masks([0; 4]) && masks([2, 1, 0, 0]) && masks([15; 4]));
    assert!(!masks([0, 1, 0, 0]) && !masks([16, 0, 0, 0]) && !masks([2, 0, 0, 0]));
}

/// Goal: long paths of movers of two kinds, which are searched by kind and in slices of the tick, have the pairs that owners allow. Method: the touching
/// pairs of a broadphase in which all kinds of movers meet.
#[test]
fn long_paths_of_two_kinds_have_the_pairs_of_different_owners() {
    let table = KindTable::default().without(ProxyKind::Dynamic, ProxyKind::Dynamic);
    for kinematic in [1_000, 2_000] {
        let mut draw = Draw::new(5);
        let [mut by_kind, mut all] = [Broadphase::new(), Broadphase::new()];
        by_kind.set_kind_table(table);
        for k in 0..4_000_u32 {
            let proxy = if k < kinematic { Proxy::kinematic() } else { Proxy::dynamic() };
            let proxy = proxy.owned_by(1 + k % 3);
            let min = [(); 3].map(|()| draw.between(0.0, 20.0));
            let aabb = Aabb { min, max: min.map(|x| x + 0.2) };
            let moving = MovingBox { aabb, delta: [(); 3].map(|()| draw.between(-9.0, 9.0)) };
            for world in [&mut by_kind, &mut all] {
                world.insert_moving(moving, proxy).expect("the box is valid");
            }
        }
        for _ in 0..2 {
            let [found, expected] = [&mut by_kind, &mut all].map(|world| {
                world.update().expect("no limit");
                let columns = world.touching_columns();
                columns.a.iter().copied().zip(columns.b.iter().copied()).collect::<Vec<_>>()
            });
            let of_kinds = |&(a, b): &(u32, u32)| (a < kinematic) != (b < kinematic);
            let expected: Vec<_> = expected.into_iter().filter(of_kinds).collect();
            assert!(
                found == expected && found.len() > 100,
                "{} of {}",
                found.len(),
                expected.len()
            );
        }
    }
}
