//! Into which cells are the boxes of a large tree cut?
//!
//! Cells are about as long on all axes and hold about [`CELL`] boxes. First the x axis is cut into
//! slabs of equally many boxes, by a histogram; then each slab along y, and each of those along z.
//! A sample says between where nearly all boxes lie; what lies outside falls into the outermost
//! bins, so that a box that fell out of the world does not make the bins of all others coarse.

use super::median::{Children, Item, WHOLE, depth_of, nodes_of, pack};
use super::{Child, LEAF, NO_BOUNDS, NOTHING, Named, Node};
use crate::lanes::prefetch_to_write;
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Boxes of a cell: a few less than fill a node of full leaves, since counts differ.
const CELL: usize = 208;
/// Fewer boxes are one cell.
const BOXES_MIN: usize = 16 * CELL;
/// Boxes looked at to choose the cells.
const SAMPLES: usize = 1024;
/// Bins of a histogram for each part that is cut from it, and the most.
const BINS_PER_PART: usize = 8;
const BINS_MAX: usize = 1 << 16;
/// Large boxes are kept apart when they are at most one of so many.
const LARGE_ONE_OF: usize = 4;
/// Runs of cells that are packed by one thread.
const RUNS: usize = 64;

/// Memory for building trees.
#[derive(Debug, Default)]
pub(in super::super) struct Builder {
    /// What is to be packed, what is too large for it, as much memory again, and the boxes of the
    /// former ordered by cells.
    items: Vec<Item>,
    large: Vec<Item>,
    /// Where the classes begin that wait in `large`.
    classes: Vec<usize>,
    scratch: Vec<Item>,
    ordered: Vec<Named>,
    line: Vec<f32>,
    /// Where each item is.
    at: Vec<u32>,
    counts: Vec<u32>,
    parts: [Vec<u32>; 3],
    /// Where the items of each cell end, and its uppermost node.
    ends: Vec<u32>,
    cells: Vec<Child>,
}

/// The boxes of a tree, by number.
struct Boxes<'a>(&'a [Named]);

impl Children for Boxes<'_> {
    const FLAG: u32 = LEAF;

    #[inline(always)]
    fn child(&self, number: u32) -> Child {
        Child::of(&self.0[number as usize])
    }
}

/// The uppermost nodes of what is packed, by number.
struct Roots<'a>(&'a [Child]);

impl Children for Roots<'_> {
    const FLAG: u32 = 0;

    fn child(&self, number: u32) -> Child {
        self.0[number as usize]
    }
}

/// The nodes of a tree that is built in the memory of a former one.
struct Nodes<'a> {
    all: &'a mut Vec<Node>,
    used: usize,
}

impl Nodes<'_> {
    /// Further nodes, in which anything may stand.
    fn take(&mut self, count: usize) -> &mut [Node] {
        let start = self.used;
        self.used += count;
        grow(self.all, self.used);
        &mut self.all[start..self.used]
    }
}

/// Makes a list so long at least.
fn grow<T: Clone + Default>(list: &mut Vec<T>, len: usize) {
    if list.len() < len {
        list.resize(len, T::default());
    }
}

/// How one axis is cut into bins.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f32,
    /// Bins for each unit of length.
    scale: f32,
    bins: usize,
    /// One less.
    last: f32,
    /// Into how many parts the bins are put together.
    parts: usize,
    /// How long a part is if all are alike; of a single part no box is too long.
    width: f32,
}

impl Axis {
    #[inline(always)]
    fn bin(&self, x: f32) -> usize {
        let bin = (x - self.low) * self.scale;
        // As the first is NaN of an infinite scale, so is none of what is left.
        let bin = if bin > 0.0 { bin } else { 0.0 };
        let bin = if bin < self.last { bin } else { self.last };
        // Rounded to a whole number, in the last bits of a float.
        ((bin + WHOLE).to_bits() - WHOLE.to_bits()) as usize
    }
}

impl Builder {
    /// Bytes of memory.
    pub(in super::super) fn bytes(&self) -> usize {
        let items = self.items.capacity() + self.large.capacity() + self.scratch.capacity();
        let parts: usize = self.parts.iter().map(Vec::capacity).sum();
        items * size_of::<Item>()
            + self.ordered.capacity() * size_of::<Named>()
            + (self.line.capacity()
                + self.counts.capacity()
                + parts
                + self.ends.capacity()
                + self.at.capacity())
                * size_of::<u32>()
            + self.cells.capacity() * size_of::<Child>()
            + self.classes.capacity() * size_of::<usize>()
    }

    /// Appends the nodes of a tree of these boxes; returns its root and how deep it is.
    pub(super) fn build(
        &mut self,
        boxes: &[Named],
        nodes: &mut Vec<Node>,
        threads: &Threads,
    ) -> Option<(u32, usize)> {
        let nodes = &mut Nodes { all: nodes, used: 0 };
        self.items.clear();
        self.items
            .extend((0..).zip(boxes).map(|(k, named)| Item::new(&Child::of(named).bounds, k)));
        self.large.clear();
        self.classes.clear();
        let (mut roots, mut depth) = (Vec::new(), 0);
        while !self.items.is_empty() {
            let (root, deep) = threads.enter(|| self.class(boxes, nodes, threads));
            roots.push(root);
            depth = depth.max(deep);
            let next = self.classes.pop().unwrap_or(self.large.len());
            self.items.clear();
            self.items.extend(self.large.drain(next..));
        }
        if let [] | [_] = roots[..] {
            return roots.first().map(|root| (root.name, depth));
        }
        let (root, above) = self.pack_roots(&roots, nodes);
        Some((root.name, above + depth))
    }

    /// Packs the items but for the large ones, which are added to `large`.
    fn class(
        &mut self,
        boxes: &[Named],
        nodes: &mut Nodes<'_>,
        threads: &Threads,
    ) -> (Child, usize) {
        if self.items.len() < BOXES_MIN {
            let (items, base) = (&mut self.items, nodes.used);
            let room = nodes.take(nodes_of(items.len()));
            grow(&mut self.scratch, items.len());
            let root = pack(items, &mut self.scratch, &Boxes(boxes), room, base as u32);
            return (root, depth_of(items.len()));
        }
        let axes = self.axes();
        self.keep_large_apart(boxes, &axes);
        self.order(boxes, &axes);
        self.pack_cells(nodes, threads)
    }

    /// Packs nodes under one.
    fn pack_roots(&mut self, roots: &[Child], nodes: &mut Nodes<'_>) -> (Child, usize) {
        self.items.clear();
        self.items.extend((0..).zip(roots).map(|(k, root)| Item::new(&root.bounds, k)));
        grow(&mut self.scratch, roots.len());
        let first = nodes.used as u32;
        let room = nodes.take(nodes_of(roots.len()));
        let root = pack(&mut self.items, &mut self.scratch, &Roots(roots), room, first);
        (root, depth_of(roots.len()))
    }

    /// Chooses the cuts from a sample.
    fn axes(&mut self) -> [Axis; 3] {
        let count = self.items.len();
        let mut ends = [[0.0; 2]; 3];
        for (axis, ends) in ends.iter_mut().enumerate() {
            let sample = (0..SAMPLES).map(|k| self.items[k * count / SAMPLES].middle[axis]);
            self.line.clear();
            self.line.extend(sample);
            let off = SAMPLES / 64;
            let low = *self.line.select_nth_unstable_by(off, f32::total_cmp).1;
            let high = *self.line.select_nth_unstable_by(SAMPLES - 1 - off, f32::total_cmp).1;
            // What was cut off, put back: exact for an even spread.
            let margin = (high - low) * (1.0 / 60.0);
            *ends = [low - margin, high + margin];
        }
        let lengths = ends.map(|[low, high]| high - low);
        let parts = parts(lengths, count.div_ceil(CELL));
        core::array::from_fn(|axis| {
            let bins = (parts[axis] * BINS_PER_PART).min(BINS_MAX);
            let bins = if parts[axis] == 1 { 1 } else { bins };
            Axis {
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

    /// Moves the boxes that are longer than a cell to `large`, if they are few. Many are told apart
    /// by the axes on which they are, for a wall and one across it together fill a room.
    fn keep_large_apart(&mut self, boxes: &[Named], axes: &[Axis; 3]) {
        let long_on = |item: &Item| -> u32 {
            let Named { aabb, .. } = boxes[item.number as usize];
            let mut bits = 0;
            for (k, axis) in axes.iter().enumerate() {
                // Twice, as the middles are.
                let length = 2.0 * (aabb.max[k] - aabb.min[k]);
                bits |= u32::from(length > axis.width) << k;
            }
            bits
        };
        let count = self.items.iter().filter(|item| long_on(item) > 0).count();
        if count == 0 || count > self.items.len() / LARGE_ONE_OF {
            return;
        }
        let start = self.large.len();
        self.large.extend(self.items.iter().filter(|item| long_on(item) > 0));
        self.items.retain(|item| long_on(item) == 0);
        self.classes.push(start);
        if count >= BOXES_MIN {
            let large = &mut self.large[start..];
            large.sort_unstable_by_key(|item| (long_on(item), item.number));
            for k in 1..count {
                if long_on(&large[k - 1]) != long_on(&large[k]) {
                    self.classes.push(start + k);
                }
            }
        }
    }

    /// Orders the boxes of the items by cells: by index they would be far from each other.
    fn order(&mut self, boxes: &[Named], axes: &[Axis; 3]) {
        let Self { items, ordered, counts, parts: [in_x, in_y, in_z], ends, at, .. } = self;
        let [x, y, z] = axes;
        grow(at, items.len());
        let at = &mut at[..items.len()];
        // Which slab, then which column each item is in.
        counts.clear();
        counts.resize(x.bins, 0);
        for (item, at) in items.iter().zip(&mut *at) {
            *at = x.bin(item.middle[0]) as u32;
            counts[*at as usize] += 1;
        }
        share(counts, x, in_x);
        count_next(counts, in_x, (x.parts, y, 1), items, at);
        share(counts, y, in_y);
        count_next(counts, in_y, (x.parts * y.parts, z, 2), items, at);
        share(counts, z, in_z);
        // From boxes in bins to boxes in cells, to where cells start, to where they end.
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
        grow(ordered, items.len());
        for (item, &bin) in items.iter().zip(&*at) {
            let next = &mut ends[in_z[bin as usize] as usize];
            ordered[*next as usize] = boxes[item.number as usize];
            *next += 1;
            prefetch_to_write(ordered, *next as usize + 3);
        }
    }

    /// Packs the boxes of each cell, then the cells.
    fn pack_cells(&mut self, nodes: &mut Nodes<'_>, threads: &Threads) -> (Child, usize) {
        let start = |cell: usize| if cell == 0 { 0 } else { self.ends[cell - 1] as usize };
        let size = |cell: usize| self.ends[cell] as usize - start(cell);
        let filled = (0..self.ends.len()).filter(|&cell| size(cell) > 0);
        let (mut count, mut below, mut largest) = (0, 0, 0);
        for cell in filled.clone() {
            count += 1;
            below += nodes_of(size(cell));
            largest = largest.max(size(cell));
        }
        let base = nodes.used;
        let room_of_cells = nodes.take(below);
        self.cells.clear();
        self.cells.resize(count, NO_CHILD);

        // A few cells at a time are a thread's. The cut changes nothing but who does what.
        let len = self.items.len();
        grow(&mut self.scratch, len);
        let (mut tasks, mut rest) = (Vec::with_capacity(RUNS + 1), &mut self.items[..]);
        let (mut free, mut roots) = (room_of_cells, &mut self.cells[..]);
        let (mut spare, wanted) = (&mut self.scratch[..len], len.div_ceil(RUNS));
        let mut first = 0;
        let (mut sizes, mut items, mut room, mut at) = (Vec::new(), 0, 0, base);
        for (k, cell) in filled.enumerate() {
            sizes.push(size(cell));
            items += size(cell);
            room += nodes_of(size(cell));
            if items >= wanted || k + 1 == count {
                let (own, others) = core::mem::take(&mut rest).split_at_mut(items);
                let (nodes, later) = core::mem::take(&mut free).split_at_mut(room);
                let (tops, more) = core::mem::take(&mut roots).split_at_mut(sizes.len());
                let (scratch, left) = core::mem::take(&mut spare).split_at_mut(items);
                (rest, free, roots, spare) = (others, later, more, left);
                tasks.push(Task { sizes, first, items: own, scratch, nodes, base: at, tops });
                (first, at) = (first + items, at + room);
                (sizes, items, room) = (Vec::new(), 0, 0);
            }
        }
        let mut workers: Vec<()> = alloc::vec![(); threads.workers()];
        let boxes = &self.ordered[..];
        par::for_each(&mut workers, &mut tasks, |(), _, task| task.pack(boxes));

        if let [only] = self.cells[..] {
            return (only, depth_of(largest));
        }
        let cells = core::mem::take(&mut self.cells);
        let (root, above) = self.pack_roots(&cells, nodes);
        self.cells = cells;
        (root, above + depth_of(largest))
    }
}

/// Cells that are packed by one thread.
struct Task<'a> {
    /// How many items each cell has; they follow each other.
    sizes: Vec<usize>,
    /// The first box of the first cell.
    first: usize,
    items: &'a mut [Item],
    scratch: &'a mut [Item],
    nodes: &'a mut [Node],
    /// The number of the first of the nodes.
    base: usize,
    tops: &'a mut [Child],
}

impl Task<'_> {
    fn pack(&mut self, boxes: &[Named]) {
        let (mut items, mut nodes, mut base) = (&mut *self.items, &mut *self.nodes, self.base);
        let mut first = self.first;
        for (&size, top) in self.sizes.iter().zip(self.tops.iter_mut()) {
            let (own, others) = items.split_at_mut(size);
            let (room, later) = nodes.split_at_mut(nodes_of(size));
            for (item, number) in own.iter_mut().zip(first..) {
                *item = Item::new(&Child::of(&boxes[number]).bounds, number as u32);
            }
            *top = pack(own, self.scratch, &Boxes(boxes), room, base as u32);
            (base, first) = (base + room.len(), first + size);
            (items, nodes) = (others, later);
        }
    }
}

/// Before a node is packed.
const NO_CHILD: Child = Child { bounds: NO_BOUNDS, name: NOTHING };

/// Counts the items of each part of the axes before in the bins of the next. `at` is the bin of
/// each item, before and after; `parts` the part of the axes before that a bin is.
fn count_next(
    counts: &mut Vec<u32>,
    parts: &[u32],
    (before, axis, which): (usize, &Axis, usize),
    items: &[Item],
    at: &mut [u32],
) {
    counts.clear();
    counts.resize(before * axis.bins, 0);
    for (item, at) in items.iter().zip(at) {
        let bin = parts[*at as usize] as usize * axis.bins + axis.bin(item.middle[which]);
        *at = bin as u32;
        counts[bin] += 1;
    }
}

/// Puts the bins of each histogram in a row together to parts of about equally many boxes. Parts
/// are numbered through.
fn share(counts: &[u32], axis: &Axis, parts: &mut Vec<u32>) {
    parts.clear();
    for (histogram, bins) in counts.chunks(axis.bins).enumerate() {
        let first = histogram * axis.parts;
        let total: u64 = bins.iter().map(|&count| u64::from(count)).sum();
        let mut before = 0;
        for &count in bins {
            // Where the middle box of the bin belongs.
            let middle = before + u64::from(count) / 2;
            let part = middle * axis.parts as u64 / total.max(1);
            parts.push((first + part.min(axis.parts as u64 - 1) as usize) as u32);
            before += u64::from(count);
        }
    }
}

/// Into how many parts axes of these lengths are cut to make about so many cells, as long on one
/// axis as on another.
fn parts(lengths: [f32; 3], cells: usize) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&p: &usize, &q| lengths[q].total_cmp(&lengths[p]).then(p.cmp(&q)));
    let [a, b, c] = order.map(|axis| f64::from(lengths[axis]));
    let cells = cells as f64;
    let cubes = libm::cbrt(a * b * c / cells);
    let squares = libm::sqrt(a * b / cells);
    // An axis shorter than a cell is not cut.
    let side = match () {
        () if c >= cubes => cubes,
        () if b >= squares => squares,
        () => a / cells,
    };
    lengths.map(|length| {
        let parts = f64::from(length) / side;
        // No length at all, and so no side, is one part.
        if parts >= 1.0 { (parts + 0.5).min(cells) as usize } else { 1 }
    })
}
