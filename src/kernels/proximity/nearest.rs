//! The k nearest boxes among many.
//!
//! The distances are those of a list of hits. Single lanes are examined only where a group has a
//! better one. A list for a few dozen boxes is sorted; a longer one is a heap with the farthest box on top, because
//! inserting into a sorted list takes time in proportion to its length. Guarantee: the result is that of testing all rows
//! in order, on every level.

use super::put;
use crate::columns::{Checked, LengthMismatch};
use crate::geom::Aabb;
use crate::kernels::batch::{Answer, Sink};
use crate::kernels::{BatchError, Hit};
use crate::lanes::{F32Lanes, Isa, LANES_MAX, Level, MaskLanes};

/// Largest number of places of a sorted list.
const SORTED_MAX: usize = 32;

/// Returns the box nearest to `a`, at most `max_distance` away; among equally near ones, the lowest
/// row.
///
/// # Errors
///
/// [`BatchError::Invalid`] when `a` is invalid or `max_distance` is negative or NaN.
///
/// ```
/// use swath::{Aabb, Level, MovingBoxStore};
/// use swath::batch::proximity;
///
/// let mut many = MovingBoxStore::new();
/// for x in [7.0, 3.0, 5.0, 3.0] {
///     many.push(Aabb::cube([x, 0.0, 0.0], 0.5)?)?;
/// }
/// let level = Level::detect();
/// let here = Aabb::point([0.0; 3])?;
/// let first = proximity::nearest(level, &here, f32::INFINITY, &many.checked())?;
/// assert_eq!(first.map(|hit| hit.row), Some(1));
/// assert_eq!(proximity::nearest(level, &here, 2.0, &many.checked())?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest(
    level: Level,
    a: &Aabb,
    max_distance: f32,
    many: &Checked<'_>,
) -> Result<Option<Hit>, BatchError> {
    let mut to = [Hit::default()];
    let found = k_nearest(level, a, max_distance, many, &mut to)?;
    Ok(found.first().copied())
}

/// Writes the boxes nearest to `a`, at most `max_distance` away, to `to`: as many as fit.
///
/// They are ordered by distance, then by row. 24 bytes read per row; the time also grows with the
/// length of `to`: by the logarithm of it for each box that is among the nearest of those tested before.
///
/// # Errors
///
/// [`BatchError::Invalid`] when `a` is invalid or `max_distance` is negative or NaN.
///
/// ```
/// use swath::{Aabb, Level, MovingBoxStore};
/// use swath::batch::{Hit, proximity};
///
/// let mut many = MovingBoxStore::new();
/// for x in [7.0, 3.0, 5.0, 3.0] {
///     many.push(Aabb::cube([x, 0.0, 0.0], 0.5)?)?;
/// }
/// let mut memory = [Hit::default(); 3];
/// let here = Aabb::point([0.0; 3])?;
/// let found = proximity::k_nearest(Level::detect(), &here, 9.0, &many.checked(), &mut memory)?;
/// assert_eq!(found.iter().map(|hit| hit.row).collect::<Vec<_>>(), [1, 3, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn k_nearest<'a>(
    level: Level,
    a: &Aabb,
    max_distance: f32,
    many: &Checked<'_>,
    to: &'a mut [Hit],
) -> Result<&'a [Hit], BatchError> {
    let mut nearest = NearestList::new(to);
    put(level, a, max_distance, many, &mut nearest)?;
    Ok(nearest.into_hits())
}

/// The nearest boxes found so far, in a buffer of the caller.
#[derive(Debug)]
pub(crate) struct NearestList<'a> {
    /// Sorted, or in the order of a heap: no box is sorted before those in places `2k + 1` and `2k + 2` if it is in place `k`.
    to: &'a mut [Hit],
    found: usize,
    /// The place of the farthest box when all places are used: the last, or the first of a heap.
    farthest: usize,
}

impl<'a> NearestList<'a> {
    pub(crate) fn new(to: &'a mut [Hit]) -> Self {
        let farthest = if to.len() > SORTED_MAX { 0 } else { to.len().saturating_sub(1) };
        Self { to, found: 0, farthest }
    }

    /// Returns the distance beyond which no box is inserted any more.
    #[inline(always)]
    pub(crate) fn reach(&self) -> f32 {
        if self.found < self.to.len() {
            f32::INFINITY
        } else {
            // An empty buffer accepts nothing.
            self.to.get(self.farthest).map_or(-1.0, |farthest| farthest.value)
        }
    }

    /// Returns whether a box would be inserted.
    #[inline(always)]
    pub(crate) fn takes(&self, hit: Hit) -> bool {
        self.found < self.to.len()
            || self.to.get(self.farthest).is_some_and(|farthest| is_before(&hit, farthest))
    }

    /// Inserts a box for which [`NearestList::takes`] returns `true`. It replaces the farthest if all places are used.
    pub(crate) fn insert(&mut self, hit: Hit) {
        if self.to.len() > SORTED_MAX {
            return self.insert_into_heap(hit);
        }
        let at = self.to[..self.found].partition_point(|kept| is_before(kept, &hit));
        self.found = self.to.len().min(self.found + 1);
        self.to[at..self.found].rotate_right(1);
        self.to[at] = hit;
    }

    fn insert_into_heap(&mut self, hit: Hit) {
        if self.found == self.to.len() {
            return sift_down(self.to, hit);
        }
        let mut at = self.found;
        self.found += 1;
        while at > 0 {
            let above = (at - 1) / 2;
            if !is_before(&self.to[above], &hit) {
                break;
            }
            self.to[at] = self.to[above];
            at = above;
        }
        self.to[at] = hit;
    }

    /// Returns the boxes in order.
    pub(crate) fn into_hits(self) -> &'a [Hit] {
        let Self { to, found, .. } = self;
        if to.len() > SORTED_MAX {
            // Heapsort: the farthest box of the others moves behind them.
            for last in (1..found).rev() {
                let hit = to[last];
                to[last] = to[0];
                sift_down(&mut to[..last], hit);
            }
        }
        &to[..found]
    }
}

/// Replaces the first element of a heap, which has one, by `hit`, and restores the order of the heap.
fn sift_down(heap: &mut [Hit], hit: Hit) {
    let mut at = 0;
    loop {
        let mut child = 2 * at + 1;
        if heap.get(child + 1).is_some_and(|second| is_before(&heap[child], second)) {
            child += 1;
        }
        match heap.get(child) {
            Some(&below) if is_before(&hit, &below) => heap[at] = below,
            _ => break,
        }
        at = child;
    }
    heap[at] = hit;
}

impl Sink for &mut NearestList<'_> {
    fn check(&self, _: usize) -> Result<(), LengthMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        let better = answer.hit & answer.near.le(isa.splat(self.reach()));
        let better = better.bits() & (u32::MAX << seen);
        if better != 0 {
            let mut at = [0.0; LANES_MAX];
            answer.near.store(&mut at);
            insert(self, start as u32, better, &at);
        }
        true
    }
}

/// Returns whether `a` is sorted before `b`: by distance, then by row.
#[inline(always)]
fn is_before(a: &Hit, b: &Hit) -> bool {
    a.value < b.value || a.value == b.value && a.row < b.row
}

/// Inserts the lanes `better`.
#[cold]
fn insert(nearest: &mut NearestList<'_>, start: u32, mut better: u32, at: &[f32; LANES_MAX]) {
    while better != 0 {
        let lane = better.trailing_zeros();
        better &= better - 1;
        let hit = Hit { row: start + lane, value: at[lane as usize] };
        if nearest.takes(hit) {
            nearest.insert(hit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NearestList, SORTED_MAX};
    use crate::kernels::Hit;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Goal: lists of all lengths have the nearest boxes in order, and the rest of their memory is not written. Method: compare
    /// with sorted boxes; few distances and both zeros, so that rows decide; as many boxes as fit, fewer, and more.
    #[test]
    fn list_of_any_length_has_the_nearest_boxes_in_order() {
        let mut places: Vec<usize> = (0..2 * SORTED_MAX + 4).collect();
        places.push(1000);
        for places in places {
            for count in [0, 1, places / 2, places, places + 1, 3 * places + 7] {
                for distances in [1, 5, 100_000] {
                    let hits: Vec<Hit> = (0..count as u32)
                        .map(|k| {
                            let value = (k.wrapping_mul(0x9E37_79B9) >> 8) % distances;
                            let value = if k % 3 == 0 && value == 0 { -0.0 } else { value as f32 };
                            Hit { row: k.wrapping_mul(0x9E37_79B1), value }
                        })
                        .collect();
                    let unused = Hit { row: 77, value: -7.0 };
                    let mut memory = vec![unused; places];
                    let mut list = NearestList::new(&mut memory);
                    for &hit in &hits {
                        if list.takes(hit) {
                            assert!(list.reach() >= hit.value);
                            list.insert(hit);
                        }
                    }
                    let found = list.into_hits().len();
                    let mut expected = hits;
                    expected.sort_by(|a, b| {
                        a.value.partial_cmp(&b.value).expect("no NaN").then(a.row.cmp(&b.row))
                    });
                    expected.truncate(places);
                    assert_eq!(found, expected.len());
                    expected.resize(places, unused);
                    let bits = |hits: &[Hit]| bytemuck::cast_slice::<_, u32>(hits).to_vec();
                    assert_eq!(bits(&memory), bits(&expected), "{count} boxes, {places} places");
                }
            }
        }
    }
}
