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
//! Then either the price of the grid was wrong, or a join of all boxes may cost less than the strips: its price has a part for the records that overlap on all axes,
//! because no plane separates these.
//!
//! All is a function of the boxes alone.

use super::choose::{COUNTED_ROWS_MIN, JOIN_ROWS};
use super::grid::{Choice, Grid, Sample, cost};
use super::join_cost::{join_after_scatter, join_min};
use super::long_path::Passage;
use super::record::StripRecord;
use super::scatter::Chunk;
use super::sort::{StoreColumns, StripColumns};
use crate::broadphase::pairs::candidates::overlap;
use crate::geom::{MapEach, uneven_index};
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, LoadColumns, MaskLanes};

/// Number of strips that are tested at first, and number of records of each.
const FIRST_TESTED: (usize, usize) = (4, 32);
/// The same numbers of the second test.
const TESTED: (usize, usize) = (16, RECORDS_TESTED);
/// Greatest number of records of a strip that are tested.
const RECORDS_TESTED: usize = 64;
/// The second test is done if the first one shows more than this part of the limit.
const FIRST_PART: f64 = 0.5;
/// Number of boxes from which comparisons are estimated. For fewer boxes the first test would take a noticeable part of an even tick.
pub(crate) const ESTIMATED_ROWS_MIN: usize = COUNTED_ROWS_MIN;
/// The grid is wrong if it needs this many times the comparisons that its price assumes, and [`WRONG_EACH`] more for each box.
const WRONG_FACTOR: f64 = 2.0;
/// See [`WRONG_FACTOR`].
const WRONG_EACH: f64 = if cfg!(fuzzing) { 1.0 } else { 200.0 };
/// A long strip that needs more than `JOINED_EACH` comparisons for each record is joined. That costs as much as
/// `JOINED_FAR` comparisons of far boxes.
const JOINED_EACH: f64 = 320.0;
const JOINED_FAR: f64 = 140.0;

/// Nanoseconds to sort the first copy of a box.
const SORT: f64 = 5.0;
/// All boxes are joined instead if the strips cost more than this many times the price of that, which is uncertain.
const JOIN_TIMES: f64 = 1.55;

/// The result of a check of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GridCheck {
    Accepted,
    /// The strips need far more comparisons than the choice of the grid assumes.
    Wrong,
    /// To join all boxes costs less than to compare those of each strip.
    JoinIsCheaper,
}

/// The records of all strips of a grid.
pub(crate) struct GridRecords<'a, R> {
    pub(crate) level: Level,
    pub(crate) grid: &'a Grid,
    pub(crate) chunks: &'a [Chunk<R>],
    /// Number of records of each strip.
    pub(crate) lengths: &'a [usize],
}

impl<R: StripRecord> GridRecords<'_, R> {
    /// Checks the comparisons that the strips need for this many boxes, of which this many are active. The sample is that of the choice.
    pub(crate) fn check(
        &self,
        sizes: (usize, usize),
        choice: &Choice,
        columns: &mut StripColumns,
        sample: &mut Sample,
    ) -> GridCheck {
        let (rows, _) = sizes;
        let wrong = WRONG_FACTOR * choice.compared / cost::CANDIDATE + WRONG_EACH * rows as f64;
        let copies = self.lengths.iter().sum::<usize>() as f64 - rows as f64;
        let sorted = SORT * rows as f64 + cost::COPY_AGAIN * copies;
        // Comparisons that cost as much as a join of this price.
        let comparisons = |join: f64| (JOIN_TIMES * join - sorted) / cost::FAR_CANDIDATE;
        let most = wrong.min(comparisons(join_min(sizes)));
        let all = self.lengths.iter().fold(0, |sum, &length| sum + pairs_of(length));
        if all as f64 <= most || self.overlaps(all, FIRST_TESTED, columns)[0] <= FIRST_PART * most {
            return GridCheck::Accepted;
        }
        let [compared, far, overlaps] = self.overlaps(all, TESTED, columns);
        if compared > wrong {
            return GridCheck::Wrong;
        }
        if far > comparisons(join_after_scatter(sizes, overlaps / rows as f64, sample)) {
            GridCheck::JoinIsCheaper
        } else {
            GridCheck::Accepted
        }
    }

    /// Estimates three numbers of all strips, which have this many pairs of records: the comparisons, the comparisons of far boxes that cost as much, and the
    /// pairs that overlap on all axes.
    fn overlaps(&self, all: u64, tested: (usize, usize), columns: &mut StripColumns) -> [f64; 3] {
        let (strips, records) = tested;
        let (mut sum, mut next, mut shares) = (0, 0, [0.0; 3]);
        for (strip, &length) in self.lengths.iter().enumerate() {
            sum += pairs_of(length);
            // How many of the samples at even distances of the sum are in this strip.
            let mut samples = 0;
            while next < strips && (2 * next as u64 + 1) * (all / (2 * strips as u64)) < sum {
                (next, samples) = (next + 1, samples + 1);
            }
            if samples > 0 {
                let [along, overlaps] = self.overlapping(strip, records, columns);
                let most = |each| {
                    if length as f64 >= JOIN_ROWS { 2.0 * each / length as f64 } else { 1.0 }
                };
                let here = [along.min(most(JOINED_EACH)), along.min(most(JOINED_FAR)), overlaps];
                for (share, here) in shares.iter_mut().zip(here) {
                    *share += f64::from(samples) * here;
                }
            }
        }
        shares.map_each(|share| all as f64 * share / strips as f64)
    }

    /// Returns the share of pairs of records of a strip that overlap along it, and that overlap on all axes, from this many records.
    fn overlapping(&self, strip: usize, tested: usize, columns: &mut StripColumns) -> [f64; 2] {
        let Self { level, grid, chunks, lengths } = *self;
        let rows = lengths[strip].min(tested);
        let record = |k: usize| uneven_index(k, rows, lengths[strip]);
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
        // Each pair is counted twice, and each record overlaps itself.
        let pairs = Ord::max(rows * (rows - 1), 1) as f64;
        let overlaps = level.run(CountOverlaps { columns });
        overlaps.map_each(|count| count.saturating_sub(rows) as f64 / pairs)
    }
}

/// Returns the number of pairs of this many records.
fn pairs_of(records: usize) -> u64 {
    let records = records as u64;
    records * records / 2
}

/// Counts for each box of a strip the boxes that overlap it along the strip, and those that overlap it on all axes.
struct CountOverlaps<'a> {
    columns: &'a StripColumns,
}

impl Kernel for CountOverlaps<'_> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [usize; 2] {
        let Self { columns } = self;
        let bounds = columns.bounds();
        let (lows, highs) = (&columns.bounds[0], &columns.bounds[3]);
        let (mut along, mut all) = (0, 0);
        for row in 0..columns.rows {
            let this = bounds.splat(isa, row);
            for group in (0..columns.rows).step_by(I::LANES) {
                let meets =
                    isa.load(&lows[group..]).le(this[3]) & this[0].le(isa.load(&highs[group..]));
                along += meets.count();
                all += (meets & overlap::<I>(this, bounds.load(isa, group))).count();
            }
        }
        [along, all]
    }
}
