//! Tests of how many bytes a snapshot has, and that it has all that decides later results.

use scenes::{Scene, World};
use swath::broadphase::Snapshot;
use swath::{Aabb, Broadphase, Filter, Proxy, ProxyId, ProxyKind};

/// Published bytes of a snapshot for each proxy, and for each pair.
const BYTES_PER_PROXY: usize = 64;
const BYTES_PER_PAIR: usize = 12;

const PROXIES: usize = 20_000;

/// A broadphase with the boxes of a scene. Each has its row as data, as engines do.
fn filled(scene: Scene, proxy: impl Fn(usize) -> Proxy) -> (Broadphase, Vec<ProxyId>) {
    let boxes = World::new(scene, PROXIES, 5);
    let mut world = Broadphase::new();
    let ids = (0..boxes.len()).map(|row| {
        let proxy = proxy(row).with_data(row as u64);
        world.insert_moving(boxes.columns().get(row), proxy).expect("the box is valid")
    });
    let ids = ids.collect();
    world.update().expect("no limit");
    (world, ids)
}

/// Goal: the published numbers of bytes are upper bounds: uniform boxes that all move, a pile with margins of which most
/// sleep, one in which nothing sleeps, and one in which everything does. Method: the memory of the snapshot.
#[test]
fn snapshot_has_at_most_64_bytes_per_proxy_and_12_per_pair() {
    let within = |world: &mut Broadphase, least: usize, most: usize, what: &str| {
        let (bytes, pairs) = (world.snapshot().memory_usage(), world.pairs().len());
        assert!(pairs > PROXIES / 4, "{what}: {pairs} pairs");
        assert!(bytes > least * PROXIES, "{what}: {bytes} bytes, {pairs} pairs");
        assert!(bytes <= most * PROXIES + BYTES_PER_PAIR * pairs, "{what}: {bytes}, {pairs} pairs");
    };
    let (mut uniform, _) = filled(Scene::Uniform, |_| Proxy::dynamic());
    within(&mut uniform, 36, 40, "uniform");

    let pile = |row: usize| match row % 8 {
        0 => Proxy::fixed(),
        1 => Proxy::dynamic().with_margin(0.05),
        _ => Proxy::sleeping().with_margin(0.05),
    };
    let (mut asleep, ids) = filled(Scene::Pile, pile);
    within(&mut asleep, 48, BYTES_PER_PROXY, "most asleep");
    let (mut awake, _) = filled(Scene::Pile, |_| Proxy::dynamic().with_margin(0.05));
    within(&mut awake, 60, BYTES_PER_PROXY, "awake");

    for &id in ids.iter().skip(1).step_by(8) {
        asleep.set_kind(id, ProxyKind::Sleeping).expect("the id is valid");
    }
    asleep.update().expect("no limit");
    within(&mut asleep, 48, BYTES_PER_PROXY, "all asleep");
}

/// Goal: changes since the last update, and memory that is used again, take no more than published. Method: all proxies of a sleeping
/// pile are set; then a snapshot is written over one of a world with a proxy less.
#[test]
fn snapshot_of_changes_has_a_few_bytes_more() {
    let (mut world, ids) = filled(Scene::Pile, |_| Proxy::sleeping().with_margin(0.05));
    let pairs = world.pairs().len();
    let mut snapshot = world.snapshot();
    for &id in &ids {
        let aabb = world.moving_box(id).expect("it exists").aabb;
        world.set(id, aabb, [0.0; 3]).expect("a box");
    }
    let bytes = world.snapshot().memory_usage();
    assert!(bytes <= (BYTES_PER_PROXY + 4) * PROXIES + 16 * pairs, "{bytes}, {pairs} pairs");
    world.update().expect("no limit");
    world.insert(Aabb::cube([0.0; 3], 1.0).expect("a box"), Proxy::sleeping()).expect("a proxy");
    world.update().expect("no limit");
    world.snapshot_into(&mut snapshot);
    let (kept, new) = (snapshot.memory_usage(), world.snapshot().memory_usage());
    assert!(kept <= 2 * new, "{kept} and {new} bytes");
}

/// Goal: a restored broadphase has all properties of its proxies, also of disabled ones, whatever the order of its rows and its
/// free slots. Method: proxies of all kinds that differ in every property, some of which were removed; then both take the
/// same steps.
#[test]
fn restored_proxies_have_all_their_properties() {
    let kinds = [Proxy::fixed(), Proxy::kinematic(), Proxy::dynamic(), Proxy::sleeping()];
    let (mut world, ids) = filled(Scene::Mixed, |row| {
        let proxy = kinds[row % 4].owned_by(row as u32 % 3);
        let proxy = proxy.filtered(Filter::new(1 << (row % 32), !(1 << (row % 29))));
        let proxy = if row % 5 == 0 { proxy.with_margin(0.01 * (row % 9) as f32) } else { proxy };
        if row % 7 == 0 { proxy.disabled() } else { proxy }
    });
    for (k, &id) in ids.iter().enumerate() {
        world.set_data(id, (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).expect("valid");
        match k % 11 {
            3 => world.remove(id).expect("valid"),
            4 => world.set_kind(id, ProxyKind::Kinematic).expect("valid"),
            5 => world.renew(id).expect("valid"),
            _ => (),
        }
    }
    let mut snapshot = Snapshot::default();
    world.snapshot_into(&mut snapshot);
    let mut copy = Broadphase::new();
    copy.restore(&snapshot);
    copy.validate().expect("no invariant is violated");
    assert!(copy.snapshot() == snapshot && world.snapshot() == snapshot);
    assert_eq!(snapshot.len(), world.len());
    for &id in &ids {
        assert_eq!(copy.proxy(id), world.proxy(id));
        assert_eq!(copy.moving_box(id), world.moving_box(id));
        assert_eq!(copy.compared_box(id), world.compared_box(id));
    }
    assert_eq!(copy.movers().ids, world.movers().ids);
    assert_eq!(copy.pairs(), world.pairs());
    for _ in 0..3 {
        let [of_copy, of_world] = [&mut copy, &mut world].map(|of| {
            let id = of.insert(Aabb::default(), Proxy::dynamic()).expect("valid");
            let changes = of.update().expect("no limit");
            let touching: Vec<_> = changes.touching().iter().collect();
            (id, changes.begun().to_vec(), changes.ended().to_vec(), touching)
        });
        assert_eq!(of_copy, of_world);
    }
    assert!(copy.snapshot() == world.snapshot());
}

/// Goal: after a restore, pairs have the ids of the snapshot, also if the memory that it overwrites had other ids in the same
/// slots. Method: two broadphases with the same boxes, one of them with reused slots; the second restore overwrites the
/// state of the last update.
#[test]
fn restored_pairs_have_the_ids_of_the_snapshot() {
    let proxy = |world: &mut Broadphase| {
        world.insert(Aabb::cube([0.0; 3], 1.0).expect("valid"), Proxy::dynamic()).expect("valid")
    };
    let mut reused = Broadphase::new();
    for generation in 0..300 {
        let ids = [proxy(&mut reused), proxy(&mut reused)];
        assert_eq!(ids.map(ProxyId::generation), [generation; 2]);
        if generation < 299 {
            ids.iter().for_each(|&id| reused.remove(id).expect("it exists"));
        }
    }
    reused.update().expect("no limit");
    let mut other = Broadphase::new();
    let _ = [proxy(&mut other), proxy(&mut other)];
    other.update().expect("no limit");
    assert_ne!(other.pairs(), reused.pairs());
    for _ in 0..2 {
        other.restore(&reused.snapshot());
        assert_eq!(other.pairs(), reused.pairs());
        assert_eq!(other.pairs().len(), 1);
    }
}

/// Goal: snapshots are equal exactly if the states are. Method: one property is changed at a time, so that all the others are equal.
#[test]
fn snapshots_that_differ_in_one_property_are_not_equal() {
    let mut world = Broadphase::new();
    let proxy = |x: f32| Aabb::cube([x, 0.0, 0.0], 1.0).expect("valid");
    let id = world.insert(proxy(0.0), Proxy::dynamic().with_margin(0.5)).expect("valid");
    world.insert(proxy(1.0), Proxy::fixed()).expect("valid");
    world.update().expect("no limit");
    let before = world.snapshot();
    let changes: [fn(&mut Broadphase, ProxyId); 8] = [
        |world, id| world.set_data(id, 1).expect("valid"),
        |world, id| world.set_owner(id, 1).expect("valid"),
        |world, id| world.set_filter(id, Filter::NONE).expect("valid"),
        |world, id| world.set_margin(id, 0.25).expect("valid"),
        |world, id| world.set_enabled(id, false).expect("valid"),
        |world, id| world.renew(id).expect("valid"),
        |world, id| world.set(id, Aabb::default(), [0.0; 3]).expect("valid"),
        |world, id| world.remove(id).expect("valid"),
    ];
    for (kind, change) in changes.iter().enumerate() {
        let mut changed = world.clone();
        assert!(changed.snapshot() == before, "{kind}");
        change(&mut changed, id);
        assert!(changed.snapshot() != before, "{kind}");
        changed.restore(&before);
        assert!(changed.snapshot() == before, "{kind}");
    }
}

/// Goal: a deserialised snapshot has no pair of a proxy that did not exist at the last update. Method: the file of one proxy, to which a pair of it and
/// of a free slot is added, or of a proxy that was inserted after the update, in each list of pairs.
#[cfg(feature = "serde")]
#[test]
fn pairs_of_proxies_that_did_not_exist_are_rejected_by_serde() {
    use serde_json::{from_value, json, to_value};
    let place = Aabb::cube([0.0; 3], 1.0).expect("valid");
    let mut world = Broadphase::new();
    let first = world.insert(place, Proxy::sleeping()).expect("valid");
    let second = world.insert(place, Proxy::sleeping()).expect("valid");
    world.remove(second).expect("it exists");
    world.update().expect("no limit");
    let free = to_value(world.snapshot()).expect("it can be written");
    world.insert(place, Proxy::sleeping()).expect("valid");
    let inserted = to_value(world.snapshot()).expect("it can be written");
    world.update().expect("no limit");
    let existing = to_value(world.snapshot()).expect("it can be written");
    let [a, b] = [json!(first), json!(ProxyId::from_bits(second.to_bits() + 1))];
    for (file, is_valid) in [(free, false), (inserted, false), (existing, true)] {
        assert!(from_value::<Snapshot>(file.clone()).is_ok());
        let with = |changes: &[(&str, serde_json::Value)]| {
            let mut file = file.clone();
            for (name, value) in changes {
                assert!(file[name] != *value, "{name}");
                file[name] = value.clone();
            }
            from_value::<Snapshot>(file).is_ok()
        };
        let times = json!({ "len": 1, "values": [0] });
        assert_eq!(with(&[("touching", json!([[0], [1]])), ("times", times)]), is_valid);
        assert_eq!(with(&[("resting", json!([[0, 1]]))]), is_valid);
        assert_eq!(with(&[("dirty_pairs", json!([{ "a": a, "b": b }]))]), is_valid);
    }
}

/// Goal: a restored broadphase searches its pairs in the same way, so that snapshots of both are equal after each further update, also with a limit of
/// pairs and a function of the caller. Method: a row of boxes, of which one is moved after it was restored; the function rejects every tenth pair.
#[test]
fn restored_broadphase_has_the_same_later_snapshots() {
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 0.75).expect("a cube");
    let mut world = Broadphase::new();
    world.exec.pairs_max = 1000;
    let proxy = Proxy::dynamic();
    let ids = [0; 64].map(|_| world.insert(cube(0.0), proxy).expect("a valid box"));
    for (k, &id) in ids.iter().enumerate() {
        world.set(id, cube(k as f32), [0.0; 3]).expect("a valid box");
    }
    let accepts = |pair: swath::broadphase::ProxyPair| !pair.a.index().is_multiple_of(10);
    for _ in 0..3 {
        world.update_with_new(accepts).expect("few pairs");
    }
    let mut restored = Broadphase::new();
    restored.exec.pairs_max = 1000;
    restored.restore(&world.snapshot());
    assert_eq!(world.snapshot(), restored.snapshot());
    for tick in 0..4 {
        let [expected, found] = [&mut world, &mut restored].map(|world| {
            world.set(ids[3], cube(3.1 + 0.1 * tick as f32), [0.0; 3]).expect("a valid box");
            world.update_with_new(accepts).expect("few pairs");
            assert!(world.pairs().len() > 40);
            world.snapshot()
        });
        assert_eq!(expected, found, "tick {tick}");
    }
}

/// Goal: a snapshot is rejected if a slot had a later generation in the last update than now, or if it lists the removal of a proxy that did not exist then: a
/// new proxy would have the pairs of another one. Method: two boxes that touch, as they are serialised, with such entries; the entries of real removals are
/// accepted, also after an update that failed.
#[cfg(feature = "serde")]
#[test]
fn snapshots_that_name_later_proxies_are_rejected() {
    use serde_json::{Value, from_value, json, to_value};

    let is_valid = |value: &Value| from_value::<Snapshot>(value.clone()).is_ok();
    let mut world = Broadphase::new();
    let unit = Aabb::cube([0.0; 3], 1.0).expect("valid");
    let [a, _] = [(); 2].map(|()| world.insert(unit, Proxy::dynamic()).expect("valid"));
    world.update().expect("no limit");
    world.set_owner(a, 7).expect("it exists");
    let before = to_value(world.snapshot()).expect("it can be written");
    assert!(is_valid(&before));
    for reused in [json!([[0, 1]]), json!([[0, u32::MAX]])] {
        let mut changed = before.clone();
        changed["reused"] = reused;
        assert!(!is_valid(&changed), "{}", changed["reused"]);
    }
    for (index, generation) in [(0, 1), (0, 0), (9, 0)] {
        let mut changed = before.clone();
        changed["removed"] =
            json!([{ "id": { "index": index, "generation": generation }, "data": 5 }]);
        assert!(!is_valid(&changed), "{}", changed["removed"]);
    }
    world.remove(a).expect("it exists");
    assert!(is_valid(&to_value(world.snapshot()).expect("it can be written")));
    for _ in 0..2 {
        world.insert(unit, Proxy::dynamic()).expect("valid");
    }
    world.exec.pairs_max = 0;
    world.update().expect_err("there are pairs");
    assert!(is_valid(&to_value(world.snapshot()).expect("it can be written")));
}
