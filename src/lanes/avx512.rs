//! The AVX-512 level: sixteen lanes, available at run time regardless of the build's target
//! features.
//!
//! As in `avx2.rs`, vectors are the types of `core::arch`, and operations are its intrinsics. A mask has one bit per lane, so it fits into a
//! mask register.

use super::table::assert_rows;
use super::{F32Lanes, F64Lanes, Isa, Kernel, MaskLanes, U32Lanes};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

/// Token that proves that this CPU has AVX-512 F, BW, DQ and VL. Only [`Avx512::detect`] creates
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Avx512(());

/// Sixteen `f32`. Can only be created from an [`Avx512`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x16(__m512);

/// Sixteen `u32`. Can only be created from an [`Avx512`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct U32x16(__m512i);

/// Sixteen truth values, one bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask16(__mmask16);

/// Eight `f64`. Can only be created from an [`Avx512`] token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F64x8(__m512d);

/// Eight truth values, one bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskF64x8(__mmask8);

/// Evaluates intrinsics on the vectors in scope.
macro_rules! avx512 {
    ($e:expr) => {
        // SAFETY: the CPU has AVX-512 F, BW, DQ and VL: each vector or token in scope stems from
        // `Avx512::detect`. Loads and stores are given arrays of their full width, or an address
        // whose range a comment or an assertion before the block proves.
        unsafe { $e }
    };
}

/// Permutation indices that interleave three columns into three vectors of 16 words.
///
/// Without `third` they interleave the first two columns; an index of 16 or more is a lane of the
/// second column. With `third` they keep those words and insert the third column, whose lanes have
/// the indices of 16 or more.
const fn triples(third: bool) -> [[i32; 16]; 3] {
    let mut lanes = [[0; 16]; 3];
    let mut word = 0;
    while word < 48 {
        let (lane, column) = (word / 3, word % 3);
        lanes[word / 16][word % 16] = if third {
            (if column == 2 { 16 + lane } else { word % 16 }) as i32
        } else {
            (lane + 16 * (column % 2)) as i32
        };
        word += 1;
    }
    lanes
}

impl Avx512 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let has = std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt");
        #[cfg(not(feature = "std"))]
        let has = cfg!(all(
            target_feature = "avx512f",
            target_feature = "avx512bw",
            target_feature = "avx512dq",
            target_feature = "avx512vl",
            target_feature = "bmi1",
            target_feature = "bmi2",
            target_feature = "lzcnt",
            target_feature = "popcnt"
        ));
        has.then_some(Self(()))
    }

    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
        fn enter<K: Kernel>(isa: Avx512, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the CPU has every feature that `enter` enables.
        unsafe { enter(self, kernel) }
    }
}

impl Isa for Avx512 {
    const LANES: usize = 16;
    type F32 = F32x16;
    type U32 = U32x16;
    type Mask = Mask16;
    const LANES_F64: usize = 8;
    type F64 = F64x8;

    #[inline(always)]
    fn splat(self, x: f32) -> F32x16 {
        avx512!(F32x16(_mm512_set1_ps(x)))
    }

    #[inline(always)]
    fn splat_u32(self, x: u32) -> U32x16 {
        avx512!(U32x16(_mm512_set1_epi32(x.cast_signed())))
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> F32x16 {
        let from: &[f32; 16] = from[..16].try_into().unwrap();
        avx512!(F32x16(_mm512_loadu_ps(from.as_ptr())))
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> U32x16 {
        let from: &[u32; 16] = from[..16].try_into().unwrap();
        avx512!(U32x16(_mm512_loadu_si512(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn splat_f64(self, x: f64) -> F64x8 {
        avx512!(F64x8(_mm512_set1_pd(x)))
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64]) -> F64x8 {
        let from: &[f64; 8] = from[..8].try_into().unwrap();
        avx512!(F64x8(_mm512_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store_pairs(self, a: U32x16, b: U32x16, count: usize, to: &mut [[u32; 2]]) {
        let to: &mut [[u32; 2]; 16] = (&mut to[..16]).try_into().unwrap();
        avx512!({
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let to: *mut __m512i = to.as_mut_ptr().cast();
            _mm512_storeu_si512(to, _mm512_permutex2var_epi32(a.0, low, b.0));
            // Usually few lanes are needed, so skip the second half if none of it is.
            if count > 8 {
                let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
                let pairs = _mm512_permutex2var_epi32(a.0, high, b.0);
                _mm512_storeu_si512(to.add(1), pairs);
            }
        });
    }

    #[inline(always)]
    fn store_triples(self, [a, b, c]: [U32x16; 3], count: usize, to: &mut [[u32; 3]]) {
        let to: &mut [[u32; 3]; 16] = (&mut to[..16]).try_into().unwrap();
        // Words `16q..16q + 16` of the output: first those of `a` and `b`, then those of `c` are
        // inserted.
        const TWO: [[i32; 16]; 3] = triples(false);
        const ALL: [[i32; 16]; 3] = triples(true);
        avx512!({
            let to: *mut __m512i = to.as_mut_ptr().cast();
            for q in 0..3 {
                // Usually few lanes are needed, so skip the vectors that contain none of them.
                if 3 * count > 16 * q {
                    let two = _mm512_loadu_si512(TWO[q].as_ptr().cast());
                    let all = _mm512_loadu_si512(ALL[q].as_ptr().cast());
                    let words = _mm512_permutex2var_epi32(a.0, two, b.0);
                    let words = _mm512_permutex2var_epi32(words, all, c.0);
                    _mm512_storeu_si512(to.add(q), words);
                }
            }
        });
    }

    #[inline(always)]
    fn store_rows<const WORDS: usize>(
        self,
        columns: [U32x16; 4],
        to: &mut [[u32; WORDS]],
        at: usize,
    ) {
        let to: &mut [[u32; WORDS]; 16] = (&mut to[..16]).try_into().unwrap();
        // So the four words from `at` are inside a row. Do not write `at + 4 <= WORDS`: the sum may wrap around.
        assert!(at <= WORDS && WORDS - at >= 4);
        // Quarter `q` of `rows[r]` becomes row `4q + r`; its words are written to `to[4q +
        // r][at..]`.
        avx512!({
            let [U32x16(a), U32x16(b), U32x16(c), U32x16(d)] = columns;
            let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            let rows = [
                _mm512_unpacklo_epi64(ab_low, cd_low),
                _mm512_unpackhi_epi64(ab_low, cd_low),
                _mm512_unpacklo_epi64(ab_high, cd_high),
                _mm512_unpackhi_epi64(ab_high, cd_high),
            ];
            for (r, &row) in rows.iter().enumerate() {
                let words = to[r].as_mut_ptr().add(at);
                _mm_storeu_si128(words.cast(), _mm512_castsi512_si128(row));
                let words = to[4 + r].as_mut_ptr().add(at);
                _mm_storeu_si128(words.cast(), _mm512_extracti32x4_epi32::<1>(row));
                let words = to[8 + r].as_mut_ptr().add(at);
                _mm_storeu_si128(words.cast(), _mm512_extracti32x4_epi32::<2>(row));
                let words = to[12 + r].as_mut_ptr().add(at);
                _mm_storeu_si128(words.cast(), _mm512_extracti32x4_epi32::<3>(row));
            }
        });
    }

    #[inline(always)]
    fn gather_rows<const WORDS: usize, const QUADS: usize>(
        self,
        rows: &[[u32; WORDS]],
        which: &[u32],
    ) -> [[U32x16; 4]; QUADS] {
        let which: &[u32; 16] = which[..16].try_into().unwrap();
        assert!(4 * QUADS <= WORDS);
        assert_rows(which, rows.len());
        let mut out = [[self.splat_u32(0); 4]; QUADS];
        for (quad, out) in out.iter_mut().enumerate() {
            // Quarter `q` of vector `r` is loaded from four words of row `which[4q + r]`; then each
            // quarter is transposed. Every address is inside `rows`, because row and word were
            // checked.
            *out = avx512!({
                let words = |k: usize| {
                    rows.as_ptr()
                        .add(which[k] as usize)
                        .cast::<u32>()
                        .add(4 * quad)
                        .cast::<__m128i>()
                };
                let mut four = [_mm512_setzero_si512(); 4];
                for (r, rows) in four.iter_mut().enumerate() {
                    let first = _mm512_castsi128_si512(_mm_loadu_si128(words(r)));
                    let half = _mm512_inserti32x4::<1>(first, _mm_loadu_si128(words(4 + r)));
                    let most = _mm512_inserti32x4::<2>(half, _mm_loadu_si128(words(8 + r)));
                    *rows = _mm512_inserti32x4::<3>(most, _mm_loadu_si128(words(12 + r)));
                }
                let (ab_low, cd_low) = (
                    _mm512_unpacklo_epi32(four[0], four[1]),
                    _mm512_unpackhi_epi32(four[0], four[1]),
                );
                let (ab_high, cd_high) = (
                    _mm512_unpacklo_epi32(four[2], four[3]),
                    _mm512_unpackhi_epi32(four[2], four[3]),
                );
                [
                    U32x16(_mm512_unpacklo_epi64(ab_low, ab_high)),
                    U32x16(_mm512_unpackhi_epi64(ab_low, ab_high)),
                    U32x16(_mm512_unpacklo_epi64(cd_low, cd_high)),
                    U32x16(_mm512_unpackhi_epi64(cd_low, cd_high)),
                ]
            });
        }
        out
    }
}

/// Implements binary operators of a vector as one intrinsic each.
macro_rules! operators {
    ($vector:ident: $($trait:ident $name:ident = $intrinsic:ident),+) => {$(
        impl $trait for $vector {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                avx512!(Self($intrinsic(self.0, other.0)))
            }
        }
    )+};
}

operators!(F32x16: Add add = _mm512_add_ps, Sub sub = _mm512_sub_ps,
    Mul mul = _mm512_mul_ps, Div div = _mm512_div_ps);
operators!(U32x16: BitAnd bitand = _mm512_and_si512, BitOr bitor = _mm512_or_si512);
operators!(F64x8: Add add = _mm512_add_pd, Sub sub = _mm512_sub_pd,
    Mul mul = _mm512_mul_pd, Div div = _mm512_div_pd);

/// Implements the operators of a mask.
macro_rules! mask_operators {
    ($mask:ident) => {
        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl MaskLanes for $mask {
            #[inline(always)]
            fn bits(self) -> u32 {
                u32::from(self.0)
            }
        }
    };
}

mask_operators!(Mask16);
mask_operators!(MaskF64x8);

impl F32x16 {
    #[inline(always)]
    fn compare<const PREDICATE: i32>(self, other: Self) -> Mask16 {
        avx512!(Mask16(_mm512_cmp_ps_mask::<PREDICATE>(self.0, other.0)))
    }
}

impl F32Lanes for F32x16 {
    type Mask = Mask16;
    type U32 = U32x16;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        avx512!(Self(_mm512_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        avx512!(Self(_mm512_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        avx512!(Self(_mm512_abs_ps(self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        avx512!(Self(_mm512_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Mask16 {
        self.compare::<_CMP_LT_OQ>(other)
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask16 {
        self.compare::<_CMP_LE_OQ>(other)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask16 {
        self.compare::<_CMP_EQ_OQ>(other)
    }

    #[inline(always)]
    fn unordered(self, other: Self) -> Mask16 {
        self.compare::<_CMP_UNORD_Q>(other)
    }

    #[inline(always)]
    fn select(mask: Mask16, yes: Self, no: Self) -> Self {
        avx512!(Self(_mm512_mask_blend_ps(mask.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn trunc(self) -> U32x16 {
        avx512!(U32x16(_mm512_cvttps_epi32(self.0)))
    }

    #[inline(always)]
    fn to_bits(self) -> U32x16 {
        avx512!(U32x16(_mm512_castps_si512(self.0)))
    }

    #[inline(always)]
    fn from_bits(bits: U32x16) -> Self {
        avx512!(Self(_mm512_castsi512_ps(bits.0)))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to: &mut [f32; 16] = (&mut to[..16]).try_into().unwrap();
        avx512!(_mm512_storeu_ps(to.as_mut_ptr(), self.0));
    }
}

impl U32Lanes for U32x16 {
    type Mask = Mask16;

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        avx512!(Self(_mm512_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn wrapping_mul(self, other: Self) -> Self {
        avx512!(Self(_mm512_mullo_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask16 {
        avx512!(Mask16(_mm512_cmpeq_epi32_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        avx512!(Self(_mm512_min_epu32(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        avx512!(Self(_mm512_max_epu32(self.0, other.0)))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        const { assert!(N >= 0 && N < 32) };
        avx512!(Self(_mm512_sllv_epi32(self.0, _mm512_set1_epi32(N))))
    }

    #[inline(always)]
    fn disjoint(self, other: Self) -> Mask16 {
        avx512!(Mask16(_mm512_testn_epi32_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn halves_meet(self, other: Self) -> Mask16 {
        let both = self & other;
        avx512!({
            let low = _mm512_test_epi32_mask(both.0, _mm512_set1_epi32(0xffff));
            let high = _mm512_test_epi32_mask(both.0, _mm512_set1_epi32(!0xffff));
            Mask16(low & high)
        })
    }

    #[inline(always)]
    fn select(mask: Mask16, yes: Self, no: Self) -> Self {
        avx512!(Self(_mm512_mask_blend_epi32(mask.0, no.0, yes.0)))
    }

    // Compress in a register: compressing straight to memory is many times slower on Zen 4.
    #[inline(always)]
    fn compress(self, mask: Mask16) -> Self {
        avx512!(Self(_mm512_maskz_compress_epi32(mask.0, self.0)))
    }

    #[inline(always)]
    fn store(self, to: &mut [u32]) {
        let to: &mut [u32; 16] = (&mut to[..16]).try_into().unwrap();
        avx512!(_mm512_storeu_si512(to.as_mut_ptr().cast(), self.0));
    }
}

impl F64Lanes for F64x8 {
    type Mask = MaskF64x8;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        avx512!(Self(_mm512_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        avx512!(Self(_mm512_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        avx512!(Self(_mm512_abs_pd(self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        avx512!(Self(_mm512_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> MaskF64x8 {
        avx512!(MaskF64x8(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> MaskF64x8 {
        avx512!(MaskF64x8(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: MaskF64x8, yes: Self, no: Self) -> Self {
        avx512!(Self(_mm512_mask_blend_pd(mask.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to: &mut [f64; 8] = (&mut to[..8]).try_into().unwrap();
        avx512!(_mm512_storeu_pd(to.as_mut_ptr(), self.0));
    }
}
