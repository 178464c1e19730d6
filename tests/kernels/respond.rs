//! Tests of responses: they conserve momentum, push nothing fixed, and leave no box deeper in another.
//!
//! Numbers are compared with `f64`, which has an error of 2⁻⁵⁰ here, within bounds that are derived from the
//! rounding errors of the kernel; comparisons of floats are exact. Comparisons bit by bit are marked as such.

use swath::batch::respond::{Member, Outcome, Response};
use swath::batch::{Body, Contact, ContactState, respond, sweep};
use swath::{Aabb, COORD_MAX, Invalid, MovingBox};
use testkit::bodies::{Meeting, contact_of, meetings};
use testkit::draw::how_many;

/// 2⁻²⁴: bound of one relative rounding error.
const U: f64 = 1.0 / (1 << 24) as f64;
const TINY: f64 = f32::from_bits(1) as f64;

fn one_to_one(a: &Body, b: &Body, restitution: f32) -> Option<Response> {
    respond::one_to_one(a, b, restitution).expect("all is valid")
}

/// The speed at which `b` approaches along the normal; its sign is exact.
fn closing(contact: Contact, a: [f32; 3], b: [f32; 3]) -> bool {
    let Some(axis) = contact.axis() else { return false };
    if contact.normal()[axis] > 0.0 { b[axis] < a[axis] } else { b[axis] > a[axis] }
}

/// All guarantees for the displacements after a contact.
fn deltas_hold(case: &Meeting, contact: Contact, after: [[f32; 3]; 2]) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let bits = |delta: [f32; 3]| delta.map(f32::to_bits);
    let (bodies, before) = ([case.a, case.b], [case.a.moving.delta, case.b.moving.delta]);
    let masses = bodies.map(|body| body.inverse_mass);
    for k in 0..2 {
        must(masses[k] > 0.0 || bits(after[k]) == bits(before[k]), "fixed keeps its displacement")?;
        let valid = MovingBox { delta: after[k], ..MovingBox::default() }.validate();
        must(valid.is_ok(), "a displacement stays valid")?;
    }
    let closed = contact.is_closing() && closing(contact, before[0], before[1]);
    if !closed || masses == [0.0; 2] {
        let same = (0..2).all(|k| bits(after[k]) == bits(before[k]));
        return must(same, "what does not close, or cannot, keeps its displacements");
    }
    must(!closing(contact, after[0], after[1]), "after a response nothing closes")?;
    let axis = contact.axis().expect("it closed along an axis");
    for other in (0..3).filter(|&other| other != axis) {
        let same = (0..2).all(|k| after[k][other].to_bits() == before[k][other].to_bits());
        must(same, "only the normal component changes")?;
    }
    let along = |of: [[f32; 3]; 2]| of.map(|delta| f64::from(delta[axis]));
    let ([a, b], [to_a, to_b]) = (along(before), along(after));
    if to_a.abs().max(to_b.abs()) == f64::from(COORD_MAX) {
        return Ok(()); // a displacement at the limit was clamped
    }
    let relative = b - a;
    let e = f64::from(case.restitution);
    let error = ((to_b - to_a) + e * relative).abs();
    let of_speeds = to_a.abs() + to_b.abs();
    let bound = 16.0 * U * relative.abs() + 2.0 * U * of_speeds + 8.0 * TINY;
    must(error <= bound, "the closing displacement comes back as the restitution says")?;

    let [wa, wb] = masses.map(f64::from);
    if wa > 0.0 && wb > 0.0 {
        let impulse = (1.0 + e) * relative.abs() / (wa + wb);
        let momentum = (to_a - a) / wa + (to_b - b) / wb;
        let momenta = to_a.abs() / wa + to_b.abs() / wb;
        // The last term is for shares below the normal range.
        let tiny = 4.0 * TINY * (1.0 + relative.abs()) * (1.0 / wa + 1.0 / wb);
        let bound = 32.0 * U * impulse + 2.0 * U * momenta + tiny;
        must(momentum.abs() <= bound, "momentum is kept")?;
        let energy = |x: f64, y: f64| x * x / wa + y * y / wb;
        let (was, is) = (energy(a, b), energy(to_a, to_b));
        let rounded = 64.0 * U * (was + is) + tiny * (a.abs() + b.abs() + to_a.abs() + to_b.abs());
        must(is <= was + rounded, "no energy comes from nowhere")?;
    }
    Ok(())
}

/// The depth of the overlap of two boxes on one axis.
fn depth(a: &Aabb, b: &Aabb, axis: usize) -> f64 {
    let rise = f64::from(a.max[axis]) - f64::from(b.min[axis]);
    let fall = f64::from(b.max[axis]) - f64::from(a.min[axis]);
    rise.min(fall).max(0.0)
}

fn at(moving: &MovingBox, t: f32, axis: usize) -> [f64; 2] {
    let by = f64::from(moving.delta[axis]) * f64::from(t);
    [moving.aabb.min[axis], moving.aabb.max[axis]].map(|x| f64::from(x) + by)
}

/// All guarantees for a whole response.
fn holds(case: &Meeting, response: Option<Response>) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let Meeting { a, b, .. } = case;
    let swept = sweep::one_to_one(&a.moving, &b.moving).expect("both are boxes");
    let contact = contact_of(case);
    let Some(response) = response else {
        return must(!contact.is_hit(), "what meets responds");
    };
    must(contact.is_hit(), "what does not meet does nothing")?;
    must(response.contact == contact && response.first == swept.first, "the contact is told")?;
    let fixed = a.inverse_mass == 0.0 && b.inverse_mass == 0.0;
    must((response.outcome == Outcome::BothFixed) == fixed, "two fixed bodies say so")?;
    if fixed {
        return must([response.a, response.b] == [a.moving, b.moving], "two fixed bodies stay");
    }
    deltas_hold(case, contact, [response.a.delta, response.b.delta])?;
    let closed = contact.is_closing() && closing(contact, a.moving.delta, b.moving.delta);
    must((response.outcome == Outcome::Pushed) == closed, "a push is told from none")?;
    must(response.a.validate().is_ok() && response.b.validate().is_ok(), "boxes stay boxes")?;

    let (before, after) = ([a.moving.aabb, b.moving.aabb], [response.a.aabb, response.b.aabb]);
    let came_to_touch = contact.state() == ContactState::Touching;
    if contact.is_surface() {
        must(after == before, "boxes that touch at the start stay there")?;
    }
    let axis = contact.axis().expect("all contacts have an axis here");
    let [lower, upper] = if contact.normal()[axis] > 0.0 { after } else { [after[1], after[0]] };
    must(lower.max[axis] <= upper.min[axis], "they overlap with their surfaces only")?;
    if !came_to_touch {
        for axis in 0..3 {
            let [was, is] = [before, after].map(|of| depth(&of[0], &of[1], axis));
            must(is <= was, "never deeper than before")?;
        }
    }
    for (body, (was, is)) in [a, b].into_iter().zip(before.into_iter().zip(after)) {
        for k in 0..3 {
            let moves = came_to_touch && body.moving.delta[k] != 0.0;
            let pushed = k == axis && body.inverse_mass > 0.0;
            let same = is.min[k] == was.min[k] && is.max[k] == was.max[k];
            must(moves || pushed || same, "what nothing moves stays")?;
            if came_to_touch {
                let d = f64::from((case.b.moving.delta[k] - case.a.moving.delta[k]).abs());
                for (x, meant) in
                    [is.min[k], is.max[k]].into_iter().zip(at(&body.moving, swept.first, k))
                {
                    // Two rounding errors, then the correction for them and for a tie of axes.
                    let size = [was.min[k], was.max[k]].map(|x| f64::from(x.abs()));
                    let others =
                        before.iter().map(|of| f64::from(of.min[k].abs().max(of.max[k].abs())));
                    let reach = size[0].max(size[1]).max(others.fold(0.0, f64::max));
                    let paths = [a, b].map(|body| f64::from(body.moving.delta[k].abs()));
                    let first = f64::from(swept.first);
                    let bound = 16.0 * U * (reach + (paths[0] + paths[1] + d) * first)
                        + 32.0 * U * d * first
                        + 8.0 * TINY * (1.0 + d + paths[0] + paths[1]);
                    let meant = meant.clamp(-f64::from(COORD_MAX), f64::from(COORD_MAX));
                    must(
                        (f64::from(x) - meant).abs() <= bound,
                        "a box stands where it was at the first time",
                    )?;
                }
            }
        }
    }
    Ok(())
}

/// Goal: the guarantees for momentum and position hold for all contacts. Method: hostile contacts, and `f64`.
#[test]
fn responses_conserve_and_never_deepen() {
    let (mut pushed, mut kept, mut fixed, mut touching) = (0, 0, 0, 0);
    let count = how_many(500_000);
    for case in meetings(11, count) {
        let response = one_to_one(&case.a, &case.b, case.restitution);
        if let Err(promise) = holds(&case, response) {
            panic!("{promise}: {response:?}, {case:?}");
        }
        let Some(response) = response else { continue };
        let swapped = one_to_one(&case.b, &case.a, case.restitution).expect("they still touch");
        // If the direction is not defined, mirroring changes neither the normal nor the translation.
        if swapped.contact.normal() == response.contact.normal().map(|n| 0.0 - n) {
            assert_eq!([swapped.b, swapped.a], [response.a, response.b], "{case:?}");
            assert_eq!(swapped.outcome, response.outcome, "{case:?}");
        }
        pushed += usize::from(response.outcome == Outcome::Pushed);
        kept += usize::from(response.outcome == Outcome::Kept);
        fixed += usize::from(response.outcome == Outcome::BothFixed);
        touching += usize::from(response.contact.state() == ContactState::Touching);
    }
    let enough = count / 100;
    let seen = [pushed, kept, fixed, touching];
    assert!(seen.into_iter().all(|seen| seen > enough), "{seen:?}");
}

/// Goal: displacements are those of the specification. Method: integers and powers of two, for which
/// everything is exact, on every axis and side, for every restitution and ratio of masses; no tolerance.
#[test]
fn exact_displacements_equal_the_spec() {
    let cube = |x: [f32; 3], half: f32| Aabb::cube(x, half).expect("a box");
    let a = cube([0.0; 3], 1.0);
    for (axis, side) in (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        for gap in [-0.5, 0.0, 0.5] {
            let mut center = [0.0; 3];
            center[axis] = side * (2.0 + gap);
            let b = cube(center, 1.0);
            for masses in [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 3.0], [6.0, 2.0], [0.0, 0.0]] {
                for (va, vb) in (-4_i16..=4).flat_map(|va| (-4_i16..=4).map(move |vb| (va, vb))) {
                    for restitution in [0.0, 0.5, 1.0] {
                        let mut deltas = [[1.0, -1.0, 1.0], [1.0, -1.0, 1.0]];
                        (deltas[0][axis], deltas[1][axis]) = (f32::from(va), f32::from(vb));
                        let body = |k: usize, aabb| Body {
                            moving: MovingBox { aabb, delta: deltas[k] },
                            inverse_mass: masses[k],
                        };
                        let case = Meeting {
                            family: "by hand",
                            a: body(0, a),
                            b: body(1, b),
                            restitution,
                        };
                        let contact = contact_of(&case);
                        let got = respond::deltas(&case.a, &case.b, contact, restitution);
                        let meant = spec::respond(&case.a, &case.b, contact, restitution);
                        let got = got.map(|deltas| deltas.map(|delta| delta.map(f64::from)));
                        assert_eq!(got, meant, "{case:?}");
                        let response = one_to_one(&case.a, &case.b, restitution);
                        assert_eq!(holds(&case, response), Ok(()), "{response:?}, {case:?}");
                    }
                }
            }
        }
    }
}

/// Goal: a contact on an edge has two axes. Method: touching surfaces on two axes; the boxes close on one and
/// slide on the other, then close on both.
#[test]
fn an_edge_that_slides_past_is_left_alone() {
    let floor = Body::fixed(Aabb::cube([0.0; 3], 1.0).expect("a box")).expect("a body");
    let at_edge = |delta: [f32; 3]| {
        let aabb = Aabb::cube([2.0, 2.0, 0.0], 1.0).expect("a box");
        Body::new(MovingBox { aabb, delta }, 1.0).expect("a body")
    };
    for delta in [[-1.0, 0.0, 0.0], [-1.0, 2.0, 0.0], [0.0, -3.0, 1.0], [1.0, 1.0, 0.0]] {
        let response = one_to_one(&floor, &at_edge(delta), 1.0).expect("they touch");
        assert_eq!((response.outcome, response.b.delta), (Outcome::Kept, delta));
    }
    let response = one_to_one(&floor, &at_edge([-1.0, -2.0, 3.0]), 1.0).expect("they touch");
    assert_eq!((response.outcome, response.b.delta), (Outcome::Pushed, [1.0, -2.0, 3.0]));
    // Two flat boxes in one plane have no interior, so they never close.
    let flat = |delta: f32, inverse_mass| {
        let aabb = Aabb { min: [0.0; 3], max: [0.0, 1.0, 1.0] };
        Body::new(MovingBox { aabb, delta: [delta, 0.0, 0.0] }, inverse_mass).expect("a body")
    };
    for d in [1.0, -1.0] {
        let response = one_to_one(&flat(0.0, 0.0), &flat(d, 1.0), 0.0).expect("they touch");
        assert_eq!((response.outcome, response.b.delta[0]), (Outcome::Kept, d));
    }
}

/// Goal: boxes are pushed apart by no more than the depth if the depth and its shares are floats. Method: an
/// overlap of four steps of 2⁻²², on every axis and side and for several inverse masses; every corner is
/// compared with integers, without tolerance.
#[test]
fn boxes_are_pushed_apart_by_exactly_an_exact_depth() {
    const STEPS: i32 = 1 << 22;
    const DEPTH: i32 = 4;
    let aabb = |[min, max]: [[i32; 3]; 2]| {
        let corner = |of: [i32; 3]| of.map(|steps| steps as f32 / STEPS as f32);
        Aabb { min: corner(min), max: corner(max) }
    };
    for axis in 0..3 {
        // The lower box ends at zero and the upper one starts below it.
        let (mut lower, mut upper) = ([[-STEPS; 3], [STEPS; 3]], [[-STEPS; 3], [STEPS; 3]]);
        (lower[1][axis], upper[0][axis]) = (0, -DEPTH);
        for masses in [[0, 1], [1, 0], [1, 1], [1, 3], [3, 1]] {
            let body = |of, inverse: i32| Body::new(aabb(of), inverse as f32).expect("a body");
            let (a, b) = (body(lower, masses[0]), body(upper, masses[1]));
            let mut expected = [lower, upper];
            for side in 0..2 {
                let share = DEPTH * masses[side] / (masses[0] + masses[1]);
                for corner in &mut expected[side] {
                    corner[axis] += if side == 0 { -share } else { share };
                }
            }
            let expected = expected.map(aabb);
            let response = one_to_one(&a, &b, 0.0).expect("they overlap");
            assert_eq!([response.a.aabb, response.b.aabb], expected, "axis {axis}, {masses:?}");
            let response = one_to_one(&b, &a, 0.0).expect("they overlap");
            assert_eq!([response.b.aabb, response.a.aabb], expected, "axis {axis}, {masses:?}");
        }
    }
}

/// Goal: a fast body is reflected to the side from which it came. Method: a bullet that starts in front of a
/// wall, and one that starts inside it, beyond the middle.
#[test]
fn a_fast_body_leaves_by_the_swept_normal() {
    let wall = Body::fixed(Aabb { min: [0.0, -9.0, -9.0], max: [0.25, 9.0, 9.0] }).expect("a body");
    let bullet = |x: f32| {
        let aabb = Aabb::cube([x, 8.9, 0.0], 0.125).expect("a box");
        Body::new(MovingBox { aabb, delta: [1e6, 0.0, 0.0] }, 4.0).expect("a body")
    };
    let response = one_to_one(&wall, &bullet(-5e5), 0.0).expect("it hits");
    assert_eq!(response.contact.normal(), [-1.0, 0.0, 0.0]);
    assert!(response.b.aabb.max[0] <= 0.0 && response.b.aabb.max[0] > -0.5);
    assert_eq!(response.b.delta, [0.0; 3]);
    let response = one_to_one(&wall, &bullet(0.2), 0.0).expect("it is inside");
    assert_eq!(response.contact.normal(), [1.0, 0.0, 0.0]);
    assert_eq!((response.b.aabb.min[0], response.b.delta[0]), (0.25, 1e6));
}

/// Goal: no axis and no side is special. Method: hostile contacts, mirrored, permuted and scaled by powers of
/// two, compared bit by bit.
#[test]
fn turned_and_scaled_displacements_respond_alike() {
    let mut scaled = 0;
    for (round, case) in meetings(12, 60_000).enumerate() {
        let contact = contact_of(&case);
        let deltas = |a: &Body, b: &Body, contact| {
            respond::deltas(a, b, contact, case.restitution).expect("all is valid")
        };
        let after = deltas(&case.a, &case.b, contact);
        let map = |body: &Body, of: &dyn Fn([f32; 3]) -> [f32; 3]| {
            let moving = MovingBox { delta: of(body.moving.delta), ..body.moving };
            Body { moving, ..*body }
        };
        let turned: Contact = bytemuck::cast(contact.bits() ^ u32::from(contact.axis_mask()) << 3);
        let mirror = |delta: [f32; 3]| delta.map(|x| -x);
        let mirrored = deltas(&map(&case.a, &mirror), &map(&case.b, &mirror), turned);
        assert_eq!(mirrored, after.map(mirror), "{case:?}");
        let swapped = deltas(&case.b, &case.a, turned);
        assert_eq!(swapped, [after[1], after[0]], "{case:?}");
        let again = [map(&case.a, &|_| after[0]), map(&case.b, &|_| after[1])];
        let twice = deltas(&again[0], &again[1], contact);
        assert_eq!(twice.map(|of| of.map(f32::to_bits)), after.map(|of| of.map(f32::to_bits)));
        if let Some(axis) = contact.axis() {
            let lowest =
                contact.bits() & !0x3f | (contact.bits() >> axis & 0b1001) << ((axis + 1) % 3);
            let turn = |[x, y, z]: [f32; 3]| [z, x, y];
            let moved = deltas(&map(&case.a, &turn), &map(&case.b, &turn), bytemuck::cast(lowest));
            assert_eq!(moved, after.map(turn), "{case:?}");
        }
        let factor = 2_f32.powi(round as i32 % 81 - 40);
        let fits = |x: f32| x == 0.0 || (1e-18..1e18).contains(&x.abs());
        let masses = [case.a.inverse_mass, case.b.inverse_mass];
        let plain = masses.into_iter().all(fits) && case.restitution.max(1e-9) != 1e-9;
        let mut numbers = case.a.moving.delta.into_iter().chain(case.b.moving.delta);
        if plain
            && numbers.all(|x| fits(x) && fits(x * factor))
            && after.as_flattened().iter().all(|&x| fits(x))
        {
            let scale = |delta: [f32; 3]| delta.map(|x| x * factor);
            let got = deltas(&map(&case.a, &scale), &map(&case.b, &scale), contact);
            assert_eq!(got, after.map(scale), "{case:?}");
            scaled += 1;
        }
    }
    assert!(scaled > 8_000, "only {scaled} meetings were scaled");
}

/// Goal: a slide is along the face, and no component points into it. Method: hostile contacts, the
/// specification, and every component by itself.
#[test]
fn a_slide_is_the_rest_along_the_faces() {
    for case in meetings(13, 100_000) {
        let swept = sweep::one_to_one(&case.a.moving, &case.b.moving).expect("both are boxes");
        let contact = contact_of(&case);
        for (member, of) in [(Member::A, case.a), (Member::B, case.b)] {
            let delta = of.moving.delta;
            let rest = respond::slide(delta, swept.first, contact, member).expect("it is valid");
            let meant = spec::slide(delta, f64::from(swept.first), contact, member == Member::B);
            let mut other = contact.normal();
            other.iter_mut().for_each(|n| *n = 0.0 - *n);
            for axis in 0..3 {
                let error = (f64::from(rest[axis]) - meant[axis]).abs();
                let bound = 2.0 * U * meant[axis].abs() + TINY;
                assert!(error <= bound, "{rest:?} for {meant:?}, {case:?}");
                assert!(rest[axis].abs() <= delta[axis].abs(), "{case:?}");
            }
            let into = if member == Member::A { contact.normal() } else { other };
            let along: f32 = (0..3).map(|axis| rest[axis] * into[axis]).sum();
            assert!(along <= 0.0, "{rest:?} runs into the face, {case:?}");
        }
    }
    let face: Contact = sweep::one_to_one(
        &Aabb::cube([0.0; 3], 1.0).expect("a box").into(),
        &Aabb::cube([2.0, -2.0, 0.0], 1.0).expect("a box").into(),
    )
    .expect("both are boxes")
    .contact;
    let slide = |delta: [f32; 3], first: f32, member| {
        respond::slide(delta, first, face, member).expect("it is valid")
    };
    // `b` is to the right and below.
    assert_eq!(slide([4.0, 4.0, 4.0], 0.25, Member::A), [0.0, 3.0, 3.0]);
    assert_eq!(slide([-4.0, -4.0, 4.0], 0.25, Member::A), [-3.0, 0.0, 3.0]);
    assert_eq!(slide([4.0, 4.0, 4.0], 0.25, Member::B), [3.0, 0.0, 3.0]);
    assert_eq!(slide([-4.0, -4.0, -4.0], 0.5, Member::B), [0.0, -2.0, -2.0]);
    for (first, left) in [(f32::NAN, 8.0), (-1.0, 8.0), (2.0, 0.0), (f32::INFINITY, 0.0)] {
        assert_eq!(slide([0.0, 0.0, 8.0], first, Member::A), [0.0, 0.0, left]);
    }
    let apart = respond::slide([1.0, 2.0, 3.0], sweep::MISS, Contact::SEPARATED, Member::A);
    assert_eq!(apart, Ok([1.0, 2.0, 3.0]));
    for (axis, bad) in [(0, f32::NAN), (1, f32::INFINITY), (2, f32::NEG_INFINITY)] {
        let mut delta = [1.0; 3];
        delta[axis] = bad;
        let reason = Err(Invalid::NotFinite { axis: axis as u8 });
        assert_eq!(respond::slide(delta, 0.5, face, Member::A), reason);
    }
}

/// Goal: the energy of a ball between two walls is constant, or decreases by the restitution, and the ball
/// never leaves. Method: a thousand ticks of many bounces.
#[test]
fn a_bullet_between_two_walls_stays_between_them() {
    let wall = |x: f32| {
        let aabb = Aabb { min: [x - 0.25, -1e6, -1e6], max: [x + 0.25, 1e6, 1e6] };
        Body::fixed(aabb).expect("a body")
    };
    let walls = [wall(-4.0), wall(4.0)];
    for (restitution, start) in [(1.0, 37.3), (0.5, 12.0), (0.0, 1e4), (1.0, 0.1)] {
        let aabb = Aabb::cube([0.0; 3], 0.5).expect("a box");
        let moving = MovingBox { aabb, delta: [start, 0.01, 0.0] };
        let mut bullet = Body::new(moving, 3.0).expect("a body");
        let mut bounces = 0_i32;
        for _ in 0..1000 {
            let mut left = 1.0_f32;
            for _ in 0..40 {
                // The rest of the tick is treated as a tick of its own.
                let mut part = bullet;
                part.moving.delta = bullet.moving.delta.map(|x| x * left);
                let responses = walls.map(|wall| one_to_one(&wall, &part, restitution));
                let earliest = responses
                    .into_iter()
                    .flatten()
                    .filter(|response| response.outcome == Outcome::Pushed);
                let Some(hit) = earliest.min_by(|x, y| x.first.total_cmp(&y.first)) else {
                    let [x, y, z] = part.moving.delta;
                    let moved = |corner: [f32; 3]| [corner[0] + x, corner[1] + y, corner[2] + z];
                    let Aabb { min, max } = bullet.moving.aabb;
                    bullet.moving.aabb = Aabb { min: moved(min), max: moved(max) };
                    break;
                };
                let speed = bullet.moving.delta[0].abs();
                let along = respond::deltas(&walls[0], &bullet, hit.contact, restitution);
                let [_, after] = along.expect("all is valid");
                assert_eq!(after[0].abs(), speed * restitution);
                bullet.moving = MovingBox { aabb: hit.b.aabb, delta: after };
                left *= 1.0 - hit.first;
                bounces += 1;
            }
            let Aabb { min, max } = bullet.moving.aabb;
            assert!(min[0] >= -3.75 && max[0] <= 3.75, "{bullet:?}, {restitution}");
            assert!((max[0] - min[0] - 1.0).abs() < 1e-3, "{bullet:?}");
        }
        assert!(bounces > 0, "{restitution}");
        let speed = bullet.moving.delta[0].abs();
        let expected = if restitution == 1.0 { start } else { start * restitution.powi(bounces) };
        assert!((speed - expected).abs() <= expected * 1e-6, "{speed} for {expected}");
    }
}

/// Goal: a stack comes to rest, without overlap and without gaining energy. Method: two crates dropped on a
/// floor; contacts get responses in turn until none closes, for many ticks.
#[test]
fn a_stack_on_a_floor_comes_to_rest() {
    let gravity = -0.01_f32;
    for (restitution, weights) in [(0.0, [1.0, 1.0]), (0.3, [1.0, 4.0]), (0.5, [8.0, 1.0])] {
        let aabb = |y: f32| Aabb { min: [0.0, y, 0.0], max: [1.0, y + 1.0, 1.0] };
        let floor = Body::fixed(Aabb { min: [-9.0, -1.0, -9.0], max: [9.0, 0.0, 9.0] });
        let mut bodies = [
            floor.expect("a body"),
            Body::new(aabb(0.5), weights[0]).expect("a body"),
            Body::new(aabb(2.25), weights[1]).expect("a body"),
        ];
        let energy = |bodies: &[Body; 3]| -> f64 {
            let of = |body: &Body| {
                let (y, v) = (f64::from(body.moving.aabb.min[1]), f64::from(body.moving.delta[1]));
                (v * v / 2.0 - f64::from(gravity) * y) / f64::from(body.inverse_mass)
            };
            bodies[1..].iter().map(of).sum()
        };
        let mut most = energy(&bodies);
        for tick in 0..3000 {
            for body in &mut bodies[1..] {
                body.moving.delta[1] += gravity;
            }
            for _ in 0..200 {
                let mut pushed = false;
                for (i, j) in [(0, 1), (1, 2)] {
                    let Some(response) = one_to_one(&bodies[i], &bodies[j], restitution) else {
                        continue;
                    };
                    let was = [bodies[i].moving, bodies[j].moving];
                    pushed |= response.outcome == Outcome::Pushed;
                    (bodies[i].moving, bodies[j].moving) = (response.a, response.b);
                    let deepest = depth(&response.a.aabb, &response.b.aabb, 1);
                    assert!(deepest <= depth(&was[0].aabb, &was[1].aabb, 1), "tick {tick}");
                }
                if !pushed {
                    break;
                }
            }
            for body in &mut bodies {
                let y = body.moving.delta[1];
                (body.moving.aabb.min[1], body.moving.aabb.max[1]) =
                    (body.moving.aabb.min[1] + y, body.moving.aabb.max[1] + y);
            }
            // The speed that still closes after this many rounds moves a body by less than gravity does in a
            // tick.
            for (i, j) in [(0, 1), (1, 2)] {
                let deep = depth(&bodies[i].moving.aabb, &bodies[j].moving.aabb, 1);
                assert!(deep <= 1e-2, "tick {tick}: {deep} of {bodies:?}");
            }
            let now = energy(&bodies);
            // Gravity is added at the start of a tick for the whole tick: g² / 2 for each body.
            let step = f64::from(gravity).powi(2)
                * (1.0 / f64::from(weights[0]) + 1.0 / f64::from(weights[1]));
            assert!(now <= most + step, "tick {tick}: {now} after {most}, {bodies:?}");
            most = most.min(now.max(0.0) + step);
        }
        let heights = [1, 2].map(|k| bodies[k].moving.aabb.min[1]);
        let speeds = [1, 2].map(|k| bodies[k].moving.delta[1].abs());
        assert!(heights[0].abs() < 0.02 && (heights[1] - 1.0).abs() < 0.05, "{heights:?}");
        assert!(speeds.iter().all(|&speed| speed < 0.02), "{speeds:?}");
    }
}
