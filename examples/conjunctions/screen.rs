//! Screens a catalogue for close approaches, tick by tick.

use crate::closest::{Approach, closest};
use crate::orbit::{Elements, MU, Orbit};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::time::{Duration, Instant};
use swath::broadphase::FindError;
use swath::{MovingBox, PairFinder, SweptPair};

/// An object at the start of a tick.
#[derive(Clone, Copy)]
struct Tracked {
    orbit: Orbit,
    position: [f64; 3],
    acceleration: [f64; 3],
}

impl Tracked {
    fn new(orbit: Orbit) -> Self {
        let position = orbit.position();
        let r2: f64 = position.iter().map(|x| x * x).sum();
        let factor = -MU / (r2 * r2.sqrt());
        Self { orbit, position, acceleration: position.map(|x| factor * x) }
    }
}

/// Greatest number of pairs of boxes in a tick, for each object: a great distance must not take memory in proportion to the square of the objects.
const PAIRS_PER_OBJECT: usize = 256;
/// This number of pairs is allowed in any tick.
const PAIRS_OF_ANY_TICK: usize = 1 << 24;
/// Number of objects that a task propagates.
const CHUNK: usize = 1024;
/// Rounding error of a coordinate and a displacement, in km: positions are within 10⁶ km, where an f32 is accurate to
/// 0.03 km. Corners are rounded outwards, so this is for displacements alone, which are below 2¹⁴ km in a tick.
const ROUNDING_KM: f64 = 5e-4;

/// Lengths of a tick in seconds that can be screened.
pub const TICK_SECONDS: RangeInclusive<f64> = 0.001..=600.0;

/// What is screened for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Length of a tick in seconds, in [`TICK_SECONDS`].
    pub tick_seconds: f64,
    /// Number of ticks.
    pub ticks: usize,
    /// Greatest distance of an approach in km.
    pub within_km: f64,
}

/// One approach of two objects to each other: an interval of time in which they are within the screening distance. Of several such
/// intervals of two objects in the same tick only the deepest is reported, so a tick must be shorter than the time between two approaches,
/// which is about half a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conjunction {
    /// Index of the first object.
    pub a: u32,
    /// Index of the second object; `a < b`.
    pub b: u32,
    /// Time of the least distance, in seconds since the start.
    pub seconds: f64,
    /// Least distance in km.
    pub distance_km: f64,
    /// Relative speed at this time, in km/s.
    pub speed_km_s: f64,
}

/// Result of a screening.
#[derive(Clone, Debug, Default)]
pub struct Screening {
    /// The approaches, sorted by time; of several of two objects in one tick, the deepest.
    pub conjunctions: Vec<Conjunction>,
    /// Number of pairs of boxes that were refined, over all ticks.
    pub candidates: usize,
    /// Wall time of propagation and boxes, of the pair finder, and of the refinement.
    pub times: [Duration; 3],
}

/// Why nothing was screened.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// An object's elements are invalid.
    #[error(
        "the elements of object {0} are invalid: expected finite numbers, an eccentricity in [0, 1), a perigee of at least \
         100 km and an apogee of at most 1000000 km from the centre of the Earth"
    )]
    Elements(usize),
    /// A setting is out of range.
    #[error(
        "expected a tick between 0.001 and 600 seconds and a distance between 0 and 1000 km, got {tick_seconds} s and \
         {within_km} km"
    )]
    Settings { tick_seconds: f64, within_km: f64 },
    /// The pair finder failed.
    #[error(transparent)]
    Find(#[from] FindError),
}

/// Finds the approaches of the objects, of each two at most one in a tick. `progress` is called after each tick with the number of
/// ticks done; if it breaks, the screening ends with that tick.
///
/// # Errors
///
/// [`ScreenError::Elements`] and [`ScreenError::Settings`] for invalid arguments; [`ScreenError::Find`] if the boxes of a tick have more than 256 pairs
/// for each object, and more than 2²⁴ together, because the distance or the tick is too great.
pub fn screen(
    objects: &[Elements],
    settings: &Settings,
    mut progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Screening, ScreenError> {
    let Settings { tick_seconds, ticks, within_km } = *settings;
    if !TICK_SECONDS.contains(&tick_seconds) || !(0.0..=1000.0).contains(&within_km) {
        return Err(ScreenError::Settings { tick_seconds, within_km });
    }
    if let Some(invalid) = objects.iter().position(|elements| !elements.is_valid()) {
        return Err(ScreenError::Elements(invalid));
    }
    let tracked = |elements| Tracked::new(Orbit::new(elements));
    let mut tracks: Vec<Tracked> = objects.par_iter().map(tracked).collect();
    let mut next = tracks.clone();
    let mut boxes = vec![MovingBox::default(); objects.len()];
    let mut finder = PairFinder::new();
    finder.exec.pairs_max = objects.len().saturating_mul(PAIRS_PER_OBJECT).max(PAIRS_OF_ANY_TICK);
    let mut result = Screening::default();
    let mut open = BTreeMap::new();
    for tick in 0..ticks {
        let clock = Instant::now();
        propagate(&tracks, &mut next, &mut boxes, settings);
        result.times[0] += clock.elapsed();

        let clock = Instant::now();
        let pairs = finder.swept_pairs(&boxes[..])?.sorted();
        result.times[1] += clock.elapsed();

        let clock = Instant::now();
        result.candidates += pairs.len();
        let refine = |pair: &SweptPair| {
            let of = |row: u32| &tracks[row as usize].orbit;
            closest(of(pair.a), of(pair.b), tick_seconds, within_km)
                .map(|near| (pair.a, pair.b, near))
        };
        let near: Vec<_> = pairs.par_iter().filter_map(refine).collect();
        open = merge(near, tick as f64 * tick_seconds, open, &mut result.conjunctions);
        result.times[2] += clock.elapsed();
        std::mem::swap(&mut tracks, &mut next);
        if progress(tick + 1).is_break() {
            break;
        }
    }
    result.conjunctions.extend(open.into_values());
    result.conjunctions.par_sort_unstable_by(|p, q| {
        p.seconds.total_cmp(&q.seconds).then((p.a, p.b).cmp(&(q.a, q.b)))
    });
    Ok(result)
}

/// Advances all objects by a tick, and makes a moving box around each arc.
fn propagate(
    tracks: &[Tracked],
    next: &mut [Tracked],
    boxes: &mut [MovingBox],
    settings: &Settings,
) {
    let chunks = next.par_chunks_mut(CHUNK).zip(boxes.par_chunks_mut(CHUNK));
    chunks.zip(tracks.par_chunks(CHUNK)).for_each(|((next, boxes), tracks)| {
        for ((next, moving), start) in next.iter_mut().zip(boxes).zip(tracks) {
            *next = Tracked::new(start.orbit.after(settings.tick_seconds));
            *moving = arc_box(start, next, settings);
        }
    });
}

/// Returns a moving box that contains the arc between two positions, widened by half of the screening distance.
///
/// On an axis, an arc with acceleration in `[low, high]` differs from the uniform motion between its ends by
/// `-f t (T - t) / 2` for an `f` in this range, so by at most `T² / 8` of it.
fn arc_box(start: &Tracked, end: &Tracked, settings: &Settings) -> MovingBox {
    let t = settings.tick_seconds;
    let (p, q) = (start.position, end.position);
    // What the acceleration may be above or below the mean of its values at the ends.
    let change = start.orbit.jerk_max * t / 2.0;
    let wide = settings.within_km / 2.0 + ROUNDING_KM;
    let mut moving = MovingBox::default();
    for k in 0..3 {
        let middle = f64::midpoint(start.acceleration[k], end.acceleration[k]);
        let (low, high) = (middle - change, middle + change);
        let above = (-low).max(0.0) * t * t / 8.0;
        let below = high.max(0.0) * t * t / 8.0;
        moving.aabb.min[k] = ((p[k] - wide - below) as f32).next_down();
        moving.aabb.max[k] = ((p[k] + wide + above) as f32).next_up();
        moving.delta[k] = (q[k] - p[k]) as f32;
    }
    moving
}

/// Adds the approaches of a tick. An approach that goes on from the tick before is one with it. Returns those that
/// may go on in the next tick.
fn merge(
    near: Vec<(u32, u32, Approach)>,
    start: f64,
    mut open: BTreeMap<(u32, u32), Conjunction>,
    done: &mut Vec<Conjunction>,
) -> BTreeMap<(u32, u32), Conjunction> {
    let mut now = BTreeMap::new();
    for (a, b, approach) in near {
        let Approach { seconds, distance_km, speed_km_s, at_start } = approach;
        let mut found = Conjunction { a, b, seconds: start + seconds, distance_km, speed_km_s };
        if at_start
            && let Some(before) = open.remove(&(a, b))
            && before.distance_km <= distance_km
        {
            found = before;
        }
        now.insert((a, b), found);
    }
    done.extend(open.into_values());
    now
}

#[cfg(test)]
mod tests {
    use super::{Settings, Tracked, arc_box};
    use crate::catalogue::catalogue;
    use crate::orbit::Orbit;

    /// Goal: the moving box contains its object and half of the screening distance around it at all times of the tick.
    /// Method: samples of ticks of several lengths; the corners are tight enough that halving the deviation fails.
    #[test]
    fn moving_box_contains_the_arc_at_all_times() {
        for tick_seconds in [1.0, 60.0, 600.0] {
            let settings = Settings { tick_seconds, ticks: 1, within_km: 5.0 };
            for elements in catalogue(2000, 3) {
                let orbit = Orbit::new(&elements);
                let [start, end] = [0.0, tick_seconds].map(|t| Tracked::new(orbit.after(t)));
                let moving = arc_box(&start, &end, &settings);
                for sample in 0..=8 {
                    let t = f64::from(sample) / 8.0;
                    let position = orbit.after(t * tick_seconds).position();
                    for (k, x) in position.into_iter().enumerate() {
                        let moved = f64::from(moving.delta[k]) * t;
                        let low = f64::from(moving.aabb.min[k]) + moved;
                        let high = f64::from(moving.aabb.max[k]) + moved;
                        assert!(low <= x - 2.5 && x + 2.5 <= high, "{elements:?} {t} {k}");
                    }
                }
            }
        }
    }
}
