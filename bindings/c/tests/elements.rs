//! Tests of the first times of vertices, edges and faces.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header or makes mistakes on purpose"
)]

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use swath::batch::{self, ElementSettings, ElementToi};
use swath_c::*;

#[track_caller]
fn fails(status: swath_status, expected: swath_status, text: &str) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) }.to_str().expect("text");
    assert_eq!(status, expected, "{message}");
    assert!(message.contains(text), "{message}");
}

/// A face that stays, two vertices of which the first falls through it, and an edge above it that falls too.
const START: [[f64; 3]; 7] = [
    [0.0, 0.0, 0.0],
    [4.0, 0.0, 0.0],
    [0.0, 4.0, 0.0],
    [1.0, 1.0, 3.0],
    [9.0, 9.0, 3.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
];

fn end() -> [[f64; 3]; 7] {
    let mut end = START;
    end[3..].iter_mut().for_each(|position| position[2] -= 4.0);
    end
}

const FACES: [[u32; 3]; 1] = [[0, 1, 2]];
const EDGES: [[u32; 2]; 2] = [[0, 1], [5, 6]];
const NOTHING: swath_element_result =
    swath_element_result { t: 7.0, normal: [7.0; 3], coordinates: [7.0; 2], state: 7, reserved: 7 };

struct Call<'a> {
    start: &'a [[f64; 3]],
    end: &'a [[f64; 3]],
    faces: &'a [[u32; 3]],
    pairs: &'a [swath_pair],
    settings: *const swath_element_settings,
}

impl Call<'_> {
    fn vertex_face(&self, results: &mut [swath_element_result]) -> swath_status {
        let (vertices, faces) = (self.start.len(), self.faces.len());
        unsafe {
            swath_vertex_face_pairs(
                self.start.as_ptr().cast(),
                self.end.as_ptr().cast(),
                vertices,
                self.faces.as_ptr().cast(),
                faces,
                self.pairs.as_ptr(),
                self.pairs.len(),
                self.settings,
                null(),
                results.as_mut_ptr(),
            )
        }
    }

    fn edge_edge(&self, exec: &swath_exec, results: &mut [swath_element_result]) -> swath_status {
        unsafe {
            swath_edge_edge_pairs(
                self.start.as_ptr().cast(),
                self.end.as_ptr().cast(),
                self.start.len(),
                EDGES.as_ptr().cast(),
                EDGES.len(),
                self.pairs.as_ptr(),
                self.pairs.len(),
                self.settings,
                exec,
                results.as_mut_ptr(),
            )
        }
    }
}

/// Goal: the results are those of the library. Method: one pair each of vertex and face, and of two edges.
#[test]
fn elements_touch_when_they_do_in_rust() {
    let end = end();
    let pairs = [swath_pair { a: 3, b: 0 }, swath_pair { a: 4, b: 0 }];
    let call = Call { start: &START, end: &end, faces: &FACES, pairs: &pairs, settings: null() };
    let mut results = [NOTHING; 2];
    assert_eq!(call.vertex_face(&mut results), SWATH_OK);
    let of_face = |vertex: usize| {
        let points = |at: &[[f64; 3]; 7]| [at[vertex], at[0], at[1], at[2]];
        let settings = ElementSettings::default();
        batch::vertex_face::one_to_one(&points(&START), &points(&end), &settings).expect("valid")
    };
    let ElementToi::Hit { t, normal, coordinates } = of_face(3) else { panic!("they touch") };
    let state = SWATH_TOI_IMPACT;
    assert_eq!(results[0], swath_element_result { t, normal, coordinates, state, reserved: 0 });
    assert!(t <= 0.75 && t > 0.7499 && coordinates == [0.25, 0.25]);
    let separated = swath_element_result { t: 1.0, ..Default::default() };
    assert_eq!((of_face(4), results[1]), (ElementToi::Miss, separated));

    let pairs = [swath_pair { a: 0, b: 1 }];
    let call = Call { pairs: &pairs, ..call };
    for threads in [1, 2] {
        let exec = swath_exec { level: null(), threads, pairs_max: 0, executor: null() };
        results = [NOTHING; 2];
        assert_eq!(call.edge_edge(&exec, &mut results[..1]), SWATH_OK);
        let edges = |at: &[[f64; 3]; 7]| [at[0], at[1], at[5], at[6]];
        let settings = ElementSettings::default();
        let toi = batch::edge_edge::one_to_one(&edges(&START), &edges(&end), &settings);
        let Ok(ElementToi::Hit { t, normal, coordinates }) = toi else { panic!("they touch") };
        assert_eq!(results[0], swath_element_result { t, normal, coordinates, state, reserved: 0 });
        assert!(t <= 0.25 && t > 0.2499 && coordinates == [0.25, 0.5] && results[1] == NOTHING);
    }
}

#[test]
fn separation_and_rounds_of_elements_are_those_of_the_settings() {
    let end = end();
    let pairs = [swath_pair { a: 3, b: 0 }];
    let mut settings = swath_element_defaults();
    assert_eq!(settings.tolerance, ElementSettings::TOLERANCE);
    settings.minimum_separation = 1.0;
    let call = Call { start: &START, end: &end, faces: &FACES, pairs: &pairs, settings: &settings };
    let mut results = [NOTHING];
    assert_eq!(call.vertex_face(&mut results), SWATH_OK);
    assert!(results[0].t <= 0.5 && results[0].t > 0.4999);
}

/// Goal: wrong calls are errors that write nothing. Method: one mistake in each argument.
#[test]
fn wrong_elements_are_errors_and_write_nothing() {
    let end = end();
    let pairs = [swath_pair { a: 3, b: 0 }];
    let right = Call { start: &START, end: &end, faces: &FACES, pairs: &pairs, settings: null() };
    let mut results = [NOTHING];
    for wrong in [f64::NAN, f64::INFINITY, -1e300] {
        let mut start = START;
        start[6][1] = wrong;
        let call = Call { start: &start, ..right };
        fails(call.vertex_face(&mut results), SWATH_ERROR_INVALID, "vertex 6: ");
    }
    let (far, beyond) = ([swath_pair { a: 3, b: 1 }], [swath_pair { a: 7, b: 0 }]);
    for (call, text) in [
        (Call { pairs: &far, ..right }, "row 1"),
        (Call { pairs: &beyond, ..right }, "vertex 7"),
        (Call { faces: &[[0, 1, u32::MAX]], ..right }, "vertex 4294967295"),
        (Call { faces: &[], ..right }, "row 0"),
    ] {
        fails(call.vertex_face(&mut results), SWATH_ERROR_ARGUMENT, text);
    }
    let default = swath_element_defaults();
    for (settings, text) in [
        (swath_element_settings { minimum_separation: -1.0, ..default }, "minimum separation"),
        (swath_element_settings { minimum_separation: f64::NAN, ..default }, "minimum separation"),
        (swath_element_settings { tolerance: f64::INFINITY, ..default }, "tolerance"),
        (swath_element_settings { rounds_max: 0, ..default }, "rounds"),
    ] {
        let call = Call { settings: &settings, ..right };
        fails(call.vertex_face(&mut results), SWATH_ERROR_INVALID, text);
    }
    let (positions, faces, to) =
        (START.as_ptr().cast(), FACES.as_ptr().cast(), results.as_mut_ptr());
    let sizes = |vertices: usize, of_faces: usize, of_pairs: usize| unsafe {
        let (pairs, settings) = (pairs.as_ptr(), null());
        swath_vertex_face_pairs(
            positions,
            positions,
            vertices,
            faces,
            of_faces,
            pairs,
            of_pairs,
            settings,
            null(),
            to,
        )
    };
    assert_eq!(sizes(usize::MAX, 1, 1), SWATH_ERROR_ARGUMENT);
    assert_eq!(sizes(7, usize::MAX / 2, 1), SWATH_ERROR_ARGUMENT);
    assert_eq!(sizes(7, 1, usize::MAX), SWATH_ERROR_ARGUMENT);
    #[cfg(target_pointer_width = "64")]
    assert_eq!(sizes(1 << 32, 1, 1), SWATH_ERROR_TOO_MANY);
    let odd = START.as_ptr().cast::<u8>().wrapping_add(4).cast();
    let status = unsafe {
        let (faces, pairs) = (EDGES.as_ptr().cast(), pairs.as_ptr());
        swath_edge_edge_pairs(odd, odd, 7, faces, 2, pairs, 1, null(), null(), to)
    };
    fails(status, SWATH_ERROR_MISALIGNED, "start");
    assert_eq!(results, [NOTHING]);
    let none = unsafe {
        swath_edge_edge_pairs(null(), null(), 0, null(), 0, null(), 0, null(), null(), null_mut())
    };
    assert_eq!(none, SWATH_OK);
}
