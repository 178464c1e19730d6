//! Tests of segments against convex shapes: the entry is never late and no hit is missed.
//!
//! Results are compared with the exact cast of boxes, the quadratic of a ball, and the planes of a
//! polyhedron.

use scenes::convex::{rotation, unit};
use swath::batch::SegmentStart;
use swath::convex::{ConvexCast, Hull};
use swath::{Aabb, Pose, Segment, Shape};
use testkit::draw::{Draw, how_many};

/// Goal: a box as a convex shape is hit like the box. Method: integers, rays along faces and edges and
/// through corners, of length zero, without an end; starts inside, outside and on the surface.
#[test]
fn entry_of_boxes_is_that_of_the_box_cast() {
    let mut draw = Draw::new(41);
    let mut seen = [0; 4];
    for case in 0..how_many(6000) {
        let half = std::array::from_fn::<f32, 3, _>(|_| draw.whole(0, 3));
        let start = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-4, 4));
        let delta = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-6, 6));
        let mut segment = Segment::new(start, delta).expect("a segment");
        if case % 2 == 0 {
            segment.max_fraction = f32::INFINITY;
        }
        let aabb = Aabb::from_center([0.0; 3], half).expect("a box");
        let meant = spec::cast(&segment, &aabb).expect("both");
        let shape = if case % 3 == 0 {
            Shape::cuboid(half).expect("a box")
        } else {
            // The same as a box of half the size that is scaled by two.
            let small = Shape::cuboid([1.0; 3]).expect("a box");
            small.scaled(half).expect("a box")
        };
        let got = shape.cast(&Pose::IDENTITY, &segment).expect("both");
        let text = format!("{got:?} {meant:?} {half:?} {segment:?}");
        let start = meant.faces.start();
        match got {
            ConvexCast::Hit { fraction, normal, point, start: from } => {
                seen[0] += 1;
                assert!(meant.faces.is_hit(), "{text}");
                assert!(f64::from(fraction) <= meant.entry, "{text}");
                assert!(f64::from(fraction) >= meant.entry * (1.0 - 1e-5) - 1e-5, "{text}");
                let length: f32 = normal.iter().map(|x| x * x).sum();
                assert!((length - 1.0).abs() < 1e-5, "{text}");
                for k in 0..3 {
                    assert!(point[k].abs() <= half[k] + 1e-4, "{text}");
                }
                let surface = start == SegmentStart::OnSurface;
                assert!(surface == (from == SegmentStart::OnSurface), "{text}");
                if surface {
                    seen[3] += 1;
                    assert_eq!(fraction, 0.0, "{text}");
                }
            }
            ConvexCast::Inside => {
                seen[1] += 1;
                assert_eq!(start, SegmentStart::Inside, "{text}");
            }
            ConvexCast::Missed => {
                seen[2] += 1;
                assert!(!meant.faces.is_hit(), "{text}");
            }
            _ => panic!("{text}"),
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// Goal: the entry into balls and capsules, rounded and rotated, is that of their quadratic. Method: rays
/// towards a ball from nearby and from a distance of 1e5.
#[test]
fn entry_of_balls_is_the_root_of_a_quadratic() {
    let mut draw = Draw::new(42);
    let mut hits = 0;
    for case in 0..how_many(3000) {
        let radius = draw.between(0.1, 2.0);
        let far = draw.one_of(&[3.0, 10.0, 1e5]);
        let from = unit(&mut draw.0).map(|along| along * far);
        let aside = unit(&mut draw.0).map(|along| along * draw.between(0.0, 2.0));
        let to = std::array::from_fn::<f32, 3, _>(|k| aside[k] - from[k]);
        let mut segment = Segment::ray(from, to).expect("a ray");
        if case % 2 == 0 {
            segment.max_fraction = 1.0;
        }
        // A capsule of height zero is a ball.
        let shape = Shape::capsule(0.0, radius).expect("a ball");
        let pose = Pose::new([0.0; 3], rotation(&mut draw.0)).expect("a pose");
        let got = shape.cast(&pose, &segment).expect("valid");
        let [p, d] = [from, to].map(|v| v.map(f64::from));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (a, b) = (dot(d, d), dot(p, d));
        // The least distance of the line, from the part of `p` across it.
        let across: [f64; 3] = std::array::from_fn(|k| p[k] - d[k] * (b / a));
        let room = f64::from(radius) * f64::from(radius) - dot(across, across);
        let entry = -b / a - (room.max(0.0) / a).sqrt();
        let text = format!("{got:?} {entry} {room} {radius} {segment:?}");
        match got {
            ConvexCast::Hit { fraction, normal, .. } => {
                hits += 1;
                assert!(room > -1e-4, "{text}");
                assert!(room < 1e-9 || f64::from(fraction) <= entry + 1e-12, "{text}");
                let near = 1e-5 / a.sqrt()
                    + entry * 1.3e-7
                    + if room < 1e-2 { 1e-2 / a.sqrt() } else { 0.0 };
                assert!(f64::from(fraction) >= entry - near, "{text}");
                let out: f64 = (0..3)
                    .map(|k| f64::from(normal[k]) * (p[k] + d[k] * f64::from(fraction)))
                    .sum();
                assert!((out - f64::from(radius)).abs() < 1e-4 + f64::from(far) * 2e-7, "{text}");
            }
            ConvexCast::Missed => {
                assert!(room < 1e-9 || entry > segment.max_fraction.into(), "{text}");
            }
            other => panic!("{other:?} {text}"),
        }
    }
    assert!(hits > 500, "{hits}");
}

/// Goal: a rotated hull is entered through the face that is there. Method: an octahedron; rays down to its
/// faces.
#[test]
fn rotated_hull_is_entered_through_a_face() {
    let hull = Hull::new([
        [1.0_f32, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ]);
    let hull = hull.expect("a hull");
    let shape = Shape::hull(&hull);
    let mut draw = Draw::new(43);
    for _ in 0..how_many(1000) {
        let (x, z) = (draw.between(-0.9, 0.9), draw.between(-0.9, 0.9));
        let ray = Segment::ray([x, 3.0, z], [0.0, -0.5, 0.0]).expect("a ray");
        let cast = shape.cast(&Pose::IDENTITY, &ray).expect("valid");
        let room = 1.0 - f64::from(x.abs()) - f64::from(z.abs());
        // Within the tolerance of an edge it may be either face.
        if room < 1e-5 {
            assert!(room > -1e-5 || cast == ConvexCast::Missed, "{x} {z}");
            continue;
        }
        let ConvexCast::Hit { fraction, normal, point, .. } = cast else { panic!("{cast:?}") };
        let entry = (3.0 - room) * 2.0;
        assert!(
            f64::from(fraction) <= entry && f64::from(fraction) > entry - 1e-5,
            "{cast:?} {entry}"
        );
        assert!((f64::from(point[1]) - room).abs() < 1e-5, "{cast:?}");
        let third = 3.0_f32.sqrt().recip();
        if x.abs() > 1e-3 && z.abs() > 1e-3 && room > 1e-3 {
            let meant = [third * x.signum(), third, third * z.signum()];
            assert!((0..3).all(|k| (normal[k] - meant[k]).abs() < 1e-4), "{cast:?} {meant:?}");
        }
    }
}

/// Goal: the entry of a segment that is much longer than all else is as near to the surface as that of a short one, and a start
/// near the surface is not on it. Method: segments of 1 to 10³⁶ units onto a ball and a box, and closed forms; two units of the
/// last place of the fraction are allowed.
#[test]
fn long_segment_enters_within_the_tolerance() {
    let ball = Shape::sphere(1.0).expect("a ball");
    let cube = Shape::cuboid([1.0; 3]).expect("a box");
    for shape in [ball, cube] {
        for exponent in 1..=36 {
            let length = 10.0_f32.powi(exponent);
            for height in [5.0_f32, 1.0005] {
                let down = Segment::new([0.0, height, 0.0], [0.0, -length, 0.0]).expect("valid");
                let got = shape.cast(&Pose::IDENTITY, &down).expect("valid");
                let ConvexCast::Hit { fraction, point, start, .. } = got else {
                    panic!("{got:?} {down:?}")
                };
                assert_eq!(start, SegmentStart::Outside, "{got:?} {down:?}");
                let entered = f64::from(fraction) * f64::from(length);
                let exact = f64::from(height) - 1.0;
                let allowed = 4e-6 + 3e-7 * exact;
                assert!(entered <= exact * (1.0 + 1e-15), "{got:?} {down:?}");
                assert!(entered >= exact - allowed, "{got:?} {down:?}");
                assert!((point[1] - 1.0).abs() < 4e-6, "{got:?} {down:?}");
            }
        }
    }
}

/// Goal: a tiny component of a direction does not make a long segment less exact. Method: the segments above with components that are too
/// small to be shortened exactly; the result is that without them.
#[test]
fn tiny_component_of_a_long_segment_is_negligible() {
    let ball = Shape::sphere(1.0).expect("a ball");
    for tiny in [1e-38_f32, -3e-39, f32::from_bits(1)] {
        for length in [1e6_f32, 1e9, 1e20] {
            for height in [5.0_f32, 1.0005] {
                let cast = |x: f32| {
                    let down = Segment::new([0.0, height, 0.0], [x, -length, x]);
                    ball.cast(&Pose::IDENTITY, &down.expect("valid")).expect("valid")
                };
                let ConvexCast::Hit { fraction, start, .. } = cast(tiny) else {
                    panic!("{:?}", cast(tiny))
                };
                let ConvexCast::Hit { fraction: meant, .. } = cast(0.0) else {
                    panic!("{:?}", cast(0.0))
                };
                assert_eq!(start, SegmentStart::Outside, "{tiny} {length} {height}");
                assert_eq!(fraction, meant, "{tiny} {length} {height}");
            }
        }
    }
}

/// Goal: the entry point is on the surface, however far away the ray starts. Method: rays along the first axis onto a box, a hull and a rounded box whose
/// nearest face is at -0.5; the documented bound of the distance from the surface.
#[test]
fn entry_point_of_a_ray_from_far_away_is_on_the_surface() {
    let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|bit| bit as f32 - 0.5));
    let hull = Hull::new(corners).expect("a hull");
    let shapes = [
        Shape::cuboid([0.5; 3]).expect("a box"),
        Shape::hull(&hull),
        Shape::cuboid([0.4; 3]).and_then(|shape| shape.rounded(0.1)).expect("a rounded box"),
    ];
    for shape in &shapes {
        for distance in [1.0_f32, 1e2, 1e4, 1e6, 1e9] {
            let ray = Segment::ray([-(distance + 0.3), 0.01, 0.02], [1.0, 0.0, 0.0]);
            let cast = shape.cast(&Pose::IDENTITY, &ray.expect("valid")).expect("valid");
            let ConvexCast::Hit { fraction, point, .. } = cast else { panic!("{cast:?}") };
            let allowed = 1e-6 + distance / (1_u32 << 27) as f32;
            assert!((point[0] + 0.5).abs() <= allowed, "{distance} {cast:?}");
            assert!(fraction <= distance && fraction >= distance * (1.0 - 3e-7) - 0.3, "{cast:?}");
        }
    }
}

/// Goal: a segment that ends at its start is a point, whatever its direction: near the surface is not on it. Method: fast directions, gaps around the documented
/// tolerance, a ball and a box of two sizes.
#[test]
fn segment_without_length_near_the_surface_is_not_on_it() {
    for (size, speed, gap) in [(1.0_f32, 1e9_f32, 5e-4_f32), (1e-3, 1e6, 5e-7), (1e-3, 1e4, 5e-9)] {
        let ball = Shape::sphere(size).expect("a ball");
        let cube = Shape::cuboid([size; 3]).expect("a box");
        for shape in [ball, cube] {
            let cast = |height: f32| {
                let segment = Segment::new([0.0, height, 0.0], [0.0, speed, 0.0]).expect("valid");
                let segment = Segment { max_fraction: 0.0, ..segment };
                shape.cast(&Pose::IDENTITY, &segment).expect("valid")
            };
            assert_eq!(cast(size + gap), ConvexCast::Missed, "{size} {speed} {gap}");
            assert_eq!(cast(size - gap), ConvexCast::Inside, "{size} {speed} {gap}");
            let on = cast(size);
            assert!(matches!(on, ConvexCast::Hit { start: SegmentStart::OnSurface, .. }), "{on:?}");
        }
    }
    // A component of the part of the segment is below the normal numbers.
    let cube = Shape::cuboid([1.0; 3]).expect("a box");
    for gap in [1e-3, 1.0, 1000.0] {
        let segment = Segment {
            start: [-1.0 - gap, 0.0, 0.0],
            delta: [1e17, 1.25, 0.0],
            max_fraction: 1e-45,
        };
        let cast = cube.cast(&Pose::IDENTITY, &segment).expect("valid");
        assert_eq!(cast, ConvexCast::Missed, "{gap}");
    }
}
