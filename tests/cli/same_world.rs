//! Tests of the example `same_world`, with whose output programs in other languages are compared.

use crate::command::{example, fails, run, without_reader};

/// Goal: the answers are those that the programs in C and in Python are compared with, and an argument is not ignored. Method: the output is the
/// stored file, which a change of any answer would change; a wrong argument.
#[test]
fn same_world_prints_the_stored_hashes() {
    let output = run(&mut example("same_world", ""));
    assert!(output.status.success() && output.stderr.is_empty());
    let lines = String::from_utf8(output.stdout).expect("the output is text");
    assert_eq!(lines.lines().count(), 6);
    assert_eq!(lines, include_str!("../../bindings/same_world.txt"));
    let output = without_reader(&mut example("same_world", ""));
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    fails(
        &mut example("same_world", "--boxes 9"),
        2,
        "it takes no arguments, but --boxes was given",
    );
}
