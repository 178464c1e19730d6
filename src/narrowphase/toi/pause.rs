//! Searches that pause after some rounds, so that those for many parts of a body advance together, the earliest first.
//!
//! A search pauses where a plane has led to a time and no touch is ignored. From there it continues with the normal of
//! that plane; the simplex is computed anew.

use crate::narrowphase::math::V3;

/// Round at which bodies of revolution are used for bodies that make whole turns: most searches that end
/// with an impact have ended by then.
pub(super) const WHOLE_TURNS_FROM: u32 = 8;

/// When a search pauses, and what it continues from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    /// Number of rounds after which the search pauses.
    pub(super) at: u32,
    /// Number of rounds after which the bodies of revolution are used.
    pub(super) whole_turns_at: u32,
    /// The time to which a plane has led, and its normal, if the search has paused.
    pub(super) led: Option<(f64, V3)>,
}

impl Pause {
    pub(super) const NEVER: Self =
        Self { at: u32::MAX, whole_turns_at: WHOLE_TURNS_FROM, led: None };
}

/// Number of rounds before the first pause.
const FIRST_ROUNDS: u32 = 4;

/// The state of a search for a part that pauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(super) pause: Pause,
    /// The rounds so far.
    pub(super) rounds: u32,
    /// Whether the search uses the second settings of
    /// [`PartSearch`](super::part_search::PartSearch), by which every touch counts.
    pub(super) later: bool,
    /// For a one-sided triangle, the end of the part of the window that is searched, and the part after it.
    pub(super) end: f64,
    pub(super) rest: Option<InFront>,
}

/// A part of the window in which a shape is in front of a triangle, and whether it came to the front at its start.
pub(super) type InFront = (bool, [f64; 2]);

impl Progress {
    /// Returns the state before the first round.
    pub(crate) fn new() -> Self {
        Self { pause: Pause::NEVER, rounds: 0, later: false, end: f64::INFINITY, rest: None }
    }

    /// Returns the time until which the two are proved to be apart, if the search has paused.
    pub(crate) fn paused_at(&self) -> Option<f64> {
        self.pause.led.map(|(t, _)| t)
    }

    /// Returns the number of rounds so far, and when the search pauses next: the longer it is, the later.
    pub(super) fn next(&mut self) -> (u32, Pause) {
        if self.pause.led.is_none() {
            (self.rounds, self.pause) = (0, Pause::NEVER);
        }
        (self.rounds, Pause { at: self.rounds + FIRST_ROUNDS + self.rounds / 2, ..self.pause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::toi::settings::TOI_ROUNDS_MAX;

    /// Goal: a search pauses after its first rounds, and then after more and more of them: never after more than half of those so far in
    /// addition, and often enough that a long search has few pauses. Method: a search that pauses as soon as it may, up to the
    /// default limit of rounds. The time at which it has paused is that to which its plane has led, and the next search starts anew.
    #[test]
    fn pauses_of_a_search_become_rarer() {
        let mut progress = Progress::new();
        assert_eq!(progress.paused_at(), None);
        let mut pauses = 0;
        while progress.rounds < TOI_ROUNDS_MAX {
            assert!(pauses < 16, "{progress:?}");
            let (rounds, pause) = progress.next();
            assert_eq!(rounds, progress.rounds);
            let more = pause.at.checked_sub(rounds).expect("it pauses later");
            assert!(more >= FIRST_ROUNDS && more <= FIRST_ROUNDS + rounds / 2, "{rounds} {more}");
            pauses += 1;
            let time = f64::from(pauses) / 16.0;
            progress.rounds = pause.at;
            progress.pause = Pause { led: Some((time, V3::X)), ..pause };
            assert_eq!(progress.paused_at(), Some(time));
        }
        assert!(pauses > 8, "{pauses}");
        progress.pause.led = None;
        let (rounds, pause) = progress.next();
        assert_eq!((rounds, pause.at), (0, FIRST_ROUNDS));
    }
}
