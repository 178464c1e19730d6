//! Builds a large tree: divides the boxes into cells, then builds a subtree of each.
//!
//! Cells have about the same length on all axes and about [`CELL`] boxes. A histogram divides the x axis into parts with equal numbers of boxes. Each
//! part is divided along y, and each of the results along z. The range of the bins comes from a sample and contains nearly all boxes. Boxes outside
//! of it fall into the outermost bins, so that a few distant boxes do not make the bins of all others coarse.
//!
//! A few boxes that are longer than a cell form a subtree of their own. These cells are not good for many such boxes, or
//! for crowds: then the cells are those of a k-d tree (`kd_tree.rs`).

use super::bins::{BINS_MAX, Bin, BinAxis, LARGE};
use super::cell_order::{CellOrder, lengthen_large};
use super::free_nodes::{FreeNodes, Nodes, nodes_of};
use super::kd_tree::KdTree;
use super::median::{Ahead, Packer, SplitMeasure, depth_of};
use crate::broadphase::bvh::{BvhItem, LEAF, Node, TriangleLeaf, TriangleRows, WIDTH};
use crate::broadphase::pairs::buffer::reserve_for;
use crate::columns::{Zeroed, impl_memory};
use crate::geom::{
    Aabb, MapEach, descending, each_axis, lengthen_by_default, most_of, sample_index, sum_of,
};
use crate::lanes::Level;
use crate::par::{self, Threads, select_float};
use alloc::vec::Vec;

#[cfg(test)]
mod tests;

/// Average number of boxes in a cell: a few less than fill a node of full leaves, because counts
/// vary.
const CELL: usize = 208;
/// Fewer boxes form a single cell.
const BOXES_MIN: usize = 16 * CELL;
/// Bins of a histogram for each part.
const BINS_PER_PART: usize = 8;
/// Number of boxes in the sample that determines the range of the bins.
const SAMPLES: usize = 1024;
/// Boxes whose lengths are compared with a cell.
const LENGTHS: usize = 256;
/// If more than one box of this many is longer than a cell, the cells are those of a k-d tree.
const MANY_ONE_OF: usize = 16;
/// A cell with this many boxes is a crowd.
const CROWD_MIN: usize = BOXES_MIN;
/// Number of cells for which it is tested whether they are narrow.
const CELLS_TESTED: usize = 64;
/// Number of boxes that are tested in each of these cells.
const BOXES_TESTED: usize = 8;
/// A cell is narrow for a box that is this many times longer.
const NARROW: f32 = 2.0;
/// Cells are narrow if they are narrow for more than one box of this many.
const LONG_ONE_OF: usize = 64;
/// Fewest boxes that one thread bins at a time.
const CHUNK: usize = 1 << 14;
/// Largest number of chunks that are binned.
const CHUNKS: usize = 64;
/// Number of tasks into which the subtrees of cells are divided.
const RUNS: usize = 64;

/// Scratch memory of builds.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// Boxes that are longer than a cell.
    large: Vec<BvhItem>,
    /// The boxes by cell.
    ordered: CellOrder,
    /// The sample along one axis.
    line: Vec<f32>,
    /// The bins of each box: on x and y, and on z, with [`LARGE`].
    bins: Vec<[u32; 2]>,
    /// For each box its bin in the current histograms, or its cell.
    at: Vec<u32>,
    /// The sums of the current histograms.
    counts: Vec<u32>,
    /// For each axis the part of each bin.
    parts: [Vec<u32>; 3],
    /// The number of boxes of each cell.
    counted: Vec<u32>,
    /// The cells that are not empty, and the number of boxes of each.
    filled: Vec<u32>,
    sizes: Vec<usize>,
    /// The top node of each cell that is not empty.
    cells: Vec<BvhItem>,
    kd_tree: KdTree,
    /// One for each thread.
    packers: Vec<Packer>,
}

impl_memory!(Builder { large, ordered, line, bins, at, counts, parts, counted, filled, sizes, cells, kd_tree; lists of packers });

impl Builder {
    /// Builds the nodes of a tree, and its leaves if the boxes are those of triangles. Returns its root, and its depth.
    pub(crate) fn build(
        &mut self,
        boxes: &[BvhItem],
        nodes: &mut Vec<Node>,
        leaves: Option<(&mut Zeroed<TriangleLeaf>, &dyn TriangleRows)>,
        (level, threads): (Level, &Threads),
    ) -> Option<(BvhItem, usize)> {
        if boxes.is_empty() {
            return None;
        }
        let nodes = &mut Nodes::new(nodes, leaves);
        let threads = threads.for_items(boxes.len(), BOXES_MIN);
        lengthen_by_default(&mut self.packers, threads.workers());
        self.large.clear();
        threads.enter(|| {
            if boxes.len() < BOXES_MIN {
                return Some(self.pack(level, SplitMeasure::default(), boxes, LEAF, nodes));
            }
            if !self.order(boxes, (level, threads)) {
                return Some(self.divided(boxes, nodes, (level, threads)));
            }
            let small = self.pack_cells(boxes, nodes, (level, threads), &[]).map(|largest| {
                let (root, above) = match self.cells[..] {
                    [only] => (only, 0),
                    _ => self.pack_roots(level, nodes),
                };
                (root, above + depth_of(largest))
            });
            if self.large.is_empty() {
                return small;
            }
            let large = core::mem::take(&mut self.large);
            let (root, depth) = self.divided(&large, nodes, (level, threads));
            self.large = large;
            let Some((small, below)) = small else { return Some((root, depth)) };
            let measure = SplitMeasure::default();
            let (root, above) = self.pack(level, measure, &[small, root], 0, nodes);
            Some((root, above + depth.max(below)))
        })
    }

    /// Builds the subtree of boxes of any lengths, at least one, with the cells of a k-d tree. Returns its top node and
    /// its depth.
    fn divided(
        &mut self,
        boxes: &[BvhItem],
        nodes: &mut Nodes<'_>,
        (level, threads): (Level, &Threads),
    ) -> (BvhItem, usize) {
        self.kd_tree.build(boxes);
        let Self { kd_tree, at, counted, ordered, packers, .. } = self;
        lengthen_large(at, boxes.len());
        let at = &mut at[..boxes.len()];
        kd_tree.look_up(boxes, at, threads);
        counted.clear();
        counted.reserve(kd_tree.measures.capacity());
        counted.resize(kd_tree.measures.len(), 0);
        at.iter().for_each(|&cell| counted[cell as usize] += 1);
        let workers = (threads, &mut packers[..threads.workers()]);
        ordered.sort(at, |cell| cell, counted, workers);
        let kd_tree = core::mem::take(&mut self.kd_tree);
        self.pack_cells(boxes, nodes, (level, threads), &kd_tree.measures);
        let top = self.above(&kd_tree, 0, nodes);
        self.kd_tree = kd_tree;
        top
    }

    /// Builds the nodes above the cells of a node of the k-d tree. Returns the top node and its depth.
    ///
    /// The children of a node are those nodes of the k-d tree that result when the one with the most cells is replaced
    /// by its two children, until there are sixteen.
    fn above(&self, tree: &KdTree, index: u32, nodes: &mut Nodes<'_>) -> (BvhItem, usize) {
        let kd_node = &tree.nodes[index as usize];
        if kd_node.cells == 1 {
            let cell = kd_node.cell as usize;
            return (self.cells[cell], depth_of(self.sizes[cell]));
        }
        let (mut children, mut count) = ([index; WIDTH], 1);
        while count < WIDTH {
            let cells_of = |k: &usize| tree.nodes[children[*k] as usize].cells;
            let Some(most) = (0..count).rev().max_by_key(cells_of).filter(|k| cells_of(k) > 1)
            else {
                break;
            };
            let [first, second] = tree.nodes[children[most] as usize].children;
            (children[most], children[count]) = (first, second);
            count += 1;
        }
        let own = nodes.take_one().1;
        let (mut node, mut depth) = (Node::EMPTY, 0);
        for (lane, &child) in children[..count].iter().enumerate() {
            let (item, below) = self.above(tree, child, nodes);
            node.set(lane, item);
            depth = depth.max(below);
        }
        *nodes.node(own) = node;
        (node.around(own), depth + 1)
    }

    /// Builds the nodes above the top nodes of all cells. Returns the top node and its depth.
    fn pack_roots(&mut self, level: Level, nodes: &mut Nodes<'_>) -> (BvhItem, usize) {
        let cells = core::mem::take(&mut self.cells);
        let top = self.pack(level, SplitMeasure::default(), &cells, 0, nodes);
        self.cells = cells;
        top
    }

    /// Builds the subtree of a few children. Returns its top node and its depth.
    fn pack(
        &mut self,
        level: Level,
        measure: SplitMeasure,
        children: &[BvhItem],
        flag: u32,
        nodes: &mut Nodes<'_>,
    ) -> (BvhItem, usize) {
        let count = children.len();
        // Above the cells, the children of bottom nodes are nodes.
        let mut free = if flag == LEAF {
            nodes.take(nodes.needed()(count))
        } else {
            nodes.take_above(nodes_of(count))
        };
        let which = self.ordered.unsorted(count);
        let which = (children, which, Ahead::default());
        let root = self.packers[0].pack(level, measure, which, &mut free, flag);
        (root, depth_of(count))
    }

    /// Computes the cells, and writes the indices of the boxes to `ordered` by cell. Boxes longer than a cell are copied to
    /// `large` instead. Returns `false` if these cells are not good for the boxes.
    fn order(&mut self, boxes: &[BvhItem], (level, threads): (Level, &Threads)) -> bool {
        let sample = &mut CentreSample { boxes, line: &mut self.line };
        let ends = sample.ends();
        let lengths = ends.map_each(|[low, high]| high - low);
        let counts = parts(lengths, boxes.len().div_ceil(CELL));
        let axes = &each_axis(|axis| {
            let parts = counts[axis];
            let bins = if parts == 1 { 1 } else { (parts * BINS_PER_PART).min(BINS_MAX) };
            BinAxis {
                low: ends[axis][0],
                scale: bins as f32 / lengths[axis],
                bins,
                last: (bins - 1) as f32,
                parts,
                // No box is too long for the only part.
                width: if parts == 1 { f32::INFINITY } else { lengths[axis] / parts as f32 },
            }
        });
        if sample.long(axes) > LENGTHS / MANY_ONE_OF {
            return false;
        }
        let Self { ordered, counts, parts: [in_x, in_y, in_z], counted, at, bins, packers, .. } =
            self;
        let [x, y, z] = axes;
        lengthen_large(bins, boxes.len());
        let bins = &mut bins[..boxes.len()];
        lengthen_large(at, boxes.len());
        let at = &mut at[..boxes.len()];
        let size = CHUNK.max(boxes.len().div_ceil(CHUNKS));
        let mut chunks = boxes.chunks(size).zip(bins.chunks_mut(size)).zip(at.chunks_mut(size));
        let mut chunks: [_; CHUNKS] = core::array::from_fn(|_| {
            chunks.next().map(|((boxes, bins), at)| BinnedBoxes { boxes, bins, at, large: 0 })
        });
        let chunks = &mut chunks[..boxes.len().div_ceil(size)];
        let workers = (threads, &mut packers[..threads.workers()]);
        // For each box first the part along x, then the column, then the cell.
        let mut histograms = Histograms { chunks, workers, counts };
        histograms.compute(x.bins, &|chunk, counts| {
            let BinnedBoxes { boxes, bins, at, large } = chunk;
            let boxes = bytemuck::cast_slice(boxes);
            level.run_rows(boxes.len(), Bin { boxes, axes, bins });
            for (&mut [xy, z_large], at) in bins.iter_mut().zip(&mut **at) {
                let (bin, is_large) = (xy & 0xffff, z_large & LARGE);
                *at = bin | is_large;
                counts[bin as usize] += u32::from(is_large == 0);
                *large += usize::from(is_large != 0);
            }
        });
        let large = sum_of(histograms.chunks, |of| of.as_ref().map_or(0, |chunk| chunk.large));
        share(histograms.counts, x, in_x);
        histograms.compute(x.parts * y.bins, &|chunk, counts| {
            chunk.count_next(counts, in_x, y, |of| of[0] >> 16);
        });
        share(histograms.counts, y, in_y);
        histograms.compute(x.parts * y.parts * z.bins, &|chunk, counts| {
            chunk.count_next(counts, in_y, z, |of| of[1] & 0xffff);
        });
        share(counts, z, in_z);
        // Sum the bins of each cell.
        let cells = x.parts * y.parts * z.parts;
        counted.clear();
        counted.resize(cells, 0);
        for (&cell, &count) in in_z.iter().zip(counts.iter()) {
            counted[cell as usize] += count;
        }
        if cells > 1 && counted.iter().any(|&size| size as usize >= CROWD_MIN) {
            return false;
        }
        let at = &mut self.at[..boxes.len()];
        let workers = (threads, &mut packers[..threads.workers()]);
        ordered.sort(at, |bin| in_z[bin as usize], counted, workers);
        if self.are_narrow(boxes, axes) {
            return false;
        }
        if large > 0 {
            let large = boxes.iter().zip(&self.at).filter(|&(_, &at)| at & LARGE != 0);
            self.large.extend(large.map(|(item, _)| *item));
        }
        true
    }

    /// Whether more than a few boxes are much longer than their cell, although none is longer than a cell would be if
    /// all had equal lengths: then the boxes are in crowds, and the cells there are narrow.
    fn are_narrow(&self, boxes: &[BvhItem], axes: &[BinAxis; 3]) -> bool {
        let Self { ordered, counted, .. } = self;
        let count: usize = counted.iter().map(|&size| size as usize).sum();
        let (mut long, mut cell, mut end) = (0, 0, 0);
        for k in 0..CELLS_TESTED {
            // The cell of every 64th part of the boxes.
            while end <= sample_index(k, CELLS_TESTED, count) {
                let Some(&size) = counted.get(cell) else { return false };
                (cell, end) = (cell + 1, end + size as usize);
            }
            let size = counted[cell - 1] as usize;
            let mut is_long = [false; BOXES_TESTED];
            let mut tested = [Aabb::default(); BOXES_TESTED];
            for (k, tested) in tested.iter_mut().enumerate() {
                let Some(index) = ordered.box_of(cell - 1, sample_index(k, BOXES_TESTED, size))
                else {
                    continue;
                };
                *tested = boxes[index as usize].aabb;
            }
            for axis in (0..3).filter(|&axis| axes[axis].parts > 1) {
                let (mut low, mut high) = (f32::MAX, f32::MIN);
                for Aabb { min, max } in &tested {
                    let centre = min[axis] + max[axis];
                    low = if centre < low { centre } else { low };
                    high = if centre > high { centre } else { high };
                }
                for (Aabb { min, max }, is_long) in tested.iter().zip(&mut is_long) {
                    // Centres are doubled.
                    let length = 2.0 * (max[axis] - min[axis]);
                    *is_long |= length > NARROW * (high - low);
                }
            }
            long += is_long.into_iter().filter(|&is_long| is_long).count();
        }
        long > CELLS_TESTED * BOXES_TESTED / LONG_ONE_OF
    }

    /// Builds the subtree of each cell, with its measure; cells without one are halved on the longest axis. Returns the
    /// number of boxes of the largest cell; `None` if all cells are empty.
    fn pack_cells(
        &mut self,
        boxes: &[BvhItem],
        nodes: &mut Nodes<'_>,
        (level, threads): (Level, &Threads),
        measures: &[SplitMeasure],
    ) -> Option<usize> {
        let mut sizes = core::mem::take(&mut self.sizes);
        sizes.clear();
        sizes.reserve(self.counted.capacity());
        self.filled.clear();
        self.filled.reserve(self.counted.capacity());
        for (cell, &count) in (0..).zip(&self.counted) {
            if count > 0 {
                sizes.push(count as usize);
                self.filled.push(cell);
            }
        }
        let largest = most_of(&sizes, |&size| size);
        let needed = nodes.needed();
        let below = sizes.iter().map(|&size| needed(size));
        let below = below.fold([0; 2], |[a, b], [c, d]| [a + c, b + d]);
        // With those above the cells. A list that grows is copied, because of the alignment of nodes.
        nodes.reserve(below[0] + if sizes.len() > 1 { nodes_of(sizes.len()) } else { 0 });
        let mut free = nodes.take(below);
        let mut cells = core::mem::take(&mut self.cells);
        cells.clear();
        cells.reserve(sizes.capacity());
        cells.resize(sizes.len(), BvhItem::default());

        // A task has consecutive cells with about the same number of boxes. The division does not
        // affect the tree.
        let per_run = sizes.iter().sum::<usize>().div_ceil(RUNS);
        let (mut roots, mut rest, mut filled) = (&mut cells[..], &sizes[..], &self.filled[..]);
        let mut measures = measures;
        let mut tasks: [_; RUNS] = core::array::from_fn(|_| {
            let (mut count, mut boxes, mut needs, mut largest) = (0, 0, [0; 2], 0);
            while boxes < per_run
                && let Some(&size) = rest.get(count)
            {
                let [nodes, leaves] = needed(size);
                (count, boxes) = (count + 1, boxes + size);
                needs = [needs[0] + nodes, needs[1] + leaves];
                largest = largest.max(size);
            }
            rest.split_off(..count)?;
            let (own, tops) = (free.split(needs), roots.split_off_mut(..count)?);
            let measures = measures.split_off(..count.min(measures.len()))?;
            let filled = filled.split_off(..count)?;
            Some(Task { filled, free: own, tops, measures, largest })
        });
        let ordered = &self.ordered;
        let packers = &mut self.packers[..threads.workers()];
        let length = |task: &Option<Task<'_>>| task.as_ref().map_or(0, |task| task.largest);
        let lengths = (&length as _, CROWD_MIN);
        let reserve = |packer: &mut Packer, largest| {
            packer.reserve_for(largest);
            for list in &mut packer.which {
                list.clear();
                reserve_for(list, largest);
            }
        };
        let pack = |packer: &mut Packer, _, task: &mut Option<Task<'_>>| {
            if let Some(task) = task {
                task.pack(level, (boxes, ordered), packer);
            }
        };
        par::for_each_by_length(threads, packers, &mut tasks, lengths, &reserve, &pack);
        (self.sizes, self.cells) = (sizes, cells);
        (largest > 0).then_some(largest)
    }
}

/// Consecutive boxes that one thread bins.
struct BinnedBoxes<'a> {
    boxes: &'a [BvhItem],
    bins: &'a mut [[u32; 2]],
    /// For each box its bin in the current histograms.
    at: &'a mut [u32],
    /// The number of boxes that are longer than a cell.
    large: usize,
}

impl BinnedBoxes<'_> {
    /// Counts the bins of the next axis. `parts` has the part of each current bin; there is a histogram for each part of the
    /// axes before.
    #[inline(always)]
    fn count_next(
        &mut self,
        counts: &mut [u32],
        parts: &[u32],
        axis: &BinAxis,
        bin: impl Fn(&[u32; 2]) -> u32,
    ) {
        for (bins, at) in self.bins.iter().zip(&mut *self.at) {
            if *at & LARGE == 0 {
                let bin = parts[*at as usize] as usize * axis.bins + bin(bins) as usize;
                *at = bin as u32;
                counts[bin] += 1;
            }
        }
    }
}

/// Histograms of all boxes.
struct Histograms<'a, 'c> {
    chunks: &'a mut [Option<BinnedBoxes<'c>>],
    /// The threads, and the scratch memory of each.
    workers: (&'a Threads, &'a mut [Packer]),
    counts: &'a mut Vec<u32>,
}

impl Histograms<'_, '_> {
    /// Computes histograms with this many bins in total. `count` adds those of a chunk. The sums do not depend on which
    /// thread counts which chunk.
    fn compute(&mut self, bins: usize, count: &(dyn Fn(&mut BinnedBoxes<'_>, &mut [u32]) + Sync)) {
        let (threads, packers) = &mut self.workers;
        for packer in &mut **packers {
            packer.counts.clear();
            packer.counts.resize(bins, 0);
        }
        par::for_each(threads, packers, self.chunks, &|packer, _, chunk| {
            if let Some(chunk) = chunk {
                count(chunk, &mut packer.counts);
            }
        });
        if let Some((first, others)) = packers.split_first_mut() {
            self.counts.clear();
            self.counts.extend_from_slice(&first.counts);
            for packer in others {
                self.counts.iter_mut().zip(&packer.counts).for_each(|(sum, count)| *sum += count);
            }
        }
    }
}

/// Consecutive cells whose subtrees are built by one thread.
struct Task<'a> {
    /// The cells.
    filled: &'a [u32],
    free: FreeNodes<'a>,
    tops: &'a mut [BvhItem],
    /// How the boxes of each cell are halved. May be empty.
    measures: &'a [SplitMeasure],
    /// The number of boxes of the largest cell.
    largest: usize,
}

impl Task<'_> {
    fn pack(
        &mut self,
        level: Level,
        (boxes, ordered): (&[BvhItem], &CellOrder),
        packer: &mut Packer,
    ) {
        let mut lists = core::mem::take(&mut packer.which);
        let write = |list: &mut Vec<u32>, k: usize| {
            list.clear();
            if let Some(&cell) = self.filled.get(k) {
                ordered.boxes_of(cell as usize).for_each(|of| list.extend_from_slice(of));
            }
        };
        write(&mut lists[0], 0);
        write(&mut lists[1], 1);
        for (k, top) in self.tops.iter_mut().enumerate() {
            write(&mut lists[2], k + 2);
            let [own, next, later] = &lists;
            let measure = self.measures.get(k).copied().unwrap_or_default();
            let ahead = Ahead::new([next, later]);
            *top = packer.pack(level, measure, (boxes, own, ahead), &mut self.free, LEAF);
            lists.rotate_left(1);
        }
        packer.which = lists;
    }
}

/// A sample of the boxes.
struct CentreSample<'a> {
    boxes: &'a [BvhItem],
    /// Scratch memory: one number for each box of the sample.
    line: &'a mut Vec<f32>,
}

impl CentreSample<'_> {
    /// The lower and upper end of the doubled centres on each axis.
    ///
    /// The sample without the outermost 1/64 on both ends, extended again: exact for a uniform distribution. The
    /// range has nearly all boxes; a few distant boxes do not make the cells of all others coarse.
    fn ends(&mut self) -> [[f32; 2]; 3] {
        let Self { boxes, line } = self;
        let mut ends = [[0.0; 2]; 3];
        for (axis, ends) in ends.iter_mut().enumerate() {
            line.clear();
            line.extend((0..SAMPLES).map(|k| {
                let Aabb { min, max } = &boxes[sample_index(k, SAMPLES, boxes.len())].aabb;
                min[axis] + max[axis]
            }));
            let low = select_float(line, SAMPLES / 64);
            let high = select_float(line, SAMPLES - 1 - SAMPLES / 64);
            let margin = (high - low) * (1.0 / 60.0);
            *ends = [low - margin, high + margin];
        }
        ends
    }

    /// The number of boxes, of [`LENGTHS`], that are longer than a cell would be if all had equal lengths.
    fn long(&self, axes: &[BinAxis; 3]) -> usize {
        let of = |k| &self.boxes[sample_index(k, LENGTHS, self.boxes.len())].aabb;
        let boxes = (0..LENGTHS).map(of);
        let is_long =
            |Aabb { min, max }: &Aabb| (0..3).any(|k| 2.0 * (max[k] - min[k]) > axes[k].width);
        boxes.filter(|of| is_long(of)).count()
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
