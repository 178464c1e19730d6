//! Where a straight path of a point crosses a triangle, without a search, if rounding leaves no doubt.
//!
//! With the corners `a, b, c` relative to the start of the path and its direction `d`, the line passes the edge from
//! `p` to `q` on the side of the sign of `d·(p×q)`. The line meets the inside of the triangle if the three signs are
//! equal, and misses the closed triangle if two of them differ (Segura and Feito 2001). It crosses the plane at
//! `t = (n·a)/(n·d)` with the normal `n`.
//!
//! Each corner is known to within the slack `s` of the search. So `d·(p×q)` is known to within `2·s·|d|·(|p| + |q|)`,
//! which also covers the rounding of the product, because `s` is at least `2⁻⁴⁴` of `|p|` and of `|q|`. If `|n·d|` is
//! at least `2⁻¹⁰` of the greatest value that it can have, `t` is known to within `2¹²·s/|d|`. Every other triangle is
//! left to the search.

use super::part_search::PartSearch;
use crate::geom::MapEach;
use crate::narrowphase::math::{V3, greater, lesser};

/// The path of a point and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PointCast {
    /// The path does not touch the triangle, or comes from behind a one-sided one.
    Missed,
    /// The path crosses the inside of the triangle: not before `first`, and at `t` but for rounding.
    Crosses {
        /// A time that is proved to be not later.
        first: f64,
        /// The time, computed.
        t: f64,
    },
    /// Rounding decides: the path is near an edge, along the plane, or starts on it.
    Unclear,
}

/// Least `|n·d|` relative to the product of both sides of the triangle and the direction.
const STEEP: f64 = 1.0 / 1024.0;

/// Bound of the error of the crossing time, in units of the slack over the speed.
const CROSSING_ERROR: f64 = 4096.0;

impl PartSearch<'_> {
    /// Computes where the shape, a point on a straight path, crosses a triangle of a body at rest until `last`.
    pub(crate) fn cast_point(&self, corners: &[[f32; 3]; 3], last: f64) -> PointCast {
        let direction = -self.path.velocity(0.0);
        let start = -self.path.between(0.0);
        let speed = direction.length();
        let [first, second, third] = corners.map_each(V3::of);
        let [a, b, c] = [first - start, second - start, third - start];
        let lengths = [a, b, c].map_each(V3::length);
        let slack = self.accuracy(greater(lengths[0], greater(lengths[1], lengths[2]))).slack;
        let (mut left, mut right, mut clear) = (false, false, true);
        for (at, (p, q)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            let side = direction.dot(p.cross(q));
            let error = 2.0 * slack * speed * (lengths[at] + lengths[(at + 1) % 3]);
            left |= side > error;
            right |= side < -error;
            clear &= side > error || side < -error;
        }
        if left && right {
            return PointCast::Missed;
        }
        let sides = [second - first, third - first];
        let normal = sides[0].cross(sides[1]);
        let pace = normal.dot(direction);
        let steep = STEEP * sides[0].length() * sides[1].length() * speed;
        // A comparison with NaN is false.
        if !(pace.abs() >= steep && steep > 0.0) {
            return PointCast::Unclear;
        }
        let error = CROSSING_ERROR * slack / speed;
        let t = normal.dot(a) / pace;
        if t > last + error || t < -error || self.one_sided && pace > 0.0 && t > error {
            return PointCast::Missed;
        }
        if clear && t > error {
            PointCast::Crosses { first: lesser(t - error, last), t }
        } else {
            PointCast::Unclear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::toi::part_search::PartsExtent;
    use crate::narrowphase::toi::settings::Settings;

    /// A point that moves by `delta` from `from`, and a body at rest, whose triangles have a back.
    struct Cast {
        motion: Motion,
        body: Motion,
        one_sided: bool,
    }

    impl Cast {
        fn new(from: [f32; 3], delta: [f32; 3]) -> Self {
            let pose = Pose::at(from).expect("a position");
            let motion = Motion::new(pose, delta).expect("a motion");
            Self { motion, body: Motion::default(), one_sided: false }
        }

        /// Returns the result for a triangle and the slack of the search, for the time until `last`.
        fn of(&self, corners: &[[f32; 3]; 3], last: f64) -> (PointCast, f64) {
            let extent = PartsExtent { bounding_radius: 8.0, size: 8.0, one_sided: self.one_sided };
            let (point, settings) = (Shape::point(), Settings::default());
            let search =
                PartSearch::new(&point, &self.motion, (&self.body, &extent), &settings, 1.0);
            let start = V3::of(self.motion.pose.position);
            let lengths = corners.map_each(|corner| (V3::of(corner) - start).length());
            let slack = search.accuracy(lengths.into_iter().fold(0.0, f64::max)).slack;
            (search.cast_point(corners, last), slack)
        }
    }

    /// A triangle in the plane `x = 2`, whose front is on the side of greater `x`, and which contains `(2, 0, 0)`.
    const TRIANGLE: [[f32; 3]; 3] = [[2.0, -2.0, -1.0], [2.0, 1.0, -1.0], [2.0, 1.0, 5.0]];

    /// Its corners, each of which may be the first.
    fn cyclic_orders(triangle: [[f32; 3]; 3]) -> [[[f32; 3]; 3]; 3] {
        let [a, b, c] = triangle;
        [[a, b, c], [b, c, a], [c, a, b]]
    }

    #[test]
    fn path_through_the_inside_crosses_at_the_time_of_the_plane() {
        // The length of the displacement, 6, is not that of its component along the normal, 4.
        let cast = Cast::new([-1.0, 0.0, 0.5], [4.0, 4.0, -2.0]);
        let inside = [[2.0, 0.0, -3.0], [2.0, 5.0, -3.0], [2.0, 3.0, 4.0]];
        for triangle in cyclic_orders(inside) {
            let (result, slack) = cast.of(&triangle, 1.0);
            let PointCast::Crosses { first, t } = result else { panic!("{result:?}") };
            assert_eq!(t, 0.75);
            assert!((t - first - 4096.0 * slack / 6.0).abs() < 1e-15, "{first}");
            // The time is inside the window, or at most by its error after it.
            assert!(matches!(cast.of(&triangle, 0.75).0, PointCast::Crosses { .. }));
            assert_eq!(cast.of(&triangle, 0.75 - 1e-9).0, PointCast::Missed);
            let last = 0.75 - 0.5 * (t - first);
            assert_eq!(cast.of(&triangle, last).0, PointCast::Crosses { first, t });
            // A window that ends before the earlier of both times ends it.
            let last = 0.75 - 0.9999 * (t - first);
            assert_eq!(cast.of(&triangle, last).0, PointCast::Crosses { first, t });
        }
    }

    #[test]
    fn path_beside_an_edge_misses() {
        let edges = [[2.0, 0.0, -1.5], [2.0, 1.5, 0.0], [2.0, -1.0, 2.0]];
        for [_, y, z] in edges {
            for triangle in cyclic_orders(TRIANGLE) {
                let cast = Cast::new([0.0, y, z], [4.0, 0.0, 0.0]);
                assert_eq!(cast.of(&triangle, 1.0).0, PointCast::Missed, "{y} {z}");
                let back = Cast::new([4.0, y, z], [-4.0, 0.0, 0.0]);
                assert_eq!(back.of(&triangle, 1.0).0, PointCast::Missed, "{y} {z}");
            }
        }
    }

    #[test]
    fn path_that_ends_before_the_plane_or_starts_behind_it_misses() {
        for triangle in cyclic_orders(TRIANGLE) {
            for (from, delta) in [(0.0, 1.5), (0.0, -4.0), (4.0, 4.0), (4.0, -1.5)] {
                let cast = Cast::new([from, 0.0, 0.0], [delta, 0.0, 0.0]);
                assert_eq!(cast.of(&triangle, 1.0).0, PointCast::Missed, "{from} {delta}");
            }
        }
    }

    #[test]
    fn one_sided_triangle_is_crossed_from_its_front_alone() {
        for triangle in cyclic_orders(TRIANGLE) {
            let mut back = Cast::new([0.0; 3], [4.0, 0.0, 0.0]);
            let mut front = Cast::new([4.0, 0.0, 0.0], [-4.0, 0.0, 0.0]);
            let crosses = |cast: &Cast| {
                matches!(cast.of(&triangle, 1.0).0, PointCast::Crosses { t: 0.5, .. })
            };
            assert!(crosses(&back) && crosses(&front));
            (back.one_sided, front.one_sided) = (true, true);
            assert!(crosses(&front));
            assert_eq!(back.of(&triangle, 1.0).0, PointCast::Missed);
            // It may have been in front of it when it starts on the plane.
            let mut on_plane = Cast::new([2.0, 0.0, 0.0], [4.0, 0.0, 0.0]);
            on_plane.one_sided = true;
            assert_eq!(on_plane.of(&triangle, 1.0).0, PointCast::Unclear);
        }
    }

    #[test]
    fn start_on_the_plane_and_path_along_it_are_unclear() {
        for triangle in cyclic_orders(TRIANGLE) {
            for delta in [4.0, -4.0] {
                let cast = Cast::new([2.0, 0.0, 0.0], [delta, 0.0, 0.0]);
                assert_eq!(cast.of(&triangle, 1.0).0, PointCast::Unclear);
            }
            let along = Cast::new([2.0, 0.0, 0.0], [0.0, 0.25, 0.25]);
            assert_eq!(along.of(&triangle, 1.0).0, PointCast::Unclear);
            let at_rest = Cast::new([1.0, 0.0, 0.0], [0.0; 3]);
            assert_eq!(at_rest.of(&triangle, 1.0).0, PointCast::Unclear);
        }
        let needle = [[2.0, -2.0, 0.0], [2.0, 1.0, 0.0], [2.0, 4.0, 0.0]];
        let cast = Cast::new([0.0; 3], [4.0, 0.0, 0.0]);
        assert_eq!(cast.of(&needle, 1.0).0, PointCast::Unclear);
    }

    /// Goal: the path counts as beside an edge, or inside of it, exactly if that is proved. Method: the first edge is on
    /// the axis `x`, which the path passes at a multiple of the distance that the error allows.
    #[test]
    fn path_is_unclear_within_the_error_of_an_edge() {
        let corners = [[-3.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 6.0, 0.0]];
        let at = |y: f32| Cast::new([0.0, y, 2.0], [0.0, 0.0, -4.0]);
        let slack = at(0.0).of(&corners, 1.0).1;
        // Both ends of the edge, relative to the start, have a length above 3 and 4; the edge has 7.
        let lengths = 13.0_f64.sqrt() + 20.0_f64.sqrt();
        let error = 2.0 * slack * lengths / 7.0;
        for triangle in cyclic_orders(corners) {
            for (factor, expected) in [(0.99, false), (1.01, true)] {
                let inside = at((factor * error) as f32).of(&triangle, 1.0).0;
                let outside = at(-(factor * error) as f32).of(&triangle, 1.0).0;
                assert_eq!(matches!(inside, PointCast::Crosses { .. }), expected, "{inside:?}");
                assert_eq!(outside == PointCast::Missed, expected, "{outside:?}");
                if !expected {
                    assert_eq!([inside, outside], [PointCast::Unclear; 2]);
                }
            }
        }
    }

    /// A path at a flat angle has a time that rounding may change; it is unclear from `2⁻¹⁰` of the greatest product on, whatever its speed.
    #[test]
    fn flat_path_is_unclear() {
        let corners = [[-3.0, -2.0, 0.0], [5.0, -2.0, 0.0], [-3.0, 8.0, 0.0]];
        for (height, clear) in [(1.01 / 1024.0, true), (0.99 / 1024.0, false)] {
            for speed in [1.0_f32, 1.5, -0.5, -4.0] {
                let sign = speed.signum();
                // Its start is at half of the height, on the side from which it comes.
                let from = [-1.0, 0.0, 0.5 * sign * height];
                let cast = Cast::new(from, [speed.abs(), 0.0, -height * speed]);
                let result = cast.of(&corners, 1.0).0;
                assert_eq!(matches!(result, PointCast::Crosses { .. }), clear, "{result:?}");
                assert_eq!(result == PointCast::Unclear, !clear, "{result:?}");
            }
        }
    }

    /// The start counts as on the plane within the error of the time.
    #[test]
    fn start_near_the_plane_is_unclear_within_the_error_of_the_time() {
        let corners = [[-3.0, -2.0, 0.0], [5.0, -2.0, 0.0], [-3.0, 8.0, 0.0]];
        let at = |z: f32, delta: f32| Cast::new([0.0, 0.0, z], [0.0, 0.0, delta]);
        // The distance of the start is its time times the speed.
        let error = 4096.0 * at(0.0, 4.0).of(&corners, 1.0).1;
        for sign in [1.0_f32, -1.0] {
            let result = |factor: f64, delta: f32| {
                at((factor * error) as f32 * sign, delta * sign).of(&corners, 1.0).0
            };
            assert!(matches!(result(1.01, -4.0), PointCast::Crosses { .. }));
            assert_eq!(result(0.99, -4.0), PointCast::Unclear);
            assert_eq!(result(0.99, 4.0), PointCast::Unclear);
            assert_eq!(result(1.01, 4.0), PointCast::Missed);
        }
    }
}
