//! Tests of the sweep of moving boxes: its result is that of `spec` on every level, and it is never late.
//!
//! The first inputs are exact in `f32`, and results must be equal. Then follow hostile inputs, with bounds
//! that are derived from the rounding errors of the kernel. Comparisons bit by bit are marked as such.

use std::ops::RangeInclusive;

use swath::batch::sweep::{MISS, Sweep, Times};
use swath::batch::{BatchError, Checked, ContactState, Hit, Hits, Rejected, sweep};
use swath::{Aabb, Level, MovingBox, Pair};
use testkit::cases::{Case, cases};
use testkit::columns::{Columns, Outputs, bits};
use testkit::draw::how_many;
use testkit::exact;
use testkit::promises::{ABSOLUTE, RELATIVE, holds};

/// Error of `spec`: about 2⁻⁵¹.
const SPEC: f64 = 1.0 / (1_u64 << 50) as f64;

/// A box on one axis; all boxes have the other two axes in common.
fn on_axis(axis: usize, [min, max]: [f32; 2], delta: f32) -> MovingBox {
    let mut moving = MovingBox { aabb: Aabb { min: [0.0; 3], max: [1.0; 3] }, delta: [0.0; 3] };
    (moving.aabb.min[axis], moving.aabb.max[axis], moving.delta[axis]) = (min, max, delta);
    moving
}

fn one_to_one(a: &MovingBox, b: &MovingBox) -> Sweep {
    sweep::one_to_one(a, b).expect("both are boxes")
}

/// The expected bits of a result if every quotient is exact: the times moved by the documented slack of the
/// kernel, 4·2⁻²⁴ of them and 2⁻¹⁴⁸.
fn slackened(spec: &spec::Sweep) -> Sweep {
    if !spec.contact.is_hit() {
        return Sweep::SEPARATED;
    }
    let (part, tiny) = (4.0 / (1 << 24) as f32, f32::from_bits(2));
    Sweep {
        first: (spec.first as f32 * (1.0 - part) - tiny).max(0.0),
        last: (spec.last as f32 * (1.0 + part) + tiny).min(1.0),
        contact: spec.contact,
    }
}

#[track_caller]
fn equals_spec(a: &MovingBox, b: &MovingBox) {
    let spec = spec::sweep(a, b).expect("both are boxes");
    assert_eq!(one_to_one(a, b), slackened(&spec), "{a:?} and {b:?}");
}

/// Goal: every order of four interval ends gives the right result. Method: all of them.
///
/// Ends are integers and the relative motion is zero or a power of two, so every quotient is exact and
/// equality needs no tolerance. The motion is that of `b`, then of `a`, then of both. Flat intervals are
/// included, and touches at either end of the tick.
#[test]
fn every_order_of_two_intervals_equals_the_spec() {
    const ENDS: RangeInclusive<i16> = 0..=4;
    let intervals: Vec<[f32; 2]> = ENDS
        .flat_map(|min| (min..=*ENDS.end()).map(move |max| [f32::from(min), f32::from(max)]))
        .collect();
    let powers = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0_f32];
    let motions = powers.into_iter().flat_map(|d| [d, -d]).chain([0.0, -0.0]);
    for d in motions {
        for (delta_a, delta_b) in [(0.0, d), (-d, 0.0), (3.0, 3.0 + d), (-d / 2.0, d / 2.0)] {
            for &of_a in &intervals {
                for &of_b in &intervals {
                    for axis in 0..3 {
                        let (a, b) = (on_axis(axis, of_a, delta_a), on_axis(axis, of_b, delta_b));
                        equals_spec(&a, &b);
                    }
                }
            }
        }
    }
}

/// Goal: the axes are combined as in the specification. Method: every way in which two intervals can touch,
/// on each axis.
#[test]
fn every_combination_of_three_axes_equals_the_spec() {
    let mut ways = Vec::new();
    for d in [-2.0, -1.0, 0.0, 1.0, 2.0] {
        for min in [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0] {
            ways.push(([0.0, 1.0], [min, min + 1.0], d));
        }
        ways.push(([0.0, 0.0], [0.0, 0.0], d));
    }
    let joined = |x: &([f32; 2], [f32; 2], f32), y: &_, z: &_| {
        let axes: [&([f32; 2], [f32; 2], f32); 3] = [x, y, z];
        let aabb = |of: [[f32; 2]; 3]| Aabb { min: of.map(|m| m[0]), max: of.map(|m| m[1]) };
        let a = MovingBox::from(aabb(axes.map(|axis| axis.0)));
        equals_spec(
            &a,
            &MovingBox { aabb: aabb(axes.map(|axis| axis.1)), delta: axes.map(|axis| axis.2) },
        );
    };
    for x in &ways {
        for y in &ways {
            for z in &ways {
                joined(x, y, z);
            }
        }
    }
}

/// Goal: never missed, never late, and hardly early. Method: hostile pairs, compared with times in integers,
/// which have no rounding error.
#[test]
fn answers_keep_their_promises() {
    for case in cases(1, how_many(1_000_000)) {
        let exact = exact::sweep(&case.a, &case.b);
        let answer = one_to_one(&case.a, &case.b);
        if let Err(promise) = holds(&case, answer, &exact) {
            let (first, last) = (exact.first.approximately(), exact.last.approximately());
            panic!("{promise}: {answer:?} for {first:e}..{last:e}, {case:?}");
        }
    }
}

/// Goal: `spec` is accurate. Method: the same pairs, compared with integer arithmetic.
#[test]
fn spec_is_exact_to_its_last_digits() {
    for case in cases(2, 200_000) {
        let exact = exact::sweep(&case.a, &case.b);
        let spec = spec::sweep(&case.a, &case.b).expect("both are boxes");
        let (first, last) = (exact.first.approximately(), exact.last.approximately());
        let near = |x: f64, y: f64| (x - y).abs() <= SPEC * y;
        let state = spec.contact.state();
        if state == ContactState::Separated || exact.state == ContactState::Separated {
            let tie = exact.narrow && (first - last).abs() <= SPEC * first;
            assert!(state == exact.state || tie, "{spec:?}, {case:?}");
            assert!(spec.margin <= 0.0 || state != ContactState::Separated, "{spec:?}, {case:?}");
            continue;
        }
        assert_eq!(state, exact.state, "{case:?}");
        assert!(near(spec.first, first) && near(spec.last, last), "{spec:?}, {case:?}");
        assert_eq!(spec.margin, spec.last - spec.first, "{case:?}");
        assert_eq!(spec.contact.is_closing(), exact.closing, "{case:?}");
        if state == ContactState::Overlapping {
            assert_eq!(spec.contact.axis_mask(), exact.axes, "{case:?}");
            assert_eq!(exact::down(spec.contact), exact.down, "{case:?}");
        }
    }
}

/// Goal: the bounds hold for more pairs than integer arithmetic has time for. Method: comparison with `spec`.
#[test]
fn answers_agree_with_the_spec() {
    let slack = |time: f64| time * 2_f64.powi(-RELATIVE) + 2_f64.powi(-ABSOLUTE);
    for case in cases(3, 3_000_000) {
        let spec = spec::sweep(&case.a, &case.b).expect("both are boxes");
        let answer = one_to_one(&case.a, &case.b);
        if !answer.contact.is_hit() {
            assert!(!spec.contact.is_hit(), "missed: {case:?}");
            assert_eq!(bits(answer), bits(Sweep::SEPARATED));
        } else if !spec.contact.is_hit() {
            // Both times are at most one if the miss is narrow.
            assert!(spec.margin >= -2.0 * slack(1.0), "{answer:?} for {spec:?}, {case:?}");
        } else {
            let (first, last) = (f64::from(answer.first), f64::from(answer.last));
            let (late, early) = (first - spec.first, spec.last - last);
            assert!(late <= SPEC * first && -late <= slack(spec.first), "{answer:?}, {case:?}");
            assert!(early <= SPEC * last && -early <= slack(spec.last), "{answer:?}, {case:?}");
            assert_eq!(answer.contact.state(), spec.contact.state(), "{case:?}");
            assert_eq!(answer.contact.is_closing(), spec.contact.is_closing(), "{case:?}");
            assert_eq!(answer.contact.is_surface(), spec.contact.is_surface(), "{case:?}");
            let (named, exact) = (answer.contact.axis_mask(), spec.contact.axis_mask());
            assert_eq!(named & exact, exact, "{case:?}");
        }
    }
}

/// The bits of the results of a batch function, which must be the same in each kind of output.
macro_rules! answers {
    ($rows:expr, $output:ident => $door:expr) => {{
        let rows: usize = $rows;
        let mut outputs = Outputs::new(rows);
        let $output = outputs.answers();
        $door.expect("all lengths are right");
        let bits = outputs.bits();

        let (mut first, mut last) = (vec![0.0_f32; rows], vec![0.0_f32; rows]);
        let $output = Times { first: &mut first, last: &mut last };
        $door.expect("all lengths are right");
        let times = first.iter().zip(&last).map(|(first, last)| [first, last].map(|x| x.to_bits()));
        assert!(times.eq(bits.iter().map(|&[first, last, _]| [first, last])));

        let hit = |&(_, answer): &(usize, &[u32; 3])| answer[2] != 0;
        let hits: Vec<[u32; 2]> = bits
            .iter()
            .enumerate()
            .filter(hit)
            .map(|(row, answer)| [row as u32, answer[0]])
            .collect();
        lists_hits(&hits, |$output| $door);
        bits
    }};
}

/// Asks for hits with too little, exactly enough and more capacity.
fn lists_hits(hits: &[[u32; 2]], ask: impl Fn(&mut Hits<'_>) -> Result<(), BatchError>) {
    for room in [hits.len() + 100, hits.len(), hits.len().saturating_sub(1), hits.len() / 2, 0] {
        let mut list = vec![Hit { row: 77, value: -7.0 }; room];
        let mut found = Hits::new(&mut list);
        let answer = ask(&mut found);
        let needed = hits.len();
        let enough = if needed <= room {
            Ok(())
        } else {
            Err(BatchError::TooShort { needed, capacity: room })
        };
        assert_eq!(answer, enough);
        let listed = found.iter().map(|hit| [hit.row, hit.value.to_bits()]);
        assert!(listed.eq(hits.iter().copied().take(room)), "{found:?} of {hits:?}");
        assert_eq!(found.found(), needed);
    }
}

/// The bits of the results of the batch functions: `a` against each row, each pair of `of`, and each row
/// against the next.
fn batch(level: Level, a: &MovingBox, rows: &Checked<'_>, of: &[Pair]) -> [Vec<[u32; 3]>; 3] {
    let next = rows.len().saturating_sub(1);
    let (from, to) = (rows.slice(0..next), rows.slice(rows.len() - next..rows.len()));
    [
        answers!(rows.len(), output => sweep::one_to_many(level, a, rows, output)),
        answers!(of.len(), output => sweep::pairs(level, rows, of, output)),
        answers!(next, output => sweep::zip(level, &from, &to, output)),
    ]
}

/// Each row with the next ones, itself included, in either order.
fn neighbours(rows: usize) -> Vec<Pair> {
    let row = |row: usize| (row % rows) as u32;
    let pair = |k: usize| Pair { a: row(k), b: row(k * k + k / 3) };
    (0..rows).map(pair).collect()
}

fn boxes(seed: u64, count: usize) -> Vec<MovingBox> {
    cases(seed, count).map(|case| case.b).collect()
}

/// Goal: a batch gives the bits of single calls. Method: every level, every number of rows near the number of
/// lanes, hostile boxes.
#[test]
fn batches_give_the_bits_of_one_to_one_on_every_level() {
    for (round, rows) in (0..=40).cycle().take(41 * 20).enumerate() {
        let a = boxes(round as u64, 12)[round % 12];
        let many = boxes(1000 + round as u64, rows);
        let pairs = neighbours(rows);
        let columns = Columns::new(&many);
        let expected_many: Vec<_> = many.iter().map(|b| bits(one_to_one(&a, b))).collect();
        let of = |pair: &Pair| one_to_one(&many[pair.a as usize], &many[pair.b as usize]);
        let expected_pairs: Vec<_> = pairs.iter().map(|pair| bits(of(pair))).collect();
        let next = many.windows(2).map(|two| bits(one_to_one(&two[0], &two[1]))).collect();
        let expected = [expected_many, expected_pairs, next];
        for level in Level::all() {
            let mut rejected = Vec::new();
            let checked = columns.boxes().check(level, &mut rejected);
            assert_eq!(batch(level, &a, &checked, &pairs), expected, "{level}, {rows} rows");
        }
    }
}

/// Every kind of invalid row.
fn no_boxes() -> Vec<MovingBox> {
    let good = on_axis(0, [0.0, 1.0], 0.5);
    let huge = swath::COORD_MAX.next_up();
    let mut bad = Vec::new();
    for number in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, huge, -huge, f32::MAX] {
        for axis in 0..3 {
            let mut rows = [good; 3];
            rows[0].aabb.min[axis] = number;
            rows[1].aabb.max[axis] = number;
            rows[2].delta[axis] = number;
            bad.extend(rows);
        }
    }
    bad.extend((0..3).map(|axis| on_axis(axis, [1.0, 1.0_f32.next_down()], 0.0)));
    bad
}

/// Rows of which some are invalid: these are listed and separated, and the results of the others are those of
/// single calls.
fn answers_around(a: &MovingBox, many: &[MovingBox], pairs: &[Pair]) {
    let answer =
        |x: &MovingBox, y: &MovingBox| bits(sweep::one_to_one(x, y).unwrap_or(Sweep::SEPARATED));
    let expected: [Vec<_>; 3] = [
        many.iter().map(|b| answer(a, b)).collect(),
        pairs.iter().map(|p| answer(&many[p.a as usize], &many[p.b as usize])).collect(),
        many.windows(2).map(|two| answer(&two[0], &two[1])).collect(),
    ];
    let listed = |(row, moving): (u32, &MovingBox)| {
        moving.validate().err().map(|reason| Rejected { row, reason })
    };
    let listed: Vec<_> = (0..).zip(many).filter_map(listed).collect();
    let columns = Columns::new(many);
    for level in Level::all() {
        let mut rejected = Vec::new();
        let checked = columns.boxes().check(level, &mut rejected);
        assert_eq!(checked.rejected(), listed, "{level}");
        assert_eq!(batch(level, a, &checked, pairs), expected, "{level}, {listed:?}");
    }
}

/// Goal: an invalid row does not change other rows. Method: an invalid row at every row of every number of
/// rows, and one that is the only row, of every kind in turn.
#[test]
fn invalid_row_is_separated_and_changes_no_other_row() {
    let mut kinds = no_boxes().into_iter().cycle();
    let a = on_axis(0, [0.25, 2.0], -1.0);
    for rows in 1..=40 {
        let mut many = boxes(rows as u64, rows);
        let mut bad: Vec<MovingBox> = kinds.by_ref().take(rows).collect();
        let pairs = neighbours(rows);
        answers_around(&a, &bad, &pairs);
        for row in 0..rows {
            std::mem::swap(&mut many[row], &mut bad[row]);
            answers_around(&a, &many, &pairs);
            answers_around(&a, &bad, &pairs);
            std::mem::swap(&mut many[row], &mut bad[row]);
        }
    }
}

/// Goal: a slice of checked rows has the results of its rows. Method: every slice of rows of which some are
/// invalid, and a slice of each slice.
#[test]
fn slice_keeps_its_invalid_rows() {
    let mut kinds = no_boxes().into_iter().cycle();
    let mut rows = boxes(5, 24);
    for row in [0, 3, 4, 11, 23] {
        rows[row] = kinds.next().expect("there are kinds");
    }
    let columns = Columns::new(&rows);
    let mut rejected = Vec::new();
    let checked = columns.boxes().check(Level::detect(), &mut rejected);
    for from in 0..=rows.len() {
        for to in from..=rows.len() {
            let slice = checked.slice(from..to);
            let half = slice.slice(slice.len() / 2..slice.len());
            for (slice, from) in [(slice, from), (half, from + slice.len() / 2)] {
                assert_eq!(slice.len(), to - from);
                let listed =
                    checked.rejected().iter().filter(|r| (from..to).contains(&(r.row as usize)));
                assert!(slice.rejected().iter().eq(listed));
                for row in 0..slice.len() {
                    let bad = rows[from + row].validate().is_err();
                    assert_eq!(slice.is_rejected(row as u32), bad, "row {row} of {from}..{to}");
                }
            }
        }
    }
}

/// Goal: a call that fails writes nothing. Method: each wrong length, a row that does not exist, an invalid
/// `a`; the outputs are compared.
#[test]
fn failed_call_writes_nothing() {
    let columns = Columns::new(&boxes(4, 20));
    let good = on_axis(0, [0.0, 1.0], 0.5);
    let bad = on_axis(1, [1.0, 0.0], 0.0);
    let pairs = neighbours(20);
    for level in Level::all() {
        let mut rejected = Vec::new();
        let checked = columns.boxes().check(level, &mut rejected);
        for lengths in [[19, 20, 20], [20, 21, 20], [20, 20, 0], [20, 20, 40]] {
            let wrong = lengths.into_iter().find(|&length| length != 20);
            let mut outputs = Outputs::with_lengths(lengths);
            let error = sweep::one_to_many(level, &good, &checked, outputs.answers());
            let found = match error {
                Err(BatchError::Length(error)) => Some((error.expected, error.found)),
                _ => None,
            };
            assert_eq!(found, wrong.map(|wrong| (20, wrong)), "{error:?}");
            assert_eq!(sweep::pairs(level, &checked, &pairs, outputs.answers()), error);
            assert_eq!(sweep::zip(level, &checked, &checked, outputs.answers()), error);
            assert!(outputs.is_unwritten(), "{level}, {lengths:?}");
        }
        for lengths in [[19, 20], [20, 0], [21, 20]] {
            let [mut first, mut last] = lengths.map(|length| vec![-7.0; length]);
            let times = Times { first: &mut first, last: &mut last };
            let error = sweep::one_to_many(level, &good, &checked, times);
            assert!(matches!(error, Err(BatchError::Length(_))), "{level}, {lengths:?}");
            assert!(first.iter().chain(&last).all(|&time| time == -7.0), "{level}, {lengths:?}");
        }
        let mut outputs = Outputs::new(20);
        let error = sweep::one_to_many(level, &bad, &checked, outputs.answers());
        let reason = bad.validate().expect_err("it is invalid");
        assert_eq!(error, Err(BatchError::Invalid(reason)));
        for (index, pair) in [(0, Pair { a: 20, b: 3 }), (19, Pair { a: 3, b: u32::MAX })] {
            let mut pairs = pairs.clone();
            pairs[index] = pair;
            let error = sweep::pairs(level, &checked, &pairs, outputs.answers());
            let row = pair.a.max(pair.b);
            assert_eq!(error, Err(BatchError::NoSuchRow { index, row, rows: 20 }));
        }
        let error = sweep::zip(level, &checked, &checked.slice(3..20), outputs.answers());
        assert!(matches!(error, Err(BatchError::Length(_))), "{error:?}");
        assert!(outputs.is_unwritten(), "{level}");
    }
    assert_eq!(sweep::one_to_one(&bad, &good), Err(bad.validate().expect_err("it is invalid")));
    assert_eq!(sweep::one_to_one(&good, &bad), Err(bad.validate().expect_err("it is invalid")));
}

/// Axes on which both boxes are flat and in one plane at the start. The direction is not defined there, so
/// the normal points up.
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

fn map(moving: &MovingBox, on_axis: impl Fn([f32; 3], usize) -> [f32; 3]) -> MovingBox {
    let MovingBox { aabb: Aabb { min, max }, delta } = *moving;
    let axes: [_; 3] = std::array::from_fn(|k| on_axis([min[k], max[k], delta[k]], k));
    let [min, max, delta] = std::array::from_fn(|column| axes.map(|axis| axis[column]));
    MovingBox { aabb: Aabb { min, max }, delta }
}

/// Goal: swapping the boxes only reverses the normal. Method: hostile pairs, compared bit by bit.
#[test]
fn swapped_boxes_reverse_the_normal() {
    for case in cases(5, 60_000) {
        let answer = one_to_one(&case.a, &case.b);
        let swapped = one_to_one(&case.b, &case.a);
        assert_eq!(bits(swapped), turned(&case, answer, 7), "{case:?}");
    }
}

/// Goal: no direction of space is special. Method: each set of axes mirrored, compared bit by bit.
#[test]
fn mirrored_boxes_reverse_the_normal_on_the_mirrored_axes() {
    for (mirrored, case) in (1..8).cycle().zip(cases(6, 60_000)) {
        let mirror = |[min, max, delta]: [f32; 3], axis: usize| match mirrored >> axis & 1 {
            1 => [-max, -min, -delta],
            _ => [min, max, delta],
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
    for (order, case) in orders.into_iter().cycle().zip(cases(7, 60_000)) {
        let permute = |of: [f32; 3]| order.map(|axis| of[axis]);
        let moved = |MovingBox { aabb, delta }: MovingBox| MovingBox {
            aabb: Aabb { min: permute(aabb.min), max: permute(aabb.max) },
            delta: permute(delta),
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

/// Goal: the unit of length changes nothing. Method: powers of two, compared bit by bit, if all numbers
/// remain normal.
#[test]
fn a_power_of_two_scales_to_the_same_bits() {
    let mut scaled = 0;
    for (exponent, case) in (-60..=60).cycle().zip(cases(8, 60_000)) {
        let scale = |x: f32| x * 2_f32.powi(exponent);
        let of = |moving| map(moving, |axis, _| axis.map(scale));
        let (a, b) = (of(&case.a), of(&case.b));
        let normal = |moving: &MovingBox| {
            let mut numbers =
                [moving.aabb.min, moving.aabb.max, moving.delta].into_iter().flatten();
            moving.validate().is_ok() && numbers.all(|x| x.is_normal() || x == 0.0)
        };
        // A pair with a number that became zero or denormal is another pair.
        let same =
            |x: &MovingBox, y: &MovingBox| map(y, |axis, _| axis.map(|y| y / scale(1.0))) == *x;
        if [&a, &b, &case.a, &case.b].into_iter().all(normal)
            && same(&case.a, &a)
            && same(&case.b, &b)
        {
            let expected = bits(one_to_one(&case.a, &case.b));
            assert_eq!(bits(one_to_one(&a, &b)), expected, "2^{exponent}, {case:?}");
            scaled += 1;
        }
    }
    assert!(scaled > 20_000, "only {scaled} pairs were scaled");
}

/// Goal: only relative motion and position count. Method: a displacement, or a position, that can be added to
/// all numbers without rounding, is added to both.
#[test]
fn common_motion_and_position_change_nothing() {
    let exact = ["grid", "together", "flat"];
    for case in cases(9, 100_000).filter(|case| exact.contains(&case.family)) {
        let expected = bits(one_to_one(&case.a, &case.b));
        for shared in [[0.0, 0.25, -8.0], [1024.0, -3.5, 0.125], [-0.0, 65536.0, 1.0]] {
            let place = |[min, max, delta]: [f32; 3], k| [min + shared[k], max + shared[k], delta];
            let motion = |[min, max, delta]: [f32; 3], k| [min, max, delta + shared[k]];
            let placed = one_to_one(&map(&case.a, place), &map(&case.b, place));
            assert_eq!(bits(placed), expected, "{shared:?}, {case:?}");
            let moved = one_to_one(&map(&case.a, motion), &map(&case.b, motion));
            assert_eq!(bits(moved), expected, "{shared:?}, {case:?}");
        }
    }
}

/// Goal: the value of a miss differs from all results. Method: its fields.
#[test]
fn a_miss_has_no_time_and_no_axis() {
    let Sweep { first, last, contact } = Sweep::SEPARATED;
    assert!(first == MISS && last == MISS && MISS > 1.0);
    assert_eq!(
        (contact.state(), contact.axis(), contact.normal()),
        (ContactState::Separated, None, [0.0; 3])
    );
    assert!(!contact.is_hit() && !contact.is_closing() && !contact.is_surface());
}
