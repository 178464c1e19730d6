//! Rules about comments: each stands alone, and an invalid value is called invalid.

use crate::Finding;
use crate::source::in_src;

/// How a doc comment may end: a sentence, a code block, a row of a table, or a list of definitions.
const ENDS: [&str; 6] = [".", "```", "|", ".)", ".*", "</details>"];

/// Phrases for *invalid* that a reader does not understand at first reading.
const NOT_INVALID: [&str; 10] = [
    "is none",
    "are none",
    "was none",
    "is no box",
    "is no body",
    "is no number",
    "are no boxes",
    "are no bodies",
    "is no shape",
    "is no segment",
];

/// A doc comment is one or more sentences: it starts with a capital letter or a code span and ends
/// with a full stop.
pub(crate) fn doc_comments(path: &str, text: &str) -> Vec<Finding> {
    if !in_src(path) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let comment = |at: usize| {
        let line: &str = lines.get(at)?;
        let inside = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
        (!inside.starts_with('/')).then(|| inside.trim())
    };
    let mut at = 0;
    while at < lines.len() {
        let Some(first) = comment(at) else {
            at += 1;
            continue;
        };
        let start = at;
        let mut last = first;
        while let Some(inside) = comment(at) {
            last = if inside.is_empty() { last } else { inside };
            at += 1;
        }
        let begins = first.chars().next();
        if begins.is_some_and(char::is_lowercase) {
            findings.push((start + 1, "a doc comment starts with a capital letter".to_owned()));
        }
        let link = last.starts_with('[') && last.contains("]: ");
        if !link && !ENDS.iter().any(|end| last.ends_with(end)) {
            findings.push((at, "a doc comment ends with a full stop".to_owned()));
        }
    }
    findings
}

/// An invalid value is called invalid, or rejected. The rule reads the library's comments.
pub(crate) fn invalid_is_said(path: &str, text: &str) -> Vec<Finding> {
    let is_code = in_src(path);
    let mut findings = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|_| is_code) {
        let comment = text.find("//").map_or("", |at| &text[at..]);
        for phrase in NOT_INVALID {
            let mut at = comment.match_indices(phrase).map(|(at, _)| at + phrase.len());
            if at.any(|end| !comment[end..].starts_with(|next: char| next.is_alphanumeric())) {
                findings.push((line, format!("`{phrase}`: say that it is invalid, or rejected")));
            }
        }
    }
    findings
}

/// Goal: an unfinished doc comment is found. Method: the start, the end, and the exceptions.
#[test]
fn an_unfinished_doc_comment_is_found() {
    let bad = [
        "/// the rows of a part.\nfn f() {}",
        "/// The rows\n/// of a part\nfn f() {}",
        "//! Rows",
    ];
    let good = [
        "/// The rows of a part.\nfn f() {}",
        "/// `rows` of a part.\n///\n/// ```\n/// f();\n/// ```\nfn f() {}",
        "/// | a | b |\nfn f() {}",
        "//// a ruler",
        "/// See [`f`].\n///\n/// [`f`]: crate::f\nfn f() {}",
        "// no doc comment",
    ];
    crate::check(doc_comments, "src/geom/aabb.rs", &bad, &good);
    crate::check(doc_comments, "tests/geom/boxes.rs", &[], &bad);
}

/// Goal: other words for *invalid* are found. Method: each phrase in a comment, in code and in a longer word.
#[test]
fn another_word_for_invalid_is_found() {
    let bad =
        ["/// A row that is none is rejected.", "a(); // what is no box", "//! Some are no boxes."];
    let good =
        ["let a = b.is_none();", "/// None of them is nonempty.", "fn f() { g(\"is none\") }"];
    crate::check(invalid_is_said, "src/geom/aabb.rs", &bad, &good);
}
