//! A rule about pages: each begins with its title.

use crate::Finding;

/// A page begins with a heading of the first level. A file that only defines links for other pages has none.
pub(crate) fn title(path: &str, text: &str) -> Vec<Finding> {
    let begins = text.starts_with("# ") || text.starts_with('[');
    if begins || !path.ends_with(".md") {
        return Vec::new();
    }
    vec![(1, "a page begins with its title".to_owned())]
}

/// Goal: a page without a title is found, as one that was overwritten by mistake. Method: pages, an empty page, and files of other kinds.
#[test]
fn page_without_a_title_is_found() {
    let good = ["# Comparison\n\nText.\n", "[a page]: crate::guide\n"];
    crate::check(title, "docs/COMPARE.md", &["", "static", "## Pairs\n", "#Pairs\n"], &good);
    crate::check(title, "docs/picture.svg", &[], &["static"]);
}
