//! Divides boxes of any lengths, in crowds or not, into cells: by a k-d tree of a sample.
//!
//! A box is a point with six coordinates: its centre and its length on each axis. Each node of the k-d tree divides its
//! boxes by one of the six. The choice depends on how many boxes are long, which means longer than an eighth of the extent
//! of the centres in the node: halving the centres of such boxes makes their common bounds hardly shorter.
//!
//! ```text
//! node(boxes): for each axis, the one with the greatest extent of the centres first:
//!     no box is long on it:   divide the centres
//!     some boxes are long on it, and the others are much shorter on average:
//!                             divide into long boxes and others
//!     otherwise the axis is left out, because dividing it does not help
//! all axes are left out: divide the centres on the axis on which boxes are shortest, relative to the extent
//!
//! divide the centres:     at the edge of a crowd with half of the boxes, if there is one; else at a wide gap near the
//!                         median; else at the median
//! ```
//!
//! So sticks and plates are separated from points and from those on other axes, at any scale and in any crowd, and nodes
//! adapt to the density. A crowd is not cut before it is alone, because each part of it would have subtrees of its own for
//! the long boxes that cross it.
//!
//! Long boxes cross the boxes around them. So below a node that separates many of them, extents are relative to those of its
//! boxes, and all axes are divided into equally many parts, however short: a stick or plate that crosses the others then
//! overlaps as few nodes as possible. Elsewhere extents are lengths, and nodes are cubes, which is best for nearest boxes.
//!
//! Only the sample is moved from node to node. Each box is assigned to its cell once, so the time for a box is
//! bounded by the depth of the k-d tree.
//!
//! k-d trees: Bentley 1975. Boxes as points with more coordinates: Seeger and Kriegel 1988.

use super::median::SplitMeasure;
use crate::broadphase::bvh::BvhItem;
use crate::columns::impl_memory;
use crate::geom::{Aabb, descending, each_axis};
use crate::par::{self, Threads, sort_floats};
use alloc::vec::Vec;

/// Greatest number of boxes in the sample.
const SAMPLES_MAX: usize = 1 << 16;
/// Up to this number, all boxes are in the sample.
const SAMPLES_MIN: usize = 512;
/// How many boxes each one of the sample represents.
const BOXES_PER_SAMPLE: usize = 16;
/// Fewer boxes are not divided.
const DIVIDED_MIN: usize = 256;
/// A box is long where it is longer than this part of the extent of the centres.
const LONG: f32 = 0.125;
/// Long boxes are separated from others that are this many times shorter on average.
const MUCH: f64 = 16.0;
/// They are separated if more than one box of this many is short.
const SHORT_ONE_OF: usize = 8;
/// Extents are relative where more than one box of this many is separated because it is long.
const CROSSED_ONE_OF: usize = 16;
/// The inner half is in a crowd if its extent is this many times less than that of all.
const CROWD: f32 = 8.0;
/// A gap is wide if it is more than the extent divided by this.
const GAP: f32 = 16.0;
/// Nodes that are divided from others this often are not divided any more.
pub(crate) const DEPTH_MAX: u32 = 40;
/// Boxes whose cells are looked up at the same time.
const ABREAST: usize = 8;
/// Fewest boxes that one thread looks up at a time.
const CHUNK: usize = 1 << 13;
/// Greatest number of these chunks.
const CHUNKS: usize = 64;

/// Doubled centre on each axis, then length on each axis.
type BoxPoint = [f32; 6];

fn point_of(&Aabb { min, max }: &Aabb) -> BoxPoint {
    let [x, y, z] = each_axis(|k| min[k] + max[k]);
    let [u, v, w] = each_axis(|k| max[k] - min[k]);
    [x, y, z, u, v, w]
}

/// A node of the k-d tree. A leaf is its own child, so that boxes of leaves at different depths can be looked up in
/// equally many steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KdNode {
    /// The coordinate by which boxes are divided, and the greatest one of the first child.
    coordinate: u32,
    at: f32,
    pub(crate) children: [u32; 2],
    /// The number of the cell of a leaf; in other nodes, of the first cell below.
    pub(crate) cell: u32,
    /// The number of cells below.
    pub(crate) cells: u32,
}

/// A k-d tree of a sample, and its memory.
#[derive(Debug, Default)]
pub(crate) struct KdTree {
    samples: Vec<BoxPoint>,
    /// The coordinates of the samples of a node.
    line: Vec<f32>,
    /// The nodes; the root is the first.
    pub(crate) nodes: Vec<KdNode>,
    /// For each cell, how its boxes are halved.
    pub(crate) measures: Vec<SplitMeasure>,
    /// The depth of the deepest leaf.
    depth: u32,
}

impl_memory!(KdTree { samples, line, nodes, measures; without depth });

impl KdTree {
    /// Builds the tree for the boxes, at least one.
    pub(crate) fn build(&mut self, boxes: &[BvhItem]) {
        let count = boxes.len();
        let samples = (count / BOXES_PER_SAMPLE).clamp(SAMPLES_MIN.min(count), SAMPLES_MAX);
        self.samples.clear();
        // One of each section, in no fixed place, so that boxes in a repeated order are all represented.
        self.samples.extend((0..samples as u64).map(|k| {
            let start = k * count as u64 / samples as u64;
            let length = (k + 1) * count as u64 / samples as u64 - start;
            let place = ((k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * length) >> 32;
            point_of(&boxes[(start + place) as usize].aabb)
        }));
        // Other boxes have other numbers of cells, but seldom this many.
        self.nodes.clear();
        self.nodes.reserve(samples / 2);
        self.measures.clear();
        self.measures.reserve(samples / 4);
        self.depth = 0;
        let least = (DIVIDED_MIN * samples).div_ceil(count).max(2);
        let mut samples = core::mem::take(&mut self.samples);
        self.divide(&mut samples, least, 0, None);
        self.samples = samples;
    }

    /// Builds the node of some of the sample. Returns its index. The recursion is at most [`DEPTH_MAX`] deep. Extents are
    /// relative to `scale`, if there is one.
    fn divide(
        &mut self,
        samples: &mut [BoxPoint],
        least: usize,
        depth: u32,
        scale: Option<[f32; 3]>,
    ) -> u32 {
        let (index, cell) = (self.nodes.len(), self.measures.len() as u32);
        let split = if samples.len() < least || depth == DEPTH_MAX {
            None
        } else {
            split_of(samples, scale, &mut self.line)
        };
        let own = index as u32;
        self.nodes.push(KdNode { children: [own; 2], cell, cells: 1, ..KdNode::default() });
        let Some((coordinate, at)) = split else {
            self.measures.push(measure_of(samples, scale));
            self.depth = self.depth.max(depth);
            return own;
        };
        let mut below = 0;
        for k in 0..samples.len() {
            if samples[k][coordinate] <= at {
                samples.swap(below, k);
                below += 1;
            }
        }
        let scale = if coordinate >= 3 && (samples.len() - below) * CROSSED_ONE_OF > samples.len() {
            Some(extents_of(samples))
        } else {
            scale
        };
        let (first, second) = samples.split_at_mut(below);
        let children = [first, second].map(|samples| self.divide(samples, least, depth + 1, scale));
        let cells = self.measures.len() as u32 - cell;
        self.nodes[index] = KdNode { coordinate: coordinate as u32, at, children, cell, cells };
        own
    }

    /// Writes the cell of each box.
    pub(crate) fn look_up(&self, boxes: &[BvhItem], cells: &mut [u32], threads: &Threads) {
        let size = CHUNK.max(boxes.len().div_ceil(CHUNKS));
        let mut chunks = boxes.chunks(size).zip(cells.chunks_mut(size));
        let mut tasks: [_; CHUNKS] = core::array::from_fn(|_| chunks.next());
        let tasks = &mut tasks[..boxes.len().div_ceil(size)];
        let mut workers = [(); CHUNKS];
        let workers = &mut workers[..threads.workers().min(CHUNKS)];
        par::for_each(threads, workers, tasks, &|_, _, task| {
            let Some((boxes, cells)) = task else { return };
            for (boxes, cells) in boxes.chunks(ABREAST).zip(cells.chunks_mut(ABREAST)) {
                // The last group repeats its first box.
                let mut points = [point_of(&boxes[0].aabb); ABREAST];
                for (item, point) in boxes.iter().zip(&mut points) {
                    *point = point_of(&item.aabb);
                }
                let mut nodes = [0; ABREAST];
                for _ in 0..self.depth {
                    for (node, point) in nodes.iter_mut().zip(&points) {
                        let KdNode { coordinate, at, children, .. } = self.nodes[*node as usize];
                        *node = children[usize::from(point[coordinate as usize] > at)];
                    }
                }
                for (cell, node) in cells.iter_mut().zip(nodes) {
                    *cell = self.nodes[node as usize].cell;
                }
            }
        });
    }
}

/// The lowest and highest coordinate, at least one.
fn ends_of(samples: &[BoxPoint], coordinate: usize) -> [f32; 2] {
    let [mut low, mut high] = [samples[0][coordinate]; 2];
    for point in samples {
        let x = point[coordinate];
        low = if x < low { x } else { low };
        high = if x > high { x } else { high };
    }
    [low, high]
}

/// The coordinate by which to divide the samples, and the greatest of the first part; no part is empty. `None` if
/// dividing does not help.
fn split_of(
    samples: &[BoxPoint],
    scale: Option<[f32; 3]>,
    line: &mut Vec<f32>,
) -> Option<(usize, f32)> {
    let count = samples.len();
    let extents = extents_of(samples);
    let mut best = None;
    let mut best_parts = 0.0;
    let measured: [f64; 3] = each_axis(|axis| relative(extents, scale, axis));
    for axis in descending(measured) {
        // Centres are doubled.
        let limit = LONG * 0.5 * extents[axis];
        if limit <= 0.0 || limit.is_nan() {
            continue;
        }
        let (mut long, mut sums) = (0, [0.0; 2]);
        for point in samples {
            let is_long = point[3 + axis] > limit;
            long += usize::from(is_long);
            sums[usize::from(is_long)] += f64::from(point[3 + axis]);
        }
        if long == 0 {
            return Some((axis, cut_of(samples, axis, line)));
        }
        let short = count - long;
        let means = [sums[0] / short.max(1) as f64, sums[1] / long as f64];
        if short > count / SHORT_ONE_OF && MUCH * means[0] < means[1] {
            return Some((3 + axis, limit));
        }
        let parts = f64::from(extents[axis]) * count as f64 / (sums[0] + sums[1]);
        if parts > best_parts {
            (best, best_parts) = (Some(axis), parts);
        }
    }
    best.map(|axis| (axis, cut_of(samples, axis, line)))
}

/// Where to divide the centres on an axis on which they differ: the greatest of the first part.
///
/// If the inner half is in a crowd, the crowd is divided from what is on its wider side. Otherwise it is the widest gap near
/// the median, so that small crowds are not cut, or the median if all gaps are narrow.
fn cut_of(samples: &[BoxPoint], axis: usize, line: &mut Vec<f32>) -> f32 {
    line.clear();
    line.extend(samples.iter().map(|point| point[axis]));
    sort_floats(line);
    let (count, last) = (line.len(), line.len() - 1);
    let extent = line[last] - line[0];
    let (low, high) = (line[count / 4], line[last - count / 4]);
    let inner = high - low;
    let at = if inner * CROWD < extent {
        if line[last] - high > low - line[0] {
            line.partition_point(|&x| x <= high + inner)
        } else {
            line.partition_point(|&x| x < low - inner)
        }
    } else {
        let middle = (3 * count / 8).max(1)..(5 * count / 8).max(2);
        let gap = |k: usize| line[k] - line[k - 1];
        let mut widest = count.div_ceil(2);
        for k in middle {
            widest = if gap(k) > gap(widest) { k } else { widest };
        }
        if gap(widest) * GAP > extent { widest } else { count.div_ceil(2) }
    };
    // The last of the first part. Equal centres are not divided.
    let before = line[at.clamp(1, last) - 1];
    if before < line[last] {
        return before;
    }
    let equal = line.partition_point(|&x| x < before);
    line[equal.max(1) - 1]
}

/// The extent of the doubled centres on each axis.
fn extents_of(samples: &[BoxPoint]) -> [f32; 3] {
    each_axis(|axis| {
        let [low, high] = ends_of(samples, axis);
        high - low
    })
}

/// An extent relative to the scale, if there is one.
fn relative(extents: [f32; 3], scale: Option<[f32; 3]>, axis: usize) -> f64 {
    let extent = f64::from(extents[axis]);
    match scale {
        Some(scale) if scale[axis] > 0.0 => extent / f64::from(scale[axis]),
        _ => extent,
    }
}

/// How the boxes of a cell are halved.
fn measure_of(samples: &[BoxPoint], scale: Option<[f32; 3]>) -> SplitMeasure {
    let extents = extents_of(samples);
    let lengths = each_axis(|axis| {
        let sum: f64 = samples.iter().map(|point| f64::from(point[3 + axis])).sum();
        sum / samples.len() as f64
    });
    let is_long =
        scale.is_some() || (0..3).any(|axis| lengths[axis] > f64::from(0.5 * LONG * extents[axis]));
    if is_long {
        SplitMeasure::new(scale.unwrap_or(extents), lengths)
    } else {
        SplitMeasure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{BoxPoint, BvhItem, DEPTH_MAX, DIVIDED_MIN, KdTree, cut_of, measure_of, split_of};
    use crate::geom::Aabb;
    use crate::par::Threads;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Numbers between zero and one from a small generator (Marsaglia 2003).
    struct Draw(u32);

    impl Draw {
        fn next(&mut self) -> f32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            (self.0 >> 8) as f32 / 16_777_216.0
        }

        fn place(&mut self) -> [f32; 3] {
            [(); 3].map(|()| self.next())
        }
    }

    /// Boxes with these centres and lengths.
    fn boxes(count: usize, mut of: impl FnMut(usize) -> [[f32; 3]; 2]) -> Vec<BvhItem> {
        let item = |row: usize| {
            let [centre, length] = of(row);
            let end = |side: f32| [0, 1, 2].map(|k| centre[k] + side * 0.5 * length[k]);
            let aabb = Aabb { min: end(-1.0), max: end(1.0) };
            BvhItem { aabb, id: row as u32, filter: 0 }
        };
        (0..count).map(item).collect()
    }

    /// The tree and the cell of each box.
    fn cells(boxes: &[BvhItem]) -> (KdTree, Vec<u32>) {
        let (mut tree, mut cells) = (KdTree::default(), vec![u32::MAX; boxes.len()]);
        tree.build(boxes);
        tree.look_up(boxes, &mut cells, &Threads::one());
        (tree, cells)
    }

    /// Goal: whatever the lengths and crowds, a box is assigned to its cell in a few steps, no cell is empty, and hardly any is
    /// large. Method: sets of boxes that were moved from class to class when classes were separated one after the other.
    #[test]
    fn every_box_is_assigned_once_in_a_few_steps() {
        const COUNT: usize = 30_000;
        let mut draw = Draw(1);
        let draw = &mut draw;
        let sets = [
            ("points", boxes(COUNT, |_| [draw.place(), [0.0; 3]])),
            (
                "plates of all lengths",
                boxes(COUNT, |_| [draw.place(), [draw.next(), draw.next(), 1e-6]]),
            ),
            (
                "sticks of all lengths",
                boxes(COUNT, |row| {
                    let mut length = [1e-6; 3];
                    length[row % 3] = 2.0 * draw.next();
                    [draw.place(), length]
                }),
            ),
            (
                "boxes of all sizes",
                boxes(COUNT, |_| {
                    let size = libm::pow(10.0, -7.0 * f64::from(draw.next())) as f32;
                    [draw.place(), [size; 3]]
                }),
            ),
            (
                "crowds in crowds",
                boxes(COUNT, |_| {
                    let scale = libm::pow(0.01, f64::from((8.0 * draw.next()) as u32)) as f32;
                    [draw.place().map(|x| x * scale), [1e-3 * draw.next(), 1e-9, 1e-9]]
                }),
            ),
            (
                "distances of all scales",
                boxes(COUNT, |_| {
                    let far = libm::pow(10.0, 60.0 * f64::from(draw.next()) - 30.0) as f32;
                    [draw.place().map(|x| x * far), [draw.next(); 3]]
                }),
            ),
        ];
        for (name, boxes) in sets {
            let (tree, cells) = cells(&boxes);
            let mut sizes = vec![0; tree.measures.len()];
            cells.iter().for_each(|&cell| sizes[cell as usize] += 1);
            assert!(sizes.iter().all(|&size| size > 0), "{name}: a cell is empty");
            let large = sizes.iter().filter(|&&size| size > 4 * DIVIDED_MIN).count();
            assert!(large <= sizes.len() / 50, "{name}: {large} of {} cells", sizes.len());
            assert!(sizes.len() < COUNT / 40, "{name}: {} cells", sizes.len());
            assert!(tree.depth < DEPTH_MAX, "{name}: {} steps", tree.depth);
            assert_eq!(tree.nodes.len(), 2 * sizes.len() - 1);
        }
    }

    /// Goal: boxes that cannot be divided are one cell: all in one place, or with coordinates at the limit of floats.
    #[test]
    fn boxes_in_one_place_are_one_cell() {
        for at in [0.0, 1e30, f32::MAX] {
            let boxes = boxes(5000, |_| [[at; 3], [0.0; 3]]);
            let (tree, cells) = cells(&boxes);
            assert_eq!((tree.nodes.len(), tree.depth), (1, 0));
            assert!(cells.iter().all(|&cell| cell == 0));
        }
    }

    /// Goal: no cell has sticks on two axes, or sticks and points. Method: sets in crowds of several scales.
    #[test]
    fn sticks_on_each_axis_are_separate_from_points() {
        let mut draw = Draw(2);
        for crowd in [[1.0; 3], [1e-4; 3], [1.0, 1e-5, 0.1]] {
            let boxes = boxes(20_000, |row| {
                let mut length = [1e-9; 3];
                if row % 4 < 3 {
                    length[row % 4] = 2.0;
                }
                let scale = if row % 5 == 0 { [1.0; 3] } else { crowd };
                let place = draw.place();
                [[0, 1, 2].map(|k| place[k] * scale[k]), length]
            });
            let (tree, cells) = cells(&boxes);
            let mut kinds = vec![0_u32; tree.measures.len()];
            for (row, &cell) in cells.iter().enumerate() {
                kinds[cell as usize] |= 1 << (row % 4);
            }
            let mixed = kinds.iter().filter(|kinds| kinds.count_ones() > 1).count();
            assert!(mixed <= kinds.len() / 50, "{crowd:?}: {mixed} of {} cells", kinds.len());
        }
    }

    /// Goal: centres are divided at the edge of a crowd, else at a wide gap near the median, else at the median. Method: the last centre
    /// of the first part by hand, for sixteen centres, at the limits too.
    #[test]
    fn centres_are_divided_at_crowds_and_gaps() {
        for (name, line, last) in [
            ("even", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 7.0),
            ("gap", "0 1 2 3 4 5 6 7 8 20 21 22 23 24 25 26", 8.0),
            ("wider gap far from the median", "0 1 2 3 4 20 21 22 23 28 29 30 31 32 33 34", 23.0),
            ("two gaps", "0 1 2 3 4 5 6 16 17 40 41 42 43 44 45 46", 17.0),
            ("equal gaps", "0 1 2 3 4 5 6 16 17 27 28 29 30 31 32 33", 6.0),
            ("no wide gap", "0 3 6 9 12 15 16 17 18 20 22 24 26 28 30 32", 17.0),
            ("no crowd", "0 1 2 3 14 14.5 15 15.5 16 17 17.2 18 29 30 31 32", 15.5),
            ("crowd in the middle", "0 1 2 13 15 15 15 16 16 17 17 17 29 30 31 32", 2.0),
            ("crowd at the lower end", "13 14 14 14 15 15 15 16 16 17 17 17 19 30 31 32", 19.0),
            ("equal centres at the end", "0 4 8 12 13 14 15 16 16 16 16 16 16 16 16 16", 15.0),
        ] {
            let line = line.split(' ').map(|x| x.parse().expect("a number"));
            let samples: Vec<BoxPoint> = line.rev().map(|x| [0.0, x, 0.0, 0.0, 0.0, 0.0]).collect();
            assert_eq!(samples.len(), 16, "{name}");
            assert_eq!(cut_of(&samples, 1, &mut Vec::new()), last, "{name}");
        }
    }

    /// Goal: boxes are divided on the axis with the greatest extent on which none is long, else into long and much shorter ones, else on
    /// that where they are shortest. Method: divisions by hand of boxes in a row. If the extent is 63, boxes longer than 63/16 are long.
    #[test]
    fn boxes_are_divided_by_length_or_by_place() {
        // `of` returns the place on y, and the lengths on x and y.
        let split = |count: usize, scale, of: &dyn Fn(usize) -> [f32; 3]| {
            let point = |k: usize| {
                let [y, u, v] = of(k);
                [k as f32, y, 0.0, u, v, 0.0]
            };
            let samples: Vec<BoxPoint> = (0..count).map(point).collect();
            split_of(&samples, scale, &mut Vec::new())
        };
        let (by_x, by_length) = (Some((0, 31.0)), Some((3, 63.0 / 16.0)));
        let some = |k: usize, most: usize, a: f32, b: f32| if k < most { a } else { b };
        let place = |k: usize| (k * 5 % 64) as f32;
        // Sixteen are exactly as long as the limit for 65 boxes.
        let limit = split(65, None, &|k| [0.0, some(k, 16, 4.0, 0.0), 0.0]);
        assert_eq!(limit, Some((0, 32.0)));
        // One of eight is short, or one more.
        assert_eq!(split(64, None, &|k| [0.0, some(k, 8, 0.0, 8.0), 0.0]), by_x);
        assert_eq!(split(64, None, &|k| [0.0, some(k, 9, 0.0, 8.0), 0.0]), by_length);
        // Half are sixteen times as long as the others, or longer.
        assert_eq!(split(64, None, &|k| [0.0, some(k, 32, 1.0, 16.0), 0.0]), by_x);
        assert_eq!(split(64, None, &|k| [0.0, some(k, 32, 1.0, 16.5), 0.0]), by_length);
        // All are long on both axes, equally or not.
        assert_eq!(split(64, None, &|k| [place(k), 8.0, 8.0]), by_x);
        assert_eq!(split(64, None, &|k| [0.5 * place(k), 60.0, 4.0]), Some((1, 15.5)));
        // The extent on y is greater in relation to the scale.
        let scale = Some([126.0, 31.5, 0.0]);
        assert_eq!(split(64, scale, &|k| [0.5 * place(k), 0.0, 0.0]), Some((1, 15.5)));
    }

    /// Goal: lengths count where boxes are longer than a sixteenth of the extent of their doubled centres on average, and where there is a
    /// scale. Method: 65 boxes in two rows. If lengths do not count, those with more extent on x are halved there.
    #[test]
    fn lengths_count_where_boxes_are_long() {
        let axis = |length: f32, scale| {
            let point = |k: usize| [k as f32, (k % 2) as f32, 0.0, length, 0.0, 0.0];
            let samples: Vec<BoxPoint> = (0..65).map(point).collect();
            measure_of(&samples, scale).axis([2.0, 1.0, 0.0])
        };
        assert_eq!([1.0, 4.0, 4.5].map(|length| axis(length, None)), [0, 0, 1]);
        assert_eq!(axis(1.0, Some([8.0, 1.0, 1.0])), 1);
    }

    /// Goal: fewer than [`DIVIDED_MIN`] boxes are one cell, and below a node that separates more than one long box of sixteen, extents are
    /// relative. Method: boxes in two rows, at the limits. In relation to their extent, the boxes are halved across the rows.
    #[test]
    fn limits_of_a_division_are_exact() {
        let tree = |count: usize, is_long: &dyn Fn(usize) -> bool| {
            let length = |row| [if is_long(row) { 1000.0 } else { 0.0 }, 0.0, 0.0];
            let centre = |row: usize| [0.5 * row as f32, 0.5 * (row % 2) as f32, 0.0];
            cells(&boxes(count, |row| [centre(row), length(row)])).0
        };
        assert_eq!(tree(DIVIDED_MIN - 1, &|_| false).measures.len(), 1);
        assert_eq!(tree(DIVIDED_MIN, &|_| false).measures.len(), 2);
        let axis = |tree: KdTree| tree.measures[0].axis([2.0, 1.0, 0.0]);
        assert_eq!(axis(tree(512, &|row| row % 16 == 0)), 0);
        assert_eq!(axis(tree(512, &|row| row % 16 == 0 || row == 1)), 1);
    }
}
