//! Tests that pairs are the same, in the same order and bit by bit, on any threads and any level, and that
//! the limits of the chunks of rows affect only the order.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use swath::broadphase::PairInput;
use swath::{Filter, Level, PairFinder, Threads};
use testkit::every_pair::{Rows, Timed};

#[cfg(feature = "rayon")]
const THREADS_MAX: usize = 8;

fn rows(scene: Scene, boxes: usize) -> Rows {
    let world = World::new(scene, boxes, 21);
    let mut columns = world.min.iter().chain(&world.max).chain(&world.delta).cloned();
    let columns = core::array::from_fn(|_| columns.next().unwrap());
    Rows { columns, moves: Some(world.moves), filters: None }
}

/// Pools of one thread to eight, and no pool.
fn threads() -> Vec<Threads> {
    let threads = [Threads::one(), Threads::current()].into_iter();
    #[cfg(feature = "rayon")]
    let threads = threads.chain((1..=THREADS_MAX).map(|count| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        Threads::of_pool(std::sync::Arc::new(pool))
    }));
    threads.collect()
}

/// The results of a finder: union and swept pairs in its order, and rejected rows.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    union: Vec<(u32, u32)>,
    swept: Vec<Timed>,
    rejected: [Vec<u32>; 2],
}

fn answer(finder: &mut PairFinder, a: PairInput<'_>, b: Option<PairInput<'_>>) -> Answer {
    let found = match b {
        None => finder.union_pairs(a),
        Some(b) => finder.union_pairs_between(a, b),
    };
    let found = found.unwrap();
    let union = found.iter().map(|pair| (pair.a, pair.b)).collect();
    let found = match b {
        None => finder.swept_pairs(a),
        Some(b) => finder.swept_pairs_between(a, b),
    };
    let found = found.unwrap();
    let rejected = [found.rejected(), found.rejected_of_second()];
    Answer {
        union,
        swept: found.iter().map(|pair| (pair.a, pair.b, pair.first.to_bits())).collect(),
        rejected: rejected.map(|rows| rows.iter().map(|rejected| rejected.row).collect()),
    }
}

/// Goal: threads and levels change nothing. Method: every scene as one set, with invalid rows and with
/// filters, and divided into two sets; every level, pools of one thread to eight. A finder runs twice,
/// because in the second run each thread begins with its own share.
#[test]
fn threads_and_levels_change_nothing() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(5);
    let threads = threads();
    for (turn, scene) in Scene::ALL.into_iter().enumerate() {
        let mut rows = rows(scene, 1100);
        for _ in 0..40 {
            let column = random.random_range(0..9);
            rows.columns[column][random.random_range(0..1100)] = f32::NAN;
        }
        let filters = (0..1100).map(|_| Filter::new(random.random(), random.random()));
        let filters: Vec<Filter> = filters.collect();
        let [first, second] = rows.split(400);
        let sets = [
            (rows.set(), None),
            (rows.set().filtered(&filters), None),
            (first.set().filtered(&filters[..400]), Some(second.set())),
        ];
        for (kind, (a, b)) in sets.into_iter().enumerate() {
            let expected = answer(&mut PairFinder::with_exec(Level::detect()), a, b);
            assert!(!expected.swept.is_empty() && !expected.rejected[0].is_empty(), "{scene}");
            for threads in &threads {
                // One kind of every scene on every level, and each kind of five scenes.
                let all = kind == turn % 3;
                for level in Level::all().filter(|&level| all || level == Level::detect()) {
                    let mut finder = PairFinder::with_exec(level);
                    finder.exec.threads = threads.clone();
                    let rounds = if level == Level::detect() { 2 } else { 1 };
                    for _ in 0..rounds {
                        let found = answer(&mut finder, a, b);
                        assert!(found == expected, "{scene}: {level}, {threads:?}");
                    }
                }
            }
        }
    }
}

/// Goal: the same with more chunks and runs than threads. Method: as above, a scene of twenty thousand boxes,
/// on every level.
#[test]
fn threads_change_nothing_with_many_chunks() {
    for scene in [Scene::Bullets, Scene::Pile] {
        let rows = rows(scene, 20_000);
        let expected = answer(&mut PairFinder::new(), rows.set(), None);
        for threads in threads() {
            for level in Level::all() {
                let mut finder = PairFinder::with_exec(level);
                finder.exec.threads = threads.clone();
                assert!(answer(&mut finder, rows.set(), None) == expected, "{scene}: {threads:?}");
            }
        }
    }
}

/// Goal: the limits of the chunks of rows change only the order. Method: invalid rows are inserted in
/// between, at the front or at the end, so many that chunks contain 1,024 to 4,000 valid rows and begin at
/// other boxes; the pairs, with the rows numbered as before, are the same.
#[test]
fn limits_of_chunks_change_only_the_order() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(6);
    for scene in [Scene::Uniform, Scene::Bullets, Scene::Mixed, Scene::Static, Scene::LineY] {
        let rows = rows(scene, 2500);
        let sorted = |mut answer: Answer| {
            answer.union.sort_unstable();
            answer.swept.sort_unstable();
            (answer.union, answer.swept)
        };
        let expected = sorted(answer(&mut PairFinder::new(), rows.set(), None));
        for (front, between, end) in
            [(1, 0, 0), (1000, 0, 0), (0, 0, 20_000), (17, 0, 40_000), (0, 1, 0), (5, 4, 64_000)]
        {
            let mut of_row = Vec::new();
            let invalid = |of_row: &mut Vec<Option<u32>>, count| {
                of_row.extend((0..count).map(|_| None));
            };
            invalid(&mut of_row, front);
            for row in 0..rows.len() as u32 {
                invalid(&mut of_row, random.random_range(0..=between));
                of_row.push(Some(row));
            }
            invalid(&mut of_row, end);
            let number =
                |column: &Vec<f32>, row: &Option<u32>| row.map_or(f32::NAN, |r| column[r as usize]);
            let moves = rows.moves.as_ref().unwrap();
            let spaced = Rows {
                columns: rows
                    .columns
                    .each_ref()
                    .map(|column| of_row.iter().map(|row| number(column, row)).collect::<Vec<_>>()),
                moves: Some(
                    of_row.iter().map(|row| row.is_none_or(|r| moves[r as usize])).collect(),
                ),
                filters: None,
            };
            let mut found = answer(&mut PairFinder::new(), spaced.set(), None);
            assert_eq!(found.rejected[0].len(), spaced.len() - rows.len());
            let named = |row: u32| of_row[row as usize].expect("a box");
            found.union.iter_mut().for_each(|(a, b)| (*a, *b) = (named(*a), named(*b)));
            found.swept.iter_mut().for_each(|(a, b, _)| (*a, *b) = (named(*a), named(*b)));
            assert!(sorted(found) == expected, "{scene}: {front}, {between}, {end}");
        }
    }
}

/// Goal: threads and levels do not change the pairs of a crowd that threads share, nor their order. Method: scenes with more
/// boxes in one strip than one thread joins, with every level and pools of one thread to eight.
#[test]
fn threads_share_a_crowd_and_change_nothing() {
    for scene in [Scene::Outskirts, Scene::Sticks] {
        let rows = rows(scene, 40_000);
        let mut first: Option<Answer> = None;
        let all = threads().into_iter().map(|threads| (threads, Level::detect()));
        let levels = Level::all().map(|level| (Threads::current(), level));
        for (threads, level) in all.chain(levels) {
            let mut finder = PairFinder::with_exec(level);
            finder.exec.threads = threads;
            let found = answer(&mut finder, rows.set(), None);
            assert!(found.union.len() > 1_000, "{} pairs", found.union.len());
            let first = first.get_or_insert_with(|| found.clone());
            assert!(*first == found, "{scene:?} with {:?}", finder.exec);
        }
    }
}
