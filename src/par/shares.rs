//! Chunks of a slice that workers take one after the other, first those of a share of their own.

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The greatest number of shares into which items are cut: one for each worker, or for a few
/// workers.
const SHARES: usize = 32;

/// How a slice is cut into chunks.
#[derive(Clone, Copy)]
pub(super) struct Cuts<'a> {
    /// The number of chunks.
    pub(super) count: usize,
    /// The number of items in a chunk, or of parts if there are `starts`. The last chunk may have fewer.
    pub(super) size: usize,
    /// The start of each part, and the end of the last one.
    pub(super) starts: Option<&'a [usize]>,
    /// The number of items in the slice.
    len: usize,
}

impl<'a> Cuts<'a> {
    /// Cuts `len` items into chunks of `size` items.
    pub(super) fn chunks(len: usize, size: usize) -> Self {
        Self { count: len.div_ceil(size), size, starts: None, len }
    }

    /// Cuts items at every `size`-th of `starts`.
    pub(super) fn parts(starts: &'a [usize], size: usize) -> Self {
        let parts = starts.len() - 1;
        Self { count: parts.div_ceil(size), size, starts: Some(starts), len: starts[parts] }
    }

    /// Returns the index of the first item of a chunk.
    fn start(&self, chunk: usize) -> usize {
        let start = chunk.saturating_mul(self.size);
        match self.starts {
            Some(starts) => starts[start.min(starts.len() - 1)],
            None => start.min(self.len),
        }
    }

    /// Returns the chunks of share `share` of `size` chunks, and the number of their items.
    fn share(&self, share: usize, size: usize) -> (Range<usize>, usize) {
        let first = share.saturating_mul(size).min(self.count);
        let end = first.saturating_add(size).min(self.count);
        (first..end, self.start(end) - self.start(first))
    }

    /// Takes the first or the last of the chunks `left`. Returns its index, and where the items of `left` are split.
    fn take(&self, left: &mut Range<usize>, last: bool) -> Option<(usize, usize)> {
        let start = self.start(left.start);
        if last {
            let chunk = left.next_back()?;
            Some((chunk, self.start(chunk) - start))
        } else {
            let chunk = left.next()?;
            Some((chunk, self.start(chunk + 1) - start))
        }
    }
}

/// The chunks of a slice, and how many of them are finished. It is compiled once for all types of items.
pub(super) struct Chunks<'a> {
    pub(super) cuts: Cuts<'a>,
    /// The number of chunks whose work has ended.
    ended: AtomicUsize,
}

impl Chunks<'_> {
    /// Whether the work of all chunks has ended.
    pub(super) fn have_all_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire) == self.cuts.count
    }

    /// Notes that the work of this many chunks has ended.
    pub(super) fn end(&self, chunks: usize) {
        // Ordered before the reads after the loop, whatever synchronisation the executor has.
        self.ended.fetch_add(chunks, Ordering::Release);
    }
}

/// Consecutive chunks that no worker has taken.
struct Share<'a, T> {
    left: Range<usize>,
    /// The items of these chunks.
    items: &'a mut [T],
}

/// Chunks of a slice that workers take one after the other.
pub(super) struct WorkShares<'a, T> {
    pub(super) chunks: Chunks<'a>,
    shares: [Mutex<Share<'a, T>>; SHARES],
}

impl<'a, T> WorkShares<'a, T> {
    /// Divides the chunks into shares for `workers`.
    pub(super) fn new(cuts: Cuts<'a>, workers: usize, items: &'a mut [T]) -> Self {
        let size = cuts.count.div_ceil(workers.clamp(1, SHARES));
        let (mut rest, mut share) = (items, 0);
        let mut shares = [const { Mutex::new(Share { left: 0..0, items: &mut [] }) }; SHARES];
        while share < SHARES {
            let (left, count) = cuts.share(share, size);
            let (items, others) = rest.split_at_mut(count);
            shares[share] = Mutex::new(Share { left, items });
            (share, rest) = (share + 1, others);
        }
        Self { chunks: Chunks { cuts, ended: AtomicUsize::new(0) }, shares }
    }

    /// Returns a chunk and its index: the next chunk of the share `own`, else the last chunk of
    /// another share, or `None` when all chunks were taken.
    pub(super) fn next(&self, own: usize) -> Option<(usize, &'a mut [T])> {
        // An executor that breaks its contract passes any number.
        let (own, mut other) = (own % SHARES, 0);
        while other < SHARES {
            // A lock cannot be poisoned, because nothing panics while it is held.
            let mut share = self.shares[(own + other) % SHARES].lock().ok()?;
            let last = other > 0;
            if let Some((chunk, at)) = self.chunks.cuts.take(&mut share.left, last) {
                let (start, end) = core::mem::take(&mut share.items).split_at_mut(at);
                let (taken, rest) = if last { (end, start) } else { (start, end) };
                share.items = rest;
                return Some((chunk, taken));
            }
            other += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Cuts, SHARES};

    /// Goal: shares of very many items have each item once, as they must on 32-bit CPUs for any slice. Method: as many items as a slice may have.
    #[test]
    fn shares_of_very_many_items_do_not_wrap() {
        for (chunk, workers) in [(1, 2), (3, 32), (usize::MAX / 2 + 2, 2)] {
            let cuts = Cuts::chunks(usize::MAX, chunk);
            let size = cuts.count.div_ceil(workers);
            let (mut chunks, mut items) = (0, 0);
            for share in 0..SHARES {
                let (range, count) = cuts.share(share, size);
                assert_eq!(range.start, chunks);
                (chunks, items) = (range.end, items + count);
            }
            assert_eq!((chunks, items), (cuts.count, usize::MAX));
        }
    }
}
