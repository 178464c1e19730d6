//! Tests that pairs of kinds that the kind table does not have are not found: they neither take memory nor count for the limit.

use swath::broadphase::{FindError, KindTable};
use swath::{Aabb, Broadphase, MovingBox, Proxy, ProxyId, ProxyKind, Threads};
use testkit::draw::Draw;
use testkit::fuzz::world::events;
use testkit::world_model::Model;

const KINDS: [ProxyKind; 4] =
    [ProxyKind::Dynamic, ProxyKind::Kinematic, ProxyKind::Fixed, ProxyKind::Sleeping];
/// Bytes that each proxy may take. A pair takes at least 12.
const BYTES_EACH: usize = 2500;

fn cube(x: f32) -> Aabb {
    Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] }
}

fn description(kind: ProxyKind) -> Proxy {
    match kind {
        ProxyKind::Dynamic => Proxy::dynamic(),
        ProxyKind::Kinematic => Proxy::kinematic(),
        ProxyKind::Fixed => Proxy::fixed(),
        _ => Proxy::sleeping(),
    }
}

/// Goal: an update finds the pairs of the kinds that the table has, and counts exactly these, whether it searches for all movers or for
/// few, and for movers of one kind or of both. Method: all tables of the pairs of a mover, compared with the model of the rules; boxes
/// of all kinds in a crowd, of which a few are changed in each tick. The limit is the number of pairs, and one less.
#[test]
fn every_table_finds_and_counts_the_pairs_of_its_kinds() {
    const COUNT: usize = 60;
    let pairs = (0..4).flat_map(|b| (0..=b.min(1)).map(move |a| (KINDS[a], KINDS[b])));
    let pairs: Vec<_> = pairs.collect();
    assert_eq!(pairs.len(), 7);
    let mut draw = Draw::new(5);
    let (mut begun, mut ended) = (0, 0);
    for case in 0..3 << pairs.len() {
        let mut table = KindTable::default();
        for (k, &(a, b)) in pairs.iter().enumerate() {
            table = if case >> k & 1 == 1 { table.with(a, b) } else { table.without(a, b) };
        }
        // All kinds, and movers of one kind only.
        let kinds = [&KINDS[..], &KINDS[1..], &[KINDS[0], KINDS[2], KINDS[3]]][case >> pairs.len()];
        let (mut world, mut full, mut model) =
            (Broadphase::new(), Broadphase::new(), Model::default());
        [&mut world, &mut full].iter_mut().for_each(|world| world.set_kind_table(table));
        model.kinds = table;
        let moving = |draw: &mut Draw, kind: ProxyKind, moves: bool| {
            let min = [(); 3].map(|()| draw.whole(0, 32) / 8.0);
            let moves = moves && !kind.is_resting();
            let delta = [if moves { draw.whole(-8, 8) / 8.0 } else { 0.0 }, 0.0, 0.0];
            MovingBox { aabb: Aabb { min, max: min.map(|x| x + 1.0) }, delta }
        };
        let mut ids = Vec::new();
        for k in 0..COUNT {
            let kind = kinds[k % kinds.len()];
            let moving = moving(&mut draw, kind, k % 20 < 2);
            let proxy = description(kind).with_margin(if k % 3 == 0 { 0.25 } else { 0.0 });
            let id = world.insert_moving(moving, proxy).expect("the box is valid");
            assert_eq!(full.insert_moving(moving, proxy), Ok(id));
            model.things.insert(id, Model::thing(moving, proxy).expect("the box is valid"));
            ids.push(id);
        }
        for tick in 0..6 {
            for _ in 0..if tick < 2 { 0 } else { 4 } {
                let id = draw.one_of(&ids);
                let kind = model.things[&id].proxy.kind;
                let moves = draw.one_in(2);
                let moving = moving(&mut draw, kind, moves);
                if draw.one_in(6) {
                    let kind = draw.one_of(kinds);
                    model.edit(id, |proxy| proxy.kind = kind).expect("the proxy exists");
                    for world in [&mut world, &mut full] {
                        world.set_kind(id, kind).expect("the proxy exists");
                    }
                } else {
                    model.set(id, moving).expect("the proxy exists");
                    for world in [&mut world, &mut full] {
                        world.set(id, moving.aabb, moving.delta).expect("the box is valid");
                    }
                }
            }
            let expected = model.update(|_| true);
            let found = expected.begun.len() + expected.persisted.len();
            let resting = expected.begun.iter().filter(|(pair, _)| {
                [pair.a, pair.b].iter().all(|id| model.things[id].proxy.kind.is_resting())
            });
            let found = found - resting.count();
            if found > 0 {
                full.exec.pairs_max = found - 1;
                let error = FindError::TooManyPairs { found, most: found - 1 };
                assert_eq!(full.update_with(|_| true).err(), Some(error), "{table:?} {tick}");
            }
            full.exec.pairs_max = found;
            let of_full = events(full.update_with(|_| true).expect("as many as there are"));
            assert!(of_full == expected, "{table:?} {tick}");
            world.exec.pairs_max = if tick % 2 == 0 { found } else { usize::MAX };
            let of_world = events(world.update().expect("as many as there are"));
            assert!(of_world == expected, "{table:?} {tick}");
            for world in [&world, &full] {
                world.validate().expect("no invariant is violated");
            }
            begun += expected.begun.len();
            ended += expected.ended.len();
        }
    }
    assert!(begun > 20_000 && ended > 2_000, "{begun} {ended}");
}

/// This many proxies of a kind in one place.
fn crowd(world: &mut Broadphase, kind: ProxyKind, count: usize) -> Vec<ProxyId> {
    (0..count).map(|_| world.insert(cube(0.0), description(kind)).expect("valid")).collect()
}

/// Goal: proxies of kinds that do not pair take no memory for pairs, and do not count for the limit. Method: a crowd in one place, of one
/// kind of resting proxies, or of movers; the table has other pairs.
#[test]
fn crowd_without_pairs_by_the_table_takes_no_memory_for_pairs() {
    use ProxyKind::{Dynamic, Fixed, Kinematic, Sleeping};
    const COUNT: usize = 2000;
    let default = KindTable::default();
    let cases = [
        (Fixed, default.with(Fixed, Sleeping)),
        (Sleeping, default.with(Fixed, Sleeping)),
        (Dynamic, default.without(Dynamic, Dynamic)),
        (Kinematic, default.with(Kinematic, Fixed)),
    ];
    for (kind, table) in cases {
        let mut world = Broadphase::with_exec(Threads::one());
        world.set_kind_table(table);
        world.exec.pairs_max = 10;
        let ids = crowd(&mut world, kind, COUNT);
        for (k, proxy) in [Proxy::dynamic(), Proxy::kinematic()].into_iter().enumerate() {
            world.insert(cube(100.0 * (k + 1) as f32), proxy).expect("valid");
        }
        for tick in 0..3 {
            assert!(world.update().expect("no pair").begun().is_empty(), "{kind:?}");
            let x = [0.25, 0.5, 0.75][tick];
            for &id in ids.iter().step_by(2) {
                world.set(id, cube(x), [0.0; 3]).expect("valid");
            }
        }
        let bytes = world.memory_usage();
        assert!(bytes < BYTES_EACH * COUNT, "{kind:?}: {bytes} bytes");
    }
}

/// Goal: an update that searches for few proxies does not find the pairs of kinds that the table does not have either. Method: settled
/// kinematic boxes in one place among many settled dynamic ones elsewhere; the kinematic ones and a fixed one are set to other boxes.
#[test]
fn few_changed_proxies_without_pairs_by_the_table_take_no_memory_for_pairs() {
    const COUNT: usize = 1000;
    let mut world = Broadphase::with_exec(Threads::one());
    let ids = crowd(&mut world, ProxyKind::Kinematic, COUNT);
    let ground = world.insert(cube(0.0), Proxy::fixed()).expect("valid");
    for k in 0..8 * COUNT {
        world.insert(cube(10.0 + 2.0 * k as f32), Proxy::dynamic()).expect("valid");
    }
    for _ in 0..4 {
        assert!(world.update().expect("no limit").begun().is_empty());
    }
    let before = world.memory_usage();
    for tick in 0..4 {
        for &id in ids.iter().step_by(2).chain([&ground]) {
            world.set(id, cube([0.25, 0.5][tick % 2]), [0.0; 3]).expect("valid");
        }
        assert!(world.update().expect("no limit").begun().is_empty());
    }
    let more = world.memory_usage().saturating_sub(before);
    assert!(more < BYTES_EACH * COUNT, "{more} bytes more");
}
