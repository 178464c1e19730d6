//! How are some boxes, or some nodes, packed under one node?
//!
//! Items are halved again and again at the median of the axis on which their middles lie furthest
//! apart, where a half is a whole number of full bottom nodes; sixteen parts make a node. Equal
//! middles are told apart by the item's number, so the parts depend on the items alone.

use super::{Child, NO_BOUNDS, Node, WIDTH, widen};

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
/// [`nodes_of`] them. Returns the uppermost.
pub(super) fn pack<C: Children>(
    items: &mut [Item],
    children: &C,
    nodes: &mut [Node],
    base: u32,
) -> Child {
    let parts = parts(items.len());
    let (top, mut below) = nodes.split_first_mut().expect("each item is in a node");
    *top = Node::EMPTY;
    let mut bounds = NO_BOUNDS;
    if parts == 1 {
        for (lane, item) in items.iter().enumerate() {
            let child = children.child(item.number);
            widen(&mut bounds, &child.bounds);
            top.set(lane, child);
        }
        return Child { bounds, name: base | C::FLAG };
    }
    let whole = items.len();
    halve(items, whole, (parts, 0, parts));
    let (mut rest, mut base) = (items, base);
    let name = base;
    base += 1;
    for part in 0..parts {
        let size = border(whole, parts, part + 1) - border(whole, parts, part);
        let (here, after) = rest.split_at_mut(size);
        let (own, others) = below.split_at_mut(nodes_of(size));
        let child = pack(here, children, own, base);
        base += own.len() as u32;
        (rest, below) = (after, others);
        widen(&mut bounds, &child.bounds);
        top.set(part, child);
    }
    Child { bounds, name }
}

/// Orders the items of parts `from..to` so that each part's follow each other.
fn halve(items: &mut [Item], whole: usize, (parts, from, to): (usize, usize, usize)) {
    if to - from < 2 {
        return;
    }
    let middle = (from + to) / 2;
    let at = border(whole, parts, middle) - border(whole, parts, from);
    select(items, at, longest(items));
    let (low, high) = items.split_at_mut(at);
    halve(low, whole, (parts, from, middle));
    halve(high, whole, (parts, middle, to));
}

/// The axis on which the middles lie furthest apart, of several the lowest.
fn longest(items: &[Item]) -> usize {
    let mut low = [f32::INFINITY; 3];
    let mut high = [f32::NEG_INFINITY; 3];
    for item in items {
        for axis in 0..3 {
            let x = item.middle[axis];
            low[axis] = if x < low[axis] { x } else { low[axis] };
            high[axis] = if x > high[axis] { x } else { high[axis] };
        }
    }
    let length: [f32; 3] = core::array::from_fn(|axis| high[axis] - low[axis]);
    let two = if length[1] > length[0] { 1 } else { 0 };
    if length[2] > length[two] { 2 } else { two }
}

/// Brings the `at` lowest items on `axis` to the front.
fn select(items: &mut [Item], at: usize, axis: usize) {
    items.select_nth_unstable_by_key(at, |item| order(item.middle[axis], item.number));
}

/// A number that is greater where `x` is, and of equal `x` where `number` is.
#[inline(always)]
fn order(x: f32, number: u32) -> u64 {
    // The bits of floats are ordered as they are, but backwards where they are negative.
    let bits = x.to_bits();
    let flip = ((bits.cast_signed() >> 31).cast_unsigned()) | 1 << 31;
    u64::from(bits ^ flip) << 32 | u64::from(number)
}
