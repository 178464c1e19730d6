//! First times of contact of convex shapes and of bodies with parts, within the window of their bounds.
//!
//! A body without a shape takes part as a cuboid. The window of a pair starts at the first time of
//! contact of its bounds. If that is the start of the tick, the policy decides whether a contact
//! there counts. If it is later, the bodies cannot have touched before, so a distance within the
//! tolerance at the start of the window is a new contact, or nearly one. It is always reported:
//! although the nearest points may be separating, other points may be about to meet.

use super::context::{ShapeTest, TickContext};
use crate::geom::MapEach;
use crate::meshes::toi::PartToi;
use crate::meshes::{self, Geometry};
use crate::narrowphase::toi::{self, Settings, Touch};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Pairs of one task.
const CHUNK: usize = 64;
/// How many pairs ahead the data of bodies are prefetched.
const AHEAD: usize = 4;

/// Computes the time of impact of each pair.
pub(crate) fn fill(
    context: &TickContext<'_, '_>,
    tests: &[ShapeTest],
    threads: &Threads,
    out: &mut Vec<PartToi>,
) {
    out.clear();
    out.resize(tests.len(), PartToi::default());
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
    /// Computes the time of impact of a pair.
    pub(crate) fn toi(&self, test: &ShapeTest) -> PartToi {
        let touch = self.touch(test.sensor);
        let touch = if test.window[0] > 0.0 { Touch::Hit } else { touch };
        let settings = Settings { window: test.window, touch, ..self.config.settings() };
        let rows = [test.pair.a, test.pair.b];
        let parts = rows.map_each(|row| self.geometry(row));
        if let [None, None] = parts {
            let [a, b] = rows.map_each(|row| self.body(row));
            let toi = toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings);
            return PartToi { toi, parts: [0, 0], tests: 1 };
        }
        let [a, b] =
            [(rows[0], parts[0]), (rows[1], parts[1])].map_each(|(row, body)| match body {
                Some(body) => (body.geometry, body.motion),
                None => {
                    let (shape, motion) = self.body(row);
                    (Geometry::from(shape), motion)
                }
            });
        meshes::toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings)
    }
}
