//! Scenes that are difficult for a broadphase made for even ones.
//!
//! They have an uneven density, no extent on some axis, boxes of very different sizes, a body that fell out
//! of the scene, or all boxes in one place.

use rand::RngExt;

use super::scene::{Crowd, Scene};
use super::{Motion, World, room};

/// Number of boxes in a cluster.
const CLUSTER_BOXES: usize = 1000;
/// Length of the scene on each axis, relative to that of its clusters without empty space.
const CLUSTERS_APART: f64 = 8.0;
/// Union pairs per box inside a cluster.
const CLUSTER_PAIRS: f64 = 3.0;

/// One box in this many is a wall.
const WALL_ONE_OF: u32 = 20;
/// Sides of a wall: length, height, thickness, each on any axis.
const WALL_SIDES: [[f32; 2]; 3] = [[20.0, 60.0], [2.0, 6.0], [0.1, 0.3]];

/// Number of planets, and their half side relative to that of the scene.
const PLANETS: usize = 8;
const PLANET_PART: f32 = 0.25;

/// Distance of the escaped box from all others.
const ESCAPED_AT: f32 = 1e6;

/// Greatest distance of centres from their line.
const LINE_REACH: f32 = 0.5;

/// Makes an adversary with `boxes` boxes.
pub(super) fn build(scene: Scene, boxes: usize, mut crowd: Crowd) -> World {
    if scene == Scene::Identical {
        (0..boxes).for_each(|_| crowd.push([0.5; 3], [0.25, 0.0, 0.0], true));
        return crowd.spread_with([1.0; 3], |_, _| [0.0; 3]);
    }
    (0..boxes).for_each(|_| crowd.push_ordinary());
    let side = |pairs| room::side(&crowd.half, &crowd.delta, pairs, false);
    let reach = (side(1.0) * 0.5) as f32;
    let line = boxes as f32 * 0.5;
    match scene {
        Scene::Clusters => {
            let inside = (side(CLUSTER_PAIRS) * 0.5) as f32;
            let clusters = boxes.div_ceil(CLUSTER_BOXES).max(1);
            // The cube root is the side of the scene relative to that of a cluster, because both have the
            // same density.
            let shrink = room::cube_root(1.0 / clusters as f64) as f32;
            let far = inside * CLUSTERS_APART as f32;
            let middles: Vec<[f32; 3]> =
                (0..clusters).map(|_| [(); 3].map(|()| crowd.between([-far, far]))).collect();
            crowd.spread_with([far + inside; 3], |crowd, row| {
                let reach = inside * shrink;
                middles[row % clusters].map(|middle| middle + crowd.between([-reach, reach]))
            })
        }
        Scene::Walls => {
            for row in 0..boxes {
                if crowd.rng.random_ratio(1, WALL_ONE_OF) {
                    let first = crowd.rng.random_range(0..3);
                    let turn = crowd.rng.random_range(1..3);
                    for (k, sides) in WALL_SIDES.into_iter().enumerate() {
                        crowd.half[(first + k * turn) % 3][row] = crowd.between(sides) * 0.5;
                    }
                }
            }
            crowd.spread([reach; 3])
        }
        Scene::LineX => crowd.spread([line, LINE_REACH, LINE_REACH]),
        Scene::LineY => crowd.spread([LINE_REACH, line, LINE_REACH]),
        Scene::LineZ => crowd.spread([LINE_REACH, LINE_REACH, line]),
        Scene::Diagonal => crowd.spread_with([line + LINE_REACH; 3], |crowd, _| {
            let along = crowd.between([-line, line]);
            [(); 3].map(|()| along + crowd.between([-LINE_REACH, LINE_REACH]))
        }),
        Scene::Planets => {
            for row in 0..boxes.min(PLANETS) {
                (0..3).for_each(|axis| crowd.half[axis][row] = reach * PLANET_PART);
            }
            crowd.spread([reach; 3])
        }
        _ => {
            let mut world = crowd.spread([reach; 3]);
            if let Some(last) = world.centre[0].last_mut() {
                *last = ESCAPED_AT;
                // A box that is reflected would return.
                world.motion = Motion::Repeat;
                world.place();
            }
            world
        }
    }
}
