//! The public type: steps of bodies in columns, and of the proxies of a broadphase.

use crate::bodies::{BodyRows, emptied};
use crate::config::{StepError, StepperConfig};
use crate::mass::Mass;
use crate::output::{ResolvedImpact, Stalled, StepStats};
use crate::proxies::{ProxyBodies, ProxyRows, ProxyStepOutput};
use crate::start::Start;
use crate::step::Step;
use alloc::vec::Vec;
use swath::batch::{LengthMismatch, Rejected};
use swath::mesh::Geometry;
use swath::pipeline::GeometryBody;
use swath::{Broadphase, ConvexBody, Exec, Filter, Motion, ProxyId};

/// Advances bodies to the end of a tick, and keeps its memory for the next one.
///
/// ```
/// use swath::{ConvexBody, Motion, Pose, Shape};
/// use swath_stepping::{Mass, Stepper, StepperConfig};
///
/// // A ball between two walls, so fast that it hits each many times in one tick.
/// let body = |row, x, dx, shape| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(ConvexBody { row, shape, motion: Motion::new(Pose::at([x, 0.0, 0.0])?, [dx, 0.0, 0.0])? })
/// };
/// let wall = Shape::cuboid([0.0, 5.0, 5.0])?;
/// let mut bodies = [
///     body(0, -1.0, 0.0, wall)?,
///     body(1, 1.0, 0.0, wall)?,
///     body(2, 0.0, 10.0, Shape::sphere(0.5)?)?,
/// ];
/// let ball = Mass { inverse_mass: 1.0, restitution: 1.0 };
/// let mut stepper = Stepper::new(StepperConfig::default());
/// let stats = stepper.step(&mut bodies, &[Mass::FIXED, Mass::FIXED, ball], None)?;
/// assert_eq!((stats.responses, stats.stalled), (10, 0));
/// let [x, ..] = bodies[2].motion.pose.position;
/// assert!(x.abs() < 0.01 && (bodies[2].motion.delta[0] - 10.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Stepper {
    /// The level, the threads, and the greatest number of pairs of boxes at the start of a tick. A tick with more pairs
    /// is an error.
    pub exec: Exec,
    start: Start,
    step: Step,
    proxies: ProxyRows,
    /// Always empty; it keeps its capacity.
    rows: Vec<GeometryBody<'static>>,
}

impl Stepper {
    /// Creates a stepper that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new(config: StepperConfig) -> Self {
        Self::with_exec(config, Exec::default())
    }

    /// Creates a stepper with other settings of how it runs: a [`Level`](swath::Level), [`Threads`](swath::Threads), or
    /// an [`Exec`].
    #[must_use]
    pub fn with_exec(config: StepperConfig, exec: impl Into<Exec>) -> Self {
        let mut stepper = Self { exec: exec.into(), ..Self::default() };
        stepper.step.config = config;
        stepper
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &StepperConfig {
        &self.step.config
    }

    /// Sets the settings of later steps.
    pub fn set_config(&mut self, config: StepperConfig) {
        self.step.config = config;
    }

    /// Returns the impacts of the last step of columns that changed a motion, in the order of time. After
    /// [`Stepper::step_proxies`] use [`ProxyStepOutput::impacts`].
    #[must_use]
    pub fn impacts(&self) -> &[ResolvedImpact] {
        &self.step.resolved
    }

    /// Returns the bodies that were stalled in the last step of columns, and from when on. After
    /// [`Stepper::step_proxies`] use [`ProxyStepOutput::stalled`].
    #[must_use]
    pub fn stalled(&self) -> &[Stalled] {
        &self.step.stalled
    }

    /// Returns the bodies that stopped rotating in the last step of columns, and from when on: they were too near to another one to be
    /// searched while one of the two rotated. They move on without rotating, and their spin is the same in the next tick. After
    /// [`Stepper::step_proxies`] use [`ProxyStepOutput::stopped_rotations`].
    #[must_use]
    pub fn stopped_rotations(&self) -> &[Stalled] {
        &self.step.stopped_rotations
    }

    /// Returns the rows of the last step of columns whose motion or [`Mass`] was rejected. They do not move and have no
    /// impacts. After [`Stepper::step_proxies`] use [`ProxyStepOutput::rejected`].
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.step.rejected
    }

    /// Advances all bodies to the end of the tick.
    ///
    /// Body `i` is row `i`, whatever its [`ConvexBody::row`] is. Afterwards its motion is that for the next tick: its position and rotation at the end,
    /// the displacement over a tick by its velocity at the end, and its acceleration and spin as before. Pairs that
    /// overlap at the start are pushed apart, with the exceptions of *Overlaps* in the description of the [crate](crate), by at most [`StepperConfig::correction_max`] in the tick.
    ///
    /// # Errors
    ///
    /// [`StepError`]: what is wrong with the settings or the columns. Nothing is changed then.
    pub fn step(
        &mut self,
        bodies: &mut [ConvexBody<'_>],
        masses: &[Mass],
        filters: Option<&[Filter]>,
    ) -> Result<StepStats, StepError> {
        let mut rows: Vec<GeometryBody<'_>> = core::mem::take(&mut self.rows);
        rows.extend(bodies.iter().map(|&ConvexBody { row, shape, motion }| GeometryBody {
            row,
            geometry: shape.into(),
            motion,
        }));
        let result = self.step_geometries(&mut rows, masses, filters);
        for (body, row) in bodies.iter_mut().zip(&rows) {
            body.motion = row.motion;
        }
        self.rows = emptied(rows);
        result
    }

    /// Does what [`Stepper::step`] does for bodies that may be meshes, height fields and compounds too, with the same bits
    /// for convex shapes.
    ///
    /// [`Impact::parts`](swath::Impact::parts) is the part of each body that is hit. If several parts of a body are hit at
    /// one time, each has an impact of its own, one after the other. A body with parts may move and be pushed.
    ///
    /// If a shape of the caller panics, some motions in `bodies` are those of a time within the tick, so restore them from a copy.
    /// [`Stepper::step`] leaves its bodies unchanged then.
    ///
    /// # Errors
    ///
    /// As for [`Stepper::step`].
    ///
    /// ```
    /// use swath::mesh::Mesh;
    /// use swath::pipeline::GeometryBody;
    /// use swath::{Motion, Pose, Shape};
    /// use swath_stepping::{Mass, Stepper, StepperConfig};
    ///
    /// // A ball bounces on a floor of two triangles.
    /// let vertices = [[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 5.0]];
    /// let floor = Mesh::new(&vertices[..], &[[0, 2, 1], [0, 3, 2]][..])?;
    /// let falling = Motion::new(Pose::at([1.0, 1.5, 2.0])?, [0.0, -4.0, 0.0])?;
    /// let mut bodies = [
    ///     GeometryBody { row: 0, geometry: (&floor).into(), motion: Motion::default() },
    ///     GeometryBody { row: 1, geometry: Shape::sphere(0.5)?.into(), motion: falling },
    /// ];
    /// let ball = Mass { inverse_mass: 1.0, restitution: 1.0 };
    /// let mut config = StepperConfig::default();
    /// config.target_distance = 9.81 / 3600.0; // what gravity adds in a tick of 1/60 s
    /// let mut stepper = Stepper::new(config);
    /// stepper.step_geometries(&mut bodies, &[Mass::FIXED, ball], None)?;
    /// let [hit] = stepper.impacts() else { panic!("one impact") };
    /// assert_eq!(hit.impact.parts, [1, 0]);
    /// let Motion { pose, delta, .. } = bodies[1].motion;
    /// assert!((pose.position[1] - 3.5).abs() < 1e-2 && delta == [0.0, 4.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_geometries(
        &mut self,
        bodies: &mut [GeometryBody<'_>],
        masses: &[Mass],
        filters: Option<&[Filter]>,
    ) -> Result<StepStats, StepError> {
        let expected = bodies.len();
        let filter_count = filters.map_or(expected, <[Filter]>::len);
        for (what, found) in [("the masses", masses.len()), ("the filters", filter_count)] {
            if found != expected {
                return Err(LengthMismatch { what, expected, found }.into());
            }
        }
        let mut rows = BodyRows { bodies, masses, filters };
        self.start.finder.exec = self.exec.clone();
        self.start.fill(&mut self.step, &mut rows)?;
        self.step.process_all(&mut rows);
        Ok(self.step.stats)
    }

    /// Advances the proxies of a broadphase to the end of the tick: the results are those of [`Stepper::step`] for
    /// the same bodies in the order of their ids, bit by bit.
    ///
    /// The broadphase is neither changed nor updated. It decides which proxies may meet: they are enabled, their filters allow each other, and their
    /// owners differ. Its kind table selects events only and does not count here. A [`ProxyKind::Dynamic`](swath::ProxyKind::Dynamic) proxy can be pushed; a
    /// [`ProxyKind::Kinematic`](swath::ProxyKind::Kinematic) one follows its
    /// motion. Fixed and sleeping proxies are obstacles that do not move: of their motion only the pose counts, and
    /// of their mass only the restitution. A sleeping proxy that shall be pushed must be woken before, and so must all that touch it: what hits a
    /// sleeping body loses its momentum, as on a wall.
    ///
    /// **Kinematic proxies.** A kinematic proxy passes through fixed, sleeping and other kinematic ones without a response, because neither of the two
    /// can be pushed. If it crushes a dynamic one against an obstacle, both are stalled in each tick, and it does not reach the end of its path,
    /// while its displacement stays as it is. Set its pose in each tick if it follows an animation.
    ///
    /// **Boxes.** The box of a fixed or sleeping proxy must contain its shape. Those of moving proxies are not read: the paths follow from the motions.
    /// `body` returns the shape or the geometry, motion and mass of each moving proxy, and of resting ones near a path; `None`
    /// excludes the proxy. Set the boxes after the step, from [`ProxyStepOutput::moved`]: queries need them, the events of
    /// `Broadphase::update`, and proxies that fall asleep.
    ///
    /// **Sleep.** Bodies that lie on each other are apart by their skin ([`StepperConfig::target_distance`]), so their boxes do not touch. With a
    /// target distance of 0 the path of an awake body closes that gap, but its displacement is dropped when it falls asleep. Either way a
    /// sleeping body has no pair with its floor, and no event reports that the floor was removed. So give the proxies of bodies that sleep a
    /// margin of at least twice the skin, for example a hundredth of the size of the body ([`Proxy::with_margin`](swath::Proxy::with_margin)),
    /// or insert larger boxes.
    ///
    /// # Errors
    ///
    /// [`StepError`]: what is wrong with the settings, or that there are more pairs or boxes than the limits allow.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Motion, Pose, Proxy, Shape};
    /// use swath_stepping::{Mass, Stepper, StepperConfig};
    ///
    /// let mut broadphase = Broadphase::new();
    /// let wall = broadphase.insert(Aabb::new([9.0, -5.0, -5.0], [9.2, 5.0, 5.0])?, Proxy::fixed())?;
    /// let bullet = broadphase.insert(Aabb::cube([0.0; 3], 0.5)?, Proxy::dynamic())?;
    /// let slab = (Shape::cuboid([0.1, 5.0, 5.0])?, Motion::from(Pose::at([9.1, 0.0, 0.0])?));
    /// let ball = (Shape::sphere(0.5)?, Motion::new(Pose::IDENTITY, [17.0, 0.0, 0.0])?);
    /// let mass = Mass { inverse_mass: 10.0, restitution: 1.0 };
    ///
    /// let mut stepper = Stepper::new(StepperConfig::default());
    /// let output = stepper.step_proxies(&mut broadphase, |id| {
    ///     let ((shape, motion), mass) = if id == bullet { (ball, mass) } else { (slab, Mass::FIXED) };
    ///     Some((shape, motion, mass))
    /// })?;
    /// let [hit] = output.impacts() else { panic!("one wall") };
    /// assert_eq!((hit.impact.pair.a, hit.impact.pair.b), (wall, bullet));
    /// assert!((hit.impulse - 3.4).abs() < 1e-3); // 0.1 kg that turns round at 17 m a tick
    /// let [(id, motion)] = output.moved() else { panic!("one moves") };
    /// assert!(*id == bullet && motion.pose.position[0].abs() < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_proxies<'s, G: Into<Geometry<'s>>>(
        &mut self,
        broadphase: &mut Broadphase,
        mut body: impl FnMut(ProxyId) -> Option<(G, Motion, Mass)>,
    ) -> Result<ProxyStepOutput<'_>, StepError> {
        let mut body = |id| body(id).map(|(shape, motion, mass)| (shape.into(), motion, mass));
        self.advance_proxies(broadphase, &mut body)
    }

    /// Does what [`Stepper::step_proxies`] states. It is not generic, so that it is compiled once.
    fn advance_proxies<'s>(
        &mut self,
        broadphase: &mut Broadphase,
        body: &mut dyn FnMut(ProxyId) -> Option<(Geometry<'s>, Motion, Mass)>,
    ) -> Result<ProxyStepOutput<'_>, StepError> {
        let Self { exec, start, step, proxies, .. } = self;
        start.finder.exec = exec.clone();
        step.config.validate()?;
        let mut bodies = ProxyBodies::new(core::mem::take(proxies), broadphase, body, step.config);
        let filled = start.fill(step, &mut bodies);
        if filled.is_ok() {
            bodies.close_start();
            step.process_all(&mut bodies);
            bodies.report(step);
        }
        *proxies = bodies.into_rows();
        filled?;
        Ok(ProxyStepOutput { rows: proxies, stats: step.stats })
    }
}
