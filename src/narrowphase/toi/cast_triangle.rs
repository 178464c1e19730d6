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
use crate::narrowphase::math::{V3, lesser};

/// The path of a point and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PointCast {
    /// The path does not touch the triangle, or comes from behind a one-sided one.
    Missed,
    /// The path crosses the inside of the triangle between the two times, and not before the first.
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
        let (mut left, mut right, mut clear) = (false, false, true);
        for (at, (p, q)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            let side = direction.dot(p.cross(q));
            let error = 2.0 * self.slack * speed * (lengths[at] + lengths[(at + 1) % 3]);
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
        let error = CROSSING_ERROR * self.slack / speed;
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
