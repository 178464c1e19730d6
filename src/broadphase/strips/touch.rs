//! Sweeps the candidates of a strip.
//!
//! A pair of which a path is long is reported only in the strip in which the two touch first.

use super::grid::Grid;
use super::long_path::contact_cells;
use super::scatter::{SWEPT_WORDS, StripRecord, UNION_WORDS};
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::pairs::candidates::Candidates;
use crate::broadphase::pairs::flags::LONG;
use crate::broadphase::pairs::input::ROW;
use crate::geom::{MapEach, Pair, SweptPair};
use crate::kernels::sweep;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, MaskLanes, U32Lanes};
use crate::par::Budget;

/// Appends the pairs among the candidates of a strip that is joined.
pub(crate) struct TakeCandidates<'a, P, const WORDS: usize> {
    pub(crate) grid: &'a Grid,
    pub(crate) strip: usize,
    /// Records and ids of the strip, in the order of its boxes.
    pub(crate) records: &'a [StripRecord<WORDS>],
    pub(crate) ids: &'a [u32],
    pub(crate) candidates: &'a mut Candidates,
    /// Id of the first row of the second set, if there is one.
    pub(crate) second_row: u32,
    pub(crate) found: &'a mut Buffer<P>,
    pub(crate) budget: &'a Budget,
}

impl Kernel for TakeCandidates<'_, Pair, UNION_WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let Self { ids, candidates, second_row, found, budget, .. } = self;
        candidates.append_rows(ids, second_row, (found, budget));
    }
}

impl Kernel for TakeCandidates<'_, SweptPair, SWEPT_WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { grid, strip, records, candidates, second_row, found, budget, .. } = self;
        touch(isa, (grid, strip), records, candidates, second_row, (found, budget));
    }
}

/// Appends the candidates that touch in the tick, with their first times.
#[inline(always)]
pub(super) fn touch<I: Isa>(
    isa: I,
    (grid, strip): (&Grid, usize),
    records: &[StripRecord<SWEPT_WORDS>],
    candidates: &mut Candidates,
    second_row: u32,
    (found, budget): (&mut Buffer<SweptPair>, &Budget),
) {
    let second_row = isa.splat_u32(second_row.wrapping_neg());
    let (row_bits, long) = (isa.splat_u32(ROW), isa.splat_u32(LONG));
    // Whole groups: past the end, box 0 is compared with itself and dropped.
    let Candidates { a, b, len } = candidates;
    for column in [&mut *a, &mut *b] {
        column[*len..*len + LANES_MAX].fill(0);
    }
    let mut done = 0;
    while done < *len {
        let (a_box, a_ids) = boxes(isa, records, &a[done..]);
        let (b_box, b_ids) = boxes(isa, records, &b[done..]);
        let (first, hit) = sweep::times(isa, &a_box, &b_box);
        let (a_short, b_short) = (a_ids.disjoint(long), b_ids.disjoint(long));
        let hit = if (a_short & b_short).count() < I::LANES {
            let (a_path, b_path) = ((&a_box, !a_short), (&b_box, !b_short));
            hit & is_reported_in(isa, (grid, strip), a_path, b_path, first)
        } else {
            hit
        };
        let wanted = (1 << (*len - done).min(I::LANES)) - 1;
        let kept = (hit.bits() & wanted).count_ones() as usize;
        let (a_rows, b_rows) = (a_ids & row_bits, b_ids & row_bits);
        let (low, high) = (a_rows.min(b_rows), a_rows.max(b_rows).wrapping_add(second_row));
        let spare: &mut [[u32; 3]] = bytemuck::cast_slice_mut(found.spare(LANES_MAX, budget));
        let columns = [low.compress(hit), high.compress(hit), first.to_bits().compress(hit)];
        isa.store_triples(columns, kept, spare);
        found.keep(kept);
        done += I::LANES;
    }
}

/// Mask of the pairs that are counted in this strip, as far as long paths are concerned.
#[inline(always)]
fn is_reported_in<I: Isa>(
    isa: I,
    (grid, strip): (&Grid, usize),
    a: (&[I::F32; 9], I::Mask),
    b: (&[I::F32; 9], I::Mask),
    first: I::F32,
) -> I::Mask {
    let (cells, meet) = contact_cells(isa, grid, a, b, first);
    let (mut u, mut v) = ([0; LANES_MAX], [0; LANES_MAX]);
    cells[0].store(&mut u);
    cells[1].store(&mut v);
    let mut here = [0; LANES_MAX];
    for (here, (u, v)) in here.iter_mut().zip(u.into_iter().zip(v)) {
        *here = u32::from(u * grid.v.cells + v == strip as u32);
    }
    let elsewhere = isa.load_u32(&here).disjoint(isa.splat_u32(1));
    !(a.1 | b.1) | (meet & !elsewhere)
}

/// Loads columns and ids of the records `which`.
#[inline(always)]
fn boxes<I: Isa>(
    isa: I,
    records: &[StripRecord<SWEPT_WORDS>],
    which: &[u32],
) -> ([I::F32; 9], I::U32) {
    let [[a, b, c, d], [e, f, g, h], [i, id, ..]] =
        isa.gather_rows::<SWEPT_WORDS, 3>(records, which);
    ([a, b, c, d, e, f, g, h, i].map_each(I::F32::from_bits), id)
}
