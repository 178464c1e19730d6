//! Tests of `mesh --times` and `mesh --queries`.

use std::fs;
use std::path::Path;

use crate::command::{fails, folder, run, without_reader};
use crate::mesh::{Format, expected, frames, made_up, mesh, object, write_json, write_ply};
use serde_json::{Value, json};
use swath::batch::{ElementSettings, edge_edge, vertex_face};
use testkit::draw::Draw;

/// Goal: the first times are those of all single pairs, and the earliest is named. Method: a random mesh; every pair by itself; with and without
/// a minimum separation, on one thread and two, with one batch and several.
#[test]
fn first_times_of_a_mesh_are_those_of_its_pairs() {
    let folder = folder("mesh_times");
    let [start, end] = frames(&folder);
    // Many more pairs within the greatest separation than pairs of touching boxes.
    let (at_start, at_end, faces) = made_up(&mut Draw::new(6), 60, 40);
    write_ply(&start, Format::Ascii, &at_start, &faces);
    write_ply(&end, Format::LittleDouble, &at_end, &faces);
    let edges = expected(&at_start, &at_end, &faces, 0.0).1;
    let mut sorted: Vec<[u32; 2]> = Vec::new();
    for &[a, b, c] in &faces {
        sorted.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.max(q), p.min(q)]));
    }
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), edges);
    let face = at_start.len() + edges;
    let at = |element: usize| -> Vec<usize> {
        let vertices = if element < at_start.len() {
            vec![element as u32]
        } else if element < face {
            let [larger, lesser] = sorted[element - at_start.len()];
            vec![lesser, larger]
        } else {
            faces[element - face].to_vec()
        };
        vertices.into_iter().map(|vertex| vertex as usize).collect()
    };
    for separation in [0.0, 0.25, 1.5] {
        let settings =
            ElementSettings { minimum_separation: separation, ..ElementSettings::default() };
        // Every pair is a candidate here, so a contact of two boxes that are apart is not lost.
        let ([vertex_face, edge_edge], _) = expected(&at_start, &at_end, &faces, f64::MAX);
        let firsts = |pairs: &[[usize; 2]]| -> Vec<f64> {
            let of = |&[a, b]: &[usize; 2]| {
                let rows: Vec<usize> = at(a).into_iter().chain(at(b)).collect();
                let [start, end] =
                    [&at_start, &at_end].map(|at| [0, 1, 2, 3].map(|k: usize| at[rows[k]]));
                let toi = if a < at_start.len() {
                    vertex_face::one_to_one(&start, &end, &settings)
                } else {
                    edge_edge::one_to_one(&start, &end, &settings)
                };
                toi.expect("valid").first()
            };
            pairs.iter().filter_map(of).collect()
        };
        let expected = [firsts(&vertex_face), firsts(&edge_edge)];
        assert!(expected[0].len() > 3 && expected[1].len() > 3);
        for (threads, batch) in [("1", "8388608"), ("2", "8388608"), ("1", "1"), ("2", "100")] {
            let mut command = mesh("--ticks 2 --times --threads");
            let command = command.args([threads, "--batch-pairs", batch]).args([&start, &end]);
            let found = object(command.args(["--minimum-separation", &separation.to_string()]));
            let times = &found["times"];
            let mut earliest = f64::MAX;
            for (name, firsts) in ["vertex_face", "edge_edge"].into_iter().zip(&expected) {
                assert_eq!(times[name]["hits"], firsts.len());
                assert_eq!(times[name]["unresolved"], 0);
                let first = firsts.iter().copied().fold(f64::MAX, f64::min);
                assert_eq!(times[name]["first"]["t"], first, "{name}");
                earliest = earliest.min(first);
            }
            assert_eq!(times["first"]["t"], earliest);
            let pair = times["first"]["pair"].as_array().expect("a pair");
            let [a, b] = [0, 1].map(|k: usize| pair[k].as_u64().expect("an element") as usize);
            assert_eq!(firsts(&[[a, b]]), [earliest]);
        }
    }
    let output = run(mesh("--ticks 1 --times").args([&start, &end]));
    let table = String::from_utf8(output.stdout).expect("a table is UTF-8");
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(table.contains("earliest of all: 0."), "{table}");
    assert!(table.lines().count() <= 24 && table.lines().all(|line| line.len() < 200), "{table}");
}

/// Goal: a mesh without contacts has no first time. Method: two triangles that are apart.
#[test]
fn a_mesh_without_contacts_has_no_first_time() {
    let folder = folder("mesh_apart");
    let [start, end] = frames(&folder);
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut vertices = triangle.to_vec();
    vertices.extend(triangle.map(|[x, y, _]| [x, y, 1.0]));
    for path in [&start, &end] {
        write_ply(path, Format::BigFloat, &vertices, &[[0, 1, 2], [3, 4, 5]]);
    }
    let found = object(mesh("--ticks 1 --times").args([&start, &end]));
    assert_eq!(found["times"]["first"], Value::Null);
    assert_eq!(found["times"]["vertex_face"]["hits"], 0);
    fails(
        mesh("--minimum-separation -1").args([&start, &end]),
        2,
        "the minimum separation is negative",
    );
    fails(mesh("--tolerance nan").args([&start, &end]), 2, "the tolerance is negative, NaN");
    fails(mesh("--tolerance 1e-3").args([&start, &end]), 2, "--tolerance needs --times");
    fails(mesh("--answers answers.json").args([&start, &end]), 2, "cannot be used with");
}

/// A vertex that falls from 3 to the given height, through a face at 0 if that is below 0.
fn falling(height: &str, answer: &str) -> String {
    let face =
        ["0,1,0,1,0,1", "8,2,0,1,0,1", "0,1,4e0,1,0,7"].map(|row| format!("{row}{answer}\n"));
    let [start, end] = ["3,1", height].map(|z| format!("1,1,0.1e1,1,{z}{answer}\n"));
    let face = face.concat();
    format!("{start}{face}{end}{face}")
}

fn queries(kind: &str, file: &Path) -> std::process::Command {
    let mut command = mesh("--queries");
    command.arg(kind).arg(file);
    command
}

/// Goal: queries are read in each notation and compared with their answers. Method: contacts and misses, with answers in the file,
/// in a list, and without; a wrong answer.
#[test]
fn queries_are_compared_with_their_answers() {
    let folder = folder("mesh_queries");
    let file = folder.join("vf.csv");
    let digits = "3".repeat(600);
    let all = [
        falling("-1,1", ",1"),
        falling("1,1", ",0"),
        // -1 and 1/3 as fractions of hundreds of digits.
        falling(&format!("-{digits},{digits}"), ",1"),
        falling(&format!("{digits},1{}", "0".repeat(600)), ",0"),
    ];
    fs::write(&file, all.concat().replace('\n', "\r\n")).expect("a file can be written");
    let output = run(&mut queries("vf", &file));
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = lines.lines().collect();
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(lines.len(), 6, "{lines:?}");
    let hit = lines[0].strip_prefix("hit ").and_then(|t| t.parse::<f64>().ok()).expect("a time");
    assert!(hit <= 0.75 && hit > 0.749_999);
    assert_eq!((lines[1], lines[3]), ("miss", "miss"));
    assert!(lines[2].starts_with("hit 0.74999"));
    assert_eq!(lines[4], "4 queries: 2 hits, 2 misses; 0 hits are unresolved");
    assert_eq!(lines[5], "4 exact answers: 0 false negatives, 0 false positives");

    let found = object(queries("vf", &file).args(["--minimum-separation", "0.5"]));
    assert_eq!([&found["queries"], &found["hits"], &found["misses"]], [4, 3, 1]);
    assert_eq!([&found["false_negatives"], &found["false_positives"]], [0, 1]);
    assert_eq!(found["results"].as_array().map(Vec::len), Some(4));
    assert_eq!(found["results"][1], "miss");

    let bare = folder.join("bare.csv");
    fs::write(&bare, falling("-1,1", "") + &falling("1,1", "")).expect("a file can be written");
    let found = object(&mut queries("vf", &bare));
    assert_eq!([&found["answers"], &found["hits"]], [0, 1]);
    // The same rows as two edges: from the vertex to the first corner of the face, and the edge opposite of it.
    let found = object(&mut queries("ee", &bare));
    assert_eq!([&found["queries"], &found["hits"]], [2, 0]);
    let answers = folder.join("answers.json");
    write_json(&answers, &json!([true, false]));
    let found = object(queries("vf", &bare).arg("--answers").arg(&answers));
    assert_eq!([&found["answers"], &found["false_negatives"]], [2, 0]);

    // A contact that is not found is reported, and the run fails.
    write_json(&answers, &json!([true, true]));
    let output = run(queries("vf", &bare).arg("--answers").arg(&answers));
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(lines.ends_with("2 exact answers: 1 false negatives, 0 false positives\n"), "{lines}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"mesh: the contact of a query was not found\n");
    let output = without_reader(queries("vf", &bare).arg("--answers").arg(&answers));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

/// Goal: every variant of the format has the same results. Method: the same queries with other separators, line ends, names of columns, comments,
/// empty lines, answers, and names of the kind; answers as numbers.
#[test]
fn queries_are_read_in_every_variant_of_the_format() {
    let folder = folder("mesh_variants");
    let file = folder.join("vf.csv");
    let plain = falling("-1,1", ",1") + &falling("1,1", ",0");
    fs::write(&file, &plain).expect("a file can be written");
    let expected = run(&mut queries("vf", &file)).stdout;
    assert!(expected.ends_with(b"2 exact answers: 0 false negatives, 0 false positives\n"));
    for text in [
        plain.replace('\n', "\r\n"),
        plain.trim_end().to_owned(),
        plain.replace('\n', "\n\n \t\n"),
        plain.replace('\n', ",\n"),
        plain.replace(',', " ,\t"),
        plain.replace(',', ";"),
        plain.replace(',', "  "),
        format!("\u{feff}{plain}"),
        format!("\u{feff}x_num,x_den,y_num,y_den,z_num,z_den,result\r\n{plain}"),
        format!("\n# made up\nx y z\n{plain}\n\n# the end"),
        plain.replace(",1\n", ",True\n").replace(",0\n", ",FALSE\n"),
        // Both signs change.
        plain.replace("3,1,", "-3,-1,").replace("-1,1,1\n", "1,-1,1\n"),
        plain.replace("3,1,", "\"3\",\"1\","),
    ] {
        fs::write(&file, &text).expect("a file can be written");
        for kind in ["vf", "vertex-face"] {
            let output = run(&mut queries(kind, &file));
            assert_eq!(output.stdout, expected, "{text:?}: {output:?}");
        }
    }
    fs::write(&file, falling("-1,1", "") + &falling("1,1", "")).expect("a file can be written");
    let answers = folder.join("answers.json");
    for list in [json!([true, false]), json!([1, 0])] {
        write_json(&answers, &list);
        let output = run(queries("vf", &file).arg("--answers").arg(&answers));
        assert_eq!(output.stdout, expected, "{list}");
    }
    fs::write(&file, "").expect("a file can be written");
    let found = object(&mut queries("edge-edge", &file));
    assert_eq!([&found["queries"], &found["hits"], &found["answers"]], [0, 0, 0]);
    // Names in a later line are an error, and numbers that are not finite are no names.
    fs::write(&file, format!("{plain}x,y,z,x,y,z\n")).expect("a file can be written");
    fails(&mut queries("vf", &file), 2, "line 17: \"x\" is not a number");
    fs::write(&file, "nan,inf,nan,inf,nan,inf\n").expect("a file can be written");
    fails(&mut queries("vf", &file), 2, "line 1: \"nan\" is not a number");
}

/// Goal: a fraction that is not a `f64` is no false negative. Method: edges that just touch at the end of the tick, at positions of thirds, tenths
/// and sevenths; the rounded positions may be apart.
#[test]
fn queries_that_are_rounded_are_still_contacts() {
    let folder = folder("mesh_rounded");
    let file = folder.join("vf.csv");
    let mut text = String::new();
    for denominator in [3, 7, 10, 49, 1_000_003] {
        for numerator in 1..20 {
            // The plane z = x, moved by a fraction; the vertex ends on it.
            let row = |x: i32, y: i32, z: i32| {
                let x = x * denominator + numerator;
                let z = z * denominator + 2 * numerator;
                format!("{x},{denominator},{y},3,{z},{denominator},1\n")
            };
            let face = [row(0, 0, 0), row(6, 0, 6), row(0, 9, 0)].concat();
            text += &[row(1, 1, 5), face.clone(), row(1, 1, 1), face].concat();
        }
    }
    fs::write(&file, text).expect("a file can be written");
    let found = object(&mut queries("vf", &file));
    assert_eq!([&found["queries"], &found["hits"]], [95, 95]);
}

/// Goal: a file that is not a list of queries is reported in one line. Method: one fault at a time; a file without an end in memory that is
/// bounded.
#[test]
fn invalid_queries_are_rejected() {
    let folder = folder("mesh_queries_refused");
    let file = folder.join("bad.csv");
    let good = falling("-1,1", "");
    let rows: Vec<&str> = good.lines().collect();
    let with = |row: usize, text: &str| {
        let mut rows = rows.clone();
        rows[row] = text;
        rows.join("\n")
    };
    for (text, why) in [
        (rows[..7].join("\n"), "the last query has 7 rows instead of 8"),
        (with(2, "1,1,1,1,1"), "line 3 has 5 columns instead of 6 or 7"),
        (with(2, "1,1,1,1,1,1,1,1"), "line 3 has 8 columns"),
        (with(3, "1,1,1,1,x,1"), "line 4: \"x\" is not a number"),
        (with(3, "1,1,1,1,,1"), "line 4: \"\" is not a number"),
        (with(3, "1,1,1,1,nan,1"), "line 4: \"nan\" is not a number"),
        (with(3, "1,1,1,1,1,0"), "line 4: the denominator is zero"),
        (with(3, "1,1,1,1,1e999999999,1"), "has an exponent of more than 4096"),
        (with(3, "1,1,1,1,1e4000,1"), "line 4: a fraction is larger than any f64"),
        (
            with(3, "1,1,1,1,1e40,1"),
            "the query that ends in line 8: vertex 3 of the pair is invalid",
        ),
        (with(3, "1,1,1,1,1,1,1"), "line 4: the rows of a query have different answers"),
        (with(0, "1,1,1,1,1,1,2"), "line 1: the answer is \"2\" instead of 0 or 1"),
        (with(1, &"1".repeat(70_000)), "line 2 is longer than 65536 bytes"),
        ("\0\u{1}\n".to_owned(), "line 1 has 1 columns"),
    ] {
        fs::write(&file, text).expect("a file can be written");
        fails(&mut queries("vf", &file), 2, why);
    }
    fs::write(&file, [0xff; 100]).expect("a file can be written");
    fails(&mut queries("vf", &file), 2, "bad.csv: line 1 is not text");
    fails(&mut queries("vf", &folder), 2, "mesh_queries_refused: ");
    fails(&mut queries("vf", &folder.join("none")), 2, "none: ");
    fails(&mut queries("xy", &file), 2, "\"xy\" is not a kind of queries");
    if cfg!(target_os = "linux") {
        fails(&mut queries("vf", Path::new("/dev/zero")), 2, "line 1 is longer than 65536 bytes");
    }
    fs::write(&file, &good).expect("a file can be written");
    let answers = folder.join("answers.json");
    for (list, why) in [
        (json!([true, false]), "bad.csv: 2 answers for 1 queries"),
        (json!([]), "bad.csv: 0 answers for 1 queries"),
        (json!([2]), "answers.json: answer 0 is 2 instead of true, false, 0 or 1"),
        (json!(["true"]), "answers.json: not a list of answers"),
        (json!([300]), "answers.json: not a list of answers"),
    ] {
        write_json(&answers, &list);
        fails(queries("vf", &file).arg("--answers").arg(&answers), 2, why);
    }
    fails(&mut mesh("--answers x.json"), 2, "");
    fails(&mut mesh("one.ply"), 2, "");
    fails(queries("vf", &file).arg("--times"), 2, "cannot be used with");
}
