//! Finds the fixed boxes that each of some movers meets.
//!
//! The bounds of a mover's whole path are compared with the bounds of nodes and with the boxes in
//! leaves. If they overlap many children of a node, the path usually is long and diagonal and
//! crosses few of them; their bounds are then swept like boxes. The sweep never misses bounds that
//! contain a box it hits, rounding included, because each step of [`sweep::times`] is monotonic in
//! the faces of the fixed box, and so is its rounding. In a leaf, the boxes that overlap the bounds
//! of the path are swept, all lanes at once. So are the candidates of a join (`mover_pairs.rs`).

use super::mover_progress::MoverProgress;
use super::{BvhItem, Probe, Stack, Tree, walk};
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::pairs::candidates::Candidates;
use crate::broadphase::pairs::candidates::overlap;
use crate::broadphase::pairs::input::{CHUNK_ROWS, PairInput, allow};
use crate::broadphase::pairs::limit::PairLimit;
use crate::columns::{ColumnScratch, MovingBoxColumns, Rejected, Row, check_group};
use crate::geom::{Filter, MapEach, Pair, SweptPair};
use crate::kernels::bounds::bounds;
use crate::kernels::sweep;
use crate::lanes::{
    F32Lanes, IOTA, Isa, Kernel, LANES_MAX, Level, LoadColumns, MaskLanes, U32Lanes,
};
use alloc::vec::Vec;

/// A mover in one cache line: bounds of the path, corners and displacement as bits, and the row.
pub(crate) type MoverRecord = [u32; 16];
/// Offset of the bounds of the path.
const BOUNDS: usize = 0;
/// Offset of the corners and the displacement.
const BOX: usize = 6;
/// Offset of the row.
pub(crate) const ROW: usize = 15;

/// Writes the movers of `set` that may have pairs, and lists the invalid ones. `fixed` is the union of the words of
/// the filters of the fixed boxes.
pub(crate) fn load_movers(
    level: Level,
    set: PairInput<'_>,
    fixed: u32,
    columns: &mut ColumnScratch,
    movers: &mut Vec<MoverRecord>,
    rejected: &mut Vec<Rejected>,
) {
    movers.clear();
    rejected.clear();
    let count = set.len();
    if count < LANES_MAX {
        return load_few(set, fixed, movers, rejected);
    }
    for first_row in (0..count).step_by(CHUNK_ROWS) {
        let set = set.slice(first_row..count.min(first_row + CHUNK_ROWS));
        let (boxes, listed) = (set.boxes.columns(columns), rejected.len());
        level.run_rows(boxes.len(), LoadMovers { set, boxes, first_row, fixed, movers, rejected });
        rejected[listed..].iter_mut().for_each(|rejected| rejected.row += first_row as u32);
    }
}

/// Loads movers one by one: a few movers mostly wait for memory, and columns would be more memory to access.
fn load_few(
    set: PairInput<'_>,
    fixed: u32,
    movers: &mut Vec<MoverRecord>,
    rejected: &mut Vec<Rejected>,
) {
    for row in 0..set.len() {
        let moving = set.boxes.get(row);
        if let Err(reason) = moving.validate() {
            rejected.push(Rejected { row: row as u32, reason });
        } else if makes_pairs(&set, fixed, row) {
            let mut mover = [row as u32; 16];
            // Without a displacement they are the box itself.
            let still = moving.delta == [0.0; 3];
            let bounds = if still { moving.aabb } else { moving.bounds() };
            let numbers = bounds.to_row().into_iter().chain(moving.to_row());
            mover.iter_mut().zip(numbers).for_each(|(word, number)| *word = number.to_bits());
            movers.push(mover);
        }
    }
}

/// Appends the movers of `set` that may have pairs to `movers`, and the invalid ones to `rejected`.
struct LoadMovers<'a> {
    set: PairInput<'a>,
    /// The boxes of `set`.
    boxes: MovingBoxColumns<'a>,
    /// The row of the first of them.
    first_row: usize,
    /// The union of the words of the filters of the fixed boxes.
    fixed: u32,
    movers: &'a mut Vec<MoverRecord>,
    rejected: &'a mut Vec<Rejected>,
}

impl Kernel for LoadMovers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { set, boxes, first_row, fixed, movers, rejected } = self;
        let table = boxes.table();
        let rows = table.rows();
        let (mut row, mut len) = (0, movers.len());
        movers.resize(len + rows, [0; 16]);
        let iota = isa.load_u32(&IOTA);
        while row < rows {
            // The last group overlaps the previous one.
            let start = row.min(rows - I::LANES);
            let seen = row - start;
            let of = table.load(isa, start);
            let path = bounds(isa, &of);
            let valid = check_group(isa, boxes, &of, start, seen, rejected).bits();
            let id = isa.splat_u32((first_row + start) as u32).wrapping_add(iota);
            let words = [
                [path[0], path[1], path[2], path[3]].map_each(F32Lanes::to_bits),
                [path[4], path[5], of[0], of[1]].map_each(F32Lanes::to_bits),
                [of[2], of[3], of[4], of[5]].map_each(F32Lanes::to_bits),
                [of[6].to_bits(), of[7].to_bits(), of[8].to_bits(), id],
            ];
            let mut group = [[0; 16]; LANES_MAX];
            for (quad, words) in words.into_iter().enumerate() {
                isa.store_rows(words, &mut group, 4 * quad);
            }
            let mut remaining = valid & (u32::MAX << seen);
            while remaining != 0 {
                let lane = remaining.trailing_zeros() as usize;
                movers[len] = group[lane];
                remaining &= remaining - 1;
                len += usize::from(makes_pairs(&set, fixed, start + lane));
            }
            row += I::LANES;
        }
        movers.truncate(len);
    }
}

/// Whether a row moves and its filter may allow a box, from the union of the words of their filters.
#[inline(always)]
fn makes_pairs(set: &PairInput<'_>, fixed: u32, row: usize) -> bool {
    let moves = match set.moves {
        Some(moves) => moves[row],
        None => true,
    };
    let filter = match set.filters {
        Some(filters) => filters[row],
        None => Filter::ALL,
    };
    moves && Filter::words_allow(filter.word(), fixed)
}

/// The boxes of `meets` that may pair with a mover by their filters: all of them if the tree has no
/// filters. `movers` are filters by row.
#[inline(always)]
fn allowed<I: Isa>(
    isa: I,
    movers: Option<&[Filter]>,
    mover: &MoverRecord,
    filters: &[u32],
    meets: I::Mask,
) -> I::Mask {
    if filters.is_empty() {
        return meets;
    }
    let mine = match movers {
        Some(filters) => filters[mover[ROW] as usize],
        None => Filter::ALL,
    };
    meets & allow(isa.splat_u32(mine.word().rotate_left(16)), isa.load_u32(filters))
}

/// Pairs of movers and boxes that a traversal finds: row of the mover, row of the fixed box. They are [`Pair`]s if their bounds overlap, or
/// [`SweptPair`]s if they touch by an exact sweep.
pub(crate) struct MoverPairs<'a, P> {
    pub(crate) movers: &'a [MoverRecord],
    /// The filter of each mover, by row.
    pub(crate) filters: Option<&'a [Filter]>,
    pub(crate) found: &'a mut Buffer<P>,
    /// Which pairs of the tick are stored.
    pub(crate) limit: &'a PairLimit<'a>,
}

/// Traverses the trees for one block of movers after the other, as far as the progress allows.
pub(crate) struct TraverseMovers<'a, P> {
    pub(crate) trees: &'a [Tree],
    pub(crate) pairs: MoverPairs<'a, P>,
    /// The movers to search for.
    pub(crate) progress: &'a mut MoverProgress,
    pub(crate) stack: &'a mut Stack,
}

impl<'a, P> Kernel for TraverseMovers<'a, P>
where
    MoverPairs<'a, P>: Probe,
{
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { trees, mut pairs, progress, stack } = self;
        while let Some(block) = progress.next_block(pairs.count_tested()) {
            for tree in trees {
                progress.nodes += walk(isa, tree, &mut pairs, block.clone(), stack) as u64;
            }
        }
    }
}

/// The lanes whose bounds overlap the bounds of the mover's path.
#[inline(always)]
fn meets<I: Isa>(isa: I, mover: &MoverRecord, bounds: &[I::F32; 6]) -> I::Mask {
    let mut path = [isa.splat(0.0); 6];
    for (end, &bits) in path.iter_mut().zip(&mover[BOUNDS..BOX]) {
        *end = isa.splat(f32::from_bits(bits));
    }
    overlap::<I>(path, *bounds)
}

/// The first times at which the mover touches boxes that do not move, and which of them it touches.
#[inline(always)]
fn touches<I: Isa>(isa: I, mover: &MoverRecord, bounds: &[I::F32; 6]) -> (I::F32, I::Mask) {
    let mut a = [isa.splat(0.0); 9];
    for (number, &bits) in a.iter_mut().zip(&mover[BOX..ROW]) {
        *number = isa.splat(f32::from_bits(bits));
    }
    let still = isa.splat(0.0);
    let [x0, y0, z0, x1, y1, z1] = *bounds;
    sweep::times(isa, &a, &[x0, y0, z0, x1, y1, z1, still, still, still])
}

impl Probe for MoverPairs<'_, Pair> {
    #[inline(always)]
    fn reaches<I: Isa>(&self, isa: I, which: u32, bounds: &[I::F32; 6]) -> I::Mask {
        meets(isa, &self.movers[which as usize], bounds)
    }

    #[inline(always)]
    fn reaches_closely<I: Isa>(&self, isa: I, which: u32, bounds: &[I::F32; 6]) -> I::Mask {
        self.reaches(isa, which, bounds)
    }

    #[inline(always)]
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        which: u32,
        bounds: &[I::F32; 6],
        rows: I::U32,
        theirs: &[u32],
    ) {
        let mover = &self.movers[which as usize];
        let spare = self.found.spare_pairs(LANES_MAX, self.limit);
        let meets = meets(isa, mover, bounds);
        let meets = allowed(isa, self.filters, mover, theirs, meets);
        let count = meets.count();
        let spare: &mut [[u32; 2]] = bytemuck::cast_slice_mut(spare);
        isa.store_pairs(isa.splat_u32(mover[ROW]), rows.compress(meets), count, spare);
        self.found.keep(count);
    }

    fn count_tested(&mut self) -> [usize; 2] {
        self.found.count_tested(self.limit)
    }
}

impl Probe for MoverPairs<'_, SweptPair> {
    #[inline(always)]
    fn reaches<I: Isa>(&self, isa: I, which: u32, bounds: &[I::F32; 6]) -> I::Mask {
        meets(isa, &self.movers[which as usize], bounds)
    }

    #[inline(always)]
    fn reaches_closely<I: Isa>(&self, isa: I, which: u32, bounds: &[I::F32; 6]) -> I::Mask {
        touches(isa, &self.movers[which as usize], bounds).1
    }

    #[inline(always)]
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        which: u32,
        bounds: &[I::F32; 6],
        rows: I::U32,
        theirs: &[u32],
    ) {
        let mover = &self.movers[which as usize];
        let meets = meets(isa, mover, bounds);
        if meets.bits() == 0 {
            return;
        }
        let meets = allowed(isa, self.filters, mover, theirs, meets);
        let (first, touches) = touches(isa, mover, bounds);
        let hits = meets & touches;
        let kept = hits.count();
        let mover = isa.splat_u32(mover[ROW]);
        let columns = [mover, rows.compress(hits), first.to_bits().compress(hits)];
        let spare = self.found.spare_pairs(LANES_MAX, self.limit);
        isa.store_triples(columns, kept, bytemuck::cast_slice_mut(spare));
        self.found.keep(kept);
    }

    fn count_tested(&mut self) -> [usize; 2] {
        self.found.count_tested(self.limit)
    }
}

/// Appends the candidates of a join that touch, with their first times: positions of movers and of fixed boxes.
pub(crate) struct TouchMovers<'a> {
    pub(crate) movers: &'a [MoverRecord],
    pub(crate) boxes: &'a [BvhItem],
    pub(crate) candidates: &'a mut Candidates,
    pub(crate) found: &'a mut Buffer<SweptPair>,
    /// Which pairs of the tick are stored.
    pub(crate) limit: &'a PairLimit<'a>,
}

impl Kernel for TouchMovers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { movers, boxes, candidates, found, limit } = self;
        let boxes: &[[u32; 8]] = bytemuck::cast_slice(boxes);
        // Whole groups: past the end, the first box is compared with the first mover and dropped.
        let Candidates { a, b, len } = candidates;
        for column in [&mut *a, &mut *b] {
            column[*len..*len + LANES_MAX].fill(0);
        }
        let mut done = 0;
        while done < *len {
            let [_, [_, _, m0, m1], [m2, m3, m4, m5], [m6, m7, m8, row]] =
                isa.gather_rows::<16, 4>(movers, &a[done..]);
            let [[x0, y0, z0, x1], [y1, z1, id, _]] = isa.gather_rows::<8, 2>(boxes, &b[done..]);
            let mover = [m0, m1, m2, m3, m4, m5, m6, m7, m8].map_each(I::F32::from_bits);
            let [x0, y0, z0, x1, y1, z1] = [x0, y0, z0, x1, y1, z1].map_each(I::F32::from_bits);
            let still = isa.splat(0.0);
            let (first, hit) =
                sweep::times(isa, &mover, &[x0, y0, z0, x1, y1, z1, still, still, still]);
            let in_range = (1 << (*len - done).min(I::LANES)) - 1;
            let kept = (hit.bits() & in_range).count_ones() as usize;
            let columns = [row.compress(hit), id.compress(hit), first.to_bits().compress(hit)];
            let spare = bytemuck::cast_slice_mut(found.spare_pairs(LANES_MAX, limit));
            isa.store_triples(columns, kept, spare);
            found.keep(kept);
            done += I::LANES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BvhItem, Candidates, LANES_MAX, TouchMovers, load_movers};
    use crate::broadphase::pairs::buffer::Buffer;
    use crate::broadphase::pairs::candidates::{CANDIDATES, candidates_max};
    use crate::broadphase::pairs::input::PairInput;
    use crate::broadphase::pairs::limit::PairLimit;
    use crate::columns::ColumnScratch;
    use crate::geom::{Aabb, MovingBox, SweptPair};
    use crate::kernels::sweep;
    use crate::lanes::Level;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: the candidates of a join that touch are found in order, with the rows of the mover and of the box and the time of the sweep
    /// of one pair, and nothing past the last of them. Method: few candidates up to as many as are swept at once, for each level; the
    /// first mover touches the first box, which fill up the last group; the row of a mover is not its index.
    #[test]
    fn candidates_that_touch_are_found_and_none_past_the_last() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let mut rows: Vec<MovingBox> = (0..100)
            .map(|_| {
                let [min, delta] =
                    [(); 2].map(|()| [(); 3].map(|()| random.random_range(-2.0..2.0)));
                MovingBox { aabb: Aabb { min, max: min.map(|x| x + 1.0) }, delta }
            })
            .collect();
        let boxes: Vec<BvhItem> = (1000..)
            .zip(&rows)
            .map(|(id, row)| BvhItem { aabb: row.aabb, id, filter: u32::MAX })
            .collect();
        rows.insert(0, MovingBox { delta: [f32::NAN; 3], ..rows[0] });
        let (mut movers, mut rejected) = (Vec::new(), Vec::new());
        let (set, scratch) = (PairInput::new(&rows[..]), &mut ColumnScratch::default());
        load_movers(Level::detect(), set, u32::MAX, scratch, &mut movers, &mut rejected);
        assert_eq!((movers.len(), rejected[0].row), (100, 0));
        for len in [0, 1, 2, 3, LANES_MAX, 2 * LANES_MAX + 5, CANDIDATES + 37] {
            let mut index = || -> Vec<u32> {
                (0..candidates_max(CANDIDATES)).map(|_| random.random_range(0..100)).collect()
            };
            let (a, b) = (index(), index());
            let pair = |k: usize| {
                let (mover, item) = (a[k] as usize + 1, &boxes[b[k] as usize]);
                let swept = sweep::one_to_one(&rows[mover], &item.aabb.into()).expect("valid");
                let first = swept.first;
                (first < sweep::MISS).then_some(SweptPair { a: mover as u32, b: item.id, first })
            };
            let expected: Vec<SweptPair> = (0..len).filter_map(pair).collect();
            assert!(len < 30 || (len / 20..len / 2).contains(&expected.len()));
            for level in Level::all() {
                let candidates = &mut Candidates { a: a.clone(), b: b.clone(), len };
                let (found, limit) = (&mut Buffer::default(), &PairLimit::unlimited());
                level.run(TouchMovers { movers: &movers, boxes: &boxes, candidates, found, limit });
                assert_eq!(found.as_slice(), expected, "{level} {len}");
            }
        }
    }
}
