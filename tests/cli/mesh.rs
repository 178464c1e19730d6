//! Tests of the command line of the example `mesh`.
//!
//! The meshes are random. What the example reads, numbers, finds and drops is computed once more here, in
//! `f64` and by comparing every pair.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{example, fails, folder, run};
use rand::RngExt;
use serde_json::{Value, json};
use testkit::draw::Draw;

pub(crate) fn mesh(flags: &str) -> Command {
    example("mesh", flags)
}

/// The JSON object of a successful run that printed nothing else.
#[track_caller]
pub(crate) fn object(command: &mut Command) -> Value {
    let output = run(command.arg("--json"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("JSON is UTF-8").parse().expect("an object")
}

pub(crate) type Vertices = Vec<[f64; 3]>;
pub(crate) type Faces = Vec<[u32; 3]>;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Ascii,
    LittleDouble,
    BigFloat,
}

/// Writes a PLY file; coordinates are exact in `f32`. It has a comment, and a property and an element that
/// the example does not read.
pub(crate) fn write_ply(path: &Path, format: Format, vertices: &[[f64; 3]], faces: &[[u32; 3]]) {
    let (name, number) = match format {
        Format::Ascii => ("ascii", "float"),
        Format::LittleDouble => ("binary_little_endian", "double"),
        Format::BigFloat => ("binary_big_endian", "float"),
    };
    let indices =
        if matches!(format, Format::BigFloat) { "vertex_index" } else { "vertex_indices" };
    let mut bytes = format!(
        "ply\nformat {name} 1.0\ncomment made up\nelement vertex {}\n\
         property {number} x\nproperty {number} y\nproperty uchar red\nproperty {number} z\n\
         element note 1\nproperty uchar what\n\
         element face {}\nproperty list uchar int {indices}\nend_header\n",
        vertices.len(),
        faces.len()
    )
    .into_bytes();
    let number = |number: f64| match format {
        Format::Ascii => format!("{number} ").into_bytes(),
        Format::LittleDouble => number.to_le_bytes().to_vec(),
        Format::BigFloat => (number as f32).to_be_bytes().to_vec(),
    };
    let byte = |byte: u8| match format {
        Format::Ascii => format!("{byte} ").into_bytes(),
        _ => vec![byte],
    };
    let index = |index: u32| match format {
        Format::Ascii => format!("{index} ").into_bytes(),
        Format::LittleDouble => index.to_le_bytes().to_vec(),
        Format::BigFloat => index.to_be_bytes().to_vec(),
    };
    let line: &[u8] = if matches!(format, Format::Ascii) { b"\n" } else { b"" };
    for &[x, y, z] in vertices {
        bytes.extend([number(x), number(y), byte(255), number(z)].concat());
        bytes.extend(line);
    }
    bytes.extend(byte(7));
    bytes.extend(line);
    for face in faces {
        bytes.extend(byte(3));
        bytes.extend(face.map(index).concat());
        bytes.extend(line);
    }
    fs::write(path, bytes).expect("a file can be written");
}

/// A mesh of triangles between random vertices, and the later positions of the vertices: sixteenths, so that
/// boxes sometimes touch exactly.
pub(crate) fn made_up(
    draw: &mut Draw,
    vertices: usize,
    faces: usize,
) -> (Vertices, Vertices, Faces) {
    let mut corner = |reach: i32| [(); 3].map(|()| f64::from(draw.whole(-reach, reach)) / 16.0);
    let start: Vertices = (0..vertices).map(|_| corner(48)).collect();
    let end = start.iter().map(|at| {
        let [x, y, z] = corner(8);
        [at[0] + x, at[1] + y, at[2] + z]
    });
    let end = end.collect();
    let face = |_| {
        let mut corners = BTreeSet::new();
        while corners.len() < 3 {
            corners.insert(draw.0.random_range(0..vertices as u32));
        }
        let corners: Vec<u32> = corners.into_iter().collect();
        // In either orientation.
        if draw.one_in(2) {
            [corners[0], corners[1], corners[2]]
        } else {
            [corners[1], corners[0], corners[2]]
        }
    };
    (start, end, (0..faces).map(face).collect())
}

/// The vertex-face and edge-edge pairs as numbers of elements, and the number of edges. The boxes of a pair are at most `separation` apart
/// on each axis.
pub(crate) fn expected(
    start: &Vertices,
    end: &Vertices,
    faces: &Faces,
    separation: f64,
) -> ([Vec<[usize; 2]>; 2], usize) {
    let mut edges = BTreeSet::new();
    for &[a, b, c] in faces {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            edges.insert((p.max(q), p.min(q)));
        }
    }
    let mut elements: Vec<Vec<u32>> = (0..start.len() as u32).map(|vertex| vec![vertex]).collect();
    elements.extend(edges.iter().map(|&(larger, lesser)| vec![lesser, larger]));
    elements.extend(faces.iter().map(|face| face.to_vec()));
    let (edge, face) = (start.len(), start.len() + edges.len());
    let ends = |element: usize, axis: usize| {
        let numbers = elements[element]
            .iter()
            .flat_map(|&vertex| [start[vertex as usize][axis], end[vertex as usize][axis]]);
        let numbers: Vec<f64> = numbers.collect();
        (
            numbers.iter().copied().fold(f64::MAX, f64::min),
            numbers.into_iter().fold(f64::MIN, f64::max),
        )
    };
    let meet = |a: usize, b: usize| {
        let apart = elements[a].iter().all(|vertex| !elements[b].contains(vertex));
        apart
            && (0..3).all(|axis| {
                let ((a_low, a_high), (b_low, b_high)) = (ends(a, axis), ends(b, axis));
                a_low <= b_high + separation && b_low <= a_high + separation
            })
    };
    let pairs = |first: std::ops::Range<usize>, second: std::ops::Range<usize>| {
        let all = first.flat_map(|a| second.clone().map(move |b| [a, b]));
        all.filter(|&[a, b]| a < b && meet(a, b)).collect()
    };
    ([pairs(0..edge, face..elements.len()), pairs(edge..face, edge..face)], edges.len())
}

pub(crate) fn write_json(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).expect("a file can be written");
}

pub(crate) fn frames(folder: &Path) -> [PathBuf; 2] {
    ["start.ply", "end.ply"].map(|name| folder.join(name))
}

/// Goal: every format is read, elements are numbered as documented, and the pairs are exactly those of
/// comparing every pair. Method: meshes of several sizes; the number of pairs is the expected one, and each
/// of them is an expected one; on one thread and two, with one batch and several.
#[test]
fn pairs_of_random_meshes_are_exact() {
    let folder = folder("mesh_made_up");
    let [start, end] = frames(&folder);
    let draw = &mut Draw::new(3);
    for (vertices, faces, format) in [
        (3, 1, Format::Ascii),
        (3, 0, Format::BigFloat),
        (40, 30, Format::Ascii),
        (90, 60, Format::LittleDouble),
        (60, 120, Format::BigFloat),
    ] {
        let (at_start, at_end, triangles) = made_up(draw, vertices, faces);
        write_ply(&start, format, &at_start, &triangles);
        write_ply(&end, format, &at_end, &triangles);
        let ([vertex_face, edge_edge], edges) = expected(&at_start, &at_end, &triangles, 0.0);
        assert!(faces < 2 || vertex_face.len() > 10 && edge_edge.len() > 10);
        let list = folder.join("all.json");
        let backwards = vertex_face.iter().map(|&[a, b]| [b, a]);
        write_json(&list, &json!(backwards.chain(edge_edge.iter().copied()).collect::<Vec<_>>()));
        for (threads, batch) in [("1", "1000000"), ("2", "1000000"), ("1", "1"), ("2", "40")] {
            let mut command = mesh("--ticks 2 --threads");
            let command = command.args([threads, "--batch-pairs", batch]).args([&start, &end]);
            let found = object(command.arg("--boxes-json").arg(&list));
            assert_eq!([&found["vertices"], &found["edges"]], [vertices, edges], "{format:?}");
            assert_eq!([&found["faces"], &found["ticks"]], [faces, 2], "{format:?}");
            assert_eq!(found["vertex_face"]["pairs"], vertex_face.len(), "{format:?}");
            assert_eq!(found["edge_edge"]["pairs"], edge_edge.len(), "{format:?}");
            let contained = json!([{
                "list": "all.json",
                "vertex_face": vertex_face.len(),
                "edge_edge": edge_edge.len(),
            }]);
            assert_eq!(found["contained"], contained);
            for (kind, pairs) in
                [("vertex_face", vertex_face.len()), ("edge_edge", edge_edge.len())]
            {
                let batches = found[kind]["batches"].as_u64().expect("a number");
                assert!(batches >= pairs.div_ceil(batch.parse().expect("a number")) as u64);
            }
        }
    }
}

/// Goal: a box contains coordinates that `f32` cannot represent. Method: a vertex above a face by half a step
/// of `f32`, and by one step, as `double`: the boxes share a face between the two, which they would miss if
/// rounded to the nearest; then the vertex is farther away and the boxes do not touch.
#[test]
fn boxes_are_rounded_outwards() {
    let folder = folder("mesh_rounding");
    let [start, end] = frames(&folder);
    let above = |ulps: f64| 1.0 + ulps * f64::from(f32::EPSILON);
    for (height, pairs) in [(above(0.75), 1), (above(1.25), 1), (above(2.0), 0)] {
        let face = [[0.0, 0.0, 0.5], [4.0, 0.0, 1.0], [0.0, 4.0, above(0.25)]];
        let mut vertices = face.to_vec();
        vertices.push([1.0, 1.0, height]);
        for path in [&start, &end] {
            write_ply(path, Format::LittleDouble, &vertices, &[[0, 1, 2]]);
        }
        let found = object(mesh("--ticks 1").args([&start, &end]));
        assert_eq!(found["vertex_face"]["pairs"], pairs, "{height}");
        assert_eq!(found["vertex_face"]["dropped"], 3);
    }
}

/// Goal: boxes are enlarged by the minimum separation, and not by more. Method: a vertex above a face, of which half a separation
/// is not an `f32`.
#[test]
fn boxes_are_enlarged_by_the_minimum_separation() {
    let folder = folder("mesh_enlarged");
    let [start, end] = frames(&folder);
    let vertices = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 1.0, 1.0]];
    for path in [&start, &end] {
        write_ply(path, Format::LittleDouble, &vertices, &[[0, 1, 2]]);
    }
    for (separation, pairs) in [("0", 0), ("0.99999", 0), ("1", 1), ("1.0000001", 1), ("9", 1)] {
        let mut command = mesh("--ticks 1 --times --minimum-separation");
        let found = object(command.arg(separation).args([&start, &end]));
        assert_eq!(found["vertex_face"]["pairs"], pairs, "{separation}");
        assert_eq!(found["times"]["vertex_face"]["hits"], pairs, "{separation}");
    }
    for (separation, why) in [
        ("-1", "the minimum separation is negative"),
        ("1e40", "the minimum separation is negative, NaN or beyond"),
    ] {
        fails(mesh("--minimum-separation").arg(separation).args([&start, &end]), 2, why);
    }
}

/// Goal: a table fits one screen. Method: a run with a list.
#[test]
fn table_fits_one_screen() {
    let folder = folder("mesh_table");
    let [start, end] = frames(&folder);
    let (at_start, at_end, triangles) = made_up(&mut Draw::new(4), 50, 50);
    write_ply(&start, Format::Ascii, &at_start, &triangles);
    write_ply(&end, Format::Ascii, &at_end, &triangles);
    let list = folder.join("none.json");
    write_json(&list, &json!([]));
    let output = run(mesh("--ticks 1").args([&start, &end]).arg("--boxes-json").arg(&list));
    let table = String::from_utf8(output.stdout).expect("a table is UTF-8");
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(table.contains("none.json: all 0 vertex-face and 0 edge-edge pairs were found"));
    assert!(table.lines().count() <= 24 && table.lines().all(|line| line.len() < 200), "{table}");
}

/// Goal: an invalid mesh, or a different one, is reported in one line with the file. Method: a valid file cut
/// at every byte and damaged in each part.
#[test]
fn invalid_meshes_are_rejected() {
    let folder = folder("mesh_refused");
    let [start, end] = frames(&folder);
    let (vertices, _, faces) = made_up(&mut Draw::new(5), 5, 4);
    let check = || {
        let mut command = mesh("--ticks 1");
        command.args([&start, &end]);
        command
    };
    fails(&mut check(), 2, "start.ply");
    write_ply(&end, Format::Ascii, &vertices, &faces);
    for format in [Format::Ascii, Format::LittleDouble] {
        write_ply(&start, format, &vertices, &faces);
        let good = fs::read(&start).expect("it was written");
        object(&mut check());
        let header = good.windows(11).position(|word| word == b"end_header\n").expect("a header");
        // In ASCII the last blank and line end are not needed.
        let row = "start.ply: row 3 of element \"face\", at byte ";
        for (length, why) in [
            (0, "start.ply: not a PLY file: its first line is not \"ply\""),
            (1, "start.ply: not a PLY file"),
            (4, "start.ply: the PLY header has no line \"end_header\": the file is cut off"),
            (header, "start.ply: the PLY header has no line \"end_header\""),
            (header + 11, "but only 0 bytes are left: the file is cut off or the count is wrong"),
            (header + 12, "start.ply: the PLY header counts 5 rows of element \"vertex\""),
            (good.len() - 3, row),
        ] {
            fs::write(&start, &good[..length]).expect("a file can be written");
            fails(&mut check(), 2, why);
        }
        for length in (5..good.len() - 2).step_by(23) {
            fs::write(&start, &good[..length]).expect("a file can be written");
            fails(&mut check(), 2, "start.ply: ");
        }
    }
    let text = |vertex: &str, faces: &str, count: usize| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty {vertex}\nproperty float y\n\
             property float z\nelement face {count}\nproperty list uchar int vertex_indices\n\
             end_header\n0 0 0\n1 0 0\n0 1 0\n{faces}\n"
        )
    };
    for (bytes, why) in [
        (text("float x", "4 0 1 2 0", 1), "face 0 is not a triangle: it has 4 vertices"),
        (text("float x", "3 0 1 2\n2 0 1", 2), "face 1 is not a triangle: it has 2 vertices"),
        (text("float x", "3 0 1 3", 1), "face 0 refers to vertex 3 of 3"),
        (text("float x", "3 0 -1 2", 1), "face 0 refers to vertex -1 of 3"),
        (
            text("float x", "3 0 1", 1),
            "row 0 of element \"face\", at byte 172: ends where a number of type int was expected",
        ),
        (
            text("float x", "3 0 1 x", 1),
            "row 0 of element \"face\", at byte 172: \"x\" is not a number of type int",
        ),
        (
            text("float x", "3 0 1 2 0", 1),
            "row 0 of element \"face\", at byte 172: has more numbers than properties",
        ),
        (text("float x", "-3 0 1 2", 1), "row 0 of element \"face\", at byte 172: \"-3\" is no"),
        (
            text("float x", "3 0 1 2", 4_000_000_000),
            "the PLY header counts 4000000000 rows of element \"face\", which take 2 bytes or more \
             each, but only 9 bytes are left",
        ),
        (
            text("int x", "3 0 1 2", 1),
            "property \"x\" of element \"vertex\" is of type int, float or double was expected",
        ),
        (
            text("list uchar float x", "3 0 1 2", 1),
            "property \"x\" of element \"vertex\" is of type list of float, float or double was",
        ),
        (text("float w", "3 0 1 2", 1), "vertex 0 lacks one of x, y and z"),
        ("ply\nformat ascii 1.0\nend_header\n".to_owned(), "has no vertices"),
        ("solid cube\n".to_owned(), "not a PLY file"),
    ] {
        fs::write(&start, bytes).expect("a file can be written");
        fails(&mut check(), 2, &format!("start.ply: {why}"));
    }
    fails(mesh("").args([&folder, &end]), 2, "mesh_refused");

    write_ply(&start, Format::Ascii, &vertices[..4], &[[0, 1, 2]]);
    fails(&mut check(), 2, "the frames have 4 and 5 vertices");
    write_ply(&start, Format::Ascii, &vertices, &faces[..3]);
    fails(&mut check(), 2, "the frames have 3 and 4 faces");
    let mut other = faces.clone();
    other[2].rotate_left(1);
    write_ply(&start, Format::Ascii, &vertices, &other);
    fails(&mut check(), 2, "face 2 has other vertices in the second frame");
    for (number, why) in [
        (f64::NAN, "vertex 4: a number on axis y is NaN or infinite"),
        (f64::NEG_INFINITY, "vertex 4: a number on axis y is NaN or infinite"),
        (1e40, "vertex 4: a number on axis y is beyond"),
    ] {
        let mut bad = vertices.clone();
        bad[4][1] = number;
        write_ply(&start, Format::LittleDouble, &bad, &faces);
        fails(&mut check(), 2, why);
    }
}

/// Goal: a header of a few bytes can neither block the example nor take much memory. Method: counts of rows
/// and of lists that are far too large, for elements with properties and without, in every format; invalid
/// headers.
#[test]
fn header_with_a_wrong_count_is_rejected() {
    let folder = folder("mesh_lies");
    let [start, end] = frames(&folder);
    let check = || {
        let mut command = mesh("--ticks 1");
        command.args([&start, &end]);
        command
    };
    let refused = |bytes: &[u8], why: &str| {
        fs::write(&start, bytes).expect("a file can be written");
        fails(&mut check(), 2, &format!("start.ply: {why}"));
    };
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for count in ["4000000000", "18446744073709551615"] {
            for properties in ["", "property char q\n", "property list uint float q\n"] {
                for element in ["note", "vertex", "face"] {
                    let text = format!(
                        "ply\nformat {format} 1.0\nelement {element} {count}\n{properties}end_header\n0 0\n"
                    );
                    let why = format!("the PLY header counts {count} rows of element {element:?}");
                    refused(text.as_bytes(), &why);
                }
            }
        }
    }
    let list = "ply\nformat binary_little_endian 1.0\nelement face 1\n\
                property list uint int vertex_indices\nend_header\n";
    refused(
        &[list.as_bytes(), &[255; 4], &[0; 8]].concat(),
        "row 0 of element \"face\", at byte 100: ends where a number of type int was expected",
    );
    for (header, why) in [
        ("format ascii 2.0", "line 2 of the PLY header: format KIND 1.0 was expected"),
        ("format utf8 1.0", "line 2 of the PLY header: ascii, binary_little_endian or binary_big"),
        ("element vertex -1", "line 2 of the PLY header: element NAME COUNT, a whole number"),
        ("element vertex 18446744073709551616", "line 2 of the PLY header: element NAME COUNT"),
        ("property float x", "line 2 of the PLY header: an element before its properties"),
        ("element v 1\nproperty half x", "line 3 of the PLY header: a type (char, uchar, short"),
        ("element v 1\nproperty list float int x", "line 3 of the PLY header: a whole type"),
        ("element v 1\nproperty x", "line 3 of the PLY header: property TYPE NAME, or property"),
        (
            "element vertex 1\nproperty float x\nelement face 1\nelement vertex 2",
            "line 5 of the PLY header: an element of another name than those before it",
        ),
        ("end_header", "line 2 of the PLY header: a line \"format ...\" before it"),
        ("\u{1b}[31m", "line 2 of the PLY header: format, comment, obj_info, element, property"),
    ] {
        refused(format!("ply\n{header}\n").as_bytes(), why);
    }
    // Each name is compared with hundreds of thousands of others.
    let elements: String = (0..200_000).map(|k| format!("element e{k} 0\n")).collect();
    refused(format!("ply\nformat ascii 1.0\n{elements}").as_bytes(), "the PLY header has no line");
    // A device that never ends, and a folder.
    for path in ["/dev/zero", "/"] {
        if cfg!(unix) {
            fails(mesh("").args([path, "b.ply"]), 2, &format!("{path}: not a regular file"));
        }
    }
}

/// Goal: an invalid list, or one with a pair that was not found, ends the run. Method: one of each.
#[test]
fn lists_are_looked_up() {
    let folder = folder("mesh_lists");
    let [start, end] = frames(&folder);
    // Two triangles far from each other: vertices 0 to 5, edges 6 to 11, faces 12 and 13.
    let far = |at: f64| [[at, 0.0, 0.0], [at + 1.0, 0.0, 0.0], [at, 1.0, 0.0]];
    let vertices = [far(0.0), far(9.0)].concat();
    for path in [&start, &end] {
        write_ply(path, Format::Ascii, &vertices, &[[0, 1, 2], [3, 4, 5]]);
    }
    let list = folder.join("list.json");
    for (value, why) in [
        (json!([[0, 13]]), "list.json: pair (0, 13) was not found"),
        (json!([[13, 0]]), "list.json: pair (13, 0) was not found"),
        (json!([[0, 12]]), "list.json: pair (0, 12) was not found"),
        (json!([[6, 9]]), "list.json: pair (6, 9) was not found"),
        (json!([[0, 1]]), "(0, 1) is neither a vertex and a face nor two edges"),
        (json!([[6, 6]]), "(6, 6) is neither"),
        (json!([[6, 12]]), "(6, 12) is neither"),
        (json!([[0, 14]]), "(0, 14) is neither"),
        (json!([[0, 1, 2]]), "list.json: not a list of pairs"),
        (json!({ "vf": [] }), "list.json: not a list of pairs"),
        (json!([[-1, 2]]), "list.json: not a list of pairs"),
    ] {
        write_json(&list, &value);
        let mut command = mesh("--ticks 1");
        let code = if why.contains("was not found") { 1 } else { 2 };
        fails(command.args([&start, &end]).arg("--boxes-json").arg(&list), code, why);
    }
    fs::remove_file(&list).expect("it was written");
    let mut command = mesh("--ticks 1");
    fails(command.args([&start, &end]).arg("--boxes-json").arg(&list), 2, "list.json");
}

/// Goal: an invalid flag ends with exit code 2, and help does not. Method: each flag with an invalid value.
#[test]
fn invalid_flags_are_rejected() {
    for (flags, why) in [
        ("", "required arguments were not provided: <START> <END>"),
        ("a.ply", "<END>"),
        ("a b c", "unexpected argument 'c'"),
        ("a b --ticks 0", "invalid value '0' for '--ticks <K>'"),
        ("a b --ticks -1", "invalid value '-1' for '--ticks <K>'"),
        ("a b --threads -1", "invalid value '-1' for '--threads <T>'"),
        ("a b --level mmx", "--level"),
    ] {
        fails(&mut mesh(flags), 2, why);
    }
    let help = run(&mut mesh("--help"));
    assert!(help.status.success() && help.stderr.is_empty());
}
