//! The copy of a box in a strip.
//!
//! A record is plain words, so that lane groups of records are written and read by a transposition: a column of
//! numbers is a vector of lanes, a row is a record. The axes of a record are in the order of
//! [`Grid::axes`](super::grid::Grid::axes).

use super::long_path::Passage;
use crate::broadphase::pairs::flags::LONG;
use crate::broadphase::pairs::input::ROW;
use crate::broadphase::pairs::runs::FoundPair;
use crate::geom::{Aabb, MapEach, MovingBox, Pair, SweptPair};
use crate::kernels::bounds::bounds;
use crate::kernels::sweep;
use crate::lanes::{F32Lanes, Isa, LANES_MAX, MaskLanes, U32Lanes};
use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use core::fmt::Debug;

/// The copy of a box in a strip: its numbers, its id and its filter.
pub(crate) trait StripRecord: Default + Pod + Debug + Send + Sync {
    /// What is found from such records.
    type Found: FoundPair;

    /// Whether the record contains the path of the box, so that a long path is copied only to the strips that it
    /// crosses.
    const HAS_PATH: bool;

    /// Writes the records of a lane group of boxes to the start of `to`, with the axes in this order.
    fn store<I: Isa>(
        isa: I,
        columns: &[I::F32; 9],
        order: [usize; 3],
        id: I::U32,
        filter: I::U32,
        to: &mut [Self],
    );

    /// Loads the lane group of records `which`. `passage` is the cell of their strip; records without paths have none.
    fn load<I: Isa>(
        isa: I,
        records: &[Self],
        which: &[u32],
        passage: Option<&Passage>,
    ) -> RecordLanes<I>;

    /// Returns the lower end of the bounds along the strip.
    fn low(&self) -> f32;

    /// Returns the id: a row or slot, and flags.
    fn id_mut(&mut self) -> &mut u32;

    /// Returns the row or slot of the box whose id in the columns of a strip is `id`. `_records` are those of the strip.
    fn row(_records: &[Self], id: u32) -> u32 {
        id & ROW
    }

    /// Returns which of the records `_others` touch the record `_one` in the tick; of records without paths, all.
    #[inline(always)]
    fn touch<I: Isa>(isa: I, _records: &[Self], _one: u32, _others: I::U32) -> I::Mask {
        isa.splat(0.0).le(isa.splat(0.0))
    }

    /// Makes this the record of the part of a long path that lies in a strip, with its lower end along the strip.
    fn set_part(&mut self, low: f32);
}

/// A lane group of records.
#[derive(Clone, Copy)]
pub(crate) struct RecordLanes<I: Isa> {
    pub(crate) bounds: [I::F32; 6],
    pub(crate) id: I::U32,
    /// The filters as words, the category below the mask.
    pub(crate) filter: I::U32,
}

/// The copy of a box of which only the bounds of its path are needed.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct UnionRecord {
    low: [f32; 3],
    high: [f32; 3],
    id: u32,
    filter: u32,
}

/// The copy of a box with its displacement.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SweptRecord {
    min: [f32; 3],
    max: [f32; 3],
    delta: [f32; 3],
    id: u32,
    /// Lower end along the strip of the bounds, or of those of the part of a long path.
    low: f32,
    filter: u32,
}

const UNION_WORDS: usize = size_of::<UnionRecord>() / size_of::<u32>();
const SWEPT_WORDS: usize = size_of::<SweptRecord>() / size_of::<u32>();

impl StripRecord for UnionRecord {
    type Found = Pair;

    const HAS_PATH: bool = false;

    #[inline(always)]
    fn store<I: Isa>(
        isa: I,
        columns: &[I::F32; 9],
        [x, u, v]: [usize; 3],
        id: I::U32,
        filter: I::U32,
        to: &mut [Self],
    ) {
        let ends = bounds(isa, columns);
        let [low_x, low_u, low_v] = [ends[x].to_bits(), ends[u].to_bits(), ends[v].to_bits()];
        let [high_x, high_u, high_v] =
            [ends[3 + x].to_bits(), ends[3 + u].to_bits(), ends[3 + v].to_bits()];
        let to: &mut [[u32; UNION_WORDS]] = cast_slice_mut(to);
        isa.store_rows([low_x, low_u, low_v, high_x], to, 0);
        isa.store_rows([high_u, high_v, id, filter], to, 4);
    }

    #[inline(always)]
    fn load<I: Isa>(
        isa: I,
        records: &[Self],
        which: &[u32],
        _: Option<&Passage>,
    ) -> RecordLanes<I> {
        let records: &[[u32; UNION_WORDS]] = cast_slice(records);
        let [[a, b, c, d], [e, f, id, filter]] = isa.gather_rows::<UNION_WORDS, 2>(records, which);
        RecordLanes { bounds: [a, b, c, d, e, f].map_each(I::F32::from_bits), id, filter }
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.low[0]
    }

    #[inline(always)]
    fn id_mut(&mut self) -> &mut u32 {
        &mut self.id
    }

    fn set_part(&mut self, low: f32) {
        self.low[0] = low;
        self.id |= LONG;
    }
}

impl SweptRecord {
    /// Returns the record of a box, with the axes of space; of an invalid one, a record whose bounds are invalid.
    pub(crate) fn of(moving: &MovingBox) -> Self {
        let MovingBox { aabb: Aabb { min, max }, delta } = *moving;
        let min = if moving.validate().is_ok() { min } else { [f32::NAN; 3] };
        Self { min, max, delta, ..Self::zeroed() }
    }

    /// Returns the path as numbers, in the order of the columns.
    pub(crate) fn path(&self) -> [f32; 9] {
        let Self { min: [a, b, c], max: [d, e, f], delta: [g, h, i], .. } = *self;
        [a, b, c, d, e, f, g, h, i]
    }

    /// Loads the paths of the lane group of records `which`, their ids and their filters.
    #[inline(always)]
    pub(crate) fn paths<I: Isa>(
        isa: I,
        records: &[Self],
        which: &[u32],
    ) -> ([I::F32; 9], I::U32, I::U32) {
        let records: &[[u32; SWEPT_WORDS]] = cast_slice(records);
        let [[a, b, c, d], [e, f, g, h], [i, id, _, filter]] =
            isa.gather_rows::<SWEPT_WORDS, 3>(records, which);
        ([a, b, c, d, e, f, g, h, i].map_each(I::F32::from_bits), id, filter)
    }
}

impl StripRecord for SweptRecord {
    type Found = SweptPair;

    const HAS_PATH: bool = true;

    #[inline(always)]
    fn store<I: Isa>(
        isa: I,
        columns: &[I::F32; 9],
        [x, u, v]: [usize; 3],
        id: I::U32,
        filter: I::U32,
        to: &mut [Self],
    ) {
        let low = bounds(isa, columns)[x].to_bits();
        let [min_x, min_u, min_v] =
            [columns[x].to_bits(), columns[u].to_bits(), columns[v].to_bits()];
        let [max_x, max_u, max_v] =
            [columns[3 + x].to_bits(), columns[3 + u].to_bits(), columns[3 + v].to_bits()];
        let [delta_x, delta_u, delta_v] =
            [columns[6 + x].to_bits(), columns[6 + u].to_bits(), columns[6 + v].to_bits()];
        let to: &mut [[u32; SWEPT_WORDS]] = cast_slice_mut(to);
        isa.store_rows([min_x, min_u, min_v, max_x], to, 0);
        isa.store_rows([max_u, max_v, delta_x, delta_u], to, 4);
        isa.store_rows([delta_v, id, low, filter], to, 8);
    }

    #[inline(always)]
    fn load<I: Isa>(
        isa: I,
        records: &[Self],
        which: &[u32],
        passage: Option<&Passage>,
    ) -> RecordLanes<I> {
        let (path, id, filter) = Self::paths(isa, records, which);
        let mut ends = bounds(isa, &path);
        let short = id.disjoint(isa.splat_u32(LONG));
        if short.count() < I::LANES
            && let Some(passage) = passage
        {
            let part = passage.bounds(isa, &path).0;
            for (end, part) in ends.iter_mut().zip(part) {
                *end = I::F32::select(short, *end, part);
            }
        }
        RecordLanes { bounds: ends, id, filter }
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.low
    }

    #[inline(always)]
    fn id_mut(&mut self) -> &mut u32 {
        &mut self.id
    }

    fn row(records: &[Self], id: u32) -> u32 {
        records[(id & ROW) as usize].id & ROW
    }

    #[inline(always)]
    fn touch<I: Isa>(isa: I, records: &[Self], one: u32, others: I::U32) -> I::Mask {
        let mut lanes = [0; LANES_MAX];
        others.store(&mut lanes);
        // Gathered like the others, because the compiler would compute a splat before the loop that rarely needs it.
        let (path, _, _) = Self::paths(isa, records, &[one; LANES_MAX]);
        let (paths, _, _) = Self::paths(isa, records, &lanes);
        sweep::times(isa, &path, &paths).1
    }

    #[inline(always)]
    fn set_part(&mut self, low: f32) {
        self.low = low;
        self.id |= LONG;
    }
}
