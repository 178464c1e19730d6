//! How is swath driven?
//!
//! One finder, kept, so that its memory is warm; it keeps nothing else between ticks. It takes the
//! columns as they are and makes the bounds itself. Called inside the pool, it uses its threads.
//! [`Swept`] is the same with the exact swept test as the last step.

use swath::{BoxSet, PairFinder};

use super::{RowPair, System, Tick};

#[derive(Default)]
pub(super) struct Union {
    finder: PairFinder,
}

impl System for Union {
    fn take(&mut self, _: &Tick<'_>) {}

    fn find(&mut self, tick: &Tick<'_>) -> usize {
        self.finder.union_pairs(BoxSet::new(tick.boxes).moving(tick.moves)).expect("flags fit").len()
    }

    /// Finds again: the answer lends the finder's memory and cannot be kept. It is the same.
    fn show(&mut self, tick: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        let found = self.finder.union_pairs(BoxSet::new(tick.boxes).moving(tick.moves)).expect("flags fit");
        found.iter().for_each(|pair| visit([pair.a, pair.b]));
    }
}

#[derive(Default)]
pub(super) struct Swept {
    finder: PairFinder,
}

impl System for Swept {
    fn take(&mut self, _: &Tick<'_>) {}

    fn find(&mut self, tick: &Tick<'_>) -> usize {
        self.finder.swept_pairs(BoxSet::new(tick.boxes).moving(tick.moves)).expect("flags fit").len()
    }

    /// As [`Union`].
    fn show(&mut self, tick: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        let found = self.finder.swept_pairs(BoxSet::new(tick.boxes).moving(tick.moves)).expect("flags fit");
        found.iter().for_each(|pair| visit([pair.a, pair.b]));
    }
}
