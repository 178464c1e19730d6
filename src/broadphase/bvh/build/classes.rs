//! Classes of boxes of a large tree: boxes that are long on the same axes form subtrees of their own.
//!
//! A box that is longer than a cell enlarges all nodes above it, and boxes that are long on different axes have
//! common bounds that fill the scene. So the boxes of a class that are longer than its cells are moved to further
//! classes, one for each set of axes on which they are longer. The cells of a class of long boxes are about as
//! long as its boxes on these axes; the other axes are divided into equal numbers of parts, whatever their lengths.
//! Boxes in one cell that are many more than a cell should have, as in a crowd in a large sparse scene, are a class too.
//!
//! ```text
//! class(boxes, long axes):
//!     from a sample: the range of the centres, and the number of parts of each axis
//!     if most of the sample is long on the same axes: these are long axes of the class; choose the parts again
//!     cells: boxes that are longer than a cell  -> a class for each set of axes, with these as long axes too
//!            boxes of a crowded cell            -> a class with the same long axes
//!            the others                         -> the subtree of this class
//! ```

use crate::broadphase::bvh::BvhItem;
use crate::geom::{Aabb, MapEach, descending, each_axis};
use crate::par::select_float;
use alloc::vec::Vec;

/// Greatest and least number of boxes in the sample that determines the cells, and how many boxes each of them represents.
/// A small class must not cost more than its boxes.
const SAMPLES_MAX: usize = 1024;
const SAMPLES_MIN: usize = 64;
const BOXES_PER_SAMPLE: usize = 4;
/// Boxes whose lengths are compared with a cell.
const LENGTHS: usize = 256;
/// If more of these are long on the same axes, the whole class is.
const MOST: usize = LENGTHS / 4 * 3;
/// Boxes of which one of so many is longer than the cells of a class on one of its long axes.
const LONGEST_ONE_OF: usize = 8;
/// A box is not long on an axis on which it is this many times shorter, in cells, than on another.
const MUCH: f32 = 4.0;

/// Boxes that form a subtree of their own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Class {
    /// The first of its boxes among the pending ones.
    pub(crate) start: usize,
    /// The axes on which its boxes are long.
    pub(crate) long: [bool; 3],
    /// How many classes it was divided from, one after the other.
    pub(crate) depth: u8,
}

/// How the boxes of a class are halved: on the axis on which that makes nodes smallest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SplitMeasure {
    /// Whether the lengths of boxes count.
    is_long: bool,
    /// Multiplies a length on each axis.
    scale: [f64; 3],
    /// The doubled length of a typical box on each axis, scaled.
    box_length: [f64; 3],
}

impl SplitMeasure {
    /// The axis on which to halve boxes whose doubled centres have this extent.
    ///
    /// Halving an axis removes half of the extent of the centres, and nothing of the length of a box. That reduces the
    /// surface of a node by half the extent times the other two lengths of the node. Boxes of equal length are
    /// halved on the longest axis by that rule, except that flat ones need a small thickness.
    #[inline]
    pub(crate) fn axis(&self, extent: [f32; 3]) -> usize {
        if !self.is_long {
            let two = if extent[1] > extent[0] { 1 } else { 0 };
            return if extent[2] > extent[two] { 2 } else { two };
        }
        let centres: [f64; 3] = each_axis(|k| f64::from(extent[k]) * self.scale[k]);
        let node: [f64; 3] = each_axis(|k| centres[k] + self.box_length[k]);
        let all = (node[0] + node[1] + node[2]) * (1.0 + 1.0 / 1024.0);
        let saved: [f64; 3] = each_axis(|k| centres[k] * (all - node[k]));
        let two = if saved[1] > saved[0] { 1 } else { 0 };
        if saved[2] > saved[two] { 2 } else { two }
    }
}

/// A sample of the boxes of a class.
pub(crate) struct ClassSample<'a> {
    pub(crate) boxes: &'a [BvhItem],
    /// Scratch memory: one number for each box of the sample.
    pub(crate) line: &'a mut Vec<f32>,
}

impl ClassSample<'_> {
    /// Writes a number of each box of the sample to `line`.
    fn write(&mut self, of: impl Fn(&Aabb) -> f32) {
        let Self { boxes, line } = self;
        let count = boxes.len();
        let samples = (count / BOXES_PER_SAMPLE).clamp(SAMPLES_MIN, SAMPLES_MAX);
        line.clear();
        line.extend((0..samples).map(|k| of(&boxes[k * count / samples].aabb)));
    }

    /// The number that is in place `at(len)` when the numbers of `line`, `len` of them, are sorted.
    fn ranked(&mut self, at: fn(usize) -> usize) -> f32 {
        let at = at(self.line.len());
        select_float(self.line, at)
    }

    /// The lower and upper end of the doubled centres on each axis.
    ///
    /// The sample without the outermost 1/64 on both ends, extended again: exact for a uniform distribution. The
    /// range has nearly all boxes; a few distant boxes do not make the cells of all others coarse.
    pub(crate) fn ends(&mut self) -> [[f32; 2]; 3] {
        let mut ends = [[0.0; 2]; 3];
        for (axis, ends) in ends.iter_mut().enumerate() {
            self.write(|&Aabb { min, max }| min[axis] + max[axis]);
            let (low, high) = (self.ranked(|len| len / 64), self.ranked(|len| len - 1 - len / 64));
            let margin = (high - low) * (1.0 / 60.0);
            *ends = [low - margin, high + margin];
        }
        ends
    }

    /// The axes on which most boxes are longer than a part, if they are the same axes; no axes otherwise.
    pub(crate) fn long_axes(&self, lengths: [f32; 3], parts: [usize; 3]) -> [bool; 3] {
        let width: [f32; 3] = each_axis(|k| part_length(lengths[k], parts[k]));
        let mut counts = [0; 8];
        for k in 0..LENGTHS {
            let long = long_on(&self.boxes[k * self.boxes.len() / LENGTHS].aabb, width);
            counts[set_of(long)] += 1;
        }
        let most = counts.iter().position(|&count| count > MOST).unwrap_or(0);
        [0, 1, 2].map_each(|axis| most & 1 << axis != 0)
    }

    /// The number of parts of each axis for a class of long boxes, about `cells` together. The axes on which its boxes
    /// are long have parts that are not shorter than most boxes.
    pub(crate) fn long_parts(
        &mut self,
        lengths: [f32; 3],
        long: [bool; 3],
        cells: usize,
    ) -> [usize; 3] {
        // How many parts an axis may have.
        let mut most = [usize::MAX; 3];
        for axis in (0..3).filter(|&axis| long[axis]) {
            self.write(|&Aabb { min, max }| max[axis] - min[axis]);
            let length = self.ranked(|len| len - len / LONGEST_ONE_OF);
            most[axis] = ((lengths[axis] / (length + length)) as usize).max(1);
        }
        let (mut fixed, mut free) = ([1; 3], lengths.map_each(|x| if x > 0.0 { 1.0 } else { 0.0 }));
        loop {
            let left = (cells / fixed.iter().product::<usize>()).max(1);
            let parts = parts(free, left);
            let Some(axis) = (0..3).find(|&axis| free[axis] > 0.0 && parts[axis] > most[axis])
            else {
                return each_axis(|k| if free[k] > 0.0 { parts[k] } else { fixed[k] });
            };
            (fixed[axis], free[axis]) = (most[axis], 0.0);
        }
    }

    /// How a class of long boxes with centres in this range is halved.
    pub(crate) fn measure(&mut self, lengths: [f32; 3]) -> SplitMeasure {
        let mut measure = SplitMeasure { is_long: true, ..SplitMeasure::default() };
        for axis in 0..3 {
            self.write(|&Aabb { min, max }| max[axis] - min[axis]);
            let scale = if lengths[axis] > 0.0 { 1.0 / f64::from(lengths[axis]) } else { 0.0 };
            measure.scale[axis] = scale;
            measure.box_length[axis] = 2.0 * f64::from(self.ranked(|len| len / 2)) * scale;
        }
        measure
    }
}

/// The doubled length of a part if all are equal; infinite if there is only one part, so that no box is longer.
pub(crate) fn part_length(length: f32, parts: usize) -> f32 {
    if parts == 1 { f32::INFINITY } else { length / parts as f32 }
}

/// The axes on which a box is long next to a cell of these doubled lengths; none if it is longer than the cell on no axis.
pub(crate) fn long_on(&Aabb { min, max }: &Aabb, width: [f32; 3]) -> [bool; 3] {
    let length: [f32; 3] = each_axis(|k| max[k] - min[k]);
    if !(0..3).any(|k| length[k] + length[k] > width[k]) {
        return [false; 3];
    }
    let cells: [f32; 3] = each_axis(|k| (length[k] + length[k]) / width[k]);
    let two = if cells[1] > cells[0] { cells[1] } else { cells[0] };
    let longest = if cells[2] > two { cells[2] } else { two };
    cells.map_each(|cells| cells * MUCH >= longest)
}

/// A number below eight for a set of axes.
pub(crate) fn set_of(axes: [bool; 3]) -> usize {
    usize::from(axes[0]) | usize::from(axes[1]) << 1 | usize::from(axes[2]) << 2
}

/// The number of parts of each axis that divides space into about this many cells with equal sides.
pub(crate) fn parts(lengths: [f32; 3], cells: usize) -> [usize; 3] {
    let order = descending(lengths.map_each(f64::from));
    let [a, b, c] = order.map_each(|axis| f64::from(lengths[axis]));
    let cells = cells as f64;
    let cubes = libm::cbrt(a * b * c / cells);
    let squares = libm::sqrt(a * b / cells);
    // An axis shorter than a cell is not divided. An axis of length 0, as in a flat scene, does not
    // count.
    let side = match () {
        () if c >= cubes && c > 0.0 => cubes,
        () if b >= squares && b > 0.0 => squares,
        () => a / cells,
    };
    lengths.map_each(|length| {
        let parts = f64::from(length) / side;
        // If all lengths are 0, the side is 0 and the quotient NaN, which gives one part.
        if parts >= 1.0 { (parts + 0.5).min(cells) as usize } else { 1 }
    })
}
