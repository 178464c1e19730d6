//! Local minimum of the penetration depth, from a direction.
//!
//! For every unit `n`, moving `B` by `h(n) − n·x` along `n` separates the cores, where `h` is the
//! support function of `A − B`. So that value is an upper bound of the depth for any `n`. A direction is
//! improved by moving `B` out along it and searching the nearest point from outside: the normal there is
//! that of a face or an edge. This ends at a local minimum of the depth.

use super::nearest::{Accuracy, Gap, RotatedPair};
use crate::narrowphase::math::{V3, greater, lesser};
use crate::narrowphase::simplex::{Simplex, Vertex};

/// How often a direction is improved.
const REFINEMENTS: u32 = 8;

/// Returns the local minimum of the depth that is reached from the direction of `best`.
pub(super) fn improved(pair: &RotatedPair<'_>, x: V3, mut best: Gap) -> Gap {
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

/// Returns the gap of the cores along a unit vector, which is negative if they overlap.
pub(super) fn along(pair: &RotatedPair<'_>, x: V3, direction: V3) -> Gap {
    let vertex = pair.support(direction);
    if vertex.is_invalid() { pair.balls(x) } else { gap_along(x, direction, &vertex) }
}

/// Returns the gap along a unit vector whose support is known.
pub(in crate::narrowphase) fn gap_along(x: V3, direction: V3, support: &Vertex) -> Gap {
    Gap {
        lower: direction.dot(x - support.at),
        normal: direction,
        out: direction,
        on_a: support.on_a,
        on_b: support.on_b,
    }
}

/// Returns the first of two gaps unless the second one is less deep.
pub(super) fn shallower(best: Gap, other: Gap) -> Gap {
    if other.lower > best.lower { other } else { best }
}
