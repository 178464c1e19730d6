//! Searches that pause, so that the earliest one continues first.
//!
//! As many rounds are spent on the earliest of them as on new parts. So a first contact is found before most parts are
//! searched, and the searches that follow end at its time. Queries that pause are rare, so these functions are cold.

use super::contacts::Contacts;
use super::queue::Queue;
use super::waiting::WaitingPart;
use crate::narrowphase::toi::Toi;
use crate::narrowphase::toi::part_search::{Part, Plan};
use crate::narrowphase::toi::pause::Progress;

impl Queue<'_> {
    /// Searches for a contact with a part, until the search ends or pauses.
    #[cold]
    #[inline(never)]
    pub(super) fn find_or_pause(
        &mut self,
        plan: &Plan,
        shape: &Part<'_>,
        contacts: &mut Contacts<'_>,
    ) {
        let mut progress = Progress::new();
        let toi = self.search.find(plan, shape, contacts.until(), self.best(), Some(&mut progress));
        self.add_or_pause(&toi, plan.part, progress, contacts);
    }

    /// Continues all searches that have paused, to their ends.
    #[cold]
    #[inline(never)]
    pub(super) fn resume_all(&mut self, contacts: &mut Contacts<'_>) {
        self.resume_until(f64::INFINITY, contacts);
        // Those that are left start later than the first contact.
        contacts.memory.paused.clear();
    }

    /// Continues the earliest searches that have paused, until all have reached a time.
    #[cold]
    #[inline(never)]
    pub(super) fn resume_until(&mut self, time: f64, contacts: &mut Contacts<'_>) {
        while self.resume(time, contacts) {}
    }

    /// Continues the earliest searches that have paused, for a number of rounds.
    #[cold]
    #[inline(never)]
    pub(super) fn resume_for(&mut self, rounds: u32, contacts: &mut Contacts<'_>) {
        let limit = contacts.best().toi.rounds.saturating_add(rounds);
        while contacts.best().toi.rounds < limit && self.resume(f64::INFINITY, contacts) {}
    }

    /// Continues the earliest search that has paused, unless it has reached `time`. Returns whether a search was continued.
    fn resume(&mut self, time: f64, contacts: &mut Contacts<'_>) -> bool {
        let until = contacts.until();
        let first = contacts.memory.paused.pop_if(|start| start < time && start <= until);
        let Some(WaitingPart { start, part, search: mut progress }) = first else { return false };
        if contacts.is_exhausted() {
            contacts.add_unresolved(start, [self.own, part]);
            return true;
        }
        let shape = self.geometry.part(part);
        let toi = self.search.resume(&shape, contacts.until(), &mut progress);
        self.add_or_pause(&toi, part, progress, contacts);
        true
    }

    /// Keeps a search for later if it has paused, and counts its work; or adds its result.
    fn add_or_pause(
        &mut self,
        toi: &Toi,
        part: u32,
        progress: Progress,
        contacts: &mut Contacts<'_>,
    ) {
        if let Some(start) = progress.paused_at() {
            contacts.count_work(toi);
            contacts.memory.paused.push(WaitingPart { start, part, search: progress });
        } else {
            self.add(toi, part, false, contacts);
        }
    }
}
