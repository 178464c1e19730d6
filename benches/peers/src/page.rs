//! Replaces the tables of a page.

use std::error::Error;
use std::path::Path;

/// Replaces what is between the lines `<!-- Written by NAME. -->` and `<!-- End of NAME. -->`.
pub fn fill(page: &Path, name: &str, text: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let old = std::fs::read_to_string(page)?;
    let new = filled(&old, name, text)
        .ok_or_else(|| format!("{} has no lines for {name}", page.display()))?;
    Ok(std::fs::write(page, new)?)
}

fn filled(page: &str, name: &str, text: &str) -> Option<String> {
    let [begin, end] = [format!("<!-- Written by {name}. -->"), format!("<!-- End of {name}. -->")];
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim()))
}

/// Goal: only the tables of one program are replaced. Method: a page with two of them, filled twice.
#[test]
fn other_text_is_kept() {
    let page = "a\n<!-- Written by x. -->\nold\n<!-- End of x. -->\nb\n<!-- Written by y. -->\n<!-- End of y. -->\n";
    let once = filled(page, "x", "new\n").expect("it is there");
    assert_eq!(once, page.replace("\nold\n", "\n\nnew\n\n"));
    assert_eq!(filled(&once, "x", "new").as_deref(), Some(&*once));
    assert_eq!(filled(page, "z", "new"), None);
}
