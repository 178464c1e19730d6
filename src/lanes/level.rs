//! Detection of the CPU's instruction sets at run time, and dispatch to them.

use super::portable::Portable4;
#[cfg(any(test, feature = "all-levels"))]
use super::portable::Portable8;
use super::scalar::Scalar;
use super::{GroupKernel, Groups, Isa, Kernel};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::{avx2::Avx2, avx512::Avx512};
use core::fmt;
use core::str::FromStr;

/// An instruction set that this CPU has, and with it a SIMD width.
///
/// Every level gives the same bits; levels differ in speed only. Use [`Level::detect`]. A level is
/// valid only on the machine on which it was created; it cannot be serialised. Write its
/// [name](Level::name) and parse it instead.
///
/// ```
/// use swath::Level;
///
/// let level = Level::detect();
/// assert!(Level::all().any(|one| one == level));
/// assert_eq!("portable4".parse(), Ok(Level::PORTABLE4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level(LevelKind);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum LevelKind {
    #[cfg(any(test, feature = "all-levels"))]
    Scalar,
    Portable4,
    #[cfg(any(test, feature = "all-levels"))]
    Portable8,
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    /// With AVX2 for the kernels that are not [`Kernel::WIDE`].
    Avx512(Avx512, Avx2),
}

impl Level {
    /// One element at a time. The other levels are tested against it. [`Level::detect`] never returns
    /// it, so only the feature `all-levels` compiles it.
    #[cfg(any(test, feature = "all-levels"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "all-levels")))]
    pub const SCALAR: Self = Self(LevelKind::Scalar);
    /// Four lanes with the instructions that the build enables: SSE2, NEON or wasm `simd128`.
    pub const PORTABLE4: Self = Self(LevelKind::Portable4);
    /// Eight lanes with the instructions that the build enables. [`Level::detect`] never returns it,
    /// so only the feature `all-levels` compiles it.
    #[cfg(any(test, feature = "all-levels"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "all-levels")))]
    pub const PORTABLE8: Self = Self(LevelKind::Portable8);

    /// Returns the fastest level that this CPU has: AVX-512, AVX2, or else [`Level::PORTABLE4`].
    ///
    /// With the feature `std` the CPU is queried. Without it the result depends on what the build
    /// enables.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            if let Some(widest) = Self::native().into_iter().flatten().last() {
                return widest;
            }
        }
        Self::PORTABLE4
    }

    /// Returns AVX2 and AVX-512 if this CPU has them.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    fn native() -> [Option<Self>; 2] {
        let (avx2, avx512) = (Avx2::detect(), Avx512::detect());
        [
            avx2.map(|isa| Self(LevelKind::Avx2(isa))),
            avx512.zip(avx2).map(|(isa, narrow)| Self(LevelKind::Avx512(isa, narrow))),
        ]
    }

    /// Returns every level that was compiled and that this CPU has, from narrow to wide.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(any(test, feature = "all-levels"))]
        let portable = [Self::SCALAR, Self::PORTABLE4, Self::PORTABLE8];
        #[cfg(not(any(test, feature = "all-levels")))]
        let portable = [Self::PORTABLE4];
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        let native = Self::native();
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        let native = [None; 0];
        portable.into_iter().chain(native.into_iter().flatten())
    }

    /// Returns `portable4`, `avx2` or `avx512`; with the feature `all-levels` also `scalar` or
    /// `portable8`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(any(test, feature = "all-levels"))]
            LevelKind::Scalar => "scalar",
            LevelKind::Portable4 => "portable4",
            #[cfg(any(test, feature = "all-levels"))]
            LevelKind::Portable8 => "portable8",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx2(_) => "avx2",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx512(..) => "avx512",
        }
    }

    /// Returns the number of `f32` lanes.
    #[must_use]
    pub fn lanes(self) -> usize {
        match self.0 {
            #[cfg(any(test, feature = "all-levels"))]
            LevelKind::Scalar => Scalar::LANES,
            LevelKind::Portable4 => Portable4::LANES,
            #[cfg(any(test, feature = "all-levels"))]
            LevelKind::Portable8 => Portable8::LANES,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx2(_) => Avx2::LANES,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx512(..) => Avx512::LANES,
        }
    }

    /// Runs `kernel` on `rows` rows: one element at a time if there are fewer rows than lanes.
    #[inline]
    pub(crate) fn run_rows<K: Kernel>(self, rows: usize, kernel: K) -> K::Output {
        if rows < self.lanes() { enter(Scalar, kernel) } else { self.run(kernel) }
    }

    /// Runs `kernel` on each group of lanes of `rows` rows.
    #[inline]
    pub(crate) fn run_groups<K: GroupKernel>(self, rows: usize, kernel: K) {
        self.run_rows(rows, Groups { rows, kernel });
    }

    /// Runs `kernel` compiled for this level. Call it once per chunk, not once per element.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(any(test, feature = "all-levels"))]
            LevelKind::Scalar => enter(Scalar, kernel),
            LevelKind::Portable4 => enter(Portable4, kernel),
            #[cfg(any(test, feature = "all-levels"))]
            LevelKind::Portable8 => enter(Portable8, kernel),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx2(isa) => isa.run(kernel),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx512(isa, _) if K::WIDE => isa.run(kernel),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            LevelKind::Avx512(_, isa) => isa.run(kernel),
        }
    }
}

/// Runs `kernel` compiled for `isa`. It is not inlined, so that several callers share one copy.
#[inline(never)]
fn enter<I: Isa, K: Kernel>(isa: I, kernel: K) -> K::Output {
    kernel.run(isa)
}

/// Runs `kernel` one element at a time. It is inlined, for a single element.
#[inline]
pub(crate) fn run_scalar<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Scalar)
}

/// Runs `kernel` with the lanes that every build has. It is inlined, for work that is shorter than entering a level.
#[inline]
pub(crate) fn run_portable<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Portable4)
}

impl Default for Level {
    fn default() -> Self {
        Self::detect()
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of parsing a string that does not name a compiled level of this CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a level of this CPU; the levels are portable4, on x86-64 avx2 and avx512 where present, and with \
     the feature `all-levels` scalar and portable8"
)]
pub struct UnknownLevel;

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        Self::all().find(|level| level.name() == name).ok_or(UnknownLevel)
    }
}

#[cfg(all(test, feature = "std", target_arch = "x86_64", target_feature = "sse2"))]
mod tests {
    use super::Level;
    use std::is_x86_feature_detected;

    /// Goal: the levels of a CPU are those whose instructions it has, and the widest is detected. Method: ask the CPU.
    #[test]
    fn levels_of_the_cpu_are_detected() {
        let common = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let avx2 = common && is_x86_feature_detected!("avx2");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let has = |name: &str| Level::all().any(|level| level.name() == name);
        assert_eq!([has("avx2"), has("avx512")], [avx2, avx512]);
        let widest = if avx512 { "avx512" } else { "avx2" };
        assert_eq!(Level::detect().name(), if avx2 { widest } else { "portable4" });
    }
}
