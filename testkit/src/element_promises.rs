//! What the first time of contact of two elements of a mesh must fulfil, decided with exact arithmetic.

use crate::element_cases::ElementCase;
use crate::exact_elements::{ElementKind, ExactPair, scale};
use swath::batch::{ElementSettings, ElementToi, edge_edge, vertex_face};

/// Relative slack of the distance at a hit, which the documentation of the search states.
/// Rounding error of the points that coordinates name, relative to the scale of the case.
const COORDINATES_SLACK: f64 = 1e-9;
/// Coordinates of smaller elements are not checked.
const SIZE_MIN: f64 = 1e-60;
const SLACK: f64 = 1.0 / (1_u64 << 43) as f64;
/// Times at which a pair must be free before its first time.
const SAMPLES: u32 = 12;

/// How a result compares with the exact contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// A contact for certain, and a hit.
    Contact,
    /// No contact for certain, and a miss.
    NoContact,
    /// No contact for certain, and a hit within the tolerance.
    FalsePositive,
    /// The exact contacts are open, or the minimum separation is not zero.
    Open,
    /// The search reached its limit.
    Unresolved,
}

/// Searches a case.
pub fn first_time(case: &ElementCase, settings: &ElementSettings) -> ElementToi {
    let toi = match case.kind {
        ElementKind::VertexFace => vertex_face::one_to_one(&case.start, &case.end, settings),
        ElementKind::EdgeEdge => edge_edge::one_to_one(&case.start, &case.end, settings),
    };
    toi.expect("a valid case")
}

/// A case that is printed if the thread panics while it exists.
struct Checked<'a>(&'a ElementCase, &'a ElementSettings);

impl Drop for Checked<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the case is {:?} with {:?}", self.0, self.1);
        }
    }
}

/// Returns the distance of the points that coordinates name at a time.
fn distance_of_points(case: &ElementCase, t: f64, [a, b]: [f64; 2]) -> f64 {
    let weights = match case.kind {
        ElementKind::VertexFace => [-1.0, 1.0 - a - b, a, b],
        ElementKind::EdgeEdge => [a - 1.0, -a, 1.0 - b, b],
    };
    let mut squares = 0.0;
    for axis in 0..3 {
        let mut sum = 0.0;
        for (k, weight) in weights.into_iter().enumerate() {
            let (start, end) = (case.start[k][axis], case.end[k][axis]);
            sum += weight * (start + (end - start) * t);
        }
        squares += sum * sum;
    }
    squares.sqrt()
}

/// Panics if the first time is late, if a contact is missed, or if a hit is farther than the tolerance.
pub fn check(case: &ElementCase, settings: &ElementSettings) -> Comparison {
    let _checked = Checked(case, settings);
    let toi = first_time(case, settings);
    let pair = ExactPair::new(case.kind, &case.start, &case.end);
    let (separation, size) = (settings.minimum_separation, scale(&case.start, &case.end));
    let safe = toi.safe_time();
    assert!((0.0..=1.0).contains(&safe), "{toi:?}");
    if let Some(contact) = case.contact {
        assert!(pair.is_within(contact, 0.0), "the case is wrong");
        assert!(toi != ElementToi::Miss && safe <= contact, "{toi:?} misses {contact}");
    }
    if let ElementToi::Hit { t, normal, coordinates } = toi {
        let slack = (size * SLACK + 2_f64.powi(-299)).next_up();
        let limit = (separation + settings.tolerance + slack).next_up();
        assert!(pair.is_within(t, limit), "{toi:?} is farther than {limit:e}");
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-14, "{toi:?}");
        let [a, b] = coordinates;
        let inside = (0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b);
        let inside = inside && (case.kind == ElementKind::EdgeEdge || a + b <= 1.0 + 1e-15);
        assert!(inside, "{toi:?}");
        let apart = distance_of_points(case, t, coordinates);
        assert!(
            size < SIZE_MIN || apart <= limit + COORDINATES_SLACK * size,
            "{toi:?}: points {apart:e} apart, {limit:e} allowed"
        );
    }
    let is_miss = toi == ElementToi::Miss;
    for sample in 0..SAMPLES + u32::from(is_miss) {
        let t = safe * f64::from(sample) / f64::from(SAMPLES);
        if t < safe || is_miss {
            assert!(!pair.is_within(t, separation), "{toi:?} is late: contact at {t}");
        }
    }
    if matches!(toi, ElementToi::Unresolved { .. }) {
        return Comparison::Unresolved;
    }
    // A contact without separation is one with any.
    let exact = pair.first_contact();
    if let Some(by) = exact.by {
        assert!(!is_miss && safe <= by, "{toi:?} misses {exact:?}");
        return Comparison::Contact;
    }
    match (exact.is_open || separation > 0.0, is_miss) {
        (true, _) => Comparison::Open,
        (false, true) => Comparison::NoContact,
        (false, false) => Comparison::FalsePositive,
    }
}
