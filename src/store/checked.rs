//! Which rows are boxes?

use super::{Boxes, borrowed::COLUMNS};
use crate::geom::{COORD_MAX, InvalidBox};
use crate::lanes::{Columns, F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, Table};
use alloc::vec::Vec;

/// A row that is no box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Which row.
    pub row: u32,
    /// What is wrong with it.
    pub reason: InvalidBox,
}

/// Boxes of which it is known which rows are none.
///
/// Whoever answers questions about the rows answers for the others as if these were not there.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    boxes: Boxes<'a>,
    /// By row, each once.
    rejected: &'a [Rejected],
}

impl<'a> Boxes<'a> {
    /// Finds the rows that are no boxes and writes them to `rejected`, in order.
    ///
    /// Reads 36 bytes a box. A row is a box when [`MovingBox::validate`] says so.
    ///
    /// [`MovingBox::validate`]: crate::MovingBox::validate
    ///
    /// # Panics
    ///
    /// When there are more than `u32::MAX` rows.
    pub fn check(self, level: Level, rejected: &'a mut Vec<Rejected>) -> Checked<'a> {
        assert!(u32::try_from(self.len()).is_ok(), "more rows than a u32 can name");
        rejected.clear();
        level.for_rows(self.len()).run(Check { boxes: self, rejected });
        Checked { boxes: self, rejected }
    }
}

impl<'a> Checked<'a> {
    /// Rows that are all boxes: for stores that let nothing else in.
    pub(super) fn all_valid(boxes: Boxes<'a>) -> Self {
        Self { boxes, rejected: &[] }
    }

    /// The rows, those that are no boxes among them.
    #[must_use]
    pub fn boxes(&self) -> Boxes<'a> {
        self.boxes
    }

    /// How many rows, those that are no boxes among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// The rows that are no boxes, in order.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }

    /// Whether row `row` is on the list.
    #[must_use]
    pub fn is_rejected(&self, row: u32) -> bool {
        self.rejected.binary_search_by_key(&row, |rejected| rejected.row).is_ok()
    }
}

struct Check<'a, 'r> {
    boxes: Boxes<'a>,
    rejected: &'r mut Vec<Rejected>,
}

impl Kernel for Check<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let table: Table<'_, f32, COLUMNS> = self.boxes.table();
        let rows = table.rows();
        let mut row = 0;
        while row < rows {
            // The last group reaches back over rows that were seen.
            let start = row.min(rows - I::LANES);
            let columns = table.load(isa, start);
            check_group(isa, self.boxes, &columns, start, row - start, self.rejected);
            row += I::LANES;
        }
    }
}

/// Where the rows from `start` on, which are `columns`, are boxes. The others are listed, but for
/// the first `seen`, which were checked before.
#[inline(always)]
pub(crate) fn check_group<I: Isa>(
    isa: I,
    boxes: Boxes<'_>,
    columns: &[I::F32; COLUMNS],
    start: usize,
    seen: usize,
    rejected: &mut Vec<Rejected>,
) -> I::Mask {
    const { assert!(LANES_MAX < 32, "lanes are counted in the bits of a u32") };
    let valid = is_valid(columns, isa.splat(COORD_MAX));
    let bad = !valid.bits() & ((1 << I::LANES) - 1) & (u32::MAX << seen);
    if bad != 0 {
        list(boxes, start, bad, rejected);
    }
    valid
}

/// Where a row is a box: comparisons with NaN are false, so NaN fails them all.
#[inline(always)]
fn is_valid<F: F32Lanes>(columns: &[F; COLUMNS], limit: F) -> F::Mask {
    let [min, max, delta] = [0, 3, 6];
    let mut valid = columns[min].le(columns[max]);
    for axis in 0..3 {
        valid = valid
            & columns[min + axis].abs().le(limit)
            & columns[max + axis].abs().le(limit)
            & columns[min + axis].le(columns[max + axis])
            & columns[delta + axis].abs().le(limit);
    }
    valid
}

/// Appends the rows `start + k` for each bit `k` of `bad`, with the reason.
#[cold]
#[inline(never)]
fn list(boxes: Boxes<'_>, start: usize, mut bad: u32, rejected: &mut Vec<Rejected>) {
    while bad != 0 {
        let row = start + bad.trailing_zeros() as usize;
        bad &= bad - 1;
        if let Err(reason) = boxes.get(row).validate() {
            rejected.push(Rejected { row: row as u32, reason });
        }
    }
}
