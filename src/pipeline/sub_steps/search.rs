//! The next impact of two bodies of a step.
//!
//! Two bodies touch at a distance, the *skin* of the pair: the target distance, plus 2⁻²⁰ of the greatest position
//! and path of the two. A search may find two bodies within the skin that separate, or that close so slowly that it
//! is negligible in the rest of the tick. It then continues with the next time at which a response may be needed.

use super::SubStepsConfig;
use crate::geom::{MapEach, Motion, Pair};
use crate::narrowphase::toi::{Settings, Touch};
use crate::narrowphase::{Shape, toi};
use crate::pipeline::convex;
use crate::pipeline::impacts::{Impact, ImpactKind};
use crate::pipeline::response::{SOON, along};
use crate::pipeline::windows::ShapeTest;

/// Greatest tolerance relative to the skin; and the part of the skin by which a separating pair may still come
/// nearer.
const PART: f64 = 0.125;
/// Relative amount by which times that need not be exact are made later: 2⁻²².
const LATER: f64 = 1.0 / (1 << 22) as f64;
/// Part of the tick after which two overlapping bodies that spin are searched again.
const LOOK: f64 = 0.0625;

/// Two bodies whose next impact is searched.
pub(super) struct BodyPair<'b, 's> {
    pub(super) pair: Pair,
    pub(super) shapes: [&'b Shape<'s>; 2],
    /// Their motions from the start of the search on.
    pub(super) motions: [Motion; 2],
    /// Distance at which they touch.
    pub(super) skin: f32,
}

/// Closing speed, in length per tick, up to which a pair of this skin needs no response.
pub(super) fn slow(skin: f32) -> f64 {
    f64::from(skin) * PART
}

impl BodyPair<'_, '_> {
    /// Returns the tolerance: relative to the smaller size, but no more than a part of the skin.
    fn tolerance(&self, tolerance: f32) -> f32 {
        let sizes = self.shapes.map_each(Shape::size);
        let lesser = if sizes[0] < sizes[1] { sizes[0] } else { sizes[1] };
        // The size of a point is zero, so the other's counts.
        let size = if lesser > 0.0 { lesser } else { sizes[0] + sizes[1] };
        let most = slow(self.skin);
        if f64::from(tolerance) * size > most { (most / size) as f32 } else { tolerance }
    }

    /// Returns the next impact within a window of the motions, and whether it is only a time at which the two must
    /// be searched again.
    pub(super) fn next(&self, config: &SubStepsConfig, window: [f32; 2]) -> Option<(Impact, bool)> {
        let touch = match config.pipeline.touch {
            // In a window that starts later, nothing touched before.
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
        // They are within the skin and separate, or close so slowly that it is negligible. An impact may follow:
        // when the skin is smaller by a part, if any is left; otherwise the acceleration towards each other gives
        // the time of the next search, and if one spins, a fixed part of the tick.
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

    /// Returns whether two touching bodies separate, or use up less than a part of the skin in the rest of the
    /// tick.
    fn is_slow(&self, impact: &Impact, left: f32) -> bool {
        let (closing, left) = (f64::from(impact.closing), f64::from(left));
        let by_pull = 0.5 * self.pulled(impact) * left * left;
        let by_pull = if by_pull > 0.0 { by_pull } else { 0.0 };
        closing <= 0.0 || closing * left + by_pull <= slow(self.skin)
    }

    /// Returns how fast the accelerations of the two pull them together along the normal.
    fn pulled(&self, impact: &Impact) -> f64 {
        let [a, b] = self.motions.map_each(|motion| motion.accel.map_each(f64::from));
        along(a, b, impact.normal.map_each(f64::from))
    }

    /// Returns the part of the tick after which two separating bodies are as deep in each other as before, because
    /// of the accelerations towards each other along the normal.
    fn comes_back(&self, impact: &Impact) -> Option<f32> {
        let pulled = self.pulled(impact);
        let after = -2.0 * f64::from(impact.closing) / pulled;
        // A little later, so that they are closing then; the added depth is far less than the skin.
        let after = if after <= SOON { 0.0 } else { after * (1.0 + LATER) + LATER };
        // NaN is outside of every range.
        (pulled > 0.0 && (0.0..=1.0).contains(&after)).then(|| down(after))
    }
}

/// Returns the greatest `f32` that is not above a time.
pub(super) fn down(t: f64) -> f32 {
    let nearest = t as f32;
    let nearest = if f64::from(nearest) > t { nearest.next_down() } else { nearest };
    if nearest < 1.0 { nearest } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::down;
    use crate::pipeline::sub_steps::until_end;

    /// Goal: no time is reported later than it was found, and no search ends before its tick does, by the last bit.
    /// Method: numbers of all sizes up to 1, and times between them and the next float, in `f64`.
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
