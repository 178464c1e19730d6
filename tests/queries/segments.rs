//! Tests that segment queries of stored boxes give the result of brute force, bit by bit, for any boxes,
//! insertions and removals, and level.

use std::array::from_fn;

use swath::batch::sweep::MISS;
use swath::batch::{Checked, Columns, Hit, Row, cast, sweep};
use swath::broadphase::{FixedInput, Path, Query, Visits};
use swath::{
    Aabb, AabbColumns, Bvh, Filter, FixedBoxes, Level, MovingBox, Queries, Segment, Threads,
};
use testkit::cases::cases;
use testkit::draw::{Draw, how_many};
use testkit::rays::rays;

/// A segment or a moving box.
#[derive(Clone, Copy, Debug)]
enum Way {
    Segment(Segment),
    Box(MovingBox),
}

impl Way {
    /// The contact with a box.
    fn meets(&self, aabb: &Aabb) -> Option<f32> {
        match self {
            Self::Segment(segment) => {
                let cast = cast::one_to_one(segment, aabb).unwrap();
                cast.faces.is_hit().then_some(cast.entry)
            }
            Self::Box(moving) => {
                let sweep = sweep::one_to_one(moving, &(*aabb).into()).unwrap();
                (sweep.first < MISS).then_some(sweep.first)
            }
        }
    }
}

/// Boxes by row, with their filters.
#[derive(Default)]
struct World(Vec<Option<(Aabb, Filter)>>);

impl World {
    fn new(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        Self(boxes.into_iter().map(|aabb| Some((aabb, Filter::ALL))).collect())
    }

    /// Calls `ask` with all rows as columns; `None` becomes an invalid box.
    fn with<R>(&self, filtered: bool, ask: impl FnOnce(FixedInput<'_>) -> R) -> R {
        let nothing = Aabb { min: [f32::NAN; 3], max: [0.0; 3] };
        let corner = |row: &Option<(Aabb, Filter)>, k: usize| {
            let aabb = row.map_or(nothing, |(aabb, _)| aabb);
            if k < 3 { aabb.min[k] } else { aabb.max[k - 3] }
        };
        let columns: [Vec<f32>; 6] = from_fn(|k| self.0.iter().map(|row| corner(row, k)).collect());
        let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
        let filters: Vec<_> =
            self.0.iter().map(|row| row.map_or(Filter::ALL, |(_, filter)| filter)).collect();
        let set = FixedInput::new(columns);
        ask(if filtered { set.filtered(&filters) } else { set })
    }

    fn tree(&self, level: Level, filtered: bool) -> Bvh {
        let mut tree = Bvh::with_exec(level);
        let empty = self.with(filtered, |set| tree.build(set).unwrap().len());
        assert_eq!(empty + tree.len(), self.0.len());
        assert_eq!(tree.rejected().len(), empty);
        tree
    }

    /// All boxes on the path, by row, each tested alone.
    fn one_by_one(&self, way: &Way, filter: Option<Filter>) -> Vec<Hit> {
        let met = |(row, of): (u32, &Option<(Aabb, Filter)>)| {
            let (aabb, theirs) = of.as_ref()?;
            let allowed = filter.is_none_or(|filter| filter.allows(*theirs));
            way.meets(aabb).filter(|_| allowed).map(|at| Hit { row, value: at })
        };
        (0..).zip(&self.0).filter_map(met).collect()
    }
}

/// For comparison bit by bit.
fn bits(hits: impl IntoIterator<Item = Hit>) -> Vec<(u32, u32)> {
    hits.into_iter().map(|hit| (hit.row, hit.value.to_bits())).collect()
}

/// In order of contact, and of equal contacts by row.
fn in_order(hits: &[Hit]) -> Vec<Hit> {
    let mut hits = hits.to_vec();
    hits.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.row.cmp(&b.row)));
    hits
}

/// Results that depend on the tree but not on the level: the boxes in the order of the visit, the result of
/// *any*, and the numbers of visited nodes and boxes.
type Told = (Vec<(u32, u32)>, Vec<(u32, u32)>, Visits);

/// Runs one query in every form; `expected` are all boxes on the path, by row.
fn check<'q, P: Path>(what: &str, query: impl Fn() -> Query<'q, P>, expected: &[Hit]) -> Told {
    let order = in_order(expected);
    assert_eq!(bits(query().closest()), bits(order.first().copied()), "{what}: closest");
    let mut hits = vec![Hit::MISS; 3];
    query().all(&mut hits);
    assert_eq!(bits(hits.iter().copied()), bits(expected.iter().copied()), "{what}: all");
    query().sorted(&mut hits);
    assert_eq!(bits(hits.iter().copied()), bits(order.iter().copied()), "{what}: sorted");
    let any = query().any();
    assert_eq!(any.is_some(), !expected.is_empty(), "{what}: any");
    assert!(bits(any).iter().all(|hit| bits(expected.iter().copied()).contains(hit)), "{what}");

    // Only every other row; the condition is called once for each.
    let odd = |hit: &&Hit| hit.row % 2 == 1;
    let first = order.iter().find(odd).copied();
    let closest = query().accepting(|row| row % 2 == 1).closest();
    assert_eq!(bits(closest), bits(first), "{what}: closest of odd rows");
    let any = query().accepting(|row| row % 2 == 1).any();
    assert_eq!(any.is_some(), first.is_some(), "{what}: any of odd rows");
    let mut asked = Vec::new();
    query()
        .accepting(|row| {
            asked.push(row);
            row % 2 == 1
        })
        .all(&mut hits);
    asked.sort_unstable();
    assert!(asked.iter().copied().eq(expected.iter().map(|hit| hit.row)), "{what}: asked");
    let of_odd = expected.iter().filter(odd).copied();
    assert_eq!(bits(hits.iter().copied()), bits(of_odd), "{what}: all of odd rows");
    assert!(query().accepting(|_| false).any().is_none(), "{what}: none");

    // If no call shortens the path, all boxes are visited, once each.
    let (mut shown, mut visits) = (Vec::new(), Visits::default());
    query().counting(&mut visits).visit(|hit| {
        shown.push(hit);
        f32::NAN
    });
    assert_eq!(visits.boxes, shown.len() as u64, "{what}: counted");
    let told = bits(shown.iter().copied());
    shown.sort_by_key(|hit| hit.row);
    assert_eq!(bits(shown), bits(expected.iter().copied()), "{what}: shown");
    // Each way to stop ends at the first box; nothing later than the limit is visited.
    let mut most = f32::INFINITY;
    query().visit(|hit| {
        assert!(hit.value <= most, "{what}: {hit:?} is past {most}");
        most = hit.value;
        most
    });
    assert_eq!(
        most.to_bits(),
        order.first().map_or(MISS, |hit| hit.value).to_bits(),
        "{what}: least"
    );
    let mut count = 0;
    query().visit(|_| {
        count += 1;
        -1.0
    });
    assert_eq!(count, usize::from(!expected.is_empty()), "{what}: no more at all");
    let _ = query().counting(&mut visits).closest();
    (told, bits(any), visits)
}

/// Runs all paths in one tree.
fn check_all(
    what: &str,
    world: &World,
    queries: &Queries<'_>,
    ways: &[Way],
    filter: Option<Filter>,
) -> Vec<Told> {
    let queries = filter.map_or(*queries, |filter| queries.filtered(filter));
    let told = ways.iter().enumerate().map(|(k, way)| {
        let what = format!("{what}, {k}: {way:?}");
        let expected = world.one_by_one(way, filter);
        match way {
            Way::Segment(segment) => check(&what, || queries.cast(segment).unwrap(), &expected),
            Way::Box(moving) => check(&what, || queries.sweep(moving).unwrap(), &expected),
        }
    });
    told.collect()
}

/// Runs all paths in trees of every level, with filters and without.
fn check_world(what: &str, world: &World, ways: &[Way]) {
    for (filtered, filter) in [
        (false, None),
        (true, Some(Filter::new(1, 2))),
        (true, Some(Filter::new(6, 0xffff))),
        (true, None),
    ] {
        let mut first: Option<Vec<Told>> = None;
        for level in Level::all() {
            let tree = world.tree(level, filtered);
            let what = format!("{what}, {level}, {filter:?}");
            let told = check_all(&what, world, &tree.queries(), ways, filter);
            assert_eq!(*first.get_or_insert_with(|| told.clone()), told, "{what}: levels differ");
        }
    }
}

/// Boxes with corners on integers, some flat, some points, some equal; one row in 16 is empty.
fn whole(draw: &mut Draw, count: usize, side: i32) -> World {
    let rows = (0..count).map(|_| {
        let min: [f32; 3] = from_fn(|_| draw.whole(0, side));
        let max = min.map(|low| low + draw.one_of(&[0.0, 0.0, 1.0, 1.0, 2.0]));
        let bits = draw.one_of(&[1, 2, 3, 4]);
        let filter = Filter::new(bits, draw.one_of(&[0, 1, 6, 0xffff]));
        (!draw.one_in(16)).then_some((Aabb { min, max }, filter))
    });
    World(rows.collect())
}

/// Paths among them: along axes and diagonals, in planes of faces, with zeros of either sign, or without
/// displacement.
fn whole_way(draw: &mut Draw, side: i32) -> Way {
    let start: [f32; 3] = from_fn(|_| draw.whole(-2, side + 3));
    let delta: [f32; 3] = from_fn(|_| draw.one_of(&[0.0, -0.0, 1.0, -1.0, 2.0, -4.0, 8.0, 3.0]));
    if draw.one_in(2) {
        let max_fraction = draw.one_of(&[0.0, -0.0, 1.0, 2.0, 4.0, f32::MAX, f32::INFINITY]);
        return Way::Segment(Segment { start, delta, max_fraction });
    }
    let max = start.map(|low| low + draw.one_of(&[0.0, 1.0, 2.0]));
    Way::Box(MovingBox { aabb: Aabb { min: start, max }, delta })
}

/// Goal: every result is that of brute force. Method: boxes and paths on integers, many of which touch at the
/// same time; from no boxes to three levels of nodes.
#[test]
fn boxes_on_integers_give_the_result_of_brute_force() {
    let mut draw = Draw::new(1);
    for count in [0, 1, 2, 15, 16, 17, 255, 256, 257, 700, 5000] {
        let side = 2 + (count as f32).cbrt() as i32;
        let world = whole(&mut draw, count, side);
        let ways: Vec<_> = (0..12).map(|_| whole_way(&mut draw, side)).collect();
        check_world(&format!("{count} boxes"), &world, &ways);
    }
}

/// Goal: no number is too difficult. Method: the hostile segments and boxes of other tests, each tested
/// against all boxes together, including contacts at infinity, beyond it, and at denormal fractions.
#[test]
fn hostile_numbers_give_the_result_of_brute_force() {
    let count = how_many(400).min(20_000);
    for (seed, boxes) in [(2, 500), (3, 40), (4, 3000)] {
        let rays: Vec<_> = rays(seed, boxes).collect();
        let pairs: Vec<_> = cases(seed, boxes).collect();
        let world = World::new(rays.iter().map(|ray| ray.aabb));
        let segments = rays.iter().map(|ray| Way::Segment(ray.segment));
        let ways: Vec<_> = segments.take(count / 4).collect();
        check_world("segments", &world, &ways);
        let world = World::new(pairs.iter().map(|pair| pair.b.aabb));
        let ways: Vec<_> = pairs.iter().take(count / 4).map(|pair| Way::Box(pair.a)).collect();
        check_world("moving boxes", &world, &ways);
    }
}

/// Goal: an invalid segment or moving box is an error. Method: one of each.
#[test]
fn invalid_paths_are_errors() {
    let tree = Bvh::new();
    let bad = Segment { start: [f32::NAN; 3], delta: [1.0; 3], max_fraction: 1.0 };
    assert!(tree.queries().cast(&bad).is_err());
    let bad = Segment { start: [0.0; 3], delta: [1.0; 3], max_fraction: -1.0 };
    assert!(tree.queries().cast(&bad).is_err());
    let aabb = Aabb { min: [1.0; 3], max: [0.0; 3] };
    assert!(tree.queries().sweep(&MovingBox { aabb, delta: [0.0; 3] }).is_err());
}

/// Goal: after insertions and removals the results are those of the stored boxes. Method: rows are inserted,
/// replaced and removed in a set of several trees, with filters that are set early and late.
#[test]
fn inserted_and_removed_boxes_give_the_result_of_brute_force() {
    let mut draw = Draw::new(5);
    for level in Level::all() {
        let (mut set, mut world) = (FixedBoxes::with_exec(level), World::default());
        for round in 0..12 {
            let count = draw.one_of(&[3, 40, 700, 2500]);
            let more = whole(&mut draw, count, 14);
            let offset = draw.whole(0, 4000) as u32;
            let rows: Vec<u32> = (offset..offset + count as u32).collect();
            more.with(round > 2, |boxes| set.put(&rows, boxes).map(<[_]>::len)).unwrap();
            for (&row, of) in rows.iter().zip(&more.0) {
                if world.0.len() <= row as usize {
                    world.0.resize(row as usize + 1, None);
                }
                if let Some((aabb, filter)) = *of {
                    let filter = if round > 2 { filter } else { Filter::ALL };
                    world.0[row as usize] = Some((aabb, filter));
                }
            }
            let gone: Vec<u32> = (0..world.0.len() as u32)
                .filter(|&row| world.0[row as usize].is_some() && draw.one_in(3))
                .collect();
            set.remove(&gone).unwrap();
            gone.iter().for_each(|&row| world.0[row as usize] = None);
            let ways: Vec<_> = (0..6).map(|_| whole_way(&mut draw, 14)).collect();
            for filter in [None, Some(Filter::new(1, 2)), Some(Filter::NONE)] {
                let what = format!("{level}, round {round}, {filter:?}");
                check_all(&what, &world, &set.queries(), &ways, filter);
            }
        }
    }
}

/// Goal: a batch gives the results of its single rows, and none for invalid rows. Method: hostile numbers and
/// integers, any number of rows, on every level, with filters and without, on one thread and several.
#[test]
fn batches_give_the_results_of_single_rows() {
    let mut draw = Draw::new(6);
    let world = whole(&mut draw, 3000, 14);
    let bad = Segment { start: [0.0; 3], delta: [1.0; 3], max_fraction: f32::NAN };
    let hard = rays(7, 500).map(|ray| ray.segment);
    let mut segments: Vec<_> = hard.collect();
    let mut moving: Vec<_> = cases(8, 500).map(|pair| pair.a).collect();
    while segments.len() < 2500 {
        match whole_way(&mut draw, 14) {
            Way::Segment(segment) => segments.push(if draw.one_in(9) { bad } else { segment }),
            Way::Box(of) => moving.push(of),
        }
    }
    moving[77].aabb.min[1] = f32::INFINITY;
    // The slow rows are distributed over all rows.
    segments.sort_by_key(|segment| segment.start[0].to_bits() % 101);
    for level in Level::all() {
        let mut tree = world.tree(level, true);
        for threads in threads() {
            tree.exec.threads = threads;
            for queries in [tree.queries(), tree.queries().filtered(Filter::new(6, 3))] {
                for count in [0, 1, 7, 8, 63, 64, 65, segments.len()] {
                    check_segments(&queries, &segments[..count]);
                    check_moving(&queries, &moving[..count.min(moving.len())]);
                }
            }
        }
    }
}

/// One thread, and several if the feature allows it.
fn threads() -> Vec<Threads> {
    let one = [Threads::one()];
    #[cfg(feature = "rayon")]
    let several = {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        [Threads::of_pool(std::sync::Arc::new(pool))]
    };
    #[cfg(not(feature = "rayon"))]
    let several = [];
    one.into_iter().chain(several).collect()
}

/// Calls `ask` with the rows as columns and the invalid ones among them.
fn checked<T: Row<K>, const K: usize, R>(
    rows: &[T],
    ask: impl FnOnce(&Checked<'_, Columns<'_, T, K>>) -> R,
) -> R {
    let columns: [Vec<f32>; K] = from_fn(|k| rows.iter().map(|row| row.to_row()[k]).collect());
    let columns = Columns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    ask(&columns.check(Level::detect(), &mut Vec::new()))
}

/// The result of each row alone; `None` for an invalid row.
fn alone<'q, P: Path>(
    ways: &[P],
    query: impl Fn(&P) -> Option<Query<'q, P>>,
    ask: impl Fn(Query<'q, P>) -> Option<Hit>,
) -> Vec<(u32, u32)> {
    bits(ways.iter().map(|way| query(way).and_then(&ask).unwrap_or(Hit::MISS)))
}

fn check_segments(queries: &Queries<'_>, segments: &[Segment]) {
    let query = |of: &Segment| queries.cast(of).ok();
    let mut hits = vec![Hit { row: 7, value: -7.0 }; segments.len()];
    checked(segments, |rows| queries.casts(rows).closest(&mut hits)).unwrap();
    assert_eq!(bits(hits.iter().copied()), alone(segments, query, Query::closest));
    checked(segments, |rows| queries.casts(rows).any(&mut hits)).unwrap();
    assert_eq!(bits(hits.iter().copied()), alone(segments, query, Query::<Segment, _>::any));
    hits.push(Hit::MISS);
    assert!(checked(segments, |rows| queries.casts(rows).any(&mut hits)).is_err());
}

fn check_moving(queries: &Queries<'_>, moving: &[MovingBox]) {
    let query = |of: &MovingBox| queries.sweep(of).ok();
    let mut hits = vec![Hit { row: 7, value: -7.0 }; moving.len()];
    checked(moving, |rows| queries.sweeps(rows).closest(&mut hits)).unwrap();
    assert_eq!(bits(hits.iter().copied()), alone(moving, query, Query::closest));
    checked(moving, |rows| queries.sweeps(rows).any(&mut hits)).unwrap();
    assert_eq!(bits(hits.iter().copied()), alone(moving, query, Query::<MovingBox, _>::any));
}

/// Goal: the memory of a deep tree is sufficient. Method: boxes of all sizes, each a thousandth of the one
/// before, which the builder separates, and crowds of them.
#[test]
fn boxes_of_every_size_need_no_more_memory() {
    let mut draw = Draw::new(9);
    let sizes = [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6];
    let rows = (0..9000).map(|_| {
        let size = draw.one_of(&sizes);
        let min: [f32; 3] = from_fn(|_| draw.between(-1.0, 1.0) * size * 10.0);
        Aabb { min, max: min.map(|low| low + size) }
    });
    let world = World::new(rows);
    let ways: Vec<_> = (0..12)
        .map(|_| {
            let start: [f32; 3] = from_fn(|_| draw.between(-20.0, 20.0));
            Way::Segment(Segment { start, delta: start.map(|x| -x), max_fraction: 3.0 })
        })
        .collect();
    check_world("boxes of every size", &world, &ways);
}

/// Goal: the first box is found without visiting most of those behind it. Method: segments through a crowd;
/// finding the first takes a part of the visits of finding all, and *any* takes no more.
#[test]
fn boxes_behind_the_first_are_not_visited() {
    let mut draw = Draw::new(10);
    let world = World::new((0..20_000).map(|_| {
        let min: [f32; 3] = from_fn(|_| draw.between(0.0, 100.0));
        Aabb { min, max: min.map(|low| low + 1.5) }
    }));
    let tree = world.tree(Level::detect(), false);
    let [mut all, mut first, mut any] = [Visits::default(); 3];
    for _ in 0..300 {
        let start: [f32; 3] = from_fn(|_| draw.between(0.0, 100.0));
        let delta: [f32; 3] = from_fn(|_| draw.between(-100.0, 100.0));
        let segment = Segment { start, delta, max_fraction: 1.0 };
        let query = || tree.queries().cast(&segment).unwrap();
        query().counting(&mut all).all(&mut Vec::new());
        let _ = query().counting(&mut first).closest();
        let _ = query().counting(&mut any).any();
    }
    assert!(all.leaves > 1500, "{all:?}");
    assert!(5 * first.leaves < 2 * all.leaves, "{first:?} of {all:?}");
    assert!(any.leaves <= first.leaves && any.boxes <= 300, "{any:?} of {first:?}");
    // A contact that is as early in a higher row does not matter.
    let equal = World::new((0..16).map(|_| Aabb { min: [1.0; 3], max: [2.0; 3] }));
    let mut visits = Visits::default();
    let segment = Segment { start: [0.0; 3], delta: [3.0; 3], max_fraction: 1.0 };
    let tree = equal.tree(Level::detect(), false);
    let hit = tree.queries().cast(&segment).unwrap().counting(&mut visits).closest().unwrap();
    assert_eq!((hit.row, visits.boxes, visits.leaves), (0, 1, 1));
}
