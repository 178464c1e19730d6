//! The k nearest boxes among many.
//!
//! The distances are those of a list of hits. Single lanes are examined only where a group has a
//! better one. Guarantee: the result is that of testing all rows in order, on every level.

use super::put;
use crate::columns::{Checked, LengthMismatch};
use crate::geom::Aabb;
use crate::kernels::batch::{Answer, Sink};
use crate::kernels::{BatchError, Hit};
use crate::lanes::{F32Lanes, Isa, LANES_MAX, Level, MaskLanes};

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
/// length of `to`.
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

/// The nearest boxes found so far, sorted, in a buffer of the caller.
#[derive(Debug)]
pub(crate) struct NearestList<'a> {
    to: &'a mut [Hit],
    found: usize,
}

impl<'a> NearestList<'a> {
    pub(crate) fn new(to: &'a mut [Hit]) -> Self {
        Self { to, found: 0 }
    }

    /// Returns the distance beyond which no box is inserted any more.
    #[inline(always)]
    pub(crate) fn reach(&self) -> f32 {
        if self.found < self.to.len() {
            f32::INFINITY
        } else {
            // An empty buffer accepts nothing.
            self.to.last().map_or(-1.0, |last| last.value)
        }
    }

    /// Returns whether a box would be inserted.
    #[inline(always)]
    pub(crate) fn takes(&self, hit: Hit) -> bool {
        self.found < self.to.len() || self.to.last().is_some_and(|last| is_before(&hit, last))
    }

    /// Inserts a box for which [`NearestList::takes`] returns `true` at its sorted position.
    pub(crate) fn insert(&mut self, hit: Hit) {
        let at = self.to[..self.found].partition_point(|kept| is_before(kept, &hit));
        self.found = self.to.len().min(self.found + 1);
        self.to[at..self.found].rotate_right(1);
        self.to[at] = hit;
    }

    pub(crate) fn into_hits(self) -> &'a [Hit] {
        let Self { to, found } = self;
        &to[..found]
    }
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
