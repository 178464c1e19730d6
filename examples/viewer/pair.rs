//! Computes when two shapes touch, the steps of the search, and the poses along the way.
//!
//! Everything is computed by swath: the first time and its steps by [`toi::traced`], poses by [`Motion::at`],
//! distances and nearest points along the path by [`gjk::distance`], bounds by
//! [`Shape::bounds_over`](swath::Shape::bounds_over).

use serde::{Deserialize, Serialize};
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{gjk, toi};
use swath::{Motion, Pose};

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
    settings: Asked,
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
struct Asked {
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

impl Default for Asked {
    fn default() -> Self {
        let Settings { target_distance, tolerance, window, .. } = Settings::default();
        Self { target_distance, tolerance, window, touch: Touching::IfClosing }
    }
}

impl Asked {
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

/// Returns the response, or what is wrong with the request.
pub(crate) fn answer(question: &Question) -> Result<Answer, String> {
    let Question { a, b, settings } = question;
    let of = |body: char| move |why: String| format!("{body}: {why}");
    let (a_lent, b_lent) = (a.shape.lend().map_err(of('A'))?, b.shape.lend().map_err(of('B'))?);
    let a_shape = a.shape.shape(&a_lent).map_err(of('A'))?;
    let b_shape = b.shape.shape(&b_lent).map_err(of('B'))?;
    let a_motion = a.motion.motion().map_err(of('A'))?;
    let b_motion = b.motion.motion().map_err(of('B'))?;

    let mut steps = Vec::new();
    let settings = settings.settings();
    let toi = toi::traced(&a_shape, &a_motion, &b_shape, &b_motion, &settings, &mut steps)
        .map_err(|error| error.to_string())?;
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

    let bounds = [(&a_shape, &a_motion), (&b_shape, &b_motion)].map(|(shape, motion)| {
        shape.bounds_over(motion).map(|moving| {
            let bounds = moving.bounds();
            [bounds.min, bounds.max]
        })
    });
    let [a_bounds, b_bounds] = bounds;
    let invalid = |error: swath::Invalid| format!("the path: {error}");
    let sample = |k: usize, samples: usize| {
        let t = k as f32 / samples as f32;
        let (a, b) = (a_motion.at(t), b_motion.at(t));
        let apart = gjk::distance(&a_shape, &a, &b_shape, &b)?;
        let (a, b) = (a.into(), b.into());
        Ok(Sample { t, a, b, distance: apart.distance, on_a: apart.on_a, on_b: apart.on_b })
    };
    let samples = samples(&a_motion).max(samples(&b_motion));
    Ok(Answer {
        toi: first,
        rounds: toi.rounds,
        supports: toi.supports,
        steps: steps
            .iter()
            .map(|&toi::Round { t, gap, normal }| Step {
                t,
                gap: gap.is_finite().then_some(gap),
                normal,
            })
            .collect(),
        poses: [a_motion.at(t).into(), b_motion.at(t).into()],
        bounds: [a_bounds.map_err(invalid)?, b_bounds.map_err(invalid)?],
        path: (0..=samples)
            .map(|k| sample(k, samples))
            .collect::<Result<_, _>>()
            .map_err(invalid)?,
    })
}

fn samples(motion: &Motion) -> usize {
    let rate = motion.spin.iter().map(|x| x * x).sum::<f32>().sqrt();
    let wanted = (rate * SAMPLES_PER_RADIAN) as usize;
    wanted.clamp(SAMPLES, SAMPLES_MAX)
}
