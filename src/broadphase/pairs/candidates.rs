//! Pairs of boxes of a strip or of a join that may touch, before they are swept or reported.

use super::buffer::{Buffer, lengthen_sparsely};
use super::input::ROW;
use super::limit::PairLimit;
use crate::columns::impl_memory;
use crate::geom::{Filter, Pair};
use crate::lanes::{F32Lanes, Isa, LANES_MAX};
use alloc::vec::Vec;

/// Number of candidates that are collected before they are swept. They fit into the innermost cache.
pub(crate) const CANDIDATES: usize = 2048;

/// Pairs that may touch, as positions in the strip or in the input of the join.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) a: Vec<u32>,
    pub(crate) b: Vec<u32>,
    pub(crate) len: usize,
}

impl_memory!(Candidates { a, b; without len });

impl Candidates {
    /// Reserves memory for this many candidates.
    pub(crate) fn reserve(&mut self, most: usize) {
        for column in [&mut self.a, &mut self.b] {
            if column.len() < most {
                lengthen_sparsely(column, most + most / 4);
            }
        }
    }

    /// Removes the candidates that the filters of the strip's boxes, as words, exclude.
    pub(crate) fn filter(&mut self, filters: &[u32]) {
        let mut kept = 0;
        for k in 0..self.len {
            let (a, b) = (self.a[k], self.b[k]);
            (self.a[kept], self.b[kept]) = (a, b);
            kept += usize::from(Filter::words_allow(filters[a as usize], filters[b as usize]));
        }
        self.len = kept;
    }

    /// Appends the candidates to `found` as pairs of rows; `ids` are those of the strip's boxes.
    pub(crate) fn append_rows(
        &self,
        ids: &[u32],
        second_row: u32,
        (found, limit): (&mut Buffer<Pair>, &PairLimit<'_>),
    ) {
        let places = self.a.iter().zip(&self.b).take(self.len);
        let spare = found.spare_pairs(self.len, limit);
        for (pair, (&a, &b)) in spare.iter_mut().zip(places) {
            let (a, b) = (ids[a as usize] & ROW, ids[b as usize] & ROW);
            *pair = Pair { a: a.min(b), b: a.max(b).wrapping_sub(second_row) };
        }
        found.keep(self.len);
    }
}

/// Returns which boxes overlap those of the other group on all axes.
#[inline(always)]
pub(crate) fn overlap<I: Isa>(a: [I::F32; 6], b: [I::F32; 6]) -> I::Mask {
    let [low_x, low_u, low_v, high_x, high_u, high_v] = a;
    let [lows_x, lows_u, lows_v, highs_x, highs_u, highs_v] = b;
    lows_x.le(high_x)
        & low_x.le(highs_x)
        & lows_u.le(high_u)
        & low_u.le(highs_u)
        & lows_v.le(high_v)
        & low_v.le(highs_v)
}

/// Greatest number of candidates of a strip or join with this many records at once: one box may overlap all others just before
/// the candidates are processed, or the boxes of a lane group as many others each.
pub(crate) fn candidates_max(rows: usize) -> usize {
    CANDIDATES + rows.max(LANES_MAX * LANES_MAX) + 2 * LANES_MAX
}

#[cfg(test)]
mod tests {
    use super::{CANDIDATES, Candidates, candidates_max};
    use crate::lanes::LANES_MAX;
    use alloc::vec::Vec;

    /// Goal: a pair remains only if both filters allow it, and the remaining pairs keep their order. Method: words of two halves, the
    /// categories in the lower and the mask in the upper one, of which one, the other, both or no direction is allowed.
    #[test]
    fn pairs_that_one_filter_excludes_are_removed() {
        let filters = [0x0001_0000, 0x0000_0001, 0x0001_0001, 0x0001_0001, 0x0002_0002];
        let pairs = [(0, 2), (0, 1), (2, 3), (1, 2), (3, 4), (0, 3), (4, 4), (3, 2), (1, 0)];
        let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let mut candidates = Candidates { len: a.len(), a, b };
        candidates.filter(&filters);
        let remaining: Vec<_> =
            (0..candidates.len).map(|k| (candidates.a[k], candidates.b[k])).collect();
        assert_eq!(remaining, [(2, 3), (4, 4), (3, 2)]);
    }

    /// Goal: the memory is enough for all records as partners of one box, and for the full registers after the last of them.
    #[test]
    fn memory_is_enough_for_all_partners_of_a_box() {
        for rows in [0, 1, 100, CANDIDATES] {
            let partners = rows.next_multiple_of(LANES_MAX) + LANES_MAX;
            assert!(candidates_max(rows) >= CANDIDATES + partners, "{rows}");
        }
    }
}
