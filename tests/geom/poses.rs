//! Tests of poses and motions: they accept the documented values, and nothing else.

use rand::RngExt;
use swath::{COORD_MAX, Invalid, Motion, Pose, SPIN_MAX};
use testkit::draw::{Draw, for_each};

/// A number of any scale, sometimes invalid.
fn number(draw: &mut Draw) -> f64 {
    let odd = [
        0.0,
        -0.0,
        f64::MIN_POSITIVE / 8.0,
        f64::MAX,
        1e200,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    if draw.one_in(12) { draw.one_of(&odd) } else { f64::from(draw.between(-1.0, 1.0)) }
}

/// Goal: a quaternion of any length that has a direction becomes the unit quaternion of that direction, and
/// others are rejected. Method: components of each quaternion scaled by powers of two, which changes no
/// direction, compared by the cross products of the components, which are zero for parallel vectors.
#[test]
fn quaternions_are_normalised() {
    for_each(
        20_000,
        |draw| ([(); 4].map(|()| number(draw)), draw.0.random_range(-900..=900)),
        |(given, exponent)| {
            let scaled = given.map(|x| x * 2.0_f64.powi(exponent));
            let finite = scaled.iter().all(|x| x.is_finite());
            let some = scaled.iter().any(|&x| x != 0.0);
            let made = Pose::from_f64([0.5, -0.25, 3.0], scaled);
            if !finite || !some {
                assert_eq!(made, Err(Invalid::Rotation));
                return;
            }
            let pose = made.unwrap();
            assert_eq!(pose.position, [0.5, -0.25, 3.0]);
            let unit = pose.rotation.map(f64::from);
            let square: f64 = unit.iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 4e-7, "{square}");
            let most = scaled.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let direction = scaled.map(|x| x / most);
            for i in 0..4 {
                for j in 0..4 {
                    let cross = unit[i] * direction[j] - unit[j] * direction[i];
                    assert!(cross.abs() < 2e-7, "{cross}");
                }
                assert!(unit[i] * direction[i] >= 0.0);
            }
            let narrow = scaled.map(|x| x as f32);
            if narrow.iter().zip(scaled).all(|(&x, y)| f64::from(x) == y) {
                assert_eq!(Pose::normalized([0.5, -0.25, 3.0], narrow), Ok(pose));
            }
        },
    );
}

/// Goal: positions in `f64` are rounded to nearest, and invalid ones are errors.
#[test]
fn positions_of_f64_are_rounded() {
    let unit = [0.0, 0.0, 0.0, 1.0];
    assert_eq!(Pose::from_f64([0.1, 1e-60, -7.0], unit).unwrap().position, [0.1, 0.0, -7.0]);
    assert_eq!(Pose::from_f64([0.0, f64::NAN, 0.0], unit), Err(Invalid::NotFinite { axis: 1 }));
    assert_eq!(Pose::from_f64([0.0, 0.0, 1e37], unit), Err(Invalid::TooLarge { axis: 2 }));
    let most = f64::from(COORD_MAX);
    assert_eq!(Pose::from_f64([most, 0.0, 0.0], unit).unwrap().position[0], COORD_MAX);
    assert_eq!(
        Pose::from_f64([most.next_up(), 0.0, 0.0], unit),
        Err(Invalid::TooLarge { axis: 0 })
    );
    assert_eq!(
        Pose::normalized([f32::INFINITY, 0.0, 0.0], [1.0; 4]),
        Err(Invalid::NotFinite { axis: 0 })
    );
}

/// Goal: each constructor of a motion rejects invalid arguments. Method: one invalid number at a time.
#[test]
fn motions_reject_invalid_arguments() {
    let motion = Motion::new(Pose::IDENTITY, [1.0, 2.0, 3.0]).unwrap();
    assert_eq!(motion.validate(), Ok(()));
    let bad = [0.0, f32::NAN, 0.0];
    let not_finite = Err(Invalid::NotFinite { axis: 1 });
    assert_eq!(Motion::new(Pose::IDENTITY, bad), not_finite);
    assert_eq!(Motion::new(Pose { position: bad, ..Pose::IDENTITY }, [0.0; 3]), not_finite);
    let long = Pose { rotation: [1.0; 4], ..Pose::IDENTITY };
    assert_eq!(Motion::new(long, [0.0; 3]), Err(Invalid::Rotation));
    assert_eq!(motion.accelerating(bad), not_finite);
    assert_eq!(motion.accelerating([0.0, 0.0, 1e37]), Err(Invalid::TooLarge { axis: 2 }));
    assert_eq!(motion.accelerating([4.0; 3]), Ok(Motion { accel: [4.0; 3], ..motion }));
    assert_eq!(motion.spinning(bad), Err(Invalid::Spin));
    assert_eq!(motion.spinning([SPIN_MAX.next_up(), 0.0, 0.0]), Err(Invalid::Spin));
    assert_eq!(
        motion.spinning([SPIN_MAX, 0.0, 0.0]),
        Ok(Motion { spin: [SPIN_MAX, 0.0, 0.0], ..motion })
    );
}

/// Goal: a motion is valid if each of its parts is, and the first invalid part is reported. Method: one invalid part at a time, then
/// all that follow it too.
#[test]
fn motions_report_the_first_invalid_part() {
    let mut motion = Motion::from(Pose::at([1.0, 2.0, 3.0]).unwrap());
    assert_eq!(motion.pose, Pose { position: [1.0, 2.0, 3.0], ..Pose::IDENTITY });
    assert_eq!((motion.delta, motion.accel, motion.spin), ([0.0; 3], [0.0; 3], [0.0; 3]));
    motion.spin = [0.0, -SPIN_MAX.next_up(), 0.0];
    assert_eq!(motion.validate(), Err(Invalid::Spin));
    motion.accel[2] = COORD_MAX.next_up();
    assert_eq!(motion.validate(), Err(Invalid::TooLarge { axis: 2 }));
    motion.delta[1] = f32::INFINITY;
    assert_eq!(motion.validate(), Err(Invalid::NotFinite { axis: 1 }));
    motion.pose.rotation = [0.5; 4].map(|x: f32| x * 1.01);
    assert_eq!(motion.validate(), Err(Invalid::Rotation));
    motion.pose.position[0] = f32::NAN;
    assert_eq!(motion.validate(), Err(Invalid::NotFinite { axis: 0 }));
    // A spin is limited by its length, not by its components.
    let [long, short] = [600.0, 591.0].map(|x| Motion::default().spinning([x, -x, x]));
    assert_eq!((long, short.is_ok()), (Err(Invalid::Spin), true));
}

/// Goal: a quaternion is of unit length if its squared length differs from one by at most the documented bound. Method: the floats
/// next to both limits.
#[test]
fn quaternions_near_unit_length_are_valid() {
    for (limit, inwards) in [(1.0 - 0.5_f64.powi(10), 1.0_f32), (1.0 + 0.5_f64.powi(10), -1.0)] {
        let within = |w: f32| (f64::from(w) * f64::from(w) - 1.0).abs() <= 0.5_f64.powi(10);
        let mut w = limit.sqrt() as f32 - inwards * 1e-6;
        assert!(!within(w));
        while !within(w) {
            assert_eq!(Pose::new([0.0; 3], [0.0, w, 0.0, 0.0]), Err(Invalid::Rotation), "{w}");
            w = if inwards > 0.0 { w.next_up() } else { w.next_down() };
        }
        assert!(Pose::new([0.0; 3], [0.0, w, 0.0, 0.0]).is_ok(), "{w}");
    }
}

/// A vector rotated by a unit quaternion: `v + 2w(q × v) + 2(q × (q × v))`.
fn rotated([x, y, z, w]: [f32; 4], v: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = [x, y, z, w].map(f64::from);
    let cross = |v: [f64; 3]| [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]];
    let once = cross(v);
    let twice = cross(once);
    std::array::from_fn(|k| v[k] + 2.0 * (w * once[k] + twice[k]))
}

/// A vector rotated about `spin` by its length in radians (formula of Rodrigues).
fn turned(spin: [f64; 3], v: [f64; 3]) -> [f64; 3] {
    let angle = spin.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z] = spin.map(|x| if angle > 0.0 { x / angle } else { 0.0 });
    let along = x * v[0] + y * v[1] + z * v[2];
    let cross = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]];
    let (sin, cos) = angle.sin_cos();
    std::array::from_fn(|k| v[k] * cos + cross[k] * sin + [x, y, z][k] * along * (1.0 - cos))
}

/// Goal: the pose at a time is the first one, displaced and then rotated about the spin by its length. Method: vectors rotated by
/// the quaternion of the pose, and by that of the first pose and then about the axis; positions whose numbers are exact.
#[test]
fn pose_at_a_time_is_displaced_and_rotated_about_the_spin() {
    for_each(
        4_000,
        |draw| {
            let rotation = [(); 4].map(|()| f64::from(draw.between(-1.0, 1.0)));
            let spin = [(); 3].map(|()| draw.between(-4.0, 4.0));
            (rotation, spin, draw.between(0.0, 1.0))
        },
        |(rotation, spin, t)| {
            let pose = Pose::from_f64([1.0, 2.0, 3.0], rotation).unwrap();
            let motion = Motion::from(pose).spinning(spin).unwrap();
            let at = motion.at(t);
            assert_eq!(at.position, pose.position);
            assert_eq!(at.validate(), Ok(()));
            for v in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let first = rotated(pose.rotation, v);
                let expected = turned(spin.map(|x| f64::from(x) * f64::from(t)), first);
                let found = rotated(at.rotation, v);
                for k in 0..3 {
                    assert!((found[k] - expected[k]).abs() < 2e-6, "{found:?} {expected:?}");
                }
            }
        },
    );
    let pose = Pose::new([1.0, 2.0, 3.0], [0.6, 0.0, -0.8, 0.0]).unwrap();
    let moves = Motion::new(pose, [4.0, -8.0, 0.0]).unwrap().accelerating([8.0, 0.0, 16.0]);
    for (t, position) in [
        (0.0, [1.0, 2.0, 3.0]),
        (0.25, [2.25, 0.0, 3.5]),
        (0.5, [4.0, -2.0, 5.0]),
        (1.0, [9.0, -6.0, 11.0]),
        (7.0, [9.0, -6.0, 11.0]),
        (f32::INFINITY, [9.0, -6.0, 11.0]),
        (f32::NAN, [9.0, -6.0, 11.0]),
        (-0.5, [1.0, 2.0, 3.0]),
        (f32::NEG_INFINITY, [1.0, 2.0, 3.0]),
    ] {
        // Without spin the rotation is not changed in any bit.
        assert_eq!(moves.unwrap().at(t), Pose { position, ..pose }, "{t}");
    }
}

/// Goal: negative zero is the start of the path, with the signs of its zeros. Method: a motion whose displacement times negative zero
/// would be negative zero.
#[test]
fn pose_at_negative_zero_has_the_bits_of_the_start() {
    let pose = Pose::new([-0.0; 3], [0.0, 0.0, 0.0, 1.0]).unwrap();
    let motion = Motion::new(pose, [1.0, 2.0, 3.0]).unwrap().accelerating([-1.0; 3]).unwrap();
    for motion in [motion, motion.spinning([0.0, 1.0, 0.0]).unwrap()] {
        let bits = |t: f32| {
            let Pose { position, rotation } = motion.at(t);
            (position.map(f32::to_bits), rotation.map(f32::to_bits))
        };
        assert_eq!(bits(-0.0), bits(0.0), "{motion:?}");
    }
}

/// Goal: a pose that is advanced by its motion in each tick stays valid and of unit length, however slowly it rotates, and rotates as far as the spin says.
/// Method: 70,000 ticks with spins around those whose change of the greatest component of the quaternion is rounded away; also fast ones.
#[test]
fn poses_that_are_advanced_for_hours_stay_valid() {
    for spin in [1.0e-7_f32, 9.536_743e-7, 1.2e-6, 1.0e-5, 0.01, 3.0] {
        let mut motion =
            Motion::new(Pose::IDENTITY, [0.0; 3]).unwrap().spinning([0.0, 0.0, spin]).unwrap();
        for tick in 0..70_000 {
            motion.pose = motion.at(1.0);
            assert_eq!(motion.validate(), Ok(()), "{spin}, tick {tick}");
        }
        let [x, y, z, w] = motion.pose.rotation.map(f64::from);
        let square = z * z + w * w;
        assert!((square - 1.0).abs() < 1e-6 && x == 0.0 && y == 0.0, "{spin}: {square}");
        if spin < 1.0e-4 {
            let (angle, expected) = (2.0 * z.atan2(w), 70_000.0 * f64::from(spin));
            assert!((angle - expected).abs() < 1e-3 * expected, "{spin}: {angle}, {expected}");
        }
    }
}
