//! Tests that the pairs of all scenes and their times have the bits that are stored in `.ci/hashes`, on any processor.

use scenes::{Scene, World};
use swath::broadphase::PairInput;
use swath::{Level, PairFinder};

/// The 64-bit hash of words by FNV-1a (Fowler, Noll, Vo), of their bytes in little-endian order.
fn hashed(words: impl IntoIterator<Item = u32>) -> u64 {
    let bytes = words.into_iter().flat_map(u32::to_le_bytes);
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// Goal: processors, levels and versions have the same bits. Method: two ticks of 10,000 boxes of each scene, as the example `tick`
/// runs them, on every level.
#[test]
fn scenes_have_the_stored_hashes() {
    let mut scenes = 0;
    for line in include_str!("../../.ci/hashes").lines() {
        let (name, expected) = line.split_once(' ').expect("a name and a hash");
        let scene: Scene = name.parse().expect("the name of a scene");
        for level in Level::all() {
            let mut world = World::new(scene, 10_000, 1);
            let mut finder = PairFinder::with_exec(level);
            let mut words = Vec::new();
            for tick in 0..2 {
                if tick > 0 {
                    world.step();
                }
                let set = PairInput::new(world.columns()).moving(&world.moves);
                let pairs = finder.swept_pairs(set).expect("there is no limit").sorted();
                words.extend(pairs.iter().flat_map(|p| [p.a, p.b, p.first.to_bits()]));
            }
            let hash = format!("\"{:016x}\"", hashed(words));
            assert_eq!(hash, expected, "{name} on {level}");
        }
        scenes += 1;
    }
    assert_eq!(scenes, 46);
}
