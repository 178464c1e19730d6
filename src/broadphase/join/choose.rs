//! Chooses how to process a join, from a sample of its boxes.

use super::boxes::{KdBoxes, KdRows, SORTED_MAX};
use crate::broadphase::pairs::flags::{OF_FIRST, STILL};
use crate::par::sort_floats;

/// Comparisons per box up to which a set is compared without a division. Fuzz inputs are small and must be divided
/// too.
const LEAF_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 64.0 };
/// Number of comparisons that cost as much as copying a box once.
const COPY_WORK: f64 = if cfg!(fuzzing) { 0.5 } else { 24.0 };
/// Number of comparisons that cost as much as dividing a set of one box once, and as sorting a box.
const LEVEL_WORK: f64 = if cfg!(fuzzing) { 0.5 } else { 48.0 };
const SORT_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 128.0 };
/// Comparisons per box from which long boxes may be joined separately from the others.
const APART_WORK: f64 = if cfg!(fuzzing) { 3.0 } else { 512.0 };
/// The least share of long boxes for that, and the least share of boxes that cross the best plane.
const APART_SHARE: f64 = 0.125;
const CROSSING_SHARE: f64 = 0.04;
/// The share of boxes that must not move to be joined separately from the others before any division.
const STILL_SHARE: f64 = 0.75;
/// Greatest number of boxes in a sample, and how many boxes each of them represents.
const SAMPLE_MAX: usize = 64;
const SAMPLE_MIN: usize = 16;
const ROWS_PER_SAMPLE: usize = 16;
/// Greatest depth of divisions. A sample that was wrong that often is not used any longer.
pub(super) const DEPTH_MAX: u8 = 64;

/// How to process a join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SplitChoice {
    Compare,
    Sweep { axis: usize },
    Split { axis: usize, at: f32 },
    Apart { axis: usize, than: f32 },
    ByFlag(u32),
}

/// What is known of a join before a sample is taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KdHistory {
    /// Axes on which the boxes that cross a plane have been separated since the last plane there, one bit each.
    pub(super) apart: u8,
    /// Number of divisions.
    pub(super) depth: u8,
    /// Whether a sweep along an axis was too slow.
    pub(super) dense: bool,
}

/// Chooses how to process a join, from a sample of its boxes.
#[inline(never)]
pub(super) fn choose(
    boxes: &KdBoxes,
    (a, b, same): (KdRows, KdRows, bool),
    KdHistory { apart, depth, dense }: KdHistory,
) -> SplitChoice {
    let rows = (if same { a.len } else { a.len + b.len }) as f64;
    let work = a.len as f64 * b.len as f64 * if same { 0.5 } else { 1.0 };
    if work <= LEAF_WORK * rows || depth >= DEPTH_MAX {
        return SplitChoice::Compare;
    }
    // Boxes of one set are never pairs. Boxes that do not move are not either, but the others are then in two joins.
    if depth == 0 {
        for (flag, share) in [(STILL, STILL_SHARE), (OF_FIRST, 0.0)] {
            let flagged = boxes.flagged(a, flag);
            if flagged < a.len && flagged as f64 > share * a.len as f64 {
                return SplitChoice::ByFlag(flag);
            }
        }
    }
    if !dense && let Some(axis) = sweep_axis(boxes, (a, b, same), work, rows) {
        return SplitChoice::Sweep { axis };
    }
    let mut best = (0.0, SplitChoice::Compare);
    let mut long = (APART_SHARE, SplitChoice::Compare);
    let mut copied = 1.0;
    for axis in 0..3 {
        let of_a = Sampled::new(boxes, a, axis);
        let of_b = if same { of_a } else { Sampled::new(boxes, b, axis) };
        let Some(planes) = of_a.planes(&of_b, same) else {
            continue;
        };
        for at in planes {
            let ([a_left, a_right], [b_left, b_right]) = (of_a.sides(at), of_b.sides(at));
            let kept = a_left * b_left + a_right * b_right;
            let copies = ((a_left + a_right) * a.len as f64
                + if same { 0.0 } else { (b_left + b_right) * b.len as f64 })
                / rows;
            let saved = (1.0 - kept) * work - COPY_WORK * copies * rows;
            if saved > best.0 {
                best = (saved, SplitChoice::Split { axis, at });
                copied = copies;
            }
        }
        let [.., first_quarter, last_quarter] = planes;
        let than = (last_quarter - first_quarter) * 0.5;
        // For either set: if all boxes or none are long, separating them changes nothing.
        for share in [of_a.longer(than), of_b.longer(than)] {
            if apart & 1 << axis == 0 && share > long.0 && share < 1.0 - APART_SHARE {
                long = (share, SplitChoice::Apart { axis, than });
            }
        }
    }
    let crowded = best.1 == SplitChoice::Compare || copied > 1.0 + CROSSING_SHARE;
    if crowded && work > APART_WORK * rows && long.1 != SplitChoice::Compare {
        return long.1;
    }
    // Most of the boxes overlap, but those of them that do not move are not pairs.
    let mixed = |rows: KdRows| (1..rows.len).contains(&boxes.flagged(rows, STILL));
    if best.1 == SplitChoice::Compare && (mixed(a) || mixed(b)) {
        return SplitChoice::ByFlag(STILL);
    }
    best.1
}

/// Returns the axis along which a sweep is cheaper than divisions, if there is one.
fn sweep_axis(
    boxes: &KdBoxes,
    (a, b, same): (KdRows, KdRows, bool),
    work: f64,
    rows: f64,
) -> Option<usize> {
    if a.len.max(b.len) > SORTED_MAX {
        return None;
    }
    // Each division halves the comparisons of a box at best.
    let (mut divided, mut left) = (LEAF_WORK, work / rows);
    while left > LEAF_WORK {
        (divided, left) = (divided + LEVEL_WORK, left * 0.5);
    }
    let most = (divided - SORT_WORK) * rows / work;
    let mut best = (most, None);
    for axis in 0..3 {
        if best.0 <= 0.0 {
            break;
        }
        let of_a = Sampled::new(boxes, a, axis);
        let share = if same {
            of_a.meeting(&of_a, true)
        } else {
            of_a.meeting(&Sampled::new(boxes, b, axis), false)
        };
        if share < best.0 {
            best = (share, Some(axis));
        }
    }
    best.1
}

/// Ends of some boxes on one axis.
#[derive(Clone, Copy)]
struct Sampled {
    low: [f32; SAMPLE_MAX],
    high: [f32; SAMPLE_MAX],
    len: usize,
}

impl Sampled {
    fn new(boxes: &KdBoxes, rows: KdRows, axis: usize) -> Self {
        let len = (rows.len / ROWS_PER_SAMPLE).clamp(SAMPLE_MIN, SAMPLE_MAX).min(rows.len);
        let mut sampled = Self { low: [0.0; SAMPLE_MAX], high: [0.0; SAMPLE_MAX], len };
        for k in 0..len {
            let row = rows.start + (k as u64 * rows.len as u64 / len as u64) as usize;
            sampled.low[k] = boxes.bounds[axis][row];
            sampled.high[k] = boxes.bounds[3 + axis][row];
        }
        sampled
    }

    /// Returns planes that may divide both sets, each at the start of a box; `None` if all boxes start at one
    /// coordinate.
    fn planes(&self, other: &Self, same: bool) -> Option<[f32; 4]> {
        let mut starts = [0.0; 2 * SAMPLE_MAX];
        starts[..self.len].copy_from_slice(&self.low[..self.len]);
        let mut len = self.len;
        if !same {
            starts[len..len + other.len].copy_from_slice(&other.low[..other.len]);
            len += other.len;
        }
        let starts = &mut starts[..len];
        sort_floats(starts);
        // A box that starts at a plane is right of it, so a plane at the least start divides nothing.
        let least = starts[0];
        let after = |at: usize| starts[at..].iter().copied().find(|&start| start > least);
        let median = after(len / 2)?;
        let next = starts[len / 2..].iter().copied().find(|&start| start > median);
        let next = next.unwrap_or(median);
        Some([median, next, after(len / 4)?, after(len * 3 / 4).unwrap_or(median)])
    }

    /// Returns the share of pairs that overlap on the axis. If both samples are the same, a box is no pair with itself.
    fn meeting(&self, other: &Self, same: bool) -> f64 {
        let mut count = 0;
        for (&low, &high) in self.low[..self.len].iter().zip(&self.high[..self.len]) {
            for (&their_low, &their_high) in other.low[..other.len].iter().zip(&other.high) {
                count += u32::from(their_low <= high) & u32::from(low <= their_high);
            }
        }
        let itself = if same { self.len as f64 } else { 0.0 };
        let all = self.len as f64 * other.len as f64 - itself;
        (f64::from(count) - itself) / all.max(1.0)
    }

    /// Returns the share of boxes that are longer than this.
    fn longer(&self, than: f32) -> f64 {
        let ends = self.low[..self.len].iter().zip(&self.high);
        let count = ends.filter(|&(low, high)| high - low > than).count();
        count as f64 / self.len.max(1) as f64
    }

    /// Returns the shares of boxes left and right of a plane. A box that crosses it counts on both sides.
    fn sides(&self, at: f32) -> [f64; 2] {
        let (mut left, mut right) = (0, 0);
        for (&low, &high) in self.low[..self.len].iter().zip(&self.high[..self.len]) {
            left += u32::from(low < at);
            right += u32::from(high >= at);
        }
        [left, right].map(|count| f64::from(count) / self.len.max(1) as f64)
    }
}
