//! Chooses how to process a join, from the boxes alone: from samples of them, and from the flags and lengths of all or many.

use super::bitmaps::{BLOCK, EndIntervals};
use super::boxes::KdRows;
use super::sample::{JoinSets, Sampled};
use super::sort_keys::SORTED_MAX;
use crate::broadphase::pairs::flags::{OF_FIRST, STILL};

/// Comparisons per box up to which a set is compared without a division. Fuzz inputs are small and must be divided
/// too.
pub(super) const LEAF_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 64.0 };
/// Number of comparisons that cost as much as testing a box with the bitmaps of a block.
const BITMAP_WORK: f64 = if cfg!(fuzzing) { 1.5 } else { 64.0 };
/// Number of comparisons that cost as much as comparing a pair that the bitmaps leave.
const LEFT_WORK: f64 = if cfg!(fuzzing) { 0.5 } else { 32.0 };
/// Number of comparisons that cost as much as computing the bitmaps of a block, for each of its boxes.
const BUILD_WORK: f64 = if cfg!(fuzzing) { 0.02 } else { 200.0 };
/// Number of comparisons that cost as much as copying a box once.
const COPY_WORK: f64 = if cfg!(fuzzing) { 0.5 } else { 24.0 };
/// Number of comparisons that cost as much as dividing a set of one box once.
const LEVEL_WORK: f64 = if cfg!(fuzzing) { 0.5 } else { 48.0 };
/// Number of comparisons that cost as much as sorting a box.
const SORT_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 128.0 };
/// Comparisons per box from which long boxes may be joined separately from the others.
const APART_WORK: f64 = if cfg!(fuzzing) { 3.0 } else { 512.0 };
/// That is done if it leaves at least this share of the pairs to a sweep of the short boxes.
const SHORT_SHARE: f64 = 0.25;
/// A box is short if it is shorter than this part of the interquartile range.
pub(crate) const SHORT_PART: f32 = 1.0 / 16.0;
/// Before a sweep, the longer boxes are looked for in the whole set, or in about 4,096 boxes of a list of places. If they are less than this share, the sample may have missed them.
const MISSED_SHARE: f64 = 0.25;
/// Such boxes are joined separately if they need this many comparisons per box.
const MISSED_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 32.0 };
/// The same as [`MISSED_SHARE`] for more long boxes, so that more boxes are copied and sorted once more.
const MANY_SHARE: f64 = 0.5;
/// The same as [`MISSED_WORK`] for these.
const MANY_WORK: f64 = if cfg!(fuzzing) { 1.0 } else { 96.0 };
/// Where neither a sweep nor a plane is good, boxes that are longer than this part of the interquartile range are joined separately.
const LONG_PART: f32 = 0.5;
/// Least share of long boxes for that.
const LONG_SHARE: f64 = 0.125;
/// Least share of boxes that cross the best plane for that.
const CROSSING_SHARE: f64 = 0.04;
/// Comparisons per box within two sets that are swept up to which they are swept as one list. Then each box is compared with its
/// neighbours in lanes, which takes less time than to find the next box of two lists.
const MERGED_WORK: f64 = if cfg!(fuzzing) { 4.0 } else { 16.0 };
/// How many times as many boxes as the other one a set must have to be swept as a list of its own.
const MERGED_RATIO: usize = 4;
/// Least share of boxes that do not move for which the others are joined separately before any division. One of the next three conditions must hold
/// too.
const STILL_SHARE: f64 = 0.75;
/// Fewer boxes than this share move.
const FEW_MOVE_SHARE: f64 = 1.0 / 64.0;
/// Fewer boxes than this move.
const FEW_MOVE: f64 = if cfg!(fuzzing) { 4.0 } else { 256.0 };
/// There are more than this many overlapping pairs of boxes that do not move for each box.
const STILL_WORK: f64 = 4.0;
/// It is also done if comparing the boxes that move with the others by bitmaps costs at most this many comparisons for each box.
const STILL_BITMAPS_WORK: f64 = if cfg!(fuzzing) { 8.0 } else { 256.0 };
/// There, this many times as many pairs are assumed to be left as in the sample: a wrong choice is expensive.
const STILL_CAUTION: f64 = 2.0;
/// Comparisons per box by a sweep from which the boxes that move are separated also later.
const SWEPT_WORK: f64 = if cfg!(fuzzing) { 2.0 } else { 64.0 };
/// Least share of pairs of which neither box moves for that.
const STILL_PAIRS: f64 = 0.5;
/// Greatest depth of divisions. A sample that was wrong that often is not used any longer.
pub(super) const DEPTH_MAX: u8 = 64;

/// How to process a join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SplitChoice {
    /// Compare each box with each.
    Compare,
    /// Compare by bitmaps with these intervals for the smaller set.
    Bitmaps(EndIntervals),
    /// Sweep along an axis, unless that needs more comparisons; two sets as one list, if they are merged.
    Sweep { axis: usize, work_max: u64, merged: bool },
    /// Divide the sets at a plane.
    Split { axis: usize, at: f32 },
    /// Divide the sets into slices that are swept along the axis afterwards. If there are two slices, the plane is between them.
    Slices { axis: usize, at: f32 },
    /// Separate the boxes that are longer than this on the axis.
    Apart { axis: usize, than: f32 },
    /// Separate the boxes with this flag from those without it.
    ByFlag(u32),
}

/// How the sets of a join were divided so far. [`choose`] reads it in addition to a sample of the boxes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KdHistory {
    /// Axes on which long boxes have been separated since the last division at a plane there, one bit each.
    pub(super) apart: u8,
    /// Number of divisions.
    pub(super) depth: u8,
    /// Whether a sweep along an axis was too slow.
    pub(super) dense: bool,
    /// Whether the join is a slice, or a part that is swept without another division. Its boxes are copied in the order of the sweep
    /// at once, and long boxes that the sample missed are not separated.
    pub(super) sliced: bool,
    /// Whether boxes that filters or owners exclude from each other are no longer separated before a division. They still are
    /// separated where each would be compared with each.
    pub(super) filtered: bool,
}

/// Chooses how to process a join, from a sample of its boxes. Sets of more than `sweep_max` boxes are divided also where a
/// sweep costs less.
#[inline(never)]
pub(super) fn choose(
    boxes: &dyn JoinSets,
    (a, b, same): (KdRows, KdRows, bool),
    KdHistory { apart, depth, dense, sliced, .. }: KdHistory,
    sweep_max: usize,
) -> SplitChoice {
    let rows = (if same { a.len } else { a.len + b.len }) as f64;
    let work = a.len as f64 * b.len as f64 * if same { 0.5 } else { 1.0 };
    if work <= LEAF_WORK * rows || depth >= DEPTH_MAX {
        return SplitChoice::Compare;
    }
    // Two boxes of the same input set are never a pair if two sets were passed. Two boxes that do not move are not either; to
    // separate them, the others take part in two joins.
    let [still, of_first] =
        [STILL, OF_FIRST].map(|flag| if depth == 0 { boxes.flagged(a, flag) } else { 0 });
    let is_mixed = |flagged: usize| flagged > 0 && flagged < a.len;
    if is_mixed(still) && are_apart(boxes, a, still) {
        return SplitChoice::ByFlag(STILL);
    }
    if is_mixed(of_first) {
        return SplitChoice::ByFlag(OF_FIRST);
    }
    let of_a = boxes.sample(a);
    let of_b = if same { of_a } else { boxes.sample(b) };
    if same && is_mixed(still) && are_apart_by_bitmaps(a, still, &of_a) {
        return SplitChoice::ByFlag(STILL);
    }
    let of = |axis: usize| (&of_a[axis], &of_b[axis]);
    let divided = division_work(work / rows);
    // The share of pairs that may overlap on an axis if a sweep along it is to cost less.
    let share_max = (divided - SORT_WORK) * rows / work;
    let sweep = if dense { None } else { sweep_axis(of, same, share_max) };
    let cheapest = sweep.map_or(divided * rows, |(_, share)| SORT_WORK * rows + share * work);
    if let Some(intervals) = bitmaps([(a, &of_a), (b, &of_b)], same, 1.0, cheapest) {
        return SplitChoice::Bitmaps(intervals);
    }
    let sampled =
        SampledJoin { boxes, sets: [a, b], samples: [&of_a, &of_b], same, rows, work, apart };
    if let Some((axis, share)) = sweep {
        if share * work > SWEPT_WORK * rows && most_are_still(boxes, [a, b]) {
            return SplitChoice::ByFlag(STILL);
        }
        if !sliced && let Some(choice) = sampled.missed_by_sample(axis) {
            return choice;
        }
        let (of_a, of_b) = of(axis);
        if a.len.max(b.len) <= sweep_max {
            let [len_a, len_b] = [a, b].map(|set| set.len as f64);
            let compared = |len: f64, of: &Sampled| 0.5 * len * len * of.meeting(of, true);
            let merged = !same
                && a.len + b.len <= SORTED_MAX
                && a.len.max(b.len) < MERGED_RATIO * a.len.min(b.len)
                && compared(len_a, of_a) + compared(len_b, of_b) <= MERGED_WORK * rows;
            return SplitChoice::Sweep { axis, work_max: (divided * rows) as u64, merged };
        }
        let (least, planes) = (boxes.plane_min(axis), of_a.planes(of_b, same));
        if let Some(at) = planes.into_iter().flatten().find(|&at| least <= at) {
            return SplitChoice::Slices { axis, at };
        }
    }
    let planes = [0, 1, 2].map(|axis| of_a[axis].planes(&of_b[axis], same));
    if let Some(choice) = sampled.short_are_swept(&planes, share_max) {
        return choice;
    }
    let least = [0, 1, 2].map(|axis| boxes.plane_min(axis));
    let best = sampled.plane_or_length(&planes, least);
    // Most of the boxes overlap, but those of them that do not move are not pairs.
    let mixed = |rows: KdRows| (1..rows.len).contains(&boxes.flagged(rows, STILL));
    if best == SplitChoice::Compare && (mixed(a) || mixed(b)) {
        return SplitChoice::ByFlag(STILL);
    }
    best
}

/// Planes to divide at on an axis: see [`Sampled::planes`]. Half of the boxes start between the last two.
type DivisionPlanes = Option<[f32; 4]>;

/// Returns the interquartile range: the length of the interval in which the middle half of the boxes start.
fn interquartile_range([.., first_quarter, last_quarter]: [f32; 4]) -> f32 {
    last_quarter - first_quarter
}

/// A join and the samples of its sets.
struct SampledJoin<'a> {
    boxes: &'a dyn JoinSets,
    sets: [KdRows; 2],
    samples: [&'a [Sampled; 3]; 2],
    same: bool,
    /// Numbers of boxes and of pairs.
    rows: f64,
    work: f64,
    /// See [`KdHistory`].
    apart: u8,
}

impl SampledJoin<'_> {
    /// Whether long boxes on an axis may be separated from the others.
    fn may_be_apart(&self, axis: usize) -> bool {
        self.work > APART_WORK * self.rows && self.apart & 1 << axis == 0
    }

    /// Separates long boxes that overlap many others on the axis of a sweep, because the sample may have missed them.
    fn missed_by_sample(&self, axis: usize) -> Option<SplitChoice> {
        let Self { boxes, sets: [a, b], samples, same, rows, .. } = *self;
        if !self.may_be_apart(axis) {
            return None;
        }
        let range = interquartile_range(samples[0][axis].planes(&samples[1][axis], same)?);
        let than = range * SHORT_PART;
        // Half of the boxes of the other set start in an interval of this length.
        let compared = |set: KdRows, other: KdRows| {
            let [share, sum] = boxes.longer(set, axis, [than, 2.0 * range]);
            let met = 0.5 * other.len as f64 * sum / f64::from(range);
            [share, met].map(|each| each * set.len as f64)
        };
        let (of_a, of_b) = (compared(a, b), if same { [0.0; 2] } else { compared(b, a) });
        let (longer, met) = (of_a[0] + of_b[0], of_a[1] + of_b[1]);
        let are_many = longer < MISSED_SHARE * rows && met > MISSED_WORK * rows
            || longer < MANY_SHARE * rows && met > MANY_WORK * rows;
        are_many.then_some(SplitChoice::Apart { axis, than })
    }

    /// Separates long boxes on the axis where the most boxes are left that can be swept along it.
    fn short_are_swept(&self, planes: &[DivisionPlanes; 3], share_max: f64) -> Option<SplitChoice> {
        let mut most = (SHORT_SHARE, None);
        for axis in (0..3).filter(|&axis| self.may_be_apart(axis)) {
            let Some(than) = planes[axis].map(|planes| interquartile_range(planes) * SHORT_PART)
            else {
                continue;
            };
            let [of_a, of_b] = self.samples.map(|of| &of[axis]);
            let (short_a, short_b) = (of_a.shorter(than), of_b.shorter(than));
            let short = short_a.len as f64 / of_a.len as f64 * short_b.len as f64 / of_b.len as f64;
            // Boxes of nearly equal lengths may be shorter and longer than this by little. Separating them gains nothing.
            let longer = |than: f32| of_a.longer(than) + of_b.longer(than);
            if longer(2.0 * than) < 0.5 * longer(than) {
                continue;
            }
            if short > most.0
                && short < 1.0
                && short_a.meeting(&short_b, self.same) * short <= share_max
            {
                most = (short, Some(SplitChoice::Apart { axis, than }));
            }
        }
        most.1
    }

    /// Divides at the plane that saves most comparisons, or separates long boxes where no plane is good. Returns
    /// [`SplitChoice::Compare`] if neither saves any.
    ///
    /// `least` is the least plane of each axis.
    fn plane_or_length(&self, planes: &[DivisionPlanes; 3], least: [f32; 3]) -> SplitChoice {
        let Self { sets: [a, b], samples, same, rows, work, .. } = *self;
        let mut best = (0.0, SplitChoice::Compare);
        let mut long = (LONG_SHARE, None);
        let mut copied = 1.0;
        for axis in 0..3 {
            let [of_a, of_b] = samples.map(|of| &of[axis]);
            let Some(planes) = planes[axis] else { continue };
            for at in planes.into_iter().filter(|&at| least[axis] <= at) {
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
            let than = interquartile_range(planes) * LONG_PART;
            // For either set: if all boxes or none are long, separating them changes nothing.
            for &share in &[of_a.longer(than), of_b.longer(than)] {
                if self.may_be_apart(axis) && share > long.0 && share < 1.0 - LONG_SHARE {
                    long = (share, Some(SplitChoice::Apart { axis, than }));
                }
            }
        }
        let is_crowded = best.1 == SplitChoice::Compare || copied > 1.0 + CROSSING_SHARE;
        if is_crowded && let Some(choice) = long.1 { choice } else { best.1 }
    }
}

/// Returns whether the boxes that move are joined with each other and with the `still` others, instead of all with all: if most boxes do
/// not move, and hardly any do or many overlap without moving.
fn are_apart(boxes: &dyn JoinSets, rows: KdRows, still: usize) -> bool {
    let (all, still) = (rows.len as f64, still as f64);
    still > STILL_SHARE * all
        && (all - still < (FEW_MOVE_SHARE * all).max(FEW_MOVE)
            || all * boxes.overlapping(rows, &|word| word & STILL != 0) > STILL_WORK)
}

/// Returns whether the boxes that move are joined with the `still` others by bitmaps, because most boxes do not move and that costs little.
fn are_apart_by_bitmaps(rows: KdRows, still: usize, of: &[Sampled; 3]) -> bool {
    let sets = [still, rows.len - still].map(|len| (KdRows { len, ..rows }, of));
    let all = rows.len as f64;
    still as f64 > STILL_SHARE * all
        && bitmaps(sets, false, STILL_CAUTION, STILL_BITMAPS_WORK * all).is_some()
}

/// Returns whether neither box moves in most pairs of two sets, but not in all.
fn most_are_still(boxes: &dyn JoinSets, sets: [KdRows; 2]) -> bool {
    let [of_a, of_b] = sets.map(|set| boxes.flagged(set, STILL) as f64 / set.len as f64);
    of_a * of_b > STILL_PAIRS && of_a * of_b < 1.0
}

/// Returns intervals for a comparison by bitmaps, if it costs less than this many comparisons where `caution` times as many pairs are left as in the
/// samples.
fn bitmaps(
    [(a, of_a), (b, of_b)]: [(KdRows, &[Sampled; 3]); 2],
    same: bool,
    caution: f64,
    cheaper_than: f64,
) -> Option<EndIntervals> {
    let ((indexed, of_indexed), (others, of_others)) =
        if a.len > b.len { ((b, of_b), (a, of_a)) } else { ((a, of_a), (b, of_b)) };
    let blocks = indexed.len.div_ceil(BLOCK) as f64;
    // Of one set, the boxes of a block are not tested again.
    let blocks = if same { 0.5 * (blocks + 1.0) } else { blocks };
    let tested = BITMAP_WORK * blocks * others.len as f64
        + BUILD_WORK * (BLOCK * indexed.len.div_ceil(BLOCK)) as f64;
    if tested >= cheaper_than {
        return None;
    }
    let pairs = indexed.len as f64 * others.len as f64 * if same { 0.5 } else { 1.0 };
    let intervals = EndIntervals::new(of_indexed, others.len);
    let left = pairs * intervals.share_compared(of_indexed, of_others);
    (tested + LEFT_WORK * caution * left < cheaper_than).then_some(intervals)
}

/// Returns the axis along which the least share of pairs overlaps, and this share; `None` if it is not less than `share_max`.
fn sweep_axis<'a>(
    of: impl Fn(usize) -> (&'a Sampled, &'a Sampled),
    same: bool,
    share_max: f64,
) -> Option<(usize, f64)> {
    let mut best = (share_max, None);
    for axis in 0..3 {
        if best.0 <= 0.0 {
            break;
        }
        let (of_a, of_b) = of(axis);
        let share = of_a.meeting(of_b, same);
        if share < best.0 {
            best = (share, Some((axis, share)));
        }
    }
    best.1
}

/// Returns the cost of a join by divisions, in comparisons for each box. `left` is the number of comparisons for each box without
/// divisions; each division halves it at best.
fn division_work(mut left: f64) -> f64 {
    let mut divided = LEAF_WORK;
    while left > LEAF_WORK {
        (divided, left) = (divided + LEVEL_WORK, left * 0.5);
    }
    divided
}
