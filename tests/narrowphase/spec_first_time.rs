//! Tests of `spec::first_time`: its bracket contains the exact first time.
//!
//! First motions whose time has a closed form; then integers, for which a linear program or the facets of the
//! Minkowski difference give the exact time; then hostile families, for which the proved facts are checked in
//! other ways; at last, that the judge of other results rejects each that violates a guarantee.

use std::collections::BTreeMap;

use spec::{Core, FirstTime, MovingSolid, Solid, first_time};
use swath::{Aabb, MovingBox};
use testkit::convex_cases::{ConvexCase, FAMILIES, convex_cases, on_lattice};
use testkit::convex_promises::{Answer, Tolerance, Truth, judged, keeps_its_promises};
use testkit::draw::{Draw, how_many};
use testkit::exact_convex::ExactPair;

/// Rounding error of a closed form.
const ROUNDING: f64 = 1e-13;

fn point(radius: f64) -> Solid {
    Solid { core: Core::Hull(vec![[0.0; 3]]), radius }
}

fn cuboid(half: [f64; 3]) -> Solid {
    Solid { core: Core::cuboid(half), radius: 0.0 }
}

/// Checks that the bracket contains `t` and is as narrow as documented.
#[track_caller]
fn is_at(found: FirstTime, t: f64) {
    let FirstTime::Hit { free_until, hit_at } = found else {
        panic!("{found:?} is no hit, but there is one at {t}");
    };
    assert!(free_until <= t + ROUNDING && t - ROUNDING <= hit_at, "{found:?} is not at {t}");
    assert!(hit_at - free_until < 1e-8, "{found:?} is wide");
}

/// Goal: two balls touch at the root of a quadratic. Method: random positions, motions and radii, the root in
/// `f64`; pairs that pass each other are free, depending on the distance at which they pass.
#[test]
fn balls_touch_at_a_root_of_a_quadratic() {
    let mut draw = Draw::new(1);
    let mut hits = 0;
    for _ in 0..3_000 {
        let mut number = |size: f32| f64::from(draw.between(-size, size));
        let p = [0; 3].map(|_| number(4.0));
        // Towards the other, and sideways.
        let d = p.map(|x| number(1.0) * 2.0 - 2.0 * x);
        let radii = [number(1.0).abs(), number(1.0).abs()];
        let target = number(0.2).max(0.0);
        let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
        let reach = radii[0] + radii[1] + target;
        let a = MovingSolid::resting(point(radii[0]), [1.0, 2.0, 3.0]);
        let mut b = MovingSolid::resting(point(radii[1]), [0, 1, 2].map(|k| a.position[k] + p[k]));
        b.delta = d;
        b.spin = [3.0, 1.0, 0.0]; // a ball may turn
        let found = first_time(&a, &b, target, [0.0, 1.0]);
        let inside = dot(p, d) * dot(p, d) - dot(d, d) * (dot(p, p) - reach * reach);
        let t = (-dot(p, d) - inside.max(0.0).sqrt()) / dot(d, d);
        if dot(p, p) <= reach * reach {
            assert_eq!(found, FirstTime::Hit { free_until: 0.0, hit_at: 0.0 });
        } else if inside > 1e-9 && (0.0..=1.0 - 1e-9).contains(&t) {
            is_at(found, t);
            hits += 1;
        } else if inside < -1e-9 || !(-1e-9..=1.0 + 1e-9).contains(&t) {
            assert_eq!(found, FirstTime::Free, "{inside} {t}");
        }
    }
    assert!(hits > 300, "{hits} hits");
}

/// Goal: the displacement by an acceleration is half its square. Method: head on along one axis, with motions
/// that turn round before, at and after the contact.
#[test]
fn accelerated_balls_touch_at_a_root_of_a_quadratic() {
    for (gap, speed, pull, expected) in [
        (1.0, 0.0, 2.0, Some(1.0)),
        (2.0, 1.0, 4.0, Some((-1.0 + 17.0_f64.sqrt()) / 4.0)),
        (0.5, 3.0, -8.0, Some(0.25)),
        (0.6, 3.0, -8.0, None),
        (0.25, -1.0, 6.0, Some(0.5)),
    ] {
        let a = MovingSolid::resting(point(0.5), [0.0; 3]);
        let mut b = MovingSolid::resting(point(0.25), [0.75 + gap, 0.0, 0.0]);
        (b.delta, b.accel) = ([-speed, 0.0, 0.0], [-pull, 0.0, 0.0]);
        let found = first_time(&a, &b, 0.0, [0.0, 2.0]);
        match expected {
            Some(t) => is_at(found, t),
            None => assert_eq!(found, FirstTime::Free),
        }
    }
    // The turning point is the contact: 3²/(2·8) = 0.5625.
    let a = MovingSolid::resting(point(0.5), [0.0; 3]);
    let mut b = MovingSolid::resting(point(0.25), [0.75 + 0.5625, 0.0, 0.0]);
    (b.delta, b.accel) = ([-3.0, 0.0, 0.0], [8.0, 0.0, 0.0]);
    let FirstTime::Graze { t, gap } = first_time(&a, &b, 0.0, [0.0, 1.0]) else {
        panic!("either answer is right")
    };
    assert!((t - 0.375).abs() < 1e-6 && gap.abs() < 1e-9);
}

/// Goal: boxes without rotation touch when all three intervals overlap. Method: `spec::sweep`, which computes
/// no distances.
#[test]
fn boxes_touch_when_intervals_overlap() {
    let mut draw = Draw::new(2);
    let mut hits = 0;
    for _ in 0..3_000 {
        let mut moving = || {
            let half = [0; 3].map(|_| draw.between(0.0, 1.0));
            let center = [0; 3].map(|_| draw.between(-3.0, 3.0));
            let aside = draw.between(0.0, 2.0);
            let delta = center.map(|x| draw.between(-1.0, 1.0) * aside - x * 1.5);
            let aabb = Aabb {
                min: [0, 1, 2].map(|k| center[k] - half[k]),
                max: [0, 1, 2].map(|k| center[k] + half[k]),
            };
            MovingBox { aabb, delta }
        };
        let solid = |moving: &MovingBox| {
            let MovingBox { aabb, delta } = moving;
            let wide = |k: usize| [f64::from(aabb.min[k]), f64::from(aabb.max[k])];
            let ends = [0, 1, 2].map(wide);
            let solid = cuboid(ends.map(|[min, max]| (max - min) / 2.0));
            let place = ends.map(|[min, max]| (max + min) / 2.0);
            MovingSolid { delta: delta.map(f64::from), ..MovingSolid::resting(solid, place) }
        };
        let (a, b) = (moving(), moving());
        let expected = spec::sweep(&a, &b).expect("both are boxes");
        let found = first_time(&solid(&a), &solid(&b), 0.0, [0.0, 1.0]);
        if expected.first == 0.0 {
            assert_eq!(found, FirstTime::Hit { free_until: 0.0, hit_at: 0.0 });
        } else if expected.margin > 1e-9 && expected.first <= 1.0 {
            is_at(found, expected.first);
            hits += 1;
        } else if expected.margin < -1e-9 || expected.first > 1.0 {
            assert_eq!(found, FirstTime::Free);
        }
    }
    assert!(hits > 300, "{hits} hits");
}

/// Goal: a rotating rod reaches a wall when its tip does. Method: `long·cos(angle) + round = far`; several
/// turns per tick, in both directions, the wall near and just out of reach.
#[test]
fn tip_reaches_a_wall_at_an_arc_cosine() {
    let mut draw = Draw::new(3);
    for _ in 0..400 {
        let long = f64::from(draw.between(0.5, 4.0));
        let round = draw.one_of(&[0.0, 0.25]);
        let rate = f64::from(draw.between(2.0, 25.0) * draw.sign());
        let far = long * f64::from(draw.between(0.1, 0.99)) + round;
        let rod =
            Solid { core: Core::Hull(vec![[0.0, -long, 0.0], [0.0, long, 0.0]]), radius: round };
        let wall = MovingSolid::resting(cuboid([1.0, 9.0, 9.0]), [far + 1.0, 0.0, 0.0]);
        let rod = MovingSolid { spin: [0.0, 0.0, rate], ..MovingSolid::resting(rod, [0.0; 3]) };
        // It starts parallel to the wall; the nearer tip rotates by a right angle less an arc cosine.
        let t = (std::f64::consts::FRAC_PI_2 - ((far - round) / long).acos()) / rate.abs();
        is_at(first_time(&rod, &wall, 0.0, [0.0, 1.0]), t);
        is_at(first_time(&wall, &rod, 0.0, [0.0, 1.0]), t);
        let out = MovingSolid::resting(cuboid([1.0, 9.0, 9.0]), [long + round + 1.001, 0.0, 0.0]);
        assert_eq!(first_time(&rod, &out, 0.0, [0.0, 1.0]), FirstTime::Free);
    }
}

/// Goal: flat shapes do not pass through each other unnoticed. Method: a point through a triangle and two
/// crossing rods, fast and slow, at known times; beside them they are free.
#[test]
fn thin_shapes_do_not_pass_through_each_other() {
    let hull = |points: &[[f64; 3]]| Solid { core: Core::Hull(points.to_vec()), radius: 0.0 };
    let triangle = hull(&[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]);
    let rod = hull(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    let across = hull(&[[0.0, -1.0, 0.0], [0.1, 1.0, 0.0]]);
    for speed in [0.5, 3.0, 1e3, 1e6] {
        for part in [0.1, 0.3, 0.7, 0.999] {
            for (flat, thin) in [(&triangle, &point(0.0)), (&rod, &across)] {
                let still = MovingSolid::resting(flat.clone(), [0.0; 3]);
                let mut shot = MovingSolid::resting(thin.clone(), [0.01, 0.02, speed * part]);
                shot.delta = [0.0, 0.0, -speed];
                is_at(first_time(&still, &shot, 0.0, [0.0, 1.0]), part);
                is_at(first_time(&shot, &still, 0.0, [0.0, 1.0]), part);
                shot.position[0] += 2.5;
                assert_eq!(first_time(&still, &shot, 0.0, [0.0, 1.0]), FirstTime::Free);
            }
        }
    }
}

/// Goal: a body that passes a plane beside the triangle in it has no contact. Method: a point on a triangle
/// leaves it over an edge, and only then sinks below the plane.
#[test]
fn point_beside_a_triangle_has_no_contact() {
    let corners = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let triangle = Solid { core: Core::Hull(corners), radius: 0.0 };
    for (inside, hits) in [(1e-7, false), (0.5, true)] {
        let still = MovingSolid::resting(triangle.clone(), [0.0; 3]);
        let mut sliding = MovingSolid::resting(point(0.0), [0.0, inside - 1.0, 8e-14]);
        sliding.delta = [0.0, -5.0, -1e-6];
        for found in [
            first_time(&still, &sliding, 0.0, [0.0, 1.0]),
            first_time(&sliding, &still, 0.0, [0.0, 1.0]),
        ] {
            assert_eq!(matches!(found, FirstTime::Hit { .. }), hits, "{found:?}");
        }
    }
}

/// One float more or less at some places.
fn nudged(draw: &mut Draw, mut case: ConvexCase) -> ConvexCase {
    for motion in &mut case.motions {
        for x in motion.position.iter_mut().chain(&mut motion.delta) {
            if *x != 0.0 && draw.one_in(4) {
                *x = if draw.one_in(2) { x.next_up() } else { x.next_down() };
            }
        }
    }
    case
}

/// Goal: the bracket contains the exact first time, a free pair is free and a graze is one. Method: polyhedra
/// on integers and one float beside them, with ties, flat ones, touches at the start and edges that graze; an
/// exact linear program, and the facets for accelerated pairs.
#[test]
fn brackets_contain_the_exact_time() {
    let mut draw = Draw::new(4);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..how_many(500) {
        let mut case = on_lattice(&mut draw);
        for motion in &mut case.motions {
            motion.orientation = [0.0, 0.0, 0.0, 1.0];
        }
        if draw.one_in(3) {
            case = nudged(&mut draw, case);
        }
        let small = case.shapes.iter().all(|s| s.corners().is_some_and(|c| c.len() <= 8));
        let pair = ExactPair::of(&case).expect("polyhedra that do not turn");
        let by_facets = if small { pair.first_time_by_facets() } else { None };
        let exact = if pair.is_straight() {
            let exact = pair.first_time();
            if let Some(facets) = by_facets {
                assert_eq!(exact.is_some(), facets.is_some(), "{case:?}");
                assert!((exact.unwrap_or(0.0) - facets.unwrap_or(0.0)).abs() < ROUNDING);
                *counts.entry("both ways").or_default() += 1;
            }
            exact
        } else {
            match by_facets {
                Some(exact) => exact,
                None => continue,
            }
        };
        let [a, b] = case.solids();
        let found = first_time(&a, &b, 0.0, [0.0, 1.0]);
        let kind = match (exact, found) {
            (Some(t), FirstTime::Hit { free_until, hit_at }) => {
                let holds = free_until <= t + ROUNDING && t - ROUNDING <= hit_at;
                assert!(holds, "{found:?} is not at {t}: {case:?}");
                if t == 0.0 { "hits at the start" } else { "hits" }
            }
            (Some(t), FirstTime::Graze { t: from, .. }) => {
                assert!(from <= t + ROUNDING, "{found:?} is after {t}: {case:?}");
                if t == 0.0 { "touches at the start" } else { "grazes that touch" }
            }
            (None, FirstTime::Free) => "free",
            (None, FirstTime::Graze { gap, .. }) => {
                assert!(gap < 1e-6, "{found:?}, but it is free: {case:?}");
                "grazes that pass"
            }
            _ => panic!("{found:?}, but the first time is {exact:?}: {case:?}"),
        };
        *counts.entry(kind).or_default() += 1;
        *counts.entry(if pair.is_straight() { "straight" } else { "accelerated" }).or_default() +=
            1;
    }
    println!("{counts:?}");
    for kind in ["hits", "hits at the start", "touches at the start", "grazes that touch", "free"] {
        assert!(counts.get(kind).is_some_and(|&count| count > 1), "{kind}: {counts:?}");
    }
}

/// Goal: before the bracket no distance is at most the target, and hits are within it. Method: every hostile
/// family; distances at other times than those of the search, each with its own proof.
#[test]
fn free_intervals_are_free() {
    let mut draw = Draw::new(5);
    let mut counts: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for case in convex_cases(6, how_many(5_000)) {
        let [a, b] = case.solids();
        let (target, [from, to]) = (f64::from(case.target), case.window.map(f64::from));
        let found = first_time(&a, &b, target, [from, to]);
        let row = counts.entry(case.family).or_default();
        let (free_until, kind) = match found {
            FirstTime::Hit { free_until, hit_at } => {
                assert!(from <= free_until && free_until <= hit_at && hit_at <= to, "{found:?}");
                let there = spec::distance(&a, &b, hit_at);
                // A flat body may have passed already.
                let passed = Truth::of(&case).speed_max * (hit_at - free_until).min(1e-8);
                let over = there.lower - target - there.noise;
                assert!(over <= passed, "{found:?} {there:?} {case:?}");
                (free_until, if hit_at == from { 3 } else { 0 })
            }
            FirstTime::Free => (to, 1),
            FirstTime::Graze { t, .. } => (t, 2),
            FirstTime::Open { free_until } => (free_until, 4),
        };
        row[kind] += 1;
        for _ in 0..if free_until > from { 6 } else { 0 } {
            let part = f64::from(draw.between(0.0, 1.0));
            let t =
                from + (free_until - from) * if draw.one_in(2) { part } else { 1.0 - part * 1e-3 };
            let there = spec::distance(&a, &b, t);
            assert!(there.upper > target - there.noise, "{found:?} {t} {there:?} {case:?}");
        }
    }
    for (family, [hits, free, grazes, starts, open]) in &counts {
        println!(
            "{family:26} hits {hits:5} at once {starts:5} free {free:5} graze {grazes:4} open {open}"
        );
    }
    assert_eq!(counts.len(), FAMILIES.len());
    let sum = |kind: usize| counts.values().map(|row| row[kind]).sum::<usize>();
    let all = (0..5).map(sum).sum::<usize>();
    assert!(sum(0) * 4 > all && sum(1) * 4 > all && sum(2) * 20 < all, "{counts:?}");
    assert!(sum(4) * 2_000 < all, "{counts:?}");
}

/// Goal: the result does not depend on the order of the bodies, nor on the position. Method: swapped, and
/// moved by a number that can be added without rounding.
#[test]
fn order_and_position_do_not_matter() {
    for case in convex_cases(7, 1_000) {
        let [a, b] = case.solids();
        let (target, window) = (f64::from(case.target), case.window.map(f64::from));
        let ends = |found: FirstTime| match found {
            FirstTime::Hit { free_until, hit_at } => [free_until, hit_at],
            FirstTime::Graze { t, .. } => [t, f64::INFINITY],
            FirstTime::Open { free_until } => [free_until, f64::INFINITY],
            FirstTime::Free => [window[1], f64::INFINITY],
        };
        let [free, hit] = ends(first_time(&a, &b, target, window));
        let [free_swapped, hit_swapped] = ends(first_time(&b, &a, target, window));
        // If one search proves a pair free, the other does not hit.
        assert!(free <= hit_swapped && free_swapped <= hit, "{case:?}");
    }
}

const TOLERANCE: Tolerance = Tolerance { distance: 1e-7, points: 1e-6, unit: 1e-6 };

/// A correct result for the bracket.
fn answer(truth: &Truth) -> Answer {
    match truth.first {
        FirstTime::Hit { free_until, hit_at } if free_until == hit_at => Answer::Overlapping,
        FirstTime::Hit { free_until, .. } => impact(truth, rounded_down(free_until)),
        FirstTime::Graze { t, .. } => impact(truth, rounded_down(t)),
        _ => Answer::Separated,
    }
}

fn rounded_down(t: f64) -> f32 {
    let near = t as f32;
    if f64::from(near) > t { near.next_down().max(0.0) } else { near }
}

fn impact(truth: &Truth, t: f32) -> Answer {
    let there = spec::distance(&truth.a, &truth.b, f64::from(t));
    let narrow = |v: [f64; 3]| v.map(|x| x as f32);
    let [on_a, on_b, normal] = [there.on_a, there.on_b, there.normal].map(narrow);
    Answer::Impact { t, on_a, on_b, normal }
}

/// Goal: the judge accepts correct results. Method: results made from the brackets of every family.
#[test]
fn judge_accepts_correct_results() {
    for case in convex_cases(8, 2_000) {
        if case.window == [0.0, 1.0] {
            keeps_its_promises(&case, &answer(&Truth::of(&case)), &TOLERANCE);
        }
    }
}

/// Goal: the judge rejects results that violate a guarantee. Method: correct results, each changed in one
/// way.
#[test]
fn judge_rejects_wrong_results() {
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    for case in convex_cases(9, 1_500) {
        let truth = Truth::of(&case);
        let FirstTime::Hit { free_until, hit_at } = truth.first else {
            if truth.first == FirstTime::Free {
                let there = spec::distance(&truth.a, &truth.b, case.window[0].into());
                if there.lower > f64::from(case.target) + 0.01 * truth.size {
                    let said = judged(&truth, &Answer::Overlapping, &TOLERANCE);
                    assert!(said.is_err(), "{case:?}");
                    *refused.entry("overlap").or_default() += 1;
                }
            }
            continue;
        };
        assert!(judged(&truth, &Answer::Separated, &TOLERANCE).is_err(), "{case:?}");
        let late = (hit_at as f32).next_up();
        if late > case.window[1] || free_until == hit_at {
            continue;
        }
        for late in [Answer::Unresolved { t_safe: late }, impact(&truth, late)] {
            assert!(judged(&truth, &late, &TOLERANCE).is_err(), "{late:?} {case:?}");
        }
        *refused.entry("late").or_default() += 1;
        let good = answer(&truth);
        let Answer::Impact { t, on_a, on_b, normal } = good else { continue };
        if t < case.window[0] {
            continue;
        }
        let off = spec::distance(&truth.a, &truth.b, f64::from(t));
        let size = (off.on_a.iter().chain(&off.on_b).fold(1.0, |m: f64, x| m.max(x.abs()))) as f32;
        let moved = |p: [f32; 3]| [0, 1, 2].map(|k| p[k] - normal[k] * size * 40.0);
        let turned = normal.map(|x| -x);
        let longer = normal.map(|x| x * 1.01);
        let nan = [f32::NAN; 3];
        // The side of b that faces away from a is on its shape, too, but not near a.
        let beyond = [0, 1, 2].map(|k| off.on_b[k] + off.normal[k] * 10.0 * truth.size);
        let back = MovingSolid::resting(point(0.0), beyond);
        let back = spec::distance(&back, &truth.b, f64::from(t)).on_b;
        let thick = (0..3).map(|k| (back[k] - off.on_b[k]) * off.normal[k]).sum::<f64>();
        let back = back.map(|x| x as f32);
        for (promise, broken) in [
            ("a witness is on", Answer::Impact { t, on_a: moved(on_a), on_b, normal }),
            ("a witness is on", Answer::Impact { t, on_a, on_b: moved(moved(turned)), normal }),
            ("witnesses are as far", Answer::Impact { t, on_a, on_b: back, normal }),
            ("a normal is unit", Answer::Impact { t, on_a, on_b, normal: longer }),
            ("a normal is unit", Answer::Impact { t, on_a, on_b, normal: nan }),
            ("a witness is on", Answer::Impact { t, on_a: nan, on_b, normal }),
            ("an impact is in the", Answer::Impact { t: f32::NAN, on_a, on_b, normal }),
        ] {
            if promise.starts_with("witnesses") && thick < 0.01 * truth.size {
                continue;
            }
            let said = judged(&truth, &broken, &TOLERANCE);
            let right = said.as_ref().is_err_and(|said| said.starts_with(promise));
            assert!(right, "{promise}: {said:?} {broken:?} {case:?}");
            *refused.entry(promise).or_default() += 1;
        }
        // Far too early, unless the shapes are as near at that time.
        let early = impact(&truth, t * 0.5);
        let then = spec::distance(&truth.a, &truth.b, f64::from(t) * 0.5);
        if then.lower > f64::from(case.target) + 1e-2 * f64::from(size) && case.window[0] == 0.0 {
            let said = judged(&truth, &early, &TOLERANCE);
            let right = said.as_ref().is_err_and(|said| said.starts_with("at an impact"));
            assert!(right, "{said:?} {early:?} {case:?}");
            *refused.entry("early").or_default() += 1;
        }
        // The reversed normal does not separate two shapes of some thickness.
        let flipped = Answer::Impact { t, on_a, on_b, normal: turned };
        let gap = spec::gap(&truth.a, &truth.b, f64::from(t), turned.map(f64::from));
        if gap < off.lower - 1e-2 * f64::from(size) {
            assert!(judged(&truth, &flipped, &TOLERANCE).is_err(), "{flipped:?} {case:?}");
            *refused.entry("flipped").or_default() += 1;
        }
    }
    for way in ["overlap", "late", "early", "flipped", "witnesses are as far"] {
        assert!(refused.get(way).is_some_and(|&count| count > 50), "{way}: {refused:?}");
    }
}
