//! Times systems alternately, so that other load of the machine affects all alike.

use std::ops::Range;
use std::time::Duration;

/// Writes the results of some rows.
pub type Call<'c, A> = &'c (dyn Fn(Range<usize>, &mut [A]) + 'c);

/// Runs the systems in blocks of rows, in an order that rotates. Returns for each the sum over the blocks of the median of
/// the repetitions, and its results.
pub fn alternately<A: Clone + Default, C>(
    systems: &[Call<'_, A>],
    rows: usize,
    (block, repeats): (usize, usize),
    (now, elapsed): (impl Fn() -> C, impl Fn(&C) -> Duration),
) -> Vec<(Duration, Vec<A>)> {
    let mut answers = vec![vec![A::default(); rows]; systems.len()];
    let mut times = vec![vec![Vec::new(); rows.div_ceil(block)]; systems.len()];
    for repeat in 0..repeats {
        for (number, start) in (0..rows).step_by(block).enumerate() {
            let rows = start..rows.min(start + block);
            for turn in 0..systems.len() {
                let which = (turn + number + repeat) % systems.len();
                let out = &mut answers[which][rows.clone()];
                let clock = now();
                systems[which](rows.clone(), out);
                times[which][number].push(elapsed(&clock));
            }
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    let total = |mut blocks: Vec<_>| blocks.iter_mut().map(median).sum();
    times.into_iter().map(total).zip(answers).collect()
}
