//! Where do lanes write what they found, when nobody knows how much it will be?

use alloc::vec::Vec;

/// A list that is written in whole lane groups: memory stays initialised past its end.
#[derive(Debug)]
pub(super) struct Buffer<T> {
    items: Vec<T>,
    len: usize,
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self { items: Vec::new(), len: 0 }
    }
}

impl<T: Copy + Default> Buffer<T> {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// How many items fit without more memory.
    pub(super) fn room(&self) -> usize {
        self.items.len()
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }

    /// At least `most` places past the end. What of them counts, [`Buffer::keep`] says.
    #[inline(always)]
    pub(super) fn spare(&mut self, most: usize) -> &mut [T] {
        if self.items.len() - self.len < most {
            self.grow(most);
        }
        &mut self.items[self.len..]
    }

    /// Lengthens the list by what was written to the spare places.
    #[inline(always)]
    pub(super) fn keep(&mut self, count: usize) {
        self.len += count;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, most: usize) {
        let wanted = (self.len + most).max(self.items.len() * 3 / 2).max(1024);
        self.items.resize(wanted, T::default());
    }
}
