//! State of a body within a tick.
//!
//! The motion in the rows is the input of a search, in `f32`: pose, displacement and acceleration from
//! [`BodyState::since`] on. The state contains velocity and acceleration in `f64`, so that the exchanged
//! impulses are rounded once per tick, and separately the pseudo-velocity that corrects slop.

use crate::mass::Mass;
use crate::response::{self, LinearMotion, length};
use swath::pipeline::GeometryBody;
use swath::{Motion, Pose};

/// Slop relative to the position and path of a body, for rounding errors: 2⁻²⁰.
const SLOP: f64 = 1.0 / (1 << 20) as f64;

/// Number of propagated impulses in a tick from which on a stalled body counts as wedged. A body that is not has few before its neighbours have taken
/// its speed.
const WEDGED: u32 = 256;

/// State of a body in the tick, besides its motion in the rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyState {
    /// Time from which on its motion is valid.
    pub(crate) since: f32,
    /// Number of changes of its motion.
    pub(crate) version: u32,
    /// Number of its impacts; propagated impulses do not count.
    pub(crate) impacts: u32,
    /// Number of impulses propagated to it.
    pub(crate) propagated: u32,
    /// Velocity and acceleration at `since`.
    pub(crate) linear: LinearMotion,
    /// Velocity that corrects slop. It is removed at the end of the tick.
    pub(crate) pseudo: [f64; 3],
    /// The greatest slop of its motions in this tick.
    pub(crate) slop: f32,
    /// Direction from its support to it; zero if it has no support.
    pub(crate) support_direction: [f32; 3],
    /// Row of its support.
    pub(crate) support: u32,
    /// Number of supports below it, one on the other, down to one that cannot be pushed, when it came to rest on its own.
    pub(crate) height: u32,
    /// Row of the body that cannot be pushed at the end of its chain of supports, when it came to rest on its own.
    pub(crate) support_end: u32,
    /// Vector from its support to it at the time at which it came to rest there.
    pub(crate) from_support: [f64; 3],
    /// Vector from its position to its point nearest to its support at that time.
    pub(crate) on_support: [f64; 3],
    /// The versions of it and of its support at that time, if they were at rest relative to each other.
    pub(crate) at_rest_in: Option<[u32; 2]>,
    /// Its acceleration and spin before the tick, which are those of the motion after it.
    own: [[f32; 3]; 2],
    /// Its speed before the tick.
    speed: f64,
    /// Greatest speed of a moving body that cannot be pushed and whose impulses have reached it, directly or through others, and the row of that
    /// body; zero without such a body.
    pub(crate) driven: (f64, u32),
    /// Whether it is stalled.
    pub(crate) is_stalled: bool,
    /// Whether it was rejected.
    pub(crate) is_rejected: bool,
    /// The last event in which its motion changed.
    pub(crate) changed_in: u32,
    /// The last event in which its impacts were searched.
    pub(crate) searched_in: u32,
}

/// A body at one time of the tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyAt {
    pub(crate) pose: Pose,
    pub(crate) spin: [f32; 3],
    pub(crate) linear: LinearMotion,
    pub(crate) pseudo: [f64; 3],
}

impl BodyState {
    pub(crate) fn new(body: &GeometryBody<'_>, slop: f32) -> Self {
        let Motion { delta, accel, spin, .. } = body.motion;
        let linear = LinearMotion { velocity: delta.map(f64::from), accel: accel.map(f64::from) };
        let speed = length(linear.velocity);
        Self { linear, slop, own: [accel, spin], speed, ..Self::default() }
    }

    /// Returns its velocity and acceleration at `now`.
    pub(crate) fn linear_at(&self, now: f32) -> LinearMotion {
        let t = f64::from(now) - f64::from(self.since);
        let LinearMotion { velocity, accel } = self.linear;
        let t = if t > 0.0 { t } else { 0.0 };
        LinearMotion { velocity: core::array::from_fn(|k| velocity[k] + accel[k] * t), accel }
    }

    /// Returns the body at `now`, given its motion in the rows.
    pub(crate) fn at(&self, motion: &Motion, now: f32) -> BodyAt {
        let (linear, pose) = (self.linear_at(now), motion.at(now - self.since));
        BodyAt { pose, spin: motion.spin, linear, pseudo: self.pseudo }
    }

    /// Returns its acceleration before the tick.
    pub(crate) fn own_accel(&self) -> [f32; 3] {
        self.own[0]
    }

    /// Returns the part of the velocity that a body keeps for the next tick. If a stalled body is wedged between a mover and an obstacle, each impulse of the mover
    /// makes it faster, and it would not lose that speed, because it does not move out of the wedge. So it gets no faster than the mover is, or than it is by
    /// its own acceleration.
    pub(crate) fn kept(&self) -> f64 {
        if !self.is_stalled || self.driven.0 == 0.0 || self.propagated < WEDGED {
            return 1.0;
        }
        let gained = length(self.own[0].map(f64::from)) * f64::from(self.since);
        let own = self.speed + gained;
        let most = if own > self.driven.0 { own } else { self.driven.0 };
        let speed = length(self.linear.velocity);
        if speed > most { most / speed } else { 1.0 }
    }

    /// Changes the motion in the rows to that for the next tick.
    pub(crate) fn finish(&self, motion: &mut Motion) {
        let velocity = self.linear_at(1.0).velocity;
        let [accel, spin] = self.own;
        let pose = motion.at(until_end(self.since));
        *motion = Motion { pose, delta: response::valid(velocity), accel, spin };
    }
}

impl BodyAt {
    /// Returns the velocity with which it moves, including the pseudo-velocity.
    pub(crate) fn velocity(&self) -> [f64; 3] {
        core::array::from_fn(|k| self.linear.velocity[k] + self.pseudo[k])
    }

    /// Returns the motion from then on, rounded.
    pub(crate) fn motion(&self) -> Motion {
        let accel = response::valid(self.linear.accel);
        let delta = response::valid(self.velocity());
        Motion { pose: self.pose, delta, accel, spin: self.spin }
    }
}

/// Returns whether a body can be pushed or moves.
pub(crate) fn is_pushable_or_moves(motion: &Motion, mass: Mass) -> bool {
    mass.inverse_mass > 0.0 || moves(motion)
}

/// Returns whether a body moves.
pub(crate) fn moves(motion: &Motion) -> bool {
    [motion.delta, motion.accel, motion.spin] != [[0.0; 3]; 3]
}

/// Returns the slop of a motion. It is zero for an invalid motion, and for a body that neither moves nor can be pushed, because its
/// position is never rounded.
pub(crate) fn slop(motion: &Motion, mass: Mass) -> f32 {
    if !is_pushable_or_moves(motion, mass) || motion.validate().is_err() {
        return 0.0;
    }
    let mut most: f64 = 0.0;
    for axis in 0..3 {
        let reach = f64::from(motion.pose.position[axis]).abs()
            + f64::from(motion.delta[axis]).abs()
            + f64::from(motion.accel[axis]).abs();
        most = if reach > most { reach } else { most };
    }
    (most * SLOP) as f32
}

/// Returns the rest of the tick, rounded up.
pub(crate) fn until_end(now: f32) -> f32 {
    let left = 1.0 - f64::from(now);
    let rounded = left as f32;
    if f64::from(rounded) < left { rounded.next_up() } else { rounded }
}

/// Returns the greatest `f32` that is not above a time.
pub(crate) fn round_down(t: f64) -> f32 {
    let nearest = t as f32;
    let nearest = if f64::from(nearest) > t { nearest.next_down() } else { nearest };
    if nearest < 1.0 { nearest } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{round_down, until_end};

    /// Goal: no time is reported later than it was found, and no search ends before its tick does, by the last bit.
    /// Method: numbers of all sizes up to 1, and times between them and the next float, in `f64`.
    #[test]
    fn times_are_rounded_to_the_safe_side() {
        let one = 1.0_f32.to_bits();
        for bits in (0..one).step_by(9973).chain([1, one - 1, 0x7f_ffff, 0x80_0000]) {
            let (t, next) = (f32::from_bits(bits), f32::from_bits(bits + 1));
            let ulp = f64::from(next) - f64::from(t);
            for part in [0.0, 0.25, 0.5, 0.75] {
                assert_eq!(round_down(f64::from(t) + part * ulp), t);
            }
            let (left, exact) = (until_end(t), 1.0 - f64::from(t));
            assert!(f64::from(left) >= exact && f64::from(left.next_down()) < exact, "{t}");
        }
        assert_eq!((round_down(1.0), until_end(1.0), until_end(0.0)), (1.0, 0.0, 1.0));
    }
}
