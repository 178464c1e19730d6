//! Parts of equal length of a window.

/// A window that is divided into parts of equal length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowParts {
    pub(super) window: [f64; 2],
    pub(super) count: u32,
}

impl WindowParts {
    /// Returns the start and the end of part `k`.
    pub(super) fn part(&self, k: u32) -> [f64; 2] {
        [self.start(k), self.start(k + 1)]
    }

    /// Returns the start of part `k`, or the end of the last one.
    fn start(&self, k: u32) -> f64 {
        let [from, to] = self.window;
        let share = f64::from(k) / f64::from(self.count);
        if k == self.count { to } else { from + (to - from) * share }
    }
}

/// Returns a time that is a lower bound, from a fraction of a part of the tick.
///
/// Rounding may make the product greater by less than this factor makes it less. The sum may be late by half a unit in the last place. That does no harm,
/// because the fractions are those of boxes and other sets that are enlarged by the tolerance.
pub(super) fn time_at(fraction: f32, [from, to]: [f64; 2]) -> f64 {
    from + f64::from(fraction) * (to - from) * (1.0 - 1e-15)
}
