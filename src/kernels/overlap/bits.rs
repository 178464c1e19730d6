//! Output of an overlap test as a bit set, and the sink that stops at the first hit.

use crate::columns::LengthMismatch;
use crate::geom::sum_of;
use crate::kernels::batch::{Answer, Sink};
use crate::lanes::{Isa, LANES_MAX, MaskLanes};

/// Number of rows per word.
const ROWS: usize = u32::BITS as usize;

/// A set of rows as a bit set: row `i` is bit `i % 32` of word `i / 32`.
///
/// There must be exactly [`Bits::words_for`]`(rows)` words. A batch writes all of them; the bits
/// after the last row are zero. 1/8 byte per row.
///
/// ```
/// use swath::batch::overlap;
/// use swath::batch::overlap::Bits;
/// use swath::{Aabb, Level, MovingBoxStore};
///
/// let mut many = MovingBoxStore::new();
/// for x in 0..100 {
///     many.push(Aabb::cube([x as f32, 0.0, 0.0], 0.25)?)?;
/// }
/// let a = Aabb::new([6.5, 0.0, 0.0], [8.75, 1.0, 1.0])?;
/// let mut words = [0; Bits::words_for(100)];
/// overlap::one_to_many(Level::detect(), &a, &many.checked(), Bits { words: &mut words })?;
/// let found = Bits { words: &mut words };
/// assert!(found.get(7) && !found.get(6));
/// assert_eq!(found.rows().collect::<Vec<_>>(), [7, 8, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bits<'a> {
    /// The words, 32 rows each.
    pub words: &'a mut [u32],
}

impl Bits<'_> {
    /// Returns the number of words for a number of rows.
    #[must_use]
    pub const fn words_for(rows: usize) -> usize {
        rows.div_ceil(ROWS)
    }

    /// Returns whether row `row` is in the set.
    ///
    /// # Panics
    ///
    /// If the set has no word for this row.
    #[must_use]
    pub fn get(&self, row: usize) -> bool {
        self.words[row / ROWS] >> (row % ROWS) & 1 == 1
    }

    /// Returns the number of rows in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        sum_of(self.words, |word| word.count_ones() as usize)
    }

    /// Iterates over the rows in the set, in order.
    pub fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        (0_u32..).step_by(ROWS).zip(self.words.iter()).flat_map(|(first, &word)| {
            let mut left = word;
            core::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < u32::BITS).then_some(first + bit)
            })
        })
    }
}

/// Returns the hit mask shifted so that bit `k` is row `start + seen + k`: the rows not stored
/// before.
#[inline(always)]
fn fresh<I: Isa>(seen: usize, answer: &Answer<I>) -> u32 {
    answer.hit.bits() >> seen
}

impl Sink for Bits<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `words`", Self::words_for(rows), self.words.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, _: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        const { assert!(ROWS.is_multiple_of(LANES_MAX), "a group of fresh rows lies in one word") };
        // Groups start at multiples of the lane count. The last group starts earlier, but its new
        // rows start at the next multiple, so they never cross a word.
        let row = start + seen;
        let shift = (row % ROWS) as u32;
        let word = &mut self.words[row / ROWS];
        // Keep the lower bits, which belong to earlier rows. Overwrite this bit and all above it.
        *word = *word & !(u32::MAX << shift) | fresh(seen, &answer) << shift;
        true
    }
}

/// The lowest row that is hit. Stops the loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FirstRow(pub(super) Option<u32>);

impl Sink for &mut FirstRow {
    fn check(&self, _: usize) -> Result<(), LengthMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, _: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        let bits = fresh(seen, &answer);
        if bits == 0 {
            return true;
        }
        self.0 = Some((start + seen) as u32 + bits.trailing_zeros());
        false
    }
}
