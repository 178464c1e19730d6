//! Output lists of batch kernels: the rows that were hit, with or without a number each.

use super::BatchError;
use super::batch::{Answer, Sink, mask};
use crate::columns::LengthMismatch;
use crate::lanes::{F32Lanes, IOTA, Isa, LANES_MAX, MaskLanes, U32Lanes};
use bytemuck::{Pod, Zeroable};

/// A row that was hit, with one number. 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Hit {
    /// The row; for `pairs`, the index of the pair.
    pub row: u32,
    /// The first time of a sweep, the entry fraction of a cast, the depth of a separation, or the
    /// distance of a proximity query.
    pub value: f32,
}

impl Hit {
    /// The value that stands for no hit in a batch of queries. Its number is infinite, which formats like JSON cannot represent.
    pub const MISS: Self = Self { row: u32::MAX, value: f32::INFINITY };

    /// Returns whether this is not [`Hit::MISS`].
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.row != Self::MISS.row
    }
}

/// A list of [`Hit`]s in a buffer of the caller, ordered by row.
///
/// A batch appends the rows that are hit. If the buffer is too short for all of them, the batch
/// returns [`BatchError::TooShort`] with the number of hits; the buffer then contains the first
/// ones. A batch may also overwrite elements of the buffer after the last hit, and what it writes there depends on
/// the level: read the list, not the buffer.
///
/// ```
/// use swath::{Aabb, Level, MovingBox, MovingBoxStore};
/// use swath::batch::{Hit, Hits, sweep};
///
/// let mut many = MovingBoxStore::new();
/// for x in 0..100 {
///     many.push(Aabb::cube([x as f32, 0.0, 0.0], 0.25)?)?;
/// }
/// let bullet = MovingBox::new(Aabb::point([9.5, 0.0, 0.0])?, [2.0, 0.0, 0.0])?;
/// let mut memory = [Hit::default(); 8];
/// let mut hits = Hits::new(&mut memory);
/// sweep::one_to_many(Level::detect(), &bullet, &many.checked(), &mut hits)?;
/// let rows: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
/// assert_eq!(rows, [10, 11]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Hits<'a> {
    to: &'a mut [Hit],
    found: usize,
}

/// A list of rows in a buffer of the caller, in order. Like [`Hits`], without the numbers.
#[derive(Debug)]
pub struct Rows<'a> {
    to: &'a mut [u32],
    found: usize,
}

impl<'a> Hits<'a> {
    /// Creates an empty list in `to`.
    pub fn new(to: &'a mut [Hit]) -> Self {
        Self { to, found: 0 }
    }
}

impl<'a> Rows<'a> {
    /// Creates an empty list in `to`.
    pub fn new(to: &'a mut [u32]) -> Self {
        Self { to, found: 0 }
    }
}

/// Defines the methods of both lists.
macro_rules! list {
    ($list:ident, $item:ty) => {
        impl $list<'_> {
            /// Returns the number of hits found, which may be greater than the capacity of the
            /// buffer.
            #[must_use]
            pub fn found(&self) -> usize {
                self.found
            }

            /// Empties the list.
            pub fn clear(&mut self) {
                self.found = 0;
            }
        }

        /// Dereferences to the hits that fitted into the buffer.
        impl core::ops::Deref for $list<'_> {
            type Target = [$item];

            fn deref(&self) -> &[$item] {
                &self.to[..self.found.min(self.to.len())]
            }
        }
    };
}

list!(Hits, Hit);
list!(Rows, u32);

/// Returns the lanes that are hit and were not stored before, and the row of each lane.
#[inline(always)]
fn fresh<I: Isa>(isa: I, start: usize, seen: usize, hit: I::Mask) -> (I::Mask, I::U32) {
    let hit = if seen == 0 { hit } else { hit & mask(isa, u32::MAX << seen) };
    (hit, isa.load_u32(&IOTA).wrapping_add(isa.splat_u32(start as u32)))
}

fn finish(found: usize, capacity: usize) -> Result<(), BatchError> {
    if found <= capacity { Ok(()) } else { Err(BatchError::TooShort { needed: found, capacity }) }
}

impl Sink for &mut Hits<'_> {
    fn check(&self, _: usize) -> Result<(), LengthMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        let (hit, rows) = fresh(isa, start, seen, answer.hit);
        let (rows, values) = (rows.compress(hit), answer.near.to_bits().compress(hit));
        let count = hit.count();
        // Write a whole group wherever it fits.
        if self.found + I::LANES <= self.to.len() {
            let to: &mut [[u32; 2]] = bytemuck::cast_slice_mut(&mut self.to[self.found..]);
            isa.store_pairs(rows, values, count, to);
        } else {
            let mut group = [[0; 2]; LANES_MAX];
            isa.store_pairs(rows, values, count, &mut group);
            append(self.to, self.found, bytemuck::cast_slice(&group[..count]));
        }
        self.found += count;
        true
    }

    fn finish(&self) -> Result<(), BatchError> {
        finish(self.found, self.to.len())
    }
}

impl Sink for &mut Rows<'_> {
    fn check(&self, _: usize) -> Result<(), LengthMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        let (hit, rows) = fresh(isa, start, seen, answer.hit);
        let rows = rows.compress(hit);
        let count = hit.count();
        if self.found + I::LANES <= self.to.len() {
            rows.store(&mut self.to[self.found..]);
        } else {
            let mut group = [0; LANES_MAX];
            rows.store(&mut group);
            append(self.to, self.found, &group[..count]);
        }
        self.found += count;
        true
    }

    fn finish(&self) -> Result<(), BatchError> {
        finish(self.found, self.to.len())
    }
}

/// Copies the items that fit to `to[at..]`.
#[cold]
fn append<T: Copy>(to: &mut [T], at: usize, items: &[T]) {
    let from = at.min(to.len());
    for (to, item) in to[from..].iter_mut().zip(items) {
        *to = *item;
    }
}
