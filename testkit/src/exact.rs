//! Exact times of contact of two moving boxes.
//!
//! Every float is an integer multiple of 2⁻¹⁴⁹, so the differences of a sweep are integers, its times are
//! fractions of them, and two times are compared by products. Neither code nor formulas are those of `swath`:
//! the tick is intersected with the interval of overlap on each axis.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

use num_rational::{BigRational, Ratio};
use swath::MovingBox;
use swath::batch::{Contact, ContactState};

/// The integer type of a [`BigRational`].
pub trait Parts {
    type Whole;
}

impl<T> Parts for Ratio<T> {
    type Whole = T;
}

pub type Whole = <BigRational as Parts>::Whole;

/// The exponent of the least float.
pub const TINY: i32 = 149;

/// `x · 2¹⁴⁹` of a finite `x`.
pub fn whole(x: f32) -> Whole {
    let exponent = (x.to_bits() >> 23 & 0xff) as i32;
    let digits = i64::from(x.to_bits() & 0x7f_ffff);
    let digits = if exponent == 0 { digits } else { digits | 1 << 23 };
    let positive = Whole::from(digits) << (exponent - 1).max(0);
    if x.is_sign_negative() { -positive } else { positive }
}

/// A fraction with a positive denominator, not reduced.
#[derive(Clone, Debug)]
pub struct Fraction {
    above: Whole,
    below: Whole,
}

impl Fraction {
    pub fn new(above: Whole, below: Whole) -> Self {
        if below < Whole::from(0) {
            Self { above: -above, below: -below }
        } else {
            Self { above, below }
        }
    }

    /// A float without rounding.
    pub fn of(x: f32) -> Self {
        Self::new(whole(x), Whole::from(1) << TINY)
    }

    /// `self · 2^-relative + 2^-absolute`.
    pub fn slack(&self, relative: i32, absolute: i32) -> Self {
        let above = (&self.above << absolute) + (&self.below << relative);
        Self::new(above, &self.below << (relative + absolute))
    }

    /// Approximate value for messages.
    pub fn approximately(&self) -> f64 {
        let ratio = BigRational::new(self.above.clone(), self.below.clone());
        let digits = |x: &Whole| x.to_string().parse::<f64>().unwrap_or(f64::NAN);
        digits(ratio.numer()) / digits(ratio.denom())
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }
}

impl Add<&Fraction> for &Fraction {
    type Output = Fraction;

    fn add(self, other: &Fraction) -> Fraction {
        let above = &self.above * &other.below + &other.above * &self.below;
        Fraction::new(above, &self.below * &other.below)
    }
}

impl Sub<&Fraction> for &Fraction {
    type Output = Fraction;

    fn sub(self, other: &Fraction) -> Fraction {
        let above = &self.above * &other.below - &other.above * &self.below;
        Fraction::new(above, &self.below * &other.below)
    }
}

/// The contact of a tick.
pub struct Exact {
    pub state: ContactState,
    /// The intersection with the tick; of a pair that never touches `first` is after `last`.
    pub first: Fraction,
    pub last: Fraction,
    /// No axis is apart at all times, so the two times above show how narrow a miss was.
    pub narrow: bool,
    /// When each axis starts to overlap; `None` for an axis that does not change.
    pub enter: [Option<Fraction>; 3],
    /// As [`Contact::axis_mask`].
    pub axes: u8,
    /// Axes of contact with a normal that points down.
    pub down: u8,
    pub closing: bool,
}

/// The contact of `a` and `b`. Both must be valid.
pub fn sweep(a: &MovingBox, b: &MovingBox) -> Exact {
    let (mut first, mut last) = (Fraction::of(0.0), Fraction::of(1.0));
    let mut enter = [None, None, None];
    let (mut never, mut apart, mut rising) = (false, false, 0);
    let (mut touched, mut touched_below, mut pressed) = (0, 0, 0);
    for (axis, enter) in enter.iter_mut().enumerate() {
        let d = whole(b.delta[axis]) - whole(a.delta[axis]);
        // How far `b` must rise until the two touch, and until they separate again.
        let meet = whole(a.aabb.min[axis]) - whole(b.aabb.max[axis]);
        let part = whole(a.aabb.max[axis]) - whole(b.aabb.min[axis]);
        let zero = Whole::from(0);
        let apart_here = meet > zero || part < zero;
        apart |= apart_here;
        if d == zero {
            never |= apart_here;
        } else {
            let (near, far) = if d > zero { (&meet, &part) } else { (&part, &meet) };
            let near = Fraction::new(near.clone(), d.clone());
            let far = Fraction::new(far.clone(), d.clone());
            first = first.max(near.clone());
            last = last.min(far);
            *enter = Some(near);
        }
        rising |= u8::from(d > zero) << axis;
        if part == zero || meet == zero {
            touched |= 1 << axis;
            touched_below |= u8::from(part != zero) << axis;
            let inwards = if part == zero { d < zero } else { d > zero };
            pressed |= u8::from(inwards && part != meet) << axis;
        }
    }
    let (mut axes, mut down, mut closing) = (touched, touched_below, pressed == touched);
    if apart {
        let enters_last = |axis: &usize| enter[*axis].as_ref() == Some(&first);
        axes = (0..3).filter(enters_last).map(|axis| 1 << axis).sum();
        (down, closing) = (axes & rising, true);
    }
    let state = match (never || first > last, apart) {
        (true, _) => ContactState::Separated,
        (false, true) => ContactState::Touching,
        (false, false) => ContactState::Overlapping,
    };
    Exact { state, first, last, narrow: !never, enter, axes, down, closing }
}

/// Axes of contact on which the normal points down.
pub fn down(contact: Contact) -> u8 {
    (contact.bits() >> 3 & 7) as u8
}
