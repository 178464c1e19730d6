//! The rules of `docs/CONTRIBUTING.md` that a machine can check.
//!
//! Each rule is a pure function from a path and a text to findings. It is tested on small snippets, and then
//! applied to every file of the repository.
//!
//! Rules read code: comments and the insides of strings do not count, except for rules about texts and for
//! the marks of unfinished work, which are searched everywhere.

mod changelog;
mod comments;
mod errors;
mod imports;
mod pages;
mod paths;
mod source;

use std::fs;
use std::path::Path;
use std::process::Command;

use source::{CRATES, Token, in_src, inside, is_word, module_of, named, tokens};

/// The folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Each layer and what it may import besides itself. A layer imports only layers listed before it.
const LAYERS: [(&str, &[&str]); 9] = [
    ("geom", &[]),
    ("lanes", &[]),
    ("par", &[]),
    ("columns", &["geom", "lanes", "par"]),
    ("kernels", &["geom", "lanes", "columns"]),
    ("broadphase", &["geom", "lanes", "par", "columns", "kernels"]),
    ("narrowphase", &["geom", "lanes", "par", "columns"]),
    ("meshes", &["geom", "lanes", "par", "columns", "kernels", "broadphase", "narrowphase"]),
    (
        "pipeline",
        &["geom", "lanes", "par", "columns", "kernels", "broadphase", "narrowphase", "meshes"],
    ),
];

/// Paths that only one layer may use, by their beginning, and that layer.
const HOMES: [(&[&str], &str); 9] = [
    (&["unsafe"], "lanes"),
    (&["wide"], "lanes"),
    (&["core", "arch"], "lanes"),
    (&["std", "arch"], "lanes"),
    (&["rayon"], "par"),
    (&["core", "sync"], "par"),
    (&["alloc", "sync"], "par"),
    (&["std", "sync"], "par"),
    (&["std", "thread"], "par"),
];

/// Folders in which a Rust file may not be longer than [`LINES_MAX`].
const FOLDERS_WITH_CODE: [&str; 7] =
    ["src", "stepping", "tests", "testkit", "benches", "examples", "fuzz"];
const LINES_MAX: usize = 600;

/// Folders that are written by tools.
const FOLDERS_OF_TOOLS: [&str; 4] = [".git", "fuzz/corpus", "fuzz/artifacts", "fuzz/coverage"];

/// Names that do not describe the contents.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "common", "helpers", "types", "misc"];

/// Methods of `f32` and `f64` whose last bit may differ between platforms.
const PLATFORM_METHODS: &str = "recip powf powi exp exp2 exp_m1 ln ln_1p log log2 log10 cbrt hypot \
    sin cos sin_cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh";

/// Parts of names of operations that are fused, estimated or reduced in an order of their own: of `wide`, of
/// `glam` and of the instructions of each CPU.
const OTHER_BITS: &str = "mul_add mul_sub mul_neg_ recip_sqrt fmadd fmsub fnmadd fnmsub _rcp rsqrt \
    vfma vfms vrecp _relaxed_ Vec3A Mat3A Affine3A";

/// Marks of unfinished work, in pieces so that this file may contain them.
const MARKS: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!"),
];

/// A line number and a sentence.
type Finding = (usize, String);
type Rule = fn(path: &str, text: &str) -> Vec<Finding>;

const RULES: [Rule; 14] = [
    length,
    names,
    layering,
    homes,
    same_bits,
    inclusions,
    excuses,
    marks,
    changelog::form,
    pages::title,
    comments::doc_comments,
    comments::invalid_is_said,
    comments::plain_words,
    errors::error_texts,
];

/// Goal: the repository follows the rules. Method: every rule on every file.
#[test]
fn every_file_is_tidy() {
    let root = Path::new(ROOT);
    let files = files(root);
    for folder in CRATES {
        assert!(files.contains(&format!("{folder}lib.rs")), "nothing read in {folder}");
    }
    let mut lines = Vec::new();
    let (mut texts, mut library) = (Vec::new(), Vec::new());
    for path in files {
        let mut text = String::new();
        if path.ends_with(".rs") || path.ends_with(".md") {
            text = fs::read_to_string(root.join(&path)).expect("a text is UTF-8");
        }
        for (line, sentence) in RULES.iter().flat_map(|rule| rule(&path, &text)) {
            lines.push(format!("{path}:{line}: {sentence}\n"));
        }
        if in_src(&path) {
            library.push((path.clone(), text.clone()));
        }
        texts.push((path, text));
    }
    for (path, line, sentence) in paths::dead_paths(&texts) {
        lines.push(format!("{path}:{line}: {sentence}\n"));
    }
    for folder in CRATES {
        let (own, others): (Vec<_>, Vec<_>) =
            library.into_iter().partition(|(path, _)| path.starts_with(folder));
        for rule in [imports::homonyms, imports::cycles] {
            for (path, line, sentence) in rule(&own) {
                lines.push(format!("{path}:{line}: {sentence}\n"));
            }
        }
        library = others;
    }
    assert!(library.is_empty(), "no crate has {library:?}");
    assert!(lines.is_empty(), "{} findings\n{}", lines.len(), lines.concat());
}

/// Goal: CI cannot succeed without having run every step. Method: a script that skips a step, one that does
/// not, and one that fails, with `CI=true` and without.
#[cfg(unix)]
#[test]
fn a_skipped_step_fails_on_ci() {
    let skips = "skip second 'something is missing'; step third true";
    for (ci, steps, status) in [
        ("true", "step first true", 0),
        ("true", skips, 1),
        ("", skips, 0),
        ("", "step first false", 1),
    ] {
        let script = format!("set -euo pipefail; . .ci/steps; {steps}");
        let mut bash = Command::new("bash");
        let bash = bash.args(["-c", &script]).current_dir(ROOT);
        let output = bash.env("CI", ci).output().expect("bash starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("the steps are UTF-8");
        assert_eq!(output.status.code(), Some(status), "CI={ci}: {steps}: {said}");
        let names_the_skipped = said.contains("[second]") && said.contains("third");
        assert_eq!(names_the_skipped, steps == skips, "{said}");
    }
}

/// Every file under `root` except those that tools write, as sorted paths with `/`.
fn files(root: &Path) -> Vec<String> {
    let (mut folders, mut files) = (vec![String::new()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder can be listed") {
            let entry = entry.expect("a folder can be listed");
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().expect("a file has a type");
            if kind.is_file() {
                files.push(path);
            } else if kind.is_dir() && !of_tools(&path) {
                folders.push(path);
            }
        }
    }
    files.sort();
    files
}

fn of_tools(folder: &str) -> bool {
    FOLDERS_OF_TOOLS.contains(&folder) || folder.rsplit('/').next() == Some("target")
}

/// A file has at most [`LINES_MAX`] lines.
fn length(path: &str, text: &str) -> Vec<Finding> {
    let counts = path.split('/').next().is_some_and(|first| FOLDERS_WITH_CODE.contains(&first));
    let lines = text.lines().count();
    let too_long = counts && path.ends_with(".rs") && lines > LINES_MAX;
    let finding = too_long.then(|| (lines, format!("{lines} lines, the most is {LINES_MAX}")));
    finding.into_iter().collect()
}

/// A name describes the contents, and `src` contains `lib.rs`, the pages of the guide and the layers only.
fn names(path: &str, _text: &str) -> Vec<Finding> {
    let Some(inside) = inside(path) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for stem in inside.split('/').map(|name| name.trim_end_matches(".rs")) {
        if EMPTY_NAMES.contains(&stem) {
            findings.push((1, format!("the name `{stem}` does not say what is inside")));
        }
    }
    let is_library = in_src(path) && path.starts_with("src/");
    let is_front = ["src/lib.rs", "src/guide.rs"].contains(&path);
    if is_library && !is_front && layer(&module_of(path)).is_none() {
        let sentence = "in no layer; an error lives in the layer that raises it";
        findings.push((1, sentence.to_owned()));
    }
    findings
}

/// No layer imports one above it, by `crate::`, in a group of imports or with `super`. The crate root
/// re-exports every layer, so its names count as imports of these.
fn layering(path: &str, text: &str) -> Vec<Finding> {
    let Some((own, below)) = layer(&module_of(path)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for named in named(path, &code(path, text)).iter().filter(|named| named.ours) {
        let sentence = match (layer(&named.path), named.path.first()) {
            (Some((name, _)), _) if name == own || below.contains(name) => continue,
            (Some((name, _)), _) => format!("`{own}` may not name `{name}`"),
            (None, Some(name)) => format!("`crate::{name}` does not say which layer it is from"),
            (None, None) if named.in_use => "the crate root gets a second name".to_owned(),
            (None, None) => continue, // the `crate` of `pub(crate)`
        };
        findings.push((named.line, sentence));
    }
    findings
}

/// Instruction sets and `unsafe` are only used in `lanes`, threads and shared data only in `par`.
fn homes(path: &str, text: &str) -> Vec<Finding> {
    let tokens = code(path, text);
    let mut seen = Vec::new();
    for named in named(path, &tokens) {
        if !named.ours && (named.path.len() > 1 || named.in_use) {
            seen.push((named.line, named.path));
        }
    }
    for token in &tokens {
        match token.text {
            "unsafe" => seen.push((token.line, vec!["unsafe"])),
            "thread_local" => seen.push((token.line, vec!["std", "thread"])),
            _ => {}
        }
    }
    let mut findings = Vec::new();
    for (line, seen) in seen {
        for (start, home) in HOMES {
            if seen.starts_with(start) && module_of(path).first() != Some(&home) {
                let named = start.join("::");
                findings.push((line, format!("`{named}` lives in `{home}` only")));
            }
        }
    }
    findings
}

/// Only operations that give the same bits on every CPU and platform are used.
fn same_bits(path: &str, text: &str) -> Vec<Finding> {
    let tokens = code(path, text);
    let mut findings = Vec::new();
    for (at, Token { line, text }) in tokens.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].text);
        let method = before(1) == "." && tokens.get(at + 1).is_some_and(|next| next.text == "(");
        let function = before(1) == "::" && matches!(before(2), "f32" | "f64");
        let platform = PLATFORM_METHODS.split_whitespace().any(|name| name == *text);
        let other = OTHER_BITS.split_whitespace().any(|part| text.contains(part));
        if other || platform && (method || function) {
            findings.push((*line, format!("`{text}` does not give the same bits everywhere")));
        }
    }
    findings
}

/// A file is a module of one crate; it is not included a second time by its path.
fn inclusions(path: &str, text: &str) -> Vec<Finding> {
    let read = if path.ends_with(".rs") { tokens(text) } else { Vec::new() };
    let mut findings = Vec::new();
    for three in read.windows(3) {
        if [three[0].text, three[1].text, three[2].text] == ["[", "path", "="] {
            let sentence = "a module is included by its path; share it as a crate";
            findings.push((three[0].line, sentence.to_owned()));
        }
    }
    findings
}

/// A silenced lint has a reason.
fn excuses(path: &str, text: &str) -> Vec<Finding> {
    let tokens = code(path, text);
    let texts: Vec<_> = tokens.iter().map(|token| token.text).collect();
    let mut findings = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let (["[" | ",", "allow", "(", inside @ ..] | ["[", "expect", "(", inside @ ..]) =
            &texts[at..]
        else {
            continue;
        };
        let mut depth = 1;
        let closes = inside.iter().position(|text| {
            depth += i32::from(*text == "(") - i32::from(*text == ")");
            depth == 0
        });
        let inside = &inside[..closes.unwrap_or(inside.len())];
        if !inside.windows(2).any(|pair| pair == ["reason", "="]) {
            let sentence = "a lint is silenced without a `reason`";
            findings.push((token.line, sentence.to_owned()));
        }
    }
    findings
}

/// There is no unfinished work in the repository.
fn marks(path: &str, text: &str) -> Vec<Finding> {
    let reads = path.ends_with(".rs") || path.ends_with(".md");
    let mut findings = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|_| reads) {
        for mark in MARKS {
            let mut at = text.match_indices(mark).map(|(at, _)| at);
            if at.any(|at| !text[..at].bytes().next_back().is_some_and(is_word)) {
                findings.push((line, format!("`{mark}` marks unfinished work")));
            }
        }
    }
    findings
}

/// Whether a file uses another library, whose files and words it may mention.
fn is_of_peers(path: &str) -> bool {
    path.starts_with("benches/peers/src/")
}

/// The tokens of a file of `src`; the other files have more freedom.
fn code<'a>(path: &str, text: &'a str) -> Vec<Token<'a>> {
    if in_src(path) { tokens(text) } else { Vec::new() }
}

fn layer(module: &[&str]) -> Option<&'static (&'static str, &'static [&'static str])> {
    LAYERS.iter().find(|(name, _)| module.first() == Some(name))
}

/// Checks that `rule` finds each of `bad` and none of `good`.
#[track_caller]
fn check(rule: Rule, path: &str, bad: &[&str], good: &[&str]) {
    for text in bad {
        assert!(!rule(path, text).is_empty(), "{path}: not found: {text}");
    }
    for text in good {
        assert_eq!(rule(path, text), [], "{path}: found, but it is good: {text}");
    }
}

/// Goal: the layers have no cycle. Method: each layer imports only layers listed before it.
#[test]
fn layers_have_no_cycle() {
    for (at, (name, below)) in LAYERS.iter().enumerate() {
        let before: Vec<_> = LAYERS[..at].iter().map(|(name, _)| name).collect();
        assert!(
            below.iter().all(|named| before.contains(&named)),
            "{name} names what is not below"
        );
    }
}

/// Goal: no file is longer than 600 lines. Method: both sides of the limit, inside and outside of our
/// folders.
#[test]
fn a_long_file_is_found() {
    let (long, full) = ("\n".repeat(LINES_MAX + 1), "\n".repeat(LINES_MAX));
    for path in
        ["src/geom/aabb.rs", "stepping/src/a.rs", "tests/a/b.rs", "fuzz/fuzz_targets/sweep.rs"]
    {
        check(length, path, &[&long], &[&full]);
    }
    check(length, "docs/DESIGN.md", &[], &[&long]);
    assert!(["target", "fuzz/target", "fuzz/corpus", ".git"].iter().all(|path| of_tools(path)));
    assert!(!["src", "src/store", "fuzz/regressions", "corpus"].iter().any(|path| of_tools(path)));
}

/// Goal: names describe the contents. Method: an empty name as a file, as a folder and outside of `src`.
#[test]
fn an_empty_name_is_found() {
    for path in
        ["src/utils.rs", "src/columns/types.rs", "src/error.rs", "stepping/src/common/step.rs"]
    {
        check(names, path, &[""], &[]);
    }
    for path in ["src/lib.rs", "src/par.rs", "stepping/src/step.rs", "tests/common/main.rs"] {
        check(names, path, &[], &[""]);
    }
}

/// Goal: nothing is imported upwards. Method: every way to write such a path.
#[test]
fn an_import_upwards_is_found() {
    let bad = [
        "use crate::pipeline::Pipeline;",
        "use crate::{geom::Aabb, kernels::sweep};",
        "use crate::{\n    geom::{Aabb, segment::{Hit}},\n    pipeline as top,\n};",
        "use super::super::kernels;",
        "use super::{slots, super::kernels::sweep};",
        "use self::super::super::kernels::fill;",
        "fn f() -> crate::broadphase::Pair { todo }",
        "macro_rules! m { () => { $crate::kernels::sweep() } }",
        "mod tests { use super::super::super::kernels; }",
        "mod slots {} use super::super::kernels;",
        "#[cfg(test)] mod tests { use crate::pipeline::Pipeline; }",
        "use crate::Aabb;",
        "use crate::*;",
        "use crate as root;",
        "use crate::{self as root};",
    ];
    let good = [
        "use crate::geom::Aabb; use crate::lanes::{Isa, Level}; use crate::columns::slots;",
        "pub(crate) fn f(&self) { self.rows.len() } pub(in crate::columns) struct A;",
        "use super::slots::Slot; use super::{columns, *}; use super::super::geom;",
        "use crate::{geom as plain, columns::{view as rows, slots}};",
        "// use crate::kernels\n/// See [`crate::kernels::sweep`].\nfn f() { g(\"crate::kernels\") }",
        "mod tests { use super::*; use super::super::slots; }",
        "fn f() { crate::geom::Aabb::<f32>::new(crate::lanes::WIDEST as usize) }",
    ];
    check(layering, "src/columns/columns.rs", &bad, &good);
    check(layering, "src/columns/mod.rs", &["use super::kernels;"], &["use self::slots::Slot;"]);
    check(layering, "src/par.rs", &["use crate::geom::Aabb;"], &["use super::par::fill;"]);
    check(layering, "src/columns/tests.rs", &["use crate::kernels;"], &["use crate::geom::Aabb;"]);
    for path in ["src/lib.rs", "tests/a.rs", "src/pipeline/tick.rs"] {
        check(layering, path, &[], &["use crate::broadphase::Pair;"]);
    }
}

/// Goal: the CPU and the threads are used in one layer each. Method: every spelling, in that layer and
/// outside.
#[test]
fn path_outside_of_its_layer_is_found() {
    let lanes = [
        "use wide::f32x8;",
        "use core::arch::x86_64::*;",
        "use std::{arch::is_x86_feature_detected, fmt};",
        "fn f() { ::core::arch::asm!(\"\") }",
        "fn f() { unsafe { g() } }",
        "unsafe impl Pod for A {}",
    ];
    let par = [
        "use rayon::prelude::*;",
        "use ::std::sync::Arc;",
        "use core::{fmt, sync::atomic};",
        "std::thread::scope(|scope| {})",
        "thread_local! { static A: u32 = 0 }",
    ];
    let good = [
        "#![deny(unsafe_code, unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]",
        "// unsafe, wide::f32x8, rayon\nfn f() { g(\"core::arch unsafe std::sync\") }",
        "use core::fmt; use std::vec::Vec; fn f(wide: u32) -> u32 { wide + 1 }",
        "#[cfg(feature = \"rayon\")] fn f() {}",
    ];
    for path in ["src/lib.rs", "src/kernels/sweep.rs", "stepping/src/step.rs"] {
        check(homes, path, &[lanes.as_slice(), &par].concat(), &good);
    }
    check(homes, "src/lanes/avx2.rs", &par, &[lanes.as_slice(), &good].concat());
    check(homes, "src/par.rs", &lanes, &[par.as_slice(), &good].concat());
    check(homes, "src/par/chunks.rs", &lanes, &par);
    check(homes, "benches/sweep.rs", &[], &[lanes.as_slice(), &par].concat());
}

/// Goal: the same bits everywhere. Method: fused, estimated and platform operations by each name.
#[test]
fn an_operation_with_other_bits_is_found() {
    let bad = [
        "a.mul_add(b, c)",
        "f32::mul_add(a, b, c)",
        "a.mul_neg_sub(b, c)",
        "_mm256_fmadd_ps(a, b, c)",
        "vfmaq_f32(a, b, c)",
        "_mm_rcp_ps(a)",
        "vrsqrteq_f32(a)",
        "let b = 1.0 / a; let c = a\n    .recip();",
        "use glam::Vec3A;",
        "a.powf(b)",
        "a.sin()",
        "2.0f32.cos()",
        "a.exp()",
        "many.map(f32::sin)",
    ];
    let good = [
        "// a.mul_add(b, c)\nfn f() { g(\".sin(\") }",
        "libm::sinf(a) + libm::exp(b)",
        "a.sqrt() + a.abs() / b",
        "let sin = row.sin; exp(1)",
    ];
    check(same_bits, "src/narrowphase/roots.rs", &bad, &good);
    check(same_bits, "stepping/src/step.rs", &bad, &good);
    check(same_bits, "testkit/scenes/src/pile.rs", &[], &bad);
}

/// Goal: no file is compiled twice. Method: the attribute by itself and with a visibility, and similar text.
#[test]
fn an_inclusion_by_path_is_found() {
    let bad =
        ["#[path = \"a.rs\"] mod a;", "#[cfg(test)]\n#[path = \"b/c.rs\"]\npub(crate) mod c;"];
    let good = ["// #[path = \"a.rs\"]\nmod a;", "let path = [path]; f(\"#[path = 1]\")"];
    for path in ["src/lanes/mod.rs", "tests/cli/main.rs", "benches/peers/src/main.rs"] {
        check(inclusions, path, &bad, &good);
    }
    check(inclusions, "docs/a.md", &[], &bad);
}

/// Goal: a silenced lint has a reason. Method: each position of such an attribute.
#[test]
fn a_silenced_lint_without_reason_is_found() {
    let bad = [
        "#[allow(dead_code)] fn f() {}",
        "#![allow(\n    clippy::too_many_arguments,\n)]",
        "#[cfg_attr(test, allow(dead_code))] fn f() {}",
        "#[expect(dead_code)] fn f(reason: u32) {}",
        "#[allow(dead_code)] #[allow(unused, reason = \"a\")] fn f() {}",
    ];
    let good = [
        "#[allow(dead_code, reason = \"read by the `capi` feature\")] fn f() {}",
        "#[cfg_attr(test, allow(a(b), reason = \"c\"))] fn f() { x.expect(\"y\") }",
        "// #[allow(dead_code)]\nfn f() { self.allow(a) }",
    ];
    check(excuses, "src/lanes/mod.rs", &bad, &good);
}

/// Goal: no unfinished work is left. Method: every mark, in code and in prose.
#[test]
fn unfinished_work_is_found() {
    for mark in MARKS {
        let (code, prose) = (format!("fn f() {{ {mark}(a) }}"), format!("a\n// {mark}: b"));
        check(marks, "src/lib.rs", &[&code, &prose], &["fn to_do() {} // what is to do"]);
        check(marks, "docs/a.md", &[&prose], &[&format!("a pseudo{mark}")]);
        check(marks, ".ci/run", &[], &[&prose]);
    }
}
