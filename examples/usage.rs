//! What does a program say of its flags?

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Error;

/// Prints the help that was asked for, or what is wrong with the flags, in one line.
pub fn say(error: &Error) -> ExitCode {
    if error.exit_code() == 0 {
        // A reader that went away has read enough.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let mut words = Vec::new();
    for line in text.lines().take_while(|line| !line.is_empty()) {
        words.extend(line.split_whitespace());
    }
    // Nothing is left to be done where even stderr is closed.
    let _ = writeln!(io::stderr(), "{} (try '--help')", words.join(" "));
    ExitCode::from(2)
}
