//! Times of the passes of a tick.

use core::time::Duration;

/// How long the stages of a tick took; zero without the feature `std`.
///
/// Against fixed boxes nothing is chosen; movers are checked, then compared.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Timings {
    /// Choosing the grid.
    pub choose: Duration,
    /// Bounds, checks, and copying the boxes to the strips.
    pub scatter: Duration,
    /// Ordering and comparing within the strips.
    pub sweep: Duration,
}
