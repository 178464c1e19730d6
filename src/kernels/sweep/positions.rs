//! Where are moving boxes at given times, such as those of a sweep?
//!
//! A box is moved by `delta · t` at `t`, so its corners are `min + delta·t` and `max + delta·t`
//! (Gomez 1999, "positions at first and last overlap"). The product is rounded to nearest and so
//! is the sum; at `t = 0` and `t = 1` the product is exact. Both corners move by the same number,
//! so `min ≤ max` stays true. The same bits as [`MovingBox::at`].
//!
//! Times: below 0 is 0; past 1 is 1, and so is [`MISS`], for a box that meets nothing ends where it
//! goes; NaN is 1 too. A row that is no box is all zeros. Units: `times` are fractions of the tick.
//! Cost: 40 bytes in and 24 out for each row.
//!
//! [`MISS`]: super::MISS
//! [`MovingBox::at`]: crate::MovingBox::at

use crate::kernels::BatchError;
use crate::kernels::ask::{Each, Side, mask};
use crate::lanes::{F32Lanes, Isa, Kernel, Level};
use crate::store::{Checked, LengthMismatch};

/// What each output column is called in an error.
const NAMES: [&str; 6] = [
    "the output `min.x`",
    "the output `min.y`",
    "the output `min.z`",
    "the output `max.x`",
    "the output `max.y`",
    "the output `max.z`",
];

/// Writes where row `i` is at `times[i]` to row `i` of `out`: the columns x, y, z of the least
/// corners and of the greatest.
///
/// Each number is within half a unit in its last place of the true one and half a unit in the last
/// place of `delta·t`; at most 2·[`COORD_MAX`](crate::COORD_MAX) in magnitude.
///
/// # Errors
///
/// [`BatchError`] when `times` or an output has not one row for each box.
///
/// ```
/// use swath::sweep::{self, MISS, Times};
/// use swath::{Aabb, BoxStore, Level, MovingBox};
///
/// let mut many = BoxStore::new();
/// many.push(MovingBox::new(Aabb::cube([-4.0, 0.0, 0.0], 0.5)?, [8.0, 0.0, 0.0])?)?;
/// many.push(MovingBox::new(Aabb::cube([-4.0, 9.0, 0.0], 0.5)?, [8.0, 0.0, 0.0])?)?;
/// let wall = Aabb::new([0.0, -5.0, -5.0], [1.0, 5.0, 5.0])?;
/// let (mut first, mut last) = ([0.0; 2], [0.0; 2]);
/// let times = Times { first: &mut first, last: &mut last };
/// sweep::one_to_many(Level::detect(), &wall.into(), &many.checked(), times)?;
///
/// let mut at = [[0.0; 2]; 6];
/// let out = at.each_mut().map(|column| &mut column[..]);
/// sweep::positions(Level::detect(), &many.checked(), &first, out)?;
/// let [min_x, _, _, max_x, ..] = at;
/// assert!((max_x[0] - 0.0).abs() < 1e-5); // at the wall
/// assert_eq!((first[1], min_x[1]), (MISS, 3.5)); // the end of its path
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn positions(
    level: Level,
    boxes: &Checked<'_>,
    times: &[f32],
    out: [&mut [f32]; 6],
) -> Result<(), BatchError> {
    let rows = boxes.len();
    LengthMismatch::check("`times`", rows, times.len())?;
    for (name, column) in NAMES.into_iter().zip(&out) {
        LengthMismatch::check(name, rows, column.len())?;
    }
    level.run_rows(rows, Positions { boxes: Each::new(boxes), times, rows, out });
    Ok(())
}

struct Positions<'a, 'o> {
    boxes: Each<'a, 9>,
    times: &'a [f32],
    rows: usize,
    out: [&'o mut [f32]; 6],
}

impl Kernel for Positions<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { boxes, times, rows, mut out } = self;
        let mut row = 0;
        while row < rows {
            // The last group reaches back and moves some rows again, the same.
            let start = row.min(rows - I::LANES);
            let numbers = boxes.load(isa, start);
            let valid = mask(isa, !boxes.invalid::<I>(start));
            let t = isa.load(&times[start..]);
            let moved = at(isa, &numbers, t);
            for (column, moved) in out.iter_mut().zip(moved) {
                I::F32::select(valid, moved, isa.splat(0.0)).store(&mut column[start..]);
            }
            row += I::LANES;
        }
    }
}

/// The corners at `t`.
#[inline(always)]
fn at<I: Isa>(isa: I, numbers: &[I::F32; 9], t: I::F32) -> [I::F32; 6] {
    // The least of NaN and 1 is 1 here.
    let t = t.min(isa.splat(1.0)).max(isa.splat(0.0));
    let mut moved = [t; 6];
    for axis in 0..3 {
        let by = numbers[6 + axis] * t;
        moved[axis] = numbers[axis] + by;
        moved[3 + axis] = numbers[3 + axis] + by;
    }
    moved
}
