//! Computes when a vertex and a face, or two edges, first touch, and the distance along the way.
//!
//! The first time is that of [`vertex_face`] or [`edge_edge`], in `f64`. Distances along the path are those of
//! [`gjk::distance`], in `f32`, for the picture.

use serde::{Deserialize, Serialize};
use swath::batch::{ElementSettings, ElementToi, edge_edge, vertex_face};
use swath::convex::gjk;
use swath::{Pose, Shape};

/// Number of samples along the path.
const SAMPLES: usize = 128;

/// The request: four vertices. The first is the vertex and the others are the face, or the first two are an edge and the
/// others another one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    kind: Kind,
    start: [[f64; 3]; 4],
    end: [[f64; 3]; 4],
    #[serde(default)]
    minimum_separation: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    VertexFace,
    EdgeEdge,
}

/// The response.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    toi: First,
    path: Vec<Sample>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum First {
    Impact { t: f64, normal: [f64; 3], coordinates: [f64; 2] },
    Separated,
    Unresolved { t_safe: f64 },
}

#[derive(Debug, Serialize)]
struct Sample {
    t: f32,
    distance: f32,
    on_a: [f32; 3],
    on_b: [f32; 3],
}

/// Returns the response, or what is wrong with the request.
pub(crate) fn answer(question: &Question) -> Result<Answer, String> {
    let Question { kind, start, end, minimum_separation } = question;
    let settings =
        ElementSettings { minimum_separation: *minimum_separation, ..ElementSettings::default() };
    let toi = match kind {
        Kind::VertexFace => vertex_face::one_to_one(start, end, &settings),
        Kind::EdgeEdge => edge_edge::one_to_one(start, end, &settings),
    };
    let toi = match toi.map_err(|error| error.to_string())? {
        ElementToi::Hit { t, normal, coordinates } => First::Impact { t, normal, coordinates },
        ElementToi::Unresolved { t_safe } => First::Unresolved { t_safe },
        // Includes results that a later version may add.
        _ => First::Separated,
    };
    let sample = |k: usize| {
        let t = k as f32 / SAMPLES as f32;
        let s = f64::from(t);
        let at = |of: usize| -> [f32; 3] {
            std::array::from_fn(|k| (start[of][k] * (1.0 - s) + end[of][k] * s) as f32)
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(at);
        let [first, second] = match kind {
            Kind::VertexFace => [Shape::segment(a, a), Shape::triangle([b, c, d])],
            Kind::EdgeEdge => [Shape::segment(a, b), Shape::segment(c, d)],
        };
        let failed = |error: &dyn std::fmt::Display| format!("the path: {error}");
        let first = first.map_err(|error| failed(&error))?;
        let second = second.map_err(|error| failed(&error))?;
        let origin = Pose::IDENTITY;
        let found = gjk::distance(&first, &origin, &second, &origin);
        let found = found.map_err(|error| failed(&error))?;
        Ok(Sample { t, distance: found.distance, on_a: found.on_a, on_b: found.on_b })
    };
    let path = (0..=SAMPLES).map(sample).collect::<Result<_, String>>()?;
    Ok(Answer { toi, path })
}
