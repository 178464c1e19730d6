//! Tests of the positions of moving boxes at given times.

use swath::batch::sweep::{MISS, positions};
use swath::batch::{BatchError, ContactState, LengthMismatch, sweep};
use swath::{Aabb, COORD_MAX, Level, MovingBox};
use testkit::cases::cases;
use testkit::columns::Columns;
use testkit::places::moving;

/// The contents of an output before it is written.
const UNWRITTEN: f32 = -7.0;

const TIMES: [f32; 16] = [
    0.0,
    1.0,
    0.5,
    1.0 / 3.0,
    MISS,
    f32::NAN,
    -f32::NAN,
    -1.0,
    f32::NEG_INFINITY,
    2.0,
    f32::from_bits(1),
    1.0 - f32::EPSILON / 2.0,
    1.0 + f32::EPSILON,
    -0.0,
    f32::MIN_POSITIVE,
    0.7,
];

/// The bits of row `row` of six columns.
fn row(columns: &[Vec<f32>; 6], row: usize) -> [u32; 6] {
    std::array::from_fn(|k| columns[k][row].to_bits())
}

fn bits(Aabb { min: [a, b, c], max: [d, e, f] }: Aabb) -> [u32; 6] {
    [a, b, c, d, e, f].map(f32::to_bits)
}

fn ask(
    level: Level,
    boxes: &[MovingBox],
    times: &[f32],
    lengths: [usize; 6],
) -> (Result<(), BatchError>, [Vec<f32>; 6]) {
    let columns = Columns::new(boxes);
    let mut rejected = Vec::new();
    let checked = columns.boxes().check(level, &mut rejected);
    let mut out = lengths.map(|length| vec![UNWRITTEN; length]);
    let answer = positions(level, &checked, times, out.each_mut().map(|column| &mut column[..]));
    (answer, out)
}

/// Goal: every row has the bits of the plain value, and an invalid row is zero. Method: every level, every
/// number of rows near the number of lanes, an invalid row at every position, every kind of time.
#[test]
fn every_level_gives_the_bits_of_the_plain_value() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let still = MovingBox::from(Aabb { min: [-1.0; 3], max: [1.0; 3] });
    let mut bad = [still; 5];
    bad[0].aabb.min[1] = nan;
    bad[1].delta[2] = inf;
    bad[2].aabb.max[0] = -inf;
    bad[3].aabb.min[2] = 2.0;
    bad[4].delta[0] = COORD_MAX.next_up();
    for rows in 0..=40 {
        for spoilt in 0..rows + 1 {
            let mut boxes = moving((rows * 50 + spoilt) as u64, rows);
            if spoilt < rows {
                boxes[spoilt] = bad[(rows + spoilt) % bad.len()];
            }
            let times: Vec<_> = (0..rows).map(|k| TIMES[(k + spoilt) % TIMES.len()]).collect();
            for level in Level::all() {
                let (answer, out) = ask(level, &boxes, &times, [rows; 6]);
                assert_eq!(answer, Ok(()));
                for (k, (moving, &t)) in boxes.iter().zip(&times).enumerate() {
                    let valid = moving.validate().is_ok();
                    let expected = if valid { bits(moving.at(t)) } else { [0; 6] };
                    assert_eq!(row(&out, k), expected, "{level}, {moving:?} at {t}");
                }
            }
        }
    }
}

/// Goal: a position has at most two rounding errors; a box stays valid, and is never NaN. Method: hostile
/// boxes, all times, in `f64`, where the product of two floats is exact.
#[test]
fn position_has_at_most_two_rounding_errors() {
    for (k, moving) in moving(1, 200_000).into_iter().enumerate() {
        let t = TIMES[k % TIMES.len()];
        let share = f64::from(if t.is_nan() { 1.0 } else { t.clamp(0.0, 1.0) });
        let at = moving.at(t);
        for axis in 0..3 {
            let by = f64::from(moving.delta[axis]) * share;
            let half = |x: f64| x.abs() / f64::from(1 << 24) + f64::from(f32::from_bits(1)) / 2.0;
            let corners =
                [(moving.aabb.min[axis], at.min[axis]), (moving.aabb.max[axis], at.max[axis])];
            for (from, to) in corners {
                let meant = f64::from(from) + by;
                let slack = half(by) + half(meant) * 1.000_001;
                assert!((f64::from(to) - meant).abs() <= slack, "{moving:?} at {t}");
                if share == 0.0 {
                    assert_eq!(to, from);
                } else if share == 1.0 {
                    assert_eq!(to, from + moving.delta[axis]);
                }
            }
            assert!(at.min[axis] <= at.max[axis], "{moving:?} at {t}");
            assert!(at.max[axis].abs() <= 2.0 * COORD_MAX, "{moving:?} at {t}");
        }
    }
    let whole = Aabb { min: [-COORD_MAX; 3], max: [COORD_MAX; 3] };
    let farthest = MovingBox { aabb: whole, delta: [COORD_MAX; 3] }.at(MISS);
    assert_eq!(farthest, Aabb { min: [0.0; 3], max: [2.0 * COORD_MAX; 3] });
}

/// Goal: at the first time of a hit two boxes touch, except for rounding. Method: hostile pairs that touch
/// during the tick, both moved to that time; the gap is at most the errors of times and positions.
#[test]
fn at_the_first_time_boxes_touch() {
    let mut touched = 0;
    for case in cases(2, 200_000) {
        let sweep = sweep::one_to_one(&case.a, &case.b).expect("both are boxes");
        if sweep.contact.state() != ContactState::Touching {
            continue;
        }
        touched += 1;
        let (a, b) = (case.a.at(sweep.first), case.b.at(sweep.first));
        // Greatest gap of the boxes on an axis: a first time is early by 2⁻²¹ of itself, a false hit doubles
        // that, and so do axes that count as tied. A position has an error of a unit in its last place, of
        // which 2⁻²⁴ is half.
        let slack = |axis: usize| {
            let [from, to] = [case.a.delta[axis], case.b.delta[axis]].map(f64::from);
            let time = f64::from(sweep.first) / f64::from(1 << 19) + f64::from(f32::MIN_POSITIVE);
            let places = [a.min, a.max, b.min, b.max].map(|corner| f64::from(corner[axis]));
            let largest = places.into_iter().chain([from, to]).map(f64::abs).fold(0.0, f64::max);
            let place = largest * 4.0 / f64::from(1 << 24) + 4.0 * f64::from(f32::from_bits(1));
            (to - from).abs() * time + place
        };
        let gaps = |axis: usize| {
            let [a_min, a_max] = [a.min[axis], a.max[axis]].map(f64::from);
            let [b_min, b_max] = [b.min[axis], b.max[axis]].map(f64::from);
            [a_min - b_max, b_min - a_max]
        };
        for axis in 0..3 {
            let [below, above] = gaps(axis);
            assert!(below.max(above) <= slack(axis), "apart on {axis}: {case:?}");
        }
        // On the axis that is entered last, the overlap is not greater than that either.
        let axis = sweep.contact.axis().expect("a pair that touches has an axis");
        let meant = spec::sweep(&case.a, &case.b).expect("both are boxes");
        if !meant.contact.is_hit() && sweep.first == 0.0 {
            // The boxes separated before the start by less than a float can represent.
            continue;
        }
        let ([below, above], rises) = (gaps(axis), case.b.delta[axis] > case.a.delta[axis]);
        let gap = if rises { below } else { above };
        assert!(gap >= -slack(axis), "{gap:e} on {axis}: {case:?}");
    }
    assert!(touched > 20_000, "{touched}");
}

/// Goal: a wrong length changes nothing. Method: each of them.
#[test]
fn failed_call_writes_nothing() {
    let names = ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z"];
    let boxes = moving(3, 20);
    for level in Level::all() {
        for (wrong, name) in names.into_iter().enumerate() {
            for found in [0, 19, 21] {
                let mut lengths = [20; 6];
                lengths[wrong] = found;
                let (answer, out) = ask(level, &boxes, &[0.5; 20], lengths);
                let Err(BatchError::Length(LengthMismatch { what, expected: 20, found: told })) =
                    answer
                else {
                    panic!("{answer:?}");
                };
                assert!(what.contains(name) && told == found, "{what}");
                assert!(out.iter().flatten().all(|&x| x == UNWRITTEN));
            }
        }
        let (answer, out) = ask(level, &boxes, &[0.5; 19], [20; 6]);
        let error = LengthMismatch { what: "`times`", expected: 20, found: 19 };
        assert_eq!(answer, Err(BatchError::Length(error)));
        assert!(out.iter().flatten().all(|&x| x == UNWRITTEN));
    }
}
