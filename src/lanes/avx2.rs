//! The AVX2 level: eight lanes, available at run time regardless of the build's target features.
//!
//! The vectors are the types of `core::arch`, and each operation is one of its intrinsics or a few. `wide` is not used here, because it
//! selects its instructions at compile time, and this crate selects them at run time.

use super::table::assert_rows;
use super::{F32Lanes, F64Lanes, Isa, Kernel, MaskLanes, U32Lanes};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

/// Token that proves that this CPU has AVX2. The field is private; only [`Avx2::detect`] creates
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Avx2(());

/// Eight `f32`. Can only be created from an [`Avx2`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x8(__m256);

/// Eight `u32`. Can only be created from an [`Avx2`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct U32x8(__m256i);

/// Eight truth values, each all ones or all zeros. Can only be created from an [`Avx2`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask8(__m256i);

/// Four `f64`. Can only be created from an [`Avx2`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F64x4(__m256d);

/// Four truth values, each all ones or all zeros. Can only be created from an [`Avx2`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskF64x4(__m256d);

/// Evaluates intrinsics on the vectors in scope.
macro_rules! avx2 {
    ($e:expr) => {
        // SAFETY: the CPU has AVX2: each vector or token in scope stems from `Avx2::detect`.
        // Loads and stores are given arrays of their full width, or an address whose range a comment or
        // an assertion before the block proves.
        unsafe { $e }
    };
}

impl Avx2 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let has = std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt");
        #[cfg(not(feature = "std"))]
        let has = cfg!(all(
            target_feature = "avx2",
            target_feature = "bmi1",
            target_feature = "bmi2",
            target_feature = "lzcnt",
            target_feature = "popcnt"
        ));
        has.then_some(Self(()))
    }

    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn enter<K: Kernel>(isa: Avx2, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the CPU has every feature that `enter` enables.
        unsafe { enter(self, kernel) }
    }
}

impl Isa for Avx2 {
    const LANES: usize = 8;
    type F32 = F32x8;
    type U32 = U32x8;
    type Mask = Mask8;
    const LANES_F64: usize = 4;
    type F64 = F64x4;

    #[inline(always)]
    fn splat(self, x: f32) -> F32x8 {
        avx2!(F32x8(_mm256_set1_ps(x)))
    }

    #[inline(always)]
    fn splat_u32(self, x: u32) -> U32x8 {
        avx2!(U32x8(_mm256_set1_epi32(x.cast_signed())))
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> F32x8 {
        let from: &[f32; 8] = from[..8].try_into().unwrap();
        avx2!(F32x8(_mm256_loadu_ps(from.as_ptr())))
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> U32x8 {
        let from: &[u32; 8] = from[..8].try_into().unwrap();
        avx2!(U32x8(_mm256_loadu_si256(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn splat_f64(self, x: f64) -> F64x4 {
        avx2!(F64x4(_mm256_set1_pd(x)))
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64]) -> F64x4 {
        let from: &[f64; 4] = from[..4].try_into().unwrap();
        avx2!(F64x4(_mm256_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store_pairs(self, a: U32x8, b: U32x8, count: usize, to: &mut [[u32; 2]]) {
        let to: &mut [[u32; 2]; 8] = (&mut to[..8]).try_into().unwrap();
        avx2!({
            let low = _mm256_unpacklo_epi32(a.0, b.0);
            let high = _mm256_unpackhi_epi32(a.0, b.0);
            let to: *mut __m256i = to.as_mut_ptr().cast();
            _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(low, high));
            // Usually few lanes are needed, so skip the second half if none of it is.
            if count > 4 {
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(low, high));
            }
        });
    }

    #[inline(always)]
    fn store_rows<const WORDS: usize>(
        self,
        columns: [U32x8; 4],
        to: &mut [[u32; WORDS]],
        at: usize,
    ) {
        let to: &mut [[u32; WORDS]; 8] = (&mut to[..8]).try_into().unwrap();
        // So the four words from `at` are inside a row. Do not write `at + 4 <= WORDS`: the sum may wrap around.
        assert!(at <= WORDS && WORDS - at >= 4);
        // Half `h` of `rows[r]` becomes row `4h + r`; its words are written to `to[4h + r][at..]`.
        avx2!({
            let [U32x8(a), U32x8(b), U32x8(c), U32x8(d)] = columns;
            let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            let rows = [
                _mm256_unpacklo_epi64(ab_low, cd_low),
                _mm256_unpackhi_epi64(ab_low, cd_low),
                _mm256_unpacklo_epi64(ab_high, cd_high),
                _mm256_unpackhi_epi64(ab_high, cd_high),
            ];
            for (r, &row) in rows.iter().enumerate() {
                let words = to[r].as_mut_ptr().add(at);
                _mm_storeu_si128(words.cast(), _mm256_castsi256_si128(row));
                let words = to[4 + r].as_mut_ptr().add(at);
                _mm_storeu_si128(words.cast(), _mm256_extracti128_si256::<1>(row));
            }
        });
    }

    #[inline(always)]
    fn gather_rows<const WORDS: usize, const QUADS: usize>(
        self,
        rows: &[[u32; WORDS]],
        which: &[u32],
    ) -> [[U32x8; 4]; QUADS] {
        let which: &[u32; 8] = which[..8].try_into().unwrap();
        assert!(4 * QUADS <= WORDS);
        assert_rows(which, rows.len());
        let mut out = [[self.splat_u32(0); 4]; QUADS];
        for (quad, out) in out.iter_mut().enumerate() {
            // Half `h` of vector `r` is loaded from four words of row `which[4h + r]`; then each
            // half is transposed. Every address is inside `rows`, because row and word were
            // checked.
            *out = avx2!({
                let words = |k: usize| {
                    rows.as_ptr()
                        .add(which[k] as usize)
                        .cast::<u32>()
                        .add(4 * quad)
                        .cast::<__m128i>()
                };
                let mut four = [_mm256_setzero_si256(); 4];
                for (r, rows) in four.iter_mut().enumerate() {
                    let low = _mm256_castsi128_si256(_mm_loadu_si128(words(r)));
                    *rows = _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(words(4 + r)));
                }
                let (ab_low, cd_low) = (
                    _mm256_unpacklo_epi32(four[0], four[1]),
                    _mm256_unpackhi_epi32(four[0], four[1]),
                );
                let (ab_high, cd_high) = (
                    _mm256_unpacklo_epi32(four[2], four[3]),
                    _mm256_unpackhi_epi32(four[2], four[3]),
                );
                [
                    U32x8(_mm256_unpacklo_epi64(ab_low, ab_high)),
                    U32x8(_mm256_unpackhi_epi64(ab_low, ab_high)),
                    U32x8(_mm256_unpacklo_epi64(cd_low, cd_high)),
                    U32x8(_mm256_unpackhi_epi64(cd_low, cd_high)),
                ]
            });
        }
        out
    }
}

/// Implements binary operators of vectors and masks as one intrinsic each.
macro_rules! operators {
    ($type:ident: $($trait:ident $name:ident = $intrinsic:ident),+) => {$(
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                avx2!(Self($intrinsic(self.0, other.0)))
            }
        }
    )+};
}

operators!(F32x8: Add add = _mm256_add_ps, Sub sub = _mm256_sub_ps,
    Mul mul = _mm256_mul_ps, Div div = _mm256_div_ps);
operators!(U32x8: BitAnd bitand = _mm256_and_si256, BitOr bitor = _mm256_or_si256);
operators!(Mask8: BitAnd bitand = _mm256_and_si256, BitOr bitor = _mm256_or_si256);
operators!(F64x4: Add add = _mm256_add_pd, Sub sub = _mm256_sub_pd,
    Mul mul = _mm256_mul_pd, Div div = _mm256_div_pd);
operators!(MaskF64x4: BitAnd bitand = _mm256_and_pd, BitOr bitor = _mm256_or_pd);

impl Not for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        avx2!(Self(_mm256_xor_si256(self.0, _mm256_set1_epi32(-1))))
    }
}

impl F32x8 {
    #[inline(always)]
    fn compare<const PREDICATE: i32>(self, other: Self) -> Mask8 {
        avx2!(Mask8(_mm256_castps_si256(_mm256_cmp_ps::<PREDICATE>(self.0, other.0))))
    }
}

impl F32Lanes for F32x8 {
    type Mask = Mask8;
    type U32 = U32x8;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        avx2!(Self(_mm256_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        avx2!(Self(_mm256_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        avx2!(Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        avx2!(Self(_mm256_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Mask8 {
        self.compare::<_CMP_LT_OQ>(other)
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask8 {
        self.compare::<_CMP_LE_OQ>(other)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask8 {
        self.compare::<_CMP_EQ_OQ>(other)
    }

    #[inline(always)]
    fn unordered(self, other: Self) -> Mask8 {
        self.compare::<_CMP_UNORD_Q>(other)
    }

    #[inline(always)]
    fn select(mask: Mask8, yes: Self, no: Self) -> Self {
        avx2!(Self(_mm256_blendv_ps(no.0, yes.0, _mm256_castsi256_ps(mask.0))))
    }

    #[inline(always)]
    fn trunc(self) -> U32x8 {
        avx2!(U32x8(_mm256_cvttps_epi32(self.0)))
    }

    #[inline(always)]
    fn to_bits(self) -> U32x8 {
        avx2!(U32x8(_mm256_castps_si256(self.0)))
    }

    #[inline(always)]
    fn from_bits(bits: U32x8) -> Self {
        avx2!(Self(_mm256_castsi256_ps(bits.0)))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to: &mut [f32; 8] = (&mut to[..8]).try_into().unwrap();
        avx2!(_mm256_storeu_ps(to.as_mut_ptr(), self.0));
    }
}

/// Entry `m` lists the set bits of `m` from the lowest: the source lane of each lane of the result.
static FRONT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut filled) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][filled] = lane as u8;
                filled += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

impl U32Lanes for U32x8 {
    type Mask = Mask8;

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        avx2!(Self(_mm256_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn wrapping_mul(self, other: Self) -> Self {
        avx2!(Self(_mm256_mullo_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask8 {
        avx2!(Mask8(_mm256_cmpeq_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        avx2!(Self(_mm256_min_epu32(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        avx2!(Self(_mm256_max_epu32(self.0, other.0)))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        avx2!(Self(_mm256_slli_epi32::<N>(self.0)))
    }

    #[inline(always)]
    fn disjoint(self, other: Self) -> Mask8 {
        avx2!(Mask8(_mm256_cmpeq_epi32((self & other).0, _mm256_setzero_si256())))
    }

    #[inline(always)]
    fn halves_meet(self, other: Self) -> Mask8 {
        avx2!({
            let empty = _mm256_cmpeq_epi16((self & other).0, _mm256_setzero_si256());
            Mask8(_mm256_cmpeq_epi32(empty, _mm256_setzero_si256()))
        })
    }

    #[inline(always)]
    fn select(mask: Mask8, yes: Self, no: Self) -> Self {
        // With a byte blend the compiler would widen masks byte by byte.
        F32x8::select(mask, F32x8::from_bits(yes), F32x8::from_bits(no)).to_bits()
    }

    #[inline(always)]
    fn compress(self, mask: Mask8) -> Self {
        let from = &FRONT[(mask.bits() & 0xff) as usize];
        avx2!({
            let from = _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.as_ptr().cast()));
            Self(_mm256_permutevar8x32_epi32(self.0, from))
        })
    }

    #[inline(always)]
    fn store(self, to: &mut [u32]) {
        let to: &mut [u32; 8] = (&mut to[..8]).try_into().unwrap();
        avx2!(_mm256_storeu_si256(to.as_mut_ptr().cast(), self.0));
    }
}

impl MaskLanes for Mask8 {
    #[inline(always)]
    fn bits(self) -> u32 {
        avx2!(_mm256_movemask_ps(_mm256_castsi256_ps(self.0)).cast_unsigned())
    }
}

impl Not for MaskF64x4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        avx2!({
            let ones = _mm256_castsi256_pd(_mm256_set1_epi32(-1));
            Self(_mm256_xor_pd(self.0, ones))
        })
    }
}

impl F64Lanes for F64x4 {
    type Mask = MaskF64x4;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        avx2!(Self(_mm256_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        avx2!(Self(_mm256_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        avx2!(Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        avx2!(Self(_mm256_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> MaskF64x4 {
        avx2!(MaskF64x4(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> MaskF64x4 {
        avx2!(MaskF64x4(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: MaskF64x4, yes: Self, no: Self) -> Self {
        avx2!(Self(_mm256_blendv_pd(no.0, yes.0, mask.0)))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to: &mut [f64; 4] = (&mut to[..4]).try_into().unwrap();
        avx2!(_mm256_storeu_pd(to.as_mut_ptr(), self.0));
    }
}

impl MaskLanes for MaskF64x4 {
    #[inline(always)]
    fn bits(self) -> u32 {
        avx2!(_mm256_movemask_pd(self.0).cast_unsigned())
    }
}
