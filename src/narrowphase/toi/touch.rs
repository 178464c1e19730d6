//! A touch at the start of the window: whether it is an impact, and how one that is ignored is followed.
//!
//! With [`Touch::IfClosing`] the sign of the closing speed along the normal decides. The normal may be one of many: at an edge or a
//! corner, every direction between the faces is one; and it is exact only to within the accuracy of the search. So the touch is
//! also ignored if the bodies do not close on some other plane that separates them to within the tolerance (`parts`).
//!
//! A touch that is ignored is followed until the bodies are apart, or deeper by the tolerance. So a wrong decision to ignore it
//! delays a contact by the tolerance, and loses none.

use super::goal::{ACCURACY, Goal};
use super::result::ToiResult;
use super::search::{NORMAL_ROUNDING, Search};
use super::separating_plane::{GapRange, SLIVER};
use super::settings::Touch;
use crate::geom::{MapEach, Motion};
use crate::narrowphase::gjk::{Accuracy, Gap, Nearest, RotatedPair, gap_along, shallowest};
use crate::narrowphase::math::{V3, greater, lesser, sqrt};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::shape::smaller_size;
use crate::narrowphase::simplex::Simplex;

/// How far touching bodies move until the plane between them is searched again, relative to the tolerance: so far that a plane
/// along which they part has a gap, and so little that it still separates them at the start.
const MOVED: f64 = 16.0;

/// The most of that, relative to the size of the smaller shape.
const MOVED_OF_SIZE: f64 = 1.0 / 16.0;

/// How far points of bodies that rotate may rotate until a plane is searched once more, relative to the tolerance: so little that
/// a plane that rotates with them still separates them at the start.
const ROTATED: f64 = 0.5;

/// Closing speed that rounding the velocities of bodies that slide to `f32` can cause, relative to the sum of their speeds: 2⁻²².
const ROUNDING_OF_SPEED: f64 = 2.0 * f32::EPSILON as f64;

/// Returns the sum of the speeds of two bodies at a time, and of the magnitudes of their accelerations. What rounding does to these does not depend on the
/// motion of the one relative to the other: a body that lies on a fast one has almost none.
pub(super) fn speeds(motions: [&Motion; 2], t: f64) -> (f64, f64) {
    let [a, b] = motions.map_each(|motion| {
        let accel = V3::of(motion.accel);
        ((V3::of(motion.delta) + accel * t).length(), accel.length())
    });
    (a.0 + b.0, a.1 + b.1)
}

/// Returns whether two bodies close faster than the rounding of their velocities explains, or are within that rounding and are accelerated towards each
/// other by more than the rounding of their accelerations. The arguments are the closing speed with its rate of change, and the sum of the speeds with
/// that of the magnitudes of the accelerations.
pub(crate) fn closes_surely([closing, growing]: [f64; 2], [speed, accels]: [f64; 2]) -> bool {
    let [rounding, of_accel] = [speed, accels].map_each(|sum| ROUNDING_OF_SPEED * sum);
    closing > rounding || closing >= -rounding && growing > of_accel
}

impl<'s> Search<'s> {
    /// Evaluates a touch at the start: returns a result, or the gap of a touch that is ignored.
    #[inline(never)]
    pub(super) fn touch(
        &self,
        pair: &RotatedPair<'s>,
        t: f64,
        x: V3,
        found: &Nearest,
        simplex: &Simplex,
    ) -> Result<f64, ToiResult> {
        let gap = self.gap_of(pair, x, (found, simplex), self.known_gap());
        let distance = if found.upper > 0.0 { found.upper } else { gap.lower };
        if distance < self.contact_distance - self.tolerance {
            return Err(self.overlapping(t, pair, &gap));
        }
        let counts = match self.settings.touch {
            Touch::Hit => true,
            Touch::IfClosing => {
                let [closing, growing] = self.motion.closing(t, pair, &gap);
                let closes = closing > 0.0 || closing == 0.0 && growing > 0.0;
                let surrounded = (simplex, found.upper);
                closes
                    && (self.closes_anyway(pair, (t, x), &gap, surrounded)
                        || !self.parts(pair, (t, x), &gap, found.upper))
            }
            Touch::Ignore => false,
        };
        if counts { Err(self.impact(t, pair, &gap)) } else { Ok(gap.lower) }
    }

    /// Returns whether bodies that close along the normal of `gap` nevertheless separate or slide: another plane separates them to within the
    /// tolerance, and they do not close along it. `upper` is the distance of the cores by the simplex.
    ///
    /// The planes are the given one, that which separates the bodies best a little later, and those across the axes of the bodies, which are
    /// the faces of boxes. Bodies may rotate so far in the time until the second that it does not separate them at the start, so a
    /// shorter time is tried too.
    #[cold]
    fn parts(&self, pair: &RotatedPair<'s>, (t, x): (f64, V3), gap: &Gap, upper: f64) -> bool {
        let Self { motion, tolerance, .. } = self;
        let separates = |normal: V3| self.separates_and_parts(pair, (t, x), normal);
        // If the cores are apart, the normal is exact to within the accuracy of the search only.
        let given =
            if upper > 0.0 { self.gap_at(t, gap.normal, motion.slack).normal } else { gap.normal };
        if separates(given) {
            return true;
        }
        let [apart, accel] = motion.apart(t, pair, gap);
        let moved = match smaller_size(motion.a.shape.size, motion.b.shape.size) {
            0.0 => MOVED * tolerance,
            size => lesser(MOVED * tolerance, MOVED_OF_SIZE * size),
        };
        let after = first_root(moved, -apart.length(), -0.5 * accel.length());
        let parts_after = |after: f64| {
            separates(
                self.gap_at(lesser(t + after, self.window[1]), gap.normal, motion.slack).normal,
            )
        };
        // It is infinite for bodies that do not rotate.
        let rotated = ROTATED * tolerance / self.spin_speed();
        parts_after(after)
            || rotated < after && parts_after(rotated)
            || [pair.a.rotation, pair.b.rotation].iter().any(|rotation| {
                (0..3).any(|k| separates(rotation.axis(k)) || separates(-rotation.axis(k)))
            })
    }

    /// Returns whether a plane separates the bodies to within the tolerance, and does not close; or one that is as good but for the
    /// accuracy of the search, and near to it: of bodies that slide, the computed normal may be tilted against their motion. So up to
    /// two velocities or accelerations by which the planes close are removed from the normal.
    fn separates_and_parts(&self, pair: &RotatedPair<'s>, (t, x): (f64, V3), normal: V3) -> bool {
        let (mut plane, mut least) = (normal, self.contact_distance - self.tolerance);
        let mut removed: Option<V3> = None;
        for changes in 0..3 {
            let gap = gap_along(x, plane, &pair.support(plane));
            let lower = gap.lower;
            let [apart, accel] = self.motion.apart(t, pair, &gap);
            let closing = self.closes_by(t, &gap, [apart, accel]);
            // A comparison with NaN is false.
            let separates = lower >= least;
            if separates && closing.is_none() {
                return true;
            }
            // A plane that is tilted within the plane of the motion may be good if both components of that are removed.
            if !separates && changes != 1 {
                return false;
            }
            let across = |v: V3| removed.map_or(v, |removed| v - removed * removed.dot(v));
            let component = |v: V3| v.unit().map(across).filter(|v| v.square() > SLIVER)?.unit();
            let closing = closing.filter(|_| separates);
            let mut components = [closing, Some(apart), Some(accel)].into_iter().flatten();
            let Some(next) = components.find_map(component).map(across) else { return false };
            let still = across(normal);
            let still = still - next * next.dot(still);
            let Some(unit) = still.unit().filter(|_| still.square() > 0.5) else { return false };
            if changes == 0 {
                least = greater(least, lower - ACCURACY * self.tolerance);
            }
            (plane, removed) = (unit, removed.or(Some(next)));
        }
        false
    }

    /// Returns whether it is certain that every plane which separates the bodies to within the tolerance closes, because none is
    /// tilted much: as where a face lies on another, and for rounded shapes. `upper` is the distance of the cores by the simplex.
    ///
    /// If the contact distance is well above the tolerance, the cosine between the normal of such a plane and the line between the nearest points is at
    /// least the gap along it, divided by the distance.
    ///
    /// Let `y` be the vertices of the simplex from `x`, with weights of at least `w`, and `n` the normal of such a plane. Then `n·y ≤ s` for each of
    /// them, with `s` the tolerance less the contact distance, and the sum of `n·y` by weights is at least `-upper`. So each `n·y` is at least
    /// `-(upper + s) / w`, and the component of `n` along the triangle is at most the difference of these bounds times the sum of two sides, divided by
    /// their product. The normal of `gap` is one of these, so all differ from it by little more than twice that.
    fn closes_anyway(
        &self,
        pair: &RotatedPair<'_>,
        (t, x): (f64, V3),
        gap: &Gap,
        (simplex, upper): (&Simplex, f64),
    ) -> bool {
        let Self { motion, contact_distance, tolerance, .. } = self;
        let most = tolerance - contact_distance;
        let [apart, accel] = motion.apart(t, pair, gap);
        let spin_speed = self.spin_speed();
        // Bodies at rest move along their acceleration.
        let rests = apart == V3::ZERO && spin_speed == 0.0;
        let moves = if rests { accel } else { apart };
        // Of bodies that move together, almost at rest to each other, the motion itself may be that of rounding.
        let rounding = ROUNDING_OF_SPEED * (speeds(self.positions, t).0 + spin_speed);
        let closes = -apart.dot(gap.normal) > lesser(rounding, ACCURACY * tolerance);
        if !rests && !closes {
            return false;
        }
        if !self.goal().touches_cores {
            let cosine = -most / upper;
            let tilted = sqrt(greater(1.0 - cosine * cosine, 0.0));
            let slower = 1.01 * tilted * moves.length() + 2.0 * spin_speed;
            return -moves.dot(gap.out) > slower;
        }
        if simplex.len < 3 || gap.lower < -most {
            return false;
        }
        // Of a tetrahedron, the vertex with the least weight is left out.
        let weights = simplex.weights(x);
        let last = (0..simplex.len).fold(0, |p, q| if weights[q] < weights[p] { q } else { p });
        let [i, j, k] = match last {
            0 if simplex.len == 4 => [1, 2, 3],
            1 if simplex.len == 4 => [0, 2, 3],
            2 if simplex.len == 4 => [0, 1, 3],
            _ => [0, 1, 2],
        };
        let least = lesser(lesser(weights[i], weights[j]), weights[k]);
        let [e, f] = [j, k].map_each(|to| simplex.vertices[to].at - simplex.vertices[i].at);
        let deep = greater(most, 0.0);
        let differs = (greater(upper, motion.slack) + deep) / least + deep;
        let tilted = differs * (e.length() + f.length()) / e.cross(f).length();
        // The plane on the other side of the cores separates them only if these are flat.
        let behind = pair.support(-gap.normal).at - x;
        let is_thick = -gap.normal.dot(behind) - 2.5 * tilted * behind.length() > deep;
        let slower = 2.5 * tilted * moves.length() + 2.0 * spin_speed;
        // Comparisons with NaN are false.
        least > 0.0 && tilted < 0.1 && is_thick && -moves.dot(gap.normal) > slower
    }

    /// Returns `apart` or `accel`, the relative velocity or acceleration of two points, whichever makes them close faster than rounding
    /// explains, or `None` if neither does.
    /// Points that part also close if their acceleration returns them before they are apart by the accuracy of a distance.
    fn closes_by(&self, t: f64, gap: &Gap, [apart, accel]: [V3; 2]) -> Option<V3> {
        let motion = &self.motion;
        let [closing, growing] = [apart, accel].map_each(|change| -change.dot(gap.normal));
        let sharp = ACCURACY * self.tolerance;
        let (speed, accels) = speeds(self.positions, t);
        let speed = speed + self.spin_speed();
        // At most so fast that the bodies get no deeper within the tick than the accuracy of a distance.
        let rounding = lesser(ROUNDING_OF_SPEED * speed, sharp);
        if closing > rounding {
            return Some(apart);
        }
        let turning = [&motion.a, &motion.b]
            .map_each(|body| body.rotation.rate * body.rotation.rate * body.shape.reach());
        let accels = accels + turning[0] + turning[1];
        let returns = closing >= -rounding || closing * closing < 2.0 * sharp * growing;
        (returns && growing > lesser(ROUNDING_OF_SPEED * accels, sharp)).then_some(accel)
    }

    /// The sum of the greatest speeds of points of both bodies because of their rotation.
    fn spin_speed(&self) -> f64 {
        let [a, b] = [&self.motion.a, &self.motion.b]
            .map_each(|body| body.rotation.rate * body.shape.reach());
        a + b
    }

    /// Returns the gap of the bodies at a time, which may touch or overlap. `least` is the accuracy of the distance.
    fn gap_at(&self, t: f64, guess: V3, least: f64) -> Gap {
        let (pair, x) = (self.motion.at(t), self.motion.between(t));
        let mut simplex = Simplex::default();
        let accuracy = Accuracy::Within { share: 0.0, of: 0.0, least };
        let guess = (guess, f64::NEG_INFINITY);
        let found = pair.nearest_within(x, &mut simplex, guess, self.motion.slack, accuracy);
        self.gap_of(&pair, x, (&found, &simplex), f64::INFINITY)
    }

    /// Returns the gap from which an overlap is not deeper than the known one after its depth is rounded.
    fn known_gap(&self) -> f64 {
        let depth = (self.known_depth - self.motion.slack) * (1.0 - 2.0 * NORMAL_ROUNDING);
        // What is hardly deeper than a touch may be one.
        if depth > 2.0 * self.tolerance { self.contact_distance - depth } else { f64::INFINITY }
    }

    /// Returns the gap of the cores that a search has found, or how deep they overlap. A gap of `enough` or more may be that along any
    /// direction.
    fn gap_of(
        &self,
        pair: &RotatedPair<'_>,
        x: V3,
        (found, simplex): (&Nearest, &Simplex),
        enough: f64,
    ) -> Gap {
        if found.upper > 0.0 {
            return found.gap(pair, x, simplex);
        }
        if enough < f64::INFINITY {
            // The first direction is the normal of a triangle.
            let gap = gap_along(x, self.guess, &pair.support(self.guess));
            if gap.lower >= enough {
                return gap;
            }
        }
        let least = self.contact_distance - self.tolerance;
        shallowest(pair, x, found.plane, [least, enough])
    }

    /// Returns the overlap at the start of the window, for bodies that touch there or overlap.
    #[cold]
    pub(super) fn overlap_at_start(&self) -> ToiResult {
        let [t, _] = self.window;
        self.overlapping(
            t,
            &self.motion.at(t),
            &self.gap_at(t, self.guess, ACCURACY * self.tolerance),
        )
    }

    /// Returns the goal of a search after an ignored touch at the start, whose gap is at least `lower`;
    /// and the distance, improved if necessary.
    #[inline(never)]
    pub(super) fn after_ignored_touch(
        &mut self,
        pair: &RotatedPair<'s>,
        x: V3,
        (mut found, mut lower): (Nearest, f64),
        simplex: &mut Simplex,
    ) -> (Goal, Nearest) {
        let (contact_distance, slack) = (self.contact_distance, self.motion.slack);
        // It is zero for two points in one place.
        let tolerance = greater(self.tolerance, f64::MIN_POSITIVE);
        let least = contact_distance + 4.0 * slack;
        // Whether the gap is really above the target must be known more exactly than the tolerance.
        if found.upper > least && lower <= least {
            let guess = (found.plane, found.lower);
            let next = pair.nearest_within(x, simplex, guess, slack, Accuracy::Beyond(least));
            self.supports += next.supports;
            if next.lower > lower {
                (found, lower) = (next, next.lower);
            }
        }
        let max = contact_distance + 2.0 * tolerance;
        // A real gap keeps its contact distance: reaching that is a contact. A touch may get deeper by as
        // much as the depth of a touch may be.
        let (floor, accept) = if lower > least {
            (contact_distance + slack, contact_distance + 0.5 * (lower - contact_distance))
        } else {
            (lower - tolerance, lower - 0.75 * tolerance)
        };
        (Goal { range: GapRange { min: floor, max }, accept, ..self.goal() }, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::narrowphase::gjk;
    use crate::narrowphase::hull::Hull;
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::toi::one_to_one;
    use crate::narrowphase::toi::settings::Settings;
    use alloc::vec::Vec;

    /// Goal: bodies close surely if they close faster than rounding explains, or start to and do not part faster than that. Method: speeds
    /// and accelerations far above and below the rounding.
    #[test]
    fn bodies_close_surely_above_the_rounding_of_their_speeds() {
        let cases = [
            ([0.1, 0.0], true),
            ([0.1, -1.0], true),
            ([0.0, 1.0], true),
            ([1e-9, 1.0], true),
            ([-1e-9, 1.0], true),
            ([1e-9, 1e-9], false),
            ([0.0, -1.0], false),
            ([-0.1, 1.0], false),
        ];
        for (closing, expected) in cases {
            assert_eq!(closes_surely(closing, [1.0, 1.0]), expected, "{closing:?}");
        }
    }

    /// Goal: the sums of speeds and accelerations are those of the bodies at the time. Method: bodies that move along an axis.
    #[test]
    fn speeds_are_those_at_the_time() {
        let body = |delta: f32, accel: f32| {
            let motion = Motion::new(Pose::IDENTITY, [delta, 0.0, 0.0]).expect("a motion");
            motion.accelerating([accel, 0.0, 0.0]).expect("an acceleration")
        };
        assert_eq!(speeds([&body(1.0, 4.0), &body(0.5, 3.0)], 0.5), (5.0, 7.0));
    }

    /// Returns a vector whose coordinates across `z` are rotated by the angle whose cosine is 0.8.
    fn rotated([x, y]: [f32; 2], z: f32) -> [f32; 3] {
        [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y, z]
    }

    /// A point at an edge of a prism, and how it moves.
    struct AtEdge {
        scale: f32,
        /// Length of the face along which the point parts; the next face is tilted against it.
        face: f32,
        tolerance: f32,
        speed: f32,
        pull: f32,
        /// Product of the angular speed of the prism and its reach.
        spin_speed: f32,
        /// How fast it closes on the second face and parts from the first one.
        toward: [f32; 2],
    }

    impl AtEdge {
        const PARTING: [f32; 2] = [0.1, -1.0];

        /// Returns whether the search finds an impact at the start, and whether it finds that they are separated.
        fn search(&self) -> [bool; 2] {
            let Self { scale, face, tolerance, speed, pull, spin_speed, toward } = *self;
            let side = [[0.0, 0.0], [-1.0, 0.0], [-1.0, -1.0], [0.0, -face]];
            let corners: Vec<_> = [-0.25, 0.25]
                .into_iter()
                .flat_map(|z| side.map(|at| rotated(at.map(|x| x * scale), z * scale)))
                .collect();
            let hull = Hull::new(corners).expect("a prism");
            let (prism, point) = (Shape::hull(&hull), Shape::point());
            // At a distance from the edge, in the middle between both faces.
            let away = 0.9 * tolerance * prism.size() as f32 * core::f32::consts::FRAC_1_SQRT_2;
            let spin = spin_speed / prism.reach() as f32;
            let still = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, -spin]).expect("a spin");
            let pose = Pose::at(rotated([away; 2], 0.0)).expect("a pose");
            let along = |length: f32| rotated(toward.map(|x| x * length), 0.0);
            let moving = Motion::new(pose, along(speed))
                .and_then(|motion| motion.accelerating(along(pull)))
                .expect("a motion");
            let settings = Settings { tolerance, touch: Touch::IfClosing, ..Settings::default() };
            let found = one_to_one(&prism, &still, &point, &moving, &settings).expect("valid");
            let starts = matches!(found.result, ToiResult::Impact { t: 0.0, .. });
            [starts, found.result == ToiResult::Separated]
        }
    }

    /// Goal: a point at an edge that closes on one face and parts from the other one has no impact, also if that face is short, if the
    /// bodies are small, if they start from rest, or if the prism spins; if it closes on both, it has one at the start.
    /// Method: prisms that are rotated against their own axes, so that no axis is the normal of a face; the distance from the edge is so great
    /// that only planes close to the first face separate and do not close.
    #[test]
    fn point_that_parts_from_one_face_of_an_edge_has_no_impact() {
        let plain = AtEdge {
            scale: 1.0,
            face: 0.01,
            tolerance: Settings::TOLERANCE,
            speed: 1.0,
            pull: 0.0,
            spin_speed: 0.0,
            toward: AtEdge::PARTING,
        };
        let cases = [
            AtEdge { ..plain },
            AtEdge { scale: 0.1, face: 0.2, tolerance: 0.05, ..plain },
            AtEdge { speed: 0.0, pull: 4.0, ..plain },
            AtEdge { face: 1.0, speed: 32.0, spin_speed: 8.0, ..plain },
            AtEdge { face: 1.0, speed: 0.5, spin_speed: 0.125, ..plain },
        ];
        for (k, case) in cases.into_iter().enumerate() {
            assert_eq!(case.search(), [false, true], "{k}");
            let closing = AtEdge { toward: [-1.0, -1.0], ..case };
            assert_eq!(closing.search(), [true, false], "{k}");
        }
    }

    /// Goal: whether bodies overlap or touch is decided by their distance, not by a lower bound of it. Method: a cylinder and a rounded cone at
    /// any rotation, moved along their normal until they overlap by a little less than the tolerance, or by more than the accuracy of the
    /// distance explains.
    #[test]
    fn overlap_is_decided_by_the_distance() {
        let mut draw = numbers_f32(44);
        let a = Shape::cylinder(0.75, 0.5).expect("a cylinder");
        let b = Shape::cone(0.5, 0.75).and_then(|cone| cone.rounded(0.5)).expect("a cone");
        let share = 0.05;
        let tolerance = share * lesser(a.size(), b.size()) as f32;
        let settings = Settings { tolerance: share, touch: Touch::Hit, ..Settings::default() };
        for case in 0..400 {
            let mut vector = |most: f32| [draw() * most, draw() * most, draw() * most];
            let mut pose = || {
                let ([x, y, z], at) = (vector(1.0), vector(1.0));
                let away = V3::of(at).unit().unwrap_or(V3::X) * 6.0;
                Pose::normalized(away.to_f32(), [x, y, z, 0.5]).expect("a pose")
            };
            let (of_a, mut of_b) = (Pose { position: [0.0; 3], ..pose() }, pose());
            for (deep, touches) in [(63.0 / 64.0, true), (9.0 / 8.0, false)] {
                let far = gjk::distance(&a, &of_a, &b, &of_b).expect("valid");
                let nearer = V3::of(far.normal) * f64::from(far.distance + deep * tolerance);
                of_b.position = (V3::of(of_b.position) - nearer).to_f32();
                let now = gjk::distance(&a, &of_a, &b, &of_b).expect("valid").distance;
                assert!((now / tolerance + deep).abs() < 1.0 / 128.0, "{case}: {now}");
                let [of_a, of_b] = [of_a, of_b].map(Motion::from);
                let found = one_to_one(&a, &of_a, &b, &of_b, &settings).expect("valid").result;
                let is = matches!(found, ToiResult::Impact { t: 0.0, .. });
                assert_eq!(is, touches, "{case} {deep} {found:?}");
                let overlaps = matches!(found, ToiResult::Overlapping { .. });
                assert_eq!(overlaps, !touches, "{case} {deep} {found:?}");
            }
        }
    }
}
