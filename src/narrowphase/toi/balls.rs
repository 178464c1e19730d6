//! Until when the balls around the positions of two bodies are separated.
//!
//! They do not depend on the rotations. If they are further apart than a touch may be, only the times at which they meet matter,
//! whatever the spin is.

use super::relative_motion::RelativePath;
use super::result::{Observer, round};
use super::separating_plane::{self, GapRange, SafeTime, SeparatingPlane};
use crate::geom::{MapEach, SPIN_MAX};
use crate::narrowphase::math::{V3, greater};

/// Two balls, and how far apart they must be.
pub(super) struct Balls<'p> {
    pub(super) path: &'p RelativePath,
    pub(super) window: [f64; 2],
    /// Sum of the radii of the balls around the cores.
    pub(super) bounding: f64,
    /// Sum of the radii of the shapes.
    pub(super) radii: f64,
    pub(super) contact_distance: f64,
    /// Upper bound of the rounding error of a gap of bodies that do not rotate.
    pub(super) slack: f64,
    /// Distance beyond which there is no touch at the start.
    pub(super) wanted: f64,
    /// Whether one of the bodies rotates.
    pub(super) rotates: bool,
}

impl Balls<'_> {
    /// Returns until when the plane across `toward`, of any length, separates the balls, or `None` if it does not separate them at
    /// the start. For bodies that do not rotate the time is not computed unless it is the end.
    #[inline(always)]
    pub(super) fn until(&self, toward: V3, observer: &mut Observer<'_>) -> Option<SafeTime> {
        let Self { path, window: [from, to], bounding, contact_distance, slack, .. } = *self;
        let turned = 16.0 * f64::EPSILON * f64::from(SPIN_MAX) * bounding;
        let clear = greater(self.wanted, 16.0 * (slack + turned));
        if !self.rotates && path.accel == V3::ZERO {
            // Along a straight line the least gap is that at the start or the end, so no root and no unit vector is needed.
            let [start, end] = [from, to].map_each(|t| toward.dot(path.between(t)));
            let length = toward.length();
            let separated = (length > 0.0)
                & (start > (bounding + contact_distance + clear) * length)
                & (end > (bounding + contact_distance + slack) * length);
            if separated && let Some(observer) = observer {
                let gap = start / length - bounding - self.radii - slack - turned;
                observer(round(from, gap, toward * (1.0 / length)));
            }
            return separated.then_some(SafeTime::End);
        }
        let normal = toward.unit().unwrap_or(V3::X);
        let gap = normal.dot(path.between(from)) - bounding;
        // A comparison with NaN is false.
        let separates = gap - contact_distance > clear;
        if !separates {
            return None;
        }
        let rounding = if self.rotates { slack + turned } else { slack };
        let range = GapRange { min: contact_distance + rounding, max: f64::INFINITY };
        let plane = SeparatingPlane { t: from, normal, gap };
        let until = separating_plane::straight(path, &plane, &range, to);
        let used = until == SafeTime::End || self.rotates;
        if used && let Some(observer) = observer {
            observer(round(from, gap - self.radii - slack - turned, normal));
        }
        used.then_some(until)
    }
}
