//! The pair finder agrees with comparing every pair, in every layout of the boxes.

use super::bytes::Bytes;
use super::sweep::{is_narrow, no_boxes};
use crate::columns::Columns;
use crate::filters::styled_filter;
use crate::finite::assert_finite;
use crate::layouts::Layouts;
use swath::batch::sweep;
use swath::broadphase::PairInput;
use swath::{Filter, Level, MovingBox, Pair, PairFinder, SweptPair};

/// One byte is the number of boxes.
const BOXES_MAX: u8 = 65;

/// Finds the pairs of a few boxes on every level.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = bytes.byte() % BOXES_MAX;
    let flags = bytes.byte();
    let mut world = Vec::new();
    for _ in 0..count {
        world.push(bytes.row(&world));
    }
    // No flags, or most move, or few do.
    let moves: Vec<bool> =
        (0..count).map(|row| (row % 8 < flags >> 5) == (flags & 2 == 0)).collect();
    let moves = (flags & 1 == 1).then_some(&moves[..]);

    let filters: Option<Vec<Filter>> =
        (0..usize::from(count)).map(|row| styled_filter(flags >> 2, row)).collect();
    let filters = filters.as_deref().filter(|filters| !filters.is_empty());

    let mut union = spec::union_pairs(&world, moves);
    let mut swept = swept_pairs(&world, &union);
    assert_finite(&swept);
    assert!(truly_swept(&world, moves, &swept), "{world:?}");
    let allowed = |a: u32, b: u32| {
        filters.is_none_or(|filters| filters[a as usize].allows(filters[b as usize]))
    };
    union.retain(|pair| allowed(pair.a, pair.b));
    swept.retain(|pair| allowed(pair.a, pair.b));
    let columns = Columns::new(&world);
    let set = PairInput::new(columns.boxes());
    let set = moves.map_or(set, |moves| set.moving(moves));
    let set = filters.map_or(set, |filters| set.filtered(filters));
    let rejected = no_boxes(&world);
    let mut orders: Option<(Vec<Pair>, Vec<[u32; 3]>)> = None;
    let layouts = Layouts::new(world.iter().copied());
    let labels: Vec<u32> = (0..u32::from(count)).map(|row| !row).collect();
    for (turn, level) in (0..).zip(Level::all()) {
        let mut finder = PairFinder::with_exec(level);
        let found = finder.union_pairs(set).expect("a flag for each box");
        assert_eq!(found.rejected(), rejected, "{level}");
        assert_eq!((found.len(), found.is_empty()), (union.len(), union.is_empty()), "{level}");
        let union_order: Vec<Pair> = found.iter().collect();
        if orders.is_none() {
            assert_eq!(found.sorted(), union, "{level}: {world:?}, {moves:?}");
            let mut by_rows = union_order.clone();
            by_rows.sort_unstable();
            assert_eq!(by_rows, union, "{level}: {world:?}, {moves:?}");
        }

        let found = finder.swept_pairs(set).expect("a flag for each box");
        assert_eq!(found.rejected(), rejected, "{level}");
        assert_eq!((found.len(), found.is_empty()), (swept.len(), swept.is_empty()), "{level}");
        let swept_order = bits(found.iter());
        if orders.is_none() {
            let (sorted, expected) = (bits(found.sorted().iter().copied()), bits(swept.clone()));
            assert_eq!(sorted, expected, "{level}: {world:?}, {moves:?}");
            let mut by_rows = swept_order.clone();
            by_rows.sort_unstable();
            assert_eq!(by_rows, expected, "{level}: {world:?}, {moves:?}");
        }

        // Another layout of the boxes, and labels that turn the order of the rows round, change no other bit.
        let other = PairInput::new(layouts.any(flags.wrapping_add(turn)));
        let other = moves.map_or(other, |moves| other.moving(moves)).labelled(&labels);
        let other = filters.map_or(other, |filters| other.filtered(filters));
        let found = finder.swept_pairs(other).expect("a flag and a label for each box");
        assert_eq!(found.rejected(), rejected, "{level}");
        let mut list = vec![SweptPair::default(); 3];
        found.collect_into(&mut list);
        let turned = |pair: SweptPair| SweptPair { a: !pair.b, b: !pair.a, ..pair };
        assert!(bits(list.into_iter().map(turned)) == swept_order, "{level}: another layout");

        // The finder keeps only memory, and the order of pairs is the same on every level.
        let again = finder.union_pairs(set).expect("a flag for each box");
        assert!(again.iter().eq(union_order.iter().copied()), "{level}: another order");
        let of_level = (union_order, swept_order);
        let expected = orders.get_or_insert_with(|| of_level.clone());
        assert!(*expected == of_level, "{level}: {of_level:?}, not {expected:?} of {world:?}");
    }
}

fn bits(pairs: impl IntoIterator<Item = SweptPair>) -> Vec<[u32; 3]> {
    pairs.into_iter().map(|pair| [pair.a, pair.b, pair.first.to_bits()]).collect()
}

/// The pairs of `union` that the sweep of one pair reports as a hit.
fn swept_pairs(world: &[MovingBox], union: &[Pair]) -> Vec<SweptPair> {
    let hit = |&Pair { a, b }: &Pair| {
        let answer = sweep::one_to_one(&world[a as usize], &world[b as usize]);
        let answer = answer.expect("no pair has an invalid row");
        answer.contact.is_hit().then_some(SweptPair { a, b, first: answer.first })
    };
    union.iter().filter_map(hit).collect()
}

/// No pair of `spec` is missing, and an additional one is a narrow miss.
fn truly_swept(world: &[MovingBox], moves: Option<&[bool]>, swept: &[SweptPair]) -> bool {
    let spec = spec::swept_pairs(world, moves);
    let narrow = |pair: &Pair| {
        let sweep = spec::sweep(&world[pair.a as usize], &world[pair.b as usize]);
        sweep.is_ok_and(|sweep| is_narrow(&sweep))
    };
    let swept: Vec<Pair> = swept.iter().map(|&pair| pair.into()).collect();
    spec.iter().all(|pair| swept.binary_search(pair).is_ok())
        && swept.iter().all(|pair| spec.binary_search(pair).is_ok() || narrow(pair))
}
