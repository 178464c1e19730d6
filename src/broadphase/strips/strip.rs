//! Finds the pairs of a run of strips: sort, then sweep or join.

use super::grid::Grid;
use super::record::{StripRecord, SweptRecord, UnionRecord};
use super::scatter::Chunk;
use super::sort::{SortScratch, SortStrip, StripColumns};
use super::sweep::{BLOCK_PAIRS_MAX, FarBox, OverlapSink, SweepFar, SweepNear, SweepOverlaps};
use crate::broadphase::join::divided::DividedJoin;
use crate::broadphase::join::excluded::Exclusion;
use crate::broadphase::join::{Join, JoinInput};
use crate::broadphase::pairs::buffer::{Buffer, reserve_for};
use crate::broadphase::pairs::candidates::{CANDIDATES, Candidates, candidates_max};
use crate::broadphase::pairs::limit::{OwnerOf, PairLimit};
use crate::broadphase::pairs::runs::{PairRun, PairRuns};
use crate::columns::impl_memory;
use crate::geom::{Pair, SweptPair};
use crate::lanes::{LANES_MAX, Level};
use crate::par::Threads;
use alloc::vec::Vec;
use core::ops::Range;

/// Comparisons per box from which a strip is divided instead of swept. Fuzz inputs are small and must reach the join too.
const JOIN_WORK: u64 = if cfg!(fuzzing) { 1 } else { 128 };
/// Least number of boxes of a strip that is divided.
const JOIN_ROWS_MIN: usize = if cfg!(fuzzing) { 8 } else { 512 };
/// Strips of at most this many records are short, however many workers reserve memory for one.
pub(super) const SHORT_STRIP: usize = 4096;
/// Only one record of this many is counted in the sum of comparisons. A sum over all records would cost 2 % in an even
/// scene.
const CROWD_STEP: usize = 8;
/// The limit for overlaps that are stored before they are swept: any number.
static UNLIMITED: PairLimit<'_> = PairLimit::unlimited();

/// Memory of one worker for the current strip.
#[derive(Debug, Default)]
pub(crate) struct SweepScratch<R> {
    sort: SortScratch<R>,
    columns: StripColumns,
    far: Vec<FarBox>,
    /// Pairs of positions in the strip whose bounds overlap, before they are swept; for swept pairs only.
    overlaps: Buffer<Pair>,
    join: Join,
    /// Pairs that a join found.
    candidates: Candidates,
    /// The strip that was loaded last in this tick.
    loaded: Option<usize>,
}

impl_memory!([R] SweepScratch<R> { sort, columns, far, overlaps, join, candidates; without loaded });

impl<R: StripRecord> SweepScratch<R> {
    /// Reserves memory for a strip of this many records.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.loaded = None;
        self.sort.reserve(rows);
        self.columns.reserve(rows + LANES_MAX);
        reserve_for(&mut self.far, rows);
        if R::HAS_PATH {
            self.overlaps.reserve_spare(candidates_max(rows) + BLOCK_PAIRS_MAX);
        }
    }

    /// Reserves memory for joins as large as those of any worker, of strips of this many records.
    pub(crate) fn reserve_join(&mut self, peak: usize, rows: usize) {
        if peak > 0 {
            self.join.reserve_spare(peak);
            self.candidates.reserve(candidates_max(rows));
        }
    }
}

impl<R> SweepScratch<R> {
    /// Returns the greatest number of rows that a join has used since the last call.
    pub(crate) fn take_join_peak(&mut self) -> usize {
        self.join.take_peak()
    }

    /// Memory for the columns of a sample; those of a strip are overwritten.
    pub(crate) fn columns_for_sample(&mut self) -> &mut StripColumns {
        self.loaded = None;
        &mut self.columns
    }

    /// Returns whether the columns are those of this strip.
    pub(crate) fn has_loaded(&self, strip: usize) -> bool {
        self.loaded == Some(strip)
    }
}

/// What all strips of a tick have in common.
pub(crate) struct StripPass<'a, R> {
    pub(crate) level: Level,
    pub(crate) grid: &'a Grid,
    pub(crate) chunks: &'a [Chunk<R>],
    /// Number of records of each strip.
    pub(crate) lengths: &'a [usize],
    /// Which pairs of the tick are stored.
    pub(crate) limit: &'a PairLimit<'a>,
    /// Id of the first row of the second set, if there is one.
    pub(crate) second_row: u32,
    /// Whether the input has filters.
    pub(crate) filtered: bool,
    /// The owners of the boxes, if there are any.
    pub(crate) owner: Option<OwnerOf<'a>>,
    /// Number of records from which a crowded strip is left to all threads. Such a strip is the last one of its run.
    pub(crate) divided_rows: usize,
    /// Whether the boxes are to be joined. Then there is one strip.
    pub(crate) joined: bool,
}

impl<R: StripPairs> StripPass<'_, R> {
    /// Finds the pairs of consecutive strips: those whose bounds overlap, or of records of paths, those that touch
    /// during the tick. Returns the strip that is left to all threads, if there is one.
    pub(crate) fn find(
        &self,
        strips: Range<usize>,
        scratch: &mut SweepScratch<R>,
        found: &mut Buffer<R::Found>,
    ) -> Option<usize> {
        for strip in strips {
            let rows = self.lengths[strip];
            if rows == 0 {
                continue;
            }
            let divided = rows >= self.divided_rows;
            if self.joined && divided {
                return Some(strip);
            }
            if self.joined && self.join(strip, scratch, found) {
                continue;
            }
            self.load(strip, scratch);
            if !self.joined && is_crowded(&scratch.columns) {
                if divided {
                    return Some(strip);
                }
                if self.join(strip, scratch, found) {
                    continue;
                }
            }
            R::sweep(self, strip, scratch, found);
        }
        None
    }

    /// Sorts the records of a strip and stores them as columns.
    fn load(&self, strip: usize, scratch: &mut SweepScratch<R>) {
        let Self { level, grid, chunks, .. } = *self;
        let (rows, sort, columns) = (self.lengths[strip], &mut scratch.sort, &mut scratch.columns);
        SortStrip { level, grid, chunks, strip, rows, scratch: sort, columns }.run();
        scratch.loaded = Some(strip);
    }

    /// Stores the records of a strip as columns for a join, in any order.
    fn load_for_join(&self, strip: usize, scratch: &mut SweepScratch<R>) {
        if self.joined {
            let Self { level, grid, chunks, .. } = *self;
            let (rows, sort) = (self.lengths[strip], &mut scratch.sort);
            let columns = &mut scratch.columns;
            SortStrip { level, grid, chunks, strip, rows, scratch: sort, columns }.run_unsorted();
        } else if !scratch.has_loaded(strip) {
            self.load(strip, scratch);
        }
    }

    /// Finds the pairs of a crowded strip on all threads, and returns the runs that contain them.
    pub(crate) fn divide<'a>(
        &self,
        strip: usize,
        threads: &Threads,
        scratch: &mut SweepScratch<R>,
        join: &mut DividedJoin,
        pairs: &'a mut PairRuns<R::Found>,
    ) -> &'a mut [PairRun<R::Found>] {
        self.load_for_join(strip, scratch);
        if !self.begins(join, scratch) {
            if self.joined {
                self.load(strip, scratch);
            }
            let runs = pairs.add(1);
            R::sweep(self, strip, scratch, &mut runs[0].pairs);
            return runs;
        }
        let runs = pairs.add(join.divide(self.level, threads));
        let SweepScratch { sort, columns, .. } = scratch;
        let columns = &*columns;
        let owner = self.owner_at(columns, &sort.records);
        let excluded = self.excluded(columns, &owner);
        let take = |candidates: &mut Candidates, overlaps: &mut _, found: &mut _| {
            if self.filtered {
                candidates.filter(&columns.filters);
            }
            R::report(self, strip, (columns, &sort.records), (candidates, overlaps), found);
        };
        join.run((self.level, R::HAS_PATH), threads, runs, excluded, &take);
        runs
    }

    /// Begins the join of a strip on all threads. Returns false if a sweep is cheaper.
    fn begins(&self, join: &mut DividedJoin, scratch: &SweepScratch<R>) -> bool {
        let SweepScratch { sort, columns, .. } = scratch;
        let owner = self.owner_at(columns, &sort.records);
        join.begin(self.level, self.join_input(columns, self.excluded(columns, &owner)))
    }

    /// Returns the owner of the record at a place of a strip, if boxes have owners.
    fn owner_at<'c>(
        &'c self,
        columns: &'c StripColumns,
        records: &'c [R],
    ) -> Option<impl Fn(u32) -> u32 + Sync> {
        self.owner.map(|of| move |place: u32| of(R::row(records, columns.ids[place as usize])))
    }

    /// Returns which pairs of a strip are excluded, with the function of [`StripPass::owner_at`].
    fn excluded<'c>(
        &self,
        columns: &'c StripColumns,
        owner: &'c Option<impl Fn(u32) -> u32 + Sync>,
    ) -> Exclusion<'c> {
        let filters = if self.filtered { &columns.filters[..columns.rows] } else { &[] };
        Exclusion { filters, owner: owner.as_ref().map(|owner| owner as OwnerOf<'_>) }
    }

    /// Returns the boxes of a strip as the input of a join.
    fn join_input<'c>(&self, columns: &'c StripColumns, excluded: Exclusion<'c>) -> JoinInput<'c> {
        let StripColumns { rows, bounds, ids, .. } = columns;
        JoinInput { bounds, ids, excluded, rows: *rows, not_first: self.grid.not_first() }
    }

    /// Finds the pairs by a join. Returns false if a sweep is cheaper.
    fn join(
        &self,
        strip: usize,
        scratch: &mut SweepScratch<R>,
        found: &mut Buffer<R::Found>,
    ) -> bool {
        self.load_for_join(strip, scratch);
        let SweepScratch { sort, columns, join, candidates, overlaps, .. } = scratch;
        let columns = &*columns;
        let owner = self.owner_at(columns, &sort.records);
        let excluded = self.excluded(columns, &owner);
        if !join.begin(self.level, self.join_input(columns, excluded)) {
            return false;
        }
        candidates.reserve(candidates_max(columns.rows));
        loop {
            candidates.len = 0;
            let done = join.proceed(self.level, excluded, candidates);
            if self.filtered {
                candidates.filter(&columns.filters);
            }
            R::report(self, strip, (columns, &sort.records), (candidates, overlaps), found);
            if done {
                return true;
            }
        }
    }

    /// Compares the boxes of a strip from `next` on, and appends those that reach far to `far`. Returns the box to
    /// continue with.
    fn near(
        &self,
        columns: &StripColumns,
        next: usize,
        far: &mut Vec<FarBox>,
        sink: OverlapSink<'_>,
    ) -> usize {
        // Two loops, because a branch in the innermost one would cost 4 %.
        if self.filtered {
            self.level.run(SweepNear::<true> { columns, next, far, sink })
        } else {
            self.level.run(SweepNear::<false> { columns, next, far, sink })
        }
    }

    /// Compares the boxes that reach far with the rest that they reach. Returns the box to continue with.
    fn far(
        &self,
        (columns, records): (&StripColumns, &[R]),
        (far, next): (&[FarBox], usize),
        sink: OverlapSink<'_>,
    ) -> usize {
        let filtered = self.filtered;
        self.level.run(SweepFar { columns, records, far, next, filtered, sink })
    }
}

/// Returns whether a sweep of the strip would make so many comparisons that a join may be cheaper.
fn is_crowded(columns: &StripColumns) -> bool {
    let rows = columns.rows;
    if rows < JOIN_ROWS_MIN {
        return false;
    }
    let mut work = 0;
    for row in (0..rows).step_by(CROWD_STEP) {
        work += u64::from(columns.ends[row].saturating_sub(row as u32 + 1));
    }
    work * CROWD_STEP as u64 > JOIN_WORK * rows as u64
}

/// Records whose pairs are found by strips.
pub(crate) trait StripPairs: StripRecord {
    /// Appends the pairs of a strip.
    fn sweep(
        pass: &StripPass<'_, Self>,
        strip: usize,
        scratch: &mut SweepScratch<Self>,
        found: &mut Buffer<Self::Found>,
    );

    /// Appends the pairs among the candidates that a join found, with memory for those that are swept.
    fn report(
        pass: &StripPass<'_, Self>,
        strip: usize,
        of: (&StripColumns, &[Self]),
        memory: (&Candidates, &mut Buffer<Pair>),
        found: &mut Buffer<Self::Found>,
    );
}

impl StripPairs for UnionRecord {
    fn sweep(
        pass: &StripPass<'_, Self>,
        _: usize,
        scratch: &mut SweepScratch<Self>,
        found: &mut Buffer<Pair>,
    ) {
        let SweepScratch { sort, columns, far, .. } = scratch;
        let (limit, second_row, most) = (pass.limit, pass.second_row, usize::MAX);
        far.clear();
        pass.near(columns, 0, far, OverlapSink { found, limit, second_row, most });
        if !far.is_empty() {
            let sink = OverlapSink { found, limit, second_row, most };
            pass.far((columns, &sort.records), (far, 0), sink);
        }
    }

    fn report(
        pass: &StripPass<'_, Self>,
        _: usize,
        (columns, _): (&StripColumns, &[Self]),
        (candidates, _): (&Candidates, &mut Buffer<Pair>),
        found: &mut Buffer<Pair>,
    ) {
        candidates.append_rows(&columns.ids, pass.second_row, (found, pass.limit));
    }
}

/// Sweeps the overlaps, appends the pairs that touch, and removes the overlaps.
fn touch(
    pass: &StripPass<'_, SweptRecord>,
    strip: usize,
    (records, overlaps): (&[SweptRecord], &mut Buffer<Pair>),
    found: &mut Buffer<SweptPair>,
) {
    if overlaps.len() > 0 {
        let StripPass { level, grid, limit, second_row, .. } = *pass;
        level.run(SweepOverlaps { grid, strip, records, overlaps, second_row, found, limit });
    }
    overlaps.clear();
}

impl StripPairs for SweptRecord {
    fn sweep(
        pass: &StripPass<'_, Self>,
        strip: usize,
        scratch: &mut SweepScratch<Self>,
        found: &mut Buffer<SweptPair>,
    ) {
        let SweepScratch { sort, columns, far, overlaps, .. } = scratch;
        let records = &sort.records[..];
        let (limit, second_row, most) = (&UNLIMITED, 0, CANDIDATES);
        far.clear();
        // The list contains pairs of another strip if the sweep of that strip ended by a panic.
        overlaps.clear();
        let mut next = 0;
        while next < columns.rows {
            let sink = OverlapSink { found: overlaps, limit, second_row, most };
            next = pass.near(columns, next, far, sink);
            touch(pass, strip, (records, overlaps), found);
        }
        let mut next = 0;
        while next < far.len() {
            let sink = OverlapSink { found: overlaps, limit, second_row, most };
            next = pass.far((columns, records), (far, next), sink);
            touch(pass, strip, (records, overlaps), found);
        }
    }

    fn report(
        pass: &StripPass<'_, Self>,
        strip: usize,
        (columns, records): (&StripColumns, &[Self]),
        (candidates, overlaps): (&Candidates, &mut Buffer<Pair>),
        found: &mut Buffer<SweptPair>,
    ) {
        // The list contains pairs of another strip if the sweep of that strip ended by a panic.
        overlaps.clear();
        // The ids of the columns are positions.
        candidates.append_rows(&columns.ids, 0, (overlaps, &UNLIMITED));
        touch(pass, strip, (records, overlaps), found);
    }
}
