//! Restricts queries by properties that the owner of the boxes stores by row.
//!
//! A [`Broadphase`](crate::Broadphase) stores the kind and the owner of a row. These properties are tested one row at a
//! time, for boxes that the query hits. Filters, which exclude most boxes, have been tested before, in lanes.

use core::fmt::Debug;

/// The properties of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterRow {
    /// One bit, for the kind of the proxy.
    pub(crate) kind: u8,
    /// The owner of the proxy; 0 means no owner.
    pub(crate) owner: u32,
}

/// Looks up the properties of a row.
pub(crate) trait FilterContext: Debug + Sync {
    fn row(&self, row: u32) -> FilterRow;
}

/// The rows to exclude.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryFilter<'a> {
    pub(crate) context: &'a dyn FilterContext,
    /// The bits of the excluded kinds.
    pub(crate) kinds: u8,
    /// The excluded owner; 0 excludes nothing.
    pub(crate) owner: u32,
}

impl QueryFilter<'_> {
    /// Whether any row may be excluded.
    pub(crate) fn excludes_any(&self) -> bool {
        self.kinds != 0 || self.owner != 0
    }

    /// The lanes of `met` whose rows are not excluded.
    #[inline(never)]
    pub(crate) fn passing(&self, met: u32, rows: &[u32]) -> u32 {
        let (mut left, mut passing) = (met, 0);
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let row = self.context.row(rows[lane as usize]);
            let is_out = row.kind & self.kinds != 0 || self.owner != 0 && row.owner == self.owner;
            passing |= u32::from(!is_out) << lane;
        }
        passing
    }
}
