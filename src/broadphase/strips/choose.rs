//! Chooses the grid of a tick.
//!
//! A sample of the boxes gives the extent and the mean length on each axis. The cost of a tick is estimated for many numbers of
//! strips, and the cheapest grid is chosen:
//!
//! ```text
//! sample few boxes; price grids by mean lengths, and by counters of cells       (grid.rs)
//! count the comparisons of the cheapest one pair by pair in the sample          (counted.rs)
//! if they are about as many as priced: take the grid that is the cheapest if comparisons cost more
//! if there are far more of them, or if a join of all boxes seems cheaper:
//!     sample more boxes; count the comparisons of grids over all boxes, and over the half of them in the middle
//!     change the choice if another one is much cheaper
//! ```
//!
//! The first price is smooth, so similar worlds have the same grid. It is right for all but very uneven worlds. All is a function of the boxes alone.

use super::extent::{AxisExtent, Extents, by_ratio, extents, whole_extent};
use super::grid::{Choice, Grid, Sample, cost};
use super::join_cost::{join_cost, join_each, join_overlaps, join_work};
use crate::geom::{Aabb, MapEach, MovingBox, each_axis};

/// Greatest number of boxes in the sample from which the grid is chosen.
const SAMPLES_MAX: usize = 1024;
/// Least number of boxes in that sample.
const SAMPLES_MIN: usize = 96;
/// There are fewer samples than the least number if each would represent fewer boxes than this.
const ROWS_PER_SAMPLE_MIN: usize = 16;
/// Up to `ONE_STRIP_ROWS` boxes are one strip: to compare each with all that it reaches there costs less than to
/// choose a grid. The axis of the strip is chosen from a sample of `ONE_STRIP_SAMPLES` boxes, and up to `ANY_AXIS_ROWS` boxes are
/// compared each with each.
const ONE_STRIP_ROWS: usize = if cfg!(fuzzing) { 4 } else { 512 };
const ONE_STRIP_SAMPLES: usize = 16;
const ANY_AXIS_ROWS: usize = if cfg!(fuzzing) { 2 } else { 24 };
/// Boxes count as lying in a line if the extent on all axes but one is at most this many box lengths.
const LINE_RATIO: f64 = 8.0;
/// Each box of the sample represents this many boxes, within the limits of the sample size.
const ROWS_PER_SAMPLE: usize = 256;
/// Greatest number of boxes of the larger sample, after a smaller one was wrong.
const DENSE_SAMPLES_MAX: usize = 16 * SAMPLES_MAX;
/// Number of boxes of the input for each box of that sample.
const DENSE_ROWS_PER_SAMPLE: usize = ROWS_PER_SAMPLE / 8;
/// The first sample is wrong if with the true number of records a tick takes this many times as long as a join of all
/// boxes. The larger samples after it are wrong more rarely.
const COST_SLACK: f64 = 1.25;

/// Number of boxes from which comparisons are counted pair by pair. For 10,000 boxes the count would take 2 % of an even tick.
pub(super) const COUNTED_ROWS_MIN: usize = if cfg!(fuzzing) { 32 } else { 16_384 };
/// Greatest number of boxes of the larger sample that is taken if the first price is wrong.
const COUNTED_SAMPLES_MAX: usize = 512;
/// Number of boxes of the input for each box of that sample.
const COUNTED_ROWS_PER_SAMPLE: usize = 64;
/// The price of a grid is wrong if the counted comparisons of a box cost more than `WRONG_FACTOR` times the priced ones, plus `WRONG_COST`
/// nanoseconds, plus the cost of `WRONG_PAIRS` pairs of the sample.
const WRONG_FACTOR: f64 = 1.5;
const WRONG_COST: f64 = 10.0;
const WRONG_PAIRS: f64 = 8.0;
/// Cost of comparisons, for each box, from which other grids are tried too.
const EXPENSIVE_COST: f64 = 15.0;
/// Least number of pairs of the first sample that are tested.
const CHECKED_PAIRS_MIN: usize = 1 << 14;
/// Number of boxes of the input for each of these pairs.
const CHECKED_ROWS_PER_PAIR: usize = 32;
/// Another grid is chosen if it costs at most this part.
const BETTER: f64 = 0.6;
/// All boxes are joined instead if that costs at most this part of the price of the first choice, with the true cost of its copies.
const JOIN_BETTER: f64 = 0.8;
/// A grid is tried instead of a join up to this many times the price of the join, because the check of the grid may still replace it.
const JOIN_WORSE: f64 = 1.3;
/// Number of records from which a strip is joined.
pub(super) const JOIN_ROWS: f64 = 512.0;
/// Grids over the middle are tried if it is shorter than this part of the whole on an axis.
const CROWD_PART: f32 = 0.5;
/// Greatest number of slices that are tried.
const SLICES_MAX: f64 = 256.0;
/// This part of the cost of comparisons is added to the price where numbers of strips are compared with each other. By the price alone,
/// which is compared with that of a join, there would be too few strips: see `docs/decisions/0031-more-strips.md`.
const MORE_COMPARED: f64 = 0.4;
/// How many times the copies of the cheapest grid a finer one may have. Where no pair of the sample is compared, many copies look cheap.
const FINER_COPIES_MAX: f64 = 2.0;
/// Factor between numbers of strips that are tried.
const COARSE: f64 = 4.0;

/// Chooses the cells for `rows` boxes from a sample of them. Each pair has one of `active` boxes.
///
/// With `paths`, the grid is for boxes that are copied only to the strips which they cross. The result is a
/// function of the boxes alone, so the order of the pairs is too. `get` returns a box and its flags.
///
/// `rejected` is how many grids had more records than [`Choice::records_max`], or needed far more comparisons than their price. If it
/// is not 0, the sample is larger and keeps its largest boxes. From the second rejection on, the limit of strips is a sixteenth of
/// the one before, down to a single strip, which has a record of each box.
pub(super) fn choose(
    (rows, active): (usize, usize),
    get: &dyn Fn(usize) -> (MovingBox, u32),
    paths: bool,
    rejected: u32,
    sample: &mut Sample,
) -> Choice {
    // If there can be no pair, nothing is compared.
    let one_strip = rows <= ONE_STRIP_ROWS || active == 0;
    let count = if one_strip {
        if rows <= ANY_AXIS_ROWS { 0 } else { rows.min(ONE_STRIP_SAMPLES) }
    } else if rejected == 0 {
        (rows / ROWS_PER_SAMPLE).clamp(SAMPLES_MIN.min(rows / ROWS_PER_SAMPLE_MIN), SAMPLES_MAX)
    } else {
        (rows / DENSE_ROWS_PER_SAMPLE).clamp(SAMPLES_MIN, DENSE_SAMPLES_MAX).min(rows)
    };
    // If a grid was rejected, boxes of several kinds may be in the input by turns.
    let mut even = rejected == 0;
    sample.fill(rows, (count, even), get, paths);
    if one_strip {
        return Choice { joined: active == 0, ..choose_axis(rows, &sample.boxes) };
    }
    if even && !sample.is_typical(rows, count, get) {
        even = false;
        sample.fill(rows, (count, even), get, paths);
    }
    if rejected == 0 {
        sample.drop_largest();
    }
    sample.reserve(rows);
    sample.fill_columns();
    let wholes = extents(&sample.boxes, &mut sample.line);
    let (chosen, finer) = choose_smooth((rows, active), wholes, rejected, sample);
    if rows < COUNTED_ROWS_MIN || !chosen.joined && is_right((rows, active), &chosen, sample) {
        return finer;
    }
    if rejected == 0 {
        let count = (rows / COUNTED_ROWS_PER_SAMPLE).clamp(SAMPLES_MIN, COUNTED_SAMPLES_MAX);
        sample.fill(rows, (count.min(rows), even), get, paths);
        sample.drop_largest();
        sample.fill_columns();
    }
    choose_counted((rows, active), chosen, rejected, sample)
}

/// Returns the greatest number of strips of a grid.
fn strips_max(rows: usize, rejected: u32) -> f64 {
    let coarser = 4 * rejected.saturating_sub(1);
    f64::from(Ord::max(Grid::strips_max(rows).checked_shr(coarser).unwrap_or(0), 1))
}

/// Chooses by the smooth price. The second choice is the grid to take if the first one is right: see [`MORE_COMPARED`].
fn choose_smooth(
    (rows, active): (usize, usize),
    extents: [AxisExtent; 3],
    rejected: u32,
    sample: &mut Sample,
) -> (Choice, Choice) {
    let [along, u, v] = by_ratio(extents);
    let most = strips_max(rows, rejected);
    let in_line = u.ratio() < LINE_RATIO && !sample.has_long_paths([along, u, v]);
    let mut price =
        |slices: bool, strips: f64| grid([along, u, v], slices, strips).price(rows, sample, along);
    // Boxes in a line have no extent across: then the cells follow each other along the line.
    let (mut across, mut finer) = cheapest(most, &mut |strips| price(in_line, strips));
    if !in_line && across.crowd > cost::NEAR_RECORDS {
        // The same is tried for boxes in a slanted line, where most strips across would be empty.
        let slices = cheapest(most, &mut |strips| price(true, strips));
        if slices.0.cost < across.cost {
            (across, finer) = slices;
        }
    }
    // If no grid fits, one strip is divided by the join.
    let (boxes, active) = (rows as f64, active as f64);
    let join = boxes * join_each(boxes, active, 0.0);
    let slack = COST_SLACK * f64::from(1 + rejected);
    if across.cost <= join {
        return [across, finer].map_each(|grid| Choice { join, slack, ..grid }).into();
    }
    let join = join + boxes * join_overlaps(sample.overlaps_each(rows), active / boxes);
    let divided = Choice { cost: join, ..joined(rows, [along, u, v]) };
    let chosen = if across.cost < join { [across, finer] } else { [divided; 2] };
    chosen.map_each(|choice| Choice { join, slack, ..choice }).into()
}

/// Returns a grid of about `strips` strips on these axes, side by side or one after the other.
fn grid([along, u, v]: [AxisExtent; 3], slices: bool, strips: f64) -> Grid {
    if slices {
        Grid::with_slices(along, u, strips)
    } else {
        Grid::with_strips(along, u, v, strips)
    }
}

/// Returns the choice to join all boxes.
fn joined(rows: usize, [along, u, v]: [AxisExtent; 3]) -> Choice {
    let free = Choice::free(Grid::with_strips(along, u, v, 1.0), rows as f64);
    Choice { joined: true, ..free }
}

/// Returns whether the comparisons of a choice, counted pair by pair in the sample, are about as many as its price assumes, and not very
/// many.
fn is_right((rows, active): (usize, usize), chosen: &Choice, sample: &mut Sample) -> bool {
    sample
        .find_pairs(chosen.grid.along.axis, (rows / CHECKED_ROWS_PER_PAIR).max(CHECKED_PAIRS_MIN));
    let [counted, one] = sample.compared(rows, &chosen.grid);
    let priced = chosen.compared / rows as f64;
    if priced > EXPENSIVE_COST || counted * cost::CANDIDATE > EXPENSIVE_COST {
        return false;
    }
    let limit = WRONG_FACTOR * priced + WRONG_COST + WRONG_PAIRS * one * cost::CANDIDATE;
    let each = chosen.cost / rows as f64 - priced + counted * cost::CANDIDATE;
    let join = chosen.join / rows as f64 + cost::COPY;
    let enough = JOIN_BETTER * with_copies(each, chosen);
    let overlaps =
        |sample: &Sample| join_overlaps(sample.overlaps_each(rows), active as f64 / rows as f64);
    counted * cost::CANDIDATE <= limit && (join >= enough || join + overlaps(sample) >= enough)
}

/// Returns the cost of a grid for each box, with the true cost of its copies.
fn with_copies(each: f64, grid: &Choice) -> f64 {
    each + cost::COPY_AGAIN * (grid.copies - 1.0)
}

/// Rounds the length of the boxes, so that their number along the extent is a power of two. Then similar worlds have the same axes, and the
/// same number of cells on each.
fn coarse(extent: AxisExtent) -> AxisExtent {
    let boxes = extent.ratio().clamp(1.0, 1e12);
    let rounded = libm::exp2(libm::round(libm::log2(boxes)));
    AxisExtent { mean: (f64::from(extent.length) / rounded) as f32, ..extent }
}

/// Chooses by counted comparisons. Keeps the first choice unless another one is much cheaper.
fn choose_counted(
    (rows, active): (usize, usize),
    first: Choice,
    rejected: u32,
    sample: &mut Sample,
) -> Choice {
    let (boxes, active) = (rows as f64, active as f64);
    let most = strips_max(rows, rejected);
    let extents = Extents::of(&sample.boxes, &mut sample.line);
    sample.has_crowd = Some(extents.has_crowd());
    let wholes = extents.wholes.map_each(coarse);
    let cores =
        each_axis(|axis| coarse(AxisExtent { mean: wholes[axis].mean, ..extents.cores[axis] }));
    let overlaps_each = sample.overlaps_each(rows);
    let overlaps = boxes * join_overlaps(overlaps_each, active / boxes);
    let work = join_work((rows, active), &cores, sample);
    let join = join_cost((boxes, active), work, overlaps_each);
    let counted = |choice: Choice, sample: &mut Sample| {
        let [compared, _] = sample.compared(rows, &choice.grid);
        let swept = boxes * compared * cost::FAR_CANDIDATE;
        // Crowded strips are joined.
        let crowd = choice.neighbours;
        let work = work.min(compared / choice.copies);
        let strips = boxes * choice.copies * join_each(crowd, active.min(crowd), work) + overlaps;
        let compared = if crowd >= JOIN_ROWS && strips < swept { strips } else { swept };
        let each = (choice.cost - choice.compared + compared) / boxes;
        Choice { cost: boxes * with_copies(each, &choice), compared, ..choice }
    };
    let mut best = Choice { cost: JOIN_WORSE * join, ..joined(rows, by_ratio(wholes)) };
    let mut first_cost = join;
    if !first.joined {
        let Grid { along, .. } = first.grid;
        let length = along.high - along.low;
        let along = AxisExtent { axis: along.axis, origin: along.low, length, mean: 0.0 };
        let priced = first.grid.price(rows, sample, along);
        first_cost = counted(priced, sample).cost;
    }
    let is_short = |axis: usize| cores[axis].length < CROWD_PART * wholes[axis].length;
    let tried = if (0..3).any(is_short) { 2 } else { 1 };
    for &extents in &[wholes, cores].map_each(by_ratio)[..tried] {
        let [along, ..] = extents;
        for slices in [false, true] {
            let most = if slices { most.min(SLICES_MAX) } else { most };
            let mut strips = COARSE;
            while strips <= most {
                let priced = grid(extents, slices, strips).price(rows, sample, along);
                // Without its comparisons it may already cost more.
                if priced.cost - priced.compared < best.cost {
                    best = best.or(counted(priced, sample));
                }
                strips *= COARSE;
            }
        }
    }
    let slack = COST_SLACK * f64::from(1 + rejected);
    let better = if first.joined { JOIN_WORSE } else { BETTER };
    if best.cost < better * first_cost {
        Choice { join: join.max(best.cost), slack, ..best }
    } else if !first.joined && join < JOIN_BETTER * first_cost {
        Choice { cost: join, join, slack, ..joined(rows, by_ratio(wholes)) }
    } else {
        first
    }
}

/// Chooses the axis of a single strip. Without a sample, the strip has one bin, so that each box is compared with each.
fn choose_axis(rows: usize, sample: &[Aabb]) -> Choice {
    let [along, u, v] = by_ratio([0, 1, 2].map_each(|axis| whole_extent(axis, sample)));
    Choice::free(Grid::with_strips(along, u, v, 1.0), rows as f64)
}

/// Returns the cheapest number of strips up to `most`, and the cheapest one if comparisons cost more: coarse steps over the whole range first,
/// then finer ones around the best.
fn cheapest(most: f64, price: &mut dyn FnMut(f64) -> Choice) -> (Choice, Choice) {
    let mut best = Choice { strips: 1.0, ..price(1.0) };
    let mut finer = best;
    let weighted = |choice: &Choice| choice.cost + MORE_COMPARED * choice.compared;
    let mut try_strips = |best: &mut Choice, finer: &mut Choice, strips: f64| {
        let other = Choice { strips, ..price(strips) };
        *best = best.or(other);
        if weighted(&other) < weighted(finer) {
            *finer = other;
        }
    };
    let mut strips = 4.0;
    while strips <= most {
        try_strips(&mut best, &mut finer, strips);
        strips *= 4.0;
    }
    for &step in &[2.0, core::f64::consts::SQRT_2] {
        let [a, b] = [best.strips, finer.strips];
        // Both are mostly the same.
        for &strips in &[a / step, a * step, b / step, b * step][..if a == b { 2 } else { 4 }] {
            if (1.0..=most).contains(&strips) {
                try_strips(&mut best, &mut finer, strips);
            }
        }
    }
    if finer.copies > FINER_COPIES_MAX * best.copies {
        finer = best;
    }
    (best, finer)
}

#[cfg(test)]
mod tests {
    use super::{Choice, cheapest, choose, choose_axis, strips_max};
    use crate::broadphase::pairs::flags::STILL;
    use crate::broadphase::strips::grid::Sample;
    use crate::geom::{Aabb, MovingBox};
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};
    use scenes::{Scene, World};

    /// Returns the number of strips for boxes with these sides, spread over a cube of side 1.
    fn strips(active: usize, sides: impl Fn(usize) -> [f32; 3]) -> usize {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let boxes: Vec<MovingBox> = (0..20_000)
            .map(|row| {
                let min: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..1.0));
                let sides = sides(row);
                let max = core::array::from_fn(|axis| min[axis] + sides[axis]);
                MovingBox { aabb: Aabb { min, max }, delta: [0.0; 3] }
            })
            .collect();
        let (rows, get) = (boxes.len(), |row: usize| (boxes[row], 0));
        choose((rows, active), &get, false, 0, &mut Sample::default()).grid.strips()
    }

    /// Goal: after each rejection from the second on there are a sixteenth of the strips, down to one. Method: the limits for a million boxes.
    #[test]
    fn limit_of_strips_falls_to_one() {
        let most = [0, 1, 2, 3, 4, 5, 99].map(|rejected| strips_max(1 << 20, rejected));
        assert_eq!(most, [4096.0, 4096.0, 256.0, 16.0, 1.0, 1.0, 1.0]);
    }

    /// Goal: the cheapest number of strips is found up to the limit, and a finer grid unless it has many copies. Method: prices that are computed by hand.
    #[test]
    fn cheapest_number_of_strips_is_found() {
        for (least, most, found) in [(1.0, 99.0, 1.0), (32.0, 99.0, 32.0), (1e6, 32.0, 32.0)] {
            let free = choose_axis(1, &[]);
            let mut price = |strips: f64| Choice { cost: libm::log2(strips / least).abs(), ..free };
            assert_eq!(cheapest(most, &mut price).0.strips, found);
        }
        for (copies, is_finer) in [(0.01, true), (1.0, false)] {
            let mut price = |strips: f64| Choice {
                cost: 100.0 + strips / 4096.0,
                compared: 100.0 / strips,
                copies: 1.0 + copies * strips.sqrt(),
                ..choose_axis(1, &[])
            };
            let (best, finer) = cheapest(1024.0, &mut price);
            assert_eq!((best.strips, finer.strips > 100.0), (1.0, is_finer), "{copies}");
        }
    }

    /// Goal: one strip is chosen where every grid is expensive, or where hardly any box can be in a pair and a grid is more expensive
    /// than a join of these few; an even world has a grid. Method: cubes, and sticks on any axis that cross the world or a part of it.
    #[test]
    fn one_strip_is_chosen_where_every_grid_is_expensive() {
        let sticks = |length: f32| {
            move |row: usize| {
                let mut sides = [1e-5; 3];
                sides[row % 3] = length;
                sides
            }
        };
        assert_eq!(strips(20_000, sticks(1.0)), 1);
        assert!(strips(20_000, sticks(0.1)) > 16);
        let mut lengths = (1..40).map(|part| part as f32 * 0.025);
        assert!(lengths.any(|length| {
            let few = [0, 10].map(|active| strips(active, sticks(length)));
            strips(20_000, sticks(length)) > 1 && few == [1, 1]
        }));
        assert!(strips(20_000, |_| [0.03; 3]) > 16);
    }

    /// Goal: strips that are empty do not make the others wider. Method: crowds of a thousand boxes in a world that is eight times as long as the crowds
    /// together; by the price of full strips there are 36 strips.
    #[test]
    fn strips_are_narrow_where_most_of_them_are_empty() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut middle = || core::array::from_fn(|_| rng.random_range(0.0..8.0));
        let middles: [[f32; 3]; 20] = core::array::from_fn(|_| middle());
        let boxes: Vec<MovingBox> = (0..20_000)
            .map(|row| {
                let min = middles[row % 20].map(|low| low + rng.random_range(0.0..0.4));
                let max = min.map(|low| low + 0.02);
                MovingBox { aabb: Aabb { min, max }, delta: [0.0; 3] }
            })
            .collect();
        let (rows, get) = (boxes.len(), |row: usize| (boxes[row], 0));
        let Choice { grid, joined, .. } =
            choose((rows, rows), &get, false, 0, &mut Sample::default());
        assert!(!joined && grid.strips() > 200, "{} strips", grid.strips());
    }

    /// Chooses for a scene of this many boxes, of which this many move.
    fn chosen(scene: Scene, (rows, active): (usize, usize)) -> Choice {
        let world = World::new(scene, rows, 1);
        let get = |row: usize| {
            let [min, max, delta] = [&world.min, &world.max, &world.delta]
                .map(|columns| core::array::from_fn(|axis| columns[axis][row]));
            let flags = if active == 0 { STILL } else { 0 };
            (MovingBox { aabb: Aabb { min, max }, delta }, flags)
        };
        choose((rows, active), &get, false, 0, &mut Sample::default())
    }

    /// Goal: all boxes are joined where each would be copied to many strips, and where there can be no pair; with fewer copies they have a grid. Method:
    /// scenes of sticks that cross their crowds, of sticks that are shorter, and of boxes in a plane.
    #[test]
    fn boxes_are_joined_where_strips_would_have_many_copies_or_no_pairs() {
        assert!(chosen(Scene::Spillikins, (20_000, 20_000)).joined);
        assert!(!chosen(Scene::Twigs, (20_000, 20_000)).joined);
        assert!(chosen(Scene::Sheet, (20_000, 0)).joined);
        assert!(!chosen(Scene::Sheet, (20_000, 200)).joined);
    }

    /// Goal: strips of few boxes are not wider than is fast. Method: scenes for which the fastest numbers of strips were measured; with the price of
    /// comparisons that counts for a join, 1,000 boxes of `uniform` had 4 strips, and 10,000 of `mixed` 9.
    #[test]
    fn few_boxes_have_enough_strips() {
        for (scene, rows, fastest) in [
            (Scene::Uniform, 1_000, 9..=20),
            (Scene::Dense, 1_000, 9..=25),
            (Scene::Sheet, 1_000, 4..=12),
            (Scene::Uniform, 10_000, 30..=130),
            (Scene::Mixed, 10_000, 16..=60),
        ] {
            let strips = chosen(scene, (rows, rows)).grid.strips();
            assert!(fastest.contains(&strips), "{strips} strips of {rows} boxes of {scene}");
        }
    }

    /// Goal: the low price of empty strips does not hide a crowd that most boxes are in. Method: a scene with such a crowd has strips that are
    /// much shorter than the scene.
    #[test]
    fn strips_divide_a_crowd_although_empty_strips_are_cheap() {
        let Choice { grid, joined, .. } = chosen(Scene::Gravel, (20_000, 20_000));
        let length = grid.along.high - grid.along.low;
        assert!(!joined && length < 400.0, "strips of length {length}");
    }

    /// Goal: a crowd is not cut into slices that each of its boxes crosses, because one strip counts as more expensive than to compare each box with all.
    /// Method: cubes whose places differ on one axis by little; without the limit of their comparisons there are 255 strips.
    #[test]
    fn crowd_in_a_line_is_not_cut_into_slices() {
        for rows in [3_000, 6_000, 12_000] {
            let get = |row: usize| {
                let min = [0.06 * row as f32 / rows as f32, 0.0, 0.0];
                (
                    MovingBox {
                        aabb: Aabb { min, max: min.map(|low| low + 2.0) },
                        delta: [0.0; 3],
                    },
                    0,
                )
            };
            let chosen = choose((rows, rows), &get, false, 0, &mut Sample::default());
            assert!(chosen.copies < 2.0, "{} strips of {rows} boxes", chosen.grid.strips());
        }
    }

    /// Goal: few strips with a join of each do not count as cheap where the bounds of whole paths have thousands of pairs for each box, because each
    /// pair is compared. Method: 250,000 points in a cube, with displacements of up to 0.35 of its sides; without the cost of pairs there are four strips.
    #[test]
    fn pairs_of_joined_strips_are_counted() {
        let rows = 250_000;
        let get = |row: usize| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(row as u64);
            let min: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..1.0));
            let delta = core::array::from_fn(|_| rng.random_range(-0.35..0.35));
            (MovingBox { aabb: Aabb { min, max: min }, delta }, 0)
        };
        let Choice { grid, joined, .. } =
            choose((rows, rows), &get, true, 0, &mut Sample::default());
        assert!(!joined && grid.strips() > 100, "{} strips", grid.strips());
    }

    /// Goal: a grid is chosen where the rows at even distances are not like the others. Method: worlds of which each 128th or 256th row is invalid, in one place or
    /// near it; about as many strips as if these rows were like the others, where there was one strip.
    #[test]
    fn grid_does_not_depend_on_rows_at_even_distances() {
        let strips = |rows: usize, each: usize, kind: u32| {
            let get = |row: usize| {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(row as u64);
                let mut min: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..1.0));
                if row.is_multiple_of(each) {
                    min = match kind {
                        0 => min,
                        1 => [f32::NAN; 3],
                        2 => [-2.0; 3],
                        _ => min.map(|x| 0.01 * x - 2.0),
                    };
                }
                let max = min.map(|x| x + 0.003);
                (MovingBox { aabb: Aabb { min, max }, delta: [0.0; 3] }, 0)
            };
            let choice = choose((rows, rows), &get, true, 0, &mut Sample::default());
            if choice.joined { 0 } else { choice.grid.strips() }
        };
        for (rows, each) in [(12_288, 128), (24_576, 256)] {
            let chosen = [0, 1, 2, 3].map(|kind| strips(rows, each, kind));
            // The sample is small, so the number differs.
            let about = chosen[0] / 4..chosen[0] * 4;
            assert!(chosen[0] > 8 && chosen.iter().all(|few| about.contains(few)), "{chosen:?}");
        }
    }

    /// Goal: where most boxes are in a crowd much smaller than the world, the strips divide the crowd, not only the world. Method: four of
    /// five boxes in a cube of a hundredth of the world on each axis; the same boxes without a crowd have strips over the world.
    #[test]
    fn strips_divide_a_crowd_that_most_boxes_are_in() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for crowded in [false, true] {
            let boxes: Vec<MovingBox> = (0..20_000)
                .map(|row| {
                    let part = if crowded && row % 5 != 0 { 0.01 } else { 1.0 };
                    let min: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..part));
                    let max = min.map(|low| low + 0.0004);
                    MovingBox { aabb: Aabb { min, max }, delta: [0.0; 3] }
                })
                .collect();
            let (rows, get) = (boxes.len(), |row: usize| (boxes[row], 0));
            let Choice { grid, joined, .. } =
                choose((rows, rows), &get, false, 0, &mut Sample::default());
            assert!(!joined && grid.strips() > 4, "{} strips", grid.strips());
            let length = grid.along.high - grid.along.low;
            assert_eq!(length < 0.2, crowded, "strips of length {length}");
        }
    }
}
