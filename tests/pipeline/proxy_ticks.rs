//! Tests of ticks of a broadphase with more pairs than one task tests.

use swath::{Aabb, Broadphase, COORD_MAX, Motion, Pipeline, Pose, Proxy, Shape};

/// More pairs than one task tests, and no multiple of them.
const PAIRS: usize = 2500;

/// Goal: the impacts of all pairs are reported except those of a body whose path is invalid, which is listed. Method: movers that each
/// fall onto a box of their own; a shape moves out of the world, and other ticks are without it.
#[test]
fn only_the_pairs_of_an_invalid_body_are_left_out() {
    let (mut world, mut movers) = (Broadphase::new(), Vec::new());
    for k in 0..PAIRS {
        let cube = |y: f32| {
            let min = [(k % 50 * 4) as f32, y, (k / 50 * 4) as f32];
            Aabb { min, max: min.map(|x| x + 1.0) }
        };
        world.insert(cube(0.0), Proxy::fixed()).expect("valid");
        let mover = world.insert(cube(2.0), Proxy::dynamic()).expect("valid");
        world.set(mover, cube(2.0), [0.0, -2.0, 0.0]).expect("valid");
        movers.push(mover);
    }
    let shape = Shape::sphere(0.5).expect("a sphere");
    let far = Pose::at([COORD_MAX; 3]).expect("a pose");
    let motion = Motion::new(far, [COORD_MAX; 3]).expect("a motion");
    let mut pipeline = Pipeline::default();
    for invalid in [None, Some(movers[7]), None, Some(movers[PAIRS - 1])] {
        let output = pipeline
            .tick_proxies(&mut world, |id| (Some(id) == invalid).then_some((shape, motion)))
            .expect("no limit");
        let expected: Vec<_> = movers.iter().copied().filter(|&id| Some(id) != invalid).collect();
        let mut hit: Vec<_> = output.impacts().iter().map(|impact| impact.pair.b).collect();
        hit.sort_unstable();
        assert_eq!(hit, expected);
        // Never late, and early by at most 2⁻²¹ of the time.
        let time = 0.5 - 0.5 / (1 << 21) as f32..=0.5;
        assert!(output.impacts().iter().all(|impact| time.contains(&impact.toi)));
        assert!(output.rejected().iter().map(|&(id, _)| id).eq(invalid));
        assert_eq!(output.into_iter().len(), expected.len());
    }
}
