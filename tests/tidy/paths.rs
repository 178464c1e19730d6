//! A rule about what texts refer to: links of pages, and files named in code spans, exist.

use crate::imports::File;
use crate::is_of_peers;

/// Folders that a path in a code span may start with.
const FOLDERS: [&str; 9] =
    [".ci/", "benches/", "docs/", "examples/", "fuzz/", "src/", "stepping/", "testkit/", "tests/"];

/// Ends of file names that a code span may consist of.
const ENDS: [&str; 4] = [".rs", ".md", ".csv", ".js"];

/// The links of pages, and the files in code spans of pages and comments, that lead to no file of the repository.
pub(crate) fn dead_paths(files: &[File]) -> Vec<(String, usize, String)> {
    let mut findings = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !is_of_peers(path)) {
        let is_page = path.ends_with(".md");
        for (line, text) in (1..).zip(text.lines()) {
            let prose = if is_page { text } else { text.find("//").map_or("", |at| &text[at..]) };
            let spans = prose.split('`').skip(1).step_by(2).filter(|span| is_path(span));
            let dead_spans = spans.filter(|span| !exists(files, span) && !leads(files, path, span));
            let links = links(prose).filter(|_| is_page);
            let dead_links = links.filter(|link| !leads(files, path, link));
            for dead in dead_spans.chain(dead_links) {
                findings.push((path.clone(), line, format!("`{dead}` does not exist")));
            }
        }
    }
    findings
}

/// The targets of the links of a line, without those to other sites, to items of a crate and within the page, and
/// without files that contain themselves in their address.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    // The definition of a label: `[label]: target`.
    let defined = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    let defined = defined.and_then(|(_, target)| target.split('#').next());
    let elsewhere = |link: &str| {
        link.contains("://") || link.starts_with("crate::") || link.starts_with("data:")
    };
    targets.chain(defined).filter(move |link| !link.is_empty() && !elsewhere(link))
}

/// Whether a code span is a path. Capital letters are placeholders.
fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
    span.chars().all(plain)
        && (FOLDERS.iter().any(|folder| span.starts_with(folder))
            || ENDS.iter().any(|end| span.len() > end.len() && span.ends_with(end)))
}

/// Whether a file or folder of the repository has this path, or a file has this end of its path.
fn exists(files: &[File], path: &str) -> bool {
    let (end, folder) = (format!("/{path}"), format!("{}/", path.trim_end_matches('/')));
    files.iter().any(|(file, _)| file == path || file.ends_with(&end) || file.starts_with(&folder))
}

/// Whether a path leads from the folder of a page to a file or folder.
fn leads(files: &[File], page: &str, link: &str) -> bool {
    let mut path: Vec<&str> = page.split('/').collect();
    path.pop();
    for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    let (path, folder) = (path.join("/"), path.join("/") + "/");
    files.iter().any(|(file, _)| *file == path || file.starts_with(&folder))
}

/// Goal: a link or a file name that leads nowhere is found. Method: links and code spans from pages in
/// several folders, to files, to folders, to other sites and with placeholders.
#[test]
fn a_dead_path_is_found() {
    let found = |path: &str, text: &str| {
        let others = ["src/geom/aabb.rs", "docs/math/sweep.md", "LICENSE-MIT"];
        let others = others.map(|path| (path.to_owned(), String::new()));
        dead_paths(&[&others[..], &[(path.to_owned(), text.to_owned())]].concat()).len()
    };
    for (path, text) in [
        ("README.md", "[a](docs/sweep.md)"),
        ("docs/a.md", "[a](../math) and [b](math/sweep.md)"),
        ("docs/a.md", "see [a].\n\n[a]: math/cast.md"),
        ("docs/a.md", "a `src/geom/box.rs`"),
        ("docs/a.md", "`aabb.rs` and `box.rs`"),
        ("src/lib.rs", "// see `docs/math/cast.md`"),
    ] {
        assert_eq!(found(path, text), 1, "{path}: {text}");
    }
    for (path, text) in [
        ("README.md", "[a](docs/math) [b](docs/math/sweep.md#b) [c](https://a.b/c.md) [d](#e)"),
        (
            "docs/a.md",
            "[a]: math/sweep.md#b\n[b]: crate::Aabb\n[c]: https://a.b/c\n[d]: data:image/svg+xml;base64,PHN2Zz4",
        ),
        ("docs/a.md", "[a](../LICENSE-MIT) `docs/math/` `sweep.md` `math/sweep.md`"),
        ("docs/a.md", "`tests/LAYER.rs`, `src/*.rs`, `.rs`, `cargo test a.rs`, src/geom/box.rs"),
        ("src/lib.rs", "f(\"`src/geom/box.rs`\"); // `geom/aabb.rs`"),
        ("benches/peers/src/main.rs", "// see `update.rs` of rapier"),
    ] {
        assert_eq!(found(path, text), 0, "{path}: {text}");
    }
}
