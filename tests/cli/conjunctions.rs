//! Tests of the command line of the example `conjunctions`.

use crate::command::{example, fails, folder, run};
use serde_json::Value;
use std::fs;

fn object(flags: &str) -> Value {
    let output = run(&mut example("conjunctions", flags));
    assert!(output.status.success(), "{flags}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// Goal: the JSON object has all numbers of a run, and results do not depend on the threads.
#[test]
fn conjunctions_json_is_complete_and_equal_for_any_threads() {
    let flags = "--objects 4000 --hours 0.4 --within-km 20 --json --threads";
    let [one, three] = ["1", "3"].map(|threads| object(&format!("{flags} {threads}")));
    assert_eq!(one["hash"], three["hash"]);
    assert_eq!(one["ticks"], 24);
    let list = one["list"].as_array().unwrap();
    assert!(list.len() > 20);
    assert_eq!(one["conjunctions"], list.len());
    for each in list {
        let [distance, seconds, speed] =
            ["distance_km", "seconds", "speed_km_s"].map(|key| each[key].as_f64().unwrap());
        assert!((0.0..=20.0).contains(&distance) && (0.0..=1440.0).contains(&seconds));
        assert!((0.0..23.0).contains(&speed));
        assert!(each["a"].as_u64() < each["b"].as_u64());
    }
}

/// Goal: the table lists as many approaches as asked for, and the picture is an SVG file.
#[test]
fn conjunctions_table_and_picture_are_written() {
    let path = folder("conjunctions").join("orbits.svg");
    let flags = "--objects 3000 --hours 0.2 --within-km 30 --list 3 --picture";
    let output = run(example("conjunctions", flags).arg(&path));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.starts_with("3000 objects, 0.2 hours in 12 ticks"), "{table}");
    let rows = table.lines().skip_while(|line| !line.contains("distance m")).skip(1);
    assert_eq!(rows.count(), 3, "{table}");
    let svg = fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
}

/// Goal: impossible arguments are one line on stderr and exit code 2; no objects and no time are not errors.
#[test]
fn conjunctions_refuses_impossible_arguments() {
    let (tick, whole) =
        ("a tick between 0.001 and 600 seconds", "it must be a whole number from 0 to");
    for (flags, why) in [
        ("--objects -5", whole),
        ("--objects 3000000", whole),
        ("--list -1", whole),
        ("--hours nan", "between 0 and 8784 hours"),
        ("--hours -1", "between 0 and 8784 hours"),
        ("--tick-seconds 0", tick),
        ("--tick-seconds 1e-12", tick),
        ("--tick-seconds inf", tick),
        ("--tick-seconds 0.001 --hours 8784", "more than 4294967295 ticks"),
        ("--within-km nan", "a distance between 0 and 1000 km"),
        ("--within-km -2", "a distance between 0 and 1000 km"),
        ("--threads 0", "it must be a whole number from 1 to 1024"),
        ("--objects 5 --hours 0.1 --picture /nonexistent/a.svg", "/nonexistent/a.svg: "),
        ("--objects 40000 --within-km 1000 --tick-seconds 600 --hours 0.1", " pairs"),
    ] {
        fails(&mut example("conjunctions", flags), 2, why);
    }
    assert_eq!(object("--objects 0 --hours 1 --json")["conjunctions"], 0);
    assert_eq!(object("--objects 9 --hours 0 --json")["ticks"], 0);
    for (hours, ticks) in [("0.01", 1), ("0.4", 24), ("0.55", 33), ("1.1", 66), ("2.2", 132)] {
        assert_eq!(object(&format!("--objects 0 --hours {hours} --json"))["ticks"], ticks);
    }
}
