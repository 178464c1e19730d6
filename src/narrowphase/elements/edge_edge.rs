//! First time of contact of two edges, of which each vertex moves on a straight line.
//!
//! ```
//! use swath::batch::edge_edge;
//! use swath::batch::{ElementSettings, ElementToi, MovingPoints};
//! use swath::{Level, Pair, Threads};
//!
//! // Two edges that cross at a right angle; the second one falls through the first. Positions may be `f32`.
//! let start = [[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, -1.0, 3.0], [0.0, 1.0, 3.0_f32]];
//! let mut end = start;
//! (end[2][2], end[3][2]) = (-1.0, -1.0);
//! let (edges, pairs) = ([[0, 1], [2, 3]], [Pair { a: 0, b: 1 }]);
//!
//! let mut rejected = Vec::new();
//! let points = MovingPoints::check(&start[..], &end[..], &mut rejected)?;
//! let settings = ElementSettings { minimum_separation: 1.0, ..ElementSettings::default() };
//! let (level, threads) = (Level::detect(), Threads::current());
//! let mut out = [ElementToi::default()];
//! edge_edge::pairs(level, &threads, &points, &edges, &pairs, &settings, &mut out)?;
//! let ElementToi::Hit { t, normal, coordinates } = out[0] else { panic!("{out:?}") };
//! assert!(t <= 0.5 && t > 0.499_999);
//! assert_eq!((normal, coordinates), ([0.0, 0.0, 1.0], [0.25, 0.5]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::batch;
use super::contact::ElementToi;
use super::points::MovingPoints;
use super::settings::{ElementError, ElementSettings};
use super::simd::EdgeEdge;
use crate::geom::Pair;
use crate::lanes::Level;
use crate::par::Threads;

/// Computes when two edges first touch, from the positions of the two vertices of the first and of the second edge at
/// both ends of the tick.
///
/// # Errors
///
/// [`ElementError`] if a position or the settings are invalid.
pub fn one_to_one(
    start: &[[f64; 3]; 4],
    end: &[[f64; 3]; 4],
    settings: &ElementSettings,
) -> Result<ElementToi, ElementError> {
    batch::one::<EdgeEdge>([*start, *end], settings)
}

/// Computes when edges `a` and `b` of each pair first touch: `out[i]` is the result of [`one_to_one`] for `pairs[i]`,
/// bit by bit.
///
/// Edges with a common vertex always touch, so leave such pairs out: filters cannot exclude
/// neighbours, so compare the indices of the vertices. The result is [`ElementToi::Miss`] if one of the
/// four vertices is rejected.
///
/// # Errors
///
/// [`ElementError`].
pub fn pairs(
    level: Level,
    threads: &Threads,
    points: &MovingPoints<'_>,
    edges: &[[u32; 2]],
    pairs: &[Pair],
    settings: &ElementSettings,
    out: &mut [ElementToi],
) -> Result<(), ElementError> {
    let vertices = |pair: Pair| match (edges.get(pair.a as usize), edges.get(pair.b as usize)) {
        (Some(&[a, b]), Some(&[c, d])) => Ok([a, b, c, d]),
        (None, _) => Err((pair.a, edges.len())),
        _ => Err((pair.b, edges.len())),
    };
    batch::pairs::<EdgeEdge>((level, threads), points, pairs, vertices, settings, out)
}
