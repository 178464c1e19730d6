//! What do bodies with motions do about an impact?
//!
//! Along the normal `n` the two close with the speed `c` of their nearest points. With inverse masses
//! `w` the impulse `j = (c + p)/(w_a + w_b)` makes them part with the speed `p`, which is `e·c` for the
//! restitution `e`:
//!
//! ```text
//! delta_a −= j·w_a·n        delta_b += j·w_b·n
//! ```
//!
//! as [`respond`](crate::respond) does for boxes along an axis; here the normal is any. Rotation is
//! given: a spin counts in `c` and is not changed, so no moment of inertia is needed.
//!
//! **Resting.** Under an acceleration that closes with `g`, a bounce comes back after `2·e·c/g`. One
//! that is back within a tick would soon be back infinitely often: it is none, and the
//! contact carries from then on, so the closing part of the accelerations is taken away, shared by
//! inverse mass.
//!
//! So does a contact that parts, but is pulled back within [`SOON`]: the trifle is taken away, or it
//! would add up from tick to tick.
//!
//! **Neither sticks nor stalls.** Rounding must not leave a pair closing by a trifle, or the same
//! impact is found again at once. So they part with at least [`PARTING`] of their speeds, which is
//! far below any tolerance and sticks to nothing. And who overlaps parts at least so fast that it is
//! out after a tick.
//!
//! Units: displacements over the tick. Computed in `f64`, rounded once.

use super::impacts::{Impact, Kind};
use crate::geom::Motion;

/// Of the speeds of both: with how much they part at least. 2⁻¹⁸.
pub const PARTING: f64 = 1.0 / (1 << 18) as f64;
/// The part of the tick within which what parts and is pulled back never parted. 2⁻¹⁰.
pub const SOON: f64 = 1.0 / 1024.0;

/// What became of two bodies that met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Outcome {
    /// They closed and now part.
    Bounced,
    /// They closed and now rest on each other, or slide along.
    Resting,
    /// They part, or nothing moves either: both keep their motion.
    Kept,
}

/// What a response did, and how hard. Masses are one by inverse masses, lengths and ticks the caller's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reaction {
    /// What became of the two.
    pub outcome: Outcome,
    /// The impulse `j` along the normal, mass · length / tick: `-j·n` on `a` and `j·n` on `b`. Below
    /// 0, by a trifle, where two part that are pulled back at once.
    pub impulse: f32,
    /// With what they press on each other from then on, mass · length / tick²: the force along the
    /// normal of a contact that carries, 0 of any other.
    pub load: f32,
}

impl Reaction {
    /// Nothing was done.
    pub const NONE: Self = Self { outcome: Outcome::Kept, impulse: 0.0, load: 0.0 };
}

/// The motion from `t` on: where the body is then, turned as it is then, with the displacement over
/// a tick that its velocity then makes.
///
/// `t` is a fraction of the tick; the position is rounded to nearest.
///
/// ```
/// use swath::{Motion, Pose, pipeline::response};
///
/// let thrown = Motion::new(Pose::IDENTITY, [0.0, 4.0, 0.0])?.accelerating([0.0, -8.0, 0.0])?;
/// let top = response::carried(&thrown, 0.5);
/// assert_eq!((top.pose.position, top.delta), ([0.0, 1.0, 0.0], [0.0; 3]));
/// # Ok::<(), swath::Invalid>(())
/// ```
#[must_use]
pub fn carried(motion: &Motion, t: f32) -> Motion {
    let t64 = f64::from(if t > 0.0 { t } else { 0.0 });
    let delta = core::array::from_fn(|axis| {
        (f64::from(motion.delta[axis]) + f64::from(motion.accel[axis]) * t64) as f32
    });
    Motion { pose: motion.at(t), delta, ..*motion }
}

/// Carries every body to `t`: the first impact, as a rule.
pub fn carry_all(motions: &mut [Motion], t: f32) {
    motions.iter_mut().for_each(|motion| *motion = carried(motion, t));
}

/// Changes the displacements of two bodies, carried to the time of `impact`, by what they do about
/// it; for a resting contact their accelerations too.
///
/// A body with inverse mass 0 keeps its motion. A restitution outside `[0, 1]` counts as the
/// nearest end, NaN as 0.
///
/// ```
/// use swath::pipeline::{Config, response};
/// use swath::{Boxes, Convex, Motion, Pipeline, Pose, Scene, Shape};
///
/// // Two balls of equal mass, one at rest, swap what they have along the normal.
/// let motion = |x, dx| Pose::at([x, 0.0, 0.0]).and_then(|pose| Motion::new(pose, [dx, 0.0, 0.0]));
/// let mut motions = [motion(0.0, 8.0)?, motion(6.0, 0.0)?];
/// let shape = Shape::sphere(1.0)?;
/// let convex = [0, 1].map(|row: u32| Convex { row, shape, motion: motions[row as usize] });
/// let unread = [0.0; 2];
/// let scene = Scene::new(Boxes::from_columns([&unread; 9])?).convex(&convex);
/// let mut pipeline = Pipeline::new(Config::default());
/// let impact = pipeline.tick(&scene)?.impacts()[0];
///
/// response::carry_all(&mut motions, impact.toi);
/// let [a, b] = &mut motions;
/// let reaction = response::bounce(&impact, [a, b], [1.0, 1.0], 1.0);
/// assert!((reaction.impulse - 8.0).abs() < 1e-3); // 1 kg that stops from 8 m a tick
/// assert!(motions[0].delta[0].abs() < 1e-3 && (motions[1].delta[0] - 8.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bounce<P>(
    impact: &Impact<P>,
    [a, b]: [&mut Motion; 2],
    inverse_masses: [f32; 2],
    restitution: f32,
) -> Reaction {
    let [of_a, of_b] = inverse_masses.map(f64::from);
    let (sum, closing) = (of_a + of_b, f64::from(impact.closing));
    let normal = impact.normal.map(f64::from);
    let along = |p: [f32; 3], q: [f32; 3]| -> f64 {
        (0..3).map(|axis| (f64::from(p[axis]) - f64::from(q[axis])) * normal[axis]).sum()
    };
    let length = |p: [f32; 3]| -> f64 { p.iter().map(|&x| f64::from(x).abs()).sum() };
    let pulled = along(a.accel, b.accel);
    let soon = pulled > 0.0 && -2.0 * closing <= SOON * pulled;
    if !(closing > 0.0 || soon) || sum <= 0.0 || impact.kind == Kind::Unresolved {
        return Reaction::NONE;
    }
    // NaN is not above 0.
    let e = f64::from(if restitution > 0.0 { restitution } else { 0.0 });
    let e = if e < 1.0 { e } else { 1.0 };
    let resting = 2.0 * e * closing <= pulled || e == 0.0 || closing <= 0.0;
    let least = PARTING * (length(a.delta) + length(b.delta) + closing.abs());
    let least = if f64::from(impact.depth) > least { impact.depth.into() } else { least };
    let parting = if resting { 0.0 } else { e * closing };
    let parting = if parting > least { parting } else { least };
    let impulse = (closing + parting) / sum;
    push([&mut a.delta, &mut b.delta], normal, impulse, [of_a, of_b]);
    let mut load = 0.0;
    if resting && pulled > 0.0 {
        load = (pulled + PARTING * (length(a.accel) + length(b.accel))) / sum;
        push([&mut a.accel, &mut b.accel], normal, load, [of_a, of_b]);
    }
    let outcome = if resting { Outcome::Resting } else { Outcome::Bounced };
    Reaction { outcome, impulse: impulse as f32, load: load as f32 }
}

/// Adds an impulse along the normal.
fn push([a, b]: [&mut [f32; 3]; 2], normal: [f64; 3], impulse: f64, [of_a, of_b]: [f64; 2]) {
    for axis in 0..3 {
        a[axis] = (f64::from(a[axis]) - impulse * of_a * normal[axis]) as f32;
        b[axis] = (f64::from(b[axis]) + impulse * of_b * normal[axis]) as f32;
    }
}

/// What to add to the positions of two bodies that overlap so that they at most touch: the depth
/// along the normal, shared by inverse mass. Nothing for other impacts, or where nothing moves
/// either.
///
/// The move is not looked at: it may lead into a third body, so of deep overlaps take a part of it.
#[must_use]
pub fn separate<P>(impact: &Impact<P>, inverse_masses: [f32; 2]) -> Option<[[f32; 3]; 2]> {
    let [of_a, of_b] = inverse_masses.map(f64::from);
    let sum = of_a + of_b;
    if impact.kind != Kind::Overlapping || sum <= 0.0 {
        return None;
    }
    let mut moves = [[0.0; 3]; 2];
    let [a, b] = &mut moves;
    // A little more than rounding may take.
    let depth = f64::from(impact.depth) * (1.0 + 1e-6);
    push([a, b], impact.normal.map(f64::from), depth / sum, [of_a, of_b]);
    Some(moves)
}

/// What is left of a displacement after an impact of `a`, or with the normal turned round of `b`:
/// the rest of the tick's, without the part that runs into the surface.
///
/// ```
/// use swath::pipeline::{Impact, response};
///
/// let floor_below: Impact = Impact { toi: 0.25, normal: [0.0, -1.0, 0.0], ..Impact::default() };
/// assert_eq!(response::slide([4.0, -8.0, 0.0], &floor_below), [3.0, 0.0, 0.0]);
/// ```
#[must_use]
pub fn slide<P>(delta: impl Into<[f32; 3]>, impact: &Impact<P>) -> [f32; 3] {
    let (delta, normal) = (delta.into().map(f64::from), impact.normal.map(f64::from));
    let into: f64 = (0..3).map(|axis| delta[axis] * normal[axis]).sum();
    let into = if into > 0.0 { into } else { 0.0 };
    let rest = 1.0 - f64::from(impact.toi);
    core::array::from_fn(|axis| ((delta[axis] - into * normal[axis]) * rest) as f32)
}
