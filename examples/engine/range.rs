//! The shooting range: which bodies there are, and which of them left the room.
//!
//! A room of thin sheets contains a wall of bricks. Bullets start at the far end at 500 m/s, a few in each
//! tick. In space there is neither room nor gravity, so momentum is conserved.
//!
//! Lengths are in metres, `y` is up. Random numbers are of `SplitMix64` (Steele, Lea, Flood 2014) and use
//! `+ - × ÷ sqrt` only, so they are the same on every platform.

use swath::Shape;

use super::{Body, Engine, Failure, Row};

/// Metres per second.
pub const BULLET_SPEED: f32 = 500.0;
/// Kilograms.
pub const BULLET_MASS: f32 = 0.05;
const BRICK_MASS: f32 = 14.0;
/// Half the thickness of the sheets of the room.
const SHEET: f32 = 0.0025;
const ROOM: [[f32; 3]; 2] = [[-14.0, 0.0, -5.0], [3.0, 5.0, 5.0]];
/// Half the sides of a brick, the number of courses, and the number of bricks in a course.
const BRICK: [f32; 3] = [0.05, 0.1, 0.2];
const COURSES: u32 = 10;
const BRICKS_ACROSS: u32 = 12;
pub const BRICKS: u32 = COURSES * BRICKS_ACROSS;
/// Gap between bricks: more than the distance that counts as a touch at 500 m/s.
const JOINT: f32 = 0.0005;
const BULLET_RADIUS: f32 = 0.01;
/// Number of ticks in which bullets are shot.
const SHOOTING_TICKS: u32 = 40;

/// Metres per second².
const GRAVITY: [f32; 3] = [0.0, -9.81, 0.0];

/// Settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub bullets: u32,
    pub seed: u64,
    pub space: bool,
    pub ccd: bool,
}

/// The range with its engine, and the bullets that are not yet shot.
#[derive(Debug)]
pub struct Range {
    pub engine: Engine,
    left: u32,
    each_tick: u32,
    space: bool,
    state: u64,
}

impl Range {
    /// Builds the range.
    pub fn new(plan: &Plan) -> Result<Self, Failure> {
        let Plan { bullets, seed, space, ccd } = *plan;
        let mut engine = Engine::new(if space { [0.0; 3] } else { GRAVITY }, ccd);
        if !space {
            put_up_room(&mut engine)?;
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
                    mass: BRICK_MASS,
                    restitution: 0.0,
                    friction: 0.6,
                    sleeps: !space,
                })?;
            }
        }
        let each_tick = bullets.div_ceil(SHOOTING_TICKS);
        Ok(Self { engine, left: bullets, each_tick, space, state: seed })
    }

    /// Shoots the bullets of a tick.
    pub fn shoot(&mut self) -> Result<(), Failure> {
        let shape = Shape::sphere(BULLET_RADIUS)?;
        for _ in 0..self.each_tick.min(self.left) {
            self.left -= 1;
            let mut between = |low: f32, high: f32| low + (high - low) * self.draw();
            let at = [between(-13.5, -7.0), between(0.5, 2.5), between(-3.0, 3.0)];
            let aim = [0.0, between(0.1, 2.0), between(-2.2, 2.2)];
            let way: [f32; 3] = std::array::from_fn(|axis| aim[axis] - at[axis]);
            let speed = BULLET_SPEED / way.iter().map(|x| x * x).sum::<f32>().sqrt();
            self.engine.add(&Body {
                shape,
                at,
                velocity: way.map(|x| x * speed),
                mass: BULLET_MASS,
                restitution: 0.05,
                friction: 0.6,
                sleeps: false,
            })?;
        }
        Ok(())
    }

    /// Removes the bodies that left the room, and returns the numbers of bullets and bricks.
    pub fn remove_escaped(&mut self) -> Result<[usize; 2], Failure> {
        let mut out = [0; 2];
        if self.space {
            return Ok(out);
        }
        let is_out = |row: &Row| {
            let at = row.motion.pose.position;
            let inside = |axis: usize| (ROOM[0][axis]..=ROOM[1][axis]).contains(&at[axis]);
            row.mass > 0.0 && !(0..3).all(inside)
        };
        for row in self.engine.rows.iter().filter(|row| is_out(row)) {
            out[usize::from(row.mass != BULLET_MASS)] += 1;
        }
        if out != [0; 2] {
            self.engine.remove(is_out)?;
        }
        Ok(out)
    }

    /// Returns a random number in `[0, 1)`.
    fn draw(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }
}

/// Builds the six sheets of the room.
fn put_up_room(engine: &mut Engine) -> Result<(), Failure> {
    for axis in 0..3 {
        for side in ROOM {
            let mut half: [f32; 3] = std::array::from_fn(|k| 0.5 * (ROOM[1][k] - ROOM[0][k]));
            let mut at: [f32; 3] = std::array::from_fn(|k| 0.5 * (ROOM[1][k] + ROOM[0][k]));
            (half[axis], at[axis]) = (SHEET, side[axis]);
            // The inner face of the sheet is on the border of the room.
            at[axis] += if side == ROOM[1] { SHEET } else { -SHEET };
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

#[cfg(test)]
mod tests {
    use super::{Engine, ROOM, SHEET, put_up_room};
    use swath::Pose;

    /// Goal: the sheets of the room are around it, so that a body in a sheet has left the room. Method: the bounds of each sheet, of which one face is on
    /// the border of the room.
    #[test]
    fn sheets_are_around_the_room() {
        let mut engine = Engine::new([0.0; 3], true);
        put_up_room(&mut engine).expect("a room");
        assert_eq!(engine.rows.len(), 6);
        for (k, row) in engine.rows.iter().enumerate() {
            let (axis, is_upper) = (k / 2, k % 2 == 1);
            let at = row.motion.pose.position;
            let bounds = row.shape.bounds(&Pose::at(at).expect("a pose")).expect("bounds");
            let (inner, outer) = match is_upper {
                true => (bounds.min[axis], bounds.max[axis]),
                false => (bounds.max[axis], bounds.min[axis]),
            };
            let border = ROOM[usize::from(is_upper)][axis];
            assert!((inner - border).abs() < 1e-5, "{k}: {inner} at {border}");
            let outwards = if is_upper { outer - border } else { border - outer };
            assert!((outwards - 2.0 * SHEET).abs() < 1e-5, "{k}: {outer} at {border}");
        }
    }
}
