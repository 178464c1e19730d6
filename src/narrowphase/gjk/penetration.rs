//! Penetration depth of two cores that overlap, and its direction.
//!
//! The depth of two boxes is exact (`box_depth.rs`). For other cores:
//!
//! ```text
//! first    the best of the guess, the direction between the origins, and the axes of both bodies in the
//!          sense of that direction, improved until a local minimum of the depth (`local_depth.rs`)
//! others   if that is deeper than the caller needs: the least depth of all, improved. That of bodies of revolution about
//!          parallel axes is along one of a few directions (`parallel_axes.rs`), that of others is found by an expanding polytope
//!          (`expanding_polytope.rs`)
//! ```
//!
//! Of a body with many parts, only the deepest overlap counts. So the caller may give a depth up to which any upper bound is enough, and the
//! search ends at the first one.
//!
//! The origins may be anywhere, so the right direction may point against the one between them.

use super::box_depth::depth_of_boxes;
use super::boxes::BoxPair;
use super::expanding_polytope::expanded;
use super::local_depth::{along, improved, shallower};
use super::nearest::{Gap, RotatedPair};
use super::parallel_axes::depth_of_parallel_axes;
use crate::geom::MapEach;
use crate::narrowphase::math::{V3, lesser};

/// Returns the least depth, as a negative gap. It may also find that the cores do not overlap. If the gap along one
/// of the directions is above `least`, it may be the result although another depth is less. A gap of `enough` or more may be that along
/// any direction.
pub(in crate::narrowphase) fn shallowest(
    pair: &RotatedPair<'_>,
    x: V3,
    guess: V3,
    [least, enough]: [f64; 2],
) -> Gap {
    let exact_of = |boxes| depth_of_boxes(pair, &boxes, x, f64::INFINITY);
    let exact = BoxPair::new(pair).and_then(exact_of);
    if let Some(exact) = exact.filter(|exact| exact.lower <= least) {
        return exact;
    }
    let first = first(pair, x, guess);
    if first.lower >= enough {
        return first;
    }
    // Only a direction that is nearly shallow enough may become so by being improved.
    let best = if first.lower > NEAR * least { improved(pair, x, first) } else { first };
    if best.lower > least {
        return best;
    }
    if let Some(exact) = exact {
        return exact;
    }
    let best = match depth_of_parallel_axes(pair, x, &best) {
        Some(exact) => shallower(best, exact),
        None => expanded(pair, x, best, lesser(least, enough)),
    };
    if best.lower >= enough { best } else { improved(pair, x, best) }
}

/// Greatest multiple of a limit of the depth at which the first direction is improved before others are tried.
const NEAR: f64 = 64.0;

/// Returns the best of the guess, the direction between the origins and the axes.
fn first(pair: &RotatedPair<'_>, x: V3, guess: V3) -> Gap {
    let toward = |direction: V3| if direction.dot(x) < 0.0 { -direction } else { direction };
    let units = directions(pair, x).map(toward).filter_map(V3::unit);
    units.map(|unit| along(pair, x, unit)).fold(along(pair, x, guess), shallower)
}

/// Returns the direction between the origins, of any length, and the axes of both bodies, in one sense each.
fn directions(pair: &RotatedPair<'_>, x: V3) -> impl Iterator<Item = V3> {
    let axes = [&pair.a.rotation, &pair.b.rotation]
        .map_each(|rotation| [0, 1, 2].map_each(|axis| rotation.axis(axis)));
    [x].into_iter().chain(axes.into_iter().flatten())
}
