//! What a step reports.

use crate::response::{BounceOutcome, Reaction};
use swath::{Impact, Pair};

/// Counters of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StepStats {
    /// Number of events that were still valid when they were processed: impacts, stops of a rotation, and one for all overlaps at the
    /// start that were pushed apart.
    pub events: usize,
    /// Number of [impacts](ResolvedImpact) that changed a motion: those of these events, and those to which impulses were
    /// propagated without an event.
    pub responses: usize,
    /// Number of searches of pairs for their next impact, including those at the start of the tick.
    pub searches: usize,
    /// Number of these because a motion had changed.
    pub repeated_searches: usize,
    /// Number of rounds of all searches.
    pub rounds: u64,
    /// Number of rounds that [`StepperConfig::rounds_per_body_max`](crate::StepperConfig::rounds_per_body_max) limits: [`rounds`](Self::rounds), and for each
    /// search of bodies with parts, also one that takes no round, one more and one for every 256 pairs of parts that it tests. Of the bodies near the path of
    /// a changed one, every sixteen that it cannot meet, because of their relative motion, count as one too.
    pub budget_rounds: u64,
    /// Number of impulses that were propagated along touching bodies without a search, about 50 ns each, and of overlaps at the start that were pushed apart
    /// again, because the pushes of others let them approach.
    pub propagated: usize,
    /// Number of stalled bodies: they were in too many impacts, reached a stalled body, or could not be searched any more.
    pub stalled: usize,
    /// Number of these that could not be searched any more. The reason is a limit of searches or rounds,
    /// [`StepperConfig::searches_max`](crate::StepperConfig::searches_max),
    /// [`rounds_max`](crate::StepperConfig::rounds_max) or
    /// [`rounds_per_body_max`](crate::StepperConfig::rounds_per_body_max), or a path that would exceed
    /// [`COORD_MAX`](swath::COORD_MAX).
    pub over_budget: usize,
    /// Number of bodies that stopped rotating for the rest of the tick, because they were too near to another one to be searched:
    /// [`Stepper::stopped_rotations`](crate::Stepper::stopped_rotations).
    pub stopped_rotations: usize,
}

/// An impact that changed a motion, and its impulse.
///
/// The momentum of a body that is not [`immovable`](Self::immovable) changes by `-impulse · normal` if it is `a`, and
/// by `impulse · normal` if it is `b`; from [`Impact::toi`] to the end of its tick it changes also by
/// `supporting_force · time` along the same direction. Together with its own acceleration these are the only changes.
/// That includes the speed that a wedged body loses (see *Limits* in the description of the [crate](crate)): an impulse of the moving body that
/// cannot be pushed, at the end of the tick, at the position of the wedged body and against its velocity. A body that is stalled has neither its
/// acceleration nor supporting forces from then on. The unit of mass is the inverse of that of the inverse masses, lengths are the caller's, and
/// times are fractions of the tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ResolvedImpact<P = Pair> {
    /// Time, bodies, points and normal. The closing speed is that of their velocities, without the correction of
    /// slop. If the impulse was propagated, it is instead the impulse times the sum of the inverse masses, which can be far above each speed: see
    /// [`ResolvedImpact::impulse`]. The depth is the part of it that is corrected in this tick, and [`Impact::last`] is 1: the impact changes the motions.
    pub impact: Impact<P>,
    /// What happened to the two bodies.
    pub outcome: BounceOutcome,
    /// The impulse along the normal, in mass · length / tick. It is slightly negative if two bodies separate and are
    /// pulled back at once.
    ///
    /// An impulse that is propagated is the sum of all that was passed on at this contact at this time. Between bodies that cannot be pushed, such as a door
    /// and a wall, impulses are passed to and fro up to the limit of impacts: they are a thousand times as great as the momentum of the bodies between, and cancel.
    /// So compute damage and sounds from the speeds before the step, or ignore bodies that were stalled.
    pub impulse: f32,
    /// Supporting force between the two from then on, in mass · length / tick², without the weight of bodies that
    /// rest on the upper one in turn. For the friction of a stack, add the forces of the contacts above.
    pub supporting_force: f32,
    /// Whether `a`, or `b`, was immovable: it cannot be pushed, or its support took the impulse.
    pub immovable: [bool; 2],
}

impl<P> ResolvedImpact<P> {
    pub(crate) fn new(impact: Impact<P>, reaction: Reaction, inverse_masses: [f64; 2]) -> Self {
        let Reaction { outcome, impulse, supporting_force } = reaction;
        let immovable = inverse_masses.map(|mass| mass == 0.0);
        // The motions change here, so the last time of a search for the motions before does not hold.
        let impact = Impact { last: 1.0, ..impact };
        Self { impact, outcome, impulse, supporting_force, immovable }
    }

    /// Returns the same impact with another label of the pair.
    pub(crate) fn with_pair<Q>(self, pair: Q) -> ResolvedImpact<Q> {
        let Self { impact, outcome, impulse, supporting_force, immovable } = self;
        let impact = impact.with_pair(pair);
        ResolvedImpact { impact, outcome, impulse, supporting_force, immovable }
    }
}

/// A body that was stalled, or that stopped rotating, and from when on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stalled<R = u32> {
    /// The row or id of the body.
    pub row: R,
    /// The fraction of the tick from which on it was stalled, or did not rotate.
    pub since: f32,
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::{ResolvedImpact, Stalled, StepStats};
    use swath::ProxyId;
    use swath::broadphase::ProxyPair;

    /// Goal: all plain outputs of a step can be serialised and deserialised. Method: a function that only accepts such types.
    #[test]
    fn outputs_have_the_traits_of_serde() {
        fn accept<T: serde::Serialize + serde::de::DeserializeOwned>() {}
        accept::<StepStats>();
        accept::<ResolvedImpact>();
        accept::<ResolvedImpact<ProxyPair>>();
        accept::<Stalled>();
        accept::<Stalled<ProxyId>>();
    }
}
