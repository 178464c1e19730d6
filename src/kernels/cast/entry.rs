//! At which fraction does one segment enter each of some boxes, when many groups are asked one
//! after the other and the range shrinks?
//!
//! The arithmetic of `room.rs` with all that boxes share computed once: the reciprocals, and which
//! of two faces comes first. There a `min` and a `max` tell the faces apart; the lesser quotient is
//! that of the least corner where the reciprocal is positive, else that of the greatest, so to
//! choose by the sign gives the same numbers, but for the sign of a zero, which the slack takes
//! away. The entry has the same bits.
//!
//! Promise: to widen a box does not make its entry later nor lose a hit, since each step is
//! monotonic in the ends of the box, and so is its rounding. An axis on which the segment does not
//! move gives minus infinity and infinity, or NaN in place of either, which no step counts.

use super::room::{SCALE, SLACK, SLACK_TINY};
use crate::geom::Segment;
use crate::lanes::{F32Lanes, Isa};

/// A segment against many boxes. `TINY` tells that a displacement other than zero may be below the
/// normal range, and changes nothing where none is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<const TINY: bool> {
    start: [f32; 3],
    /// One by the displacement, scaled where that is tiny.
    per_d: [f32; 3],
    scale: [f32; 3],
    /// Where the greatest corner is reached before the least.
    falls: [bool; 3],
}

impl<const TINY: bool> Entry<TINY> {
    /// The segment, which is valid.
    #[inline(always)]
    pub(crate) fn new(segment: &Segment) -> Self {
        let (mut per_d, mut scale, mut falls) = ([0.0; 3], [1.0; 3], [false; 3]);
        for axis in 0..3 {
            let d = segment.delta[axis];
            if TINY && d.abs() < f32::MIN_POSITIVE {
                scale[axis] = SCALE;
            }
            // The sum makes a zero of -0, so that 1 / 0 is plus infinity.
            per_d[axis] = 1.0 / (d * scale[axis] + 0.0);
            falls[axis] = d < 0.0;
        }
        Self { start: segment.start, per_d, scale, falls }
    }

    /// Which of the columns of corners, least and greatest x, y, z, hold the face of an axis that
    /// comes first, and the one that comes last.
    #[inline(always)]
    pub(crate) fn faces(&self, axis: usize) -> [usize; 2] {
        if self.falls[axis] { [3 + axis, axis] } else { [axis, 3 + axis] }
    }

    /// Where boxes are entered, and which of them at `most` or before; `most` is finite. `first` and
    /// `last` are the columns [`Entry::faces`].
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
            if TINY {
                let scale = isa.splat(self.scale[axis]);
                (near, far) = (near * scale, far * scale);
            }
            // A NaN takes no part.
            entered = near.max(entered);
            left = far.min(left);
        }
        let tiny = isa.splat(SLACK_TINY);
        let entry = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
        let exit = left * isa.splat(1.0 + SLACK) + tiny;
        (entry, entry.le(exit) & entry.le(isa.splat(most)) & zero.le(left))
    }
}

/// Whether a displacement is below the normal range and not zero.
pub(crate) fn is_tiny(segment: &Segment) -> bool {
    segment.delta.iter().any(|d| d.abs() < f32::MIN_POSITIVE && *d != 0.0)
}
