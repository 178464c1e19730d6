//! Tests that a tick of proxies has the impacts of the pairs that the rules of a broadphase allow, and no others.
//!
//! The model of the rules lists the pairs. Each pair is then a tick of columns of its own, with two rows.

use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use swath::broadphase::{KindTable, ProxyPair, Snapshot};
use swath::convex::toi::Touch;
use swath::mesh::{Compound, Geometry};
use swath::pipeline::{BodyFlags, BodyInfo, Config, GeometryBody, PipelineError};
use swath::{
    Aabb, Broadphase, ConvexBody, Filter, Impact, Motion, MovingBox, MovingBoxStore, Pipeline,
    Pose, Proxy, ProxyId, ProxyKind, Scene, Shape,
};
use testkit::draw::Draw;
use testkit::world_model::Model;

/// Whether a panic can be caught.
const CATCHES: bool = cfg!(panic = "unwind");
const PROXIES: usize = 24;
const TICKS: usize = 12;
const KINDS: [ProxyKind; 4] =
    [ProxyKind::Fixed, ProxyKind::Kinematic, ProxyKind::Dynamic, ProxyKind::Sleeping];

type Bodies<'s> = BTreeMap<ProxyId, BodyInfo<'s>>;

/// A broadphase, the model of it, and the bodies of its proxies.
#[derive(Default)]
struct World<'s> {
    broadphase: Broadphase,
    model: Model,
    bodies: Bodies<'s>,
}

fn lattice(draw: &mut Draw, most: i32, unit: f32) -> [f32; 3] {
    [(); 3].map(|()| draw.whole(-most, most) * unit)
}

/// A body and its box; one in three has no shape.
fn body<'s>(draw: &mut Draw, shapes: &[Geometry<'s>], margin: f32) -> (MovingBox, BodyInfo<'s>) {
    let flags = BodyFlags::from_bits(if draw.one_in(3) { draw.0.random_range(0..8) } else { 1 });
    let delta = if draw.one_in(3) { [0.0; 3] } else { lattice(draw, 8, 0.5) };
    if draw.one_in(3) {
        let min = lattice(draw, 4, 1.0);
        let max = min.map(|x| x + draw.whole(0, 4) * 0.5);
        let moving = MovingBox { aabb: Aabb { min, max }, delta };
        return (moving, BodyInfo { shape: None, flags });
    }
    let pose = Pose::at(lattice(draw, 16, 0.25)).expect("a pose");
    let mut motion = Motion::new(pose, delta).expect("a motion");
    if draw.one_in(4) {
        motion = motion.accelerating(lattice(draw, 8, 0.25)).expect("a motion");
        motion = motion.spinning(lattice(draw, 4, 0.25)).expect("a motion");
    }
    let shape = draw.one_of(shapes);
    let moving = shape.bounds_over(&motion, margin).expect("the bounds are small");
    if draw.one_in(40) {
        motion.spin[1] = f32::NAN;
    }
    (moving, BodyInfo { shape: Some((shape, motion)), flags })
}

impl<'s> World<'s> {
    /// Calls one method of the broadphase and of the model.
    fn change(&mut self, draw: &mut Draw, shapes: &[Geometry<'s>], margin: f32) {
        let Self { broadphase, model, bodies } = self;
        let ids: Vec<ProxyId> = bodies.keys().copied().collect();
        let (kind, owner) = (draw.one_of(&KINDS), draw.0.random_range(0..3));
        let filter = Filter::new(1 << draw.0.random_range(0..3), draw.0.random_range(0..8));
        let filter = if draw.one_in(2) { Filter::ALL } else { filter };
        let (moving, body) = body(draw, shapes, margin);
        if ids.len() < 2 || (ids.len() < PROXIES && draw.one_in(3)) {
            let margin = draw.one_of(&[0.0, 0.0, 0.5]);
            let mut proxy = Proxy::dynamic().filtered(filter).owned_by(owner).with_margin(margin);
            proxy.kind = kind;
            let id = broadphase.insert_moving(moving, proxy).expect("valid");
            model.things.insert(id, Model::thing(moving, proxy).expect("valid"));
            bodies.insert(id, body);
            return;
        }
        let id = draw.one_of(&ids);
        let (of_proxy, of_model) = match draw.0.random_range(0..16) {
            0 => {
                assert!(model.remove(id) && bodies.remove(&id).is_some());
                (broadphase.remove(id), Ok(()))
            }
            1 | 2 => (broadphase.set_kind(id, kind), model.edit(id, |proxy| proxy.kind = kind)),
            3 => (broadphase.set_filter(id, filter), model.edit(id, |of| of.filter = filter)),
            4 => (broadphase.set_owner(id, owner), model.edit(id, |of| of.owner = owner)),
            5 => {
                let enabled = owner > 0;
                (broadphase.set_enabled(id, enabled), model.edit(id, |of| of.enabled = enabled))
            }
            6 => {
                let margin = draw.one_of(&[0.0, 0.5, 2.0]);
                (broadphase.set_margin(id, margin), model.set_margin(id, margin))
            }
            7 => (broadphase.renew(id), model.renew(id)),
            8 if draw.one_in(3) => {
                let other = draw.one_of(&KINDS);
                let table = if owner > 0 { KindTable::default() } else { model.kinds };
                model.kinds = if draw.one_in(2) {
                    table.with(kind, other)
                } else {
                    table.without(kind, other)
                };
                broadphase.set_kind_table(model.kinds);
                (Ok(()), Ok(()))
            }
            _ => {
                bodies.insert(id, body);
                (broadphase.set(id, moving.aabb, moving.delta), model.set(id, moving))
            }
        };
        of_proxy.and(of_model).expect("the proxy exists and the numbers are valid");
    }

    /// The impacts of a pair, and those with sensors. `None` if one of the bodies is invalid.
    fn impacts(&self, pair: ProxyPair, config: &Config) -> Option<[Vec<Impact<ProxyPair>>; 2]> {
        let ids = [pair.a, pair.b];
        let bodies = ids.map(|id| self.bodies[&id]);
        let boxes: MovingBoxStore = ids.iter().map(|id| self.model.things[id].moving).collect();
        let flags = bodies.map(|body| body.flags | BodyFlags::MOVES);
        let (mut convex, mut geometries) = (Vec::new(), Vec::new());
        for (row, body) in (0..).zip(bodies) {
            match body.shape {
                Some((Geometry::Convex(shape), motion)) => {
                    convex.push(ConvexBody { row, shape, motion });
                }
                Some((geometry, motion)) => geometries.push(GeometryBody { row, geometry, motion }),
                None => (),
            }
        }
        let scene = Scene::new(boxes.columns()).convex(&convex).geometries(&geometries);
        let mut pipeline = Pipeline::new(*config);
        let output = pipeline.tick(&scene.flagged(&flags)).expect("there is no limit");
        let with_ids = |list: &[Impact]| list.iter().map(|of| of.with_pair(pair)).collect();
        let lists = [output.impacts(), output.sensed()].map(with_ids);
        output.rejected().is_empty().then_some(lists)
    }
}

fn config(draw: &mut Draw) -> Config {
    let mut config = Config::default();
    config.target_distance = draw.one_of(&[0.0, 0.0, 0.25]);
    config.touch = draw.one_of(&[Touch::Hit, Touch::IfClosing, Touch::Ignore]);
    config.fast = draw.one_of(&[0.0, 0.0, 1.0, 3.0]);
    config.impacts_per_body = draw.0.random_range(0..3);
    config
}

/// Keeps the first impacts of each body.
fn limit(impacts: &mut Vec<Impact<ProxyPair>>, most: u32) {
    let mut seen: BTreeMap<ProxyId, u32> = BTreeMap::new();
    impacts.retain(|impact| {
        let counts = [impact.pair.a, impact.pair.b].map(|id| {
            let count = seen.entry(id).or_default();
            *count += 1;
            *count
        });
        most == 0 || counts.iter().any(|&count| count <= most)
    });
}

/// Goal: a tick of proxies has the impacts of the pairs that the rules allow, in order, whatever was called before: kinds and their table, filters, owners,
/// disabled, renewed and removed proxies, restored snapshots, ticks of another broadphase with the same pipeline, and a function of the caller that
/// panicked. Method: random calls; the model, and a tick for each pair; the function is called once for each proxy in a pair, in order.
#[test]
fn tick_of_proxies_follows_the_rules() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let cube = Shape::cuboid([0.5, 1.0, 0.25]).expect("a box");
    let side = Pose::at([1.0, 0.0, 0.0]).expect("a pose");
    let parts = [(ball.into(), side), (cube.into(), Pose::IDENTITY)];
    let compound = Compound::new(parts).expect("a compound");
    let shapes = [Geometry::from(ball), cube.into(), (&compound).into()];
    let mut counts = [0; 5];
    for seed in 0..120 {
        let draw = &mut Draw::new(seed);
        let mut worlds = [World::default(), World::default()];
        let mut pipeline = Pipeline::default();
        let mut saved: Option<(Snapshot, Model, Bodies<'_>)> = None;
        for tick in 0..TICKS {
            let text = format!("seed {seed}, tick {tick}");
            let world = draw.one_in(2);
            let world = &mut worlds[usize::from(world)];
            if draw.one_in(3) {
                pipeline.set_config(config(draw));
            }
            let config = *pipeline.config();
            let calls = if world.bodies.len() < PROXIES / 2 { 40 } else { 8 };
            for _ in 0..draw.0.random_range(0..calls) {
                world.change(draw, &shapes, 0.5 * config.target_distance);
            }
            match &saved {
                Some((snapshot, model, bodies)) if draw.one_in(6) => {
                    world.broadphase.restore(snapshot);
                    (world.model, world.bodies) = (model.clone(), bodies.clone());
                }
                _ if draw.one_in(4) => {
                    let World { broadphase, model, bodies } = &*world;
                    saved = Some((broadphase.snapshot(), model.clone(), bodies.clone()));
                }
                _ => (),
            }
            let events = world.model.update(|_| true);
            let rests = |id: ProxyId| world.model.things[&id].proxy.kind.is_resting();
            let pairs = events.begun.iter().chain(&events.persisted).map(|&(pair, _)| pair);
            let mut pairs: Vec<ProxyPair> =
                pairs.filter(|pair| !rests(pair.a) || !rests(pair.b)).collect();
            pairs.sort_unstable();
            let in_pairs: BTreeSet<ProxyId> =
                pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
            let body = |id: ProxyId| world.bodies[&id];
            if CATCHES && draw.one_in(4) && !in_pairs.is_empty() {
                let mut left = draw.0.random_range(0..in_pairs.len());
                let panics = catch_unwind(AssertUnwindSafe(|| {
                    let output = pipeline.tick_proxies(&mut world.broadphase, |id| {
                        left = left.checked_sub(1).expect("the test wants a panic");
                        body(id)
                    });
                    output.map(|_| ())
                }));
                assert!(panics.is_err(), "{text}");
                assert_eq!(world.broadphase.changes().ended(), events.ended, "{text}");
                world.model.update(|_| true);
                counts[0] += 1;
            }
            let mut called = Vec::new();
            let output = pipeline.tick_proxies(&mut world.broadphase, |id| {
                called.push(id);
                body(id)
            });
            let output = output.expect("there is no limit");
            assert!(called.iter().eq(&in_pairs), "{text}");
            let is_invalid = |id: &ProxyId| {
                body(*id).shape.is_some_and(|(_, motion)| motion.validate().is_err())
            };
            let rejected: Vec<ProxyId> = in_pairs.iter().copied().filter(is_invalid).collect();
            assert!(output.rejected().iter().map(|&(id, _)| id).eq(rejected.clone()), "{text}");
            let mut expected = [Vec::new(), Vec::new()];
            for &pair in &pairs {
                let found = world.impacts(pair, &config);
                let is_rejected = [pair.a, pair.b].iter().any(|id| rejected.contains(id));
                assert_eq!(found.is_none(), is_rejected, "{text}");
                for (expected, found) in expected.iter_mut().zip(found.into_iter().flatten()) {
                    expected.extend(found);
                }
            }
            for list in &mut expected {
                list.sort_by_key(|impact| (impact.toi.to_bits(), impact.pair));
            }
            limit(&mut expected[0], config.impacts_per_body);
            assert_eq!(output.impacts(), expected[0], "{text}");
            assert_eq!(output.sensed(), expected[1], "{text}");
            let [impacts, sensed] = expected.map(|list| list.len());
            for (count, more) in counts[1..].iter_mut().zip([pairs.len(), impacts, sensed]) {
                *count += more;
            }
            counts[4] += rejected.len();
        }
    }
    assert!(counts[usize::from(!CATCHES)..].iter().all(|&count| count > 50), "{counts:?}");
}

/// Goal: a tick with more pairs than the broadphase allows is an error, calls no function and changes nothing. Method: two boxes that touch, with a limit of no
/// pair, then without one.
#[test]
fn tick_with_too_many_pairs_changes_nothing() {
    let mut broadphase = Broadphase::new();
    for _ in 0..2 {
        broadphase.insert(Aabb::default(), Proxy::dynamic()).expect("valid");
    }
    broadphase.exec.pairs_max = 0;
    let before = broadphase.snapshot();
    let mut pipeline = Pipeline::default();
    let output =
        pipeline.tick_proxies(&mut broadphase, |_| -> BodyInfo<'_> { panic!("it is called") });
    assert!(matches!(output.err(), Some(PipelineError::Find(_))));
    assert!(broadphase.snapshot() == before);
    broadphase.exec.pairs_max = usize::MAX;
    let output = pipeline.tick_proxies(&mut broadphase, |_| BodyInfo::default());
    assert_eq!(output.expect("there is no limit").stats().candidates, 1);
    assert_eq!(broadphase.changes().begun().len(), 1);
}
