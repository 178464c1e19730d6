//! Reads a fraction of two numbers of any length, and rounds it to `f64` with a bound of the error.
//!
//! The published queries of continuous collision are exact fractions. Most of them are powers of two of integers, and so exactly a
//! `f64`; for the others the distance of two rounded points may differ from the exact one by four times the bound.

use num_bigint::{BigInt, BigUint, Sign};

/// The greatest power of ten of a number in scientific notation.
const EXPONENT_MAX: i64 = 4096;

/// Why a fraction cannot be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoNumber {
    #[error("{0:?} is not a number")]
    Text(String),
    #[error("{0:?} has an exponent of more than {EXPONENT_MAX}")]
    Exponent(String),
    #[error("the denominator is zero")]
    Zero,
    #[error("a fraction is larger than any f64")]
    Large,
}

/// Rounds `numerator / denominator`, and bounds the error; it is 0 if the fraction is a `f64`.
pub(crate) fn round(numerator: &str, denominator: &str) -> Result<(f64, f64), NoNumber> {
    if let (Some(numerator), Some(denominator)) = (small(numerator), small(denominator))
        && denominator.unsigned_abs().is_power_of_two()
    {
        return Ok((numerator as f64 / denominator as f64, 0.0));
    }
    let (above, above_ten) = number(numerator)?;
    let (below, below_ten) = number(denominator)?;
    if below.sign() == Sign::NoSign {
        return Err(NoNumber::Zero);
    }
    let negative = above.sign() != below.sign();
    let (mut above, mut below) = (above.into_parts().1, below.into_parts().1);
    let ten = above_ten - below_ten;
    let power = BigUint::from(10_u32).pow(ten.unsigned_abs() as u32);
    *(if ten > 0 { &mut above } else { &mut below }) *= power;
    let (rounded, error) = divide(above, below)?;
    Ok((if negative { -rounded } else { rounded }, error))
}

/// A number that `f64` represents, in plain digits.
fn small(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.unsigned_abs() <= 1 << 53)
}

/// Reads an integer, a decimal fraction, or scientific notation, as an integer and a power of ten.
fn number(text: &str) -> Result<(BigInt, i64), NoNumber> {
    let bad = || NoNumber::Text(shown(text));
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => {
            let plain = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(bad());
            }
            let in_range = exponent.parse().ok().filter(|e: &i64| e.abs() <= EXPONENT_MAX);
            (digits, in_range.ok_or_else(|| NoNumber::Exponent(shown(text)))?)
        }
        None => (text, 0),
    };
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits.strip_prefix('+').unwrap_or(digits)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [whole, fraction].concat();
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(bad());
    }
    let magnitude = BigUint::parse_bytes(all.as_bytes(), 10).ok_or_else(bad)?;
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Ok((BigInt::from_biguint(sign, magnitude), exponent - fraction.len() as i64))
}

/// The start of a text, for messages.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Divides and rounds to a neighbouring `f64`.
fn divide(above: BigUint, below: BigUint) -> Result<(f64, f64), NoNumber> {
    if above.bits() == 0 {
        return Ok((0.0, 0.0));
    }
    // Shift so that the quotient has 64 or 65 bits, of which a `f64` keeps 53.
    let shift = 64 + below.bits() as i64 - above.bits() as i64;
    let (above, below) = if shift > 0 { (above << shift, below) } else { (above, below << -shift) };
    let quotient = &above / &below;
    let exact = &quotient * &below == above;
    let quotient = u128::try_from(quotient).expect("it has at most 65 bits");
    let digits = quotient as f64;
    // Powers of two in two steps, because one may be less than any `f64`.
    let half = (-shift / 2).clamp(-1100, 1100);
    let rest = (-shift - half).clamp(-1100, 1100);
    let rounded = digits * power_of_two(half) * power_of_two(rest);
    if !rounded.is_finite() {
        return Err(NoNumber::Large);
    }
    if exact && digits as u128 == quotient && rounded.abs() > 1e-290 {
        return Ok((rounded, 0.0));
    }
    // Two roundings of half a unit in the last place each, or an underflow.
    Ok((rounded, rounded * f64::EPSILON + f64::MIN_POSITIVE))
}

/// `2^exponent`, or zero or infinity if `f64` does not represent it.
fn power_of_two(exponent: i64) -> f64 {
    2.0_f64.powi(exponent as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: fractions of `f64` are exact, and all others are within the bound. Method: numbers with known values in each notation.
    #[test]
    fn fractions_are_rounded_within_the_bound() {
        for (above, below, exact) in [
            ("3589935", "67108864", 3_589_935.0 / 67_108_864.0),
            ("-1", "4", -0.25),
            ("0", "7", 0.0),
            ("25e-2", "1", 0.25),
            ("+1.5E3", "3.0", 500.0),
            ("1e40", "1e39", 10.0),
            ("-36893488147419103232", "-18446744073709551616", 2.0),
        ] {
            assert_eq!(round(above, below), Ok((exact, 0.0)), "{above} / {below}");
        }
        for (above, below, near) in [
            ("1", "3", 1.0_f64 / 3.0),
            ("2", "-30000000000000000000000000000000000000000", -2.0 / 3e40),
            ("1e-400", "1", 0.0),
            ("9007199254740993", "1", 9_007_199_254_740_992.0),
            ("1e4000", "3e3999", 10.0 / 3.0),
        ] {
            let (rounded, error) = round(above, below).expect("a number");
            assert!(error > 0.0 && error <= near.abs() * 1e-15 + 1e-300, "{above} / {below}");
            assert!((rounded - near).abs() <= error, "{above} / {below}: {rounded}");
        }
    }

    /// Goal: a text that is not a number is rejected, and a hostile exponent costs nothing. Method: each kind of fault.
    #[test]
    fn texts_that_are_not_numbers_are_rejected() {
        for bad in ["", "-", "x", "1x", "1e", "1e+", "nan", "inf", "0x10", "1.2.3", "--1", "1e1.5"]
        {
            assert_eq!(round(bad, "3"), Err(NoNumber::Text(bad.to_owned())));
        }
        for large in ["1e99999", "1e-99999", "1e999999999999999999999"] {
            assert_eq!(round(large, "3"), Err(NoNumber::Exponent(large.to_owned())));
        }
        assert_eq!(round("1", "0"), Err(NoNumber::Zero));
        assert_eq!(round("1e400", "1"), Err(NoNumber::Large));
        assert_eq!(round("1e4000", "3"), Err(NoNumber::Large));
    }
}
