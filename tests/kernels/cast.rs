//! Tests of the cast of a segment against a box: its result is that of `spec`, and it is never late.
//!
//! The first inputs are exact in `f32`, and results must be equal. Then follow hostile inputs, with bounds
//! that are derived from the rounding errors of the kernel. Comparisons bit by bit are marked as such.

use swath::batch::cast::polyhedron::Polyhedron;
use swath::batch::cast::{Cast, MISS, polyhedron};
use swath::batch::{Facets, SegmentStart, cast, sweep};
use swath::{Aabb, COORD_MAX, Invalid, MovingBox, Plane, Segment};
use testkit::draw::how_many;
use testkit::exact_cast::{exact_cast, holds};
use testkit::promises::{ABSOLUTE, RELATIVE};
use testkit::rays::{Ray, rays};
use testkit::segments::cast_bits;

/// Error of `spec`: about 2⁻⁵¹.
const SPEC: f64 = 1.0 / (1_u64 << 50) as f64;

fn one_to_one(segment: &Segment, aabb: &Aabb) -> Cast {
    cast::one_to_one(segment, aabb).expect("a segment and a box")
}

/// The expected bits of a result if every quotient is exact: the fractions moved by the documented slack of
/// the kernel, 4·2⁻²⁴ of them and 2⁻¹⁴⁸.
fn slackened(spec: &spec::Cast, max_fraction: f32) -> Cast {
    if !spec.faces.is_hit() {
        return Cast::MISS;
    }
    let (part, tiny) = (4.0 / (1 << 24) as f32, f32::from_bits(2));
    Cast {
        entry: (spec.entry as f32 * (1.0 - part) - tiny).max(0.0),
        exit: (spec.exit as f32 * (1.0 + part) + tiny).min(max_fraction),
        faces: spec.faces,
    }
}

#[track_caller]
fn equals_spec(segment: &Segment, aabb: &Aabb) {
    let spec = spec::cast(segment, aabb).expect("a segment and a box");
    let expected = slackened(&spec, segment.max_fraction);
    assert_eq!(one_to_one(segment, aabb), expected, "{segment:?} and {aabb:?}");
}

const ENDS: [f32; 7] = [0.0, 0.25, 0.5, 1.0, 2.0, 1.75, f32::INFINITY];

/// Goal: every order of a start and two faces gives the right result. Method: all of them.
///
/// Numbers are integers and the motion is zero or a power of two, so every quotient is exact and equality
/// needs no tolerance. Flat boxes are included, and segments that end at a face.
#[test]
fn every_order_of_a_start_and_two_faces_equals_the_spec() {
    let powers = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0_f32];
    for d in powers.into_iter().flat_map(|d| [d, -d]).chain([0.0, -0.0]) {
        for (min, max) in (0..=4_u8).flat_map(|min| (min..=4).map(move |max| (min, max))) {
            for start in -1..=5_i8 {
                for (axis, max_fraction) in (0..3).flat_map(|axis| ENDS.map(|end| (axis, end))) {
                    let mut aabb = Aabb { min: [-1.0; 3], max: [1.0; 3] };
                    (aabb.min[axis], aabb.max[axis]) = (f32::from(min), f32::from(max));
                    let mut segment = Segment { max_fraction, ..Segment::default() };
                    (segment.start[axis], segment.delta[axis]) = (f32::from(start), d);
                    equals_spec(&segment, &aabb);
                }
            }
        }
    }
}

/// Goal: the axes are combined as in the specification. Method: every way in which a point can pass an
/// interval, on each axis.
#[test]
fn every_combination_of_three_axes_equals_the_spec() {
    let mut ways = Vec::new();
    for d in [-2.0, -1.0, 0.0, 1.0, 2.0] {
        for start in [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0_f32] {
            ways.push([0.0, 1.0, start, d]);
        }
        ways.push([0.0, 0.0, 0.0, d]);
    }
    let mut ends = ENDS.into_iter().cycle();
    for x in &ways {
        for y in &ways {
            for (z, max_fraction) in ways.iter().zip(ends.by_ref()) {
                let column = |k: usize| [x[k], y[k], z[k]];
                let segment = Segment { start: column(2), delta: column(3), max_fraction };
                equals_spec(&segment, &Aabb { min: column(0), max: column(1) });
            }
        }
    }
}

/// Goal: never missed, never late, and hardly early. Method: hostile segments, compared with fractions of
/// integers, which have no rounding error.
#[test]
fn casts_keep_their_promises() {
    for ray in rays(1, how_many(300_000)) {
        let exact = exact_cast(&ray.segment, &ray.aabb);
        let answer = one_to_one(&ray.segment, &ray.aabb);
        if let Err(promise) = holds(&ray, &answer, &exact) {
            let entry = exact.entry.approximately();
            let left = exact.left.map_or(f64::INFINITY, |left| left.approximately());
            panic!("{promise}: {answer:?} for {entry:e}..{left:e}, {ray:?}");
        }
    }
}

/// Goal: `spec` is accurate. Method: the same segments, compared with fractions of integers.
#[test]
fn spec_is_exact_to_its_last_digits() {
    for ray in rays(2, 100_000) {
        let exact = exact_cast(&ray.segment, &ray.aabb);
        let spec = spec::cast(&ray.segment, &ray.aabb).expect("a segment and a box");
        let near = |x: f64, y: f64| x == y || (x - y).abs() <= SPEC * y.abs();
        let entry = exact.entry.approximately();
        let exit = exact.exit().map_or(f64::INFINITY, |exit| exit.approximately());
        if spec.faces.is_hit() != exact.is_hit() {
            assert!(!exact.never && near(entry, exit), "{spec:?}, {ray:?}");
            continue;
        }
        assert_eq!(spec.margin >= 0.0, exact.is_hit(), "{spec:?}, {ray:?}");
        if exact.is_hit() {
            assert_eq!(spec.faces.start(), exact.start, "{ray:?}");
            assert!(near(spec.entry, entry) && near(spec.exit, exit), "{spec:?}, {ray:?}");
            if exact.start != SegmentStart::Outside {
                let standing = u32::from(exact.standing[0]) | u32::from(exact.standing[1]) << 3;
                assert_eq!(spec.faces.bits() & 0x3f, standing, "{ray:?}");
            }
        }
    }
}

/// Goal: the bounds hold for more segments than integer arithmetic has time for. Method: comparison with
/// `spec`.
#[test]
fn casts_agree_with_the_spec() {
    let slack = |f: f64| f * 2_f64.powi(-RELATIVE) + 2_f64.powi(-ABSOLUTE);
    let reach = 2_f64.powi(127);
    for ray in rays(3, 1_000_000) {
        let spec = spec::cast(&ray.segment, &ray.aabb).expect("a segment and a box");
        let answer = one_to_one(&ray.segment, &ray.aabb);
        let (entry, exit) = (f64::from(answer.entry), f64::from(answer.exit));
        if !answer.faces.is_hit() {
            assert!(!spec.faces.is_hit() || spec.entry > reach, "missed: {ray:?}");
            assert_eq!(cast_bits(&answer), cast_bits(&Cast::MISS));
        } else if !spec.faces.is_hit() {
            assert!(spec.margin >= -3.0 * slack(exit), "{answer:?} for {spec:?}, {ray:?}");
        } else {
            let (late, early) = (entry - spec.entry, spec.exit - exit);
            assert!(late <= SPEC * entry && -late <= slack(spec.entry), "{answer:?}, {ray:?}");
            let exits = early <= SPEC * exit && -early <= slack(spec.exit);
            let beyond = exit == f64::INFINITY && spec.exit > reach;
            assert!(exits || beyond, "{answer:?} for {spec:?}, {ray:?}");
            assert_eq!(answer.faces.start(), spec.faces.start(), "{ray:?}");
            let (named, exact) = (answer.faces.entry_axis_mask(), spec.faces.entry_axis_mask());
            assert_eq!(named & exact, exact, "{ray:?}");
        }
    }
}

/// Goal: a moving point is a segment. Method: the sweep of a point and the cast agree within the sum of their
/// bounds; their bits may differ, because the one divides and the other multiplies.
#[test]
fn a_cast_is_the_sweep_of_a_point() {
    let slack = |f: f64| f * 2_f64.powi(1 - RELATIVE) + 2_f64.powi(1 - ABSOLUTE);
    let mut hits = 0;
    for mut ray in rays(4, 300_000) {
        ray.segment.max_fraction = 1.0;
        let point = Aabb { min: ray.segment.start, max: ray.segment.start };
        let point = MovingBox { aabb: point, delta: ray.segment.delta };
        let still = MovingBox::from(ray.aabb);
        let swept = sweep::one_to_one(&still, &point).expect("both are boxes");
        let cast = one_to_one(&ray.segment, &ray.aabb);
        let meant = spec::sweep(&still, &point).expect("both are boxes");
        let meant_cast = spec::cast(&ray.segment, &ray.aabb).expect("a segment and a box");
        assert_eq!((meant.first, meant.last), (meant_cast.entry, meant_cast.exit), "{ray:?}");
        let axes = meant.contact.axis_mask();
        assert_eq!(axes, meant_cast.faces.entry_axis_mask(), "{ray:?}");
        if swept.contact.is_hit() != cast.faces.is_hit() {
            assert!(!meant.contact.is_hit() && meant.margin >= -slack(1.0), "{ray:?}");
            continue;
        }
        if cast.faces.is_hit() {
            let near =
                |x: f32, y: f32| (f64::from(x) - f64::from(y)).abs() <= slack(f64::from(y.max(x)));
            assert!(near(swept.first, cast.entry), "{swept:?}, {cast:?}, {ray:?}");
            assert!(near(swept.last, cast.exit), "{swept:?}, {cast:?}, {ray:?}");
            assert_eq!(swept.contact.is_surface(), cast.faces.start() == SegmentStart::OnSurface);
            if meant.contact.is_hit() && axes == swept.contact.axis_mask() & 7 {
                let flat = |k: usize| ray.aabb.min[k] == ray.aabb.max[k];
                let axis = cast.faces.entry_axis();
                if axis == swept.contact.axis() && !axis.is_some_and(flat) {
                    assert_eq!(cast.faces.entry_normal(), swept.contact.normal(), "{ray:?}");
                }
            }
            hits += 1;
        }
    }
    assert!(hits > 50_000, "only {hits} hit");
}

/// Faults of the publications: the promised normal is not returned, a start inside is not distinguished from
/// one on the surface, NaN hits at 0, and the exit is dropped.
#[test]
fn faults_of_the_published_cast_are_absent() {
    let aabb = Aabb { min: [-1.0; 3], max: [1.0; 3] };
    let normal = |start: [f32; 3], delta: [f32; 3]| {
        let cast = one_to_one(&Segment { start, delta, max_fraction: 1.0 }, &aabb);
        (cast.faces.start(), cast.faces.entry_normal(), cast.faces.exit_normal())
    };
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let on_axis = |x: f32| {
                let mut vector = [0.0; 3];
                vector[axis] = x;
                vector
            };
            let (out, back) = (on_axis(side), on_axis(-side));
            let fast = on_axis(-8.0 * side);
            assert_eq!(normal(on_axis(3.0 * side), fast), (SegmentStart::Outside, out, back));
            assert_eq!(normal(out, fast), (SegmentStart::OnSurface, out, back));
            assert_eq!(normal([0.0; 3], fast), (SegmentStart::Inside, [0.0; 3], back));
            assert_eq!(normal([0.0; 3], on_axis(0.5)), (SegmentStart::Inside, [0.0; 3], [0.0; 3]));
            for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut bad = Segment { start: [0.0; 3], delta: on_axis(1.0), max_fraction: 1.0 };
                bad.start[axis] = number;
                let error = Err(Invalid::NotFinite { axis: axis as u8 });
                assert_eq!(cast::one_to_one(&bad, &aabb), error);
                bad = Segment { start: [0.0; 3], delta: on_axis(number), max_fraction: 1.0 };
                assert_eq!(cast::one_to_one(&bad, &aabb), error);
                let mut no_box = aabb;
                no_box.max[axis] = number;
                assert_eq!(cast::one_to_one(&Segment::default(), &no_box), error);
            }
        }
    }
    let bad = Segment { max_fraction: f32::NAN, ..Segment::default() };
    assert_eq!(cast::one_to_one(&bad, &aabb), Err(Invalid::MaxFraction));
}

/// Goal: a segment that starts past a box, within the rounding of a quotient that underflows, enters through the face behind which it is, and
/// not through one that it has left behind. Method: boxes so near behind the start that the fractions are above −2⁻¹²⁶.
#[test]
fn a_start_past_the_box_by_less_than_rounding_enters_through_the_face_beside_it() {
    let power = |exponent: i32| 2_f32.powi(exponent);
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let along = |x: f32| {
                let mut vector = [0.0; 3];
                vector[axis] = x * side;
                vector
            };
            let segment = Segment { start: [0.0; 3], delta: along(power(100)), max_fraction: 1.0 };
            let mut aabb = Aabb { min: [-1.0; 3], max: [1.0; 3] };
            let (near, far) = (-power(-51) * side, -3.0 * power(-49) * side);
            (aabb.min[axis], aabb.max[axis]) = (near.min(far), near.max(far));
            let cast = one_to_one(&segment, &aabb);
            assert_eq!((cast.entry, cast.faces.start()), (0.0, SegmentStart::Outside));
            assert_eq!(cast.faces.entry_normal(), along(1.0), "{axis} {side}");
        }
    }
}

/// Goal: fractions near the limits of `f32` are as documented. Method: fractions near 2¹²⁷ and below the
/// least normal number.
#[test]
fn ray_reaches_the_documented_fractions_and_no_box_beside_it() {
    let at = |distance: f32, d: f32| {
        let ray = Segment::ray([0.0; 3], [d, 0.0, 0.0]).expect("a ray");
        one_to_one(&ray, &Aabb::new([distance, -1.0, -1.0], [distance * 1.5, 1.0, 1.0]).unwrap())
    };
    let power = |exponent: i32| 2_f32.powi(exponent);
    for (distance, d) in [(1.0, -127), (power(60), -67), (power(100), -27), (power(-22), -149)] {
        let tiny = if d < -126 { f32::from_bits(1 << (149 + d)) } else { power(d) };
        let cast = at(distance, tiny);
        assert!(cast.entry <= power(127) && cast.entry > power(127) * 0.999_999, "{cast:?}");
        assert_eq!(cast.faces.entry_normal(), [-1.0, 0.0, 0.0]);
        assert!(cast.exit >= power(127) * 1.5 && cast.exit.is_finite(), "{cast:?}");
        let leaves_late = at(distance * 1.5, tiny);
        assert!(leaves_late.entry.is_finite() && leaves_late.exit == f32::INFINITY);
        assert_eq!(at(distance * 2.0, tiny), Cast::MISS);
    }
    // Beside a box for all fractions, however near.
    for d in [0.0, -0.0] {
        let ray = Segment::ray([0.0; 3], [d, 1.0, 0.0]).expect("a ray");
        for off in [f32::from_bits(1), 1e-30, 1.0, COORD_MAX] {
            let beside = |min: f32, max: f32| {
                let aabb = Aabb::new([min, -1.0, -1.0], [max, 1.0, 1.0]).expect("a box");
                one_to_one(&ray, &aabb).faces.is_hit()
            };
            assert!(!beside(off, COORD_MAX) && !beside(-COORD_MAX, -off));
            assert!(beside(0.0, off) && beside(-off, 0.0) && beside(0.0, 0.0));
        }
    }
}

/// Goal: no direction of space is special. Method: each set of axes mirrored, compared bit by bit.
#[test]
fn mirrored_axes_mirror_the_normals() {
    for (mirrored, ray) in (1..8).cycle().zip(rays(6, 60_000)) {
        let mut other = ray;
        let mut turned = one_to_one(&ray.segment, &ray.aabb);
        let mut bits = turned.faces.bits();
        for axis in (0..3).filter(|axis| mirrored >> axis & 1 == 1) {
            other.segment.start[axis] = -ray.segment.start[axis];
            other.segment.delta[axis] = -ray.segment.delta[axis];
            (other.aabb.min[axis], other.aabb.max[axis]) =
                (-ray.aabb.max[axis], -ray.aabb.min[axis]);
            // On both faces of a flat box and not moving, the direction is not defined.
            let still = ray.segment.delta[axis] == 0.0
                && [ray.aabb.min, ray.aabb.max].iter().all(|x| x[axis] == ray.segment.start[axis]);
            if !still {
                bits ^= (bits & (1 << axis)) << 3;
            }
            bits ^= (bits & (1 << (6 + axis))) << 3;
        }
        let answer = one_to_one(&other.segment, &other.aabb);
        turned.faces = bytemuck::cast(bits);
        assert_eq!(cast_bits(&answer), cast_bits(&turned), "{mirrored:#b}, {ray:?}");
    }
}

/// Goal: no axis is special, except that the normal is that of the lowest one. Method: each order of axes.
#[test]
fn permuted_axes_permute_the_faces() {
    let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (order, ray) in orders.into_iter().cycle().zip(rays(7, 60_000)) {
        let permute = |of: [f32; 3]| order.map(|axis| of[axis]);
        let Ray { segment, aabb, .. } = ray;
        let (start, delta) = (permute(segment.start), permute(segment.delta));
        let [entry, exit, faces] = cast_bits(&one_to_one(&segment, &aabb));
        let mut permuted = faces & !0xfff;
        for (to, from) in order.into_iter().enumerate() {
            permuted |= (faces >> from & 0b1_001_001_001) << to;
        }
        let answer = one_to_one(
            &Segment { start, delta, ..segment },
            &Aabb { min: permute(aabb.min), max: permute(aabb.max) },
        );
        assert_eq!(cast_bits(&answer), [entry, exit, permuted], "{order:?}, {ray:?}");
    }
}

/// Goal: the unit of length changes nothing. Method: powers of two, compared bit by bit, if all numbers
/// remain normal.
#[test]
fn a_power_of_two_scales_to_the_same_bits() {
    let mut scaled = 0;
    for (exponent, ray) in (-60..=60).cycle().zip(rays(8, 60_000)) {
        let scale = |of: [f32; 3]| of.map(|x| x * 2_f32.powi(exponent));
        let Ray { segment, aabb, .. } = ray;
        let of =
            |segment: &Segment, aabb: &Aabb| [segment.start, segment.delta, aabb.min, aabb.max];
        let larger =
            Segment { start: scale(segment.start), delta: scale(segment.delta), ..segment };
        let larger_box = Aabb { min: scale(aabb.min), max: scale(aabb.max) };
        let (small, large) = (of(&segment, &aabb), of(&larger, &larger_box));
        let numbers = small.iter().flatten().zip(large.iter().flatten());
        let mut normal = numbers.map(|(x, y)| {
            (*x == 0.0 && *y == 0.0) || x.is_normal() && y.is_normal() && y.abs() <= COORD_MAX
        });
        if normal.all(|normal| normal) {
            let expected = cast_bits(&one_to_one(&segment, &aabb));
            let answer = cast_bits(&one_to_one(&larger, &larger_box));
            assert_eq!(answer, expected, "2^{exponent}, {ray:?}");
            scaled += 1;
        }
    }
    assert!(scaled > 20_000, "only {scaled} were scaled");
}

/// Goal: a box in another box is entered later and left sooner. Method: boxes enlarged on random sides,
/// compared without tolerance, because rounding is monotonic.
#[test]
fn a_larger_box_is_entered_no_later_and_left_no_sooner() {
    let grown = [0.0, f32::from_bits(1), 1e-3, 1.0, 1e6, 1e30];
    for (k, ray) in rays(9, 100_000).enumerate() {
        let mut larger = ray.aabb;
        for axis in 0..3 {
            larger.min[axis] -= grown[(k + axis) % 6];
            larger.max[axis] += grown[(k / 6 + axis) % 6];
        }
        if larger.validate().is_err() {
            continue;
        }
        let (inner, outer) =
            (one_to_one(&ray.segment, &ray.aabb), one_to_one(&ray.segment, &larger));
        assert!(outer.faces.is_hit() || !inner.faces.is_hit(), "{ray:?}");
        if inner.faces.is_hit() {
            assert!(outer.entry <= inner.entry && outer.exit >= inner.exit, "{ray:?}");
        }
    }
}

/// Goal: the end of a segment decides only where the segment ends. Method: the same segment, longer.
#[test]
fn a_longer_segment_is_entered_at_the_same_fraction() {
    for ray in rays(10, 100_000) {
        let longer = Segment { max_fraction: f32::INFINITY, ..ray.segment };
        let (cut, whole) = (one_to_one(&ray.segment, &ray.aabb), one_to_one(&longer, &ray.aabb));
        let reached = whole.faces.is_hit() && whole.entry <= ray.segment.max_fraction + 0.0;
        assert_eq!(cut.faces.is_hit(), reached, "{ray:?}");
        if reached {
            assert_eq!(cut.entry.to_bits(), whole.entry.to_bits(), "{ray:?}");
            let exit = whole.exit.min(ray.segment.max_fraction + 0.0);
            // Which zero `min` returns is not defined.
            assert!(cut.exit == exit && cut.exit.is_sign_positive(), "{ray:?}");
            assert_eq!(cut.faces.bits() & 0x3f, whole.faces.bits() & 0x3f, "{ray:?}");
        }
    }
}

/// Goal: points are at the reported fractions. Method: exact dyadic numbers.
#[test]
fn a_hit_has_points_and_a_miss_has_none() {
    let segment = Segment::new([-4.0, 0.5, 0.0], [8.0, 0.0, 0.0]).expect("a segment");
    let aabb = Aabb::cube([0.0; 3], 1.0).expect("a box");
    let cast = one_to_one(&segment, &aabb);
    let [x, y, z] = cast.entry_point(&segment).expect("a hit");
    assert!(x <= -1.0 && x > -1.000_01 && y == 0.5 && z == 0.0);
    let [x, y, z] = cast.exit_point(&segment).expect("a hit");
    assert!((1.0..1.000_01).contains(&x) && y == 0.5 && z == 0.0);
    assert_eq!(Cast::MISS.entry_point(&segment), None);
    assert_eq!(Cast::MISS.exit_point(&segment), None);
    let stays = Segment::ray([0.0; 3], [0.0; 3]).expect("a ray");
    let cast = one_to_one(&stays, &aabb);
    assert_eq!((cast.entry, cast.exit), (0.0, MISS));
    assert_eq!((cast.entry_point(&stays), cast.exit_point(&stays)), (Some([0.0; 3]), None));
    let none: Vec<Plane> = Vec::new();
    let space = Polyhedron::new(&none).expect("all of space");
    let cast = polyhedron::one_to_one(&stays, &space).expect("a segment");
    assert_eq!((cast.entry, cast.exit, cast.facets.start()), (0.0, MISS, SegmentStart::Inside));
    assert_eq!((cast.facets.entry_plane(), cast.facets.exit_plane()), (None, None));
    assert!(Facets::MISS.entry_plane().is_none() && !Facets::MISS.is_hit());
}
