//! Hard pairs of moving spheres, and of spheres and boxes.
//!
//! As in `cases.rs` for boxes, there are families in which a touch is exact, just missed, long, far away or
//! at the limits of `f32`. Offsets of integer length such as (3, 4, 0) and (2, 3, 6) give contacts that are
//! exact in rational numbers.

use super::cases::HOSTILE;
use super::draw::Draw;
use rand::RngExt;
use swath::batch::MovingSphere;
use swath::{Aabb, MovingBox, Sphere};

/// Two spheres, and a box with a corner or face at the centre of the second.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub family: &'static str,
    pub a: MovingSphere,
    pub b: MovingSphere,
    /// `a` with the radius of both, for the box.
    pub ball: MovingSphere,
    pub boxed: MovingBox,
}

/// This many cases, from every family in turn.
pub fn rounds(seed: u64, count: usize) -> impl Iterator<Item = Round> {
    let mut draw = Draw::new(seed);
    let mut turns = FAMILIES.into_iter().cycle();
    std::iter::repeat_with(move || turns.next().and_then(|family| round(family, &mut draw)))
        .flatten()
        .take(count)
}

/// Position and motion of `b` relative to `a`, both radii, and numbers that are added to both.
struct Made {
    place: [f32; 3],
    motion: [f32; 3],
    radii: [f32; 2],
    /// The direction from `a` to `b` at contact, into which the box extends.
    towards: [f32; 3],
    shared: [[f32; 3]; 2],
}

type Family = (&'static str, fn(&mut Draw) -> Made);

const FAMILIES: [Family; 14] = [
    ("grid", grid),
    ("together", together),
    ("together, nudged", together),
    ("together, scaled", together),
    ("grazing", grazing),
    ("grazing, nudged", grazing),
    ("grazing, scaled", grazing),
    ("resting", resting),
    ("hostile", hostile),
    ("far out", far_out),
    ("bullet", bullet),
    ("long grazing", long_grazing),
    ("even", even),
    ("any bits", any_bits),
];

/// Vectors of integer length: x, y, z and the length.
const WHOLE: [[f32; 4]; 8] = [
    [1.0, 0.0, 0.0, 1.0],
    [3.0, 4.0, 0.0, 5.0],
    [1.0, 2.0, 2.0, 3.0],
    [2.0, 3.0, 6.0, 7.0],
    [1.0, 4.0, 8.0, 9.0],
    [2.0, 6.0, 9.0, 11.0],
    [5.0, 12.0, 0.0, 13.0],
    [7.0, 14.0, 22.0, 27.0],
];

impl Draw {
    fn vector(&mut self, number: impl Fn(&mut Self) -> f32) -> [f32; 3] {
        std::array::from_fn(|_| number(self))
    }

    /// A vector of integer length, rotated at random, and its length.
    fn of_whole_length(&mut self) -> ([f32; 3], f32) {
        let [x, y, z, length] = self.one_of(&WHOLE);
        let turned = self.one_of(&[[x, y, z], [y, z, x], [z, x, y], [y, x, z]]);
        (turned.map(|along| along * self.sign()), length)
    }
}

fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| a[k] + b[k])
}

fn round((family, make): Family, draw: &mut Draw) -> Option<Round> {
    let Made { place, motion, radii, towards, shared } = make(draw);
    let mut a = [[0.0; 3], motion.map(|along| -along)];
    let mut b = [place, [0.0; 3]];
    match draw.0.random_range(0..3) {
        0 => {}
        1 => (a[1], b[1]) = ([0.0; 3], motion),
        _ => {
            a = [add(a[0], shared[0]), add(shared[1], [0.0; 3])];
            b = [add(b[0], shared[0]), add(motion, shared[1])];
        }
    }
    let (mut low, mut high) = (b[0], b[0]);
    for k in 0..3 {
        let size = match draw.0.random_range(0..6) {
            0 | 1 => 0.0,
            2 => radii[0],
            3 => draw.whole(1, 8) * 0.5,
            4 => place[k].abs(),
            _ => draw.one_of(&[1e-3, 1e6, 1e30]),
        };
        // Mostly away from the sphere, so that the corner remains the nearest point.
        let up = if towards[k] == 0.0 { draw.one_in(2) } else { towards[k] > 0.0 };
        let turned = draw.one_in(8);
        if draw.one_in(10) || towards[k] == 0.0 && draw.one_in(2) {
            (low[k], high[k]) = (low[k] - size, high[k] + size);
        } else if up != turned {
            high[k] += size;
        } else {
            low[k] -= size;
        }
    }
    let mut numbers = [a[0], b[0], a[1], b[1], low, high, [radii[0], radii[1], 0.0]];
    match family.split_once(", ").map(|(_, how)| how) {
        Some("nudged") => {
            for _ in 0..draw.0.random_range(1..4) {
                let number = draw.0.random_range(0..20);
                let number = &mut numbers[number / 3][number % 3];
                let step = if draw.one_in(2) { f32::next_up } else { f32::next_down };
                *number = (0..draw.0.random_range(1..=2)).fold(*number, |x, _| step(x));
            }
        }
        Some(_) => {
            let scale = draw.one_of(&[1e30, 1e-30, 3e-39, 1e-44, 1.7, (1u64 << 60) as f32]);
            numbers.as_flattened_mut().iter_mut().for_each(|number| *number *= scale);
        }
        None => {}
    }
    let [a_center, b_center, a_delta, b_delta, low, high, [a_radius, b_radius, _]] = numbers;
    let sphere = |center, radius, delta| MovingSphere { sphere: Sphere { center, radius }, delta };
    let a = sphere(a_center, a_radius, a_delta);
    let b = sphere(b_center, b_radius, b_delta);
    let boxed = MovingBox {
        aabb: Aabb {
            min: std::array::from_fn(|k| low[k].min(high[k])),
            max: std::array::from_fn(|k| low[k].max(high[k])),
        },
        delta: b_delta,
    };
    let ball = sphere(a_center, a_radius + b_radius, a_delta);
    let valid = a.validate().and(b.validate()).and(ball.validate()).and(boxed.validate());
    let (a, b) = if draw.one_in(2) { (a, b) } else { (b, a) };
    valid.is_ok().then_some(Round { family, a, b, ball, boxed })
}

/// Quarters: every difference, and every square of one, is exact.
fn grid(draw: &mut Draw) -> Made {
    let still = draw.one_in(12);
    let motion =
        draw.vector(|draw| if still || draw.one_in(3) { 0.0 } else { draw.whole(-24, 24) * 0.25 });
    let place = draw.vector(|draw| draw.whole(-12, 12) * 0.25);
    let radii = [draw.whole(0, 8) * 0.25, draw.whole(0, 4) * 0.25];
    let shared = [(); 2].map(|()| draw.vector(|draw| draw.whole(-8, 8) * 0.25));
    Made { place, motion, radii, towards: place, shared }
}

/// A contact at a rational time: then the distance of the centres is an integer.
fn together(draw: &mut Draw) -> Made {
    let unit = draw.one_of(&[0.125, 1.0, 4.0]);
    let (way, length) = draw.of_whole_length();
    let (of, past) = (draw.one_of(&[1, 2, 3, 5, 7, 10, 11]), i32::from(draw.one_in(8)));
    let time = draw.0.random_range(0..=of + past) as f32;
    let of = of as f32;
    let step = draw.vector(|draw| if draw.one_in(4) { 0.0 } else { draw.whole(-4, 4) });
    let place = std::array::from_fn(|k| (way[k] - step[k] * time) * unit);
    let motion = step.map(|step| step * of * unit);
    let part = draw.whole(0, 4) / 4.0;
    let radii = [length * part * unit, length * (1.0 - part) * unit];
    let shared = [(); 2].map(|()| draw.vector(|draw| draw.whole(-8, 8) * unit));
    Made { place, motion, radii, towards: way, shared }
}

/// The paths touch at one point: the motion is perpendicular to an offset of integer length.
fn grazing(draw: &mut Draw) -> Made {
    let made = together(draw);
    let [x, y, z] = made.towards;
    let across = draw.one_of(&[[-y, x, 0.0], [0.0, -z, y], [z, 0.0, -x]]);
    let (unit, steps) = (made.radii[0] + made.radii[1], draw.whole(1, 9));
    let length = (x * x + y * y + z * z).sqrt();
    let unit = unit / length;
    let time = draw.whole(0, steps as i32);
    let place = std::array::from_fn(|k| (made.towards[k] - across[k] * time) * unit);
    let motion = across.map(|across| across * steps * unit);
    Made { place, motion, ..made }
}

/// Surfaces that touch at the start, and close, slide or separate.
fn resting(draw: &mut Draw) -> Made {
    let made = if draw.one_in(2) { together(draw) } else { grazing(draw) };
    let length = made.towards.iter().map(|x| x * x).sum::<f32>().sqrt();
    let unit = (made.radii[0] + made.radii[1]) / length;
    Made { place: made.towards.map(|along| along * unit), ..made }
}

fn hostile(draw: &mut Draw) -> Made {
    let near = draw.one_of(&HOSTILE);
    let number = |draw: &mut Draw| {
        let number = if draw.one_in(2) { near } else { draw.one_of(&HOSTILE) };
        number * draw.sign()
    };
    let (place, motion) = (draw.vector(number), draw.vector(number));
    let radii = [number(draw).abs(), number(draw).abs()];
    let shared = [draw.vector(number), draw.vector(number)];
    Made { place, motion, radii, towards: place, shared }
}

/// A million lengths from the origin, where a float has few digits left.
fn far_out(draw: &mut Draw) -> Made {
    let base = draw.one_of(&[1e6, -1e6, 1e7]);
    let shared = [draw.vector(|draw| base + draw.between(-3.0, 3.0)), [0.0; 3]];
    Made { shared, ..even(draw) }
}

/// Paths of a million radii that hit or pass.
fn bullet(draw: &mut Draw) -> Made {
    let motion = draw.vector(|draw| draw.between(-1e3, 1e3));
    let radii = [draw.between(0.0, 1e-3), draw.between(0.0, 1e-3)];
    let (about, reach) = (draw.between(0.0, 1.0), draw.one_of(&[2e-3, 2e-4, 0.0]));
    let off = draw.vector(|draw| draw.between(-reach, reach));
    let place = std::array::from_fn(|k| off[k] - motion[k] * about);
    let shared = [draw.vector(|draw| draw.one_of(&[0.0, 0.1, 1e3])), [0.1; 3]];
    Made { place, motion, radii, towards: off, shared }
}

/// A long path past a sphere at a distance close to its radius.
fn long_grazing(draw: &mut Draw) -> Made {
    let off = draw.vector(|draw| draw.between(-1.0, 1.0));
    let other = draw.vector(|draw| draw.between(-1.0, 1.0));
    let [x, y, z] = off;
    let length = draw.one_of(&[1.0, 30.0, 1e4, 1e7]);
    let across =
        [y * other[2] - z * other[1], z * other[0] - x * other[2], x * other[1] - y * other[0]];
    let motion = across.map(|across| across * length);
    let about = draw.between(-0.1, 1.1);
    let place = std::array::from_fn(|k| off[k] - motion[k] * about);
    let radius = (x * x + y * y + z * z).sqrt();
    let nudge = draw.one_of(&[0.0, 1e-7, -1e-7, 1e-3, -1e-3]);
    let radii = [radius * (1.0 + nudge), 0.0];
    Made { place, motion, radii, towards: off, shared: [[0.25; 3], [0.5; 3]] }
}

/// Radii, positions and motions of about one size.
fn even(draw: &mut Draw) -> Made {
    let motion = draw.vector(|draw| draw.between(-4.0, 4.0));
    let off = draw.vector(|draw| draw.between(-1.5, 1.5));
    let about = draw.between(0.0, 1.0);
    let place = std::array::from_fn(|k| off[k] - motion[k] * about);
    let radii = [draw.between(0.0, 1.0), draw.between(0.0, 1.0)];
    let shared = [(); 2].map(|()| draw.vector(|draw| draw.between(-1.0, 1.0)));
    Made { place, motion, radii, towards: off, shared }
}

/// All exponents, the least most often.
fn any_bits(draw: &mut Draw) -> Made {
    let shift = draw.0.random_range(0..8);
    let number = |draw: &mut Draw| {
        let bits = draw.0.random_range(0..=swath::COORD_MAX.to_bits()) >> shift;
        f32::from_bits(bits) * draw.sign()
    };
    let (place, motion) = (draw.vector(number), draw.vector(number));
    let radii = [number(draw).abs(), number(draw).abs()];
    let shared = [draw.vector(number), draw.vector(number)];
    Made { place, motion, radii, towards: place, shared }
}
