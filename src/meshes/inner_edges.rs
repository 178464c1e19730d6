//! Normals of contacts on inner edges of meshes and height fields.
//!
//! A body that moves over a flat floor of triangles may come into contact with a triangle at an edge that it has in
//! common with another one. The direction between the nearest points is then not a normal of the floor: it may even be
//! along the floor ("ghost collision"). A direction `u` away from the surface is a normal of it at a point if
//! the triangles around that point are behind the plane across `u`. If one is not, the contact is on an inner edge or
//! vertex, and the normal of the triangle's own face is used; of the first contact, that of the nearest face that rises, if the body closes on
//! this one and not on the triangle's own. If it closes on neither, it slides along one of them, and the contact is no impact. Nor is it one if the
//! body closes on a triangle that falls away from a face along which it slides: then the edge is convex, and `u` is not between its faces.
//!
//! The triangles around the point are found in the hierarchy, so edges need not be stored, and triangles that have
//! equal corners count as neighbours also if they do not have the same vertices.
//!
//! Of all contacts of a body, thousands may be at one vertex of as many triangles. So what was found around a point is stored if it was
//! much, and serves for the points and directions beside it ([`Surroundings`]):
//!
//! ```text
//! a triangle rose:   if it rises here too, the answer is known
//! none rose:         for a corner c and all points p and directions u within d and e of the old ones P and U,
//!                    u·(c − p) ≤ U·(c − P) + e·|c − P| + d·(1 + e)        |c − p| ≥ |c − P| − d
//!                    so none rises if these bounds of the steepest corner, far away or at the point, do not allow it,
//!                    or those of the corner that is the nearest to rising
//! ```

use super::geometry::Geometry;
use super::result::PartToi;
use crate::geom::{Aabb, MapEach, Motion, Pose};
use crate::narrowphase::math::{M3, V3, greater};
use crate::narrowphase::toi::part_search::Part;
use crate::narrowphase::toi::{ToiResult, closes_surely};
use crate::narrowphase::{nearest_of_segment, nearest_of_triangle};

/// The least sine of the angle by which a triangle rises above the plane across a normal.
const RISE: f64 = 1.0 / 1024.0;

/// Altitude up to which a triangle has no face, relative to the greatest coordinate of its corners: rounding of these decides its normal.
const THIN: f64 = 16.0 * f32::EPSILON as f64;

/// Distance within which triangles are around a contact, relative to the coordinates that its point was rounded at.
const NEAR: f64 = 4.0 * f32::EPSILON as f64;

/// Replaces the normal and the closing speed of an impact of `a` with a triangle of `b` on an inner edge by those of the triangle's face.
pub(super) fn correct(
    a: (&Geometry<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    found: &mut PartToi,
    surroundings: &mut Surroundings,
) {
    let Some(contact) = TriangleContact::new(a, b, found) else { return };
    if contact.is_on_own() || !surroundings.rises(b.0, contact.own, &contact.point) {
        return;
    }
    let face = match contact.face {
        None if surroundings.may_visit() => contact.neighbours(b.0).1,
        own => own,
    };
    if let Some(face) = face {
        contact.replace_normal(face.normal, found);
    }
}

/// The sliding directions at a contact that is passed: unit normals toward the body, in the axes of the mesh.
pub(super) type SlideNormals = [Option<V3>; 3];

/// Does what [`correct`] does for the first contact, also with the nearest face that rises, if the two do not close on the triangle's own one.
/// If they close on neither, it does so only where the mesh rotates.
///
/// Returns the sliding directions there, if there are any. If no triangle gets deeper along these, the contact is no impact.
pub(super) fn correct_or_pass(
    a: (&Geometry<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    found: &mut PartToi,
) -> Option<SlideNormals> {
    let contact = TriangleContact::new(a, b, found)?;
    let SurfacePoint { out, .. } = contact.point;
    let (is_on_own, closes) = (contact.is_on_own(), contact.closes_on(out));
    let closes_on = |face: &TriangleFace| contact.closes_on(face.normal);
    // Inside of its triangle, there is no other one around the contact.
    let is_inside = |face: &TriangleFace| !contact.point.is_at_edge(face.corners);
    if is_on_own && closes && contact.face.is_some_and(|face| closes_on(&face) && is_inside(&face))
    {
        return None;
    }
    let (rises, nearest) = contact.neighbours(b.0);
    let own = contact.face.filter(|_| rises || is_on_own);
    let faces = [own, nearest];
    let closing = faces.into_iter().flatten().find(closes_on);
    // At a convex edge the triangle on which the body closes is behind the face of another one: the body may slide over the edge on that.
    let may_slide = |face: &TriangleFace| {
        let point = SurfacePoint { out: face.normal, ..contact.point };
        !closes_on(face) && !closing.is_some_and(|closing| point.rises(closing.corners))
    };
    let slides = faces.map_each(|face| face.filter(may_slide).map(|face| face.normal));
    if rises && !is_on_own {
        // Where the nearest points do not close, the face is a normal of the surface only if the body slides on no other one.
        let mut best = closing.filter(|_| closes || slides == [None; 2]);
        // Where the mesh rotates, the contact is not passed, and its direction is not a normal of the surface.
        if V3::of(b.1.spin) != V3::ZERO {
            best = best.or(own).or(nearest);
        }
        if let Some(face) = best {
            contact.replace_normal(face.normal, found);
        }
    }
    let [own, nearest] = slides;
    let normals = [own, nearest, (!closes).then_some(out)];
    (normals != [None; 3]).then_some(normals)
}

/// A triangle and its unit normal on the side of the body, in the axes of the mesh.
#[derive(Clone, Copy)]
struct TriangleFace {
    normal: V3,
    corners: [[f32; 3]; 3],
}

/// The part of a body that has a contact.
struct TouchingPart<'p> {
    part: Part<'p>,
    /// The rotation of its body, in the axes of the mesh.
    rotation: M3,
    /// From the contact to the position of its body, in the axes of the mesh.
    position: V3,
    /// Whether the side of a triangle is its front.
    one_sided: bool,
}

impl TouchingPart<'_> {
    /// Returns the face of a triangle, unless the triangle is so thin that its normal is a rounding error. It is on the side on which the gap
    /// between the plane of the triangle and the part is greater, or on the front.
    fn face(&self, corners: [[f32; 3]; 3]) -> Option<TriangleFace> {
        let normal = normal_of(corners)?;
        let own = self.rotation.rotate_back(normal);
        // A comparison with NaN, of the support map of the caller, is false.
        let is_behind = self.position.dot(normal) + self.part.middle_along(own) < 0.0;
        let normal = if is_behind && !self.one_sided { -normal } else { normal };
        Some(TriangleFace { normal, corners })
    }
}

/// An impact of a body with a triangle, in the axes of the mesh.
struct TriangleContact<'p> {
    axes: M3,
    point: SurfacePoint,
    own: u32,
    part: TouchingPart<'p>,
    /// The face of the triangle.
    face: Option<TriangleFace>,
    /// The velocity and the acceleration of the point of the mesh, relative to that of the body.
    apart: V3,
    accel: V3,
    /// Sums of the speeds of both points, and of the magnitudes of both accelerations.
    speed: f64,
    accels: f64,
}

impl<'p> TriangleContact<'p> {
    fn new(
        (a, a_motion): (&'p Geometry<'_>, &Motion),
        (b, b_motion): (&'p Geometry<'_>, &Motion),
        found: &PartToi,
    ) -> Option<Self> {
        let ToiResult::Impact { t, normal, on_a, on_b, .. } = found.toi.result else {
            return None;
        };
        if !matches!(b, Geometry::Mesh(_) | Geometry::HeightField(_)) {
            return None;
        }
        let [of_a, own] = found.parts;
        let of_b = b.part(own);
        let Part::Triangle(corners) = of_b else { return None };
        let [a_pose, b_pose] = [a_motion.at(t), b_motion.at(t)];
        let [of_body, axes] = [a_pose, b_pose].map_each(|pose| M3::of_quaternion(pose.rotation));
        let position = V3::of(b_pose.position);
        let in_axes = |point: V3| axes.rotate_back(point - position);
        let at = in_axes(V3::of(on_b));
        // From the triangle to the other body.
        let out = axes.rotate_back(-V3::of(normal));
        let part = TouchingPart {
            part: a.part(of_a),
            rotation: axes.back(&of_body),
            position: in_axes(V3::of(a_pose.position)) - at,
            // The sides of a mesh that rotates are not tested.
            one_sided: b.extent_against(a).one_sided && V3::of(b_motion.spin) == V3::ZERO,
        };
        let reach = |of: V3| of.abs().greatest();
        let near = NEAR * (reach(V3::of(on_b)) + reach(position) + reach(at));
        let point = SurfacePoint { position: at, out, near };
        // A point that is nearest to the body does not turn with a ball, or about the axis of a part of revolution.
        let velocity =
            |(motion, part): (&Motion, &Part<'_>), (pose, rotation): (Pose, &M3), point| {
                let from = V3::of(point) - V3::of(pose.position);
                V3::of(motion.delta)
                    + V3::of(motion.accel) * f64::from(t)
                    + part.nearest_point_velocity(rotation, V3::of(motion.spin), from)
            };
        let of_mesh = velocity((b_motion, &of_b), (b_pose, &axes), on_b);
        let of_body = velocity((a_motion, &part.part), (a_pose, &of_body), on_a);
        Some(Self {
            axes,
            point,
            own,
            face: part.face(corners),
            part,
            apart: axes.rotate_back(of_mesh - of_body),
            accel: axes.rotate_back(V3::of(b_motion.accel) - V3::of(a_motion.accel)),
            speed: of_mesh.length() + of_body.length(),
            accels: V3::of(a_motion.accel).length() + V3::of(b_motion.accel).length(),
        })
    }

    /// Returns whether the direction of the contact is the normal of a face.
    fn is_on_face(&self, face: &TriangleFace) -> bool {
        face.normal.dot(self.point.out) > 1.0 - RISE * RISE
    }

    /// Does what [`TriangleContact::is_on_face`] does, for the triangle's own face.
    fn is_on_own(&self) -> bool {
        self.face.is_some_and(|face| self.is_on_face(&face))
    }

    /// Returns whether the two close along a direction toward the body faster than rounding explains.
    fn closes_on(&self, normal: V3) -> bool {
        let closing = [self.apart, self.accel].map_each(|change| change.dot(normal));
        closes_surely(closing, [self.speed, self.accels])
    }

    /// Writes the normal of a face, and the closing speed along it.
    fn replace_normal(&self, face: V3, found: &mut PartToi) {
        if let ToiResult::Impact { normal, closing, .. } = &mut found.toi.result {
            *normal = self.axes.rotate(-face).to_f32();
            *closing = (self.apart.dot(face) as f32).clamp(f32::MIN, f32::MAX);
        }
    }

    /// Returns whether another triangle around the contact rises, and of all that rise, or on the faces of which the contact is, the face that
    /// is nearest to the direction of the contact.
    fn neighbours(&self, b: &Geometry<'_>) -> (bool, Option<TriangleFace>) {
        let SurfacePoint { out, near, .. } = self.point;
        let (mut any_rises, mut nearest) = (false, None);
        let mut most = (f64::NEG_INFINITY, 0);
        self.point.visit(b, near, &mut |number, corners| {
            if number == self.own || !self.point.is_at(corners) {
                return;
            }
            let rises = self.point.rises(corners);
            any_rises |= rises;
            let Some(face) = self.part.face(corners) else { return };
            let cosine = face.normal.dot(out);
            // Of equal ones the least number, whatever the order of the visits is.
            let is_nearer = cosine > most.0 || cosine == most.0 && number < most.1;
            if (rises || self.is_on_face(&face)) && is_nearer {
                (nearest, most) = (Some(face), (cosine, number));
            }
        });
        (any_rises, nearest)
    }
}

/// Returns a unit normal of a triangle whose altitude is above [`THIN`].
fn normal_of(corners: [[f32; 3]; 3]) -> Option<V3> {
    let points = corners.map_each(V3::of);
    let [first, second, third] = points;
    let sides = [second - first, third - first, third - second];
    let across = sides[0].cross(sides[1]);
    let longest = sides.iter().fold(0.0, |most, side| greater(side.length(), most));
    let size = points.iter().fold(0.0, |most, &point| greater(point.abs().greatest(), most));
    if across.length() > THIN * size * longest { across.unit() } else { None }
}

/// A point of the surface, a direction away from it, and the distance within which triangles are around the point.
#[derive(Clone, Copy, Default)]
struct SurfacePoint {
    position: V3,
    out: V3,
    near: f64,
}

impl SurfacePoint {
    /// Returns the corners of a triangle relative to the point.
    fn corners(&self, triangle: [[f32; 3]; 3]) -> [V3; 3] {
        triangle.map_each(|corner| V3::of(corner) - self.position)
    }

    /// Returns whether a triangle is around the point.
    fn is_at(&self, triangle: [[f32; 3]; 3]) -> bool {
        nearest_of_triangle(self.corners(triangle)).length() <= self.near
    }

    /// Returns whether the point is at a side of a triangle.
    fn is_at_edge(&self, triangle: [[f32; 3]; 3]) -> bool {
        let [a, b, c] = self.corners(triangle);
        let is_at = |side| nearest_of_segment(side).length() <= self.near;
        is_at([a, b]) || is_at([b, c]) || is_at([c, a])
    }

    /// Returns whether a triangle is around the point and rises above the plane across the direction.
    fn rises(&self, triangle: [[f32; 3]; 3]) -> bool {
        let corners = self.corners(triangle);
        // The first condition takes less time.
        corners.iter().any(|to| self.out.dot(*to) > RISE * to.length() + self.near)
            && self.is_at(triangle)
    }

    /// Returns a triangle around the point, other than `own`, that rises, and the number of triangles whose boxes are there.
    fn find(&self, b: &Geometry<'_>, own: u32) -> (Option<u32>, usize) {
        let (mut rising, mut count) = (None, 0);
        self.visit(b, self.near, &mut |number, corners| {
            count += 1;
            if number != own && rising.is_none() && self.rises(corners) {
                rising = Some(number);
            }
        });
        (rising, count)
    }

    /// Calls `visitor` with the number and the corners of each triangle whose box is within `distance` of the point on each axis. Returns
    /// whether these are within the coordinates.
    fn visit(
        &self,
        b: &Geometry<'_>,
        distance: f64,
        visitor: &mut dyn FnMut(u32, [[f32; 3]; 3]),
    ) -> bool {
        let [low, high] = [-distance, distance].map_each(|to| self.position + V3::ONE * to);
        let around = Aabb::from_f64(low.to_array(), high.to_array());
        let Ok(around) = around else { return false };
        b.overlap(&around, &mut |number| {
            if let Part::Triangle(corners) = b.part(number) {
                visitor(number, corners);
            }
        });
        true
    }
}

/// What was found around a point.
#[derive(Clone, Copy, Default)]
struct Around {
    point: SurfacePoint,
    /// A triangle that rises.
    rising: Option<u32>,
    /// Upper bounds of `U·(c − P) / |c − P|` for the corners beyond [`FAR`], and of `U·(c − P)` for the others.
    steepest: f64,
    highest: f64,
    /// Upper bounds of `U·(c − P) − RISE·|c − P|` and of `|c − P|` for the corners beyond [`FAR`].
    excess: f64,
    longest: f64,
}

/// The number of points whose surroundings are stored.
const POINTS_MAX: usize = 8;

/// The least number of triangles around a point that is stored.
const MANY: usize = 32;

/// Half the size of the box in which triangles are around all points beside a stored one, relative to its `near`.
const WIDE: f64 = 4.0;

/// The distance of a corner that is far from a point, relative to its `near`.
const FAR: f64 = 4.0;

/// Factor that allows for rounding errors.
const LESS: f64 = 1.0 - 1.0 / 1024.0;

/// Bound of the rounding errors of the distance of a corner from a plane, relative to its distance from the point.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The surroundings of the points of earlier contacts.
#[derive(Default)]
pub(super) struct Surroundings {
    stored: [Around; POINTS_MAX],
    len: usize,
    next: usize,
    /// The number of contacts on triangles without a face whose neighbours were visited.
    visits: u32,
    /// The number of contacts around which triangles were visited, and the number of these triangles.
    contacts: usize,
    seen: usize,
}

/// The greatest number of contacts on triangles without a face that have the normal of a neighbour, so that the time does not grow with the
/// square of such triangles at one vertex.
const VISITS_MAX: u32 = 64;

/// Triangles are visited around a contact until there were this many, and [`SEEN_EACH`] more for each contact: the time does not grow with the
/// square of the contacts where the boxes of many triangles contain all of them.
const SEEN_MIN: usize = 1 << 18;

/// See [`SEEN_MIN`]. Around most contacts there are a dozen.
const SEEN_EACH: usize = 64;

impl Surroundings {
    /// Returns whether the neighbours of one more contact may be visited.
    fn may_visit(&mut self) -> bool {
        self.visits = self.visits.saturating_add(1);
        self.visits <= VISITS_MAX
    }

    /// Returns whether a triangle around a point, other than `own`, rises; false once too many triangles were visited. Stores the surroundings of
    /// the point if there are many triangles.
    fn rises(&mut self, b: &Geometry<'_>, own: u32, point: &SurfacePoint) -> bool {
        let mut stored = self.stored[..self.len].iter();
        if let Some(rises) = stored.find_map(|around| around.rises(b, own, point)) {
            return rises;
        }
        if self.seen > SEEN_MIN + SEEN_EACH * self.contacts {
            return false;
        }
        let (rising, count) = point.find(b, own);
        self.contacts += 1;
        self.seen += count;
        if count >= MANY {
            // They are visited once more.
            self.seen += count;
            self.stored[self.next] = Around::new(b, point, rising);
            self.next = (self.next + 1) % POINTS_MAX;
            self.len = usize::min(self.len + 1, POINTS_MAX);
        }
        rising.is_some()
    }
}

impl Around {
    #[cold]
    fn new(b: &Geometry<'_>, point: &SurfacePoint, rising: Option<u32>) -> Self {
        let (mut steepest, mut highest) = (-1.0, f64::NEG_INFINITY);
        let (mut excess, mut longest) = (f64::NEG_INFINITY, 0.0);
        let is_valid = point.visit(b, WIDE * point.near, &mut |_, corners| {
            for to in point.corners(corners) {
                let (height, length) = (point.out.dot(to), to.length());
                if length > FAR * point.near {
                    steepest = greater(height / length, steepest);
                    excess = greater(height - RISE * length, excess);
                    longest = greater(length, longest);
                } else {
                    highest = greater(height, highest);
                }
            }
        });
        // Then the bounds decide nothing.
        let highest = if is_valid { highest } else { f64::INFINITY };
        Self { point: *point, rising, steepest, highest, excess, longest }
    }

    /// Returns whether a triangle rises at a point, if these surroundings decide it.
    fn rises(&self, b: &Geometry<'_>, own: u32, point: &SurfacePoint) -> Option<bool> {
        let SurfacePoint { position, out, near } = self.point;
        let [moved, tilted] = [point.position - position, point.out - out].map_each(V3::length);
        let beside = moved <= 0.5 * near && point.near <= 2.0 * near;
        if !beside {
            return None;
        }
        if let Some(number) = self.rising {
            let Part::Triangle(corners) = b.part(number) else { return None };
            return (number != own && point.rises(corners)).then_some(true);
        }
        // Of a corner that is far, and of one that is not.
        let most = moved * (1.0 + RISE + tilted);
        let flat = self.steepest + tilted <= RISE * LESS && most <= point.near * LESS;
        let below = self.excess + (tilted + ROUNDING) * self.longest + most <= point.near * LESS;
        let far = flat || below;
        let close = self.highest + FAR * near * tilted + most <= point.near * LESS;
        (far && close).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::Mesh;
    use crate::narrowphase::math::random::numbers_f64;
    use alloc::vec::Vec;

    /// Goal: what is known from points beside is what the triangles show. Method: tips of cones that stand, that are sunk, and of fans
    /// of which some triangles rise; random points within some units of the last place, and random directions near each other.
    #[test]
    fn surroundings_of_points_beside_are_those_of_the_triangles() {
        const COUNT: u32 = 200;
        let mut draw = numbers_f64(5);
        let (mut known_of, mut rising, mut level) = (0, 0, 0);
        for (tip, slope, bump) in [
            ([0.0_f32; 3], -1.0_f64, 0.0_f64),
            ([3.0, 5.0, -7.0], -0.01, 0.0),
            ([3.0, 5.0, -7.0], -1.0 / 1024.0, 0.0),
            ([0.5, 0.25, 9.0], 0.5, 0.0),
            ([0.5, 0.25, 9.0], -0.01, 0.02),
        ] {
            let rim = |k: u32| {
                let angle = f64::from(k) * core::f64::consts::TAU / f64::from(COUNT);
                let height = slope + if k % 50 < 2 { bump } else { 0.0 };
                let (sin, cos) = libm::sincos(angle);
                let [x, y, z] = tip.map_each(f64::from);
                [(x + cos) as f32, (y + height) as f32, (z + sin) as f32]
            };
            let vertices: Vec<_> = [tip].into_iter().chain((0..COUNT).map(rim)).collect();
            let triangles: Vec<_> = (0..COUNT).map(|k| [0, (k + 1) % COUNT + 1, k + 1]).collect();
            let mesh = Mesh::new(vertices, triangles).expect("a fan");
            let mesh = Geometry::from(&mesh);
            let ulp = f64::from(tip.iter().fold(1e-3, |most: f32, x| most.max(x.abs())))
                * f64::from(f32::EPSILON);
            let mut surroundings = Surroundings::default();
            for case in 0..2_000 {
                let spread = [0.0, 1e-9, 1e-4, 0.01][case / 500];
                let mut around = |by: f64| V3::new(draw() * by, draw() * by, draw() * by);
                let (position, tilt) = (V3::of(tip) + around(ulp), around(spread));
                let out = (V3::new(0.0, 1.0, 0.0) + tilt).unit().expect("not zero");
                let point = SurfacePoint { position, out, near: 8.0 * ulp };
                let own = case as u32 % COUNT;
                let meant = point.find(&mesh, own).0.is_some();
                let mut stored = surroundings.stored[..surroundings.len].iter();
                known_of += usize::from(stored.any(|at| at.rises(&mesh, own, &point).is_some()));
                assert_eq!(surroundings.rises(&mesh, own, &point), meant, "{case} {slope} {bump}");
                *(if meant { &mut rising } else { &mut level }) += 1;
            }
        }
        assert!(rising > 1_000 && level > 1_000, "{rising} {level}");
        assert!(known_of > 5_000, "{known_of}");
    }

    /// Goal: surroundings in which no triangle rises, but some almost do, decide the points beside, so that each contact at a vertex of many
    /// triangles does not visit all of them. Method: fans of which half of the triangles rise by a little less than the limit, relative
    /// to their length, and fans so short that they rise by less than the distance that counts as near; the same point and those beside.
    #[test]
    fn surroundings_just_below_the_limit_decide_the_points_beside() {
        const COUNT: u32 = 200;
        let mut draw = numbers_f64(7);
        for (tip, radius, height, tilt) in [
            ([0.0_f32; 3], 1.0, 0.000_976, 1e-7),
            ([0.0; 3], 1.0, 0.000_976_56, 0.0),
            ([3.0, 5.0, -7.0], 1.0, 0.000_976, 1e-7),
            ([1000.0, 5.0, -7.0], 0.03, 0.000_5, 1e-7),
        ] {
            let rim = |k: u32| {
                let angle = f64::from(k) * core::f64::consts::TAU / f64::from(COUNT);
                let height = if k < COUNT / 2 { -radius } else { height };
                let (sin, cos) = libm::sincos(angle);
                let [x, y, z] = tip.map_each(f64::from);
                [(x + radius * cos) as f32, (y + height) as f32, (z + radius * sin) as f32]
            };
            let vertices: Vec<_> = [tip].into_iter().chain((0..COUNT).map(rim)).collect();
            let triangles: Vec<_> = (0..COUNT).map(|k| [0, (k + 1) % COUNT + 1, k + 1]).collect();
            let mesh = Mesh::new(vertices, triangles).expect("a fan");
            let mesh = Geometry::from(&mesh);
            let ulp = f64::from(tip.iter().fold(1e-3, |most: f32, x| most.max(x.abs())))
                * f64::from(f32::EPSILON);
            let out = V3::new(0.0, 1.0, 0.0);
            let point = SurfacePoint { position: V3::of(tip), out, near: 8.0 * ulp };
            let mut surroundings = Surroundings::default();
            assert!(!surroundings.rises(&mesh, 0, &point), "{tip:?} {height}");
            for own in 0..COUNT {
                let by = if own < COUNT / 2 { 0.0 } else { 0.1 };
                let mut around = |by: f64| V3::new(draw() * by, draw() * by, draw() * by);
                let (moved, tilted) = (around(by * ulp), around(by * tilt));
                let (position, out) = (point.position + moved, point.out + tilted);
                let beside = SurfacePoint { position, out, ..point };
                let decided = surroundings.stored[0].rises(&mesh, own, &beside);
                assert_eq!(decided, Some(false), "{tip:?} {height} {own}");
                assert!(beside.find(&mesh, own).0.is_none(), "{tip:?} {height} {own}");
            }
        }
    }
}
