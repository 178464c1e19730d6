//! Restricts queries by properties that the owner of the boxes stores by row.
//!
//! A [`Broadphase`](crate::Broadphase) stores the kind and the owner of a row. These properties are tested one row at a
//! time, for boxes that the query hits. Filters, which exclude most boxes, have been tested before, in lanes, as words; where words
//! do not decide exactly, they are tested once more.

use crate::geom::Filter;
use alloc::vec::Vec;
use core::fmt::Debug;

/// The properties of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterRow {
    /// One bit, for the kind of the proxy.
    pub(crate) kind: u8,
    /// The owner of the proxy; 0 means no owner.
    pub(crate) owner: u32,
    /// Its filter.
    pub(crate) filter: Filter,
}

/// Looks up the properties of a row.
pub(crate) trait FilterContext: Debug + Sync {
    fn row(&self, row: u32) -> FilterRow;
}

/// Filters by row; those of further rows are [`Filter::ALL`].
impl FilterContext for Vec<Filter> {
    fn row(&self, row: u32) -> FilterRow {
        let filter = self.get(row as usize).copied().unwrap_or_default();
        FilterRow { kind: 0, owner: 0, filter }
    }
}

/// The rows to exclude.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryFilter<'a> {
    pub(crate) context: &'a dyn FilterContext,
    /// The bits of the excluded kinds.
    pub(crate) kinds: u8,
    /// The excluded owner; 0 excludes nothing.
    pub(crate) owner: u32,
    /// The filter of the query, if words of filters do not decide exactly.
    pub(crate) filter: Option<Filter>,
    /// Whether the word of any stored filter is not exact.
    pub(crate) inexact_filters: bool,
}

impl<'a> QueryFilter<'a> {
    /// Excludes nothing.
    pub(crate) fn new(context: &'a dyn FilterContext, inexact_filters: bool) -> Self {
        Self { context, kinds: 0, owner: 0, filter: None, inexact_filters }
    }

    /// Whether any row may be excluded.
    pub(crate) fn excludes_any(&self) -> bool {
        self.kinds != 0 || self.owner != 0 || self.filter.is_some()
    }

    /// The lanes of `met` whose rows are not excluded.
    #[inline(never)]
    pub(crate) fn passing(&self, met: u32, rows: &[u32]) -> u32 {
        let (mut left, mut passing) = (met, 0);
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let row = self.context.row(rows[lane as usize]);
            let is_out = row.kind & self.kinds != 0
                || self.owner != 0 && row.owner == self.owner
                || self.filter.is_some_and(|filter| !filter.allows(row.filter));
            passing |= u32::from(!is_out) << lane;
        }
        passing
    }
}
