//! Extents of boxes on one axis, and their division into cells.

use crate::geom::{Aabb, MapEach, append_each, descending};
use crate::lanes::{F32Lanes, Isa};
use crate::par::select_float;
use alloc::vec::Vec;

/// Least number of bins of a strip. It has as many bins as boxes, rounded up to a power of two, between this number and [`BINS_MAX`].
const BINS_MIN: usize = 16;
/// Greatest number of bins of a strip.
const BINS_MAX: usize = 1 << 16;
/// A crowd is shorter than this part of the whole extent on an axis: see [`Extents::has_crowd`].
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
    /// Returns the bins of a strip with this many boxes, whose lower ends are between `low` and `high`.
    pub(crate) fn bins(&self, boxes: usize, low: f32, high: f32) -> AxisCells {
        // A body far outside must not stretch the bins of all others. The interval is known from a sample only, so
        // some boxes are expected a little outside of it.
        let slack = (self.high - self.low) * 0.125;
        let (low, high) = (low.max(self.low - slack), high.min(self.high + slack));
        let bins = Self::bins_of(boxes) as u32;
        AxisExtent { axis: self.axis, origin: low, length: high - low, mean: 0.0 }.cut(bins)
    }

    /// Returns the greatest number of bins of a strip with this many boxes.
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
    /// Returns the length as a multiple of the mean length of a box.
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
    /// Returns the length of a cell; 0 if the axis cannot be divided.
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

#[cfg(test)]
mod tests {
    use super::{
        AxisCells, AxisExtent, Extents, StripAxis, by_ratio, core_extent, extent, whole_extent,
    };
    use crate::geom::Aabb;
    use crate::lanes::{Isa, Kernel, LANES_MAX, Level, U32Lanes};
    use alloc::vec::Vec;

    /// Number of boxes in [`boxes`]: a 32nd of them are two.
    const COUNT: usize = 65;

    /// Returns boxes that start at even numbers from 0 to 128 on axis 1, not in this order. The first two and the last two are far outside
    /// instead, where one of each has a length of 4096; the mean length of the others is 2.
    fn boxes() -> Vec<Aabb> {
        (0..COUNT)
            .map(|k| {
                let place = k * 7 % COUNT;
                let low = match place {
                    0 | 1 => -8192.0,
                    63 | 64 => 8192.0,
                    _ => 2.0 * place as f32,
                };
                let long = place == 0 || place == 64;
                let length = if long { 4096.0 } else { (1 + place % 3) as f32 };
                Aabb { min: [0.0, low, 0.0], max: [1.0, low + length, 1.0] }
            })
            .collect()
    }

    fn numbers(extent: &AxisExtent) -> (usize, [f32; 3]) {
        (extent.axis, [extent.origin, extent.length, extent.mean])
    }

    /// Goal: the extent is that of the boxes without the 32nd at either end, the core is that of the half in the middle, and boxes far outside change
    /// neither. Method: places and lengths for which `f32` is exact.
    #[test]
    fn extents_are_those_without_boxes_far_outside() {
        let (boxes, line) = (boxes(), &mut Vec::new());
        let whole = extent(1, &boxes, line);
        // From 4 to 124, with a 30th of that at either end, and the mean length.
        assert_eq!(numbers(&whole), (1, [0.0, 130.0, 2.0]));
        // From 32 to 96, with half of that at either end.
        assert_eq!(numbers(&core_extent(&whole, &boxes, line)), (1, [0.0, 128.0, 2.0]));
        let moved: Vec<Aabb> = boxes
            .iter()
            .map(|aabb| Aabb { min: aabb.min.map(|x| x + 64.0), max: aabb.max.map(|x| x + 64.0) })
            .collect();
        let whole = extent(1, &moved, line);
        assert_eq!(numbers(&whole), (1, [64.0, 130.0, 2.0]));
        assert_eq!(numbers(&core_extent(&whole, &moved, line)), (1, [64.0, 128.0, 2.0]));
        assert_eq!(numbers(&extent(2, &[], line)), (2, [0.0; 3]));
        assert_eq!(numbers(&core_extent(&whole, &[], line)), numbers(&whole));
        let Extents { wholes, cores } = Extents::of(&moved, line);
        assert_eq!(wholes.map(|whole| whole.axis), [0, 1, 2]);
        assert_eq!(numbers(&wholes[1]), numbers(&whole));
        assert_eq!(numbers(&cores[1]), (1, [64.0, 128.0, 2.0]));
    }

    /// Goal: the extent of all boxes has the least and the greatest place of any, and their mean length. Method: boxes of which neither the first nor the
    /// last one is at an end.
    #[test]
    fn whole_extent_is_that_of_all_boxes() {
        let boxes = [(0.0, 1.0), (-4.0, 2.0), (5.0, 7.0), (1.0, 4.0)]
            .map(|(low, high)| Aabb { min: [9.0, 9.0, low], max: [9.0, 9.0, high] });
        assert_eq!(numbers(&whole_extent(2, &boxes)), (2, [-4.0, 11.0, 3.0]));
        assert_eq!(numbers(&whole_extent(1, &[])), (1, [0.0; 3]));
    }

    /// Goal: axes are ordered by how many mean lengths of a box their extents are. Method: extents of which neither the lengths nor the means have this
    /// order, and one of points.
    #[test]
    fn axes_are_ordered_by_lengths_of_boxes() {
        let of = |axis, length, mean| AxisExtent { axis, origin: 0.0, length, mean };
        let extents = [of(0, 64.0, 32.0), of(1, 16.0, 1.0), of(2, 8.0, 1.0)];
        assert_eq!(extents.map(|extent| extent.ratio()), [2.0, 16.0, 8.0]);
        assert_eq!(by_ratio(extents).map(|extent| extent.axis), [1, 2, 0]);
        assert_eq!(of(0, 1.0, 0.0).ratio(), 1.0 / 1e-30);
    }

    /// Goal: a crowd counts if it is short on any axis. Method: cores of a quarter of the whole, and just below it.
    #[test]
    fn crowd_is_short_on_any_axis() {
        let of = |lengths: [f32; 3]| {
            [0, 1, 2].map(|axis| AxisExtent { axis, origin: 0.0, length: lengths[axis], mean: 1.0 })
        };
        let has_crowd =
            |cores| Extents { wholes: of([64.0, 128.0, 32.0]), cores: of(cores) }.has_crowd();
        assert!(!has_crowd([16.0, 32.0, 8.0]) && !has_crowd([64.0, 128.0, 32.0]));
        assert!(has_crowd([15.0, 128.0, 32.0]) && has_crowd([64.0, 31.0, 32.0]));
        assert!(has_crowd([64.0, 128.0, 7.0]));
    }

    /// Goal: the bins of a strip divide its own boxes, without those farther out than an eighth of the extent of all. Method: strips within the extent and
    /// far beyond it, and numbers of boxes around the limits.
    #[test]
    fn bins_of_a_strip_divide_its_boxes() {
        let along = StripAxis { axis: 1, low: 16.0, high: 32.0 };
        let numbers = |cut: AxisCells| (cut.axis, cut.origin, cut.scale, cut.cells);
        assert_eq!(numbers(along.bins(100, 20.0, 24.0)), (1, 20.0, 32.0, 128));
        assert_eq!(numbers(along.bins(160, -1e9, 1e9)), (1, 14.0, 12.8, 256));
        assert_eq!(numbers(along.bins(100, 24.0, 24.0)), (1, 24.0, 0.0, 1));
        let counts = [0, 16, 17, 65_536, 65_537, 1 << 20].map(StripAxis::bins_of);
        assert_eq!(counts, [16, 16, 32, 65_536, 65_536, 65_536]);
    }

    /// Goal: an extent that cannot be divided is one cell of no length. Method: lengths for which the scale is not a positive number.
    #[test]
    fn extent_without_length_is_one_cell() {
        let cut = |length| AxisExtent { axis: 2, origin: 3.0, length, mean: 1.0 }.cut(8);
        for length in [0.0, 1e-40, -1.0, f32::INFINITY, f32::NAN] {
            let AxisCells { axis, origin, scale, cells } = cut(length);
            assert_eq!((axis, origin, scale, cells), (2, 3.0, 0.0, 1), "{length}");
            assert_eq!(cut(length).length(), 0.0);
            assert_eq!(cut(length).cell(1e9), 0);
        }
        assert_eq!((cut(32.0).scale, cut(32.0).cells, cut(32.0).length()), (0.25, 8, 4.0));
    }

    struct Cells<'a> {
        cut: AxisCells,
        at: &'a [f32],
        cells: &'a mut [u32],
    }

    impl Kernel for Cells<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            for row in (0..self.at.len()).step_by(I::LANES) {
                let at = isa.load(&self.at[row..]);
                self.cut.cells_of(isa, at).store(&mut self.cells[row..]);
            }
        }
    }

    /// Goal: the cell of a coordinate is the one that contains it, the outermost one if it is outside, and the same one by itself and in a vector. Method: the
    /// borders of cells, coordinates near them, and far outside, on every level.
    #[test]
    fn cells_contain_their_coordinates_on_every_level() {
        let cut = AxisExtent { axis: 0, origin: -8.0, length: 20.0, mean: 1.0 }.cut(5);
        let border = |k: u16| -8.0 + 4.0 * f32::from(k);
        let mut cases: Vec<(f32, u32)> = (0..5)
            .flat_map(|k| {
                let inside = [border(k), border(k) + 2.0, border(k + 1) - 0.001];
                inside.map(|at| (at, u32::from(k)))
            })
            .collect();
        cases.extend([(-9.0, 0), (-1e30, 0), (f32::NEG_INFINITY, 0)]);
        cases.extend([(12.0, 4), (16.0, 4), (1e30, 4), (f32::INFINITY, 4)]);
        cases.resize(cases.len().next_multiple_of(LANES_MAX), (0.0, 2));
        let (at, expected): (Vec<f32>, Vec<u32>) = cases.into_iter().unzip();
        let each: Vec<u32> = at.iter().map(|&at| cut.cell(at)).collect();
        assert_eq!(each, expected);
        for level in Level::all() {
            let mut cells = alloc::vec![9; at.len()];
            level.run(Cells { cut, at: &at, cells: &mut cells });
            assert_eq!(cells, expected, "{level}");
        }
    }
}
