//! Draws a small flat scene and its pairs as SVG.
//!
//! `cargo run --example picture -- --out docs/picture.svg` writes the picture of the README. Outlines are
//! boxes at the start of the tick, bands are their paths, grey frames are the bounds of long paths. Two boxes
//! that touch are drawn filled, at the positions where they first touch.
//!
//! An error is printed as one line on stderr. Exit code: 0, or 2 if no picture was written.

use std::error::Error;
use std::fmt::Write;
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::{Aabb, MovingBox, MovingBoxStore, PairFinder};

/// Size of the drawing. One unit of the scene is one pixel.
const SIZE: [f32; 2] = [760.0, 300.0];
/// Length from which a path gets a frame.
const LONG_PATH: f32 = 150.0;

/// Draws a small scene of moving boxes, and where they touch within one tick, as SVG.
#[derive(Debug, Parser)]
#[command(name = "picture")]
struct Args {
    /// Write the picture to this file; without it, the picture is printed.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Seed of the random scene.
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true)]
    seed: u64,
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("picture", &error),
    };
    let refused = |why: &dyn Error| examples::usage::end("picture", examples::usage::REFUSED, &why);
    let svg = match picture(args.seed) {
        Ok(svg) => svg,
        Err(error) => return refused(&*error),
    };
    let written = match &args.out {
        Some(path) => std::fs::write(path, svg),
        None => io::stdout().write_all(svg.as_bytes()),
    };
    match (written, args.out) {
        (Ok(()), _) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        (Err(error), None) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        (Err(error), None) => refused(&error),
        (Err(error), Some(path)) => {
            refused(&io::Error::other(format!("{}: {error}", path.display())))
        }
    }
}

/// Returns the picture of the scene of a seed.
fn picture(seed: u64) -> Result<String, Box<dyn Error>> {
    let store = world(seed)?;
    let boxes = store.columns();
    let mut finder = PairFinder::new();
    let union = finder.union_pairs(boxes)?.len();
    let touching = finder.swept_pairs(boxes)?.sorted();

    let [width, height] = SIZE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fbfbf8\"/>\n",
        height + 26.0
    );
    for row in 0..store.len() {
        let moving = store.get(row);
        let [dx, dy, _] = moving.delta;
        if dx.hypot(dy) > LONG_PATH {
            let style = "fill=\"none\" stroke=\"#bbb\" stroke-dasharray=\"2 4\"";
            rect(&mut svg, &moving.bounds(), style)?;
        }
        path(&mut svg, &moving)?;
        rect(&mut svg, &moving.aabb, "fill=\"none\" stroke=\"#456\"")?;
    }
    for pair in touching {
        for row in [pair.a, pair.b] {
            let at = at(&store.get(row as usize), pair.first);
            rect(&mut svg, &at, "fill=\"#d9480f\" fill-opacity=\"0.5\" stroke=\"#7a2500\"")?;
        }
    }
    writeln!(
        svg,
        "<text x=\"8\" y=\"{}\" fill=\"#333\">{} boxes · {union} pairs of boxes around whole paths \
         · {} pairs that touch, drawn where they first do</text>\n</svg>",
        height + 16.0,
        store.len(),
        touching.len()
    )?;
    Ok(svg)
}

/// Makes slow crates, three walls and a few fast bullets. All are flat: their depth is zero.
fn world(seed: u64) -> Result<MovingBoxStore, Box<dyn Error>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut store = MovingBoxStore::new();
    let mut add = |x: f32, y: f32, half: [f32; 2], delta: [f32; 2]| {
        let aabb = Aabb::from_center([x, y, 0.0], [half[0], half[1], 0.0])?;
        store.push(MovingBox::new(aabb, [delta[0], delta[1], 0.0])?)
    };
    for x in [250.0, 480.0, 640.0] {
        add(x, 150.0, [2.0, 110.0], [0.0, 0.0])?;
    }
    for _ in 0..28 {
        let [x, y] = SIZE.map(|size| rng.random_range(30.0..size - 30.0));
        let half = [rng.random_range(7.0..16.0), rng.random_range(7.0..16.0)];
        let delta = [rng.random_range(-28.0..28.0), rng.random_range(-28.0..28.0)];
        add(x, y, half, delta)?;
    }
    for _ in 0..7 {
        let y = rng.random_range(20.0..280.0);
        let delta = [rng.random_range(300.0..560.0), rng.random_range(-90.0..90.0)];
        add(rng.random_range(10.0..150.0), y, [3.0, 3.0], delta)?;
    }
    Ok(store)
}

/// Returns the box at time `t`.
fn at(moving: &MovingBox, t: f32) -> Aabb {
    let moved = |corner: [f32; 3]| core::array::from_fn(|k| corner[k] + moving.delta[k] * t);
    Aabb { min: moved(moving.aabb.min), max: moved(moving.aabb.max) }
}

fn rect(svg: &mut String, aabb: &Aabb, style: &str) -> std::fmt::Result {
    let ([x, y, _], [width, height, _]) = (aabb.min, aabb.size());
    writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {style}/>"
    )
}

/// Draws the band that a box sweeps: both boxes and the two outer lines that join their corners.
fn path(svg: &mut String, moving: &MovingBox) -> std::fmt::Result {
    let ends = [moving.aabb, at(moving, 1.0)];
    // If both displacements have the same sign, the outer corners mix `min` and `max`.
    let rising = (moving.delta[0] < 0.0) == (moving.delta[1] < 0.0);
    let corners = |aabb: &Aabb| {
        let ([x0, y0, _], [x1, y1, _]) = (aabb.min, aabb.max);
        if rising { [[x0, y1], [x1, y0]] } else { [[x0, y0], [x1, y1]] }
    };
    let ([a, b], [c, d]) = (corners(&ends[0]), corners(&ends[1]));
    let points = [a, c, d, b].map(|[x, y]| format!("{x:.1},{y:.1}")).join(" ");
    writeln!(svg, "<polygon points=\"{points}\" fill=\"#4c8bb5\" fill-opacity=\"0.22\"/>")
}
