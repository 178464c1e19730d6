//! How does one kernel text run on every CPU?
//!
//! A kernel is written once against the traits here and compiled once per [`Level`]. The
//! level's token (an [`Isa`]) proves that the CPU has the instructions; vectors are made from
//! the token, so they exist only where it did. [`Level::run`] enters the level once per chunk
//! of work, never per element.
//!
//! Promise: every operation gives the same bits on every level. So there is no fused
//! multiply-add, no reciprocal estimate and no reduction in lane order, and `min` and `max`
//! are defined here as compare-and-select. The bits of a NaN are the one exception: no answer
//! of swath holds one.
//!
//! Trap: a closure inside a kernel is compiled without the level's instructions. Kernels are
//! plain statements and `#[inline(always)]` functions.

#![allow(unsafe_code, reason = "the one home of intrinsics; every block carries its proof")]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod level;
mod portable;
mod prefetch;
mod scalar;
mod table;
#[cfg(test)]
mod tests;

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

pub(crate) use level::run_scalar;
pub use level::{Level, UnknownLevel};
pub(crate) use prefetch::{prefetch, prefetch_to_write};
pub(crate) use scalar::Scalar;
pub(crate) use table::{Columns, Table};

/// The most lanes any level has; what buffers are padded to.
pub(crate) const LANES_MAX: usize = 16;

/// The number of each lane.
pub(crate) const IOTA: [u32; LANES_MAX] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// [`LANES_MAX`] floats, aligned to a cache line: what owned columns are made of.
pub(crate) type Block = wide::f32x16;

/// Work that a level can run: the arguments are the fields, the text is [`Kernel::run`].
pub(crate) trait Kernel {
    type Output;
    /// Must be `#[inline(always)]`, as must everything it calls in a loop.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// An instruction set: the proof that the CPU has it, and the maker of its vectors.
pub trait Isa: Copy + Debug + Send + Sync {
    /// How many elements a vector holds.
    const LANES: usize;
    type F32: F32Lanes<Mask = Self::Mask, U32 = Self::U32>;
    type U32: U32Lanes<Mask = Self::Mask>;
    type Mask: MaskLanes;

    /// `x` in every lane.
    fn splat(self, x: f32) -> Self::F32;
    /// `x` in every lane.
    fn splat_u32(self, x: u32) -> Self::U32;
    /// The first [`Isa::LANES`] elements; panics when there are fewer.
    fn load(self, from: &[f32]) -> Self::F32;
    /// The first [`Isa::LANES`] elements; panics when there are fewer.
    fn load_u32(self, from: &[u32]) -> Self::U32;
    /// Writes lane `k` of `a` and of `b` to `to[k]` for the first `count` lanes at least; panics
    /// when `to` is shorter than the lanes.
    fn store_pairs(self, a: Self::U32, b: Self::U32, count: usize, to: &mut [[u32; 2]]);
    /// Writes lane `k` of the columns to `to[k]` for the first `count` lanes at least; panics when
    /// `to` is shorter than the lanes.
    #[inline(always)]
    fn store_triples(self, columns: [Self::U32; 3], count: usize, to: &mut [[u32; 3]]) {
        let mut words = [[0; LANES_MAX]; 3];
        for (column, words) in columns.into_iter().zip(&mut words) {
            column.store(words);
        }
        let count = count.min(Self::LANES);
        for (lane, to) in to[..Self::LANES].iter_mut().enumerate().take(count) {
            *to = [words[0][lane], words[1][lane], words[2][lane]];
        }
    }

    /// Writes lane `k` of the four columns to words `at..at + 4` of `to[k]`; panics when `to` is
    /// shorter than the lanes or its rows end before `at + 4`.
    fn store_rows<const WORDS: usize>(
        self,
        columns: [Self::U32; 4],
        to: &mut [[u32; WORDS]],
        at: usize,
    );

    /// Column `4q + w` of the rows `which`, for the first [`Isa::LANES`] of them, is element `w` of
    /// element `q`; panics when there are fewer, one is out of range, or the columns are more
    /// than the words.
    #[inline(always)]
    fn gather_rows<const WORDS: usize, const QUADS: usize>(
        self,
        rows: &[[u32; WORDS]],
        which: &[u32],
    ) -> [[Self::U32; 4]; QUADS] {
        let mut columns = [[[0; LANES_MAX]; 4]; QUADS];
        for (lane, &row) in which[..Self::LANES].iter().enumerate() {
            let row = &rows[row as usize];
            for (quad, columns) in columns.iter_mut().enumerate() {
                for (word, column) in columns.iter_mut().enumerate() {
                    column[lane] = row[4 * quad + word];
                }
            }
        }
        let mut out = [[self.splat_u32(0); 4]; QUADS];
        for (out, column) in out.iter_mut().flatten().zip(columns.iter().flatten()) {
            *out = self.load_u32(column);
        }
        out
    }
}

/// A vector of `f32`. Comparisons with a NaN are false, except [`F32Lanes::unordered`].
pub trait F32Lanes:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    type Mask: MaskLanes;
    type U32: U32Lanes<Mask = Self::Mask>;

    /// `if self < other { self } else { other }`: `other` when either is NaN or both are zero.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: `other` when either is NaN or both are zero.
    fn max(self, other: Self) -> Self;
    /// Clears the sign, of a NaN too.
    fn abs(self) -> Self;
    /// The square root, rounded to nearest; NaN of what is below zero.
    fn sqrt(self) -> Self;
    fn lt(self, other: Self) -> Self::Mask;
    fn le(self, other: Self) -> Self::Mask;
    fn eq(self, other: Self) -> Self::Mask;
    /// Where at least one of the two is NaN.
    fn unordered(self, other: Self) -> Self::Mask;
    /// `yes` where `mask` is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Rounds towards zero. For lanes in `[0, 2^31)`; of others the value is unspecified.
    fn trunc(self) -> Self::U32;
    /// The same bits as whole numbers.
    fn to_bits(self) -> Self::U32;
    /// The same bits as floats.
    fn from_bits(bits: Self::U32) -> Self;
    /// Writes the first lanes of `to`; panics when it is shorter than the lanes.
    fn store(self, to: &mut [f32]);
}

/// A vector of `u32`.
pub trait U32Lanes: Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> {
    type Mask: MaskLanes;

    /// The sum modulo 2³².
    fn wrapping_add(self, other: Self) -> Self;
    /// The lesser, for lanes below `2^31`; of others the value is unspecified.
    fn min(self, other: Self) -> Self;
    /// The greater, for lanes below `2^31`; of others the value is unspecified.
    fn max(self, other: Self) -> Self;
    /// Shifts left by `N` bits, `N < 32`.
    fn shl<const N: i32>(self) -> Self;
    /// Where no bit of `self & other` is set.
    fn disjoint(self, other: Self) -> Self::Mask;
    /// `yes` where `mask` is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Moves the lanes set in `mask` to the front, in order; the rest is unspecified.
    fn compress(self, mask: Self::Mask) -> Self;
    /// Writes the first lanes of `to`; panics when it is shorter than the lanes.
    fn store(self, to: &mut [u32]);
}

/// One truth value per lane.
pub trait MaskLanes:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Bit `k` is lane `k`; bits past the lanes are zero.
    fn bits(self) -> u32;
    /// How many lanes are set.
    #[inline(always)]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }
}
