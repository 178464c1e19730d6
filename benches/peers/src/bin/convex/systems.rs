//! The calls of each system for the same pairs of convex shapes.
//!
//! The clock covers one call for each pair, of the public function of the crate:
//!
//! | question | swath | parry |
//! |---|---|---|
//! | distance | `gjk::distance` | `query::distance` |
//! | warm | `gjk::distance_from`, its cache a tick old | `distance_support_map_support_map_with_params` along the direction of a tick ago; `query::distance` for pairs it has a closed form of: any with a ball, and two boxes |
//! | linear | `toi::one_to_one` | `query::cast_shapes` |
//! | spinning | `toi::one_to_one` | `query::cast_shapes_nonlinear`, constant rates as ours |
//! | the same, without cylinders | `toi::one_to_one` | also `query::sweep_toi::sweep_time_of_impact`, with the slop of 0.005 that its documentation calls usual |
//! | accelerated | `toi::one_to_one` | has no such question |
//!
//! Outside of the clock are parry's shapes (hulls of the same points, shared), poses and motions. Its options
//! are the defaults, up to the end of the tick. Both also return points and normals of a time, and swath of a
//! distance.
//!
//! The last function of parry solves another problem: it interpolates between the end poses instead of
//! rotating at a constant rate (by at most half a turn), stops about the slop before or after a touch, and
//! has no cylinders. These are also reasons for the spinning pairs that it misses.

use std::hint::black_box;
use std::ops::Range;

use parry3d::math::{Pose, Vector};
use parry3d::query::details::{
    closest_points_support_map_support_map_with_params as closest_points,
    distance_support_map_support_map_with_params as distance_along,
};
use parry3d::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d::query::sweep_toi::{Sweep, SweepToiStatus, ToiProxy, sweep_time_of_impact};
use parry3d::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d::shape::SharedShape;
use swath::convex::gjk::GjkCache;
use swath::convex::toi::{Settings, Toi, ToiInput, ToiResult};
use swath::convex::{gjk, toi};
use swath::{Motion, Pair, Shape, Threads};

use crate::counted::Counted;
use scenes::convex::{Form, Hulls, Moves, formed};

/// A distance, or a first time; if swath's search is unresolved, the time up to which there is certainly no
/// touch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) value: Option<f32>,
    pub(crate) rounds: u32,
    /// Number of support points of either shape; zero if it is not known.
    pub(crate) supports: u32,
}

impl From<Toi> for Answer {
    fn from(toi: Toi) -> Self {
        let value = match toi.result {
            ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => Some(t),
            ToiResult::Overlapping { .. } => Some(0.0),
            _ => None,
        };
        Self { value, rounds: toi.rounds, supports: toi.supports }
    }
}

/// Writes the results of some rows.
type Ask<'w> = dyn Fn(Range<usize>, &mut [Answer]) + Send + Sync + 'w;

/// A system: its name, its package, its function.
pub(crate) type System<'w> = (&'static str, &'static str, Box<Ask<'w>>);

/// Two bodies.
struct Two {
    /// The same for parry.
    theirs: [(SharedShape, NonlinearRigidMotion); 2],
    /// The result of the previous tick.
    cache: GjkCache,
    /// The same for parry, if it has no closed form.
    along: Option<Vector>,
}

/// Pairs of bodies in the form that each system needs.
pub(crate) struct Work<'h> {
    /// Their motion, if first times are computed; otherwise distances are.
    pub(crate) moves: Option<Moves>,
    /// Whether there are cylinders.
    cylinders: bool,
    hulls: &'h Hulls,
    pub(crate) forms: Vec<[Form; 2]>,
    /// Rows `2·i` and `2·i + 1` are pair `i`; also of the shapes.
    pub(crate) motions: Vec<Motion>,
    shapes: Vec<Shape<'h>>,
    pairs: Vec<Pair>,
    twos: Vec<Two>,
}

/// The part of a motion between a cached result and the distance that is computed: bodies move by about a
/// tenth of their size.
const TICK: f32 = 1.0 / 32.0;
/// The slop for `sweep_time_of_impact`.
const SLOP: f32 = 0.005;
/// Pairs nearer than that at the start are left out, because overlapping pairs have no first time, and parry
/// returns no distance for them.
const APART: f32 = 0.01;

impl<'h> Work<'h> {
    pub(crate) fn new(
        hulls: &'h Hulls,
        (moves, cylinders): (Option<Moves>, bool),
        count: usize,
        seed: u64,
    ) -> Self {
        let their_hulls = peers::parry::hulls(hulls);
        let (forms, motions, shapes) = Default::default();
        let (pairs, twos) = Default::default();
        let mut work = Self { moves, cylinders, hulls, forms, motions, shapes, pairs, twos };
        for (form, ago) in formed(hulls, moves.unwrap_or(Moves::Spinning), 2 * count, seed) {
            let tick = if moves.is_none() { TICK } else { 0.0 };
            let now = ago.map(|motion| Motion { pose: motion.at(tick), ..motion });
            let [a, b] = form.map(|form| form.shape(hulls));
            let mut cache = GjkCache::default();
            let apart = |[of_a, of_b]: &[Motion; 2], cache: &mut GjkCache| {
                let far = gjk::distance_from(&a, &of_a.pose, &b, &of_b.pose, cache);
                far.expect("valid").distance > APART
            };
            let cylinder = form.iter().any(|form| matches!(form, Form::Cylinder { .. }));
            let out = cylinder && !cylinders
                || !apart(&ago, &mut cache)
                || !apart(&now, &mut GjkCache::default());
            if out || work.len() == count {
                continue;
            }
            let theirs = form.map(|form| peers::parry::shape(form, &their_hulls));
            let [before_a, before_b] = ago.map(|motion| peers::parry::motion(&motion).start);
            let along = direction([&theirs[0], &theirs[1]], &before_a.inv_mul(&before_b));
            let [their_a, their_b] = theirs;
            let theirs = [
                (their_a, peers::parry::motion(&now[0])),
                (their_b, peers::parry::motion(&now[1])),
            ];
            let row = 2 * work.len() as u32;
            work.pairs.push(Pair { a: row, b: row + 1 });
            work.forms.push(form);
            work.motions.extend(now);
            work.shapes.extend([a, b]);
            work.twos.push(Two { theirs, cache, along });
        }
        work
    }

    /// The first `count` pairs.
    pub(crate) fn bodies_of_first(&self, count: usize) -> Vec<([Form; 2], [Motion; 2])> {
        let motions = self.motions.as_chunks().0;
        self.forms.iter().copied().zip(motions.iter().copied()).take(count).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    fn bodies(&self, pair: usize) -> [(&Shape<'h>, &Motion); 2] {
        [2 * pair, 2 * pair + 1].map(|row| (&self.shapes[row], &self.motions[row]))
    }

    fn distance(&self, pair: usize, warm: bool) -> Answer {
        let [(a, of_a), (b, of_b)] = self.bodies(pair);
        let mut cache = if warm { self.twos[pair].cache } else { GjkCache::default() };
        let far = gjk::distance_from(a, &of_a.pose, b, &of_b.pose, &mut cache);
        Answer { value: Some(black_box(far).expect("valid").distance), ..Answer::default() }
    }

    /// Number of support points of either shape for a distance.
    pub(crate) fn supports(&self, pair: usize, warm: bool) -> u32 {
        let cores = self.forms[pair].map(|form| Counted::new(form, self.hulls));
        let [a, b] = [0, 1].map(|side| cores[side].shape());
        let [(_, of_a), (_, of_b)] = self.bodies(pair);
        let mut cache = if warm { self.twos[pair].cache } else { GjkCache::default() };
        let before = cores[0].asked();
        let far = gjk::distance_from(&a, &of_a.pose, &b, &of_b.pose, &mut cache);
        black_box(far).expect("valid");
        cores[0].asked() - before
    }

    fn their_distance(&self, pair: usize, warm: bool) -> Answer {
        let Two { theirs: [(a, of_a), (b, of_b)], along, .. } = &self.twos[pair];
        let far = match (along, a.as_support_map(), b.as_support_map()) {
            (&Some(_), Some(a), Some(b)) if warm => {
                let between = of_a.start.inv_mul(&of_b.start);
                distance_along(&between, a, b, &mut VoronoiSimplex::new(), *along)
            }
            _ => query::distance(&of_a.start, &**a, &of_b.start, &**b).expect("convex").distance,
        };
        Answer { value: Some(black_box(far)), ..Answer::default() }
    }

    fn first(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = self.bodies(pair);
        let toi = toi::one_to_one(a, of_a, b, of_b, &Settings::default());
        black_box(toi).expect("valid").into()
    }

    fn their_first(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = &self.twos[pair].theirs;
        let hit = if self.moves == Some(Moves::Linear) {
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let [(from_a, by_a), (from_b, by_b)] = [of_a, of_b].map(|of| (&of.start, of.linvel));
            query::cast_shapes(from_a, by_a, &**a, from_b, by_b, &**b, options)
        } else {
            query::cast_shapes_nonlinear(of_a, &**a, of_b, &**b, 0.0, 1.0, true)
        };
        let value = black_box(hit).expect("convex").map(|hit| hit.time_of_impact);
        Answer { value, ..Answer::default() }
    }

    fn their_sweep(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = &self.twos[pair].theirs;
        let [a, b] = [a, b].map(|shape| ToiProxy::from_shape(&**shape).expect("no cylinder"));
        let sweep = |motion: &NonlinearRigidMotion| {
            Sweep::from_poses(&motion.start, &motion.position_at_time(1.0), Vector::ZERO)
        };
        let toi = black_box(sweep_time_of_impact(&a, &sweep(of_a), &b, &sweep(of_b), 1.0, SLOP));
        let touch = toi.status != SweepToiStatus::Separated;
        Answer { value: touch.then_some(toi.fraction), ..Answer::default() }
    }

    /// The systems that compute pair by pair: swath, then parry if it has the function.
    pub(crate) fn one_by_one(&self) -> Vec<System<'_>> {
        let system = |name, package, ask: fn(&Self, usize) -> Answer| -> System<'_> {
            let ask = move |rows: Range<usize>, out: &mut [Answer]| {
                rows.zip(out).for_each(|(row, out)| *out = ask(self, row));
            };
            (name, package, Box::new(ask))
        };
        match self.moves {
            None => vec![
                system("swath", "swath", |work, pair| work.distance(pair, false)),
                system("parry", "parry3d", |work, pair| work.their_distance(pair, false)),
                system("swath-warm", "swath", |work, pair| work.distance(pair, true)),
                system("parry-warm", "parry3d", |work, pair| work.their_distance(pair, true)),
            ],
            Some(Moves::Accelerated) => vec![system("swath", "swath", Self::first)],
            Some(_) if self.cylinders => vec![
                system("swath", "swath", Self::first),
                system("parry", "parry3d", Self::their_first),
            ],
            Some(_) => vec![
                system("swath", "swath", Self::first),
                system("parry", "parry3d", Self::their_first),
                system("parry-sweep", "parry3d", Self::their_sweep),
            ],
        }
    }

    /// A batch of first times by swath, on the threads of the pool. parry has no such function.
    pub(crate) fn batch(&self) -> System<'_> {
        let ask = |rows: Range<usize>, out: &mut [Answer]| {
            let (shapes, motions) = (&self.shapes[..], &self.motions[..]);
            let meetings = ToiInput { shapes, motions, pairs: &self.pairs[rows], windows: &[] };
            let (mut tois, mut rejected) = (vec![Toi::default(); out.len()], Vec::new());
            let (settings, threads) = (Settings::default(), Threads::current());
            let done = toi::pairs(&meetings, &settings, &threads, &mut rejected, &mut tois);
            done.expect("valid");
            out.iter_mut().zip(tois).for_each(|(out, toi)| *out = toi.into());
        };
        ("swath-batch", "swath", Box::new(ask))
    }
}

/// The direction between the nearest points of two bodies, in the axes of the first, if parry would search
/// for it.
fn direction([a, b]: [&SharedShape; 2], between: &Pose) -> Option<Vector> {
    let balls = a.as_ball().is_some() || b.as_ball().is_some();
    if balls || a.as_cuboid().is_some() && b.as_cuboid().is_some() {
        return None;
    }
    let (a, b) = (a.as_support_map()?, b.as_support_map()?);
    match closest_points(between, a, b, f32::MAX, &mut VoronoiSimplex::new(), None) {
        GJKResult::ClosestPoints(_, _, direction) => Some(direction),
        _ => None,
    }
}

/// Goal: both systems get the same bodies. Method: the boxes around each in the middle of its motion, by
/// swath and by parry.
#[test]
fn bodies_are_the_same() {
    let hulls = Hulls::new(1);
    let work = Work::new(&hulls, (Some(Moves::Spinning), true), 500, 2);
    for pair in 0..work.len() {
        for ((shape, motion), (theirs, moving)) in
            work.bodies(pair).into_iter().zip(&work.twos[pair].theirs)
        {
            let ours = shape.bounds(&motion.at(0.5)).expect("valid");
            let theirs = theirs.compute_aabb(&moving.position_at_time(0.5));
            let [min, max] = [ours.min, ours.max].map(Vector::from_array);
            let off = (theirs.mins - min).abs().max((theirs.maxs - max).abs()).max_element();
            assert!(off < 1e-4, "{off} {:?} {motion:?}", work.forms[pair]);
        }
    }
}
