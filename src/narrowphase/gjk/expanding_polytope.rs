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
//! Each face stores its neighbours, so an expansion only visits the faces that it replaces and those around them. Beside a disc, the point of a
//! rim is in the plane of the base. The faces there stay, and one is added. So the number of faces that are replaced does not grow with the number of
//! points on the rim.
//!
//! If `x` is outside of the polytope, the distance to a face is negative; then the support either moves the face past `x`, or its plane
//! separates the cores.
//!
//! Guarantee: the result is never too small, because its plane is that of a support. Rounding, and the limit of expansions, may only make it too great.

use super::local_depth::{along, gap_along, shallower};
use super::nearest::{Gap, RotatedPair};
use crate::geom::MapEach;
use crate::narrowphase::math::{V3, lesser};

/// Greatest number of supports by which the polytope is expanded.
const EXPANSIONS_MAX: usize = 124;

/// Greatest number of vertices.
const VERTICES_MAX: usize = 4 + EXPANSIONS_MAX;
/// Greatest number of faces. A closed surface of triangles with `v` vertices has `2v − 4` of them.
const FACES_MAX: usize = 2 * VERTICES_MAX - 4;

/// Share of the depth by which it may be too great.
pub(super) const SHARE: f64 = 1.0 / 1024.0;

/// Least width of a new face in the plane of one that stays, relative to the edge between them: 2⁻²⁰. The normal of a narrower one would have a large
/// error.
const WIDTH_MIN: f64 = 1.0 / (1 << 20) as f64;

/// Length of an array of which every `u8` is an index.
const ANY_U8: usize = 1 << 8;
const _: () = assert!(FACES_MAX <= ANY_U8 && VERTICES_MAX <= ANY_U8);

/// A face: three vertices, in the order of a right-handed turn about the normal that points outwards.
#[derive(Clone, Copy)]
struct PolytopeFace {
    corners: [u8; 3],
    /// The face across the edge from each corner to the next one.
    across: [u8; 3],
    normal: V3,
}

/// An edge between a face that is replaced and one that is not. It is stored by its first vertex.
#[derive(Clone, Copy)]
struct BorderEdge {
    to: u8,
    /// The face that is not replaced.
    beyond: u8,
    /// The new face.
    face: u8,
    /// The new vertex. So the edges of an earlier border need not be removed.
    new: u8,
}

/// A convex polytope. Its vertices are relative to `x`.
struct Polytope {
    vertices: [V3; VERTICES_MAX],
    vertex_count: usize,
    faces: [PolytopeFace; ANY_U8],
    /// Signed distance of the plane of each face from `x`, which is positive if `x` is inside. That of a face which is replaced is infinite.
    distances: [f64; ANY_U8],
    face_count: usize,
    border: [BorderEdge; VERTICES_MAX],
    /// The faces that are replaced.
    replaced: [u8; FACES_MAX],
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
        let nearest = polytope.nearest_face();
        let (normal, distance) = (polytope.faces[nearest].normal, polytope.distances[nearest]);
        // A comparison with NaN is false.
        let may_be_less = distance < -best.lower * (1.0 - SHARE) - tiny;
        if best.lower > least || !may_be_less {
            break;
        }
        let vertex = pair.support(normal);
        if vertex.is_invalid() {
            break;
        }
        best = shallower(best, gap_along(x, normal, &vertex));
        if !polytope.expand(nearest, vertex.at - x) {
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
        faces: [PolytopeFace { corners: [0; 3], across: [0; 3], normal: V3::ZERO }; ANY_U8],
        distances: [0.0; ANY_U8],
        face_count: 0,
        border: [BorderEdge { to: 0, beyond: 0, face: 0, new: 0 }; VERTICES_MAX],
        replaced: [0; FACES_MAX],
        tiny: 0.0,
    };

    /// Makes a tetrahedron. Returns whether all of its faces have a normal.
    fn begin(&mut self, corners: [V3; 4], tiny: f64) -> bool {
        (self.vertex_count, self.face_count, self.tiny) = (4, 4, tiny);
        self.vertices[..4].copy_from_slice(&corners);
        let [a, b, c, d] = corners;
        // The fourth corner is behind the first three, seen from outside, or these are listed the other way round.
        let is_behind = (b - a).cross(c - a).dot(d - a) < 0.0;
        if !is_behind {
            self.vertices.swap(1, 2);
        }
        let faces = [
            ([0, 1, 2], [1, 2, 3]),
            ([0, 3, 1], [3, 2, 0]),
            ([1, 3, 2], [1, 3, 0]),
            ([2, 3, 0], [2, 1, 0]),
        ];
        (0..).zip(faces).all(|(face, (corners, across))| self.set_face(face, corners, across))
    }

    /// Stores a face. Returns whether it has a normal.
    fn set_face(&mut self, face: u8, corners: [u8; 3], across: [u8; 3]) -> bool {
        let [a, b, c] = corners.map(|corner| self.vertices[usize::from(corner)]);
        let Some(normal) = (b - a).cross(c - a).unit() else { return false };
        // The normal of a needle has an error along its longest side, by which the far corner would be off the plane.
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let longer = if bc.square() > ab.square() { bc } else { ab };
        let longest = if ca.square() > longer.square() { ca } else { longer };
        let along = longest * (normal.dot(longest) / longest.square());
        let Some(normal) = (normal - along).unit() else { return false };
        self.faces[usize::from(face)] = PolytopeFace { corners, across, normal };
        self.distances[usize::from(face)] = normal.dot(a);
        true
    }

    /// Returns the first of the nearest faces. The least distance is searched in four lanes, because each comparison would have to wait for the one before.
    fn nearest_face(&self) -> usize {
        let distances = &self.distances[..self.face_count];
        let (fours, rest) = distances.as_chunks::<4>();
        let mut least = [f64::INFINITY; 4];
        for four in fours {
            least = [0, 1, 2, 3].map_each(|lane| lesser(four[lane], least[lane]));
        }
        let all = rest.iter().chain(&least);
        let least = all.fold(f64::INFINITY, |least, &distance| lesser(distance, least));
        distances.iter().position(|&distance| distance == least).unwrap_or(0)
    }

    fn is_replaced(&self, face: u8) -> bool {
        self.distances[usize::from(face)] == f64::INFINITY
    }

    /// Returns whether the face across the edge of a face that is replaced must be replaced too, for this new vertex.
    fn is_seen(&self, face: u8, edge: [u8; 2], vertex: V3) -> bool {
        let normal = self.faces[usize::from(face)].normal;
        let above = normal.dot(vertex) - self.distances[usize::from(face)];
        if above.abs() > self.tiny {
            return above > 0.0;
        }
        // The vertex is in the plane of the face, and the next face is in it too, unless its corners would be almost on one line.
        let [from, to] = edge.map(|corner| self.vertices[usize::from(corner)]);
        let along = to - from;
        let length = along.length();
        let outside = normal.cross(along).dot(vertex - from);
        // A comparison with NaN is false.
        let is_wide = outside > length * (self.tiny + length * WIDTH_MIN);
        !is_wide
    }

    /// Adds a vertex. Returns whether it is outside of `face`, and the polytope is still closed.
    fn expand(&mut self, face: usize, vertex: V3) -> bool {
        let is_outside = self.faces[face].normal.dot(vertex) > self.distances[face] + self.tiny;
        if !is_outside || self.vertex_count == VERTICES_MAX {
            return false;
        }
        let mut count = 1;
        (self.replaced[0], self.distances[face]) = (face as u8, f64::INFINITY);
        let mut at = 0;
        while at < count {
            let PolytopeFace { corners: [a, b, c], across, .. } = self.replaced_face(at);
            for (edge, face) in [([a, b], across[0]), ([b, c], across[1]), ([c, a], across[2])] {
                if !self.is_replaced(face) && self.is_seen(face, edge, vertex) {
                    self.distances[usize::from(face)] = f64::INFINITY;
                    self.replaced[count] = face;
                    count += 1;
                }
            }
            at += 1;
        }
        self.close(count, vertex)
    }

    fn replaced_face(&self, number: usize) -> PolytopeFace {
        self.faces[usize::from(self.replaced[number])]
    }

    /// Stores faces from a new vertex to the border of those that are replaced. Returns whether that is one closed line.
    fn close(&mut self, count: usize, vertex: V3) -> bool {
        let new = self.vertex_count as u8;
        self.vertices[self.vertex_count] = vertex;
        self.vertex_count += 1;
        let (mut length, mut first) = (0, 0);
        for number in 0..count {
            let PolytopeFace { corners: [a, b, c], across, .. } = self.replaced_face(number);
            for (from, to, beyond) in [(a, b, across[0]), (b, c, across[1]), (c, a, across[2])] {
                if self.is_replaced(beyond) {
                    continue;
                }
                // The new faces are stored in place of those that are replaced.
                let face = if length < count {
                    self.replaced[length]
                } else {
                    self.face_count += 1;
                    (self.face_count - 1) as u8
                };
                let edge = &mut self.border[usize::from(from)];
                if edge.new == new || self.face_count > FACES_MAX {
                    return false;
                }
                *edge = BorderEdge { to, beyond, face, new };
                (length, first) = (length + 1, from);
            }
        }
        let (mut from, mut before) = (first, 0);
        for number in 1..=length {
            let BorderEdge { to, beyond, face, .. } = self.border[usize::from(from)];
            let after = self.border[usize::from(to)];
            // All edges are visited before the first one again.
            if after.new != new || (to == first) != (number == length) {
                return false;
            }
            if !self.set_face(face, [from, to, new], [beyond, after.face, before]) {
                return false;
            }
            // There the edge starts at its other end.
            let PolytopeFace { corners: [_, second, third], across, .. } =
                &mut self.faces[usize::from(beyond)];
            across[usize::from(*second == to) + 2 * usize::from(*third == to)] = face;
            (from, before) = (to, face);
        }
        // The face before the first one is the last.
        self.faces[usize::from(self.border[usize::from(first)].face)].across[2] = before;
        length > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::gjk::RotatedShape;
    use crate::narrowphase::hull::Hull;
    use crate::narrowphase::math::M3;
    use crate::narrowphase::shape::Shape;

    /// Compares the faces with each other and with the vertices: each edge has a face on either side, and all vertices are behind all faces.
    fn check(polytope: &Polytope) {
        let Polytope { vertices, vertex_count, faces, distances, face_count, .. } = polytope;
        let live = (0..*face_count).filter(|&face| distances[face] < f64::INFINITY);
        let mut corners_seen = [false; VERTICES_MAX];
        for face in live.clone() {
            let PolytopeFace { corners, across, normal } = faces[face];
            for k in 0..3 {
                corners_seen[usize::from(corners[k])] = true;
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                let beyond = usize::from(across[k]);
                assert!(beyond < *face_count && distances[beyond] < f64::INFINITY, "{face}: {k}");
                let edges = (0..3).map(|l| {
                    let other = faces[beyond];
                    (other.corners[l], other.corners[(l + 1) % 3], usize::from(other.across[l]))
                });
                assert_eq!(edges.filter(|&edge| edge == (to, from, face)).count(), 1);
            }
            for vertex in &vertices[..*vertex_count] {
                let above = normal.dot(*vertex) - distances[face];
                assert!(above <= 4.0 * polytope.tiny, "{above} above {face}");
            }
        }
        let corners = corners_seen.into_iter().filter(|&seen| seen).count();
        assert_eq!(live.count(), 2 * corners - 4);
    }

    /// Expands the polytope of two shapes, checks it each time, and returns how often it is expanded and how many faces are added in all.
    fn grown(a: &Shape<'_>, b: &Shape<'_>, x: V3) -> [usize; 2] {
        let [a, b] = [a, b].map_each(|shape| RotatedShape { shape, rotation: M3::IDENTITY });
        let pair = RotatedPair { a, b };
        let tiny = pair.rounding(x.length());
        let mut polytope = Polytope::EMPTY;
        let corners = corners(&pair, x, tiny).expect("a volume");
        assert!(polytope.begin(corners, tiny));
        check(&polytope);
        let [mut expansions, mut added] = [0; 2];
        loop {
            let nearest = polytope.nearest_face();
            let vertex = pair.support(polytope.faces[nearest].normal);
            if !polytope.expand(nearest, vertex.at - x) {
                return [expansions, added];
            }
            check(&polytope);
            let new = (polytope.vertex_count - 1) as u8;
            let faces = polytope.faces[..polytope.face_count].iter();
            added += faces.filter(|face| face.corners.contains(&new)).count();
            expansions += 1;
        }
    }

    /// Goal: the time of an expansion beside a disc does not grow with the number of points on the rim. Method: the number of faces that are added
    /// until the polytope is full, for a point on the axis of a cone and of a cylinder, and near it. It was up to 65 in one expansion.
    #[test]
    fn expansion_beside_a_disc_adds_few_faces() {
        let cone = Shape::cone(0.5, 0.5).expect("a cone");
        let cylinder = Shape::cylinder(0.5, 0.4).expect("a cylinder");
        for shape in [&cone, &cylinder] {
            for off in [0.0, 1e-6, 1e-3] {
                let [expansions, added] = grown(shape, &Shape::point(), V3::new(off, 0.05, 0.0));
                assert!(expansions > 60, "{expansions} expansions");
                assert!(added <= 4 * expansions, "{added} faces in {expansions} expansions");
            }
        }
    }

    /// Goal: the polytope stays closed and convex if new vertices are in the planes of faces. Method: hulls with many vertices in one plane, all vertices of
    /// which are on a lattice; a prism of 12 sides, and cylinders with the same.
    #[test]
    fn polytope_with_vertices_in_one_plane_stays_closed() {
        let cylinder = Shape::cylinder(0.5, 0.4).expect("a cylinder");
        let lattice = |seed: u32| {
            let number = move |k: u32| {
                (seed.wrapping_mul(747_796_405) ^ k.wrapping_mul(2_891_336_453)) >> 13
            };
            let points =
                (0..24).map(|k| [0, 1, 2].map_each(|axis| (number(3 * k + axis) % 5) as f32 - 2.0));
            Hull::new(points).expect("a hull")
        };
        let ring = [(4, 0), (3, 2), (2, 3), (0, 4), (-2, 3), (-3, 2)];
        let ring = ring.into_iter().flat_map(|(x, z)| [(x, z), (-x, -z)]);
        let prism = ring.flat_map(|(x, z)| [-1.0, 1.0].map_each(|y| [x as f32, y, z as f32]));
        let prism = Hull::new(prism).expect("a hull");
        let mut expansions = 0;
        for seed in 0..200 {
            let hulls = [lattice(seed), lattice(seed + 1_000)];
            let [a, b] = [0, 1].map_each(|k| Shape::hull(&hulls[k]));
            let x = V3::new(f64::from(seed % 5) - 2.0, f64::from(seed % 3), 0.5);
            for [a, b] in [[&a, &b], [&a, &cylinder], [&Shape::hull(&prism), &b]] {
                expansions += grown(a, b, x)[0];
            }
        }
        assert!(expansions > 2_000, "{expansions} expansions");
    }
}
