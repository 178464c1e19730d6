//! The contacts that a search has found so far.

use super::memory::SearchMemory;
use super::result::PartToi;
use super::waiting::WaitingPart;
use crate::geom::MapEach;
use crate::narrowphase::math::round_down;
use crate::narrowphase::toi::part_search::Plan;
use crate::narrowphase::toi::{Settings, Toi, ToiResult};
use alloc::vec::Vec;

/// Greatest number of rounds of a query, as a multiple of the greatest number for one pair of parts.
const PAIRS_MAX: u32 = 1024;

/// The plane of a touch or an overlap at the start of the window. [`each_part_beyond`](super::toi::each_part_beyond) leaves out the parts that it
/// separates to within `depth`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPlane {
    /// Normal of the contact, from `a` to `b`.
    pub normal: [f32; 3],
    /// By how much the distance of a part along the normal may be less than the target, such as
    /// [`ToiResult::Overlapping::depth`](crate::convex::toi::ToiResult::Overlapping). To this, three quarters of the tolerance are added.
    pub depth: f32,
}

/// The contacts found so far.
pub(super) struct Contacts<'o> {
    /// All of them, if they are needed.
    all: Option<&'o mut Vec<PartToi>>,
    /// The plane beyond which parts are searched, from the divided body to the other.
    pub(super) beyond: Option<ContactPlane>,
    best: PartToi,
    /// Whether the best is a contact with the inside of a triangle. Its normal is that of the face but for the rounding to `f32`, and
    /// so is not on an inner edge.
    pub(super) is_inside: bool,
    /// Later contacts do not count.
    until: f64,
    from: f64,
    /// Sum of the rounds of all parts after which no search begins.
    rounds_max: u32,
    pub(super) memory: &'o mut SearchMemory,
}

impl<'o> Contacts<'o> {
    pub(super) fn new(
        settings: &Settings,
        all: Option<&'o mut Vec<PartToi>>,
        memory: &'o mut SearchMemory,
    ) -> Self {
        let [from, to] = settings.window.map_each(f64::from);
        let rounds_max = settings.rounds_max.saturating_mul(PAIRS_MAX);
        // They contain parts of an earlier search if it ended by a panic.
        memory.paused.clear();
        memory.deferred.clear();
        Self {
            all,
            beyond: None,
            best: PartToi::default(),
            is_inside: false,
            until: to,
            from,
            rounds_max,
            memory,
        }
    }

    /// Removes the contacts, but not the counts of the work.
    pub(super) fn restart(&mut self, settings: &Settings) {
        self.until = f64::from(settings.window[1]);
        (self.best.toi.result, self.best.parts, self.is_inside) = Default::default();
    }

    #[inline]
    pub(super) fn best(&self) -> PartToi {
        self.best
    }

    /// Returns whether only the first contact is searched, and not all of them.
    #[inline]
    pub(super) fn is_first_wanted(&self) -> bool {
        self.all.is_none()
    }

    /// Returns the depth of the deepest overlap so far, if lesser ones are of no interest, else zero.
    #[inline]
    pub(super) fn known_depth(&self) -> f64 {
        match self.best.toi.result {
            ToiResult::Overlapping { depth, .. } if self.all.is_none() => depth.into(),
            _ => 0.0,
        }
    }

    /// Returns the time after which contacts do not count.
    #[inline]
    pub(super) fn until(&self) -> f64 {
        self.until
    }

    /// Returns whether the query has taken this many rounds that parts are not searched any more. Each of them is then unresolved from
    /// the time until which it is proved to be apart.
    #[inline]
    pub(super) fn is_exhausted(&self) -> bool {
        self.best.toi.rounds >= self.rounds_max
    }

    /// Keeps a search for later.
    #[cold]
    #[inline(never)]
    pub(super) fn defer(&mut self, plan: &Plan) {
        let Plan { start, part, .. } = *plan;
        self.memory.deferred.push(WaitingPart { start, part, search: *plan });
    }

    /// Adds a part that is not searched any more and is apart until a time, as unresolved.
    #[cold]
    pub(super) fn add_unresolved(&mut self, apart_until: f64, parts: [u32; 2]) {
        let result = ToiResult::Unresolved { t_safe: round_down(apart_until) };
        self.add(&Toi { result, rounds: 0, supports: 0 }, parts, false);
    }

    /// Counts parts that were tested, with or without a search.
    #[inline]
    pub(super) fn count_tests(&mut self, tests: usize) {
        let tests = u32::try_from(tests).unwrap_or(u32::MAX);
        self.best.tests = self.best.tests.saturating_add(tests);
    }

    /// Counts the work of a search that has paused.
    #[inline]
    pub(super) fn count_work(&mut self, toi: &Toi) {
        let of_all = &mut self.best.toi;
        of_all.rounds = of_all.rounds.saturating_add(toi.rounds);
        of_all.supports = of_all.supports.saturating_add(toi.supports);
    }

    /// Adds the result for two parts, and whether it is a contact with the inside of a triangle. Returns whether it is the
    /// earliest.
    pub(super) fn add(&mut self, toi: &Toi, parts: [u32; 2], is_inside: bool) -> bool {
        self.count_work(toi);
        if toi.result == ToiResult::Separated {
            return false;
        }
        if let Some(all) = &mut self.all {
            all.push(PartToi { toi: *toi, parts, tests: 1 });
            return false;
        }
        let Some(t) = is_earlier(&toi.result, &self.best.toi.result, self.from) else {
            return false;
        };
        (self.best.toi.result, self.best.parts, self.until) = (toi.result, parts, t);
        self.is_inside = is_inside;
        true
    }
}

/// Returns the time of a result if it is earlier than another, or at the same time and more certain. Of two overlaps,
/// the deeper counts.
pub(super) fn is_earlier(result: &ToiResult, than: &ToiResult, from: f64) -> Option<f64> {
    let order = |result: &ToiResult| match *result {
        ToiResult::Overlapping { depth, .. } => (from, 0, -depth),
        ToiResult::Impact { t, .. } => (f64::from(t), 1, 0.0),
        ToiResult::Unresolved { t_safe } => (f64::from(t_safe), 2, 0.0),
        ToiResult::Separated => (f64::INFINITY, 3, 0.0),
    };
    let (new, old) = (order(result), order(than));
    (new < old).then_some(new.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: more work than a `u32` can count is neither a panic nor taken for little: a query that has taken too many rounds stays exhausted.
    /// Method: counts near the greatest are added, with the greatest number of rounds.
    #[test]
    fn more_work_than_can_be_counted_is_the_greatest_count() {
        let settings = Settings { rounds_max: u32::MAX, ..Settings::default() };
        let mut memory = SearchMemory::default();
        let mut contacts = Contacts::new(&settings, None, &mut memory);
        let result = ToiResult::Separated;
        let most = Toi { result, rounds: u32::MAX - 1, supports: u32::MAX - 1 };
        for _ in 0..2 {
            contacts.count_tests(u32::MAX as usize - 1);
            contacts.count_work(&most);
        }
        let PartToi { tests, toi, .. } = contacts.best();
        assert_eq!([tests, toi.rounds, toi.supports], [u32::MAX; 3]);
        assert!(contacts.is_exhausted());
    }
}
