//! A clock for the times of passes. Every time is zero without the feature `std`, and on `wasm32-unknown-unknown`.

use core::time::Duration;
#[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
use std::time::Instant;

/// A point in time on a target without a clock. There the `Instant` of `std` panics, if there is one at all.
#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
#[derive(Clone, Copy)]
struct Instant;

#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
impl Instant {
    fn now() -> Self {
        Self
    }

    fn duration_since(self, _: Self) -> Duration {
        Duration::ZERO
    }
}

/// Measures the time since its last reading.
pub(crate) struct Clock {
    last: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { last: Instant::now() }
    }

    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(core::mem::replace(&mut self.last, now))
    }
}
