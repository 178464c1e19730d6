//! Tests that the depth of any two convex shapes that overlap is the least one, but for a thousandth.
//!
//! The reference are gaps along given directions, by `spec`. The least depth of two polyhedra is along a normal of a face of one of them, or
//! along a direction perpendicular to an edge of each; these are tried for every three and every two corners. For round shapes it is searched
//! among directions that are evenly distributed, and from the best of them.

use scenes::convex::rotation;
use spec::{MovingSolid, gap};
use swath::convex::gjk::{Distance, GjkCache};
use swath::convex::toi::{Settings, ToiResult};
use swath::convex::{Hull, gjk, toi};
use swath::{Motion, Pose, Shape};
use testkit::convex_asked::{motion, shape as shape_of};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape, shape};
use testkit::draw::{Draw, how_many};

type Vector = [f64; 3];

/// Greatest number of corners of a polyhedron for which all directions are tried.
const CORNERS_MAX: usize = 8;

/// By how much the depth may be too great: the share at which a search ends, and a little for the rounding of a cone's tip and of rims.
const SHARE: f64 = 1.0 / 1000.0;

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Two bodies at rest.
struct Overlap {
    shapes: [PlainShape; 2],
    motions: [PlainMotion; 2],
}

impl Overlap {
    fn solids(&self) -> [MovingSolid; 2] {
        [0, 1].map(|k| self.shapes[k].moving(&self.motions[k]))
    }

    /// The directions along which the depth of two polyhedra can be least, or `None` if they have too many corners or are round.
    fn directions(&self) -> Option<Vec<Vector>> {
        let solids = self.solids();
        let corners = [0, 1].map(|k| {
            let local = self.shapes[k].corners().filter(|corners| corners.len() <= CORNERS_MAX);
            local.map(|local| local.iter().map(|&at| solids[k].at(at, 0.0)).collect::<Vec<_>>())
        });
        let [Some(a), Some(b)] = corners else { return None };
        let edges = [&a, &b].map(|corners| {
            let from = |p: usize| corners[p + 1..].iter().map(move |&q| minus(q, corners[p]));
            (0..corners.len()).flat_map(from).collect::<Vec<_>>()
        });
        let mut directions: Vec<Vector> =
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into();
        for (first, second) in [[0, 0], [1, 1], [0, 1]].map(|[k, l]| (&edges[k], &edges[l])) {
            for &e in first {
                directions.extend(second.iter().map(|&f| cross(e, f)));
            }
        }
        directions.retain(|&across| length(across) > 0.0);
        Some(directions)
    }

    /// The depth along a direction.
    fn along(&self, direction: Vector) -> f64 {
        let [a, b] = self.solids();
        -gap(&a, &b, 0.0, direction)
    }

    /// The least depth that is found along other directions than those of the library.
    fn least(&self) -> f64 {
        if let Some(directions) = self.directions() {
            let both = directions.iter().flat_map(|&n| [n, n.map(|x| -x)]);
            return both.map(|n| self.along(n)).fold(f64::INFINITY, f64::min);
        }
        let count = 1_000.0;
        let spiral = (0..1_000).map(f64::from).map(|k| {
            let z = 1.0 - (2.0 * k + 1.0) / count;
            let (across, turn) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * k);
            [across * turn.cos(), across * turn.sin(), z]
        });
        let mut starts: Vec<(f64, Vector)> = spiral.map(|n| (self.along(n), n)).collect();
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let refined = starts.into_iter().take(8).map(|start| self.refined(start));
        refined.fold(f64::INFINITY, f64::min)
    }

    /// The least depth near a direction, by smaller and smaller steps.
    fn refined(&self, (mut depth, mut n): (f64, Vector)) -> f64 {
        let mut step = 0.1;
        while step > 1e-7 {
            let steps = (0..6).map(|k| {
                let mut next = n;
                next[k / 2] += if k % 2 == 0 { step } else { -step };
                let size = length(next);
                next.map(|x| x / size)
            });
            let best = steps.map(|n| (self.along(n), n)).min_by(|a, b| a.0.total_cmp(&b.0));
            match best.filter(|best| best.0 < depth) {
                Some(best) => (depth, n) = best,
                None => step *= 0.5,
            }
        }
        depth
    }

    /// Calls a function with both shapes and their motions.
    fn with<R>(&self, call: impl FnOnce([&Shape<'_>; 2], [&Motion; 2]) -> R) -> R {
        let hulls = [0, 1].map(|k| match &self.shapes[k].core {
            PlainCore::Hull(points) => Some(Hull::new(points.iter().copied()).expect("a hull")),
            _ => None,
        });
        let [a, b] = [0, 1].map(|k| shape_of(&self.shapes[k], hulls[k].as_ref()));
        let [a_motion, b_motion] = self.motions.each_ref().map(motion);
        call([&a, &b], [&a_motion, &b_motion])
    }

    fn distance(&self) -> Distance {
        self.with(|[a, b], [a_motion, b_motion]| {
            gjk::distance(a, &a_motion.pose, b, &b_motion.pose).expect("poses")
        })
    }

    /// Checks the depth that is found for an overlap, and that of a search for a time of impact. Returns the depth relative to the least
    /// one, or `None` if the shapes do not overlap, or no deeper than a touch.
    fn check(&self) -> Option<f64> {
        let found = self.distance();
        let [a_size, b_size] = self.with(|shapes, _| shapes.map(Shape::size));
        let depth = f64::from(-found.distance);
        if depth < 1e-3 * a_size.min(b_size) {
            return None;
        }
        let case = format!("{found:?} of {:?} and {:?}", self.shapes, self.motions);
        let along = self.along(found.normal.map(f64::from));
        let rounding = 1e-6 * (a_size + b_size);
        // So it is not less than the least depth.
        assert!((depth - along).abs() <= rounding, "{along} along the normal: {case}");
        let least = self.least();
        let toi = self.with(|[a, b], [a_motion, b_motion]| {
            toi::one_to_one(a, a_motion, b, b_motion, &Settings::default()).expect("motions")
        });
        let ToiResult::Overlapping { depth: of_search, .. } = toi.result else {
            panic!("{:?} of {case}", toi.result)
        };
        assert!(
            (f64::from(of_search) - depth).abs() <= SHARE * depth + rounding,
            "{of_search} and {case}"
        );
        Some(depth / least)
    }
}

fn overlap_of(draw: &mut Draw) -> Overlap {
    let shapes = [0; 2].map(|_| shape(draw, 1.0));
    let motions = [0; 2].map(|_| PlainMotion {
        position: [0; 3].map(|_| draw.between(-0.7, 0.7)),
        orientation: rotation(&mut draw.0),
        ..PlainMotion::REST
    });
    Overlap { shapes, motions }
}

/// Goal: the depth is the least one but for a thousandth, and that of a search is the same. Method: random overlaps of shapes of all kinds.
#[test]
fn depth_of_convex_shapes_is_the_least_one() {
    let mut draw = Draw::new(211);
    let ratios = (0..how_many(1_500)).filter_map(|_| overlap_of(&mut draw).check());
    let ratios: Vec<f64> = ratios.collect();
    assert!(ratios.len() > how_many(1_500) / 2, "{} overlaps", ratios.len());
    let worst = ratios.into_iter().fold(0.0, f64::max);
    assert!(worst <= 1.0 + SHARE, "{worst}");
}

/// Goal: faces in one plane, and directions that are equally deep, are no obstacle. Method: boxes as hulls of eight corners, in equal poses, turned
/// by a quarter, moved along an axis, one inside the other, or in random poses, against the depth of two boxes, which is exact.
#[test]
fn depth_of_hulls_of_corners_is_that_of_boxes() {
    let turn = 0.5_f32.sqrt();
    let turned = [[0.0, 0.0, 0.0, 1.0], [turn, 0.0, 0.0, turn], [0.5; 4]];
    let mut draw = Draw::new(212);
    let mut checked = 0;
    for _ in 0..how_many(4_000) {
        let halves = [0; 2].map(|_| [0; 3].map(|_| draw.one_of(&[0.25, 0.5, 1.0, 1.75])));
        let is_aligned = draw.one_in(2);
        let poses = [0; 2].map(|_| {
            let at = [0; 3].map(|_| draw.one_of(&[0.0, 0.0, 0.25, -0.5]));
            let turned = if is_aligned { draw.one_of(&turned) } else { rotation(&mut draw.0) };
            Pose::new(at, turned).expect("a pose")
        });
        let hulls = halves.map(|half: [f32; 3]| {
            let sign =
                |corner: usize, k: usize| if corner >> k & 1 == 0 { -half[k] } else { half[k] };
            let corners = (0..8).map(|corner| [0, 1, 2].map(|k| sign(corner, k)));
            Hull::new(corners).expect("a hull")
        });
        let boxes = halves.map(|half| Shape::cuboid(half).expect("a box"));
        let exact = gjk::distance(&boxes[0], &poses[0], &boxes[1], &poses[1]).expect("poses");
        let [a, b] = [&hulls[0], &hulls[1]].map(Shape::hull);
        let found = gjk::distance(&a, &poses[0], &b, &poses[1]).expect("poses");
        if exact.distance < -0.01 {
            let ratio = f64::from(found.distance) / f64::from(exact.distance);
            assert!(
                (ratio - 1.0).abs() <= SHARE,
                "{found:?} instead of {exact:?}: {halves:?} {poses:?}"
            );
            checked += 1;
        }
    }
    assert!(checked > how_many(4_000) / 2, "{checked} overlaps");
}

/// Goal: the unit of length changes nothing. Method: overlaps with all lengths scaled by powers of two.
#[test]
fn depth_is_that_of_any_unit() {
    let mut draw = Draw::new(213);
    let mut checked = 0;
    for _ in 0..how_many(600) {
        let Overlap { shapes, motions } = overlap_of(&mut draw);
        let found = [0, -60, 60].map(|power: i32| {
            let by = 2.0_f32.powi(power);
            let shapes = shapes.each_ref().map(|shape| shape.scaled(by));
            let motions = motions
                .map(|motion| PlainMotion { position: motion.position.map(|x| x * by), ..motion });
            (Overlap { shapes, motions }.distance(), by)
        });
        let (expected, _) = found[0];
        for (found, by) in found {
            let distance = found.distance / by;
            assert_eq!(
                (distance, found.normal),
                (expected.distance, expected.normal),
                "{shapes:?}"
            );
        }
        checked += usize::from(expected.distance < 0.0);
    }
    assert!(checked > how_many(600) / 2, "{checked} overlaps");
}

/// Goal: a point, which has no size, has the depth of a small ball. Method: points in cones, whose depth is the distance from the base or from the
/// line of the slope in the plane through the axis.
#[test]
fn depth_of_a_point_in_a_cone_is_that_of_the_closed_form() {
    let mut draw = Draw::new(214);
    let mut checked = 0;
    for _ in 0..how_many(4_000) {
        let [half_height, radius] = [0; 2].map(|_| draw.between(0.1, 1.0));
        let at = [radius, half_height, radius].map(|most| most * draw.between(-1.0, 1.0));
        let [x, y, z] = at.map(f64::from);
        let [h, r] = [half_height, radius].map(f64::from);
        // The slope goes from (r, -h) to (0, h).
        let from_slope = (2.0 * h * r - r * (y + h) - 2.0 * h * x.hypot(z)) / r.hypot(2.0 * h);
        let exact = from_slope.min(y + h);
        if exact < 1e-4 {
            continue;
        }
        let cone = Shape::cone(half_height, radius).expect("a cone");
        for point in [Shape::point(), Shape::sphere(1e-6).expect("a ball")] {
            let pose = Pose::at(at).expect("a pose");
            let found = gjk::distance(&cone, &Pose::IDENTITY, &point, &pose).expect("poses");
            let depth = f64::from(-found.distance);
            assert!(
                (depth - exact).abs() <= SHARE * exact + 2e-6,
                "{found:?}, not {exact}: {at:?} in {cone:?}"
            );
        }
        checked += 1;
    }
    assert!(checked > how_many(4_000) / 8, "{checked} points");
}

/// Goal: shapes that are flat in one plane have no depth, however they overlap in it. Method: two triangles that overlap deeply, and a hull of four corners and a
/// triangle, in one plane of any rotation.
#[test]
fn flat_shapes_in_one_plane_have_no_depth() {
    let mut draw = Draw::new(215);
    let square = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]];
    let square = Hull::new(square).expect("a hull");
    let corners = [[-1.0, -0.5, 0.0], [1.0, -0.5, 0.0], [0.1, 1.0, 0.0]];
    let triangle = Shape::triangle(corners).expect("a triangle");
    for _ in 0..how_many(500) {
        let rotation = rotation(&mut draw.0);
        let turned = Pose::new([0.0; 3], rotation).expect("a pose");
        let at = [draw.between(-0.2, 0.2), draw.between(-0.2, 0.2), 0.0];
        let solid = PlainShape { core: PlainCore::Point, radius: 0.0 }
            .moving(&PlainMotion { orientation: rotation, ..PlainMotion::REST });
        let at = solid.at(at.map(f64::from), 0.0).map(|x| x as f32);
        let pose = Pose::new(at, rotation).expect("a pose");
        for other in [triangle, Shape::hull(&square)] {
            let found = gjk::distance(&triangle, &turned, &other, &pose).expect("poses");
            assert!(found.distance.abs() <= 1e-6, "{found:?} at {pose:?}");
        }
    }
}

/// Goal: the depth of long shapes is at most a thousandth too great, also if rounding keeps a search away from an overlap. Method: pairs of
/// which random ones had depths of up to four times the least one, which is known; in both orders, and from several normals of a search
/// before.
#[test]
fn depth_of_long_shapes_is_the_least_one() {
    let quarter = [0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2];
    let cylinder = |half, radius| Shape::cylinder(half, radius).expect("a cylinder");
    let plate =
        Shape::cuboid([1.0, 1.0, 0.986_118_2]).and_then(|core| core.rounded(7.090_068_5e-5));
    let wide = cylinder(164.716_64, 0.0).scaled([74.340_485, 103.647_766, 0.765_664_34]);
    let at = |position, rotation| Pose::new(position, rotation).expect("a pose");
    let none = Pose::IDENTITY.rotation;
    let sheet = Shape::cuboid([2.855_755_7e-5, 1.658_416_4, 5.741_687_3e-5]).expect("a box");
    let pairs = [
        (
            plate.expect("a plate"),
            quarter,
            wide.expect("wide"),
            at([0.0, 0.227_100_97, 0.0], quarter),
            0.772_97,
        ),
        (
            cylinder(0.001_090_453_9, 0.0),
            none,
            cylinder(0.001_397_877_5, 3.705_459_6),
            Pose::IDENTITY,
            0.002_488_331_4,
        ),
        (
            Shape::cone(0.804_224_1, 4.691_962e-5).expect("a cone"),
            none,
            cylinder(0.064_392_98, 0.0),
            at([0.0, 0.455_347_6, 0.0], none),
            1.205_5e-5,
        ),
        (cylinder(4.052_244_5e-4, 0.0), quarter, sheet, Pose::IDENTITY, 5.741_687_3e-5),
    ];
    for (case, (a, a_rotation, b, b_pose, least)) in pairs.iter().enumerate() {
        let a_pose = at([0.0; 3], *a_rotation);
        let sizes = a.size() + b.size();
        for normal in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.4, -0.5]] {
            for exchanged in [false, true] {
                let mut cache = GjkCache { normal };
                let found = match exchanged {
                    false => gjk::distance_from(a, &a_pose, b, b_pose, &mut cache),
                    true => gjk::distance_from(b, b_pose, a, &a_pose, &mut cache),
                };
                let found = found.expect("poses");
                let depth = f64::from(-found.distance);
                let most = least * (1.0 + SHARE) + sizes / f64::from(1 << 26);
                assert!(depth > 0.0 && depth <= most, "{case} {normal:?} {exchanged} {found:?}");
                let [on_a, on_b, normal] =
                    [found.on_a, found.on_b, found.normal].map(|v| v.map(f64::from));
                let between = minus(on_b, on_a);
                let along: f64 = (0..3).map(|axis| between[axis] * normal[axis]).sum();
                assert!((along + depth).abs() <= 1e-3 * depth + 1e-6 * sizes, "{case} {found:?}");
            }
        }
    }
}

/// Rotates a vector by the inverse of a quaternion, which is normalised.
fn rotated_back(quaternion: [f32; 4], v: Vector) -> Vector {
    let [x, y, z, w] = quaternion.map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let [u, w] = [[-x, -y, -z].map(|x| x / length), [w / length; 3]];
    let once = cross(u, v);
    let twice = cross(u, once);
    std::array::from_fn(|k| v[k] + 2.0 * (w[k] * once[k] + twice[k]))
}

/// Goal: the depth of a point in a cone or cylinder that is stretched across its axis is the least one. Method: the planes of the bases and the tangent
/// planes of the round side, 4,000 of them and those between the nearest two; of random ones and of those that had depths up to 3.6 times as great.
#[test]
fn depth_of_a_point_in_a_stretched_cone_is_the_least_one() {
    let mut draw = Draw::new(216);
    let mut checked = 0;
    let found = [
        (
            true,
            [0.517_854_4, 0.294_841_14],
            1e4,
            [0.600_999_9, -0.194_192_48, 0.444_890_23, 0.634_949_7],
            [-0.325_397_76, -0.048_197_74, 0.240_637_72],
        ),
        (
            true,
            [1.018_684_1, 0.624_555_1],
            1e5,
            [-0.173_653_23, 0.715_546_6, 0.127_946_39, -0.664_430_1],
            [-0.056_438_375, 0.652_133_9, 0.297_585_55],
        ),
        (
            true,
            [0.365_776_7, 1.080_423_7],
            1e4,
            [-0.478_377, -0.793_033_4, -0.173_509_9, -0.333_695],
            [0.0; 3],
        ),
        (
            false,
            [0.771_726_8, 0.465_741_66],
            1e4,
            [0.426_175_65, 0.640_223_26, -0.636_371_7, -0.059_325_963],
            [-1_616.863_5, 1_594.983_9, -1_197.420_5],
        ),
    ];
    for case in 0..how_many(300) + found.len() {
        let random = (case >= found.len()).then(|| {
            let sizes = [0; 2].map(|_| draw.between(0.2, 1.2));
            let stretch = if case % 4 < 2 { 1e4 } else { 1e5 };
            let rotation = rotation(&mut draw.0);
            (case % 2 == 0, sizes, stretch, rotation, [0; 3].map(|_| draw.between(-0.4, 0.4)))
        });
        let (is_cone, [half, radius], stretch, rotation, at) = random.unwrap_or(found[case.min(3)]);
        let shape = if is_cone { Shape::cone(half, radius) } else { Shape::cylinder(half, radius) };
        let shape = shape.and_then(|shape| shape.scaled([stretch, 1.0, 1.0])).expect("a shape");
        let pose = Pose::new([0.0; 3], rotation).expect("a pose");
        let [x, y, z] = rotated_back(rotation, at.map(f64::from));
        let (stretch, point) = (f64::from(stretch), [x / f64::from(stretch), y, z]);
        let [h, r] = [half, radius].map(f64::from);
        // The distance from a plane with this normal and width, both before the stretch.
        let from_plane = |n: Vector, width: f64| {
            let along: f64 = (0..3).map(|k| n[k] * point[k]).sum();
            (width - along) / (n[0] / stretch).hypot(n[1]).hypot(n[2])
        };
        let from_side = |angle: f64| {
            let [x, z] = [angle.cos(), angle.sin()];
            if is_cone {
                from_plane([2.0 * h * x, r, 2.0 * h * z], r * h)
            } else {
                from_plane([x, 0.0, z], r)
            }
        };
        let step = std::f64::consts::TAU / 4_000.0;
        let angles = (0..4_000).map(|k| step * f64::from(k));
        let (near, _) = angles
            .map(|angle| (angle, from_side(angle)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("angles");
        let between = (-1_000..=1_000).map(|k| from_side(near + step * 1e-3 * f64::from(k)));
        let of_base = from_plane([0.0, -1.0, 0.0], h);
        let of_top = if is_cone { of_base } else { from_plane([0.0, 1.0, 0.0], h) };
        let exact = between.fold(of_base.min(of_top), f64::min);
        if exact < 1e-2 {
            continue;
        }
        let other = Pose::at(at).expect("a pose");
        let found = gjk::distance(&shape, &pose, &Shape::point(), &other).expect("poses");
        let depth = f64::from(-found.distance);
        let most = exact * (1.0 + SHARE) + 2.0_f64.powi(-25) * shape.size();
        assert!(depth > 0.0 && depth <= most, "{found:?}, not {exact}: {at:?} in {shape:?}");
        checked += 1;
    }
    assert!(checked > how_many(300) / 4, "{checked} points");
}
