//! Positions of moving boxes at given times, such as those of a sweep.
//!
//! At time `t` a box is displaced by `delta · t`, so its corners are `min + delta·t` and `max +
//! delta·t` (Gomez 1999, "positions at first and last overlap"). The product and the sum are each
//! rounded to nearest; at `t = 0` and `t = 1` the product is exact. Both corners move by the same
//! number, so `min ≤ max` remains true. The results have the same bits as [`MovingBox::at`].
//!
//! Times are clamped to `[0, 1]`. [`MISS`] gives the end of the path, because a box without contact
//! moves there, and NaN also counts as 1. The result of an invalid row is zero. Units: `times` are
//! fractions of the tick. Cost: 40 bytes read and 24 written per row.
//!
//! [`MISS`]: super::MISS
//! [`MovingBox::at`]: crate::MovingBox::at

use crate::columns::{Checked, LengthMismatch};
use crate::kernels::BatchError;
use crate::kernels::batch::{Each, Side, mask};
use crate::lanes::{F32Lanes, GroupKernel, Isa, Level};

/// The names of the output columns, for error messages.
const NAMES: [&str; 6] = [
    "the output `min.x`",
    "the output `min.y`",
    "the output `min.z`",
    "the output `max.x`",
    "the output `max.y`",
    "the output `max.z`",
];

/// Writes the box of row `i` at `times[i]` to row `i` of `out`: the columns x, y, z of the minima
/// and of the maxima.
///
/// The error of each number is at most half a unit in its last place plus half a unit in the last
/// place of `delta·t`. The magnitude is at most 2·[`COORD_MAX`](crate::COORD_MAX).
///
/// # Errors
///
/// [`BatchError`] when the length of `times` or of an output is not the number of boxes.
///
/// ```
/// use swath::batch::sweep;
/// use swath::batch::sweep::{MISS, Times};
/// use swath::{Aabb, Level, MovingBox, MovingBoxStore};
///
/// let mut many = MovingBoxStore::new();
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
    level.run_groups(rows, Positions { boxes: Each::new(boxes), times, out });
    Ok(())
}

struct Positions<'a, 'o> {
    boxes: Each<'a, 9>,
    times: &'a [f32],
    out: [&'o mut [f32]; 6],
}

impl GroupKernel for Positions<'_, '_> {
    #[inline(always)]
    fn group<I: Isa>(&mut self, isa: I, start: usize, _: usize) -> bool {
        let numbers = self.boxes.load(isa, start);
        let valid = mask(isa, !self.boxes.invalid::<I>(start));
        let t = isa.load(&self.times[start..]);
        let moved = corners_at(isa, &numbers, t);
        for (column, moved) in self.out.iter_mut().zip(moved) {
            I::F32::select(valid, moved, isa.splat(0.0)).store(&mut column[start..]);
        }
        true
    }
}

/// Computes the corners at `t`.
#[inline(always)]
fn corners_at<I: Isa>(isa: I, numbers: &[I::F32; 9], t: I::F32) -> [I::F32; 6] {
    // This `min` turns NaN into 1.
    let t = t.min(isa.splat(1.0)).max(isa.splat(0.0));
    let mut moved = [t; 6];
    for axis in 0..3 {
        let by = numbers[6 + axis] * t;
        moved[axis] = numbers[axis] + by;
        moved[3 + axis] = numbers[3 + axis] + by;
    }
    moved
}
