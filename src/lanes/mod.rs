//! SIMD vectors, and one kernel source compiled for several instruction sets.
//!
//! A kernel is written once against the traits here and is compiled once per [`Level`]. The token
//! of a level (an [`Isa`]) proves that the CPU has the instructions. Vectors are created from the
//! token, so they exist only where the token does. [`Level::run`] enters the level once per chunk
//! of work, never per element.
//!
//! Guarantee: every operation gives the same bits on every level. Therefore there is no fused
//! multiply-add, no reciprocal estimate and no horizontal reduction, and `min` and `max` are
//! defined here as compare-and-select. The bits of a NaN are the one exception; no output of the
//! crate contains a NaN.
//!
//! Pitfall: a closure inside a kernel is compiled without the instructions of the level. Kernels
//! consist of plain statements and `#[inline(always)]` functions.

#![allow(
    unsafe_code,
    reason = "intrinsics are used here only; each block has a comment with a proof"
)]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod level;
mod pages;
mod portable;
mod prefetch;
mod scalar;
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_f64;
pub(crate) mod vectors;

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

pub use level::{Level, UnknownLevel};
pub(crate) use level::{run_portable, run_scalar};
pub(crate) use pages::{LARGE_PAGE, request_large_pages};
pub(crate) use portable::Portable4;
pub(crate) use prefetch::{prefetch, prefetch_to_write};
pub(crate) use scalar::Scalar;
pub(crate) use table::{LoadColumns, Table};

/// The greatest number of lanes of any level. Buffers are padded to a multiple of it.
pub(crate) const LANES_MAX: usize = 16;

/// The index of each lane.
pub(crate) const IOTA: [u32; LANES_MAX] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// [`LANES_MAX`] floats, aligned to a cache line: the element type of owned columns.
pub(crate) type Block = wide::f32x16;

/// A function that a level can run: the fields are its arguments, and [`Kernel::run`] is its body.
pub(crate) trait Kernel {
    type Output;
    /// Whether AVX-512 makes the kernel faster. Otherwise it is not compiled for AVX-512, and the level `avx512` runs it
    /// with AVX2.
    #[cfg_attr(
        not(all(target_arch = "x86_64", target_feature = "sse2")),
        expect(dead_code, reason = "only x86-64 has AVX-512")
    )]
    const WIDE: bool = true;
    /// Runs the kernel.
    ///
    /// Must be `#[inline(always)]`, and so must everything that it calls in a loop.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// Arithmetic on groups of consecutive rows that a level can run ([`Level::run_groups`]).
pub(crate) trait GroupKernel {
    /// As [`Kernel::WIDE`].
    const WIDE: bool = true;
    /// Processes rows `start..start + LANES`, of which the first `seen` were processed before: the
    /// last group starts early enough to be full, and gives the same results for these rows again.
    ///
    /// Returns whether to continue with further rows. Must be `#[inline(always)]`.
    fn group<I: Isa>(&mut self, isa: I, start: usize, seen: usize) -> bool;
}

/// The loop over the groups of this many rows.
struct Groups<K> {
    rows: usize,
    kernel: K,
}

impl<K: GroupKernel> Kernel for Groups<K> {
    type Output = ();

    const WIDE: bool = K::WIDE;

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let mut row = 0;
        while row < self.rows {
            let start = row.min(self.rows - I::LANES);
            if !self.kernel.group(isa, start, row - start) {
                return;
            }
            row += I::LANES;
        }
    }
}

/// An instruction set: a token that proves that the CPU has it and that creates its vectors.
pub trait Isa: Copy + Debug + Send + Sync {
    /// Number of elements of a vector.
    const LANES: usize;
    type F32: F32Lanes<Mask = Self::Mask, U32 = Self::U32>;
    type U32: U32Lanes<Mask = Self::Mask>;
    type Mask: MaskLanes;
    /// Number of elements of a vector of `f64`.
    const LANES_F64: usize;
    type F64: F64Lanes;

    /// Returns a vector with `x` in every lane.
    fn splat(self, x: f32) -> Self::F32;
    /// Returns a vector with `x` in every lane.
    fn splat_u32(self, x: u32) -> Self::U32;
    /// Loads the first [`Isa::LANES`] elements. Panics when there are fewer.
    fn load(self, from: &[f32]) -> Self::F32;
    /// Loads the first [`Isa::LANES`] elements. Panics when there are fewer.
    fn load_u32(self, from: &[u32]) -> Self::U32;
    /// Returns a vector with `x` in every lane.
    fn splat_f64(self, x: f64) -> Self::F64;
    /// Loads the first [`Isa::LANES_F64`] elements. Panics when there are fewer.
    fn load_f64(self, from: &[f64]) -> Self::F64;
    /// Writes lane `k` of `a` and of `b` to `to[k]`, for at least the first `count` lanes.
    ///
    /// Panics when `to` is shorter than the vector.
    fn store_pairs(self, a: Self::U32, b: Self::U32, count: usize, to: &mut [[u32; 2]]);
    /// Writes lane `k` of the three columns to `to[k]`, for at least the first `count` lanes.
    ///
    /// Panics when `to` is shorter than the vector.
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

    /// Writes lane `k` of the four columns to words `at..at + 4` of `to[k]`.
    ///
    /// Panics when `to` is shorter than the vector or its rows are shorter than `at + 4` words.
    fn store_rows<const WORDS: usize>(
        self,
        columns: [Self::U32; 4],
        to: &mut [[u32; WORDS]],
        at: usize,
    );

    /// Gathers rows and transposes them into columns.
    ///
    /// Element `[q][w]` of the result is the vector of word `4q + w` of the rows `which`, for the
    /// first [`Isa::LANES`] of them. Panics when `which` is shorter than the vector, when a row is
    /// out of range, or when a row has fewer words than there are columns.
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

/// A vector of `f32`. Comparisons with NaN are false, except [`F32Lanes::unordered`].
pub trait F32Lanes:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    type Mask: MaskLanes;
    type U32: U32Lanes<Mask = Self::Mask>;

    /// Returns `if self < other { self } else { other }`: `other` when either is NaN or both are
    /// zero.
    fn min(self, other: Self) -> Self;
    /// Returns `if self > other { self } else { other }`: `other` when either is NaN or both are
    /// zero.
    fn max(self, other: Self) -> Self;
    /// Clears the sign bit, also that of a NaN.
    fn abs(self) -> Self;
    /// Returns the square root, rounded to nearest. It is NaN for a negative number.
    fn sqrt(self) -> Self;
    fn lt(self, other: Self) -> Self::Mask;
    fn le(self, other: Self) -> Self::Mask;
    fn eq(self, other: Self) -> Self::Mask;
    /// Returns the mask of lanes in which at least one of the two is NaN.
    fn unordered(self, other: Self) -> Self::Mask;
    /// Returns `yes` where `mask` is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Converts to integers, rounding towards zero. Lanes outside of `[0, 2^31)` are unspecified.
    fn trunc(self) -> Self::U32;
    /// Reinterprets the bits as integers.
    fn to_bits(self) -> Self::U32;
    /// Reinterprets the bits as floats.
    fn from_bits(bits: Self::U32) -> Self;
    /// Writes all lanes to the start of `to`. Panics when `to` is shorter than the vector.
    fn store(self, to: &mut [f32]);
}

/// A vector of `f64`. Comparisons with NaN are false.
pub trait F64Lanes:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    type Mask: MaskLanes;

    /// Returns `if self < other { self } else { other }`: `other` when either is NaN or both are
    /// zero.
    fn min(self, other: Self) -> Self;
    /// Returns `if self > other { self } else { other }`: `other` when either is NaN or both are
    /// zero.
    fn max(self, other: Self) -> Self;
    /// Clears the sign bit, also that of a NaN.
    fn abs(self) -> Self;
    /// Returns the square root, rounded to nearest. It is NaN for a negative number.
    fn sqrt(self) -> Self;
    fn lt(self, other: Self) -> Self::Mask;
    fn le(self, other: Self) -> Self::Mask;
    /// Returns `yes` where `mask` is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Writes all lanes to the start of `to`. Panics when `to` is shorter than the vector.
    fn store(self, to: &mut [f64]);
}

/// A vector of `u32`.
pub trait U32Lanes: Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> {
    type Mask: MaskLanes;

    /// Returns the sum modulo 2³².
    fn wrapping_add(self, other: Self) -> Self;
    /// Returns the product modulo 2³².
    fn wrapping_mul(self, other: Self) -> Self;
    /// Returns the mask of equal lanes.
    fn eq(self, other: Self) -> Self::Mask;
    /// Returns the lesser. Lanes of `2^31` or more are unspecified.
    fn min(self, other: Self) -> Self;
    /// Returns the greater. Lanes of `2^31` or more are unspecified.
    fn max(self, other: Self) -> Self;
    /// Shifts left by `N` bits. `N` must be less than 32.
    fn shl<const N: i32>(self) -> Self;
    /// Returns the mask of lanes in which `self & other` is zero.
    fn disjoint(self, other: Self) -> Self::Mask;
    /// Returns the mask of lanes in which neither half of `self & other` is zero.
    fn halves_meet(self, other: Self) -> Self::Mask;
    /// Returns `yes` where `mask` is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Moves the lanes set in `mask` to the front, in order. The remaining lanes are unspecified.
    fn compress(self, mask: Self::Mask) -> Self;
    /// Writes all lanes to the start of `to`. Panics when `to` is shorter than the vector.
    fn store(self, to: &mut [u32]);
}

/// A mask: one truth value per lane.
pub trait MaskLanes:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Returns the mask as bits: bit `k` is lane `k`, and all higher bits are zero.
    fn bits(self) -> u32;
    /// Returns the number of lanes that are set.
    #[inline(always)]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }
}
