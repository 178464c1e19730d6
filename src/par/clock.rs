//! A clock for the times of passes. Without the feature `std` every time is zero.

use core::time::Duration;

/// Measures the time since its last reading.
pub(crate) struct Clock {
    #[cfg(feature = "std")]
    last: std::time::Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            #[cfg(feature = "std")]
            last: std::time::Instant::now(),
        }
    }

    pub(crate) fn lap(&mut self) -> Duration {
        #[cfg(feature = "std")]
        {
            let now = std::time::Instant::now();
            now - core::mem::replace(&mut self.last, now)
        }
        #[cfg(not(feature = "std"))]
        Duration::ZERO
    }
}
