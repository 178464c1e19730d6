//! First time at which a quadratic falls to zero.
//!
//! The function is `gap + rate·τ + half_accel·τ²` with `gap > 0`. The earlier of its two roots is
//! computed with the form that does not cancel (Kahan 2004, "On the cost of floating-point
//! computation without extra-precise arithmetic"; Higham 2002, §1.8). Rounding of the discriminant
//! moves a double root by much, but the quadratic at it by no more than some 2⁻⁵⁰ of `gap`: a
//! caller who searches for a little more than zero is never late.
//!
//! The product of `gap` and `half_accel` must not underflow: those of valid motions are above 10⁻²⁰⁰.
//!
//! Units: `τ` is a time. The result is never NaN, never negative, and rounded down by 2⁻⁵⁰.

use super::math::sqrt;

/// Factor that makes a root earlier, so that it is never late.
const EARLIER: f64 = 1.0 - 4.0 * f64::EPSILON;

/// Bound of the rounding error of a discriminant, relative to its terms.
const GRAZE: f64 = 4.0 * f64::EPSILON;

/// Returns the least `τ ≥ 0` at which `gap + rate·τ + half_accel·τ² ≤ 0`; infinity if none exists.
#[inline(always)]
pub(super) fn first_root(gap: f64, rate: f64, half_accel: f64) -> f64 {
    if gap <= 0.0 {
        return 0.0;
    }
    let root = if half_accel == 0.0 {
        if rate < 0.0 { gap / -rate } else { f64::INFINITY }
    } else {
        let square = rate * rate - 4.0 * (half_accel * gap);
        // A graze counts as a touch: rounding alone can turn a double root into a miss.
        if half_accel > 0.0 && (rate >= 0.0 || square < -GRAZE * (rate * rate)) {
            return f64::INFINITY;
        }
        let root = if square > 0.0 { sqrt(square) } else { 0.0 };
        if rate <= 0.0 { 2.0 * gap / (root - rate) } else { (root + rate) / (-2.0 * half_accel) }
    };
    root * EARLIER
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: roots are right to the last digits, and early. Method: quadratics made of their roots.
    #[test]
    fn a_root_is_early_by_little() {
        for first in [1e-60, 1e-30, 1e-8, 0.25, 1.0, 3e7] {
            for ratio in [1.0 + 1e-9, 2.0, 1e5, 1e12] {
                for half_accel in [1e-60, 1e-3, 1.0, 1e20] {
                    let (second, other) = (first * ratio, -first * ratio);
                    // Two roots ahead: down and up again. One behind: down at the last one.
                    let ahead = first_root(
                        half_accel * first * second,
                        -half_accel * (first + second),
                        half_accel,
                    );
                    let down = first_root(
                        -half_accel * first * other,
                        half_accel * (first + other),
                        -half_accel,
                    );
                    for root in [ahead, down] {
                        let near = if ratio < 1.1 { 1e-6 } else { 1e-13 };
                        assert!(
                            root <= first * (1.0 + near),
                            "{root} {first} {ratio} {half_accel}"
                        );
                        assert!(
                            root >= first * (1.0 - near),
                            "{root} {first} {ratio} {half_accel}"
                        );
                    }
                }
            }
        }
    }

    /// Goal: a function that turns before it reaches zero has no root, also if it only just does not reach it; one that just reaches
    /// zero has one. Method: parabolas whose least value is above, at and below zero; powers of two, so that the double root is exact.
    #[test]
    fn a_function_that_turns_above_zero_has_no_root() {
        for half_accel in [1.0 / 1024.0, 1.0, 4096.0] {
            for turn in [1.0 / 1024.0, 1.0, 1048576.0] {
                let (gap, rate) = (half_accel * turn * turn, -2.0 * half_accel * turn);
                for above in [1e-14, 1e-9, 0.5, 3.0] {
                    let root = first_root(gap * (1.0 + above), rate, half_accel);
                    assert_eq!(root, f64::INFINITY, "{half_accel} {turn} {above}");
                }
                let touch = first_root(gap, rate, half_accel);
                assert_eq!(touch, turn * EARLIER, "{half_accel} {turn}");
                let crossing = first_root(gap * 0.75, rate, half_accel);
                assert!((crossing / turn - 0.5).abs() < 1e-14, "{half_accel} {turn} {crossing}");
            }
        }
    }

    /// Goal: no input makes an invalid root. Method: every triple of hostile numbers.
    #[test]
    fn a_root_is_a_time() {
        let numbers = [0.0, 1e-310, 1e-200, 1e-20, 1.0, 1e20, 1e72];
        for gap in numbers {
            for rate in numbers.into_iter().chain(numbers.map(|x| -x)) {
                for half_accel in numbers.into_iter().chain(numbers.map(|x| -x)) {
                    let root = first_root(gap, rate, half_accel);
                    assert!(root >= 0.0, "{gap} {rate} {half_accel}: {root}");
                    let never = gap > 0.0 && rate >= 0.0 && half_accel >= 0.0;
                    assert!(!never || root == f64::INFINITY, "{gap} {rate} {half_accel}: {root}");
                    assert!(gap > 0.0 || root == 0.0);
                }
            }
        }
    }
}
