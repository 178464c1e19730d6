//! How is each system asked about the same pairs of convex shapes?
//!
//! Inside the clock is one call for each pair, through the door that a user of the crate has:
//!
//! | question | swath | parry |
//! |---|---|---|
//! | distance | `gjk::distance` | `query::distance` |
//! | the same, warm | `gjk::distance_from`, its cache a tick old | `distance_support_map_support_map_with_params` along the direction of a tick ago; its own closed forms for pairs with a ball and for two boxes |
//! | linear | `advance::one_to_one` | `query::cast_shapes` |
//! | spinning | `advance::one_to_one` | `query::cast_shapes_nonlinear`: conservative advancement, constant rates |
//! | accelerated | `advance::one_to_one` | has no such question |
//!
//! Outside are parry's shapes (`SharedShape`, hulls of the same points, shared), poses and motions.
//! Its options are the defaults but for the end of the tick. swath also returns points, normal and
//! closing speed; parry points and normals of times, and of distances the number alone.
//!
//! Not asked is parry's `sweep_time_of_impact`: it knows no cylinders, mixes the end poses instead
//! of turning at a rate, and stops a slop of some 0.005 early or late. That is another question.

use std::hint::black_box;
use std::ops::Range;

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::details::{
    closest_points_support_map_support_map_with_params as closest,
    distance_support_map_support_map_with_params as distance_along,
};
use parry3d::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d::shape::SharedShape;
use rayon::prelude::*;
use swath::advance::{self, Advance, Meetings, Settings};
use swath::gjk::{self, GjkCache};
use swath::{Motion, Pair, Shape, Threads, Toi};

use crate::convex::{Form, Hulls, Moves, formed};

/// What is asked about pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Distance,
    First(Moves),
}

impl Question {
    pub(crate) const ALL: [Self; 4] = [
        Self::Distance,
        Self::First(Moves::Linear),
        Self::First(Moves::Spinning),
        Self::First(Moves::Accelerated),
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::First(Moves::Linear) => "linear",
            Self::First(Moves::Spinning) => "spinning",
            Self::First(Moves::Accelerated) => "accelerated",
        }
    }
}

/// A distance, or a time if they come to touch; where swath gives up, up to when they surely do not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) value: Option<f32>,
    pub(crate) rounds: u32,
}

impl From<Toi> for Answer {
    fn from(toi: Toi) -> Self {
        let value = match toi.advance {
            Advance::Impact { t, .. } | Advance::Unresolved { t_safe: t } => Some(t),
            Advance::Overlapping { .. } => Some(0.0),
            _ => None,
        };
        Self { value, rounds: toi.rounds }
    }
}

/// Answers the pairs of these rows, on one thread or, if it is a batch, on all of the pool.
type Ask<'w> = Box<dyn Fn(Range<usize>, &mut [Answer]) + Send + Sync + 'w>;

/// Who is asked.
pub(crate) struct System<'w> {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) ask: Ask<'w>,
}

/// Pairs of bodies as each system wants them: rows `2·i` and `2·i + 1` are pair `i`.
pub(crate) struct Work<'h> {
    pub(crate) question: Question,
    pub(crate) forms: Vec<[Form; 2]>,
    pub(crate) motions: Vec<Motion>,
    shapes: Vec<Shape<'h>>,
    pairs: Vec<Pair>,
    /// Of a tick ago.
    caches: Vec<GjkCache>,
    shared: Vec<SharedShape>,
    theirs: Vec<NonlinearRigidMotion>,
    /// Of a tick ago, for pairs that parry has no closed form of.
    directions: Vec<Option<Vector>>,
}

/// How much of a motion a distance is asked after its cache: bodies go a tenth of their size or two.
const TICK: f32 = 1.0 / 32.0;
/// Nearer to each other than that at the start a pair is not asked about: what overlaps there has
/// no first time, and parry's distance knows no depth.
const APART: f32 = 0.01;

fn pose(pose: &swath::Pose) -> Pose {
    let rotation = Rotation::from_array(pose.rotation).normalize();
    Pose::from_parts(Vector::from_array(pose.position), rotation)
}

fn shared(form: Form, hulls: &[SharedShape]) -> SharedShape {
    match form {
        Form::Cuboid([x, y, z]) => SharedShape::cuboid(x, y, z),
        Form::Sphere(radius) => SharedShape::ball(radius),
        Form::Capsule { half_height, radius } => SharedShape::capsule_y(half_height, radius),
        Form::Cylinder { half_height, radius } => SharedShape::cylinder(half_height, radius),
        Form::Hull(row) => hulls[row].clone(),
    }
}

/// The direction between the nearest points of two, in the axes of the first.
fn direction([a, b]: [&SharedShape; 2], between: &Pose) -> Option<Vector> {
    let closed = [a, b].iter().any(|shape| shape.as_ball().is_some())
        || [a, b].iter().all(|shape| shape.as_cuboid().is_some());
    let (a, b) = (a.as_support_map()?, b.as_support_map()?);
    match closest(between, a, b, f32::MAX, &mut VoronoiSimplex::new(), None) {
        GJKResult::ClosestPoints(_, _, direction) if !closed => Some(direction),
        _ => None,
    }
}

impl<'h> Work<'h> {
    pub(crate) fn new(hulls: &'h Hulls, question: Question, count: usize, seed: u64) -> Self {
        let moves = if let Question::First(moves) = question { moves } else { Moves::Spinning };
        let of_points = |hull: &swath::Hull| {
            let points: Vec<_> = hull.vertices().map(Vector::from_array).collect();
            SharedShape::convex_hull(&points).expect("a hull has an inside")
        };
        let their_hulls: Vec<_> = hulls.0.iter().map(of_points).collect();
        let (mut pairs, mut caches, mut directions) = (Vec::new(), Vec::new(), Vec::new());
        let (mut forms, mut motions) = (Vec::new(), Vec::new());
        let (mut shapes, mut all_shared) = (Vec::new(), Vec::new());
        for (form, mut motion) in formed(hulls, moves, 2 * count, seed) {
            let [a, b] = form.map(|form| form.shape(hulls));
            let theirs = form.map(|form| shared(form, &their_hulls));
            let mut cache = GjkCache::default();
            let mut apart = |[of_a, of_b]: &[Motion; 2]| {
                let far = gjk::distance_from(&a, &of_a.pose, &b, &of_b.pose, &mut cache);
                far.expect("valid").distance > APART
            };
            let mut stays = apart(&motion);
            let [from, to] = motion.map(|motion| pose(&motion.pose));
            let along = direction([&theirs[0], &theirs[1]], &from.inv_mul(&to));
            if question == Question::Distance {
                motion = motion.map(|motion| Motion { pose: motion.at(TICK), ..motion });
                let kept = cache;
                stays &= gjk::distance(&a, &motion[0].pose, &b, &motion[1].pose)
                    .expect("valid")
                    .distance
                    > APART;
                cache = kept;
            }
            if stays && forms.len() < count {
                let row = 2 * forms.len() as u32;
                pairs.push(Pair { a: row, b: row + 1 });
                forms.push(form);
                motions.extend(motion);
                shapes.extend([a, b]);
                all_shared.extend(theirs);
                caches.push(cache);
                directions.push(along);
            }
        }
        let theirs = |motion: &Motion| {
            let [along, spin] = [motion.delta, motion.spin].map(Vector::from_array);
            NonlinearRigidMotion::new(pose(&motion.pose), Vector::ZERO, along, spin)
        };
        let theirs = motions.iter().map(theirs).collect();
        let shared = all_shared;
        Self { question, forms, motions, shapes, pairs, caches, shared, theirs, directions }
    }

    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    fn meeting(&self, pair: usize) -> [(&Shape<'h>, &Motion); 2] {
        [2 * pair, 2 * pair + 1].map(|row| (&self.shapes[row], &self.motions[row]))
    }

    fn their_meeting(&self, pair: usize) -> [(&SharedShape, &NonlinearRigidMotion); 2] {
        [2 * pair, 2 * pair + 1].map(|row| (&self.shared[row], &self.theirs[row]))
    }

    fn distance(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = self.meeting(pair);
        let far = black_box(gjk::distance(a, &of_a.pose, b, &of_b.pose).expect("valid"));
        Answer { value: Some(far.distance), rounds: 0 }
    }

    fn distance_warm(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = self.meeting(pair);
        let cache = &mut self.caches[pair].clone();
        let far =
            black_box(gjk::distance_from(a, &of_a.pose, b, &of_b.pose, cache).expect("valid"));
        Answer { value: Some(far.distance), rounds: 0 }
    }

    fn first(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = self.meeting(pair);
        let toi = advance::one_to_one(a, of_a, b, of_b, &Settings::default());
        black_box(toi.expect("valid")).into()
    }

    fn their_distance(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = self.their_meeting(pair);
        let far = query::distance(&of_a.start, &**a, &of_b.start, &**b).expect("supported");
        Answer { value: Some(black_box(far).distance), rounds: 0 }
    }

    fn their_distance_warm(&self, pair: usize) -> Answer {
        let Some(along) = self.directions[pair] else { return self.their_distance(pair) };
        let [(a, of_a), (b, of_b)] = self.their_meeting(pair);
        let (a, b) = (a.as_support_map().expect("convex"), b.as_support_map().expect("convex"));
        let between = of_a.start.inv_mul(&of_b.start);
        let far = distance_along(&between, a, b, &mut VoronoiSimplex::new(), Some(along));
        Answer { value: Some(black_box(far)), rounds: 0 }
    }

    fn their_first(&self, pair: usize) -> Answer {
        let [(a, of_a), (b, of_b)] = self.their_meeting(pair);
        let hit = if self.question == Question::First(Moves::Linear) {
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let (from_a, from_b) = (&of_a.start, &of_b.start);
            query::cast_shapes(from_a, of_a.linvel, &**a, from_b, of_b.linvel, &**b, options)
        } else {
            query::cast_shapes_nonlinear(of_a, &**a, of_b, &**b, 0.0, 1.0, true)
        };
        let hit = black_box(hit.expect("supported"));
        Answer { value: hit.map(|hit| hit.time_of_impact), rounds: 0 }
    }

    /// Those that answer pair by pair.
    pub(crate) fn one_by_one(&self) -> Vec<System<'_>> {
        let system = |name, package, ask: fn(&Self, usize) -> Answer| System {
            name,
            package,
            ask: Box::new(move |rows, out| {
                for (row, out) in rows.zip(out) {
                    *out = ask(self, row);
                }
            }),
        };
        match self.question {
            Question::Distance => vec![
                system("swath", "swath", Self::distance),
                system("parry", "parry3d", Self::their_distance),
                system("swath-warm", "swath", Self::distance_warm),
                system("parry-warm", "parry3d", Self::their_distance_warm),
            ],
            Question::First(Moves::Accelerated) => vec![system("swath", "swath", Self::first)],
            Question::First(_) => vec![
                system("swath", "swath", Self::first),
                system("parry", "parry3d", Self::their_first),
            ],
        }
    }

    /// Those that spread first times over the threads of a pool: swath's batch, and what a user of
    /// parry writes, which is rayon over pieces as long as swath's.
    pub(crate) fn batches(&self) -> Vec<System<'_>> {
        const PIECE: usize = 256;
        let swath: Ask<'_> = Box::new(|rows, out| {
            let pairs = &self.pairs[rows];
            let (shapes, motions) = (&self.shapes, &self.motions);
            let meetings = Meetings { shapes, motions, pairs, windows: &[] };
            let (mut rejected, mut tois) = (Vec::new(), vec![Toi::default(); pairs.len()]);
            let threads = Threads::current();
            advance::pairs(&meetings, &Settings::default(), &threads, &mut rejected, &mut tois)
                .expect("valid");
            out.iter_mut().zip(tois).for_each(|(out, toi)| *out = toi.into());
        });
        let parry: Ask<'_> = Box::new(|rows, out| {
            out.par_chunks_mut(PIECE).enumerate().for_each(|(piece, out)| {
                for (row, out) in (rows.start + piece * PIECE..).zip(out) {
                    *out = self.their_first(row);
                }
            });
        });
        let swath = System { name: "swath-batch", package: "swath", ask: swath };
        let parry = System { name: "parry-rayon", package: "parry3d", ask: parry };
        match self.question {
            Question::Distance => Vec::new(),
            Question::First(Moves::Accelerated) => vec![swath],
            Question::First(_) => vec![swath, parry],
        }
    }
}
