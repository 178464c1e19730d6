//! Builds a large tree: divides the boxes into cells, then builds a subtree of each.
//!
//! Cells have about the same length on all axes and about [`CELL`] boxes. The x axis is divided
//! into slabs with equal numbers of boxes, by a histogram; then each slab along y, and each of the
//! results along z. The range of the bins comes from a sample and contains nearly all boxes. Boxes
//! outside of it fall into the outermost bins, so that a few distant boxes do not make the bins of
//! all others coarse.

use super::bins::{BINS_MAX, Bin, BinAxis, LARGE};
use super::median::{Packer, depth_of, nodes_of};
use super::{BvhItem, LEAF, Node, grow};
use crate::geom::{Aabb, MapEach, descending};
use crate::lanes::{Level, prefetch_to_write};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Average number of boxes in a cell: a few less than fill a node of full leaves, because counts
/// vary.
const CELL: usize = 208;
/// Fewer boxes form a single cell.
const BOXES_MIN: usize = 16 * CELL;
/// Boxes in the sample that determines the cells.
const SAMPLES: usize = 1024;
/// Bins of a histogram for each part.
const BINS_PER_PART: usize = 8;
/// Large boxes are separated if at most one box in this many is large.
const LARGE_ONE_OF: usize = 4;
/// Fewest boxes that one thread bins at a time.
const CHUNK: usize = 1 << 14;
/// Largest number of chunks that are binned.
const CHUNKS: usize = 64;
/// Number of tasks into which the subtrees of cells are divided.
const RUNS: usize = 64;

/// Scratch memory of builds.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// Boxes that are too large for their class.
    large: Vec<BvhItem>,
    /// Where the pending classes begin in `large`.
    classes: Vec<usize>,
    /// The boxes of the current class.
    class: Vec<BvhItem>,
    /// The root of each class.
    roots: Vec<BvhItem>,
    /// The boxes of a class, ordered by cell.
    ordered: Vec<BvhItem>,
    /// The sample along one axis.
    line: Vec<f32>,
    /// The bins of each box: on x and y, and on z, with [`LARGE`].
    bins: Vec<[u32; 2]>,
    /// For each box its bin in the current histograms.
    at: Vec<u32>,
    /// The current histograms.
    counts: Vec<u32>,
    /// For each axis the part of each bin.
    parts: [Vec<u32>; 3],
    /// Where the boxes of each cell end in `ordered`.
    ends: Vec<u32>,
    /// The number of boxes of each cell that is not empty.
    sizes: Vec<usize>,
    /// The top node of each cell that is not empty.
    cells: Vec<BvhItem>,
    /// One for each thread.
    packers: Vec<Packer>,
}

/// The nodes of a tree that is built in the memory of an earlier one.
struct Nodes<'a> {
    all: &'a mut Vec<Node>,
    used: usize,
}

impl Nodes<'_> {
    /// The next `count` nodes; their contents are arbitrary.
    fn take(&mut self, count: usize) -> &mut [Node] {
        let start = self.used;
        self.used += count;
        grow(self.all, self.used);
        &mut self.all[start..self.used]
    }
}

impl Builder {
    /// The allocated memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let of_classes = self.large.capacity() + self.class.capacity() + self.roots.capacity();
        let boxes = of_classes + self.ordered.capacity() + self.cells.capacity();
        let parts: usize = self.parts.iter().map(Vec::capacity).sum();
        let words = self.at.capacity()
            + 2 * self.bins.capacity()
            + self.counts.capacity()
            + self.ends.capacity()
            + parts;
        boxes * size_of::<BvhItem>()
            + words * size_of::<u32>()
            + self.line.capacity() * size_of::<f32>()
            + (self.classes.capacity() + self.sizes.capacity()) * size_of::<usize>()
            + self.packers.iter().map(Packer::bytes).sum::<usize>()
    }

    /// Builds the nodes of a tree. Returns the child id of its root, and its depth.
    pub(crate) fn build(
        &mut self,
        boxes: &[BvhItem],
        nodes: &mut Vec<Node>,
        level: Level,
        threads: &Threads,
    ) -> Option<(u32, usize)> {
        if boxes.is_empty() {
            return None;
        }
        let nodes = &mut Nodes { all: nodes, used: 0 };
        self.packers.resize_with(threads.workers().max(self.packers.len()), Packer::default);
        self.large.clear();
        self.classes.clear();
        threads.enter(|| {
            let (root, mut depth) = self.class(boxes, nodes, level);
            if self.large.is_empty() {
                return Some((root.name, depth));
            }
            let mut roots = core::mem::take(&mut self.roots);
            let mut boxes = core::mem::take(&mut self.class);
            roots.clear();
            roots.push(root);
            while let Some(start) = self.classes.pop() {
                boxes.clear();
                boxes.extend_from_slice(&self.large[start..]);
                self.large.truncate(start);
                let (root, deep) = self.class(&boxes, nodes, level);
                roots.push(root);
                depth = depth.max(deep);
            }
            let (root, above) = self.pack(level, &roots, 0, nodes);
            (self.roots, self.class) = (roots, boxes);
            Some((root.name, above + depth))
        })
    }

    /// Builds the subtree of a class, except for its large boxes, which are appended to `large`.
    fn class(
        &mut self,
        boxes: &[BvhItem],
        nodes: &mut Nodes<'_>,
        level: Level,
    ) -> (BvhItem, usize) {
        if boxes.len() < BOXES_MIN {
            return self.pack(level, boxes, LEAF, nodes);
        }
        let axes = self.axes(boxes);
        self.order(boxes, &axes, level);
        self.pack_cells(nodes, level)
    }

    /// Builds the subtree of a few children. Returns its top node and its depth.
    fn pack(
        &mut self,
        level: Level,
        children: &[BvhItem],
        flag: u32,
        nodes: &mut Nodes<'_>,
    ) -> (BvhItem, usize) {
        let (count, base) = (children.len(), nodes.used as u32);
        let room = nodes.take(nodes_of(count));
        let root = self.packers[0].pack(level, (children, 0..count), room, (base, flag));
        (root, depth_of(count))
    }

    /// Determines the bins and parts of each axis from a sample.
    fn axes(&mut self, boxes: &[BvhItem]) -> [BinAxis; 3] {
        let count = boxes.len();
        let mut ends = [[0.0; 2]; 3];
        for (axis, ends) in ends.iter_mut().enumerate() {
            let sample = (0..SAMPLES).map(|k| {
                let Aabb { min, max } = boxes[k * count / SAMPLES].aabb;
                min[axis] + max[axis]
            });
            self.line.clear();
            self.line.extend(sample);
            let off = SAMPLES / 64;
            let low = *self.line.select_nth_unstable_by(off, f32::total_cmp).1;
            let high = *self.line.select_nth_unstable_by(SAMPLES - 1 - off, f32::total_cmp).1;
            // The sample without the outermost 1/64 on both ends, extended again: exact for a
            // uniform distribution.
            let margin = (high - low) * (1.0 / 60.0);
            *ends = [low - margin, high + margin];
        }
        let lengths = ends.map_each(|[low, high]| high - low);
        let parts = parts(lengths, count.div_ceil(CELL));
        core::array::from_fn(|axis| {
            let bins = (parts[axis] * BINS_PER_PART).min(BINS_MAX);
            let bins = if parts[axis] == 1 { 1 } else { bins };
            BinAxis {
                low: ends[axis][0],
                scale: bins as f32 / lengths[axis],
                bins,
                last: (bins - 1) as f32,
                parts: parts[axis],
                width: if parts[axis] == 1 {
                    f32::INFINITY
                } else {
                    lengths[axis] / parts[axis] as f32
                },
            }
        })
    }

    /// Copies the boxes to `ordered` by cell; accessed by index they would be far apart in memory.
    /// Boxes longer than a cell are moved to `large` instead, if they are few.
    fn order(&mut self, boxes: &[BvhItem], axes: &[BinAxis; 3], level: Level) {
        let Self { ordered, counts, parts: [in_x, in_y, in_z], ends, at, bins, packers, .. } = self;
        let [x, y, z] = axes;
        grow(bins, boxes.len());
        let bins = &mut bins[..boxes.len()];
        let size = CHUNK.max(boxes.len().div_ceil(CHUNKS));
        let mut chunks = boxes.chunks(size).zip(bins.chunks_mut(size));
        let mut tasks: [_; CHUNKS] = core::array::from_fn(|_| chunks.next());
        par::for_each(packers, &mut tasks[..boxes.len().div_ceil(size)], &|_, _, chunk| {
            if let Some((boxes, bins)) = chunk {
                let boxes = bytemuck::cast_slice(boxes);
                level.run_rows(boxes.len(), Bin { boxes, axes, bins });
            }
        });
        // For each box first the slab, then the column, then the cell.
        grow(at, boxes.len());
        let at = &mut at[..boxes.len()];
        counts.clear();
        counts.resize(x.bins, 0);
        let mut large = 0;
        for (&[xy, z_large], at) in bins.iter().zip(&mut *at) {
            let (bin, is_large) = (xy & 0xffff, z_large & LARGE);
            *at = bin | is_large;
            counts[bin as usize] += u32::from(is_large == 0);
            large += usize::from(is_large != 0);
        }
        if large > boxes.len() / LARGE_ONE_OF {
            for at in at.iter_mut().filter(|at| **at & LARGE != 0) {
                *at &= !LARGE;
                counts[*at as usize] += 1;
            }
            large = 0;
        }
        share(counts, x, in_x);
        count_next(counts, in_x, (x.parts, y), bins.iter().map(|of| of[0] >> 16), at);
        share(counts, y, in_y);
        count_next(counts, in_y, (x.parts * y.parts, z), bins.iter().map(|of| of[1] & 0xffff), at);
        share(counts, z, in_z);
        // Sum the bins of each cell, then compute prefix sums. Distributing the boxes turns starts
        // into ends.
        let cells = x.parts * y.parts * z.parts;
        ends.clear();
        ends.resize(cells, 0);
        for (&cell, &count) in in_z.iter().zip(counts.iter()) {
            ends[cell as usize] += count;
        }
        let mut start = 0;
        for cell in ends.iter_mut() {
            start += core::mem::replace(cell, start);
        }
        grow(ordered, boxes.len() - large);
        for (named, &bin) in boxes.iter().zip(&*at) {
            if bin & LARGE == 0 {
                let next = &mut ends[in_z[bin as usize] as usize];
                ordered[*next as usize] = *named;
                *next += 1;
                prefetch_to_write(ordered, *next as usize + 3);
            }
        }
        if large > 0 {
            let boxes = boxes.iter().zip(&*at).filter(|&(_, &at)| at & LARGE != 0);
            let start = self.large.len();
            self.large.extend(boxes.map(|(named, _)| named));
            self.sort_large(start, axes);
        }
    }

    /// Divides the large boxes from `start` on into classes. Many of them are classified by the
    /// axes on which they are long, because a wall and one perpendicular to it together have bounds
    /// that fill a room.
    fn sort_large(&mut self, start: usize, axes: &[BinAxis; 3]) {
        let Self { large, classes, .. } = self;
        classes.push(start);
        if large.len() - start < BOXES_MIN {
            return;
        }
        let long_on = |&BvhItem { aabb: Aabb { min, max }, .. }: &BvhItem| -> [bool; 3] {
            core::array::from_fn(|axis| axes[axis].is_long(max[axis] - min[axis]))
        };
        large[start..].sort_unstable_by_key(|named| (long_on(named), named.name));
        for k in start + 1..large.len() {
            if long_on(&large[k - 1]) != long_on(&large[k]) {
                classes.push(k);
            }
        }
    }

    /// Builds the subtree of each cell, then the nodes above them.
    fn pack_cells(&mut self, nodes: &mut Nodes<'_>, level: Level) -> (BvhItem, usize) {
        let mut sizes = core::mem::take(&mut self.sizes);
        sizes.clear();
        let mut start = 0;
        for &end in &self.ends {
            if end > start {
                sizes.push((end - start) as usize);
            }
            start = end;
        }
        let largest = sizes.iter().copied().max().unwrap_or(0);
        // Any worker may take any cells, so reserve the largest size for all of them.
        self.packers.iter_mut().for_each(|packer| packer.reserve_for(largest));
        let mut base = nodes.used;
        let mut free = nodes.take(sizes.iter().copied().map(nodes_of).sum());
        let mut cells = core::mem::take(&mut self.cells);
        cells.clear();
        cells.resize(sizes.len(), BvhItem::default());

        // A task has consecutive cells with about the same number of boxes. The division does not
        // affect the tree.
        let wanted = (start as usize).div_ceil(RUNS);
        let (mut roots, mut rest, mut first) = (&mut cells[..], &sizes[..], 0);
        let mut tasks: [_; RUNS] = core::array::from_fn(|_| {
            let (mut count, mut boxes, mut room) = (0, 0, 0);
            while boxes < wanted
                && let Some(&size) = rest.get(count)
            {
                (count, boxes, room) = (count + 1, boxes + size, room + nodes_of(size));
            }
            let sizes = rest.split_off(..count)?;
            let (nodes, tops) = (free.split_off_mut(..room)?, roots.split_off_mut(..count)?);
            let task = Task { sizes, first, nodes, base, tops };
            (first, base) = (first + boxes, base + room);
            Some(task)
        });
        let ordered = &self.ordered[..];
        par::for_each(&mut self.packers, &mut tasks, &|packer, _, task| {
            if let Some(task) = task {
                task.pack(level, ordered, packer);
            }
        });
        self.sizes = sizes;

        let (root, above) = match cells[..] {
            [only] => (only, 0),
            _ => self.pack(level, &cells, 0, nodes),
        };
        self.cells = cells;
        (root, above + depth_of(largest))
    }
}

/// Consecutive cells whose subtrees are built by one thread.
struct Task<'a> {
    /// The number of boxes of each cell; cells are consecutive in `ordered`.
    sizes: &'a [usize],
    /// The first box of the first cell.
    first: usize,
    nodes: &'a mut [Node],
    /// The index of the first of the nodes.
    base: usize,
    tops: &'a mut [BvhItem],
}

impl Task<'_> {
    fn pack(&mut self, level: Level, boxes: &[BvhItem], packer: &mut Packer) {
        let (mut nodes, mut base, mut first) = (&mut *self.nodes, self.base, self.first);
        for (&size, top) in self.sizes.iter().zip(self.tops.iter_mut()) {
            let (room, later) = nodes.split_at_mut(nodes_of(size));
            *top = packer.pack(level, (boxes, first..first + size), room, (base as u32, LEAF));
            (base, first, nodes) = (base + room.len(), first + size, later);
        }
    }
}

/// Computes the histograms of the next axis, one for each part of the axes before. `at` has the bin
/// of each box in the current histograms, and then in the next ones; `parts` has the part of each
/// current bin.
fn count_next(
    counts: &mut Vec<u32>,
    parts: &[u32],
    (before, axis): (usize, &BinAxis),
    bins: impl Iterator<Item = u32>,
    at: &mut [u32],
) {
    counts.clear();
    counts.resize(before * axis.bins, 0);
    for (bin, at) in bins.zip(at) {
        if *at & LARGE == 0 {
            let bin = parts[*at as usize] as usize * axis.bins + bin as usize;
            *at = bin as u32;
            counts[bin] += 1;
        }
    }
}

/// Combines the bins of each histogram into parts with about equal numbers of boxes. Parts are
/// numbered consecutively over all histograms.
fn share(counts: &[u32], axis: &BinAxis, parts: &mut Vec<u32>) {
    parts.clear();
    for (histogram, bins) in counts.chunks(axis.bins).enumerate() {
        let first = histogram * axis.parts;
        let total: u64 = bins.iter().map(|&count| u64::from(count)).sum();
        let mut before = 0;
        for &count in bins {
            // The bin belongs to the part of its middle box.
            let middle = before + u64::from(count) / 2;
            let part = middle * axis.parts as u64 / total.max(1);
            parts.push((first + part.min(axis.parts as u64 - 1) as usize) as u32);
            before += u64::from(count);
        }
    }
}

/// The number of parts of each axis that divides space into about this many cells with equal sides.
fn parts(lengths: [f32; 3], cells: usize) -> [usize; 3] {
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
