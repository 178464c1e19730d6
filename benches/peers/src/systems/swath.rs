//! Pairs by swath.
//!
//! One finder is kept, so that its memory is warm; it keeps no other data between ticks. It reads the columns
//! and computes the bounds itself. Called inside the pool, it uses its threads. If fewer than half of the
//! boxes move, the others are stored in [`FixedBoxes`], as the other systems store them in a tree of their
//! own; the pairs of movers are then found among themselves and with the stored boxes. [`Swept`] is the same
//! with the exact swept test as the last step. [`Rows`] reads an array of bounds, as the other systems do, and
//! collects all pairs in one list, with the rows of the tick.

use swath::broadphase::PairInput;
use swath::{Aabb, AabbColumns, FixedBoxes, MovingBoxColumns, Pair, PairFinder};

use super::{RowPair, System, Tick};

#[derive(Default)]
pub(super) struct Union(Swath);

#[derive(Default)]
pub(super) struct Swept(Swath);

#[derive(Default)]
struct Swath {
    finder: PairFinder,
    fixed: FixedBoxes,
    /// Which boxes moved when the others were stored, if they were.
    kept: Option<Vec<bool>>,
    /// Rows and columns of the moving boxes, if they are few: an engine has them in columns of their own.
    rows: Vec<u32>,
    columns: [Vec<f32>; 9],
}

impl Swath {
    fn take(&mut self, tick: &Tick<'_>) {
        self.rows.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        let movers = tick.moves.iter().filter(|&&moves| moves).count();
        if 2 * movers >= tick.moves.len() {
            self.kept = None;
            return;
        }
        self.rows.extend((0..).zip(tick.moves).filter(|&(_, &moves)| moves).map(|(row, _)| row));
        for (to, from) in self.columns.iter_mut().zip(tick.boxes.columns()) {
            to.extend(self.rows.iter().map(|&row| from[row as usize]));
        }
        if self.kept.as_deref() != Some(tick.moves) {
            self.kept = Some(Vec::new());
        }
    }

    /// Stores the boxes that do not move, if they are new; returns `false` if most boxes move.
    fn keep(&mut self, tick: &Tick<'_>) -> bool {
        let Some(kept) = &mut self.kept else { return false };
        if kept.is_empty() {
            kept.extend_from_slice(tick.moves);
            let still = (0..).zip(tick.moves).filter(|&(_, &moves)| !moves);
            let rows: Vec<u32> = still.map(|(row, _)| row).collect();
            let columns: [Vec<f32>; 6] = core::array::from_fn(|k| {
                rows.iter().map(|&row| tick.boxes.columns()[k][row as usize]).collect()
            });
            let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice));
            self.fixed.clear();
            self.fixed.put(&rows, columns.expect("one length")).expect("a row for each");
        }
        true
    }
}

fn lend(columns: &[Vec<f32>; 9]) -> MovingBoxColumns<'_> {
    MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("one length")
}

/// The code of both, with the names of the finders' methods.
macro_rules! system {
    ($system:ident, $pairs:ident) => {
        impl System for $system {
            fn take(&mut self, tick: &Tick<'_>) {
                self.0.take(tick);
            }

            fn find(&mut self, tick: &Tick<'_>) -> usize {
                if !self.0.keep(tick) {
                    let set = PairInput::new(tick.boxes).moving(tick.moves);
                    return self.0.finder.$pairs(set).expect("flags fit").len();
                }
                let Swath { finder, fixed, columns, .. } = &mut self.0;
                let movers = lend(columns);
                let among = finder.$pairs(movers).expect("few").len();
                among + fixed.$pairs(movers).expect("few").len()
            }

            /// Finds again, because the result borrows the finder's memory and cannot be kept. It is the
            /// same.
            fn show(&mut self, tick: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
                if !self.0.keep(tick) {
                    let set = PairInput::new(tick.boxes).moving(tick.moves);
                    let found = self.0.finder.$pairs(set).expect("flags fit");
                    return found.iter().for_each(|pair| visit([pair.a, pair.b]));
                }
                let Swath { finder, fixed, rows, columns, .. } = &mut self.0;
                let movers = lend(columns);
                for pair in finder.$pairs(movers).expect("few").iter() {
                    visit([rows[pair.a as usize], rows[pair.b as usize]]);
                }
                for pair in fixed.$pairs(movers).expect("few").iter() {
                    let (a, b) = (rows[pair.a as usize], pair.b);
                    visit([a.min(b), a.max(b)]);
                }
            }
        }
    };
}

system!(Union, union_pairs);
system!(Swept, swept_pairs);

#[derive(Default)]
pub(super) struct Rows {
    swath: Swath,
    /// Bounds of the moving boxes, if they are few.
    bounds: Vec<Aabb>,
    pairs: Vec<Pair>,
    /// Those with boxes that do not move.
    pairs_with_fixed: Vec<Pair>,
}

impl System for Rows {
    fn take(&mut self, tick: &Tick<'_>) {
        self.swath.take(tick);
        self.bounds.clear();
        self.bounds.extend(self.swath.rows.iter().map(|&row| tick.bounds[row as usize]));
    }

    fn find(&mut self, tick: &Tick<'_>) -> usize {
        let Self { swath, bounds, pairs, pairs_with_fixed } = self;
        let few = swath.keep(tick);
        let Swath { finder, fixed, rows, .. } = swath;
        if few {
            let movers = PairInput::new(&bounds[..]).labelled(rows);
            finder.union_pairs(movers).expect("few").collect_into(pairs);
            fixed.union_pairs(movers).expect("few").collect_into(pairs_with_fixed);
            pairs.extend_from_slice(pairs_with_fixed);
        } else {
            let set = PairInput::new(tick.bounds).moving(tick.moves);
            finder.union_pairs(set).expect("flags fit").collect_into(pairs);
        }
        pairs.len()
    }

    fn show(&mut self, _: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        for &Pair { a, b } in &self.pairs {
            visit([a.min(b), a.max(b)]);
        }
    }
}
