//! Tests of the command line of the example `picture`.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::command::{example, fails, folder, run};

/// Goal: the picture in the documentation is the one that is drawn, on stdout and in a file. Method: both are
/// compared with it byte by byte; another seed gives another picture.
#[test]
fn the_picture_is_the_one_in_the_documentation() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/picture.svg");
    let kept = fs::read_to_string(kept).expect("the picture is kept");
    let printed = run(&mut example("picture", ""));
    assert!(printed.status.success() && printed.stderr.is_empty());
    let printed = String::from_utf8(printed.stdout).expect("a picture is UTF-8");
    assert!(printed == kept, "docs/picture.svg is not what the example draws");

    let path = folder("picture").join("picture.svg");
    for (flags, is_kept) in [("--out", true), ("--seed 3 --out", false)] {
        let written = run(example("picture", flags).arg(&path));
        assert!(written.status.success() && written.stdout.is_empty(), "{written:?}");
        let written = fs::read_to_string(&path).expect("it was written");
        assert!(written.starts_with("<svg ") && written.ends_with("</svg>\n"));
        assert_eq!(written == kept, is_kept, "{flags}");
    }
}

/// Goal: an invalid argument is reported; help and a reader that closes the pipe are not errors. Method: one
/// of each.
#[test]
fn arguments_are_read() {
    for (flags, why) in [
        ("--frobnicate", "unexpected argument '--frobnicate'"),
        ("stray", "unexpected argument 'stray'"),
        ("--out", "--out"),
        ("--seed x", "--seed"),
        ("--seed -1", "invalid value '-1' for '--seed <N>'"),
        ("--out no/such/folder/a.svg", "no/such/folder/a.svg: "),
    ] {
        fails(&mut example("picture", flags), 2, why);
    }
    let help = run(&mut example("picture", "--help"));
    assert!(help.status.success() && help.stderr.is_empty());
    assert!(String::from_utf8_lossy(&help.stdout).contains("--out <FILE>"));
    let mut command = example("picture", "");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
