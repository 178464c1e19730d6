//! Tests that the pair finder finds every pair once, and nothing else, for any boxes, level and pool.

use crate::threads::pool;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use swath::broadphase::{FindError, PairInput};
use swath::{
    Aabb, COORD_MAX, Invalid, Level, MovingBox, MovingBoxColumns, Pair, PairFinder, SweptPair,
};

/// Boxes as columns, with flags if some do not move.
#[derive(Clone, Default)]
struct Columns {
    of: [Vec<f32>; 9],
    moves: Option<Vec<bool>>,
}

impl Columns {
    fn push(&mut self, min: [f32; 3], max: [f32; 3], delta: [f32; 3]) {
        let numbers = min.into_iter().chain(max).chain(delta);
        self.of.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
    }

    fn of_world(world: &World) -> Self {
        let columns = world.min.iter().chain(&world.max).chain(&world.delta);
        let mut of = columns.cloned();
        Self { of: core::array::from_fn(|_| of.next().unwrap()), moves: Some(world.moves.clone()) }
    }

    fn boxes(&self) -> MovingBoxColumns<'_> {
        let [a, b, c, d, e, f, g, h, i] = self.of.each_ref().map(Vec::as_slice);
        MovingBoxColumns::new([a, b, c], [d, e, f], [g, h, i]).unwrap()
    }

    fn rows(&self) -> Vec<MovingBox> {
        (0..self.of[0].len()).map(|row| self.boxes().get(row)).collect()
    }

    fn set(&self) -> PairInput<'_> {
        let set = PairInput::new(self.boxes());
        self.moves().map_or(set, |moves| set.moving(moves))
    }

    fn moves(&self) -> Option<&[bool]> {
        self.moves.as_deref()
    }
}

/// Found pairs, in the order of the finder, with the bits of the times.
type Order = (Vec<Pair>, Vec<(u32, u32, u32)>);

fn in_order(finder: &mut PairFinder, columns: &Columns) -> Order {
    let union = finder.union_pairs(columns.set()).unwrap().iter().collect();
    let swept = finder.swept_pairs(columns.set()).unwrap();
    let bits = |pair: SweptPair| (pair.a, pair.b, pair.first.to_bits());
    (union, swept.iter().map(bits).collect())
}

/// Compares the finder with the specification: union pairs are equal; no swept pair is missing, and an
/// additional one misses by less than rounding.
fn check(what: &str, columns: &Columns) -> Order {
    let rows = columns.rows();
    let union = spec::union_pairs(&rows, columns.moves());
    let swept = spec::swept_pairs(&rows, columns.moves());
    let invalid: Vec<u32> =
        (0..rows.len() as u32).filter(|&row| rows[row as usize].validate().is_err()).collect();

    let mut finder = PairFinder::new();
    let found = finder.union_pairs(columns.set()).unwrap();
    let rejected: Vec<u32> = found.rejected().iter().map(|rejected| rejected.row).collect();
    assert_eq!(rejected, invalid, "{what}: rejected rows");
    assert_eq!(found.len(), union.len(), "{what}: number of union pairs");
    assert_eq!(found.sorted(), union, "{what}: union pairs");

    let found = finder.swept_pairs(columns.set()).unwrap();
    assert_eq!(found.rejected().len(), invalid.len(), "{what}: rejected rows, swept");
    let found = found.sorted();
    let mut missing = swept.iter().peekable();
    for pair in found {
        let key = Pair::from(*pair);
        assert!(union.binary_search(&key).is_ok(), "{what}: {key:?} is no union pair");
        let (a, b) = (&rows[key.a as usize], &rows[key.b as usize]);
        let meant = spec::sweep(a, b).unwrap();
        if missing.next_if_eq(&&key).is_some() {
            let first = f64::from(pair.first);
            let early = meant.first * (1.0 - 0.5f64.powi(21)) - 0.5f64.powi(126);
            assert!(first <= meant.first * (1.0 + 1e-15), "{what}: {pair:?} is late: {meant:?}");
            assert!(first >= early * (1.0 - 1e-15), "{what}: {pair:?} is early: {meant:?}");
        } else {
            assert!(meant.margin > -1e-6, "{what}: {pair:?} does not meet: {meant:?}");
        }
        let alone = swath::batch::sweep::one_to_one(a, b).unwrap();
        assert_eq!(alone.first.to_bits(), pair.first.to_bits(), "{what}: the kernel's own time");
    }
    assert_eq!(missing.next(), None, "{what}: a pair is missing");
    assert!(found.is_sorted_by(|p, q| (p.a, p.b) < (q.a, q.b)), "{what}: each once, in order");
    in_order(&mut finder, columns)
}

/// As [`check`], then the same pairs in the same order for every level and number of threads.
fn check_everywhere(what: &str, columns: &Columns) {
    let order = check(what, columns);
    for threads in 1..=3 {
        let pool = pool(threads);
        for level in Level::all() {
            let mut finder = PairFinder::with_exec(level);
            finder.exec.threads = pool.clone();
            let again = in_order(&mut finder, columns);
            assert!(order == again, "{what}: order on {level} with {threads} threads");
        }
    }
}

/// Goal: the pairs of scenes are found exactly, at the start and later.
#[test]
fn scenes_are_found_exactly() {
    for scene in Scene::ALL {
        for (boxes, seed) in [(0, 1), (1, 1), (2, 1), (37, 2), (1500, 3)] {
            let mut world = World::new(scene, boxes, seed);
            world.step();
            check_everywhere(&format!("{scene} of {boxes}"), &Columns::of_world(&world));
        }
        check(&format!("{scene} of 3000"), &Columns::of_world(&World::new(scene, 3000, 4)));
    }
}

/// A random number that is often special: an integer, zero, equal to others, or at the end of a range.
fn number(rng: &mut Xoshiro256PlusPlus, reach: f32) -> f32 {
    match rng.random_range(0..4) {
        0 => rng.random_range(-4i32..=4) as f32 * (reach / 4.0),
        1 => [0.0, -0.0, reach, -reach][rng.random_range(0..4)],
        _ => rng.random_range(-reach..=reach),
    }
}

fn random_box(rng: &mut Xoshiro256PlusPlus, reach: f32, half: f32, path: f32) -> MovingBox {
    let center: [f32; 3] = core::array::from_fn(|_| number(rng, reach));
    let size: [f32; 3] = core::array::from_fn(|_| number(rng, half).abs());
    MovingBox {
        aabb: Aabb {
            min: core::array::from_fn(|axis| center[axis] - size[axis]),
            max: core::array::from_fn(|axis| center[axis] + size[axis]),
        },
        delta: core::array::from_fn(|_| number(rng, path)),
    }
}

/// Goal: no distribution of boxes loses a pair. Method: distributions that are difficult for cells of equal
/// size, one at a time.
#[test]
fn awkward_distributions_are_found_exactly() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut columns = |what: &str, boxes: &mut dyn FnMut(&mut Xoshiro256PlusPlus) -> MovingBox| {
        let mut columns = Columns::default();
        for _ in 0..700 {
            let MovingBox { aabb, delta } = boxes(&mut rng);
            columns.push(aabb.min, aabb.max, delta);
        }
        check_everywhere(what, &columns);
    };
    columns("whole numbers that touch", &mut |rng| {
        let corner: [f32; 3] = core::array::from_fn(|_| rng.random_range(-6..6) as f32);
        let delta = core::array::from_fn(|_| rng.random_range(-1..=1) as f32);
        MovingBox { aabb: Aabb { min: corner, max: corner.map(|x| x + 1.0) }, delta }
    });
    columns("random and special", &mut |rng| random_box(rng, 10.0, 1.0, 3.0));
    columns("all the same", &mut |_| MovingBox::from(Aabb::cube([1.0, 2.0, 3.0], 0.5).unwrap()));
    columns("all one point", &mut |_| MovingBox::default());
    columns("on a line along x", &mut |rng| {
        let mut moving = random_box(rng, 500.0, 1.0, 0.5);
        (moving.aabb.min[1], moving.aabb.max[1]) = (0.0, 0.0);
        (moving.aabb.min[2], moving.aabb.max[2]) = (0.0, 0.0);
        moving
    });
    columns("on the diagonal", &mut |rng| {
        let at = rng.random_range(-300.0..300.0);
        MovingBox { aabb: Aabb { min: [at; 3], max: [at + 1.0; 3] }, delta: [0.5, -0.5, 0.25] }
    });
    columns("planets among dust", &mut |rng| {
        let half = if rng.random_range(0..50) == 0 { 80.0 } else { 0.5 };
        random_box(rng, 100.0, half, 2.0)
    });
    columns("some a million units off", &mut |rng| {
        let reach = if rng.random_range(0..100) == 0 { 1e6 } else { 8.0 };
        random_box(rng, reach, 0.5, 1.0)
    });
    columns("thin walls and long paths", &mut |rng| {
        let mut moving = random_box(rng, 20.0, 8.0, 20.0);
        let axis = rng.random_range(0..3);
        moving.aabb.max[axis] = moving.aabb.min[axis];
        moving
    });
    columns("at the ends of the range", &mut |rng| {
        random_box(rng, COORD_MAX / 2.0, COORD_MAX / 2.0, COORD_MAX)
    });
    columns("denormal", &mut |rng| random_box(rng, 1e-38, 1e-39, 1e-38));
}

/// Goal: invalid rows are listed with the reason and change nothing for the others.
#[test]
fn invalid_rows_are_listed_and_change_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let bad = [
        (0, f32::NAN, Invalid::NotFinite { axis: 0 }),
        (5, f32::INFINITY, Invalid::NotFinite { axis: 2 }),
        (1, f32::NEG_INFINITY, Invalid::NotFinite { axis: 1 }),
        (3, -99.0, Invalid::Inverted { axis: 0 }),
        (4, 2.0 * COORD_MAX, Invalid::TooLarge { axis: 1 }),
        (7, f32::NAN, Invalid::NotFinite { axis: 1 }),
        (8, -1e38, Invalid::TooLarge { axis: 2 }),
    ];
    let good: Vec<_> = (0..1500).map(|_| random_box(&mut rng, 9.0, 1.0, 2.0)).collect();
    let mut mixed = Columns { moves: Some(Vec::new()), ..Columns::default() };
    let mut clean = mixed.clone();
    // Index of each row of the mixed scene in the clean one.
    let mut rows = Vec::new();
    let mut reasons = Vec::new();
    for (k, MovingBox { aabb, delta }) in good.into_iter().enumerate() {
        let moves = k % 3 != 0;
        for (column, number, reason) in bad.iter().filter(|_| rng.random_range(0..6) == 0) {
            mixed.push([0.0; 3], [1.0; 3], [0.0; 3]);
            *mixed.of[*column].last_mut().unwrap() = *number;
            mixed.moves.as_mut().unwrap().push(moves);
            rows.push(None);
            reasons.push(*reason);
        }
        for columns in [&mut mixed, &mut clean] {
            columns.push(aabb.min, aabb.max, delta);
            columns.moves.as_mut().unwrap().push(moves);
        }
        rows.push(Some(clean.of[0].len() as u32 - 1));
    }
    assert!(reasons.len() > 1000);
    check_everywhere("mixed with no boxes", &mixed);

    let (mut of_mixed, mut of_clean) = (PairFinder::new(), PairFinder::new());
    // Twice, because a list that is not cleared grows.
    assert!(!of_mixed.swept_pairs(mixed.set()).unwrap().rejected().is_empty());
    let found = of_mixed.swept_pairs(mixed.set()).unwrap();
    assert!(found.rejected().iter().map(|rejected| rejected.reason).eq(reasons));
    let renumbered = found.sorted().iter().map(|pair| SweptPair {
        a: rows[pair.a as usize].unwrap(),
        b: rows[pair.b as usize].unwrap(),
        first: pair.first,
    });
    let found = of_clean.swept_pairs(clean.set()).unwrap();
    assert!(renumbered.eq(found.sorted().iter().copied()));
}

/// Goal: two boxes that do not move are not a pair, and one that moves is enough; flags count, not
/// displacements.
#[test]
fn two_boxes_that_do_not_move_are_not_a_pair() {
    let mut columns = Columns { moves: Some(vec![true, false, false]), ..Columns::default() };
    for _ in 0..3 {
        columns.push([0.0; 3], [1.0; 3], [0.0; 3]);
    }
    let mut finder = PairFinder::new();
    let found = finder.union_pairs(columns.set()).unwrap();
    assert_eq!(found.sorted(), [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }]);
    columns.moves = Some(vec![false; 3]);
    assert!(finder.swept_pairs(columns.set()).unwrap().is_empty());
    assert_eq!(finder.swept_pairs(columns.boxes()).unwrap().len(), 3);
    check_everywhere("three at one place", &columns);
}

/// Goal: a finder that was used for more and fewer boxes gives the results of a new one.
#[test]
fn earlier_ticks_do_not_change_results() {
    let mut used = PairFinder::new();
    for (boxes, scene) in
        [(900, Scene::Dense), (20, Scene::Pile), (2500, Scene::Mixed), (0, Scene::Uniform)]
    {
        let columns = Columns::of_world(&World::new(scene, boxes, 5));
        let fresh = in_order(&mut PairFinder::new(), &columns);
        assert!(in_order(&mut used, &columns) == fresh, "{scene} of {boxes}");
    }
}

/// Goal: flags of the wrong length are an error with both lengths.
#[test]
fn wrong_number_of_flags_is_an_error() {
    let columns = Columns::of_world(&World::new(Scene::Uniform, 5, 1));
    let mut finder = PairFinder::new();
    let error = finder.union_pairs(PairInput::new(columns.boxes()).moving(&[true; 4])).unwrap_err();
    assert!(matches!(error, FindError::Length(_)));
    let error = error.to_string();
    assert!(error.starts_with("the flags `moves`: the length is 4 and must be 5; "), "{error}");
}

/// Goal: reading run by run gives the same pairs as reading one slice.
#[test]
fn runs_and_slice_contain_the_same_pairs() {
    let columns = Columns::of_world(&World::new(Scene::Dense, 6000, 4));
    let mut finder = PairFinder::new();
    let found = finder.union_pairs(columns.boxes()).unwrap();
    let mut runs: Vec<Pair> = found.chunks().flatten().copied().collect();
    assert_eq!(runs.len(), found.len());
    assert!(found.chunks().count() > 4, "enough runs to share among threads");
    // What was in the list before does not show, whether it was longer or shorter.
    for before in [0, 7, runs.len(), runs.len() + 9] {
        let mut list = vec![Pair { a: 3, b: 4 }; before];
        found.collect_into(&mut list);
        assert_eq!(list, runs);
    }
    runs.sort_unstable();
    assert_eq!(found.sorted(), runs);
    let found = finder.swept_pairs(columns.boxes()).unwrap();
    assert!(found.len() > 16 * 1024, "{} pairs, which one thread would copy", found.len());
    let (mut list, runs) = (Vec::new(), found.chunks().flatten().copied());
    found.collect_into(&mut list);
    assert!(list.iter().copied().eq(runs));
}
