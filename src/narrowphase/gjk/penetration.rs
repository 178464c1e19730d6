//! Penetration depth of two cores that overlap, and its direction.
//!
//! For every unit `n`, moving `B` by `h(n) − n·x` along `n` separates the cores, where `h` is the
//! support function of `A − B`. So that value is an upper bound of the depth for any `n`. A direction is
//! improved by moving `B` out along it and searching the nearest point from outside: the normal there is
//! that of a face or an edge. This ends at a local minimum of the depth.
//!
//! ```text
//! first    the best of the guess, the direction between the origins, and the axes of both bodies in the
//!          sense of that direction, improved
//! others   if that is deeper than the caller needs, and a simplex does not prove that the cores overlap as
//!          deeply: all of these directions in both senses, each improved on its own, until one is shallow
//!          enough
//! ```
//!
//! The origins may be anywhere, so the right direction may point against the one between them. The result
//! is the least of these local minima, which may be more than the true depth. Expanding polytopes (van
//! den Bergen 2001) find that always, at a cost that is not worth it in a search for first times.

use super::nearest::{Accuracy, Gap, RotatedPair};
use crate::geom::MapEach;
use crate::narrowphase::math::{V3, greater, lesser};
use crate::narrowphase::simplex::Simplex;

/// How often a direction is improved.
const REFINEMENTS: u32 = 8;

/// Share of the depth of the first direction that the depth along another one must not exceed. So of
/// directions of about the same depth, the first one is kept.
const SHALLOWER: f64 = 15.0 / 16.0;

/// Returns the least depth found, as a negative gap. It may also find that the cores do not overlap. Other
/// directions than the first are tried only if its gap is not above `least`. The vertices of `simplex` are points of the difference.
pub(in crate::narrowphase) fn shallowest(
    pair: &RotatedPair<'_>,
    x: V3,
    guess: V3,
    least: f64,
    simplex: &Simplex,
) -> Gap {
    let first = first(pair, x, guess);
    // The simplex is inside of the difference, so the depth is at least that of `x` in the simplex.
    let is_deep = || 0.5 * simplex.inner_radius(x) > -least;
    // Boxes are symmetric about their origins, so the direction of the first is on the right side.
    let are_boxes = || [&pair.a, &pair.b].iter().all(|of| of.shape.core.half_extents().is_some());
    let suffices = first.lower > least || is_deep() || are_boxes();
    if suffices { first } else { shallowest_of_others(pair, x, first, least) }
}

/// Returns the best of the guess, the direction between the origins and the axes, improved.
fn first(pair: &RotatedPair<'_>, x: V3, guess: V3) -> Gap {
    let mut best = along(pair, x, guess);
    let toward = |direction: V3| if direction.dot(x) < 0.0 { -direction } else { direction };
    for direction in directions(pair, x).map(toward).filter_map(V3::unit) {
        let gap = along(pair, x, direction);
        best = if gap.lower > best.lower { gap } else { best };
    }
    improved(pair, x, best)
}

/// Returns the direction between the origins, of any length, and the axes of both bodies, in one sense each.
fn directions(pair: &RotatedPair<'_>, x: V3) -> impl Iterator<Item = V3> {
    let axes = [&pair.a.rotation, &pair.b.rotation]
        .map_each(|rotation| [0, 1, 2].map_each(|axis| rotation.axis(axis)));
    [x].into_iter().chain(axes.into_iter().flatten())
}

/// Returns the least depth of the first and the other directions, each improved, the shallowest of them first, until the gap of one is
/// above `least`.
#[cold]
#[inline(never)]
fn shallowest_of_others(pair: &RotatedPair<'_>, x: V3, first: Gap, least: f64) -> Gap {
    let (mut best, mut bound) = (first, first.lower * SHALLOWER);
    let (mut starts, mut count) = ([first; 14], 0);
    let units = directions(pair, x).filter_map(V3::unit);
    for direction in units.flat_map(|direction| [-direction, direction]) {
        starts[count] = along(pair, x, direction);
        count += 1;
    }
    for done in 0..count {
        // The shallowest of those that are left; of several, the first.
        let mut at = done;
        for other in done + 1..count {
            if starts[other].lower > starts[at].lower {
                at = other;
            }
        }
        starts[done..=at].rotate_right(1);
        let gap = improved(pair, x, starts[done]);
        if gap.lower > bound {
            (best, bound) = (gap, gap.lower);
        }
        if best.lower > least {
            break;
        }
    }
    best
}

/// Returns the local minimum of the depth that is reached from the direction of `best`.
fn improved(pair: &RotatedPair<'_>, x: V3, mut best: Gap) -> Gap {
    let size = pair.a.shape.bounding_radius + pair.b.shape.bounding_radius;
    let mut least = OUT_MIN;
    for _ in 0..REFINEMENTS {
        // A little further out than the depth: from there the nearest point has a well-defined
        // direction, and it is close to where the bodies touch.
        let out = lesser(size * OUT_MAX, greater(-best.lower, size * least));
        let pulled = x + best.normal * (out - best.lower);
        let tiny = pair.rounding(pulled.length());
        let mut simplex = Simplex::default();
        let guess = (best.normal, f64::NEG_INFINITY);
        let accuracy = Accuracy::Within { share: 0.0, of: 0.0, least: tiny };
        let found = pair.nearest_within(pulled, &mut simplex, guess, tiny, accuracy);
        // The plane across the direction separates the bodies there, so only rounding can make them touch: on a rim, points that are close to
        // each other have no well-defined direction between them. So the body is moved out further.
        if found.upper == 0.0 {
            least *= FURTHER;
            continue;
        }
        // A very short vector may point in a slightly wrong direction while its plane is good.
        let (gap, plane) = (along(pair, x, found.toward()), along(pair, x, found.plane));
        let gap = if gap.lower > plane.lower { gap } else { plane };
        let better = gap.lower > best.lower;
        if gap.lower >= best.lower - size * WORSE_MAX {
            // The simplex gives the point at which the faces touch; one of the farthest vertices would
            // not.
            let shown = if better { gap } else { best };
            let weights = simplex.weights(pulled);
            best = Gap { on_a: simplex.on_a(&weights), on_b: simplex.on_b(&weights), ..shown };
        }
        if !better {
            break;
        }
    }
    best
}

/// Greatest distance by which a body is moved out, relative to the sizes of both: small compared with
/// their faces.
const OUT_MAX: f64 = 1.0 / 1024.0;

/// Factor of the least distance after a search that failed.
const FURTHER: f64 = 64.0;

/// Least distance by which a body is moved out at first, relative to the sizes: the rounding error of the direction is small compared with it.
const OUT_MIN: f64 = 1.0 / (1_u64 << 38) as f64;

/// Limit by which rounding may make the result from outside worse, relative to the sizes. In exact arithmetic it is never worse.
const WORSE_MAX: f64 = 1.0 / (1_u64 << 40) as f64;

fn along(pair: &RotatedPair<'_>, x: V3, direction: V3) -> Gap {
    let vertex = pair.support(direction);
    if vertex.is_invalid() {
        return pair.balls(x);
    }
    Gap {
        lower: direction.dot(x - vertex.at),
        normal: direction,
        out: direction,
        on_a: vertex.on_a,
        on_b: vertex.on_b,
    }
}
