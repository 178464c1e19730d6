//! How much memory may a run take?
//!
//! A few bytes of a file, or one argument, can describe boxes that are all in one place: then there are as many
//! pairs as the square of the boxes. So pairs are limited by what a run is made of.

/// Pairs for each box: several times as many as in the most crowded scene.
const PAIRS_PER_BOX: usize = 256;
/// Pairs that any run may have: those of some thousand boxes in one place.
const PAIRS_OF_ANY_RUN: usize = 1 << 24;

/// The most pairs that a finder may find among so many boxes in a run of an example.
#[must_use]
pub fn pairs_max(boxes: usize) -> usize {
    boxes.saturating_mul(PAIRS_PER_BOX).max(PAIRS_OF_ANY_RUN)
}
