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
        let of_a = Pose::new([0.0; 3], turned(draw)).expect("a pose");
        let at = [0; 3].map(|_| draw.between(-4.0, 4.0));
        let mut of_b = Pose::new(at, turned(draw)).expect("a pose");
        for _ in 0..3 {
            let found = distance((&a, &of_a), (&b, &of_b));
            for axis in 0..3 {
                of_b.position[axis] -= found.normal[axis] * (found.distance - wanted);
            }
        }
        let [a, b] = [a, b].map(|core| core.rounded(radius).expect("a radius"));
        let found = distance((&a, &of_a), (&b, &of_b));
        let Distance { distance, normal, on_a, on_b } = found;
        let off = |axis: usize| -> f64 {
            f64::from(on_b[axis])
                - f64::from(on_a[axis])
                - f64::from(distance) * f64::from(normal[axis])
        };
        let off = length([0, 1, 2].map(off));
        assert!(off <= 1e-3 * f64::from(radius), "{case} {off:e} {found:?} {a:?} {b:?}");
        overlapping += usize::from(distance < -radius);
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
