//! Which bodies are there, and who must not get out?
//!
//! A shooting range: a room of thin sheets, in it a wall of bricks, and so many bullets from the far
//! end, a few each tick, at 500 m/s. In space there is neither room nor gravity, so that nothing takes
//! momentum away.
//!
//! Lengths in metres, `y` is up. Drawn by SplitMix64 (Steele, Lea, Flood 2014), with `+ - × ÷ sqrt`
//! alone: the same numbers everywhere.

use swath::Shape;

use super::engine::{Body, Engine, Failure, Row};

/// Metres a second.
pub(crate) const BULLET_SPEED: f32 = 500.0;
/// Half the thickness of the sheets of the room.
const SHEET: f32 = 0.0025;
const ROOM: [[f32; 3]; 2] = [[-24.0, 0.0, -6.0], [3.0, 6.0, 6.0]];
/// Half the sides of a brick, and how many there are upwards and across.
const BRICK: [f32; 3] = [0.05, 0.1, 0.2];
const COURSES: u32 = 10;
const BRICKS_ACROSS: u32 = 12;
/// Between bricks: more than what counts as a touch in a tick of 500 m/s.
const JOINT: f32 = 0.0005;
const BULLET_RADIUS: f32 = 0.01;
/// For how long is shot.
const SHOOTING_TICKS: u32 = 40;

/// What is still to be shot.
#[derive(Debug)]
pub(crate) struct Range {
    left: u32,
    each_tick: u32,
    space: bool,
    state: u64,
}

impl Range {
    /// Puts up the range.
    pub(crate) fn new(
        bullets: u32,
        seed: u64,
        space: bool,
        engine: &mut Engine,
    ) -> Result<Self, Failure> {
        if !space {
            put_up_room(engine)?;
        }
        let shape = Shape::cuboid(BRICK)?;
        let pitch = BRICK.map(|half| 2.0 * half + JOINT);
        for course in 0..COURSES {
            for brick in 0..BRICKS_ACROSS {
                let (up, across) = (course as f32 + 0.5, brick as f32 + 0.5 * (course % 2) as f32);
                let z = (across - 0.5 * BRICKS_ACROSS as f32) * pitch[2];
                engine.add(&Body {
                    shape,
                    at: [0.0, up * pitch[1], z],
                    velocity: [0.0; 3],
                    mass: 14.0,
                    restitution: 0.0,
                    friction: 0.6,
                    sleeps: !space,
                })?;
            }
        }
        let each_tick = bullets.div_ceil(SHOOTING_TICKS);
        Ok(Self { left: bullets, each_tick, space, state: seed })
    }

    /// Shoots the bullets of a tick.
    pub(crate) fn shoot(&mut self, engine: &mut Engine) -> Result<(), Failure> {
        let shape = Shape::sphere(BULLET_RADIUS)?;
        for _ in 0..self.each_tick.min(self.left) {
            self.left -= 1;
            let mut between = |low: f32, high: f32| low + (high - low) * self.draw();
            let at = [between(-23.0, -15.0), between(0.5, 2.5), between(-3.0, 3.0)];
            let aim = [0.0, between(0.1, 2.0), between(-2.2, 2.2)];
            let way: [f32; 3] = std::array::from_fn(|axis| aim[axis] - at[axis]);
            let speed = BULLET_SPEED / way.iter().map(|x| x * x).sum::<f32>().sqrt();
            engine.add(&Body {
                shape,
                at,
                velocity: way.map(|x| x * speed),
                mass: 0.05,
                restitution: 0.05,
                friction: 0.6,
                sleeps: false,
            })?;
        }
        Ok(())
    }

    /// Whether a body has got out of the room.
    pub(crate) fn is_out(&self, row: &Row) -> bool {
        let at = row.motion.pose.position;
        // The sheets themselves are on the border.
        let inside =
            |axis: usize| (ROOM[0][axis] - SHEET..=ROOM[1][axis] + SHEET).contains(&at[axis]);
        !self.space && !(0..3).all(inside)
    }

    /// A number in `[0, 1)`.
    fn draw(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }
}

/// Six sheets.
fn put_up_room(engine: &mut Engine) -> Result<(), Failure> {
    for axis in 0..3 {
        for side in ROOM {
            let mut half: [f32; 3] = std::array::from_fn(|k| 0.5 * (ROOM[1][k] - ROOM[0][k]));
            let mut at: [f32; 3] = std::array::from_fn(|k| 0.5 * (ROOM[1][k] + ROOM[0][k]));
            (half[axis], at[axis]) = (SHEET, side[axis]);
            // Its inner face is on the border.
            at[axis] +=
                if side[axis] > at[axis] - 1e-9 && side == ROOM[1] { SHEET } else { -SHEET };
            engine.add(&Body {
                shape: Shape::cuboid(half)?,
                at,
                velocity: [0.0; 3],
                mass: 0.0,
                restitution: 0.0,
                friction: 0.6,
                sleeps: false,
            })?;
        }
    }
    Ok(())
}
