//! Hard segments and boxes.
//!
//! They are the pairs of `cases`: one box of each, and a moving corner of the other. They are changed so that
//! segments end at an event, run in planes of faces, and start on them.

use super::cases::cases;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::{Aabb, COORD_MAX, Segment};

/// A segment and a box, and their family.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub family: &'static str,
    pub segment: Segment,
    pub aabb: Aabb,
}

/// Fractions at which segments end, besides those of events.
const ENDS: [f32; 16] = [
    0.0,
    -0.0,
    f32::from_bits(1),
    f32::from_bits(3),
    f32::MIN_POSITIVE,
    1e-30,
    0.5,
    1.0,
    1.0,
    1.0,
    2.0,
    1e6,
    1e30,
    f32::MAX,
    f32::INFINITY,
    f32::INFINITY,
];

/// This many segments and boxes, all of them valid, from every family in turn.
pub fn rays(seed: u64, count: usize) -> impl Iterator<Item = Ray> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
    let rays = cases(seed, usize::MAX).map(move |case| {
        let (aabb, other) = (case.a.aabb, case.b.aabb);
        let mut ray = Ray { family: case.family, segment: Segment::default(), aabb };
        for axis in 0..3 {
            // The nearest corner, so that the gap is that of the pair.
            let low = other.min[axis] > aabb.max[axis]
                || other.max[axis] >= aabb.min[axis] && rng.random_range(0..2) == 0;
            ray.segment.start[axis] = if low { other.min[axis] } else { other.max[axis] };
            ray.segment.delta[axis] = case.b.delta[axis] - case.a.delta[axis];
        }
        ray.segment.max_fraction = ENDS[rng.random_range(0..ENDS.len())];
        change(&mut ray, &mut rng);
        ray
    });
    rays.filter(|ray| ray.segment.validate().is_ok() && ray.aabb.validate().is_ok()).take(count)
}

/// Changes that make a ray harder.
fn change(ray: &mut Ray, rng: &mut Xoshiro256PlusPlus) {
    let Ray { segment, aabb, .. } = ray;
    let axis = rng.random_range(0..3);
    match rng.random_range(0..20) {
        // In the plane of a face or an edge, to either side of it.
        0 => segment.delta[axis] = if rng.random_range(0..2) == 0 { 0.0 } else { -0.0 },
        1 => {
            segment.start[axis] = aabb.min[axis];
            segment.delta[axis] = 0.0;
        }
        2 => {
            segment.start[axis] = aabb.max[axis];
            segment.delta[axis] = -0.0;
            segment.start[(axis + 1) % 3] = aabb.min[(axis + 1) % 3];
        }
        3 => {
            segment.start[axis] = aabb.max[axis].next_up();
            segment.delta[axis] = 0.0;
        }
        // On faces, moving.
        4 => segment.start[axis] = aabb.min[axis],
        5 => segment.start = aabb.max,
        // Does not move.
        6 => segment.delta = [0.0, -0.0, 0.0],
        // As slow as denormal numbers, or as fast as the limit.
        7 => segment.delta[axis] *= 1e-38,
        8 => segment.delta[axis] = f32::from_bits(rng.random_range(1..0x0200_0000)),
        9 => segment.delta = segment.delta.map(|d| d * 1e-36),
        10 => segment.delta[axis] = COORD_MAX,
        // Ends at a face, just before or just after.
        11..=14 => {
            let face = if rng.random_range(0..2) == 0 { aabb.min } else { aabb.max };
            let end = (face[axis] - segment.start[axis]) / segment.delta[axis];
            let end = match rng.random_range(0..4) {
                0 => end.next_up(),
                1 => end.next_down(),
                _ => end,
            };
            if end >= 0.0 {
                segment.max_fraction = end;
            }
        }
        // Through a corner or an edge: the same path on at least two axes.
        15 | 16 => {
            let gap = aabb.min[axis] - segment.start[axis];
            for other in 0..3 {
                segment.start[other] = aabb.min[other] - gap;
                segment.delta[other] = segment.delta[axis];
            }
        }
        _ => {}
    }
}
