//! Exact sign of a sum of products of floats.
//!
//! A float is an integer times a power of two, and so is a product of floats. Terms are converted to one
//! power and added as integers: of 128 bits if they fit, otherwise of any size.

use std::cmp::Ordering;
use std::ops::{Mul, Neg};

use num_rational::BigRational;

/// A sum that does not fit has more bits than this in one of at most 64 terms.
const FITS: i32 = 120;

/// `digits · 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    digits: i128,
    exponent: i32,
}

impl Term {
    /// A finite float without rounding.
    pub fn of(x: f32) -> Self {
        let exponent = (x.to_bits() >> 23 & 0xff) as i32;
        let digits = i128::from(x.to_bits() & 0x7f_ffff);
        let digits = if exponent == 0 { digits } else { digits | 1 << 23 };
        let digits = if x.is_sign_negative() { -digits } else { digits };
        Self { digits, exponent: exponent.max(1) - 150 }
    }

    /// `whole · 2^exponent`.
    pub fn whole(digits: i128, exponent: i32) -> Self {
        Self { digits, exponent }
    }

    pub fn abs(self) -> Self {
        Self { digits: self.digits.abs(), ..self }
    }
}

impl Mul for Term {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { digits: self.digits * other.digits, exponent: self.exponent + other.exponent }
    }
}

impl Neg for Term {
    type Output = Self;

    fn neg(self) -> Self {
        Self { digits: -self.digits, ..self }
    }
}

/// The terms of `(a - b)²`.
pub fn square(a: f32, b: f32) -> [Term; 3] {
    let (a, b) = (Term::of(a), Term::of(b));
    [a * a, -(Term::whole(2, 0) * a * b), b * b]
}

/// The sum of all terms, compared with zero.
pub fn sign(terms: &[Term]) -> Ordering {
    let terms = || terms.iter().filter(|term| term.digits != 0);
    let Some(least) = terms().map(|term| term.exponent).min() else {
        return Ordering::Equal;
    };
    let bits = |term: &Term| 128 - term.digits.unsigned_abs().leading_zeros() as i32;
    if terms().all(|term| bits(term) + (term.exponent - least) <= FITS) {
        let sum: i128 = terms().map(|term| term.digits << (term.exponent - least)).sum();
        return sum.cmp(&0);
    }
    let zero = BigRational::from_integer(0.into());
    let (zero, mut sum) = (zero.numer(), zero.numer().clone());
    for term in terms() {
        let mut digits = zero + term.digits;
        digits <<= (term.exponent - least) as usize;
        sum += digits;
    }
    sum.cmp(zero)
}
