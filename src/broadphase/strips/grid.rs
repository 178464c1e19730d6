//! Into which strips and bins is the world cut?

use crate::geom::{Aabb, MapEach, MovingBox, descending};
use crate::lanes::{F32Lanes, Isa};
use alloc::vec::Vec;

/// Most cells on one axis: cell numbers, and their count, are bytes.
const CELLS_MAX: u32 = 255;
/// Most strips: past this scattering to them falls off a cliff of address translation.
const STRIPS_MAX: u32 = 4096;
/// Bins of a strip: as many as it has boxes, between these.
const BINS_MIN: usize = 16;
const BINS_MAX: usize = 1 << 16;
/// Boxes looked at to choose the grid.
const SAMPLES_MAX: usize = 1024;
const SAMPLES_MIN: usize = 96;
/// Slabs of a strip in which the sample is counted.
const SLABS: u32 = 16;
/// Boxes are in a line where the world is no longer than so many boxes on all axes but one.
const LINE_RATIO: f64 = 8.0;
/// Boxes of the sample of which all pairs are tried.
const TRIED_MAX: usize = 256;
/// How many boxes stand behind one that is looked at, between these limits.
const ROWS_PER_SAMPLE: usize = 256;
/// Boxes looked at where a smaller sample was wrong, and how many stand behind one of them.
const DENSE_SAMPLES_MAX: usize = 16 * SAMPLES_MAX;
const DENSE_ROWS_PER_SAMPLE: usize = ROWS_PER_SAMPLE / 16;
/// Records may be so many times as many as the sample says, and as many boxes more, before the sample is called wrong.
const RECORDS_SLACK: f64 = 2.0;

/// A displacement is long when it is so many cells at least, both axes together. One along the
/// strips counts little: it must only be in proportion to the margin.
pub(crate) const LONG_CELLS: f32 = 1.0;

/// What one step costs, in nanoseconds on a 2023 server core; only ratios matter.
mod cost {
    /// To copy a box to a strip and order it there.
    pub(crate) const COPY: f64 = 12.0;
    /// To order a box in a strip that is too crowded for the cache of a core.
    pub(crate) const FAR: f64 = 30.0;
    /// The records of a strip that fit there.
    pub(crate) const NEAR_RECORDS: f64 = 4096.0;
    /// To start comparing one box.
    pub(crate) const START: f64 = 3.0;
    /// To compare with one candidate.
    pub(crate) const CANDIDATE: f64 = 0.15;
    /// To compare with a candidate on a long path, as a multiple.
    pub(crate) const LONG: f64 = 4.0;
    /// To visit one strip, however empty.
    pub(crate) const STRIP: f64 = 600.0;
    /// To join a box in a strip that is divided, and to report a pair there; see `kd_join.rs`.
    pub(crate) const JOIN: f64 = 70.0;
    pub(crate) const JOIN_PAIR: f64 = 3.0;
}

/// How one axis is cut: cell `k` holds `origin + k / scale` and up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisCells {
    /// Which axis of space.
    pub(crate) axis: usize,
    pub(crate) origin: f32,
    /// Cells per unit of length.
    pub(crate) scale: f32,
    pub(crate) cells: u32,
}

/// The axis along the strips, and where nearly all boxes lie on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StripAxis {
    pub(crate) axis: usize,
    low: f32,
    high: f32,
}

impl StripAxis {
    /// Bins for a strip of so many boxes, which start between `low` and `high`.
    pub(crate) fn bins(&self, boxes: usize, low: f32, high: f32) -> AxisCells {
        // A body that fell out of the world must not stretch the bins of all others. Where the
        // boxes end is known from a sample: past that there are more of them.
        let slack = (self.high - self.low) * 0.125;
        let (low, high) = (low.max(self.low - slack), high.min(self.high + slack));
        let bins = Self::bins_of(boxes) as u32;
        AxisExtent { axis: self.axis, origin: low, length: high - low, mean: 0.0 }.cut(bins)
    }

    /// The most bins that a strip of so many boxes has.
    pub(crate) fn bins_of(boxes: usize) -> usize {
        boxes.next_power_of_two().clamp(BINS_MIN, BINS_MAX)
    }
}

/// How the world is cut. Everything outside falls into the outermost cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Along the strips. Each is cut into bins of its own, see [`StripAxis::bins`].
    pub(crate) along: StripAxis,
    /// Cells across, slow and fast: strip `u * v.cells + v`.
    pub(crate) u: AxisCells,
    pub(crate) v: AxisCells,
}

/// Memory for choosing a grid.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    boxes: Vec<Aabb>,
    /// Their displacements, where long paths are cut; else none.
    deltas: Vec<[f32; 3]>,
    /// Their flags: two boxes with one in common make no pair.
    flags: Vec<u32>,
    line: Vec<f32>,
    counts: Vec<u32>,
}

impl Sample {
    /// Forgets the largest box of each axis: one ground under a million boxes may well be looked
    /// at, and would count as a thousandth of them.
    fn drop_largest(&mut self) {
        for axis in 0..3 {
            let length = |aabb: &Aabb| aabb.max[axis] - aabb.min[axis];
            let boxes = self.boxes.iter().enumerate();
            let largest = boxes.max_by(|(_, p), (_, q)| length(p).total_cmp(&length(q)));
            if let Some((at, _)) = largest.filter(|_| self.boxes.len() > SAMPLES_MAX / 4) {
                self.boxes.swap_remove(at);
                self.flags.swap_remove(at);
                if at < self.deltas.len() {
                    self.deltas.swap_remove(at);
                }
            }
        }
    }

    /// About how many pairs each of `rows` boxes makes.
    fn pairs_each(&self, rows: usize) -> f64 {
        let step = self.boxes.len().div_ceil(TRIED_MAX).max(1);
        let tried = || self.boxes.iter().zip(&self.flags).step_by(step);
        let (mut pairs, mut all) = (0_u32, 0_u32);
        for (k, (a, a_flags)) in tried().enumerate() {
            for (b, b_flags) in tried().skip(k + 1) {
                pairs += u32::from(a_flags & b_flags == 0 && a.overlaps(b));
                all += 1;
            }
        }
        0.5 * rows as f64 * f64::from(pairs) / f64::from(all.max(1))
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb>()
            + self.deltas.capacity() * size_of::<[f32; 3]>()
            + self.line.capacity() * size_of::<f32>()
            + (self.counts.capacity() + self.flags.capacity()) * size_of::<u32>()
    }
}

/// What the sample says of one axis.
#[derive(Clone, Copy, Debug)]
struct AxisExtent {
    axis: usize,
    origin: f32,
    length: f32,
    /// Mean length of the boxes.
    mean: f32,
}

/// A grid of about so many strips, and what a tick is thought to take with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Nanoseconds.
    cost: f64,
    /// Strips that a box meets.
    copies: f64,
    /// Records of a strip that is not empty.
    crowd: f64,
    strips: f64,
    pub(crate) grid: Grid,
}

impl Choice {
    /// Records for each box from which the sample is called wrong: a few boxes that it missed meet thousands of strips.
    pub(crate) fn records_max(&self) -> usize {
        (RECORDS_SLACK * (1.0 + self.copies)) as usize
    }

    /// The cheaper; this one when they cost the same.
    fn or(self, other: Self) -> Self {
        if other.cost < self.cost { other } else { self }
    }
}

impl Grid {
    pub(crate) fn strips(&self) -> usize {
        (self.u.cells * self.v.cells) as usize
    }

    /// The most strips into which so many boxes may be cut: what to make room for.
    pub(crate) fn strips_max(rows: usize) -> u32 {
        (rows / 8).clamp(1, STRIPS_MAX as usize) as u32
    }

    /// The axis along the strips, then the two others, of which not both need be cut.
    pub(crate) fn axes(&self) -> [usize; 3] {
        let along = self.along.axis;
        [along, (along + 1) % 3, (along + 2) % 3]
    }

    /// The place of a cut axis in [`Grid::axes`].
    pub(crate) fn column(&self, cut: &AxisCells) -> usize {
        (cut.axis + 3 - self.along.axis) % 3
    }

    /// Chooses the cells for `rows` boxes from a sample of them.
    ///
    /// With `paths` those for boxes that are only in the strips which they pass. A function of
    /// the boxes alone, so that the order of pairs is, too. `get` returns a box and its flags.
    ///
    /// `rejected` is how many grids had more records than [`Choice::records_max`]. The sample is then larger and keeps
    /// its largest boxes, and each further grid has at most a sixteenth of the strips. The last has one, which holds a
    /// record of each box.
    pub(crate) fn choose(
        rows: usize,
        get: &dyn Fn(usize) -> (MovingBox, u32),
        paths: bool,
        rejected: u32,
        sample: &mut Sample,
    ) -> Choice {
        let wanted = if rejected == 0 {
            (rows / ROWS_PER_SAMPLE).clamp(SAMPLES_MIN, SAMPLES_MAX).min(rows)
        } else {
            (rows / DENSE_ROWS_PER_SAMPLE).clamp(SAMPLES_MIN, DENSE_SAMPLES_MAX).min(rows)
        };
        sample.boxes.clear();
        sample.deltas.clear();
        sample.flags.clear();
        for k in 0..wanted {
            let (moving, flags) = get((k as u64 * rows as u64 / wanted as u64) as usize);
            if moving.validate().is_ok() {
                sample.boxes.push(moving.bounds());
                sample.deltas.extend(paths.then_some(moving.delta));
                sample.flags.push(flags);
            }
        }
        if rejected == 0 {
            sample.drop_largest();
        }
        sample.counts.clear();
        sample.counts.reserve((Self::strips_max(rows) * (SLABS + 1)) as usize);
        let extents: [AxisExtent; 3] =
            core::array::from_fn(|axis| extent(axis, &sample.boxes, &mut sample.line));

        // Along the axis on which the world is longest for its boxes, the others across.
        let ratio = |e: &AxisExtent| f64::from(e.length) / f64::from(e.mean).max(1e-30);
        let ratios = [ratio(&extents[0]), ratio(&extents[1]), ratio(&extents[2])];
        let [along, u, v] = descending(ratios).map_each(|axis| extents[axis]);
        let coarser = 4 * rejected.saturating_sub(1);
        let most = f64::from((Self::strips_max(rows) >> coarser).max(1));
        let mut price = |slices: bool, strips: f64| {
            let grid = if slices {
                Self::with_slices(along, u, strips)
            } else {
                Self::with_strips(along, u, v, strips)
            };
            grid.price(rows, sample, along)
        };
        // Boxes in a line have no extent to cut across: then strips follow each other.
        let across = if ratio(&u) < LINE_RATIO {
            cheapest(most, &mut |strips| price(true, strips))
        } else {
            let across = cheapest(most, &mut |strips| price(false, strips));
            if across.crowd <= cost::NEAR_RECORDS {
                across
            } else {
                // So do those in a line askew, of whose strips most are empty.
                across.or(cheapest(most, &mut |strips| price(true, strips)))
            }
        };
        // Where no grid fits, one strip is divided.
        let boxes = rows as f64;
        if across.cost <= boxes * cost::JOIN {
            return across;
        }
        let cost = boxes * (cost::JOIN + cost::JOIN_PAIR * sample.pairs_each(rows));
        let grid = Self::with_strips(along, u, v, 1.0);
        across.or(Choice { cost, copies: 1.0, crowd: boxes, strips: 1.0, grid })
    }

    /// About `strips` strips that follow each other, and past as many as can be beside each other.
    fn with_slices(along: AxisExtent, v: AxisExtent, strips: f64) -> Self {
        let slices = strips.clamp(1.0, f64::from(CELLS_MAX));
        Self::new(along, along.cut(slices as u32), v.cut((strips / slices) as u32))
    }

    /// About `strips` strips, cut so that boxes cross as few borders as can be.
    fn with_strips(along: AxisExtent, u: AxisExtent, v: AxisExtent, strips: f64) -> Self {
        // A box meets (1 + mean/width) cells on an axis; with the product of the cells fixed,
        // the product of these is least when both axes are cut in proportion to length / mean.
        let boxes_along =
            |e: AxisExtent| (f64::from(e.length) / f64::from(e.mean).max(1e-30)).max(1.0);
        let u_cells = square_root(strips * boxes_along(u) / boxes_along(v));
        let u_cells = u_cells.clamp(1.0, strips.min(f64::from(CELLS_MAX)));
        let v_cells = (strips / u_cells).clamp(1.0, f64::from(CELLS_MAX));
        Self::new(along, u.cut(u_cells as u32), v.cut(v_cells as u32))
    }

    fn new(along: AxisExtent, u: AxisCells, v: AxisCells) -> Self {
        let (axis, low) = (along.axis, along.origin);
        Self { along: StripAxis { axis, low, high: low + along.length }, u, v }
    }

    /// What a tick is thought to take.
    fn price(self, rows: usize, sample: &mut Sample, along: AxisExtent) -> Choice {
        let samples = sample.boxes.len() as f64;
        if samples < 2.0 {
            let strips = self.strips() as f64;
            return Choice { cost: 0.0, copies: 1.0, crowd: 0.0, strips, grid: self };
        }
        // How many strips a box is copied to, and how often two boxes share a strip and one of
        // a few slabs along it: from counts of the sample, which see uneven density.
        let slices = if self.u.axis == along.axis { self.u.cells } else { 1 };
        let slabs = along.cut(SLABS * slices);
        let strips = self.strips();
        sample.counts.clear();
        // A count for each slab, and after them whether any box is in the strip.
        let counters = SLABS as usize + 1;
        sample.counts.resize(strips * counters, 0);
        let (mut copies, mut together, mut reach, mut occupied) = (0.0, 0.0, 0.0, 0);
        // A strip has about as many bins as boxes.
        let strip = f64::from(along.length) / f64::from(slices);
        let bin = strip * strips as f64 / rows as f64;
        for (k, aabb) in sample.boxes.iter().enumerate() {
            let span =
                |cut: &AxisCells| cut.cell(aabb.max[cut.axis]) - cut.cell(aabb.min[cut.axis]) + 1;
            let mut here = f64::from(span(&self.u) * span(&self.v));
            let mut length = f64::from(aabb.max[along.axis] - aabb.min[along.axis]);
            // Of the cells around a long path, those off it are left out.
            let delta = sample.deltas.get(k).copied().unwrap_or_default();
            let cells = |cut: &AxisCells| (delta[cut.axis] * cut.scale).abs();
            let (u_cells, v_cells) = (cells(&self.u), cells(&self.v));
            if u_cells + v_cells >= LONG_CELLS {
                here = (here - f64::from(u_cells) * f64::from(v_cells)).max(1.0);
                let path = f64::from(delta[along.axis].abs());
                length -= path * (1.0 - 1.0 / f64::from(u_cells.max(v_cells)));
                // More of its candidates are swept.
                length *= cost::LONG;
            }
            copies += here;
            reach += here * (length.max(0.0) + bin);
            let strip = self.u.cell(aabb.min[self.u.axis]) * self.v.cells
                + self.v.cell(aabb.min[self.v.axis]);
            let slab = slabs.cell(aabb.min[along.axis]) % SLABS;
            let counts = &mut sample.counts[strip as usize * counters..];
            together += f64::from(counts[slab as usize]);
            counts[slab as usize] += 1;
            occupied += 1 - core::mem::replace(&mut counts[SLABS as usize], 1);
        }
        let copies = copies / samples;
        let reach = reach / samples / strip.max(1e-30) * f64::from(SLABS);
        let share = together / (0.5 * samples * (samples - 1.0));
        // `reach` counts each copy's own length once, so it holds one factor of the copies.
        let candidates = rows as f64 * share * reach.min(f64::from(SLABS) * copies) * copies;
        let rows = rows as f64;
        let crowd = rows * copies / f64::from(occupied);
        let far = cost::FAR * (1.0 - cost::NEAR_RECORDS / crowd).max(0.0);
        let cost = rows
            * (copies * (cost::COPY + cost::START + far) + candidates * cost::CANDIDATE)
            + strips as f64 * cost::STRIP;
        Choice { cost, copies, crowd, strips: strips as f64, grid: self }
    }
}

/// The cheapest of the numbers of strips up to `most`: coarse steps over the whole range, then
/// finer ones around the best.
fn cheapest(most: f64, price: &mut dyn FnMut(f64) -> Choice) -> Choice {
    let mut priced = |strips: f64| Choice { strips, ..price(strips) };
    let mut best = priced(1.0);
    let mut strips = 4.0;
    while strips <= most {
        best = best.or(priced(strips));
        strips *= 4.0;
    }
    for step in [2.0, core::f64::consts::SQRT_2] {
        for strips in [best.strips * step, best.strips / step] {
            if (1.0..=most).contains(&strips) {
                best = best.or(priced(strips));
            }
        }
    }
    best
}

/// Newton's method, as `core` has no square root. Far from 1, where a world is some 1e18 times
/// longer on one axis, it is too large, and then the limit of the cells decides anyway.
fn square_root(x: f64) -> f64 {
    let mut root = x.max(1.0);
    for _ in 0..64 {
        root = 0.5 * (root + x / root);
    }
    root
}

/// Where the boxes lie on one axis, without the few that lie far off.
fn extent(axis: usize, boxes: &[Aabb], line: &mut Vec<f32>) -> AxisExtent {
    if boxes.is_empty() {
        return AxisExtent { axis, origin: 0.0, length: 0.0, mean: 0.0 };
    }
    line.clear();
    line.extend(boxes.iter().map(|aabb| aabb.min[axis]));
    // A 32nd off either end, and that much put back: exact for an even spread, and a body that
    // fell out of the world cannot stretch the cells.
    let off = line.len() / 32;
    let last = line.len() - 1 - off;
    let low = *line.select_nth_unstable_by(off, f32::total_cmp).1;
    let high = *line.select_nth_unstable_by(last, f32::total_cmp).1;
    let margin = (high - low) * (1.0 / 30.0);
    // The mean without its largest 32nd for the same reason.
    line.clear();
    line.extend(boxes.iter().map(|aabb| aabb.max[axis] - aabb.min[axis]));
    line.select_nth_unstable_by(last, f32::total_cmp);
    let kept = &line[..=last];
    let sum: f64 = kept.iter().map(|&length| f64::from(length)).sum();
    let mean = (sum / kept.len() as f64) as f32;
    AxisExtent { axis, origin: low - margin, length: high - low + 2.0 * margin + mean, mean }
}

impl AxisExtent {
    fn cut(self, cells: u32) -> AxisCells {
        let scale = cells as f32 / self.length;
        // A world of no length, or one so short that cells have none, is one cell.
        let cut = scale.is_finite() && scale > 0.0;
        let cells = if cut { cells } else { 1 };
        let scale = if cut { scale } else { 0.0 };
        AxisCells { axis: self.axis, origin: self.origin, scale, cells }
    }
}

impl AxisCells {
    /// How long a cell is; 0 where nothing is cut.
    pub(crate) fn cell_length(&self) -> f32 {
        if self.cells > 1 { 1.0 / self.scale } else { 0.0 }
    }

    /// The cell of a coordinate: it never falls when the coordinate rises.
    pub(crate) fn cell(&self, at: f32) -> u32 {
        let cell = (at - self.origin) * self.scale;
        (if cell > 0.0 { cell } else { 0.0 }).min((self.cells - 1) as f32) as u32
    }

    /// The same in lanes.
    #[inline(always)]
    pub(crate) fn cells_of<I: Isa>(&self, isa: I, at: I::F32) -> I::U32 {
        let cell = (at - isa.splat(self.origin)) * isa.splat(self.scale);
        cell.max(isa.splat(0.0)).min(isa.splat((self.cells - 1) as f32)).trunc()
    }
}
