//! Tests that a broadphase follows its rules, for any calls, on any threads, and after restoring a snapshot.
//!
//! Random calls are compared with a model of the rules, by the body of the fuzz target. The other tests use
//! broadphases that are too large for that, and rules that random calls rarely reach.

use rand::RngExt;
use swath::broadphase::{BroadphaseError, FindError, Layers, ProxyPair, Snapshot};
use swath::{
    Aabb, Broadphase, Filter, Level, MovingBox, MovingBoxColumns, PairFinder, Proxy, ProxyId,
    ProxyKind, Threads,
};
use testkit::draw::{Draw, how_many};
use testkit::fuzz::world::{calls, events};
use testkit::world_model::{Events, Model};

/// Goal: no sequence of calls makes a broadphase break its rules. Method: random byte strings, drawn so that
/// each kind of call is frequent enough, some with crowds and some with many sleeping proxies; the whole
/// state is compared after each call.
#[test]
fn random_calls_follow_the_rules() {
    let (mut draw, mut made) = (Draw::new(11), 0);
    while made < how_many(20_000) {
        let mut input: Vec<u8> =
            (0..draw.0.random_range(100..3000)).map(|_| draw.0.random()).collect();
        if draw.one_in(3) {
            // Few kinds of calls: insert, put to sleep, wake and query.
            let kinds = [0, 1, 7, 12, 13, 19, 20, 23];
            for _ in 0..input.len() / 12 {
                let at = draw.0.random_range(1..input.len());
                input[at] = draw.one_of(&kinds);
            }
        }
        made += calls(&input);
    }
}

/// A crowd on integer coordinates, of all kinds, some with filters, owners and margins.
fn crowd(draw: &mut Draw, count: usize, side: i32) -> Vec<(MovingBox, Proxy)> {
    let layers = Layers::all().without(1, 1).without(2, 3);
    (0..count)
        .map(|k| {
            let min = [(); 3].map(|()| draw.whole(0, side));
            let max = min.map(|x| x + draw.whole(0, 3));
            let delta = [(); 3].map(|()| draw.whole(-2, 2));
            let proxy = [
                Proxy::dynamic(),
                Proxy::dynamic(),
                Proxy::sleeping(),
                Proxy::fixed(),
                Proxy::kinematic(),
            ][k % 5];
            let proxy = if k % 3 == 0 { proxy.filtered(layers.filter(k % 4)) } else { proxy };
            let proxy = if k % 7 == 0 { proxy.owned_by(1 + k as u32 % 3) } else { proxy };
            let proxy = if k % 11 == 0 { proxy.with_margin(0.5) } else { proxy };
            (MovingBox { aabb: Aabb { min, max }, delta }, proxy)
        })
        .collect()
}

/// A broadphase, and its results over some ticks in which boxes move, fall asleep, wake, and are inserted and
/// removed.
struct Course {
    world: Broadphase,
    ids: Vec<ProxyId>,
    model: Option<Model>,
}

impl Course {
    fn new(world: Broadphase, things: &[(MovingBox, Proxy)], with_model: bool) -> Self {
        let mut course = Self { world, ids: Vec::new(), model: with_model.then(Model::default) };
        things.iter().for_each(|&(moving, proxy)| course.insert(moving, proxy));
        course
    }

    fn insert(&mut self, moving: MovingBox, proxy: Proxy) {
        let id = self.world.insert_moving(moving, proxy).expect("it is a box");
        self.ids.push(id);
        if let Some(model) = &mut self.model {
            let thing = Model::thing(moving, proxy).expect("it is a box");
            model.things.insert(id, thing);
        }
    }

    fn tick(&mut self, number: u64) -> Events {
        let mut draw = Draw::new(number);
        for _ in 0..self.ids.len() / 8 {
            let id = draw.one_of(&self.ids);
            let Some(moving) = self.world.moving_box(id) else { continue };
            let shift = [(); 3].map(|()| draw.whole(-1, 1));
            let Aabb { min, max } = moving.aabb;
            let add = |corner: [f32; 3]| [0, 1, 2].map(|k| corner[k] + shift[k]);
            let moved = MovingBox { aabb: Aabb { min: add(min), max: add(max) }, ..moving };
            let set = draw.one_of(&[
                ProxyKind::Dynamic,
                ProxyKind::Sleeping,
                ProxyKind::Sleeping,
                ProxyKind::Fixed,
            ]);
            let (way, margin) = (draw.0.random_range(0..8), draw.whole(0, 2) * 0.25);
            match way {
                0 => self.world.remove(id).expect("the proxy exists"),
                1 | 2 => self.world.set(id, moved.aabb, moved.delta).expect("it is a box"),
                3 => self.world.set_margin(id, margin).expect("it is a margin"),
                _ => self.world.set_kind(id, set).expect("the proxy exists"),
            }
            if let Some(model) = &mut self.model {
                match way {
                    0 => assert!(model.remove(id)),
                    1 | 2 => model.set(id, moved).expect("it is a box"),
                    3 => model.set_margin(id, margin).expect("it is a margin"),
                    _ => model.edit(id, |proxy| proxy.kind = set).expect("the proxy exists"),
                }
            }
            if way == 0 {
                self.insert(moved, Proxy::dynamic());
            }
        }
        let accept = |pair: ProxyPair| (pair.a.index() ^ pair.b.index()) % 13 != 5;
        // In every other tick the function is called for new pairs only.
        let only_new = number % 2 == 1;
        let update = if only_new { Broadphase::update_with_new } else { Broadphase::update_with };
        let said = events(update(&mut self.world, accept).expect("there is no limit"));
        if let Some(model) = &mut self.model {
            let expected =
                if only_new { model.update_with_new(accept) } else { model.update(accept) };
            assert!(said == expected, "tick {number}");
            assert!(self.world.pairs().iter().eq(&model.kept), "tick {number}");
        }
        self.world.validate().expect("the broadphase is consistent");
        said
    }
}

/// Goal: the results for a crowd are the same on every level and number of threads, order included, and
/// follow the rules. Method: this many pairs that they are divided into several partitions, and some proxies
/// with so many partners that their rows have a skip index; the first run is compared with the model.
#[test]
fn crowd_gives_the_same_results_on_any_threads_and_level() {
    let things = crowd(&mut Draw::new(5), 900, 11);
    let ticks = |mut course: Course| (0..4).map(|k| course.tick(k)).collect::<Vec<_>>();
    let mut alone = Broadphase::new();
    alone.exec.threads = Threads::one();
    let expected = ticks(Course::new(alone, &things, true));
    let pairs: Vec<usize> = expected.iter().map(|e| e.begun.len() + e.persisted.len()).collect();
    assert!(pairs.iter().all(|&pairs| pairs > 2 * 4096), "{pairs:?} are too few for several parts");
    for level in Level::all() {
        let world = Broadphase::with_exec(level);
        assert!(ticks(Course::new(world, &things, false)) == expected, "{level}");
    }
    #[cfg(feature = "rayon")]
    for threads in 1..=4 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut world = Broadphase::new();
        world.exec.threads = Threads::of_pool(pool.into());
        assert!(ticks(Course::new(world, &things, false)) == expected, "{threads} threads");
    }
}

/// Goal: a restored broadphase gives the same later results. Method: a snapshot is taken at random ticks and
/// restored some ticks later, into the same broadphase or another one, and the following ticks are compared.
#[test]
fn restored_snapshot_gives_the_same_later_results() {
    let things = crowd(&mut Draw::new(6), 300, 12);
    let mut course = Course::new(Broadphase::new(), &things, false);
    let (mut draw, mut snapshot) = (Draw::new(7), Snapshot::default());
    let mut number = 0;
    for _ in 0..12 {
        for _ in 0..draw.0.random_range(0..3) {
            course.tick(number);
            number += 1;
        }
        // Between two updates too, when some proxies have been changed since the last one.
        if draw.one_in(2) {
            let id = course.ids[course.ids.len() - 1];
            course.world.set_enabled(id, draw.one_in(2)).expect("the proxy exists");
            course
                .world
                .set_kind(course.ids[course.ids.len() - 2], ProxyKind::Dynamic)
                .expect("the proxy exists");
        }
        course.world.snapshot_into(&mut snapshot);
        let ids = course.ids.clone();
        let first: Vec<Events> = (number..number + 3).map(|k| course.tick(k)).collect();
        let end = course.world.snapshot();
        if draw.one_in(2) {
            course.world = Broadphase::with_exec(Level::PORTABLE4);
        }
        course.world.restore(&snapshot);
        course.world.validate().expect("the broadphase is consistent");
        course.ids = ids;
        let again: Vec<Events> = (number..number + 3).map(|k| course.tick(k)).collect();
        assert!(first == again && course.world.snapshot() == end, "from tick {number}");
        number += 3;
    }
}

/// Goal: invalid rows, and huge or distant boxes, change nothing for the others. Method: one broadphase with
/// them and one without; the pairs of the other proxies are compared by data.
#[test]
fn hostile_boxes_change_nothing_for_others() {
    let things = crowd(&mut Draw::new(8), 200, 10);
    let hostile = |k: usize| {
        let mut moving = things[k % things.len()].0;
        match k % 8 {
            0 => moving.aabb.min[k % 3] = f32::NAN,
            1 => moving.aabb.max[k % 3] = f32::INFINITY,
            2 => (moving.aabb.min, moving.aabb.max) = ([9.0; 3], [-9.0; 3]),
            3 => moving.delta[k % 3] = f32::NEG_INFINITY,
            4 => moving.aabb.min = [-2e36; 3],
            5 => moving.aabb = Aabb { min: [1e30; 3], max: [1.1e30; 3] },
            6 => moving.aabb = Aabb { min: [-1e36, 1e5, 0.0], max: [1e36, 2e5, 1e36] },
            _ => moving.delta = [f32::NAN; 3],
        }
        moving
    };
    let names = |world: &Broadphase, events: &Events| {
        let mut names: Vec<_> = events
            .begun
            .iter()
            .chain(&events.persisted)
            .map(|&(ProxyPair { a, b }, first)| (world.data(a), world.data(b), first))
            .collect();
        names.sort_unstable();
        names
    };
    let (mut plain, mut amid) = (Broadphase::new(), Broadphase::new());
    let (mut ids, mut ids_amid) = (Vec::new(), Vec::new());
    let (mut refused, mut far) = (0, 0);
    for (k, &(moving, proxy)) in things.iter().enumerate() {
        let proxy = proxy.with_data(k as u64);
        ids.push(plain.insert_moving(moving, proxy).expect("it is a box"));
        match amid.insert_moving(hostile(k), Proxy::dynamic().with_data(9999)) {
            Ok(_) => far += 1,
            Err(BroadphaseError::Invalid(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
        ids_amid.push(amid.insert_moving(moving, proxy).expect("it is a box"));
    }
    assert_eq!((refused, far), (150, 50));
    for round in 0..3 {
        let said = events(plain.update().expect("no limit"));
        let said_amid = events(amid.update().expect("no limit"));
        let expected = names(&plain, &said);
        assert!(expected.len() > 100);
        let good: Vec<_> = names(&amid, &said_amid)
            .into_iter()
            .filter(|&(a, b, _)| a != Some(9999) && b != Some(9999))
            .collect();
        assert_eq!(good, expected);
        // A rejected row leaves its proxy unchanged.
        let rows: Vec<MovingBox> = (0..ids.len()).map(hostile).collect();
        for (k, &moving) in rows.iter().enumerate().filter(|(k, _)| k % 8 < 5 || k % 8 == 7) {
            assert!(plain.set(ids[k], moving.aabb, moving.delta).is_err(), "{round}");
            assert!(amid.set(ids_amid[k], moving.aabb, moving.delta).is_err());
        }
    }
}

/// Goal: no id is returned twice, also if one slot is reused many times. Method: a million proxies in one
/// slot; a few of the old ids are kept and used at the end.
#[test]
fn a_million_proxies_in_one_slot_have_different_ids() {
    let mut world = Broadphase::new();
    let cube = Aabb::cube([0.0; 3], 1.0).expect("it is a box");
    let mut kept = Vec::new();
    let mut last = None;
    for round in 0..1_000_000_u32 {
        let id = world.insert(cube, Proxy::dynamic()).expect("it is a box");
        assert_eq!((id.index(), id.generation()), (0, round));
        assert!(last < Some(id));
        if round % 50_000 == 0 {
            kept.push(id);
        }
        world.remove(id).expect("the proxy exists");
        last = Some(id);
    }
    let id = world.insert(cube, Proxy::dynamic()).expect("it is a box");
    for &stale in &kept {
        assert!(!world.contains(stale));
        assert_eq!(world.remove(stale), Err(BroadphaseError::Stale { id: stale }));
        assert_eq!(world.set(stale, cube, [0.0; 3]), Err(BroadphaseError::Stale { id: stale }));
        assert_eq!(
            world.set_many(&[id, stale], two_cubes()).err(),
            Some(BroadphaseError::StaleOfRow { row: 1, id: stale })
        );
    }
    // A list names the row; the id of a rejected box is named as such.
    let stale_of_row = BroadphaseError::StaleOfRow { row: 1, id: ProxyId::NONE };
    assert_eq!(world.remove_many(&[id, ProxyId::NONE]), Err(stale_of_row));
    assert!(stale_of_row.to_string().starts_with("row 1: the id stands for no proxy; "));
    world.validate().expect("the broadphase is consistent");
    let slots = world.memory_usage();
    assert!((64..10_000).contains(&slots), "{slots}");
}

fn two_cubes() -> MovingBoxColumns<'static> {
    const COLUMNS: [[f32; 2]; 3] = [[-1.0; 2], [1.0; 2], [0.0; 2]];
    let [low, high, still] = &COLUMNS;
    MovingBoxColumns::new([low; 3], [high; 3], [still; 3]).expect("equally long")
}

/// Goal: more pairs than allowed are an error with their number, and change nothing.
#[test]
fn too_many_pairs_change_nothing() {
    let mut world = Broadphase::new();
    let cube = Aabb::cube([0.0; 3], 1.0).expect("it is a box");
    let sets = [Proxy::dynamic(), Proxy::fixed(), Proxy::sleeping(), Proxy::kinematic()];
    let ids: Vec<ProxyId> =
        (0..40).map(|k| world.insert(cube, sets[k % 4]).expect("it is a box")).collect();
    world.update().expect("no limit");
    let pairs = world.pairs().to_vec();
    // Ten of each kind: pairs with one dynamic proxy, and pairs of a kinematic and a sleeping one.
    assert_eq!(pairs.len(), 45 + 300 + 100);
    world.remove(ids[0]).expect("the proxy exists");
    world.exec.pairs_max = 300;
    let before = world.snapshot();
    let error = FindError::TooManyPairs { found: 445 - 39, most: 300 };
    assert_eq!(world.update().err(), Some(error));
    assert_eq!(world.pairs(), pairs);
    assert_eq!(world.snapshot(), before);
    world.validate().expect("the broadphase is consistent");
    // Pairs that the caller's function rejects count too.
    assert_eq!(world.update_with(|_| false).err(), Some(error));
    assert_eq!(world.snapshot(), before);
    world.exec.pairs_max = 445 - 39;
    assert_eq!(world.update().expect("as many as are allowed").ended().len(), 39);
}

/// Goal: if there are several chunks of rows, and rows are not in the order of their slots, pairs contain the
/// right ids, also where most paths are so long that the tick is searched in slices. Method: proxies that were removed and inserted again, compared with the finder on the same
/// boxes.
#[test]
fn pairs_of_many_rows_have_the_right_ids() {
    let draw = &mut Draw::new(3);
    let things = crowd(draw, 6000, 40);
    pairs_have_the_right_ids(&things);
    let fast = things.into_iter().map(|(mut moving, of)| {
        moving.delta = core::array::from_fn(|_| draw.between(-40.0, 40.0));
        (moving, of)
    });
    pairs_have_the_right_ids(&fast.collect::<Vec<_>>());
}

fn pairs_have_the_right_ids<T>(things: &[(MovingBox, T)]) {
    let mut world = Broadphase::new();
    let mut ids: Vec<ProxyId> = Vec::new();
    for (moving, _) in things {
        ids.push(world.insert_moving(*moving, Proxy::dynamic()).expect("it is a box"));
    }
    for k in (0..ids.len()).step_by(3).rev() {
        world.remove(ids[k]).expect("the proxy exists");
    }
    for (moving, _) in things.iter().step_by(4) {
        world.insert_moving(*moving, Proxy::dynamic()).expect("it is a box");
    }
    let movers = world.movers();
    let mut finder = PairFinder::new();
    let found = finder.swept_pairs(movers.boxes).expect("no limit");
    let name = |row: u32| movers.ids[row as usize];
    let mut expected: Vec<(ProxyPair, f32)> =
        found.iter().map(|of| (ProxyPair::new(name(of.a), name(of.b)), of.first)).collect();
    expected.sort_unstable_by_key(|(pair, _)| *pair);
    assert!(expected.len() > 2000, "{}", expected.len());
    let changes = world.update().expect("no limit");
    let touching = changes.touching().iter().map(|pair| (ProxyPair::from(pair), pair.first));
    assert!(touching.eq(expected));
}

/// Goal: after a panic of the caller's function the broadphase is intact and gives the same results in the
/// next update.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn a_panic_in_the_callers_function_leaves_the_broadphase_intact() {
    let things = crowd(&mut Draw::new(9), 60, 6);
    let mut world = Broadphase::new();
    world.exec.threads = Threads::one();
    let mut course = Course::new(world, &things, false);
    course.tick(0);
    let renewed = course.world.pairs().iter().next().expect("there are pairs").a;
    course.world.renew(renewed).expect("the proxy exists");
    let before = course.world.snapshot();
    let mut again = Broadphase::new();
    again.restore(&before);
    let panics = std::panic::AssertUnwindSafe(|| {
        let _ = course.world.update_with(|_| panic!("as it is told"));
    });
    assert!(std::panic::catch_unwind(panics).is_err());
    course.world.validate().expect("the broadphase is consistent");
    assert_eq!(course.world.snapshot(), before);
    assert_eq!(
        events(course.world.update().expect("no limit")),
        events(again.update().expect("no limit"))
    );
    // All proxies are put to sleep, and the function is called for the pairs that may persist.
    for world in [&mut course.world, &mut again] {
        let ids: Vec<ProxyId> = world.movers().ids.to_vec();
        world.set_kind_many(&ids, ProxyKind::Sleeping).expect("all proxies exist");
    }
    let panics = std::panic::AssertUnwindSafe(|| {
        let _ = course.world.update_with(|_| panic!("as it is told"));
    });
    assert!(std::panic::catch_unwind(panics).is_err());
    assert!(course.world.changes().touching().is_empty());
    assert_eq!(
        events(course.world.update().expect("no limit")),
        events(again.update().expect("no limit"))
    );
}

/// Goal: a margin keeps pairs through small motions, and each proxy adds its own.
#[test]
fn margins_keep_pairs_and_add_up() {
    let mut world = Broadphase::new();
    let cube = |x: f32| Aabb::new([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]).expect("it is a box");
    let a = world.insert(cube(0.0), Proxy::dynamic().with_margin(0.25)).expect("it is a box");
    // The first two are 0.5 apart, which is the sum of both margins; the third is a little farther away.
    let b = world.insert(cube(1.5), Proxy::fixed().with_margin(0.25)).expect("it is a box");
    let c = world.insert(cube(-1.5f32.next_up() - 0.0001), Proxy::fixed().with_margin(0.25));
    c.expect("it is a box");
    let pair = ProxyPair::new(a, b);
    let changes = world.update().expect("no limit");
    assert_eq!(changes.begun().iter().map(|&p| ProxyPair::from(p)).collect::<Vec<_>>(), [pair]);
    assert_eq!(changes.begun()[0].first, 0.0);
    // Inside the fat AABB nothing changes, not even on the other side; outside it is computed anew.
    let held = world.compared_box(a).expect("the proxy exists");
    for x in [0.1, -0.2, 0.25, -0.25] {
        world.set(a, cube(x), [0.0; 3]).expect("it is a box");
        assert_eq!(world.compared_box(a), Some(held), "{x}");
        assert_eq!(world.update().expect("no limit").persisted().len(), 1, "{x}");
    }
    world.set(a, cube(0.0), [0.0, 0.3, 0.0]).expect("it is a box");
    let grown = Aabb::new([-0.25, -0.25, -0.25], [1.25, 1.55, 1.25]).expect("it is a box");
    let held = world.compared_box(a).expect("the proxy exists");
    assert!(held.aabb.contains(&grown) && held.delta == [0.0; 3], "{held:?}");
    // The proxy falls asleep inside its margin; the pair persists without an event.
    world.set_kind(a, ProxyKind::Sleeping).expect("the proxy exists");
    let changes = world.update().expect("no limit");
    assert!(changes.persisted().len() == 0 && changes.ended().is_empty());
    assert_eq!(world.pairs(), [pair]);
    world.set_margin(b, 0.0).expect("it is a margin");
    assert_eq!(world.update().expect("no limit").ended(), [pair]);
}

/// Goal: a flat scene gives the results of two dimensions. Method: all boxes at `z = [0, 0]`, compared with
/// every pair on two axes; coordinates are integers, so times are exact.
#[test]
fn flat_scene_gives_the_pairs_of_two_dimensions() {
    let mut draw = Draw::new(10);
    let mut world = Broadphase::new();
    let flat: Vec<([f32; 2], [f32; 2])> = (0..300)
        .map(|_| ([(); 2].map(|()| draw.whole(0, 40)), [(); 2].map(|()| draw.whole(0, 2))))
        .collect();
    for &(min, size) in &flat {
        let max = [min[0] + size[0], min[1] + size[1], 0.0];
        let aabb = Aabb::new([min[0], min[1], 0.0], max).expect("it is a box");
        world.insert(aabb, Proxy::dynamic()).expect("it is a box");
    }
    let mut expected = Vec::new();
    for (a, &(p, r)) in (0..).zip(&flat) {
        for (b, &(q, s)) in (0..).zip(&flat).skip(a as usize + 1) {
            if (0..2).all(|k| p[k] <= q[k] + s[k] && q[k] <= p[k] + r[k]) {
                expected.push((a, b));
            }
        }
    }
    let found = world.update().expect("no limit").touching();
    let found: Vec<(u32, u32)> = found.iter().map(|p| (p.a.index(), p.b.index())).collect();
    assert!(found == expected && found.len() > 100);
    // The scene remains flat when the origin is moved.
    world.shift_origin([0.1, -7.0, 0.0]).expect("near enough");
    let ids: Vec<ProxyId> = world.ids().collect();
    assert!(ids.iter().all(|&id| {
        let aabb = world.moving_box(id).expect("the proxy exists").aabb;
        aabb.min[2] == 0.0 && aabb.max[2] == 0.0
    }));
    let changes = world.update().expect("no limit");
    // The margins are rounded outwards, so no pair is lost.
    assert!(changes.persisted().len() == expected.len() && changes.ended().is_empty());
}

/// Goal: `Layers` is symmetric and returns what was set.
#[test]
fn layers_pair_as_set() {
    let mut draw = Draw::new(12);
    let (mut layers, mut told) = (Layers::none(), [[false; 16]; 16]);
    for _ in 0..2000 {
        let (a, b, pair) = (draw.0.random_range(0..16), draw.0.random_range(0..16), draw.one_in(2));
        layers = if pair { layers.with(a, b) } else { layers.without(a, b) };
        (told[a][b], told[b][a]) = (pair, pair);
        let (a, b) = (draw.0.random_range(0..16), draw.0.random_range(0..16));
        assert_eq!(layers.pair(a, b), told[a][b]);
        assert_eq!(layers.filter(a).allows(layers.filter(b)), told[a][b]);
    }
    assert_eq!(Layers::default(), Layers::all());
    assert!((0..16).all(|k| Layers::all().filter(k).allows(Filter::ALL)));
}

/// Goal: a snapshot is serialised without loss, and an inconsistent one is rejected.
#[cfg(feature = "serde")]
#[test]
fn snapshots_are_serialised_without_loss() {
    let things = crowd(&mut Draw::new(13), 60, 5);
    let mut course = Course::new(Broadphase::new(), &things, false);
    (0..3).for_each(|k| _ = course.tick(k));
    let snapshot = course.world.snapshot();
    let text = serde_json::to_string(&snapshot).expect("it can be written");
    let read: Snapshot = serde_json::from_str(&text).expect("it can be read");
    assert!(read == snapshot);
    let mut draw = Draw::new(14);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..how_many(3000).min(100_000) {
        // One digit is changed.
        let mut bytes = text.clone().into_bytes();
        let at = draw.0.random_range(0..bytes.len());
        if !bytes[at].is_ascii_digit() {
            continue;
        }
        bytes[at] = draw.0.random_range(b'0'..=b'9');
        match serde_json::from_slice::<Snapshot>(&bytes) {
            Err(_) => refused += 1,
            Ok(changed) => {
                taken += 1;
                let mut world = Broadphase::new();
                world.restore(&changed);
                world.validate().expect("an accepted file is complete");
                let _ = world.update().expect("no limit");
                world.validate().expect("and stays so");
            }
        }
    }
    assert!(refused > 20 && taken > 20, "{refused} refused, {taken} taken");
}

/// Goal: an invariant of a constructor holds for a deserialised value. Method: matrices, pairs and times as
/// they are serialised, and changed so that no constructor creates them.
#[cfg(feature = "serde")]
#[test]
fn deserialised_values_keep_the_invariants_of_constructors() {
    use serde_json::{from_value, json, to_value};
    use swath::ProxyId;
    use swath::broadphase::{ProxyPair, SweptProxyPair};

    let layers = Layers::all().without(3, 4).without(9, 9);
    let mut value = to_value(layers).expect("it can be written");
    assert_eq!(from_value::<Layers>(value.clone()).expect("it was written"), layers);
    value["masks"][3] = json!(u32::MAX);
    assert!(from_value::<Layers>(value).is_err(), "layer 3 pairs with 4, but 4 not with 3");

    let [low, high] = [7, 1 << 40].map(ProxyId::from_bits);
    let pair = ProxyPair::new(high, low);
    let swept = SweptProxyPair { a: low, b: high, first: 0.5 };
    assert_eq!(from_value::<ProxyPair>(to_value(pair).expect("a value")).expect("a pair"), pair);
    assert_eq!(
        from_value::<SweptProxyPair>(to_value(swept).expect("a value")).expect("one"),
        swept
    );
    let none = ProxyPair::default();
    assert_eq!(from_value::<ProxyPair>(to_value(none).expect("a value")).expect("a pair"), none);
    let turned = to_value(ProxyPair { a: high, b: low }).expect("a value");
    assert!(from_value::<ProxyPair>(turned).is_err());
    for wrong in
        [SweptProxyPair { a: high, b: low, ..swept }, SweptProxyPair { first: 1.5, ..swept }]
    {
        assert!(from_value::<SweptProxyPair>(to_value(wrong).expect("a value")).is_err());
    }
}

/// Goal: pairs of a resting proxy follow its latest filter, also if no box had its categories before. Method:
/// one resting box of which only the filter changes, and one that moves.
#[test]
fn changed_filter_of_a_resting_proxy_takes_effect() {
    let mut world = Broadphase::new();
    let unit = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let [one, two] = [Filter::new(1, 1), Filter::new(2, 2)];
    let fixed = world.insert(unit, Proxy::fixed().filtered(one)).unwrap();
    world.insert(unit, Proxy::dynamic().filtered(two)).unwrap();
    assert!(world.update().unwrap().touching().is_empty());
    for (filter, pairs) in [(two, 1), (one, 0), (two, 1), (Filter::ALL, 1), (Filter::NONE, 0)] {
        world.set_filter(fixed, filter).unwrap();
        assert_eq!(world.update().unwrap().touching().len(), pairs, "{filter:?}");
    }
}

/// Goal: pairs that touch by their margins stay cached when the origin is shifted. Method: a path that ends at the end of its fat AABB, and
/// that rounding moves beyond it; the margin on the other side reaches a fixed box.
#[test]
fn shift_of_the_origin_does_not_shrink_a_fat_aabb() {
    let aabb = |low: f32, high: f32| Aabb::new([low, 0.0, 0.0], [high, 1.0, 1.0]).expect("a box");
    let (low, high) = (0.300_001_03_f32, 0.300_001_03_f32 + 0.5);
    let mut world = Broadphase::new();
    let mover = world.insert(aabb(0.0, 1.0), Proxy::dynamic().with_margin(1.0)).expect("a proxy");
    world.set(mover, aabb(low, high), [2.0 - high, 0.0, 0.0]).expect("a box");
    assert_eq!(world.compared_box(mover).map(|of| of.aabb.max[0]), Some(2.0));
    world.insert(aabb(-2.0, -0.75), Proxy::fixed()).expect("a proxy");
    assert_eq!(world.update().expect("no limit").begun().len(), 1);
    world.shift_origin([-1024.0, 0.0, 0.0]).expect("near");
    assert_eq!(world.update().expect("no limit").ended(), []);
}
