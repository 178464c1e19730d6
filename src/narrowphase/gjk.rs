//! How far apart are two convex shapes, where and along which way?
//!
//! The cores `A` and `B` are apart by as much as the origin of `B`, `x` from that of `A`, is from
//! the difference `C = {a − b}`. The search keeps a simplex of points of `C`, steps to its point
//! nearest to `x`, and asks for the point of `C` furthest along the way `n` from there to `x`
//! (Gilbert, Johnson and Keerthi 1988; van den Bergen 2004, §4.3). That support point `w` proves
//! more than progress: the plane across `n` at `w` has all of `C` behind it, so
//!
//! ```text
//! n·(x − w)  ≤  distance  ≤  |x − nearest|
//! ```
//!
//! for every unit `n`, however it was found: rounding in the simplex costs rounds and never a
//! bound. Where we differ: the lower bound is the answer (others return the upper one), cores are
//! points and segments where shapes are balls and capsules, and arithmetic is `f64` in the frame of
//! `A`.
//!
//! Shapes that overlap by no more than their margins have an exact depth. Deeper, the depth is that
//! along the best of some directions, each bettered by asking for the distance from outside: an
//! upper bound of the depth, and moving `B` by it along the normal does part the shapes.
//!
//! Cost: some five supports of either shape for a cold start; one or two from a [`GjkCache`].

pub use super::batch::distances as pairs;
use super::math::{M3, V3, round_down, sqrt};
use super::penetration;
use super::shape::Shape;
use super::simplex::{Simplex, Vertex};
use crate::geom::{Invalid, Pose};
use bytemuck::{Pod, Zeroable};

/// How many supports of either shape one search may ask for.
pub const GJK_ITERATIONS_MAX: u32 = 64;

/// How far apart two shapes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Distance {
    /// Not more than the distance, and less by at most 2⁻²⁰ of it and 2⁻²⁶ of the shapes' sizes.
    /// Where the shapes overlap it is minus the depth: exact up to the margins, else as deep as the
    /// normal is good.
    pub distance: f32,
    /// The unit normal, from `a` to `b`.
    pub normal: [f32; 3],
    /// The point of `a` that is nearest to `b`, in the world, rounded to nearest.
    pub on_a: [f32; 3],
    /// The point of `b` that is nearest to `a`, in the world, rounded to nearest.
    pub on_b: [f32; 3],
}

/// Where a search left off, to begin the next one about the same pair.
///
/// A stale or a zero one costs time, never truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct GjkCache {
    /// The normal that was found; zero for none.
    pub normal: [f32; 3],
}

/// How far apart `a` and `b` are.
///
/// # Errors
///
/// [`Invalid`] when a pose is none.
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

/// As [`distance`], beginning where a search about the pair ended, in its last pose.
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

/// [`distance_from`] of poses that are valid.
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

/// When a distance is near enough to the truth: of itself, and of the lesser size.
const RELATIVE_SLACK: f64 = 1.0 / (1 << 22) as f64;
const SIZE_SLACK: f64 = 1.0 / (1 << 30) as f64;

/// A shape and how it is turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'s> {
    pub(super) shape: &'s Shape<'s>,
    pub(super) rotation: M3,
}

impl Placed<'_> {
    /// A point of the core furthest along `direction` of the world, in the shape's own axes.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> V3 {
        self.shape.core.support(self.rotation.turn_back(direction))
    }
}

/// Two shapes, each turned; where they are is `x`, the way from the one to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Two<'s> {
    pub(super) a: Placed<'s>,
    pub(super) b: Placed<'s>,
}

/// How two cores are apart along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// The width of the gap between the planes across `normal`; negative where they overlap.
    pub(super) lower: f64,
    pub(super) normal: V3,
    /// The direction between the nearest points, along which surfaces are off their cores: what a
    /// plane shows well is still a little askew.
    pub(super) out: V3,
    /// The points that are nearest, in the axes of each shape.
    pub(super) on_a: V3,
    pub(super) on_b: V3,
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// The cores are not further apart.
    pub(super) upper: f64,
    /// They are this far apart along `plane`, so not nearer.
    pub(super) lower: f64,
    pub(super) plane: V3,
    /// The support in that direction.
    pub(super) support: Vertex,
    /// From `x` to the nearest point of the simplex.
    way: V3,
    /// How many supports were asked for.
    pub(super) supports: u32,
}

impl Nearest {
    /// What one plane shows, whose normal is `normal`, of cores that are apart by `x`.
    pub(super) fn along(two: &Two<'_>, x: V3, normal: V3) -> Self {
        let support = two.support(normal);
        let lower = normal.dot(x - support.at);
        Self { upper: f64::INFINITY, lower, plane: normal, support, way: -normal, supports: 1 }
    }

    /// The direction from `a` to `b` between the nearest points, where they are apart.
    pub(super) fn toward(&self) -> V3 {
        (-self.way).unit().unwrap_or(self.plane)
    }

    /// The gap of cores that are apart by `x`, with the simplex that was left.
    pub(super) fn gap(&self, x: V3, simplex: &Simplex) -> Gap {
        let weights = simplex.weights(x);
        let (on_a, on_b) = (simplex.on_a(&weights), simplex.on_b(&weights));
        Gap { lower: self.lower, normal: self.plane, out: self.toward(), on_a, on_b }
    }
}

impl Two<'_> {
    /// A point of `C` furthest along `direction`.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> Vertex {
        let on_a = self.a.support(direction);
        let on_b = self.b.support(-direction);
        self.vertex(on_a, on_b)
    }

    /// The point of `C` that two points make.
    #[inline(always)]
    pub(super) fn vertex(&self, on_a: V3, on_b: V3) -> Vertex {
        Vertex { at: self.a.rotation.turn(on_a) - self.b.rotation.turn(on_b), on_a, on_b }
    }

    /// More than what rounding does to a distance where `x` is so long.
    pub(super) fn rounding(&self, length: f64) -> f64 {
        ROUNDING * (length + self.a.shape.reach + self.b.shape.reach)
    }

    /// The gap between the balls around both, about their positions.
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

    /// The point of `a`'s surface of `gap` in the world.
    pub(super) fn point_of_a(&self, position: [f32; 3], gap: &Gap) -> [f32; 3] {
        let offset = self.a.rotation.turn(gap.on_a) + gap.out * self.a.shape.margin;
        (V3::of(position) + offset).to_f32()
    }

    /// The point of `b`'s surface of `gap` in the world.
    pub(super) fn point_of_b(&self, position: [f32; 3], gap: &Gap) -> [f32; 3] {
        let offset = self.b.rotation.turn(gap.on_b) - gap.out * self.b.shape.margin;
        (V3::of(position) + offset).to_f32()
    }

    /// Searches for the point of `C` nearest to `x` until `enough(lower, upper)`, or no more is to
    /// be had, or the distance is not above `tiny`. Begins with `simplex`, or along `guess` where
    /// it is empty, and leaves in it the nearest face with its weights. Along `guess` the gap is
    /// not less than `known`.
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
            // A first plane may do, without a point that is near.
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
            // What is known of the last plane may do, or no plane be asked for.
            if enough(found.lower, upper) || found.supports >= GJK_ITERATIONS_MAX {
                break;
            }
            // NaN is not nearer.
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
                // On a rim the points of a simplex come so close to each other that it has no sharp
                // nearest point. Once more, from the best plane.
                if again || found.upper == f64::INFINITY {
                    break;
                }
                (again, square, simplex.len) = (true, f64::INFINITY, 0);
                let vertex = self.support(found.plane);
                found.supports += 1;
                // What was known of no point is nothing.
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

/// What rounding may do to a distance, of the numbers it is made of: 2⁻⁴⁴.
pub(super) const ROUNDING: f64 = 256.0 * f64::EPSILON;

impl Simplex {
    /// The nearest point of `a`'s core, in its own axes.
    pub(super) fn on_a(&self, weights: &[f64; 4]) -> V3 {
        self.weighted(weights, |vertex| vertex.on_a)
    }

    /// The nearest point of `b`'s core, in its own axes.
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
