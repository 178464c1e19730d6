//! The point of `A − B` nearest to a given point: the search of GJK.

use crate::geom::{MapEach, Pose};
use crate::lanes::{Isa, Portable4};
use crate::narrowphase::math::{M3, V3, sqrt};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::{Simplex, Vertex};

/// A search ends when it has computed this number of supports of either shape. A restart just before that may add one more.
pub const GJK_ITERATIONS_MAX: u32 = 64;

/// A shape and its rotation.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct RotatedShape<'s> {
    pub(in crate::narrowphase) shape: &'s Shape<'s>,
    pub(in crate::narrowphase) rotation: M3,
}

impl RotatedShape<'_> {
    /// Returns a point of the core farthest along `direction`, in the shape's own axes. The
    /// direction is in world axes.
    #[inline(always)]
    pub(in crate::narrowphase) fn support(&self, direction: V3) -> V3 {
        self.shape.core.support(self.rotation.rotate_back(direction))
    }
}

/// Two shapes with their rotations. Their relative position is passed separately as `x`.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct RotatedPair<'s> {
    pub(in crate::narrowphase) a: RotatedShape<'s>,
    pub(in crate::narrowphase) b: RotatedShape<'s>,
}

/// Separation of two cores along a direction.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct Gap {
    /// Width of the gap between the planes across `normal`; negative if they overlap.
    pub(in crate::narrowphase) lower: f64,
    pub(in crate::narrowphase) normal: V3,
    /// Direction along which the surfaces are offset from the nearest points of their cores.
    pub(in crate::narrowphase) out: V3,
    /// The nearest points, in the axes of each shape.
    pub(in crate::narrowphase) on_a: V3,
    pub(in crate::narrowphase) on_b: V3,
}

/// Result of a search.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct Nearest {
    /// Upper bound of the distance of the cores.
    pub(in crate::narrowphase) upper: f64,
    /// Lower bound of the distance: the gap along `plane`.
    pub(in crate::narrowphase) lower: f64,
    pub(in crate::narrowphase) plane: V3,
    /// The support point in that direction.
    pub(in crate::narrowphase) support: Vertex,
    /// From `x` to the nearest point of the simplex.
    offset: V3,
    /// Number of supports computed.
    pub(in crate::narrowphase) supports: u32,
}

impl Nearest {
    /// Returns what one plane with normal `normal` proves for cores at relative position `x`.
    pub(in crate::narrowphase) fn along(pair: &RotatedPair<'_>, x: V3, normal: V3) -> Self {
        let support = pair.support(normal);
        let lower = normal.dot(x - support.at);
        Self { upper: f64::INFINITY, lower, plane: normal, support, offset: -normal, supports: 1 }
    }

    /// Direction from `a` to `b` between the nearest points, for cores that do not overlap.
    pub(in crate::narrowphase) fn toward(&self) -> V3 {
        (-self.offset).unit().unwrap_or(self.plane)
    }

    /// Returns whether neither a plane nor the nearest points prove a distance: rounding can keep the nearest point of a long simplex away from
    /// cores that overlap. The lower bound is infinite if the support map of the caller returned an invalid point.
    #[inline(always)]
    pub(in crate::narrowphase) fn is_unproved(&self, accuracy: Accuracy) -> bool {
        self.lower < 0.0
            && self.lower > f64::NEG_INFINITY
            && !accuracy.is_reached(self.lower, self.upper)
    }

    /// Returns the gap of the cores of `pair` at relative position `x`, from the last simplex.
    pub(in crate::narrowphase) fn gap(
        &self,
        pair: &RotatedPair<'_>,
        x: V3,
        simplex: &Simplex,
    ) -> Gap {
        let weights = simplex.weights(x);
        let (on_a, on_b) = (simplex.on_a(&weights), simplex.on_b(&weights));
        let out = pair.offset_direction(-self.offset, self.plane);
        Gap { lower: self.lower, normal: self.plane, out, on_a, on_b }
    }
}

impl<'s> RotatedPair<'s> {
    /// Returns two shapes with the rotations of their poses.
    #[inline(always)]
    pub(in crate::narrowphase) fn of_poses(
        a: (&'s Shape<'s>, &Pose),
        b: (&'s Shape<'s>, &Pose),
    ) -> Self {
        let [a, b] = [a, b].map_each(|(shape, pose)| RotatedShape {
            shape,
            rotation: M3::of_quaternion(pose.rotation),
        });
        Self { a, b }
    }
}

impl RotatedPair<'_> {
    /// Returns a point of `C` farthest along `direction`.
    #[inline(always)]
    pub(in crate::narrowphase) fn support(&self, direction: V3) -> Vertex {
        let on_a = self.a.support(direction);
        let on_b = self.b.support(-direction);
        self.vertex(on_a, on_b)
    }

    /// Does what [`RotatedPair::support`] does, in a level that has been entered.
    #[inline(always)]
    fn support_on<I: Isa>(&self, isa: I, direction: V3) -> Vertex {
        let of = |body: &RotatedShape<'_>, direction: V3| {
            body.shape.core.support_on(isa, body.rotation.rotate_back(direction))
        };
        let (on_a, on_b) = (of(&self.a, direction), of(&self.b, -direction));
        self.vertex(on_a, on_b)
    }

    /// Does what [`RotatedPair::support`] does, and returns the product of the point with `direction` too, which is known before the point.
    #[inline(always)]
    pub(in crate::narrowphase) fn value_and_support(&self, direction: V3) -> (f64, Vertex) {
        let of = |body: &RotatedShape<'_>, direction: V3| {
            body.shape.core.value_and_support(body.rotation.rotate_back(direction))
        };
        let ((of_a, on_a), (of_b, on_b)) = (of(&self.a, direction), of(&self.b, -direction));
        (of_a + of_b, self.vertex(on_a, on_b))
    }

    /// Returns the point of `C` that is the difference of two points.
    #[inline(always)]
    pub(in crate::narrowphase) fn vertex(&self, on_a: V3, on_b: V3) -> Vertex {
        Vertex { at: self.a.rotation.rotate(on_a) - self.b.rotation.rotate(on_b), on_a, on_b }
    }

    /// Upper bound of the rounding error of a distance, for an `x` of this length.
    pub(in crate::narrowphase) fn rounding(&self, length: f64) -> f64 {
        ROUNDING * (length + self.a.shape.bounding_radius + self.b.shape.bounding_radius)
    }

    /// Returns the gap of the bounding balls of both shapes.
    #[cold]
    pub(in crate::narrowphase) fn balls(&self, x: V3) -> Gap {
        let normal = x.unit().unwrap_or(V3::X);
        let (of_a, of_b) = (self.a.shape.bounding_radius, self.b.shape.bounding_radius);
        Gap {
            lower: normal.dot(x) - of_a - of_b,
            normal,
            out: normal,
            on_a: self.a.rotation.rotate_back(normal * of_a),
            on_b: self.b.rotation.rotate_back(normal * -of_b),
        }
    }

    /// Returns the direction along which the surfaces are offset from two nearest points of the cores, which are `between` apart: that of
    /// `between`, or `normal`, which is that of a plane that proves the distance, if the points are close to each other.
    ///
    /// The two directions differ by some angle `φ`, which is any angle for points whose distance is about the accuracy of the search. Then the vector
    /// between the surface points differs from a multiple of the normal by about `φ` times the distance of the cores if the surfaces are offset along the
    /// normal, and otherwise by `φ` times the distance of the surface points. The lesser one is chosen.
    #[inline(always)]
    pub(in crate::narrowphase) fn offset_direction(&self, between: V3, normal: V3) -> V3 {
        if self.are_close(between.square()) { normal } else { between.unit().unwrap_or(normal) }
    }

    /// Returns whether two points of the cores, the square of whose distance is given, are nearer to each other than those of the surfaces.
    #[inline(always)]
    pub(in crate::narrowphase) fn are_close(&self, square: f64) -> bool {
        let half = 0.5 * (self.a.shape.radius + self.b.shape.radius);
        square < half * half
    }

    /// Returns the nearest points of the surfaces for a gap, each relative to the position of its body.
    #[inline(always)]
    pub(in crate::narrowphase) fn surface(&self, gap: &Gap) -> [V3; 2] {
        let on_a = self.a.rotation.rotate(gap.on_a) + gap.out * self.a.shape.radius;
        let on_b = self.b.rotation.rotate(gap.on_b) - gap.out * self.b.shape.radius;
        [on_a, on_b]
    }

    /// Searches for the point of `C` nearest to `x` until `enough(lower, upper)`, or there is no
    /// progress, or the distance is not above `tiny`. It starts with `simplex`, or along `guess` if
    /// that is empty, and stores the nearest face in `simplex`. `known` is a lower
    /// bound of the gap along `guess`. The level `isa` has been entered.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest_on<I: Isa>(
        &self,
        isa: I,
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
            offset: -guess,
            supports: 0,
        };
        if simplex.len == 0 {
            let vertex = self.support_on(isa, guess);
            found.supports = 1;
            (found.lower, found.support) = (guess.dot(x - vertex.at), vertex);
            simplex.push(vertex);
            // The first plane may be enough, without a nearest point.
            if enough(found.lower, f64::INFINITY) {
                return found;
            }
        }
        let mut square = f64::INFINITY;
        let (mut again, mut stays) = (false, false);
        loop {
            let [offset, toward] = simplex.reduce(x);
            let now = offset.square();
            let upper = sqrt(now);
            if simplex.len == 4 || upper <= tiny {
                return Nearest { upper: 0.0, offset, ..found };
            }
            (found.upper, found.offset) = (upper, offset);
            // The bounds of the last plane may be enough, or the limit of supports is reached.
            if enough(found.lower, upper) || found.supports >= GJK_ITERATIONS_MAX {
                break;
            }
            // A vertex may make a face that is not nearer but for rounding, and the next one a face that is: as on a rim, where two ends of
            // an edge are equally far along a direction. Comparisons with NaN are false, so NaN never counts as nearer.
            let falls = now < square;
            let nearer = falls || !stays && now <= square * (1.0 + STAYS);
            stays = !falls;
            square = now;
            let vertex = self.support_on(isa, toward);
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
                (again, stays, square, simplex.len) = (true, false, f64::INFINITY, 0);
                let vertex = self.support(found.plane);
                found.supports += 1;
                // A NaN is a bound that no support has proved.
                if found.lower.is_nan() {
                    found.lower = f64::NEG_INFINITY;
                }
                if vertex.is_invalid() {
                    break;
                }
                simplex.push(vertex);
                continue;
            }
            simplex.push(vertex);
        }
        found
    }

    /// Does what [`RotatedPair::nearest_on`] does, with the lanes that every build has.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest(
        &self,
        x: V3,
        simplex: &mut Simplex,
        guess: (V3, f64),
        tiny: f64,
        enough: impl Fn(f64, f64) -> bool,
    ) -> Nearest {
        self.nearest_on(Portable4, x, simplex, guess, tiny, enough)
    }

    /// Searches with [`RotatedPair::nearest`] until the bounds reach `accuracy`. It is compiled once for all searches but that
    /// for a time of impact.
    #[inline(never)]
    pub(in crate::narrowphase) fn nearest_within(
        &self,
        x: V3,
        simplex: &mut Simplex,
        guess: (V3, f64),
        tiny: f64,
        accuracy: Accuracy,
    ) -> Nearest {
        self.nearest(x, simplex, guess, tiny, |lower, upper| accuracy.is_reached(lower, upper))
    }
}

/// Part of the square of a distance by which rounding may make it greater.
const STAYS: f64 = 16.0 * f64::EPSILON;

/// How exact the bounds of a distance must be.
#[derive(Clone, Copy)]
pub(in crate::narrowphase) enum Accuracy {
    /// Their difference is at most `least`, and this share of the difference of the distance and `of`.
    Within { share: f64, of: f64, least: f64 },
    /// They are on the same side of a limit.
    Beyond(f64),
}

impl Accuracy {
    /// Returns whether these bounds reach this accuracy.
    #[inline(always)]
    pub(super) fn is_reached(&self, lower: f64, upper: f64) -> bool {
        match *self {
            Self::Within { share, of, least } => {
                upper < f64::INFINITY && upper - lower <= (upper - of).abs() * share + least
            }
            Self::Beyond(limit) => upper <= limit || lower > limit,
        }
    }
}

/// Bound of the rounding error of a distance, relative to the numbers it is computed from: 2⁻⁴⁴.
pub(in crate::narrowphase) const ROUNDING: f64 = 256.0 * f64::EPSILON;

impl Simplex {
    /// Returns the nearest point of `a`'s core, in its own axes.
    pub(in crate::narrowphase) fn on_a(&self, weights: &[f64; 4]) -> V3 {
        self.weighted(weights, |vertex| vertex.on_a)
    }

    /// Returns the nearest point of `b`'s core, in its own axes.
    pub(in crate::narrowphase) fn on_b(&self, weights: &[f64; 4]) -> V3 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::support::SupportMap;
    use crate::par::Budget;

    /// A map whose point is a little farther along `x` in each call. A call spends the first budget that is left.
    #[derive(Debug)]
    struct Growing([Budget; 400]);

    impl Growing {
        fn call(&self) -> u32 {
            let call = self.0.iter().position(|budget| budget.spend(1));
            call.expect("a search has a limit") as u32
        }
    }

    impl SupportMap for Growing {
        fn support(&self, _: [f64; 3]) -> [f64; 3] {
            [1.0 - 1.0 / f64::from(self.call() + 1), 0.0, 0.0]
        }

        fn bounding_radius(&self) -> f64 {
            1.0
        }
    }

    /// Goal: a search that gets nearer with each support ends at its limit, and reports how many it has computed. Method: a map whose point is
    /// farther in each call, which counts them, against a point; no bounds are enough. Starts without and with a simplex.
    #[test]
    fn search_that_always_gets_nearer_ends_at_its_limit() {
        let (map, x) = (Growing([const { Budget::new(1) }; 400]), V3::X * 3.0);
        let (growing, point) = (Shape::custom(&map).expect("a shape"), Shape::point());
        let [a, b] = [&growing, &point].map_each(|shape| RotatedShape {
            shape,
            rotation: M3::of_quaternion([0.0, 0.0, 0.0, 1.0]),
        });
        let pair = RotatedPair { a, b };
        let mut simplex = Simplex::default();
        for _ in 0..2 {
            let before = map.call();
            let guess = (V3::X, f64::NEG_INFINITY);
            let found = pair.nearest(x, &mut simplex, guess, 0.0, |_, _| false);
            assert_eq!(found.supports, GJK_ITERATIONS_MAX);
            assert_eq!(map.call() - before, GJK_ITERATIONS_MAX + 1);
            assert!(found.lower >= 2.0 && found.upper <= 2.1, "{found:?}");
        }
    }
}
