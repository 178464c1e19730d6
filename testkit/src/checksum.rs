//! The checksum at the end of a captured tick, computed independently of the library.

/// The FNV-1a hash of 64 bits (Fowler, Noll and Vo 1991).
pub fn fnv(bytes: &[u8]) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, step)
}

/// The bytes of a file whose last eight are replaced by the checksum of the others.
pub fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 8;
    let sum = fnv(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
    bytes
}
