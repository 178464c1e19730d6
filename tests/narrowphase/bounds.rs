//! Tests that the bounds of shapes contain them in exact arithmetic, for any ratio of the numbers that they are computed from.

use rand::RngExt;
use swath::convex::{Hull, SupportMap};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};
use testkit::exact::{TINY, Whole, whole};

/// Zero, or a number of any magnitude up to 2¹¹⁷, a power of two or not.
fn extreme(draw: &mut Draw) -> f32 {
    if draw.one_in(8) {
        return 0.0;
    }
    let exponent: u32 = draw.0.random_range(0..127 + 117);
    let digits: u32 = if draw.one_in(2) { 0 } else { draw.0.random_range(0..1 << 23) };
    draw.sign() * f32::from_bits(exponent << 23 | digits)
}

/// The rotation of a quaternion, times the square of its length, and that square. The unit of the latter two is 2⁻²⁹⁸.
fn rotation(quaternion: [f32; 4]) -> ([[Whole; 3]; 3], Whole) {
    let [x, y, z, w] = &quaternion.map(whole);
    let square = x * x + y * y + z * z + w * w;
    let two = Whole::from(2);
    let rows = [
        [&square - (y * y + z * z) * &two, (x * y - w * z) * &two, (x * z + w * y) * &two],
        [(x * y + w * z) * &two, &square - (x * x + z * z) * &two, (y * z - w * x) * &two],
        [(x * z - w * y) * &two, (y * z + w * x) * &two, &square - (x * x + y * y) * &two],
    ];
    (rows, square)
}

fn rotations(draw: &mut Draw) -> [f32; 4] {
    let half = 0.5_f32.sqrt();
    let any = [0; 4].map(|_| draw.between(-1.0, 1.0));
    let named = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.5; 4], [0.0, 0.6, 0.0, 0.8]];
    let quaternion = if draw.one_in(3) { any } else { draw.one_of(&named) };
    Pose::normalized([0.0; 3], quaternion).unwrap_or(Pose::IDENTITY).rotation
}

/// Goal: bounds contain the shape exactly, and are too large by less than an ulp and what is documented; those of a ball are the least
/// possible. Method: points, segments, triangles, boxes and hulls with a radius, all lengths and positions of any magnitude, rotated
/// by quaternions for which the rotation is a matrix of fractions; whole numbers without rounding.
#[test]
fn bounds_of_lengths_of_any_ratio_contain_the_shape_exactly() {
    let mut draw = Draw::new(61);
    let (mut lost, mut balls) = (0, 0);
    for case in 0..how_many(4000) {
        let (draw, kind) = (&mut draw, case % 6);
        let radius = if draw.one_in(4) { 0.0 } else { extreme(draw).abs() };
        let mut point = || [extreme(draw), extreme(draw), extreme(draw)];
        let [a, b, c] = [point(), point(), point()];
        let half = a.map(f32::abs);
        let corners: Vec<[f32; 3]> = (0..8)
            .map(|k| {
                [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { half[axis] } else { -half[axis] })
            })
            .collect();
        let (points, hull);
        let shape = match kind {
            0 => {
                points = vec![[0.0; 3]];
                Shape::sphere(radius)
            }
            1 => {
                points = vec![[0.0, half[1], 0.0], [0.0, -half[1], 0.0]];
                Shape::capsule(half[1], radius)
            }
            2 => {
                points = vec![a, b];
                Shape::segment(a, b).and_then(|shape| shape.rounded(radius))
            }
            3 => {
                points = vec![a, b, c];
                Shape::triangle([a, b, c]).and_then(|shape| shape.rounded(radius))
            }
            4 => {
                points = corners;
                Shape::cuboid(half).and_then(|shape| shape.rounded(radius))
            }
            _ => {
                points = vec![a, b, c, [1.0, -1.0, 0.5]];
                hull = Hull::new(points.clone()).expect("a hull");
                Shape::hull(&hull).rounded(radius)
            }
        };
        let shape = shape.expect("lengths are valid");
        let position = point();
        let pose = Pose::new(position, rotations(draw)).expect("a pose");
        let bounds = shape.bounds(&pose).expect("they are within the coordinates");
        assert_eq!(shape.bounds_over(&Motion::from(pose)).map(|moving| moving.aabb), Ok(bounds));

        let (rows, square) = rotation(pose.rotation);
        let (zero, radius) = (Whole::from(0), whole(radius));
        let sum = |point: &[f32; 3]| point.iter().map(|x| whole(x.abs())).sum::<Whole>();
        let core = points.iter().map(sum).max().expect("there is one");
        for axis in 0..3 {
            let along = |point: &[f32; 3]| {
                let products = rows[axis].iter().zip(point).map(|(row, &x)| row * whole(x));
                products.sum::<Whole>()
            };
            let at = whole(position[axis]);
            let far = &at + &radius;
            let high = points.iter().map(along).max().expect("there is one") + &far * &square;
            let far = &at - &radius;
            let low = points.iter().map(along).min().expect("there is one") + &far * &square;
            let (max, min) = (bounds.max[axis], bounds.min[axis]);
            let case = || format!("{shape:?} {pose:?} {bounds:?} {axis}");
            assert!(whole(max) * &square >= high && whole(min) * &square <= low, "{}", case());
            let at = whole(position[axis].abs());
            let excess =
                if core == zero { zero.clone() } else { ((&core + &radius + at) >> 46) + 1 };
            let inner = whole(max.next_down()) - &excess;
            assert!(inner * &square < high, "too large: {}", case());
            let inner = whole(min.next_up()) + &excess;
            assert!(inner * &square > low, "too large: {}", case());
            lost += usize::from(core != zero && core < &radius >> 60);
            balls += usize::from(core == zero);
        }
    }
    assert!(lost > 300 && balls > 1000, "{lost} {balls}");
    assert_eq!(whole(f32::from_bits(1)), Whole::from(1), "the unit is 2^-{TINY}");
}

/// A ball whose map is short by as much as is permitted.
#[derive(Debug)]
struct Short(f64);

impl SupportMap for Short {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let short = 1.0 - 1.0 / (1_u64 << 48) as f64;
        direction.map(|x| x / length * (self.0 * short))
    }

    fn bounding_radius(&self) -> f64 {
        self.0
    }
}

/// Goal: bounds contain a shape of the caller whose support map is short by as much as is permitted. Method: a ball whose radius exceeds
/// a float by so little that a shorter one would be rounded to that float; also scaled and rounded.
#[test]
fn bounds_contain_a_shape_whose_map_is_short_by_what_is_permitted() {
    for exponent in [50, 49, 48, 47] {
        let map = Short(1.0 + 1.0 / (1_u64 << exponent) as f64);
        let own = Shape::custom(&map).expect("a ball");
        for (shape, most) in [
            (own, 1.0),
            (own.scaled([4.0; 3]).expect("a factor"), 4.0),
            (own.rounded(1.0).expect("a radius"), 2.0),
        ] {
            let bounds = shape.bounds(&Pose::IDENTITY).expect("valid");
            for axis in 0..3 {
                assert!(
                    bounds.max[axis] > most && bounds.min[axis] < -most,
                    "{exponent} {bounds:?}"
                );
                assert!(bounds.max[axis] < most * 1.000_001, "{exponent} {bounds:?}");
            }
        }
    }
}
