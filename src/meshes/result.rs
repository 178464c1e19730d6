//! Result of a search for a first time of two geometries.

use crate::narrowphase::gjk::Distance;
use crate::narrowphase::toi::{Toi, ToiResult};

/// When two geometries first touch, and with which of their parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartToi {
    /// The result, and the rounds and supports of all parts.
    pub toi: Toi,
    /// The part of each of the two that touches; 0 without a contact, and for a convex shape.
    pub parts: [u32; 2],
    /// The number of pairs of parts that were tested, at most the greatest `u32`.
    pub tests: u32,
}

/// The distance of two geometries, and which of their parts are the nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartDistance {
    /// The distance of these two parts, with its normal and the nearest points.
    pub distance: Distance,
    /// The nearest part of each of the two; 0 for a convex shape.
    pub parts: [u32; 2],
}

/// The result of two convex shapes, of which no part was tested.
impl From<Toi> for PartToi {
    fn from(toi: Toi) -> Self {
        Self { toi, ..Self::default() }
    }
}

impl PartToi {
    /// Exchanges the two geometries.
    pub(super) fn flip(&mut self) {
        self.parts.reverse();
        if let ToiResult::Impact { normal, on_a, on_b, .. }
        | ToiResult::Overlapping { normal, on_a, on_b, .. } = &mut self.toi.result
        {
            normal.iter_mut().for_each(|x| *x = -*x);
            core::mem::swap(on_a, on_b);
        }
    }
}
