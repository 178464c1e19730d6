//! Tests of batches of sweeps under acceleration, and of symmetries.
//!
//! Batches are compared with single calls bit by bit, on every level, with invalid rows at every position.
//! Then follow changes that must not matter: the order of the two boxes, directions, the order of axes, units
//! of length.

use swath::batch::sweep::{MISS, Sweep, Times, accelerating};
use swath::batch::{
    AcceleratingBox, AcceleratingBoxColumns, BatchError, Checked, ContactState, Hit, Hits,
};
use swath::{Aabb, COORD_MAX, Level, Pair};
use testkit::accelerating::cases::{Case, cases};
use testkit::accelerating::columns::Columns;
use testkit::columns::{Outputs, UNWRITTEN, bits};

fn one_to_one(a: &AcceleratingBox, b: &AcceleratingBox) -> Sweep {
    accelerating::one_to_one(a, b).expect("both are boxes")
}

type Rows<'a> = Checked<'a, AcceleratingBoxColumns<'a>>;

fn boxes(seed: u64, count: usize) -> Vec<AcceleratingBox> {
    cases(seed, count).map(|case| case.b).collect()
}

/// Each row with others, itself included, in either order.
fn neighbours(rows: usize) -> Vec<Pair> {
    let row = |row: usize| (row % rows) as u32;
    (0..rows).map(|k| Pair { a: row(k), b: row(k * k + k / 3) }).collect()
}

/// The results of the three batch functions: `a` against each row, row `i` against row `i` of the others,
/// each pair; in columns, which must agree with times alone and with lists of hits.
fn batch(
    level: Level,
    a: &AcceleratingBox,
    rows: &Rows<'_>,
    others: &Rows<'_>,
    of: &[Pair],
) -> [Vec<[u32; 3]>; 3] {
    let count = rows.len();
    let mut outputs = [Outputs::new(count), Outputs::new(count), Outputs::new(of.len())];
    let [many, zip, pairs] = &mut outputs;
    accelerating::one_to_many(level, a, rows, many.answers()).expect("lengths are right");
    accelerating::zip(level, rows, others, zip.answers()).expect("lengths are right");
    accelerating::pairs(level, rows, of, pairs.answers()).expect("all rows are there");
    let answers = outputs.each_mut().map(Outputs::bits);

    for (question, answers) in answers.iter().enumerate() {
        let (mut first, mut last) = (vec![-7.0; count], vec![-9.0; count]);
        let times = Times { first: &mut first, last: &mut last };
        match question {
            0 => accelerating::one_to_many(level, a, rows, times),
            1 => accelerating::zip(level, rows, others, times),
            _ => accelerating::pairs(level, rows, of, times),
        }
        .expect("lengths are right");
        let times = first.iter().zip(&last).map(|(x, y)| [x.to_bits(), y.to_bits()]);
        assert!(times.eq(answers.iter().map(|of| [of[0], of[1]])), "{level}");

        let hits: Vec<Hit> = (0..)
            .zip(answers)
            .filter(|(_, answer)| answer[2] != 0)
            .map(|(row, answer)| Hit { row, value: f32::from_bits(answer[0]) })
            .collect();
        for room in [hits.len() + 3, hits.len(), hits.len().saturating_sub(1), 0] {
            let mut to = vec![Hit { row: 77, value: -1.0 }; room];
            let mut list = Hits::new(&mut to);
            let told = match question {
                0 => accelerating::one_to_many(level, a, rows, &mut list),
                1 => accelerating::zip(level, rows, others, &mut list),
                _ => accelerating::pairs(level, rows, of, &mut list),
            };
            let short = BatchError::TooShort { needed: hits.len(), capacity: room };
            assert_eq!(told, if room < hits.len() { Err(short) } else { Ok(()) }, "{level}");
            assert_eq!(list[..], hits[..room.min(hits.len())], "{level}");
        }
    }
    answers
}

/// The expected results of [`batch`]; a pair with an invalid row is separated.
fn expected(
    a: &AcceleratingBox,
    rows: &[AcceleratingBox],
    others: &[AcceleratingBox],
    of: &[Pair],
) -> [Vec<[u32; 3]>; 3] {
    let answer = |x: &AcceleratingBox, y: &AcceleratingBox| {
        bits(accelerating::one_to_one(x, y).unwrap_or(Sweep::SEPARATED))
    };
    [
        rows.iter().map(|b| answer(a, b)).collect(),
        rows.iter().zip(others).map(|(x, y)| answer(x, y)).collect(),
        of.iter().map(|pair| answer(&rows[pair.a as usize], &rows[pair.b as usize])).collect(),
    ]
}

fn answers_as_one_at_a_time(
    a: &AcceleratingBox,
    rows: &[AcceleratingBox],
    others: &[AcceleratingBox],
) {
    let pairs = neighbours(rows.len());
    let wanted = expected(a, rows, others, &pairs);
    let (rows, others) = (Columns::new(rows), Columns::new(others));
    for level in Level::all() {
        let (mut bad, mut other_bad) = (Vec::new(), Vec::new());
        let rows = rows.boxes().check(level, &mut bad);
        let others = others.boxes().check(level, &mut other_bad);
        assert_eq!(batch(level, a, &rows, &others, &pairs), wanted, "{level}");
    }
}

/// Goal: a batch gives the bits of single calls. Method: every level, every number of rows near the number of
/// lanes, hostile boxes; every kind of output; lists that are too short.
#[test]
fn batches_give_the_bits_of_one_to_one_on_every_level() {
    for (round, rows) in (0..=40).cycle().take(41 * 6).enumerate() {
        let seed = round as u64;
        // Row `i` of both is a hostile pair.
        let made: Vec<Case> = cases(1000 + seed, rows).collect();
        let many: Vec<_> = made.iter().map(|case| case.b).collect();
        let others: Vec<_> = made.iter().map(|case| case.a).collect();
        answers_as_one_at_a_time(&boxes(seed, 12)[round % 12], &many, &others);
    }
}

/// Every kind of invalid row.
fn no_boxes() -> Vec<AcceleratingBox> {
    let good = boxes(5, 1)[0];
    let huge = COORD_MAX.next_up();
    let mut bad = Vec::new();
    for number in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, huge, -huge, f32::MAX] {
        for axis in 0..3 {
            let mut rows = [good; 4];
            rows[0].aabb.min[axis] = number;
            rows[1].aabb.max[axis] = number;
            rows[2].delta[axis] = number;
            rows[3].accel[axis] = number;
            bad.extend(rows);
        }
    }
    for axis in 0..3 {
        let mut row = good;
        (row.aabb.min[axis], row.aabb.max[axis]) = (1.0, 1.0_f32.next_down());
        bad.push(row);
    }
    bad
}

/// Goal: an invalid row does not change other rows. Method: an invalid row at every row of many numbers of
/// rows, of every kind in turn, on either side.
#[test]
fn invalid_row_is_separated_and_changes_no_other_row() {
    let mut kinds = no_boxes().into_iter().cycle();
    let a = boxes(6, 2)[1];
    for rows in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 23, 33] {
        let mut many = boxes(rows as u64, rows);
        let mut others = boxes(100 + rows as u64, rows);
        for row in 0..rows {
            let mut bad = kinds.next().expect("there are kinds");
            std::mem::swap(&mut many[row], &mut bad);
            answers_as_one_at_a_time(&a, &many, &others);
            std::mem::swap(&mut many[row], &mut bad);
            std::mem::swap(&mut others[row], &mut bad);
            answers_as_one_at_a_time(&a, &many, &others);
            std::mem::swap(&mut others[row], &mut bad);
        }
    }
}

/// Goal: a call that fails writes nothing. Method: each wrong length, a row that does not exist, an invalid
/// `a`; the outputs are compared.
#[test]
fn failed_call_writes_nothing() {
    let (good, bad) = (boxes(4, 20), no_boxes()[3]);
    let columns = Columns::new(&good);
    let short = Columns::new(&good[..19]);
    let pairs = neighbours(20);
    let reason = bad.validate().expect_err("it is invalid");
    for level in Level::all() {
        let (mut of_all, mut of_short) = (Vec::new(), Vec::new());
        let rows = columns.boxes().check(level, &mut of_all);
        let short = short.boxes().check(level, &mut of_short);
        for lengths in [[19, 20, 20], [20, 21, 20], [20, 20, 0]] {
            let mut outputs = Outputs::with_lengths(lengths);
            let error = accelerating::one_to_many(level, &good[0], &rows, outputs.answers());
            assert!(matches!(error, Err(BatchError::Length(_))), "{error:?}");
            assert_eq!(accelerating::zip(level, &rows, &rows, outputs.answers()), error);
            assert_eq!(accelerating::pairs(level, &rows, &pairs, outputs.answers()), error);
            assert!(outputs.is_unwritten(), "{level}, {lengths:?}");
        }
        let mut outputs = Outputs::new(20);
        let error = accelerating::one_to_many(level, &bad, &rows, outputs.answers());
        assert_eq!(error, Err(BatchError::Invalid(reason)));
        let error = accelerating::zip(level, &rows, &short, outputs.answers());
        assert!(matches!(error, Err(BatchError::Length(_))), "{error:?}");
        let mut wrong = pairs.clone();
        wrong[7] = Pair { a: 3, b: 20 };
        let error = accelerating::pairs(level, &rows, &wrong, outputs.answers());
        assert_eq!(error, Err(BatchError::NoSuchRow { index: 7, row: 20, rows: 20 }));
        assert!(outputs.is_unwritten() && UNWRITTEN.first < 0.0, "{level}");
    }
    assert_eq!(accelerating::one_to_one(&bad, &good[0]), Err(reason));
    assert_eq!(accelerating::one_to_one(&good[0], &bad), Err(reason));
}

/// Applies `on_axis` to each axis of a box: `[min, max, delta, accel]` and the number of the axis.
fn map(moving: &AcceleratingBox, on_axis: impl Fn([f32; 4], usize) -> [f32; 4]) -> AcceleratingBox {
    let AcceleratingBox { aabb: Aabb { min, max }, delta, accel } = *moving;
    let axes: [_; 3] = std::array::from_fn(|k| on_axis([min[k], max[k], delta[k], accel[k]], k));
    let [min, max, delta, accel] = std::array::from_fn(|column| axes.map(|axis| axis[column]));
    AcceleratingBox { aabb: Aabb { min, max }, delta, accel }
}

/// Axes on which both boxes are flat and in one plane at the start: the normal points up.
fn symmetric(case: &Case) -> u8 {
    let flat = |axis: &usize| {
        let (a, b) = (case.a.aabb, case.b.aabb);
        [a.max[*axis], b.min[*axis], b.max[*axis]].iter().all(|&x| x == a.min[*axis])
    };
    (0..3).filter(flat).map(|axis| 1 << axis).sum()
}

/// `answer` with the normal reversed on the axes of contact among `axes`, if it has a direction.
fn turned(case: &Case, answer: Sweep, axes: u8) -> [u32; 3] {
    let [first, last, contact] = bits(answer);
    let resting = answer.contact.state() == ContactState::Overlapping;
    let undirected = if resting { symmetric(case) } else { 0 };
    let turned = answer.contact.axis_mask() & axes & !undirected;
    [first, last, contact ^ u32::from(turned) << 3]
}

/// Goal: swapping the boxes only reverses the normal. Method: hostile pairs, compared bit by bit.
#[test]
fn swapped_boxes_reverse_the_normal() {
    for case in cases(5, 40_000) {
        let answer = one_to_one(&case.a, &case.b);
        let swapped = one_to_one(&case.b, &case.a);
        assert_eq!(bits(swapped), turned(&case, answer, 7), "{case:?}");
    }
}

/// Goal: no direction of space is special. Method: each set of axes mirrored, compared bit by bit.
#[test]
fn mirrored_boxes_reverse_the_normal_on_the_mirrored_axes() {
    for (mirrored, case) in (1..8).cycle().zip(cases(6, 40_000)) {
        let mirror = |[min, max, delta, accel]: [f32; 4], axis: usize| match mirrored >> axis & 1 {
            1 => [-max, -min, -delta, -accel],
            _ => [min, max, delta, accel],
        };
        let answer = one_to_one(&map(&case.a, mirror), &map(&case.b, mirror));
        let expected = turned(&case, one_to_one(&case.a, &case.b), mirrored);
        assert_eq!(bits(answer), expected, "{mirrored:#b}, {case:?}");
    }
}

/// Goal: no axis is special, except that the normal is that of the lowest one. Method: each order of axes.
#[test]
fn permuted_axes_permute_the_axes_of_contact() {
    let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (order, case) in orders.into_iter().cycle().zip(cases(7, 40_000)) {
        let permute = |of: [f32; 3]| order.map(|axis| of[axis]);
        let moved = |AcceleratingBox { aabb, delta, accel }: AcceleratingBox| AcceleratingBox {
            aabb: Aabb { min: permute(aabb.min), max: permute(aabb.max) },
            delta: permute(delta),
            accel: permute(accel),
        };
        let [first, last, contact] = bits(one_to_one(&case.a, &case.b));
        let mut permuted = contact & !0x3f;
        for (to, from) in order.into_iter().enumerate() {
            permuted |= (contact >> from & 0b1001) << to;
        }
        let answer = one_to_one(&moved(case.a), &moved(case.b));
        assert_eq!(bits(answer), [first, last, permuted], "{order:?}, {case:?}");
    }
}

/// Goal: the unit of length changes nothing. Method: powers of two, compared bit by bit, if numbers are far
/// from the limits of `f32` and of similar size.
#[test]
fn a_power_of_two_scales_to_the_same_bits() {
    let mut scaled = 0;
    for (exponent, case) in (-40..=40).cycle().zip(cases(8, 60_000)) {
        let scale = |x: f32| x * 2_f32.powi(exponent);
        let of = |moving| map(moving, |axis, _| axis.map(scale));
        let ordinary = |moving: &AcceleratingBox| {
            let numbers: [f32; 12] = bytemuck::cast(*moving);
            numbers.iter().all(|x| *x == 0.0 || (1e-6..1e6).contains(&x.abs()))
        };
        if ordinary(&case.a) && ordinary(&case.b) {
            let expected = bits(one_to_one(&case.a, &case.b));
            let answer = bits(one_to_one(&of(&case.a), &of(&case.b)));
            assert_eq!(answer, expected, "2^{exponent}, {case:?}");
            scaled += 1;
        }
    }
    assert!(scaled > 20_000, "only {scaled} pairs were scaled");
}

/// Goal: only relative motion and position count. Method: a position, a displacement and an acceleration that
/// can be added to all numbers without rounding are added to both.
#[test]
fn common_motion_and_position_change_nothing() {
    let exact = |case: &Case| {
        let all = [case.a, case.b].map(bytemuck::cast::<_, [f32; 12]>);
        all.as_flattened().iter().all(|x| x.abs() < 4096.0 && (x * 64.0).fract() == 0.0)
    };
    let mut compared = 0;
    for case in cases(9, 60_000).filter(exact) {
        let expected = bits(one_to_one(&case.a, &case.b));
        for shared in [[0.0, 0.25, -8.0], [1024.0, -3.5, 0.125], [-0.0, 4096.0, 1.0]] {
            for column in 0..3 {
                let share = |mut axis: [f32; 4], k: usize| {
                    let of = if column == 0 { 0..2 } else { column + 1..column + 2 };
                    axis[of].iter_mut().for_each(|x| *x += shared[k]);
                    axis
                };
                let answer = one_to_one(&map(&case.a, share), &map(&case.b, share));
                assert_eq!(bits(answer), expected, "{column} {shared:?}, {case:?}");
            }
        }
        compared += 1;
    }
    assert!(compared > 10_000, "only {compared} pairs are exact");
}

/// Goal: a larger box is not touched later. Method: boxes enlarged by more than rounding could undo.
#[test]
fn a_larger_box_is_not_touched_later() {
    for case in cases(10, 40_000) {
        let numbers: [f32; 12] = bytemuck::cast(case.b);
        let others: [f32; 12] = bytemuck::cast(case.a);
        let size = numbers.iter().chain(&others).fold(0.0_f32, |size, x| size.max(x.abs()));
        let by = size / (1 << 15) as f32;
        let grow = |[min, max, delta, accel]: [f32; 4], _| [min - by, max + by, delta, accel];
        let larger = map(&case.b, grow);
        if larger.validate().is_err() {
            continue;
        }
        let (small, large) = (one_to_one(&case.a, &case.b), one_to_one(&case.a, &larger));
        assert!(large.first <= small.first, "{small:?}, {large:?}, {case:?}");
        assert!(small.first <= 1.0 || small.first == MISS);
    }
}
