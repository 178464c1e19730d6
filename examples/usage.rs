//! How an example ends when it cannot do what its arguments demand.
//!
//! It prints one line on stderr, which begins with the name of the example, and exits with a status:
//! [`WRONG`] if the results are not correct, [`REFUSED`] if the arguments, a file or the system made a run
//! impossible.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::process::ExitCode;

use clap::Error;

/// The status of a run that was finished with wrong results.
pub const WRONG: u8 = 1;
/// The status if there was no run.
pub const REFUSED: u8 = 2;

/// Returns a function that parses a whole number in a range, for an argument of an example.
pub fn whole<T: TryFrom<i64>>(
    range: RangeInclusive<i64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| {
            format!("it must be a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// Prints the help, or what is wrong with the arguments of an example.
pub fn say(example: &str, error: &Error) -> ExitCode {
    if error.exit_code() == 0 {
        // That the reader closed the pipe is no error.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let first: Vec<_> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let first = first.join(" ");
    let why = first.strip_prefix("error: ").unwrap_or(&first);
    end(example, REFUSED, &format_args!("{why} (try '--help')"))
}

/// Prints why a run of an example ended, in one line.
pub fn end(example: &str, status: u8, why: &dyn Display) -> ExitCode {
    let mut line = String::new();
    for c in format!("{example}: {why}").chars() {
        // The name of a file may contain a line end.
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    // If stderr is closed too, only the status is left.
    let _ = writeln!(io::stderr(), "{line}");
    ExitCode::from(status)
}
