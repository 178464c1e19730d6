//! A step rejects invalid input, returns finite numbers only, and stays within its budget.

use super::bytes::Bytes;
use crate::finite::assert_finite;
use swath::batch::Rejected;
use swath::convex::InvalidShape;
use swath::pipeline::ImpactKind;
use swath::{COORD_MAX, ConvexBody, Impact, Invalid, Motion, Pose, Shape, Threads};
use swath_stepping::{Mass, Stepper, StepperConfig, response};

/// One byte is the number of bodies.
const BODIES_MAX: u8 = 8;

/// Advances bodies with any numbers by two ticks.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % BODIES_MAX;
    let config = config(&mut bytes);
    let (mut bodies, mut masses) = (Vec::new(), Vec::new());
    while bodies.len() < usize::from(count) && !bytes.is_empty() {
        if let Ok((shape, motion)) = body(&mut bytes) {
            bodies.push(ConvexBody { row: bodies.len() as u32, shape, motion });
            masses.push(mass(&mut bytes));
        }
    }
    bounce(&bodies, &masses);
    let mut stepper = Stepper::new(config);
    stepper.exec.threads = Threads::one();
    for _ in 0..2 {
        let before = bodies.clone();
        let stats = match stepper.step(&mut bodies, &masses, None) {
            Ok(stats) => stats,
            Err(error) => {
                assert_eq!(config.validate(), Err(error));
                return;
            }
        };
        assert!(config.validate().is_ok() && stats.searches <= config.searches_max as usize);
        let invalid = rejected(&before, &masses);
        for of in &invalid {
            assert!(stepper.rejected().iter().any(|row| row.row == of.row), "{of:?}");
        }
        for row in stepper.rejected() {
            // With the slop its box may exceed the greatest coordinate.
            let is_vast = matches!(row.reason, Invalid::TooLarge { .. });
            assert!(is_vast || invalid.contains(row), "{row:?}");
        }
        assert_finite(&(stepper.impacts(), stepper.stalled(), stats));
        assert_eq!(stats.stalled, stepper.stalled().len());
        for hit in stepper.impacts() {
            assert!((0.0..=1.0).contains(&hit.impact.toi), "{hit:?}");
            assert!(
                hit.impact.kind != ImpactKind::Unresolved && hit.supporting_force >= 0.0,
                "{hit:?}"
            );
        }
        for (row, (body, before)) in (0..).zip(bodies.iter().zip(&before)) {
            let is_rejected = stepper.rejected().iter().any(|rejected| rejected.row == row);
            let bits = |motion: &Motion| format!("{motion:?}");
            if is_rejected {
                assert_eq!(bits(&body.motion), bits(&before.motion));
                continue;
            }
            assert_finite(&body.motion);
            assert!(body.motion.delta.iter().all(|x| x.abs() <= COORD_MAX), "{body:?}");
            assert_eq!(bits_of(body.motion.accel), bits_of(before.motion.accel));
            assert_eq!(bits_of(body.motion.spin), bits_of(before.motion.spin));
        }
    }
}

fn bits_of(v: [f32; 3]) -> [u32; 3] {
    v.map(f32::to_bits)
}

/// Limits that are small, usual or absent; some are invalid.
fn config(bytes: &mut Bytes<'_>) -> StepperConfig {
    let mut config = StepperConfig::default();
    let how = bytes.byte();
    config.impacts_max = [32, 32, 2, 5, 32, 9, 1, 0][usize::from(how % 8)];
    config.rounds_max = [64, 64, 300, 9, 2, 64, 64, 0][usize::from(how / 8 % 8)];
    config.searches_max = [u32::MAX, 60, 5, 0][usize::from(how / 64)];
    config.target_distance = if how == 7 { bytes.number() } else { 0.0 };
    config.correction_max = match how % 5 {
        0 => 0.0,
        1 => 1.0,
        2 => bytes.number(),
        _ => config.correction_max,
    };
    config
}

fn body(bytes: &mut Bytes<'_>) -> Result<(Shape<'static>, Motion), InvalidShape> {
    let how = bytes.byte();
    let small = how & 0x80 == 0;
    let number = |bytes: &mut Bytes<'_>| if small { bytes.signed() / 16.0 } else { bytes.number() };
    let vector = |bytes: &mut Bytes<'_>| [(); 3].map(|()| number(bytes));
    let [x, y, z] = vector(bytes).map(f32::abs);
    let shape = match how % 5 {
        0 => Shape::sphere(x),
        1 => Shape::cuboid([x, y, z]),
        2 => Shape::capsule(x, y),
        3 => Shape::cylinder(x, y),
        _ => Ok(Shape::point()),
    };
    let pose = Pose { position: vector(bytes), ..Pose::IDENTITY };
    let mut motion = Motion { pose, delta: vector(bytes), ..Motion::default() };
    motion.accel = if how & 0x40 == 0 { [0.0; 3] } else { vector(bytes) };
    motion.spin = match how / 16 % 4 {
        0 | 1 => [0.0; 3],
        2 => [bytes.signed(), 0.0, bytes.signed()],
        _ => vector(bytes),
    };
    Ok((shape?, motion))
}

fn mass(bytes: &mut Bytes<'_>) -> Mass {
    let how = bytes.byte();
    let inverse_mass = match how % 8 {
        0 | 1 => 1.0,
        2 => 0.0,
        3 => 1e-6,
        4 => 1e6,
        5 => 5.5e-20,
        6 => bytes.number().abs(),
        _ => bytes.number(),
    };
    let restitution = match how / 8 % 8 {
        0..=2 => 0.0,
        3 | 4 => 1.0,
        5 | 6 => 0.5,
        _ => bytes.number(),
    };
    Mass { inverse_mass, restitution }
}

/// The rows that a step must reject.
fn rejected(bodies: &[ConvexBody<'_>], masses: &[Mass]) -> Vec<Rejected> {
    let reason = |(row, (body, mass)): (u32, (&ConvexBody<'_>, &Mass))| {
        let moves = body.shape.bounds_over(&body.motion).map(|_| ());
        moves.and_then(|()| mass.validate()).err().map(|reason| Rejected { row, reason })
    };
    (0..).zip(bodies.iter().zip(masses)).filter_map(reason).collect()
}

/// A response to an impact with any numbers is an error or has finite numbers.
fn bounce(bodies: &[ConvexBody<'_>], masses: &[Mass]) {
    let [a, b, ..] = bodies else { return };
    let normal = a.motion.pose.position;
    let [closing, depth, _] = b.motion.pose.position;
    for kind in [ImpactKind::Touching, ImpactKind::Overlapping] {
        let impact: Impact = Impact { normal, closing, depth, kind, ..Impact::default() };
        let (mut of_a, mut of_b) = (a.motion, b.motion);
        let inverse = [masses[0].inverse_mass, masses[1].inverse_mass];
        let restitution = masses[0].restitution;
        let reaction = response::bounce(&impact, [&mut of_a, &mut of_b], inverse, restitution);
        let valid = |inverse_mass| Mass { inverse_mass, restitution }.validate().is_ok();
        let is_valid = inverse.into_iter().all(valid);
        let motions = [a.motion, b.motion];
        let is_valid = is_valid && motions.iter().all(|motion| motion.validate().is_ok());
        assert_eq!(reaction.is_ok(), is_valid, "{impact:?} {motions:?} {inverse:?} {restitution}");
        if let Ok(reaction) = reaction {
            assert_finite(&(reaction, of_a, of_b));
            assert!(of_a.validate().is_ok() && of_b.validate().is_ok(), "{of_a:?} {of_b:?}");
        }
        assert_finite(&response::separate(&impact, inverse));
    }
}
