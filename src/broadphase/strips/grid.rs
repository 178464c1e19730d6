//! Divides space into strips and bins with a grid, and estimates the cost of a tick with it.
//!
//! The cost is estimated from a sample of the boxes, and is a function of the boxes alone. `choose.rs` compares the costs of grids.

use super::chunks::chunk_rows;
use super::counted::{AxisPairs, LocateCells, count_overlapping};
use super::extent::{AxisCells, AxisExtent, Extents, StripAxis, whole_extent};
use crate::broadphase::join::NOT_FIRST_UNCUT;
use crate::broadphase::pairs::flags::{NOT_FIRST_U, NOT_FIRST_V, STILL};
use crate::columns::impl_memory;
use crate::geom::{Aabb, MapEach, MovingBox, sample_index, uneven_index};
use crate::lanes::{Isa, Kernel, LANES_MAX, Level, U32Lanes};
use alloc::vec::Vec;

/// Greatest number of cells on one axis: cell numbers, and their count, are bytes.
const CELLS_MAX: u32 = 255;
/// Greatest number of strips. With more of them, scattering is slowed down by misses of the TLB.
pub(crate) const STRIPS_MAX: u32 = 4096;
/// Number of slabs of a strip. A slab is one of the equal intervals along a strip in which the boxes of the sample are counted.
const SLABS: u32 = 16;
const _: () = assert!(SLABS.is_power_of_two());
/// Number of counters of a strip: one for each slab, the last one for all.
const COUNTERS: u32 = SLABS + 1;
/// Number of boxes of a sample up to which it keeps its largest ones.
const LARGEST_KEPT: usize = 256;
/// The number of strips with boxes is estimated if at least `FILLED_PAIRS_MIN` pairs of the sample share a strip. The estimate is used if it is
/// below `FILLED_PART` of all strips.
const FILLED_PAIRS_MIN: u32 = 16;
const FILLED_PART: f64 = 0.5;
/// Greatest number of other boxes that a sample at even distances is compared with, and how many boxes each of them represents.
const OTHERS_MAX: usize = 32;
const ROWS_PER_OTHER: usize = 128;
/// About how many boxes of the sample are compared with all others to estimate the number of pairs.
const TRIED: usize = 64;
/// A displacement is long if it is at least this many cells on both divided axes together. On the third axis, a displacement is long
/// only from many lengths of the strips on, where the margin of a path would be too small otherwise (`long_path.rs`).
pub(crate) const LONG_CELLS: f32 = 1.0;

/// Cost of each operation, in nanoseconds on a 2023 server core. Only the ratios matter.
pub(super) mod cost {
    /// Copy a box to a strip and sort it there.
    pub(crate) const COPY: f64 = 8.0;
    /// How much more a further copy of a box costs than the first one, where boxes have many: they are long, and of all lengths, so
    /// groups of boxes are compared with many others for the sake of one.
    pub(crate) const COPY_AGAIN: f64 = 18.0;
    /// Sort a box in a strip that does not fit into the cache of a core.
    pub(crate) const FAR: f64 = 20.0;
    /// Number of records of a strip that fit into that cache.
    pub(crate) const NEAR_RECORDS: f64 = 4096.0;
    /// Start the comparisons of one box.
    pub(crate) const START: f64 = 0.7;
    /// Compare with one candidate.
    pub(crate) const CANDIDATE: f64 = 0.18;
    /// Compare with one candidate where most of them are far: if boxes are very unequal, single ones are compared with many others, which takes
    /// longer than to compare neighbours.
    pub(crate) const FAR_CANDIDATE: f64 = 0.42;
    /// Factor for the comparison with a candidate on a long path.
    pub(crate) const LONG: f64 = 4.0;
    /// Visit one strip, even an empty one.
    pub(crate) const STRIP: f64 = 100.0;
    /// Read the records of one strip from one chunk.
    pub(crate) const PIECE: f64 = 15.0;
    /// Costs of [`STRIP`] and [`PIECE`] for a strip that is empty.
    pub(crate) const EMPTY_STRIP: f64 = 10.0;
    pub(crate) const EMPTY_PIECE: f64 = 2.0;
    /// Join a box in a strip that is divided; more for each doubling of the active boxes, of which each pair has one, and of all
    /// boxes when they do not fit into the cache. See `join`.
    pub(crate) const JOIN: f64 = 13.0;
    pub(crate) const JOIN_ACTIVE: f64 = 1.5;
    pub(crate) const JOIN_FAR: f64 = 4.0;
    /// Report a pair there.
    pub(crate) const JOIN_PAIR: f64 = 12.0;
    /// How much longer a join takes for each box if the boxes overlap so often that no plane separates them; the number of overlaps for each box from which it takes
    /// more than half of that; and the share of boxes that move below which it takes less, because these are joined with the others by themselves.
    pub(crate) const JOIN_OVERLAPS: f64 = 90.0;
    pub(crate) const FEW_OVERLAPS: f64 = 1.1;
    pub(crate) const FEW_MOVE: f64 = 0.04;
    /// Divide the boxes once more, where many overlap on each axis, and number of comparisons for each box where nothing is
    /// divided.
    pub(crate) const DIVIDE: f64 = 20.0;
    pub(crate) const DIVIDE_WORK: f64 = 64.0;
}

/// The division of space. Everything outside belongs to the outermost cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Axis along the strips. Each strip is divided into its own bins, see [`StripAxis::bins`].
    pub(crate) along: StripAxis,
    /// Cells of two axes, slow and fast: strip `u * v.cells + v`. Both are across the strips, but `u` is along them if these are slices.
    pub(crate) u: AxisCells,
    pub(crate) v: AxisCells,
}

/// Memory for the choice of a grid.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// The level at which grids are priced.
    pub(crate) level: Level,
    pub(super) boxes: Vec<Aabb>,
    /// Displacements of the boxes on each axis if long paths are cut, otherwise empty.
    deltas: [Vec<f32>; 3],
    /// Flags of the sets that the boxes are from. Two boxes with a common flag are not a pair.
    flags: Vec<u32>,
    pub(super) line: Vec<f32>,
    /// The boxes as columns, with padding.
    columns: [Vec<f32>; 6],
    /// Of each box, with padding: the number of strips that it overlaps, and the counters of the strip and of the slab in which it starts.
    located: [Vec<u32>; 3],
    /// Zeros while no grid is priced.
    counts: Vec<u32>,
    /// Whether most of the boxes are in a crowd; `None` until a price depends on it. If they are, empty strips cost as much as others.
    pub(super) has_crowd: Option<bool>,
    /// The pairs of the sample that overlap on each axis, the first and last cells of its boxes, and for each box the share of its cells
    /// and of its bounds that a long path crosses.
    pairs: [AxisPairs; 3],
    cells: [Vec<u32>; 4],
    crossed: Vec<f32>,
}

impl_memory!(Sample {
    boxes, deltas, flags, line, columns, located, counts, pairs, cells, crossed;
    without level, has_crowd
});

impl Sample {
    /// Copies `count` of this many boxes, at even distances or not. `get` returns a box and its flags.
    pub(super) fn fill(
        &mut self,
        rows: usize,
        (count, even): (usize, bool),
        get: &dyn Fn(usize) -> (MovingBox, u32),
        paths: bool,
    ) {
        self.boxes.clear();
        self.deltas.iter_mut().for_each(Vec::clear);
        self.flags.clear();
        self.has_crowd = None;
        for k in 0..count {
            let index = if even { sample_index } else { uneven_index };
            let (moving, flags) = get(index(k, count, rows));
            if moving.validate().is_ok() {
                self.boxes.push(nearest_bounds(&moving));
                if paths {
                    self.deltas.iter_mut().zip(moving.delta).for_each(|(to, x)| to.push(x));
                }
                self.flags.push(flags & !STILL);
            }
        }
    }

    /// Returns whether boxes at other distances are like the sample, for which `count` boxes were read: not far more of them are valid, and most of
    /// them start within its bounds. If each 256th row is unused, a sample at even distances may have
    /// unused rows only.
    pub(super) fn is_typical(
        &self,
        rows: usize,
        count: usize,
        get: &dyn Fn(usize) -> (MovingBox, u32),
    ) -> bool {
        let around = [0, 1, 2].map_each(|axis| whole_extent(axis, &self.boxes));
        let others = (rows / ROWS_PER_OTHER).min(OTHERS_MAX);
        let (mut valid, mut within) = (0, 0);
        for k in 0..others {
            let (moving, _) = get(uneven_index(k, others, rows));
            if moving.validate().is_ok() {
                valid += 1;
                let start = moving.aabb.min;
                let is_within =
                    around.iter().all(|&AxisExtent { axis, origin, length, .. }| {
                        origin <= start[axis] && start[axis] <= origin + length
                    });
                within += usize::from(is_within);
            }
        }
        2 * within >= valid && 2 * self.boxes.len() * others >= valid * count
    }

    /// Reserves memory for the prices of grids of this many boxes.
    pub(super) fn reserve(&mut self, rows: usize) {
        let counters = (Grid::strips_max(rows) * COUNTERS) as usize;
        self.counts.reserve_exact(counters.saturating_sub(self.counts.len()));
    }

    /// Removes the largest box of each axis. A single ground box under a million others may well be in the sample,
    /// and would count as a thousandth of all boxes.
    pub(super) fn drop_largest(&mut self) {
        if self.boxes.len() <= LARGEST_KEPT {
            return;
        }
        for axis in 0..3 {
            let length = |aabb: &Aabb| aabb.max[axis] - aabb.min[axis];
            let boxes = self.boxes.iter().enumerate();
            let largest = boxes.max_by(|(_, p), (_, q)| length(p).total_cmp(&length(q)));
            if let Some((at, _)) = largest.filter(|_| self.boxes.len() > LARGEST_KEPT) {
                self.boxes.swap_remove(at);
                self.flags.swap_remove(at);
                for deltas in self.deltas.iter_mut().filter(|deltas| at < deltas.len()) {
                    deltas.swap_remove(at);
                }
            }
        }
    }

    /// Returns whether the boxes are long on these axes because of their paths, which strips cut.
    pub(super) fn has_long_paths(&self, extents: [AxisExtent; 3]) -> bool {
        let path = |deltas: &[f32]| deltas.iter().map(|delta| f64::from(delta.abs())).sum::<f64>();
        extents.iter().any(|extent| {
            let deltas = &self.deltas[extent.axis];
            path(deltas) > 0.5 * deltas.len() as f64 * f64::from(extent.mean)
        })
    }

    /// Copies the boxes to columns.
    pub(super) fn fill_columns(&mut self) {
        let padded = self.boxes.len() + LANES_MAX;
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.clear();
            let ends = |aabb: &Aabb| if k < 3 { aabb.min[k] } else { aabb.max[k - 3] };
            column.extend(self.boxes.iter().map(ends));
            // The padding overlaps nothing.
            column.resize(padded, if k < 3 { f32::INFINITY } else { f32::NEG_INFINITY });
        }
        self.flags.resize(padded, 0);
        self.located.iter_mut().for_each(|column| column.resize(padded, 0));
    }

    /// Lists the pairs of the sample that overlap on an axis, of about `tested_max` pairs at most.
    pub(super) fn find_pairs(&mut self, axis: usize, tested_max: usize) {
        let boxes = self.boxes.len();
        let ends = [axis, 3 + axis].map_each(|k| &self.columns[k][..boxes]);
        self.pairs[axis].find(self.level, ends, tested_max);
    }

    /// Returns the share of pairs that overlap on an axis and of which both boxes are shorter than this on it.
    pub(super) fn short_share(&self, axis: usize, than: f32) -> f64 {
        let (lows, highs) = (&self.columns[axis], &self.columns[3 + axis]);
        self.pairs[axis].share(|a, b| highs[a] - lows[a] < than && highs[b] - lows[b] < than)
    }

    /// Returns whether most of the boxes are in a crowd.
    fn has_crowd(&mut self) -> bool {
        let Self { boxes, line, has_crowd, .. } = self;
        *has_crowd.get_or_insert_with(|| Extents::of(boxes, line).has_crowd())
    }

    /// Sums the copies of the boxes for the grid whose cells were located last.
    fn copied(&self, grid: &Grid, along: usize) -> Copied {
        let Self { boxes, deltas, columns, located: [spans, ..], .. } = self;
        let ends = columns[along].iter().zip(&columns[3 + along]);
        let spans = spans[..boxes.len()].iter().zip(ends);
        let mut sums = Copied { copies: 0.0, reach: 0.0, long: [0.0; 2] };
        if deltas[along].is_empty() {
            let mut copies = 0;
            for (&span, (low, high)) in spans {
                copies += u64::from(span);
                sums.reach += f64::from(span) * f64::from(high - low).max(0.0);
            }
            return Copied { copies: copies as f64, ..sums };
        }
        let across = deltas[grid.u.axis].iter().zip(&deltas[grid.v.axis]);
        for ((&span, (low, high)), (path, (u, v))) in spans.zip(deltas[along].iter().zip(across)) {
            let (mut here, mut length) = (f64::from(span), f64::from(high - low));
            let (u_cells, v_cells) = ((u * grid.u.scale).abs(), (v * grid.v.scale).abs());
            // Cells around a long path that the path does not cross are left out.
            if u_cells + v_cells >= LONG_CELLS {
                here = (here - f64::from(u_cells) * f64::from(v_cells)).max(1.0);
                sums.long = [sums.long[0] + 1.0, sums.long[1] + here];
                let most = f64::from(u_cells.max(v_cells)).max(1.0);
                length -= f64::from(path.abs()) * (1.0 - 1.0 / most);
                // More of its candidates are swept.
                length *= cost::LONG;
            }
            sums.copies += here;
            sums.reach += here * length.max(0.0);
        }
        sums
    }

    /// Counts the pairs in each strip and slab of the grid whose cells were located last.
    fn shared(&mut self, strips: usize) -> Shared {
        let Self { boxes, located: [_, strips_of, slabs_of], counts, .. } = self;
        // One counter for each slab, and one for the whole strip. They are zero before and after this call.
        counts.resize(counts.len().max(strips * COUNTERS as usize), 0);
        let counts = &mut counts[..strips * COUNTERS as usize];
        let located = || strips_of[..boxes.len()].iter().zip(&*slabs_of);
        let mut shared = Shared { slabs: 0, strips: 0, occupied: 0 };
        for (&strip, &slab) in located() {
            let (in_strip, in_slab) = (counts[strip as usize], counts[slab as usize]);
            (counts[strip as usize], counts[slab as usize]) = (in_strip + 1, in_slab + 1);
            shared.slabs += u64::from(in_slab);
            shared.strips += in_strip;
            shared.occupied += u32::from(in_strip == 0);
        }
        for (&strip, &slab) in located() {
            (counts[strip as usize], counts[slab as usize]) = (0, 0);
        }
        shared
    }

    /// Returns how many comparisons a grid needs for each of this many boxes, by the pairs that were listed for the axis along its
    /// strips, and how many a listed pair stands for.
    pub(super) fn compared(&mut self, rows: usize, grid: &Grid) -> [f64; 2] {
        let Self { level, deltas, columns, cells: located, crossed, .. } = self;
        level.run(LocateCells { across: [grid.u, grid.v], columns, cells: located });
        crossed.clear();
        let along = grid.along.axis;
        for k in 0..deltas[along].len() {
            let cells = |cut: &AxisCells| (deltas[cut.axis][k] * cut.scale).abs();
            let (u_cells, v_cells) = (cells(&grid.u), cells(&grid.v));
            let long = u_cells + v_cells >= LONG_CELLS;
            let share = if long {
                let [u, v] = [0, 2].map_each(|first| located[first + 1][k] - located[first][k] + 1);
                let [span, length] = [(u * v) as f32, columns[3 + along][k] - columns[along][k]];
                let here = (span - u_cells * v_cells).max(1.0) / span.max(1.0);
                let path = deltas[along][k].abs() * (1.0 - 1.0 / u_cells.max(v_cells));
                here * ((length - path) / length.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
            } else {
                1.0
            };
            crossed.push(share);
        }
        let each = 0.5 * rows as f64;
        let pairs = &self.pairs[along];
        [each * pairs.compared(&self.cells, &self.crossed), each * pairs.one()]
    }

    /// Estimates how many overlaps of two boxes there are for each of `rows` boxes, whether or not they move.
    pub(super) fn overlaps_each(&self, rows: usize) -> f64 {
        let Self { level, columns, flags, .. } = self;
        let boxes = self.boxes.len();
        let step = boxes.div_ceil(TRIED).max(1);
        let pairs = level.run(CountSampleOverlaps { columns, flags, boxes, step });
        let tried = boxes.div_ceil(step) * boxes.saturating_sub(1);
        0.5 * rows as f64 * pairs as f64 / tried.max(1) as f64
    }
}

/// Sums over the boxes of a sample for one grid.
struct Copied {
    /// Strips that the boxes are copied to, and of each copy the length along the strip.
    copies: f64,
    reach: f64,
    /// Boxes with long paths, and the strips that these are copied to.
    long: [f64; 2],
}

/// Numbers of pairs of a sample whose boxes start in the same slab, and in the same strip, and of strips in which boxes start.
struct Shared {
    slabs: u64,
    strips: u32,
    occupied: u32,
}

/// A grid of about the requested number of strips, and the estimated cost of a tick with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Estimated nanoseconds, and the part of them that is the comparisons of strips.
    pub(super) cost: f64,
    pub(super) compared: f64,
    /// Estimated nanoseconds of a join of all boxes.
    pub(super) join: f64,
    /// How many times `join` a tick may take before the sample counts as wrong.
    pub(super) slack: f64,
    /// Mean number of strips that a box overlaps.
    pub(super) copies: f64,
    /// Share of boxes with long paths, and mean number of strips that such a box is copied to.
    pub(super) long: [f64; 2],
    /// Mean number of records of a strip that is not empty.
    pub(super) crowd: f64,
    /// Mean over boxes of the number of records that start in the strip of the box, which is greater in uneven worlds.
    pub(super) neighbours: f64,
    pub(super) strips: f64,
    /// Whether the boxes of the only strip are to be joined, because every grid is more expensive.
    pub(crate) joined: bool,
    pub(crate) grid: Grid,
}

impl Choice {
    /// Returns the number of records of this many boxes from which the sample counts as wrong: it missed a few boxes that overlap
    /// thousands of strips. Both the number of records and the comparisons of each grow with the copies, so the cost
    /// grows with their square.
    pub(crate) fn records_max(&self, rows: usize) -> usize {
        let share = self.slack * self.join / self.cost;
        // A sample without boxes costs nothing.
        let more = if share > 1.0 { libm::sqrt(share.min(1e12)) } else { 1.0 };
        (rows as f64 * self.copies * more) as usize
    }

    /// Returns the choice of a grid without a price, with strips of this many records.
    pub(super) fn free(grid: Grid, crowd: f64) -> Self {
        let strips = grid.strips() as f64;
        let (cost, compared, join, slack, copies) = (0.0, 0.0, 0.0, 1.0, 1.0);
        let (long, neighbours, joined) = ([0.0; 2], crowd, false);
        Self { cost, compared, join, slack, copies, long, crowd, neighbours, strips, joined, grid }
    }

    /// Returns the choice to join all boxes instead.
    pub(super) fn join_instead(self) -> Self {
        let [u, v] = [self.grid.u, self.grid.v].map_each(|cut| AxisCells { cells: 1, ..cut });
        let grid = Grid { u, v, ..self.grid };
        let (strips, copies, long, compared) = (1.0, 1.0, [0.0; 2], 0.0);
        Self { cost: self.join, compared, copies, long, strips, joined: true, grid, ..self }
    }

    /// Returns the cheaper one; `self` if they cost the same.
    pub(super) fn or(self, other: Self) -> Self {
        if other.cost < self.cost { other } else { self }
    }
}

impl Grid {
    pub(crate) fn strips(&self) -> usize {
        (self.u.cells * self.v.cells) as usize
    }

    /// Returns the greatest number of strips for this many boxes, for which memory is reserved.
    pub(crate) fn strips_max(rows: usize) -> u32 {
        (rows / 8).clamp(1, STRIPS_MAX as usize) as u32
    }

    /// Returns the axis along the strips, then the two others, of which not both need be divided.
    pub(crate) fn axes(&self) -> [usize; 3] {
        let along = self.along.axis;
        [along, (along + 1) % 3, (along + 2) % 3]
    }

    /// Returns the position of a divided axis in [`Grid::axes`].
    pub(crate) fn column(&self, cut: &AxisCells) -> usize {
        (cut.axis + 3 - self.along.axis) % 3
    }

    /// Returns the flag of the records that do not start in a strip, for each axis in the order of [`Grid::axes`]; on the axis
    /// that is not divided, a flag that no record has.
    pub(crate) fn not_first(&self) -> [u32; 3] {
        let mut flags = [NOT_FIRST_UNCUT; 3];
        flags[self.column(&self.u)] = NOT_FIRST_U;
        flags[self.column(&self.v)] = NOT_FIRST_V;
        flags
    }

    /// Returns a grid of about `strips` slices that follow each other along the axis of the strips. If more than [`CELLS_MAX`] are
    /// requested, each slice is also divided on `v`.
    pub(super) fn with_slices(along: AxisExtent, v: AxisExtent, strips: f64) -> Self {
        let slices = strips.clamp(1.0, f64::from(CELLS_MAX));
        Self::new(along, along.cut(slices as u32), v.cut((strips / slices) as u32))
    }

    /// Returns a grid of about `strips` strips, divided so that boxes cross as few borders as possible.
    pub(super) fn with_strips(
        along: AxisExtent,
        u: AxisExtent,
        v: AxisExtent,
        strips: f64,
    ) -> Self {
        // A box overlaps (1 + mean/width) cells on an axis. For a fixed number of cells, the product over both axes
        // is least when both are divided in proportion to length / mean.
        let boxes_along =
            |e: AxisExtent| (f64::from(e.length) / f64::from(e.mean).max(1e-30)).max(1.0);
        let u_cells = libm::sqrt(strips * boxes_along(u) / boxes_along(v));
        let u_cells = u_cells.clamp(1.0, strips.min(f64::from(CELLS_MAX)));
        let v_cells = (strips / u_cells).clamp(1.0, f64::from(CELLS_MAX));
        Self::new(along, u.cut(u_cells as u32), v.cut(v_cells as u32))
    }

    fn new(along: AxisExtent, u: AxisCells, v: AxisCells) -> Self {
        let (axis, low) = (along.axis, along.origin);
        Self { along: StripAxis { axis, low, high: low + along.length }, u, v }
    }

    /// Estimates the cost of a tick.
    pub(super) fn price(self, rows: usize, sample: &mut Sample, along: AxisExtent) -> Choice {
        let samples = sample.boxes.len() as f64;
        if samples < 2.0 {
            return Choice::free(self, 0.0);
        }
        // How many strips a box is copied to, and how often two boxes share a strip and one of its slabs, is counted
        // in the sample, so uneven density is taken into account.
        let slices = if self.u.axis == along.axis { self.u.cells } else { 1 };
        let slabs = along.cut(SLABS * slices);
        let strips = self.strips();
        let strip = f64::from(along.length) / f64::from(slices);
        let located = &mut sample.located;
        sample.level.run(LocateSample { grid: &self, slabs, columns: &sample.columns, located });
        let Copied { copies, reach, long } = sample.copied(&self, along.axis);
        let Shared { slabs: together, strips: in_one, occupied } = sample.shared(strips);
        let pairs = 0.5 * samples * (samples - 1.0);
        // If boxes were distributed evenly among so many strips, as many pairs would be in the same strip as in the sample.
        let mut filled = pairs / f64::from(Ord::max(in_one, 1));
        let mostly_empty = in_one >= FILLED_PAIRS_MIN && filled < FILLED_PART * strips as f64;
        if !mostly_empty || sample.has_crowd() {
            filled = strips as f64;
        }
        // A strip has about as many bins as boxes.
        let bin = strip * filled / rows as f64;
        let (reach, copies) = ((reach + bin * copies) / samples, copies / samples);
        let reach = reach / strip.max(1e-30) * f64::from(SLABS);
        let share = together as f64 / pairs;
        // `reach` counts each copy's own length once, so it contains one factor of the copies.
        let candidates = rows as f64 * share * reach.min(f64::from(SLABS) * copies) * copies;
        // A box is compared with each other one at most once in each strip. Where all boxes start in one slab and reach all of them, the product is far more.
        let candidates = candidates.min(rows as f64 * copies);
        let (rows, chunks) = (rows as f64, chunk_rows(rows).1 as f64);
        let crowd = rows * copies / f64::from(occupied);
        let far = cost::FAR * (1.0 - cost::NEAR_RECORDS / crowd).max(0.0);
        let compared = rows * candidates * cost::CANDIDATE;
        let cost = rows * copies * (cost::COPY + cost::START + far)
            + compared
            + filled * (cost::STRIP + cost::PIECE * chunks)
            + (strips as f64 - filled) * (cost::EMPTY_STRIP + cost::EMPTY_PIECE * chunks);
        let long = [long[0] / samples, long[1] / long[0].max(1.0)];
        let neighbours = rows * copies * f64::from(in_one) / (0.5 * samples * samples);
        Choice { cost, compared, copies, long, neighbours, ..Choice::free(self, crowd) }
    }
}

/// Counts the overlaps of every `step`th box of a sample with all others, except those of the same set if there are two.
struct CountSampleOverlaps<'a> {
    columns: &'a [Vec<f32>; 6],
    flags: &'a [u32],
    boxes: usize,
    step: usize,
}

impl Kernel for CountSampleOverlaps<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { columns, flags, boxes, step } = self;
        let mut pairs = 0;
        for row in (0..boxes).step_by(step) {
            let count = count_overlapping(isa, row, 0..boxes, (columns, flags), [&[]; 2]);
            // A box without flags also overlaps itself.
            pairs += count - usize::from(flags[row] == 0);
        }
        pairs
    }
}

/// Computes the numbers of strips of the boxes of a sample, and the counters of their first strips and slabs.
struct LocateSample<'a> {
    grid: &'a Grid,
    slabs: AxisCells,
    columns: &'a [Vec<f32>; 6],
    located: &'a mut [Vec<u32>; 3],
}

impl Kernel for LocateSample<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { grid: Grid { u, v, .. }, slabs, columns, located: [spans, strips, slabs_of] } =
            self;
        let (one, minus) = (isa.splat_u32(1), isa.splat_u32(u32::MAX));
        let rows = columns[0].len() - LANES_MAX;
        for row in (0..rows).step_by(I::LANES) {
            let [u_low, u_high] = ends(isa, u, columns, row);
            let [v_low, v_high] = ends(isa, v, columns, row);
            let u_span = u_high.wrapping_add(u_low.wrapping_mul(minus)).wrapping_add(one);
            let v_span = v_high.wrapping_add(v_low.wrapping_mul(minus)).wrapping_add(one);
            u_span.wrapping_mul(v_span).store(&mut spans[row..]);
            let strip = u_low.wrapping_mul(isa.splat_u32(v.cells)).wrapping_add(v_low);
            let counters = strip.wrapping_mul(isa.splat_u32(COUNTERS));
            counters.wrapping_add(isa.splat_u32(SLABS)).store(&mut strips[row..]);
            let [slab, _] = ends(isa, &slabs, columns, row);
            let slab = slab & isa.splat_u32(SLABS - 1);
            counters.wrapping_add(slab).store(&mut slabs_of[row..]);
        }
    }
}

/// Returns the cells of both ends of a lane group of boxes.
#[inline(always)]
fn ends<I: Isa>(isa: I, cut: &AxisCells, columns: &[Vec<f32>; 6], row: usize) -> [I::U32; 2] {
    let (low, high) = (&columns[cut.axis][row..], &columns[3 + cut.axis][row..]);
    [cut.cells_of(isa, isa.load(low)), cut.cells_of(isa, isa.load(high))]
}

/// Returns the bounds of the path of a box, rounded to nearest, because a sample need not contain the path.
fn nearest_bounds(MovingBox { aabb, delta }: &MovingBox) -> Aabb {
    let Aabb { mut min, mut max } = *aabb;
    for ((low, high), delta) in min.iter_mut().zip(&mut max).zip(delta) {
        let to = if *delta < 0.0 { &mut *low } else { &mut *high };
        *to += *delta;
    }
    Aabb { min, max }
}
