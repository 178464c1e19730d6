//! Hard pairs of moving boxes.
//!
//! In each family of pairs several events are at once or nearly so: ties, touches at either end of the tick,
//! boxes without an interior, numbers at the limits of `f32`. A seed determines a sequence of pairs, all of
//! which are valid.

use super::draw::Draw;
use rand::RngExt;
use swath::{Aabb, MovingBox};

/// Two moving boxes, and their family.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub family: &'static str,
    pub a: MovingBox,
    pub b: MovingBox,
}

/// This many pairs, from every family in turn.
pub fn cases(seed: u64, count: usize) -> impl Iterator<Item = Case> {
    let mut draw = Draw::new(seed);
    let mut turns = FAMILIES.into_iter().cycle();
    std::iter::repeat_with(move || turns.next().and_then(|family| case(family, &mut draw)))
        .flatten()
        .take(count)
}

/// Makes one axis of both boxes from the common numbers of the pair.
type Family = (&'static str, fn(&mut Draw, &Shared) -> Axis);

const FAMILIES: [Family; 11] = [
    ("grid", grid),
    ("together", together),
    ("together, nudged", together),
    ("together, scaled", together),
    ("worst roundings", roundings),
    ("flat", flat),
    ("hostile", hostile),
    ("far out", far_out),
    ("fast", fast),
    ("even", even),
    ("any bits", any_bits),
];

/// Valid numbers at the limits of `f32`.
pub const HOSTILE: [f32; 26] = [
    0.0,
    -0.0,
    f32::from_bits(1),
    f32::from_bits(2),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    f32::from_bits(0x0080_0001),
    1e-30,
    1.0 / 3.0,
    0.1,
    0.5,
    1.0 - f32::EPSILON / 2.0,
    1.0,
    1.0 + f32::EPSILON,
    1.5,
    3.0,
    1e6,
    8_388_607.5,
    8_388_608.0,
    8_388_609.0,
    16_777_215.0,
    16_777_216.0,
    16_777_218.0,
    1e30,
    swath::COORD_MAX / 2.0,
    swath::COORD_MAX,
];

/// `min`, `max` and `delta` of `a`, then of `b`.
type Axis = [[f32; 3]; 2];

/// Numbers that the three axes of a pair have in common.
struct Shared {
    /// The time of the event, as a fraction.
    time: (i32, i32),
    /// The same for families that do not need it exactly.
    about: f32,
    /// The axis with large rounding errors.
    axis: u32,
}

fn case((family, axis): Family, draw: &mut Draw) -> Option<Case> {
    let of = draw.one_of(&[1, 2, 3, 5, 7, 10, 11]);
    let past = i32::from(draw.one_in(8));
    let mut shared = Shared {
        time: (draw.0.random_range(0..=of + past), of),
        about: draw.between(0.0, 1.0),
        axis: draw.0.random_range(0..3),
    };
    let mut axes = [[[0.0; 3]; 2]; 3];
    for numbers in &mut axes {
        *numbers = axis(draw, &shared);
        shared.axis = shared.axis.wrapping_sub(1);
    }
    let mut numbers = axes.as_flattened_mut().as_flattened_mut().iter_mut();
    match family {
        "together, nudged" => {
            for _ in 0..draw.0.random_range(1..4) {
                let number = numbers.nth(draw.0.random_range(0..6))?;
                let steps = draw.0.random_range(1..=2);
                let step = if draw.one_in(2) { f32::next_up } else { f32::next_down };
                *number = (0..steps).fold(*number, |x, _| step(x));
            }
        }
        "together, scaled" => {
            let scale = draw.one_of(&[1e30, 1e-30, 3e-39, 1e-44, 1.7, (1u64 << 60) as f32]);
            numbers.for_each(|number| *number *= scale);
        }
        _ => {}
    }
    let moving = |k: usize| MovingBox {
        aabb: Aabb {
            min: axes.map(|axis| axis[k][0].min(axis[k][1])),
            max: axes.map(|axis| axis[k][0].max(axis[k][1])),
        },
        delta: axes.map(|axis| axis[k][2]),
    };
    let (a, b) = if draw.one_in(2) { (moving(0), moving(1)) } else { (moving(1), moving(0)) };
    let valid = a.validate().is_ok() && b.validate().is_ok();
    valid.then_some(Case { family, a, b })
}

/// Quarters: every difference is exact, and many events are at the same time.
fn grid(draw: &mut Draw, _: &Shared) -> Axis {
    let mut moving = || {
        let min = draw.whole(-6, 6) * 0.25;
        let size = draw.whole(0, 8) * 0.25;
        let delta = if draw.one_in(3) { 0.0 } else { draw.whole(-16, 16) * 0.25 };
        [min, min + size, delta]
    };
    [moving(), moving()]
}

/// The axis starts to overlap at a certain time, or ends to, or overlaps for a while, in exact numbers: the
/// denominators of the time differ, the time does not.
fn together(draw: &mut Draw, shared: &Shared) -> Axis {
    let unit = draw.one_of(&[0.125, 0.5, 1.0, 4.0]);
    let step = unit * draw.whole(1, 3);
    let (gap, d) = (step * shared.time.0 as f32, step * shared.time.1 as f32);
    let a_min = unit * draw.whole(-8, 8);
    let a_max = a_min + unit * draw.whole(0, 8);
    let b_size = unit * draw.whole(0, 8);
    // `b` is above `a` and moves down, or inside it and moves up, or does not leave it.
    let (b_min, d) = match draw.0.random_range(0..5) {
        0..3 => (a_max + gap, -d),
        3 => (a_max - gap, d),
        _ => (a_max - (a_max - a_min).min(b_size), 0.0),
    };
    let both = if draw.one_in(2) { 0.0 } else { unit * draw.whole(-4, 4) };
    let axis = [[a_min, a_max, both], [b_min, b_min + b_size, d + both]];
    if draw.one_in(2) { axis.map(|[min, max, delta]| [-max, -min, -delta]) } else { axis }
}

/// Gap and motion just above a power of two, half-way between two floats, where the relative rounding error
/// is greatest.
fn roundings(draw: &mut Draw, shared: &Shared) -> Axis {
    if shared.axis != 0 {
        return [[-1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    }
    let half_step = f32::EPSILON / 2.0;
    let steps = draw.one_of(&[8.0, 4096.0, 16384.0]);
    let just_above_one = |draw: &mut Draw| 1.0 + f32::EPSILON * draw.between(0.0, steps).round();
    let a_min = just_above_one(draw);
    let b_max = if draw.one_in(2) { half_step } else { -half_step };
    let scale = draw.one_of(&[1.0, 1.0, 2.0, 64.0]);
    let b_delta = just_above_one(draw) * scale;
    let a_delta = if draw.one_in(2) { half_step } else { -half_step } * scale;
    [[a_min, 3.0, a_delta], [-1.0, b_max, b_delta]]
}

/// Planes, lines and points.
fn flat(draw: &mut Draw, shared: &Shared) -> Axis {
    let base = if draw.one_in(2) { grid } else { together };
    base(draw, shared).map(
        |[min, max, delta]| {
            if draw.one_in(3) { [min, max, delta] } else { [max, max, delta] }
        },
    )
}

fn hostile(draw: &mut Draw, _: &Shared) -> Axis {
    let near = draw.one_of(&HOSTILE);
    let mut number = || {
        let number = if draw.one_in(2) { near } else { draw.one_of(&HOSTILE) };
        if draw.one_in(2) { -number } else { number }
    };
    [[number(), number(), number()], [number(), number(), number()]]
}

/// A million lengths from the origin, where a float has few digits left.
fn far_out(draw: &mut Draw, _: &Shared) -> Axis {
    let base = draw.one_of(&[1e6, -1e6, 1e7]);
    let mut moving = || {
        let min = base + draw.between(-3.0, 3.0);
        [min, min + draw.between(0.0, 4.0), draw.between(-8.0, 8.0)]
    };
    [moving(), moving()]
}

/// Paths of a million sides that hit or pass.
fn fast(draw: &mut Draw, shared: &Shared) -> Axis {
    let d = draw.between(-1e3, 1e3);
    let off = draw.between(-2e-3, 2e-3);
    let (a, b) = (draw.between(0.0, 1e-3), draw.between(0.0, 1e-3));
    let (start, both) = (off - d * shared.about, draw.one_of(&[0.0, 0.1, 1e3]));
    [[-a, a, both], [start - b, start + b, d + both]]
}

/// Sides, positions and motions of about one size.
fn even(draw: &mut Draw, shared: &Shared) -> Axis {
    let d = draw.between(-4.0, 4.0);
    let off = draw.between(-1.5, 1.5);
    let (a, b) = (draw.between(0.0, 1.0), draw.between(0.0, 1.0));
    let (start, both) = (off - d * shared.about, draw.between(-1.0, 1.0));
    [[-a, a, both], [start - b, start + b, d + both]]
}

/// All exponents, the least most often.
fn any_bits(draw: &mut Draw, _: &Shared) -> Axis {
    let shift = draw.0.random_range(0..8);
    let mut number = || {
        let bits = draw.0.random_range(0..=swath::COORD_MAX.to_bits()) >> shift;
        f32::from_bits(bits | u32::from(draw.one_in(2)) << 31)
    };
    [[number(), number(), number()], [number(), number(), number()]]
}
