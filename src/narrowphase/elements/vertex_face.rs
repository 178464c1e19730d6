//! First time of contact of a vertex and a face, each vertex of which moves on a straight line.
//!
//! ```
//! use swath::batch::vertex_face;
//! use swath::batch::{ElementSettings, ElementToi, MovingPoints};
//! use swath::{Level, Pair, Threads};
//!
//! // Three vertices of a face, and one that falls through it.
//! let start = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 1.0, 3.0_f64]];
//! let mut end = start;
//! end[3][2] = -1.0;
//! let (faces, pairs) = ([[0, 1, 2]], [Pair { a: 3, b: 0 }]);
//!
//! let mut rejected = Vec::new();
//! let points = MovingPoints::check(&start[..], &end[..], &mut rejected)?;
//! let settings = ElementSettings { minimum_separation: 1.0, ..ElementSettings::default() };
//! let (level, threads) = (Level::detect(), Threads::current());
//! let mut out = [ElementToi::default()];
//! vertex_face::pairs(level, &threads, &points, &faces, &pairs, &settings, &mut out)?;
//! let ElementToi::Hit { t, normal, coordinates } = out[0] else { panic!("{out:?}") };
//! assert!(t <= 0.5 && t > 0.499_999);
//! assert_eq!((normal, coordinates), ([0.0, 0.0, -1.0], [0.25, 0.25]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::batch;
use super::contact::ElementToi;
use super::points::MovingPoints;
use super::settings::{ElementError, ElementSettings};
use super::simd::VertexFace;
use crate::geom::Pair;
use crate::lanes::Level;
use crate::par::Threads;

/// Computes when a vertex and a face first touch, from the positions of the vertex and of the three vertices of
/// the face at both ends of the tick.
///
/// # Errors
///
/// [`ElementError`] if a position or the settings are invalid.
///
/// ```
/// use swath::batch::{ElementSettings, vertex_face};
///
/// let face = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let [a, b, c] = face;
/// let (start, end) = ([[1.0, 1.0, 3.0], a, b, c], [[1.0, 1.0, -1.0], a, b, c]);
/// let toi = vertex_face::one_to_one(&start, &end, &ElementSettings::default())?;
/// assert!(toi.first().is_some_and(|t| t <= 0.75 && t > 0.749_999));
/// # Ok::<(), swath::batch::ElementError>(())
/// ```
pub fn one_to_one(
    start: &[[f64; 3]; 4],
    end: &[[f64; 3]; 4],
    settings: &ElementSettings,
) -> Result<ElementToi, ElementError> {
    batch::one::<VertexFace>([*start, *end], settings)
}

/// Computes when vertex `a` and face `b` of each pair first touch: `out[i]` is the result of [`one_to_one`] for
/// `pairs[i]`, bit by bit.
///
/// A vertex of its own face always touches it, so leave such pairs out: filters cannot exclude
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
    faces: &[[u32; 3]],
    pairs: &[Pair],
    settings: &ElementSettings,
    out: &mut [ElementToi],
) -> Result<(), ElementError> {
    let vertices = |pair: Pair| match faces.get(pair.b as usize) {
        Some(&[a, b, c]) => Ok([pair.a, a, b, c]),
        None => Err((pair.b, faces.len())),
    };
    batch::pairs::<VertexFace>((level, threads), points, pairs, vertices, settings, out)
}
