//! Reading the cached pairs: all of them, those of one proxy, or one of them.

use super::Broadphase;
use super::id::{ProxyId, ProxyPair};
use super::pair_cache::PairColumns;
use super::pair_cache::store::PairView;
use super::pair_cache::touching::Touching;
use super::state::BroadphaseState;
use crate::par;

impl BroadphaseState {
    /// Whether a pair touched in the last update, or rests and neither proxy has changed since.
    pub(crate) fn has_touching_or_resting(&self, pair: ProxyPair) -> bool {
        let ProxyPair { a, b } = pair;
        let generations = self.slots.generations_of_cached();
        let is_cached =
            |id: ProxyId| generations.get(id.index() as usize) == Some(&id.generation());
        let touches = || match self.touching.view() {
            PairView::Rows(rows) => rows.get(a.index() as usize, b.index()).is_some(),
            PairView::Table(pairs) => {
                let at = pairs.before([a.index(), b.index()]);
                (pairs.a.get(at), pairs.b.get(at)) == (Some(&a.index()), Some(&b.index()))
            }
        };
        a.index() < b.index()
            && (is_cached(a) && is_cached(b) && touches() || self.resting.contains(pair))
    }
}

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

    /// Whether the last update cached the pair of these proxies, given in any order; resting pairs count. The pairs of a removed proxy
    /// are cached until the next update.
    ///
    /// The time is logarithmic in the number of pairs, and linear in the resting pairs of the proxy that has fewer of them,
    /// and in all resting pairs of which a proxy has changed since the last update.
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
        let pair = ProxyPair::new(a, b);
        self.state.has_touching_or_resting(pair) || self.state.dirty_pairs.contains(&pair)
    }

    /// The pairs of one proxy that the last update cached, including resting ones, ordered by index. Empty if the id is
    /// stale.
    ///
    /// After an update that found all pairs anew, the first call takes about 5 ns for each cached pair. Otherwise the
    /// time depends on the pairs of the proxy, and on all resting pairs of which a proxy has changed since the last update.
    #[must_use]
    pub fn pairs_of(&mut self, id: ProxyId) -> &[ProxyPair] {
        let Self { state, sorted, .. } = self;
        sorted.clear();
        let Some(index) = state.slots.find(id) else { return sorted };
        let slots = state.slots.all.len();
        let generations = state.slots.generations_of_cached();
        if generations.get(index) == Some(&id.generation()) {
            let cached_id = |slot: u32| ProxyId::new(slot, generations[slot as usize]);
            let row = state.touching.convert_to_rows(slots).row(index);
            sorted.extend(row.iter().map(|partner| ProxyPair::new(id, cached_id(partner.slot))));
        }
        sorted.extend(state.resting.pairs_of(index));
        let dirty = state.dirty_pairs.iter().filter(|pair| pair.a == id || pair.b == id);
        sorted.extend(dirty.copied());
        par::sort::<4>(bytemuck::cast_slice_mut(sorted));
        sorted
    }
}
