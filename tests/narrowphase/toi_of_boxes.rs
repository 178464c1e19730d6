//! First times of boxes, balls and capsules, which are not searched as other shapes are, compared with that search.
//!
//! The hull of the corners of a box is the same shape, and is always searched by supports. Its results are the oracle here, and distances of
//! hulls are computed at the reported times and before them.

use scenes::convex::{rotation, unit};
use swath::convex::toi::{Settings, Toi, ToiResult, Touch};
use swath::convex::{Hull, gjk, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};

/// Error of positions and distances of numbers of about ten.
const ROUNDING: f64 = 1e-5;

/// A box, rounded by a radius, and the hull of its corners.
struct Solid {
    half: [f32; 3],
    radius: f32,
    corners: Hull,
}

impl Solid {
    fn new(half: [f32; 3], radius: f32) -> Self {
        let corner = |bits: usize| {
            std::array::from_fn::<f32, 3, _>(
                |k| if bits >> k & 1 == 1 { half[k] } else { -half[k] },
            )
        };
        Self { half, radius, corners: Hull::new((0..8).map(corner)).expect("a cloud") }
    }

    /// A box of random lengths, of which some are zero.
    fn draw(draw: &mut Draw, kind: usize, radius: f32) -> Self {
        let mut half = std::array::from_fn(|_| draw.between(0.2, 1.5));
        match kind {
            0 => half = [0.0; 3],
            1 => half = [0.0, half[1], 0.0],
            2 => half[2] = 0.0,
            _ => {}
        }
        Self::new(half, radius)
    }

    fn plain(&self) -> Shape<'_> {
        Shape::cuboid(self.half).and_then(|shape| shape.rounded(self.radius)).expect("a box")
    }

    fn hull(&self) -> Shape<'_> {
        Shape::hull(&self.corners).rounded(self.radius).expect("a hull")
    }
}

/// Distance of two hulls at a time, computed in `f32` positions relative to the first.
fn distance_at([a, b]: [&Shape<'_>; 2], [of_a, of_b]: [&Motion; 2], t: f32) -> f64 {
    gjk::distance(a, &of_a.at(t), b, &of_b.at(t)).expect("valid").distance.into()
}

/// Returns whether the results are of the same kind, and checks that of the boxes.
fn judged(solids: [&Solid; 2], motions: [&Motion; 2], settings: &Settings, text: &str) -> bool {
    let [a, b] = solids;
    let [of_a, of_b] = motions;
    let search = |a: &Shape<'_>, b: &Shape<'_>| -> Toi {
        toi::one_to_one(a, of_a, b, of_b, settings).expect("valid")
    };
    let (plain, hulls) = (search(&a.plain(), &b.plain()), search(&a.hull(), &b.hull()));
    let text = format!("{plain:?} {hulls:?} {settings:?} {text}");
    let pair = [&a.hull(), &b.hull()];
    let target = f64::from(settings.target_distance);
    let least = match pair.map(Shape::size) {
        [0.0, size] | [size, 0.0] => size,
        [one, other] => one.min(other),
    };
    let tolerance = f64::from(settings.tolerance) * least;
    let free_until = |t: f32| {
        // At the start a touch may be ignored.
        let start = settings.window[0];
        let clear = distance_at(pair, motions, start) > target + tolerance;
        for step in 0..16 {
            let t = start + (t - start) * step as f32 / 16.0;
            let apart = distance_at(pair, motions, t);
            assert!(!clear || apart >= target - ROUNDING, "{apart} at {t}: {text}");
        }
    };
    match plain.result {
        ToiResult::Impact { t, normal, on_a, on_b, .. } => {
            let apart = distance_at(pair, motions, t);
            assert!(apart <= target + tolerance + ROUNDING, "{apart}: {text}");
            free_until(t);
            let between: [f32; 3] = std::array::from_fn(|k| on_b[k] - on_a[k]);
            let length = between.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
            assert!(
                (length - apart.max(0.0)).abs() <= tolerance + 4.0 * ROUNDING,
                "{apart}: {text}"
            );
            let square: f32 = normal.iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-5, "{text}");
            if let ToiResult::Impact { t: other, .. } = hulls.result {
                // Each is the first time but for the tolerance, which a slow pair takes long to cross.
                let nearer = distance_at(pair, motions, other.max(t));
                let further = distance_at(pair, motions, other.min(t));
                assert!(further - nearer <= 1.25 * tolerance + 2.0 * ROUNDING, "{text}");
            }
        }
        ToiResult::Separated => free_until(settings.window[1]),
        // The depth is that along the best direction found, which may be another one.
        ToiResult::Overlapping { depth, .. } => {
            assert!(f64::from(depth) >= -ROUNDING, "{text}");
        }
        _ => panic!("{text}"),
    }
    core::mem::discriminant(&plain.result) == core::mem::discriminant(&hulls.result)
}

/// Goal: the first time of boxes, of flat ones, segments and points, and of these with a radius, is that of their corners as a
/// hull. Method: random pairs; radii from none to that at which the contact distance is just more than what the
/// cores themselves may be apart; rotations that are arbitrary, none, and almost none, so that edges are (almost) parallel;
/// straight and accelerated; windows and target distances.
#[test]
fn first_times_of_boxes_are_those_of_hulls() {
    compared(83, &[0.0]);
}

/// Goal: the same for boxes that rotate. Method: as before; one or both of them rotate, slowly, by about a turn, or by many.
#[test]
fn first_times_of_rotating_boxes_are_those_of_hulls() {
    compared(84, &[1e-3, 1.0, 4.0, 4.0, 40.0]);
}

/// Compares random pairs of boxes that rotate at these rates with the hulls of their corners.
fn compared(seed: u64, rates: &[f32]) {
    let mut draw = Draw::new(seed);
    let (mut same, mut cases) = (0, 0);
    let mut kinds = [0; 2];
    for case in 0..how_many(6000) {
        let tolerance = Settings::TOLERANCE;
        let radius = [0.0, 0.0, 1.2 * tolerance, 2.4 * tolerance, 0.3][case % 5];
        let solids = [case / 5 % 5, case / 25 % 5].map(|kind| Solid::draw(&mut draw, kind, radius));
        let turned = case / 125 % 4;
        let rotated = |draw: &mut Draw, at: [f32; 3]| {
            let about = unit(&mut draw.0);
            let angle = [0.0, 1e-7, 1e-3, 0.0][turned];
            let [x, y, z] = about.map(|x| x * angle);
            let own = if turned == 3 { rotation(&mut draw.0) } else { [x, y, z, 1.0] };
            Pose::new(at, own).expect("a pose")
        };
        let way = unit(&mut draw.0);
        let far = [1.2, 3.0][case / 500 % 2] * draw.between(1.5, 2.0);
        let at: [f32; 3] = way.map(|x| x * far);
        let poses = [rotated(&mut draw, [0.0; 3]), rotated(&mut draw, at)];
        let mut around =
            |most: f32| std::array::from_fn::<f32, 3, _>(|_| draw.between(-most, most));
        let aside = around(1.0);
        let delta: [f32; 3] = std::array::from_fn(|k| -1.5 * at[k] + aside[k]);
        let accel = if case / 1000 % 3 == 2 { around(2.0) } else { [0.0; 3] };
        let moving = |pose: Pose, delta: [f32; 3]| Motion::new(pose, delta).expect("a motion");
        let rate = rates[case / 13 % rates.len()];
        let mut spin = |part: f32| unit(&mut draw.0).map(|x| x * rate * part);
        let [spin_a, spin_b] = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]][case / 17 % 3].map(&mut spin);
        let of_a = moving(poses[0], [0.0; 3]).spinning(spin_a).expect("a motion");
        let of_b = moving(poses[1], delta).accelerating(accel).expect("a motion");
        let of_b = of_b.spinning(spin_b).expect("a motion");
        let settings = Settings {
            target_distance: [0.0, 0.0, 0.05, 3.0 * tolerance][case / 3 % 4],
            window: [[0.0, 1.0], [0.1, 0.6]][case / 7 % 2],
            touch: [Touch::IfClosing, Touch::Hit, Touch::Ignore][case / 11 % 3],
            ..Settings::default()
        };
        let [a, b] = &solids;
        let text = format!("{case}: {:?} {:?} {radius} {of_a:?} {of_b:?}", a.half, b.half);
        same += usize::from(judged([a, b], [&of_a, &of_b], &settings, &text));
        let hit = toi::one_to_one(&a.plain(), &of_a, &b.plain(), &of_b, &settings).expect("valid");
        kinds[usize::from(hit.impact().is_some())] += 1;
        cases += 1;
    }
    // A pair that passes within the tolerance may be an impact or not.
    assert!(cases - same <= cases / 100, "{same} of {cases}");
    assert!(kinds.iter().all(|&kind| kind > cases / 10), "{kinds:?} of {cases}");
}

/// Goal: at the border of a touch at the start, boxes follow the setting as hulls do. Method: boxes face to face, edge to face and
/// corner to corner, with gaps of none, and of parts and multiples of the tolerance, which close, open, slide or rest; with
/// and without a radius.
#[test]
fn touches_of_boxes_at_the_start_are_those_of_hulls() {
    let tolerance = Settings::TOLERANCE;
    let mut count = 0;
    for radius in [0.0, 0.25] {
        let solids = [Solid::new([1.0, 0.5, 2.0], radius), Solid::new([0.5; 3], radius)];
        // Half the diagonal of the box of the smaller one.
        let size = 0.75_f32.sqrt() + radius;
        for part in [-2.0, -0.5, 0.0, 0.5, 0.99, 1.01, 2.0, 64.0] {
            for place in [[0.25, 1.0, 0.5], [1.5, 1.0, 0.0], [1.5, 1.0, 2.5]] {
                let up = place[1] + 2.0 * radius + part * tolerance * size;
                for delta in [[0.0, -0.5, 0.0], [0.0, 0.5, 0.0], [0.3, 0.0, 0.0], [0.0; 3]] {
                    for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
                        let of_a = Motion::from(Pose::IDENTITY);
                        let pose = Pose::at([place[0], up, place[2]]).expect("a pose");
                        let of_b = Motion::new(pose, delta).expect("a motion");
                        let settings = Settings { touch, ..Settings::default() };
                        let text = format!("{part} {place:?} {delta:?} {radius}");
                        let [a, b] = &solids;
                        let same = judged([a, b], [&of_a, &of_b], &settings, &text);
                        assert!(same, "{text} {touch:?}");
                        count += 1;
                    }
                }
            }
        }
    }
    assert_eq!(count, 2 * 8 * 3 * 4 * 3);
}

/// Goal: a ball that meets the face of a box has two rounds, the plane of the face and the contact. Method: balls from all six
/// sides, aslant, in the first and in the second place.
#[test]
fn ball_that_meets_a_face_has_two_rounds() {
    let mut draw = Draw::new(85);
    let (cuboid, ball) = (Shape::cuboid([1.0, 0.5, 2.0]), Shape::sphere(0.5));
    let (cuboid, ball) = (cuboid.expect("a box"), ball.expect("a ball"));
    let still = Motion::from(Pose::IDENTITY);
    let mut count = 0;
    for case in 0..600 {
        let (axis, sign) = (case % 3, [-1.0, 1.0][case / 3 % 2]);
        let half = [1.0, 0.5, 2.0];
        let mut at: [f32; 3] = std::array::from_fn(|k| draw.between(-0.5, 0.5) * half[k]);
        let mut from: [f32; 3] = std::array::from_fn(|_| draw.between(-2.0, 2.0));
        at[axis] = 0.0;
        from[axis] = sign * draw.between(4.0, 6.0);
        // Where it touches, its centre is within the face.
        let touch = sign * (half[axis] + 0.5);
        let part = (from[axis] - touch) / from[axis];
        let delta: [f32; 3] =
            std::array::from_fn(|k| if k == axis { -from[k] } else { (at[k] - from[k]) / part });
        let thrown = Motion::new(Pose::at(from).expect("a pose"), delta).expect("a motion");
        let settings = Settings::default();
        let found = if case % 2 == 0 {
            toi::one_to_one(&ball, &thrown, &cuboid, &still, &settings)
        } else {
            toi::one_to_one(&cuboid, &still, &ball, &thrown, &settings)
        };
        let found = found.expect("valid");
        let t = found.impact().expect("it meets the face");
        assert!((t - part).abs() < 1e-4 && found.rounds == 2, "{case}: {found:?} {part}");
        count += 1;
    }
    assert_eq!(count, 600);
}
