//! The objects and their approaches as SVG.

use std::fmt::Write;

use conjunctions::catalogue::EARTH_KM;
use conjunctions::orbit::{Elements, Orbit};
use conjunctions::screen::Conjunction;

/// Side of a panel in pixels.
const SIDE: f64 = 420.0;
/// Objects and approaches that are drawn at most in each panel; of more, every second one or fewer are drawn.
const DRAWN_MAX: usize = 6000;

/// Draws two views onto the equatorial plane: low orbits, and all of them.
pub(crate) fn draw(objects: &[Elements], conjunctions: &[Conjunction]) -> String {
    let positions: Vec<_> = objects.iter().map(|object| Orbit::new(object).position()).collect();
    let approaches: Vec<_> = conjunctions
        .iter()
        .map(|c| Orbit::new(&objects[c.a as usize]).after(c.seconds).position())
        .collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" \
         font-size=\"13\" fill=\"#dde\">\n<rect width=\"100%\" height=\"100%\" fill=\"#0b1020\"/>\n",
        2.0 * SIDE + 20.0,
        SIDE + 34.0
    );
    for (panel, (reach, name)) in [
        (8600.0, "low orbits from above the North Pole"),
        (46_000.0, "all orbits; red: approaches"),
    ]
    .iter()
    .enumerate()
    {
        let left = panel as f64 * (SIDE + 20.0);
        let scale = SIDE / 2.0 / reach;
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"#1d3a5f\"/>",
            left + SIDE / 2.0,
            SIDE / 2.0,
            EARTH_KM * scale
        );
        for (points, colour, width) in [(&positions, "#9fb4d0", 1.0), (&approaches, "#ff5a3c", 1.6)]
        {
            let _ = writeln!(
                svg,
                "<path d=\"{}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\" \
                 stroke-opacity=\"0.8\"/>",
                dots(points, *reach, left, scale)
            );
        }
        let _ =
            writeln!(svg, "<text x=\"{:.0}\" y=\"{:.0}\">{name}</text>", left + 8.0, SIDE + 20.0);
    }
    svg + "</svg>\n"
}

/// A path of one dot for each point that is seen within the panel and not behind the Earth.
fn dots(points: &[[f64; 3]], reach: f64, left: f64, scale: f64) -> String {
    let seen = |p: &&[f64; 3]| {
        let radius = p[0].hypot(p[1]);
        p[0].abs() < reach && p[1].abs() < reach && (p[2] > 0.0 || radius > EARTH_KM)
    };
    let seen: Vec<_> = points.iter().filter(seen).collect();
    let mut path = String::new();
    for p in seen.iter().step_by(seen.len().div_ceil(DRAWN_MAX).max(1)) {
        let _ = write!(
            path,
            "M{:.1} {:.1}h0",
            left + SIDE / 2.0 + p[0] * scale,
            SIDE / 2.0 - p[1] * scale
        );
    }
    path
}
