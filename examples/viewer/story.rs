//! The ticks that are shown without a scene: bullets, a thin plate and a pile of crates.
//!
//! Each kind of result of a tick is there once, and a sentence for each tick states it. The engine moves the bodies, so the
//! ticks after the first one show what an engine does with the results.

use engine::{Body, Engine};
use swath::Shape;

use super::args::Args;
use super::recording::{Recorder, Recording, View};
use super::stop::Stop;
use examples::progress::bar;

/// Half the side of a crate.
const CRATE: f32 = 0.25;
/// Gap between crates: more than the distance that counts as a touch.
const JOINT: f32 = 0.003;
const ROWS: u32 = 4;

/// What the ticks show, from the first one on; the last sentence is that of all later ticks.
const CAPTIONS: [&str; 4] = [
    "In this tick each bullet flies four metres. The lowest one hits a plate of five millimetres: at the end of the tick it would \
     be far behind it. The bounds of the highest path overlap a crate, but the bullet misses it.",
    "The second bullet flies over the plate and hits the pile, which wakes.",
    "The pile is pushed. Crates that touch at the start of a tick are drawn in violet.",
    "The engine moves the bodies from impact to impact. A slow crate falls on the pile.",
];

impl Recording {
    pub(crate) fn of_story(args: &Args) -> Result<Self, Stop> {
        let mut engine = Engine::new([0.0, -9.81, 0.0], true);
        for body in bodies()? {
            engine.add(&body)?;
        }
        let (mut recorder, mut ticks) = (Recorder::new(), Vec::new());
        let bar = bar("bullets and crates", args.ticks, false);
        for number in 0..args.ticks {
            let mut tick = recorder.engine_tick(format!("tick {number}"), &engine)?;
            tick.caption = CAPTIONS[CAPTIONS.len().min(number as usize + 1) - 1];
            ticks.push(tick);
            engine.step()?;
            bar.inc(1);
        }
        let view = View {
            low: [-1.9, 0.1, -1.0],
            high: [2.9, 2.9, 1.0],
            yaw: 0.35,
            pitch: 0.22,
            tick: 0,
            t: 0.5,
            hide: "",
        };
        let name = "bullets, a thin plate and a pile of crates".to_owned();
        Ok(Self { name, view: Some(view), ticks, meshes: Vec::new() })
    }
}

fn bodies() -> Result<Vec<Body>, Stop> {
    let fixed = Body {
        shape: Shape::cuboid([7.0, 0.05, 3.0])?,
        at: [0.0, -0.05, 0.0],
        velocity: [0.0; 3],
        mass: 0.0,
        restitution: 0.0,
        friction: 0.6,
        sleeps: false,
    };
    let plate = Body { shape: Shape::cuboid([0.0025, 0.5, 0.9])?, at: [-0.4, 0.5, 0.0], ..fixed };
    let mut bodies = vec![fixed, plate];
    let pitch = 2.0 * CRATE + JOINT;
    let crate_at = |at| -> Result<Body, Stop> {
        Ok(Body { shape: Shape::cuboid([CRATE; 3])?, at, mass: 20.0, sleeps: true, ..fixed })
    };
    for row in 0..ROWS {
        for k in 0..ROWS - row {
            let across = k as f32 - 0.5 * (ROWS - row - 1) as f32;
            let up = CRATE + 0.5 * JOINT + row as f32 * (2.0 * CRATE + 0.5 * JOINT);
            bodies.push(crate_at([1.8 + across * pitch, up, 0.0])?);
        }
    }
    let falling = crate_at([2.0, 3.1, 0.0])?;
    bodies.push(Body { velocity: [0.0, -3.0, 0.0], sleeps: false, ..falling });
    for (at, velocity) in [
        ([-2.4, 0.55, 0.1], [240.0, 0.0, 0.0]),
        ([-3.4, 1.3, -0.15], [240.0, 6.0, 0.0]),
        ([-1.4, 1.7, 0.15], [235.0, 48.0, 0.0]),
    ] {
        let shape = Shape::sphere(0.06)?;
        bodies.push(Body { shape, at, velocity, mass: 0.4, restitution: 0.1, ..fixed });
    }
    Ok(bodies)
}
