//! Lower bounds of the times of triangles for a shape that rotates by much.
//!
//! During the whole window, such a shape sweeps far more space than it fills at any time, and on a fine mesh thousands of triangles are there. In a
//! short part of the window it stays in a box that is hardly larger than its own. So the window is divided, and a triangle is apart until the first part in
//! which this box meets it (`narrowphase/toi/triangle_bounds.rs`); if there is no such part, it is not met at all.
//!
//! Such bounds take the time of a few searches, so they are not computed before some rounds have been spent.

use super::window_parts::{WindowParts, time_at};
use crate::columns::impl_memory;
use crate::lanes::Level;
use crate::narrowphase::toi::part_search::PartSearch;
use crate::narrowphase::toi::triangle_bounds::{TriangleBounds, TriangleColumns};
use alloc::vec::Vec;

/// Angle in radians by which the shape rotates in a part of the window, unless there would be too many parts.
const TURN: f64 = 1.0 / 16.0;

/// Least angle in radians for which a window is divided.
const TURN_MIN: f64 = 4.0 * TURN;

/// Greatest number of parts.
const PARTS_MAX: f64 = 64.0;

/// Bounds for the first parts of a window, in order.
#[derive(Debug, Default)]
pub(super) struct TurningBounds {
    bounds: Vec<TriangleBounds>,
    /// All parts of the window.
    parts: WindowParts,
}

impl_memory!(TurningBounds { bounds; without parts });

/// Returns whether the shape rotates so much in a window that dividing it pays.
pub(super) fn is_turning(search: &PartSearch<'_>, window: [f64; 2]) -> bool {
    search.turn(window) >= TURN_MIN
}

impl TurningBounds {
    /// Divides a window.
    pub(super) fn divide(&mut self, search: &PartSearch<'_>, window: [f64; 2]) {
        self.bounds.clear();
        let parts = search.turn(window) / TURN;
        // A comparison with NaN is false.
        let count = if parts < PARTS_MAX { parts as u32 + 1 } else { PARTS_MAX as u32 };
        self.parts = WindowParts { window, count };
    }

    /// Replaces the times before which triangles are apart by later ones; infinity if a triangle is apart in all parts. Only those of times up to `until`
    /// count.
    pub(super) fn delay(
        &mut self,
        search: &PartSearch<'_>,
        (level, corners): (Level, &TriangleColumns),
        times: &mut [f64],
        until: f64,
    ) {
        let mut left: u32 = 0;
        for (lane, &time) in times.iter().enumerate() {
            left |= u32::from(time <= until) << lane;
        }
        for k in 0..self.parts.count {
            let part = self.parts.part(k);
            if left == 0 || part[0] > until {
                break;
            }
            // Later parts may never be needed.
            if self.bounds.len() == k as usize {
                self.bounds.push(search.triangle_bounds(&search.path_box(part), part));
            }
            let fractions = self.bounds[k as usize].of(level, corners, times.len());
            for (lane, time) in times.iter_mut().enumerate() {
                // A triangle that is apart until a later part is not decided in this one.
                if left >> lane & 1 != 0 && fractions[lane] <= 1.0 && *time <= part[1] {
                    let met = time_at(fractions[lane], part);
                    *time = if met > *time { met } else { *time };
                    left &= !(1 << lane);
                }
            }
        }
        for (lane, time) in times.iter_mut().enumerate() {
            if left >> lane & 1 != 0 {
                *time = f64::INFINITY;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broadphase::bvh::write_triangle;
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::Shape;
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::toi::part_search::PartsExtent;
    use crate::narrowphase::toi::triangle_bounds::TRIANGLES;
    use crate::narrowphase::toi::{Settings, ToiResult, Touch, one_to_one};
    use alloc::format;

    /// Goal: a triangle is never apart until after its first contact, also if only the first times count, and most triangles that are missed are apart in all
    /// parts. Method: rods, boxes and balls that move, accelerate and rotate by up to two turns near random triangles and needles, at three scales, in
    /// parts of the tick; compared with the search for two shapes.
    #[test]
    fn triangles_are_apart_until_these_times() {
        let mut next = numbers_f32(7);
        let (mut hits, mut misses, mut rejected) = (0, 0, [0; 2]);
        for case in 0..1500_u32 {
            let scale = [1.0, 1e-6, 1e6][case as usize % 3];
            let mut vector = |most: f32| [0; 3].map(|_| most * scale * next());
            let [long, thin, _] = vector(1.0).map(f32::abs);
            let shape = match case % 4 {
                0 => Shape::cuboid([long, 0.1 * thin, 0.2 * thin]),
                1 | 2 => Shape::capsule(2.0 * long, 0.1 * thin),
                _ => Shape::sphere(0.3 * long),
            };
            let shape = shape.expect("valid lengths");
            let turn = vector(2.0 / scale);
            let pose = Pose::normalized(vector(1.0), [turn[0], turn[1], turn[2], 1.0]);
            let mut motion = Motion::new(pose.expect("a pose"), vector(1.0)).expect("a motion");
            motion.spin = vector([1.0, 4.0, 8.0][case as usize / 4 % 3]).map(|x| x / scale);
            if case % 5 == 0 {
                motion.accel = vector(1.0);
            }
            let mut columns = TriangleColumns::default();
            let mut triangles = [[[0.0; 3]; 3]; TRIANGLES];
            for (lane, triangle) in triangles.iter_mut().enumerate() {
                let thin = if lane % 4 == 3 { 1e-3 } else { 1.0 };
                let (first, sides) = (vector(1.5), [vector(1.0), vector(thin)]);
                let beside = |k: usize| [0, 1, 2].map(|axis| first[axis] + sides[k][axis]);
                *triangle = [first, beside(0), beside(1)];
                write_triangle(&mut columns, lane, *triangle);
            }
            let [from, to] = [[0.0, 1.0], [0.25, 1.0], [0.0, 0.6]][case as usize % 3];
            let window = [from as f32, to as f32];
            let settings = Settings { touch: Touch::Hit, window, ..Settings::default() };
            let size = f64::from(scale);
            let extent = PartsExtent { bounding_radius: 9.0 * size, size, one_sided: false };
            let still = Motion::default();
            let search = PartSearch::new(&shape, &motion, (&still, &extent), &settings, 1.0);
            let window = settings.window.map(f64::from);
            let mut turning = TurningBounds::default();
            turning.divide(&search, window);
            let bounds = search.triangle_bounds(&search.path_box(window), window);
            let whole = bounds.of(Level::detect(), &columns, TRIANGLES);
            let mut all = whole.map(|fraction| time_at(fraction, window));
            let mut early = all;
            let until = 0.5 * (window[0] + window[1]);
            turning.delay(&search, (Level::detect(), &columns), &mut early, until);
            turning.delay(&search, (Level::detect(), &columns), &mut all, window[1]);
            for lane in 0..TRIANGLES {
                let triangle = Shape::triangle(triangles[lane]).expect("a triangle");
                let found =
                    one_to_one(&shape, &motion, &triangle, &still, &settings).expect("valid");
                let text = || format!("{case} {lane}: {} {} {found:?}", all[lane], early[lane]);
                match found.result {
                    ToiResult::Impact { t, .. } => {
                        let t = f64::from(t);
                        hits += 1;
                        assert!(all[lane] <= t && (early[lane] <= t || t > until), "{}", text());
                    }
                    ToiResult::Overlapping { .. } => {
                        assert!(all[lane] == window[0] && early[lane] == window[0], "{}", text());
                    }
                    ToiResult::Unresolved { .. } => {}
                    ToiResult::Separated => {
                        misses += 1;
                        rejected[0] += usize::from(whole[lane] > 1.0);
                        rejected[1] += usize::from(all[lane] > window[1]);
                    }
                }
            }
        }
        assert!(hits > 1000 && misses > 10_000, "{hits} {misses}");
        let [whole, divided] = rejected.map(|count| misses - count);
        assert!(divided * 2 < whole, "{divided} of {whole} remain");
    }
}
