//! Hashes of files and of impacts: 64-bit FNV-1a.

use crate::pipeline::impact::{Impact, ImpactKind};
use crate::pipeline::tick::TickOutput;

/// The 64-bit FNV-1a hash of nothing (Fowler, Noll, Vo).
pub(super) const FNV_START: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds bytes to a hash.
pub(super) fn fnv(mut sum: u64, bytes: &[u8]) -> u64 {
    for &byte in bytes {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    sum
}

impl TickOutput<'_> {
    /// A hash that is the same for the same impacts in the same order, on every platform: 64-bit
    /// FNV-1a over the impacts, then over those with sensors.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut sum = FNV_START;
        for list in [self.impacts(), self.sensed()] {
            sum = fnv(sum, &(list.len() as u32).to_le_bytes());
            for impact in list {
                let Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth, parts } =
                    *impact;
                let kind = match kind {
                    ImpactKind::Touching => 0_u32,
                    ImpactKind::Overlapping => 1,
                    ImpactKind::Unresolved => 2,
                };
                for word in [pair.a, pair.b, kind] {
                    sum = fnv(sum, &word.to_le_bytes());
                }
                let (numbers, vectors) = ([toi, last, closing, depth], [normal, on_a, on_b]);
                for number in numbers.iter().chain(vectors.as_flattened()) {
                    sum = fnv(sum, &number.to_le_bytes());
                }
                // Parts that are both 0 are left out, so that recorded hashes of convex shapes stay valid.
                if parts != [0; 2] {
                    parts.iter().for_each(|part| sum = fnv(sum, &part.to_le_bytes()));
                }
            }
        }
        sum
    }
}
