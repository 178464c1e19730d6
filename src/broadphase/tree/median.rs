//! How are some boxes, or some nodes, packed under one node?
//!
//! Items are halved again and again at the median of the axis on which their middles lie furthest
//! apart, where a half is a whole number of full bottom nodes; sixteen parts make a node. Equal
//! middles are told apart by the item's number, so the parts depend on the items alone.

use super::{Child, Node, WIDTH};

/// Something to pack: where it lies, and its number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Item {
    /// Twice the middle.
    pub(super) middle: [f32; 3],
    pub(super) number: u32,
}

impl Item {
    pub(super) fn new(bounds: &[f32; 6], number: u32) -> Self {
        let middle = core::array::from_fn(|axis| bounds[axis] + bounds[3 + axis]);
        Self { middle, number }
    }
}

/// What the items stand for, by number.
pub(super) trait Children: Sync {
    /// What is set in the name of a node that holds them.
    const FLAG: u32;
    fn child(&self, number: u32) -> Child;
}

/// Where part `k` of so many begins: at a whole number of full bottom nodes.
fn border(items: usize, parts: usize, k: usize) -> usize {
    let bottoms = items.div_ceil(WIDTH);
    if bottoms <= WIDTH { items.min(k * WIDTH) } else { items.min(bottoms * k / parts * WIDTH) }
}

/// Into how many parts a node's items are cut: itself where they fit into one bottom node.
fn parts(items: usize) -> usize {
    items.div_ceil(WIDTH).min(WIDTH)
}

/// How many nodes [`pack`] makes of so many items.
pub(super) fn nodes_of(items: usize) -> usize {
    let parts = parts(items);
    if parts <= 1 {
        return parts;
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

/// Packs the items, at least one, into `nodes`, the first of which is number `base`; there are
/// [`nodes_of`] them, and as much `scratch` as items. Returns the uppermost.
pub(super) fn pack<C: Children>(
    items: &mut [Item],
    scratch: &mut [Item],
    children: &C,
    nodes: &mut [Node],
    base: u32,
) -> Child {
    let parts = parts(items.len());
    let (top, mut below) = nodes.split_first_mut().expect("each item is in a node");
    *top = Node::EMPTY;
    if parts == 1 {
        for (lane, item) in items.iter().enumerate() {
            top.set(lane, children.child(item.number));
        }
        return Child { bounds: top.bounds(), name: base | C::FLAG };
    }
    let whole = items.len();
    let (low, high) = extent(items);
    halve(items, scratch, (low, high), whole, (parts, 0, parts));
    let (mut rest, mut next) = (items, base + 1);
    for part in 0..parts {
        let size = border(whole, parts, part + 1) - border(whole, parts, part);
        let (here, after) = rest.split_at_mut(size);
        let (own, others) = below.split_at_mut(nodes_of(size));
        let child = pack(here, scratch, children, own, next);
        next += own.len() as u32;
        (rest, below) = (after, others);
        top.set(part, child);
    }
    Child { bounds: top.bounds(), name: base }
}

/// Orders the items of parts `from..to`, which lie between `low` and `high`, so that each part's
/// follow each other.
fn halve(
    items: &mut [Item],
    scratch: &mut [Item],
    (low, high): ([f32; 3], [f32; 3]),
    whole: usize,
    (parts, from, to): (usize, usize, usize),
) {
    if to - from < 2 {
        return;
    }
    let middle = (from + to) / 2;
    let at = border(whole, parts, middle) - border(whole, parts, from);
    let length: [f32; 3] = core::array::from_fn(|axis| high[axis] - low[axis]);
    let two = if length[1] > length[0] { 1 } else { 0 };
    let axis = if length[2] > length[two] { 2 } else { two };
    let (mut below, mut above) = (high, low);
    if let Some([end, start]) = divide(items, scratch, at, (axis, low[axis], high[axis])) {
        (below[axis], above[axis]) = (end, start);
    }
    let (front, back) = items.split_at_mut(at);
    halve(front, scratch, (low, below), whole, (parts, from, middle));
    halve(back, scratch, (above, high), whole, (parts, middle, to));
}

/// Brings the `at` lowest items on an axis to the front, to the precision of a bin. Returns where
/// the front ends and the rest starts, unless all are in one place.
fn divide(
    items: &mut [Item],
    scratch: &mut [Item],
    at: usize,
    (axis, low, high): (usize, f32, f32),
) -> Option<[f32; 2]> {
    let scale = BINS as f32 / (high - low);
    if !scale.is_finite() {
        // So close together that it does not matter.
        return None;
    }
    // More than there are bins, to spare a check.
    let mut counts = [0; 2 * BINS];
    for item in &*items {
        let bin = binned(item.middle[axis], low, scale);
        counts[bin.to_bits() as usize & (2 * BINS - 1)] += 1;
    }
    let (mut before, mut border) = (0, 0);
    while before + counts[border] <= at {
        before += counts[border];
        border += 1;
    }
    if counts[border] > items.len() / 4 {
        // Something far off makes the bins coarse.
        items.select_nth_unstable_by_key(at, |item| order(item.middle[axis], item.number));
        let (front, back) = items.split_at(at);
        let (ends, starts) = (extent(front).1, extent(back).0);
        return Some([ends[axis], starts[axis]]);
    }
    // Half a bin to either side, as bins are rounded to.
    let ends = [border as f32 + 0.5, border as f32 - 0.5].map(|bin| low + bin / scale);
    // Those in the bin at the border stand between the others, so it does not matter which of them
    // are in front. Each item is written to all three places and one of them moves on: no branch is
    // guessed.
    let border = WHOLE + border as f32;
    let last = scratch.len() - 1;
    let (mut front, mut between, mut back) = (0, 0, 0);
    for k in 0..items.len() {
        let item = items[k];
        let bin = binned(item.middle[axis], low, scale);
        items[front] = item;
        scratch[back] = item;
        scratch[last - between] = item;
        front += usize::from(bin < border);
        between += usize::from(bin == border);
        back += usize::from(bin > border);
    }
    items[front..front + between].copy_from_slice(&scratch[last + 1 - between..]);
    items[front + between..].copy_from_slice(&scratch[..back]);
    Some(ends)
}

/// Bins in which items are counted to find their median; a power of two.
const BINS: usize = 64;
/// From here on floats are whole numbers: 2²³.
pub(super) const WHOLE: f32 = 8_388_608.0;

/// [`WHOLE`] and the number of the bin, of which there is one more than [`BINS`].
#[inline(always)]
fn binned(x: f32, low: f32, scale: f32) -> f32 {
    // What is outside by rounding is in the outermost bins.
    let bin = (x - low) * scale;
    let bin = if bin > 0.0 { bin } else { 0.0 };
    (if bin < BINS as f32 { bin } else { BINS as f32 }) + WHOLE
}

/// Between which corners the middles lie.
fn extent(items: &[Item]) -> ([f32; 3], [f32; 3]) {
    let mut low = [f32::INFINITY; 4];
    let mut high = [f32::NEG_INFINITY; 4];
    for item in items {
        // Four at a time is what the compiler makes vectors of.
        let [x, y, z] = item.middle;
        let at = [x, y, z, z];
        for axis in 0..4 {
            low[axis] = if at[axis] < low[axis] { at[axis] } else { low[axis] };
            high[axis] = if at[axis] > high[axis] { at[axis] } else { high[axis] };
        }
    }
    ([low[0], low[1], low[2]], [high[0], high[1], high[2]])
}

/// A number that is greater where `x` is, and of equal `x` where `number` is.
fn order(x: f32, number: u32) -> u64 {
    // The bits of floats are ordered as they are, but backwards where they are negative.
    let bits = x.to_bits();
    let flip = ((bits.cast_signed() >> 31).cast_unsigned()) | 1 << 31;
    u64::from(bits ^ flip) << 32 | u64::from(number)
}
