//! A hash over the pairs of a run, by which two runs are compared.
//!
//! 64-bit FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv): for each byte, xor, then multiply. Words are hashed
//! as little-endian bytes, so the hash is the same on every platform.

const OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0100_0000_01B3;

#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(OFFSET)
    }
}

impl Fnv {
    pub fn write(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    pub fn finish(self) -> u64 {
        self.0
    }
}
