//! Searches that are deferred, because a cheaper test of a triangle that the traversal meets later may make them needless.
//!
//! Few traversals meet so many triangles, so these functions are cold.

use super::contacts::Contacts;
use super::queue::Queue;
use super::waiting::WaitingPart;

/// Number of rounds before searches are deferred: more than most bodies take for all triangles near them.
const ROUNDS_MIN: u64 = 16;

/// Number of triangles for each further round: the tests of so many of them take about as long as a round.
const TRIANGLES_PER_ROUND: u32 = 16;

impl Queue<'_> {
    /// Returns the number of rounds that searches may take before the traversal meets the rest of the triangles.
    pub(super) fn rounds_now(&self) -> u64 {
        ROUNDS_MIN + u64::from(self.tested / TRIANGLES_PER_ROUND)
    }

    /// Searches the parts whose searches were deferred, the earliest first, until the searches have taken a number of rounds.
    #[cold]
    #[inline(never)]
    pub(super) fn search_deferred(&mut self, rounds_max: u64, contacts: &mut Contacts<'_>) {
        while self.rounds < rounds_max {
            let until = contacts.until();
            let first = contacts.memory.deferred.pop_if(|start| start <= until);
            let Some(WaitingPart { part, search, .. }) = first else {
                // Those that are left start later than the first contact.
                contacts.memory.deferred.clear();
                break;
            };
            let shape = self.geometry.part(part);
            self.search_plan(&search, &shape, contacts);
        }
    }
}
