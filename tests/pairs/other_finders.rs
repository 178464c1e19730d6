//! Compares the pair finder with two other finders in large scenes.
//!
//! These scenes are too large for the `f64` specification: every pair of twenty thousand boxes is compared
//! directly, and a million boxes are sorted and swept on one axis. `SWATH_CASES` selects every scene, and is
//! the number of boxes of the second test (`.ci/exact`: a million).

use scenes::{Scene, World};
use swath::{Pair, PairFinder, SweptPair};
use testkit::every_pair::{Rows, Timed};

/// Number of boxes of a scene in which every pair is compared.
const BOXES_TRIED: usize = 20_000;
/// The most boxes that are sorted and swept; more would take too long.
const BOXES_SWEPT_MAX: usize = 1_000_000;

/// The value of `SWATH_CASES`.
fn asked() -> Option<usize> {
    let wanted = std::env::var("SWATH_CASES").ok();
    wanted.map(|number| number.parse().expect("SWATH_CASES is a number"))
}

fn rows(scene: Scene, boxes: usize, seed: u64) -> Rows {
    let mut world = World::new(scene, boxes, seed);
    world.step();
    let columns = world.min.iter().chain(&world.max).chain(&world.delta);
    let mut columns = columns.cloned();
    Rows {
        columns: core::array::from_fn(|_| columns.next().unwrap()),
        moves: Some(world.moves),
        filters: None,
    }
}

fn timed(pair: SweptPair) -> Timed {
    (pair.a, pair.b, pair.first.to_bits())
}

/// Goal: no pair is missing, additional or found twice, and each first time is that of the pair alone.
/// Method: every pair of twenty thousand boxes; the scenes with the longest paths, the most uneven sizes and
/// boxes at rest, or all.
#[test]
fn twenty_thousand_boxes_by_every_pair() {
    let few = [Scene::Bullets, Scene::Mixed, Scene::Static];
    let scenes = if asked().is_some() { &Scene::ALL[..] } else { &few };
    for &scene in scenes {
        let rows = rows(scene, BOXES_TRIED, 11);
        let union = rows.tried();
        let mut finder = PairFinder::new();
        assert!(finder.union_pairs(rows.set()).unwrap().sorted() == union, "{scene}: union");
        let found = finder.swept_pairs(rows.set()).unwrap().sorted();
        let found: Vec<Timed> = found.iter().copied().map(timed).collect();
        assert!(found == rows.touching(&union), "{scene}: swept");
    }
}

/// Number of pairs, and the sum of a hash of each, which does not depend on the order.
#[derive(Debug, Default, PartialEq)]
struct Sum {
    count: usize,
    hash: u64,
}

impl Sum {
    /// `SplitMix64` (Steele, Lea, Flood 2014), once over each half.
    fn add(&mut self, (a, b, bits): Timed) {
        let mix = |mut word: u64| {
            word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
            word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            word ^ word >> 31
        };
        let hash = mix(mix(u64::from(a) << 32 | u64::from(b)) ^ u64::from(bits));
        self.hash = self.hash.wrapping_add(hash);
        self.count += 1;
    }
}

/// Goal: the same for scenes of the size that the finder is made for. Method: the number and a sum of hashes
/// of the pairs that sorting and sweeping on one axis finds.
#[test]
fn a_million_boxes_by_sort_and_sweep() {
    let boxes = asked().unwrap_or(BOXES_TRIED).min(BOXES_SWEPT_MAX);
    for scene in Scene::ALL {
        let rows = rows(scene, boxes, 12);
        let (mut union, mut swept) = (Sum::default(), Sum::default());
        rows.sorted_and_swept(|pair: Pair| {
            union.add((pair.a, pair.b, 0));
            if let Some(bits) = rows.first(pair) {
                swept.add((pair.a, pair.b, bits));
            }
        });
        let mut finder = PairFinder::new();
        let mut found = Sum::default();
        let pairs = finder.union_pairs(rows.set()).unwrap();
        pairs.iter().for_each(|pair| found.add((pair.a, pair.b, 0)));
        assert_eq!(found, union, "{scene}: union");
        let mut found = Sum::default();
        let pairs = finder.swept_pairs(rows.set()).unwrap();
        pairs.iter().for_each(|pair| found.add(timed(pair)));
        assert_eq!(found, swept, "{scene}: swept");
        println!("{scene} of {boxes}: {} union pairs, {} swept pairs", union.count, swept.count);
    }
}
