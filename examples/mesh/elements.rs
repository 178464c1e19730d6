//! Boxes around the vertices, edges and faces of a mesh that moves from one frame to the next.
//!
//! The list of elements contains all vertices, then all edges, then all faces. Each edge is contained once,
//! its lower vertex first; edges are sorted by the higher vertex, then the lower. The box of an element is
//! the smallest in `f32` that contains its vertices in both frames, and so its whole path if vertices move on
//! straight lines. With a minimum separation each box is enlarged by half of it, so two elements that come as near as that
//! have boxes that share a point.

use std::ops::Range;

use swath::batch::LengthMismatch;
use swath::{Aabb, Invalid, MovingBoxColumns};

use super::ply::Mesh;

/// The elements of a mesh, and a box for each.
pub(crate) struct Elements {
    pub(crate) vertices: usize,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) faces: Vec<[u32; 3]>,
    min: [Vec<f32>; 3],
    max: [Vec<f32>; 3],
    /// Positions of the vertices in the first and in the second frame.
    pub(crate) positions: [Vec<[f64; 3]>; 2],
    /// Displacements of the boxes. They are zero, because the boxes contain the paths.
    still: Vec<f32>,
}

/// Why two files have no valid boxes.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoBoxes {
    #[error("the frames have {0} and {1} vertices: they are not of one mesh")]
    Vertices(usize, usize),
    #[error("the frames have {0} and {1} faces: they are not of one mesh")]
    Faces(usize, usize),
    #[error("face {0} has other vertices in the second frame: the frames are not of one mesh")]
    Face(usize),
    #[error("vertex {row}: {reason}")]
    NoBox { row: usize, reason: Invalid },
}

impl Elements {
    /// The elements of two frames, and their boxes for a minimum separation.
    pub(crate) fn new(start: Mesh, end: Mesh, separation: f64) -> Result<Self, NoBoxes> {
        if start.vertices.len() != end.vertices.len() {
            return Err(NoBoxes::Vertices(start.vertices.len(), end.vertices.len()));
        }
        if start.faces.len() != end.faces.len() {
            return Err(NoBoxes::Faces(start.faces.len(), end.faces.len()));
        }
        if let Some(row) = (0..end.faces.len()).find(|&row| start.faces[row] != end.faces[row]) {
            return Err(NoBoxes::Face(row));
        }
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * start.faces.len());
        for &[a, b, c] in &start.faces {
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        edges.sort_unstable_by_key(|&[lesser, larger]| (larger, lesser));
        edges.dedup();

        let paths = start.vertices.iter().zip(&end.vertices).enumerate();
        let paths = paths.map(|(row, (&start, &end))| {
            let no_box = |reason| NoBoxes::NoBox { row, reason };
            let [start, end] = [start, end].map(|at| around(at, separation).map_err(no_box));
            Ok(start?.union(&end?))
        });
        let vertices: Vec<Aabb> = paths.collect::<Result<_, NoBoxes>>()?;

        let count = vertices.len() + edges.len() + start.faces.len();
        let mut elements = Self {
            vertices: vertices.len(),
            edges: Vec::new(),
            faces: Vec::new(),
            positions: [Vec::new(), Vec::new()],
            min: [(); 3].map(|()| Vec::with_capacity(count)),
            max: [(); 3].map(|()| Vec::with_capacity(count)),
            still: vec![0.0; count],
        };
        // Rounding outwards commutes with minimum and maximum.
        let enclosing = |of: &[u32]| {
            of.iter().map(|&vertex| vertices[vertex as usize]).reduce(|p, q| p.union(&q))
        };
        vertices.iter().for_each(|&aabb| elements.push(aabb));
        edges.iter().filter_map(|edge| enclosing(edge)).for_each(|aabb| elements.push(aabb));
        start.faces.iter().filter_map(|face| enclosing(face)).for_each(|aabb| elements.push(aabb));
        (elements.edges, elements.faces) = (edges, start.faces);
        elements.positions = [start.vertices, end.vertices];
        Ok(elements)
    }

    fn push(&mut self, aabb: Aabb) {
        for axis in 0..3 {
            self.min[axis].push(aabb.min[axis]);
            self.max[axis].push(aabb.max[axis]);
        }
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.still.len()
    }

    /// Number of the first edge in the list of elements, and of the first face.
    pub(crate) fn borders(&self) -> [usize; 2] {
        [self.vertices, self.vertices + self.edges.len()]
    }

    /// The boxes of some elements.
    pub(crate) fn boxes(&self, of: Range<usize>) -> Result<MovingBoxColumns<'_>, LengthMismatch> {
        let [min, max] =
            [&self.min, &self.max].map(|columns| columns.each_ref().map(|c| &c[of.clone()]));
        MovingBoxColumns::new(min, max, [&self.still[of]; 3])
    }
}

/// A box that contains the points within half the separation of a point.
fn around(at: [f64; 3], separation: f64) -> Result<Aabb, Invalid> {
    if separation == 0.0 {
        return Aabb::from_f64(at, at);
    }
    let half = 0.5 * separation;
    Aabb::from_f64(at.map(|x| (x - half).next_down()), at.map(|x| (x + half).next_up()))
}
