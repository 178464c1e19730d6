//! Tests of the command line of the example `picture`.

use std::fs;
use std::path::Path;

use crate::command::{example, fails, folder, run, without_reader};

/// Goal: the pictures in the documentation are those that are drawn, on stdout, in a file, and as link definitions. Method: each
/// is compared byte by byte; another seed or number of boxes gives another picture.
#[test]
fn the_pictures_are_those_in_the_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = |path: &str| fs::read_to_string(root.join(path)).expect("the picture is kept");
    for (flags, path) in [
        ("", "docs/picture.svg"),
        ("--drawing strips", "docs/guide/strips.svg"),
        ("--drawing long-path", "docs/guide/long_path.svg"),
        ("--drawing toi", "docs/guide/toi.svg"),
    ] {
        let printed = run(&mut example("picture", flags));
        assert!(printed.status.success() && printed.stderr.is_empty());
        let printed = String::from_utf8(printed.stdout).expect("a picture is UTF-8");
        assert!(printed == kept(path), "{path} is not what the example draws");
    }

    let path = folder("picture").join("picture.svg");
    for (flags, is_kept) in [
        ("--out", true),
        ("--seed 3 --out", false),
        ("--crates 5 --out", false),
        ("--bullets 0 --out", false),
    ] {
        let written = run(example("picture", flags).arg(&path));
        assert!(written.status.success() && written.stdout.is_empty(), "{written:?}");
        let written = fs::read_to_string(&path).expect("it was written");
        assert!(written.starts_with("<svg ") && written.ends_with("</svg>\n"));
        assert_eq!(written == kept("docs/picture.svg"), is_kept, "{flags}");
    }
    let written = run(example("picture", "--links").arg(&path));
    assert!(written.status.success() && written.stdout.is_empty(), "{written:?}");
    let written = fs::read_to_string(&path).expect("it was written");
    assert!(
        written == kept("docs/guide/drawings.md"),
        "run `picture --links docs/guide/drawings.md`"
    );
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
        ("--crates 2001", "it must be a whole number from 0 to 2000"),
        ("--drawing cubes", "invalid value 'cubes' for '--drawing <DRAWING>'"),
        ("--links a.md --out b.svg", "cannot be used with"),
        ("--seed -1", "invalid value '-1' for '--seed <N>'"),
        ("--out no/such/folder/a.svg", "no/such/folder/a.svg: "),
    ] {
        fails(&mut example("picture", flags), 2, why);
    }
    let help = run(&mut example("picture", "--help"));
    assert!(help.status.success() && help.stderr.is_empty());
    let help = String::from_utf8_lossy(&help.stdout);
    assert!(help.contains("--out <FILE>") && help.contains("long-path"));
    let output = without_reader(&mut example("picture", ""));
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
