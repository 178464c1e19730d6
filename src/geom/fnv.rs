//! Hashes of bytes: 64-bit FNV-1a (Fowler, Noll, Vo).

/// The hash of no bytes.
pub(crate) const FNV_START: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds bytes to a hash.
pub(crate) fn fnv(mut sum: u64, bytes: &[u8]) -> u64 {
    for &byte in bytes {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    sum
}
