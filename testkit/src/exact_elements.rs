//! Exact contacts and distances of a vertex and a face, and of two edges, whose vertices move on straight lines.
//!
//! The method has nothing in common with that of `swath`. All coordinates are integer multiples of a power of two. Two elements
//! can only touch when their four vertices are in a plane, which is a root of a cubic polynomial; they do touch there
//! if polynomials of degree four, which are barycentric coordinates, are not negative. The roots are isolated with Bernstein
//! coefficients, which are halved until the signs decide: no sign change is no root, one is one root (Descartes).

use std::cmp::Ordering;

use crate::exact::Whole;

/// The kind of a pair of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// A vertex, then the three vertices of a face.
    VertexFace,
    /// The two vertices of one edge, then those of the other.
    EdgeEdge,
}

/// Positions of the four vertices.
pub type Positions = [[f64; 3]; 4];

/// Halvings of the tick until the search for a root gives up.
const DEPTH: u32 = 64;

type Vector = [Whole; 3];
/// Bernstein coefficients.
type Bernstein = Vec<Whole>;

/// A pair of elements with exact coordinates.
pub struct ExactPair {
    kind: ElementKind,
    /// Coordinates, as multiples of `2^exponent`.
    start: [Vector; 4],
    end: [Vector; 4],
    exponent: i32,
}

/// The contacts of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// A time at or after the first certain contact, by less than 2⁻⁵⁰.
    pub by: Option<f64>,
    /// Whether there may be other contacts: a root without a change of sign, a root on the border of the face or at the end of an edge, or
    /// vertices that are in a plane all the time.
    pub is_open: bool,
}

/// The digits and the exponent of a finite number.
fn parts(x: f64) -> (i64, i32) {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    let digits = (x.to_bits() & ((1 << 52) - 1)) as i64;
    let digits = if exponent == 0 { digits } else { digits | 1 << 52 };
    (if x < 0.0 { -digits } else { digits }, exponent.max(1) - 1075)
}

fn sub(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn dot(a: &Vector, b: &Vector) -> Whole {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(p, q)| &a[p] * &b[q] - &a[q] * &b[p])
}

/// The two edges and the offset between them: the vertex or second edge from the first vertex of the face or first edge.
fn edges_and_offset(kind: ElementKind, at: &[Vector; 4]) -> [Vector; 3] {
    let [a, b, c, d] = at;
    match kind {
        ElementKind::VertexFace => [sub(c, b), sub(d, b), sub(a, b)],
        ElementKind::EdgeEdge => [sub(b, a), sub(d, c), sub(c, a)],
    }
}

/// The volume that is zero if the vertices are in a plane, and the numbers that are not negative if the point in the plane is inside, for
/// polynomials in general: `a` times `b` is a product of two factors of these degrees.
fn volume_and_inside(kind: ElementKind, [e, f, w]: &[Vector; 3]) -> (Whole, Vec<Whole>) {
    let normal = cross(e, f);
    let square = dot(&normal, &normal);
    let first = dot(&cross(w, f), &normal);
    let inside = match kind {
        ElementKind::VertexFace => {
            let second = dot(&cross(e, w), &normal);
            let rest = &square - &first - &second;
            vec![first, second, rest]
        }
        ElementKind::EdgeEdge => {
            let second = dot(&cross(w, e), &normal);
            vec![&square - &first, first, &square - &second, second]
        }
    };
    (dot(w, &normal), inside)
}

/// The Bernstein coefficients on the tick, times `degree!`, of a polynomial with these values at `0, 1, … degree`.
fn bernstein(values: &[Whole]) -> Bernstein {
    // Newton's differences give the monomial coefficients times `degree!`; those give Bernstein coefficients.
    let degree = values.len() - 1;
    let factorial: Vec<i64> = (0..=degree as i64)
        .scan(1, |product, k| {
            *product *= k.max(1);
            Some(*product)
        })
        .collect();
    let mut differences = values.to_vec();
    for order in 1..=degree {
        for k in (order..=degree).rev() {
            differences[k] = &differences[k] - &differences[k - 1];
        }
    }
    // `p(t) = Σ differences[k]·t(t-1)…(t-k+1) / k!`; falling factorials as monomials.
    let mut monomial = vec![Whole::from(0); degree + 1];
    let mut falling = vec![1_i64];
    for (k, difference) in differences.iter().enumerate() {
        for (power, &factor) in falling.iter().enumerate() {
            monomial[power] +=
                difference * Whole::from(factor * (factorial[degree] / factorial[k]));
        }
        let mut next = vec![0; falling.len() + 1];
        for (power, &factor) in falling.iter().enumerate() {
            next[power + 1] += factor;
            next[power] -= factor * k as i64;
        }
        falling = next;
    }
    // `b_k = Σ C(k, i) / C(degree, i)·a_i`, here times `degree!` once more to stay whole.
    let choose = |n: usize, k: usize| factorial[n] / (factorial[k] * factorial[n - k]);
    let coefficient = |k: usize| {
        let term = |i: usize| {
            &monomial[i] * Whole::from(choose(k, i) * (factorial[degree] / choose(degree, i)))
        };
        (0..=k).map(term).fold(Whole::from(0), |sum, term| sum + term)
    };
    (0..=degree).map(coefficient).collect()
}

/// Coefficients on the two halves, both times `2^degree`.
fn halves(whole: &Bernstein) -> [Bernstein; 2] {
    let degree = whole.len() - 1;
    let mut row = whole.clone();
    let (mut left, mut right) = (vec![], vec![]);
    for level in 0..=degree {
        left.push(&row[0] << (degree - level));
        right.push(&row[row.len() - 1] << (degree - level));
        row = row.windows(2).map(|two| &two[0] + &two[1]).collect();
    }
    right.reverse();
    [left, right]
}

fn sign(x: &Whole) -> i32 {
    match x.cmp(&Whole::from(0)) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

fn sign_changes(coefficients: &Bernstein) -> usize {
    let signs: Vec<i32> = coefficients.iter().map(sign).filter(|&sign| sign != 0).collect();
    signs.windows(2).filter(|two| two[0] != two[1]).count()
}

/// A part of the tick, in units of `2^-depth`.
struct Part {
    first: u128,
    depth: u32,
    volume: Bernstein,
    inside: Vec<Bernstein>,
}

impl Part {
    fn halves(&self) -> [Self; 2] {
        let [left, right] = halves(&self.volume);
        let inside: Vec<[Bernstein; 2]> = self.inside.iter().map(halves).collect();
        let half = |volume, which: usize| Self {
            first: 2 * self.first + which as u128,
            depth: self.depth + 1,
            volume,
            inside: inside.iter().map(|halves| halves[which].clone()).collect(),
        };
        [half(left, 0), half(right, 1)]
    }

    /// The start of the part, or its end, rounded up.
    fn time(&self, end: bool) -> f64 {
        let steps = self.first + u128::from(end);
        let time = steps as f64 / 2_f64.powi(self.depth as i32);
        if (time * 2_f64.powi(self.depth as i32)) as u128 >= steps { time } else { time.next_up() }
    }
}

impl ExactPair {
    /// Coordinates must be finite.
    pub fn new(kind: ElementKind, start: &Positions, end: &Positions) -> Self {
        let all = start.iter().chain(end).flatten().filter(|&&x| x != 0.0);
        let exponent = all.map(|&x| parts(x).1).min().unwrap_or(0);
        let whole = |x: f64| {
            let (digits, power) = parts(x);
            if digits == 0 { Whole::from(0) } else { Whole::from(digits) << (power - exponent) }
        };
        let both = [start, end].map(|at| at.map(|point| point.map(whole)));
        let [start, end] = both;
        Self { kind, start, end, exponent }
    }

    /// The edges and the offset at whole multiples of the tick.
    fn after(&self, ticks: i64) -> [Vector; 3] {
        let start = edges_and_offset(self.kind, &self.start);
        let end = edges_and_offset(self.kind, &self.end);
        [0, 1, 2].map(|v| {
            [0, 1, 2].map(|k| &start[v][k] + (&end[v][k] - &start[v][k]) * Whole::from(ticks))
        })
    }

    /// Finds the first contact in the tick.
    pub fn first_contact(&self) -> FirstContact {
        let values: Vec<(Whole, Vec<Whole>)> =
            (0..5).map(|ticks| volume_and_inside(self.kind, &self.after(ticks))).collect();
        let volumes: Vec<Whole> = values[..4].iter().map(|value| value.0.clone()).collect();
        let volume = bernstein(&volumes);
        let mut found = FirstContact { by: None, is_open: false };
        if volume.iter().all(|coefficient| sign(coefficient) == 0) {
            found.is_open = true;
            return found;
        }
        if volume.iter().all(|coefficient| sign(coefficient) == sign(&volume[0])) {
            return found;
        }
        let inside = (0..values[0].1.len()).map(|which| {
            let values: Vec<Whole> = values.iter().map(|value| value.1[which].clone()).collect();
            bernstein(&values)
        });
        let part = Part { first: 0, depth: 0, volume, inside: inside.collect() };
        search(&part, &mut found);
        found
    }

    /// Whether the distance at time `t` is at most `limit`, exactly.
    pub fn is_within(&self, t: f64, limit: f64) -> bool {
        let (steps, power) = parts(t);
        let (steps, scale) = (Whole::from(steps), -power);
        assert!(scale >= 0, "a time is in the tick");
        let at = |k: usize, axis: usize| {
            let (from, to) = (&self.start[k][axis], &self.end[k][axis]);
            (from << scale) + (to - from) * &steps
        };
        let at = [0, 1, 2, 3].map(|k| [0, 1, 2].map(|axis| at(k, axis)));
        // In the same unit as the positions, which is `2^(exponent - scale)`.
        let (digits, power) = parts(limit);
        let shift = power - (self.exponent - scale);
        let (above, below) = if shift >= 0 {
            (Whole::from(digits) << shift, Whole::from(1))
        } else {
            (Whole::from(digits), Whole::from(1) << -shift)
        };
        let limit = [&above * &above, &below * &below];
        squares(self.kind, &at).iter().any(|[above, below]| above * &limit[1] <= below * &limit[0])
    }
}

/// Searches a part of the tick from the left.
fn search(part: &Part, found: &mut FirstContact) {
    let changes = sign_changes(&part.volume);
    // A root at the start of the part: there the coefficients are the values themselves.
    if sign(&part.volume[0]) == 0 {
        let signs: Vec<i32> = part.inside.iter().map(|inside| sign(&inside[0])).collect();
        if signs.iter().all(|&sign| sign == 0) {
            found.is_open = true;
        } else if signs.iter().all(|&sign| sign >= 0) {
            found.by = Some(part.time(false));
            return;
        }
    }
    if part.first + 1 == 1 << part.depth && sign(&part.volume[3]) == 0 {
        let signs: Vec<i32> = part.inside.iter().map(|inside| sign(&inside[4])).collect();
        // Contacts before the end count first.
        if signs.iter().all(|&sign| sign >= 0) && changes == 0 {
            if signs.iter().all(|&sign| sign == 0) {
                found.is_open = true;
            } else {
                found.by = Some(part.time(true));
            }
            return;
        }
    }
    if changes == 0 {
        return;
    }
    let negative = |inside: &Bernstein| inside.iter().all(|coefficient| sign(coefficient) < 0);
    if part.inside.iter().any(negative) {
        return;
    }
    let positive = |inside: &Bernstein| inside.iter().all(|coefficient| sign(coefficient) > 0);
    if part.depth >= 56 && changes == 1 && part.inside.iter().all(positive) {
        found.by = Some(part.time(true));
        return;
    }
    if part.depth >= DEPTH {
        found.is_open = true;
        return;
    }
    for half in part.halves() {
        if found.by.is_none() {
            search(&half, found);
        }
    }
}

/// Squares of distances as fractions: of pairs of points of the two elements, the nearest points among them.
fn squares(kind: ElementKind, at: &[Vector; 4]) -> Vec<[Whole; 2]> {
    let [a, b, c, d] = at;
    let mut all = match kind {
        ElementKind::VertexFace => {
            vec![to_edge(a, b, c), to_edge(a, c, d), to_edge(a, d, b)]
        }
        ElementKind::EdgeEdge => {
            vec![to_edge(a, c, d), to_edge(b, c, d), to_edge(c, a, b), to_edge(d, a, b)]
        }
    };
    let vectors = edges_and_offset(kind, at);
    let (volume, inside) = volume_and_inside(kind, &vectors);
    let normal = cross(&vectors[0], &vectors[1]);
    let square = dot(&normal, &normal);
    if sign(&square) > 0 && inside.iter().all(|x| sign(x) >= 0) {
        all.push([&volume * &volume, square]);
    }
    all
}

/// The square of the distance of a point from an edge.
fn to_edge(point: &Vector, from: &Vector, to: &Vector) -> [Whole; 2] {
    let (along, offset) = (sub(to, from), sub(point, from));
    let (part, square) = (dot(&offset, &along), dot(&along, &along));
    let one = Whole::from(1);
    if sign(&part) <= 0 {
        return [dot(&offset, &offset), one];
    }
    if part >= square {
        let offset = sub(point, to);
        return [dot(&offset, &offset), one];
    }
    [dot(&offset, &offset) * &square - &part * &part, square]
}

/// The greatest difference of two coordinates of the pair at either end of the tick.
pub fn scale(start: &Positions, end: &Positions) -> f64 {
    let mut scale = 0.0_f64;
    for at in [start, end] {
        for point in at {
            for other in at {
                for axis in 0..3 {
                    scale = scale.max((point[axis] - other[axis]).abs());
                }
            }
        }
    }
    scale
}
