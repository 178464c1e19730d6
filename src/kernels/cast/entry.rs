//! Entry fractions of one segment against many groups of boxes, with a shrinking range.
//!
//! This is the arithmetic of `simd.rs` with everything computed once that does not depend on the
//! box: the reciprocals, and which of the two faces of an axis comes first. `simd.rs` finds the
//! first face with a `min` and a `max`. Here it is chosen by the sign of the reciprocal: the lesser
//! quotient is that of `min` if the reciprocal is positive, else that of `max`. Both ways give the
//! same numbers except for the sign of a zero, which the correction removes. So the entry has the
//! same bits.
//!
//! Guarantee: enlarging a box never makes its entry later and never loses a hit, because each step
//! is monotonic in the corners of the box, including its rounding. An axis on which the segment
//! does not move gives minus infinity and infinity, or NaN in place of either; no step takes a NaN
//! into account.

use super::simd::{SCALE, SLACK, SLACK_TINY};
use crate::geom::Segment;
use crate::lanes::{F32Lanes, Isa};

/// A segment prepared for many boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    start: [f32; 3],
    /// The reciprocal of the displacement, which is scaled first if it is tiny.
    per_d: [f32; 3],
    scale: [f32; 3],
    /// Whether a nonzero displacement is below the normal range, so that scales are applied. It is a
    /// value and not a type, because a predictable branch costs less than a second copy of each query.
    tiny: bool,
    /// The axes on which the displacement is negative, so that `max` is reached before `min`.
    falls: [bool; 3],
}

impl Entry {
    /// Prepares a valid segment.
    #[inline(always)]
    pub(crate) fn new(segment: &Segment) -> Self {
        let (mut per_d, mut scale, mut falls) = ([0.0; 3], [1.0; 3], [false; 3]);
        let tiny = is_tiny(segment);
        for axis in 0..3 {
            let d = segment.delta[axis];
            if tiny && d.abs() < f32::MIN_POSITIVE {
                scale[axis] = SCALE;
            }
            // Adding zero turns -0 into 0, so that 1 / 0 is plus infinity.
            per_d[axis] = 1.0 / (d * scale[axis] + 0.0);
            falls[axis] = d < 0.0;
        }
        Self { start: segment.start, per_d, scale, tiny, falls }
    }

    /// Returns the columns of the face of an axis that comes first and of the one that comes last.
    ///
    /// Columns are numbered `min` x, y, z, `max` x, y, z.
    #[inline(always)]
    pub(crate) fn faces(&self, axis: usize) -> [usize; 2] {
        if self.falls[axis] { [3 + axis, axis] } else { [axis, 3 + axis] }
    }

    /// Returns the entry fractions of a group of boxes, and the mask of those that are at most
    /// `most`.
    ///
    /// `most` must be finite. `first` and `last` are the columns given by [`Entry::faces`].
    #[inline(always)]
    pub(crate) fn entries<I: Isa>(
        &self,
        isa: I,
        (first, last): (&[I::F32; 3], &[I::F32; 3]),
        most: f32,
    ) -> (I::F32, I::Mask) {
        let zero = isa.splat(0.0);
        let mut entered = isa.splat(f32::NEG_INFINITY);
        let mut left = isa.splat(f32::INFINITY);
        for axis in 0..3 {
            let (start, per_d) = (isa.splat(self.start[axis]), isa.splat(self.per_d[axis]));
            let mut near = (first[axis] - start) * per_d;
            let mut far = (last[axis] - start) * per_d;
            if self.tiny {
                let scale = isa.splat(self.scale[axis]);
                (near, far) = (near * scale, far * scale);
            }
            // The order of operands makes both reductions ignore a NaN.
            entered = near.max(entered);
            left = far.min(left);
        }
        let tiny = isa.splat(SLACK_TINY);
        let entry = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
        let exit = left * isa.splat(1.0 + SLACK) + tiny;
        (entry, entry.le(exit) & entry.le(isa.splat(most)) & zero.le(left))
    }
}

/// Returns whether a displacement is nonzero and below the normal range.
pub(crate) fn is_tiny(segment: &Segment) -> bool {
    segment.delta.iter().any(|d| d.abs() < f32::MIN_POSITIVE && *d != 0.0)
}
