//! Runs an example as a user runs it.
//!
//! `cargo test` builds the examples beside the tests: a test is in `target/<profile>/deps`, an example in
//! `target/<profile>/examples`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const EXAMPLES: [&str; 7] =
    ["tick", "conjunctions", "mesh", "engine", "viewer", "picture", "same_world"];

/// The command of an example with these flags, split at blanks. If the test was built for another CPU, the
/// example is run by the runner that Cargo uses for the test.
pub(crate) fn example(name: &str, flags: &str) -> Command {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.ancestors().nth(2).expect("deps are in a profile");
    let mut example = profile.join("examples").join(name);
    example.set_extension(std::env::consts::EXE_EXTENSION);
    let shown = example.display();
    assert!(example.exists(), "{shown} is not built: cargo build --example {name}");
    let arch = std::env::consts::ARCH.to_uppercase();
    let mut variables = std::env::vars();
    let runner = variables.find(|(name, _)| {
        name.starts_with(&format!("CARGO_TARGET_{arch}_")) && name.ends_with("_RUNNER")
    });
    let mut command = Command::new(&example);
    if let Some((_, runner)) = runner {
        let mut words = runner.split_whitespace();
        command = Command::new(words.next().expect("a runner is a program"));
        command.args(words).arg(&example);
    }
    command.args(flags.split_whitespace());
    command
}

pub(crate) fn run(command: &mut Command) -> Output {
    command.output().expect("the example starts")
}

/// The output of a run whose reader closes stdout before anything is printed.
pub(crate) fn without_reader(command: &mut Command) -> Output {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the example starts");
    drop(child.stdout.take());
    child.wait_with_output().expect("the example ends")
}

/// Checks that the run fails with this exit code, prints nothing on stdout, and prints one line on stderr
/// that begins with the name of the example and contains `why`.
#[track_caller]
pub(crate) fn fails(command: &mut Command, code: i32, why: &str) {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    assert!(output.stdout.is_empty(), "{command:?}");
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let names = words.filter_map(|word| Path::new(word).file_stem()?.to_str());
    let names: Vec<_> = names.filter(|name| EXAMPLES.contains(name)).collect();
    let named = names.first().is_some_and(|name| said.starts_with(&format!("{name}: ")));
    assert!(named && said.lines().count() == 1, "{command:?}: {said}");
    assert!(said.contains(why) && !said.contains("panicked"), "{command:?}: {said}");
}

/// An empty folder for the files of one test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    // The folder may not exist.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}
