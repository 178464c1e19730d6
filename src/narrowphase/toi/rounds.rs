//! The rounds of a search, on a level of the CPU.

use super::result::{Observer, ToiResult};
use super::search::Search;
use crate::lanes::{Isa, Kernel, Level};
use crate::narrowphase::math::V3;
use core::ops::ControlFlow;

/// The rounds of a search.
struct Rounds<'r, 's, 'o, 'f> {
    search: &'r mut Search<'s>,
    led: Option<(f64, V3)>,
    observer: &'o mut Observer<'f>,
}

impl Kernel for Rounds<'_, '_, '_, '_> {
    type Output = ToiResult;

    /// The arithmetic is scalar, so wide vectors gain nothing. What a level gains is its instructions with three operands.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> ToiResult {
        self.search.rounds(isa, self.led, self.observer)
    }
}

impl Search<'_> {
    /// Runs the rounds, from the start of the window, or from a time to which a plane has led.
    pub(super) fn run(&mut self, led: Option<(f64, V3)>, observer: &mut Observer<'_>) -> ToiResult {
        // Without rotation there is so little beside the supports that entering a level gains nothing.
        let level = if self.motion.is_straight() { Level::PORTABLE4 } else { Level::detect() };
        self.run_on(level, led, observer)
    }

    /// Does what [`Search::run`] does, on a level.
    pub(super) fn run_on(
        &mut self,
        level: Level,
        led: Option<(f64, V3)>,
        observer: &mut Observer<'_>,
    ) -> ToiResult {
        match self.box_rounds(level, led, observer) {
            ControlFlow::Break(result) => result,
            ControlFlow::Continue(led) => level.run(Rounds { search: self, led, observer }),
        }
    }
}
