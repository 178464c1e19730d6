//! First times of vertices, edges and faces of a moving mesh.

use crate::border::{array, array_mut, check_row_count, optional};
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::exec::{exec_of_call, swath_exec};
use crate::times::{SWATH_TOI_IMPACT, SWATH_TOI_SEPARATED, SWATH_TOI_UNRESOLVED, swath_toi_state};
use crate::values::swath_pair;
use bytemuck::{Pod, Zeroable};
use swath::batch::{self, ElementError, ElementSettings, ElementToi, MovingPoints};
use swath::{Level, Pair, Threads};

/// What counts as a contact of two elements. `swath_element_defaults` returns the default. A structure of zeros is not valid.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct swath_element_settings {
    /// The distance at which elements count as touching. Default: 0.
    pub minimum_separation: f64,
    /// How much greater than the minimum separation the distance at an impact may be; a length. Default: 1e-9.
    pub tolerance: f64,
    /// The greatest number of rounds of a search. Default: 4096.
    pub rounds_max: u32,
}

/// Returns the default settings.
#[unsafe(no_mangle)]
pub extern "C" fn swath_element_defaults() -> swath_element_settings {
    let ElementSettings { minimum_separation, tolerance, rounds_max } = ElementSettings::default();
    swath_element_settings { minimum_separation, tolerance, rounds_max }
}

/// When two elements of a mesh first touch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct swath_element_result {
    /// The first time of contact, a fraction of the tick; never late. 1 if they are separated, the time that is proved to be free if it
    /// is unresolved.
    pub t: f64,
    /// The unit normal at that time from the nearest point of the first element to that of the second; zero without a contact.
    pub normal: [f64; 3],
    /// The nearest points at that time: of a face `[a, b, c]` the barycentric coordinates of `b` and `c`; of two edges the fractions
    /// along the first and along the second. Zero without a contact.
    pub coordinates: [f64; 2],
    /// How they meet: `SWATH_TOI_SEPARATED`, `SWATH_TOI_IMPACT` or `SWATH_TOI_UNRESOLVED`.
    pub state: swath_toi_state,
    /// Zero.
    pub reserved: u32,
}

impl From<ElementToi> for swath_element_result {
    fn from(toi: ElementToi) -> Self {
        match toi {
            ElementToi::Hit { t, normal, coordinates } => {
                Self { t, normal, coordinates, state: SWATH_TOI_IMPACT, reserved: 0 }
            }
            ElementToi::Unresolved { t_safe } => {
                Self { t: t_safe, state: SWATH_TOI_UNRESOLVED, ..Self::default() }
            }
            _ => Self { t: 1.0, state: SWATH_TOI_SEPARATED, ..Self::default() },
        }
    }
}

/// A search of the library over pairs of elements of which each has `K` vertices or one.
type Search<const K: usize> = fn(
    Level,
    &Threads,
    &MovingPoints<'_>,
    &[[u32; K]],
    &[Pair],
    &ElementSettings,
    &mut [ElementToi],
) -> Result<(), ElementError>;

/// The arrays of a call, with the number of elements of each.
struct Arguments<const K: usize> {
    start: *const f64,
    end: *const f64,
    vertex_count: usize,
    elements: (*const u32, usize, &'static str),
    pairs: (*const swath_pair, usize),
    settings: *const swath_element_settings,
    exec: *const swath_exec,
    results: *mut swath_element_result,
}

/// Borrows rows of `K` values each.
///
/// # Safety
///
/// As the header states for the pointer.
unsafe fn rows<'a, T: Pod, const K: usize>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Outcome<&'a [[T; K]]> {
    check_row_count(count, name)?;
    let Some(values) = count.checked_mul(K) else {
        return Err(Failure::argument(format!("{name}: {count} rows are more than memory has")));
    };
    // SAFETY: the caller promises it.
    let values: &[T] = unsafe { array(pointer, values, name) }?;
    Ok(values.as_chunks().0)
}

/// Searches the pairs, and writes the results.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn search<const K: usize>(of: Arguments<K>, search: Search<K>) -> Outcome {
    let (elements, element_count, name) = of.elements;
    let (pairs, pair_count) = of.pairs;
    // SAFETY: the caller promises it.
    let (start, end, elements, pairs, settings, exec, to) = unsafe {
        (
            rows::<f64, 3>(of.start, of.vertex_count, "start")?,
            rows::<f64, 3>(of.end, of.vertex_count, "end")?,
            rows::<u32, K>(elements, element_count, name)?,
            array(pairs, pair_count, "pairs")?,
            optional(of.settings, "settings_of")?,
            exec_of_call(of.exec)?,
            array_mut(of.results, pair_count, "results")?,
        )
    };
    let settings = settings.map_or_else(ElementSettings::default, |of| ElementSettings {
        minimum_separation: of.minimum_separation,
        tolerance: of.tolerance,
        rounds_max: of.rounds_max,
    });
    let mut rejected = Vec::new();
    let points = MovingPoints::check(start, end, &mut rejected)?;
    if let Some(first) = points.rejected().first() {
        return Err(Failure::from(first.reason).of(&format!("vertex {}", first.row)));
    }
    let mut found = vec![ElementToi::default(); pairs.len()];
    let pairs = bytemuck::cast_slice(pairs);
    search(exec.level, &exec.threads, &points, elements, pairs, &settings, &mut found)?;
    to.iter_mut().zip(found).for_each(|(to, found)| *to = found.into());
    Ok(())
}

/// Computes when the vertex `a` and the face `b` of each pair first touch: `results[k]` is that of `pairs[k]`. Each vertex moves on a
/// straight line during the tick. A vertex of its own face always touches it, so leave such pairs out.
///
/// `start`, `end`: three doubles for each of `vertex_count` vertices, at the start and at the end of the tick. An invalid position is
/// an error.
/// `faces`: three vertices for each of `face_count` faces.
/// `settings_of`: what counts as a contact, or NULL for the default.
/// `exec_of`: the threads, or NULL. If `threads` is more than one, each call starts new threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_vertex_face_pairs(
    start: *const f64,
    end: *const f64,
    vertex_count: usize,
    faces: *const u32,
    face_count: usize,
    pairs: *const swath_pair,
    pair_count: usize,
    settings_of: *const swath_element_settings,
    exec_of: *const swath_exec,
    results: *mut swath_element_result,
) -> swath_status {
    guard(|| {
        let (elements, pairs) = ((faces, face_count, "faces"), (pairs, pair_count));
        let (settings, exec) = (settings_of, exec_of);
        let of = Arguments { start, end, vertex_count, elements, pairs, settings, exec, results };
        // SAFETY: the caller keeps the rules of the header.
        unsafe { search(of, batch::vertex_face::pairs) }
    })
}

/// Computes when the edges `a` and `b` of each pair first touch: `results[k]` is that of `pairs[k]`. Edges with a common vertex always
/// touch, so leave such pairs out.
///
/// `edges`: two vertices for each of `edge_count` edges. The other arguments are those of `swath_vertex_face_pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_edge_edge_pairs(
    start: *const f64,
    end: *const f64,
    vertex_count: usize,
    edges: *const u32,
    edge_count: usize,
    pairs: *const swath_pair,
    pair_count: usize,
    settings_of: *const swath_element_settings,
    exec_of: *const swath_exec,
    results: *mut swath_element_result,
) -> swath_status {
    guard(|| {
        let (elements, pairs) = ((edges, edge_count, "edges"), (pairs, pair_count));
        let (settings, exec) = (settings_of, exec_of);
        let of = Arguments { start, end, vertex_count, elements, pairs, settings, exec, results };
        // SAFETY: the caller keeps the rules of the header.
        unsafe { search(of, batch::edge_edge::pairs) }
    })
}
