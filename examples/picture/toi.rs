//! The search for the time of impact of a plank that turns and a ball. Above: both at the start, at the impact, and in between. Below: their
//! distance over the tick, and for each round of the search the time that it has proved and the gap along its plane there.

use std::error::Error;

use swath::convex::gjk;
use swath::convex::toi::{Settings, ToiResult, traced};
use swath::{Motion, Pose, Shape};

use super::svg::{self, TEXT};

const SIZE: [f32; 2] = [760.0, 470.0];
/// Pixels per unit of length above, and where the origin is.
const SCALE: f32 = 46.0;
const ORIGIN: [f32; 2] = [380.0, 150.0];
/// The corner of the diagram, its size, and the greatest distance in it.
const CORNER: [f32; 2] = [60.0, 430.0];
const DIAGRAM: [f32; 2] = [660.0, 150.0];
const DISTANCE_MAX: f32 = 2.0;
/// Number of distances that are computed for the line.
const SAMPLES: u16 = 120;
/// Half extents of the plank.
const PLANK: [f32; 3] = [3.0, 0.1, 0.5];
const BALL: f32 = 0.5;

pub(crate) fn draw() -> Result<String, Box<dyn Error>> {
    let plank = Shape::cuboid(PLANK)?;
    let turning = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 1.5])?;
    let ball = Shape::sphere(BALL)?;
    let thrown = Motion::new(Pose::at([2.6, 2.6, 0.0])?, [-2.0, -0.6, 0.0])?;
    let mut rounds = Vec::new();
    let toi = traced(&plank, &turning, &ball, &thrown, &Settings::default(), &mut rounds)?;
    let ToiResult::Impact { t: impact, .. } = toi.result else {
        return Err("the plank does not hit the ball".into());
    };

    let mut svg = svg::start(SIZE);
    for (t, opacity) in [(0.0, 0.2), (0.5 * impact, 0.4), (impact, 1.0)] {
        bodies(&mut svg, &turning.at(t), &thrown.at(t), opacity)?;
    }
    svg::text(&mut svg, [20.0, 24.0], TEXT, "the bodies at the start, halfway and at the impact")?;

    let at = |t: f32, distance: f32| {
        let [x, y] =
            [t * DIAGRAM[0], distance.clamp(0.0, DISTANCE_MAX) / DISTANCE_MAX * DIAGRAM[1]];
        [CORNER[0] + x, CORNER[1] - y]
    };
    let mut distances = Vec::new();
    for sample in 0..=SAMPLES {
        let t = f32::from(sample) / f32::from(SAMPLES);
        let distance = gjk::distance(&plank, &turning.at(t), &ball, &thrown.at(t))?.distance;
        if distance >= 0.0 {
            distances.push(at(t, distance));
        }
    }
    svg::line(&mut svg, at(0.0, 0.0), at(1.0, 0.0), "stroke=\"#456\"")?;
    svg::line(&mut svg, at(0.0, 0.0), at(0.0, DISTANCE_MAX), "stroke=\"#456\"")?;
    svg::polyline(&mut svg, &distances, "fill=\"none\" stroke=\"#4c8bb5\" stroke-width=\"2\"")?;
    let steps: Vec<_> = rounds.iter().filter(|round| round.gap >= 0.0).collect();
    for pair in steps.windows(2) {
        let [from, to] = [at(pair[0].t, pair[0].gap), at(pair[1].t, 0.0)];
        svg::line(&mut svg, from, to, "stroke=\"#d9480f\" stroke-dasharray=\"3 3\"")?;
    }
    for round in &steps {
        let [x, y] = at(round.t, round.gap);
        let [_, foot] = at(round.t, 0.0);
        svg::line(&mut svg, [x, foot], [x, y], "stroke=\"#d9480f\" stroke-opacity=\"0.4\"")?;
        svg += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"#d9480f\"/>\n");
    }
    svg::text(
        &mut svg,
        [CORNER[0] + 330.0, CORNER[1] - DIAGRAM[1] + 40.0],
        TEXT,
        "distance (blue), and the gap along the plane of each round",
    )?;
    let caption = format!("{} rounds; time of impact {impact:.4} of the tick", toi.rounds);
    svg::text(&mut svg, [CORNER[0], CORNER[1] + 22.0], TEXT, &caption)?;
    svg::text(&mut svg, [CORNER[0] + DIAGRAM[0] - 30.0, CORNER[1] + 22.0], TEXT, "t = 1")?;
    Ok(svg + "</svg>\n")
}

/// Draws both bodies at their poses.
fn bodies(svg: &mut String, plank: &Pose, ball: &Pose, opacity: f32) -> std::fmt::Result {
    let [_, _, sin, cos] = plank.rotation;
    // Twice the angle of the quaternion, about the third axis.
    let [cos, sin] = [cos * cos - sin * sin, 2.0 * sin * cos];
    let corner = |x: f32, y: f32| place([x * cos - y * sin, x * sin + y * cos]);
    let [x, y, _] = PLANK;
    let corners = [corner(-x, -y), corner(x, -y), corner(x, y), corner(-x, y), corner(-x, -y)];
    let style = format!(
        "fill=\"#4c8bb5\" fill-opacity=\"{:.2}\" stroke=\"#456\" stroke-opacity=\"{opacity}\"",
        0.4 * opacity
    );
    svg::polyline(svg, &corners, &style)?;
    let [x, y] = place([ball.position[0], ball.position[1]]);
    *svg += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" {style}/>\n", BALL * SCALE);
    Ok(())
}

/// The pixel of a point of the plane; the second axis points up.
fn place([x, y]: [f32; 2]) -> [f32; 2] {
    [ORIGIN[0] + x * SCALE, ORIGIN[1] - (y - 0.6) * SCALE]
}
