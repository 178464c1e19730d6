//! Tests of overlaps: shapes that share a point always overlap, and others hardly ever.
//!
//! The first inputs are small integers, for which `f32` is exact, and results equal those of `spec`. Then
//! follow hostile cases, compared with sums of products of integers, which have no rounding error and use no
//! formula of the kernels.

use std::cmp::Ordering::Greater;

use swath::batch::overlap::{planes, sphere};
use swath::batch::{PlaneSide, overlap};
use swath::{Aabb, COORD_MAX, Plane, Sphere};
use testkit::draw::how_many;
use testkit::places::{Cut, Near, boxes, cuts, frustum, near};
use testkit::terms::{Term, sign, square};

fn sphere_meets(sphere: &Sphere, aabb: &Aabb) -> bool {
    sphere::one_to_one(sphere, aabb).expect("both are valid")
}

fn side(planes: &[Plane], aabb: &Aabb) -> PlaneSide {
    planes::one_to_one(planes, aabb).expect("all are valid")
}

fn map(aabb: &Aabb, on_axis: impl Fn([f32; 2], usize) -> [f32; 2]) -> Aabb {
    let axes: [_; 3] = std::array::from_fn(|k| on_axis([aabb.min[k], aabb.max[k]], k));
    Aabb { min: axes.map(|axis| axis[0]), max: axes.map(|axis| axis[1]) }
}

/// Goal: every order of four interval ends gives the right result. Method: all of them, on each axis, in both
/// orders of the boxes; the other axes overlap, touch or are apart.
#[test]
fn every_order_of_two_intervals_equals_the_spec() {
    let intervals: Vec<[f32; 2]> =
        (0..=4_i16).flat_map(|min| (min..=4).map(move |max| [min, max].map(f32::from))).collect();
    for &of_a in &intervals {
        for &of_b in &intervals {
            let meets = of_a[0] <= of_b[1] && of_b[0] <= of_a[1];
            for axis in 0..3 {
                for (other, shares) in [([1.0, 2.0], true), ([2.0, 3.0], true), ([3.0, 4.0], false)]
                {
                    let of = |mine, axes: [f32; 2]| {
                        let unit = Aabb { min: [axes[0]; 3], max: [axes[1]; 3] };
                        map(&unit, |rest, k| if k == axis { mine } else { rest })
                    };
                    let (a, b) = (of(of_a, [0.0, 2.0]), of(of_b, other));
                    assert_eq!(overlap::one_to_one(&a, &b), Ok(meets && shares), "{a:?} {b:?}");
                    assert_eq!(overlap::one_to_one(&b, &a), Ok(meets && shares), "{a:?} {b:?}");
                }
            }
        }
    }
}

/// Goal: a sphere touches at its radius and not a step before. Method: all centres of a grid around a box, a
/// flat box and a point, and every radius near the distance whose square is an integer.
#[test]
fn every_sphere_on_a_grid_equals_the_spec() {
    let boxes = [[[-1.0; 3], [1.0, 2.0, 0.0]], [[0.0; 3], [0.0, 1.0, 2.0]], [[1.0; 3]; 2]];
    for aabb in boxes.map(|[min, max]| Aabb { min, max }) {
        for at in 0..11 * 11 * 11 {
            let center = [at % 11, at / 11 % 11, at / 121].map(|x| x as f32 - 5.0);
            for radius in 0..10 {
                let sphere = Sphere { center, radius: radius as f32 };
                let expected = spec::overlap_sphere(&sphere, &aabb);
                assert_eq!(sphere::one_to_one(&sphere, &aabb), expected, "{sphere:?} {aabb:?}");
                let gap = spec::sphere_gap(&sphere, &aabb).expect("both are valid");
                assert_eq!(expected, Ok(gap <= 0.0), "{sphere:?} {aabb:?}");
            }
        }
    }
}

/// The exact facts of a sphere and a box.
struct Exact {
    /// They share a point.
    meets: bool,
    /// They would share one if the radius were larger by 2⁻²¹ of itself.
    nearly: bool,
}

fn exact_sphere(Near { sphere, aabb }: &Near) -> Exact {
    let mut terms = Vec::with_capacity(10);
    for axis in 0..3 {
        let (center, min, max) = (sphere.center[axis], aabb.min[axis], aabb.max[axis]);
        if center < min {
            terms.extend(square(min, center));
        } else if center > max {
            terms.extend(square(center, max));
        }
    }
    let radius = Term::of(sphere.radius);
    let larger = radius * Term::whole((1 << 21) + 1, -21);
    terms.push(-(radius * radius));
    let meets = sign(&terms) != Greater;
    terms.pop();
    terms.push(-(larger * larger));
    Exact { meets, nearly: meets || sign(&terms) != Greater }
}

/// Goal: a sphere that touches a box is never missed, and a miss by 2⁻²¹ of its radius is reported as a miss.
/// Method: hostile cases compared with integer arithmetic, which include ties and near misses.
#[test]
fn spheres_are_never_missed() {
    let (mut met, mut narrow, mut ties) = (0, 0, 0);
    let count = how_many(150_000);
    for case in near(1, count) {
        let exact = exact_sphere(&case);
        let answer = sphere_meets(&case.sphere, &case.aabb);
        assert!(answer || !exact.meets, "missed: {case:?}");
        assert!(!answer || exact.nearly, "not even near: {case:?}");
        met += usize::from(exact.meets);
        narrow += usize::from(exact.nearly && !exact.meets);
        let smaller = Sphere { radius: case.sphere.radius.next_down().max(0.0), ..case.sphere };
        ties += usize::from(exact.meets && !exact_sphere(&Near { sphere: smaller, ..case }).meets);
    }
    assert!(met > count / 4 && narrow > count / 50 && ties > count / 50, "{met} {narrow} {ties}");
}

/// Goal: the result for a point is exact, as a sphere and as a box. Method: spheres of radius zero near the
/// hostile cases, on the surfaces and one step off.
#[test]
fn a_sphere_without_radius_is_a_point() {
    for case in near(2, 100_000) {
        let Sphere { center, .. } = case.sphere;
        let inside = case.aabb.contains_point(center);
        let point = Sphere { center, radius: 0.0 };
        assert_eq!(sphere_meets(&point, &case.aabb), inside, "{case:?}");
        let point = Aabb::point(center).expect("a valid centre");
        assert_eq!(overlap::one_to_one(&point, &case.aabb), Ok(inside), "{case:?}");
    }
}

/// The exact facts of a plane and a box.
struct Reach {
    /// The box is entirely outside.
    outside: bool,
    /// It is outside by so much that this must be reported.
    far_outside: bool,
    inside: bool,
    far_inside: bool,
}

fn exact_plane(plane: &Plane, aabb: &Aabb) -> Reach {
    let mut sums = [vec![], vec![]];
    let mut slack = vec![Term::whole(1, -126)];
    for (axis, &normal) in plane.normal.iter().enumerate() {
        let (min, max) = (aabb.min[axis], aabb.max[axis]);
        let nearest = if normal < 0.0 { max } else { min };
        let farthest = if normal < 0.0 { min } else { max };
        sums[0].push(Term::of(normal) * Term::of(nearest));
        sums[1].push(Term::of(normal) * Term::of(farthest));
        let size = Term::of(min.abs().max(max.abs()));
        slack.push(Term::of(normal).abs() * size * Term::whole(1, -20));
    }
    let [mut least, mut greatest] = sums.map(|mut sum| {
        sum.push(-Term::of(plane.offset));
        sum
    });
    let (outside, inside) = (sign(&least) == Greater, sign(&greatest) != Greater);
    least.extend(slack.iter().map(|&term| -term));
    greatest.extend(slack);
    let (far_outside, far_inside) = (sign(&least) == Greater, sign(&greatest) != Greater);
    Reach { outside, far_outside, inside, far_inside }
}

/// Checks a side against the exact facts. Counts boxes that are nearer than the guaranteed distance.
fn holds(Cut { planes, aabb }: &Cut, near: &mut usize) {
    let reaches: Vec<_> = planes.iter().map(|plane| exact_plane(plane, aabb)).collect();
    let outside = reaches.iter().any(|reach| reach.outside);
    let far_outside = reaches.iter().any(|reach| reach.far_outside);
    let inside = reaches.iter().all(|reach| reach.inside);
    let far_inside = reaches.iter().all(|reach| reach.far_inside);
    let side = side(planes, aabb);
    assert!(side != PlaneSide::Outside || outside, "missed: {planes:?} {aabb:?}");
    assert!(side == PlaneSide::Outside || !far_outside, "kept: {planes:?} {aabb:?}");
    assert!(side != PlaneSide::Inside || inside, "crossed: {planes:?} {aabb:?}");
    assert!(side == PlaneSide::Inside || !far_inside, "not crossed: {planes:?} {aabb:?}");
    *near += usize::from(outside != far_outside || inside != far_inside);
}

/// Goal: a box that is reported as outside is outside of a plane, one reported as inside is inside of all,
/// and both are reported if the distance exceeds the rounding error. Method: hostile cases compared with
/// integer arithmetic.
#[test]
fn sides_are_never_wrong() {
    let count = how_many(150_000);
    let mut near = 0;
    // One plane in most cases, so that a tie decides each.
    for case in cuts(3, 1, count / 2).chain(cuts(4, 7, count / 2)) {
        holds(&case, &mut near);
    }
    assert!(near > count / 10, "only {near} near the border");
}

/// Goal: a view contains every box in it. Method: a camera in any orientation, boxes of every size around it;
/// each compared with integer arithmetic, and by points: a box with a point in the view is not outside.
#[test]
fn view_contains_every_box_in_it() {
    let (mut sides, mut near, mut seen) = ([0; 3], 0, 0);
    for (k, (aabb, _)) in boxes(5, 60_000).enumerate() {
        let turn = k as f64 * 0.37;
        let eye = [turn.sin() * 3.0, turn.cos() * 5.0, 0.25];
        let planes = frustum(eye, [turn * 1.7, (turn * 0.3).sin()], [0.1, 9.0]).to_vec();
        let case = Cut { planes, aabb };
        holds(&case, &mut near);
        let side = side(&case.planes, &aabb);
        sides[side as usize] += 1;
        for corner in 0..27 {
            let at = |k: usize, share: usize| match share {
                0 => f64::from(aabb.min[k]),
                1 => f64::from(aabb.min[k]) * 0.5 + f64::from(aabb.max[k]) * 0.5,
                _ => f64::from(aabb.max[k]),
            };
            let point = [at(0, corner % 3), at(1, corner / 3 % 3), at(2, corner / 9)];
            let in_view = case.planes.iter().all(|plane| {
                let along = |k: usize| f64::from(plane.normal[k]) * point[k];
                along(0) + along(1) + along(2) <= f64::from(plane.offset)
            });
            assert!(!in_view || side != PlaneSide::Outside, "{case:?}");
            assert!(in_view || side != PlaneSide::Inside, "{case:?}");
            seen += usize::from(in_view);
        }
    }
    assert!(sides.into_iter().all(|count| count > 500) && seen > 5000, "{sides:?} {seen}");
}

/// Goal: small numbers give the exact result. Method: `spec` on a grid, with planes between its lines, and on
/// its lines, where a box only touches: a touch is not a miss, and not inside.
#[test]
fn every_box_of_a_grid_and_a_plane_equals_the_spec() {
    let normals =
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 2.0, -2.0], [-0.5, 0.25, 4.0], [0.0; 3]];
    for (normal, twice) in normals.into_iter().flat_map(|n| (-20..20).map(move |k| (n, k))) {
        let plane = Plane { normal, offset: twice as f32 / 16.0 };
        for at in 0..4 * 4 * 4 {
            let min = [at % 4, at / 4 % 4, at / 16].map(|x| x as f32 - 2.0);
            let aabb = Aabb { min, max: [min[0], min[1] + 1.0, min[2] + 2.0] };
            let [least, greatest] = spec::plane_reach(&plane, &aabb).expect("both are valid");
            let spec = spec::overlap_planes(&[plane], &aabb).expect("both are valid");
            let expected = match () {
                () if least > 0.0 => PlaneSide::Outside,
                () if greatest < 0.0 => PlaneSide::Inside,
                () => PlaneSide::Crossing,
            };
            assert_eq!(side(&[plane], &aabb), expected, "{plane:?} {aabb:?}");
            let touches_inside = greatest == 0.0;
            assert_eq!(spec, if touches_inside { PlaneSide::Inside } else { expected });
        }
    }
}

/// Goal: boxes near an edge are treated as documented. Method: a wedge, a box in front of its edge, and the
/// plane that excludes it.
#[test]
fn box_near_an_edge_is_excluded_by_the_box_of_the_region() {
    let mut planes = vec![
        Plane { normal: [-1.0, 2.0, 0.0], offset: 0.0 },
        Plane { normal: [-1.0, -2.0, 0.0], offset: 0.0 },
    ];
    let aabb = Aabb { min: [-2.0, -3.0, 0.0], max: [-1.0, 3.0, 1.0] };
    assert_eq!(side(&planes, &aabb), PlaneSide::Crossing);
    planes.push(Plane { normal: [-1.0, 0.0, 0.0], offset: 0.0 });
    assert_eq!(side(&planes, &aabb), PlaneSide::Outside);
    assert_eq!(side(&[], &aabb), PlaneSide::Inside);
}

/// Goal: a region that is a box gives the results of the box. Method: the six planes of a box; a box that
/// shares a point is not outside, and one that is apart by more than rounding is.
#[test]
fn planes_of_a_box_give_the_results_of_the_box() {
    let mut told = 0;
    for (a, b) in boxes(6, 60_000) {
        let plane = |k: usize| {
            let (axis, upper) = (k % 3, k < 3);
            let mut normal = [0.0; 3];
            normal[axis] = if upper { 1.0 } else { -1.0 };
            Plane { normal, offset: if upper { a.max[axis] } else { -a.min[axis] } }
        };
        let planes: [Plane; 6] = std::array::from_fn(plane);
        let (side, meets) =
            (side(&planes, &b), overlap::one_to_one(&a, &b).expect("both are boxes"));
        assert!(!meets || side != PlaneSide::Outside, "{a:?} {b:?}");
        assert!(side != PlaneSide::Inside || a.contains(&b), "{a:?} {b:?}");
        told += usize::from(!meets && side == PlaneSide::Outside);
    }
    assert!(told > 5000, "{told}");
}

/// Goal: box against box is exact. Method: hostile boxes; `spec`, and the definition by a common point, which
/// is the lowest corner of the intersection.
#[test]
fn boxes_are_compared_exactly() {
    let mut met = 0;
    for (a, b) in boxes(7, 200_000) {
        let answer = overlap::one_to_one(&a, &b);
        assert_eq!(answer, Ok(a.overlaps(&b)), "{a:?} {b:?}");
        assert_eq!(answer, spec::overlap(&a, &b), "{a:?} {b:?}");
        assert_eq!(answer, overlap::one_to_one(&b, &a));
        let shared: [f32; 3] = std::array::from_fn(|k| a.min[k].max(b.min[k]));
        let shares = a.contains_point(shared) && b.contains_point(shared);
        assert_eq!(answer, Ok(shares), "{a:?} {b:?}");
        met += usize::from(shares);
    }
    assert!((20_000..180_000).contains(&met), "{met}");
}

/// Goal: mirroring, and for boxes the order of axes, changes nothing. Method: hostile cases, compared bit by
/// bit.
#[test]
fn mirrored_shapes_give_the_same_result() {
    let flip = |mirrored: usize| {
        move |[min, max]: [f32; 2], k: usize| {
            if mirrored >> k & 1 == 1 { [-max, -min] } else { [min, max] }
        }
    };
    let vector = |mirrored: usize, v: [f32; 3]| {
        std::array::from_fn(|k| if mirrored >> k & 1 == 1 { -v[k] } else { v[k] })
    };
    for (mirrored, case) in (1..8).cycle().zip(near(8, 40_000)) {
        let sphere = Sphere { center: vector(mirrored, case.sphere.center), ..case.sphere };
        let aabb = map(&case.aabb, flip(mirrored));
        let expected = sphere_meets(&case.sphere, &case.aabb);
        assert_eq!(sphere_meets(&sphere, &aabb), expected, "{mirrored:#b} {case:?}");
    }
    for (mirrored, case) in (1..8).cycle().zip(cuts(9, 5, 40_000)) {
        let turned = |plane: &Plane| Plane { normal: vector(mirrored, plane.normal), ..*plane };
        let planes: Vec<_> = case.planes.iter().map(turned).collect();
        let expected = side(&case.planes, &case.aabb);
        assert_eq!(side(&planes, &map(&case.aabb, flip(mirrored))), expected, "{case:?}");
    }
    let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for ((order, mirrored), (a, b)) in
        orders.into_iter().cycle().zip((1..8).cycle()).zip(boxes(10, 40_000))
    {
        let moved = |aabb: &Aabb| {
            let permuted =
                Aabb { min: order.map(|k| aabb.min[k]), max: order.map(|k| aabb.max[k]) };
            map(&permuted, flip(mirrored))
        };
        let expected = overlap::one_to_one(&a, &b);
        assert_eq!(overlap::one_to_one(&moved(&a), &moved(&b)), expected, "{order:?} {a:?} {b:?}");
    }
}

/// Goal: the unit of length changes nothing, however near the limits of `f32`. Method: powers of two,
/// compared bit by bit, if all numbers remain normal.
#[test]
fn power_of_two_scales_to_the_same_result() {
    let mut scaled = 0;
    for (exponent, case) in (-120..=120).cycle().zip(near(11, 60_000)) {
        let scale = |x: f32| (f64::from(x) * 2_f64.powi(exponent)) as f32;
        let Sphere { center, radius } = case.sphere;
        let sphere = Sphere { center: center.map(scale), radius: scale(radius) };
        let aabb = map(&case.aabb, |axis, _| axis.map(scale));
        let numbers = |s: &Sphere, b: &Aabb| {
            [s.center, b.min, b.max, [s.radius; 3]].into_iter().flatten().collect::<Vec<_>>()
        };
        let fits = |x: &f32| (x.is_normal() || *x == 0.0) && x.abs() <= COORD_MAX;
        let (from, to) = (numbers(&case.sphere, &case.aabb), numbers(&sphere, &aabb));
        let zeros = from.iter().zip(&to).all(|(from, to)| (*from == 0.0) == (*to == 0.0));
        if zeros && from.iter().chain(&to).all(fits) {
            let expected = sphere_meets(&case.sphere, &case.aabb);
            assert_eq!(sphere_meets(&sphere, &aabb), expected, "2^{exponent} {case:?}");
            scaled += 1;
        }
    }
    assert!(scaled > 10_000, "only {scaled} were scaled");
}

/// Goal: larger shapes overlap more, and more planes exclude more. Method: a box in a box, a sphere in a
/// sphere, some of the planes; without tolerance, because each step is monotonic.
#[test]
fn larger_shapes_overlap_more() {
    for ((a, b), case) in boxes(12, 60_000).zip(near(13, 60_000)) {
        let union = case.aabb.union(&a);
        let meets = sphere_meets(&case.sphere, &case.aabb);
        assert!(!meets || sphere_meets(&case.sphere, &union), "{case:?} {a:?}");
        let meets = overlap::one_to_one(&a, &b).expect("both are boxes");
        assert!(!meets || overlap::one_to_one(&union, &b) == Ok(true), "{case:?} {a:?} {b:?}");
        // A sphere overlaps a face, an edge or a corner of the box only if it overlaps the box.
        let touched = sphere_meets(&case.sphere, &Aabb { max: case.aabb.min, ..case.aabb });
        assert!(!touched || sphere_meets(&case.sphere, &case.aabb), "{case:?}");
    }
    for case in near(14, 60_000) {
        let larger = Sphere { radius: (case.sphere.radius * 1.5).min(COORD_MAX), ..case.sphere };
        let meets = sphere_meets(&case.sphere, &case.aabb);
        assert!(!meets || sphere_meets(&larger, &case.aabb), "{case:?}");
    }
    for Cut { planes, aabb } in cuts(15, 6, 60_000) {
        let all = side(&planes, &aabb);
        let some = planes.iter().map(|plane| side(std::slice::from_ref(plane), &aabb));
        assert_eq!(some.min(), Some(all), "{planes:?} {aabb:?}");
        let backwards: Vec<_> = planes.iter().rev().copied().collect();
        assert_eq!(side(&backwards, &aabb), all, "{planes:?} {aabb:?}");
    }
}

/// Goal: invalid input is rejected. Method: an invalid box, sphere and plane in each argument.
#[test]
fn invalid_input_is_an_error() {
    let good = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let bad = Aabb { min: [0.0, 2.0, 0.0], max: [1.0; 3] };
    let ball = Sphere { center: [0.0; 3], radius: 1.0 };
    let wrong = Sphere { radius: -1.0, ..ball };
    let plane = Plane { normal: [1.0, 0.0, 0.0], offset: 0.0 };
    let steep = Plane { normal: [f32::NAN, 0.0, 0.0], offset: 0.0 };
    let reason = bad.validate().expect_err("it is inverted");
    assert_eq!(overlap::one_to_one(&bad, &good), Err(reason));
    assert_eq!(overlap::one_to_one(&good, &bad), Err(reason));
    assert_eq!(sphere::one_to_one(&ball, &bad), Err(reason));
    assert_eq!(planes::one_to_one(&[plane], &bad), Err(reason));
    assert_eq!(planes::one_to_one(&[], &bad), Err(reason));
    assert_eq!(spec::overlap_planes(&[], &bad), Err(reason));
    assert_eq!(sphere::one_to_one(&wrong, &good), Err(wrong.validate().expect_err("negative")));
    let reason = steep.validate().expect_err("NaN");
    assert_eq!(planes::one_to_one(&[plane, plane, steep], &good), Err(reason));
    assert_eq!(spec::overlap_planes(&[plane, plane, steep], &good), Err(reason));
}
