//! Which boxes of a tree does one question reach, the nearest first?
//!
//! A node's children that are reached wait on a stack with how near their bounds are, those of a
//! node in order, the nearest on top. The question says how far it still looks; what waits and is
//! further is passed by. After Roussopoulos, Kelley and Vincent 1995, *Nearest Neighbor Queries*;
//! for segments as in Wald, Boulos and Shirley 2007, §3.
//!
//! Promise: leaves are seen in an order that depends on the tree and the question alone. Every box
//! as near as the question still looks at the end was seen, if bounds are never further
//! than what they hold.

use super::{LEAF, NOTHING, Node, Tree, WIDTH};
use crate::lanes::{F32Lanes, Isa, LANES_MAX, MaskLanes, U32Lanes, prefetch};
use core::slice;

/// Places on a stack without an allocation: for a tree of some ten million boxes, unless a good part of them
/// are in one place.
const SHORT: usize = 128;

/// A group of lanes of a node.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Bounds<'a> {
    node: &'a Node,
    lane: usize,
}

impl Bounds<'_> {
    /// Least x, y, z, greatest x, y, z. Lanes with nothing in them are the wrong way round, from
    /// infinity to minus infinity.
    #[inline(always)]
    pub(in super::super) fn column<I: Isa>(&self, isa: I, column: usize) -> I::F32 {
        isa.load(&self.node.bounds[column][self.lane..])
    }

    /// All six columns.
    #[inline(always)]
    pub(in super::super) fn columns<I: Isa>(&self, isa: I) -> [I::F32; 6] {
        let mut columns = [isa.splat(0.0); 6];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = self.column(isa, k);
        }
        columns
    }

    /// The rows of boxes in a leaf, one for each lane.
    #[inline(always)]
    pub(in super::super) fn rows<I: Isa>(&self) -> &[u32] {
        &self.node.names[self.lane..self.lane + I::LANES]
    }

    /// Where there is something.
    #[inline(always)]
    pub(in super::super) fn filled<I: Isa>(&self, isa: I) -> I::Mask {
        self.column(isa, 0).le(self.column(isa, 3))
    }
}

/// What is asked.
pub(in super::super) trait Nearing {
    /// Whether children that are nearer are seen first.
    const ORDERED: bool = true;

    /// How far the question still looks. Never grows.
    fn most(&self) -> f32;

    /// How near bounds are, at least zero and not NaN, and which are no further than
    /// [`Nearing::most`]. What is inside of bounds must not be nearer, nor be reached when they are
    /// not.
    fn near<I: Isa>(&self, isa: I, bounds: Bounds<'_>) -> (I::F32, I::Mask);

    /// Sees boxes of a leaf; returns how many of them the question met. `filters` has as many words
    /// as there are lanes, or none if the tree keeps none.
    fn see<I: Isa>(&mut self, isa: I, boxes: Bounds<'_>, filters: &[u32]) -> u64;
}

/// How much was looked at to answer questions.
///
/// The same on every level and any threads; depends on how the boxes were put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Visits {
    /// Nodes with nodes below them, sixteen or fewer.
    pub nodes: u64,
    /// Nodes with boxes below them, sixteen or fewer.
    pub leaves: u64,
    /// Boxes in these that the question met, before it was asked if they are accepted.
    pub boxes: u64,
}

/// Asks a question of the boxes in a tree.
#[inline(always)]
pub(in super::super) fn descend<I: Isa, Q: Nearing>(
    isa: I,
    tree: &Tree,
    question: &mut Q,
    visits: &mut Visits,
) {
    let Some(root) = tree.root else { return };
    let (mut short, mut long);
    let stack = if places(tree) <= SHORT {
        short = [[0; 2]; SHORT];
        &mut short[..]
    } else {
        long = alloc::vec![[0; 2]; places(tree)];
        &mut long[..]
    };
    let (mut next, mut len) = (root, 0);
    while next != NOTHING {
        next = step(isa, tree, next, question, (stack, &mut len), visits);
    }
}

/// How many places a stack needs: of each level all children but one wait, and a lane group is
/// written at a time.
fn places(tree: &Tree) -> usize {
    tree.depth * (WIDTH - 1) + LANES_MAX
}

/// How many questions are on their way at a time, so that the memory that one waits for comes while
/// others are looked at.
const ABREAST: usize = 8;

/// A question on its way.
#[derive(Clone, Copy)]
struct Walker {
    /// Which question.
    which: usize,
    /// The node it looks at next, [`NOTHING`] if it is done.
    next: u32,
    /// How many nodes wait on its stack.
    len: usize,
}

/// Whether so many questions may be asked by [`descend_many`].
pub(in super::super) fn may_go_abreast(tree: &Tree, questions: usize) -> bool {
    places(tree) <= SHORT && questions >= ABREAST
}

/// Asks questions of the boxes in a tree, each as [`descend`] does, several at a time. There must be
/// enough of them, and the tree not too deep: see [`may_go_abreast`].
#[inline(always)]
pub(in super::super) fn descend_many<I: Isa, Q: Nearing>(
    isa: I,
    tree: &Tree,
    questions: &mut [Q],
    visits: &mut Visits,
) {
    let Some(root) = tree.root else { return };
    let mut stacks = [[[0; 2]; SHORT]; ABREAST];
    let mut walkers = [Walker { which: 0, next: root, len: 0 }; ABREAST];
    for (which, walker) in walkers.iter_mut().enumerate() {
        walker.which = which;
    }
    let (mut started, mut running) = (ABREAST, ABREAST);
    while running > 0 {
        let mut k = 0;
        while k < ABREAST {
            let Walker { which, next, len } = &mut walkers[k];
            if *next != NOTHING {
                let stack = (&mut stacks[k][..], len);
                *next = step(isa, tree, *next, &mut questions[*which], stack, visits);
                if *next != NOTHING {
                    prefetch(slice::from_ref(&tree.nodes[(*next & !LEAF) as usize]));
                } else if started < questions.len() {
                    (*which, *next) = (started, root);
                    started += 1;
                } else {
                    running -= 1;
                }
            }
            k += 1;
        }
    }
}

/// Looks at a node; returns the next one.
#[inline(always)]
fn step<I: Isa, Q: Nearing>(
    isa: I,
    tree: &Tree,
    name: u32,
    question: &mut Q,
    (stack, len): (&mut [[u32; 2]], &mut usize),
    visits: &mut Visits,
) -> u32 {
    let at = (name & !LEAF) as usize;
    let node = &tree.nodes[at];
    let mut lane = 0;
    if name & LEAF != 0 {
        visits.leaves += 1;
        let filters = &tree.filters[..];
        let filters = if filters.is_empty() { filters } else { &filters[at * WIDTH..][..WIDTH] };
        while lane < WIDTH {
            let of = if filters.is_empty() { filters } else { &filters[lane..] };
            visits.boxes += question.see(isa, Bounds { node, lane }, of);
            lane += I::LANES;
        }
    } else {
        visits.nodes += 1;
        let first = *len;
        while lane < WIDTH {
            let (near, reached) = question.near(isa, Bounds { node, lane });
            let names = isa.load_u32(&node.names[lane..]).compress(reached);
            let (near, count) = (near.to_bits().compress(reached), reached.count());
            isa.store_pairs(names, near, count, &mut stack[*len..]);
            (lane, *len) = (lane + I::LANES, *len + count);
        }
        if Q::ORDERED {
            order(&mut stack[first..*len]);
        }
    }
    while *len > 0 {
        *len -= 1;
        let [name, near] = stack[*len];
        if f32::from_bits(near) <= question.most() {
            return name;
        }
    }
    NOTHING
}

/// Orders children so that the nearest is last; of equal ones that with the lowest name.
#[inline(always)]
fn order(children: &mut [[u32; 2]]) {
    match children {
        [] | [_] => {}
        [a, b] => exchange(a, b),
        [a, b, c] => {
            exchange(a, b);
            exchange(a, c);
            exchange(b, c);
        }
        [a, b, c, d] => {
            exchange(a, b);
            exchange(c, d);
            exchange(a, c);
            exchange(b, d);
            exchange(b, c);
        }
        _ => nearest_last(children),
    }
}

/// How near a child is and its name, to be compared as one: what is not negative is ordered as
/// its bits are.
#[inline(always)]
fn key([name, near]: [u32; 2]) -> u64 {
    u64::from(near) << 32 | u64::from(name)
}

/// Makes the nearer of two the second, without a branch: which it is cannot be foreseen.
#[inline(always)]
fn exchange(a: &mut [u32; 2], b: &mut [u32; 2]) {
    let (p, q) = (key(*a), key(*b));
    let (far, near) = (Ord::max(p, q), Ord::min(p, q));
    *a = [far as u32, (far >> 32) as u32];
    *b = [near as u32, (near >> 32) as u32];
}

/// Brings the nearest three of more of them to the end, in order. The others seldom have their turn:
/// by then the question looks less far.
#[inline(never)]
fn nearest_last(children: &mut [[u32; 2]]) {
    for last in (children.len() - 3..children.len()).rev() {
        let (others, rest) = children.split_at_mut(last);
        for child in others {
            exchange(child, &mut rest[0]);
        }
    }
}
