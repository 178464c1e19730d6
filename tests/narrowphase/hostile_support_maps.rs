//! Tests that an invalid support map of the caller causes neither a panic nor NaN.

use std::sync::atomic::{AtomicU32, Ordering};

use scenes::convex::{rotation, unit};
use swath::convex::gjk::GjkCache;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{Hull, InvalidShape, SupportMap, gjk, toi};
use swath::{COORD_MAX, Motion, Pose, Segment, Shape};
use testkit::draw::{Draw, how_many};

/// The fault of a map for directions that are not along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// A point with a coordinate that is not a number, or with three.
    Nan,
    PartlyNan,
    Infinite,
    /// A point outside its bounding radius.
    Outside,
    /// A point whose square overflows.
    Huge,
    /// Another point in each call.
    Inconsistent,
    /// The nearest point instead of the farthest.
    Opposite,
    /// A valid point for the first directions, then NaN.
    Fails,
}

const FAULTS: [Fault; 8] = [
    Fault::Nan,
    Fault::PartlyNan,
    Fault::Infinite,
    Fault::Outside,
    Fault::Huge,
    Fault::Inconsistent,
    Fault::Opposite,
    Fault::Fails,
];

/// A ball of radius 1 with a fault.
#[derive(Debug)]
struct Hostile {
    fault: Fault,
    asked: AtomicU32,
}

impl SupportMap for Hostile {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(direction.iter().all(|x| x.is_finite()), "{direction:?}");
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(length > 0.0, "{direction:?}");
        let [x, y, z] = direction.map(|x| x / length);
        if asked < 6 {
            // During construction of the shape.
            return [x, y, z];
        }
        match self.fault {
            Fault::Nan => [f64::NAN; 3],
            Fault::PartlyNan => [x, f64::NAN, z],
            Fault::Infinite => [x, y, f64::INFINITY],
            Fault::Outside => [3.0 * x, 3.0 * y, 3.0 * z],
            Fault::Huge => [1e200 * x, 1e200 * y, 1e308],
            Fault::Inconsistent => {
                let some = f64::from(asked.wrapping_mul(2_654_435_761)) / f64::from(u32::MAX);
                [some - 0.5, 0.5 * some, 0.5 - some * some]
            }
            Fault::Opposite => [-x, -y, -z],
            Fault::Fails if asked % 16 < 12 => [x, y, z],
            Fault::Fails => [f64::NAN, y, z],
        }
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Returns NaN only.
#[derive(Debug)]
struct Nothing(f64);

impl SupportMap for Nothing {
    fn support(&self, _: [f64; 3]) -> [f64; 3] {
        [self.0; 3]
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Goal: a support map without valid points along the axes is rejected. Method: points that are not finite,
/// or outside the bounding radius.
#[test]
fn support_map_of_nan_is_rejected() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 1.0] {
        let made = Shape::custom(&Nothing(number)).err();
        assert_eq!(made, Some(InvalidShape::Number), "{number}");
    }
    assert!(Shape::custom(&Nothing(0.25)).is_ok());
}

/// Goal: no map causes a panic or a number that is not finite, and one that only returns NaN ends a search as
/// unresolved, with a distance below that of the bounding balls. Method: maps of every fault against every
/// shape and themselves, at rest, in flight and in rotation, near and far; times, distances, casts and
/// bounds.
#[test]
fn hostile_support_map_gives_finite_results() {
    let mut draw = Draw::new(77);
    let corners = [[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 0.0, 1.5]];
    let hull = Hull::new(corners).expect("a hull");
    let mut unresolved = 0;
    for fault in FAULTS {
        for case in 0..how_many(250) {
            let hostile = [0; 2].map(|_| Hostile { fault, asked: AtomicU32::new(0) });
            let [own, other] = hostile.each_ref().map(|map| Shape::custom(map).expect("a shape"));
            let own = if case % 5 == 4 { own.rounded(0.25).expect("round") } else { own };
            let b = [
                Shape::cuboid([1.0, 2.0, 0.5]).expect("a box"),
                Shape::sphere(1.0).expect("a ball"),
                Shape::hull(&hull),
                Shape::cylinder(1.0, 0.5).expect("a cylinder"),
                other,
            ][case % 7 % 5];
            let mut motion = |far: f32, speed: f32, spin: f32| {
                let rotation = rotation(&mut draw.0);
                let position = unit(&mut draw.0).map(|x| x * far);
                let pose = Pose::new(position, rotation).expect("a pose");
                let motion = Motion::new(pose, unit(&mut draw.0).map(|x| x * speed));
                let spin = unit(&mut draw.0).map(|x| x * spin);
                motion.and_then(|motion| motion.spinning(spin)).expect("a motion")
            };
            let spin = [0.0, 3.0, 50.0][case % 3];
            let far = [0.0, 1.5, 2.2, 6.0][case % 4];
            let (of_a, of_b) = (motion(0.0, 2.0, spin), motion(far, 6.0, spin));
            for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
                let settings = Settings { touch, ..Settings::default() };
                for [first, second] in [[(&own, &of_a), (&b, &of_b)], [(&b, &of_b), (&own, &of_a)]]
                {
                    let toi = toi::one_to_one(first.0, first.1, second.0, second.1, &settings);
                    let toi = toi.expect("valid");
                    let text = format!("{toi:?}");
                    assert!(!text.contains("NaN") && !text.contains("inf"), "{fault:?} {text}");
                    let tells =
                        matches!(fault, Fault::Inconsistent | Fault::Opposite | Fault::Fails);
                    if !tells && far < 2.0 && case % 5 < 4 {
                        let ended = matches!(toi.result, ToiResult::Unresolved { t_safe: 0.0 });
                        let known = matches!(toi.result, ToiResult::Separated) && toi.supports == 0;
                        assert!(ended || known, "{fault:?} {case} {text}");
                        unresolved += usize::from(ended);
                    }
                }
            }
            let mut cache = GjkCache::default();
            let near = gjk::distance_from(&own, &of_a.pose, &b, &of_b.pose, &mut cache);
            let text = format!("{near:?} {cache:?}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{fault:?} {text}");
            let ray = Segment::ray([3.0, 0.1, 0.2], unit(&mut draw.0).map(|x| 4.0 * x));
            let cast = own.cast(&of_a.pose, &ray.expect("a ray")).expect("valid");
            let text = format!("{cast:?}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{fault:?} {text}");
            for bounds in [own.bounds(&of_a.pose), own.bounds_over(&of_a).map(|moving| moving.aabb)]
            {
                assert!(bounds.is_err() || bounds.is_ok_and(|aabb| aabb.validate().is_ok()));
            }
        }
    }
    assert!(unresolved > 1000, "{unresolved}");
}

/// Goal: the error for a point of a hull contains its position. Method: each number of each point is invalid once.
#[test]
fn invalid_point_of_a_hull_is_named() {
    let points = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0_f32; 3]];
    assert!(Hull::new(points).is_ok());
    for number in [f32::NAN, f32::INFINITY, -2.0 * COORD_MAX] {
        for (index, axis) in (0..4).flat_map(|index| (0..3).map(move |axis| (index, axis))) {
            let mut points = points;
            points[index][axis] = number;
            let error = Hull::new(points).err();
            assert_eq!(error, Some(InvalidShape::Point { index }), "{number}");
            let text = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(text.starts_with(&format!("a number of point {index} ")), "{text}");
        }
    }
}

/// An octahedron with a further corner that is outside of its bounding radius.
#[derive(Debug)]
struct OneCornerOutside;

impl SupportMap for OneCornerOutside {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let axis = (0..3).max_by(|&i, &j| direction[i].abs().total_cmp(&direction[j].abs()));
        let mut point = [0.0; 3];
        let axis = axis.expect("there are three");
        point[axis] = direction[axis].signum();
        let corner = [0.9; 3];
        let along = |point: [f64; 3]| point.iter().zip(direction).map(|(a, b)| a * b).sum::<f64>();
        if along(corner) > along(point) { corner } else { point }
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Goal: bounds of a rotating shape are an error if its map has an invalid point at the start of the tick or at its end. Method: a map with
/// one corner outside of its bounding radius, which is farthest at one end only.
#[test]
fn invalid_point_at_either_end_of_a_rotation_is_an_error() {
    let shape = Shape::custom(&OneCornerOutside).expect("the points along the axes are valid");
    let (sin, cos) = 0.3_f32.sin_cos();
    let turned = Pose::new([0.0; 3], [0.0, 0.0, sin, cos]).expect("a pose");
    assert!(shape.bounds(&turned).is_err() && shape.bounds(&Pose::IDENTITY).is_ok());
    for (pose, spin) in [(turned, -0.6), (Pose::IDENTITY, 0.6)] {
        let motion = Motion::from(pose).spinning([0.0, 0.0, spin]).expect("a spin");
        let bounds = shape.bounds_over(&motion);
        assert!(bounds.is_err(), "{spin} {bounds:?}");
    }
}

/// A ball until the shape is made. Then it only returns NaN.
#[derive(Debug)]
struct Silent {
    radius: f64,
    asked: AtomicU32,
}

impl SupportMap for Silent {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let is_made = self.asked.fetch_add(1, Ordering::Relaxed) >= 6;
        direction.map(|x| if is_made { f64::NAN } else { self.radius * x / length })
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }
}

/// Goal: the distance of support maps without valid points is that of their bounding balls, with its normal and points. Method: maps of different
/// radii, also rounded, in random poses, apart and overlapping; the closed form of balls.
#[test]
fn distance_of_maps_without_valid_points_is_that_of_their_bounding_balls() {
    let mut draw = Draw::new(78);
    let mut counts = [0; 2];
    for case in 0..how_many(500) {
        let mut pose = || {
            let at = [0; 3].map(|_| draw.between(-2.0, 2.0));
            Pose::new(at, rotation(&mut draw.0)).expect("a pose")
        };
        let poses = [pose(), pose()];
        let cores = [0; 2].map(|_| f64::from(draw.between(0.1, 2.0)));
        let maps = cores.map(|radius| Silent { radius, asked: AtomicU32::new(0) });
        let round = [0; 2].map(|_| if draw.one_in(2) { draw.between(0.1, 1.0) } else { 0.0 });
        let shape = |k: usize| Shape::custom(&maps[k]).and_then(|shape| shape.rounded(round[k]));
        let [a, b] = [0, 1].map(|k| shape(k).expect("a shape"));
        let found = gjk::distance(&a, &poses[0], &b, &poses[1]).expect("poses");
        let [from, to] = poses.map(|pose| pose.position.map(f64::from));
        let radii = [0, 1].map(|k| cores[k] + f64::from(round[k]));
        let x = [0, 1, 2].map(|k| to[k] - from[k]);
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let exact = length - radii[0] - radii[1];
        let text = format!("{case}: {found:?}, not {exact}: {maps:?} {round:?} {poses:?}");
        let distance = f64::from(found.distance);
        assert!(distance <= exact && distance >= exact - 1e-6, "{text}");
        for k in 0..3 {
            let normal = x[k] / length;
            let expected =
                [normal, from[k] + radii[0] * normal, to[k] - radii[1] * normal].map(|x| x as f32);
            let off = [found.normal[k], found.on_a[k], found.on_b[k]];
            let off = [0, 1, 2].map(|i| (off[i] - expected[i]).abs());
            assert!(off.iter().all(|&off| off <= 1e-6), "{text}");
        }
        counts[usize::from(exact > 0.0)] += 1;
    }
    assert!(counts.iter().all(|&count| count > how_many(500) / 10), "{counts:?}");
}
