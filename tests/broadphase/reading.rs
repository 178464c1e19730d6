//! Tests of reading pairs and contacts, and of copying a broadphase.

use swath::batch::sweep::MISS;
use swath::broadphase::{BroadphaseError, Changes, ProxyPair};
use swath::{Aabb, Broadphase, MovingBox, Proxy, ProxyId, ProxyKind, Threads};
use testkit::fuzz::world::events;

fn cube(x: f32) -> Aabb {
    Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] }
}

/// A row of boxes, of which neighbours touch: a moving one, a sleeping one, a fixed one, and so on.
fn row(count: usize) -> (Broadphase, Vec<ProxyId>) {
    let mut world = Broadphase::new();
    let kinds = [Proxy::dynamic(), Proxy::sleeping(), Proxy::fixed()];
    let insert = |k: usize| {
        let proxy = kinds[k % 3].with_margin(0.0625).with_data(100 + k as u64);
        world.insert(cube(k as f32), proxy).expect("the box is valid")
    };
    let ids = (0..count).map(insert).collect();
    (world, ids)
}

/// Goal: the pairs of one proxy, and whether a pair is cached, include resting pairs, before and after one of the two
/// changes, in both layouts of the cached pairs. Method: a row in which a dynamic proxy falls asleep beside sleeping
/// and fixed ones.
#[test]
fn pairs_of_one_proxy_include_resting_pairs() {
    let (mut world, ids) = row(9);
    world.update().expect("no limit");
    let pair = |a: usize, b: usize| ProxyPair::new(ids[a], ids[b]);
    assert_eq!(world.pairs_of(ids[3]), [pair(2, 3), pair(3, 4)]);
    world.set_kind(ids[3], ProxyKind::Sleeping).expect("the id is valid");
    assert!(world.update().expect("no limit").ended().is_empty());
    let check = |world: &mut Broadphase| {
        assert_eq!(world.pairs_of(ids[3]), [pair(2, 3), pair(3, 4)]);
        assert!(world.contains_pair(ids[4], ids[3]) && world.contains_pair(ids[2], ids[3]));
        assert!(!world.contains_pair(ids[3], ids[5]) && !world.contains_pair(ids[3], ids[3]));
    };
    check(&mut world);
    // A change moves resting pairs to the list of those that the next update decides about.
    world.set(ids[3], cube(3.0625), [0.0; 3]).expect("the box is valid");
    check(&mut world);
    world.update().expect("no limit");
    check(&mut world);
    world.remove(ids[3]).expect("the id is valid");
    assert!(world.contains_pair(ids[3], ids[4]), "pairs change only in an update");
    assert_eq!(world.update().expect("no limit").ended(), [pair(2, 3), pair(3, 4)]);
    assert!(!world.contains_pair(ids[3], ids[4]) && world.pairs_of(ids[3]).is_empty());
}

/// Goal: a renewed proxy keeps its id, its pairs begin again without an end, and those that no longer touch are
/// forgotten; in updates that search for few proxies and in those that search for all. Method: a row of movers.
#[test]
fn renewed_proxy_begins_its_pairs_again() {
    // With a function, an update searches for all.
    type Update = fn(&mut Broadphase) -> Changes<'_>;
    let few: Update = |world| world.update().expect("no limit");
    let all: Update = |world| world.update_with(|_| true).expect("no limit");
    for (count, update) in [(4, few), (40, few), (4, all), (40, all)] {
        let mut world = Broadphase::new();
        let proxy = Proxy::dynamic().with_margin(0.0625);
        let ids: Vec<_> =
            (0..count).map(|k| world.insert(cube(k as f32), proxy).expect("valid")).collect();
        for _ in 0..3 {
            update(&mut world);
        }
        world.renew(ids[2]).expect("the id is valid");
        world.set(ids[3], cube(-50.0), [0.0; 3]).expect("the box is valid");
        let changes = update(&mut world);
        let begun: Vec<_> = changes.begun().iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(begun, [(ids[1], ids[2])], "{count}");
        // The pair of 2 and 3 was forgotten, that of 3 and 4 has ended.
        assert_eq!(changes.ended().len(), usize::from(count > 4), "{count}");
        assert!(update(&mut world).begun().is_empty());
        world.renew(ids[1]).expect("the id is valid");
        world.remove(ids[1]).expect("the id is valid");
        assert_eq!(world.renew(ids[1]), Err(BroadphaseError::Stale { id: ids[1] }));
        let changes = update(&mut world);
        assert!(changes.ended().is_empty() && changes.begun().is_empty(), "{count}");
    }
}

/// Goal: a pair that the caller's function rejects is cached for neither proxy, if both are searched for and other pairs
/// are rejected too. Method: a settled row, of which two proxies move to each other, and two to proxies of lower ids; the
/// function rejects all pairs, and is called once for each.
#[test]
fn rejected_pair_is_cached_for_neither_proxy() {
    let mut world = Broadphase::new();
    let proxy = Proxy::dynamic().with_margin(0.0625);
    let ids: Vec<_> =
        (0..40).map(|k| world.insert(cube(2.0 * k as f32), proxy).expect("valid")).collect();
    for _ in 0..3 {
        world.update().expect("no limit");
    }
    for (k, x) in [(4, -50.0), (14, -50.5), (6, 2.5), (8, 4.5)] {
        world.set(ids[k], cube(x), [0.0; 3]).expect("the box is valid");
    }
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let accept = |_| {
        calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        false
    };
    assert!(world.update_with_new(accept).expect("no limit").begun().is_empty());
    assert!(calls.into_inner() >= 3);
    for &id in &ids {
        assert!(world.pairs_of(id).is_empty());
    }
    world.validate().expect("no invariant is violated");
}

/// Goal: an update that fails because of too many pairs forgets nothing: the pairs of a renewed proxy begin in the next
/// one. Method: a limit below the number of pairs.
#[test]
fn renewal_survives_an_update_that_fails() {
    let (mut world, ids) = row(9);
    world.update().expect("no limit");
    let before = world.changes().touching().iter().collect::<Vec<_>>();
    world.renew(ids[3]).expect("the id is valid");
    world.exec.pairs_max = 2;
    world.update().expect_err("there are more pairs");
    world.validate().expect("no invariant is violated");
    assert_eq!(world.pairs().len(), before.len());
    world.exec.pairs_max = usize::MAX;
    assert_eq!(world.update().expect("no limit").begun().len(), 2);
}

/// Goal: pairs that ended have the data of proxies that were removed, for one update. Method: a removal, and a new proxy
/// in the same slot.
#[test]
fn ended_pairs_have_the_data_of_removed_proxies() {
    let (mut world, ids) = row(3);
    world.update().expect("no limit");
    world.remove(ids[0]).expect("the id is valid");
    let new = world.insert(cube(90.0), Proxy::dynamic().with_data(5)).expect("valid");
    assert_eq!(new.index(), ids[0].index());
    let changes = world.update().expect("no limit");
    assert_eq!(changes.ended(), [ProxyPair::new(ids[0], ids[1])]);
    let data = [ids[0], ids[1], new].map(|id| changes.data(id));
    assert_eq!(data, [Some(100), Some(101), Some(5)]);
    assert_eq!(world.update().expect("no limit").data(ids[0]), None);
}

/// Goal: the contact of two proxies is that of their true boxes. Method: boxes that overlap, that touch later, and of
/// which only the fat AABBs touch; comparison by hand. The pairs that overlap now are the first ones only.
#[test]
fn contact_is_that_of_the_true_boxes() {
    let mut world = Broadphase::new();
    let proxy = Proxy::dynamic();
    let wall = world.insert(cube(0.0), Proxy::fixed().with_margin(0.5)).expect("valid");
    let near = world.insert(cube(1.25), proxy).expect("valid");
    let inside = world.insert(cube(0.75), proxy).expect("valid");
    let moving = MovingBox { aabb: cube(-3.0), delta: [4.0, 0.0, 0.0] };
    let shot = world.insert_moving(moving, proxy).expect("valid");
    world.update().expect("no limit");
    let contact = world.contact(wall, near).expect("both exist");
    assert!(contact.sweep.first == MISS && contact.separation.is_none());
    let contact = world.contact(wall, inside).expect("both exist");
    assert_eq!(contact.separation.expect("they overlap").translation(), [0.25, 0.0, 0.0]);
    assert_eq!(contact.sweep.first, 0.0);
    let contact = world.contact(wall, shot).expect("both exist");
    assert!(contact.sweep.first <= 0.5 && contact.sweep.first > 0.499_999);
    assert_eq!(contact.sweep.last, 1.0);
    assert_eq!(contact.sweep.contact.normal(), [-1.0, 0.0, 0.0]);
    let overlapping: Vec<_> = world.overlapping().map(ProxyPair::from).collect();
    assert_eq!(overlapping, [(wall, inside), (near, inside)].map(|(a, b)| ProxyPair::new(a, b)));
    world.remove(near).expect("the id is valid");
    assert_eq!(world.contact(near, wall), Err(BroadphaseError::Stale { id: near }));
}

/// Goal: a copy and a deserialised broadphase give the same later results, and have no changes yet. Method: changes
/// between two updates are pending when it is copied.
#[test]
fn copies_give_the_same_later_results() {
    let (mut world, ids) = row(30);
    world.update().expect("no limit");
    world.set(ids[6], cube(12.5), [0.0; 3]).expect("the box is valid");
    world.remove(ids[3]).expect("the id is valid");
    world.renew(ids[9]).expect("the id is valid");
    #[cfg_attr(not(feature = "serde"), expect(unused_mut, reason = "nothing is pushed"))]
    let mut copies = vec![world.clone()];
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&world).expect("it can be written");
        copies.push(serde_json::from_str(&text).expect("it is valid"));
        let invalid = text.replace("\"cached_slots\":30", "\"cached_slots\":31");
        assert!(invalid != text && serde_json::from_str::<Broadphase>(&invalid).is_err());
    }
    let expected = events(world.update().expect("no limit"));
    assert!(!expected.begun.is_empty() && !expected.ended.is_empty());
    for mut other in copies {
        assert!(other.changes().touching().is_empty());
        assert_eq!(events(other.update().expect("no limit")), expected);
        assert_eq!(other.pairs(), world.pairs());
        other.validate().expect("no invariant is violated");
    }
}

/// Goal: an engine that tests pairs exactly, behind boxes that are rounded outwards, misses no contact if it tests
/// all touching pairs, although the boxes begin to touch long before the bodies do. Method: two spheres in `f64`, whose
/// boxes overlap diagonally from the first tick on.
#[test]
fn exact_contacts_are_found_among_touching_pairs_not_only_begun_ones() {
    let mut world = Broadphase::new();
    let center = |tick: i32| [[0.0; 3], [1.9 - 0.125 * f64::from(tick); 3]];
    let aabb = |center: [f64; 3]| {
        let corner = |by: f64| center.map(|x| x + by);
        Aabb::from_f64(corner(-1.0), corner(1.0)).expect("it is near")
    };
    let ids = center(0).map(|at| world.insert(aabb(at), Proxy::dynamic()).expect("valid"));
    let (mut begun, mut contact) = (None, None);
    for tick in 0..10 {
        let centers = center(tick);
        for (&id, &at) in ids.iter().zip(&centers) {
            world.set(id, aabb(at), [0.0; 3]).expect("the box is valid");
        }
        let changes = world.update().expect("no limit");
        if !changes.begun().is_empty() {
            begun.get_or_insert(tick);
        }
        let distance: f64 = (0..3).map(|k| (centers[1][k] - centers[0][k]).powi(2)).sum();
        if !changes.touching().is_empty() && distance <= 4.0 {
            contact.get_or_insert(tick);
        }
    }
    assert_eq!((begun, contact), (Some(0), Some(6)));
}

/// Goal: changes have data of the proxies that existed in an update, and of no others. Method: a proxy that is inserted into a used or a
/// new slot and removed before the next update, also if a snapshot is restored in between; and one that an update has seen.
#[test]
fn data_of_a_proxy_that_no_update_has_seen_are_unknown() {
    for (used, restored) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut world = Broadphase::new();
        let insert = |world: &mut Broadphase, data: u64| {
            let proxy = Proxy::dynamic().with_data(data);
            world.insert(Aabb::default(), proxy).expect("the box is valid")
        };
        if used {
            let first = insert(&mut world, 3);
            world.update().expect("no limit");
            world.remove(first).expect("the proxy exists");
            assert_eq!(world.update().expect("no limit").data(first), Some(3));
            assert_eq!(world.update().expect("no limit").data(first), None);
        }
        let id = insert(&mut world, 5);
        assert_eq!((id.index(), id.generation()), (0, u32::from(used)));
        if restored {
            let snapshot = world.snapshot();
            world.restore(&snapshot);
            assert!(world.snapshot() == snapshot);
        }
        world.remove(id).expect("the proxy exists");
        assert_eq!(world.update().expect("no limit").data(id), None, "{used} {restored}");

        let id = insert(&mut world, 7);
        assert_eq!(world.update().expect("no limit").data(id), Some(7));
        world.set_data(id, 8).expect("the proxy exists");
        world.remove(id).expect("the proxy exists");
        assert_eq!(world.update().expect("no limit").data(id), Some(8), "{used} {restored}");
    }
}

/// Goal: the hash of the events differs if a pair, an id or a first time does, and is the same on one thread and for a broadphase that was restored.
/// Method: ticks of a row with one difference each.
#[test]
fn hash_of_changes_depends_on_pairs_ids_and_times() {
    let (mut world, ids) = row(12);
    world.update().expect("no limit");
    let before = world.snapshot();
    let mut hash_after = |edit: &dyn Fn(&mut Broadphase)| {
        let [one, all] = [Threads::one(), Threads::current()].map(|threads| {
            world.exec.threads = threads;
            world.restore(&before);
            edit(&mut world);
            let hash = world.update().expect("no limit").hash();
            assert_eq!(world.changes().hash(), hash);
            hash
        });
        assert_eq!(one, all);
        one
    };
    let place = |x: f32, dx: f32| {
        let id = ids[3];
        move |world: &mut Broadphase| {
            world.set_margin(id, 0.0).expect("valid");
            world.set(id, cube(x), [dx, 0.0, 0.0]).expect("valid");
        }
    };
    let reuse_slot = |world: &mut Broadphase| {
        world.remove(ids[3]).expect("the id is valid");
        let again = world.insert(cube(3.0), Proxy::dynamic().with_margin(0.0625)).expect("valid");
        assert_eq!(again.index(), ids[3].index());
    };
    let hashes = [
        hash_after(&|_| ()),
        hash_after(&place(30.0, 0.0)),   // pairs end
        hash_after(&place(30.0, -25.5)), // other pairs begin
        hash_after(&place(30.0, -26.0)), // the same pairs, at other times
        hash_after(&reuse_slot),
    ];
    for (k, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..k].contains(hash), "hash {k}");
    }
    assert_eq!(hash_after(&|_| ()), hashes[0]);
}
