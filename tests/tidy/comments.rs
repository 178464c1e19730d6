//! Rules about comments and pages: each sentence stands alone, in textbook words.

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

/// Phrases that treat data as persons, or that describe a test instead of a fact. Data is inserted, tested, reported or
/// rejected; a box overlaps another one, and a caller sets a value.
const NOT_PLAIN: [&str; 32] = [
    "nobody",
    "somebody",
    "anybody",
    "everybody",
    "whoever",
    "is told",
    "are told",
    "be told",
    "was told",
    "as told",
    "is said",
    "are said",
    "be said",
    "is asked",
    "are asked",
    "be asked",
    "was asked",
    "asked about",
    "asked of",
    "look at",
    "looks at",
    "looked at",
    "is met",
    "are met",
    "be met",
    "knows nothing",
    "knows of",
    "wants to",
    "keep its word",
    "keeps its word",
    "by a hair",
    "a trifle",
];

/// A doc comment is one or more sentences: it starts with a capital letter or a code span and ends
/// with a full stop.
pub(crate) fn doc_comments(path: &str, text: &str) -> Vec<Finding> {
    if !path.ends_with(".rs") {
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

/// The head of a file states what the file contains; it asks nothing. Comments and pages use no phrase that
/// treats data as persons.
pub(crate) fn plain_words(path: &str, text: &str) -> Vec<Finding> {
    let is_page = path.ends_with(".md");
    // The words of this rule are in its own file.
    if !(is_page || path.ends_with(".rs")) || path == "tests/tidy/comments.rs" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let head = text.lines().next().unwrap_or("");
    if head.starts_with("//!") && head.ends_with('?') {
        findings.push((1, "the head of a file states what the file contains".to_owned()));
    }
    for (line, text) in (1..).zip(text.lines()) {
        let prose = if is_page { text } else { text.find("//").map_or("", |at| &text[at..]) };
        let prose = prose.to_lowercase();
        for phrase in NOT_PLAIN {
            if words(&prose, phrase) {
                findings.push((line, format!("`{phrase}`: say what is done, in textbook words")));
            }
        }
    }
    findings
}

/// Whether `text` contains `phrase` as whole words.
fn words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let (before, after) = (text[..at].chars().next_back(), &text[at + phrase.len()..]);
        !letter(before) && !letter(after.chars().next())
    })
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
    crate::check(doc_comments, "tests/geom/boxes.rs", &bad, &good);
    crate::check(doc_comments, "docs/TESTING.md", &[], &bad);
}

/// Goal: a head that is a question, and a phrase that treats data as persons, are found. Method: each phrase in a
/// comment and on a page, in code, and as a part of longer words.
#[test]
fn a_riddling_comment_is_found() {
    for phrase in NOT_PLAIN {
        let (comment, page) = (format!("f(); // a box {phrase} here"), format!("A box {phrase}."));
        let (code, longer) = (format!("f(\"{phrase}\");"), format!("// x{phrase}, {phrase}x"));
        crate::check(plain_words, "tests/geom/boxes.rs", &[&comment], &[&code, &longer]);
        crate::check(plain_words, "docs/TESTING.md", &[&page], &[&longer]);
    }
    let question = "//! Do boxes touch?\n\nfn f() {}";
    let good = "//! Tests of boxes.\n\nfn f() {} // Does it touch?";
    crate::check(plain_words, "tests/geom/boxes.rs", &[question], &[good]);
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
