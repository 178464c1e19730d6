//! Finds the pairs of elements that may touch, a batch at a time, and measures the time.
//!
//! The clock covers the work from boxes to pairs that share no vertex. Elements that share a vertex always
//! touch; they are found like any other pair and then dropped by comparing their vertices.
//!
//! A batch contains the pairs of a *tile*: of some rows of the first set of boxes with some rows of the second. At first all rows are
//! one tile. A tile with more pairs than a batch may have is divided into smaller ones, so the memory for pairs is bounded.

use std::ops::Range;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use swath::broadphase::FindError;
use swath::{Exec, Level, Pair, PairFinder, Pairs};

use super::Stop;
use super::elements::Elements;

/// The two kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PairKind {
    VertexFace,
    EdgeEdge,
}

/// Rows of the boxes of two sets. If both are the same rows of one set, each pair counts once.
type Tile = [Range<usize>; 2];

/// What was measured for one kind of pairs.
#[derive(Default)]
pub(crate) struct KindFigures {
    /// Number of pairs that share no vertex.
    pub(crate) pairs: usize,
    /// Number of boxes in the search.
    pub(crate) boxes: usize,
    /// Number of pairs that share a vertex.
    pub(crate) dropped: usize,
    /// Number of batches.
    pub(crate) batches: usize,
    /// Times of finding all pairs and of dropping those that share a vertex, one of each for a run.
    pub(crate) finding: Vec<Duration>,
    pub(crate) dropping: Vec<Duration>,
}

/// Finds the pairs of one kind, again in each run.
pub(crate) struct Finder<'a> {
    elements: &'a Elements,
    kind: PairKind,
    finder: PairFinder,
    tiles: Vec<Tile>,
    /// The pairs of each run of the finder that share no vertex, so that each thread writes a list of its own.
    kept: Vec<Vec<Pair>>,
    /// Pairs of element numbers of one batch.
    batch: Vec<Pair>,
    pub(crate) figures: KindFigures,
}

impl<'a> Finder<'a> {
    /// Creates a finder that keeps at most `batch_max` pairs at a time.
    pub(crate) fn new(
        elements: &'a Elements,
        kind: PairKind,
        level: Level,
        batch_max: usize,
    ) -> Self {
        let [edge, face] = elements.borders();
        let (tile, boxes) = match kind {
            PairKind::VertexFace => ([0..edge, face..elements.len()], edge + elements.faces.len()),
            PairKind::EdgeEdge => ([edge..face, edge..face], face - edge),
        };
        Self {
            elements,
            kind,
            finder: PairFinder::with_exec(Exec { level, pairs_max: batch_max, ..Exec::default() }),
            tiles: vec![tile],
            kept: Vec::new(),
            batch: Vec::new(),
            figures: KindFigures { boxes, ..KindFigures::default() },
        }
    }

    /// Finds all pairs on the threads of the current pool, and calls `take` with each batch, whose order is arbitrary. The time is
    /// recorded if the run is `timed`.
    pub(crate) fn run(
        &mut self,
        timed: bool,
        mut take: impl FnMut(&mut [Pair]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (mut finding, mut dropping) = (Duration::ZERO, Duration::ZERO);
        (self.figures.pairs, self.figures.dropped) = (0, 0);
        let mut next = 0;
        while let Some(tile) = self.tiles.get(next).cloned() {
            match self.find(&tile) {
                Ok([to_find, to_drop]) => {
                    finding += to_find;
                    dropping += to_drop;
                    take(&mut self.batch)?;
                    next += 1;
                }
                Err(Stop::Find(FindError::TooManyPairs { found, most })) => {
                    self.tiles.splice(next..=next, divide(&tile, found.div_ceil(most.max(1))));
                }
                Err(stop) => return Err(stop),
            }
        }
        self.figures.batches = self.tiles.len();
        if timed {
            self.figures.finding.push(finding);
            self.figures.dropping.push(dropping);
        }
        Ok(())
    }

    /// Writes the pairs of a tile to the batch, and measures the times of finding them and of dropping those that share a vertex.
    fn find(&mut self, tile: &Tile) -> Result<[Duration; 2], Stop> {
        let Self { elements, kind, finder, kept, batch, figures, .. } = self;
        let [a, b] = tile.each_ref().map(|rows| elements.boxes(rows.clone()));
        let (a, b) = (a?, b?);
        let clock = Instant::now();
        let found = if tile[0] == tile[1] {
            finder.union_pairs(a)
        } else {
            finder.union_pairs_between(a, b)
        };
        let found = found?;
        let finding = clock.elapsed();
        let [edge, face] = elements.borders();
        match kind {
            PairKind::VertexFace => keep(&found, kept, tile, |pair| {
                let [p, q, r] = elements.faces[pair.b as usize - face];
                (p != pair.a) & (q != pair.a) & (r != pair.a)
            }),
            PairKind::EdgeEdge => keep(&found, kept, tile, |pair| {
                let [[p, q], [r, s]] =
                    [pair.a, pair.b].map(|element| elements.edges[element as usize - edge]);
                (p != r) & (p != s) & (q != r) & (q != s)
            }),
        }
        let dropping = clock.elapsed() - finding;
        batch.clear();
        kept.iter().for_each(|kept| batch.extend_from_slice(kept));
        figures.pairs += batch.len();
        figures.dropped += found.len() - batch.len();
        Ok([finding, dropping])
    }
}

/// Numbers the pairs of a tile by element, and keeps those that share no vertex, according to `apart`.
fn keep(
    found: &Pairs<'_, Pair>,
    kept: &mut Vec<Vec<Pair>>,
    tile: &Tile,
    apart: impl Fn(Pair) -> bool + Sync,
) {
    // The finder accepts fewer boxes than fit a `u32`.
    let [a, b] = tile.each_ref().map(|rows| rows.start as u32);
    let chunks: Vec<&[Pair]> = found.chunks().collect();
    kept.resize_with(chunks.len(), Vec::new);
    kept.par_iter_mut().zip(&chunks).for_each(|(kept, chunk)| {
        // Branch-free, because whether a pair shares a vertex is unpredictable.
        kept.resize(chunk.len(), Pair::default());
        let mut count = 0;
        for pair in *chunk {
            let pair = Pair { a: pair.a + a, b: pair.b + b };
            kept[count] = pair;
            count += usize::from(apart(pair));
        }
        kept.truncate(count);
    });
}

/// Divides a tile with `times` as many pairs as fit a batch. Each set of rows is cut into pieces, at least two if it has two rows.
fn divide(tile: &Tile, times: usize) -> Vec<Tile> {
    let [a, b] = tile.each_ref().map(|rows| cut(rows, times.isqrt() + 1));
    let same = tile[0] == tile[1];
    let after = |first: usize| if same { first } else { 0 };
    let tiles = a
        .iter()
        .enumerate()
        .flat_map(|(first, a)| b.iter().skip(after(first)).map(move |b| [a.clone(), b.clone()]));
    tiles.collect()
}

/// Cuts rows into at most this many pieces, none of them empty.
fn cut(rows: &Range<usize>, pieces: usize) -> Vec<Range<usize>> {
    let length = rows.len().div_ceil(pieces).max(1);
    rows.clone().step_by(length).map(|start| start..(start + length).min(rows.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a divided tile has the same pairs, each once. Method: tiles of one set and of two, of one row and of many.
    #[test]
    fn divided_tiles_have_the_same_pairs() {
        let pairs = |tile: &Tile| -> Vec<[usize; 2]> {
            let [a, b] = tile.clone();
            let same = tile[0] == tile[1];
            a.flat_map(|a| b.clone().map(move |b| [a, b])).filter(|[a, b]| !same || a < b).collect()
        };
        for (a, b) in
            [(3..4, 9..10), (0..1, 5..90), (4..50, 60..61), (0..30, 30..77), (5..45, 5..45)]
        {
            for times in [1, 2, 4, 5, 100, 1 << 40] {
                let tile = [a.clone(), b.clone()];
                let tiles = divide(&tile, times);
                assert!(tiles.len() > 1 || a.len() * b.len() == 1, "{tile:?} {times}");
                let mut all: Vec<[usize; 2]> = tiles.iter().flat_map(&pairs).collect();
                all.sort_unstable();
                assert_eq!(all, pairs(&tile), "{tile:?} {times}");
            }
        }
    }
}
