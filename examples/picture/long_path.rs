//! The strips to which a fast box is copied: those that its path crosses, and not all that the box around its path overlaps.

use std::error::Error;

use swath::{Aabb, MovingBox, batch::sweep};

use super::svg::{self, FRAME, OUTLINE, TEXT};

const CELL: f32 = 40.0;
const CELLS: [usize; 2] = [18, 6];
const CORNER: [f32; 2] = [20.0, 16.0];

pub(crate) fn draw() -> Result<String, Box<dyn Error>> {
    let [width, height] = CELLS.map(|cells| cells as f32 * CELL);
    let mut svg = svg::start([width + 40.0, height + 52.0]);
    let start = Aabb::new([34.0, 26.0, 0.0], [54.0, 46.0, 0.0])?;
    let moving = MovingBox::new(start, [660.0, 190.0, 0.0])?;
    let bounds = moving.bounds();
    let (mut crossed, mut overlapped) = (0, 0);
    for row in 0..CELLS[1] {
        for column in 0..CELLS[0] {
            let [x, y] = [CORNER[0] + column as f32 * CELL, CORNER[1] + row as f32 * CELL];
            let cell = Aabb::new([x, y, 0.0], [x + CELL, y + CELL, 0.0])?;
            let touches = sweep::one_to_one(&moving, &MovingBox::from(cell))?.first <= 1.0;
            overlapped += usize::from(cell.overlaps(&bounds));
            crossed += usize::from(touches);
            let fill =
                if touches { "fill=\"#d9480f\" fill-opacity=\"0.18\"" } else { "fill=\"none\"" };
            svg::rect(&mut svg, &cell, &format!("{fill} stroke=\"#ddd\""))?;
        }
    }
    svg::rect(&mut svg, &bounds, FRAME)?;
    svg::path(&mut svg, &moving)?;
    svg::rect(&mut svg, &start, OUTLINE)?;
    svg::rect(&mut svg, &moving.at(1.0), OUTLINE)?;
    let caption = format!(
        "a box on a long path is copied to the {crossed} strips that its path crosses, and not to the {overlapped} that its bounds overlap"
    );
    svg::text(&mut svg, [CORNER[0], height + 38.0], TEXT, &caption)?;
    Ok(svg + "</svg>\n")
}
