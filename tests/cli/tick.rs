//! Tests of the command line of the example `tick`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::checksum::with_checksum;

use crate::command::{example, fails, folder, run, without_reader};
use serde_json::Value;
use swath::Level;

const SCENES: &str = "uniform dense bullets mixed pile sheet static";
const KEYS: &str = "boxes ticks threads level union_pairs swept_pairs rejected ms_median \
    ns_per_box cpu_ns_per_box floor_ms hash";

fn tick(flags: &str) -> Command {
    example("tick", flags)
}

/// The JSON objects of a successful run that printed nothing else.
#[track_caller]
fn objects(command: &mut Command) -> Vec<Value> {
    let output = run(command.arg("--json"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
    let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    lines.lines().map(|line| line.parse().expect("a line is an object")).collect()
}

#[track_caller]
fn object(command: &mut Command) -> Value {
    objects(command).pop().expect("there is an object")
}

/// Writes a magic, little-endian words, and bytes.
fn write(path: &Path, magic: &str, words: &[u32], bytes: &[u8]) {
    let mut all = magic.as_bytes().to_vec();
    all.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    all.extend(bytes);
    fs::write(path, all).expect("a file can be written");
}

/// Writes `tick.swt` with boxes as rows of min, max and delta.
fn write_trace(folder: &Path, boxes: &[[f32; 9]]) -> PathBuf {
    let rows = boxes.len() as u32;
    let mut words = vec![1, 7, rows, (1.0_f32 / 60.0).to_bits(), 0, 0];
    words.extend((0..9).flat_map(|column| boxes.iter().map(move |row| row[column].to_bits())));
    words.extend(0..rows);
    let path = folder.join("tick.swt");
    write(&path, "SWTRACE1", &words, &vec![1; boxes.len()]);
    path
}

/// Writes `tick.prs` with the lists start, union and swept.
fn write_lists(folder: &Path, boxes: u32, lists: [&[[u32; 2]]; 3]) {
    let [start, union, swept] = lists.map(|list| list.len() as u32);
    let mut words = vec![1, boxes, start, union, swept, 0, 0, 0];
    words.extend(lists.concat().concat());
    write(&folder.join("tick.prs"), "SWPAIRS1", &words, &[]);
}

/// A unit cube at `x`, on the axis, that moves by `delta`.
fn cube(x: f32, delta: [f32; 3]) -> [f32; 9] {
    let [dx, dy, dz] = delta;
    [x, 0.0, 0.0, x + 1.0, 1.0, 1.0, dx, dy, dz]
}

/// Goal: one result, and the right one. Method: every scene on every level and on 1, 2 and 3 threads,
/// compared with `spec`, and by hash and numbers of pairs with one another.
#[test]
fn every_level_and_thread_count_gives_the_same_result() {
    let levels = Level::all().map(|level| format!("--level {level}"));
    let threads = "123".chars().map(|threads| format!("--threads {threads}"));
    let choices: Vec<_> = levels.chain(threads).collect();
    for scene in SCENES.split(' ') {
        let flags = format!("--scene {scene} --boxes 2000 --ticks 2 --check");
        let first = object(&mut tick(&flags));
        for key in KEYS.split_whitespace() {
            assert!(!first[key].is_null(), "{scene}: no {key}");
        }
        assert_eq!((&first["boxes"], &first["ticks"]), (&2000.into(), &2.into()));
        assert!(first["swept_pairs"].as_u64() > Some(0), "{scene} is empty");
        for choice in &choices {
            let other = object(&mut tick(&format!("{flags} {choice}")));
            let (key, value) = choice[2..].split_once(' ').expect("a flag has a value");
            assert_eq!(other[key].to_string().trim_matches('"'), value);
            for key in ["hash", "union_pairs", "swept_pairs", "rejected"] {
                assert_eq!(first[key], other[key], "{scene}, {key}: {choice}");
            }
        }
    }
}

/// Goal: few boxes are no special case, and without boxes there is no time per box. Method: none, one and two
/// of every scene.
#[test]
fn few_boxes_give_a_result() {
    for scene in SCENES.split(' ') {
        for boxes in 0..3 {
            let flags = format!("--scene {scene} --boxes {boxes} --ticks 3 --check");
            let told = object(&mut tick(&flags));
            assert_eq!(told["boxes"], boxes, "{flags}");
            for key in ["ns_per_box", "cpu_ns_per_box", "swept_ns_per_box", "swept_cpu_ns_per_box"]
            {
                assert_eq!(told[key].is_null(), boxes == 0, "{flags}: {key}");
            }
            let output = run(&mut tick(&flags));
            let table = String::from_utf8(output.stdout).expect("a table is UTF-8");
            assert!(output.status.success(), "{flags}");
            assert_eq!(table.contains("        none "), boxes == 0, "{flags}: {table}");
        }
    }
}

/// Goal: an invalid argument is reported. Method: each flag with an invalid value.
#[test]
fn invalid_flag_is_reported_in_one_line() {
    for (flags, why) in [
        (
            "--boxes -1",
            "invalid value '-1' for '--boxes <N>': it must be a whole number from 0 to 67108863",
        ),
        ("--ticks -1", "invalid value '-1' for '--ticks <K>'"),
        ("--seed -1", "invalid value '-1' for '--seed <N>'"),
        ("--threads -1", "invalid value '-1' for '--threads <T>'"),
        ("--shapes -1", "invalid value '-1' for '--shapes <PERCENT>'"),
        ("--boxes 1e6", "--boxes"),
        ("--boxes 67108864", "67108863"),
        ("--boxes 20001 --check", "at most 20000"),
        ("--ticks 0", "--ticks"),
        ("--threads 0", "--threads"),
        ("--threads 1025", "--threads"),
        ("--level mmx", "the levels of this CPU are"),
        ("--scene moon", "uniform, dense, bullets, mixed, pile"),
        ("--seed x", "--seed"),
        ("--trace", "--trace"),
        ("--trace a.swt --boxes 9", "--boxes"),
        ("--trace a.swt --scene pile", "--scene"),
        ("--ticks 1 --ticks 2", "--ticks"),
        ("--frobnicate", "--frobnicate"),
        ("stray", "stray"),
    ] {
        fails(&mut tick(flags), 2, why);
    }
}

/// Goal: boxes that are all in one place end the run with one line, not with an allocation of all their
/// pairs. Method: a scene of 6,000 such boxes, and the same boxes as a recorded tick and as a captured one.
#[test]
fn too_many_pairs_end_in_one_line() {
    const WHY: &str =
        ": 17997000 pairs, and at most 16777216 are allowed: too many boxes are in one place";
    let folder = folder("tick_crowd");
    fails(
        &mut tick("--scene identical --boxes 6000 --ticks 1"),
        2,
        &format!("scene identical{WHY}"),
    );
    fails(&mut tick("--scene identical --boxes 6000 --ticks 1 --shapes 0"), 2, WHY);
    let path = write_trace(&folder, &vec![cube(0.0, [0.0; 3]); 6000]);
    fails(tick("--ticks 1 --trace").arg(&path), 2, &format!("tick.swt{WHY}"));
    let column = vec![1.0; 6000];
    let boxes = swath::MovingBoxColumns::from_columns([&column[..]; 9]).expect("columns");
    let bytes = swath::Pipeline::default().capture(&swath::Scene::new(boxes)).expect("a capture");
    let path = folder.join("tick.bin");
    fs::write(&path, bytes).expect("a file can be written");
    fails(tick("--ticks 1 --replay").arg(&path), 2, &format!("tick.bin{WHY}"));
}

/// Goal: an error is one line, and a file without end is rejected. Method: a name with line ends and escapes
/// in it, a device, and a folder.
#[cfg(unix)]
#[test]
fn hostile_names_of_files_stay_in_one_line() {
    for flag in ["--trace", "--replay"] {
        let mut command = tick(flag);
        fails(command.arg("no\nsuch\u{1b}[31m\tfile"), 2, "no\\nsuch\\u{1b}[31m\\tfile");
        fails(tick(flag).arg("/dev/zero"), 2, "/dev/zero: not a regular file");
        fails(tick(flag).arg("/"), 2, "/: not a regular file");
    }
}

/// Goal: help is not an error, and neither is a closed pipe. Method: print help, and close the pipe.
#[test]
fn help_and_a_closed_pipe_are_not_errors() {
    let help = run(&mut tick("--help"));
    assert!(help.status.success() && help.stderr.is_empty());
    let help = String::from_utf8(help.stdout).expect("the help is UTF-8");
    assert!(help.contains("FNV-1a"));
    // The help of `--scene` and its error list the same scenes.
    let scenes = scenes::Scene::names();
    let all = scenes::Scene::ALL.len() + scenes::Scene::FOUND.len();
    assert_eq!(scenes.split(", ").count(), all);
    let words: Vec<&str> =
        help.split_whitespace().map(|word| word.trim_matches([',', ';'])).collect();
    for name in scenes.split(", ") {
        assert!(words.contains(&name), "{name}: {help}");
    }
    fails(&mut tick("--scene moon"), 2, &scenes);
    for flags in ["--help", "--boxes 9 --ticks 1", "--boxes 9 --json"] {
        let output = without_reader(&mut tick(flags));
        let silent = output.stderr.is_empty();
        assert!(output.status.success() && silent, "{flags}: {output:?}");
    }
}

/// Goal: no file causes a panic or a wrong result. Method: a valid trace cut at every border and in between,
/// one byte too long, and files of another kind.
#[test]
fn invalid_trace_is_rejected() {
    let folder = folder("tick_foreign");
    let path = write_trace(&folder, &[cube(0.0, [0.0; 3]), cube(5.0, [1.0; 3])]);
    let good = fs::read(&path).expect("it was written");
    let mut bad = vec![
        (b"SWPAIRS1".to_vec(), "SWTRACE1"),
        (b"GIF89a".repeat(9), "SWTRACE1"),
        ([&good[..], &[0]].concat(), "trailing"),
        ([&good[..8], &[9], &good[9..]].concat(), "version 9"),
        ([&good[..16], &[255; 4], &good[20..]].concat(), "truncated"),
    ];
    for length in [8, 20, 31, 32, 33, 68, 104, good.len() - 1] {
        bad.push((good[..length].to_vec(), "truncated"));
    }
    for length in [0, 4, 7] {
        bad.push((good[..length].to_vec(), "SWTRACE1"));
    }
    for (bytes, why) in bad {
        fs::write(&path, bytes).expect("a file can be written");
        fails(tick("--json --trace").arg(&path), 2, why);
    }
    fails(tick("--trace").arg(folder.join("none.swt")), 2, "none.swt");
    fails(tick("--trace").arg(&folder), 2, "foreign");
}

/// Goal: an invalid row is reported with its number. Method: each reason, in a row that is not the first.
#[test]
fn invalid_row_is_reported_with_its_number() {
    let folder = folder("tick_no_box");
    let good = cube(0.0, [0.0; 3]);
    for (column, number, why) in [
        (0, f32::NAN, "a number on axis x is NaN or infinite; it must be finite"),
        (8, f32::INFINITY, "a number on axis z is NaN or infinite; it must be finite"),
        (1, 2.0, "min > max on axis y; "),
        (7, 2.0e36, "a number on axis y is beyond 2^120; "),
    ] {
        let mut bad = good;
        bad[column] = number;
        let path = write_trace(&folder, &[good, good, bad, good]);
        for flags in ["--trace", "--json --trace"] {
            let why = format!("tick.swt: row 2 is invalid: {why}");
            fails(tick(flags).arg(&path), 2, &why);
        }
    }
}

/// Goal: a recorded tick is compared with its lists. Method: pairs that overlap, touch at the end of the
/// tick, or miss by the rounding of the sweep or of a bound; then each list with one pair too few or too
/// many.
#[test]
fn recorded_pairs_are_compared() {
    let folder = folder("tick_recorded");
    let rest = [0.0; 3];
    let past = f32::next_up;
    let path = write_trace(
        &folder,
        &[
            cube(0.0, rest),
            cube(0.5, rest), // overlaps 0
            cube(100.0, [1.0, 0.0, 0.0]),
            cube(102.0, rest), // is touched by 2 at t = 1
            cube(200.0, rest),
            cube(202.0, [-3.0, past(3.0), 0.0]), // just passes a corner of 4
            cube(-1.0, rest),                    // touches 0 from below
            cube(301.0, [f32::EPSILON, 0.0, 0.0]),
            cube(past(302.0), rest), // 7 ends short of it, but by less than a rounding
        ],
    );
    let start = [[0, 1], [0, 6]];
    let union = [[0, 1], [0, 6], [2, 3], [4, 5]];
    let swept = [[0, 1], [0, 6], [2, 3]];
    let check = || {
        let mut command = tick("--check --ticks 2 --trace");
        command.arg(&path);
        command
    };
    fails(&mut check(), 2, "tick.prs");

    write_lists(&folder, 9, [&start, &union, &swept]);
    let passed = object(&mut check());
    assert_eq!([&passed["union_pairs"], &passed["swept_pairs"]], [5, 4]);
    let counts = ["ticks", "start_pairs", "near_ties", "union_by_rounding"];
    assert_eq!(counts.map(|count| &passed["check"][count]), [2, 2, 1, 1]);
    let table = run(&mut check()).stdout;
    let table = String::from_utf8(table).expect("a table is UTF-8");
    assert!(table.contains("passed") && table.lines().count() <= 20, "{table}");

    let other_union = [[0, 1], [0, 6], [1, 8], [2, 3], [4, 5]];
    let other_swept = [[0, 1], [0, 6], [2, 3], [7, 8]];
    let unsorted = [[2, 3], [0, 1]];
    for (start, union, swept, why) in [
        (&start[1..], &union[..], &swept[..], "1 start pairs are wrong, the first is (0, 1)"),
        (&union, &union, &swept, "2 start pairs are missing, the first is (2, 3)"),
        (&start, &union[1..], &swept, "union pair (0, 1) is wrong"),
        (&start, &other_union, &swept, "1 union pairs are missing, the first is (1, 8)"),
        (&start, &union, &swept[1..], "swept pair (0, 1) is wrong"),
        (&start, &union, &other_swept, "1 swept pairs are missing, the first is (7, 8)"),
        (&start, &union, &unsorted, "the swept pairs are not sorted"),
    ] {
        write_lists(&folder, 9, [start, union, swept]);
        fails(&mut check(), if why.contains("not sorted") { 2 } else { 1 }, why);
    }
    // A reader that closes the pipe does not make the second of two ticks correct.
    let other = crate::command::folder("tick_trace_alone");
    let alone = write_trace(&other, &[cube(0.0, rest)]);
    write_lists(&other, 1, [&[], &[], &[]]);
    write_lists(&folder, 9, [&start, &union, &other_swept]);
    let mut command = tick("--check --ticks 1 --trace");
    assert_eq!(without_reader(command.args([&alone, &path])).status.code(), Some(1));
    write_lists(&folder, 8, [&[], &[], &[]]);
    fails(&mut check(), 2, "pairs of 8 boxes, but the trace has 9");
}

/// Goal: the hash is the documented one, and each trace has its own object. Method: one pair, hashed here, in
/// two ticks and in one.
#[test]
fn hash_is_the_documented_one() {
    let folder = folder("tick_hash");
    let path = write_trace(&folder, &[cube(0.0, [0.0; 3]), cube(0.5, [0.0; 3])]);
    let hash_of = |pairs: &[[u8; 12]]| {
        let hash = pairs.iter().flatten().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        format!("{hash:016x}")
    };
    let pair = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let once = objects(tick("--ticks 1 --trace").args([&path, &path]));
    assert_eq!(once.len(), 2);
    assert!(once.iter().all(|object| object["hash"] == hash_of(&[pair])));
    let twice = object(tick("--ticks 2 --trace").arg(&path));
    assert_eq!(twice["hash"], hash_of(&[pair; 2]));
}

/// The last word of the line that begins with `hash`.
#[track_caller]
fn hash(command: &mut Command) -> String {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
    let text = String::from_utf8(output.stdout).expect("a table is UTF-8");
    assert!(text.lines().count() <= 24, "more than a screen: {text}");
    let line = text.lines().find(|line| line.starts_with("hash")).expect("there is a hash");
    line.rsplit(' ').next().expect("a number").to_owned()
}

/// Goal: whole ticks are printed as JSON too, and nouns have the right number. Method: the same run as a table and as an object, of a
/// scene and of a file.
#[test]
fn whole_ticks_are_printed_as_json() {
    let path = folder("tick_json").join("tick.bin");
    let flags = "--shapes 50 --boxes 400 --ticks 1 --scene dense";
    let of_table = hash(tick(flags).arg("--capture").arg(&path));
    for (flags, replayed) in [(flags, false), ("--ticks 1 --replay", true)] {
        let mut command = tick(flags);
        let object = object(if replayed { command.arg(&path) } else { &mut command });
        assert_eq!(object["hash"], of_table, "{flags}");
        assert_eq!((&object["bodies"], &object["ticks"]), (&400.into(), &1.into()), "{flags}");
        assert!(object["impacts"].as_u64().is_some_and(|impacts| impacts > 0), "{flags}");
        assert!(object["tests_of_shapes"].as_u64().is_some_and(|tests| tests > 0), "{flags}");
        assert!(object["stages"]["convex_ms"].is_f64() && object["ms_median"].is_f64(), "{flags}");
        assert_eq!(object["finder_ms"].is_null(), replayed, "{flags}");
    }
    for (flags, expected) in [
        ("--boxes 1 --ticks 1", ": 1 box, 1 tick, "),
        ("--boxes 2 --ticks 2", ": 2 boxes, 2 ticks, "),
        ("--boxes 1 --ticks 1 --shapes 100", ": 1 body, 1 tick, "),
    ] {
        let output = run(&mut tick(flags));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.lines().next().is_some_and(|line| line.contains(expected)), "{text}");
    }
}

/// Goal: a whole tick is the same for every level and number of threads, and when it is run again from a
/// file; an invalid file is rejected in one line. Method: a scene with shapes, written to a file and
/// replayed; the file cut, changed and missing.
#[test]
fn whole_ticks_are_replayed() {
    let folder = folder("replay");
    let path = folder.join("tick.bin");
    let flags = "--shapes 20 --boxes 3000 --ticks 1 --scene bullets";
    let mut first = tick(flags);
    let first = hash(first.arg("--capture").arg(&path));
    let levels = Level::all().map(|level| format!("--level {level}"));
    let threads = ["1", "3"].map(|threads| format!("--threads {threads}"));
    for choice in levels.chain(threads) {
        assert_eq!(hash(&mut tick(&format!("{flags} {choice}"))), first, "{choice}");
        let mut replay = tick(&format!("--ticks 2 {choice}"));
        assert_eq!(hash(replay.arg("--replay").arg(&path)), first, "{choice}");
    }
    let bytes = fs::read(&path).expect("it was written");
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    let mut newer = bytes.clone();
    newer[8] = 3;
    for (bytes, why) in [
        (&bytes[..bytes.len() / 3], "are there"),
        (&changed[..], "damaged"),
        (&newer[..], "too new"),
        (&b"something else altogether"[..], "not a captured tick"),
    ] {
        fs::write(&path, bytes).expect("a file can be written");
        fails(tick("--ticks 1").arg("--replay").arg(&path), 2, why);
    }
    // 109 bytes that stand for 2^26 rows, with a correct checksum.
    let rows_of_one_value = |rows: u32| {
        let column = [1.0_f32];
        let boxes = swath::MovingBoxColumns::from_columns([&column[..]; 9]).expect("columns");
        let bytes = swath::Pipeline::default().capture(&swath::Scene::new(boxes));
        let mut bytes = bytes.expect("a capture");
        bytes[44..48].copy_from_slice(&rows.to_le_bytes());
        bytes[56] = 0;
        with_checksum(bytes)
    };
    fs::write(&path, rows_of_one_value(1 << 26)).expect("a file can be written");
    let why = "a captured tick of 67108864 rows, of which at most 109 may be read";
    fails(tick("--ticks 1").arg("--replay").arg(&path), 2, why);
    fs::write(&path, rows_of_one_value(109)).expect("a file can be written");
    hash(tick("--ticks 1").arg("--replay").arg(&path));
    fs::remove_file(&path).expect("it is there");
    fails(tick("").arg("--replay").arg(&path), 2, "tick.bin");
    fails(&mut tick("--shapes 101"), 2, "101");
    fails(&mut tick("--capture x"), 2, "--shapes");
    for other in ["--check", "--trace a.swt", "--replay tick.bin"] {
        fails(&mut tick(&format!("--capture x {other}")), 2, "cannot be used with");
    }
}
