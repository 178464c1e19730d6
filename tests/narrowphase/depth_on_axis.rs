//! Tests of the depth of bodies of revolution whose axes are parallel or nearly so, and of pointed hulls of many sides, against closed forms.
//!
//! The difference of two bodies of revolution about parallel axes is one too. In the half plane through its axis and the other origin it is
//! a polygon, whose corners are sums of those of both profiles. The depth is the least distance from a side of it.

use scenes::convex::rotation;
use spec::gap;
use swath::convex::{Hull, SupportMap, gjk};
use swath::{Pose, Shape};
use testkit::convex_asked::shape as shape_of;
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::{Draw, how_many};

/// By how much the depth of an expanding polytope may be too great.
const SHARE: f64 = 1.0 / 1000.0;

/// The corners of the profile of a shape, across and along its axis, on one side.
fn profile(core: &PlainCore) -> Vec<[f64; 2]> {
    let of = |corners: &[[f32; 2]]| corners.iter().map(|corner| corner.map(f64::from)).collect();
    match *core {
        PlainCore::Point => of(&[[0.0, 0.0]]),
        PlainCore::Segment([[_, low, _], [_, high, _]]) => of(&[[0.0, low], [0.0, high]]),
        PlainCore::Cylinder { half_height, radius } => {
            of(&[[radius, -half_height], [radius, half_height]])
        }
        PlainCore::Cone { half_height, radius } => {
            of(&[[radius, -half_height], [0.0, half_height]])
        }
        _ => unreachable!("bodies of revolution alone"),
    }
}

/// The depth of a point in a polygon: the least distance from a line through two corners that has all others on one side.
fn depth_in(corners: &[[f64; 2]], at: [f64; 2]) -> f64 {
    let mut least = f64::INFINITY;
    for &[px, py] in corners {
        for &[qx, qy] in corners {
            let (nx, ny) = (qy - py, px - qx);
            let length = nx.hypot(ny);
            if length < 1e-9 {
                continue;
            }
            let above = |[x, y]: [f64; 2]| ((x - px) * nx + (y - py) * ny) / length;
            if corners.iter().all(|&corner| above(corner) <= 1e-12) {
                least = least.min(-above(at));
            }
        }
    }
    least
}

/// The depth of two bodies of revolution about `y`, the second of which is across and along the axis from the first.
fn depth_of(shapes: &[PlainShape; 2], at: [f64; 2]) -> f64 {
    let [a, b] = shapes.each_ref().map(|shape| profile(&shape.core));
    let sums = a
        .iter()
        .flat_map(|&[r, y]| b.iter().flat_map(move |&[s, z]| [[r + s, y - z], [-r - s, y - z]]));
    let sums: Vec<[f64; 2]> = sums.collect();
    depth_in(&sums, at) + f64::from(shapes[0].radius) + f64::from(shapes[1].radius)
}

/// The depth without the radii, which is negative if the cores do not overlap.
fn core_depth_of(shapes: &[PlainShape; 2], at: [f64; 2]) -> f64 {
    let cores = shapes.each_ref().map(|shape| PlainShape { radius: 0.0, ..shape.clone() });
    depth_of(&cores, at)
}

/// The shape, with the segment of a capsule as that of the library.
fn round_shape(shape: &PlainShape) -> Shape<'static> {
    match shape.core {
        PlainCore::Segment([_, [_, half_height, _]]) => {
            Shape::capsule(half_height, shape.radius).expect("a capsule")
        }
        _ => shape_of(shape, None),
    }
}

/// A body of revolution about `y`. The first one of a pair has a volume.
fn body(draw: &mut Draw, is_first: bool) -> PlainShape {
    let [half_height, radius] = [0; 2].map(|_| draw.between(0.1, 1.0));
    let core = match draw.one_of(&[0, 1, 2, 3]) {
        0 if !is_first => PlainCore::Point,
        1 if !is_first => PlainCore::Segment([[0.0, -half_height, 0.0], [0.0, half_height, 0.0]]),
        0 | 2 => PlainCore::Cylinder { half_height, radius },
        _ => PlainCore::Cone { half_height, radius },
    };
    PlainShape { core, radius: draw.one_of(&[0.0, 0.0, 0.1]) }
}

/// The product of two quaternions.
fn product([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> [f32; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Goal: the depth of bodies of revolution about parallel axes is exact, on the axis and beside it, also upside down. Method: the closed form, upright bodies that are
/// turned about the axis, in both orders.
#[test]
fn depth_of_bodies_about_parallel_axes_is_that_of_the_closed_form() {
    let mut draw = Draw::new(221);
    let mut checked = 0;
    for _ in 0..how_many(4_000) {
        let mut shapes = [body(&mut draw, true), body(&mut draw, false)];
        let up = draw.between(-0.6, 0.6);
        let off = draw.one_of(&[0.0, 1e-6, 1e-3, 0.1]) * draw.between(0.5, 1.0);
        let exact = depth_of(&shapes, [off, up].map(f64::from));
        if core_depth_of(&shapes, [off, up].map(f64::from)) < 1e-3 {
            continue;
        }
        let angle = draw.between(0.0, 3.0);
        let turned = [0.0, (0.5 * angle).sin(), 0.0, (0.5 * angle).cos()];
        let at = [off * angle.sin(), up, off * angle.cos()];
        let is_turned_over = draw.one_in(2);
        let mut poses = [(at.map(|_| 0.0), [0.0, 0.0, 0.0, 1.0]), (at, turned)];
        if is_turned_over {
            // A half turn about `x` of both.
            for (at, turned) in &mut poses {
                *at = [at[0], -at[1], -at[2]];
                *turned = product([1.0, 0.0, 0.0, 0.0], *turned);
            }
        }
        if draw.one_in(2) {
            shapes.reverse();
            poses.reverse();
        }
        let [a, b] = shapes.each_ref().map(round_shape);
        let [a_pose, b_pose] = poses.map(|(at, turned)| Pose::new(at, turned).expect("a pose"));
        let found = gjk::distance(&a, &a_pose, &b, &b_pose).expect("poses");
        let depth = f64::from(-found.distance);
        assert!((depth - exact).abs() <= 2e-6, "{found:?}, not {exact}: {shapes:?} at {poses:?}");
        checked += 1;
    }
    assert!(checked > how_many(4_000) / 4, "{checked} overlaps");
}

/// Goal: axes that are nearly parallel, for which the directions of parallel ones are hardly too deep or not good enough, have the least depth too, but for a
/// thousandth. Method: the depth along 300 normals around the axis and three along it at least is not less; each of these is an upper bound, and that of the
/// parallel bodies is a lower bound but for the angle.
#[test]
fn depth_of_bodies_about_nearly_parallel_axes_is_the_least_one() {
    let mut draw = Draw::new(222);
    let mut checked = 0;
    for _ in 0..how_many(2_000) {
        let shapes = [body(&mut draw, true), body(&mut draw, false)];
        let up = draw.between(-0.3, 0.3);
        let off = draw.one_of(&[0.0, 1e-5, 1e-3]);
        let of_parallel = depth_of(&shapes, [off, up].map(f64::from));
        if core_depth_of(&shapes, [off, up].map(f64::from)) < 0.02 {
            continue;
        }
        let sine = draw.one_of(&[1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 1e-3]);
        let both = rotation(&mut draw.0);
        let tilted = product(both, [sine, 0.0, 0.0, (1.0 - sine * sine).sqrt()]);
        // The rotation of the first body applied to the offset, by the library's own closed form of a moving solid.
        let first = PlainMotion { orientation: both, ..PlainMotion::REST };
        let point = PlainShape { core: PlainCore::Point, radius: 0.0 }.moving(&first);
        let at = point.at([off, up, 0.0].map(f64::from), 0.0).map(|x| x as f32);
        let second = PlainMotion { position: at, orientation: tilted, ..PlainMotion::REST };
        let solids = [shapes[0].moving(&first), shapes[1].moving(&second)];
        let [a, b] = shapes.each_ref().map(round_shape);
        let a_pose = Pose::new([0.0; 3], both).expect("a pose");
        let b_pose = Pose::new(at, tilted).expect("a pose");
        let found = gjk::distance(&a, &a_pose, &b, &b_pose).expect("poses");
        let depth = f64::from(-found.distance);
        let case = format!("{found:?}: {shapes:?} at {at:?}, {sine}");
        let along = |n: [f64; 3]| -gap(&solids[0], &solids[1], 0.0, n);
        assert!((depth - along(found.normal.map(f64::from))).abs() <= 4e-6, "{case}");
        // Twice the sine of half the angle, and sizes of at most 1.5 from the origin.
        let change = 4.0 * f64::from(sine) * 3.0;
        let most = (of_parallel + change) * (1.0 + SHARE) + 4e-6;
        assert!(depth <= most && depth >= of_parallel - change - 4e-6, "{of_parallel}, {case}");
        let sides = shapes.each_ref().map(|shape| match shape.core {
            PlainCore::Cone { half_height, radius } => [2.0 * half_height, radius].map(f64::from),
            _ => [1.0, 0.0],
        });
        let length = |v: [f64; 2]| v[0].hypot(v[1]);
        let around = (0..300).map(|k| std::f64::consts::TAU / 300.0 * f64::from(k));
        let normals = around.flat_map(|angle: f64| {
            [(sides[0], 1.0), (sides[1], -1.0)].map(|(side, up)| {
                let [across, along] = side.map(|x| x / length(side));
                [across * angle.cos(), up * along, across * angle.sin()]
            })
        });
        let least =
            normals.chain([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]).map(|n| along(point.at(n, 0.0)));
        let least = least.fold(f64::INFINITY, f64::min);
        assert!(depth <= least * (1.0 + SHARE) + 4e-6, "{least}, {case}");
        checked += 1;
    }
    assert!(checked > how_many(2_000) / 4, "{checked} overlaps");
}

/// Goal: a pyramid of many sides with a ball on its axis or near it has the least depth. Method: the planes of its sides, of 8 to 256, and its base.
#[test]
fn depth_of_a_ball_in_a_pyramid_is_that_of_the_nearest_side() {
    for sides in [8, 16, 32, 64, 100, 128, 256] {
        let step = std::f64::consts::TAU / f64::from(sides);
        let rim = (0..sides).map(|k| {
            let angle = step * f64::from(k);
            [(0.5 * angle.cos()) as f32, -0.5, (0.5 * angle.sin()) as f32]
        });
        let hull = Hull::new(rim.chain([[0.0, 0.5, 0.0]])).expect("a hull");
        let (pyramid, ball) = (Shape::hull(&hull), Shape::sphere(0.1).expect("a ball"));
        for off in [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let at = [off, 0.05, 0.0_f32];
            let [x, y, z] = at.map(f64::from);
            let from_side = |k: i32| {
                let angle = step * (f64::from(k) + 0.5);
                let across = 0.5 * (0.5 * step).cos();
                let out = x * angle.cos() + z * angle.sin();
                (across * (0.5 - y) - out) / across.hypot(1.0)
            };
            let exact = (0..sides).map(from_side).fold(y + 0.5, f64::min) + 0.1;
            let pose = Pose::at(at).expect("a pose");
            let found = gjk::distance(&pyramid, &Pose::IDENTITY, &ball, &pose).expect("poses");
            let depth = f64::from(-found.distance);
            let most = exact * (1.0 + SHARE) + 1e-6;
            assert!(
                depth >= exact - 1e-6 && depth <= most,
                "{sides} sides, {off}: {found:?}, not {exact}"
            );
        }
    }
}

/// A cone whose support map is that of a caller.
#[derive(Debug)]
struct Cone {
    half_height: f64,
    radius: f64,
}

impl SupportMap for Cone {
    fn support(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let across = (x * x + z * z).sqrt();
        if 2.0 * self.half_height * y > self.radius * across {
            return [0.0, self.half_height, 0.0];
        }
        let by = if across > 0.0 { self.radius / across } else { 0.0 };
        [x * by, -self.half_height, z * by]
    }

    fn bounding_radius(&self) -> f64 {
        self.half_height.hypot(self.radius) * 1.000_001
    }
}

/// Goal: a round body of which the library has no closed form has the least depth, but for a thousandth, also if all directions around an axis are equally
/// deep. Method: a cone by a support map, and one that is hardly stretched, with a ball.
#[test]
fn depth_in_a_cone_without_a_closed_form_is_the_least_one() {
    let mut draw = Draw::new(223);
    let mut checked = 0;
    for _ in 0..how_many(1_000) {
        let [half_height, radius] = [0; 2].map(|_| draw.between(0.2, 1.0));
        let off = draw.one_of(&[0.0, 1e-5, 1e-4, 1e-3, 1e-2]) * radius;
        let up = draw.between(-1.0, 0.8) * half_height;
        let cone = PlainShape { core: PlainCore::Cone { half_height, radius }, radius: 0.0 };
        let ball = PlainShape { core: PlainCore::Point, radius: 0.05 };
        let exact = depth_of(&[cone, ball], [off, up].map(f64::from));
        // The core of the ball is inside.
        if exact < 0.1 {
            continue;
        }
        let map = Cone { half_height: half_height.into(), radius: radius.into() };
        let stretched =
            Shape::cone(half_height, radius).and_then(|cone| cone.scaled([1.0, 1.0, 1.000_01]));
        let ball = Shape::sphere(0.05).expect("a ball");
        let pose = Pose::at([0.0, up, off]).expect("a pose");
        for shape in [Shape::custom(&map), stretched] {
            let shape = shape.expect("a shape");
            let found = gjk::distance(&shape, &Pose::IDENTITY, &ball, &pose).expect("poses");
            let depth = f64::from(-found.distance);
            let most = exact * (1.0 + SHARE) + 2e-5;
            assert!(
                depth >= exact - 2e-6 && depth <= most,
                "{found:?}, not {exact}: {shape:?} {up}"
            );
            checked += 1;
        }
    }
    assert!(checked > how_many(1_000), "{checked} overlaps");
}
