//! The join of movers with all fixed boxes: its input, its cost, and the rows of its pairs.
//!
//! A join separates boxes that filters or owners exclude from each other. How much of it is left to compare is estimated from the
//! boxes around a few movers, because it separates them where they are: each of many places may have filters of its own.

use super::BvhItem;
use super::movers::{MoverRecord, ROW};
use crate::broadphase::join::excluded::{Exclusion, OVERLAPS_MIN};
use crate::broadphase::pairs::buffer::{Buffer, reserve_for};
use crate::broadphase::pairs::candidates::{Candidates, overlap};
use crate::broadphase::pairs::input::PairInput;
use crate::broadphase::pairs::limit::{OwnerOf, PairLimit};
use crate::columns::Row;
use crate::geom::{Filter, MapEach, Pair, sample_index, uneven_index};
use crate::lanes::Scalar;
use alloc::vec::Vec;

/// Number of movers from which the number of candidates is estimated.
const SAMPLE_MOVERS: usize = 32;
/// Number of fixed boxes from which the number of candidates is estimated.
const SAMPLE_BOXES: usize = 512;
/// Number of movers around which the share of separated candidates is estimated.
const CENTRES: usize = 4;
/// Greatest number of movers in the sample around each of these.
const SAMPLE_NEAR: usize = 256;

/// The movers and the fixed boxes of a join.
#[derive(Clone, Copy)]
pub(super) struct JoinedMovers<'a> {
    pub(super) movers: &'a [MoverRecord],
    /// Filters, labels and owners of the movers, by row.
    pub(super) set: PairInput<'a>,
    pub(super) limit: &'a PairLimit<'a>,
    /// The movers that are left for the join, as indices of `movers`.
    pub(super) left: &'a [u32],
    pub(super) boxes: &'a [BvhItem],
    /// The words of the filters of these movers, then of the boxes; empty if all pairs are allowed.
    pub(super) words: &'a [u32],
}

/// Writes the words of the filters of a join; the list is empty if neither set is filtered.
pub(super) fn write_words(is_filtered: bool, joined: &JoinedMovers<'_>, words: &mut Vec<u32>) {
    let JoinedMovers { set, left, boxes, .. } = *joined;
    words.clear();
    if is_filtered {
        reserve_for(words, left.len() + boxes.len());
        let filter = |&mover: &u32| {
            set.filters.map_or(Filter::ALL, |filters| filters[joined.row(mover) as usize])
        };
        words.extend(left.iter().map(|mover| filter(mover).word()));
        words.extend(boxes.iter().map(|item| item.filter));
    }
}

impl JoinedMovers<'_> {
    /// Returns the row of a mover.
    fn row(&self, mover: u32) -> u32 {
        self.movers[mover as usize][ROW]
    }

    /// Returns the bounds of the path of a mover or, past the movers, of a fixed box.
    pub(super) fn bounds(&self, place: usize) -> [f32; 6] {
        match self.left.get(place) {
            Some(&mover) => {
                let [x0, y0, z0, x1, y1, z1, ..] = self.movers[mover as usize];
                [x0, y0, z0, x1, y1, z1].map_each(f32::from_bits)
            }
            None => self.boxes[place - self.left.len()].aabb.to_row(),
        }
    }

    /// Calls a function with what excludes pairs of the join.
    pub(super) fn exclude<T>(&self, run: impl FnOnce(Exclusion<'_>) -> T) -> T {
        let Some([of_row, of_box]) = self.set.owners_in_forest() else {
            return run(Exclusion { filters: self.words, owner: None });
        };
        let owner = |place: u32| match self.left.get(place as usize) {
            Some(&mover) => of_row(self.row(mover)),
            None => of_box(self.boxes[place as usize - self.left.len()].id),
        };
        run(Exclusion { filters: self.words, owner: Some(&owner as OwnerOf<'_>) })
    }

    /// Estimates how many candidates the join compares: pairs of a mover and a fixed box that overlaps the bounds of its path, without the
    /// pairs that the join separates. For movers with long diagonal paths, these are many more than a traversal finds.
    pub(super) fn estimate(&self) -> f64 {
        let (movers, boxes) = (self.left.len(), self.boxes.len());
        let (of_movers, of_boxes) = (movers.min(SAMPLE_MOVERS), boxes.min(SAMPLE_BOXES));
        let (mut counts, mut count) = ([0_u32; SAMPLE_MOVERS], 0);
        for (k, candidates) in counts[..of_movers].iter_mut().enumerate() {
            let path = self.bounds(sample_index(k, of_movers, movers));
            for l in 0..of_boxes {
                let place = movers + sample_index(l, of_boxes, boxes);
                *candidates += u32::from(overlap::<Scalar>(path, self.bounds(place)));
            }
            count += *candidates;
        }
        let sampled = (of_movers * of_boxes).max(1) as f64;
        let candidates = f64::from(count) / sampled * movers as f64 * boxes as f64;
        let compared = self.exclude(|excluded| {
            // Few movers in a crowd are not separated from it.
            let are_few = candidates < OVERLAPS_MIN * (movers + boxes) as f64;
            if count == 0 || are_few || excluded.is_none() {
                return 1.0;
            }
            // Movers at equal distances in the list of candidates.
            let centre = |centre: usize| {
                let mut before = (2 * centre + 1) as u32 * count / (2 * CENTRES) as u32;
                let is_centre = |&candidates: &u32| {
                    let is_centre = before < candidates;
                    before = before.saturating_sub(candidates);
                    is_centre
                };
                let k = counts.iter().position(is_centre).unwrap_or(0);
                self.share_compared(excluded, sample_index(k, of_movers, movers))
            };
            (0..CENTRES).map(centre).sum::<f64>() / CENTRES as f64
        });
        candidates * compared
    }

    /// Estimates the share of the candidates around a mover that are not separated.
    fn share_compared(&self, excluded: Exclusion<'_>, centre: usize) -> f64 {
        let around = self.bounds(centre);
        let (movers, boxes) = (self.left.len(), self.boxes.len());
        let mut near = [0; SAMPLE_NEAR + SAMPLE_BOXES];
        let (near_movers, near_boxes) = near.split_at_mut(SAMPLE_NEAR);
        let collect = |to: &mut [u32], first: usize, count: usize| {
            let (samples, mut len) = (count.min(to.len()), 0);
            for k in 0..samples {
                let place = first + uneven_index(k, samples, count);
                to[len] = place as u32;
                len += usize::from(overlap::<Scalar>(around, self.bounds(place)));
            }
            (len, count as f64 / samples as f64)
        };
        let (mut a, each_of_a) = collect(near_movers, 0, movers);
        let (b, each_of_b) = collect(near_boxes, movers, boxes);
        if a == 0 {
            (near_movers[0], a) = (centre as u32, 1);
        }
        if b == 0 {
            return 1.0;
        }
        let sets = [&mut near_movers[..a], &mut near_boxes[..b]];
        let compared = excluded.count_compared(sets, each_of_a * each_of_b);
        compared as f64 / (a * b) as f64
    }

    /// Replaces the positions of the candidates by those of the mover and of the fixed box, in this order, and removes the
    /// candidates that their filters exclude.
    pub(super) fn look_up(&self, candidates: &mut Candidates) {
        if !self.words.is_empty() {
            candidates.filter(self.words);
        }
        let Candidates { a, b, len } = candidates;
        for (a, b) in a.iter_mut().zip(b).take(*len) {
            let [mover, fixed] = [*a.min(b), *a.max(b)];
            (*a, *b) = (self.left[mover as usize], fixed - self.left.len() as u32);
        }
    }

    /// Appends candidates that were looked up.
    pub(super) fn append(&self, candidates: &Candidates, found: &mut Buffer<Pair>) {
        let places = candidates.a.iter().zip(&candidates.b).take(candidates.len);
        let spare = found.spare_pairs(candidates.len, self.limit);
        for (pair, (&mover, &fixed)) in spare.iter_mut().zip(places) {
            *pair = Pair { a: self.row(mover), b: self.boxes[fixed as usize].id };
        }
        found.keep(candidates.len);
    }
}
