//! First times of contact of all parts of two bodies, and distances with the nearest parts.

use crate::error::{guard, swath_status};
use crate::exec::swath_exec;
use crate::queries::list;
use crate::shapes::{swath_motion, swath_pose, swath_shape};
use crate::times::{
    PlacedPairs, bodies, moving_bodies, of_motion, placed_pairs, settings, swath_toi_result,
    swath_toi_settings,
};
use crate::values::swath_pair;
use bytemuck::{Pod, Zeroable};
use swath::convex::gjk::Distance;
use swath::mesh::{self, PartDistance, toi};

/// Computes when each part of `a` first touches each part of `b`: `results` are the pairs of parts that touch, overlap at the start or are unresolved,
/// ordered by time, then by parts. An overlap counts as time 0. The parts of a mesh are its triangles; a convex shape is one part.
///
/// Each contact on an edge between two triangles has the normal of its own triangle's face, also where the bodies do not close along it and `swath_toi`
/// reports no impact.
///
/// `settings_of`: what counts as a contact, or NULL for the default.
/// `results`: memory for `capacity` results. `count`: how many there are. If there are more than `capacity`, the result is
/// `SWATH_ERROR_TOO_SHORT`, and `count` is written but `results` is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_toi_each_part(
    a: *const swath_shape,
    motion_a: *const swath_motion,
    b: *const swath_shape,
    motion_b: *const swath_motion,
    settings_of: *const swath_toi_settings,
    results: *mut swath_toi_result,
    capacity: usize,
    count: *mut usize,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (([a, b], [motion_a, motion_b]), settings) =
            unsafe { (moving_bodies([a, b], [motion_a, motion_b])?, settings(settings_of)?) };
        let (a, b, mut contacts) = (a.geometry(), b.geometry(), Vec::new());
        toi::each_part(&a, &motion_a, &b, &motion_b, &settings, &mut contacts)
            .map_err(of_motion)?;
        let found: Vec<swath_toi_result> = contacts.into_iter().map(Into::into).collect();
        // SAFETY: as above.
        unsafe { list(&found, results, capacity, count) }
    })
}

/// The distance of two bodies, and which of their parts are the nearest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct swath_part_distance {
    /// A lower bound of the distance, as in `swath_distance_result`; below zero if the bodies overlap, and infinite if the distance is greater than the
    /// greatest one.
    pub distance: f32,
    /// The unit normal, from `a` to `b`; zero if the distance is infinite.
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b`, in world coordinates.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a`, in world coordinates.
    pub on_b: [f32; 3],
    /// The nearest part of `a`: the triangle of a mesh or height field, or the shape of a compound, else 0.
    pub part_a: u32,
    /// The nearest part of `b`.
    pub part_b: u32,
}

impl From<Option<PartDistance>> for swath_part_distance {
    fn from(found: Option<PartDistance>) -> Self {
        let Some(PartDistance { distance, parts: [part_a, part_b] }) = found else {
            return Self { distance: f32::INFINITY, ..Self::default() };
        };
        let Distance { distance, normal, on_a, on_b } = distance;
        Self { distance, normal, on_a, on_b, part_a, part_b }
    }
}

/// Computes the distance of two bodies of any kind, each at a pose, as `swath_distance` does, with the nearest parts. It searches only as far as `max_distance`,
/// which takes less time for bodies that are farther apart.
///
/// `max_distance`: the greatest distance, at least 0; it may be infinite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_distance_within(
    a: *const swath_shape,
    pose_a: *const swath_pose,
    b: *const swath_shape,
    pose_b: *const swath_pose,
    max_distance: f32,
    result: *mut swath_part_distance,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ([a, b], [pose_a, pose_b], to) = unsafe { bodies([a, b], [pose_a, pose_b], result)? };
        to.write(a.geometry().distance(&pose_a, &b.geometry(), &pose_b, max_distance)?.into());
        Ok(())
    })
}

/// Computes the distance of the two bodies of each pair, as `swath_distance_within` does: `results[k]` is that of `pairs[k]`. The other arguments are those
/// of `swath_toi_pairs`, with a pose for each body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_distance_within_pairs(
    bodies: *const *const swath_shape,
    poses: *const swath_pose,
    count: usize,
    pairs: *const swath_pair,
    pair_count: usize,
    max_distance: f32,
    exec_of: *const swath_exec,
    results: *mut swath_part_distance,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let PlacedPairs { bodies, poses, pairs, threads, to } =
            unsafe { placed_pairs((bodies, poses, count), (pairs, pair_count), exec_of, results)? };
        let geometries: Vec<_> = bodies.iter().map(|body| body.geometry()).collect();
        let (mut found, rejected) = (vec![None; to.len()], &mut Vec::new());
        mesh::distances_of_pairs(
            &geometries,
            poses,
            pairs,
            max_distance,
            &threads,
            rejected,
            &mut found,
        )?;
        to.iter_mut().zip(found).for_each(|(to, found)| *to = found.into());
        Ok(())
    })
}
