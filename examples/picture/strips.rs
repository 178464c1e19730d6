//! The strips of the pair finder. Left: seen along them, as cells of two axes, with the copies of three boxes. Right: one
//! strip from the side, with its bins, and the boxes with which the first one is compared.

use std::error::Error;

use swath::Aabb;

use super::svg::{self, HIT, OUTLINE, PATH, TEXT};

const SIZE: [f32; 2] = [760.0, 300.0];
const GRID: &str = "stroke=\"#ccc\"";
const FIRST: &str = "fill=\"none\" stroke=\"#456\" stroke-width=\"2.5\"";
/// Corner and size of a cell, and their number on each axis.
const CORNER: [f32; 2] = [30.0, 40.0];
const CELL: f32 = 56.0;
const CELLS: usize = 4;
/// The strip on the right: its start, its width, and the length of a bin.
const STRIP: [f32; 2] = [335.0, 80.0];
const WIDTH: f32 = 112.0;
const BIN: f32 = 50.0;
const BINS: usize = 8;

pub(crate) fn draw() -> Result<String, Box<dyn Error>> {
    let mut svg = svg::start(SIZE);
    let side = CELL * CELLS as f32;
    for k in 0..=CELLS {
        let at = k as f32 * CELL;
        let [x, y] = CORNER;
        svg::line(&mut svg, [x + at, y], [x + at, y + side], GRID)?;
        svg::line(&mut svg, [x, y + at], [x + side, y + at], GRID)?;
    }
    svg::text(&mut svg, [30.0, 28.0], TEXT, "seen along the strips")?;
    for ([x, y], [width, height]) in [
        ([40.0, 50.0], [36.0, 34.0]),
        ([124.0, 78.0], [64.0, 70.0]),
        ([58.0, 180.0], [150.0, 26.0]),
    ] {
        let aabb = flat([x, y], [x + width, y + height])?;
        for (k, cell) in cells_of(&aabb)?.iter().enumerate() {
            if let Some(part) = aabb.intersection(cell) {
                // A gap between the copies.
                let ([x0, y0, _], [x1, y1, _]) = (part.min, part.max);
                let copy = flat([x0 + 1.5, y0 + 1.5], [x1 - 1.5, y1 - 1.5])?;
                svg::rect(&mut svg, &copy, if k == 0 { HIT } else { PATH })?;
            }
        }
        svg::rect(&mut svg, &aabb, OUTLINE)?;
    }
    let caption = "red: the strip where a box starts";
    svg::text(&mut svg, [30.0, CORNER[1] + side + 24.0], TEXT, caption)?;

    let [left, top] = STRIP;
    svg::text(
        &mut svg,
        [left, 28.0],
        TEXT,
        "one strip from the side: its bins, and the sweep of its first box",
    )?;
    for bin in 0..=BINS {
        let x = left + bin as f32 * BIN;
        svg::line(&mut svg, [x, top - 12.0], [x, top + WIDTH + 12.0], GRID)?;
        if bin < BINS {
            svg::text(&mut svg, [x + 20.0, top + WIDTH + 28.0], TEXT, &bin.to_string())?;
        }
    }
    // Starts and lengths along the strip, in lengths of a bin, and the place across it.
    let boxes = [
        (0.2, 2.3, 0.30, 0.25),
        (0.7, 0.9, 0.70, 0.20),
        (1.4, 1.2, 0.48, 0.30),
        (2.1, 1.0, 0.05, 0.20),
        (3.3, 1.6, 0.35, 0.25),
        (4.6, 2.0, 0.62, 0.25),
        (6.2, 1.2, 0.15, 0.30),
    ];
    let boxes = boxes.map(|(start, length, across, width)| {
        let (x, y) = (left + start * BIN, top + across * WIDTH);
        flat([x, y], [x + length * BIN, y + width * WIDTH])
    });
    let boxes = boxes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let first = boxes[0];
    let bin = |x: f32| ((x - left) / BIN) as usize;
    let (mut compared, mut overlap) = (0, 0);
    for (k, aabb) in boxes.iter().enumerate() {
        let in_range = k > 0 && bin(aabb.min[0]) <= bin(first.max[0]);
        let hit = in_range && aabb.overlaps(&first);
        compared += usize::from(in_range);
        overlap += usize::from(hit);
        let style = match (k, in_range, hit) {
            (0, ..) => FIRST,
            (_, _, true) => HIT,
            (_, true, _) => PATH,
            _ => OUTLINE,
        };
        svg::rect(&mut svg, aabb, style)?;
    }
    let end = left + (bin(first.max[0]) + 1) as f32 * BIN;
    svg::line(&mut svg, [end, top - 24.0], [end, top + WIDTH + 12.0], "stroke=\"#d9480f\"")?;
    let caption = format!("compared with {compared} boxes, up to its last bin; {overlap} overlaps");
    svg::text(&mut svg, [left, CORNER[1] + side + 24.0], TEXT, &caption)?;
    Ok(svg + "</svg>\n")
}

/// The cells that a box overlaps, the one in which it starts first.
fn cells_of(aabb: &Aabb) -> Result<Vec<Aabb>, Box<dyn Error>> {
    let mut cells = Vec::new();
    for row in 0..CELLS {
        for column in 0..CELLS {
            let [x, y] = [CORNER[0] + column as f32 * CELL, CORNER[1] + row as f32 * CELL];
            let cell = flat([x, y], [x + CELL, y + CELL])?;
            if cell.overlaps(aabb) {
                cells.push(cell);
            }
        }
    }
    Ok(cells)
}

fn flat(min: [f32; 2], max: [f32; 2]) -> Result<Aabb, swath::Invalid> {
    Aabb::new([min[0], min[1], 0.0], [max[0], max[1], 0.0])
}
