//! Which boxes is a question about, by what their owner knows of each?
//!
//! A [`Broadphase`](crate::Broadphase) knows of a row its set, its owner, and whether its box is
//! larger in some trees than it is. What is asked here is asked of boxes that were met already, one
//! at a time; filters, which take out most, have been looked at before, in lanes.

use core::fmt::Debug;

/// What is known of a row.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Row {
    /// One bit: of which kind it is.
    pub(in super::super) kind: u8,
    /// To whom it belongs; 0 is nobody.
    pub(in super::super) owner: u32,
    /// Whether its box is larger in trees where boxes may be.
    pub(in super::super) is_grown: bool,
}

/// Who knows it.
pub(in super::super) trait Known: Debug + Sync {
    fn row(&self, row: u32) -> Row;
}

/// What is taken out of answers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Sieve<'a> {
    pub(in super::super) known: &'a dyn Known,
    /// Whether any box may be larger in a tree than it is.
    pub(in super::super) some_grown: bool,
    /// Bits of kinds that are taken out.
    pub(in super::super) kinds: u8,
    /// Whose boxes are; 0 is nobody.
    pub(in super::super) owner: u32,
}

impl Sieve<'_> {
    /// Whether there is anything that it may take out.
    pub(super) fn takes_out_some(&self) -> bool {
        self.some_grown || self.kinds != 0 || self.owner != 0
    }

    /// Those lanes of `met` whose rows pass.
    #[inline(never)]
    pub(super) fn passing(&self, met: u32, rows: &[u32], grown: bool) -> u32 {
        if !grown && self.kinds == 0 && self.owner == 0 {
            return met;
        }
        let (mut left, mut passing) = (met, 0);
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let row = self.known.row(rows[lane as usize]);
            let is_out = row.kind & self.kinds != 0
                || self.owner != 0 && row.owner == self.owner
                || grown && row.is_grown;
            passing |= u32::from(!is_out) << lane;
        }
        passing
    }
}
