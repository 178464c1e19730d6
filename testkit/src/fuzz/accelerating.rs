//! Sweeps under acceleration agree with `spec`, and with each other on every level.

use super::bytes::Bytes;
use crate::columns::{Outputs, bits};
use crate::finite::assert_finite;
use swath::batch::sweep::{Sweep, accelerating};
use swath::batch::{AcceleratingBox, AcceleratingBoxColumns, ContactState, Rejected};
use swath::{Level, MovingBox, Pair};

/// One byte is the number of rows: up to two groups of the widest lanes, and one more.
const ROWS_MAX: u8 = 33;

/// Sweeps the first row with all rows, row by row with those in reverse, and rows with each other.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % ROWS_MAX;
    let (mut moving, mut rows, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..u32::from(count) {
        moving.push(bytes.row(&moving));
        rows.push(row_under_acceleration(&mut bytes, &moving));
        pairs.push(Pair { a: row, b: u32::from(bytes.byte() % count) });
    }
    let reversed: Vec<_> = rows.iter().rev().copied().collect();

    let a = rows[0];
    let many: Vec<_> = rows.iter().map(|b| bits(one_to_one(&a, b))).collect();
    let zipped: Vec<_> = rows.iter().zip(&reversed).map(|(a, b)| bits(one_to_one(a, b))).collect();
    let of = |pair: &Pair| one_to_one(&rows[pair.a as usize], &rows[pair.b as usize]);
    let of_pairs: Vec<_> = pairs.iter().map(|pair| bits(of(pair))).collect();

    let (columns, others) = (columns(&rows), columns(&reversed));
    for level in Level::all() {
        let (mut rejected, mut of_others) = (Vec::new(), Vec::new());
        let checked = lend(&columns).check(level, &mut rejected);
        let others = lend(&others).check(level, &mut of_others);
        assert_eq!(checked.rejected(), no_boxes(&rows), "{level}");
        let mut answers = Outputs::new(rows.len());
        match accelerating::one_to_many(level, &a, &checked, answers.answers()) {
            Ok(()) => assert_eq!(answers.bits(), many, "{level}"),
            Err(error) => {
                assert_eq!(Err(error), a.validate().map_err(Into::into), "{level}");
                assert!(answers.is_unwritten(), "{level}");
            }
        }
        let swept = accelerating::zip(level, &checked, &others, answers.answers());
        assert_eq!((swept, answers.bits()), (Ok(()), zipped.clone()), "{level}");
        let swept = accelerating::pairs(level, &checked, &pairs, answers.answers());
        assert_eq!((swept, answers.bits()), (Ok(()), of_pairs.clone()), "{level}");
    }
}

/// The last of `moving`, with an acceleration: zero, the displacement of a row, or a part of its own.
fn row_under_acceleration(bytes: &mut Bytes<'_>, moving: &[MovingBox]) -> AcceleratingBox {
    let last = *moving.last().expect("one was pushed");
    let how = bytes.byte();
    let like = moving[usize::from(how / 8) % moving.len()].delta;
    let accel = match how % 8 {
        0 => [0.0; 3],
        1 => like,
        2 => like.map(|x| -2.0 * x),
        3 => last.delta.map(|x| -2.0 * x),
        4 => last.delta.map(|x| -1.5 * x),
        5 => last.delta.map(|x| x * 1e-5),
        6 => last.aabb.min,
        _ => [(); 3].map(|()| f32::from(bytes.byte().cast_signed()) * 0.5),
    };
    AcceleratingBox { accel, ..last.into() }
}

fn columns(rows: &[AcceleratingBox]) -> [Vec<f32>; 12] {
    let numbers = |row: &AcceleratingBox| {
        let AcceleratingBox { aabb, delta, accel } = *row;
        let mut numbers = [aabb.min, aabb.max, delta, accel].into_iter().flatten();
        std::array::from_fn::<f32, 12, _>(|_| numbers.next().unwrap_or_default())
    };
    std::array::from_fn(|k| rows.iter().map(|row| numbers(row)[k]).collect())
}

fn lend(columns: &[Vec<f32>; 12]) -> AcceleratingBoxColumns<'_> {
    AcceleratingBoxColumns::from_columns(columns.each_ref().map(|column| &column[..]))
        .expect("the columns are equally long")
}

/// The rows that a check must reject.
fn no_boxes(rows: &[AcceleratingBox]) -> Vec<Rejected> {
    let reason = |(row, moving): (u32, &AcceleratingBox)| {
        let reason = moving.validate().err()?;
        Some(Rejected { row, reason })
    };
    (0..).zip(rows).filter_map(reason).collect()
}

/// The result for one pair: never after that of `spec`, and boxes enlarged by the rounding error touch at it;
/// separated if one is invalid.
fn one_to_one(a: &AcceleratingBox, b: &AcceleratingBox) -> Sweep {
    let answer = accelerating::one_to_one(a, b);
    let spec = match spec::accelerating(a, b) {
        Ok(spec) => spec,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return Sweep::SEPARATED;
        }
    };
    let answer = answer.expect("`spec` says that both are boxes");
    let text = format!("{answer:?} for {spec:?}: {a:?}, {b:?}");
    if !answer.contact.is_hit() {
        assert_eq!(answer, Sweep::SEPARATED);
        // A graze of `spec` may be an effect of its own rounding.
        assert!(!spec.contact.is_hit() || gap(a, b, spec.first) > 0.0, "{text}");
        return answer;
    }
    assert_finite(&answer);
    let (first, last) = (f64::from(answer.first), f64::from(answer.last));
    assert!((0.0..=1.0).contains(&first) && first <= last && last <= 1.0, "{text}");
    for t in [first, last, 0.5 * (first + last)] {
        assert!(gap(a, b, t) <= GROWN, "{text}");
    }
    if spec.contact.is_hit() {
        // The time of a graze may differ in `spec` by the square root of 2⁻⁵².
        assert!(first <= spec.first + 1e-7, "{text}");
        let graze = last <= spec.first;
        assert!(graze || last >= spec.last - 1e-7 || gap(a, b, spec.last) > 0.0, "{text}");
    } else {
        assert_eq!(answer.contact.state(), ContactState::Touching, "{text}");
    }
    if spec.contact.state() == ContactState::Overlapping {
        assert_eq!((answer.first, answer.contact), (0.0, spec.contact), "{text}");
    }
    assert!(
        answer.contact.state() != ContactState::Touching || answer.contact.axis().is_some(),
        "{text}"
    );
    answer
}

/// Rounding error relative to position and motion; a little more than the bound of the kernel.
const GROWN: f64 = 49.0 / (1 << 24) as f64;

/// By how much boxes must be enlarged to touch at `t`, relative to position and motion.
fn gap(a: &AcceleratingBox, b: &AcceleratingBox, t: f64) -> f64 {
    let difference = |x: f32, y: f32| f64::from(x) - f64::from(y);
    let needed = |axis: usize| {
        let d = difference(b.delta[axis], a.delta[axis]);
        let g = difference(b.accel[axis], a.accel[axis]);
        let below = difference(a.aabb.min[axis], b.aabb.max[axis]);
        let above = difference(a.aabb.max[axis], b.aabb.min[axis]);
        let x = d * t + 0.5 * g * t * t;
        let part = |off: f64, face: f64| {
            if off > 0.0 { off / (face.abs() + d.abs() + g.abs()) } else { 0.0 }
        };
        part(below - x, below).max(part(x - above, above))
    };
    (0..3).map(needed).fold(0.0, f64::max)
}
