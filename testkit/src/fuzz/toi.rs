//! First times of convex shapes satisfy the guarantees, and batches agree with them. Their poses convert points within the stated error.

use super::bytes::Bytes;
use super::poses;
use crate::finite::assert_finite;
use spec::{Core, FirstTime, MovingSolid, Solid};
use swath::batch::Rejected;
use swath::convex::gjk::Distance;
use swath::convex::toi::{Settings, Toi, ToiInput, ToiResult, Touch};
use swath::convex::{Hull, InvalidShape, gjk, toi};
use swath::{Motion, Pair, Pipeline, Pose, Segment, Shape, Threads};

/// One byte is the number of bodies.
const BODIES_MAX: u8 = 6;
const POINTS_MAX: u8 = 9;
/// The judge decides nothing after this many rounds, so that an input takes seconds at most.
const JUDGE_ROUNDS_MAX: usize = 100;

/// Tests the first body with each, and each with the next.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % BODIES_MAX;
    let settings = settings(&mut bytes);
    let bodies: Vec<_> = (0..count).filter_map(|_| body(&mut bytes)).collect();
    let (mut shapes, mut motions) = (Vec::new(), Vec::new());
    for body in &bodies {
        let core = match &body.hull {
            Some(hull) => Shape::hull(hull),
            None => body.sharp.expect("the hull is invalid"),
        };
        shapes.push(core.rounded(body.radius).expect("it was tried"));
        motions.push(body.motion);
    }
    let rows = bodies.len() as u32;
    let pairs: Vec<_> = (0..rows)
        .flat_map(|row| [Pair { a: 0, b: row }, Pair { a: row, b: (row + 1) % rows }])
        .collect();
    // The judge takes long if shapes touch without depth, so it gets one pair.
    let mut is_judged = false;
    let single: Vec<Toi> = pairs
        .iter()
        .map(|&Pair { a, b }| {
            let [a, b] = [a, b].map(|row| row as usize);
            poses::convert(&motions[a].pose, &motions[b].pose, motions[a].delta);
            let ask = |a: usize, b: usize| {
                toi::one_to_one(&shapes[a], &motions[a], &shapes[b], &motions[b], &settings)
            };
            let Ok(toi) = ask(a, b) else { return Toi::default() };
            is_sound(&toi, &settings);
            distances_are_finite([&shapes[a], &shapes[b]], [&motions[a], &motions[b]]);
            let swapped = ask(b, a).expect("it was valid");
            swap(&toi, &swapped, &settings);
            if a != b && bodies[a].tame && bodies[b].tame && !is_judged {
                is_judged = true;
                judge(&[&bodies[a], &bodies[b]], &toi, &settings);
            }
            toi
        })
        .collect();

    let meetings = ToiInput { shapes: &shapes, motions: &motions, pairs: &pairs, windows: &[] };
    let mut out = vec![Toi { rounds: 77, ..Toi::default() }; pairs.len()];
    let mut rejected = Vec::new();
    let asked = toi::pairs(&meetings, &settings, &Threads::one(), &mut rejected, &mut out);
    if asked.is_err() {
        assert!(settings.validate().is_err() && rejected.is_empty(), "{asked:?}");
        return;
    }
    let reason = |(row, motion): (u32, &Motion)| {
        motion.validate().err().map(|reason| Rejected { row, reason })
    };
    assert_eq!(rejected, (0..).zip(&motions).filter_map(reason).collect::<Vec<_>>());
    let text = |toi: &[Toi]| format!("{toi:?}"); // tells bits apart, zeros too
    assert_eq!(text(&out), text(&single));
}

/// A moving shape, as input of the library and of the judge.
struct Body {
    sharp: Option<Shape<'static>>,
    hull: Option<Hull>,
    core: Core,
    radius: f32,
    motion: Motion,
    /// Whether the judge takes little time for its numbers.
    tame: bool,
}

fn settings(bytes: &mut Bytes<'_>) -> Settings {
    let mut settings = Settings::default();
    let how = bytes.byte();
    settings.touch = [Touch::Hit, Touch::IfClosing, Touch::Ignore][usize::from(how % 3)];
    settings.target_distance = match how / 3 % 4 {
        0 => bytes.number(),
        1 => f32::from(bytes.byte()) / 64.0,
        _ => 0.0,
    };
    settings.window = match how / 12 % 4 {
        0 => [bytes.number(), bytes.number()],
        1 => [0.25, 0.75],
        _ => [0.0, 1.0],
    };
    settings
}

fn body(bytes: &mut Bytes<'_>) -> Option<Body> {
    let how = bytes.byte();
    let tame = how & 0x80 == 0;
    let number = |bytes: &mut Bytes<'_>| if tame { bytes.signed() / 16.0 } else { bytes.number() };
    let vector = |bytes: &mut Bytes<'_>| [(); 3].map(|()| number(bytes));
    let wide = |points: &[[f32; 3]]| points.iter().map(|p| p.map(f64::from)).collect();
    let radius = if how & 0x40 == 0 { 0.0 } else { f32::from(bytes.byte()) / 64.0 };
    let mut hull = None;
    let (sharp, core) = match how % 8 {
        0 => (Ok(Shape::point()), Core::Hull(vec![[0.0; 3]])),
        1 => {
            let ends = [vector(bytes), vector(bytes)];
            (Shape::segment(ends[0], ends[1]), Core::Hull(wide(&ends)))
        }
        2 => {
            let half = vector(bytes).map(f32::abs);
            (Shape::cuboid(half), Core::cuboid(half.map(f64::from)))
        }
        3 => {
            let corners = [(); 3].map(|()| vector(bytes));
            (Shape::triangle(corners), Core::Hull(wide(&corners)))
        }
        kind @ (4 | 5) => {
            let [y, r, _] = vector(bytes).map(f32::abs);
            let (half_height, radius) = (f64::from(y), f64::from(r));
            if kind == 4 {
                (Shape::cylinder(y, r), Core::Cylinder { half_height, radius })
            } else {
                (Shape::cone(y, r), Core::Cone { half_height, radius })
            }
        }
        _ => {
            let points: Vec<_> =
                (0..1 + bytes.byte() % POINTS_MAX).map(|_| vector(bytes)).collect();
            hull = Hull::new(points.iter().copied()).ok();
            let none = InvalidShape::NoPoints;
            (hull.as_ref().map(|_| Shape::point()).ok_or(none), Core::Hull(wide(&points)))
        }
    };
    let mut rotation = Pose::IDENTITY.rotation;
    if how & 0x20 != 0 {
        let quaternion = [(); 4].map(|()| number(bytes));
        let length = quaternion.iter().map(|x| x * x).sum::<f32>().sqrt();
        rotation = quaternion.map(|x| x / length);
    }
    let vector = |bytes: &mut Bytes<'_>| [(); 3].map(|()| number(bytes));
    let pose = Pose { position: vector(bytes), rotation };
    let mut motion = Motion { pose, delta: vector(bytes), ..Motion::default() };
    let more = bytes.byte();
    if more & 1 != 0 {
        motion.accel = vector(bytes);
    }
    if more & 2 != 0 {
        motion.spin = vector(bytes);
    }
    // A body with an invalid shape is rejected.
    let sharp = sharp.and_then(|shape| shape.rounded(radius)).and(sharp).ok()?;
    let sharp = hull.is_none().then_some(sharp);
    Some(Body { sharp, hull, core, radius, motion, tame })
}

/// Distances, casts along the path of one through the other, and bounds have finite numbers.
fn distances_are_finite([a, b]: [&Shape<'_>; 2], [at_a, at_b]: [&Motion; 2]) {
    let distance = gjk::distance(a, &at_a.pose, b, &at_b.pose);
    assert_finite(&distance);
    let overlaps = gjk::overlaps(a, &at_a.pose, b, &at_b.pose);
    assert_eq!(overlaps.err(), distance.err());
    if let (Ok(overlaps), Ok(Distance { distance, .. })) = (overlaps, distance) {
        // Only shapes that almost touch may have a distance that is not positive and no overlap; it is a depth along any direction. Those that are apart
        // by rounding alone may overlap.
        let (near, rounding) =
            ((a.size() + b.size()) / 8192.0, (a.size() + b.size()) / f64::from(1 << 26));
        let text = format!("{overlaps} {distance} {a:?} {at_a:?} {b:?} {at_b:?}");
        assert!(
            overlaps == (distance <= 0.0)
                || !overlaps && f64::from(-distance) <= near
                || overlaps && f64::from(distance) <= rounding,
            "{text}"
        );
    }
    let segment = Segment { start: at_b.pose.position, delta: at_b.delta, max_fraction: 1.0 };
    for max_fraction in [1.0, f32::INFINITY] {
        assert_finite(&a.cast(&at_a.pose, &Segment { max_fraction, ..segment }));
    }
    assert_finite(&(a.bounds(&at_a.pose), a.bounds_over(at_a), Pipeline::bounds_of(a, at_a, 0.0)));
}

/// All numbers are finite and in their range.
fn is_sound(toi: &Toi, settings: &Settings) {
    let [from, to] = settings.window;
    let text = format!("{toi:?} {settings:?}");
    assert_finite(toi);
    let is_unit = |normal: [f32; 3]| {
        let square: f32 = normal.iter().map(|x| x * x).sum();
        assert!((square - 1.0).abs() < 1e-5, "{text}");
    };
    match toi.result {
        ToiResult::Impact { t, normal, .. } => {
            is_unit(normal);
            assert!((from..=to).contains(&t), "{text}");
        }
        ToiResult::Overlapping { depth, normal, .. } => {
            is_unit(normal);
            assert!(depth > 0.0 || settings.touch == Touch::Ignore, "{text}");
        }
        ToiResult::Unresolved { t_safe } => assert!((from..=to).contains(&t_safe), "{text}"),
        _ => {}
    }
}

/// The order of the bodies does not matter, except within the tolerance.
fn swap(toi: &Toi, swapped: &Toi, settings: &Settings) {
    let at_once = |toi: &Toi| match toi.result {
        ToiResult::Impact { t, .. } => t == settings.window[0],
        ToiResult::Overlapping { .. } | ToiResult::Unresolved { .. } => true,
        _ => false,
    };
    if settings.touch == Touch::Hit && matches!(toi.result, ToiResult::Overlapping { .. }) {
        assert!(at_once(swapped), "{toi:?} {swapped:?}");
    }
}

/// The greatest distance above the target at the time of a contact: the tolerance, the path of the bodies while their time is rounded, and the
/// rounding of their positions.
fn allowed_distance(
    bodies: &[&Body; 2],
    solids: [&MovingSolid; 2],
    t: f32,
    settings: &Settings,
) -> f64 {
    let size = |body: &&Body| {
        let hull = body.hull.as_ref().map(Shape::hull);
        let core = hull.unwrap_or_else(|| body.sharp.expect("a shape"));
        core.rounded(body.radius).expect("it was tried").size()
    };
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let reach = |of: &MovingSolid| {
        let core = match &of.solid.core {
            Core::Hull(points) => points.iter().copied().map(length).fold(0.0, f64::max),
            Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => {
                half_height.hypot(*radius)
            }
        };
        core + of.solid.radius
    };
    let pace = |of: &MovingSolid| length(of.delta) + length(of.accel) + length(of.spin) * reach(of);
    // A point has no size, so that of the other body counts.
    let size = match bodies.each_ref().map(size) {
        [0.0, size] | [size, 0.0] => size,
        [of_a, of_b] => of_a.min(of_b),
    };
    let speed: f64 = solids.map(pace).iter().sum();
    let places: f64 = solids.map(|of| length(of.position) + reach(of)).iter().sum();
    let step = f64::from(t.next_up()) - f64::from(t);
    let target = f64::from(settings.target_distance);
    f64::from(settings.tolerance) * size + speed * step + 1e-10 * (places + speed + 2.0 * target)
}

/// Whether the result is correct.
fn judge(bodies: &[&Body; 2], toi: &Toi, settings: &Settings) {
    let solid = |body: &Body| MovingSolid {
        delta: body.motion.delta.map(f64::from),
        accel: body.motion.accel.map(f64::from),
        orientation: body.motion.pose.rotation.map(f64::from),
        spin: body.motion.spin.map(f64::from),
        ..MovingSolid::resting(
            Solid { core: body.core.clone(), radius: body.radius.into() },
            body.motion.pose.position.map(f64::from),
        )
    };
    let [a, b] = bodies.map(solid);
    let target = f64::from(settings.target_distance);
    let window = settings.window.map(f64::from);
    let text = || format!("{toi:?} of {a:?} {b:?} {settings:?}");
    let contact = match toi.result {
        ToiResult::Impact { t, .. } => Some(t),
        ToiResult::Overlapping { .. } => Some(settings.window[0]),
        _ => None,
    };
    if let Some(t) = contact {
        let there = spec::distance(&a, &b, t.into());
        let over = there.lower - target - there.noise;
        let allowed = allowed_distance(bodies, [&a, &b], t, settings);
        assert!(over <= allowed, "{over:e} above the target, allowed {allowed:e}: {}", text());
    }
    if settings.touch != Touch::Hit || target > 4.0 {
        return;
    }
    let first = spec::first_time_in_rounds(&a, &b, target, window, JUDGE_ROUNDS_MAX);
    let hit_at = match first {
        FirstTime::Hit { hit_at, .. } => hit_at,
        _ => f64::INFINITY,
    };
    let last = match toi.result {
        ToiResult::Impact { t, .. } => t.into(),
        ToiResult::Unresolved { t_safe } => t_safe.into(),
        ToiResult::Separated => f64::MAX,
        _ => window[0],
    };
    assert!(last <= hit_at, "late: {hit_at}: {}", text());
}
