//! The calls of swath and of parry for pairs of convex shapes, as in the program `convex`.
//!
//! | question | swath | parry |
//! |---|---|---|
//! | distance | `gjk::distance` | `query::distance` |
//! | linear | `toi::one_to_one` | `query::cast_shapes` |
//! | rotation | `toi::one_to_one` | `query::cast_shapes_nonlinear`; `sweep_time_of_impact` between the end poses |
//!
//! Shapes, poses and motions in the types of parry are outside of the clock.

use std::hint::black_box;
use std::ops::Range;

use parry3d::math::Vector;
use parry3d::query::sweep_toi::{Sweep, SweepToiStatus, ToiProxy, sweep_time_of_impact};
use parry3d::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d::shape::SharedShape;
use peers::engines::Question;
use scenes::convex::{Form, Hulls};
use swath::convex::toi::{Settings, ToiResult};
use swath::convex::{gjk, toi};
use swath::{Motion, Shape};

/// Pairs nearer than that at the start are left out, because an engine computes no first time for them.
pub(crate) const APART: f32 = 0.01;
/// The slop for `sweep_time_of_impact`, which its documentation calls usual.
const SLOP: f32 = 0.005;

/// A system: its name, its package, its function, which writes infinity without a hit.
pub(crate) type System<'w> = (&'static str, &'static str, Box<Compute<'w>>);

/// Writes the results of some rows.
type Compute<'w> = dyn Fn(Range<usize>, &mut [f32]) + 'w;

/// Pairs in the form that swath and parry need.
pub(crate) struct Work<'h> {
    pairs: Vec<([Shape<'h>; 2], [Motion; 2])>,
    theirs: Vec<[(SharedShape, NonlinearRigidMotion); 2]>,
}

/// The distance of two shapes at the start.
pub(crate) fn gap(hulls: &Hulls, forms: [Form; 2], [of_a, of_b]: &[Motion; 2]) -> f32 {
    let [a, b] = forms.map(|form| form.shape(hulls));
    gjk::distance(&a, &of_a.pose, &b, &of_b.pose).expect("valid").distance
}

impl<'h> Work<'h> {
    pub(crate) fn new(hulls: &'h Hulls, pairs: &[([Form; 2], [Motion; 2])]) -> Self {
        let their_hulls = peers::parry::hulls(hulls);
        let theirs = |(forms, motions): &([Form; 2], [Motion; 2])| {
            [0, 1].map(|side| {
                let shape = peers::parry::shape(forms[side], &their_hulls);
                (shape, peers::parry::motion(&motions[side]))
            })
        };
        let ours = |&(forms, motions): &([Form; 2], [Motion; 2])| {
            (forms.map(|form| form.shape(hulls)), motions)
        };
        Self { pairs: pairs.iter().map(ours).collect(), theirs: pairs.iter().map(theirs).collect() }
    }

    fn distance(&self, pair: usize) -> f32 {
        let ([a, b], [of_a, of_b]) = &self.pairs[pair];
        black_box(gjk::distance(a, &of_a.pose, b, &of_b.pose)).expect("valid").distance
    }

    fn first(&self, pair: usize) -> f32 {
        let ([a, b], [of_a, of_b]) = &self.pairs[pair];
        let toi = toi::one_to_one(a, of_a, b, of_b, &Settings::default());
        match black_box(toi).expect("valid").result {
            ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
            ToiResult::Overlapping { .. } => 0.0,
            _ => f32::INFINITY,
        }
    }

    fn their_distance(&self, pair: usize) -> f32 {
        let [(a, of_a), (b, of_b)] = &self.theirs[pair];
        black_box(query::distance(&of_a.start, &**a, &of_b.start, &**b)).expect("convex").distance
    }

    fn their_cast(&self, pair: usize) -> f32 {
        let [(a, of_a), (b, of_b)] = &self.theirs[pair];
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let [(from_a, by_a), (from_b, by_b)] = [of_a, of_b].map(|of| (&of.start, of.linvel));
        let hit = query::cast_shapes(from_a, by_a, &**a, from_b, by_b, &**b, options);
        black_box(hit).expect("convex").map_or(f32::INFINITY, |hit| hit.time_of_impact)
    }

    fn their_nonlinear(&self, pair: usize) -> f32 {
        let [(a, of_a), (b, of_b)] = &self.theirs[pair];
        let hit = query::cast_shapes_nonlinear(of_a, &**a, of_b, &**b, 0.0, 1.0, true);
        black_box(hit).expect("convex").map_or(f32::INFINITY, |hit| hit.time_of_impact)
    }

    fn their_sweep(&self, pair: usize) -> f32 {
        let [(a, of_a), (b, of_b)] = &self.theirs[pair];
        let [a, b] = [a, b].map(|shape| ToiProxy::from_shape(&**shape).expect("no cylinder"));
        let sweep = |motion: &NonlinearRigidMotion| {
            Sweep::from_poses(&motion.start, &motion.position_at_time(1.0), Vector::ZERO)
        };
        let toi = black_box(sweep_time_of_impact(&a, &sweep(of_a), &b, &sweep(of_b), 1.0, SLOP));
        if toi.status == SweepToiStatus::Separated { f32::INFINITY } else { toi.fraction }
    }

    /// The systems that answer a question.
    pub(crate) fn systems(&self, question: Question) -> Vec<System<'_>> {
        let system = |name, package, compute: fn(&Self, usize) -> f32| -> System<'_> {
            let call = move |rows: Range<usize>, out: &mut [f32]| {
                rows.zip(out).for_each(|(row, out)| *out = compute(self, row));
            };
            (name, package, Box::new(call))
        };
        match question {
            Question::Distance => vec![
                system("swath", "swath", Self::distance),
                system("parry", "parry3d", Self::their_distance),
            ],
            Question::Linear => vec![
                system("swath", "swath", Self::first),
                system("parry", "parry3d", Self::their_cast),
            ],
            Question::Rotation => vec![
                system("swath", "swath", Self::first),
                system("parry", "parry3d", Self::their_nonlinear),
                system("parry sweep", "parry3d", Self::their_sweep),
            ],
        }
    }
}
