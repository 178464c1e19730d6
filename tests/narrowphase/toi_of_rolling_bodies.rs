//! Tests that rolling about its own axis does not move a body of revolution.
//!
//! Such a body contains the same points at all times, so its first time is that of the body without rotation.
//! The spin is in `f32`, so its axis may differ from the body's by about `2⁻²³`, and the surface by as much
//! of its size.

use scenes::convex::rotation;
use swath::convex::toi;
use swath::convex::toi::{Settings, Toi, ToiResult};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};

/// A vector, rotated by a unit quaternion.
fn turned([x, y, z, w]: [f32; 4], v: [f64; 3]) -> [f64; 3] {
    let (q, w) = ([x, y, z].map(f64::from), f64::from(w));
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let once = cross(q, v).map(|along| 2.0 * along);
    let twice = cross(q, once);
    std::array::from_fn(|axis| v[axis] + w * once[axis] + twice[axis])
}

/// A body of revolution about `y`, or `x` for the last, and its radius.
fn round(draw: &mut Draw, size: f32) -> (Shape<'static>, usize, f32) {
    let (half, radius) = (size * draw.between(0.2, 1.0), size * draw.between(0.2, 1.0));
    let axis = |shape: Shape<'static>| (shape, 1, radius);
    match draw.whole(0, 6) as u32 {
        0 => axis(Shape::sphere(radius).expect("a ball")),
        1 => axis(Shape::capsule(half, radius).expect("a capsule")),
        2 => axis(Shape::cylinder(half, radius).expect("a cylinder")),
        3 => axis(Shape::cone(half, radius).expect("a cone")),
        4 => {
            let cone = Shape::cone(half, 0.5 * radius).expect("a cone");
            axis(cone.scaled([2.0, -3.0, -2.0]).expect("a scale"))
        }
        5 => axis(Shape::cylinder(half, radius).and_then(|s| s.rounded(0.0)).expect("round")),
        _ => {
            let bar = Shape::cuboid([half, 0.0, 0.0]).and_then(|bar| bar.rounded(radius));
            (bar.expect("a bar"), 0, radius)
        }
    }
}

fn search(a: (&Shape<'_>, &Motion), b: (&Shape<'_>, &Motion)) -> Toi {
    toi::one_to_one(a.0, a.1, b.0, b.1, &Settings::default()).expect("valid")
}

/// Goal: rolling is rest, also beside a body ten thousand times smaller, at a thousand radians per tick.
/// Method: bodies of revolution of many sizes in any orientation, whose spin is along their axis as nearly as
/// `f32` can represent; a ball or box beside them, at rest or in flight towards them, as either body of the
/// pair. Results are those of the body that does not roll, with about as many rounds.
#[test]
fn rolling_body_has_the_results_of_a_resting_one() {
    let mut draw = Draw::new(31);
    let mut hits = 0;
    for case in 0..how_many(4000) {
        let size = 10.0_f32.powf(draw.between(-2.0, 4.0));
        let (body, axis, radius) = round(&mut draw, size);
        let small = size / draw.one_of(&[1.0, 10.0, 1e2, 1e4]);
        let grain = if draw.one_in(2) {
            Shape::sphere(small).expect("a ball")
        } else {
            Shape::cuboid([small; 3]).expect("a box")
        };
        // The axis is exact in `f32`, or not.
        let exact = draw.one_in(2);
        let orientation = if exact { [0.0, 0.0, 0.0, 1.0] } else { rotation(&mut draw.0) };
        let along = |axis: usize| {
            turned(orientation, std::array::from_fn(|k| f64::from(u8::from(k == axis))))
        };
        let (own, across) = (along(axis), along(2));
        let rate = f64::from(draw.one_of(&[0.5_f32, 6.3, 60.0, 1000.0]));
        let spin = own.map(|along| (along * rate) as f32);

        // Not less than that of the small body; and the swing of an end if the axis differs a little.
        let tolerance = 2.0_f64.powi(-14) * f64::from(small) * 1.8;
        let swing = if exact { 0.0 } else { 8.0 * 2.0_f64.powi(-23) * f64::from(size) };
        let slack = 4.0 * tolerance + 4.0 * swing + 1e-5 * f64::from(size.min(small));
        let gap = slack + f64::from(small) * f64::from(draw.between(0.0, 2.0));
        // Beyond the widest part and the corners of the box.
        let away = f64::from(radius) + 1.8 * f64::from(small) + gap;
        let moved = draw.one_of(&[0.0, 0.9, 4.0]) * away;
        let at = across.map(|k| (k * away) as f32);
        let delta = across.map(|k| (-k * moved) as f32);

        let still = Motion::from(Pose::new([0.0; 3], orientation).expect("a pose"));
        let rolling = still.spinning(spin).expect("a spin");
        let pose = Pose::at(at).expect("a place");
        let flying = Motion::new(pose, delta).expect("a motion");
        let text = format!("{case}: {body:?} {rolling:?} {grain:?} {flying:?}");
        for swapped in [false, true] {
            let ask = |motion: &Motion| {
                let (a, b) = ((&body, motion), (&grain, &flying));
                if swapped { search(b, a) } else { search(a, b) }
            };
            let (plain, rolled) = (ask(&still), ask(&rolling));
            // An axis that differs a little swings with the frequency of the spin.
            let more = if exact { 24 } else { 256 };
            assert!(rolled.rounds <= plain.rounds + more, "{rolled:?} {plain:?} {text}");
            match (rolled.result, plain.result) {
                (ToiResult::Separated, ToiResult::Separated) => {
                    assert!(moved < away, "{text}");
                }
                (ToiResult::Impact { t, .. }, ToiResult::Impact { t: at, normal, .. }) => {
                    hits += 1;
                    // A tolerance is a distance along the normal.
                    let along: f64 = (0..3).map(|k| across[k] * f64::from(normal[k])).sum();
                    let apart = (f64::from(t) - f64::from(at)).abs() * moved * along.abs();
                    let step = 2.0_f64.powi(-23) * moved;
                    let most = 2.0 * tolerance + 4.0 * swing + step;
                    assert!(apart <= most, "{rolled:?} {plain:?} {text}");
                }
                _ => panic!("{rolled:?} {plain:?} {text}"),
            }
        }
    }
    assert!(hits > how_many(4000) / 4, "{hits}");
}

/// Goal: the points of an impact are the nearest ones also if the body rolls while its time is rounded down. Method: a capsule that spins about
/// its axis, which is tilted by a millionth, and a ball whose surface point then is on the line of both centres.
#[test]
fn points_of_a_rolling_body_do_not_roll() {
    let capsule = Shape::capsule(1.0, 0.5).expect("a capsule");
    let ball = Shape::sphere(0.5).expect("a ball");
    let rolling = Motion::default().spinning([1e-3, 1000.0, 0.0]).expect("a spin");
    let settings = Settings { tolerance: 0.0, ..Settings::default() };
    let mut impacts = 0;
    for k in 0..how_many(2000) {
        let at = Pose::at([3.0 + k as f32 * 1e-3, 0.3, 0.1]).expect("a pose");
        let flight = Motion::new(at, [-2.7, 0.0, 0.0]).expect("a motion");
        let found = toi::one_to_one(&capsule, &rolling, &ball, &flight, &settings).expect("valid");
        let ToiResult::Impact { on_a, on_b, .. } = found.result else { continue };
        let square: f32 = (0..3).map(|axis| (on_b[axis] - on_a[axis]).powi(2)).sum();
        assert!(square.sqrt() < 3e-6, "{k} {found:?}");
        impacts += 1;
    }
    assert!(impacts > how_many(2000) / 4, "{impacts}");
}
