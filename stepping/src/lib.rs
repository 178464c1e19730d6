//! Advances bodies with masses to the end of a tick, one impact after the other, in the order of time.
//!
//! [`swath`] computes which bodies touch in a tick and when each pair first touches. It has no solver. This package is
//! a small one on top of its public interface: event-driven simulation with impulses along the contact normal. No body that can be pushed
//! passes through another one, however fast it is, and bodies that can be pushed lose no momentum to each other.
//!
//! | item | contents |
//! |---|---|
//! | [`Stepper`] | advances bodies in columns ([`Stepper::step`], [`Stepper::step_geometries`]) or the proxies of a `Broadphase` ([`Stepper::step_proxies`]) |
//! | [`StepperConfig`] | what counts as a contact, and limits of impacts, searches and rounds |
//! | [`Mass`] | inverse mass and restitution of a body |
//! | [`ResolvedImpact`], [`Stalled`], [`StepStats`] | the output of a step |
//! | [`response`] | the response of two bodies to one impact, for an engine that has its own loop |
//!
//! Bodies rotate as their motion prescribes; an impact changes displacements, not spins. So a body whose centre is beyond an edge does not tip
//! over, and a heap of spinning bodies does not come to rest, whatever the restitution is. Friction is left to the caller, who can compute it
//! from the reported impulses: without it, a platform that moves sideways does not carry what lies on it.
//!
//! # Method
//!
//! Impacts are in a queue ordered by time. The pair finder and a search of each pair fill it. The earliest impact is
//! taken out, its two bodies are advanced to its time and respond ([`response`]), and each body whose motion has
//! changed is searched again against all bodies whose remaining path comes near its own. Impacts that were computed
//! for an older motion are skipped. So at any time all earlier impacts have been processed, in order: bodies
//! that were apart do not pass through each other if one of them can be pushed, and each body reaches the end of the tick, unless it is stalled
//! (*Limits*). Bodies that overlap at the start are excepted (*Overlaps*).
//!
//! ```text
//! stepper.rs    the public type
//! start.rs      fill the queue: boxes of paths, pairs, the first impact of each pair
//! events.rs     push overlapping bodies apart; process the earliest impact: response, stalled bodies, new searches
//! propagate.rs  propagation of an impulse along touching bodies, without a search      contacts.rs: their contacts
//! budget.rs     bodies that are stalled because no more searches are allowed
//! step.rs       what these share: the motions of bodies within the tick, and the next impact of a pair
//! search.rs     the next impact of two bodies            state.rs: velocity in `f64`, slop, whether a body is stalled
//! masses.rs     the inverse masses that count in an impact
//! paths.rs      bodies whose remaining path comes near another
//! bodies.rs     bodies as rows; proxies.rs: the proxies of a broadphase as such rows
//! ```
//!
//! **Chains.** Bodies in a row without restitution share the impulse on one of them at the time of the impact, by
//! sums alone (`propagate.rs`). In a pile, these are most of the impulses. Once a body has had 2,048 of them in a tick, an impact that
//! reaches it propagates at most 256, and the rest is found by searches: where bodies are wedged between others, the impulses hardly decrease.
//!
//! **Momentum and energy.** Velocities are stored in `f64` during the tick and rounded once, at its end. Two bodies
//! exchange an impulse along the normal, which conserves their momentum and, with a restitution of at most 1, adds no
//! energy. So over a tick the relative error of each body's velocity is at most 2⁻²⁴, whatever the ratio of the
//! masses. [`Mass::validate`] limits the masses. Bodies that spin or that cannot be pushed may add energy to what
//! they hit: an impulse changes no spin, so a body that turns with the speed `v` at its ends can give a body that it hits up to `(1 + e)·v`
//! in every impact, for a restitution `e`. Where that matters, compute the torque from [`ResolvedImpact::impulse`] and the points of the
//! impact, and change the spin for the next tick. The arithmetic is in `docs/math/step.md`.
//!
//! **Limits.** A body may be in [`StepperConfig::impacts_max`] impacts per tick; propagated impulses do not count.
//! After half of them its restitution is 0, and after the last one it is *stalled* until the end of the
//! tick: it keeps its position and its velocity, and moves on with that velocity in the next tick. A body that hits
//! it exchanges momentum with it as with any other, by its mass and its velocity; if it would still move into the
//! stalled body, it is stalled too. A body that is jammed between others may be stalled in every tick, and then it
//! does not move although it has a velocity, until the caller moves it or one of the others. It is *wedged* if it is between others and a moving body
//! that cannot be pushed, and 256 impulses or more are propagated to it. The speed of a wedged body is then limited: to the speed of that moving
//! body, or to its own speed before the tick plus what its acceleration has added, whichever is greater. The speed that it loses is reported as an
//! impulse of the moving body at the end of the tick. Only time is lost, by the bodies in [`Stepper::stalled`]: momentum is conserved, no energy is
//! added, and no body gets into another. Even a body that cannot be pushed is stalled if it would move into a stalled one. There are at most as many
//! events as pushable bodies times that number, plus the number of bodies that move but cannot be pushed, and the number of bodies that spin, and one
//! for the overlaps at the start.
//!
//! **Heaps.** Bodies that are jammed, such as balls or rotated boxes in a pit, push each other in circles and use up their impacts, or the rounds of
//! the step. With a target distance of 0, most bodies of a heap of 300 are stalled in each tick. With the displacement that gravity adds in a tick
//! instead, between none and most of 300 are stalled, which depends on the shapes and varies from tick to tick, and a tick takes 25 to 200 ms; of 1,000
//! balls almost all are stalled, because the rounds of the step run out. So this package is not for large heaps that must come to rest. Boxes that
//! lie flat on each other are not jammed. Figures are in `docs/math/step.md`.
//!
//! **Budgets.** The time of a step is that of its searches: at most [`StepperConfig::searches_max`], of at most
//! three times [`StepperConfig::rounds_max`] rounds each (more for bodies with parts), and of at most [`StepperConfig::rounds_per_body_max`] rounds for
//! each body. A round of two convex shapes takes 0.5 to 1.5 µs with its share of the rest of the step: the least for balls, the most for
//! cylinders. A search of bodies with parts also finds and tests the parts near the path; these tests are not rounds, so such a search costs more than its rounds, in proportion to the number of these
//! parts. It takes 0.4 to 1 µs even if no part is near. So for the limit of rounds it counts as one more round, and as one for every 256 pairs of parts that it
//! tests, which take 7 to 20 µs, or 100 if one of the two rotates ([`StepStats::budget_rounds`]). A body with parts that can be
//! pushed, and near which there are many others, such as a room with balls in it, is searched against all of these after each of its impacts, and may
//! use up the rounds of a step. A pair of bodies that do not spin takes a few rounds; a pair whose spins are `ω` radians per tick takes about `ω` times as
//! many while its boxes overlap, because a plane between the two separates them for a part of a turn. A body is searched against each one
//! that comes near it by the motion of the two relative to each other, so bodies that move together take no more searches than bodies at rest. A body whose next impact
//! cannot be searched any more is stalled from then on, and so is every body that could reach it; the boxes around
//! the remaining paths decide that. All others continue. [`Stalled::since`] is the time up to which the path of a
//! body is proved to be free. A search that runs out of rounds continues from the time that it has proved, and counts
//! as an impact of both bodies; if it makes no progress, or if one of them has no impacts left, both are stalled.
//!
//! **Coordinates.** A path that exceeds [`COORD_MAX`](swath::COORD_MAX) cannot be searched. A body that would get past it before the end of the
//! tick is stalled when it gets that motion, at the latest at the start of the tick. So is every body that could reach it, and every one that could reach
//! these. As its velocity is kept, that is so in each tick until you lower the velocity.
//!
//! **Resting.** A body that rests on something immovable is *supported*: as long as it lies there, it counts as
//! immovable itself for impacts from above, and so on upwards, until one of the next 64 bodies below has moved away. So a stack takes about one event per contact instead of
//! passing impulses up and down. If a supported body moves towards the body that hits it, relative to the immovable body at the end of its chain of
//! supports, its own mass counts: otherwise it would push that body like a moving wall, and the energy of bodies that support each other in a circle
//! would grow. A tower of unit cubes that is higher than 1,000, with the default target distance of 0, takes more: coordinates are rounded there by so much that
//! gaps in it are greater than the skin, so that a part of it falls, and bodies that fall on each other pass impulses on. So does a lower one that moves fast
//! towards the origin, where skins become smaller: by 10 in a tick, from 60 cubes on. Figures are in `docs/math/step.md`.
//!
//! **Slop.** Positions are rounded to `f32` at each impact and at the end. So that rounding moves no body to the
//! other side of a thin one, two bodies touch at a distance, their *skin*: the target distance, plus 2⁻²⁰ of the
//! greatest position and path in the tick of the two, for bodies that move or can be pushed. No other body counts:
//! one that is far off or fast changes no bit of bodies that it does not meet.
//!
//! **Correction.** Two bodies that are nearer than their skin are pushed apart by the missing distance until the end of the tick, but by at most
//! [`StepperConfig::correction_max`] of the size of the smaller one, or by the skin if that is more. The velocity for that is a *pseudo-velocity*
//! (split impulses: Catto 2005): it moves bodies, is swept and shared by inverse mass as any other, and is removed at the end of the tick. It is
//! not part of the momentum and adds no kinetic energy. So that rounding leaves no pair closing, all bodies that respond separate at least by
//! a pseudo-velocity. Two bodies may close again at once by their pseudo-velocities alone. Then a further pseudo-velocity is added to both, so that
//! they stay apart until the end of the tick.
//!
//! **Parts.** A mesh, a height field or a compound is one body. The next impact of a pair is the first of all their parts, and after the
//! response the two are searched again, so several parts that are hit at one time have an impact each. Where one part is
//! nearer than the skin and separates, every other part is searched by itself, so that none is missed. The limit
//! [`StepperConfig::rounds_max`] is then a limit for the search of each part, and 1,024 times that for all of them together; a pair may be
//! searched three times for its next impact, and once more for an overlap at the start of the tick. The rounds of all parts count for the budget of the step.
//!
//! **Slow closing.** Bodies that touch and close by less than an eighth of the skin in the rest of the tick are
//! ignored, as long as a quarter of the skin is left: to separate all bodies that are jammed between others, ever smaller impulses would be needed.
//! Nor are they pushed apart, so the distance of a body that lies on another one varies between zero and the skin.
//!
//! **Overlaps.** Two bodies that overlap are pushed apart in each tick, whether or not they close, until the skin is restored. That is done for all pairs before
//! the first impact, so that each pushed body is searched once. Pairs that approach each other again because of the pushes of others are pushed again, up to
//! 256 times. More than about 300 bodies in one place use up the rounds of the step and stay there. There are
//! exceptions: stalled bodies, [`Touch::Ignore`](swath::convex::toi::Touch::Ignore), overlaps of less than the slop, and bodies that do not close and are near more than 256
//! parts of a mesh. Of two bodies with parts, one overlap is pushed apart besides their first impact. Bodies that overlap are not searched for further impacts, because they have no distance. If they are accelerated towards each other, the time at
//! which they close again is known; if one spins, they are searched again after each sixteenth of the tick, and in that time they can get
//! deeper. If it turns by more than a quarter of a radian in that time, it stops rotating, so that it does not turn through the other one.
//!
//! **Spins.** A body that spins may touch with one end after the other, each a little nearer than the last, until no distance within the
//! skin is left to be searched. If points of such a pair could get deeper than one and a half skins in a sixteenth of the tick, neither
//! rotates in the rest of the tick, so bodies that were apart do not pass through each other. They move on, and spin as before in the next
//! tick; [`Stepper::stopped_rotations`] lists them. The correction restores the whole skin of a body that spins, in the rest of the tick, so
//! few bodies stop: about 1 % of those that lie on a floor and turn slowly.

#![no_std]
#![deny(missing_docs)]
#![warn(clippy::missing_errors_doc, clippy::must_use_candidate)]

extern crate alloc;

/// The code of the README, run as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bodies;
mod budget;
mod config;
mod contacts;
mod events;
mod mass;
mod masses;
mod output;
mod paths;
mod propagate;
mod proxies;
pub mod response;
mod search;
mod start;
mod state;
mod step;
mod stepper;

pub use config::{StepError, StepperConfig};
pub use mass::Mass;
pub use output::{ResolvedImpact, Stalled, StepStats};
pub use proxies::ProxyStepOutput;
pub use stepper::Stepper;
