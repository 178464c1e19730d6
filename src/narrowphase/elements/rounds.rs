//! One round of the search, in lanes: until when planes separate two elements.
//!
//! A gap is linear in time, with the values `n·x` of both ends of the tick. All gaps are greater than the
//! threshold now; the next time is the first at which one reaches it. `docs/math/vertex-face.md` proves that the
//! threshold covers all rounding errors.

use super::settings::ElementSettings;
use super::simd::{ElementPair, Mask, Vectors, at, direction, error_of, gaps, greatest};
use crate::lanes::{F64Lanes, Isa};

/// The time of an event that does not occur in the tick.
const NEVER: f64 = 2.0;
/// The least time by which a plane is computed ahead.
const AHEAD_MIN: f64 = 1.0 / (1_u64 << 60) as f64;

/// What a search compares with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    separation: f64,
    tolerance: f64,
}

impl Limits {
    pub(super) fn new(settings: &ElementSettings) -> Self {
        Self { separation: settings.minimum_separation, tolerance: settings.tolerance }
    }
}

/// The motion of a group of pairs: their vectors at both ends of the tick, and the thresholds of their gaps.
pub(super) struct Moving<I: Isa> {
    start: Vectors<I>,
    end: Vectors<I>,
    /// A plane separates while all gaps are at least this.
    threshold: I::F64,
    /// A distance of at most this is a hit.
    accepted: I::F64,
}

/// What a round has decided for a group of pairs.
pub(super) struct RoundOutcome<I: Isa> {
    pub(super) hit: Mask<I>,
    pub(super) miss: Mask<I>,
    /// The time until which the pair is proved to be free. Does not change where the pair is decided.
    pub(super) t: I::F64,
}

impl<I: Isa> Moving<I> {
    /// Computes the thresholds of pairs.
    #[inline(always)]
    pub(super) fn new(isa: I, limits: Limits, start: Vectors<I>, end: Vectors<I>) -> Self {
        let error = error_of(isa, greatest(isa, &start).max(greatest(isa, &end)));
        let threshold = isa.splat_f64(limits.separation) + error;
        let accepted = threshold + error.max(isa.splat_f64(limits.tolerance));
        Self { start, end, threshold, accepted }
    }

    /// Runs a round at time `t`, until which the pairs are proved to be free.
    #[inline(always)]
    pub(super) fn round<E: ElementPair>(&self, isa: I, t: I::F64) -> RoundOutcome<I> {
        let normal = direction::<I, E>(isa, &at::<I>(&self.start, &self.end, t));
        let plane = self.follow::<E>(isa, normal, t);
        let hit = plane.gap.le(self.accepted);
        let miss = !(hit | plane.falls);
        RoundOutcome { hit, miss, t: F64Lanes::select(hit | miss, t, plane.until) }
    }

    /// Runs a round that also computes the plane of a later time. `ahead` is how much later.
    ///
    /// The plane of `t` does not separate for long where the elements rotate, because it does not rotate. That of the later time may separate from
    /// `t` on; and so may a plane that turns from the one to the other, whose normal is `(1 − s)·α·n₀ + s·β·n₁` with weights of at most 1. The gaps
    /// along it are quadratic in `s`, with the Bernstein coefficients `α·n₀·x(t)`, `(α·n₀·x(t₁) + β·n₁·x(t))/2` and `β·n₁·x(t₁)`. They are above the
    /// threshold in `[0, 1]` if these are, less the threshold, `u`, `v` and `w`, with `u, w > 0` and `v ≥ −√(u·w)`.
    #[inline(always)]
    pub(super) fn round_ahead<E: ElementPair>(
        &self,
        isa: I,
        t: I::F64,
        ahead: &mut I::F64,
    ) -> RoundOutcome<I> {
        let (zero, one) = (isa.splat_f64(0.0), isa.splat_f64(1.0));
        let half = isa.splat_f64(0.5);
        let x = at::<I>(&self.start, &self.end, t);
        let normal = direction::<I, E>(isa, &x);
        let plane = self.follow::<E>(isa, normal, t);
        let hit = plane.gap.le(self.accepted);
        let step =
            F64Lanes::select(zero.lt(*ahead), *ahead, (plane.until - t) * isa.splat_f64(4.0));
        let later = (t + step).min(one);
        let later_x = at::<I>(&self.start, &self.end, later);
        let later_normal = direction::<I, E>(isa, &later_x);
        let fixed = self.follow::<E>(isa, later_normal, t);

        let (now, end) = (gaps::<I, E>(&x, normal), gaps::<I, E>(&later_x, later_normal));
        let (first, second) = (gaps::<I, E>(&later_x, normal), gaps::<I, E>(&x, later_normal));
        // The weights for which the vertex that falls most below the first plane is not below the second coefficient.
        let (mut falls, mut rises) = (zero, one);
        let mut k = 0;
        while k < E::GAPS {
            let deeper = first[k].lt(falls);
            falls = F64Lanes::select(deeper, first[k], falls);
            rises = F64Lanes::select(deeper, second[k], rises);
            k += 1;
        }
        let ratio = ((zero - falls) / rises).max(half).min(one + one);
        let ratio = F64Lanes::select(falls.lt(zero) & zero.lt(rises), ratio, one);
        let greatest = ratio.max(one);
        let (now_by, end_by) = (one / greatest, ratio / greatest);

        let (mut turns, mut gap) = (zero.lt(one), isa.splat_f64(f64::MAX));
        let mut k = 0;
        while k < E::GAPS {
            let (u, w) = (now[k] * now_by - self.threshold, end[k] * end_by - self.threshold);
            let v = (first[k] * now_by + second[k] * end_by) * half - self.threshold;
            let above = zero.le(v) | (v * v).le(u * w);
            turns = turns & zero.lt(u) & zero.lt(w) & above;
            gap = end[k].min(gap);
            k += 1;
        }
        let stays = self.threshold.lt(fixed.gap);
        let miss = !hit & (!plane.falls | (stays & !fixed.falls) | (turns & one.le(later)));
        let decided = hit | miss;
        let until = F64Lanes::select(stays, fixed.until, t);
        let until = F64Lanes::select(turns, later.max(until), until).max(plane.until);

        // Where the gap, as a linear function of time, falls to the middle of what is a hit. A shorter step is tried if no plane separates.
        let aim = (self.threshold + self.accepted) * half;
        let root = (later - t) * (plane.gap - aim) / (plane.gap - gap) + t - until;
        let (least, most) = (step * isa.splat_f64(0.125), step * isa.splat_f64(8.0));
        let next = F64Lanes::select(gap.lt(plane.gap), root.max(least).min(most), most);
        let found = (stays | turns) & self.threshold.lt(gap);
        let next = F64Lanes::select(found, next, step * isa.splat_f64(0.25));
        *ahead = F64Lanes::select(decided, *ahead, next.max(isa.splat_f64(AHEAD_MIN)));
        RoundOutcome { hit, miss, t: F64Lanes::select(decided, t, until) }
    }

    /// Computes the gap of a plane at `t`, and until when the plane separates if it does so then.
    #[inline(always)]
    fn follow<E: ElementPair>(&self, isa: I, normal: [I::F64; 3], t: I::F64) -> FollowedPlane<I> {
        let (starts, ends) = (gaps::<I, E>(&self.start, normal), gaps::<I, E>(&self.end, normal));
        let one = isa.splat_f64(1.0);
        let mut gap = isa.splat_f64(f64::MAX);
        // The first time at which a gap falls to the threshold, as a fraction. Products of fractions are compared,
        // because a division takes longer.
        let (mut drop, mut fall) = (isa.splat_f64(NEVER), one);
        let mut falls = ends[0].lt(self.threshold);
        let mut k = 0;
        while k < E::GAPS {
            let (its_drop, its_fall) = (starts[k] - self.threshold, starts[k] - ends[k]);
            gap = (starts[k] - t * its_fall).min(gap);
            let below = ends[k].lt(self.threshold);
            let sooner = below & (its_drop * fall).lt(drop * its_fall);
            drop = F64Lanes::select(sooner, its_drop, drop);
            fall = F64Lanes::select(sooner, its_fall, fall);
            falls = falls | below;
            k += 1;
        }
        FollowedPlane { gap, falls, until: t.max((drop / fall).min(one)) }
    }
}

/// A plane that does not rotate.
struct FollowedPlane<I: Isa> {
    /// The least gap now.
    gap: I::F64,
    /// Whether a gap falls to the threshold in the tick.
    falls: Mask<I>,
    /// The time at which the first gap does, at least now. It is of use only if the plane separates now.
    until: I::F64,
}
