//! Compares the partners that an update found for few proxies with their rows of cached partners.
//!
//! The steps are those of `incremental.rs`. The result is a list of new rows and of edits of other rows, which is applied
//! at the end, so that an update that fails or panics changes no row.

use super::active::ActiveProxies;
use super::id::{ProxyId, ProxyPair, SweptProxyPair};
use super::pair_cache::events::Events;
use super::pair_cache::partition::AcceptPair;
use super::pair_cache::rows::{PairRows, Partner};
use super::slots::NONE;
use super::state::BroadphaseState;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::columns::impl_memory;
use crate::par;
use alloc::vec::Vec;
use core::ops::Range;

/// A change in the row of a proxy whose pairs were not searched for. The pairs of the partner were.
#[derive(Clone, Copy, Debug)]
struct RowEdit {
    slot: u32,
    partner: Partner,
    kind: RowEditKind,
}

/// Edits of one row for the same partner slot are applied in this order: first the old proxy of a reused slot is removed, then the
/// new one is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RowEditKind {
    Remove,
    Insert,
    SetFirst,
}

/// Number of partners that edits may shift one by one. After that the edits of each row are merged with it: otherwise the
/// time for many edits of one long row would be the product of both.
const SHIFTED_MAX: usize = 1 << 16;

/// The pairs found, and what the comparison writes. Lists are by position in the search.
#[derive(Debug, Default)]
pub(crate) struct RowComparison {
    /// The pairs found: position in the search, slot of the partner, bits of the time.
    pub(crate) found: Vec<[u32; 3]>,
    /// The start of the partners of each position, and the end.
    starts: Vec<u32>,
    partners: Vec<Partner>,
    /// Slots and positions, in the order of the slots.
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
    /// Pairs of two searched proxies that the caller's function has rejected, by slots, in order.
    rejected: Vec<[u32; 2]>,
    /// How many pairs the caller's function has rejected.
    pub(crate) count_rejected: usize,
    /// Whether each of the dirty pairs was found.
    dirty_found: Vec<bool>,
}

impl_memory!(RowComparison {
    found,
    starts,
    partners,
    order,
    marks,
    new,
    new_rows,
    ends,
    edits,
    begun,
    rejected,
    dirty_found;
    without count_rejected
});

impl RowComparison {
    /// The number of pairs that fit into the longest list.
    pub(crate) fn capacity(&self) -> usize {
        let Self { found, partners, new_rows, edits, begun, .. } = self;
        let of_found = found.capacity().max(partners.capacity());
        of_found.max(new_rows.capacity()).max(edits.capacity()).max(begun.capacity())
    }

    /// Orders the found pairs by position: a counting sort.
    pub(crate) fn order_by_position(&mut self, slots: &[u32]) {
        let Self { found, starts, partners, order, .. } = self;
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
    ///
    /// `accept` is the caller's function for new pairs; `None` accepts all.
    pub(crate) fn compare(
        &mut self,
        active: &ActiveProxies,
        state: &BroadphaseState,
        accept: Option<AcceptPair<'_>>,
        events: &mut Events,
    ) {
        reserve_for(&mut self.marks, state.slots.all.len());
        self.marks.resize(state.slots.all.len().max(self.marks.len()), 0);
        self.new_rows.clear();
        self.ends.clear();
        self.edits.clear();
        self.begun.clear();
        self.rejected.clear();
        self.count_rejected = 0;
        self.dirty_found.clear();
        self.dirty_found.resize(state.dirty_pairs.len(), false);
        let order = core::mem::take(&mut self.order);
        for &[slot, at] in &order {
            let found = self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize;
            let start = self.new_rows.len();
            self.compare_one(active, state, slot, found, events);
            if !self.new.is_empty() {
                self.begin((active, at as usize), state, accept, slot);
                self.merge_new(start);
            }
            self.ends.push(self.new_rows.len() as u32);
        }
        self.order = order;
        for (&pair, &found) in state.dirty_pairs.iter().zip(&self.dirty_found) {
            if !found {
                end_or_rest(state, pair, events);
            }
        }
        self.begin_renewed(active, state);
        par::sort(&mut self.begun);
        for &[a, b, first] in &self.begun {
            let id = |slot: u32| state.slots.id(slot as usize);
            let pair = SweptProxyPair { a: id(a), b: id(b), first: f32::from_bits(first) };
            events.begun.append(&[pair]);
        }
        par::sort::<4>(bytemuck::cast_slice_mut(events.ended.as_mut_slice()));
        par::sort::<4>(bytemuck::cast_slice_mut(&mut events.now_resting));
    }

    /// Lists the cached pairs of the renewed proxies as pairs that begin, if neither proxy was searched for: such a pair
    /// is as it was.
    fn begin_renewed(&mut self, active: &ActiveProxies, state: &BroadphaseState) {
        let is_searched = |slot: u32| active.positions[slot as usize] != NONE;
        let renewed = state.renewed.iter().map(|id| id.index());
        for slot in renewed.filter(|&slot| !is_searched(slot)) {
            for &Partner { slot: other, first } in state.touching.rows().row(slot as usize) {
                // A pair of two renewed proxies is listed once.
                let listed = other < slot && state.slots.is_forgotten(other);
                if !is_searched(other) && !listed {
                    self.begun.push([slot.min(other), slot.max(other), first.to_bits()]);
                }
            }
        }
    }

    /// Compares the partners found for one proxy, which are `found`, with its row. Appends the partners that persist to
    /// the new row, and lists those that are new.
    fn compare_one(
        &mut self,
        active: &ActiveProxies,
        state: &BroadphaseState,
        slot: u32,
        found: Range<usize>,
        events: &mut Events,
    ) {
        let (rows, positions) = (state.touching.rows(), &active.positions);
        let is_reused = |slot: u32| state.slots.is_reused(slot);
        let row = rows.row(slot as usize);
        let reused = !row.is_empty() && is_reused(slot);
        let Self { partners, marks, new, new_rows, edits, .. } = self;
        let found = &partners[found];
        for (k, partner) in (1..).zip(found) {
            marks[partner.slot as usize] = k;
        }
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
    }

    /// Keeps the new partners of a proxy that the caller accepts, in order, and lists the pairs that begin.
    fn begin(
        &mut self,
        (active, at): (&ActiveProxies, usize),
        state: &BroadphaseState,
        accept: Option<AcceptPair<'_>>,
        slot: u32,
    ) {
        let Self { new, edits, begun, rejected, count_rejected, dirty_found, .. } = self;
        let ActiveProxies { positions, changed, .. } = active;
        par::sort::<2>(bytemuck::cast_slice_mut(new));
        new.retain(|&Partner { slot: other, first }| {
            let [a, b] = if slot < other { [slot, other] } else { [other, slot] };
            let position = positions[other as usize];
            if position != NONE && other < slot {
                // The pair was accepted or rejected when the row of the other proxy was compared.
                return rejected.binary_search(&[a, b]).is_err();
            }
            let id = |slot: u32| state.slots.id(slot as usize);
            let pair = ProxyPair { a: id(a), b: id(b) };
            let is_forgotten = state.slots.is_forgotten(a) || state.slots.is_forgotten(b);
            if let Ok(dirty) = state.dirty_pairs.binary_search(&pair)
                && !is_forgotten
            {
                dirty_found[dirty] = true;
            } else if let Some(accept) = accept
                && !((changed[at] || position != NONE && changed[position as usize])
                    && accept(pair))
            {
                *count_rejected += 1;
                if position != NONE {
                    rejected.push([a, b]);
                }
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

    /// Stores the new rows and applies the edits.
    pub(crate) fn apply(&mut self, rows: &mut PairRows) {
        let mut start = 0;
        for (&[slot, _], &end) in self.order.iter().zip(&self.ends) {
            rows.replace(slot as usize, &self.new_rows[start..end as usize]);
            start = end as usize;
        }
        let (mut applied, mut shifted) = (0, 0);
        while applied < self.edits.len() && shifted <= SHIFTED_MAX {
            shifted += self.edits[applied].apply(rows);
            applied += 1;
        }
        let left = &mut self.edits[applied..];
        par::sort_rare(left, |edit| (edit.slot, edit.partner.slot, edit.kind));
        for edits in left.chunk_by(|one, next| one.slot == next.slot) {
            match edits {
                [edit] => _ = edit.apply(rows),
                _ => merge_edits(edits, rows, &mut self.new),
            }
        }
        rows.count();
    }
}

/// Merges edits of one row, in order, with the row. `merged` is scratch memory.
fn merge_edits(edits: &[RowEdit], rows: &mut PairRows, merged: &mut Vec<Partner>) {
    let slot = edits[0].slot as usize;
    let mut rest = rows.row(slot);
    merged.clear();
    reserve_for(merged, rest.len() + edits.len());
    for &RowEdit { partner, kind, .. } in edits {
        let (before, others) =
            rest.split_at(rest.partition_point(|other| other.slot < partner.slot));
        merged.extend_from_slice(before);
        rest = if kind == RowEditKind::Insert { others } else { &others[1..] };
        if kind != RowEditKind::Remove {
            merged.push(partner);
        }
    }
    merged.extend_from_slice(rest);
    rows.replace(slot, merged);
}

impl RowEdit {
    /// Changes the row. Returns the number of partners that are shifted.
    fn apply(self, rows: &mut PairRows) -> usize {
        let Self { slot, partner, kind } = self;
        match kind {
            RowEditKind::Insert => rows.insert(slot as usize, partner),
            RowEditKind::Remove => rows.remove(slot as usize, partner.slot),
            RowEditKind::SetFirst => {
                rows.set_first(slot as usize, partner);
                0
            }
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
    let is_forgotten = |id: ProxyId| state.slots.is_forgotten(id.index());
    if is_forgotten(pair.a) || is_forgotten(pair.b) {
        return;
    }
    if state.rests_and_touches(pair) {
        events.now_resting.push(pair);
    } else {
        events.ended.append(&[pair]);
    }
}

#[cfg(test)]
mod tests {
    use crate::broadphase::proxies::pair_cache::store::PairView;
    use crate::broadphase::proxies::{Broadphase, Changes, Proxy, ProxyId, ProxyKind};
    use crate::columns::Memory as _;
    use crate::geom::Aabb;
    use alloc::vec::Vec;

    const ROW: usize = 4000;

    fn cube(k: usize) -> Aabb {
        let min = [2.0 * k as f32, 1.0, 0.0];
        Aabb { min, max: min.map(|x| x + 1.0) }
    }

    /// The pairs that begin, those that end, and the number of touching pairs.
    fn events(changes: &Changes<'_>) -> ([Vec<(u32, u32)>; 2], usize) {
        let begun = changes.begun().iter().map(|pair| (pair.a.index(), pair.b.index()));
        let ended = changes.ended().iter().map(|pair| (pair.a.index(), pair.b.index()));
        ([begun.collect(), ended.collect()], changes.touching().len())
    }

    /// Goal: many events of one proxy with many partners cost time for its row and the events, and not the product of both, and
    /// have the results of a search for all pairs. Method: boxes that are at rest on a fixed one, so that its row has all of them.
    /// In one tick, of every 24 boxes four are removed, four fall asleep, one wakes and one lands, and others are inserted into
    /// slots of removed ones. A box at the end moves in every tick. The written partners are counted.
    #[test]
    fn many_events_of_one_long_row_are_merged_with_it() {
        let ground = Aabb { min: [-1.0; 3], max: [2.0 * ROW as f32, 1.0, 1.0] };
        let (mut worlds, mut ids) = ([(); 2].map(|()| Broadphase::new()), Vec::new());
        for world in &mut worlds {
            world.insert(ground, Proxy::fixed()).expect("a valid box");
            ids = (0..ROW)
                .map(|k| {
                    let proxy = if k % 6 == 2 { Proxy::sleeping() } else { Proxy::dynamic() };
                    let aabb = if k % 6 == 3 { cube(k + 2 * ROW) } else { cube(k) };
                    world.insert(aabb, proxy).expect("a valid box")
                })
                .collect::<Vec<ProxyId>>();
        }
        for tick in 0..8 {
            for world in &mut worlds {
                for (k, &id) in ids.iter().enumerate().filter(|_| tick == 5) {
                    match k % 6 {
                        0 => world.remove(id),
                        1 => world.set_kind(id, ProxyKind::Sleeping),
                        2 if k % 8 == 0 => world.set_kind(id, ProxyKind::Dynamic),
                        3 if k % 8 == 1 => world.set(id, cube(k), [0.0; 3]),
                        _ => Ok(()),
                    }
                    .expect("the proxy exists");
                }
                for k in 0..if tick == 5 { ROW / 36 } else { 0 } {
                    world.insert(cube(6 * k), Proxy::dynamic()).expect("a valid box");
                }
                let delta = [0.0, 0.5 - tick as f32 / 16.0, 0.0];
                world.set(ids[ROW - 1], cube(ROW - 1), delta).expect("the proxy exists");
            }
            let [world, full] = &mut worlds;
            let written = |world: &Broadphase| match world.state.touching.view() {
                PairView::Rows(rows) => rows.written,
                PairView::Table(_) => 0,
            };
            let before = written(world);
            let found = events(&world.update().expect("no limit"));
            let expected = events(&full.update_with(|_| true).expect("no limit"));
            assert!(found == expected, "tick {tick}");
            assert!(world.pairs() == full.pairs(), "tick {tick}");
            world.validate().expect("no invariant is violated");
            if tick == 5 {
                let [begun, ended] = found.0.map(|pairs| pairs.len());
                assert!(before > 0 && begun > 400 && ended > 600, "{begun} {ended}");
                let most = super::SHIFTED_MAX + 8 * ROW;
                assert!((ROW..=most).contains(&(written(world) - before)));
            }
        }
    }

    /// Goal: the memory of rows depends on the pairs of the last ticks, and is used again, if other proxies have many partners in each
    /// tick. Method: boxes in a row that touch their neighbours; in each tick another one covers all, in one update that searches for
    /// few. At last nothing touches. The pairs are compared with those of a search for all.
    #[test]
    fn rows_that_were_long_by_turns_free_their_memory() {
        const COUNT: usize = 1000;
        let touching =
            |k: usize| Aabb { min: [k as f32, 0.0, 0.0], max: [k as f32 + 1.0, 1.0, 1.0] };
        let all = Aabb { min: [0.0; 3], max: [COUNT as f32, 1.0, 1.0] };
        let mut world = Broadphase::new();
        let ids: Vec<ProxyId> = (0..COUNT)
            .map(|k| world.insert(touching(k), Proxy::dynamic()).expect("a valid box"))
            .collect();
        for _ in 0..3 {
            world.update().expect("no limit");
        }
        let bytes = |world: &Broadphase| match world.state.touching.view() {
            PairView::Rows(rows) => rows.bytes(),
            PairView::Table(_) => 0,
        };
        let mut bytes_at = Vec::new();
        for tick in 1..COUNT {
            world.set(ids[tick - 1], touching(tick - 1), [0.0; 3]).expect("the proxy exists");
            world.set(ids[tick], all, [0.0; 3]).expect("the proxy exists");
            let count = world.update().expect("no limit").touching().len();
            // All others touch it, and those touch each other that are not next to it.
            assert_eq!(count, COUNT - 1 + COUNT - 3 + usize::from(tick == COUNT - 1));
            bytes_at.push(bytes(&world));
            if tick % 100 == 50 {
                let mut full = world.clone();
                full.update_with(|_| true).expect("no limit");
                assert!(world.changes().touching().iter().eq(full.changes().touching()));
                world.validate().expect("no invariant is violated");
            }
        }
        let least = 4 * COUNT * size_of::<super::Partner>();
        assert!(bytes_at[10] > least, "{bytes_at:?}");
        assert!(bytes_at[COUNT - 2] < 100 * COUNT * size_of::<super::Partner>(), "{bytes_at:?}");
        assert_eq!(bytes_at[COUNT / 2], bytes_at[COUNT - 2]);

        for (k, &id) in ids.iter().enumerate() {
            world.set(id, cube(k), [0.0; 3]).expect("the proxy exists");
            if k % 100 == 99 {
                world.update().expect("no limit");
            }
        }
        assert!(world.changes().touching().is_empty());
        world.validate().expect("no invariant is violated");
    }
}
