//! First times of contact of convex shapes and of bodies with parts, within the window of their bounds.
//!
//! A body without a shape takes part as a cuboid. The window of a pair starts at the first time of
//! contact of its bounds. If that is the start of the tick, the policy decides whether a contact
//! there counts. If it is later, the bodies cannot have touched before, so a distance within the
//! tolerance at the start of the window is a new contact, or nearly one. It is always reported:
//! although the nearest points may be separating, other points may be about to meet.

use super::context::{ShapeTest, TickContext};
use super::unused::{PlacesNeeded, few_kept, truncate_lists};
use crate::broadphase::pairs::runs::RecentMax;
use crate::columns::{Memory, bytes_of_all};
use crate::geom::{MapEach, Motion, lengthen_by_default};
use crate::meshes::toi::PartToi;
use crate::meshes::{self, Geometry, SearchMemory};
use crate::narrowphase::toi::{self, Settings, Touch};
use crate::par::{self, Threads};
use crate::pipeline::config::PartImpacts;
use alloc::vec::Vec;

/// Pairs of one task.
const CHUNK: usize = 64;
/// How many pairs ahead the data of bodies are prefetched.
const AHEAD: usize = 4;

/// The times of the parts of each test.
#[derive(Debug, Default)]
pub(crate) struct PartLists {
    lists: Vec<Vec<PartToi>>,
    /// How many tests the last ticks had, and how many times of parts.
    tests: RecentMax,
    times: RecentMax,
}

impl Memory for PartLists {
    fn bytes(&self) -> usize {
        self.lists.bytes() + bytes_of_all(&self.lists)
    }
}

impl PartLists {
    /// Returns the times of the parts of a test; nothing if its bodies have no parts.
    pub(crate) fn of(&self, test: usize) -> &[PartToi] {
        self.lists.get(test).map_or(&[], Vec::as_slice)
    }

    /// Clears the lists, and makes one for each of this many tests. Frees lists if there are many times as many as the last ticks needed.
    fn start(&mut self, tests: usize) -> &mut [Vec<PartToi>] {
        let most = self.tests.record(tests);
        truncate_lists(&mut self.lists, most);
        self.lists.iter_mut().for_each(Vec::clear);
        lengthen_by_default(&mut self.lists, tests);
        &mut self.lists[..tests]
    }

    /// Frees memory that is not used in this tick if the lists have many times what the last ticks needed: a pair with many contacts
    /// may be another test in each tick.
    fn limit_memory(&mut self) {
        let most = self.times.record(self.lists.iter().map(Vec::len).sum());
        let kept: usize = self.lists.iter().map(Vec::capacity).sum();
        if kept > few_kept(most) {
            self.lists.iter_mut().for_each(Vec::shrink_to_fit);
        }
    }
}

/// Memory of the workers for searches of bodies with parts.
#[derive(Debug, Default)]
pub(crate) struct SearchWorkers {
    workers: Vec<SearchMemory>,
    needed: PlacesNeeded,
}

impl Memory for SearchWorkers {
    fn bytes(&self) -> usize {
        self.workers.bytes() + bytes_of_all(&self.workers)
    }
}

impl SearchWorkers {
    /// Returns the memory of each worker.
    fn start(&mut self, threads: &Threads) -> &mut [SearchMemory] {
        let count = threads.workers();
        self.workers.truncate(count);
        lengthen_by_default(&mut self.workers, count);
        &mut self.workers
    }

    /// Frees memory of lists that have many times what the last ticks needed.
    fn limit_memory(&mut self) {
        let most = self.workers.iter_mut().map(SearchMemory::take_needed).max();
        let most = self.needed.record(most.unwrap_or(0));
        self.workers.iter_mut().for_each(|worker| worker.limit(most));
    }
}

/// Computes the time of impact of each pair. With [`PartImpacts::Each`], `parts` are the times of the parts of each pair
/// with a body that has parts; otherwise nothing.
pub(crate) fn fill(
    context: &TickContext<'_, '_>,
    tests: &[ShapeTest],
    threads: &Threads,
    (out, parts): (&mut Vec<PartToi>, &mut PartLists),
    searches: &mut SearchWorkers,
) {
    out.clear();
    out.resize(tests.len(), PartToi::default());
    let with_lists = if context.config.part_impacts == PartImpacts::Each { tests.len() } else { 0 };
    // The lists keep their memory from tick to tick.
    let workers = searches.start(threads);
    let lists = (parts.start(with_lists), CHUNK);
    par::for_each_in_chunks(threads, workers, lists, &|memory, at, parts| {
        context.each_part(&tests[at], parts, memory);
    });
    parts.limit_memory();
    par::for_each_in_chunks(threads, workers, (out, CHUNK), &|memory, at, out| {
        if let Some(test) = tests.get(at + 2 * AHEAD) {
            context.bounds.prefetch_index(test.pair.a);
            context.bounds.prefetch_index(test.pair.b);
        }
        if let Some(test) = tests.get(at + AHEAD) {
            context.prefetch_body(test.pair.a);
            context.prefetch_body(test.pair.b);
        }
        *out = context.toi(&tests[at], memory);
    });
    searches.limit_memory();
}

impl TickContext<'_, '_> {
    /// The settings of the search for a pair.
    fn settings(&self, test: &ShapeTest) -> Settings {
        let touch = self.touch(test.sensor);
        let touch = if test.window[0] > 0.0 { Touch::Hit } else { touch };
        Settings { window: test.window, touch, ..self.config.settings() }
    }

    /// Computes the time of impact of a pair.
    pub(crate) fn toi(&self, test: &ShapeTest, memory: &mut SearchMemory) -> PartToi {
        let settings = self.settings(test);
        let Some([a, b]) = self.with_parts(test) else {
            let rows = [test.pair.a, test.pair.b];
            let [a, b] = rows.map_each(|row| self.body(row));
            let toi = toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings);
            return PartToi { toi, parts: [0, 0], tests: 1 };
        };
        meshes::toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings, memory)
    }

    /// Computes the times of impact of all parts of a pair, if one of its bodies has parts.
    fn each_part(&self, test: &ShapeTest, parts: &mut Vec<PartToi>, memory: &mut SearchMemory) {
        if let Some([a, b]) = self.with_parts(test) {
            let settings = self.settings(test);
            meshes::toi::each_of_valid((&a.0, &a.1), (&b.0, &b.1), &settings, parts, memory);
        }
    }

    /// The geometries and the motions of a pair; `None` if both are convex.
    fn with_parts(&self, test: &ShapeTest) -> Option<[(Geometry<'_>, Motion); 2]> {
        let rows = [test.pair.a, test.pair.b];
        let parts = rows.map_each(|row| self.geometry(row));
        if let [None, None] = parts {
            return None;
        }
        Some([(rows[0], parts[0]), (rows[1], parts[1])].map_each(|(row, body)| match body {
            Some(body) => (body.geometry, body.motion),
            None => {
                let (shape, motion) = self.body(row);
                (Geometry::from(shape), motion)
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: lists and their memory are in proportion to what the last ticks needed, and ticks that are alike allocate nothing. Method: a tick
    /// with many tests and times, then some with few, in another list each time; the memory, and what a tick after a pause keeps.
    #[test]
    fn lists_of_parts_are_as_many_as_the_last_ticks_needed() {
        let mut lists = PartLists::default();
        let mut tick = |tests: usize, busy: usize, times: usize| {
            let of_tests = lists.start(tests);
            assert!(of_tests.len() == tests && of_tests.iter().all(Vec::is_empty));
            if let Some(list) = of_tests.get_mut(busy) {
                list.resize(times, PartToi::default());
            }
            lists.limit_memory();
            assert_eq!(lists.of(busy).len(), if busy < tests { times } else { 0 });
            lists.bytes()
        };
        let large = tick(100_000, 70_000, 10_000);
        // A few ticks do not free what may be needed soon.
        for _ in 0..10 {
            assert!(tick(10, 3, 20) >= large);
        }
        for _ in 0..32 {
            tick(10, 3, 20);
        }
        let few = tick(10, 3, 20);
        assert!(few < 200 * size_of::<PartToi>(), "{few} of {large}");
        for tests in [10, 9, 10] {
            assert_eq!(tick(tests, 3, 20), few);
        }
    }
}
