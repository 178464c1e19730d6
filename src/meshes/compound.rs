//! A body of several convex shapes.

use super::mesh::extent_of;
use crate::broadphase::bvh::BvhItem;
use crate::broadphase::bvh::static_bvh::Bvh;
use crate::broadphase::exec::Exec;
use crate::columns::Memory;
use crate::geom::{Aabb, Invalid, Pose};
use crate::narrowphase::OwnedShape;
use crate::narrowphase::toi::part_search::{Part, PartsExtent};
use alloc::vec::Vec;

/// Greatest number of parts: that of the rows of a tree, 2²⁷.
#[cfg(feature = "serde")]
pub(super) const PARTS_MAX: usize = 1 << 27;

/// A body of several convex shapes with poses, and a bounding volume hierarchy of them.
///
/// The parts may overlap, and they do not collide with each other. A clone copies the hierarchy and the list of parts; hulls and support maps are shared.
///
/// ```
/// use swath::mesh::{Compound, toi};
/// use swath::convex::toi::Settings;
/// use swath::{Motion, Pose, Shape};
///
/// // A hammer that turns, and a ball beside it.
/// let head = Shape::cuboid([0.3, 0.3, 0.8])?.into();
/// let handle = Shape::capsule(1.0, 0.1)?.into();
/// let hammer = Compound::new([(head, Pose::at([0.0, 1.0, 0.0])?), (handle, Pose::IDENTITY)])?;
/// let swung = Motion::default().spinning([0.0, 0.0, 1.5])?;
/// let ball = Shape::sphere(0.5)?;
/// let still = Motion::from(Pose::at([-1.6, 0.4, 0.0])?);
///
/// let found = toi::one_to_one(&(&hammer).into(), &swung, &ball.into(), &still, &Settings::default())?;
/// assert!(found.toi.impact().is_some_and(|t| t > 0.3 && t < 0.9));
/// assert_eq!(found.parts, [0, 0]); // the head
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compound {
    parts: Vec<(OwnedShape, Pose)>,
    tree: Bvh,
    pub(super) extent: PartsExtent,
}

impl Compound {
    /// Creates a compound of these shapes, each at its pose, on the threads of the current pool.
    ///
    /// A compound owns its parts. A shape without a hull becomes one by `into`; a hull by [`OwnedShape::hull`], because [`Shape::hull`](crate::Shape::hull)
    /// borrows it.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if a pose is invalid, or the box of a part exceeds [`COORD_MAX`](crate::COORD_MAX).
    ///
    /// # Panics
    ///
    /// If there are more than 2²⁷ parts.
    pub fn new(parts: impl IntoIterator<Item = (OwnedShape, Pose)>) -> Result<Self, Invalid> {
        Self::build(parts.into_iter().collect(), Exec::default())
    }

    /// Creates a compound with other settings of how the build and later searches run: a [`Level`](crate::Level),
    /// [`Threads`](crate::Threads), or an [`Exec`].
    ///
    /// # Errors
    ///
    /// As for [`Compound::new`].
    ///
    /// # Panics
    ///
    /// As for [`Compound::new`].
    pub fn with_exec(
        parts: impl IntoIterator<Item = (OwnedShape, Pose)>,
        exec: impl Into<Exec>,
    ) -> Result<Self, Invalid> {
        Self::build(parts.into_iter().collect(), exec.into())
    }

    fn build(parts: Vec<(OwnedShape, Pose)>, exec: Exec) -> Result<Self, Invalid> {
        let boxes: Vec<Aabb> = parts
            .iter()
            .map(|(shape, pose)| shape.shape().bounds(pose))
            .collect::<Result<_, _>>()?;
        let mut tree = Bvh::with_exec(exec);
        let fill = |first: usize, items: &mut [BvhItem]| {
            for ((row, item), &aabb) in (first as u32..).zip(items).zip(&boxes[first..]) {
                *item = BvhItem { aabb, id: row, filter: 0 };
            }
        };
        let built = tree.build_items(boxes.len(), &fill, None);
        // The boxes are valid, so the only error is that there are more parts than a tree may have rows.
        let bounds = built.expect("a compound has at most 2^27 parts");
        tree.shrink_to_fit();
        let extent = extent_of(bounds);
        Ok(Self { parts, tree, extent })
    }

    /// Returns the shapes and their poses.
    #[must_use]
    pub fn parts(&self) -> &[(OwnedShape, Pose)] {
        &self.parts
    }

    /// Returns the box around the compound in its own axes, or `None` if it has no parts.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.tree.bounds()
    }

    /// Returns the allocated memory in bytes, without that of hulls and support maps, which other shapes may share.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.tree.memory_usage() + self.parts.bytes()
    }

    pub(super) fn tree(&self) -> &Bvh {
        &self.tree
    }

    pub(super) fn part(&self, part: u32) -> Part<'_> {
        let (shape, pose) = &self.parts[part as usize];
        Part::Convex(shape.shape(), *pose)
    }
}
