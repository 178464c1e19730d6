//! Rounds of the search for two boxes that rotate.
//!
//! A round is that of `search.rs`, without a search for the distance and without a simplex:
//!
//! * *Boxes that touch themselves* are separated along one of 15 axes (`gjk/box_axes.rs`): the plane across the one along which they are
//!   farthest apart is followed. Its features are the faces and edges that the axis belongs to.
//! * *Rounded boxes*, so also balls and capsules: the nearest points are guessed as for a distance (`gjk/boxes.rs`), starting with
//!   those of the last round. The axes along which they are not at an end span their features.
//!
//! As everywhere, a plane bounds the distance from below, and two points from above. What these do not prove is left to the rounds of
//! `search.rs`, which continue at the same time: touches at the start, features that are almost parallel, long searches.

use super::goal::{ACCURACY, Goal};
use super::pause::WHOLE_TURNS_FROM;
use super::relative_motion::RelativeMotion;
use super::result::{Observer, ToiResult};
use super::search::Search;
use super::separating_plane::{
    FirstCrossing, SLIVER, SafeTime, SeparatingPlane, Slope, follow, rotation_of_plane,
};
use crate::geom::MapEach;
use crate::lanes::{Isa, Kernel, Level};
use crate::narrowphase::gjk::{Axis, BoxPair, CLEAR_EDGES, Gap, RotatedPair};
use crate::narrowphase::math::{M3, V3};
use crate::narrowphase::rotation::Rotation;
use core::ops::ControlFlow;

/// Greatest number of steps towards the nearest points at one time.
const NEAREST_STEPS_MAX: u32 = 4;

/// Share of the difference between the least gap and the distance that a plane must prove.
const SHARE: f64 = 0.75;

/// The result, or a time to which planes have led, with the normal of the last, if there is one: other rounds continue.
type BoxRounds = ControlFlow<ToiResult, Option<(f64, V3)>>;

/// The rounds of a search for two boxes.
struct RoundsOfBoxes<'r, 's, 'o, 'f> {
    search: &'r mut Search<'s>,
    led: Option<(f64, V3)>,
    observer: &'o mut Observer<'f>,
}

impl Kernel for RoundsOfBoxes<'_, '_, '_, '_> {
    type Output = BoxRounds;

    /// As for the rounds of other shapes.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> BoxRounds {
        self.search.rounds_of_boxes(self.led, self.observer)
    }
}

impl Search<'_> {
    /// Runs rounds if the shapes are boxes of which one rotates, from the start of the window, or from a time to which a plane has led.
    pub(super) fn box_rounds(
        &mut self,
        level: Level,
        led: Option<(f64, V3)>,
        observer: &mut Observer<'_>,
    ) -> BoxRounds {
        let [a, b] =
            [&self.motion.a, &self.motion.b].map_each(|body| body.shape.core.half_extents());
        if a.is_none() || b.is_none() || self.motion.is_straight() {
            return ControlFlow::Continue(led);
        }
        level.run(RoundsOfBoxes { search: self, led, observer })
    }

    #[inline(always)]
    fn rounds_of_boxes(
        &mut self,
        mut led: Option<(f64, V3)>,
        observer: &mut Observer<'_>,
    ) -> BoxRounds {
        let [from, to] = self.window;
        let goal = self.goal();
        // Later rounds skip whole turns, and try more planes.
        let rounds_max = self.settings.rounds_max.min(WHOLE_TURNS_FROM);
        let mut last = None;
        while self.rounds < rounds_max {
            let t = led.map_or(from, |(t, _)| t);
            let pair = self.motion.at(t);
            let Some(boxes) = BoxPair::new(&pair) else { break };
            let x = boxes.own(self.motion.between(t));
            let plane = if goal.touches_cores {
                self.widest_plane((&pair, &boxes), x, &goal, led)
            } else {
                self.plane_between(&boxes, x, &goal, (led, &mut last))
            };
            let (lower, own, features) = match plane {
                BoxPlane::Apart { lower, own, features } => (lower, own, features),
                BoxPlane::Touch { gap, own } => {
                    self.rounds += 1;
                    self.report(observer, t, gap.lower, boxes.world(own));
                    return ControlFlow::Break(self.impact(t, &pair, &gap));
                }
                BoxPlane::Unknown => break,
            };
            self.rounds += 1;
            let plane = SeparatingPlane { t, normal: boxes.world(own), gap: lower };
            self.report(observer, t, lower, plane.normal);
            match self.safe_time_of_boxes((&pair, &boxes), (&plane, own), features, to) {
                SafeTime::End => return ControlFlow::Break(ToiResult::Separated),
                SafeTime::Until { t, normal, .. } => led = Some((t, normal)),
            }
        }
        ControlFlow::Continue(led)
    }

    /// Returns the plane across the axis along which boxes are farthest apart, for boxes that touch themselves.
    #[inline(always)]
    fn widest_plane(
        &mut self,
        (pair, boxes): (&RotatedPair<'_>, &BoxPair<'_>),
        x: V3,
        goal: &Goal,
        led: Option<(f64, V3)>,
    ) -> BoxPlane {
        let axis = boxes.widest_axis(x, CLEAR_EDGES);
        let own = boxes.toward(axis, x);
        let lower = boxes.width(x, own);
        self.supports += 1;
        if lower <= goal.accept {
            let Some((_, normal)) = led else { return BoxPlane::Unknown };
            let points = boxes.meeting(x, axis, own);
            if points.between.square() <= goal.accept * goal.accept {
                let out = pair.offset_direction(boxes.world(points.between), normal);
                let gap = boxes.gap(lower, own, &points);
                return BoxPlane::Touch { gap: Gap { normal, out, ..gap }, own };
            }
        }
        // A comparison with NaN is false.
        if lower > goal.range.min {
            let unit = |i: usize| M3::IDENTITY.axis(i);
            let features = match axis {
                Axis::OfA(i) => [V3::ONE - unit(i), V3::ZERO],
                Axis::OfB(j) => [V3::ZERO, V3::ONE - unit(j)],
                Axis::Edges(i, j) => [unit(i), unit(j)],
            };
            return BoxPlane::Apart { lower, own, features };
        }
        BoxPlane::Unknown
    }

    /// Returns the plane across the nearest points. `last` is the point of the second box in the last round.
    #[inline(always)]
    fn plane_between(
        &mut self,
        boxes: &BoxPair<'_>,
        x: V3,
        goal: &Goal,
        (led, last): (Option<(f64, V3)>, &mut Option<V3>),
    ) -> BoxPlane {
        let (floor, accept) = (goal.range.min, goal.accept);
        let mut points = match *last {
            None => boxes.nearest(x),
            Some(on_b) => boxes.nearest_from(x, on_b),
        };
        let mut steps = 0;
        loop {
            let upper = points.between.length();
            let own = points.between * (1.0 / upper);
            let lower = boxes.width(x, own);
            self.supports += 1;
            if upper <= accept {
                // A touch at the start is not for these rounds.
                if led.is_none() {
                    return BoxPlane::Unknown;
                }
                if upper - lower <= ACCURACY * goal.tolerance {
                    return BoxPlane::Touch { gap: boxes.gap(lower, own, &points), own };
                }
            }
            // Comparisons with NaN are false.
            if lower > floor && lower - floor >= SHARE * (upper - floor) {
                *last = Some(points.on_b);
                return BoxPlane::Apart { lower, own, features: boxes.free(&points) };
            }
            if steps == NEAREST_STEPS_MAX {
                return BoxPlane::Unknown;
            }
            steps += 1;
            points = boxes.nearest_after(x, &points);
        }
    }

    /// Returns until when a plane separates that rotates as these features do, or not at all.
    #[inline(always)]
    fn safe_time_of_boxes(
        &mut self,
        (pair, boxes): (&RotatedPair<'_>, &BoxPair<'_>),
        (plane, own): (&SeparatingPlane, V3),
        [of_first, of_second]: [V3; 2],
        to: f64,
    ) -> SafeTime {
        let motion = &self.motion;
        let range = self.goal().range;
        let other = -boxes.rotation.rotate_back(own);
        let first = [boxes.a, own, of_first];
        let second = [boxes.b, other, of_second];
        let [of_a, of_b] = if boxes.swapped { [second, first] } else { [first, second] };
        let (a, b) =
            (BoxFeature::new(&pair.a.rotation, of_a), BoxFeature::new(&pair.b.rotation, of_b));
        let spins = [motion.a.spin(a.axes), motion.b.spin(b.axes)];

        // A plane that does not rotate is seldom better, so it is not tried, which saves 3 to 5 %.
        let along = rotation_along_features(motion, [&a, &b], spins, plane.normal);
        let rotation = along.unwrap_or(Rotation::new(V3::ZERO));
        let slope = Slope::new(motion, spins, &rotation, plane);
        let rate = slope.base + a.at_corner(-slope.of_a) + b.at_corner(slope.of_b);
        let crossing = FirstCrossing::new(motion, &rotation, plane, &range, rate, to);
        let (safe, steps) = follow(motion, &rotation, plane, crossing, &range, to);
        self.supports += steps;
        safe
    }
}

/// A plane between two boxes.
enum BoxPlane {
    /// The boxes are apart by `lower` along `own`, across features of the first box and the second: a one on each axis along which
    /// they extend. Vectors are in the axes of the boxes.
    Apart { lower: f64, own: V3, features: [V3; 2] },
    /// They touch, to within the tolerance. The gap along `own` is `gap.lower`.
    Touch { gap: Gap, own: V3 },
    /// Neither is proved.
    Unknown,
}

/// One of two boxes, and its feature that is nearest to the other one.
struct BoxFeature<'p> {
    axes: &'p M3,
    half: V3,
    /// Direction to the other box, in the axes of this one.
    toward: V3,
    /// A one on each axis along which the feature extends.
    free: V3,
}

impl<'p> BoxFeature<'p> {
    #[inline(always)]
    fn new(axes: &'p M3, [half, toward, free]: [V3; 3]) -> Self {
        Self { axes, half, toward, free }
    }

    /// Returns the product of a vector with the corner that is farthest toward the other box.
    #[inline(always)]
    fn at_corner(&self, world: V3) -> f64 {
        self.axes.rotate_back(world).dot(self.half.copysign(self.toward))
    }
}

/// Returns the rotation of a plane that keeps the features of both boxes on it: it rotates with a face, and about an edge as that
/// does. Two corners determine none.
#[inline(always)]
fn rotation_along_features(
    motion: &RelativeMotion<'_>,
    [a, b]: [&BoxFeature<'_>; 2],
    [spin_a, spin_b]: [V3; 2],
    n: V3,
) -> Option<Rotation> {
    let (count_a, count_b) = (a.free.square(), b.free.square());
    let (to_a, to_b) = (spin_a.cross(n), spin_b.cross(n));
    let w = if count_a > 1.0 {
        to_a
    } else if count_b > 1.0 {
        to_b
    } else if count_a + count_b == 0.0 {
        return None;
    } else {
        // The direction of a corner is zero.
        let (e, f) = (a.axes.rotate(a.free), b.axes.rotate(b.free));
        let (r, s, ef) = (e.dot(to_a), f.dot(to_b), e.dot(f));
        let square = 1.0 - ef * ef;
        if square > SLIVER {
            e * ((r - s * ef) / square) + f * ((s - r * ef) / square)
        } else {
            e * r
        }
    };
    rotation_of_plane(motion, n, w)
}
