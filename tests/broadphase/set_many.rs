//! Tests of `Broadphase::set_many` and of the errors of `insert_many`, for lists that several threads share; of `set_enabled_many`; and of displacements alone.

use rand::RngExt;
use swath::broadphase::BroadphaseError;
use swath::{
    Aabb, Broadphase, COORD_MAX, Invalid, MovingBox, MovingBoxColumns, MovingBoxStore, Proxy,
    ProxyId, Threads,
};
use testkit::draw::Draw;
use testkit::fuzz::world::events;

/// More boxes than one thread copies, and no multiple of any chunk.
const COUNT: usize = 40_123;

fn boxes(draw: &mut Draw) -> Vec<MovingBox> {
    (0..COUNT)
        .map(|row| {
            let min =
                [(row % 200) as f32, (row / 200) as f32, 0.0].map(|x| x + draw.whole(0, 3) * 0.25);
            let delta = [(); 3].map(|()| draw.whole(-2, 2) * 0.125);
            MovingBox { aabb: Aabb { min, max: min.map(|x| x + 1.0) }, delta }
        })
        .collect()
}

/// A broadphase of proxies, of which each third has a margin if `with_margins` says so.
fn filled(threads: Threads, rows: &[MovingBox], with_margins: bool) -> (Broadphase, Vec<ProxyId>) {
    let (mut world, mut ids) = (Broadphase::with_exec(threads), Vec::new());
    for (k, &moving) in rows.iter().enumerate() {
        let margin = if with_margins && k % 3 == 0 { 0.25 } else { 0.0 };
        let proxy = Proxy::dynamic().with_margin(margin);
        ids.push(world.insert_moving(moving, proxy).expect("the box is valid"));
    }
    (world, ids)
}

/// Three threads, or one if the library has none.
fn three() -> Threads {
    #[cfg(feature = "rayon")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        Threads::of_pool(std::sync::Arc::new(pool))
    }
    #[cfg(not(feature = "rayon"))]
    Threads::one()
}

/// Goal: the boxes, fat AABBs, rejected rows and events are those of a call of `set` for each row, on any threads, for ids in the
/// order of the movers and in reverse. Method: three sets of boxes, of which some are invalid and many leave their fat AABBs;
/// as columns and as rows of a structure; with and without margins. The lists are so long that threads share them.
#[test]
fn long_lists_are_set_as_if_one_by_one() {
    for (with_margins, reversed) in [(false, false), (true, false), (true, true)] {
        let mut draw = Draw::new(5);
        let start = boxes(&mut draw);
        let (mut expected, ids) = filled(Threads::one(), &start, with_margins);
        let mut worlds =
            [Threads::one(), three()].map(|threads| filled(threads, &start, with_margins).0);
        for tick in 0..3 {
            let mut rows = boxes(&mut draw);
            for _ in 0..20 {
                let row = draw.0.random_range(0..COUNT);
                rows[row].aabb.max[row % 3] = if tick == 1 { f32::NAN } else { -1e6 };
            }
            // The first and the last element of a part too.
            rows[4096 * 3].aabb.min[0] = f32::NAN;
            rows[COUNT - 1].delta[1] = f32::INFINITY;
            let order: Vec<usize> =
                if reversed { (0..COUNT).rev().collect() } else { (0..COUNT).collect() };
            let listed: Vec<ProxyId> = order.iter().map(|&row| ids[row]).collect();
            let given: Vec<MovingBox> = order.iter().map(|&row| rows[row]).collect();
            let mut invalid: Vec<(u32, Invalid)> = Vec::new();
            for (k, (&id, moving)) in (0..).zip(listed.iter().zip(&given)) {
                if let Err(error) = expected.set(id, moving.aabb, moving.delta) {
                    let BroadphaseError::Invalid(reason) = error else { panic!("{error}") };
                    invalid.push((k, reason));
                }
            }
            assert!(invalid.len() > 10);
            let wanted = events(expected.update().expect("no limit"));
            let columns: [Vec<f32>; 9] = core::array::from_fn(|k| {
                let number = |moving: &MovingBox| match k / 3 {
                    0 => moving.aabb.min[k % 3],
                    1 => moving.aabb.max[k % 3],
                    _ => moving.delta[k % 3],
                };
                given.iter().map(number).collect()
            });
            for (k, world) in worlds.iter_mut().enumerate() {
                let rejected = match (k + tick) % 2 {
                    0 => world.set_many(&listed, &given[..]),
                    _ => {
                        let columns = columns.each_ref().map(Vec::as_slice);
                        world.set_many(
                            &listed,
                            MovingBoxColumns::from_columns(columns).expect("equal lengths"),
                        )
                    }
                };
                let rejected = rejected.expect("the ids are valid").iter();
                let rejected: Vec<_> = rejected.map(|bad| (bad.row, bad.reason)).collect();
                assert_eq!(rejected, invalid, "{with_margins} {reversed} {tick} {k}");
                assert_eq!(events(world.update().expect("no limit")), wanted);
                for &id in &ids {
                    assert_eq!(world.compared_box(id), expected.compared_box(id));
                    assert_eq!(world.moving_box(id), expected.moving_box(id));
                }
            }
        }
    }
}

/// Goal: a list that needs fewer parts than the one before is set as if one by one. Method: after all rows, the first half of them, which
/// ends inside a part.
#[test]
fn shorter_list_after_a_longer_one_is_set() {
    let mut draw = Draw::new(7);
    let [start, moved, again] = [(); 3].map(|()| boxes(&mut draw));
    let (mut world, ids) = filled(three(), &start, false);
    assert!(world.set_many(&ids, &moved[..]).expect("the ids are valid").is_empty());
    let half = COUNT / 2;
    let rejected = world.set_many(&ids[..half], &again[..half]);
    assert!(rejected.expect("the ids are valid").is_empty());
    for (row, &id) in ids.iter().enumerate() {
        let expected = if row < half { again[row] } else { moved[row] };
        assert_eq!(world.moving_box(id), Some(expected), "{row}");
    }
}

/// Goal: the error names the description of which the margin is invalid, and nothing is inserted. Method: a list with one
/// such description, and one description for all.
#[test]
fn insertion_names_the_row_of_an_invalid_margin() {
    let mut store = MovingBoxStore::new();
    for k in 0..5 {
        store.push(Aabb::cube([k as f32; 3], 1.0).expect("a cube")).expect("a valid box");
    }
    let mut proxies = [Proxy::dynamic(); 5];
    proxies[3] = proxies[3].with_margin(-1.0);
    let (mut world, mut ids) = (Broadphase::new(), Vec::new());
    let error = world.insert_many(&store, &proxies, &mut ids).expect_err("the margin is invalid");
    assert_eq!(error, BroadphaseError::MarginOfRow { row: 3 });
    assert!(error.to_string().starts_with("row 3: "));
    let error = world.insert_many(&store, proxies[3], &mut ids).expect_err("the margin is invalid");
    assert_eq!(error, BroadphaseError::Margin);
    assert!(ids.is_empty() && world.is_empty());
}

/// Goal: rejected rows are listed in order, also those that only a margin makes invalid, which are found last. Method: a mover
/// whose fat AABB would be too large before one whose box is invalid, with rows in the order of the movers and in another one.
#[test]
fn rejected_rows_are_in_order() {
    let cube = Aabb::cube([0.0; 3], 1.0).expect("valid");
    let far = Aabb { min: [COORD_MAX; 3], max: [COORD_MAX; 3] };
    let invalid = Aabb { min: [f32::NAN; 3], max: [1.0; 3] };
    let boxes = [far, invalid, cube, far].map(|aabb| MovingBox { aabb, delta: [0.0; 3] });
    let mut world = Broadphase::new();
    let fat = Proxy::dynamic().with_margin(1.0);
    let ids = [(); 4].map(|()| world.insert(cube, fat).expect("valid"));
    for order in [ids, [ids[3], ids[1], ids[2], ids[0]]] {
        let rejected = world.set_many(&order, &boxes).expect("the ids are valid");
        let rows: Vec<u32> = rejected.iter().map(|rejected| rejected.row).collect();
        assert_eq!(rows, [0, 1, 3]);
        world.validate().expect("no invariant is violated");
    }
}

/// Ids at an address that is no multiple of eight, as in a structure of the caller.
#[repr(C, align(8))]
struct Misaligned {
    before: u32,
    ids: [ProxyId; 4],
}

/// Goal: a list of ids may start at any address that its alignment allows. Method: ids of consecutive movers four bytes past a
/// multiple of eight.
#[test]
fn ids_of_consecutive_movers_are_at_any_address() {
    let boxes = [0.0, 2.0, 4.0, 6.0].map(|x| Aabb::cube([x; 3], 1.0).expect("valid"));
    let mut world = Broadphase::new();
    let ids = boxes.map(|aabb| world.insert(aabb, Proxy::dynamic()).expect("valid"));
    let list = Misaligned { before: 0, ids };
    assert_eq!((list.ids.as_ptr() as usize % 8, list.before), (4, 0));
    let moved = boxes.map(|aabb| MovingBox { aabb, delta: [0.25; 3] });
    let rejected = world.set_many(&list.ids, &moved).expect("the ids are valid");
    assert!(rejected.is_empty());
    assert!(ids.map(|id| world.moving_box(id)).into_iter().eq(moved.map(Some)));
}

/// Goal: a short list after a long one sets its rows alone. Method: more rows than one part of a list has, then the first of them.
#[test]
fn short_list_is_set_after_a_long_one() {
    let mut rows = boxes(&mut Draw::new(6));
    rows.truncate(10_000);
    let (mut world, ids) = filled(Threads::one(), &rows, false);
    assert!(world.set_many(&ids, &rows).expect("the ids are valid").is_empty());
    rows.iter_mut().for_each(|moving| moving.delta = [0.5; 3]);
    assert!(world.set_many(&ids[..100], &rows[..100]).expect("the ids are valid").is_empty());
    let moved =
        ids.iter().filter(|&&id| world.moving_box(id).expect("it exists").delta == [0.5; 3]);
    assert_eq!(moved.count(), 100);
}

/// Goal: `set_enabled_many` does what one call for each proxy does, also for an id that occurs twice, and nothing if an id is stale. Method: a row of
/// boxes that touch their neighbours, every third disabled.
#[test]
fn set_enabled_many_is_set_enabled_of_each() {
    let row: Vec<_> = (0..30)
        .map(|k| Aabb { min: [k as f32, 0.0, 0.0], max: [k as f32 + 1.0, 1.0, 1.0] }.into())
        .collect();
    let (mut many, ids) = filled(Threads::one(), &row, true);
    let (mut each, _) = filled(Threads::one(), &row, true);
    let listed: Vec<_> = ids.iter().copied().step_by(3).chain([ids[0]]).collect();
    for (enabled, ended, begun) in [(false, 19, 0), (false, 0, 0), (true, 0, 19)] {
        many.update().expect("no limit");
        each.update().expect("no limit");
        many.set_enabled_many(&listed, enabled).expect("the ids are valid");
        for &id in &listed {
            each.set_enabled(id, enabled).expect("the id is valid");
        }
        assert_eq!(many.snapshot(), each.snapshot());
        let changes = many.update().expect("no limit");
        assert_eq!((changes.ended().len(), changes.begun().len()), (ended, begun));
        assert_eq!(events(changes), events(each.update().expect("no limit")));
    }
    many.remove(ids[7]).expect("the id is valid");
    let before = many.snapshot();
    let stale = BroadphaseError::StaleOfRow { row: 1, id: ids[7] };
    assert_eq!(many.set_enabled_many(&[ids[3], ids[7]], false), Err(stale));
    assert_eq!(many.snapshot(), before);
}

/// Goal: a displacement alone has the effect of the same box with this displacement, for one proxy and for many, and an error changes nothing.
/// Method: two broadphases with proxies of all kinds, with and without margins, compared by events and snapshots after each tick; invalid
/// displacements, stale ids, and lists of different lengths.
#[test]
fn displacement_alone_is_set_as_with_the_same_box() {
    let mut draw = Draw::new(11);
    let rows = &boxes(&mut draw)[..600];
    let mut worlds = [Broadphase::new(), Broadphase::new(), Broadphase::new()];
    let mut ids = Vec::new();
    for (k, &moving) in rows.iter().enumerate() {
        let proxy = match k % 5 {
            0 => Proxy::fixed(),
            1 => Proxy::sleeping().with_margin(0.25),
            2 => Proxy::kinematic(),
            3 => Proxy::dynamic().with_margin(0.125),
            _ => Proxy::dynamic().disabled(),
        };
        let made = worlds.each_mut().map(|world| world.insert_moving(moving, proxy));
        ids.push(made[0].expect("the box is valid"));
        assert!(made[0] == made[1] && made[0] == made[2]);
    }
    let mut begun = 0;
    for tick in 0..6 {
        let deltas: Vec<[f32; 3]> = ids
            .iter()
            .enumerate()
            .map(|(k, _)| match (k + tick) % 50 {
                7 => [0.0, f32::NAN, 0.0],
                8 => [0.0, 0.0, f32::INFINITY],
                9 => [COORD_MAX, 0.0, 0.0],
                _ => [(); 3].map(|()| draw.whole(-2, 2) * 0.25),
            })
            .collect();
        let [many, single, with_box] = &mut worlds;
        let rejected: Vec<u32> = many
            .set_delta_many(&ids, &deltas)
            .expect("all exist")
            .iter()
            .map(|rejected| rejected.row)
            .collect();
        for ((row, &id), &delta) in (0..).zip(&ids).zip(&deltas) {
            let aabb = with_box.moving_box(id).expect("it exists").aabb;
            let expected = with_box.set(id, aabb, delta);
            assert_eq!(single.set_delta(id, delta), expected);
            assert_eq!(rejected.contains(&row), expected.is_err());
        }
        assert!(rejected.len() > 12);
        let all = worlds.each_mut().map(|world| {
            let events = events(world.update().expect("no limit"));
            world.validate().expect("consistent");
            (events, world.snapshot())
        });
        assert!(all[0].0 == all[1].0 && all[0].0 == all[2].0);
        assert!(all[0].1 == all[1].1 && all[0].1 == all[2].1);
        begun += all[0].0.begun.len();
    }
    assert!(begun > 200, "{begun}");
    let world = &mut worlds[0];
    let before = world.snapshot();
    assert!(matches!(world.set_delta_many(&ids, &[[0.0; 3]; 2]), Err(BroadphaseError::Length(_))));
    let stale = [ids[2], ProxyId::NONE];
    assert_eq!(
        world.set_delta_many(&stale, &[[9.0; 3]; 2]).map(|_| ()),
        Err(BroadphaseError::StaleOfRow { row: 1, id: ProxyId::NONE })
    );
    assert!(world.set_delta(ProxyId::NONE, [0.0; 3]).is_err());
    assert!(world.snapshot() == before);
}
