//! Bounds of leaves whose boxes are overwritten and removed.
//!
//! A build computes the bounds of all nodes. The bounds that a leaf has when the first box of its tree is overwritten or removed are the *room* of the
//! leaf: a box in the room overwrites another one in place. The bounds that are stored above the leaf follow its boxes:
//!
//! ```text
//! overwrite a box:  list the leaf if the new box is outside the stored bounds, or after some changes
//! remove a box:     list the leaf if the box was long there, or after some changes
//! after all changes of a call, for each listed leaf, and then for its parents as long as their bounds change:
//!                   compute the bounds of the node; store them above it if they have grown or are clearly smaller
//! ```
//!
//! So the time depends on the listed leaves alone, boxes that move to and fro in the room of their leaf are overwritten as long as its tree lasts, and
//! queries do not visit leaves for boxes that were there long ago. The stored bounds of a leaf contain its boxes after each call. They never become smaller than
//! [`Tree::loosen`] would make them, so that small steps stay inside them. They depend on the history of the changes, not on threads or levels.

use super::{BvhItem, LEAF, LeafBounds, NOTHING, Tree, WIDTH};
use crate::geom::Aabb;

/// How many boxes of a leaf are overwritten or removed before the leaf is listed; first, and at most. The number is doubled when the bounds of a listed
/// leaf are not clearly smaller. So the leaves of boxes that move to and fro are rarely listed.
const CHANGES: [u16; 2] = [8, 128];
/// Bounds of a leaf are stored anew if the sum of their sides is at most this part of that of the stored ones.
const SHORTER: f32 = 0.75;
/// A box is large in a leaf if the sum of its sides is at least this part of that of the room. Then the room is as long as it is because of such boxes.
const LARGE: f32 = 0.5;
/// A leaf is listed when a box is removed of which the sum of the sides is at least this part of that of the room.
const LONG: f32 = 0.125;
/// How many leaves ahead memory is prefetched.
const AHEAD: usize = 8;

const _: () = assert!(size_of::<LeafBounds>() == 64);

/// The sum of the sides of a box.
#[inline(always)]
fn length(aabb: &Aabb) -> f32 {
    let Aabb { min, max } = aabb;
    (max[0] - min[0]) + (max[1] - min[1]) + (max[2] - min[2])
}

impl LeafBounds {
    /// Those of a root: they never change, because no parent stores them.
    const ROOT: Self = {
        let all = Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        Self::new(all, NOTHING, f32::INFINITY)
    };

    const fn new(aabb: Aabb, parent: u32, length: f32) -> Self {
        let [changes, _] = CHANGES;
        Self { room: aabb, stored: aabb, parent, length, left: changes, changes, is_listed: false }
    }

    /// Counts changes of boxes. Returns whether the leaf must be listed, which it was not.
    #[inline(always)]
    fn count(&mut self, changes: u16) -> bool {
        self.left = self.left.saturating_sub(changes);
        let is_new = self.left == 0 && !self.is_listed;
        self.is_listed |= is_new;
        is_new
    }
}

impl Tree {
    /// Returns whether a box may overwrite that in a slot: it must be in the room of the leaf. If so, lists the leaf if its bounds may have
    /// to change.
    ///
    /// As long as `moves_left` is not 0, a box that is small in the leaf does not overwrite a large one, and `moves_left` is reduced. For the room may be as long
    /// as it is because of large boxes, such as those of a world that is built of placeholders, and the small boxes that replace these may be far apart.
    #[inline]
    pub(super) fn may_overwrite(
        &mut self,
        slot: usize,
        new: &Aabb,
        moves_left: &mut usize,
    ) -> bool {
        self.prepare_leaf_bounds();
        let (node, lane) = (slot / WIDTH, slot % WIDTH);
        let leaf = &mut self.leaf_bounds[node];
        if !leaf.room.contains(new) {
            return false;
        }
        let large = LARGE * leaf.length;
        if *moves_left > 0 && length(new) < large && length(&self.nodes[node].aabb(lane)) >= large {
            *moves_left -= 1;
            return false;
        }
        let changes = if leaf.stored.contains(new) { 1 } else { u16::MAX };
        if leaf.count(changes) {
            self.changed_leaves.push(node as u32);
        }
        true
    }

    /// Counts a box that is removed from a slot, and lists the leaf if its bounds may have to change.
    #[inline]
    pub(super) fn count_cleared(&mut self, slot: usize) {
        self.prepare_leaf_bounds();
        let (node, lane) = (slot / WIDTH, slot % WIDTH);
        let leaf = &mut self.leaf_bounds[node];
        let is_long = length(&self.nodes[node].aabb(lane)) >= LONG * leaf.length;
        if leaf.count(if is_long { u16::MAX } else { 1 }) {
            self.changed_leaves.push(node as u32);
        }
    }

    /// Looks up the bounds of all nodes, if that was not done since the build.
    #[inline(always)]
    fn prepare_leaf_bounds(&mut self) {
        if self.leaf_bounds.is_empty() {
            self.find_leaf_bounds();
        }
    }

    /// Looks up the bounds of all nodes.
    #[inline(never)]
    pub(super) fn find_leaf_bounds(&mut self) {
        let used = self.used();
        self.leaf_bounds.resize(used, LeafBounds::ROOT);
        // A node is listed at most once at a time.
        self.changed_leaves.reserve(used);
        let mut leaf_bounds = core::mem::take(&mut self.leaf_bounds);
        if let Some(root) = self.root {
            self.leaf_bounds_of(root, &mut leaf_bounds);
        }
        self.leaf_bounds = leaf_bounds;
    }

    /// Stores the bounds of all nodes below the node `id`. The recursion is as deep as the tree.
    fn leaf_bounds_of(&self, id: u32, leaf_bounds: &mut [LeafBounds]) {
        if id & LEAF != 0 {
            return;
        }
        let first = id as usize * WIDTH;
        for slot in first..first + WIDTH {
            let BvhItem { aabb, id: child, .. } = self.get(slot);
            if child != NOTHING {
                let bounds = LeafBounds::new(aabb, slot as u32, length(&aabb));
                leaf_bounds[(child & !LEAF) as usize] = bounds;
                self.leaf_bounds_of(child, leaf_bounds);
            }
        }
    }

    /// Updates the bounds of the listed leaves and of the nodes above them. The time is in proportion to the number of these.
    #[inline]
    pub(crate) fn update_leaf_bounds(&mut self) {
        if !self.changed_leaves.is_empty() {
            self.update_changed();
        }
    }

    #[inline(never)]
    fn update_changed(&mut self) {
        let mut listed = core::mem::take(&mut self.changed_leaves);
        while !listed.is_empty() {
            let mut parents = 0;
            for k in 0..listed.len() {
                if let Some(&later) = listed.get(k + AHEAD) {
                    self.prefetch_slot(later as usize * WIDTH);
                }
                if let Some(parent) = self.update_bounds(listed[k] as usize) {
                    listed[parents] = parent;
                    parents += 1;
                }
            }
            listed.truncate(parents);
        }
        self.changed_leaves = listed;
    }

    /// Updates the bounds of a listed node. Returns its parent if these have changed and the parent is not listed yet; then it is.
    fn update_bounds(&mut self, node: usize) -> Option<u32> {
        let LeafBounds { stored, parent, changes, .. } = self.leaf_bounds[node];
        self.leaf_bounds[node].is_listed = false;
        self.leaf_bounds[node].left = changes;
        if parent == NOTHING {
            return None;
        }
        let (above, lane) = (parent as usize / WIDTH, parent as usize % WIDTH);
        let id = self.nodes[above].ids[lane];
        let mut aabb = self.nodes[node].around(id).aabb;
        if id & LEAF != 0 {
            let is_inside = stored.contains(&aabb);
            if self.slack > 0.0 {
                aabb = self.nodes[node].loose_bounds(self.slack);
            }
            let is_shorter = length(&aabb) <= SHORTER * length(&stored);
            if !is_inside {
                // They are not also shrunk, so that they contain both places of boxes that move to and fro.
                aabb = aabb.union(&stored);
            } else if !is_shorter {
                aabb = stored;
            }
            if !is_inside || !is_shorter {
                self.leaf_bounds[node].changes = CHANGES[1].min(2 * changes);
            }
        }
        if aabb == stored {
            return None;
        }
        self.leaf_bounds[node].stored = aabb;
        self.nodes[above].set(lane, BvhItem { aabb, id, filter: 0 });
        let is_new = self.leaf_bounds[above].count(u16::MAX);
        is_new.then_some(above as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{BvhItem, LEAF, NOTHING, Tree, WIDTH, length};
    use crate::broadphase::Visits;
    use crate::broadphase::bvh::forest::FixedBoxes;
    use crate::geom::Aabb;
    use crate::lanes::Level;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Length of the side of the world.
    const WORLD: f32 = 64.0;

    fn cube(random: &mut Xoshiro256PlusPlus, side: f32) -> Aabb {
        let min = [(); 3].map(|()| random.random_range(0.0..WORLD - side));
        Aabb { min, max: min.map(|x| x + side) }
    }

    fn cubes(count: usize, side: f32) -> Vec<Aabb> {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
        (0..count).map(|_| cube(random, side)).collect()
    }

    fn put(forest: &mut FixedBoxes, rows: &[u32], boxes: &[Aabb]) {
        let item = |(&id, &aabb)| BvhItem { aabb, id, filter: u32::MAX };
        let most = rows.iter().max().map_or(0, |&row| row as usize + 1);
        forest.put_valid(most, &mut rows.iter().zip(boxes).map(item).collect(), false);
    }

    /// Checks that nothing is listed, that stored bounds contain the boxes below, and that the bounds of nodes above leaves are exact.
    fn check(tree: &Tree, id: u32) {
        let node = (id & !LEAF) as usize;
        for lane in (0..WIDTH).filter(|_| id & LEAF == 0) {
            let (child, stored) = (tree.nodes[node].ids[lane], tree.nodes[node].aabb(lane));
            if child == NOTHING {
                continue;
            }
            let below = tree.nodes[(child & !LEAF) as usize].around(0).aabb;
            assert!(stored.contains(&below), "{stored:?} {below:?}");
            if let Some(of) = tree.leaf_bounds.get((child & !LEAF) as usize) {
                assert!(of.stored == stored && !of.is_listed && of.left > 0);
                assert_eq!(of.parent as usize, node * WIDTH + lane);
                let is_leaf = child & LEAF != 0;
                assert!(if is_leaf { of.room.contains(&below) } else { stored == below });
            }
            check(tree, child);
        }
    }

    /// Visits nodes and leaves for small boxes all over the world.
    fn visits(forest: &FixedBoxes) -> u64 {
        let (mut visits, mut found) = (Visits::default(), Vec::new());
        for query in cubes(100, 1.0) {
            let queries = forest.queries();
            queries.overlap(&query).expect("valid").counting(&mut visits).all(&mut found);
        }
        visits.nodes + visits.leaves
    }

    /// Goal: after any changes bounds contain their boxes, and queries find them. Method: random lists of changes, of boxes that take steps, jump, become
    /// large, small or points, and of removals; with and without loosened leaves; invariants of all nodes, and brute force on each level.
    #[test]
    fn bounds_contain_their_boxes_after_any_changes() {
        for (count, slack) in [(40, 0.0), (700, 0.0), (700, 0.5), (4000, 0.0), (4000, 3.0)] {
            let random = &mut Xoshiro256PlusPlus::seed_from_u64(count as u64);
            let (mut forest, mut boxes) = (FixedBoxes::new(), Vec::new());
            forest.slack = slack;
            boxes.resize(count, None);
            for step in 0..60 {
                let of_step = [1, 7, count / 8, count][random.random_range(0..4)];
                let first = random.random_range(0..count);
                let rows: Vec<u32> = (0..of_step).map(|k| ((first + k) % count) as u32).collect();
                let kind = random.random_range(0..6);
                if step > 5 && kind == 0 && of_step < count {
                    let is_stored = |&&row: &&u32| boxes[row as usize].is_some();
                    let removed: Vec<u32> = rows.iter().filter(is_stored).copied().collect();
                    forest.remove(&removed).expect("they are stored");
                    removed.iter().for_each(|&row| boxes[row as usize] = None);
                } else {
                    let new = rows.iter().map(|&row| match (kind, boxes[row as usize]) {
                        (1, Some(Aabb { min, .. })) => Aabb { min, max: min },
                        (2, _) if step < 20 => cube(random, 0.9 * WORLD),
                        (3, _) => cube(random, 1.0),
                        (_, Some(Aabb { min, max })) => {
                            let by = [(); 3].map(|()| random.random_range(-0.5..0.5));
                            let [min, max] = [min, max].map(|end: [f32; 3]| {
                                [end[0] + by[0], end[1] + by[1], end[2] + by[2]]
                            });
                            Aabb { min, max }
                        }
                        _ => cube(random, 0.5),
                    });
                    let new: Vec<Aabb> = new.collect();
                    put(&mut forest, &rows, &new);
                    rows.iter().zip(new).for_each(|(&row, aabb)| boxes[row as usize] = Some(aabb));
                }
                for tree in &forest.trees {
                    assert!(tree.changed_leaves.is_empty());
                    tree.root.into_iter().for_each(|root| check(tree, root));
                }
                let query = cube(random, 8.0);
                let is_hit =
                    |row: &u32| boxes[*row as usize].is_some_and(|of: Aabb| of.overlaps(&query));
                let expected: Vec<u32> = (0..count as u32).filter(is_hit).collect();
                for level in Level::all() {
                    forest.exec.level = level;
                    let mut found = Vec::new();
                    forest.queries().overlap(&query).expect("valid").all(&mut found);
                    assert_eq!(found, expected, "{count} {step} {level}");
                }
            }
        }
    }

    /// Goal: a world that is built of placeholders is as fast as one that is built of its boxes. Method: count visited nodes; all placeholders are as large as
    /// the world or in one place, replaced at once, in parts, or one by one; without the change each query visits all leaves.
    #[test]
    fn placeholders_do_not_slow_down_queries() {
        let boxes = cubes(6000, 0.5);
        let rows: Vec<u32> = (0..6000).collect();
        let mut built = FixedBoxes::new();
        put(&mut built, &rows, &boxes);
        let least = visits(&built);
        let world = Aabb { min: [0.0; 3], max: [WORLD; 3] };
        for placeholder in [world, Aabb { min: [32.0; 3], max: [33.0; 3] }] {
            for part in [6000, 500, 37, 1] {
                let mut forest = FixedBoxes::new();
                put(&mut forest, &rows, &[placeholder; 6000]);
                for (rows, boxes) in rows.chunks(part).zip(boxes.chunks(part)) {
                    put(&mut forest, rows, boxes);
                }
                let found = visits(&forest);
                assert!(found < 4 * least, "in parts of {part}: {found} nodes, not {least}");
            }
        }
    }

    /// Goal: large boxes that are removed, or boxes of a whole region, do not slow down queries. Method: count visited nodes, compared with a forest
    /// of the other boxes; large boxes are in all leaves, and less than half of the boxes are removed, so the tree is not rebuilt.
    #[test]
    fn removed_boxes_do_not_slow_down_queries() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(3);
        for side in [0.5, 4.0, 40.0] {
            let boxes: Vec<Aabb> = (0..6000_u32)
                .map(|row| cube(random, if row.is_multiple_of(8) { side } else { 0.5 }))
                .collect();
            let is_removed = |row: &u32| match side {
                0.5 => boxes[*row as usize].min[0] < 0.4 * WORLD,
                _ => row.is_multiple_of(8),
            };
            let (removed, others): (Vec<u32>, Vec<u32>) = (0..6000).partition(is_removed);
            for part in [6000, 1] {
                let (mut forest, mut built) = (FixedBoxes::new(), FixedBoxes::new());
                put(&mut forest, &(0..6000).collect::<Vec<_>>(), &boxes);
                removed.chunks(part).for_each(|rows| forest.remove(rows).expect("they are stored"));
                let left: Vec<Aabb> = others.iter().map(|&row| boxes[row as usize]).collect();
                put(&mut built, &others, &left);
                let [found, least] = [&forest, &built].map(visits);
                assert!(found < least + least / 4 + 300, "{side} {part}: {found}, not {least}");
            }
        }
    }

    /// Goal: boxes that move to and fro in the room of their leaf, or become small and large by turns, are overwritten in place, and their leaves are hardly
    /// listed any more. Method: the slots of all boxes, and the number of changes after which leaves are listed; the first changes may rebuild trees.
    #[test]
    fn boxes_that_move_to_and_fro_are_overwritten() {
        let boxes = cubes(3000, 16.0);
        let rows: Vec<u32> = (0..3000).collect();
        let at_corner = |side: f32, by: f32| -> Vec<Aabb> {
            let place = |of: &Aabb| {
                let min = of.min.map(|x| x + by);
                Aabb { min, max: min.map(|x| x + side) }
            };
            boxes.iter().map(place).collect()
        };
        let [low, high] = [0.0, 6.0].map(|by| at_corner(10.0, by));
        let points = at_corner(0.0, 0.0);
        for places in [[&low, &high, &boxes], [&points, &boxes, &boxes]] {
            let mut forest = FixedBoxes::new();
            put(&mut forest, &rows, &boxes);
            let mut slots = Vec::new();
            for tick in 0..240 {
                put(&mut forest, &rows, places[tick % 3]);
                let mut now = Vec::new();
                forest
                    .trees
                    .iter()
                    .for_each(|tree| tree.for_each(|slot, row| now.push((slot, row))));
                if tick > 60 {
                    assert!(now == slots, "tick {tick}");
                }
                slots = now;
            }
            for tree in forest.trees.iter().filter(|tree| tree.len() > WIDTH) {
                tree.leaves_of(tree.root.expect("it has boxes"), &mut |leaf| {
                    let count = tree.nodes[leaf].ids.iter().filter(|&&id| id != NOTHING).count();
                    let changes = tree.leaf_bounds[leaf].changes;
                    assert!(changes == super::CHANGES[1] || count < WIDTH / 4, "{changes}");
                });
            }
        }
    }

    /// Goal: bounds do not shrink below the loosened bounds of the boxes. Method: large boxes become small in the leaves of a loosened tree.
    #[test]
    fn bounds_stay_loose() {
        let boxes = cubes(3000, 0.5);
        let rows: Vec<u32> = (0..3000).collect();
        let mut forest = FixedBoxes::new();
        forest.slack = 0.25;
        put(&mut forest, &rows, &boxes);
        let removed: Vec<u32> =
            (0..3000).filter(|&row| boxes[row as usize].min[0] < 24.0).collect();
        forest.remove(&removed).expect("they are stored");
        let mut shrunk = 0;
        for tree in &forest.trees {
            tree.root.into_iter().for_each(|root| {
                tree.leaves_of(root, &mut |leaf| {
                    let (of, node) = (&tree.leaf_bounds[leaf], &tree.nodes[leaf]);
                    let has_boxes = node.ids.iter().any(|&id| id != NOTHING);
                    assert!(of.stored.contains(&node.loose_bounds(0.25)) || !has_boxes);
                    shrunk += usize::from(has_boxes && length(&of.stored) < length(&of.room));
                });
            });
        }
        assert!(shrunk > 3, "{shrunk} leaves");
    }
}
