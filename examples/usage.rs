//! How does an example end when it could not do what it was asked to do?
//!
//! With one line on stderr that begins with the name of the example, and a status: [`WRONG`] when the answers
//! are not what they have to be, [`REFUSED`] when the arguments, a file or the system made a run impossible.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Error;

/// The status of a run that was finished, and whose answers are wrong.
pub const WRONG: u8 = 1;
/// The status of a run that could not be made.
pub const REFUSED: u8 = 2;

/// Prints the help that was asked for, or what is wrong with the arguments of an example.
pub fn say(example: &str, error: &Error) -> ExitCode {
    if error.exit_code() == 0 {
        // A reader that closed the pipe has read enough.
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
        // The name of a file may have a line end in it.
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    // Where even stderr is closed, the status alone tells.
    let _ = writeln!(io::stderr(), "{line}");
    ExitCode::from(status)
}
