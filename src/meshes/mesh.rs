//! A mesh of triangles.

use super::fault::{TriangleFault, corners, list_invalid, list_suspicious};
use crate::broadphase::bvh::static_bvh::Bvh;
use crate::broadphase::bvh::{BvhItem, CornerColumns, TriangleRows, WIDTH, write_triangle};
use crate::broadphase::exec::Exec;
use crate::columns::Memory;
use crate::geom::{Aabb, MapEach};
use crate::lanes::prefetch;
use crate::narrowphase::toi::part_search::{Part, PartsExtent};
use crate::par::sort_rare;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::slice;

/// Greatest number of triangles: 2²⁷.
const TRIANGLES_MAX: usize = 1 << 27;

/// Why a mesh cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There are more than 2²⁷ triangles.
    #[error("there are {triangles} triangles; a mesh has at most 2^27")]
    TooManyTriangles {
        /// The number of triangles.
        triangles: usize,
    },
}

/// A mesh of triangles, borrowed or owned, with a bounding volume hierarchy.
///
/// A triangle is three indices of vertices. It is closed, so a body that touches its edge touches it. Its front is where
/// the vertices are in counter-clockwise order. A mesh has no inside: a body within a closed mesh does not touch it.
///
/// Triangles with an invalid index or number are left out and listed ([`Mesh::rejected`]). All others count, also if
/// they have no area; [`Mesh::faults`] lists those that are likely to be mistakes.
///
/// A mesh does not change once it was built, and may be shared between threads. A clone copies the hierarchy and what is owned, and borrows what is
/// borrowed; to share a mesh, an `Arc` of it takes no memory.
///
/// ```
/// use swath::mesh::{Mesh, toi};
/// use swath::convex::toi::{Settings, ToiResult};
/// use swath::{Motion, Pose, Shape};
///
/// // A floor of two triangles, and a ball that falls on it.
/// let vertices = [[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 5.0]];
/// let floor = Mesh::new(&vertices[..], &[[0, 2, 1], [0, 3, 2]][..])?;
/// let ball = Shape::sphere(0.5)?;
/// let falling = Motion::new(Pose::at([1.0, 4.5, 2.0])?, [0.0, -8.0, 0.0])?;
///
/// let found = toi::one_to_one(&ball.into(), &falling, &(&floor).into(), &Motion::default(), &Settings::default())?;
/// let ToiResult::Impact { t, normal, .. } = found.toi.result else { panic!("{found:?}") };
/// assert!(t <= 0.5 && t > 0.4999);
/// assert_eq!((found.parts[1], normal), (1, [0.0, -1.0, 0.0])); // the triangle; from the ball to it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh<'a> {
    vertices: Cow<'a, [[f32; 3]]>,
    triangles: Cow<'a, [[u32; 3]]>,
    /// Its leaves are the triangles, and its rows are slots.
    tree: Bvh,
    bounds: Option<Aabb>,
    rejected: Vec<TriangleFault>,
    pub(super) extent: PartsExtent,
}

/// The triangles of a mesh, whose rows are their numbers.
struct MeshRows<'m> {
    points: &'m [[f32; 3]],
    indices: &'m [[u32; 3]],
}

impl TriangleRows for MeshRows<'_> {
    /// The rows are in no order. All indices are read first, and then all vertices, so that the CPU waits for many at a time.
    fn write_corners(&self, rows: &[u32], columns: &mut CornerColumns) {
        let mut triangles = [[0; 3]; WIDTH];
        for (triangle, &row) in triangles.iter_mut().zip(rows) {
            *triangle = self.indices[row as usize];
        }
        for (lane, triangle) in triangles[..rows.len()].iter().enumerate() {
            write_triangle(columns, lane, triangle.map_each(|vertex| self.points[vertex as usize]));
        }
    }

    fn prefetch_indices(&self, rows: &[u32]) {
        for &row in rows {
            if let Some(triangle) = self.indices.get(row as usize) {
                prefetch(slice::from_ref(triangle));
            }
        }
    }

    fn prefetch_vertices(&self, rows: &[u32]) {
        for &row in rows {
            // A triangle that is left out may have an index without a vertex.
            let Some(triangle) = self.indices.get(row as usize) else { continue };
            for &vertex in triangle {
                if let Some(point) = self.points.get(vertex as usize) {
                    prefetch(slice::from_ref(point));
                }
            }
        }
    }
}

impl<'a> Mesh<'a> {
    /// Builds a mesh on the threads of the current pool. Slices are borrowed, and vectors are owned.
    ///
    /// A triangle with an invalid corner, or with an index that is out of range, is no error: it is left out, and [`Mesh::rejected`] lists it. So check
    /// that this list is empty where the triangles are not known to be valid.
    ///
    /// # Errors
    ///
    /// [`MeshError`] if there are too many triangles.
    pub fn new(
        vertices: impl Into<Cow<'a, [[f32; 3]]>>,
        triangles: impl Into<Cow<'a, [[u32; 3]]>>,
    ) -> Result<Self, MeshError> {
        Self::build(vertices.into(), triangles.into(), Exec::default())
    }

    /// Builds a mesh with other settings of how the build and later batches run: a [`Level`](crate::Level),
    /// [`Threads`](crate::Threads), or an [`Exec`].
    ///
    /// # Errors
    ///
    /// As for [`Mesh::new`].
    pub fn with_exec(
        vertices: impl Into<Cow<'a, [[f32; 3]]>>,
        triangles: impl Into<Cow<'a, [[u32; 3]]>>,
        exec: impl Into<Exec>,
    ) -> Result<Self, MeshError> {
        Self::build(vertices.into(), triangles.into(), exec.into())
    }

    fn build(
        vertices: Cow<'a, [[f32; 3]]>,
        triangles: Cow<'a, [[u32; 3]]>,
        exec: Exec,
    ) -> Result<Self, MeshError> {
        let count = triangles.len();
        if count > TRIANGLES_MAX {
            return Err(MeshError::TooManyTriangles { triangles: count });
        }
        let mut tree = Bvh::with_exec(exec);
        let (points, indices) = (&vertices[..], &triangles[..]);
        let fill = |first: usize, items: &mut [BvhItem]| {
            for ((row, item), &triangle) in (first as u32..).zip(items).zip(&indices[first..]) {
                *item = match corners(points, triangle) {
                    Ok(corners) => {
                        BvhItem { aabb: Aabb::around_points(&corners), id: row, filter: 0 }
                    }
                    Err(_) => BvhItem::NOTHING,
                };
            }
        };
        let rows = MeshRows { points, indices };
        let bounds = tree
            .build_items(count, &fill, Some(&rows))
            .map_err(|_| MeshError::TooManyTriangles { triangles: count })?;
        let mut rejected = Vec::new();
        if tree.len() < count {
            list_invalid(points, indices, &mut rejected);
        }
        let extent = extent_of(bounds);
        tree.shrink_to_fit();
        Ok(Self { vertices, triangles, tree, bounds, rejected, extent })
    }

    /// Returns the mesh with only the front of each triangle counting.
    ///
    /// A triangle counts while the position of the other body, which is the origin of its shape, is in front of the
    /// triangle's plane. If the body crosses the plane from behind near the triangle, the triangle counts again when the
    /// whole body is in front; if it crosses the plane where bounds of its path separate it from the triangle, the
    /// triangle counts at once. So a triangle stops a body whose position is in front, and a body whose position is
    /// behind passes through it. While the mesh rotates, and against another mesh or height field, all triangles count
    /// from both sides.
    #[must_use]
    pub fn one_sided(mut self) -> Self {
        self.extent.one_sided = true;
        self
    }

    /// Returns whether only the fronts count.
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        self.extent.one_sided
    }

    /// Returns the vertices.
    #[must_use]
    pub fn vertices(&self) -> &[[f32; 3]] {
        &self.vertices
    }

    /// Returns the triangles, as indices of vertices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the corners of a triangle, or `None` if there is no such triangle or it was left out.
    #[must_use]
    pub fn corners(&self, triangle: u32) -> Option<[[f32; 3]; 3]> {
        corners(&self.vertices, *self.triangles.get(triangle as usize)?).ok()
    }

    /// Returns the box around the mesh in its own axes, or `None` if it has no triangles.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.bounds
    }

    /// Returns the triangles that were left out, in order.
    #[must_use]
    pub fn rejected(&self) -> &[TriangleFault] {
        &self.rejected
    }

    /// Lists all triangles that are invalid or suspicious, in order: those that were left out, and those that are
    /// degenerate, duplicated, flipped, or at an edge with more than two triangles. This takes longer than the build.
    ///
    /// ```
    /// use swath::mesh::{FaultReason, Mesh, TriangleFault};
    ///
    /// let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f32::NAN; 3]];
    /// let mesh = Mesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [2, 0, 1], [1, 2, 1], [7, 0, 1]])?;
    /// let faults = mesh.faults();
    /// let has = |triangle, reason| faults.contains(&TriangleFault { triangle, reason });
    /// assert!(has(1, FaultReason::NotFinite) && has(4, FaultReason::NoSuchVertex));
    /// assert!(has(2, FaultReason::Duplicate) && has(3, FaultReason::Degenerate));
    /// assert_eq!(mesh.rejected().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn faults(&self) -> Vec<TriangleFault> {
        let mut faults = self.rejected.clone();
        let threads = &self.tree.exec.threads;
        list_suspicious(&self.vertices, &self.triangles, threads, &mut faults);
        sort_rare(&mut faults, |&fault| fault);
        faults.dedup();
        faults
    }

    /// Returns the allocated memory in bytes, including that of owned vertices and triangles.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.tree.memory_usage()
            + self.vertices.bytes()
            + self.triangles.bytes()
            + self.rejected.bytes()
    }

    pub(super) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Returns the triangle in a slot.
    pub(super) fn part(&self, slot: u32) -> Part<'_> {
        Part::Triangle(self.tree.tree.triangle(slot))
    }

    /// Returns the number of the triangle in a slot.
    pub(super) fn number(&self, slot: u32) -> u32 {
        self.tree.tree.triangle_number(slot)
    }
}

/// Returns the extent of a body whose parts are in a box, if it has any.
pub(super) fn extent_of(bounds: Option<Aabb>) -> PartsExtent {
    let Aabb { min, max } = bounds.unwrap_or_default();
    let (mut far, mut diagonal) = (0.0, 0.0);
    for axis in 0..3 {
        let [low, high] = [f64::from(min[axis]), f64::from(max[axis])];
        let most = if -low > high { -low } else { high };
        far += most * most;
        diagonal += (high - low) * (high - low);
    }
    let bounding_radius = libm::sqrt(far) * (1.0 + 4.0 * f64::EPSILON);
    PartsExtent { bounding_radius, size: 0.5 * libm::sqrt(diagonal), one_sided: false }
}
