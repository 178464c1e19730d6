//! Tests of the points of the surfaces that a distance and an impact contain, for rounded shapes whose cores almost touch, and of depths.

use scenes::convex::rotation;
use swath::convex::gjk::{self, Distance};
use swath::convex::toi::{self, Settings, ToiResult, Touch};
use swath::convex::{Hull, OwnedShape};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};
use testkit::exact::{Whole, whole};

/// The number of kinds of [`core`].
const KINDS: usize = 6;

/// A core without a radius, about one length unit large.
fn core(draw: &mut Draw, kind: usize) -> OwnedShape {
    let [x, y, z] = [0; 3].map(|_| draw.between(0.1, 1.1));
    let mut point = || [0; 3].map(|_| draw.between(-1.0, 1.0));
    let shape = match kind {
        0 => Shape::cuboid([x, y, z]),
        1 => Shape::capsule(x, 0.0),
        2 => Shape::cylinder(x, y),
        3 => Shape::cone(x, y),
        4 => Shape::triangle([point(), point(), point()]),
        _ => return OwnedShape::hull(Hull::new((0..20).map(|_| point())).expect("a hull")),
    };
    shape.expect("lengths").into()
}

/// The identity in a quarter of all cases.
fn turned(draw: &mut Draw) -> [f32; 4] {
    if draw.one_in(4) { Pose::IDENTITY.rotation } else { rotation(&mut draw.0) }
}

fn distance((a, of_a): (&OwnedShape, &Pose), (b, of_b): (&OwnedShape, &Pose)) -> Distance {
    gjk::distance(&a.shape(), of_a, &b.shape(), of_b).expect("poses")
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Poses of two cores that are moved together along their normals until their distance is about the wanted one.
fn moved_together(draw: &mut Draw, [a, b]: [&OwnedShape; 2], wanted: f32) -> [Pose; 2] {
    let of_a = Pose::new([0.0; 3], turned(draw)).expect("a pose");
    let at = [0; 3].map(|_| draw.between(-4.0, 4.0));
    let mut of_b = Pose::new(at, turned(draw)).expect("a pose");
    for _ in 0..3 {
        let found = distance((a, &of_a), (b, &of_b));
        for axis in 0..3 {
            of_b.position[axis] -= found.normal[axis] * (found.distance - wanted);
        }
    }
    [of_a, of_b]
}

/// By how much the points of a distance are not apart by it along the normal.
fn off_along_normal(found: &Distance) -> f64 {
    let Distance { distance, normal, on_a, on_b } = found;
    length([0, 1, 2].map(|axis| {
        f64::from(on_b[axis])
            - f64::from(on_a[axis])
            - f64::from(*distance) * f64::from(normal[axis])
    }))
}

/// Goal: the points of a distance are apart by the distance along the normal, also if the cores are so close to each other that the
/// direction between their nearest points is not known. Method: all pairs of kinds of cores that are moved together until they
/// touch or almost, and then get a radius.
#[test]
fn surface_points_of_cores_that_touch_are_apart_along_the_normal() {
    let mut draw = Draw::new(71);
    let mut overlapping = 0;
    for case in 0..how_many(10_000) {
        let draw = &mut draw;
        let [a, b] = [case % KINDS, case / KINDS % KINDS].map(|kind| core(draw, kind));
        let radius = draw.one_of(&[0.0625, 0.25, 1.0]);
        let wanted = draw.one_of(&[0.0, 1e-7, 1e-6, 1e-5, 1e-3]);
        let [of_a, of_b] = moved_together(draw, [&a, &b], wanted);
        let [a, b] = [a, b].map(|core| core.rounded(radius).expect("a radius"));
        let found = distance((&a, &of_a), (&b, &of_b));
        let off = off_along_normal(&found);
        assert!(off <= 1e-3 * f64::from(radius), "{case} {off:e} {found:?} {a:?} {b:?}");
        overlapping += usize::from(found.distance < -radius);
    }
    assert!(overlapping > 9000, "{overlapping}");
}

/// Goal: the points of an impact are apart by at most the tolerance, also if the radii are about as large as that, so that the cores
/// count as touching. Method: all pairs of kinds of cores that fly at each other, straight and rotating.
#[test]
fn surface_points_of_an_impact_are_apart_by_at_most_the_tolerance() {
    let mut draw = Draw::new(72);
    let settings = Settings { touch: Touch::Hit, ..Settings::default() };
    let mut impacts = [0; 2];
    for case in 0..how_many(100_000) {
        let draw = &mut draw;
        let [a, b] = [case % KINDS, case / KINDS % KINDS].map(|kind| core(draw, kind));
        let least = a.shape().size().min(b.shape().size()) * f64::from(settings.tolerance);
        let radius = draw.one_of(&[0.5, 1.0, 1.8, 1.99]) * least as f32;
        let [a, b] = [a, b].map(|core| core.rounded(radius).expect("a radius"));
        let tolerance = a.shape().size().min(b.shape().size()) * f64::from(settings.tolerance);
        let at = [0; 3].map(|_| draw.between(-4.0, 4.0));
        let delta = at.map(|x| draw.between(-1.0, 1.0) - x);
        let mut of_a = Motion::from(Pose::new([0.0; 3], turned(draw)).expect("a pose"));
        let mut of_b =
            Motion::new(Pose::new(at, turned(draw)).expect("a pose"), delta).expect("a motion");
        let straight = draw.one_in(2);
        if !straight {
            of_a.spin = [0; 3].map(|_| draw.between(-1.0, 1.0));
            of_b.spin = [0; 3].map(|_| draw.between(-1.0, 1.0));
        }
        let found =
            toi::one_to_one(&a.shape(), &of_a, &b.shape(), &of_b, &settings).expect("motions");
        let ToiResult::Impact { t, on_a, on_b, .. } = found.result else { continue };
        if t == 0.0 {
            continue;
        }
        let apart = length([0, 1, 2].map(|axis| f64::from(on_b[axis]) - f64::from(on_a[axis])));
        // Points are rounded to `f32`.
        let most = 1.01 * tolerance + 1e-6;
        assert!(apart <= most, "{case} {apart:e} {tolerance:e} {found:?} {a:?} {b:?}");
        impacts[usize::from(straight)] += 1;
    }
    assert!(impacts.iter().all(|&count| count > how_many(100_000) / 10), "{impacts:?}");
}

/// Goal: a body that is moved along the normal by the depth has the target distance, in exact arithmetic. Method: balls that overlap;
/// squares of whole numbers.
#[test]
fn balls_moved_by_the_depth_of_their_overlap_are_apart() {
    let mut draw = Draw::new(73);
    let mut overlaps = 0;
    let one = whole(1.0);
    for case in 0..how_many(10_000) {
        let [r, s, target_distance] = [0; 3].map(|_| draw.between(0.125, 1.0));
        let target_distance = if draw.one_in(2) { 0.0 } else { target_distance };
        let reach = r + s + target_distance;
        let at = [0; 3].map(|_| draw.between(-0.5, 0.5) * reach);
        let [of_a, of_b] = [[0.0; 3], at].map(|at| Motion::from(Pose::at(at).expect("a pose")));
        let [a, b] = [r, s].map(|radius| Shape::sphere(radius).expect("a ball"));
        let settings = Settings { target_distance, ..Settings::default() };
        let found = toi::one_to_one(&a, &of_a, &b, &of_b, &settings).expect("motions");
        let ToiResult::Overlapping { depth, normal, .. } = found.result else { continue };
        overlaps += 1;
        let moved =
            |axis: usize| -> Whole { whole(at[axis]) * &one + whole(depth) * whole(normal[axis]) };
        let square: Whole = [0, 1, 2].map(moved).iter().map(|along| along * along).sum();
        let least = (whole(r) + whole(s) + whole(target_distance)) * &one;
        assert!(square >= &least * &least, "{case} {found:?} {r} {s} {target_distance} {at:?}");
        // A little less is not enough.
        let shorter = |axis: usize| -> Whole {
            whole(at[axis]) * &one + whole(depth * (1.0 - 1e-6)) * whole(normal[axis])
        };
        let square: Whole = [0, 1, 2].map(shorter).iter().map(|along| along * along).sum();
        assert!(square < &least * &least, "{case} {found:?} {r} {s} {target_distance} {at:?}");
    }
    assert!(overlaps > 9000, "{overlaps}");
}

/// Goal: the points of an overlap without radii are those at which the shapes touch if they are moved apart by the depth, however small that is:
/// not two of the farthest points, which may be at different ends of a face. Method: all pairs of kinds of cores that are moved together until they
/// overlap a little.
#[test]
fn points_of_a_small_overlap_are_apart_by_the_depth_along_the_normal() {
    let mut draw = Draw::new(74);
    let mut counts = [0; 2];
    for case in 0..how_many(10_000) {
        let draw = &mut draw;
        let [a, b] = [case % KINDS, case / KINDS % KINDS].map(|kind| core(draw, kind));
        let wanted = draw.one_of(&[0.0, -1e-7, -1e-6, -1e-5, -1e-4, -1e-3]);
        let [of_a, of_b] = moved_together(draw, [&a, &b], wanted);
        let found = distance((&a, &of_a), (&b, &of_b));
        if found.distance > 0.0 || found.distance < -2e-3 {
            continue;
        }
        let off = off_along_normal(&found);
        assert!(off <= 1e-3, "{case} {off:e} {found:?} {a:?} {b:?}");
        counts[usize::from(found.distance < -1e-5)] += 1;
    }
    assert!(counts.iter().all(|&count| count > how_many(10_000) / 5), "{counts:?}");
}

/// Goal: the points of a deep overlap are mostly those at which the shapes touch if they are moved apart by the depth. They are not for a direction
/// that is only nearly the best one. Method: all pairs of kinds of cores at random; few are off by more than a thousandth of their size.
#[test]
fn points_of_most_deep_overlaps_are_apart_by_the_depth_along_the_normal() {
    let mut draw = Draw::new(75);
    let (mut overlaps, mut far) = (0, 0);
    for case in 0..how_many(30_000) {
        let draw = &mut draw;
        let [a, b] = [case % KINDS, case / KINDS % KINDS].map(|kind| core(draw, kind));
        let of_a = Pose::new([0.0; 3], turned(draw)).expect("a pose");
        let at = [0; 3].map(|_| draw.between(-0.5, 0.5));
        let of_b = Pose::new(at, turned(draw)).expect("a pose");
        let found = distance((&a, &of_a), (&b, &of_b));
        if found.distance > 0.0 {
            continue;
        }
        overlaps += 1;
        far += usize::from(off_along_normal(&found) > 1e-3);
    }
    assert!(overlaps > how_many(30_000) / 2, "{overlaps}");
    assert!(far * 300 <= overlaps, "{far} of {overlaps}");
}

/// Goal: the points of a touch are those at which the shapes touch, also if one of them has no size, or if rounding makes a search from a little
/// further out fail. Method: a point, the end of an edge or the corner of a triangle on the flat end of a cylinder or a cone, or on its rim.
#[test]
fn points_of_a_corner_on_a_flat_end_are_at_the_corner() {
    let mut draw = Draw::new(76);
    let mut checked = 0;
    for case in 0..how_many(20_000) {
        let draw = &mut draw;
        let [half, radius] = [0; 2].map(|_| draw.between(0.1, 1.1));
        let end =
            if case % 2 == 0 { Shape::cylinder(half, radius) } else { Shape::cone(half, radius) };
        let mut point = || [0; 3].map(|_| draw.between(-1.0, 1.0));
        let mut corners = [point(), point(), point()];
        // The first one is the highest.
        corners.sort_by(|p, q| q[1].total_cmp(&p[1]));
        if corners[0][1] - corners[1][1] < 0.1 {
            continue;
        }
        checked += 1;
        let count = case % 3 + 1;
        let corners = [corners[0], corners[1.min(count - 1)], corners[2.min(count - 1)]];
        let touching = if draw.one_in(2) {
            let (sin, cos) = draw.between(-3.0, 3.0).sin_cos();
            [radius * cos, radius * sin]
        } else {
            [0; 2].map(|_| draw.between(-0.6, 0.6) * radius)
        };
        let at = [touching[0] - corners[0][0], -half - corners[0][1], touching[1] - corners[0][2]];
        let [end, other] = [end, Shape::triangle(corners)].map(|shape| shape.expect("lengths"));
        let (of_end, of_other) = (Pose::IDENTITY, Pose::at(at).expect("a pose"));
        for swapped in [false, true] {
            let found = if swapped {
                gjk::distance(&other, &of_other, &end, &of_end)
            } else {
                gjk::distance(&end, &of_end, &other, &of_other)
            };
            let found = found.expect("poses");
            let corner = [touching[0], -half, touching[1]];
            for point in [found.on_a, found.on_b] {
                let off = length([0, 1, 2].map(|k| f64::from(point[k]) - f64::from(corner[k])));
                assert!(
                    off <= 1e-4,
                    "{case} {off:e} {corner:?} {found:?} {end:?} {other:?} {at:?}"
                );
            }
        }
    }
    assert!(checked > how_many(20_000) / 2, "{checked}");
}
