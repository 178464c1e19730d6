//! A touch at the start of the window: whether it is an impact, and how one that is ignored is followed.
//!
//! With [`Touch::IfClosing`] the sign of the closing speed along the normal decides. Where the cores themselves touch, the normal
//! may be one of many: at an edge or a corner, every direction between the faces is one, and that of a face is exact only to within
//! the accuracy of the search. Then the bodies do not close either if some other plane that separates them, to within the tolerance,
//! does not (`parts`).
//!
//! A touch that is ignored is followed until the bodies are apart, or deeper by the tolerance. So a wrong decision to ignore it
//! delays a contact by the tolerance, and loses none.

use super::goal::Goal;
use super::result::ToiResult;
use super::search::Search;
use super::separating_plane::GapRange;
use super::settings::Touch;
use crate::geom::MapEach;
use crate::narrowphase::gjk::{Accuracy, Gap, Nearest, RotatedPair, shallowest};
use crate::narrowphase::math::{V3, greater, lesser};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::simplex::{Simplex, Vertex};

/// Accuracy of a distance and of its plane, relative to the tolerance.
const SHARP: f64 = 1.0 / 16.0;

/// How far touching bodies move until the plane between them is searched again, relative to the tolerance: so far that a plane
/// along which they part has a gap, and so little that it still separates them at the start.
const MOVED: f64 = 16.0;

/// How far points of bodies that rotate may turn until a plane is searched once more, relative to the tolerance: so little that
/// a plane that turns with them still separates them at the start.
const TURNED: f64 = 0.5;

/// Bound of the rounding error of a closing speed, relative to the speeds that it is computed from.
const ROUNDING_OF_SPEED: f64 = 16.0 * f64::EPSILON;

impl<'s> Search<'s> {
    /// Evaluates a touch at the start: returns a result, or the gap of a touch that is ignored.
    #[inline(never)]
    pub(super) fn touch(
        &self,
        pair: &RotatedPair<'s>,
        t: f64,
        x: V3,
        found: &Nearest,
        simplex: &Simplex,
    ) -> Result<f64, ToiResult> {
        let gap = self.gap_of(pair, x, found, simplex);
        let distance = if found.upper > 0.0 { found.upper } else { gap.lower };
        if distance < self.contact_distance - self.tolerance {
            return Err(self.overlapping(t, pair, &gap));
        }
        let counts = match self.settings.touch {
            Touch::Hit => true,
            Touch::IfClosing => {
                let [closing, growing] = self.motion.closing(t, pair, &gap);
                let closes = closing > 0.0 || closing == 0.0 && growing > 0.0;
                let surrounded = (simplex, found.upper);
                closes
                    && (self.closes_anyway(pair, (t, x), &gap, surrounded)
                        || !self.parts(pair, (t, x), &gap))
            }
            Touch::Ignore => false,
        };
        if counts { Err(self.impact(t, pair, &gap)) } else { Ok(gap.lower) }
    }

    /// Returns whether bodies whose cores touch, and which close along the normal of `gap`, part or slide all the same: another
    /// plane separates them to within the tolerance, and does not close.
    ///
    /// The first such plane is the one nearest to the given one along whose normal the nearest points do not move, if it is as good
    /// as the given one but for the accuracy of the search: of bodies that slide, the computed normal may be tilted against
    /// their motion. The others are that which separates the bodies best a little later, and the one nearest to that. Bodies that
    /// rotate may turn so far in that time that this plane does not separate them at the start, so a shorter time is tried too.
    /// The last are the planes across the axes of the bodies, which are the faces of boxes.
    #[cold]
    fn parts(&self, pair: &RotatedPair<'s>, (t, x): (f64, V3), gap: &Gap) -> bool {
        if !self.goal().touches_cores {
            return false;
        }
        let Self { motion, contact_distance, tolerance, .. } = self;
        let [apart, accel] = motion.apart(t, pair, gap);
        let still = |normal: V3| {
            let along = apart.dot(normal) / greater(apart.square(), f64::MIN_POSITIVE);
            (normal - apart * along).unit()
        };
        let separates = |normal: Option<V3>, least: f64| {
            let Some(normal) = normal else { return false };
            let Nearest { lower, support, .. } = Nearest::along(pair, x, normal);
            // A comparison with NaN is false.
            let touches = lower >= greater(least, contact_distance - tolerance);
            let Vertex { on_a, on_b, .. } = support;
            let there = Gap { lower, normal, out: normal, on_a, on_b };
            touches && !self.closes_by_more_than_rounding(pair, t, &there)
        };
        let sharp = SHARP * tolerance;
        if separates(still(gap.normal), gap.lower - sharp) {
            return true;
        }
        let after = first_root(MOVED * tolerance, -apart.length(), -0.5 * accel.length());
        let parts_after = |after: f64| {
            let later = self.gap_at(lesser(t + after, self.window[1]), gap.normal).normal;
            let least = Nearest::along(pair, x, later).lower - sharp;
            separates(Some(later), least) || separates(still(later), least)
        };
        // It is infinite for bodies that do not rotate.
        let turned = TURNED * tolerance / self.spin_speed();
        let across = |normal: V3| separates(Some(normal), f64::NEG_INFINITY);
        parts_after(after)
            || turned < after && parts_after(turned)
            || [pair.a.rotation, pair.b.rotation].iter().any(|rotation| {
                (0..3).any(|k| across(rotation.axis(k)) || across(-rotation.axis(k)))
            })
    }

    /// Returns whether it is certain that every plane which separates the cores to within the tolerance closes, because none is
    /// tilted much: as where a face lies on another. `upper` is the distance of the cores by the simplex.
    ///
    /// Let `y` be the vertices of the simplex from `x`, with weights of at least `w`, and `n` the normal of such a plane. Then `n·y ≤ s` for each of
    /// them, with `s` the tolerance less the contact distance, and the sum of `n·y` by weights is at least `-upper`. So each `n·y` is at least
    /// `-(upper + s) / w`, and the component of `n` along the triangle is at most the difference of these bounds times the sum of two sides, divided by
    /// their product. The normal of `gap` is one of these, so all differ from it by little more than twice that.
    fn closes_anyway(
        &self,
        pair: &RotatedPair<'_>,
        (t, x): (f64, V3),
        gap: &Gap,
        (simplex, upper): (&Simplex, f64),
    ) -> bool {
        let Self { motion, contact_distance, tolerance, .. } = self;
        let most = tolerance - contact_distance;
        if simplex.len < 3 || gap.lower < -most {
            return false;
        }
        // Of a tetrahedron, the vertex with the least weight is left out.
        let weights = simplex.weights(x);
        let last = (0..simplex.len).fold(0, |p, q| if weights[q] < weights[p] { q } else { p });
        let [i, j, k] = match last {
            0 if simplex.len == 4 => [1, 2, 3],
            1 if simplex.len == 4 => [0, 2, 3],
            2 if simplex.len == 4 => [0, 1, 3],
            _ => [0, 1, 2],
        };
        let least = lesser(lesser(weights[i], weights[j]), weights[k]);
        let [e, f] = [j, k].map_each(|to| simplex.vertices[to].at - simplex.vertices[i].at);
        let deep = greater(most, 0.0);
        let differs = (greater(upper, motion.slack) + deep) / least + deep;
        let tilted = differs * (e.length() + f.length()) / e.cross(f).length();
        // The plane on the other side of the cores separates them only if these are flat.
        let behind = pair.support(-gap.normal).at - x;
        let is_thick = -gap.normal.dot(behind) - 2.5 * tilted * behind.length() > deep;
        let [apart, _] = motion.apart(t, pair, gap);
        let slower = 2.5 * tilted * apart.length() + 2.0 * self.spin_speed();
        // Comparisons with NaN are false.
        least > 0.0 && tilted < 0.1 && is_thick && -apart.dot(gap.normal) > slower
    }

    /// Returns whether two points close, or are about to.
    fn closes_by_more_than_rounding(&self, pair: &RotatedPair<'_>, t: f64, gap: &Gap) -> bool {
        let motion = &self.motion;
        let [closing, growing] = motion.closing(t, pair, gap);
        let rounding = ROUNDING_OF_SPEED * (motion.velocity(t).length() + self.spin_speed());
        closing > rounding || closing >= -rounding && growing > 0.0
    }

    /// The sum of the greatest speeds of points of both bodies because of their rotation.
    fn spin_speed(&self) -> f64 {
        let [a, b] = [&self.motion.a, &self.motion.b]
            .map_each(|body| body.rotation.rate * body.shape.reach());
        a + b
    }

    /// Returns the gap of the bodies at a time, which may touch or overlap.
    fn gap_at(&self, t: f64, guess: V3) -> Gap {
        let (pair, x) = (self.motion.at(t), self.motion.between(t));
        let mut simplex = Simplex::default();
        let accuracy = Accuracy::Within { share: 0.0, of: 0.0, least: SHARP * self.tolerance };
        let guess = (guess, f64::NEG_INFINITY);
        let found = pair.nearest_within(x, &mut simplex, guess, self.motion.slack, accuracy);
        self.gap_of(&pair, x, &found, &simplex)
    }

    /// Returns the gap of the cores that a search has found, or how deep they overlap.
    fn gap_of(&self, pair: &RotatedPair<'_>, x: V3, found: &Nearest, simplex: &Simplex) -> Gap {
        if found.upper > 0.0 {
            return found.gap(x, simplex);
        }
        shallowest(pair, x, found.plane, self.contact_distance - self.tolerance, simplex)
    }

    /// Returns the overlap at the start of the window, for bodies that touch there or overlap.
    #[cold]
    pub(super) fn overlap_at_start(&self) -> ToiResult {
        let [t, _] = self.window;
        self.overlapping(t, &self.motion.at(t), &self.gap_at(t, self.guess))
    }

    /// Returns the goal of a search after an ignored touch at the start, whose gap is at least `lower`;
    /// and the distance, improved if necessary.
    #[inline(never)]
    pub(super) fn after_ignored_touch(
        &mut self,
        pair: &RotatedPair<'s>,
        x: V3,
        (mut found, mut lower): (Nearest, f64),
        simplex: &mut Simplex,
    ) -> (Goal, Nearest) {
        let (contact_distance, slack) = (self.contact_distance, self.motion.slack);
        // It is zero for two points in one place.
        let tolerance = greater(self.tolerance, f64::MIN_POSITIVE);
        let least = contact_distance + 4.0 * slack;
        // Whether the gap is really above the target must be known more exactly than the tolerance.
        if found.upper > least && lower <= least {
            let guess = (found.plane, found.lower);
            let next = pair.nearest_within(x, simplex, guess, slack, Accuracy::Beyond(least));
            self.supports += next.supports;
            if next.lower > lower {
                (found, lower) = (next, next.lower);
            }
        }
        let max = contact_distance + 2.0 * tolerance;
        // A real gap keeps its contact distance: reaching that is a contact. A touch may get deeper by as
        // much as the depth of a touch may be.
        let (floor, accept) = if lower > least {
            (contact_distance + slack, contact_distance + 0.5 * (lower - contact_distance))
        } else {
            (lower - tolerance, lower - 0.75 * tolerance)
        };
        (Goal { range: GapRange { min: floor, max }, accept, ..self.goal() }, found)
    }
}
