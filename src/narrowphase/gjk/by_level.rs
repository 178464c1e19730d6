//! Distance of two shapes by the search of GJK, compiled for each level.
//!
//! The search is that of `nearest.rs`, with less work in a round:
//!
//! * All is computed in the axes of one shape, so only the other shape is rotated. That is the one with more vertices, whose support takes
//!   longer: the other support and its rotations are computed meanwhile.
//! * Supports of hulls of up to 64 vertices are computed in the lanes of the level that has been entered, without a call.
//! * A round has no square root and no division. The search ends when a support is nearer along the direction by less than
//!   2⁻²⁴ of the gap: then the bounds are computed once, and compared.
//!
//! As everywhere, the result is a lower bound because a plane proves it. If the bounds are not near enough (shapes that overlap, or
//! almost touch; points that are almost collinear), the search of `nearest.rs` continues with the same points.

use super::nearest::{Accuracy, Gap, ROUNDING, RotatedPair};
use super::result::{Distance, GjkCache};
use crate::geom::{MapEach, Pose};
use crate::lanes::{Isa, Kernel, Level};
use crate::narrowphase::math::{M3, V3};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::{Simplex, Vertex};
use crate::narrowphase::support::Core;

/// Greatest number of rounds. Most searches have two to four.
const ROUNDS_MAX: u32 = 24;

/// Part of the gap along a direction by which a support must be nearer for the search to continue. It is less than the
/// part by which the bounds may differ.
const PROGRESS: f64 = 1.0 / (1 << 24) as f64;

/// Two shapes at rest, and the normal of the last search. If it is `PLAIN`, the first shape has no scale.
struct DistanceSearch<'p, const PLAIN: bool> {
    a: (&'p Shape<'p>, &'p Pose),
    b: (&'p Shape<'p>, &'p Pose),
    last: V3,
}

/// Points with which another search can start.
pub(super) struct Start {
    /// Points of each shape in its own axes.
    points: [[V3; 2]; 4],
    len: usize,
}

/// What a search has found.
pub(super) enum Searched {
    /// The distance, which a plane and two points prove.
    Proved(Distance),
    /// Where another search continues.
    Unproved(Start),
}

/// Returns the distance of two shapes, if the search proves it.
pub(super) fn distance(
    a: (&Shape<'_>, &Pose),
    b: (&Shape<'_>, &Pose),
    cache: &GjkCache,
) -> Searched {
    let last = V3::of(cache.normal);
    if b.0.core.vertices() <= a.0.core.vertices() {
        return of_larger_first(a, b, last);
    }
    match of_larger_first(b, a, -last) {
        Searched::Proved(found) => {
            let [x, y, z] = found.normal;
            let (on_a, on_b, normal) = (found.on_b, found.on_a, [-x, -y, -z]);
            Searched::Proved(Distance { normal, on_a, on_b, ..found })
        }
        Searched::Unproved(start) => Searched::Unproved(start.exchanged()),
    }
}

/// Does what [`distance`] does, for a first shape that has at least as many vertices as the second.
#[inline(always)]
fn of_larger_first(a: (&Shape<'_>, &Pose), b: (&Shape<'_>, &Pose), last: V3) -> Searched {
    // Other supports have no lanes.
    let Core::Hull { hull, .. } = &a.0.core else {
        return Level::PORTABLE4.run(DistanceSearch::<false> { a, b, last });
    };
    if a.0.core.scale() == V3::ONE {
        hull.level().run(DistanceSearch::<true> { a, b, last })
    } else {
        hull.level().run(DistanceSearch::<false> { a, b, last })
    }
}

impl Start {
    #[inline(always)]
    fn new(simplex: &Simplex, scale_of_b: V3) -> Self {
        let [p, q, r, s] = &simplex.vertices;
        let points = [p, q, r, s].map_each(|vertex| [vertex.on_a, vertex.on_b.times(scale_of_b)]);
        Self { points, len: simplex.len }
    }

    /// Returns the same points of the exchanged shapes.
    #[cold]
    fn exchanged(self) -> Self {
        Self { points: self.points.map_each(|[on_a, on_b]| [on_b, on_a]), ..self }
    }

    /// Returns the simplex in the axes of the world, and the direction in which its last point was found if it is a tetrahedron.
    pub(super) fn of_pair(&self, pair: &RotatedPair<'_>) -> (Simplex, V3) {
        let mut simplex = Simplex::default();
        for [on_a, on_b] in &self.points[..self.len] {
            let vertex = pair.vertex(*on_a, *on_b);
            // A support map of the caller may have returned an invalid point.
            if !vertex.is_invalid() {
                simplex.push(vertex);
            }
        }
        let [p, q, r, s] = simplex.vertices;
        let across = (q.at - p.at).cross(r.at - p.at);
        let across = if across.dot(s.at - p.at) < 0.0 { -across } else { across };
        (simplex, across.unit().unwrap_or(V3::X))
    }
}

/// Two shapes in the axes of the first.
struct LocalPair<'p> {
    a: &'p Core<'p>,
    b: &'p Core<'p>,
    /// Vector from the first shape to the second.
    x: V3,
    /// Scale of the first.
    scale: V3,
    /// Scale of the second, and its rotation thereafter.
    scaled_b: M3,
}

impl LocalPair<'_> {
    /// Returns a point of `A − B`, relative to `x`, farthest along `direction`, and the gap along that, times its length. The point of `B`
    /// is not scaled.
    ///
    /// The gap is that of the products by which the points are found. So the branch on it, which is hard to predict, does not wait
    /// for the points.
    #[inline(always)]
    fn support<I: Isa, const PLAIN: bool>(&self, isa: I, direction: V3) -> (Vertex, f64) {
        let (on_a, of_a) = if PLAIN {
            self.a.unscaled_support(isa, direction)
        } else {
            let (on_a, of_a) = self.a.unscaled_support(isa, direction.times(self.scale));
            (on_a.times(self.scale), of_a)
        };
        let (on_b, of_b) = self.b.unscaled_support(isa, self.scaled_b.rotate_back(-direction));
        let at = on_a - self.scaled_b.rotate(on_b) - self.x;
        (Vertex { at, on_a, on_b }, direction.dot(self.x) - of_a - of_b)
    }
}

impl<const PLAIN: bool> Kernel for DistanceSearch<'_, PLAIN> {
    type Output = Searched;

    /// Few vertices fill no vector of 512 bits, and while such vectors are in use a CPU may have fewer units for all else.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Searched {
        let ((a, a_pose), (b, b_pose)) = (self.a, self.b);
        let pair = RotatedPair::of_poses(self.a, self.b);
        let frame = &pair.a.rotation;
        let between = V3::of(b_pose.position) - V3::of(a_pose.position);
        let (scale, scale_of_b) = (a.core.scale(), b.core.scale());
        let mut scaled_b = frame.back(&pair.b.rotation);
        for row in &mut scaled_b.rows {
            *row = row.times(scale_of_b);
        }
        let local =
            LocalPair { a: &a.core, b: &b.core, x: frame.rotate_back(between), scale, scaled_b };

        let mut simplex = Simplex::default();
        // An infinite one of the caller has the unit vector NaN.
        let last = self.last.unit().filter(|last| last.square() < 2.0);
        let guess = frame.rotate_back(last.unwrap_or(between));
        let (first, first_gap) = local.support::<I, PLAIN>(isa, guess);
        simplex.push(first);
        // The gap along the last normal may be the distance.
        let known = if last.is_some() { first_gap } else { f64::NEG_INFINITY };
        let enough = if known > 0.0 { known * known * (1.0 + PROGRESS) } else { f64::NEG_INFINITY };
        let mut rounds = 0;
        let (nearest, direction, gap) = loop {
            let [nearest, toward] = simplex.reduce(V3::ZERO);
            if simplex.len == 4 || rounds == ROUNDS_MAX {
                return Searched::Unproved(Start::new(&simplex, scale_of_b));
            }
            if last.is_some() && nearest.square() <= enough {
                break (nearest, guess, known);
            }
            let (vertex, gap) = local.support::<I, PLAIN>(isa, toward);
            let now = -toward.dot(simplex.vertices[0].at);
            // A comparison with NaN is false.
            let nearer = gap < now * (1.0 - PROGRESS);
            if !nearer {
                break (nearest, toward, gap);
            }
            rounds += 1;
            simplex.push(vertex);
        };

        let (upper, length) = (nearest.length(), direction.length());
        let lower = gap * (1.0 / length);
        let tiny = ROUNDING * (local.x.length() + a.bounding_radius + b.bounding_radius);
        if !(upper > tiny && Accuracy::of_distance(a, b).is_reached(lower, upper)) {
            return Searched::Unproved(Start::new(&simplex, scale_of_b));
        }
        let weights = simplex.weights(V3::ZERO);
        let normal = frame.rotate(direction * (1.0 / length));
        // Only the last normal may differ from the direction of the nearest point.
        let differs = last.is_some() && !pair.are_close(nearest.square());
        let out = if differs { frame.rotate(nearest * (-1.0 / upper)) } else { normal };
        let (on_a, on_b) = (simplex.on_a(&weights), simplex.on_b(&weights).times(scale_of_b));
        Searched::Proved(Distance::of_gap(
            &pair,
            &Gap { lower, normal, out, on_a, on_b },
            [a_pose, b_pose],
            tiny,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::gjk::GJK_ITERATIONS_MAX;
    use crate::narrowphase::hull::Hull;
    use crate::narrowphase::math::random::numbers_f32;
    use alloc::vec::Vec;

    /// Goal: almost every distance is found on every level, with the same bits, between the bounds of the other search and
    /// between the reported points; also from the normal of that distance, and from one that is wrong. Method: hulls of 4 to 80 points, also scaled and mirrored,
    /// with each other and with boxes, triangles, cylinders and rounded boxes, in arbitrary rotations.
    #[test]
    fn distance_of_every_level_is_between_the_bounds_of_the_other_search() {
        let mut draw = numbers_f32(4);
        let (mut apart, mut proved, mut kept) = (0, 0, 0);
        for case in 0..3000_usize {
            let mut vector = || [draw(), draw(), draw()];
            let scale = if case % 3 == 0 { [-0.5, 2.0, 1.0] } else { [1.0; 3] };
            let clouds = [case % 77 + 4, case / 7 % 77 + 4]
                .map(|count| (0..count).map(|_| vector()).collect::<Vec<_>>());
            let (half, corners) = (vector().map(f32::abs), [vector(), vector(), vector()]);
            let mut pose = |far: f32| {
                let [[x, y, z], at] = [vector(), vector().map(|x| x * far)];
                let length = libm::sqrtf(x * x + y * y + z * z + 0.25);
                Pose::new(at, [x, y, z, 0.5].map(|x| x / length)).expect("a pose")
            };
            let (a_pose, b_pose) = (pose(0.1), pose(4.0));
            let mut first: Option<[Distance; 3]> = None;
            for level in Level::all() {
                let hulls =
                    clouds.clone().map(|cloud| Hull::on_level(level, cloud).expect("a cloud"));
                let [of_a, of_b] = hulls.each_ref().map(Shape::hull);
                let b = of_b.scaled(scale).expect("a scale");
                let a = match case / 3 % 6 {
                    0 => Shape::cuboid(half),
                    1 => Shape::triangle(corners),
                    2 => Shape::cylinder(half[0], half[1]),
                    3 => Shape::capsule(half[0], half[1]),
                    4 => of_a.scaled(scale),
                    _ => Ok(of_a),
                }
                .expect("lengths are valid");
                let (a, b) = ((&a, &a_pose), (&b, &b_pose));
                let pair = RotatedPair::of_poses(a, b);
                let x = V3::of(b_pose.position) - V3::of(a_pose.position);
                let mut simplex = Simplex::default();
                let guess = (x.unit().expect("apart"), f64::NEG_INFINITY);
                let end = |lower: f64, upper: f64| upper - lower <= 1e-13;
                let found = pair.nearest(x, &mut simplex, guess, 1e-9, end);
                if found.upper < 1e-3 || found.supports >= GJK_ITERATIONS_MAX {
                    break;
                }
                let search = |normal| match distance(a, b, &GjkCache { normal }) {
                    Searched::Proved(distance) => Some(distance),
                    Searched::Unproved(_) => None,
                };
                apart += 1;
                let Some(cold) = search([0.0; 3]) else { break };
                let (Some(warm), Some(wrong)) = (search(cold.normal), search([0.0, 1.0, 0.0]))
                else {
                    break;
                };
                proved += 1;
                let radius = a.0.radius;
                for each in [cold, warm, wrong] {
                    let distance = f64::from(each.distance) + radius;
                    assert!(distance <= found.upper, "{case} {level} {each:?} {found:?}");
                    let slack = (found.upper - radius).abs() * 1e-6 + 1e-7;
                    assert!(distance >= found.lower - slack, "{case} {level} {each:?} {found:?}");
                    let between = (V3::of(each.on_b) - V3::of(each.on_a)).length();
                    assert!(
                        (between - f64::from(each.distance.abs())).abs() < 1e-4,
                        "{case} {each:?}"
                    );
                }
                kept += usize::from(warm.normal == cold.normal);
                let all = [cold, warm, wrong];
                assert_eq!(*first.get_or_insert(all), all, "{case} {level}");
            }
        }
        assert!(apart > 8000, "{apart}");
        assert!(proved * 100 > apart * 99, "{proved} of {apart}");
        assert!(kept * 10 > proved * 9, "{kept} of {proved}");
    }
}
