//! Reading the cached pairs: all of them, those of one proxy, or one of them.

use super::Broadphase;
use super::id::{ProxyId, ProxyPair};
use super::pair_cache::PairColumns;
use super::pair_cache::store::PairView;
use super::pair_cache::touching::Touching;
use crate::par;

impl Broadphase {
    /// The pairs of [`Changes::touching`](super::Changes::touching) of the last update as columns of slots.
    ///
    /// Copies nothing after an update that found all pairs anew; otherwise copies the pairs to memory that is reused.
    #[must_use]
    pub fn touching_columns(&mut self) -> PairColumns<'_> {
        let Self { state, full, events_valid, .. } = self;
        match state.touching.view() {
            _ if !*events_valid => PairColumns::default(),
            PairView::Table(columns) => columns,
            PairView::Rows(rows) => {
                rows.write_to(&mut full.touching);
                full.touching.columns()
            }
        }
    }

    /// All pairs that the last update cached, including resting ones, ordered by index.
    ///
    /// Collects and sorts them, in memory that is reused by the next call.
    #[must_use]
    pub fn pairs(&mut self) -> &[ProxyPair] {
        let Self { state, sorted, exec, .. } = self;
        sorted.clear();
        sorted.reserve(state.touching.len() + state.resting.len() + state.dirty_pairs.len());
        let touching = Touching::new(&state.touching, &state.slots);
        sorted.extend(touching.iter().map(ProxyPair::from));
        sorted.extend(state.resting.iter());
        sorted.extend_from_slice(&state.dirty_pairs);
        // The touching pairs are in order.
        if sorted.len() > state.touching.len() {
            par::sort_parallel::<4>(&exec.threads, bytemuck::cast_slice_mut(sorted));
        }
        sorted
    }

    /// Whether the last update cached the pair of these proxies, given in any order; resting pairs count.
    ///
    /// The time is logarithmic in the number of pairs, or linear in the resting pairs of `a`.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let ids = [0.0, 0.5, 2.0].map(|x| {
    ///     world.insert(Aabb { min: [x, 0.0, 0.0], max: [x + 1.0; 3] }, Proxy::dynamic())
    /// });
    /// let [a, b, c] = [ids[0]?, ids[1]?, ids[2]?];
    /// world.update()?;
    /// assert!(world.contains_pair(a, b) && world.contains_pair(b, a) && !world.contains_pair(a, c));
    /// assert_eq!(world.pairs_of(b), [swath::broadphase::ProxyPair::new(a, b)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains_pair(&self, a: ProxyId, b: ProxyId) -> bool {
        let Self { state, .. } = self;
        let pair = ProxyPair::new(a, b);
        let [lower, upper] = [pair.a, pair.b];
        let generations = state.slots.generations_of_cached();
        let is_cached =
            |id: ProxyId| generations.get(id.index() as usize) == Some(&id.generation());
        let touches = || match state.touching.view() {
            PairView::Rows(rows) => rows.get(lower.index() as usize, upper.index()).is_some(),
            PairView::Table(pairs) => {
                let at = pairs.before([lower.index(), upper.index()]);
                (pairs.a.get(at), pairs.b.get(at)) == (Some(&lower.index()), Some(&upper.index()))
            }
        };
        lower.index() < upper.index()
            && (is_cached(lower) && is_cached(upper) && touches()
                || state.resting.pairs_of(lower.index() as usize).any(|other| other == pair)
                || state.dirty_pairs.contains(&pair))
    }

    /// The pairs of one proxy that the last update cached, including resting ones, ordered by index. Empty if the id is
    /// stale.
    ///
    /// After an update that found all pairs anew, the first call takes about 5 ns for each cached pair. Otherwise the
    /// time depends on the pairs of the proxy.
    #[must_use]
    pub fn pairs_of(&mut self, id: ProxyId) -> &[ProxyPair] {
        let Self { state, sorted, .. } = self;
        sorted.clear();
        let Some(index) = state.slots.find(id) else { return sorted };
        let slots = state.slots.all.len();
        let generations = state.slots.generations_of_cached();
        if generations.get(index) == Some(&id.generation()) {
            let named = |slot: u32| ProxyId::new(slot, generations[slot as usize]);
            let row = state.touching.convert_to_rows(slots).row(index);
            sorted.extend(row.iter().map(|partner| ProxyPair::new(id, named(partner.slot))));
        }
        sorted.extend(state.resting.pairs_of(index));
        let dirty = state.dirty_pairs.iter().filter(|pair| pair.a == id || pair.b == id);
        sorted.extend(dirty.copied());
        par::sort::<4>(bytemuck::cast_slice_mut(sorted));
        sorted
    }
}
