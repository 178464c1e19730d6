//! A regular grid of heights.
//!
//! The triangles of a cell are computed when they are needed. The hierarchy has a box for each block of cells.

use super::mesh::extent_of;
use crate::broadphase::bvh::BvhItem;
use crate::broadphase::bvh::near_body::GROUP_MAX;
use crate::broadphase::bvh::static_bvh::Bvh;
use crate::broadphase::exec::Exec;
use crate::columns::Memory;
use crate::geom::{Aabb, COORD_MAX, MapEach, MovingBox};
use crate::kernels::sweep;
use crate::lanes::Level;
use crate::narrowphase::toi::part_search::{Part, PartsExtent};
use alloc::borrow::Cow;
use core::ops::ControlFlow;

/// Cells along each side of a block.
const BLOCK: u32 = 4;

const _: () = assert!(
    2 * (BLOCK * BLOCK) as usize <= GROUP_MAX,
    "a traversal has room for the triangles of a block"
);

/// Cells must be fewer than this, so that triangles have numbers of 32 bits.
const CELLS_MAX: u64 = 1 << 31;

/// Why a height field cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// The number of heights is not that of the grid, or the grid has no cell, or too many cells or blocks of 4 by 4 cells.
    #[error("the number of heights is {heights}, and the grid is {} by {}; pass one height for each sample, of at least 2 by 2 samples and fewer than 2^31 cells, in at most 2^27 blocks of 4 by 4", samples[0], samples[1])]
    Samples {
        /// The number of heights.
        heights: usize,
        /// The number of samples along x and z.
        samples: [u32; 2],
    },
    /// The spacing is not above zero, or the grid is larger than [`COORD_MAX`].
    #[error("the spacing is invalid; it must be above zero, and the grid at most 2^120 long")]
    Spacing,
}

/// A terrain: heights along `y` over a regular grid in `x` and `z`, borrowed or owned.
///
/// Sample `i + j·nx` is at `x = i·spacing.x` and `z = j·spacing.z`, each rounded to `f32`; beyond sample 2²⁴, neighbours may have equal coordinates. A cell is two triangles, divided by
/// the line from its least corner to its greatest; their fronts are above. Cell `c = i + j·(nx − 1)` has the
/// triangles `2·c`, on the side of greater `x`, and `2·c + 1`. No triangles are stored.
///
/// A height that is not finite or larger than [`COORD_MAX`] is a hole: the triangles at this sample are left out. A sample of which all triangles are
/// left out counts for nothing. For samples without data use NaN: a large number is a height like any other.
///
/// A clone copies the hierarchy and heights that are owned, and borrows those that are borrowed.
///
/// ```
/// use swath::mesh::{HeightField, toi};
/// use swath::convex::toi::Settings;
/// use swath::{Motion, Pose, Shape};
///
/// // A slope, and a box that is thrown at it.
/// let heights: Vec<f32> = (0..100).map(|k| 0.5 * (k % 10) as f32).collect();
/// let slope = HeightField::new(heights, [10, 10], [1.0, 1.0])?;
/// let crate_ = Shape::cuboid([0.2; 3])?;
/// let thrown = Motion::new(Pose::at([1.0, 2.0, 4.5])?, [7.0, 0.0, 0.0])?.accelerating([0.0, -2.0, 0.0])?;
///
/// let found = toi::one_to_one(&crate_.into(), &thrown, &(&slope).into(), &Motion::default(), &Settings::default())?;
/// assert!(found.toi.impact().is_some_and(|t| t > 0.25 && t < 0.35));
/// assert_eq!(slope.triangle_count(), 162);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeightField<'a> {
    heights: Cow<'a, [f32]>,
    samples: [u32; 2],
    spacing: [f32; 2],
    /// The boxes of blocks; the row of a block is its number.
    tree: Bvh,
    pub(super) extent: PartsExtent,
}

impl<'a> HeightField<'a> {
    /// Builds a height field with `samples` heights along x and z, which are `spacing` apart.
    ///
    /// # Errors
    ///
    /// [`HeightFieldError`]: what is wrong with the grid.
    pub fn new(
        heights: impl Into<Cow<'a, [f32]>>,
        samples: [u32; 2],
        spacing: impl Into<[f32; 2]>,
    ) -> Result<Self, HeightFieldError> {
        Self::build(heights.into(), samples, spacing.into(), Exec::default())
    }

    /// Builds a height field with other settings of how the build and later batches run: a [`Level`](crate::Level),
    /// [`Threads`](crate::Threads), or an [`Exec`].
    ///
    /// # Errors
    ///
    /// [`HeightFieldError`]: what is wrong with the grid.
    pub fn with_exec(
        heights: impl Into<Cow<'a, [f32]>>,
        samples: [u32; 2],
        spacing: impl Into<[f32; 2]>,
        exec: impl Into<Exec>,
    ) -> Result<Self, HeightFieldError> {
        Self::build(heights.into(), samples, spacing.into(), exec.into())
    }

    fn build(
        heights: Cow<'a, [f32]>,
        samples: [u32; 2],
        spacing: [f32; 2],
        exec: Exec,
    ) -> Result<Self, HeightFieldError> {
        let [nx, nz] = samples.map_each(u64::from);
        let cells = nx.saturating_sub(1).saturating_mul(nz.saturating_sub(1));
        if nx.saturating_mul(nz) != heights.len() as u64 || cells == 0 || cells >= CELLS_MAX {
            return Err(HeightFieldError::Samples { heights: heights.len(), samples });
        }
        // A comparison with NaN is false.
        let valid = |axis: usize| {
            let last = coordinate(samples[axis] - 1, spacing[axis]);
            spacing[axis] > 0.0 && last <= COORD_MAX
        };
        if !(valid(0) && valid(1)) {
            return Err(HeightFieldError::Spacing);
        }
        let extent = PartsExtent { bounding_radius: 0.0, size: 0.0, one_sided: false };
        let mut field = Self { heights, samples, spacing, tree: Bvh::with_exec(exec), extent };
        let mut tree = Bvh::with_exec(field.tree.exec.clone());
        let [bx, bz] = field.blocks();
        let fill = |first: usize, items: &mut [BvhItem]| {
            for (row, item) in (first as u32..).zip(items) {
                *item = match field.block_bounds(row) {
                    Some(aabb) => BvhItem { aabb, id: row, filter: 0 },
                    None => BvhItem::NOTHING,
                };
            }
        };
        let built = tree.build_items(bx as usize * bz as usize, &fill, None);
        let heights = field.heights.len();
        let bounds = built.map_err(|_| HeightFieldError::Samples { heights, samples })?;
        tree.shrink_to_fit();
        field.extent = extent_of(bounds);
        field.tree = tree;
        Ok(field)
    }

    /// Returns the height field with only the upper side counting, as [`Mesh::one_sided`](super::Mesh::one_sided) states.
    #[must_use]
    pub fn one_sided(mut self) -> Self {
        self.extent.one_sided = true;
        self
    }

    /// Returns the heights.
    #[must_use]
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Returns the number of samples along x and z.
    #[must_use]
    pub fn samples(&self) -> [u32; 2] {
        self.samples
    }

    /// Returns how far samples are apart along x and z.
    #[must_use]
    pub fn spacing(&self) -> [f32; 2] {
        self.spacing
    }

    /// Returns whether only the upper side counts.
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        self.extent.one_sided
    }

    /// Returns the box around the height field in its own axes, or `None` if all of it is holes.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.tree.bounds()
    }

    /// Returns the corners of a triangle, or `None` if there is no such triangle or it is a hole.
    #[must_use]
    pub fn corners(&self, triangle: u32) -> Option<[[f32; 3]; 3]> {
        let (cell, [cx, cz]) = (triangle / 2, self.cells());
        let (i, j) = (cell % cx, cell / cx);
        if j >= cz {
            return None;
        }
        let [least, across, greatest] = if triangle.is_multiple_of(2) {
            [self.vertex(i, j), self.vertex(i + 1, j + 1), self.vertex(i + 1, j)]
        } else {
            [self.vertex(i, j), self.vertex(i, j + 1), self.vertex(i + 1, j + 1)]
        };
        Some([least?, across?, greatest?])
    }

    /// Returns the number of triangles, two for each cell, holes included.
    #[must_use]
    pub fn triangle_count(&self) -> u32 {
        let [cx, cz] = self.cells();
        2 * cx * cz
    }

    /// Returns the allocated memory in bytes, including that of owned heights.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.tree.memory_usage() + self.heights.bytes()
    }

    /// Returns the level of its hierarchy.
    pub(super) fn level(&self) -> Level {
        self.tree.exec.level
    }

    /// The boxes of blocks of cells.
    pub(super) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Calls `visitor` with each triangle of a block, and its corners.
    pub(super) fn triangles_of(&self, block: u32, visitor: &mut dyn FnMut(u32, [[f32; 3]; 3])) {
        self.cells_of(block, &mut |triangles, _| {
            for triangle in triangles {
                if let Some(corners) = self.corners(triangle) {
                    visitor(triangle, corners);
                }
            }
        });
    }

    /// Returns a triangle that exists.
    pub(super) fn part(&self, triangle: u32) -> Part<'_> {
        Part::Triangle(self.corners(triangle).unwrap_or_default())
    }

    /// Calls `visitor` with each triangle whose cell meets a moving box, and with a time that is not after they meet. `visitor` returns
    /// the time after which no triangle counts.
    pub(super) fn sweep(&self, path: &MovingBox, visitor: &mut dyn FnMut(u32, f32) -> f32) {
        let Ok(query) = self.tree.queries().sweep(path) else { return };
        let mut most = f32::INFINITY;
        query.visit(|hit| {
            self.cells_of(hit.row, &mut |triangles, aabb| {
                let met = sweep::one_to_one(path, &MovingBox::from(*aabb));
                let Ok(met) = met else { return };
                for triangle in triangles {
                    if met.contact.is_hit() && met.first <= most && self.corners(triangle).is_some()
                    {
                        let next = visitor(triangle, met.first);
                        most = if next < most { next } else { most };
                    }
                }
            });
            most
        });
    }

    /// Calls `visitor` with each triangle whose cell touches a box.
    pub(super) fn overlap(&self, aabb: &Aabb, visitor: &mut dyn FnMut(u32)) {
        let Ok(query) = self.tree.queries().overlap(aabb) else { return };
        query.visit(|block| {
            self.cells_of(block, &mut |triangles, cell| {
                if cell.overlaps(aabb) {
                    triangles
                        .into_iter()
                        .filter(|&of| self.corners(of).is_some())
                        .for_each(&mut *visitor);
                }
            });
            ControlFlow::Continue(())
        });
    }

    /// Calls `visitor` with both triangles of each cell of a block, and the box around them.
    fn cells_of(&self, block: u32, visitor: &mut dyn FnMut([u32; 2], &Aabb)) {
        let ([bx, _], [cx, cz]) = (self.blocks(), self.cells());
        let (i0, j0) = (block % bx * BLOCK, block / bx * BLOCK);
        for j in j0..cz.min(j0 + BLOCK) {
            for i in i0..cx.min(i0 + BLOCK) {
                let cell = i + j * cx;
                if let Some(aabb) = self.cell_bounds(i, j) {
                    visitor([2 * cell, 2 * cell + 1], &aabb);
                }
            }
        }
    }

    /// Returns the box around the triangles of a cell; `None` if both are holes.
    fn cell_bounds(&self, i: u32, j: u32) -> Option<Aabb> {
        // Both have these corners.
        let common = Aabb::around_points(&[self.vertex(i, j)?, self.vertex(i + 1, j + 1)?]);
        let others = [self.vertex(i + 1, j), self.vertex(i, j + 1)];
        let boxes =
            others.into_iter().flatten().map(|other| common.union(&Aabb::around_points(&[other])));
        boxes.reduce(|one, other| one.union(&other))
    }

    fn block_bounds(&self, block: u32) -> Option<Aabb> {
        let mut all: Option<Aabb> = None;
        self.cells_of(block, &mut |_, aabb| all = Some(all.map_or(*aabb, |all| all.union(aabb))));
        all
    }

    fn vertex(&self, i: u32, j: u32) -> Option<[f32; 3]> {
        let height = self.heights[i as usize + j as usize * self.samples[0] as usize];
        let [x, z] = self.spacing;
        let point = [coordinate(i, x), height, coordinate(j, z)];
        (height.abs() <= COORD_MAX).then_some(point)
    }

    /// The number of cells along x and z.
    fn cells(&self) -> [u32; 2] {
        self.samples.map_each(|samples| samples - 1)
    }

    /// The number of blocks along x and z.
    fn blocks(&self) -> [u32; 2] {
        self.cells().map_each(|cells| cells.div_ceil(BLOCK))
    }
}

/// Returns where a sample is, rounded once.
fn coordinate(sample: u32, spacing: f32) -> f32 {
    // The product is exact.
    (f64::from(sample) * f64::from(spacing)) as f32
}

#[cfg(test)]
mod tests {
    use super::coordinate;

    /// Goal: the coordinate of a sample is its exact product, rounded once, also if the number of the sample is not an `f32`. Method: numbers
    /// beside 2²⁴ and at the end; products in integers, and those of `f32` below 2²⁴.
    #[test]
    fn coordinates_of_samples_are_rounded_once() {
        let spacing = 0.1_f32;
        // 0.1 = m / 2^27, with 24 bits.
        let m = u64::from((spacing.to_bits() & 0x7f_ffff) | 0x80_0000);
        let mut differ = 0;
        for sample in (1..64).chain((1 << 24) - 32..(1 << 24) + 64).chain(u32::MAX - 64..u32::MAX) {
            let product = m * u64::from(sample);
            let ulp = 1_u64 << (64 - product.leading_zeros()).saturating_sub(24);
            let (below, rest) = (product / ulp, product % ulp);
            let is_up = 2 * rest > ulp || 2 * rest == ulp && below % 2 == 1;
            let rounded = (below + u64::from(is_up)) * ulp;
            let exact = rounded as f32 / (1 << 27) as f32;
            assert_eq!(coordinate(sample, spacing).to_bits(), exact.to_bits(), "{sample}");
            let twice = sample as f32 * spacing;
            assert!(sample > 1 << 24 || twice == exact, "{sample}");
            differ += usize::from(twice != exact);
        }
        assert!(differ > 10, "{differ}");
    }
}
