//! The contacts of a tick along which impulses are propagated.
//!
//! Each contact is in a linked list of each of its two bodies.

use alloc::vec::Vec;
use swath::Impact;

use crate::state::BodyAt;

/// Marks a missing contact, and a row that is not among the bodies.
pub(crate) const NONE: u32 = u32::MAX;

/// A contact of two bodies that did not bounce.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepContact {
    pub(crate) impact: Impact,
    pub(crate) rows: [usize; 2],
    /// Vector from the first to the second.
    pub(crate) between: [f64; 3],
    /// The part of the closing speed that is due to spins.
    pub(crate) spin_closing: f64,
    /// The next contact in the list of each of the two bodies, which was stored before this one.
    next: [u32; 2],
    /// Impulse and supporting force applied in this event.
    pub(crate) applied: [f64; 2],
    pub(crate) is_queued: bool,
    /// The event for which the inverse masses are valid.
    pub(crate) event: u32,
    /// The inverse masses that count, for velocities with accelerations, and for pseudo-velocities; all zero if the two do not touch any
    /// more.
    pub(crate) masses: [[f64; 2]; 2],
}

/// A body with a contact, and its motion at the time of the event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactBody {
    pub(crate) row: usize,
    pub(crate) at: BodyAt,
    pub(crate) is_pushed: bool,
}

/// The contacts of a tick.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    pub(crate) all: Vec<StepContact>,
    /// The last contact of each row.
    last: Vec<u32>,
    /// Position of each row in `bodies`.
    pub(crate) positions: Vec<u32>,
    /// The bodies of the current event.
    pub(crate) bodies: Vec<ContactBody>,
    /// Contacts to process, first in, first out.
    pub(crate) queue: Vec<u32>,
}

impl Contacts {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.last.clear();
        self.positions.clear();
    }

    /// Returns whether a row has contacts.
    pub(crate) fn has(&self, row: usize) -> bool {
        self.last.get(row).is_some_and(|&last| last != NONE)
    }

    /// Stores the contact of two bodies at this relative position, in place of an older one of the same two.
    pub(crate) fn store(
        &mut self,
        impact: Impact,
        rows: [usize; 2],
        between: [f64; 3],
        spin_closing: f64,
    ) {
        let most = rows[0].max(rows[1]);
        if most >= self.last.len() {
            self.last.resize(most + 1, NONE);
            self.positions.resize(most + 1, NONE);
        }
        let next = rows.map(|row| self.last[row]);
        let contact = StepContact {
            impact,
            rows,
            between,
            spin_closing,
            next,
            applied: [0.0; 2],
            is_queued: false,
            event: 0,
            masses: [[0.0; 2]; 2],
        };
        if let Some(at) = self.find(rows) {
            let old = &mut self.all[at as usize];
            *old = StepContact { next: old.next, ..contact };
            return;
        }
        rows.into_iter().for_each(|row| self.last[row] = self.all.len() as u32);
        self.all.push(contact);
    }

    /// Returns the contact of two rows. It would be in the lists of both, so the shorter list decides how long this takes: that of
    /// a floor contains all contacts with what is on it.
    fn find(&self, rows: [usize; 2]) -> Option<u32> {
        let mut both = rows.map(|row| self.last[row]);
        while !both.contains(&NONE) {
            let found = both.into_iter().find(|&at| self.all[at as usize].rows == rows);
            if found.is_some() {
                return found;
            }
            both = [0, 1].map(|k| self.after(both[k], rows[k]));
        }
        None
    }

    /// Returns the contact of a row that follows this one.
    fn after(&self, at: u32, row: usize) -> u32 {
        let StepContact { rows, next, .. } = self.all[at as usize];
        next[usize::from(rows[0] != row)]
    }

    /// Enqueues the contacts of a row except one.
    pub(crate) fn enqueue(&mut self, row: usize, except: u32) {
        let mut at = self.last.get(row).copied().unwrap_or(NONE);
        while at != NONE {
            let contact = &mut self.all[at as usize];
            if at != except && !contact.is_queued {
                contact.is_queued = true;
                self.queue.push(at);
            }
            at = self.after(at, row);
        }
    }
}
