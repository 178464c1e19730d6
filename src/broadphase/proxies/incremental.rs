//! An update that searches for few proxies only.
//!
//! Searched for are the movers that are not settled, and the resting proxies that have changed since the last update.
//! A pair of two other proxies is as it was in the last update. The time depends on the proxies searched for, their
//! pairs and the events, and on the lengths of the rows of their partners that change, not on the other pairs.
//!
//! ```text
//! settle the active movers whose compared box does not move, so that a forest stores it; remove the stale boxes of the others
//! find the pairs of the searched proxies with each forest, and of those that move with each other, as far as the kind
//!     table has their kinds
//! order the found pairs by searched proxy; a pair of two of them is found from both sides
//! for each searched proxy: compare the partners found with its row of cached partners
//!     a partner found that is not in the row: the pair begins
//!     a partner of the row that was not found: the pair ends, or rests
//!     write its new row, and list what changes in the rows of other proxies
//! replace the rows, and apply the list; if it shifts many partners, the rest of it is merged row by row
//! ```

use super::active::ActiveProxies;
use super::compare::RowComparison;
use super::kinds::MoverSearches;
use super::movers::SETTLED;
use super::pair_cache::events::Events;
use super::pair_cache::partition::AcceptPair;
use super::pair_rules::PairRules;
use super::proxy::ProxyKind;
use super::resting::RestingTrees;
use super::slots::{Container, NONE, Slot};
use super::state::BroadphaseState;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::runs::Pairs;
use crate::broadphase::{FindError, PairFinder, PairInput};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use crate::par::Threads;
use alloc::vec::Vec;

/// Up to this many proxies are searched for on one thread: waking another costs more.
const ONE_THREAD_MAX: usize = 512;

/// Scratch memory of updates that search for few proxies.
#[derive(Debug, Default)]
pub(crate) struct Incremental {
    pub(crate) active: ActiveProxies,
    comparison: RowComparison,
    /// Whether each of the proxies may pair with those of a search.
    searched: Vec<bool>,
}

impl_memory!(Incremental { active, comparison, searched });

/// What the steps of an update read.
pub(crate) struct ActiveSearch<'a> {
    pub(crate) exec: &'a Exec,
    pub(crate) filtered: bool,
    /// Whether the word of the filter of any proxy is not exact.
    pub(crate) inexact_filters: bool,
    pub(crate) owned: bool,
    /// The caller's function for new pairs; `None` accepts all.
    pub(crate) accept: Option<AcceptPair<'a>>,
}

impl Incremental {
    /// Finds the pairs and compares them with the cached ones. On an error, nothing but the status of movers has
    /// changed, and [`ActiveProxies::cancel`] restores it.
    pub(crate) fn search(
        &mut self,
        search: &ActiveSearch<'_>,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
        events: &mut Events,
    ) -> Result<(), FindError> {
        let mut exec = search.exec.clone();
        if self.active.slots.len() <= ONE_THREAD_MAX {
            exec.threads = Threads::one();
        }
        finder.exec = exec.clone();
        trees.set_exec(&exec);
        self.find(search, state, finder, trees)?;
        // An upper bound; a search for all pairs counts exactly.
        let found = state.found_max().saturating_add(self.comparison.found.len());
        if found > search.exec.pairs_max {
            return Err(FindError::TooManyPairs { found, most: search.exec.pairs_max });
        }
        self.comparison.order_by_position(&self.active.slots);
        self.comparison.compare(&self.active, state, search.accept, events);
        Ok(())
    }

    /// Lists the pairs of two proxies that may pair.
    fn find(
        &mut self,
        search: &ActiveSearch<'_>,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
    ) -> Result<(), FindError> {
        let Self { active, comparison, searched } = self;
        let all = PairInput::new(active.boxes());
        let all = if search.filtered { all.filtered(&active.filters) } else { all };
        let found = &mut comparison.found;
        found.clear();
        let ActiveSearch { inexact_filters, owned, .. } = *search;
        let rules = PairRules { slots: &state.slots.all, inexact_filters, owned };
        let mut resolver = Resolver { state, active, rules, found };
        resolver.find_among(all, finder, searched)?;
        let RestingTrees { fixed, sleeping, settled: [dynamic, kinematic], .. } = trees;
        // A restored snapshot may have fewer slots than a forest has stale boxes.
        let of_rows = |[at, slot]: [u32; 2]| {
            (slot as usize) < rules.slots.len() && rules.allow([active.slots[at as usize], slot])
        };
        let owner_of_row = |at: u32| rules.owner(active.slots[at as usize]);
        let owner = |slot| rules.owner(slot);
        let all = all.tested(rules.of_forest(&of_rows, [&owner_of_row, &owner]));
        // A search for pairs of two resting proxies precedes.
        let forests = [
            (fixed, ProxyKind::Fixed, active.movers),
            (sleeping, ProxyKind::Sleeping, active.movers),
            (dynamic, ProxyKind::Dynamic, all.len()),
            (kinematic, ProxyKind::Kinematic, all.len()),
        ];
        for (forest, kind, count) in forests {
            if forest.is_empty() {
                continue;
            }
            searched.clear();
            searched.extend(active.kinds[..count].iter().map(|&of| state.kinds.pairs(of, kind)));
            if searched.contains(&true) {
                resolver.add_all(&forest.swept_pairs(all.slice(0..count).moving(searched))?);
            }
        }
        Ok(())
    }

    /// The number of pairs that the last update has found. A pair of two proxies that were searched for counts twice.
    pub(crate) fn found(&self) -> usize {
        self.comparison.found.len()
    }

    /// Frees the lists of pairs if they have more than `most` places.
    pub(crate) fn free_above(&mut self, most: usize) {
        if self.comparison.capacity() > most {
            self.comparison = RowComparison::default();
        }
    }

    /// Stores the new rows, and what the update has found out about the movers.
    pub(crate) fn finish(&mut self, state: &mut BroadphaseState) {
        self.comparison.apply(state.touching.convert_to_rows(state.slots.all.len()));
        state.touching.free_unused_places();
        state.rejected = state.rejected.saturating_add(self.comparison.count_rejected);
        self.active.finish(&mut state.movers);
    }
}

/// Turns what the finders return into pairs of a position in the search and a slot.
struct Resolver<'a> {
    state: &'a BroadphaseState,
    active: &'a ActiveProxies,
    rules: PairRules<'a>,
    found: &'a mut Vec<[u32; 3]>,
}

impl Resolver<'_> {
    /// Finds and adds the pairs of movers that move. `searched` is scratch memory.
    fn find_among(
        &mut self,
        all: PairInput<'_>,
        finder: &mut PairFinder,
        searched: &mut Vec<bool>,
    ) -> Result<(), FindError> {
        let ActiveProxies { still, kinematic_start, movers, ref kinds, .. } = *self.active;
        if !self.active.searches_among() {
            return Ok(());
        }
        let [dynamic, kinematic] = [still..kinematic_start, kinematic_start..movers];
        let (rules, slots) = (self.rules, &self.active.slots[..]);
        let exist = [!dynamic.is_empty(), !kinematic.is_empty()];
        match self.state.kinds.mover_searches(exist) {
            MoverSearches::Once(kind) => {
                let set = all.slice(still..movers);
                searched.clear();
                let kinds = &kinds[still..movers];
                searched.extend(kinds.iter().map(|&of| kind.is_none_or(|kind| of == kind)));
                let set = if kind.is_some() { set.moving(searched) } else { set };
                let of_rows = |rows: [u32; 2]| rows.map(|row| slots[still + row as usize]);
                let owner = |row: u32| rules.owner(slots[still + row as usize]);
                let owners = |rows| rules.owners_allow(of_rows(rows));
                let all = |rows| rules.allow(of_rows(rows));
                let set = set.tested(rules.of_movers(&owner, &owners, &all));
                self.add_among(&finder.swept_pairs(set)?, [still; 2]);
            }
            MoverSearches::ByKind(searched) => {
                let sets = [&dynamic, &kinematic].map(|rows| all.slice(rows.clone()));
                let starts = [still, kinematic_start];
                for (k, [a, b]) in [[0, 0], [0, 1], [1, 1]].into_iter().enumerate() {
                    if searched[k] {
                        let of_rows = |[x, y]: [u32; 2]| {
                            [slots[starts[a] + x as usize], slots[starts[b] + y as usize]]
                        };
                        let owner = |row: u32| rules.owner(slots[starts[a] + row as usize]);
                        let owners = |rows| rules.owners_allow(of_rows(rows));
                        let all = |rows| rules.allow(of_rows(rows));
                        let tests = rules.of_movers(&owner, &owners, &all);
                        let sets = sets.map(|set| set.tested(tests));
                        let pairs = match a == b {
                            true => finder.swept_pairs(sets[a])?,
                            false => finder.swept_pairs_between(sets[a], sets[b])?,
                        };
                        self.add_among(&pairs, [starts[a], starts[b]]);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the pairs of movers that move. The rows of each set are positions in the search, less that of the first.
    fn add_among(&mut self, pairs: &Pairs<'_, SweptPair>, starts: [usize; 2]) {
        for SweptPair { a, b, first } in pairs {
            let [a, b] = [a as usize + starts[0], b as usize + starts[1]];
            self.add(a, self.active.slots[b], first, true);
        }
    }

    /// Adds the pairs of a forest: rows are positions in the search.
    fn add_all(&mut self, pairs: &Pairs<'_, SweptPair>) {
        reserve_for(self.found, self.found.len() + 2 * pairs.len());
        for chunk in pairs.chunks() {
            for &SweptPair { a, b, first } in chunk {
                self.add(a as usize, b, first, false);
            }
        }
    }

    /// Adds a pair of the proxy at position `at`, if the two may pair. `among` states that the pair is one of two proxies that move, which are in no
    /// forest.
    fn add(&mut self, at: usize, other: u32, first: f32, among: bool) {
        let Self { state, active, .. } = *self;
        let (slot, slots_all) = (active.slots[at], &state.slots.all);
        // A restored snapshot may have fewer slots than the forest has stale boxes.
        let Some(stored) = slots_all.get(other as usize) else { return };
        if slot == other || !among && is_stale(stored, &state.movers.status) {
            return;
        }
        self.found.push([at as u32, other, first.to_bits()]);
        // The forests do not store proxies that move, so only these find the pair.
        let position = active.positions[other as usize];
        if position != NONE && active.moves(at) {
            self.found.push([position, slot, first.to_bits()]);
        }
    }
}

/// Whether the box that a forest has for a slot is neither that of a resting proxy nor that of a settled mover.
fn is_stale(slot: &Slot, status: &[u8]) -> bool {
    match slot.container() {
        Container::Fixed | Container::Sleeping => false,
        Container::Movers => status[slot.row_or_next as usize] & SETTLED == 0,
        Container::Nowhere => true,
    }
}
