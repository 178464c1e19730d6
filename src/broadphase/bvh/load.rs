//! Validates fixed boxes and converts them to records for a build.
//!
//! Columns become records of 32 bytes: box, row and filter. Invalid boxes are listed and left out.

use super::BvhItem;
use crate::broadphase::pairs::input::FixedInput;
use crate::columns::{Rejected, check_group};
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, LoadColumns, MaskLanes};
use alloc::vec::Vec;

/// The rows into which boxes are put.
#[derive(Clone, Copy)]
pub(crate) enum TargetRows<'a> {
    /// The rows in a list.
    Listed(&'a [u32]),
    /// Consecutive rows from this one on.
    From(u32),
}

/// Appends the valid boxes of `set` to `boxes`, which has capacity for all; lists the invalid ones.
pub(crate) struct Admit<'a> {
    pub(crate) set: FixedInput<'a>,
    pub(crate) rows: TargetRows<'a>,
    pub(crate) boxes: &'a mut Vec<BvhItem>,
    pub(crate) rejected: &'a mut Vec<Rejected>,
}

impl Kernel for Admit<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { set, rows, boxes, rejected } = self;
        let table = set.boxes.table();
        let count = table.rows();
        boxes.clear();
        rejected.clear();
        let mut next = 0;
        while next < count {
            // The last group overlaps the previous one.
            let start = next.min(count - I::LANES);
            let seen = next - start;
            let of = table.load(isa, start);
            let valid = check_group(isa, set.boxes, &of, start, seen, rejected).bits();
            let (mut names, mut filters) = ([0; LANES_MAX], [u32::MAX; LANES_MAX]);
            for lane in 0..I::LANES {
                names[lane] = match rows {
                    TargetRows::Listed(rows) => rows[start + lane],
                    TargetRows::From(first) => first.wrapping_add((start + lane) as u32),
                };
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
            isa.store_rows([y1, z1, isa.load_u32(&names), isa.load_u32(&filters)], records, 4);
            let mut wanted = valid & (u32::MAX << seen);
            if wanted == u32::MAX >> (32 - I::LANES) {
                boxes.extend_from_slice(&group[..I::LANES]);
            } else {
                while wanted != 0 {
                    boxes.push(group[wanted.trailing_zeros() as usize]);
                    wanted &= wanted - 1;
                }
            }
            next += I::LANES;
        }
    }
}
