//! First time at which a convex shape touches one part of a body: a triangle, or a convex shape with a pose.
//!
//! The body, such as a mesh, moves as a whole, and one [`PartSearch`] serves for all of its parts. If the body does
//! not rotate, the search computes in the axes of the body, about a point of the part: there the part is at rest, and
//! near the numbers that it is computed from. Otherwise the part is a shape about the origin of the body.
//!
//! ```text
//! for a part in a window:
//!     the plane of a triangle proves a first safe time, and may be the contact        (triangle_plane.rs)
//!     a plane may prove that the part is not earlier than the best impact so far
//!     search from the safe time on, the earliest first                                (search.rs)
//! ```
//!
//! Lower bounds of the times of many triangles are in `triangle_bounds.rs`. The box around the path of the shape, in the axes of the body, is in `path_box.rs`.

use super::pause::{InFront, Pause, Progress};
use super::relative_motion::{Frame, MovingShape, RelativeMotion, RelativePath};
use super::result::{Toi, ToiResult};
use super::revolved::WHOLE;
use super::search::Search;
use super::settings::{Settings, Touch};
use super::triangle::{self, PartAccuracy, Triangle, part_shape, triangle_shape};
use crate::geom::{MapEach, Motion, Pose};
use crate::narrowphase::gjk::ROUNDING;
use crate::narrowphase::math::{M3, V3, greater, lesser, round_down};
use crate::narrowphase::rotation::Rotation;
use crate::narrowphase::shape::{Shape, smaller_size};
use crate::narrowphase::support::{Core, PlacedCore};

/// Greatest bound of the distance of a part from the origin that is used, as a multiple of the bounding radius of the body. It is 3·√3 for a triangle, because lengths
/// are bounded by sums of coordinates.
const REACH_MAX: f64 = 6.0;

/// A part of a body, in the axes of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'p> {
    /// The corners of a triangle.
    Triangle([[f32; 3]; 3]),
    /// A convex shape and its pose.
    Convex(Shape<'p>, Pose),
}

/// Size of a body with parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartsExtent {
    /// Upper bound of the distance of a point of the body from its origin.
    pub(crate) bounding_radius: f64,
    /// Half the diagonal of the body's box.
    pub(crate) size: f64,
    /// Whether only the front of a triangle counts.
    pub(crate) one_sided: bool,
}

/// A convex shape that moves near a body with parts.
pub(crate) struct PartSearch<'s> {
    pub(super) positions: [&'s Motion; 2],
    /// The settings at the start of the window, and after it, where every touch is new.
    pub(super) settings: [Settings; 2],
    /// Rotation of the body at the start of the tick.
    pub(super) frame: M3,
    /// The shape, in the axes of the body if the body does not rotate, else in those of the world.
    pub(super) mover: MovingShape<'s>,
    /// From the shape to the origin of the body, in the same axes.
    pub(super) path: RelativePath,
    /// Rotation of the body.
    pub(super) rotation: Rotation,
    /// Accuracy for a part near the origin of a body that does not rotate, and for every part of one that rotates.
    pub(super) slack: f64,
    pub(super) tolerance: f64,
    /// Rounding error for each unit of the distance of a part from that origin, if the body does not rotate.
    rounding: f64,
    /// Accuracy of the search for any triangle, if all can have the same.
    of_triangles: Option<PartAccuracy>,
    /// Distance of the cores that counts as a contact, for a part without a radius.
    pub(super) contact_distance: f64,
    pub(super) one_sided: bool,
}

/// The planes at the best contact so far: their normals, and how far the shape extends along them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestPlanes {
    /// That of the contact, and that across the axis of the shape nearest to it: where the face of a box is near a triangle, the second
    /// is exact.
    pub(super) planes: [(V3, f64); 2],
    /// How deep the shape may be in another part without an earlier or deeper contact: not at all before an impact; at the start of the
    /// window, as deep as a touch or as the overlap.
    pub(super) deep: f64,
}

/// The start of a search for a part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    /// The number of the part, and of the lane with its corners.
    pub(crate) part: u32,
    pub(crate) lane: u32,
    /// Before this time there is no contact: a box or a plane separates the two, or the shape slides along the plane.
    pub(crate) start: f64,
    /// The unit normal from the shape to the plane, for a triangle whose plane was tested.
    pub(super) plane: Option<V3>,
    /// Whether the shape slides along the plane until the start, and may get deeper there.
    pub(super) deepens: bool,
    /// The same along a plane that is not that of the triangle.
    pub(super) deepens_in_other: bool,
    /// Whether the plane separates until the start, and no longer.
    pub(super) reaches_plane: bool,
    /// The number of intervals for which the plane may be followed before the search.
    pub(super) follows: u8,
    /// Whether the two were apart before the start.
    pub(super) later: bool,
    /// The depth of an overlap with another part at the start of the window: a lesser overlap is of no interest.
    pub(crate) known_depth: f64,
}

impl Plan {
    /// Whether its start can become later without a search.
    pub(crate) fn may_follow(&self) -> bool {
        self.follows > 0
    }
}

/// What is known about a part before its search.
pub(crate) enum Planned {
    /// There is no contact in the window.
    Separated,
    /// The first contact, which needed no search.
    Found(Toi),
    /// A search is needed.
    Search(Plan),
}

impl Part<'_> {
    /// Returns the middle of the products of a direction with all points of the part, in the axes of its body.
    pub(crate) fn middle_along(&self, direction: V3) -> f64 {
        match self {
            Self::Triangle(corners) => {
                let [a, b, c] = corners.map_each(|corner| V3::of(corner).dot(direction));
                0.5 * (greater(greater(a, b), c) + lesser(lesser(a, b), c))
            }
            Self::Convex(shape, pose) => {
                let own = M3::of_quaternion(pose.rotation).rotate_back(direction);
                direction.dot(V3::of(pose.position)) + shape.middle_along(own)
            }
        }
    }

    /// Returns the velocity that a rotation of the body gives to the point of the part that is nearest to another body and is at `from`, relative to the
    /// position of the body. Such a point does not turn with the part about an axis of revolution of it ([`MovingShape::spin`]), nor with a ball.
    pub(crate) fn nearest_point_velocity(&self, body: &M3, spin: V3, from: V3) -> V3 {
        let Self::Convex(shape, pose) = self else { return spin.cross(from) };
        let own = M3::of_quaternion(pose.rotation);
        let rotation = body.back(&M3::IDENTITY).back(&own);
        let middle = body.rotate(V3::of(pose.position));
        let own_spin = MovingShape::rotating(shape, rotation, spin).spin(&rotation);
        spin.cross(middle) + own_spin.cross(from - middle)
    }

    /// Calls `visitor` with the part as a shape about the origin of its body, whose size is that of the body.
    pub(crate) fn with_shape(&self, size: f64, visitor: &mut dyn FnMut(&Shape<'_>)) {
        match self {
            Self::Triangle(corners) => {
                visitor(&Shape { size, ..triangle_shape(corners.map_each(V3::of)) });
            }
            Self::Convex(shape, pose) => {
                let (offset, rotation) = (V3::of(pose.position), M3::of_quaternion(pose.rotation));
                let placed = PlacedCore { core: shape.core, rotation, offset };
                let reach = offset.length() + shape.bounding_radius;
                visitor(&Shape { size, ..part_shape(Core::Placed(&placed), shape.radius, reach) });
            }
        }
    }
}

impl<'s> PartSearch<'s> {
    /// Prepares searches up to the time `last`.
    pub(crate) fn new(
        shape: &'s Shape<'s>,
        motion: &'s Motion,
        (body, extent): (&'s Motion, &PartsExtent),
        settings: &Settings,
        last: f64,
    ) -> Self {
        let frame = M3::of_quaternion(body.pose.rotation);
        let rotation = Rotation::new(V3::of(body.spin));
        let mut path = RelativePath::new(motion, body).between_cores(shape.core.center(), V3::ZERO);
        let (mut start, mut spin) = (M3::of_quaternion(motion.pose.rotation), V3::of(motion.spin));
        if rotation.rate == 0.0 {
            path = path.seen_from(&frame);
            (start, spin) = (frame.back(&start), frame.rotate_back(spin));
        }
        let mover = MovingShape::rotating(shape, start, spin);
        let contact_distance = shape.radius + f64::from(settings.target_distance);
        // Of a body that does not rotate, each part has its own.
        let (rounding, radius_of_body) =
            if rotation.rate == 0.0 { (ROUNDING, 0.0) } else { (0.0, extent.bounding_radius) };
        let reach = shape.bounding_radius + shape.radius + radius_of_body;
        let arcs =
            mover.rotation.rate * shape.bounding_radius + rotation.rate * extent.bounding_radius;
        let slack =
            ROUNDING * (path.lengths(last) + reach + contact_distance) + 16.0 * f64::EPSILON * arcs;
        let tolerance = f64::from(settings.tolerance) * smaller_size(shape.size, extent.size);
        // Where the rounding errors of all parts are far below the tolerance, they need not be computed for each.
        let greatest = slack + rounding * REACH_MAX * extent.bounding_radius;
        let of_triangles =
            (16.0 * greatest <= tolerance).then_some(PartAccuracy { slack: greatest, tolerance });
        let tolerance = greater(tolerance, 16.0 * slack);
        Self {
            positions: [motion, body],
            settings: [*settings, Settings { touch: Touch::Hit, ..*settings }],
            frame,
            mover,
            path,
            rotation,
            slack,
            tolerance,
            rounding,
            of_triangles,
            contact_distance,
            one_sided: extent.one_sided,
        }
    }

    /// Returns the accuracy for a part, from a bound of the distances of its points from the origin of the body. Only parts that are far from there or
    /// large are less exact, and not all parts of a body that has one of these.
    #[inline(always)]
    pub(super) fn accuracy(&self, reach: f64) -> PartAccuracy {
        let slack = self.slack + self.rounding * reach;
        PartAccuracy { slack, tolerance: greater(self.tolerance, 16.0 * slack) }
    }

    #[inline(always)]
    pub(super) fn about_corner(&self, corners: &[[f32; 3]; 3]) -> Triangle {
        let own = || self.accuracy(triangle::reach(corners));
        Triangle::new(corners, self.of_triangles.unwrap_or_else(own))
    }

    /// Returns whether the body keeps its rotation.
    pub(crate) fn is_fixed_frame(&self) -> bool {
        self.rotation.rate == 0.0
    }

    /// Returns whether the shape or the body makes a whole turn during a part of the tick, so that searches may be long.
    pub(crate) fn makes_whole_turn(&self, [from, to]: [f64; 2]) -> bool {
        (self.mover.rotation.rate + self.rotation.rate) * (to - from) > WHOLE
    }

    /// Returns whether the body makes a whole turn during a part of the tick.
    pub(crate) fn body_makes_whole_turn(&self, [from, to]: [f64; 2]) -> bool {
        self.rotation.rate * (to - from) > WHOLE
    }

    /// Searches for the first contact with a shape around the whole body, for a body that rotates. Every touch counts.
    pub(crate) fn whole_body(&self, around: &Shape<'_>, window: [f64; 2]) -> Toi {
        self.rotating(around, window, &Plan { later: true, ..Plan::default() }, None)
    }

    /// Prepares the search for a part. The two are known to be apart by more than the tolerance from the start of the
    /// settings' window to that of this one, if it is later.
    /// `number` and `lane` are only stored. `best` are the planes of the earliest contact so far, and `slides` sliding directions
    /// on other triangles, from the shape.
    pub(crate) fn plan(
        &self,
        (number, lane): (u32, u32),
        part: &Part<'_>,
        [from, to]: [f64; 2],
        (best, slides): (Option<&BestPlanes>, &[V3]),
    ) -> Planned {
        let later = from > f64::from(self.settings[0].window[0]);
        let plan = Plan { part: number, lane, start: from, later, ..Plan::default() };
        let Part::Triangle(corners) = part else { return Planned::Search(plan) };
        let triangle = self.about_corner(corners);
        // For a shape that rotates this takes longer than what it may save.
        let best = best.filter(|_| self.mover.rotation.rate == 0.0);
        if best.is_some_and(|best| self.is_not_earlier(&plan, &triangle, best, to)) {
            return Planned::Separated;
        }
        if !self.is_fixed_frame() {
            return Planned::Search(plan);
        }
        let plan =
            if slides.is_empty() { plan } else { self.until_deeper(plan, &triangle, slides, to) };
        if plan.start > to {
            return Planned::Separated;
        }
        if self.one_sided {
            return Planned::Search(plan);
        }
        let Some(front) = triangle.normal() else { return Planned::Search(plan) };
        let Some((plan, _, farthest)) = self.until_plane(plan, &triangle, front, [to; 2]) else {
            return Planned::Separated;
        };
        match self.at_inside(&plan, &triangle, &self.mover.start, farthest) {
            Some(toi) => Planned::Found(toi),
            None => Planned::Search(plan),
        }
    }

    /// Makes the start of a plan later, for a plan that [`Plan::may_follow`] its plane.
    pub(crate) fn follow_part(
        &self,
        plan: &Plan,
        part: &Part<'_>,
        to: f64,
        best: Option<&BestPlanes>,
    ) -> Planned {
        let Part::Triangle(corners) = part else { return Planned::Search(*plan) };
        let triangle = self.about_corner(corners);
        if best.is_some_and(|best| self.is_not_earlier(plan, &triangle, best, to)) {
            return Planned::Separated;
        }
        self.follow(plan, &triangle, to)
    }

    /// Searches for the first contact with a part until a time. With `progress` the search may pause.
    pub(crate) fn find(
        &self,
        plan: &Plan,
        part: &Part<'_>,
        to: f64,
        best: Option<&BestPlanes>,
        progress: Option<&mut Progress>,
    ) -> Toi {
        match part {
            Part::Triangle(corners) => {
                self.triangle(plan, &self.about_corner(corners), (to, best), progress)
            }
            Part::Convex(shape, pose) => self.convex(plan, (shape, pose), to, progress),
        }
    }

    /// Continues a search that has paused.
    pub(crate) fn resume(&self, part: &Part<'_>, to: f64, progress: &mut Progress) -> Toi {
        let Some((start, normal)) = progress.pause.led else { return Toi::default() };
        let end = lesser(progress.end, to);
        let plan = Plan { start, later: progress.later, ..Plan::default() };
        let corners = match part {
            Part::Convex(shape, pose) => {
                return self.convex(&plan, (shape, pose), end, Some(progress));
            }
            Part::Triangle(corners) => corners,
        };
        let triangle = self.about_corner(corners);
        if !self.is_fixed_frame() {
            return self.rotating_triangle(&plan, &triangle, end, Some(progress));
        }
        let window = [start, end];
        let mut found = self.beside(&triangle, normal, window, &plan, Some(&mut *progress));
        if found.result == ToiResult::Separated
            && let Some((crossed, [start, end])) = progress.rest.take()
            && let Some(front) = triangle.normal()
            && start <= to
        {
            let pieces = [Some((crossed, [start, lesser(end, to)])), None];
            let pieces = (pieces, to);
            let next = self.in_front_of(&plan, (&triangle, front), pieces, None, Some(progress));
            found.result = next.result;
            found.rounds += next.rounds;
            found.supports += next.supports;
        }
        found
    }

    fn convex(
        &self,
        plan: &Plan,
        (part, pose): (&Shape<'_>, &Pose),
        to: f64,
        progress: Option<&mut Progress>,
    ) -> Toi {
        let window = [plan.start, to];
        let (offset, rotation) = (V3::of(pose.position), M3::of_quaternion(pose.rotation));
        if self.is_fixed_frame() {
            let guess = self.path.shifted(offset).guess(self.mover.shape.size + part.size, window);
            let reach = offset.manhattan_length() + part.bounding_radius + part.radius;
            let place = (offset, self.accuracy(reach));
            let part = MovingShape::at_rest(part, rotation);
            return self.search((part, place), guess, window, plan, progress);
        }
        let placed = PlacedCore { core: part.core, rotation, offset };
        let reach = offset.length() + part.bounding_radius;
        let part = part_shape(Core::Placed(&placed), part.radius, reach);
        self.rotating(&part, window, plan, progress)
    }

    /// Searches for a contact with a part of a body that rotates.
    fn rotating(
        &self,
        part: &Shape<'_>,
        window: [f64; 2],
        plan: &Plan,
        progress: Option<&mut Progress>,
    ) -> Toi {
        let [_, motion] = self.positions;
        let part = MovingShape::new(part, motion);
        let guess = self.path.guess(self.mover.shape.size, window);
        let place = (V3::ZERO, self.accuracy(0.0));
        self.search((part, place), guess, window, plan, progress)
    }

    /// Searches for a contact with a triangle of a body that rotates.
    fn rotating_triangle(
        &self,
        plan: &Plan,
        triangle: &Triangle,
        to: f64,
        progress: Option<&mut Progress>,
    ) -> Toi {
        let corners = [
            triangle.first,
            triangle.first + triangle.sides[0],
            triangle.first + triangle.sides[1],
        ];
        self.rotating(&triangle_shape(corners), [plan.start, to], plan, progress)
    }

    /// Runs the search, with the settings of the start or the later ones.
    fn search(
        &self,
        (part, place): (MovingShape<'_>, (V3, PartAccuracy)),
        guess: V3,
        window: [f64; 2],
        plan: &Plan,
        progress: Option<&mut Progress>,
    ) -> Toi {
        let [from, to] = window;
        if from > to {
            if let Some(progress) = progress {
                progress.pause.led = None;
            }
            return Toi::default();
        }
        let mut search = self.search_of(part, place, guess, window, plan.later);
        search.known_depth = plan.known_depth;
        let Some(progress) = progress else {
            let result = search.run(None, &mut None);
            return Toi { result, rounds: search.rounds, supports: search.supports };
        };
        let before;
        (before, search.pause) = progress.next();
        (search.rounds, progress.later) = (before, plan.later);
        let led = search.pause.led.take();
        let result = search.run(led, &mut None);
        (progress.rounds, progress.pause) = (search.rounds, search.pause);
        Toi { result, rounds: search.rounds - before, supports: search.supports }
    }

    /// Returns the search that [`PartSearch::search`] runs.
    pub(super) fn search_of<'p>(
        &'p self,
        part: MovingShape<'p>,
        (offset, accuracy): (V3, PartAccuracy),
        guess: V3,
        window: [f64; 2],
        later: bool,
    ) -> Search<'p> {
        // Where every touch counts, a greater slack allows for the planes of later parts.
        let PartAccuracy { slack, tolerance } = accuracy;
        let slack = if later { tolerance * (1.0 / 16.0) } else { slack };
        let path = self.path.shifted(offset);
        let contact_distance = self.contact_distance + part.shape.radius;
        let frame = self.is_fixed_frame().then_some(Frame { rotation: &self.frame, offset });
        Search {
            motion: RelativeMotion { a: self.mover, b: part, path, slack },
            positions: self.positions,
            frame,
            settings: &self.settings[usize::from(later)],
            window,
            contact_distance,
            tolerance,
            guess,
            rounds: 0,
            supports: 0,
            pause: Pause::NEVER,
            known_depth: 0.0,
        }
    }

    fn triangle(
        &self,
        plan: &Plan,
        triangle: &Triangle,
        (to, best): (f64, Option<&BestPlanes>),
        progress: Option<&mut Progress>,
    ) -> Toi {
        if plan.plane.is_some() {
            return self.on_plane(plan, triangle, (to, best), progress);
        }
        let window = [plan.start, to];
        if !self.is_fixed_frame() {
            return self.rotating_triangle(plan, triangle, to, progress);
        }
        let path = self.path.shifted(triangle.first);
        let Some(front) = triangle.normal() else {
            let guess = path.guess(self.mover.shape.size, window);
            return self.after_slide(plan, triangle, (guess, to), progress);
        };
        let was_apart = plan.later && !plan.deepens_in_other;
        let pieces = self.in_front(triangle, &path, front, (window, was_apart));
        self.in_front_of(plan, (triangle, front), (pieces, to), best, progress)
    }

    /// Searches for a contact with the front of a triangle, in the parts of the window in which the shape is there. The window ends at `to`.
    fn in_front_of(
        &self,
        plan: &Plan,
        (triangle, front): (&Triangle, V3),
        (pieces, to): ([Option<InFront>; 2], f64),
        best: Option<&BestPlanes>,
        mut progress: Option<&mut Progress>,
    ) -> Toi {
        let path = self.path.shifted(triangle.first);
        let mut found = Toi::default();
        for (index, piece) in pieces.into_iter().enumerate() {
            let Some((crossed, [start, end])) = piece else { break };
            let mut plan = *plan;
            if crossed {
                (plan.start, plan.later) =
                    (self.in_front_from(triangle, &path, front, start), true);
            } else {
                plan.start = start;
            }
            let next = self.until_plane(plan, triangle, front, [end, to]);
            let Some((plan, end, farthest)) = next else { continue };
            if let Some(progress) = &mut progress {
                (progress.end, progress.rest) = (end, if index == 0 { pieces[1] } else { None });
            }
            let inside = self.at_inside(&plan, triangle, &self.mover.start, farthest);
            let own = progress.as_deref_mut();
            let toi = inside.unwrap_or_else(|| self.on_plane(&plan, triangle, (end, best), own));
            found.rounds += toi.rounds;
            found.supports += toi.supports;
            if toi.result != ToiResult::Separated {
                found.result = toi.result;
                break;
            }
        }
        found
    }

    /// Searches for a contact with a triangle whose plane was tested.
    fn on_plane(
        &self,
        plan: &Plan,
        triangle: &Triangle,
        (to, best): (f64, Option<&BestPlanes>),
        progress: Option<&mut Progress>,
    ) -> Toi {
        if best.is_some_and(|best| self.is_not_earlier(plan, triangle, best, to)) {
            return Toi::default();
        }
        let guess = plan.plane.unwrap_or(V3::X);
        self.after_slide(plan, triangle, (guess, to), progress)
    }

    /// Searches for a contact with a triangle. If the shape got deeper by the tolerance along a plane, that is an impact.
    fn after_slide(
        &self,
        plan: &Plan,
        triangle: &Triangle,
        (guess, to): (V3, f64),
        progress: Option<&mut Progress>,
    ) -> Toi {
        let window = [plan.start, to];
        let mut toi = self.beside(triangle, guess, window, plan, progress);
        if plan.deepens || plan.deepens_in_other {
            // An overlap if no touch counts.
            let first = round_down(plan.start);
            match (toi.result, self.settings[0].touch) {
                (ToiResult::Impact { t, .. }, Touch::Ignore) if t == first && plan.deepens => {
                    let shape = triangle.shape();
                    let part = MovingShape::at_rest(&shape, M3::IDENTITY);
                    let place = (triangle.first, triangle.accuracy);
                    let search = self.search_of(part, place, guess, window, plan.later);
                    toi.result = search.overlap_at_start();
                }
                (ToiResult::Overlapping { normal, on_a, on_b, closing, .. }, touch)
                    if touch != Touch::Ignore || !plan.deepens =>
                {
                    toi.result = ToiResult::Impact { t: first, normal, on_a, on_b, closing };
                }
                _ => {}
            }
        }
        toi
    }

    /// Runs the search for a triangle.
    fn beside(
        &self,
        triangle: &Triangle,
        guess: V3,
        window: [f64; 2],
        plan: &Plan,
        progress: Option<&mut Progress>,
    ) -> Toi {
        let shape = triangle.shape();
        let part = MovingShape::at_rest(&shape, M3::IDENTITY);
        let place = (triangle.first, triangle.accuracy);
        self.search((part, place), guess, window, plan, progress)
    }
}
