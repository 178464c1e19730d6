//! How are some boxes, or some nodes, packed under one node?
//!
//! Items are halved again and again at the median of the axis on which their middles lie furthest
//! apart, where a half is a whole number of full bottom nodes; sixteen parts make a node. The
//! median is searched for by counting, a lane group at a time, which items lie below a guess. Of
//! equal middles those that come first are in front, so the parts depend on the items alone.

use super::{NO_BOUNDS, NOTHING, Named, Node, WIDTH, grow};
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use alloc::vec::Vec;
use core::ops::Range;

/// Guesses at a median. Items may still be between the last two where they are in one place, or
/// something is very far off: then it does not matter who is in front.
const GUESSES_MAX: usize = 64;

/// Numbers of the lanes.
const IOTA: [f32; LANES_MAX] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];

/// A box or a node, as words.
type Record = [u32; 8];

/// Where items lie, twice the middle as bits, and their numbers. Longer than it is used by
/// [`LANES_MAX`], for whole lane groups.
type Columns = [Vec<u32>; 4];
/// The column of the numbers.
const NUMBER: usize = 3;

/// Where part `k` of so many begins: at a whole number of full bottom nodes.
fn border(items: usize, parts: usize, k: usize) -> usize {
    let bottoms = items.div_ceil(WIDTH);
    if bottoms <= WIDTH { items.min(k * WIDTH) } else { items.min(bottoms * k / parts * WIDTH) }
}

/// Into how many parts a node's items are cut: itself where they fit into one bottom node.
fn parts(items: usize) -> usize {
    items.div_ceil(WIDTH).min(WIDTH)
}

/// How many nodes [`Packer::pack`] makes of so many items.
pub(super) fn nodes_of(items: usize) -> usize {
    let parts = parts(items);
    if items <= WIDTH * WIDTH {
        return parts + usize::from(parts > 1);
    }
    let of_part = |k| nodes_of(border(items, parts, k + 1) - border(items, parts, k));
    1 + (0..parts).map(of_part).sum::<usize>()
}

/// How many nodes follow each other from the top of so many items to the bottom.
pub(super) fn depth_of(items: usize) -> usize {
    let (mut depth, mut room) = (1, WIDTH);
    while room < items {
        (depth, room) = (depth + 1, room.saturating_mul(WIDTH));
    }
    depth
}

/// A worker's memory.
#[derive(Debug, Default)]
pub(super) struct Packer {
    items: Columns,
    /// What is in front of a median, behind it, and between two guesses.
    sides: [Columns; 3],
}

impl Packer {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let columns = self.sides.iter().flatten().chain(&self.items);
        columns.map(|column| column.capacity() * size_of::<u32>()).sum()
    }

    /// Makes room for so many children.
    pub(super) fn make_room(&mut self, count: usize) {
        for column in self.sides.iter_mut().flatten().chain(&mut self.items) {
            grow(column, count + LANES_MAX);
        }
    }

    /// Packs the children `which`, at least one, into `nodes`, the first of which is number `base`;
    /// there are [`nodes_of`] them. Returns the uppermost. `flag` is set in the name of a node that
    /// holds the children themselves.
    pub(super) fn pack(
        &mut self,
        level: Level,
        (children, which): (&[Named], Range<usize>),
        nodes: &mut [Node],
        (base, flag): (u32, u32),
    ) -> Named {
        let count = which.len();
        self.make_room(count);
        let children = bytemuck::cast_slice(children);
        level.run(Load { children, first: which.start, count, items: &mut self.items });
        Packing { level, children, flag, memory: self }.part(0..count, nodes, base)
    }
}

/// What is packed.
struct Packing<'a> {
    level: Level,
    children: &'a [Record],
    flag: u32,
    memory: &'a mut Packer,
}

impl Packing<'_> {
    /// Packs some of the items. Goes as deep as the tree is.
    fn part(&mut self, items: Range<usize>, nodes: &mut [Node], base: u32) -> Named {
        let (whole, parts) = (items.len(), parts(items.len()));
        let (top, mut below) = nodes.split_first_mut().expect("each item is in a node");
        let Self { level, children, flag, .. } = *self;
        if parts == 1 {
            let numbers = &self.memory.items[NUMBER][items];
            return level.run(Fill { children, numbers, to: top, name: base | flag });
        }
        *top = Node::EMPTY;
        let ends = level.run(Extent { items: &self.memory.items, which: items.clone() });
        self.halve(items.clone(), ends, whole, (parts, 0, parts));
        let (mut start, mut next) = (items.start, base + 1);
        for part in 0..parts {
            let size = border(whole, parts, part + 1) - border(whole, parts, part);
            let (own, others) = below.split_at_mut(nodes_of(size));
            let child = self.part(start..start + size, own, next);
            next += own.len() as u32;
            (start, below) = (start + size, others);
            top.set(part, child);
        }
        top.around(base)
    }

    /// Orders the items of parts `from..to`, which lie between `low` and `high`, so that each
    /// part's follow each other.
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
        let length: [f32; 3] = core::array::from_fn(|axis| high[axis] - low[axis]);
        let two = if length[1] > length[0] { 1 } else { 0 };
        let axis = if length[2] > length[two] { 2 } else { two };
        let (mut below, mut above) = (high, low);
        if length[axis] > 0.0 {
            let Packer { items: columns, sides } = &mut *self.memory;
            let (which, ends) = (items.clone(), [low[axis], high[axis]]);
            let divide = Divide { items: columns, sides, which, at, axis, ends };
            [above[axis], below[axis]] = self.level.run(divide);
        }
        let border = items.start + at;
        self.halve(items.start..border, (low, below), whole, (parts, from, middle));
        self.halve(border..items.end, (above, high), whole, (parts, middle, to));
    }
}

/// Where the lanes are that come before the end of the items.
#[inline(always)]
fn inside<I: Isa>(isa: I, left: usize) -> I::Mask {
    isa.load(&IOTA).lt(isa.splat(left.min(LANES_MAX) as f32))
}

/// Writes where the children lie.
struct Load<'a> {
    children: &'a [Record],
    first: usize,
    count: usize,
    items: &'a mut Columns,
}

impl Kernel for Load<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { children, first, count, items } = self;
        let last = (first + count - 1) as u32;
        let mut at = 0;
        while at < count {
            // The last group repeats the last child.
            let mut which = [0; LANES_MAX];
            for (lane, which) in which.iter_mut().enumerate() {
                *which = Ord::min((first + at + lane) as u32, last);
            }
            let [[x0, y0, z0, x1], [y1, z1, ..]] = isa.gather_rows::<8, 2>(children, &which);
            let ends = [x0, y0, z0, x1, y1, z1].map(I::F32::from_bits);
            for axis in 0..3 {
                (ends[axis] + ends[3 + axis]).to_bits().store(&mut items[axis][at..]);
            }
            isa.load_u32(&which).store(&mut items[NUMBER][at..]);
            at += I::LANES;
        }
    }
}

/// Makes a bottom node of the children with these numbers.
struct Fill<'a> {
    children: &'a [Record],
    numbers: &'a [u32],
    to: &'a mut Node,
    name: u32,
}

impl Kernel for Fill<'_> {
    type Output = Named;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Named {
        let Self { children, numbers, to, name } = self;
        let mut which = [numbers[0]; LANES_MAX];
        which[..numbers.len()].copy_from_slice(numbers);
        let mut lane = 0;
        while lane < WIDTH {
            let [[a, b, c, d], [e, f, names, _]] =
                isa.gather_rows::<8, 2>(children, &which[lane..]);
            let there = inside(isa, numbers.len().saturating_sub(lane));
            for (k, bits) in [a, b, c, d, e, f].into_iter().enumerate() {
                let end = I::F32::select(there, I::F32::from_bits(bits), isa.splat(NO_BOUNDS[k]));
                end.store(&mut to.bounds[k][lane..]);
            }
            let names = I::U32::select(there, names, isa.splat_u32(NOTHING));
            names.store(&mut to.names[lane..]);
            lane += I::LANES;
        }
        to.around(name)
    }
}

/// Between which corners the middles lie.
struct Extent<'a> {
    items: &'a Columns,
    which: Range<usize>,
}

impl Kernel for Extent<'_> {
    type Output = ([f32; 3], [f32; 3]);

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

/// Brings the `at` lowest items on an axis to the front, where all are between two ends and not in
/// one place. Returns where the rest starts and where the front ends.
struct Divide<'a> {
    items: &'a mut Columns,
    sides: &'a mut [Columns; 3],
    which: Range<usize>,
    at: usize,
    axis: usize,
    ends: [f32; 2],
}

impl Kernel for Divide<'_> {
    type Output = [f32; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [f32; 2] {
        let Self { items, sides, which, at, axis, ends } = self;
        let count = which.len();
        let padded = which.start..which.end + LANES_MAX;
        let [low, high] = guess(isa, &items[axis][padded.clone()], count, at, ends);
        let [front, back, between] = sides;
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
                words.compress(is_front).store(&mut front[k][in_front..]);
                words.compress(is_back).store(&mut back[k][behind..]);
            }
            in_front += is_front.count();
            behind += is_back.count();
            if is_between.bits() != 0 {
                for (k, words) in columns.into_iter().enumerate() {
                    words.compress(is_between).store(&mut between[k][amid..]);
                }
                amid += is_between.count();
            }
            next += I::LANES;
        }
        for (k, column) in items.iter_mut().enumerate() {
            let (to_front, rest) = column[which.clone()].split_at_mut(in_front);
            let (to_between, to_back) = rest.split_at_mut(amid);
            to_front.copy_from_slice(&front[k][..in_front]);
            to_between.copy_from_slice(&between[k][..amid]);
            to_back.copy_from_slice(&back[k][..behind]);
        }
        [low, high]
    }
}

/// Two numbers of which at most `at` items are below the first and at least as many below the
/// second: the same, unless items are in one place or [`GUESSES_MAX`] are too few.
#[inline(always)]
fn guess<I: Isa>(
    isa: I,
    column: &[u32],
    count: usize,
    at: usize,
    [low, high]: [f32; 2],
) -> [f32; 2] {
    // All are below the next number.
    let (mut low, mut high) = (low, high.next_up());
    let (mut below_low, mut below_high) = (0, count);
    for step in 0..GUESSES_MAX {
        // By turns as if they were evenly spread, and half way, which always comes nearer.
        let part = (at - below_low) as f32 / (below_high - below_low) as f32;
        let half = low + (high - low) * 0.5;
        let even = low + (high - low) * part;
        let between = even > low && even < high && step % 2 == 0;
        let guess = if between { even } else { half };
        if !(guess > low && guess < high) {
            break;
        }
        let (mut below, mut next) = (0, 0);
        while next < count {
            let x = I::F32::from_bits(isa.load_u32(&column[next..]));
            below += (x.lt(isa.splat(guess)) & inside(isa, count - next)).count();
            next += I::LANES;
        }
        if below == at {
            return [guess, guess];
        }
        if below < at {
            (low, below_low) = (guess, below);
        } else {
            (high, below_high) = (guess, below);
        }
    }
    [low, high]
}
