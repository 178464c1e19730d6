//! Runs the fuzz body on every stored input, and on generated ones: calls through C have the results of Rust.

use testkit::fuzz::replay;

#[test]
fn kept_inputs() {
    replay::stored("c", c_testkit::run);
}

#[test]
fn generated_inputs() {
    let cases = std::env::var("SWATH_CASES").ok().and_then(|cases| cases.parse().ok());
    replay::generated(7, cases.unwrap_or(40_000), 2_000, c_testkit::run);
}
