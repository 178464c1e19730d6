//! A small flat scene. Outlines are boxes at the start of the tick, bands are their paths, grey frames are the
//! bounds of long paths. Two boxes that touch are drawn filled, at the positions where they first touch.

use std::error::Error;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::{Aabb, MovingBox, MovingBoxStore, PairFinder};

use super::svg::{self, FRAME, HIT, OUTLINE, TEXT};

/// Size of the drawing. One unit of the scene is one pixel.
const SIZE: [f32; 2] = [760.0, 300.0];
/// Length from which a path gets a frame.
const LONG_PATH: f32 = 150.0;

/// Returns the picture of the scene of a seed.
pub(crate) fn draw(seed: u64, crates: u16, bullets: u16) -> Result<String, Box<dyn Error>> {
    let store = world(seed, crates, bullets)?;
    let boxes = store.columns();
    let mut finder = PairFinder::new();
    let union = finder.union_pairs(boxes)?.len();
    let touching = finder.swept_pairs(boxes)?.sorted();

    let [width, height] = SIZE;
    let mut svg = svg::start([width, height + 26.0]);
    for row in 0..store.len() {
        let moving = store.get(row);
        let [dx, dy, _] = moving.delta;
        if dx.hypot(dy) > LONG_PATH {
            svg::rect(&mut svg, &moving.bounds(), FRAME)?;
        }
        svg::path(&mut svg, &moving)?;
        svg::rect(&mut svg, &moving.aabb, OUTLINE)?;
    }
    for pair in touching {
        for row in [pair.a, pair.b] {
            svg::rect(&mut svg, &store.get(row as usize).at(pair.first), HIT)?;
        }
    }
    let caption = format!(
        "{} boxes · {union} pairs of boxes around whole paths · {} pairs that touch, drawn where they first do",
        store.len(),
        touching.len()
    );
    svg::text(&mut svg, [8.0, height + 16.0], TEXT, &caption)?;
    Ok(svg + "</svg>\n")
}

/// Makes slow crates, three walls and a few fast bullets. All are flat: their depth is zero.
fn world(seed: u64, crates: u16, bullets: u16) -> Result<MovingBoxStore, Box<dyn Error>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut store = MovingBoxStore::new();
    let mut add = |x: f32, y: f32, half: [f32; 2], delta: [f32; 2]| {
        let aabb = Aabb::from_center([x, y, 0.0], [half[0], half[1], 0.0])?;
        store.push(MovingBox::new(aabb, [delta[0], delta[1], 0.0])?)
    };
    for x in [250.0, 480.0, 640.0] {
        add(x, 150.0, [2.0, 110.0], [0.0, 0.0])?;
    }
    for _ in 0..crates {
        let [x, y] = SIZE.map(|size| rng.random_range(30.0..size - 30.0));
        let half = [rng.random_range(7.0..16.0), rng.random_range(7.0..16.0)];
        let delta = [rng.random_range(-28.0..28.0), rng.random_range(-28.0..28.0)];
        add(x, y, half, delta)?;
    }
    for _ in 0..bullets {
        let y = rng.random_range(20.0..280.0);
        let delta = [rng.random_range(300.0..560.0), rng.random_range(-90.0..90.0)];
        add(rng.random_range(10.0..150.0), y, [3.0, 3.0], delta)?;
    }
    Ok(store)
}
