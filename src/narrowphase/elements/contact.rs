//! Result of a search: the time, the normal, and the coordinates of the nearest points at a hit.

use super::rounds::Limits;
use super::search::{End, search_one};
use super::settings::ElementSettings;
use super::simd::{ElementPair, NearestPoints, at, common_normal, direction, nearest_points, unit};
use crate::lanes::Scalar;

/// When two elements of a mesh first touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ElementToi {
    /// They touch in the tick.
    Hit {
        /// First time of contact, as a fraction of the tick; never late.
        t: f64,
        /// Unit vector at that time from the nearest point of the first element (the vertex, or the first edge) to that of the second.
        /// If the two points coincide it is a normal of the face or perpendicular to both edges, and `[1, 0, 0]` if
        /// there is no such direction. Elements of which all lengths are below 2⁻²⁰⁰ may have any normal and coordinates.
        normal: [f64; 3],
        /// The nearest points at that time. Of a face `[a, b, c]` the barycentric coordinates of `b` and `c`; that of `a` is the
        /// rest of 1. Of two edges the fractions along the first and along the second.
        coordinates: [f64; 2],
    },
    /// They do not touch in the tick.
    #[default]
    Miss,
    /// The search reached its limit of rounds: they do not touch before `t_safe`, and the rest is unknown.
    Unresolved {
        /// The time that is proved to be free, as a fraction of the tick.
        t_safe: f64,
    },
}

impl ElementToi {
    /// Returns the first time of contact, if there is a hit. It is `None` for an unresolved search too, which is no miss: elements may
    /// move until [`ElementToi::safe_time`].
    #[must_use]
    pub fn first(&self) -> Option<f64> {
        if let Self::Hit { t, .. } = *self { Some(t) } else { None }
    }

    /// Returns the time until which the elements may move: the first time of a hit, the proved time of an unresolved search, and 1 for a
    /// miss.
    #[must_use]
    pub fn safe_time(&self) -> f64 {
        match *self {
            Self::Hit { t, .. } => t,
            Self::Unresolved { t_safe } => t_safe,
            Self::Miss => 1.0,
        }
    }
}

impl ElementToi {
    /// Searches a single pair of valid elements.
    pub(super) fn of_pair<E: ElementPair>(
        points: &[[[f64; 3]; 4]; 2],
        settings: &ElementSettings,
    ) -> Self {
        let vectors = [E::vectors(&points[0]), E::vectors(&points[1])];
        let found = search_one::<E>(vectors, Limits::new(settings), settings.rounds_max);
        Self::of_end::<E>(found, || vectors)
    }

    /// Computes the rest of a result from the end of the search. `vectors` are read at a hit only.
    #[inline]
    pub(super) fn of_end<E: ElementPair>(
        (end, t): (End, f64),
        vectors: impl FnOnce() -> [[[f64; 3]; 3]; 2],
    ) -> Self {
        match end {
            End::Miss => Self::Miss,
            End::Unresolved => Self::Unresolved { t_safe: t },
            End::Hit => Self::hit::<E>(t, vectors()),
        }
    }

    /// Computes the normal and the coordinates at the time of a hit.
    fn hit<E: ElementPair>(t: f64, [start, end]: [[[f64; 3]; 3]; 2]) -> Self {
        let x = at::<Scalar>(&start, &end, t);
        let NearestPoints { coordinates, coincide } = nearest_points::<E>(&x);
        // `direction` removes a component from a unit vector, which makes it shorter, so its result is made a unit vector again.
        let normal = if coincide {
            common_normal::<E>(&x)
        } else {
            unit(Scalar, direction::<Scalar, E>(Scalar, &x))
        };
        let normal = if normal == [0.0; 3] { [1.0, 0.0, 0.0] } else { normal };
        Self::Hit { t, normal, coordinates }
    }
}
