//! First times of vertices, edges and faces are never late, and the same on every level.

use super::bytes::Bytes;
use crate::element_cases::ElementCase;
use crate::element_promises::check;
use crate::exact_elements::ElementKind;
use crate::finite::assert_finite;
use swath::batch::{ElementSettings, ElementToi, MovingPoints, edge_edge, vertex_face};
use swath::{Level, Pair, Threads};

/// Pairs of an input: more than a group of the widest lanes.
const PAIRS_MAX: u8 = 12;

/// Searches pairs of vertices with faces or of edges, whose vertices are four consecutive ones.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % PAIRS_MAX;
    let choice = bytes.byte();
    let kind = if choice & 1 == 0 { ElementKind::VertexFace } else { ElementKind::EdgeEdge };
    let settings = ElementSettings {
        minimum_separation: if choice & 2 == 0 { 0.0 } else { f64::from(bytes.number().abs()) },
        tolerance: if choice & 4 == 0 { 0.0 } else { f64::from(bytes.number().abs()) },
        rounds_max: if choice & 8 == 0 { 256 } else { 1 + u32::from(bytes.byte()) % 8 },
    };
    let mut at = [Vec::new(), Vec::new()];
    for _ in 0..4 * u32::from(count) {
        let start = [(); 3].map(|()| f64::from(bytes.number()));
        // A vertex often rests, or moves on one axis.
        let moves = bytes.byte();
        let end = [0, 1, 2].map(|axis| {
            if moves >> axis & 1 == 0 { start[axis] } else { f64::from(bytes.number()) }
        });
        at[0].push(start);
        at[1].push(end);
    }
    let faces: Vec<[u32; 3]> =
        (0..u32::from(count)).map(|k| [4 * k + 1, 4 * k + 2, 4 * k + 3]).collect();
    let edges: Vec<[u32; 2]> = (0..2 * u32::from(count)).map(|k| [2 * k, 2 * k + 1]).collect();
    let mut rejected = Vec::new();
    let points = MovingPoints::check(&at[0][..], &at[1][..], &mut rejected).expect("equal lengths");

    let expected = settings.validate().map(|()| {
        let rows = (0..4 * usize::from(count)).step_by(4);
        let one = |row: usize| {
            let [start, end] =
                at.each_ref().map(|at| [at[row], at[row + 1], at[row + 2], at[row + 3]]);
            one(&ElementCase { kind, start, end, contact: None }, &settings)
        };
        rows.map(one).collect::<Vec<_>>()
    });
    for level in Level::all() {
        let mut out = vec![ElementToi::Unresolved { t_safe: 0.5 }; count.into()];
        let threads = Threads::one();
        let rows = 0..u32::from(count);
        let found = match kind {
            ElementKind::VertexFace => {
                let pairs: Vec<Pair> = rows.map(|k| Pair { a: 4 * k, b: k }).collect();
                vertex_face::pairs(level, &threads, &points, &faces, &pairs, &settings, &mut out)
            }
            ElementKind::EdgeEdge => {
                let pairs: Vec<Pair> = rows.map(|k| Pair { a: 2 * k, b: 2 * k + 1 }).collect();
                edge_edge::pairs(level, &threads, &points, &edges, &pairs, &settings, &mut out)
            }
        };
        assert_eq!(found.map(|()| out), expected, "{level}");
    }
}

/// The result for one pair, which is checked; a miss if the pair is invalid.
fn one(case: &ElementCase, settings: &ElementSettings) -> ElementToi {
    let toi = match case.kind {
        ElementKind::VertexFace => vertex_face::one_to_one(&case.start, &case.end, settings),
        ElementKind::EdgeEdge => edge_edge::one_to_one(&case.start, &case.end, settings),
    };
    let Ok(toi) = toi else { return ElementToi::Miss };
    assert_finite(&toi);
    check(case, settings);
    toi
}
