//! Tests that the pair finder finds every pair once, in time that grows with boxes and pairs, for boxes that
//! no single grid fits.

use crate::threads::pool;
use core::array::from_fn;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::recipe::{Crowds, Long, Recipe};
use scenes::{Scene, World};
use swath::batch::sweep;
use swath::broadphase::PairInput;
use swath::{
    Aabb, Filter, Level, MovingBox, MovingBoxColumns, Pair, PairFinder, SweptPair, Threads,
};
use testkit::every_pair::Rows;
use testkit::least_time::least_time;

const NO_CROWDS: Crowds = Crowds { share: 0.0, count: 1, part: [1.0; 3], apart: 0.0 };
const NO_LONG: Long = Long { share: 0.0, axis: 3, axes: 1, length: 0.0, spread: 0.0 };

/// Most boxes are in a crowd far smaller than a cell, but so small that there are some pairs.
const CROWD: Recipe = Recipe {
    seed: 1,
    extent: [1000.0, 1000.0, 100.0],
    crowds: [Crowds { share: 0.8, count: 1, part: [1e-3; 3], apart: 0.5 }, NO_CROWDS, NO_CROWDS],
    half: [-1.5, -0.8],
    stretch: [0.2; 3],
    long: NO_LONG,
    lattice: 0.0,
    displaced: 0.0,
    displacement: [0.0; 2],
    moves: 1.0,
};

/// Scenes in which most boxes are in a few strips, with a name for each.
fn hostile() -> Vec<(&'static str, Recipe)> {
    let nested = [0.9, 0.8, 0.7].map(|share| Crowds {
        share,
        count: 2,
        part: [0.01, 0.02, 0.01],
        apart: 0.3,
    });
    let long = |share, axis, axes| Long { share, axis, axes, length: 0.7, spread: 0.9 };
    vec![
        ("a crowd", CROWD),
        ("crowds in crowds", Recipe { crowds: nested, half: [-4.0, -2.0], ..CROWD }),
        ("equal coordinates", Recipe { lattice: 1e-4, half: [-1.4, -1.2], ..CROWD }),
        ("long boxes", Recipe { long: long(0.02, 3, 1), half: [-2.0, -1.5], ..CROWD }),
        ("plates", Recipe { long: long(0.01, 3, 2), half: [-2.5, -2.0], ..CROWD }),
        (
            "sticks across each other",
            Recipe {
                crowds: [NO_CROWDS; 3],
                extent: [1.0; 3],
                half: [-3.0, -2.8],
                long: long(1.0, 3, 1),
                ..CROWD
            },
        ),
        (
            "short and long paths",
            Recipe { displaced: 0.5, displacement: [-4.5, -1.5], half: [-2.0, -1.2], ..CROWD },
        ),
        ("many at rest", Recipe { moves: 0.1, half: [-1.2, -0.6], ..CROWD }),
        ("sizes of every scale", Recipe { half: [-5.0, 1.0], stretch: [1.0; 3], ..CROWD }),
    ]
}

/// Pairs whose bounds overlap and that `wanted` accepts, by comparing every pair.
fn every_pair(boxes: MovingBoxColumns<'_>, wanted: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
    let bounds: Vec<_> = (0..boxes.len()).map(|row| boxes.get(row).bounds()).collect();
    let mut pairs = Vec::new();
    for a in 0..bounds.len() {
        for b in a + 1..bounds.len() {
            if bounds[a].overlaps(&bounds[b]) && wanted(a, b) {
                pairs.push(Pair { a: a as u32, b: b as u32 });
            }
        }
    }
    pairs
}

/// Those of them that touch, with the first time.
fn touching(boxes: MovingBoxColumns<'_>, pairs: &[Pair]) -> Vec<SweptPair> {
    let swept = |&Pair { a, b }: &Pair| {
        let answer = sweep::one_to_one(&boxes.get(a as usize), &boxes.get(b as usize)).unwrap();
        answer.contact.is_hit().then_some(SweptPair { a, b, first: answer.first })
    };
    pairs.iter().filter_map(swept).collect()
}

fn filters(count: usize) -> Vec<Filter> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut one = || 1 << rng.random_range(0..4_u16);
    (0..count).map(|_| Filter::new(one(), one() | one())).collect()
}

/// Goal: no pair is lost or found twice if strips are divided: with flags, with filters, between two sets,
/// for union and swept pairs. Method: every pair is compared.
#[test]
fn every_pair_in_divided_strips_is_found_once() {
    for ((name, recipe), seed) in hostile().into_iter().cycle().zip(1..=18) {
        let world = Recipe { seed, ..recipe }.build(4000);
        let boxes = world.columns();
        let filters = filters(world.len());
        let allowed = |a: usize, b: usize| filters[a].allows(filters[b]);
        let moves = |a: usize, b: usize| world.moves[a] || world.moves[b];
        let mut finder = PairFinder::new();
        let mut check = |set: PairInput<'_>, expected: Vec<Pair>| {
            assert_eq!(finder.union_pairs(set).unwrap().sorted(), expected, "{name}");
            let swept = touching(boxes, &expected);
            assert_eq!(finder.swept_pairs(set).unwrap().sorted(), swept, "{name}");
            expected.len()
        };
        let set = PairInput::new(boxes);
        let all = check(set, every_pair(boxes, |_, _| true));
        assert!(all > 500, "{name}: {all} pairs");
        check(set.moving(&world.moves), every_pair(boxes, moves));
        let both = |a, b| moves(a, b) && allowed(a, b);
        check(set.moving(&world.moves).filtered(&filters), every_pair(boxes, both));

        let cut = world.len() / 3;
        let (first, second) = (boxes.slice(0..cut), boxes.slice(cut..boxes.len()));
        let between = every_pair(boxes, |a, b| a < cut && b >= cut);
        let swept = touching(boxes, &between);
        let renamed = |Pair { a, b }: Pair| Pair { a, b: b - cut as u32 };
        let expected: Vec<_> = between.into_iter().map(renamed).collect();
        let found = finder.union_pairs_between(first, second).unwrap();
        assert_eq!(found.sorted(), expected, "{name}");
        let found = finder.swept_pairs_between(first, second).unwrap();
        let renamed = |of: SweptPair| SweptPair { b: of.b - cut as u32, ..of };
        let expected: Vec<_> = swept.into_iter().map(renamed).collect();
        assert_eq!(found.sorted(), expected, "{name}");
    }
}

/// Goal: if strips are divided, the order of pairs depends on the boxes alone.
#[test]
fn order_in_divided_strips_is_the_same_for_every_level_and_pool() {
    for (name, recipe) in hostile() {
        let world = recipe.build(4000);
        let set = PairInput::new(world.columns()).moving(&world.moves);
        let mut expected: Option<(Vec<Pair>, Vec<SweptPair>)> = None;
        for threads in [1, 2, 3, 8] {
            let pool = pool(threads);
            for level in Level::all() {
                let mut finder = PairFinder::with_exec(level);
                finder.exec.threads = pool.clone();
                let union: Vec<_> = finder.union_pairs(set).unwrap().iter().collect();
                let swept: Vec<_> = finder.swept_pairs(set).unwrap().iter().collect();
                let found = (union, swept);
                let expected = expected.get_or_insert_with(|| found.clone());
                assert!(*expected == found, "{name} on {level} with {threads} threads");
            }
        }
    }
}

/// Goal: the limit on pairs holds if strips are divided, and the number in the error is exact.
#[test]
fn limit_on_pairs_holds_in_divided_strips() {
    let world = CROWD.build(20_000);
    let mut finder = PairFinder::new();
    let all = finder.union_pairs(world.columns()).unwrap().len();
    let memory = finder.memory_usage();
    finder.exec.pairs_max = all - 1;
    let error = finder.union_pairs(world.columns()).unwrap_err();
    let text = format!("the number of pairs is {all}, and at most {} are allowed; ", all - 1);
    assert!(error.to_string().starts_with(&text), "{error}");
    finder.exec.pairs_max = all;
    assert_eq!(finder.union_pairs(world.columns()).unwrap().len(), all);
    finder.shrink_to(0, 0);
    assert!(finder.memory_usage() < memory / 50, "{} of {memory}", finder.memory_usage());
}

/// Goal: the time grows with boxes and pairs if most boxes are in a crowd that is one cell of any grid over
/// the whole scene. Method: the least of a few times, compared with an even scene of as many boxes and more
/// pairs. A sweep of the crowd takes several hundred times as long as the even scene.
#[test]
fn crowd_in_a_sparse_scene_takes_linear_time() {
    let mut finder = PairFinder::new();
    finder.exec.threads = Threads::one();
    let mut least = |scene| {
        let world = World::new(scene, 50_000, 1);
        let set = PairInput::new(world.columns()).moving(&world.moves);
        least_time(|| {
            let pairs = finder.union_pairs(set).unwrap().len();
            assert!(pairs < 60_000, "{scene}: {pairs} pairs");
        })
    };
    let (even, crowded) = (least(Scene::Uniform), least(Scene::Outskirts));
    assert!(crowded < even * 50, "{crowded:?}, where an even world takes {even:?}");
}

/// Goal: all pairs are found if the grid is chosen again because the sample misses boxes that overlap many
/// strips. Method: a dense scene in which only rows between those of the sample are plates across it, on any
/// two axes; each box is compared with each one that moves, one of 4096.
#[test]
fn pairs_are_exact_where_the_sample_misses_large_boxes() {
    let mut world = World::new(Scene::Dense, 102_400, 1);
    for row in (0..world.len()).filter(|row| (100..150).contains(&(row % 256))) {
        for axis in [row % 3, (row + 1) % 3] {
            (world.min[axis][row], world.max[axis][row]) = (-500.0, 500.0);
            world.delta[axis][row] = 0.0;
        }
    }
    let all = world.columns();
    let moves: Vec<bool> = (0..world.len()).map(|row| row % 4096 == 0).collect();
    let bounds: Vec<_> = (0..world.len()).map(|row| all.get(row).bounds()).collect();
    let mut expected = Vec::new();
    for a in (0..world.len()).step_by(4096) {
        for b in 0..world.len() {
            if b != a && (!moves[b] || a < b) && bounds[a].overlaps(&bounds[b]) {
                expected.push(Pair { a: a.min(b) as u32, b: a.max(b) as u32 });
            }
        }
    }
    expected.sort_unstable_by_key(|pair| (pair.a, pair.b));
    let mut finder = PairFinder::new();
    let set = PairInput::new(all).moving(&moves);
    let found = finder.union_pairs(set).unwrap();
    assert!(found.sorted() == expected && expected.len() > 10_000, "{} pairs", expected.len());
    assert_eq!(finder.swept_pairs(set).unwrap().sorted(), touching(all, &expected));
}

/// Returns a crowd with a cross-section like a rhombus, and at a corner of its bounds `few` boxes in a line and a beam along all of them.
fn crowd_and_line(half: [f32; 3], width: f32, few: usize) -> Vec<MovingBox> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let [low, high] = [-2.0, -1.9].map(|part| part * width);
    let line = |from: f32, to: f32| MovingBox {
        aabb: Aabb { min: [from, low, low], max: [to, high, high] },
        delta: [0.0; 3],
    };
    let mut boxes = vec![line(-20.0, 20.0)];
    boxes.extend((0..few).map(|k| -19.0 + 38.0 * k as f32 / few as f32).map(|x| line(x, x + 0.2)));
    while boxes.len() < 17_000 {
        let at = [20.0, width, width].map(|reach| rng.random_range(-reach..reach));
        if at[1].abs() + at[2].abs() < width {
            let [min, max] = [-1.0, 1.0].map(|sign| from_fn(|k| at[k] + sign * half[k]));
            boxes.push(MovingBox { aabb: Aabb { min, max }, delta: [0.01; 3] });
        }
    }
    boxes
}

/// Goal: the first tick of a finder finds a beam along a strip with few boxes, where a sample of a crowd was read before. Method: crowds whose
/// comparisons are counted before the strips are sorted, and lines of such lengths that groups of lanes end behind the last box; all levels. The beam
/// overlaps each box of its line.
#[test]
fn a_beam_beside_a_crowd_is_found_by_a_new_finder() {
    let crowds = [([2.0, 0.05, 0.05], 0.5), ([1.0, 0.05, 0.05], 1.0), ([0.5, 0.1, 0.1], 1.6)];
    for (half, width) in crowds {
        for few in [25, 26, 27, 28, 35, 36, 39, 40, 43, 51] {
            let boxes = crowd_and_line(half, width, few);
            let rows = Rows::new(&boxes);
            let mut order: Option<Vec<SweptPair>> = None;
            for level in Level::all() {
                let mut finder = PairFinder::with_exec(level);
                finder.exec.threads = Threads::one();
                let found = finder.swept_pairs(rows.set()).expect("columns");
                let pairs: Vec<_> = found.iter().collect();
                let of_beam = pairs.iter().filter(|pair| pair.a == 0).count();
                assert_eq!(of_beam, few, "{level}: {half:?}");
                assert_eq!(order.get_or_insert_with(|| pairs.clone()), &pairs, "{level}: {few}");
            }
        }
    }
}
