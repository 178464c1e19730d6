//! A rule about the list of changes: it is at the root, in the form of Keep a Changelog.

use crate::Finding;

/// The kinds of changes, as <https://keepachangelog.com/en/1.1.0/> names them.
const KINDS: [&str; 6] = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

/// The changelog is `CHANGELOG.md` at the root. It has a section per version, and in it one per kind of change,
/// which may have parts. A blank line is before and after each heading.
pub(crate) fn form(path: &str, text: &str) -> Vec<Finding> {
    if !path.ends_with("CHANGELOG.md") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if path != "CHANGELOG.md" {
        findings.push((1, "the changelog is at the root".to_owned()));
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_blank =
        |at: Option<usize>| at.and_then(|at| lines.get(at)).is_none_or(|line| line.is_empty());
    let mut in_version: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('#')) {
        let (marks, name) = line.split_once(' ').unwrap_or((line, ""));
        let fits = match marks {
            "#" => at == 0 && name == "Changelog",
            "##" => {
                in_version.clear();
                name == "[Unreleased]" || is_release(name)
            }
            "###" => {
                let is_first = !in_version.contains(&name);
                in_version.push(name);
                is_first && KINDS.contains(&name)
            }
            "####" => !name.is_empty() && !in_version.is_empty(),
            _ => false,
        };
        if !fits {
            findings.push((at + 1, format!("`{line}` is no heading of Keep a Changelog here")));
        }
        if !is_blank(at.checked_sub(1)) || !is_blank(Some(at + 1)) {
            findings.push((at + 1, "a blank line is before and after a heading".to_owned()));
        }
    }
    findings
}

/// Whether a heading is a version and a date, as in `[0.1.0] - 2026-11-22`.
fn is_release(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((version, date)) = name.strip_prefix('[').and_then(|rest| rest.split_once("] - "))
    else {
        return false;
    };
    let is_version = version.split('.').count() == 3 && version.split('.').all(digits);
    is_version && date.len() == 10 && date.split('-').count() == 3 && date.split('-').all(digits)
}

/// Goal: a changelog in another place or form is found. Method: each part of the form is broken alone.
#[test]
fn another_form_of_changelog_is_found() {
    let good = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n#### Kernels\n\n- A.\n\n\
        ## [0.1.0] - 2026-11-22\n\n### Added\n\n- B.\n";
    crate::check(form, "CHANGELOG.md", &[], &[good]);
    crate::check(form, "docs/CHANGELOG.md", &[good], &[]);
    let breaks = [
        ("# Changelog", "# Changes"),
        ("[Unreleased]", "Unreleased"),
        ("### Added\n\n####", "### News\n\n####"),
        ("#### Kernels", "##### Kernels"),
        ("#### Kernels\n\n", "#### Kernels\n"),
        ("\n\n## [0.1.0]", "\n## [0.1.0]"),
        ("[0.1.0] - 2026-11-22", "[0.1.0]"),
        ("[0.1.0]", "[0.1]"),
        ("2026-11-22", "22 Nov 2026"),
        ("## [0.1.0] - 2026-11-22\n\n", ""),
    ];
    for (part, other) in breaks {
        assert!(good.contains(part), "{part}");
        crate::check(form, "CHANGELOG.md", &[&good.replace(part, other)], &[]);
    }
}
