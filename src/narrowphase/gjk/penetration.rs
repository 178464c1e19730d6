//! Penetration depth of two cores that overlap, and its direction.
//!
//! The depth of two boxes is exact (`box_depth.rs`). For other cores, some directions are improved, each until a local minimum of the depth
//! (`local_depth.rs`):
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

use super::box_depth::depth_of_boxes;
use super::boxes::BoxPair;
use super::local_depth::{along, improved};
use super::nearest::{Gap, RotatedPair};
use crate::geom::MapEach;
use crate::narrowphase::math::V3;
use crate::narrowphase::simplex::Simplex;

/// Share of the depth of the first direction that the depth along another one must not exceed. So of
/// directions of about the same depth, the first one is kept.
const SHALLOWER: f64 = 15.0 / 16.0;

/// Returns the least depth found, as a negative gap. It may also find that the cores do not overlap. Other
/// directions than the first are tried only if its gap is not above `least`; the gap of boxes is exact unless it is above `least`. The
/// vertices of `simplex` are points of the difference.
pub(in crate::narrowphase) fn shallowest(
    pair: &RotatedPair<'_>,
    x: V3,
    guess: V3,
    least: f64,
    simplex: &Simplex,
) -> Gap {
    let exact_of = |boxes| depth_of_boxes(pair, &boxes, x, f64::INFINITY);
    let exact = BoxPair::new(pair).and_then(exact_of);
    if let Some(exact) = exact.filter(|exact| exact.lower <= least) {
        return exact;
    }
    let first = first(pair, x, guess);
    if first.lower > least {
        return first;
    }
    if let Some(exact) = exact {
        return exact;
    }
    // The simplex is inside of the difference, so the depth is at least that of `x` in the simplex.
    let is_deep = 0.5 * simplex.inner_radius(x) > -least;
    if is_deep { first } else { shallowest_of_others(pair, x, first, least) }
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
