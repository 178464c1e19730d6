//! A rule about the texts of errors: they state what is wrong, and after a semicolon what is expected or what to do.

use crate::Finding;
use crate::source::in_src;

/// The texts of errors of the library that state only what is wrong. A text that ends with another error is complete,
/// because that one states the rest.
pub(crate) fn error_texts(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !in_src(path) {
        return findings;
    }
    for (at, _) in text.match_indices("#[error(") {
        let attribute = &text[at..text[at..].find(")]").map_or(text.len(), |end| at + end)];
        let shown = attribute.split('"').nth(1).unwrap_or("{0}");
        let ends = ["{0}", "{reason}"];
        if !shown.contains("; ") && !ends.iter().any(|end| shown.ends_with(end)) {
            let line = text[..at].matches('\n').count() + 1;
            let sentence = "an error states what is wrong; then what is expected or what to do";
            findings.push((line, sentence.to_owned()));
        }
    }
    findings
}

/// Goal: a text that states only what is wrong is found. Method: one and two parts, on one line and several, and errors that show
/// another one.
#[test]
fn an_error_without_advice_is_found() {
    let bad = ["#[error(\"a radius is negative\")]", "#[error(\n    \"{rows} rows\",\n)]\nA,"];
    let good = [
        "#[error(\"a radius is negative; it must be 0 or more\")]",
        "#[error(\n    \"{rows} rows; \\\n at most 5\"\n)]",
        "#[error(transparent)]",
        "#[error(\"{0}\")]",
        "#[error(\"plane {index} is invalid: {reason}\")]",
    ];
    for path in ["src/geom/aabb.rs", "stepping/src/config.rs"] {
        crate::check(error_texts, path, &bad, &good);
    }
    crate::check(error_texts, "examples/tick/stop.rs", &[], &bad);
    let indented = "enum E {\n    #[error(\"a radius is negative\")]\n    A,\n}";
    assert_eq!(error_texts("src/geom/aabb.rs", indented)[0].0, 2);
}
