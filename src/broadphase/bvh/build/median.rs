//! Builds the subtree of a few boxes or nodes by repeated halving.
//!
//! Items are halved recursively at the median of the axis on which their centres have the largest
//! extent. Boxes that are long on some axes are halved on the axis on which that makes nodes
//! smallest. A half has a multiple of the children of a full bottom node; sixteen parts form a node.
//! The median is found by counting, one lane group at a time, how many items are below a guess.
//! Among equal centres the first items go to the front, so the parts depend on the items alone.

use super::free_nodes::{FreeNodes, border, parts};
use crate::broadphase::bvh::{BvhItem, NO_BOUNDS, NOTHING, Node, TriangleRows, WIDTH};
use crate::broadphase::pairs::buffer::lengthen;
use crate::columns::impl_memory;
use crate::geom::{MapEach, each_axis};
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes, prefetch};
use crate::par::middle_float;
use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

/// Largest number of guesses for a median. After these, items may still be between the last two
/// guesses if they are in one place. Their order then does not matter.
const GUESSES_MAX: usize = 64;

/// The lane numbers.
const IOTA: [f32; LANES_MAX] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];

/// A box or a node as words; see [`BvhItem`].
type NodeRecord = [u32; 8];

/// Doubled centres of the items as bits, and their indices. Columns are longer than used by
/// [`LANES_MAX`], for whole lane groups.
type CentreColumns = [Vec<u32>; 4];
/// The column of the indices.
const NUMBER: usize = 3;

/// How boxes are halved: on the axis on which that makes nodes smallest.
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
    /// How boxes with these average lengths are halved, if the lengths of boxes and nodes are relative to `scale`.
    pub(crate) fn new(scale: [f32; 3], lengths: [f64; 3]) -> Self {
        let scale = scale.map_each(|x| if x > 0.0 { 1.0 / f64::from(x) } else { 0.0 });
        Self { is_long: true, scale, box_length: each_axis(|k| 2.0 * lengths[k] * scale[k]) }
    }

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

/// The number of nodes on a path from the top node of this many items to the bottom.
pub(crate) fn depth_of(items: usize) -> usize {
    let (mut depth, mut capacity) = (1, WIDTH);
    while capacity < items {
        (depth, capacity) = (depth + 1, capacity.saturating_mul(WIDTH));
    }
    depth
}

/// Scratch memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    items: CentreColumns,
    /// Items behind a median, and between two guesses.
    sides: [CentreColumns; 2],
    /// Histograms of the boxes that this worker has counted.
    pub(super) counts: Vec<u32>,
    /// The children of a cell, of the next one, and of the one after that.
    pub(super) which: [Vec<u32>; 3],
}

impl_memory!(Packer { items, sides, counts, which });

/// Children of the next two subtrees. They are in many places of memory, so they are prefetched while a subtree is built:
/// otherwise a fifth of a build is waiting for them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ahead<'a> {
    /// The children of the next subtree, whose boxes and indices have been prefetched, and those of the one after that.
    lists: [&'a [u32]; 2],
}

impl<'a> Ahead<'a> {
    pub(super) fn new(lists: [&'a [u32]; 2]) -> Self {
        Self { lists }
    }

    /// Prefetches for some of the children. A few at a time, because a CPU waits for few accesses at a time.
    fn step(&mut self, children: &[NodeRecord], triangles: Option<&dyn TriangleRows>) {
        let [next, later] = self
            .lists
            .each_mut()
            .map(|list| list.split_off(..list.len().min(AHEAD)).unwrap_or_default());
        for &row in later {
            prefetch(slice::from_ref(&children[row as usize]));
        }
        if let Some(triangles) = triangles {
            triangles.prefetch_indices(later);
            triangles.prefetch_vertices(next);
        }
    }
}

/// Number of children that are prefetched for each leaf that is written: more than are in a leaf, because the next cells may be larger.
const AHEAD: usize = 24;

impl Packer {
    /// Reserves memory for this many children.
    pub(crate) fn reserve_for(&mut self, count: usize) {
        for column in self.sides.iter_mut().flatten().chain(&mut self.items) {
            lengthen(column, count + LANES_MAX);
        }
    }

    /// Builds the subtree of the children `which`, at least one, in the first nodes of `to`, [`nodes_of`](super::free_nodes::nodes_of) many; if the children are
    /// triangles, the bottom ones are leaves. Returns the top node. `flag` is set in the id of nodes that have the given
    /// children.
    pub(crate) fn pack(
        &mut self,
        level: Level,
        measure: SplitMeasure,
        (children, which, ahead): (&[BvhItem], &[u32], Ahead<'_>),
        to: &mut FreeNodes<'_>,
        flag: u32,
    ) -> BvhItem {
        let count = which.len();
        self.reserve_for(count);
        let children = bytemuck::cast_slice(children);
        level.run(LoadChildren { children, which, items: &mut self.items });
        Packing { level, measure, children, flag, ahead, memory: self }.part(0..count, to)
    }
}

/// The arguments of a build.
struct Packing<'a> {
    level: Level,
    measure: SplitMeasure,
    children: &'a [NodeRecord],
    flag: u32,
    ahead: Ahead<'a>,
    memory: &'a mut Packer,
}

impl Packing<'_> {
    /// Builds the subtree of some of the items. The recursion is as deep as the subtree.
    fn part(&mut self, items: Range<usize>, to: &mut FreeNodes<'_>) -> BvhItem {
        let (whole, parts) = (items.len(), parts(items.len()));
        let Self { level, children, flag, .. } = *self;
        if parts == 1 {
            self.ahead.step(children, to.leaves.as_ref().map(|leaves| leaves.triangles));
            let numbers = &self.memory.items[NUMBER][items];
            if let Some(leaves) = &mut to.leaves {
                let mut node = Node::EMPTY;
                let (leaf, id) = leaves.take_one();
                let top = level.run(Fill { children, numbers, to: &mut node, id });
                leaf.fill(&node.ids, leaves.triangles);
                return top;
            }
            let (node, id) = to.take_one();
            return level.run(Fill { children, numbers, to: node, id: id | flag });
        }
        let ends = level.run(CentreExtent { items: &self.memory.items, which: items.clone() });
        self.halve(items.clone(), ends, whole, (parts, 0, parts));
        let (own, id) = to.take_one();
        *own = Node::EMPTY;
        let mut start = items.start;
        for part in 0..parts {
            let size = border(whole, parts, part + 1) - border(whole, parts, part);
            own.set(part, self.part(start..start + size, to));
            start += size;
        }
        own.around(id)
    }

    /// Reorders the items of the parts `from..to`, whose centres are between `low` and `high`, so
    /// that the items of each part are consecutive.
    fn halve(
        &mut self,
        items: Range<usize>,
        (low, high): ([f32; 3], [f32; 3]),
        whole: usize,
        (parts, from, to): (usize, usize, usize),
    ) {
        if to - from < 2 {
            return;
        }
        let middle = usize::midpoint(from, to);
        let at = border(whole, parts, middle) - border(whole, parts, from);
        let length: [f32; 3] = each_axis(|axis| high[axis] - low[axis]);
        let axis = self.measure.axis(length);
        let (mut below, mut above) = (high, low);
        if length[axis] > 0.0 {
            let Packer { items: columns, sides, .. } = &mut *self.memory;
            let (which, ends) = (items.clone(), [low[axis], high[axis]]);
            let divide = Divide { items: columns, sides, which, at, axis, ends };
            [above[axis], below[axis]] = self.level.run(divide);
        }
        let border = items.start + at;
        self.halve(items.start..border, (low, below), whole, (parts, from, middle));
        self.halve(border..items.end, (above, high), whole, (parts, middle, to));
    }
}

/// The lanes before the end of the items.
#[inline(always)]
fn inside<I: Isa>(isa: I, left: usize) -> I::Mask {
    isa.load(&IOTA).lt(isa.splat(left.min(LANES_MAX) as f32))
}

/// Writes the doubled centres and the indices of the children.
struct LoadChildren<'a> {
    children: &'a [NodeRecord],
    which: &'a [u32],
    items: &'a mut CentreColumns,
}

impl Kernel for LoadChildren<'_> {
    type Output = ();

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { children, which: all, items } = self;
        let mut at = 0;
        while at < all.len() {
            // The last group repeats its first child.
            let mut last = [all[at]; LANES_MAX];
            let which = match all.get(at..at + I::LANES) {
                Some(which) => which,
                None => {
                    last[..all.len() - at].copy_from_slice(&all[at..]);
                    &last
                }
            };
            let [[x0, y0, z0, x1], [y1, z1, ..]] = isa.gather_rows::<8, 2>(children, which);
            let ends = [x0, y0, z0, x1, y1, z1].map_each(I::F32::from_bits);
            for axis in 0..3 {
                (ends[axis] + ends[3 + axis]).to_bits().store(&mut items[axis][at..]);
            }
            isa.load_u32(which).store(&mut items[NUMBER][at..]);
            at += I::LANES;
        }
    }
}

/// Writes a bottom node with the children of these indices.
struct Fill<'a> {
    children: &'a [NodeRecord],
    numbers: &'a [u32],
    to: &'a mut Node,
    id: u32,
}

impl Kernel for Fill<'_> {
    type Output = BvhItem;

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> BvhItem {
        let Self { children, numbers, to, id } = self;
        let mut which = [numbers[0]; LANES_MAX];
        which[..numbers.len()].copy_from_slice(numbers);
        let mut lane = 0;
        while lane < WIDTH {
            let [[a, b, c, d], [e, f, ids, _]] = isa.gather_rows::<8, 2>(children, &which[lane..]);
            let there = inside(isa, numbers.len().saturating_sub(lane));
            for (k, &bits) in [a, b, c, d, e, f].iter().enumerate() {
                let end = I::F32::select(there, I::F32::from_bits(bits), isa.splat(NO_BOUNDS[k]));
                end.store(&mut to.bounds[k][lane..]);
            }
            let ids = I::U32::select(there, ids, isa.splat_u32(NOTHING));
            ids.store(&mut to.ids[lane..]);
            lane += I::LANES;
        }
        to.around(id)
    }
}

/// Computes the bounds of the doubled centres.
struct CentreExtent<'a> {
    items: &'a CentreColumns,
    which: Range<usize>,
}

impl Kernel for CentreExtent<'_> {
    type Output = ([f32; 3], [f32; 3]);

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> ([f32; 3], [f32; 3]) {
        let Self { items, which } = self;
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let column = &items[axis][which.start..which.end + LANES_MAX];
            let any = isa.splat(f32::from_bits(column[0]));
            let (mut least, mut greatest) = (any, any);
            let mut at = 0;
            while at < which.len() {
                let x = I::F32::from_bits(isa.load_u32(&column[at..]));
                let x = I::F32::select(inside(isa, which.len() - at), x, any);
                (least, greatest) = (x.min(least), x.max(greatest));
                at += I::LANES;
            }
            let (mut lows, mut highs) = ([0.0; LANES_MAX], [0.0; LANES_MAX]);
            least.store(&mut lows);
            greatest.store(&mut highs);
            (low[axis], high[axis]) = (lows[0], highs[0]);
            for lane in 1..I::LANES {
                low[axis] = if lows[lane] < low[axis] { lows[lane] } else { low[axis] };
                high[axis] = if highs[lane] > high[axis] { highs[lane] } else { high[axis] };
            }
        }
        (low, high)
    }
}

/// Moves the `at` lowest items on an axis to the front. All items are between `ends`, and not all
/// in one place. Returns the lower end of the rest and the upper end of the front.
struct Divide<'a> {
    items: &'a mut CentreColumns,
    sides: &'a mut [CentreColumns; 2],
    which: Range<usize>,
    at: usize,
    axis: usize,
    ends: [f32; 2],
}

impl Kernel for Divide<'_> {
    type Output = [f32; 2];

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [f32; 2] {
        let Self { items, sides, which, at, axis, ends } = self;
        let count = which.len();
        let padded = which.start..which.end + LANES_MAX;
        let [low, high] = guess(isa, &items[axis][padded.clone()], count, at, ends);
        let [back, between] = sides;
        let (mut in_front, mut behind, mut amid) = (0, 0, 0);
        let mut next = 0;
        while next < count {
            let mut columns = [isa.splat_u32(0); 4];
            for (column, words) in items.iter().zip(&mut columns) {
                *words = isa.load_u32(&column[padded.start + next..]);
            }
            let (x, there) = (I::F32::from_bits(columns[axis]), inside(isa, count - next));
            let (is_front, is_low) = (x.lt(isa.splat(low)) & there, x.lt(isa.splat(high)));
            let is_back = there & !is_low;
            let is_between = there & is_low & !is_front;
            for (k, words) in columns.into_iter().enumerate() {
                words.compress(is_back).store(&mut back[k][behind..]);
            }
            behind += is_back.count();
            if is_between.bits() != 0 {
                for (k, words) in columns.into_iter().enumerate() {
                    words.compress(is_between).store(&mut between[k][amid..]);
                }
                amid += is_between.count();
            }
            // The front replaces what has been read. A whole lane group is written, so that of the last group takes a detour:
            // the items that follow are not of this part.
            let (place, more) = (which.start + in_front, is_front.count());
            for (column, words) in items.iter_mut().zip(columns) {
                let words = words.compress(is_front);
                if next + I::LANES <= count {
                    words.store(&mut column[place..]);
                } else {
                    let mut last = [0; LANES_MAX];
                    words.store(&mut last);
                    column[place..place + more].copy_from_slice(&last[..more]);
                }
            }
            in_front += more;
            next += I::LANES;
        }
        for (k, column) in items.iter_mut().enumerate() {
            let (to_between, to_back) =
                column[which.start + in_front..which.end].split_at_mut(amid);
            if amid > 0 {
                to_between.copy_from_slice(&between[k][..amid]);
            }
            to_back.copy_from_slice(&back[k][..behind]);
        }
        [low, high]
    }
}

/// Finds two numbers such that at most `at` items are below the first, and at least `at` below the
/// second. They are equal, unless items are in one place or [`GUESSES_MAX`] is too small.
///
/// After each guess, the interval is shortened to the items that are in it. So items in few places, such as those of a
/// grid, need few guesses, and not as many as there are floats between two places.
#[inline(always)]
fn guess<I: Isa>(
    isa: I,
    column: &[u32],
    count: usize,
    at: usize,
    [low, high]: [f32; 2],
) -> [f32; 2] {
    // All items are below the float after `high`.
    let (mut low, mut high) = (low, high.next_up());
    let (mut below_low, mut below_high) = (0, count);
    for step in 0..GUESSES_MAX {
        // Alternate between interpolation, which is best for a uniform distribution, and bisection,
        // which always converges.
        let part = (at - below_low) as f32 / (below_high - below_low) as f32;
        let half = low + (high - low) * 0.5;
        let even = low + (high - low) * part;
        let between = even > low && even < high && step % 2 == 0;
        // The centres may span all exponents of floats. After 32 halvings of their order no float is left between the two.
        let guess = if step >= GUESSES_MAX / 2 {
            middle_float(low, high)
        } else if between {
            even
        } else {
            half
        };
        if !(guess > low && guess < high) {
            break;
        }
        let (below, [last, first]) = split(isa, &column[..count + LANES_MAX], guess, [low, high]);
        if below == at {
            return [guess, guess];
        }
        if below < at {
            (low, below_low) = (first, below);
        } else {
            (high, below_high) = (last.next_up(), below);
        }
    }
    [low, high]
}

/// Counts the items below a number. Returns also the greatest of these items, or `least` if that is greater, and the least of
/// the others, or `greatest` if that is less. `column` is longer than the items by [`LANES_MAX`].
#[inline(always)]
fn split<I: Isa>(
    isa: I,
    column: &[u32],
    number: f32,
    [least, greatest]: [f32; 2],
) -> (usize, [f32; 2]) {
    let (count, number) = (column.len() - LANES_MAX, isa.splat(number));
    let (mut last, mut first) = (isa.splat(least), isa.splat(greatest));
    let (mut below, mut next) = (0, 0);
    while next < count {
        let x = I::F32::from_bits(isa.load_u32(&column[next..]));
        let (is_below, there) = (x.lt(number), inside(isa, count - next));
        below += (is_below & there).count();
        last = I::F32::select(is_below & there, x.max(last), last);
        first = I::F32::select(there & !is_below, x.min(first), first);
        next += I::LANES;
    }
    let (mut lasts, mut firsts) = ([0.0; LANES_MAX], [0.0; LANES_MAX]);
    last.store(&mut lasts);
    first.store(&mut firsts);
    let (mut last, mut first) = (lasts[0], firsts[0]);
    for lane in 1..I::LANES {
        last = if lasts[lane] > last { lasts[lane] } else { last };
        first = if firsts[lane] < first { firsts[lane] } else { first };
    }
    (below, [last, first])
}

#[cfg(test)]
mod tests {
    use super::{CentreColumns, Divide, LANES_MAX, NUMBER, SplitMeasure};
    use crate::lanes::Level;
    use alloc::vec::Vec;

    /// Goal: the lowest items are moved to the front, among equal ones those that were first, on every level. Method:
    /// comparison with a stable sort of as many items as fill some lane groups, or not quite, at few and at many different
    /// places: in one place but for one item, on a grid, anywhere, zeros of both signs, floats next to each other, of which a guess is the
    /// same as the least or the greatest, one that is extremely distant, and floats of all exponents. Other items follow.
    #[test]
    fn lowest_items_are_moved_to_the_front() {
        let mut draw = 1_u32;
        let mut draw = |below: u32| {
            draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (draw >> 8) % below
        };
        let mut tested = 0;
        let counts = [2, 15, 16, 17, 33, 208, 1000];
        for count in counts.into_iter().filter(|&count| !cfg!(miri) || count < 34) {
            for case in 0..7 {
                let mut places: Vec<f32> = (0..count)
                    .map(|k| match case {
                        0 => f32::from(k == count / 2),
                        1 => draw(7) as f32 * 0.3 - 1.0,
                        2 => draw(1 << 24) as f32 * 1e-3,
                        3 => [-0.0, 0.0, f32::MIN_POSITIVE / 4.0][draw(3) as usize],
                        4 => 1.0 + f32::EPSILON * if k == 0 { 12.0 } else { draw(12) as f32 },
                        5 => draw(1 << 20) as f32 + if k == 0 { 1e37 } else { 0.0 },
                        _ => f32::from_bits(draw(1 << 24) * 127),
                    })
                    .collect();
                places[0] += f32::MIN_POSITIVE;
                let ends = [f32::MAX, f32::MIN];
                let ends = places.iter().fold(ends, |[low, high], &x| [low.min(x), high.max(x)]);
                for at in [1, count / 2, count - 1] {
                    // Equal numbers keep their order, and zeros are equal.
                    let mut order: Vec<usize> = (0..count).collect();
                    order.sort_by(|&a, &b| places[a].partial_cmp(&places[b]).expect("numbers"));
                    let mut front: Vec<u32> = order[..at].iter().map(|&k| k as u32).collect();
                    front.sort_unstable();
                    for level in Level::all() {
                        let mut items: CentreColumns = Default::default();
                        for (axis, column) in items.iter_mut().enumerate() {
                            let bits = places.iter().zip(0..).map(|(x, k)| match axis {
                                NUMBER => k,
                                _ => x.to_bits(),
                            });
                            column.push(7);
                            column.extend(bits);
                            column.resize(1 + count + LANES_MAX, 5);
                        }
                        let mut sides: [CentreColumns; 2] = Default::default();
                        for column in sides.as_flattened_mut() {
                            column.resize(count + LANES_MAX, 0);
                        }
                        let which = 1..1 + count;
                        let divide = Divide {
                            items: &mut items,
                            sides: &mut sides,
                            which,
                            at,
                            axis: 1,
                            ends,
                        };
                        let [rest, end] = level.run(divide);

                        let mut numbers = items[NUMBER][1..=at].to_vec();
                        numbers.sort_unstable();
                        assert_eq!(numbers, front, "{level} {count} {case} {at}");
                        assert!(front.iter().all(|&k| places[k as usize] <= end));
                        assert!(order[at..].iter().all(|&k| places[k] >= rest));
                        for (column, axis) in items.iter().zip(0..) {
                            assert!(column[0] == 7 && column[1 + count..].iter().all(|&x| x == 5));
                            for (&x, &number) in column[1..].iter().zip(&items[NUMBER][1..=count]) {
                                let place = places[number as usize].to_bits();
                                assert_eq!(x, if axis == NUMBER { number } else { place });
                            }
                        }
                        tested += 1;
                    }
                }
            }
        }
        assert!(tested >= 7 * 6 * 3);
    }

    /// Goal: boxes are halved on the longest axis, the lower one of equals, or where that makes nodes smallest. Method: axes by hand.
    #[test]
    fn boxes_are_halved_on_the_longest_axis() {
        let of = SplitMeasure::new;
        let (short, points) = (SplitMeasure::default(), of([1.0; 3], [0.0; 3]));
        for (measure, extent, axis) in [
            (short, [1.0, 1.0, 1.0], 0),
            (short, [1.0, 2.0, 2.0], 1),
            (short, [2.0, 1.0, 2.0], 0),
            (short, [1.0, 2.0, 3.0], 2),
            (points, [1.0, 0.0, 0.0], 0),
            (points, [0.0, 0.0, 1.0], 2),
            (points, [1.0, 1.0, 0.0], 0),
            (points, [1.0, 2.0, 2.0], 1),
            (of([1.0; 3], [4.0, 0.0, 0.0]), [2.0, 1.0, 0.0], 1),
            (of([4.0, 1.0, 1.0], [0.0; 3]), [2.0, 1.0, 0.0], 1),
        ] {
            assert_eq!(measure.axis(extent), axis, "{measure:?} {extent:?}");
        }
    }
}
