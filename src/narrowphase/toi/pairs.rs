//! Times of impact of many pairs of shapes.

use super::result::{Toi, ToiResult};
use super::settings::Settings;
use crate::columns::{LengthMismatch, Rejected};
use crate::geom::{Motion, Pair};
use crate::narrowphase::batch::{PairsError, answer, check_rows, reject};
use crate::narrowphase::shape::Shape;
use crate::par::Threads;
use alloc::vec::Vec;

/// Bodies, and the pairs of them that are tested.
#[derive(Clone, Copy, Debug)]
pub struct ToiInput<'a, 's> {
    /// A shape per body.
    pub shapes: &'a [Shape<'s>],
    /// A motion per body.
    pub motions: &'a [Motion],
    /// The pairs, as rows of two bodies.
    pub pairs: &'a [Pair],
    /// The part of the tick to search for each pair, instead of [`Settings::window`]: the first and last
    /// time of contact of its boxes. May be empty.
    pub windows: &'a [[f32; 2]],
}

/// Computes when the two bodies of each pair first touch: `out[i]` is the result of [`one_to_one`](super::one_to_one)
/// for `pairs[i]`.
///
/// `rejected` is overwritten with the rows whose motion is invalid, in order. A pair with such a
/// row is [`ToiResult::Separated`], with no rounds.
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::{Motion, Pair, Pose, Shape, Threads};
/// use swath::convex::toi;
/// use swath::convex::toi::{ToiInput, Settings, Toi};
///
/// let shapes = [Shape::sphere(1.0)?, Shape::cuboid([1.0; 3])?, Shape::cone(1.0, 0.5)?];
/// let still = |x| Pose::at([x, 0.0, 0.0]).map(Motion::from);
/// let motions = [Motion::new(Pose::at([-9.0, 0.0, 0.0])?, [8.0, 0.0, 0.0])?, still(0.0)?, still(6.0)?];
/// let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }];
/// let input = ToiInput { shapes: &shapes, motions: &motions, pairs: &pairs, windows: &[] };
/// let (mut out, mut rejected) = ([Toi::default(); 2], Vec::new());
/// toi::pairs(&input, &Settings::default(), &Threads::current(), &mut rejected, &mut out)?;
/// let t = out[0].impact().expect("it flies into the box");
/// assert!(t <= 0.875 && t > 0.8749);
/// assert_eq!(out[1].impact(), None);
/// assert!(rejected.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs(
    input: &ToiInput<'_, '_>,
    settings: &Settings,
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [Toi],
) -> Result<(), PairsError> {
    let ToiInput { shapes, motions, pairs, windows } = *input;
    settings.validate()?;
    LengthMismatch::check("the column `motions`", shapes.len(), motions.len())?;
    LengthMismatch::check("the output `out`", pairs.len(), out.len())?;
    check_rows(pairs, shapes.len())?;
    if !windows.is_empty() {
        LengthMismatch::check("the column `windows`", pairs.len(), windows.len())?;
        for &window in windows {
            Settings { window, ..*settings }.validate()?;
        }
    }
    reject(motions.iter().map(Motion::validate), rejected);
    let none = Toi { result: ToiResult::Separated, ..Toi::default() };
    answer(pairs, rejected, threads, none, out, |index, [a, b], _| {
        let window = windows.get(index).copied().unwrap_or(settings.window);
        let body = |row: usize| (&shapes[row], &motions[row]);
        super::of_valid(body(a), body(b), &Settings { window, ..*settings })
    });
    Ok(())
}
