//! The time of a call, for tests of how it grows.

use std::time::Duration;

#[cfg(unix)]
use cpu_time::ThreadTime as Clock;
#[cfg(not(unix))]
use std::time::Instant as Clock;

/// Returns the least time of twelve calls, in CPU time of this thread, so that other programs hardly change it. A system without such a clock measures
/// elapsed time. The call must do its work on this thread.
pub fn least_time(mut call: impl FnMut()) -> Duration {
    let times = [(); 12].map(|()| {
        let start = Clock::now();
        call();
        start.elapsed()
    });
    times.into_iter().min().expect("twelve times")
}
