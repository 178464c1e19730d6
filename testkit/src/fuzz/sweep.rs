//! Sweeps agree with `spec`, and with each other on every level.

use super::bytes::Bytes;
use crate::columns::{Columns, Outputs, bits};
use crate::finite::assert_finite;
use swath::batch::sweep::Sweep;
use swath::batch::{ContactState, Rejected, sweep};
use swath::{Level, MovingBox, Pair};

/// One byte is the number of rows: up to three groups of the widest lanes.
const ROWS_MAX: u8 = 48;

/// Sweeps the first row with all rows, and rows with each other.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % ROWS_MAX;
    let mut rows = Vec::new();
    let mut pairs = Vec::new();
    for row in 0..u32::from(count) {
        rows.push(bytes.row(&rows));
        pairs.push(Pair { a: row, b: u32::from(bytes.byte() % count) });
    }

    let a = rows[0];
    let many: Vec<_> = rows.iter().map(|b| bits(one_to_one(&a, b))).collect();
    let of = |pair: &Pair| one_to_one(&rows[pair.a as usize], &rows[pair.b as usize]);
    let of_pairs: Vec<_> = pairs.iter().map(|pair| bits(of(pair))).collect();

    let columns = Columns::new(&rows);
    for level in Level::all() {
        let mut rejected = Vec::new();
        let checked = columns.boxes().check(level, &mut rejected);
        assert_eq!(checked.rejected(), no_boxes(&rows), "{level}");
        let mut answers = Outputs::new(rows.len());
        match sweep::one_to_many(level, &a, &checked, answers.answers()) {
            Ok(()) => assert_eq!(answers.bits(), many, "{level}"),
            Err(error) => {
                assert_eq!(Err(error), a.validate().map_err(Into::into), "{level}");
                assert!(answers.is_unwritten(), "{level}");
            }
        }
        let mut answers = Outputs::new(pairs.len());
        let swept = sweep::pairs(level, &checked, &pairs, answers.answers());
        assert_eq!(swept, Ok(()), "{level}");
        assert_eq!(answers.bits(), of_pairs, "{level}");
    }
}

/// The rows that a check must reject.
pub(super) fn no_boxes(rows: &[MovingBox]) -> Vec<Rejected> {
    let reason = |(row, moving): (u32, &MovingBox)| {
        let reason = moving.validate().err()?;
        Some(Rejected { row, reason })
    };
    (0..).zip(rows).filter_map(reason).collect()
}

/// The result for one pair, which must be that of `spec` except for rounding; separated if one is invalid.
fn one_to_one(a: &MovingBox, b: &MovingBox) -> Sweep {
    let answer = sweep::one_to_one(a, b);
    let spec = match spec::sweep(a, b) {
        Ok(spec) => spec,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return Sweep::SEPARATED;
        }
    };
    let answer = answer.expect("`spec` says that both are boxes");
    let state = answer.contact.state();
    if !spec.contact.is_hit() {
        let narrow = state == ContactState::Touching && is_narrow(&spec);
        assert!(narrow || answer == Sweep::SEPARATED, "{answer:?} for {spec:?}: {a:?}, {b:?}");
        return answer;
    }
    assert_finite(&answer);
    assert_eq!(state, spec.contact.state(), "{a:?}, {b:?}");
    assert_eq!(answer.contact.is_closing(), spec.contact.is_closing(), "{a:?}, {b:?}");
    assert_eq!(answer.contact.is_surface(), spec.contact.is_surface(), "{a:?}, {b:?}");
    let named = answer.contact.axis_mask();
    assert_eq!(named & spec.contact.axis_mask(), spec.contact.axis_mask(), "{a:?}, {b:?}");
    let (first, last) = (f64::from(answer.first), f64::from(answer.last));
    assert!((0.0..=1.0).contains(&first) && (0.0..=1.0).contains(&last), "{answer:?}");
    assert!(first - spec.first <= SPEC * first, "{answer:?} for {spec:?}: {a:?}, {b:?}");
    assert!(spec.last - last <= SPEC * last, "{answer:?} for {spec:?}: {a:?}, {b:?}");
    assert!(spec.first - first <= slack(spec.first), "{answer:?} for {spec:?}: {a:?}, {b:?}");
    assert!(last - spec.last <= slack(spec.last), "{answer:?} for {spec:?}: {a:?}, {b:?}");
    answer
}

/// Error of a time of `spec`.
const SPEC: f64 = 1.0 / (1_u64 << 50) as f64;

/// How far a time may be on the safe side.
fn slack(time: f64) -> f64 {
    time / f64::from(1 << 21) + f64::from(f32::MIN_POSITIVE)
}

/// Whether a pair that never touches misses by no more than the errors of both times.
pub(super) fn is_narrow(spec: &spec::Sweep) -> bool {
    spec.margin >= -2.0 * slack(1.0)
}
