//! Times of the passes of a tick.

use core::time::Duration;

/// How long the passes of a tick took; zero without the feature `std`, and on `wasm32-unknown-unknown`.
///
/// Against fixed boxes there is no grid to choose: `scatter` is the check of the movers and `sweep` the
/// comparison.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Timings {
    /// Time to choose the grid.
    pub choose: Duration,
    /// Time to compute bounds, check the boxes and copy them to the strips.
    pub scatter: Duration,
    /// Time to sort and compare within the strips.
    pub sweep: Duration,
}
