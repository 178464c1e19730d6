//! First times of contact of all parts of two bodies, and distances with the nearest parts.

use crate::agree::{agree, bits, fails, works};
use crate::shapes::{Both, length, of};
use std::ptr::null;
use swath::convex::gjk::Distance;
use swath::convex::toi::Settings;
use swath::mesh::{self, PartDistance, toi};
use swath::{Motion, Pair, Pose, Threads};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

/// Compares the first times of all parts of the first and the last shape, and the distances of all pairs.
pub(crate) fn run(
    bytes: &mut Bytes<'_>,
    shapes: &[Both],
    motions: &[Motion],
    pairs: &[Pair],
    settings: (&swath_toi_settings, Option<&Settings>),
) {
    let most = match bytes.byte() % 4 {
        0 => f32::INFINITY,
        1 => bytes.number(),
        _ => length(bytes),
    };
    let capacity = usize::from(bytes.byte() % 64);
    if let ([a, ..], [.., b], [of_a, ..], [.., of_b]) = (shapes, shapes, motions, motions) {
        each(([a, b], [of_a, of_b]), settings, capacity);
    }
    distances(shapes, motions, pairs, most);
}

fn each(
    ([a, b], motions): ([&Both; 2], [&Motion; 2]),
    (c_settings, settings): (&swath_toi_settings, Option<&Settings>),
    capacity: usize,
) {
    let [c_a, c_b] = motions.map(|motion| bytemuck::cast::<_, swath_motion>(*motion));
    let (mut results, mut count) = (vec![swath_toi_result::default(); capacity], usize::MAX);
    let status = unsafe {
        let (a, b, to) = (a.c.pointer, b.c.pointer, results.as_mut_ptr());
        swath_toi_each_part(a, &c_a, b, &c_b, c_settings, to, capacity, &mut count)
    };
    let Some(settings) = settings else {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    };
    let (a, b, mut contacts) = (a.rust.geometry(), b.rust.geometry(), Vec::new());
    let rust = toi::each_part(&a, motions[0], &b, motions[1], settings, &mut contacts);
    if contacts.len() > capacity {
        fails(status, SWATH_ERROR_TOO_SHORT);
        assert_eq!(count, contacts.len());
    } else if agree(rust, status).is_some() {
        let rust: Vec<_> = contacts.into_iter().map(of).collect();
        assert_eq!(bits(&results[..count]), bits(&rust));
    }
}

fn distance_of(found: Option<PartDistance>) -> swath_part_distance {
    let none = swath_part_distance { distance: f32::INFINITY, ..Default::default() };
    found.map_or(none, |PartDistance { distance, parts: [part_a, part_b] }| {
        let Distance { distance, normal, on_a, on_b } = distance;
        swath_part_distance { distance, normal, on_a, on_b, part_a, part_b }
    })
}

fn distances(shapes: &[Both], motions: &[Motion], pairs: &[Pair], most: f32) {
    let bodies: Vec<_> = shapes.iter().map(|shape| shape.c.pointer.cast_const()).collect();
    let geometries: Vec<_> = shapes.iter().map(|shape| shape.rust.geometry()).collect();
    let poses: Vec<Pose> = motions.iter().map(|motion| motion.pose).collect();
    let c_poses: &[swath_pose] = bytemuck::cast_slice(&poses);
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let mut results = vec![swath_part_distance::default(); pairs.len()];
    let status = unsafe {
        let c_pairs: &[swath_pair] = bytemuck::cast_slice(pairs);
        swath_distance_within_pairs(
            bodies.as_ptr(),
            c_poses.as_ptr(),
            bodies.len(),
            c_pairs.as_ptr(),
            pairs.len(),
            most,
            &exec,
            results.as_mut_ptr(),
        )
    };
    if let Some(invalid) = poses.iter().find_map(|pose| pose.validate().err()) {
        agree(Err::<(), _>(invalid), status);
        return;
    }
    let (mut rust, mut rejected) = (vec![None; pairs.len()], Vec::new());
    let threads = Threads::one();
    let found = mesh::distances_of_pairs(
        &geometries,
        &poses,
        pairs,
        most,
        &threads,
        &mut rejected,
        &mut rust,
    );
    if agree(found, status).is_none() {
        return;
    }
    for ((result, rust), pair) in results.iter().zip(rust).zip(pairs) {
        assert_eq!(bits(&[*result]), bits(&[distance_of(rust)]));
        if rust.is_some() {
            assert_finite(result);
        }
        let [a, b] = [pair.a, pair.b].map(|row| row as usize);
        let mut alone = swath_part_distance::default();
        let (to, [pose_a, pose_b]) = (&raw mut alone, [&c_poses[a], &c_poses[b]]);
        works(unsafe { swath_distance_within(bodies[a], pose_a, bodies[b], pose_b, most, to) });
        assert_eq!(bits(&[alone]), bits(&[*result]));
    }
}
