//! How an example shows that it runs, and how long it will take.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// A bar on stderr for this many ticks, with an estimate of the time that is left. It is hidden if stderr is not a terminal, and if
/// `quiet`, as for an example that prints JSON.
#[must_use]
pub fn bar(name: &str, ticks: u32, quiet: bool) -> ProgressBar {
    steps(name, "tick", ticks.into(), quiet)
}

/// A [`bar`] for steps of another kind than ticks.
#[must_use]
pub fn steps(name: &str, step: &str, count: u64, quiet: bool) -> ProgressBar {
    let template = format!("{{prefix}} [{{wide_bar}}] {step} {{pos}} of {{len}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    let bar = ProgressBar::new(count)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_prefix(name.to_owned())
        .with_finish(ProgressFinish::AndClear);
    if quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

/// A number and its noun, in the singular or the plural: `1 box`, `2 boxes`, `0 bodies`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if number == 1 => return format!("1 {noun}"),
        Some(stem) => format!("{stem}ies"),
        None if ["x", "ch", "ss"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        None => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

/// Goal: nouns have the right number. Method: zero, one and several, for each ending.
#[test]
fn nouns_have_the_right_number() {
    for (number, noun, expected) in [
        (0, "box", "0 boxes"),
        (1, "box", "1 box"),
        (1, "body", "1 body"),
        (2, "body", "2 bodies"),
        (7, "tick", "7 ticks"),
        (2, "approach", "2 approaches"),
        (0, "miss", "0 misses"),
    ] {
        assert_eq!(count(number, noun), expected);
    }
}
