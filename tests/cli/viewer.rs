//! Tests of the example `viewer`: its command line, the pages that it writes, and its responses.
//!
//! Requests are sent over plain TCP.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::command::{fails, folder, run};
use crate::page::{boxes, bytes, enclosed, floats, page, pairs, recording, viewer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use swath::{Aabb, Pair};

/// Goal: a page contains the ticks unchanged, and loads nothing else. Method: scenes; the boxes are read
/// back, and the pairs and first times compared with `spec`.
#[test]
fn page_contains_the_ticks() {
    let folder = folder("viewer_page");
    for (scene, ticks) in [("uniform", 3), ("static", 2), ("bullets", 2)] {
        let flags = format!("--scene {scene} --boxes 90 --ticks {ticks} --seed 5");
        let page = page(&mut viewer(&flags), &folder);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(page.contains("default-src 'none'") && page.contains("webgl2"));
        for foreign in ["http:", "https:", " src=", "@import", "url(", "import("] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        let recording = recording(&page);
        assert_eq!(recording["name"], format!("scene {scene}, seed 5"));
        let recorded = recording["ticks"].as_array().expect("ticks");
        assert_eq!(recorded.len(), ticks);
        let goes_on = |two: &[Value]| scene == "static" || two[0]["rows"] != two[1]["rows"];
        assert!(recorded.windows(2).all(goes_on));
        for tick in recorded {
            let rows = boxes(tick);
            assert_eq!((rows.len(), &tick["boxes"]), (90, &json!(90)));
            let moves = bytes(&tick["moves"]);
            let moves: Vec<_> = moves.into_iter().map(|moves| moves == 1).collect();
            assert_eq!(moves.iter().any(|moves| !moves), scene == "static");
            assert_eq!(pairs(&tick["union"]), spec::union_pairs(&rows, Some(&moves)));
            // An additional pair is a near tie.
            let (swept, first) = (pairs(&tick["swept"]), floats(&tick["first"]));
            assert_eq!(swept.len(), first.len());
            let wanted = spec::swept_pairs(&rows, Some(&moves));
            assert!(
                wanted.iter().all(|pair| swept.contains(pair)) && swept.len() < wanted.len() + 3
            );
            for (pair, first) in swept.iter().zip(first) {
                let [a, b] = [pair.a, pair.b].map(|row| &rows[row as usize]);
                let sweep = spec::sweep(a, b).expect("boxes");
                let near = (f64::from(first) - sweep.first).abs() < 1e-5;
                assert!(near || sweep.first.is_infinite(), "{pair:?}: {first}");
            }
        }
    }
}

/// Writes a recorded tick of one box at rest and one that flies towards it.
fn write_trace(path: &Path, tick: u32) {
    let mut bytes = b"SWTRACE1".to_vec();
    let columns = [[0.0, 4.0], [0.0, 0.0], [0.0, 0.0], [1.0, 5.0], [1.0, 1.0], [1.0, 1.0]];
    let deltas = [[0.0, -4.0], [0.0; 2], [0.0; 2]];
    for word in [1, tick, 2, 0.5_f32.to_bits(), 0, 0] {
        bytes.extend(u32::to_le_bytes(word));
    }
    for number in columns.iter().chain(&deltas).flatten() {
        bytes.extend(f32::to_le_bytes(*number));
    }
    bytes.extend([0, 0, 0, 0, 1, 0, 0, 0, /* fixed, a bullet */ 0, 4]);
    fs::write(path, bytes).expect("a file can be written");
}

/// Goal: recorded ticks are in the order of their files, and a name cannot end the script. Method: two files,
/// one with a hostile name.
#[test]
#[cfg_attr(windows, ignore = "a file name on Windows cannot contain such characters")]
fn recorded_files_are_shown() {
    let folder = folder("viewer_traces");
    let files = ["b&lt.swt", "a<script>.swt"].map(|name| folder.join(name));
    write_trace(&files[0], 8);
    write_trace(&files[1], 3);
    let page = page(viewer("--trace").args(&files), &folder);
    assert!(!page.contains("a<script>"));
    let recording = recording(&page);
    assert_eq!(recording["ticks"][0]["name"], "b&lt, tick 8");
    assert_eq!(recording["ticks"][1]["name"], "a<script>, tick 3");
    let tick = &recording["ticks"][1];
    assert_eq!(pairs(&tick["swept"]), [Pair { a: 0, b: 1 }]);
    assert_eq!(tick["moves"], STANDARD.encode([0, 1]));
    assert!((floats(&tick["first"])[0] - 0.75).abs() < 1e-6);
}

/// Goal: the ticks of the engine are shown, with CCD and without. Method: a few bullets in each tick, all of
/// which leave the room without CCD; the wall sleeps until the first bullet hits it, and there are no pairs
/// before.
#[test]
fn ticks_of_the_engine_are_shown() {
    let folder = folder("viewer_engine");
    let (room, wall) = (6, 120);
    for flags in ["--engine --boxes 40 --ticks 12", "--engine --no-ccd --boxes 40 --ticks 12"] {
        let recording = recording(&page(&mut viewer(flags), &folder));
        let how = if flags.contains("no-ccd") { "without" } else { "with" };
        assert_eq!(recording["name"], format!("engine, 40 bullets, {how} CCD, seed 1"));
        let ticks = recording["ticks"].as_array().expect("ticks");
        assert_eq!(ticks.len(), 12);
        let moving = |tick: &Value| {
            let moves = bytes(&tick["moves"]);
            moves.iter().filter(|&&moves| moves == 1).count()
        };
        assert_eq!((boxes(&ticks[0]).len(), moving(&ticks[0])), (room + wall + 1, 1));
        // One bullet per tick; the wall is awake.
        let last = &ticks[11];
        let kept = boxes(last).len() - room;
        assert_eq!(kept == wall + 12, how == "with", "{flags}: {kept}");
        assert!(moving(last) > wall / 2);
        // A body that left the room is not in the picture.
        let out = boxes(last).iter().any(|of| of.aabb.center()[0] > 3.01);
        assert!(!out, "{flags}");
        let fast = boxes(last).iter().filter(|of| of.delta[0] > 5.0).count();
        assert!(fast > 0 && fast <= 12, "{flags}: {fast}");
    }
}

/// Goal: no brick sleeps in the air or inside another one. Method: the last tick of a run in which all bodies
/// came to rest; each brick has a support within the contact distance of the engine, and no two bricks
/// overlap by more than rounding.
#[test]
fn sleeping_bricks_have_a_support() {
    let folder = folder("viewer_asleep");
    for seed in 1..3 {
        let flags = format!("--engine --boxes 60 --ticks 360 --seed {seed}");
        let recording = recording(&page(&mut viewer(&flags), &folder));
        let tick = recording["ticks"].as_array().expect("ticks").last().expect("there are some");
        let moves = bytes(&tick["moves"]);
        let boxes: Vec<_> = boxes(tick).iter().map(|of| of.aabb).collect();
        let (near, trifle) = (0.0045, 1e-5);
        let shared = |a: &Aabb, b: &Aabb, axis: usize| {
            a.max[axis].min(b.max[axis]) - a.min[axis].max(b.min[axis])
        };
        let is_brick = |of: &Aabb| (of.size()[1] - 0.2).abs() < 1e-3;
        let mut bricks = 0;
        for (k, brick) in boxes.iter().enumerate().filter(|(_, of)| is_brick(of)) {
            let others = || boxes.iter().enumerate().filter(|&(other, _)| other != k);
            let carries = |of: &Aabb| {
                let gap = brick.min[1] - of.max[1];
                gap.abs() < near && shared(brick, of, 0) > -near && shared(brick, of, 2) > -near
            };
            if moves[k] == 0 {
                bricks += 1;
                assert!(others().any(|(_, of)| carries(of)), "{flags}: {k} at {brick:?}");
            }
            for (other, of) in others().filter(|(_, of)| is_brick(of)) {
                let depth = (0..3).map(|axis| shared(brick, of, axis)).fold(1.0, f32::min);
                assert!(depth < trifle, "{flags}: {k} is {depth} in {other}");
            }
        }
        assert!(bricks > 100, "{flags}: {bricks} of the bricks sleep");
    }
}

/// Goal: an error is reported in one line, with the right exit code. Method: one of each.
#[test]
fn invalid_arguments_and_files_are_rejected() {
    let folder = folder("viewer_refused");
    for flags in [
        "--scene uniform --boxes -1",
        "--scene uniform --boxes 1000000",
        "--boxes 20",
        "--ticks 0",
        "--scene heap",
        "--port 70000",
        "--trace",
        "--trace a.swt --boxes 3",
        "--out a.html --port 80",
        "--engine --scene pile",
        "--engine --trace a.swt",
        "--replay",
        "--replay a.bin --trace a.swt",
        "--replay a.bin --boxes 3",
        "--replay a.bin --engine",
        "--no-ccd",
        "--no-ccd --scene pile",
        "--no-ccd --trace a.swt",
        "--no-ccd --replay a.bin",
        "file",
    ] {
        let output = run(&mut viewer(flags));
        assert_eq!(output.status.code(), Some(2), "{flags}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.stdout.is_empty() && said.lines().count() == 1, "{flags}: {said}");
    }
    let help = run(&mut viewer("--help"));
    assert!(help.status.success() && help.stderr.is_empty());

    let trace = folder.join("none.swt");
    fails(viewer("--trace").arg(&trace), 2, "none.swt");
    fs::write(&trace, b"SWTRACE1").expect("a file can be written");
    fails(viewer("--trace").arg(&trace), 2, "truncated");
    let out = folder.join("no_such_folder").join("page.html");
    fails(viewer("--scene uniform --boxes 3 --ticks 1 --out").arg(&out), 2, "no_such_folder");
    fails(
        viewer("--scene uniform --boxes 100000 --ticks 10000 --out").arg(&out),
        2,
        "use fewer boxes or ticks",
    );
    let (_server, address) = serve();
    let port = address.rsplit(':').next().expect("an address has a port").to_owned();
    fails(
        viewer("--scene uniform --boxes 1 --ticks 1 --port").arg(port),
        2,
        "cannot listen on 127.0.0.1:",
    );
}

/// A running viewer; it ends with the test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a viewer on a free port, and reads its address.
pub(crate) fn serve() -> (Running, String) {
    let mut command = viewer("--port 0 --scene bullets --boxes 20 --ticks 2");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the example starts");
    let output = child.stdout.take().expect("it is piped");
    let running = Running(child);
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).expect("the address is text");
    let address = line.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    let address = address.expect("the address is printed").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    (running, address)
}

/// Sends bytes and returns the status and the body of the response.
#[track_caller]
pub(crate) fn send(address: &str, bytes: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time is set");
    // The server may respond and close the connection before everything is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).expect("answers are UTF-8");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    (status.unwrap_or(0), body.to_owned())
}

#[track_caller]
pub(crate) fn request(address: &str, line: &str, body: &str) -> (u16, String) {
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    send(address, format!("{head}{body}").as_bytes())
}

/// The response to a valid request.
#[track_caller]
pub(crate) fn asked(address: &str, path: &str, question: &Value) -> Value {
    let (status, body) = request(address, &format!("POST {path}"), &question.to_string());
    assert_eq!(status, 200, "{question}: {body}");
    body.parse().expect("an answer is JSON")
}

pub(crate) fn ball(radius: f32, position: [f32; 3], delta: [f32; 3]) -> Value {
    json!({
        "shape": { "form": { "kind": "sphere", "radius": radius } },
        "motion": { "position": position, "rotation": [0, 0, 0, 1], "delta": delta },
    })
}

/// Goal: the response for a pair contains the result of the library, its steps and the path. Method: balls,
/// whose distance has a closed form; then a pair that overlaps and one that does not touch.
#[test]
fn response_for_a_pair_is_correct() {
    let (_server, address) = serve();
    let thrown = ball(1.0, [-6.0, 0.0, 0.0], [8.0, 0.0, 0.0]);
    let still = ball(0.5, [0.0; 3], [0.0; 3]);
    let answer = asked(&address, "/pair", &json!({ "a": thrown, "b": still }));
    let t = answer["toi"]["t"].as_f64().expect("an impact");
    assert_eq!(answer["toi"]["kind"], "impact");
    assert!(t <= 4.5 / 8.0 && t > 4.5 / 8.0 - 1e-4, "{t}");
    assert!((answer["toi"]["closing"].as_f64().expect("a speed") - 8.0).abs() < 1e-5);
    assert_eq!(answer["toi"]["normal"], json!([1.0, 0.0, 0.0]));
    let x = answer["poses"][0]["position"][0].as_f64().expect("a pose");
    assert!((x - (8.0 * t - 6.0)).abs() < 1e-5);

    let steps = answer["steps"].as_array().expect("steps");
    assert_eq!(steps.len() as u64, answer["rounds"].as_u64().expect("rounds"));
    for step in steps {
        let (at, gap) = (step["t"].as_f64().expect("t"), step["gap"].as_f64().expect("a gap"));
        assert!(at <= t && gap <= 4.5 - 8.0 * at + 1e-5, "{step}");
    }
    let path = answer["path"].as_array().expect("a path");
    for (k, sample) in path.iter().enumerate() {
        let at = sample["t"].as_f64().expect("t");
        assert!((at - k as f64 / (path.len() - 1) as f64).abs() < 1e-6);
        let apart = (8.0 * at - 6.0).abs() - 1.5;
        let distance = sample["distance"].as_f64().expect("a distance");
        assert!((distance - apart).abs() < 1e-5, "{sample}");
    }
    assert_eq!(answer["bounds"][0], json!([[-7.0, -1.0, -1.0], [3.0, 1.0, 1.0]]));

    let inside = json!({ "a": still, "b": ball(0.5, [0.25, 0.0, 0.0], [0.0; 3]) });
    let answer = asked(&address, "/pair", &inside);
    assert_eq!(answer["toi"]["kind"], "overlapping");
    assert!((answer["toi"]["depth"].as_f64().expect("a depth") - 0.75).abs() < 1e-5);
    let settings = json!({ "window": [0.0, 0.5], "target_distance": 0.25, "touch": "hit" });
    let apart = json!({ "a": thrown, "b": still, "settings": settings });
    assert_eq!(asked(&address, "/pair", &apart)["toi"]["kind"], "separated");
}

/// Goal: every kind of shape has a closed surface of the right size, facing outwards. Method: the volume
/// inside it, compared with the closed form; the mesh is a little smaller.
#[test]
fn every_shape_is_drawn() {
    use std::f64::consts::PI;
    let (_server, address) = serve();
    let ball = |radius: f64| 4.0 / 3.0 * PI * radius.powi(3);
    let hull = json!({ "kind": "hull", "points": 64, "seed": 3, "half": [1.0, 1.0, 1.0] });
    let cuboid = json!({ "kind": "cuboid", "half": [1.0, 0.5, 0.25] });
    let rod = json!({ "kind": "cylinder", "half_height": 1.0, "radius": 0.5 });
    let corners = json!({ "kind": "triangle", "a": [0, 0, 0], "b": [2, 0, 0], "c": [0, 2, 1] });
    for (form, scale, rounded, volume) in [
        (cuboid.clone(), [1.0; 3], 0.0, 1.0..=1.0),
        (cuboid.clone(), [-2.0, 1.0, 0.5], 0.0, 1.0..=1.0),
        (cuboid, [1.0; 3], 0.5, 7.0..=1.0 + 0.5 * 7.0 + PI * 0.25 * 3.5 + ball(0.5) + 1e-5),
        (json!({ "kind": "sphere", "radius": 2.0 }), [1.0; 3], 0.0, 0.98 * ball(2.0)..=ball(2.0)),
        (
            json!({ "kind": "capsule", "half_height": 1.0, "radius": 0.5 }),
            [2.0; 3],
            0.0,
            0.97 * (PI * 4.0 + ball(1.0))..=PI * 4.0 + ball(1.0),
        ),
        (rod, [1.0; 3], 0.0, 0.49 * PI..=0.5 * PI),
        (
            json!({ "kind": "cone", "half_height": 1.5, "radius": 1.0 }),
            [1.0; 3],
            0.0,
            0.99 * PI..=PI,
        ),
        (
            json!({ "kind": "ellipsoid", "half": [1.0, 2.0, 3.0] }),
            [1.0; 3],
            0.0,
            0.98 * 6.0 * ball(1.0)..=6.0 * ball(1.0),
        ),
        (hull, [1.0; 3], 0.0, 1.5..=ball(1.0)),
        (corners.clone(), [1.0; 3], 0.0, 0.0..=0.0),
        (corners, [1.0, 1.0, 0.0], 0.0, 0.0..=0.0),
        (json!({ "kind": "segment", "a": [0, 0, 0], "b": [0, 3, 0] }), [1.0; 3], 0.0, 0.0..=0.0),
        (json!({ "kind": "point" }), [1.0; 3], 0.0, 0.0..=0.0),
        (json!({ "kind": "point" }), [1.0; 3], 0.5, 0.98 * ball(0.5)..=ball(0.5)),
    ] {
        let question = json!({ "form": form, "scale": scale, "rounded": rounded });
        let mesh = asked(&address, "/mesh", &question);
        let (inside, open) = enclosed(&mesh);
        let [least, most] = [volume.start() - 1e-5, volume.end() + 1e-5];
        assert!(least <= inside && inside <= most, "{question}: {inside}, not {volume:?}");
        assert!(open < 1e-3, "{question}: open by {open}");
        assert_eq!(floats(&mesh["positions"]).len(), floats(&mesh["normals"]).len());
        let flat = json!(if form["kind"] == "triangle" { 2 } else { 0 });
        assert!(inside > 1e-5 || mesh["triangles"] == flat, "{question}: {}", mesh["triangles"]);
    }
}

/// Goal: an invalid request gets a status and one line, no file is read, and nothing panics. Method: invalid
/// paths, methods, bodies, numbers and bytes; then a valid request.
#[test]
fn invalid_requests_are_rejected() {
    let (mut server, address) = serve();
    let good = json!({
        "a": ball(1.0, [-6.0, 0.0, 0.0], [8.0, 0.0, 0.0]),
        "b": ball(0.5, [0.0; 3], [0.0; 3]),
    });
    let with = |pointer: &str, value: Value| {
        let mut question = good.clone();
        *question.pointer_mut(pointer).expect("there is such a part") = value;
        question.to_string()
    };
    let refused = |line: &str, body: &str, expected: u16, why: &str| {
        let (status, says) = request(&address, line, body);
        assert_eq!(status, expected, "{line} {body}: {says}");
        let lines = says.lines().count();
        assert!(lines == 1 && says.contains(why), "{line} {body}: {says}");
    };
    for path in
        ["/Cargo.toml", "/../Cargo.toml", "//", "/pair/", "/%2e%2e/etc/passwd", "/etc/passwd"]
    {
        refused(&format!("GET {path}"), "", 404, "/pair");
    }
    for line in ["POST /", "PUT /pair", "GET /mesh", "DELETE /"] {
        refused(line, "", 405, "not supported");
    }
    let parts = [
        ("/a/motion/position", json!([1e39, 0, 0]), "A: invalid motion"),
        ("/a/motion/position", json!([0, 0]), "invalid length 2"),
        ("/b/motion/rotation", json!([0, 0, 0, 0]), "B: invalid motion"),
        ("/b/motion/delta", json!([null, 0, 0]), "invalid type"),
        ("/a/shape/form/radius", json!(-1.0), "A: invalid shape: a length is negative"),
        ("/a/shape/form/kind", json!("torus"), "unknown variant"),
        ("/a/shape", json!({ "form": { "kind": "sphere", "radius": 1, "color": 2 } }), "color"),
        (
            "/a/shape",
            json!({ "form": { "kind": "sphere", "radius": 1 }, "scale": [1, 2, 1] }),
            "scaled unevenly",
        ),
        (
            "/b/shape/form",
            json!({ "kind": "hull", "points": 100_000, "seed": 1, "half": [1, 1, 1] }),
            "at most 256",
        ),
        (
            "/b/shape/form",
            json!({ "kind": "hull", "points": 0, "seed": 1, "half": [1, 1, 1] }),
            "B: invalid hull",
        ),
        (
            "/b/shape/form",
            json!({ "kind": "ellipsoid", "half": [1, -1, 1] }),
            "B: invalid ellipsoid",
        ),
    ];
    for (pointer, value, why) in parts {
        refused("POST /pair", &with(pointer, value), 400, why);
    }
    let mut question = good.clone();
    for (settings, why) in [
        (json!({ "window": [0.5, 0.25] }), "window"),
        (json!({ "target_distance": -1 }), "target distance"),
        (json!({ "touch": "maybe" }), "unknown variant"),
        (json!({ "speed": 1 }), "unknown field"),
    ] {
        question["settings"] = settings;
        refused("POST /pair", &question.to_string(), 400, why);
    }
    for body in ["", "{", "[]", "nonsense", "{\"a\": 1}", "\u{0}", "NaN"] {
        refused("POST /pair", body, 400, "the request is invalid");
        refused("POST /mesh", body, 400, "the request is invalid");
    }
    for (shape, why) in [
        (json!({ "form": { "kind": "sphere", "radius": -1 } }), "a length is negative"),
        (json!({ "form": { "kind": "point" }, "rounded": 1e38 }), "invalid shape"),
        (json!({ "form": { "kind": "point" }, "scale": [1, 1, 1e39] }), "invalid shape"),
    ] {
        refused("POST /mesh", &shape.to_string(), 400, why);
    }
    refused("POST /pair", &"[".repeat(10_000), 400, "the request is invalid");
    refused("POST /mesh", &" ".repeat(70_000), 413, "at most 65536 bytes");
    for bytes in [&b"nonsense\r\n\r\n"[..], b"\xFF\xFE\r\n\r\n", b"GET", b"GET / HTTP/9.9\r\n\r\n"]
    {
        let mut stream = TcpStream::connect(&address).expect("the server listens");
        let _ = stream.write_all(bytes);
    }

    // The largest valid numbers give a result.
    let huge = 2.0_f32.powi(119);
    let far = json!({
        "a": ball(huge, [-huge, 0.0, 0.0], [huge, huge, 0.0]),
        "b": ball(huge, [huge; 3], [-huge; 3]),
    });
    asked(&address, "/pair", &far);
    assert_eq!(asked(&address, "/pair", &good)["toi"]["kind"], "impact");
    for (path, holds) in
        [("/", "id=\"recording\""), ("/pair", "id=\"preset\""), ("/?a#b", "id=\"recording\"")]
    {
        let (status, page) = request(&address, &format!("GET {path}"), "");
        assert!(status == 200 && page.contains(holds) && page.ends_with("</html>\n"), "{path}");
    }
    assert!(server.0.try_wait().expect("the query is valid").is_none(), "it still runs");
}
