//! Hard pairs of moving convex shapes.
//!
//! In each family of pairs several events are at once or nearly so: grazes, touches at the start, tips of
//! rods that just reach, motion that turns round before the contact. Where it matters a pair is aimed with
//! the distance of `spec`: at one time the shapes are a few floats apart. A seed determines a sequence of
//! pairs.

use super::convex_shapes::{PlainCore, PlainMotion, PlainShape, lattice, shape};
use super::draw::Draw;
use rand::RngExt;
use spec::MovingSolid;

/// Two shapes, their motions, and the settings.
#[derive(Clone, Debug)]
pub struct ConvexCase {
    pub family: &'static str,
    pub shapes: [PlainShape; 2],
    pub motions: [PlainMotion; 2],
    /// The target distance.
    pub target: f32,
    /// Start and end of the window.
    pub window: [f32; 2],
}

impl ConvexCase {
    pub fn solids(&self) -> [MovingSolid; 2] {
        [0, 1].map(|k| self.shapes[k].moving(&self.motions[k]))
    }
}

/// This many pairs, from every family in turn.
pub fn convex_cases(seed: u64, count: usize) -> impl Iterator<Item = ConvexCase> {
    let mut draw = Draw::new(seed);
    let turns = FAMILIES.into_iter().cycle();
    turns.map(move |family| case(family, &mut draw)).take(count)
}

type Family = (&'static str, fn(&mut Draw) -> ConvexCase);

pub const FAMILIES: [Family; 20] = [
    ("all at once", all_at_once),
    ("straight", straight),
    ("turning", turning),
    ("accelerating", accelerating),
    ("grazing", grazing),
    ("grazing and turning", grazing_and_turning),
    ("touching at the start", touching),
    ("overlapping at the start", overlapping),
    ("at rest", at_rest),
    ("same centre", same_centre),
    ("great and small", great_and_small),
    ("tiny", all_at_once),
    ("huge", all_at_once),
    ("far out", all_at_once),
    ("spinning rods", spinning_rods),
    ("a tip barely reaches", tip),
    ("turns round before", turns_round),
    ("lattice", on_lattice),
    ("bullets", bullets),
    ("part of the tick", all_at_once),
];

fn case((family, make): Family, draw: &mut Draw) -> ConvexCase {
    let mut case = ConvexCase { family, ..make(draw) };
    match family {
        "tiny" => scale(&mut case, 1.0 / 1024.0),
        "huge" => scale(&mut case, 131_072.0),
        "far out" => {
            let far = draw.one_of(&[1e4, 1e5, 1e6]);
            let place = [0; 3].map(|_| draw.between(-far, far));
            for motion in &mut case.motions {
                motion.position = plus(motion.position, place);
            }
        }
        "part of the tick" => {
            let [x, y] = [draw.between(0.0, 1.0), draw.between(0.0, 1.0)];
            case.window = [x.min(y), x.max(y)];
        }
        _ => {}
    }
    if draw.one_in(2) {
        case.shapes.swap(0, 1);
        case.motions.swap(0, 1);
    }
    case
}

fn scale(case: &mut ConvexCase, by: f32) {
    case.shapes = [0, 1].map(|k| case.shapes[k].scaled(by));
    for motion in &mut case.motions {
        for lengths in [&mut motion.position, &mut motion.delta, &mut motion.accel] {
            *lengths = lengths.map(|x| x * by);
        }
    }
    case.target *= by;
}

fn plus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|k| a[k] + b[k])
}

fn times(a: [f32; 3], by: f32) -> [f32; 3] {
    a.map(|x| x * by)
}

fn direction(draw: &mut Draw) -> [f32; 3] {
    if draw.one_in(6) {
        let mut axis = [0.0; 3];
        axis[draw.0.random_range(0..3)] = draw.sign();
        return axis;
    }
    let v = [0; 3].map(|_| draw.between(-1.0, 1.0));
    let square = v.iter().map(|x| x * x).sum::<f32>();
    if square < 0.01 { [0.6, 0.0, 0.8] } else { times(v, 1.0 / square.sqrt()) }
}

fn orientation(draw: &mut Draw) -> [f32; 4] {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let whole = [[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half], [0.0, 0.0, half, -half]];
    if draw.one_in(4) {
        return draw.one_of(&whole);
    }
    let [x, y, z] = direction(draw);
    let angle = draw.between(0.0, 3.2);
    let (sine, cosine) = angle.sin_cos();
    [x * sine, y * sine, z * sine, cosine]
}

fn spin(draw: &mut Draw) -> [f32; 3] {
    let rate = draw.one_of(&[1e-6, 0.01, 0.3, 1.0, 3.0, 10.0]);
    times(direction(draw), rate)
}

/// Two shapes at random positions, at rest and without rotation.
fn two(draw: &mut Draw) -> ConvexCase {
    ConvexCase {
        family: "",
        shapes: [0; 2].map(|_| shape(draw, 1.0)),
        motions: [PlainMotion { orientation: orientation(draw), ..PlainMotion::REST }; 2]
            .map(|motion| PlainMotion { orientation: orientation(draw), ..motion }),
        target: if draw.one_in(4) { draw.one_of(&[1e-4, 0.05, 0.7]) } else { 0.0 },
        window: [0.0, 1.0],
    }
}

/// Moves `b` so that its centre is at `place` at `t`, relative to `a`.
fn meet(case: &mut ConvexCase, place: [f32; 3], t: f32) {
    let [a, b] = &mut case.motions;
    let moved = |m: &PlainMotion| plus(times(m.delta, t), times(m.accel, 0.5 * t * t));
    let (by_a, by_b) = (moved(a), moved(b));
    b.position = [0, 1, 2].map(|k| a.position[k] + by_a[k] + place[k] - by_b[k]);
}

/// Moves `b` along the shortest segment until the distance at `t` is `gap` above the target. Returns the
/// direction of that segment.
fn aim(case: &mut ConvexCase, t: f32, gap: f64) -> [f64; 3] {
    let mut normal = [1.0, 0.0, 0.0];
    for _ in 0..3 {
        let [a, b] = case.solids();
        let found = spec::distance(&a, &b, t.into());
        normal = found.normal;
        let by = found.lower - f64::from(case.target) - gap;
        let position = &mut case.motions[1].position;
        *position = [0, 1, 2].map(|k| (f64::from(position[k]) - normal[k] * by) as f32);
    }
    normal
}

fn narrow(draw: &mut Draw) -> f64 {
    let gap = draw.one_of(&[0.0, 0.0, 1e-7, 3e-7, 1e-6, 1e-5, 1e-4, 1e-3]);
    f64::from(gap * draw.sign())
}

fn all_at_once(draw: &mut Draw) -> ConvexCase {
    let mut case = two(draw);
    let speed = draw.one_of(&[0.1, 1.0, 5.0, 30.0]);
    for motion in &mut case.motions {
        motion.delta = times(direction(draw), speed * draw.between(0.0, 1.0));
        motion.accel = times(direction(draw), speed * draw.between(0.0, 1.0));
        motion.spin = spin(draw);
        motion.position = [0; 3].map(|_| draw.between(-2.0, 2.0));
    }
    let place = times(direction(draw), draw.between(0.0, 2.4));
    let t = draw.between(0.0, 1.2);
    meet(&mut case, place, t);
    case
}

fn straight(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    for motion in &mut case.motions {
        (motion.accel, motion.spin) = ([0.0; 3], [0.0; 3]);
    }
    let place = times(direction(draw), draw.between(0.0, 2.4));
    meet(&mut case, place, 0.7);
    case
}

fn turning(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    for motion in &mut case.motions {
        motion.accel = [0.0; 3];
        motion.delta = times(motion.delta, draw.one_of(&[0.0, 0.1, 1.0]));
    }
    let place = times(direction(draw), draw.between(0.7, 2.4));
    meet(&mut case, place, 0.4);
    case
}

fn accelerating(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    for motion in &mut case.motions {
        motion.spin = [0.0; 3];
        motion.accel = times(direction(draw), draw.one_of(&[0.5, 4.0, 20.0]));
    }
    let place = times(direction(draw), draw.between(0.0, 2.4));
    meet(&mut case, place, 0.8);
    case
}

/// Almost in contact at one time, and moving along the surface then.
fn grazing(draw: &mut Draw) -> ConvexCase {
    let mut case = two(draw);
    let t = draw.between(0.0, 1.0);
    let place = times(direction(draw), 4.0);
    meet(&mut case, place, t);
    let gap = narrow(draw);
    let normal = aim(&mut case, t, gap).map(|x| x as f32);
    let way = times(direction(draw), draw.one_of(&[0.1, 2.0, 20.0]));
    let off: f32 = (0..3).map(|k| way[k] * normal[k]).sum();
    case.motions[1].delta = [0, 1, 2].map(|k| way[k] - normal[k] * off);
    let seen = case.motions[1].position;
    meet(&mut case, seen, t);
    let both = times(direction(draw), draw.one_of(&[0.0, 1.0]));
    for motion in &mut case.motions {
        motion.delta = plus(motion.delta, both);
    }
    aim(&mut case, t, gap);
    case
}

/// Like [`grazing`], with a rotation: the distance is stationary, or nearly so.
fn grazing_and_turning(draw: &mut Draw) -> ConvexCase {
    let mut case = grazing(draw);
    for motion in &mut case.motions {
        if draw.one_in(2) {
            motion.spin = spin(draw);
            motion.accel = times(direction(draw), draw.one_of(&[0.0, 1.0]));
        }
    }
    let (t, gap) = (draw.between(0.0, 1.0), narrow(draw));
    aim(&mut case, t, gap);
    case
}

/// In contact at the start, then separating, sliding or closing.
fn touching(draw: &mut Draw) -> ConvexCase {
    let mut case = if draw.one_in(2) { on_lattice(draw) } else { two(draw) };
    case.motions[1].position = times(direction(draw), 4.0);
    let gap = narrow(draw);
    let normal = aim(&mut case, 0.0, gap).map(|x| x as f32);
    let speed = draw.one_of(&[-2.0, -0.1, 0.0, 0.0, 0.1, 2.0]);
    let aside = times(direction(draw), draw.one_of(&[0.0, 0.0, 1.0]));
    let off: f32 = (0..3).map(|k| aside[k] * normal[k]).sum();
    case.motions[1].delta = [0, 1, 2].map(|k| aside[k] + normal[k] * (speed - off));
    if draw.one_in(3) {
        case.motions[1].accel = times(normal, draw.one_of(&[-4.0, -0.5, 0.5]));
    }
    if draw.one_in(3) {
        case.motions[0].spin = spin(draw);
    }
    case
}

fn overlapping(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    case.motions[1].position =
        plus(case.motions[0].position, times(direction(draw), draw.between(0.0, 0.8)));
    case
}

fn at_rest(draw: &mut Draw) -> ConvexCase {
    let mut case = if draw.one_in(2) { on_lattice(draw) } else { two(draw) };
    case.motions[1].position = times(direction(draw), draw.between(0.0, 4.0));
    if draw.one_in(2) {
        let gap = narrow(draw);
        aim(&mut case, 0.0, gap);
    }
    let both = times(direction(draw), draw.one_of(&[0.0, 3.0]));
    for motion in &mut case.motions {
        (motion.delta, motion.accel, motion.spin) = (both, [0.0; 3], [0.0; 3]);
    }
    case
}

fn same_centre(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    case.motions[1].position = case.motions[0].position;
    if draw.one_in(2) {
        // One around the position of the other, far from its own centre.
        let points = lattice(draw, 1.0).iter().map(|&p| plus(p, [3.0, 0.0, 0.0])).collect();
        case.shapes[1] = PlainShape { core: PlainCore::Hull(points), radius: 0.0 };
    }
    case
}

fn great_and_small(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    case.shapes[0] = shape(draw, 1e4);
    if draw.one_in(2) {
        case.motions[0].spin = times(case.motions[0].spin, 1e-3);
    }
    let speed = draw.one_of(&[1.0, 1e4]);
    case.motions[1].delta = times(direction(draw), speed);
    case.motions[1].position = times(direction(draw), draw.between(0.3e4, 1.6e4));
    if draw.one_in(2) {
        let t = draw.between(0.0, 1.0);
        aim(&mut case, t, 0.0);
    }
    case
}

fn rod(draw: &mut Draw) -> PlainShape {
    let long = draw.between(1.0, 4.0);
    let thin = draw.between(0.01, 0.1);
    let ends = [[0.0, -long, 0.0], [0.0, long, 0.0]];
    match draw.0.random_range(0..4) {
        0 => PlainShape { core: PlainCore::Segment(ends), radius: thin },
        1 => PlainShape { core: PlainCore::Cuboid([thin, long, thin]), radius: 0.0 },
        2 => PlainShape {
            core: PlainCore::Cylinder { half_height: long, radius: thin },
            radius: 0.0,
        },
        _ => PlainShape { core: PlainCore::Segment(ends), radius: 0.0 },
    }
}

/// Several turns per tick.
fn spinning_rods(draw: &mut Draw) -> ConvexCase {
    let mut case = all_at_once(draw);
    case.shapes[0] = rod(draw);
    if draw.one_in(2) {
        case.shapes[1] = rod(draw);
    }
    for motion in &mut case.motions {
        motion.spin = times(direction(draw), draw.between(0.0, 25.0));
        motion.accel = [0.0; 3];
    }
    let place = times(direction(draw), draw.between(0.0, 6.0));
    meet(&mut case, place, 0.5);
    case
}

/// A rod rotates about its centre in front of a wall, at a distance of about its half length.
fn tip(draw: &mut Draw) -> ConvexCase {
    let mut case = two(draw);
    let long = draw.between(1.0, 4.0);
    let ends = [[0.0, -long, 0.0], [0.0, long, 0.0]];
    let radius = draw.one_of(&[0.0, 0.25]);
    case.shapes[0] = PlainShape { core: PlainCore::Segment(ends), radius };
    case.shapes[1] = PlainShape { core: PlainCore::Cuboid([0.5, 9.0, 9.0]), radius: 0.0 };
    let rate = draw.one_of(&[0.5, 2.0, 9.0]) * draw.sign();
    case.motions = [PlainMotion::REST; 2];
    case.motions[0].spin = [0.0, 0.0, rate];
    // It starts parallel to the wall, or rotated back a little from pointing at it.
    if draw.one_in(2) {
        let angle = draw.between(0.0, 1.0) * rate / 2.0 - draw.sign() * std::f32::consts::FRAC_PI_4;
        case.motions[0].orientation = [0.0, 0.0, angle.sin(), angle.cos()];
    }
    let reach = long + radius + case.target;
    case.motions[1].position[0] = reach + 0.5 + narrow(draw) as f32;
    if draw.one_in(3) {
        // The wall approaches too.
        case.motions[1].delta[0] = draw.one_of(&[-1e-5, -0.1]);
    }
    case
}

/// Thrown up, with the top of the path near the contact.
fn turns_round(draw: &mut Draw) -> ConvexCase {
    let mut case = two(draw);
    let place = times(direction(draw), 4.0);
    let t = draw.between(0.1, 1.0);
    meet(&mut case, place, t);
    let gap = narrow(draw);
    let normal = aim(&mut case, t, gap).map(|x| x as f32);
    let pull = draw.one_of(&[0.5, 8.0, 60.0]);
    // The speed towards `a` is zero at `t`.
    let motion = &mut case.motions[1];
    (motion.accel, motion.delta) = (times(normal, pull), times(normal, -pull * t));
    if draw.one_in(3) {
        let way = times(direction(draw), 1.0);
        motion.delta = plus(motion.delta, way);
    }
    let seen = motion.position;
    meet(&mut case, seen, t);
    aim(&mut case, t, gap);
    case
}

/// Integers of a unit: `f32` and `f64` are exact, and many events are at the same time.
pub fn on_lattice(draw: &mut Draw) -> ConvexCase {
    let mut case = two(draw);
    for (shape, motion) in case.shapes.iter_mut().zip(&mut case.motions) {
        let core = if draw.one_in(3) {
            PlainCore::Cuboid([0; 3].map(|_| draw.whole(0, 4) * 0.25))
        } else {
            PlainCore::Hull(lattice(draw, 1.0))
        };
        *shape = PlainShape { core, radius: 0.0 };
        let mut vector = |unit: f32| [0; 3].map(|_| draw.whole(-8, 8) * unit);
        *motion = PlainMotion { position: vector(0.25), delta: vector(0.5), ..PlainMotion::REST };
        if draw.one_in(4) {
            motion.accel = [0; 3].map(|_| draw.whole(-8, 8) * 0.5);
        }
    }
    case.target = 0.0;
    let [a, b] = &mut case.motions;
    if !draw.one_in(4) {
        // Far apart, and towards each other; sideways by integers.
        let times = draw.one_of(&[1.0, 1.0, 2.0, 4.0]);
        for k in 0..3 {
            b.position[k] *= draw.one_of(&[1.0, 2.0]);
            let aside = draw.whole(-2, 2) * 0.25;
            b.delta[k] = a.delta[k] + (a.position[k] - b.position[k] + aside) * times;
        }
    }
    case
}

/// Small and fast, through thin shapes.
fn bullets(draw: &mut Draw) -> ConvexCase {
    let mut case = two(draw);
    let thin = draw.one_of(&[0.0, 1e-6, 1e-3]);
    let wall = match draw.0.random_range(0..3) {
        0 => PlainCore::Triangle([[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [0.0, 3.0, 0.0]]),
        1 => PlainCore::Cuboid([2.0, 2.0, thin]),
        _ => PlainCore::Cylinder { half_height: thin.max(1e-6), radius: 2.0 },
    };
    case.shapes[0] = PlainShape { core: wall, radius: 0.0 };
    let mut small = shape(draw, 0.02);
    if draw.one_in(3) {
        small = PlainShape { core: PlainCore::Point, radius: draw.one_of(&[0.0, 1e-4]) };
    }
    case.shapes[1] = small;
    case.target = 0.0;
    case.motions[1].delta = times(direction(draw), draw.one_of(&[10.0, 1e3, 1e4]));
    case.motions[0].spin = times(spin(draw), draw.one_of(&[0.0, 0.1]));
    let place = times(direction(draw), draw.between(0.0, 3.0));
    let t = draw.between(0.05, 0.95);
    meet(&mut case, place, t);
    case
}
