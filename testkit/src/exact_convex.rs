//! Exact first time of contact of two convex polyhedra without rotation.
//!
//! They touch while the origin is in the Minkowski difference of `b` and `a`, moved by `x(t)`. For a straight
//! motion the least such `t` is a linear program: weights of the corners of each that sum to one, and a time.
//! It is solved by the simplex method with Bland's rule in integers (each tableau multiplied by the last
//! pivot, as in Bareiss' elimination). Under acceleration every facet of the difference gives a quadratic in
//! `t`; the first time is the least root of any at which none is positive, and the sign of one quadratic at a
//! root of another is found by squaring.
//!
//! Neither code nor formulas are those of `spec`, and there is no tolerance.

use super::convex_cases::ConvexCase;
use super::exact::Whole;
use num_rational::BigRational;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Numbers are integer multiples of `2^-UNIT`.
const UNIT: i32 = 60;

fn whole(x: f64) -> Whole {
    let scaled = x * f64::from(UNIT).exp2();
    assert!(scaled.fract() == 0.0 && scaled.abs() < 1e36, "{x} is no multiple of the unit");
    Whole::from(scaled as i128)
}

fn zero() -> Whole {
    Whole::from(0)
}

pub type Place = [Whole; 3];

fn place(p: [f64; 3]) -> Place {
    p.map(whole)
}

fn minus(a: &Place, b: &Place) -> Place {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn cross(a: &Place, b: &Place) -> Place {
    let of = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [of(1, 2), of(2, 0), of(0, 1)]
}

fn dot(a: &Place, b: &Place) -> Whole {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// Approximate value of `above / below`.
fn about(above: &Whole, below: &Whole) -> f64 {
    let ratio = BigRational::new(above.clone(), below.clone());
    let digits = |x: &Whole| x.to_string().parse::<f64>().unwrap_or(f64::NAN);
    // Both may exceed the range of `f64`; a hundred digits of each are enough.
    let (above, below) = (ratio.numer().to_string(), ratio.denom().to_string());
    let cut = above.len().max(below.len()).saturating_sub(280);
    if cut == 0 {
        return digits(ratio.numer()) / digits(ratio.denom());
    }
    let less = |text: &str| text[..text.len().saturating_sub(cut)].parse::<f64>().unwrap_or(0.0);
    less(&above) / less(&below)
}

/// Two polyhedra, and the motion of `b` relative to `a`: `place + delta·t + half·t²`.
pub struct ExactPair {
    a: Vec<Place>,
    b: Vec<Place>,
    start: Place,
    delta: Place,
    half: Place,
}

impl ExactPair {
    /// `None` unless the case consists of polyhedra without rotation and without a target distance.
    pub fn of(case: &ConvexCase) -> Option<Self> {
        let still = |k: usize| {
            let (motion, shape) = (&case.motions[k], &case.shapes[k]);
            motion.spin == [0.0; 3]
                && motion.orientation == [0.0, 0.0, 0.0, 1.0]
                && shape.radius == 0.0
        };
        if !still(0) || !still(1) || case.target != 0.0 || case.window != [0.0, 1.0] {
            return None;
        }
        let corners = |k: usize| -> Option<Vec<Place>> {
            Some(case.shapes[k].corners()?.into_iter().map(place).collect())
        };
        let wide = |v: [f32; 3], by: f64| place(v.map(|x| f64::from(x) * by));
        let [a, b] = &case.motions;
        Some(Self {
            a: corners(0)?,
            b: corners(1)?,
            start: minus(&wide(b.position, 1.0), &wide(a.position, 1.0)),
            delta: minus(&wide(b.delta, 1.0), &wide(a.delta, 1.0)),
            half: minus(&wide(b.accel, 0.5), &wide(a.accel, 0.5)),
        })
    }

    pub fn is_straight(&self) -> bool {
        self.half.iter().all(|x| *x == zero())
    }

    /// The first time in `[0, 1]` at which they touch, for a straight motion.
    pub fn first_time(&self) -> Option<f64> {
        // Columns: the weights of a, those of b, t, the slack of t ≤ 1, and the right side.
        let (m, n) = (self.a.len(), self.b.len());
        let columns = m + n + 3;
        let mut rows = Vec::new();
        for axis in 0..3 {
            let mut row: Vec<Whole> = self.a.iter().map(|p| -&p[axis]).collect();
            row.extend(self.b.iter().map(|p| p[axis].clone()));
            row.extend([self.delta[axis].clone(), zero(), -&self.start[axis]]);
            rows.push(row);
        }
        for ones in [0..m, m..m + n, m + n..m + n + 2] {
            let mut row = vec![zero(); columns];
            row[ones].fill(Whole::from(1));
            row[columns - 1] = Whole::from(1);
            rows.push(row);
        }
        let (above, below) = least(rows, m + n)?;
        Some(about(&above, &below))
    }

    /// The first time in `[0, 1]` for any motion, if the difference has an interior.
    pub fn first_time_by_facets(&self) -> Option<Option<f64>> {
        let facets = self.facets()?;
        let mut first: Option<f64> = None;
        let start = Root { a: zero(), b: Whole::from(1), c: zero(), plus: true };
        let roots = facets.iter().flat_map(Quadratic::roots).chain([start]);
        for root in roots {
            let t = root.about();
            let one = Quadratic { a: zero(), b: Whole::from(1), c: Whole::from(-1) };
            let zero_of_time = Quadratic { a: zero(), b: Whole::from(-1), c: zero() };
            let within = |limit: &Quadratic| limit.sign_at(&root) != Ordering::Greater;
            if first.is_some_and(|first| first <= t) || !within(&one) || !within(&zero_of_time) {
                continue;
            }
            if facets.iter().all(within) {
                first = Some(t);
            }
        }
        Some(first)
    }

    /// Of each facet of the difference, a function that is at most zero while the origin is on its inner
    /// side.
    fn facets(&self) -> Option<Vec<Quadratic>> {
        let mut normals: BTreeSet<Place> = BTreeSet::new();
        let mut take = |first: &Place, second: &Place| {
            let normal = cross(first, second);
            let divisor = normal.iter().fold(zero(), |so_far, x| gcd(so_far, x.clone()));
            if divisor != zero() {
                let normal = normal.map(|x| x / &divisor);
                normals.insert(normal.clone().map(|x| -x));
                normals.insert(normal);
            }
        };
        let edges = |points: &[Place]| -> Vec<Place> {
            let mut edges = Vec::new();
            for (i, p) in points.iter().enumerate() {
                edges.extend(points[..i].iter().map(|q| minus(p, q)));
            }
            edges
        };
        let all = [edges(&self.a), edges(&self.b)].concat();
        for (i, one) in all.iter().enumerate() {
            for other in &all[..i] {
                take(one, other);
            }
        }
        let mut facets = Vec::new();
        for normal in &normals {
            let far = |points: &[Place], sign: i32| {
                let along = |p: &Place| dot(normal, p) * Whole::from(sign);
                points.iter().map(along).max().expect("a hull has a point")
            };
            // The origin is inside if the least of n·(b - a + x) is at most zero.
            let c = dot(normal, &self.start) - far(&self.b, -1) - far(&self.a, 1);
            let opposite = dot(normal, &self.start) + far(&self.b, 1) + far(&self.a, -1);
            if c == opposite {
                return None; // flat
            }
            facets.push(Quadratic { a: dot(normal, &self.half), b: dot(normal, &self.delta), c });
        }
        (!facets.is_empty()).then_some(facets)
    }
}

fn gcd(mut a: Whole, mut b: Whole) -> Whole {
    while b != zero() {
        (a, b) = (b.clone(), a % b);
    }
    if a < zero() { -a } else { a }
}

/// The least value of the variable `wanted`, as a fraction, in the equations `rows` with variables that are
/// not negative; the last column is the right side.
fn least(mut rows: Vec<Vec<Whole>>, wanted: usize) -> Option<(Whole, Whole)> {
    let count = rows.len();
    let variables = rows[0].len() - 1;
    for row in &mut rows {
        if row[variables] < zero() {
            row.iter_mut().for_each(|x| *x = -&*x);
        }
    }
    // One more variable per row, which is initially its whole right side.
    let mut basis: Vec<usize> = (variables..variables + count).collect();
    let sum = |column: usize| -rows.iter().map(|row| &row[column]).sum::<Whole>();
    let excess: Vec<Whole> = (0..=variables).map(sum).collect();
    let mut wish = vec![zero(); variables + 1];
    wish[wanted] = Whole::from(1);
    rows.extend([excess, wish]);
    let mut over = Whole::from(1);
    descend(&mut rows, &mut basis, &mut over, count);
    if rows[count][variables] != zero() {
        return None;
    }
    // The additional variables are zero now, and can be replaced.
    for row in 0..count {
        let column = (0..variables).find(|&column| rows[row][column] != zero());
        let Some(column) = column.filter(|_| basis[row] >= variables) else {
            continue;
        };
        if rows[row][column] < zero() {
            rows[row].iter_mut().for_each(|x| *x = -&*x);
        }
        pivot(&mut rows, &mut basis, &mut over, row, column);
    }
    descend(&mut rows, &mut basis, &mut over, count + 1);
    Some((-rows[count + 1][variables].clone(), over))
}

/// Minimises the value of row `of`. Bland's rule: the first column that decreases it enters, and of the rows
/// that limit it the one with the first variable leaves.
fn descend(rows: &mut [Vec<Whole>], basis: &mut [usize], over: &mut Whole, of: usize) {
    let variables = rows[0].len() - 1;
    while let Some(column) = (0..variables).find(|&column| rows[of][column] < zero()) {
        let mut leaving: Option<usize> = None;
        for row in (0..basis.len()).filter(|&row| rows[row][column] > zero()) {
            let better = leaving.is_none_or(|best| {
                let one = &rows[row][variables] * &rows[best][column];
                let other = &rows[best][variables] * &rows[row][column];
                one < other || one == other && basis[row] < basis[best]
            });
            leaving = if better { Some(row) } else { leaving };
        }
        pivot(rows, basis, over, leaving.expect("a time is bounded"), column);
    }
}

fn pivot(
    rows: &mut [Vec<Whole>],
    basis: &mut [usize],
    over: &mut Whole,
    row: usize,
    column: usize,
) {
    let by = rows[row].clone();
    for (_, other) in rows.iter_mut().enumerate().filter(|(at, _)| *at != row) {
        let factor = other[column].clone();
        for (x, y) in other.iter_mut().zip(&by) {
            *x = (&*x * &by[column] - &factor * y) / &*over;
        }
    }
    *over = by[column].clone();
    basis[row] = column;
}

/// `a·t² + b·t + c`.
#[derive(Clone, Debug)]
struct Quadratic {
    a: Whole,
    b: Whole,
    c: Whole,
}

/// One of the roots of a quadratic that has roots: of two the one with a plus before the square root.
#[derive(Clone, Debug)]
struct Root {
    a: Whole,
    b: Whole,
    c: Whole,
    plus: bool,
}

impl Quadratic {
    fn roots(&self) -> Vec<Root> {
        let Self { a, b, c } = self.clone();
        let root = |plus: bool| Root { a: a.clone(), b: b.clone(), c: c.clone(), plus };
        if a == zero() {
            return if b == zero() { Vec::new() } else { vec![root(true)] };
        }
        let inside = &b * &b - Whole::from(4) * &a * &c;
        if inside < zero() { Vec::new() } else { vec![root(true), root(false)] }
    }

    /// The sign at a root of another quadratic.
    fn sign_at(&self, root: &Root) -> Ordering {
        if root.a == zero() {
            // t = -c/b, and b² is positive.
            let (t, b) = (-&root.c, &root.b);
            let value = &self.a * &t * &t + &self.b * &t * b + &self.c * b * b;
            return value.cmp(&zero());
        }
        // a·t² = -(b·t + c) at the root, so multiplied by root.a this is linear: slope·t + rest.
        let slope = &self.b * &root.a - &self.a * &root.b;
        let rest = &self.c * &root.a - &self.a * &root.c;
        // t = (-b ± √inside) / 2a: multiplied by 2a, an integer plus an integer times the square root.
        let whole = Whole::from(2) * &root.a * rest - &slope * &root.b;
        let times = if root.plus { slope } else { -slope };
        let inside = &root.b * &root.b - Whole::from(4) * &root.a * &root.c;
        let square = &times * &times * inside;
        let sign = match (whole.cmp(&zero()), times.cmp(&zero())) {
            (Ordering::Less, Ordering::Greater) => square.cmp(&(&whole * &whole)),
            (Ordering::Greater, Ordering::Less) => (&whole * &whole).cmp(&square),
            (Ordering::Equal, times) if square != zero() => times,
            (whole, _) => whole,
        };
        // It was multiplied by a, then by 2a: together by a positive number.
        sign
    }
}

impl Root {
    fn about(&self) -> f64 {
        let greatest = [&self.a, &self.b, &self.c]
            .into_iter()
            .map(|x| if *x < zero() { -x } else { x.clone() })
            .max()
            .expect("there are three");
        let [a, b, c] = [&self.a, &self.b, &self.c].map(|x| about(x, &greatest));
        if a == 0.0 {
            return -c / b;
        }
        let inside = Whole::from(4) * &self.a * &self.c;
        let inside = about(&(&self.b * &self.b - inside), &(&greatest * &greatest)).max(0.0);
        let square_root = if self.plus { inside.sqrt() } else { -inside.sqrt() };
        // Of the two forms the one without cancellation.
        let sum = -b - square_root;
        let other = -b + square_root;
        if other.abs() >= sum.abs() { other / (2.0 * a) } else { 2.0 * c / sum }
    }
}
