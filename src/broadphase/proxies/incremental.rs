//! An update that searches for few proxies only.
//!
//! Searched for are the movers that are not settled, and the resting proxies that have changed since the last update.
//! A pair of two other proxies is as it was in the last update. The time depends on the proxies searched for, their
//! pairs and the events, not on the other pairs.
//!
//! ```text
//! settle the active movers whose compared box does not move, so that the forest stores it
//! find the pairs of the searched proxies with each forest, and of those that move with each other
//! order the found pairs by searched proxy; a pair of two of them is found from both sides
//! for each searched proxy: compare the partners found with its row of cached partners
//!     a partner found that is not in the row: the pair begins
//!     a partner of the row that was not found: the pair ends, or rests
//!     write its new row, and list what changes in the rows of other proxies
//! replace the rows, and apply the list
//! ```

use super::id::{ProxyId, ProxyPair, SweptProxyPair};
use super::movers::{CHANGED, MoverStore, SETTLED, borrow_columns};
use super::pair_cache::events::Events;
use super::pair_cache::partition::AcceptPair;
use super::pair_cache::rows::{PairRows, Partner};
use super::resting::RestingTrees;
use super::slots::{Container, NONE, Slot, owners_allow};
use super::state::BroadphaseState;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::runs::Pairs;
use crate::broadphase::{FindError, PairFinder, PairInput};
use crate::columns::{MovingBoxColumns, Row as _};
use crate::geom::{Filter, MovingBox, SweptPair};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Few proxies are searched for if the active movers are at most one of this many movers.
const ACTIVE_SHARE: usize = 4;
/// Up to this many proxies are searched for on one thread: waking another costs more.
const ONE_THREAD_MAX: usize = 512;

/// The bytes of eight settled movers.
const ALL_SETTLED: u64 = u64::from_ne_bytes([SETTLED; 8]);

/// A change of the row of a proxy that was not searched for. The partner was.
#[derive(Clone, Copy, Debug)]
struct RowEdit {
    slot: u32,
    partner: Partner,
    kind: RowEditKind,
}

#[derive(Clone, Copy, Debug)]
enum RowEditKind {
    Insert,
    Remove,
    SetFirst,
}

/// The proxies searched for, and scratch memory. Lists are by position in the search.
#[derive(Debug, Default)]
pub(crate) struct Incremental {
    /// Rows of the active movers, first those whose compared box does not move.
    rows: Vec<u32>,
    /// Rows of the active movers whose compared box moves.
    moving: Vec<u32>,
    /// The status of `rows` before the update.
    status: Vec<u8>,
    /// How many of the movers do not move.
    still: usize,
    movers: usize,
    columns: [Vec<f32>; 9],
    ids: Vec<ProxyId>,
    filters: Vec<Filter>,
    dynamic: Vec<bool>,
    /// Whether each of them has changed since the last update. Then come removed proxies, which have no box.
    changed: Vec<bool>,
    slots: Vec<u32>,
    /// The position in the search of each slot, or [`NONE`].
    positions: Vec<u32>,
    /// The pairs found: position in the search, slot of the partner, bits of the time.
    found: Vec<[u32; 3]>,
    /// The start of the partners of each position, and the end.
    starts: Vec<u32>,
    partners: Vec<Partner>,
    /// The positions in the order of their slots: both in one number.
    order: Vec<[u32; 2]>,
    /// One more than the index of a found partner by slot; 0 outside of a comparison.
    marks: Vec<u32>,
    /// Partners that are new for one proxy.
    new: Vec<Partner>,
    /// The new rows, in the order of the slots, and their ends.
    new_rows: Vec<Partner>,
    ends: Vec<u32>,
    edits: Vec<RowEdit>,
    /// The pairs that begin: slots, and bits of the time.
    begun: Vec<[u32; 3]>,
    /// Pairs that the caller's function has rejected, by slots, in order.
    rejected: Vec<[u32; 2]>,
    /// Whether each of the dirty pairs was found.
    dirty_found: Vec<bool>,
}

/// What the steps of an update read.
pub(crate) struct Search<'a> {
    pub(crate) exec: &'a Exec,
    pub(crate) filtered: bool,
    pub(crate) owned: bool,
    /// The caller's function for new pairs; `None` accepts all.
    pub(crate) accept: Option<AcceptPair<'a>>,
}

impl Incremental {
    /// Chooses the movers to search for. Returns whether they are few.
    pub(crate) fn choose(&mut self, movers: &MoverStore) -> bool {
        let most = movers.len() / ACTIVE_SHARE;
        self.rows.clear();
        self.moving.clear();
        for (block, status) in movers.status.chunks(8).enumerate() {
            if <[u8; 8]>::try_from(status).is_ok_and(|of| u64::from_ne_bytes(of) == ALL_SETTLED) {
                continue;
            }
            for (row, &status) in (8 * block..).zip(status) {
                if status != SETTLED {
                    let still = movers.is_fat(row) || movers.has_no_delta(row);
                    let rows = if still { &mut self.rows } else { &mut self.moving };
                    rows.push(row as u32);
                }
            }
            if self.rows.len() + self.moving.len() > most {
                return false;
            }
        }
        true
    }

    /// Lists the proxies to search for, and settles movers whose compared box does not move.
    pub(crate) fn collect(&mut self, state: &mut BroadphaseState, trees: &mut RestingTrees) {
        // The last update may have been interrupted by a panic of the caller's function.
        self.forget_positions();
        self.still = self.rows.len();
        self.rows.append(&mut self.moving);
        self.movers = self.rows.len();
        self.status.clear();
        self.status.extend(self.rows.iter().map(|&row| state.movers.status[row as usize]));
        for &row in &self.rows[..self.still] {
            state.movers.status[row as usize] = SETTLED | CHANGED;
            trees.mark_dirty(state.movers.ids[row as usize].index() as usize);
        }
        let state = &*state;
        self.columns.iter_mut().for_each(Vec::clear);
        self.ids.clear();
        self.filters.clear();
        self.dynamic.clear();
        self.changed.clear();
        self.slots.clear();
        reserve_for(&mut self.positions, state.slots.all.len());
        self.positions.resize(state.slots.all.len().max(self.positions.len()), NONE);
        for k in 0..self.movers {
            let row = self.rows[k] as usize;
            let index = state.movers.ids[row].index() as usize;
            let changed = self.status[k] & CHANGED != 0 || state.slot(index).changed;
            self.push(index, state, changed);
        }
        let is_tree = |&&index: &&u32| state.slot(index as usize).container().is_tree();
        for &index in state.changed.iter().filter(is_tree) {
            self.push(index as usize, state, true);
        }
        for &index in &state.changed {
            if self.positions[index as usize] == NONE
                && state.slot(index as usize).container() == Container::Nowhere
            {
                self.add(index, true);
            }
        }
    }

    fn push(&mut self, index: usize, state: &BroadphaseState, changed: bool) {
        let moving: MovingBox = state.compared_box(index);
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column.push(number);
        }
        let slot = state.slot(index);
        self.ids.push(state.slots.id(index));
        self.filters.push(slot.filter);
        self.dynamic.push(slot.kind == super::ProxyKind::Dynamic);
        self.add(index as u32, changed);
    }

    fn add(&mut self, index: u32, changed: bool) {
        self.positions[index as usize] = self.slots.len() as u32;
        self.slots.push(index);
        self.changed.push(changed);
    }

    /// Finds the pairs and compares them with the cached ones. On an error, nothing but the status of movers has
    /// changed, and [`Incremental::cancel`] restores it.
    pub(crate) fn search(
        &mut self,
        search: &Search<'_>,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
        events: &mut Events,
    ) -> Result<(), FindError> {
        let mut exec = search.exec.clone();
        if self.slots.len() <= ONE_THREAD_MAX {
            exec.threads = Threads::one();
        }
        finder.exec = exec.clone();
        trees.set_exec(&exec);
        self.find(search, state, finder, trees)?;
        // An upper bound; a search for all pairs counts exactly.
        let found = state.touching.len() + self.found.len();
        if found > search.exec.pairs_max {
            return Err(FindError::TooManyPairs { found, most: search.exec.pairs_max });
        }
        self.order_by_position();
        self.compare(search, state, events);
        Ok(())
    }

    /// Fills [`Incremental::found`] with the pairs that the proxies may have.
    fn find(
        &mut self,
        search: &Search<'_>,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
    ) -> Result<(), FindError> {
        let Self { still, movers, columns, ids, filters, dynamic, slots, positions, found, .. } =
            self;
        let (still, movers) = (*still, *movers);
        let boxes: MovingBoxColumns<'_> = borrow_columns(columns);
        let all = PairInput::new(boxes);
        let all = if search.filtered { all.filtered(filters) } else { all };
        let set = all.slice(0..movers);
        let pushed = set.moving(&dynamic[..movers]);
        found.clear();
        let mut resolver = Resolver { state, owned: search.owned, still, movers, slots, positions, found };
        if movers - still > 1 {
            let set = all.slice(still..movers).moving(&dynamic[still..movers]);
            for SweptPair { a, b, first } in &finder.swept_pairs(set)? {
                let [a, b] = [a as usize + still, b as usize + still];
                resolver.add(a, resolver.slots[b], first, true);
            }
        }
        let RestingTrees { fixed, sleeping, settled, .. } = trees;
        if movers > 0 && !fixed.is_empty() {
            resolver.add_all(&fixed.swept_pairs(pushed)?);
        }
        if movers > 0 && !sleeping.is_empty() {
            resolver.add_all(&sleeping.swept_pairs(set)?);
        }
        if !ids.is_empty() && !settled.is_empty() {
            resolver.add_all(&settled.swept_pairs(all)?);
        }
        Ok(())
    }

    /// Orders the found pairs by position: a counting sort.
    fn order_by_position(&mut self) {
        let Self { found, starts, partners, slots, order, .. } = self;
        starts.clear();
        reserve_for(starts, slots.len() + 2);
        starts.resize(slots.len() + 2, 0);
        for &[at, ..] in &*found {
            starts[at as usize + 2] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        reserve_for(partners, found.len());
        partners.resize(found.len(), Partner::default());
        for &[at, slot, first] in &*found {
            let to = &mut starts[at as usize + 1];
            partners[*to as usize] = Partner { slot, first: f32::from_bits(first) };
            *to += 1;
        }
        order.clear();
        reserve_for(order, slots.len());
        order.extend((0..).zip(slots.iter()).map(|(at, &slot)| [slot, at]));
        par::sort(order);
    }

    /// Compares the partners found with the cached ones. Writes the events, the new rows and the edits.
    fn compare(&mut self, search: &Search<'_>, state: &BroadphaseState, events: &mut Events) {
        reserve_for(&mut self.marks, state.slots.all.len());
        self.marks.resize(state.slots.all.len().max(self.marks.len()), 0);
        self.new_rows.clear();
        self.ends.clear();
        self.edits.clear();
        self.begun.clear();
        self.rejected.clear();
        self.dirty_found.clear();
        self.dirty_found.resize(state.dirty_pairs.len(), false);
        let order = core::mem::take(&mut self.order);
        for &[slot, at] in &order {
            self.compare_one(search, state, slot, at as usize, events);
            self.ends.push(self.new_rows.len() as u32);
        }
        self.order = order;
        for (&pair, &found) in state.dirty_pairs.iter().zip(&self.dirty_found) {
            if !found {
                end_or_rest(state, pair, events);
            }
        }
        par::sort(&mut self.begun);
        for &[a, b, first] in &self.begun {
            let id = |slot: u32| state.slots.id(slot as usize);
            let pair = SweptProxyPair { a: id(a), b: id(b), first: f32::from_bits(first) };
            events.begun.append(&[pair]);
        }
        par::sort::<4>(bytemuck::cast_slice_mut(events.ended.as_mut_slice()));
        par::sort::<4>(bytemuck::cast_slice_mut(&mut events.now_resting));
    }

    /// Compares the partners of the proxy at position `at` in the search.
    fn compare_one(
        &mut self,
        search: &Search<'_>,
        state: &BroadphaseState,
        slot: u32,
        at: usize,
        events: &mut Events,
    ) {
        let rows = state.touching.rows();
        let found = self.starts[at] as usize..self.starts[at + 1] as usize;
        let is_reused = |slot: u32| state.slots.is_reused(slot);
        let row = rows.row(slot as usize);
        let reused = !row.is_empty() && is_reused(slot);
        let Self { partners, marks, new, new_rows, edits, positions, .. } = &mut *self;
        let found = &partners[found];
        for (k, partner) in (1..).zip(found) {
            marks[partner.slot as usize] = k;
        }
        let start = new_rows.len();
        for &Partner { slot: other, first: before } in row {
            let mark = marks[other as usize] as usize;
            let is_searched = positions[other as usize] != NONE;
            if mark != 0 && !reused && !is_reused(other) {
                marks[other as usize] = 0;
                let first = found[mark - 1].first;
                new_rows.push(Partner { slot: other, first });
                if !is_searched && first.to_bits() != before.to_bits() {
                    let partner = Partner { slot, first };
                    edits.push(RowEdit { slot: other, partner, kind: RowEditKind::SetFirst });
                }
                continue;
            }
            if !is_searched {
                let partner = Partner { slot, first: 0.0 };
                edits.push(RowEdit { slot: other, partner, kind: RowEditKind::Remove });
            }
            if !is_searched || slot < other {
                end_or_rest(state, cached_pair(state, slot, other), events);
            }
        }
        new.clear();
        for partner in found {
            let mark = &mut marks[partner.slot as usize];
            if *mark != 0 {
                new.push(*partner);
                *mark = 0;
            }
        }
        if !self.new.is_empty() {
            self.begin(search, state, slot, at);
            self.merge_new(start);
        }
    }

    /// Keeps the new partners of a proxy that the caller accepts, in order, and lists the pairs that begin.
    fn begin(
        &mut self,
        search: &Search<'_>,
        state: &BroadphaseState,
        slot: u32,
        at: usize,
    ) {
        let Self { new, edits, positions, changed, begun, rejected, dirty_found, .. } = self;
        par::sort::<2>(bytemuck::cast_slice_mut(new));
        new.retain(|&Partner { slot: other, first }| {
            let [a, b] = if slot < other { [slot, other] } else { [other, slot] };
            let position = positions[other as usize];
            if position != NONE && other < slot {
                // The other proxy has decided.
                return rejected.binary_search(&[a, b]).is_err();
            }
            let id = |slot: u32| state.slots.id(slot as usize);
            let pair = ProxyPair { a: id(a), b: id(b) };
            if let Ok(dirty) = state.dirty_pairs.binary_search(&pair) {
                dirty_found[dirty] = true;
            } else if let Some(accept) = search.accept
                && !((changed[at] || position != NONE && changed[position as usize])
                    && accept(pair))
            {
                rejected.push([a, b]);
                return false;
            } else {
                begun.push([a, b, first.to_bits()]);
            }
            if position == NONE {
                let partner = Partner { slot, first };
                edits.push(RowEdit { slot: other, partner, kind: RowEditKind::Insert });
            }
            true
        });
    }

    /// Merges the new partners into the row that starts at `start`.
    fn merge_new(&mut self, start: usize) {
        let Self { new, new_rows, .. } = self;
        let (mut kept, mut end) = (new_rows.len(), new_rows.len() + new.len());
        new_rows.resize(end, Partner::default());
        while let Some(&last) = new.last() {
            end -= 1;
            if kept > start && new_rows[kept - 1].slot > last.slot {
                kept -= 1;
                new_rows[end] = new_rows[kept];
            } else {
                new_rows[end] = last;
                new.pop();
            }
        }
    }

    /// Stores the new rows, and what the update has found out about the movers.
    pub(crate) fn finish(&mut self, state: &mut BroadphaseState) {
        let rows = state.touching.to_rows(state.slots.all.len());
        let mut start = 0;
        for (&[slot, _], &end) in self.order.iter().zip(&self.ends) {
            rows.replace(slot as usize, &self.new_rows[start..end as usize]);
            start = end as usize;
        }
        for edit in &self.edits {
            edit.apply(rows);
        }
        rows.count();
        for (k, &row) in self.rows.iter().enumerate() {
            state.movers.status[row as usize] = if k < self.still { SETTLED } else { 0 };
        }
        self.forget_positions();
    }

    /// Restores the status of the movers, after an error.
    pub(crate) fn cancel(&mut self, state: &mut BroadphaseState) {
        for (&row, &status) in self.rows.iter().zip(&self.status) {
            state.movers.status[row as usize] = status;
        }
        self.forget_positions();
    }

    fn forget_positions(&mut self) {
        for &slot in &self.slots {
            self.positions[slot as usize] = NONE;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let words = self.rows.capacity()
            + self.moving.capacity()
            + self.columns.iter().map(Vec::capacity).sum::<usize>()
            + self.slots.capacity()
            + self.positions.capacity()
            + self.starts.capacity()
            + self.marks.capacity()
            + self.ends.capacity();
        let flags = self.status.capacity()
            + self.dynamic.capacity()
            + self.changed.capacity()
            + self.dirty_found.capacity();
        let partners = self.partners.capacity() + self.new.capacity() + self.new_rows.capacity();
        words * size_of::<u32>()
            + flags
            + partners * size_of::<Partner>()
            + self.ids.capacity() * size_of::<ProxyId>()
            + self.filters.capacity() * size_of::<Filter>()
            + (self.found.capacity() + self.begun.capacity()) * size_of::<[u32; 3]>()
            + (self.order.capacity() + self.rejected.capacity()) * size_of::<[u32; 2]>()
            + self.edits.capacity() * size_of::<RowEdit>()
    }
}

impl RowEdit {
    fn apply(self, rows: &mut PairRows) {
        let Self { slot, partner, kind } = self;
        match kind {
            RowEditKind::Insert => rows.insert(slot as usize, partner),
            RowEditKind::Remove => rows.remove(slot as usize, partner.slot),
            RowEditKind::SetFirst => rows.set_first(slot as usize, partner),
        }
    }
}

/// The pair of two slots, with the ids that they had when the cached pairs were found.
fn cached_pair(state: &BroadphaseState, one: u32, other: u32) -> ProxyPair {
    let generations = state.slots.generations_of_cached();
    let id = |slot: u32| ProxyId::new(slot, generations[slot as usize]);
    ProxyPair::new(id(one), id(other))
}

/// Records that a cached pair was not found: it rests from now on, or it has ended.
fn end_or_rest(state: &BroadphaseState, pair: ProxyPair, events: &mut Events) {
    if state.rests_and_touches(pair) {
        events.now_resting.push(pair);
    } else {
        events.ended.append(&[pair]);
    }
}

/// Turns what the finders return into pairs of a position in the search and a slot.
struct Resolver<'a> {
    state: &'a BroadphaseState,
    owned: bool,
    still: usize,
    movers: usize,
    slots: &'a [u32],
    positions: &'a [u32],
    found: &'a mut Vec<[u32; 3]>,
}

impl Resolver<'_> {
    /// Adds the pairs of a forest: rows are positions in the search.
    fn add_all(&mut self, pairs: &Pairs<'_, SweptPair>) {
        reserve_for(self.found, self.found.len() + 2 * pairs.len());
        for chunk in pairs.chunks() {
            for &SweptPair { a, b, first } in chunk {
                self.add(a as usize, b, first, false);
            }
        }
    }

    /// Adds a pair of the proxy at position `at`, if the two may pair. `among` says that the pair is one of two proxies
    /// that move, which are in no forest.
    fn add(&mut self, at: usize, other: u32, first: f32, among: bool) {
        let Self { state, slots, .. } = *self;
        let (slot, slots_all) = (slots[at], &state.slots.all);
        // A restored snapshot may have fewer slots than the forest has stale boxes.
        let Some(stored) = slots_all.get(other as usize) else { return };
        let mine = &slots_all[slot as usize];
        if slot == other
            || !among && is_stale(stored, &state.movers.status)
            || !mine.kind.pairs_with(stored.kind)
            || self.owned && !owners_allow(mine.owner, stored.owner)
        {
            return;
        }
        self.found.push([at as u32, other, first.to_bits()]);
        // The forests do not store proxies that move, so only these find the pair.
        let position = self.positions[other as usize];
        if position != NONE && (self.still..self.movers).contains(&at) {
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
