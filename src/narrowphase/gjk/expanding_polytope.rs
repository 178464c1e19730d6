//! Penetration depth by an expanding polytope (van den Bergen 2001, *Proximity Queries and Penetration Depth Computation on 3D Game Objects*).
//!
//! The polytope is the convex hull of some points of `C = A − B`, so `x` is at least as deep in `C` as in the polytope. Along the normal of any face
//! a support of `C` gives an upper bound of the depth. Both bounds approach each other:
//!
//! ```text
//! start    a tetrahedron of supports that is not flat; if all of them are, C is flat, and the depth is that across it
//! repeat   take the face that is nearest to x, and the support of C along its normal
//!          keep the plane of that support if it is the least deep yet
//!          end if the least depth is that of the face, but for a small share
//!          replace all faces that the support can see by faces from it to their border
//! ```
//!
//! If `x` is outside of the polytope, the distance to a face is negative; then the support either moves the face past `x`, or its plane
//! separates the cores.
//!
//! Guarantee: the result is never too small, because its plane is that of a support. Rounding, and the limit of expansions, may only make it too great.

use super::local_depth::{along, gap_along, shallower};
use super::nearest::{Gap, RotatedPair};
use crate::narrowphase::math::V3;

/// Greatest number of supports by which the polytope is expanded.
const EXPANSIONS_MAX: usize = 124;

/// Greatest number of vertices.
const VERTICES_MAX: usize = 4 + EXPANSIONS_MAX;
/// Greatest number of faces. A closed surface of triangles with `v` vertices has `2v − 4` of them.
const FACES_MAX: usize = 2 * VERTICES_MAX - 4;

/// Share of the depth by which it may be too great.
const SHARE: f64 = 1.0 / 1024.0;

/// A face: three vertices, in the order of a right-handed turn about the normal that points outwards.
#[derive(Clone, Copy)]
struct PolytopeFace {
    corners: [u8; 3],
    normal: V3,
    /// Signed distance of its plane from `x`, which is positive if `x` is inside.
    distance: f64,
}

/// A convex polytope. Its vertices are relative to `x`.
struct Polytope {
    vertices: [V3; VERTICES_MAX],
    vertex_count: usize,
    faces: [PolytopeFace; FACES_MAX],
    face_count: usize,
    /// Bound of the rounding error of a distance.
    tiny: f64,
}

/// Returns the plane along which `x` is least deep, if that is less than the depth of `best`, and `best` otherwise. It ends early at a plane whose gap is above
/// `least`.
#[inline(never)]
pub(super) fn expanded(pair: &RotatedPair<'_>, x: V3, mut best: Gap, least: f64) -> Gap {
    let tiny = pair.rounding(x.length());
    let corners = match corners(pair, x, tiny) {
        Ok(corners) => corners,
        Err(across) => {
            let sides = [across, -across].map(|side| along(pair, x, side));
            return sides.into_iter().fold(best, shallower);
        }
    };
    let mut polytope = Polytope::EMPTY;
    if !polytope.begin(corners, tiny) {
        return best;
    }
    for _ in 0..EXPANSIONS_MAX {
        let face = polytope.nearest_face();
        // A comparison with NaN is false.
        let may_be_less = face.distance < -best.lower * (1.0 - SHARE) - tiny;
        if best.lower > least || !may_be_less {
            break;
        }
        let vertex = pair.support(face.normal);
        if vertex.is_invalid() {
            break;
        }
        best = shallower(best, gap_along(x, face.normal, &vertex));
        if !polytope.expand(vertex.at - x) {
            break;
        }
    }
    best
}

/// Returns the corners of a tetrahedron of points of `C`, relative to `x`, or a direction across which `C` is flat.
fn corners(pair: &RotatedPair<'_>, x: V3, tiny: f64) -> Result<[V3; 4], V3> {
    // The farthest of some supports, by how far a point is away from others. A comparison with NaN is false.
    let farthest = |directions: &[V3], away: &dyn Fn(V3) -> f64| {
        let mut best = (V3::ZERO, f64::NEG_INFINITY);
        for &direction in directions {
            let at = pair.support(direction).at - x;
            let far = away(at);
            best = if far > best.1 { (at, far) } else { best };
        }
        best
    };
    let axes = [V3::X, V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
    let first = pair.support(V3::X).at - x;
    let [_, y, z] = axes;
    let (second, length) = farthest(&[-V3::X, y, -y, z, -z], &|at| (at - first).length());
    if length <= tiny {
        return Err(V3::X);
    }
    let along = (second - first) * (1.0 / length);
    let across = axes.into_iter().min_by(|a, b| a.dot(along).abs().total_cmp(&b.dot(along).abs()));
    let u = along.cross(across.unwrap_or(V3::X)).unit().ok_or(V3::X)?;
    let v = along.cross(u);
    let (third, off) = farthest(&[u, -u, v, -v], &|at| along.cross(at - first).length());
    if off <= tiny {
        return Err(u);
    }
    let across = along.cross(third - first).unit().ok_or(u)?;
    let (fourth, off) = farthest(&[across, -across], &|at| across.dot(at - first).abs());
    if off > tiny { Ok([first, second, third, fourth]) } else { Err(across) }
}

impl Polytope {
    const EMPTY: Self = Self {
        vertices: [V3::ZERO; VERTICES_MAX],
        vertex_count: 0,
        faces: [PolytopeFace { corners: [0; 3], normal: V3::ZERO, distance: 0.0 }; FACES_MAX],
        face_count: 0,
        tiny: 0.0,
    };

    /// Makes a tetrahedron. Returns whether all of its faces have a normal.
    fn begin(&mut self, corners: [V3; 4], tiny: f64) -> bool {
        (self.vertex_count, self.face_count, self.tiny) = (4, 0, tiny);
        self.vertices[..4].copy_from_slice(&corners);
        let [a, b, c, d] = corners;
        // The fourth corner is behind the first three, seen from outside, or these are listed the other way round.
        let is_behind = (b - a).cross(c - a).dot(d - a) < 0.0;
        let faces = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        faces
            .into_iter()
            .all(|[i, j, k]| self.add_face(if is_behind { [i, j, k] } else { [i, k, j] }))
    }

    /// Adds a face. Returns whether it has a normal.
    fn add_face(&mut self, corners: [u8; 3]) -> bool {
        let [a, b, c] = corners.map(|corner| self.vertices[usize::from(corner)]);
        let Some(normal) = (b - a).cross(c - a).unit() else { return false };
        // The normal of a needle has an error along its longest side, by which the far corner would be off the plane.
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let longer = if bc.square() > ab.square() { bc } else { ab };
        let longest = if ca.square() > longer.square() { ca } else { longer };
        let along = longest * (normal.dot(longest) / longest.square());
        let Some(normal) = (normal - along).unit() else { return false };
        self.faces[self.face_count] = PolytopeFace { corners, normal, distance: normal.dot(a) };
        self.face_count += 1;
        true
    }

    fn nearest_face(&self) -> PolytopeFace {
        let mut nearest = self.faces[0];
        for face in &self.faces[1..self.face_count] {
            nearest = if face.distance < nearest.distance { *face } else { nearest };
        }
        nearest
    }

    /// Adds a vertex outside of the polytope. Returns whether the polytope is still closed.
    ///
    /// A face whose plane contains the new vertex is replaced too. So no new face has its corners on one line.
    fn expand(&mut self, vertex: V3) -> bool {
        let mut border = [[0; 2]; FACES_MAX];
        let (mut length, mut at) = (0, 0);
        while at < self.face_count {
            let PolytopeFace { corners: [a, b, c], normal, distance } = self.faces[at];
            if normal.dot(vertex) < distance - self.tiny {
                at += 1;
                continue;
            }
            self.face_count -= 1;
            self.faces[at] = self.faces[self.face_count];
            for [from, to] in [[a, b], [b, c], [c, a]] {
                // An edge between two faces that are replaced is not on the border.
                match border[..length].iter().position(|&edge| edge == [to, from]) {
                    Some(inner) => {
                        length -= 1;
                        border[inner] = border[length];
                    }
                    None if length < FACES_MAX => {
                        border[length] = [from, to];
                        length += 1;
                    }
                    None => return false,
                }
            }
        }
        let is_full = self.vertex_count == VERTICES_MAX || self.face_count + length > FACES_MAX;
        if is_full || length == 0 {
            return false;
        }
        let new = self.vertex_count as u8;
        self.vertices[self.vertex_count] = vertex;
        self.vertex_count += 1;
        border[..length].iter().all(|&[from, to]| self.add_face([from, to, new]))
    }
}
