//! Elements of a drawing.

use std::fmt::{Result, Write};

use swath::{Aabb, MovingBox};

pub(crate) const BACKGROUND: &str = "#fbfbf8";
pub(crate) const OUTLINE: &str = "fill=\"none\" stroke=\"#456\"";
pub(crate) const FRAME: &str = "fill=\"none\" stroke=\"#bbb\" stroke-dasharray=\"2 4\"";
pub(crate) const HIT: &str = "fill=\"#d9480f\" fill-opacity=\"0.5\" stroke=\"#7a2500\"";
pub(crate) const PATH: &str = "fill=\"#4c8bb5\" fill-opacity=\"0.22\"";
pub(crate) const TEXT: &str = "fill=\"#333\"";

/// Returns the start of a drawing of this size, with its background.
pub(crate) fn start([width, height]: [f32; 2]) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{BACKGROUND}\"/>\n"
    )
}

/// Draws a box; the third axis is not drawn.
pub(crate) fn rect(svg: &mut String, aabb: &Aabb, style: &str) -> Result {
    let ([x, y, _], [width, height, _]) = (aabb.min, aabb.size());
    writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {style}/>"
    )
}

/// Draws a straight line.
pub(crate) fn line(
    svg: &mut String,
    [x0, y0]: [f32; 2],
    [x1, y1]: [f32; 2],
    style: &str,
) -> Result {
    writeln!(svg, "<line x1=\"{x0:.1}\" y1=\"{y0:.1}\" x2=\"{x1:.1}\" y2=\"{y1:.1}\" {style}/>")
}

/// Draws a line through points.
pub(crate) fn polyline(svg: &mut String, points: &[[f32; 2]], style: &str) -> Result {
    writeln!(svg, "<polyline points=\"{}\" {style}/>", joined(points))
}

/// Writes a text that begins at a point.
pub(crate) fn text(svg: &mut String, [x, y]: [f32; 2], style: &str, text: &str) -> Result {
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>")
}

/// Draws the band that a box sweeps: both boxes and the two outer lines that join their corners.
pub(crate) fn path(svg: &mut String, moving: &MovingBox) -> Result {
    let ends = [moving.aabb, moving.at(1.0)];
    // If both displacements have the same sign, the outer corners mix `min` and `max`.
    let rising = (moving.delta[0] < 0.0) == (moving.delta[1] < 0.0);
    let corners = |aabb: &Aabb| {
        let ([x0, y0, _], [x1, y1, _]) = (aabb.min, aabb.max);
        if rising { [[x0, y1], [x1, y0]] } else { [[x0, y0], [x1, y1]] }
    };
    let ([a, b], [c, d]) = (corners(&ends[0]), corners(&ends[1]));
    writeln!(svg, "<polygon points=\"{}\" {PATH}/>", joined(&[a, c, d, b]))
}

fn joined(points: &[[f32; 2]]) -> String {
    let points: Vec<_> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}
