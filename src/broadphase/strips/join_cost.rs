//! Estimates the cost of a join of all boxes, with which the cost of a grid is compared.
//!
//! See `docs/decisions/0035-comparisons-are-counted.md` for how the estimates were fitted to measurements.

use super::extent::{AxisExtent, Extents};
use super::grid::{Sample, cost};
use crate::broadphase::join::SHORT_PART;

/// Number of boxes that a join divides in the cache of a core.
const JOIN_NEAR: f64 = 16384.0;
/// Number of pairs of the larger sample that are tested on each axis, for each box of the input.
const COUNTED_PAIRS_PER_ROW: usize = 2;
/// Greatest number of these pairs.
const COUNTED_PAIRS_MAX: usize = 1 << 17;

/// Returns the cost of a join for each box. `active` is the number of active boxes among `boxes`, and `work` the number from
/// [`join_work`].
pub(super) fn join_each(boxes: f64, active: f64, work: f64) -> f64 {
    let log2 = |x: f64| f64::from((x as u64).max(1).ilog2());
    let divisions = libm::log2((work / cost::DIVIDE_WORK).max(1.0));
    cost::JOIN
        + cost::JOIN_ACTIVE * log2(active + 1.0)
        + cost::JOIN_FAR * log2(boxes / JOIN_NEAR)
        + cost::DIVIDE * divisions
}

/// Returns the cost of a join for each box, in addition to that of boxes apart from each other, if a box overlaps this many others, whether or not they move, and
/// such a share of the boxes moves. Hardly any plane separates boxes that overlap, so they are divided in vain; but few boxes that move are joined with the
/// others by themselves.
pub(super) fn join_overlaps(each: f64, moving: f64) -> f64 {
    let undivided = cost::JOIN_OVERLAPS * each / (each + cost::FEW_OVERLAPS);
    let pairs = each * moving * (2.0 - moving);
    let share = (moving / cost::FEW_MOVE).min(1.0);
    undivided * share * share + cost::JOIN_PAIR * pairs
}

/// Returns how many short boxes a short box overlaps on the axis on which these are the fewest. If they are many on each axis, a join
/// divides them. `cores` are the extents of the half of the boxes in the middle.
pub(super) fn join_work(
    (rows, active): (usize, f64),
    cores: &[AxisExtent; 3],
    sample: &mut Sample,
) -> f64 {
    let (boxes, mut work) = (rows as f64, f64::INFINITY);
    let tested = (rows * COUNTED_PAIRS_PER_ROW).min(COUNTED_PAIRS_MAX);
    for core in cores {
        sample.find_pairs(core.axis, tested);
        let short = sample.short_share(core.axis, 0.5 * core.length * SHORT_PART);
        work = work.min(0.5 * boxes * short);
    }
    // Boxes that are not active have pairs with active ones only, so few of them are divided.
    work * active / boxes
}

/// Returns the cost of a join of this many boxes, of which this many are active, with the copy of each. See [`join_each`] and [`join_overlaps`].
pub(super) fn join_cost((boxes, active): (f64, f64), work: f64, overlaps_each: f64) -> f64 {
    let overlaps = join_overlaps(overlaps_each, active / boxes);
    boxes * (cost::COPY + join_each(boxes, active, work) + overlaps)
}

/// Returns the least cost of a join of this many boxes, of which this many are active: if no two of them overlap.
pub(super) fn join_min((rows, active): (usize, usize)) -> f64 {
    join_cost((rows as f64, active as f64), 0.0, 0.0)
}

/// Returns the cost of a join of this many boxes, of which this many are active, after they were copied to strips. The sample is that of the choice.
pub(super) fn join_after_scatter(
    (rows, active): (usize, usize),
    overlaps_each: f64,
    sample: &mut Sample,
) -> f64 {
    let active = active as f64;
    let Extents { cores, .. } = Extents::of(&sample.boxes, &mut sample.line);
    let work = join_work((rows, active), &cores, sample);
    join_cost((rows as f64, active), work, overlaps_each)
}
