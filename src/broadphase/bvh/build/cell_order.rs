//! Orders the boxes of a build by cell.
//!
//! The boxes stay where they are, and their indices are sorted by cell with a counting sort. Consecutive boxes form a *span*. The
//! indices of a span are sorted by the thread that takes it, into a part of the list that no other thread writes. The boxes of a cell
//! are those of the first span, then those of the second, and so on: the order is that of their indices, however many spans there are.

use super::bins::LARGE;
use crate::broadphase::pairs::buffer::{lengthen, lengthen_sparsely, reserve_for};
use crate::columns::impl_memory;
use crate::lanes::request_large_pages;
use crate::par::{self, Threads};
use alloc::vec::Vec;
use bytemuck::Pod;

/// The greatest number of spans. More than threads, so that a thread that is late does not delay the others for long.
const SPANS_MAX: usize = 16;
/// Fewest boxes of a span.
const SPAN_MIN: usize = 1 << 14;

/// The indices of boxes, by span and then by cell.
#[derive(Debug, Default)]
pub(super) struct CellOrder {
    indices: Vec<u32>,
    /// For each span, where the boxes of each cell end in its part of `indices`.
    ends: Vec<u32>,
    cells: usize,
    /// Number of boxes of a span; the last one may have fewer.
    span: usize,
}

impl_memory!(CellOrder { indices, ends; without cells, span });

impl CellOrder {
    /// Sorts the boxes by cell. `at` has the key of each box, or [`LARGE`] if it is left out, and is overwritten; `cell_of` returns the
    /// cell of a key. `counted` has the number of boxes of each cell.
    pub(super) fn sort<W: Send>(
        &mut self,
        at: &mut [u32],
        cell_of: impl Fn(u32) -> u32 + Sync,
        counted: &[u32],
        (threads, workers): (&Threads, &mut [W]),
    ) {
        let cells = counted.len();
        let spans = if workers.len() > 1 { Ord::min(2 * workers.len(), SPANS_MAX) } else { 1 };
        let span = Ord::max(SPAN_MIN, at.len().div_ceil(spans));
        let spans = at.len().div_ceil(span);
        (self.cells, self.span) = (cells, span);
        self.ends.clear();
        reserve_for(&mut self.ends, spans * cells);
        self.ends.resize(spans * cells, 0);
        lengthen_large(&mut self.indices, at.len());
        if spans == 1 {
            // The cells of the only span need not be counted again.
            self.ends.copy_from_slice(counted);
            ends_to_starts(&mut self.ends);
            for (index, &key) in (0..).zip(&*at) {
                if key & LARGE == 0 {
                    let next = &mut self.ends[cell_of(key) as usize];
                    self.indices[*next as usize] = index;
                    *next += 1;
                }
            }
            return;
        }
        let mut parts = at
            .chunks_mut(span)
            .zip(self.indices.chunks_mut(span))
            .zip(self.ends.chunks_mut(cells))
            .enumerate();
        let mut parts: [_; SPANS_MAX] = core::array::from_fn(|_| {
            parts.next().map(|(index, ((at, indices), ends))| (index * span, at, indices, ends))
        });
        par::for_each(threads, workers, &mut parts[..spans], &|_, _, part| {
            let Some((first, at, indices, ends)) = part else { return };
            for key in at.iter_mut().filter(|key| **key & LARGE == 0) {
                *key = cell_of(*key);
                ends[*key as usize] += 1;
            }
            ends_to_starts(ends);
            for (index, &cell) in (*first as u32..).zip(&**at) {
                if cell & LARGE == 0 {
                    let next = &mut ends[cell as usize];
                    indices[*next as usize] = index;
                    *next += 1;
                }
            }
        });
    }

    /// The boxes of a cell in each span.
    pub(super) fn boxes_of(&self, cell: usize) -> impl Iterator<Item = &[u32]> {
        let parts = self.indices.chunks(self.span).zip(self.ends.chunks(self.cells));
        parts.map(move |(indices, ends)| {
            let start = if cell > 0 { ends[cell - 1] } else { 0 };
            &indices[start as usize..ends[cell] as usize]
        })
    }

    /// The index of a box in a cell, by its number there.
    pub(super) fn box_of(&self, cell: usize, mut number: usize) -> Option<u32> {
        for boxes in self.boxes_of(cell) {
            if let Some(&index) = boxes.get(number) {
                return Some(index);
            }
            number -= boxes.len();
        }
        None
    }

    /// The indices from 0 on.
    pub(super) fn unsorted(&mut self, count: usize) -> &[u32] {
        lengthen_large(&mut self.indices, count);
        let indices = &mut self.indices[..count];
        indices.iter_mut().zip(0..).for_each(|(index, k)| *index = k);
        indices
    }
}

/// Lengthens a large list whose contents do not matter. In the first build each page of it is first written by the thread that
/// uses it; later the list grows by more than is needed.
pub(super) fn lengthen_large<T: Pod>(list: &mut Vec<T>, len: usize) {
    if list.is_empty() {
        lengthen_sparsely(list, len);
        request_large_pages(list);
    } else {
        lengthen(list, len);
    }
}

/// Replaces the numbers of boxes of all cells by the first place of each.
fn ends_to_starts(sizes: &mut [u32]) {
    let mut start = 0;
    for cell in sizes {
        start += core::mem::replace(cell, start);
    }
}

#[cfg(test)]
mod tests {
    use super::{CellOrder, LARGE, SPAN_MIN};
    use crate::par::Threads;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Goal: the boxes of each cell are in the order of their indices, for any number of spans, and boxes that are left out are in none.
    /// Method: comparison with a filter, for keys of which several have one cell, and cells without boxes.
    #[test]
    fn boxes_of_a_cell_are_in_order() {
        let mut draw = 1_u32;
        let mut draw = |below: u32| {
            draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (draw >> 8) % below
        };
        let mut order = CellOrder::default();
        for count in [1, SPAN_MIN, SPAN_MIN + 1, 5 * SPAN_MIN + 77] {
            let at: Vec<u32> =
                (0..count).map(|_| draw(60) | (u32::from(draw(9) == 0) << 31)).collect();
            let cell_of = |key: u32| key / 3;
            let cells: Vec<Vec<u32>> = (0..25)
                .map(|cell| {
                    let rows = (0..).zip(&at);
                    let rows = rows.filter(|&(_, &key)| key & LARGE == 0 && cell_of(key) == cell);
                    rows.map(|(row, _)| row).collect()
                })
                .collect();
            let counted: Vec<u32> = cells.iter().map(|rows| rows.len() as u32).collect();
            for workers in [1, 2, 3, 40] {
                let workers = &mut vec![(); workers][..];
                order.sort(&mut at.clone(), cell_of, &counted, (&Threads::current(), workers));
                for (cell, rows) in cells.iter().enumerate() {
                    let boxes: Vec<_> = order.boxes_of(cell).flatten().copied().collect();
                    assert_eq!(boxes, *rows, "{count} {cell}");
                    for number in [0, rows.len() / 2, rows.len()] {
                        assert_eq!(order.box_of(cell, number), rows.get(number).copied());
                    }
                }
            }
        }
    }
}
