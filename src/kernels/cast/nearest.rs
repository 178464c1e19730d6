//! Closest hit and any hit of a segment among many boxes.
//!
//! The fractions are those of a list of hits. Single lanes are examined only where a group has a
//! better one. Guarantee: the result is that of testing all rows in order, on every level.

use super::segment_to_many;
use crate::columns::{Checked, LengthMismatch};
use crate::geom::Segment;
use crate::kernels::batch::{Answer, Sink};
use crate::kernels::{BatchError, Hit};
use crate::lanes::{F32Lanes, Isa, LANES_MAX, Level, MaskLanes};

/// Returns the box with the least entry fraction; among equal ones, the lowest row.
///
/// Entries are equal if their bits are. Boxes that share a face have the same entry through it, but
/// two boxes whose exact entries differ by rounding only may be ordered either way. 24 bytes read
/// per row.
///
/// # Errors
///
/// [`BatchError::Invalid`] when `segment` is invalid.
///
/// ```
/// use swath::{Aabb, Level, MovingBoxStore, Segment};
/// use swath::batch::cast;
///
/// let mut many = MovingBoxStore::new();
/// for x in [7.0, 3.0, 5.0, 3.0] {
///     many.push(Aabb::cube([x, 0.0, 0.0], 0.5)?)?;
/// }
/// let ray = Segment::ray([0.0; 3], [1.0, 0.0, 0.0])?;
/// let first = cast::closest(Level::detect(), &ray, &many.checked())?.expect("the ray hits");
/// assert_eq!(first.row, 1);
/// assert!(first.value <= 2.5 && first.value > 2.499_99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closest(
    level: Level,
    segment: &Segment,
    many: &Checked<'_>,
) -> Result<Option<Hit>, BatchError> {
    let mut closest = Closest(NONE);
    segment_to_many(level, segment, many, &mut closest)?;
    Ok(closest.0.found())
}

/// Returns the lowest row that `segment` hits. Stops after the group of lanes that contains it.
///
/// 24 bytes read per row up to that group.
///
/// # Errors
///
/// [`BatchError::Invalid`] when `segment` is invalid.
///
/// ```
/// use swath::{Aabb, Level, MovingBoxStore, Segment};
/// use swath::batch::cast;
///
/// let mut walls = MovingBoxStore::new();
/// walls.push(Aabb::new([4.0, -9.0, -9.0], [4.5, 9.0, 9.0])?)?;
/// let sees = |to| {
///     let sight = Segment::between([0.0; 3], to)?;
///     Ok::<_, swath::batch::BatchError>(cast::any(Level::detect(), &sight, &walls.checked())?.is_none())
/// };
/// assert!(sees([3.0, 1.0, 0.0])? && !sees([5.0, 1.0, 0.0])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn any(level: Level, segment: &Segment, many: &Checked<'_>) -> Result<Option<Hit>, BatchError> {
    let mut any = Any(NONE);
    segment_to_many(level, segment, many, &mut any)?;
    Ok(any.0.found())
}

/// The state before the first hit. Every hit has a finite fraction.
const NONE: Hit = Hit { row: 0, value: f32::INFINITY };

impl Hit {
    fn found(self) -> Option<Self> {
        (self.value < NONE.value).then_some(self)
    }
}

/// The sink that keeps the least fraction.
struct Closest(Hit);

/// The sink that keeps the first hit.
struct Any(Hit);

impl Sink for &mut Closest {
    fn check(&self, _: usize) -> Result<(), LengthMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        // The comparison is strict, so rows that are computed again do not replace themselves.
        let better = (answer.hit & answer.near.lt(isa.splat(self.0.value))).bits();
        if better != 0 {
            let mut at = [0.0; LANES_MAX];
            answer.near.store(&mut at);
            self.0 = least(self.0, start as u32, better, &at);
        }
        true
    }
}

/// Returns the least of `best` and the lanes `better`; among equal ones, the first.
#[cold]
fn least(mut best: Hit, start: u32, mut better: u32, at: &[f32; LANES_MAX]) -> Hit {
    while better != 0 {
        let lane = better.trailing_zeros();
        better &= better - 1;
        if at[lane as usize] < best.value {
            best = Hit { row: start + lane, value: at[lane as usize] };
        }
    }
    best
}

impl Sink for &mut Any {
    fn check(&self, _: usize) -> Result<(), LengthMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, _: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        let hit = answer.hit.bits();
        if hit == 0 {
            return true;
        }
        let mut at = [0.0; LANES_MAX];
        answer.near.store(&mut at);
        let lane = hit.trailing_zeros();
        self.0 = Hit { row: start as u32 + lane, value: at[lane as usize] };
        false
    }
}
