//! Tests that the proxies of a broadphase are advanced as the same bodies in columns are.
//!
//! The same bodies are given to both public functions of `Stepper`, tick after tick, and compared to the bit.

use swath::broadphase::Layers;
use swath::{
    Aabb, Broadphase, ConvexBody, Filter, Motion, MovingBox, Pipeline, Pose, Proxy, ProxyId,
    ProxyKind, Shape, Threads,
};
use swath_stepping::{Mass, ResolvedImpact, Stalled, Stepper, StepperConfig};
use testkit::draw::{Draw, how_many};

/// A body, and the settings of its proxy.
#[derive(Clone, Copy, Debug)]
struct Body {
    id: ProxyId,
    shape: Shape<'static>,
    motion: Motion,
    mass: Mass,
    proxy: Proxy,
    /// The filter of the body in columns, which have no owners.
    filter: Filter,
}

/// Which bodies are at rest: their motion is ignored.
fn rests(body: &Body) -> bool {
    matches!(body.proxy.kind, ProxyKind::Fixed | ProxyKind::Sleeping)
}

fn body(draw: &mut Draw, layers: &Layers) -> Body {
    let shape = match draw.one_of(&[0, 0, 1, 1, 2, 3]) {
        0 => Shape::sphere(draw.between(0.05, 0.5)),
        1 => Shape::cuboid([(); 3].map(|()| draw.between(0.05, 0.5))),
        2 => Ok(Shape::point()),
        // Large bodies are hit by those that come from afar.
        _ => Shape::cuboid([draw.between(0.5, 3.0), 0.05, draw.between(0.5, 3.0)]),
    };
    let mut proxy = match draw.one_of(&[0, 1, 1, 1, 2, 3]) {
        0 => Proxy::kinematic(),
        1 => Proxy::dynamic(),
        2 => Proxy::sleeping(),
        _ => Proxy::fixed(),
    };
    let mut filter = Filter::ALL;
    match draw.one_of(&[0, 0, 0, 1, 2]) {
        1 => {
            // Two bodies of one owner never touch: their category is not in their own mask.
            let owner = draw.one_of(&[1_u32, 2]);
            proxy = proxy.owned_by(owner);
            filter = Filter::new(1 << (13 + owner), !(1 << (13 + owner)));
        }
        2 => {
            filter = layers.filter(draw.one_of(&[0, 1, 2]));
            proxy = proxy.filtered(filter);
        }
        _ => {}
    }
    if draw.one_in(4) {
        proxy = proxy.with_margin(0.3);
    }
    let speed = draw.one_of(&[0.0, 0.5, 5.0, 30.0]);
    let place = [(); 3].map(|()| draw.between(-6.0, 6.0));
    let motion = Motion {
        pose: Pose::at(place).expect("a pose"),
        delta: [(); 3].map(|()| draw.between(-speed, speed)),
        accel: if draw.one_in(3) { [0.0, -0.3, 0.0] } else { [0.0; 3] },
        spin: if draw.one_in(4) { [(); 3].map(|()| draw.between(-1.0, 1.0)) } else { [0.0; 3] },
    };
    let mass = Mass {
        inverse_mass: draw.one_of(&[0.1, 1.0, 2.0]),
        restitution: draw.one_of(&[0.0, 0.5, 1.0]),
    };
    let shape = shape.expect("a shape");
    Body { id: ProxyId::NONE, shape, motion, mass, proxy, filter }
}

impl Body {
    /// The box of the proxy; for a moving body it is arbitrary, because it is not read.
    fn moving_box(&self, tick: usize) -> MovingBox {
        if rests(self) {
            let still = Motion::from(self.motion.pose);
            return Pipeline::bounds_of(&self.shape, &still, 0.0).expect("a box");
        }
        let nowhere = Aabb::cube([tick as f32, 1e6, 0.0], 1.0).expect("a box");
        MovingBox { aabb: nowhere, delta: self.motion.delta }
    }
}

/// Goal: both functions give the same bits: motions, impacts, stalled bodies and counters. Method: crowds of
/// all kinds, with filters of layers, owners, margins, spins, points; with limits of few impacts and many;
/// several ticks, between which some change their kind or are removed or disabled; most resting bodies are
/// out of reach of the first paths.
#[test]
fn columns_and_proxies_give_the_same_bits() {
    let mut draw = Draw::new(21);
    let layers = Layers::all().without(0, 1).without(2, 2);
    let (mut responses, mut stalled, mut later, cases) = (0, 0, 0, how_many(36).min(5_000));
    for case in 0..cases {
        let mut world = Broadphase::new();
        let count = [3, 30, 120, 400][case % 4];
        let mut bodies: Vec<Body> = (0..count).map(|_| body(&mut draw, &layers)).collect();
        for body in &mut bodies {
            body.id = world.insert_moving(body.moving_box(0), body.proxy).expect("a box");
        }
        let mut config = StepperConfig::default();
        config.impacts_max = [32, 4][case % 2];
        config.searches_max = [u32::MAX, u32::MAX, 300][case % 3];
        let (mut of_world, mut of_columns) = (Stepper::new(config), Stepper::new(config));
        of_world.exec.threads = Threads::one();
        for tick in 0..4 {
            let what = format!("case {case}, tick {tick}");
            // Slots are reused, so rows are in the order of ids.
            bodies.sort_by_key(|body| body.id.index());
            let in_world: Vec<Body> =
                bodies.iter().filter(|body| body.proxy.enabled).copied().collect();
            let mut columns: Vec<ConvexBody<'_>> = (0..)
                .zip(&in_world)
                .map(|(row, body)| {
                    let still = Motion::from(body.motion.pose);
                    let motion = if rests(body) { still } else { body.motion };
                    ConvexBody { row, shape: body.shape, motion }
                })
                .collect();
            let masses: Vec<Mass> = in_world
                .iter()
                .map(|body| {
                    let pushed = body.proxy.kind == ProxyKind::Dynamic;
                    Mass {
                        inverse_mass: if pushed { body.mass.inverse_mass } else { 0.0 },
                        ..body.mass
                    }
                })
                .collect();
            let filters: Vec<Filter> = in_world.iter().map(|body| body.filter).collect();
            let stats = of_columns.step(&mut columns, &masses, Some(&filters)).expect("bodies");
            let mut asked = Vec::new();
            let stepped = of_world
                .step_proxies(&mut world, |id| {
                    asked.push(id);
                    let at = in_world.binary_search_by_key(&id.index(), |body| body.id.index());
                    let Body { shape, motion, mass, .. } = in_world[at.expect("one of them")];
                    Some((shape, motion, mass))
                })
                .expect("a world");
            assert_eq!(stepped.stats(), stats, "{what}");
            let id = |row: u32| in_world[row as usize].id;
            let named: Vec<_> = of_columns.impacts().iter().map(|hit| facts(hit, &id)).collect();
            let found: Vec<_> = stepped.impacts().iter().map(|hit| facts(hit, &|id| id)).collect();
            assert_eq!(found, named, "{what}");
            let named: Vec<_> = of_columns
                .stalled()
                .iter()
                .map(|h| Stalled { row: id(h.row), since: h.since })
                .collect();
            assert_eq!(stepped.stalled(), named, "{what}");
            let moved: Vec<_> = (0..columns.len())
                .filter(|&row| !rests(&in_world[row]))
                .map(|row| (in_world[row].id, columns[row].motion))
                .collect();
            assert_eq!(stepped.moved(), moved, "{what}");
            assert!(stepped.rejected().is_empty() && of_columns.rejected().is_empty());
            let unasked = in_world.len() - asked.len();
            asked.sort_unstable();
            asked.dedup();
            assert_eq!(asked.len() + unasked, in_world.len(), "{what}: somebody is asked twice");
            later += unasked;
            (responses, stalled) = (responses + stats.responses, stalled + stats.stalled);
            for (id, motion) in moved {
                let at = bodies.binary_search_by_key(&id.index(), |body| body.id.index());
                bodies[at.expect("one of them")].motion = motion;
            }
            for body in &mut bodies {
                match draw.whole(0, 39) as u32 {
                    0 => body.proxy.kind = ProxyKind::Sleeping,
                    1 => body.proxy.kind = ProxyKind::Dynamic,
                    2 => body.proxy.enabled = !body.proxy.enabled,
                    3 => {
                        // Another body in its slot, under a new id.
                        world.remove(body.id).expect("it is there");
                        body.id =
                            world.insert_moving(body.moving_box(tick), body.proxy).expect("a box");
                    }
                    _ => {}
                }
                world.set_kind(body.id, body.proxy.kind).expect("it is there");
                world.set_enabled(body.id, body.proxy.enabled).expect("it is there");
                let MovingBox { aabb, delta } = body.moving_box(tick);
                world.set(body.id, aabb, delta).expect("a box");
            }
        }
    }
    println!("{responses} responses, {stalled} stalled, {later} never asked about");
    assert!(
        responses > cases * 20 && stalled > cases && later > cases,
        "{responses} {stalled} {later}"
    );
}

/// Everything in an impact except the ids of the two bodies, which are arguments.
fn facts<P>(
    hit: &ResolvedImpact<P>,
    id: &impl Fn(PartOf<P>) -> ProxyId,
) -> (ProxyId, ProxyId, [u32; 14], [bool; 2])
where
    P: TwoOf + Copy,
{
    let [a, b] = hit.impact.pair.two().map(id);
    let of = &hit.impact;
    let numbers = [
        of.toi,
        of.normal[0],
        of.normal[1],
        of.normal[2],
        of.on_a[0],
        of.on_a[1],
        of.on_a[2],
        of.on_b[0],
        of.on_b[1],
        of.on_b[2],
        of.closing,
        of.depth,
        hit.impulse,
        hit.supporting_force,
    ];
    (a, b, numbers.map(f32::to_bits), hit.immovable)
}

type PartOf<P> = <P as TwoOf>::Part;

/// A pair of rows, or of proxies.
trait TwoOf {
    type Part;
    fn two(&self) -> [Self::Part; 2];
}

impl TwoOf for swath::Pair {
    type Part = u32;
    fn two(&self) -> [u32; 2] {
        [self.a, self.b]
    }
}

impl TwoOf for swath::broadphase::ProxyPair {
    type Part = ProxyId;
    fn two(&self) -> [ProxyId; 2] {
        [self.a, self.b]
    }
}

/// Goal: distant resting bodies take no time until another body comes near. Method: a ball that bounces off a
/// wall to another body that is in no pair at first, in a broadphase with a thousand more; the caller's
/// function is called for these two only.
#[test]
fn distant_resting_bodies_are_not_looked_up() {
    let mut world = Broadphase::new();
    let at = |x: f32, y: f32| Pose::at([x, y, 0.0]).expect("a pose");
    let wall = Shape::cuboid([0.1, 1.0, 1.0]).expect("a wall");
    let ball = Shape::sphere(0.5).expect("a ball");
    let mut places = vec![(wall, at(9.0, 0.0)), (wall, at(-4.0, 0.0))];
    places.extend((0..1_000).map(|k| (wall, at(-50.0 + k as f32 * 0.1, 40.0))));
    let mut ids = Vec::new();
    for (shape, pose) in &places {
        let still = Pipeline::bounds_of(shape, &Motion::from(*pose), 0.0).expect("a box");
        ids.push(world.insert(still.aabb, Proxy::fixed()).expect("a box"));
    }
    let moving = Motion::new(at(0.0, 0.0), [30.0, 0.0, 0.0]).expect("a motion");
    let id =
        world.insert(Aabb::cube([0.0; 3], 0.5).expect("a box"), Proxy::dynamic()).expect("one");
    let mut stepper = Stepper::new(StepperConfig::default());
    let mut asked = Vec::new();
    let stepped = stepper
        .step_proxies(&mut world, |of| {
            asked.push(of);
            let elastic = Mass { inverse_mass: 1.0, restitution: 1.0 };
            let row = ids.iter().position(|&id| id == of);
            Some(row.map_or((ball, moving, elastic), |row| {
                (places[row].0, Motion::from(places[row].1), Mass::FIXED)
            }))
        })
        .expect("a world");
    assert_eq!(asked, [id, ids[0], ids[1]]);
    let walls: Vec<_> = stepped.impacts().iter().map(|hit| hit.impact.pair.a).collect();
    assert_eq!(walls, [ids[0], ids[1]]);
    let [(_, motion)] = stepped.moved() else { panic!("one moves") };
    // 8.4 to the wall, 11.8 back, and 9.8 again.
    assert!((motion.pose.position[0] - 6.4).abs() < 1e-2, "{motion:?}");
}

/// Goal: an invalid body is rejected and changes nothing for others; one that takes no part has no impacts.
/// Method: a moving and a resting one with NaN, and one for which the caller returns `None`.
#[test]
fn invalid_bodies_are_rejected() {
    let mut world = Broadphase::new();
    let ball = Shape::sphere(0.5).expect("a ball");
    let cube = |x: f32| Aabb::cube([x, 0.0, 0.0], 0.5).expect("a box");
    let ids: Vec<_> =
        [Proxy::dynamic(), Proxy::fixed(), Proxy::dynamic(), Proxy::fixed(), Proxy::fixed()]
            .into_iter()
            .zip([0.0, 3.0, 5.0, 6.0, 9.0])
            .map(|(proxy, x)| world.insert(cube(x), proxy).expect("a box"))
            .collect();
    let mut stepper = Stepper::new(StepperConfig::default());
    let stepped = stepper
        .step_proxies(&mut world, |id| {
            let row = ids.iter().position(|&known| known == id).expect("one of them");
            let x = [0.0, 3.0, 5.0, 6.0, 9.0][row];
            let mut motion = Motion::from(Pose::at([x, 0.0, 0.0]).expect("a pose"));
            motion.delta[0] = [20.0, 0.0, f32::NAN, 0.0, 0.0][row];
            if row == 1 {
                motion.pose.rotation = [f32::NAN; 4];
            }
            (row != 3).then_some((ball, motion, Mass { inverse_mass: 1.0, restitution: 0.0 }))
        })
        .expect("a world");
    let mut rejected: Vec<_> = stepped.rejected().iter().map(|(id, _)| *id).collect();
    rejected.sort_unstable();
    assert_eq!(rejected, [ids[1], ids[2]]);
    let [hit] = stepped.impacts() else { panic!("{:?}", stepped.impacts()) };
    assert_eq!((hit.impact.pair.a, hit.impact.pair.b), (ids[0], ids[4]));
    let [(id, motion)] = stepped.moved() else { panic!("{:?}", stepped.moved()) };
    assert!(*id == ids[0] && (motion.pose.position[0] - 8.0).abs() < 1e-3, "{motion:?}");
}
