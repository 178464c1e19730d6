//! Captured ticks of any bytes: they are read or rejected, and a captured tick can be run.
//!
//! The bytes are used as a file, and then as the contents between the head and the checksum of one, so that
//! the contents are read too.

use crate::checksum::with_checksum;
use crate::finite::assert_finite;
use swath::pipeline::{Capture, CaptureError};
use swath::{Pair, Pipeline, Threads};

/// Greatest number of rows that are run: the time may grow with its square.
const ROWS_MAX: usize = 64;

pub fn run(data: &[u8]) {
    if let Ok(capture) = Capture::read(data) {
        look(&capture, data.len());
    }
    for version in [1_u32, 2] {
        of_version(version, data);
    }
}

/// Reads the bytes as the contents of a file of this version.
fn of_version(version: u32, data: &[u8]) {
    let length = (20 + data.len() + 8) as u64;
    let mut bytes = b"SWATHTIC".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(data);
    bytes.extend([0; 8]);
    let bytes = with_checksum(bytes);
    match Capture::read(&bytes) {
        Ok(capture) => look(&capture, bytes.len()),
        Err(CaptureError::Malformed { .. } | CaptureError::TooManyRows { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

/// A tick, and the same after it is written and read again.
fn look(capture: &Capture, bytes: usize) {
    let (convex, geometries) = (capture.convex(), capture.geometries());
    let scene = capture.scene(&convex, &geometries);
    assert!(scene.len() <= bytes, "{} rows of {bytes} bytes", scene.len());
    if scene.len() > ROWS_MAX {
        return;
    }
    let mut pipeline = Pipeline::new(*capture.config());
    pipeline.exec.threads = Threads::one();
    let ticked = pipeline.tick(&scene).expect("a tick that was read is one");
    assert_finite(&(ticked.impacts(), ticked.sensed()));
    for impact in ticked.impacts().iter().chain(ticked.sensed()) {
        assert!((0.0..=1.0).contains(&impact.toi), "{impact:?}");
        assert!(impact.pair.a < impact.pair.b, "{impact:?}");
    }
    let first = ticked.impacts().iter().chain(ticked.sensed()).next().map(|impact| impact.pair);
    let hash = ticked.hash();
    let bytes = pipeline.capture(&scene).expect("it can be captured");
    let again = Capture::read(&bytes).expect("a written file can be read");
    let (convex, geometries) = (again.convex(), again.geometries());
    let scene = again.scene(&convex, &geometries);
    assert_eq!(pipeline.tick(&scene).expect("as before").hash(), hash);
    let pair = first.unwrap_or(Pair { a: 0, b: 1 });
    if let Ok(why) = pipeline.explain(&scene, pair) {
        assert_eq!(why.impact().is_some(), first.is_some(), "{why}");
    }
}
