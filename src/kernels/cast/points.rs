//! Points of many segments at given fractions.

use super::MISS;
use crate::columns::{Checked, LengthMismatch, SegmentColumns};
use crate::kernels::batch::{Answer, Each, Question, Sink};
use crate::kernels::{BatchError, batch};
use crate::lanes::{F32Lanes, Isa, Level, Table};

/// Writes the point `start + fractions[i] · delta` of row `i` to `out`, one column per axis.
///
/// The product and the sum are each rounded to nearest, like in
/// [`Segment::at`](crate::Segment::at). A coordinate beyond the range of `f32` is infinite. All
/// coordinates are [`MISS`] for an invalid row and for a fraction that is not finite, such as that
/// of a miss. Never NaN. 32 bytes read and 12 written per row.
///
/// # Errors
///
/// [`BatchError::Length`] when the length of `fractions` or of an output is not the number of
/// segments.
///
/// ```
/// use swath::{Level, Segment};
/// use swath::batch::{SegmentStore, cast};
///
/// let mut rays = SegmentStore::new();
/// rays.push(Segment::ray([1.0, 0.0, 0.0], [4.0, 0.0, 2.0])?)?;
/// rays.push(Segment::ray([1.0, 0.0, 0.0], [4.0, 0.0, 2.0])?)?;
/// let (mut x, mut y, mut z) = ([0.0; 2], [0.0; 2], [0.0; 2]);
/// let out = [&mut x[..], &mut y, &mut z];
/// cast::points(Level::detect(), &rays.checked(), &[0.5, cast::MISS], out)?;
/// assert_eq!([x[0], y[0], z[0]], [3.0, 0.0, 1.0]);
/// assert_eq!([x[1], y[1], z[1]], [cast::MISS; 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn points(
    level: Level,
    segments: &Checked<'_, SegmentColumns<'_>>,
    fractions: &[f32],
    out: [&mut [f32]; 3],
) -> Result<(), BatchError> {
    LengthMismatch::check("the column of fractions", segments.len(), fractions.len())?;
    let at = Each::of(Table::new([fractions], fractions.len()), segments);
    batch::zip(level, Points, (Each::new(segments), at), Coordinates(out))
}

/// Computes the point of a segment at a fraction. The third coordinate is passed in the packed
/// word.
#[derive(Clone, Copy, Debug)]
struct Points;

impl Question<7, 1> for Points {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, segment: &[I::F32; 7], at: &[I::F32; 1]) -> Answer<I> {
        // The comparison is false for NaN too.
        let hit = at[0].abs().le(isa.splat(f32::MAX));
        let [x, y, z, dx, dy, dz, _] = *segment;
        let (x, y, z) = (x + dx * at[0], y + dy * at[0], z + dz * at[0]);
        Answer { hit, near: x, far: y, bits: z.to_bits() }
    }
}

/// The output: one column per axis.
struct Coordinates<'a>([&'a mut [f32]; 3]);

impl Sink for Coordinates<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        let names = ["the output `x`", "the output `y`", "the output `z`"];
        for (name, column) in names.into_iter().zip(&self.0) {
            LengthMismatch::check(name, rows, column.len())?;
        }
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        let point = [answer.near, answer.far, I::F32::from_bits(answer.bits)];
        for (column, coordinate) in self.0.iter_mut().zip(point) {
            I::F32::select(answer.hit, coordinate, isa.splat(MISS)).store(&mut column[start..]);
        }
        true
    }
}
