//! A growing output buffer for SIMD lanes, with a limit on the number of items.

use crate::columns::impl_memory;
use crate::par::Budget;
use alloc::vec;
use alloc::vec::Vec;

/// A list that is written in whole lane groups; its memory is initialised past the end.
///
/// Several lists share a budget. Once it is exceeded, items are only counted, so that memory stays
/// bounded and the count remains exact, or the greatest `usize` if there are more.
#[derive(Debug, Default)]
pub(crate) struct Buffer<T> {
    pub(super) items: Vec<T>,
    pub(super) len: usize,
    /// Number of items that were counted and discarded.
    discarded: usize,
    /// Number of items that were already taken from the budget.
    spent: usize,
    /// The largest sum of stored items and requested spare items.
    pub(super) requested_max: usize,
    /// Whether the list ran out of space since it was cleared.
    grown: bool,
    /// How many of the first items were tested (`limit.rs`).
    pub(super) tested: usize,
    /// How many items a test has excluded since the list was cleared.
    pub(super) excluded: usize,
    /// The most spare items that were requested when the list was full, in a search that tests pairs.
    pub(super) most_spare: usize,
}

impl_memory!([T] Buffer<T> { items; without len, discarded, spent, requested_max, grown, tested, excluded, most_spare });

/// Reserves memory for `len` items: a quarter more, unless a sixteenth is to spare already. So a
/// list whose length varies a little does not reallocate.
pub(crate) fn reserve_for<T>(items: &mut Vec<T>, len: usize) {
    if items.capacity() < len + len / 16 {
        items.reserve_exact((len + len / 4).saturating_sub(items.len()));
    }
}

/// Lengthens a list with zeros. It is never shortened: items that are overwritten anyway need not be initialised again.
pub(crate) fn lengthen<T: bytemuck::Pod>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        items.resize(len, T::zeroed());
    }
}

/// Lengthens a list as [`lengthen`] does, for items of which many may never be written. Memory that the allocator takes
/// from the system is zero already, and has no cost until it is written.
pub(crate) fn lengthen_sparsely<T: bytemuck::Pod>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        let mut longer = vec![T::zeroed(); len];
        longer[..items.len()].copy_from_slice(items);
        *items = longer;
    }
}

/// Reserves memory for `len` items in total.
pub(crate) fn reserve_total<T>(items: &mut Vec<T>, len: usize) {
    items.reserve_exact(len.saturating_sub(items.len()));
}

impl<T: Copy + Default> Buffer<T> {
    pub(crate) fn clear(&mut self) {
        (self.len, self.discarded, self.spent, self.requested_max) = (0, 0, 0, 0);
        self.grown = false;
        (self.tested, self.excluded, self.most_spare) = (0, 0, 0);
    }

    /// Returns the greatest capacity that has been requested since the list was cleared.
    pub(crate) fn requested(&self) -> usize {
        self.requested_max
    }

    /// Returns the number of items that fit without an allocation.
    pub(crate) fn capacity(&self) -> usize {
        self.items.len()
    }

    /// Returns the number of stored items.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of items since the list was cleared, including discarded ones, but without those that a test has excluded.
    pub(crate) fn found(&self) -> usize {
        self.discarded.saturating_add(self.len)
    }

    /// Reserves space for exactly this many items.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        if self.items.len() < capacity {
            reserve_total(&mut self.items, capacity);
            self.items.resize(capacity, T::default());
        }
    }

    /// Frees space, except for this many items and for those that are stored.
    pub(crate) fn shrink_to(&mut self, capacity: usize) {
        self.items.truncate(capacity.max(self.len));
        self.items.shrink_to_fit();
    }

    /// Reserves spare space as [`reserve_for`] does, for the largest request so far or for `least`
    /// items. A list that ran out of space gets the whole quarter more, so that it does not do so again soon.
    pub(crate) fn reserve_spare(&mut self, least: usize) {
        let len = self.requested_max.max(least);
        if self.grown || self.items.len() < len + len / 16 {
            self.reserve(len + len / 4);
        }
    }

    /// Frees the space that [`Buffer::reserve_spare`] would not reserve.
    pub(crate) fn drop_spare(&mut self, least: usize) {
        let len = self.requested_max.max(least);
        if self.items.len() > len + len / 4 {
            self.shrink_to(len + len / 4);
        }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }

    /// Discards the items from `len` on; they still count as found.
    pub(crate) fn discard_from(&mut self, len: usize) {
        let kept = self.len.min(len);
        self.discard(self.len - kept);
        (self.len, self.tested) = (kept, self.tested.min(kept));
    }

    /// Returns at least `most` spare items past the end. [`Buffer::keep`] then adds the written ones to
    /// the list.
    #[inline(always)]
    pub(crate) fn spare(&mut self, most: usize, budget: &Budget) -> &mut [T] {
        self.requested_max = self.requested_max.max(self.len + most);
        if self.items.len() < self.requested_max {
            self.grow(most, budget);
        }
        &mut self.items[self.len..]
    }

    /// Appends items, regardless of any budget.
    pub(crate) fn append(&mut self, items: &[T]) {
        self.spare(items.len(), &Budget::new(usize::MAX))[..items.len()].copy_from_slice(items);
        self.keep(items.len());
    }

    /// Adds the first `count` spare items to the list.
    #[inline(always)]
    pub(crate) fn keep(&mut self, count: usize) {
        self.len += count;
    }

    /// Counts items that are not stored.
    pub(super) fn discard(&mut self, count: usize) {
        self.discarded = self.discarded.saturating_add(count);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, most: usize, budget: &Budget) {
        self.grown = true;
        let more = self.found() - self.spent;
        self.spent += more;
        if budget.spend(more) {
            self.reserve((self.len + most).max(self.items.len() * 3 / 2).max(1024));
        } else {
            self.discard(self.len);
            (self.len, self.tested) = (0, 0);
            self.requested_max = most;
            self.reserve(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;
    use crate::par::Budget;

    static PLENTY: Budget = Budget::new(usize::MAX);

    /// Goal: buffers that repeatedly reserve the largest capacity among them converge. Method:
    /// capacities so close that growing by half, as a full list does, would overtake the other one
    /// forever.
    #[test]
    fn capacity_that_is_reserved_is_not_exceeded() {
        let mut buffers = [Buffer::<u32>::default(), Buffer::default()];
        buffers[0].spare(3000, &PLENTY);
        buffers[1].spare(4000, &PLENTY);
        for _ in 0..3 {
            let most = buffers.iter().map(Buffer::capacity).max().unwrap();
            buffers.iter_mut().for_each(|buffer| buffer.reserve(most));
            assert!(buffers.iter().all(|buffer| buffer.capacity() == 4000));
        }
    }

    /// Goal: stored items survive a reallocation, and nothing else becomes visible.
    #[test]
    fn kept_items_survive_growth() {
        let mut buffer = Buffer::default();
        for k in 0..5000_u32 {
            let spare = buffer.spare(16, &PLENTY);
            spare[..16].fill(u32::MAX);
            spare[0] = k;
            buffer.keep(1);
        }
        assert!(buffer.as_slice().iter().copied().eq(0..5000));
        assert_eq!(buffer.found(), 5000);
        buffer.clear();
        assert!(buffer.as_slice().is_empty() && buffer.capacity() >= 5000);
    }

    /// Goal: once the budget is exceeded, lists count items without growing; one list alone or two
    /// together.
    #[test]
    fn past_the_budget_items_are_counted() {
        for lists in [1, 2] {
            let budget = Budget::new(10_000);
            let mut buffers: [Buffer<u32>; 2] = Default::default();
            for k in 0..5_000 {
                let buffer = &mut buffers[k % lists];
                buffer.spare(16, &budget)[..16].fill(1);
                buffer.keep(10);
            }
            let found: usize = buffers.iter().map(Buffer::found).sum();
            assert_eq!(found, 50_000);
            assert!(buffers.iter().map(Buffer::capacity).sum::<usize>() < 20_000);
        }
    }

    /// Goal: more items than a `usize` can count are not taken for few, as happens on 32-bit CPUs. Method: lists that have
    /// discarded almost so many, which count further items and discard others.
    #[test]
    fn count_of_items_does_not_wrap() {
        let budget = Budget::new(5);
        let mut buffer = Buffer::<u32> { discarded: usize::MAX - 20, ..Buffer::default() };
        for _ in 0..4 {
            buffer.spare(16, &budget)[..10].fill(1);
            buffer.keep(10);
            assert!(buffer.found() >= usize::MAX - 10);
        }
        buffer.discard_from(0);
        assert_eq!((buffer.found(), buffer.len()), (usize::MAX, 0));
        assert!(buffer.capacity() <= 16 && !budget.spend(1));
    }

    /// Goal: a list that grows by a few per cent does not reallocate, including the space for whole
    /// groups.
    #[test]
    fn a_settled_list_has_spare_capacity() {
        let mut buffer = Buffer::<u32>::default();
        buffer.reserve(1000);
        buffer.spare(1000, &PLENTY);
        buffer.keep(600);
        buffer.reserve_spare(0);
        let capacity = buffer.capacity();
        assert_eq!(capacity, 1250);
        buffer.spare(500, &PLENTY);
        buffer.reserve_spare(0);
        assert_eq!(buffer.capacity(), capacity);
        buffer.reserve_spare(2000);
        assert_eq!(buffer.capacity(), 2500);
        buffer.shrink_to(0);
        assert_eq!(buffer.capacity(), 600);
    }
}
