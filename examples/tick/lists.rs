//! Are these the pairs recorded beside a tick?
//!
//! Three lists: pairs that overlap at the start, union pairs and swept pairs. The start is met
//! exactly. Of the union no pair may be missing; one too many is right only where rounding the
//! ends of the two paths outwards makes their bounds meet. Swept pairs are compared in `check.rs`.

use swath::{Level, MovingBox, MovingBoxColumns, Pair, PairFinder};

use super::check::{differences, equal, none_missing, show};
use scenes::trace::PairLists;

pub(super) fn pairs(list: &[(u32, u32)]) -> Vec<Pair> {
    list.iter().map(|&(a, b)| Pair { a, b }).collect()
}

/// Compares the pairs that overlap at the start, and returns how many: the union pairs of the
/// same boxes at rest.
pub(super) fn start(
    boxes: MovingBoxColumns<'_>,
    wanted: &PairLists,
    level: Level,
) -> Result<usize, String> {
    let columns = boxes.columns();
    let [min, max] = [0, 3].map(|first| [columns[first], columns[first + 1], columns[first + 2]]);
    let rest = vec![0.0; boxes.len()];
    let boxes = MovingBoxColumns::new(min, max, [&rest; 3]).map_err(|error| error.to_string())?;
    let mut finder = PairFinder::with_level(level);
    let found = finder.union_pairs(boxes).map_err(|error| error.to_string())?;
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
        if !meet(a, b, 1.0) || meet(a, b, -1.0) {
            let pair = show(pair);
            return Err(format!("union pair {pair} is too many, and by more than rounding"));
        }
    }
    Ok(extra.len())
}

/// Whether the boxes around two paths meet once the ends of the paths are moved outwards by so
/// many steps: the distance of two `f32` there. The start is no sum and stays where it is.
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

/// From the magnitude of `x` as an `f32` to the next one.
fn step(x: f64) -> f64 {
    let x = (x as f32).abs();
    f64::from(x.next_up()) - f64::from(x)
}
