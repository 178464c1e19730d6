//! The distance of two geometries at rest, with their nearest parts.
//!
//! Two hierarchies are traversed together (`broadphase/bvh/near_pairs.rs`), and two parts are tested if their boxes are not farther apart than the
//! nearest parts so far. The hierarchy of a body near a convex shape is traversed alone (`broadphase/bvh/near_body.rs`).

use super::geometry::Geometry;
use super::result::PartDistance;
use crate::broadphase::bvh::near_body::{ListTriangles, near_body};
use crate::broadphase::bvh::near_pairs::{CenteredBox, Placement, near_pairs};
use crate::broadphase::bvh::static_bvh::Bvh;
use crate::columns::Rejected;
use crate::geom::{Aabb, Invalid, Pair, Pose};
use crate::kernels::proximity::check_max;
use crate::narrowphase::batch::{PairsError, answer, check_at_rest};
use crate::narrowphase::gjk::distance_within;
use crate::narrowphase::math::{M3, V3};
use crate::narrowphase::{NearShape, Shape};
use crate::par::Threads;
use alloc::vec::Vec;

/// The rounding error of the distance of two boxes, for each unit of the distance between the origins and of the bounding radii: more than the
/// errors of the rotation, the products and the root together.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Geometry<'_> {
    /// Computes the distance of the geometry and another one, both at rest, up to `max_distance`, which may be infinite: the least [distance](crate::convex::gjk::distance()) of a
    /// part of the one and a part of the other, with these two parts. Of parts that are equally far, it is any of them, always the same for the same limit.
    ///
    /// Returns `None` if they are farther apart, or if one of them has no part. A distance that is nearer to the limit than it is exact is found or not. A limit saves time: a search within a limit that few parts are near
    /// takes no time for the others.
    ///
    /// **Overlaps.** If the geometries overlap, the search ends at the first parts that do, and the distance is minus the depth of these two. So it is below zero, but it is not the
    /// depth of the whole bodies, and other parts may overlap more deeply. Triangles are surfaces: a body inside of a closed mesh has the distance
    /// from its surface.
    ///
    /// All triangles count from both sides, also those of a [one-sided](super::Mesh::one_sided) mesh or height field.
    ///
    /// The distance is as exact as that of [convex shapes](crate::convex::gjk::Distance::distance), where the size of a part is that of its body.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if a pose is invalid, or `max_distance` is negative or NaN.
    ///
    /// ```
    /// use swath::mesh::{Geometry, HeightField};
    /// use swath::{Pose, Shape};
    ///
    /// // How far is a drone from the terrain below it?
    /// let slope = HeightField::new(vec![0.0, 3.0, 0.0, 3.0], [2, 2], [4.0, 4.0])?;
    /// let (slope, drone) = (Geometry::from(&slope), Geometry::from(Shape::sphere(0.5)?));
    /// let at = Pose::at([2.0, 4.0, 2.0])?;
    /// let near = drone.distance(&at, &slope, &Pose::IDENTITY, f32::INFINITY)?.expect("both have parts");
    /// assert!((near.distance.distance - 1.5).abs() < 1e-6);
    /// assert!((near.distance.normal[1] + 0.8).abs() < 1e-6, "from the drone down to the slope");
    /// assert_eq!(drone.distance(&at, &slope, &Pose::IDENTITY, 1.0)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(
        &self,
        pose: &Pose,
        other: &Geometry<'_>,
        other_pose: &Pose,
        max_distance: f32,
    ) -> Result<Option<PartDistance>, Invalid> {
        pose.validate()?;
        other_pose.validate()?;
        check_max(max_distance)?;
        Ok(of_valid((self, pose), (other, other_pose), max_distance))
    }
}

/// Computes the distances of the two geometries of each pair, at rest: `out[i]` is the result of [`Geometry::distance`] for `pairs[i]`.
///
/// The old values of `out` are not used. `rejected` is overwritten with the rows whose pose is invalid, in order. A pair with such a row has the result
/// `None`.
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::mesh::{self, Mesh};
/// use swath::{Pair, Pose, Shape, Threads};
///
/// let wall = Mesh::new(vec![[0.0, -9.0, -9.0], [0.0, 9.0, -9.0], [0.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
/// let ball = Shape::sphere(0.5)?;
/// let geometries = [(&wall).into(), ball.into(), ball.into()];
/// let poses = [Pose::IDENTITY, Pose::at([1.5, 0.0, 0.0])?, Pose::at([6.0, 0.0, 0.0])?];
/// let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }];
/// let (mut out, mut rejected) = ([None; 2], Vec::new());
/// mesh::distances_of_pairs(&geometries, &poses, &pairs, 4.0, &Threads::one(), &mut rejected, &mut out)?;
/// assert!(out[0].is_some_and(|near| (near.distance.distance - 1.0).abs() < 1e-6));
/// assert_eq!(out[1], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distances_of_pairs(
    geometries: &[Geometry<'_>],
    poses: &[Pose],
    pairs: &[Pair],
    max_distance: f32,
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [Option<PartDistance>],
) -> Result<(), PairsError> {
    check_max(max_distance).map_err(PairsError::MaxDistance)?;
    check_at_rest(geometries.len(), poses, pairs, rejected, out.len())?;
    answer(pairs, rejected, threads, None, out, |_, [a, b], _| {
        of_valid((&geometries[a], &poses[a]), (&geometries[b], &poses[b]), max_distance)
    });
    Ok(())
}

/// Returns the distance of two geometries at valid poses, if it is at most `most`.
fn of_valid(
    a: (&Geometry<'_>, &Pose),
    b: (&Geometry<'_>, &Pose),
    most: f32,
) -> Option<PartDistance> {
    let mut nearest = NearestParts { a, b, most, found: None };
    match (a.0, b.0) {
        (Geometry::Convex(_), Geometry::Convex(_)) => nearest.test([0, 0]),
        (Geometry::Convex(shape), _) => nearest.find_near(0, shape),
        (_, Geometry::Convex(shape)) => nearest.find_near(1, shape),
        _ => nearest.find(),
    }
    nearest.found
}

/// The nearest parts so far.
struct NearestParts<'n> {
    a: (&'n Geometry<'n>, &'n Pose),
    b: (&'n Geometry<'n>, &'n Pose),
    /// The distance up to which parts count; negative after an overlap.
    most: f32,
    found: Option<PartDistance>,
}

impl NearestParts<'_> {
    /// Finds the nearest parts of two bodies of many parts.
    fn find(&mut self) {
        visit_near_parts([self.a, self.b], self.most.into(), &mut |parts| {
            self.test(parts);
            self.most.into()
        });
    }

    /// Finds the part nearest to a convex shape: that of the body `which`.
    fn find_near(&mut self, which: usize, shape: &Shape<'_>) {
        let [(_, pose), (body, body_pose)] =
            if which == 0 { [self.a, self.b] } else { [self.b, self.a] };
        let Some(of) = body.hierarchy() else { return };
        let near = NearShape::new((shape, pose), body_pose, ROUNDING);
        let enclosure = near.enclosure();
        let list;
        let groups: Option<&ListTriangles<'_>> = match body {
            Geometry::HeightField(field) => {
                list = |row, visitor: &mut dyn FnMut(_, _)| field.triangles_of(row, visitor);
                Some(&list)
            }
            _ => None,
        };
        let tree = (&of.tree, of.exec.level);
        near_body(tree, groups, (&enclosure, self.most), &mut |part| {
            let before = self.most;
            self.test(if which == 0 { [0, part] } else { [part, 0] });
            let found = self.found.filter(|_| self.most < before);
            let plane = found.and_then(|found| {
                let normal = V3::of(found.distance.normal);
                near.plane(enclosure.center, if which == 0 { normal } else { -normal })
            });
            (self.most, plane)
        });
    }

    /// Computes the distance of two parts, and keeps it if they are nearer.
    fn test(&mut self, [part_a, part_b]: [u32; 2]) {
        let (a, b) = (self.a, self.b);
        let mut within = None;
        with_part(a.0, part_a, &mut |shape_a| {
            with_part(b.0, part_b, &mut |shape_b| {
                within = distance_within((shape_a, a.1), (shape_b, b.1), self.most.into());
            });
        });
        let Some(distance) = within else { return };
        let parts = [a.0.number(part_a), b.0.number(part_b)];
        let reached = distance.distance;
        if reached < self.most || self.found.is_none() && reached == self.most {
            self.found = Some(PartDistance { distance, parts });
            self.most = reached;
        }
    }
}

/// Calls `visitor` with pairs of parts of two bodies of many parts whose boxes are at most `limit` apart. It returns the distance up to which further pairs
/// count, which never grows; a negative one ends the traversal.
pub(super) fn visit_near_parts(
    [a, b]: [(&Geometry<'_>, &Pose); 2],
    mut limit: f64,
    visitor: &mut dyn FnMut([u32; 2]) -> f64,
) {
    let (Some(around_a), Some(around_b)) = (a.0.bounds(), b.0.bounds()) else { return };
    let (Some(tree_a), Some(tree_b)) = (a.0.hierarchy(), b.0.hierarchy()) else { return };
    let [of_a, of_b] = [a.1, b.1].map(|pose| M3::of_quaternion(pose.rotation));
    let between = V3::of(a.1.position) - V3::of(b.1.position);
    let reach = a.0.extent().bounding_radius + b.0.extent().bounding_radius;
    let placement = Placement {
        rotation: of_b.back(&of_a).rows.map(V3::to_array),
        offset: of_b.rotate_back(between).to_array(),
        rounding: ROUNDING * (between.length() + reach),
    };
    let trees = [(&tree_a.tree, around_a), (&tree_b.tree, around_b)];
    near_pairs(trees, &placement, limit, &mut |[near_a, near_b]| {
        a.0.parts_of(near_a, Some(&placement), &mut |part_a, box_a| {
            b.0.parts_of(near_b, None, &mut |part_b, box_b| {
                if placement.are_within(limit, &box_a, &box_b) {
                    limit = visitor([part_a, part_b]);
                }
            });
        });
        limit
    });
}

/// Calls `visitor` with a part of a geometry as a shape about the origin of the geometry.
fn with_part(geometry: &Geometry<'_>, part: u32, visitor: &mut dyn FnMut(&Shape<'_>)) {
    match geometry {
        Geometry::Convex(shape) => visitor(shape),
        _ => geometry.part(part).with_shape(geometry.extent().size, visitor),
    }
}

impl Geometry<'_> {
    /// Returns the hierarchy of the parts; a convex shape has none.
    fn hierarchy(&self) -> Option<&Bvh> {
        match self {
            Self::Convex(_) => None,
            Self::Compound(compound) => Some(compound.tree()),
            Self::Mesh(mesh) => Some(mesh.tree()),
            Self::HeightField(field) => Some(field.tree()),
        }
    }

    /// Calls `visitor` with each part of a row of the hierarchy, and with a box around it: a row of a height field is a block of cells. The box of the
    /// row and those of its parts are in the axes to which `placement` leads, if there is one, or else in those of the geometry.
    fn parts_of(
        &self,
        (row, around): (u32, CenteredBox),
        placement: Option<&Placement>,
        visitor: &mut dyn FnMut(u32, CenteredBox),
    ) {
        let Self::HeightField(field) = self else { return visitor(row, around) };
        field.triangles_of(row, &mut |triangle, corners| {
            let own = CenteredBox::of(&Aabb::around_points(&corners));
            visitor(triangle, placement.map_or(own, |placement| placement.around(&own)));
        });
    }
}
