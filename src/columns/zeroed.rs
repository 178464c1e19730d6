//! A list of plain values in memory that has no cost until it is written.

use super::impl_memory;
use crate::lanes::{LARGE_PAGE, request_large_pages};
use alloc::vec;
use alloc::vec::Vec;
use bytemuck::Pod;
use core::marker::PhantomData;

/// A list of plain values that are zero until they are written.
///
/// The allocator takes the memory of a long list from the system, which provides each page when it is first written. So
/// threads that write different parts of the list share that work. A `Vec` of values with a great alignment would be
/// written with zeros by the thread that creates it. A long list starts at a large page, and is on large pages if the
/// system has them.
#[derive(Debug)]
pub(crate) struct Zeroed<T> {
    /// The values, and as many words before them as their alignment needs.
    words: Vec<u32>,
    first: usize,
    len: usize,
    values: PhantomData<T>,
}

impl_memory!([T] Zeroed<T> { words; without first, len, values });

impl<T> Default for Zeroed<T> {
    fn default() -> Self {
        Self { words: Vec::new(), first: 0, len: 0, values: PhantomData }
    }
}

impl<T: Pod> Clone for Zeroed<T> {
    /// Copies the values to memory with an alignment of its own.
    fn clone(&self) -> Self {
        if self.len == 0 {
            return Self::default();
        }
        let mut copy = Self::new(self.len);
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

impl<T: Pod> Zeroed<T> {
    /// Creates a list of zeros.
    pub(crate) fn new(len: usize) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(4)) };
        let is_long = len * size_of::<T>() >= LARGE_PAGE;
        let alignment = if is_long { LARGE_PAGE } else { align_of::<T>() };
        let words = vec![0; Self::words(len) + alignment / 4];
        let first = words.as_ptr().align_offset(alignment);
        let list = Self { words, first, len, values: PhantomData };
        request_large_pages(list.as_slice());
        list
    }

    /// The number of words of this many values.
    fn words(len: usize) -> usize {
        len * (size_of::<T>() / 4)
    }

    /// Makes the list longer. New values are zero, or those that [`truncate`](Self::truncate) removed. The list is copied if its memory is too short.
    pub(crate) fn lengthen(&mut self, len: usize) {
        if Self::words(len) > self.words.len().saturating_sub(self.first) {
            let mut longer = Self::new(len);
            longer.as_mut_slice()[..self.len].copy_from_slice(self.as_slice());
            *self = longer;
        }
        self.len = Ord::max(len, self.len);
    }

    /// Makes the list shorter. The values behind its end stay in memory.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = Ord::min(len, self.len);
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        // The pointer of a list without memory may not have the alignment of `T`.
        if self.len == 0 {
            return &[];
        }
        bytemuck::cast_slice(&self.words[self.first..self.first + Self::words(self.len)])
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        if self.len == 0 {
            return &mut [];
        }
        bytemuck::cast_slice_mut(&mut self.words[self.first..self.first + Self::words(self.len)])
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE_PAGE, Zeroed};
    use bytemuck::{Pod, Zeroable};

    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    #[repr(C, align(64))]
    struct Line([u32; 16]);

    /// Goal: values are zero until they are written, keep what was written when the list becomes longer, and have the
    /// alignment of their type. Method: lists of many lengths, each written, made shorter,
    /// and then lengthened twice, once within its memory.
    #[test]
    fn values_are_zero_until_written_and_are_kept() {
        for len in (0..40).chain([1000, 32_768, 100_000]) {
            let mut list = if len == 0 { Zeroed::default() } else { Zeroed::<Line>::new(len) };
            let alignment = if len * 64 < LARGE_PAGE { 64 } else { LARGE_PAGE };
            assert!(len == 0 || list.as_slice().as_ptr().align_offset(alignment) == 0);
            assert_eq!(list.as_slice().len(), len);
            assert!(list.as_slice().iter().all(|of| *of == Line([0; 16])));
            let value = |k: usize| Line([k as u32 + 1; 16]);
            for (k, line) in list.as_mut_slice().iter_mut().enumerate() {
                *line = value(k);
            }
            list.truncate(len / 2);
            assert_eq!(list.as_slice().len(), len / 2);
            list.lengthen(len);
            list.lengthen(2 * len + 1);
            let lines = list.as_slice();
            assert_eq!(lines.len(), 2 * len + 1);
            assert!(lines[..len].iter().enumerate().all(|(k, line)| *line == value(k)));
            assert!(lines[len..].iter().all(|of| *of == Line([0; 16])));
        }
    }
}
