//! Which point of a shape's core is furthest in a direction?
//!
//! A shape is a core and a margin: every point at most the margin from the core. The search for
//! distances runs on cores, so a ball is a point and a capsule a segment, exactly. Numbers are
//! `f64` made of the caller's `f32`: products of two are exact, so a scale loses nothing.

use super::SupportMap;
use super::hull::Hull;
use super::math::{V3, greater, sqrt};
use crate::geom::MapEach;

/// A shape without its margin, about the origin of its own axes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Core<'a> {
    /// `±half`; also the point and the segment along an axis.
    Box { half: V3 },
    /// Three points: a triangle, or a segment with one end twice.
    Triangle { points: [V3; 3] },
    /// A disc of `radius` across `y` at `low`, another of `top` times that at `high`; then scaled.
    /// `top` is 1 for a cylinder, 0 for a cone.
    Discs { radius: f64, top: f64, low: f64, high: f64, scale: V3 },
    /// Vertices, scaled.
    Hull { hull: &'a Hull, scale: V3 },
    /// The caller's own, scaled.
    Map { map: &'a dyn SupportMap, scale: V3, radius: f64 },
}

impl Core<'_> {
    /// A furthest point in `direction`, which is not zero. Of several any one, but always the same.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> V3 {
        let d = direction;
        match self {
            Self::Box { half } => {
                V3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z))
            }
            Self::Hull { hull, scale } => hull.support(d.times(*scale)).times(*scale),
            _ => self.other_support(d.x, d.y, d.z),
        }
    }

    /// [`Core::support`] of what is not asked for most often: by numbers one by one, see
    /// [`Hull::support`].
    fn other_support(&self, x: f64, y: f64, z: f64) -> V3 {
        let d = V3::new(x, y, z);
        match self {
            Self::Triangle { points: [a, b, c] } => {
                let (to_a, to_b, to_c) = (d.dot(*a), d.dot(*b), d.dot(*c));
                let (best, to_best) = if to_b > to_a { (*b, to_b) } else { (*a, to_a) };
                if to_c > to_best { *c } else { best }
            }
            Self::Discs { radius, top, low, high, scale } => {
                let u = d.times(*scale);
                let across = sqrt(u.x * u.x + u.z * u.z);
                // Discs are compared by what they reach; a direction along `y` has no rim point.
                let (x, z) = if across > 0.0 { (u.x / across, u.z / across) } else { (0.0, 0.0) };
                let rim = radius * across;
                let up = u.y * high + rim * top > u.y * low + rim;
                let (y, r) = if up { (*high, radius * top) } else { (*low, *radius) };
                V3::new(x * r, y, z * r).times(*scale)
            }
            Self::Map { map, scale, radius } => {
                let [x, y, z] = map.support(scaled(d.times(*scale)).to_array());
                let point = V3::new(x, y, z);
                // A map that breaks its promises tells nothing. NaN is in no range.
                if point.length() <= radius * OUTSIDE { point.times(*scale) } else { V3::NAN }
            }
            Self::Box { .. } | Self::Hull { .. } => self.support(d),
        }
    }

    /// The axis through the origin about which it is a body of revolution, if there is one.
    pub(super) fn axis(&self) -> Option<usize> {
        match self {
            Self::Box { half } => match [half.x > 0.0, half.y > 0.0, half.z > 0.0] {
                [_, false, false] => Some(0),
                [false, _, false] => Some(1),
                [false, false, _] => Some(2),
                _ => None,
            },
            Self::Discs { scale, .. } => (scale.x.abs() == scale.z.abs()).then_some(1),
            _ => None,
        }
    }

    /// The greatest magnitude of a coordinate, by axis; not less.
    pub(super) fn extent(&self) -> V3 {
        let along = |axis: V3| {
            let [up, down] =
                [self.support(axis), self.support(-axis)].map_each(|end| end.dot(axis).abs());
            if up > down { up } else { down }
        };
        V3::new(along(V3::X), along(V3::new(0.0, 1.0, 0.0)), along(V3::new(0.0, 0.0, 1.0)))
    }

    /// A length that no point is further from the origin than, but for rounding.
    pub(super) fn reach(&self) -> f64 {
        match self {
            Self::Box { half } => half.length(),
            Self::Triangle { points } => {
                points.iter().fold(0.0, |most, point| greater(point.length(), most))
            }
            Self::Discs { radius, top, low, high, scale } => {
                let across = radius * greater(scale.x.abs(), scale.z.abs());
                let to = |y: f64, r: f64| V3::new(y * scale.y, across * r, 0.0).length();
                greater(to(*low, 1.0), to(*high, *top))
            }
            Self::Hull { hull, scale } => hull
                .vertices()
                .fold(0.0, |most, vertex| greater(V3::of(vertex).times(*scale).length(), most)),
            Self::Map { scale, radius, .. } => {
                let V3 { x, y, z } = scale.abs();
                radius * greater(greater(x, y), z)
            }
        }
    }

    /// Half the diagonal of the box around it in its own axes: its size, wherever its origin is.
    pub(super) fn half_diagonal(&self) -> f64 {
        let along = |axis: V3| (self.support(axis) - self.support(-axis)).dot(axis);
        let sides =
            V3::new(along(V3::X), along(V3::new(0.0, 1.0, 0.0)), along(V3::new(0.0, 0.0, 1.0)));
        0.5 * sides.length()
    }
}

/// How much of its bounding radius a point of a caller's shape may be from the origin: rounding.
const OUTSIDE: f64 = 1.0 + 1.0 / (1_u64 << 40) as f64;

/// A direction of this one's, with a greatest component in `[1, 2)`. It is brought there by a power
/// of two, which changes no digit.
#[inline(always)]
pub(super) fn scaled(direction: V3) -> V3 {
    let V3 { x, y, z } = direction.abs();
    let most = greater(greater(x, y), z);
    // A shape that is scaled flat across the direction has all its points there. NaN is in no range,
    // and a sum has it where a component has.
    if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&most) || (x + y + z).is_nan() {
        return V3::X;
    }
    // The reciprocal of the power of two below it: the exponents add up to twice the bias.
    let power = most.to_bits() & f64::INFINITY.to_bits();
    direction * f64::from_bits((2046 << 52) - power)
}
