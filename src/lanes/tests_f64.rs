//! Tests that every level gives the same bits of `f64` as the scalar one.
//!
//! Each operation is tested on every pair of hostile numbers, in every lane, on every level of this CPU.

extern crate std;

use super::*;
use alloc::vec;
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An interpreter is given one of this many numbers, because it takes a thousand times as long.
pub(super) const STEP: usize = if cfg!(miri) { 11 } else { 1 };

/// Floats at which an operation changes. Each is tested with its neighbours and with both signs.
const DOUBLES: [f64; 12] = [
    f64::from_bits(1),
    f64::MIN_POSITIVE,
    1e-200,
    1.0 / 3.0,
    0.5,
    1.0,
    3.0,
    9_007_199_254_740_992.0,
    1e200,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
];

/// Number of results of [`Operations`] for a pair of numbers.
const RESULTS: usize = 11;

/// Computes every operation on two columns.
struct Operations<'a> {
    a: &'a [f64],
    b: &'a [f64],
    out: &'a mut [Vec<u64>; RESULTS],
}

impl Kernel for Operations<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let mut row = 0;
        while row < self.a.len() {
            let (a, b) = (isa.load_f64(&self.a[row..]), isa.load_f64(&self.b[row..]));
            let (yes, no) = (isa.splat_f64(1.0), isa.splat_f64(0.0));
            let (lt, le) = (a.lt(b), a.le(b));
            let results = [
                a + b,
                a - b,
                a * b,
                a / b,
                F64Lanes::min(a, b),
                F64Lanes::max(a, b),
                F64Lanes::abs(a),
                F64Lanes::sqrt(a),
                F64Lanes::select(lt, yes, no),
                F64Lanes::select(!(lt | le), a, b),
                F64Lanes::select(le & !lt, a, b),
            ];
            for (result, out) in results.into_iter().zip(&mut *self.out) {
                let mut lanes = [0.0; 8];
                result.store(&mut lanes);
                // The bits of a NaN that was computed may differ.
                let bits = |x: &f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
                out.extend(lanes[..I::LANES_F64].iter().map(bits));
            }
            let bits = F64Lanes::select(lt, yes, no);
            let mut lanes = [0.0; 8];
            bits.store(&mut lanes);
            for (lane, &set) in lanes[..I::LANES_F64].iter().enumerate() {
                assert_eq!(lt.bits() >> lane & 1 == 1, set == 1.0);
            }
            assert_eq!(lt.bits() >> I::LANES_F64, 0);
            assert_eq!((lt | !lt).count(), I::LANES_F64);
            row += I::LANES_F64;
        }
    }
}

fn results(level: Level, a: &[f64], b: &[f64]) -> [Vec<u64>; RESULTS] {
    let mut out = [(); RESULTS].map(|()| Vec::new());
    level.run(Operations { a, b, out: &mut out });
    out
}

/// Goal: every operation on `f64` gives the bits of the scalar level. Method: every pair of hostile numbers, in every
/// lane, on every level.
#[test]
fn f64_operations_give_the_same_bits_on_every_level() {
    let around = |x: f64| [x.to_bits() - 1, x.to_bits(), x.to_bits() + 1];
    let all = DOUBLES.into_iter().flat_map(around).flat_map(|x| [x, x | 1 << 63]);
    let all: Vec<f64> = all.map(f64::from_bits).step_by(STEP).chain([0.0, -0.0]).collect();
    for shift in 0..8 {
        let [mut a, mut b] = [vec![all[0]; shift], vec![all[0]; shift]];
        for &x in &all {
            a.extend(all.iter().map(|_| x));
            b.extend(&all);
        }
        let len = a.len().next_multiple_of(8);
        a.resize(len, 1.0);
        b.resize(len, 1.0);
        let expected = results(Level::SCALAR, &a, &b);
        assert_eq!(expected[0].len(), len);
        for level in Level::all() {
            assert_eq!(results(level, &a, &b), expected, "{level}");
        }
    }
}

/// Loads from, or stores to, a slice that is one element too short.
struct TooShort {
    stores: bool,
}

impl Kernel for TooShort {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let mut memory = [1.0; 8];
        let short = &mut memory[..I::LANES_F64 - 1];
        if self.stores {
            isa.splat_f64(0.0).store(short);
        } else {
            isa.load_f64(short).store(&mut [0.0; 8]);
        }
    }
}

/// Goal: a slice that is too short is never accessed past its end. Method: every level panics.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn f64_access_past_the_end_panics() {
    for level in Level::all() {
        for stores in [false, true] {
            let run = || level.run(TooShort { stores });
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{level}");
        }
    }
}
