//! Tests that distant rows change neither the impacts of a crowd nor the motion of a pile.
//!
//! If a tick has few pairs for its rows, the pipeline reads the rows in another way than if it has many.

use swath::pipeline::{BodyFlags, Config};
use swath::{
    ConvexBody, Impact, Level, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape, Threads,
};
use swath_stepping::{Mass, ResolvedImpact, Stepper};
use testkit::draw::Draw;

const CROWD: u32 = 600;

/// Columns, of which the last three are the accelerations; the shapes and flags of a crowd.
struct Crowd {
    columns: [Vec<f32>; 12],
    convex: Vec<ConvexBody<'static>>,
    flags: Vec<BodyFlags>,
}

impl Crowd {
    fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let mut crowd = Self { columns: Default::default(), convex: Vec::new(), flags: Vec::new() };
        for row in 0..CROWD {
            let flat = draw.one_in(5);
            let mut at = [0.0; 3];
            for (axis, at) in at.iter_mut().enumerate() {
                *at = draw.between(-6.0, 6.0);
                // Faces at integers touch exactly at the start.
                let whole = draw.one_in(3);
                *at = if whole { at.round() } else { *at };
                let half = if flat && axis == 0 { 0.0 } else { draw.one_of(&[0.5, 0.5, 0.3]) };
                let numbers = [
                    *at - half,
                    *at + half,
                    draw.one_of(&[0.0, -0.0, 1.0, -3.0, 1e-40]),
                    draw.one_of(&[0.0, -0.0, 2.0]),
                ];
                for (column, number) in numbers.into_iter().enumerate() {
                    push(&mut crowd.columns, 3 * column + axis, number);
                }
            }
            if draw.one_in(3) {
                let motion = Motion { pose: Pose::at(at).expect("one"), ..Motion::default() };
                let delta = [1.0, 0.0, -2.0];
                let shape = Shape::sphere(0.5).expect("a ball");
                crowd.convex.push(ConvexBody { row, shape, motion: Motion { delta, ..motion } });
            }
            let sensor = if draw.one_in(6) { BodyFlags::SENSOR } else { BodyFlags::STILL };
            let moves = if draw.one_in(6) { BodyFlags::STILL } else { BodyFlags::MOVES };
            crowd.flags.push(moves | sensor);
        }
        crowd
    }

    /// Adds resting boxes far from all others.
    fn lonely(&mut self, count: usize) {
        for k in 0..count {
            for column in 0..12 {
                let number = [1e4 + 2.0 * k as f32, 1e4 + 2.0 * k as f32 + 1.0, 0.0, 0.0];
                push(&mut self.columns, column, number[column / 3]);
            }
            self.flags.push(BodyFlags::MOVES);
        }
    }

    fn tick(&self, pipeline: &mut Pipeline, accelerated: bool) -> [Vec<Impact>; 2] {
        let [boxes @ .., x, y, z] = self.columns.each_ref().map(Vec::as_slice);
        let boxes = MovingBoxColumns::from_columns(boxes).expect("equally long");
        let scene = Scene::new(boxes).convex(&self.convex).flagged(&self.flags);
        let scene = if accelerated { scene.accelerating([x, y, z]) } else { scene };
        let ticked = pipeline.tick(&scene).expect("a scene");
        [ticked.impacts().to_vec(), ticked.sensed().to_vec()]
    }
}

fn push(columns: &mut [Vec<f32>; 12], column: usize, number: f32) {
    columns[column].push(number);
}

/// Goal: the impacts have the same bits for many pairs and for very few pairs per row, also in consecutive
/// ticks. Method: a crowd of boxes and balls, with sensors, flat boxes and touches at the start, with and
/// without a skin, acceleration and a limit; then with twenty times as many distant rows; then without these
/// again.
#[test]
fn distant_rows_change_nothing() {
    let mut told = [0; 2];
    for seed in 0..4 {
        let alone = Crowd::new(seed);
        let mut among = Crowd::new(seed);
        among.lonely(20 * CROWD as usize);
        for case in 0..8 {
            let mut config = Config::default();
            config.target_distance = [0.0, 0.125][case % 2];
            config.impacts_per_body = [0, 2][case / 2 % 2];
            let accelerated = case / 4 == 1;
            let level = Level::all().nth(case % Level::all().count()).expect("a level");
            let mut pipeline = Pipeline::with_exec(config, level);
            pipeline.exec.threads = if case % 3 == 0 { Threads::one() } else { Threads::current() };
            let wanted = alone.tick(&mut pipeline, accelerated);
            assert_eq!(among.tick(&mut pipeline, accelerated), wanted, "{seed}, {case}");
            assert_eq!(alone.tick(&mut pipeline, accelerated), wanted, "{seed}, {case}");
            told = [told[0] + wanted[0].len(), told[1] + wanted[1].len()];
        }
    }
    assert!(told[0] > 5000 && told[1] > 1000, "{told:?}");
}

/// A floor and a pile of three unit cubes, and other bodies.
struct Pile {
    bodies: Vec<ConvexBody<'static>>,
    masses: Vec<Mass>,
    stepper: Stepper,
}

const GRAVITY: [f32; 3] = [0.0, -0.003, 0.0];

impl Pile {
    fn new(restitution: f32) -> Self {
        let mut pile = Self { bodies: Vec::new(), masses: Vec::new(), stepper: Stepper::default() };
        let floor = Shape::cuboid([20.0, 0.5, 20.0]).expect("a floor");
        pile.put(floor, [0.0, -0.5, 0.0], [0.0; 3], [0.0; 3], Mass::FIXED);
        let mass = Mass { inverse_mass: 1.0, restitution };
        for y in [0.5, 1.5, 2.5] {
            let cube = Shape::cuboid([0.5; 3]).expect("a cube");
            pile.put(cube, [0.0, y, 0.0], [0.0; 3], GRAVITY, mass);
        }
        pile
    }

    fn put(
        &mut self,
        shape: Shape<'static>,
        at: [f32; 3],
        delta: [f32; 3],
        accel: [f32; 3],
        mass: Mass,
    ) {
        let motion = Motion { pose: Pose::at(at).expect("one"), delta, accel, ..Motion::default() };
        self.bodies.push(ConvexBody { row: self.bodies.len() as u32, shape, motion });
        self.masses.push(mass);
    }

    fn run(&mut self) {
        let Self { bodies, masses, stepper } = self;
        stepper.step(bodies, masses, None).expect("bodies");
    }

    /// The motions of the floor and the cubes, and their reported impacts.
    fn told(&self) -> (Vec<Motion>, Vec<ResolvedImpact>) {
        let hits = self.stepper.impacts().iter().filter(|hit| hit.impact.pair.b < 4);
        (self.bodies[..4].iter().map(|body| body.motion).collect(), hits.copied().collect())
    }
}

/// Goal: a distant or fast body without contacts changes no bit of the motion of a pile, and the pile remains
/// at its place. Method: sixty ticks of three cubes on a floor, alone; with balls far below, falling or not;
/// with one that passes by ever faster; with many of these; with invalid rows. Motions and impacts of the
/// pile have the same bits, and its cubes end at their initial height.
#[test]
fn distant_or_fast_bodies_change_no_step() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let light = Mass { inverse_mass: 1.0, restitution: 0.5 };
    // A position, a displacement and an acceleration of each.
    let others: [&[[[f32; 3]; 3]]; 8] = [
        &[],
        &[[[0.0, -500.0, 0.0], [0.0; 3], GRAVITY]],
        &[[[0.0, -1e5, 0.0], [0.0; 3], GRAVITY]],
        &[[[0.0, -1e6, 0.0], [0.0; 3], GRAVITY]],
        &[[[0.0, -1e30, 0.0], [1e30; 3], [0.0; 3]]],
        &[[[3.0, 1.0, 0.0], [1e5, 0.0, 0.0], [0.0; 3]]],
        &[
            [[3.0, 1.0, 0.0], [0.0, 0.0, 1e9], [0.0; 3]],
            [[-4.0, 9.0, 0.0], [-3e4, 0.0, 0.0], GRAVITY],
        ],
        &[[[3.0, 1.0, 0.0], [1.0, f32::NAN, 0.0], [0.0; 3]], [[9.0, 1e7, 0.0], [0.0; 3], [1e3; 3]]],
    ];
    for restitution in [0.0, 0.5] {
        let mut alone = Vec::new();
        for (case, others) in others.iter().enumerate() {
            let mut pile = Pile::new(restitution);
            others.iter().for_each(|&[at, delta, accel]| pile.put(ball, at, delta, accel, light));
            for tick in 0..60 {
                pile.run();
                let told = pile.told();
                assert!(told.1.len() > 2, "{case}, {tick}: the cubes are carried");
                if case == 0 {
                    alone.push(told);
                    continue;
                }
                assert!(told == alone[tick], "{case}, {tick}: {told:?}, alone {:?}", alone[tick]);
            }
            for (row, height) in [(1, 0.5), (2, 1.5), (3, 2.5)] {
                let y = pile.bodies[row].motion.pose.position[1];
                assert!((y - height).abs() < 1e-4, "{case}: {row} ends at {y}");
            }
        }
    }
}
