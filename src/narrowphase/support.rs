//! Support functions of the cores of shapes: the farthest point in a direction; and the support map of a caller.
//!
//! A shape is a core and a radius: it contains every point at most the radius from the core.
//! Distances are computed for cores, so a ball is a point and a capsule a segment, exactly. Numbers
//! are `f64` made of the caller's `f32`: a product of two of these is exact, so the first scaling
//! loses nothing, and each further one is rounded.

use super::hull::Hull;
use super::math::{M3, V3, greater, lesser, scaled, sqrt};
use crate::geom::{MapEach, each_axis};
use crate::lanes::Isa;
use core::fmt;

/// A convex shape defined by the caller.
///
/// ```
/// use swath::Shape;
/// use swath::convex::SupportMap;
///
/// /// Half axes along x, y and z.
/// #[derive(Debug)]
/// struct Ellipsoid([f64; 3]);
///
/// impl SupportMap for Ellipsoid {
///     fn support(&self, direction: [f64; 3]) -> [f64; 3] {
///         let Self(half) = self;
///         let scaled: [f64; 3] = std::array::from_fn(|axis| half[axis] * direction[axis]);
///         let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
///         std::array::from_fn(|axis| half[axis] * scaled[axis] / length)
///     }
///     fn bounding_radius(&self) -> f64 {
///         self.0.iter().copied().fold(0.0, f64::max)
///     }
/// }
///
/// let egg = Ellipsoid([1.0, 2.0, 1.0]);
/// let bounds = Shape::custom(&egg)?.bounds(&swath::Pose::IDENTITY)?;
/// assert!(bounds.max[1] >= 2.0 && bounds.max[1] < 2.000001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SupportMap: fmt::Debug + Send + Sync {
    /// Returns a point of the shape farthest along `direction`, which is finite and not zero. No
    /// point of the shape may be farther by more than 2⁻⁴⁸ of [`SupportMap::bounding_radius`];
    /// otherwise first times may be late. The result must be the same for the same direction,
    /// finite, and within the bounding radius. A point that is not finite or outside of it is not
    /// used: a first time is then [`Unresolved`](super::toi::ToiResult::Unresolved), a distance is
    /// that of the bounding balls, and bounds are an error.
    fn support(&self, direction: [f64; 3]) -> [f64; 3];

    /// Returns the radius of a ball about the origin that contains the shape.
    fn bounding_radius(&self) -> f64;
}

/// A shape without its radius, about the origin of its own axes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Core<'a> {
    /// Box of half extents `half`; also the point and the segment along an axis. Its centre is at `center` from the position of the
    /// body, without a rotation: zero but for a box that is given by its faces.
    Box { half: V3, center: [f32; 3] },
    /// Triangle, or segment with one end twice.
    Triangle { points: [V3; 3] },
    /// Disc of `radius` across `y` at `low` and disc of `top` times that radius at `high`, then
    /// scaled. `top` is 1 for a cylinder and 0 for a cone.
    Discs { radius: f64, top: f64, low: f64, high: f64, scale: V3 },
    /// Vertices of a hull, scaled.
    Hull { hull: &'a Hull, scale: V3 },
    /// Support map of the caller, scaled.
    Map { map: &'a dyn SupportMap, scale: V3, radius: f64 },
    /// Core of a part of a body, about the origin of the body.
    Placed(&'a PlacedCore<'a>),
}

/// A core with its pose in the axes of a body that it is a part of.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedCore<'a> {
    pub(super) core: Core<'a>,
    pub(super) rotation: M3,
    pub(super) offset: V3,
}

impl Core<'_> {
    /// Returns a farthest point in `direction`, which is not zero. Of several, the choice is always
    /// the same.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> V3 {
        let d = direction;
        match self {
            Self::Box { half, .. } => half.copysign(d),
            Self::Hull { hull, scale } => hull.support(d.times(*scale)).times(*scale),
            _ => self.other_support(d.x, d.y, d.z),
        }
    }

    /// Does what [`Core::support`] does, in a level that has been entered.
    #[inline(always)]
    pub(super) fn support_on<I: Isa>(&self, isa: I, direction: V3) -> V3 {
        match self {
            Self::Hull { hull, scale } => {
                hull.support_on(isa, direction.times(*scale)).times(*scale)
            }
            _ => self.support(direction),
        }
    }

    /// Returns the box about the origin with these half extents.
    pub(super) fn of_box(half: V3) -> Self {
        Self::Box { half, center: [0.0; 3] }
    }

    /// Returns where the core is, from the position of its body.
    #[inline(always)]
    pub(super) fn center(&self) -> V3 {
        match self {
            Self::Box { center, .. } => V3::of(*center),
            _ => V3::ZERO,
        }
    }

    /// Returns the factors on each axis by which a hull is scaled.
    #[inline(always)]
    pub(super) fn scale(&self) -> V3 {
        match self {
            Self::Hull { scale, .. } => *scale,
            _ => V3::ONE,
        }
    }

    /// Number of vertices of a hull, and zero for other cores.
    #[inline(always)]
    pub(super) fn vertices(&self) -> usize {
        if let Self::Hull { hull, .. } = self { hull.len() } else { 0 }
    }

    /// Does what [`Core::support`] does, for a hull without its scale, and in the lanes of a level that has been entered. Also returns the
    /// product with `direction`.
    #[inline(always)]
    pub(super) fn unscaled_support<I: Isa>(&self, isa: I, direction: V3) -> (V3, f64) {
        match self {
            Self::Box { half, .. } => (half.copysign(direction), half.dot(direction.abs())),
            Self::Hull { hull, .. } => hull.support_in(isa, direction),
            _ => {
                let point = self.other_support(direction.x, direction.y, direction.z);
                (point, point.dot(direction))
            }
        }
    }

    /// Returns the product of `direction` with a farthest point.
    #[inline(always)]
    pub(super) fn support_value(&self, direction: V3) -> f64 {
        match self {
            Self::Box { half, .. } => half.dot(direction.abs()),
            Self::Hull { hull, scale } => hull.support_value(direction.times(*scale)),
            _ => self.other_support(direction.x, direction.y, direction.z).dot(direction),
        }
    }

    /// Returns the product of `direction` with a farthest point, and that point: the results of [`Core::support_value`] and of
    /// [`Core::support`]. The product is known earlier for few vertices.
    #[inline(always)]
    pub(super) fn value_and_support(&self, direction: V3) -> (f64, V3) {
        match self {
            Self::Box { half, .. } => (half.dot(direction.abs()), half.copysign(direction)),
            Self::Hull { hull, scale } => {
                let (value, vertex) = hull.value_and_support(direction.times(*scale));
                (value, vertex.times(*scale))
            }
            _ => {
                let point = self.other_support(direction.x, direction.y, direction.z);
                (point.dot(direction), point)
            }
        }
    }

    /// Returns the least and the greatest product of a point of the core with each of three directions, if that takes less time than six
    /// supports.
    #[inline]
    pub(super) fn ranges(&self, directions: &[V3; 3]) -> Option<[[f64; 2]; 3]> {
        match self {
            Self::Hull { hull, scale } if *scale == V3::ONE => hull.ranges(directions),
            _ => None,
        }
    }

    /// Returns the greatest product of a point of the core with the opposite of each of three directions, and with the direction.
    pub(super) fn reaches(&self, directions: &[V3; 3]) -> [[f64; 2]; 3] {
        if let Some(ranges) = self.ranges(directions) {
            return ranges.map_each(|[least, greatest]| [-least, greatest]);
        }
        directions.map_each(|direction| match self {
            Self::Box { half, .. } => [half.dot(direction.abs()); 2],
            _ => [-direction, direction].map_each(|to| self.support(to).dot(to)),
        })
    }

    /// Does what [`Core::support`] does, for the less common cores. The components are separate arguments for the reason that
    /// `Hull::row` states.
    fn other_support(&self, x: f64, y: f64, z: f64) -> V3 {
        let d = V3::new(x, y, z);
        match self {
            Self::Triangle { points: [a, b, c] } => {
                let (to_a, to_b, to_c) = (d.dot(*a), d.dot(*b), d.dot(*c));
                let (best, to_best) = if to_b > to_a { (*b, to_b) } else { (*a, to_a) };
                if to_c > to_best { *c } else { best }
            }
            Self::Discs { radius, top, low, high, scale } => {
                let mut u = d.times(*scale);
                let mut across = sqrt(u.x * u.x + u.z * u.z);
                if !(ACROSS_MIN..f64::INFINITY).contains(&across) {
                    // The farthest point does not depend on the length of the direction.
                    u = scaled(d).times(*scale);
                    across = sqrt(u.x * u.x + u.z * u.z);
                }
                // Discs are compared by their extents. A direction along `y` has no rim point.
                let (x, z) = if across > 0.0 { (u.x / across, u.z / across) } else { (0.0, 0.0) };
                let rim = radius * across;
                let up = u.y * high + rim * top > u.y * low + rim;
                let (y, r) = if up { (*high, radius * top) } else { (*low, *radius) };
                V3::new(x * r, y, z * r).times(*scale)
            }
            Self::Map { map, scale, radius } => {
                let [x, y, z] = map.support(scaled(d.times(*scale)).to_array());
                let point = V3::new(x, y, z);
                // A point outside of the bounding radius is invalid and becomes NaN. NaN is outside
                // of every range.
                if point.length() <= radius * OUTSIDE { point.times(*scale) } else { V3::NAN }
            }
            Self::Placed(PlacedCore { core, rotation, offset }) => {
                *offset + rotation.rotate(core.support(rotation.rotate_back(d)))
            }
            Self::Box { .. } | Self::Hull { .. } => self.support(d),
        }
    }

    /// Returns the axis through the origin about which the core is a body of revolution, if there is
    /// one.
    pub(super) fn axis(&self) -> Option<usize> {
        match self {
            Self::Box { half, .. } => match [half.x > 0.0, half.y > 0.0, half.z > 0.0] {
                [_, false, false] => Some(0),
                [false, _, false] => Some(1),
                [false, false, _] => Some(2),
                _ => None,
            },
            Self::Discs { scale, .. } => (scale.x.abs() == scale.z.abs()).then_some(1),
            _ => None,
        }
    }

    /// Returns the normal of the side of a body of revolution, of any length: its parts across the axis and along it.
    pub(super) fn side(&self) -> [f64; 2] {
        let Self::Discs { radius, top, low, high, scale } = self else { return [1.0, 0.0] };
        // A negative scale turns the discs upside down.
        let wider = radius * (1.0 - top) * scale.x.abs();
        [(high - low) * scale.y.abs(), if scale.y < 0.0 { -wider } else { wider }]
    }

    /// Returns the half extents of a box, which are zero for a point.
    #[inline]
    pub(super) fn half_extents(&self) -> Option<V3> {
        match self {
            Self::Box { half, .. } => Some(*half),
            _ => None,
        }
    }

    /// Returns the least and the greatest coordinate on each axis, if the core is a hull, which stores them.
    pub(super) fn hull_corners(&self) -> Option<[V3; 2]> {
        let Self::Hull { hull, scale } = self else { return None };
        let [one, two] = hull.corners().map_each(|corner| corner.times(*scale).to_array());
        // A negative factor exchanges them.
        let low = each_axis(|axis| lesser(one[axis], two[axis]));
        let high = each_axis(|axis| greater(one[axis], two[axis]));
        Some([low, high].map_each(|[x, y, z]| V3::new(x, y, z)))
    }

    /// Upper bound of the magnitude of a coordinate on each axis.
    pub(super) fn extent(&self) -> V3 {
        match self {
            Self::Box { half, .. } => return *half,
            Self::Hull { hull, scale } => return hull.extent().times(scale.abs()),
            _ => (),
        }
        let along = |axis: V3| {
            let [up, down] =
                [self.support(axis), self.support(-axis)].map_each(|end| end.dot(axis).abs());
            if up > down { up } else { down }
        };
        V3::new(along(V3::X), along(V3::new(0.0, 1.0, 0.0)), along(V3::new(0.0, 0.0, 1.0)))
    }

    /// Radius of a ball about the origin that contains the core, except for rounding.
    pub(super) fn bounding_radius(&self) -> f64 {
        match self {
            Self::Box { half, .. } => half.length(),
            Self::Triangle { points } => {
                points.iter().fold(0.0, |most, point| greater(point.length(), most))
            }
            Self::Discs { radius, top, low, high, scale } => {
                let across = radius * greater(scale.x.abs(), scale.z.abs());
                let to = |y: f64, r: f64| V3::new(y * scale.y, across * r, 0.0).length();
                greater(to(*low, 1.0), to(*high, *top))
            }
            Self::Hull { hull, scale } => radius_of_hull(hull, scale.abs()),
            Self::Map { scale, radius, .. } => radius * scale.abs().greatest(),
            Self::Placed(PlacedCore { core, offset, .. }) => {
                offset.length() + core.bounding_radius()
            }
        }
    }

    /// Half the diagonal of the core's box in its own axes: its size, independent of its origin.
    pub(super) fn half_diagonal(&self) -> f64 {
        if let Self::Box { half, .. } = self {
            return 0.5 * (*half + *half).length();
        }
        if let Some([low, high]) = self.hull_corners() {
            return 0.5 * (high - low).length();
        }
        let along = |axis: V3| (self.support(axis) - self.support(-axis)).dot(axis);
        let sides =
            V3::new(along(V3::X), along(V3::new(0.0, 1.0, 0.0)), along(V3::new(0.0, 0.0, 1.0)));
        0.5 * sides.length()
    }
}

/// Returns the radius of a ball about the origin that contains a hull, which is scaled by the magnitudes of its factors.
///
/// A scale of one magnitude scales the radius of the hull. Any other makes another vertex the farthest; a hull of many vertices gets a ball
/// that may be too large instead, so that the time does not depend on their number: a captured tick may contain one hull with any number of
/// scales.
fn radius_of_hull(hull: &Hull, scale: V3) -> f64 {
    let V3 { x, y, z } = scale;
    if x == y && y == z {
        return hull.bounding_radius() * x;
    }
    if hull.len() > VISITED_MAX {
        let of_ball = hull.bounding_radius() * scale.greatest();
        return lesser(of_ball, hull.extent().times(scale).length());
    }
    hull.vertices().fold(0.0, |most, vertex| greater(V3::of(vertex).times(scale).length(), most))
}

/// Greatest number of vertices among which the farthest one is searched for a scale.
const VISITED_MAX: usize = 1024;

/// Least length of a direction across discs of which the square has all digits: 2⁻⁴⁸⁰.
const ACROSS_MIN: f64 = f64::from_bits((1023 - 480) << 52);

/// Limit of the distance of a caller's point from the origin, relative to the bounding radius:
/// allows for rounding.
const OUTSIDE: f64 = 1.0 + 1.0 / (1_u64 << 40) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::math::random::{numbers_f32, numbers_f64};
    use crate::narrowphase::shape::Shape;
    use alloc::vec::Vec;

    /// Goal: a farthest point does not depend on the length of the direction, also if the square of the product with a scale is infinite or
    /// zero. Method: a tiny cylinder that is scaled up, a huge one that is scaled down, and directions that are multiplied by powers of two.
    #[test]
    fn farthest_point_of_scaled_discs_is_that_of_each_length() {
        let tiny = f32::from_bits(1);
        let up = f32::from_bits((127 + 100) << 23);
        let cylinder = Shape::cylinder(tiny, tiny).and_then(|shape| shape.scaled([up; 3]));
        let cylinder = cylinder.and_then(|shape| shape.scaled([up; 3])).expect("a cylinder");
        let cylinder = cylinder.scaled([f32::from_bits((127 + 68) << 23); 3]).expect("large");
        let mut component = numbers_f64(6);
        let long = f64::from_bits((1023 + 250) << 52);
        for _ in 0..100 {
            let direction = V3::new(component(), component(), component());
            let point = cylinder.core.support(direction);
            assert!(point.length() > 0.0 && point.length().is_finite(), "{point:?}");
            assert_eq!(cylinder.core.support(direction * long), point, "{direction:?}");
        }
        // 2¹²⁰ and 2⁻¹³².
        let (huge, down) = (f32::from_bits((127 + 120) << 23), f32::from_bits(1 << 17));
        let cylinder = Shape::cylinder(huge, huge).and_then(|shape| shape.scaled([down; 3]));
        let cylinder = cylinder.and_then(|shape| shape.scaled([down; 3])).expect("a cylinder");
        let short = f64::from_bits((1023 - 288) << 52);
        for _ in 0..100 {
            let direction = V3::new(component(), component(), component());
            let point = cylinder.core.support(direction);
            assert!(point.length() > 0.0, "{point:?}");
            assert_eq!(cylinder.core.support(direction * short), point, "{direction:?}");
        }
        // A radius of zero may not be scaled without end.
        let mut rod = Shape::cylinder(1.0, 0.0);
        for _ in 0..5 {
            rod = rod.and_then(|shape| shape.scaled([up, 1.0, up]));
        }
        assert!(rod.is_err(), "{rod:?}");
    }

    /// Goal: the ball around a scaled hull contains it, and is that of the hull for a scale of one magnitude, so that it takes no visit of
    /// the vertices; it is not much too large for another scale of many vertices. Method: hulls of few and of many vertices and scales of
    /// any sign; the farthest scaled vertex.
    #[test]
    fn ball_around_a_scaled_hull_is_that_of_the_hull() {
        let mut coordinate = numbers_f32(9);
        let mut larger = 0;
        for case in 0..400_usize {
            // Points on a sphere are all vertices.
            let point = |_| {
                let v = V3::of([coordinate(), coordinate(), coordinate()]);
                v.unit().unwrap_or(V3::X).to_f32()
            };
            let count = if case % 40 == 0 { 2 * VISITED_MAX } else { 5 };
            let hull = Hull::new((0..count).map(point)).expect("a cloud");
            let [x, y, z] = [coordinate(), coordinate(), coordinate()];
            for scale in [[x; 3], [x, -x, x], [x, y, z]] {
                let radius = Shape::hull(&hull).scaled(scale).expect("a scale").bounding_radius;
                let scale = V3::of(scale);
                let most = hull
                    .vertices()
                    .fold(0.0, |most, vertex| greater(V3::of(vertex).times(scale).length(), most));
                let exact = most * (1.0 - 4.0 * f64::EPSILON);
                assert!(radius >= exact && radius <= 1.8 * most, "{case} {radius} {most}");
                if scale.abs() == V3::ONE * scale.x.abs() {
                    let scaled = hull.bounding_radius() * scale.x.abs();
                    assert_eq!(radius, scaled * (1.0 + 16.0 * f64::EPSILON));
                } else if count > VISITED_MAX {
                    larger += usize::from(radius > 1.000_001 * most);
                } else {
                    assert!(radius <= most * (1.0 + 32.0 * f64::EPSILON), "{case} {radius} {most}");
                }
            }
        }
        assert!(larger > 0 && larger <= 10, "{larger}");
    }

    /// Goal: the value, the point, the ranges and the reaches have the bits of single supports. Method: hulls of few and many vertices, scaled or not,
    /// and other shapes; random directions.
    #[test]
    fn values_and_ranges_have_the_bits_of_supports() {
        let (mut coordinate, mut component) = (numbers_f32(3), numbers_f64(4));
        let hulls: Vec<Hull> = [1, 5, 8, 9, 16, 20, 32, 40]
            .map(|count| {
                let point = |_| [coordinate(), coordinate(), coordinate()];
                Hull::new((0..count).map(point)).expect("a cloud")
            })
            .into();
        let scales = [V3::ONE, V3::new(0.3, -1.7, 1.1)];
        let scaled = |scale| hulls.iter().map(move |hull| Core::Hull { hull, scale });
        let others = [Shape::cuboid([0.3, 0.1, 0.7]), Shape::cylinder(0.4, 0.2)];
        let others = others.map(|shape| shape.expect("valid lengths").core);
        let cores: Vec<_> = scales.into_iter().flat_map(scaled).chain(others).collect();
        let mut ranges_found = 0;
        for core in &cores {
            for _ in 0..50 {
                let mut direction = || V3::new(component(), component(), component());
                let directions = [direction(), direction(), direction()];
                let (ranges, reaches) = (core.ranges(&directions), core.reaches(&directions));
                ranges_found += usize::from(ranges.is_some());
                for (axis, direction) in directions.into_iter().enumerate() {
                    let (value, point) = core.value_and_support(direction);
                    assert_eq!(value.to_bits(), core.support_value(direction).to_bits());
                    assert_eq!(point, core.support(direction));
                    let reach = [-direction, direction].map_each(|to| core.support(to).dot(to));
                    assert_eq!(reaches[axis], reach, "{core:?} {direction:?}");
                    if let Some(ranges) = &ranges {
                        assert_eq!(ranges[axis], [-reach[0], reach[1]], "{core:?} {direction:?}");
                    }
                }
            }
        }
        assert_eq!(ranges_found, 7 * 50);
    }
}
