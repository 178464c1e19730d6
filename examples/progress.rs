//! The progress bar of an example.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// A bar of `len` steps on stderr, whose unit is `step`. It is not drawn if `hidden`, or if stderr is not a terminal.
#[must_use]
pub fn bar(len: u64, step: &str, name: &str, hidden: bool) -> ProgressBar {
    let template = format!("{{prefix}} [{{wide_bar}}] {step} {{pos}} of {{len}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    let bar = ProgressBar::new(len)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_prefix(name.to_owned())
        .with_finish(ProgressFinish::AndClear);
    if hidden {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}
