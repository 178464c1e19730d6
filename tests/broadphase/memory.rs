//! Tests that memory depends on the proxies and pairs of the last ticks, and not on all that there ever were.

use swath::{Aabb, Broadphase, Proxy, ProxyId, Threads};

fn cube(x: f32) -> Aabb {
    Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] }
}

/// Goal: a mover that settles and then moves for good leaves no box behind that others find. Method: kinematic boxes that settle in one
/// place, by an update that searches for few proxies, and then move far away, without a margin. Dynamic boxes pass the empty place.
#[test]
fn movers_that_left_for_good_are_not_found_where_they_settled() {
    const COUNT: usize = 1000;
    let mut world = Broadphase::with_exec(Threads::one());
    let long = Aabb { min: [0.0, -1.0, -1.0], max: [10.0 * COUNT as f32, 1.0, 1.0] };
    let away = |y: f32| Aabb { min: [-5.0, y, 0.0], max: [-4.0, y + 1.0, 1.0] };
    let insert = |world: &mut Broadphase, aabb: Aabb, proxy: Proxy| {
        world.insert(aabb, proxy).expect("the box is valid")
    };
    let resting: Vec<ProxyId> = (0..16 * COUNT)
        .map(|k| insert(&mut world, away(-1e6 + 2.0 * k as f32), Proxy::dynamic()))
        .collect();
    let passing: Vec<ProxyId> = (0..COUNT)
        .map(|k| insert(&mut world, away(1e4 + 4.0 * k as f32), Proxy::dynamic()))
        .collect();
    let leaving: Vec<ProxyId> =
        (0..COUNT).map(|_| insert(&mut world, long, Proxy::kinematic())).collect();
    for tick in 0..5 {
        // Something changes, so that each update applies the changes of the one before.
        world.set(resting[0], away(-1e6 - tick as f32), [0.0; 3]).expect("the proxy exists");
        assert!(world.update().expect("no limit").touching().is_empty());
    }
    for (k, &id) in leaving.iter().enumerate() {
        world.set(id, away(2e5 + 4.0 * k as f32), [0.5, 0.0, 0.0]).expect("the proxy exists");
    }
    for (k, &id) in passing.iter().enumerate() {
        let elsewhere = away(1e5 + 4.0 * k as f32);
        world.set(id, elsewhere, [0.5, 0.0, 0.0]).expect("the proxy exists");
    }
    for _ in 0..3 {
        assert!(world.update().expect("no limit").touching().is_empty());
    }
    let before = world.memory_usage();
    for (k, &id) in passing.iter().enumerate() {
        world.set(id, cube(10.0 * k as f32), [0.5, 0.0, 0.0]).expect("the proxy exists");
    }
    for _ in 0..3 {
        assert!(world.update().expect("no limit").touching().is_empty());
    }
    world.validate().expect("no invariant is violated");
    let more = world.memory_usage().saturating_sub(before);
    // A pair takes at least 12 bytes.
    assert!(more < 4 * COUNT * COUNT, "{more} bytes more");
}

/// Goal: where different proxies have pairs in different ticks, memory is in proportion to the pairs of a tick. Method: a crowd of fixed
/// boxes, which a hundredth of the movers meet in each tick, others each time, until all have been there; on one thread and on two.
#[cfg(feature = "rayon")]
#[test]
fn pairs_of_different_movers_in_each_tick_do_not_add_up() {
    const FIXED: usize = 800;
    const SHARE: usize = 128;
    const TICKS: usize = 64;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let bytes = pool.install(|| {
            let mut world = Broadphase::new();
            let long = Aabb { min: [0.0; 3], max: [1.0, 2.0 * SHARE as f32, 1.0] };
            let there = |k: usize| {
                let min = [0.0, 2.0 * (k % SHARE) as f32, 0.0];
                Aabb { min, max: min.map(|x| x + 0.5) }
            };
            let away = |k: usize| cube(10.0 + 2.0 * k as f32);
            let ids: Vec<ProxyId> = (0..SHARE * TICKS)
                .map(|k| world.insert(away(k), Proxy::dynamic()).expect("the box is valid"))
                .collect();
            for _ in 0..FIXED {
                world.insert(long, Proxy::fixed()).expect("the box is valid");
            }
            for tick in 0..=TICKS {
                for (k, &id) in ids.iter().enumerate() {
                    let aabb = if k / SHARE == tick { there(k) } else { away(k) };
                    world.set(id, aabb, [0.0; 3]).expect("the proxy exists");
                }
                let pairs = if tick < TICKS { FIXED * SHARE } else { 0 };
                assert_eq!(world.update().expect("no limit").touching().len(), pairs);
            }
            world.memory_usage()
        });
        // Several lists may have eight places for each pair.
        let places = bytes / 12;
        assert!(places < 64 * FIXED * SHARE, "{threads} threads: {bytes} bytes");
    }
}
