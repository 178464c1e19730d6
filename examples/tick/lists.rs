//! Are these the pairs recorded beside a tick?
//!
//! Three lists: pairs that overlap at the start, union pairs and swept pairs. The start is met
//! exactly. Of the union no pair may be missing; one too many is right only where rounding the
//! ends of the two paths outwards makes their bounds meet. Swept pairs are compared in `check.rs`.

use swath::{Boxes, Level, MovingBox, Pair, PairFinder};

use super::check::{differences, equal, none_missing, show};
use super::worlds::trace::PairLists;

pub(super) fn pairs(list: &[(u32, u32)]) -> Vec<Pair> {
    list.iter().map(|&(a, b)| Pair { a, b }).collect()
}

/// Compares the pairs that overlap at the start, and returns how many: the union pairs of the
/// same boxes at rest.
pub(super) fn start(boxes: Boxes<'_>, wanted: &PairLists, level: Level) -> Result<usize, String> {
    let columns = boxes.columns();
    let [min, max] = [0, 3].map(|first| [columns[first], columns[first + 1], columns[first + 2]]);
    let rest = vec![0.0; boxes.len()];
    let boxes = Boxes::new(min, max, [&rest; 3]).map_err(|error| error.to_string())?;
    let mut finder = PairFinder::with_level(level);
    let found = finder
        .union_pairs(boxes, None)
        .map_err(|error| error.to_string())?;
    let found = found.sorted();
    equal("start", &pairs(&wanted.start), found)?;
    Ok(found.len())
}

/// Compares the union pairs, and returns how many are there by rounding alone.
pub(super) fn union(
    rows: &[MovingBox],
    wanted: &PairLists,
    found: &[Pair],
) -> Result<usize, String> {
    let (missing, extra) = differences(&pairs(&wanted.union), found);
    none_missing("union", &missing)?;
    for pair in &extra {
        let [a, b] = [pair.a, pair.b].map(|row| &rows[row as usize]);
        if !(0..3).all(|axis| meet_by_rounding(a, b, axis)) {
            return Err(format!(
                "union pair {} is too many, even with rounding",
                show(pair)
            ));
        }
    }
    Ok(extra.len())
}

/// Whether the paths of two boxes meet on an axis once each end is moved outwards by the
/// distance of two `f32` there.
fn meet_by_rounding(a: &MovingBox, b: &MovingBox, axis: usize) -> bool {
    let path = |moving: &MovingBox| {
        let delta = f64::from(moving.delta[axis]);
        let low = f64::from(moving.aabb.min[axis]) + delta.min(0.0);
        let high = f64::from(moving.aabb.max[axis]) + delta.max(0.0);
        [low - step(low), high + step(high)]
    };
    let ([a_low, a_high], [b_low, b_high]) = (path(a), path(b));
    a_low <= b_high && b_low <= a_high
}

/// From the magnitude of `x` as an `f32` to the next one.
fn step(x: f64) -> f64 {
    let x = (x as f32).abs();
    f64::from(x.next_up()) - f64::from(x)
}
