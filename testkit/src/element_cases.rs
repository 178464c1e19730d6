//! Moving pairs of elements of a mesh, many of them degenerate, some with a known contact.

use rand::RngExt;

use crate::draw::Draw;
use crate::exact_elements::{ElementKind, Positions};

/// A pair of elements that moves.
#[derive(Clone, Debug)]
pub struct ElementCase {
    pub kind: ElementKind,
    pub start: Positions,
    pub end: Positions,
    /// A time of a contact, which need not be the first one.
    pub contact: Option<f64>,
}

impl ElementCase {
    /// Draws a case.
    pub fn draw(draw: &mut Draw) -> Self {
        let kind = if draw.one_in(2) { ElementKind::VertexFace } else { ElementKind::EdgeEdge };
        let mut case = match draw.0.random_range(0..8) {
            0 => lattice(kind, draw),
            1 | 2 => Self { contact: None, ..lattice(kind, draw) }.disturbed(draw, 1.0),
            3 | 4 => meeting(kind, draw),
            5 => meeting(kind, draw).flattened(draw),
            6 => needle(kind, draw),
            _ => parallel(kind, draw),
        };
        match draw.0.random_range(0..8) {
            // No motion, or one motion for all.
            0 => {
                case.end = case.start;
                case.contact = None;
            }
            1 => {
                case.end = case.start.map(|point| [point[0] + 3.0, point[1], point[2] - 2.0]);
                case.contact = None;
            }
            2 => case = case.disturbed(draw, 1e-7),
            3 => case = case.moved(f64::from(draw.whole(-1_000_000, 1_000_000))),
            _ => {}
        }
        // A power of two keeps what is known, another factor rounds.
        if draw.one_in(3) {
            let power = draw.0.random_range(-20..=20);
            case = case.scaled(2_f64.powi(power));
        } else if draw.one_in(3) {
            let power = draw.0.random_range(-6..=6);
            case = case.scaled(10_f64.powi(power));
            case.contact = None;
        }
        case
    }

    fn each(mut self, mut change: impl FnMut(f64) -> f64) -> Self {
        for x in self.start.iter_mut().chain(&mut self.end).flatten() {
            *x = change(*x);
        }
        self
    }

    fn scaled(self, factor: f64) -> Self {
        self.each(|x| x * factor)
    }

    fn moved(self, by: f64) -> Self {
        let (mut exact, contact) = (true, self.contact);
        let case = self.each(|x| {
            exact &= (x + by) - by == x && (x + by) - x == by;
            x + by
        });
        Self { contact: contact.filter(|_| exact), ..case }
    }

    fn disturbed(self, draw: &mut Draw, by: f64) -> Self {
        let case = self.each(|x| x + by * draw.0.random_range(-1.0..1.0));
        Self { contact: None, ..case }
    }

    /// Puts all vertices in one plane, at all times.
    fn flattened(mut self, draw: &mut Draw) -> Self {
        let axis = draw.0.random_range(0..3);
        for point in self.start.iter_mut().chain(&mut self.end) {
            point[axis] = 1.0;
        }
        self
    }
}

fn corner(draw: &mut Draw, reach: i32) -> [f64; 3] {
    [(); 3].map(|()| f64::from(draw.whole(-reach, reach)))
}

/// Small whole numbers, which often coincide.
fn lattice(kind: ElementKind, draw: &mut Draw) -> ElementCase {
    let start = [(); 4].map(|()| corner(draw, 3));
    let end = [(); 4].map(|()| corner(draw, 3));
    ElementCase { kind, start, end, contact: None }
}

/// Elements that touch at a known time, inside, on an edge or at a vertex.
fn meeting(kind: ElementKind, draw: &mut Draw) -> ElementCase {
    let at = f64::from(draw.whole(0, 16)) / 16.0;
    let (first, second) = (f64::from(draw.whole(0, 8)) / 8.0, f64::from(draw.whole(0, 8)) / 8.0);
    let mut meet = [(); 4].map(|()| corner(draw, 64).map(|x| 64.0 * x));
    let mix = |a: [f64; 3], b: [f64; 3], s: f64| [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
    match kind {
        ElementKind::VertexFace => {
            let [_, a, b, c] = meet;
            meet[0] = mix(a, mix(b, c, second), first);
        }
        ElementKind::EdgeEdge => {
            let [a, b, c, d] = meet;
            let (on_first, on_second) = (mix(a, b, first), mix(c, d, second));
            for point in &mut meet[2..] {
                *point = [0, 1, 2].map(|k| point[k] + on_first[k] - on_second[k]);
            }
        }
    }
    let (mut start, mut end) = (meet, meet);
    for vertex in 0..4 {
        let motion = corner(draw, 64).map(|x| 16.0 * x);
        for axis in 0..3 {
            start[vertex][axis] -= at * motion[axis];
            end[vertex][axis] += (1.0 - at) * motion[axis];
        }
    }
    ElementCase { kind, start, end, contact: Some(at) }
}

/// A face or an edge with nearly no width, or vertices nearly in a line.
fn needle(kind: ElementKind, draw: &mut Draw) -> ElementCase {
    let mut case = meeting(kind, draw);
    let width = 2_f64.powi(-draw.0.random_range(10..45));
    let long = draw.0.random_range(0..3);
    for point in case.start.iter_mut().chain(&mut case.end) {
        for (axis, x) in point.iter_mut().enumerate() {
            *x *= if axis == long { 1.0 } else { width };
        }
    }
    case
}

/// Edges, or edges of the face and the path of the vertex, that are parallel at one or both ends of the tick.
fn parallel(kind: ElementKind, draw: &mut Draw) -> ElementCase {
    let mut case = lattice(kind, draw);
    let both = draw.one_in(2);
    let along = corner(draw, 3);
    let length = f64::from(draw.whole(-2, 2));
    for at in [&mut case.start, &mut case.end].into_iter().take(if both { 2 } else { 1 }) {
        at[1] = [0, 1, 2].map(|k| at[0][k] + along[k]);
        at[3] = [0, 1, 2].map(|k| at[2][k] + length * along[k]);
    }
    case
}
