//! Sweeps of spheres agree with `spec`, and with each other on every level.

use super::bytes::Bytes;
use super::sweep::no_boxes;
use crate::columns::{Columns, Outputs, bits};
use crate::finite::assert_finite;
use crate::sphere_columns::SphereArrays;
use spec::RoundSweep;
use swath::batch::sweep::{Sweep, sphere_box, spheres};
use swath::batch::{ContactState, MovingSphere, Rejected};
use swath::{Invalid, Level, MovingBox, Pair, Sphere};

/// One byte is the number of rows: up to three groups of the widest lanes.
const ROWS_MAX: u8 = 48;

/// Sweeps the first sphere with all spheres and boxes, and rows with each other.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % ROWS_MAX;
    let (mut boxes, mut balls, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..u32::from(count) {
        boxes.push(bytes.row(&boxes));
        let MovingBox { aabb, delta } = bytes.row(&boxes);
        let sphere = Sphere { center: aabb.min, radius: aabb.max[0] - aabb.min[0] };
        balls.push(MovingSphere { sphere, delta });
        pairs.push(Pair { a: row, b: u32::from(bytes.byte() % count) });
    }

    let a = balls[0];
    let many: Vec<_> = balls.iter().map(|b| bits(two(&a, b))).collect();
    let of = |pair: &Pair| two(&balls[pair.a as usize], &balls[pair.b as usize]);
    let of_pairs: Vec<_> = pairs.iter().map(|pair| bits(of(pair))).collect();
    let of_boxes: Vec<_> = balls.iter().zip(&boxes).map(|(x, y)| bits(boxed(x, y))).collect();

    let (columns, walls) = (SphereArrays::new(&balls), Columns::new(&boxes));
    for level in Level::all() {
        let (mut rejected, mut rejected_boxes) = (Vec::new(), Vec::new());
        let checked = columns.spheres().check(level, &mut rejected);
        let walls = walls.boxes().check(level, &mut rejected_boxes);
        assert_eq!(checked.rejected(), no_spheres(&balls), "{level}");
        assert_eq!(walls.rejected(), no_boxes(&boxes), "{level}");

        let mut answers = Outputs::new(balls.len());
        match spheres::one_to_many(level, &a, &checked, answers.answers()) {
            Ok(()) => assert_eq!(answers.bits(), many, "{level}"),
            Err(error) => {
                assert_eq!(Err(error), a.validate().map_err(Into::into), "{level}");
                assert!(answers.is_unwritten(), "{level}");
            }
        }
        let mut answers = Outputs::new(pairs.len());
        let swept = spheres::pairs(level, &checked, &pairs, answers.answers());
        assert_eq!((swept, answers.bits()), (Ok(()), of_pairs.clone()), "{level}");
        let mut answers = Outputs::new(balls.len());
        let swept = sphere_box::zip(level, &checked, &walls, answers.answers());
        assert_eq!((swept, answers.bits()), (Ok(()), of_boxes.clone()), "{level}");
    }
}

fn no_spheres(rows: &[MovingSphere]) -> Vec<Rejected> {
    let reason = |(row, moving): (u32, &MovingSphere)| {
        let reason = moving.validate().err()?;
        Some(Rejected { row, reason })
    };
    (0..).zip(rows).filter_map(reason).collect()
}

fn two(a: &MovingSphere, b: &MovingSphere) -> Sweep {
    let aabb = swath::Aabb { min: b.sphere.center, max: b.sphere.center };
    let point = MovingBox { aabb, delta: b.delta };
    let radius = f64::from(a.sphere.radius) + f64::from(b.sphere.radius);
    let gap = |t| gap(a, &point, radius, t);
    agrees(spheres::one_to_one(a, b), spec::sweep_spheres(a, b), lengths(a, &point, radius), gap)
}

fn boxed(a: &MovingSphere, b: &MovingBox) -> Sweep {
    let radius = f64::from(a.sphere.radius);
    let gap = |t| gap(a, b, radius, t);
    agrees(sphere_box::one_to_one(a, b), spec::sweep_sphere_box(a, b), lengths(a, b, radius), gap)
}

/// The gap between `a`, with this radius, and `b` at time `t`.
fn gap(a: &MovingSphere, b: &MovingBox, radius: f64, t: f64) -> f64 {
    let mut square = 0.0;
    for k in 0..3 {
        let center = f64::from(a.sphere.center[k]);
        let motion = f64::from(b.delta[k]) - f64::from(a.delta[k]);
        let below = f64::from(b.aabb.min[k]) - center + motion * t;
        let above = f64::from(b.aabb.max[k]) - center + motion * t;
        square += (below.max(0.0) + above.min(0.0)).powi(2);
    }
    square.sqrt() - radius
}

/// The distance at the start, the motion and the radius, together.
fn lengths(a: &MovingSphere, b: &MovingBox, radius: f64) -> f64 {
    let motion = |k: usize| (f64::from(b.delta[k]) - f64::from(a.delta[k])).powi(2);
    gap(a, b, radius, 0.0) + 2.0 * radius + (0..3).map(motion).sum::<f64>().sqrt()
}

/// The result for one pair, which must be that of `spec` except for rounding; separated if one is invalid.
fn agrees(
    answer: Result<Sweep, Invalid>,
    spec: Result<RoundSweep, Invalid>,
    lengths: f64,
    gap: impl Fn(f64) -> f64,
) -> Sweep {
    let spec = match spec {
        Ok(spec) => spec,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return Sweep::SEPARATED;
        }
    };
    let answer = answer.expect("`spec` says that both are valid");
    // The guaranteed gap, plus the errors of `spec` and of the gap here.
    let (small, tiny) = (lengths / f64::from(1 << 19), lengths / (1_u64 << 46) as f64);
    if !answer.contact.is_hit() {
        assert!(!spec.contact.is_hit() || spec.gap >= -tiny, "{answer:?} for {spec:?}");
        assert_eq!(bits(answer), bits(Sweep::SEPARATED));
        return answer;
    }
    assert_finite(&answer);
    let (first, last) = (f64::from(answer.first), f64::from(answer.last));
    assert!(0.0 <= first && first <= last && last <= 1.0, "{answer:?} for {spec:?}");
    for time in [first, last] {
        assert!(gap(time) <= small + tiny, "{answer:?} for {spec:?}: gap {:e}", gap(time));
    }
    if spec.contact.is_hit() {
        // Early by a slack far above the error of `spec`.
        assert!(first <= spec.first * (1.0 + f64::EPSILON), "{answer:?} for {spec:?}");
        assert!(last >= spec.last * (1.0 - f64::EPSILON), "{answer:?} for {spec:?}");
    }
    let overlaps = |state: ContactState| state == ContactState::Overlapping;
    if gap(0.0).abs() > small {
        let states = (answer.contact.state(), spec.contact.state());
        assert_eq!(overlaps(states.0), overlaps(states.1), "{answer:?} for {spec:?}");
        assert!(!answer.contact.is_surface(), "{answer:?} for {spec:?}");
        assert!(answer.contact.is_closing(), "{answer:?} for {spec:?}");
    }
    answer
}
