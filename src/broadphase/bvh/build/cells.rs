//! Builds a large tree: divides the boxes into cells, then builds a subtree of each.
//!
//! Cells have about the same length on all axes and about [`CELL`] boxes. The x axis is divided
//! into slabs with equal numbers of boxes, by a histogram; then each slab along y, and each of the
//! results along z. The range of the bins comes from a sample and contains nearly all boxes. Boxes
//! outside of it fall into the outermost bins, so that a few distant boxes do not make the bins of
//! all others coarse. Boxes that are longer than a cell, and crowds, form classes (`classes.rs`) whose
//! subtrees are built in the same way; the root is above all subtrees.

use super::bins::{BINS_MAX, Bin, BinAxis, LARGE};
use super::classes::{Class, ClassSample, SplitMeasure, long_on, part_length, parts, set_of};
use super::median::{Packer, depth_of, nodes_of};
use crate::broadphase::bvh::{BvhItem, LEAF, Node, grow};
use crate::columns::impl_memory;
use crate::geom::{Aabb, MapEach, each_axis, most_of, sum_of};
use crate::lanes::{Level, prefetch_to_write};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Average number of boxes in a cell: a few less than fill a node of full leaves, because counts
/// vary.
const CELL: usize = 208;
/// Fewer boxes form a single cell.
const BOXES_MIN: usize = 16 * CELL;
/// Bins of a histogram for each part.
const BINS_PER_PART: usize = 8;
/// Fewer boxes of a class of long boxes, or of a crowd, form a single cell.
const CLASS_MIN: usize = 4 * CELL;
/// Fewer large boxes are not divided into classes.
const LARGE_MIN: usize = 64;
/// A cell with this many boxes is a crowd, which is divided into cells of its own.
const CROWD_MIN: usize = BOXES_MIN;
/// Crowded cells that have at most this part of all cells between them form one crowd.
const TOGETHER: usize = 4;
/// Number of cells that are tested whether they are narrow, and of boxes of each.
const CELLS_TESTED: usize = 64;
const BOXES_TESTED: usize = 8;
/// A cell is narrow for a box that is this many times longer.
const NARROW: f32 = 2.0;
/// Cells are narrow if they are for more than one box of so many.
const LONG_ONE_OF: usize = 64;
/// Classes that were divided from classes this often are not divided any more.
const DEPTH_MAX: u8 = 12;
/// More boxes are divided into classes twice only, so that the number of slots stays below that of all locations.
const BOXES_OF_MANY_CLASSES: usize = 1 << 25;
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
    /// The pending classes; each has the boxes of `large` up to the start of the next one.
    classes: Vec<Class>,
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

impl_memory!(Builder { large, classes, class, roots, ordered, line, bins, at, counts, parts, ends, sizes, cells; lists of packers });

/// The nodes of a tree that is built in the memory of an earlier one.
struct Nodes<'a> {
    all: &'a mut Vec<Node>,
    used: usize,
}

impl Nodes<'_> {
    /// Allocates memory for `count` further nodes: for the first tree no more than that.
    fn reserve(&mut self, count: usize) {
        let count = count.saturating_sub(self.all.len() - self.used);
        if self.all.is_empty() {
            self.all.reserve_exact(count);
        } else {
            self.all.reserve(count);
        }
    }

    /// The next `count` nodes; their contents are arbitrary.
    fn take(&mut self, count: usize) -> &mut [Node] {
        let start = self.used;
        self.used += count;
        grow(self.all, self.used);
        &mut self.all[start..self.used]
    }
}

impl Builder {
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
        let threads = threads.for_items(boxes.len(), BOXES_MIN);
        self.packers.resize_with(threads.workers().max(self.packers.len()), Packer::default);
        self.large.clear();
        self.classes.clear();
        threads.enter(|| {
            let depth = if boxes.len() > BOXES_OF_MANY_CLASSES { DEPTH_MAX - 2 } else { 0 };
            let whole = Class { depth, ..Class::default() };
            let first = self.class(boxes, whole, nodes, (level, threads));
            if let Some((root, depth)) = first
                && self.classes.is_empty()
            {
                return Some((root.id, depth));
            }
            let mut roots = core::mem::take(&mut self.roots);
            let mut boxes = core::mem::take(&mut self.class);
            roots.clear();
            let mut depth = 0;
            let mut push = |class: Option<(BvhItem, usize)>| {
                if let Some((root, below)) = class {
                    roots.push(root);
                    depth = depth.max(below);
                }
            };
            push(first);
            while let Some(class) = self.classes.pop() {
                boxes.clear();
                boxes.extend_from_slice(&self.large[class.start..]);
                self.large.truncate(class.start);
                push(self.class(&boxes, class, nodes, (level, threads)));
            }
            let (root, above) = match roots[..] {
                [only] => (only, 0),
                _ => self.pack(level, SplitMeasure::default(), &roots, 0, nodes),
            };
            (self.roots, self.class) = (roots, boxes);
            Some((root.id, above + depth))
        })
    }

    /// Builds the subtree of a class, at least one box, except for boxes that are moved to further classes; `None` if
    /// these are all. Returns its top node and its depth.
    fn class(
        &mut self,
        boxes: &[BvhItem],
        mut class: Class,
        nodes: &mut Nodes<'_>,
        (level, threads): (Level, &Threads),
    ) -> Option<(BvhItem, usize)> {
        let sample = &mut ClassSample { boxes, line: &mut self.line };
        let is_first = class.depth == 0;
        if boxes.len() < if is_first { BOXES_MIN } else { CLASS_MIN } {
            let measure = if class.long.contains(&true) {
                let lengths = sample.ends().map_each(|[low, high]| high - low);
                sample.measure(lengths)
            } else {
                SplitMeasure::default()
            };
            return Some(self.pack(level, measure, boxes, LEAF, nodes));
        }
        let ends = sample.ends();
        let lengths = ends.map_each(|[low, high]| high - low);
        let cells = boxes.len().div_ceil(CELL);
        let mut counts = parts(lengths, cells);
        if !class.long.contains(&true) {
            class.long = sample.long_axes(lengths, counts);
        }
        let mut measure = SplitMeasure::default();
        if class.long.contains(&true) {
            counts = sample.long_parts(lengths, class.long, cells);
            measure = sample.measure(lengths);
        }
        let axes = each_axis(|axis| {
            let parts = counts[axis];
            let bins = if parts == 1 { 1 } else { (parts * BINS_PER_PART).min(BINS_MAX) };
            BinAxis {
                low: ends[axis][0],
                scale: bins as f32 / lengths[axis],
                bins,
                last: (bins - 1) as f32,
                parts,
                width: part_length(lengths[axis], parts),
            }
        });
        let pending = (self.large.len(), self.classes.len());
        self.order(boxes, &axes, (level, threads), &class, false);
        let are_narrow = class.depth < DEPTH_MAX && self.are_narrow(&axes);
        if are_narrow {
            self.large.truncate(pending.0);
            self.classes.truncate(pending.1);
            self.order(boxes, &axes, (level, threads), &class, true);
        }
        self.move_crowds(&class, &axes, if are_narrow { CLASS_MIN } else { CROWD_MIN });
        self.pack_cells(nodes, (level, threads), measure)
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
        let (count, base) = (children.len(), nodes.used as u32);
        let room = nodes.take(nodes_of(count));
        let root = self.packers[0].pack(level, measure, (children, 0..count), room, (base, flag));
        (root, depth_of(count))
    }

    /// Copies the boxes to `ordered` by cell; accessed by index they would be far apart in memory.
    /// Boxes longer than a cell are moved to classes of `large` instead.
    ///
    /// Cells have about equal numbers of boxes, or equal lengths if `are_even`.
    fn order(
        &mut self,
        boxes: &[BvhItem],
        axes: &[BinAxis; 3],
        (level, threads): (Level, &Threads),
        class: &Class,
        are_even: bool,
    ) {
        let Self { ordered, counts, parts: [in_x, in_y, in_z], ends, at, bins, packers, .. } = self;
        let [x, y, z] = axes;
        grow(bins, boxes.len());
        let bins = &mut bins[..boxes.len()];
        let size = CHUNK.max(boxes.len().div_ceil(CHUNKS));
        let mut chunks = boxes.chunks(size).zip(bins.chunks_mut(size));
        let mut tasks: [_; CHUNKS] = core::array::from_fn(|_| chunks.next());
        let packers = &mut packers[..threads.workers()];
        let tasks = &mut tasks[..boxes.len().div_ceil(size)];
        par::for_each(threads, packers, tasks, &|_, _, chunk| {
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
        if class.depth == DEPTH_MAX {
            for at in at.iter_mut().filter(|at| **at & LARGE != 0) {
                *at &= !LARGE;
                counts[*at as usize] += 1;
            }
            large = 0;
        }
        share(counts, x, in_x, are_even);
        count_next(counts, in_x, (x.parts, y), bins.iter().map(|of| of[0] >> 16), at);
        share(counts, y, in_y, are_even);
        count_next(counts, in_y, (x.parts * y.parts, z), bins.iter().map(|of| of[1] & 0xffff), at);
        share(counts, z, in_z, are_even);
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
        for (item, &bin) in boxes.iter().zip(&*at) {
            if bin & LARGE == 0 {
                let next = &mut ends[in_z[bin as usize] as usize];
                ordered[*next as usize] = *item;
                *next += 1;
                prefetch_to_write(ordered, *next as usize + 3);
            }
        }
        if large > 0 {
            let boxes = boxes.iter().zip(&*at).filter(|&(_, &at)| at & LARGE != 0);
            let width = axes.each_ref().map_each(|axis| axis.width);
            let pending = (&mut self.large, &mut self.classes);
            move_large(boxes.map(|(item, _)| item), large, width, class, pending);
        }
    }

    /// Whether more than a few boxes are much longer than their cell, although none is longer than a cell would be if
    /// all had equal lengths: then the boxes are in crowds, and the cells there are narrow.
    fn are_narrow(&self, axes: &[BinAxis; 3]) -> bool {
        let Self { ordered, ends, .. } = self;
        let count = ends.last().map_or(0, |&end| end as usize);
        let mut long = 0;
        for k in 0..CELLS_TESTED {
            let cell = ends.partition_point(|&end| end as usize <= k * count / CELLS_TESTED);
            let start = if cell > 0 { ends[cell - 1] as usize } else { 0 };
            let Some(&end) = ends.get(cell) else { break };
            let cell = &ordered[start..end as usize];
            let mut is_long = [false; BOXES_TESTED];
            let mut tested = [Aabb::default(); BOXES_TESTED];
            for (k, tested) in tested.iter_mut().enumerate() {
                *tested = cell[k * cell.len() / BOXES_TESTED].aabb;
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

    /// Moves the boxes of cells with at least `crowd` boxes to classes, so that these cells are empty. Crowded cells
    /// near each other are one class.
    fn move_crowds(&mut self, class: &Class, axes: &[BinAxis; 3], crowd: usize) {
        let Self { ordered, ends, large, classes, .. } = self;
        if class.depth == DEPTH_MAX || ends.len() == 1 {
            return;
        }
        let next = Class { start: large.len(), depth: class.depth + 1, long: class.long };
        let parts = axes.each_ref().map_each(|axis| axis.parts);
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        let (mut start, mut to) = (0, 0);
        for (k, end) in ends.iter_mut().enumerate() {
            let cell = start..*end as usize;
            start = cell.end;
            if cell.len() >= crowd {
                let at = [k / (parts[1] * parts[2]), k / parts[2] % parts[1], k % parts[2]];
                for axis in 0..3 {
                    low[axis] = low[axis].min(at[axis]);
                    high[axis] = high[axis].max(at[axis]);
                }
                classes.push(Class { start: large.len(), ..next });
                large.extend_from_slice(&ordered[cell]);
            } else {
                if to < cell.start {
                    ordered.copy_within(cell.clone(), to);
                }
                to += cell.len();
            }
            *end = to as u32;
        }
        if next.start < large.len() {
            let around: usize = (0..3).map(|axis| high[axis] - low[axis] + 1).product();
            if around <= ends.len() / TOGETHER {
                classes.retain(|class| class.start < next.start);
                classes.push(next);
            }
        }
    }

    /// Builds the subtree of each cell, then the nodes above them; `None` if all cells are empty.
    fn pack_cells(
        &mut self,
        nodes: &mut Nodes<'_>,
        (level, threads): (Level, &Threads),
        measure: SplitMeasure,
    ) -> Option<(BvhItem, usize)> {
        let mut sizes = core::mem::take(&mut self.sizes);
        sizes.clear();
        let mut start = 0;
        for &end in &self.ends {
            if end > start {
                sizes.push((end - start) as usize);
            }
            start = end;
        }
        let largest = most_of(&sizes, |&size| size);
        // Any worker may take any cells, so reserve the largest size for all of them.
        self.packers.iter_mut().for_each(|packer| packer.reserve_for(largest));
        let mut base = nodes.used;
        let below = sum_of(&sizes, |&size| nodes_of(size));
        // With those above the cells. A list that grows is copied, because of the alignment of nodes.
        nodes.reserve(below + if sizes.len() > 1 { nodes_of(sizes.len()) } else { 0 });
        let mut free = nodes.take(below);
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
            let task = Task { sizes, first, nodes, base, tops, measure };
            (first, base) = (first + boxes, base + room);
            Some(task)
        });
        let ordered = &self.ordered[..];
        let packers = &mut self.packers[..threads.workers()];
        par::for_each(threads, packers, &mut tasks, &|packer, _, task| {
            if let Some(task) = task {
                task.pack(level, ordered, packer);
            }
        });
        self.sizes = sizes;

        let (root, above) = match cells[..] {
            [] => (BvhItem::default(), 0),
            [only] => (only, 0),
            _ => self.pack(level, measure, &cells, 0, nodes),
        };
        self.cells = cells;
        (largest > 0).then(|| (root, above + depth_of(largest)))
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
    measure: SplitMeasure,
}

impl Task<'_> {
    fn pack(&mut self, level: Level, boxes: &[BvhItem], packer: &mut Packer) {
        let (mut nodes, mut base, mut first) = (&mut *self.nodes, self.base, self.first);
        for (&size, top) in self.sizes.iter().zip(self.tops.iter_mut()) {
            let (room, later) = nodes.split_at_mut(nodes_of(size));
            let which = first..first + size;
            *top = packer.pack(level, self.measure, (boxes, which), room, (base as u32, LEAF));
            (base, first, nodes) = (base + room.len(), first + size, later);
        }
    }
}

/// Appends large boxes, as many as `count`, to the pending classes: one for each set of axes on which they are
/// longer than a cell, because a wall and one perpendicular to it together have bounds that fill a room.
fn move_large<'a>(
    boxes: impl Iterator<Item = &'a BvhItem> + Clone,
    count: usize,
    width: [f32; 3],
    class: &Class,
    (large, classes): (&mut Vec<BvhItem>, &mut Vec<Class>),
) {
    let (first, depth) = (large.len(), class.depth + 1);
    if count < LARGE_MIN {
        large.extend(boxes);
        classes.push(Class { start: first, depth, long: [false; 3] });
        return;
    }
    let mut next = [0; 8];
    for item in boxes.clone() {
        next[set_of(long_on(&item.aabb, width))] += 1;
    }
    let mut start = first;
    for (set, next) in next.iter_mut().enumerate() {
        let count = core::mem::replace(next, start);
        if count > 0 {
            let long = each_axis(|k| class.long[k] || set & 1 << k != 0);
            classes.push(Class { start, depth, long });
            start += count;
        }
    }
    large.resize(start, BvhItem::default());
    for item in boxes {
        let next = &mut next[set_of(long_on(&item.aabb, width))];
        large[*next] = *item;
        *next += 1;
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

/// Combines the bins of each histogram into parts with about equal numbers of boxes, or of equal
/// length if `are_even`. Parts are numbered consecutively over all histograms.
fn share(counts: &[u32], axis: &BinAxis, parts: &mut Vec<u32>, are_even: bool) {
    parts.clear();
    for (histogram, bins) in counts.chunks(axis.bins).enumerate() {
        let first = histogram * axis.parts;
        let total: u64 = bins.iter().map(|&count| u64::from(count)).sum();
        let mut before = 0;
        for (&count, bin) in bins.iter().zip(0..) {
            // The bin belongs to the part of its middle box.
            let middle = before + u64::from(count) / 2;
            let (place, all) =
                if are_even { (bin, axis.bins as u64) } else { (middle, total.max(1)) };
            let part = place * axis.parts as u64 / all;
            parts.push((first + part.min(axis.parts as u64 - 1) as usize) as u32);
            before += u64::from(count);
        }
    }
}
