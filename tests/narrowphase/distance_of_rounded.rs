//! Tests that distances of rounded shapes are lower bounds in exact arithmetic, for any ratio of their lengths, and that an invalid cache
//! has no effect.

use rand::RngExt;
use scenes::convex::rotation;
use swath::convex::gjk::{self, Distance, GjkCache};
use swath::convex::{Hull, OwnedShape};
use swath::{Pose, Shape};
use testkit::draw::{Draw, how_many};
use testkit::exact::{Whole, whole};

/// Zero, or a number from 2⁻⁹⁰ to 2²⁰, often a power of two.
fn length(draw: &mut Draw) -> f32 {
    if draw.one_in(10) {
        return 0.0;
    }
    let exponent: u32 = draw.0.random_range(127 - 90..127 + 20);
    let digits: u32 = if draw.one_in(2) { 0 } else { draw.0.random_range(0..1 << 23) };
    f32::from_bits(exponent << 23 | digits)
}

fn distance(a: &Shape<'_>, at: [f32; 3], b: &Shape<'_>, to: [f32; 3]) -> f32 {
    let [of_a, of_b] = [at, to].map(|at| Pose::at(at).expect("a pose"));
    gjk::distance(a, &of_a, b, &of_b).expect("poses").distance
}

/// How much less than a distance the result may be, in the unit of whole numbers; each radius counts as a size.
fn permitted(found: f32, sizes: &Whole) -> Whole {
    (whole(found.abs()) >> 20) + (sizes >> 26) + 1
}

/// Goal: the distance of two balls is at most the exact one, also if they overlap, and near it. Method: radii and positions of any ratio;
/// squares of whole numbers.
#[test]
fn distance_of_balls_of_any_ratio_is_a_lower_bound() {
    let mut draw = Draw::new(62);
    let (mut apart, mut overlapping) = (0, 0);
    let mut check = |[r, s]: [f32; 2], [at, to]: [[f32; 3]; 2]| {
        let balls = [r, s].map(|radius| Shape::sphere(radius).expect("a ball"));
        let found = distance(&balls[0], at, &balls[1], to);
        let radii = whole(r) + whole(s);
        let square: Whole =
            (0..3).map(|axis| whole(to[axis]) - whole(at[axis])).map(|along| &along * &along).sum();
        let zero = Whole::from(0);
        let centers = whole(found) + &radii;
        let case = format!("{found} {r} {s} {at:?} {to:?}");
        assert!(centers <= zero || &centers * &centers <= square, "too great: {case}");
        let centers = centers + permitted(found, &radii);
        assert!(centers >= zero && &centers * &centers >= square, "too small: {case}");
        if found > 0.0 { apart += 1 } else { overlapping += 1 }
    };
    let near = [[2.0_f32.powi(-70), 0.0, 0.0], [2.0_f32.powi(-23), 0.0, 0.0]];
    check([1.0, 1.0], near);
    for _ in 0..how_many(10_000) {
        let mut place = || [0; 3].map(|_| draw.sign() * length(&mut draw));
        let mut places = [place(), place()];
        if draw.one_in(2) {
            // Along an axis.
            places = places.map(|[x, ..]| [x, 0.0, 0.0]);
        }
        check([length(&mut draw), length(&mut draw)], places);
    }
    assert!(apart > 1000 && overlapping > 1000, "{apart} {overlapping}");
}

/// Goal: the distance of two rounded shapes is at most the exact one while their cores are apart, and near it. Method: capsules, boxes,
/// hulls and cylinders with radii of any ratio in line along `y`, of which the cores are `y` apart less both half heights.
#[test]
fn distance_of_rounded_shapes_of_any_ratio_is_a_lower_bound() {
    let mut draw = Draw::new(63);
    let mut overlapping = [0; 4];
    for case in 0..how_many(10_000) {
        let draw = &mut draw;
        let kind = case % 4;
        let shape = |half: f32, radius: f32| match kind {
            0 => Shape::capsule(half, radius).map(OwnedShape::from),
            1 => Shape::cuboid([half; 3])
                .and_then(|shape| shape.rounded(radius))
                .map(OwnedShape::from),
            2 => {
                let hull = Hull::new([[0.0, half, 0.0], [0.0, -half, 0.0], [half, 0.0, half]]);
                OwnedShape::hull(hull.expect("a hull")).rounded(radius)
            }
            _ => Shape::cylinder(half, half)
                .and_then(|shape| shape.rounded(radius))
                .map(OwnedShape::from),
        };
        let [half, of_b, r, s, mut y] = [0; 5].map(|_| length(draw));
        if draw.one_in(2) {
            y += half + of_b;
        }
        let cores = whole(y) - whole(half) - whole(of_b);
        if cores <= Whole::from(0) {
            continue;
        }
        let [a, b] = [(half, r), (of_b, s)].map(|(half, r)| shape(half, r).expect("lengths"));
        let found = distance(&a.shape(), [0.0; 3], &b.shape(), [0.0, y, 0.0]);
        let exact = cores - whole(r) - whole(s);
        let case = format!("{found} {half} {r} {of_b} {s} {y} {kind}");
        assert!(whole(found) <= exact, "too great: {case}");
        let sizes = [half, of_b, r, s].map(whole).iter().sum::<Whole>() * 2;
        assert!(whole(found) + permitted(found, &sizes) >= exact, "too small: {case}");
        overlapping[kind] += usize::from(found < 0.0);
    }
    assert!(overlapping.iter().all(|&count| count > 100), "{overlapping:?}");
}

/// Goal: a cached normal with a component that is not finite has no effect, so that no bits depend on the processor's NaN. Method: hulls and
/// cylinders apart and overlapping, single and in pairs.
#[test]
fn cached_normal_that_is_not_finite_has_no_effect() {
    let mut draw = Draw::new(64);
    let bits = |found: &Distance| bytemuck::cast::<Distance, [u32; 10]>(*found);
    for case in 0..how_many(300) {
        let mut cloud = |count: usize| {
            let point = |_| [0; 3].map(|_| draw.between(-1.0, 1.0));
            Hull::new((0..count).map(point)).expect("a hull")
        };
        let hulls = [cloud(4 + case % 30), cloud(4 + case % 7)];
        let cylinder = Shape::cylinder(0.5, 0.7).expect("a cylinder");
        let [mut a, b] = hulls.each_ref().map(Shape::hull);
        if case % 3 == 0 {
            a = cylinder;
        }
        let far = draw.one_of(&[0.1, 1.5, 4.0]);
        let mut pose = |far: f32| {
            let at = [0; 3].map(|_| draw.between(-far, far));
            Pose::new(at, rotation(&mut draw.0)).expect("a pose")
        };
        let (of_a, of_b) = (pose(0.1), pose(far));
        let expected = gjk::distance(&a, &of_a, &b, &of_b).expect("poses");
        for normal in [
            [f32::INFINITY, 0.0, 0.0],
            [0.0, f32::NEG_INFINITY, 1.0],
            [f32::INFINITY; 3],
            [f32::NAN, f32::INFINITY, 0.0],
            [f32::NAN; 3],
        ] {
            let cache = &mut GjkCache { normal };
            let found = gjk::distance_from(&a, &of_a, &b, &of_b, cache).expect("poses");
            assert_eq!(bits(&found), bits(&expected), "{normal:?} {found:?} {expected:?}");
            assert_eq!(cache.normal, found.normal);
        }
    }
}
