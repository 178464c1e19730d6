//! Compares the pairs of two systems.
//!
//! First by their number and a sum of hashes of the pairs, which does not depend on the order; a pair found
//! twice counts twice, so it is noticed. Only if these differ are the pairs themselves compared.

use rayon::prelude::*;
use swath::Aabb;

use crate::systems::{Kind, RowPair, System, Tick};

/// The number and the sum by which sets of pairs are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest {
    pairs: usize,
    sum: u64,
}

/// The difference between two systems.
#[derive(Debug, thiserror::Error)]
#[error(
    "{one} found {one_pairs} pairs and {other} {other_pairs}; {missing} are found by {one} alone \
     and {extra} by {other} alone, or more often; {example}"
)]
pub(crate) struct Disagreement {
    one: Kind,
    one_pairs: usize,
    other: Kind,
    other_pairs: usize,
    missing: usize,
    extra: usize,
    example: String,
}

/// A pair as one number, lower row first.
fn key([a, b]: RowPair) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    u64::from(low) << 32 | u64::from(high)
}

/// The finalizer of splitmix64 (Steele, Lea and Flood, 2014): each bit depends on all bits.
fn mix(key: u64) -> u64 {
    let key = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ (key >> 31)
}

/// The digest of the pairs that `system` found in this tick.
pub(crate) fn digest(system: &mut dyn System, tick: &Tick<'_>) -> Digest {
    let mut digest = Digest::default();
    system.show(tick, &mut |pair| {
        digest.pairs += 1;
        digest.sum = digest.sum.wrapping_add(mix(key(pair)));
    });
    digest
}

/// All pairs, sorted.
fn keys(system: &mut dyn System, tick: &Tick<'_>) -> Vec<u64> {
    let mut keys = Vec::new();
    system.show(tick, &mut |pair| keys.push(key(pair)));
    keys.par_sort_unstable();
    keys
}

/// The keys that the first sorted list contains and the second does not, or less often.
fn only_in_first(first: &[u64], second: &[u64]) -> Vec<u64> {
    let mut second = second.iter().peekable();
    let mut is_only = |key: &u64| {
        while second.next_if(|&other| other < key).is_some() {}
        second.next_if_eq(&key).is_none()
    };
    first.iter().copied().filter(|key| is_only(key)).collect()
}

/// Describes the difference pair by pair; `None` if there is none.
pub(crate) fn compare(
    (one, one_system): (Kind, &mut dyn System),
    (other, other_system): (Kind, &mut dyn System),
    tick: &Tick<'_>,
) -> Result<(), Disagreement> {
    let (ones, others) = (keys(one_system, tick), keys(other_system, tick));
    let (missing, extra) = (only_in_first(&ones, &others), only_in_first(&others, &ones));
    let Some(example) = missing.first().or(extra.first()) else {
        return Ok(());
    };
    Err(Disagreement {
        one,
        one_pairs: ones.len(),
        other,
        other_pairs: others.len(),
        missing: missing.len(),
        extra: extra.len(),
        example: describe(*example, tick.bounds),
    })
}

/// Whether each swept pair is a union pair, found once.
pub(crate) fn is_subset(
    (swept, swept_system): (Kind, &mut dyn System),
    (union, union_system): (Kind, &mut dyn System),
    tick: &Tick<'_>,
) -> Result<(), Disagreement> {
    let (swept_keys, union_keys) = (keys(swept_system, tick), keys(union_system, tick));
    let extra = only_in_first(&swept_keys, &union_keys);
    extra.first().map_or(Ok(()), |&example| {
        Err(Disagreement {
            one: union,
            one_pairs: union_keys.len(),
            other: swept,
            other_pairs: swept_keys.len(),
            missing: only_in_first(&union_keys, &swept_keys).len(),
            extra: extra.len(),
            example: describe(example, tick.bounds),
        })
    })
}

/// One pair that differs, with its bounds.
fn describe(key: u64, bounds: &[Aabb]) -> String {
    let rows = [(key >> 32) as usize, (key & u64::from(u32::MAX)) as usize];
    let [a, b] = rows.map(|row| bounds.get(row));
    format!("one of these is ({}, {}): {a:?} and {b:?}", rows[0], rows[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system that finds given pairs.
    struct Found(Vec<RowPair>);

    impl System for Found {
        fn take(&mut self, _: &Tick<'_>) {}

        fn find(&mut self, _: &Tick<'_>) -> usize {
            self.0.len()
        }

        fn show(&mut self, _: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
            self.0.iter().for_each(|&pair| visit(pair));
        }
    }

    /// Goal: missing, additional and repeated pairs are noticed, and the order is not. Method: five wrong
    /// results beside the right one, by digest and pair by pair.
    #[test]
    fn every_difference_is_seen() {
        let boxes = swath::MovingBoxColumns::new([&[]; 3], [&[]; 3], [&[]; 3]).expect("no boxes");
        let tick = Tick { boxes, moves: &[], bounds: &[] };
        let right = [[0, 1], [2, 7], [3, 4]];
        for (pairs, same, counts) in [
            (vec![[4, 3], [0, 1], [7, 2]], true, (0, 0)),
            (vec![[0, 1], [2, 7]], false, (1, 0)),
            (vec![[0, 1], [2, 7], [3, 4], [0, 2]], false, (0, 1)),
            (vec![[0, 1], [2, 7], [3, 4], [3, 4]], false, (0, 1)),
            (vec![[0, 1], [2, 7], [2, 7]], false, (1, 1)),
            (vec![[0, 1], [2, 7], [3, 5]], false, (1, 1)),
        ] {
            let (one, other) = (&mut Found(right.to_vec()), &mut Found(pairs));
            assert_eq!(digest(one, &tick) == digest(other, &tick), same, "{:?}", other.0);
            let result = compare((Kind::Swath, one), (Kind::Rstar, other), &tick);
            let found = result.as_ref().err().map_or((0, 0), |error| (error.missing, error.extra));
            assert_eq!(found, counts, "{:?}", other.0);
            let subset = is_subset((Kind::SwathSwept, other), (Kind::Swath, one), &tick);
            assert_eq!(subset.is_ok(), counts.1 == 0, "{:?}", other.0);
        }
    }
}
