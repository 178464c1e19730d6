//! Compares the impacts of a tick with an event-by-event reference.
//!
//! The reference is `testkit/src/rounded.rs`, in `f64` and closed form: it has no broadphase, no window and
//! no search.

use rand::RngExt;
use swath::pipeline::{BodyFlags, Config};
use swath::{
    Aabb, ConvexBody, Level, Motion, MovingBox, MovingBoxStore, Pair, Pipeline, Pose, Scene, Shape,
};
use testkit::draw::{Draw, how_many};
use testkit::rounded::{Rounded, first_time, gap};

/// The bodies of a tick, as input of the library and of the reference.
#[derive(Default)]
struct BodyColumns {
    boxes: MovingBoxStore,
    convex: Vec<ConvexBody<'static>>,
    reference: Vec<Rounded>,
    flags: Vec<BodyFlags>,
}

impl BodyColumns {
    /// Adds a body at integers and halves, so that many bodies touch exactly.
    fn push(&mut self, draw: &mut Draw, room: f32, speed: f32) {
        let hostile = draw.one_in(3);
        let mut number = |most: f32| {
            let x = draw.between(-most, most);
            if hostile { (x * 2.0).round() / 2.0 } else { x }
        };
        let (at, delta) = ([(); 3].map(|()| number(room)), [(); 3].map(|()| number(speed)));
        let mut half = [(); 3].map(|()| number(1.0).abs());
        let mut radius = number(1.0).abs();
        match draw.0.random_range(0..5) {
            0 => half = [0.0; 3],
            1 => radius = 0.0,
            2 => (half[draw.0.random_range(0..3)], radius) = (0.0, 0.0),
            _ => {}
        }
        let still = draw.one_in(4);
        let delta = if still { [0.0; 3] } else { delta };
        let wide = |x: [f32; 3]| x.map(f64::from);
        let row = self.reference.len() as u32;
        self.flags.push(if still { BodyFlags::STILL } else { BodyFlags::MOVES });
        let aabb = Aabb::from_center(at, half).expect("a box");
        // If the corners are not exact, the box is not the intended body.
        let exact = (0..3).all(|axis| {
            let [low, high, mid, half] =
                [aabb.min[axis], aabb.max[axis], at[axis], half[axis]].map(f64::from);
            low == mid - half && high == mid + half
        });
        let plain = radius == 0.0 && exact && draw.one_in(2);
        if !plain {
            let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("valid");
            let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
            self.convex.push(ConvexBody { row, shape, motion });
        }
        // The box of a convex body is not read: here it is large and would touch everything.
        let huge = Aabb { min: [-1e9; 3], max: [1e9; 3] };
        let aabb = if plain { aabb } else { huge };
        self.boxes.push(MovingBox { aabb, delta }).expect("a box");
        let reference =
            Rounded { half: wide(half), radius: radius.into(), at: wide(at), delta: wide(delta) };
        self.reference.push(reference);
    }

    fn scene(&self) -> Scene<'_, '_> {
        let boxes = self.boxes.checked().columns();
        Scene::new(boxes).convex(&self.convex).flagged(&self.flags)
    }

    fn is_plain(&self, row: u32) -> bool {
        self.convex.binary_search_by_key(&row, |convex| convex.row).is_err()
    }

    /// Compares a tick with the reference; returns the number of impacts.
    fn check(&self, pipeline: &mut Pipeline, what: &str) -> usize {
        let target = f64::from(pipeline.config().target_distance);
        let ticked = pipeline.tick(&self.scene()).expect("a scene");
        assert!(ticked.rejected().is_empty() && ticked.sensed().is_empty());
        let impacts = ticked.impacts();
        assert!(impacts.is_sorted_by_key(|i| (i.toi.to_bits(), i.pair)), "{what}: out of order");
        let mut met = 0;
        for b in 0..self.reference.len() {
            for a in 0..b {
                let pair = Pair { a: a as u32, b: b as u32 };
                if !self.flags[a].has(BodyFlags::MOVES) && !self.flags[b].has(BodyFlags::MOVES) {
                    assert!(impacts.iter().all(|impact| impact.pair != pair), "{what}: both rest");
                    continue;
                }
                let [mut one, other] = [self.reference[a], self.reference[b]];
                one.radius += target;
                let exact = first_time(&one, &other);
                let found: Vec<_> = impacts.iter().filter(|impact| impact.pair == pair).collect();
                let reach = one.delta.iter().chain(&other.delta).chain(&one.at).chain(&other.at);
                let numbers: f64 = reach.map(|x| x.abs()).sum();
                let size = match [one.size() - target, other.size()] {
                    [0.0, size] | [size, 0.0] => size,
                    [p, q] => p.min(q),
                };
                let plain = self.is_plain(pair.a) && self.is_plain(pair.b);
                let near = if plain { 0.0 } else { size / 16384.0 } + numbers * 6e-7;
                match (&found[..], exact) {
                    ([], None) => {}
                    ([], Some(t)) => {
                        // A touch at the start that does not close is ignored, and one that separates at once
                        // is not an impact.
                        let passed = gap(&one, &other, 0.0).abs() <= near
                            && [0.25, 0.5, 1.0].iter().all(|&t| gap(&one, &other, t) >= -near);
                        assert!(passed, "{what}: {pair:?} is missed at {t}: {one:?} {other:?}");
                    }
                    ([impact], exact) => {
                        met += 1;
                        let toi = f64::from(impact.toi);
                        let there = gap(&one, &other, toi);
                        assert!(there <= near, "{what}: {impact:?} is {there} early");
                        if let Some(exact) = exact {
                            // A touch that is ignored may be followed by a deeper contact.
                            let touch = exact == 0.0 && gap(&one, &other, 0.0) >= -near;
                            let late = toi > exact * (1.0 + 1e-9) + 1e-12;
                            assert!(!late || touch, "{what}: {impact:?}, exactly at {exact}");
                        }
                    }
                    _ => panic!("{what}: {pair:?} is told twice"),
                }
            }
        }
        met
    }
}

/// Goal: the impact of two bodies has the time of the reference. Method: boxes, balls and rounded boxes, flat
/// ones and points, on a lattice and off it, slow and at 10,000 sizes per tick; a hundred thousand with
/// `.ci/exact`.
#[test]
fn ticks_of_two_bodies_by_events() {
    let mut draw = Draw::new(1);
    let mut pipeline = Pipeline::default();
    let (mut met, cases) = (0, how_many(6_000));
    for case in 0..cases {
        let speed = [1.0, 4.0, 40.0, 1e4][case % 4];
        let mut bodies = BodyColumns::default();
        (0..2).for_each(|_| bodies.push(&mut draw, [3.0, 3.0, 10.0, 300.0][case % 4], speed));
        if case % 3 == 0 {
            aim(&mut bodies, &mut draw);
        }
        let target_distance = [0.0, 0.0, 0.25][case % 3];
        // The skin of two plain boxes is measured per axis, unlike that of the reference.
        let plain = bodies.convex.is_empty();
        let target_distance = if plain { 0.0 } else { target_distance };
        let mut config = Config::default();
        config.target_distance = target_distance;
        pipeline.set_config(config);
        met += bodies.check(&mut pipeline, &format!("case {case}"));
    }
    assert!(met > cases / 5, "{met} of {cases} met");
}

/// Aims the second body at the later position of the first.
fn aim(bodies: &mut BodyColumns, draw: &mut Draw) {
    let t = draw.between(0.0, 1.0);
    let target = bodies.reference[0].place(t.into());
    let from = bodies.reference[1].at;
    let delta: [f32; 3] =
        std::array::from_fn(|axis| ((target[axis] - from[axis]) / f64::from(t.max(0.01))) as f32);
    bodies.reference[1].delta = delta.map(f64::from);
    bodies.flags[1] = BodyFlags::MOVES;
    let mut moving = bodies.boxes.get(1);
    moving.delta = delta;
    bodies.boxes.set(1, moving).expect("a box");
    if let Some(convex) = bodies.convex.iter_mut().find(|convex| convex.row == 1) {
        convex.motion.delta = delta;
    }
}

/// Goal: of fifty bodies each impact is reported once, in time, and none is missed. Method: as above, in a
/// crowded room; a thousand with `.ci/exact`, at most a tenth of `SWATH_CASES`.
#[test]
fn ticks_of_fifty_bodies_by_events() {
    let mut draw = Draw::new(2);
    let levels: Vec<Level> = Level::all().collect();
    let (mut met, cases) = (0, how_many(120).min(1_000));
    for case in 0..cases {
        let level = levels[case % levels.len()];
        let mut pipeline = Pipeline::with_exec(Config::default(), level);
        let mut bodies = BodyColumns::default();
        let speed = [2.0, 20.0, 200.0][case % 3];
        (0..50).for_each(|_| bodies.push(&mut draw, 4.0 + speed * 0.02, speed));
        met += bodies.check(&mut pipeline, &format!("case {case}"));
    }
    assert!(met > cases * 20, "{met} in {cases}");
}
