//! Are the impacts of a crowd the same whoever else is in the world?
//!
//! Where a tick has few pairs for its rows, the pipeline reads them in another way than where it has many.

use swath::pipeline::Config;
use swath::{Boxes, Convex, Flags, Impact, Level, Motion, Pipeline, Pose, Scene, Shape, Threads};
use testkit::draw::Draw;

const CROWD: u32 = 600;

/// Columns, of which the last three are accelerations, shapes and flags of a crowd.
struct Crowd {
    columns: [Vec<f32>; 12],
    convex: Vec<Convex<'static>>,
    flags: Vec<Flags>,
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
                // Faces on whole numbers touch at the start, exactly.
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
                crowd.convex.push(Convex { row, shape, motion: Motion { delta, ..motion } });
            }
            let sensor = if draw.one_in(6) { Flags::SENSOR } else { Flags::STILL };
            let moves = if draw.one_in(6) { Flags::STILL } else { Flags::MOVES };
            crowd.flags.push(moves | sensor);
        }
        crowd
    }

    /// Adds boxes that rest far from all others.
    fn lonely(&mut self, count: usize) {
        for k in 0..count {
            for column in 0..12 {
                let number = [1e4 + 2.0 * k as f32, 1e4 + 2.0 * k as f32 + 1.0, 0.0, 0.0];
                push(&mut self.columns, column, number[column / 3]);
            }
            self.flags.push(Flags::MOVES);
        }
    }

    fn tick(&self, pipeline: &mut Pipeline, accelerated: bool) -> [Vec<Impact>; 2] {
        let [boxes @ .., x, y, z] = self.columns.each_ref().map(Vec::as_slice);
        let boxes = Boxes::from_columns(boxes).expect("equally long");
        let scene = Scene::new(boxes).convex(&self.convex).flagged(&self.flags);
        let scene = if accelerated { scene.accelerating([x, y, z]) } else { scene };
        let ticked = pipeline.tick(&scene).expect("a scene");
        [ticked.impacts().to_vec(), ticked.sensed().to_vec()]
    }
}

fn push(columns: &mut [Vec<f32>; 12], column: usize, number: f32) {
    columns[column].push(number);
}

/// Goal: the same impacts to the bit whether there are as many pairs as rows or hardly any, in ticks
/// that follow each other too. Method: a crowd of boxes and balls, sensors among them, some flat and
/// many touching at the start, with a skin, acceleration and a limit or none; then with twenty times as
/// many rows far off; then without these again.
#[test]
fn rows_far_off_change_nothing() {
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
            let mut pipeline = Pipeline::with_level(config, level);
            pipeline.set_threads(if case % 3 == 0 { Threads::one() } else { Threads::current() });
            let wanted = alone.tick(&mut pipeline, accelerated);
            assert_eq!(among.tick(&mut pipeline, accelerated), wanted, "{seed}, {case}");
            assert_eq!(alone.tick(&mut pipeline, accelerated), wanted, "{seed}, {case}");
            told = [told[0] + wanted[0].len(), told[1] + wanted[1].len()];
        }
    }
    assert!(told[0] > 5000 && told[1] > 1000, "{told:?}");
}
