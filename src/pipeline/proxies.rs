//! Impacts of the proxies of a [`Broadphase`].
//!
//! The broadphase finds the pairs whose boxes touch. The caller then describes each proxy that is
//! in a pair. These proxies form a [`Scene`], with one row for each in the order of ids, and the
//! stages of the pipeline compute the impacts.

use super::config::PipelineError;
use super::impact::Impact;
use super::proxy_rows::ProxyRows;
use super::scene::{BodyFlags, ConvexBody, GeometryBody, Scene};
use super::stats::TickStats;
use super::tick::Pipeline;
use crate::broadphase::{Broadphase, ProxyId, ProxyPair};
use crate::geom::{Invalid, MapEach, Motion, MovingBox, SweptPair, append_each};
use crate::meshes::Geometry;
use crate::narrowphase::Shape;
use alloc::vec::Vec;

/// Data of a proxy that the caller stores, besides its box.
#[derive(Clone, Copy, Debug)]
pub struct BodyInfo<'s> {
    /// The shape, mesh, height field or compound, and the motion; without them the body is its box.
    pub shape: Option<(Geometry<'s>, Motion)>,
    /// Whether it is a sensor or marked for continuous collision. The broadphase decides which
    /// proxies move.
    pub flags: BodyFlags,
}

impl Default for BodyInfo<'_> {
    /// A body that is its box, and not a sensor.
    fn default() -> Self {
        Self { shape: None, flags: BodyFlags::MOVES }
    }
}

impl<'s> From<(Geometry<'s>, Motion)> for BodyInfo<'s> {
    /// A body that is not a sensor.
    fn from(shape: (Geometry<'s>, Motion)) -> Self {
        Self { shape: Some(shape), flags: BodyFlags::MOVES }
    }
}

impl<'s> From<(Shape<'s>, Motion)> for BodyInfo<'s> {
    /// A shape that is not a sensor.
    fn from((shape, motion): (Shape<'s>, Motion)) -> Self {
        (Geometry::from(shape), motion).into()
    }
}

impl<'s, G: Into<Geometry<'s>>> From<Option<(G, Motion)>> for BodyInfo<'s> {
    /// A body or a box that is not a sensor.
    fn from(shape: Option<(G, Motion)>) -> Self {
        let shape = shape.map(|(geometry, motion)| (geometry.into(), motion));
        Self { shape, flags: BodyFlags::MOVES }
    }
}

/// The impacts of a tick over a broadphase, in the memory of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct ProxyTickOutput<'a> {
    impacts: &'a [Impact<ProxyPair>],
    sensed: &'a [Impact<ProxyPair>],
    rejected: &'a [(ProxyId, Invalid)],
    stats: &'a TickStats,
}

impl<'a> ProxyTickOutput<'a> {
    /// The impacts, ordered by time, then by pair.
    #[must_use]
    pub fn impacts(&self) -> &'a [Impact<ProxyPair>] {
        self.impacts
    }

    /// The impacts with sensors, ordered by time, then by pair.
    #[must_use]
    pub fn sensed(&self) -> &'a [Impact<ProxyPair>] {
        self.sensed
    }

    /// Proxies with an invalid motion, or whose bounds with half the target distance reach past [`COORD_MAX`](crate::COORD_MAX), although
    /// their box is valid. They have no impacts.
    #[must_use]
    pub fn rejected(&self) -> &'a [(ProxyId, Invalid)] {
        self.rejected
    }

    /// The time of each stage, and what it did with the pairs.
    #[must_use]
    pub fn stats(&self) -> &'a TickStats {
        self.stats
    }
}

impl<'a> IntoIterator for ProxyTickOutput<'a> {
    type Item = &'a Impact<ProxyPair>;
    type IntoIter = core::slice::Iter<'a, Impact<ProxyPair>>;

    fn into_iter(self) -> Self::IntoIter {
        self.impacts.iter()
    }
}

impl Pipeline {
    /// Finds the impacts of the proxies of a broadphase: updates it, which finds the pairs, and
    /// tests those that touch.
    ///
    /// `body` is called once for each proxy that is in a pair. It cannot read the broadphase, which is borrowed exclusively: look up
    /// the body of an id in a table of yours, by [`ProxyId::index`]. The result borrows the pipeline only, so proxies may be changed
    /// while it is read. The box and the displacement of a
    /// proxy with a shape must contain it during the whole tick, like those that
    /// [`Pipeline::bounds_of`] computes. With a target distance each box must be larger by half of it, which is the margin that function
    /// takes. [`Proxy::margin`](crate::Proxy::margin) does not replace that: the fat AABB stays while the path is inside, and then one of its sides may be nearer.
    /// The distance to a proxy without a shape is that to its box, so one whose box is enlarged is described by a shape. The limit and the threshold of the [`Config`](super::Config)
    /// apply; which proxies move, and their filters, are those of the broadphase. The pairs that
    /// began or ended are in [`Broadphase::changes`]. This is one update of the broadphase, so call it once per tick: a solver that
    /// looks for impacts several times per tick passes columns to [`Pipeline::tick`] instead, or is the
    /// `Stepper` of the package `swath-stepping`.
    ///
    /// If `body` or a shape panics, the broadphase has been updated already: its events are those of this tick, and a second call does not
    /// report them again.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings, or that there are more pairs than the
    /// broadphase allows.
    ///
    /// ```
    /// use swath::pipeline::Config;
    /// use swath::{Aabb, Broadphase, Motion, Pipeline, Pose, Proxy, Shape};
    ///
    /// let mut broadphase = Broadphase::new();
    /// let wall = broadphase.insert(Aabb::new([0.0, -5.0, -5.0], [0.2, 5.0, 5.0])?, Proxy::fixed())?;
    /// let ball = Shape::sphere(0.05)?;
    /// let motion = Motion::new(Pose::at([-50.0, 0.0, 0.0])?, [100.0, 0.0, 0.0])?;
    /// let bounds = Pipeline::bounds_of(&ball, &motion, 0.0)?;
    /// let bullet = broadphase.insert_moving(bounds, Proxy::dynamic())?;
    ///
    /// let mut ccd = Pipeline::new(Config::default());
    /// for hit in ccd.tick_proxies(&mut broadphase, |id| (id == bullet).then_some((ball, motion)))? {
    ///     // Sorted by time, then by pair.
    ///     assert_eq!((hit.pair.a, hit.pair.b), (wall, bullet));
    ///     assert!(hit.toi <= 0.4995 && hit.toi > 0.4994);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tick_proxies<'s, A: Into<BodyInfo<'s>>>(
        &mut self,
        broadphase: &mut Broadphase,
        mut body: impl FnMut(ProxyId) -> A,
    ) -> Result<ProxyTickOutput<'_>, PipelineError> {
        self.tick_each(broadphase, &mut |id| body(id).into())
    }

    /// Does what [`Pipeline::tick_proxies`] states. It is not generic, so that it is compiled once.
    fn tick_each<'s>(
        &mut self,
        broadphase: &mut Broadphase,
        body: &mut dyn FnMut(ProxyId) -> BodyInfo<'s>,
    ) -> Result<ProxyTickOutput<'_>, PipelineError> {
        self.config().validate()?;
        let mut clock = crate::par::Clock::start();
        broadphase.update()?;
        let found = clock.lap();
        let broadphase = &*broadphase;
        let touching = broadphase.changes().touching();
        let mut proxies = core::mem::take(&mut self.proxies);
        proxies.assign(touching.iter().map(ProxyPair::from));
        let mut convex: Vec<ConvexBody<'s>> = core::mem::take(&mut proxies.convex);
        let mut geometries: Vec<GeometryBody<'s>> = core::mem::take(&mut proxies.geometries);
        proxies.boxes.clear();
        proxies.flags.clear();
        for (row, &id) in (0..).zip(&proxies.ids) {
            let BodyInfo { shape, flags } = body(id);
            proxies.flags.push(flags | BodyFlags::MOVES);
            let moving = broadphase.moving_box(id).unwrap_or_default();
            proxies.boxes.push(moving).expect("the boxes of a broadphase are valid");
            match shape {
                None => {}
                Some((Geometry::Convex(shape), motion)) => {
                    convex.push(ConvexBody { row, shape, motion });
                }
                Some((geometry, motion)) => {
                    geometries.push(GeometryBody { row, geometry, motion });
                }
            }
        }
        proxies.pairs.clear();
        for pair in touching {
            let [a, b] = [pair.a, pair.b].map_each(|id| proxies.rows[id.index() as usize]);
            proxies.pairs.push(SweptPair { a, b, first: pair.first });
        }
        let boxes = proxies.boxes.columns();
        let scene =
            Scene::new(boxes).convex(&convex).geometries(&geometries).flagged(&proxies.flags);
        let work = self.tick_pairs(&scene, &mut proxies.pairs);
        let with_ids = |impact: &Impact| {
            let [a, b] = [impact.pair.a, impact.pair.b].map_each(|row| proxies.ids[row as usize]);
            impact.with_pair(ProxyPair { a, b })
        };
        proxies.impacts.clear();
        append_each(&mut proxies.impacts, &work.impacts.sorted, with_ids);
        proxies.sensed.clear();
        append_each(&mut proxies.sensed, &work.sensed.sorted, with_ids);
        proxies.rejected.clear();
        append_each(&mut proxies.rejected, &work.rejected, |of| {
            (proxies.ids[of.row as usize], of.reason)
        });
        // The empty memory can be reused with any lifetime.
        convex.clear();
        let nothing = |_| -> ConvexBody<'static> { unreachable!("it is empty") };
        proxies.convex = convex.into_iter().map(nothing).collect();
        geometries.clear();
        let nothing = |_| -> GeometryBody<'static> { unreachable!("it is empty") };
        proxies.geometries = geometries.into_iter().map(nothing).collect();
        proxies.free_unused(broadphase.slots());
        self.proxies = proxies;
        self.set_pairs_time(found);
        let (stats, ProxyRows { impacts, sensed, rejected, .. }) = self.last_of_proxies();
        Ok(ProxyTickOutput { impacts, sensed, rejected, stats })
    }

    /// A moving box that contains a shape during the whole tick, enlarged by a margin on all sides:
    /// the box of a proxy, or of a row of a [`PairFinder`](crate::PairFinder). See the
    /// [module](super) on curved paths.
    ///
    /// The margin is in `[0, COORD_MAX]`. With half of a target distance on each of two boxes, they touch
    /// whenever their shapes are within the target.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the motion is invalid, or the box would reach past [`COORD_MAX`](crate::COORD_MAX);
    /// [`Invalid::Margin`] when the margin is negative, NaN or too large.
    pub fn bounds_of(
        shape: &Shape<'_>,
        motion: &Motion,
        margin: f32,
    ) -> Result<MovingBox, Invalid> {
        Geometry::from(*shape).bounds_over(motion, margin)
    }
}
