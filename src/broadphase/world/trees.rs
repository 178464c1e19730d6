//! How do the trees come to hold what is at rest?
//!
//! Changes are only noted, and put in when the next tick asks: what is changed often between two
//! ticks, or changed back, costs one change or none.

use super::slots::Home;
use super::state::State;
use crate::broadphase::{FixedBoxes, FixedSet};
use crate::geom::{Aabb, Filter};
use crate::lanes::Level;
use crate::par::Threads;
use crate::store::{FixedColumns, Row};
use alloc::vec::Vec;

/// What is to be put in a tree.
#[derive(Debug, Default)]
struct Batch {
    rows: Vec<u32>,
    columns: [Vec<f32>; 6],
    filters: Vec<Filter>,
}

impl Batch {
    fn clear(&mut self) {
        self.rows.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.filters.clear();
    }

    fn push(&mut self, row: u32, aabb: Aabb, filter: Filter) {
        self.rows.push(row);
        self.filters.push(filter);
        for (column, number) in self.columns.iter_mut().zip(aabb.to_row()) {
            column.push(number);
        }
    }

    fn put_in(&self, tree: &mut FixedBoxes, filtered: bool) {
        let boxes = FixedColumns::from_columns(self.columns.each_ref().map(|column| &column[..]))
            .expect("the columns grow together");
        let set = FixedSet::new(boxes);
        let set = if filtered { set.filtered(&self.filters) } else { set };
        let rejected = tree.put(&self.rows, set).expect("rows are slots");
        debug_assert!(rejected.is_empty(), "boxes were checked");
    }

    fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Vec::capacity).sum();
        columns * size_of::<f32>()
            + self.rows.capacity() * size_of::<u32>()
            + self.filters.capacity() * size_of::<Filter>()
    }
}

/// Of a slot: that it is on the list of changes.
const CHANGED: u8 = 1 << 7;
/// In which tree a row of it is.
const FIXED: u8 = 1;
const SLEEPING: u8 = 2;

#[derive(Debug)]
pub(super) struct Trees {
    pub(super) fixed: FixedBoxes,
    pub(super) sleeping: FixedBoxes,
    /// By slot: [`FIXED`] or [`SLEEPING`], and [`CHANGED`].
    rows: Vec<u8>,
    changed: Vec<u32>,
    /// Memory: what leaves each of the trees, and what is put in.
    leaving: [Vec<u32>; 2],
    entering: [Batch; 2],
}

impl Trees {
    pub(super) fn with_level(level: Level) -> Self {
        Self {
            fixed: FixedBoxes::with_level(level),
            sleeping: FixedBoxes::with_level(level),
            rows: Vec::new(),
            changed: Vec::new(),
            leaving: Default::default(),
            entering: Default::default(),
        }
    }

    pub(super) fn set_threads(&mut self, threads: &Threads) {
        self.fixed.set_threads(threads.clone());
        self.sleeping.set_threads(threads.clone());
    }

    pub(super) fn set_pairs_max(&mut self, most: usize) {
        self.fixed.set_pairs_max(most);
        self.sleeping.set_pairs_max(most);
    }

    /// Notes that a proxy came to rest, left, or rests otherwise than before.
    #[inline]
    pub(super) fn note(&mut self, index: usize) {
        if self.rows.len() <= index {
            self.rows.resize(index + 1, 0);
        }
        if self.rows[index] & CHANGED == 0 {
            self.rows[index] |= CHANGED;
            self.changed.push(index as u32);
        }
    }

    /// Puts in the changes. `filtered` says whether any proxy has a filter.
    pub(super) fn update(&mut self, state: &State, filtered: bool) {
        if self.changed.is_empty() {
            return;
        }
        // Rows in order: as a rule neighbours in memory.
        self.changed.sort_unstable();
        let Self { fixed, sleeping, rows, changed, leaving, entering } = self;
        leaving.iter_mut().for_each(Vec::clear);
        entering.iter_mut().for_each(Batch::clear);
        let trees = [fixed, sleeping];
        for row in changed.drain(..) {
            let index = row as usize;
            let was = rows[index] & !CHANGED;
            let slot = state.slots.all.get(index);
            let now = match slot.map_or(Home::Nowhere, |slot| slot.home()) {
                Home::Fixed => FIXED,
                Home::Sleeping => SLEEPING,
                Home::Movers | Home::Nowhere => 0,
            };
            rows[index] = now;
            if was != now && was != 0 {
                leaving[usize::from(was - 1)].push(row);
            }
            let Some(slot) = slot.filter(|_| now != 0) else { continue };
            let tree = usize::from(now - 1);
            let aabb = state.held(index).aabb;
            let same = was == now
                && trees[tree].filter(row) == Some(slot.filter)
                && trees[tree].get(row).is_some_and(|old| same_bits(&old, &aabb));
            if !same {
                entering[tree].push(row, aabb, slot.filter);
            }
        }
        for ((tree, leaving), entering) in trees.into_iter().zip(leaving).zip(entering) {
            if !leaving.is_empty() {
                tree.remove(leaving).expect("each row was put in");
            }
            if !entering.rows.is_empty() {
                entering.put_in(tree, filtered);
            }
        }
    }

    /// Whether the tree holds what the state says, where no change is noted.
    pub(super) fn is_sound(&self, state: &State) -> bool {
        let noted = self.rows.iter().filter(|&&row| row & CHANGED != 0).count();
        let [mut fixed, mut sleeping] = [0, 0];
        for index in 0..state.slots.all.len().max(self.rows.len()) {
            let row = self.rows.get(index).copied().unwrap_or(0);
            fixed += usize::from(row & FIXED != 0);
            sleeping += usize::from(row & SLEEPING != 0);
            if row & CHANGED != 0 {
                continue;
            }
            let slot = state.slots.all.get(index);
            let (tree, expected) = match slot.map_or(Home::Nowhere, |slot| slot.home()) {
                Home::Fixed => (&self.fixed, FIXED),
                Home::Sleeping => (&self.sleeping, SLEEPING),
                Home::Movers | Home::Nowhere if row == 0 => continue,
                Home::Movers | Home::Nowhere => return false,
            };
            let held = state.held(index).aabb;
            if row != expected
                || tree.get(index as u32).is_none_or(|aabb| !same_bits(&aabb, &held))
                || tree.filter(index as u32) != slot.map(|slot| slot.filter)
            {
                return false;
            }
        }
        noted == self.changed.len() && fixed == self.fixed.len() && sleeping == self.sleeping.len()
    }

    pub(super) fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        self.rows.reserve(proxies.saturating_sub(self.rows.len()));
        self.fixed.reserve(proxies, movers, 0, pairs);
        self.sleeping.reserve(proxies, movers, 0, pairs);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.fixed.shrink_to_fit();
        self.sleeping.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.changed.shrink_to_fit();
        (self.leaving, self.entering) = Default::default();
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.changed.capacity() + self.leaving.iter().map(Vec::capacity).sum::<usize>();
        self.fixed.memory_usage()
            + self.sleeping.memory_usage()
            + self.rows.capacity()
            + lists * size_of::<u32>()
            + self.entering.iter().map(Batch::bytes).sum::<usize>()
    }
}

fn same_bits(a: &Aabb, b: &Aabb) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}
