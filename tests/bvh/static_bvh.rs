//! Tests that a `Bvh` has the boxes of its last build alone, and the memory that it needs.

use swath::broadphase::FixedInput;
use swath::{Aabb, AabbColumns, Bvh, Filter};
use testkit::fixed_model::columns;

/// Points on a line, of which those in the rows from `invalid` on are invalid.
fn points(count: usize, invalid: usize) -> Vec<Aabb> {
    let at = |row: usize| [if row < invalid { row as f32 } else { f32::NAN }, 0.0, 0.0];
    (0..count).map(|row| Aabb { min: at(row), max: at(row) }).collect()
}

fn build(tree: &mut Bvh, boxes: &[Aabb], filters: Option<&[Filter]>) {
    let columns: [Vec<f32>; 6] = columns(boxes);
    let boxes = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("columns");
    let input = FixedInput::new(boxes);
    let input = filters.map_or(input, |filters| input.filtered(filters));
    tree.build(input).expect("few boxes");
}

/// The rows that a box around all points overlaps, for a query of category 1.
fn rows(tree: &Bvh) -> Vec<u32> {
    let all = Aabb { min: [-1.0; 3], max: [1e6; 3] };
    let mut rows = Vec::new();
    let queries = tree.queries().filtered(Filter::new(1, u32::MAX));
    queries.overlap(&all).expect("a box").all(&mut rows);
    rows
}

/// Goal: a tree is empty before a build and after it is cleared, and has then neither boxes, rejected rows nor filters of the earlier
/// build, but its memory. Method: a build of which some rows are invalid and some filtered, clearing, and a build of fewer boxes without
/// filters.
#[test]
fn tree_is_empty_until_it_is_built_and_when_it_is_cleared() {
    let mut tree = Bvh::new();
    assert_eq!((tree.is_empty(), tree.len(), tree.rejected().len()), (true, 0, 0));
    let filter = |row: usize| if row.is_multiple_of(2) { Filter::ALL } else { Filter::new(2, 2) };
    let filters: Vec<Filter> = (0..1000).map(filter).collect();
    build(&mut tree, &points(1000, 997), Some(&filters));
    assert_eq!((tree.is_empty(), tree.len(), tree.rejected().len()), (false, 997, 3));
    assert!(rows(&tree).into_iter().eq((0..997).step_by(2)));
    let memory = tree.memory_usage();
    tree.clear();
    assert_eq!((tree.is_empty(), tree.len(), tree.rejected().len()), (true, 0, 0));
    assert_eq!((rows(&tree), tree.memory_usage()), (Vec::new(), memory));
    build(&mut tree, &points(1, 1), None);
    assert_eq!((tree.is_empty(), tree.len(), tree.rejected().len()), (false, 1, 0));
    assert_eq!(rows(&tree), [0]);
    build(&mut tree, &points(3, 0), None);
    assert_eq!((tree.is_empty(), tree.len(), tree.rejected().len()), (true, 0, 3));
}

/// Goal: shrinking frees the memory that only a build needs, and keeps the boxes. Method: the memory of a build has a record of 32 bytes
/// for each box at least; afterwards there is less than twice that of the boxes and their rows. The tree is then built again.
#[test]
fn shrinking_frees_the_memory_of_a_build() {
    let (count, mut tree) = (10_000, Bvh::new());
    build(&mut tree, &points(2 * count, 2 * count), None);
    build(&mut tree, &points(count, count), None);
    let before = tree.memory_usage();
    tree.shrink_to_fit();
    let after = tree.memory_usage();
    assert!(after + 2 * count * 32 < before && after < 2 * count * 28, "{after} of {before}");
    assert!(rows(&tree).into_iter().eq(0..count as u32));
    build(&mut tree, &points(20, 20), None);
    assert!(rows(&tree).into_iter().eq(0..20));
}
