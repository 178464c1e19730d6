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
