//! The context of a tick: what all stages read, and what follows from it for a row or a pair.

use super::bounds::{PLAIN, SceneBounds, accelerating};
use crate::columns::MovingBoxColumns;
use crate::geom::{Motion, Pair, Pose};
use crate::lanes::prefetch;
use crate::narrowphase::Shape;
use crate::narrowphase::toi::Touch;
use crate::pipeline::config::Config;
use crate::pipeline::scene::{BodyFlags, GeometryBody, Scene};

/// A pair whose shapes must be tested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShapeTest {
    pub(crate) pair: Pair,
    /// First and last time of contact of the bounds.
    pub(crate) window: [f32; 2],
    /// Whether one of the two bodies is a sensor.
    pub(crate) sensor: bool,
}

/// The context of a tick: what all stages read.
#[derive(Clone, Copy)]
pub(crate) struct TickContext<'a, 's> {
    pub(crate) scene: &'a Scene<'a, 's>,
    pub(crate) config: &'a Config,
    pub(crate) bounds: &'a SceneBounds,
    pub(crate) boxes: MovingBoxColumns<'a>,
}

impl TickContext<'_, '_> {
    /// The properties of a row.
    pub(crate) fn flags(&self, row: u32) -> BodyFlags {
        self.scene.flags.map_or(BodyFlags::MOVES, |flags| flags[row as usize])
    }

    /// Prefetches the bounds of a row, and the index of its shape.
    #[inline(always)]
    pub(crate) fn prefetch_bounds(&self, row: u32) {
        let at = row as usize;
        for column in &self.boxes.columns() {
            prefetch(&column[at..=at]);
        }
        self.bounds.prefetch_index(row);
    }

    /// Whether one of the two bodies is a sensor.
    pub(crate) fn is_sensed(&self, pair: Pair) -> bool {
        self.scene.flags.is_some()
            && (self.flags(pair.a) | self.flags(pair.b)).has(BodyFlags::SENSOR)
    }

    /// The policy for contacts at the start of the tick.
    pub(crate) fn touch(&self, sensor: bool) -> Touch {
        if sensor { Touch::Hit } else { self.config.touch }
    }

    /// The shape and the motion of a row without parts.
    pub(crate) fn body(&self, row: u32) -> (Shape<'_>, Motion) {
        let index = self.bounds.convex_of(row);
        if index != PLAIN {
            let convex = &self.scene.convex[index as usize];
            return (convex.shape, convex.motion);
        }
        let of = accelerating(self.scene, row);
        let (shape, position) =
            Shape::of_aabb(&of.aabb).unwrap_or_else(|_| (Shape::point(), of.aabb.center()));
        let pose = Pose { position, ..Pose::IDENTITY };
        (shape, Motion { pose, delta: of.delta, accel: of.accel, spin: [0.0; 3] })
    }

    /// The body with parts of a row, if it is one.
    pub(crate) fn geometry(&self, row: u32) -> Option<&GeometryBody<'_>> {
        let index = self.bounds.convex_of(row);
        if index == PLAIN {
            return None;
        }
        self.scene.geometries.get((index as usize).checked_sub(self.scene.convex.len())?)
    }

    /// Prefetches what [`TickContext::body`] will read.
    pub(crate) fn prefetch_body(&self, row: u32) {
        let index = self.bounds.convex_of(row) as usize;
        match self.scene.convex.get(index..=index) {
            Some(convex) => prefetch(convex),
            None => TickContext { boxes: self.scene.boxes, ..*self }.prefetch_bounds(row),
        }
    }
}
