//! Parts whose searches wait, in the order of the times until which they are proved to be apart.

use crate::columns::Memory;
use alloc::collections::BinaryHeap;
use alloc::collections::binary_heap::PeekMut;
use core::cmp::Ordering;

/// Parts whose searches wait, the earliest first. Its memory is kept when it is emptied.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    heap: BinaryHeap<WaitingPart<T>>,
    /// Greatest number of parts at once.
    pub(super) needed: usize,
}

/// A part whose search waits.
#[derive(Debug)]
pub(super) struct WaitingPart<T> {
    /// The time until which the part is proved to be apart.
    pub(super) start: f64,
    pub(super) part: u32,
    /// What the search continues with.
    pub(super) search: T,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), needed: 0 }
    }
}

impl<T> Memory for Waiting<T> {
    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<WaitingPart<T>>()
    }
}

impl<T> Waiting<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    pub(super) fn push(&mut self, part: WaitingPart<T>) {
        self.heap.push(part);
        self.needed = self.needed.max(self.heap.len());
    }

    /// Removes the earliest part, if `condition` is true for its time.
    pub(super) fn pop_if(&mut self, condition: impl FnOnce(f64) -> bool) -> Option<WaitingPart<T>> {
        let first = self.heap.peek_mut()?;
        condition(first.start).then(|| PeekMut::pop(first))
    }

    pub(super) fn clear(&mut self) {
        self.heap.clear();
    }

    /// Frees the memory if there are more than this many places.
    pub(super) fn limit(&mut self, most: usize) {
        if self.heap.capacity() > most {
            self.heap.shrink_to_fit();
        }
    }
}

/// The greatest one in a heap is the earliest; of equal ones, that with the least number.
impl<T> Ord for WaitingPart<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.start.total_cmp(&self.start).then(other.part.cmp(&self.part))
    }
}

impl<T> PartialOrd for WaitingPart<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for WaitingPart<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for WaitingPart<T> {}
