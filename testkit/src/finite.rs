//! Is every float in an answer finite?
//!
//! An answer is printed by `Debug`, which shows every field of every struct, and what is printed is searched for the
//! two words that a float has which is no finite number. So no answer has to be listed field by field, and a
//! field that is added later is checked too.

use std::fmt::{self, Debug, Write};

/// Panics where a float of an answer is NaN or infinite.
#[track_caller]
pub fn assert_finite(answer: &impl Debug) {
    let mut scan = Scan::default();
    write!(scan, "{answer:?} ").expect("it is only searched");
    assert!(scan.is_finite, "a float is not finite: {answer:?}");
}

/// Searches what is written for the words `NaN` and `inf`.
struct Scan {
    /// The first four characters of the word that is being written, and how many it has.
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
