//! Tests that a box pairs with every box that it reaches along a strip, however many these are.

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use swath::broadphase::PairInput;
use swath::{Aabb, Filter, Level, Pair, PairFinder, Threads};

/// Numbers of boxes around the limits between near and far boxes of a block.
const REACHES: [usize; 16] = [0, 1, 2, 14, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65];

/// Boxes in a line, one for each whole number, each of which overlaps exactly this many of those after it.
fn line(reaches: &[usize]) -> Vec<Aabb> {
    let at = |k: usize, reach: usize| Aabb {
        min: [k as f32, 0.0, 0.0],
        max: [(k + reach) as f32 + 0.5, 1.0, 1.0],
    };
    reaches.iter().enumerate().map(|(k, &reach)| at(k, reach)).collect()
}

/// Goal: the boxes of a block that reach few and those that reach far are compared with all that they reach, once, in
/// one order on all levels; with filters and without. Method: lines of boxes whose reaches are around the limits, all the
/// same or mixed with a few long ones, in any order of rows; the pairs follow from the reaches.
#[test]
fn boxes_of_any_reach_have_all_their_pairs() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let mut pairs = 0;
    for case in 0..60 {
        let count = [1, 2, 15, 16, 17, 33, 100, 400][case % 8];
        let base = REACHES[case % 16];
        let one_of = [1, 4, 16, 50, 1000][case % 5];
        let reaches: Vec<usize> = (0..count)
            .map(|_| {
                let other = random.random_ratio(1, one_of);
                let choices =
                    [random.random_range(0..20), REACHES[random.random_range(0..16)], 300];
                if other { choices[random.random_range(0..3)] } else { base }
            })
            .collect();
        let mut rows: Vec<usize> = (0..count).collect();
        rows.shuffle(random);
        let sorted = line(&reaches);
        let mut boxes = vec![Aabb::default(); count];
        rows.iter().zip(&sorted).for_each(|(&row, aabb)| boxes[row] = *aabb);
        let filters: Vec<Filter> =
            (0..count).map(|row| Filter::new(1 << (row % 3), 0b011)).collect();
        let allowed = |a: usize, b: usize| a % 3 < 2 && b % 3 < 2;
        for filtered in [false, true] {
            let mut expected = Vec::new();
            for (k, &reach) in reaches.iter().enumerate() {
                for other in k + 1..count.min(k + reach + 1) {
                    let (a, b) = (rows[k], rows[other]);
                    if !filtered || allowed(a, b) {
                        expected.push(Pair { a: a.min(b) as u32, b: a.max(b) as u32 });
                    }
                }
            }
            expected.sort_unstable();
            pairs += expected.len();
            let set = PairInput::new(&boxes);
            let set = if filtered { set.filtered(&filters) } else { set };
            let mut orders: Vec<[Vec<Pair>; 2]> = Vec::new();
            for level in Level::all() {
                let mut finder = PairFinder::with_exec(level);
                finder.exec.threads = Threads::one();
                let union: Vec<Pair> = finder.union_pairs(set).unwrap().iter().collect();
                let swept: Vec<Pair> =
                    finder.swept_pairs(set).unwrap().iter().map(Pair::from).collect();
                for found in [&union, &swept] {
                    let mut found = found.clone();
                    found.sort_unstable();
                    assert_eq!(found, expected, "{level}, case {case}, filtered {filtered}");
                }
                orders.push([union, swept]);
            }
            assert!(orders.iter().all(|order| *order == orders[0]), "case {case}");
        }
    }
    assert!(pairs > 50_000, "{pairs}");
}
