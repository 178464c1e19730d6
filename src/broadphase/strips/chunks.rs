//! Divides the rows of a set into chunks, which are the units of parallel work of the scatter.
//!
//! The pairs do not depend on the limits of the chunks, because a strip reads the chunks in order.

/// Least number of boxes in a chunk. A smaller one would cost more to start than to process.
const CHUNK_ROWS_MIN: usize = 1024;
/// Greatest number of boxes in a chunk. What a chunk reads and writes should fit into the cache of one core.
pub(crate) const CHUNK_ROWS_MAX: usize = 16 * 1024;
/// Number of chunks that few boxes are split into, so that the threads can share them.
const CHUNKS: usize = 16;

/// Returns how many rows a chunk has, and how many chunks there are.
pub(crate) fn chunk_rows(rows: usize) -> (usize, usize) {
    let size = (rows / CHUNKS).clamp(CHUNK_ROWS_MIN, CHUNK_ROWS_MAX);
    (size, rows.div_ceil(size))
}
