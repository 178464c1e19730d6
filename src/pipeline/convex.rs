//! First times of contact of convex shapes, within the window of their bounds.
//!
//! A body without a shape takes part as a cuboid. The window of a pair starts at the first time of
//! contact of its bounds. If that is the start of the tick, the policy decides whether a contact
//! there counts. If it is later, the bodies cannot have touched before, so a distance within the
//! tolerance at the start of the window is a new contact, or nearly one. It is always reported:
//! although the nearest points may be separating, other points may be about to meet.

use super::bounds::PLAIN;
use super::impacts::{Impact, ImpactKind};
use super::windows::{ShapeTest, TickContext};
use crate::geom::{MapEach, Motion, Pair, Pose};
use crate::lanes::prefetch;
use crate::narrowphase::toi::{Settings, Toi, ToiResult, Touch};
use crate::narrowphase::{Shape, toi};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Pairs of one task.
const CHUNK: usize = 64;
/// How many pairs ahead the data of bodies are prefetched.
const AHEAD: usize = 4;

/// Computes the time of impact of each pair.
pub(super) fn fill(
    known: &TickContext<'_, '_>,
    asks: &[ShapeTest],
    threads: &Threads,
    out: &mut Vec<Toi>,
) {
    out.clear();
    out.resize(asks.len(), Toi::default());
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        for (at, out) in (start..).zip(out) {
            if let Some(ask) = asks.get(at + 2 * AHEAD) {
                known.bounds.foresee(ask.pair.a);
                known.bounds.foresee(ask.pair.b);
            }
            if let Some(ask) = asks.get(at + AHEAD) {
                known.foresee_body(ask.pair.a);
                known.foresee_body(ask.pair.b);
            }
            *out = known.advance(&asks[at]);
        }
    });
}

impl TickContext<'_, '_> {
    /// The shape and the motion of a row.
    pub(super) fn body(&self, row: u32) -> (Shape<'_>, Motion) {
        let index = self.bounds.convex_of(row);
        if index != PLAIN {
            let convex = &self.scene.convex[index as usize];
            return (convex.shape, convex.motion);
        }
        let of = super::bounds::accelerating(self.scene, row);
        // The extents are rounded outwards, so the shape contains the box.
        let shape = Shape::cuboid(of.aabb.half_extents()).unwrap_or_else(|_| Shape::point());
        let pose = Pose { position: of.aabb.center(), ..Pose::IDENTITY };
        (shape, Motion { pose, delta: of.delta, accel: of.accel, spin: [0.0; 3] })
    }

    /// Prefetches what [`TickContext::body`] will read.
    fn foresee_body(&self, row: u32) {
        let index = self.bounds.convex_of(row) as usize;
        match self.scene.convex.get(index..=index) {
            Some(convex) => prefetch(convex),
            None => TickContext { boxes: self.scene.boxes, ..*self }.foresee(row),
        }
    }

    /// Computes the time of impact of a pair.
    pub(super) fn advance(&self, ask: &ShapeTest) -> Toi {
        let touch = self.touch(ask.sensor);
        let touch = if ask.window[0] > 0.0 { Touch::Hit } else { touch };
        let settings = Settings { window: ask.window, touch, ..self.config.settings() };
        let [a, b] = [ask.pair.a, ask.pair.b].map_each(|row| self.body(row));
        toi::of_valid((&a.0, &a.1), (&b.0, &b.1), &settings)
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
}
