//! Impacts: two bodies that meet in a tick.

use crate::geom::Pair;
use crate::meshes::toi::PartToi;
use crate::narrowphase::toi::{Toi, ToiResult};

/// The kind of an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ImpactKind {
    /// The bodies touch from `toi` on, or touch at the start in a way that counts.
    #[default]
    Touching,
    /// The bodies overlap from the start of the tick on.
    Overlapping,
    /// The search was given up. The bodies do not touch before `toi`; what happens later is
    /// unknown.
    Unresolved,
}

/// Two bodies that meet in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact<P = Pair> {
    /// The time of impact: a fraction of the tick, never late.
    pub toi: f32,
    /// The two bodies, the lower one first.
    pub pair: P,
    /// Last time of contact, a fraction of the tick. For two plain boxes it is the end of this contact if they passed through each other; if one of
    /// them is accelerated, they may touch again later. For other bodies it is the last time of contact of their bounds, after which the bodies no
    /// longer touch.
    pub last: f32,
    /// The kind of the impact.
    pub kind: ImpactKind,
    /// The unit contact normal at that time, from `a` to `b`; zero for [`ImpactKind::Unresolved`].
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b` at that time, or deepest inside it, in world coordinates.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a` at that time, or deepest inside it, in world coordinates.
    pub on_b: [f32; 3],
    /// The speed at which those points approach each other along the normal, in length per tick;
    /// negative if they separate.
    pub closing: f32,
    /// How far `b` has to be moved along the normal until the distance of the two is the target distance; 0 except for
    /// [`ImpactKind::Overlapping`]. With a target distance it is greater than the penetration depth.
    pub depth: f32,
    /// The part of each body that touches, as [`mesh::Geometry`](crate::mesh::Geometry) numbers them, such as a
    /// triangle; 0 for boxes and convex shapes.
    pub parts: [u32; 2],
}

impl<P> Impact<P> {
    /// The same impact with another label of the pair, such as the ids of the caller's bodies.
    #[must_use]
    pub fn with_pair<Q>(self, pair: Q) -> Impact<Q> {
        let Self { toi, last, kind, normal, on_a, on_b, closing, depth, parts, .. } = self;
        Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth, parts }
    }
}

impl Impact {
    /// The impact of a pair whose shapes were tested within `window`, or `None` if they do not touch
    /// there.
    ///
    /// [`Impact::last`] is the end of the window.
    ///
    /// ```
    /// use swath::convex::toi::{self, Settings};
    /// use swath::{Impact, Motion, Pair, Pose, Shape};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let motions = [Motion::new(Pose::at([-4.0, 0.0, 0.0])?, [8.0, 0.0, 0.0])?, Motion::default()];
    /// let toi = toi::one_to_one(&ball, &motions[0], &ball, &motions[1], &Settings::default())?;
    /// let impact = Impact::from_toi(Pair { a: 0, b: 1 }, [0.0, 1.0], &toi).expect("an impact");
    /// assert!(impact.toi <= 0.25 && (impact.closing - 8.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_toi(pair: Pair, window: [f32; 2], toi: &Toi) -> Option<Self> {
        let [first, last] = window;
        let of = Self { pair, last, ..Self::default() };
        match toi.result {
            ToiResult::Separated => None,
            ToiResult::Impact { t, normal, on_a, on_b, closing } => {
                let kind = ImpactKind::Touching;
                Some(Self { toi: t, kind, normal, on_a, on_b, closing, ..of })
            }
            ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => {
                let kind = ImpactKind::Overlapping;
                Some(Self { toi: first, kind, normal, on_a, on_b, closing, depth, ..of })
            }
            ToiResult::Unresolved { t_safe } => {
                Some(Self { toi: t_safe, kind: ImpactKind::Unresolved, ..of })
            }
        }
    }

    /// Does what [`Impact::from_toi`] does, for bodies with parts.
    #[must_use]
    pub fn from_part_toi(pair: Pair, window: [f32; 2], found: &PartToi) -> Option<Self> {
        let impact = Self::from_toi(pair, window, &found.toi)?;
        Some(Self { parts: found.parts, ..impact })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: an impact has the numbers of the search and of the window. Method: each result, with different numbers in each field.
    #[test]
    fn an_impact_has_the_numbers_of_the_search() {
        let (pair, window) = (Pair { a: 3, b: 7 }, [0.125, 0.75]);
        let (normal, on_a, on_b) = ([0.0, 1.0, 0.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let impact = |result| {
            let toi = Toi { result, ..Toi::default() };
            let found = PartToi { toi, parts: [8, 9], tests: 1 };
            Impact::from_part_toi(pair, window, &found)
        };
        let of = Impact { pair, last: 0.75, parts: [8, 9], ..Impact::default() };
        assert_eq!(impact(ToiResult::Separated), None);
        let touching = impact(ToiResult::Impact { t: 0.25, normal, on_a, on_b, closing: 2.0 });
        let kind = ImpactKind::Touching;
        let wanted = Impact { toi: 0.25, kind, normal, on_a, on_b, closing: 2.0, ..of };
        assert_eq!(touching, Some(wanted));
        let (depth, closing) = (0.5, -1.0);
        let inside = impact(ToiResult::Overlapping { depth, normal, on_a, on_b, closing });
        let kind = ImpactKind::Overlapping;
        let wanted = Impact { toi: 0.125, kind, normal, on_a, on_b, closing, depth, ..of };
        assert_eq!(inside, Some(wanted));
        let open = impact(ToiResult::Unresolved { t_safe: 0.5 });
        assert_eq!(open, Some(Impact { toi: 0.5, kind: ImpactKind::Unresolved, ..of }));
    }
}
