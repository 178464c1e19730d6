//! First times of vertices, edges and faces.

use crate::agree::{agree, fails, index};
use std::ptr::null;
use swath::batch::{ElementSettings, ElementToi, MovingPoints, edge_edge, vertex_face};
use swath::{Level, Pair, Threads};
use swath_c::*;
use testkit::fuzz::bytes::Bytes;

/// Searches pairs of vertices and faces, and pairs of edges, with hostile numbers and indices.
pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let count = usize::from(bytes.byte() % 16);
    let number = |bytes: &mut Bytes<'_>| f64::from(bytes.signed()) / 16.0;
    let wild = bytes.byte().is_multiple_of(8);
    let mut positions =
        || -> Vec<[f64; 3]> { (0..count).map(|_| [(); 3].map(|()| number(bytes))).collect() };
    let (mut start, end) = (positions(), positions());
    if let Some(first) = start.first_mut().filter(|_| wild) {
        first[1] = f64::from(bytes.number());
    }
    let vertices = count as u32;
    let faces: Vec<[u32; 3]> =
        (0..bytes.byte() % 8).map(|_| [(); 3].map(|()| index(bytes, vertices))).collect();
    let edges: Vec<[u32; 2]> = faces.iter().map(|&[a, b, _]| [a, b]).collect();
    let rows = faces.len() as u32;
    let mut pairs = |of_a: u32| -> Vec<Pair> {
        (0..bytes.byte() % 8)
            .map(|_| Pair { a: index(bytes, of_a), b: index(bytes, rows) })
            .collect()
    };
    let (of_faces, of_edges) = (pairs(vertices), pairs(rows));
    let settings = ElementSettings {
        minimum_separation: f64::from(bytes.byte()) / 64.0,
        tolerance: if bytes.byte() == 255 { -1.0 } else { 1e-6 },
        rounds_max: bytes.byte().into(),
    };
    let ElementSettings { minimum_separation, tolerance, rounds_max } = settings;
    let for_c = swath_element_settings { minimum_separation, tolerance, rounds_max };
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };

    let (level, threads, mut rejected) = (Level::detect(), Threads::one(), Vec::new());
    let points = MovingPoints::check(&start[..], &end[..], &mut rejected).expect("equal lengths");
    let invalid = points.rejected().first().map(|first| first.reason);
    macro_rules! same {
        ($search:ident, $elements:expr, $pairs:expr, $function:ident) => {
            let mut found = vec![swath_element_result::default(); $pairs.len()];
            let status = unsafe {
                $function(
                    start.as_ptr().cast(),
                    end.as_ptr().cast(),
                    count,
                    $elements.as_ptr().cast(),
                    $elements.len(),
                    $pairs.as_ptr().cast(),
                    $pairs.len(),
                    &for_c,
                    &exec,
                    found.as_mut_ptr(),
                )
            };
            let mut rust = vec![ElementToi::Miss; $pairs.len()];
            if invalid.is_some() {
                fails(status, SWATH_ERROR_INVALID);
            } else if agree(
                $search::pairs(level, &threads, &points, &$elements, &$pairs, &settings, &mut rust),
                status,
            )
            .is_some()
            {
                for (found, rust) in found.iter().zip(&rust) {
                    let state = match rust {
                        ElementToi::Hit { .. } => SWATH_TOI_IMPACT,
                        ElementToi::Unresolved { .. } => SWATH_TOI_UNRESOLVED,
                        _ => SWATH_TOI_SEPARATED,
                    };
                    assert_eq!((found.state, found.t), (state, rust.safe_time()));
                    if let ElementToi::Hit { normal, coordinates, .. } = *rust {
                        assert_eq!((found.normal, found.coordinates), (normal, coordinates));
                    }
                }
            }
        };
    }
    same!(vertex_face, faces, of_faces, swath_vertex_face_pairs);
    same!(edge_edge, edges, of_edges, swath_edge_edge_pairs);
}
