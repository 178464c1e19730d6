//! Hard pairs of boxes under constant acceleration.
//!
//! They are the pairs of [`crate::cases`] with accelerations added, and families of their own: grazes, pairs
//! that separate and touch again, axes that are entered at one time, motion and acceleration of very
//! different sizes. A seed determines a sequence of pairs, all of which are valid.

use crate::cases::{self, HOSTILE};
use crate::draw::Draw;
use rand::RngExt;
use swath::Aabb;
use swath::batch::AcceleratingBox;

/// Two boxes under constant acceleration, and their family.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub family: &'static str,
    pub a: AcceleratingBox,
    pub b: AcceleratingBox,
}

/// `min`, `max`, `delta` and `accel` of `a`, then of `b`.
type Axis = [[f32; 4]; 2];

/// Numbers that the three axes of a pair have in common.
#[derive(Clone, Copy)]
struct Shared {
    /// The time of the event.
    time: (i32, i32),
    /// Size of the random changes of the numbers.
    how: u32,
}

/// Makes one axis of both boxes from the common numbers of the pair.
type Family = (&'static str, fn(&mut Draw, Shared) -> Axis);

const FAMILIES: [Family; 12] = [
    ("grid", grid),
    ("together", together),
    ("together, nudged", together),
    ("together, scaled", together),
    ("graze", graze),
    ("graze, nudged", graze),
    ("graze, scaled", graze),
    ("meet again", meet_again),
    ("meet again, nudged", meet_again),
    ("unequal", unequal),
    ("even", even),
    ("any bits", any_bits),
];

/// This many pairs, from every family in turn; every other one is a pair without acceleration to which one
/// was added.
pub fn cases(seed: u64, count: usize) -> impl Iterator<Item = Case> {
    let mut draw = Draw::new(seed ^ 0xacce_1e8a);
    let mut plain = cases::cases(seed, usize::MAX);
    let mut turns = (0..2 * FAMILIES.len()).cycle();
    let mut next = move || {
        let turn = turns.next()?;
        if turn % 2 == 0 { Some(bend(plain.next()?, &mut draw)) } else { case(turn / 2, &mut draw) }
    };
    std::iter::repeat_with(move || next().filter(is_valid)).flatten().take(count)
}

fn is_valid(case: &Case) -> bool {
    case.a.validate().is_ok() && case.b.validate().is_ok()
}

impl Draw {
    fn power(&mut self, from: i32, to: i32) -> f32 {
        2_f32.powi(self.0.random_range(from..=to))
    }
}

/// Adds accelerations to a pair without any, so that something happens within the tick.
fn bend(case: cases::Case, draw: &mut Draw) -> Case {
    let mut axes = [[0.0; 3]; 2];
    let how = draw.0.random_range(0..6);
    let [of_a, of_b] = &mut axes;
    for (axis, (of_a, of_b)) in of_a.iter_mut().zip(of_b).enumerate() {
        let (a, b) = (case.a.aabb, case.b.aabb);
        let d = case.b.delta[axis] - case.a.delta[axis];
        let faces = [a.min[axis] - b.max[axis], a.max[axis] - b.min[axis]];
        let face = draw.one_of(&faces);
        let shared = if draw.one_in(2) { 0.0 } else { draw.whole(-8, 8) * 0.25 };
        let g = match how {
            // None, or if there is one on an axis it is that of both boxes.
            0 => 0.0,
            1 => draw.whole(-16, 16) * 0.25,
            // At the face at the end of the tick.
            2 => 2.0 * (face - d),
            // Its turning point is at the face.
            3 => -(d * d) / (2.0 * face),
            4 => d * draw.one_of(&[-1.0, -2.0, -4.0, -1e-6, 1e-6, 0.3, -0.7, 1e6]),
            _ => draw.one_of(&HOSTILE) * draw.one_of(&[1.0, -1.0]),
        };
        let g = if g.is_nan() || draw.one_in(5) { 0.0 } else { g };
        (*of_a, *of_b) = (shared, shared + g);
    }
    let moving = |of: swath::MovingBox, accel| AcceleratingBox { accel, ..of.into() };
    Case { family: case.family, a: moving(case.a, axes[0]), b: moving(case.b, axes[1]) }
}

fn case(family: usize, draw: &mut Draw) -> Option<Case> {
    let (family, make) = FAMILIES[family];
    let of = draw.one_of(&[1, 2, 3, 4, 5, 7, 8, 11]);
    let past = i32::from(draw.one_in(8));
    let time = (draw.0.random_range(0..=of + past), of);
    let shared = Shared { time, how: draw.0.random_range(0..1 << 12) };
    let mut axes = [[[0.0; 4]; 2]; 3];
    for axis in &mut axes {
        *axis = make(draw, shared);
    }
    let numbers = axes.as_flattened_mut().as_flattened_mut();
    if family.ends_with("nudged") {
        for _ in 0..draw.0.random_range(1..4) {
            let number = &mut numbers[draw.0.random_range(0..24)];
            let step = if draw.one_in(2) { f32::next_up } else { f32::next_down };
            *number = (0..draw.0.random_range(1..=2)).fold(*number, |x, _| step(x));
        }
    } else if family.ends_with("scaled") {
        let scales = [1e30, 1e-30, 3e-39, 1e-44, 1.7, (1u64 << 60) as f32];
        let shared = draw.one_of(&scales);
        // Each axis may have a unit of length of its own.
        for axis in numbers.chunks_mut(8) {
            let scale = if draw.one_in(3) { draw.one_of(&scales) } else { shared };
            axis.iter_mut().for_each(|number| *number *= scale);
        }
    }
    let moving = |k: usize| AcceleratingBox {
        aabb: Aabb {
            min: axes.map(|axis| axis[k][0].min(axis[k][1])),
            max: axes.map(|axis| axis[k][0].max(axis[k][1])),
        },
        delta: axes.map(|axis| axis[k][2]),
        accel: axes.map(|axis| axis[k][3]),
    };
    let (a, b) = if draw.one_in(2) { (moving(0), moving(1)) } else { (moving(1), moving(0)) };
    Some(Case { family, a, b })
}

/// Two boxes with these faces between them and this relative motion: mirrored or not, and moved by numbers
/// that are exact together with small integers.
fn place(draw: &mut Draw, low: f32, high: f32, d: f32, g: f32, unit: f32) -> Axis {
    // b from 0 to `size`, so that a.min = low + size and a.max = high.
    let size = if draw.one_in(4) { 0.0 } else { unit * draw.whole(0, 4) };
    // `a` must be valid: low + size ≤ high.
    let size = size.min(high - low).max(0.0);
    let mut both = || if draw.one_in(2) { 0.0 } else { unit * draw.whole(-4, 4) };
    let (at, delta, accel) = (both(), both(), both());
    let axis = [[at + low + size, at + high, delta, accel], [at, at + size, delta + d, accel + g]];
    if draw.one_in(2) { axis.map(|[min, max, d, g]| [-max, -min, -d, -g]) } else { axis }
}

/// Quarters: most numbers are exact, and many events are at the same time.
fn grid(draw: &mut Draw, _: Shared) -> Axis {
    let mut moving = || {
        let min = draw.whole(-6, 6) * 0.25;
        let size = draw.whole(0, 8) * 0.25;
        let delta = if draw.one_in(3) { 0.0 } else { draw.whole(-16, 16) * 0.25 };
        let accel = if draw.one_in(3) { 0.0 } else { draw.whole(-16, 16) * 0.5 };
        [min, min + size, delta, accel]
    };
    [moving(), moving()]
}

/// One of the faces is passed at a time that all axes have in common, in exact numbers.
fn together(draw: &mut Draw, Shared { time: (p, q), how }: Shared) -> Axis {
    let unit = draw.one_of(&[0.125, 0.5, 1.0, 4.0]);
    let (p, q) = (p as f32, q as f32);
    // d·p/q + ½·g·(p/q)² is an integer.
    let (i, j) = (draw.whole(-6, 6), if how % 4 == 0 { 0.0 } else { draw.whole(-4, 4) });
    let (d, g) = (unit * q * i, unit * 2.0 * q * q * j);
    let x = unit * (i * p + j * p * p);
    let other = unit * draw.whole(0, 12);
    let (low, high) = if draw.one_in(2) { (x, x + other) } else { (x - other, x) };
    // Some axes do not change anything.
    if draw.one_in(5) {
        return place(draw, -8.0 * unit, 8.0 * unit, 0.0, 0.0, unit);
    }
    place(draw, low, high, d, g, unit)
}

/// The turning point is at the face, at a time that all axes may have in common.
fn graze(draw: &mut Draw, Shared { time: (p, q), how }: Shared) -> Axis {
    if draw.one_in(4) {
        return together(draw, Shared { time: (p, q), how });
    }
    let unit = draw.one_of(&[0.125, 0.5, 1.0, 4.0]);
    let j = draw.whole(1, 9);
    let (p, q) = (p as f32, q as f32);
    // -½·g·(p/q)² with g = 2·j·q².
    let (d, g, turn) = (-2.0 * j * p * q, 2.0 * j * q * q, -j * p * p);
    let other = draw.whole(0, 12);
    let (low, high) = if how & 1 == 0 { (turn - other, turn) } else { (turn, turn + other) };
    place(draw, unit * low, unit * high, unit * d, unit * g, unit)
}

/// In, through, out and in again, in quarters of the tick and less.
fn meet_again(draw: &mut Draw, _: Shared) -> Axis {
    let unit = draw.one_of(&[0.125, 0.5, 1.0, 4.0]);
    let g = unit * draw.one_of(&[32.0, 64.0, 128.0]);
    let turn = draw.whole(-2, 18) / 16.0;
    let wide = draw.whole(0, 12) / 16.0;
    let hole = if draw.one_in(3) { draw.power(-14, -5) } else { draw.whole(0, 12) / 16.0 };
    let hole = hole.min(wide);
    let of = |half: f32| 0.5 * g * (half * half - turn * turn);
    let low = if draw.one_in(3) { of(0.0) - unit * draw.whole(0, 4) } else { of(hole) };
    place(draw, low, of(wide), -g * turn, g, unit)
}

/// Motion and acceleration of very different sizes, and faces that they reach.
fn unequal(draw: &mut Draw, Shared { time: (p, q), .. }: Shared) -> Axis {
    let (d, mut g) = (draw.between(-4.0, 4.0), draw.between(-8.0, 8.0));
    let mut d = if draw.one_in(6) { 0.0 } else { d };
    let less = draw.power(-40, 0) * if draw.one_in(9) { 1e-30 } else { 1.0 };
    *(if draw.one_in(2) { &mut g } else { &mut d }) *= less;
    let t = p as f32 / q as f32 + draw.between(-1e-3, 1e-3) * draw.whole(0, 1);
    let t = if draw.one_in(4) { t * draw.power(-30, 0) } else { t };
    let x = d * t + 0.5 * g * t * t;
    // Or the turning point, if there is one.
    let x = if draw.one_in(3) && g != 0.0 { -(d * d) / (2.0 * g) } else { x };
    let x = x * (1.0 + f32::EPSILON * draw.whole(-2, 2));
    let other = draw.between(0.0, 4.0) * draw.power(-20, 0);
    let (low, high) = if draw.one_in(2) { (x, x + other) } else { (x - other, x) };
    let unit = draw.one_of(&[0.0, 0.0, 1e-3, 1.0]);
    place(draw, low, high, d, g, unit)
}

/// Sides, positions, motions and accelerations of about one size.
fn even(draw: &mut Draw, Shared { time: (p, q), .. }: Shared) -> Axis {
    let (d, g) = (draw.between(-4.0, 4.0), draw.between(-8.0, 8.0));
    let off = draw.between(-1.5, 1.5);
    let (a, b) = (draw.between(0.0, 1.0), draw.between(0.0, 1.0));
    let t = p as f32 / q as f32;
    let start = off - d * t - 0.5 * g * t * t;
    let (both, pull) = (draw.between(-1.0, 1.0), draw.between(-1.0, 1.0));
    [[-a, a, both, pull], [start - b, start + b, d + both, g + pull]]
}

/// All exponents, the least most often.
fn any_bits(draw: &mut Draw, Shared { how, .. }: Shared) -> Axis {
    let mut number = || {
        let bits = draw.0.random_range(0..=swath::COORD_MAX.to_bits()) >> (how & 7);
        f32::from_bits(bits | u32::from(draw.one_in(2)) << 31)
    };
    std::array::from_fn(|_| std::array::from_fn(|_| number()))
}
