//! Tests that an update that fails, or in which the caller's function panics, leaves the broadphase as it was.

use std::panic::{AssertUnwindSafe, catch_unwind};
use swath::broadphase::{FindError, ProxyPair};
use swath::{Aabb, Broadphase, Proxy, ProxyId, ProxyKind, Threads};
use testkit::fuzz::world::events;

fn cube(x: f32) -> Aabb {
    Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] }
}

/// A broadphase on one thread with boxes at these positions.
fn world(boxes: &[(f32, Proxy)]) -> (Broadphase, Vec<ProxyId>) {
    let mut world = Broadphase::with_exec(Threads::one());
    let insert = |&(x, proxy)| world.insert(cube(x), proxy).expect("the box is valid");
    let ids = boxes.iter().map(insert).collect();
    (world, ids)
}

/// Checks that there are no events.
fn assert_empty(world: &Broadphase, gone: ProxyId) {
    let changes = world.changes();
    assert!(changes.begun().is_empty() && changes.ended().is_empty());
    assert!(changes.touching().is_empty());
    assert_eq!((changes.persisted().len(), changes.persisted().count()), (0, 0));
    assert_eq!(changes.data(gone), None);
}

/// Goal: no event of an update is visible in which the caller's function panics, after pairs have begun or before. Method: the function
/// is called for a pair that may rest, after the events of the others are known, and for a pair that begins to rest.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn events_of_an_update_that_panics_are_not_visible() {
    let (dynamic, fixed) = (Proxy::dynamic(), Proxy::fixed());
    let (mut world, ids) = world(&[(0.0, dynamic), (0.5, fixed), (9.0, dynamic.with_data(7))]);
    let resting = ProxyPair::new(ids[0], ids[1]);
    world.update().expect("no limit");
    world.remove(ids[2]).expect("the proxy exists");
    assert_eq!(world.update().expect("no limit").data(ids[2]), Some(7));
    world.set_kind(ids[0], ProxyKind::Sleeping).expect("the proxy exists");
    for x in [20.0, 20.5] {
        world.insert(cube(x), dynamic).expect("the box is valid");
    }
    let before = world.snapshot();
    let update = || {
        let _ = world.update_with(|pair| pair != resting || panic!("of the test"));
    };
    assert!(catch_unwind(AssertUnwindSafe(update)).is_err());
    assert_empty(&world, ids[2]);
    assert!(world.snapshot() == before);
    let changes = world.update().expect("no limit");
    assert_eq!((changes.begun().len(), changes.ended().len()), (1, 0));

    let kinds = world.kind_table().with(ProxyKind::Fixed, ProxyKind::Sleeping);
    world.set_kind_table(kinds);
    world.insert(cube(0.25), fixed).expect("the box is valid");
    let before = world.snapshot();
    let update = || {
        let _ = world.update_with_new(|_| panic!("of the test"));
    };
    assert!(catch_unwind(AssertUnwindSafe(update)).is_err());
    assert_empty(&world, ids[2]);
    assert!(world.snapshot() == before);
    assert_eq!(world.update().expect("no limit").begun().len(), 1);
}

/// Goal: after a panic of the function for new pairs, in an update that searches for few proxies, it is still known which proxies have
/// changed. Method: settled boxes, of which two are renewed, one is put beside another, and one falls asleep; the snapshots before and
/// after the panic are compared, then the next updates with those of a broadphase in which nothing panicked. A pair that was
/// rejected before is not decided anew.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn changes_of_proxies_are_known_after_a_panic_for_a_new_pair() {
    let boxes: Vec<_> = (0..64).map(|k| (2.0 * k as f32, Proxy::dynamic())).collect();
    let (mut world, ids) = world(&boxes);
    for _ in 0..3 {
        world.update().expect("no limit");
    }
    let rejected = ProxyPair::new(ids[4], ids[5]);
    // The table makes the update search for all pairs, after which a mover that has changed is not settled.
    let kinds = world.kind_table();
    world.set_kind_table(kinds.with(ProxyKind::Kinematic, ProxyKind::Kinematic));
    world.set(ids[4], cube(9.5), [0.0; 3]).expect("the box is valid");
    assert!(world.update_with_new(|pair| pair != rejected).expect("no limit").begun().is_empty());

    world.set(ids[20], cube(42.5), [0.0; 3]).expect("the box is valid");
    world.set_kind(ids[30], ProxyKind::Sleeping).expect("the proxy exists");
    for id in [ids[20], ids[40]] {
        world.renew(id).expect("the proxy exists");
    }
    let mut other = world.clone();
    let before = world.snapshot();
    let update = || {
        let _ = world.update_with_new(|_| panic!("of the test"));
    };
    assert!(catch_unwind(AssertUnwindSafe(update)).is_err());
    world.validate().expect("no invariant is violated");
    assert_empty(&world, ProxyId::NONE);
    assert!(world.snapshot() == before);
    for update in 0..3 {
        let [found, expected] = [&mut world, &mut other]
            .map(|world| events(world.update_with_new(|_| true).expect("no limit")));
        assert!(found == expected, "update {update}");
        assert_eq!(found.begun.len(), usize::from(update == 0));
        world.validate().expect("no invariant is violated");
    }
}

/// Goal: an update that finds too many pairs changes nothing but the result of the last update, which is discarded. Method: one pair is
/// allowed; another one begins, and its proxies are renewed.
#[test]
fn update_with_too_many_pairs_discards_only_the_last_result() {
    let proxy = Proxy::dynamic();
    let (mut world, ids) =
        world(&[(0.0, proxy), (0.5, proxy), (9.0, proxy), (20.0, proxy.with_data(7))]);
    world.update().expect("no limit");
    world.remove(ids[3]).expect("the proxy exists");
    assert_eq!(world.update().expect("no limit").touching().len(), 1);
    world.exec.pairs_max = 1;
    world.set(ids[2], cube(1.25), [0.0; 3]).expect("the box is valid");
    world.renew(ids[0]).expect("the proxy exists");
    let (before, pairs) = (world.snapshot(), world.pairs().to_vec());
    let error = FindError::TooManyPairs { found: 2, most: 1 };
    assert_eq!(world.update_with_new(|_| true).err(), Some(error));
    assert_empty(&world, ids[3]);
    assert!(world.snapshot() == before && world.pairs() == pairs);
    world.validate().expect("no invariant is violated");
    world.exec.pairs_max = 2;
    assert_eq!(world.update().expect("two pairs").begun().len(), 2);
}
