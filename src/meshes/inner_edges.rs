//! Normals of contacts on inner edges of meshes and height fields.
//!
//! A body that moves over a flat floor of triangles may come into contact with a triangle at an edge that it has in
//! common with another one. The direction between the nearest points is then not a normal of the floor: it may even be
//! along the floor ("ghost collision"). A direction `u` away from the surface is a normal of it at a point if
//! the triangles around that point are behind the plane across `u`. If one is not, the contact is on an inner edge or
//! vertex, and the normal of the triangle's own face is used.
//!
//! The triangles around the point are found in the hierarchy, so edges need not be stored, and triangles that have
//! equal corners count as neighbours also if they do not have the same vertices.

use super::geometry::Geometry;
use super::result::PartToi;
use crate::geom::{Aabb, MapEach, Motion};
use crate::narrowphase::math::{M3, V3, greater};
use crate::narrowphase::toi::ToiResult;
use crate::narrowphase::toi::part_search::Part;

/// The least sine of the angle by which a triangle rises above the plane across a normal.
const RISE: f64 = 1.0 / 1024.0;

/// Distance within which triangles are around a contact, relative to the coordinates that its point was rounded at.
const NEAR: f64 = 4.0 * f32::EPSILON as f64;

/// Replaces the normal and the closing speed of an impact of `a` with a triangle of `b` on an inner edge.
pub(super) fn correct(
    (_, a_motion): (&Geometry<'_>, &Motion),
    (b, b_motion): (&Geometry<'_>, &Motion),
    found: &mut PartToi,
) {
    let ToiResult::Impact { t, normal, on_a, on_b, closing } = &mut found.toi.result else {
        return;
    };
    if !matches!(b, Geometry::Mesh(_) | Geometry::HeightField(_)) {
        return;
    }
    let Part::Triangle(corners) = b.part(found.parts[1]) else { return };
    let pose = b_motion.at(*t);
    let axes = M3::of_quaternion(pose.rotation);
    let position = V3::of(pose.position);
    let point = axes.rotate_back(V3::of(*on_b) - position);
    // From the triangle to the other body.
    let out = axes.rotate_back(-V3::of(*normal));
    let [first, second, third] = corners.map_each(V3::of);
    let Some(face) = (second - first).cross(third - first).unit() else { return };
    let face = if face.dot(out) < 0.0 { -face } else { face };
    if face.dot(out) > 1.0 - RISE * RISE {
        return;
    }
    let most = |v: V3| greater(greater(v.abs().x, v.abs().y), v.abs().z);
    let near = NEAR * (most(V3::of(*on_b)) + most(position) + most(point));
    if !rises(b, found.parts[1], point, out, near) {
        return;
    }
    let world = axes.rotate(-face);
    *normal = world.to_f32();
    let velocity = |motion: &Motion, point: V3| {
        let at = V3::of(motion.at(*t).position);
        V3::of(motion.delta)
            + V3::of(motion.accel) * f64::from(*t)
            + V3::of(motion.spin).cross(point - at)
    };
    let apart = velocity(b_motion, V3::of(*on_b)) - velocity(a_motion, V3::of(*on_a));
    *closing = (-apart.dot(world) as f32).clamp(f32::MIN, f32::MAX);
}

/// Returns whether a triangle around the point rises above the plane across `out`.
fn rises(b: &Geometry<'_>, own: u32, point: V3, out: V3, near: f64) -> bool {
    let [x, y, z] = point.to_array();
    let around = Aabb::from_f64([x - near, y - near, z - near], [x + near, y + near, z + near]);
    let Ok(around) = around else { return false };
    let mut rises = false;
    b.overlap(&around, &mut |other| {
        let Part::Triangle(corners) = b.part(other) else { return };
        if other == own || rises {
            return;
        }
        let corners = corners.map_each(|corner| V3::of(corner) - point);
        if nearest(corners).length() <= near {
            rises |= corners.iter().any(|to| out.dot(*to) > RISE * to.length() + near);
        }
    });
    rises
}

/// Returns the point of a triangle nearest to the origin (Ericson 2005, §5.1.5).
fn nearest([a, b, c]: [V3; 3]) -> V3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}
