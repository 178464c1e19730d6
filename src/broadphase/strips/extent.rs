//! Extents of boxes on one axis, and their division into cells.

use crate::geom::{Aabb, MapEach, append_each, descending};
use crate::lanes::{F32Lanes, Isa};
use crate::par::select_float;
use alloc::vec::Vec;

/// A strip has as many bins as boxes, rounded up to a power of two, between these limits.
const BINS_MIN: usize = 16;
const BINS_MAX: usize = 1 << 16;
/// Most strips may be empty in a grid over the whole if no crowd is shorter than this part of it.
const LONE_CROWD_PART: f32 = 0.25;

/// Cells of one axis: cell `k` contains the coordinates from `origin + k / scale` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisCells {
    /// The axis of space.
    pub(crate) axis: usize,
    pub(crate) origin: f32,
    /// Cells per unit of length.
    pub(crate) scale: f32,
    pub(crate) cells: u32,
}

/// The axis along the strips, and the interval that contains nearly all boxes on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StripAxis {
    pub(crate) axis: usize,
    pub(crate) low: f32,
    pub(crate) high: f32,
}

impl StripAxis {
    /// Returns the bins of a strip with so many boxes, whose lower ends are between `low` and `high`.
    pub(crate) fn bins(&self, boxes: usize, low: f32, high: f32) -> AxisCells {
        // A body far outside must not stretch the bins of all others. The interval is known from a sample only, so
        // some boxes are expected a little outside of it.
        let slack = (self.high - self.low) * 0.125;
        let (low, high) = (low.max(self.low - slack), high.min(self.high + slack));
        let bins = Self::bins_of(boxes) as u32;
        AxisExtent { axis: self.axis, origin: low, length: high - low, mean: 0.0 }.cut(bins)
    }

    /// Greatest number of bins of a strip with so many boxes.
    pub(crate) fn bins_of(boxes: usize) -> usize {
        boxes.next_power_of_two().clamp(BINS_MIN, BINS_MAX)
    }
}

/// Extent of the sample on one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisExtent {
    pub(super) axis: usize,
    pub(super) origin: f32,
    pub(super) length: f32,
    /// Mean length of the boxes.
    pub(super) mean: f32,
}

impl AxisExtent {
    /// The length as a multiple of the mean length of a box.
    pub(super) fn ratio(&self) -> f64 {
        f64::from(self.length) / f64::from(self.mean).max(1e-30)
    }

    pub(super) fn cut(self, cells: u32) -> AxisCells {
        let scale = cells as f32 / self.length;
        // An extent of zero, or one so short that the scale overflows, is one cell.
        let cut = scale.is_finite() && scale > 0.0;
        let cells = if cut { cells } else { 1 };
        let scale = if cut { scale } else { 0.0 };
        AxisCells { axis: self.axis, origin: self.origin, scale, cells }
    }
}

impl AxisCells {
    /// Length of a cell; 0 if the axis cannot be divided.
    pub(crate) fn length(&self) -> f32 {
        if self.scale > 0.0 { 1.0 / self.scale } else { 0.0 }
    }

    /// Returns the cell of a coordinate. It is monotone in the coordinate.
    pub(crate) fn cell(&self, at: f32) -> u32 {
        let cell = (at - self.origin) * self.scale;
        let cell = if cell > 0.0 { cell } else { 0.0 };
        let last = (self.cells - 1) as i32 as f32;
        (if cell < last { cell } else { last }) as i32 as u32
    }

    /// Returns the cells of a vector of coordinates.
    #[inline(always)]
    pub(crate) fn cells_of<I: Isa>(&self, isa: I, at: I::F32) -> I::U32 {
        let cell = (at - isa.splat(self.origin)) * isa.splat(self.scale);
        cell.max(isa.splat(0.0)).min(isa.splat((self.cells - 1) as f32)).trunc()
    }
}

/// The extents of all boxes, and of the half of them in the middle, on each axis.
pub(super) struct Extents {
    pub(super) wholes: [AxisExtent; 3],
    pub(super) cores: [AxisExtent; 3],
}

impl Extents {
    pub(super) fn of(boxes: &[Aabb], line: &mut Vec<f32>) -> Self {
        let wholes = extents(boxes, line);
        let mut cores = wholes;
        for core in &mut cores {
            *core = core_extent(core, boxes, line);
        }
        Self { wholes, cores }
    }

    /// Whether most of the boxes are in a crowd that is much shorter than the whole on an axis. Most strips of a grid over the whole are empty then,
    /// and the others contain the crowd.
    pub(super) fn has_crowd(&self) -> bool {
        let mut both = self.wholes.iter().zip(&self.cores);
        both.any(|(whole, core)| core.length < LONE_CROWD_PART * whole.length)
    }
}

/// Returns the axis whose extent is the greatest multiple of the mean length of a box, then the others. Strips run along
/// the first one.
pub(super) fn by_ratio(extents: [AxisExtent; 3]) -> [AxisExtent; 3] {
    let ratios = [extents[0].ratio(), extents[1].ratio(), extents[2].ratio()];
    descending(ratios).map_each(|axis| extents[axis])
}

/// Returns the extent of the boxes on one axis.
pub(super) fn whole_extent(axis: usize, boxes: &[Aabb]) -> AxisExtent {
    let (mut low, mut high, mut lengths) = (f32::INFINITY, f32::NEG_INFINITY, 0.0);
    for aabb in boxes {
        let (least, greatest) = (aabb.min[axis], aabb.max[axis]);
        low = if least < low { least } else { low };
        high = if greatest > high { greatest } else { high };
        lengths += f64::from(greatest - least);
    }
    if boxes.is_empty() {
        return AxisExtent { axis, origin: 0.0, length: 0.0, mean: 0.0 };
    }
    let mean = (lengths / boxes.len() as f64) as f32;
    AxisExtent { axis, origin: low, length: high - low, mean }
}

/// Returns the extents of the boxes on the three axes, without the few that are far outside.
pub(super) fn extents(boxes: &[Aabb], line: &mut Vec<f32>) -> [AxisExtent; 3] {
    let mut of = |axis| extent(axis, boxes, line);
    [of(0), of(1), of(2)]
}

/// Returns the extent of the boxes on one axis, without the few that are far outside.
fn extent(axis: usize, boxes: &[Aabb], line: &mut Vec<f32>) -> AxisExtent {
    if boxes.is_empty() {
        return AxisExtent { axis, origin: 0.0, length: 0.0, mean: 0.0 };
    }
    line.clear();
    append_each(line, boxes, |aabb| aabb.min[axis]);
    // A 32nd is removed at either end, and as much length added: exact for an even distribution, and a body far
    // outside cannot stretch the cells.
    let off = line.len() / 32;
    let last = line.len() - 1 - off;
    let low = select_float(line, off);
    let high = select_float(&mut line[off..], last - off);
    let margin = (high - low) * (1.0 / 30.0);
    // The mean is taken without the largest 32nd, for the same reason.
    line.clear();
    append_each(line, boxes, |aabb| aabb.max[axis] - aabb.min[axis]);
    select_float(line, last);
    let kept = &line[..=last];
    let sum: f64 = kept.iter().map(|&length| f64::from(length)).sum();
    let mean = (sum / kept.len() as f64) as f32;
    AxisExtent { axis, origin: low - margin, length: high - low + 2.0 * margin + mean, mean }
}

/// Returns the range in which half of the boxes start, with a margin of half its length at either end: the extent of a crowd that most of the
/// boxes are in. Its mean length is that of the whole extent.
fn core_extent(whole: &AxisExtent, boxes: &[Aabb], line: &mut Vec<f32>) -> AxisExtent {
    let AxisExtent { axis, mean, .. } = *whole;
    if boxes.is_empty() {
        return *whole;
    }
    line.clear();
    append_each(line, boxes, |aabb| aabb.min[axis]);
    let (quarter, last) = (line.len() / 4, line.len() - 1);
    let low = select_float(line, quarter);
    let high = select_float(&mut line[quarter..], last - 2 * quarter);
    let length = high - low;
    AxisExtent { axis, origin: low - 0.5 * length, length: 2.0 * length, mean }
}
