//! Tests that a warm broadphase does not allocate.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::Ordering;
use swath::broadphase::{KindTable, ProxyHit, Snapshot};
use swath::{
    Aabb, AabbColumns, Broadphase, Filter, Level, MovingBoxColumns, MovingBoxStore, Proxy, ProxyId,
    ProxyKind, Segment, Threads,
};
use testkit::counting::ALLOCATIONS;
use testkit::layouts::Layouts;

/// A third of them is more than one cell of a tree.
const ROWS: usize = 12_000;

/// Goal: a warm broadphase allocates nothing in any call: updates by columns, structures and stores, sleeping and waking, inserting
/// and removing proxies, fixed ones that move far, filters, queries, snapshots and restoring them.
///
/// Method: count allocations, in ticks inside the pool, as those of an engine are, that repeat after four. In
/// one of three broadphases, half of the movers have a margin; some boxes are large.
pub(crate) fn a_warm_world_allocates_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut column = |rows: usize, from: f32, to: f32| -> Vec<f32> {
        (0..rows).map(|_| rng.random_range(from..to)).collect()
    };
    let min: [_; 3] = core::array::from_fn(|_| column(ROWS, 0.0, 26.0));
    let size = |row: usize| if row % 40 < 3 { 5.0 } else { 0.75 };
    let max = min.each_ref().map(|low| (0..ROWS).map(|k| low[k] + size(k)).collect::<Vec<f32>>());
    let deltas: [[_; 3]; 4] =
        core::array::from_fn(|_| core::array::from_fn(|_| column(ROWS, -1.0, 1.0)));
    let [min, max] = [&min, &max].map(|of| of.each_ref().map(Vec::as_slice));
    let boxes = deltas.each_ref().map(|delta| {
        let delta = delta.each_ref().map(Vec::as_slice);
        MovingBoxColumns::new(min, max, delta).expect("equally long")
    });
    let layouts = boxes.map(|boxes| Layouts::new((0..ROWS / 2).map(|row| boxes.get(row))));
    for (threads, margin) in [(1, 0.0), (2, 0.0), (3, 0.25)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = Broadphase::new();
        let mut ids = Vec::new();
        let mut store = MovingBoxStore::new();
        let proxies: Vec<Proxy> = (0..ROWS)
            .map(|k| {
                let proxy = [Proxy::dynamic(), Proxy::fixed(), Proxy::sleeping()][k % 3];
                proxy.with_margin(if k % 2 == 0 { margin } else { 0.0 })
            })
            .collect();
        world.insert_many(boxes[0], &proxies, &mut ids).unwrap();
        let movers: Vec<ProxyId> = ids.iter().copied().step_by(3).collect();
        let mut snapshot = Snapshot::default();
        let (mut hits, mut found) = (Vec::new(), Vec::new());
        let (mut near, mut starts) = ([ProxyHit::MISS; 600], [0; 301]);
        let [x0, y0, z0, x1, y1, z1, ..] = boxes[0].columns();
        let asked = AabbColumns::new([x0, y0, z0], [x1, y1, z1]).unwrap().slice(0..300);
        let mut rejected = Vec::with_capacity(300);
        let asked = asked.check(Level::detect(), &mut rejected);
        let counts = pool.install(|| {
            let mut tick = |k: usize| {
                for &id in movers.iter().skip(k % 4).step_by(40) {
                    world
                        .set_kind(
                            id,
                            if k % 8 < 4 { ProxyKind::Sleeping } else { ProxyKind::Dynamic },
                        )
                        .unwrap();
                }
                for (row, &id) in ids.iter().enumerate().skip(1).step_by(300) {
                    let aabb = Aabb {
                        min: boxes[0].get(row).aabb.min,
                        max: boxes[k % 4].get(row).aabb.max,
                    };
                    world.set(id, aabb, [0.0; 3]).unwrap();
                    let filter = if k.is_multiple_of(2) { Filter::new(1, 2) } else { Filter::ALL };
                    world.set_filter(id, filter).unwrap();
                    world.set_enabled(id, k % 4 != 1).unwrap();
                }
                if k % 4 == 2 {
                    // Each fixed proxy moves to the position of another one.
                    for (row, &id) in ids.iter().enumerate().skip(1).step_by(3) {
                        let aabb = boxes[0].get((row + 5_000) % ROWS).aabb;
                        world.set(id, aabb, [0.0; 3]).unwrap();
                    }
                }
                let gone = world.insert(boxes[0].get(k % 7).aabb, Proxy::dynamic()).unwrap();
                let half = &ids[..ROWS / 2];
                match k % 3 {
                    0 => world.set_many(half, boxes[k % 4].slice(0..ROWS / 2)),
                    1 => world.set_many(half, layouts[k % 4].of_bodies()),
                    _ => {
                        let row_of_tick = |row| boxes[k % 4].get(row);
                        let rejected = store.fill(ROWS / 2, &Threads::current(), row_of_tick);
                        assert!(rejected.is_empty());
                        world.set_many(half, &store)
                    }
                }
                .unwrap();
                let begun = world.update().unwrap().begun().len();
                let queries = world.queries();
                let sight = Segment::new([0.0; 3], [26.0, 26.0, 20.0 + (k % 4) as f32]).unwrap();
                queries.cast(&sight).unwrap().sorted(&mut hits);
                assert_eq!(queries.cast(&sight).unwrap().closest().as_ref(), hits.first());
                queries.overlaps(&asked).all(&mut starts, &mut found).unwrap();
                queries.proximities(&asked, 3.0).unwrap().k_nearest(2, &mut near).unwrap();
                assert!(near.iter().all(ProxyHit::is_hit) && found.len() > 300);
                world.remove(gone).unwrap();
                if k.is_multiple_of(4) {
                    world.snapshot_into(&mut snapshot);
                } else if k % 4 == 3 {
                    world.restore(&snapshot);
                }
                begun + world.update().unwrap().ended().len() + world.pairs().len()
            };
            let warm_up: Vec<usize> = (0..24).map(&mut tick).collect();
            let mut counted = [0; 24];
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            counted.iter_mut().enumerate().for_each(|(k, count)| *count = tick(k));
            let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert!(counted.iter().all(|&count| count > 1_000), "{counted:?}");
            assert_eq!(warm_up[16..], counted[16..]);
            during
        });
        assert_eq!(counts, 0, "with {threads} threads and a margin of {margin}");
    }
}

/// Goal: a warm broadphase in which few proxies leave their fat AABBs allocates nothing. Method: count allocations in
/// ticks that repeat, in which other boxes leave each time, some fall asleep and wake, some are renewed, and the pairs of
/// some are read.
pub(crate) fn a_warm_settled_world_allocates_nothing() {
    const SIDE: usize = 60;
    let mut world = Broadphase::with_exec(Threads::one());
    let cell = |k: usize, shift: f32| {
        let min = [(k % SIDE) as f32 + shift, (k / SIDE) as f32, 0.0];
        Aabb { min, max: min.map(|x| x + 1.0) }
    };
    let ids: Vec<ProxyId> = (0..SIDE * SIDE)
        .map(|k| {
            let proxy = if k % 10 == 9 { Proxy::fixed() } else { Proxy::dynamic() };
            world.insert(cell(k, 0.0), proxy.with_margin(0.05)).unwrap()
        })
        .collect();
    let mut tick = |k: usize| {
        for row in (k % 8..ids.len()).step_by(40) {
            world.set(ids[row], cell(row, [0.0, 0.3, 1.4, 0.1][k / 8 % 4]), [0.0; 3]).unwrap();
        }
        let kind = if k.is_multiple_of(2) { ProxyKind::Sleeping } else { ProxyKind::Dynamic };
        world.set_kind_many(&[ids[1000], ids[1001], ids[1060]], kind).unwrap();
        world.renew(ids[k % 32 * 7]).unwrap();
        let changes = world.update_with_new(|pair| pair.a.index() % 50 != 3).unwrap();
        let count = changes.begun().len() + changes.ended().len();
        assert_eq!(changes.touching().iter().len(), changes.touching().iter().count());
        count + world.pairs_of(ids[2000]).len()
    };
    let warm_up: Vec<usize> = (0..192).map(&mut tick).collect();
    let mut counted = [0; 64];
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    counted.iter_mut().enumerate().for_each(|(k, count)| *count = tick(k));
    let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(counted.iter().sum::<usize>() > 1_000, "{counted:?}");
    assert_eq!(warm_up[128..], counted);
    assert_eq!(during, 0);
}

/// Goal: a warm broadphase whose table has pairs of resting kinds allocates nothing. Method: count allocations in ticks that repeat, in
/// which fixed proxies move to and fro, begin pairs with others and end them.
pub(crate) fn a_warm_world_with_resting_pairs_allocates_nothing() {
    let mut world = Broadphase::with_exec(Threads::one());
    world.set_kind_table(KindTable::default().with(ProxyKind::Fixed, ProxyKind::Fixed));
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 0.5).unwrap();
    let ids: Vec<ProxyId> = (0..500)
        .map(|k| world.insert(cube(2.0 * k as f32), Proxy::fixed().with_margin(0.25)).unwrap())
        .collect();
    let mut tick = |k: usize| {
        for row in (k % 5..ids.len()).step_by(10) {
            let shift = [0.0, 0.75, 0.25, 1.0][k / 5 % 4];
            world.set(ids[row], cube(2.0 * row as f32 + shift), [0.0; 3]).unwrap();
        }
        let changes = world.update().unwrap();
        changes.begun().len() + changes.ended().len()
    };
    (0..60).for_each(|k| _ = tick(k));
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let count: usize = (60..120).map(&mut tick).sum();
    let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(count > 500, "{count}");
    assert_eq!(during, 0);
}
