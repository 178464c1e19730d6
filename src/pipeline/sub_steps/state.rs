//! State of a body within a tick.
//!
//! The motion in the rows is the input of a search, in `f32`: pose, displacement and acceleration from
//! [`BodyState::since`] on. The state contains velocity and acceleration in `f64`, so that the exchanged
//! impulses are rounded once per tick, and separately the pseudo-velocity that corrects slop.

use super::{Mass, gives_way_or_moves, until_end};
use crate::geom::{MapEach, Motion, Pose};
use crate::pipeline::response::{self, Moving};
use crate::pipeline::scene::ConvexBody;

/// Slop relative to the position and path of a body, for rounding errors: 2⁻²⁰.
const SLOP: f64 = 1.0 / (1 << 20) as f64;

/// State of a body in the tick, besides its motion in the rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyState {
    /// Time from which on its motion is valid.
    pub(super) since: f32,
    /// Number of changes of its motion.
    pub(super) version: u32,
    /// Number of its impacts; propagated impulses do not count.
    pub(super) impacts: u32,
    /// Velocity and acceleration at `since`.
    pub(super) moving: Moving,
    /// Velocity that corrects slop. It is removed at the end of the tick.
    pub(super) pseudo: [f64; 3],
    /// The greatest slop of its motions in this tick.
    pub(super) slop: f32,
    /// Direction from its support to it; zero if it has no support.
    pub(super) support: [f32; 3],
    /// Row of its support.
    pub(super) carrier: u32,
    /// Its acceleration and spin before the tick, which are those of the motion after it.
    own: [[f32; 3]; 2],
    /// Whether it is stalled.
    pub(super) is_held: bool,
    /// Whether it was rejected.
    pub(super) is_out: bool,
    /// The last pass in which its motion changed.
    pub(super) changed: u32,
    /// The last pass in which its impacts were searched.
    pub(super) asked: u32,
}

/// A body at one time of the tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) pose: Pose,
    pub(super) spin: [f32; 3],
    pub(super) moving: Moving,
    pub(super) pseudo: [f64; 3],
}

impl BodyState {
    pub(super) fn new(body: &ConvexBody<'_>, slop: f32) -> Self {
        let Motion { delta, accel, spin, .. } = body.motion;
        let moving =
            Moving { velocity: delta.map_each(f64::from), accel: accel.map_each(f64::from) };
        Self { moving, slop, own: [accel, spin], ..Self::default() }
    }

    /// Returns its velocity and acceleration at `now`.
    pub(super) fn moving_at(&self, now: f32) -> Moving {
        let t = f64::from(now) - f64::from(self.since);
        let Moving { velocity, accel } = self.moving;
        let t = if t > 0.0 { t } else { 0.0 };
        Moving { velocity: core::array::from_fn(|k| velocity[k] + accel[k] * t), accel }
    }

    /// Returns the body at `now`, given its motion in the rows.
    pub(super) fn at(&self, motion: &Motion, now: f32) -> At {
        let (moving, pose) = (self.moving_at(now), motion.at(now - self.since));
        At { pose, spin: motion.spin, moving, pseudo: self.pseudo }
    }

    /// Returns its acceleration before the tick.
    pub(super) fn own_accel(&self) -> [f32; 3] {
        self.own[0]
    }

    /// Changes the motion in the rows to that for the next tick.
    pub(super) fn finish(&self, motion: &mut Motion) {
        let velocity = self.moving_at(1.0).velocity;
        let [accel, spin] = self.own;
        let pose = motion.at(until_end(self.since));
        *motion = Motion { pose, delta: response::valid(velocity), accel, spin };
    }
}

impl At {
    /// Returns the velocity with which it moves, including the pseudo-velocity.
    pub(super) fn velocity(&self) -> [f64; 3] {
        core::array::from_fn(|k| self.moving.velocity[k] + self.pseudo[k])
    }

    /// Returns the motion from then on, rounded.
    pub(super) fn motion(&self) -> Motion {
        let accel = response::valid(self.moving.accel);
        let delta = response::valid(self.velocity());
        Motion { pose: self.pose, delta, accel, spin: self.spin }
    }
}

/// Returns the slop of a motion. It is zero for a body that does not move, because it is never rounded, and
/// for an invalid motion.
pub(super) fn slop(motion: &Motion, mass: Mass) -> f32 {
    if !gives_way_or_moves(motion, mass) || motion.validate().is_err() {
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
