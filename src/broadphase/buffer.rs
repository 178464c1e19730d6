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

    /// Makes room for so many items and no more.
    pub(super) fn reserve(&mut self, room: usize) {
        if self.items.len() < room {
            self.items.resize(room, T::default());
        }
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

#[cfg(test)]
mod tests {
    use super::Buffer;

    /// Goal: threads that give each other room by turns come to rest. Method: rooms so close that
    /// growing one by half, as a list does that runs out, would overtake the other for ever.
    #[test]
    fn room_that_is_reserved_is_not_exceeded() {
        let mut buffers = [Buffer::<u32>::default(), Buffer::default()];
        buffers[0].spare(3000);
        buffers[1].spare(4000);
        for _ in 0..3 {
            let most = buffers.iter().map(Buffer::room).max().unwrap();
            buffers.iter_mut().for_each(|buffer| buffer.reserve(most));
            assert!(buffers.iter().all(|buffer| buffer.room() == 4000));
        }
    }

    /// Goal: what was kept stays when memory grows, and nothing else shows.
    #[test]
    fn kept_items_survive_growth() {
        let mut buffer = Buffer::default();
        for k in 0..5000_u32 {
            let spare = buffer.spare(16);
            spare[..16].fill(u32::MAX);
            spare[0] = k;
            buffer.keep(1);
        }
        assert!(buffer.as_slice().iter().copied().eq(0..5000));
        buffer.clear();
        assert!(buffer.as_slice().is_empty() && buffer.room() >= 5000);
    }
}
