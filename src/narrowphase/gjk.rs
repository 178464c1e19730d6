//! Distance, normal and nearest points of two convex shapes (GJK).
//!
//! The distance of the cores `A` and `B` is that of `x`, the origin of `B` relative to that of `A`,
//! from the difference `C = {a − b}`. The search keeps a simplex of points of `C`, computes its
//! point nearest to `x`, and adds the point of `C` farthest along the direction `n` from there to
//! `x` (Gilbert, Johnson and Keerthi 1988; van den Bergen 2004, §4.3). That support point `w` also
//! proves a bound: all of `C` is behind the plane across `n` at `w`, so
//!
//! ```text
//! n·(x − w)  ≤  distance  ≤  |x − nearest|
//! ```
//!
//! for every unit `n`, however it was found: a rounding error in the simplex costs iterations but
//! never breaks a bound. Where we differ: the lower bound is the result (others return the upper
//! one), the cores of balls and capsules are points and segments, and arithmetic is `f64` in the
//! frame of `A`.
//!
//! For shapes that overlap by no more than their radii the depth is exact. For deeper overlaps it
//! is the depth along the best of some directions, each improved by a distance search from outside.
//! That is an upper bound of the depth, and moving `B` by it along the normal does separate the
//! shapes.
//!
//! Cost: about five supports of either shape for a cold start; one or two from a [`GjkCache`].

pub use super::batch::distances as pairs;
use super::math::{M3, V3, round_down, sqrt};
use super::penetration;
use super::shape::Shape;
use super::simplex::{Simplex, Vertex};
use crate::geom::{Invalid, Pose};
use bytemuck::{Pod, Zeroable};

/// Greatest number of supports of either shape that one search may compute.
pub const GJK_ITERATIONS_MAX: u32 = 64;

/// Distance of two shapes, with normal and nearest points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Distance {
    /// Lower bound of the distance. It is less than the distance by at most 2⁻²⁰ of it and 2⁻²⁶ of
    /// the shapes' sizes. For shapes that overlap it is minus the depth: exact up to the radii,
    /// otherwise an upper bound of the depth along the best direction found.
    pub distance: f32,
    /// The unit normal, from `a` to `b`.
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b`, in world coordinates, rounded to nearest.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a`, in world coordinates, rounded to nearest.
    pub on_b: [f32; 3],
}

/// Result of a search from which the next search for the same pair can start.
///
/// An outdated value or zero costs time, but does not change what is promised of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct GjkCache {
    /// The normal of the last search; zero without one.
    pub normal: [f32; 3],
}

/// Computes the distance of `a` and `b`.
///
/// # Errors
///
/// [`Invalid`] if a pose is invalid.
///
/// ```
/// use swath::{Pose, Shape};
/// use swath::convex::gjk;
///
/// let ball = Shape::sphere(1.0)?;
/// let wall = Shape::cuboid([0.5, 4.0, 4.0])?;
/// let apart = gjk::distance(&ball, &Pose::at([-3.0, 1.0, 0.0])?, &wall, &Pose::IDENTITY)?;
/// assert!(apart.distance <= 1.5 && apart.distance > 1.499999);
/// assert_eq!(apart.normal, [1.0, 0.0, 0.0]);
/// assert_eq!((apart.on_a, apart.on_b), ([-2.0, 1.0, 0.0], [-0.5, 1.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
) -> Result<Distance, Invalid> {
    distance_from(a, a_pose, b, b_pose, &mut GjkCache::default())
}

/// Does what [`distance`] does, and starts with the result of an earlier search for the same pair.
///
/// # Errors
///
/// As [`distance`].
pub fn distance_from(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
    cache: &mut GjkCache,
) -> Result<Distance, Invalid> {
    a_pose.validate()?;
    b_pose.validate()?;
    Ok(distance_of_valid(a, a_pose, b, b_pose, cache))
}

/// Does what [`distance_from`] does, for poses that are known to be valid.
pub(super) fn distance_of_valid(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
    cache: &mut GjkCache,
) -> Distance {
    let two = Two {
        a: Placed { shape: a, rotation: M3::of_quaternion(a_pose.rotation) },
        b: Placed { shape: b, rotation: M3::of_quaternion(b_pose.rotation) },
    };
    let x = V3::of(b_pose.position) - V3::of(a_pose.position);
    let margins = a.margin + b.margin;
    let near = super::math::lesser(a.size, b.size) * SIZE_SLACK;
    let guess = V3::of(cache.normal).unit().or_else(|| x.unit()).unwrap_or(V3::X);
    let mut simplex = Simplex::default();
    let tiny = two.rounding(x.length());
    let found = two.nearest(x, &mut simplex, (guess, f64::NEG_INFINITY), tiny, |lower, upper| {
        upper < f64::INFINITY && upper - lower <= (upper - margins).abs() * RELATIVE_SLACK + near
    });
    let gap = if found.upper > tiny {
        found.gap(x, &simplex)
    } else {
        penetration::shallowest(&two, x, found.plane)
    };
    cache.normal = gap.normal.to_f32();
    Distance {
        distance: round_down(gap.lower - margins - tiny),
        normal: gap.normal.to_f32(),
        on_a: two.point_of_a(a_pose.position, &gap),
        on_b: two.point_of_b(b_pose.position, &gap),
    }
}

/// Difference of the bounds at which the search stops, as a fraction of the distance, and of the
/// size of the smaller shape.
const RELATIVE_SLACK: f64 = 1.0 / (1 << 22) as f64;
const SIZE_SLACK: f64 = 1.0 / (1 << 30) as f64;

/// A shape and its rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'s> {
    pub(super) shape: &'s Shape<'s>,
    pub(super) rotation: M3,
}

impl Placed<'_> {
    /// Returns a point of the core farthest along `direction`, in the shape's own axes. The
    /// direction is in world axes.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> V3 {
        self.shape.core.support(self.rotation.turn_back(direction))
    }
}

/// Two shapes with their rotations. Their relative position is passed separately as `x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Two<'s> {
    pub(super) a: Placed<'s>,
    pub(super) b: Placed<'s>,
}

/// Separation of two cores along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Width of the gap between the planes across `normal`; negative if they overlap.
    pub(super) lower: f64,
    pub(super) normal: V3,
    /// Direction between the nearest points, along which the surfaces are offset from their cores.
    /// A plane that proves the distance well may still be tilted a little.
    pub(super) out: V3,
    /// The nearest points, in the axes of each shape.
    pub(super) on_a: V3,
    pub(super) on_b: V3,
}

/// Result of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Upper bound of the distance of the cores.
    pub(super) upper: f64,
    /// Lower bound of the distance: the gap along `plane`.
    pub(super) lower: f64,
    pub(super) plane: V3,
    /// The support point in that direction.
    pub(super) support: Vertex,
    /// From `x` to the nearest point of the simplex.
    way: V3,
    /// Number of supports computed.
    pub(super) supports: u32,
}

impl Nearest {
    /// Returns what one plane with normal `normal` proves for cores at relative position `x`.
    pub(super) fn along(two: &Two<'_>, x: V3, normal: V3) -> Self {
        let support = two.support(normal);
        let lower = normal.dot(x - support.at);
        Self { upper: f64::INFINITY, lower, plane: normal, support, way: -normal, supports: 1 }
    }

    /// Direction from `a` to `b` between the nearest points, for cores that do not overlap.
    pub(super) fn toward(&self) -> V3 {
        (-self.way).unit().unwrap_or(self.plane)
    }

    /// Returns the gap of cores at relative position `x`, from the last simplex.
    pub(super) fn gap(&self, x: V3, simplex: &Simplex) -> Gap {
        let weights = simplex.weights(x);
        let (on_a, on_b) = (simplex.on_a(&weights), simplex.on_b(&weights));
        Gap { lower: self.lower, normal: self.plane, out: self.toward(), on_a, on_b }
    }
}

impl Two<'_> {
    /// Returns a point of `C` farthest along `direction`.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> Vertex {
        let on_a = self.a.support(direction);
        let on_b = self.b.support(-direction);
        self.vertex(on_a, on_b)
    }

    /// Returns the point of `C` that is the difference of two points.
    #[inline(always)]
    pub(super) fn vertex(&self, on_a: V3, on_b: V3) -> Vertex {
        Vertex { at: self.a.rotation.turn(on_a) - self.b.rotation.turn(on_b), on_a, on_b }
    }

    /// Upper bound of the rounding error of a distance, for an `x` of this length.
    pub(super) fn rounding(&self, length: f64) -> f64 {
        ROUNDING * (length + self.a.shape.reach + self.b.shape.reach)
    }

    /// Returns the gap of the bounding balls of both shapes.
    #[cold]
    pub(super) fn balls(&self, x: V3) -> Gap {
        let normal = x.unit().unwrap_or(V3::X);
        let (of_a, of_b) = (self.a.shape.reach, self.b.shape.reach);
        Gap {
            lower: normal.dot(x) - of_a - of_b,
            normal,
            out: normal,
            on_a: self.a.rotation.turn_back(normal * of_a),
            on_b: self.b.rotation.turn_back(normal * -of_b),
        }
    }

    /// Point of `a`'s surface for a gap, in world coordinates.
    pub(super) fn point_of_a(&self, position: [f32; 3], gap: &Gap) -> [f32; 3] {
        let offset = self.a.rotation.turn(gap.on_a) + gap.out * self.a.shape.margin;
        (V3::of(position) + offset).to_f32()
    }

    /// Point of `b`'s surface for a gap, in world coordinates.
    pub(super) fn point_of_b(&self, position: [f32; 3], gap: &Gap) -> [f32; 3] {
        let offset = self.b.rotation.turn(gap.on_b) - gap.out * self.b.shape.margin;
        (V3::of(position) + offset).to_f32()
    }

    /// Searches for the point of `C` nearest to `x` until `enough(lower, upper)`, or there is no
    /// progress, or the distance is not above `tiny`. It starts with `simplex`, or along `guess` if
    /// that is empty, and stores the nearest face with its weights in `simplex`. `known` is a lower
    /// bound of the gap along `guess`.
    #[inline]
    pub(super) fn nearest(
        &self,
        x: V3,
        simplex: &mut Simplex,
        (guess, known): (V3, f64),
        tiny: f64,
        enough: impl Fn(f64, f64) -> bool,
    ) -> Nearest {
        let mut found = Nearest {
            upper: f64::INFINITY,
            lower: known,
            plane: guess,
            support: Vertex::default(),
            way: -guess,
            supports: 0,
        };
        if simplex.len == 0 {
            let vertex = self.support(guess);
            found.supports = 1;
            (found.lower, found.support) = (guess.dot(x - vertex.at), vertex);
            simplex.push(vertex);
            // The first plane may be enough, without a nearest point.
            if enough(found.lower, f64::INFINITY) {
                return found;
            }
        }
        let mut square = f64::INFINITY;
        let mut again = false;
        loop {
            let [way, toward] = simplex.reduce(x);
            let now = way.square();
            let upper = sqrt(now);
            if simplex.len == 4 || upper <= tiny {
                return Nearest { upper: 0.0, way, ..found };
            }
            (found.upper, found.way) = (upper, way);
            // The bounds of the last plane may be enough, or the limit of supports is reached.
            if enough(found.lower, upper) || found.supports >= GJK_ITERATIONS_MAX {
                break;
            }
            // A comparison with NaN is false, so NaN never counts as nearer.
            let nearer = now < square;
            square = now;
            let vertex = self.support(toward);
            found.supports += 1;
            let normal = toward * (1.0 / toward.length());
            let lower = normal.dot(x - vertex.at);
            if lower > found.lower {
                (found.lower, found.plane, found.support) = (lower, normal, vertex);
            }
            if enough(found.lower, upper) {
                break;
            }
            if !nearer || simplex.has(&vertex) {
                // On a rim, the points of a simplex get so close to each other that its nearest
                // point is not well defined. The search restarts once, from the best plane.
                if again || found.upper == f64::INFINITY {
                    break;
                }
                (again, square, simplex.len) = (true, f64::INFINITY, 0);
                let vertex = self.support(found.plane);
                found.supports += 1;
                // A NaN is a bound that no support has proved.
                if found.lower.is_nan() {
                    found.lower = f64::NEG_INFINITY;
                }
                if vertex.is_none() {
                    break;
                }
                simplex.push(vertex);
                continue;
            }
            simplex.push(vertex);
        }
        found
    }
}

/// Bound of the rounding error of a distance, relative to the numbers it is computed from: 2⁻⁴⁴.
pub(super) const ROUNDING: f64 = 256.0 * f64::EPSILON;

impl Simplex {
    /// Returns the nearest point of `a`'s core, in its own axes.
    pub(super) fn on_a(&self, weights: &[f64; 4]) -> V3 {
        self.weighted(weights, |vertex| vertex.on_a)
    }

    /// Returns the nearest point of `b`'s core, in its own axes.
    pub(super) fn on_b(&self, weights: &[f64; 4]) -> V3 {
        self.weighted(weights, |vertex| vertex.on_b)
    }

    #[inline(always)]
    fn weighted(&self, weights: &[f64; 4], point: impl Fn(&Vertex) -> V3) -> V3 {
        let mut sum = V3::ZERO;
        for (vertex, &weight) in self.vertices[..self.len].iter().zip(weights) {
            sum = sum + point(vertex) * weight;
        }
        sum
    }
}
