//! Response of two bodies with motions to an impact.
//!
//! Along the normal `n` the two close with the speed `c` of their nearest points. With inverse masses
//! `w` the impulse `j = (c + p)/(w_a + w_b)` makes them part with the speed `p`, which is `e·c` for the
//! restitution `e`:
//!
//! ```text
//! delta_a −= j·w_a·n        delta_b += j·w_b·n
//! ```
//!
//! as [`respond`](swath::batch::respond) does for boxes along an axis; here the normal is arbitrary. The rotation is
//! prescribed: a spin contributes to `c` and is not changed, so no moment of inertia is needed.
//!
//! **Resting.** Under an acceleration that closes with `g`, a bounce returns after `2·e·c/g`. A bounce that returns
//! within a tick would be followed by infinitely many shorter ones. It is treated as a resting contact: the closing
//! part of the accelerations is removed, shared by inverse mass.
//!
//! A contact that separates, but is pulled back within [`SOON`], is treated in the same way: its small separating
//! speed is removed, because it would add up from tick to tick.
//!
//! **Energy.** [`bounce`] separates two bodies with at least [`PARTING`] of their speeds, because rounding must not
//! leave a pair closing, or the same impact is found again at once. That speed is all that it adds: at most 2⁻³³ of
//! the energy of two bodies that do not spin. The depth of an overlap changes no velocity. [`separate`] corrects
//! positions, and [`Stepper`](crate::Stepper) corrects them by velocities that it removes at the end of the tick.
//!
//! Units: displacements over the tick. Computed in `f64` and rounded once. A displacement past
//! [`COORD_MAX`] is clamped to it, as [`respond`](swath::batch::respond) does; momentum is lost there.

use crate::mass::Mass;
use swath::pipeline::ImpactKind;
use swath::{COORD_MAX, Impact, Invalid, Motion};

/// Least speed with which [`bounce`] separates two bodies, relative to the speeds of both: 2⁻¹⁸.
pub const PARTING: f64 = 1.0 / (1 << 18) as f64;
/// Part of the tick within which a contact that separates and is pulled back counts as resting: 2⁻¹⁰.
pub const SOON: f64 = 1.0 / 1024.0;

/// Result of a response for two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BounceOutcome {
    /// They closed and now separate.
    Bounced,
    /// They closed and now rest on each other, or slide along each other.
    Resting,
    /// They separate already, or neither can be moved: both keep their motion.
    Kept,
}

/// Result of a response with its impulse and force. The unit of mass is the inverse of that of the inverse masses;
/// lengths and ticks are the caller's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reaction {
    /// What happened to the two bodies.
    pub outcome: BounceOutcome,
    /// Impulse `j` along the normal, in mass · length / tick: `-j·n` on `a` and `j·n` on `b`. It is a small negative
    /// number if the two separate and are pulled back at once. A value past the greatest `f32` is clamped to it.
    pub impulse: f32,
    /// Force along the normal with which the two press on each other afterwards, in mass · length / tick². It is 0
    /// for a contact that does not rest, and clamped as the impulse is.
    pub supporting_force: f32,
}

impl Reaction {
    /// The bodies were not changed.
    pub const NONE: Self =
        Self { outcome: BounceOutcome::Kept, impulse: 0.0, supporting_force: 0.0 };
}

/// Velocity and acceleration of one of two bodies, as displacements.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinearMotion {
    pub(crate) velocity: [f64; 3],
    pub(crate) accel: [f64; 3],
}

/// Result of [`exchange`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImpulseExchange {
    pub(crate) outcome: BounceOutcome,
    pub(crate) impulse: f64,
    pub(crate) supporting_force: f64,
}

impl From<ImpulseExchange> for Reaction {
    fn from(ImpulseExchange { outcome, impulse, supporting_force }: ImpulseExchange) -> Self {
        Self { outcome, impulse: finite(impulse), supporting_force: finite(supporting_force) }
    }
}

/// Rounds to nearest, and clamps to the range of finite `f32`.
pub(crate) fn finite(x: f64) -> f32 {
    let most = f64::from(f32::MAX);
    let x = if x < most { x } else { most };
    (if x > -most { x } else { -most }) as f32
}

/// Rounds each number to nearest, and clamps to [`COORD_MAX`]; NaN becomes zero.
pub(crate) fn valid(v: [f64; 3]) -> [f32; 3] {
    let most = f64::from(COORD_MAX);
    v.map(|x| if x.is_nan() { 0.0 } else { x.clamp(-most, most) as f32 })
}

/// Clamps a time to `[0, 1]`. NaN becomes the end of the tick, as in [`Motion::at`].
fn within_tick(t: f32) -> f64 {
    f64::from(if t < 1.0 { t.max(0.0) } else { 1.0 })
}

/// Returns the normalised normal, as exact as `f64` is; `None` for zero or NaN.
pub(crate) fn unit(normal: [f32; 3]) -> Option<[f64; 3]> {
    let normal = normal.map(f64::from);
    let length = length(normal);
    // NaN is outside of every range.
    (length > 0.0 && length < f64::INFINITY).then(|| normal.map(|x| x / length))
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the length of a vector.
pub(crate) fn length(v: [f64; 3]) -> f64 {
    libm::sqrt(dot(v, v))
}

/// Returns the component of `a − b` along `n`.
pub(crate) fn along(a: [f64; 3], b: [f64; 3], n: [f64; 3]) -> f64 {
    (a[0] - b[0]) * n[0] + (a[1] - b[1]) * n[1] + (a[2] - b[2]) * n[2]
}

/// Applies an impulse along the normal: `-impulse` to `a`, `impulse` to `b`.
pub(crate) fn push(
    [a, b]: [&mut [f64; 3]; 2],
    n: [f64; 3],
    impulse: f64,
    inverse_masses: [f64; 2],
) {
    for axis in 0..3 {
        a[axis] -= impulse * inverse_masses[0] * n[axis];
        b[axis] += impulse * inverse_masses[1] * n[axis];
    }
}

/// Changes velocities and accelerations of two bodies that close with `closing` along the unit normal `n`, so that
/// they separate at least with `least`. `None` if there is nothing to change.
pub(crate) fn exchange(
    [a, b]: [&mut LinearMotion; 2],
    n: [f64; 3],
    closing: f64,
    inverse_masses: [f64; 2],
    (restitution, least): (f32, f64),
) -> Option<ImpulseExchange> {
    let sum = inverse_masses[0] + inverse_masses[1];
    let pulled = along(a.accel, b.accel, n);
    let soon = pulled > 0.0 && -2.0 * closing <= SOON * pulled;
    if !(closing > 0.0 || soon) || sum <= 0.0 {
        return None;
    }
    let e = f64::from(restitution);
    let resting = 2.0 * e * closing <= pulled || e == 0.0 || closing <= 0.0;
    let parting = if resting { 0.0 } else { e * closing };
    let parting = if parting > least { parting } else { least };
    let impulse = (closing + parting) / sum;
    push([&mut a.velocity, &mut b.velocity], n, impulse, inverse_masses);
    let mut supporting_force = 0.0;
    if resting && pulled > 0.0 {
        supporting_force = pulled / sum;
        push([&mut a.accel, &mut b.accel], n, supporting_force, inverse_masses);
    }
    let outcome = if resting { BounceOutcome::Resting } else { BounceOutcome::Bounced };
    Some(ImpulseExchange { outcome, impulse, supporting_force })
}

/// Returns the motion from `t` on: the position and rotation of the body at that time, with the displacement over a
/// tick that its velocity then makes.
///
/// `t` is a fraction of the tick, clamped to `[0, 1]`; NaN gives the end of the tick. The position is rounded to nearest,
/// and a displacement past [`COORD_MAX`] is clamped to it.
///
/// ```
/// use swath::{Motion, Pose};
/// use swath_stepping::response;
///
/// let thrown = Motion::new(Pose::IDENTITY, [0.0, 4.0, 0.0])?.accelerating([0.0, -8.0, 0.0])?;
/// let top = response::advanced(&thrown, 0.5);
/// assert_eq!((top.pose.position, top.delta), ([0.0, 1.0, 0.0], [0.0; 3]));
/// # Ok::<(), swath::Invalid>(())
/// ```
#[must_use]
pub fn advanced(motion: &Motion, t: f32) -> Motion {
    let t64 = within_tick(t);
    let delta = core::array::from_fn(|axis| {
        f64::from(motion.delta[axis]) + f64::from(motion.accel[axis]) * t64
    });
    Motion { pose: motion.at(t), delta: valid(delta), ..*motion }
}

/// Advances every body to `t`, usually the time of the first impact.
pub fn advance_all(motions: &mut [Motion], t: f32) {
    motions.iter_mut().for_each(|motion| *motion = advanced(motion, t));
}

/// Changes the displacements of two bodies, advanced to the time of `impact`, by their response; for a resting
/// contact also their accelerations.
///
/// A body with inverse mass 0 keeps its motion.
///
/// # Errors
///
/// [`Invalid`]: what is wrong with a motion, an inverse mass or the restitution, according to [`Mass::validate`].
/// Nothing is changed then.
///
/// ```
/// use swath::pipeline::Config;
/// use swath::{ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
/// use swath_stepping::response;
///
/// // Two balls of equal mass, one at rest, swap what they have along the normal.
/// let motion = |x, dx| Pose::at([x, 0.0, 0.0]).and_then(|pose| Motion::new(pose, [dx, 0.0, 0.0]));
/// let mut motions = [motion(0.0, 8.0)?, motion(6.0, 0.0)?];
/// let shape = Shape::sphere(1.0)?;
/// let convex = [0, 1].map(|row: u32| ConvexBody { row, shape, motion: motions[row as usize] });
/// let unread = [0.0; 2];
/// let scene = Scene::new(MovingBoxColumns::from_columns([&unread; 9])?).convex(&convex);
/// let mut pipeline = Pipeline::new(Config::default());
/// let impact = pipeline.tick(&scene)?.impacts()[0];
///
/// response::advance_all(&mut motions, impact.toi);
/// let [a, b] = &mut motions;
/// let reaction = response::bounce(&impact, [a, b], [1.0, 1.0], 1.0)?;
/// assert!((reaction.impulse - 8.0).abs() < 1e-3); // 1 kg that stops from 8 m a tick
/// assert!(motions[0].delta[0].abs() < 1e-3 && (motions[1].delta[0] - 8.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bounce<P>(
    impact: &Impact<P>,
    motions: [&mut Motion; 2],
    inverse_masses: [f32; 2],
    restitution: f32,
) -> Result<Reaction, Invalid> {
    for (motion, inverse_mass) in motions.iter().zip(inverse_masses) {
        motion.validate()?;
        Mass { inverse_mass, restitution }.validate()?;
    }
    let Some(n) = unit(impact.normal).filter(|_| impact.kind != ImpactKind::Unresolved) else {
        return Ok(Reaction::NONE);
    };
    // NaN stays NaN, which is no closing speed.
    let closing = f64::from(impact.closing.clamp(f32::MIN, f32::MAX));
    let [a, b] = motions;
    let mut two = [&*a, &*b].map(|motion| LinearMotion {
        velocity: motion.delta.map(f64::from),
        accel: motion.accel.map(f64::from),
    });
    let speeds: f64 = two.iter().flat_map(|of| of.velocity).map(f64::abs).sum();
    let least = PARTING * (speeds + closing.abs());
    let [of_a, of_b] = &mut two;
    let inverse_masses = inverse_masses.map(f64::from);
    let Some(done) = exchange([of_a, of_b], n, closing, inverse_masses, (restitution, least))
    else {
        return Ok(Reaction::NONE);
    };
    for (motion, of) in [a, b].into_iter().zip(two) {
        (motion.delta, motion.accel) = (valid(of.velocity), valid(of.accel));
    }
    Ok(done.into())
}

/// Returns what to add to the positions of two bodies that overlap so that they at most touch: the depth along the
/// normal, shared by inverse mass. The result is `None` for other impacts, if neither body can be moved, or if an
/// inverse mass is invalid by [`Mass::validate`].
///
/// The corrected positions are not tested and may overlap a third body, so apply only a part of a deep correction.
#[must_use]
pub fn separate<P>(impact: &Impact<P>, inverse_masses: [f32; 2]) -> Option<[[f32; 3]; 2]> {
    let is_valid = |inverse_mass| Mass { inverse_mass, restitution: 0.0 }.validate().is_ok();
    let [of_a, of_b] = inverse_masses.map(f64::from);
    let sum = of_a + of_b;
    if impact.kind != ImpactKind::Overlapping
        || sum <= 0.0
        || !inverse_masses.into_iter().all(is_valid)
    {
        return None;
    }
    let mut moves = [[0.0; 3]; 2];
    let [a, b] = &mut moves;
    // A little more than the rounding errors.
    let depth = f64::from(impact.depth) * (1.0 + 1e-6);
    push([a, b], impact.normal.map(f64::from), depth / sum, [of_a, of_b]);
    Some(moves.map(valid))
}

/// Returns what is left of the displacement of body `a` after an impact: its part after the time of impact, without the component into
/// the surface. For body `b`, pass the impact with the reversed normal.
///
/// ```
/// use swath::Impact;
/// use swath_stepping::response;
///
/// let floor_below: Impact = Impact { toi: 0.25, normal: [0.0, -1.0, 0.0], ..Impact::default() };
/// assert_eq!(response::slide([4.0, -8.0, 0.0], &floor_below), [3.0, 0.0, 0.0]);
/// ```
#[must_use]
pub fn slide<P>(delta: impl Into<[f32; 3]>, impact: &Impact<P>) -> [f32; 3] {
    let (delta, normal) = (delta.into().map(f64::from), impact.normal.map(f64::from));
    let into: f64 = (0..3).map(|axis| delta[axis] * normal[axis]).sum();
    let normal = if into.is_nan() { [0.0; 3] } else { normal };
    let into = if into > 0.0 { into } else { 0.0 };
    let rest = 1.0 - within_tick(impact.toi);
    valid(core::array::from_fn(|axis| (delta[axis] - into * normal[axis]) * rest))
}
