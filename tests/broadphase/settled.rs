//! Tests that an update that searches for few proxies gives the results of one that finds all pairs anew.

use rand::RngExt;
use swath::broadphase::{FindError, Layers, ProxyPair};
use swath::{Aabb, Broadphase, Filter, MovingBox, Proxy, ProxyId, ProxyKind};
use testkit::draw::Draw;
use testkit::fuzz::world::events;
use testkit::world_model::Model;

const COUNT: usize = 500;

fn cube(draw: &mut Draw) -> Aabb {
    let min = [(); 3].map(|()| draw.whole(0, 64) / 8.0);
    Aabb { min, max: min.map(|x| x + 0.75) }
}

/// A crowd of which most have margins; some have filters and owners.
fn description(draw: &mut Draw, k: usize) -> Proxy {
    let kind =
        [Proxy::dynamic(), Proxy::dynamic(), Proxy::kinematic(), Proxy::sleeping(), Proxy::fixed()];
    let proxy = kind[k % 5].with_margin(if k.is_multiple_of(9) { 0.0 } else { 0.25 });
    let proxy = if k.is_multiple_of(7) { proxy.owned_by(1 + k as u32 % 3) } else { proxy };
    let layers = Layers::all().without(1, 2).without(3, 3);
    if draw.one_in(4) { proxy.filtered(layers.filter(k % 4)) } else { proxy }
}

/// A few random changes, made in both broadphases.
fn change(worlds: &mut [Broadphase; 2], ids: &mut [ProxyId], draw: &mut Draw) {
    let at = draw.0.random_range(0..ids.len());
    let id = ids[at];
    let moving = worlds[0].moving_box(id).expect("the proxy exists");
    let (way, aabb, margin) = (draw.0.random_range(0..16), cube(draw), draw.whole(0, 2) * 0.25);
    let nudge = draw.whole(-4, 4) / 16.0;
    let near =
        Aabb { min: moving.aabb.min.map(|x| x + nudge), max: moving.aabb.max.map(|x| x + nudge) };
    let delta = [draw.whole(-1, 1), 0.0, 0.5];
    let kind = draw.one_of(&[
        ProxyKind::Dynamic,
        ProxyKind::Sleeping,
        ProxyKind::Fixed,
        ProxyKind::Kinematic,
    ]);
    let proxy = description(draw, at);
    let mut inserted = None;
    for world in worlds {
        match way {
            0..=5 => world.set(id, near, [0.0; 3]),
            6 => world.set(id, aabb, [0.0; 3]),
            7 => world.set(id, near, delta),
            8 => world.set_kind(id, kind),
            9 => world.set_filter(id, if nudge > 0.0 { Filter::NONE } else { Filter::ALL }),
            10 => world.set_owner(id, at as u32 % 3),
            11 => world.set_enabled(id, nudge > -0.1),
            12 => world.set_margin(id, margin),
            13 => world.set_data(id, 7),
            _ => {
                world.remove(id).expect("the proxy exists");
                let id = world.insert(aabb, proxy).expect("the box is valid");
                inserted = Some(id);
                Ok(())
            }
        }
        .expect("the call is valid");
    }
    if let Some(id) = inserted {
        ids[at] = id;
    }
}

/// Goal: searching for few proxies gives the results of a search for all: pairs, times, events and resting pairs.
/// Method: the same random calls in two broadphases, a few in each tick, sometimes many or none; one of them is given
/// a function in each update, which makes it find all pairs anew. Sometimes the first one is restored from a snapshot
/// of itself or copied into one with fewer changes behind it. Some proxies move without a margin in every tick. In
/// every fifth tick the first one may find one pair less than there are, which is an error, then as many as it has counted.
#[test]
fn few_changes_give_the_results_of_a_full_update() {
    let mut draw = Draw::new(21);
    let mut worlds = [Broadphase::new(), Broadphase::new()];
    let mut ids = Vec::new();
    for k in 0..COUNT {
        let (aabb, proxy) = (cube(&mut draw), description(&mut draw, k));
        let moving = MovingBox { aabb, delta: [if k % 45 == 0 { 0.5 } else { 0.0 }, 0.0, 0.0] };
        let given =
            worlds.each_mut().map(|world| world.insert_moving(moving, proxy).expect("valid"));
        assert_eq!(given[0], given[1]);
        ids.push(given[0]);
    }
    let (mut begun, mut ended) = (0, 0);
    for tick in 0..400 {
        let changes = [0, 1, 3, 8, 8, 20, 200][if tick % 29 == 0 { 6 } else { tick % 6 }];
        (0..changes).for_each(|_| change(&mut worlds, &mut ids, &mut draw));
        if tick % 17 == 3 {
            let snapshot = worlds[0].snapshot();
            worlds[0].update().expect("no limit");
            worlds[0].restore(&snapshot);
            if tick % 2 == 0 {
                worlds[0] = Broadphase::new();
                worlds[0].restore(&snapshot);
            }
        }
        if tick % 50 == 49 {
            let offset = [1.0, -0.5, 0.25];
            worlds.iter_mut().for_each(|world| world.shift_origin(offset).expect("it is near"));
        }
        let [world, full] = &mut worlds;
        let expected = events(full.update_with(|_| true).expect("no limit"));
        let pairs_max = world.exec.pairs_max;
        if tick % 5 == 2 {
            // The bound that the search for few proxies compares with the limit is above it, so both updates search for all.
            world.exec.pairs_max = full.changes().touching().len() - 1;
            let before = world.snapshot();
            match world.update().err() {
                Some(FindError::TooManyPairs { found, most }) => {
                    assert!(found > most && most == world.exec.pairs_max, "tick {tick}");
                    assert!(world.snapshot() == before, "tick {tick}");
                    world.validate().expect("no invariant is violated");
                    world.exec.pairs_max = found;
                }
                other => panic!("tick {tick}: {other:?}"),
            }
        }
        let results = events(world.update().expect("as many pairs as the limit allows"));
        world.exec.pairs_max = pairs_max;
        assert!(results == expected, "tick {tick}");
        assert_eq!(world.pairs(), full.pairs(), "tick {tick}");
        world.validate().expect("no invariant is violated");
        let touching = world.changes().touching();
        let all: Vec<_> = touching.iter().collect();
        assert_eq!((all.len(), touching.iter().len()), (touching.len(), touching.len()));
        for k in [0, all.len() / 3, all.len().saturating_sub(1), all.len()] {
            assert_eq!(touching.get(k), all.get(k).copied());
            assert!(touching.range(k..k + 9).iter().eq(all.iter().skip(k).take(9).copied()));
        }
        let columns = world.touching_columns();
        let slots = columns.a.iter().zip(columns.b).zip(columns.first);
        let expected = all.iter().map(|pair| (pair.a.index(), pair.b.index(), pair.first));
        assert!(slots.map(|((&a, &b), &first)| (a, b, first)).eq(expected));
        assert!(all.is_sorted_by_key(|&pair| ProxyPair::from(pair)));
        begun += results.begun.len();
        ended += results.ended.len();
    }
    assert!(begun > 5_000 && ended > 5_000, "{begun} {ended}");
}

/// Goal: a pair that touches by rounding alone neither begins nor ends although nothing changes. Method: a flat world, of which one box leaps to the plane so far that at the
/// end of the tick rounding makes it touch one that flies away from it; the first update finds all pairs, the second one those of these two.
#[test]
fn false_hit_of_a_flat_world_persists() {
    let mut world = Broadphase::new();
    let mut insert = |min: [f32; 3], side: f32, delta: [f32; 3]| {
        let aabb = Aabb { min, max: [min[0] + side, min[1] + side, min[2]] };
        world.insert_moving(MovingBox { aabb, delta }, Proxy::dynamic()).expect("it is valid")
    };
    let flying = insert([5.0, 5.0, 0.0], 0.25, [30.0, 30.0, 0.01]);
    let leaping = insert([33.0, 33.0, -1e6], 4.0, [0.0, 0.0, 1e6]);
    for row in 0..2000_u16 {
        insert([f32::from(row % 45), f32::from(row / 45), 0.0], 0.5, [0.0; 3]);
    }
    let pair = ProxyPair { a: flying, b: leaping };
    let begun = world.update().expect("no limit").begun().to_vec();
    let changes = world.update().expect("no limit");
    assert!(changes.begun().is_empty() && changes.ended().is_empty());
    assert!(begun.iter().any(|&begun| ProxyPair::from(begun) == pair));
}

/// Goal: pairs that the caller's function rejected earlier count for the limit, and pairs that owners or filters exclude do not, however
/// an update searches. Method: a few random changes in each tick of a crowd at rest; the number of pairs is that of the model.
#[test]
fn rejected_pairs_count_for_the_limit_in_every_update() {
    let mut draw = Draw::new(22);
    let (mut world, mut model, mut ids) = (Broadphase::new(), Model::default(), Vec::new());
    let accept = |pair: ProxyPair| (pair.a.index() + pair.b.index()).is_multiple_of(3);
    for k in 0..200 {
        let (moving, proxy) = (MovingBox::from(cube(&mut draw)), description(&mut draw, k));
        let filter = Filter::new(1 << (k % 32), !(1 << ((k + 1) % 32)));
        let proxy = if k.is_multiple_of(3) { proxy.filtered(filter) } else { proxy };
        let id = world.insert_moving(moving, proxy).expect("the box is valid");
        model.things.insert(id, Model::thing(moving, proxy).expect("the box is valid"));
        ids.push(id);
    }
    let mut rejected = 0;
    for tick in 0..60 {
        for _ in 0..draw.0.random_range(0..4) {
            let (id, moving) = (draw.one_of(&ids), MovingBox::from(cube(&mut draw)));
            model.set(id, moving).expect("the proxy exists");
            world.set(id, moving.aabb, moving.delta).expect("the proxy exists");
        }
        let expected = model.update_with_new(accept);
        let found = model.found;
        world.exec.pairs_max = found - 1;
        let before = world.snapshot();
        let error = world.update_with_new(accept).err();
        assert_eq!(error, Some(FindError::TooManyPairs { found, most: found - 1 }), "tick {tick}");
        assert!(world.snapshot() == before, "tick {tick}");
        world.exec.pairs_max = if tick % 2 == 0 { found } else { usize::MAX };
        let results = events(world.update_with_new(accept).expect("as many as there are"));
        assert!(results == expected, "tick {tick}");
        world.validate().expect("no invariant is violated");
        rejected += found - world.changes().touching().len();
    }
    assert!(rejected > 60 * 100, "{rejected} pairs");
}
