//! Does a tree of boxes answer what asking one box after the other answers, bit by bit, whatever
//! the boxes and the segments, on any level?

mod support;

use std::array::from_fn;

use support::cases::how_many;
use support::draw::Draw;
use support::rays::rays;
use swath::store::FixedColumns;
use swath::{Aabb, BoxTree, Filter, FixedSet, Hit, Level, Queries, Segment, cast};

/// Boxes, and with what each may pair.
struct World {
    boxes: Vec<Aabb>,
    filters: Option<Vec<Filter>>,
}

impl World {
    /// Calls `ask` with the boxes as columns.
    fn with<R>(&self, ask: impl FnOnce(FixedSet<'_>) -> R) -> R {
        let corner = |aabb: &Aabb, k: usize| if k < 3 { aabb.min[k] } else { aabb.max[k - 3] };
        let columns: [Vec<f32>; 6] =
            from_fn(|k| self.boxes.iter().map(|of| corner(of, k)).collect());
        let columns = FixedColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
        let set = FixedSet::new(columns);
        ask(self.filters.as_ref().map_or(set, |filters| set.filtered(filters)))
    }

    fn tree(&self, level: Level) -> BoxTree {
        let mut tree = BoxTree::with_level(level);
        self.with(|set| {
            tree.build(set).unwrap();
        });
        tree
    }

    fn filter(&self, row: u32) -> Filter {
        self.filters.as_ref().map_or(Filter::ALL, |filters| filters[row as usize])
    }

    /// All boxes that the segment meets, by row, each asked alone.
    fn one_by_one(&self, segment: &Segment, filter: Option<Filter>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (row, aabb) in (0..).zip(&self.boxes) {
            let allowed = filter.is_none_or(|filter| filter.allows(self.filter(row)));
            if let (true, Ok(cast)) = (allowed, cast::one_to_one(segment, aabb))
                && cast.faces.is_hit()
            {
                hits.push(Hit { row, at: cast.entry });
            }
        }
        hits
    }
}

/// The first of the hits, of equal ones that with the lowest row.
fn first(hits: &[Hit]) -> Option<Hit> {
    hits.iter().copied().min_by(|a, b| a.at.total_cmp(&b.at).then(a.row.cmp(&b.row)))
}

/// Compares bit by bit.
fn bits(hits: impl IntoIterator<Item = Hit>) -> Vec<(u32, u32)> {
    hits.into_iter().map(|hit| (hit.row, hit.at.to_bits())).collect()
}

/// Boxes with corners on whole numbers, some flat, some points, some many times.
fn whole(draw: &mut Draw, count: usize, side: i32) -> World {
    let boxes = (0..count).map(|_| {
        let min: [f32; 3] = from_fn(|_| draw.whole(0, side));
        let max = min.map(|low| low + draw.one_of(&[0.0, 0.0, 1.0, 1.0, 2.0]));
        Aabb { min, max }
    });
    World { boxes: boxes.collect(), filters: None }
}

/// Segments among them: along axes and diagonals, in planes of faces, with zeros of either sign.
fn whole_segment(draw: &mut Draw, side: i32) -> Segment {
    let start: [f32; 3] = from_fn(|_| draw.whole(-2, side + 3));
    let delta: [f32; 3] = from_fn(|_| draw.one_of(&[0.0, -0.0, 1.0, -1.0, 2.0, -4.0, 3.0]));
    let max_fraction = draw.one_of(&[0.0, 1.0, 2.0, 4.0, f32::INFINITY, f32::INFINITY]);
    Segment { start, delta, max_fraction }
}

fn check(world: &World, queries: &Queries<'_>, segment: &Segment) {
    let expected = world.one_by_one(segment, None);
    let closest = queries.cast(segment).unwrap().closest();
    assert_eq!(bits(closest), bits(first(&expected)), "{segment:?}");
}

/// Goal: the closest box is that of brute force. Method: boxes and segments with whole numbers, of
/// which many are equal, and hostile ones from everywhere; on every level.
#[test]
fn the_closest_box_is_that_of_one_after_the_other() {
    let mut draw = Draw::new(1);
    for count in [0, 1, 2, 15, 16, 17, 255, 256, 257, 700, 5000] {
        let side = 2 + (count as f32).cbrt() as i32;
        let world = whole(&mut draw, count, side);
        for level in Level::all() {
            let tree = world.tree(level);
            assert_eq!(tree.len(), count);
            for _ in 0..20 {
                check(&world, &tree.queries(), &whole_segment(&mut draw, side));
            }
        }
    }
    let hard: Vec<_> = rays(2, 600).collect();
    let world = World { boxes: hard.iter().map(|ray| ray.aabb).collect(), filters: None };
    for level in Level::all() {
        let tree = world.tree(level);
        for ray in &hard[..how_many(300).min(600)] {
            check(&world, &tree.queries(), &ray.segment);
        }
    }
}
