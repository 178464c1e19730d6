//! Time of an update of a `Broadphase`, of single calls, and of queries.
//!
//! `world_tick_SCENE/100000`: all proxies are dynamic, have filters, and are updated by columns, with events.
//! `world_bare_SCENE/100000` is the finder alone on the same boxes, without filters, and
//! `world_filtered_SCENE/100000` the same with those of the proxies. `world_fixed_uniform/10000` has a
//! million fixed proxies in addition. `world_settled_SCENE_LEAVE/100000`: proxies with margins move inside
//! their fat AABBs, and none, one of 100 or one of 10 leaves its own; the pairs are compared with those of a
//! search for all proxies. `world_still/1000000`: all proxies sleep, some touch, and nothing is
//! changed. `world_one/CALL`: one call for one proxy, amortised: changes of resting proxies are applied to
//! the tree by the next update, which is included; `set` moves a face of each, `exchange` moves each to the
//! position of another. `world_asked/FORM`, with proxies that move, sleep with a margin or are fixed, a third
//! each: `view` builds the tree of moving proxies after they moved; `closest` and `closest-batch` find the
//! first box on a segment. On one thread; `-all-threads` on all. Before the clock starts the pairs are
//! compared with those of the finder and, in a small scene, with every pair.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};
use std::hint::black_box;
use std::time::{Duration, Instant};
use swath::batch::sweep::MISS;
use swath::batch::{SegmentStore, cast, sweep};
use swath::broadphase::{Changes, Layers, PairInput, ProxyHit};
use swath::{
    Aabb, Broadphase, Filter, MovingBox, MovingBoxColumns, PairFinder, Proxy, ProxyId, ProxyKind,
    Segment,
};

const DYNAMIC: usize = 100_000;
const MANY: usize = 1_000_000;
/// Ticks that are run forwards and backwards.
const TICKS: usize = 6;

fn filter(row: usize) -> Filter {
    Layers::all().filter(row % 16)
}

fn filled(world: &World, proxy: impl Fn(usize) -> Proxy) -> (Broadphase, Vec<ProxyId>) {
    let (mut broadphase, mut ids) = (Broadphase::new(), Vec::new());
    let proxies: Vec<Proxy> = (0..world.len()).map(proxy).collect();
    let rejected = broadphase.insert_many(world.columns(), &proxies, &mut ids).expect("they fit");
    assert!(rejected.is_empty());
    (broadphase, ids)
}

fn tick(broadphase: &mut Broadphase, ids: &[ProxyId], world: &World) -> usize {
    broadphase.set_many(ids, world.columns()).expect("all proxies exist");
    count(broadphase.update().expect("there is no limit"))
}

fn count(changes: Changes<'_>) -> usize {
    changes.begun().len() + changes.persisted().len() + changes.ended().len()
}

/// Times `tick` inside the pool, because an engine does not leave it between ticks.
fn time(pool: &ThreadPool, ticks: u64, mut tick: impl FnMut() -> usize + Send) -> Duration {
    pool.install(|| {
        let start = Instant::now();
        for _ in 0..ticks {
            black_box(tick());
        }
        start.elapsed()
    })
}

fn pools() -> [(ThreadPool, &'static str); 2] {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    [(pool(1), ""), (pool(0), "-all-threads")]
}

/// Panics unless the pairs of a small scene are those of comparing every pair, and the events are their
/// changes.
fn check(scene: Scene) {
    let ticks = World::there_and_back(scene, 1500, 1, TICKS);
    let (mut broadphase, ids) = filled(&ticks[0], |row| Proxy::dynamic().filtered(filter(row)));
    let mut before = Vec::new();
    for world in &ticks {
        broadphase.set_many(&ids, world.columns()).expect("all proxies exist");
        let changes = broadphase.update().expect("there is no limit");
        let rows: Vec<MovingBox> = (0..world.len()).map(|row| world.columns().get(row)).collect();
        let mut expected = Vec::new();
        for (a, one) in rows.iter().enumerate() {
            for (b, other) in rows.iter().enumerate().skip(a + 1) {
                let meet = one.bounds().overlaps(&other.bounds());
                if meet && sweep::one_to_one(one, other).expect("boxes").first < MISS {
                    expected.push((ids[a], ids[b]));
                }
            }
        }
        let touching: Vec<_> = changes.touching().iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(touching, expected, "{scene}");
        let begun: Vec<_> = changes.begun().iter().map(|pair| (pair.a, pair.b)).collect();
        let ended: Vec<_> = changes.ended().iter().map(|pair| (pair.a, pair.b)).collect();
        let minus = |all: &[_], less: &[_]| -> Vec<_> {
            all.iter().copied().filter(|pair| less.binary_search(pair).is_err()).collect()
        };
        assert_eq!(begun, minus(&expected, &before), "{scene}");
        assert_eq!(ended, minus(&before, &expected), "{scene}");
        before = expected;
    }
}

fn dynamic(criterion: &mut Criterion) {
    for scene in [Scene::Uniform, Scene::Dense, Scene::Pile, Scene::Mixed, Scene::Sheet] {
        check(scene);
        let ticks = World::there_and_back(scene, DYNAMIC, 1, TICKS);
        let (mut broadphase, ids) = filled(&ticks[0], |row| Proxy::dynamic().filtered(filter(row)));
        let filters: Vec<Filter> = (0..DYNAMIC).map(filter).collect();
        let (mut finder, mut filtered) = (PairFinder::new(), PairFinder::new());
        for world in &ticks {
            broadphase.set_many(&ids, world.columns()).expect("all proxies exist");
            let found = finder.swept_pairs(world.columns()).expect("there is no limit").sorted();
            let rows = found.iter().map(|pair| (pair.a, pair.b, pair.first));
            let changes = broadphase.update().expect("there is no limit");
            let pairs = changes.touching().iter();
            assert!(rows.eq(pairs.map(|pair| (pair.a.index(), pair.b.index(), pair.first))));
        }
        for (pool, threads) in pools() {
            let mut ticks = ticks.iter().cycle();
            let mut step = || ticks.next().expect("the ticks repeat");
            let id = BenchmarkId::from_parameter(format!("{DYNAMIC}{threads}"));
            let mut group = criterion.benchmark_group(format!("world_bare_{scene}"));
            group.sample_size(20).throughput(Throughput::Elements(DYNAMIC as u64));
            group.bench_function(id.clone(), |bencher| {
                let mut tick = || finder.swept_pairs(step().columns()).expect("no limit").len();
                bencher.iter_custom(|ticks| time(&pool, ticks, &mut tick));
            });
            group.finish();
            let mut group = criterion.benchmark_group(format!("world_filtered_{scene}"));
            group.sample_size(20).throughput(Throughput::Elements(DYNAMIC as u64));
            group.bench_function(id.clone(), |bencher| {
                let mut tick = || {
                    let set = PairInput::new(step().columns()).filtered(&filters);
                    filtered.swept_pairs(set).expect("no limit").len()
                };
                bencher.iter_custom(|ticks| time(&pool, ticks, &mut tick));
            });
            group.finish();
            let mut group = criterion.benchmark_group(format!("world_tick_{scene}"));
            group.sample_size(20).throughput(Throughput::Elements(DYNAMIC as u64));
            group.bench_function(id, |bencher| {
                let mut tick = || tick(&mut broadphase, &ids, step());
                bencher.iter_custom(|ticks| time(&pool, ticks, &mut tick));
            });
            group.finish();
        }
    }
}

/// Ticks in which boxes move a little inside their fat AABBs, and of `leave_one_of` boxes one leaves
/// its own. The second half of the ticks goes back to the first tick, so that no more boxes leave when the ticks repeat.
fn jittering(scene: Scene, margin: f32, leave_one_of: usize) -> Vec<World> {
    let still = World::new(scene, DYNAMIC, 1);
    let mut offsets = vec![0.0; still.len()];
    let forth = (0..=TICKS).map(|tick| {
        let mut world = still.clone();
        for (row, offset) in offsets.iter_mut().enumerate() {
            if (row * 31 + tick * 17) % leave_one_of == 0 {
                *offset = if *offset > 0.0 { 0.0 } else { 3.0 * margin };
            }
            let jitter = ((row * 7 + tick * 3) % 16) as f32 / 16.0 - 0.5;
            for x in [&mut world.min[0][row], &mut world.max[0][row]] {
                *x += *offset + 0.5 * margin * jitter;
            }
            world.delta.iter_mut().for_each(|delta| delta[row] = 0.0);
        }
        world
    });
    let mut ticks: Vec<World> = forth.collect();
    let back: Vec<World> = ticks[1..TICKS].iter().rev().cloned().collect();
    ticks.extend(back);
    ticks
}

fn settled(criterion: &mut Criterion) {
    const NEVER: usize = usize::MAX;
    for scene in [Scene::Uniform, Scene::Pile] {
        let world = World::new(scene, DYNAMIC, 1);
        let mut lengths: Vec<f32> =
            world.min[0].iter().zip(&world.max[0]).map(|(a, b)| b - a).collect();
        let middle = lengths.len() / 2;
        let margin = 0.1 * *lengths.select_nth_unstable_by(middle, f32::total_cmp).1;
        for (name, leave_one_of) in [("none", NEVER), ("1_of_100", 100), ("1_of_10", 10)] {
            let ticks = jittering(scene, margin, leave_one_of);
            let proxy = |_| Proxy::dynamic().with_margin(margin);
            let (mut broadphase, ids) = filled(&ticks[0], proxy);
            // A function of the caller makes an update search for all proxies.
            let (mut full, _) = filled(&ticks[0], proxy);
            for world in &ticks {
                broadphase.set_many(&ids, world.columns()).expect("all proxies exist");
                full.set_many(&ids, world.columns()).expect("all proxies exist");
                let changes = broadphase.update().expect("there is no limit");
                let expected = full.update_with(|_| true).expect("there is no limit");
                assert!(changes.touching().iter().eq(expected.touching().iter()), "{scene}");
                assert_eq!(changes.begun(), expected.begun(), "{scene}");
                assert_eq!(changes.ended(), expected.ended(), "{scene}");
            }
            for (pool, threads) in pools() {
                let mut ticks = ticks.iter().cycle();
                let mut step = || ticks.next().expect("the ticks repeat");
                let id = BenchmarkId::from_parameter(format!("{DYNAMIC}{threads}"));
                let mut group = criterion.benchmark_group(format!("world_settled_{scene}_{name}"));
                group.sample_size(20).throughput(Throughput::Elements(DYNAMIC as u64));
                group.bench_function(id, |bencher| {
                    let mut tick = || {
                        broadphase.set_many(&ids, step().columns()).expect("all proxies exist");
                        broadphase.update().expect("there is no limit").begun().len()
                    };
                    bencher.iter_custom(|ticks| time(&pool, ticks, &mut tick));
                });
                group.finish();
            }
        }
    }
}

fn kept(criterion: &mut Criterion) {
    const MOVERS: usize = 10_000;
    let one_of = (MANY + MOVERS) / MOVERS;
    let ticks = World::there_and_back(Scene::Uniform, MANY + MOVERS, 1, TICKS);
    let moves = |row: usize| row % one_of == one_of - 1;
    let (mut broadphase, ids) = filled(&ticks[0], |row| {
        let proxy = if moves(row) { Proxy::dynamic() } else { Proxy::fixed() };
        proxy.filtered(filter(row))
    });
    let movers: Vec<ProxyId> =
        ids.iter().copied().filter(|id| moves(id.index() as usize)).collect();
    let columns: Vec<[Vec<f32>; 9]> = ticks
        .iter()
        .map(|world| {
            let of = world.columns().columns();
            of.map(|column| (0..column.len()).filter(|&k| moves(k)).map(|k| column[k]).collect())
        })
        .collect();
    for (pool, threads) in pools() {
        let mut next = 0;
        let mut group = criterion.benchmark_group("world_fixed_uniform");
        group.sample_size(20).throughput(Throughput::Elements(MOVERS as u64));
        group.bench_function(format!("{MOVERS}{threads}"), |bencher| {
            let mut tick = || {
                next = (next + 1) % columns.len();
                let boxes =
                    MovingBoxColumns::from_columns(columns[next].each_ref().map(Vec::as_slice));
                broadphase
                    .set_many(&movers, boxes.expect("equally long"))
                    .expect("all proxies exist");
                count(broadphase.update().expect("there is no limit"))
            };
            bencher.iter_custom(|ticks| time(&pool, ticks, &mut tick));
        });
        group.finish();
    }
    drop(broadphase);
    // All proxies fall asleep at positions where they touch.
    let (mut broadphase, ids) = filled(&ticks[0], |_| Proxy::dynamic());
    assert!(count(broadphase.update().expect("no limit")) > MANY / 2);
    broadphase.set_kind_many(&ids, ProxyKind::Sleeping).expect("all proxies exist");
    count(broadphase.update().expect("no limit"));
    assert!(broadphase.pairs().len() > MANY / 4);
    let mut group = criterion.benchmark_group("world_still");
    group.bench_function(MANY.to_string(), |bencher| {
        let (pool, _) = &pools()[0];
        let mut tick = || count(broadphase.update().expect("there is no limit"));
        bencher.iter_custom(|ticks| time(pool, ticks, &mut tick));
    });
    group.finish();
}

/// Calls for one proxy after the other, not in the order of the ids.
fn singles(criterion: &mut Criterion) {
    let (pool, _) = &pools()[0];
    let mut group = criterion.benchmark_group("world_one");
    group.sample_size(10).throughput(Throughput::Elements(DYNAMIC as u64));
    let world = World::new(Scene::Uniform, DYNAMIC, 1);
    let rows: Vec<MovingBox> = (0..DYNAMIC).map(|row| world.columns().get(row)).collect();
    // A step that is coprime to the number visits all.
    let order: Vec<usize> = (0..DYNAMIC).map(|k| k * 61_879 % DYNAMIC).collect();
    for (name, proxy) in [("dynamic", Proxy::dynamic()), ("fixed", Proxy::fixed())] {
        let mut broadphase = Broadphase::new();
        let mut ids = vec![ProxyId::NONE; DYNAMIC];
        let insert = |broadphase: &mut Broadphase, ids: &mut [ProxyId]| {
            for (id, row) in ids.iter_mut().zip(&rows) {
                *id = broadphase.insert(row.aabb, proxy).expect("it is a box");
            }
        };
        let settle = |broadphase: &mut Broadphase| {
            if name == "fixed" {
                count(broadphase.update().expect("there is no limit"));
            }
        };
        insert(&mut broadphase, &mut ids);
        settle(&mut broadphase);
        group.bench_function(format!("remove_and_insert_{name}"), |bencher| {
            let mut turn = || {
                order.iter().for_each(|&k| broadphase.remove(ids[k]).expect("the proxy exists"));
                settle(&mut broadphase);
                insert(&mut broadphase, &mut ids);
                settle(&mut broadphase);
                ids.len()
            };
            bencher.iter_custom(|turns| time(pool, turns, &mut turn));
        });
        // The data of the caller are in the order of its calls; the proxies are not.
        let called: Vec<ProxyId> = order.iter().map(|&k| ids[k]).collect();
        let of_called: Vec<MovingBox> = order.iter().map(|&k| rows[k]).collect();
        let mut shift = 0.0;
        group.bench_function(format!("set_{name}"), |bencher| {
            let mut turn = || {
                shift = if shift == 0.0 { 0.125 } else { 0.0 };
                for (&id, &MovingBox { aabb, delta }) in called.iter().zip(&of_called) {
                    let aabb = Aabb { max: aabb.max.map(|x| x + shift), ..aabb };
                    broadphase.set(id, aabb, delta).expect("it is a box");
                }
                settle(&mut broadphase);
                ids.len()
            };
            bencher.iter_custom(|turns| time(pool, turns, &mut turn));
        });
        let mut turned = 0;
        group.bench_function(format!("exchange_{name}"), |bencher| {
            let mut turn = || {
                turned += 1;
                let (later, sooner) = of_called.split_at(turned % DYNAMIC);
                let others = sooner.iter().chain(later);
                for (&id, &MovingBox { aabb, delta }) in called.iter().zip(others) {
                    broadphase.set(id, aabb, delta).expect("it is a box");
                }
                settle(&mut broadphase);
                ids.len()
            };
            bencher.iter_custom(|turns| time(pool, turns, &mut turn));
        });
        if name == "dynamic" {
            group.bench_function("sleep_and_wake", |bencher| {
                let mut turn = || {
                    for set in [ProxyKind::Sleeping, ProxyKind::Dynamic] {
                        let calls = called.iter().map(|&id| broadphase.set_kind(id, set));
                        calls.for_each(|call| call.expect("the proxy exists"));
                    }
                    called.len()
                };
                bencher.iter_custom(|turns| time(pool, turns, &mut turn));
            });
        }
    }
    group.finish();
}

/// Segments through proxies of all kinds.
fn asked(criterion: &mut Criterion) {
    const SEGMENTS: usize = 4096;
    let (pool, _) = &pools()[0];
    let ticks = World::there_and_back(Scene::Uniform, DYNAMIC, 1, TICKS);
    let (mut broadphase, ids) = filled(&ticks[0], |row| match row % 3 {
        0 => Proxy::dynamic().filtered(filter(row)),
        1 => Proxy::sleeping().filtered(filter(row)).with_margin(0.1),
        _ => Proxy::fixed().filtered(filter(row)),
    });
    let rows: Vec<MovingBox> = (0..DYNAMIC).map(|row| ticks[0].columns().get(row)).collect();
    // From one box to near another; most have many boxes on their path.
    let (mut segments, mut store) = (Vec::new(), SegmentStore::new());
    for k in 0..SEGMENTS {
        let [from, to] = [k * 61_879, k * 7_919 + 13].map(|k| rows[k % DYNAMIC].aabb.min);
        let delta = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        segments.push(Segment::new(from.map(|x| x - 0.01), delta).expect("it is one"));
        store.push(segments[k]).expect("it is one");
    }
    let wanted = Filter::new(1 << 5, !(1 << 2));
    let mut hits = vec![ProxyHit::MISS; SEGMENTS];
    let queries = broadphase.queries().filtered(wanted);
    queries.casts(&store.checked()).closest(&mut hits).expect("as many");
    for (segment, hit) in segments.iter().zip(&hits).take(50) {
        let mut expected = ProxyHit::MISS;
        for ((row, &id), of) in ids.iter().enumerate().zip(&rows) {
            let cast = cast::one_to_one(segment, &of.aabb).expect("both are valid");
            if cast.faces.is_hit() && wanted.allows(filter(row)) && cast.entry < expected.value {
                expected = ProxyHit { id, value: cast.entry };
            }
        }
        assert_eq!(*hit, expected, "{segment:?}");
    }
    let mut group = criterion.benchmark_group("world_asked");
    group.throughput(Throughput::Elements(SEGMENTS as u64));
    group.bench_function("closest", |bencher| {
        let queries = broadphase.queries().filtered(wanted);
        let ask = || {
            let casts = segments.iter().map(|of| queries.cast(of).expect("it is one").closest());
            casts.filter(Option::is_some).count()
        };
        bencher.iter_custom(|turns| time(pool, turns, ask));
    });
    group.bench_function("closest-batch", |bencher| {
        let queries = broadphase.queries().filtered(wanted);
        let mut ask = || {
            queries.casts(&store.checked()).closest(&mut hits).expect("as many");
            hits.len()
        };
        bencher.iter_custom(|turns| time(pool, turns, &mut ask));
    });
    group.throughput(Throughput::Elements(DYNAMIC as u64 / 3));
    let movers: Vec<ProxyId> = ids.iter().copied().step_by(3).collect();
    let (aabb, moved) = (rows[0].aabb, movers[0]);
    group.bench_function("view", |bencher| {
        let mut view = || {
            broadphase.set(moved, aabb, [0.0; 3]).expect("it is a box");
            usize::from(
                broadphase.queries().overlap_point(aabb.min).expect("a point").any().is_some(),
            )
        };
        bencher.iter_custom(|turns| time(pool, turns, &mut view));
    });
    group.finish();
}

criterion_group!(benches, dynamic, settled, kept, singles, asked);
criterion_main!(benches);
