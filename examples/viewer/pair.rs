//! Computes when two shapes touch, the steps of the search, and the poses along the way.
//!
//! Everything is computed by swath: the first time and its steps by [`toi::traced`], poses by [`Motion::at`],
//! distances and nearest points along the path by [`gjk::distance`], bounds by [`Geometry::bounds_over`]. If one of the
//! two is a terrain, the first time is that of [`swath::mesh::toi`], and the steps are those of the search for the
//! triangle that is hit.

use serde::{Deserialize, Serialize};
use swath::convex::toi::{Round, Settings, Toi, ToiResult, Touch};
use swath::convex::{gjk, toi};
use swath::mesh::{self, Geometry};
use swath::{Aabb, Motion, Pose, Shape};

use super::solids::Solid;

/// Numbers of samples along the path: at least, per radian of rotation, and at most.
const SAMPLES: usize = 128;
const SAMPLES_PER_RADIAN: f32 = 24.0;
const SAMPLES_MAX: usize = 2048;

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    a: Body,
    b: Body,
    #[serde(default)]
    settings: SettingsOfPage,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    shape: Solid,
    motion: Moving,
}

/// Fields of a [`Motion`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moving {
    position: [f32; 3],
    rotation: [f32; 4],
    #[serde(default)]
    delta: [f32; 3],
    #[serde(default)]
    accel: [f32; 3],
    #[serde(default)]
    spin: [f32; 3],
}

/// Fields of [`Settings`].
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SettingsOfPage {
    target_distance: f32,
    tolerance: f32,
    window: [f32; 2],
    touch: Touching,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Touching {
    Hit,
    IfClosing,
    Ignore,
}

/// The response.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    toi: First,
    rounds: u32,
    supports: u32,
    steps: Vec<Step>,
    /// At the time of the impact or, without an impact, at the last time that is proved to be free.
    poses: [Placed; 2],
    bounds: [[[f32; 3]; 2]; 2],
    path: Vec<Sample>,
    triangle: Option<HitTriangle>,
}

/// The triangle of a terrain that is hit.
#[derive(Debug, Serialize)]
struct HitTriangle {
    /// The body that is the terrain, 0 or 1.
    body: usize,
    row: u32,
    /// The number of triangles of the terrain, and of those that were searched.
    of: usize,
    tests: u32,
    /// In the axes of the terrain.
    corners: [[f32; 3]; 3],
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum First {
    Impact { t: f32, normal: [f32; 3], on_a: [f32; 3], on_b: [f32; 3], closing: f32 },
    Overlapping { depth: f32, normal: [f32; 3], on_a: [f32; 3], on_b: [f32; 3], closing: f32 },
    Separated,
    Unresolved { t_safe: f32 },
}

#[derive(Debug, Serialize)]
struct Step {
    t: f32,
    /// `None` if the round found no gap.
    gap: Option<f32>,
    normal: [f32; 3],
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Placed {
    position: [f32; 3],
    rotation: [f32; 4],
}

#[derive(Debug, Serialize)]
struct Sample {
    t: f32,
    a: Placed,
    b: Placed,
    distance: f32,
    on_a: [f32; 3],
    on_b: [f32; 3],
}

impl Default for SettingsOfPage {
    fn default() -> Self {
        let Settings { target_distance, tolerance, window, .. } = Settings::default();
        Self { target_distance, tolerance, window, touch: Touching::IfClosing }
    }
}

impl SettingsOfPage {
    fn settings(&self) -> Settings {
        let &Self { target_distance, tolerance, window, touch } = self;
        let touch = match touch {
            Touching::Hit => Touch::Hit,
            Touching::IfClosing => Touch::IfClosing,
            Touching::Ignore => Touch::Ignore,
        };
        Settings { target_distance, tolerance, window, touch, ..Settings::default() }
    }
}

impl Moving {
    fn motion(&self) -> Result<Motion, String> {
        let &Self { position, rotation, delta, accel, spin } = self;
        let motion = Motion { pose: Pose { position, rotation }, delta, accel, spin };
        motion.validate().map_err(|error| format!("invalid motion: {error}"))?;
        Ok(motion)
    }
}

impl From<Pose> for Placed {
    fn from(Pose { position, rotation }: Pose) -> Self {
        Self { position, rotation }
    }
}

/// The two bodies of a request.
struct Bodies<'a> {
    geometries: [Geometry<'a>; 2],
    motions: [Motion; 2],
}

/// Returns the response, or what is wrong with the request.
pub(crate) fn answer(question: &Question) -> Result<Answer, String> {
    let Question { a, b, settings } = question;
    let of = |body: char| move |why: String| format!("{body}: {why}");
    let (a_data, b_data) =
        (a.shape.shape_data().map_err(of('A'))?, b.shape.shape_data().map_err(of('B'))?);
    let bodies = Bodies {
        geometries: [
            a.shape.geometry(&a_data).map_err(of('A'))?,
            b.shape.geometry(&b_data).map_err(of('B'))?,
        ],
        motions: [a.motion.motion().map_err(of('A'))?, b.motion.motion().map_err(of('B'))?],
    };
    let settings = settings.settings();
    let mut steps = Vec::new();
    let (toi, triangle) = bodies.first_time(&settings, &mut steps)?;
    let (first, t) = match toi.result {
        ToiResult::Impact { t, normal, on_a, on_b, closing } => {
            (First::Impact { t, normal, on_a, on_b, closing }, t)
        }
        ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => {
            (First::Overlapping { depth, normal, on_a, on_b, closing }, settings.window[0])
        }
        ToiResult::Unresolved { t_safe } => (First::Unresolved { t_safe }, t_safe),
        // Includes results that a later version may add.
        _ => (First::Separated, settings.window[1]),
    };
    let invalid = |error: swath::Invalid| format!("the path: {error}");
    let bounds = |body: usize| {
        let moving = bodies.geometries[body].bounds_over(&bodies.motions[body], 0.0);
        let bounds = moving.map_err(invalid)?.bounds();
        Ok::<_, String>([bounds.min, bounds.max])
    };
    Ok(Answer {
        toi: first,
        rounds: toi.rounds,
        supports: toi.supports,
        steps: steps
            .iter()
            .map(|&Round { t, gap, normal }| Step {
                t,
                gap: gap.is_finite().then_some(gap),
                normal,
            })
            .collect(),
        poses: bodies.motions.map(|motion| motion.at(t).into()),
        bounds: [bounds(0)?, bounds(1)?],
        path: bodies.path()?,
        triangle,
    })
}

impl Bodies<'_> {
    /// The first time, and the triangle that is hit if one of the bodies is a terrain.
    fn first_time(
        &self,
        settings: &Settings,
        steps: &mut Vec<Round>,
    ) -> Result<(Toi, Option<HitTriangle>), String> {
        let ([a, b], [a_motion, b_motion]) = (&self.geometries, &self.motions);
        let failed = |error: toi::ToiError| error.to_string();
        let (terrain, body, shape) = match (a, b) {
            (Geometry::Convex(a), Geometry::Convex(b)) => {
                let toi = toi::traced(a, a_motion, b, b_motion, settings, steps);
                return Ok((toi.map_err(failed)?, None));
            }
            (Geometry::Mesh(terrain), Geometry::Convex(shape)) => (terrain, 0, *shape),
            (Geometry::Convex(shape), Geometry::Mesh(terrain)) => (terrain, 1, *shape),
            _ => return Err("only one of the two can be a terrain".to_owned()),
        };
        let found = mesh::toi::one_to_one(a, a_motion, b, b_motion, settings).map_err(failed)?;
        let row = found.parts[body];
        let hit =
            matches!(found.toi.result, ToiResult::Impact { .. } | ToiResult::Overlapping { .. });
        let (true, Some(corners)) = (hit, terrain.corners(row)) else {
            return Ok((found.toi, None));
        };
        // The same search for this triangle alone, for its steps.
        let triangle = Shape::triangle(corners).map_err(|error| error.to_string())?;
        let [a, b] = if body == 0 { [triangle, shape] } else { [shape, triangle] };
        toi::traced(&a, a_motion, &b, b_motion, settings, steps).map_err(failed)?;
        let of = terrain.triangles().len();
        Ok((found.toi, Some(HitTriangle { body, row, of, tests: found.tests, corners })))
    }

    /// Poses and distances along the tick.
    fn path(&self) -> Result<Vec<Sample>, String> {
        let ([a, b], [a_motion, b_motion]) = (&self.geometries, &self.motions);
        let convex = matches!((a, b), (Geometry::Convex(_), Geometry::Convex(_)));
        // The distance of a terrain is that of its nearest triangle, which takes longer.
        let most = if convex { SAMPLES_MAX } else { SAMPLES };
        let samples = samples(a_motion).max(samples(b_motion)).min(most);
        let sample = |k: usize| {
            let t = k as f32 / samples as f32;
            let (at_a, at_b) = (a_motion.at(t), b_motion.at(t));
            let apart = match (a, b) {
                (Geometry::Convex(a), Geometry::Convex(b)) => gjk::distance(a, &at_a, b, &at_b)
                    .map_err(|error| format!("the path: {error}"))?,
                (Geometry::Mesh(terrain), Geometry::Convex(b)) => {
                    nearest(terrain, &at_a, b, &at_b, true)?
                }
                (Geometry::Convex(a), Geometry::Mesh(terrain)) => {
                    nearest(terrain, &at_b, a, &at_a, false)?
                }
                // `first_time` has rejected it.
                _ => gjk::Distance::default(),
            };
            let (a, b) = (at_a.into(), at_b.into());
            Ok(Sample { t, a, b, distance: apart.distance, on_a: apart.on_a, on_b: apart.on_b })
        };
        (0..=samples).map(sample).collect()
    }
}

/// Distance of a shape and the nearest triangle of a terrain; the first of the two is the terrain if that is `first`.
fn nearest(
    terrain: &mesh::Mesh<'_>,
    at: &Pose,
    shape: &Shape<'_>,
    pose: &Pose,
    first: bool,
) -> Result<gjk::Distance, String> {
    let invalid = |error: swath::Invalid| format!("the path: {error}");
    let around = shape.bounds(pose).map_err(invalid)?;
    let mut best: Option<gjk::Distance> = None;
    for corners in (0..terrain.triangles().len() as u32).filter_map(|row| terrain.corners(row)) {
        let triangle = Shape::triangle(corners).map_err(|error| error.to_string())?;
        // Boxes that are farther apart than the best distance need no test.
        let apart = box_distance(&triangle.bounds(at).map_err(invalid)?, &around);
        if best.is_some_and(|best| apart > best.distance) {
            continue;
        }
        let found = if first {
            gjk::distance(&triangle, at, shape, pose)
        } else {
            gjk::distance(shape, pose, &triangle, at)
        };
        let found = found.map_err(invalid)?;
        if best.is_none_or(|best| found.distance < best.distance) {
            best = Some(found);
        }
    }
    Ok(best.unwrap_or_default())
}

fn box_distance(a: &Aabb, b: &Aabb) -> f32 {
    let gap = |k: usize| (a.min[k] - b.max[k]).max(b.min[k] - a.max[k]).max(0.0);
    (0..3).map(|k| gap(k) * gap(k)).sum::<f32>().sqrt()
}

fn samples(motion: &Motion) -> usize {
    let rate = motion.spin.iter().map(|x| x * x).sum::<f32>().sqrt();
    let wanted = (rate * SAMPLES_PER_RADIAN) as usize;
    wanted.clamp(SAMPLES, SAMPLES_MAX)
}
