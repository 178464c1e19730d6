//! Tests that memory depends on the proxies and pairs of the last ticks, and not on all that there ever were.

use swath::broadphase::KindTable;
use swath::{Aabb, Broadphase, Filter, Proxy, ProxyId, ProxyKind, Threads};

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

/// How the boxes of a crowd change.
#[derive(Clone, Copy, Debug)]
enum Crowd {
    /// All change in each tick, so that all pairs are found anew.
    Moving,
    /// As the others do in the crowd, but later only one changes, so that few proxies are searched for.
    Settling,
    /// Fixed boxes meet many settled ones, so that few proxies are searched for in the crowd, too.
    Meeting,
    /// Boxes that sleep in the crowd.
    Sleeping,
}

/// Goal: the memory of a tick with very many pairs is freed after some ticks with few, whichever lists the pairs were in. Method: a crowd for
/// one tick, on one thread and on several, with kinds that one search finds and with others; the memory before it, in it, and later.
#[test]
fn pairs_of_one_tick_are_not_kept_for_good() {
    use swath::ProxyKind::{Dynamic, Fixed, Kinematic, Sleeping};
    const COUNT: usize = 1000;
    let table = KindTable::default();
    let by_kind = table.with(Kinematic, Kinematic).without(Dynamic, Kinematic);
    let cases = [
        (Crowd::Moving, table),
        (Crowd::Moving, by_kind),
        (Crowd::Settling, table),
        (Crowd::Meeting, table),
        (Crowd::Sleeping, table.with(Fixed, Sleeping).with(Sleeping, Sleeping)),
    ];
    for ((crowd, table), threads) in
        cases.into_iter().flat_map(|case| [(case, Threads::one()), (case, Threads::current())])
    {
        let mut world = Broadphase::with_exec(threads.clone());
        world.set_kind_table(table);
        let away = |k: usize, tick: usize| {
            let x = 10.0 + 2.0 * k as f32;
            Aabb { min: [x, tick as f32, 0.0], max: [x + 1.0, tick as f32 + 1.0, 1.0] }
        };
        let kind =
            if matches!(crowd, Crowd::Sleeping) { Proxy::sleeping() } else { Proxy::dynamic() };
        let insert = |world: &mut Broadphase, aabb: Aabb, proxy: Proxy| {
            world.insert(aabb, proxy).expect("the box is valid")
        };
        let ids: Vec<ProxyId> = (0..COUNT)
            .map(|k| insert(&mut world, away(k, 0), if k == 1 { Proxy::kinematic() } else { kind }))
            .collect();
        let lone = insert(&mut world, away(COUNT, 0), Proxy::dynamic());
        let grounds: Vec<ProxyId> =
            (0..COUNT / 2).map(|_| insert(&mut world, cube(-10.0), Proxy::fixed())).collect();
        let long = Aabb { min: [0.0; 3], max: [20.0 + 2.0 * COUNT as f32, 1.0, 1.0] };
        let tick = |world: &mut Broadphase, tick: usize, in_crowd: bool, leaves: bool| {
            match crowd {
                Crowd::Meeting => {
                    let aabb = if in_crowd { long } else { cube(-10.0) };
                    for &id in grounds.iter().filter(|_| in_crowd || leaves) {
                        world.set(id, aabb, [0.0; 3]).expect("the proxy exists");
                    }
                }
                _ => {
                    let all = in_crowd || leaves || matches!(crowd, Crowd::Moving);
                    for (k, &id) in ids.iter().enumerate().filter(|_| all) {
                        let aabb = if in_crowd { cube(0.0) } else { away(k, tick) };
                        world.set(id, aabb, [0.0; 3]).expect("the proxy exists");
                    }
                }
            }
            world.set(lone, away(COUNT + 1, tick), [0.0; 3]).expect("the proxy exists");
            let changes = world.update().expect("no limit");
            (changes.begun().len(), changes.ended().len())
        };
        for k in 0..8 {
            tick(&mut world, k, false, false);
        }
        let before = world.memory_usage();
        let (begun, _) = tick(&mut world, 8, true, false);
        assert!(begun > COUNT * COUNT / 3, "{crowd:?}: {begun}");
        let (_, ended) = tick(&mut world, 9, false, true);
        assert_eq!(ended, begun, "{crowd:?}");
        assert!(world.memory_usage() - before > 20 * begun, "{crowd:?}");
        for k in 10..60 {
            assert_eq!(tick(&mut world, k, false, false), (0, 0), "{crowd:?}");
        }
        world.validate().expect("no invariant is violated");
        let more = world.memory_usage().saturating_sub(before);
        assert!(more < 2 * COUNT * COUNT, "{crowd:?} {threads:?}: {more} bytes more");
    }
}

/// Goal: the memory of resting pairs that ended is freed although one resting pair remains. Method: a crowd of sleeping boxes for one tick, besides
/// two others that touch; the memory before it, and after many ticks or after freeing what is not needed.
#[test]
fn memory_of_ended_resting_pairs_is_freed_although_one_pair_remains() {
    use swath::ProxyKind::Sleeping;
    const COUNT: usize = 800;
    for shrinks in [false, true] {
        let mut world = Broadphase::with_exec(Threads::one());
        world.set_kind_table(KindTable::default().with(Sleeping, Sleeping));
        let mut insert = |aabb: Aabb, proxy: Proxy| world.insert(aabb, proxy).expect("valid");
        let away = |k: usize| cube(10.0 + 2.0 * k as f32);
        let lone = insert(cube(-10.0), Proxy::dynamic());
        let crowd: Vec<ProxyId> = (0..COUNT).map(|k| insert(away(k), Proxy::sleeping())).collect();
        let remaining = [(); 2].map(|()| insert(cube(-20.0), Proxy::sleeping()));
        let tick = |world: &mut Broadphase, place: &dyn Fn(usize) -> Option<Aabb>, tick: usize| {
            for (k, &id) in crowd.iter().enumerate() {
                if let Some(aabb) = place(k) {
                    world.set(id, aabb, [0.0; 3]).expect("the proxy exists");
                }
            }
            world.set(lone, cube(-10.0), [0.0, tick as f32, 0.0]).expect("the proxy exists");
            let changes = world.update().expect("no limit");
            (changes.begun().len(), changes.ended().len())
        };
        assert_eq!(tick(&mut world, &|_| None, 0), (1, 0));
        let before = world.memory_usage();
        let pairs = COUNT * (COUNT - 1) / 2;
        assert_eq!(tick(&mut world, &|_| Some(cube(0.0)), 1), (pairs, 0));
        assert!(world.memory_usage() - before > 30 * pairs);
        assert_eq!(tick(&mut world, &|k| Some(away(k)), 2), (0, pairs));
        if shrinks {
            world.shrink_to_fit();
        } else {
            for k in 3..60 {
                assert_eq!(tick(&mut world, &|_| None, k), (0, 0));
            }
        }
        world.validate().expect("no invariant is violated");
        let more = world.memory_usage().saturating_sub(before);
        assert!(more < 2 * pairs, "{more} bytes more");
        assert_eq!(world.pairs().len(), 1);
        assert_eq!((world.pairs()[0].a, world.pairs()[0].b), (remaining[0], remaining[1]));
    }
}

/// Goal: a broadphase in which nothing changes any more frees the memory of an earlier tick with very many pairs. Method: a crowd for one tick, of
/// movers, of movers among fixed boxes, or of sleeping boxes; then updates without a change.
#[test]
fn updates_without_changes_free_memory() {
    use swath::ProxyKind::Sleeping;
    const COUNT: usize = 800;
    for proxies in [
        [Proxy::dynamic(), Proxy::dynamic()],
        [Proxy::dynamic(), Proxy::fixed()],
        [Proxy::sleeping(), Proxy::sleeping()],
    ] {
        let mut world = Broadphase::with_exec(Threads::one());
        world.set_kind_table(KindTable::default().with(Sleeping, Sleeping));
        let away = |k: usize| cube(10.0 + 2.0 * k as f32);
        let crowd: Vec<ProxyId> = (0..COUNT)
            .map(|k| world.insert(away(k), proxies[k % 2]).expect("the box is valid"))
            .collect();
        for _ in 0..4 {
            world.update().expect("no limit");
        }
        let before = world.memory_usage();
        let move_all = |world: &mut Broadphase, place: &dyn Fn(usize) -> Aabb| {
            for (k, &id) in crowd.iter().enumerate() {
                world.set(id, place(k), [0.0; 3]).expect("the proxy exists");
            }
            let changes = world.update().expect("no limit");
            (changes.begun().len(), changes.ended().len())
        };
        let (begun, _) = move_all(&mut world, &|_| cube(0.0));
        assert!(begun > COUNT * COUNT / 4, "{begun}");
        assert_eq!(move_all(&mut world, &away), (0, begun));
        let crowded = world.memory_usage() - before;
        assert!(crowded > 20 * begun, "{crowded}");
        for _ in 0..60 {
            assert!(world.update().expect("no limit").touching().is_empty());
        }
        world.validate().expect("no invariant is violated");
        let more = world.memory_usage().saturating_sub(before);
        assert!(more < 2 * begun, "{proxies:?}: {more} of {crowded} bytes");
    }
}

/// Goal: the pairs that were found with boxes of one kind take no memory once there are no such boxes, so that they are not searched any more. Method: each kind of
/// resting proxies and of movers that have settled; others meet all of them for one tick, and then they are removed.
#[test]
fn pairs_with_a_kind_that_no_longer_exists_take_no_memory() {
    use swath::ProxyKind::{Fixed, Kinematic};
    const COUNT: usize = 1000;
    const OTHERS: usize = COUNT / 2;
    let cases = [
        (Proxy::fixed(), Proxy::dynamic()),
        (Proxy::sleeping(), Proxy::dynamic()),
        (Proxy::dynamic(), Proxy::fixed()),
        (Proxy::kinematic(), Proxy::fixed()),
    ];
    for (proxy, other) in cases {
        let mut world = Broadphase::with_exec(Threads::one());
        world.set_kind_table(KindTable::default().with(Kinematic, Fixed));
        let away = |k: usize| cube(10.0 + 2.0 * k as f32);
        let long = Aabb { min: [0.0; 3], max: [20.0 + 2.0 * COUNT as f32, 1.0, 1.0] };
        let aside = |k: usize| {
            let Aabb { min, max } = away(k);
            Aabb { min: [min[0], 50.0, 0.0], max: [max[0], 51.0, 1.0] }
        };
        let mut insert = |aabb: Aabb, proxy: Proxy| world.insert(aabb, proxy).expect("valid");
        let crowd: Vec<ProxyId> = (0..COUNT).map(|k| insert(away(k), proxy)).collect();
        // Those of one owner do not pair.
        let others: Vec<ProxyId> =
            (0..OTHERS).map(|k| insert(aside(k), other.owned_by(7))).collect();
        let lone = insert(cube(-10.0), Proxy::dynamic());
        let update = |world: &mut Broadphase, tick: usize| {
            world.set(lone, cube(-10.0), [0.0, tick as f32, 0.0]).expect("the proxy exists");
            let changes = world.update().expect("no limit");
            (changes.begun().len(), changes.ended().len())
        };
        for tick in 0..8 {
            assert_eq!(update(&mut world, tick), (0, 0));
        }
        let before = world.memory_usage();
        for &id in &others {
            world.set(id, long, [0.0; 3]).expect("the proxy exists");
        }
        assert_eq!(update(&mut world, 8), (COUNT * OTHERS, 0));
        crowd.iter().for_each(|&id| world.remove(id).expect("the proxy exists"));
        for (k, &id) in others.iter().enumerate() {
            world.set(id, aside(k), [0.0; 3]).expect("the proxy exists");
        }
        assert_eq!(update(&mut world, 9), (0, COUNT * OTHERS));
        for tick in 10..70 {
            assert_eq!(update(&mut world, tick), (0, 0));
        }
        world.validate().expect("no invariant is violated");
        let more = world.memory_usage().saturating_sub(before);
        assert!(more < 2 * COUNT * OTHERS, "{:?}: {more} bytes more", proxy.kind);
    }
}

/// Goal: pairs that owners or filters exclude take no memory, whichever search finds them, and do not count for the limit. Method: crowds in one place, of one owner or of a
/// layer that does not meet itself, where the words of filters are not exact; of movers that all change or of which few do, of movers of both kinds that are searched by kind, of movers among fixed boxes, and
/// of sleeping boxes.
#[test]
fn excluded_pairs_take_no_memory() {
    use ProxyKind::{Dynamic, Kinematic, Sleeping};
    const COUNT: usize = 2000;
    let table = KindTable::default();
    let by_kind = table.with(Kinematic, Kinematic).without(Dynamic, Kinematic);
    let sleeping = table.with(Sleeping, Sleeping);
    let (dynamic, kinematic) = (Proxy::dynamic(), Proxy::kinematic());
    let crowds = [
        (table, [dynamic, dynamic]),
        (by_kind, [dynamic, kinematic]),
        (table, [dynamic, Proxy::fixed()]),
        (sleeping, [Proxy::sleeping(), Proxy::sleeping()]),
    ];
    let restricted = [
        |proxy: Proxy| proxy.owned_by(7),
        |proxy: Proxy| proxy.filtered(Filter::new(1 << 20, !(1 << 20))),
    ];
    for ((table, kinds), restrict) in
        crowds.into_iter().flat_map(|crowd| restricted.map(|restrict| (crowd, restrict)))
    {
        let mut world = Broadphase::with_exec(Threads::one());
        world.set_kind_table(table);
        world.exec.pairs_max = 100;
        // This many layers that the words are not exact.
        for k in 0..32 {
            let filter = Filter::new(1 << k, !(1 << k));
            let proxy = Proxy::dynamic().filtered(filter);
            world.insert(cube(10.0 + 2.0 * k as f32), proxy).expect("the box is valid");
        }
        let ids: Vec<ProxyId> = (0..COUNT)
            .map(|k| world.insert(cube(0.0), restrict(kinds[k % 2])).expect("the box is valid"))
            .collect();
        for tick in 0..8 {
            let changed = if tick < 3 { COUNT } else { COUNT / 8 };
            for &id in &ids[..changed] {
                let aabb = cube(tick as f32 / 16.0);
                world.set(id, aabb, [0.0, 0.5, 0.0]).expect("the proxy exists");
            }
            assert!(world.update().expect("no pair").touching().is_empty());
        }
        // A join of movers with resting boxes takes some memory, however few these are; a million pairs would take twelve megabytes.
        let bytes = world.memory_usage();
        assert!(bytes < 1_800_000 + 1200 * COUNT, "{kinds:?}: {bytes} bytes");
    }
}

/// Goal: many threads do not need many times the memory of one where most pairs are in one place. Method: a crowd among other boxes, of
/// which all change in each tick.
#[cfg(feature = "rayon")]
#[test]
fn threads_do_not_multiply_the_memory_of_a_crowd() {
    const CROWD: usize = 1500;
    let [one, many] = [1, 64].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut world = Broadphase::new();
            let place = |k: usize| cube(if k < CROWD { 0.0 } else { 2.0 * k as f32 });
            let ids: Vec<ProxyId> = (0..20 * CROWD)
                .map(|k| world.insert(place(k), Proxy::dynamic()).expect("the box is valid"))
                .collect();
            for tick in 0..4 {
                for (k, &id) in ids.iter().enumerate() {
                    world.set(id, place(k), [0.0, tick as f32, 0.0]).expect("the proxy exists");
                }
                let touching = world.update().expect("no limit").touching().len();
                assert_eq!(touching, CROWD * (CROWD - 1) / 2);
            }
            world.memory_usage()
        })
    });
    assert!(many < 5 * one, "{one} bytes with one thread, {many} with 64");
}
