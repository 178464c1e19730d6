//! Limits of the memory of a run.
//!
//! A few bytes of a file, or one argument, can describe boxes that are all in one place. The number of their
//! pairs is the square of their number, so the pairs of a run are limited by the size of its input.

/// Pairs for each box: several times as many as in the most crowded scene.
const PAIRS_PER_BOX: usize = 256;
/// Pairs that any run may have: those of some thousand boxes in one place.
const PAIRS_OF_ANY_RUN: usize = 1 << 24;

/// The most pairs that a finder may find among this many boxes in a run of an example.
#[must_use]
pub fn pairs_max(boxes: usize) -> usize {
    boxes.saturating_mul(PAIRS_PER_BOX).max(PAIRS_OF_ANY_RUN)
}
