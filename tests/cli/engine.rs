//! Tests of the command line of the example `engine`.

use std::process::Command;

use crate::command::{example, fails, run, without_reader};
use serde_json::Value;

const KEYS: &str = "ccd space bullets ticks threads bullets_out bricks_out impacts stalled awake asleep \
    energy_brought_joule energy_joule energy_gain momentum momentum_change ms_max hash";

fn engine(flags: &str) -> Command {
    example("engine", flags)
}

/// The JSON objects of a successful run that printed nothing else.
#[track_caller]
fn objects(flags: &str) -> Vec<Value> {
    let output = run(engine(flags).arg("--json"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{flags}: {said}");
    let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    lines.lines().map(|line| line.parse().expect("a line is an object")).collect()
}

fn number(object: &Value, key: &str) -> f64 {
    object[key].as_f64().unwrap_or_else(|| panic!("{key} is a number: {object}"))
}

/// Goal: no body passes a sheet of 5 mm with CCD, and nearly all do without; the energy never grows beyond
/// rounding. Method: bullets of several seeds, both runs. The remaining energy is less than that of the
/// bullets and of the height of the wall.
#[test]
fn no_body_leaves_the_room_with_ccd_and_most_do_without() {
    for seed in 1..4 {
        let flags = format!("--bullets 120 --ticks 60 --seed {seed}");
        let objects = objects(&flags);
        let [with, without] = &objects[..] else { panic!("two runs: {objects:?}") };
        for key in KEYS.split_whitespace() {
            assert!(!with[key].is_null() && !without[key].is_null(), "{flags}: no {key}");
        }
        assert_eq!((&with["ccd"], &without["ccd"]), (&true.into(), &false.into()));
        assert_eq!((&with["bullets_out"], &with["bricks_out"]), (&0.into(), &0.into()), "{flags}");
        assert_eq!(number(with, "awake") + number(with, "asleep"), 240.0, "{flags}");
        assert!(number(without, "bullets_out") > 100.0, "{flags}: {without}");
        assert!(number(with, "impacts") > 240.0, "{flags}: {with}");

        let gain = number(with, "energy_gain");
        assert!(gain < 1e-6, "{flags}: grew by {gain} of itself");
        let brought = number(with, "energy_brought_joule");
        let of_bullets = 120.0 * 0.5 * 0.05 * 500.0 * 500.0;
        assert!((brought / of_bullets - 1.0).abs() < 1e-3, "{flags}: {brought} J");
        let of_wall = 120.0 * 14.0 * 9.81 * 1.01;
        assert!(number(with, "energy_joule") < 0.05 * brought + of_wall, "{flags}: {with}");
    }
}

/// Goal: without contact with fixed bodies momentum is conserved, and energy does not grow. Method: in space,
/// tick by tick, and after the last shot from one tick to a later one.
#[test]
fn momentum_is_conserved_without_fixed_bodies() {
    for seed in 1..4 {
        let run = |ticks| {
            let flags = format!("--space --bullets 40 --seed {seed} --ticks {ticks}");
            let objects = objects(&flags);
            assert_eq!(objects.len(), 1, "{flags}: with CCD alone");
            objects.into_iter().next().expect("there is one")
        };
        let (at_last_shot, later) = (run(40), run(60));
        for object in [&at_last_shot, &later] {
            assert!(number(object, "impacts") > 20.0, "{object}");
            assert!(number(object, "energy_gain") < 1e-6, "{object}");
            assert!(number(object, "momentum_change") < 1e-7, "{object}");
        }
        let of = |object: &Value, axis: usize| object["momentum"][axis].as_f64().expect("one");
        for axis in 0..3 {
            let change = of(&later, axis) - of(&at_last_shot, axis);
            assert!(change.abs() < 1e-3, "seed {seed}, axis {axis}: {change} Ns");
        }
    }
}

/// Goal: the same bits for any number of threads. Method: the hash of both runs on one, two and three
/// threads.
#[test]
fn every_thread_count_gives_the_same_bits() {
    let hashes = (1..4).map(|threads| {
        let objects = objects(&format!("--bullets 60 --ticks 50 --threads {threads}"));
        assert!(objects.iter().all(|object| object["threads"] == threads));
        objects.iter().map(|object| object["hash"].clone()).collect::<Vec<_>>()
    });
    let hashes: Vec<_> = hashes.collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    assert_ne!(hashes[0][0], hashes[0][1]);
    let other = objects("--bullets 60 --ticks 50 --seed 2");
    assert_ne!(hashes[0][0], other[0]["hash"], "another seed is another run");
}

/// Goal: a pile comes to rest, and then takes almost no time. Method: a few bullets and a long time; without
/// bullets the wall sleeps from the start.
#[test]
fn pile_at_rest_sleeps() {
    for flags in ["--bullets 10 --ticks 500", "--bullets 0 --ticks 30"] {
        let object = &objects(flags)[0];
        assert_eq!((&object["awake"], &object["bullets_out"]), (&0.into(), &0.into()), "{flags}");
        let asleep = number(object, "ms_asleep");
        assert!(asleep < 0.2, "{flags}: {asleep} ms a tick");
    }
    let table = |flags: &str| {
        let output = run(&mut engine(flags));
        String::from_utf8(output.stdout).expect("a table is UTF-8")
    };
    assert!(table("--bullets 0 --ticks 30").contains(" ms when all sleep"));
    assert!(table("--bullets 10 --ticks 5").contains(" bodies are awake at the end"));
    let untouched = &objects("--bullets 0 --ticks 30")[0];
    assert_eq!(untouched["impacts"], 0);
    assert_eq!(untouched["asleep"], 120);
}

/// Goal: one run if one is requested, and a table of one screen. Method: request them.
#[test]
fn each_table_fits_one_screen() {
    let alone = objects("--no-ccd --bullets 20 --ticks 10");
    assert_eq!((alone.len(), &alone[0]["ccd"]), (1, &false.into()));
    let output = run(&mut engine("--bullets 20 --ticks 30"));
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stdout).expect("a table is UTF-8");
    assert!(table.contains("with CCD") && table.contains("without CCD"), "{table}");
    assert!(table.lines().count() <= 32 && table.lines().all(|line| line.len() <= 110), "{table}");
}

/// Goal: an invalid argument is reported. Method: each flag with an invalid value.
#[test]
fn invalid_flag_is_reported_in_one_line() {
    for (flags, why) in [
        ("--bullets -1", "invalid value '-1' for '--bullets <N>'"),
        ("--ticks -1", "invalid value '-1' for '--ticks <K>'"),
        ("--bullets 20001", "20000"),
        ("--ticks 0", "--ticks"),
        ("--threads 0", "--threads"),
        ("--seed x", "--seed"),
        ("--space --no-ccd", "--no-ccd"),
        ("--frobnicate", "--frobnicate"),
        ("stray", "stray"),
    ] {
        fails(&mut engine(flags), 2, why);
    }
}

/// Goal: help is not an error, and neither is a closed pipe. Method: print help, and close the pipe.
#[test]
fn help_and_a_closed_pipe_are_not_errors() {
    let help = run(&mut engine("--help"));
    assert!(help.status.success() && help.stderr.is_empty());
    assert!(String::from_utf8_lossy(&help.stdout).contains("FNV-1a"));
    let output = without_reader(&mut engine("--bullets 1 --ticks 1"));
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
