//! Compares the pairs of a tick with those recorded beside it.
//!
//! There are three lists: pairs that overlap at the start, union pairs and swept pairs. Pairs at the start
//! must be equal. No union pair may be missing, and an additional one is correct only if rounding the ends of
//! the two paths outwards makes their bounds overlap. Swept pairs are compared in `check.rs`.

use swath::{Level, MovingBox, MovingBoxColumns, Pair, PairFinder};

use super::check::{differences, equal, none_missing, show};
use scenes::trace::PairLists;

pub(super) fn pairs(list: &[(u32, u32)]) -> Vec<Pair> {
    list.iter().map(|&(a, b)| Pair { a, b }).collect()
}

/// Compares the pairs that overlap at the start, and returns their number. They are the union pairs of the
/// same boxes without displacements.
pub(super) fn start(
    boxes: MovingBoxColumns<'_>,
    wanted: &PairLists,
    level: Level,
) -> Result<usize, String> {
    let columns = boxes.columns();
    let [min, max] = [0, 3].map(|first| [columns[first], columns[first + 1], columns[first + 2]]);
    let rest = vec![0.0; boxes.len()];
    let boxes = MovingBoxColumns::new(min, max, [&rest; 3]).map_err(|error| error.to_string())?;
    let mut finder = PairFinder::with_exec(level);
    let found = finder.union_pairs(boxes).map_err(|error| error.to_string())?;
    let found = found.sorted();
    equal("start", &pairs(&wanted.start), found)?;
    Ok(found.len())
}

/// Compares the union pairs, and returns how many are found only because of rounding.
pub(super) fn union(
    rows: &[MovingBox],
    wanted: &PairLists,
    found: &[Pair],
) -> Result<usize, String> {
    let (missing, extra) = differences(&pairs(&wanted.union), found);
    none_missing("union", &missing)?;
    for pair in &extra {
        let [a, b] = [pair.a, pair.b].map(|row| &rows[row as usize]);
        if !meet(a, b, 1.0) || meet(a, b, -1.0) {
            let pair = show(pair);
            return Err(format!("union pair {pair} is wrong by more than rounding"));
        }
    }
    Ok(extra.len())
}

/// Whether the boxes around two paths overlap after the ends of the paths are moved outwards by `steps`
/// neighbouring `f32`. The start is not a sum, so it is not moved.
fn meet(a: &MovingBox, b: &MovingBox, steps: f64) -> bool {
    let path = |moving: &MovingBox, axis: usize| {
        let [low, high] = [moving.aabb.min, moving.aabb.max].map(|corner| f64::from(corner[axis]));
        let delta = f64::from(moving.delta[axis]);
        let outwards = |end: f64| steps * step(end) * delta.signum();
        let end = |start: f64| start + delta + outwards(start + delta);
        if delta < 0.0 {
            [low.min(end(low)), high]
        } else if delta > 0.0 {
            [low, high.max(end(high))]
        } else {
            [low, high]
        }
    };
    (0..3).all(|axis| {
        let ([a_low, a_high], [b_low, b_high]) = (path(a, axis), path(b, axis));
        a_low <= b_high && b_low <= a_high
    })
}

/// Distance from the magnitude of `x` as an `f32` to the next larger one.
fn step(x: f64) -> f64 {
    let x = (x as f32).abs();
    f64::from(x.next_up()) - f64::from(x)
}
