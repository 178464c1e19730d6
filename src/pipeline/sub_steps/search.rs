//! When do two bodies of a step meet next?
//!
//! All touch at a distance, the *skin* of a pair: the target distance, and 2⁻²⁰ of the greatest position and
//! way of the two. A search that finds two within the skin that part, or close so slowly that it hardly matters in
//! what is left of the tick, goes on to the next time at which something has to be done.

use super::SubStepsConfig;
use crate::geom::{MapEach, Motion, Pair};
use crate::narrowphase::toi::{Settings, Touch};
use crate::narrowphase::{Shape, toi};
use crate::pipeline::convex;
use crate::pipeline::impacts::{Impact, ImpactKind};
use crate::pipeline::response::{SOON, along};
use crate::pipeline::windows::ShapeTest;

/// The part of the skin that the tolerance is at most, and the part of what it lost that a pair which
/// parts may come nearer.
const PART: f64 = 0.125;
/// What makes a time later where it need not be exact. 2⁻²².
const LATER: f64 = 1.0 / (1 << 22) as f64;
/// After which part of the tick two that turn in each other are looked at again.
const LOOK: f64 = 0.0625;

/// Two bodies whose next impact is wanted.
pub(super) struct BodyPair<'b, 's> {
    pub(super) pair: Pair,
    pub(super) shapes: [&'b Shape<'s>; 2],
    /// Their motions from the time on at which the search starts.
    pub(super) motions: [Motion; 2],
    /// Distance at which they touch.
    pub(super) skin: f32,
}

/// Speed in length per tick with which a pair of this skin may close without an answer.
pub(super) fn slow(skin: f32) -> f64 {
    f64::from(skin) * PART
}

impl BodyPair<'_, '_> {
    /// The tolerance: of the lesser size, but no more than a part of the skin.
    fn tolerance(&self, tolerance: f32) -> f32 {
        let sizes = self.shapes.map_each(Shape::size);
        let lesser = if sizes[0] < sizes[1] { sizes[0] } else { sizes[1] };
        // A point has no size, and the other's counts.
        let size = if lesser > 0.0 { lesser } else { sizes[0] + sizes[1] };
        let most = slow(self.skin);
        if f64::from(tolerance) * size > most { (most / size) as f32 } else { tolerance }
    }

    /// The next impact within a window of the motions, and whether it is none, but a time to look at the two again.
    pub(super) fn next(&self, config: &SubStepsConfig, window: [f32; 2]) -> Option<(Impact, bool)> {
        let touch = match config.pipeline.touch {
            // Nothing touched before a window that starts later.
            _ if window[0] > 0.0 => Touch::Hit,
            Touch::Ignore => Touch::Ignore,
            _ => Touch::IfClosing,
        };
        let settings = Settings {
            target_distance: self.skin,
            tolerance: self.tolerance(config.pipeline.tolerance),
            window,
            touch,
            rounds_max: config.rounds_max,
        };
        let mut impact = self.search(&settings)?;
        if impact.toi > 0.0
            || impact.kind == ImpactKind::Unresolved
            || !self.is_slow(&impact, window[1])
        {
            return Some((impact, false));
        }
        // They are as near as the skin or nearer, and part, or close so slowly that it hardly
        // matters. It may come to more: this once the skin is less, where there is any left; else
        // what pulls them together tells when to look again, and where one turns, a while.
        let less = self.skin * (1.0 - 2.0 * PART as f32) - impact.depth;
        if less > 0.0 {
            let nearer = self.search(&Settings { target_distance: less, ..settings })?;
            if nearer.kind != ImpactKind::Overlapping {
                return Some((nearer, false));
            }
        }
        if impact.closing > 0.0 {
            return Some((impact, false));
        }
        let turns = self.motions.iter().any(|motion| motion.spin != [0.0; 3]);
        let pulled = self.comes_back(&impact);
        let is_look = turns && pulled.is_none_or(|after| f64::from(after) > LOOK);
        impact.toi = if is_look { LOOK as f32 } else { pulled? };
        Some((impact, is_look))
    }

    fn search(&self, settings: &Settings) -> Option<Impact> {
        let ask = ShapeTest { pair: self.pair, window: settings.window, sensor: false };
        let [a, b] = [0, 1].map_each(|k| (self.shapes[k], &self.motions[k]));
        convex::impact(&ask, &toi::of_valid(a, b, settings))
    }

    /// Whether two that touch part, or take less than a part of the skin in what is left.
    fn is_slow(&self, impact: &Impact, left: f32) -> bool {
        let (closing, left) = (f64::from(impact.closing), f64::from(left));
        let by_pull = 0.5 * self.pulled(impact) * left * left;
        let by_pull = if by_pull > 0.0 { by_pull } else { 0.0 };
        closing <= 0.0 || closing * left + by_pull <= slow(self.skin)
    }

    /// How fast the accelerations of the two pull them together along the normal.
    fn pulled(&self, impact: &Impact) -> f64 {
        let [a, b] = self.motions.map_each(|motion| motion.accel.map_each(f64::from));
        along(a, b, impact.normal.map_each(f64::from))
    }

    /// After how much of the tick two that part are as deep in each other as before, by what pulls them
    /// together along the normal.
    fn comes_back(&self, impact: &Impact) -> Option<f32> {
        let pulled = self.pulled(impact);
        let after = -2.0 * f64::from(impact.closing) / pulled;
        // A little later, so that it is seen to close then; far less than the skin deeper.
        let after = if after <= SOON { 0.0 } else { after * (1.0 + LATER) + LATER };
        // NaN is in no range.
        (pulled > 0.0 && (0.0..=1.0).contains(&after)).then(|| down(after))
    }
}

/// The greatest `f32` that is not above a time.
pub(super) fn down(t: f64) -> f32 {
    let nearest = t as f32;
    let nearest = if f64::from(nearest) > t { nearest.next_down() } else { nearest };
    if nearest < 1.0 { nearest } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::down;
    use crate::pipeline::sub_steps::until_end;

    /// Goal: no time is told later than it was found, and no search ends before its tick does, by the
    /// last bit. Method: numbers of all sizes up to 1, and times between them and the next, in
    /// `f64`.
    #[test]
    fn times_are_rounded_to_the_safe_side() {
        let one = 1.0_f32.to_bits();
        for bits in (0..one).step_by(9973).chain([1, one - 1, 0x7f_ffff, 0x80_0000]) {
            let (t, next) = (f32::from_bits(bits), f32::from_bits(bits + 1));
            let ulp = f64::from(next) - f64::from(t);
            for part in [0.0, 0.25, 0.5, 0.75] {
                assert_eq!(down(f64::from(t) + part * ulp), t);
            }
            let (left, exact) = (until_end(t), 1.0 - f64::from(t));
            assert!(f64::from(left) >= exact && f64::from(left.next_down()) < exact, "{t}");
        }
        assert_eq!((down(1.0), until_end(1.0), until_end(0.0)), (1.0, 0.0, 1.0));
    }
}
