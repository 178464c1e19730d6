//! Checks that every float in a result is finite.
//!
//! The result is printed by `Debug`, which shows every field of every struct, and the text is searched for
//! the two words of floats that are not finite. So no fields have to be listed, and a field that is added
//! later is checked too.

use std::fmt::{self, Debug, Write};

/// Panics if a float of a result is NaN or infinite.
#[track_caller]
pub fn assert_finite(answer: &impl Debug) {
    let mut scan = Scan::default();
    write!(scan, "{answer:?} ").expect("it is only searched");
    assert!(scan.is_finite, "a float is not finite: {answer:?}");
}

/// Searches the written text for the words `NaN` and `inf`.
struct Scan {
    /// The first four characters of the current word, and their number.
    word: [u8; 4],
    length: usize,
    is_finite: bool,
}

impl Default for Scan {
    fn default() -> Self {
        Self { word: [0; 4], length: 0, is_finite: true }
    }
}

impl Write for Scan {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                if let Some(at) = self.word.get_mut(self.length) {
                    *at = byte;
                }
                self.length += 1;
                continue;
            }
            let is_other = !matches!(&self.word[..self.length.min(4)], b"NaN" | b"inf");
            self.is_finite &= is_other;
            self.length = 0;
        }
        Ok(())
    }
}
