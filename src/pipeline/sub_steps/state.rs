//! How does a body move within a tick, and what else is stored of it?
//!
//! The motion in the crowd is what a search reads, in `f32`: pose, displacement and acceleration from
//! [`BodyState::since`] on. The state has velocity and acceleration in `f64`, so that what bodies
//! exchange is rounded once a tick, and apart from them the pseudo-velocity that corrects slop.

use super::{Mass, gives_way_or_moves, until_end};
use crate::geom::{MapEach, Motion, Pose};
use crate::pipeline::response;
use crate::pipeline::response::Moving;
use crate::pipeline::scene::ConvexBody;

/// Part of the position and the way of a body at which others touch it, so that rounding does no harm: 2⁻²⁰.
const SLOP: f64 = 1.0 / (1 << 20) as f64;

/// Stored of a body in the tick, besides its motion in the crowd.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyState {
    /// From when on its motion holds.
    pub(super) since: f32,
    /// How often its motion has changed.
    pub(super) version: u32,
    /// How many impacts it was in; an impulse that is handed on is none.
    pub(super) impacts: u32,
    /// Velocity and acceleration at `since`.
    pub(super) moving: Moving,
    /// Velocity that corrects slop, to be removed at the end of the tick.
    pub(super) pseudo: [f64; 3],
    /// The greatest slop of its motions in this tick.
    pub(super) slop: f32,
    /// Direction from what carries it to it; zero where nothing does.
    pub(super) support: [f32; 3],
    /// Which row carries it.
    pub(super) carrier: u32,
    /// Its acceleration and spin before the tick, for the motion after it.
    own: [[f32; 3]; 2],
    /// Whether it stands where it is.
    pub(super) is_held: bool,
    /// Whether it was rejected.
    pub(super) is_out: bool,
    /// The last pass in which its motion changed.
    pub(super) changed: u32,
    /// The last pass in which it looked ahead.
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

    /// Its velocity and acceleration at `now`.
    pub(super) fn moving_at(&self, now: f32) -> Moving {
        let t = f64::from(now) - f64::from(self.since);
        let Moving { velocity, accel } = self.moving;
        let t = if t > 0.0 { t } else { 0.0 };
        Moving { velocity: core::array::from_fn(|k| velocity[k] + accel[k] * t), accel }
    }

    /// The body at `now`, given its motion in the crowd.
    pub(super) fn at(&self, motion: &Motion, now: f32) -> At {
        let (moving, pose) = (self.moving_at(now), motion.at(now - self.since));
        At { pose, spin: motion.spin, moving, pseudo: self.pseudo }
    }

    /// Its acceleration before the tick.
    pub(super) fn own_accel(&self) -> [f32; 3] {
        self.own[0]
    }

    /// Changes the motion in the crowd to the one to go on with after the tick.
    pub(super) fn finish(&self, motion: &mut Motion) {
        let velocity = self.moving_at(1.0).velocity;
        let [accel, spin] = self.own;
        let pose = motion.at(until_end(self.since));
        *motion = Motion { pose, delta: response::valid(velocity), accel, spin };
    }
}

impl At {
    /// The velocity with which it moves.
    pub(super) fn velocity(&self) -> [f64; 3] {
        core::array::from_fn(|k| self.moving.velocity[k] + self.pseudo[k])
    }

    /// The motion from then on, rounded.
    pub(super) fn motion(&self) -> Motion {
        let accel = response::valid(self.moving.accel);
        let delta = response::valid(self.velocity());
        Motion { pose: self.pose, delta, accel, spin: self.spin }
    }
}

/// Slop of a motion. What stays where it is is never rounded, and a motion that is invalid has none.
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
