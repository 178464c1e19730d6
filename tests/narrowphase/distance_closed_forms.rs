//! Tests that distances of convex shapes are accurate lower bounds, and that bounds contain the shapes.
//!
//! Distances of balls, boxes and segments have closed forms; the depth of boxes is compared with separating
//! axes, and bounds with samples of every shape at several times.

use scenes::convex::{Hulls, Moves, meetings, rotation, shape, unit};
use swath::convex::gjk::GjkCache;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{Hull, InvalidShape, SupportMap, gjk, toi};
use swath::{Motion, Pose, Segment, Shape};
use testkit::draw::{Draw, how_many};

/// Goal: the distance of a ball or a rounded box from a box is accurate, a lower bound, and has the right
/// points. Method: a formula in `f64`, sizes from 1e-3 to 1e5, far from the origin, rotated together.
#[test]
fn distance_of_a_ball_from_a_box_is_accurate() {
    let mut draw = Draw::new(31);
    for _ in 0..how_many(4000) {
        let scale = draw.one_of(&[1e-3, 1.0, 1e5]);
        let half = std::array::from_fn::<f32, 3, _>(|_| draw.between(0.0, 2.0) * scale);
        let radius = draw.between(0.0, 1.0) * scale;
        let at = std::array::from_fn::<f32, 3, _>(|_| draw.between(-5.0, 5.0) * scale);
        let far = draw.one_of(&[0.0, 0.0, 1e3]);
        let place = std::array::from_fn::<f32, 3, _>(|k| at[k] + far);
        let (boxed, ball) =
            (Shape::cuboid(half).expect("a box"), Shape::sphere(radius).expect("ball"));
        let (a, b) = (Pose::at([far; 3]).expect("a pose"), Pose::at(place).expect("a pose"));
        let got = gjk::distance(&boxed, &a, &ball, &b).expect("poses");
        let x = place.map(|along| f64::from(along) - f64::from(far));
        let outside: [f64; 3] = std::array::from_fn(|k| (x[k].abs() - f64::from(half[k])).max(0.0));
        let outside = outside.iter().map(|x| x * x).sum::<f64>().sqrt();
        if outside == 0.0 {
            // Inside the core: the shortest translation is through the nearest face.
            let least =
                (0..3).map(|k| f64::from(half[k]) - x[k].abs()).fold(f64::INFINITY, f64::min);
            let depth = -f64::from(got.distance) - f64::from(radius);
            assert!(
                depth >= least * (1.0 - 1e-6) && depth <= least * 1.0001 + 1e-6,
                "{got:?} {least}"
            );
            continue;
        }
        let meant = outside - f64::from(radius);
        let text = format!("{got:?} {meant} {half:?} {radius} {at:?}");
        assert!(f64::from(got.distance) <= meant, "from below: {text}");
        let reach = f64::from(scale) * 10.0 + f64::from(far);
        assert!(f64::from(got.distance) >= meant - meant.abs() * 1e-6 - reach * 1e-9, "{text}");
        let apart: f64 = (0..3)
            .map(|k| (f64::from(got.on_b[k]) - f64::from(got.on_a[k])) * f64::from(got.normal[k]))
            .sum();
        assert!((apart - meant).abs() < reach * 1e-6, "{text}");
    }
}

/// Goal: the nearest points are in their shapes, and no pair of points is nearer than the distance. Method:
/// random points of both shapes; every kind of shape; warm and cold searches.
#[test]
fn no_points_are_nearer_than_the_distance() {
    let hulls = Hulls::new(32);
    let mut draw = Draw::new(33);
    for meeting in meetings(&hulls, Moves::Spinning, how_many(1500), 34) {
        let [a, b] = &meeting.shapes;
        let [of_a, of_b] = &meeting.motions;
        let mut cache = GjkCache::default();
        for t in [0.0, 0.3, 0.31, 1.0] {
            let (pa, pb) = (of_a.at(t), of_b.at(t));
            let cold = gjk::distance(a, &pa, b, &pb).expect("poses");
            let warm = gjk::distance_from(a, &pa, b, &pb, &mut cache).expect("poses");
            if cold.distance > 0.0 {
                assert!((cold.distance - warm.distance).abs() <= cold.distance * 1e-5 + 1e-6);
            }
            // Along the normal the gap of the shapes is the distance, by their support points.
            let ends = |shape: &Shape<'_>, pose: &Pose, way: [f32; 3]| furthest(shape, pose, way);
            let normal = cold.normal;
            let gap = -ends(b, &pb, normal.map(|x| -x)) - ends(a, &pa, normal);
            assert!((gap - f64::from(cold.distance)).abs() < 1e-4, "{gap} {cold:?} {meeting:?}");
            // Along no other direction the gap is larger.
            for _ in 0..20 {
                let way = unit(&mut draw.0);
                let gap = -ends(b, &pb, way.map(|x| -x)) - ends(a, &pa, way);
                let upper = cold.distance.max(0.0);
                assert!(gap <= f64::from(upper) + 1e-5, "{gap} {cold:?}");
            }
        }
    }
}

/// Extent of a shape along `way`, by its bounds at a pose that rotates `way` to an axis.
fn furthest(shape: &Shape<'_>, pose: &Pose, way: [f32; 3]) -> f64 {
    // The rotation of `way` to x: by half a turn about the direction half-way between.
    let sum = [way[0] + 1.0, way[1], way[2]];
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    let [x, y, z] = if length < 1e-3 { [0.0, 1.0, 0.0] } else { sum.map(|along| along / length) };
    let [a, b, c, w] = pose.rotation;
    // (x, y, z, 0) times the rotation of the pose.
    let rotation = [
        x * w + y * c - z * b,
        y * w + z * a - x * c,
        z * w + x * b - y * a,
        -x * a - y * b - z * c,
    ];
    let turned = Pose::new([0.0; 3], rotation).expect("a rotation");
    let reach = f64::from(shape.bounds(&turned).expect("bounds").max[0]);
    let along: f64 = (0..3).map(|k| f64::from(pose.position[k]) * f64::from(way[k])).sum();
    reach + along
}

/// Goal: moving by the depth along the normal separates overlapping shapes. Method: boxes and hulls that
/// overlap.
#[test]
fn depth_separates() {
    let hulls = Hulls::new(35);
    let mut draw = Draw::new(36);
    let mut shallow = 0;
    for case in 0..how_many(2000) {
        let (a, b) = (shape(&mut draw.0, &hulls), shape(&mut draw.0, &hulls));
        let way = unit(&mut draw.0);
        let apart = if case % 10 == 0 { 0.0 } else { draw.between(0.0, 1.2) };
        let pose_a = Pose::new([0.0; 3], rotation(&mut draw.0)).expect("a pose");
        let at = way.map(|along| along * apart);
        let pose_b = Pose::new(at, rotation(&mut draw.0)).expect("a pose");
        let got = gjk::distance(&a, &pose_a, &b, &pose_b).expect("poses");
        if got.distance >= 0.0 {
            continue;
        }
        shallow += 1;
        let out =
            std::array::from_fn::<f32, 3, _>(|k| at[k] - got.normal[k] * (got.distance - 1e-5));
        let parted = Pose { position: out, ..pose_b };
        let after = gjk::distance(&a, &pose_a, &b, &parted).expect("poses");
        assert!(after.distance >= -1e-6, "{got:?} {after:?}");
        // No other translation is much shorter: many directions are tested.
        for _ in 0..50 {
            let other = unit(&mut draw.0);
            let short = -0.3 * got.distance;
            let near = std::array::from_fn::<f32, 3, _>(|k| at[k] + other[k] * short);
            let pose = Pose { position: near, ..pose_b };
            let still = gjk::distance(&a, &pose_a, &b, &pose).expect("poses");
            assert!(still.distance <= 1e-5, "{got:?} {still:?} {other:?}");
        }
    }
    assert!(shallow > 500, "{shallow}");
}

/// Goal: bounds contain the shape, at a pose and over a motion, and are tight. Method: points of the surface
/// in many directions, found by casts from outside; exact boxes without rotation.
#[test]
fn bounds_contain_the_shape() {
    let hulls = Hulls::new(37);
    let mut draw = Draw::new(38);
    for meeting in meetings(&hulls, Moves::Spinning, how_many(400), 39) {
        let mut motion: Motion = meeting.motions[0];
        motion.accel = std::array::from_fn(|_| draw.between(-4.0, 4.0));
        if draw.one_in(4) {
            motion.spin = motion.spin.map(|along| along * 20.0);
        }
        let shape = &meeting.shapes[0];
        let over = shape.bounds_over(&motion).expect("bounds");
        let whole = over.bounds();
        for step in 0..=8 {
            let t = step as f32 / 8.0;
            let pose = motion.at(t);
            let now = shape.bounds(&pose).expect("bounds");
            for k in 0..3 {
                // Poses are rounded to `f32`.
                assert!(
                    whole.min[k] <= now.min[k] + 2e-5 && now.max[k] <= whole.max[k] + 2e-5,
                    "{meeting:?}"
                );
                let way =
                    std::array::from_fn::<f32, 3, _>(|axis| if axis == k { 1.0 } else { 0.0 });
                let reach = furthest(shape, &pose, way);
                assert!((reach - f64::from(now.max[k])).abs() < 1e-4, "tight: {reach} {now:?}");
            }
            // A ray from outside enters the shape within the bounds.
            let from = unit(&mut draw.0);
            let start = std::array::from_fn::<f32, 3, _>(|k| pose.position[k] + from[k] * 20.0);
            let ray = Segment::between(start, pose.position).expect("a segment");
            if let swath::convex::ConvexCast::Hit { point, .. } =
                shape.cast(&pose, &ray).expect("valid")
            {
                let slack = 1e-5;
                let within =
                    |k: usize| now.min[k] - slack <= point[k] && point[k] <= now.max[k] + slack;
                assert!((0..3).all(within), "{point:?} {now:?}");
            }
        }
    }
    let hull = Hull::new([[1.0_f32, -2.0, 0.5], [0.0, 3.0, -1.0]]).expect("a hull");
    let bounds =
        Shape::hull(&hull).bounds(&Pose::at([8.0, 0.0, 0.0]).expect("a pose")).expect("bounds");
    let near = |a: f32, b: f32| a <= b && b - a < 2e-6;
    assert!(near(bounds.min[0], 8.0) && near(9.0, bounds.max[0]), "{bounds:?}");
    assert!(near(bounds.min[1], -2.0) && near(3.0, bounds.max[1]), "{bounds:?}");
    let bar = Shape::cuboid([3.0, 0.1, 0.1]).expect("a box");
    let rolls = Motion::from(Pose::IDENTITY).spinning([9.0, 0.0, 0.0]).expect("a motion");
    assert!(bar.bounds_over(&rolls).expect("bounds").aabb.max[0] < 3.0001, "about its own axis");
    let turns = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 0.01]).expect("a motion");
    assert!(bar.bounds_over(&turns).expect("bounds").aabb.max[1] < 0.14, "a little");
    let whirls = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 99.0]).expect("a motion");
    let most = bar.bounds_over(&whirls).expect("bounds").aabb.max[1];
    assert!((3.0..3.02).contains(&most), "no further than it reaches: {most}");
}

/// The vertices of a hull, searched one by one.
#[derive(Debug)]
struct Vertices(Vec<[f64; 3]>);

impl SupportMap for Vertices {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let along = |p: &[f64; 3]| p.iter().zip(direction).map(|(x, d)| x * d).sum::<f64>();
        let farthest = self.0.iter().max_by(|p, q| along(p).total_cmp(&along(q)));
        *farthest.expect("a hull has vertices")
    }

    fn bounding_radius(&self) -> f64 {
        let length = |p: &[f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.0.iter().map(length).fold(0.0, f64::max)
    }
}

/// Goal: the numbers that a hull stores are those of its vertices: the box of a hull that is not rotated, and the size of a
/// scaled or mirrored one. Method: comparison with a support map that searches all vertices, and of a pose
/// with the same rotation and another quaternion, for which the box is found by a search.
#[test]
fn box_and_size_of_a_hull_are_those_of_its_vertices() {
    let mut draw = Draw::new(52);
    for round in 0..how_many(600) {
        let scale = draw.one_of(&[1e-3, 1.0, 1e5]);
        let offset = draw.one_of(&[0.0, 3.0]);
        let mut number = |from: f32, to: f32| draw.between(from, to) * scale;
        let points: Vec<[f32; 3]> = (0..[1, 2, 8, 13, 32, 90][round % 6])
            .map(|_| [number(-1.0, 1.0) + offset, number(-2.0, 0.5), number(0.0, 1.0)])
            .collect();
        let hull = Hull::new(points.iter().copied()).expect("a hull");
        let vertices = Vertices(points.iter().map(|p| p.map(f64::from)).collect());
        let (ours, theirs) =
            (Shape::hull(&hull), Shape::custom(&vertices).expect("a bounding radius"));
        let position = [number(-9.0, 9.0), 0.0, number(-1.0, 1.0)];
        let pose = Pose::at(position).expect("a pose");
        assert_eq!(ours.bounds(&pose), theirs.bounds(&pose), "{points:?}");
        assert_eq!(ours.size(), theirs.size(), "{points:?}");
        let factors: [f32; 3] =
            std::array::from_fn(|_| draw.one_of(&[1.0, -1.0, 0.0, 0.3, -2.5, 7.0]));
        let scaled = ours.scaled(factors).expect("small factors");
        let same = Pose::new(position, [0.0, 0.0, 0.0, -1.0]).expect("a pose");
        assert_eq!(scaled.bounds(&pose), scaled.bounds(&same), "{points:?} {factors:?}");
        let size = theirs.scaled(factors).expect("small factors").size();
        assert_eq!(scaled.size(), size, "{points:?} {factors:?}");
    }
}

/// Goal: the support points of cylinders and cones are on their rims and tips. Method: the formula, any
/// rotation, wide and narrow shapes.
#[test]
fn support_points_are_on_rims_and_tips() {
    let mut draw = Draw::new(51);
    for _ in 0..how_many(2000) {
        let (half, radius) = (draw.between(0.0, 2.0), draw.between(0.0, 2.0));
        let pose = Pose::new([0.0; 3], rotation(&mut draw.0)).expect("a pose");
        let [x, y, z, w] = pose.rotation.map(f64::from);
        let square = x * x + y * y + z * z + w * w;
        // Component of the shape's axis along x.
        let up = 2.0 * (x * y - w * z) / square;
        let (h, r) = (f64::from(half), f64::from(radius) * (1.0 - up * up).max(0.0).sqrt());
        for (shape, meant) in [
            (Shape::cylinder(half, radius), h * up.abs() + r),
            (Shape::cone(half, radius), (h * up).max(r - h * up)),
        ] {
            let bounds =
                shape.and_then(|shape| shape.rounded(0.25)).expect("a shape").bounds(&pose);
            let most = f64::from(bounds.expect("bounds").max[0]) - 0.25;
            assert!(most >= meant - 1e-12 && most < meant + 1e-6, "{most} {meant} {half} {radius}");
        }
    }
}

/// Goal: normals are of unit length also of shapes whose products would underflow. Method: hulls, triangles and cylinders in one place, in random
/// rotations, scaled to 2⁻¹⁰⁰ to 2⁻³⁰⁰ of their size.
#[test]
fn normals_of_tiny_shapes_are_of_unit_length() {
    let mut draw = Draw::new(37);
    let settings = Settings { touch: Touch::Hit, ..Settings::default() };
    let is_unit =
        |normal: [f32; 3]| (normal.iter().map(|x| x * x).sum::<f32>().sqrt() - 1.0).abs() < 1e-5;
    for _ in 0..how_many(100) {
        let points = [0; 6].map(|_| [0; 3].map(|_| draw.between(-1.0, 1.0)));
        let hull = Hull::new(points.to_vec()).expect("a hull");
        let [first, second, third, ..] = points;
        let mut shapes = [
            Shape::hull(&hull),
            Shape::triangle([first, second, third]).expect("a triangle"),
            Shape::cylinder(0.5, 0.5).expect("a cylinder"),
        ];
        let rotation = [0; 4].map(|_| draw.between(-1.0, 1.0));
        let pose = Pose::normalized([0.0; 3], rotation).expect("a rotation");
        let moving = Motion::new(pose, [0.0, 1.0, 0.0]).expect("valid");
        for exponent in [-100, -100, -66, -2, -32] {
            let by = [2.0_f32.powi(exponent); 3];
            shapes = shapes.map(|shape| shape.scaled(by).expect("a shape"));
            for (a, b) in [(0, 0), (0, 1), (0, 2), (1, 2)] {
                let (a, b) = (&shapes[a], &shapes[b]);
                let found = gjk::distance(a, &Pose::IDENTITY, b, &pose).expect("valid");
                assert!(is_unit(found.normal) && found.distance.is_finite(), "{found:?} {a:?}");
                let toi = toi::one_to_one(a, &Motion::default(), b, &moving, &settings);
                let result = toi.expect("valid").result;
                if let ToiResult::Impact { normal, .. } | ToiResult::Overlapping { normal, .. } =
                    result
                {
                    assert!(is_unit(normal), "{result:?} {a:?}");
                }
            }
        }
    }
}

/// Goal: bounds contain the shape also if the radius is far greater than the core, or the other way round. Method: capsules along the axis y, whose
/// extent is the sum of both lengths; the difference of the bound and the radius is exact.
#[test]
fn bounds_of_round_shapes_are_rounded_outwards() {
    let lengths = [1e-20_f32, 1e-8, 1e-3, 1.0, 1e9, 17_592_186_044_416.0];
    for (half_height, radius) in lengths.iter().flat_map(|&h| lengths.map(|r| (h, r))) {
        let capsule = Shape::capsule(half_height, radius).expect("valid lengths");
        let bounds = capsule.bounds(&Pose::IDENTITY).expect("valid");
        let [small, great] = [half_height.min(radius), half_height.max(radius)].map(f64::from);
        for bound in [bounds.max[1], -bounds.min[1]] {
            let beyond = f64::from(bound) - great;
            assert!(beyond >= small, "{half_height} {radius}: {bound}");
            assert!(beyond <= small + 4e-7 * great, "{half_height} {radius}: {bound}");
        }
    }
}

/// Goal: a hull whose extent on an axis is zero cannot be scaled on this axis until products with the scale overflow. Method: a triangle in the
/// plane `x = 0`, scaled again and again.
#[test]
fn flat_hull_is_not_scaled_without_limit() {
    let points = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
    let hull = Hull::new(points).expect("a triangle");
    let mut shape = Shape::hull(&hull);
    let factor = f32::from_bits((127 + 100) << 23);
    for times in 1..12 {
        match shape.scaled([factor, 1.0, 1.0]) {
            Ok(scaled) => shape = scaled,
            Err(error) => {
                assert_eq!((times, error), (3, InvalidShape::Number));
                return;
            }
        }
    }
    panic!("{shape:?}");
}
