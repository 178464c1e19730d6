//! The scalar level: one lane of plain Rust, against which every other level is tested.

use super::{F32Lanes, F64Lanes, Isa, MaskLanes, U32Lanes};

/// The token of the scalar level: one element at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

impl Isa for Scalar {
    const LANES: usize = 1;
    type F32 = f32;
    type U32 = u32;
    type Mask = bool;
    const LANES_F64: usize = 1;
    type F64 = f64;

    #[inline(always)]
    fn splat(self, x: f32) -> f32 {
        x
    }

    #[inline(always)]
    fn splat_u32(self, x: u32) -> u32 {
        x
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> f32 {
        from[0]
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> u32 {
        from[0]
    }

    #[inline(always)]
    fn splat_f64(self, x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64]) -> f64 {
        from[0]
    }

    #[inline(always)]
    fn store_pairs(self, a: u32, b: u32, _: usize, to: &mut [[u32; 2]]) {
        to[0] = [a, b];
    }

    #[inline(always)]
    fn store_rows<const WORDS: usize>(self, columns: [u32; 4], to: &mut [[u32; WORDS]], at: usize) {
        to[0][at..at + 4].copy_from_slice(&columns);
    }
}

impl F32Lanes for f32 {
    type Mask = bool;
    type U32 = u32;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(self.to_bits() & 0x7fff_ffff)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        #[cfg(feature = "std")]
        let root = Self::sqrt(self);
        #[cfg(not(feature = "std"))]
        let root = libm::sqrtf(self);
        root
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self == other
    }

    #[inline(always)]
    fn unordered(self, other: Self) -> bool {
        self.is_nan() | other.is_nan()
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn trunc(self) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn to_bits(self) -> u32 {
        Self::to_bits(self)
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        Self::from_bits(bits)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[0] = self;
    }
}

impl F64Lanes for f64 {
    type Mask = bool;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(self.to_bits() & (u64::MAX >> 1))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        #[cfg(feature = "std")]
        let root = Self::sqrt(self);
        #[cfg(not(feature = "std"))]
        let root = libm::sqrt(self);
        root
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        to[0] = self;
    }
}

impl U32Lanes for u32 {
    type Mask = bool;

    #[inline(always)]
    fn wrapping_mul(self, other: Self) -> Self {
        Self::wrapping_mul(self, other)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self == other
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        Self::wrapping_add(self, other)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Ord::min(self, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Ord::max(self, other)
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        self << N
    }

    #[inline(always)]
    fn disjoint(self, other: Self) -> bool {
        self & other == 0
    }

    #[inline(always)]
    fn halves_meet(self, other: Self) -> bool {
        let both = self & other;
        both & 0xffff != 0 && both >> 16 != 0
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn compress(self, _: bool) -> Self {
        self
    }

    #[inline(always)]
    fn store(self, to: &mut [u32]) {
        to[0] = self;
    }
}

impl MaskLanes for bool {
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }
}
