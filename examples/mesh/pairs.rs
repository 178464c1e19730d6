//! Finds the pairs of elements that may touch, and measures the time.
//!
//! The clock covers the work from boxes to pairs that share no vertex. Elements that share a vertex always
//! touch; they are found like any other pair and then dropped by comparing their vertices.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use swath::broadphase::FindError;
use swath::{Level, Pair, PairFinder, Pairs};

use super::Stop;
use super::elements::Elements;
use examples::limits::pairs_max;
use examples::progress::bar;
use indicatif::ProgressBar;

/// Both kinds of pairs.
pub(crate) struct Kinds {
    pub(crate) vertex_face: Kind,
    pub(crate) edge_edge: Kind,
}

/// One kind of pairs.
#[derive(Default)]
pub(crate) struct Kind {
    /// Pairs of element numbers, sorted.
    pub(crate) pairs: Vec<Pair>,
    /// Number of boxes in the search.
    pub(crate) boxes: usize,
    /// Number of pairs that share a vertex.
    pub(crate) dropped: usize,
    /// Times of finding all pairs and of dropping those that share a vertex, one of each for a run.
    pub(crate) finding: Vec<Duration>,
    pub(crate) dropping: Vec<Duration>,
}

/// Finds the pairs `ticks` times on the threads of the current pool, after one run to warm up. `quiet` hides the progress.
pub(crate) fn find(
    elements: &Elements,
    level: Level,
    ticks: u32,
    quiet: bool,
) -> Result<Kinds, Stop> {
    let bar = &bar("both kinds of pairs", ticks.saturating_mul(2), quiet);
    let [edge, face] = elements.borders();
    let vertex_boxes = elements.boxes(0..edge)?;
    let edge_boxes = elements.boxes(edge..face)?;
    let face_boxes = elements.boxes(face..elements.len())?;
    let finder = &mut PairFinder::with_exec(level);
    finder.exec.pairs_max = pairs_max(elements.len());

    let mut vertex_face = Kind::of(
        (finder, ticks, bar),
        |finder| finder.union_pairs_between(vertex_boxes, face_boxes),
        |pair| {
            let [p, q, r] = elements.faces[pair.b as usize];
            (p != pair.a) & (q != pair.a) & (r != pair.a)
        },
    )?;
    vertex_face.boxes = vertex_boxes.len() + face_boxes.len();
    vertex_face.number_from([0, face]);

    let mut edge_edge = Kind::of(
        (finder, ticks, bar),
        |finder| finder.union_pairs(edge_boxes),
        |pair| {
            let [[p, q], [r, s]] = [pair.a, pair.b].map(|row| elements.edges[row as usize]);
            (p != r) & (p != s) & (q != r) & (q != s)
        },
    )?;
    edge_edge.boxes = edge_boxes.len();
    edge_edge.number_from([edge, edge]);
    Ok(Kinds { vertex_face, edge_edge })
}

impl Kind {
    /// The pairs that `ask` finds and that share no vertex, according to `apart`.
    fn of(
        (finder, ticks, bar): (&mut PairFinder, u32, &ProgressBar),
        ask: impl for<'f> Fn(&'f mut PairFinder) -> Result<Pairs<'f, Pair>, FindError>,
        apart: impl Fn(&Pair) -> bool + Sync,
    ) -> Result<Self, FindError> {
        let mut kind = Self::default();
        // One list for each run of the finder, so that each thread writes a list of its own.
        let mut kept: Vec<Vec<Pair>> = Vec::new();
        for tick in 0..=ticks {
            let clock = Instant::now();
            let found = ask(finder)?;
            let finding = clock.elapsed();
            let chunks: Vec<&[Pair]> = found.chunks().collect();
            kept.resize_with(chunks.len(), Vec::new);
            kept.par_iter_mut().zip(&chunks).for_each(|(kept, chunk)| {
                // Branch-free, because whether a pair shares a vertex is unpredictable.
                kept.resize(chunk.len(), Pair::default());
                let mut count = 0;
                for pair in *chunk {
                    kept[count] = *pair;
                    count += usize::from(apart(pair));
                }
                kept.truncate(count);
            });
            let dropping = clock.elapsed() - finding;
            kind.dropped = found.len() - kept.iter().map(Vec::len).sum::<usize>();
            if tick > 0 {
                kind.finding.push(finding);
                kind.dropping.push(dropping);
                bar.inc(1);
            }
        }
        kind.pairs = kept.concat();
        kind.pairs.par_sort_unstable();
        Ok(kind)
    }

    /// Replaces rows by element numbers; the order does not change.
    fn number_from(&mut self, [a, b]: [usize; 2]) {
        for pair in &mut self.pairs {
            // The finder accepts fewer boxes than fit a `u32`.
            *pair = Pair { a: pair.a + a as u32, b: pair.b + b as u32 };
        }
    }
}
