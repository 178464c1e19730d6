//! Estimates the comparisons of a grid from its records, before the strips are sorted.
//!
//! A grid is chosen from few boxes. If one of thirty boxes is a plate across half of the scene, such a sample may contain one of them or none, but the
//! comparisons grow with the square of their number. The lengths of all strips are known after the boxes are copied:
//!
//! ```text
//! sum of half the squares of the lengths   bound of the comparisons; if it is low, no record is read
//! strips at even distances of this sum     the longer a strip, the more probably it is tested
//! some records of each                     their share of pairs that overlap along the strip is that of the strip
//! ```
//!
//! Few records of few strips are tested first, which takes 0.2 ns for each of 20,000 boxes. If they need more than half of the limit, more of them are tested.
//!
//! All is a function of the boxes alone.

use super::choose::{COUNTED_ROWS_MIN, JOIN_ROWS};
use super::grid::{Choice, Grid, cost};
use super::long_path::Passage;
use super::record::StripRecord;
use super::scatter::Chunk;
use super::sort::{StoreColumns, StripColumns};
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes};

/// Numbers of strips that are tested, and of records of each, at first and if these need more than a part of the limit.
const FIRST_TESTED: (usize, usize) = (4, 32);
const TESTED: (usize, usize) = (16, RECORDS_TESTED);
const RECORDS_TESTED: usize = 64;
const FIRST_PART: f64 = 0.5;
/// Number of boxes from which comparisons are estimated. For fewer boxes the first test would take a noticeable part of an even tick.
pub(crate) const ESTIMATED_ROWS_MIN: usize = COUNTED_ROWS_MIN;
/// The grid is wrong if it needs this many times the comparisons that its price assumes, and so many more for each box.
const WRONG_FACTOR: f64 = 2.0;
const WRONG_EACH: f64 = if cfg!(fuzzing) { 1.0 } else { 100.0 };
/// A long strip that needs more comparisons for each record is joined, which costs as much as so many.
const JOINED_EACH: f64 = 320.0;

/// The records of all strips of a grid.
pub(crate) struct GridRecords<'a, R> {
    pub(crate) level: Level,
    pub(crate) grid: &'a Grid,
    pub(crate) chunks: &'a [Chunk<R>],
    /// Number of records of each strip.
    pub(crate) lengths: &'a [usize],
}

impl<R: StripRecord> GridRecords<'_, R> {
    /// Returns whether the strips need far more comparisons than the choice of the grid for so many boxes assumes.
    pub(crate) fn are_too_expensive(
        &self,
        rows: usize,
        choice: &Choice,
        columns: &mut StripColumns,
    ) -> bool {
        let most = WRONG_FACTOR * choice.compared / cost::CANDIDATE + WRONG_EACH * rows as f64;
        let all = self.lengths.iter().fold(0, |sum, &length| sum + pairs_of(length));
        all as f64 > most
            && self.compared(all, FIRST_TESTED, columns) > FIRST_PART * most
            && self.compared(all, TESTED, columns) > most
    }

    /// Estimates the comparisons of all strips, which have so many pairs of records.
    fn compared(&self, all: u64, tested: (usize, usize), columns: &mut StripColumns) -> f64 {
        let (strips, records) = tested;
        let (mut sum, mut next, mut share) = (0, 0, 0.0);
        for (strip, &length) in self.lengths.iter().enumerate() {
            sum += pairs_of(length);
            // How many of the places at even distances of the sum are in this strip.
            let mut places = 0;
            while next < strips && (2 * next as u64 + 1) * (all / (2 * strips as u64)) < sum {
                (next, places) = (next + 1, places + 1);
            }
            if places > 0 {
                let mut here = self.overlapping(strip, records, columns);
                if length as f64 >= JOIN_ROWS {
                    here = here.min(2.0 * JOINED_EACH / length as f64);
                }
                share += f64::from(places) * here;
            }
        }
        all as f64 * share / strips as f64
    }

    /// Returns the share of pairs of records of a strip that overlap along it, from so many records.
    fn overlapping(&self, strip: usize, tested: usize, columns: &mut StripColumns) -> f64 {
        let Self { level, grid, chunks, lengths } = *self;
        let rows = lengths[strip].min(tested);
        // Boxes of several kinds may be in the input by turns, so the distances of the records are uneven.
        let record = |k: usize| {
            let [first, next] = [k, k + 1].map(|part| part * lengths[strip] / rows);
            first + ((k * 0x9E37) >> 4) % (next - first).max(1)
        };
        let mut records = [R::zeroed(); RECORDS_TESTED];
        let (mut copied, mut first) = (0, 0);
        for chunk in chunks {
            let part = chunk.strip(strip);
            while copied < rows && record(copied) < first + part.len() {
                records[copied] = part[record(copied) - first];
                copied += 1;
            }
            first += part.len();
        }
        let mut order = [0; RECORDS_TESTED + LANES_MAX];
        order.iter_mut().zip(0..rows as u32).for_each(|(to, row)| *to = row);
        columns.resize(rows);
        let passage = R::HAS_PATH.then(|| Passage::new(grid, strip));
        let (records, order, passage) = (&records[..], &order[..], passage.as_ref());
        let stored = &mut *columns;
        level.run(StoreColumns { records, order, passage, bins: None, columns: stored });
        let overlaps = level.run(CountOverlaps { columns });
        // Each pair is counted twice, and each record overlaps itself.
        overlaps.saturating_sub(rows) as f64 / Ord::max(rows * (rows - 1), 1) as f64
    }
}

/// Returns the number of pairs of so many records.
fn pairs_of(records: usize) -> u64 {
    let records = records as u64;
    records * records / 2
}

/// Counts for each box of a strip the boxes that overlap it along the strip.
struct CountOverlaps<'a> {
    columns: &'a StripColumns,
}

impl Kernel for CountOverlaps<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { columns } = self;
        let (lows, highs) = (&columns.bounds[0], &columns.bounds[3]);
        let mut count = 0;
        for row in 0..columns.rows {
            let (low, high) = (isa.splat(lows[row]), isa.splat(highs[row]));
            for group in (0..columns.rows).step_by(I::LANES) {
                let meets = isa.load(&lows[group..]).le(high) & low.le(isa.load(&highs[group..]));
                count += meets.count();
            }
        }
        count
    }
}
