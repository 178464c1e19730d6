//! The settings of a step, and what can be wrong with its input.

use swath::batch::LengthMismatch;
use swath::broadphase::FindError;
use swath::convex::toi::{Settings, TOI_ROUNDS_MAX, ToiError, Touch};

/// Rounds that every step may take, so that a few bodies may spin as fast as any.
const ROUNDS_BASE: u64 = 1 << 14;
/// Default of [`StepperConfig::rounds_per_body_max`]. Bodies that make a turn per tick in a loose heap take seven rounds
/// each, and bodies of all sizes and spins 350 each (`docs/math/step.md`).
const ROUNDS_PER_BODY_MAX: u32 = 400;

/// Default of [`StepperConfig::correction_max`].
const CORRECTION_MAX: f32 = 1.0 / 32.0;

/// The settings of a [`Stepper`](crate::Stepper). Fields may be added, so change those of [`StepperConfig::default`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StepperConfig {
    /// The distance at which bodies count as touching, at least 0: [`Settings::target_distance`]. With 2⁻²⁰ of the greatest position and path of
    /// two bodies it is their *skin*. The tolerance is at most an eighth of the skin, and bodies that are nearer are pushed apart. The default is 0.
    ///
    /// A good value is the displacement that gravity adds in a tick: 9.81/3600 m at 60 ticks a second. It should be at least 2⁻¹¹ of the size of the
    /// bodies, where the default tolerance is an eighth of it, and at most a hundredth of the size of the smallest body that is hit. A smaller value,
    /// also the default 0, costs more rounds, and bodies that spin in a contact stop rotating more often. With a larger value the gap is visible.
    /// From twice the displacement of gravity on, the fall of a body in the rest of a tick may count as slow closing: then a body that lies on
    /// another one is stopped in some of the ticks only, and its velocity is not zero in between. But far fewer of the balls that are jammed in a pit
    /// are stalled (`docs/math/step.md`). With the default, most bodies of a heap that do not lie flat are stalled in each tick: see *Heaps* in the
    /// description of the [crate](crate).
    pub target_distance: f32,
    /// How far above the target the distance of two bodies at an impact may be, relative to the size of the smaller
    /// one: [`Settings::tolerance`]. The default is [`Settings::TOLERANCE`], 2⁻¹⁴.
    pub tolerance: f32,
    /// Which contacts at the start of a search count. [`Touch::Hit`] has the meaning of [`Touch::IfClosing`] here,
    /// because bodies that do not close have no response. The default is [`Touch::IfClosing`].
    pub touch: Touch,
    /// Greatest distance by which a tick pushes two overlapping bodies apart, as a part of the size of the smaller one
    /// ([`Geometry::size`]), from 0 to 1. The skin is restored in any case. The default is 1/32, so a cube that is a tenth of its side deep
    /// in a floor leaves it in four ticks; with 0, a tick corrects an overlap by one skin, so an overlap of `n` skins ends after `n` ticks.
    ///
    /// [`Geometry::size`]: swath::mesh::Geometry::size
    pub correction_max: f32,
    /// Greatest number of impacts of a body, at least 2. The default is 32. A body that more bodies hit in a tick, such as a plate on which 400 balls land, is stalled
    /// and may stay so in each tick: use more than the number of bodies that may hit one.
    pub impacts_max: u32,
    /// Greatest number of searches for the next impact of a pair in a step, including those at its start. The default
    /// is no limit (`u32::MAX`), because the number of searches grows with the number of bodies.
    pub searches_max: u32,
    /// Greatest number of rounds of one search, at least 1: [`Settings::rounds_max`]. A search that needs more
    /// continues, and counts as an impact of both bodies. The default is [`TOI_ROUNDS_MAX`], 2,048.
    pub rounds_max: u32,
    /// Greatest number of rounds of all searches of a step, for each body that moves or can be pushed. Every step may
    /// take 16,384 more. The default is 400, which bounds the time of a step to about half a millisecond per body.
    ///
    /// A search of bodies with parts counts as one more round, because it may take none, and as one for every 256 pairs of parts that it tests
    /// ([`StepStats::budget_rounds`](crate::StepStats::budget_rounds)). These tests take as long as 16 rounds, so bodies near thousands of triangles may
    /// take up to 8 milliseconds each, or 40 if they rotate. A search that
    /// has begun is not cut off, so a step may take up to 192 times [`rounds_max`](Self::rounds_max) rounds more, and with bodies that have parts
    /// as many as their searches take: up to 4,096 times `rounds_max` each.
    pub rounds_per_body_max: u32,
}

impl StepperConfig {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    ///
    /// [`StepError`]: what is wrong with the target, the tolerance, the correction or a limit.
    pub fn validate(&self) -> Result<(), StepError> {
        let Self { target_distance, tolerance, touch, impacts_max, rounds_max, .. } = *self;
        // NaN is in no range.
        if !(0.0..=1.0).contains(&self.correction_max) {
            return Err(StepError::CorrectionMax);
        }
        if impacts_max < 2 {
            return Err(StepError::ImpactsMax { given: impacts_max });
        }
        let window = [0.0, 1.0];
        Ok(Settings { target_distance, tolerance, window, touch, rounds_max }.validate()?)
    }

    /// Returns the distance at which two bodies of these slops touch.
    pub(crate) fn skin(&self, [a, b]: [f32; 2]) -> f32 {
        self.target_distance + if a > b { a } else { b }
    }

    /// Returns the number of rounds that a step of this many bodies may take.
    pub(crate) fn rounds_of_step(&self, bodies: usize) -> u64 {
        ROUNDS_BASE + bodies as u64 * u64::from(self.rounds_per_body_max)
    }

    /// Returns half of the target distance, rounded up. It is exact, except for subnormal numbers.
    pub(crate) fn half_target(&self) -> f32 {
        let half = 0.5 * self.target_distance;
        if half + half < self.target_distance { half.next_up() } else { half }
    }

    /// Returns the sum of half the target distance and a slop, rounded up: the margins of two bodies together are at
    /// least the distance at which they touch.
    pub(crate) fn margin(&self, slop: f32) -> f32 {
        let half = self.half_target();
        if slop == 0.0 { half } else { (half + slop).next_up().next_up() }
    }
}

impl Default for StepperConfig {
    fn default() -> Self {
        Self {
            target_distance: 0.0,
            tolerance: Settings::TOLERANCE,
            touch: Touch::default(),
            correction_max: CORRECTION_MAX,
            impacts_max: 32,
            searches_max: u32::MAX,
            rounds_max: TOI_ROUNDS_MAX,
            rounds_per_body_max: ROUNDS_PER_BODY_MAX,
        }
    }
}

/// Why a step was rejected. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The target distance, the tolerance or the number of rounds is invalid.
    #[error(transparent)]
    Settings(#[from] ToiError),
    /// [`StepperConfig::correction_max`] is not from 0 to 1.
    #[error("`StepperConfig::correction_max` is out of range; it must be from 0 to 1")]
    CorrectionMax,
    /// [`StepperConfig::impacts_max`] is below 2.
    #[error("`StepperConfig::impacts_max` is {given}; it must be at least 2")]
    ImpactsMax {
        /// The configured limit.
        given: u32,
    },
    /// There is not one mass or filter for each body.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// Finding the pairs at the start failed.
    #[error(transparent)]
    Find(#[from] FindError),
}
