//! Tests that reading a short file of a tick takes little memory.

use std::sync::atomic::Ordering;
use swath::mesh::{Compound, HeightField, Mesh};
use swath::pipeline::{Capture, CaptureError, GeometryBody};
use swath::{Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
use testkit::checksum::with_checksum;
use testkit::counting::{BYTES, BYTES_MOST};

/// Memory that a file may take for each of its bytes.
const TIMES: usize = 100;

/// Reads a file, and returns the greatest number of bytes that were allocated meanwhile.
fn read(bytes: &[u8]) -> (usize, Result<Capture, CaptureError>) {
    let before = BYTES.load(Ordering::Relaxed);
    BYTES_MOST.store(before, Ordering::Relaxed);
    let capture = Capture::read(bytes);
    ((BYTES_MOST.load(Ordering::Relaxed) - before) as usize, capture)
}

/// Goal: a file takes at most a hundred times its length of memory, also one whose counts are wrong. Method: many empty and
/// tiny bodies of each kind, and each word of a small file replaced by great numbers.
pub(crate) fn a_short_file_takes_little_memory() {
    let boxes = [0.0; 300];
    let boxes = MovingBoxColumns::from_columns([&boxes[..]; 9]).expect("columns");
    let triangle = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = |triangles| Mesh::new(triangle.clone(), triangles).expect("a mesh");
    let ball = || (Shape::sphere(1.0).expect("a ball").into(), Pose::IDENTITY);
    let (mut meshes, mut fields, mut compounds) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..100 {
        meshes.push(mesh(vec![[0, 1, 2]; k % 3]));
        fields.push(HeightField::new(vec![0.0; 4], [2, 2], [1.0; 2]).expect("a field"));
        compounds.push(Compound::new((0..k % 3).map(|_| ball())).expect("valid"));
    }
    let mut geometries = Vec::new();
    for k in 0..100 {
        for geometry in [(&meshes[k]).into(), (&fields[k]).into(), (&compounds[k]).into()] {
            let row = geometries.len() as u32;
            geometries.push(GeometryBody { row, geometry, motion: Motion::default() });
        }
    }
    let pipeline = Pipeline::default();
    let many = pipeline.capture(&Scene::new(boxes).geometries(&geometries)).expect("a capture");
    // The thread pool allocates once.
    assert!(read(&many).1.is_ok());
    let (took, capture) = read(&many);
    assert!(capture.is_ok() && took < TIMES * many.len(), "{took} of {}", many.len());

    let few =
        pipeline.capture(&Scene::new(boxes).geometries(&geometries[3..6])).expect("a capture");
    let mut refused = 0;
    for at in 44..few.len() - 12 {
        for word in [u32::MAX, 1 << 27, 1 << 20, few.len() as u32] {
            let mut changed = few.clone();
            changed[at..at + 4].copy_from_slice(&word.to_le_bytes());
            let (took, capture) = read(&with_checksum(changed));
            assert!(took < TIMES * few.len(), "{took} of {} for {word} at {at}", few.len());
            refused += usize::from(capture.is_err());
        }
    }
    assert!(refused > 300, "{refused}");
}
