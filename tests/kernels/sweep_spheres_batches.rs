//! Tests that sweeps of spheres give the same bits in any batch and on any level, and tests of symmetries.

use std::array::from_fn;
use swath::batch::sweep::{MISS, Sweep, Times, sphere_box, spheres};
use swath::batch::{
    BatchError, Checked, Contact, ContactState, Hit, Hits, MovingSphere, Rejected, SphereColumns,
};
use swath::{Aabb, Invalid, Level, MovingBox, Pair};
use testkit::balls::{Round, rounds};
use testkit::columns::{Columns, Outputs, bits};
use testkit::exact_distance::MovingDistance;
use testkit::sphere_columns::SphereArrays;

type Bits = [u32; 3];

fn two(a: &MovingSphere, b: &MovingSphere) -> Bits {
    bits(spheres::one_to_one(a, b).unwrap_or(Sweep::SEPARATED))
}

fn boxed(a: &MovingSphere, b: &MovingBox) -> Bits {
    bits(sphere_box::one_to_one(a, b).unwrap_or(Sweep::SEPARATED))
}

/// Rows of spheres and of boxes, and a valid single one of each.
struct World {
    a: MovingSphere,
    b: MovingBox,
    spheres: Vec<MovingSphere>,
    boxes: Vec<MovingBox>,
    pairs: Vec<Pair>,
}

impl World {
    fn new(seed: u64, rows: usize) -> Self {
        let cases: Vec<Round> = rounds(seed, rows + 1).collect();
        let row = |k: usize| (k % rows) as u32;
        Self {
            a: cases[rows].ball,
            b: cases[rows].boxed,
            spheres: cases[..rows].iter().map(|case| case.a).collect(),
            boxes: cases[..rows].iter().map(|case| case.boxed).collect(),
            pairs: (0..rows).map(|k| Pair { a: row(k), b: row(k * k + k / 3) }).collect(),
        }
    }

    /// The results of single rows, for each function over rows.
    fn expected(&self) -> [Vec<Bits>; 6] {
        let Self { a, b, spheres, boxes, pairs } = self;
        let turned = || spheres.iter().rev();
        [
            spheres.iter().map(|row| two(a, row)).collect(),
            spheres.iter().zip(turned()).map(|(x, y)| two(x, y)).collect(),
            pairs.iter().map(|p| two(&spheres[p.a as usize], &spheres[p.b as usize])).collect(),
            boxes.iter().map(|row| boxed(a, row)).collect(),
            spheres.iter().map(|row| boxed(row, b)).collect(),
            spheres.iter().zip(boxes).map(|(x, y)| boxed(x, y)).collect(),
        ]
    }

    /// The same by the function `door`, to any output.
    fn ask(
        &self,
        level: Level,
        door: usize,
        to: impl swath::batch::Output<Sweep>,
    ) -> Result<(), BatchError> {
        let reversed: Vec<_> = self.spheres.iter().rev().copied().collect();
        let columns = [&self.spheres, &reversed].map(|rows| SphereArrays::new(rows));
        let boxes = Columns::new(&self.boxes);
        let (mut bad, mut bad_reversed, mut bad_boxes) = (Vec::new(), Vec::new(), Vec::new());
        let rows: Checked<'_, SphereColumns<'_>> = columns[0].spheres().check(level, &mut bad);
        let reversed = columns[1].spheres().check(level, &mut bad_reversed);
        let boxes = boxes.boxes().check(level, &mut bad_boxes);
        match door {
            0 => spheres::one_to_many(level, &self.a, &rows, to),
            1 => spheres::zip(level, &rows, &reversed, to),
            2 => spheres::pairs(level, &rows, &self.pairs, to),
            3 => sphere_box::one_to_many(level, &self.a, &boxes, to),
            4 => sphere_box::many_to_one(level, &rows, &self.b, to),
            _ => sphere_box::zip(level, &rows, &boxes, to),
        }
    }

    /// Every function on every level gives the results of single rows.
    fn answers_to_the_bit(&self) {
        let expected = self.expected();
        for level in Level::all() {
            for (door, expected) in expected.iter().enumerate() {
                let mut outputs = Outputs::new(self.spheres.len());
                assert_eq!(self.ask(level, door, outputs.answers()), Ok(()));
                assert_eq!(outputs.bits(), *expected, "{level}, door {door}");
            }
        }
    }
}

/// Goal: a batch gives the bits of single calls. Method: every level, every function, every number of rows
/// near the number of lanes, hostile rows.
#[test]
fn batches_give_the_bits_of_one_to_one_on_every_level() {
    for (round, rows) in (0..=40).cycle().take(41 * 6).enumerate() {
        World::new(round as u64, rows).answers_to_the_bit();
    }
}

/// Every kind of invalid sphere or box.
fn no_rows() -> (Vec<MovingSphere>, Vec<MovingBox>) {
    let sphere = rounds(1, 1).next().expect("there is one").a;
    let good = MovingBox::from(Aabb { min: [0.0; 3], max: [1.0; 3] });
    let huge = swath::COORD_MAX.next_up();
    let (mut spheres, mut boxes) = (Vec::new(), Vec::new());
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, huge, -huge, f32::MAX] {
        for axis in 0..3 {
            let mut rows = [sphere; 3];
            rows[0].sphere.center[axis] = number;
            rows[1].sphere.radius = number;
            rows[2].delta[axis] = number;
            spheres.extend(rows);
            let mut rows = [good; 3];
            rows[0].aabb.min[axis] = number;
            rows[1].aabb.max[axis] = number;
            rows[2].delta[axis] = number;
            boxes.extend(rows);
        }
    }
    for radius in [-1.0, -f32::from_bits(1)] {
        let mut row = sphere;
        row.sphere.radius = radius;
        spheres.push(row);
    }
    boxes.push(MovingBox::from(Aabb { min: [1.0; 3], max: [1.0_f32.next_down(); 3] }));
    (spheres, boxes)
}

/// Goal: an invalid row does not change other rows. Method: one at every row of every number of rows, of
/// every kind in turn, and batches of which all rows are invalid.
#[test]
fn invalid_row_is_separated_and_changes_no_other_row() {
    let (bad_spheres, bad_boxes) = no_rows();
    let mut spheres = bad_spheres.iter().cycle();
    let mut boxes = bad_boxes.iter().cycle();
    for rows in 1..=34 {
        let mut world = World::new(rows as u64, rows);
        for row in 0..rows {
            let kept = (world.spheres[row], world.boxes[row]);
            world.spheres[row] = *spheres.next().expect("they continue");
            world.answers_to_the_bit();
            world.boxes[row] = *boxes.next().expect("they continue");
            if row % 3 == 0 {
                world.answers_to_the_bit();
            }
            (world.spheres[row], world.boxes[row]) = kept;
        }
        world.spheres = spheres.by_ref().take(rows).copied().collect();
        world.boxes = boxes.by_ref().take(rows).copied().collect();
        world.answers_to_the_bit();
        let columns = SphereArrays::new(&world.spheres);
        let mut rejected: Vec<Rejected> = Vec::new();
        assert_eq!(columns.spheres().check(Level::detect(), &mut rejected).len(), rows);
        assert_eq!(rejected.len(), rows);
    }
}

/// Goal: every output contains the same results. Method: times alone and lists of hits, of any length.
#[test]
fn times_and_hits_equal_the_full_results() {
    for (round, rows) in (0..=40).enumerate() {
        let world = World::new(round as u64 + 50, rows);
        for (level, (door, expected)) in Level::all()
            .flat_map(|level| world.expected().into_iter().enumerate().map(move |e| (level, e)))
        {
            let (mut first, mut last) = (vec![0.0; rows], vec![0.0; rows]);
            let times = Times { first: &mut first, last: &mut last };
            assert_eq!(world.ask(level, door, times), Ok(()));
            let times: Vec<_> =
                first.iter().zip(&last).map(|(x, y)| [x, y].map(|x| x.to_bits())).collect();
            let of_answers: Vec<_> =
                expected.iter().map(|[first, last, _]| [*first, *last]).collect();
            assert_eq!(times, of_answers, "{level}, door {door}");

            let hits: Vec<Hit> = (0..)
                .zip(&first)
                .filter(|(_, first)| **first != MISS)
                .map(|(row, first)| Hit { row, value: *first })
                .collect();
            for room in [0, hits.len().saturating_sub(1), hits.len(), hits.len() + 20] {
                let mut to = vec![Hit::default(); room];
                let mut list = Hits::new(&mut to);
                let done = world.ask(level, door, &mut list);
                let short = BatchError::TooShort { needed: hits.len(), capacity: room };
                assert_eq!(done, if room < hits.len() { Err(short) } else { Ok(()) });
                assert_eq!(list[..], hits[..room.min(hits.len())], "{level}, door {door}");
            }
        }
    }
}

/// Goal: a call that fails writes nothing. Method: each wrong length, a row that does not exist, an invalid
/// value; the outputs are compared.
#[test]
fn failed_call_writes_nothing() {
    let mut world = World::new(4, 20);
    for level in Level::all() {
        for (door, lengths) in
            (0..6).flat_map(|door| [[19, 20, 20], [20, 21, 20], [20, 20, 0]].map(|l| (door, l)))
        {
            let mut outputs = Outputs::with_lengths(lengths);
            let error = world.ask(level, door, outputs.answers());
            assert!(matches!(error, Err(BatchError::Length(_))), "{error:?}");
            assert!(outputs.is_unwritten(), "{level}, {lengths:?}");
        }
        let columns = [20, 19].map(|rows| SphereArrays::new(&world.spheres[..rows]));
        let boxes = Columns::new(&world.boxes);
        let [mut x, mut y, mut z] = [const { Vec::new() }; 3];
        let long = columns[0].spheres().check(level, &mut x);
        let short = columns[1].spheres().check(level, &mut y);
        let boxes = boxes.boxes().check(level, &mut z);
        let mut outputs = Outputs::new(20);
        assert!(matches!(
            spheres::zip(level, &long, &short, outputs.answers()),
            Err(BatchError::Length(_))
        ));
        assert!(matches!(
            sphere_box::zip(level, &short, &boxes, outputs.answers()),
            Err(BatchError::Length(_))
        ));
        let pairs = [Pair { a: 3, b: 20 }; 20];
        let error = spheres::pairs(level, &long, &pairs, outputs.answers());
        assert_eq!(error, Err(BatchError::NoSuchRow { index: 0, row: 20, rows: 20 }));
        assert!(outputs.is_unwritten(), "{level}");
    }
    world.a.sphere.radius = -1.0;
    world.b.aabb.min[1] = f32::NAN;
    for level in Level::all() {
        let not_finite = Invalid::NotFinite { axis: 1 };
        for (door, reason) in [(0, Invalid::Radius), (3, Invalid::Radius), (4, not_finite)] {
            let mut outputs = Outputs::new(20);
            let error = world.ask(level, door, outputs.answers());
            assert_eq!(error, Err(BatchError::Invalid(reason)));
            assert!(outputs.is_unwritten());
        }
    }
    let good = world.spheres[0];
    assert_eq!(spheres::one_to_one(&good, &world.a), Err(Invalid::Radius));
    assert_eq!(spheres::one_to_one(&world.a, &good), Err(Invalid::Radius));
    assert_eq!(sphere_box::one_to_one(&world.a, &world.boxes[0]), Err(Invalid::Radius));
    assert!(sphere_box::one_to_one(&good, &world.b).is_err());
}

/// Maps each vector of a sphere, and scales each number.
fn map_sphere(of: &MovingSphere, map: impl Fn([f32; 3]) -> [f32; 3], scale: f32) -> MovingSphere {
    let mut of = *of;
    of.sphere.center = map(of.sphere.center).map(|x| x * scale);
    of.delta = map(of.delta).map(|x| x * scale);
    of.sphere.radius *= scale;
    of
}

fn map_box(of: &MovingBox, map: impl Fn([f32; 3]) -> [f32; 3], scale: f32) -> MovingBox {
    let [x, y] = [map(of.aabb.min), map(of.aabb.max)].map(|corner| corner.map(|x| x * scale));
    MovingBox {
        aabb: Aabb { min: from_fn(|k| x[k].min(y[k])), max: from_fn(|k| x[k].max(y[k])) },
        delta: map(of.delta).map(|x| x * scale),
    }
}

/// Goal: swapping the spheres does not matter. Method: hostile pairs, compared bit by bit.
#[test]
fn swapped_spheres_give_the_same_result() {
    for case in rounds(5, 40_000) {
        assert_eq!(two(&case.a, &case.b), two(&case.b, &case.a), "{case:?}");
    }
}

/// Goal: no direction of space is special. Method: each set of axes mirrored, compared bit by bit.
#[test]
fn mirrored_pairs_give_the_same_result() {
    for (mirrored, case) in (1..8).cycle().zip(rounds(6, 40_000)) {
        let mirror =
            |of: [f32; 3]| from_fn(|k| if mirrored >> k & 1 == 1 { -of[k] } else { of[k] });
        let sphere = |of| map_sphere(of, mirror, 1.0);
        assert_eq!(two(&sphere(&case.a), &sphere(&case.b)), two(&case.a, &case.b), "{case:?}");
        let of_box = boxed(&sphere(&case.ball), &map_box(&case.boxed, mirror, 1.0));
        assert_eq!(of_box, boxed(&case.ball, &case.boxed), "{mirrored:#b}, {case:?}");
    }
}

/// Goal: no axis is special. Method: each order of axes; sums are then rounded in another order, so the
/// result is judged for the first input.
#[test]
fn permuted_axes_give_the_same_result_except_for_rounding() {
    let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (order, case) in orders.into_iter().cycle().zip(rounds(7, 40_000)) {
        let permute = |of: [f32; 3]| order.map(|axis| of[axis]);
        let ball = map_sphere(&case.ball, permute, 1.0);
        let answer = sphere_box::one_to_one(&ball, &map_box(&case.boxed, permute, 1.0));
        let answer = answer.expect("still valid");
        let asked = MovingDistance::sphere_box(&case.ball, &case.boxed);
        if !answer.contact.is_hit() {
            assert!(asked.misses(), "{order:?}, {case:?}");
            continue;
        }
        assert!(asked.is_not_late(answer.first) && asked.is_not_early(answer.last), "{case:?}");
        let gap = asked.lengths().iter().sum::<f64>() / f64::from(1 << 19);
        for time in [answer.first, answer.last] {
            assert!(asked.gap(f64::from(time)) <= gap, "{order:?}, {answer:?}, {case:?}");
        }
    }
}

/// Goal: the unit of length changes nothing. Method: powers of two, compared bit by bit, if all numbers
/// remain normal.
#[test]
fn a_power_of_two_scales_to_the_same_bits() {
    let mut scaled = 0;
    for (exponent, case) in (-60..=60).cycle().zip(rounds(8, 40_000)) {
        let scale = 2_f32.powi(exponent);
        let sphere = |of| map_sphere(of, |x| x, scale);
        let (a, b, ball) = (sphere(&case.a), sphere(&case.b), sphere(&case.ball));
        let walls = map_box(&case.boxed, |x| x, scale);
        let numbers = |a: &MovingSphere, b: &MovingBox| {
            let vectors =
                [a.sphere.center, a.delta, [a.sphere.radius; 3], b.aabb.min, b.aabb.max, b.delta];
            vectors.as_flattened().to_vec()
        };
        // Differences must not be denormal either, so they are a few digits above the least normal number.
        let fits = |x: f32| x == 0.0 || (1e-30..1e30).contains(&x.abs());
        let before = [numbers(&case.ball, &case.boxed), numbers(&case.b, &case.boxed)].concat();
        let after = [numbers(&ball, &walls), numbers(&b, &walls)].concat();
        let lost = before.iter().zip(&after).any(|(x, y)| (*x == 0.0) != (*y == 0.0));
        if !lost && before.iter().chain(&after).all(|&x| fits(x)) {
            assert_eq!(two(&a, &b), two(&case.a, &case.b), "2^{exponent}, {case:?}");
            let expected = boxed(&case.ball, &case.boxed);
            assert_eq!(boxed(&ball, &walls), expected, "2^{exponent}, {case:?}");
            scaled += 1;
        }
    }
    assert!(scaled > 10_000, "only {scaled} cases were scaled");
}

/// Goal: only relative motion and position count. Method: numbers that can be added without rounding are
/// added to both.
#[test]
fn common_motion_and_position_change_nothing() {
    for case in rounds(9, 60_000).filter(|case| case.family == "grid") {
        // The box of a case may have sides to which nothing can be added without rounding.
        let short = case.boxed.aabb.size().iter().all(|&size| size <= 16.0 && size % 0.25 == 0.0);
        for [place, motion] in [[[0.0, 0.25, -8.0], [1024.0, -3.5, 0.25]], [[64.0; 3], [-0.0; 3]]] {
            let add = |x: [f32; 3], y: [f32; 3]| from_fn(|k| x[k] + y[k]);
            let sphere = |mut of: MovingSphere| {
                of.sphere.center = add(of.sphere.center, place);
                of.delta = add(of.delta, motion);
                of
            };
            assert_eq!(two(&sphere(case.a), &sphere(case.b)), two(&case.a, &case.b), "{case:?}");
            let MovingBox { aabb: Aabb { min, max }, delta } = case.boxed;
            let aabb = Aabb { min: add(min, place), max: add(max, place) };
            let walls = MovingBox { aabb, delta: add(delta, motion) };
            let expected = boxed(&case.ball, &case.boxed);
            assert!(!short || boxed(&sphere(case.ball), &walls) == expected, "{case:?}");
        }
    }
}

/// Goal: the normal has length one and points from `a` to `b`. Method: contacts along integer vectors, and
/// positions without direction.
#[test]
fn the_normal_points_from_a_to_b() {
    let ball = |center: [f32; 3], radius: f32, delta: [f32; 3]| MovingSphere {
        sphere: swath::Sphere { center, radius },
        delta,
    };
    let still = ball([0.0; 3], 1.0, [0.0; 3]);
    let b = ball([3.0, 4.0, 0.0], 4.0, [0.0; 3]);
    assert_eq!(spheres::normal(&still, &b, 0.0), [0.6, 0.8, 0.0]);
    assert_eq!(spheres::normal(&b, &still, 0.0), [-0.6, -0.8, 0.0]);
    let moving = ball([10.0, 4.0, 0.0], 4.0, [-14.0, 0.0, 0.0]);
    assert_eq!(spheres::normal(&still, &moving, 0.5), [0.6, 0.8, 0.0]);
    assert_eq!(spheres::normal(&still, &still, 1.0), [1.0, 0.0, 0.0]);
    for scale in [f32::from_bits(1), 1e-30, swath::COORD_MAX] {
        let b = ball([scale, 0.0, -scale], 0.0, [0.0; 3]);
        let [x, y, z] = spheres::normal(&still, &b, 0.0);
        assert!(x == -z && y == 0.0 && (x - 0.5_f32.sqrt()).abs() < 1e-7, "{x}, {z}");
    }

    let wall = MovingBox::from(Aabb { min: [-1.0, -2.0, -4.0], max: [1.0, 2.0, 4.0] });
    for (center, normal) in [
        ([-5.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
        ([4.0, 6.0, 4.0], [-0.6, -0.8, 0.0]),
        ([2.0, 4.0, 6.0], [-1.0 / 3.0, -2.0 / 3.0, -2.0 / 3.0]),
        // Inside: against the nearest face; in the middle between two faces upwards.
        ([-0.5, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ([0.5, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.0, 1.5, 0.0], [0.0, -1.0, 0.0]),
        ([0.0, 0.0, -3.9], [0.0, 0.0, 1.0]),
        ([0.0; 3], [1.0, 0.0, 0.0]),
        ([1.0, 2.0, 4.0], [-1.0, 0.0, 0.0]),
    ] {
        assert_eq!(sphere_box::normal(&ball(center, 1.0, [0.0; 3]), &wall, 0.5), normal);
        let thrown = ball([center[0] - 8.0, center[1], center[2] + 2.0], 1.0, [16.0, 0.0, -4.0]);
        assert_eq!(sphere_box::normal(&thrown, &wall, 0.5), normal);
    }
    // For every hit, the normal is a unit vector against which the shapes approach.
    for case in rounds(10, 20_000) {
        let answer = spheres::one_to_one(&case.a, &case.b).expect("both are spheres");
        if answer.contact.is_hit() {
            let normal = spheres::normal(&case.a, &case.b, answer.first).map(f64::from);
            let length: f64 = normal.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-6, "{normal:?}, {case:?}");
        }
    }
}

/// Goal: the bits of a contact keep their meaning for boxes. Method: contacts of spheres and of boxes, side
/// by side.
#[test]
fn a_surface_of_round_shapes_has_a_bit_of_its_own() {
    let ball = |x: f32, dx: f32| MovingSphere {
        sphere: swath::Sphere { center: [x, 0.0, 0.0], radius: 1.0 },
        delta: [dx, 0.0, 0.0],
    };
    let a = ball(0.0, 0.0);
    let of = |b| spheres::one_to_one(&a, &b).expect("both are spheres").contact;
    let (parting, sliding, pressing) =
        (of(ball(2.0, 1.0)), of(ball(2.0, 0.0)), of(ball(2.0, -1.0)));
    assert_eq!([parting, sliding, pressing].map(Contact::bits), [0x480, 0x480, 0x580]);
    for contact in [parting, sliding, pressing] {
        assert!(contact.is_surface() && contact.is_hit() && contact.axis().is_none());
        assert_eq!(contact.state(), ContactState::Overlapping);
    }
    assert!(!parting.is_closing() && !sliding.is_closing() && pressing.is_closing());
    assert_eq!([of(ball(1.0, 1.0)), of(ball(9.0, -8.0))].map(Contact::bits), [0x180, 0x140]);
    assert!(!of(ball(1.0, 1.0)).is_surface() && of(ball(1.0, 1.0)).is_closing());
    assert_eq!(of(ball(9.0, 8.0)), Contact::SEPARATED);
}

/// Goal: a sphere that touches a box from outside closes only if it moves toward the box, also if the square of its distance underflows.
/// Method: spheres and points very near to a face, each moving in six directions.
#[test]
fn a_distance_whose_square_underflows_does_not_close() {
    let wall = MovingBox::from(Aabb::new([-1.0, 0.0, 0.0], [0.0, 1.0, 1.0]).expect("a box"));
    let power = |exponent: i32| 2_f32.powi(exponent);
    for (gap, radius) in [(-60, power(-60)), (-75, power(-75)), (-80, 0.0), (-120, power(-120))] {
        let sphere = swath::Sphere { center: [power(gap), 0.5, 0.5], radius };
        for axis in 0..3 {
            for speed in [-1.0, 1.0] {
                let mut delta = [0.0; 3];
                delta[axis] = speed;
                let ball = MovingSphere { sphere, delta };
                let contact = sphere_box::one_to_one(&ball, &wall).expect("both are valid").contact;
                assert!(contact.is_surface(), "{gap} {delta:?}");
                assert_eq!(contact.is_closing(), delta[0] < 0.0, "{gap} {delta:?}");
            }
        }
    }
}
