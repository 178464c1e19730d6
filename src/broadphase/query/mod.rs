//! Which of the kept boxes does a segment, a moving box or a shape meet?
//!
//! [`Queries`] is a view of boxes in trees, of a [`BoxTree`] or of
//! [`FixedBoxes`](super::FixedBoxes), that many threads may ask at once. A question is made by a
//! method of it, [`Queries::cast`] of a segment, told which boxes it is about, and asked by a method
//! of [`Query`]:
//!
//! ```
//! use swath::store::FixedColumns;
//! use swath::{BoxTree, Segment};
//!
//! // Three walls, of which the second is made of glass.
//! let (low, high) = ([2.0, 4.0, 6.0], [2.1, 4.1, 6.1]);
//! let (from, to) = ([-5.0; 3], [5.0; 3]);
//! let mut walls = BoxTree::new();
//! walls.build(FixedColumns::new([&low, &from, &from], [&high, &to, &to])?)?;
//!
//! let sight = Segment::new([3.0, 0.0, 0.0], [8.0, 0.0, 0.0])?;
//! let queries = walls.queries();
//! assert_eq!(queries.cast(&sight)?.closest().map(|hit| hit.row), Some(1));
//! let hit = queries.cast(&sight)?.accepting(|row| row != 1).closest().expect("the third wall");
//! assert!(hit.row == 2 && hit.at <= 0.375);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a path meets is asked by [`Queries::cast`] and [`Queries::sweep`], what a shape meets by
//! [`Queries::overlap`] and its like, what is nearest by [`Queries::proximity`]; of many at once by
//! [`Queries::casts`], [`Queries::sweeps`], [`Queries::overlaps`] and [`Queries::proximities`].
//!
//! Promise: each answer is that of asking one box after the other, bit by bit: of equal distances
//! the box with the lowest row counts, on every level and any threads. Where an order is told it is
//! that of rows or distances; [`Query::visit`] alone goes as the tree goes.

mod batch;
mod box_tree;
mod each;
mod hits;
mod overlap;
mod path;
mod proximity;
mod sieve;

use super::set::allow;
pub use super::tree::Visits;
use super::tree::{Bounds, Nearing, Tree, descend, descend_many, may_go_abreast};
use crate::geom::Filter;
use crate::lanes::{Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use crate::par::Threads;
pub use batch::Batch;
pub use box_tree::BoxTree;
pub use each::{Overlaps, Proximities};
pub use overlap::{Overlap, Planes, Shape};
pub use path::Path;
pub use proximity::Proximity;
pub(super) use sieve::{Known, Row, Sieve};

/// A view of kept boxes to ask about.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// In these are boxes as they are,
    trees: [&'a [Tree]; 2],
    /// and in these some that are larger, which the sieve knows and which are as they are in others.
    grown: [&'a [Tree]; 2],
    level: Level,
    threads: &'a Threads,
    filter: Option<Filter>,
    sieve: Option<Sieve<'a>>,
}

impl<'a> Queries<'a> {
    /// The boxes of all these trees.
    pub(super) fn new(trees: [&'a [Tree]; 2], level: Level, threads: &'a Threads) -> Self {
        Self { trees, grown: [&[]; 2], level, threads, filter: None, sieve: None }
    }

    /// The same, and the boxes of the trees `grown` but for those that `sieve` knows to be larger
    /// there. Only what passes the sieve is found.
    pub(super) fn sifted(self, grown: [&'a [Tree]; 2], sieve: Sieve<'a>) -> Self {
        Self { grown, sieve: sieve.takes_out_some().then_some(sieve), ..self }
    }

    /// Only boxes that may pair with `filter`, as [`Filter::allows`] says. A box that was given no
    /// filter has [`Filter::ALL`].
    #[must_use]
    pub fn filtered(self, filter: Filter) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// The trees in which there may be a box that the filter allows, and whether some of its boxes
    /// may be larger than they are.
    fn trees(&self) -> impl Iterator<Item = (&'a Tree, bool)> + use<'a> {
        let unfiltered = self.filter.is_none_or(|filter| filter.allows(Filter::ALL));
        let grown = self.grown.into_iter().flatten().map(|tree| (tree, true));
        let all = grown.chain(self.trees.into_iter().flatten().map(|tree| (tree, false)));
        all.filter(move |(tree, _)| unfiltered || tree.is_filtered())
    }

    /// Which boxes filter and sieve allow.
    fn allowed(&self) -> Allowed<'a> {
        let turned = self.filter.map(|filter| filter.word().rotate_left(16));
        Allowed { turned, sieve: self.sieve, grown: false }
    }
}

/// Which boxes a question may find.
#[derive(Clone, Copy, Debug)]
struct Allowed<'a> {
    /// Its filter as a word, turned by 16 bits.
    turned: Option<u32>,
    sieve: Option<Sieve<'a>>,
    /// Whether the boxes it looks at may be larger than they are.
    grown: bool,
}

impl Allowed<'_> {
    /// The lanes of `reached`, as bits, that filter and sieve allow. `filters` are those of the
    /// boxes, none where all may pair.
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, reached: I::Mask, boxes: Bounds<'_>, filters: &[u32]) -> u32 {
        let allowed = self.by_filter(isa, reached, filters).bits();
        match &self.sieve {
            Some(sieve) => sieve.passing(allowed, boxes.rows::<I>(), self.grown),
            None => allowed,
        }
    }

    /// The rows of the lanes of `reached` that filter and sieve allow, in order, and how many.
    #[inline(always)]
    fn rows_of<I: Isa>(
        &self,
        isa: I,
        reached: I::Mask,
        boxes: Bounds<'_>,
        filters: &[u32],
    ) -> ([u32; LANES_MAX], usize) {
        let allowed = self.by_filter(isa, reached, filters);
        let (mut rows, mut count) = ([0; LANES_MAX], allowed.count());
        if count > 0 {
            isa.load_u32(boxes.rows::<I>()).compress(allowed).store(&mut rows);
            if let Some(sieve) = &self.sieve {
                let mut left =
                    sieve.passing(u32::MAX >> (u32::BITS - count as u32), &rows, self.grown);
                count = 0;
                while left != 0 {
                    rows[count] = rows[left.trailing_zeros() as usize];
                    left &= left - 1;
                    count += 1;
                }
            }
        }
        (rows, count)
    }

    /// The lanes of `reached` that the filter allows.
    #[inline(always)]
    fn by_filter<I: Isa>(&self, isa: I, reached: I::Mask, filters: &[u32]) -> I::Mask {
        match self.turned {
            Some(turned) if !filters.is_empty() => {
                reached & allow(isa, isa.splat_u32(turned), isa.load_u32(filters))
            }
            _ => reached,
        }
    }
}

/// A question that knows what it may find.
trait Asked: Nearing {
    /// Says whether boxes that come next may be larger than they are.
    fn look_at_grown(&mut self, grown: bool);
}

/// Which boxes a question is about: implemented by `FnMut(u32) -> bool`, asked with the row of each
/// box that the question reaches, and by [`EveryBox`].
pub trait Accept {
    /// Whether the box in this row counts.
    fn accept(&mut self, row: u32) -> bool;

    /// Who is to be asked: nobody, where all boxes count.
    #[doc(hidden)]
    fn caller(&mut self) -> Option<Caller<'_>>
    where
        Self: Sized,
    {
        Some(Caller(self))
    }
}

/// Whoever says what counts: the same for all of them, so that what asks is compiled once.
#[doc(hidden)]
pub struct Caller<'a>(&'a mut dyn Accept);

impl Accept for Option<Caller<'_>> {
    #[inline(always)]
    fn accept(&mut self, row: u32) -> bool {
        match self {
            Some(caller) => caller.0.accept(row),
            None => true,
        }
    }
}

/// All boxes count.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryBox;

impl Accept for EveryBox {
    #[inline(always)]
    fn accept(&mut self, _: u32) -> bool {
        true
    }

    fn caller(&mut self) -> Option<Caller<'_>> {
        None
    }
}

impl<F: FnMut(u32) -> bool> Accept for F {
    #[inline(always)]
    fn accept(&mut self, row: u32) -> bool {
        self(row)
    }
}

/// A question about kept boxes; what `Q` is says which.
#[derive(Debug)]
#[must_use = "a question is answered when one of its methods is called"]
pub struct Query<'a, Q, A = EveryBox> {
    queries: Queries<'a>,
    of: Q,
    accept: A,
    visits: Option<&'a mut Visits>,
}

impl<'a, Q> Query<'a, Q> {
    fn new(queries: Queries<'a>, of: Q) -> Self {
        Self { queries, of, accept: EveryBox, visits: None }
    }
}

impl<'a, Q, A> Query<'a, Q, A> {
    /// Only boxes whose row `accept` is true of. It is asked of boxes that the question reaches
    /// and that the filter allows, in no particular order, of each at most once.
    pub fn accepting<F: FnMut(u32) -> bool>(self, accept: F) -> Query<'a, Q, F> {
        self.asking(accept)
    }

    /// The same with whatever accepts.
    pub(super) fn asking<B>(self, accept: B) -> Query<'a, Q, B> {
        let Self { queries, of, visits, .. } = self;
        Query { queries, of, accept, visits }
    }

    /// Adds to `visits` how much was looked at.
    pub fn counting(self, visits: &'a mut Visits) -> Self {
        Self { visits: Some(visits), ..self }
    }
}

/// Asks a question of the boxes of all trees; returns it, and how much was looked at.
fn ask<N: Asked>(queries: &Queries<'_>, mut question: N) -> (N, Visits) {
    let mut visits = Visits::default();
    for (tree, grown) in queries.trees() {
        question.look_at_grown(grown);
        queries.level.run(Descend { tree, question: &mut question, visits: &mut visits });
    }
    (question, visits)
}

/// A question on its way through a tree.
struct Descend<'a, N> {
    tree: &'a Tree,
    question: &'a mut N,
    visits: &'a mut Visits,
}

impl<N: Nearing> Kernel for Descend<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, question, visits } = self;
        descend(isa, tree, question, visits);
    }
}

/// Asks some questions of the boxes of all trees.
fn ask_many<N: Asked>(queries: &Queries<'_>, questions: &mut [N]) {
    for (tree, grown) in queries.trees() {
        questions.iter_mut().for_each(|question| question.look_at_grown(grown));
        if may_go_abreast(tree, questions.len()) {
            queries.level.run(DescendMany { tree, questions });
        } else {
            for question in &mut *questions {
                let visits = &mut Visits::default();
                queries.level.run(Descend { tree, question, visits });
            }
        }
    }
}

/// Questions on their way through a tree.
struct DescendMany<'a, N> {
    tree: &'a Tree,
    questions: &'a mut [N],
}

impl<N: Nearing> Kernel for DescendMany<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, questions } = self;
        descend_many(isa, tree, questions, &mut Visits::default());
    }
}

impl Visits {
    fn add_to(self, visits: Option<&mut Self>) {
        if let Some(visits) = visits {
            visits.nodes += self.nodes;
            visits.leaves += self.leaves;
            visits.boxes += self.boxes;
        }
    }
}
