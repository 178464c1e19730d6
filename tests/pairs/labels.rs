//! Tests that labels replace the rows in pairs, and change nothing else.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use swath::broadphase::{FindError, PairInput};
use swath::{AabbColumns, FixedBoxes, Pair, PairFinder, SweptPair, Threads};
use testkit::every_pair::Rows;

fn rows(boxes: usize) -> Rows {
    let world = World::new(Scene::Dense, boxes, 8);
    let mut columns = world.min.iter().chain(&world.max).chain(&world.delta).cloned();
    let mut columns: [Vec<f32>; 9] = core::array::from_fn(|_| columns.next().unwrap());
    columns[1][4] = f32::NAN;
    Rows { columns, moves: Some(world.moves), filters: None }
}

/// Labels of all sizes; of ten rows two have the same label.
fn labels(rows: usize) -> Vec<u32> {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(9);
    let mut labels: Vec<u32> = (0..rows).map(|_| random.random()).collect();
    for row in (0..rows.saturating_sub(1)).step_by(10) {
        labels[row + 1] = labels[row];
    }
    labels
}

/// Pairs without labels, in which rows are replaced by labels afterwards; in the order in which they were
/// found.
fn labelled(
    pairs: impl Iterator<Item = SweptPair>,
    of: [&[u32]; 2],
    ordered: bool,
) -> Vec<[u32; 3]> {
    let label = |pair: SweptPair| {
        let [a, b] = [of[0][pair.a as usize], of[1][pair.b as usize]];
        let [a, b] = if ordered { [a.min(b), a.max(b)] } else { [a, b] };
        [a, b, pair.first.to_bits()]
    };
    pairs.map(label).collect()
}

fn bits(pairs: impl Iterator<Item = SweptPair>) -> Vec<[u32; 3]> {
    pairs.map(|pair| [pair.a, pair.b, pair.first.to_bits()]).collect()
}

fn plain(pair: Pair) -> SweptPair {
    SweptPair { a: pair.a, b: pair.b, first: 0.0 }
}

/// Goal: labels replace rows, the lower one first, in the order of the rows. Method: the pairs without
/// labels, with the labels inserted afterwards; on several threads and on one, sorted and not.
#[test]
fn labels_replace_rows() {
    let rows = rows(5000);
    let labels = labels(rows.len());
    for threads in [Threads::one(), Threads::current()] {
        let mut finder = PairFinder::new();
        finder.exec.threads = threads;
        let expected = labelled(finder.swept_pairs(rows.set()).unwrap().iter(), [&labels; 2], true);
        assert!(expected.len() > 5000 && expected.iter().any(|pair| pair[0] == pair[1]));
        let found = finder.swept_pairs(rows.set().labelled(&labels)).unwrap();
        assert_eq!(found.rejected()[0].row, 4);
        assert!(bits(found.iter()) == expected);
        let mut sorted = expected;
        sorted.sort_unstable();
        assert!(bits(found.sorted().iter().copied()) == sorted);
        let found = finder.union_pairs(rows.set()).unwrap();
        let expected = labelled(found.iter().map(plain), [&labels; 2], true);
        let found = finder.union_pairs(rows.set().labelled(&labels)).unwrap();
        assert!(bits(found.iter().map(plain)) == expected);
    }
}

/// Goal: each of two sets has its own labels, and the first of a pair belongs to the first set. Method: as
/// above, with labels of one set, of the other and of both; the same for movers against fixed boxes.
#[test]
fn two_sets_have_labels_of_their_own() {
    let rows = rows(3000);
    let [first, second] = rows.split(1200);
    let [of_first, of_second] = [labels(first.len()), labels(second.len())];
    let plain: Vec<u32> = (0..rows.len() as u32).collect();
    let mut finder = PairFinder::new();
    let found = finder.swept_pairs_between(first.set(), second.set()).unwrap();
    let unlabelled: Vec<SweptPair> = found.iter().collect();
    assert!(unlabelled.len() > 1000);
    for which in 0..4 {
        let (mut a, mut b, mut of) = (first.set(), second.set(), [&plain[..]; 2]);
        if which & 1 != 0 {
            (a, of[0]) = (a.labelled(&of_first), &of_first);
        }
        if which & 2 != 0 {
            (b, of[1]) = (b.labelled(&of_second), &of_second);
        }
        let expected = labelled(unlabelled.iter().copied(), of, false);
        assert!(bits(finder.swept_pairs_between(a, b).unwrap().iter()) == expected, "{which}");
    }

    let corner = |first: usize| core::array::from_fn(|k| &second.columns[first + k][..]);
    let mut fixed = FixedBoxes::new();
    fixed.extend(AabbColumns::new(corner(0), corner(3)).unwrap()).unwrap();
    let expected =
        labelled(fixed.swept_pairs(first.set()).unwrap().iter(), [&of_first, &plain], false);
    assert!(expected.len() > 1000);
    let found = fixed.swept_pairs(first.set().labelled(&of_first)).unwrap();
    assert!(bits(found.iter()) == expected);
}

/// Goal: labels of the wrong length are an error.
#[test]
fn wrong_number_of_labels_is_an_error() {
    let rows = rows(5);
    let set = PairInput::new(rows.boxes()).labelled(&[1; 4]);
    let error = PairFinder::new().swept_pairs(set).unwrap_err();
    assert!(matches!(error, FindError::Length(_)));
    let error = error.to_string();
    assert!(error.starts_with("the labels: the length is 4 and must be 5; "), "{error}");
}
