//! First times of contact of convex shapes and of bodies with parts, within the window of their bounds.
//!
//! A body without a shape takes part as a cuboid. The window of a pair starts at the first time of
//! contact of its bounds. If that is the start of the tick, the policy decides whether a contact
//! there counts. If it is later, the bodies cannot have touched before, so a distance within the
//! tolerance at the start of the window is a new contact, or nearly one. It is always reported:
//! although the nearest points may be separating, other points may be about to meet.

use super::context::{ShapeTest, TickContext};
use crate::columns::{Memory, bytes_of_all};
use crate::geom::{MapEach, Motion, lengthen_by_default};
use crate::meshes::toi::PartToi;
use crate::meshes::{self, Geometry};
use crate::narrowphase::toi::{self, Settings, Touch};
use crate::par::{self, Threads};
use crate::pipeline::config::PartImpacts;
use alloc::vec::Vec;

/// Pairs of one task.
const CHUNK: usize = 64;
/// How many pairs ahead the data of bodies are prefetched.
const AHEAD: usize = 4;

/// Memory that lists keep, as a multiple of the most times of parts in a tick. Lists that grow from nothing take at most 4 times as much.
const KEPT_MAX: usize = 8;

/// The times of the parts of each test.
#[derive(Debug, Default)]
pub(crate) struct PartLists {
    lists: Vec<Vec<PartToi>>,
    /// The most times in a tick so far.
    most: usize,
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

    /// Frees memory that is not used in this tick if the lists have much more than any tick has needed: a pair with many contacts
    /// may be another test in each tick.
    fn limit_memory(&mut self) {
        let needed = self.lists.iter().map(Vec::len).sum();
        self.most = self.most.max(needed);
        let kept: usize = self.lists.iter().map(Vec::capacity).sum();
        if kept > KEPT_MAX * self.most {
            self.lists.iter_mut().for_each(Vec::shrink_to_fit);
        }
    }
}

/// Computes the time of impact of each pair. With [`PartImpacts::Each`], `parts` are the times of the parts of each pair
/// with a body that has parts; otherwise nothing.
pub(crate) fn fill(
    context: &TickContext<'_, '_>,
    tests: &[ShapeTest],
    threads: &Threads,
    out: &mut Vec<PartToi>,
    parts: &mut PartLists,
) {
    out.clear();
    out.resize(tests.len(), PartToi::default());
    parts.lists.iter_mut().for_each(Vec::clear);
    if context.config.part_impacts == PartImpacts::Each {
        // The lists keep their memory from tick to tick.
        lengthen_by_default(&mut parts.lists, tests.len());
        par::fill_chunks(threads, &mut parts.lists[..tests.len()], CHUNK, &|start, parts| {
            for (at, parts) in (start..).zip(parts) {
                context.each_part(&tests[at], parts);
            }
        });
        parts.limit_memory();
    }
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        for (at, out) in (start..).zip(out) {
            if let Some(test) = tests.get(at + 2 * AHEAD) {
                context.bounds.prefetch_index(test.pair.a);
                context.bounds.prefetch_index(test.pair.b);
            }
            if let Some(test) = tests.get(at + AHEAD) {
                context.prefetch_body(test.pair.a);
                context.prefetch_body(test.pair.b);
            }
            *out = context.toi(&tests[at]);
        }
    });
}

impl TickContext<'_, '_> {
    /// The settings of the search for a pair.
    fn settings(&self, test: &ShapeTest) -> Settings {
        let touch = self.touch(test.sensor);
        let touch = if test.window[0] > 0.0 { Touch::Hit } else { touch };
        Settings { window: test.window, touch, ..self.config.settings() }
    }

    /// Computes the time of impact of a pair.
    pub(crate) fn toi(&self, test: &ShapeTest) -> PartToi {
        let settings = self.settings(test);
        let Some([a, b]) = self.with_parts(test) else {
            let rows = [test.pair.a, test.pair.b];
            let [a, b] = rows.map_each(|row| self.body(row));
            let toi = toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings);
            return PartToi { toi, parts: [0, 0], tests: 1 };
        };
        meshes::toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings)
    }

    /// Computes the times of impact of all parts of a pair, if one of its bodies has parts.
    fn each_part(&self, test: &ShapeTest, parts: &mut Vec<PartToi>) {
        if let Some([a, b]) = self.with_parts(test) {
            let settings = self.settings(test);
            meshes::toi::each_of_valid((&a.0, &a.1), (&b.0, &b.1), &settings, parts);
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
