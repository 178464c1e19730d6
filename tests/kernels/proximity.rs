//! Tests of distances between boxes: never greater than the exact one, hardly less, and the same in batches.
//!
//! The first inputs are small integers. Then follow hostile cases, compared with sums of products of
//! integers, which have no rounding error, and batches compared with single calls.

use std::cmp::Ordering::{Greater, Less};

use rand::RngExt;
use swath::batch::proximity::{Distances, MISS};
use swath::batch::{BatchError, Hit, Hits, LengthMismatch, proximity};
use swath::{Aabb, COORD_MAX, Invalid, Level, MovingBox};
use testkit::columns::Columns;
use testkit::draw::{Draw, how_many};
use testkit::places::{boxes, moving, near};
use testkit::terms::{Term, sign, square};

/// Greatest error of a distance: `2⁻²⁰` of it and `2⁻¹⁴⁸`.
const PART: i32 = 20;
const TINY: i32 = 148;

fn apart(a: &Aabb, b: &Aabb) -> f32 {
    proximity::one_to_one(a, b).expect("both are boxes")
}

/// The square of the exact distance, as terms.
fn exact_square(a: &Aabb, b: &Aabb) -> Vec<Term> {
    let mut terms = Vec::with_capacity(16);
    for axis in 0..3 {
        if a.max[axis] < b.min[axis] {
            terms.extend(square(b.min[axis], a.max[axis]));
        } else if b.max[axis] < a.min[axis] {
            terms.extend(square(a.min[axis], b.max[axis]));
        }
    }
    terms
}

/// Panics if a distance is outside its bounds.
fn keeps_its_promise(a: &Aabb, b: &Aabb) -> f32 {
    let distance = apart(a, b);
    assert_eq!(distance == 0.0, a.overlaps(b), "{distance:e}: {a:?} {b:?}");
    assert!(distance.is_sign_positive() && distance.is_finite(), "{distance:e}: {a:?} {b:?}");
    assert_eq!(distance.to_bits(), apart(b, a).to_bits(), "{a:?} {b:?}");
    let told = Term::of(distance);
    let mut terms = exact_square(a, b);
    // The square of the reported distance is at most the exact one.
    terms.push(-(told * told));
    assert_ne!(sign(&terms), Less, "{distance:e} is too far: {a:?} {b:?}");
    terms.pop();
    // The square of (distance + 2⁻¹⁴⁸) is at least that of the exact distance less 2⁻²⁰ of it.
    let part = Term::whole((1 << PART) - 1, -PART);
    for term in &mut terms {
        *term = *term * part * part;
    }
    for term in [told * told, Term::whole(2, -TINY) * told, Term::whole(1, -2 * TINY)] {
        terms.push(-term);
    }
    assert_ne!(sign(&terms), Greater, "{distance:e} is too near: {a:?} {b:?}");
    distance
}

/// The hostile pairs of boxes, and points near boxes.
fn pairs(seed: u64, count: usize) -> impl Iterator<Item = (Aabb, Aabb)> {
    let points = near(seed, count / 2)
        .map(|near| (Aabb::point(near.sphere.center).expect("a centre is a point"), near.aabb));
    points.chain(boxes(seed + 1, count - count / 2))
}

/// Goal: distances of integers are exact. Method: points on a grid around a box, a flat one and a point.
#[test]
fn distances_of_points_on_a_grid_are_exact() {
    let boxes = [[[-1.0; 3], [1.0, 2.0, 0.0]], [[0.0; 3], [0.0, 1.0, 2.0]], [[1.0; 3]; 2]];
    for aabb in boxes.map(|[min, max]| Aabb { min, max }) {
        for at in 0..11 * 11 * 11 {
            let point = [at % 11, at / 11 % 11, at / 121].map(|x| x as f32 - 5.0);
            let point = Aabb::point(point).expect("whole numbers");
            let square: f32 = (0..3)
                .map(|k| (aabb.min[k] - point.max[k]).max(point.min[k] - aabb.max[k]).max(0.0))
                .map(|gap| gap * gap)
                .sum();
            let meant = spec::proximity(&point, &aabb).expect("both are boxes");
            assert!((meant * meant - f64::from(square)).abs() < 1e-12, "{point:?} {aabb:?}");
            keeps_its_promise(&point, &aabb);
        }
    }
}

/// Goal: never too far, at most 2⁻²⁰ too near, zero exactly if the boxes touch, and symmetric. Method:
/// hostile cases compared with integer arithmetic; they include boxes that touch, boxes that are apart on one
/// and on three axes, and distances near the limits of `f32`.
#[test]
fn distances_are_never_too_far() {
    let (mut touch, mut skew, mut tiny, mut huge) = (0, 0, 0, 0);
    let count = how_many(100_000);
    for (a, b) in pairs(11, count) {
        let distance = keeps_its_promise(&a, &b);
        let meant = spec::proximity(&a, &b).expect("both are boxes");
        let slack = meant / f64::from(1 << 19) + f64::from(f32::from_bits(4));
        assert!((meant - f64::from(distance)).abs() <= slack, "{a:?} {b:?}");
        touch += usize::from(distance == 0.0);
        let gaps = (0..3).filter(|&k| a.max[k] < b.min[k] || b.max[k] < a.min[k]).count();
        skew += usize::from(gaps == 3);
        tiny += usize::from(distance > 0.0 && distance < 1e-30);
        huge += usize::from(distance > 1e25);
    }
    let few = [touch, skew, tiny, huge].map(|seen| seen < count / 100);
    assert_eq!(few, [false; 4], "{touch} {skew} {tiny} {huge}");
}

/// Gaps at which the unit of length changes, beside gaps that are rounded in one unit or the other.
fn gaps(draw: &mut Draw) -> [f32; 3] {
    let exponent = draw.one_of(&[-149, -140, -127, -126, -125, -100, -63, -1, 0, 1, 24, 63, 118]);
    let greatest = 2.0_f64.powi(exponent) as f32;
    let nudge = |draw: &mut Draw, x: f32| match draw.0.random_range(0..4) {
        0 => x.next_down(),
        1 => x.next_up(),
        _ => x,
    };
    let mut gaps = [0.0; 3];
    for gap in &mut gaps {
        let part = draw.one_of(&[1.0, 1.0, 0.5, 3e-4, 2.4e-4, 1e-7, 1e-19, 1e-23, 1e-38, 0.0]);
        let x = greatest * part * draw.one_of(&[1.0, 1.0, 0.75, 1.5]);
        *gap = nudge(draw, x).clamp(0.0, COORD_MAX);
    }
    gaps
}

/// Goal: the distance of a box that contains another is at most that of the other, without tolerance. Method:
/// a box enlarged by one step on one side, by one step of a gap at the limits of a unit, and to contain a
/// second box.
#[test]
fn enclosing_box_is_not_farther() {
    let mut draw = Draw::new(5);
    let mut changed = 0;
    let count = how_many(100_000);
    for (a, b) in pairs(21, count) {
        let (axis, other) = (draw.0.random_range(0..3), draw.0.random_range(0..3));
        let mut grown = b;
        grown.min[axis] = grown.min[axis].next_down().max(-COORD_MAX);
        grown.max[other] = grown.max[other].next_up().min(COORD_MAX);
        let distance = apart(&a, &b);
        assert!(apart(&a, &grown) <= distance, "{a:?} {b:?} {grown:?}");
        let both = b.union(&Aabb { min: a.min, max: b.max.map(|x| x.max(a.min[axis])) });
        assert!(apart(&a, &both) <= distance, "{a:?} {b:?} {both:?}");
        changed += usize::from(apart(&a, &both) < distance);

        let far = gaps(&mut draw);
        let mut nearer = far;
        nearer[axis] = far[axis].next_down().max(0.0);
        let at = |gaps: [f32; 3]| Aabb { min: gaps, max: [COORD_MAX; 3] };
        let origin = Aabb { min: [0.0; 3], max: [0.0; 3] };
        assert!(apart(&origin, &at(nearer)) <= apart(&origin, &at(far)), "{far:?} {nearer:?}");
        keeps_its_promise(&origin, &at(far));
    }
    assert!(changed > count / 20, "{changed}");
}

/// [`proximity::one_to_one`] of a row, which may be invalid.
fn of_row(a: &Aabb, max: f32, row: &MovingBox) -> f32 {
    let distance = match row.validate() {
        Ok(()) => apart(a, &row.aabb),
        Err(_) => MISS,
    };
    if distance <= max { distance } else { MISS }
}

fn bits(column: &[f32]) -> Vec<u32> {
    column.iter().map(|x| x.to_bits()).collect()
}

/// Every batch function on every level, compared with single calls.
fn answers_are(a: &Aabb, max: f32, [rows, others]: [&[MovingBox]; 2]) {
    let count = rows.len();
    let many: Vec<_> = rows.iter().map(|row| of_row(a, max, row)).collect();
    let zipped: Vec<_> = rows
        .iter()
        .zip(others)
        .map(|(a, b)| if a.validate().is_ok() { of_row(&a.aabb, max, b) } else { MISS })
        .collect();
    let hits = |column: &[f32]| -> Vec<Hit> {
        let hit = |(row, &at): (u32, &f32)| (at < MISS).then_some(Hit { row, value: at });
        (0..).zip(column).filter_map(hit).collect()
    };
    let mut sorted = hits(&many);
    // A stable sort, so that of equal ones the lower row is first.
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let (of_a, of_b) = (Columns::new(rows), Columns::new(others));
    for level in Level::all() {
        let [mut bad_a, mut bad_b] = [const { Vec::new() }; 2];
        let boxes = of_a.boxes().check(level, &mut bad_a);
        let others = of_b.boxes().check(level, &mut bad_b);
        let mut distance = vec![-7.0; count];
        let to = Distances { distance: &mut distance };
        assert_eq!(proximity::one_to_many(level, a, max, &boxes, to), Ok(()), "{level}");
        assert_eq!(bits(&distance), bits(&many), "{level}");
        let to = Distances { distance: &mut distance };
        assert_eq!(proximity::zip(level, &boxes, &others, max, to), Ok(()), "{level}");
        assert_eq!(bits(&distance), bits(&zipped), "{level}");
        for room in [sorted.len(), sorted.len() / 2, sorted.len() + 20] {
            let mut buffer = vec![Hit::default(); room];
            let mut list = Hits::new(&mut buffer);
            let answer = proximity::one_to_many(level, a, max, &boxes, &mut list);
            let short = Err(BatchError::TooShort { needed: sorted.len(), capacity: room });
            assert_eq!(answer, if room < sorted.len() { short } else { Ok(()) }, "{level}");
            let meant = hits(&many);
            assert_eq!(list[..], meant[..room.min(meant.len())], "{level}");
        }
        for room in [0, 1, 2, 5, 17, count + 1] {
            let mut buffer = vec![Hit { row: 77, value: -7.0 }; room];
            let found = proximity::k_nearest(level, a, max, &boxes, &mut buffer).unwrap();
            assert_eq!(found, &sorted[..room.min(sorted.len())], "{level}, {room}");
        }
        let nearest = proximity::nearest(level, a, max, &boxes);
        assert_eq!(nearest, Ok(sorted.first().copied()), "{level}");
    }
}

/// Goal: a batch gives the results of single calls. Method: every level, every number of rows near the number
/// of lanes, hostile rows, invalid rows, ties, every greatest distance.
#[test]
fn batches_answer_as_one_to_one_on_every_level() {
    let mut draw = Draw::new(3);
    for round in 0..200 {
        let count = round % 50;
        let (mut a, b) = (moving(round as u64, count), moving(round as u64 + 999, count));
        let first = a.first().copied().unwrap_or_default();
        for row in &mut a {
            match draw.0.random_range(0..8) {
                // Equally far.
                0 | 1 => *row = first,
                2 => row.aabb.min[draw.0.random_range(0..3)] = f32::NAN,
                3 if draw.one_in(2) => row.delta[draw.0.random_range(0..3)] = f32::INFINITY,
                _ => {}
            }
        }
        let one = if draw.one_in(3) { first.aabb } else { moving(5000 + round as u64, 1)[0].aabb };
        let max = draw.one_of(&[0.0, -0.0, 1e-44, 0.5, 1.0, 20.0, 1e6, 1e30, f32::INFINITY]);
        answers_are(&one, max, [&a, &b]);
        // At the distance of a box, which is included, and one step less, which is not.
        for at in a.iter().map(|row| of_row(&one, MISS, row)).filter(|&at| at < MISS).take(2) {
            answers_are(&one, at, [&a, &b]);
            answers_are(&one, at.next_down().max(0.0), [&a, &b]);
        }
    }
}

/// Goal: a call that fails writes nothing. Method: each wrong length, an invalid value, an invalid greatest
/// distance; the outputs are compared.
#[test]
fn failed_call_writes_nothing() {
    let (of_a, of_b) = (Columns::new(&moving(6, 40)), Columns::new(&moving(6, 39)));
    let good = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let bad = Aabb { min: [0.0, 2.0, 0.0], max: [1.0; 3] };
    for level in Level::all() {
        let [mut bad_a, mut bad_b] = [const { Vec::new() }; 2];
        let a = of_a.boxes().check(level, &mut bad_a);
        let b = of_b.boxes().check(level, &mut bad_b);
        let mut column = [-7.0; 40];
        let mut room = [Hit { row: 77, value: -7.0 }; 4];
        for (one, max, reason) in [
            (&bad, 1.0, Invalid::Inverted { axis: 1 }),
            (&good, -f32::from_bits(1), Invalid::MaxDistance),
            (&good, f32::NEG_INFINITY, Invalid::MaxDistance),
            (&good, f32::NAN, Invalid::MaxDistance),
        ] {
            let error = Err(BatchError::Invalid(reason));
            let to = Distances { distance: &mut column };
            assert_eq!(proximity::one_to_many(level, one, max, &a, to), error);
            let found = proximity::k_nearest(level, one, max, &a, &mut room);
            assert_eq!(found.map(|_| ()), error);
            assert_eq!(proximity::nearest(level, one, max, &a).map(|_| ()), error);
        }
        let to = Distances { distance: &mut column };
        let error = proximity::zip(level, &a, &a, f32::NAN, to);
        assert_eq!(error, Err(BatchError::Invalid(Invalid::MaxDistance)));
        let wrong =
            |what, found| Err(BatchError::Length(LengthMismatch { what, expected: 40, found }));
        let to = Distances { distance: &mut column[..39] };
        let error = proximity::one_to_many(level, &good, 1.0, &a, to);
        assert_eq!(error, wrong("the output `distance`", 39));
        let to = Distances { distance: &mut column };
        assert_eq!(proximity::zip(level, &a, &b, 1.0, to), wrong("the second side", 39));
        assert!(column.iter().all(|&x| x == -7.0) && room.iter().all(|hit| hit.row == 77));
    }
    assert_eq!(proximity::one_to_one(&good, &bad), Err(Invalid::Inverted { axis: 1 }));
    assert_eq!(proximity::one_to_one(&bad, &good), Err(Invalid::Inverted { axis: 1 }));
}
