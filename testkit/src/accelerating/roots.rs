//! Compares roots of quadratics exactly.
//!
//! A time is `(p + s·√q) / r` with integers in units of 2⁻¹⁴⁹. Two are compared by squaring until no root is
//! left. That is slow, so each time is first enclosed between two `f64`, with every operation rounded
//! outwards, and only times whose enclosures overlap are compared as integers.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::exact::{Whole, whole};

/// All numbers from the first to the second.
#[derive(Clone, Copy, Debug)]
pub struct Span(pub f64, pub f64);

impl Span {
    pub fn of(x: f64) -> Self {
        Self(x, x)
    }

    fn hull(candidates: [f64; 4]) -> Self {
        let low = candidates.into_iter().fold(f64::INFINITY, f64::min);
        let high = candidates.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self(low.next_down(), high.next_up())
    }

    /// The root of the part that is not negative.
    fn sqrt(self) -> Self {
        Self(self.0.max(0.0).sqrt().next_down().max(0.0), self.1.max(0.0).sqrt().next_up())
    }

    fn holds_zero(self) -> bool {
        self.0 <= 0.0 && self.1 >= 0.0
    }

    pub fn abs(self) -> Self {
        if self.holds_zero() {
            Self(0.0, self.1.max(-self.0))
        } else if self.0 < 0.0 {
            -self
        } else {
            self
        }
    }
}

impl Neg for Span {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.1, -self.0)
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self((self.0 + other.0).next_down(), (self.1 + other.1).next_up())
    }
}

impl Sub for Span {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Span {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::hull([self.0 * other.0, self.0 * other.1, self.1 * other.0, self.1 * other.1])
    }
}

impl Div for Span {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        if other.holds_zero() {
            return Self(f64::NEG_INFINITY, f64::INFINITY);
        }
        Self::hull([self.0 / other.0, self.0 / other.1, self.1 / other.0, self.1 / other.1])
    }
}

/// The difference of two floats, and whether its sign was reversed.
#[derive(Clone, Copy, Debug)]
pub struct Difference(f32, f32);

impl Difference {
    pub fn new(x: f32, y: f32) -> Self {
        Self(x, y)
    }

    pub fn span(self) -> Span {
        Span::of(self.0.into()) - Span::of(self.1.into())
    }

    pub fn whole(self) -> Whole {
        whole(self.0) - whole(self.1)
    }

    /// Compares with zero.
    pub fn sign(self) -> Ordering {
        self.0.partial_cmp(&self.1).expect("numbers of a box are ordered")
    }
}

/// A time.
#[derive(Clone, Copy, Debug)]
pub enum Time {
    Never,
    Always,
    At(f32),
    Root(Root),
}

/// The lesser or the greater solution of `½·g·t² + d·t = n`, or the only one if `g` is zero.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    d: Difference,
    g: Difference,
    n: Difference,
    greater: bool,
    near: Span,
}

/// The sign of `d² + 2gn`.
pub fn discriminant(d: Difference, g: Difference, n: Difference) -> Ordering {
    let near = discriminant_near(d, g, n);
    if !near.holds_zero() {
        return if near.0 > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    discriminant_whole(d, g, n).cmp(&Whole::from(0))
}

fn discriminant_near(d: Difference, g: Difference, n: Difference) -> Span {
    let (d, g, n) = (d.span(), g.span(), n.span());
    d * d + Span::of(2.0) * g * n
}

fn discriminant_whole(d: Difference, g: Difference, n: Difference) -> Whole {
    let d = d.whole();
    &d * &d + ((g.whole() * n.whole()) << 1)
}

impl Root {
    /// Such a root must exist.
    pub fn at(d: Difference, g: Difference, n: Difference, greater: bool) -> Time {
        let near = if g.sign() == Ordering::Equal {
            n.span() / d.span()
        } else {
            let root = discriminant_near(d, g, n).sqrt();
            // The lesser root has the sign of g before the square root, reversed.
            let plus = greater == (g.sign() == Ordering::Greater);
            let (of_d, of_g) = (d.span(), g.span());
            let falls = d.sign() == Ordering::Less;
            match (plus, falls) {
                (true, true) => (root - of_d) / of_g,
                (false, false) => -(root + of_d) / of_g,
                (true, false) => Span::of(2.0) * n.span() / (of_d + root),
                (false, true) => Span::of(2.0) * n.span() / (of_d - root),
            }
        };
        Time::Root(Self { d, g, n, greater, near })
    }

    /// `p`, `s·√q` as the sign and `q`, and `r > 0` of `(p + s·√q) / r`.
    fn parts(&self) -> (Whole, i32, Whole, Whole) {
        let zero = || Whole::from(0);
        let (p, r) = match self.g.sign() {
            Ordering::Equal => (self.n.whole(), self.d.whole()),
            _ => (-self.d.whole(), self.g.whole()),
        };
        let (p, r) = if r < zero() { (-p, -r) } else { (p, r) };
        if self.g.sign() == Ordering::Equal {
            return (p, 0, zero(), r);
        }
        let sign = if self.greater { 1 } else { -1 };
        (p, sign, discriminant_whole(self.d, self.g, self.n), r)
    }
}

impl Time {
    pub fn near(&self) -> Span {
        match self {
            Self::Never => Span::of(f64::INFINITY),
            Self::Always => Span::of(f64::NEG_INFINITY),
            Self::At(t) => Span::of((*t).into()),
            Self::Root(root) => root.near,
        }
    }

    fn parts(&self) -> Option<(Whole, i32, Whole, Whole)> {
        match self {
            Self::Never | Self::Always => None,
            Self::At(t) => Some((whole(*t), 0, Whole::from(0), whole(1.0))),
            Self::Root(root) => Some(root.parts()),
        }
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        let (x, y) = (self.near(), other.near());
        if matches!(self, Self::Never | Self::Always) || matches!(other, Self::Never | Self::Always)
        {
            return endless(self).cmp(&endless(other));
        }
        if x.1 < y.0 {
            return Ordering::Less;
        }
        if y.1 < x.0 {
            return Ordering::Greater;
        }
        let (Some((p1, s1, q1, r1)), Some((p2, s2, q2, r2))) = (self.parts(), other.parts()) else {
            unreachable!("both are roots or numbers");
        };
        // p1·r2 - p2·r1 + s1·r2·√q1 compared with s2·r1·√q2.
        let whole = &p1 * &r2 - &p2 * &r1;
        sum_of_three(&whole, &(r2 * s1), &q1, &(r1 * -s2), &q2)
    }
}

/// Whether a time is before or after all others.
fn endless(time: &Time) -> i32 {
    match time {
        Time::Always => -1,
        Time::At(_) | Time::Root(_) => 0,
        Time::Never => 1,
    }
}

fn sign(x: &Whole) -> Ordering {
    x.cmp(&Whole::from(0))
}

/// The sign of `x + y`, which are given by their signs and the order of their squares.
fn sum(x: Ordering, y: Ordering, squares: impl FnOnce() -> Ordering) -> Ordering {
    if x == y || y == Ordering::Equal {
        return x;
    }
    if x == Ordering::Equal {
        return y;
    }
    match squares() {
        Ordering::Greater => x,
        Ordering::Equal => Ordering::Equal,
        Ordering::Less => y,
    }
}

/// The sign of `a + b·√q`.
fn sum_of_two(a: &Whole, b: &Whole, q: &Whole) -> Ordering {
    let root = sign(b);
    let root = if sign(q) == Ordering::Equal { Ordering::Equal } else { root };
    sum(sign(a), root, || (a * a).cmp(&(b * b * q)))
}

/// The sign of `a + b·√q + c·√r`.
fn sum_of_three(a: &Whole, b: &Whole, q: &Whole, c: &Whole, r: &Whole) -> Ordering {
    let third = if sign(r) == Ordering::Equal { Ordering::Equal } else { sign(c) };
    sum(sum_of_two(a, b, q), third, || {
        // (a + b·√q)² compared with c²·r.
        let whole = a * a + b * b * q - c * c * r;
        sum_of_two(&whole, &((a * b) << 1), q)
    })
}

/// Goal: the comparison of roots is right. Method: known roots.
#[test]
fn roots_are_in_order() {
    let of = |x: f32| Difference::new(x, 0.0);
    // (t - 1)(t - 3) = t² - 4t + 3, and (t - 1)(t - 2).
    let root = |d: f32, g: f32, n: f32, greater| Root::at(of(d), of(g), of(n), greater);
    let [one, three] = [false, true].map(|greater| root(-4.0, 2.0, -3.0, greater));
    let [also_one, two] = [false, true].map(|greater| root(-3.0, 2.0, -2.0, greater));
    // The same with the sign reversed.
    let [still_one, also_three] = [false, true].map(|greater| root(4.0, -2.0, 3.0, greater));
    assert!(one == also_one && one == still_one && one == Time::At(1.0));
    assert!(three == also_three && three == Time::At(3.0) && two == Time::At(2.0));
    assert!(one < two && two < three && Time::Always < one && three < Time::Never);
    assert!(one < Time::At(1.0_f32.next_up()) && one > Time::At(1.0_f32.next_down()));
    // √2 of t² = 2, √3 of t² = 3, and 1 + √2 of t² - 2t = 1.
    let [root_two, root_three] = [2.0, 3.0].map(|n| root(0.0, 2.0, n, true));
    assert!(root_two < root_three && root_two > Time::At(std::f32::consts::SQRT_2.next_down()));
    let more = root(-2.0, 2.0, 1.0, true);
    assert!(more > root_three && more == root(2.0, -2.0, -1.0, true));
    assert_eq!(more.cmp(&root(-4.0, 4.0, 2.0, true)), Ordering::Equal);
    assert_eq!(root(0.0, 2.0, 2.0, false).cmp(&root(0.0, 1.0, 1.0, false)), Ordering::Equal);
    assert!(root(0.0, 2.0, 3.0, false) < root(0.0, 2.0, 2.0, false));
    assert_eq!(discriminant(of(4.0), of(-2.0), of(4.0)), Ordering::Equal);
    assert_eq!(discriminant(of(4.0), of(-2.0), of(4.0_f32.next_up())), Ordering::Less);
}
