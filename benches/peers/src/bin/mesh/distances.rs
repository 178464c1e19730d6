//! Distances of shapes at rest, some of them far away, from bodies with parts. parry has none from a height field.

use std::hint::black_box;
use std::ops::Range;

use cpu_time::ThreadTime;
use parry3d::query;
use parry3d::shape::SharedShape;
use peers::time::{Call, alternately};
use scenes::convex::{Form, Hulls, Moves};
use scenes::mesh::Terrain;
use swath::mesh::Geometry;
use swath::{Pose, Shape};

use crate::bodies::Body;
use crate::{BLOCK, REPEATS};

/// How far the shapes are raised above where they are thrown from.
const HEIGHTS: [f32; 2] = [0.0, 100.0];

/// A distance of another system differs if it is farther from ours than this share of it and of a unit.
const DIFFERENCE: f32 = 1e-4;

/// A shape at rest in the form that swath and parry need.
struct Raised<'h> {
    shape: Shape<'h>,
    pose: Pose,
    theirs: SharedShape,
    their_pose: parry3d::math::Pose,
}

/// Appends the lines of a body to a table: points and shapes near `terrain`, and far above it.
pub(crate) fn compare(
    body: &Body<'_>,
    (terrain, count): (&Terrain, usize),
    (hulls, their_hulls): (&Hulls, &[SharedShape]),
    lines: &mut Vec<String>,
) {
    let thrown = terrain.thrown(hulls, Moves::Spinning, count, 3);
    for (name, height) in ["near", "far"].into_iter().zip(HEIGHTS) {
        for (kind, as_points) in [("points", true), ("shapes", false)] {
            let raised = |&(form, motion): &(Form, swath::Motion)| {
                let form = if as_points { Form::Sphere(0.0) } else { form };
                let mut motion = motion;
                motion.pose.position[1] += height;
                Raised {
                    shape: form.shape(hulls),
                    pose: motion.pose,
                    theirs: peers::parry::shape(form, their_hulls),
                    their_pose: peers::parry::motion(&motion).start,
                }
            };
            let all: Vec<_> = thrown.iter().map(raised).collect();
            let swath = |rows: Range<usize>, out: &mut [f32]| {
                for (of, out) in all[rows].iter().zip(out) {
                    let shape = Geometry::from(of.shape);
                    let found =
                        shape.distance(&of.pose, &body.ours, &Pose::IDENTITY, f32::INFINITY);
                    let found = black_box(found).expect("valid").expect("there are parts");
                    *out = found.distance.distance.max(0.0);
                }
            };
            let parry = |rows: Range<usize>, out: &mut [f32]| {
                for (of, out) in all[rows].iter().zip(out) {
                    let theirs = &*of.theirs;
                    let found =
                        query::distance(&of.their_pose, theirs, &body.their_pose, body.theirs);
                    *out = black_box(found).map_or(f32::NAN, |found| found.distance);
                }
            };
            let mut systems: Vec<(&str, Call<'_, f32>)> = vec![("swath", &swath)];
            // It has no distance from a height field.
            let mut one = [f32::NAN];
            parry(0..1, &mut one);
            if !one[0].is_nan() {
                systems.push(("parry", &parry));
            }
            let calls: Vec<_> = systems.iter().map(|system| system.1).collect();
            let clock = (ThreadTime::now, ThreadTime::elapsed);
            let timed = alternately(&calls, all.len(), (BLOCK, REPEATS), clock);
            let ours = timed[0].1.clone();
            for ((system, _), (total, found)) in systems.iter().zip(timed) {
                let nanoseconds = total.as_secs_f64() / all.len() as f64 * 1e9;
                let differs = |(a, b): &(&f32, &f32)| (*a - *b).abs() > DIFFERENCE * (1.0 + *a);
                let differ = ours.iter().zip(&found).filter(differs).count();
                let (body, shapes, parts) = (body.name, all.len(), body.parts);
                lines.push(format!(
                    "{body},{kind},{name},{system},{nanoseconds:.0},{shapes},{parts},{differ}"
                ));
            }
        }
    }
}
