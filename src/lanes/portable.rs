//! The portable levels: four and eight lanes of `wide` on any target, with the instructions that
//! the build enables (SSE2, NEON, wasm `simd128`, or plain arrays).

use super::{F32Lanes, F64Lanes, Isa, MaskLanes, U32Lanes};
use bytemuck::cast;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

/// Defines a portable level: its token, and its three vector types on top of `wide`.
macro_rules! portable {
    ($isa:ident, $lanes:literal, $f32:ident($wide_f32:ty), $u32:ident($wide_u32:ty),
     $mask:ident, $wide_i32:ty, $lanes_f64:literal, $f64:ident($wide_f64:ty), $mask_f64:ident) => {
        #[doc = concat!($lanes, " lanes from `wide`, on any CPU.")]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $isa;

        #[doc = concat!($lanes, " `f32`.")]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $f32($wide_f32);

        #[doc = concat!($lanes, " `u32`.")]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $u32($wide_u32);

        #[doc = concat!($lanes, " truth values, each all ones or all zeros.")]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $mask($wide_u32);

        #[doc = concat!($lanes_f64, " `f64`.")]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $f64($wide_f64);

        #[doc = concat!($lanes_f64, " truth values, each all ones or all zeros.")]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $mask_f64($wide_f64);

        impl Isa for $isa {
            const LANES: usize = $lanes;
            type F32 = $f32;
            type U32 = $u32;
            type Mask = $mask;
            const LANES_F64: usize = $lanes_f64;
            type F64 = $f64;

            #[inline(always)]
            fn splat(self, x: f32) -> $f32 {
                $f32(<$wide_f32>::splat(x))
            }

            #[inline(always)]
            fn splat_u32(self, x: u32) -> $u32 {
                $u32(<$wide_u32>::splat(x))
            }

            #[inline(always)]
            fn load(self, from: &[f32]) -> $f32 {
                let lanes: [f32; $lanes] = from[..$lanes].try_into().unwrap();
                $f32(cast(lanes))
            }

            #[inline(always)]
            fn load_u32(self, from: &[u32]) -> $u32 {
                let lanes: [u32; $lanes] = from[..$lanes].try_into().unwrap();
                $u32(cast(lanes))
            }

            #[inline(always)]
            fn splat_f64(self, x: f64) -> $f64 {
                $f64(<$wide_f64>::splat(x))
            }

            #[inline(always)]
            fn load_f64(self, from: &[f64]) -> $f64 {
                let lanes: [f64; $lanes_f64] = from[..$lanes_f64].try_into().unwrap();
                $f64(cast(lanes))
            }

            #[inline(always)]
            fn store_pairs(self, a: $u32, b: $u32, _: usize, to: &mut [[u32; 2]]) {
                let a: [u32; $lanes] = cast(a.0);
                let b: [u32; $lanes] = cast(b.0);
                for (pair, (a, b)) in to[..$lanes].iter_mut().zip(a.into_iter().zip(b)) {
                    *pair = [a, b];
                }
            }

            #[inline(always)]
            fn store_rows<const WORDS: usize>(
                self,
                columns: [$u32; 4],
                to: &mut [[u32; WORDS]],
                at: usize,
            ) {
                let columns: [[u32; $lanes]; 4] =
                    [cast(columns[0].0), cast(columns[1].0), cast(columns[2].0), cast(columns[3].0)];
                for (k, row) in to[..$lanes].iter_mut().enumerate() {
                    let words = [columns[0][k], columns[1][k], columns[2][k], columns[3][k]];
                    row[at..at + 4].copy_from_slice(&words);
                }
            }

            #[inline(always)]
            fn store_triples(self, columns: [$u32; 3], _: usize, to: &mut [[u32; 3]]) {
                let columns: [[u32; $lanes]; 3] =
                    [cast(columns[0].0), cast(columns[1].0), cast(columns[2].0)];
                for (k, row) in to[..$lanes].iter_mut().enumerate() {
                    *row = [columns[0][k], columns[1][k], columns[2][k]];
                }
            }

            #[inline(always)]
            fn gather_rows<const WORDS: usize, const QUADS: usize>(
                self,
                rows: &[[u32; WORDS]],
                which: &[u32],
            ) -> [[$u32; 4]; QUADS] {
                let which: [u32; $lanes] = which[..$lanes].try_into().unwrap();
                let mut out = [[self.splat_u32(0); 4]; QUADS];
                let mut word = 0;
                while word < 4 * QUADS {
                    let mut lanes = [0; $lanes];
                    let mut k = 0;
                    while k < $lanes {
                        lanes[k] = rows[which[k] as usize][word];
                        k += 1;
                    }
                    out[word / 4][word % 4] = $u32(cast(lanes));
                    word += 1;
                }
                out
            }
        }

        portable!(@operator $f32 Add add, Sub sub, Mul mul, Div div);
        portable!(@operator $u32 BitAnd bitand, BitOr bitor);
        portable!(@operator $mask BitAnd bitand, BitOr bitor);
        portable!(@operator $f64 Add add, Sub sub, Mul mul, Div div);
        portable!(@operator $mask_f64 BitAnd bitand, BitOr bitor);

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl Not for $mask_f64 {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl MaskLanes for $mask_f64 {
            #[inline(always)]
            fn bits(self) -> u32 {
                self.0.to_bitmask()
            }
        }

        impl F64Lanes for $f64 {
            type Mask = $mask_f64;

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let (mut a, b): ([f64; $lanes_f64], [f64; $lanes_f64]) = (cast(self.0), cast(other.0));
                let mut k = 0;
                while k < $lanes_f64 {
                    a[k] = if a[k] < b[k] { a[k] } else { b[k] };
                    k += 1;
                }
                Self(cast(a))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let (mut a, b): ([f64; $lanes_f64], [f64; $lanes_f64]) = (cast(self.0), cast(other.0));
                let mut k = 0;
                while k < $lanes_f64 {
                    a[k] = if a[k] > b[k] { a[k] } else { b[k] };
                    k += 1;
                }
                Self(cast(a))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                let mut lanes: [u64; $lanes_f64] = cast(self.0);
                for lane in &mut lanes {
                    *lane &= u64::MAX >> 1;
                }
                Self(cast(lanes))
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }

            #[inline(always)]
            fn lt(self, other: Self) -> $mask_f64 {
                $mask_f64(self.0.simd_lt(other.0))
            }

            #[inline(always)]
            fn le(self, other: Self) -> $mask_f64 {
                $mask_f64(self.0.simd_le(other.0))
            }

            #[inline(always)]
            fn select(mask: $mask_f64, yes: Self, no: Self) -> Self {
                Self(mask.0.select(yes.0, no.0))
            }

            #[inline(always)]
            fn store(self, to: &mut [f64]) {
                to[..$lanes_f64].copy_from_slice(&cast::<$wide_f64, [f64; $lanes_f64]>(self.0));
            }
        }

        impl F32Lanes for $f32 {
            type Mask = $mask;
            type U32 = $u32;

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(self.0.simd_lt(other.0).select(self.0, other.0))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(self.0.simd_gt(other.0).select(self.0, other.0))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                Self(cast(cast::<$wide_f32, $wide_u32>(self.0) & <$wide_u32>::splat(0x7fff_ffff)))
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }

            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                $mask(cast(self.0.simd_lt(other.0)))
            }

            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                $mask(cast(self.0.simd_le(other.0)))
            }

            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                $mask(cast(self.0.simd_eq(other.0)))
            }

            #[inline(always)]
            fn unordered(self, other: Self) -> $mask {
                !(self.eq(self) & other.eq(other))
            }

            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                Self(cast::<$wide_u32, $wide_f32>(mask.0).select(yes.0, no.0))
            }

            #[inline(always)]
            fn trunc(self) -> $u32 {
                $u32(cast(self.0.fast_trunc_int()))
            }

            #[inline(always)]
            fn to_bits(self) -> $u32 {
                $u32(cast(self.0))
            }

            #[inline(always)]
            fn from_bits(bits: $u32) -> Self {
                Self(cast(bits.0))
            }

            #[inline(always)]
            fn store(self, to: &mut [f32]) {
                to[..$lanes].copy_from_slice(&cast::<$wide_f32, [f32; $lanes]>(self.0));
            }
        }

        impl U32Lanes for $u32 {
            type Mask = $mask;

            #[inline(always)]
            fn wrapping_mul(self, other: Self) -> Self {
                Self(self.0 * other.0)
            }

            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                $mask(self.0.simd_eq(other.0))
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let (a, b): ($wide_i32, $wide_i32) = (cast(self.0), cast(other.0));
                Self(cast(a.simd_lt(b).select(a, b)))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let (a, b): ($wide_i32, $wide_i32) = (cast(self.0), cast(other.0));
                Self(cast(a.simd_gt(b).select(a, b)))
            }

            #[inline(always)]
            fn shl<const N: i32>(self) -> Self {
                Self(self.0 << N)
            }

            #[inline(always)]
            fn disjoint(self, other: Self) -> $mask {
                $mask((self.0 & other.0).simd_eq(<$wide_u32>::splat(0)))
            }

            #[inline(always)]
            fn halves_meet(self, other: Self) -> $mask {
                let (low, high) = (<$wide_u32>::splat(0xffff), <$wide_u32>::splat(!0xffff));
                let both = self & other;
                !(both.disjoint(Self(low)) | both.disjoint(Self(high)))
            }

            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                Self(mask.0.select(yes.0, no.0))
            }

            #[inline(always)]
            fn compress(self, mask: $mask) -> Self {
                let lanes: [u32; $lanes] = cast(self.0);
                let bits = mask.bits();
                let mut front = [0; $lanes];
                let mut filled = 0;
                for (k, lane) in lanes.into_iter().enumerate() {
                    // At most `k` lanes have been placed before this one, so the index is in range.
                    front[Ord::min(filled, k)] = lane;
                    filled += (bits >> k & 1) as usize;
                }
                Self(cast(front))
            }

            #[inline(always)]
            fn store(self, to: &mut [u32]) {
                to[..$lanes].copy_from_slice(&cast::<$wide_u32, [u32; $lanes]>(self.0));
            }
        }

        impl MaskLanes for $mask {
            #[inline(always)]
            fn bits(self) -> u32 {
                cast::<$wide_u32, $wide_f32>(self.0).to_bitmask()
            }
        }
    };
    (@operator $lanes:ident $($trait:ident $name:ident),+) => {$(
        impl $trait for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self($trait::$name(self.0, other.0))
            }
        }
    )+};
}

portable!(
    Portable4,
    4,
    F32x4(wide::f32x4),
    U32x4(wide::u32x4),
    Mask4,
    wide::i32x4,
    2,
    F64x2(wide::f64x2),
    MaskF64x2
);
#[cfg(any(test, feature = "all-levels"))]
portable!(
    Portable8,
    8,
    F32x8(wide::f32x8),
    U32x8(wide::u32x8),
    Mask8,
    wide::i32x8,
    4,
    F64x4(wide::f64x4),
    MaskF64x4
);
