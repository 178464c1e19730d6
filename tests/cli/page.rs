//! Reads a page that the example `viewer` wrote.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use swath::{Aabb, MovingBox, Pair};

use super::command::{example, run};

pub(crate) fn viewer(flags: &str) -> Command {
    example("viewer", flags)
}

/// The page that is written with these flags.
#[track_caller]
pub(crate) fn page(command: &mut Command, folder: &Path) -> String {
    let path = folder.join("page.html");
    let output = run(command.arg("--out").arg(&path));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
    assert!(output.stdout.is_empty());
    fs::read_to_string(&path).expect("a page is UTF-8")
}

pub(crate) fn recording(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"recording\">").expect("there is a recording");
    let (json, _) = rest.split_once("</script>").expect("it ends");
    json.parse().expect("it is JSON")
}

/// A column: words of four little-endian bytes.
pub(crate) fn words(column: &Value) -> Vec<u32> {
    bytes(column).as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

pub(crate) fn floats(column: &Value) -> Vec<f32> {
    words(column).into_iter().map(f32::from_bits).collect()
}

pub(crate) fn pairs(column: &Value) -> Vec<Pair> {
    words(column).as_chunks().0.iter().map(|&[a, b]| Pair { a, b }).collect()
}

pub(crate) fn boxes(tick: &Value) -> Vec<MovingBox> {
    let rows = floats(&tick["rows"]);
    let moving = |row: &[f32; 9]| {
        let [x, y, z, to_x, to_y, to_z, dx, dy, dz] = *row;
        let aabb = Aabb::new([x, y, z], [to_x, to_y, to_z]).expect("a box");
        MovingBox::new(aabb, [dx, dy, dz]).expect("a motion")
    };
    rows.as_chunks().0.iter().map(moving).collect()
}

/// Six times the volume inside the triangles, and the length of the sum of their area vectors, which is zero
/// for a closed surface.
pub(crate) fn enclosed(mesh: &Value) -> (f64, f64) {
    let numbers: Vec<_> = floats(&mesh["positions"]).into_iter().map(f64::from).collect();
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let (mut volume, mut sum) = (0.0, [0.0; 3]);
    for triangle in numbers.as_chunks::<9>().0 {
        let [a, b, c] = [0, 3, 6].map(|at| [0, 1, 2].map(|k| triangle[at + k]));
        let normal = cross([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
        volume += (0..3).map(|k| a[k] * normal[k]).sum::<f64>();
        sum = [0, 1, 2].map(|k| sum[k] + normal[k]);
    }
    (volume / 6.0, sum.iter().map(|x| x.abs()).sum())
}

/// A column of bytes.
pub(crate) fn bytes(column: &Value) -> Vec<u8> {
    STANDARD.decode(column.as_str().expect("a column")).expect("base64")
}
