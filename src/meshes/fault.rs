//! What is wrong with triangles of a mesh.

use crate::geom::{COORD_MAX, MapEach};
use crate::narrowphase::math::V3;
use crate::par::{Threads, sort_parallel};
use alloc::vec::Vec;
use core::fmt;

/// A triangle that is invalid or suspicious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriangleFault {
    /// The index of the triangle.
    pub triangle: u32,
    /// What is wrong with it.
    pub reason: FaultReason,
}

impl fmt::Display for TriangleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "triangle {}: {}", self.triangle, self.reason)
    }
}

/// What is wrong with a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FaultReason {
    /// A corner refers to a vertex that does not exist. The triangle is left out.
    NoSuchVertex,
    /// A coordinate is NaN, infinite or larger than [`COORD_MAX`]. The triangle is left out.
    NotFinite,
    /// The triangle has no area: it is a segment or a point. It has no front, so it counts from all sides.
    Degenerate,
    /// An earlier triangle has the same three vertices, in any order.
    Duplicate,
    /// One of its edges belongs to more than two triangles, of which copies and those with two equal corners do not count.
    NonManifold,
    /// A triangle with a common edge, which is neither a copy nor has two equal corners, has its front on the other side.
    Flipped,
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchVertex => "a corner refers to a vertex that does not exist; it is left out",
            Self::NotFinite => "a coordinate is NaN, infinite or beyond 2^120; it is left out",
            Self::Degenerate => "it has no area; it counts from all sides",
            Self::Duplicate => "an earlier triangle has the same vertices; remove one of them",
            Self::NonManifold => "one of its edges belongs to more than two triangles",
            Self::Flipped => {
                "a neighbour has its front on the other side; exchange two corners of one of them"
            }
        })
    }
}

/// Returns the corners of a triangle.
pub(super) fn corners(
    vertices: &[[f32; 3]],
    triangle: [u32; 3],
) -> Result<[[f32; 3]; 3], FaultReason> {
    let mut corners = [[0.0; 3]; 3];
    for (corner, vertex) in corners.iter_mut().zip(triangle) {
        *corner = *vertices.get(vertex as usize).ok_or(FaultReason::NoSuchVertex)?;
    }
    // A comparison with NaN is false. All are compared, because branches would take longer.
    let valid = corners.as_flattened().iter().fold(true, |valid, x| valid & (x.abs() <= COORD_MAX));
    if valid { Ok(corners) } else { Err(FaultReason::NotFinite) }
}

/// Lists the triangles that are left out.
pub(super) fn list_invalid(
    vertices: &[[f32; 3]],
    triangles: &[[u32; 3]],
    faults: &mut Vec<TriangleFault>,
) {
    for (triangle, &of) in (0..).zip(triangles) {
        if let Err(reason) = corners(vertices, of) {
            faults.push(TriangleFault { triangle, reason });
        }
    }
}

/// An edge of a triangle: its vertices, the lower one first, then twice the triangle, plus one if the triangle has them
/// in the other order.
type EdgeUse = [u32; 3];

/// Lists the triangles that are valid but suspicious.
pub(super) fn list_suspicious(
    vertices: &[[f32; 3]],
    triangles: &[[u32; 3]],
    threads: &Threads,
    faults: &mut Vec<TriangleFault>,
) {
    let mut add = |triangle: u32, reason| faults.push(TriangleFault { triangle, reason });
    let mut edges: Vec<EdgeUse> = Vec::with_capacity(3 * triangles.len());
    let mut sorted: Vec<[u32; 4]> = Vec::with_capacity(triangles.len());
    for (triangle, &of) in (0..).zip(triangles) {
        let Ok(corners) = corners(vertices, of) else { continue };
        let [a, b, c] = corners.map_each(V3::of);
        if (b - a).cross(c - a).unit().is_none() {
            add(triangle, FaultReason::Degenerate);
        }
        let mut key = of;
        key.sort_unstable();
        sorted.push([key[0], key[1], key[2], triangle]);
    }
    sort_parallel(threads, &mut sorted);
    for copies in sorted.chunk_by(|one, other| one[..3] == other[..3]) {
        let [low, middle, high, triangle] = copies[0];
        copies[1..].iter().for_each(|of| add(of[3], FaultReason::Duplicate));
        // Neither a copy nor a segment is a further triangle at its edges.
        if low == middle || middle == high {
            continue;
        }
        let [a, b, c] = triangles[triangle as usize];
        for &[from, to] in &[[a, b], [b, c], [c, a]] {
            let word = 2 * triangle + u32::from(from > to);
            edges.push([from.min(to), from.max(to), word]);
        }
    }
    sort_parallel(threads, &mut edges);
    for uses in edges.chunk_by(|one, other| one[..2] == other[..2]) {
        match uses {
            [one, other] if (one[2] ^ other[2]) & 1 == 0 => {
                uses.iter().for_each(|of| add(of[2] / 2, FaultReason::Flipped));
            }
            [_] | [_, _] => {}
            _ => uses.iter().for_each(|of| add(of[2] / 2, FaultReason::NonManifold)),
        }
    }
}
