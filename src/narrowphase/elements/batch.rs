//! Searches the pairs of a caller: checks, chunks for threads, blocks for lanes.

use super::contact::ElementToi;
use super::points::MovingPoints;
use super::rounds::Limits;
use super::search::{BLOCK, ElementBlock, End, SearchBlock};
use super::settings::{ElementError, ElementSettings};
use super::simd::ElementPair;
use crate::columns::LengthMismatch;
use crate::geom::Pair;
use crate::lanes::Level;
use crate::par::{self, Threads};
use core::marker::PhantomData;

/// Number of pairs in a chunk.
const CHUNK: usize = 16 * BLOCK;

/// The vertices of a pair, or the row that does not exist and the number of rows.
pub(super) type PairVertices = Result<[u32; 4], (u32, usize)>;

/// Checks one pair. The order of the vertices is that of `E`.
pub(super) fn one<E: ElementPair>(
    points: [[[f64; 3]; 4]; 2],
    settings: &ElementSettings,
) -> Result<ElementToi, ElementError> {
    settings.validate()?;
    for (vertex, (&start, &end)) in (0..).zip(points[0].iter().zip(&points[1])) {
        super::points::validate(start, end)
            .map_err(|reason| ElementError::Vertex { vertex, reason })?;
    }
    Ok(ElementToi::of_pair::<E>(&points, settings))
}

/// Writes the result for `pairs[i]` to `out[i]`. `vertices` looks up the vertices of a pair.
pub(super) fn pairs<E: ElementPair>(
    (level, threads): (Level, &Threads),
    points: &MovingPoints<'_>,
    pairs: &[Pair],
    vertices: impl Fn(Pair) -> PairVertices + Sync,
    settings: &ElementSettings,
    out: &mut [ElementToi],
) -> Result<(), ElementError> {
    settings.validate()?;
    LengthMismatch::check("the output `out`", pairs.len(), out.len())?;
    for (index, &pair) in pairs.iter().enumerate() {
        let vertices =
            vertices(pair).map_err(|(row, rows)| ElementError::NoSuchRow { index, row, rows })?;
        if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= points.len()) {
            return Err(ElementError::NoSuchVertex { index, vertex, vertices: points.len() });
        }
    }
    let (limits, rounds_max) = (Limits::new(settings), settings.rounds_max);
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        let mut block = ElementBlock::new();
        for (first, out) in (start..).step_by(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let rows = out.len();
            let pairs = &pairs[first..first + rows];
            let mut rejected = [false; BLOCK];
            for (row, &pair) in pairs.iter().enumerate() {
                let vertices = vertices(pair).unwrap_or_default();
                rejected[row] = points.is_any_rejected(vertices);
                // With invalid positions a search may take all rounds. So a rejected pair gets zeros, which are a contact in the first round.
                let at = if rejected[row] { Default::default() } else { points.get(vertices) };
                block.set(row, [E::vectors(&at[0]), E::vectors(&at[1])]);
            }
            let kind = PhantomData::<E>;
            level.run(SearchBlock { block: &mut block, rows, limits, rounds_max, kind });
            for (row, out) in out.iter_mut().enumerate() {
                let end = if rejected[row] { (End::Miss, 0.0) } else { block.ends[row] };
                *out = ElementToi::of_end::<E>(end, || block.get(row));
            }
        }
    });
    Ok(())
}
