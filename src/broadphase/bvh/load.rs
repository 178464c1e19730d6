//! Validates fixed boxes and converts them to records for a build.
//!
//! Boxes become records of 32 bytes: box, row and filter. Invalid boxes are listed and left out.

use super::BvhItem;
use crate::broadphase::pairs::input::{CHUNK_ROWS, FixedInput};
use crate::columns::{AabbColumns, ColumnScratch, Rejected, check_group};
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, LoadColumns, MaskLanes};
use alloc::vec::Vec;
use core::ops::Range;

/// The rows into which boxes are put.
#[derive(Clone, Copy)]
pub(crate) enum TargetRows<'a> {
    /// The rows in a list.
    Listed(&'a [u32]),
    /// Consecutive rows from this one on.
    From(u32),
}

impl<'a> TargetRows<'a> {
    /// The row of box `k`.
    #[inline(always)]
    pub(crate) fn row(self, k: usize) -> u32 {
        match self {
            Self::Listed(rows) => rows[k],
            Self::From(first) => first.wrapping_add(k as u32),
        }
    }

    /// The rows of a range of the boxes.
    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Listed(rows) => Self::Listed(&rows[range]),
            Self::From(first) => Self::From(first.wrapping_add(range.start as u32)),
        }
    }
}

/// Writes the valid boxes of `set` to `boxes`, which has capacity for all, and lists the invalid ones.
pub(crate) fn load(
    level: Level,
    set: FixedInput<'_>,
    rows: TargetRows<'_>,
    columns: &mut ColumnScratch,
    boxes: &mut Vec<BvhItem>,
    rejected: &mut Vec<Rejected>,
) {
    boxes.clear();
    rejected.clear();
    let count = set.boxes.len();
    for start in (0..count).step_by(CHUNK_ROWS) {
        let range = start..count.min(start + CHUNK_ROWS);
        let (set, rows) = (set.slice(range.clone()), rows.slice(range.clone()));
        let (of_set, listed) = (set.boxes.columns(columns), rejected.len());
        level.run_rows(range.len(), LoadBoxes { set, of_set, rows, boxes, rejected });
        rejected[listed..].iter_mut().for_each(|rejected| rejected.row += start as u32);
    }
}

/// Appends the valid boxes of `set` to `boxes`, and the invalid ones to `rejected`.
struct LoadBoxes<'a> {
    set: FixedInput<'a>,
    /// The boxes of `set`.
    of_set: AabbColumns<'a>,
    rows: TargetRows<'a>,
    boxes: &'a mut Vec<BvhItem>,
    rejected: &'a mut Vec<Rejected>,
}

impl Kernel for LoadBoxes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { set, of_set, rows, boxes, rejected } = self;
        let table = of_set.table();
        let count = table.rows();
        let mut next = 0;
        while next < count {
            // The last group overlaps the previous one.
            let start = next.min(count - I::LANES);
            let seen = next - start;
            let of = table.load(isa, start);
            let valid = check_group(isa, of_set, &of, start, seen, rejected).bits();
            let (mut ids, mut filters) = ([0; LANES_MAX], [u32::MAX; LANES_MAX]);
            for (lane, id) in ids[..I::LANES].iter_mut().enumerate() {
                *id = rows.row(start + lane);
            }
            if set.is_filtered() {
                for (lane, filter) in filters[..I::LANES].iter_mut().enumerate() {
                    *filter = set.filter(start + lane).word();
                }
            }
            let words = of.map_each(F32Lanes::to_bits);
            let mut group = [BvhItem::default(); LANES_MAX];
            let records: &mut [[u32; 8]] = bytemuck::cast_slice_mut(&mut group);
            let [x0, y0, z0, x1, y1, z1] = words;
            isa.store_rows([x0, y0, z0, x1], records, 0);
            isa.store_rows([y1, z1, isa.load_u32(&ids), isa.load_u32(&filters)], records, 4);
            let mut remaining = valid & (u32::MAX << seen);
            if remaining == u32::MAX >> (32 - I::LANES) {
                boxes.extend_from_slice(&group[..I::LANES]);
            } else {
                while remaining != 0 {
                    boxes.push(group[remaining.trailing_zeros() as usize]);
                    remaining &= remaining - 1;
                }
            }
            next += I::LANES;
        }
    }
}
