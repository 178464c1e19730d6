//! Input and output of pair finding: which rows may pair, and the lists of pairs.

pub(crate) mod buffer;
pub(crate) mod candidates;
pub(crate) mod filter_words;
pub(crate) mod flags;
pub(crate) mod input;
pub(crate) mod limit;
pub(crate) mod runs;
pub(crate) mod timings;
