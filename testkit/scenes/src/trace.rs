//! Reads a recorded tick (`.swt`), and the lists of pairs beside it (`.prs`).
//!
//! All numbers are little-endian and 32 bits wide, except the one byte of `kind`.
//!
//! * `.swt`: `"SWTRACE1"`, version 1, tick, `n`, `dt` as `f32`, 8 bytes unused; then the columns `min`, `max`
//!   and `delta` as `f32[n]` for `x`, `y`, `z` each, body as `u32[n]`, kind as `u8[n]`.
//! * `.prs`: `"SWPAIRS1"`, version 1, `n`, three counts of pairs, three unused counts; then the pairs
//!   *start*, *union* and *swept* as `(i, j)` with `i < j < n`, sorted.
//!
//! A file is read as a whole or rejected with an error of one line. Its length is compared with its counts
//! before anything is read, so a wrong count costs no memory.

use std::path::Path;

use super::columns::{Rest, read};
use super::fault::{Fault, TraceError};
use super::{Motion, World};

const TRACE_MAGIC: &str = "SWTRACE1";
const TRACE_HEADER_BYTES: usize = 32;
const TRACE_ROW_BYTES: u64 = 9 * 4 + 4 + 1;
const PAIRS_MAGIC: &str = "SWPAIRS1";
const PAIRS_HEADER_BYTES: usize = 40;
const PAIR_BYTES: u64 = 8;

/// One recorded tick of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Number of the tick in the simulation.
    pub tick: u32,
    /// The length of the tick in seconds.
    pub dt: f32,
    /// Lower corners at the start of the tick.
    pub min: [Vec<f32>; 3],
    /// Upper corners at the start of the tick.
    pub max: [Vec<f32>; 3],
    /// Displacements over the tick.
    pub delta: [Vec<f32>; 3],
    /// The body of each box.
    pub body: Vec<u32>,
    /// The kind of the body: 0 fixed, 1 awake, 2 asleep, 3 kinematic, 4 bullet.
    pub kind: Vec<u8>,
}

impl Trace {
    /// Reads a `.swt` file.
    ///
    /// # Errors
    /// If it cannot be read or is not such a file from its first to its last byte.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        read(path, Self::parse)
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are no boxes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// The scene of this tick. Every box counts as moving, whatever its kind, and [`World::step`] repeats the
    /// tick.
    #[must_use]
    pub fn into_world(self) -> World {
        let moves = vec![true; self.len()];
        let Self { min, max, delta, .. } = self;
        let (centre, half) = Default::default();
        World { min, max, delta, moves, centre, half, motion: Motion::Repeat }
    }

    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let mut rest = Rest::new(bytes, TRACE_MAGIC, TRACE_HEADER_BYTES)?;
        let tick = rest.u32();
        let boxes = rest.u32();
        let dt = f32::from_bits(rest.u32());
        rest.take(8);
        rest.must_be(u64::from(boxes) * TRACE_ROW_BYTES)?;
        let boxes = boxes as usize;
        let mut columns = || [(); 3].map(|()| rest.column(boxes, f32::from_le_bytes));
        let (min, max, delta) = (columns(), columns(), columns());
        let body = rest.column(boxes, u32::from_le_bytes);
        let kind = rest.take(boxes).to_vec();
        Ok(Self { tick, dt, min, max, delta, body, kind })
    }
}

/// The pairs of one recorded tick, each list sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairLists {
    /// Number of boxes of the trace; every index is less.
    pub boxes: u32,
    /// Pairs of boxes that overlap or touch at the start of the tick.
    pub start: Vec<(u32, u32)>,
    /// Pairs of boxes whose boxes around the whole paths overlap.
    pub union: Vec<(u32, u32)>,
    /// Pairs of boxes that overlap or touch at any time of the tick.
    pub swept: Vec<(u32, u32)>,
}

impl PairLists {
    /// Reads a `.prs` file.
    ///
    /// # Errors
    /// If it cannot be read or is not such a file from its first to its last byte.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        read(path, Self::parse)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let mut rest = Rest::new(bytes, PAIRS_MAGIC, PAIRS_HEADER_BYTES)?;
        let boxes = rest.u32();
        let counts = [(); 3].map(|()| rest.u32());
        rest.take(12);
        rest.must_be(counts.map(u64::from).iter().sum::<u64>() * PAIR_BYTES)?;
        let [start, union, swept] = counts.map(|count| {
            let ends = rest.column(count as usize * 2, u32::from_le_bytes);
            ends.as_chunks().0.iter().map(|&[i, j]| (i, j)).collect::<Vec<_>>()
        });
        for (list, name) in [(&start, "start"), (&union, "union"), (&swept, "swept")] {
            if !list.is_sorted_by(|a, b| a < b) || !list.iter().all(|&(i, j)| i < j && j < boxes) {
                return Err(Fault::Pairs { list: name });
            }
        }
        Ok(Self { boxes, start, union, swept })
    }
}

#[cfg(test)]
mod tests {
    /// A trace of two boxes, and the lists of their one pair.
    fn files() -> [Vec<u8>; 2] {
        let mut trace = b"SWTRACE1".to_vec();
        for word in [1, 7, 2, 0.5_f32.to_bits(), 0, 0] {
            trace.extend(u32::to_le_bytes(word));
        }
        for number in 0..18_u8 {
            trace.extend(f32::from(number).to_le_bytes());
        }
        trace.extend([5_u32, 6].map(u32::to_le_bytes).concat());
        trace.extend([0, 4]);
        let mut pairs = b"SWPAIRS1".to_vec();
        for word in [1, 2, 0, 1, 1, 9, 9, 9, /* union */ 0, 1, /* swept */ 0, 1] {
            pairs.extend(u32::to_le_bytes(word));
        }
        [trace, pairs]
    }

    fn trace_error(bytes: &[u8]) -> String {
        super::Trace::parse(bytes).expect_err("refused").to_string()
    }

    fn pairs_error(bytes: &[u8]) -> String {
        super::PairLists::parse(bytes).expect_err("refused").to_string()
    }

    #[test]
    fn whole_files_are_read() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("swath-worlds-{}", std::process::id()));
        let [trace_bytes, pairs_bytes] = files();

        std::fs::write(&path, trace_bytes).expect("a file can be written");
        let trace = super::Trace::read(&path).expect("a trace");
        assert_eq!((trace.tick, trace.dt, trace.len()), (7, 0.5, 2));
        assert_eq!(trace.max[1], [8.0, 9.0]);
        assert_eq!((&trace.body[..], &trace.kind[..]), (&[5, 6][..], &[0, 4][..]));
        let refused = super::PairLists::read(&path).expect_err("a trace is not a list").to_string();
        assert_eq!(
            refused,
            format!(
                "{}: not a recorded tick or its pairs: it does not begin with \"SWPAIRS1\"",
                path.display()
            )
        );

        std::fs::write(&path, pairs_bytes).expect("a file can be written");
        let pairs = super::PairLists::read(&path).expect("pair lists");
        assert_eq!((pairs.boxes, pairs.start, pairs.union), (2, vec![], vec![(0, 1)]));
        std::fs::remove_file(&path).expect("the file can be removed");
        assert!(super::Trace::read(&path).is_err(), "there is no such file any more");

        let mut world = trace.clone().into_world();
        world.step();
        assert_eq!((world.min, world.moves), (trace.min, vec![true; 2]));
    }

    #[test]
    fn damaged_files_are_refused() {
        let [trace, pairs] = files();
        for (bytes, error) in [(&trace, trace_error as fn(&[u8]) -> String), (&pairs, pairs_error)]
        {
            for end in 0..bytes.len() {
                let foreign = end < 8;
                let expected = if foreign { "not a recorded tick" } else { "truncated" };
                assert!(error(&bytes[..end]).starts_with(expected), "{end} bytes");
            }
            assert!(error(&[&bytes[..], &[0]].concat()).starts_with("trailing bytes"));
        }
        let with = |bytes: &[u8], at: usize, word: u32| {
            [&bytes[..at], &word.to_le_bytes(), &bytes[at + 4..]].concat()
        };
        assert!(trace_error(&with(&trace, 8, 2)).starts_with("version 2"));
        assert!(pairs_error(&with(&pairs, 8, 0)).starts_with("version 0"));
        assert!(trace_error(&with(&trace, 16, u32::MAX)).starts_with("truncated"));
        assert!(trace_error(&with(&trace, 16, 1)).starts_with("trailing bytes"));
        assert!(pairs_error(&with(&pairs, 20, u32::MAX)).starts_with("truncated"));
        assert!(pairs_error(&with(&pairs, 44, 0)).starts_with("the union pairs"));
        assert!(pairs_error(&with(&pairs, 52, 2)).starts_with("the swept pairs"));
    }
}
